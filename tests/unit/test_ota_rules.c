/* SPDX-License-Identifier: MIT */
/* Answers to the OTA question: each fault by its code, good ones silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "diag/ota_rules.h"

/* A body, with its length told, that was answered with 200. */
struct case_of {
	const char *codes;
	const char *body;
	const char *at; /* the bytes that prove the first; NULL: all, or none */
	const char *words; /* in its detail; NULL: any */
};

static void codes_of(const struct diag *d, struct buf *out)
{
	for (size_t i = 0; i < d->count; i++)
		buf_printf(out, "%s%s", i > 0 ? " " : "",
			   finding_row(d->item[i].code)->code);
}

static void expect(const struct diag *d, const char *codes, const char *what)
{
	struct buf found = { 0 };

	codes_of(d, &found);
	if (strcmp(buf_string(&found), codes) != 0)
		fail_msg("'%s' instead of '%s' of: %s (%s)", buf_string(&found),
			 codes, what, d->count > 0 ? d->item[0].detail : "");
	buf_done(&found);
}

static void expect_first(const struct diag *d, const char *at,
			 const char *words, const char *what)
{
	const struct finding *f = d->item;

	if (!d->count)
		return;
	assert_true(f->proof.leg == LEG_OTA);
	assert_false(f->proof.from_device);
	assert_int_equal(f->proof.n, 1);
	if (words && !strstr(f->detail, words))
		fail_msg("'%s' is not in '%s' of: %s", words, f->detail, what);
	if (strlen(f->detail) > 110)
		fail_msg("%zu bytes: %s", strlen(f->detail), f->detail);
	if (!at && f->proof.len)
		fail_msg("'%.*s' proves it of: %s", (int)f->proof.len,
			 f->proof.text + f->proof.off, what);
	if (at && (f->proof.len != strlen(at) ||
		   memcmp(f->proof.text + f->proof.off, at, strlen(at)) != 0))
		fail_msg("'%.*s' instead of '%s' proves it of: %s",
			 (int)f->proof.len, f->proof.text + f->proof.off, at,
			 what);
}

static void judge(const struct ota_answer *a, const char *codes, const char *at,
		  const char *words)
{
	const char *what = a->body ? a->body : a->location;
	struct diag d = { 0 };

	diag_ota(&d, a);
	expect(&d, codes, what);
	expect_first(&d, at, words, what);
	diag_done(&d);
}

static struct ota_answer answer_of(const char *body)
{
	return (struct ota_answer){ .status = 200,
				    .content_type = "application/json",
				    .has_length = true,
				    .length = (int64_t)strlen(body),
				    .body = body,
				    .len = strlen(body),
				    .from = { .board = "192.168.1.40" },
				    .board_version = "2.4.2" };
}

static void judge_cases(const struct case_of *c, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ota_answer a = answer_of(c[i].body);

		judge(&a, c[i].codes, c[i].at, c[i].words);
	}
}

#define JSON(...) #__VA_ARGS__
#define WS \
	"\"websocket\":{\"url\":\"ws://192.168.1.2:8000/xiaozhi/v1/\",\"token\":\"\"}"
#define MQTT \
	"\"mqtt\":{\"endpoint\":\"192.168.1.2:1883\",\"publish_topic\":\"device-server\"}"
#define URL(url) "{\"websocket\":{\"url\":\"" url "\",\"token\":\"\"}}"
#define ENDPOINT(e) \
	"{\"mqtt\":{\"endpoint\":\"" e "\",\"publish_topic\":\"x\"}}"
#define FIRMWARE(...) "{\"firmware\":{" #__VA_ARGS__ "}," WS "}"

