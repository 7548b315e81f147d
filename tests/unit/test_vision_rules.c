/* SPDX-License-Identifier: MIT */
/* Answers to a picture, and addresses for it: faults by code, good ones silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "diag/vision_rules.h"

static void expect(struct diag *d, const char *codes, const char *at,
		   const char *words)
{
	const struct finding *f = d->item;
	struct buf found = { 0 };

	for (size_t i = 0; i < d->count; i++)
		buf_printf(&found, "%s%s", i > 0 ? " " : "",
			   finding_row(f[i].code)->code);
	assert_string_equal(buf_string(&found), codes);
	buf_done(&found);
	if (words && !strstr(f->detail, words))
		fail_msg("'%s' is not in '%s'", words, f->detail);
	if (at) {
		assert_int_equal(f->proof.len, strlen(at));
		assert_memory_equal(f->proof.text + f->proof.off, at,
				    strlen(at));
	}
	diag_done(d);
}

static struct vision_answer answer_of(int status, const char *body)
{
	return (struct vision_answer){ .status = status,
				       .has_length = true,
				       .length = (int64_t)strlen(body),
				       .body = body,
				       .len = strlen(body) };
}

static void judge(const struct vision_answer *a, const char *codes,
		  const char *at, const char *words)
{
	struct diag d = { 0 };

	diag_vision(&d, a);
	if (d.count > 0) {
		assert_true(d.item[0].proof.leg == LEG_VISION);
		assert_false(d.item[0].proof.from_device);
	}
	expect(&d, codes, at, words);
}

struct answer_case {
	const char *codes;
	int status;
	const char *body, *at, *words;
};

/* clang-format off */
static const struct answer_case cases[] = {
	/* as backends.md 4 has them: Python, Java, Go */
	{ "", 200, "{\"success\":true,\"action\":\"RESPONSE\",\"response\":\"a cat\"}", NULL, NULL },
	{ "", 200, "{\"success\":true,\"text\":\"a cat\"}", NULL, NULL },
	{ "", 200, "{\"success\":true,\"result\":\"a cat\",\"message\":\"\"}", NULL, NULL },
	{ "", 200, "a cat on <html> paper", NULL, NULL },
	{ "", 200, "\"a cat\"", NULL, NULL },
	{ "", 200, "{\"success\":true,\"error\":\"none\"}", NULL, NULL },
	{ "", 200, "{\"success\":1,\"error\":null}", NULL, NULL },
	{ "V501", 401, "{\"success\":false,\"message\":\"invalid token\"}", NULL, "HTTP 401: invalid token" },
	{ "V501", 404, "", NULL, "HTTP 404" },
	{ "V501", 302, "", NULL, "HTTP 302" },
	{ "V501", 400, "{\"message\":\"no file\"}", NULL, "HTTP 400: no file" },
	{ "V501", 413, "", NULL, "HTTP 413" },
	{ "V501", 204, "", NULL, "HTTP 204" },
	{ "V503", 411, "", NULL, "HTTP 411" },
	{ "V503", 400, "Content-Length is required", NULL, "HTTP 400: Content-Length" },
	{ "V503", 501, "chunked bodies are not supported", NULL, "HTTP 501" },
	{ "V505", 200, "{\"success\": false,\"message\":\"too large\"}", "false", "too large" },
	{ "V505", 200, "{\"success\":false}", "false", "it says no more" },
	{ "V505", 200, "{\"error\":\"no model\"}", "\"no model\"", "no model" },
	{ "V505", 200, "<html><title>Console</title></html>", NULL, "a web page: Console" },
	{ "V505", 200, "<title>Console</title>", NULL, "a web page: Console" },
	{ "V505", 200, "{\"code\":401,\"msg\":\"no token\"}", "401", "no token" },
	{ "", 200, "{\"code\":200,\"msg\":\"a cat\"}", NULL, NULL },
	{ "", 200, "{\"code\":\"500\",\"msg\":\"a cat\"}", NULL, NULL },
	{ "V505", 200, "a \x9f cat", NULL, "no text in UTF-8" },
	{ "V505", 200, "{\"error\":{\"code\":1}}", "{\"code\":1}", "it says no more" },
	{ "", 200, "{\"success\":true,\"error\":null}", NULL, NULL },
	{ "", 200, "{\"error\":false}", NULL, NULL },
	{ "V505", 200, "\n", NULL, "empty" },
	/* whichever words say that chunks are not taken */
	{ "V503", 400, "Transfer-Encoding", NULL, "HTTP 400: Transfer-Encoding" },
	{ "V503", 501, "no transfer encoding", NULL, "HTTP 501: no transfer encoding" },
	{ "V503", 400, "content length?", NULL, "HTTP 400: content length?" },
	{ "V503", 400, "Length Required", NULL, "HTTP 400: Length Required" },
	{ "V501", 500, "chunked", NULL, "HTTP 500: chunked" },
	{ "V501", 412, "chunked", NULL, "HTTP 412: chunked" },
	{ "V501", 501, "what?", NULL, "HTTP 501: what?" },
	{ "", 200, "{\"error\":0}", NULL, NULL },
	{ "", 200, "{\"success\":null,\"error\":\"x\"}", NULL, NULL },
	{ "V505", 200, " {\"success\":false}", "false", NULL },
	{ "", 200, "[{\"success\":false}]", NULL, NULL },
	{ "", 200, "\"<html>\"", NULL, NULL },
	{ "V505", 200, "<html>", NULL, "a web page" },
};
/* clang-format on */

static void answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct answer_case *c = &cases[i];
		struct vision_answer a = answer_of(c->status, c->body);

		judge(&a, c->codes, c->at, c->words);
	}
}

