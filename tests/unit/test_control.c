/* SPDX-License-Identifier: MIT */
/*
 * wire/control_frames: frames from literal bytes, errors there and back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/control_frames.h"

static void frame_out(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	control_encode(&b, CONTROL_JSON, "{}", 2);
	control_encode(&b, CONTROL_BINARY, "", 0);
	assert_int_equal(b.len, 18);
	assert_memory_equal(b.data,
			    "\0\0\0\x02j\0\0\0{}"
			    "\0\0\0\0b\0\0\0",
			    18);
}

static void frames_in(void **state)
{
	static const char bytes[] = "\0\0\0\x03t\0\0\0abc\0\0\0\0j\0\0\0";
	struct control_frame f;

	(void)state;
	for (size_t len = 0; len < 11; len++)
		assert_int_equal(control_decode(&f, bytes, len, NULL), 0);
	assert_int_equal(control_decode(&f, bytes, 11, NULL), 1);
	assert_int_equal(f.kind, CONTROL_TEXT);
	assert_int_equal(f.len, 3);
	assert_int_equal(f.size, 11);
	assert_ptr_equal(f.data, bytes + 8);
	assert_int_equal(control_decode(&f, bytes + 11, 8, NULL), 1);
	assert_int_equal(f.kind, CONTROL_JSON);
	assert_int_equal(f.len, 0);
	assert_int_equal(f.size, 8);
}

static void refused(const char *bytes, size_t len, const char *what)
{
	struct error err = { 0 };
	struct control_frame f;

	assert_int_equal(control_decode(&f, bytes, len, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_memory_equal(err.text, "the control socket: a frame ", 28);
	assert_string_equal(err.text + 28, what);
	assert_string_equal(err.hint,
			    "the other end is no mcpctl of this version");
	error_reset(&err);
}

static void broken_frames(void **state)
{
	struct control_frame f;

	(void)state;
	refused("\0\0\0\x01x\0\0\0a", 9, "of unknown kind");
	refused("\0\0\0\x01j\0\0\x01"
		"a",
		9, "whose head is broken");
	refused("\0\0\0\x01j\0\x01\0a", 9, "whose head is broken");
	refused("\0\0\0\0j\x01\0\0", 8, "whose head is broken");
	refused("\0\0\0\0k\0\0\0", 8, "of unknown kind");
	refused("\0\0\0\x01j\x01\0\0a", 9, "whose head is broken");
	refused("GET / HTTP/1.1", 14, "of unknown kind");
	/* 17 MB and one byte; 17 MB are only not there yet. */
	refused("\x01\x10\0\x01t\0\0\0", 8, "that is too long");
	assert_int_equal(control_decode(&f, "\x01\x10\0\0t\0\0\0", 8, NULL), 0);
	refused("\xff\xff\xff\xfft\0\0\0", 8, "that is too long");
}

static void there_and_back(const struct error *e, struct error *back)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	control_error_encode(&text, e);
	tree = json_parse(text.data, text.len, NULL);
	assert_non_null(tree);
	control_error_decode(back, tree);
	assert_int_equal(back->kind, e->kind);
	assert_int_equal(back->has_code, e->has_code);
	assert_int_equal(back->code, e->has_code ? e->code : 0);
	assert_string_equal(back->text, e->text);
	assert_string_equal(back->hint, e->hint);
	assert_string_equal(back->finding, e->finding);
}

static void errors(void **state)
{
	static const enum error_kind kinds[] = {
		ERR_NONE,     ERR_PEER, ERR_USAGE, ERR_CONNECT, ERR_TIMEOUT,
		ERR_PROTOCOL, ERR_AUTH, ERR_UNMET, ERR_OUTPUT,	ERR_INTERRUPTED,
	};
	struct error e = { 0 }, back = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		error_set(&e, kinds[i], "text \"%zu\"\n", i);
		there_and_back(&e, &back);
		assert_null(back.detail);
		error_hint(&e, "\xe4\xbd\xa0\\ %s", "hint");
		error_code(&e, -32000 - (int)i);
		error_finding(&e, "N102");
		error_detail(&e, "a\nb", 3);
		there_and_back(&e, &back);
		assert_string_equal(back.detail, "a\nb");
	}
	error_reset(&e);
	error_reset(&back);
}

static void decode(struct error *out, const char *text)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(text, strlen(text), NULL);

	control_error_decode(out, tree);
}

static void odd_errors(void **state)
{
	struct error e = { 0 };

	(void)state;
	decode(&e, "{\"kind\":\"peer\",\"code\":1e300,\"text\":7}");
	assert_int_equal(e.kind, ERR_PEER);
	assert_false(e.has_code);
	assert_string_equal(e.text, "");
	decode(&e, "{\"kind\":\"peer\",\"text\":\"a\",\"finding\":\"N1020\"}");
	assert_string_equal(e.finding, "");
	decode(&e, "{\"kind\":\"new\",\"code\":-5,\"text\":\"a\",\"hint\":[]}");
	assert_int_equal(e.kind, ERR_PROTOCOL);
	assert_int_equal(e.code, -5);
	assert_string_equal(e.text, "a");
	decode(&e, "[]");
	assert_int_equal(e.kind, ERR_PROTOCOL);
	control_error_decode(&e, NULL);
	assert_int_equal(e.kind, ERR_PROTOCOL);
	error_reset(&e);
}

