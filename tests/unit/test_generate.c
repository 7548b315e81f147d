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
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/generate_man.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/topics.h"
#include "diag/finding.h"
#include "net/endpoint.h"
#include "sim/profile.h"
#include "sim/sim.h"

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

static void write_mdoc_first(FILE *out)
{
	mdoc_manual(out, mdoc_source, false);
}

static void mdoc_is(void (*write)(FILE *out), const char *source,
		    const char *expected)
{
	char *text;

	mdoc_source = source;
	text = written(write);
	assert_string_equal(text, expected);
	free(text);
}

/* What stands behind what: displays, lists, paragraphs. */
static void test_mdoc_parts(void **state)
{
	(void)state;
	mdoc_is(write_mdoc_first, "a\nb\n\nc\n", "a\nb\n.Pp\nc\n");
	mdoc_is(write_mdoc_first, "\na\n", "a\n");
	mdoc_is(write_mdoc, "a\n", ".Pp\na\n");
	mdoc_is(write_mdoc_first, "  a\n  b\n\n  c\n",
		".Bd -literal -offset indent\na\nb\n\nc\n.Ed\n");
	mdoc_is(write_mdoc_first, "\ta\n\n\t\tb\n",
		".Bd -literal -offset indent\na\n\n\tb\n.Ed\n");
	mdoc_is(write_mdoc_first, "a\tb\nc]\td\n\ne\n",
		".Bl -tag -width Ds\n.It Cm \\&a\nb\n.It Cm \\&c]\\&\nd\n"
		".El\n.Pp\ne\n");
	mdoc_is(write_mdoc_first, "a b)\tc\n  d\ne\tf\n",
		".Bl -tag -width Ds\n.It Cm \\&a \\&b)\\&\nc\n.El\n"
		".Bd -literal -offset indent\nd\n.Ed\n"
		".Bl -tag -width Ds\n.It Cm \\&e\nf\n.El\n");
	mdoc_is(write_mdoc_first, " a\n", "a\n");
}

static void write_mdoc_text(FILE *out)
{
	mdoc_text(out, mdoc_source, strlen(mdoc_source));
}

