/* SPDX-License-Identifier: MIT */
/*
 * The connections of a capture, each judged by itself: lists of tools over
 * pages, serial logs beside frames, answers of OTA, and what is kept of what
 * the recorder found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "capture/talks.h"

static struct buf told; /* "CONN DEVICE CODE #N COUNT DETAIL", "over CONN …" */
static struct talks talks;

static void on_found(void *owner, const struct capture_talk *t,
		     const struct finding *f, const char *detail)
{
	assert_ptr_equal(owner, &told);
	buf_printf(&told, "%u %s %s #%u %u %s\n", t->conn, t->device,
		   finding_row(f->code)->code, (unsigned)f->proof.n,
		   (unsigned)f->count, detail);
}

static void on_over(void *owner, struct capture_talk *t)
{
	assert_ptr_equal(owner, &told);
	buf_printf(&told, "over %u %s %zu%s%s%s\n", t->conn, t->device,
		   t->diag.count, t->diag.about.board ? " board" : "",
		   t->diag.about.bare ? " bare" : "",
		   t->diag.about.standby ? " standby" : "");
}

static int begin(void **state)
{
	(void)state;
	talks = (struct talks){ .found = on_found,
				.over = on_over,
				.owner = &told };
	buf_done(&told);
	return 0;
}

static int end(void **state)
{
	(void)state;
	talks_end(&talks);
	buf_done(&told);
	return 0;
}

static bool has(const char *words)
{
	return strstr(buf_string(&told), words) != NULL;
}

static void says(const char *words)
{
	if (!has(words))
		fail_msg("no '%s' in:\n%s", words, buf_string(&told));
}

static void says_not(const char *words)
{
	if (has(words))
		fail_msg("'%s' in:\n%s", words, buf_string(&told));
}

static uint64_t number;

static struct capture_event event(uint32_t conn, enum capture_kind kind,
				  enum diag_leg leg, enum event_from from,
				  const char *text)
{
	number++;
	return (struct capture_event){ .n = number,
				       .at_us = (int64_t)number * 1000,
				       .conn = conn,
				       .leg = leg,
				       .kind = kind,
				       .from = from,
				       .data = { text, strlen(text) },
				       .size = strlen(text) };
}

static void text(uint32_t conn, enum event_from from, const char *frame)
{
	const struct capture_event e =
		event(conn, CAPTURED_TEXT, LEG_HTTP, from, frame);

	talks_feed(&talks, &e);
}

static void over(uint32_t conn)
{
	const struct capture_event e =
		event(conn, CAPTURED_END, LEG_HTTP, FROM_DEVICE, "");

	talks_feed(&talks, &e);
}

#define LIST(id, params)                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/list\"" params \
	"}"
#define PAGE(id, name, more)                                                   \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"tools\":[{\"name\":" \
	"\"" name "\",\"description\":\"Say it aloud\","                       \
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{}}}]" more "}}"
#define FROM_CURSOR ",\"params\":{\"cursor\":\"c\"}"
#define NEXT_CURSOR ",\"nextCursor\":\"c\""

/* The same tool on two pages stands twice in the one list that they are. */
static void pages_are_one_list(void **state)
{
	(void)state;
	text(1, FROM_BACKEND, LIST("1", ""));
	text(1, FROM_DEVICE, PAGE("1", "say", NEXT_CURSOR));
	says_not("D112");
	text(1, FROM_BACKEND, LIST("2", FROM_CURSOR));
	text(1, FROM_DEVICE, PAGE("2", "say", ""));
	says("1  D112 #");
	says("say: stands in the list before");
}

/* A file that ends behind page 1 does not tell whether page 2 was asked for. */
static void only_an_end_leaves_pages(void **state)
{
	(void)state;
	for (uint32_t conn = 1; conn <= 2; conn++) {
		text(conn, FROM_BACKEND, LIST("1", ""));
		text(conn, FROM_DEVICE, PAGE("1", "say", NEXT_CURSOR));
	}
	over(1);
	talks_end(&talks);
	says("1  B230 #");
	says("over 2");
	says_not("2  B230 #");
}

