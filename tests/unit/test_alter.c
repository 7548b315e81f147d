/* SPDX-License-Identifier: MIT */
/* What a proxy changes: members, replies, parts of a text; and its times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "proxy/alter.h"
#include "proxy/latency.h"
#include "proxy/upstream.h"

#define CALL                                                           \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":7," \
	"\"method\":\"tools/call\",\"params\":{\"name\":\"self.x\"}}}"
#define REPLY                                                             \
	"{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":{\"jsonrpc\":" \
	"\"2.0\",\"id\":7,\"result\":{\"content\":[ ],\"isError\":false}}}"
#define HELLO "{\"type\":\"hello\",\"features\":{\"mcp\":true},\"version\":1}"

static struct span span(const char *text)
{
	return (struct span){ text, strlen(text) };
}

/* What becomes of the message; out is what goes on in its place. */
static struct altered alter(const struct alterations *a, struct alter_state *s,
			    bool from_device, const char *text, struct buf *out)
{
	struct altered what;

	buf_reset(out);
	alter_message(a, s, from_device, span(text), out, &what);
	return what;
}

static void members(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_false(alter(a, &s, true, REPLY, &out).changed);
	assert_int_equal(
		alterations_set(a, "/payload/result/isError=true", NULL), 0);
	assert_int_equal(alterations_set(a, "/payload/id=\"a b\"", NULL), 0);
	assert_true(alter(a, &s, true, REPLY, &out).changed);
	assert_string_equal(
		buf_string(&out),
		"{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":{\"jsonrpc\":"
		"\"2.0\",\"id\":\"a b\",\"result\":{\"content\":[ ],\"isError\":true}}}");
	assert_false(alter(a, &s, true, HELLO, &out).changed);
	assert_false(alter(a, &s, true, "{\"payload\":", &out).changed);
	alterations_free(a);
}

static void wrong_words(void **state)
{
	static const char *const sets[] = { "x=1", "/a", "/a=", "/a=x",
					    "/~2=1" };
	static const char *const faults[] = {
		"nothing",   "huge",   "drop",		 "drop=reply/0",
		"drop=x/3",  "hang=3", "late-reply=x",	 "no-hello:self.x",
		"no-reply:", "",       "late-hello,bad",
	};
	struct alterations *a = alterations_new();

	(void)state;
	for (size_t i = 0; i < COUNT(sets); i++) {
		CLEANUP(error_reset) struct error err = { 0 };

		assert_int_equal(alterations_set(a, sets[i], &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
	}
	for (size_t i = 0; i < COUNT(faults); i++) {
		CLEANUP(error_reset) struct error err = { 0 };

		assert_int_equal(alterations_fault(a, faults[i], &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
	}
	alterations_free(a);
}

static struct altered with(const char *fault, struct buf *out, bool hello)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	struct altered what;

	assert_int_equal(alterations_fault(a, fault, NULL), 0);
	alter(a, &s, false, CALL, out);
	what = alter(a, &s, true, hello ? HELLO : REPLY, out);
	alterations_free(a);
	return what;
}

static void faults(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(with("late-reply=2s", &out, false).after_ms, 2000);
	assert_int_equal(with("late-reply", &out, false).after_ms, 11000);
	assert_int_equal(with("late-reply:self.x", &out, false).after_ms,
			 11000);
	assert_int_equal(with("late-reply:self.y", &out, false).after_ms, 0);
	assert_int_equal(with("late-reply", &out, true).after_ms, 0);
	assert_true(with("no-reply", &out, false).drop);
	assert_true(with("two-replies", &out, false).twice);
	assert_true(with("cut-frame", &out, false).cut);
	assert_true(with("hang", &out, false).hang);
	assert_true(with("no-hello", &out, true).drop);
	assert_int_equal(with("late-hello", &out, true).after_ms, 5000);
	assert_true(with("wrong-id", &out, false).changed);
	assert_non_null(strstr(buf_string(&out), "\"id\":1007,"));
	assert_true(with("string-id", &out, false).changed);
	assert_non_null(strstr(buf_string(&out), "\"id\":\"7\","));
	assert_true(with("not-json", &out, false).changed);
	assert_int_equal(*buf_string(&out), 'I');
	assert_true(with("no-features", &out, true).changed);
	assert_string_equal(
		buf_string(&out),
		"{\"type\":\"hello\",\"features\":{},\"version\":1}");
	/* Two at once. */
	assert_true(with("two-replies,wrong-id", &out, false).twice);
	assert_non_null(strstr(buf_string(&out), "1007"));
}

/* Hosts of MCP may ask by a text, or by what is no whole number. */
static void ids_of_hosts(void **state)
{
	static const struct {
		const char *fault, *id, *becomes; /* NULL: it stays */
		bool told, drop;
	} rows[] = {
		{ "no-reply", "\"a\"", NULL, true, true },
		{ "no-reply:x", "\"a\"", NULL, true, true },
		{ "no-reply:y", "\"a\"", NULL, false, false },
		{ "no-reply", "7.5", NULL, true, true },
		{ "wrong-id", "\"a\"", "\"a+1000\"", true, false },
		{ "wrong-id", "\"\"", "\"+1000\"", true, false },
		{ "wrong-id", "9223372036854775807", "-1000", true, false },
		{ "wrong-id", "7.5", "-1000", true, false },
		{ "wrong-id", "\"9223372036854775807\"", "9223372036854774807",
		  true, false },
		{ "string-id", "7.5", "\"7.5\"", true, false },
		{ "string-id", "\"a\"", NULL, false, false },
		{ "string-id", "\"7\"", NULL, false, false },
	};
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct alterations *a = alterations_new();
		struct alter_state s = { 0 };
		CLEANUP(mem_free_ptr)
		char *call = mem_printf(
			"{\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
			rows[i].id);
		CLEANUP(mem_free_ptr)
		char *reply =
			mem_printf("{\"id\":%s,\"result\":{}}", rows[i].id);
		struct altered what;

		assert_int_equal(alterations_fault(a, rows[i].fault, NULL), 0);
		alter(a, &s, false, call, &out);
		what = alter(a, &s, true, reply, &out);
		assert_int_equal(what.fault != NULL, rows[i].told);
		assert_int_equal(what.drop, rows[i].drop);
		assert_int_equal(what.changed, rows[i].becomes != NULL);
		if (rows[i].becomes) {
			CLEANUP(mem_free_ptr)
			char *now = mem_printf("{\"id\":%s,\"result\":{}}",
					       rows[i].becomes);

			assert_string_equal(buf_string(&out), now);
		}
		/* Another reply is none of that call. */
		what = alter(a, &s, true, "{\"id\":\"b\",\"result\":{}}", &out);
		assert_null(what.fault);
		alterations_free(a);
	}
}

static void each_third(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(alterations_fault(a, "drop=reply/3", NULL), 0);
	for (int i = 1; i <= 9; i++) {
		alter(a, &s, false, CALL, &out);
		assert_int_equal(alter(a, &s, true, REPLY, &out).drop,
				 i % 3 == 0);
		assert_false(alter(a, &s, true, HELLO, &out).drop);
	}
	alterations_free(a);
}

/* From a reply on nothing goes on, whatever it is. */
static void hangs(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(alterations_fault(a, "hang", NULL), 0);
	assert_false(alter(a, &s, true, HELLO, &out).drop);
	alter(a, &s, false, CALL, &out);
	assert_true(alter(a, &s, true, REPLY, &out).drop);
	assert_true(alter(a, &s, true, HELLO, &out).drop);
	assert_false(alter(a, &s, false, CALL, &out).drop);
	alterations_free(a);
}

/* What is noted of each, and that nothing else becomes of it. */
static void names_of_faults(void **state)
{
	static const struct {
		const char *fault, *name;
		bool hello;
		struct altered what;
	} rows[] = {
		{ "late-reply=7ms", "late-reply", false, { .after_ms = 7 } },
		{ "no-reply", "no-reply", false, { .drop = true } },
		{ "drop=reply/1", "drop", false, { .drop = true } },
		{ "drop=reply/2", NULL, false, { 0 } },
		{ "two-replies", "two-replies", false, { .twice = true } },
		{ "wrong-id", "wrong-id", false, { .changed = true } },
		{ "string-id", "string-id", false, { .changed = true } },
		{ "not-json", "not-json", false, { .changed = true } },
		{ "cut-frame", "cut-frame", false, { .cut = true } },
		{ "hang", "hang", false, { .hang = true, .drop = true } },
		{ "no-features", "no-features", true, { .changed = true } },
		{ "no-hello", "no-hello", true, { .drop = true } },
		{ "late-hello", "late-hello", true, { .after_ms = 5000 } },
		/* Of replies a hello is none, and the other way round. */
		{ "no-reply", NULL, true, { 0 } },
		{ "drop=reply/1", NULL, true, { 0 } },
		{ "no-hello", NULL, false, { 0 } },
		{ "no-features", NULL, false, { 0 } },
	};
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct altered *w = &rows[i].what;
		const struct altered is =
			with(rows[i].fault, &out, rows[i].hello);

		if (rows[i].name)
			assert_string_equal(is.fault, rows[i].name);
		else
			assert_null(is.fault);
		assert_int_equal(is.changed, w->changed);
		assert_int_equal(is.drop, w->drop);
		assert_int_equal(is.twice, w->twice);
		assert_int_equal(is.cut, w->cut);
		assert_int_equal(is.hang, w->hang);
		assert_int_equal(is.after_ms, w->after_ms);
	}
}

#define ASKED(id, method, params)                                       \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":" id \
	",\"method\":\"" method "\",\"params\":" params "}}"
#define SAID(id, what)                                                  \
	"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":" id \
	"," what "}}"

