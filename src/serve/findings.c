/* SPDX-License-Identifier: MIT */
/* The engine at a held board, and what becomes of its findings. */
#include "serve/findings.h"

#include <string.h>

#include "base/mem.h"
#include "diag/finding.h"
#include "serve/board.h"
#include "serve/board_tell.h"
#include "serve/charges.h"
#include "serve/serve_state.h"
#include "wire/envelope.h"

/*
 * Findings of boards that went: the newest, and for hours. What strangers made
 * up goes as the others do.
 */

#define KEPT_MAX 512
#define KEPT_MS INT64_C(43200000) /* 12 h */

struct kept_findings {
	char *id;
	int64_t until; /* loop_now() ms */
	struct finding *item;
	size_t count, capacity;
	uint64_t frames;
};

static void kept_done(struct kept_findings *k)
{
	for (size_t i = 0; i < k->count; i++)
		finding_done(&k->item[i]);
	mem_free(k->item);
	mem_free(k->id);
	*k = (struct kept_findings){ 0 };
}

static void forget(struct findings_kept *k, size_t at)
{
	kept_done(&k->item[at]);
	memmove(&k->item[at], &k->item[at + 1],
		(k->count - at - 1) * sizeof(*k->item));
	k->count--;
}

void findings_kept_done(struct findings_kept *k)
{
	while (k->count > 0)
		forget(k, k->count - 1);
	mem_free(k->item);
	*k = (struct findings_kept){ 0 };
}

/* They stand in the order in which they went. */
static void keep(struct findings_kept *k, struct board *d)
{
	struct diag *from = d->diag;

	if (!from->count)
		return;
	if (!k->item)
		k->item = mem_zalloc(KEPT_MAX * sizeof(*k->item));
	while (k->count &&
	       (k->count == KEPT_MAX || k->item[0].until < loop_now()))
		forget(k, 0);
	k->item[k->count++] = (struct kept_findings){
		.id = mem_strdup(d->id),
		.until = loop_now() + KEPT_MS,
		.item = from->item,
		.count = from->count,
		.capacity = from->capacity,
		.frames = from->frames,
	};
	from->item = NULL;
	from->count = from->capacity = 0;
}

static void take_back(struct findings_kept *k, struct board *d)
{
	size_t at = 0;

	while (at < k->count && strcmp(k->item[at].id, d->id) != 0)
		at++;
	if (at == k->count)
		return;
	d->diag->item = TAKE(k->item[at].item);
	d->diag->count = k->item[at].count;
	d->diag->capacity = k->item[at].capacity;
	d->diag->frames = k->item[at].frames;
	k->item[at].count = 0;
	forget(k, at);
}

/* ---- told ---- */

static enum record_level level_of(const struct finding *f)
{
	static const enum record_level levels[] = {
		[SEVERITY_NOTE] = LEVEL_DEBUG,
		[SEVERITY_WARNING] = LEVEL_WARN,
		[SEVERITY_ERROR] = LEVEL_BAD,
	};

	return levels[finding_row(f->code)->severity];
}

/* In the log: new for that board, or counted since it was told. */
static void log_finding(struct board *d, struct finding *f,
			enum record_level level)
{
	CLEANUP(buf_done) struct buf line = { 0 }, detail = { 0 };
	const bool more = f->count > 1;
	struct record *r;

	finding_line(&line, f);
	if (more)
		buf_printf(&line, " (%llu times by now)",
			   (unsigned long long)f->count);
	f->told = f->count;
	r = board_record(d, RECORD_FINDING, level, "! %s", buf_string(&line));
	if (!r)
		return;
	r->count = f->count;
	buf_text(&detail, "\"finding\":");
	finding_json(&detail, f, d->id);
	record_detail(r, &detail);
}

