/* SPDX-License-Identifier: MIT */
/* Ogg Opus by libogg, written. */
#include "net/ogg.h"

#include <ogg/ogg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "net/ogg_read.h"
#include "net/ogg_speech.h"

#define PAGE_BYTES 65536
#define VENDOR "mcpctl " MCPCTL_VERSION

struct ogg_writer {
	ogg_stream_state stream;
	struct buf held; /* the newest packet */
	int64_t samples; /* up to the end of it */
	int64_t paged; /* up to the last page */
	int64_t number; /* of the packet that is handed on next */
	size_t waiting; /* bytes that were, since the last page */
};

static void add_page(const ogg_page *page, struct buf *out)
{
	buf_add(out, page->header, (size_t)page->header_len);
	buf_add(out, page->body, (size_t)page->body_len);
}

static void flush(struct ogg_writer *w, struct buf *out)
{
	ogg_page page;

	while (ogg_stream_flush(&w->stream, &page))
		add_page(&page, out);
}

static void hand_on(struct ogg_writer *w, const struct buf *packet,
		    int64_t samples, bool last)
{
	ogg_packet p = { .bytes = (long)packet->len,
			 .b_o_s = w->number == 0,
			 .e_o_s = last,
			 .granulepos = samples,
			 .packetno = w->number++ };

	/* It is copied, though not said to be. */
	memcpy(&p.packet, &packet->data, sizeof(p.packet));
	ogg_stream_packetin(&w->stream, &p);
}

/* ---- the head: numbers are little-endian (RFC 7845, 5) ---- */

static void add_number(struct buf *out, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_char(out, (char)(value >> 8 * i & 0xFF));
}

static void add_identity(struct buf *out, const struct ogg_head *head)
{
	buf_text(out, "OpusHead");
	add_number(out, 1, 1); /* version */
	add_number(out, head->channels == 2 ? 2 : 1, 1);
	add_number(out, head->skip, 2);
	add_number(out, head->rate, 4);
	add_number(out, 0, 2); /* gain */
	add_number(out, 0, 1); /* mono or stereo */
}

static void add_tags(struct buf *out)
{
	buf_text(out, "OpusTags");
	add_number(out, sizeof(VENDOR) - 1, 4);
	buf_text(out, VENDOR);
	add_number(out, 0, 4); /* comments */
}

static struct ogg_writer *writer_begin(const struct ogg_head *head,
				       struct buf *out)
{
	CLEANUP(buf_done) struct buf identity = { 0 }, tags = { 0 };
	struct ogg_writer *w = mem_zalloc(sizeof(*w));

	/* What libogg cannot have ends the program, as everywhere. */
	if (ogg_stream_init(&w->stream, (int)head->serial))
		abort();
	add_identity(&identity, head);
	add_tags(&tags);
	hand_on(w, &identity, 0, false);
	flush(w, out);
	hand_on(w, &tags, 0, false);
	flush(w, out);
	return w;
}

static void writer_add(struct ogg_writer *w, const void *data, size_t len,
		       int samples, struct buf *out)
{
	if (w->held.len) {
		hand_on(w, &w->held, w->samples, false);
		w->waiting += w->held.len;
		/* A second, or as much as libogg is to hold. */
		if (w->samples - w->paged >= OPUS_RATE ||
		    w->waiting >= PAGE_BYTES) {
			flush(w, out);
			w->paged = w->samples;
			w->waiting = 0;
		}
	}
	buf_reset(&w->held);
	buf_add(&w->held, data, len);
	w->samples += samples;
}

static void writer_end(struct ogg_writer *w, struct buf *out)
{
	hand_on(w, &w->held, w->samples, true);
	flush(w, out);
	ogg_stream_clear(&w->stream);
	buf_done(&w->held);
	mem_free(w);
}

const struct ogg_table ogg_table = {
	.size = sizeof(ogg_table),
	.packet = ogg_facts,
	.begin = writer_begin,
	.add = writer_add,
	.end = writer_end,
	.speech = ogg_speech,
};
