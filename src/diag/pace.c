/* SPDX-License-Identifier: MIT */
/*
 * Packets against the clock. What is measured is a packet's offset: when it came
 * less the sound that came before it. It is constant where all is well, rises at
 * once where nothing comes for a while and falls back where that comes later, and
 * rises or falls slowly where the board's clock is another than ours.
 */
#include "diag/pace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "wire/audio.h"

#define TEXT_MAX 512 /* of a message that is looked at */
#define FRAME_MS 60 /* of firmware, where none is told (device.md 1.5) */
#define LATE_US 400000 /* a pause from which on something is said */
#define OWN_US 20000 /* of ours, from which on jitter is not the board's */
#define OWN_LONG_US 100000 /* from which on nothing is told of a pause */
#define SETTLED_US 3000000 /* what did not come by then does not come */
#define BEGIN_US 1000000 /* firmware has some packets in store */
#define MISSING_MAX 1000 /* more is no loss */
#define QUIET_MAX 3 /* bytes of a packet that tells of silence (DTX) */

#define WINDOWS 8
#define WINDOW_US 5000000
#define DRIFT_TIME_US 60000000 /* of an utterance, before it is a finding */
#define DRIFT_US 180000
#define DRIFT_KNOWN_US 20000000

struct sound_pace {
	bool listens, realtime;
	/* of this utterance */
	bool begun, odd; /* odd: packets are not as long as told */
	bool quiet; /* the last one told of silence */
	int64_t first, last, own; /* of the first and the last packet */
	int64_t sound; /* microseconds that came before */
	int64_t measured_from; /* jitter */
	int64_t offset; /* of the last one */
	int64_t base, next_base, base_until; /* least offset of late */
	/* nothing came for a while */
	bool stalled;
	int64_t stall_since, pause, least;
	/* the least offset of each window of time, for drift */
	int64_t window[WINDOWS], window_us;
	unsigned windows;
	bool stepped, drift_told;
	/* of all utterances */
	uint64_t late, holes;
	int64_t missing, jitter; /* jitter in 16ths */
	bool measured, judged; /* jitter; any packet */
};

void pace_free(struct sound_pace *p)
{
	mem_free(p);
}

/* ---- when it listens ---- */

static void begin(struct sound_pace *p)
{
	p->listens = true;
	p->begun = p->odd = p->quiet = p->stalled = false;
	p->stepped = p->drift_told = false;
	p->sound = 0;
	p->windows = 0;
	p->window_us = WINDOW_US;
}

static void take_message(struct sound_pace **p, bool from_board,
			 const cJSON *json)
{
	const char *type = json_string(json, "type");
	const char *state = json_string(json, "state");

	if (from_board && text_same(type, "listen") &&
	    text_same(state, "start")) {
		if (!*p)
			*p = mem_zalloc(sizeof(**p));
		(*p)->realtime =
			text_same(json_string(json, "mode"), "realtime");
		begin(*p);
	} else if (*p &&
		   (text_same(type, "goodbye") ||
		    (from_board &&
		     (text_same(type, "hello") || text_same(type, "abort") ||
		      (text_same(type, "listen") &&
		       text_same(state, "stop")))) ||
		    (!from_board && !(*p)->realtime && text_same(type, "tts") &&
		     text_same(state, "start")))) {
		(*p)->listens = false;
	}
}

void pace_text(struct sound_pace **p, bool from_board, const char *text,
	       size_t len)
{
	static const char *const words[] = { "\"state\"", "\"hello\"",
					     "\"abort\"", "\"goodbye\"", NULL };
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	/* Before it listens for the first time, only its listen start counts. */
	if (*p || from_board)
		json = json_parse_with(text, len, TEXT_MAX, words);
	if (json)
		take_message(p, from_board, json);
}

/* ---- drift ---- */

/* Two windows become one, of twice the time. */
static void halve(struct sound_pace *p)
{
	for (size_t i = 0; i < WINDOWS / 2; i++) {
		const int64_t a = p->window[2 * i], b = p->window[2 * i + 1];

		p->window[i] = a < b ? a : b;
	}
	p->windows = WINDOWS / 2;
	p->window_us *= 2;
}

/* windows: those that are begun; the last one is not over yet. */
static void note_offset(struct sound_pace *p, int64_t now)
{
	unsigned at = (unsigned)((now - p->first) / p->window_us);

	if (at >= WINDOWS) {
		halve(p);
		at = (unsigned)((now - p->first) / p->window_us);
	}
	if (at >= WINDOWS)
		return;
	while (p->windows <= at)
		p->window[p->windows++] = INT64_MAX;
	if (p->offset < p->window[at])
		p->window[at] = p->offset;
}

