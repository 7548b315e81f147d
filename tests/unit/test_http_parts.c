/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/http_parts.h"

/* All at once, or byte by byte; returns the bytes that belong to it. */
static size_t feed(struct http_parts *p, const char *text, size_t step)
{
	size_t used = 0, len = strlen(text);

	while (used < len && !p->over && !p->broken) {
		size_t piece = len - used < step ? len - used : step;
		size_t took = http_parts_feed(p, text + used, piece);

		if (!took)
			break;
		used += took;
	}
	return used;
}

static const struct row {
	const char *text; /* a second message stands behind '|' */
	int status;
	enum body_end how;
	const char *body;
	bool to_end;
} rows[] = {
	{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello|x", 200,
	  BODY_LENGTH, "Hello", false },
	{ "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
	  "3\r\nHel\r\n2;a=b\r\nlo\r\n0\r\nX: y\r\n\r\n|x",
	  200, BODY_CHUNKED, "Hello", false },
	{ "HTTP/1.0 401 No\r\nServer: x\r\n\r\nHello", 401, BODY_TO_END,
	  "Hello", true },
	{ "HTTP/1.1 204 Nothing\r\nContent-Length: 9\r\n\r\n|x", 204, BODY_NONE,
	  "", false },
	{ "HTTP/1.1 100 Continue\r\n\r\n|HTTP/1.1 200 OK", 100, BODY_NONE, "",
	  false },
	{ "HTTP/1.1 200 OK\nContent-Length: 2\n\nab|", 200, BODY_LENGTH, "ab",
	  false },
};

static void answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		const struct row *row = &rows[i / 2];
		struct http_parts p = { .answer = true, .keep = 100 };
		char text[300];
		const char *bar;
		size_t used;

		strcpy(text, row->text);
		bar = strchr(row->text, '|');
		if (bar)
			memmove(text + (bar - row->text), bar + 1,
				strlen(bar + 1) + 1);
		used = feed(&p, text, i % 2 ? 1 : 1000);
		assert_int_equal(used, bar ? (size_t)(bar - row->text) :
					     strlen(row->text));
		assert_int_equal(p.status, row->status);
		assert_int_equal(p.how, row->how);
		assert_int_equal(p.over, !row->to_end);
		assert_true(http_parts_end(&p));
		assert_string_equal(buf_string(&p.body), row->body);
		http_parts_done(&p);
	}
}

static void requests(void **state)
{
	struct http_parts p = { .keep = 2 };

	(void)state;
	assert_int_equal(feed(&p,
			      "POST / HTTP/1.1\r\nHost: h\r\n"
			      "Content-Length: 4\r\n\r\nabcd",
			      7),
			 51);
	assert_true(p.over && p.size == 4 && p.body.len == 2);
	http_parts_done(&p);
	feed(&p, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 100);
	assert_true(p.over && p.how == BODY_NONE);
	http_parts_done(&p);
}

static void broken(void **state)
{
	static const char *const texts[] = {
		"SSH-2.0-x\r\n\r\n",
		"HTTP/1.1 abc\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct http_parts p = { .answer = true };

		feed(&p, texts[i], 1000);
		assert_true(p.broken);
		assert_false(http_parts_end(&p));
		http_parts_done(&p);
	}
}

