/* SPDX-License-Identifier: MIT */
/* A service's profile, checked, so that only what is outside can fail later. */
#include <string.h>

#include "base/mem.h"
#include "sim/order.h"
#include "sim/profile.h"
#include "sim/service_load.h"

static const char *const top_members[] = {
	"kind",		"brief",  "extends", "name",	"title",     "version",
	"instructions", "ollama", "tools",   "prompts", "resources", NULL,
};
static const char *const prompt_members[] = {
	"name", "title", "description", "arguments", "text", NULL,
};
static const char *const argument_members[] = {
	"name", "title", "description", "required", "default", "values", NULL,
};
static const char *const resource_members[] = {
	"uri", "name", "title", "description", "mimeType", "text", NULL,
};

int service_check_texts(struct reader *r, const cJSON *json)
{
	static const char *const names[] = { "name",	    "title",
					     "description", "version",
					     "brief",	    "mimeType",
					     "instructions" };
	const char *ignored;
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		if (reader_text(r, json, names[i], &ignored))
			return -1;
	}
	return 0;
}

/* ---- prompts ---- */

static int check_argument(struct reader *r, const cJSON *argument)
{
	const cJSON *values = NULL, *one;
	const char *text;
	bool flag;

	if (reader_members(r, argument, "an argument", argument_members) ||
	    service_check_texts(r, argument) ||
	    reader_flag(r, argument, "required", &flag) ||
	    reader_text(r, argument, "default", &text) ||
	    reader_array(r, argument, "values", &values))
		return -1;
	if (!json_string(argument, "name"))
		return reader_fail(r, "an argument needs a 'name'");
	cJSON_ArrayForEach(one, values) {
		if (!cJSON_IsString(one))
			return reader_fail(r, "'values' are strings");
	}
	return 0;
}

static int check_arguments(struct reader *r, const cJSON *arguments)
{
	const cJSON *one;
	size_t mark = reader_enter(r, "arguments"), index = 0;
	int bad = 0;

	cJSON_ArrayForEach(one, arguments) {
		size_t inner = reader_enter_index(r, index++);

		bad = check_argument(r, one);
		reader_leave(r, inner);
		if (bad)
			break;
	}
	reader_leave(r, mark);
	return bad;
}

static int known_name(void *owner, const char *name, struct buf *out)
{
	const struct service_prompt *p = owner;
	const cJSON *one;

	(void)out;
	cJSON_ArrayForEach(one, p->arguments) {
		if (!strcmp(json_string(one, "name"), name))
			return 0;
	}
	return -1;
}

/* The text of a prompt or a resource; NULL: r->err. Yours. */
static char *read_lines(struct reader *r, const cJSON *json)
{
	const cJSON *text = json_member(json, "text");
	char *all = order_is_lines(text) ? order_lines(text) : NULL;

	if (!all)
		reader_fail(r, "'text' is needed: a string, or a list of "
			       "lines");
	return all;
}

static int check_prompt_text(struct reader *r, const struct service_prompt *p)
{
	struct service_prompt named = *p;
	const struct template_source source = { known_name, &named };
	struct error err = { 0 };

	if (!template_check(p->text, &source, &err))
		return 0;
	reader_fail(r, "%s; the names are the prompt's arguments", err.text);
	error_reset(&err);
	return -1;
}

static int read_prompt(struct service *s, struct reader *r, cJSON *json)
{
	struct service_prompt p = { .json = json };

	if (reader_members(r, json, "a prompt", prompt_members) ||
	    service_check_texts(r, json) ||
	    reader_array(r, json, "arguments", &p.arguments) ||
	    check_arguments(r, p.arguments))
		return -1;
	p.name = json_string(json, "name");
	if (!p.name || !*p.name)
		return reader_fail(r, "a prompt needs a 'name'");
	if (service_prompt(s, p.name))
		return reader_fail(r, "there are two of that name");
	p.text = read_lines(r, json);
	if (!p.text)
		return -1;
	p.uri = mem_printf("prompt://%s", p.name);
	s->prompt[s->prompt_count++] = p;
	return check_prompt_text(r, &p);
}

