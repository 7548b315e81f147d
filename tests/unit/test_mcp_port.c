/* SPDX-License-Identifier: MIT */
/*
 * The port for MCP clients, with an answerer of the tests' own behind it:
 * JSON-RPC by POST, Streamable HTTP, HTTP+SSE, WebSocket.
 */
#include "mcp_port_harness.h"

/* ---- without a session ---- */

static void child_direct(uint16_t port, int out)
{
	static const char *const paths[] = { "POST /", "POST /mcp", "POST /rpc",
					     "POST /mcp/" };
	struct answer a;
	int fd = raw_connect(port);

	(void)out;
	for (size_t i = 0; i < COUNT(paths); i++) {
		ask(fd, paths[i], "", PING, &a);
		wants(&a, " 200 ", "{\"id\":1,\"result\":\"client ");
		has(a.head, "Content-Type: application/json\r\n");
		has_not(a.head, "Session");
	}
	ask(fd, "POST /", "", LATER, &a);
	wants(&a, " 200 ", "late");
	ask(fd, "POST /", "", NOTE, &a);
	wants(&a, " 202 ", "");
	has(a.head, "Content-Length: 0\r\n");
	ask(fd, "POST /", "", "no json", &a);
	wants(&a, " 400 ", "-32700");
	close(fd);
}

static void test_direct(void **state)
{
	(void)state;
	run(child_direct);
	/* A client for each: nothing is remembered. */
	assert_int_equal(t.behind.made, 7);
	assert_int_equal(t.behind.abandoned, 0);
}

static void child_events_only(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_connect(port);

	(void)out;
	ask(fd, "POST /", EVENTS, PING, &a);
	wants(&a, " 200 ", "event: message\ndata: {\"id\":1,");
	has(a.head, "Content-Type: text/event-stream\r\n");
	send_request(fd, "POST /", EVENTS, LATER);
	raw_read_head(fd, a.head, sizeof(a.head));
	has(a.head, "Content-Type: text/event-stream\r\n");
	has(a.head, "X-Accel-Buffering: no\r\n");
	/* A line of the reply is a line of data. */
	await_chunk(fd, "event: message\ndata: {\"id\":9,\n"
			"data: \"result\":\"late\"}\n\n");
	await_end(fd);
}

static void test_events_only(void **state)
{
	(void)state;
	run(child_events_only);
}

static void child_leaves(uint16_t port, int out)
{
	struct answer a;
	int plain = raw_connect(port), events = raw_connect(port);

	(void)out;
	send_request(plain, "POST /", "", NEVER);
	send_request(events, "POST /", EVENTS, NEVER);
	raw_read_head(events, a.head, sizeof(a.head));
	usleep(20000);
	close(plain);
	close(events);
	/* Another one shows that the loop goes on. */
	plain = raw_connect(port);
	ask(plain, "POST /", "", LATER, &a);
	wants(&a, " 200 ", "late");
	close(plain);
}

static void test_client_leaves(void **state)
{
	(void)state;
	run(child_leaves);
	assert_int_equal(t.behind.abandoned, 2);
}

/* ---- sessions ---- */

static void child_session(uint16_t port, int out)
{
	struct answer a;
	char line[128], other[128];
	int fd = begin(port, line, sizeof(line));

	(void)out;
	ask(fd, "POST /mcp", line, NOTE, &a);
	wants(&a, " 202 ", "");
	ask(fd, "POST /mcp", line, PING, &a);
	wants(&a, " 200 ", "client 1");
	close(fd);
	fd = begin(port, other, sizeof(other));
	if (!strcmp(line, other))
		fail_child(20, line);
	ask(fd, "POST /mcp", line, PING, &a);
	wants(&a, " 200 ", "client 1");
	ask(fd, "POST /mcp", other, PING, &a);
	wants(&a, " 200 ", "client 2");
	ask(fd, "POST /mcp", "Mcp-Session-Id: 0123\r\n", PING, &a);
	wants(&a, " 404 ", "\"error\"");
	ask(fd, "DELETE /mcp", line, "", &a);
	wants(&a, " 204 ", "");
	ask(fd, "POST /mcp", line, PING, &a);
	wants(&a, " 404 ", "no such session");
	ask(fd, "DELETE /mcp", line, "", &a);
	wants(&a, " 404 ", "");
	ask(fd, "DELETE /mcp", "", "", &a);
	wants(&a, " 400 ", "");
	close(fd);
}