/* Not of another connection, nor of a list that is asked for anew. */
static void lists_are_apart(void **state)
{
	static const char *const again[] = { "", ",\"params\":{}",
					     ",\"params\":{\"cursor\":\"\"}" };

	(void)state;
	text(1, FROM_BACKEND, LIST("1", ""));
	text(1, FROM_DEVICE, PAGE("1", "say", NEXT_CURSOR));
	text(2, FROM_BACKEND, LIST("1", ""));
	text(2, FROM_DEVICE, PAGE("1", "say", ""));
	for (size_t i = 0; i < COUNT(again); i++) {
		CLEANUP(mem_free_ptr)
		char *list = mem_printf(LIST("%zu", "%s"), i + 3, again[i]);
		CLEANUP(mem_free_ptr)
		char *page = mem_printf(PAGE("%zu", "say", NEXT_CURSOR), i + 3);

		text(1, FROM_BACKEND, list);
		text(1, FROM_DEVICE, page);
	}
	text(1, FROM_BACKEND, LIST("9", FROM_CURSOR));
	text(1, FROM_DEVICE, PAGE("9", "hear", ""));
	says_not("D112");
	/* Its end was there: what comes now begins another one. */
	text(1, FROM_BACKEND, LIST("10", FROM_CURSOR));
	text(1, FROM_DEVICE, PAGE("10", "hear", ""));
	says_not("D112");
}

/* Only the reply to what was asked is a page, once. */
static void pages_are_asked_for(void **state)
{
	(void)state;
	text(1, FROM_BACKEND, LIST("1", ""));
	text(1, FROM_DEVICE, PAGE("1", "say", NEXT_CURSOR));
	text(1, FROM_DEVICE, PAGE("1", "say", ""));
	text(1, FROM_BACKEND, LIST("2", FROM_CURSOR));
	text(1, FROM_DEVICE, PAGE("3", "say", ""));
	text(1, FROM_DEVICE, PAGE("22", "say", ""));
	text(1, FROM_BACKEND,
	     "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\"}");
	text(1, FROM_DEVICE, PAGE("4", "say", ""));
	text(1, FROM_BACKEND, PAGE("2", "say", ""));
	text(1, FROM_DEVICE, PAGE("2", "hear", NEXT_CURSOR));
	says_not("D112");
	/* What is asked by the device is no question to it. */
	text(1, FROM_DEVICE, LIST("5", FROM_CURSOR));
	text(1, FROM_DEVICE, PAGE("5", "say", ""));
	says_not("D112");
	text(1, FROM_BACKEND, LIST("\"x\"", FROM_CURSOR));
	text(1, FROM_DEVICE, PAGE("\"x\"", "say", ""));
	says("D112");
}

/* The longest id that is remembered, and one that is longer. */
static void long_ids(void **state)
{
	static const char *const ids[] = {
		"\"0123456789012345678901234567890123456789012345678901234567890\"",
		"\"01234567890123456789012345678901234567890123456789012345678901\""
	};

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++) {
		CLEANUP(mem_free_ptr)
		char *list = mem_printf(LIST("%s", ""), ids[i]);
		CLEANUP(mem_free_ptr)
		char *page = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[{\"name\":\"a\"},{\"name\":\"a\"}]}}",
			ids[i]);

		text((uint32_t)i + 1, FROM_BACKEND, list);
		text((uint32_t)i + 1, FROM_DEVICE, page);
	}
	says("1  D112");
	says_not("2  D112");
}

/* The proof is the event of that number, whoever else spoke between. */
static void numbers_of_events(void **state)
{
	struct capture_event e = event(1, CAPTURED_TEXT, LEG_WS, FROM_DEVICE,
				       "{\"type\":\"mcp\"");

	(void)state;
	e.n = 77;
	talks_feed(&talks, &e);
	says(" #77 1 ");
	e.n = 99;
	e.conn = 3;
	talks_feed(&talks, &e);
	says("3  ");
	says(" #99 1 ");
	/* Without a number it is counted. */
	e.n = 0;
	talks_feed(&talks, &e);
	says(" #99 2 ");
	/* A secret in it was masked: it is shorter now, and broken all the same. */
	buf_reset(&told);
	e.conn = 5;
	e.size = 400;
	talks_feed(&talks, &e);
	says("5  ");
	/* What is cut off would be broken of itself. */
	buf_reset(&told);
	e.conn = 4;
	e.cut = true;
	talks_feed(&talks, &e);
	e.cut = false;
	e.from = FROM_NOBODY;
	talks_feed(&talks, &e);
	assert_string_equal(buf_string(&told), "");
}

