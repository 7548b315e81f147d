/* SPDX-License-Identifier: MIT */
/*
 * base/child: real processes; what they get, what comes back, how they end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/mem.h"

#define DEADLINE_MS 60000

struct seen {
	struct loop *loop;
	struct child *child;
	struct buf lines; /* "out:TEXT\n", "err:TEXT\n" */
	struct buf out, err; /* what was kept */
	bool line, ended;
	bool stop_at_line, abandon_at_line;
	int status;
	struct buf data; /* by the event of that name */
	bool data_ended;
};

static void on_data(void *owner, const char *data, size_t len)
{
	struct seen *s = owner;

	assert_false(s->ended);
	assert_false(s->data_ended);
	assert_non_null(data);
	buf_add(&s->data, data, len);
	s->data_ended = len == 0;
	s->line = true;
}

static void on_line(void *owner, bool is_err, const char *line)
{
	struct seen *s = owner;

	assert_false(s->ended);
	buf_printf(&s->lines, "%s:%s\n", is_err ? "err" : "out", line);
	s->line = true;
	if (s->stop_at_line)
		child_stop(s->child, 100);
	if (s->abandon_at_line)
		child_abandon(s->child);
}

static void on_ended(void *owner, int status)
{
	struct seen *s = owner;
	const struct buf *out = child_output(s->child, false);
	const struct buf *err = child_output(s->child, true);

	assert_false(s->ended);
	buf_add(&s->out, buf_string(out), out->len);
	buf_add(&s->err, buf_string(err), err->len);
	s->status = status;
	s->ended = true;
}

static const struct child_events events = { .line = on_line,
					    .ended = on_ended };

static const struct child_events data_events = { .line = on_line,
						 .ended = on_ended,
						 .data = on_data };

static void seen_init(struct seen *s)
{
	*s = (struct seen){ .status = -1 };
	assert_int_equal(loop_new(&s->loop, NULL), 0);
}

static void seen_done(struct seen *s)
{
	loop_free(s->loop);
	buf_done(&s->lines);
	buf_done(&s->data);
	buf_done(&s->out);
	buf_done(&s->err);
	/* No zombie, no child. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void start_with(struct seen *s, char *script, struct child_options o,
		       const struct child_events *e)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, script, NULL };
	struct error err = { 0 };

	o.argv = argv;
	if (child_start(&s->child, s->loop, &o, e, s, &err))
		fail_msg("%s", err.text);
	assert_true(child_pid(s->child) > 1);
}

static void start(struct seen *s, char *script, struct child_options o)
{
	start_with(s, script, o, &events);
}

static void wait_ended(struct seen *s)
{
	assert_int_equal(
		loop_wait(s->loop, &s->ended, loop_now() + DEADLINE_MS, NULL),
		0);
}

static void wait_line(struct seen *s)
{
	assert_int_equal(
		loop_wait(s->loop, &s->line, loop_now() + DEADLINE_MS, NULL),
		0);
}

static const struct child_options pipes = { .out = CHILD_PIPE,
					    .err = CHILD_PIPE,
					    .keep = 65536 };

static void reads_what_it_is_given(void **state)
{
	struct seen s;
	struct child_options o = pipes;
	int ends[2];

	(void)state;
	seen_init(&s);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "given\n", 6), 6);
	close(ends[1]);
	o.in = CHILD_PIPE;
	o.in_fd = ends[0];
	start(&s, (char[]){ "cat; kill -PIPE $$; echo no" }, o);
	close(ends[0]);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "given\n");
	/* Signals are as at first, though ours ignores this one. */
	assert_int_equal(s.status, 128 + SIGPIPE);
	seen_done(&s);
}

static void lines_and_status(void **state)
{
	char script[] = "echo one; printf 'a\\r\\n\\nlast'; exit 7";
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, pipes);
	wait_ended(&s);
	assert_int_equal(s.status, 7);
	assert_string_equal(buf_string(&s.lines),
			    "out:one\nout:a\nout:\nout:last\n");
	assert_string_equal(buf_string(&s.out), "one\na\r\n\nlast");
	assert_string_equal(buf_string(&s.err), "");
	seen_done(&s);
}

static void both_pipes(void **state)
{
	/* Opening /dev/stderr anew works with a pipe only. */
	char script[] = "echo x; echo y >/dev/stderr; cat";
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, pipes);
	wait_ended(&s);
	assert_int_equal(s.status, 0);
	assert_string_equal(buf_string(&s.out), "x\n");
	assert_string_equal(buf_string(&s.err), "y\n");
	seen_done(&s);
}

