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
#include "base/json.h"
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

/* ---- heard by who answers, and said ---- */

static void asked(void *owner, const struct mdns_question *q)
{
	(void)owner;
	buf_printf(&told, "asked %u %s%s;", q->type, q->name,
		   q->unicast ? " alone" : "");
}

static void add_record(const char *what, const struct mdns_record *r)
{
	buf_printf(&told, "%s %d %s %s %s %u/%u/%u %u%s;", what, r->type,
		   r->name, r->to ? r->to : "-", r->address ? r->address : "-",
		   (unsigned)r->priority, (unsigned)r->weight,
		   (unsigned)r->port, (unsigned)r->ttl,
		   r->unique ? " unique" : "");
}

static void known(void *owner, const struct mdns_record *r)
{
	(void)owner;
	add_record("known", r);
}

static void claimed(void *owner, const struct mdns_record *r)
{
	(void)owner;
	add_record("claimed", r);
}

static void said(void *owner, const struct mdns_record *r)
{
	(void)owner;
	add_record("said", r);
}

static const struct mdns_hearer hearer = { asked, known, claimed, said };

static int hears(const char *packet, size_t len, uint16_t *id)
{
	buf_reset(&told);
	return mdns->hear(packet, len, &hearer, NULL, id);
}

static void test_heard_question(void **state)
{
	/* Two questions, one for it alone; a known answer; a claim. */
	static const char packet[] =
		"\x00\x09\x00\x00\x00\x02\x00\x01\x00\x01\x00\x00" SERVICE
		"\x00\x0c\x80\x01\x04Lamp\xc0\x0c\x00\xff\x00\x01"
		"\xc0\x0c\x00\x0c\x00\x01\x00\x00\x11\x94\x00\x02\xc0\x21"
		"\xc0\x21\x00\x21\x00\x01\x00\x00\x00\x78\x00\x09\x00\x01\x00\x02"
		"\x1f\x90\x01x\x00";
	uint16_t id = 0;

	(void)state;
	assert_int_equal(hears(BYTES(packet), &id), 0);
	assert_int_equal(id, 9);
	assert_string_equal(
		buf_string(&told),
		"asked 12 _mcp._tcp.local alone;"
		"asked 255 Lamp._mcp._tcp.local;"
		"known 12 _mcp._tcp.local Lamp._mcp._tcp.local - 0/0/0 4500;"
		"claimed 33 Lamp._mcp._tcp.local x - 1/2/8080 120;");
	for (size_t len = 0; len < sizeof(packet) - 1; len++)
		assert_int_equal(hears(packet, len, &id), -1);
	/* An answer has said nothing by its authorities. */
	assert_int_equal(
		hears(BYTES(HEAD("\x01", "\x00") SERVICE
			    "\x00\x01" REST "\x00\x04\x01\x02\x03\x04"),
		      &id),
		0);
	assert_string_equal(
		buf_string(&told),
		"said 1 _mcp._tcp.local - 1.2.3.4 0/0/0 120 unique;");
}

static const char place[] = "Lamp._mcp._tcp.local";
static const struct mdns_record records[] = {
	{ .type = MDNS_PTR,
	  .name = "_mcp._tcp.local",
	  .to = place,
	  .ttl = 4500 },
	{ .type = MDNS_SRV,
	  .name = place,
	  .to = "io.local",
	  .port = 8080,
	  .ttl = 120,
	  .unique = true },
	{ .type = MDNS_TXT,
	  .name = place,
	  .text = "\x04p=/x",
	  .len = 5,
	  .ttl = 4500,
	  .unique = true },
	{ .type = MDNS_A,
	  .name = "io.local",
	  .address = "10.0.0.7",
	  .ttl = 120,
	  .unique = true },
};

