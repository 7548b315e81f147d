/* SPDX-License-Identifier: MIT */
/* Calls behind the bridge: each ends once, whatever becomes of its peer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "bridge/bridge_peer.h"

#define LONG_MS 60000

/* A peer that is played by the test. */
struct played {
	struct bridge_peer peer;
	bool changed, woken;
	unsigned starts, drops;
	enum error_kind refuses; /* ERR_NONE: it takes what is started */
	struct bridge_call *started;
	/* of the last call that ended */
	unsigned done;
	enum call_end end;
	struct error told;
	struct bridge_call *abandons; /* by whoever is told */
};

static int play_start(void *owner, struct bridge_call *c, int64_t timeout,
		      struct error *err)
{
	struct played *p = owner;

	assert_true(timeout > 0);
	assert_null(p->started);
	p->starts++;
	if (p->refuses)
		return error_set(err, p->refuses, "it says no");
	p->started = c;
	return 0;
}

static void play_drop(void *owner, struct bridge_call *c)
{
	struct played *p = owner;

	assert_ptr_equal(p->started, c);
	p->started = NULL;
	p->drops++;
}

static const struct peer_kind played_kind = { .start = play_start,
					      .drop = play_drop };

static void on_done(void *owner, struct bridge_call *c)
{
	struct played *p = owner;

	p->done++;
	p->end = c->end;
	error_reset(&p->told);
	if (c->end != CALL_ANSWERED)
		bridge_call_explain(c, &p->told);
	if (p->abandons)
		bridge_call_abandon(TAKE(p->abandons));
}

static void begin(struct played *p, enum peer_state state)
{
	*p = (struct played){ 0 };
	p->peer = (struct bridge_peer){ .kind = &played_kind,
					.owner = p,
					.prefix = mem_strdup("kitchen"),
					.id = mem_strdup("02:00"),
					.device = true,
					.changed = &p->changed,
					.woken = &p->woken };
	bridge_peer_state(&p->peer, state, NULL);
}

static void end(struct played *p)
{
	bridge_peer_done(&p->peer);
	error_reset(&p->told);
}

static struct bridge_call *make(struct played *p, bool repeatable)
{
	struct bridge_call *c = mem_zalloc(sizeof(*c));

	c->method = mem_strdup("tools/call");
	c->params = mem_strdup("{}");
	c->repeatable = repeatable;
	c->began_us = loop_now_us();
	c->deadline = c->awake_by = loop_now() + LONG_MS;
	c->done = on_done;
	c->owner = p;
	return c;
}

static struct bridge_call *ask(struct played *p, bool repeatable)
{
	struct bridge_call *c = make(p, repeatable);

	assert_true(bridge_peer_ask(&p->peer, c));
	return c;
}

/* What the peer's kind would record from the loop. */
static void answered(struct played *p)
{
	TAKE(p->started)->end = CALL_ANSWERED;
	bridge_peer_tend(&p->peer);
}

static void lost(struct played *p, enum error_kind kind)
{
	struct bridge_call *c = TAKE(p->started);

	error_set(&c->why, kind, "its power went");
	c->end = CALL_LOST;
	bridge_peer_state(&p->peer, PEER_AWAY, NULL);
	bridge_peer_tend(&p->peer);
}

static void one_after_the_other(void **state)
{
	struct played p;

	(void)state;
	begin(&p, PEER_READY);
	ask(&p, false);
	ask(&p, false);
	bridge_peer_tend(&p.peer);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.starts, 1);
	answered(&p);
	assert_int_equal(p.done, 1);
	assert_int_equal(p.end, CALL_ANSWERED);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.starts, 2);
	answered(&p);
	assert_int_equal(p.done, 2);
	end(&p);
}

static void asleep_until_its_time_is_over(void **state)
{
	struct played p;
	struct bridge_call *c;

	(void)state;
	begin(&p, PEER_AWAY);
	c = ask(&p, false);
	assert_true(bridge_peer_tend(&p.peer) <= c->awake_by);
	assert_int_equal(p.starts, 0);
	c->awake_by = loop_now();
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 1);
	assert_int_equal(p.end, CALL_UNSENT);
	assert_non_null(strstr(p.told.text, "kitchen is asleep"));
	end(&p);
}

