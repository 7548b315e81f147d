/* SPDX-License-Identifier: MIT */
/*
 * proxy/web_http and proxy/web_ota: requests of boards through a proxy, byte for
 * byte on both sides: what is changed in an answer to OTA and what is not, one
 * request behind another, what is refused, and what is told of all that.
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
#include "proxy/web.h"
#include "proxy/web_leg.h"

static struct {
	struct loop *loop;
	struct proxy *proxy;
	struct alterations *alter;
	struct words words;
	int upstream; /* listens in the server's place */
	uint16_t port; /* of the proxy */
	bool closed;
	struct buf log; /* a line for each thing that passed */
	struct buf said, found;
} run;

/* ---- the proxy ---- */

static const char *who(enum event_from from)
{
	return from == FROM_DEVICE  ? "board" :
	       from == FROM_BACKEND ? "server" :
				      "nobody";
}

static void log_body(const struct capture_event *e)
{
	if (e->data.len > 300)
		buf_printf(&run.log, " %zu bytes", e->data.len);
	else
		buf_printf(&run.log, " '%.*s'", (int)e->data.len, e->data.text);
	if (e->cut)
		buf_printf(&run.log, " of %zu", e->size);
	if (e->passed.text)
		buf_printf(&run.log, " => '%.*s'", (int)e->passed.len,
			   e->passed.text);
	buf_char(&run.log, '\n');
}

/* Lines, without the empty one behind them. */
static void ends_once(struct span head)
{
	assert_true(head.len > 4);
	assert_memory_equal(head.text + head.len - 2, "\r\n", 2);
	assert_memory_not_equal(head.text + head.len - 4, "\r\n", 2);
}

static void on_passed(void *owner, const struct talk *t,
		      const struct capture_event *e)
{
	(void)owner;
	if (e->head.text)
		ends_once(e->head);
	switch (e->kind) {
	case CAPTURED_REQUEST:
		buf_printf(&run.log, "%s %s asks %.*s%s", who(e->from),
			   t->device ? t->device : "-",
			   (int)strcspn(e->head.text, "\r"), e->head.text,
			   t->leg == LEG_OTA ? "" : " (no OTA)");
		log_body(e);
		break;
	case CAPTURED_RESPONSE:
		buf_printf(&run.log, "%s answers %d", who(e->from), e->status);
		log_body(e);
		break;
	case CAPTURED_DEVICE:
		buf_printf(&run.log, "is %s %s\n", e->board ? e->board : "-",
			   e->version ? e->version : "-");
		break;
	case CAPTURED_NOTICE:
		buf_printf(&run.log, "note %.*s\n", (int)e->data.len,
			   e->data.text);
		break;
	case CAPTURED_END:
		buf_printf(&run.log, "end by %s %d\n", who(e->from), e->how);
		break;
	default:
		break;
	}
}

static void on_found(void *owner, const struct talk *t, const struct finding *f,
		     const char *detail)
{
	(void)owner;
	(void)t;
	(void)detail;
	buf_printf(&run.found, "%s ", finding_row(f->code)->code);
}

