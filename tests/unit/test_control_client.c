/* SPDX-License-Identifier: MIT */
/*
 * net/control_client: a serve whose queue of connections is full, and questions
 * from the main line.
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
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "fake_serve.h"
#include "folder.h"
#include "net/control_client.h"

enum { PATIENCE = 60000, CROWD = 64 };

struct end {
	struct error why;
	bool closed;
};

static char *path;
static struct sockaddr_un address;

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	(void)owner;
	(void)g;
	return error_set(err, ERR_PROTOCOL, "nobody speaks here");
}

static void on_frame(void *owner, const struct control_frame *f)
{
	(void)owner;
	(void)f;
}

static void on_closed(void *owner, const struct error *why)
{
	struct end *e = owner;

	error_copy(&e->why, why);
	e->closed = true;
}

static const struct control_client_events events = { .greeted = on_greeted,
						     .frame = on_frame,
						     .closed = on_closed };

/* A socket that takes nobody in, and those who fill its queue. */
static int full_socket(int *crowd, size_t *count)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
			 0);
	assert_int_equal(listen(fd, 0), 0);
	for (*count = 0; *count < CROWD; (*count)++) {
		int one = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

		crowd[*count] = one;
		if (connect(one, (struct sockaddr *)&address,
			    sizeof(address)) != 0) {
			assert_int_equal(errno, EAGAIN);
			close(one);
			return fd;
		}
	}
	fail_msg("the queue is never full");
	return -1;
}

static void pass(struct loop *l)
{
	CLEANUP(error_reset) struct error time_over = { 0 };
	bool never = false;

	loop_wait(l, &never, loop_now() + 5, &time_over);
}

/* What was sent first comes when there is room, before what was sent later. */
static void comes_in_later(void **state)
{
	char frame[256] = "", *later = NULL;
	struct control_client *c;
	struct end e = { 0 };
	struct error err = { 0 };
	int crowd[CROWD], fd, mine = -1;
	struct loop *l;
	size_t count, len = 0;

	(void)state;
	assert_int_equal(loop_new(&l, &err), 0);
	fd = full_socket(crowd, &count);
	assert_int_equal(control_client_open(&c, l, path, &events, &e, &err),
			 0);
	assert_int_equal(control_client_send(c, CONTROL_JSON, "{\"op\":\"x\"}",
					     10, &err),
			 0);
	pass(l);
	assert_false(e.closed);
	/* A full queue is one of somebody who is there. */
	assert_true(control_is_open(path));
	for (size_t i = 0; i < count; i++) {
		close(accept(fd, NULL, NULL));
		close(crowd[i]);
	}
	for (int64_t end = loop_now() + PATIENCE;
	     mine < 0 && loop_now() < end;) {
		pass(l);
		mine = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
	}
	assert_true(mine >= 0);
	for (int64_t end = loop_now() + PATIENCE; !later && loop_now() < end;) {
		ssize_t n = read(mine, frame + len, sizeof(frame) - 1 - len);

		len += n > 0 ? (size_t)n : 0;
		later = memmem(frame, len, "{\"op\":\"x\"}", 10);
		pass(l);
	}
	assert_non_null(later);
	assert_non_null(memmem(frame, (size_t)(later - frame), "\"greet\"", 7));
	control_client_close(c);
	assert_int_equal(loop_wait(l, &e.closed, loop_now() + PATIENCE, &err),
			 0);
	assert_int_equal(e.why.kind, ERR_NONE);
	close(mine);
	assert_true(control_is_open(path));
	close(fd);
	assert_false(control_is_open(path));
	unlink(path);
	assert_false(control_is_open(path));
	loop_free(l);
}

