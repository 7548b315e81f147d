/* SPDX-License-Identifier: MIT */
/*
 * The tools of a pretend device: kept, found, and put into the JSON that
 * tools/list shows. What a call does is not known here.
 */
#include <string.h>

#include "base/mem.h"
#include "mcp/firmware.h"

static const char *const type_names[] = {
	[SERVER_BOOLEAN] = "boolean",
	[SERVER_INTEGER] = "integer",
	[SERVER_STRING] = "string",
};

void firmware_value_text(const struct firmware_argument *a,
			 const struct firmware_value *v, struct buf *out)
{
	switch (a->type) {
	case SERVER_STRING:
		buf_text(out, v->text);
		break;
	case SERVER_BOOLEAN:
		buf_text(out, v->number ? "true" : "false");
		break;
	case SERVER_INTEGER:
		buf_printf(out, "%d", (int)v->number);
		break;
	}
}

void firmware_quote(struct buf *out, const char *text, size_t len)
{
	static const char letters[] = "btnvfr"; /* 8 to 13; 11 has none */
	size_t from = 0, i;

	buf_char(out, '"');
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= ' ' && c != '"' && c != '\\')
			continue;
		buf_add(out, text + from, i - from);
		from = i + 1;
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c >= '\b' && c <= '\r' && c != '\v')
			buf_printf(out, "\\%c", letters[c - '\b']);
		else
			buf_printf(out, "\\u%04x", c);
	}
	buf_add(out, text + from, len - from);
	buf_char(out, '"');
}

static void quote(struct buf *out, const char *text)
{
	firmware_quote(out, text, strlen(text));
}

static void drop_tool(struct firmware_tool *t)
{
	firmware_tool_drop_arguments(t);
	mem_free(t->name);
	mem_free(t->description);
	mem_free(t->json);
}

struct firmware_tool *firmware_catalog_add(struct firmware_catalog *c,
					   size_t at)
{
	c->tool = mem_grow(c->tool, &c->capacity, c->count, sizeof(*c->tool));
	memmove(c->tool + at + 1, c->tool + at,
		(c->count - at) * sizeof(*c->tool));
	memset(c->tool + at, 0, sizeof(*c->tool));
	c->count++;
	return c->tool + at;
}

void firmware_catalog_remove(struct firmware_catalog *c, size_t at)
{
	drop_tool(c->tool + at);
	c->count--;
	memmove(c->tool + at, c->tool + at + 1,
		(c->count - at) * sizeof(*c->tool));
}

struct firmware_tool *firmware_catalog_find(const struct firmware_catalog *c,
					    const char *name)
{
	size_t i;

	for (i = 0; i < c->count; i++) {
		if (!strcmp(c->tool[i].name, name))
			return c->tool + i;
	}
	return NULL;
}

void firmware_catalog_done(struct firmware_catalog *c)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		drop_tool(c->tool + i);
	mem_free(c->tool);
	memset(c, 0, sizeof(*c));
}

struct firmware_argument *firmware_tool_add_argument(struct firmware_tool *t)
{
	struct firmware_argument *a;

	/* Few, and only while a profile is read: no capacity is kept. */
	t->argument = mem_realloc(t->argument, (t->argument_count + 1) *
						       sizeof(*t->argument));
	a = t->argument + t->argument_count++;
	memset(a, 0, sizeof(*a));
	return a;
}

void firmware_tool_drop_arguments(struct firmware_tool *t)
{
	size_t i;

	for (i = 0; i < t->argument_count; i++) {
		mem_free(t->argument[i].name);
		mem_free(t->argument[i].text);
	}
	mem_free(t->argument);
	t->argument = NULL;
	t->argument_count = 0;
}

int firmware_tool_argument(const struct firmware_tool *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->argument_count; i++) {
		if (!strcmp(t->argument[i].name, name))
			return (int)i;
	}
	return -1;
}

static void add_default(struct buf *out, const struct firmware_argument *a)
{
	buf_text(out, ",\"default\":");
	if (a->type == SERVER_STRING)
		quote(out, a->text ? a->text : "");
	else if (a->type == SERVER_BOOLEAN)
		buf_text(out, a->number ? "true" : "false");
	else
		buf_printf(out, "%d", (int)a->number);
}

static void add_argument(struct buf *out, const struct firmware_argument *a,
			 enum firmware_dialect dialect)
{
	quote(out, a->name);
	buf_printf(out, ":{\"type\":\"%s\"", type_names[a->type]);
	if (a->has_default)
		add_default(out, a);
	if (a->has_minimum)
		buf_printf(out, ",\"minimum\":%d", (int)a->minimum);
	if (a->has_maximum)
		buf_printf(out, ",\"maximum\":%d", (int)a->maximum);
	if (a->max_length && dialect == SERVER_NEXT)
		buf_printf(out, ",\"maxLength\":%d", (int)a->max_length);
	buf_char(out, '}');
}

static void add_required(struct buf *out, const struct firmware_tool *t)
{
	bool any = false;
	size_t i;

	for (i = 0; i < t->argument_count; i++) {
		if (t->argument[i].has_default)
			continue;
		buf_text(out, any ? "," : ",\"required\":[");
		quote(out, t->argument[i].name);
		any = true;
	}
	if (any)
		buf_char(out, ']');
}

void firmware_tool_prepare(struct firmware_tool *t,
			   enum firmware_dialect dialect)
{
	struct buf out;
	size_t i;

	buf_init(&out, 0);
	buf_text(&out, "{\"name\":");
	quote(&out, t->name);
	buf_text(&out, ",\"description\":");
	quote(&out, t->description ? t->description : "");
	buf_text(&out, ",\"inputSchema\":{\"type\":\"object\","
		       "\"properties\":{");
	for (i = 0; i < t->argument_count; i++) {
		if (i)
			buf_char(&out, ',');
		add_argument(&out, t->argument + i, dialect);
	}
	buf_char(&out, '}');
	add_required(&out, t);
	buf_char(&out, '}');
	if (t->user_only)
		buf_text(&out, ",\"annotations\":{\"audience\":[\"user\"]}");
	buf_char(&out, '}');
	mem_free(t->json);
	t->json_len = out.len;
	t->json = buf_take(&out);
	buf_done(&out);
}
