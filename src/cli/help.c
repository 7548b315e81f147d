/* SPDX-License-Identifier: MIT */
/*
 * Help from the command table. Topics are in topics.c.
 */
#include "cli/help.h"
#include "base/buf.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/manual.h"
#include "cli/topics.h"
#include "out/term.h"
#include "out/wrap.h"

#include <ctype.h>
#include <string.h>

#define GROUP_COUNT (GROUP_PROGRAM + 1)
#define NARROW 60 /* columns: two of text do not fit beside each other */
#define MARGIN 10 /* of the names of groups */

static const char *const group_names[GROUP_COUNT] = {
	[GROUP_START] = "start",
	[GROUP_USE] = "use",
	[GROUP_DIAGNOSE] = "diagnose",
	[GROUP_PRETEND] = "pretend",
	[GROUP_PROGRAM] = "program"
};

static size_t clip_width(size_t width)
{
	if (width < 40)
		return 40;
	return width > 80 ? 80 : width;
}

static bool is_brief(const struct command *c)
{
	return c->group != GROUP_PROGRAM && !(c->flags & CMD_MINOR);
}

static void heading(const struct renderer *r, const char *text)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	term_painted(&b, r->out_color, PAINT_STRONG, text);
	fputs(buf_string(&b), r->out);
}

/* The same above a part of its own. */
static void section(const struct renderer *r, const char *text)
{
	fputc('\n', r->out);
	heading(r, text);
	fputc('\n', r->out);
}

/* A group's name stands in the margin, where there is room for one. */
static void print_group(const struct renderer *r, const char *name)
{
	heading(r, name);
	if (clip_width(r->width) < NARROW && *name)
		fputc('\n', r->out);
	else
		fprintf(r->out, "%*s", MARGIN - (int)strlen(name), "");
}

/* "more      resources templates read …": what the lines above have no room for. */
static void print_others(const struct renderer *r)
{
	size_t width = clip_width(r->width);
	size_t indent = width < NARROW ? 2 : MARGIN;
	CLEANUP(buf_done) struct buf names = { 0 }, lines = { 0 };
	const struct wrap how = { indent, indent, width };

	print_group(r, "more");
	if (width < NARROW)
		buf_text(&lines, "  ");
	for (const struct command *const *c = commands; *c; c++) {
		if (!((*c)->flags & CMD_HIDDEN) && !is_brief(*c))
			buf_printf(&names, "%s%s", names.len ? " " : "",
				   (*c)->name);
	}
	wrap_wrap(&lines, buf_string(&names), names.len, &how);
	fprintf(r->out, "%s\n", buf_string(&lines));
}

static void print_one(const struct renderer *r, const struct command *c,
		      const char *group)
{
	size_t width = clip_width(r->width);
	const struct manual_layout l = { .indent = 2,
					 .column = 14,
					 .width = width };
	CLEANUP(buf_done) struct buf brief = { 0 };
	const struct wrap how = { MARGIN + 12, MARGIN + 12, width };

	if (width < NARROW) {
		if (*group)
			print_group(r, group);
		manual_item(r->out, &l, c->name, c->brief);
		return;
	}
	print_group(r, group);
	wrap_wrap(&brief, c->brief, strlen(c->brief), &how);
	fprintf(r->out, "%-12s%s\n", c->name, buf_string(&brief));
}

/* One line a command, groups in the left margin. */
static void print_commands(const struct renderer *r, bool all)
{
	for (unsigned group = 0; group < GROUP_COUNT; group++) {
		const char *name = group_names[group];

		for (const struct command *const *c = commands; *c; c++) {
			if ((*c)->group != group ||
			    ((*c)->flags & CMD_HIDDEN) ||
			    (!all && !is_brief(*c)))
				continue;
			print_one(r, *c, name);
			name = "";
		}
	}
}

static void add_topics(struct buf *out)
{
	for (const struct topic *t = topics; t->name; t++)
		buf_printf(out, "%s%s", t == topics ? "" : " ", t->name);
}

/* How the program is called, and what to type first. */
static void print_start(const struct renderer *r)
{
	static const char usage[] =
		"usage: mcpctl [OPTION]... [TARGET] COMMAND [OPERAND]...";
	CLEANUP(buf_done) struct buf lines = { 0 };
	size_t width = clip_width(r->width);
	const struct wrap how = { 0, 2, width };
	const struct manual_layout l = { .indent = 2,
					 .column = width < NARROW ? 6 : 25,
					 .width = width };

	wrap_wrap(&lines, usage, sizeof(usage) - 1, &how);
	fprintf(r->out, "%s\n\n", buf_string(&lines));
	heading(r, "Start here:");
	fputc('\n', r->out);
	manual_item(r->out, &l, "mcpctl sim: tools",
		    "try it: a simulated device, no hardware");
	manual_item(r->out, &l, "mcpctl serve",
		    "wait for your boards; says what to set on them");
	fputc('\n', r->out);
}

