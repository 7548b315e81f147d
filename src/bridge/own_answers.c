/* SPDX-License-Identifier: MIT */
/* What the bridge's own tools answer. */
#include "bridge/own_answers.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bridge/host_reply.h"
#include "bridge/mend.h"

static const char *state_word(const struct bridge_peer *p)
{
	if (p->state == PEER_READY)
		return p->device ? "awake" : "connected";
	if (p->state == PEER_COMING)
		return "connecting";
	return bridge_peer_away_word(p);
}

/* Cleaned, in one line: a board's text adds no line that looks like another's. */
static void add_words(struct buf *out, const char *text, size_t characters)
{
	size_t at = out->len;

	mend_text(out, text, characters);
	for (; at < out->len; at++) {
		if (out->data[at] == '\n')
			out->data[at] = ' ';
	}
}

static void add_peer(struct buf *out, const char *label,
		     const struct bridge_peer *p)
{
	add_words(out, label, 80);
	buf_printf(out, ": %s", state_word(p));
	if (p->about) {
		buf_text(out, ", ");
		add_words(out, p->about, 80);
	}
	if (p->state != PEER_READY && p->reason) {
		buf_text(out, " (");
		add_words(out, p->reason, 200);
		buf_char(out, ')');
	}
	if (p->state == PEER_AWAY && p->seen) {
		char stamp[STAMP_SIZE];

		buf_printf(out, ", last seen %s", clock_utc_at(stamp, p->seen));
		if (p->way)
			buf_printf(out, " over %s", p->way);
	} else if (p->state == PEER_AWAY) {
		buf_text(out, ", not seen yet");
	}
	if (!p->list)
		buf_text(out, ", its tools are not known yet");
	buf_char(out, '\n');
}

/* Why there may be fewer than expected. */
static void add_missing(struct buf *out, const struct bridge *b)
{
	const struct error *why =
		b->boards ? bridge_boards_missing(b->boards) : NULL;

	if (!why)
		return;
	buf_text(out,
		 "No 'mcpctl serve' is reached, so no board can be awake: ");
	add_words(out, why->text, 300);
	buf_char(out, '\n');
}

static void add_all(struct buf *out, struct bridge *b)
{
	const struct shown_tools *s = bridge_shown(b);

	add_missing(out, b);
	for (size_t i = 0; i < s->count; i++) {
		if (s->catalogue.label[i])
			add_peer(out, s->catalogue.label[i], s->peer[i]);
	}
	if (!s->count)
		buf_text(out, "No board is known yet.\n");
}

bool own_devices(struct bridge *b, struct buf *out)
{
	add_all(out, b);
	return true;
}

/*
 * Boards and lists are asked for at once; what comes of it is told as
 * list_changed, and seen by the next list.
 */
bool own_refresh(struct bridge *b, const cJSON *arguments, struct buf *out)
{
	const char *device = json_string(arguments, "device");
	const struct shown_tools *s = bridge_shown(b);

	if (device &&
	    bridge_catalogue_source(&s->catalogue, NULL, device) >= s->count) {
		buf_printf(
			out,
			"no board is called '%.*s': the tool 'devices' lists them",
			host_cut(device), device);
		return false;
	}
	bridge_refresh(b);
	buf_text(
		out,
		"Tools and boards are being asked for anew; list the tools again in a moment. Known now:\n");
	add_all(out, b);
	return true;
}