/* clang-format off */
/* As backends.md 2 has them, and what mcpctl itself answers. */
static const struct case_of good[] = {
	/* Python server: WebSocket; MQTT */
	{ "", "{\"server_time\":{\"timestamp\":1760000000000,\"timezone_offset\":480},\"firmware\":{\"version\":\"2.4.2\",\"url\":\"\"},\"websocket\":{\"url\":\"ws://192.168.1.2:8000/xiaozhi/v1/\",\"token\":\"abc.1760000000\"}}", NULL, NULL },
	{ "", "{\"server_time\":{\"timestamp\":1760000000000,\"timezone_offset\":480},\"firmware\":{\"version\":\"2.4.2\",\"url\":\"\"},\"mqtt\":{\"endpoint\":\"192.168.1.2:1883\",\"client_id\":\"GID_default@@@aa_bb_cc_dd_ee_ff@@@aa_bb_cc_dd_ee_ff\",\"username\":\"eyJpcCI6ICJ1bmtub3duIn0=\",\"password\":\"cGFzc3dvcmQ=\",\"publish_topic\":\"device-server\",\"subscribe_topic\":\"devices/p2p/aa_bb_cc_dd_ee_ff\"}}", NULL, NULL },
	/* manager-api: bound, one way; both ways; unbound */
	{ "", "{\"server_time\":{\"timestamp\":1760000000000,\"timeZone\":\"Asia/Shanghai\",\"timezone_offset\":480},\"activation\":null,\"error\":null,\"firmware\":{\"version\":\"2.4.2\",\"url\":\"http://192.168.1.2:8002/xiaozhi/otaMag/download/NOT_ACTIVATED_FIRMWARE_THIS_IS_A_INVALID_URL\"},\"websocket\":{\"url\":\"ws://192.168.1.2:8000/xiaozhi/v1/\",\"token\":\"abc.1760000000\"},\"mqtt\":null}", NULL, NULL },
	{ "O319", "{\"firmware\":{\"version\":\"2.4.2\",\"url\":\"\"},\"websocket\":{\"url\":\"ws://192.168.1.2:8000/xiaozhi/v1/\",\"token\":\"\"}," MQTT "}", JSON({"url":"ws://192.168.1.2:8000/xiaozhi/v1/","token":""}), "broker" },
	{ "O315", "{\"activation\":{\"code\":\"123456\",\"message\":\"http://192.168.1.2\\n123456\",\"challenge\":\"aa:bb:cc:dd:ee:ff\"}," WS "}", JSON({"code":"123456","message":"http://192.168.1.2\n123456","challenge":"aa:bb:cc:dd:ee:ff"}), "code 123456: 10 tries, 3 s" },
	/* Java server: unbound, no address at all */
	{ "O315", "{\"activation\":{\"code\":\"654321\",\"message\":\"654321\",\"challenge\":\"x\"},\"firmware\":{\"version\":\"2.4.2\",\"url\":\"\"}}", JSON({"code":"654321","message":"654321","challenge":"x"}), "654321" },
	/* AnimeAIChat's Go server: no token */
	{ "O318", "{\"websocket\":{\"url\":\"ws://192.168.1.2:8000\"}}", JSON({"url":"ws://192.168.1.2:8000"}), NULL },
	/* hackers365's: an old version, never newer */
	{ "", "{\"firmware\":{\"version\":\"0.9.9\",\"url\":\"http://h/f.bin\"},\"websocket\":{\"url\":\"ws://192.168.1.2:8989/xiaozhi/v1/\",\"token\":\"t\"}}", NULL, NULL },
	/* xiaozhi-client: token "", version 2 */
	{ "", "{\"websocket\":{\"url\":\"ws://192.168.1.2:8080\",\"token\":\"\",\"version\":2}}", NULL, NULL },
	/* the official cloud */
	{ "", "{\"mqtt\":{\"endpoint\":\"mqtt.xiaozhi.me\",\"client_id\":\"GID_test@@@aa\",\"username\":\"u\",\"password\":\"p\",\"publish_topic\":\"device-server\",\"subscribe_topic\":\"null\"},\"firmware\":{\"version\":\"2.4.2-x\",\"url\":\"\"}}", NULL, NULL },
	/* sections without case, text behind the object: as firmware reads it */
	{ "", "{\"WebSocket\":{\"url\":\"ws://h:1/\",\"token\":\"\"}}trailing", NULL, NULL },
	/* an empty activation holds nobody */
	{ "", "{\"activation\":{}," WS "}", NULL, NULL },
	{ "", "{\"firmware\":{\"version\":\"\",\"url\":\"\"}," WS "}", NULL, NULL },
	/* a token that is a number is stored as one; the first and the last time */
	{ "", "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":5}}", NULL, NULL },
	{ "", "{\"server_time\":{\"timestamp\":1577836800000}," WS "}", NULL, NULL },
	{ "", "{\"server_time\":{\"timestamp\":4102444800000}," WS "}", NULL, NULL },
	{ "", URL("ws://h:81/a:b?c=d"), NULL, NULL },
	{ "", "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":\"\",\"a_long_name_that_is_skipped\":true}}", NULL, NULL },
};

