/* SPDX-License-Identifier: MIT */
/*
 * What `run` reads, and what it refuses before anything is sent; the file
 * names of --save; where --expect looks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/expect.h"
#include "cli/save.h"
#include "cli/script.h"
#include "mcp/content.h"

/* A script in a file of its own; its name is yours. */
static char *file_with(const char *text)
{
	char *path = mem_strdup("/tmp/mcpctl-script-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

static int read_script(struct script *s, const char *text, struct error *err)
{
	struct app app = { 0 };
	char *path = file_with(text);
	int status = script_add_file(s, &app, path, err);
	unlink(path);
	mem_free(path);
	return status;
}

static void test_lines(void **state)
{
	struct script s = { 0 };
	(void)state;
	assert_int_equal(read_script(&s,
				     "# a comment\r\n\n  ping  \r\n"
				     "\tcall a 'b c' # not this\ninfo",
				     NULL),
			 0);
	assert_int_equal(s.count, 3);
	assert_string_equal(s.line[0].text, "ping");
	assert_int_equal(s.line[0].number, 3);
	assert_int_equal(s.line[1].number, 4);
	assert_int_equal(s.line[1].words.count, 3);
	assert_string_equal(s.line[1].words.word[2], "b c");
	assert_string_equal(s.line[2].text, "info");
	script_done(&s);
}

static void refuse(const char *text, const char *place, const char *says)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct script s = { 0 };
	assert_int_equal(read_script(&s, text, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, place));
	assert_non_null(strstr(e.text, says));
	script_done(&s);
}

static void test_refused(void **state)
{
	(void)state;
	refuse("ping\nfoo\n", ":2: ", "'foo'");
	refuse("call 'a\n", ":1: ", "quote");
	refuse("\n\nsim\n", ":3: ", "'sim'");
	refuse("run x\n", ":1: ", "'run'");
	refuse("ping --frobnicate\n", ":1: ", "--frobnicate");
}

static void hints_at_shell(const char *text, bool wanted)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct script s = { 0 };
	assert_int_equal(read_script(&s, text, &e), -1);
	assert_int_equal(strstr(e.hint, "mcpctl shell <FILE") != NULL, wanted);
	script_done(&s);
}

/* Pipes and '!' are the shell's: the error says where they work. */
static void test_shell_lines(void **state)
{
	(void)state;
	refuse("ping\ninfo | grep x\n", ":2: ", "'|'");
	refuse("! ls\n", ":1: ", "'!'");
	refuse("!ls\n", ":1: ", "'!'");
	hints_at_shell("call a.b | jq .\n", true);
	hints_at_shell("ping|cat\n", true);
	hints_at_shell("! ls\n", true);
	hints_at_shell("foo\n", false);
	/* Inside quotes it is text, and so is '!' behind the first word. */
	struct script s = { 0 };
	assert_int_equal(read_script(&s,
				     "call a.b x='1|2'\ncall a.b \"|\"\n"
				     "call a.b x\\|y\ncall a.b !\n",
				     NULL),
			 0);
	assert_int_equal(s.count, 4);
	script_done(&s);
}