static void on_said(void *owner, const struct proxy_news *n)
{
	(void)owner;
	buf_printf(&run.said, "%d %s: %s\n", n->level,
		   n->device ? n->device : "-", n->text);
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

struct wanted {
	enum upstream_kind kind; /* UPSTREAM_OTA */
	unsigned left; /* bits of REWRITE_ALL that are not wanted */
	bool firmware;
	const char *set;
	const char *path; /* of the OTA server; NULL: "/ota/" */
};

static void begin(const struct wanted *w)
{
	CLEANUP(words_done) struct words at = { 0 };
	CLEANUP(mem_free_ptr) char *upstream = NULL;
	uint16_t port;
	struct error err = { 0 };
	struct proxy_options o = { .kind = w->kind,
				   .listen = &run.words,
				   .rewrite = REWRITE_ALL & ~w->left,
				   .firmware = w->firmware,
				   .events = &events };

	memset(&run, 0, sizeof(run));
	words_add(&run.words, "127.0.0.1:0");
	assert_int_equal(loop_new(&run.loop, &err), 0);
	run.upstream = bound(&port);
	run.alter = alterations_new();
	if (w->set)
		assert_int_equal(alterations_set(run.alter, w->set, &err), 0);
	o.alter = run.alter;
	upstream =
		mem_printf(w->kind == UPSTREAM_WS ? "ws://127.0.0.1:%u/ws" :
						    "http://127.0.0.1:%u/ota/",
			   port);
	o.upstream = upstream;
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
	buf_done(&run.log);
	buf_done(&run.said);
	buf_done(&run.found);
	alterations_free(run.alter);
}

/* ---- a board, and a server ---- */

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

static bool hear(int fd, struct buf *heard)
{
	static char piece[65536];
	ssize_t got;

	while ((got = recv(fd, piece, sizeof(piece), 0)) > 0)
		buf_add(heard, piece, (size_t)got);
	return got == 0 || errno != EAGAIN;
}

/* Until it ends so; NULL: until the connection ends. */
static void hear_until(int fd, struct buf *heard, const char *last)
{
	int64_t until = loop_now() + PATIENCE_MS;
	size_t len = last ? strlen(last) : 0;
	bool over = false;

	while (!over && loop_now() < until) {
		turn();
		over = hear(fd, heard);
		if (last && heard->len >= len &&
		    memcmp(heard->data + heard->len - len, last, len) == 0)
			return;
	}
	if (last || !over)
		fail_msg("no '%s' at the end of '%s'", last ? last : "end",
			 buf_string(heard));
}

static void say_bytes(int fd, const char *text, size_t len)
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

static void say(int fd, const char *text)
{
	say_bytes(fd, text, strlen(text));
}

/* Text with the upstream's HOST:PORT in place of each '@', and PORT of '#'. */
static void becomes(const struct buf *is, const char *wanted)
{
	CLEANUP(buf_done) struct buf all = { 0 };
	struct sockaddr_in own;
	socklen_t len = sizeof(own);

	getsockname(run.upstream, (struct sockaddr *)&own, &len);
	for (; *wanted; wanted++) {
		if (*wanted == '@')
			buf_printf(&all, "127.0.0.1:%u", ntohs(own.sin_port));
		else if (*wanted == '#')
			buf_printf(&all, "%u", ntohs(own.sin_port));
		else
			buf_char(&all, *wanted);
	}
	assert_string_equal(buf_string(is), buf_string(&all));
}

#define ASK(body_length, body)                                             \
	"POST /ota/ HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nDevice-Id: d1\r\n" \
	"Content-Length: " body_length "\r\n\r\n" body
#define JSON "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define SIZED(length, body) JSON "Content-Length: " length "\r\n\r\n" body

/* A board asks that, and is answered so; the server ends. What each heard. */
static void passes(const char *ask, const char *answer, size_t pieces,
		   struct buf *up, struct buf *down)
{
	int board = dial(), server;
	size_t len = strlen(answer);

	say(board, ask);
	server = accepted();
	hear_until(server, up, ask + strlen(ask) - 4);
	for (size_t at = 0; at < len;) {
		size_t part = pieces && len - at > pieces ? pieces : len - at;

		say_bytes(server, answer + at, part);
		at += part;
	}
	shutdown(server, SHUT_WR);
	hear_until(board, down, NULL);
	close(board);
	close(server);
}

/*
 * A proxy like that; a board asks so, and is answered with that JSON; what goes
 * down in its place. end() is the caller's.
 */
static void edited(const struct wanted *w, const char *ask, const char *json,
		   const char *instead)
{
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	CLEANUP(buf_done) struct buf answer = { 0 }, wanted = { 0 };

	begin(w);
	buf_printf(&answer, JSON "Content-Length: %zu\r\n\r\n%s", strlen(json),
		   json);
	buf_printf(&wanted, JSON "Content-Length: %zu\r\n\r\n%s",
		   strlen(instead), instead);
	passes(ask, buf_string(&answer), 0, &up, &down);
	becomes(&down, buf_string(&wanted));
}

static void logged(const char *wanted)
{
	becomes(&run.log, wanted);
}

static void told(const char *wanted)
{
	becomes(&run.said, wanted);
}

static const struct wanted as_usual = { .kind = UPSTREAM_OTA };

/* ---- what passes ---- */

#define WS(url) "{\"websocket\":{\"url\":\"" url "\"},\"x\": 1 }"

/* Both ways, byte for byte but for the address; however it is cut. */
static void a_question(void **state)
{
	(void)state;
	for (size_t pieces = 0; pieces < 3; pieces++) {
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };

		begin(&as_usual);
		passes("POST /ota/ HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		       "Device-Id: d1\r\nAccept-Encoding: gzip\r\n"
		       "X: y\r\nContent-Length: 2\r\n\r\n{}",
		       SIZED("55", WS("ws://one.example:81/a?b")), pieces, &up,
		       &down);
		becomes(&up, "POST /ota/ HTTP/1.1\r\nHost: @\r\n"
			     "Device-Id: d1\r\n"
			     "X: y\r\nContent-Length: 2\r\n\r\n{}");
		becomes(&down, SIZED("55", WS("ws://127.0.0.1:8000/a?b")));
		logged("note Accept-Encoding is struck from the request: "
		       "what is compressed cannot be read here\n"
		       "board d1 asks POST /ota/ HTTP/1.1 '{}'\nis - -\n"
		       "server answers 200 '" WS("ws://one.example:81/a?b") "' => '" WS(
			       "ws://127.0.0.1:8000/a?b") "'\n"
							  "note websocket.url: ws://one.example:81/a?b -> "
							  "ws://127.0.0.1:8000/a?b\n"
							  "end by server 1\n");
		told("");
		end();
	}
}

/* Where it asked is where it is sent; without a port ours is not known. */
static void where_it_asked(void **state)
{
	(void)state;
	edited(&as_usual,
	       "GET /ota HTTP/1.1\r\nHost: 127.0.0.1\r\nDevice-Id: d1\r\n\r\n",
	       WS("wss://one.example/"), WS("ws://127.0.0.1/"));
	end();
}

/* ---- what is changed ---- */