static void test_session(void **state)
{
	(void)state;
	run(child_session);
	has(buf_string(&t.lines), "session began (2025-11-25)");
}

/* ---- what comes before a reply, and what is fetched later ---- */

#define TOLD "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tell later\"}"
#define PAUSED "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"pause later\"}"

/* All that comes until the end. */
static void read_stream(int fd, char *out, size_t size)
{
	size_t len = 0;

	while (next_chunk(fd, out + len, size - len))
		len += strlen(out + len) - 2; /* without the end of the chunk */
	out[len] = '\0';
	close(fd);
}

static void get_after(int fd, const char *line, const char *id, char *head,
		      size_t size)
{
	char both[512];

	snprintf(both, sizeof(both), "%s" EVENTS "Last-Event-ID: %s\r\n", line,
		 id);
	send_request(fd, "GET /mcp", both, "");
	raw_read_head(fd, head, size);
	has(head, " 200 ");
}

static void child_told(uint16_t port, int out)
{
	struct answer a;
	char line[128], both[256], text[1024];
	int fd = begin(port, line, sizeof(line));

	(void)out;
	snprintf(both, sizeof(both), "%s" BOTH, line);
	send_request(fd, "POST /mcp", both, TOLD);
	raw_read_head(fd, a.head, sizeof(a.head));
	has(a.head, "text/event-stream");
	read_stream(fd, text, sizeof(text));
	has(text,
	    "id: 1-1\ndata: \n\nid: 1-2\nevent: message\ndata: {\"method\"");
	has(text, "id: 1-3\nevent: message\ndata: {\"id\":9");
	/* who takes no events is told only the reply; so is one without a session */
	fd = raw_connect(port);
	ask(fd, "POST /mcp", line, TOLD, &a);
	wants(&a, " 200 ", "late");
	send_request(fd, "POST /mcp", BOTH, TOLD);
	raw_read_head(fd, a.head, sizeof(a.head));
	read_stream(fd, text, sizeof(text));
	has(text, "event: message\ndata: {\"method\"");
	has(text, "late");
	has_not(text, "id: ");
}

static void test_told(void **state)
{
	(void)state;
	run(child_told);
}

static void child_comes_back(uint16_t port, int out)
{
	struct answer a;
	char line[128], both[256];
	int fd = begin(port, line, sizeof(line)), other;

	(void)out;
	snprintf(both, sizeof(both), "%s" BOTH, line);
	send_request(fd, "POST /mcp", both, PAUSED);
	raw_read_head(fd, a.head, sizeof(a.head));
	await_chunk(fd, "id: 1-2\nretry: 7\ndata: \n\n");
	await_end(fd);
	fd = raw_connect(port);
	get_after(fd, line, "1-2", a.head, sizeof(a.head));
	await_chunk(fd, "id: 1-3\nevent: message\ndata: {\"id\":9");
	await_end(fd);
	/* a line that broke is no reason to lose the answer */
	fd = raw_connect(port);
	send_request(
		fd, "POST /mcp", both,
		"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tell never\"}");
	raw_read_head(fd, a.head, sizeof(a.head));
	await_chunk(fd, "id: 2-2");
	close(fd);
	fd = raw_connect(port);
	get_after(fd, line, "2-1", a.head, sizeof(a.head));
	await_chunk(fd, "id: 2-2\nevent: message");
	other = raw_connect(port);
	ask(other, "POST /mcp", line,
	    "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"answer\"}", &a);
	close(other);
	await_chunk(fd, "id: 2-3\nevent: message\ndata: {\"id\":9");
	await_end(fd);
}

static void test_comes_back(void **state)
{
	(void)state;
	run(child_comes_back);
	assert_int_equal(t.behind.abandoned, 0);
}

/* Whose events are too many to be kept is not sent away: nothing could be fetched. */
static void child_flooded(uint16_t port, int out)
{
	char line[128], both[256], head[2048], text[1 << 17];
	int fd = begin(port, line, sizeof(line));

	(void)out;
	snprintf(both, sizeof(both), "%s" BOTH, line);
	send_request(fd, "POST /mcp", both,
		     "{\"id\":9,\"method\":\"flood pause later\"}");
	raw_read_head(fd, head, sizeof(head));
	do {
		if (!next_chunk(fd, text, sizeof(text)))
			fail_child(21, "sent away");
	} while (!strstr(text, "\"late\""));
	await_end(fd);
}