static void kinds_of_connections(void **state)
{
	static const struct {
		enum diag_leg leg;
		const char *over;
	} rows[] = {
		{ LEG_WS, "over 1 aa 0 board\n" },
		{ LEG_MQTT, "over 2 aa 0 board standby\n" },
		{ LEG_HTTP, "over 3 aa 0 bare\n" },
		{ LEG_STDIO, "over 4 aa 0 bare\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct capture_event e = event((uint32_t)i + 1, CAPTURED_DEVICE,
					       rows[i].leg, FROM_NOBODY, "");

		e.device = i ? "aa" : "bb";
		talks_feed(&talks, &e);
		e.device = "aa"; /* the last that was told is its name */
		talks_feed(&talks, &e);
		e.device = NULL;
		talks_feed(&talks, &e);
		buf_reset(&told);
		over((uint32_t)i + 1);
		assert_string_equal(buf_string(&told), rows[i].over);
	}
	/* It is forgotten; those that are left end with the capture. */
	buf_reset(&told);
	over(1);
	text(7, FROM_BACKEND, LIST("1", ""));
	talks_end(&talks);
	says("over 1  0 bare\n");
	says("over 7  ");
	/* All of them, each once. */
	buf_reset(&told);
	for (uint32_t i = 1; i <= 40; i++)
		text(i, FROM_BACKEND, LIST("1", ""));
	talks_end(&talks);
	for (uint32_t i = 1; i <= 40; i++) {
		CLEANUP(mem_free_ptr) char *one = mem_printf("over %u  ", i);

		says(one);
	}
}

/* What lies in no connection is nobody's. */
static void no_connection(void **state)
{
	(void)state;
	text(0, FROM_DEVICE, "{");
	talks_end(&talks);
	assert_string_equal(buf_string(&told), "");
}

/* ---- serial logs ---- */

static void open_log(uint32_t conn, const char *device)
{
	struct capture_event e =
		event(conn, CAPTURED_OPEN, LEG_SERIAL, FROM_NOBODY, "");

	e.device = device;
	talks_feed(&talks, &e);
}

static void line(uint32_t conn, int64_t at_us, const char *words)
{
	struct capture_event e =
		event(conn, CAPTURED_LINE, LEG_SERIAL, FROM_DEVICE, words);

	e.at_us = at_us;
	talks_feed(&talks, &e);
}

static void call(uint32_t conn, const char *device, int64_t at_us)
{
	struct capture_event e = event(
		conn, CAPTURED_TEXT, LEG_HTTP, FROM_BACKEND,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}");

	e.device = device;
	e.at_us = at_us;
	talks_feed(&talks, &e);
}

#define BROWNOUT "Brownout detector was triggered"
#define BEHIND "12 ms after the backend's tools/call a\n"

/* The only log is of whatever board speaks; of two each has its own. */
static void logs_beside_frames(void **state)
{
	(void)state;
	open_log(1, NULL);
	call(9, "aa", 1000);
	line(1, 13000, BROWNOUT);
	says("1  S809 #");
	says(BEHIND);
	buf_reset(&told);
	open_log(2, "bb");
	line(2, 13500, BROWNOUT);
	says("2 bb S809");
	says_not("after the");
	buf_reset(&told);
	call(8, "bb", 20000);
	line(2, 32000, BROWNOUT);
	says("2 bb S809");
	says(BEHIND);
	/* Whose the first is nobody knows any more. */
	buf_reset(&told);
	line(1, 32000, BROWNOUT);
	says_not(BEHIND);
	/* It tells its own name. */
	line(1, 33000, "wifi:mode : sta (34:85:18:AA:BB:CC)");
	buf_reset(&told);
	call(7, "34:85:18:aa:bb:cc", 40000);
	line(1, 52000, BROWNOUT);
	says("1 34:85:18:aa:bb:cc S809");
	says(BEHIND);
	/* Another board's frame is none of its. */
	buf_reset(&told);
	call(8, "bb", 60000);
	line(1, 72000, BROWNOUT);
	says_not(BEHIND);
}

