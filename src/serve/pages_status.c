/* SPDX-License-Identifier: MIT */
#include "serve/pages_status.h"

#include "base/mem.h"
#include "serve/board.h"
#include "serve/board_tell.h"
#include "serve/leasing.h"
#include "wire/envelope.h"

#define EVERY_MS 10000
#define TIMEOUT_MS 5000
#define AT_ONCE 500
/* Whoever did not answer in three rounds may be anything by now. */
#define OLD_MS (3 * EVERY_MS + TIMEOUT_MS)
#define ANSWER_MAX ((size_t)256 << 10) /* a longer one is not read */

struct pages_question {
	struct relay relay;
	struct pages_status *of;
	struct board *board;
	struct pages_question *next, **link; /* what points to it */
};

/* ---- answers ---- */

static void free_question(struct pages_question *q)
{
	*q->link = q->next;
	if (q->next)
		q->next->link = q->link;
	q->of->count--;
	mem_free(q);
}

static void take(struct pages_health *h, const char *frame, size_t len)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	struct message *m = &e.message;

	if (len > ANSWER_MAX || envelope_decode(&e, frame, len, NULL) ||
	    message_keep(m, NULL) || m->kind != MESSAGE_RESULT)
		return;
	if (board_status_read(&h->status, m->result))
		h->told = loop_now();
}

static void on_done(void *owner, struct relay *r, const char *frame, size_t len,
		    const struct error *why)
{
	struct pages_question *q = owner;

	(void)r;
	(void)why;
	if (frame && q->board->health)
		take(q->board->health, frame, len);
	free_question(q);
}

/* ---- questions ---- */

static bool may_ask(struct board *d, const char *tool)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct span text;

	return d->state == DEVICE_READY && !d->closing && !d->relays &&
	       d->tools && shared_list_tool(d->tools, tool, &text) &&
	       !leasing_check_browser(d, &why) &&
	       !board_admit(d, "tools/call", &why);
}

static void ask(struct pages_status *s, struct board *d)
{
	const char *tool = board_status_tools[s->tool];
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *params = NULL;
	struct pages_question *q;

	if (!may_ask(d, tool))
		return;
	params = mem_printf("{\"name\":\"%s\",\"arguments\":{}}", tool);
	q = mem_zalloc(sizeof(*q));
	q->relay.done = on_done;
	q->relay.owner = q;
	q->of = s;
	q->board = d;
	q->next = s->first;
	q->link = &s->first;
	if (q->next)
		q->next->link = &q->next;
	s->first = q;
	s->count++;
	if (relay_request(&q->relay, d, "tools/call", params, TIMEOUT_MS, &why))
		free_question(q);
}

bool pages_status_begin(struct pages_status *s)
{
	if (s->next < s->ids.count || s->count || loop_now() < s->due)
		return false;
	words_done(&s->ids);
	s->next = 0;
	s->tool = 0;
	s->round++;
	s->due = loop_now() + EVERY_MS;
	return true;
}

void pages_status_add(struct pages_status *s, const struct registry *r,
		      const struct pages_found *f)
{
	for (size_t i = 0; i < f->count; i++) {
		struct board *d = registry_find(r, f->row[i]->id);

		if (!d)
			continue;
		if (!d->health) {
			d->health = mem_zalloc(sizeof(*d->health));
			board_status_forget(&d->health->status);
		}
		/* Many browsers may look at it. */
		if (d->health->round != s->round)
			words_add(&s->ids, d->id);
		d->health->round = s->round;
	}
}

void pages_status_step(struct pages_status *s, const struct registry *r)
{
	while (s->next < s->ids.count && s->count < AT_ONCE) {
		struct board *d = registry_find(r, s->ids.word[s->next++]);

		if (d)
			ask(s, d);
	}
	if (s->next == s->ids.count && !s->count && s->ids.count &&
	    s->tool + 1 < BOARD_STATUS_TOOLS) {
		s->tool++;
		s->next = 0;
	}
}

void pages_status_done(struct pages_status *s)
{
	while (s->first) {
		relay_forget(&s->first->relay);
		free_question(s->first);
	}
	words_done(&s->ids);
}

const struct board_status *pages_status_of(const struct board *d)
{
	const struct pages_health *h = d->health;

	return h && h->told && loop_now() - h->told < OLD_MS ? &h->status :
							       NULL;
}