/* Which reply is one of which tool. */
static void whose_reply(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(alterations_fault(a, "no-reply:self.x", NULL), 0);
	alter(a, &s, false, ASKED("1", "tools/call", "{\"name\":\"self.y\"}"),
	      &out);
	alter(a, &s, false, ASKED("2", "tools/list", "{\"name\":\"self.x\"}"),
	      &out);
	alter(a, &s, false, ASKED("3", "tools/call", "{\"name\":\"self.x\"}"),
	      &out);
	alter(a, &s, false, ASKED("4", "tools/call", "{}"), &out);
	/* What the board itself asks is no call of the backend's. */
	alter(a, &s, true, ASKED("5", "tools/call", "{\"name\":\"self.x\"}"),
	      &out);
	assert_false(alter(a, &s, true, SAID("1", "\"result\":{}"), &out).drop);
	assert_false(alter(a, &s, true, SAID("2", "\"result\":{}"), &out).drop);
	assert_true(alter(a, &s, true, SAID("3", "\"result\":{}"), &out).drop);
	assert_true(alter(a, &s, true, SAID("3", "\"error\":{}"), &out).drop);
	assert_false(alter(a, &s, true, SAID("4", "\"result\":{}"), &out).drop);
	assert_false(alter(a, &s, true, SAID("5", "\"result\":{}"), &out).drop);
	assert_false(
		alter(a, &s, true, SAID("\"a\"", "\"result\":{}"), &out).drop);
	/* An id that is used again is that of the later one. */
	alter(a, &s, false, ASKED("3", "tools/call", "{\"name\":\"self.y\"}"),
	      &out);
	assert_false(alter(a, &s, true, SAID("3", "\"result\":{}"), &out).drop);
	/* So many are remembered, and no more. */
	alter(a, &s, false, ASKED("9", "tools/call", "{\"name\":\"self.x\"}"),
	      &out);
	for (int i = 1; i < ALTER_ASKED; i++)
		alter(a, &s, false, ASKED("10", "ping", "{}"), &out);
	assert_true(alter(a, &s, true, SAID("9", "\"result\":{}"), &out).drop);
	alter(a, &s, false, ASKED("10", "ping", "{}"), &out);
	assert_false(alter(a, &s, true, SAID("9", "\"result\":{}"), &out).drop);
	alterations_free(a);
}

