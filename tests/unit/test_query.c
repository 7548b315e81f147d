/* SPDX-License-Identifier: MIT */
/* Expressions of jq in their process: what they give, and what they cannot do. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/module.h"
#include "base/query.h"
#include "base/query_numbers.h"
#include "base/query_worker.h"
#include "skip_for.h"

#define PATIENT 30000

static struct error err;
static struct query_outputs outputs;

/* All outputs, a line each; a string is in <>. */
static const char *asked(const char *expression, const char *value,
			 const char *line)
{
	static struct buf all;
	struct query *q;

	buf_reset(&all);
	query_outputs_done(&outputs);
	error_reset(&err);
	if (query_new(&q, expression, &err))
		return "does not compile";
	query_run(q, (struct span){ value, strlen(value) },
		  (struct span){ line, line ? strlen(line) : 0 }, PATIENT,
		  &outputs, &err);
	query_free(q);
	for (size_t i = 0; i < outputs.count; i++) {
		const struct query_output *o = &outputs.item[i];

		buf_text(&all, o->string ? "<" : "");
		buf_add(&all, outputs.text.data + o->at, o->len);
		buf_text(&all, o->string ? ">\n" : "\n");
	}
	return buf_string(&all);
}

static void is(const char *expression, const char *value, const char *expected)
{
	assert_string_equal(asked(expression, value, NULL), expected);
	assert_int_equal(err.kind, ERR_NONE);
}

static void fails(const char *expression, const char *value, const char *words)
{
	asked(expression, value, NULL);
	if (!strstr(err.text, words))
		fail_msg("%s: %s", expression, err.text);
	assert_int_equal(err.kind, ERR_UNMET);
}

static void test_outputs(void **state)
{
	(void)state;
	is(".", "{\"a\":1}", "{\"a\":1}\n");
	is(".a, .b", "{\"a\":1,\"b\":\"x\"}", "1\n<x>\n");
	is("empty", "1", "");
	is(".a # a comment", "{\"a\":[]}", "[]\n");
	is("def f: . + 1; f", "2", "3\n");
	asked(".", "\"\\u0000x\"", NULL);
	assert_int_equal(outputs.item[0].len, 2);
	assert_memory_equal(outputs.text.data, "\0x", 2);
	is("capture(\"(?<n>[0-9]+)\").n", "\"a12\"", "<12>\n");
	assert_string_equal(asked("[$line.b, .]", "1", "{\"b\":2}"), "[2,1]\n");
}

static void test_truth(void **state)
{
	(void)state;
	asked("null, false, 0, \"false\", []", "1", NULL);
	assert_int_equal(outputs.count, 5);
	assert_false(query_output_is_true(&outputs, 0));
	assert_false(query_output_is_true(&outputs, 1));
	assert_true(query_output_is_true(&outputs, 2));
	assert_true(query_output_is_true(&outputs, 3));
	assert_true(query_output_is_true(&outputs, 4));
}

static void test_one_process_for_many_values(void **state)
{
	struct query *q;

	(void)state;
	assert_int_equal(query_new(&q, ".a", &err), 0);
	assert_int_equal(query_run(q, (struct span){ "3", 1 },
				   (struct span){ 0 }, PATIENT, &outputs, &err),
			 -1);
	assert_int_equal(err.kind, ERR_UNMET);
	query_outputs_done(&outputs);
	assert_int_equal(query_run(q, (struct span){ "{\"a\":7}", 7 },
				   (struct span){ 0 }, PATIENT, &outputs, &err),
			 0);
	assert_string_equal(buf_string(&outputs.text), "7");
	query_free(q);
	query_free(NULL);
}

static void refused(const char *expression, const char *words)
{
	assert_string_equal(asked(expression, "1", NULL), "does not compile");
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, words));
}

static void test_what_is_no_expression(void **state)
{
	char *lengthy = malloc(QUERY_TEXT_MAX + 2);

	(void)state;
	refused(".a |", "line 1");
	assert_non_null(err.detail);
	assert_int_equal(strcspn(" \n", err.detail + strlen(err.detail) - 1),
			 2);
	refused("nothing_like_it", "not defined");
	assert_string_equal(err.detail, "nothing_like_it");
	/* What jq puts before each of its messages says nothing. */
	assert_memory_equal(err.text, "nothing_like_it/0 is not defined", 32);
	refused("none_a + none_b", "none_a/0 is not defined");
	assert_non_null(strstr(err.detail, "\nnone_b/0 is not defined"));
	assert_null(strstr(err.detail, "compile error"));
	refused("1) | (2", "syntax error");
	memset(lengthy, ' ', QUERY_TEXT_MAX + 1);
	lengthy[QUERY_TEXT_MAX + 1] = '\0';
	refused(lengthy, "longer than");
	free(lengthy);
}