static void test_said(void **state)
{
	static const char wanted[] =
		"\x00\x00\x84\x00\x00\x00\x00\x01\x00\x00\x00\x03" SERVICE
		"\x00\x0c\x00\x01\x00\x00\x11\x94\x00\x07\x04Lamp\xc0\x0c"
		"\xc0\x27\x00\x21\x80\x01\x00\x00\x00\x78\x00\x10"
		"\x00\x00\x00\x00\x1f\x90\x02io\x05local\x00"
		"\xc0\x27\x00\x10\x80\x01\x00\x00\x11\x94\x00\x05\x04p=/x"
		"\x02io\xc0\x16\x00\x01\x80\x01\x00\x00\x00\x78\x00\x04\x0a\x00\x00\x07";
	const struct mdns_saying all = { .record = records,
					 .count = COUNT(records),
					 .more = 3 };

	(void)state;
	assert_int_equal(mdns->say(&told, &all), 0);
	assert_int_equal(told.len, sizeof(wanted) - 1);
	assert_memory_equal(told.data, wanted, sizeof(wanted) - 1);
}

/* For other DNS: with its id and question, kept briefly, nothing is unique. */
static void test_said_plainly(void **state)
{
	const struct mdns_question q = { place, MDNS_SRV, false };
	const struct mdns_saying plain = { .id = 0x0102,
					   .question = &q,
					   .record = &records[1],
					   .count = 1,
					   .plain = true };
	static const char head[] =
		"\x01\x02\x84\x00\x00\x01\x00\x01\x00\x00\x00\x00"
		"\x04Lamp" SERVICE "\x00\x21\x00\x01"
		"\xc0\x0c\x00\x21\x00\x01\x00\x00\x00\x0a";

	(void)state;
	assert_int_equal(mdns->say(&told, &plain), 0);
	assert_in_range(told.len, sizeof(head), 80);
	assert_memory_equal(told.data, head, sizeof(head) - 1);
}

static void test_claimed(void **state)
{
	const struct mdns_question q = { place, MDNS_ANY, false };
	const struct mdns_saying claim = { .question = &q,
					   .record = &records[1],
					   .count = 1,
					   .claims = true };
	CLEANUP(buf_done) struct buf packet = { 0 };
	uint16_t id = 1;

	(void)state;
	assert_int_equal(mdns->say(&packet, &claim), 0);
	assert_int_equal(hears(packet.data, packet.len, &id), 0);
	assert_int_equal(id, 0);
	assert_string_equal(
		buf_string(&told),
		"asked 255 Lamp._mcp._tcp.local;"
		"claimed 33 Lamp._mcp._tcp.local io.local - 0/0/8080 120;");
}

static void test_not_said(void **state)
{
	char long_text[2000] = { 0 };
	struct mdns_record r = records[2];
	struct mdns_saying s = { .record = &r, .count = 1 };

	(void)state;
	r.text = long_text;
	r.len = sizeof(long_text);
	assert_int_equal(mdns->say(&told, &s), -1);
	r = records[3];
	r.address = "fe80::1";
	assert_int_equal(mdns->say(&told, &s), -1);
	r = records[0];
	r.to = "a..b";
	assert_int_equal(mdns->say(&told, &s), -1);
	assert_int_equal(told.len, 0);
}

static void test_name(void **state)
{
	char label[65];

	(void)state;
	assert_int_equal(mdns->name(&told, "my lamp.x (2)", "_mcp._tcp.local"),
			 0);
	assert_string_equal(buf_string(&told),
			    "my\\032lamp\\.x\\032\\(2\\)._mcp._tcp.local");
	buf_reset(&told);
	memset(label, 'x', sizeof(label) - 1);
	label[64] = '\0';
	assert_int_equal(mdns->name(&told, label, "local"), -1);
	assert_int_equal(mdns->name(&told, "", "local"), -1);
	assert_int_equal(mdns->name(&told, "x", "a..b"), -1);
	assert_int_equal(told.len, 0);
	label[63] = '\0';
	assert_int_equal(mdns->name(&told, label, "local"), 0);
	assert_int_equal(told.len, 69);
}

