/* SPDX-License-Identifier: MIT */
/* Boards that throw each other out: which hint, when, and how often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "serve/rivals.h"

#define BOARD_PERHAPS                                                    \
	"its client id is another one than before: two boards with one " \
	"Device-Id throw each other out; or were its settings erased?"
#define BOARD_OFTEN                                                        \
	"again and again: two boards with one Device-Id throw each other " \
	"out, or one restarts (see its own log)"
#define BOARD_CERTAIN                                                    \
	"two boards with one Device-Id throw each other out, for ever: " \
	"only one can be served; give the other a Device-Id of its own " \
	"(firmware takes its MAC address)"
#define MQTT_PERHAPS                                                       \
	"from another address than before: if these are two boards, each " \
	"needs a client id of its own, which OTA gives it"
#define MQTT_OFTEN                                                         \
	"again and again: two boards with one client id throw each other " \
	"out, or one restarts (see its own log)"
#define MQTT_CERTAIN                                                     \
	"two boards with one client id throw each other out, for ever: " \
	"let each ask OTA here, which gives it a client id of its own; " \
	"were settings copied from one to the other?"
#define TOOL_PERHAPS                                                       \
	"from another address than before: two tool sides with one token " \
	"throw each other out"
#define TOOL_OFTEN                                                         \
	"again and again: two tool sides with one token throw each other " \
	"out, or one reconnects (see its own log)"
#define TOOL_CERTAIN                                                        \
	"two tool sides with one token throw each other out, for ever: "    \
	"only one can be served; give the other a token, or agent=NAME in " \
	"its URL, of its own"

enum kind { BOARD, MQTT, TOOL };

struct meeting {
	int64_t now;
	const char *old_client, *old_address, *new_client, *new_address;
	const char *hint;
};

static const char *meet(struct rivals *m, enum kind kind,
			const struct meeting *row)
{
	return rivals_meet(m, &(struct rivalry){
				      .id = "aa:01",
				      .mqtt = kind == MQTT,
				      .tool_side = kind == TOOL,
				      .old_client = row->old_client,
				      .old_address = row->old_address,
				      .new_client = row->new_client,
				      .new_address = row->new_address,
				      .now = row->now,
			      });
}

static void assert_hint(const char *hint, const char *expected)
{
	if (expected)
		assert_string_equal(hint, expected);
	else
		assert_null(hint);
}

/* Up to the first row without a time but the first. */
static void assert_meetings(enum kind kind, const struct meeting *row)
{
	struct rivals m = { 0 };
	const struct meeting *first = row;

	for (; row == first || row->now; row++)
		assert_hint(meet(&m, kind, row), row->hint);
	rivals_done(&m);
	assert_int_equal(m.count, 0);
}

#define A "a", "10.0.0.1:5000"
#define B "b", "10.0.0.2:5000"
#define C "c", "10.0.0.3:5000"
/* The same board from another port. */
#define A_AGAIN "a", "10.0.0.1:6000"

