/* SPDX-License-Identifier: MIT */
/*
 * One event of each file is held; the earliest goes out.
 */
#include "replay/recast.h"

#include <string.h>

#include "base/mem.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "out/render.h"
#include "replay/anonymise.h"

struct conn_pair {
	uint32_t theirs, ours;
};

struct recast_source {
	struct capture_reader *reader;
	struct capture_event event;
	bool more; /* event is one */
	int64_t ahead_us; /* of the first that was made */
	struct map conns;
};

struct recast {
	const struct recast_order *order;
	struct recast_source *sources;
	struct capture_writer *out;
	struct anonyms anonyms;
	struct buf data, passed, head, topic, device;
	uint64_t unknown;
};

/* ---- sources ---- */

static void source_done(struct recast_source *s)
{
	struct conn_pair *pair;
	size_t at = 0;

	while ((pair = map_each(&s->conns, &at)))
		mem_free(pair);
	map_done(&s->conns);
	capture_reader_free(s->reader);
}

static int advance(struct recast_source *s, struct error *err)
{
	int got = capture_next(s->reader, &s->event, err);

	s->more = got > 0;
	return got < 0 ? -1 : 0;
}

static int open_source(struct recast *r, int i, struct error *err)
{
	struct recast_source *s = &r->sources[i];

	s->reader = capture_open(r->order->paths[i], err);
	if (!s->reader)
		return -1;
	if (r->order->count > 1 && !capture_head(s->reader)->made_ms) {
		error_set(err, ERR_USAGE, "'%s' does not say when it was made",
			  r->order->paths[i]);
		return error_hint(
			err,
			"traces of before captures had no header: such files cannot be put in order");
	}
	return advance(s, err);
}

static const char *set_clocks(struct recast *r)
{
	int64_t first = 0;
	const char *made = NULL;

	for (int i = 0; i < r->order->count; i++) {
		const struct capture_head *head =
			capture_head(r->sources[i].reader);

		if (!made || head->made_ms < first) {
			first = head->made_ms;
			made = head->made;
		}
	}
	for (int i = 0; i < r->order->count; i++)
		r->sources[i].ahead_us =
			(capture_head(r->sources[i].reader)->made_ms - first) *
			1000;
	return made;
}

static uint32_t conn_of(struct recast *r, struct recast_source *s,
			uint32_t theirs)
{
	uint64_t hash = map_hash(&theirs, sizeof(theirs));
	struct conn_pair *pair;
	size_t at = 0;

	if (!theirs)
		return 0;
	while ((pair = map_find(&s->conns, hash, &at)))
		if (pair->theirs == theirs)
			return pair->ours;
	pair = mem_zalloc(sizeof(*pair));
	*pair = (struct conn_pair){ theirs, capture_connection(r->out) };
	map_add(&s->conns, hash, pair);
	return pair->ours;
}

/* ---- events ---- */

static void hide_span(struct recast *r, struct span *s, struct buf *room)
{
	if (!s->text)
		return;
	buf_reset(room);
	anonymise(&r->anonyms, room, s->text, s->len);
	*s = (struct span){ buf_string(room), room->len };
}

static void hide_text(struct recast *r, const char **text, struct buf *room)
{
	if (!*text)
		return;
	buf_reset(room);
	anonymise(&r->anonyms, room, *text, strlen(*text));
	*text = buf_string(room);
}

static void hide(struct recast *r, struct capture_event *e)
{
	if (!e->bytes)
		hide_span(r, &e->data, &r->data);
	hide_span(r, &e->passed, &r->passed);
	hide_span(r, &e->head, &r->head);
	hide_text(r, &e->topic, &r->topic);
	hide_text(r, &e->device, &r->device);
}

static void pass(struct recast *r, int i)
{
	struct recast_source *s = &r->sources[i];
	struct capture_event e = s->event;

	if (e.kind == CAPTURED_OTHER) {
		r->unknown++;
		return;
	}
	e.at_us += s->ahead_us;
	e.conn = conn_of(r, s, e.conn);
	/* It was added by the reader, who knows it from there. */
	if (e.kind != CAPTURED_DEVICE && capture_head(s->reader)->version)
		e.device = NULL;
	if (r->order->anonymise)
		hide(r, &e);
	capture_secrets_from(r->out, (unsigned)i);
	capture_write(r->out, &e);
}

static int earliest(const struct recast *r)
{
	int found = -1;
	int64_t best = 0;

	for (int i = 0; i < r->order->count; i++) {
		const struct recast_source *s = &r->sources[i];
		int64_t at = s->event.at_us + s->ahead_us;

		if (s->more && (found < 0 || at < best)) {
			found = i;
			best = at;
		}
	}
	return found;
}

static int pass_all(struct recast *r, struct error *err)
{
	int i;

	while ((i = earliest(r)) >= 0 && !capture_failed(r->out)) {
		pass(r, i);
		if (advance(&r->sources[i], err))
			return -1;
	}
	return 0;
}

static void tell(const struct recast *r)
{
	struct renderer *out = r->order->out;
	size_t secrets = capture_secrets(r->out);

	for (int i = 0; i < r->order->count; i++)
		if (capture_cut(r->sources[i].reader))
			render_note(out,
				    "'%s' ends too early: read up to there",
				    r->order->paths[i]);
	if (r->unknown)
		render_note(
			out,
			"%llu events of kinds that this mcpctl does not know are left out",
			(unsigned long long)r->unknown);
	render_note(out, "%zu secret%s masked", secrets,
		    secrets == 1 ? "" : "s");
}

static void recast_done(struct recast *r)
{
	for (int i = 0; i < r->order->count; i++)
		source_done(&r->sources[i]);
	mem_free(r->sources);
	anonyms_done(&r->anonyms);
	buf_done(&r->data);
	buf_done(&r->passed);
	buf_done(&r->head);
	buf_done(&r->topic);
	buf_done(&r->device);
}

static int create(struct recast *r, struct error *err)
{
	const struct capture_head *head = capture_head(r->sources[0].reader);
	const char *made = set_clocks(r);
	const bool one = r->order->count == 1;
	CLEANUP(buf_done) struct buf upstream = { 0 };
	struct capture_how how = { .as = one ? head->as : "join",
				   .audio = true,
				   .made = made ? made : "" };

	if (one && head->upstream) {
		if (r->order->anonymise)
			anonymise(&r->anonyms, &upstream, head->upstream,
				  strlen(head->upstream));
		else
			buf_text(&upstream, head->upstream);
		how.upstream = buf_string(&upstream);
	}
	r->out = capture_create(&how, err);
	return r->out ? 0 : -1;
}

int recast(const struct recast_order *order, struct error *err)
{
	CLEANUP(recast_done)
	struct recast r = { .order = order,
			    .sources = mem_zalloc((size_t)order->count *
						  sizeof(*r.sources)) };
	int result = 0;

	for (int i = 0; i < order->count; i++)
		if (open_source(&r, i, err))
			return -1;
	if (create(&r, err))
		return -1;
	result = pass_all(&r, err);
	if (result == 0)
		tell(&r);
	return capture_close(r.out, result ? NULL : err) || result ? -1 : 0;
}