static void test_flooded(void **state)
{
	(void)state;
	run(child_flooded);
	assert_int_equal(t.behind.abandoned, 0);
}

/* Ids that were never given begin an ordinary stream. */
static void child_forged(uint16_t port, int out)
{
	static const char *const ids[] = { "1-1", "0-0",	   "-", "1-99",
					   "x",	  "99999999999-1", "1" };
	struct answer a;
	char line[128], other[128], both[256];
	int fd = begin(port, other, sizeof(other));

	(void)out;
	snprintf(both, sizeof(both), "%s" BOTH, other);
	send_request(fd, "POST /mcp", both,
		     "{\"id\":9,\"method\":\"tell never\"}");
	raw_read_head(fd, a.head, sizeof(a.head));
	await_chunk(fd, "id: 1-2");
	close(begin(port, line, sizeof(line)));
	for (size_t i = 0; i < COUNT(ids); i++) {
		int one = raw_connect(port);

		get_after(one, line, ids[i], a.head, sizeof(a.head));
		await_chunk(one, ": still here");
		close(one);
	}
	close(fd);
}

static void test_forged(void **state)
{
	(void)state;
	run(child_forged);
}

/* Clients that begin and go, again and again: the oldest are let go. */
static void child_leaves_often(uint16_t port, int out)
{
	struct answer a;
	char line[128], both[256];

	(void)out;
	close(begin(port, line, sizeof(line)));
	snprintf(both, sizeof(both), "%s" BOTH, line);
	for (int i = 0; i < 70; i++) {
		int fd = raw_connect(port);

		send_request(fd, "POST /mcp", both,
			     "{\"id\":9,\"method\":\"tell pause never\"}");
		raw_read_head(fd, a.head, sizeof(a.head));
		await_chunk(fd, "retry: 7");
		close(fd);
	}
	/* the first is gone, the last is not */
	{
		int fd = raw_connect(port);

		get_after(fd, line, "1-1", a.head, sizeof(a.head));
		await_chunk(fd, ": still here");
		close(fd);
		fd = raw_connect(port);
		get_after(fd, line, "70-1", a.head, sizeof(a.head));
		await_chunk(fd, "id: 70-2");
		close(fd);
	}
}

static void test_leaves_often(void **state)
{
	(void)state;
	run(child_leaves_often);
	assert_true(t.behind.abandoned >= 6);
}

#define MODERN "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"modern initialize\"}"

static void child_modern(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_connect(port);

	(void)out;
	ask(fd, "POST /mcp", "Mcp-Session-Id: 0123\r\n", MODERN, &a);
	wants(&a, " 200 ", "client 1");
	has_not(a.head, "Mcp-Session-Id");
	ask(fd, "POST /mcp", "", "{\"id\":1,\"method\":\"modern status404\"}",
	    &a);
	wants(&a, " 404 ", "client 2");
	ask(fd, "PUT /mcp", "", MODERN, &a);
	wants(&a, " 405 ", NULL);
	has(a.head, "Allow: POST");
	close(fd);
}

static void test_modern(void **state)
{
	(void)state;
	run(child_modern);
}

static void child_revisions(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_connect(port);

	(void)out;
	ask(fd, "POST /", "MCP-Protocol-Version: 2025-03-26\r\n", PING, &a);
	wants(&a, " 200 ", "");
	ask(fd, "POST /", "mcp-protocol-version: 1999-01-01\r\n", PING, &a);
	wants(&a, " 400 ", "2025-11-25");
	close(fd);
}

static void test_revisions(void **state)
{
	(void)state;
	run(child_revisions);
}