/* A log that ended is told nothing more; the other one is the only one then. */
static void logs_end(void **state)
{
	static const uint32_t orders[][3] = { { 1, 2, 3 },
					      { 3, 2, 1 },
					      { 2, 1, 3 } };

	(void)state;
	for (size_t i = 0; i < COUNT(orders); i++) {
		for (uint32_t log = 1; log <= 3; log++)
			open_log(log, NULL);
		for (size_t k = 0; k < 2; k++)
			over(orders[i][k]);
		buf_reset(&told);
		call(9, NULL, 1000);
		line(orders[i][2], 13000, BROWNOUT);
		says(BEHIND);
		over(orders[i][2]);
	}
	assert_null(talks.logs);
}

/* A log is one from its first line on, if nobody saw it open. */
static void log_without_a_beginning(void **state)
{
	(void)state;
	line(1, 1000, "hello");
	call(9, "aa", 2000);
	line(1, 14000, BROWNOUT);
	says(BEHIND);
}

/* ---- OTA ---- */

static void ask(uint32_t conn, enum capture_kind kind, enum event_from from,
		const char *head)
{
	struct capture_event e = event(conn, kind, LEG_OTA, from, "{}");

	e.head = (struct span){ head, strlen(head) };
	talks_feed(&talks, &e);
}

#define BODY "{\"websocket\":{\"url\":\"ws://127.0.0.1:8001/\"}}"

static struct capture_event answer(uint32_t conn, const char *head)
{
	struct capture_event e =
		event(conn, CAPTURED_RESPONSE, LEG_OTA, FROM_BACKEND, BODY);

	e.status = 200;
	e.head = (struct span){ head, strlen(head) };
	return e;
}

static void answers_of_ota(void **state)
{
	static const struct {
		int status;
		const char *head;
		const char *code; /* NULL: none */
		const char *words;
	} rows[] = {
		{ 200, "Content-Length: 44\r\n", NULL, "" },
		{ 200, "Transfer-Encoding: chunked\r\n", NULL, "" },
		{ 200, "", "O314", "until the connection ends" },
		{ 200, "Content-Length: 0\r\n", "O314", "Content-Length: 0" },
		{ 302, "Location: /there\r\nContent-Length: 44\r\n", "O311",
		  "HTTP 302 to '/there'" },
		{ 404, "Content-Length: 44\r\n", "O311", "HTTP 404" },
		{ 200, "Content-Encoding: br\r\nContent-Length: 44\r\n", "O321",
		  "it is compressed (br)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *head = mem_printf("HTTP/1.1 %d X\r\n%s", rows[i].status,
					rows[i].head);
		struct capture_event e = answer((uint32_t)i + 1, head);

		buf_reset(&told);
		e.status = rows[i].status;
		talks_feed(&talks, &e);
		if (rows[i].code) {
			CLEANUP(mem_free_ptr)
			char *where = mem_printf("%zu  %s #%u 1 ", i + 1,
						 rows[i].code, (unsigned)e.n);

			says(where);
			says(rows[i].words);
		} else {
			for (size_t k = 0; k < COUNT(rows); k++)
				if (rows[k].code)
					says_not(rows[k].code);
		}
	}
	/* Of another leg it is no answer of OTA. */
	buf_reset(&told);
	{
		struct capture_event e = answer(20, "HTTP/1.1 404 X\r\n");

		e.leg = LEG_VISION;
		talks_feed(&talks, &e);
	}
	assert_string_equal(buf_string(&told), "");
}

