/* SPDX-License-Identifier: MIT */
/*
 * Lines of the shell: words, JSON without quotes, pipes, '!', what is open,
 * what holds a secret.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "shell/shell_line.h"

/* The words of a line as "a|b|c", then " => CMD" if there is one for sh. */
static void reads(const char **text, const char *expected)
{
	CLEANUP(shell_line_done) struct shell_line line = { 0 };
	CLEANUP(buf_done) struct buf got = { 0 };
	struct error err = { 0 };

	if (shell_line_read(&line, text, &err) != 0)
		fail_msg("not read: %s", err.text);
	for (size_t i = 0; i < line.words.count; i++)
		buf_printf(&got, "%s<%s>", i ? " " : "", line.words.word[i]);
	if (line.outside)
		buf_printf(&got, " => %s", line.outside);
	assert_string_equal(buf_string(&got), expected);
}

static void read_one(const char *text, const char *expected)
{
	reads(&text, expected);
	assert_string_equal(text, "");
}

/* rest: what is read next. */
static void refused_before(const char *text, const char *says, const char *hint,
			   const char *rest)
{
	CLEANUP(shell_line_done) struct shell_line line = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	assert_int_equal(shell_line_read(&line, &text, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, says);
	assert_string_equal(err.hint, hint);
	assert_string_equal(text, rest);
}

static void refused(const char *text, const char *says, const char *hint)
{
	refused_before(text, says, hint, "");
}

static void words(void **state)
{
	(void)state;
	read_one("", "");
	read_one("  \t ", "");
	read_one("# a comment", "");
	read_one("call x a=1", "<call> <x> <a=1>");
	read_one("call x 'a b' \"c'd\" e\\ f # not this | nor this",
		 "<call> <x> <a b> <c'd> <e f>");
	read_one("a#b", "<a#b>");
	read_one("  ping\r", "<ping>");
	read_one("你好 '世 界'", "<你好> <世 界>");
	read_one("a\tb\rc", "<a> <b> <c>");
	read_one("a#b #c", "<a#b>");
	read_one("a\\#b", "<a#b>");
	read_one("''#a", "<#a>");
	read_one("a=#b", "<a=#b>");
	refused("call 'x", "single quote at column 6 is not closed",
		"close it, or write \\' for the character itself");
	refused("call \"x", "double quote at column 6 is not closed",
		"close it, or write \\\" for the character itself");
	refused("call x \\", "the line ends with a backslash",
		"write \\\\ for the character itself");
}

static void json(void **state)
{
	(void)state;
	read_one("call x {\"a\": 1, \"b\": [1, 2]}",
		 "<call> <x> <{\"a\": 1, \"b\": [1, 2]}>");
	read_one("x a:=[1, 2] b={\"c\": \"d e\"}",
		 "<x> <a:=[1, 2]> <b={\"c\": \"d e\"}>");
	read_one("x {\"a\":\"it's } | \\\" #\"} y",
		 "<x> <{\"a\":\"it's } | \\\" #\"}> <y>");
	read_one("x {\n\"a\":1\n}", "<x> <{\n\"a\":1\n}>");
	/* As it is typed for other shells. */
	read_one("x '{\"a\": 1}'", "<x> <{\"a\": 1}>");
	read_one("x {\\\"a\\\":1}", "<x> <{\"a\":1}>");
	read_one("x {'\"a\"':1}", "<x> <{\"a\":1}>");
	/* Globs. */
	read_one("tools self.[ab]*", "<tools> <self.[ab]*>");
	read_one("tools [ab]*", "<tools> <[ab]*>");
	read_one("tools [!a]*", "<tools> <[!a]*>");
	/* No JSON: words. */
	read_one("x {a", "<x> <{a>");
	read_one("x }{", "<x> <}{>");
	read_one("x [}", "<x> <[}>");
}

/* As deep as that JSON is one word; deeper it is split as words are. */
static void deep(void **state)
{
	enum { DEPTH = 200 };

	(void)state;
	for (int more = 0; more < 2; more++) {
		CLEANUP(shell_line_done) struct shell_line line = { 0 };
		CLEANUP(buf_done) struct buf b = { 0 };
		const char *text;

		buf_text(&b, "x ");
		for (int i = 0; i < DEPTH + more; i++)
			buf_char(&b, '[');
		buf_text(&b, "1, 2");
		for (int i = DEPTH + more; i > 0; i--)
			buf_char(&b, ']');
		text = buf_string(&b);
		assert_int_equal(shell_line_read(&line, &text, NULL), 0);
		assert_int_equal(line.words.count, 2 + more);
	}
}

/* JSON begins a word, or a value behind an unquoted '='. */
static void where_json_begins(void **state)
{
	(void)state;
	read_one("a{\"b\": 1}", "<a{b:> <1}>");
	read_one("a=x{\"b\": 1}", "<a=x{b:> <1}>");
	read_one("a={\"b\": 1}", "<a={\"b\": 1}>");
	read_one("a'='{\"b\": 1}", "<a={b:> <1}>");
	read_one("a\\={\"b\": 1}", "<a={b:> <1}>");
	read_one("a= {\"b\": 1}", "<a=> <{\"b\": 1}>");
	read_one("{\"b\": 1} c", "<{\"b\": 1}> <c>");
	read_one("[1, 2]{\"b\": 1}", "<[1, 2]{b:> <1}>");
	read_one("a=[1, 2][3, 4]", "<a=[1, 2][3,> <4]>");
	read_one("a=[1, -2.5e+3 ,\t{}]#b", "<a=[1, -2.5e+3 ,\t{}]#b>");
	read_one("[1] #b", "<[1]>");
	read_one("[1]|b", "<[1]> => b");
	read_one("[1]\\ b", "<[1] b>");
	read_one("[1, 2}", "<[1,> <2}>");
	read_one("{\"a\": [1, 2}]", "<{a:> <[1,> <2}]>");
	read_one("[a*, b]", "<[a*,> <b]>");
}

static void pipes(void **state)
{
	(void)state;
	read_one("call x | jq .", "<call> <x> => jq .");
	read_one("call x|jq '.a | .b'|cat  ", "<call> <x> => jq '.a | .b'|cat");
	read_one("call 'a|b' c\\|d \"e|f\"", "<call> <a|b> <c|d> <e|f>");
	read_one("x {\"a\":\"|\"} | cat", "<x> <{\"a\":\"|\"}> => cat");
	read_one("x | jq 'a\nb'", "<x> => jq 'a\nb'");
	read_one("x | echo # all of it", "<x> => echo # all of it");
	read_one("x |cat\t\r", "<x> => cat");
	read_one("x | a || b", "<x> => a || b");
	read_one("x | 'a\\' b", "<x> => 'a\\' b");
	read_one("x | \"a\\\"\nb\"", "<x> => \"a\\\"\nb\"");
	read_one("x # a | b", "<x>");
	refused("x |", "nothing stands behind '|'", "a command for sh: | jq .");
	refused_before("x | \t\ninfo", "nothing stands behind '|'",
		       "a command for sh: | jq .", "\ninfo");
	refused("| cat", "nothing stands before '|'", "");
	refused_before("x || y",
		       "'||' is not known here: a line is one command", "",
		       "| y");
}

static void outside(void **state)
{
	(void)state;
	read_one("! ls -l | wc", " => ls -l | wc");
	read_one("!ls", " => ls");
	read_one("  ! echo 'a\nb'", " => echo 'a\nb'");
	read_one("call !x", "<call> <!x>");
	read_one("!a|b\r", " => a|b");
	read_one("! a # b", " => a # b");
	refused("!", "nothing stands behind '!'", "a command for sh: ! ls");
	refused_before("! \t\ninfo", "nothing stands behind '!'",
		       "a command for sh: ! ls", "\ninfo");
}

static void many(void **state)
{
	const char *text = "\n ping # one\n\n! ls\n# no\ncall x | cat\ninfo\n";

	(void)state;
	reads(&text, "<ping>");
	reads(&text, " => ls");
	reads(&text, "<call> <x> => cat");
	reads(&text, "<info>");
	reads(&text, "");
	assert_string_equal(text, "");
}

static void open_lines(void **state)
{
	static const char *const open[] = { "call x {",
					    "call x {\"a\":1,",
					    "call x '",
					    "call x \"a",
					    "call x a:=[1,",
					    "call x {\"a",
					    "ping \\",
					    "x \"a\\\"",
					    "x | \\",
					    "ping\n{",
					    "a=\n[",
					    "x {\"a\":[{}",
					    "x | jq '.a",
					    "! echo 'a",
					    "ping\ncall x {",
					    "call x '{\n\"a\":1",
					    "call x {\"a\":1\n," };
	static const char *const whole[] = { "",
					     "ping",
					     "call x {}",
					     "call x '{'",
					     "call x {a'}",
					     "# it's {",
					     "! echo {",
					     "x | awk {",
					     "call x {\"a\":\n1}",
					     "call x \\{",
					     "call a{",
					     "tools self.[",
					     "call x {\"}\"}",
					     "x }",
					     "ping\n\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(open); i++) {
		if (!shell_line_is_open(open[i]))
			fail_msg("not open: %s", open[i]);
	}
	for (size_t i = 0; i < COUNT(whole); i++) {
		/* The quote in it is one. */
		bool expected = strcmp(whole[i], "call x {a'}") == 0;

		if (shell_line_is_open(whole[i]) != expected)
			fail_msg("open: %s", whole[i]);
	}
}

/* Depths and lengths that no person types. */
static void hostile(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const char *text;
	CLEANUP(shell_line_done) struct shell_line line = { 0 };

	(void)state;
	buf_text(&b, "x ");
	for (int i = 0; i < 100000; i++)
		buf_char(&b, '[');
	text = buf_string(&b);
	assert_int_equal(shell_line_read(&line, &text, NULL), 0);
	assert_int_equal(line.words.count, 2);
	shell_line_is_open(buf_string(&b));
}

static void secrets(void **state)
{
	static const char *const secret[] = {
		"call x token=abc",
		"call x {\"token\":\"abc\"}",
		"call x '{\"access_token\": \"abc\"}'",
		"self.wifi.set ssid=a password=b",
		"x wifiPassword:=\"b\"",
		"x PASSWD=b",
		"x api_key=1",
		"x apikey=1",
		"x key=1",
		"x {\"privateKey\":1}",
		"x client-secret=1",
		"send '{\"Authorization\":\"Basic x\"}'",
		"! curl -H 'Authorization: Bearer x' http://h",
		"! curl --oauth2-bearer x; echo bearer x",
		"x {\\\"secret\\\":1}",
		"! mqtt --password abc",
		"use ws://me:abc@h/",
		"! curl https://abc@h/x",
		"x basic_auth=a:b",
		"! curl --header 'X-Auth: a'",
		"! curl -H 'Cookie: sid=a'",
		"x {\"request_signature\":\"a\"}",
		"x otp=1",
		"x pincode=1",
		"x passcode=1",
		"x token = a",
		"x token\t:a",
		"x \"token\"=a",
		"x psk=1",
		"x pwd:1",
		"x aws.credential=1",
		"x pin_code=1",
		"x passphrase=1",
		"x myAuth=1",
		"x my2key=1",
		"x my.key=1",
		"x apiKey=1",
		"x -token a",
		"x --token\ta",
		"x --key a",
		"x token b token=c",
		"get http://h ws://me@h",
		"use ws://me@h",
		"x Bearer a"
	};
	static const char *const harmless[] = { "ping",
						"help token",
						"tools password",
						"call self.press_button name=a",
						"describe get_token",
						"x monkey=1",
						"x hotkeys=2",
						"x author=a",
						"self.gpio.set pin=5",
						"x spin=1",
						"self.set volume=3",
						"use ws://h/a@b",
						"! curl http://h me@h",
						"call x {\"keyboard\":1}",
						"",
						"x token",
						"x token a",
						"x --token",
						"x --token  ",
						"x --token -v",
						"x --token\na",
						"x toke=1",
						"x oauth=1",
						"x ke=1",
						"x keyx=1",
						"x a=token",
						"x bearer",
						"x http://h/?a@b",
						"x http://h#a@b",
						"x http://h\ta@b",
						"x http:/me@h",
						"x me@h" };

	(void)state;
	for (size_t i = 0; i < COUNT(secret); i++) {
		if (!shell_line_has_secret(secret[i]))
			fail_msg("not found: %s", secret[i]);
	}
	for (size_t i = 0; i < COUNT(harmless); i++) {
		if (shell_line_has_secret(harmless[i]))
			fail_msg("found: %s", harmless[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),   cmocka_unit_test(json),
		cmocka_unit_test(pipes),   cmocka_unit_test(outside),
		cmocka_unit_test(many),	   cmocka_unit_test(open_lines),
		cmocka_unit_test(hostile), cmocka_unit_test(secrets),
		cmocka_unit_test(deep),	   cmocka_unit_test(where_json_begins)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
