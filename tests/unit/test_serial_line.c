/* SPDX-License-Identifier: MIT */
/* wire/serial_line and wire/panic_text: each border of what they read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/panic_text.h"
#include "wire/serial_line.h"

#define BYTES(text) text, sizeof(text) - 1

static struct span span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

/* ---- lines ---- */

static void add(void *owner, struct span line, size_t over)
{
	buf_printf(owner, "%.*s|%zu\n", (int)line.len, line.text, over);
}

static void escapes(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *line;
	} rows[] = {
		{ BYTES("a\x1b[31mb"), "ab" },
		{ BYTES("a\x1b[@b"), "ab" },
		{ BYTES("a\x1b[~b"), "ab" },
		{ BYTES("a\x1b[?25 hb"), "ab" },
		{ BYTES("a\x1b[1;31"), "a" },
		{ BYTES("a\x1b["), "a" },
		{ BYTES("a\x1b"), "a" },
		{ BYTES("a\x1b[1\x7fz"), "a\x7fz" },
		{ BYTES("a\x1b[1\x1fz"), "a\x1fz" },
		{ BYTES("a\x1b[1\xc3\xa4"), "a\xc3\xa4" },
		{ BYTES("a\x1b[1\x1b[0mb"), "ab" },
		{ BYTES("a\x1b b"), "ab" },
		{ BYTES("a\x1b~b"), "ab" },
		{ BYTES("a\x1b\x7fz"), "a\x7fz" },
		{ BYTES("a\x1b\x1fz"), "a\x1fz" },
		{ BYTES("a\x1b\x1b[1mb"), "ab" },
		{ BYTES("a\x1b]0;t\ab"), "ab" },
		{ BYTES("a\x1b]\ab"), "ab" },
		{ BYTES("a\x1b]0;t\x1b\\b"), "ab" },
		{ BYTES("a\x1b]0;t"), "a" },
		{ BYTES("a\x1b]0;t\x1b"), "a" },
		/* Another sequence ends it, and is not of it. */
		{ BYTES("a\x1b]0;t\x1b[31mb"), "ab" },
		{ BYTES("\0a\0\rb\r"), "ab" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *wanted = mem_printf("%s|0\n", rows[i].line);
		struct serial_splitter s = { 0 };
		CLEANUP(buf_done) struct buf out = { 0 };

		serial_split(&s, rows[i].bytes, rows[i].len, add, &out);
		assert_int_equal(out.len, 0);
		serial_split(&s, "\n", 1, add, &out);
		assert_string_equal(buf_string(&out), wanted);
	}
}

static void several_at_once(void **state)
{
	struct serial_splitter s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	serial_split(&s, BYTES("\n\r\n\x1b[0m\na\n\nb\nc"), add, &out);
	assert_string_equal(buf_string(&out), "a|0\nb|0\n");
	assert_int_equal(s.len, 1);
	serial_split(&s, "", 0, add, &out);
	serial_flush(&s, add, &out);
	assert_string_equal(buf_string(&out), "a|0\nb|0\nc|0\n");
	assert_int_equal(s.len, 0);
}

/* The longest line that is kept, one byte more; and the next is whole. */
static void longest(void **state)
{
	static char text[SERIAL_LINE_MAX + 1];
	struct serial_splitter s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t over = 0; over < 2; over++) {
		const char *told = over ? "|1\na|0\n" : "|0\na|0\n";

		serial_split(&s, text, SERIAL_LINE_MAX + over, add, &out);
		serial_split(&s, BYTES("\na\n"), add, &out);
		assert_int_equal(out.len, SERIAL_LINE_MAX + strlen(told));
		assert_string_equal(buf_string(&out) + SERIAL_LINE_MAX, told);
		buf_reset(&out);
	}
}

/* ---- words and numbers ---- */

static void finds(void **state)
{
	const struct span line = span_of("one two two");
	struct span at = serial_find(line, "two");

	(void)state;
	assert_ptr_equal(at.text, line.text + 4);
	assert_int_equal(at.len, 3);
	assert_null(serial_find(line, "Two").text);
	assert_null(serial_find((struct span){ line.text, 6 }, "two").text);
	assert_non_null(serial_find((struct span){ line.text, 7 }, "two").text);
}