static void child_delete_amid(uint16_t port, int out)
{
	struct answer a;
	char line[128], both[256];
	int first = begin(port, line, sizeof(line));
	int second = raw_connect(port), third = raw_connect(port);

	(void)out;
	send_request(first, "POST /mcp", line, NEVER);
	snprintf(both, sizeof(both), "%s" EVENTS, line);
	send_request(second, "POST /mcp", both, NEVER);
	raw_read_head(second, a.head, sizeof(a.head));
	usleep(20000);
	ask(third, "DELETE /mcp", line, "", &a);
	wants(&a, " 204 ", "");
	raw_read_head(first, a.head, sizeof(a.head));
	has(a.head, " 404 ");
	await_end(second);
	close(first);
	close(third);
}

static void test_delete_amid(void **state)
{
	(void)state;
	run(child_delete_amid);
	assert_int_equal(t.behind.abandoned, 2);
}

static void child_stream(uint16_t port, int out)
{
	struct answer a;
	char line[128], unknown[] = "Mcp-Session-Id: 0123\r\n" EVENTS;
	int fd = begin(port, line, sizeof(line)), second;

	(void)out;
	send_request(fd, "GET /mcp", line, "");
	raw_read_head(fd, a.head, sizeof(a.head));
	has(a.head, "Content-Type: text/event-stream\r\n");
	has(a.head, "X-Accel-Buffering: no\r\n");
	await_chunk(fd, ": ");
	await_chunk(fd, ": ");
	/* Who only looks takes nothing away. */
	second = raw_connect(port);
	send_request(second, "HEAD /mcp", line, "");
	raw_read_head(second, a.head, sizeof(a.head));
	has(a.head, " 405 ");
	close(second);
	await_chunk(fd, ": ");
	await_chunk(fd, ": ");
	/* Another one takes its place. */
	second = raw_connect(port);
	send_request(second, "GET /mcp", line, "");
	await_end(fd);
	raw_read_head(second, a.head, sizeof(a.head));
	await_chunk(second, ": ");
	close(second);
	fd = raw_connect(port);
	ask(fd, "GET /mcp", unknown, "", &a);
	wants(&a, " 404 ", "");
	ask(fd, "POST /mcp", line, PING, &a);
	wants(&a, " 200 ", "client 1");
	close(fd);
}

static void test_stream(void **state)
{
	(void)state;
	t.options.keep_alive = 20;
	run(child_stream);
}

#define CHANGE "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"change\"}"

/* All that comes, up to that; chunks end anywhere. */
static void gather(int fd, const char *part, char *out, size_t size)
{
	size_t len = 0;

	*out = '\0';
	while (!strstr(out, part)) {
		if (size - len < 2048 || !next_chunk(fd, out + len, size - len))
			fail_child(16, part);
		len += strlen(out + len);
	}
}

/* The stream of a session, behind the event of that id. */
static int come_back(uint16_t port, const char *line, const char *id)
{
	char head[2048];
	int fd = raw_connect(port);

	get_after(fd, line, id, head, sizeof(head));
	return fd;
}

/* The stream of a session broke: what was told meanwhile comes once more. */
static void child_misses(uint16_t port, int out)
{
	static char all[16384];
	struct answer a;
	char line[128];
	int fd = begin(port, line, sizeof(line)), stream = raw_connect(port);

	(void)out;
	send_request(stream, "GET /mcp", line, "");
	raw_read_head(stream, a.head, sizeof(a.head));
	ask(fd, "POST /mcp", line, CHANGE, &a);
	await_chunk(stream, "id: 0-1\nevent: message\ndata: " CHANGED "\n\n");
	close(stream);
	ask(fd, "POST /mcp", line, CHANGE, &a);
	ask(fd, "POST /mcp", line, CHANGE, &a);
	stream = come_back(port, line, "0-1");
	gather(stream, "id: 0-3\nevent: message\ndata: " CHANGED "\n\n", all,
	       sizeof(all));
	has(all, "id: 0-2\n");
	has_not(all, "id: 0-1\n");
	close(stream);
	/* The last of many. */
	for (int i = 0; i < 70; i++)
		ask(fd, "POST /mcp", line, CHANGE, &a);
	stream = come_back(port, line, "0-2");
	gather(stream, "id: 0-73\n", all, sizeof(all));
	has(all, "id: 0-10\n");
	has_not(all, "id: 0-9\n");
	close(stream);
	close(fd);
}

