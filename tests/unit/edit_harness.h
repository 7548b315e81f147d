/* SPDX-License-Identifier: MIT */
/*
 * The line editor in a terminal of the test's own: a child runs it (this
 * program once more, with --child), the test types and looks at the screen.
 */
#ifndef TESTS_EDIT_HARNESS_H
#define TESTS_EDIT_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "screen.h"
#include "shell/edit.h"

#define DEADLINE_MS 60000

/* ---- the child ---- */

static struct {
	const struct edit_table *edit;
	struct loop *loop;
	char *prompt, *line;
	bool has_line, quit, waits;
	struct buf orders;
} child;

/* tests/unit/test_edit_*.c: what TAB gives. */
static void child_complete(void *owner, const char *line,
			   struct completion *out);

static void child_line(void *owner, const char *line)
{
	(void)owner;
	child.line = mem_strdup(line);
	child.has_line = true;
}

static bool child_incomplete(void *owner, const char *line)
{
	int open = 0;

	(void)owner;
	for (; *line; line++)
		open += (*line == '{') - (*line == '}');
	return open > 0;
}

/* On descriptor 4, what the test waits for. */
static void tell(const char *what, const char *text)
{
	dprintf(4, "%s%s%c", what, text, '\0');
}

static void order_storm(int count)
{
	int i;

	for (i = 0; i < count; i++) {
		child.edit->hide();
		printf("event %d\n", i);
		fflush(stdout);
		child.edit->show();
	}
}

static void order(const char *name, const char *text)
{
	const struct edit_table *e = child.edit;

	if (strcmp(name, "print") == 0) {
		e->hide();
		printf("%s\n", text);
		fflush(stdout);
		e->show();
	} else if (strcmp(name, "hide") == 0) {
		e->hide();
	} else if (strcmp(name, "show") == 0) {
		e->show();
	} else if (strcmp(name, "prompt") == 0) {
		mem_free(child.prompt);
		child.prompt = mem_strdup(text);
		e->prompt(text);
	} else if (strcmp(name, "stop") == 0) {
		e->stop();
	} else if (strcmp(name, "start") == 0) {
		e->start(child.prompt);
	} else if (strcmp(name, "wait") == 0) {
		child.waits = true; /* no new line by itself */
	} else if (strcmp(name, "storm") == 0) {
		order_storm(atoi(text));
	} else if (strcmp(name, "blocking") == 0) {
		if (fcntl(0, F_GETFL) & O_NONBLOCK)
			abort();
	} else if (strcmp(name, "quit") == 0) {
		child.quit = child.has_line = true;
	}
	tell("did ", name);
}

static void take_orders(uv_poll_t *poll, int status, int events)
{
	char chunk[256], *end, *text;
	ssize_t got = read(3, chunk, sizeof(chunk));

	(void)status;
	(void)events;
	if (got <= 0) {
		uv_poll_stop(poll);
		child.quit = child.has_line = true;
		return;
	}
	buf_add(&child.orders, chunk, (size_t)got);
	while (child.orders.len &&
	       (end = memchr(child.orders.data, '\0', child.orders.len))) {
		text = strchr(child.orders.data, ' ');
		if (text)
			*text++ = '\0';
		order(child.orders.data, text ? text : "");
		buf_consume(&child.orders,
			    (size_t)(end + 1 - child.orders.data));
	}
}

/* The line is told when the next is being edited: before, a tty would echo. */
static void child_took(char *line)
{
	child.line = NULL;
	child.edit->remember(line);
	if (!child.waits)
		child.edit->start(child.prompt);
	tell("line ", line);
	mem_free(line);
}

static void child_lines(void)
{
	struct error err = { 0 };

	while (!child.quit) {
		if (loop_wait(child.loop, &child.has_line, LOOP_FOREVER,
			      &err)) {
			child.edit->clear();
			tell("interrupted", "");
			continue;
		}
		child.has_line = false;
		if (child.quit)
			break;
		if (!child.line) {
			tell("end", "");
			break;
		}
		child_took(child.line);
	}
}

