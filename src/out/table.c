/* SPDX-License-Identifier: MIT */
/* Rows and paragraphs in columns; JSON laid out for eyes. */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "mcp/schema.h"
#include "mcp/schema_look.h"
#include "out/table.h"
#include "out/term.h"
#include "out/text_describe.h"
#include "out/wrap.h"

/*
 * Laying out what describe tells.
 */

#define PATH_COLUMNS_MOST 24

void table_heading(struct table *s, const char *word)
{
	buf_char(&s->b, '\n');
	term_painted(&s->b, s->color, PAINT_KEY, word);
	buf_char(&s->b, '\n');
}

void table_paragraph(struct table *s, const char *lead, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { strlen(lead), strlen(lead), s->width };
	size_t len = strlen(text);
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	text_safe(&safe, text, len, TEXT_PARAGRAPH);
	buf_text(&s->b, lead);
	wrap_wrap(&s->b, buf_string(&safe), safe.len, &how);
	buf_char(&s->b, '\n');
}

void table_copy_line(struct table *s, const char *text)
{
	buf_text(&s->b, "  ");
	wrap_name(&s->b, text);
	buf_char(&s->b, '\n');
}

/* ---- rows ---- */

struct rows {
	const cJSON *root;
	struct argument_rows list;
	bool result;
};

static void add_label(struct buf *out, const struct argument_row *row)
{
	wrap_name(out, row->path);
	if (!*row->path && row->form == 0)
		buf_text(out, "\"\"");
	if (row->form > 0)
		buf_printf(out, "%s(%d of %d)", *row->path ? " " : "",
			   row->form, row->forms);
}

/* The columns of the widest label, but no more than is sensible. */
static size_t label_columns(const struct argument_rows *rows)
{
	size_t columns = 0;
	for (size_t i = 0; i < rows->count; i++) {
		CLEANUP(buf_done) struct buf label = { 0 };
		add_label(&label, &rows->row[i]);
		size_t width = text_width(buf_string(&label), label.len);
		if (width > columns)
			columns = width;
	}
	return columns < PATH_COLUMNS_MOST ? columns : PATH_COLUMNS_MOST;
}

/* The first row that is inside of this one; NULL. */
static const struct argument_row *first_inside(const struct rows *rows,
					       size_t index)
{
	const struct argument_row *next = &rows->list.row[index + 1];
	bool inside = index + 1 < rows->list.count && next->up == index;
	return inside ? next : NULL;
}

/* Of one with rows of its own: what stands there is not said twice. */
static void add_kind(struct buf *out, const struct argument_row *row,
		     const struct argument_row *inside)
{
	size_t len = strlen(row->path) + 2 * row->arrays;
	bool tuple = inside->path[len] == '[';
	for (size_t i = 0; i < row->arrays; i++)
		buf_text(out, i == 0 ? "array of " : "arrays of ");
	if (inside->form > 0)
		buf_text(out, "one of these");
	else if (tuple)
		buf_text(out, row->arrays > 0 ? "arrays" : "array");
	else
		buf_text(out, row->arrays > 0 ? "objects" : "object");
	limits_of_array(row->resolved, out);
}

static void add_default(struct buf *out, const struct argument_row *row)
{
	const cJSON *usual = json_member(row->schema, "default");
	if (!usual)
		usual = json_member(row->resolved, "default");
	if (!usual)
		return;
	buf_text(out, ", default ");
	json_print(out, usual);
}

/* "integer 0..100, required" */
static void add_rule(struct buf *out, const struct rows *rows, size_t index)
{
	const struct argument_row *row = &rows->list.row[index];
	const struct argument_row *inside = first_inside(rows, index);
	bool usual = json_member(row->schema, "default") ||
		     json_member(row->resolved, "default");
	if (row->also)
		buf_text(out, "also ");
	if (row->same != SIZE_MAX) {
		schema_type_names(schema_types(rows->root, row->schema), out);
		buf_printf(out, ", as %s above",
			   rows->list.row[row->same].path);
	} else if (inside) {
		add_kind(out, row, inside);
		add_default(out, row);
	} else {
		schema_describe_in(rows->root, row->schema, out);
	}
	if (row->unnamed || row->also || row->form > 0)
		return;
	if (row->required && !rows->result)
		buf_text(out, ", required");
	else if (!row->required && !usual)
		buf_text(out, ", optional");
}