/* What is said of one that is away: what is missing, never more. */
static void away_in_words(void **state)
{
	static const struct {
		enum peer_lacks lacks;
		const char *reason, *says;
	} rows[] = {
		{ LACKS_ITSELF, NULL,
		  "kitchen is not heard of at the broker; it was last seen at 2026-08-08T12:00:00.000Z over MQTT: see whether it has power and Wi-Fi (it comes back by itself), then try again; waited " },
		{ LACKS_SERVE, NULL,
		  "kitchen cannot be reached: the 'mcpctl serve' that it comes to is not there; it was last seen at 2026-08-08T12:00:00.000Z over MQTT: start serve, then try again; waited " },
		{ LACKS_BROKER, "it is gone",
		  "kitchen cannot be reached: serve has no way to the broker (it is gone); it was last seen at 2026-08-08T12:00:00.000Z over MQTT: see to that broker (the board comes back to it by itself), then try again; waited " },
		{ LACKS_START, "it is gone",
		  "kitchen cannot be reached (it is gone): start it, then try again; waited " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct played p;

		begin(&p, PEER_AWAY);
		p.peer.seen = INT64_C(1786190400000);
		p.peer.way = "MQTT";
		bridge_peer_away(&p.peer, rows[i].lacks, rows[i].reason);
		ask(&p, false)->awake_by = loop_now();
		bridge_peer_tend(&p.peer);
		assert_int_equal(p.done, 1);
		if (strncmp(p.told.text, rows[i].says, strlen(rows[i].says)))
			fail_msg("%s", p.told.text);
		end(&p);
	}
}

static void wakes_in_time(void **state)
{
	struct played p;

	(void)state;
	begin(&p, PEER_AWAY);
	ask(&p, false);
	bridge_peer_tend(&p.peer);
	bridge_peer_state(&p.peer, PEER_READY, NULL);
	bridge_peer_tend(&p.peer);
	answered(&p);
	assert_int_equal(p.end, CALL_ANSWERED);
	end(&p);
}

static void what_reads_is_asked_again_once(void **state)
{
	struct played p;

	(void)state;
	begin(&p, PEER_READY);
	ask(&p, true);
	bridge_peer_tend(&p.peer);
	lost(&p, ERR_CONNECT);
	assert_int_equal(p.done, 0);
	bridge_peer_state(&p.peer, PEER_READY, NULL);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.starts, 2);
	lost(&p, ERR_CONNECT);
	assert_int_equal(p.done, 1);
	assert_int_equal(p.end, CALL_LOST);
	assert_non_null(strstr(p.told.text, "again when it was repeated"));
	end(&p);
}

static void what_acts_is_not(void **state)
{
	struct played p;

	(void)state;
	begin(&p, PEER_READY);
	ask(&p, false);
	bridge_peer_tend(&p.peer);
	lost(&p, ERR_CONNECT);
	assert_int_equal(p.done, 1);
	assert_int_equal(p.end, CALL_LOST);
	assert_non_null(strstr(p.told.text, "(its power went)"));
	assert_non_null(strstr(p.told.text, "is not known"));
	end(&p);
}

static void time_over_is_no_reason_to_repeat(void **state)
{
	struct played p;

	(void)state;
	begin(&p, PEER_READY);
	ask(&p, true);
	bridge_peer_tend(&p.peer);
	lost(&p, ERR_TIMEOUT);
	assert_int_equal(p.done, 1);
	assert_non_null(strstr(p.told.text, "did not answer within"));
	end(&p);
}

static void gone_while_it_waits_to_be_repeated(void **state)
{
	struct played p;
	struct bridge_call *c;

	(void)state;
	begin(&p, PEER_READY);
	c = ask(&p, true);
	bridge_peer_tend(&p.peer);
	lost(&p, ERR_CONNECT);
	c->deadline = c->awake_by = loop_now();
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 1);
	assert_int_equal(p.end, CALL_LOST);
	assert_non_null(strstr(p.told.text, "(its power went)"));
	assert_non_null(strstr(p.told.text, "did not come back in time"));
	end(&p);
}

static void refused_before_it_was_sent(void **state)
{
	struct played p;

	(void)state;
	begin(&p, PEER_READY);
	p.refuses = ERR_CONNECT;
	ask(&p, false);
	bridge_peer_tend(&p.peer);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 0);
	p.refuses = ERR_NONE;
	bridge_peer_state(&p.peer, PEER_READY, NULL);
	bridge_peer_tend(&p.peer);
	answered(&p);
	assert_int_equal(p.end, CALL_ANSWERED);
	/* What will not change is told at once. */
	p.refuses = ERR_UNMET;
	ask(&p, false);
	bridge_peer_tend(&p.peer);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 2);
	assert_int_equal(p.end, CALL_UNSENT);
	assert_non_null(
		strstr(p.told.text, "kitchen was not asked: it says no"));
	end(&p);
}

