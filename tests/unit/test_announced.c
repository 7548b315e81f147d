/* SPDX-License-Identifier: MIT */
/* What we announce, and what packets of others say of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
	known.ttl = 100;
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
		cmocka_unit_test(need_not_be_told_what_it_knows),
		cmocka_unit_test(who_says_more_has_the_name),
		cmocka_unit_test(hears_who_says_otherwise),
	};

	mem_init();
	return cmocka_run_group_tests(tests, load, clean);
}
