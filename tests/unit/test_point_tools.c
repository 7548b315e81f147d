/* SPDX-License-Identifier: MIT */
/* Names and results as access points take them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "clients/point_tools.h"

static char *printed(const cJSON *json)
{
	struct buf out = { 0 };

	json_print(&out, json);
	return buf_take(&out);
}

static cJSON *parsed(const char *text)
{
	cJSON *json = json_parse(text, strlen(text), NULL);

	assert_non_null(json);
	return json;
}

static void names(void **state)
{
	CLEANUP(json_free_ptr)
	cJSON *tools = parsed(
		"[{\"name\":\"lamp-1__set\",\"x\":1},{\"name\":\"lamp_1__set\"},{\"x\":2},{\"name\":\"azAZ09_@[`{/:\"},{\"name\":\"z\"}]");
	struct point_names n = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	point_names_make(&n, tools, 3);
	text = printed(tools);
	assert_int_equal(n.shown.count, 3);
	assert_string_equal(n.shown.word[0], "lamp_1__set");
	assert_int_equal(strncmp(n.shown.word[1], "lamp_1__set_", 12), 0);
	assert_int_equal(strlen(n.shown.word[1]), 18);
	assert_string_equal(n.shown.word[2], "azAZ09_______");
	assert_int_equal(n.left.count, 1);
	assert_string_equal(n.left.word[0], "z");
	assert_string_equal(point_names_own(&n, "lamp_1__set"), "lamp-1__set");
	assert_string_equal(point_names_own(&n, n.shown.word[1]),
			    "lamp_1__set");
	assert_string_equal(point_names_own(&n, "no"), "no");
	assert_non_null(strstr(text, "{\"name\":\"lamp_1__set\",\"x\":1}"));
	assert_null(strstr(text, "\"z\""));
	/* Made anew, the same names come again. */
	point_names_make(&n, tools, 3);
	assert_int_equal(n.shown.count, 3);
	assert_int_equal(n.left.count, 0);
	point_names_done(&n);
}

/* A reply with a text of len letters c, behind that id. */
static char *reply_of(const char *id, char c, size_t len)
{
	struct buf out = { 0 };

	buf_printf(
		&out,
		"{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"short\"},{\"type\":\"text\",\"text\":\"",
		id);
	for (size_t i = 0; i < len; i++)
		buf_text(&out, (char[]){ c, c == '\\' ? 'n' : '\0', '\0' });
	buf_text(&out, "\"}],\"isError\":false}}");
	return buf_take(&out);
}

static void cuts(void **state)
{
	static const struct {
		char letter;
		size_t len;
	} texts[] = { { 'x', 20000 }, { '\\', 20000 }, { 'x', 2000000 } };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		CLEANUP(mem_free_ptr)
		char *reply = reply_of("9007199254740993", texts[i].letter,
				       texts[i].len);
		CLEANUP(buf_done) struct buf out = { 0 };
		CLEANUP(json_free_ptr) cJSON *json = NULL;

		assert_true(point_reply_fit(&out, reply, strlen(reply), 8192));
		assert_in_range(out.len, 7000, 8192);
		/* Nothing but the result was touched. */
		assert_int_equal(
			strncmp(buf_string(&out),
				"{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{",
				49),
			0);
		json = parsed(buf_string(&out));
		assert_non_null(strstr(buf_string(&out), "\"short\""));
		assert_non_null(strstr(buf_string(&out), "(cut: "));
		assert_non_null(strstr(buf_string(&out), "\"isError\":false"));
	}
}

static void fits(void **state)
{
	CLEANUP(mem_free_ptr) char *reply = reply_of("\"a_n_1\"", 'x', 100);
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_false(point_reply_fit(&out, reply, strlen(reply), 8192));
	assert_int_equal(out.len, 0);
}

/* What is no text is left out, and that is an error; the same text twice over
   (structuredContent) alone goes first. */
