/* SPDX-License-Identifier: MIT */
/*
 * The audio of a held device: counted, told of, handed to who listens. It is
 * played nowhere. Over MQTT it comes by UDP, where packets can be lost.
 */
#include <inttypes.h>

#include "net/mqtt.h"
#include "serve/board_private.h"
#include "serve/mqtt_boards.h"

#define RECORD_MS 1000
#define PAUSE_MS 5000

static void count_audio(struct audio_counts *out, const struct board *d)
{
	if (mqtt_boards_audio(d, out))
		return;
	*out = (struct audio_counts){ .packets = d->link.audio_frames,
				      .bytes = d->link.audio_bytes,
				      .broken = d->link.audio_broken };
}

static void add_members(struct buf *out, const struct audio_counts *c)
{
	buf_printf(out,
		   "\"bytes\":%" PRIu64 ",\"broken\":%" PRIu64
		   ",\"repeated\":%" PRIu64 ",\"gaps\":%" PRIu64
		   ",\"sent\":%" PRIu64,
		   c->bytes, c->broken, c->repeated, c->gaps, c->sent);
}

void board_audio_describe(struct buf *out, const struct board *d)
{
	struct audio_counts c;

	count_audio(&c, d);
	if (!c.packets && !c.broken && !c.repeated) {
		buf_text(out, ",\"audio\":null");
		return;
	}
	buf_printf(out, ",\"audio\":{\"frames\":%" PRIu64 ",", c.packets);
	add_members(out, &c);
	buf_char(out, '}');
}

static void add_count(struct buf *out, uint64_t number, const char *what,
		      const char *plural)
{
	if (number)
		buf_printf(out, ", %" PRIu64 " %s", number,
			   number == 1 ? what : plural);
}

static void tell(struct board *d, enum record_level level, const char *end)
{
	CLEANUP(buf_done) struct buf more = { 0 }, detail = { 0 };
	struct audio_counts c;
	struct record *r;

	count_audio(&c, d);
	add_count(&more, c.broken, "broken packet", "broken packets");
	add_count(&more, c.repeated, "repeated or late", "repeated or late");
	add_count(&more, c.gaps, "gap", "gaps");
	r = board_record(d, RECORD_AUDIO, level,
			 "audio: %" PRIu64 " frame%s, %" PRIu64 " bytes%s %s",
			 c.packets, c.packets == 1 ? "" : "s", c.bytes,
			 buf_string(&more), end);
	if (!r)
		return;
	add_members(&detail, &c);
	r->count = c.packets;
	r->detail = buf_take(&detail);
}

static void forward(struct board *d, const void *data, size_t len)
{
	struct audio_frame frame;

	if (!d->audience)
		return;
	/* Over MQTT it comes bare, decrypted. */
	if (d->link.has_udp)
		control_audio(d, data, len);
	else if (audio_decode(&frame, d->link.frame_version, data, len, NULL) ==
		 0)
		control_audio(d, frame.payload, frame.len);
}

void board_audio_take(struct board *d, const struct link_item *item,
		      const void *data, size_t len)
{
	int64_t now = loop_now(), since = now - d->audio_told;
	/* A board that listens sends for as long as it does. */
	bool begins = !d->audio_told || since >= PAUSE_MS;

	if (item->problem.kind != ERR_NONE && d->link.audio_broken == 1)
		board_record(d, RECORD_ODD, LEVEL_WARN, "%s",
			     item->problem.text);
	forward(d, data, len);
	if (!begins && since < RECORD_MS)
		return;
	d->audio_told = now;
	tell(d, begins ? LEVEL_INFO : LEVEL_DEBUG, "so far");
}

void board_audio_over(struct board *d)
{
	if (d->audio_told)
		tell(d, LEVEL_INFO, "in all");
	d->audio_told = 0;
}
