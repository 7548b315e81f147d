/* SPDX-License-Identifier: MIT */
/*
 * net/stdio: real children, most of them a few words of sh; what becomes of
 * what they print, and how they end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/stdio.h"

#define DEADLINE_MS 60000

struct seen {
	struct loop *loop;
	struct transport t;
	struct endpoint to;
	struct buf text; /* "message:TEXT\n", "odd:TEXT\n", "note:TEXT\n" */
	const char *wanted; /* part of text: has is set */
	bool has, ready, closed;
	bool close_at_ready, close_at_message, close_at_note;
	struct error why;
	char *address;
	int pid;
};

static void look(struct seen *s)
{
	assert_false(s->closed);
	if (s->wanted && strstr(buf_string(&s->text), s->wanted))
		s->has = true;
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct seen *s = owner;
	const char *number = strrchr(peer->address, ' ');

	assert_false(s->ready);
	s->ready = true;
	s->address = mem_strdup(peer->address);
	s->pid = (int)strtol(number, NULL, 10);
	if (s->close_at_ready)
		s->t.ops->close(&s->t);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct seen *s = owner;

	assert_true(s->ready);
	assert_int_equal(kind, FRAME_TEXT);
	buf_printf(&s->text, "message:%.*s\n", (int)len, (const char *)data);
	look(s);
	if (s->close_at_message)
		s->t.ops->close(&s->t);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	struct seen *s = owner;

	assert_int_equal(id, 0);
	assert_int_equal(why->kind, ERR_PROTOCOL);
	buf_printf(&s->text, "odd:%s\n", why->text);
	look(s);
}

static void on_notice(void *owner, const struct notice *n)
{
	struct seen *s = owner;

	assert_true(s->ready);
	assert_int_equal(n->kind, NOTICE_CHILD);
	assert_string_equal(n->address, "sh");
	buf_printf(&s->text, "note:%s\n", n->text);
	look(s);
	if (s->close_at_note)
		s->t.ops->close(&s->t);
}

static void on_closed(void *owner, const struct error *why)
{
	struct seen *s = owner;

	assert_false(s->closed);
	assert_null(s->t.impl);
	s->closed = true;
	error_copy(&s->why, why);
}

static const struct transport_events events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
	.notice = on_notice,
};

static void begin(struct seen *s)
{
	*s = (struct seen){ 0 };
	assert_int_equal(loop_new(&s->loop, NULL), 0);
	s->t = (struct transport){ .ops = &stdio_ops,
				   .loop = s->loop,
				   .events = &events,
				   .owner = s };
}

static void start(struct seen *s, const char *script)
{
	struct error err = { 0 };

	words_add(&s->to.argv, "/bin/sh");
	words_add(&s->to.argv, "-c");
	words_add(&s->to.argv, script);
	if (stdio_ops.open(&s->t, &s->to, &err))
		fail_msg("%s", err.text);
	assert_false(s->ready);
}

static void run(struct seen *s, const char *script)
{
	begin(s);
	start(s, script);
}

static void await(struct seen *s, const bool *flag, const char *what)
{
	if (loop_wait(s->loop, flag, loop_now() + DEADLINE_MS, NULL))
		fail_msg("no %s; '%s'", what, buf_string(&s->text));
}

static void await_text(struct seen *s, const char *wanted)
{
	s->has = false;
	s->wanted = wanted;
	look(s);
	await(s, &s->has, wanted);
}