static int child_main(void)
{
	static const struct edit_events events = {
		.line = child_line,
		.complete = child_complete,
		.incomplete = child_incomplete,
	};
	struct error err = { 0 };
	uv_poll_t poll;

	fcntl(3, F_SETFD, FD_CLOEXEC);
	if (getenv("RESULTS") && !freopen(getenv("RESULTS"), "we", stdout))
		return 1;
	child.edit = module_table("shell", EDIT_TABLE, &err);
	child.prompt = mem_strdup("> ");
	if (!child.edit || loop_new(&child.loop, &err) ||
	    child.edit->open(child.loop, &events, NULL, getenv("HISTORY"),
			     &err)) {
		tell("error ", err.text);
		return 1;
	}
	uv_poll_init(loop_uv(child.loop), &poll, 3);
	uv_poll_start(&poll, UV_READABLE, take_orders);
	child.edit->start(child.prompt);
	child_lines();
	child.edit->close();
	uv_close((uv_handle_t *)&poll, NULL);
	loop_free(child.loop);
	buf_done(&child.orders);
	mem_free(child.prompt);
	mem_free(child.line);
	tell("closed", "");
	return 0;
}

/* ---- the test ---- */

static struct {
	pid_t pid;
	int terminal, orders, news;
	struct screen screen;
	struct buf seen; /* all bytes of the terminal */
	struct buf told;
} term;

static void resize(int rows, int columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows,
				.ws_col = (unsigned short)columns };

	ioctl(term.terminal, TIOCSWINSZ, &size);
	term.screen.rows = rows;
	term.screen.columns = columns;
}

static void take(int fd, struct buf *into, bool is_terminal)
{
	char chunk[4096];
	ssize_t got = read(fd, chunk, sizeof(chunk));

	if (got <= 0)
		return;
	buf_add(into, chunk, (size_t)got);
	if (is_terminal)
		screen_write(&term.screen, chunk, (size_t)got);
}

/* What comes in a moment. False: nothing did. */
static bool listen_for(int ms)
{
	struct pollfd p[] = { { .fd = term.terminal, .events = POLLIN },
			      { .fd = term.news, .events = POLLIN } };

	if (poll(p, 2, ms) <= 0)
		return false;
	/* Hung up: that comes at once, again and again. */
	if (!((p[0].revents | p[1].revents) & POLLIN))
		poll(NULL, 0, 1);
	if (p[0].revents & POLLIN)
		take(term.terminal, &term.seen, true);
	if (p[1].revents & POLLIN)
		take(term.news, &term.told, false);
	return (p[0].revents | p[1].revents) & POLLIN;
}

static void give_up(const char *what)
{
	screen_dump(&term.screen);
	fprintf(stderr, "news: '%s'\n", buf_string(&term.told));
	fail_msg("never came: %s", what);
}

/* Before it the terminal would echo by itself. */
static void expect_prompt(void)
{
	int64_t end = loop_now() + DEADLINE_MS;

	while (!strstr(buf_string(&term.seen), "> ")) {
		if (loop_now() > end)
			give_up("the first prompt");
		listen_for(100);
	}
}

