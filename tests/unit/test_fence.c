/* SPDX-License-Identifier: MIT */
/*
 * base/fence: what a process behind fences tries in vain, and what it still
 * may. Each test is a process, since no fence comes down again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fence.h"
#include "base/file.h"
#include "base/mem.h"
#if ADDRESS_SANITIZED
#	include <sanitizer/lsan_interface.h>
#endif

static char folder[] = "/tmp/mcpctl-test-XXXXXX";
static char inside[128], outside[128];

/* In the process behind fences: its line is its status. */
#define EXPECT(what)                                                          \
	do {                                                                  \
		if (!(what)) {                                                \
			fprintf(stderr, "line %d: %s: %s\n", __LINE__, #what, \
				strerror(errno));                             \
			_exit(1);                                             \
		}                                                             \
	} while (0)

static bool has_landlock(const char *what)
{
	return strstr(what, "Landlock ") && !strstr(what, "(");
}

static void in_a_process(void (*fn)(void))
{
	int how;
	pid_t pid = fork();

	if (pid == 0) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_true(WIFEXITED(how));
	assert_int_equal(WEXITSTATUS(how), 0);
}

/* As serve does it; what is in force, yours. */
static char *raise_them(void)
{
	struct words rules = { 0 };
	char *what;

	fence_system(&rules);
	fence_rule(&rules, "write", inside);
	fence_port(&rules, "connect", 9);
	what = fence_raise((const char *const *)rules.word);
	words_done(&rules);
	return what;
}

static bool fails(long result, int why)
{
	return result == -1 && errno == why;
}

static void try_privileges(void)
{
	struct rlimit core;
	char *what = raise_them();

	EXPECT(strstr(what, "no new privileges"));
	EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	EXPECT(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0);
	mem_free(what);
}

static void try_calls(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };
	char *what = raise_them();

	if (!strstr(what, "seccomp,"))
		_exit(0); /* not in this container */
	EXPECT(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2);
	EXPECT(fails(execv("/bin/true", argv), EPERM));
	EXPECT(fails(unshare(CLONE_NEWUSER), EPERM));
	EXPECT(fails(setgid(getgid()), EPERM));
	EXPECT(fails(chroot("/"), EPERM));
	EXPECT(fails(ioctl(0, TIOCSTI, "x"), EPERM));
	EXPECT(fails(socket(AF_PACKET, SOCK_RAW, 0), EAFNOSUPPORT));
	EXPECT(socket(AF_INET6, SOCK_STREAM, 0) >= 0 || errno != EPERM);
	EXPECT(socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
	EXPECT(fails(fork(), EPERM));
#if !ADDRESS_SANITIZED /* whose search for leaks needs it */
	EXPECT(fails(ptrace(PTRACE_TRACEME, 0, NULL, NULL), EPERM));
#endif
	mem_free(what);
}

static void try_files(void)
{
	CLEANUP(mem_free_ptr) char *mine = mem_printf("%s/new", inside);
	CLEANUP(mem_free_ptr) char *theirs = mem_printf("%s/file", outside);
	CLEANUP(mem_free_ptr) char *more = mem_printf("%s/new", outside);
	char *what = raise_them();

	if (!has_landlock(what))
		_exit(0); /* an older kernel */
	EXPECT(file_replace(mine, 0600, "text", 4) == 0);
	EXPECT(open(mine, O_RDWR | O_TRUNC) >= 0);
	EXPECT(unlink(mine) == 0);
	EXPECT(fails(open(theirs, O_RDONLY), EACCES));
	EXPECT(fails(open(theirs, O_WRONLY), EACCES));
	EXPECT(fails(open(more, O_WRONLY | O_CREAT, 0600), EACCES));
	EXPECT(fails(unlink(theirs), EACCES));
	EXPECT(fails(open(outside, O_RDONLY | O_DIRECTORY), EACCES));
	EXPECT(open("/etc/passwd", O_RDONLY) >= 0);
	EXPECT(fails(open("/etc/passwd", O_WRONLY), EACCES));
	EXPECT(open("/dev/null", O_RDWR) >= 0);
	mem_free(what);
}

static void try_ports(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(10),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	char *what = raise_them();
	const char *version = strstr(what, "Landlock ");
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (!has_landlock(what) || atol(version + strlen("Landlock ")) < 4)
		_exit(0);
	EXPECT(fails(connect(fd, (struct sockaddr *)&to, sizeof(to)), EACCES));
	to.sin_port = htons(0);
	EXPECT(fails(bind(fd, (struct sockaddr *)&to, sizeof(to)), EACCES));
	/* Allowed; whether somebody is there is another matter. */
	to.sin_port = htons(9);
	EXPECT(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 ||
	       errno == ECONNREFUSED);
	mem_free(what);
}