static void say(struct seen *s, const char *text)
{
	struct error err = { 0 };

	if (stdio_ops.send(&s->t, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static void done(struct seen *s)
{
	stdio_ops.close(&s->t);
	await(s, &s->closed, "end");
	loop_free(s->loop);
	endpoint_done(&s->to);
	buf_done(&s->text);
	error_reset(&s->why);
	mem_free(s->address);
	/* No zombie, no child. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Close it, and see that it was not for a reason. */
static void hang_up(struct seen *s)
{
	stdio_ops.close(&s->t);
	assert_int_equal(stdio_ops.send(&s->t, "{}", 2, NULL), -1);
	await(s, &s->closed, "end");
	assert_int_equal(s->why.kind, ERR_NONE);
}

static void text_is(const char *text, const char *wanted)
{
	if (!text || !strstr(text, wanted))
		fail_msg("'%s' does not say '%s'", text ? text : "", wanted);
}

static void lost(struct seen *s, const char *says)
{
	await(s, &s->closed, "end");
	assert_int_equal(s->why.kind, ERR_CONNECT);
	assert_string_equal(s->why.text, says);
}

static void test_messages(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "exec cat");
	await(&s, &s.ready, "ready");
	text_is(s.address, "sh, process ");
	/* Ctrl-C at the terminal is not for it. */
	assert_int_equal(getpgid(s.pid), s.pid);
	say(&s, "{\"a\":1}");
	await_text(&s, "message:{\"a\":1}\n");
	say(&s, "[{\"b\":2}]");
	say(&s, "[]");
	await_text(&s, "message:[{\"b\":2}]\nmessage:[]\n");
	/* A message is one line, however it was written. */
	say(&s, "{\n\t\"c\":\r\n3 }");
	await_text(&s, "message:{ \t\"c\":  3 }\n");
	hang_up(&s);
	done(&s);
}

static void test_what_is_no_message(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "echo 'Server is up'; echo; echo '   '; echo '[INFO] x'; "
		"echo ' {\"a\":1}'; head -c 300 /dev/zero | tr '\\0' y; echo; "
		"printf '[ {}]'");
	lost(&s, "'sh' ended, with status 0");
	text_is(buf_string(&s.text),
		"odd:'sh' printed on its stdout what is no JSON-RPC message: "
		"'Server is up'\n"
		"odd:'sh' printed on its stdout what is no JSON-RPC message: "
		"'[INFO] x'\n"
		"message: {\"a\":1}\n"
		"odd:'sh' printed on its stdout what is no JSON-RPC message: "
		"'yyyyy");
	text_is(buf_string(&s.text), "yyy…'\nmessage:[ {}]\n");
	done(&s);
}

static void test_huge_line(void **state)
{
	struct seen s;

	(void)state;
	begin(&s);
	s.to.message_max = 1000;
	start(&s, "printf '{\"a\":'; head -c 100000 /dev/zero | tr '\\0' 1; "
		  "echo '}'; echo '{\"b\":1}'; exec cat");
	await_text(&s, "message:{\"b\":1}\n");
	assert_string_equal(buf_string(&s.text),
			    "odd:'sh' printed a line of more than 1000 bytes: "
			    "it was left out\n"
			    "message:{\"b\":1}\n");
	hang_up(&s);
	done(&s);
}

/* As large as may be, there and back. */
static void test_large_message(void **state)
{
	size_t len = (size_t)4 << 20;
	char *text = malloc(len);
	struct seen s;

	(void)state;
	run(&s, "exec cat");
	memset(text, 'x', len);
	text[0] = '{';
	assert_int_equal(stdio_ops.send(&s.t, text, len, NULL), 0);
	say(&s, "{\"end\":1}");
	await_text(&s, "message:{\"end\":1}\n");
	assert_memory_equal(s.text.data + strlen("message:"), text, len);
	free(text);
	hang_up(&s);
	done(&s);
}

static void test_stderr(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "echo one >&2; echo >&2; echo two >&2; exec cat");
	await_text(&s, "note:one\nnote:two\n");
	hang_up(&s);
	done(&s);
}

static void test_dies_at_once(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "i=1; while [ $i -le 30 ]; do echo line $i >&2; "
		"i=$((i+1)); done; exit 3");
	lost(&s, "'sh' ended before it said anything, with status 3");
	assert_non_null(s.why.detail);
	assert_memory_equal(s.why.detail, "line 1\nline 2\n", 14);
	assert_non_null(strstr(s.why.detail, "\nline 10\nline 11\n"));
	assert_string_equal(s.why.detail + strlen(s.why.detail) - 8,
			    "\nline 30");
	done(&s);
	run(&s, "exit 0");
	lost(&s, "'sh' ended before it said anything, with status 0");
	text_is(s.why.hint, "nothing to its stderr");
	done(&s);
}

/* Between question and answer; by a signal, too. */
static void test_dies_later(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "echo '{}'; read a; echo \"bad $a\" >&2; kill -SEGV $$");
	await_text(&s, "message:");
	say(&s, "{\"q\":1}");
	lost(&s, "'sh' ended, with status 139 (128 + SIGSEGV)");
	assert_string_equal(s.why.detail, "bad {\"q\":1}");
	done(&s);
}