/* By what name it dialled, the last time; not what its backend says. */
static void who_asked(void **state)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Length: 44\r\n";
	struct capture_event e = answer(1, head);

	(void)state;
	ask(1, CAPTURED_REQUEST, FROM_DEVICE,
	    "POST / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n");
	talks_feed(&talks, &e);
	says_not("O310");
	ask(1, CAPTURED_REQUEST, FROM_BACKEND,
	    "POST / HTTP/1.1\r\nHost: 192.168.1.2:8000\r\n");
	ask(1, CAPTURED_REQUEST, FROM_DEVICE, "POST / HTTP/1.1\r\n");
	talks_feed(&talks, &e);
	says_not("O310");
	ask(1, CAPTURED_OPEN, FROM_DEVICE,
	    "GET / HTTP/1.1\r\nHost: 192.168.1.2:8000\r\n");
	talks_feed(&talks, &e);
	says("1  O310");
}

/* As long as it was told to be, though stars are in place of its token now. */
static void masked_length(void **state)
{
	static const char head[] =
		"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n";
	struct capture_event e = answer(1, head);

	(void)state;
	e.size = 9000;
	talks_feed(&talks, &e);
	says_not("O306");
	e = answer(2, head);
	talks_feed(&talks, &e);
	says("2  O306");
}

/* ---- what the recorder found ---- */

static void found(const char *json)
{
	struct capture_event e =
		event(1, CAPTURED_FINDING, LEG_WS, FROM_NOBODY, json);

	talks_feed(&talks, &e);
}

/* What frames show is judged anew; what they do not show stays. */
static void what_stays(void **state)
{
	static const char *const codes[] = { "D121", "D132", "D133", "D138",
					     "M401", "M403", "M413", "M414",
					     "P703", "P704", "P707", "P708",
					     "P713", "P714", "P715", "P716",
					     "N101", "N102" };
	static const char *const judged[] = { "D101", "D112", "B201", "O301",
					      "P701", "M402", "X999" };

	(void)state;
	for (size_t i = 0; i < COUNT(codes); i++) {
		CLEANUP(mem_free_ptr)
		char *json = mem_printf(
			"{\"code\":\"%s\",\"detail\":\"so it was\"}", codes[i]);
		CLEANUP(mem_free_ptr)
		char *want = mem_printf("1  %s #0 1 so it was\n", codes[i]);

		buf_reset(&told);
		found(json);
		assert_string_equal(buf_string(&told), want);
	}
	buf_reset(&told);
	for (size_t i = 0; i < COUNT(judged); i++) {
		CLEANUP(mem_free_ptr)
		char *json = mem_printf("{\"code\":\"%s\"}", judged[i]);

		found(json);
	}
	found("{}");
	found("broken");
	assert_string_equal(buf_string(&told), "");
	found("{\"code\":\"N102\"}");
	assert_string_equal(buf_string(&told), "1  N102 #0 2 \n");
}

/* ---- what was not seen ---- */

static void cut(uint32_t conn, enum event_from from)
{
	struct capture_event e =
		event(conn, CAPTURED_TEXT, LEG_HTTP, from, "{\"jsonrpc");

	e.cut = true;
	talks_feed(&talks, &e);
}

static void lose(void)
{
	struct capture_event e =
		event(0, CAPTURED_LOST, LEG_WS, FROM_NOBODY, "");

	e.count = 1;
	talks_feed(&talks, &e);
}

/* A question, and an answer to another one. */
static void wrong_answer(uint32_t conn)
{
	text(conn, FROM_BACKEND, LIST("1", ""));
	text(conn, FROM_DEVICE, PAGE("9", "say", ""));
}

/* What was asked and not seen may be answered: nobody is blamed for it. */
static void unseen_questions(void **state)
{
	(void)state;
	wrong_answer(1);
	says("1  D116 ");
	buf_reset(&told);
	cut(2, FROM_DEVICE);
	wrong_answer(2);
	says("2  D116 ");
	buf_reset(&told);
	cut(3, FROM_BACKEND);
	wrong_answer(3);
	cut(4, FROM_NOBODY);
	wrong_answer(4);
	says_not("D116");
	/* Whose they were is not known: any of those that are there. */
	text(5, FROM_BACKEND, LIST("1", ""));
	text(6, FROM_BACKEND, LIST("1", ""));
	lose();
	wrong_answer(5);
	wrong_answer(6);
	says_not("D116");
	wrong_answer(7);
	says("7  D116 ");
}

