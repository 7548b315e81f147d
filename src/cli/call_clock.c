/* SPDX-License-Identifier: MIT */
/* One timer, and the line that it rewrites. */
#include "cli/call_clock.h"

#include <stdio.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/connection.h"
#include "cli/requests.h"
#include "out/wrap.h"

enum { SECOND_MS = 1000, PROGRESS_MS = 3000 };

struct call_clock {
	struct connection *connection;
	struct timer tick;
	bool runs;
	int64_t since; /* when the wait began */
	int64_t until; /* of a pause; 0: an answer is waited for */
	char *what; /* made safe */
};

/* Whole seconds: the tenths would only flicker. */
static const char *whole_seconds(int64_t ms, char *out, size_t size)
{
	return text_milliseconds(ms / SECOND_MS * SECOND_MS, out, size);
}

/* A bar moves, or a person is asked: that line says more. */
static bool is_told_otherwise(const struct call_clock *c)
{
	const struct renderer *r = &c->connection->app->out;

	return requests_asks(c->connection->requests) ||
	       (r->progress_at >= c->since && r->progress_at > 0 &&
		loop_now() - r->progress_at < PROGRESS_MS);
}

static void show(const struct call_clock *c)
{
	CLEANUP(mem_free_ptr) char *line = NULL;
	int64_t now = loop_now();
	char time[32];

	if (c->until > now) {
		line = mem_printf("%s; again in %s (Ctrl-C ends)", c->what,
				  whole_seconds(c->until - now + SECOND_MS - 1,
						time, sizeof(time)));
	} else if (c->until) {
		line = mem_printf("%s; trying again (Ctrl-C ends)", c->what);
	} else {
		line = mem_printf(
			"waiting for %s: %s (Ctrl-C ends)", c->what,
			whole_seconds(now - c->since, time, sizeof(time)));
	}
	render_count_down(&c->connection->app->out, line);
}

static void on_tick(void *owner)
{
	struct call_clock *c = owner;

	if (!c->runs)
		return;
	if (c->until || !is_told_otherwise(c))
		show(c);
	timer_start(&c->tick, SECOND_MS);
}

struct call_clock *call_clock_new(struct connection *connection)
{
	struct call_clock *c = mem_zalloc(sizeof(*c));

	c->connection = connection;
	return c;
}

static void release(void *owner)
{
	struct call_clock *c = owner;

	mem_free(c->what);
	mem_free(c);
}

void call_clock_free(struct call_clock *c)
{
	if (!c)
		return;
	call_clock_stop(c);
	if (c->tick.open)
		timer_close(&c->tick, release);
	else
		release(c);
}

/* False: there is no line to rewrite. */
static bool begin(struct call_clock *c, const char *what, int64_t until)
{
	const struct renderer *r = c ? &c->connection->app->out : NULL;
	CLEANUP(buf_done) struct buf safe = { 0 };

	if (!r || !r->err_terminal || r->quiet || !c->connection->app->loop)
		return false;
	wrap_safe(&safe, what);
	mem_free(c->what);
	c->what = mem_strdup(buf_string(&safe));
	c->since = loop_now();
	c->until = until;
	c->runs = true;
	if (!c->tick.open)
		timer_open(&c->tick, c->connection->app->loop, on_tick, c);
	timer_start(&c->tick, SECOND_MS);
	return true;
}

void call_clock_start(struct call_clock *c, const char *what)
{
	begin(c, what, 0);
}

void call_clock_pause(struct call_clock *c, const char *text, int64_t ms)
{
	if (begin(c, text, loop_now() + ms))
		show(c);
}

void call_clock_stop(struct call_clock *c)
{
	if (!c || !c->runs)
		return;
	c->runs = false;
	timer_stop(&c->tick);
	render_count_down(&c->connection->app->out, NULL);
}