/* Of one tool; and of all that is answered, calls or not. */
static void each_second(void **state)
{
	struct alterations *of_tool = alterations_new();
	struct alterations *of_all = alterations_new();
	struct alter_state s = { 0 }, all = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(
		alterations_fault(of_tool, "drop=reply/2:self.x", NULL), 0);
	assert_int_equal(alterations_fault(of_all, "drop=reply/2", NULL), 0);
	for (int i = 0; i < 2; i++) {
		alter(of_tool, &s, false, CALL, &out);
		assert_int_equal(alter(of_tool, &s, true, REPLY, &out).drop, i);
		assert_false(alter(of_tool, &s, true,
				   SAID("3", "\"result\":{}"), &out)
				     .drop);
		assert_int_equal(alter(of_all, &all, true,
				       SAID("3", "\"result\":{}"), &out)
					 .drop,
				 i);
	}
	alterations_free(of_tool);
	alterations_free(of_all);
}

/* What is no message of MCP: only members are set, and only in JSON. */
static void sets_members(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct edits e = { 0 };

	(void)state;
	assert_false(alterations_any(NULL));
	assert_false(alterations_any(a));
	alter_set(NULL, span("{\"a\":1}"), &e);
	alter_set(a, span("{\"a\":1}"), &e);
	assert_int_equal(alterations_set(a, "/a=[2]", NULL), 0);
	assert_true(alterations_any(a));
	alter_set(a, span("{\"a\":1"), &e);
	alter_set(a, span("{\"b\":1}"), &e);
	assert_int_equal(e.count, 0);
	alter_set(a, span("{\"a\":1}"), &e);
	assert_int_equal(e.count, 1);
	edits_done(&e);
	assert_true(alter(a, &s, false, "{\"a\":1}", &out).changed);
	assert_string_equal(buf_string(&out), "{\"a\":[2]}");
	assert_null(alter(a, &s, true, "{\"a\":1}", &out).fault);
	alterations_free(a);
	a = alterations_new();
	assert_int_equal(alterations_fault(a, "no-hello", NULL), 0);
	assert_true(alterations_any(a));
	alterations_free(a);
}

static void edits_in_their_order(void **state)
{
	static const char text[] = "one two three";
	struct edits e = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_true(edits_add(&e, (struct span){ text + 8, 5 }, "3"));
	assert_true(edits_add_string(&e, (struct span){ text, 3 }, "a\"b"));
	assert_false(edits_add(&e, (struct span){ text + 2, 3 }, "no"));
	edits_apply(&e, span(text), &out);
	assert_string_equal(buf_string(&out), "\"a\\\"b\" two 3");
	edits_done(&e);
}

