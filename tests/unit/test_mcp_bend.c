/* SPDX-License-Identifier: MIT */
/*
 * proxy/http_bend: what becomes of the answers of an MCP server over HTTP that
 * are changed on purpose: whole ones, events in chunks or with a length, cut,
 * late, too large; byte for byte.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "proxied.h"
#include "proxy/alter.h"
#include "proxy/proxy.h"
#include "proxy/talk.h"
#include "proxy/turn.h"

static struct {
	struct loop *loop;
	struct proxy *proxy;
	struct alterations *alter;
	struct words words;
	int upstream; /* listens in the server's place */
	uint16_t port; /* of the proxy */
	bool closed;
	struct buf notes,
		passed; /* what was said, and what went on in its place */
	struct buf details; /* of findings */
	struct buf said;
	struct buf large; /* what was too large, "WHO LENGTH of SIZE\n" */
} run;

static void on_passed(void *owner, const struct talk *t,
		      const struct capture_event *e)
{
	(void)owner;
	(void)t;
	if (e->kind == CAPTURED_NOTICE)
		buf_printf(&run.notes, "%.*s\n", (int)e->data.len,
			   e->data.text);
	if (e->kind == CAPTURED_TEXT && e->cut)
		buf_printf(&run.large, "%s %zu of %zu\n",
			   e->from == FROM_DEVICE ? "server" : "host",
			   e->data.len, e->size);
	else if (e->kind == CAPTURED_TEXT && e->from == FROM_DEVICE)
		buf_printf(&run.passed, "%.*s=>%.*s\n", (int)e->data.len,
			   e->data.text,
			   e->passed.text ? (int)e->passed.len : 1,
			   e->passed.text ? e->passed.text : "-");
}

static void on_found(void *owner, const struct talk *t, const struct finding *f,
		     const char *detail)
{
	(void)owner;
	(void)t;
	buf_printf(&run.details, "%s %s\n", finding_row(f->code)->code, detail);
}

static void on_said(void *owner, const struct proxy_news *n)
{
	(void)owner;
	buf_printf(&run.said, "%s\n", n->text);
}

static const struct proxy_events events = { .passed = on_passed,
					    .found = on_found,
					    .said = on_said };

static void on_closed(void *owner)
{
	(void)owner;
	run.closed = true;
}

static int bound(uint16_t *port)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t len = sizeof(own);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(listen(fd, 10), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &len), 0);
	*port = ntohs(own.sin_port);
	return fd;
}

static size_t talks_max; /* of the next proxy; 0: as usual */

/* bend: "/POINTER=JSON" or a fault; "": neither. */
static void begin(const char *bend)
{
	CLEANUP(words_done) struct words at = { 0 };
	char upstream[64];
	uint16_t port;
	struct error err = { 0 };
	struct proxy_options o = { .upstream = upstream,
				   .kind = UPSTREAM_MCP,
				   .listen = &run.words,
				   .talks_max = talks_max,
				   .events = &events };

	memset(&run, 0, sizeof(run));
	words_add(&run.words, "127.0.0.1:0");
	assert_int_equal(loop_new(&run.loop, &err), 0);
	run.upstream = bound(&port);
	run.alter = alterations_new();
	if (*bend)
		assert_int_equal(
			*bend == '/' ? alterations_set(run.alter, bend, &err) :
				       alterations_fault(run.alter, bend, &err),
			0);
	o.alter = run.alter;
	snprintf(upstream, sizeof(upstream), "http://127.0.0.1:%u/mcp", port);
	if (proxy_open(&run.proxy, run.loop, &o, &err))
		fail_msg("%s", err.text);
	proxy_addresses(run.proxy, &at);
	run.port = (uint16_t)strtoul(strrchr(at.word[0], ':') + 1, NULL, 10);
}

static void end(void)
{
	proxy_close(run.proxy, on_closed, NULL);
	loop_wait(run.loop, &run.closed, loop_now() + PATIENCE_MS, NULL);
	assert_true(run.closed);
	loop_free(run.loop);
	close(run.upstream);
	words_done(&run.words);
	buf_done(&run.notes);
	buf_done(&run.passed);
	buf_done(&run.details);
	buf_done(&run.said);
	buf_done(&run.large);
	alterations_free(run.alter);
}

static void turn(void)
{
	proxied_turn(run.loop);
}

static int dial(void)
{
	return proxied_dial(run.port);
}

static int accepted(void)
{
	return proxied_accept(run.loop, run.upstream);
}

#define CALL                                                       \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"," \
	"\"params\":{\"name\":\"x\"}}"
#define ASK                                                       \
	"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: " \
	"application/json\r\nContent-Length: 68\r\n\r\n" CALL