/* Which addresses are left alone, each by its bit. */
static void what_is_not_wanted(void **state)
{
	static const char both[] =
		"{\"websocket\":{\"url\":\"ws://one.example/\"},"
		"\"firmware\":{\"version\":\"2.0.0\",\"url\":\"http://f/\"}}";
	static const char no_ws[] =
		"{\"websocket\":{\"url\":\"ws://one.example/\"},"
		"\"firmware\":{}}";
	static const char no_firmware[] =
		"{\"websocket\":{\"url\":\"ws://127.0.0.1:8000/\"},"
		"\"firmware\":{\"version\":\"2.0.0\",\"url\":\"http://f/\"}}";
	static const struct {
		struct wanted w;
		const char *instead;
	} rows[] = {
		{ { .left = REWRITE_OTA }, both },
		{ { .left = REWRITE_WS }, no_ws },
		{ { .firmware = true }, no_firmware },
		{ { .firmware = true, .left = REWRITE_WS }, both },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		edited(&rows[i].w, ASK("2", "{}"), both, rows[i].instead);
		told("");
		end();
	}
}

/* What --set has put there stays, and is not said to be another thing. */
static void set_before(void **state)
{
	static const struct {
		const char *set, *json, *instead, *log;
	} rows[] = {
		{ "/websocket/url=\"ws://two.example/\"",
		  WS("ws://one.example/"), WS("ws://two.example/"), "" },
		{ "/websocket={}", WS("ws://one.example/"),
		  "{\"websocket\":{},\"x\": 1 }", "" },
		{ "/x=2", WS("ws://one.example/"),
		  "{\"websocket\":{\"url\":\"ws://127.0.0.1:8000/\"},\"x\": 2 }",
		  "note websocket.url: ws://one.example/ -> "
		  "ws://127.0.0.1:8000/\n" },
		{ "/firmware/url=\"http://g/\"",
		  "{\"firmware\":{\"version\":\"2.0.0\",\"url\":\"http://f/\"}}",
		  "{\"firmware\":{\"version\":\"2.0.0\",\"url\":\"http://g/\"}}",
		  "" },
		{ "/mqtt/endpoint=\"h\"", "{\"mqtt\":{\"endpoint\":\"i\"}}",
		  "{\"mqtt\":{\"endpoint\":\"h\"}}", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct wanted w = { .set = rows[i].set };
		CLEANUP(mem_free_ptr)
		char *log = mem_printf(
			"board d1 asks POST /ota/ HTTP/1.1 '{}'\nis - -\n"
			"server answers 200 '%s' => '%s'\n%send by server 1\n",
			rows[i].json, rows[i].instead, rows[i].log);

		edited(&w, ASK("2", "{}"), rows[i].json, rows[i].instead);
		logged(log);
		end();
	}
}

#define RUNS(version) "{\"application\":{\"version\":\"" version "\"}}"
#define OFFERS(rest) "{\"firmware\":{" rest "}}"
#define TO_URL ",\"url\":\"http://f/\""

/* Only what the board would install at once is withheld. */
static void firmware(void **state)
{
	static const struct {
		const char *runs, *offered;
		const char *note; /* NULL: it goes on as it came */
	} rows[] = {
		{ RUNS("1.9.0"), OFFERS("\"version\":\"1.10.0\"" TO_URL),
		  "note firmware: 1.10.0 -> withheld (--firmware lets it through)\n" },
		{ RUNS("1.9.0"), OFFERS("\"version\":\"1.9.0\"" TO_URL), NULL },
		{ RUNS("1.9.0"), OFFERS("\"version\":\"1.8.9\"" TO_URL), NULL },
		{ RUNS("1.9.0"),
		  OFFERS("\"version\":\"1.8.9\",\"force\":1" TO_URL),
		  "note firmware: 1.8.9 -> withheld (--firmware lets it through)\n" },
		{ RUNS("1.9.0"), OFFERS("\"version\":\"2.0.0\""), NULL },
		{ RUNS("1.9.0"), OFFERS("\"version\":\"2.0.0\",\"url\":\"\""),
		  NULL },
		{ RUNS("1.9.0"), OFFERS("\"url\":\"http://f/\""), NULL },
		{ RUNS("1.9.0"), OFFERS("\"version\":\"new\"" TO_URL), NULL },
		{ RUNS("old"), OFFERS("\"version\":\"2.0.0\"" TO_URL), NULL },
		/* Of a board that does not say what it runs, any. */
		{ "{}", OFFERS("\"version\":\"0.0.1\"" TO_URL),
		  "note firmware: 0.0.1 -> withheld (--firmware lets it through)\n" },
		{ RUNS(""), OFFERS("\"version\":\"0.0.1\"" TO_URL),
		  "note firmware: 0.0.1 -> withheld (--firmware lets it through)\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *ask = mem_printf("POST /ota/ HTTP/1.1\r\nHost: 127.0.0.1:"
				       "8000\r\nContent-Length: %zu\r\n\r\n%s",
				       strlen(rows[i].runs), rows[i].runs);

		edited(&as_usual, ask, rows[i].offered,
		       rows[i].note ? "{\"firmware\":{}}" : rows[i].offered);
		if (rows[i].note)
			assert_non_null(
				strstr(buf_string(&run.log), rows[i].note));
		else
			assert_null(strstr(buf_string(&run.log), "note"));
		told("");
		end();
	}
}

/* What stays as it is though it leads past us is said, and why. */
static void what_stays(void **state)
{
	static const struct {
		const char *json, *said;
	} rows[] = {
		{ "{\"websocket\":{\"url\":7}}",
		  "2 d1: websocket.url stays as it is, and is not seen here: it is no text\n" },
		{ "{\"websocket\":{\"url\":\"one\"}}",
		  "2 d1: websocket.url stays as it is, and is not seen here: 'one' is no address: expected SCHEME://HOST[:PORT]/PATH\n" },
		{ "{\"websocket\":{}}", "" },
		{ "{\"websocket\":7,\"mqtt\":8,\"firmware\":9}", "" },
		{ "{\"mqtt\":{\"endpoint\":\"\"}}", "" },
		{ "{\"mqtt\":{\"endpoint\":7}}", "" },
		{ "{\"mqtt\":{}}", "" },
		{ "{\"WebSocket\":{\"url\":\"ws://one/\"},\"MQTT\":{},\"Firmware\":{}}",
		  "2 d1: websocket stays as it is, and is not seen here: its name is written in another case\n"
		  "2 d1: mqtt stays as it is, and is not seen here: its name is written in another case\n"
		  "2 d1: firmware stays as it is, and is not seen here: its name is written in another case\n" },
		{ "no JSON",
		  "2 d1: the answer to OTA stays as it is, and is not seen here: it is no JSON\n" },
		{ "{\"websocket\":{\"url\":\"ws://one.example/\"}",
		  "2 d1: the answer to OTA stays as it is, and is not seen here: it is no JSON\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *log = mem_printf(
			"board d1 asks POST /ota/ HTTP/1.1 '{}'\nis - -\n"
			"server answers 200 '%s'\nend by server "
			"1\n",
			rows[i].json);

		edited(&as_usual, ASK("2", "{}"), rows[i].json, rows[i].json);
		told(rows[i].said);
		logged(log);
		end();
	}
}

/* A second question is sent elsewhere: said to who looks on. */
static void another_backend(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };

	(void)state;
	begin(&as_usual);
	passes(ASK("2", "{}"), SIZED("49", WS("ws://one.example/")), 0, &up,
	       &down);
	passes(ASK("2", "{}"), SIZED("49", WS("ws://one.example/")), 0, &up,
	       &down);
	told("");
	passes(ASK("2", "{}"), SIZED("49", WS("ws://two.example/")), 0, &up,
	       &down);
	told("1 d1: is sent to ws://two.example/, no longer to ws://one.example/\n");
	end();
}