static void a_full_queue_says_so(void **state)
{
	struct played p;
	struct bridge_call *c;

	(void)state;
	begin(&p, PEER_READY);
	for (int i = 0; i < PEER_QUEUE_MAX + 1; i++)
		ask(&p, false);
	c = make(&p, false);
	assert_false(bridge_peer_ask(&p.peer, c));
	bridge_peer_tend(&p.peer);
	assert_false(bridge_peer_ask(&p.peer, c));
	answered(&p);
	bridge_peer_tend(&p.peer);
	assert_true(bridge_peer_ask(&p.peer, c));
	end(&p);
}

static void abandoned_ones_are_not_told(void **state)
{
	struct played p;
	struct bridge_call *first, *second;

	(void)state;
	begin(&p, PEER_READY);
	first = ask(&p, false);
	second = ask(&p, false);
	bridge_peer_tend(&p.peer);
	bridge_call_abandon(second);
	bridge_call_abandon(first);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.peer.waiting, 0);
	assert_ptr_equal(p.peer.current, first);
	answered(&p);
	assert_null(p.peer.current);
	assert_int_equal(p.done, 0);
	end(&p);
}

static void who_is_told_may_abandon_another(void **state)
{
	struct played p;
	struct bridge_call *first, *second;

	(void)state;
	begin(&p, PEER_AWAY);
	first = ask(&p, false);
	second = ask(&p, false);
	ask(&p, false);
	first->awake_by = second->awake_by = loop_now();
	p.abandons = second;
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 1);
	assert_int_equal(p.peer.waiting, 1);
	end(&p);
}

static void a_silent_peer_is_given_up(void **state)
{
	struct played p;
	struct bridge_call *c;

	(void)state;
	begin(&p, PEER_READY);
	c = ask(&p, true);
	bridge_peer_tend(&p.peer);
	c->deadline = loop_now() - LONG_MS;
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.drops, 1);
	assert_int_equal(p.done, 1);
	assert_non_null(strstr(p.told.text, "did not answer"));
	end(&p);
}

static void a_person_takes_time(void **state)
{
	struct played p;
	struct bridge_call *c;

	(void)state;
	begin(&p, PEER_READY);
	c = ask(&p, false);
	bridge_peer_tend(&p.peer);
	bridge_peer_hold(&p.peer, true);
	c->deadline = loop_now() - LONG_MS;
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 0);
	/* Asked for so long; and what was left is left. */
	p.peer.held_at = loop_now() - LONG_MS - 60000;
	bridge_peer_hold(&p.peer, false);
	assert_true(c->deadline > loop_now());
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 0);
	answered(&p);
	assert_int_equal(p.end, CALL_ANSWERED);
	end(&p);
}

static void more_than_its_rate_waits(void **state)
{
	struct played p;
	int64_t next = 0;

	(void)state;
	begin(&p, PEER_READY);
	p.peer.interval = LONG_MS;
	for (int i = 0; i < 20 && p.starts == p.done; i++) {
		ask(&p, false);
		next = bridge_peer_tend(&p.peer);
		if (p.started)
			answered(&p);
	}
	assert_in_range(p.starts, 10, 11);
	assert_int_equal(p.starts, p.done);
	assert_true(next > loop_now());
	end(&p);
}

