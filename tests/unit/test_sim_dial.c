/* SPDX-License-Identifier: MIT */
/*
 * Simulated devices over real sockets: the backend is a child process that
 * plays a script; what the devices saw is looked at here.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/head.h"
#include "sim/board_ws.h"
#include "sim/fleet.h"
#include "sim/pretend_loop.h"
#include "sim/sim.h"
#include "sim_harness.h"

#define SWITCH "HTTP/1.1 101 Switching Protocols\r\n\r\n"
#define HELLO \
	"{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"S\"}"

/* The child's side; it ends with a number of its own where it is not content. */
#define WANT(truth)                                \
	do {                                       \
		if (!(truth))                      \
			_exit(__LINE__ % 200 + 1); \
	} while (0)

struct backend {
	int door;
	uint16_t port;
	char url[64], ota[64];
};

static void open_door(struct backend *b)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	socklen_t len = sizeof(any);

	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	b->door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(b->door, (struct sockaddr *)&any, sizeof(any)),
			 0);
	assert_int_equal(listen(b->door, 16), 0);
	assert_int_equal(getsockname(b->door, (struct sockaddr *)&any, &len),
			 0);
	b->port = ntohs(any.sin_port);
	snprintf(b->url, sizeof(b->url), "ws://127.0.0.1:%u/x", b->port);
	snprintf(b->ota, sizeof(b->ota), "http://127.0.0.1:%u/ota/", b->port);
}