/* A packet of so many answers and questions, each as it is given. */
static void packet_of(struct buf *out, unsigned flags, unsigned questions,
		      const struct span *question, unsigned answers,
		      const struct span *answer)
{
	const unsigned char head[12] = { 0,
					 7,
					 (unsigned char)flags,
					 0,
					 0,
					 (unsigned char)questions,
					 0,
					 (unsigned char)answers };

	buf_reset(out);
	buf_add(out, head, sizeof(head));
	for (unsigned i = 0; i < questions; i++)
		buf_add(out, question->text, question->len);
	for (unsigned i = 0; i < answers; i++)
		buf_add(out, answer->text, answer->len);
}

static size_t count_told(void)
{
	size_t count = 0;

	for (const char *p = buf_string(&told); *p; p++)
		count += *p == ';';
	return count;
}

/* What a packet may have is not all read. */
static void test_many(void **state)
{
	static const char record[] = "\x01x\x00\x00\x01\x00\x01\x00\x00\x00\x78"
				     "\x00\x04\x01\x02\x03\x04";
	static const char question[] = "\x01x\x00\x00\x01\x00\x01";
	const struct span a = { BYTES(record) }, q = { BYTES(question) };
	CLEANUP(buf_done) struct buf packet = { 0 };
	uint16_t id;

	(void)state;
	packet_of(&packet, 0x84, 0, &q, 200, &a);
	assert_int_equal(reads(packet.data, packet.len), 0);
	assert_int_equal(count_told(), 200);
	packet_of(&packet, 0x84, 0, &q, 201, &a);
	assert_int_equal(reads(packet.data, packet.len), 0);
	assert_int_equal(count_told(), 200);
	packet_of(&packet, 0, 50, &q, 0, &a);
	assert_int_equal(hears(packet.data, packet.len, &id), 0);
	assert_int_equal(count_told(), 50);
	packet_of(&packet, 0, 51, &q, 0, &a);
	assert_int_equal(hears(packet.data, packet.len, &id), 0);
	assert_int_equal(count_told(), 50);
}

/* One text that fills a packet of that length. */
static int of_length(size_t len, bool heard)
{
	CLEANUP(buf_done) struct buf packet = { 0 };
	const size_t text = len - 12 - 3 - 10;
	uint16_t id;

	buf_add(&packet, "\0\7\x84\0\0\0\0\1\0\0\0\0", 12);
	buf_add(&packet, "\1x\0\0\x10\0\1\0\0\0\x78", 11);
	buf_char(&packet, (char)(text >> 8));
	buf_char(&packet, (char)text);
	while (packet.len < len)
		buf_char(&packet, 'x');
	return heard ? hears(packet.data, packet.len, &id) :
		       reads(packet.data, packet.len);
}

static void test_large(void **state)
{
	(void)state;
	assert_int_equal(of_length(9000, false), 0);
	assert_int_equal(of_length(9000, true), 0);
	assert_int_equal(of_length(9001, false), -1);
	assert_int_equal(of_length(9001, true), -1);
}

#define ANSWERS(n) "\x00\x07\x84\x00\x00\x00\x00" n "\x00\x00\x00\x00"