static const struct case_of bad[] = {
	{ "O301", "{\"mqtt\":{}," WS "}", "{}", "mqtt is {} and hides websocket" },
	{ "O301", "{\"mqtt\":{}}", "{}", "mqtt is {}" },
	{ "O301", "{ \"mqtt\" : {\"endpoint\":null} , " WS "}", "{\"endpoint\":null}", "mqtt has no endpoint and hides" },
	{ "O301", "{}", NULL, "neither mqtt nor websocket" },
	{ "O301", "{\"mqtt\":null,\"websocket\":null,\"activation\":{}}", NULL, "neither" },
	{ "O302", ENDPOINT("mqtt://192.168.1.2:1883"), "\"mqtt://192.168.1.2:1883\"", "restarts" },
	{ "O302", ENDPOINT("h:"), "\"h:\"", "restarts" },
	{ "O302", ENDPOINT(""), "\"\"", "no host" },
	{ "O302", ENDPOINT("h:70000"), "\"h:70000\"", "1 to 65535" },
	{ "O302", "{\"mqtt\":{\"endpoint\":1883,\"publish_topic\":\"x\"}}", "1883", "number" },
	{ "O303", "{\"mqtt\":{\"endpoint\":\"h\"}}", "{\"endpoint\":\"h\"}", "unless it has one stored" },
	{ "O303", "{\"mqtt\":{\"endpoint\":\"h\",\"publish_topic\":\"\"}}", "\"\"", "empty" },
	{ "O303", "{\"mqtt\":{\"endpoint\":\"h\",\"publish_topic\":null}}", "null", "no text" },
	{ "O304", "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":\"\",\"version\":\"2\"}}", "\"2\"", "read as 0" },
	{ "O305", "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":\"\",\"reconnect_timeout\" : 5}}", "reconnect_timeout", "'reconnect_timeout' in websocket has 17" },
	{ "O305", "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":\"\",\"reconnect\\u005ftimeout\":5}}", "5", "'reconnect_timeout'" },
	{ "O305 O319", "{" WS ",\"mqtt\":{\"endpoint\":\"h\",\"publish_topic\":\"x\",\"sixteen_letters_\":\"\"}}", "sixteen_letters_", "in mqtt has 16" },
	{ "O307", FIRMWARE("version":"v2.4.2","url":""), "\"v2.4.2\"", "restarts" },
	{ "O307", FIRMWARE("version":"2..1","url":"u"), "\"2..1\"", NULL },
	{ "", FIRMWARE("version":"v2.4.2"), NULL, NULL },
	{ "O309", URL("ws://h:8000:8015/"), "\"ws://h:8000:8015/\"", "of the port '8000:8015' the board reads 8000" },
	{ "O309", URL("ws://192.168.1:4:8015"), "\"ws://192.168.1:4:8015\"", "reads 4" },
	{ "O309", URL("ws://h/a:b"), "\"ws://h/a:b\"", "'b' is no number" },
	{ "O309", URL("ws://[::1]:80/"), "\"ws://[::1]:80/\"", "restarts" },
	{ "O309", URL("ws://h:1?x=1"), "\"ws://h:1?x=1\"", "query" },
	{ "O309", URL("ws://h:0/"), "\"ws://h:0/\"", "1 to 65535" },
	{ "O309", URL("192.168.1.2:8000"), "\"192.168.1.2:8000\"", "is no ws://" },
	{ "O309", URL(""), "\"\"", "is no ws://" },
	{ "O309", URL("ws:///x"), "\"ws:///x\"", "no host" },
	{ "O309", URL("ws://h/ "), "\"ws://h/ \"", "blank" },
	/* cut between characters: nobody filled these in */
	{ "O309", URL("ws://h:p12345678901234567890123456789012345678图/"), "\"ws://h:p12345678901234567890123456789012345678图/\"", "'p12345678901234567890123456789012345678' is no number" },
	{ "O309", URL("p1234567890123456789012345678901234567890123456789012345678图"), "\"p1234567890123456789012345678901234567890123456789012345678图\"", "\"p1234567890123456789012345678901234567890123456789012345678\" is no ws://" },
	{ "O302", ENDPOINT("h:p1234567890123456789012345678901234567890图"), "\"h:p1234567890123456789012345678901234567890图\"", "\"h:p1234567890123456789012345678901234567890\": the board" },
	{ "O309", "{\"websocket\":{\"url\":8000}}", "8000", "number" },
	{ "O310", URL("ws://127.0.0.1:8000/"), "\"ws://127.0.0.1:8000/\"", "the board itself" },
	{ "O310", URL("ws://0.0.0.0:8000/"), "\"ws://0.0.0.0:8000/\"", "is none" },
	{ "O310", URL("ws://localhost:8000/"), "\"ws://localhost:8000/\"", "the board itself" },
	{ "O310", URL("ws://169.254.7.1:8000/"), "\"ws://169.254.7.1:8000/\"", "link-local" },
	{ "O310", URL("ws://255.255.255.255:8000/"), "\"ws://255.255.255.255:8000/\"", "no address of one host" },
	{ "O310", URL("ws://host.docker.internal:8000/"), "\"ws://host.docker.internal:8000/\"", "containers" },
	{ "O310", ENDPOINT("127.0.0.1:1883"), "\"127.0.0.1:1883\"", "mqtt.endpoint 127.0.0.1" },
	{ "O309 O310", URL("ws://127.0.0.1:80x/"), "\"ws://127.0.0.1:80x/\"", "reads 80" },
	{ "O320", URL("ws://172.17.0.2:8000/"), "\"ws://172.17.0.2:8000/\"", "the board is at 192.168.1.40" },
	{ "O312", "{\"error\":\"Invalid device ID\"}", "\"Invalid device ID\"", "Invalid device ID" },
	{ "O312", "{\"success\":false,\"message\":\"request error.\"}", "false", "request error." },
	{ "", "{\"success\":false,\"error\":\"x\"," WS "}", NULL, NULL },
	{ "O312", "{\"code\":500,\"msg\":\"no such device\"}", "500", "no such device" },
	{ "", "{\"code\":500,\"msg\":\"x\"," WS "}", NULL, NULL },
	{ "O301", "{\"code\":0,\"msg\":\"\"}", NULL, "neither mqtt nor websocket" },
	{ "O301", "{\"code\":200,\"data\":{" WS "}}", "{" WS "}", "stand in 'data'" },
	{ "O313", "<!DOCTYPE html><html><head><title>404 Console</title></head></html>", NULL, "Console" },
	{ "O313", " <HTML></HTML>", NULL, "no title" },
	{ "O315", "{\"activation\":{\"code\":\"1\"}," WS "}", "{\"code\":\"1\"}", "nothing is posted" },
	{ "O315", "{\"activation\":{\"challenge\":\"x\"}," WS "}", "{\"challenge\":\"x\"}", "a challenge: 10 tries" },
	{ "O316", "{\"websocket\":{}}", "{}", NULL },
	{ "O316", "{\"websocket\":{\"token\":\"\",\"URL\":\"ws://h:1/\"}}", "URL", "'URL' is not read" },
	{ "O316", "{\"websocket\":{\"url\":null}}", "{\"url\":null}", "no text" },
	{ "O317", FIRMWARE("version":"2.4.3","url":"http://h/f.bin"), "\"2.4.3\"", "the board has 2.4.2" },
	{ "O317", FIRMWARE("version":"2.4.2.1","url":"u"), "\"2.4.2.1\"", NULL },
	{ "O317", FIRMWARE("version":"1.0.0","url":"u","force":1), "1", "force" },
	{ "", FIRMWARE("version":"2.4.1","url":"u","force":true), NULL, NULL },
	{ "O317", FIRMWARE("version":"2.10.0","url":""), "\"2.10.0\"", "the board has 2.4.2" },
	{ "O318", "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":null}}", "{\"url\":\"ws://h:1/\",\"token\":null}", "no text" },
	{ "O321", "Server is running\n", NULL, "it says: Server is running" },
	{ "O321", "{\"websocket\":,}", ",}", "from byte 13" },
	{ "O321", "[]", NULL, "no object" },
	{ "O322", "{\"server_time\":{\"timestamp\":1760000000,\"timezone_offset\":480}," WS "}", "1760000000", "in seconds" },
	{ "O322", "{\"server_time\":{\"timestamp\":1760000000000000}," WS "}", "1760000000000000", "after 2100" },
	{ "O322", "{\"server_time\":{\"timestamp\":0}," WS "}", "0", "before 2020" },
	{ "O322", "{\"server_time\":{\"timestamp\":\"2026-11-26\"}," WS "}", "\"2026-11-26\"", "no number" },
	{ "O322", "{\"server_time\":\"now\"," WS "}", "\"now\"", "no object" },
	{ "", "{\"server_time\":{\"timezone_offset\":480}," WS "}", NULL, NULL },
	{ "", "{\"server_time\":null," WS "}", NULL, NULL },
	{ "O321", "   ", NULL, "empty" },
	{ "O301", "{\"error\":null}", NULL, "neither" },
	{ "O301", "{\"error\":false}", NULL, "neither" },
	{ "O301", "{\"a\":7,\"data\":{\"url\":\"x\"}}", NULL, "neither" },
	{ "O301", "{\"data\":{" MQTT "}}", "{" MQTT "}", "stand in 'data'" },
	{ "O312", "{\"error\":{}}", "{}", NULL },
	{ "O312", "{\"success\":false}", "false", "it says no more" },
	{ "O316", "{\"websocket\":{\"uri\":\"ws://h:1/\"}}", "uri", "'uri' is not read" },
	{ "O316", "{\"websocket\":{\"URL\":7}}", "{\"URL\":7}", NULL },
	{ "O316", "{\"websocket\":{\"name\":\"ws://h:1/\"}}", "{\"name\":\"ws://h:1/\"}", NULL },
	{ "O304 O318", "{\"websocket\":{\"url\":\"ws://h:1/\",\"version\":\"2\"}}", "\"2\"", NULL },
	{ "O318", "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":true}}", "{\"url\":\"ws://h:1/\",\"token\":true}", "no text" },
	{ "O321", "{\"websocket\":", NULL, "it is no JSON from byte 13 on" },
	{ "O322", "{\"server_time\":{\"timestamp\":1577836799999}," WS "}", "1577836799999", "timestamp 1577836799999 ms: before 2020" },
	{ "O322", "{\"server_time\":{\"timestamp\":4102444800001}," WS "}", "4102444800001", "4102444800001 ms: after 2100" },
	{ "O322", "{\"server_time\":{\"timestamp\":1577836800}," WS "}", "1577836800", "1577836800: that is in seconds" },
	{ "O322", "{\"server_time\":{\"timestamp\":4102444800}," WS "}", "4102444800", "4102444800: that is in seconds" },
	{ "O322", "{\"server_time\":{\"timestamp\":1577836799}," WS "}", "1577836799", "1577836799 ms: before 2020" },
	{ "O322", "{\"server_time\":{\"timestamp\":4102444801}," WS "}", "4102444801", "4102444801 ms: before 2020" },
};
/* clang-format on */