static void test_failures(void **state)
{
	(void)state;
	fails(".a", "3", "Cannot index number");
	fails("error", "\"mine\"", "mine");
	fails("error", "{\"a\":1}", "{\"a\":1}");
	fails("input", "1", "no further input");
	is("halt", "1", "");
	/* What came before is there all the same. */
	assert_string_equal(asked("1, error(\"x\"), 2", "0", NULL), "1\n");
	assert_int_equal(err.kind, ERR_UNMET);
}

/* Neither the environment nor a file is within reach. */
static void test_nothing_of_ours(void **state)
{
	(void)state;
	setenv("MCPCTL_TOKEN", "secret", 1);
	is("env | length", "1", "0\n");
	is("$ENV | length", "1", "0\n");
	is("env.MCPCTL_TOKEN", "1", "null\n");
	refused("import \"a\" as a; .", "not found");
	refused("import \"passwd\" as $a {search:\"/etc\"}; $a", "not found");
	refused("include \"/etc/passwd\"; .", "not found");
	unsetenv("MCPCTL_TOKEN");
}

static void test_it_is_stopped(void **state)
{
	struct query *q;
	const struct span one = { "1", 1 };

	(void)state;
	assert_int_equal(query_new(&q, "def f: f; f", &err), 0);
	assert_int_equal(
		query_run(q, one, (struct span){ 0 }, 50, &outputs, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	error_reset(&err);
	/* The process is gone, and is not asked again. */
	assert_int_equal(
		query_run(q, one, (struct span){ 0 }, PATIENT, &outputs, &err),
		-1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	query_free(q);
}

static void nothing(int number)
{
	(void)number;
}

static void test_a_signal_stops_it(void **state)
{
	const struct sigaction quiet = { .sa_handler = nothing };
	sigset_t set, before;
	struct query *q;

	(void)state;
	assert_int_equal(query_new(&q, "def f: f; f", &err), 0);
	sigaction(SIGINT, &quiet, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, &before);
	raise(SIGINT);
	assert_int_equal(query_run(q, (struct span){ "1", 1 },
				   (struct span){ 0 }, PATIENT, &outputs, &err),
			 -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	/* It is there for the loop, too. */
	sigpending(&set);
	assert_true(sigismember(&set, SIGINT));
	sigprocmask(SIG_SETMASK, &before, NULL);
	query_free(q);
}

/* Who asked is killed in the midst of it: the process does not stay. */
static void test_it_ends_with_its_asker(void **state)
{
	int ready[2], how;
	char byte;
	pid_t asker;

	(void)state;
	/* What that leaves behind becomes ours. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(ready), 0);
	asker = fork();
	if (asker == 0) {
		struct query *q;

		if (query_new(&q, "1, def f: f; f", &err))
			_exit(1);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		query_run(q, (struct span){ "1", 1 }, (struct span){ 0 },
			  PATIENT * 10, &outputs, &err);
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	/* It is over in any case; mostly amid the expression. */
	usleep(20000);
	kill(asker, SIGKILL);
	assert_int_equal(waitpid(asker, &how, 0), asker);
	alarm(60);
	assert_true(waitpid(-1, &how, 0) > 0);
	alarm(0);
	assert_true(WIFEXITED(how));
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	close(ready[0]);
	close(ready[1]);
}

/* The asker has gone, with its value on the way, before it was watched. */
static void test_it_ends_if_it_was_alone_from_the_start(void **state)
{
	const struct jq_table *jq = module_table("jq", "jq_table", &err);
	const struct query_frame value = { 1, FRAME_VALUE };
	int pair[2], how;
	pid_t worker;

	(void)state;
	assert_non_null(jq);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(write(pair[0], &value, sizeof(value)), sizeof(value));
	assert_int_equal(write(pair[0], "1", 1), 1);
	close(pair[0]);
	worker = fork();
	if (worker == 0)
		query_work(jq, "def f: f; f", pair[1]);
	close(pair[1]);
	alarm(60);
	assert_int_equal(waitpid(worker, &how, 0), worker);
	alarm(0);
	assert_true(WIFEXITED(how));
}

/* The asker has gone before its value was read: nobody tells that again. */
static void test_it_ends_with_a_value_unread(void **state)
{
	const struct jq_table *jq = module_table("jq", "jq_table", &err);
	const struct query_frame value = { 1, FRAME_VALUE };
	struct query_frame ready;
	int pair[2], how;
	pid_t worker;

	(void)state;
	assert_non_null(jq);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	worker = fork();
	if (worker == 0) {
		close(pair[0]);
		query_work(jq, "def f: f; f", pair[1]);
	}
	close(pair[1]);
	assert_int_equal(read(pair[0], &ready, sizeof(ready)), sizeof(ready));
	assert_int_equal(ready.kind, FRAME_READY);
	kill(worker, SIGSTOP);
	assert_int_equal(waitpid(worker, &how, WUNTRACED), worker);
	assert_int_equal(write(pair[0], &value, sizeof(value)), sizeof(value));
	assert_int_equal(write(pair[0], "1", 1), 1);
	close(pair[0]);
	kill(worker, SIGCONT);
	alarm(60);
	assert_int_equal(waitpid(worker, &how, 0), worker);
	alarm(0);
	assert_true(WIFEXITED(how));
}

static void test_too_much(void **state)
{
	(void)state;
	fails("range(1e12) | \"0123456789012345678901234567890123456789\"", "1",
	      "more than 64 MB");
}

#if !ADDRESS_SANITIZED
/* qemu-user takes a limit of memory, and does not keep it. */
static void needs_memory_limit(void)
{
	const size_t most = (size_t)1 << 28;
	const struct rlimit limit = { most, most };
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(setrlimit(RLIMIT_AS, &limit) ||
		      mmap(NULL, 2 * most, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status != 0)
		skip_for("no limit of memory is kept here, as under qemu-user");
}

static void test_memory(void **state)
{
	(void)state;
	needs_memory_limit();
	fails("reduce range(40) as $i (\"x\"; . + .) | length", "1", "memory");
	/* libjq releases what nests by recursion. */
	fails("reduce range(400000) as $i (0; [.]) | length", "1", "memory");
}
#endif

static void test_numbers(void **state)
{
	(void)state;
	is(".", "{\"a\":12345678901234567890,\"b\":0.1}",
	   "{\"a\":12345678901234567890,\"b\":0.1}\n");
	is(".a", "{\"a\":-9007199254740993}", "-9007199254740993\n");
	/* From 1.7 on jq prints a number that it did not change as it knows it: 1E+2. */
	is("[.[0]+0,.[1]]", "[1e2,\"12345678901234567890\"]",
	   "[100,\"12345678901234567890\"]\n");
	assert_false(outputs.inexact);
	/* Two that jq takes for one: said, and not made up. */
	asked(".", "[9007199254740993,9007199254740992]", NULL);
	assert_true(outputs.inexact);
	assert_string_equal(asked(".", "{}", "[9007199254740993]"), "{}\n");
	assert_string_equal(asked("$line[0]", "{}", "[9007199254740993]"),
			    "9007199254740993\n");
}

/* A number of the input is restored where jq printed another for it. */
static void restored(const char *input, const char *output,
		     const char *expected, bool exact)
{
	static struct query_numbers n;
	CLEANUP(buf_done) struct buf out = { 0 };

	n.count = 0;
	n.more = false;
	query_numbers_add(&n, (struct span){ input, strlen(input) });
	assert_int_equal(
		query_numbers_restore(
			&n, (struct span){ output, strlen(output) }, &out),
		exact);
	assert_string_equal(buf_string(&out), expected);
}

static void test_restored_numbers(void **state)
{
	char lengthy[400];

	(void)state;
	restored("[12345678901234567890,-12345678901234567]",
		 "[-12345678901234568,0,12345678901234567000]",
		 "[-12345678901234567,0,12345678901234567890]", true);
	/* What a double keeps is as jq wrote it. */
	restored("[123456789012345]", "[1.23456789012345e14]",
		 "[1.23456789012345e14]", true);
	restored("[1234567890123456]", "[1.234567890123456e15]",
		 "[1234567890123456]", true);
	restored("[0.000123456789012345]", "[1.23456789012345E-4]",
		 "[1.23456789012345E-4]", true);
	restored("[1234567890123e123]", "[1.234567890123E+135]",
		 "[1.234567890123E+135]", true);
	restored("[0.12345678901234567890]", "[0.12345678901234568]",
		 "[0.12345678901234567890]", true);
	/* In a text there are none. */
	restored("{\"a\\\"\":\"12345678901234567890\"}",
		 "[12345678901234567000]", "[12345678901234567000]", true);
	restored("[12345678901234567890]",
		 "[\"12345678901234567000\",12345678901234567000,\"\\\\\"]",
		 "[\"12345678901234567000\",12345678901234567890,\"\\\\\"]",
		 true);
	/* The same twice is one. */
	restored("[12345678901234567,12345678901234567]", "[12345678901234568]",
		 "[12345678901234567]", true);
	restored("[12345678901234567,12345678901234568]",
		 "[12345678901234568,1]", "[12345678901234568,1]", false);
	/* One that is too long to be known: which came of it nobody can say. */
	memset(lengthy, '1', sizeof(lengthy));
	lengthy[320] = '\0';
	restored(lengthy, "[12345678901234567]", "[12345678901234567]", true);
	lengthy[320] = '1';
	lengthy[321] = '\0';
	restored(lengthy, "[12345678901234567]", "[12345678901234567]", false);
	restored(lengthy, "[123456789012345]", "[123456789012345]", true);
}

/* More of them than are kept. */
static void test_many_numbers(void **state)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	static struct query_numbers n;
	struct buf out = { 0 };
	static const char last[] = "[90071992547409999]";

	(void)state;
	buf_char(&json, '[');
	for (int i = 0; i < QUERY_NUMBERS_MAX + 9; i++)
		buf_printf(&json, "%s%d00000000000000000007", i ? "," : "",
			   i + 1);
	buf_char(&json, ']');
	query_numbers_add(&n, (struct span){ json.data, json.len });
	assert_true(n.more);
	assert_false(query_numbers_restore(
		&n, (struct span){ last, strlen(last) }, &out));
	assert_string_equal(buf_string(&out), last);
	buf_done(&out);
}

/* Texts that end anywhere are never overread. */
static void test_cut_numbers(void **state)
{
	static const char json[] = "{\"a\\\"\":[12345678901234567,\"x\\";
	static struct query_numbers n;

	(void)state;
	for (size_t len = 0; len < sizeof(json); len++) {
		char *exact = malloc(len + 1);

		memcpy(exact, json, len);
		n.count = 0;
		query_numbers_add(&n, (struct span){ exact, len });
		free(exact);
	}
	assert_int_equal(n.count, 1);
}

/* ---- words ---- */

#define DIED \
	"the expression took more memory than it may have (512 MB), or broke jq"

/* q's next answers are all this one. */
static void is_over(struct query *q, enum error_kind kind, const char *text,
		    const char *hint)
{
	for (int i = 0; i < 2; i++) {
		error_reset(&err);
		assert_int_equal(query_run(q, (struct span){ "1", 1 },
					   (struct span){ 0 }, PATIENT,
					   &outputs, &err),
				 -1);
		assert_int_equal(err.kind, kind);
		assert_string_equal(err.text, text);
		assert_string_equal(err.hint, hint);
	}
}

static void test_words_of_a_timeout(void **state)
{
	struct query *q;

	(void)state;
	query_outputs_done(&outputs);
	assert_int_equal(query_new(&q, "7, def f: f; f", &err), 0);
	assert_int_equal(query_run(q, (struct span){ "1", 1 },
				   (struct span){ 0 }, 70, &outputs, &err),
			 -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_string_equal(err.text,
			    "the expression did not end within 70 ms");
	is_over(q, ERR_TIMEOUT, "the expression did not end within 70 ms",
		"does it loop? --timeout gives it more time");
	query_free(q);
}

/* Each signal by its number, and what the mask was. */
static void test_which_signal(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	sigset_t set, before;

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++) {
		const struct sigaction quiet = { .sa_handler = nothing };
		struct query *q;

		assert_int_equal(query_new(&q, "def f: f; f", &err), 0);
		sigaction(numbers[i], &quiet, NULL);
		sigemptyset(&set);
		sigaddset(&set, numbers[i]);
		sigprocmask(SIG_BLOCK, &set, &before);
		raise(numbers[i]);
		is_over(q, ERR_INTERRUPTED, "interrupted", "");
		assert_int_equal(err.code, numbers[i]);
		sigprocmask(SIG_SETMASK, &before, NULL);
		sigprocmask(SIG_SETMASK, NULL, &set);
		assert_false(sigismember(&set, numbers[i]));
		query_free(q);
	}
}

/* Its process has gone: said once and for all. */
static void test_it_is_gone(void **state)
{
	char path[64], text[16] = "";
	struct query *q;
	FILE *f;

	(void)state;
	query_outputs_done(&outputs);
	error_reset(&err);
	assert_int_equal(query_new(&q, ".", &err), 0);
	assert_string_equal(query_text(q), ".");
	snprintf(path, sizeof(path), "/proc/self/task/%ld/children",
		 (long)getpid());
	f = fopen(path, "r");
	if (!f || !fgets(text, sizeof(text), f)) {
		query_free(q);
		skip_for("no list of children here");
	}
	fclose(f);
	kill((pid_t)strtol(text, NULL, 10), SIGKILL);
	is_over(q, ERR_UNMET, DIED, "");
	assert_int_equal(outputs.count, 0);
	query_free(q);
	/* Whoever asked has waited for it. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* What it says by itself when it ends is why; nothing else is told. */
static void test_it_halts(void **state)
{
	(void)state;
	fails("\"bye\" | halt_error", "1", "bye");
	fails("{a:1} | halt_error", "1", "{\"a\":1}");
	is("1, halt, 2", "1", "1\n");
	is("debug", "7", "7\n");
	is("stderr", "7", "7\n");
	is("input_filename", "7", "null\n");
	is("[inputs]", "7", "[]\n");
	is("$__loc__.line", "7", "1\n");
}

/* What it fails on is no end: the next value is asked as if nothing was. */
static void test_each_by_itself(void **state)
{
	static const struct span line = { "{\"b\":2}", 7 };
	struct query *q;

	(void)state;
	query_outputs_done(&outputs);
	error_reset(&err);
	assert_int_equal(query_new(&q, "$line.b, 1, 2", &err), 0);
	assert_int_equal(query_run(q, (struct span){ "{", 1 }, line, PATIENT,
				   &outputs, &err),
			 -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(err.text, "jq cannot read this JSON");
	assert_int_equal(outputs.count, 0);
	assert_int_equal(query_run(q, (struct span){ "1", 1 }, line, PATIENT,
				   &outputs, &err),
			 0);
	assert_string_equal(buf_string(&outputs.text), "212");
	assert_int_equal(outputs.count, 3);
	/* The line before is not that of a value without one. */
	query_outputs_done(&outputs);
	assert_int_equal(query_run(q, (struct span){ "{\"b\":5}", 7 },
				   (struct span){ 0 }, PATIENT, &outputs, &err),
			 0);
	assert_string_equal(buf_string(&outputs.text), "512");
	query_free(q);
}

/* The longest expression is one. */
static void test_longest(void **state)
{
	char *text = malloc(QUERY_TEXT_MAX + 1);

	(void)state;
	memset(text, ' ', QUERY_TEXT_MAX);
	text[QUERY_TEXT_MAX] = '\0';
	text[QUERY_TEXT_MAX - 1] = '.';
	is(text, "7", "7\n");
	free(text);
}

/* A large value, and outputs in many pieces: nothing is lost between them. */
static void test_large(void **state)
{
	CLEANUP(buf_done) struct buf value = { 0 };

	(void)state;
	buf_char(&value, '[');
	for (int i = 0; i < 200000; i++)
		buf_printf(&value, "%s%d", i ? "," : "", i);
	buf_char(&value, ']');
	asked(".[], length", buf_string(&value), NULL);
	assert_int_equal(err.kind, ERR_NONE);
	assert_int_equal(outputs.count, 200001);
	for (size_t i = 0; i < 100000; i += 9999) {
		const struct query_output *o = &outputs.item[10000 + i];

		assert_int_equal(o->len, 10000 + i < 100000 ? 5 : 6);
		assert_false(o->string);
	}
	assert_memory_equal(outputs.text.data, "0123456789101112", 16);
	assert_string_equal(outputs.text.data + outputs.text.len - 18,
			    "199998199999200000");
}

static int end(void **state)
{
	(void)state;
	query_outputs_done(&outputs);
	error_reset(&err);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_one_process_for_many_values),
		cmocka_unit_test(test_what_is_no_expression),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_nothing_of_ours),
		cmocka_unit_test(test_it_is_stopped),
		cmocka_unit_test(test_a_signal_stops_it),
		cmocka_unit_test(test_it_ends_with_its_asker),
		cmocka_unit_test(test_it_ends_if_it_was_alone_from_the_start),
		cmocka_unit_test(test_it_ends_with_a_value_unread),
		cmocka_unit_test(test_too_much),
#if !ADDRESS_SANITIZED
		cmocka_unit_test(test_memory),
#endif
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_restored_numbers),
		cmocka_unit_test(test_many_numbers),
		cmocka_unit_test(test_cut_numbers),
		cmocka_unit_test(test_words_of_a_timeout),
		cmocka_unit_test(test_which_signal),
		cmocka_unit_test(test_it_is_gone),
		cmocka_unit_test(test_it_halts),
		cmocka_unit_test(test_each_by_itself),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
