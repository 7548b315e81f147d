/* SPDX-License-Identifier: MIT */
#include "serve/pages_form.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "mcp/schema_describe.h"
#include "mcp/schema_look.h"
#include "mcp/tool_effect.h"
#include "net/port_parts.h"
#include "serve/pages_parts.h"

#define SHOWN_MAX 200 /* bytes of a value */
#define CHOICES_MAX 256
#define WORDS_MAX 2000 /* bytes of a description */

struct field {
	const struct tool *tool;
	const char *name;
	size_t number;
	const cJSON *schema; /* resolved */
	unsigned types;
	bool required;
};

/* The arguments of a tool, in the order of its schema. */
static size_t names_of(const struct tool *t,
		       const char *names[PAGES_FIELDS_MAX])
{
	return schema_property_names(t->schema, t->schema, names,
				     PAGES_FIELDS_MAX);
}

static struct field field_of(const struct tool *t, const char *name, size_t i)
{
	const cJSON *property = schema_property(t->schema, t->schema, name);
	const cJSON *schema = schema_resolve(t->schema, property);

	return (struct field){ .tool = t,
			       .name = name,
			       .number = i,
			       .schema = schema,
			       .types = schema_types(t->schema, schema),
			       .required = schema_requires(t->schema, t->schema,
							   name) };
}

static bool is_number(const struct field *f)
{
	return f->types &&
	       !(f->types & ~(unsigned)(SCHEMA_INTEGER | SCHEMA_NUMBER));
}

static const cJSON *choices_of(const struct field *f)
{
	const cJSON *all = json_array(f->schema, "enum");

	return all && all->child && cJSON_GetArraySize(all) <= CHOICES_MAX ?
		       all :
		       NULL;
}

/* ---- as HTML ---- */

static void add_option(struct buf *out, const char *value)
{
	buf_text(out, "<option");
	html_attribute(out, "value", value);
	buf_char(out, '>');
}

static void json_shown(struct buf *out, const cJSON *value)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (cJSON_IsString(value))
		buf_add_cut(&text, value->valuestring,
			    strlen(value->valuestring), SHOWN_MAX);
	else
		json_print_cut(&text, value, SHOWN_MAX);
	page_text(out, buf_string(&text));
}

static void begin_select(struct buf *out, const struct field *f)
{
	buf_printf(out, "<select name=\"a%zu\"%s>", f->number,
		   f->required ? " required" : "");
	add_option(out, "");
	buf_text(out, "</option>");
}

/* By their places: what they are need not come back. */
static void add_choices(struct buf *out, const struct field *f,
			const cJSON *choices)
{
	const cJSON *each;
	size_t i = 0;

	begin_select(out, f);
	cJSON_ArrayForEach(each, choices) {
		char place[24];

		if (i == CHOICES_MAX || out->len > PAGES_TOOLS_BYTES) {
			buf_text(
				out,
				"<option disabled>… and more: mcpctl describe</option>");
			break;
		}

		snprintf(place, sizeof(place), "%zu", i++);
		add_option(out, place);
		json_shown(out, each);
		buf_text(out, "</option>");
	}
	buf_text(out, "</select>");
}

static void add_boolean(struct buf *out, const struct field *f)
{
	begin_select(out, f);
	add_option(out, "true");
	buf_text(out, "true</option>");
	add_option(out, "false");
	buf_text(out, "false</option></select>");
}

static void add_bound(struct buf *out, const struct field *f, const char *from,
		      const char *to)
{
	const cJSON *value = json_member(f->schema, from);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!cJSON_IsNumber(value))
		return;
	json_print(&text, value);
	html_attribute(out, to, buf_string(&text));
}

static void add_number(struct buf *out, const struct field *f)
{
	buf_printf(out, "<input type=\"number\" name=\"a%zu\" step=\"%s\"",
		   f->number, f->types & SCHEMA_NUMBER ? "any" : "1");
	add_bound(out, f, "minimum", "min");
	add_bound(out, f, "maximum", "max");
	buf_text(out, f->required ? " required>" : ">");
}

static void add_line(struct buf *out, const struct field *f)
{
	buf_printf(out, "<input name=\"a%zu\">", f->number);
}

static void add_json(struct buf *out, const struct field *f)
{
	buf_printf(
		out,
		"<textarea name=\"a%zu\" rows=\"2\" placeholder=\"JSON\"%s></textarea>",
		f->number, f->required ? " required" : "");
}

/* What is left empty is not sent, so the board takes its default by itself. */
static void add_input(struct buf *out, const struct field *f)
{
	const cJSON *choices = choices_of(f);

	if (choices)
		add_choices(out, f, choices);
	else if (f->types == SCHEMA_BOOLEAN)
		add_boolean(out, f);
	else if (is_number(f))
		add_number(out, f);
	else if (f->types == SCHEMA_STRING)
		add_line(out, f);
	else
		add_json(out, f);
}

static void cut_shown(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf cut = { 0 };

	buf_add_cut(&cut, text, strlen(text), WORDS_MAX);
	html_shown(out, buf_string(&cut));
}

static void add_field(struct buf *out, const struct field *f)
{
	const char *words = json_string(f->schema, "description");
	CLEANUP(buf_done) struct buf rule = { 0 };

	schema_describe_in(f->tool->schema, f->schema, &rule);
	buf_text(out, "<label><span>");
	page_text(out, f->name);
	buf_text(out, f->required ? " *" : "");
	buf_text(out, "</span>");
	add_input(out, f);
	buf_text(out, "<small>");
	page_text(out, buf_string(&rule));
	if (words) {
		buf_text(out, ": ");
		cut_shown(out, words);
	}
	buf_text(out, "</small></label>\n");
}

