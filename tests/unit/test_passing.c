/* SPDX-License-Identifier: MIT */
/* A line of what passes between a device and its backend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "out/passing.h"

#define SPAN(text) ((struct span){ (text), strlen(text) })

static struct passing p;

static int start(void **state)
{
	(void)state;
	p = (struct passing){ .width = 60 };
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

static void shows(struct capture_event e, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	passing_line(&out, &p, &e);
	assert_string_equal(buf_string(&out), expected);
}

static struct capture_event text_of(int64_t at_us, enum event_from from,
				    const char *text)
{
	return (struct capture_event){ .at_us = at_us,
				       .conn = 1,
				       .kind = CAPTURED_TEXT,
				       .from = from,
				       .data = SPAN(text),
				       .size = strlen(text) };
}

static void test_text(void **state)
{
	struct capture_event e;

	(void)state;
	shows(text_of(1412000, FROM_BACKEND,
		      "{\"id\":3,\"method\":\"tools/list\"}"),
	      "+1.412       #1       < tools/list #3\n");
	/* How long it took stands at the edge. */
	shows(text_of(1442000, FROM_DEVICE,
		      "{\"id\":3,\"result\":{\"tools\":[]}}"),
	      "+1.442       #1       > tools/list #3 0 tools, 30 B    30 ms\n");
	shows(text_of(1442000, FROM_DEVICE, "nothing \x1b of \\ JSON"),
	      "+1.442       #1       > 19 B nothing \\x1b of \\ JSON\n");
	shows(text_of(0, FROM_NOBODY, ""), "+0.000       #1         0 B\n");
	e = text_of(0, FROM_DEVICE, "\xff\xfe");
	e.bytes = true;
	e.size = 1234;
	shows(e, "+0.000       #1       > no UTF-8, 1,234 B\n");
	e = text_of(0, FROM_DEVICE, "{\"id\":3,\"result\":1}");
	e.cut = true;
	e.size = 70000;
	shows(e,
	      "+0.000       #1       > large, 70,000 B {\"id\":3,\"result\":1}\n");
	/* Secrets are not told. */
	shows(text_of(0, FROM_DEVICE, "{\"type\":\"x\",\"token\":\"hush\"}"),
	      "+0.000       #1       > x {\"token\":\"***\"}\n");
}

/* Of several connections at once: who asked is told apart. */
static void test_answers_by_connection(void **state)
{
	struct capture_event e =
		text_of(5000, FROM_DEVICE, "{\"id\":1,\"result\":7}");

	(void)state;
	shows(text_of(0, FROM_BACKEND, "{\"id\":1,\"method\":\"ping\"}"),
	      "+0.000       #1       < ping #1\n");
	e.conn = 2;
	shows(e, "+0.005       #2       > result #1 7\n");
	e.conn = 1;
	shows(e,
	      "+0.005       #1       > ping #1 7                       5 ms\n");
}

static void test_clock_and_names(void **state)
{
	struct capture_event e =
		text_of(1412000, FROM_DEVICE, "{\"type\":\"abort\"}");

	(void)state;
	/* 2026-08-08T12:01:02.123Z */
	p.began_ms = INT64_C(1786190462123);
	shows(e, "12:01:03.535 #1       > abort\n");
	e.device = "aa:bb:01\x1b";
	shows(e, "12:01:03.535 aa:bb:01\\x1b > abort\n");
	/* Columns stay, though the name is shorter. */
	e.device = "k";
	shows(e, "12:01:03.535 k            > abort\n");
	e.device = "a-name-that-is-far-too-long";
	shows(e, "12:01:03.535 a-name-that-is-far-… > abort\n");
	e.device = NULL;
	e.conn = 0;
	shows(e, "12:01:03.535                      > abort\n");
}

static void test_width(void **state)
{
	const struct capture_event e = text_of(
		0, FROM_DEVICE,
		"{\"type\":\"x\",\"a\":\"0123456789012345678901234567890123456789\"}");
	const struct capture_event ask =
		text_of(0, FROM_BACKEND, "{\"id\":1,\"method\":\"m\"}");
	const struct capture_event answer = text_of(
		9000, FROM_DEVICE,
		"{\"id\":1,\"result\":\"0123456789012345678901234567890123456789\"}");

	(void)state;
	shows(e,
	      "+0.000       #1       > x {\"a\":\"012345678901234567890123456…\n");
	shows(ask, "+0.000       #1       < m #1\n");
	shows(answer,
	      "+0.009       #1       > m #1 \"01234567890123456789012…  9 ms\n");
	/* Some words are seen on any terminal. */
	p.width = 30;
	shows(e, "+0.000       #1       > x {\"a\":\"01234567890…\n");
	p.width = 0;
	shows(e,
	      "+0.000       #1       > x {\"a\":\"0123456789012345678901234567890123456789\"}\n");
	shows(ask, "+0.000       #1       < m #1\n");
	shows(answer,
	      "+0.009       #1       > m #1 \"0123456789012345678901234567890123456789\"     9 ms\n");
	/* Nor at the 80 columns that are taken where there is no terminal. */
	shows(text_of(0, FROM_DEVICE,
		      "{\"type\":\"x\",\"a\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}"),
	      "+0.000       #1       > x {\"a\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}\n");
	p.width = 60;
	p.detail = 1;
	shows(e,
	      "+0.000       #1       > x {\"a\":\"0123456789012345678901234567890123456789\"}\n");
}

