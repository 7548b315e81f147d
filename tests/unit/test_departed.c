/* SPDX-License-Identifier: MIT */
/* What is told to who wants a board that is not there, or not ready. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/loop.h"
#include "base/mem.h"
#include "serve/board.h"
#include "serve/charges.h"
#include "serve/serve_state.h"

#define BRIEF 0 /* ms that it stayed */
#define LONG 60000

static struct serve s;
static struct board d;

static int begin(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	d = (struct board){ .server = &s };
	return 0;
}

static void went(const char *id, int64_t stayed, bool broke, const char *why)
{
	CLEANUP(mem_free_ptr) char *own = mem_strdup(id);
	CLEANUP(error_reset) struct error err = { 0 };

	d.id = own;
	d.since_ms = unix_now_ms() - stayed;
	if (why)
		error_set(&err, ERR_CONNECT, "%s", why);
	departed_note(&s.departed, &d, why ? &err : NULL, broke);
	d.id = NULL;
}

static void assert_hint(const char *pattern, const struct board *of,
			const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	departed_hint(&out, &s, pattern, of);
	assert_string_equal(buf_string(&out), expected);
}

/* before: up to when it was, which the clock tells. */
static void assert_last(const char *pattern, const char *before,
			const char *behind)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t len = strlen(before), end = strlen(behind);

	departed_hint(&out, &s, pattern, NULL);
	assert_true(out.len >= len + end);
	assert_memory_equal(buf_string(&out), before, len);
	assert_string_equal(buf_string(&out) + out.len - end, behind);
}

#define WAKE "wake the board (wake word or button)"
#define BOARDS "; 'mcpctl devices' shows who is there"
#define SET "; 'mcpctl help board' tells what to set on a board"
#define MQTT                                                     \
	"a board over MQTT comes when it starts: switch it on; " \
	"one over WebSocket when it is woken (wake word or button)"

static void nobody_went(void **state)
{
	(void)state;
	assert_hint(NULL, NULL, WAKE SET);
	assert_hint("x", NULL, WAKE SET);
	s.came = 1;
	assert_hint(NULL, NULL, WAKE);
	s.registry.count = 1;
	assert_hint(NULL, NULL, WAKE BOARDS);
	s.came = 0;
	assert_hint(NULL, NULL, WAKE BOARDS);
	s.mqtt_boards = (void *)&d;
	assert_hint(NULL, NULL, MQTT BOARDS);
	s.registry.count = 0;
	assert_hint("x", NULL, MQTT SET);
}

static void not_ready(void **state)
{
	struct board_start start = { .waiting = true };

	(void)state;
	s.registry.count = 1;
	d.state = DEVICE_CONNECTED;
	assert_hint(
		NULL, &d,
		"it is connected, and said no hello: its own log (USB) tells why");
	d.start = &start;
	assert_hint(
		NULL, &d,
		"it waits for its turn, since many came at once: nothing needs to be done");
	start.waiting = false;
	d.state = DEVICE_INITIALIZING;
	assert_hint(
		NULL, &d,
		"it is connected, and its answer is not there yet: does it hang? its own log (USB) tells, 'mcpctl --trace FILE serve' keeps every frame");
}

static void the_last(void **state)
{
	(void)state;
	d.alias = "kitchen";
	d.client_id = (char[]){ "me" };
	d.device_id = (char[]){ "aa:01" };
	went("aa:01", LONG, true, "it said goodbye");
	assert_last(
		NULL, "'aa:01' went ",
		"just now: it said goodbye; wake it (wake word or button)" SET);
	s.came = 1;
	assert_last("kitchen", "'aa:01' went ",
		    "just now: it said goodbye; wake it (wake word or button)");
	s.departed.at -= 1000;
	assert_last("kitchen", "'aa:01' went ",
		    " s ago: it said goodbye; wake it (wake word or button)");
	assert_last("ME", "'aa:01' went ", "(wake word or button)");
	s.registry.count = 1;
	assert_last("aa:*", "'aa:01' went ",
		    "; wake it (wake word or button)" BOARDS);
	assert_hint("aa:02", NULL, WAKE BOARDS);
	/* Where it goes by another id, the one that it told is its own, too. */
	went("bath", LONG, true, "it said goodbye");
	assert_last("aa:01", "'bath' went ", "(wake word or button)" BOARDS);
	d.mqtt = true;
	went("aa:01", LONG, true, NULL);
	assert_last(
		"aa:01", "'aa:01' went ",
		"just now: its connection ended; a board over MQTT comes again by itself: has it power and Wi-Fi?" BOARDS);
	/* Nothing of the one before is left. */
	d = (struct board){ .server = &s };
	went("x", LONG, true, "");
	assert_last(
		NULL, "'x' went ",
		"just now: its connection ended; wake it (wake word or button)" BOARDS);
	assert_hint("kitchen", NULL, WAKE BOARDS);
	assert_hint("me", NULL, WAKE BOARDS);
	assert_hint("aa:01", NULL, WAKE BOARDS);
}