/* An answer that is none of OTA goes on as it is, whatever stands in it. */
static void other_answers(void **state)
{
	static const char *const rows[] = {
		"HTTP/1.1 404 Not Found\r\nContent-Length: 49\r\n\r\n" WS(
			"ws://one.example/"),
		"HTTP/1.1 201 Created\r\nContent-Length: 49\r\n\r\n" WS(
			"ws://one.example/"),
		"HTTP/1.1 204 No Content\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };

		begin(&as_usual);
		passes(ASK("2", "{}"), rows[i], 0, &up, &down);
		becomes(&down, rows[i]);
		assert_null(strstr(buf_string(&run.log), "=>"));
		told("");
		end();
	}
}

/* To a HEAD there is no body, which is no fault of it. */
static void to_a_head(void **state)
{
	static const char answer[] = JSON "Content-Length: 49\r\n\r\n";
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };

	(void)state;
	begin(&as_usual);
	passes("HEAD /ota/ HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n", answer, 0,
	       &up, &down);
	becomes(&down, answer);
	told("");
	assert_string_equal(buf_string(&run.found), "");
	end();
}

/* ---- one request behind another ---- */

#define OTHER(path)                                                        \
	"GET " path " HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nDevice-Id: d1\r" \
	"\n\r\n"
#define PLAIN(length, body) \
	"HTTP/1.1 200 OK\r\nContent-Length: " length "\r\n\r\n" body

/* The next one goes up when this one is answered, and is one of its own. */
static void one_behind_another(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, ASK("2", "{}") OTHER("/a") OTHER("/b"));
	server = accepted();
	hear_until(server, &up, "{}");
	for (int i = 0; i < 5; i++)
		turn();
	hear(server, &up);
	assert_null(strstr(buf_string(&up), "/a"));
	say(server, SIZED("49", WS("ws://one.example/")));
	hear_until(server, &up, "d1\r\n\r\n");
	assert_null(strstr(buf_string(&up), "/b"));
	/* What comes meanwhile waits as well. */
	say(board, OTHER("/c"));
	say(server, PLAIN("1", "a") PLAIN("1", "b"));
	say(server, PLAIN("1", "c"));
	hear_until(board, &down, "\r\n\r\nc");
	becomes(&up, "POST /ota/ HTTP/1.1\r\nHost: @\r\nDevice-Id: d1\r\n"
		     "Content-Length: 2\r\n\r\n{}"
		     "GET /a HTTP/1.1\r\nHost: @\r\nDevice-Id: d1\r\n\r\n");
	becomes(&down, SIZED("52", WS("ws://127.0.0.1:8000/")) PLAIN("1", "a")
			       PLAIN("1", "b") PLAIN("1", "c"));
	close(board);
	hear_until(server, &up, NULL);
	close(server);
	end();
}