/* 100 kB in one line: cut for the line, and for what is kept. */
static void long_line(void **state)
{
	char script[] = "head -c 100000 /dev/zero | tr '\\0' x; echo; "
			"echo short; echo -n end";
	struct child_options o = pipes;
	struct seen s;

	(void)state;
	o.keep = 10;
	seen_init(&s);
	start(&s, script, o);
	wait_ended(&s);
	assert_int_equal(s.lines.len, 4 + 4096 + 1 + 10 + 8);
	assert_string_equal(s.lines.data + 4 + 4096 + 1,
			    "out:short\nout:end\n");
	assert_string_equal(buf_string(&s.out), "xxxxxxxxxx");
	seen_done(&s);
}

static void environment(void **state)
{
	const char *const env[] = { "CHILD_A=new", "CHILD_C=3", NULL };
	char script[] = "echo $CHILD_A $CHILD_B $CHILD_C; env | grep -c CHILD_";
	struct child_options o = pipes;
	struct seen s;

	(void)state;
	setenv("CHILD_A", "old", 1);
	setenv("CHILD_B", "kept", 1);
	o.env = env;
	seen_init(&s);
	start(&s, script, o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "new kept 3\n3\n");
	seen_done(&s);
}

/* Whichever child it is: who starts it says nothing of that. */
static void secrets(void **state)
{
	const char *const env[] = { "MCPCTL_NEW_PASSWORD=named", NULL };
	char script[] = "echo [$MCPCTL_TOKEN] [$MCPCTL_NEW_PASSWORD] "
			"[$MCPCTL_A_TOKENS] [$MCPCTL_COLOR] [$MY_TOKEN] "
			"${PATH:+path}";
	struct child_options o = pipes;
	struct seen s;

	(void)state;
	setenv("MCPCTL_TOKEN", "hush", 1);
	setenv("MCPCTL_NEW_PASSWORD", "hush", 1);
	setenv("MCPCTL_A_TOKENS", "hush", 1);
	setenv("MCPCTL_COLOR", "never", 1);
	setenv("MY_TOKEN", "kept", 1);
	seen_init(&s);
	start(&s, script, o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out),
			    "[] [] [] [never] [kept] path\n");
	seen_done(&s);
	o.env = env;
	seen_init(&s);
	start(&s, script, o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out),
			    "[] [named] [] [never] [kept] path\n");
	seen_done(&s);
	o.secrets = true;
	seen_init(&s);
	start(&s, script, o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out),
			    "[hush] [named] [hush] [never] [kept] path\n");
	seen_done(&s);
	unsetenv("MCPCTL_TOKEN");
	unsetenv("MCPCTL_NEW_PASSWORD");
	unsetenv("MCPCTL_A_TOKENS");
	unsetenv("MCPCTL_COLOR");
	unsetenv("MY_TOKEN");
}

static void no_descriptors(void **state)
{
	/* The last is the folder that ls reads. */
	char script[] = "ls /proc/self/fd; readlink /proc/self/fd/0";
	int leaked = open("/dev/null", O_RDONLY), other = dup2(leaked, 77);
	struct seen s;

	(void)state;
	assert_true(leaked >= 0 && other == 77);
	seen_init(&s);
	start(&s, script, pipes);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "0\n1\n2\n3\n/dev/null\n");
	close(leaked);
	close(other);
	seen_done(&s);
}

/*
 * loop_new ignores SIGPIPE: the child does not. (Signals from 32 on are the C
 * library's own, and whoever started the tests may have left them ignored.)
 */
static void default_signals(void **state)
{
	char script[] =
		"while read -r name mask; do case $name in SigIgn:|SigBlk:) "
		"echo $name$((0x$mask & 0x7fffffff));; esac; done "
		"</proc/self/status";
	struct seen s;
	sigset_t set;

	(void)state;
	seen_init(&s);
	signal(SIGUSR1, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	start(&s, script, pipes);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "SigBlk:0\nSigIgn:0\n");
	signal(SIGUSR1, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	seen_done(&s);
}

/* Ctrl-C is for us, and does not reach it. */
static void group(void **state)
{
	char script[] = "echo ready; exec sleep 1000";
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, pipes);
	wait_line(&s);
	assert_int_equal(getpgid(child_pid(s.child)), child_pid(s.child));
	child_stop(s.child, DEADLINE_MS);
	wait_ended(&s);
	seen_done(&s);
}