static void test_http(void **state)
{
	struct capture_event ask = {
		.at_us = 1000,
		.conn = 4,
		.kind = CAPTURED_REQUEST,
		.from = FROM_DEVICE,
		.head = SPAN("POST /ota/ HTTP/1.1\r\nHost: x\r\n"),
		.size = 1204
	};
	struct capture_event answer = { .at_us = 8000,
					.conn = 4,
					.kind = CAPTURED_RESPONSE,
					.from = FROM_BACKEND,
					.status = 200 };

	(void)state;
	shows(ask, "+0.001       #4       > POST /ota/ HTTP/1.1 1,204 B\n");
	shows(answer,
	      "+0.008       #4       < 200                             7 ms\n");
	/* It was answered. */
	answer.status = 0;
	answer.size = 5;
	answer.passed = SPAN("{}");
	shows(answer,
	      "+0.008       #4       < response 5 B, passed on with changes\n");
	ask.head = (struct span){ 0 };
	ask.size = 0;
	shows(ask, "+0.001       #4       > request\n");
	/* One that is not shown is answered all the same. */
	ask.at_us = 3000;
	passing_unseen(&p, &ask);
	answer = (struct capture_event){ .at_us = 5000,
					 .conn = 4,
					 .kind = CAPTURED_RESPONSE,
					 .from = FROM_BACKEND,
					 .status = 404 };
	shows(answer,
	      "+0.005       #4       < 404                             2 ms\n");
}

static void answered(struct capture_event ask, const char *expected)
{
	passing_unseen(&p, &ask);
	shows(text_of(7000, FROM_DEVICE, "{\"id\":5,\"result\":1}"), expected);
}

static void test_unseen_questions(void **state)
{
	struct capture_event e =
		text_of(0, FROM_BACKEND, "{\"id\":5,\"method\":\"ping\"}");

	(void)state;
	answered(
		e,
		"+0.007       #1       > ping #5 1                       7 ms\n");
	answered(
		text_of(2000, FROM_BACKEND,
			"{\"type\":\"mcp\",\"payload\":{\"id\":5,\"method\":\"m\"}}"),
		"+0.007       #1       > m #5 1                          5 ms\n");
	/* None of these asks. */
	e.bytes = true;
	answered(e, "+0.007       #1       > result #5 1\n");
	e.bytes = false;
	e.cut = true;
	answered(e, "+0.007       #1       > result #5 1\n");
	e.cut = false;
	e.kind = CAPTURED_LINE;
	answered(e, "+0.007       #1       > result #5 1\n");
	answered(text_of(0, FROM_BACKEND, "{\"id\":5,\"method\":\"ping\""),
		 "+0.007       #1       > result #5 1\n");
	answered(text_of(0, FROM_BACKEND, "{\"id\":5,\"method\":7}"),
		 "+0.007       #1       > result #5 1\n");
	answered(text_of(0, FROM_BACKEND,
			 "{\"id\":5,\"payload\":{\"method\":\"m\"}}"),
		 "+0.007       #1       > result #5 1\n");
}

