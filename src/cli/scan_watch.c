/* SPDX-License-Identifier: MIT */
#include "cli/scan_watch.h"

#include <string.h>

#include "base/mem.h"
#include "base/pause.h"
#include "base/text.h"
#include "net/neighbours.h"

enum {
	MISSES = 1, /* looks in which a neighbour may be overheard */
	AGAIN_MS =
		3000, /* until one that does not answer is asked again; doubled … */
	AGAIN_MAX_MS = 60000, /* … up to this */
	AGAIN_AT_ONCE = 16, /* of one look, so that it does not take long */
	UNHEARD_MAX = NEIGHBOURS_MAX /* kept, though nothing is heard of them */
};

/* What waits shows it. Any line, and the end, clears it. */
void scan_watch_show(struct scan_watch *w)
{
	const struct scan_list *there = &w->there;
	CLEANUP(buf_done) struct buf line = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < there->count; i++)
		count += !there->item[i].hidden && !there->item[i].fails;
	buf_printf(&line, "watching %s: ", w->place);
	if (count)
		buf_printf(&line, "%zu there", count);
	else
		buf_text(&line, "nobody there");
	buf_text(&line, " (Ctrl-C ends)");
	render_count_down(&there->app->out, buf_string(&line));
}

static bool is_serve(const struct scanned *one)
{
	return one->socket != NULL;
}

/* Announced by multicast, which gets lost, and tells no end. */
static bool is_overheard(const struct scanned *one)
{
	return strcmp(one->kind, "network") == 0;
}

static bool is_unheard(const struct scanned *one)
{
	return one->missed > MISSES;
}

/* A serve that does not answer now is known by its socket alone. */
static bool is_same(const struct scanned *told, const struct scanned *now)
{
	if (is_serve(told) && is_serve(now) && now->fails)
		return strcmp(told->socket, now->socket) == 0;
	return strcmp(told->kind, now->kind) == 0 &&
	       strcmp(told->name, now->name) == 0 &&
	       text_equal(told->peer, now->peer) && told->since == now->since;
}

/* Of a look. NULL: it did not find it. */
static const struct scanned *found_again(const struct scan_list *now,
					 const struct scanned *one)
{
	for (size_t i = 0; i < now->count; i++) {
		if (is_same(one, &now->item[i]))
			return &now->item[i];
	}
	return NULL;
}

static bool is_there(const struct scan_watch *w, const struct scanned *found)
{
	for (size_t i = 0; i < w->there.count; i++) {
		if (is_same(&w->there.item[i], found))
			return true;
	}
	return false;
}

/* In the columns of those before it. */
void scan_watch_tell(struct scan_watch *w, struct scan_list *s,
		     const char *change)
{
	s->name_width = w->there.name_width;
	s->command_width = w->there.command_width;
	scan_list_measure(s);
	w->there.name_width = s->name_width;
	w->there.command_width = s->command_width;
	s->change = change;
	scan_list_show(s);
}

static void tell_one(struct scan_watch *w, struct scanned *one,
		     const char *change)
{
	struct scan_list alone = { .app = w->there.app,
				   .item = one,
				   .count = 1 };

	scan_watch_tell(w, &alone, change);
}

static void tell_gone(struct scan_watch *w, struct scanned *one)
{
	one->dials = false;
	mem_free(TAKE(one->command));
	mem_free(TAKE(one->problem));
	tell_one(w, one, "gone");
	scan_one_done(one);
}

/* A serve that did not answer, and one that does again. */
static void take_silence(struct scan_watch *w, struct scanned *one, bool fails)
{
	if (one->fails == fails)
		return;
	one->fails = fails;
	mem_free(TAKE(one->problem));
	if (fails)
		one->problem = mem_strdup(SCAN_SILENT);
	tell_one(w, one, "changed");
}

/* An announcement that leads nowhere is all that there was of it. */
static bool is_over(const struct scanned *one)
{
	if (one->missed == 0)
		return false;
	return !is_overheard(one) || (is_unheard(one) && !one->dials);
}

static void drop_gone(struct scan_watch *w, const struct scan_list *now)
{
	struct scan_list *there = &w->there;
	size_t kept = 0;

	for (size_t i = 0; i < there->count; i++) {
		struct scanned *one = &there->item[i];
		const struct scanned *same = found_again(now, one);
		const bool unheard = is_unheard(one);

		one->missed = same ? 0 : one->missed + 1;
		if (is_unheard(one) != unheard)
			one->ask_at = one->pause = 0;
		if (is_over(one)) {
			tell_gone(w, one);
			continue;
		}
		if (same && is_serve(one))
			take_silence(w, one, same->fails);
		there->item[kept++] = *one;
	}
	there->count = kept;
}