static void killed(void **state)
{
	char script[] = "kill -9 $$";
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, (struct child_options){ 0 });
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGKILL);
	seen_done(&s);
}

/* A child of the child goes with it. */
static void stops_the_group(void **state)
{
	char script[] = "sleep 1000 & echo $!; wait";
	struct seen s;
	int64_t until;
	long pid;

	(void)state;
	seen_init(&s);
	start(&s, script, pipes);
	wait_line(&s);
	pid = strtol(s.lines.data + 4, NULL, 10);
	assert_int_equal(kill((pid_t)pid, 0), 0);
	child_stop(s.child, DEADLINE_MS);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGTERM);
	/* It closed its pipe; whoever adopted it may still have to reap it. */
	until = loop_now() + DEADLINE_MS;
	while (!kill((pid_t)pid, 0) && loop_now() < until) {
		char path[64], text[256] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
		fd = open(path, O_RDONLY);
		if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 &&
		    strstr(text, ") Z "))
			until = 0;
		close(fd);
		usleep(1000);
	}
	assert_true(kill((pid_t)pid, 0) || !until);
	seen_done(&s);
}

static void escalates(void **state)
{
	char script[] = "trap '' TERM; echo ready; "
			"while :; do sleep 0.05; done";
	struct seen s;

	(void)state;
	seen_init(&s);
	s.stop_at_line = true;
	start(&s, script, pipes);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGKILL);
	seen_done(&s);
}

/* What it left behind holds its pipe for long; the end comes all the same. */
static void left_behind(void **state)
{
	char script[] = "echo $$; setsid sleep 1000 & echo $!; exit 3";
	struct seen s;
	char *second;

	(void)state;
	seen_init(&s);
	start(&s, script, pipes);
	wait_ended(&s);
	assert_int_equal(s.status, 3);
	second = strchr(s.out.data, '\n');
	assert_non_null(second);
	kill((pid_t)strtol(second, NULL, 10), SIGKILL);
	seen_done(&s);
}

static void abandoned(void **state)
{
	char quick[] = "echo ready; echo more; sleep 1000";
	char stubborn[] = "trap '' TERM; echo ready; while :; do sleep 0.01; "
			  "done";
	struct seen s;

	(void)state;
	seen_init(&s);
	s.abandon_at_line = true;
	start(&s, quick, pipes);
	wait_line(&s);
	s.line = false;
	start(&s, stubborn, pipes);
	wait_line(&s);
	assert_string_equal(buf_string(&s.lines), "out:ready\nout:ready\n");
	/* loop_free waits for it. */
	seen_done(&s);
	assert_false(s.ended);
}

/* The same where a folder of PATH is closed to the user. */
static void closed_path(struct seen *s, const struct child_options *o)
{
	CLEANUP(mem_free_ptr) char *was = mem_strdup(getenv("PATH"));
	char closed[] = "/tmp/mcpctl-closed-XXXXXX";
	struct error err = { 0 };
	bool root = geteuid() == 0;

	assert_non_null(mkdtemp(closed));
	assert_int_equal(chmod(closed, 0), 0);
	assert_int_equal(setenv("PATH", closed, 1), 0);
	/* To root nothing is closed. */
	assert_int_equal(root ? seteuid(65534) : 0, 0);
	assert_int_equal(child_start(&s->child, s->loop, o, &events, s, &err),
			 -1);
	assert_int_equal(root ? seteuid(0) : 0, 0);
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.text, "there is no such program in PATH"));
	assert_int_equal(setenv("PATH", was, 1), 0);
	assert_int_equal(rmdir(closed), 0);
	error_reset(&err);
}

static void missing(void **state)
{
	char name[] = "no-such-program-here", path[] = "/no/such/program";
	char folder[] = "/";
	char *argv[] = { name, NULL };
	struct child_options o = { .argv = argv, .out = CHILD_PIPE };
	struct error err = { 0 };
	struct seen s;

	(void)state;
	seen_init(&s);
	s.child = (struct child *)&s;
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_null(s.child);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(err.code, ENOENT);
	assert_string_equal(err.text, "cannot start 'no-such-program-here': "
				      "there is no such program in PATH");
	closed_path(&s, &o);
	argv[0] = path;
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_string_equal(err.text, "cannot start '/no/such/program': no "
				      "such file or directory");
	argv[0] = folder;
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_int_equal(err.code, EACCES);
	seen_done(&s);
	assert_false(s.ended);
}

