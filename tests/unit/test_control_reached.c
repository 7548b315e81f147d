/* SPDX-License-Identifier: MIT */
/*
 * net/control_client: who is reached and who is not, in which words; frames both
 * ways, and how each connection ends.
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
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fake_serve.h"
#include "folder.h"
#include "net/control_client.h"

enum { PATIENCE = 60000 };

static struct loop *loop;
static struct fake_serve serve;
static struct control_client *client;
static struct error err;

/* What was told, a word each. */
static struct {
	struct buf said;
	struct error why;
	unsigned closed;
	bool is_closed, refuses, leaves;
} told;

static int on_greeted(void *owner, const struct greeting *g, struct error *e)
{
	assert_ptr_equal(owner, &told);
	buf_printf(&told.said, "greeted:%d ", g->pid);
	if (told.leaves)
		control_client_close(client);
	return told.refuses ? error_set(e, ERR_PROTOCOL, "not with you") : 0;
}

static void on_frame(void *owner, const struct control_frame *f)
{
	assert_ptr_equal(owner, &told);
	buf_printf(&told.said, "%c:%.*s ", f->kind, (int)f->len, f->data);
	if (f->len == 5 && !memcmp(f->data, "leave", 5))
		control_client_close(client);
	if (f->len == 6 && !memcmp(f->data, "before", 6))
		control_client_send(client, CONTROL_JSON, "frames", 6, &err);
}

static void on_closed(void *owner, const struct error *why)
{
	assert_ptr_equal(owner, &told);
	error_copy(&told.why, why);
	told.closed++;
	told.is_closed = true;
}

static const struct control_client_events events = { .greeted = on_greeted,
						     .frame = on_frame,
						     .closed = on_closed };

static int set_up(void **state)
{
	(void)state;
	unsetenv("MCPCTL_LEASE");
	unsetenv("SUDO_USER");
	return loop_new(&loop, &err);
}

static int tear_down(void **state)
{
	(void)state;
	fake_serve_close(&serve);
	loop_free(loop);
	buf_done(&told.said);
	error_reset(&told.why);
	memset(&told, 0, sizeof(told));
	error_reset(&err);
	return 0;
}

static void ended(void)
{
	assert_int_equal(
		loop_wait(loop, &told.is_closed, loop_now() + PATIENCE, NULL),
		0);
	for (int i = 0; i < 3; i++)
		loop_poll(loop);
	assert_int_equal(told.closed, 1);
}

/* ---- who is not reached ---- */

/* before and after: of its path in the text; after NULL: it is not there. */
static void refused(const char *path, enum error_kind kind, int code,
		    const char *before, const char *after, const char *hint)
{
	CLEANUP(mem_free_ptr)
	char *words = after ? mem_printf("%s '%s'%s", before, path, after) :
			      mem_strdup(before);

	error_reset(&err);
	assert_int_equal(
		control_client_open(&client, loop, path, &events, &told, &err),
		-1);
	assert_null(client);
	assert_int_equal(err.kind, kind);
	assert_int_equal(err.code, code);
	assert_string_equal(err.text, words);
	assert_string_equal(err.hint, hint);
	assert_int_equal(told.closed, 0);
	assert_false(control_is_open(path));
}

#define START "start one, and let boards dial in: mcpctl serve"

static void nobody_is_there(void **state)
{
	CLEANUP(mem_free_ptr) char *none = folder_path("none.sock");
	CLEANUP(mem_free_ptr) char *file = folder_write("file", "", 0);
	CLEANUP(mem_free_ptr) char *below = folder_path("file/serve.sock");
	char longest[108 + 1];

	(void)state;
	refused(none, ERR_CONNECT, ENOENT,
		"no serve is running: there is no socket", "", START);
	refused(file, ERR_CONNECT, ECONNREFUSED,
		"no serve is running: nobody answers at", "", START);
	refused(below, ERR_CONNECT, ENOTDIR, "cannot connect to serve at",
		": Not a directory", "");
	memset(longest, 'a', sizeof(longest));
	longest[108] = '\0';
	refused(longest, ERR_USAGE, 0,
		"the path of the socket is longer than 107 bytes", NULL, "");
	longest[107] = '\0';
	refused(longest, ERR_CONNECT, ENOENT,
		"no serve is running: there is no socket", "", START);
	unlink(file);
}

