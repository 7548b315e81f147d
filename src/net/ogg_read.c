/* SPDX-License-Identifier: MIT */
/* Ogg Opus, read (RFC 7845); libogg takes the pages apart and checks their sums. */
#include "net/ogg_read.h"

#include <ogg/ogg.h>
#include <opus/opus.h>
#include <string.h>

#define HEAD_BYTES 19 /* of OpusHead, with one mapping */
#define PACKET_MAX 65535
#define FRAMES_MAX 48 /* of a packet */
#define SAMPLES_MAX (OPUS_RATE / 1000 * 120)

struct demuxing {
	struct ogg_read *out;
	ogg_stream_state stream;
	bool found; /* the Opus stream has begun */
	int heads; /* of OpusHead and OpusTags came */
	int64_t samples;
	int length; /* samples of each packet so far; -1: they differ */
	bool shorter; /* but for the newest: as encoders end a file */
	bool over;
};

bool ogg_facts(struct opus_facts *out, const void *data, size_t len)
{
	const unsigned char *bytes = data;
	unsigned char toc;
	opus_int16 sizes[FRAMES_MAX];
	int frames;

	if (!len || len > INT32_MAX)
		return false;
	frames = opus_packet_parse(bytes, (opus_int32)len, &toc, NULL, sizes,
				   NULL);
	if (frames <= 0)
		return false;
	*out = (struct opus_facts){
		.samples = frames *
			   opus_packet_get_samples_per_frame(bytes, OPUS_RATE),
		.frames = frames,
		.toc = toc,
	};
	return out->samples <= SAMPLES_MAX;
}

static int take_head(struct demuxing *r, const ogg_packet *p, struct error *err)
{
	const unsigned char *at = p->packet;

	r->heads++;
	/* OpusTags: nobody here wants to know. */
	if (r->heads == 2)
		return 0;
	if (p->bytes < HEAD_BYTES || at[8] & 0xF0 || at[18] != 0 || at[9] < 1 ||
	    at[9] > 2)
		return error_set(
			err, ERR_USAGE,
			"its head of Opus is broken, or not mono or stereo");
	r->out->skip = (unsigned)at[11] << 8 | at[10];
	return 0;
}

static int take_packet(struct demuxing *r, const ogg_packet *p,
		       struct error *err)
{
	struct opus_facts facts;
	const size_t number = r->out->packets.count + 1;

	if (r->heads < 2)
		return take_head(r, p, err);
	if (p->bytes > PACKET_MAX ||
	    !ogg_facts(&facts, p->packet, (size_t)p->bytes))
		return error_set(err, ERR_USAGE,
				 "its packet %zu of sound is no Opus packet",
				 number);
	if (number == 1)
		r->length = facts.samples;
	else if (r->shorter || r->length < facts.samples)
		r->length = -1;
	r->shorter = facts.samples < r->length;
	r->samples += facts.samples;
	if (r->samples > (int64_t)SPEECH_MS_MAX * (OPUS_RATE / 1000))
		return error_set(err, ERR_USAGE, "it is longer than %d minutes",
				 SPEECH_MS_MAX / 60000);
	speech_add(&r->out->packets, p->packet, (size_t)p->bytes);
	return 0;
}

/* Pages of other streams are passed over. */
static int take_page(struct demuxing *r, ogg_page *page, struct error *err)
{
	ogg_packet p;
	int got;

	if (!r->found) {
		if (!ogg_page_bos(page) || page->body_len < 8 ||
		    memcmp(page->body, "OpusHead", 8) != 0)
			return 0;
		ogg_stream_reset_serialno(&r->stream, ogg_page_serialno(page));
		r->found = true;
	}
	/* -1: of another stream. */
	if (ogg_stream_pagein(&r->stream, page))
		return 0;
	while ((got = ogg_stream_packetout(&r->stream, &p)) != 0) {
		if (got < 0)
			r->out->packets.holes++;
		else if (take_packet(r, &p, err))
			return -1;
	}
	r->over = ogg_page_eos(page) != 0;
	return 0;
}

static int take_pages(struct demuxing *r, ogg_sync_state *sync,
		      struct error *err)
{
	ogg_page page;
	int got;

	while (!r->over && (got = ogg_sync_pageout(sync, &page)) != 0) {
		if (got < 0 && r->found)
			r->out->packets.holes++;
		if (got > 0 && take_page(r, &page, err))
			return -1;
	}
	if (!r->found)
		return error_set(err, ERR_USAGE, "there is no Opus in it");
	if (!r->out->packets.count)
		return error_set(err, ERR_USAGE, "there is no sound in it");
	r->out->packets.frame_ms =
		r->length > 0 ? r->length / (OPUS_RATE / 1000) : 0;
	/* 2.5 ms are no whole number: not one of ours. */
	if (r->length % (OPUS_RATE / 1000))
		r->out->packets.frame_ms = 0;
	return 0;
}

int ogg_read(struct ogg_read *out, const void *file, size_t len,
	     struct error *err)
{
	struct demuxing r = { .out = out };
	ogg_sync_state sync;
	int status = -1;
	char *room;

	*out = (struct ogg_read){ 0 };
	ogg_sync_init(&sync);
	ogg_stream_init(&r.stream, 0);
	room = ogg_sync_buffer(&sync, (long)len);
	if (room) {
		memcpy(room, file, len);
		ogg_sync_wrote(&sync, (long)len);
		status = take_pages(&r, &sync, err);
	} else {
		error_set(err, ERR_USAGE, "there is no memory for it");
	}
	ogg_stream_clear(&r.stream);
	ogg_sync_clear(&sync);
	if (status)
		speech_done(&out->packets);
	return status;
}