static void lengths(void **state)
{
	char body[9001];
	struct vision_answer a;

	(void)state;
	memset(body, 'a', sizeof(body) - 1);
	body[sizeof(body) - 1] = '\0';
	a = answer_of(200, body);
	judge(&a, "V502", NULL, "9000 bytes");
	/* An answer that is not 200 is not read. */
	a.status = 500;
	judge(&a, "V501", NULL, NULL);
	a.status = 200;
	a.len = 8000;
	a.length = 8000;
	judge(&a, "", NULL, NULL);
	a.has_length = false;
	judge(&a, "V507", NULL, "30 s at most");
	a.chunked = true;
	judge(&a, "", NULL, NULL);
	a = answer_of(200, "");
	judge(&a, "V507 V505", NULL, "Content-Length: 0");
	a.part = ANSWER_HEAD;
	judge(&a, "V507", NULL, NULL);
	a.part = ANSWER_BODY;
	judge(&a, "V505", NULL, NULL);
	a = answer_of(200, body);
	a.has_length = false;
	a.chunked = true;
	a.len = 8200;
	a.more = true;
	judge(&a, "V502", NULL, "8200 bytes or more");
}

/* The server did not wait for the end of the picture. */
static void half_way(void **state)
{
	struct vision_answer a = answer_of(413, "");

	(void)state;
	a.half_way = true;
	a.sent = 1048576;
	judge(&a, "V508", NULL, "HTTP 413 after 1048576 bytes");
	a.status = 0;
	judge(&a, "V508", NULL, "closed after 1048576 bytes");
	a.status = 401;
	judge(&a, "V501", NULL, "HTTP 401");
	/* Where it leads; what it says of its reason first. */
	a.location = "/login";
	judge(&a, "V501", NULL,
	      "HTTP 401 to '/login', and boards do not follow");
	a.location = "";
	a.body = "go";
	a.len = 2;
	judge(&a, "V501", NULL, "HTTP 401: go");
	a.len = 0;
	a.location = "/login";
	a.status = 413;
	judge(&a, "V508", NULL, "HTTP 413 after 1048576 bytes");
	a.half_way = false;
	judge(&a, "V501", NULL, "HTTP 413 to '/login'");
	a.status = 411;
	judge(&a, "V503", NULL, "HTTP 411");
	a.location = NULL;
	/* It ended without an answer, after all was sent: another matter. */
	a.status = 0;
	a.half_way = false;
	judge(&a, "", NULL, NULL);
}

#define BEFORE \
	"{\"type\":\"mcp\",\"payload\":{\"params\":{\"capabilities\":{\"vision\":{\"url\":"
#define AFTER "}}}}}"

static void address(const char *value, const struct reach_from *from,
		    const char *codes, const char *words)
{
	struct diag d = { 0 };
	struct buf text = { 0 };
	struct diag_frame f = { .leg = LEG_WS };
	struct span url = { 0 };

	buf_printf(&text, "%s%s%s", BEFORE, value, AFTER);
	f.data = buf_string(&text);
	f.len = text.len;
	if (*value)
		url = (struct span){ f.data + strlen(BEFORE), strlen(value) };
	diag_vision_url(&d, &f, url, from);
	if (d.count > 0)
		assert_true(d.item[0].proof.leg == LEG_WS);
	expect(&d, codes, *codes ? value : NULL, words);
	buf_done(&text);
}

static void addresses(void **state)
{
	const struct reach_from far = { .board = "192.168.1.40" };
	const struct reach_from here = { .board = "127.0.0.1" };

	(void)state;
	address("\"http://192.168.1.2:8003/mcp/vision/explain\"", &far, "",
		NULL);
	address("\"https://h/api/vision\"", &far, "", NULL);
	address("null", &far, "V506", "no text");
	address("7", &far, "V506", "no text");
	address("\"\"", &far, "V506", "empty");
	address("\"null\"", &far, "V506", "nobody filled");
	address("\"你的视觉接口地址\"", &far, "V506", "nobody filled");
	address("\"http://你的ip:8003/mcp/vision/explain\"", &far, "V506",
		"nobody filled");
	/* cut between characters */
	address("\"http://p123456789012345678901234567890123456789012345678901你的\"",
		&far, "V506",
		"\"http://p123456789012345678901234567890123456789012345678901\" in");
	address("\"p1234567890123456789012345678901234567890123456789012345678图\"",
		&far, "V506",
		"\"p1234567890123456789012345678901234567890123456789012345678\" has no http://");
	address("\"192.168.1.2:8003/mcp\"", &far, "V506", "no http://");
	address("\"https://127.0.0.1/\"", &far, "V506",
		"127.0.0.1: to the board");
	address("\"HTTP://h/\"", &far, "V506", "no http://");
	address("\"http://h/null\"", &far, "", NULL);
	address("\"http://h:8003 /\"", &far, "V506", NULL);
	address("\"ws://h/\"", &far, "V506", "no http://");
	address("\"http://h/a:b\"", &far, "V506", "no number");
	address("\"http:///x\"", &far, "V506", "no http://HOST");
	address("\"http://127.0.0.1:8003/\"", &far, "V506",
		"127.0.0.1: to the board");
	address("\"http://0.0.0.0:8003/\"", &far, "V506", "is none");
	address("\"http://127.0.0.1:8003/\"", &here, "", NULL);
	address("\"http://172.17.0.2:8003/\"", &far, "V509",
		"the board is at 192.168.1.40");
	address("\"http://172.17.0.2:8003/\"", &here, "", NULL);
	address("", &far, "V506", "there is none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(lengths),
		cmocka_unit_test(half_way),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