/* The cause stands first as with Go, or last as with Python. */
static void test_last_words_are_long(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "echo boot >&2; read a; echo 'panic: no' >&2; "
		"i=1; while [ $i -le 99 ]; do echo frame $i >&2; "
		"i=$((i+1)); done; exit 2");
	await_text(&s, "note:boot\n");
	say(&s, "{}");
	lost(&s, "'sh' ended before it said anything, with status 2");
	assert_non_null(s.why.detail);
	assert_null(strstr(s.why.detail, "boot"));
	assert_memory_equal(s.why.detail, "panic: no\nframe 1\n", 18);
	assert_non_null(strstr(s.why.detail,
			       "\nframe 9\n… (70 more lines) …\nframe 80\n"));
	assert_string_equal(s.why.detail + strlen(s.why.detail) - 9,
			    "\nframe 99");
	done(&s);
}

static void test_closes_its_stdout(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "echo '{}'; echo why >&2; exec >&-; exec sleep 1000");
	lost(&s, "'sh' closed its stdout, but went on running");
	assert_string_equal(s.why.detail, "why");
	done(&s);
}

static void test_closes_its_stdin(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "exec <&-; echo '{}'; echo why >&2; exec sleep 1000");
	await_text(&s, "message:");
	say(&s, "{}");
	lost(&s, "'sh' closed its stdin, but went on running");
	assert_string_equal(s.why.detail, "why");
	done(&s);
}

/* Its end is told, and not that nothing can be sent to it any more. */
static void test_ends_while_sent_to(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "exec <&-; echo '{}'; echo no key >&2; sleep 0.1; exit 5");
	await_text(&s, "message:");
	say(&s, "{}");
	say(&s, "{}");
	lost(&s, "'sh' ended, with status 5");
	assert_string_equal(s.why.detail, "no key");
	done(&s);
}

static void test_never_reads(void **state)
{
	size_t len = (size_t)12 << 20;
	char *text = calloc(1, len);
	struct error err = { 0 };
	struct seen s;

	(void)state;
	run(&s, "echo hello >&2; exec sleep 1000");
	await_text(&s, "note:hello\n");
	assert_int_equal(stdio_ops.send(&s.t, text, len, NULL), 0);
	assert_int_equal(stdio_ops.send(&s.t, text, len, &err), -1);
	text_is(err.text, "cannot send to 'sh': it does not read its stdin");
	free(text);
	error_reset(&err);
	assert_int_equal(stdio_ops.explain(&s.t, &err), -1);
	assert_string_equal(err.text,
			    "'sh' runs, but no message came on its stdout");
	text_is(err.hint, "its stderr: hello");
	error_reset(&err);
	hang_up(&s);
	done(&s);
}

