/* SPDX-License-Identifier: MIT */
/* What we announce, and what packets of others say of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/module.h"
#include "net/announced.h"

#define HERE "127.0.0.1"

static const struct mdns_table *mdns;
static struct announced_service mine;

static void name_it(struct announced_service *s, const char *host,
		    uint16_t port)
{
	static const char *const text[] = { "path=/mcp", NULL };
	struct buf full = { 0 };

	*s = (struct announced_service){ .service =
						 mem_strdup("_mcp._tcp.local"),
					 .host = mem_strdup(host),
					 .port = port };
	assert_int_equal(mdns->name(&full, "one (2)", s->service), 0);
	s->full = buf_take(&full);
	announced_add_text(s, text);
	words_add(&s->addresses, HERE);
}

static int load(void **state)
{
	(void)state;
	mdns = module_sized("mdns", MDNS_TABLE, sizeof(*mdns), NULL);
	if (!mdns)
		return -1;
	name_it(&mine, "lab.local", 8000);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	announced_done(&mine);
	return 0;
}

/* asks: it is marked as a question, whatever stands in it. */
static struct announced_hearing heard(const struct mdns_saying *s, bool asks)
{
	CLEANUP(buf_done) struct buf packet = { 0 };
	struct announced_hearing h;
	uint16_t id;

	assert_int_equal(mdns->say(&packet, s), 0);
	if (asks)
		packet.data[2] = packet.data[3] = 0;
	assert_true(
		announced_hear(&h, &mine, mdns, packet.data, packet.len, &id));
	return h;
}

static unsigned asked(const char *name, unsigned type)
{
	const struct mdns_question q = { name, type, false };

	return heard(&(struct mdns_saying){ .question = &q }, true).asked;
}

static void says_what_belongs_together(void **state)
{
	struct mdns_record record[RECORDS];
	const unsigned pointer = ANNOUNCED_BIT(RECORD_POINTER);

	(void)state;
	assert_int_equal(pointer | announced_belonging(pointer), ANNOUNCED_ALL);
	assert_int_equal(announced_belonging(ANNOUNCED_BIT(RECORD_HOST)), 0);
	assert_int_equal(announced_records(record, 0, &mine, pointer, HERE), 1);
	assert_string_equal(record[0].to, mine.full);
	assert_int_equal(announced_records(record, 1, &mine,
					   ANNOUNCED_BIT(RECORD_HOST), HERE),
			 2);
	assert_string_equal(record[1].address, HERE);
	assert_int_equal(mine.text.data[0], 9);
}

static void knows_what_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(asked(mine.service, MDNS_PTR),
			 ANNOUNCED_BIT(RECORD_POINTER));
	assert_int_equal(asked("_services._dns-sd._udp.local", MDNS_ANY),
			 ANNOUNCED_BIT(RECORD_KINDS));
	assert_int_equal(asked(mine.full, MDNS_ANY),
			 ANNOUNCED_BIT(RECORD_PLACE) |
				 ANNOUNCED_BIT(RECORD_ABOUT));
	assert_int_equal(asked("LAB.local", MDNS_A),
			 ANNOUNCED_BIT(RECORD_HOST));
	assert_int_equal(asked(mine.host, MDNS_AAAA), 0);
	assert_int_equal(asked("other.local", MDNS_ANY), 0);
}

