/* SPDX-License-Identifier: MIT */
/* Orders at a call: whose word counts, and what is sent. Checks: order_check.c. */
#include "sim/order.h"
#include <assert.h>

#include "base/mem.h"
#include "base/split.h"

bool order_is(const cJSON *result)
{
	return json_member(result, "exec") || json_member(result, "ollama");
}

char *order_lines(const cJSON *text)
{
	const cJSON *line;
	struct buf out;
	char *all;

	if (cJSON_IsString(text))
		return mem_strdup(text->valuestring);
	if (!cJSON_IsArray(text))
		return NULL;
	buf_init(&out, 0);
	cJSON_ArrayForEach(line, text) {
		if (line != text->child)
			buf_char(&out, '\n');
		if (cJSON_IsString(line))
			buf_text(&out, line->valuestring);
	}
	all = buf_take(&out);
	buf_done(&out);
	return all;
}

bool order_is_lines(const cJSON *text)
{
	const cJSON *line;

	cJSON_ArrayForEach(line, text) {
		if (!cJSON_IsString(line))
			return false;
	}
	return true;
}

static int start_exec(struct exec **out, const struct order *o, exec_done *done,
		      void *owner, struct error *err)
{
	const cJSON *exec = json_member(o->result, "exec"), *word;
	CLEANUP(words_done) struct words argv = { 0 };
	struct exec_config config = *o->config;
	struct exec_command command;

	config.timeout = 0; /* the user's is the model's */
	json_integer(o->result, "timeout_ms", &config.timeout);
	if (cJSON_IsString(exec) && words_split(&argv, exec->valuestring, err))
		return -1;
	cJSON_ArrayForEach(word, exec) {
		words_add(&argv, word->valuestring);
	}
	assert(argv.word); /* checked when the profile was read */
	command = (struct exec_command){ argv.word, o->arguments };
	return exec_run(out, &config, &command, done, owner, err);
}

/* The first of tool and profile that says it. */
static const cJSON *told(const struct order *o, const char *name)
{
	const cJSON *own = json_object(o->result, "ollama");
	const cJSON *value = json_member(own, name);

	return value ? value : json_member(o->defaults, name);
}

static void take_number(const struct order *o, const char *name, int64_t *out)
{
	const cJSON *value = told(o, name);

	if (!*out && value)
		*out = (int64_t)value->valuedouble;
}

/* The options of both, those of the tool winning; "" if there are none. */
static void add_options(const struct order *o, struct buf *out)
{
	const cJSON *own =
		json_object(json_object(o->result, "ollama"), "options");
	CLEANUP(json_free_ptr)
	cJSON *all = cJSON_Duplicate(json_object(o->defaults, "options"), true);
	const cJSON *one;

	if (!all && own)
		all = cJSON_CreateObject();
	cJSON_ArrayForEach(one, own) {
		cJSON_DeleteItemFromObjectCaseSensitive(all, one->string);
		cJSON_AddItemToObject(all, one->string,
				      cJSON_Duplicate(one, true));
	}
	if (all)
		json_print(out, all);
}

static int start_ollama(struct exec **out, const struct order *o,
			exec_done *done, void *owner, struct error *err)
{
	CLEANUP(buf_done) struct buf format = { 0 };
	CLEANUP(buf_done) struct buf options = { 0 };
	struct exec_config config = *o->config;
	const cJSON *value = told(o, "format");
	struct ollama_question q = { .system = o->system, .user = o->user };

	if (value)
		json_print(&format, value);
	add_options(o, &options);
	q.format = format.len ? buf_string(&format) : NULL;
	q.options = options.len ? buf_string(&options) : NULL;
	q.stream = cJSON_IsTrue(told(o, "stream"));
	if (!config.ollama)
		config.ollama = cJSON_GetStringValue(told(o, "url"));
	if (!config.model)
		config.model = cJSON_GetStringValue(told(o, "model"));
	take_number(o, "timeout_ms", &config.timeout);
	take_number(o, "retry_after_ms", &config.retry_after);
	return ollama_ask(out, &config, &q, done, owner, err);
}

int order_start(struct exec **out, const struct order *o, exec_done *done,
		void *owner, struct error *err)
{
	if (json_member(o->result, "exec"))
		return start_exec(out, o, done, owner, err);
	return start_ollama(out, o, done, owner, err);
}
