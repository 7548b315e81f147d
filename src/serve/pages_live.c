/* SPDX-License-Identifier: MIT */
#include "serve/pages_live.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/board.h"

#define LOOK_MS 500
/* A sign of life: without one nobody sees that a peer is gone. */
#define QUIET_MS 10000
/* Who has more unread than this is told of changes when that is read. */
#define UNREAD_MAX 65536

struct pages_looker {
	struct pages_live *live;
	struct front_stream *stream;
	struct pages_query query;
	/* Hashes: to see that something is another, not against anybody. */
	uint64_t order; /* which rows, in their order */
	uint64_t row[PAGES_ROWS_MAX]; /* what stood in each */
	uint64_t summary;
	int64_t said_at; /* loop_now() ms */
	struct pages_looker *next;
};

/* ---- what is said ---- */

static void say(struct pages_looker *k, const char *event,
		const struct buf *data)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "event: %s\ndata: ", event);
	buf_add(&out, data->data, data->len);
	buf_text(&out, "\n\n");
	k->said_at = loop_now();
	k->live->front->stream_write(k->stream, out.data, out.len);
}

static uint64_t order_of(const struct pages_found *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->count; i++)
		sum = sum * 31 +
		      text_hash(f->row[i]->id, strlen(f->row[i]->id));
	return sum;
}

/* The rows that changed, or all, as JSON with commas between them. */
static void changed_rows(struct pages_looker *k, const struct pages_found *f,
			 bool all, struct buf *out)
{
	for (size_t i = 0; i < f->count; i++) {
		CLEANUP(buf_done) struct buf row = { 0 };
		uint64_t sum;

		pages_row_json(&row, f->row[i]);
		sum = text_hash(row.data, row.len);
		if (!all && sum == k->row[i])
			continue;
		k->row[i] = sum;
		if (out->len)
			buf_char(out, ',');
		buf_add(out, row.data, row.len);
	}
}

static void look(struct pages_looker *k, bool first)
{
	CLEANUP(buf_done)
	struct buf rows = { 0 }, summary = { 0 }, data = { 0 };
	struct pages_found f;
	uint64_t order, said;
	bool all;

	pages_rows_find(&f, k->live->registry, &k->query);
	order = order_of(&f);
	all = first || order != k->order;
	k->order = order;
	changed_rows(k, &f, all, &rows);
	pages_rows_summary(&summary, &f, &k->query);
	said = text_hash(summary.data, summary.len);
	if (all || rows.len || said != k->summary) {
		k->summary = said;
		buf_text(&data, "{\"summary\":");
		buf_json_string(&data, summary.data, summary.len);
		buf_text(&data, ",\"rows\":[");
		buf_add(&data, buf_string(&rows), rows.len);
		buf_text(&data, "]}");
		say(k, all ? "all" : "some", &data);
	} else if (loop_now() - k->said_at >= QUIET_MS) {
		k->said_at = loop_now();
		k->live->front->stream_write(k->stream, ":\n\n", 3);
	}
}

/* ---- who looks on ---- */

static void free_looker(struct pages_looker *k)
{
	struct pages_looker **link = &k->live->first;

	while (*link != k)
		link = &(*link)->next;
	*link = k->next;
	k->live->count--;
	pages_query_done(&k->query);
	mem_free(k);
}

static void on_gone(void *owner)
{
	free_looker(owner);
}

static void ask_status(struct pages_live *l)
{
	struct pages_found f;

	if (pages_status_begin(&l->status)) {
		for (const struct pages_looker *k = l->first; k; k = k->next) {
			pages_rows_find(&f, l->registry, &k->query);
			pages_status_add(&l->status, l->registry, &f);
		}
	}
	pages_status_step(&l->status, l->registry);
}

static void on_time(void *owner)
{
	struct pages_live *l = owner;

	/* Writing tells of none that went: that comes from the loop. */
	for (struct pages_looker *k = l->first; k; k = k->next) {
		if (l->front->stream_waiting(k->stream) <= UNREAD_MAX)
			look(k, false);
	}
	ask_status(l);
	if (l->first)
		timer_start(&l->timer, LOOK_MS);
}

bool pages_live_add_take(struct pages_live *l, const struct front_table *front,
			 struct front_request *rq,
			 const struct headers *headers, struct pages_query *q)
{
	static const struct front_stream_events events = { .gone = on_gone };
	struct pages_looker *k;

	if (l->count >= PAGES_LIVE_MAX)
		return false;
	k = mem_zalloc(sizeof(*k));
	l->front = front;
	k->live = l;
	k->query = *q;
	*q = (struct pages_query){ 0 };
	k->next = l->first;
	l->first = k;
	l->count++;
	k->stream = front->stream(rq, 200, "text/event-stream", headers,
				  &events, k);
	look(k, true);
	if (l->count == 1)
		timer_start(&l->timer, LOOK_MS);
	return true;
}

void pages_live_open(struct pages_live *l, struct loop *loop,
		     const struct registry *r)
{
	l->loop = loop;
	l->registry = r;
	timer_open(&l->timer, loop, on_time, l);
}

void pages_live_end_all(struct pages_live *l)
{
	while (l->first) {
		l->front->stream_end(l->first->stream);
		free_looker(l->first);
	}
}

void pages_live_close(struct pages_live *l, void (*closed)(void *owner),
		      void *owner)
{
	pages_live_end_all(l);
	pages_status_done(&l->status);
	l->timer.owner = owner;
	timer_close(&l->timer, closed);
}