static void good_ones(void **state)
{
	(void)state;
	judge_cases(good, COUNT(good));
}

static void bad_ones(void **state)
{
	(void)state;
	judge_cases(bad, COUNT(bad));
}

/* What is wrong with the answer of HTTP. */
static void heads(void **state)
{
	struct ota_answer a = answer_of("{" WS "}");

	(void)state;
	a.has_length = false;
	judge(&a, "O314", NULL, "30 s at most");
	a.closed_at_once = true;
	judge(&a, "O314", NULL, "closed at once");
	a.chunked = true;
	judge(&a, "", NULL, NULL);
	a.content_encoding = "identity";
	judge(&a, "", NULL, NULL);
	a.content_encoding = "";
	judge(&a, "", NULL, NULL);
	a.content_encoding = "gzip";
	judge(&a, "O321", NULL, "compressed (gzip)");
	a.content_encoding = NULL;
	a.content_type = "text/html; charset=utf-8";
	judge(&a, "", NULL, NULL);
	a = answer_of("{" WS "}");
	a.cut = "closed before the reply was whole";
	judge(&a, "O321", NULL, "closed before");
	a = answer_of("");
	judge(&a, "O314 O321", NULL, "Content-Length: 0");
	a = answer_of("Not Found");
	a.status = 404;
	judge(&a, "O311", NULL, "HTTP 404: Not Found");
	a.status = 301;
	a.location = "https://h/xiaozhi/ota/";
	judge(&a, "O311", NULL, "HTTP 301 to 'https://h/xiaozhi/ota/'");
	a.location = "";
	judge(&a, "O311", NULL, "HTTP 301: Not Found");
	a = (struct ota_answer){ .status = 500 };
	judge(&a, "O311", NULL, "HTTP 500");
	a = (struct ota_answer){ .status = 0 };
	judge(&a, "", NULL, NULL);
	a = (struct ota_answer){ .status = 200, .chunked = true };
	judge(&a, "O321", NULL, "empty");
}