/* As a reverse proxy sends them: each is told as who asked. */
static void another_board(void **state)
{
	static const char second[] =
		"GET /b HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		"Device-Id: d2\r\n\r\n";
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, OTHER("/a"));
	server = accepted();
	hear_until(server, &up, "\r\n\r\n");
	say(server, PLAIN("1", "a"));
	hear_until(board, &down, "\r\n\r\na");
	say(board, second);
	hear_until(server, &up, "d2\r\n\r\n");
	say(server, PLAIN("1", "b"));
	hear_until(board, &down, "\r\n\r\nb");
	assert_non_null(
		strstr(buf_string(&run.log), "board d2 asks GET /b HTTP/1.1"));
	close(board);
	close(server);
	end();
}

/*
 * A reverse proxy that keeps its connections asks for a WebSocket on one: it is
 * ended without an answer, so that it asks on a new one.
 */
static void websocket_behind_another(void **state)
{
	static const char dials[] =
		"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		"Device-Id: d1\r\nUpgrade: websocket\r\n"
		"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, OTHER("/a"));
	server = accepted();
	hear_until(server, &up, "\r\n\r\n");
	say(server, PLAIN("1", "a"));
	hear_until(board, &down, "\r\n\r\na");
	buf_reset(&up);
	buf_reset(&down);
	say(board, dials);
	hear_until(board, &down, NULL);
	hear_until(server, &up, NULL);
	assert_int_equal(down.len, 0);
	assert_int_equal(up.len, 0);
	assert_non_null(strstr(buf_string(&run.log),
			       "note a WebSocket is asked for behind "));
	assert_int_equal(run.found.len, 0);
	close(board);
	close(server);
	end();
}

/* The same host, or none: another one is for another connection. */
static void another_host(void **state)
{
	static const char no[] =
		"HTTP/1.1 421 Misdirected Request\r\n"
		"Content-Type: application/json\r\nContent-Length: 72\r\n"
		"Connection: close\r\n\r\n"
		"{\"error\":\"another Host than before: for this, open another connection\"}\n";
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, OTHER("/a"));
	server = accepted();
	hear_until(server, &up, "\r\n\r\n");
	say(server, PLAIN("1", "a"));
	hear_until(board, &down, "\r\n\r\na");
	buf_reset(&down);
	say(board, "GET /b HTTP/1.1\r\nHost: 127.0.0.1:8001\r\n\r\n");
	hear_until(board, &down, "\"}\n");
	becomes(&down, no);
	assert_null(strstr(buf_string(&up), "/b"));
	close(board);
	hear_until(server, &up, NULL);
	close(server);
	end();
}

/* What could be read in two ways is not passed on, nor what is behind it. */
static void broken_ones(void **state)
{
	static const char *const rows[] = {
		"GET /b HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"no request\r\n\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
		int board, server;

		begin(&as_usual);
		board = dial();
		say(board, OTHER("/a"));
		server = accepted();
		hear_until(server, &up, "\r\n\r\n");
		say(server, PLAIN("1", "a"));
		hear_until(board, &down, "\r\n\r\na");
		buf_reset(&down);
		say(board, rows[i]);
		say(board, OTHER("/c"));
		hear_until(board, &down, "\"}\n");
		assert_memory_equal(buf_string(&down), "HTTP/1.1 400 ", 13);
		assert_non_null(strstr(buf_string(&run.log), "note refused: "));
		assert_int_equal(run.proxy->counts.refused, 1);
		hear(server, &up);
		assert_null(strstr(buf_string(&up), "/c"));
		close(board);
		close(server);
		end();
	}
}

/* ---- the body ---- */

/* What cannot be read on is not held until its server ends. */
static void broken_answers(void **state)
{
	static const char *const answers[] = {
		JSON "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
		JSON "Transfer-Encoding: chunked\r\n\r\n1\r\n{zz\r\nrest",
		"HTTP/1.1 x\r\n\r\n{}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++) {
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
		int board, server;

		begin(&as_usual);
		board = dial();
		say(board, ASK("2", "{}"));
		server = accepted();
		hear_until(server, &up, "{}");
		say(server, answers[i]);
		hear_until(board, &down, answers[i]);
		close(board);
		close(server);
		end();
	}
}

/* A word before the answer goes on at once; the answer is changed all the same. */
static void continued(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, "POST /ota/ HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		   "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
	server = accepted();
	hear_until(server, &up, "\r\n\r\n");
	say(server, "HTTP/1.1 100 Continue\r\n\r\n");
	hear_until(board, &down, "HTTP/1.1 100 Continue\r\n\r\n");
	say(board, "{}");
	hear_until(server, &up, "{}");
	buf_reset(&down);
	say(server, SIZED("49", WS("ws://one.example/")));
	hear_until(board, &down, "}");
	hear_until(board, &down, " 1 }");
	becomes(&down, SIZED("52", WS("ws://127.0.0.1:8000/")));
	close(board);
	close(server);
	end();
}