static void test_no_file(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct app app = { .stdin_taken = true };
	struct script s = { 0 };
	(void)state;
	assert_int_equal(script_add_file(&s, &app, "/no/such/file", &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	/* something else reads stdin */
	assert_int_equal(script_add_file(&s, &app, "-", &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	script_done(&s);
}

static void test_commands(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct words given = { 0 };
	struct script s = { 0 };
	(void)state;
	words_add(&given, "ping");
	words_add(&given, "ipng");
	assert_int_equal(script_add_commands(&s, &given, &e), -1);
	assert_ptr_equal(strstr(e.text, "command 2: "), e.text);
	assert_non_null(strstr(e.hint, "'ping'"));
	script_done(&s);
	words_done(&given);
}

/* As the second of two -e. */
static void refused_as(const char *line, const char *text, const char *hint)
{
	CLEANUP(error_reset) struct error e = { 0 };
	CLEANUP(words_done) struct words given = { 0 };
	struct script s = { 0 };

	words_add(&given, "ping");
	words_add(&given, line);
	assert_int_equal(script_add_commands(&s, &given, &e), -1);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.text, text);
	assert_string_equal(e.hint, hint);
	script_done(&s);
	assert_int_equal(s.count, 0);
}

static void test_messages(void **state)
{
	static const char shell[] =
		"lines with pipes and '!': mcpctl shell <FILE, with the target in front of 'shell'";
	static const char quotes[] =
		"lines with pipes and '!': mcpctl shell <FILE, with the target in front of 'shell'; in quotes '|' is a character";

	(void)state;
	refused_as("!ls", "command 2: '!' is for the shell", shell);
	refused_as("! ls | wc", "command 2: '!' is for the shell", shell);
	refused_as(" a|b", "command 2: '|' is for the shell", quotes);
	refused_as("shell",
		   "command 2: 'shell' makes no sense on an open session", "");
	refused_as("-v", "command 2: option '-v' holds for the whole run",
		   "give it on mcpctl's own command line");
	refused_as("''", "command 2: unknown command ''",
		   "mcpctl help lists the commands; 'call ' calls a tool");
	refused_as("--help", "command 2: no command on this line", "");
	refused_as("call 'x",
		   "command 2: single quote at column 6 is not closed",
		   "close it, or write \\' for the character itself");
}

static void holds(const struct script *s, size_t i, const char *source,
		  size_t number, const char *text)
{
	assert_true(i < s->count);
	assert_string_equal(s->line[i].source, source);
	assert_int_equal(s->line[i].number, number);
	assert_string_equal(s->line[i].text, text);
	assert_non_null(s->line[i].command);
	assert_string_equal(s->line[i].command->name, "ping");
}

/* Comments and blanks are left out, and counted; a mark is no text. */
static void test_sources(void **state)
{
	CLEANUP(mem_free_ptr)
	char *path =
		file_with("\xef\xbb\xbfping\n\n#\n \t\r\n\t ping -v #\r\n");
	CLEANUP(words_done) struct words given = { 0 };
	struct app app = { 0 };
	struct script s = { 0 };

	(void)state;
	words_add(&given, "# x");
	words_add(&given, "  ping ");
	assert_int_equal(script_add_commands(&s, &given, NULL), 0);
	assert_int_equal(s.count, 1);
	holds(&s, 0, "-e", 2, "ping");
	assert_non_null(freopen(path, "r", stdin));
	unlink(path);
	assert_int_equal(script_add_file(&s, &app, "-", NULL), -1);
	assert_true(app.stdin_taken);
	assert_int_equal(s.count, 3);
	holds(&s, 1, "stdin", 1, "ping");
	script_done(&s);
}

static void test_no_text(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct app app = { 0 };
	struct script s = { 0 };

	(void)state;
	assert_int_equal(script_add_file(&s, &app, "/dev/zero", &e), -1);
	assert_string_equal(e.text, "'/dev/zero' is larger than 16 MB");
	app.stdin_taken = true;
	assert_int_equal(script_add_file(&s, &app, "-", &e), -1);
	assert_string_equal(e.text, "stdin is read by something else already");
	assert_string_equal(
		e.hint,
		"only one '-' can stand in a command line: put the other into a file");
}

static void assert_path(const char *path, size_t number, const char *expected)
{
	char *got = save_path(path, number);
	assert_string_equal(got, expected);
	mem_free(got);
}

static void test_save_paths(void **state)
{
	(void)state;
	assert_path("shot.png", 1, "shot.png");
	assert_path("shot.png", 2, "shot-2.png");
	assert_path("a.b/shot", 3, "a.b/shot-3");
	assert_path("a.b/.png", 2, "a.b/.png-2");
	assert_path("x.tar.gz", 10, "x.tar-10.gz");
}

static struct result result_of(const char *text)
{
	struct result out;
	struct message m;
	char *all = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
			       text);
	assert_int_equal(message_decode(&m, all, strlen(all), NULL), 0);
	mem_free(all);
	result_decode_take(&out, &m);
	return out;
}

static bool met(const char *result, const char *expected)
{
	CLEANUP(buf_done) struct buf difference = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(expected, strlen(expected), NULL);
	struct result r = result_of(result);
	assert_non_null(tree);
	bool is_met = expect_met(&r, tree, &difference);
	assert_int_equal(is_met, difference.len == 0);
	result_done(&r);
	return is_met;
}

static void test_expect(void **state)
{
	static const char status[] =
		"{\"content\":[{\"type\":\"text\",\"text\":\"first\"},{"
		"\"type\":\"text\",\"text\":\"{\\\"a\\\":{\\\"b\\\":1,"
		"\\\"c\\\":2}}\"}],\"isError\":false}";
	(void)state;
	assert_true(met(status, "{\"a\":{\"b\":1}}"));
	assert_true(met(status, "\"first\""));
	assert_true(met(status, "{\"isError\":false}"));
	assert_false(met(status, "{\"a\":{\"b\":2}}"));
	assert_false(met(status, "{\"isError\":true}"));
	assert_false(met(status, "\"second\""));
	assert_true(met("{\"structuredContent\":{\"n\":1}}", "{\"n\":1}"));
	assert_false(met("{\"content\":[]}", "true"));
}

static void test_expected_error(void **state)
{
	cJSON *yes = cJSON_Parse("{\"isError\":true}");
	cJSON *no = cJSON_Parse("{\"isError\":false}");
	(void)state;
	assert_true(expect_wants_error(yes));
	assert_false(expect_wants_error(no));
	assert_false(expect_wants_error(NULL));
	cJSON_Delete(yes);
	cJSON_Delete(no);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_shell_lines),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_no_text),
		cmocka_unit_test(test_save_paths),
		cmocka_unit_test(test_expect),
		cmocka_unit_test(test_expected_error),
	};
	return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
