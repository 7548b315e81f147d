/* SPDX-License-Identifier: MIT */
/*
 * Between the client and its peer: which tries follow a failure, and whether
 * a call is made at all. Waits for nothing, sends nothing; the rules are those
 * of mcp/retry and mcp/breaker.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/guards_private.h"
#include "cli/schema_cache.h"

#define HTTP_TRIES 3

/* ---- tries ---- */

/* 0 to 1. */
static double random_part(void)
{
	uint32_t bits;

	random_bytes(&bits, sizeof(bits));
	return (double)bits / (double)UINT32_MAX;
}

static void tell_try(const struct guards *g, const struct error *why,
		     int64_t wait)
{
	struct renderer *r = &g->app->out;
	char line[120], time[32];

	text_milliseconds(wait, time, sizeof(time));
	if (r->verbose) {
		render_note(r, "try %u of %u failed: %s; again in %s", g->tries,
			    g->policy.tries, why->text, time);
		return;
	}
	snprintf(line, sizeof(line),
		 "try %u of %u failed; again in %s (Ctrl-C ends)", g->tries,
		 g->policy.tries, time);
	render_count_down(r, line);
}

static int64_t again(struct guards *g, const struct guard_ask *ask,
		     unsigned tries, const struct error *why)
{
	/* A trial is a single request. */
	int64_t wait = g->trial ? -1 :
				  retry_wait(&g->policy, ask, tries, why,
					     random_part());

	g->tries = tries;
	if (wait >= 0)
		tell_try(g, why, wait);
	return wait;
}

/* Why there was no further try, where that can be helped. */
static void hint_tries(const struct guards *g, const struct guard_ask *ask,
		       struct error *err)
{
	char time[32];

	if (err->hint[0] || g->tries >= g->policy.tries || !retry_may_pass(err))
		return;
	if (!retry_may_repeat(&g->policy, ask))
		error_hint(err,
			   "it was tried once, since the tool is not %s as "
			   "idempotent: --retry-calls repeats it all the same",
			   ask->known ? "marked" : "known");
	else if (err->retry_after > RETRY_ASKED_MOST_MS)
		error_hint(err, "it asks to wait %s before the next try",
			   text_milliseconds(err->retry_after, time,
					     sizeof(time)));
}

static void add_tries(struct guards *g, const struct guard_ask *ask,
		      struct error *err)
{
	render_count_down(&g->app->out, NULL);
	if (err && err->kind != ERR_INTERRUPTED) {
		size_t len = strlen(err->text);

		hint_tries(g, ask, err);
		if (g->tries > 1)
			snprintf(err->text + len, sizeof(err->text) - len,
				 " (after %u tries)", g->tries);
	}
	g->tries = 0;
}

/* ---- the guard of the client ---- */

static bool is_ping(const struct guard_ask *ask)
{
	return strcmp(ask->method, "ping") == 0;
}

static int on_admit(void *owner, const struct guard_ask *ask, struct error *err)
{
	struct guards *g = owner;

	g->tries = 0;
	return is_ping(ask) ? 0 : guards_breaker_admit(g, ask->method, err);
}

static int64_t on_again(void *owner, const struct guard_ask *ask,
			unsigned tries, const struct error *err)
{
	return again(owner, ask, tries, err);
}

static void on_settle(void *owner, const struct guard_ask *ask,
		      struct error *err)
{
	struct guards *g = owner;

	if (!is_ping(ask))
		guards_breaker_settle(g, ask->method, err);
	add_tries(g, ask, err);
}

const struct client_guard *guards_guard(const struct guards *g)
{
	return g ? &g->guard : NULL;
}

/* ---- opening ---- */

static const struct guard_ask opening_ask = { .method = OPENING_METHOD };

int64_t guards_again(struct guards *g, unsigned tries, const struct error *why)
{
	return g && g->opening ? again(g, &opening_ask, tries, why) : -1;
}

/* Nobody dials a device that comes by itself. */
int guards_admit(struct guards *g, struct error *err)
{
	if (g->opening)
		return 0;
	g->tries = 0;
	if (!app_listens(g->app) &&
	    guards_breaker_admit(g, OPENING_METHOD, err) != 0)
		return -1;
	g->opening = true;
	return 0;
}

void guards_opened(struct guards *g, struct error *why)
{
	if (!g || !g->opening)
		return;
	g->opening = false;
	if (!app_listens(g->app))
		guards_breaker_settle(g, OPENING_METHOD, why);
	else if (!why)
		guards_reset(g);
	add_tries(g, &opening_ask, why);
}

/* ---- its life ---- */

static char *key_of(const struct app *app)
{
	CLEANUP(mem_free_ptr)
	char *target = schema_cache_key(app->endpoint.text, NULL);
	const char *device = app->endpoint.device;

	if (device && *device)
		return mem_printf("%s -d %s", target, device);
	return TAKE(target);
}

static void close_file(struct guards *g, struct guarded *t)
{
	if (g->here == t)
		guards_breaker_release(g);
	guards_file_close(&t->file);
}

/* The one of that key becomes the present one. */
static void choose(struct guards *g, const char *key)
{
	struct guarded *t = g->all;

	if (g->here && strcmp(g->here->key, key) == 0)
		return;
	if (g->here)
		close_file(g, g->here);
	while (t && strcmp(t->key, key) != 0)
		t = t->next;
	if (!t) {
		t = mem_zalloc(sizeof(*t));
		t->key = mem_strdup(key);
		t->next = g->all;
		g->all = t;
	}
	g->here = t;
	g->trial = g->opening = false;
}

static struct guards *guards_new(struct app *app)
{
	struct guards *g = mem_zalloc(sizeof(*g));

	g->app = app;
	g->guard = (struct client_guard){ .admit = on_admit,
					  .again = on_again,
					  .settle = on_settle,
					  .owner = g };
	return g;
}

int guards_open(struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	unsigned usual = endpoint_is_http(&app->endpoint) ? HTTP_TRIES : 1;
	CLEANUP(mem_free_ptr) char *key = key_of(app);
	struct guards_option option;
	struct guards *g;

	if (guards_option_parse(&option, c->breaker, err) != 0)
		return -1;
	if (!app->guarding)
		app->guarding = guards_new(app);
	g = app->guarding;
	g->option = option;
	g->policy.tries = c->retry ? (unsigned)c->retry : usual;
	g->policy.calls = c->retry_calls;
	choose(g, key);
	g->here->record.breaker.limit = option.limit;
	g->here->record.breaker.pause_ms = option.pause_ms;
	if (!option.lasts || g->here->file.path)
		return 0;
	return guards_file_open(&g->here->file, key, err);
}

void guards_close(struct app *app)
{
	struct guards *g = TAKE(app->guarding);

	while (g && g->all) {
		struct guarded *t = g->all;

		close_file(g, t);
		g->all = t->next;
		guards_record_done(&t->record);
		mem_free(t->key);
		mem_free(t);
	}
	mem_free(g);
}
