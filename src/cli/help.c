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

#include <ctype.h>
#include <string.h>

#define GROUP_COUNT (GROUP_PROGRAM + 1)
#define BRIEF_WIDTH 80 /* columns */

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

/* "more      resources templates read …": what the lines above have no room for. */
static void print_others(FILE *out)
{
	size_t column = 9; /* of what stands there */

	fprintf(out, "%-9s", "more");
	for (const struct command *const *c = commands; *c; c++) {
		size_t width = strlen((*c)->name) + 1;

		if (((*c)->flags & CMD_HIDDEN) || is_brief(*c))
			continue;
		if (column + width > BRIEF_WIDTH) {
			fprintf(out, "\n%-9s", "");
			column = 9;
		}
		fprintf(out, " %s", (*c)->name);
		column += width;
	}
	fputc('\n', out);
}

/* One line a command, groups in the left margin. */
static void print_commands(FILE *out, bool all)
{
	for (unsigned group = 0; group < GROUP_COUNT; group++) {
		const char *heading = group_names[group];

		for (const struct command *const *c = commands; *c; c++) {
			if ((*c)->group != group ||
			    ((*c)->flags & CMD_HIDDEN) ||
			    (!all && !is_brief(*c)))
				continue;
			fprintf(out, "%-10s%-12s%s\n", heading, (*c)->name,
				(*c)->brief);
			heading = "";
		}
	}
}

static void print_topics(FILE *out)
{
	for (const struct topic *t = topics; t->name; t++)
		fprintf(out, "%s%s", t == topics ? "" : " ", t->name);
	fputc('\n', out);
}

static void print_overview(FILE *out, bool all)
{
	fputs("usage: mcpctl [OPTION]... [TARGET] COMMAND [OPERAND]...\n\n"
	      "Start here:\n"
	      "  mcpctl sim: tools      try it: a simulated device, no hardware\n"
	      "  mcpctl serve           wait for your boards; says what to set on them\n\n",
	      out);
	print_commands(out, all);
	if (!all)
		print_others(out);
	fprintf(out,
		"\nMore: %smcpctl help COMMAND, mcpctl help TOPIC; the topics are\n",
		all ? "" : "mcpctl help --all, ");
	print_topics(out);
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

static void print_options(FILE *out, const struct option_row *rows,
			  size_t width)
{
	struct manual_layout l = { .indent = 2, .column = 30, .width = width };

	for (; rows && rows->name; rows++) {
		CLEANUP(buf_done) struct buf term = { 0 }, text = { 0 };

		option_term(&term, rows);
		help_option_text(&text, rows);
		manual_item(out, &l, buf_string(&term), buf_string(&text));
	}
}

void help_brief(FILE *out)
{
	print_overview(out, false);
}

void help_all(FILE *out, size_t width)
{
	struct manual_layout l = { .indent = 2,
				   .column = 16,
				   .width = clip_width(width) };

	print_overview(out, true);
	fputs("\nOptions, before or after the command:\n", out);
	print_options(out, config_options, l.width);
	fputs("\nTopics (mcpctl help TOPIC):\n", out);
	for (const struct topic *t = topics; t->name; t++)
		manual_item(out, &l, t->name, t->brief);
}

bool help_takes_target(const struct command *c)
{
	return c->flags & CMD_SESSION || c == &cmd_run;
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

void help_command(FILE *out, const struct command *c, size_t width)
{
	CLEANUP(buf_done) struct buf usage = { 0 };

	width = clip_width(width);
	help_usage(&usage, c);
	fprintf(out, "%s\n\n%c%s.\n", buf_string(&usage),
		toupper((unsigned char)c->brief[0]), c->brief + 1);
	if (c->text) {
		fputc('\n', out);
		manual_print(out, c->text, width);
	}
	print_aliases(out, c);
	if (c->options && c->options->name) {
		fputs("\nOptions:\n", out);
		print_options(out, c->options, width);
	}
	if (c->examples && c->examples->line)
		fputs("\nExamples:\n", out);
	for (const struct example *e = c->examples; e && e->line; e++)
		fprintf(out, "  mcpctl %s\n", e->line);
	fputs("\nOptions that every command has: mcpctl help --all\n", out);
}
