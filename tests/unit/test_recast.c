/* SPDX-License-Identifier: MIT */
/* Who a capture is of, hidden: others of the same form, the same for the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "folder.h"
#include "rendered.h"

#include "base/mem.h"
#include "replay/recast.h"

static void becomes(struct anonyms *a, const char *text, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	anonymise(a, &out, text, strlen(text));
	assert_string_equal(buf_string(&out), expected);
}

static void hidden(const char *text, const char *expected)
{
	CLEANUP(anonyms_done) struct anonyms a = { .count = { 0 } };

	becomes(&a, text, expected);
}

static void test_macs(void **state)
{
	static const char *const rows[][2] = {
		{ "aa:bb:cc:dd:ee:ff", "02:00:00:00:00:01" },
		{ "x aa_bb_cc_dd_ee_ff\n", "x 02_00_00_00_00_01\n" },
		{ "<AA-BB-CC-DD-EE-FF>", "<02-00-00-00-00-01>" },
		/* one address in several ways, and a second one */
		{ "aa:bb:cc:dd:ee:ff AA_BB_CC_DD_EE_FF aa:bb:cc:dd:ee:00",
		  "02:00:00:00:00:01 02_00_00_00_00_01 02:00:00:00:00:02" },
		/* none of that form */
		{ "aa:bb:cc:dd:ee", "aa:bb:cc:dd:ee" },
		{ "aa:bb:cc:dd:ee:f", "aa:bb:cc:dd:ee:f" },
		{ "aa:bb:cc:dd:ee:fg", "aa:bb:cc:dd:ee:fg" },
		{ "aa:bb:cc:dd:ee:fff", "aa:bb:cc:dd:ee:fff" },
		{ "aa:bb-cc:dd:ee:ff", "aa:bb-cc:dd:ee:ff" },
		{ "aa.bb.cc.dd.ee.ff", "aa.bb.cc.dd.ee.ff" },
		{ "0aa:bb:cc:dd:ee:ff", "0aa:bb:cc:dd:ee:ff" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		hidden(rows[i][0], rows[i][1]);
}

/* The number of an address goes over all its bytes. */
static void test_many(void **state)
{
	CLEANUP(anonyms_done) struct anonyms a = { .count = { 0 } };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	for (unsigned i = 0; i < 257; i++) {
		CLEANUP(mem_free_ptr)
		char *mac =
			mem_printf("aa:bb:cc:dd:%02x:%02x", i >> 8, i & 255);

		anonymise(&a, &out, mac, strlen(mac));
	}
	becomes(&a, "aa:bb:cc:dd:00:fe", "02:00:00:00:00:ff");
	becomes(&a, "aa:bb:cc:dd:01:00", "02:00:00:00:01:01");
	becomes(&a, "aa:bb:cc:dd:ff:ff", "02:00:00:00:01:02");
}

#define UUID "0f8fad5b-d9cb-469f-a165-70867728950e"

