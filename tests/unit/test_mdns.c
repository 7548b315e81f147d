/* SPDX-License-Identifier: MIT */
/* Packets of multicast DNS, from literal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/module.h"
#include "net/mdns.h"

#define BYTES(text) text, sizeof(text) - 1
#define HEAD(answers, more) \
	"\x00\x07\x84\x00\x00\x00\x00" answers "\x00\x00\x00" more
#define SERVICE "\x04_mcp\x04_tcp\x05local\x00"
#define REST "\x80\x01\x00\x00\x00\x78"

static const struct mdns_table *mdns;
static struct buf told;

static int load(void **state)
{
	(void)state;
	mdns = module_table("mdns", MDNS_TABLE, NULL);
	return mdns && mdns->size == sizeof(*mdns) ? 0 : -1;
}

static int clean(void **state)
{
	(void)state;
	buf_done(&told);
	return 0;
}

static void each(void *owner, const struct mdns_record *r)
{
	(void)owner;
	buf_printf(&told, "%d %s %s %s %u %.*s;", r->type, r->name,
		   r->to ? r->to : "-", r->address ? r->address : "-",
		   (unsigned)r->port, (int)r->len, r->text ? r->text : "");
}

static int reads(const char *packet, size_t len)
{
	buf_reset(&told);
	return mdns->read(packet, len, each, NULL);
}

static void test_question(void **state)
{
	(void)state;
	assert_int_equal(mdns->ask(&told, "_mcp._tcp.local", MDNS_PTR), 0);
	assert_int_equal(told.len, 33);
	assert_memory_equal(
		told.data, "\0\0\0\0\0\1\0\0\0\0\0\0" SERVICE "\0\x0c\0\1", 33);
	assert_int_equal(mdns->ask(&told, "a..b", MDNS_PTR), -1);
}

/* A pointer; behind it, by compression, where that is and what it says. */
static void test_answer(void **state)
{
	(void)state;
	assert_int_equal(
		reads(BYTES(HEAD("\x01", "\x03") SERVICE
			    "\x00\x0c\x00\x01\x00\x00\x00\x78\x00\x07\x04"
			    "Lamp\xc0\x0c"
			    "\xc0\x27\x00\x21" REST
			    "\x00\x0b\x00\x00\x00\x00\x1f\x90\x02io\xc0\x16"
			    "\xc0\x27\x00\x10" REST "\x00\x0a\x09path=/mcp"
			    "\x02io\xc0\x16\x00\x01" REST
			    "\x00\x04\x0a\x00\x00\x07")),
		0);
	assert_string_equal(buf_string(&told),
			    "12 _mcp._tcp.local Lamp._mcp._tcp.local - 0 ;"
			    "33 Lamp._mcp._tcp.local io.local - 8080 ;"
			    "16 Lamp._mcp._tcp.local - - 0 \tpath=/mcp;"
			    "1 io.local - 10.0.0.7 0 ;");
}

static void test_refused(void **state)
{
	static const char loop[] =
		HEAD("\x01", "\x00") "\xc0\x0c\x00\x0c" REST "\x00\x02\xc0\x0c";
	static const char question[] =
		"\0\0\0\0\0\1\0\0\0\0\0\0" SERVICE "\0\x0c\0\1";
	static const char gone[] = HEAD("\x01", "\x00") SERVICE
		"\x00\x01\x80\x01\x00\x00\x00\x00\x00\x04\x01\x02\x03\x04";
	static const char shorter[] = HEAD("\x01", "\x00") SERVICE
		"\x00\x01" REST "\x00\x03\x01\x02\x03";

	(void)state;
	assert_int_equal(reads(BYTES(loop)), -1);
	assert_int_equal(reads(BYTES(question)), -1);
	assert_int_equal(reads(BYTES(shorter)), -1);
	assert_int_equal(told.len, 0);
	/* What is taken back is no answer. */
	assert_int_equal(reads(BYTES(gone)), 0);
	assert_int_equal(told.len, 0);
	for (size_t len = 0; len < sizeof(gone) - 1; len++)
		assert_int_equal(reads(gone, len), -1);
}

static void test_label(void **state)
{
	(void)state;
	mdns->label(&told, "My\\032Lamp\\.\\027x._mcp._tcp.local");
	assert_string_equal(buf_string(&told), "My Lamp.\x1bx");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_question, clean),
		cmocka_unit_test_teardown(test_answer, clean),
		cmocka_unit_test_teardown(test_refused, clean),
		cmocka_unit_test_teardown(test_label, clean),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