/* Root asks for root's; it is told whose it may have meant. */
static void nobody_is_there_for_root(void **state)
{
	CLEANUP(mem_free_ptr) char *none = folder_path("none.sock");

	(void)state;
	setenv("SUDO_USER", "joe", 1);
	refused(none, ERR_CONNECT, ENOENT,
		"no serve is running: there is no socket", "",
		geteuid() == 0 ?
			"without sudo, the serve of 'joe' would be asked; or start one of root's: mcpctl serve" :
			START);
	unsetenv("SUDO_USER");
}

static void may_not_be_asked(void **state)
{
	CLEANUP(mem_free_ptr) char *closed = folder_path("closed");
	CLEANUP(mem_free_ptr) char *path = folder_path("closed/serve.sock");

	(void)state;
	if (geteuid() == 0)
		return;
	assert_int_equal(mkdir(closed, 0), 0);
	refused(path, ERR_CONNECT, EACCES, "cannot connect to serve at",
		": Permission denied",
		"a serve takes commands of its own user only; start your own: mcpctl serve");
	rmdir(closed);
}

/* ---- frames ---- */

static void on_question(struct fake_peer *p, const struct control_frame *f)
{
	if (!memcmp(f->data, "frames", 6)) {
		fake_serve_send(p, CONTROL_TEXT, "one", 3);
		fake_serve_send(p, CONTROL_BINARY, "", 0);
		fake_serve_send(p, CONTROL_JSON, "{\"op\":\"greeting\"}", 17);
	} else if (!memcmp(f->data, "before", 6)) {
		fake_serve_send(p, CONTROL_TEXT, "before", 6);
	} else if (!memcmp(f->data, "leaves", 6)) {
		fake_serve_send(p, CONTROL_TEXT, "leave", 5);
		fake_serve_send(p, CONTROL_TEXT, "late", 4);
	} else if (!memcmp(f->data, "broken", 6)) {
		fake_serve_send(p, CONTROL_TEXT, "whole", 5);
		fake_serve_bytes(p, "\0\0\0\1x\0\0\0", 8);
	} else if (!memcmp(f->data, "parts!", 6)) {
		fake_serve_bytes(p, "\0\0\0\3t", 5);
	}
	if (!memcmp(f->data, "frames", 6) || !memcmp(f->data, "parts!", 6))
		fake_serve_drop(p);
}

static void open_client(const char *greeting)
{
	fake_serve_open(&serve, loop, on_question);
	serve.greeting = greeting;
	assert_int_equal(control_client_open(&client, loop, serve.path, &events,
					     &told, &err),
			 0);
	/* From the loop only. */
	assert_int_equal(told.said.len, 0);
}

static void send_text(const char *text)
{
	assert_int_equal(control_client_send(client, CONTROL_JSON, text,
					     strlen(text), &err),
			 0);
}

#define ENDED "the running serve ended the connection"

/* Who it is comes first and once; what came before the end is told. */
static void come_in_order(void **state)
{
	(void)state;
	open_client(NULL);
	send_text("before");
	ended();
	assert_string_equal(
		buf_string(&told.said),
		"greeted:4711 t:before t:one b: j:{\"op\":\"greeting\"} ");
	assert_int_equal(told.why.kind, ERR_CONNECT);
	assert_string_equal(told.why.text, ENDED);
}

/* A serve that says something else first: that is a frame, too. */
static void come_without_greeting(void **state)
{
	(void)state;
	open_client("{\"op\":\"error\",\"error\":{\"kind\":\"usage\"}}");
	send_text("frames");
	ended();
	assert_string_equal(buf_string(&told.said),
			    "greeted:0 j:{\"op\":\"error\",\"error\":{\"kind\":"
			    "\"usage\"}} t:one b: j:{\"op\":\"greeting\"} ");
}

