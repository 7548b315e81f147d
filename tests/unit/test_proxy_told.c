/* SPDX-License-Identifier: MIT */
/* proxy/tell and proxy/stage: who is told what, how often, and as which finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "proxy/mqtt_relay.h"
#include "proxy/proxy.h"
#include "proxy/stage.h"
#include "proxy/talk.h"
#include "proxy/tell.h"

#define PATIENCE_MS 20000

static struct {
	struct proxy *proxy;
	struct loop *loop;
	struct buf said, noted, found;
	int closed;
} run;

static void on_said(void *owner, const struct proxy_news *n)
{
	assert_ptr_equal(owner, &run);
	buf_printf(&run.said, "%d %s: %s%s%s\n", n->level,
		   n->device ? n->device : "-", n->text, n->hint ? " | " : "",
		   n->hint ? n->hint : "");
}

static void on_passed(void *owner, const struct talk *t,
		      const struct capture_event *e)
{
	(void)owner;
	(void)t;
	if (e->kind == CAPTURED_NOTICE)
		buf_printf(&run.noted, "%.*s\n", (int)e->data.len,
			   e->data.text);
}

static void on_found(void *owner, const struct talk *t, const struct finding *f,
		     const char *detail)
{
	(void)owner;
	(void)t;
	buf_printf(&run.found, "%s %s\n", finding_row(f->code)->code, detail);
}

static const struct proxy_events events = { .passed = on_passed,
					    .found = on_found,
					    .said = on_said };

static void on_closed(void *owner)
{
	assert_ptr_equal(owner, &run);
	run.closed++;
}

static int set_up(void **state)
{
	(void)state;
	memset(&run, 0, sizeof(run));
	assert_int_equal(loop_new(&run.loop, NULL), 0);
	run.proxy = mem_zalloc(sizeof(*run.proxy));
	run.proxy->loop = run.loop;
	run.proxy->options.events = &events;
	run.proxy->options.owner = &run;
	run.proxy->options.talks_max = 5;
	run.proxy->found = mem_zalloc(sizeof(*run.proxy->found));
	run.proxy->closed = on_closed;
	run.proxy->closed_owner = &run;
	proxy_tells_open(run.proxy);
	return 0;
}

static void close_proxy(void)
{
	int64_t until = loop_now() + PATIENCE_MS;
	const bool never = false;

	run.proxy->closing = true;
	proxy_tells_close(run.proxy);
	while (!run.closed && loop_now() < until)
		loop_stay(run.loop, &never, loop_now() + 1, NULL);
	assert_int_equal(run.closed, 1);
	run.proxy = NULL;
}

static int tear_down(void **state)
{
	(void)state;
	if (run.proxy)
		close_proxy();
	loop_free(run.loop);
	buf_done(&run.said);
	buf_done(&run.noted);
	buf_done(&run.found);
	return 0;
}

static void told(const char *wanted)
{
	assert_string_equal(buf_string(&run.said), wanted);
	buf_reset(&run.said);
}

/* ---- lines ---- */

static void lines(void **state)
{
	struct proxy *p = run.proxy;

	(void)state;
	proxy_say(p, PROXY_INFO, "d1", "do that", "%s %d", "a", 1);
	proxy_say(p, PROXY_BAD, NULL, "", "b");
	proxy_say(p, PROXY_DEBUG, NULL, NULL, "c");
	proxy_say(p, PROXY_WARN, "", NULL, "d");
	told("1 d1: a 1 | do that\n3 -: b\n0 -: c\n2 : d\n");
}

/* Ten of a kind; the others are told of as one, when it ends at the latest. */
static void ten_of_a_kind(void **state)
{
	struct proxy *p = run.proxy;

	(void)state;
	for (int i = 1; i <= 12; i++)
		proxy_say(p, PROXY_BAD, "d1", NULL, "number %d", i);
	told("3 d1: number 1\n3 d1: number 2\n3 d1: number 3\n"
	     "3 d1: number 4\n3 d1: number 5\n3 d1: number 6\n"
	     "3 d1: number 7\n3 d1: number 8\n3 d1: number 9\n"
	     "3 d1: number 10\n");
	proxy_say(p, PROXY_BAD, "d1", NULL, "another %d", 1);
	told("3 d1: another 1\n");
	close_proxy();
	told("2 -: and 2 more like that since, the last one: d1: number 12\n");
}

/* At the end all is told. */
static void at_the_end(void **state)
{
	struct proxy *p = run.proxy;

	(void)state;
	p->closing = true;
	for (int i = 1; i <= 11; i++)
		proxy_say(p, PROXY_INFO, NULL, NULL, "%d", i);
	told("1 -: 1\n1 -: 2\n1 -: 3\n1 -: 4\n1 -: 5\n1 -: 6\n"
	     "1 -: 7\n1 -: 8\n1 -: 9\n1 -: 10\n1 -: 11\n");
}

/* ---- where a broker is reached ---- */

