/* SPDX-License-Identifier: MIT */
/* The tools of a profile file: removed, put over what is inherited, generated. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/profile.h"
#include "sim/rule.h"
#include "sim/template.h"

static const char *const tool_members[] = {
	"name", "description", "user_only", "arguments", "result", NULL,
};
static const char *const generate_members[] = {
	"count",     "name",   "description", "user_only",
	"arguments", "result", NULL,
};
static const char *const argument_members[] = {
	"type", "default", "minimum", "maximum", "maxLength", NULL,
};

int profile_each(struct profile *p, struct reader *r, const cJSON *tree,
		 const char *name,
		 int (*one)(struct profile *p, struct reader *r,
			    const cJSON *element))
{
	const cJSON *list = NULL, *element;
	size_t mark, index = 0;
	int bad = 0;

	if (reader_array(r, tree, name, &list))
		return -1;
	mark = reader_enter(r, name);
	cJSON_ArrayForEach(element, list) {
		size_t inner;

		if (bad)
			break;
		inner = reader_enter_index(r, index++);
		bad = one(p, r, element);
		reader_leave(r, inner);
	}
	reader_leave(r, mark);
	return bad;
}

static int argument_type(struct reader *r, const cJSON *json,
			 enum firmware_type *out)
{
	static const char *const names[] = { "boolean", "integer", "string" };
	const char *type = "";
	size_t i;

	if (reader_text(r, json, "type", &type))
		return -1;
	for (i = 0; i < COUNT(names); i++) {
		if (!strcmp(type, names[i])) {
			*out = (enum firmware_type)i;
			return 0;
		}
	}
	return reader_fail(r, "'type' must be \"boolean\", \"integer\" or "
			      "\"string\": firmware knows no others");
}

static int argument_default(struct reader *r, const cJSON *json,
			    struct firmware_argument *a)
{
	int64_t number = 0;
	const char *text = NULL;
	bool flag = false;

	if (!json_member(json, "default"))
		return 0;
	a->has_default = true;
	if (a->type == SERVER_STRING) {
		if (reader_text(r, json, "default", &text))
			return -1;
		a->text = mem_strdup(text);
	} else if (a->type == SERVER_INTEGER) {
		if (reader_number(r, json, "default", INT32_MIN, INT32_MAX,
				  &number))
			return -1;
		a->number = (int32_t)number;
	} else {
		if (reader_flag(r, json, "default", &flag))
			return -1;
		a->number = flag;
	}
	return 0;
}

static int argument_limits(struct reader *r, const cJSON *json,
			   struct firmware_argument *a)
{
	int64_t min = 0, max = 0, length = 0;

	a->has_minimum = json_member(json, "minimum") != NULL;
	a->has_maximum = json_member(json, "maximum") != NULL;
	if (reader_number(r, json, "minimum", INT32_MIN, INT32_MAX, &min) ||
	    reader_number(r, json, "maximum", INT32_MIN, INT32_MAX, &max) ||
	    reader_number(r, json, "maxLength", 1, INT32_MAX, &length))
		return -1;
	if ((a->has_minimum || a->has_maximum) && a->type != SERVER_INTEGER)
		return reader_fail(r, "only an integer has 'minimum' and "
				      "'maximum'");
	if (length && a->type != SERVER_STRING)
		return reader_fail(r, "only a string has 'maxLength'");
	a->minimum = (int32_t)min;
	a->maximum = (int32_t)max;
	a->max_length = (int32_t)length;
	return 0;
}

static int apply_argument(struct firmware_tool *t, struct reader *r,
			  const cJSON *json)
{
	struct firmware_argument *a = firmware_tool_add_argument(t);

	a->name = mem_strdup(json->string);
	if (reader_members(r, json, "an argument", argument_members) ||
	    argument_type(r, json, &a->type) || argument_default(r, json, a))
		return -1;
	return argument_limits(r, json, a);
}

static int apply_arguments(struct firmware_tool *t, struct reader *r,
			   const cJSON *tool)
{
	const cJSON *arguments = NULL, *one;
	size_t mark;
	int bad = 0;

	if (reader_object(r, tool, "arguments", &arguments))
		return -1;
	if (!arguments)
		return 0;
	firmware_tool_drop_arguments(t);
	mark = reader_enter(r, "arguments");
	cJSON_ArrayForEach(one, arguments) {
		size_t inner;

		if (bad)
			break;
		inner = reader_enter(r, one->string);
		bad = apply_argument(t, r, one);
		reader_leave(r, inner);
	}
	reader_leave(r, mark);
	return bad;
}

/* What a tool and a generator have in common, but the name. */
static int apply_tool(struct profile *p, struct firmware_tool *t,
		      struct reader *r, const cJSON *tool)
{
	const cJSON *result = json_member(tool, "result");
	const char *description = NULL;
	size_t mark;
	int bad;