static void test_no_such_program(void **state)
{
	struct error err = { 0 };
	struct seen s;

	(void)state;
	begin(&s);
	assert_int_equal(stdio_ops.open(&s.t, &s.to, &err), -1);
	words_add(&s.to.argv, "no-such-program-here");
	assert_int_equal(stdio_ops.open(&s.t, &s.to, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(err.code, ENOENT);
	assert_null(s.t.impl);
	stdio_ops.close(&s.t);
	loop_free(s.loop);
	assert_false(s.closed || s.ready);
	endpoint_done(&s.to);
	error_reset(&err);
}

static void test_surroundings(void **state)
{
	struct seen s;

	(void)state;
	begin(&s);
	s.to.cwd = mem_strdup("/usr");
	words_add(&s.to.env, "STDIO_TEST=a b");
	words_add(&s.to.env, "HOME=/nowhere");
	start(&s, "echo \"{$PWD $STDIO_TEST $HOME $#}\"; exec cat");
	await_text(&s, "message:{/usr a b /nowhere 0}\n");
	hang_up(&s);
	done(&s);
}

/* ---- how it ends when we close ---- */

/* Its stdin ends first: then nothing needs to be killed. */
static void test_end_of_input(void **state)
{
	char path[] = "/tmp/mcpctl-test-XXXXXX";
	int fd = mkstemp(path);
	char said[16] = "";
	struct seen s;

	(void)state;
	assert_true(fd >= 0);
	begin(&s);
	words_add(&s.to.env, "SAID=x");
	s.to.env.word[0] = mem_realloc(s.to.env.word[0], 64);
	snprintf(s.to.env.word[0], 64, "SAID=%s", path);
	start(&s, "trap 'echo term >$SAID' TERM; echo '{}'; cat >/dev/null; "
		  "echo eof >$SAID");
	await_text(&s, "message:");
	hang_up(&s);
	assert_true(read(fd, said, sizeof(said) - 1) > 0);
	assert_string_equal(said, "eof\n");
	close(fd);
	unlink(path);
	done(&s);
}

static void test_terminated(void **state)
{
	struct seen s;

	(void)state;
	run(&s, "sleep 1000 & echo '{}'; wait");
	await_text(&s, "message:");
	hang_up(&s);
	assert_int_equal(kill(s.pid, 0), -1);
	done(&s);
}

static void test_killed(void **state)
{
	int64_t begun;
	struct seen s;

	(void)state;
	run(&s, "trap '' TERM; echo '{}'; while :; do sleep 0.05; done");
	await_text(&s, "message:");
	begun = loop_now();
	hang_up(&s);
	/* 1.1 s; much less, and it had no chance to end by itself. */
	assert_in_range((uintmax_t)(loop_now() - begun), 1050, 4000);
	assert_int_equal(kill(s.pid, 0), -1);
	done(&s);
}

/* Something that left the group still has the pipes. */
static void test_left_behind(void **state)
{
	struct seen s;
	long pid;

	(void)state;
	run(&s, "setsid sh -c 'trap \"\" TERM; exec sleep 1000' & "
		"echo \"{$!}\"; cat >/dev/null");
	await_text(&s, "message:");
	pid = strtol(s.text.data + strlen("message:{"), NULL, 10);
	hang_up(&s);
	assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
	done(&s);
}

/* What it still says while it ends is not told. */
static void test_close_inside_events(void **state)
{
	struct seen s;

	(void)state;
	begin(&s);
	s.close_at_message = true;
	start(&s, "echo '{\"a\":1}\n{\"b\":2}'; cat; echo '{\"c\":3}'");
	await(&s, &s.closed, "end");
	assert_string_equal(buf_string(&s.text), "message:{\"a\":1}\n");
	assert_int_equal(s.why.kind, ERR_NONE);
	done(&s);
	begin(&s);
	s.close_at_note = true;
	start(&s, "echo one >&2; echo two >&2; cat");
	await(&s, &s.closed, "end");
	assert_string_equal(buf_string(&s.text), "note:one\n");
	done(&s);
	begin(&s);
	s.close_at_ready = true;
	start(&s, "echo '{}'; exit 3");
	await(&s, &s.closed, "end");
	assert_string_equal(buf_string(&s.text), "");
	assert_int_equal(s.why.kind, ERR_NONE);
	done(&s);
	/* Before ready. */
	run(&s, "exec cat");
	hang_up(&s);
	assert_false(s.ready);
	done(&s);
}

/* We close while it is given up for its stdout: no error any more. */
static void test_close_while_given_up(void **state)
{
	const bool never = false;
	struct seen s;

	(void)state;
	run(&s, "trap '' TERM; exec >&-; while :; do sleep 0.05; done");
	await(&s, &s.ready, "ready");
	loop_wait(s.loop, &never, loop_now() + 700, NULL);
	hang_up(&s);
	done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_what_is_no_message),
		cmocka_unit_test(test_huge_line),
		cmocka_unit_test(test_large_message),
		cmocka_unit_test(test_stderr),
		cmocka_unit_test(test_dies_at_once),
		cmocka_unit_test(test_dies_later),
		cmocka_unit_test(test_last_words_are_long),
		cmocka_unit_test(test_closes_its_stdout),
		cmocka_unit_test(test_closes_its_stdin),
		cmocka_unit_test(test_ends_while_sent_to),
		cmocka_unit_test(test_never_reads),
		cmocka_unit_test(test_no_such_program),
		cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_end_of_input),
		cmocka_unit_test(test_terminated),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_close_inside_events),
		cmocka_unit_test(test_close_while_given_up),
	};

	return cmocka_run_group_tests_name("stdio", tests, NULL, NULL);
}