/* It goes on for 60 s, and its list never comes. */
static void go_on(uint32_t conn)
{
	for (int i = 0; i < 30; i++) {
		CLEANUP(mem_free_ptr)
		char *ping = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}",
			100 + i);
		CLEANUP(mem_free_ptr)
		char *pong = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}",
			100 + i);

		number += 2000;
		text(conn, FROM_BACKEND, ping);
		text(conn, FROM_DEVICE, pong);
	}
}

static void unseen_answers(void **state)
{
	(void)state;
	text(1, FROM_BACKEND, LIST("1", ""));
	go_on(1);
	says("1  D145 ");
	buf_reset(&told);
	text(2, FROM_BACKEND, LIST("1", ""));
	cut(2, FROM_BACKEND);
	go_on(2);
	says("2  D145 ");
	buf_reset(&told);
	text(3, FROM_BACKEND, LIST("1", ""));
	cut(3, FROM_DEVICE);
	go_on(3);
	text(4, FROM_BACKEND, LIST("1", ""));
	cut(4, FROM_NOBODY);
	go_on(4);
	text(5, FROM_BACKEND, LIST("1", ""));
	lose();
	go_on(5);
	says_not("D145");
}

/* Audio that was not kept says nothing of messages. */
static void unseen_audio(void **state)
{
	struct capture_event e;

	(void)state;
	text(1, FROM_BACKEND, LIST("1", ""));
	e = event(1, CAPTURED_BINARY, LEG_HTTP, FROM_DEVICE, "");
	e.size = 9;
	talks_feed(&talks, &e);
	e.cut = true;
	talks_feed(&talks, &e);
	go_on(1);
	says("1  D145 ");
}

/* Those that are left end in the order of their numbers. */
static void ends_in_order(void **state)
{
	static const uint32_t conns[] = { 40, 300, 3, 4000000000, 17, 1 };

	(void)state;
	for (size_t i = 0; i < COUNT(conns); i++)
		text(conns[i], FROM_BACKEND, LIST("1", ""));
	buf_reset(&told);
	talks_end(&talks);
	assert_string_equal(buf_string(&told),
			    "over 1  1 bare\nover 3  1 bare\nover 17  1 bare\n"
			    "over 40  1 bare\nover 300  1 bare\n"
			    "over 4000000000  1 bare\n");
}

/* Whoever wants to be told of nothing is not. */
static void told_to_nobody(void **state)
{
	(void)state;
	talks.found = NULL;
	talks.over = NULL;
	wrong_answer(1);
	wrong_answer(2);
	over(1);
	talks_end(&talks);
	assert_string_equal(buf_string(&told), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_an_end_leaves_pages, begin,
						end),
		cmocka_unit_test_setup_teardown(pages_are_one_list, begin, end),
		cmocka_unit_test_setup_teardown(lists_are_apart, begin, end),
		cmocka_unit_test_setup_teardown(pages_are_asked_for, begin,
						end),
		cmocka_unit_test_setup_teardown(long_ids, begin, end),
		cmocka_unit_test_setup_teardown(numbers_of_events, begin, end),
		cmocka_unit_test_setup_teardown(kinds_of_connections, begin,
						end),
		cmocka_unit_test_setup_teardown(no_connection, begin, end),
		cmocka_unit_test_setup_teardown(logs_beside_frames, begin, end),
		cmocka_unit_test_setup_teardown(logs_end, begin, end),
		cmocka_unit_test_setup_teardown(log_without_a_beginning, begin,
						end),
		cmocka_unit_test_setup_teardown(answers_of_ota, begin, end),
		cmocka_unit_test_setup_teardown(who_asked, begin, end),
		cmocka_unit_test_setup_teardown(masked_length, begin, end),
		cmocka_unit_test_setup_teardown(what_stays, begin, end),
		cmocka_unit_test_setup_teardown(unseen_questions, begin, end),
		cmocka_unit_test_setup_teardown(unseen_answers, begin, end),
		cmocka_unit_test_setup_teardown(unseen_audio, begin, end),
		cmocka_unit_test_setup_teardown(ends_in_order, begin, end),
		cmocka_unit_test_setup_teardown(told_to_nobody, begin, end),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