static void cut(void **state)
{
	struct http_parts p = { .answer = true };

	(void)state;
	feed(&p, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHel", 1000);
	assert_false(http_parts_end(&p));
	http_parts_done(&p);
}

static void fields(void **state)
{
	static const char head[] =
		"HTTP/1.1 200 OK\r\nServer: a\r\ncontent-length:  5 \r\n"
		"X: Content-Length: 7\r\n\r\n";
	CLEANUP(buf_done) struct buf out = { 0 };
	struct span s;

	(void)state;
	s = http_parts_field(head, strlen(head), "Content-Length");
	assert_int_equal(s.len, 1);
	assert_int_equal(*s.text, '5');
	assert_null(http_parts_field(head, strlen(head), "Content").text);
	http_parts_replace(&out, head, strlen(head), "Content-Length", "123");
	assert_string_equal(buf_string(&out), "HTTP/1.1 200 OK\r\nServer: a\r\n"
					      "content-length: 123\r\n"
					      "X: Content-Length: 7\r\n\r\n");
	buf_reset(&out);
	http_parts_replace(&out, head, strlen(head), "Server", NULL);
	assert_null(strstr(buf_string(&out), "Server"));
}

/* Another body in place of that which came, framed as it was. */
static void instead(void **state)
{
	static const struct {
		enum body_end how;
		const char *body, *wanted;
	} bodies[] = {
		{ BODY_LENGTH, "abc",
		  "H\r\nContent-Length: 3\r\nA: b\r\n\r\nabc" },
		{ BODY_LENGTH, "", "H\r\nContent-Length: 0\r\nA: b\r\n\r\n" },
		{ BODY_CHUNKED, "0123456789abcdefg",
		  "H\r\nContent-Length: 17\r\nA: b\r\n\r\n11\r\n0123456789abcdefg\r\n0\r\n\r\n" },
		{ BODY_CHUNKED, "",
		  "H\r\nContent-Length: 0\r\nA: b\r\n\r\n0\r\n\r\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bodies); i++) {
		const struct http_parts p = { .how = bodies[i].how };
		CLEANUP(buf_done) struct buf head = { 0 }, out = { 0 };

		buf_text(&head, "H\r\nContent-Length: 9\r\nA: b\r\n\r\n");
		http_parts_instead(&out, &p, &head,
				   (struct span){ bodies[i].body,
						  strlen(bodies[i].body) });
		assert_string_equal(buf_string(&out), bodies[i].wanted);
	}
}

/* A head that does not end is broken, at the byte that is too much. */
static void long_head(void **state)
{
	static char many[HTTP_PARTS_HEAD_MAX];
	struct http_parts p = { .answer = true };

	(void)state;
	memset(many, 'x', sizeof(many));
	assert_int_equal(http_parts_feed(&p, many, sizeof(many)), sizeof(many));
	assert_false(p.broken);
	assert_int_equal(http_parts_feed(&p, "x", 1), 0);
	assert_true(p.broken);
	http_parts_done(&p);
}

/* Lengths that are none, statuses without a body, answers to HEAD. */
static void framing(void **state)
{
	static const struct {
		const char *head;
		bool to_head, has_length, over;
		enum body_end how;
	} cases[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false, false,
		  false, BODY_TO_END },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
		  false, false, false, BODY_TO_END },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, true,
		  true, BODY_LENGTH },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", true, true,
		  true, BODY_NONE },
		{ "HTTP/1.1 199 X\r\nContent-Length: 7\r\n\r\n", false, true,
		  true, BODY_NONE },
		{ "HTTP/1.1 304 X\r\nContent-Length: 7\r\n\r\n", false, true,
		  true, BODY_NONE },
		{ "HTTP/1.1 205 X\r\nContent-Length: 7\r\n\r\n", false, true,
		  false, BODY_LENGTH },
		{ "HTTP/1.1 200 X\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 7\r\n\r\n",
		  false, true, false, BODY_CHUNKED },
		{ "HTTP/1.1 200 X\r\nTransfer-Encoding: gzip\r\n\r\n", false,
		  false, false, BODY_TO_END },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_parts p = { .answer = true,
					.to_head = cases[i].to_head };

		feed(&p, cases[i].head, 1000);
		assert_true(p.has_head && !p.broken);
		assert_int_equal(p.how, cases[i].how);
		assert_int_equal(p.has_length, cases[i].has_length);
		assert_int_equal(p.over, cases[i].over);
		http_parts_done(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instead),  cmocka_unit_test(long_head),
		cmocka_unit_test(framing),  cmocka_unit_test(answers),
		cmocka_unit_test(requests), cmocka_unit_test(broken),
		cmocka_unit_test(cut),	    cmocka_unit_test(fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
