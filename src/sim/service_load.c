/* SPDX-License-Identifier: MIT */
/* A pretend service from its files. */
#include <string.h>

#include "base/mem.h"
#include "sim/normalise.h"
#include "sim/order.h"
#include "sim/profile.h"
#include "sim/profile_reader.h"
#include "sim/service_private.h"

static int service_check_texts(struct reader *r, const cJSON *json);

/* The tools of a service's profile, checked with their results. */

static const char *const tool_members[] = {
	"name",		"title",       "description", "inputSchema",
	"outputSchema", "annotations", "result",      NULL,
};
static const char *const result_members[] = {
	"text",	  "template",	"json",	     "content",	 "error", "exec",
	"ollama", "timeout_ms", "normalise", "delay_ms", NULL,
};
static const char *const answers[] = { "text",	"template", "json",  "content",
				       "error", "exec",	    "ollama" };

static int known_argument(void *owner, const char *name, struct buf *out)
{
	const struct service_tool *t = owner;

	(void)out;
	return json_member(json_object(t->input, "properties"), name) ? 0 : -1;
}

static int check_template(struct reader *r, struct service_tool *t,
			  const char *name, const char *text)
{
	const struct template_source source = { known_argument, t };
	struct error err = { 0 };
	size_t mark = reader_enter(r, name);
	int bad = 0;

	if (text && template_check(text, &source, &err))
		bad = reader_fail(r, "%s; the names are the tool's arguments",
				  err.text);
	error_reset(&err);
	reader_leave(r, mark);
	return bad;
}

/* A prompt that a tool asks a model with is filled in by the tool's arguments. */
static int check_prompt(const struct service *s, struct reader *r,
			struct service_tool *t)
{
	const char *name =
		json_string(json_object(t->result, "ollama"), "prompt");
	const struct service_prompt *prompt = service_prompt(s, name);

	if (prompt)
		return check_template(r, t, "prompt", prompt->text);
	return name ? reader_fail(r, "there is no prompt '%.60s'", name) : 0;
}

static int check_one_answer(struct reader *r, const cJSON *result)
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT(answers); i++)
		count += json_member(result, answers[i]) != NULL;
	if (count != 1)
		return reader_fail(
			r,
			"one of text, template, json, content, error, exec and ollama is needed");
	if (json_member(result, "normalise") && !order_is(result))
		return reader_fail(r, "'normalise' needs 'exec' or 'ollama'");
	if (json_member(result, "delay_ms") && order_is(result))
		return reader_fail(
			r,
			"'exec' and 'ollama' take their own time: no 'delay_ms' goes with them");
	return 0;
}

static int check_order(const struct service *s, struct reader *r,
		       struct service_tool *t)
{
	const struct template_source source = { known_argument, t };
	const struct order_check check = {
		.known = &source,
		.words = "the tool's arguments",
		.prompt = true,
	};
	const cJSON *rules = json_member(t->result, "normalise");

	if (order_check(&check, r, t->result) || check_prompt(s, r, t))
		return -1;
	return rules ? normalise_check(r, rules,
				       json_object(t->input, "properties")) :
		       0;
}

static int check_result(const struct service *s, struct reader *r,
			struct service_tool *t)
{
	const cJSON *content = NULL;
	const char *text = NULL, *template = NULL, *error = NULL;
	int64_t ms;

	if (cJSON_IsString(t->result) || cJSON_IsNumber(t->result) ||
	    cJSON_IsBool(t->result))
		return 0;
	if (reader_members(r, t->result, "a result", result_members) ||
	    check_one_answer(r, t->result) ||
	    reader_text(r, t->result, "text", &text) ||
	    reader_text(r, t->result, "template", &template) ||
	    reader_text(r, t->result, "error", &error) ||
	    reader_array(r, t->result, "content", &content) ||
	    reader_number(r, t->result, "delay_ms", 0, INT32_MAX, &ms) ||
	    check_template(r, t, "template", template) ||
	    check_template(r, t, "error", error))
		return -1;
	return check_order(s, r, t);
}

static const cJSON *input_of(cJSON *tool)
{
	cJSON *input = json_object(tool, "inputSchema");

	if (input)
		return input;
	input = cJSON_AddObjectToObject(tool, "inputSchema");
	cJSON_AddStringToObject(input, "type", "object");
	return input;
}