/* RFC 6763 names them, RFC 6762, 10 says how long they are kept. */
static void has_these_records(void **state)
{
	static const char kinds[] = "_services._dns-sd._udp.local";
	const struct {
		enum announced_record which;
		enum mdns_type type;
		const char *name, *to;
		unsigned ttl;
		bool unique;
	} rows[] = {
		{ RECORD_KINDS, MDNS_PTR, kinds, mine.service, 4500, false },
		{ RECORD_POINTER, MDNS_PTR, mine.service, mine.full, 4500,
		  false },
		{ RECORD_PLACE, MDNS_SRV, mine.full, mine.host, 120, true },
		{ RECORD_ABOUT, MDNS_TXT, mine.full, NULL, 4500, true },
		{ RECORD_HOST, MDNS_A, mine.host, NULL, 120, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct mdns_record r =
			announced_record(&mine, rows[i].which, HERE);

		assert_int_equal(r.type, rows[i].type);
		assert_string_equal(r.name, rows[i].name);
		if (rows[i].to)
			assert_string_equal(r.to, rows[i].to);
		else
			assert_null(r.to);
		assert_int_equal(r.ttl, rows[i].ttl);
		assert_int_equal(r.unique, rows[i].unique);
	}
	assert_int_equal(announced_record(&mine, RECORD_PLACE, HERE).port,
			 8000);
	assert_int_equal(announced_record(&mine, RECORD_ABOUT, HERE).len, 10);
	assert_int_equal(announced_belonging(ANNOUNCED_BIT(RECORD_PLACE)),
			 ANNOUNCED_BIT(RECORD_HOST));
	assert_int_equal(announced_belonging(ANNOUNCED_BIT(RECORD_ABOUT) |
					     ANNOUNCED_BIT(RECORD_KINDS)),
			 0);
}

/* A text is as long as one byte can say. */
static void cuts_long_texts(void **state)
{
	char text[300];
	const char *const texts[] = { text, "x=1", NULL };
	struct announced_service s = { 0 };

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	announced_add_text(&s, texts);
	assert_int_equal(s.text.len, 1 + 255 + 4);
	assert_int_equal((unsigned char)s.text.data[0], 255);
	assert_memory_equal(s.text.data + 256, "\3x=1", 4);
	announced_done(&s);
}

/* As it was asked first, for who wants it back. */
static void remembers_the_question(void **state)
{
	CLEANUP(buf_done) struct buf packet = { 0 };
	const struct mdns_question others = { "other.local", MDNS_ANY, true };
	const struct mdns_question alone = { mine.host, MDNS_ANY, true };
	struct announced_hearing h;
	uint16_t id = 0;

	(void)state;
	h = heard(&(struct mdns_saying){ .question = &others }, true);
	assert_int_equal(h.asked, 0);
	assert_false(h.alone);
	assert_string_equal(h.question, "");
	h = heard(&(struct mdns_saying){ .question = &alone }, true);
	assert_true(h.alone);
	assert_string_equal(h.question, mine.host);
	assert_int_equal(h.type, MDNS_ANY);
	/* Two in one packet: lab.local A, then the service. */
	buf_add(&packet,
		"\0\7\0\0\0\2\0\0\0\0\0\0\3lab\5local\0\0\1\0\1"
		"\4_mcp\4_tcp\5local\0\0\x0c\0\1",
		48);
	assert_true(
		announced_hear(&h, &mine, mdns, packet.data, packet.len, &id));
	assert_int_equal(id, 7);
	assert_int_equal(h.asked, ANNOUNCED_BIT(RECORD_HOST) |
					  ANNOUNCED_BIT(RECORD_POINTER));
	assert_string_equal(h.question, mine.host);
	assert_int_equal(h.type, MDNS_A);
	assert_false(h.alone);
	assert_false(h.claimed || h.conflict || h.known);
	assert_false(announced_hear(&h, &mine, mdns, "", 0, &id));
}

static void need_not_be_told_what_it_knows(void **state)
{
	const struct mdns_question q = { mine.service, MDNS_PTR, false };
	struct mdns_record known =
		announced_record(&mine, RECORD_POINTER, HERE);
	const struct mdns_saying s = { .question = &q,
				       .record = &known,
				       .count = 1 };

	(void)state;
	assert_int_equal(heard(&s, true).known, ANNOUNCED_BIT(RECORD_POINTER));
	/* Half of its time is enough. */
	known.ttl = 2250;
	assert_int_equal(heard(&s, true).known, ANNOUNCED_BIT(RECORD_POINTER));
	known.ttl = 2249;
	assert_int_equal(heard(&s, true).known, 0);
	known.ttl = 4500;
	known.to = "other._mcp._tcp.local";
	assert_int_equal(heard(&s, true).known, 0);
	known = announced_record(&mine, RECORD_KINDS, HERE);
	assert_int_equal(heard(&s, true).known, ANNOUNCED_BIT(RECORD_KINDS));
	known.to = "_other._tcp.local";
	assert_int_equal(heard(&s, true).known, 0);
	/* What is not shared is asked for anew. */
	known = announced_record(&mine, RECORD_PLACE, HERE);
	known.ttl = 4500;
	assert_int_equal(heard(&s, true).known, 0);
}

/* A probe of who would say that of the name. */
static struct announced_hearing claimed(const char *host, uint16_t port)
{
	const struct mdns_question q = { mine.full, MDNS_ANY, false };
	struct announced_hearing h;
	struct announced_service other;
	struct mdns_record record;

	name_it(&other, host, port);
	record = announced_record(&other, RECORD_PLACE, HERE);
	h = heard(&(struct mdns_saying){ .question = &q,
					 .record = &record,
					 .count = 1,
					 .claims = true },
		  true);
	announced_done(&other);
	assert_true(h.claimed);
	return h;
}

static void who_says_more_has_the_name(void **state)
{
	(void)state;
	assert_int_equal(claimed(mine.host, mine.port).claim, 0);
	assert_true(claimed(mine.host, 8001).claim < 0);
	assert_true(claimed(mine.host, 7999).claim > 0);
	assert_true(claimed("longer.local", mine.port).claim < 0);
	assert_true(claimed("zab.local", mine.port).claim < 0);
	assert_true(claimed("aab.local", mine.port).claim > 0);
}

static struct announced_hearing claims(const struct mdns_record *r,
				       size_t count)
{
	const struct mdns_question q = { mine.full, MDNS_ANY, false };

	return heard(&(struct mdns_saying){ .question = &q,
					    .record = r,
					    .count = count,
					    .claims = true },
		     true);
}

static void the_first_claim_counts(void **state)
{
	CLEANUP(buf_done) struct buf packet = { 0 };
	struct mdns_record two[] = {
		announced_record(&mine, RECORD_ABOUT, HERE),
		announced_record(&mine, RECORD_PLACE, HERE),
	};
	const struct mdns_question q = { mine.full, MDNS_ANY, false };
	const struct mdns_saying s = {
		.question = &q, .record = &two[1], .count = 1, .claims = true
	};
	struct announced_hearing h;
	uint16_t id;

	(void)state;
	/* Ours is the last of the kinds. */
	two[1].port = 8001;
	h = claims(two, 2);
	assert_true(h.claimed && h.claim > 0);
	h = claims(two + 1, 1);
	assert_true(h.claimed && h.claim < 0);
	/* Of another name it is none. */
	two[1].name = "other._mcp._tcp.local";
	assert_false(claims(two + 1, 1).claimed);
	/* Who is asked first, or more often, says more: ours says 0. */
	two[1] = announced_record(&mine, RECORD_PLACE, HERE);
	for (size_t i = 0; i < 4; i++) {
		buf_reset(&packet);
		assert_int_equal(mdns->say(&packet, &s), 0);
		/* Behind them are the port and "lab", "local". */
		packet.data[packet.len - 17 + i]++;
		assert_true(announced_hear(&h, &mine, mdns, packet.data,
					   packet.len, &id));
		assert_true(h.claimed && h.claim < 0);
	}
}

static bool is_denied(struct mdns_record r)
{
	return heard(&(struct mdns_saying){ .record = &r, .count = 1 }, false)
		.conflict;
}

static void hears_other_words(void **state)
{
	struct mdns_record r = announced_record(&mine, RECORD_ABOUT, HERE);

	(void)state;
	r.text = "\x09path=/mcq";
	assert_true(is_denied(r));
	r.text = "\x08path=/mc";
	r.len = 9;
	assert_true(is_denied(r));
	r.name = "other._mcp._tcp.local";
	assert_false(is_denied(r));
	r = announced_record(&mine, RECORD_PLACE, HERE);
	r.to = "other.local";
	assert_true(is_denied(r));
	r.name = "other._mcp._tcp.local";
	assert_false(is_denied(r));
	r = announced_record(&mine, RECORD_HOST, "127.0.0.2");
	r.name = "other.local";
	assert_false(is_denied(r));
	r.name = "LAB.local";
	assert_true(is_denied(r));
}

static bool contradicts(enum announced_record which, const char *address,
			uint16_t port)
{
	struct mdns_record r = announced_record(&mine, which, address);

	r.port = port;
	return heard(&(struct mdns_saying){ .record = &r, .count = 1 }, false)
		.conflict;
}

static void hears_who_says_otherwise(void **state)
{
	(void)state;
	assert_false(contradicts(RECORD_PLACE, HERE, mine.port));
	assert_true(contradicts(RECORD_PLACE, HERE, 8001));
	assert_false(contradicts(RECORD_HOST, HERE, 0));
	assert_true(contradicts(RECORD_HOST, "127.0.0.2", 0));
	assert_false(contradicts(RECORD_ABOUT, HERE, 0));
	assert_false(contradicts(RECORD_POINTER, HERE, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_belongs_together),
		cmocka_unit_test(knows_what_is_asked_for),
		cmocka_unit_test(has_these_records),
		cmocka_unit_test(cuts_long_texts),
		cmocka_unit_test(remembers_the_question),
		cmocka_unit_test(need_not_be_told_what_it_knows),
		cmocka_unit_test(who_says_more_has_the_name),
		cmocka_unit_test(the_first_claim_counts),
		cmocka_unit_test(hears_who_says_otherwise),
		cmocka_unit_test(hears_other_words),
	};

	mem_init();
	return cmocka_run_group_tests(tests, load, clean);
}
