/* SPDX-License-Identifier: MIT */
/*
 * Resources: the profile's own, and its prompts, which are read as the
 * templates that they are, unfilled.
 */
#include <string.h>

#include "base/text.h"
#include "sim/service_private.h"

static void add_resource(const struct service_part *p, struct buf *out,
			 const char *name, const char *uri, const cJSON *json)
{
	const char *mime = json_string(json, "mimeType");

	service_add_head(p, out, name, json);
	json_add_text(out, "uri", uri);
	json_add_text(out, "mimeType", mime ? mime : "text/plain");
	buf_char(out, '}');
}

void service_resources_list(struct service_part *p)
{
	const struct service *s = service_of(p);
	struct buf out;
	size_t i;

	buf_init(&out, 0);
	buf_text(&out, "{\"resources\":[");
	for (i = 0; i < s->prompt_count; i++) {
		if (i)
			buf_char(&out, ',');
		add_resource(p, &out, s->prompt[i].name, s->prompt[i].uri,
			     s->prompt[i].json);
	}
	for (i = 0; i < s->resource_count; i++) {
		if (i || s->prompt_count)
			buf_char(&out, ',');
		add_resource(p, &out, s->resource[i].name, s->resource[i].uri,
			     s->resource[i].json);
	}
	buf_text(&out, "]}");
	service_result(p, buf_string(&out));
	buf_done(&out);
}

/* A resource of either kind. */
struct found {
	const char *name, *uri, *text; /* NULL: there is none */
	const cJSON *json;
	const cJSON *arguments; /* of a prompt; NULL */
};

static bool is_it(const char *asked, bool by_uri, const char *uri,
		  const char *name)
{
	return !strcmp(asked, by_uri ? uri : name);
}

static struct found find(const struct service *s, const char *asked,
			 bool by_uri)
{
	size_t i;

	for (i = 0; i < s->prompt_count; i++) {
		const struct service_prompt *one = s->prompt + i;

		if (is_it(asked, by_uri, one->uri, one->name))
			return (struct found){ one->name, one->uri, one->text,
					       one->json, one->arguments };
	}
	for (i = 0; i < s->resource_count; i++) {
		const struct service_resource *one = s->resource + i;

		if (is_it(asked, by_uri, one->uri, one->name))
			return (struct found){ one->name, one->uri, one->text,
					       one->json, NULL };
	}
	return (struct found){ .name = NULL };
}

static void add_contents(struct buf *out, const struct found *f)
{
	const char *mime = json_string(f->json, "mimeType");

	buf_text(out, "\"contents\":[{\"uri\":");
	buf_json_string(out, f->uri, strlen(f->uri));
	json_add_text(out, "mimeType", mime ? mime : "text/plain");
	json_add_text(out, "text", f->text);
	buf_text(out, "}]");
}

static void no_resource(struct service_part *p, const char *uri)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	buf_text(&data, "{\"uri\":");
	buf_json_string(&data, uri, strlen(uri));
	buf_char(&data, '}');
	service_fail(p, MCP_RESOURCE_NOT_FOUND, buf_string(&data),
		     "Resource not found: '%.*s'",
		     (int)text_cut(uri, strlen(uri), SERVICE_QUOTED), uri);
}

void service_resources_read(struct service_part *p)
{
	const char *uri = json_string(p->params, "uri");
	struct found f;
	struct buf out;

	if (!uri) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'uri' is missing");
		return;
	}
	f = find(service_of(p), uri, true);
	if (!f.name) {
		no_resource(p, uri);
		return;
	}
	buf_init(&out, 0);
	buf_char(&out, '{');
	add_contents(&out, &f);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
	buf_done(&out);
}

/*
 * The older client's way (the seed of the LLM service names the method, not
 * its result): the template by its name, and the same contents as of
 * resources/read.
 */
void service_resources_get(struct service_part *p)
{
	const char *name = json_string(p->params, "name");
	struct found f = { .name = NULL };
	struct buf out;

	if (name)
		f = find(service_of(p), name, false);
	if (!f.name) {
		service_no_prompt(p, name);
		return;
	}
	buf_init(&out, 0);
	service_add_head(p, &out, f.name, f.json);
	json_add_text(&out, "uri", f.uri);
	json_add_text(&out, "text", f.text);
	if (f.arguments)
		service_add_arguments(p, &out, f.arguments);
	buf_char(&out, ',');
	add_contents(&out, &f);
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
	buf_done(&out);
}