static void test_beginning_and_end(void **state)
{
	struct capture_event e = { .conn = 1,
				   .leg = LEG_WS,
				   .kind = CAPTURED_OPEN,
				   .from = FROM_DEVICE,
				   .head = SPAN(
					   "GET /v1/ HTTP/1.1\r\nA: b\r\n") };
	static const char *const ends[] = {
		[ENDED_OTHER] = "+0.000       #1       < ended\n",
		[ENDED_FIN] = "+0.000       #1       < ended by a TCP end\n",
		[ENDED_RST] = "+0.000       #1       < ended by a TCP reset\n",
		[ENDED_TIMEOUT] = "+0.000       #1       < ended by silence\n",
		[ENDED_CLOSE] = "+0.000       #1       < ended by Close\n",
	};

	(void)state;
	shows(e, "+0.000       #1       > ws begins GET /v1/ HTTP/1.1\n");
	e.leg = LEG_STDIO;
	e.head = (struct span){ 0 };
	e.data = SPAN("pid 7");
	shows(e, "+0.000       #1       > stdio begins pid 7\n");
	e.bytes = true;
	shows(e, "+0.000       #1       > stdio begins\n");
	e = (struct capture_event){ .conn = 1,
				    .leg = LEG_WS,
				    .kind = CAPTURED_END,
				    .from = FROM_BACKEND };
	for (int i = ENDED_OTHER; i <= ENDED_CLOSE; i++) {
		e.how = (enum event_end)i;
		shows(e, ends[i]);
	}
	e.code = 1001;
	e.data = SPAN("going away");
	shows(e, "+0.000       #1       < ended by Close 1001: going away\n");
	e.bytes = true;
	shows(e, "+0.000       #1       < ended by Close 1001\n");
	e.bytes = false;
	e.data = SPAN("");
	shows(e, "+0.000       #1       < ended by Close 1001\n");
	e = (struct capture_event){ .conn = 1,
				    .leg = LEG_STDIO,
				    .kind = CAPTURED_END,
				    .how = ENDED_FIN };
	shows(e, "+0.000       #1         ended by the end of its output\n");
	e.how = ENDED_OTHER;
	shows(e, "+0.000       #1         ended\n");
}

static void test_other_events(void **state)
{
	struct capture_event e = { .conn = 1, .kind = CAPTURED_DEVICE };

	(void)state;
	/* Its name is in each line: it is news only with what it is. */
	shows(e, "");
	e.version = "2.4.2";
	shows(e, "+0.000       #1         is a device 2.4.2\n");
	e.device = "aa:01";
	e.board = "esp-box";
	shows(e, "+0.000       aa:01      is aa:01, esp-box 2.4.2\n");
	e = (struct capture_event){ .kind = CAPTURED_LOST, .count = 1 };
	shows(e,
	      "+0.000                  1 event missing here: not recorded\n");
	e = (struct capture_event){ .kind = CAPTURED_LINE,
				    .leg = LEG_SERIAL,
				    .data = SPAN("I (3) boot: x") };
	shows(e, "+0.000                  serial  I (3) boot: x\n");
	e.leg = LEG_WS;
	shows(e, "+0.000                  I (3) boot: x\n");
	e = (struct capture_event){ .kind = CAPTURED_OTHER };
	p.detail = 2;
	shows(e, "");
}

/* -v tells what is counted, too. */
static void test_detail(void **state)
{
	static const enum capture_kind kinds[] = { CAPTURED_BINARY,
						   CAPTURED_PING, CAPTURED_PONG,
						   CAPTURED_PACKET };
	struct capture_event e = {
		.conn = 1, .from = FROM_DEVICE, .size = 1204, .topic = "a/b"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		e.kind = kinds[i];
		shows(e, "");
	}
	p.detail = 1;
	e.kind = CAPTURED_BINARY;
	shows(e, "+0.000       #1       > ws binary 1,204 B a/b\n");
	e.kind = CAPTURED_PACKET;
	e.leg = LEG_UDP;
	e.topic = NULL;
	shows(e, "+0.000       #1       > udp packet 1,204 B\n");
	e.kind = CAPTURED_PONG;
	e.size = 0;
	shows(e, "+0.000       #1       > udp pong 0 B\n");
	e = (struct capture_event){ .conn = 1, .kind = CAPTURED_DEVICE };
	shows(e, "+0.000       #1         is a device\n");
}

/* -vv: as it was, below it; what the line has whole is not said twice. */
static void test_bytes(void **state)
{
	static const enum capture_kind whole[] = { CAPTURED_LINE, CAPTURED_OPEN,
						   CAPTURED_END,
						   CAPTURED_NOTICE };
	struct capture_event e =
		text_of(0, FROM_DEVICE, "{ \"type\":\"x\",\n\"token\":\"a\"}");

	(void)state;
	p.detail = 2;
	shows(e, "+0.000       #1       > x {\"token\":\"***\"}\n"
		 "    { \"type\":\"x\",\\n\"token\":\"***\"}\n");
	e.kind = CAPTURED_BINARY;
	e.data = (struct span){ "\x00\x7f\xff", 3 };
	e.bytes = true;
	e.size = 3;
	shows(e, "+0.000       #1       > ws binary 3 B\n    007fff\n");
	e.data.len = 0;
	shows(e, "+0.000       #1       > ws binary 3 B\n");
	for (size_t i = 0; i < COUNT(whole); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };
		const struct capture_event w = { .kind = whole[i],
						 .data = SPAN("all of it") };

		passing_line(&out, &p, &w);
		assert_ptr_equal(strchr(buf_string(&out), '\n'),
				 out.data + out.len - 1);
	}
}