	if (reader_text(r, tool, "description", &description) ||
	    apply_arguments(t, r, tool))
		return -1;
	if (description) {
		mem_free(t->description);
		t->description = mem_strdup(description);
	}
	if (result)
		t->behaviour = result;
	if (!t->behaviour)
		return reader_fail(r, "tool '%s' needs a 'result'", t->name);
	/* Also a result that was inherited must fit the arguments now. */
	mark = reader_enter(r, "result");
	bad = rule_check(p, t, r, t->behaviour);
	reader_leave(r, mark);
	return bad;
}

/* Where a new tool goes: AI-visible tools first, then user-only ones (3.5). */
static struct firmware_tool *place_tool(struct profile *p, const char *name,
					bool user_only)
{
	struct firmware_catalog *c = &p->catalog;
	size_t at = c->count;
	struct firmware_tool *t;

	while (!user_only && at > 0 && c->tool[at - 1].user_only)
		at--;
	t = firmware_catalog_add(c, at);
	t->name = mem_strdup(name);
	t->user_only = user_only;
	return t;
}

static int apply_listed(struct profile *p, struct reader *r, const cJSON *tool)
{
	const char *name = NULL;
	struct firmware_tool *t;
	bool user_only = false;

	if (reader_members(r, tool, "a tool", tool_members) ||
	    reader_text(r, tool, "name", &name) ||
	    reader_flag(r, tool, "user_only", &user_only))
		return -1;
	if (!name || !*name)
		return reader_fail(r, "a tool needs a 'name'");
	t = firmware_catalog_find(&p->catalog, name);
	if (!t)
		t = place_tool(p, name, user_only);
	else if (json_member(tool, "user_only") && user_only != t->user_only)
		return reader_fail(r,
				   "'user_only' of an inherited tool cannot "
				   "change; remove '%s' and name it anew",
				   name);
	return apply_tool(p, t, r, tool);
}

/* ${n} in the names of a generator. */
static int get_number(void *owner, const char *name, struct buf *out)
{
	if (strcmp(name, "n") != 0)
		return -1;
	if (out)
		buf_printf(out, "%lld", (long long)*(int64_t *)owner);
	return 0;
}

static int expand_number(struct reader *r, const char *text, int64_t n,
			 char **out)
{
	const struct template_source source = { .get = get_number,
						.owner = &n };
	struct error why = { 0 };
	struct buf expanded;

	buf_init(&expanded, 0);
	if (template_expand(text, &source, &expanded, &why)) {
		reader_fail(r, "%s; a generator has only n", why.text);
		error_reset(&why);
		buf_done(&expanded);
		return -1;
	}
	mem_free(*out);
	*out = buf_take(&expanded);
	buf_done(&expanded);
	return 0;
}

static int generate_one(struct profile *p, struct reader *r,
			const cJSON *generator, int64_t n)
{
	const char *name = json_string(generator, "name");
	struct firmware_tool *t;

	/* Added later than the user-only tools, as a board's own can be. */
	t = firmware_catalog_add(&p->catalog, p->catalog.count);
	if (expand_number(r, name, n, &t->name))
		return -1;
	t->user_only = json_true(generator, "user_only");
	if (apply_tool(p, t, r, generator))
		return -1;
	return expand_number(r, t->description ? t->description : "", n,
			     &t->description);
}

int profile_generate(struct profile *p, struct reader *r,
		     const cJSON *generator, int64_t count)
{
	const char *name = NULL;
	bool flag;
	int64_t n;

	if (reader_members(r, generator, "a generator", generate_members) ||
	    reader_text(r, generator, "name", &name) ||
	    reader_flag(r, generator, "user_only", &flag))
		return -1;
	if (!name || !strstr(name, "${n"))
		return reader_fail(r, "a generator needs a 'name' with ${n} in "
				      "it, as self.lamp${n:4}");
	for (n = 0; n < count; n++) {
		if (p->catalog.count >= PROFILE_TOOLS_MAX)
			return reader_fail(r, "more than %d tools",
					   PROFILE_TOOLS_MAX);
		if (generate_one(p, r, generator, n))
			return -1;
	}
	return 0;
}

static int apply_generator(struct profile *p, struct reader *r,
			   const cJSON *generator)
{
	int64_t count = -1;

	if (reader_number(r, generator, "count", 0, PROFILE_TOOLS_MAX, &count))
		return -1;
	if (count < 0)
		return reader_fail(r, "a generator needs a 'count'");
	return profile_generate(p, r, generator, count);
}

static int apply_remove(struct profile *p, struct reader *r, const cJSON *name)
{
	struct firmware_catalog *c = &p->catalog;
	size_t before = c->count, i;

	if (!cJSON_IsString(name))
		return reader_fail(r, "expected a tool's name, * allowed");
	for (i = c->count; i-- > 0;) {
		if (text_glob(name->valuestring, c->tool[i].name))
			firmware_catalog_remove(c, i);
	}
	if (c->count == before)
		return reader_fail(r, "there is no tool '%.60s' to remove",
				   name->valuestring);
	return 0;
}

int profile_apply_tools(struct profile *p, struct reader *r, const cJSON *tree)
{
	if (profile_each(p, r, tree, "remove", apply_remove) ||
	    profile_each(p, r, tree, "tools", apply_listed))
		return -1;
	return profile_each(p, r, tree, "generate", apply_generator);
}
