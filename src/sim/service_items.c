/* SPDX-License-Identifier: MIT */
/* What a pretend service has beside tools: prompts, resources, completion. */
#include "sim/service_items.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sim/service_call.h"
#include "sim/service_find.h"
#include "sim/service_reply.h"
#include "sim/service_steps.h"
#include "sim/template.h"

/* Prompts: listed, filled in, completed. */

/* Between elements of a list that is being written. */
static void comma(struct buf *out)
{
	if (out->data[out->len - 1] != '[')
		buf_char(out, ',');
}

/* An element of a list begins: {"name":…, and what describes it. */
static void service_add_head(const struct service_part *p, struct buf *out,
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

/* ,"arguments":[…] of a prompt. */
static void service_add_arguments(const struct service_part *p, struct buf *out,
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
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"prompts\":[");
	for (size_t i = 0; i < s->prompt_count; i++) {
		if (s->prompt[i].hidden)
			continue;
		comma(&out);
		service_add_head(p, &out, s->prompt[i].name, s->prompt[i].json);
		service_add_arguments(p, &out, s->prompt[i].arguments);
		buf_char(&out, '}');
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
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
		if (strcmp(json_string(one, "name"), name) == 0)
			return one;
	}
	return NULL;
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
			     text_shown(one->string, SERVICE_QUOTED),
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

/* What its templates may name: arguments that were given, or have a default. */
static cJSON *all_arguments(const struct filling *f)
{
	cJSON *all = cJSON_CreateObject();
	const cJSON *one;

	cJSON_ArrayForEach(one, f->prompt->arguments) {
		const char *name = json_string(one, "name");
		const char *value = json_string(f->given, name);

		if (!value)
			value = json_string(one, "default");
		if (value && !json_member(all, name))
			cJSON_AddStringToObject(all, name, value);
	}
	return all;
}

/* A text of the profile, filled in, as a JSON string. */
static void add_filled(struct service_call *call, struct buf *out,
		       const char *text)
{
	const struct template_source source = { service_call_value, call };
	CLEANUP(buf_done) struct buf filled = { 0 };

	template_expand(text, &source, &filled, NULL);
	buf_json_string(out, buf_string(&filled), filled.len);
}

static bool finish_prompt(struct service_call *call)
{
	const struct service_prompt *prompt = call->prompt;
	CLEANUP(json_free_ptr)
	cJSON *messages = service_call_fill(call, prompt->messages);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"messages\":");
	if (messages) {
		json_print(&out, messages);
	} else {
		buf_text(
			&out,
			"[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
		add_filled(call, &out, prompt->text);
		buf_text(&out, "}}]");
	}
	json_add_text(&out, "description",
		      json_string(prompt->json, "description"));
	buf_char(&out, '}');
	service_result(call->part, buf_string(&out));
	return false;
}

static void get_prompt(struct service_part *p, const struct filling *f)
{
	struct service_call *call = service_call_new(
		p, f->prompt->name, f->prompt->steps, all_arguments(f), false);

	if (!call)
		return;
	call->prompt = f->prompt;
	call->finish = finish_prompt;
	service_steps_begin(call);
}

void service_prompts_get(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	const cJSON *given = json_member(p->params, "arguments");
	const struct filling f = { service_prompt(service_of(p), name), given };

	if (!f.prompt || f.prompt->hidden)
		service_no_prompt(p, name);
	else if (given && !cJSON_IsObject(given))
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'arguments' must be an object");
	else if (!refuse_arguments(p, &f))
		get_prompt(p, &f);
}

/* ---- completion/complete ---- */

#define VALUES_MAX 100 /* of one completion, as MCP has it */

static void reply_values(struct service_part *p, const cJSON *values,
			 const char *prefix)
{
	const cJSON *one;
	size_t count = 0;
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"completion\":{\"values\":[");
	cJSON_ArrayForEach(one, values) {
		if (strncasecmp(one->valuestring, prefix, strlen(prefix)) != 0)
			continue;
		if (++count > VALUES_MAX)
			continue;
		comma(&out);
		json_print(&out, one);
	}
	buf_printf(&out, "],\"total\":%zu,\"hasMore\":%s}}", count,
		   count > VALUES_MAX ? "true" : "false");
	service_result(p, buf_string(&out));
}

static void complete_prompt(struct service_part *p, const char *name,
			    const cJSON *asked)
{
	const struct service_prompt *prompt =
		service_prompt(service_of(p), name);

	if (!prompt || prompt->hidden)
		service_no_prompt(p, name);
	else
		reply_values(
			p,
			json_array(find_argument(prompt,
						 json_string(asked, "name")),
				   "values"),
			json_string(asked, "value"));
}

static void complete_template(struct service_part *p, const char *uri,
			      const cJSON *asked)
{
	const struct service *s = service_of(p);

	for (size_t i = 0; uri && i < s->template_count; i++) {
		if (strcmp(s->template[i].uri, uri) != 0)
			continue;
		reply_values(
			p,
			json_array(json_object(s->template[i].json, "values"),
				   json_string(asked, "name")),
			json_string(asked, "value"));
		return;
	}
	service_no_resource(p, uri ? uri : "");
}