static void client_ids_of_boards(void **state)
{
	static const struct meeting rows[][8] = {
		/* Each once; the third soon after another is often. */
		{ { 0, A, B, BOARD_PERHAPS },
		  { 1, A, B, NULL },
		  { 2, A, B, BOARD_OFTEN },
		  { 3, A, B, NULL },
		  { 4, B, A, BOARD_CERTAIN },
		  { 5, A, B, NULL } },
		/* In turns. */
		{ { 0, A, B, BOARD_PERHAPS },
		  { 1, B, A, BOARD_CERTAIN },
		  { 2, A, B, NULL } },
		/* Each is a new one. */
		{ { 0, A, B, BOARD_PERHAPS },
		  { 1, B, C, NULL },
		  { 2, C, B, BOARD_CERTAIN } },
		/* What is not known is not another one. */
		{ { 0, NULL, "10.0.0.1:1", "b", "10.0.0.2:1", NULL } },
		{ { 0, "a", "10.0.0.1:1", NULL, "10.0.0.2:1", NULL } },
		/* An address alone may change. */
		{ { 0, "a", "10.0.0.1:1", "a", "10.0.0.2:1", NULL } },
		/* Client ids differ with case. */
		{ { 0, "a", NULL, "A", NULL, BOARD_PERHAPS } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_meetings(BOARD, rows[i]);
}

/* Ten seconds are soon; ten minutes are not quiet yet. */
static void times(void **state)
{
	static const struct meeting rows[][8] = {
		{ { 0, A, A_AGAIN, NULL },
		  { 10000, A_AGAIN, A, NULL },
		  { 20000, A, A_AGAIN, BOARD_OFTEN },
		  { 620000, A, A_AGAIN, NULL },
		  { 620001, A, A_AGAIN, NULL },
		  { 620002, A, A_AGAIN, NULL } },
		{ { 0, A, A_AGAIN, NULL },
		  { 10000, A, A_AGAIN, NULL },
		  { 20001, A, A_AGAIN, NULL },
		  { 20002, A, A_AGAIN, NULL },
		  { 20003, A, A_AGAIN, BOARD_OFTEN } },
		{ { 0, A, B, BOARD_PERHAPS },
		  { 600001, A, B, BOARD_PERHAPS },
		  { 600002, A, B, NULL } },
		{ { 0, A, B, BOARD_PERHAPS },
		  { 600000, A, B, NULL },
		  { 1200001, A, B, BOARD_PERHAPS },
		  { 1800002, B, A, BOARD_PERHAPS },
		  { 1800003, A, B, BOARD_CERTAIN } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_meetings(BOARD, rows[i]);
}

/* Who is told by its address; a port is no address. */
static void addresses(void **state)
{
	static const struct meeting same[][4] = {
		{ { 0, "a", "10.0.0.1:1", "b", "10.0.0.1:2", NULL } },
		{ { 0, "a", "[fe80::1]:1", "a", "[fe80::1]:2", NULL },
		  { 1, "a", "[fe80::1]:2", "a", "[fe80::1]:1", NULL } },
		{ { 0, "a", NULL, "a", "10.0.0.2:2", NULL } },
		{ { 0, "a", "10.0.0.1:1", "a", NULL, NULL } },
	};
	static const struct meeting mqtt[][4] = {
		{ { 0, "a", "10.0.0.1:1", "a", "10.0.0.2:1", MQTT_PERHAPS },
		  { 1, "a", "10.0.0.2:2", "a", "10.0.0.1:2", MQTT_CERTAIN } },
		{ { 0, "a", "fe80::1", "a", "fe80::2", MQTT_PERHAPS },
		  { 1, "a", "fe80::2", "a", "fe80::1", MQTT_CERTAIN } },
		{ { 0, NULL, "10.0.0.1", NULL, "10.0.0.2", MQTT_PERHAPS },
		  { 1, NULL, "10.0.0.2", NULL, "10.0.0.1", MQTT_CERTAIN } },
		{ { 0, A, A_AGAIN, NULL },
		  { 1, A, A_AGAIN, NULL },
		  { 2, A, A_AGAIN, MQTT_OFTEN } },
	};
	static const struct meeting tool[][4] = {
		{ { 0, "t", "10.0.0.1:1", "t", "10.0.0.2:1", TOOL_PERHAPS },
		  { 1, "t", "10.0.0.2:1", "t", "10.0.0.1:1", TOOL_CERTAIN } },
		{ { 0, A, A_AGAIN, NULL },
		  { 1, A, A_AGAIN, NULL },
		  { 2, A, A_AGAIN, TOOL_OFTEN } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(same); i++) {
		assert_meetings(MQTT, same[i]);
		assert_meetings(TOOL, same[i]);
	}
	for (size_t i = 0; i < COUNT(mqtt); i++)
		assert_meetings(MQTT, mqtt[i]);
	for (size_t i = 0; i < COUNT(tool); i++)
		assert_meetings(TOOL, tool[i]);
}

static void certain_of_an_id(void **state)
{
	static const struct meeting rows[] = { { 0, A, B, BOARD_PERHAPS },
					       { 1, B, A, BOARD_CERTAIN } };
	struct rivals m = { 0 };

	(void)state;
	assert_false(rivals_certain(&m, "aa:01"));
	meet(&m, BOARD, &rows[0]);
	assert_false(rivals_certain(&m, "aa:01"));
	meet(&m, BOARD, &rows[1]);
	assert_true(rivals_certain(&m, "AA:01"));
	assert_false(rivals_certain(&m, "aa:02"));
	rivals_done(&m);
	assert_false(rivals_certain(&m, "aa:01"));
}

static const char *meet_id(struct rivals *m, unsigned id, int64_t now)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", id);
	return rivals_meet(m, &(struct rivalry){ .id = text,
						 .old_client = "a",
						 .new_client = "b",
						 .now = now });
}

/* With one more than are kept the one goes that was not met for longest. */
static void few_are_kept(void **state)
{
	enum { OLDEST = 5 };
	struct rivals m = { 0 };

	(void)state;
	for (unsigned i = 0; i < RIVALS_MAX; i++)
		assert_string_equal(meet_id(&m, i, i == OLDEST ? 1 : 100 + i),
				    BOARD_PERHAPS);
	assert_int_equal(m.count, RIVALS_MAX);
	assert_string_equal(meet_id(&m, RIVALS_MAX, 200), BOARD_PERHAPS);
	assert_int_equal(m.count, RIVALS_MAX);
	for (unsigned i = 0; i <= RIVALS_MAX; i++) {
		if (i != OLDEST)
			assert_null(meet_id(&m, i, 300));
	}
	assert_string_equal(meet_id(&m, OLDEST, 400), BOARD_PERHAPS);
	rivals_done(&m);
}

static const char *came(struct rivals *m, const char *id, const char *address)
{
	return rivals_came(m, &(struct rivalry){ .id = id,
						 .mqtt = true,
						 .new_client = "a",
						 .new_address = address,
						 .now = 1 });
}

static void thrown_and_back(void **state)
{
	struct rivals m = { 0 };

	(void)state;
	assert_null(came(&m, "x", "10.0.0.2:1"));
	rivals_thrown(&m, "w", "a", "10.0.0.9:1");
	rivals_thrown(&m, "x", "a", "10.0.0.1:1");
	assert_null(came(&m, "w", "10.0.0.2:1"));
	assert_string_equal(came(&m, "X", "10.0.0.2:1"), MQTT_PERHAPS);
	/* It is in nobody's place any more. */
	assert_null(m.thrown);
	for (size_t i = 0; i < 3; i++)
		assert_null(came(&m, "x", "10.0.0.1:1"));
	rivals_thrown(&m, "x", "a", "10.0.0.2:1");
	assert_string_equal(came(&m, "x", "10.0.0.1:1"), MQTT_CERTAIN);
	rivals_thrown(&m, "x", NULL, NULL);
	assert_null(came(&m, "x", "10.0.0.1:1"));
	rivals_thrown(&m, "x", "a", "10.0.0.2:1");
	rivals_done(&m);
	assert_null(m.thrown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(client_ids_of_boards),
		cmocka_unit_test(times),
		cmocka_unit_test(addresses),
		cmocka_unit_test(certain_of_an_id),
		cmocka_unit_test(few_are_kept),
		cmocka_unit_test(thrown_and_back),
	};

	return cmocka_run_group_tests_name("rivals", tests, NULL, NULL);
}