static void hear(int fd, struct buf *heard, bool *over)
{
	static char piece[65536];
	ssize_t got;

	while ((got = recv(fd, piece, sizeof(piece), 0)) > 0)
		buf_add(heard, piece, (size_t)got);
	*over |= got == 0 || (got < 0 && errno != EAGAIN);
}

static void say(int fd, const char *text, size_t len)
{
	int64_t until = loop_now() + PATIENCE_MS;

	while (len && loop_now() < until) {
		ssize_t done = send(fd, text, len, MSG_NOSIGNAL);

		text += done > 0 ? done : 0;
		len -= done > 0 ? (size_t)done : 0;
		turn();
	}
	assert_int_equal(len, 0);
}

/*
 * The host's call is answered so, in pieces of so many bytes (0: at once), then
 * the server ends; what the host hears until the end.
 */
static void answered(const char *answer, size_t len, size_t pieces,
		     struct buf *heard)
{
	int host = dial(), server;
	int64_t until = loop_now() + PATIENCE_MS;
	struct buf asked = { 0 };
	bool over = false, end_of = false;

	assert_int_equal(strlen(CALL), 68);
	say(host, ASK, strlen(ASK));
	server = accepted();
	while (asked.len < strlen(CALL) && loop_now() < until) {
		turn();
		hear(server, &asked, &end_of);
	}
	for (size_t at = 0; at < len;) {
		size_t part = pieces && len - at > pieces ? pieces : len - at;

		say(server, answer + at, part);
		at += part;
	}
	shutdown(server, SHUT_WR);
	while (!over && loop_now() < until) {
		turn();
		hear(host, heard, &over);
	}
	assert_true(over);
	close(host);
	close(server);
	buf_done(&asked);
}

static void becomes(const char *bend, const char *answer, size_t pieces,
		    const char *wanted)
{
	CLEANUP(buf_done) struct buf heard = { 0 };

	begin(bend);
	answered(answer, strlen(answer), pieces, &heard);
	assert_string_equal(buf_string(&heard), wanted);
}

#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define EVENTS_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
#define CHUNKED "Transfer-Encoding: chunked\r\n\r\n"
#define REPLY "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":1}}" /* 41 */
#define SET "/result/a=22"
#define BENT "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":22}}" /* 42 */