/* The id of what is, or means to be, a reply; false: it is none. */
static bool reply_id(struct span frame, struct span *id, int64_t *number)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	CLEANUP(salvage_done) struct salvage broken = { 0 };
	const struct message *m = &e.message;

	if (envelope_decode(&e, frame.text, frame.len, NULL) == 0) {
		*id = m->id;
		*number = m->number;
		return (m->kind == MESSAGE_RESULT ||
			m->kind == MESSAGE_ERROR) &&
		       m->has_number;
	}
	jsonrpc_salvage(frame.text, frame.len, &broken);
	*id = broken.id_text;
	*number = broken.id;
	return broken.has_id;
}

#define SHOWN_MAX 8192 /* bytes of what is wrong, for attached commands */

/* What of the frame is shown to whom: an id that was made here to nobody. */
static void show_message(struct board_finding *out, const struct board *d,
			 struct span frame, struct buf *own)
{
	const struct relay_table *relays = &d->server->relays;
	struct span message = envelope_payload(frame), id;
	const char *asker_id = NULL;
	int64_t number;

	if (!frame.text || frame.len > SHOWN_MAX)
		return;
	if (!reply_id(frame, &id, &number)) {
		out->message = message;
		return;
	}
	out->whose = relay_asker(d, number, &asker_id);
	if (out->whose) {
		if (id.text < message.text ||
		    id.text >= message.text + message.len)
			message = frame;
		relay_restore_id(own, message, id, asker_id);
		out->own = (struct span){ buf_string(own), own->len };
	} else if (!relay_issued(relays, number)) {
		out->message = message;
	}
}

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	struct board *d = owner;
	struct board_finding told = { .finding = f, .detail = detail };
	CLEANUP(buf_done) struct buf own = { 0 };

	if (f->count == 1 && !charges_none(f->code))
		log_finding(d, &d->diag->item[f - d->diag->item], level_of(f));
	if (!d->audience)
		return;
	show_message(&told, d, d->judging, &own);
	d->server->events->found(d, &told);
}

/* An id that this board was not asked with, as far as the engine remembers. */
static const char *whose(void *owner, int64_t id)
{
	const struct board *d = owner;
	const struct relay_table *relays = &d->server->relays;

	/* Longer ago than the engine remembers: nothing can be said of it. */
	if (relay_is_probe(relays, id) || relay_asked(d, id))
		return "";
	if (relay_is_on_its_way(relays, id))
		return "it is that of a call to another device";
	return relay_issued(relays, id) ? "it is that of a call that is over" :
					  NULL;
}

/* ---- fed ---- */

static void look_around(struct board *d)
{
	struct diag_about *about = &d->diag->about;

	about->board = !d->unsure;
	about->bare = d->unsure;
	about->relays = true;
	about->standby = d->mqtt;
	about->protocol_version = d->protocol_version;
	/* Over MQTT it is our plugin that tells; NULL: another broker. */
	about->from.board = d->address;
}

void findings_begin(struct board *d)
{
	d->diag = mem_zalloc(sizeof(*d->diag));
	take_back(&d->server->findings, d);
	diag_start(d->diag);
	d->diag->found = on_found;
	d->diag->clock = loop_now_us;
	d->diag->whose = whose;
	d->diag->owner = d;
	look_around(d);
}

/* What was under way when it went was not finished: that is no fault. */
static bool was_at_rest(const struct board *d)
{
	return d->state >= DEVICE_READY && !d->relays && !d->start;
}

void findings_end(struct board *d)
{
	struct diag *diag = d->diag;

	if (!diag)
		return;
	if (was_at_rest(d))
		diag_end(diag);
	for (size_t i = 0; i < diag->count; i++) {
		if (diag->item[i].count > diag->item[i].told &&
		    !charges_none(diag->item[i].code))
			log_finding(d, &diag->item[i], LEVEL_DEBUG);
	}
	keep(&d->server->findings, d);
	findings_free(d);
}

void findings_free(struct board *d)
{
	if (d->diag)
		diag_done(d->diag);
	mem_free(TAKE(d->diag));
}