/* ---- resources ---- */

static int read_resource(struct service *s, struct reader *r, cJSON *json)
{
	struct service_resource one = { .json = json };

	if (reader_members(r, json, "a resource", resource_members) ||
	    service_check_texts(r, json) ||
	    reader_text(r, json, "uri", &one.uri))
		return -1;
	one.name = json_string(json, "name");
	if (!one.uri || !strchr(one.uri, ':'))
		return reader_fail(r, "a resource needs a 'uri', as in "
				      "file:///notes.txt");
	if (!one.name)
		one.name = one.uri;
	one.text = read_lines(r, json);
	if (!one.text)
		return -1;
	s->resource[s->resource_count++] = one;
	return 0;
}

/* ---- the whole ---- */

/* Each element of a list, its place by its name if it has one. */
static int each(struct service *s, struct reader *r, const char *name,
		int (*read)(struct service *s, struct reader *r, cJSON *json))
{
	const cJSON *list = NULL;
	cJSON *one;
	size_t mark, index = 0;
	int bad = 0;

	if (reader_array(r, s->tree, name, &list))
		return -1;
	mark = reader_enter(r, name);
	cJSON_ArrayForEach(one, list) {
		const char *own = json_string(one, "name");
		size_t inner = own ? reader_enter(r, own) :
				     reader_enter_index(r, index);

		bad = read(s, r, one);
		reader_leave(r, inner);
		index++;
		if (bad)
			break;
	}
	reader_leave(r, mark);
	return bad;
}

static size_t size_of(const struct service *s, const char *list)
{
	return (size_t)cJSON_GetArraySize(json_array(s->tree, list)) + 1;
}

static int read_tree(struct service *s, const char *file, struct error *err)
{
	struct reader r = { .file = file, .err = err };

	s->tool = mem_zalloc(size_of(s, "tools") * sizeof(*s->tool));
	s->prompt = mem_zalloc(size_of(s, "prompts") * sizeof(*s->prompt));
	s->resource =
		mem_zalloc(size_of(s, "resources") * sizeof(*s->resource));
	if (reader_members(&r, s->tree, "a service", top_members) ||
	    service_check_texts(&r, s->tree) ||
	    order_check_defaults(&r, s->tree))
		return -1;
	s->ollama = json_object(s->tree, "ollama");
	s->name = json_string(s->tree, "name");
	if (!s->name || !*s->name)
		return reader_fail(&r, "a service needs a 'name'");
	if (each(s, &r, "prompts", read_prompt) ||
	    each(s, &r, "resources", read_resource))
		return -1;
	return each(s, &r, "tools", service_read_tool);
}

static int read_chain(struct service *s, struct profile_chain *c,
		      struct error *err)
{
	size_t i;

	if (profile_chain_kind(c, "service", err))
		return -1;
	s->tree = TAKE(c->part[c->count - 1].tree);
	for (i = c->count - 1; i-- > 0;)
		service_merge(s->tree, c->part[i].tree);
	return read_tree(s, c->part[0].file, err);
}

int service_read(struct service *s, const char *name_or_path, struct error *err)
{
	CLEANUP(profile_chain_done) struct profile_chain c = { .count = 0 };

	if (profile_chain_read(&c, name_or_path, err))
		return -1;
	return read_chain(s, &c, err);
}

int service_parse(struct service *s, const char *text, size_t len,
		  const char *file, struct error *err)
{
	CLEANUP(profile_chain_done) struct profile_chain c = { .count = 0 };

	if (profile_chain_parse(&c, text, len, file, err))
		return -1;
	return read_chain(s, &c, err);
}

bool service_profile_is(const char *name_or_path)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = name_or_path ? profile_alone(name_or_path) : NULL;
	const char *kind;

	kind = json_string(tree, "kind");
	return kind && !strcmp(kind, "service");
}