/* env: "NAME=VALUE" …, NULL. */
static void open_terminal(int rows, int columns, char *const env[])
{
	struct winsize size = { .ws_row = (unsigned short)rows,
				.ws_col = (unsigned short)columns };
	int orders[2], news[2];
	char *argv[] = { (char[]){ "test" }, (char[]){ "--child" }, NULL };

	screen_reset(&term.screen, rows, columns);
	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(news), 0);
	term.pid = forkpty(&term.terminal, NULL, NULL, &size);
	assert_true(term.pid >= 0);
	if (term.pid == 0) {
		setenv("TERM", "xterm", 1);
		setenv("INPUTRC", "/dev/null", 1);
		unsetenv("LC_ALL");
		unsetenv("LC_CTYPE");
		unsetenv("LANG");
		for (; *env; env++)
			putenv(*env);
		/* Away from 3 and 4, which may be in use. */
		orders[0] = fcntl(orders[0], F_DUPFD, 20);
		news[1] = fcntl(news[1], F_DUPFD, 20);
		dup2(orders[0], 3);
		dup2(news[1], 4);
		closefrom(5);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(orders[0]);
	close(news[1]);
	term.orders = orders[1];
	term.news = news[0];
	term.seen = term.told = (struct buf){ 0 };
	expect_prompt();
}

/* The editor's next news, until more is listened for. */
static const char *await_told(const char *wanted)
{
	int64_t end = loop_now() + DEADLINE_MS;

	while (!term.told.len || !memchr(term.told.data, '\0', term.told.len)) {
		if (loop_now() > end)
			give_up(wanted);
		listen_for(100);
	}
	return term.told.data;
}

/* It is text; then it is gone. */
static void expect_told(const char *text)
{
	assert_string_equal(await_told(text), text);
	buf_consume(&term.told, strlen(text) + 1);
}

static void send_bytes(const char *keys, size_t len)
{
	while (len) {
		ssize_t put = write(term.terminal, keys, len);

		assert_true(put > 0);
		keys += put;
		len -= (size_t)put;
		listen_for(0);
	}
}

static void type(const char *keys)
{
	send_bytes(keys, strlen(keys));
}

static void tell_child(const char *text)
{
	char *name = mem_printf("did %.*s", (int)strcspn(text, " "), text);

	assert_true(write(term.orders, text, strlen(text) + 1) > 0);
	expect_told(name);
	mem_free(name);
}

static bool same_rows(const char *const *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (strcmp(screen_row(&term.screen, (int)i), rows[i]) != 0)
			return false;
	}
	for (; i < (size_t)term.screen.rows; i++) {
		if (*screen_row(&term.screen, (int)i))
			return false;
	}
	return true;
}

/* The whole screen from the top, and the cursor's place. */
static void expect_rows(const char *const *rows, size_t count, int y, int x)
{
	int64_t end = loop_now() + DEADLINE_MS;

	while (!same_rows(rows, count) || term.screen.y != y ||
	       term.screen.x != x) {
		if (loop_now() > end) {
			for (y = 0; y < (int)count; y++)
				fprintf(stderr, "want: |%s|\n", rows[y]);
			give_up("the screen");
		}
		listen_for(100);
	}
}

#define expect_screen(y, x, ...)                          \
	expect_rows((const char *const[]){ __VA_ARGS__ }, \
		    COUNT(((const char *const[]){ __VA_ARGS__ })), (y), (x))

/* A row that is so, anywhere. */
static void expect_row(const char *text)
{
	int64_t end = loop_now() + DEADLINE_MS;

	for (;;) {
		for (int y = 0; y < term.screen.rows; y++) {
			if (strcmp(screen_row(&term.screen, y), text) == 0)
				return;
		}
		if (loop_now() > end)
			give_up(text);
		listen_for(100);
	}
}

/* Reads until the editor is gone. */
static int wait_child(void)
{
	int status = 0;
	int64_t end = loop_now() + DEADLINE_MS;

	while (waitpid(term.pid, &status, WNOHANG) == 0) {
		if (loop_now() > end)
			give_up("the end");
		listen_for(20);
	}
	while (listen_for(0))
		;
	return status;
}

static void close_terminal(void)
{
	int status;

	assert_true(write(term.orders, "quit", 5) > 0);
	status = wait_child();
	if (status)
		screen_dump(&term.screen);
	assert_int_equal(status, 0);
	close(term.terminal);
	close(term.orders);
	close(term.news);
	buf_done(&term.seen);
	buf_done(&term.told);
}

#endif