static void whole_answers(void **state)
{
	(void)state;
	for (size_t pieces = 0; pieces < 2; pieces++) {
		becomes(SET, JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY,
			pieces, JSON_HEAD "Content-Length: 42\r\n\r\n" BENT);
		assert_string_equal(buf_string(&run.passed),
				    REPLY "=>" BENT "\n");
		end();
	}
	/* Nothing to change, or nothing at all: as it came. */
	becomes("/result/b=2", JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY, 0,
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY);
	assert_string_equal(buf_string(&run.passed), REPLY "=>-\n");
	end();
	becomes(SET, JSON_HEAD "Content-Length: 0\r\n\r\n", 0,
		JSON_HEAD "Content-Length: 0\r\n\r\n");
	assert_string_equal(buf_string(&run.passed), "");
	end();
	becomes(SET,
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 41\r\n\r\n" REPLY,
		0,
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 41\r\n\r\n" REPLY);
	end();
}

#define EVENT_IN "event: message\r\nid: 5\r\ndata: " REPLY "\r\n\r\n" /* 74 */
#define EVENT_OUT "event: message\nid: 5\ndata: " BENT "\n\n" /* 71 */

static void chunks_of_events(void **state)
{
	static const char in[] =
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\n"
				    "6\r\n: hi\n\n\r\n0\r\n\r\n";
	static const char out[] =
		EVENTS_HEAD CHUNKED "47\r\n" EVENT_OUT "\r\n"
				    "6\r\n: hi\n\n\r\n0\r\n\r\n";

	(void)state;
	assert_int_equal(strlen(EVENT_IN), 0x4a);
	assert_int_equal(strlen(EVENT_OUT), 0x47);
	for (size_t pieces = 0; pieces < 4; pieces++) {
		becomes(SET, in, pieces, out);
		assert_string_equal(buf_string(&run.passed),
				    REPLY "=>" BENT "\n");
		end();
	}
	/* One without an id, and lines that end in each way. */
	becomes(SET,
		EVENTS_HEAD CHUNKED "37\r\ndata: " REPLY
				    "\r\r: hi\n\n\r\n0\r\n\r\n",
		0,
		EVENTS_HEAD CHUNKED "41\r\nevent: message\ndata: " BENT
				    "\n\n\r\n6\r\n: hi\n\n\r\n0\r\n\r\n");
	end();
	/* Another kind of event is none of ours. */
	becomes(SET,
		EVENTS_HEAD CHUNKED "3d\r\nevent: ping\ndata: " REPLY
				    "\n\n\r\n0\r\n\r\n",
		0,
		EVENTS_HEAD CHUNKED "3d\r\nevent: ping\ndata: " REPLY
				    "\n\n\r\n0\r\n\r\n");
	assert_string_equal(buf_string(&run.passed), "");
	end();
}

/* Where its length was told it is told anew, of the whole. */
static void events_with_a_length(void **state)
{
	(void)state;
	for (size_t pieces = 0; pieces < 2; pieces++) {
		becomes(SET,
			EVENTS_HEAD "Content-Length: 80\r\n\r\n" EVENT_IN
				    ": hi\n\n",
			pieces,
			EVENTS_HEAD "Content-Length: 77\r\n\r\n" EVENT_OUT
				    ": hi\n\n");
		end();
	}
	/* It ends before: what came goes on. */
	becomes(SET,
		EVENTS_HEAD "Content-Length: 90\r\n\r\n" EVENT_IN "data: a", 0,
		EVENTS_HEAD "Content-Length: 90\r\n\r\n" EVENT_OUT "data: a");
	end();
	/* By its end alone. */
	becomes(SET, EVENTS_HEAD "\r\n" EVENT_IN "data: a", 0,
		EVENTS_HEAD "\r\n" EVENT_OUT "data: a");
	end();
}

static void faults(void **state)
{
	(void)state;
	becomes("two-replies",
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\n0\r\n\r\n", 0,
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\n4a\r\n" EVENT_IN
				    "\r\n0\r\n\r\n");
	assert_string_equal(buf_string(&run.notes), "--fault two-replies\n");
	end();
	becomes("no-reply",
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN
				    "\r\n6\r\n: hi\n\n\r\n0\r\n\r\n",
		0, EVENTS_HEAD CHUNKED "6\r\n: hi\n\n\r\n0\r\n\r\n");
	assert_int_equal(run.proxy->counts.dropped, 1);
	assert_string_equal(buf_string(&run.passed), REPLY "=>\n");
	end();
	/* All that comes behind it is late, too, and in its order. */
	for (size_t pieces = 0; pieces < 8; pieces += 7) {
		becomes("late-reply=5ms",
			EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN
					    "\r\n6\r\n: hi\n\n\r\n0\r\n\r\n",
			pieces,
			EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN
					    "\r\n6\r\n: hi\n\n\r\n0\r\n\r\n");
		end();
	}
	becomes("late-reply=5ms", JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY,
		0, JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY);
	assert_string_equal(buf_string(&run.notes), "--fault late-reply\n");
	end();
	/* Half of it, and the rest never. */
	becomes("cut-frame", JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY, 0,
		JSON_HEAD
		"Content-Length: 41\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\"");
	end();
	becomes("cut-frame", EVENTS_HEAD "Content-Length: 74\r\n\r\n" EVENT_IN,
		0,
		EVENTS_HEAD
		"Content-Length: 74\r\n\r\nevent: message\r\nid: 5\r\ndata: {\"jsonrp");
	end();
	becomes("not-json", JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY, 0,
		JSON_HEAD "Content-Length: 24\r\n\r\nI (48213) MCP: tool done");
	end();
}

/* Late, and then twice. */
static void faults_together(void **state)
{
	(void)state;
	becomes("late-reply=5ms,two-replies",
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY, 0,
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY JSON_HEAD
			  "Content-Length: 41\r\n\r\n" REPLY);
	end();
	becomes("late-reply=5ms,two-replies",
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN
				    "\r\n6\r\n: hi\n\n\r\n0\r\n\r\n",
		0,
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\n4a\r\n" EVENT_IN
				    "\r\n6\r\n: hi\n\n\r\n0\r\n\r\n");
	end();
	becomes("cut-frame",
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\n0\r\n\r\n", 0,
		EVENTS_HEAD CHUNKED
		"25\r\nevent: message\r\nid: 5\r\ndata: {\"jsonrp\r\n");
	end();
	/* Half of what goes on, not of what came. */
	becomes("not-json,cut-frame",
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY, 0,
		JSON_HEAD "Content-Length: 24\r\n\r\nI (48213) MC");
	end();
}

/* A text of several lines is one of several in an event, too. */
static void lines_of_events(void **state)
{
	(void)state;
	becomes("/result/a=[2,\n3]",
		EVENTS_HEAD CHUNKED "31\r\ndata: " REPLY "\n\n\r\n0\r\n\r\n", 0,
		EVENTS_HEAD CHUNKED
		"4b\r\nevent: message\n"
		"data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":[2,\n"
		"data: 3]}}\n\n\r\n0\r\n\r\n");
	end();
	/* One that came in several lines is one message. */
	becomes(SET,
		EVENTS_HEAD CHUNKED
		"38\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\n"
		"data: \"result\":{\"a\":1}}\n\n\r\n0\r\n\r\n",
		0,
		EVENTS_HEAD CHUNKED
		"48\r\nevent: message\n"
		"data: {\"jsonrpc\":\"2.0\",\"id\":7,\n"
		"data: \"result\":{\"a\":22}}\n\n\r\n0\r\n\r\n");
	end();
}

/* Nothing is answered any more behind an answer that did not go on. */
static void nothing_behind_it(void **state)
{
	static const char *const faults[] = { "no-reply", "hang" };

	(void)state;
	for (size_t i = 0; i < COUNT(faults); i++) {
		becomes(faults[i],
			JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY
				  "HTTP/1.1 200 OK\r\nContent-Length: "
				  "1\r\n\r\nx",
			0, "");
		assert_int_equal(run.proxy->counts.dropped, 1);
		end();
	}
	/* A stream goes on behind a reply that is missing, but not if it hangs. */
	becomes("hang",
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN
				    "\r\n6\r\n: hi\n\n\r\n0\r\n\r\n",
		0, EVENTS_HEAD CHUNKED);
	assert_string_equal(buf_string(&run.notes), "--fault hang\n");
	end();
}

/* Until so much was heard there. */
static void hear_so_much(int fd, struct buf *heard, size_t len)
{
	int64_t until = loop_now() + PATIENCE_MS;
	bool over = false;

	while (heard->len < len && !over && loop_now() < until) {
		turn();
		hear(fd, heard, &over);
	}
}

/* One answer behind another: nothing of the one is left for the next. */
static void several_on_one_connection(void **state)
{
	static const struct {
		const char *answer, *wanted;
	} steps[] = {
		{ EVENTS_HEAD "Content-Length: 80\r\n\r\n" EVENT_IN ": hi\n\n",
		  EVENTS_HEAD "Content-Length: 77\r\n\r\n" EVENT_OUT
			      ": hi\n\n" },
		{ "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno",
		  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno" },
		{ EVENTS_HEAD "Content-Length: 74\r\n\r\n" EVENT_IN,
		  EVENTS_HEAD "Content-Length: 71\r\n\r\n" EVENT_OUT },
		{ EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\n0\r\n\r\n",
		  EVENTS_HEAD CHUNKED "47\r\n" EVENT_OUT "\r\n0\r\n\r\n" },
		{ JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY,
		  JSON_HEAD "Content-Length: 42\r\n\r\n" BENT },
		{ "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
		  "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n" },
	};
	int host, server = -1;

	(void)state;
	begin(SET);
	host = dial();
	for (size_t i = 0; i < COUNT(steps); i++) {
		CLEANUP(buf_done) struct buf asked = { 0 }, heard = { 0 };

		say(host, ASK, strlen(ASK));
		if (server < 0)
			server = accepted();
		/* It has another Host than ours. */
		hear_so_much(server, &asked, strlen(ASK));
		say(server, steps[i].answer, strlen(steps[i].answer));
		hear_so_much(host, &heard, strlen(steps[i].wanted));
		assert_string_equal(buf_string(&heard), steps[i].wanted);
	}
	close(host);
	close(server);
	end();
}

/* A call of the session of that name, answered. */
static void called_by(unsigned session)
{
	static const char answer[] =
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY;
	CLEANUP(buf_done) struct buf asks = { 0 }, asked = { 0 }, heard = { 0 };
	int host = dial(), server;

	buf_printf(&asks,
		   "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		   "Mcp-Session-Id: s%u\r\nContent-Type: "
		   "application/json\r\nContent-Length: 68\r\n\r\n" CALL,
		   session);
	say(host, asks.data, asks.len);
	server = accepted();
	hear_so_much(server, &asked, asks.len);
	say(server, answer, strlen(answer));
	hear_so_much(host, &heard, strlen(answer));
	close(host);
	close(server);
}

/* Few talks are allowed: the session that was silent for longest makes room. */
static void more_sessions_than_talks(void **state)
{
	(void)state;
	talks_max = 4;
	begin(SET);
	talks_max = 0;
	for (unsigned i = 0; i < 7; i++) {
		buf_reset(&run.passed);
		called_by(i);
		assert_string_equal(buf_string(&run.passed),
				    REPLY "=>" BENT "\n");
	}
	end();
}

/* All are amid a request: of one more nothing is recorded, and that is told. */
static void more_sessions_than_fit(void **state)
{
	CLEANUP(buf_done) struct buf asked = { 0 };
	int host, server = -1;

	(void)state;
	talks_max = 4;
	begin("");
	talks_max = 0;
	host = dial();
	for (unsigned i = 0; i < 5; i++) {
		CLEANUP(buf_done) struct buf asks = { 0 };

		assert_int_equal(run.said.len, 0);
		buf_printf(&asks,
			   "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			   "Mcp-Session-Id: s%u\r\nContent-Length: 68"
			   "\r\n\r\n" CALL,
			   i);
		say(host, asks.data, asks.len);
		if (!i)
			server = accepted();
		buf_reset(&asked);
		hear_so_much(server, &asked, asks.len);
	}
	assert_memory_equal(buf_string(&run.said), "127.0.0.1: ", 11);
	assert_non_null(strstr(buf_string(&run.said), "not recorded"));
	close(host);
	close(server);
	end();
}

#define ASKED_WITH(length, body)                           \
	"POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: " \
	"application/json\r\nContent-Length: " length "\r\n\r\n" body

/* What goes up: with that change, or as it came. */
static void requests(void **state)
{
	static const struct {
		const char *bend, *wanted;
	} rows[] = {
		{ "/params/name=\"yy\"",
		  ASKED_WITH(
			  "69",
			  "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"yy\"}}") },
		{ "/params/other=1", ASKED_WITH("68", CALL) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf asked = { 0 }, wanted = { 0 };
		struct sockaddr_in own;
		socklen_t len = sizeof(own);
		char name[32];
		int host, server;

		begin(rows[i].bend);
		getsockname(run.upstream, (struct sockaddr *)&own, &len);
		snprintf(name, sizeof(name), "127.0.0.1:%u",
			 ntohs(own.sin_port));
		buf_text(&wanted, rows[i].wanted);
		host = dial();
		say(host, ASK, strlen(ASK));
		server = accepted();
		hear_so_much(server, &asked,
			     wanted.len - strlen("%s") + strlen(name));
		buf_reset(&wanted);
		buf_add(&wanted, rows[i].wanted,
			(size_t)(strstr(rows[i].wanted, "%s") -
				 rows[i].wanted));
		buf_text(&wanted, name);
		buf_text(&wanted, strstr(rows[i].wanted, "%s") + 2);
		assert_string_equal(buf_string(&asked), buf_string(&wanted));
		assert_int_equal(run.proxy->counts.changed, i == 0);
		close(host);
		close(server);
		end();
	}
}

/* Refused as on a connection of its own: nobody would read what comes then. */
static void websocket_behind_another(void **state)
{
	static const char answer[] =
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY;
	static const char dials[] =
		"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		"Upgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Version: 13\r\n"
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
	CLEANUP(buf_done) struct buf asked = { 0 }, heard = { 0 };
	int host, server;

	(void)state;
	begin("");
	host = dial();
	say(host, ASK, strlen(ASK));
	server = accepted();
	hear_so_much(server, &asked, strlen(ASK));
	say(server, answer, strlen(answer));
	hear_so_much(host, &heard, strlen(answer));
	buf_reset(&asked);
	buf_reset(&heard);
	say(host, dials, strlen(dials));
	hear_so_much(server, &asked, 1);
	hear_so_much(host, &heard, 1000);
	assert_memory_equal(buf_string(&heard), "HTTP/1.1 404 ", 13);
	assert_int_equal(asked.len, 0);
	close(host);
	close(server);
	end();
}

/* Java's own client offers HTTP/2 unasked: that is not passed on. */
static void offers(void **state)
{
	static const char asks[] =
		"POST /mcp HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n"
		"Content-Length: 68\r\nHost: 127.0.0.1\r\n"
		"HTTP2-Settings: AAEAAEAAAAIAAAAB\r\nUpgrade: h2c\r\n"
		"X: y\r\n\r\n" CALL;
	CLEANUP(buf_done) struct buf asked = { 0 };
	bool over = false;
	int host, server;

	(void)state;
	begin("");
	host = dial();
	say(host, asks, strlen(asks));
	server = accepted();
	while (!over && !strstr(buf_string(&asked), CALL)) {
		turn();
		hear(server, &asked, &over);
	}
	assert_non_null(strstr(buf_string(&asked), "\r\nX: y\r\n\r\n" CALL));
	assert_null(strstr(buf_string(&asked), "h2c"));
	assert_null(strstr(buf_string(&asked), "HTTP2-Settings:"));
	close(host);
	close(server);
	end();
}

/* It waits, and nothing of it is heard until the time is over. */
static void late(void **state)
{
	static const char answer[] =
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY;
	CLEANUP(buf_done) struct buf asked = { 0 }, heard = { 0 };
	int64_t until = loop_now() + PATIENCE_MS;
	int host, server;
	bool over = false;

	(void)state;
	begin("late-reply=1h");
	host = dial();
	say(host, ASK, strlen(ASK));
	server = accepted();
	hear_so_much(server, &asked, strlen(ASK));
	say(server, answer, strlen(answer));
	while (!run.notes.len && loop_now() < until)
		turn();
	turn();
	hear(host, &heard, &over);
	assert_int_equal(heard.len, 0);
	assert_false(over);
	close(server);
	close(host);
	end();
}

/* Its end ends it: nothing goes on behind that, so it goes on in front. */
static void late_to_the_end(void **state)
{
	(void)state;
	becomes("late-reply=1h", JSON_HEAD "\r\n" REPLY, 0,
		JSON_HEAD "\r\n" REPLY);
	end();
}

/* What is asked for may come in several fields. */
static void challenges(void **state)
{
	static const char answer[] =
		"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\n"
		"WWW-Authenticate:\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\n"
		"Content-Length: 0\r\n\r\n";

	(void)state;
	becomes("", answer, 0, answer);
	assert_non_null(
		strstr(buf_string(&run.details),
		       "'Basic realm=\"r\", Bearer error=\"invalid_token\"'"));
	end();
}

/* A field with nothing in it names no session. */
static void sessions_without_a_name(void **state)
{
	static const char asks[] =
		"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: \r\n"
		"Content-Length: 68\r\n\r\n" CALL;
	static const char answer[] = JSON_HEAD
		"Mcp-Session-Id: \r\nContent-Length: 41\r\n\r\n" REPLY;
	static const char *const each[] = { ASK, asks };

	(void)state;
	begin("");
	for (size_t i = 0; i < COUNT(each); i++) {
		CLEANUP(buf_done) struct buf asked = { 0 }, heard = { 0 };
		int host = dial(), server;

		say(host, each[i], strlen(each[i]));
		server = accepted();
		hear_so_much(server, &asked, strlen(each[i]));
		say(server, answer, strlen(answer));
		hear_so_much(host, &heard, strlen(answer));
		close(host);
		close(server);
	}
	assert_int_equal(run.proxy->turns->known.count, 0);
	assert_int_equal(run.proxy->open_talks, 1);
	end();
}

/* What is no HTTP goes on unread, whatever was to be changed. */
static void foreign(void **state)
{
	(void)state;
	becomes(SET, "SSH-2.0-x\r\n\r\n" REPLY, 0, "SSH-2.0-x\r\n\r\n" REPLY);
	assert_non_null(strstr(buf_string(&run.details), "N112 "));
	end();
	/* What came with the fault goes on once, as it came. */
	becomes(SET, EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\nzz\r\nrest", 0,
		EVENTS_HEAD CHUNKED "4a\r\n" EVENT_IN "\r\nzz\r\nrest");
	end();
}

/* More than 1 MiB is not held. */
static void large_ones(void **state)
{
	const size_t len = (1 << 20) + 70000;
	CLEANUP(buf_done) struct buf in = { 0 }, heard = { 0 };

	(void)state;
	buf_printf(&in, JSON_HEAD "Content-Length: %zu\r\n\r\n{\"a\":\"",
		   len + 8);
	for (size_t i = 0; i < len; i++)
		buf_char(&in, 'x');
	buf_text(&in, "\"}");
	begin("/a=1");
	answered(in.data, in.len, 0, &heard);
	assert_int_equal(heard.len, in.len);
	assert_memory_equal(heard.data, in.data, in.len);
	assert_non_null(
		strstr(buf_string(&run.notes),
		       "an answer has more than 1 MiB: it passes as it is\n"));
	end();
	buf_reset(&in);
	buf_reset(&heard);
	buf_text(&in, EVENTS_HEAD "\r\n");
	buf_text(&in, EVENT_IN "data: ");
	for (size_t i = 0; i < len; i++)
		buf_char(&in, 'x');
	buf_text(&in, "\n\n" EVENT_IN);
	begin(SET);
	answered(in.data, in.len, 0, &heard);
	assert_non_null(strstr(
		buf_string(&run.notes),
		"an event has more than 1 MiB: it passes as it is, and so does the rest of its stream\n"));
	/* The first is changed yet, the one behind it not. */
	assert_int_equal(heard.len,
			 in.len - strlen(EVENT_IN) + strlen(EVENT_OUT));
	assert_memory_equal(heard.data, EVENTS_HEAD "\r\n" EVENT_OUT,
			    strlen(EVENTS_HEAD "\r\n" EVENT_OUT));
	assert_memory_equal(heard.data + heard.len - strlen(EVENT_IN), EVENT_IN,
			    strlen(EVENT_IN));
	end();
}

/* A stream with a length, of which one event is too large: all of it passes. */
static void large_with_a_length(void **state)
{
	const size_t len = (1 << 20) + 70000;
	CLEANUP(buf_done) struct buf in = { 0 }, heard = { 0 };

	(void)state;
	buf_printf(&in, EVENTS_HEAD "Content-Length: %zu\r\n\r\n",
		   len + 8 + strlen(EVENT_IN));
	buf_text(&in, "data: ");
	for (size_t i = 0; i < len; i++)
		buf_char(&in, 'x');
	buf_text(&in, "\n\n" EVENT_IN);
	begin(SET);
	answered(in.data, in.len, 0, &heard);
	assert_int_equal(heard.len, in.len);
	assert_memory_equal(heard.data, in.data, in.len);
	end();
}

static void add_many(struct buf *out, size_t len)
{
	while (len--)
		buf_char(out, 'x');
}

/* How often it stands there. */
static size_t count_of(const struct buf *in, const char *what)
{
	const char *at = buf_string(in);
	size_t count = 0;

	while ((at = strstr(at, what)) != NULL) {
		at += strlen(what);
		count++;
	}
	return count;
}

/* So many bytes do not wait for its end: what it becomes goes on in chunks. */
static void long_with_a_length(void **state)
{
	enum { EVENTS = 600, REST = 2000 };
	static const char head[] =
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
		"Content-Type: text/event-stream\r\nX: y\r\n\r\n";
	CLEANUP(buf_done) struct buf in = { 0 }, heard = { 0 }, asked = { 0 };
	int64_t until;
	int host, server;

	(void)state;
	buf_printf(&in, EVENTS_HEAD "Content-Length: %zu\r\nX: y\r\n\r\n",
		   EVENTS * (strlen(EVENT_IN) + REST + 3));
	for (int i = 0; i < EVENTS; i++) {
		buf_text(&in, EVENT_IN ":");
		add_many(&in, REST);
		buf_text(&in, "\n\n");
	}
	begin(SET);
	host = dial();
	say(host, ASK, strlen(ASK));
	server = accepted();
	/* What is not read makes of the end a reset, and that loses bytes. */
	hear_so_much(server, &asked, strlen(ASK));
	say(server, in.data, in.len - 10);
	hear_so_much(host, &heard, 1 << 20);
	assert_memory_equal(heard.data, head, strlen(head));
	say(server, in.data + in.len - 10, 10);
	close(server);
	hear_so_much(host, &heard, (size_t)EVENTS * REST);
	assert_in_range(heard.len, (size_t)EVENTS * REST, SIZE_MAX);
	until = loop_now() + PATIENCE_MS;
	while (strcmp(buf_string(&heard) + heard.len - 5, "0\r\n\r\n") != 0 &&
	       loop_now() < until)
		hear_so_much(host, &heard, heard.len + 1);
	assert_int_equal(count_of(&heard, EVENT_OUT), EVENTS);
	assert_int_equal(count_of(&run.passed, "=>" BENT), EVENTS);
	close(host);
	end();
}

/* Told with its beginning: so its answer is none that nobody asked for. */
static void large_request(void **state)
{
	static const char front[] = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":"
				    "\"tools/call\",\"params\":{\"name\":\"";
	static const char answer[] =
		JSON_HEAD "Content-Length: 41\r\n\r\n" REPLY;
	const size_t len = 1200000;
	CLEANUP(buf_done) struct buf asks = { 0 }, heard = { 0 };
	CLEANUP(buf_done) struct buf asked = { 0 };
	int host, server;

	(void)state;
	buf_printf(&asks,
		   "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
		   "Content-Length: %zu\r\n\r\n%s",
		   len, front);
	add_many(&asks, len - strlen(front) - 3);
	buf_text(&asks, "\"}}");
	begin("");
	host = dial();
	say(host, asks.data, 1000);
	server = accepted();
	for (size_t at = 1000; at < asks.len; at += 10000) {
		say(host, asks.data + at,
		    asks.len - at < 10000 ? asks.len - at : 10000);
		hear_so_much(server, &asked, at - 1000);
	}
	hear_so_much(server, &asked, asks.len);
	say(server, answer, strlen(answer));
	hear_so_much(host, &heard, strlen(answer));
	assert_string_equal(buf_string(&heard), answer);
	assert_string_equal(buf_string(&run.large), "host 65536 of 1200000\n");
	assert_null(strstr(buf_string(&run.details), "D115"));
	close(host);
	close(server);
	end();
}

/* Of what is not looked into it is told that it was there. */
static void large_and_told(void **state)
{
	static const char *const bends[] = { "", SET };
	const size_t len = (1 << 20) + 70000;

	(void)state;
	for (size_t i = 0; i < COUNT(bends); i++) {
		CLEANUP(buf_done) struct buf in = { 0 }, heard = { 0 };

		buf_printf(&in, JSON_HEAD "Content-Length: %zu\r\n\r\n", len);
		add_many(&in, len);
		begin(bends[i]);
		answered(in.data, in.len, 0, &heard);
		assert_int_equal(heard.len, in.len);
		assert_string_equal(buf_string(&run.large),
				    "server 65536 of 1118576\n");
		end();
	}
}

static void large_event_and_told(void **state)
{
	const size_t len = (1 << 20) + 70000;
	CLEANUP(buf_done) struct buf in = { 0 }, heard = { 0 };

	(void)state;
	buf_text(&in, EVENTS_HEAD "\r\ndata: ");
	add_many(&in, len);
	buf_text(&in, "\n\n" EVENT_IN);
	begin("");
	answered(in.data, in.len, 0, &heard);
	assert_int_equal(heard.len, in.len);
	assert_memory_equal(buf_string(&run.large), "server 65536 of ", 16);
	assert_string_equal(buf_string(&run.passed), REPLY "=>-\n");
	end();
}

/* Before a server where so much is told; end() follows. */
static void told_addresses(const char *upstream, const char *advertise,
			   char *listen, struct words *at)
{
	struct error err = { 0 };
	struct proxy_options o = { .upstream = upstream,
				   .kind = UPSTREAM_MCP,
				   .listen = &run.words,
				   .admit = { .advertise = advertise },
				   .events = &events };

	memset(&run, 0, sizeof(run));
	words_add(&run.words, listen);
	assert_int_equal(loop_new(&run.loop, &err), 0);
	run.upstream = bound(&run.port);
	if (proxy_open(&run.proxy, run.loop, &o, &err))
		fail_msg("%s", err.text);
	proxy_addresses(run.proxy, at);
	assert_true(at->count > 0);
}

static void address_of_a_server(const char *upstream, const char *wanted)
{
	CLEANUP(words_done) struct words at = { 0 };
	char front[] = "http://127.0.0.1:", listen[] = "127.0.0.1:0";

	told_addresses(upstream, NULL, listen, &at);
	assert_memory_equal(at.word[0], front, strlen(front));
	assert_string_equal(strchr(at.word[0] + strlen(front), '/'), wanted);
	end();
}

/* It is no board that reads them. */
static void addresses_of_servers(void **state)
{
	(void)state;
	address_of_a_server("http://[::1]:1/mcp", "/mcp");
	address_of_a_server("https://h.example/mcp?a=b:c", "/mcp?a=b:c");
	address_of_a_server("http://h.example", "/");
	address_of_a_server("http://h.example?a", "/?a");
}

static void address_as_advertised(const char *advertise, const char *wanted)
{
	CLEANUP(words_done) struct words at = { 0 };
	char listen[] = "127.0.0.1:0";

	told_addresses("http://127.0.0.1:1/mcp", advertise, listen, &at);
	assert_int_equal(at.count, 1);
	assert_memory_equal(at.word[0], wanted, strlen(wanted));
	assert_string_equal(strrchr(at.word[0], '/'), "/mcp");
	end();
}

/* The others are those that lead here as well, never "all". */
static void advertised_addresses(void **state)
{
	CLEANUP(words_done) struct words at = { 0 };
	char everywhere[] = "0.0.0.0:0";

	(void)state;
	address_as_advertised("h.example", "http://h.example:");
	address_as_advertised("h.example:81", "http://h.example:81/");
	address_as_advertised("wss://h.example/x", "https://h.example/");
	told_addresses("http://127.0.0.1:1/mcp", NULL, everywhere, &at);
	for (size_t i = 0; i < at.count; i++)
		assert_null(strstr(at.word[i], "0.0.0.0"));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(challenges),
		cmocka_unit_test(sessions_without_a_name),
		cmocka_unit_test(advertised_addresses),
		cmocka_unit_test(whole_answers),
		cmocka_unit_test(chunks_of_events),
		cmocka_unit_test(events_with_a_length),
		cmocka_unit_test(faults),
		cmocka_unit_test(faults_together),
		cmocka_unit_test(lines_of_events),
		cmocka_unit_test(nothing_behind_it),
		cmocka_unit_test(several_on_one_connection),
		cmocka_unit_test(more_sessions_than_talks),
		cmocka_unit_test(more_sessions_than_fit),
		cmocka_unit_test(requests),
		cmocka_unit_test(websocket_behind_another),
		cmocka_unit_test(offers),
		cmocka_unit_test(late),
		cmocka_unit_test(late_to_the_end),
		cmocka_unit_test(foreign),
		cmocka_unit_test(large_ones),
		cmocka_unit_test(large_with_a_length),
		cmocka_unit_test(long_with_a_length),
		cmocka_unit_test(large_request),
		cmocka_unit_test(large_and_told),
		cmocka_unit_test(large_event_and_told),
		cmocka_unit_test(addresses_of_servers),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
