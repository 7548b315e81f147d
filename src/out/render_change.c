/* SPDX-License-Identifier: MIT */
/*
 * tools --diff: a tool that came, went or changed, as text and as JSON.
 */
#include <string.h>

#include "base/text.h"
#include "mcp/schema.h"
#include "out/json_line.h"
#include "out/render_json.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

#define ONE_LINE_MOST 60 /* columns of both values */
#define VALUE_MOST 4000 /* bytes of a value that are shown */

static const char *name_of(const struct tool_change *c)
{
	if (c->new)
		return c->new->name;
	return c->old ? c->old->name : "";
}

/* ---- text ---- */

/* JSON has no line ends of its own: it is one line. */
static void show_value(struct buf *out, const cJSON *value)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!value) {
		buf_text(out, "(none)");
		return;
	}
	json_print(&json, value);
	size_t len = text_fit(buf_string(&json), json.len, VALUE_MOST);
	text_safe(out, buf_string(&json), len, TEXT_JSON);
	if (len < json.len)
		buf_text(out, "…");
}

/* "argument mute: added, boolean, required" */
static void add_argument(struct buf *out, const struct tool_change *c,
			 const struct tool_difference *d)
{
	CLEANUP(buf_done) struct buf rule = { 0 };
	const struct tool *t = d->old ? c->old : c->new;

	buf_text(out, d->old ? ": removed, " : ": added, ");
	schema_describe_in(t ? t->schema : NULL, d->old ? d->old : d->new,
			   &rule);
	text_safe(out, buf_string(&rule), rule.len, TEXT_LINE);
	if (d->required)
		buf_text(out, ", required");
	buf_char(out, '\n');
}

static void add_values(struct buf *out, bool color,
		       const struct tool_difference *d)
{
	CLEANUP(buf_done) struct buf old = { 0 };
	CLEANUP(buf_done) struct buf new = { 0 };

	show_value(&old, d->old);
	show_value(&new, d->new);
	if (text_width(buf_string(&old), old.len) +
		    text_width(buf_string(&new), new.len) <=
	    ONE_LINE_MOST) {
		buf_printf(out, " %s -> %s\n", buf_string(&old),
			   buf_string(&new));
		return;
	}
	buf_text(out, "\n      ");
	term_painted(out, color, PAINT_BAD, "- ");
	buf_printf(out, "%s\n      ", buf_string(&old));
	term_painted(out, color, PAINT_GOOD, "+ ");
	buf_printf(out, "%s\n", buf_string(&new));
}

static void add_difference(struct buf *out, bool color,
			   const struct tool_change *c,
			   const struct tool_difference *d)
{
	buf_text(out, "    ");
	wrap_name(out, d->label);
	if (d->argument)
		add_argument(out, c, d);
	else if (d->required)
		buf_text(out, d->new ? ": optional -> required\n" :
				       ": required -> optional\n");
	else
		add_values(out, color, d);
}

void text_change(struct renderer *r, const struct tool_change *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const char *name = name_of(c);
	const char *sign = !c->old ? "+ " : !c->new ? "- " : "~ ";
	enum paint paint = !c->old ? PAINT_GOOD :
			   !c->new ? PAINT_BAD :
				     PAINT_WARN;

	term_painted(&b, r->out_color, paint, sign);
	if (*name)
		wrap_name(&b, name);
	else
		buf_text(&b, "(no name)");
	buf_char(&b, '\n');
	for (size_t i = 0; i < c->differences.count; i++)
		add_difference(&b, r->out_color, c, &c->differences.item[i]);
	put_out(r, &b);
}

/* ---- JSON ---- */

static void add_tool(struct buf *out, const char *name, const struct tool *t)
{
	struct span text = tool_text(t);

	line_json(out, name, text.text, text.len);
}

/* "old" and "new" only where there is a value: it may be null. */
static void add_json(struct buf *out, const struct tool_difference *d)
{
	if (out->data[out->len - 1] == '}')
		buf_char(out, ',');
	buf_char(out, '{');
	line_text(out, "path", d->pointer);
	line_text(out, "what", d->label);
	if (d->required && !d->argument) {
		line_bool(out, "old", d->old != NULL);
		line_bool(out, "new", d->new != NULL);
		buf_char(out, '}');
		return;
	}
	if (d->old)
		line_tree(out, "old", d->old);
	if (d->new)
		line_tree(out, "new", d->new);
	buf_char(out, '}');
}

void json_change(struct renderer *r, const struct tool_change *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_char(&b, '{');
	line_text(&b, "change",
		  !c->old ? "added" :
		  !c->new ? "removed" :
			    "changed");
	line_text(&b, "name", name_of(c));
	if (!c->old || !c->new) {
		add_tool(&b, "tool", c->new ? c->new : c->old);
	} else {
		add_tool(&b, "old", c->old);
		add_tool(&b, "new", c->new);
		line_name(&b, "differences");
		buf_char(&b, '[');
		for (size_t i = 0; i < c->differences.count; i++)
			add_json(&b, &c->differences.item[i]);
		buf_char(&b, ']');
	}
	buf_char(&b, '}');
	json_put_line(r, &b);
}