/* 8,000 bytes pass (device.md 5.4 item 6); a page of more is two faults. */
static void long_ones(void **state)
{
	char body[9001];
	struct ota_answer a;

	(void)state;
	memset(body, ' ', sizeof(body) - 1);
	body[sizeof(body) - 1] = '\0';
	memcpy(body, "{" WS "}", strlen("{" WS "}"));
	a = answer_of(body);
	judge(&a, "O306", NULL, "9000 bytes");
	a.len = 8000;
	a.length = 8000;
	judge(&a, "", NULL, NULL);
	/* It was not read to its end. */
	a.length = 20000;
	judge(&a, "O306", NULL, "20000 bytes");
	memset(body, ' ', 100);
	memcpy(body, "<html>", 6);
	a.length = 9000;
	judge(&a, "O306 O313", NULL, NULL);
	/* Nobody told how long it is. */
	a.has_length = false;
	a.chunked = true;
	a.len = 8200;
	a.more = true;
	judge(&a, "O306 O313", NULL, "8200 bytes or more");
	/* A value of more than the store takes. */
	memset(body, 'a', sizeof(body) - 1);
	memcpy(body, "{\"websocket\":{\"url\":\"ws://h:1/\",\"token\":\"", 41);
	memcpy(body + 4200, "\"}}", 4);
	a = answer_of(body);
	judge(&a, "O305", "token", "websocket.token has 4159 bytes");
	/* 4,000 fit. */
	memcpy(body + 4041, "\"}}", 4);
	a = answer_of(body);
	judge(&a, "", NULL, NULL);
	memcpy(body + 4041, "a\"}}", 5);
	a = answer_of(body);
	judge(&a, "O305", "token", "websocket.token has 4001 bytes, of about");
}