static void numbers(void **state)
{
	static const struct {
		const char *line;
		bool there;
		int64_t number;
	} rows[] = {
		{ "size 12 bytes", true, 12 },
		{ "size 0", true, 0 },
		{ "size -5", true, -5 },
		{ "size 0x1F,", true, 31 },
		{ "size 010", true, 10 },
		{ "size  7", true, 7 },
		{ "size 00000000000000000000012", true, 12 },
		{ "size 9223372036854775807", true, INT64_MAX },
		{ "size ", false, 0 },
		{ "size x1", false, 0 },
		{ "size", false, 0 },
		{ "Size 1", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t n = 99;

		assert_int_equal(
			serial_number(span_of(rows[i].line), "size ", &n),
			rows[i].there);
		if (rows[i].there)
			assert_int_equal(n, rows[i].number);
	}
}

/* What stands behind the line is none of it. */
static void number_at_the_end(void **state)
{
	int64_t n = 0;

	(void)state;
	assert_true(serial_number((struct span){ "n=1234", 4 }, "n=", &n));
	assert_int_equal(n, 12);
	assert_false(serial_number((struct span){ "n=1234", 2 }, "n=", &n));
}

/* ---- lines of ESP-IDF ---- */

#define TEN "0123456789"

static const struct log_row {
	const char *line;
	char level; /* 0: it is no such line */
	int64_t ms;
	const char *tag, *text;
} logs[] = {
	{ "E (1) a:", 'E', 1, "a", "" },
	{ "W (12345) wifi:x", 'W', 12345, "wifi", "x" },
	{ "I (0) a b: c: d", 'I', 0, "a b", "c: d" },
	{ "D (9) a:   b ", 'D', 9, "a", "b " },
	{ "V (9) a:  ", 'V', 9, "a", "" },
	{ "E (00:01:30.000) a: b", 'E', -1, "a", "b" },
	{ "E (2024-01-31 23:59:59.999) a: b", 'E', -1, "a", "b" },
	{ "E (1" TEN TEN TEN ") a: b", 'E', INT64_C(101234567890), "a", "b" },
	{ "E (12" TEN TEN TEN ") a: b", 0, 0, NULL, NULL },
	{ "E (1) " TEN TEN TEN TEN ": b", 'E', 1, TEN TEN TEN TEN, "b" },
	{ "E (1) 0" TEN TEN TEN TEN ": b", 0, 0, NULL, NULL },
	{ TEN TEN TEN TEN "1234567 E (1) a: b", 'E', 1, "a", "b" },
	{ TEN TEN TEN TEN "12345678 E (1) a: b", 0, 0, NULL, NULL },
	{ ">E (1) a: b", 'E', 1, "a", "b" },
	{ "]E (1) a: b", 'E', 1, "a", "b" },
	{ "\tE (1) a: b", 'E', 1, "a", "b" },
	{ "E E (1) a: b", 'E', 1, "a", "b" },
	{ ")E (1) a: b", 0, 0, NULL, NULL },
	{ "X (1) a: b", 0, 0, NULL, NULL },
	{ "E  (1) a: b", 0, 0, NULL, NULL },
	{ "E-(1) a: b", 0, 0, NULL, NULL },
	{ "E [1] a: b", 0, 0, NULL, NULL },
	{ "E 01) a: b", 0, 0, NULL, NULL },
	{ "E () aa: b", 0, 0, NULL, NULL },
	{ "E (1)aa: b", 0, 0, NULL, NULL },
	{ "E (1234)", 0, 0, NULL, NULL },
	{ "E (1a) a: b", 0, 0, NULL, NULL },
	{ "E (/) aa: b", 0, 0, NULL, NULL },
	{ "E (1) : bb", 0, 0, NULL, NULL },
	{ "E (1) abc", 0, 0, NULL, NULL },
	{ "E (1) :", 0, 0, NULL, NULL },
	{ "E (12345", 0, 0, NULL, NULL },
};

static void assert_span(struct span s, const char *text)
{
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.text, text, s.len);
}

static void log_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(logs); i++) {
		struct esp_log log = { 0 };

		if (esp_log_read(span_of(logs[i].line), &log) !=
		    (logs[i].level != 0))
			fail_msg("'%s'", logs[i].line);
		if (!logs[i].level)
			continue;
		assert_int_equal(log.level, logs[i].level);
		assert_int_equal(log.ms, logs[i].ms);
		assert_span(log.tag, logs[i].tag);
		assert_span(log.text, logs[i].text);
	}
	assert_false(esp_log_read((struct span){ BYTES("\0 (1) a: b") },
				  &(struct esp_log){ 0 }));
}

/* ---- panics ---- */

/* All of its addresses, the sure ones in front of '|'. */
static void assert_addresses(const struct panic_text *p, const char *wanted)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < p->count; i++)
		buf_printf(&out, "%s%x ", i == p->sure ? "| " : "",
			   p->address[i]);
	assert_string_equal(buf_string(&out), wanted);
}

