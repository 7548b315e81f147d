/* SPDX-License-Identifier: MIT */
/*
 * The breaker of the present target, in memory or in its file. Tries are
 * guards.c's matter.
 */
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/guards_private.h"
#include "out/mask.h"

/* ---- the state, in memory or in its file ---- */

/* Once: it is the same each time. */
static void tell_problem(struct guards *g, const struct error *why)
{
	if (!g->told)
		render_note(&g->app->out, "%s", why->text);
	g->told = true;
}

static struct guards_record *begin_change(struct guards *g)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct guarded *here = g->here;

	g->spoilt = here->file.path &&
		    guards_file_begin(&here->file, &here->record, &why) != 0;
	if (g->spoilt)
		tell_problem(g, &why);
	return &here->record;
}

static void end_change(struct guards *g, bool changed)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct guarded *here = g->here;

	if (here->file.path &&
	    guards_file_end(&here->file,
			    changed || g->spoilt ? &here->record : NULL,
			    &why) != 0)
		tell_problem(g, &why);
}

/* ---- the breaker ---- */

static void hint_open(const struct guards *g, struct error *err)
{
	const struct guarded *here = g->here;
	const char *why = here->record.why ? here->record.why : "unknown";
	int len = (int)text_cut(why, strlen(why), 200);

	if (here->file.path)
		error_hint(err,
			   "the last one: %.*s; then one trial call is let "
			   "through; --breaker=off tries at once",
			   len, why);
	else
		error_hint(err,
			   "the last one: %.*s; then one trial call is let "
			   "through; 'reconnect' in the shell closes it now, "
			   "--breaker=off leaves it out",
			   len, why);
}

/* How much a success of it tells. */
static int weight_of(const char *method)
{
	static const char *const small[] = { "tools/list",
					     "resources/list",
					     "resources/templates/list",
					     "prompts/list",
					     "ping",
					     "logging/setLevel",
					     "completion/complete" };

	if (strcmp(method, OPENING_METHOD) == 0)
		return 0;
	for (size_t i = 0; i < COUNT(small); i++) {
		if (strcmp(method, small[i]) == 0)
			return 1;
	}
	return retry_is_call(method) ? 3 : 2;
}

/* A server that reads well although its tools fail goes on reading. */
static bool is_apart(const struct guards_record *r, const char *method)
{
	return r->method && strcmp(method, OPENING_METHOD) != 0 &&
	       weight_of(method) < weight_of(r->method);
}

int guards_breaker_admit(struct guards *g, const char *method,
			 struct error *err)
{
	struct guards_record *r;
	int64_t now = unix_now_ms();
	bool trial;
	int status;

	if (!g->option.on || g->trial)
		return 0;
	r = begin_change(g);
	if (is_apart(r, method)) {
		end_change(g, false);
		return 0;
	}
	trial = breaker_state(&r->breaker, now) == BREAKER_HALF_OPEN;
	status = breaker_admit(&r->breaker, now, err);
	g->trial = trial && status == 0;
	end_change(g, g->trial);
	if (status != 0)
		hint_open(g, err);
	if (g->trial && g->app->out.verbose)
		render_note(&g->app->out,
			    "the circuit breaker lets one trial through");
	return status;
}

static bool ends_row(const char *method, const char *failed)
{
	return !failed || weight_of(method) >= weight_of(failed);
}

static void settle_bad(struct guards *g, const char *method,
		       const struct error *why)
{
	struct guards_record *r = &g->here->record;
	int64_t now = unix_now_ms();
	bool was_open = r->breaker.opened_at > 0;
	char text[32];

	breaker_settle(&r->breaker, why, now);
	mem_free(r->method);
	mem_free(r->why);
	r->method = mem_strdup(method);
	r->why = mask_text(why->text);
	g->trial = false;
	if (was_open || r->breaker.opened_at == 0)
		return;
	text_milliseconds(breaker_left(&r->breaker, now), text, sizeof(text));
	render_note(&g->app->out,
		    "%lld failed in a row: the circuit breaker is open, calls "
		    "fail at once for %s",
		    (long long)r->breaker.failures, text);
}

/* True: it changed. */
static bool settle_good(struct guards *g, const char *method)
{
	struct guards_record *r = &g->here->record;
	bool was_open = r->breaker.opened_at > 0;

	if (r->breaker.failures == 0 || !ends_row(method, r->method))
		return false;
	breaker_close(&r->breaker);
	g->trial = false;
	if (was_open && g->app->out.verbose)
		render_note(&g->app->out, "the circuit breaker is closed");
	return true;
}

static bool settle_silent(struct guards *g)
{
	bool trial = g->trial;

	if (trial)
		breaker_release(&g->here->record.breaker);
	g->trial = false;
	return trial;
}

void guards_breaker_settle(struct guards *g, const char *method,
			   const struct error *why)
{
	bool changed = true;

	if (!g->option.on)
		return;
	begin_change(g);
	switch (breaker_judge(why)) {
	case BREAKER_GOOD:
		changed = settle_good(g, method);
		break;
	case BREAKER_BAD:
		settle_bad(g, method, why);
		break;
	case BREAKER_SILENT:
		changed = settle_silent(g);
		break;
	}
	end_change(g, changed);
}

void guards_breaker_release(struct guards *g)
{
	if (!g->trial)
		return;
	begin_change(g);
	end_change(g, settle_silent(g));
}

void guards_reset(struct guards *g)
{
	if (!g || !g->here || !g->option.on)
		return;
	begin_change(g);
	breaker_close(&g->here->record.breaker);
	g->trial = false;
	end_change(g, true);
}