/* What stops a board, and what does not. */
static void what_is_bad(void **state)
{
	static const int errors[] = { O301, O302, O303, O305, O306, O307,
				      O309, O310, O311, O312, O313, O321 };
	static const int others[] = { O304, O314, O315, O316, O317,
				      O318, O319, O320, O322 };
	uint32_t all = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(errors); i++)
		assert_true(diag_ota_is_bad(OTA_BIT(errors[i])));
	for (size_t i = 0; i < COUNT(others); i++)
		all |= OTA_BIT(others[i]);
	assert_false(diag_ota_is_bad(all));
	assert_true(diag_ota_is_bad(all | OTA_BIT(O321)));
}

/* Who sees the head first tells of it then, and of the body when it is there. */
static void in_two_parts(void **state)
{
	struct ota_answer a = answer_of("{}");
	struct diag d = { 0 };

	(void)state;
	a.has_length = false;
	a.part = ANSWER_HEAD;
	assert_int_equal(diag_ota(&d, &a), OTA_BIT(O314));
	a.part = ANSWER_BODY;
	assert_int_equal(diag_ota(&d, &a), OTA_BIT(O301));
	expect(&d, "O314 O301", a.body);
	assert_int_equal(d.frames, 1);
	a.status = 500;
	a.part = ANSWER_HEAD;
	assert_int_equal(diag_ota(&d, &a), 0);
	a.part = ANSWER_BODY;
	assert_int_equal(diag_ota(&d, &a), OTA_BIT(O311));
	diag_done(&d);
}