/* Without an id that is ours: what comes from now on. */
static void child_misses_strangely(uint16_t port, int out)
{
	static const char *const ids[] = { "x", "0-99", "0--1", "0-",
					   "0-99999999999999999999" };
	struct answer a;
	char line[128];
	int fd = begin(port, line, sizeof(line)), stream;

	(void)out;
	for (size_t i = 0; i < COUNT(ids); i++) {
		stream = come_back(port, line, ids[i]);
		ask(fd, "POST /mcp", line, CHANGE, &a);
		snprintf(a.head, sizeof(a.head), "id: 0-%zu\n", i + 1);
		gather(stream, a.head, a.body, sizeof(a.body));
		snprintf(a.head, sizeof(a.head), "id: 0-%zu\n", i);
		has_not(a.body, a.head);
		close(stream);
	}
	close(fd);
}

static void test_misses(void **state)
{
	(void)state;
	run(child_misses);
}

static void test_misses_strangely(void **state)
{
	(void)state;
	run(child_misses_strangely);
}

static void child_idle(uint16_t port, int out)
{
	struct answer a;
	char line[128], busy[128];
	int fd = begin(port, line, sizeof(line));
	int stream = begin(port, busy, sizeof(busy));

	(void)out;
	send_request(stream, "GET /mcp", busy, "");
	raw_read_head(stream, a.head, sizeof(a.head));
	/* As many beats as it takes. */
	for (int i = 0; i < 12; i++)
		await_chunk(stream, ": ");
	ask(fd, "POST /mcp", line, PING, &a);
	wants(&a, " 404 ", "");
	ask(fd, "POST /mcp", busy, PING, &a);
	wants(&a, " 200 ", "client 2");
	close(fd);
	close(stream);
}

static void test_idle_session(void **state)
{
	(void)state;
	t.options.keep_alive = 20;
	t.options.idle = 100;
	run(child_idle);
}

/* Who begins session after session keeps nobody out. */
static void child_many_sessions(uint16_t port, int out)
{
	struct answer a;
	char first[128], line[128];
	int fd = begin(port, first, sizeof(first));

	(void)out;
	for (int i = 0; i < 1000; i++) {
		ask(fd, "POST /", "", INIT, &a);
		wants(&a, " 200 ", "");
		has(a.head, "Mcp-Session-Id: ");
	}
	close(fd);
	fd = begin(port, line, sizeof(line));
	ask(fd, "POST /", first, PING, &a);
	wants(&a, " 404 ", "");
	ask(fd, "POST /", line, PING, &a);
	wants(&a, " 200 ", "");
	close(fd);
}

static void test_many_sessions(void **state)
{
	(void)state;
	run(child_many_sessions);
}

/* ---- HTTP+SSE ---- */

/* The path to post to. */
static int begin_old(uint16_t port, const char *get, char *post, size_t size)
{
	char head[1024], text[1024], path[96];
	const char *at;
	int fd = raw_connect(port);

	send_request(fd, get, EVENTS, "");
	raw_read_head(fd, head, sizeof(head));
	has(head, " 200 ");
	if (!next_chunk(fd, text, sizeof(text)))
		fail_child(30, "no chunk");
	has(text, "event: endpoint\ndata: /messages?session=");
	at = strstr(text, "/messages");
	keep(path, sizeof(path), at, "\n");
	snprintf(post, size, "POST %s", path);
	return fd;
}

static void child_old(uint16_t port, int out)
{
	struct answer a;
	char post[128], other[128], id[64];
	int stream = begin_old(port, "GET /sse", post, sizeof(post));
	int fd = raw_connect(port);

	(void)out;
	ask(fd, "POST /sse", "", INIT, &a);
	wants(&a, " 405 ", "");
	has(a.head, "Allow: GET");
	ask(fd, post, "", LATER, &a);
	wants(&a, " 202 ", "");
	ask(fd, post, "", PING, &a);
	wants(&a, " 202 ", "");
	await_chunk(stream, "event: message\ndata: {\"id\":1,\"result\":"
			    "\"client 1\"}\n\n");
	await_chunk(stream, "late");
	ask(fd, "POST /messages?session=0123", "", PING, &a);
	wants(&a, " 404 ", "");
	ask(fd, "POST /messages", "", PING, &a);
	wants(&a, " 400 ", "session");
	/* A session that is no HTTP+SSE. */
	ask(fd, "POST /mcp", "", INIT, &a);
	value_of(a.head, "Mcp-Session-Id", id, sizeof(id));
	snprintf(other, sizeof(other), "POST /messages?session=%s", id);
	ask(fd, other, "", PING, &a);
	wants(&a, " 404 ", "");
	ask(fd, post, "", NEVER, &a);
	wants(&a, " 202 ", "");
	close(stream);
	/* It is over with its stream, as soon as that is seen. */
	do {
		ask(fd, post, "", NOTE, &a);
	} while (strstr(a.head, " 202 "));
	wants(&a, " 404 ", "");
	close(fd);
}