static void test_kinds(void **state)
{
	static const char six[] = ANSWERS(
		"\x01") "\x01x\x00\x00\x1c" REST
			"\x00\x10\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x01";
	static const char brief[] = ANSWERS(
		"\x01") "\x01x\x00\x00\x01\x00\x01\x00\x00\x00\x01\x00\x04\x01\x02\x03\x04";
	/* HINFO, an address of CHAOS, an address. */
	static const char others[] = ANSWERS(
		"\x03") "\x01x\x00\x00\x0d" REST "\x00\x02\x00\x00"
			"\x01x\x00\x00\x01\x00\x03\x00\x00\x00\x78\x00\x04\x01\x02\x03\x04"
			"\x01x\x00\x00\x01" REST "\x00\x04\x01\x02\x03\x05";
	static const char *const broken[] = {
		"\x00\x1c" REST "\x00\x04\x01\x02\x03\x04", /* AAAA of 4 */
		"\x00\x0c" REST "\x00\x00----", /* PTR of 0 */
		"\x00\x21" REST "\x00\x06------", /* SRV without a name */
	};
	static const size_t lengths[] = { 14, 10, 16 };

	(void)state;
	assert_int_equal(reads(BYTES(six)), 0);
	assert_string_equal(buf_string(&told), "28 x - fe80::1 0 ;");
	assert_int_equal(reads(BYTES(brief)), 0);
	assert_string_equal(buf_string(&told), "1 x - 1.2.3.4 0 ;");
	assert_int_equal(reads(BYTES(others)), 0);
	assert_string_equal(buf_string(&told), "1 x - 1.2.3.5 0 ;");
	for (size_t i = 0; i < COUNT(broken); i++) {
		CLEANUP(buf_done) struct buf packet = { 0 };

		buf_add(&packet, ANSWERS("\x01") "\x01x\x00", 15);
		buf_add(&packet, broken[i], lengths[i]);
		assert_int_equal(reads(packet.data, packet.len), -1);
		assert_int_equal(told.len, 0);
	}
}

/* Each section in its place: answers, authorities, additional ones. */
static void test_sections(void **state)
{
#define ONE(n) \
	"\x01" n "\x00\x00\x01\x00\x01\x00\x00\x00\x09\x00\x04\x01\x02\x03\x04"
	static const char answer[] =
		"\x01\x02\x84\x00\x00\x01\x00\x01\x00\x01\x00\x01"
		"\x01q\x00\x00\x01\x00\x01" ONE("a") ONE("b") ONE("c");
	static const char question[] =
		"\x01\x02\x00\x00\x00\x03\x00\x01\x00\x01\x00\x01"
		"\x01q\x00\x00\x01\x00\xff\x01r\x00\x00\x01\x00\x03"
		"\x01s\x00\x00\x01\x80\xff" ONE("a") ONE("b") ONE("c");
	static const struct mdns_hearer deaf = { 0 };
	uint16_t id = 0;

	(void)state;
	assert_int_equal(hears(BYTES(answer), &id), 0);
	assert_int_equal(id, 0x102);
	assert_string_equal(buf_string(&told), "said 1 a - 1.2.3.4 0/0/0 9;"
					       "said 1 c - 1.2.3.4 0/0/0 9;");
	assert_int_equal(hears(BYTES(question), &id), 0);
	assert_string_equal(buf_string(&told),
			    "asked 1 q;asked 1 s alone;"
			    "known 1 a - 1.2.3.4 0/0/0 9;"
			    "claimed 1 b - 1.2.3.4 0/0/0 9;");
	buf_reset(&told);
	assert_int_equal(mdns->hear(BYTES(question), &deaf, NULL, &id), 0);
	assert_int_equal(mdns->hear(BYTES(answer), &deaf, NULL, &id), 0);
	assert_int_equal(told.len, 0);
	assert_int_equal(reads(BYTES(answer)), 0);
	assert_string_equal(buf_string(&told),
			    "1 a - 1.2.3.4 0 ;1 c - 1.2.3.4 0 ;");
}

/* What one record becomes: its class and TTL, as they stand behind "x", A. */
static void says(struct mdns_saying *s, uint32_t ttl, bool unique,
		 const char *wanted)
{
	const struct mdns_record r = { .type = MDNS_A,
				       .name = "x",
				       .address = "1.2.3.4",
				       .ttl = ttl,
				       .unique = unique };

	buf_reset(&told);
	s->record = &r;
	s->count = 1;
	assert_int_equal(mdns->say(&told, s), 0);
	assert_int_equal(told.len, 12 + 5 + 12);
	assert_memory_equal(told.data + 17, wanted, 6);
}