void service_complete(struct service_part *p)
{
	const cJSON *ref = json_object(p->params, "ref");
	const cJSON *asked = json_object(p->params, "argument");
	const char *type = json_string(ref, "type");

	if (!type || !json_string(asked, "name") ||
	    !json_string(asked, "value"))
		type = "";
	if (strcmp(type, "ref/prompt") == 0)
		complete_prompt(p, json_string(ref, "name"), asked);
	else if (strcmp(type, "ref/resource") == 0)
		complete_template(p, json_string(ref, "uri"), asked);
	else
		service_fail(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: 'ref' of type ref/prompt or ref/resource and 'argument' with 'name' and 'value' are needed");
}

void service_templates_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"resourceTemplates\":[");
	for (size_t i = 0; i < s->template_count; i++) {
		const struct service_resource *one = s->template + i;

		comma(&out);
		service_add_head(p, &out, one->name, one->json);
		json_add_text(&out, "uriTemplate", one->uri);
		json_add_text(&out, "mimeType",
			      json_string(one->json, "mimeType"));
		buf_char(&out, '}');
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
}

/*
 * Resources: the profile's own, and its prompts, which are read as the
 * templates that they are, unfilled.
 */

static const char *mime_of(const cJSON *json)
{
	const char *mime = json_string(json, "mimeType");

	if (mime)
		return mime;
	return json_member(json, "blob") ? "application/octet-stream" :
					   "text/plain";
}

static void add_resource(const struct service_part *p, struct buf *out,
			 const char *name, const char *uri, const cJSON *json)
{
	service_add_head(p, out, name, json);
	json_add_text(out, "uri", uri);
	json_add_text(out, "mimeType", mime_of(json));
	buf_char(out, '}');
}

void service_resources_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"resources\":[");
	for (size_t i = 0; i < s->prompt_count; i++) {
		if (s->prompt[i].hidden || !s->prompt[i].text)
			continue;
		comma(&out);
		add_resource(p, &out, s->prompt[i].name, s->prompt[i].uri,
			     s->prompt[i].json);
	}
	for (size_t i = 0; i < s->resource_count; i++) {
		if (s->resource[i].hidden)
			continue;
		comma(&out);
		add_resource(p, &out, s->resource[i].name, s->resource[i].uri,
			     s->resource[i].json);
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
}

/* text: as JSON; NULL: blob, in base64. */
static void add_contents(struct buf *out, const char *uri, const cJSON *json,
			 const char *text, const char *blob)
{
	buf_text(out, "\"contents\":[{\"uri\":");
	buf_json_string(out, uri, strlen(uri));
	json_add_text(out, "mimeType", mime_of(json));
	if (text)
		buf_printf(out, ",\"text\":%s", text);
	json_add_text(out, "blob", blob);
	buf_text(out, "}]");
}

static bool finish_resource(struct service_call *call)
{
	const struct service_resource *one = call->resource;
	CLEANUP(buf_done) struct buf out = { 0 }, text = { 0 };

	if (one->text)
		add_filled(call, &text, one->text);
	buf_char(&out, '{');
	add_contents(&out, call->uri, one->json,
		     one->text ? buf_string(&text) : NULL, one->blob);
	buf_char(&out, '}');
	service_result(call->part, buf_string(&out));
	return false;
}

/* A resource whose text is filled in, or that does something before. */
static void read_filled(struct service_part *p,
			const struct service_resource *one, const char *uri)
{
	cJSON *values = cJSON_CreateObject();
	struct service_call *call;

	service_uri_fits(one->uri, uri, values);
	call = service_call_new(p, one->name, one->steps, values, false);
	if (!call)
		return;
	call->resource = one;
	call->uri = mem_strdup(uri);
	call->finish = finish_resource;
	service_steps_begin(call);
}

static void read_fixed(struct service_part *p, const struct service_found *f)
{
	CLEANUP(buf_done) struct buf out = { 0 }, text = { 0 };

	if (f->text)
		buf_json_string(&text, f->text, strlen(f->text));
	buf_char(&out, '{');
	add_contents(&out, f->uri, f->json, f->text ? buf_string(&text) : NULL,
		     f->resource ? f->resource->blob : NULL);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}

void service_resources_read(struct service_part *p)
{
	const char *uri = json_string(p->params, "uri");
	const struct service_resource *filled;
	struct service_found f;

	if (!uri) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'uri' is missing");
		return;
	}
	f = service_find(service_of(p), uri, true);
	filled =
		f.name ? f.resource : service_find_template(service_of(p), uri);
	if (filled && (!f.name || filled->steps))
		read_filled(p, filled, uri);
	else if (f.name)
		read_fixed(p, &f);
	else
		service_no_resource(p, uri);
}

/*
 * The way of the older client of the LLM service: the template by its name, and
 * the same contents as of resources/read.
 */
void service_resources_get(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	struct service_found f = { .name = NULL };
	CLEANUP(buf_done) struct buf out = { 0 }, text = { 0 };

	if (name)
		f = service_find(service_of(p), name, false);
	if (!f.name || !f.text) {
		service_no_prompt(p, name);
		return;
	}
	service_add_head(p, &out, f.name, f.json);
	json_add_text(&out, "uri", f.uri);
	json_add_text(&out, "text", f.text);
	if (f.arguments)
		service_add_arguments(p, &out, f.arguments);
	buf_char(&out, ',');
	buf_json_string(&text, f.text, strlen(f.text));
	add_contents(&out, f.uri, f.json, buf_string(&text), NULL);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}