static void test_old(void **state)
{
	(void)state;
	run(child_old);
	assert_int_equal(t.behind.abandoned, 1);
	has(buf_string(&t.lines), "HTTP+SSE: a client went");
}

/* A client that was only told the address of the server. */
static void child_old_anywhere(uint16_t port, int out)
{
	static const char *const gets[] = { "GET /", "GET /mcp", "GET /sse/" };
	char post[128];

	(void)out;
	for (size_t i = 0; i < COUNT(gets); i++)
		close(begin_old(port, gets[i], post, sizeof(post)));
}

static void test_old_anywhere(void **state)
{
	(void)state;
	run(child_old_anywhere);
}

static void child_old_flood(uint16_t port, int out)
{
	struct answer a;
	char post[128];
	int stream = begin_old(port, "GET /sse", post, sizeof(post));
	int fd = raw_connect(port);

	(void)out;
	for (int i = 0; i < 64; i++) {
		ask(fd, post, "", NEVER, &a);
		wants(&a, " 202 ", "");
	}
	ask(fd, post, "", NEVER, &a);
	wants(&a, " 503 ", "too many");
	close(fd);
	close(stream);
}

static void test_old_flood(void **state)
{
	(void)state;
	run(child_old_flood);
	assert_int_equal(t.behind.abandoned, 64);
}

/* ---- WebSocket ---- */

static void child_socket(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_dial(port, "/any/path",
			  "Sec-WebSocket-Protocol: other, mcp\r\n", a.head,
			  sizeof(a.head));

	(void)out;
	has(a.head, " 101 ");
	if (!strcasestr(a.head, "\r\nSec-WebSocket-Protocol: mcp\r\n"))
		fail_child(41, a.head);
	raw_frame(fd, 0x81, LATER, strlen(LATER));
	raw_frame(fd, 0x81, NOTE, strlen(NOTE));
	raw_frame(fd, 0x82, PING, strlen(PING)); /* binary: none of ours */
	raw_frame(fd, 0x81, PING, strlen(PING));
	expect_frame(fd, "client 1");
	expect_frame(fd, "late");
	raw_frame(fd, 0x81, NEVER, strlen(NEVER));
	raw_frame(fd, 0x81, PING, strlen(PING));
	expect_frame(fd, "client 1");
	close(fd);
	fd = raw_dial(port, "/", "", a.head, sizeof(a.head));
	has(a.head, " 101 ");
	raw_frame(fd, 0x81, PING, strlen(PING));
	expect_frame(fd, "client 2");
	close(fd);
}

static void test_socket(void **state)
{
	(void)state;
	run(child_socket);
	assert_int_equal(t.behind.abandoned, 1);
}

static void child_socket_flood(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_dial(port, "/", "", a.head, sizeof(a.head));
	size_t len;

	(void)out;
	for (int i = 0; i < 65; i++)
		raw_frame(fd, 0x81, NEVER, strlen(NEVER));
	if (raw_next(fd, a.body, sizeof(a.body), &len) == 0x81)
		fail_child(42, "answered");
	close(fd);
}

static void test_socket_flood(void **state)
{
	(void)state;
	run(child_socket_flood);
	assert_int_equal(t.behind.abandoned, 64);
	has(buf_string(&t.lines), "more than 64 questions");
}

/* ---- who does not read ---- */

#define BIG "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"big\"}"

static void child_deaf_socket(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_dial(port, "/", "", a.head, sizeof(a.head)), other;

	(void)out;
	/* More than what waits here, there and on the way. */
	for (int i = 0; i < 60; i++)
		raw_frame(fd, 0x81, BIG, strlen(BIG));
	other = raw_dial(port, "/", "", a.head, sizeof(a.head));
	raw_frame(other, 0x81, PING, strlen(PING));
	expect_frame(other, "client 2");
	close(other);
	close(fd);
}