/* Given up, and closed before there was room. */
static void never_comes_in(void **state)
{
	struct control_client *c, *gone;
	struct end e = { 0 }, early = { 0 };
	struct error err = { 0 };
	int crowd[CROWD], fd;
	struct loop *l;
	size_t count;

	(void)state;
	assert_int_equal(loop_new(&l, &err), 0);
	fd = full_socket(crowd, &count);
	assert_int_equal(control_client_open(&c, l, path, &events, &e, &err),
			 0);
	assert_int_equal(
		control_client_open(&gone, l, path, &events, &early, &err), 0);
	control_client_close(gone);
	assert_int_equal(
		loop_wait(l, &early.closed, loop_now() + PATIENCE, &err), 0);
	assert_int_equal(early.why.kind, ERR_NONE);
	assert_int_equal(loop_wait(l, &e.closed, loop_now() + PATIENCE, &err),
			 0);
	assert_int_equal(e.why.kind, ERR_CONNECT);
	assert_non_null(strstr(e.why.text, "does not answer"));
	assert_non_null(strstr(e.why.hint, "stopped"));
	error_reset(&e.why);
	while (count--)
		close(crowd[count]);
	close(fd);
	unlink(path);
	loop_free(l);
}

/* ---- questions ---- */

struct asking {
	struct loop *loop;
	struct fake_serve serve;
	struct control_line *line;
	struct buf told;
	struct error err;
};

static void on_question(struct fake_peer *p, const struct control_frame *f)
{
	CLEANUP(json_free_ptr)
	cJSON *question = json_parse(f->data, f->len, NULL);
	const char *op = json_string(question, "op");

	if (strcmp(op, "devices") == 0) {
		fake_serve_json(p, "{\"op\":\"device\",\"device\":{\"id\":1}}");
		fake_serve_json(p, "{\"op\":\"device\",\"device\":null}");
		fake_serve_json(p, "{\"op\":\"end\",\"count\":2}");
		fake_serve_json(p, "{\"op\":\"device\",\"device\":{\"id\":3}}");
	} else if (strcmp(op, "kick") == 0) {
		fake_serve_json(p,
				"{\"op\":\"error\",\"error\":{\"kind\":"
				"\"usage\",\"text\":\"no\",\"hint\":\"h\"}}");
	} else if (strcmp(op, "fan") == 0) {
		fake_serve_json(p, "{\"op\":\"row\",\"device\":{\"id\":1}}");
		fake_serve_send(p, CONTROL_TEXT, "{}", 2);
		fake_serve_json(p, "{\"device\":1}");
	} else if (strcmp(op, "names") == 0) {
		fake_serve_json(p, "{\"op\":\"names\"");
		fake_serve_json(p, "{\"op\":\"names\",\"count\":0}");
	} else if (strcmp(op, "power") == 0) {
		fake_serve_json(p, "{\"op\":\"error\",\"error\":{\"kind\":"
				   "\"protocol\",\"text\":\"what?\"}}");
	} else if (strcmp(op, "stop") == 0) {
		fake_serve_drop(p);
	}
}

static void open_line(struct asking *a)
{
	*a = (struct asking){ 0 };
	assert_int_equal(loop_new(&a->loop, &a->err), 0);
	fake_serve_open(&a->serve, a->loop, on_question);
	assert_int_equal(control_line_open(&a->line, a->loop, a->serve.path,
					   NULL, NULL, &a->err),
			 0);
}

static void close_line(struct asking *a)
{
	control_line_close(a->line);
	control_line_close(NULL);
	fake_serve_close(&a->serve);
	loop_free(a->loop);
	buf_done(&a->told);
	error_reset(&a->err);
}

static void note_answer(void *owner, struct control_answer *a)
{
	struct asking *asking = owner;
	struct span device = control_answer_member(a, "device");

	buf_printf(&asking->told, "%s=%.*s ", a->op, (int)device.len,
		   device.text ? device.text : "");
}

static int ask(struct asking *a, const char *op, int64_t ms)
{
	const struct serve_question q = { .op = op, .device = "x\"*" };

	error_reset(&a->err);
	return control_line_ask(a->line, &q, loop_now() + ms, note_answer, a,
				&a->err);
}