/* What we say ourselves is wrapped, not cut. */
static void test_notice(void **state)
{
	const struct capture_event e = {
		.conn = 1,
		.kind = CAPTURED_NOTICE,
		.data = SPAN(
			"closed by us, since the other side is gone; token=hush")
	};

	(void)state;
	shows(e, "+0.000       #1         closed by us, since the other side\n"
		 "                          is gone; token=***\n");
}

static void test_findings(void **state)
{
	struct capture_event e = {
		.kind = CAPTURED_FINDING,
		.data = SPAN(
			"{\"code\":\"B214\",\"severity\":\"warning\",\"title\":\"used again\",\"detail\":\"id 1 was\\n initialize, token=hush\"}")
	};

	(void)state;
	shows(e, "                        ! B214 warning  used again: id 1\n"
		 "                          was\\n initialize, token=***\n");
	e.data = SPAN(
		"{\"code\":\"D1\",\"severity\":\"note\",\"title\":\"t\",\"detail\":\"\"}");
	shows(e, "                        ! D1 note  t\n");
	e.data = SPAN("{}");
	shows(e,
	      "                        ! ? ?  a finding that cannot be read\n");
	e.data = (struct span){ 0 };
	shows(e,
	      "                        ! ? ?  a finding that cannot be read\n");
}

static void test_colors(void **state)
{
	struct capture_event e =
		text_of(0, FROM_DEVICE, "{\"id\":1,\"result\":1}");

	(void)state;
	p.color = true;
	shows(e, "\033[2m+0.000      \033[0m #1       > result #1 1\n");
	shows(text_of(0, FROM_BACKEND, "{\"id\":1,\"method\":\"m\"}"),
	      "\033[2m+0.000      \033[0m #1       < m #1\n");
	shows(e, "\033[2m+0.000      \033[0m #1       > "
		 "m #1 1                       \033[2m0.00 ms\033[0m\n");
	e = (struct capture_event){ .kind = CAPTURED_LOST, .count = 2 };
	shows(e, "\033[2m+0.000      \033[0m            "
		 "\033[33m2 events missing here: not recorded\033[0m\n");
	e = (struct capture_event){ .conn = 1, .kind = CAPTURED_END };
	shows(e, "\033[2m+0.000      \033[0m #1         "
		 "\033[2mended\033[0m\n");
	e = (struct capture_event){ .conn = 1,
				    .kind = CAPTURED_DEVICE,
				    .board = "b" };
	shows(e, "\033[2m+0.000      \033[0m #1         "
		 "\033[2mis a device, b\033[0m\n");
	p.detail = 1;
	e = (struct capture_event){ .conn = 1, .kind = CAPTURED_PING };
	shows(e, "\033[2m+0.000      \033[0m #1         "
		 "\033[2mws ping 0 B\033[0m\n");
	p.detail = 0;
	e = (struct capture_event){ .conn = 1, .kind = CAPTURED_OPEN };
	shows(e, "\033[2m+0.000      \033[0m #1         "
		 "\033[2mws begins\033[0m\n");
	e = (struct capture_event){ .kind = CAPTURED_FINDING };
	e.data = SPAN(
		"{\"code\":\"D1\",\"severity\":\"error\",\"title\":\"t\"}");
	shows(e, "                        "
		 "\033[1;31m! D1 error  t\033[0m\n");
	e.data = SPAN(
		"{\"code\":\"D1\",\"severity\":\"warning\",\"title\":\"t\"}");
	shows(e, "                        "
		 "\033[33m! D1 warning  t\033[0m\n");
	e.data =
		SPAN("{\"code\":\"D1\",\"severity\":\"note\",\"title\":\"t\"}");
	shows(e, "                        "
		 "\033[2m! D1 note  t\033[0m\n");
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text),
		TEST(test_answers_by_connection),
		TEST(test_clock_and_names),
		TEST(test_width),
		TEST(test_http),
		TEST(test_unseen_questions),
		TEST(test_beginning_and_end),
		TEST(test_other_events),
		TEST(test_detail),
		TEST(test_bytes),
		TEST(test_notice),
		TEST(test_findings),
		TEST(test_colors),
	};

	return cmocka_run_group_tests_name("passing", tests, NULL, NULL);
}
