/* SPDX-License-Identifier: MIT */
/* A file as packets for a board: as they were, joined, or encoded. */
#include "net/ogg_speech.h"

#include <assert.h>
#include <opus/opus.h>
#include <string.h>

#include "base/mem.h"
#include "net/ogg_read.h"
#include "wire/wav.h"

#define DECODED_RATE 24000 /* of what is encoded anew */
#define DECODED_MAX (DECODED_RATE / 1000 * 120) /* samples of a packet */
#define BITRATE 32000

/* ---- samples to packets ---- */

struct encoding {
	OpusEncoder *encoder;
	struct speech *out;
	opus_int16 *frame; /* that is being filled */
	size_t size, filled; /* samples */
};

static int failed(const char *what, int code, struct error *err)
{
	return error_set(err, ERR_USAGE, "libopus %s: %s", what,
			 opus_strerror(code));
}

static int encoding_begin(struct encoding *e, struct speech *out, uint32_t rate,
			  int frame_ms, struct error *err)
{
	int code = OPUS_OK;

	*e = (struct encoding){ .out = out };
	e->encoder = opus_encoder_create((opus_int32)rate, 1,
					 OPUS_APPLICATION_VOIP, &code);
	if (code != OPUS_OK) {
		error_set(
			err, ERR_USAGE,
			"its sample rate is %u Hz, and Opus has 8000, 12000, 16000, 24000 and 48000",
			rate);
		return error_hint(
			err,
			"convert it: ffmpeg -i FILE -ar 24000 -ac 1 OUT.wav");
	}
	opus_encoder_ctl(e->encoder, OPUS_SET_BITRATE(BITRATE));
	e->size = rate / 1000 * (size_t)frame_ms;
	e->frame = mem_zalloc(e->size * sizeof(*e->frame));
	out->frame_ms = frame_ms;
	out->origin = SPEECH_ENCODED;
	return 0;
}

static int encode(struct encoding *e, struct error *err)
{
	unsigned char packet[SPEECH_PACKET_MAX];
	opus_int32 len = opus_encode(e->encoder, e->frame, (int)e->size, packet,
				     sizeof(packet));

	if (len < 0)
		return failed("does not encode it", len, err);
	speech_add(e->out, packet, (size_t)len);
	e->filled = 0;
	return 0;
}

static int encoding_add(struct encoding *e, opus_int16 sample,
			struct error *err)
{
	assert(e->frame);
	e->frame[e->filled++] = sample;
	return e->filled == e->size ? encode(e, err) : 0;
}

/* What is left of the last frame is silence. */
static int encoding_end(struct encoding *e, struct error *err)
{
	if (!e->filled)
		return 0;
	memset(e->frame + e->filled, 0,
	       (e->size - e->filled) * sizeof(*e->frame));
	return encode(e, err);
}

static void encoding_done(struct encoding *e)
{
	if (e->encoder)
		opus_encoder_destroy(e->encoder);
	mem_free(e->frame);
}

/* ---- WAV ---- */

static int sample_at(const struct wav *w, size_t n)
{
	const unsigned char *at = w->samples + n * 2;

	return (int16_t)((unsigned)at[1] << 8 | at[0]);
}

static int encode_wav(struct encoding *e, const struct wav *w,
		      struct error *err)
{
	assert(w->channels);
	for (size_t i = 0; i < w->frames; i++) {
		int sum = 0;

		for (unsigned c = 0; c < w->channels; c++)
			sum += sample_at(w, i * w->channels + c);
		if (encoding_add(e, (opus_int16)(sum / (int)w->channels), err))
			return -1;
	}
	return encoding_end(e, err);
}

static int from_wav(struct speech *out, const void *file, size_t len,
		    int frame_ms, struct error *err)
{
	struct encoding e = { 0 };
	struct wav w;
	int status;

	if (wav_read(&w, file, len, err))
		return -1;
	if (w.rate && w.frames > (uint64_t)w.rate * (SPEECH_MS_MAX / 1000))
		return error_set(err, ERR_USAGE, "it is longer than %d minutes",
				 SPEECH_MS_MAX / 60000);
	status = encoding_begin(&e, out, w.rate, frame_ms, err);
	if (!status)
		status = encode_wav(&e, &w, err);
	encoding_done(&e);
	return status;
}

/* ---- Ogg ---- */

struct joining {
	OpusRepacketizer *repacketizer;
	const struct speech *from;
	size_t at; /* in there */
	int wanted; /* samples of a packet */
	struct speech *out;
};

