/* SPDX-License-Identifier: MIT */
/* Orders of a profile: checked when it is read, begun at a call. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "sim/ollama.h"
#include "sim/order.h"

/* Orders at a call: whose word counts, and what is sent. */

bool order_is(const cJSON *result)
{
	return json_member(result, "exec") || json_member(result, "ollama");
}

char *order_lines(const cJSON *text)
{
	const cJSON *line;
	CLEANUP(buf_done) struct buf out = { 0 };

	if (cJSON_IsString(text))
		return mem_strdup(text->valuestring);
	if (!cJSON_IsArray(text))
		return NULL;
	cJSON_ArrayForEach(line, text) {
		if (line != text->child)
			buf_char(&out, '\n');
		if (cJSON_IsString(line))
			buf_text(&out, line->valuestring);
	}
	return buf_take(&out);
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

/* Orders checked when a profile is read, so that only the outside can fail. */

#define TIME_MAX 86400000 /* ms: a day */

/* The first are for the profile as a whole too. */
static const char *const ollama_members[] = {
	"url",	  "model",  "timeout_ms", "retry_after_ms", "stream", "options",
	"format", "system", "user",	  "prompt",	    NULL,
};
static const char *const default_members[] = {
	"url",	  "model",   "timeout_ms", "retry_after_ms",
	"stream", "options", NULL,
};

static int check_exec(struct reader *r, const cJSON *exec)
{
	CLEANUP(words_done) struct words words = { 0 };
	const cJSON *word;

	if (cJSON_IsString(exec)) {
		if (words_split(&words, exec->valuestring, NULL))
			return reader_fail(r, "a quote is not closed");
		return words.count ? 0 : reader_fail(r, "there is no command");
	}
	if (!cJSON_IsArray(exec) || !exec->child)
		return reader_fail(
			r,
			"expected a command: its words in one string, or a list of them");
	cJSON_ArrayForEach(word, exec) {
		if (!cJSON_IsString(word))
			return reader_fail(
				r, "the words of a command are strings");
	}
	return 0;
}

static int check_text(const struct order_check *c, struct reader *r,
		      const cJSON *ollama, const char *name)
{
	const cJSON *json = json_member(ollama, name);
	CLEANUP(mem_free_ptr) char *text = order_lines(json);
	struct error err = { 0 };
	size_t mark = reader_enter(r, name);
	int bad = 0;

	if (json && !text)
		bad = reader_fail(r, "expected a string, or a list of lines");
	if (!bad && !order_is_lines(json))
		bad = reader_fail(r, "a line is a string");
	if (!bad && text && template_check(text, c->known, &err))
		bad = reader_fail(r, "%s; the names are %s", err.text,
				  c->words);
	error_reset(&err);
	reader_leave(r, mark);
	return bad;
}

static int check_common(struct reader *r, const cJSON *ollama)
{
	const cJSON *options = NULL;
	CLEANUP(error_reset) struct error why = { 0 };
	const char *url = NULL, *model = NULL;
	int64_t ms;
	bool flag;

	if (reader_text(r, ollama, "url", &url) ||
	    reader_text(r, ollama, "model", &model) ||
	    reader_number(r, ollama, "timeout_ms", 1, TIME_MAX, &ms) ||
	    reader_number(r, ollama, "retry_after_ms", 1, TIME_MAX, &ms) ||
	    reader_flag(r, ollama, "stream", &flag))
		return -1;
	if (url && ollama_check(url, &why))
		return reader_fail(r, "url: %s", why.text);
	return reader_object(r, ollama, "options", &options);
}

static int check_ollama(const struct order_check *c, struct reader *r,
			const cJSON *ollama)
{
	const cJSON *format = json_member(ollama, "format");
	const cJSON *user = json_member(ollama, "user");
	const char *prompt = NULL;

	if (reader_members(r, ollama, "ollama", ollama_members) ||
	    check_common(r, ollama) ||
	    reader_text(r, ollama, "prompt", &prompt) ||
	    check_text(c, r, ollama, "system") ||
	    check_text(c, r, ollama, "user"))
		return -1;
	if (prompt && !c->prompt)
		return reader_fail(r, "only a service has prompts: use 'user'");
	if (!user + !prompt != 1)
		return reader_fail(
			r, c->prompt ? "one of 'user' and 'prompt' is needed" :
				       "'user' is needed");
	if (format && !cJSON_IsObject(format) &&
	    (!cJSON_IsString(format) ||
	     strcmp(format->valuestring, "json") != 0))
		return reader_fail(r, "'format' is a JSON schema, or \"json\"");
	return 0;
}

int order_check(const struct order_check *c, struct reader *r,
		const cJSON *result)
{
	const cJSON *exec = json_member(result, "exec");
	const cJSON *ollama = json_member(result, "ollama");
	size_t mark = reader_enter(r, exec ? "exec" : "ollama");
	int64_t ignored;
	int bad = 0;

	if (exec)
		bad = check_exec(r, exec);
	else if (ollama)
		bad = check_ollama(c, r, ollama);
	reader_leave(r, mark);
	if (bad)
		return -1;
	if (json_member(result, "timeout_ms") && !exec)
		return reader_fail(
			r,
			"'timeout_ms' here needs 'exec'; 'ollama' has its own");
	return reader_number(r, result, "timeout_ms", 1, TIME_MAX, &ignored);
}

int order_check_defaults(struct reader *r, const cJSON *profile)
{
	const cJSON *ollama = NULL;
	size_t mark;
	int bad;

	if (reader_object(r, profile, "ollama", &ollama))
		return -1;
	if (!ollama)
		return 0;
	mark = reader_enter(r, "ollama");
	bad = reader_members(r, ollama, "ollama", default_members) ||
	      check_common(r, ollama);
	reader_leave(r, mark);
	return bad ? -1 : 0;
}