/* At the address of ours by which the board came in, and not at another one. */
static void a_broker_where_it_came_in(void **state)
{
	static const char *const own[] = { "127.0.0.2", "127.0.0.1" };
	struct proxy *p = run.proxy;
	CLEANUP(words_done) struct words at = { 0 };

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(own); i++) {
		const struct mqtt_came came = { own[i % 2], own[i % 2] };
		CLEANUP(mem_free_ptr) char *told = NULL;

		assert_int_equal(mqtt_relay_endpoint(p, "b.example:1884", &came,
						     &told, NULL),
				 0);
		assert_memory_equal(told, own[i % 2], strlen(own[i % 2]));
		words_done(&at);
		mqtt_relay_addresses(p, &at);
		assert_int_equal(at.count, i ? 2 : 1);
		assert_true(text_same(at.word[0], told) ||
			    text_same(at.word[at.count - 1], told));
	}
	mqtt_relay_close(p);
}

/* Whatever it came by: behind a reverse proxy that is an address of its own. */
static void a_broker_as_advertised(void **state)
{
	static const char *const given[] = { "wss://b.example:81/x",
					     "b.example" };
	static const struct mqtt_came came = { "127.0.0.1:8000", "127.0.0.1" };
	struct proxy *p = run.proxy;

	(void)state;
	for (size_t i = 0; i < COUNT(given); i++) {
		CLEANUP(mem_free_ptr) char *out = NULL;

		p->options.admit.advertise = given[i];
		assert_int_equal(mqtt_relay_endpoint(p, "c.example:1884", &came,
						     &out, NULL),
				 0);
		assert_memory_equal(out, "b.example:", 10);
	}
	mqtt_relay_close(p);
}

/* Where the broker is all that it stands before, a port may be meant, too. */
static void a_broker_told_as_advertised(void **state)
{
	static const struct {
		const char *given, *wanted;
	} rows[] = { { "b.example", "b.example:" },
		     { "b.example:2883", "b.example:2883" },
		     { "[2001:db8::1]", "127.0.0.1:" },
		     { "wss://b.example:81/x", "b.example:" } };
	static const struct mqtt_came came = { "127.0.0.1:8000", "127.0.0.1" };
	struct proxy *p = run.proxy;
	CLEANUP(mem_free_ptr) char *out = NULL;

	(void)state;
	assert_int_equal(
		mqtt_relay_endpoint(p, "c.example:1884", &came, &out, NULL), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(words_done) struct words at = { 0 };

		p->options.admit.advertise = rows[i].given;
		mqtt_relay_addresses(p, &at);
		assert_int_equal(at.count, 1);
		assert_memory_equal(at.word[0], rows[i].wanted,
				    strlen(rows[i].wanted));
		assert_int_equal(
			strcmp(strrchr(at.word[0], ':') + 1, "81") == 0, 0);
	}
	mqtt_relay_close(p);
}

/* ---- who was refused ---- */

static void refusals(void **state)
{
	struct proxy *p = run.proxy;

	(void)state;
	proxy_refused(p, &(struct front_refusal){ .address = "h:1",
						  .text = "busy",
						  .hint = "wait" });
	assert_int_equal(p->counts.refused, 1);
	proxy_refused(p,
		      &(struct front_refusal){ .text = "7 more", .count = 7 });
	assert_int_equal(p->counts.refused, 8);
	told("2 -: h:1: busy | wait\n2 -: 7 more\n");
}

static void noise(void **state)
{
	struct proxy *p = run.proxy;

	(void)state;
	proxy_noise(p, "h:1", "no HTTP");
	proxy_noise(p, NULL, "no HTTP");
	proxy_noise(p, "h:1", NULL);
	told("2 -: h:1: no HTTP\n");
	assert_int_equal(p->counts.refused, 0);
}

/* The last part that closes ends it, but only if it is to end. */
static void last_part(void **state)
{
	struct proxy *p = run.proxy;

	(void)state;
	assert_int_equal(p->legs_open, 1);
	p->legs_open = 4;
	proxy_leg_closed(p);
	p->closing = true;
	proxy_leg_closed(p);
	assert_int_equal(p->legs_open, 2);
	p->closing = false;
	p->legs_open = 1;
	proxy_leg_closed(p);
	assert_int_equal(p->legs_open, 0);
	assert_int_equal(run.closed, 0);
	p->legs_open = 1;
}

/* ---- stages ---- */

static struct talk *talk(void)
{
	const struct talk_head head = { .leg = LEG_WS,
					.device = "d1",
					.address = "h:1" };
	struct talk *t = talk_open(run.proxy, &head);

	assert_non_null(t);
	return t;
}

static void found(const char *wanted)
{
	assert_string_equal(buf_string(&run.found), wanted);
	buf_reset(&run.found);
}

static void noted(const char *wanted)
{
	assert_string_equal(buf_string(&run.noted), wanted);
	buf_reset(&run.noted);
}