static const char *description_of(const struct argument_row *row)
{
	static const char *const members[] = { "description", "title" };
	for (size_t i = 0; i < COUNT(members); i++) {
		const char *own = json_string(row->schema, members[i]);
		const char *other = json_string(row->resolved, members[i]);
		if (own && *own)
			return own;
		if (other && *other)
			return other;
	}
	return NULL;
}

static void add_row(struct table *s, const struct rows *rows, size_t index)
{
	const struct argument_row *row = &rows->list.row[index];
	size_t columns = rows->list.columns;
	CLEANUP(buf_done) struct buf label = { 0 };
	CLEANUP(buf_done) struct buf rule = { 0 };
	CLEANUP(buf_done) struct buf lead = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	const char *description = description_of(row);
	add_label(&label, row);
	buf_text(&s->b, "  ");
	term_painted(&s->b, s->color, PAINT_STRONG, buf_string(&label));
	wrap_pad(&s->b, text_width(buf_string(&label), label.len), columns);
	add_rule(&rule, rows, index);
	wrap_pad(&lead, 0, columns + 4);
	struct wrap how = { lead.len, lead.len, s->width };
	text_safe(&safe, buf_string(&rule), rule.len, TEXT_LINE);
	buf_text(&s->b, "  ");
	wrap_wrap(&s->b, buf_string(&safe), safe.len, &how);
	buf_char(&s->b, '\n');
	if (description)
		table_paragraph(s, buf_string(&lead), description);
}

/* ---- what stands around them ---- */

/* "a and b" of {"required":["a","b"]}; -1: the schema says more, or nothing. */
static int add_names(struct buf *out, const cJSON *schema)
{
	const cJSON *required = json_array(schema, "required");
	const cJSON *name;
	if (!required || !required->child || cJSON_GetArraySize(schema) != 1)
		return -1;
	cJSON_ArrayForEach(name, required) {
		if (!cJSON_IsString(name))
			return -1;
		if (name != required->child)
			buf_text(out, " and ");
		buf_printf(out, "'%s'", name->valuestring);
	}
	return 0;
}

/* {"anyOf":[{"required":["a"]},{"required":["b"]}]}: which of them must be there. */
static void add_needs(struct table *s, const cJSON *schema, const char *keyword,
		      const char *lead)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const cJSON *choices = json_array(schema, keyword);
	const cJSON *each;
	if (!choices || !choices->child)
		return;
	buf_text(&text, lead);
	cJSON_ArrayForEach(each, choices) {
		if (each != choices->child)
			buf_text(&text, ", or ");
		if (add_names(&text, each) != 0)
			return;
	}
	table_paragraph(s, "  ", buf_string(&text));
}

void table_schema(struct table *s, const cJSON *schema, bool result)
{
	struct rows rows = { .root = schema, .result = result };
	const cJSON *whole = schema_resolve(schema, schema);
	argument_rows_init(&rows.list, schema);
	rows.list.columns = label_columns(&rows.list);
	if (rows.list.count == 0 && result) {
		CLEANUP(buf_done) struct buf rule = { 0 };
		schema_describe(schema, &rule);
		table_paragraph(s, "  ", buf_string(&rule));
	} else if (rows.list.count == 0) {
		table_paragraph(s, "  ", "none");
	}
	for (size_t i = 0; i < rows.list.count; i++)
		add_row(s, &rows, i);
	if (rows.list.cut)
		table_paragraph(s, "  ",
				"… and more (-o json has the whole schema)");
	add_needs(s, whole, "anyOf", "At least one is needed: ");
	add_needs(s, whole, "oneOf", "Exactly one is needed: ");
	argument_rows_done(&rows.list);
}