static void add_fields(struct buf *out, const struct tool *t)
{
	const char *names[PAGES_FIELDS_MAX];
	size_t count = names_of(t, names);

	for (size_t i = 0; i < count; i++) {
		const struct field f = field_of(t, names[i], i);

		add_field(out, &f);
	}
	if (count == PAGES_FIELDS_MAX)
		buf_text(
			out,
			"<p>More arguments than these: 'mcpctl call' takes all.</p>\n");
}

static void add_hidden(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "<input type=\"hidden\" name=\"%s\"", name);
	html_attribute(out, "value", value);
	buf_char(out, '>');
}

static void add_head(struct buf *out, const struct tool *t,
		     enum tool_effect effect)
{
	static const char *const marks[] = {
		[EFFECT_UNKNOWN] = "",
		[EFFECT_READS] = " <i>reads</i>",
		[EFFECT_ACTS] = " <i>acts</i>",
		[EFFECT_DESTROYS] =
			" <i class=\"bad\">cannot be taken back</i>",
	};

	buf_text(out, "<summary><code>");
	page_text(out, t->name);
	buf_printf(out, "</code>%s%s</summary>\n", marks[effect],
		   t->user_only ? " <i>for users only</i>" : "");
	buf_text(out, "<p class=\"words\">");
	cut_shown(out, t->description);
	buf_text(out, "</p>\n");
}

void pages_form_add(struct buf *out, const struct tool *t,
		    const struct pages_form_place *at)
{
	enum tool_effect effect = tool_effect(t);

	buf_text(out, "<details class=\"tool\">");
	add_head(out, t, effect);
	buf_text(out, "<form method=\"post\"");
	html_attribute(out, "action", at->action);
	buf_char(out, '>');
	add_hidden(out, "tool", t->name);
	add_hidden(out, "list", at->list);
	add_hidden(out, "seal", at->seal);
	add_fields(out, t);
	if (effect == EFFECT_DESTROYS)
		buf_text(
			out,
			"<label class=\"sure\"><input type=\"checkbox\" name=\"sure\" value=\"1\" required> I know what this does, and that it cannot be taken back</label>\n");
	buf_text(
		out,
		"<button>Call</button><div class=\"answer\" aria-live=\"polite\"></div></form></details>\n");
}

/* ---- what came back ---- */

void pages_given_done(struct pages_given *g)
{
	mem_free(g->tool);
	mem_free(g->list);
	mem_free(g->seal);
	for (size_t i = 0; i < PAGES_FIELDS_MAX; i++)
		mem_free(g->value[i]);
	*g = (struct pages_given){ 0 };
}

static void keep(char **place, const char *data, size_t len)
{
	mem_free(*place);
	*place = mem_strndup(data, len);
}

void pages_given_take(void *owner, const char *name, const char *filename,
		      const char *type, const char *data, size_t len)
{
	struct pages_given *g = owner;
	int64_t i;

	(void)filename;
	(void)type;
	if (strcmp(name, "tool") == 0)
		keep(&g->tool, data, len);
	else if (strcmp(name, "list") == 0)
		keep(&g->list, data, len);
	else if (strcmp(name, "seal") == 0)
		keep(&g->seal, data, len);
	else if (strcmp(name, "sure") == 0)
		g->sure = len == 1 && *data == '1';
	else if (*name == 'a' &&
		 !text_integer(name + 1, 0, PAGES_FIELDS_MAX - 1, &i))
		keep(&g->value[i], data, len);
}

static int read_choice(struct buf *out, const struct field *f,
		       const cJSON *choices, const char *text,
		       struct error *err)
{
	int64_t place;

	if (text_integer(text, 0, cJSON_GetArraySize(choices) - 1, &place))
		return error_set(err, ERR_USAGE,
				 "argument '%.100s': that is no choice",
				 f->name);
	json_print(out, cJSON_GetArrayItem(choices, (int)place));
	return 0;
}

/* Empty is absent, but where a text has to be there. */
static bool is_absent(const struct field *f, const char *text)
{
	if (!text)
		return true;
	return !*text &&
	       (!f->required || f->types != SCHEMA_STRING || choices_of(f));
}

static int add_argument(struct buf *out, const struct field *f,
			const char *text, struct error *err)
{
	const cJSON *choices = choices_of(f);

	if (is_absent(f, text))
		return 0;
	if (out->len > 1)
		buf_char(out, ',');
	buf_json_string(out, f->name, strlen(f->name));
	buf_char(out, ':');
	if (choices)
		return read_choice(out, f, choices, text, err);
	return argument_read(out, f->tool->schema, f->schema, f->name, text,
			     err);
}

int pages_form_arguments(struct buf *out, const struct tool *t,
			 const struct pages_given *g, struct error *err)
{
	const struct arguments_options options = { .tool = t, .device = true };
	CLEANUP(buf_done) struct buf object = { 0 }, warnings = { 0 };
	const char *names[PAGES_FIELDS_MAX];
	size_t count = names_of(t, names);
	char *word;

	buf_char(&object, '{');
	for (size_t i = 0; i < count; i++) {
		const struct field f = field_of(t, names[i], i);

		if (add_argument(&object, &f, g->value[i], err))
			return -1;
	}
	buf_char(&object, '}');
	/* One word that begins with '{': no other form of it is read. */
	word = object.data;
	return arguments_build(out, &word, 1, &options, &warnings, err);
}
