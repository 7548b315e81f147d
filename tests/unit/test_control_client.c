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
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
