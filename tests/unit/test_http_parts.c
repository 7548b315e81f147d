/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
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

/* The value of the first field of that name, as text, and what it begins with. */
static void values(void **state)
{
	static const struct {
		const char *head, *value; /* of "Content-Type" */
		bool is_text; /* "text/" */
	} cases[] = {
		{ "H\r\nContent-Type: text/a\r\n\r\n", "text/a", true },
		{ "H\nCONTENT-TYPE:TEXT/A\n\n", "TEXT/A", true },
		{ "H\r\nContent-Type: \t text/ \t\r\n\r\n", "text/", true },
		{ "H\r\nContent-Type: text\r\n\r\n", "text", false },
		{ "H\r\nContent-Type: a/text/\r\n\r\n", "a/text/", false },
		{ "H\r\nContent-Type: a\r\nContent-Type: text/b\r\n\r\n", "a",
		  false },
		{ "H\r\nContent-Type:\r\n\r\n", "", false },
		{ "H\r\nContent-Type\r\n\r\n", NULL, false },
		{ "H\r\nContent-Type : text/a\r\n\r\n", NULL, false },
		{ "H\r\nContent-Types: text/a\r\n\r\n", NULL, false },
		{ "H\r\n Content-Type: text/a\r\n\r\n", NULL, false },
		{ "H\r\nContent-Type: text/a", NULL, false },
		{ "", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(buf_done) struct buf head = { 0 };
		CLEANUP(mem_free_ptr) char *text = NULL;

		buf_text(&head, cases[i].head);
		text = http_parts_text(&head, "Content-Type");
		if (cases[i].value)
			assert_string_equal(text, cases[i].value);
		else
			assert_null(text);
		assert_int_equal(http_parts_is(&head, "text/"),
				 cases[i].is_text);
	}
}

static void lists(void **state)
{
	static const struct {
		const char *head, *value;
	} cases[] = { { "H\r\nA: 1\r\n\r\n", NULL },
		      { "H\r\nB:\r\n\r\n", NULL },
		      { "H\r\nb: 1\r\n\r\n", "1" },
		      { "H\r\nB: 1, 2\r\nA: x\r\nB:\r\nb:3 \r\n\r\n",
			"1, 2, 3" } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(buf_done) struct buf head = { 0 };
		CLEANUP(mem_free_ptr) char *text = NULL;

		buf_text(&head, cases[i].head);
		text = http_parts_list(&head, "B");
		if (cases[i].value)
			assert_string_equal(text, cases[i].value);
		else
			assert_null(text);
	}
}

static void replaced(void **state)
{
	static const struct {
		const char *head, *value, *wanted;
	} cases[] = {
		{ "H\r\nA: 1\r\nb: 2\r\nB: 3\r\n\r\n", "x",
		  "H\r\nA: 1\r\nb: x\r\nB: 3\r\n\r\n" },
		{ "H\r\nA: 1\r\nb: 2\r\nB: 3\r\n\r\n", NULL,
		  "H\r\nA: 1\r\n\r\n" },
		{ "H\r\nA: 1\r\n\r\n", "x", "H\r\nA: 1\r\n\r\n" },
		{ "B:1\nC: 2\n\n", "", "B: \r\nC: 2\n\n" },
		{ "H\r\nB: 1", "x", "H\r\nB: 1" },
		{ "H\r\nB: 1\r\nrest", "x", "H\r\nB: x\r\nrest" },
		{ "", "x", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		http_parts_replace(&out, cases[i].head, strlen(cases[i].head),
				   "B", cases[i].value);
		assert_string_equal(buf_string(&out), cases[i].wanted);
	}
}

/* The first line of an answer; status 0: it is broken. */
static void statuses(void **state)
{
	static const struct {
		const char *line;
		int status;
	} cases[] = {
		{ "HTTP/1.1 100 X", 100 }, { "HTTP/1.1 999 X", 999 },
		{ "HTTP/1.0 200", 200 },   { "HTTP/1.1 2000 X", 200 },
		{ "HTTP/1.1 099 X", 0 },   { "HTTP/1.1 99 X", 0 },
		{ "HTTP/1.1 20", 0 },	   { "HTTP/1.1 ", 0 },
		{ "HTTP/1.1", 0 },	   { "HTTP/2 200 X", 0 },
		{ "http/1.1 200 X", 0 },   { "HTTP/1.1  200 X", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(mem_free_ptr)
		char *head = mem_printf("%s\r\n\r\n", cases[i].line);
		struct http_parts p = { .answer = true };

		feed(&p, head, 1000);
		assert_int_equal(p.broken, cases[i].status == 0);
		assert_int_equal(p.status, cases[i].status);
		http_parts_done(&p);
	}
}

/* Where the body ends, of answers by their status and of requests. */
static void body_ends(void **state)
{
	static const struct {
		const char *head;
		bool answer;
		enum body_end how;
		uint64_t length, left;
		bool over;
	} cases[] = {
		{ "HTTP/1.1 203 X\r\nContent-Length: 7\r\n\r\n", true,
		  BODY_LENGTH, 7, 7, false },
		{ "HTTP/1.1 204 X\r\nContent-Length: 7\r\n\r\n", true,
		  BODY_NONE, 7, 0, true },
		{ "HTTP/1.1 303 X\r\nContent-Length: 7\r\n\r\n", true,
		  BODY_LENGTH, 7, 7, false },
		{ "HTTP/1.1 305 X\r\nContent-Length: 7\r\n\r\n", true,
		  BODY_LENGTH, 7, 7, false },
		{ "HTTP/1.1 200 X\r\nContent-Length: 9223372036854775807\r\n\r\n",
		  true, BODY_LENGTH, INT64_MAX, INT64_MAX, false },
		{ "HTTP/1.1 200 X\r\nContent-Length: 9223372036854775808\r\n\r\n",
		  true, BODY_TO_END, 0, 0, false },
		{ "HTTP/1.1 200 X\r\nContent-Length: 00000000000000000007\r\n\r\n",
		  true, BODY_TO_END, 0, 0, false },
		{ "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
		  true, BODY_TO_END, 0, 0, false },
		{ "HTTP/1.1 200 X\r\nTransfer-Encoding: gzip\r\n"
		  "Transfer-Encoding: chunked\r\n\r\n",
		  true, BODY_CHUNKED, 0, 0, false },
		{ "HTTP/1.1 200 X\r\nTransfer-Encoding: hunked\r\n\r\n", true,
		  BODY_TO_END, 0, 0, false },
		{ "POST / HTTP/1.1\r\nContent-Length: 7\r\n\r\n", false,
		  BODY_LENGTH, 7, 7, false },
		{ "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", false,
		  BODY_LENGTH, 0, 0, true },
		{ "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
		  false, BODY_CHUNKED, 0, 0, false },
		{ "POST / HTTP/1.1\r\n\r\n", false, BODY_NONE, 0, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_parts p = { .answer = cases[i].answer };

		assert_int_equal(feed(&p, cases[i].head, 1),
				 strlen(cases[i].head));
		assert_true(p.has_head && !p.broken);
		assert_int_equal(p.how, cases[i].how);
		assert_true(p.length == cases[i].length);
		assert_true(p.left == cases[i].left);
		assert_int_equal(p.over, cases[i].over);
		assert_int_equal(http_parts_feed(&p, "", 0), 0);
		http_parts_done(&p);
	}
}

#define CHUNKED "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"

/* How many bytes belong to it, and which of them are kept, up to three. */
static void chunks(void **state)
{
	static const struct {
		const char *text;
		bool over, broken;
		size_t size;
		const char *body;
	} cases[] = {
		{ "0\r\n\r\n", true, false, 0, "" },
		{ "0\n\n", true, false, 0, "" },
		{ "000A;x\r\n0123456789\r\n0\r\nA: b\r\nC: d\r\n\r\n", true,
		  false, 10, "012" },
		{ "a\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n", true, false, 11,
		  "012" },
		{ "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", true, false, 4, "abc" },
		{ "1\r\na\r\n0\r\nA: b\r\n", false, false, 1, "a" },
		{ "1\r\na\r\n", false, false, 1, "a" },
		{ "7fffffffffffffff\r\nab", false, false, 2, "ab" },
		{ "8000000000000000\r\n", false, true, 0, "" },
		{ "\r\n", false, true, 0, "" },
		{ "1\r\nab\r\n", false, true, 1, "a" },
		/* Eighteen digits are kept; what is not kept is not guessed. */
		{ "000000000000000001\r\na", false, false, 1, "a" },
		{ "0000000000000000001\r\n", false, true, 0, "" },
		{ "00000000000000000000005\r\n", false, true, 0, "" },
		{ "1 \r\na", false, false, 1, "a" },
		{ "1\t;x=y\r\na", false, false, 1, "a" },
		{ "1\r0\r\n", false, true, 0, "" },
		{ " 1\r\n", false, true, 0, "" },
		{ "+1\r\n", false, true, 0, "" },
		{ "0x1\r\n", false, true, 0, "" },
		{ "1,2\r\n", false, true, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(CHUNKED "%s", cases[i / 2].text);
		struct http_parts p = { .answer = true, .keep = 3 };

		assert_int_equal(feed(&p, text, i % 2 ? 1 : 1000),
				 strlen(text));
		assert_int_equal(p.over, cases[i / 2].over);
		assert_int_equal(p.broken, cases[i / 2].broken);
		assert_int_equal(p.size, cases[i / 2].size);
		assert_string_equal(buf_string(&p.body), cases[i / 2].body);
		/* It ends by itself or not at all. */
		assert_int_equal(http_parts_end(&p), cases[i / 2].over);
		http_parts_done(&p);
	}
}

/* A head alone comes first; what ends with the connection is over then. */
static void to_the_end(void **state)
{
	struct http_parts p = { .answer = true, .keep = 2 };
	static const char text[] = "HTTP/1.1 200 X\r\n\r\nabc";

	(void)state;
	assert_false(http_parts_end(&p));
	assert_int_equal(http_parts_feed(&p, text, sizeof(text) - 1), 18);
	assert_true(p.has_head && !p.over);
	assert_int_equal(http_parts_feed(&p, text + 18, 3), 3);
	assert_string_equal(buf_string(&p.body), "ab");
	assert_int_equal(p.size, 3);
	assert_false(p.over);
	assert_true(http_parts_end(&p));
	assert_true(p.over);
	assert_int_equal(http_parts_feed(&p, "d", 1), 0);
	http_parts_done(&p);
	assert_true(!p.head.data && !p.body.data && !p.answer);
}

/* 65,536 bytes are a head, one more is none. */
static void longest_head(void **state)
{
	for (size_t over = 0; over < 2; over++) {
		CLEANUP(buf_done) struct buf head = { 0 };
		struct http_parts p = { .answer = true };

		(void)state;
		buf_printf(&head, "HTTP/1.1 204 X\r\nA: %0*d\r\n\r\n",
			   (int)(HTTP_PARTS_HEAD_MAX - 23 + over), 1);
		assert_int_equal(head.len, HTTP_PARTS_HEAD_MAX + over);
		http_parts_feed(&p, head.data, head.len);
		assert_int_equal(p.broken, over);
		assert_int_equal(p.over, !over);
		http_parts_done(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),	cmocka_unit_test(replaced),
		cmocka_unit_test(statuses),	cmocka_unit_test(body_ends),
		cmocka_unit_test(chunks),	cmocka_unit_test(to_the_end),
		cmocka_unit_test(longest_head), cmocka_unit_test(instead),
		cmocka_unit_test(long_head),	cmocka_unit_test(framing),
		cmocka_unit_test(answers),	cmocka_unit_test(requests),
		cmocka_unit_test(broken),	cmocka_unit_test(cut),
		cmocka_unit_test(fields),	cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