/* ---- those that do not answer ---- */

static bool wants_again(const struct scanned *one)
{
	return one->dials && (one->fails || is_unheard(one));
}

static void plan_again(struct scanned *one)
{
	one->told = !one->hidden;
	one->told_fails = one->fails;
	/* What was shown is no guess any more. */
	one->guessed = one->guessed && one->hidden;
	if (!wants_again(one)) {
		one->ask_at = one->pause = 0;
		return;
	}
	one->pause = pause_longer(one->pause, AGAIN_MS, AGAIN_MAX_MS);
	one->ask_at = loop_now() + one->pause;
}

/* It was asked again. True: it is kept. */
static bool take_again(struct scan_watch *w, struct scanned *one)
{
	if (is_unheard(one) && one->refused) {
		tell_gone(w, one);
		return false;
	}
	if (!one->told || one->fails != one->told_fails)
		tell_one(w, one, one->told ? "changed" : "came");
	plan_again(one);
	return true;
}

/* Those whose time has come, out of the others. */
static void take_due(struct scan_watch *w, struct scan_list *due)
{
	struct scan_list *there = &w->there;
	size_t kept = 0;

	for (size_t i = 0; i < there->count; i++) {
		struct scanned *one = &there->item[i];

		if (due->count < AGAIN_AT_ONCE && wants_again(one) &&
		    loop_now() >= one->ask_at)
			scan_list_add(due, one);
		else
			there->item[kept++] = *one;
	}
	there->count = kept;
}

/*
 * It may not have listened yet when it was announced; and who is not heard of any
 * more may be there all the same.
 */
static int ask_again(struct scan_watch *w, scan_ask *ask, struct error *err)
{
	struct scan_list due = { .app = w->there.app };
	int status;

	take_due(w, &due);
	status = due.count ? ask(&due, err) : 0;
	for (size_t i = 0; i < due.count; i++) {
		if (status || take_again(w, &due.item[i]))
			scan_list_add(&w->there, &due.item[i]);
	}
	mem_free(due.item);
	return status;
}

/* When the next is to be asked. */
int64_t scan_watch_next(const struct scan_watch *w)
{
	int64_t next = LOOP_FOREVER;

	for (size_t i = 0; i < w->there.count; i++) {
		const struct scanned *one = &w->there.item[i];

		if (wants_again(one) && one->ask_at < next)
			next = one->ask_at;
	}
	return next;
}

/* Anybody can announce, and be silent then. */
static void bound_unheard(struct scan_watch *w)
{
	struct scan_list *there = &w->there;
	size_t unheard = 0, kept = 0;

	for (size_t i = there->count; i-- > 0;)
		unheard += is_unheard(&there->item[i]);
	if (unheard > UNHEARD_MAX && !w->many)
		render_note(
			&there->app->out,
			"more than %d that were announced are not heard of any more: some of them are forgotten",
			UNHEARD_MAX);
	w->many = w->many || unheard > UNHEARD_MAX;
	for (size_t i = 0; i < there->count; i++) {
		if (unheard > UNHEARD_MAX && is_unheard(&there->item[i])) {
			unheard--;
			scan_one_done(&there->item[i]);
		} else {
			there->item[kept++] = there->item[i];
		}
	}
	there->count = kept;
}

/* ---- one look after the other ---- */

/* Who is new; of a serve that does not answer it is not known which one it is. */
static void take_fresh(struct scan_watch *w, struct scan_list *now,
		       struct scan_list *fresh)
{
	for (size_t i = 0; i < now->count; i++) {
		struct scanned *one = &now->item[i];

		if ((is_serve(one) && one->fails) || is_there(w, one))
			scan_one_done(one);
		else
			scan_list_add(fresh, one);
	}
	now->count = 0;
}

/* Takes what stands in `now`; who is new there is asked, and told. */
int scan_watch_take(struct scan_watch *w, struct scan_list *now, scan_ask *ask,
		    struct error *err)
{
	struct scan_list fresh = { .app = w->there.app };
	int status;

	drop_gone(w, now);
	take_fresh(w, now, &fresh);
	status = ask(&fresh, err);
	if (status == 0)
		scan_watch_tell(w, &fresh, w->goes_on ? "came" : "present");
	for (size_t i = 0; i < fresh.count; i++) {
		plan_again(&fresh.item[i]);
		scan_list_add(&w->there, &fresh.item[i]);
	}
	mem_free(fresh.item);
	w->goes_on = true;
	if (status == 0)
		status = ask_again(w, ask, err);
	bound_unheard(w);
	scan_watch_show(w);
	return status;
}