static struct child_options writable(void)
{
	struct child_options o = pipes;

	o.writable = true;
	return o;
}

static void say(struct seen *s, const char *text)
{
	struct error err = { 0 };

	if (child_write(s->child, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static void not_taken(struct seen *s, size_t len, const char *says)
{
	char *text = calloc(1, len + 1);
	struct error err = { 0 };

	assert_int_equal(child_write(s->child, text, len, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
	free(text);
}

static void is_written_to(void **state)
{
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, (char[]){ "read a; echo got $a; cat; exit 4" }, writable());
	say(&s, "one\n");
	wait_line(&s);
	assert_string_equal(buf_string(&s.lines), "out:got one\n");
	say(&s, "");
	say(&s, "two\nthr");
	say(&s, "ee");
	child_close_input(s.child);
	child_close_input(s.child);
	not_taken(&s, 1, "its stdin is closed");
	wait_ended(&s);
	assert_int_equal(s.status, 4);
	assert_string_equal(buf_string(&s.out), "got one\ntwo\nthree");
	seen_done(&s);
}

/* More than a pipe takes, to one that reads late: nothing is lost. */
static void waits_until_it_reads(void **state)
{
	char script[] = "read a; echo $a; sleep 0.1; wc -c";
	size_t len = 3000000;
	char *text = malloc(len);
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, writable());
	say(&s, "begin\n");
	memset(text, 'x', len);
	assert_int_equal(child_write(s.child, text, len, NULL), 0);
	/* The text is ours again. */
	memset(text, 'y', len);
	free(text);
	say(&s, "end");
	child_close_input(s.child);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "begin\n3000003\n");
	seen_done(&s);
}

static void never_reads(void **state)
{
	char script[] = "echo ready; exec sleep 1000";
	size_t len = CHILD_INPUT_MAX - 1000;
	char *text = calloc(1, len);
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, writable());
	wait_line(&s);
	assert_int_equal(child_write(s.child, text, len, NULL), 0);
	free(text);
	not_taken(&s, CHILD_INPUT_MAX, "does not read its stdin");
	say(&s, "a little more");
	/* What waits is dropped. */
	child_close_input(s.child);
	child_stop(s.child, DEADLINE_MS);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGTERM);
	seen_done(&s);
}

static void closes_its_input(void **state)
{
	char script[] = "exec <&-; echo ready; exec sleep 1000";
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, writable());
	wait_line(&s);
	not_taken(&s, 10, "its stdin is closed");
	not_taken(&s, 10, "its stdin is closed");
	child_close_input(s.child);
	child_abandon(s.child);
	seen_done(&s);
}

/* It is noticed when it is too late for an error. */
static void closes_its_input_late(void **state)
{
	char script[] = "echo ready; read a; exec <&-; echo closed; "
			"exec sleep 1000";
	size_t len = 1000000;
	char *text = malloc(len);
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, writable());
	memset(text, '\n', len);
	assert_int_equal(child_write(s.child, text, len, NULL), 0);
	free(text);
	while (!strstr(buf_string(&s.lines), "closed")) {
		s.line = false;
		wait_line(&s);
	}
	for (int i = 0; i < 10; i++)
		loop_poll(s.loop);
	not_taken(&s, 10, "its stdin is closed");
	child_abandon(s.child);
	seen_done(&s);
}

static void bytes(void **state)
{
	char script[] = "printf 'a\\nb'; echo x >&2; sleep 0.05; printf c";
	struct child_options o = pipes;
	struct seen s;

	(void)state;
	o.keep = 3;
	seen_init(&s);
	start_with(&s, script, o, &data_events);
	wait_ended(&s);
	assert_true(s.data_ended);
	assert_string_equal(buf_string(&s.data), "a\nbc");
	assert_string_equal(buf_string(&s.lines), "err:x\n");
	assert_string_equal(buf_string(&s.out), "a\nb");
	seen_done(&s);
}

static void bytes_end_before_it(void **state)
{
	char script[] = "exec >&-; read a; exit 2";
	struct seen s;

	(void)state;
	seen_init(&s);
	start_with(&s, script, writable(), &data_events);
	assert_int_equal(loop_wait(s.loop, &s.data_ended,
				   loop_now() + DEADLINE_MS, NULL),
			 0);
	assert_false(s.ended);
	child_close_input(s.child);
	wait_ended(&s);
	assert_int_equal(s.status, 2);
	seen_done(&s);
}