/* One that may start a program: that one, and no other. */
static void try_program(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };
	struct words rules = { 0 };
	char *what;

	fence_system(&rules);
	fence_program(&rules, "/usr/bin/true");
	what = fence_raise((const char *const *)rules.word);
	if (has_landlock(what))
		EXPECT(fails(execv("/usr/bin/false", argv), EACCES));
	words_done(&rules);
	mem_free(what);
	execv("/usr/bin/true", argv);
	_exit(1);
}

struct look {
	uv_work_t work;
	const char *path;
	int error;
	bool done;
};

static void on_look(uv_work_t *work)
{
	struct look *k = work->data;
	int fd = open(k->path, O_RDONLY | O_CLOEXEC);

	k->error = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
}

static void on_looked(uv_work_t *work, int status)
{
	struct look *k = work->data;

	(void)status;
	k->done = true;
}

static int look(struct loop *l, const char *path)
{
	struct look k = { .path = path };

	k.work.data = &k;
	uv_queue_work(loop_uv(l), &k.work, on_look, on_looked);
	loop_wait(l, &k.done, loop_now() + 60000, NULL);
	return k.error;
}

/* Threads that were there before are behind them, too. */
static void try_pool(void)
{
	CLEANUP(mem_free_ptr) char *theirs = mem_printf("%s/file", outside);
	struct words rules = { 0 };
	struct loop *l;
	char *what;

	EXPECT(loop_new(&l, NULL) == 0);
	EXPECT(look(l, theirs) == 0);
	fence_system(&rules);
	what = fence_raise((const char *const *)rules.word);
	if (!has_landlock(what))
		_exit(0);
	fence_pool(l, &rules);
	for (int i = 0; i < 20; i++)
		EXPECT(look(l, theirs) == EACCES);
	words_done(&rules);
	mem_free(what);
	loop_free(l);
}

#if ADDRESS_SANITIZED
/* The search for leaks works behind them; without leaks it says nothing. */
static void try_leaks(void)
{
	char *what = raise_them();

	EXPECT(__lsan_do_recoverable_leak_check() == 0);
	EXPECT(malloc(1000) != NULL);
	EXPECT(freopen("/dev/null", "w", stderr) != NULL);
	EXPECT(__lsan_do_recoverable_leak_check() != 0);
	mem_free(what);
}

static void leaks(void **state)
{
	(void)state;
	in_a_process(try_leaks);
}
#endif

static void on_readable(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	++*(int *)poll->data;
	uv_poll_stop(poll);
}

/* What is watched from then on is asked of the kernel, too. */
static void try_loop(void)
{
	struct loop *l;
	uv_poll_t poll;
	char *what;
	int pipes[2], seen = 0;

	fence_early();
	EXPECT(loop_new(&l, NULL) == 0);
	what = raise_them();
	EXPECT(pipe2(pipes, O_CLOEXEC) == 0);
	EXPECT(write(pipes[1], "x", 1) == 1);
	poll.data = &seen;
	EXPECT(uv_poll_init(loop_uv(l), &poll, pipes[0]) == 0);
	EXPECT(uv_poll_start(&poll, UV_READABLE, on_readable) == 0);
	uv_run(loop_uv(l), UV_RUN_ONCE);
	EXPECT(seen == 1);
	uv_close((uv_handle_t *)&poll, NULL);
	loop_free(l);
	mem_free(what);
}

static void privileges(void **state)
{
	(void)state;
	in_a_process(try_privileges);
}

static void calls(void **state)
{
	(void)state;
	in_a_process(try_calls);
}

static void files(void **state)
{
	(void)state;
	in_a_process(try_files);
}

static void ports(void **state)
{
	(void)state;
	in_a_process(try_ports);
}

static void program(void **state)
{
	(void)state;
	in_a_process(try_program);
}

static void pool(void **state)
{
	(void)state;
	in_a_process(try_pool);
}

static void loop(void **state)
{
	(void)state;
	in_a_process(try_loop);
}

static int make_folders(void **state)
{
	CLEANUP(mem_free_ptr) char *file = NULL;

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(inside, sizeof(inside), "%s/inside", folder);
	snprintf(outside, sizeof(outside), "%s/outside", folder);
	file = mem_printf("%s/file", outside);
	return mkdir(inside, 0700) || mkdir(outside, 0700) ||
	       file_replace(file, 0600, "theirs", 6);
}

static int remove_folders(void **state)
{
	CLEANUP(mem_free_ptr) char *file = mem_printf("%s/file", outside);

	(void)state;
	unlink(file);
	rmdir(inside);
	rmdir(outside);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(privileges),
		cmocka_unit_test(calls),
		cmocka_unit_test(files),
		cmocka_unit_test(ports),
		cmocka_unit_test(program),
		cmocka_unit_test(pool),
#if ADDRESS_SANITIZED
		cmocka_unit_test(leaks),
#endif
		cmocka_unit_test(loop),
	};

	return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