/* The answer behind such a word is still one to a HEAD. */
static void continued_head(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board,
	    "HEAD /a HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n" OTHER("/b"));
	server = accepted();
	hear_until(server, &up, "\r\n\r\n");
	say(server, "HTTP/1.1 103 Early Hints\r\n\r\n" PLAIN("9", ""));
	hear_until(server, &up, "d1\r\n\r\n");
	close(board);
	close(server);
	end();
}

/* More than is held passes as it is, which is said. */
static void large_answers(void **state)
{
	static const struct {
		size_t len; /* of the message */
		bool changed;
	} rows[] = { { 1 << 20, true }, { (1 << 20) + 1, false } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
		CLEANUP(buf_done) struct buf answer = { 0 };
		const size_t head = strlen(SIZED("1048512", ""));

		buf_printf(&answer, JSON "Content-Length: %zu\r\n\r\n",
			   rows[i].len - head);
		buf_text(&answer,
			 "{\"websocket\":{\"url\":\"ws://o/\"},\"x\":\"");
		while (answer.len < rows[i].len - 2)
			buf_char(&answer, 'x');
		buf_text(&answer, "\"}");
		begin(&as_usual);
		passes(ASK("2", "{}"), buf_string(&answer), 0, &up, &down);
		assert_int_equal(strncmp(buf_string(&down), buf_string(&answer),
					 answer.len) != 0,
				 rows[i].changed);
		assert_int_equal(down.len,
				 answer.len + (rows[i].changed ? 13 : 0));
		assert_int_equal(!strstr(buf_string(&run.log),
					 "note the answer has more than 1 MiB: "
					 "passed as it is, not changed\n"),
				 rows[i].changed);
		end();
	}
}