/* All that belongs to it, and what comes later when it is asked for. */
static void is_answered(void **state)
{
	CLEANUP(control_answer_done) struct control_answer later = { 0 };
	struct asking a;

	(void)state;
	open_line(&a);
	assert_int_equal(ask(&a, "devices", PATIENCE), 0);
	assert_string_equal(a.serve.asked,
			    "{\"op\":\"devices\",\"device\":\"x\\\"*\"}");
	assert_string_equal(buf_string(&a.told),
			    "device={\"id\":1} device= end= ");
	assert_int_equal(
		control_line_next(a.line, loop_now() + PATIENCE, &later, NULL),
		0);
	assert_string_equal(later.text,
			    "{\"op\":\"device\",\"device\":{\"id\":3}}");
	close_line(&a);
}

static void is_refused(void **state)
{
	struct asking a;

	(void)state;
	open_line(&a);
	assert_int_equal(ask(&a, "kick", PATIENCE), -1);
	assert_int_equal(a.err.kind, ERR_USAGE);
	assert_string_equal(a.err.text, "no");
	assert_string_equal(a.err.hint, "h");
	assert_int_equal(ask(&a, "stop", PATIENCE), -1);
	assert_int_equal(a.err.kind, ERR_CONNECT);
	assert_string_equal(a.err.text,
			    "the running serve ended the connection");
	assert_int_equal(ask(&a, "devices", PATIENCE), -1);
	assert_int_equal(a.err.kind, ERR_CONNECT);
	assert_int_equal(a.told.len, 0);
	close_line(&a);
}

/* Nobody who asks has to want to know why. */
static void is_silent(void **state)
{
	struct control_answer none;
	struct asking a;

	(void)state;
	open_line(&a);
	assert_int_equal(ask(&a, "attach", 20), -1);
	assert_int_equal(a.err.kind, ERR_TIMEOUT);
	assert_non_null(strstr(a.err.hint, "stopped"));
	assert_int_equal(
		control_line_next(a.line, loop_now() + 20, &none, NULL), -1);
	assert_null(none.text);
	close_line(&a);
}

static void is_bare(void **state)
{
	CLEANUP(control_answer_done) struct control_answer end = { 0 };
	const struct serve_question q = { .op = "devices" };
	struct asking a;

	(void)state;
	open_line(&a);
	control_line_bare(a.line);
	assert_int_equal(ask(&a, "devices", PATIENCE), 0);
	assert_string_equal(buf_string(&a.told),
			    "device={\"id\":1} device= end= ");
	assert_int_equal(control_line_ask(a.line, &q, loop_now() + PATIENCE,
					  control_answer_take, &end, NULL),
			 0);
	assert_null(end.json);
	assert_int_equal(ask(&a, "kick", PATIENCE), -1);
	assert_int_equal(a.err.kind, ERR_USAGE);
	close_line(&a);
}

/* What is no frame of JSON is not queued; the last may have no name. */
static void is_told_in_rows(void **state)
{
	struct asking a;

	(void)state;
	open_line(&a);
	assert_int_equal(ask(&a, "fan", PATIENCE), 0);
	assert_string_equal(buf_string(&a.told), "row={\"id\":1} =1 ");
	close_line(&a);
}

static void breaks(bool bare)
{
	struct control_answer next;
	struct asking a;

	open_line(&a);
	if (bare)
		control_line_bare(a.line);
	assert_int_equal(ask(&a, "names", PATIENCE), -1);
	assert_int_equal(a.err.kind, ERR_PROTOCOL);
	assert_memory_equal(a.err.text, "serve's answer: ", 16);
	assert_int_equal(a.told.len, 0);
	/* That was one object; the line goes on. */
	assert_int_equal(
		control_line_next(a.line, loop_now() + PATIENCE, &next, NULL),
		0);
	assert_string_equal(next.op, "names");
	assert_int_equal(next.len, 24);
	assert_string_equal(next.text, "{\"op\":\"names\",\"count\":0}");
	assert_int_equal(next.json == NULL, bare);
	assert_int_equal(control_answer_member(&next, "count").len, 1);
	assert_null(control_answer_member(&next, "none").text);
	control_answer_done(&next);
	close_line(&a);
}