static void reaches(const char *board, const char *asked, const char *url,
		    const char *codes)
{
	CLEANUP(mem_free_ptr)
	char *body = mem_printf(
		"{\"websocket\":{\"url\":\"%s\",\"token\":\"\"}}", url);
	struct ota_answer a = answer_of(body);
	struct diag d = { 0 };

	a.from = (struct reach_from){ .board = board, .asked = asked };
	diag_ota(&d, &a);
	expect(&d, codes, body);
	diag_done(&d);
}

/* Only what is sure is an error, and only what is likely a warning. */
static void where_the_board_is(void **state)
{
	(void)state;
	reaches(NULL, NULL, "ws://127.0.0.1:1/", "O310");
	reaches("127.0.0.1", NULL, "ws://127.0.0.1:1/", "");
	reaches("127.0.0.1:49152", NULL, "ws://127.0.0.1:1/", "");
	reaches("192.168.1.40:49152", NULL, "ws://127.0.0.1:1/", "O310");
	reaches("[::1]:49152", NULL, "ws://localhost:1/", "");
	reaches("::1", NULL, "ws://localhost:1/", "");
	reaches(NULL, "http://127.0.0.1:8003/ota/", "ws://127.0.0.1:1/", "");
	reaches(NULL, "http://localhost:8003/ota/", "ws://0.0.0.0:1/", "");
	reaches(NULL, "http://192.168.1.2:8003/ota/", "ws://127.0.0.1:1/",
		"O310");
	reaches(NULL, NULL, "ws://172.17.0.2:1/", "");
	reaches("10.0.0.7", NULL, "ws://172.17.0.2:1/", "O320");
	reaches("172.17.0.1", NULL, "ws://172.17.0.2:1/", "");
	reaches("203.0.113.9", NULL, "ws://172.17.0.2:1/", "");
	reaches(NULL, "http://192.168.1.2/", "ws://172.17.0.2:1/", "O320");
	reaches(NULL, "http://172.17.0.2/", "ws://172.17.0.2:1/", "");
	reaches(NULL, "http://name/", "ws://172.17.0.2:1/", "");
	reaches("192.168.1.40", NULL, "ws://10.0.0.7:1/", "");
	reaches("192.168.1.40", NULL, "ws://8.8.8.8:1/", "");
	reaches("192.168.1.40", NULL, "ws://172.32.0.2:1/", "");
	reaches("169.254.1.1", NULL, "ws://169.254.7.1:1/", "");
	reaches(NULL, NULL, "ws://xiaozhi-server:8000/", "");
	reaches(NULL, "http://host.docker.internal/",
		"ws://host.docker.internal:1/", "");
	/* By a broker's address: its user and its port are none of the host. */
	reaches(NULL, "mqtt://u:p@127.0.0.1:1883/id", "ws://127.0.0.1:1/", "");
	reaches(NULL, "mqtts://localhost/id", "ws://127.0.0.1:1/", "");
	reaches(NULL, "mqtt://192.168.1.2/u@127.0.0.1", "ws://127.0.0.1:1/",
		"O310");
	reaches(NULL, "mqtt://10.0.0.1:1883", "ws://172.17.0.2:1/", "O320");
}