static void pointers(void **state)
{
	static const char json[] =
		"{\"a/b\":[1,{\"c~d\":\"x\"}],\"\":{\"\":2}}";
	struct span found;

	(void)state;
	assert_true(edit_point(span(json), "/a~1b/1/c~0d", &found));
	assert_memory_equal(found.text, "\"x\"", found.len);
	assert_true(edit_point(span(json), "//", &found));
	assert_memory_equal(found.text, "2", found.len);
	assert_false(edit_point(span(json), "/a~1b/2", &found));
	assert_false(edit_point(span(json), "/a~1b/x", &found));
	assert_false(edit_point(span(json), "/a/b", &found));
}

static void steps_of_pointers(void **state)
{
	static const char json[] = "{\"~1\":[[5]],\"a~\":6,\"/\":{\"0\":7}}";
	static const char *const bad[] = { "", "a", "/~", "/a~2", "/~1~" };
	static const char *const good[] = { "/", "/a", "/~0~1", "/a/0/~0" };
	struct span found;

	(void)state;
	assert_true(edit_point(span(json), "/~01/0/0", &found));
	assert_int_equal(found.len, 1);
	assert_int_equal(*found.text, '5');
	assert_true(edit_point(span(json), "/a~0", &found));
	assert_int_equal(*found.text, '6');
	assert_true(edit_point(span(json), "/~1/0", &found));
	assert_int_equal(*found.text, '7');
	assert_false(edit_point(span(json), "/~01/1", &found));
	assert_false(edit_point(span(json), "/~01/0/1", &found));
	assert_false(edit_point(span(json), "/a~0/0", &found));
	assert_true(edit_point(span(json), "", &found));
	assert_int_equal(found.len, sizeof(json) - 1);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(edit_check_pointer(bad[i], NULL), -1);
	for (size_t i = 0; i < COUNT(good); i++)
		assert_int_equal(edit_check_pointer(good[i], NULL), 0);
}

/* Places may touch, and not overlap; as many as there are. */
static void places_of_edits(void **state)
{
	static const char text[] = "0123456789abcdefghij";
	struct edits e = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_true(edits_add(&e, (struct span){ text + 4, 2 }, "x"));
	assert_false(edits_add(&e, (struct span){ text + 3, 2 }, "no"));
	assert_false(edits_add(&e, (struct span){ text + 5, 2 }, "no"));
	assert_true(edits_add(&e, (struct span){ text + 6, 1 }, "y"));
	assert_true(edits_add(&e, (struct span){ text + 3, 1 }, "z"));
	edits_apply(&e, span(text), &out);
	assert_string_equal(buf_string(&out), "012zxy789abcdefghij");
	edits_done(&e);
	assert_int_equal(e.count, 0);
	for (size_t i = 0; i < 19; i++)
		assert_true(edits_add(&e, (struct span){ text + i, 1 }, ""));
	buf_reset(&out);
	edits_apply(&e, span(text), &out);
	assert_string_equal(buf_string(&out), "j");
	edits_done(&e);
}

/* An eighth more at most, and never less than it was. */
static void steps_of_time(void **state)
{
	(void)state;
	for (int64_t ns = 1; ns < INT64_C(1) << 36; ns += 1 + ns / 37) {
		struct latency l = { 0 };
		int64_t end;

		latency_add(&l, ns);
		end = latency_at(&l, 50);
		if (ns < 128)
			assert_int_equal(end, 128);
		else if (end <= ns || end > ns + ns / 8 + 1)
			fail_msg("%lld is in the step to %lld", (long long)ns,
				 (long long)end);
	}
}

/* The least time that so many percent took at most. */
static void ranks(void **state)
{
	struct latency l = { 0 };

	(void)state;
	latency_add(&l, 100);
	assert_int_equal(latency_at(&l, 1), 128);
	assert_int_equal(latency_at(&l, 100), 128);
	latency_add(&l, 1000);
	latency_add(&l, 1000);
	assert_int_equal(latency_at(&l, 33), 128);
	assert_int_equal(latency_at(&l, 34), 1024);
	for (int i = 0; i < 49; i++)
		latency_add(&l, 100);
	for (int i = 0; i < 48; i++)
		latency_add(&l, 1000);
	assert_int_equal(latency_at(&l, 50), 128);
	assert_int_equal(latency_at(&l, 51), 1024);
	assert_int_equal(l.count, 100);
}