/* How far the whole windows are apart, and the time between; false: not known. */
static bool drift_of(const struct sound_pace *p, int64_t *us, int64_t *time)
{
	const unsigned whole = p->windows ? p->windows - 1 : 0;

	if (whole < 3 || p->stepped || p->odd)
		return false;
	for (unsigned i = 0; i < whole; i++) {
		if (p->window[i] == INT64_MAX)
			return false;
	}
	*us = p->window[whole - 1] - p->window[0];
	*time = (int64_t)(whole - 1) * p->window_us;
	return *time >= DRIFT_KNOWN_US / 2;
}

/* A slope, and no step: in each half about half of it. */
static bool is_slope(const struct sound_pace *p, int64_t us)
{
	const unsigned whole = p->windows - 1, middle = (whole - 1) / 2;
	const int64_t half = p->window[middle] - p->window[0];
	const int64_t due = us * (int64_t)middle / (int64_t)(whole - 1);

	return llabs(half - due) < llabs(us) / 4;
}

/* Where it goes. */
struct pace_ear {
	struct diag *diag;
	const struct diag_frame *frame;
};

static void found(const struct pace_ear *h, enum diag_code code,
		  const char *detail)
{
	diag_found_in(h->diag, code, h->frame, (struct span){ 0 }, "%s",
		      detail);
}

static void judge_drift(struct sound_pace *p, const struct pace_ear *h)
{
	CLEANUP(mem_free_ptr) char *detail = NULL;
	int64_t us, time;

	if (p->drift_told || !drift_of(p, &us, &time) || time < DRIFT_TIME_US ||
	    llabs(us) < DRIFT_US || !is_slope(p, us))
		return;
	p->drift_told = true;
	detail = mem_printf("in %.1f s came %.2f s of sound (%+.2f %%)",
			    (double)time / 1e6, (double)(time - us) / 1e6,
			    -100.0 * (double)us / (double)time);
	found(h, D157, detail);
}

/* ---- pauses ---- */

/* What was said meanwhile came later. */
static void caught_up(struct sound_pace *p, const struct pace_ear *h)
{
	CLEANUP(mem_free_ptr)
	char *detail = mem_printf(
		"nothing for %.2f s; what was said meanwhile came later",
		(double)p->pause / 1e6);

	p->stalled = false;
	p->late++;
	found(h, D155, detail);
}

static void never_came(struct sound_pace *p, const struct pace_ear *h)
{
	CLEANUP(mem_free_ptr)
	char *detail = mem_printf(
		"nothing for %.2f s; %.2f s of it did not come later",
		(double)p->pause / 1e6, (double)p->least / 1e6);

	p->stalled = false;
	p->stepped = true;
	p->holes++;
	p->missing += p->least;
	p->base = p->next_base = p->offset;
	found(h, D156, detail);
}

/* own: so much of the last offset may be our delay. */
static void judge_stall(struct sound_pace *p, int64_t now, int64_t own,
			const struct pace_ear *h)
{
	const int64_t behind = p->offset - p->base;

	if (behind - own < p->least)
		p->least = behind - own;
	if (behind < LATE_US / 4)
		caught_up(p, h);
	else if (now - p->stall_since < SETTLED_US)
		return;
	else if (p->least >= LATE_US)
		never_came(p, h);
	else { /* some of it came, some not: too little to be told */
		p->stalled = false;
		p->stepped = true;
	}
}

/* The least offset of the last five to ten seconds: it follows a slow drift. */
static void follow_base(struct sound_pace *p, int64_t now)
{
	if (p->offset < p->base)
		p->base = p->offset;
	if (p->offset < p->next_base)
		p->next_base = p->offset;
	if (now < p->base_until)
		return;
	p->base = p->next_base;
	p->next_base = p->offset;
	p->base_until = now + WINDOW_US;
}

/* ---- packets ---- */

static void first_packet(struct sound_pace *p, const struct pace_packet *k)
{
	p->begun = true;
	p->first = k->frame->at_us;
	p->measured_from = k->frame->at_us + BEGIN_US;
	p->offset = p->base = p->next_base = 0;
	p->base_until = k->frame->at_us + WINDOW_US;
}

/* This process was late, or the board told of silence: what follows is anew. */
static void begin_anew(struct sound_pace *p, const struct pace_packet *k)
{
	p->stalled = false;
	p->base = p->next_base = p->offset;
	p->base_until = k->frame->at_us + WINDOW_US;
	p->measured_from = k->frame->at_us + BEGIN_US;
}

/* RFC 3550, 6.4.1; not of what firmware had in store. */
static void measure_jitter(struct sound_pace *p, int64_t now, int64_t change)
{
	if (now < p->measured_from)
		return;
	p->jitter += llabs(change) - ((p->jitter + 8) >> 4);
	p->measured = true;
}

