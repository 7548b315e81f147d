/* SPDX-License-Identifier: MIT */
/*
 * A pretend MCP server that is no device: what its profile says, checked.
 */
#include "sim/service_profile.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/rules.h"
#include "sim/normalise.h"
#include "sim/order.h"
#include "sim/profile.h"
#include "sim/profile_reader.h"
#include "sim/service_find.h"
#include "sim/service_steps.h"
#include "sim/service_ways.h"

static int service_check_texts(struct reader *r, const cJSON *json);

/* The tools of a service's profile, checked with their results. */

static const char *const tool_members[] = {
	"name",		"title",       "description", "inputSchema",
	"outputSchema", "annotations", "result",      "steps",
	"hidden",	"task",	       NULL,
};
static const char *const result_members[] = {
	"text",	  "template",	"json",	     "content",	 "error", "exec",
	"ollama", "timeout_ms", "normalise", "delay_ms", "times", NULL,
};
static const char *const answers[] = { "text",	"template", "json",  "content",
				       "error", "exec",	    "ollama" };

#define ANSWER "answer."
#define RESULT_TIMES_MAX 100000

/* answer.KEY, answer.KEY.content.name: of what some step asks. */
static bool knows_answer(const cJSON *steps, const char *name)
{
	CLEANUP(mem_free_ptr) char *key = NULL;

	if (!text_starts(name, ANSWER))
		return false;
	name += strlen(ANSWER);
	key = mem_strndup(name, strcspn(name, "."));
	return service_steps_ask(steps, key);
}

static int known_argument(void *owner, const char *name, struct buf *out)
{
	const struct service_tool *t = owner;

	(void)out;
	if (knows_answer(t->steps, name))
		return 0;
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

	if (prompt && !prompt->text)
		return reader_fail(r, "prompt '%.60s' has no 'text'", name);
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
	if (json_member(result, "times") && !json_member(result, "text"))
		return reader_fail(r, "'times' needs 'text'");
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
	int64_t ms, times;

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
	    reader_number(r, t->result, "times", 1, RESULT_TIMES_MAX, &times) ||
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

#define TASK_POLL_MS 1000
#define TASK_TTL_MAX 86400000

/* "task": {"support": "optional", "poll_ms": 1000, "ttl_ms": 60000} */
static int read_task(struct service *s, struct reader *r,
		     struct service_tool *t)
{
	static const char *const members[] = { "support", "poll_ms", "ttl_ms",
					       NULL };
	const cJSON *task = NULL;

	if (reader_object(r, t->json, "task", &task))
		return -1;
	if (!task)
		return 0;
	t->task = "optional";
	t->poll_ms = TASK_POLL_MS;
	if (reader_members(r, task, "'task'", members) ||
	    reader_text(r, task, "support", &t->task) ||
	    reader_number(r, task, "poll_ms", 0, INT32_MAX, &t->poll_ms) ||
	    reader_number(r, task, "ttl_ms", 0, TASK_TTL_MAX, &t->ttl_ms))
		return -1;
	s->has_tasks = true;
	if (strcmp(t->task, "optional") == 0 ||
	    strcmp(t->task, "required") == 0)
		return 0;
	return reader_fail(r, "'support' of a task is optional or required");
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
	if (reader_array(r, json, "steps", &t.steps) ||
	    reader_flag(r, json, "hidden", &t.hidden) || read_task(s, r, &t))
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
	{ "templates", "uriTemplate" },
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
	"kind",	     "brief",	     "extends", "name",	 "title",
	"version",   "instructions", "ollama",	"tools", "prompts",
	"resources", "templates",    "era",	"cache", "ways",
	"dials",     NULL,
};
static const char *const prompt_members[] = {
	"name",	    "title", "description", "arguments", "text",
	"messages", "steps", "hidden",	    NULL,
};
static const char *const argument_members[] = {
	"name", "title", "description", "required", "default", "values", NULL,
};
static const char *const resource_members[] = {
	"uri",	"name", "title", "description", "mimeType",
	"text", "blob", "steps", "hidden",	NULL,
};
static const char *const template_members[] = {
	"uriTemplate", "name", "title",	 "description", "mimeType",
	"text",	       "blob", "values", "steps",	NULL,
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
	if (knows_answer(p->steps, name))
		return 0;
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

#define PROMPT_WORDS "the prompt's arguments"

static int check_message(struct reader *r, const cJSON *message)
{
	static const char *const members[] = { "role", "content", NULL };

	if (reader_members(r, message, "a message", members))
		return -1;
	if (!json_string(message, "role") || !json_object(message, "content"))
		return reader_fail(
			r,
			"a message needs 'role', a string, and 'content', an object");
	return 0;
}

static int check_messages(struct reader *r, const struct service_prompt *p)
{
	struct service_prompt named = *p;
	const struct template_source source = { known_name, &named };
	size_t mark = reader_enter(r, "messages"), index = 0;
	const cJSON *one;
	int bad = 0;

	cJSON_ArrayForEach(one, p->messages) {
		size_t inner = reader_enter_index(r, index++);

		bad = check_message(r, one) ||
		      reader_filled(r, one, &source, PROMPT_WORDS);
		reader_leave(r, inner);
		if (bad)
			break;
	}
	reader_leave(r, mark);
	return bad ? -1 : 0;
}

static int check_prompt_text(struct reader *r, const struct service_prompt *p)
{
	struct service_prompt named = *p;
	const struct template_source source = { known_name, &named };

	return reader_template(r, p->text, &source, PROMPT_WORDS);
}

/* text or messages, one of the two. */
static int read_said(struct reader *r, struct service_prompt *p)
{
	if (p->messages && json_member(p->json, "text"))
		return reader_fail(r,
				   "'text' and 'messages' do not go together");
	if (p->messages)
		return check_messages(r, p);
	p->text = read_lines(r, p->json);
	return p->text ? 0 : -1;
}

static int read_prompt(struct service *s, struct reader *r, cJSON *json)
{
	struct service_prompt p = { .json = json };
	int bad;

	if (reader_members(r, json, "a prompt", prompt_members) ||
	    service_check_texts(r, json) ||
	    reader_array(r, json, "arguments", &p.arguments) ||
	    reader_array(r, json, "messages", &p.messages) ||
	    reader_array(r, json, "steps", &p.steps) ||
	    reader_flag(r, json, "hidden", &p.hidden) ||
	    check_arguments(r, p.arguments))
		return -1;
	p.name = json_string(json, "name");
	if (!p.name || !*p.name)
		return reader_fail(r, "a prompt needs a 'name'");
	if (service_prompt(s, p.name))
		return reader_fail(r, "there are two of that name");
	bad = read_said(r, &p);
	p.uri = mem_printf("prompt://%s", p.name);
	s->prompt[s->prompt_count++] = p;
	return bad ? -1 : check_prompt_text(r, &p);
}

/* ---- resources ---- */

/* text or blob, one of the two. */
static int read_contents(struct reader *r, struct service_resource *one)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };

	if (reader_text(r, one->json, "blob", &one->blob))
		return -1;
	if (!one->blob) {
		one->text = read_lines(r, one->json);
		return one->text ? 0 : -1;
	}
	if (json_member(one->json, "text"))
		return reader_fail(r, "'text' and 'blob' do not go together");
	if (text_base64_decode(one->blob, strlen(one->blob), &bytes))
		return reader_fail(r, "'blob' is no base64");
	return 0;
}