static void others(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 }, image = { 0 }, twice = { 0 };

	(void)state;
	buf_text(
		&image,
		"{\"id\":\"1\",\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"");
	buf_text(
		&twice,
		"{\"id\":\"1\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"structuredContent\":{\"x\":\"");
	for (size_t i = 0; i < 9000; i++) {
		buf_char(&image, 'A');
		buf_char(&twice, 'A');
	}
	buf_text(&image, "\"}]}}");
	buf_text(&twice, "\"}}}");
	assert_true(point_reply_fit(&out, image.data, image.len, 8192));
	assert_non_null(strstr(buf_string(&out), "it is left out"));
	assert_non_null(strstr(buf_string(&out), "\"isError\":true"));
	buf_reset(&out);
	assert_true(point_reply_fit(&out, twice.data, twice.len, 8192));
	assert_string_equal(
		buf_string(&out),
		"{\"id\":\"1\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}");
}

/* A picture goes, and the text that says what is on it stays. */
static void pictures(void **state)
{
	CLEANUP(buf_done) struct buf in = { 0 }, out = { 0 };

	(void)state;
	buf_text(
		&in,
		"{\"id\":\"1\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a cat\"},{\"type\":\"image\",\"data\":\"");
	for (size_t i = 0; i < 12000; i++)
		buf_char(&in, 'A');
	buf_text(
		&in,
		"\",\"mimeType\":\"image/jpeg\"},{\"type\":\"text\",\"text\":\"more\"}],\"isError\":false}}");
	assert_true(point_reply_fit(&out, in.data, in.len, 8192));
	assert_string_equal(
		buf_string(&out),
		"{\"id\":\"1\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a cat (left out: a picture or sound of 9000 bytes; the access point takes 8192)\"},{\"type\":\"text\",\"text\":\"more\"}],\"isError\":false}}");
}

/* Of texts that are many the last ones go. */
static void many(void **state)
{
	static const size_t lens[] = { 2000, 7000 };

	(void)state;
	for (size_t i = 0; i < COUNT(lens); i++) {
		CLEANUP(buf_done) struct buf in = { 0 }, out = { 0 };
		CLEANUP(mem_free_ptr) char *text = mem_zalloc(lens[i] + 1);
		CLEANUP(json_free_ptr) cJSON *json = NULL;

		memset(text, 'x', lens[i]);
		buf_text(&in, "{\"id\":\"1\",\"result\":{\"content\":[");
		for (int n = 0; n < 10; n++)
			buf_printf(&in,
				   "%s{\"type\":\"text\",\"text\":\"%d%s\"}",
				   n ? "," : "", n, text);
		buf_text(&in, "],\"isError\":false}}");
		assert_true(point_reply_fit(&out, in.data, in.len, 8192));
		assert_in_range(out.len, 6000, 8192);
		json = parsed(buf_string(&out));
		assert_non_null(strstr(buf_string(&out), "\"0x"));
		assert_non_null(strstr(buf_string(&out),
				       i ? " (left out: 9 more items; the" :
					   " (left out: 7 more items; the"));
		assert_non_null(strstr(buf_string(&out), "\"isError\":false"));
	}
}

/* Errors, lists, what is no JSON: as they are. */
static void leaves(void **state)
{
	static const char *const replies[] = {
		"{\"id\":1,\"error\":{\"code\":-1,\"message\":\"long enough\"}}",
		"{\"id\":1,\"result\":{\"tools\":[1,2,3,4,5,6,7,8,9]}}",
		"{\"id\":1,\"result\":[1,2,3,4,5,6,7,8,9,10,11]}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(replies); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		assert_false(point_reply_fit(&out, replies[i],
					     strlen(replies[i]), 20));
		assert_int_equal(out.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),  cmocka_unit_test(cuts),
		cmocka_unit_test(fits),	  cmocka_unit_test(others),
		cmocka_unit_test(leaves), cmocka_unit_test(pictures),
		cmocka_unit_test(many),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