/*
 * A walk over the tokens of valid JSON, with a depth and no recursion.
 */

#define FLAT_MOST 64 /* bytes of a container that stays on one line */

struct layout {
	struct buf *out;
	const char *at, *end;
	size_t depth;
	bool color;
	bool flat; /* inside a container that is on one line */
	bool key; /* the next string is a member's name */
	bool object[JSON_DEPTH_MAX + 2]; /* by depth */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t string_length(const char *at, const char *end)
{
	const char *p = at + 1;
	while (p < end && *p != '"')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return (size_t)(p - at) + (p < end ? 1 : 0);
}

static size_t word_length(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && !is_space(*p) && !strchr(",:]}", *p))
		p++;
	return p > at ? (size_t)(p - at) : 1;
}

/* Whether the container that begins here is small and holds no other. */
static bool is_flat(const char *at, const char *end)
{
	const char *stop = at + FLAT_MOST;
	for (const char *p = at + 1; p < end && p < stop;) {
		if (*p == '{' || *p == '[')
			return false;
		if (*p == '}' || *p == ']')
			return true;
		p += *p == '"' ? string_length(p, end) : 1;
	}
	return false;
}

static bool is_empty(const char *at, const char *end)
{
	do
		at++;
	while (at < end && is_space(*at));
	return at < end && (*at == '}' || *at == ']');
}

static void new_line(struct layout *l)
{
	if (l->flat) {
		buf_char(l->out, ' ');
		return;
	}
	buf_char(l->out, '\n');
	wrap_pad(l->out, 0, 2 * l->depth);
}

static void open_container(struct layout *l)
{
	char c = *l->at;
	bool empty = is_empty(l->at, l->end);
	l->flat = is_flat(l->at, l->end);
	if (l->depth <= JSON_DEPTH_MAX)
		l->depth++;
	l->object[l->depth] = c == '{';
	l->key = c == '{';
	buf_char(l->out, c);
	/* [1, 2] but { "a": 1 }: as people write it */
	if (!empty && !(l->flat && c == '['))
		new_line(l);
	l->at++;
}

static void close_container(struct layout *l)
{
	char c = *l->at++;
	size_t len = l->out->len;
	bool empty = len > 0 && (l->out->data[len - 1] == '{' ||
				 l->out->data[len - 1] == '[');
	if (l->depth > 0)
		l->depth--;
	if (!empty && !(l->flat && c == ']'))
		new_line(l);
	l->flat = false;
	buf_char(l->out, c);
}

static void add_token(struct layout *l, size_t len, enum paint paint)
{
	term_paint(l->out, l->color, paint);
	text_safe(l->out, l->at, len, TEXT_JSON);
	term_plain(l->out, l->color);
	l->at += len;
}

static void add_value(struct layout *l)
{
	bool number = *l->at == '-' || (*l->at >= '0' && *l->at <= '9');
	if (*l->at == '"')
		add_token(l, string_length(l->at, l->end),
			  l->key ? PAINT_KEY : PAINT_STRING);
	else
		add_token(l, word_length(l->at, l->end),
			  number ? PAINT_NUMBER : PAINT_WORD);
}

static void step(struct layout *l)
{
	switch (*l->at) {
	case '{':
	case '[':
		open_container(l);
		break;
	case '}':
	case ']':
		close_container(l);
		break;
	case ',':
		buf_char(l->out, ',');
		new_line(l);
		l->key = l->object[l->depth];
		l->at++;
		break;
	case ':':
		buf_text(l->out, ": ");
		l->key = false;
		l->at++;
		break;
	default:
		add_value(l);
	}
}

void json_layout(struct buf *out, const char *text, size_t len, bool color)
{
	struct layout l = {
		.out = out, .at = text, .end = text + len, .color = color
	};
	while (l.at < l.end) {
		if (is_space(*l.at))
			l.at++;
		else
			step(&l);
	}
}