static void test_deaf_socket(void **state)
{
	(void)state;
	run(child_deaf_socket);
	has(buf_string(&t.lines), "WebSocket: closed, cannot send: ");
	has(buf_string(&t.lines), "the peer does not read");
}

static void child_deaf_stream(uint16_t port, int out)
{
	struct answer a;
	char post[128];
	int stream = begin_old(port, "GET /sse", post, sizeof(post));
	int fd = raw_connect(port), refused = 0;

	(void)out;
	for (int i = 0; i < 60; i++) {
		ask(fd, post, "", BIG, &a);
		refused += strstr(a.head, " 503 ") != NULL;
	}
	if (!refused || refused > 57)
		fail_child(43, a.head);
	wants(&a, " 503 ", "the answers on the stream are not read");
	close(stream);
	close(fd);
}

static void test_deaf_stream(void **state)
{
	(void)state;
	run(child_deaf_stream);
}

/* ---- the beginning and the end ---- */

/* Everything is open when it ends. */
static void child_stays(uint16_t port, int out)
{
	struct answer a;
	char line[128], post[128];
	int fd = begin(port, line, sizeof(line));

	(void)out;
	send_request(fd, "POST /", line, NEVER);
	fd = begin_old(port, "GET /sse", post, sizeof(post));
	fd = raw_connect(port);
	ask(fd, post, "", NEVER, &a);
	send_request(fd, "GET /mcp", line, "");
	raw_read_head(fd, a.head, sizeof(a.head));
	fd = raw_dial(port, "/", "", a.head, sizeof(a.head));
	raw_frame(fd, 0x81, NEVER, strlen(NEVER));
	raw_frame(fd, 0x81, PING, strlen(PING));
	expect_frame(fd, "client");
	fd = raw_connect(port);
	send_request(fd, "POST /", EVENTS, NEVER);
	raw_read_head(fd, a.head, sizeof(a.head));
	kill(getppid(), SIGINT);
	while (raw_read(fd, a.body, 1))
		;
	_exit(0);
}

static void test_end_amid(void **state)
{
	(void)state;
	run(child_stays);
	assert_int_equal(t.behind.abandoned, 4);
}

static void test_run_for(void **state)
{
	struct error err = { 0 };

	(void)state;
	t.run_for = 30;
	assert_int_equal(stay(&err), 0);
	assert_int_equal(strncmp(t.url, "http://127.0.0.1:", 17), 0);
	assert_int_equal(err.kind, ERR_NONE);
}

static int in_use(uint16_t *port)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	socklen_t len = sizeof(any);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&any, sizeof(any)), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&any, &len);
	*port = ntohs(any.sin_port);
	return fd;
}

static void test_no_port(void **state)
{
	struct error err = { 0 };
	char where[32];
	uint16_t port;
	int fd = in_use(&port);

	(void)state;
	snprintf(where, sizeof(where), "127.0.0.1:%u", (unsigned)port);
	t.options.listen = where;
	assert_int_equal(stay(&err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	error_reset(&err);
	close(fd);
	t.options.listen = "127.0.0.1:99999";
	assert_int_equal(stay(&err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(t.url, "");
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_direct),	  TEST(test_events_only),
		TEST(test_client_leaves), TEST(test_session),
		TEST(test_revisions),	  TEST(test_told),
		TEST(test_comes_back),	  TEST(test_flooded),
		TEST(test_forged),	  TEST(test_leaves_often),
		TEST(test_modern),	  TEST(test_delete_amid),
		TEST(test_stream),	  TEST(test_idle_session),
		TEST(test_many_sessions), TEST(test_old),
		TEST(test_old_anywhere),  TEST(test_old_flood),
		TEST(test_deaf_socket),	  TEST(test_deaf_stream),
		TEST(test_socket),	  TEST(test_socket_flood),
		TEST(test_misses),	  TEST(test_misses_strangely),
		TEST(test_end_amid),	  TEST(test_run_for),
		TEST(test_no_port),
	};

	return cmocka_run_group_tests_name("mcp_port", tests, NULL, NULL);
}
