/* SPDX-License-Identifier: MIT */
/* Prompts: listed, filled in, completed. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/service_private.h"
#include "sim/template.h"

void service_add_head(const struct service_part *p, struct buf *out,
		      const char *name, const cJSON *json)
{
	buf_text(out, "{\"name\":");
	buf_json_string(out, name, strlen(name));
	if (service_has(p, "2025-06-18"))
		json_add_text(out, "title", json_string(json, "title"));
	json_add_text(out, "description", json_string(json, "description"));
}

static void add_argument(const struct service_part *p, struct buf *out,
			 const cJSON *argument)
{
	service_add_head(p, out, json_string(argument, "name"), argument);
	buf_printf(out, ",\"required\":%s}",
		   json_true(argument, "required") ? "true" : "false");
}

void service_add_arguments(const struct service_part *p, struct buf *out,
			   const cJSON *arguments)
{
	const cJSON *one;
	bool first = true;

	buf_text(out, ",\"arguments\":[");
	cJSON_ArrayForEach(one, arguments) {
		if (!first)
			buf_char(out, ',');
		first = false;
		add_argument(p, out, one);
	}
	buf_char(out, ']');
}

void service_prompts_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	struct buf out;
	size_t i;

	buf_init(&out, 0);
	buf_text(&out, "{\"prompts\":[");
	for (i = 0; i < s->prompt_count; i++) {
		if (i)
			buf_char(&out, ',');
		service_add_head(p, &out, s->prompt[i].name, s->prompt[i].json);
		service_add_arguments(p, &out, s->prompt[i].arguments);
		buf_char(&out, '}');
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
	buf_done(&out);
}

void service_no_prompt(struct service_part *p, const char *name)
{
	const struct service *s = service_of(p);
	CLEANUP(mem_free_ptr)
	const char **names = mem_zalloc((s->prompt_count + 1) * sizeof(*names));
	CLEANUP(mem_free_ptr) char *near = NULL;
	size_t i;

	for (i = 0; i < s->prompt_count; i++)
		names[i] = s->prompt[i].name;
	near = text_proposal(name, names, s->prompt_count);
	if (!name)
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'name' is missing");
	else
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: there is no prompt '%.*s'%s",
			     (int)text_cut(name, strlen(name), SERVICE_QUOTED),
			     name, near);
}

/* ---- prompts/get ---- */

struct filling {
	const struct service_prompt *prompt;
	const cJSON *given; /* NULL */
};

static const cJSON *find_argument(const struct service_prompt *prompt,
				  const char *name)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, prompt->arguments) {
		if (!strcmp(json_string(one, "name"), name))
			return one;
	}
	return NULL;
}

static int fill(void *owner, const char *name, struct buf *out)
{
	const struct filling *f = owner;
	const cJSON *argument = find_argument(f->prompt, name);
	const char *given = json_string(f->given, name);

	if (!argument)
		return -1;
	if (!given)
		given = json_string(argument, "default");
	if (out && given)
		buf_text(out, given);
	return 0;
}

/* True: refused, and said so. */
static bool refuse_arguments(struct service_part *p, const struct filling *f)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, f->given) {
		if (find_argument(f->prompt, one->string) &&
		    cJSON_IsString(one))
			continue;
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: argument '%.*s' %s",
			     (int)text_cut(one->string, strlen(one->string),
					   SERVICE_QUOTED),
			     one->string,
			     cJSON_IsString(one) ? "is none of the prompt's" :
						   "must be a string");
		return true;
	}
	cJSON_ArrayForEach(one, f->prompt->arguments) {
		const char *name = json_string(one, "name");

		if (!json_true(one, "required") || json_string(f->given, name))
			continue;
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: argument '%s' is required", name);
		return true;
	}
	return false;
}

static void reply_prompt(struct service_part *p, struct filling *f)
{
	const struct template_source source = { .get = fill, .owner = f };
	const char *description = json_string(f->prompt->json, "description");
	struct buf text, out;

	buf_init(&text, 0);
	buf_init(&out, 0);
	template_expand(f->prompt->text, &source, &text, NULL);
	buf_text(&out, "{\"messages\":[{\"role\":\"user\",\"content\":"
		       "{\"type\":\"text\",\"text\":");
	buf_json_string(&out, buf_string(&text), text.len);
	buf_text(&out, "}}]");
	json_add_text(&out, "description", description);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
	buf_done(&text);
	buf_done(&out);
}

void service_prompts_get(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	const cJSON *given = json_member(p->params, "arguments");
	struct filling f = { service_prompt(service_of(p), name), given };

	if (!f.prompt)
		service_no_prompt(p, name);
	else if (given && !cJSON_IsObject(given))
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'arguments' must be an object");
	else if (!refuse_arguments(p, &f))
		reply_prompt(p, &f);
}

/* ---- completion/complete ---- */

static void add_value(struct buf *out, const cJSON *value)
{
	if (out->data[out->len - 1] != '[')
		buf_char(out, ',');
	json_print(out, value);
}

static void reply_values(struct service_part *p, const cJSON *values,
			 const char *prefix)
{
	const cJSON *one;
	size_t count = 0;
	struct buf out;

	buf_init(&out, 0);
	buf_text(&out, "{\"completion\":{\"values\":[");
	cJSON_ArrayForEach(one, values) {
		if (strncasecmp(one->valuestring, prefix, strlen(prefix)) != 0)
			continue;
		add_value(&out, one);
		count++;
	}
	buf_printf(&out, "],\"total\":%zu,\"hasMore\":false}}", count);
	service_result(p, buf_string(&out));
	buf_done(&out);
}

void service_complete(struct service_part *p)
{
	const cJSON *ref = json_object(p->params, "ref");
	const cJSON *asked = json_object(p->params, "argument");
	const char *type = json_string(ref, "type");
	const char *name = json_string(ref, "name");
	const char *argument = json_string(asked, "name");
	const char *prefix = json_string(asked, "value");
	const struct service_prompt *prompt =
		service_prompt(service_of(p), name);

	if (!type || strcmp(type, "ref/prompt") != 0 || !argument || !prefix)
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'ref' of type ref/prompt and "
			     "'argument' with 'name' and 'value' are needed");
	else if (!prompt)
		service_no_prompt(p, name);
	else
		reply_values(
			p,
			json_array(find_argument(prompt, argument), "values"),
			prefix);
}
