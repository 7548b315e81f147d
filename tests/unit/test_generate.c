/* SPDX-License-Identifier: MIT */
/*
 * Help and man page name everything that the table has, and nothing that is
 * hidden; their form is what mdoc expects. (Completions: test_complete.c.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/config.h"
#include "cli/generate_man.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/topics.h"

/* What a writer writes; yours to free. */
static char *written(void (*write)(FILE *out))
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	write(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("does not contain: %s", part);
}

static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("contains: %s", part);
}

static void brief(FILE *out)
{
	const struct renderer r = { .out = out, .width = 80 };

	help_brief(&r);
}

static void narrow(FILE *out)
{
	const struct renderer r = { .out = out, .width = 40 };

	help_all(&r);
}

/* Words are whole at 40 columns too; the name of an option stays on its line. */
static void test_narrow(void **state)
{
	char *text = written(narrow);

	(void)state;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		if (text_width(line, len) > 40 &&
		    strncmp(line, "      --", 8) != 0)
			fail_msg("longer than 40 columns: %.*s", (int)len,
				 line);
		line += len + (line[len] == '\n');
	}
	has(text, "\n  tools       the tools of the peer, a\n");
	free(text);
}

static void test_brief(void **state)
{
	char *text = written(brief);
	const char *line = text;
	int lines = 0;

	(void)state;
	while (*line) {
		size_t len = strcspn(line, "\n");

		if (text_width(line, len) > 80)
			fail_msg("longer than 80 columns: %.*s", (int)len,
				 line);
		lines++;
		line += len + (line[len] == '\n');
	}
	assert_true(lines <= 24);
	for (const struct command *const *c = commands; *c; c++) {
		if (!((*c)->flags & CMD_HIDDEN))
			has(text, (*c)->flags & CMD_MINOR ||
						  (*c)->group == GROUP_PROGRAM ?
					  (*c)->name :
					  (*c)->brief);
	}
	has_not(text, "generate");
	has(text, "mcpctl sim: tools");
	has(text, "mcpctl serve");
	free(text);
}

/* The options as items of a list: no hyphen of theirs ends a line. */
static void each_item(const char *man, const struct option_row *rows)
{
	for (; rows && rows->name; rows++) {
		CLEANUP(buf_done) struct buf item = { 0 };

		buf_text(&item, "Fl \\-");
		for (const char *at = rows->name; *at; at++)
			buf_printf(&item, "%s%c", *at == '-' ? "\\" : "", *at);
		has(man, buf_string(&item));
	}
}

static const char *page_name;
static void write_page(FILE *out)
{
	assert_int_equal(generate_page(out, page_name), 0);
}

/* The page mcpctl-WORD of that section (mcpctl without a word); yours to free. */
static char *page(const char *word, char section)
{
	char name[40];

	snprintf(name, sizeof(name), "mcpctl%s%s.%c", *word ? "-" : "", word,
		 section);
	page_name = name;
	char *text = written(write_page), *list = written(generate_man);

	snprintf(strchr(name, 0), 2, "\n");
	has(list, name);
	free(list);
	/* An empty line is an error in mdoc outside of displays. */
	has_not(text, "\n\n.");
	return text;
}

/* With NULL behind the last. */
static void in_order(const char *man, const char *const *sections)
{
	for (const char *at = man; *sections; sections++) {
		char line[40];

		snprintf(line, sizeof(line), "\n.Sh %s\n", *sections);
		at = strstr(at, line);
		if (!at)
			fail_msg("section %s is missing or out of order",
				 *sections);
	}
}

static void test_man(void **state)
{
	static const char *const sections[] = {
		"NAME",	       "SYNOPSIS", "DESCRIPTION", "TARGETS",
		"COMMANDS",    "OPTIONS",  "ENVIRONMENT", "FILES",
		"EXIT STATUS", "EXAMPLES", "SEE ALSO",	  NULL
	};
	char *man = page("", '1'), *again = page("", '1');

	(void)state;
	assert_string_equal(man, again);
	in_order(man, sections);
	each_item(man, config_options);
	for (const struct option_row *row = config_options; row->name; row++) {
		if (row->env)
			has(man, row->env);
	}
	has(man, "MCPCTL_TOKEN");
	has(man, "\n.It Cm \\&listen:");
	has(man,
	    "\nwss:, https:, sse+https:, mqtts:, mcp+mqtts: are the same over TLS.");
	has(man, "\n.It Xr mcpctl-call 1\n");
	has(man, "\n.Xr mcpctl-profile 5 ,\n");
	has_not(man, "mcpctl-generate");
	free(man);
	free(again);
}

static void test_man_commands(void **state)
{
	static const char *const sections[] = { "NAME",	 "SYNOPSIS", "EXAMPLES",
						"NOTES", "SEE ALSO", NULL };
	size_t count = 0;

	(void)state;
	for (const struct command *const *c = commands; *c; c++) {
		if ((*c)->flags & CMD_HIDDEN)
			continue;
		char *man = page((*c)->name, '1');

		in_order(man, sections);
		each_item(man, (*c)->options);
		for (const char *const *a = (*c)->aliases; a && *a; a++)
			has(man, *a);
		has(man, "\n.Xr mcpctl 1");
		free(man);
		count++;
	}
	assert_true(count > 20);
	assert_int_equal(generate_page(stdout, "mcpctl-generate.1"), -1);
	assert_int_equal(generate_page(stdout, "mcpctl-call.7"), -1);
	assert_int_equal(generate_page(stdout, "mcpctl-call"), -1);
}

