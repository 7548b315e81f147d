/* SPDX-License-Identifier: MIT */
/*
 * What a service has by a name or a URI: tools, prompts, resources, templates
 * of URIs; and what is answered where there is none.
 */
#include "sim/service_find.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sim/service_reply.h"
#include "sim/service_ways.h"

const struct service_tool *service_tool(const struct service *s,
					const char *name)
{
	for (size_t i = 0; name && i < s->tool_count; i++) {
		if (strcmp(s->tool[i].name, name) == 0)
			return s->tool + i;
	}
	return NULL;
}

const struct service_prompt *service_prompt(const struct service *s,
					    const char *name)
{
	for (size_t i = 0; name && i < s->prompt_count; i++) {
		if (strcmp(s->prompt[i].name, name) == 0)
			return s->prompt + i;
	}
	return NULL;
}

/* ---- templates of URIs ---- */

/* How far a value goes that stands for a place before `next`. */
static size_t value_length(const char *uri, char next)
{
	const char stop[] = { '/', next, '\0' };

	return strcspn(uri, stop);
}

static bool take_place(const char **pattern, const char **uri, cJSON *values)
{
	const char *end = strchr(*pattern, '}');
	CLEANUP(mem_free_ptr) char *name = NULL;
	CLEANUP(mem_free_ptr) char *value = NULL;
	size_t len;

	if (!end)
		return false;
	len = value_length(*uri, end[1]);
	name = mem_strndup(*pattern + 1, (size_t)(end - *pattern - 1));
	value = mem_strndup(*uri, len);
	if (!len || text_percent_decode(value))
		return false;
	if (values && !json_member(values, name))
		cJSON_AddStringToObject(values, name, value);
	*pattern = end + 1;
	*uri += len;
	return true;
}

bool service_uri_fits(const char *pattern, const char *uri, cJSON *values)
{
	while (*pattern) {
		if (*pattern == '{') {
			if (!take_place(&pattern, &uri, values))
				return false;
		} else if (*pattern++ != *uri++) {
			return false;
		}
	}
	return !*uri;
}

/* ---- resources ---- */

static bool is_it(const char *asked, bool by_uri, const char *uri,
		  const char *name)
{
	return strcmp(asked, by_uri ? uri : name) == 0;
}

struct service_found service_find(const struct service *s, const char *asked,
				  bool by_uri)
{
	for (size_t i = 0; i < s->prompt_count; i++) {
		const struct service_prompt *one = s->prompt + i;

		if (!one->hidden && one->text &&
		    is_it(asked, by_uri, one->uri, one->name))
			return (struct service_found){
				one->name, one->uri,	   one->text,
				one->json, one->arguments, NULL
			};
	}
	for (size_t i = 0; i < s->resource_count; i++) {
		const struct service_resource *one = s->resource + i;

		if (!one->hidden && is_it(asked, by_uri, one->uri, one->name))
			return (struct service_found){ one->name, one->uri,
						       one->text, one->json,
						       NULL,	  one };
	}
	return (struct service_found){ .name = NULL };
}

const struct service_resource *service_find_template(const struct service *s,
						     const char *uri)
{
	for (size_t i = 0; i < s->template_count; i++) {
		if (service_uri_fits(s->template[i].uri, uri, NULL))
			return s->template + i;
	}
	return NULL;
}

bool service_reads(const struct service *s, const char *uri)
{
	return service_find(s, uri, true).name || service_find_template(s, uri);
}

/* ---- there is none ---- */

/* what: "tool"; one whose name is like it is proposed. */
static void no_such(struct service_part *p, const char *what, const char *name,
		    const char *const *names, size_t count)
{
	CLEANUP(mem_free_ptr) char *near = text_proposal(name, names, count);

	if (service_ways_missing(p, *what == 't' ? "Tool" : "Prompt"))
		return;
	if (!name)
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'name' is missing");
	else
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: there is no %s '%.*s'%s", what,
			     text_shown(name, SERVICE_QUOTED), name, near);
}

void service_no_tool(struct service_part *p, const char *name)
{
	const struct service *s = service_of(p);
	CLEANUP(mem_free_ptr)
	const char **names = mem_zalloc((s->tool_count + 1) * sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < s->tool_count; i++) {
		if (!s->tool[i].hidden)
			names[count++] = s->tool[i].name;
	}
	no_such(p, "tool", name, names, count);
}

void service_no_prompt(struct service_part *p, const char *name)
{
	const struct service *s = service_of(p);
	CLEANUP(mem_free_ptr)
	const char **names = mem_zalloc((s->prompt_count + 1) * sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < s->prompt_count; i++) {
		if (!s->prompt[i].hidden)
			names[count++] = s->prompt[i].name;
	}
	no_such(p, "prompt", name, names, count);
}

void service_no_resource(struct service_part *p, const char *uri)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	if (service_ways_missing(p, "Resource"))
		return;
	json_add_object(&data, "uri", uri);
	service_fail(
		p, p->modern ? JSONRPC_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND,
		buf_string(&data), "Resource not found: '%.*s'",
		text_shown(uri, SERVICE_QUOTED), uri);
}