static void is_not_talked_to(void **state)
{
	(void)state;
	told.refuses = true;
	open_client("{\"op\":\"other\"}");
	send_text("frames");
	ended();
	assert_string_equal(buf_string(&told.said), "greeted:0 ");
	assert_int_equal(told.why.kind, ERR_PROTOCOL);
	assert_string_equal(told.why.text, "not with you");
}

/* From the inside of what it tells; nothing comes after that. */
static void is_left(void **state)
{
	(void)state;
	told.leaves = true;
	open_client("{\"op\":\"other\"}");
	send_text("frames");
	ended();
	assert_string_equal(buf_string(&told.said), "greeted:0 ");
	assert_int_equal(told.why.kind, ERR_NONE);
}

static void is_left_amid(void **state)
{
	(void)state;
	open_client(NULL);
	send_text("leaves");
	ended();
	assert_string_equal(buf_string(&told.said), "greeted:4711 t:leave ");
	assert_int_equal(told.why.kind, ERR_NONE);
}

static void is_no_frame(void **state)
{
	(void)state;
	open_client(NULL);
	send_text("broken");
	ended();
	assert_string_equal(buf_string(&told.said), "greeted:4711 t:whole ");
	assert_int_equal(told.why.kind, ERR_PROTOCOL);
	assert_string_equal(
		told.why.text,
		"serve sent what is no frame: the control socket: a frame of unknown kind");
	assert_string_equal(
		told.why.hint,
		"serve and this command must be of one version: start serve again");
}

/* What is no whole frame is none. */
static void ends_amid(void **state)
{
	(void)state;
	open_client(NULL);
	send_text("parts!");
	ended();
	assert_string_equal(buf_string(&told.said), "greeted:4711 ");
	assert_string_equal(told.why.text, ENDED);
}

/* ---- a serve that does not read ---- */

/* A socket of the test's, which is there and says nothing. */
static int quiet_socket(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path, path, strlen(path) + 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static int open_quiet(int *door, const char *path)
{
	*door = quiet_socket(path);
	assert_int_equal(
		control_client_open(&client, loop, path, &events, &told, &err),
		0);
	return accept(*door, NULL, NULL);
}

static void close_quiet(int door, int peer, const char *path)
{
	close(peer);
	close(door);
	unlink(path);
}

#define GREET "{\"op\":\"greet\",\"protocol\":1,\"version\":\"" MCPCTL_VERSION

static void greets(const char *leases, const char *behind)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("quiet.sock");
	CLEANUP(mem_free_ptr) char *wanted = mem_printf(GREET "\"%s", behind);
	char got[256] = "";
	int door, peer;

	if (leases)
		setenv("MCPCTL_LEASE", leases, 1);
	peer = open_quiet(&door, path);
	assert_true(recv(peer, got, sizeof(got) - 1, 0) > CONTROL_HEAD);
	assert_memory_equal(got + 4, "j\0\0\0", 4);
	assert_string_equal(got + CONTROL_HEAD, wanted);
	control_client_close(client);
	control_client_close(client);
	ended();
	told.closed = 0;
	told.is_closed = false;
	close_quiet(door, peer, path);
	unsetenv("MCPCTL_LEASE");
}

static void leases_are_shown(void **state)
{
	(void)state;
	greets(NULL, "}");
	greets("", "}");
	greets("a,b", ",\"leases\":\"a,b\"}");
}