static void is_broken(void **state)
{
	(void)state;
	breaks(false);
	breaks(true);
}

static int note_greeting(void *owner, const struct greeting *g,
			 struct error *err)
{
	*(struct greeting *)owner = *g;
	return g->protocol == 1 ? 0 : error_set(err, ERR_USAGE, "too new");
}

/* Who it is; and what it says later is blamed on its version. */
static void is_of_another_version(void **state)
{
	struct greeting g = { 0 };
	struct asking a = { 0 };

	(void)state;
	assert_int_equal(loop_new(&a.loop, &a.err), 0);
	fake_serve_open(&a.serve, a.loop, on_question);
	a.serve.greeting =
		"{\"op\":\"greeting\",\"protocol\":1,\"pid\":77,\"version\":\"9.8\"}";
	assert_int_equal(control_line_open(&a.line, a.loop, a.serve.path,
					   note_greeting, &g, &a.err),
			 0);
	assert_int_equal(ask(&a, "power", PATIENCE), -1);
	assert_int_equal(g.pid, 77);
	assert_string_equal(g.version, "9.8");
	assert_int_equal(a.err.kind, ERR_PROTOCOL);
	assert_string_equal(a.err.text, "what?");
	assert_non_null(strstr(a.err.hint, "(pid 77) is version 9.8, this is"));
	/* What the user gave is not. */
	assert_int_equal(ask(&a, "kick", PATIENCE), -1);
	assert_string_equal(a.err.hint, "h");
	close_line(&a);
}

static void is_too_new(void **state)
{
	struct greeting g = { 0 };
	struct asking a = { 0 };

	(void)state;
	assert_int_equal(loop_new(&a.loop, &a.err), 0);
	fake_serve_open(&a.serve, a.loop, on_question);
	a.serve.greeting = "{\"op\":\"greeting\",\"protocol\":2}";
	assert_int_equal(control_line_open(&a.line, a.loop, a.serve.path,
					   note_greeting, &g, &a.err),
			 0);
	assert_int_equal(ask(&a, "devices", PATIENCE), -1);
	assert_int_equal(a.err.kind, ERR_USAGE);
	assert_string_equal(a.err.text, "too new");
	assert_int_equal(ask(&a, "devices", PATIENCE), -1);
	assert_string_equal(a.err.text, "too new");
	assert_int_equal(a.told.len, 0);
	close_line(&a);
}

/* Somebody else waits, for several lines perhaps. */
static void wakes_others(void **state)
{
	CLEANUP(control_answer_done) struct control_answer got = { 0 };
	const struct serve_question devices = { .op = "devices" },
				    stop = { .op = "stop" };
	bool woken = true, later = true;
	struct asking a;

	(void)state;
	open_line(&a);
	control_line_wakes(a.line, &woken);
	assert_false(woken);
	assert_int_equal(control_line_send(a.line, &devices, &a.err), 0);
	assert_int_equal(
		loop_wait(a.loop, &woken, loop_now() + PATIENCE, &a.err), 0);
	control_line_wakes(a.line, &later);
	assert_true(later);
	woken = false;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(control_line_next(a.line,
						   loop_now() + PATIENCE, &got,
						   &a.err),
				 0);
		control_answer_done(&got);
	}
	control_line_wakes(a.line, &later);
	assert_false(later);
	assert_int_equal(control_line_send(a.line, &stop, &a.err), 0);
	assert_int_equal(
		loop_wait(a.loop, &later, loop_now() + PATIENCE, &a.err), 0);
	assert_false(woken);
	/* An end is something, too. */
	control_line_wakes(a.line, &woken);
	assert_true(woken);
	control_line_wakes(a.line, NULL);
	assert_int_equal(control_line_next(a.line, 0, &got, &a.err), -1);
	assert_string_equal(a.err.text,
			    "the running serve ended the connection");
	assert_int_equal(control_line_send_with(a.line, &stop, 0, NULL), -1);
	close_line(&a);
}

