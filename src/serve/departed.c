/* SPDX-License-Identifier: MIT */
/* What to do about a board that is not there. Prints nothing. */
#include <string.h>

#include "base/loop.h"
#include "base/text.h"
#include "base/utf8.h"
#include "serve/board.h"
#include "serve/departed.h"
#include "serve/serve_state.h"

#define SHORT_MS 60000
#define OFTEN 3u /* short stays in a row that are no accident */

static void keep(char *out, size_t size, const char *text)
{
	size_t len = text_cut(text, strlen(text), size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
}

void departed_note(struct departed *last, const struct board *d,
		   const struct error *why, bool broke)
{
	bool again = text_same(last->id, d->id);
	bool briefly = broke && unix_now_ms() - d->since_ms < SHORT_MS;

	keep(last->id, sizeof(last->id), d->id);
	keep(last->device_id, sizeof(last->device_id),
	     d->device_id ? d->device_id : "");
	keep(last->client_id, sizeof(last->client_id),
	     d->client_id ? d->client_id : "");
	keep(last->alias, sizeof(last->alias), d->alias ? d->alias : "");
	keep(last->why, sizeof(last->why),
	     why && why->text[0] ? why->text : "its connection ended");
	last->mqtt = d->mqtt;
	last->at = loop_now();
	last->short_stays = briefly ? (again ? last->short_stays : 0) + 1 : 0;
}

static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

static bool is_wanted(const struct serve *s, const char *pattern)
{
	const struct departed *last = &s->departed;
	const struct board_names names = {
		.id = last->id,
		.device_id = or_null(last->device_id),
		.client_id = or_null(last->client_id),
		.alias = or_null(last->alias),
	};

	return last->id[0] && id_fits(s, &names, pattern);
}

/* Waking it does nothing: it is awake. */
static void add_not_ready(struct buf *out, const struct board *d)
{
	if (d->start && d->start->waiting)
		buf_text(
			out,
			"it waits for its turn, since many came at once: nothing needs to be done");
	else if (d->state == DEVICE_CONNECTED)
		buf_text(
			out,
			"it is connected, and said no hello: its own log (USB) tells why");
	else
		buf_text(
			out,
			"it is connected, and its answer is not there yet: does it hang? its own log (USB) tells, 'mcpctl --trace FILE serve' keeps every frame");
}

static void add_last(struct buf *out, const struct departed *last)
{
	const int64_t since = loop_now() - last->at;

	buf_printf(out, "'%s' went ", last->id);
	if (since < 1000) {
		buf_text(out, "just now");
	} else {
		char ago[32];

		buf_printf(out, "%s ago",
			   text_milliseconds(since / 1000 * 1000, ago,
					     sizeof(ago)));
	}
	buf_printf(out, ": %s; ", last->why);
	if (last->short_stays >= OFTEN)
		buf_printf(
			out,
			"it came %u times, each for less than a minute, and never hung up: does it crash, or lose its Wi-Fi? its own log (USB) tells",
			last->short_stays);
	else if (last->mqtt)
		buf_text(
			out,
			"a board over MQTT comes again by itself: has it power and Wi-Fi?");
	else
		buf_text(out, "wake it (wake word or button)");
}

void departed_hint(struct buf *out, const struct serve *s, const char *pattern,
		   const struct board *d)
{
	if (d) {
		add_not_ready(out, d);
		return;
	}
	if (is_wanted(s, pattern))
		add_last(out, &s->departed);
	else if (s->mqtt_boards)
		buf_text(
			out,
			"a board over MQTT comes when it starts: switch it on; one over WebSocket when it is woken (wake word or button)");
	else
		buf_text(out, "wake the board (wake word or button)");
	if (s->registry.count)
		buf_text(out, "; 'mcpctl devices' shows who is there");
	else if (!s->came)
		buf_text(out,
			 "; 'mcpctl help board' tells what to set on a board");
}