static void test_mdoc_text(void **state)
{
	static const char x[] =
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; /* 38 */
	char line[100], wrapped[100];

	(void)state;
	mdoc_is(write_mdoc_text,
		"one-two --opt-x -n 3-4 (end.) 1. ... x? y\\z `q` ^~\" "
		"it's \xe2\x80\xa6 'e.') a",
		"one-two \\-\\-opt\\-x \\-n 3\\-4 (end.)\n1. ... x?\n"
		"y\\ez \\(gaq\\(ga \\(ha\\(ti\\(dq it\\(aqs ... "
		"\\(aqe.\\(aq)\na\n");
	mdoc_is(write_mdoc_text, ". a  b ! c! 7", "\\&. a b ! c!\n7\n");
	mdoc_is(write_mdoc_text, "", "");
	/* 76 columns, and one more. */
	snprintf(line, sizeof(line), "%s %s", x, x + 1);
	snprintf(wrapped, sizeof(wrapped), "%s %s\n", x, x + 1);
	mdoc_is(write_mdoc_text, line, wrapped);
	snprintf(line, sizeof(line), "%s %s", x, x);
	snprintf(wrapped, sizeof(wrapped), "%s\n%s\n", x, x);
	mdoc_is(write_mdoc_text, line, wrapped);
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
		{ "list|get [ID]", " Cm list|get Oo Ar ID Oc" },
		{ "A ...", " Ar A ..." },
		{ "A -", " Ar A Ar -" },
		{ "A..B", " Ar A..B" },
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

static size_t manual_width;
static void print_source(FILE *out)
{
	manual_print(out, mdoc_source, manual_width);
}

static void manual_is(size_t width, const char *source, const char *expected)
{
	manual_width = width;
	mdoc_is(print_source, source, expected);
}

static void test_manual_parts(void **state)
{
	(void)state;
	/* As wide as the page, and one more. */
	manual_is(7, "abc def\n", "abc def\n");
	manual_is(6, "abc def\n", "abc\ndef\n");
	manual_is(40, "a  b \nc\n", "a b c\n");
	manual_is(40, "a\n  b\nc\n\n\nd", "a\n  b\nc\n\n\nd\n");
	manual_is(40, "a\n\tb\n", "a\n\tb\n");
	/* A page that is too narrow for two columns. */
	manual_is(20, "abcdefg\tone two three\n",
		  "  abcdefg\n      one two three\n");
	manual_is(22, "abcdefg\tone two three\n",
		  "  abcdefg  one two\n           three\n");
	/* A term as wide as its column stands alone, as does one without text. */
	manual_is(80, "abc\t\nabcdefghijklmnopqrstuvwxyz\td\n",
		  "  abc\n  abcdefghijklmnopqrstuvwxyz\n       d\n");
	manual_is(80, "abcdefghijklmnopqrstuvwx\td\n",
		  "  abcdefghijklmnopqrstuvwx  d\n");
	manual_is(80, "abcdefghijklmnopqrstuvwxy\td\n",
		  "  abcdefghijklmnopqrstuvwxy\n            d\n");
	/* Each run of items has its own column. */
	manual_is(80, "a\tb\n\nlonger\tc\n", "  a  b\n\n  longer  c\n");
	manual_is(80, "\xe9\x9f\xb3\tb\nab\tc\n",
		  "  \xe9\x9f\xb3  b\n  ab  c\n");
}

static const struct command *help_of;
static size_t help_width;
static void write_help(FILE *out)
{
	const struct renderer r = { .out = out, .width = help_width };

	help_command(&r, help_of);
}

static char *help(const struct command *c, size_t width)
{
	help_of = c;
	help_width = width;
	return written(write_help);
}

/* One command: how it is called, its text, names, options, examples. */
static void test_help_command(void **state)
{
	static const char *const parts[] = {
		"usage: mcpctl [OPTION]... [TARGET] info\n\n",
		"\n\nAlso called: hello\n",
	};
	char *text = help(&cmd_info, 200), *narrow_text, *least;

	(void)state;
	for (size_t i = 0; i < COUNT(parts); i++)
		has(text, parts[i]);
	has(text, "\n\nExamples:\n  mcpctl ");
	has(text, "\nOptions that every command has: mcpctl help --all\n");
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		assert_true(text_width(line, len) <= 80);
		line += len + (line[len] == '\n');
	}
	free(text);
	/* Without options, aliases: no heading of theirs. */
	text = help(&cmd_version, 80);
	has(text, "usage: mcpctl [OPTION]... version\n\n");
	has_not(text, "[TARGET]");
	has_not(text, "Also called");
	has_not(text, "\nOptions:\n");
	free(text);
	text = help(&cmd_call, 80);
	has(text, "usage: mcpctl [OPTION]... [TARGET] call TOOL ");
	has(text, "\n\nOptions:\n");
	has(text, "\n      --no-validate          ");
	free(text);
	/* A terminal of few columns is written for as if it had 40. */
	narrow_text = help(&cmd_call, 40);
	least = help(&cmd_call, 10);
	assert_string_equal(narrow_text, least);
	has(narrow_text, "\n      --no-validate\n      ");
	free(narrow_text);
	free(least);
}

static void all_at(FILE *out)
{
	const struct renderer r = { .out = out, .width = help_width };

	help_all(&r);
}

static void brief_at(FILE *out)
{
	const struct renderer r = { .out = out, .width = help_width };

	help_brief(&r);
}

