/* SPDX-License-Identifier: MIT */
/*
 * base/spawner: programs that another process starts. base/child on top of it,
 * what a sealed one refuses, and what becomes of it all at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"

#define DEADLINE_MS 60000

struct seen {
	struct loop *loop;
	struct child *child;
	struct buf out, err;
	bool ended, line;
	int status;
};

static void on_line(void *owner, bool is_err, const char *line)
{
	struct seen *s = owner;

	(void)is_err;
	(void)line;
	s->line = true;
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
static const struct child_options pipes = { .out = CHILD_PIPE,
					    .err = CHILD_PIPE,
					    .keep = 65536 };

/* A spawner, then a loop. */
static void seen_init(struct seen *s)
{
	struct error err = { 0 };

	*s = (struct seen){ .status = -1 };
	if (spawner_open(false, &err))
		fail_msg("%s", err.text);
	assert_int_equal(loop_new(&s->loop, NULL), 0);
}

static void seen_done(struct seen *s)
{
	loop_free(s->loop);
	buf_done(&s->out);
	buf_done(&s->err);
	spawner_close();
	assert_false(spawner_is_open());
	/* It has ended too. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static int try_start(struct seen *s, const char *script, struct child_options o,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(script);
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, copy, NULL };

	o.argv = argv;
	s->ended = s->line = false;
	buf_reset(&s->out);
	buf_reset(&s->err);
	return child_start(&s->child, s->loop, &o, &events, s, err);
}

static void start(struct seen *s, const char *script, struct child_options o)
{
	struct error err = { 0 };

	if (try_start(s, script, o, &err))
		fail_msg("%s", err.text);
	assert_true(child_pid(s->child) > 1);
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

/* By another process, with nothing but its three descriptors. */
static void starts_and_tells(void **state)
{
	struct seen s;
	char expected[64];

	(void)state;
	seen_init(&s);
	assert_int_not_equal(spawner_parent(), getpid());
	start(&s,
	      "echo $PPID; echo bad >&2; ls /proc/self/fd | wc -l; "
	      "readlink /proc/self/fd/0; exit 7",
	      pipes);
	wait_ended(&s);
	assert_int_equal(s.status, 7);
	/* ls has the folder open, too. */
	snprintf(expected, sizeof(expected), "%d\n4\n/dev/null\n",
		 spawner_parent());
	assert_string_equal(buf_string(&s.out), expected);
	assert_string_equal(buf_string(&s.err), "bad\n");
	start(&s, "kill -PIPE $$; echo no", pipes);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGPIPE);
	seen_done(&s);
}

static void gives_stdin_folder_and_settings(void **state)
{
	const char *const env[] = { "SPAWNED=yes", NULL };
	struct child_options o = pipes;
	struct error err = { 0 };
	struct seen s;

	(void)state;
	seen_init(&s);
	o.env = env;
	o.cwd = "/usr";
	o.writable = true;
	start(&s, "pwd; echo $SPAWNED; cat", o);
	if (child_write(s.child, "in\n", 3, &err))
		fail_msg("%s", err.text);
	child_close_input(s.child);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "/usr\nyes\nin\n");
	seen_done(&s);
}

/* An environment is larger than what a packet holds. */
static void takes_a_large_environment(void **state)
{
	CLEANUP(mem_free_ptr) char *much = mem_alloc(100001);
	struct child_options o = pipes;
	const char *env[] = { NULL, NULL, NULL, NULL };
	CLEANUP(mem_free_ptr) char *first = NULL;
	CLEANUP(mem_free_ptr) char *second = NULL;
	CLEANUP(mem_free_ptr) char *third = NULL;
	struct seen s;

	(void)state;
	memset(much, 'x', 100000);
	much[100000] = '\0';
	env[0] = first = mem_printf("A=%s", much);
	env[1] = second = mem_printf("B=%s", much);
	env[2] = third = mem_printf("C=%s", much);
	seen_init(&s);
	o.env = env;
	start(&s, "echo $(( ${#A} + ${#B} + ${#C} ))", o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "300000\n");
	seen_done(&s);
}