/* So much of a question is kept of OTA, and of others. */
static void kept_of_questions(void **state)
{
	static const struct {
		const char *path, *log;
		size_t len;
	} rows[] = {
		{ "/ota/", "board - asks POST /ota/ HTTP/1.1 65536 bytes\n",
		  65536 },
		{ "/ota/",
		  "board - asks POST /ota/ HTTP/1.1 65536 bytes of 65537\n",
		  65537 },
		{ "/ota/activate",
		  "board - asks POST /ota/activate HTTP/1.1 65536 bytes of 65537\n",
		  65537 },
		{ "/x", "board - asks POST /x HTTP/1.1 (no OTA) 4096 bytes\n",
		  4096 },
		{ "/x",
		  "board - asks POST /x HTTP/1.1 (no OTA) 4096 bytes of 4097\n",
		  4097 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
		CLEANUP(buf_done) struct buf ask = { 0 };

		buf_printf(&ask,
			   "POST %s HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
			   "Content-Length: %zu\r\n\r\n",
			   rows[i].path, rows[i].len);
		for (size_t n = 3; n < rows[i].len; n++)
			buf_char(&ask, 'x');
		buf_text(&ask, "end");
		begin(&as_usual);
		passes(buf_string(&ask), PLAIN("2", "{}"), 0, &up, &down);
		assert_memory_equal(buf_string(&run.log), rows[i].log,
				    strlen(rows[i].log));
		end();
	}
}

/* Nobody is dialled before all of it is there, if it is small. */
static void half_a_question(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, "POST /ota/ HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		   "Content-Length: 4\r\n\r\n{ }");
	for (int i = 0; i < 5; i++)
		turn();
	assert_int_equal(accept(run.upstream, NULL, NULL), -1);
	say(board, "\n");
	server = accepted();
	hear_until(server, &up, "{ }\n");
	close(board);
	close(server);
	end();
}

/* The answer may come before the end of a question; another one is behind it. */
static void early_answers(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	CLEANUP(buf_done) struct buf ask = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	buf_text(&ask, "POST /x HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		       "Content-Length: 65540\r\n\r\n");
	for (int i = 0; i < 65536; i++)
		buf_char(&ask, 'x');
	board = dial();
	say(board, buf_string(&ask));
	server = accepted();
	hear_until(server, &up, "xxxx");
	say(server, PLAIN("1", "a"));
	hear_until(board, &down, "\r\n\r\na");
	say(board, "rest" OTHER("/b") OTHER("/c"));
	hear_until(server, &up, "d1\r\n\r\n");
	say(server, PLAIN("1", "b"));
	hear_until(board, &down, "\r\n\r\nb");
	buf_reset(&up);
	say(server, PLAIN("1", "c"));
	hear_until(board, &down, "\r\n\r\nc");
	becomes(&down, PLAIN("1", "a") PLAIN("1", "b") PLAIN("1", "c"));
	close(board);
	hear_until(server, &up, NULL);
	close(server);
	assert_non_null(strstr(buf_string(&run.log),
			       " asks GET /c HTTP/1.1 (no OTA) ''\n"
			       "server answers 200 'c'\n"));
	end();
}

/* Where OTA and its activation are, by the address of the server. */
static void paths_of_the_server(void **state)
{
	static const struct {
		const char *path, *ask;
		bool ota;
	} rows[] = {
		{ "/ota", "/ota", true },
		{ "/ota", "/ota/", true },
		{ "/ota", "/ota/activate", true },
		{ "/ota", "/otaactivate", false },
		{ "/ota/?a=b", "/ota/", true },
		{ "/ota/?a=b", "/ota/activate", true },
		{ "/ota/", "/ota/activat", false },
		{ "/ota/", "/", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct wanted w = { .path = rows[i].path };
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
		CLEANUP(mem_free_ptr)
		char *ask = mem_printf("GET %s HTTP/1.1\r\nHost: 127.0.0.1:8000"
				       "\r\n\r\n",
				       rows[i].ask);

		begin(&w);
		passes(ask, PLAIN("2", "{}"), 0, &up, &down);
		assert_int_equal(!strstr(buf_string(&run.log), "(no OTA)"),
				 rows[i].ota);
		end();
	}
}

/* ---- the end ---- */

/* It has asked, and ended its side: the answer comes all the same. */
static void a_board_that_reads_on(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, ASK("2", "{}"));
	server = accepted();
	hear_until(server, &up, "{}");
	shutdown(board, SHUT_WR);
	hear_until(server, &up, NULL);
	say(server, SIZED("49", WS("ws://one.example/")));
	hear_until(board, &down, " 1 }");
	becomes(&down, SIZED("52", WS("ws://127.0.0.1:8000/")));
	close(server);
	hear_until(board, &down, NULL);
	close(board);
	assert_non_null(strstr(buf_string(&run.log), "note it left after "));
	assert_null(strstr(buf_string(&run.log), "amid"));
	end();
}

/* Who has left is owed no answer: the server is not blamed. */
static void no_answer_to_who_left(void **state)
{
	CLEANUP(buf_done) struct buf up = { 0 };
	int board, server;

	(void)state;
	begin(&as_usual);
	board = dial();
	say(board, ASK("2", "{}"));
	server = accepted();
	hear_until(server, &up, "{}");
	shutdown(board, SHUT_WR);
	hear_until(server, &up, NULL);
	close(server);
	hear_until(board, &up, NULL);
	close(board);
	assert_non_null(strstr(buf_string(&run.log), "note it left after "));
	assert_non_null(strstr(buf_string(&run.log), "end by server 1\n"));
	assert_string_equal(buf_string(&run.found), "");
	told("");
	end();
}

/* The server ends too early: what came goes on, and what was lacking is told. */
static void early_ends(void **state)
{
#define NO_HTTP                                                                  \
	"'127.0.0.1' port # answered something that is no HTTP, or a head that " \
	"is too long"
#define NO_ANSWER "'127.0.0.1' port # closed the connection without an answer"
#define FAILS "; the board's request fails, as it would without us\n"
	static const struct {
		const char *answer, *log, *said, *found;
	} rows[] = {
		{ SIZED("50", "{\"websocket\":{}}"),
		  "server answers 200 '{\"websocket\":{}}'\n"
		  "note the connection ended amid the answer\n",
		  "", "O316 " },
		{ "HTTP/1.1 200", "note " NO_HTTP FAILS, "3 d1: " NO_HTTP "\n",
		  "N112 " },
		{ "SSH-2.0\r\n\r\n", "note " NO_HTTP FAILS,
		  "3 d1: " NO_HTTP "\n", "N112 " },
		{ "", "note " NO_ANSWER FAILS, "3 d1: " NO_ANSWER "\n",
		  "N117 " },
		/* Its end is the end of the connection. */
		{ JSON "\r\n{}", "server answers 200 '{}'\n", "",
		  "O314 O301 " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 };
		CLEANUP(mem_free_ptr)
		char *log = mem_printf(
			"board d1 asks POST /ota/ HTTP/1.1 '{}'\nis - -\n"
			"%send by server 1\n",
			rows[i].log);

		begin(&as_usual);
		passes(ASK("2", "{}"), rows[i].answer, 0, &up, &down);
		becomes(&down, rows[i].answer);
		logged(log);
		told(rows[i].said);
		assert_string_equal(buf_string(&run.found), rows[i].found);
		end();
	}
}

/* ---- what is not passed on ---- */

#define NOTHING                                                        \
	"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n" \
	"Content-Length: 42\r\nConnection: close\r\n\r\n"              \
	"{\"error\":\"there is nothing at this path\"}\n"

/* What we answer ourselves, until it ends so. */
static void answered_by_us(const struct wanted *w, const char *ask,
			   const char *answer)
{
	CLEANUP(buf_done) struct buf down = { 0 };
	int board;

	begin(w);
	board = dial();
	say(board, ask);
	hear_until(board, &down, answer + strlen(answer) - 4);
	becomes(&down, answer);
	assert_int_equal(accept(run.upstream, NULL, NULL), -1);
	close(board);
}

/* A board that asks OTA before a WebSocket is sent to us; all else nowhere. */
static void before_a_websocket(void **state)
{
	static const struct wanted ws = { .kind = UPSTREAM_WS };

	(void)state;
	answered_by_us(&ws,
		       "POST /xiaozhi/ota/ HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
		       "Device-Id: d1\r\nContent-Length: 2\r\n\r\n{}",
		       "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		       "Content-Length: 46\r\nConnection: close\r\n\r\n"
		       "{\"websocket\":{\"url\":\"ws://127.0.0.1:8000/ws\"}}");
	told("1 d1: asked OTA; it was sent to ws://127.0.0.1:8000/ws\n");
	assert_int_equal(run.proxy->counts.refused, 0);
	end();
	answered_by_us(&ws, OTHER("/xiaozhi/ota/activate"), NOTHING);
	assert_non_null(
		strstr(buf_string(&run.said),
		       " was refused: there is nothing at this path\n"));
	assert_memory_equal(buf_string(&run.said), "2 d1: 127.0.0.1:", 16);
	assert_int_equal(run.proxy->counts.refused, 1);
	logged("");
	end();
}

/* An address for pictures that was never given out. */
static void no_such_picture(void **state)
{
	(void)state;
	answered_by_us(&as_usual, OTHER("/mcpctl-proxy/vision/x"), NOTHING);
	assert_int_equal(run.proxy->counts.refused, 1);
	logged("");
	end();
}

/* What no board can read leads nowhere: it stays, and that is told. */
static void pictures_stay(void **state)
{
	static const char initialize[] =
		"{\"method\":\"initialize\",\"params\":{\"capabilities\":{"
		"\"vision\":{\"url\":\"http://h.example/a:b\"}}}}";
	const struct talk_head head = { .leg = LEG_WS };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct talk *t;

	(void)state;
	begin(&as_usual);
	t = talk_open(run.proxy, &head);
	assert_false(web_move_vision(
		t, (struct span){ initialize, strlen(initialize) }, "h:1",
		&out));
	talk_end(t, FROM_DEVICE, ENDED_RST, 0);
	logged("note vision.url stays as it is: 'http://h.example/a:b' is no "
	       "address: expected SCHEME://HOST[:PORT]/PATH\n"
	       "end by board 2\n");
	end();
}

/* It is for another server: it is asked for on a connection of its own. */
static void a_picture_behind_another(void **state)
{
	static const char initialize[] =
		"{\"method\":\"initialize\",\"params\":{\"capabilities\":{"
		"\"vision\":{\"url\":\"http://127.0.0.1:1/see\"}}}}";
	const struct talk_head head = { .leg = LEG_WS };
	CLEANUP(buf_done) struct buf up = { 0 }, down = { 0 }, moved = { 0 };
	CLEANUP(mem_free_ptr) char *ask = NULL;
	const char *path;
	int board, server;
	struct talk *t;

	(void)state;
	begin(&as_usual);
	t = talk_open(run.proxy, &head);
	assert_true(web_move_vision(
		t, (struct span){ initialize, strlen(initialize) }, "h:1",
		&moved));
	path = strstr(buf_string(&moved), "/mcpctl-proxy/");
	ask = mem_printf("POST %.*s HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
			 "Content-Length: 0\r\n\r\n",
			 (int)strcspn(path, "\""), path);
	board = dial();
	say(board, OTHER("/a"));
	server = accepted();
	hear_until(server, &up, "\r\n\r\n");
	say(server, PLAIN("1", "a"));
	hear_until(board, &down, "\r\n\r\na");
	buf_reset(&up);
	buf_reset(&down);
	say(board, ask);
	hear_until(board, &down, NULL);
	hear_until(server, &up, NULL);
	assert_int_equal(down.len, 0);
	assert_int_equal(up.len, 0);
	close(board);
	close(server);
	talk_end(t, FROM_DEVICE, ENDED_RST, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question),
		cmocka_unit_test(where_it_asked),
		cmocka_unit_test(what_is_not_wanted),
		cmocka_unit_test(set_before),
		cmocka_unit_test(firmware),
		cmocka_unit_test(what_stays),
		cmocka_unit_test(another_backend),
		cmocka_unit_test(other_answers),
		cmocka_unit_test(to_a_head),
		cmocka_unit_test(one_behind_another),
		cmocka_unit_test(another_board),
		cmocka_unit_test(websocket_behind_another),
		cmocka_unit_test(another_host),
		cmocka_unit_test(broken_ones),
		cmocka_unit_test(broken_answers),
		cmocka_unit_test(continued),
		cmocka_unit_test(large_answers),
		cmocka_unit_test(kept_of_questions),
		cmocka_unit_test(half_a_question),
		cmocka_unit_test(a_board_that_reads_on),
		cmocka_unit_test(early_ends),
		cmocka_unit_test(no_answer_to_who_left),
		cmocka_unit_test(early_answers),
		cmocka_unit_test(paths_of_the_server),
		cmocka_unit_test(continued_head),
		cmocka_unit_test(before_a_websocket),
		cmocka_unit_test(no_such_picture),
		cmocka_unit_test(pictures_stay),
		cmocka_unit_test(a_picture_behind_another),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