static void prefixes(void **state)
{
	static const char *const rows[][2] = {
		{ "files", "files" },
		{ "sim:", "sim" },
		{ "sim:llm", "llm" },
		{ "http://192.168.1.7:80/mcp/", "192_168_1_7_80_mcp" },
		{ "stdio:npx -y @a/b", "npx_y_a_b" },
		{ "ws://a-name-that-is-longer-than-anybody-needs/",
		  "a_name_that_is_longer_than_anybo" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *name = bridge_peer_prefix(rows[i][0]);

		assert_string_equal(name, rows[i][1]);
		mem_free(name);
	}
}

/* When to come again: as soon as something may have to be done, not before. */
static void when_to_come_again(void **state)
{
	struct played p;
	struct bridge_call *c, *next;
	const int64_t now = loop_now();

	(void)state;
	begin(&p, PEER_AWAY);
	assert_int_equal(bridge_peer_tend(&p.peer), LOOP_FOREVER);
	c = ask(&p, false);
	assert_true(p.woken);
	c->awake_by = now + 20000;
	c->deadline = now + 30000;
	assert_int_equal(bridge_peer_tend(&p.peer), now + 20000);
	/* There it has until its end; not more, where that is sooner. */
	c->awake_by = now + 40000;
	assert_int_equal(bridge_peer_tend(&p.peer), now + 30000);
	c->awake_by = now + 20000;
	bridge_peer_state(&p.peer, PEER_READY, NULL);
	assert_int_equal(bridge_peer_tend(&p.peer), now + 30001);
	next = ask(&p, false);
	next->deadline = next->awake_by = now + 25000;
	assert_int_equal(bridge_peer_tend(&p.peer), now + 25000);
	next->awake_by = now;
	assert_int_equal(bridge_peer_tend(&p.peer), now + 25000);
	assert_int_equal(p.done, 0);
	/* Its peer's own limit strikes first, ours a second later. */
	c->deadline = loop_now() - 1;
	assert_int_equal(bridge_peer_tend(&p.peer), c->deadline + 1000);
	assert_int_equal(p.drops, 0);
	bridge_peer_hold(&p.peer, true);
	assert_int_equal(bridge_peer_tend(&p.peer), now + 25000);
	bridge_peer_hold(&p.peer, false);
	c->deadline = loop_now() - 1000;
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.drops, 1);
	end(&p);
}

static void what_was_refused_waits_a_little(void **state)
{
	struct played p;
	int64_t next;

	(void)state;
	begin(&p, PEER_READY);
	p.refuses = ERR_CONNECT;
	ask(&p, false);
	bridge_peer_tend(&p.peer);
	next = bridge_peer_tend(&p.peer);
	assert_in_range(next, loop_now() + 150, loop_now() + 250);
	assert_int_equal(p.starts, 1);
	/* That it is there anew is a reason to try at once. */
	bridge_peer_state(&p.peer, PEER_READY, NULL);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.starts, 2);
	bridge_peer_tend(&p.peer);
	p.refuses = ERR_NONE;
	bridge_peer_state(&p.peer, PEER_READY, NULL);
	bridge_peer_tend(&p.peer);
	assert_int_equal(p.done, 0);
	answered(&p);
	assert_int_equal(p.end, CALL_ANSWERED);
	end(&p);
}

static void what_is_known_of_it(void **state)
{
	struct played p;
	struct tool_list none = { 0 };
	struct bridge_list *l;

	(void)state;
	begin(&p, PEER_AWAY);
	assert_false(p.changed);
	assert_int_equal(p.peer.seen, 0);
	assert_string_equal(bridge_peer_away_word(&p.peer), "asleep");
	bridge_peer_away(&p.peer, LACKS_WAKING, "why");
	assert_false(p.changed);
	assert_string_equal(p.peer.reason, "why");
	bridge_peer_away(&p.peer, LACKS_START, "why");
	assert_true(p.changed);
	assert_string_equal(bridge_peer_away_word(&p.peer), "not connected");
	bridge_peer_away(&p.peer, LACKS_BROKER, NULL);
	assert_null(p.peer.reason);
	assert_string_equal(bridge_peer_away_word(&p.peer), "away");
	/* A host sees that it is back; not whether it is ready yet. */
	p.changed = p.woken = false;
	bridge_peer_state(&p.peer, PEER_COMING, NULL);
	assert_true(p.changed);
	assert_true(p.woken);
	assert_int_equal(p.peer.seen, 0);
	assert_null(bridge_peer_away_word(&p.peer));
	p.changed = false;
	bridge_peer_state(&p.peer, PEER_READY, NULL);
	assert_false(p.changed);
	assert_true(p.peer.seen > 0);
	p.peer.seen = 1;
	bridge_peer_state(&p.peer, PEER_COMING, NULL);
	assert_true(p.peer.seen > 1);
	p.changed = false;
	bridge_peer_name(&p.peer, "kitchen", "esp 1");
	assert_false(p.changed);
	assert_string_equal(p.peer.about, "esp 1");
	bridge_peer_name(&p.peer, "hall", NULL);
	assert_true(p.changed);
	assert_string_equal(p.peer.prefix, "hall");
	assert_string_equal(p.peer.about, "esp 1");
	bridge_peer_name(&p.peer, NULL, "esp 2");
	assert_string_equal(p.peer.prefix, "hall");
	assert_string_equal(p.peer.about, "esp 2");
	p.changed = p.woken = false;
	l = bridge_list_new("x", &none);
	bridge_peer_list(&p.peer, l);
	assert_true(p.changed);
	assert_true(p.woken);
	assert_int_equal(l->users, 2);
	p.changed = false;
	bridge_peer_list(&p.peer, l);
	assert_false(p.changed);
	assert_int_equal(l->users, 2);
	bridge_list_release(l);
	end(&p);
}