static int next_visitor(const struct backend *b)
{
	const struct timeval patience = { .tv_sec = 5 };
	int fd = accept(b->door, NULL, NULL);

	WANT(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

static void put(int fd, const char *text)
{
	WANT(send(fd, text, strlen(text), MSG_NOSIGNAL) ==
	     (ssize_t)strlen(text));
}

/* Read until `end` has come (and any body behind it). */
static void get_until(int fd, char *out, size_t size, const char *end)
{
	size_t len = 0;

	memset(out, 0, size);
	while (!strstr(out, end)) {
		ssize_t got = recv(fd, out + len, size - 1 - len, 0);

		WANT(got > 0);
		len += (size_t)got;
	}
}

static void put_frame(int fd, unsigned first, const char *text)
{
	unsigned char head[4] = { (unsigned char)first };
	size_t len = strlen(text), size = len < 126 ? 2 : 4;

	head[1] = (unsigned char)(len < 126 ? len : 126);
	head[2] = (unsigned char)(len >> 8);
	head[3] = (unsigned char)len;
	WANT(send(fd, head, size, MSG_MORE | MSG_NOSIGNAL) == (ssize_t)size);
	put(fd, text);
}

static struct board_ws_reader in;

/* The next thing that the device says; its text is lent. */
static const char *get_frame(int fd, enum board_ws_item kind)
{
	static char text[70000];
	const char *data;
	enum board_ws_item item;
	size_t len;
	int code;

	while ((item = board_ws_next(&in, &data, &len, &code)) == WIRE_NONE) {
		char piece[4096];
		ssize_t got = recv(fd, piece, sizeof(piece), 0);

		WANT(got > 0);
		board_ws_feed(&in, piece, (size_t)got);
	}
	WANT(item == kind);
	memcpy(text, data, len);
	text[len] = '\0';
	return text;
}

/* Accept, shake hands, exchange hellos, read listen/start. */
static int welcome(const struct backend *b)
{
	int fd = next_visitor(b);
	char head[2048];

	get_until(fd, head, sizeof(head), "\r\n\r\n");
	put(fd, SWITCH);
	WANT(strstr(get_frame(fd, WIRE_TEXT), "\"hello\""));
	put_frame(fd, 0x81, HELLO);
	WANT(strstr(get_frame(fd, WIRE_TEXT), "\"listen\""));
	return fd;
}

static bool silent(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 0;
}

static bool at_end(int fd)
{
	char byte;

	return recv(fd, &byte, 1, 0) == 0;
}

/* The parent's side. */

struct outcome {
	int status;
	struct sim_summary sum;
	struct error err;
	struct buf lines;
};

static void keep_line(void *owner, uint64_t device, const char *text)
{
	struct outcome *o = owner;

	buf_printf(&o->lines, "%d %s\n", (int)device, text);
}

/* Run the script in a child and the devices here; the child must be content. */
static void play(void (*script)(const struct backend *b), struct sim_options *o,
		 bool ota, struct outcome *out)
{
	const struct sim_observer observer = { .line = keep_line,
					       .owner = out };
	struct backend b;
	struct loop *loop;
	int status = -1;
	pid_t child;

	memset(out, 0, sizeof(*out));
	open_door(&b);
	child = fork();
	if (!child) {
		alarm(120);
		script(&b);
		_exit(0);
	}
	close(b.door);
	o->connect = ota ? NULL : b.url;
	o->ota = ota ? b.ota : NULL;
	if (!o->profile)
		o->profile = PROFILES "fixtures.json";
	assert_int_equal(loop_new(&loop, NULL), 0);
	out->status = sim_run(loop, o, &observer, &out->sum, &out->err);
	loop_free(loop);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status)
		print_error("script ended with %d; %s\n%s", status >> 8,
			    out->err.text, buf_string(&out->lines));
	assert_int_equal(status, 0);
}

static const struct sim_found *found_of(const struct outcome *o,
					enum diag_code code)
{
	for (size_t i = 0; i < o->sum.found_count; i++) {
		if (o->sum.found[i].code == code)
			return &o->sum.found[i];
	}
	return NULL;
}

static bool seen(const struct outcome *o, enum diag_code code)
{
	return found_of(o, code) != NULL;
}

static bool killed(const struct outcome *o, enum diag_code code)
{
	const struct sim_found *found = found_of(o, code);

	return found && found->fatal;
}

static void done(struct outcome *o)
{
	sim_summary_done(&o->sum);
	error_reset(&o->err);
	buf_done(&o->lines);
}

/* A ping is answered with a masked pong, Close with nothing at all. */
static void script_close(const struct backend *b)
{
	int fd = welcome(b);

	put_frame(fd, 0x89, "pi");
	{
		/* the reader has no item for a pong: look at the bytes */
		unsigned char pong[8];

		WANT(recv(fd, pong, 8, MSG_WAITALL) == 8);
		WANT(pong[0] == 0x8a && pong[1] == 0x82);
		WANT((pong[6] ^ pong[2]) == 'p' && (pong[7] ^ pong[3]) == 'i');
	}
	put_frame(fd, 0x88, "\x03\xe8");
	put_frame(fd, 0x89, "again");
	put_frame(fd, 0x81,
		  "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		  "\"id\":1,\"method\":\"ping\"}}");
	WANT(silent(fd, 100));
	close(fd);
}

static void test_close(void **state)
{
	struct sim_options o = { .devices = 1 };
	struct outcome out;

	(void)state;
	play(script_close, &o, false, &out);
	assert_int_equal(out.status, 0);
	assert_int_equal(out.sum.welcomed, 1);
	assert_int_equal(out.sum.closed, 1);
	assert_int_equal(out.sum.found_count, 0);
	assert_non_null(strstr(buf_string(&out.lines), "sent Close 1000"));
	done(&out);
}

/* The answer and the first frames in one packet; then split up bytes. */
static void script_packets(const struct backend *b)
{
	static const char both[] = SWITCH "\x81\x39" HELLO;
	int fd = next_visitor(b);
	char head[2048];
	size_t i;

	get_until(fd, head, sizeof(head), "\r\n\r\n");
	WANT(strlen(HELLO) == 0x39);
	for (i = 0; i < sizeof(both) - 1; i++) {
		WANT(send(fd, both + i, 1, MSG_NOSIGNAL) == 1);
		if (i % 16 == 0)
			usleep(1000);
	}
	WANT(strstr(get_frame(fd, WIRE_TEXT), "\"hello\""));
	WANT(strstr(get_frame(fd, WIRE_TEXT), "\"session_id\":\"S\""));
	close(fd);
	fd = next_visitor(b); /* the second device: all in one */
	get_until(fd, head, sizeof(head), "\r\n\r\n");
	put(fd, both);
	WANT(strstr(get_frame(fd, WIRE_TEXT), "\"hello\""));
	WANT(strstr(get_frame(fd, WIRE_TEXT), "\"session_id\":\"S\""));
	close(fd);
}

static void test_packets(void **state)
{
	struct sim_options o = { .devices = 2, .rate = 4 };
	struct outcome out;

	(void)state;
	play(script_packets, &o, false, &out);
	assert_int_equal(out.sum.welcomed, 2);
	assert_true(seen(&out, B207) == false);
	done(&out);
}

static void script_refuse(const struct backend *b)
{
	int fd = next_visitor(b);
	char head[2048];

	get_until(fd, head, sizeof(head), "\r\n\r\n");
	WANT(strstr(head, "Authorization: Bearer secret\r\n"));
	put(fd, "HTTP/1.1 401 Unauthorized\r\n\r\n{\"error\":\"token\"}");
	WANT(at_end(fd));
	close(fd);
}

static void test_refused(void **state)
{
	struct sim_options o = { .devices = 1, .token = "secret" };
	struct outcome out;

	(void)state;
	play(script_refuse, &o, false, &out);
	assert_int_equal(out.status, -1);
	assert_int_equal(out.err.kind, ERR_AUTH);
	assert_non_null(strstr(out.err.text, "401 Unauthorized"));
	assert_non_null(strstr(out.err.text, "401 Unauthorized: token"));
	assert_int_equal(out.sum.refused, 1);
	done(&out);
}

static void script_wrong_hello(const struct backend *b)
{
	int fd = next_visitor(b);
	char head[2048];

	get_until(fd, head, sizeof(head), "\r\n\r\n");
	put(fd, SWITCH);
	get_frame(fd, WIRE_TEXT);
	put_frame(fd, 0x81, "{\"type\":\"hello\"}");
	WANT(at_end(fd));
	close(fd);
}

static void test_hello_without_transport(void **state)
{
	struct sim_options o = { .devices = 1 };
	struct outcome out;

	(void)state;
	play(script_wrong_hello, &o, false, &out);
	assert_int_equal(out.status, -1);
	assert_int_equal(out.err.kind, ERR_UNMET);
	assert_non_null(strstr(out.err.text, "does not survive"));
	assert_int_equal(out.sum.welcomed, 0);
	assert_true(seen(&out, B202));
	assert_true(killed(&out, B202));
	done(&out);
}

#define CALL                                                               \
	"{\"session_id\":\"S\",\"type\":\"mcp\",\"payload\":{\"jsonrpc\":" \
	"\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":" \
	"\"self.test.int\"}}}"
#define ANSWER                                                             \
	"{\"session_id\":\"S\",\"type\":\"mcp\",\"payload\":{\"jsonrpc\":" \
	"\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","    \
	"\"text\":\"42\"}],\"isError\":false}}}"

/* First device: half a frame. Second: a fragment and Close. Third: all well. */
static void script_cut(const struct backend *b)
{
	unsigned char bytes[512];
	size_t whole = 8 + strlen(ANSWER);
	ssize_t got;
	int fd = welcome(b);

	put_frame(fd, 0x81, CALL);
	got = recv(fd, bytes, sizeof(bytes), MSG_WAITALL);
	WANT(got == (ssize_t)(whole / 2) && bytes[0] == 0x81);
	close(fd);
	board_ws_reader_done(&in);
	fd = welcome(b);
	put_frame(fd, 0x81, CALL);
	got = recv(fd, bytes, sizeof(bytes), MSG_WAITALL);
	WANT(got > 8 && bytes[0] == 0x01);
	WANT(bytes[got - 8] == 0x88 && bytes[got - 7] == 0x82);
	close(fd);
	board_ws_reader_done(&in);
	fd = welcome(b);
	put_frame(fd, 0x81, CALL);
	WANT(!strcmp(get_frame(fd, WIRE_TEXT), ANSWER));
	close(fd);
}

static void test_cut_frames(void **state)
{
	char *names[] = { (char[]){ "1:cut-frame" },
			  (char[]){ "2:close-mid-reply" }, NULL };
	const struct words faults = { .word = names, .count = 2 };
	struct sim_options o = { .devices = 3, .rate = 10, .faults = &faults };
	struct outcome out;

	(void)state;
	play(script_cut, &o, false, &out);
	assert_int_equal(out.sum.welcomed, 3);
	assert_int_equal(out.sum.calls, 3);
	done(&out);
}

/* Each device has ids of its own, counting on. */
static void script_two(const struct backend *b)
{
	char head[2048];
	int fd = next_visitor(b), second;

	get_until(fd, head, sizeof(head), "\r\n\r\n");
	WANT(strstr(head, "Client-Id: 00000000-0000-4000-8000-0000000000aa\r"));
	WANT(strstr(head, "Device-Id: 0a:00:00:00:00:ff\r\n"));
	WANT(strstr(head, "Protocol-Version: 3\r\n"));
	second = next_visitor(b);
	get_until(second, head, sizeof(head), "\r\n\r\n");
	WANT(strstr(head, "Client-Id: 00000000-0000-4000-8000-0000000000ab\r"));
	WANT(strstr(head, "Device-Id: 0a:00:00:00:01:00\r\n"));
	close(fd);
	close(second);
}

static void test_ids(void **state)
{
	struct sim_options o = {
		.devices = 2,
		.rate = 20,
		.frame_version = 3,
		.device_id = "0A:00:00:00:00:FF",
		.client_id = "00000000-0000-4000-8000-0000000000AA",
	};
	struct outcome out;

	(void)state;
	play(script_two, &o, false, &out);
	assert_int_equal(out.sum.refused, 2);
	assert_int_equal(out.sum.devices, 2);
	done(&out);
}

/* It dials again after about a second, and again. */
static void script_again(const struct backend *b)
{
	int i;

	for (i = 0; i < 2; i++) {
		close(welcome(b));
		board_ws_reader_done(&in);
	}
}

static void script_mute(const struct backend *b)
{
	int fd = next_visitor(b);
	char head[2048];

	get_until(fd, head, sizeof(head), "\r\n\r\n");
	put(fd, SWITCH);
	get_frame(fd, WIRE_TEXT);
	close(fd);
}

static void script_welcome(const struct backend *b)
{
	close(welcome(b));
}

static void script_sloppy(const struct backend *b)
{
	int fd = welcome(b);

	put_frame(fd, 0x81,
		  "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		  "\"id\":0,\"method\":\"ping\"}}");
	WANT(strstr(get_frame(fd, WIRE_TEXT), "not implemented"));
	close(fd);
}

static void script_short_frame(const struct backend *b)
{
	static const unsigned char frame[] = { 0x82, 5, 0, 0, 0, 9, 'x' };
	int fd = welcome(b);

	WANT(send(fd, frame, sizeof(frame), 0) == sizeof(frame));
	close(fd);
}

/* A run that ended, and as what. */
static void ends_as(void (*script)(const struct backend *b),
		    struct sim_options o, enum error_kind kind,
		    const char *words)
{
	struct outcome out;

	play(script, &o, false, &out);
	assert_int_equal(out.status, kind ? -1 : 0);
	assert_int_equal(out.err.kind, kind);
	if (words)
		assert_non_null(strstr(out.err.text, words));
	done(&out);
}

/* Nobody welcomed is no success; nor is what was expected and did not come. */
static void test_verdicts(void **state)
{
	const struct sim_options none = { .devices = 1 };
	const struct sim_options calls = { .expect_calls = 2 };
	const struct sim_options listed = { .expect_listed = true };
	struct sim_options clean = { .expect_no_hazards = true };

	(void)state;
	ends_as(script_mute, none, ERR_CONNECT, "welcomed 0");
	ends_as(script_welcome, none, ERR_NONE, NULL);
	ends_as(script_welcome, calls, ERR_UNMET, "result: 0, expected 2");
	ends_as(script_welcome, listed, ERR_UNMET, "0 of 1 devices");
	ends_as(script_welcome, clean, ERR_NONE, NULL);
	clean.frame_version = 3;
	ends_as(script_short_frame, clean, ERR_UNMET,
		"shorter than its head says");
	clean.frame_version = 0;
	ends_as(script_sloppy, clean, ERR_UNMET, "hazard");
}

static void test_reconnect(void **state)
{
	struct sim_options o = { .devices = 1,
				 .reconnect = true,
				 .run_for = 1800 };
	struct outcome out;

	(void)state;
	play(script_again, &o, false, &out);
	assert_int_equal(out.status, 0);
	assert_int_equal(out.sum.welcomed, 2);
	assert_int_equal(out.sum.closed, 2);
	done(&out);
}

/* Close without the end of TCP: the next open ends it, 4 s later. */
static void script_left_open(const struct backend *b)
{
	int fd = welcome(b), second;
	char byte;

	put_frame(fd, 0x88, "\x03\xe8");
	WANT(silent(fd, 3500));
	second = welcome(b);
	WANT(recv(fd, &byte, 1, 0) == 0);
	close(fd);
	close(second);
}

static void test_left_open(void **state)
{
	struct sim_options o = { .devices = 1,
				 .reconnect = true,
				 .run_for = 5500 };
	struct outcome out;

	(void)state;
	play(script_left_open, &o, false, &out);
	assert_int_equal(out.sum.welcomed, 2);
	assert_true(seen(&out, B261));
	done(&out);
}

/* OTA: what is asked, and where the reply leads. */

static void ask(const struct backend *b, int *fd, char *head, size_t size)
{
	*fd = next_visitor(b);
	get_until(*fd, head, size, "\"board\":");
	WANT(!strncmp(head, "POST /ota/ HTTP/1.1\r\nHost: 127.0.0.1:", 37));
	WANT(strstr(head, "\r\nUser-Agent: host-board/2.4.2\r\n"));
	WANT(strstr(head, "\r\nDevice-Id: 02:00:00:00:00:01\r\n"));
	WANT(strstr(head, "\"mac_address\":\"02:00:00:00:00:01\""));
}

static void script_ota(const struct backend *b)
{
	char head[8192], body[256];
	int fd;

	ask(b, &fd, head, sizeof(head));
	snprintf(body, sizeof(body),
		 "{\"websocket\":{\"url\":\"ws://127.0.0.1:%u/y\","
		 "\"token\":\"t\",\"version\":3}}",
		 b->port);
	snprintf(head, sizeof(head),
		 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "5\r\n%.5s\r\n%zx\r\n%s\r\n0\r\n\r\n",
		 body, strlen(body) - 5, body + 5);
	put(fd, head);
	WANT(at_end(fd)); /* the device closes */
	close(fd);
	fd = next_visitor(b);
	get_until(fd, head, sizeof(head), "\r\n\r\n");
	WANT(!strncmp(head, "GET /y HTTP/1.1\r\nHost: 127.0.0.1\r\n", 34));
	WANT(strstr(head, "\r\nAuthorization: Bearer t\r\n"));
	WANT(strstr(head, "\r\nProtocol-Version: 3\r\n"));
	put(fd, SWITCH);
	WANT(strstr(get_frame(fd, WIRE_TEXT), "\"version\":3"));
	put_frame(fd, 0x81, HELLO);
	get_frame(fd, WIRE_TEXT);
	/* 60 ms of silence: eight bytes. */
	WANT(!memcmp(get_frame(fd, WIRE_BINARY), "\0\0\0\10", 4));
	close(fd);
}

/* What the answer to OTA says, from the backend's side. */
static void answer_ota(const struct backend *b, const char *body)
{
	char head[8192], answer[1024];
	int fd;

	ask(b, &fd, head, sizeof(head));
	snprintf(answer, sizeof(answer),
		 "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s",
		 strlen(body), body);
	put(fd, answer);
	WANT(at_end(fd));
	close(fd);
}

/* The last answer: the device never comes back from it, whatever it was told. */
static void hang(const struct backend *b)
{
	char head[8192];
	char body[9001];
	int fd;

	ask(b, &fd, head, sizeof(head));
	memset(body, ' ', 9000);
	body[9000] = '\0';
	put(fd, "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n");
	put(fd, body);
	WANT(at_end(fd));
	close(fd);
}

static void script_stored(const struct backend *b)
{
	char head[8192], body[256];
	int fd, i;

	snprintf(body, sizeof(body),
		 "{\"websocket\":{\"url\":\"ws://127.0.0.1:%u:8015/y\","
		 "\"token\":\"t\",\"version\":3}}",
		 b->port);
	answer_ota(b, body);
	for (i = 0; i < 2; i++) {
		fd = next_visitor(b);
		get_until(fd, head, sizeof(head), "\r\n\r\n");
		WANT(!strncmp(head, "GET /y HTTP/1.1\r\n", 17));
		WANT(strstr(head, "\r\nAuthorization: Bearer t\r\n"));
		WANT(strstr(head, "\r\nProtocol-Version: 3\r\n"));
		put(fd, SWITCH);
		get_frame(fd, WIRE_TEXT);
		put_frame(fd, 0x81, HELLO);
		get_frame(fd, WIRE_TEXT);
		close(fd);
		if (i == 0)
			answer_ota(b, "{\"websocket\":{}}");
	}
	hang(b);
}

/* What a reply does not name stays as it was stored (5.4 items 3, 10, 11). */
static void test_ota_stored(void **state)
{
	struct sim_options o = { .devices = 1, .reconnect = true };
	struct outcome out;

	(void)state;
	play(script_stored, &o, true, &out);
	assert_int_equal(out.sum.welcomed, 2);
	assert_true(seen(&out, O309));
	assert_false(killed(&out, O309));
	assert_true(seen(&out, O316));
	done(&out);
}

static void test_ota(void **state)
{
	struct sim_options o = { .devices = 1, .audio = true };
	struct outcome out;

	(void)state;
	play(script_ota, &o, true, &out);
	assert_int_equal(out.status, 0);
	assert_int_equal(out.sum.welcomed, 1);
	assert_int_equal(out.sum.found_count, 0);
	done(&out);
}

static const char *ota_answer; /* of script_ota_answer */

static void script_ota_answer(const struct backend *b)
{
	char head[8192];
	int fd;

	ask(b, &fd, head, sizeof(head));
	put(fd, ota_answer);
	close(fd);
}

/*
 * An answer that leads nowhere, and why: in the text, or in the hint where a
 * real board does not survive the answer.
 */
static void ota_fails(const char *answer, const char *words,
		      enum diag_code expected, bool fatal)
{
	const char *said;
	struct sim_options o = { .devices = 1 };
	struct outcome out;

	ota_answer = answer;
	play(script_ota_answer, &o, true, &out);
	assert_int_equal(out.status, -1);
	assert_int_equal(out.err.kind, fatal ? ERR_UNMET : ERR_CONNECT);
	said = fatal ? out.err.hint : out.err.text;
	if (!strstr(said, words))
		print_error("said: %s\n", said);
	assert_non_null(strstr(said, words));
	if (expected != DIAG_CODE_COUNT) {
		assert_true(seen(&out, expected));
		assert_int_equal(killed(&out, expected), fatal);
	}
	done(&out);
}

static void test_ota_failures(void **state)
{
	char *large = mem_zalloc(9001);
	char *answer;

	(void)state;
	memset(large, ' ', 9000);
	answer = mem_printf("HTTP/1.1 200 OK\r\nContent-Length: 9002\r\n\r\n"
			    "{%s}",
			    large);
	ota_fails(answer, "8 kB", O306, true);
	mem_free(answer);
	mem_free(large);
	ota_fails("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
		  "404 Not Found", O311, false);
	/* Firmware takes no other status than 200, good as it may be. */
	ota_fails("HTTP/1.1 201 Created\r\nContent-Length: 41\r\n\r\n"
		  "{\"websocket\":{\"url\":\"ws://127.0.0.1:9/\"}}",
		  "201 Created", O311, false);
	ota_fails("HTTP/1.1 200 OK\r\n\r\n{\"mqtt\":{}}",
		  "MQTT without an endpoint", O314, false);
	ota_fails("HTTP/1.1 200 OK\r\n\r\n"
		  "{\"mqtt\":{\"endpoint\":\"mqtt://h\"}}",
		  "restarts", O302, true);
	ota_fails("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		  "neither 'websocket' nor 'mqtt'", O301, false);
	ota_fails("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
		  "before the reply was whole", DIAG_CODE_COUNT, false);
	ota_fails("HTTP/1.1 200 OK\r\nContent-Length: 34\r\n\r\n"
		  "{\"websocket\":{\"url\":\"ws://h:/x\"}}  ",
		  "restarts", O309, true);
	ota_fails("HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n"
		  "{\"websocket\":{}}",
		  "has none stored", O316, false);
	ota_fails("HTTP/1.1 301 Moved\r\nLocation: https://h/\r\n\r\n",
		  "301 Moved", O311, false);
	ota_fails("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhi",
		  "JSON", O313, false);
	ota_fails("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
		  "Content-Encoding: br\r\n\r\n\001\002",
		  "JSON", O321, false);
	ota_fails("HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n"
		  "{\"error\":\"bad\"}",
		  "it says: bad", O312, false);
	/* It would be more headers of a request, or another request. */
	ota_fails("HTTP/1.1 200 OK\r\n\r\n"
		  "{\"websocket\":{\"url\":\"ws://127.0.0.1:9/\",\"token\":"
		  "\"a\\r\\nX: y\"}}",
		  "a control character", DIAG_CODE_COUNT, false);
	ota_fails("SSH-2.0-x\r\n\r\n", "SSH-2.0-x", DIAG_CODE_COUNT, false);
}

static void script_kills(const struct backend *b)
{
	char body[256];

	/* A good address, and behind it what no board gets past. */
	snprintf(body, sizeof(body),
		 "{\"websocket\":{\"url\":\"ws://127.0.0.1:%u/y\"},"
		 "\"firmware\":{\"version\":\"v2.4.2\",\"url\":\"\"}}",
		 b->port);
	answer_ota(b, body);
	answer_ota(b, body); /* it asks again, instead of dialling */
	hang(b);
}

/* Neither does the simulated one. */
static void test_ota_kills(void **state)
{
	struct sim_options o = { .devices = 1, .reconnect = true };
	struct outcome out;

	(void)state;
	play(script_kills, &o, true, &out);
	assert_int_equal(out.sum.dialled, 0);
	assert_true(seen(&out, O307));
	done(&out);
}

static void test_nobody_there(void **state)
{
	struct sim_options o = { .profile = PROFILES "esp32.json",
				 .connect = "ws://127.0.0.1:1/" };
	struct outcome out = { 0 };
	struct loop *loop;

	(void)state;
	assert_int_equal(loop_new(&loop, NULL), 0);
	assert_int_equal(sim_run(loop, &o, NULL, &out.sum, &out.err), -1);
	assert_int_equal(out.err.kind, ERR_CONNECT);
	assert_non_null(strstr(out.err.text, "refused"));
	done(&out);
	o.connect = "ws://no-such-host.invalid/";
	o.run_for = 20; /* a look-up that takes long does not hold the end up */
	sim_run(loop, &o, NULL, &out.sum, &out.err);
	loop_free(loop);
	done(&out);
}

static void misused(struct sim_options o, const char *words)
{
	struct outcome out = { 0 };
	struct loop *loop;

	assert_int_equal(loop_new(&loop, NULL), 0);
	if (!o.profile)
		o.profile = PROFILES "esp32.json";
	assert_int_equal(sim_run(loop, &o, NULL, &out.sum, &out.err), -1);
	loop_free(loop);
	assert_int_equal(out.err.kind, ERR_USAGE);
	if (!strstr(out.err.text, words))
		print_error("said: %s\n", out.err.text);
	assert_non_null(strstr(out.err.text, words));
	done(&out);
}

static void test_address_as_profile(void **state)
{
	struct sim_options o = { .profile = "ws://h/" };
	struct outcome out = { 0 };
	struct loop *loop;

	(void)state;
	assert_int_equal(loop_new(&loop, NULL), 0);
	assert_int_equal(sim_run(loop, &o, NULL, &out.sum, &out.err), -1);
	loop_free(loop);
	assert_non_null(strstr(out.err.hint, "--connect ws://"));
	done(&out);
}

static void test_misuse(void **state)
{
	(void)state;
	misused((struct sim_options){ .fill = 1 }, "where to?");
	misused((struct sim_options){ .connect = "ws://h/",
				      .ota = "http://h/" },
		"exclude each other");
	misused((struct sim_options){ .connect = "http://h/" }, "ws://");
	misused((struct sim_options){ .ota = "ws://h/" }, "http://");
	misused((struct sim_options){ .connect = "ws://h/a:b" }, "no number");
	misused((struct sim_options){ .connect = "ws://h/", .devices = 10001 },
		"10000");
	misused((struct sim_options){ .connect = "ws://h/", .device_id = "" },
		"--device-id");
	misused((struct sim_options){ .connect = "ws://h/",
				      .profile = "esp23" },
		"profile 'esp23'");
	misused((struct sim_options){ .connect = "ws://h/",
				      .frame_version = 4 },
		"--frame-version");
	misused((struct sim_options){ .listen = "8080", .devices = 2 },
		"--devices");
	misused((struct sim_options){ .listen = "8080", .subscribe = true },
		"--subscribe");
	misused((struct sim_options){ .connect = "ws://h/", .subscribe = true },
		"--subscribe");
	misused((struct sim_options){ .connect = "mqtt://h/" }, "client id");
	misused((struct sim_options){ .connect = "mqtt://h/c?down=x" },
		"stock firmware never");
	misused((struct sim_options){ .connect = "ws://h/",
				      .photo = "/nowhere.jpg" },
		"No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_hello_without_transport),
		cmocka_unit_test(test_cut_frames),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_reconnect),
		cmocka_unit_test(test_left_open),
		cmocka_unit_test(test_ota),
		cmocka_unit_test(test_ota_stored),
		cmocka_unit_test(test_ota_failures),
		cmocka_unit_test(test_ota_kills),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_address_as_profile),
		cmocka_unit_test(test_misuse),
	};

	mem_init();
	return cmocka_run_group_tests_name("sim dial", tests, NULL, NULL);
}
