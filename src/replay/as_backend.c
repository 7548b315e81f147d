/* SPDX-License-Identifier: MIT */
/*
 * To a device, what its backend said: each message once what was answered before
 * it is answered now, and as long after that as it was then. Nothing is made of
 * the answers; a device that says nothing is not waited for again.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/setup.h"
#include "replay/replay.h"

#define PATIENCE_MS 10000 /* for an answer; more if it took longer then */

struct talk_again {
	struct replay *r;
	struct transport transport;
	struct endpoint to;
	bool ready, closed, stirred; /* stirred: something came */
	bool *seen; /* by step of was: it came, or is not waited for any more */
	int64_t opened_us;
	struct error why; /* it was closed */
};

static int64_t now_of(const struct talk_again *t)
{
	return loop_now_us() - t->opened_us;
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct talk_again *t = owner;

	(void)peer;
	t->ready = t->stirred = true;
	t->opened_us = loop_now_us();
}

/* The first of was that waits for one like it. */
static void mark_seen(struct talk_again *t, const struct step *heard)
{
	const struct steps *was = &t->r->was;

	for (size_t i = 0; i < was->count; i++) {
		const struct step *s = &was->item[i];

		if (t->seen[i] || s->from != FROM_DEVICE ||
		    strcmp(s->key, heard->key) != 0)
			continue;
		t->seen[i] = true;
		return;
	}
}

static enum diag_leg leg_of(const struct talk_again *t)
{
	return t->r->was.item[0].leg;
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct talk_again *t = owner;
	struct steps *is = &t->r->is;

	t->stirred = true;
	if (kind != FRAME_TEXT || is->bytes > STEPS_BYTES_MAX)
		return;
	replay_heard(t->r, FROM_DEVICE, leg_of(t), now_of(t),
		     (struct span){ data, len });
	mark_seen(t, &is->item[is->count - 1]);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	(void)id;
	(void)why;
}

static void on_closed(void *owner, const struct error *why)
{
	struct talk_again *t = owner;

	t->closed = t->stirred = true;
	if (why && why->kind)
		error_copy(&t->why, why);
}

/* Where it listens, who knocks: as other commands show it. */
static void on_notice(void *owner, const struct notice *n)
{
	struct talk_again *t = owner;
	char name[] = "notice";
	struct event e = { .kind = EVENT_NOTICE,
			   .notice = n->kind,
			   .name = name,
			   .text = mem_strdup(n->text ? n->text : ""),
			   .len = n->text ? strlen(n->text) : 0,
			   .count = n->count };

	render_aside(&t->r->in->app->out, &e);
	mem_free(e.text);
}

static const struct transport_events events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
	.notice = on_notice,
};

/* ---- waiting ---- */

/* Until something comes, or the time is over; -1: a signal. */
static int stir(struct talk_again *t, int64_t until, struct error *err)
{
	t->stirred = false;
	return loop_stay(t->transport.loop, &t->stirred, until, err);
}

static int wait_ready(struct talk_again *t, struct error *err)
{
	int64_t wait = t->r->in->app->config.wait;
	int64_t until = wait ? loop_now() + wait : LOOP_FOREVER;

	while (!t->ready && !t->closed && loop_now() < until)
		if (stir(t, until, err))
			return -1;
	if (t->ready)
		return 0;
	if (t->closed && t->why.kind) {
		error_copy(err, &t->why);
		return -1;
	}
	if (t->transport.ops->explain &&
	    t->transport.ops->explain(&t->transport, err))
		return -1;
	return error_set(err, ERR_CONNECT, "no device came");
}

/* What has to be there before step i is said: the hello, and answers. */
static bool is_awaited(const struct step *s)
{
	return s->from == FROM_DEVICE &&
	       (s->asked != NO_STEP || strcmp(s->key, "hello") == 0);
}