/* As of a tool: places of its URI, answers. */
static int known_place(void *owner, const char *name, struct buf *out)
{
	const struct service_resource *one = owner;
	CLEANUP(mem_free_ptr) char *place = mem_printf("{%s}", name);

	(void)out;
	return knows_answer(one->steps, name) || strstr(one->uri, place) ? 0 :
									   -1;
}

static int check_filled_text(struct reader *r, const struct service_resource *o)
{
	struct service_resource named = *o;
	const struct template_source source = { known_place, &named };

	return reader_template(r, o->text, &source, "the places of its URI");
}

static int read_either(struct reader *r, struct service_resource *one)
{
	if (service_check_texts(r, one->json) ||
	    reader_array(r, one->json, "steps", &one->steps) ||
	    reader_flag(r, one->json, "hidden", &one->hidden))
		return -1;
	one->name = json_string(one->json, "name");
	if (!one->name)
		one->name = one->uri;
	return read_contents(r, one);
}

static int read_resource(struct service *s, struct reader *r, cJSON *json)
{
	struct service_resource one = { .json = json };
	int bad;

	if (reader_members(r, json, "a resource", resource_members) ||
	    reader_text(r, json, "uri", &one.uri))
		return -1;
	if (!one.uri || !strchr(one.uri, ':'))
		return reader_fail(
			r, "a resource needs a 'uri', as in file:///notes.txt");
	bad = read_either(r, &one);
	s->resource[s->resource_count++] = one;
	return !bad && one.steps ? check_filled_text(r, &one) : bad;
}

/* Places are {NAME}, one after another only with something between. */
static bool is_pattern(const char *uri)
{
	bool any = false;

	for (const char *at = uri; *at; at++) {
		size_t len;

		if (*at == '}')
			return false;
		if (*at != '{')
			continue;
		len = strcspn(at + 1, "{}+#./;?&*:,");
		if (!len || at[1 + len] != '}' || at[2 + len] == '{')
			return false;
		at += 1 + len;
		any = true;
	}
	return any && strchr(uri, ':');
}

static int check_values(struct reader *r, const cJSON *json)
{
	const cJSON *values = NULL, *list, *one;

	if (reader_object(r, json, "values", &values))
		return -1;
	cJSON_ArrayForEach(list, values) {
		if (!cJSON_IsArray(list))
			return reader_fail(r, "'values' are lists, by place");
		cJSON_ArrayForEach(one, list) {
			if (!cJSON_IsString(one))
				return reader_fail(r, "'values' are strings");
		}
	}
	return 0;
}