static void codes_by_name(void **state)
{
	struct talk *t = talk();

	(void)state;
	stage_found(NULL, "N112", "x");
	stage_found(t, NULL, "x");
	stage_found(t, "", "x");
	stage_found(t, "Z999", "x");
	found("");
	stage_found(t, "N112", "50 % of it");
	found("N112 50 % of it\n");
	talk_end(t, FROM_NOBODY, ENDED_OTHER, 0);
}

#define NO_HTTP \
	"'up' port 80 answered something that is no HTTP, or a head that is too long"
#define NO_LOGIN "'up' refused: HTTP 401 (not authorized)"
#define FORBIDDEN "'up' refused: HTTP 403 (forbidden)"
#define NO_PATH "'up' has no MCP server at '': HTTP 404"
#define IS_IT " | is it an HTTPS server?\n"
#define CHECK_PATH " | check the path of the target (often /mcp or /sse)\n"

/*
 * Its own code, else that of the stage if it is sure; and no advice that is for
 * who dials with mcpctl.
 */
static void failures(void **state)
{
	static const struct {
		enum why what;
		int number;
		bool sure; /* that it is N111 */
		const char *noted, *said, *found;
	} rows[] = {
		{ WHY_FOREIGN, 0, true, NO_HTTP "; then that\n",
		  "3 d1: " NO_HTTP IS_IT, "N112 " NO_HTTP "\n" },
		{ WHY_FOREIGN, 0, false, NO_HTTP "; then that\n",
		  "3 d1: " NO_HTTP IS_IT, "N112 " NO_HTTP "\n" },
		{ WHY_STATUS, 401, true, NO_LOGIN "; then that\n",
		  "3 d1: " NO_LOGIN "\n", "P707 " NO_LOGIN "\n" },
		{ WHY_STATUS, 403, true, FORBIDDEN "; then that\n",
		  "3 d1: " FORBIDDEN "\n", "N111 " FORBIDDEN "\n" },
		{ WHY_STATUS, 403, false, FORBIDDEN "; then that\n",
		  "3 d1: " FORBIDDEN "\n", "" },
		{ WHY_STATUS, 404, false, NO_PATH "; then that\n",
		  "3 d1: " NO_PATH CHECK_PATH, "P713 " NO_PATH "\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct stage s = { .facts = { .what = rows[i].what,
						    .with = WITH_HTTP,
						    .number = rows[i].number,
						    .host = "up",
						    .port = 80 },
					 .code = N111,
					 .sure = rows[i].sure,
					 .then = "then that" };
		struct talk *t = talk();

		stage_failed(t, &s);
		noted(rows[i].noted);
		told(rows[i].said);
		found(rows[i].found);
		talk_end(t, FROM_NOBODY, ENDED_OTHER, 0);
	}
}

/* Begun so long ago, it leaves; up: the connection to the upstream stood. */
static void leaves(int64_t ms, bool up)
{
	const struct stage silent = { .facts = { .what = WHY_WAITS_ANSWER,
						 .with = WITH_HTTP | WITH_BOARD,
						 .host = "up",
						 .port = 80 },
				      .code = N111,
				      .sure = true,
				      .then = "then that" };
	struct talk *t = talk();

	t->began_us -= ms * 1000;
	stage_left(t, &silent, up);
	talk_end(t, FROM_NOBODY, ENDED_OTHER, 0);
}

static void notes(const char *first, const char *last)
{
	const char *is = buf_string(&run.noted);
	const size_t a = strlen(first), b = strlen(last);

	assert_memory_equal(is, first, a);
	assert_true(run.noted.len >= a + b);
	assert_string_equal(is + run.noted.len - b, last);
	buf_reset(&run.noted);
}

/* It waited as long as boards do, and the upstream is silent: that is its fault. */
static void who_leaves(void **state)
{
	(void)state;
	leaves(0, true);
	notes("it left after ", "s: until then 'up' had not begun to answer\n");
	leaves(5000, true);
	notes("it left after 5",
	      " s: until then 'up' had not begun to answer\n");
	leaves(0, false);
	notes("it left after ",
	      "s: the connection to 'up' did not stand yet\n");
	leaves(3600000, false);
	notes("it left after 1 h",
	      ": the connection to 'up' did not stand yet\n");
	told("");
	found("");
	leaves(9000, true);
	notes("'up'", "; then that\n");
	assert_memory_equal(buf_string(&run.found), "N111 'up'", 9);
	assert_memory_equal(buf_string(&run.said), "3 d1: 'up'", 10);
	assert_null(strstr(buf_string(&run.said), " | "));
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		EACH(lines),
		EACH(ten_of_a_kind),
		EACH(at_the_end),
		EACH(a_broker_where_it_came_in),
		EACH(a_broker_as_advertised),
		EACH(a_broker_told_as_advertised),
		EACH(refusals),
		EACH(noise),
		EACH(last_part),
		EACH(codes_by_name),
		EACH(failures),
		EACH(who_leaves),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