/* Each member of a question, and none that was not set. */
static void questions(void **state)
{
	static const struct {
		struct serve_question q;
		const char *text;
	} rows[] = {
		{ { .op = "stop" }, "{\"op\":\"stop\"}" },
		{ { .op = "a", .timeout = 1, .length = 2, .photos = 3 },
		  "{\"op\":\"a\",\"timeout\":1,\"for\":2,\"photos\":3}" },
		{ { .op = "a", .length = 1, .photos = 1 },
		  "{\"op\":\"a\",\"for\":1,\"photos\":1}" },
		{ { .op = "a", .timeout = -1, .length = -1, .photos = -1 },
		  "{\"op\":\"a\"}" },
		{ { .op = "a", .device = "d\"", .by = "b", .action = "c" },
		  "{\"op\":\"a\",\"device\":\"d\\\"\",\"by\":\"b\",\"action\":\"c\"}" },
		{ { .op = "a", .key = "k", .transport = "t", .list = "l" },
		  "{\"op\":\"a\",\"key\":\"k\",\"transport\":\"t\",\"list\":\"l\"}" },
		{ { .op = "a", .name = "n", .prefix = "p" },
		  "{\"op\":\"a\",\"name\":\"n\",\"prefix\":\"p\"}" },
		{ { .op = "a", .method = "m", .notify = "n" },
		  "{\"op\":\"a\",\"method\":\"m\",\"notify\":\"n\"}" },
		{ { .op = "a",
		    .message = "{}",
		    .params = "[]",
		    .devices = "[1]" },
		  "{\"op\":\"a\",\"message\":{},\"params\":[],\"devices\":[1]}" },
		{ { .op = "a", .tail = true }, "{\"op\":\"a\",\"tail\":true}" },
		{ { .op = "a", .pictures = true },
		  "{\"op\":\"a\",\"pictures\":true}" },
		{ { .op = "a", .findings = true },
		  "{\"op\":\"a\",\"findings\":true}" },
		{ { .op = "a", .serial = true },
		  "{\"op\":\"a\",\"serial\":true}" },
		{ { .op = "a", .last = true }, "{\"op\":\"a\",\"last\":true}" },
		{ { .op = "a", .watch = true },
		  "{\"op\":\"a\",\"watch\":true}" },
		{ { .op = "a", .enrolled = true },
		  "{\"op\":\"a\",\"enrolled\":true}" },
		{ { .op = "a", .keep = true }, "{\"op\":\"a\",\"keep\":true}" },
		{ { .op = "a", .wait = true }, "{\"op\":\"a\",\"wait\":true}" },
		{ { .op = "a", .idle = true }, "{\"op\":\"a\",\"idle\":true}" },
		{ { .op = "a", .all = true }, "{\"op\":\"a\",\"all\":true}" },
		{ { .op = "a", .force = true },
		  "{\"op\":\"a\",\"force\":true}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		serve_question_encode(&out, &rows[i].q);
		assert_string_equal(buf_string(&out), rows[i].text);
	}
}

/* What is not known of an error is not told. */
static void error_texts(void **state)
{
	struct error e = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	error_set(&e, ERR_PEER, "%s", "t");
	control_error_encode(&out, &e);
	assert_string_equal(buf_string(&out),
			    "{\"kind\":\"peer\",\"text\":\"t\",\"hint\":\"\"}");
	error_hint(&e, "h");
	error_code(&e, -32601);
	error_finding(&e, "N102");
	error_detail(&e, "d", 1);
	buf_reset(&out);
	control_error_encode(&out, &e);
	assert_string_equal(
		buf_string(&out),
		"{\"kind\":\"peer\",\"code\":-32601,\"text\":\"t\",\"hint\":\"h\",\"detail\":\"d\",\"finding\":\"N102\"}");
	error_reset(&e);
	/* What fits no int is no code. */
	decode(&e, "{\"kind\":\"peer\",\"code\":2147483647}");
	assert_true(e.has_code && e.code == 2147483647);
	error_reset(&e);
	decode(&e, "{\"kind\":\"peer\",\"code\":2147483648}");
	assert_false(e.has_code);
	decode(&e, "{\"kind\":\"peer\",\"code\":-2147483648}");
	assert_true(e.has_code && e.code == INT32_MIN);
	error_reset(&e);
	decode(&e, "{\"kind\":\"peer\",\"code\":-2147483649}");
	assert_false(e.has_code);
}

/* A length of all four bytes, there and back. */
static void long_frame(void **state)
{
	const size_t len = 0x01020304;
	char *data = mem_zalloc(len);
	CLEANUP(buf_done) struct buf b = { 0 };
	struct control_frame f;

	(void)state;
	data[len - 1] = 'z';
	control_encode(&b, CONTROL_BINARY, data, len);
	assert_memory_equal(b.data, "\1\2\3\4b\0\0\0", 8);
	assert_int_equal(control_decode(&f, b.data, b.len - 1, NULL), 0);
	assert_int_equal(control_decode(&f, b.data, b.len, NULL), 1);
	assert_int_equal(f.kind, CONTROL_BINARY);
	assert_int_equal(f.len, len);
	assert_int_equal(f.data[len - 1], 'z');
	mem_free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_frame), cmocka_unit_test(frame_out),
		cmocka_unit_test(frames_in),  cmocka_unit_test(broken_frames),
		cmocka_unit_test(errors),     cmocka_unit_test(odd_errors),
		cmocka_unit_test(questions),  cmocka_unit_test(error_texts),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