/* What the last packet lacks: frames without bytes are silent. */
static bool fill(const struct joining *j, const unsigned char *toc, int samples)
{
	const int frame = opus_packet_get_samples_per_frame(toc, OPUS_RATE);

	while (samples < j->wanted) {
		if (opus_repacketizer_cat(j->repacketizer, toc, 1) != OPUS_OK)
			return false;
		samples += frame;
	}
	return samples == j->wanted;
}

static bool put_joined(const struct joining *j)
{
	unsigned char joined[SPEECH_PACKET_MAX];
	opus_int32 len =
		opus_repacketizer_out(j->repacketizer, joined, sizeof(joined));

	if (len > 0)
		speech_add(j->out, joined, (size_t)len);
	return len > 0;
}

/* One packet of that length. False: they are of several shapes, or too large. */
static bool join_some(struct joining *j)
{
	const unsigned char *packet;
	struct opus_facts facts;
	unsigned char toc = 0;
	int samples = 0;
	size_t len;

	opus_repacketizer_init(j->repacketizer);
	while (samples < j->wanted &&
	       speech_next(j->from, &j->at, &packet, &len)) {
		if (!ogg_facts(&facts, packet, len))
			return false;
		if (facts.samples == j->wanted && !samples) {
			speech_add(j->out, packet, len);
			return len <= SPEECH_PACKET_MAX;
		}
		if (opus_repacketizer_cat(j->repacketizer, packet,
					  (opus_int32)len) != OPUS_OK)
			return false;
		samples += facts.samples;
		toc = packet[0] & 0xFC;
	}
	return fill(j, &toc, samples) && put_joined(j);
}

/* False: it cannot be, and out is empty. */
static bool join(struct speech *out, const struct speech *from, int frame_ms)
{
	struct joining j = { .from = from,
			     .wanted = frame_ms * (OPUS_RATE / 1000),
			     .out = out };
	bool fine = from->frame_ms != 0;

	j.repacketizer = opus_repacketizer_create();
	while (fine && j.at < from->bytes.len)
		fine = join_some(&j);
	opus_repacketizer_destroy(j.repacketizer);
	if (!fine)
		speech_done(out);
	out->frame_ms = frame_ms;
	out->origin =
		from->frame_ms == frame_ms ? SPEECH_AS_IT_WAS : SPEECH_JOINED;
	return fine;
}

static int recode(struct encoding *e, OpusDecoder *decoder,
		  const struct ogg_read *from, struct error *err)
{
	size_t skip = from->skip / (OPUS_RATE / DECODED_RATE), at = 0, len;
	opus_int16 samples[DECODED_MAX];
	const unsigned char *packet;

	while (speech_next(&from->packets, &at, &packet, &len)) {
		int got = opus_decode(decoder, packet, (opus_int32)len, samples,
				      DECODED_MAX, 0);

		if (got < 0)
			return failed("does not decode it", got, err);
		for (int i = 0; i < got; i++) {
			if (skip)
				skip--;
			else if (encoding_add(e, samples[i], err))
				return -1;
		}
	}
	return encoding_end(e, err);
}

static int anew(struct speech *out, const struct ogg_read *from, int frame_ms,
		struct error *err)
{
	struct encoding e = { 0 };
	int code = OPUS_OK, status;
	OpusDecoder *decoder = opus_decoder_create(DECODED_RATE, 1, &code);

	if (code != OPUS_OK)
		return failed("has no decoder", code, err);
	status = encoding_begin(&e, out, DECODED_RATE, frame_ms, err);
	if (!status)
		status = recode(&e, decoder, from, err);
	encoding_done(&e);
	opus_decoder_destroy(decoder);
	return status;
}

static int from_ogg(struct speech *out, const void *file, size_t len,
		    int frame_ms, struct error *err)
{
	struct ogg_read in;
	uint64_t holes;
	int status = 0;

	if (ogg_read(&in, file, len, err))
		return -1;
	holes = in.packets.holes;
	if (!join(out, &in.packets, frame_ms))
		status = anew(out, &in, frame_ms, err);
	out->holes = holes;
	speech_done(&in.packets);
	return status;
}

int ogg_speech(struct speech *out, const void *file, size_t len, int frame_ms,
	       struct error *err)
{
	int status;

	*out = (struct speech){ 0 };
	if (len >= 4 && memcmp(file, "OggS", 4) == 0)
		status = from_ogg(out, file, len, frame_ms, err);
	else if (len >= 4 && memcmp(file, "RIFF", 4) == 0)
		status = from_wav(out, file, len, frame_ms, err);
	else
		status = error_set(err, ERR_USAGE,
				   "it is neither Ogg Opus nor WAV");
	if (!status && !out->count)
		status = error_set(err, ERR_USAGE, "there is no sound in it");
	if (status)
		speech_done(out);
	return status;
}