static void next_packet(struct sound_pace *p, const struct pace_packet *k,
			int64_t length, const struct pace_ear *h)
{
	const int64_t offset = k->frame->at_us - p->first - p->sound;
	const int64_t change = offset - p->offset;
	const int64_t own = k->own_us - p->own;

	p->offset = offset;
	if (p->quiet && change > length)
		p->stepped = true;
	if (own > OWN_LONG_US || (p->quiet && change > length)) {
		/* What piled up meanwhile comes at once, and is no news either. */
		begin_anew(p, k);
		return;
	}
	if (own > OWN_US)
		p->measured_from = k->frame->at_us + BEGIN_US;
	measure_jitter(p, k->frame->at_us, change);
	if (!p->stalled && change - own >= LATE_US &&
	    offset - own - p->base >= LATE_US) {
		p->stalled = true;
		p->stall_since = k->frame->at_us;
		p->pause = k->frame->at_us - own - p->last;
		p->least = INT64_MAX;
	}
	if (p->stalled) {
		judge_stall(p, k->frame->at_us, own, h);
		return;
	}
	follow_base(p, k->frame->at_us);
	note_offset(p, k->frame->at_us);
	judge_drift(p, h);
}

static int64_t told_length(const struct diag *d)
{
	const int ms = d->seen.frame_ms;

	return (ms > 0 ? ms : FRAME_MS) * INT64_C(1000);
}

static void tell_missing(const struct pace_ear *h, uint64_t missing)
{
	char detail[64];

	snprintf(detail, sizeof(detail),
		 "%" PRIu64 " missing in front of this one", missing);
	found(h, M415, detail);
}

void pace_packet(struct sound_pace *p, struct diag *d,
		 const struct pace_packet *k)
{
	const struct pace_ear h = { d, k->frame };
	const int64_t length = told_length(d);

	if (k->missing)
		tell_missing(&h, k->missing);
	if (!p || !p->listens)
		return;
	if (opus_length_us(k->opus.text, k->opus.len) != length ||
	    k->missing > MISSING_MAX)
		p->odd = true;
	if (p->odd)
		return;
	/* What is lost on the way was sound, too. */
	p->sound += (int64_t)k->missing * length;
	p->judged = true;
	if (p->begun)
		next_packet(p, k, length, &h);
	else
		first_packet(p, k);
	p->sound += length;
	p->last = k->frame->at_us;
	p->own = k->own_us;
	p->quiet = k->opus.len <= QUIET_MAX;
}

void pace_frame(struct sound_pace *p, struct diag *d,
		const struct diag_frame *f, int64_t own_us)
{
	const int version = d->frame_version;
	struct pace_packet k = { .frame = f, .own_us = own_us };
	struct audio_frame audio;

	if (!p || audio_decode(&audio, version > 0 ? version : 1, f->data,
			       f->len, NULL))
		return;
	k.opus = (struct span){ (const char *)audio.payload, audio.len };
	pace_packet(p, d, &k);
}

/* ---- told ---- */

void pace_members(struct buf *out, const struct sound_pace *p)
{
	int64_t us, time;

	if (!p || !p->judged) {
		buf_text(
			out,
			"\"jitter_ms\":null,\"late\":null,\"holes\":null,\"missing_ms\":null,\"drift_ppm\":null");
		return;
	}
	if (p->measured)
		buf_printf(out, "\"jitter_ms\":%.1f", (double)p->jitter / 16e3);
	else
		buf_text(out, "\"jitter_ms\":null");
	buf_printf(out,
		   ",\"late\":%" PRIu64 ",\"holes\":%" PRIu64
		   ",\"missing_ms\":%" PRId64 ",\"drift_ppm\":",
		   p->late, p->holes, p->missing / 1000);
	if (drift_of(p, &us, &time))
		buf_printf(out, "%" PRId64, us * 1000000 / time);
	else
		buf_text(out, "null");
}

static void add_times(struct buf *out, const cJSON *audio)
{
	int64_t n = 0;

	if (json_integer(audio, "late", &n) == 0 && n == 1)
		buf_text(out, ", late once");
	else if (n > 1)
		buf_printf(out, ", late %" PRId64 " times", n);
	if (json_integer(audio, "missing_ms", &n) == 0 && n > 0)
		buf_printf(out, ", %.2f s missing", (double)n / 1e3);
	if (json_integer(audio, "drift_ppm", &n) == 0)
		buf_printf(out, ", drift %+" PRId64 " ppm", n);
}

void pace_words(struct buf *out, const cJSON *audio)
{
	const cJSON *jitter =
		cJSON_GetObjectItemCaseSensitive(audio, "jitter_ms");
	int64_t n = 0;

	json_integer(audio, "frames", &n);
	buf_printf(out, "%" PRId64 " packet%s", n, n == 1 ? "" : "s");
	if (json_integer(audio, "lost", &n) == 0 && n > 0)
		buf_printf(out, ", %" PRId64 " lost", n);
	if (cJSON_IsNumber(jitter) && jitter->valuedouble >= 0 &&
	    jitter->valuedouble < 1e9)
		buf_printf(out, ", jitter %.1f ms", jitter->valuedouble);
	add_times(out, audio);
}