static void test_uuids(void **state)
{
	static const char *const rows[][2] = {
		{ UUID " 0F8FAD5B-D9CB-469F-A165-70867728950E "
		       "1f8fad5b-d9cb-469f-a165-70867728950e",
		  "00000000-0000-4000-8000-000000000001 "
		  "00000000-0000-4000-8000-000000000001 "
		  "00000000-0000-4000-8000-000000000002" },
		/* each kind counts by itself */
		{ "aa:bb:cc:dd:ee:ff" UUID, "aa:bb:cc:dd:ee:ff" UUID },
		{ "aa:bb:cc:dd:ee:ff/" UUID,
		  "02:00:00:00:00:01/00000000-0000-4000-8000-000000000001" },
		{ UUID "0", UUID "0" },
		{ "0f8fad5b-d9cb-469f-a165_70867728950e",
		  "0f8fad5b-d9cb-469f-a165_70867728950e" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		hidden(rows[i][0], rows[i][1]);
}

static void test_sessions(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"session_id\":\"abc\",\"x\":\"abc\"}",
		  "{\"session_id\":\"session-1\",\"x\":\"abc\"}" },
		{ "{\"session_id\" :\r\n\t\"abc\"}{\"session_id\":\"Abc\"}",
		  "{\"session_id\" :\r\n\t\"session-1\"}"
		  "{\"session_id\":\"session-2\"}" },
		{ "{\"session_id\":\"\"}", "{\"session_id\":\"\"}" },
		/* a quote within it is not its end */
		{ "{\"session_id\":\"a\\\"bc\",\"x\":1}",
		  "{\"session_id\":\"session-1\",\"x\":1}" },
		{ "{\"session_id\":\"a\\\\\",\"x\":\"y\"}",
		  "{\"session_id\":\"session-1\",\"x\":\"y\"}" },
		{ "{\"session_id\":\"a\\\"", "{\"session_id\":\"a\\\"" },
		{ "{\"session_id\":null,\"a\":\"b\"}",
		  "{\"session_id\":null,\"a\":\"b\"}" },
		{ "{\"session_id\":\"cut", "{\"session_id\":\"cut" },
		{ "{\"session_id\"", "{\"session_id\"" },
		{ "{\"session_ids\":\"abc\"}", "{\"session_ids\":\"abc\"}" },
		/* one that is a UUID stays one */
		{ "{\"session_id\":\"" UUID "\"}",
		  "{\"session_id\":\"00000000-0000-4000-8000-000000000001\"}" },
		{ "Mcp-Session-Id:  abc\r\nX: abc",
		  "Mcp-Session-Id:  session-1\r\nX: abc" },
		{ "MCP-SESSION-ID: abc", "MCP-SESSION-ID: session-1" },
		{ "Mcp-Session-Id: " UUID "\r\n",
		  "Mcp-Session-Id: 00000000-0000-4000-8000-000000000001\r\n" },
		{ "GET /m?session_id=abc&x=1 HTTP/1.1",
		  "GET /m?session_id=session-1&x=1 HTTP/1.1" },
		{ "GET /m?sessionId=abc HTTP/1.1",
		  "GET /m?sessionId=session-1 HTTP/1.1" },
		{ "/m?session=abc#d /m?session=abd",
		  "/m?session=session-1#d /m?session=session-2" },
		{ "\"/m?sessionId=abc\"", "\"/m?sessionId=session-1\"" },
		/* JSON in a string, and in one within that: its end is its own */
		{ "{\"text\":\"{\\\"session_id\\\":\\\"abc\\\",\\\"x\\\":1}\"}",
		  "{\"text\":\"{\\\"session_id\\\":\\\"session-1\\\",\\\"x\\\":1}\"}" },
		{ "\\\\\\\"session_id\\\\\\\": \\\\\\\"abc\\\\\\\",\\\\\\\"x\\\\\\\"",
		  "\\\\\\\"session_id\\\\\\\": \\\\\\\"session-1\\\\\\\",\\\\\\\"x\\\\\\\"" },
		{ "\\\"session_id\\\":\\\"a\\\\\\\"bc\\\",\\\"x\\\"",
		  "\\\"session_id\\\":\\\"session-1\\\",\\\"x\\\"" },
		{ "\\\"session_id\\\":\"abc\"", "\\\"session_id\\\":\"abc\"" },
		{ "\"session_id\":\\\"abc\\\"", "\"session_id\":\\\"abc\\\"" },
		{ "{\"a\":\"{\\\"b\\\":\\\"/m?session_id=abc\\\"}\"}",
		  "{\"a\":\"{\\\"b\\\":\\\"/m?session_id=session-1\\\"}\"}" },
		{ "/m?session_id=abc\\u0026x=1",
		  "/m?session_id=session-1\\u0026x=1" },
		{ "/m?session_id=a\\/bc\\n", "/m?session_id=session-1\\n" },
		/* a head's line in a text */
		{ "{\"message\":\"bad Mcp-Session-Id: abc\",\"x\":1}",
		  "{\"message\":\"bad Mcp-Session-Id: session-1\",\"x\":1}" },
		{ "Mcp-Session-Id: abc is gone",
		  "Mcp-Session-Id: session-1 is gone" },
		{ "/m?session=", "/m?session=" },
		{ "/m?session=&a=b", "/m?session=&a=b" },
		{ "/m?sessions=abc", "/m?sessions=abc" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		hidden(rows[i][0], rows[i][1]);
}

/* What stands behind the text is not looked at. */
static void test_ends(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *expected;
	} rows[] = {
		{ "aa:bb:cc:dd:ee:ff", 16, "aa:bb:cc:dd:ee:f" },
		{ "aa:bb:cc:dd:ee:ffa", 17, "02:00:00:00:00:01" },
		{ UUID, 35, "0f8fad5b-d9cb-469f-a165-70867728950" },
		{ "\"session_id\":\"abc\"", 13, "\"session_id\":" },
		{ "\"session_id\":\"abc\"", 17, "\"session_id\":\"abc" },
		{ "\"session_id\":\"abc\"", 12, "\"session_id\"" },
		{ "session=ab", 9, "session=session-1" },
		{ "session=ab", 8, "session=" },
		{ "session=ab", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(anonyms_done) struct anonyms a = { .count = { 0 } };
		CLEANUP(buf_done) struct buf out = { 0 };

		anonymise(&a, &out, rows[i].text, rows[i].len);
		assert_string_equal(buf_string(&out), rows[i].expected);
	}
}

/* The same is the same in all of a capture. */
static void test_throughout(void **state)
{
	CLEANUP(anonyms_done) struct anonyms a = { .count = { 0 } };

	(void)state;
	becomes(&a, "aa:bb:cc:dd:ee:01", "02:00:00:00:00:01");
	becomes(&a, "{\"session_id\":\"s\"}", "{\"session_id\":\"session-1\"}");
	becomes(&a, "aa:bb:cc:dd:ee:02", "02:00:00:00:00:02");
	becomes(&a, "?session=s ", "?session=session-1 ");
	becomes(&a, "aa:bb:cc:dd:ee:01", "02:00:00:00:00:01");
}

/* What of a packet is text is hidden, too: here the topic of a SUBSCRIBE. */
static void test_packets(void **state)
{
	static const char capture[] =
		"{\"capture\":1,\"masked\":true}\n"
		"{\"n\":1,\"t\":0,\"c\":1,\"leg\":\"mqtt\",\"from\":\"device\","
		"\"kind\":\"packet\",\"size\":26,\"hex\":"
		"\"82180001001361615f62625f63635f64645f65655f66662f6100\"}\n";
	CLEANUP(mem_free_ptr)
	char *path = folder_write("packets", capture, sizeof(capture) - 1);
	struct rendered s;
	struct recast_order order = {
		.paths = &path, .count = 1, .anonymise = true, .out = &s.r
	};

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	assert_int_equal(recast(&order, NULL), 0);
	assert_non_null(strstr(
		rendered_out(&s),
		"\"hex\":\"82180001001330325f30305f30305f30305f30305f30312f6100\"}\n"));
	rendered_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_macs),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_uuids),
		cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_throughout),
		cmocka_unit_test(test_packets),
	};

	mem_init();
	return cmocka_run_group_tests_name("recast", tests, folder_make,
					   folder_remove);
}