static void test_how_it_is_said(void **state)
{
	struct mdns_saying usual = { 0 }, plain = { .plain = true };
	struct mdns_saying claim = { .claims = true };

	(void)state;
	says(&usual, 0x01020304, true, "\x80\x01\x01\x02\x03\x04");
	assert_memory_equal(told.data, "\0\0\x84\0\0\0\0\1\0\0\0\0", 12);
	says(&usual, 11, false, "\x00\x01\x00\x00\x00\x0b");
	says(&plain, 11, true, "\x00\x01\x00\x00\x00\x0a");
	says(&plain, 10, true, "\x00\x01\x00\x00\x00\x0a");
	says(&plain, 9, false, "\x00\x01\x00\x00\x00\x09");
	says(&claim, 11, true, "\x00\x01\x00\x00\x00\x0b");
	assert_memory_equal(told.data, "\0\0\0\0\0\0\0\0\0\1\0\0", 12);
	usual.more = 1;
	says(&usual, 1, false, "\x00\x01\x00\x00\x00\x01");
	assert_memory_equal(told.data, "\0\0\x84\0\0\0\0\0\0\0\0\1", 12);
}

static void test_asked_alone(void **state)
{
	const struct mdns_question q = { "x", MDNS_ANY, true };
	const struct mdns_saying s = { .question = &q, .claims = true };

	(void)state;
	assert_int_equal(mdns->say(&told, &s), 0);
	assert_int_equal(told.len, 19);
	assert_memory_equal(told.data,
			    "\0\0\0\0\0\1\0\0\0\0\0\0\1x\0\0\xff\x80\1", 19);
}

/* A text that fills our packet to its end, or not any more. */
static void test_full(void **state)
{
	static char text[1400];
	struct mdns_record r = { .type = MDNS_TXT, .name = "x", .text = text };
	const struct mdns_saying s = { .record = &r, .count = 1 };

	(void)state;
	r.len = 1400 - 12 - 3 - 10;
	assert_int_equal(mdns->say(&told, &s), 0);
	assert_int_equal(told.len, 1400);
	buf_reset(&told);
	r.len++;
	assert_int_equal(mdns->say(&told, &s), -1);
	/* Of what is none of ours there is nothing to say. */
	r = (struct mdns_record){ .type = MDNS_AAAA,
				  .name = "x",
				  .address = "::1" };
	assert_int_equal(mdns->say(&told, &s), -1);
	r = (struct mdns_record){ .type = MDNS_A,
				  .name = "a..b",
				  .address = "1.2.3.4" };
	assert_int_equal(mdns->say(&told, &s), -1);
	assert_int_equal(told.len, 0);
	mdns->label(&told, "a..b");
	assert_int_equal(told.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_question, clean),
		cmocka_unit_test_teardown(test_answer, clean),
		cmocka_unit_test_teardown(test_refused, clean),
		cmocka_unit_test_teardown(test_label, clean),
		cmocka_unit_test_teardown(test_heard_question, clean),
		cmocka_unit_test_teardown(test_said, clean),
		cmocka_unit_test_teardown(test_said_plainly, clean),
		cmocka_unit_test_teardown(test_claimed, clean),
		cmocka_unit_test_teardown(test_not_said, clean),
		cmocka_unit_test_teardown(test_name, clean),
		cmocka_unit_test_teardown(test_many, clean),
		cmocka_unit_test_teardown(test_large, clean),
		cmocka_unit_test_teardown(test_kinds, clean),
		cmocka_unit_test_teardown(test_sections, clean),
		cmocka_unit_test_teardown(test_how_it_is_said, clean),
		cmocka_unit_test_teardown(test_asked_alone, clean),
		cmocka_unit_test_teardown(test_full, clean),
	};

	return cmocka_run_group_tests(tests, load, NULL);
}