/* What is said of a call that failed otherwise. */
static void failures_in_words(void **state)
{
	static const struct {
		enum peer_state state;
		enum peer_lacks lacks;
		const char *reason;
		enum call_end end;
		enum error_kind kind;
		unsigned sends;
		const char *says;
		enum error_kind told;
	} rows[] = {
		{ PEER_READY, LACKS_WAKING, NULL, CALL_UNSENT, ERR_TIMEOUT, 0,
		  "kitchen is busy with other calls: try again later; waited ",
		  ERR_TIMEOUT },
		{ PEER_READY, LACKS_WAKING, NULL, CALL_UNSENT, ERR_UNMET, 0,
		  "kitchen was not asked: its words", ERR_UNMET },
		{ PEER_COMING, LACKS_WAKING, NULL, CALL_UNSENT, ERR_TIMEOUT, 0,
		  "kitchen is connected, but not ready: try again later; waited ",
		  ERR_TIMEOUT },
		{ PEER_COMING, LACKS_START, "no tools", CALL_UNSENT, ERR_UNMET,
		  0,
		  "kitchen is dialled, but not ready: no tools: try again later; waited ",
		  ERR_TIMEOUT },
		{ PEER_AWAY, LACKS_WAKING, NULL, CALL_UNSENT, ERR_TIMEOUT, 0,
		  "kitchen is asleep: say its wake word or press its button, then try again; waited ",
		  ERR_TIMEOUT },
		{ PEER_AWAY, LACKS_START, NULL, CALL_UNSENT, ERR_TIMEOUT, 0,
		  "kitchen cannot be reached: start it, then try again; waited ",
		  ERR_CONNECT },
		{ PEER_READY, LACKS_WAKING, NULL, CALL_LOST, ERR_TIMEOUT, 1,
		  "kitchen did not answer within ", ERR_TIMEOUT },
		{ PEER_READY, LACKS_WAKING, NULL, CALL_LOST, ERR_TIMEOUT, 0,
		  "kitchen did not answer as it should: its words",
		  ERR_TIMEOUT },
		{ PEER_READY, LACKS_WAKING, NULL, CALL_LOST, ERR_PROTOCOL, 1,
		  "kitchen did not answer as it should: its words",
		  ERR_PROTOCOL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct played p;
		struct error told = { 0 };
		struct bridge_call c = { .peer = &p.peer,
					 .end = rows[i].end,
					 .sends = rows[i].sends,
					 .began_us = loop_now_us() - 2000000 };

		begin(&p, rows[i].state);
		p.peer.lacks = rows[i].lacks;
		bridge_peer_state(&p.peer, rows[i].state, rows[i].reason);
		error_set(&c.why, rows[i].kind, "its words");
		bridge_call_explain(&c, &told);
		if (!text_starts(told.text, rows[i].says))
			fail_msg("not '%s' but '%s'", rows[i].says, told.text);
		assert_int_equal(told.kind, rows[i].told);
		/* How long it took stands there. */
		if (strstr(rows[i].says, " within "))
			assert_non_null(strstr(told.text, " s: it may be"));
		error_reset(&told);
		error_reset(&c.why);
		end(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(asleep_until_its_time_is_over),
		cmocka_unit_test(away_in_words),
		cmocka_unit_test(wakes_in_time),
		cmocka_unit_test(what_reads_is_asked_again_once),
		cmocka_unit_test(what_acts_is_not),
		cmocka_unit_test(time_over_is_no_reason_to_repeat),
		cmocka_unit_test(gone_while_it_waits_to_be_repeated),
		cmocka_unit_test(refused_before_it_was_sent),
		cmocka_unit_test(a_full_queue_says_so),
		cmocka_unit_test(abandoned_ones_are_not_told),
		cmocka_unit_test(who_is_told_may_abandon_another),
		cmocka_unit_test(a_silent_peer_is_given_up),
		cmocka_unit_test(a_person_takes_time),
		cmocka_unit_test(more_than_its_rate_waits),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(when_to_come_again),
		cmocka_unit_test(what_was_refused_waits_a_little),
		cmocka_unit_test(what_is_known_of_it),
		cmocka_unit_test(failures_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
