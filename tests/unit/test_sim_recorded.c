/* SPDX-License-Identifier: MIT */
/*
 * The recordings of the real firmware, replayed against the simulated device:
 * payload by payload, and a whole WebSocket session over a real socket.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/head.h"
#include "sim/board_ws.h"
#include "sim/fleet.h"
#include "sim/sim.h"
#include "sim_harness.h"

/* The next line of a recording; NULL at the end. Yours. */
static cJSON *next_line(FILE *in)
{
	static char line[65536];
	cJSON *json;

	if (!fgets(line, sizeof(line), in))
		return NULL;
	json = cJSON_Parse(line);
	assert_non_null(json);
	return json;
}

static void replay(const char *file, const char *profile, int64_t fill)
{
	const struct profile_changes changes = { .fill = fill };
	FILE *in = fopen(file, "re");
	struct harness h;
	size_t lines = 0;
	cJSON *line;

	assert_non_null(in);
	harness_start(&h, harness_profile(profile, &changes), NULL, true);
	for (; (line = next_line(in)) != NULL; lines++) {
		const cJSON *expected;

		harness_send(&h, json_string(line, "send"));
		cJSON_ArrayForEach(expected, json_array(line, "recv")) {
			harness_says(&h, expected->valuestring);
		}
		harness_says(&h, NULL);
		cJSON_Delete(line);
	}
	assert_true(lines > 4);
	fclose(in);
	harness_stop(&h);
}

static void test_payloads(void **state)
{
	(void)state;
	replay("tests/fixtures/firmware-2.4.2.jsonl", "fixtures", 0);
}

static void test_paging(void **state)
{
	(void)state;
	replay("tests/fixtures/firmware-2.4.2-paging.jsonl", "fixtures", 40);
}

/* The device in a process of its own, dialling a socket of ours. */

static int listening(uint16_t *port)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	socklen_t len = sizeof(any);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&any, sizeof(any)), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&any, &len), 0);
	*port = ntohs(any.sin_port);
	return fd;
}

static int run_device(const char *url)
{
	const struct sim_options o = {
		.profile = PROFILES "fixtures-ws.json",
		.connect = url,
		.token = "test-token",
	};
	struct sim_summary sum;
	struct error err = { 0 };
	struct loop *loop;
	bool good;

	if (loop_new(&loop, &err))
		return 2;
	good = !sim_run(loop, &o, NULL, &sum, &err) && sum.dialled == 1 &&
	       sum.welcomed == 1 && sum.initialized == 1 && sum.listed == 1 &&
	       sum.calls == 3 && sum.closed == 1;
	if (!good)
		print_error("%s; %d calls\n", err.text, (int)sum.calls);
	sim_summary_done(&sum);
	loop_free(loop);
	return good ? 0 : 1;
}

struct peer {
	int fd;
	struct board_ws_reader in;
};

static size_t receive(struct peer *p, char *out, size_t size)
{
	ssize_t got;

	/* A libuv with io_uring interrupts without a signal. */
	do {
		got = recv(p->fd, out, size, 0);
	} while (got < 0 && errno == EINTR);
	assert_true(got >= 0); /* -1: nothing came in time */
	return (size_t)got;
}

/* The request must be the recorded one, but for the key. */
static void expect_handshake(struct peer *p, const char *recorded)
{
	static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\n"
				     "Upgrade: websocket\r\n"
				     "Connection: Upgrade\r\n\r\n";
	char head[2048] = "";
	const char *key = strstr(recorded, "Sec-WebSocket-Key: ") + 19;
	size_t before = (size_t)(key - recorded), len = 0;

	while (!strstr(head, "\r\n\r\n"))
		len += receive(p, head + len, sizeof(head) - 1 - len);
	assert_memory_equal(head, recorded, before);
	assert_string_equal(head + before + 24, key + 24);
	assert_int_equal(send(p->fd, answer, sizeof(answer) - 1, 0),
			 (ssize_t)sizeof(answer) - 1);
}

/* One frame of that kind and text; the board's are masked and not fragmented. */
static void expect_frame(struct peer *p, enum board_ws_item kind,
			 const char *text)
{
	char piece[4096];
	const char *data;
	enum board_ws_item item;
	size_t len;
	int code;

	while ((item = board_ws_next(&p->in, &data, &len, &code)) ==
	       WIRE_NONE) {
		size_t got = receive(p, piece, sizeof(piece));

		assert_true(got > 0);
		board_ws_feed(&p->in, piece, got);
	}
	if (len != strlen(text) || memcmp(data, text, len) != 0)
		print_error("got: %.*s\nnot: %s\n", (int)len, data, text);
	assert_int_equal(item, kind);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(data, text, len);
}

static void send_text(struct peer *p, const char *text)
{
	unsigned char head[4] = { 0x81 };
	size_t len = strlen(text), size = 2;

	if (len < 126) {
		head[1] = (unsigned char)len;
	} else {
		head[1] = 126;
		head[2] = (unsigned char)(len >> 8);
		head[3] = (unsigned char)len;
		size = 4;
	}
	assert_int_equal(send(p->fd, head, size, MSG_MORE), (ssize_t)size);
	assert_int_equal(send(p->fd, text, len, 0), (ssize_t)len);
}

static void play_line(struct peer *p, const cJSON *line)
{
	const char *op = json_string(line, "op");
	const char *data = json_string(line, "data");
	char end[16];

	if (!strcmp(json_string(line, "dir"), "out"))
		send_text(p, data);
	else if (!strcmp(op, "handshake"))
		expect_handshake(p, data);
	else if (!strcmp(op, "text"))
		expect_frame(p, WIRE_TEXT, data);
	else if (!strcmp(op, "binary"))
		expect_frame(p, WIRE_BINARY, "UUU"); /* 555555 */
	else
		assert_int_equal(receive(p, end, sizeof(end)), 0);
}

static void test_websocket(void **state)
{
	const struct timeval patience = { .tv_sec = 5 };
	FILE *in = fopen("tests/fixtures/firmware-2.4.2-websocket.jsonl", "re");
	struct peer p = { .fd = -1 };
	int64_t last = 0, took;
	int door, status = -1;
	char url[64];
	uint16_t port;
	cJSON *line;
	pid_t child;

	(void)state;
	door = listening(&port);
	snprintf(url, sizeof(url), "ws://127.0.0.1:%u/xiaozhi/v1/", port);
	child = fork();
	if (!child)
		_exit(run_device(url));
	p.fd = accept(door, NULL, NULL);
	setsockopt(p.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	while ((line = next_line(in)) != NULL) {
		took = loop_now() - last;
		play_line(&p, line);
		last = strcmp(json_string(line, "op"), "eof") ? loop_now() :
								last;
		cJSON_Delete(line);
	}
	took = loop_now() - last; /* from self.reboot to the end */
	assert_in_range(took, 900, 2500);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	board_ws_reader_done(&p.in);
	close(p.fd);
	close(door);
	fclose(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_payloads),
		cmocka_unit_test(test_paging),
		cmocka_unit_test(test_websocket),
	};

	mem_init();
	return cmocka_run_group_tests_name("sim recorded", tests, NULL, NULL);
}