/* Each network from its first address to its last. */
static void edges_of_networks(void **state)
{
	static const struct {
		const char *host, *codes;
	} of[] = {
		{ "0.255.255.255", "O310" },   { "1.0.0.0", "" },
		{ "126.255.255.255", "" },     { "127.0.0.0", "O310" },
		{ "127.255.255.255", "O310" }, { "128.0.0.0", "" },
		{ "169.253.255.255", "" },     { "169.254.0.0", "O310" },
		{ "169.254.255.255", "O310" }, { "169.255.0.0", "" },
		{ "223.255.255.255", "" },     { "224.0.0.0", "O310" },
		{ "172.15.255.255", "" },      { "172.16.0.0", "O320" },
		{ "172.31.255.255", "O320" },  { "172.32.0.0", "" },
	};
	static const struct {
		const char *board, *codes;
	} from[] = {
		{ "192.167.255.255", "" },	 { "192.168.0.0", "O320" },
		{ "192.168.255.255:9", "O320" }, { "192.169.0.0", "" },
		{ "9.255.255.255", "" },	 { "10.0.0.0", "O320" },
		{ "10.255.255.255", "O320" },	 { "11.0.0.0", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(of); i++) {
		CLEANUP(mem_free_ptr)
		char *url = mem_printf("ws://%s:1/", of[i].host);

		reaches("192.168.1.40", NULL, url, of[i].codes);
	}
	for (size_t i = 0; i < COUNT(from); i++)
		reaches(from[i].board, NULL, "ws://172.17.0.2:1/",
			from[i].codes);
	reaches("169.254.255.255", NULL, "ws://127.0.0.1:1/", "");
	reaches("169.253.1.1", NULL, "ws://127.0.0.1:1/", "O310");
}

/* From where it is seen that it most likely cannot. */
static void who_is_where(void **state)
{
	struct ota_answer a = answer_of(URL("ws://172.17.0.2:1/"));

	(void)state;
	judge(&a, "O320", "\"ws://172.17.0.2:1/\"",
	      "websocket.url 172.17.0.2: a network as of containers; the board is at 192.168.1.40");
	a.from = (struct reach_from){ .asked = "http://10.0.0.1:8003/ota/" };
	judge(&a, "O320", "\"ws://172.17.0.2:1/\"", "; OTA is at 10.0.0.1");
}

/* A board that asks again: counted, the first one's proof stays. */
static void is_counted(void **state)
{
	struct ota_answer a = answer_of("{\"mqtt\":{}}");
	struct diag d = { 0 };

	(void)state;
	a.at_us = 5;
	diag_ota(&d, &a);
	a.at_us = 9;
	diag_ota(&d, &a);
	expect(&d, "O301", a.body);
	assert_int_equal(diag_count(&d, O301), 2);
	assert_int_equal(d.item[0].first_us, 5);
	assert_int_equal(d.item[0].last_us, 9);
	assert_int_equal(d.frames, 2);
	assert_int_equal(diag_worst(&d), SEVERITY_ERROR);
	diag_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_ones),
		cmocka_unit_test(bad_ones),
		cmocka_unit_test(heads),
		cmocka_unit_test(long_ones),
		cmocka_unit_test(what_is_bad),
		cmocka_unit_test(in_two_parts),
		cmocka_unit_test(where_the_board_is),
		cmocka_unit_test(edges_of_networks),
		cmocka_unit_test(who_is_where),
		cmocka_unit_test(is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