static void folder(void **state)
{
	char relative[] = "bin/none";
	char *argv[] = { relative, NULL };
	struct child_options o = pipes;
	struct error err = { 0 };
	struct seen s;

	(void)state;
	o.cwd = "/usr";
	seen_init(&s);
	start(&s, (char[]){ "pwd -P" }, o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "/usr\n");
	o.argv = argv;
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_string_equal(err.hint, "it is looked for from the folder "
				      "'/usr'");
	o.cwd = "/no/such";
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_string_equal(err.text,
			    "cannot start 'bin/none': the folder '/no/such': "
			    "no such file or directory");
	o.cwd = "/dev/null";
	o.writable = true;
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_non_null(strstr(err.text, "not a directory"));
	seen_done(&s);
}

/* Another descriptor of ours in the place of its stdout; nothing is kept then. */
static void another_stdout(void **state)
{
	struct child_options o = pipes;
	char got[32] = "";
	struct seen s;
	int ends[2];

	(void)state;
	seen_init(&s);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	o.out = CHILD_INHERIT;
	o.out_fd = ends[1];
	start(&s, (char[]){ "echo there; echo here >&2" }, o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.lines), "err:here\n");
	assert_string_equal(buf_string(&s.out), "");
	/* It was lent. */
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(read(ends[0], got, sizeof(got)), 6);
	assert_string_equal(got, "there\n");
	close(ends[0]);
	seen_done(&s);
}

static void no_stdout(void **state)
{
	struct child_options o = pipes;
	struct seen s;

	(void)state;
	seen_init(&s);
	o.out = CHILD_NULL;
	start(&s, (char[]){ "a=$(readlink /proc/$$/fd/1); echo $a >&2" }, o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.lines), "err:/dev/null\n");
	seen_done(&s);
}

/* So that Ctrl-C reaches it; what we do to it is for it alone then. */
static void our_group(void **state)
{
	char script[] = "echo ready; exec sleep 1000";
	struct child_options o = pipes;
	struct seen s;

	(void)state;
	seen_init(&s);
	o.same_group = true;
	start(&s, script, o);
	wait_line(&s);
	assert_int_equal(getpgid(child_pid(s.child)), getpgid(0));
	child_stop(s.child, DEADLINE_MS);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGTERM);
	seen_done(&s);
}

/* A signal is for it alone, though it leads a group. */
static void is_signalled(void **state)
{
	char script[] = "sleep 1000 & p=$!; "
			"trap 'kill $p; wait $p; echo $?; exit 6' USR1; "
			"echo ready; while :; do wait; done";
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, pipes);
	wait_line(&s);
	child_signal(s.child, SIGUSR1);
	wait_ended(&s);
	assert_int_equal(s.status, 6);
	assert_string_equal(buf_string(&s.out), "ready\n143\n");
	seen_done(&s);
}

static void whether_it_reads(void **state)
{
	char script[] = "echo ready; exec sleep 1000";
	char closing[] = "exec <&-; echo ready; exec sleep 1000";
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, script, pipes);
	assert_false(child_reads(s.child));
	child_close_input(s.child);
	not_taken(&s, 1, "its stdin is closed");
	child_abandon(s.child);
	start(&s, script, writable());
	assert_true(child_reads(s.child));
	child_close_input(s.child);
	assert_false(child_reads(s.child));
	child_abandon(s.child);
	s.line = false;
	start(&s, closing, writable());
	wait_line(&s);
	assert_true(child_reads(s.child));
	not_taken(&s, 1, "its stdin is closed");
	assert_false(child_reads(s.child));
	child_abandon(s.child);
	seen_done(&s);
}

/* How many wait, by the words of a refusal. */
static size_t waiting(struct seen *s)
{
	char *text = calloc(1, CHILD_INPUT_MAX);
	CLEANUP(error_reset) struct error err = { 0 };
	unsigned long long count = 0;

	assert_int_equal(child_write(s->child, text, CHILD_INPUT_MAX, &err),
			 -1);
	assert_int_equal(sscanf(err.text,
				"it does not read its stdin: %llu bytes wait",
				&count),
			 1);
	free(text);
	return (size_t)count;
}