static void says_why_not(void **state)
{
	char *argv[] = { (char[]){ "no-such-program" }, NULL };
	struct child_options o = pipes;
	struct error err = { 0 };
	struct seen s;

	(void)state;
	seen_init(&s);
	o.argv = argv;
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_string_equal(err.text, "cannot start 'no-such-program': there "
				      "is no such program in PATH");
	assert_int_equal(err.code, ENOENT);
	o.cwd = "/no/folder";
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_non_null(strstr(err.text, "the folder '/no/folder'"));
	error_reset(&err);
	seen_done(&s);
}

/* What it left behind in its group goes too. */
static void stops_a_group(void **state)
{
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, "trap '' TERM; echo ready; sleep 600 & wait; wait", pipes);
	wait_line(&s);
	child_stop(s.child, 100);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGKILL);
	start(&s, "echo ready; exec sleep 600", pipes);
	wait_line(&s);
	child_signal(s.child, SIGHUP);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGHUP);
	seen_done(&s);
}

static void keeps_the_first_limits(void **state)
{
	struct rlimit old, lower;
	CLEANUP(mem_free_ptr) char *expected = NULL;
	struct seen s;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	expected = mem_printf("%llu\n", (unsigned long long)old.rlim_cur);
	seen_init(&s);
	lower = old;
	lower.rlim_cur = old.rlim_cur - 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
	start(&s, "ulimit -S -n", pipes);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), expected);
	setrlimit(RLIMIT_NOFILE, &old);
	seen_done(&s);
}

static void refused(struct seen *s, const char *script, struct child_options o)
{
	struct error err = { 0 };

	assert_int_equal(try_start(s, script, o, &err), -1);
	assert_int_equal(err.code, EPERM);
	error_reset(&err);
}

/* Whoever took us over asks it in vain. */
static void starts_what_was_allowed_and_no_more(void **state)
{
	static const char *const allowed[] = { "sh", "-c", "echo $0 $MCPCTL_X",
					       NULL };
	static const char *const good[] = { "MCPCTL_X=set", NULL };
	static const char *const loaded[] = { "LD_PRELOAD=/tmp/x.so", NULL };
	static const char *const path[] = { "PATH=/tmp", NULL };
	struct child_options o = pipes;
	struct seen s;

	(void)state;
	seen_init(&s);
	spawner_allow(allowed, 0, NULL);
	spawner_seal();
	/* After it, nobody can add to the list. */
	spawner_allow((const char *const[]){ "sh", NULL }, 9, NULL);
	refused(&s, "echo other", o);
	o.env = loaded;
	refused(&s, allowed[2], o);
	o.env = path;
	refused(&s, allowed[2], o);
	o.env = NULL;
	o.cwd = "/tmp";
	refused(&s, allowed[2], o);
	o.cwd = NULL;
	o.env = good;
	start(&s, allowed[2], o);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "sh set\n");
	seen_done(&s);
}

static void more_words_are_counted(void **state)
{
	static const char *const allowed[] = { "echo", "-n", NULL };
	char *argv[] = { (char[]){ "echo" }, (char[]){ "-n" }, (char[]){ "a" },
			 (char[]){ "b" }, NULL };
	struct child_options o = pipes;
	struct error err = { 0 };
	struct seen s;

	(void)state;
	seen_init(&s);
	spawner_allow(allowed, 1, NULL);
	spawner_seal();
	o.argv = argv;
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_int_equal(err.code, EPERM);
	error_reset(&err);
	argv[3] = NULL;
	argv[0] = (char[]){ "cat" };
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 -1);
	assert_int_equal(err.code, EPERM);
	error_reset(&err);
	argv[0] = (char[]){ "echo" };
	assert_int_equal(child_start(&s.child, s.loop, &o, &events, &s, &err),
			 0);
	wait_ended(&s);
	assert_string_equal(buf_string(&s.out), "a");
	seen_done(&s);
}

static void mode_of(int fd, int *flags)
{
	*flags = fcntl(fd, F_GETFL);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_false(*flags & O_NONBLOCK);
}