static void backtrace_rows(void **state)
{
	static const struct {
		const char *line, *wanted;
	} rows[] = {
		{ "Backtrace: 0x3fffffff 0x40000000 0x4fffffff 0x50000000",
		  "40000000 4fffffff " },
		{ "Backtrace:0x40001000:0x40002000 0x40003000:0x40004000",
		  "40001000 40003000 " },
		{ "(1) Backtrace: 0x40001000 0x40001000 0x400abcdf",
		  "40001000 400abcdf " },
		{ "Backtrace: 0x40001000: 0x40002000", "40001000 40002000 " },
		{ "Backtrace: 0x40001000:", "40001000 " },
		{ "Backtrace: 0x400010009 0x4000100 0x4000100g x40003000 0x0",
		  "40001000 " },
		{ "Backtrace: 00x40001000", "40001000 " },
		{ "Backtrace: 0x4abcdef9", "4abcdef9 " },
		{ "Backtrace: 0x", "" },
		{ "Backtrace: 1x40001000 0y40001000 0xABCDABCD", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct panic_text p = { 0 };

		assert_int_equal(panic_text_line(&p, span_of(rows[i].line)),
				 *rows[i].wanted != '\0');
		assert_addresses(&p, rows[i].wanted);
		assert_int_equal(p.sure, p.count);
		assert_false(p.dumping);
	}
}

static void only_so_many(void **state)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct panic_text p = { 0 };

	(void)state;
	buf_text(&line, "Backtrace:");
	for (unsigned i = 0; i < PANIC_ADDRESSES + 1; i++)
		buf_printf(&line, " 0x%x", 0x40000000 + i);
	assert_true(panic_text_line(&p, span_of(buf_string(&line))));
	assert_int_equal(p.count, 32);
	assert_int_equal(p.address[31], 0x4000001f);
}

static void aborts(void **state)
{
	struct panic_text p = { 0 };

	(void)state;
	panic_text_line(&p, span_of("Backtrace: 0x40001000"));
	assert_false(panic_text_line(
		&p, span_of("abort() was called at PC 0x42007a3b on core 0")));
	assert_addresses(&p, "42007a3b ");
	assert_int_equal(p.sure, 1);
	assert_true(panic_text_line(&p, span_of("Rebooting...")));
	panic_text_reset(&p);
	assert_true(p.count == 0 && p.sure == 0);
	assert_false(panic_text_line(
		&p, span_of("abort() was called at PC 0x12 on core 0")));
	assert_false(panic_text_line(&p, span_of("Rebooting...")));
}

#define REGISTERS "MEPC    : 0x420048b4  RA      : 0x420048c8  "

static void stacks(void **state)
{
	static const struct {
		const char *line, *added;
	} rows[] = {
		{ "3fc8f2f0: 0x42005678 0x3fc8f310 0x42005679",
		  "42005678 42005679 " },
		{ "3fc8f2f0:0x42005678:0x42005679", "42005678 42005679 " },
		{ "09afbcde: 0x42005678", "42005678 " },
		{ "3fc8f2fg: 0x42005678", "" },
		{ "gfc8f2f0: 0x42005678", "" },
		{ "3FC8F2F0: 0x42005678", "" },
		{ "3fc8f2f0  0x42005678", "" },
		{ "3fc8f2f01: 0x42005678", "" },
		{ "3fc8f2f0: 0", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *wanted =
			mem_printf("420048b4 420048c8 %s%s",
				   *rows[i].added ? "| " : "", rows[i].added);
		struct panic_text p = { 0 };

		assert_false(panic_text_line(&p, span_of(rows[i].line)));
		assert_int_equal(p.count, 0);
		assert_false(panic_text_line(
			&p, span_of(REGISTERS "SP      : 0x42001111")));
		assert_true(p.dumping);
		assert_false(panic_text_line(&p, span_of(rows[i].line)));
		assert_addresses(&p, wanted);
		assert_int_equal(p.sure, 2);
	}
}

/* The end of a panic, where there was one; and who prints no SP. */
static void ends(void **state)
{
	static const char *const lines[] = { "ELF file SHA256: 0123",
					     "Rebooting...", "CPU halted.",
					     "rst:0xc (SW_CPU)" };

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct panic_text p = { 0 };

		assert_false(panic_text_line(&p, span_of(lines[i])));
		assert_false(panic_text_line(&p, span_of(REGISTERS)));
		assert_false(panic_text_line(&p, span_of("Stack memory:")));
		assert_true(panic_text_line(&p, span_of(lines[i])));
		assert_addresses(&p, "420048b4 420048c8 ");
		/* A backtrace is no stack. */
		assert_true(panic_text_line(&p, span_of("Backtrace:")));
		assert_false(p.dumping);
	}
}

static void registers_of_nothing(void **state)
{
	struct panic_text p = { 0 };

	(void)state;
	assert_false(panic_text_line(&p, span_of("MEPC    : 0x00000000")));
	assert_false(p.dumping);
	assert_false(panic_text_line(&p, span_of("RA : 0x42001234")));
	assert_int_equal(p.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(several_at_once),
		cmocka_unit_test(longest),
		cmocka_unit_test(finds),
		cmocka_unit_test(numbers),
		cmocka_unit_test(number_at_the_end),
		cmocka_unit_test(log_lines),
		cmocka_unit_test(backtrace_rows),
		cmocka_unit_test(only_so_many),
		cmocka_unit_test(aborts),
		cmocka_unit_test(stacks),
		cmocka_unit_test(ends),
		cmocka_unit_test(registers_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