/* Of those in front of i, when the last one may still come; 0: all are there. */
static int64_t patience(const struct talk_again *t, size_t i, int64_t since)
{
	const struct steps *was = &t->r->was;
	int64_t timeout = t->r->in->app->config.timeout, most = 0;

	for (size_t k = 0; k < i; k++) {
		const struct step *s = &was->item[k];
		int64_t took =
			s->asked == NO_STEP ?
				0 :
				(s->at_us - was->item[s->asked].at_us) / 1000;
		int64_t this = timeout ? timeout : PATIENCE_MS;

		if (t->seen[k] || !is_awaited(s))
			continue;
		if (this < 2 * took)
			this = 2 * took;
		if (this > most)
			most = this;
	}
	return most ? since + most : 0;
}

/* The same is not waited for twice. */
static void give_up(struct talk_again *t, size_t i)
{
	for (size_t k = 0; k < i; k++)
		t->seen[k] = true;
}

static int wait_answers(struct talk_again *t, size_t i, struct error *err)
{
	int64_t since = loop_now(), until;

	while (!t->closed && (until = patience(t, i, since)) != 0) {
		if (loop_now() >= until) {
			give_up(t, i);
			return 0;
		}
		if (stir(t, until, err))
			return -1;
	}
	return 0;
}

/* As long as it was between this step and the one before it. */
static int wait_pace(struct talk_again *t, size_t i, struct error *err)
{
	const struct steps *was = &t->r->was;
	int64_t gap = i ? was->item[i].at_us - was->item[i - 1].at_us : 0;
	int64_t until;

	if (t->r->speed <= 0 || gap <= 0)
		return 0;
	until = loop_now() + (int64_t)((double)gap / 1000 / t->r->speed);
	while (!t->closed && loop_now() < until)
		if (stir(t, until, err))
			return -1;
	return 0;
}

/* ---- saying ---- */

static int say(struct talk_again *t, const struct step *s, struct error *err)
{
	if (t->transport.ops->send(&t->transport, s->text, s->len, err))
		return -1;
	replay_heard(t->r, FROM_BACKEND, s->leg, now_of(t),
		     (struct span){ s->text, s->len });
	return 0;
}

static int say_all(struct talk_again *t, struct error *err)
{
	const struct steps *was = &t->r->was;

	for (size_t i = 0; i < was->count && !t->closed; i++) {
		const struct step *s = &was->item[i];

		if (s->from != FROM_BACKEND)
			continue;
		check_progress(&t->r->k, s->key);
		if (wait_answers(t, i, err) || wait_pace(t, i, err))
			return -1;
		if (!t->closed && say(t, s, err))
			return -1;
	}
	check_progress(&t->r->k, NULL);
	return wait_answers(t, was->count, err);
}

static void hang_up(struct talk_again *t)
{
	struct error ignored = { 0 };

	if (t->transport.impl)
		t->transport.ops->close(&t->transport);
	while (t->transport.impl && !t->closed &&
	       !loop_wait(t->transport.loop, &t->closed, loop_now() + 1000,
			  &ignored))
		;
	error_reset(&ignored);
}

static int converse(struct talk_again *t, struct error *err)
{
	if (wait_ready(t, err))
		return -1;
	check_stage(&t->r->k, "device", STAGE_OK, "is there");
	if (say_all(t, err))
		return -1;
	if (t->closed)
		check_stage(&t->r->k, "end", STAGE_ODD,
			    "the device ended the connection%s%s",
			    t->why.kind ? ": " : "",
			    t->why.kind ? t->why.text : "");
	return 0;
}

int replay_as_backend(struct replay *r, struct error *err)
{
	struct app *app = r->in->app;
	struct talk_again t = { .r = r };
	int status = -1;

	if (!app->config.target)
		app->config.target = "listen:";
	if (app_open_loop(app, err))
		return -1;
	t.transport = (struct transport){ .loop = app->loop,
					  .events = &events,
					  .owner = &t };
	t.seen = mem_zalloc((r->was.count + 1) * sizeof(*t.seen));
	t.opened_us = loop_now_us();
	if (setup_endpoint(&t.to, app, &t.transport.ops, err) == 0 &&
	    t.transport.ops->open(&t.transport, &t.to, err) == 0)
		status = converse(&t, err);
	hang_up(&t);
	endpoint_done(&t.to);
	mem_free(t.seen);
	error_reset(&t.why);
	return status;
}