/* It, and not we: the file is anew one that it sees in its folder. */
static void opens_what_was_kept(void **state)
{
	char folder[] = "/tmp/mcpctl-test-XXXXXX";
	CLEANUP(mem_free_ptr) char *file = NULL;
	CLEANUP(mem_free_ptr) char *here = mem_zalloc(4096);
	int fd, flags;
	struct seen s;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_non_null(getcwd(here, 4096));
	assert_int_equal(chdir(folder), 0);
	seen_init(&s);
	spawner_keep("kept-by-it", O_WRONLY | O_APPEND | O_CREAT);
	spawner_keep("absent/kept-by-it", O_WRONLY | O_CREAT);
	spawner_seal();
	assert_int_equal(chdir("/"), 0);
	fd = file_open("kept-by-it", O_WRONLY | O_APPEND | O_CREAT, 0600);
	assert_true(fd >= 0);
	mode_of(fd, &flags);
	assert_int_equal(flags & (O_ACCMODE | O_APPEND), O_WRONLY | O_APPEND);
	close(fd);
	file = mem_printf("%s/kept-by-it", folder);
	assert_int_equal(access(file, F_OK), 0);
	/* Not with other flags, and no other file. */
	assert_int_equal(file_open("kept-by-it", O_RDONLY, 0), -1);
	assert_int_equal(errno, ENOENT);
	/* What it cannot open is no descriptor. */
	errno = 0;
	assert_int_equal(
		file_open("absent/kept-by-it", O_WRONLY | O_CREAT, 0600), -1);
	assert_int_equal(errno, ENOENT);
	fd = file_open("/dev/null", O_RDONLY, 0);
	assert_true(fd >= 0);
	close(fd);
	seen_done(&s);
	unlink(file);
	rmdir(folder);
	assert_int_equal(chdir(here), 0);
}

/* Killed by somebody: who ran there is told as ended, and nothing hangs. */
static void its_loss_is_told(void **state)
{
	struct error err = { 0 };
	struct seen s;

	(void)state;
	seen_init(&s);
	start(&s, "echo ready; exec sleep 600", pipes);
	wait_line(&s);
	assert_int_equal(kill(child_pid(s.child), 0), 0);
	kill(spawner_parent(), SIGKILL);
	kill(child_pid(s.child), SIGKILL);
	wait_ended(&s);
	assert_int_equal(s.status, 128 + SIGKILL);
	assert_true(spawner_is_lost());
	assert_int_equal(try_start(&s, "true", pipes, &err), -1);
	assert_non_null(
		strstr(err.text, "the process that starts programs has ended"));
	assert_true(*err.hint);
	error_reset(&err);
	seen_done(&s);
}

/* In a process of its own, which ends hard; its end of `alive` is inherited by what it started. */
static void leave_a_child(int alive)
{
	struct child_options o = { .out = CHILD_PIPE, .err = CHILD_PIPE };
	struct seen s;

	seen_init(&s);
	o.in = CHILD_PIPE;
	o.in_fd = alive;
	start(&s, "trap '' HUP; echo ready; sleep 600; sleep 600", o);
	wait_line(&s);
	kill(getpid(), SIGKILL);
}

static void what_runs_ends_with_us(void **state)
{
	struct pollfd p = { .events = POLLIN };
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		leave_a_child(ends[1]);
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* The pipe ends when nobody holds it any more. */
	p.fd = ends[0];
	assert_int_equal(poll(&p, 1, DEADLINE_MS), 1);
	assert_true(p.revents & POLLHUP);
	close(ends[0]);
}

/* As with one that starts by itself. */
static void abandoned_ones_end(void **state)
{
	struct seen s;
	int pid;

	(void)state;
	seen_init(&s);
	start(&s, "trap '' TERM; echo ready; while :; do sleep 600; done",
	      pipes);
	wait_line(&s);
	pid = child_pid(s.child);
	child_abandon(s.child);
	seen_done(&s);
	assert_int_equal(kill(pid, 0), -1);
	assert_false(s.ended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_and_tells),
		cmocka_unit_test(gives_stdin_folder_and_settings),
		cmocka_unit_test(takes_a_large_environment),
		cmocka_unit_test(says_why_not),
		cmocka_unit_test(stops_a_group),
		cmocka_unit_test(keeps_the_first_limits),
		cmocka_unit_test(starts_what_was_allowed_and_no_more),
		cmocka_unit_test(more_words_are_counted),
		cmocka_unit_test(opens_what_was_kept),
		cmocka_unit_test(its_loss_is_told),
		cmocka_unit_test(what_runs_ends_with_us),
		cmocka_unit_test(abandoned_ones_end),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