static void print_overview(const struct renderer *r, bool all)
{
	CLEANUP(buf_done) struct buf more = { 0 };

	print_start(r);
	print_commands(r, all);
	if (!all)
		print_others(r);
	buf_printf(&more, "\nMore: mcpctl help %sCOMMAND, help TOPIC; topics: ",
		   all ? "" : "--all, help ");
	add_topics(&more);
	manual_print(r->out, buf_string(&more), clip_width(r->width));
}

/* "-t, --target TARGET" appended. */
static void option_term(struct buf *out, const struct option_row *row)
{
	if (row->letter)
		buf_printf(out, "-%c, ", row->letter);
	else
		buf_text(out, "    ");
	buf_printf(out, "--%s", row->name);
	if (option_is_optional(row))
		buf_printf(out, "[=%s]", row->word);
	else if (row->word)
		buf_printf(out, " %s", row->word);
}

void help_option_text(struct buf *out, const struct option_row *row)
{
	buf_text(out, row->brief);
	if (row->fallback && row->env)
		buf_printf(out, " (default %s; environment: %s)", row->fallback,
			   row->env);
	else if (row->fallback)
		buf_printf(out, " (default %s)", row->fallback);
	else if (row->env)
		buf_printf(out, " (environment: %s)", row->env);
}

static void print_options(const struct renderer *r,
			  const struct option_row *rows)
{
	size_t width = clip_width(r->width);
	struct manual_layout l = { .indent = 2,
				   .column = width < NARROW ? 6 : 30,
				   .width = width };

	for (; rows && rows->name; rows++) {
		CLEANUP(buf_done) struct buf term = { 0 }, text = { 0 };

		option_term(&term, rows);
		help_option_text(&text, rows);
		manual_item(r->out, &l, buf_string(&term), buf_string(&text));
	}
}

void help_brief(const struct renderer *r)
{
	print_overview(r, false);
}

void help_all(const struct renderer *r)
{
	struct manual_layout l = { .indent = 2,
				   .column = 16,
				   .width = clip_width(r->width) };

	print_overview(r, true);
	section(r, "Options, before or after the command:");
	print_options(r, config_options);
	section(r, "Topics (mcpctl help TOPIC):");
	for (const struct topic *t = topics; t->name; t++)
		manual_item(r->out, &l, t->name, t->brief);
}

bool help_takes_target(const struct command *c)
{
	return c->flags & (CMD_SESSION | CMD_TARGET) || c == &cmd_run;
}

void help_usage(struct buf *out, const struct command *c)
{
	buf_printf(out, "usage: mcpctl [OPTION]... %s%s",
		   help_takes_target(c) ? "[TARGET] " : "", c->name);
	if (c->args && *c->args)
		buf_printf(out, " %s", c->args);
}

static void print_aliases(FILE *out, const struct command *c)
{
	if (!c->aliases || !c->aliases[0])
		return;
	fputs("\nAlso called:", out);
	for (const char *const *a = c->aliases; *a; a++)
		fprintf(out, " %s", *a);
	fputc('\n', out);
}

void help_command(const struct renderer *r, const struct command *c)
{
	CLEANUP(buf_done) struct buf usage = { 0 }, lines = { 0 };
	size_t width = clip_width(r->width);
	const struct wrap how = { 0, 2, width };
	FILE *out = r->out;

	help_usage(&usage, c);
	wrap_wrap(&lines, buf_string(&usage), usage.len, &how);
	fprintf(out, "%s\n\n", buf_string(&lines));
	buf_reset(&lines);
	buf_printf(&lines, "%c%s.\n", toupper((unsigned char)c->brief[0]),
		   c->brief + 1);
	manual_print(out, buf_string(&lines), width);
	if (c->text) {
		fputc('\n', out);
		manual_print(out, c->text, width);
	}
	print_aliases(out, c);
	if (c->options && c->options->name) {
		section(r, "Options:");
		print_options(r, c->options);
	}
	if (c->examples && c->examples->line)
		section(r, "Examples:");
	for (const struct example *e = c->examples; e && e->line; e++)
		fprintf(out, "  mcpctl %s\n", e->line);
	manual_print(out,
		     "\nOptions that every command has: mcpctl help --all\n",
		     width);
}