static void percentiles(void **state)
{
	struct latency l = { 0 };

	(void)state;
	assert_int_equal(latency_at(&l, 50), -1);
	for (int i = 1; i <= 1000; i++)
		latency_add(&l, (int64_t)i * 1000);
	assert_in_range(latency_at(&l, 50), 500000, 570000);
	assert_in_range(latency_at(&l, 99), 990000, 1120000);
	latency_add(&l, -1);
	latency_add(&l, INT64_MAX);
	assert_true(latency_at(&l, 100) > INT64_C(1) << 30);
}

static char *tell(struct told_urls *t, const char *device, const char *from,
		  const char *url, const char *reached)
{
	return told_add(t,
			&(struct told_question){ device, from, url, reached });
}

static void who_was_told_what(void **state)
{
	struct told_urls t = { 0 };
	struct upstream u = { 0 };
	char *before;
	CLEANUP(buf_done) struct buf host = { 0 };

	(void)state;
	assert_null(told_find(&t, "a", "h"));
	assert_null(tell(&t, "a", "1.1.1.1", "ws://one/", "h:1"));
	assert_string_equal(told_find(&t, NULL, "9.9.9.9"), "ws://one/");
	assert_null(tell(&t, "b", "1.1.1.1", "ws://two/", "h:2"));
	assert_null(told_find(&t, "c", "1.1.1.1"));
	before = tell(&t, "b", "1.1.1.1", "ws://one/", "h:3");
	assert_string_equal(before, "ws://two/");
	mem_free(before);
	assert_string_equal(told_find(&t, "c", "1.1.1.1"), "ws://one/");
	assert_string_equal(told_reached(&t, "b", "1.1.1.1"), "h:3");
	/* From elsewhere it changes nothing. */
	assert_null(tell(&t, "b", "6.6.6.6", "ws://evil/", "e:1"));
	assert_string_equal(told_find(&t, "b", "1.1.1.1"), "ws://one/");
	assert_string_equal(told_reached(&t, "b", "1.1.1.1"), "h:3");
	assert_null(told_reached(&t, "b", "2.2.2.2"));
	for (int i = 0; i < TOLD_MAX; i++) {
		char name[20];

		snprintf(name, sizeof(name), "n%d", i);
		assert_null(tell(&t, name, "1.1.1.1", "ws://three/", "h"));
	}
	assert_int_equal(t.count, TOLD_MAX);
	assert_string_equal(told_find(&t, "a", "1.1.1.1"), "ws://three/");
	told_done(&t);

	assert_int_equal(upstream_read(&u, "wss://h/p?q=1", NULL), 0);
	assert_true(u.tls && u.port == 443 && !u.has_port);
	upstream_host(&u, true, &host);
	assert_string_equal(buf_string(&host), "h");
	upstream_done(&u);
	assert_int_equal(upstream_read(&u, "ws://h:81/p?q", NULL), 0);
	assert_true(!u.tls && u.port == 81 && u.has_port);
	assert_string_equal(u.path, "/p?q");
	buf_reset(&host);
	upstream_host(&u, true, &host);
	assert_string_equal(buf_string(&host), "h:81");
	buf_reset(&host);
	upstream_host(&u, false, &host);
	assert_string_equal(buf_string(&host), "h");
	upstream_done(&u);
	assert_int_equal(upstream_read(&u, "ws://h:81:82/", NULL), -1);
	assert_int_equal(upstream_read(&u, "ws://h:x/", NULL), -1);
	assert_int_equal(upstream_read(&u, "h", NULL), -1);
}