/* So much may wait, and no more. */
static void is_bounded(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("quiet.sock");
	char *large = mem_zalloc(CONTROL_FRAME_MAX + 1);
	int door, peer = open_quiet(&door, path);

	(void)state;
	assert_int_equal(control_client_send(client, CONTROL_JSON, large,
					     CONTROL_FRAME_MAX + 1, &err),
			 -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(
		err.text,
		"serve does not read: 17825793 bytes wait to be sent");
	error_reset(&err);
	assert_int_equal(control_client_send(client, CONTROL_JSON, large,
					     CONTROL_FRAME_MAX, &err),
			 0);
	assert_int_equal(control_client_send(client, CONTROL_JSON, large,
					     CONTROL_FRAME_MAX / 2, &err),
			 -1);
	assert_memory_equal(err.text, "serve does not read: ", 21);
	/* What is waited for in vain is dropped. */
	control_client_close(client);
	assert_int_equal(
		control_client_send(client, CONTROL_JSON, "{}", 2, &err), -1);
	assert_string_equal(err.text, "the connection to serve is closed");
	ended();
	assert_int_equal(told.why.kind, ERR_NONE);
	close_quiet(door, peer, path);
	mem_free(large);
}

enum { SENT = 4000000 };

/* All that comes until the other end, while the loop runs. */
static void receive(int peer, struct buf *got)
{
	char room[65536];
	ssize_t n = 1;

	assert_int_equal(fcntl(peer, F_SETFL, O_NONBLOCK), 0);
	for (int64_t end = loop_now() + PATIENCE; n && loop_now() < end;) {
		n = recv(peer, room, sizeof(room), 0);
		if (n > 0)
			buf_add(got, room, (size_t)n);
		loop_poll(loop);
	}
	assert_int_equal(n, 0);
}

/*
 * All that was sent before the close, each byte in its place, as long as it is
 * read; also by one that says nothing more itself, or that is closed again.
 */
static void is_sent_out(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("quiet.sock");
	CLEANUP(buf_done) struct buf got = { 0 }, wanted = { 0 };
	char *large = mem_alloc(SENT);
	int door, peer = open_quiet(&door, path);

	(void)state;
	for (size_t i = 0; i < SENT; i++)
		large[i] = (char)(i / 7);
	greeting_ask(&got, NULL);
	control_encode(&wanted, CONTROL_JSON, got.data, got.len);
	control_encode(&wanted, CONTROL_TEXT, large, SENT);
	control_encode(&wanted, CONTROL_BINARY, "end", 3);
	buf_reset(&got);
	assert_int_equal(
		control_client_send(client, CONTROL_TEXT, large, SENT, &err),
		0);
	assert_int_equal(
		control_client_send(client, CONTROL_BINARY, "end", 3, &err), 0);
	control_client_close(client);
	control_client_close(client);
	shutdown(peer, SHUT_WR);
	receive(peer, &got);
	assert_int_equal(got.len, wanted.len);
	assert_memory_equal(got.data, wanted.data, got.len);
	ended();
	assert_int_equal(told.why.kind, ERR_NONE);
	close_quiet(door, peer, path);
	mem_free(large);
}

/* One that has gone: what it said last counts. */
static void is_gone(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("quiet.sock");
	int door, peer = open_quiet(&door, path);

	(void)state;
	assert_int_equal(send(peer, "\0\0\0\1t\0\0\0x", 9, 0), 9);
	assert_int_equal(send(peer, "\0\0\0\1t\0\0\0y", 9, 0), 9);
	close_quiet(door, peer, path);
	assert_int_equal(
		control_client_send(client, CONTROL_JSON, "{}", 2, &err), 0);
	ended();
	assert_string_equal(buf_string(&told.said), "greeted:0 t:x t:y ");
	assert_string_equal(told.why.text, ENDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(nobody_is_there),
		TEST(nobody_is_there_for_root),
		TEST(may_not_be_asked),
		TEST(come_in_order),
		TEST(come_without_greeting),
		TEST(is_not_talked_to),
		TEST(is_left),
		TEST(is_left_amid),
		TEST(is_no_frame),
		TEST(ends_amid),
		TEST(leases_are_shown),
		TEST(is_bounded),
		TEST(is_sent_out),
		TEST(is_gone),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