/* Groups stand in the margin, where there is one. */
static void test_help_overview(void **state)
{
	char *text;

	(void)state;
	help_width = 80;
	text = written(brief_at);
	has(text, "usage: mcpctl [OPTION]... [TARGET] COMMAND [OPERAND]...\n\n"
		  "Start here:\n"
		  "  mcpctl sim: tools      try it");
	has(text, "\nstart     ");
	has(text, "\nuse       ");
	has(text, "\nmore      ");
	has(text, "\n\nMore: mcpctl help --all, help COMMAND, help TOPIC; "
		  "topics: ");
	free(text);
	help_width = 60;
	text = written(brief_at);
	has(text, "\nstart     ");
	free(text);
	help_width = 59;
	text = written(brief_at);
	has(text, "\nstart\n  ");
	has(text, "\nmore\n  ");
	has(text, "  mcpctl sim: tools\n      try it");
	free(text);
	help_width = 80;
	text = written(all_at);
	has(text, "\nprogram   ");
	has_not(text, "\nmore ");
	has_not(text, "generate ");
	has(text, "\n\nMore: mcpctl help COMMAND, help TOPIC; topics: ");
	has(text, "\n\nOptions, before or after the command:\n"
		  "  -t, --target TARGET         ");
	has(text, "\n\nTopics (mcpctl help TOPIC):\n  ");
	has(text, "\n      --advertise ");
	has(text, "(environment: MCPCTL_TARGET)");
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

/* The parts of the long ones, and what is written from tables. */
static void test_topic_parts(void **state)
{
	static const struct {
		const char *topic, *part;
	} rows[] = {
		{ "backend", "'mcpctl serve' is what a stock board accepts" },
		{ "backend", "\n\nA board over MQTT: --mqtt starts a broker" },
		{ "backend", "\n\nPictures: boards with a camera upload them" },
		{ "servers", "The commands for devices work on every MCP" },
		{ "servers", "\n\nServers have names where an mcp.json lists" },
		{ "servers", "\n\nA server may ask, too." },
		{ "servers", "\n\nWhat failed for a reason that may pass" },
		{ "llm", "'mcpctl sim llm' is an MCP server" },
		{ "endpoint", "An access point (MCP endpoint, as servers" },
		{ "status", "0\tgood\n1\tthe peer answered with an error" },
		{ "json", "With -o json (or MCPCTL_OUTPUT=json) stdout" },
		{ "json", "info in full:\n" },
		{ "json", "A line of tail:\n" },
		{ "json", "stderr carries one JSON object a line too" },
		{ "json", "\nA line of tools --diff:\n" },
		{ "json", "\nexplain prints a line for each code: " },
		{ "json", "\n--jq EXPR asks these lines in the language" },
		{ "profile", "Installed profiles, of simulated devices and" },
		{ "profile", "\n\nA profile is a JSON file that says what a" },
		{ "profile", "and with any of these beside it:\n" },
		{ "profile", "\n\nA service is another kind of profile: " },
		{ "profile", "Steps are what happens before a result" },
		{ "profile", "With outputSchema or normalise, the result of" },
		{ "faults", "The simulated device can misbehave, each way" },
		{ "findings", "What is wrong or odd on the wire is told" },
		{ "capture", "\nEvery event has n, t and kind; " },
		{ "environment", "An option on the command line goes first" },
		{ "environment", "\nMCPCTL_TARGET\tthe value of --target\n" },
		{ "environment", "\nCOLUMNS\tthe width where there is no" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		topic_find(rows[i].topic)->write(&text);
		has(buf_string(&text), rows[i].part);
	}
}

static void has_line(const struct buf *text, const char *term,
		     const char *begin)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf("\n%s\t%s", term, begin);

	if (strncmp(text->data, line + 1, strlen(line + 1)) != 0)
		has(text->data, line);
}

static void has_profile(void *owner, const char *name, const char *brief)
{
	has_line(owner, name, brief);
}

static void has_variables(const struct buf *text, const struct option_row *rows,
			  const char *of)
{
	for (; rows && rows->name; rows++) {
		CLEANUP(mem_free_ptr)
		char *says =
			mem_printf("the value of --%s%s%s%s\n", rows->name,
				   of ? " (" : "", of ? of : "", of ? ")" : "");

		if (rows->env)
			has_line(text, rows->env, says);
	}
}

static void test_topic_tables(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	topic_find("targets")->write(&text);
	for (const struct scheme *s = schemes; s->name; s++)
		has_line(&text, s->syntax, s->brief);
	buf_reset(&text);
	topic_find("faults")->write(&text);
	for (const struct sim_fault_row *f = sim_fault_rows; f->name; f++)
		has_line(&text, f->name, f->brief);
	buf_reset(&text);
	topic_find("profile")->write(&text);
	sim_each_profile(has_profile, &text);
	buf_reset(&text);
	topic_find("environment")->write(&text);
	has_variables(&text, config_options, NULL);
	for (const struct command *const *c = commands; *c; c++)
		has_variables(&text, (*c)->options, (*c)->name);
	buf_reset(&text);
	topic_find("findings")->write(&text);
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		const struct finding_row *row = finding_row((enum diag_code)i);
		CLEANUP(mem_free_ptr)
		char *begin = mem_printf(
			"%s: %s. ", severity_name(row->severity), row->title);

		has_line(&text, row->code, begin);
	}
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
		cmocka_unit_test(test_mdoc_parts),
		cmocka_unit_test(test_mdoc_text),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_manual),
		cmocka_unit_test(test_manual_parts),
		cmocka_unit_test(test_help_command),
		cmocka_unit_test(test_help_overview),
		cmocka_unit_test(test_topics),
		cmocka_unit_test(test_topic_parts),
		cmocka_unit_test(test_topic_tables),
	};

	return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