/* What is said of words that mean nothing, whole. */
static void why_not_set(void **state)
{
	static const struct {
		const char *text, *says, *hint;
	} rows[] = {
		{ "/a",
		  "'/a' has no '=': expected POINTER=JSON, as in /payload/result/isError=true",
		  "" },
		{ "a=1", "'a' is no JSON pointer: it begins with '/'", "" },
		{ "=1", "'' is no JSON pointer: it begins with '/'", "" },
		{ "/a~2=1",
		  "'/a~2' is no JSON pointer: behind '~' stands 0 or 1", "" },
		{ "/a~=1", "'/a~' is no JSON pointer: behind '~' stands 0 or 1",
		  "" },
		{ "/a=on",
		  "behind '/a=': invalid JSON at byte 0: a value is expected",
		  "a text is JSON in quotes: '/a=\"on\"'" },
	};
	struct alterations *a = alterations_new();

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(error_reset) struct error err = { 0 };

		assert_int_equal(alterations_set(a, rows[i].text, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(err.text, rows[i].says);
		assert_string_equal(err.hint, rows[i].hint);
	}
	assert_false(alterations_any(a));
	alterations_free(a);
	alterations_free(NULL);
}

static void why_no_fault(void **state)
{
	static const struct {
		const char *text, *says, *hint;
	} rows[] = {
		{ "drop", "fault 'drop': expected drop=reply/N", "" },
		{ "drop=reply/0", "fault 'drop': expected drop=reply/N", "" },
		{ "drop=reply/2147483648",
		  "fault 'drop': expected drop=reply/N", "" },
		{ "drop=call/2", "fault 'drop': expected drop=reply/N", "" },
		{ "hang=3", "fault 'hang' takes no value", "" },
		{ "no-hello=", "fault 'no-hello' takes no value", "" },
		{ "wrong-id=1:x", "fault 'wrong-id' takes no value", "" },
		{ "late-reply=x", "fault 'late-reply': 'x' is not a duration",
		  "write 250ms, 10s, 2m or 1h; a number without a unit is seconds" },
		{ "late-hello=", "fault 'late-hello': '' is not a duration",
		  "write 250ms, 10s, 2m or 1h; a number without a unit is seconds" },
		{ "hang:", "fault 'hang': behind ':' stands a tool's name",
		  "" },
		{ "no-features:x",
		  "fault 'no-features': behind ':' stands a tool's name, which a hello does not have",
		  "" },
		{ "late-hello:x",
		  "fault 'late-hello': behind ':' stands a tool's name, which a hello does not have",
		  "" },
		{ "no-replyy",
		  "there is no fault 'no-replyy' for a proxy (did you mean 'no-reply'?)",
		  "what a proxy can do to what passes is listed here; the other faults of 'mcpctl help faults' need a board of our own (mcpctl sim)" },
		{ "no-reply,,hang", "there is no fault '' for a proxy",
		  "what a proxy can do to what passes is listed here; the other faults of 'mcpctl help faults' need a board of our own (mcpctl sim)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct alterations *a = alterations_new();
		CLEANUP(error_reset) struct error err = { 0 };

		assert_int_equal(alterations_fault(a, rows[i].text, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(err.text, rows[i].says);
		assert_string_equal(err.hint, rows[i].hint);
		alterations_free(a);
	}
}

/* Those that there are, one a line, as help has them. */
static void faults_are_listed(void **state)
{
	static const char list[] =
		"late-reply   a reply goes on after 11 s (late-reply=500ms: after that)\n"
		"no-reply     a reply never goes on\n"
		"drop         drop=reply/3: each third reply does not go on\n"
		"two-replies  a reply goes on twice\n"
		"wrong-id     a reply goes on with an id that nobody asked with\n"
		"string-id    a reply goes on with its id as a string\n"
		"not-json     a line that is no JSON goes on in place of a reply\n"
		"cut-frame    half of the frame of a reply goes on, then both sides are reset\n"
		"hang         from a reply on nothing that the board says goes on\n"
		"no-features  the board's hello has no features\n"
		"no-hello     the board's hello does not go on\n"
		"late-hello   it goes on after 5 s (late-hello=2s: after that)";
	struct alterations *a = alterations_new();
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	assert_int_equal(alterations_fault(a, "x", &err), -1);
	assert_string_equal(err.detail, list);
	alterations_free(a);
}

/* A fault of this name, what the board says then, and what goes on instead. */
static void messages_in_full(void **state)
{
	static const struct {
		const char *fault, *said, *goes_on; /* NULL: as it came */
	} rows[] = {
		{ "wrong-id", SAID("7", "\"result\":{}"),
		  SAID("1007", "\"result\":{}") },
		{ "wrong-id", SAID("7", "\"error\":{}"),
		  SAID("1007", "\"error\":{}") },
		{ "string-id", SAID("7", "\"result\":{}"),
		  SAID("\"7\"", "\"result\":{}") },
		{ "wrong-id", SAID("8", "\"result\":{}"), NULL },
		{ "wrong-id:self.x", SAID("7", "\"result\":{}"),
		  SAID("1007", "\"result\":{}") },
		{ "wrong-id:self.", SAID("7", "\"result\":{}"), NULL },
		{ "not-json", REPLY, "I (48213) MCP: tool done" },
		{ "wrong-id,not-json", REPLY, "I (48213) MCP: tool done" },
		{ "not-json,wrong-id", REPLY, "I (48213) MCP: tool done" },
		{ "no-features", "{\"type\":\"hello\"}", NULL },
		{ "no-features", "{\"type\":\"hello\",\"features\":null}",
		  "{\"type\":\"hello\",\"features\":{}}" },
		{ "no-features", "{\"type\":\"hellos\",\"features\":1}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct alterations *a = alterations_new();
		struct alter_state s = { 0 };
		CLEANUP(buf_done) struct buf out = { 0 };
		struct altered what;

		assert_int_equal(alterations_fault(a, rows[i].fault, NULL), 0);
		what = alter(a, &s, false, CALL, &out);
		assert_false(what.changed);
		assert_null(what.fault);
		what = alter(a, &s, true, rows[i].said, &out);
		assert_int_equal(what.changed, rows[i].goes_on != NULL);
		assert_string_equal(buf_string(&out),
				    rows[i].goes_on ? rows[i].goes_on : "");
		assert_int_equal(!what.fault, !rows[i].goes_on);
		alterations_free(a);
	}
}

/* What is set is set in all that passes, on its way to the board, too. */
static void sets_both_ways(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(alterations_set(a, "/payload/id=9", NULL), 0);
	assert_int_equal(alterations_set(a, "/payload/params/name=\"y\"", NULL),
			 0);
	assert_int_equal(alterations_fault(a, "late-reply=1s:self.x", NULL), 0);
	assert_true(alter(a, &s, false, CALL, &out).changed);
	assert_string_equal(
		buf_string(&out),
		"{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":9,"
		"\"method\":\"tools/call\",\"params\":{\"name\":\"y\"}}}");
	/* Whose reply it is goes by what was asked. */
	assert_int_equal(alter(a, &s, true, REPLY, &out).after_ms, 1000);
	assert_non_null(strstr(buf_string(&out), "\"id\":9,"));
	alterations_free(a);
}

/* As many names of tools as there is room for: 63 letters. */
static void long_names_of_tools(void **state)
{
	static const char name[] =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	CLEANUP(mem_free_ptr) char *fault = mem_printf("no-reply:%s", name);
	CLEANUP(mem_free_ptr)
	char *call = mem_printf("{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":"
				"\"2.0\",\"id\":7,\"method\":\"tools/call\","
				"\"params\":{\"name\":\"%s\"}}}",
				name);
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(strlen(name), sizeof(s.asked[0].tool) - 1);
	assert_int_equal(alterations_fault(a, fault, NULL), 0);
	alter(a, &s, false, call, &out);
	assert_true(alter(a, &s, true, REPLY, &out).drop);
	alterations_free(a);
}

/* The end of each step of an eighth, and what does not fit any more. */
static void ends_of_steps(void **state)
{
	static const struct {
		int64_t ns, end;
	} rows[] = {
		{ -5, 128 },	{ 0, 128 },	{ 127, 128 },	{ 128, 144 },
		{ 143, 144 },	{ 144, 160 },	{ 255, 256 },	{ 256, 288 },
		{ 287, 288 },	{ 1023, 1024 }, { 1024, 1152 }, { 1151, 1152 },
		{ 1152, 1280 },
	};
	struct latency last = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct latency l = { 0 };

		latency_add(&l, rows[i].ns);
		assert_int_equal(latency_at(&l, 100), rows[i].end);
	}
	latency_add(&last, INT64_MAX);
	assert_int_equal(last.step[LATENCY_STEPS - 1], 1);
}

static void addresses_of_upstreams(void **state)
{
	static const struct {
		const char *url, *host, *path, *with;
		unsigned port;
		bool tls, has_port;
	} rows[] = {
		{ "http://h/a", "h", "/a", "h", 80, false, false },
		{ "https://h/a", "h", "/a", "h", 443, true, false },
		{ "wss://h:8443/a?b=c", "h", "/a?b=c", "h:8443", 8443, true,
		  true },
		{ "ws://10.0.0.1:1/", "10.0.0.1", "/", "10.0.0.1:1", 1, false,
		  true },
	};
	CLEANUP(error_reset) struct error err = { 0 };
	struct upstream none = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct upstream u = { 0 };
		CLEANUP(buf_done) struct buf host = { 0 };

		assert_int_equal(upstream_read(&u, rows[i].url, NULL), 0);
		assert_string_equal(u.url, rows[i].url);
		assert_string_equal(u.host, rows[i].host);
		assert_string_equal(u.path, rows[i].path);
		assert_int_equal(u.port, rows[i].port);
		assert_int_equal(u.tls, rows[i].tls);
		assert_int_equal(u.has_port, rows[i].has_port);
		upstream_host(&u, true, &host);
		assert_string_equal(buf_string(&host), rows[i].with);
		upstream_done(&u);
		assert_null(u.url);
	}
	assert_int_equal(upstream_read(&none, "nothing", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "'nothing' is no address: expected "
				      "SCHEME://HOST[:PORT]/PATH");
	assert_int_equal(upstream_read(&none, "ws://u:geheim@h/p", &err), -1);
	assert_string_equal(err.text,
			    "'ws://u:***@h/p' is no address: expected "
			    "SCHEME://HOST[:PORT]/PATH");
}

/* A second question of one board is the last that it was told. */
static void told_again(void **state)
{
	struct told_urls t = { 0 };
	char *before;

	(void)state;
	assert_null(told_find(&t, NULL, "1.1.1.1"));
	assert_null(tell(&t, "a", "1.1.1.1", "ws://one/", "h:1"));
	/* The same again is nothing new, but for where it asked. */
	assert_null(tell(&t, "a", "1.1.1.1", "ws://one/", "h:2"));
	assert_int_equal(t.count, 1);
	assert_string_equal(told_reached(&t, "a", "1.1.1.1"), "h:2");
	assert_null(told_reached(&t, NULL, "1.1.1.1"));
	assert_null(told_reached(&t, "a", "1.1.1.2"));
	assert_string_equal(told_find(&t, "a", "1.1.1.2"), "ws://one/");
	assert_null(tell(&t, "a", "1.1.1.2", "ws://two/", "h:3"));
	assert_int_equal(t.count, 2);
	assert_null(told_find(&t, "b", "1.1.1.1"));
	assert_null(told_find(&t, NULL, "1.1.1.1"));
	assert_string_equal(told_find(&t, "a", "1.1.1.2"), "ws://two/");
	before = tell(&t, "a", "1.1.1.2", "ws://one/", "h:3");
	assert_string_equal(before, "ws://two/");
	mem_free(before);
	assert_string_equal(told_find(&t, "b", "1.1.1.1"), "ws://one/");
	told_done(&t);
	assert_int_equal(t.count, 0);
	assert_null(told_find(&t, "a", "1.1.1.1"));
}

/* What was asked without a number is the question of its own reply alone. */
static void asked_without_a_number(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(alterations_fault(a, "no-reply:self.x", NULL), 0);
	alter(a, &s, false,
	      ASKED("\"a\"", "tools/call", "{\"name\":\"self.x\"}"), &out);
	assert_int_equal(s.asks, 1);
	assert_false(alter(a, &s, true, SAID("0", "\"result\":{}"), &out).drop);
	assert_false(
		alter(a, &s, true, SAID("\"b\"", "\"result\":{}"), &out).drop);
	assert_true(
		alter(a, &s, true, SAID("\"a\"", "\"result\":{}"), &out).drop);
	alterations_free(a);
}

/* What drops a reply drops it, whatever else is planned for it. */
static void dropped_by_one_of_two(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_true(with("no-reply,drop=reply/2", &out, false).drop);
	assert_string_equal(with("no-reply,drop=reply/2", &out, false).fault,
			    "no-reply");
	assert_true(with("drop=reply/2,no-reply", &out, false).drop);
	assert_true(with("hang,drop=reply/2", &out, false).drop);
}

/* Each counts the replies that it is of. */
static void each_drop_counts(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(
		alterations_fault(a, "drop=reply/2:self.x,drop=reply/2:self.y",
				  NULL),
		0);
	alter(a, &s, false, ASKED("1", "tools/call", "{\"name\":\"self.x\"}"),
	      &out);
	alter(a, &s, false, ASKED("2", "tools/call", "{\"name\":\"self.y\"}"),
	      &out);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			alter(a, &s, true, SAID("1", "\"result\":{}"), &out)
				.drop,
			i);
		assert_int_equal(
			alter(a, &s, true, SAID("2", "\"result\":{}"), &out)
				.drop,
			i);
	}
	alterations_free(a);
}

/* As many of them as there are counters. */
static void so_many_drops(void **state)
{
	struct alterations *a = alterations_new();
	struct alter_state s = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	for (int i = 1; i < 16; i++)
		assert_int_equal(
			alterations_fault(a, "drop=reply/100:self.y", NULL), 0);
	assert_int_equal(alterations_fault(a, "drop=reply/2:self.x", NULL), 0);
	assert_int_equal(alterations_fault(a, "drop=reply/2", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "fault 'drop': more than 16 of them");
	assert_int_equal(alterations_fault(a, "two-replies", NULL), 0);
	alter(a, &s, false, CALL, &out);
	assert_false(alter(a, &s, true, REPLY, &out).drop);
	assert_true(alter(a, &s, true, REPLY, &out).drop);
	assert_true(alter(a, &s, true, REPLY, &out).twice);
	alterations_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(wrong_words),
		cmocka_unit_test(faults),
		cmocka_unit_test(ids_of_hosts),
		cmocka_unit_test(each_third),
		cmocka_unit_test(hangs),
		cmocka_unit_test(names_of_faults),
		cmocka_unit_test(whose_reply),
		cmocka_unit_test(each_second),
		cmocka_unit_test(sets_members),
		cmocka_unit_test(steps_of_pointers),
		cmocka_unit_test(places_of_edits),
		cmocka_unit_test(steps_of_time),
		cmocka_unit_test(ranks),
		cmocka_unit_test(edits_in_their_order),
		cmocka_unit_test(pointers),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(who_was_told_what),
		cmocka_unit_test(why_not_set),
		cmocka_unit_test(why_no_fault),
		cmocka_unit_test(faults_are_listed),
		cmocka_unit_test(messages_in_full),
		cmocka_unit_test(sets_both_ways),
		cmocka_unit_test(long_names_of_tools),
		cmocka_unit_test(ends_of_steps),
		cmocka_unit_test(addresses_of_upstreams),
		cmocka_unit_test(told_again),
		cmocka_unit_test(asked_without_a_number),
		cmocka_unit_test(dropped_by_one_of_two),
		cmocka_unit_test(each_drop_counts),
		cmocka_unit_test(so_many_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