/* ---- a descriptor ---- */

/* The socket behind which nobody but the test is. */
static int quiet_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
			 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

/* What comes with the next bytes, which end so; -1: none. */
static int take_descriptor(int peer, const char *end)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char text[512];
	struct iovec part = { text, sizeof(text) };
	struct msghdr h = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	ssize_t n = recvmsg(peer, &h, 0);
	int fd = -1;

	assert_true(n >= (ssize_t)strlen(end));
	assert_memory_equal(text + n - strlen(end), end, strlen(end));
	if (h.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(fd));
	return fd;
}

static void is_handed_over(void **state)
{
	const struct serve_question q = { .op = "host", .device = "d" };
	int door = quiet_socket(), ends[2], peer, got;
	char *large = mem_zalloc(4000000);
	struct asking a = { 0 };
	char byte = 0;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(loop_new(&a.loop, &a.err), 0);
	assert_int_equal(
		control_line_open(&a.line, a.loop, path, NULL, NULL, &a.err),
		0);
	peer = accept(door, NULL, NULL);
	assert_int_equal(take_descriptor(peer, "\"}"), -1);
	assert_int_equal(control_line_send_with(a.line, &q, ends[1], &a.err),
			 0);
	got = take_descriptor(peer, "{\"op\":\"host\",\"device\":\"d\"}");
	assert_true(got >= 0 && got != ends[1]);
	/* It is the same pipe, and ours is still open. */
	assert_int_equal(write(got, "x", 1), 1);
	assert_int_equal(write(ends[1], "y", 1), 1);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	/* Not while something waits before it, though there is room. */
	memset(large, 'd', 3999999);
	assert_int_equal(
		control_line_send(a.line,
				  &(struct serve_question){ .op = "host",
							    .device = large },
				  &a.err),
		0);
	while (recv(peer, large, 65536, MSG_DONTWAIT) > 0)
		;
	errno = 0;
	assert_int_equal(control_line_send_with(a.line, &q, ends[1], &a.err),
			 -1);
	assert_int_equal(a.err.kind, ERR_CONNECT);
	assert_string_equal(
		a.err.text,
		"the file could not be handed to serve: Resource temporarily unavailable");
	close(peer);
	close(door);
	unlink(path);
	close(got);
	close(ends[0]);
	close(ends[1]);
	control_line_close(a.line);
	loop_free(a.loop);
	error_reset(&a.err);
	mem_free(large);
}

/* Ctrl-C while it is closed is for the command. */
static void leaves_signals(void **state)
{
	const bool never = false;
	struct asking a;

	(void)state;
	open_line(&a);
	assert_int_equal(ask(&a, "attach", 20), -1);
	raise(SIGINT);
	loop_poll(a.loop);
	control_line_close(TAKE(a.line));
	assert_int_equal(loop_wait(a.loop, &never, loop_now(), &a.err), -1);
	assert_int_equal(a.err.kind, ERR_INTERRUPTED);
	assert_int_equal(a.err.code, SIGINT);
	close_line(&a);
}

static int setup(void **state)
{
	(void)state;
	folder_make(state);
	path = folder_path("full.sock");
	return 0;
}

static int teardown(void **state)
{
	mem_free(path);
	return folder_remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_in_later),
		cmocka_unit_test(never_comes_in),
		cmocka_unit_test(is_answered),
		cmocka_unit_test(is_refused),
		cmocka_unit_test(is_silent),
		cmocka_unit_test(is_bare),
		cmocka_unit_test(is_told_in_rows),
		cmocka_unit_test(is_broken),
		cmocka_unit_test(is_of_another_version),
		cmocka_unit_test(is_too_new),
		cmocka_unit_test(wakes_others),
		cmocka_unit_test(is_handed_over),
		cmocka_unit_test(leaves_signals),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