static int read_template(struct service *s, struct reader *r, cJSON *json)
{
	struct service_resource one = { .json = json };
	int bad;

	if (reader_members(r, json, "a template", template_members) ||
	    reader_text(r, json, "uriTemplate", &one.uri) ||
	    check_values(r, json))
		return -1;
	if (!one.uri || !is_pattern(one.uri))
		return reader_fail(
			r,
			"a template needs a 'uriTemplate' with places, as in file:///{name}");
	bad = read_either(r, &one);
	s->template[s->template_count++] = one;
	return bad ? -1 : check_filled_text(r, &one);
}

/* ---- eras, caching ---- */

static int read_era(struct service *s, struct reader *r)
{
	static const struct {
		const char *name;
		unsigned eras;
	} known[] = { { "legacy", SERVICE_LEGACY },
		      { "modern", SERVICE_MODERN },
		      { "both", SERVICE_LEGACY | SERVICE_MODERN } };
	const char *era = "legacy";

	if (reader_text(r, s->tree, "era", &era))
		return -1;
	for (size_t i = 0; i < COUNT(known); i++) {
		if (strcmp(known[i].name, era) != 0)
			continue;
		s->eras = known[i].eras;
		return 0;
	}
	return reader_fail(r, "'era' is legacy, modern or both");
}

/* How it is reached, where that is not by a port. */
static int check_dials(const struct service *s, struct reader *r)
{
	const char *dials = "arduino";

	if (reader_text(r, s->tree, "dials", &dials))
		return -1;
	return strcmp(dials, "arduino") == 0 ?
		       0 :
		       reader_fail(r, "'dials' is arduino, or left out");
}

static int read_cache(struct service *s, struct reader *r)
{
	static const char *const members[] = { "ttl_ms", "scope", NULL };
	const cJSON *cache = NULL;

	s->cache_scope = "private";
	if (reader_object(r, s->tree, "cache", &cache))
		return -1;
	if (!cache)
		return 0;
	if (reader_members(r, cache, "cache", members) ||
	    reader_number(r, cache, "ttl_ms", 0, INT32_MAX, &s->ttl_ms) ||
	    reader_text(r, cache, "scope", &s->cache_scope))
		return -1;
	if (strcmp(s->cache_scope, "private") != 0 &&
	    strcmp(s->cache_scope, "public") != 0)
		return reader_fail(r, "'scope' is private or public");
	return 0;
}

/* ---- steps: they may name what stands anywhere in the file ---- */

struct stepped_element {
	const char *list, *name;
	const cJSON *json;
};

static int check_steps_of(struct service *s, struct reader *r,
			  const struct stepped_element *e,
			  const struct template_source *known)
{
	size_t list = reader_enter(r, e->list);
	size_t name = reader_enter(r, e->name);
	int bad = service_steps_check(s, r, e->json, known);

	reader_leave(r, name);
	reader_leave(r, list);
	return bad;
}

/* Of resources, or of templates. */
static int check_read_steps(struct service *s, struct reader *r,
			    const char *list, struct service_resource *of,
			    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct template_source source = { known_place, of + i };
		const struct stepped_element e = { list, of[i].name,
						   of[i].json };

		if (check_steps_of(s, r, &e, &source))
			return -1;
	}
	return 0;
}

static int check_all_steps(struct service *s, struct reader *r)
{
	for (size_t i = 0; i < s->tool_count; i++) {
		const struct template_source source = { known_argument,
							s->tool + i };
		const struct stepped_element e = { "tools", s->tool[i].name,
						   s->tool[i].json };

		if (check_steps_of(s, r, &e, &source))
			return -1;
	}
	for (size_t i = 0; i < s->prompt_count; i++) {
		const struct template_source source = { known_name,
							s->prompt + i };
		const struct stepped_element e = { "prompts", s->prompt[i].name,
						   s->prompt[i].json };

		if (check_steps_of(s, r, &e, &source))
			return -1;
	}
	return check_read_steps(s, r, "resources", s->resource,
				s->resource_count) ||
			       check_read_steps(s, r, "templates", s->template,
						s->template_count) ?
		       -1 :
		       0;
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
	s->template =
		mem_zalloc(size_of(s, "templates") * sizeof(*s->template));
	if (reader_members(&r, s->tree, "a service", top_members) ||
	    service_check_texts(&r, s->tree) ||
	    order_check_defaults(&r, s->tree) || read_era(s, &r) ||
	    check_dials(s, &r) || read_cache(s, &r) || service_ways_read(s, &r))
		return -1;
	s->ollama = json_object(s->tree, "ollama");
	s->name = json_string(s->tree, "name");
	if (!s->name || !*s->name)
		return reader_fail(&r, "a service needs a 'name'");
	if (each(s, &r, "prompts", read_prompt) ||
	    each(s, &r, "resources", read_resource) ||
	    each(s, &r, "templates", read_template) ||
	    each(s, &r, "tools", service_read_tool))
		return -1;
	return check_all_steps(s, &r);
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

bool service_profile_dials(const char *name_or_path)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = name_or_path ? profile_alone(name_or_path) : NULL;

	return text_same(json_string(tree, "dials"), "arduino");
}