static void short_stays(void **state)
{
	static const struct {
		const char *id;
		int64_t stayed;
		bool broke;
		unsigned stays;
	} rows[] = {
		{ "a", BRIEF, true, 1 },  { "a", BRIEF, true, 2 },
		{ "A", BRIEF, true, 3 },  { "a", BRIEF, true, 4 },
		{ "a", BRIEF, false, 0 }, { "a", BRIEF, true, 1 },
		{ "a", LONG, true, 0 },	  { "a", BRIEF, true, 1 },
		{ "b", BRIEF, true, 1 },  { "b", BRIEF, true, 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		went(rows[i].id, rows[i].stayed, rows[i].broke, "why");
		assert_int_equal(s.departed.short_stays, rows[i].stays);
	}
	s.came = 1;
	assert_last(NULL, "'b' went ",
		    "just now: why; wake it (wake word or button)");
	d.mqtt = true;
	went("b", BRIEF, true, "why");
	assert_last(
		NULL, "'b' went ",
		"just now: why; it came 3 times, each for less than a minute, and never hung up: does it crash, or lose its Wi-Fi? its own log (USB) tells");
}

/* Cut at a whole character. */
static void long_texts(void **state)
{
	char id[200];

	(void)state;
	for (size_t i = 0; i < 198; i += 2)
		memcpy(id + i, "\xc3\xa4", 2);
	id[198] = '\0';
	went(id, LONG, true, id);
	assert_int_equal(strlen(s.departed.id), 126);
	assert_int_equal(strlen(s.departed.why), 158);
	assert_memory_equal(s.departed.id, id, 126);
	memset(id, 'x', 198);
	went(id, LONG, true, id);
	assert_int_equal(strlen(s.departed.why), 159);
	assert_int_equal(strlen(s.departed.id), 127);
}

/* ---- which findings a board is charged with ---- */

static void who_asked_is_told(void **state)
{
	(void)state;
	assert_false(charges_none(D101));
	assert_true(charges_none(B211));
	assert_true(charges_none(B223));
	assert_true(charges_none(B243));
	assert_true(charges_none(B252));
	assert_false(charges_none((enum diag_code)(B211 - 1)));
	assert_false(charges_none((enum diag_code)(B243 + 1)));
	assert_false(charges_none((enum diag_code)(B252 - 1)));
	assert_false(charges_none((enum diag_code)(B252 + 1)));
}

static void charged(void **state)
{
	struct finding f[] = {
		{ .code = D106, .count = 9, .last_us = 5 }, /* an error */
		{ .code = D123, .count = 1, .last_us = 7 }, /* a warning */
		{ .code = D101, .count = 1, .last_us = 7 }, /* an error */
		{ .code = B211, .count = 9, .last_us = 9 }, /* no charge */
	};
	struct diag diag = { .item = f };

	(void)state;
	assert_int_equal(charges_severe(&d, SEVERITY_ERROR), 0);
	assert_null(charges_last(&d));
	d.diag = &diag;
	assert_null(charges_last(&d));
	diag.count = 1;
	assert_ptr_equal(charges_last(&d), &f[0]);
	assert_int_equal(charges_severe(&d, SEVERITY_ERROR), 1);
	assert_int_equal(charges_severe(&d, SEVERITY_WARNING), 0);
	diag.count = COUNT(f);
	assert_int_equal(charges_severe(&d, SEVERITY_ERROR), 2);
	assert_int_equal(charges_severe(&d, SEVERITY_WARNING), 1);
	assert_ptr_equal(charges_last(&d), &f[2]);
	f[0].last_us = 8;
	assert_ptr_equal(charges_last(&d), &f[0]);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_went), TEST(not_ready),  TEST(the_last),
		TEST(short_stays), TEST(long_texts), TEST(who_asked_is_told),
		TEST(charged),
	};

	mem_init();
	return cmocka_run_group_tests_name("departed", tests, NULL, NULL);
}