/* As much as may wait, to the byte. */
static void fills_up(void **state)
{
	char script[] = "echo ready; exec sleep 1000";
	char *text = calloc(1, CHILD_INPUT_MAX);
	struct seen s;
	size_t count;

	(void)state;
	seen_init(&s);
	start(&s, script, writable());
	wait_line(&s);
	not_taken(&s, CHILD_INPUT_MAX + 1,
		  "0 bytes wait, and 16777217 more are too many");
	assert_int_equal(child_write(s.child, text, CHILD_INPUT_MAX, NULL), 0);
	count = waiting(&s);
	assert_in_range(count, 1, CHILD_INPUT_MAX - 1);
	assert_int_equal(
		child_write(s.child, text, CHILD_INPUT_MAX - count, NULL), 0);
	not_taken(
		&s, 1,
		"it does not read its stdin: 16777216 bytes wait, and 1 more are too many");
	assert_true(child_reads(s.child));
	/* Its end, though all of that is to be written before. */
	child_close_input(s.child);
	assert_false(child_reads(s.child));
	free(text);
	child_abandon(s.child);
	seen_done(&s);
}

/* An address with a token in it is one, too; a like name is none. */
static void secret_addresses(void **state)
{
	static const char *const names[] = { "MCPCTL_MCP_ENDPOINT",
					     "MCPCTL_OAUTH_CLIENT_SECRET",
					     "X_MCPCTL_TOKEN" };
	char script[] = "echo [$MCPCTL_MCP_ENDPOINT] "
			"[$MCPCTL_OAUTH_CLIENT_SECRET] [$X_MCPCTL_TOKEN]";
	struct seen s;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		setenv(names[i], "hush", 1);
	seen_init(&s);
	start(&s, script, pipes);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "[] [] [hush]\n");
	for (size_t i = 0; i < COUNT(names); i++)
		unsetenv(names[i]);
	seen_done(&s);
}

/* The PATH that it is given is the one that counts; what to do about it. */
static void not_in_its_path(void **state)
{
	const char *const env[] = { "PATH=/no/such", NULL };
	char name[] = "sh", whole[] = "/no/such/program";
	char *argv[] = { name, NULL };
	struct child_options o = { .argv = argv, .env = env };
	CLEANUP(error_reset) struct error err = { 0 };
	struct seen s;

	(void)state;
	seen_init(&s);
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_int_equal(err.code, ENOENT);
	assert_string_equal(
		err.text,
		"cannot start 'sh': there is no such program in PATH");
	assert_string_equal(err.hint, "install it, or give its whole path");
	error_reset(&err);
	argv[0] = whole;
	o.cwd = "/usr";
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_int_equal(err.code, ENOENT);
	assert_string_equal(err.hint, "");
	seen_done(&s);
}

/* Who asks for no lines has what is kept. */
static void without_lines(void **state)
{
	static const struct child_events end_alone = { .ended = on_ended };
	struct seen s;

	(void)state;
	seen_init(&s);
	start_with(&s, (char[]){ "echo a; printf 'b\r'; echo c >&2" }, pipes,
		   &end_alone);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.lines), "");
	assert_string_equal(buf_string(&s.out), "a\nb\r");
	assert_string_equal(buf_string(&s.err), "c\n");
	seen_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_status),
		cmocka_unit_test(reads_what_it_is_given),
		cmocka_unit_test(both_pipes),
		cmocka_unit_test(long_line),
		cmocka_unit_test(environment),
		cmocka_unit_test(secrets),
		cmocka_unit_test(no_descriptors),
		cmocka_unit_test(default_signals),
		cmocka_unit_test(group),
		cmocka_unit_test(killed),
		cmocka_unit_test(stops_the_group),
		cmocka_unit_test(escalates),
		cmocka_unit_test(left_behind),
		cmocka_unit_test(abandoned),
		cmocka_unit_test(missing),
		cmocka_unit_test(is_written_to),
		cmocka_unit_test(waits_until_it_reads),
		cmocka_unit_test(never_reads),
		cmocka_unit_test(closes_its_input),
		cmocka_unit_test(closes_its_input_late),
		cmocka_unit_test(bytes),
		cmocka_unit_test(bytes_end_before_it),
		cmocka_unit_test(folder),
		cmocka_unit_test(another_stdout),
		cmocka_unit_test(no_stdout),
		cmocka_unit_test(our_group),
		cmocka_unit_test(is_signalled),
		cmocka_unit_test(whether_it_reads),
		cmocka_unit_test(fills_up),
		cmocka_unit_test(secret_addresses),
		cmocka_unit_test(not_in_its_path),
		cmocka_unit_test(without_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
