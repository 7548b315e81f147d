/* SPDX-License-Identifier: MIT */
/*
 * The port for MCP clients in a test's frame: an answerer of the tests' own
 * behind it, and a client in a child process that asks byte for byte.
 */
#ifndef MCP_PORT_HARNESS_H
#define MCP_PORT_HARNESS_H

#include <signal.h>

#include "answering.h"
#include "clients/mcp_port.h"
#include "net/head.h"
#include "raw_client.h"

#define LONG_MS 60000

/* ---- the frame ---- */

static struct {
	struct loop *loop;
	struct behind behind;
	struct answerer answerer;
	struct mcp_port_options options;
	int64_t run_for; /* ms */
	struct raw_child child;
	void (*play)(uint16_t port, int out);
	char url[64];
	struct buf lines;
} t;

static inline int set_up(void **state)
{
	struct error err = { 0 };

	(void)state;
	memset(&t, 0, sizeof(t));
	assert_int_equal(loop_new(&t.loop, &err), 0);
	t.behind.loop = t.loop;
	t.answerer = behind_answerer;
	t.answerer.owner = &t.behind;
	t.options = (struct mcp_port_options){ .listen = "127.0.0.1:0" };
	t.run_for = LONG_MS;
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	raw_done(&t.child);
	buf_done(&t.lines);
	loop_free(t.loop);
	return 0;
}

/* The child ends the service as a user would. */
static inline void play(uint16_t port, int out)
{
	t.play(port, out);
	kill(getppid(), SIGINT);
}

static inline void on_listening(void *owner, const char *url)
{
	(void)owner;
	snprintf(t.url, sizeof(t.url), "%s", url);
	if (t.play)
		raw_start(&t.child, t.loop,
			  (uint16_t)strtoul(strrchr(url, ':') + 1, NULL, 10),
			  play);
}

static inline void on_line(void *owner, const char *text)
{
	(void)owner;
	buf_printf(&t.lines, "%s\n", text);
}

static const struct mcp_port_observer observer = { on_listening, on_line,
						   NULL };

/* Until run_for is over, or a signal came. */
static inline int stay(struct error *err)
{
	int64_t until = loop_now() + t.run_for;
	struct mcp_port *port;
	int status;

	if (mcp_port_open(&port, t.loop, &t.answerer, &t.options, &observer,
			  err))
		return -1;
	status = loop_stay(t.loop, NULL, until, err);
	mcp_port_close(port);
	return status;
}

/* All that the child wants must go well, and nothing may be left. */
static inline void run(void (*fn)(uint16_t port, int out))
{
	struct error err = { 0 };
	int status;

	t.play = fn;
	status = stay(&err);
	raw_finish(&t.child, t.loop);
	assert_int_equal(status, -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_int_equal(t.behind.clients, 0);
	assert_int_equal(t.behind.open, 0);
	error_reset(&err);
}

/* ---- in the child ---- */

struct answer {
	char head[2048], body[4096];
};

static inline void fail_child(int code, const char *text)
{
	fprintf(stderr, "child: %s\n", text);
	_exit(code);
}

static inline size_t content_length(const char *head)
{
	const char *told = strstr(head, "Content-Length: ");

	return told ? strtoul(told + 16, NULL, 10) : 0;
}

static inline void send_request(int fd, const char *line, const char *headers,
				const char *body)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%sContent-Length: "
		 "%zu\r\n\r\n%s",
		 line, headers, strlen(body), body);
	raw_text(fd, text);
}

/* One request and its answer; status " 200 " must be in it. */
static inline void ask(int fd, const char *line, const char *headers,
		       const char *body, struct answer *out)
{
	size_t len;

	send_request(fd, line, headers, body);
	raw_read_head(fd, out->head, sizeof(out->head));
	len = content_length(out->head);
	if (len >= sizeof(out->body) || !raw_read(fd, out->body, len))
		fail_child(10, out->head);
	out->body[len] = '\0';
}

static inline void wants(const struct answer *a, const char *status,
			 const char *body)
{
	if (!strstr(a->head, status))
		fail_child(11, a->head);
	if (body && !strstr(a->body, body))
		fail_child(12, a->body);
}

static inline void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_child(13, text);
}

static inline void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_child(14, text);
}

/* Up to one of these letters. */
static inline void keep(char *out, size_t size, const char *text,
			const char *end)
{
	size_t len = strcspn(text, end);

	if (len >= size)
		fail_child(18, text);
	memcpy(out, text, len);
	out[len] = '\0';
}

/* The value of a header, behind its name and ": ". */
static inline void value_of(const char *head, const char *name, char *out,
			    size_t size)
{
	const char *at = strstr(head, name);

	if (!at)
		fail_child(15, head);
	keep(out, size, at + strlen(name) + 2, "\r");
}

/* The next chunk of a stream; false: it is over. */
static inline bool next_chunk(int fd, char *out, size_t size)
{
	char line[16] = "";
	size_t len = 0, at = 0;

	while (at + 1 < sizeof(line) && !strstr(line, "\r\n")) {
		if (!raw_read(fd, line + at, 1))
			return false;
		line[++at] = '\0';
	}
	len = strtoul(line, NULL, 16);
	if (len > size - 3 || !raw_read(fd, out, len + 2))
		return false;
	out[len] = '\0';
	return len > 0;
}

/* Until a chunk has that in it. */
static inline void await_chunk(int fd, const char *part)
{
	char text[2048];

	do {
		if (!next_chunk(fd, text, sizeof(text)))
			fail_child(16, part);
	} while (!strstr(text, part));
}

/* Nothing comes any more. */
static inline void await_end(int fd)
{
	char text[2048];

	while (next_chunk(fd, text, sizeof(text)))
		;
	close(fd);
}

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"
#define INIT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}"
#define LATER "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"later\"}"
#define NEVER "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"never\"}"
#define BOTH "Accept: application/json, text/event-stream\r\n"
#define EVENTS "Accept: text/event-stream\r\n"

/* A session's header line, and the connection that it was begun on. */
static inline int begin(uint16_t port, char *line, size_t size)
{
	struct answer a;
	char id[64];
	int fd = raw_connect(port);

	ask(fd, "POST /mcp", BOTH, INIT, &a);
	wants(&a, " 200 ", "client");
	value_of(a.head, "Mcp-Session-Id", id, sizeof(id));
	if (strlen(id) != 32)
		fail_child(17, id);
	snprintf(line, size, "Mcp-Session-Id: %s\r\n", id);
	return fd;
}

static inline void expect_frame(int fd, const char *part)
{
	char text[1024] = "";
	size_t len;

	if (raw_next(fd, text, sizeof(text) - 1, &len) != 0x81)
		fail_child(40, part);
	text[len] = '\0';
	has(text, part);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