/* Add a tool; prompts are there already. -1: r->err. */
static int service_read_tool(struct service *s, struct reader *r, cJSON *json)
{
	struct service_tool t = { .json = json };
	const cJSON *ignored = NULL;
	size_t mark;
	int bad;

	if (reader_members(r, json, "a tool", tool_members) ||
	    service_check_texts(r, json) ||
	    reader_object(r, json, "inputSchema", &ignored) ||
	    reader_object(r, json, "outputSchema", &t.output) ||
	    reader_object(r, json, "annotations", &ignored))
		return -1;
	t.name = json_string(json, "name");
	t.result = json_member(json, "result");
	t.input = input_of(json);
	if (!t.name || !*t.name || !t.result)
		return reader_fail(r, "a tool needs a 'name' and a 'result'");
	if (service_tool(s, t.name))
		return reader_fail(r, "there are two of that name");
	mark = reader_enter(r, "result");
	bad = check_result(s, r, &t);
	reader_leave(r, mark);
	s->tool[s->tool_count++] = t;
	return bad;
}

/* A service's file put over what it extends: as JSON, before it is checked. */

/* Lists whose elements have a name, and what names them. */
static const struct {
	const char *list, *key;
} lists_named[] = {
	{ "tools", "name" },
	{ "prompts", "name" },
	{ "resources", "uri" },
};

static void put(cJSON *object, const cJSON *member)
{
	cJSON_DeleteItemFromObjectCaseSensitive(object, member->string);
	cJSON_AddItemToObject(object, member->string,
			      cJSON_Duplicate(member, true));
}

static void put_all(cJSON *object, const cJSON *over)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, over) {
		put(object, member);
	}
}

/* The last of that name among the inherited ones; NULL. */
static cJSON *find(cJSON *list, int count, const char *key, const char *name)
{
	cJSON *one = list->child;

	for (; one && count > 0; one = one->next, count--) {
		const char *own = json_string(one, key);

		if (name && own && strcmp(own, name) == 0)
			return one;
	}
	return NULL;
}

/* Elements of a known name change that one, the others follow behind. */
static void merge_list(cJSON *list, const cJSON *over, const char *key)
{
	int inherited = cJSON_GetArraySize(list);
	const cJSON *one;

	cJSON_ArrayForEach(one, over) {
		cJSON *same = find(list, inherited, key, json_string(one, key));

		if (same)
			put_all(same, one);
		else
			cJSON_AddItemToArray(list, cJSON_Duplicate(one, true));
	}
}

static const char *key_of(const char *list)
{
	for (size_t i = 0; i < COUNT(lists_named); i++) {
		if (strcmp(lists_named[i].list, list) == 0)
			return lists_named[i].key;
	}
	return NULL;
}

/* Put a file's members over those that it extends. */
static void service_merge(cJSON *under, const cJSON *over)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, over) {
		const char *key = key_of(member->string);
		cJSON *list = json_array(under, member->string);
		cJSON *object = json_object(under, member->string);

		if (key && list && cJSON_IsArray(member))
			merge_list(list, member, key);
		else if (object && cJSON_IsObject(member))
			put_all(object, member);
		else
			put(under, member);
	}
}

/* A service's profile, checked, so that only what is outside can fail later. */

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

/* The common texts of an element; each is a string if it is there. */
static int service_check_texts(struct reader *r, const cJSON *json)
{
	static const char *const names[] = { "name",	    "title",
					     "description", "version",
					     "brief",	    "mimeType",
					     "instructions" };
	const char *ignored;

	for (size_t i = 0; i < COUNT(names); i++) {
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
		if (strcmp(json_string(one, "name"), name) == 0)
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
		reader_fail(r,
			    "'text' is needed: a string, or a list of lines");
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
		return reader_fail(
			r, "a resource needs a 'uri', as in file:///notes.txt");
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
	if (profile_chain_kind(c, "service", err))
		return -1;
	s->tree = TAKE(c->part[c->count - 1].tree);
	for (size_t i = c->count - 1; i-- > 0;)
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
	return kind && strcmp(kind, "service") == 0;
}