/* Others that its text names, in order; what every page has; not itself. */
static void test_man_see_also(void **state)
{
	char *man = page("faults", '7'), *call = page("call", '1');

	(void)state;
	has(man, ".Sh SEE ALSO\n.Xr mcpctl 1 ,\n.Xr mcpctl-sim 1\n");
	has(call,
	    "\n.Xr mcpctl-upgrade 1 ,\n.Xr mcpctl-watch 1 ,\n.Xr mcpctl-json 7 ,\n.Xr mcpctl-targets 7\n");
	has_not(call, ".Xr mcpctl-call 1");
	free(man);
	free(call);
}

static void test_man_topics(void **state)
{
	char *man = page("", '1');

	(void)state;
	for (const struct topic *t = topics; t->name; t++) {
		char section[40];

		if (t->page) {
			char *own = page(t->name, t->page);

			has(own, "\n.Sh DESCRIPTION\n");
			has(own, "\n.Xr mcpctl 1");
			free(own);
			continue;
		}
		snprintf(section, sizeof(section), "\n.Sh %s\n", t->section);
		has(man, section);
	}
	free(man);
}

/* What is there to be installed is what is written now: `make generate`. */
static void test_man_kept(void **state)
{
	char *list = written(generate_man), *rest = list, *name;
	size_t count = 0;

	(void)state;
	/* A user's own profiles and facts stand on no page. */
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	while (*(name = strsep(&rest, "\n"))) {
		CLEANUP(buf_done) struct buf path = { 0 }, kept = { 0 };
		char *text;

		page_name = name;
		text = written(write_page);
		buf_printf(&path, "man/%s", name);
		assert_int_equal(
			file_read(&kept, "page", buf_string(&path), NULL), 0);
		if (strcmp(text, buf_string(&kept)) != 0)
			fail_msg("%s: 'make generate' writes another one",
				 buf_string(&path));
		free(text);
		count++;
	}
	assert_true(count > 60);
	free(list);
}

static const char *mdoc_source;
static void write_mdoc(FILE *out)
{
	mdoc_manual(out, mdoc_source, true);
}

static void test_mdoc(void **state)
{
	char *text;

	(void)state;
	mdoc_source = "First. Second \\n.\n"
		      "\n"
		      "  ./run --x\n"
		      "\n"
		      "  .y 'z'\n"
		      "\n"
		      "'quoted' word\n"
		      "Ar\tan item\n";
	text = written(write_mdoc);
	assert_string_equal(text, ".Pp\n"
				  "First.\n"
				  "Second \\en.\n"
				  ".Bd -literal -offset indent\n"
				  "\\&./run \\-\\-x\n"
				  "\n"
				  "\\&.y \\(aqz\\(aq\n"
				  ".Ed\n"
				  ".Pp\n"
				  "\\(aqquoted\\(aq word\n"
				  ".Bl -tag -width Ds\n"
				  ".It Cm \\&Ar\n"
				  "an item\n"
				  ".El\n");
	free(text);
}

static void write_operands(FILE *out)
{
	mdoc_operands(out, mdoc_source);
}

static void test_operands(void **state)
{
	static const char *const pairs[][2] = {
		{ "TOOL [ARG]...", " Ar TOOL Oo Ar ARG Oc Ns ..." },
		{ "[FILE|-]", " Oo Ar FILE|- Oc" },
		{ "[-e COMMAND]...", " Oo Fl e Ar COMMAND Oc Ns ..." },
		{ "[", " Oo" },
		{ "", "" }
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		mdoc_source = pairs[i][0];
		char *text = written(write_operands);
		assert_string_equal(text, pairs[i][1]);
		free(text);
	}
}

static void print_manual(FILE *out)
{
	manual_print(out,
		     "one two three four five six seven eight\n"
		     "\n"
		     "  as is   here\n"
		     "A\tshort one\n"
		     "LONGER\tthis text goes on and on and on",
		     32);
}

static void test_manual(void **state)
{
	char *text = written(print_manual);

	(void)state;
	assert_string_equal(text, "one two three four five six\n"
				  "seven eight\n"
				  "\n"
				  "  as is   here\n"
				  "  A       short one\n"
				  "  LONGER  this text goes on and\n"
				  "          on and on\n");
	free(text);
}

static void test_topics(void **state)
{
	(void)state;
	for (const struct topic *t = topics; t->name; t++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		t->write(&text);
		assert_true(text.len > 100);
		assert_ptr_equal(topic_find(t->name), t);
	}
	assert_null(topic_find("nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brief),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_man),
		cmocka_unit_test(test_man_commands),
		cmocka_unit_test(test_man_see_also),
		cmocka_unit_test(test_man_topics),
		cmocka_unit_test(test_man_kept),
		cmocka_unit_test(test_mdoc),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_manual),
		cmocka_unit_test(test_topics),
	};

	return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
