/* SPDX-License-Identifier: MIT */
/*
 * What a board says against the clock: late, never, too slow; and all in which
 * nothing may be said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "diag/pace.h"
#include "wire/audio.h"

#define SIXTY "\xfb\x03\xff\xfe\xff\xfe\xff\xfe"
#define TWENTY "\xf8\xff\xfe\xff\xfe"
#define MS 1000

struct board {
	struct diag diag;
	struct sound_pace *pace;
	int64_t now, own; /* microseconds */
};

static void say(struct board *b, bool from_board, const char *text)
{
	pace_text(&b->pace, from_board, text, strlen(text));
}

static void start(struct board *b, const char *mode)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "{\"type\":\"listen\",\"state\":\"start\",\"mode\":\"%s\"}",
		 mode);
	say(b, true, text);
}

static void setup(struct board *b, const char *mode)
{
	*b = (struct board){ .now = 5000000 };
	diag_start(&b->diag);
	b->diag.about.board = true;
	start(b, mode);
}

static void done(struct board *b)
{
	pace_free(b->pace);
	diag_done(&b->diag);
}

static void packet(struct board *b, const char *opus, size_t len,
		   uint64_t missing)
{
	const struct diag_frame f = { .at_us = b->now,
				      .leg = LEG_UDP,
				      .kind = FRAME_IS_BINARY,
				      .from_device = true,
				      .data = opus,
				      .len = len };
	const struct pace_packet k = { .frame = &f,
				       .opus = { opus, len },
				       .own_us = b->own,
				       .missing = missing };

	pace_packet(b->pace, &b->diag, &k);
}

/* So many, one each step. */
static void packets(struct board *b, int count, int64_t step)
{
	for (int i = 0; i < count; i++) {
		packet(b, SIXTY, 8, 0);
		b->now += step;
	}
}

static bool silent(const struct board *b)
{
	return b->diag.count == 0;
}

static const char *detail(const struct board *b, enum diag_code code)
{
	const struct finding *f = diag_finding(&b->diag, code);

	if (!f)
		fail_msg("nothing was found");
	assert_int_equal(f->count, 1);
	assert_true(f->proof.from_device);
	assert_true(f->proof.size > 0);
	return f->detail;
}

static const char *members(const struct board *b)
{
	static struct buf out;

	buf_done(&out);
	pace_members(&out, b->pace);
	return buf_string(&out);
}

static void lengths(void **state)
{
	(void)state;
	assert_int_equal(opus_length_us(SIXTY, 8), 60000);
	assert_int_equal(opus_length_us(TWENTY, 5), 20000);
	assert_int_equal(opus_length_us("\x58", 1), 60000);
	assert_int_equal(opus_length_us("\x80", 1), 2500);
	assert_int_equal(opus_length_us("\x99", 1), 40000);
	assert_int_equal(opus_length_us("", 0), 0);
	assert_int_equal(opus_length_us("\xfb", 1), 0);
	assert_int_equal(opus_length_us("\xfb\x00", 2), 0);
	assert_int_equal(opus_length_us("\xfb\x3f", 2), 0);
	assert_int_equal(opus_length_us("\x5a\x58", 2), 120000);
}

static void steady(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	assert_non_null(strstr(members(&b), "\"jitter_ms\":null"));
	/* A few were in store; then by the clock, some earlier, some later. */
	packets(&b, 10, 0);
	for (int i = 0; i < 2000; i++) {
		packet(&b, SIXTY, 8, 0);
		b.now += i % 2 ? 30 * MS : 90 * MS;
	}
	assert_true(silent(&b));
	assert_non_null(strstr(members(&b), "\"jitter_ms\":30.0,\"late\":0,"));
	assert_non_null(strstr(members(&b), "\"drift_ppm\":0"));
	done(&b);
}

static void late(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 11, 0);
	packets(&b, 100, 60 * MS);
	assert_string_equal(
		detail(&b, D155),
		"nothing for 0.66 s; what was said meanwhile came later");
	assert_int_equal(b.diag.count, 1);
	assert_non_null(strstr(members(&b), "\"late\":1,\"holes\":0"));
	done(&b);
}

static void hole(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 40, 60 * MS);
	assert_true(silent(&b)); /* it may still come */
	packets(&b, 20, 60 * MS);
	assert_string_equal(
		detail(&b, D156),
		"nothing for 0.66 s; 0.60 s of it did not come later");
	packets(&b, 1000, 60 * MS);
	assert_int_equal(b.diag.count, 1);
	assert_non_null(
		strstr(members(&b),
		       "\"holes\":1,\"missing_ms\":600,\"drift_ppm\":null"));
	done(&b);
}

/* 1 %: slower, and faster. */
static void drift(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "realtime");
	packets(&b, 300, 60600);
	assert_true(silent(&b));
	packets(&b, 3000, 60600);
	assert_string_equal(detail(&b, D157),
			    "in 60.0 s came 59.41 s of sound (-0.99 %)");
	assert_int_equal(b.diag.count, 1);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":99"));
	done(&b);
	setup(&b, "realtime");
	packets(&b, 3000, 59400);
	assert_non_null(strstr(detail(&b, D157), "(+1.0"));
	assert_int_equal(b.diag.count, 1);
	done(&b);
	/* A crystal's 100 ppm is nothing. */
	setup(&b, "realtime");
	packets(&b, 30000, 60006);
	assert_true(silent(&b));
	done(&b);
}

/* Silence between utterances is none within one. */
static void between(void **state)
{
	static const char *const ends[] = {
		"{\"type\":\"listen\",\"state\":\"stop\"}",
		"{\"type\":\"abort\"}", "{\"type\":\"goodbye\"}",
		"{\"type\":\"hello\"}"
	};
	struct board b;

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		setup(&b, "auto");
		packets(&b, 50, 60 * MS);
		say(&b, true, ends[i]);
		packets(&b, 2, 700 * MS); /* on their way */
		b.now += 5000 * MS;
		start(&b, "auto");
		packets(&b, 100, 60 * MS);
		assert_true(silent(&b));
		done(&b);
	}
	setup(&b, "auto");
	packets(&b, 50, 60 * MS);
	say(&b, false, "{\"type\":\"tts\",\"state\":\"start\"}");
	b.now += 5000 * MS;
	packets(&b, 100, 60 * MS);
	assert_true(silent(&b));
	done(&b);
	/* In realtime mode it goes on listening. */
	setup(&b, "realtime");
	packets(&b, 50, 60 * MS);
	say(&b, false, "{\"type\":\"tts\",\"state\":\"start\"}");
	b.now += 5000 * MS;
	packets(&b, 100, 60 * MS);
	detail(&b, D156);
	done(&b);
}

/* This process did not turn meanwhile. */
static void ours(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 50, 60 * MS);
	b.now += 2000 * MS;
	b.own += 1990 * MS;
	packets(&b, 34, 0);
	packets(&b, 100, 60 * MS);
	assert_true(silent(&b));
	assert_non_null(strstr(members(&b), "\"jitter_ms\":0.0"));
	/* … even where some of it was lost for that. */
	b.now += 2000 * MS;
	b.own += 1990 * MS;
	packets(&b, 100, 60 * MS);
	assert_true(silent(&b));
	done(&b);
}

/* Each tenth packet is seen 60 ms late, by our own fault. */
static void busy(struct board *b, int count)
{
	for (int i = 0; i < count; i++) {
		const int64_t late = i % 10 == 9 ? 60 * MS : 0;

		b->now += late;
		b->own += late;
		packet(b, SIXTY, 8, 0);
		b->now += 60 * MS - late;
	}
}

/* On a busy machine: what is missing is found, and only that. */
static void ours_in_part(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	busy(&b, 50);
	/* 0.44 s of which 0.06 s may be ours. */
	b.now += 380 * MS;
	b.own += 60 * MS;
	busy(&b, 100);
	assert_true(silent(&b));
	assert_non_null(strstr(members(&b), "\"jitter_ms\":null"));
	done(&b);
	setup(&b, "auto");
	busy(&b, 50);
	b.now += 600 * MS;
	busy(&b, 100);
	assert_string_equal(
		detail(&b, D156),
		"nothing for 0.60 s; 0.60 s of it did not come later");
	done(&b);
}

static void hello(struct board *b, int ms)
{
	char text[200];
	struct diag_frame f = { .leg = LEG_WS,
				.from_device = true,
				.data = text };

	snprintf(
		text, sizeof(text),
		"{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":true},\"transport\":\"websocket\",\"audio_params\":{\"format\":\"opus\",\"sample_rate\":16000,\"channels\":1,\"frame_duration\":%d}}",
		ms);
	f.len = strlen(text);
	diag_feed(&b->diag, &f);
}

/* Its own frame_duration counts; where packets are of another, nothing is said. */
static void other_length(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	hello(&b, 20);
	for (int i = 0; i < 500; i++) {
		packet(&b, TWENTY, 5, 0);
		b.now += 20 * MS;
	}
	b.now += 600 * MS;
	for (int i = 0; i < 200; i++) {
		packet(&b, TWENTY, 5, 0);
		b.now += 20 * MS;
	}
	detail(&b, D156);
	assert_int_equal(b.diag.count, 1);
	done(&b);
	setup(&b, "auto");
	for (int i = 0; i < 3000; i++) {
		packet(&b, TWENTY, 5, 0);
		b.now += i % 50 ? 60 * MS : 900 * MS;
	}
	assert_true(silent(&b));
	done(&b);
}

/* DTX: who tells that it is silent may send nothing. */
static void quiet(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	for (int i = 0; i < 20; i++) {
		packets(&b, 40, 60 * MS);
		packet(&b, "\x58", 1, 0);
		b.now += 900 * MS;
	}
	packets(&b, 2000, 60 * MS);
	assert_true(silent(&b));
	done(&b);
}

/* What is lost on the way is told as that, and is no hole. */
static void lost(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packet(&b, SIXTY, 8, 10);
	b.now += 60 * MS;
	packets(&b, 100, 60 * MS);
	assert_string_equal(detail(&b, M415),
			    "10 missing in front of this one");
	assert_int_equal(b.diag.count, 1);
	done(&b);
}

/* 0.4 s too little are told, and less is not. */
static void how_long(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 399999;
	packets(&b, 200, 60 * MS);
	assert_true(silent(&b));
	done(&b);
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 400 * MS;
	packets(&b, 200, 60 * MS);
	assert_string_equal(
		detail(&b, D156),
		"nothing for 0.46 s; 0.40 s of it did not come later");
	assert_int_equal(b.diag.count, 1);
	done(&b);
}

/* Nearly all of it came later, or some: only of the first something is told. */
static void how_much_later(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 9, 0);
	assert_int_equal(diag_count(&b.diag, D155), 0);
	packets(&b, 1, 0);
	assert_int_equal(diag_count(&b.diag, D155), 1);
	packets(&b, 200, 60 * MS);
	assert_int_equal(b.diag.count, 1);
	done(&b);
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 8, 0);
	packets(&b, 200, 60 * MS);
	assert_true(silent(&b));
	assert_non_null(
		strstr(members(&b), "\"late\":0,\"holes\":0,\"missing_ms\":0"));
	/* What follows is measured from there. */
	b.now += 600 * MS;
	packets(&b, 200, 60 * MS);
	assert_string_equal(
		detail(&b, D156),
		"nothing for 0.66 s; 0.60 s of it did not come later");
	done(&b);
}

/* A tenth of a second of ours is taken off; of more nothing is known. */
static void how_much_is_ours(void **state)
{
	struct board b;

	(void)state;
	for (int64_t more = 0; more < 2; more++) {
		setup(&b, "auto");
		packets(&b, 100, 60 * MS);
		b.now += 600 * MS;
		b.own += 100 * MS + more;
		packets(&b, 200, 60 * MS);
		assert_int_equal(diag_count(&b.diag, D156), !more);
		if (!more)
			assert_memory_equal(detail(&b, D156),
					    "nothing for 0.56 s;", 19);
		done(&b);
	}
}

/* Three bytes tell of silence, four are sound. */
static void how_short(void **state)
{
	struct board b;

	(void)state;
	for (size_t len = 3; len <= 4; len++) {
		setup(&b, "auto");
		packets(&b, 100, 60 * MS);
		packet(&b, "\x58\xff\xfe\xff", len, 0);
		b.now += 900 * MS;
		packets(&b, 200, 60 * MS);
		assert_int_equal(diag_count(&b.diag, D156), len == 4);
		done(&b);
	}
}

/* So many may be lost; more is another session's number. */
static void how_many(void **state)
{
	struct board b;

	(void)state;
	for (uint64_t more = 0; more < 2; more++) {
		setup(&b, "auto");
		packets(&b, 100, 60 * MS);
		b.now += 60000 * MS;
		packet(&b, SIXTY, 8, 1000 + more);
		b.now += 60 * MS;
		packets(&b, 50, 60 * MS);
		b.now += 600 * MS;
		packets(&b, 200, 60 * MS);
		assert_int_equal(diag_count(&b.diag, M415), 1);
		assert_int_equal(diag_count(&b.diag, D156), !more);
		done(&b);
	}
}

/* What the board says ends its utterance; said by the backend it does not. */
static void who_says_it(void **state)
{
	static const char *const texts[] = {
		"{\"type\":\"listen\",\"state\":\"stop\"}",
		"{\"type\":\"abort\"}",
		"{\"type\":\"hello\"}",
		"{\"type\":\"tts\",\"state\":\"stop\"}",
	};
	struct board b;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		setup(&b, "auto");
		packets(&b, 50, 60 * MS);
		say(&b, false, texts[i]);
		b.now += 5000 * MS;
		packets(&b, 100, 60 * MS);
		detail(&b, D156);
		done(&b);
	}
	setup(&b, "auto");
	packets(&b, 50, 60 * MS);
	say(&b, true, "{\"type\":\"tts\",\"state\":\"start\"}");
	say(&b, true, "{\"type\":\"listen\",\"state\":\"detect\"}");
	b.now += 5000 * MS;
	packets(&b, 100, 60 * MS);
	detail(&b, D156);
	done(&b);
	setup(&b, "auto");
	packets(&b, 50, 60 * MS);
	say(&b, false, "{\"type\":\"goodbye\"}");
	b.now += 5000 * MS;
	packets(&b, 100, 60 * MS);
	assert_true(silent(&b));
	done(&b);
}

/* Frames of a WebSocket, by the version that its hello agreed on. */
static void frames(void **state)
{
	static const char third[] = "\0\0\0\x08" SIXTY;
	struct diag_frame f = { .kind = FRAME_IS_BINARY, .from_device = true };
	struct board b;

	(void)state;
	for (int version = 0; version <= 3; version += 3) {
		setup(&b, "auto");
		b.diag.frame_version = version;
		f.data = version ? third : SIXTY;
		f.len = version ? 12 : 8;
		for (int i = 0; i < 300; i++) {
			f.at_us = b.now += (i == 100 ? 660 : 60) * MS;
			pace_frame(b.pace, &b.diag, &f, 0);
		}
		detail(&b, D156);
		done(&b);
	}
	pace_frame(NULL, &b.diag, &f, 0);
}

static void all_members(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	assert_string_equal(
		members(&b),
		"\"jitter_ms\":null,\"late\":null,\"holes\":null,\"missing_ms\":null,\"drift_ppm\":null");
	packets(&b, 2, 60 * MS);
	assert_string_equal(
		members(&b),
		"\"jitter_ms\":null,\"late\":0,\"holes\":0,\"missing_ms\":0,\"drift_ppm\":null");
	packets(&b, 100, 60 * MS);
	assert_string_equal(
		members(&b),
		"\"jitter_ms\":0.0,\"late\":0,\"holes\":0,\"missing_ms\":0,\"drift_ppm\":null");
	done(&b);
}

static void in_words(void **state)
{
	static const struct {
		const char *audio, *words;
	} rows[] = {
		{ "{}", "0 packets" },
		{ "{\"frames\":1,\"lost\":0,\"jitter_ms\":null,\"late\":0,\"missing_ms\":0,\"drift_ppm\":null}",
		  "1 packet" },
		{ "{\"frames\":2,\"lost\":1,\"jitter_ms\":0,\"late\":1,\"missing_ms\":10,\"drift_ppm\":0}",
		  "2 packets, 1 lost, jitter 0.0 ms, late once, 0.01 s missing, drift +0 ppm" },
		{ "{\"frames\":9,\"lost\":3,\"jitter_ms\":12.34,\"late\":2,\"missing_ms\":1500,\"drift_ppm\":-70}",
		  "9 packets, 3 lost, jitter 12.3 ms, late 2 times, 1.50 s missing, drift -70 ppm" },
		{ "{\"frames\":9,\"jitter_ms\":-1}", "9 packets" },
		{ "{\"frames\":9,\"jitter_ms\":1e9}", "9 packets" },
		{ "{\"frames\":9,\"jitter_ms\":\"1\"}", "9 packets" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr)
		cJSON *audio = cJSON_Parse(rows[i].audio);
		CLEANUP(buf_done) struct buf out = { 0 };

		pace_words(&out, audio);
		assert_string_equal(buf_string(&out), rows[i].words);
	}
}

/* Before it listens, packets of a wake word are nobody's matter. */
static void early(void **state)
{
	struct board b = { .now = 1 };

	(void)state;
	packet(&b, SIXTY, 8, 0);
	say(&b, false, "{\"type\":\"tts\",\"state\":\"start\"}");
	say(&b, true, "{\"type\":\"listen\",\"state\":\"detect\"}");
	say(&b, true, "\"state\"");
	say(&b, true, "{\"state\":7,\"type\":[]}");
	assert_null(b.pace);
	done(&b);
}

/* One, the sound of i packets after the first, and so much behind that. */
static void packet_at(struct board *b, int i, int64_t behind)
{
	b->now = 5000000 + i * (int64_t)60 * MS + behind;
	packet(b, SIXTY, 8, 0);
}

/* So far behind from this second on: it is told when 70 s are over. */
struct lag {
	int64_t second, us;
};

static void lagging(struct board *b, int count, const struct lag *lags,
		    size_t n)
{
	for (int i = 0; i < count; i++) {
		int64_t us = 0;

		for (size_t k = 0; k < n; k++) {
			if (i * (int64_t)60 * MS >= lags[k].second * 1000000)
				us = lags[k].us;
		}
		packet_at(b, i, us);
	}
}

/* Three whole windows of 5 s, of which the outer ones are 10 s apart. */
static void drift_is_known_after_15_seconds(void **state)
{
	static const struct lag lag = { 10, 30 * MS };
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 250, 60 * MS);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":null"));
	packets(&b, 1, 60 * MS);
	assert_string_equal(
		members(&b),
		"\"jitter_ms\":0.0,\"late\":0,\"holes\":0,\"missing_ms\":0,\"drift_ppm\":0");
	done(&b);
	setup(&b, "auto");
	lagging(&b, 251, &lag, 1);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":3000"));
	done(&b);
}

/* Of two windows that become one the lesser offset counts, whichever it is. */
static void drift_of_joined_windows(void **state)
{
	static const struct {
		struct lag lags[2];
		const char *ppm;
	} rows[] = {
		{ { { 5, -20 * MS }, { 10, 0 } }, "\"drift_ppm\":500" },
		{ { { 5, 20 * MS }, { 10, 0 } }, "\"drift_ppm\":0" },
		{ { { 40, 20 * MS }, { 45, 8 * MS } }, "\"drift_ppm\":200" },
		{ { { 40, 8 * MS }, { 45, 20 * MS } }, "\"drift_ppm\":200" },
	};
	struct board b;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup(&b, "auto");
		lagging(&b, 900, rows[i].lags, 2);
		if (!strstr(members(&b), rows[i].ppm))
			fail_msg("%zu: %s", i, members(&b));
		done(&b);
	}
}

/* 0.18 s within a minute are told, and less is not. */
static void how_much_drift(void **state)
{
	struct board b;

	(void)state;
	for (int64_t less = 0; less < 2; less++) {
		const struct lag ahead[] = { { 29, -90 * MS },
					     { 59, -180 * MS + less } };
		const struct lag behind[] = { { 29, 90 * MS },
					      { 59, 180 * MS - less } };

		setup(&b, "auto");
		lagging(&b, 1300, behind, 2);
		if (less)
			assert_true(silent(&b));
		else
			assert_string_equal(
				detail(&b, D157),
				"in 60.0 s came 59.82 s of sound (-0.30 %)");
		done(&b);
		setup(&b, "auto");
		lagging(&b, 1300, ahead, 2);
		if (less)
			assert_true(silent(&b));
		else
			assert_string_equal(
				detail(&b, D157),
				"in 60.0 s came 60.18 s of sound (+0.30 %)");
		done(&b);
	}
}

/* Half of it within half of the time, a quarter of it more or less. */
static void slope_and_step(void **state)
{
	static const struct {
		struct lag lags[2];
		bool told;
	} rows[] = {
		{ { { 29, 149999 }, { 59, 200000 } }, true },
		{ { { 29, 150000 }, { 59, 200000 } }, false },
		{ { { 29, 50001 }, { 59, 200000 } }, true },
		{ { { 29, 50000 }, { 59, 200000 } }, false },
		{ { { 29, -149999 }, { 59, -200000 } }, true },
		{ { { 29, -150000 }, { 59, -200000 } }, false },
		{ { { 29, -50001 }, { 59, -200000 } }, true },
		{ { { 29, -50000 }, { 59, -200000 } }, false },
	};
	struct board b;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		setup(&b, "auto");
		lagging(&b, 1300, rows[i].lags, 2);
		if (diag_count(&b.diag, D157) != rows[i].told)
			fail_msg("row %zu", i);
		done(&b);
	}
}

/* One step is none, wherever it is. */
static void one_step_is_no_drift(void **state)
{
	struct board b;

	(void)state;
	for (int64_t second = 5; second < 300; second += 20) {
		const struct lag up = { second, 390 * MS },
				 down = { second, -390 * MS };

		setup(&b, "auto");
		lagging(&b, 6000, &up, 1);
		assert_true(silent(&b));
		done(&b);
		setup(&b, "auto");
		lagging(&b, 6000, &down, 1);
		assert_true(silent(&b));
		done(&b);
	}
}

/* Where nothing was measured for a while, nothing is known of it. */
static void drift_is_not_known(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 300, 60 * MS);
	b.now += 11000 * MS;
	packets(&b, 184, 0);
	packets(&b, 20, 60 * MS);
	detail(&b, D155);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":null"));
	/* Later its windows are longer than that. */
	packets(&b, 3000, 60 * MS);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":0"));
	/* A packet of another length. */
	packet(&b, TWENTY, 5, 0);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":null"));
	done(&b);
	/* It told that it is silent, and was. */
	setup(&b, "auto");
	packets(&b, 300, 60 * MS);
	packet(&b, "\x58", 1, 0);
	b.now += 130 * MS;
	packets(&b, 300, 60 * MS);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":null"));
	done(&b);
	/* A pause of which some came later. */
	setup(&b, "auto");
	packets(&b, 300, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 8, 0);
	packets(&b, 300, 60 * MS);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":null"));
	done(&b);
}

/* A quarter of an hour late: more than all windows hold. */
static void very_late(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 900000 * (int64_t)MS;
	packets(&b, 15000, 0);
	packets(&b, 300, 60 * MS);
	assert_string_equal(
		detail(&b, D155),
		"nothing for 900.06 s; what was said meanwhile came later");
	assert_int_equal(b.diag.count, 1);
	done(&b);
	/* From the windows of 5 s to the first behind those of 10 s. */
	setup(&b, "auto");
	packets(&b, 500, 60 * MS);
	b.now += 53040 * MS;
	packets(&b, 885, 0);
	b.now += 60 * MS;
	packets(&b, 5000, 60 * MS);
	assert_int_equal(diag_count(&b.diag, D155), 1);
	assert_int_equal(b.diag.count, 1);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":0"));
	done(&b);
}

/* What was true of one utterance is not of the next. */
static void each_utterance_anew(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 1300, 60600);
	assert_int_equal(diag_count(&b.diag, D157), 1);
	start(&b, "auto");
	assert_non_null(strstr(members(&b), "\"drift_ppm\":null"));
	packets(&b, 250, 60 * MS);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":null"));
	packets(&b, 1, 60 * MS);
	assert_non_null(strstr(members(&b), "\"drift_ppm\":0"));
	start(&b, "auto");
	packets(&b, 1300, 60600);
	assert_int_equal(diag_count(&b.diag, D157), 2);
	done(&b);
	/* A hole. */
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 100, 60 * MS);
	start(&b, "auto");
	packets(&b, 1300, 60600);
	assert_int_equal(diag_count(&b.diag, D157), 1);
	/* A packet of another length. */
	packet(&b, TWENTY, 5, 0);
	start(&b, "auto");
	packets(&b, 1300, 60600);
	assert_int_equal(diag_count(&b.diag, D157), 2);
	done(&b);
}

/* It stops while something is missing: nobody knows whether it was to come. */
static void stopped_amid_a_pause(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 10, 60 * MS);
	say(&b, true, "{\"type\":\"listen\",\"state\":\"stop\"}");
	b.now += 600 * MS;
	start(&b, "auto");
	packets(&b, 200, 60 * MS);
	assert_true(silent(&b));
	assert_non_null(
		strstr(members(&b), "\"late\":0,\"holes\":0,\"missing_ms\":0"));
	done(&b);
}

/* Three seconds are waited for what may still come. */
static void how_long_it_may_come(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 100, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 50, 60 * MS);
	assert_true(silent(&b));
	packets(&b, 1, 60 * MS);
	assert_int_equal(diag_count(&b.diag, D156), 1);
	/* It is counted on from there. */
	packets(&b, 34, 60 * MS);
	b.now += 600 * MS;
	packets(&b, 11, 0);
	assert_int_equal(diag_count(&b.diag, D155), 1);
	packets(&b, 100, 60 * MS);
	b.now += 500 * MS;
	packets(&b, 100, 60 * MS);
	assert_int_equal(diag_count(&b.diag, D156), 2);
	assert_non_null(strstr(members(&b),
			       "\"late\":1,\"holes\":2,\"missing_ms\":1100"));
	done(&b);
}

/* A pause is seen as one whatever slow drift or store was before. */
static void pause_beside_drift(void **state)
{
	struct board b;

	(void)state;
	setup(&b, "auto");
	packets(&b, 900, 60600);
	b.now += 600 * MS;
	packets(&b, 11, 0);
	packets(&b, 100, 60600);
	assert_int_equal(diag_count(&b.diag, D155), 1);
	done(&b);
	setup(&b, "auto");
	packets(&b, 10, 0);
	b.now += 60 * MS;
	packets(&b, 20, 60 * MS);
	b.now += 450 * MS;
	packets(&b, 100, 60 * MS);
	assert_string_equal(
		detail(&b, D156),
		"nothing for 0.51 s; 0.45 s of it did not come later");
	done(&b);
}

/* Not of the first second, and not of one after we were late by over 20 ms. */
static void when_jitter_is_measured(void **state)
{
	struct board b;

	(void)state;
	for (int64_t early = 0; early < 2; early++) {
		setup(&b, "auto");
		packets(&b, 10, 0);
		packets(&b, 16, 60 * MS);
		b.now = 6000000 - early;
		packet(&b, SIXTY, 8, 0);
		assert_non_null(
			strstr(members(&b), early ? "\"jitter_ms\":null" :
						    "\"jitter_ms\":2.5,"));
		done(&b);
	}
	for (int64_t more = 0; more < 2; more++) {
		setup(&b, "auto");
		packets(&b, 18, 60 * MS);
		assert_non_null(strstr(members(&b), "\"jitter_ms\":0.0"));
		b.own = 20 * MS + more;
		b.now += 32 * MS;
		packet(&b, SIXTY, 8, 0);
		assert_non_null(
			strstr(members(&b), more ? "\"jitter_ms\":0.0" :
						   "\"jitter_ms\":2.0"));
		done(&b);
	}
}

/* A frame that is no audio changes nothing, nor does a text that is too long. */
static void what_is_left_alone(void **state)
{
	static const char third[] = "\0\0\0\x08" SIXTY;
	struct diag_frame f = { .kind = FRAME_IS_BINARY, .from_device = true };
	char text[600];
	struct board b;

	(void)state;
	setup(&b, "auto");
	b.diag.frame_version = 3;
	f.data = third;
	for (int i = 0; i < 300; i++) {
		f.at_us = b.now += (i == 100 ? 660 : 60) * MS;
		f.len = i == 50 ? 3 : 12;
		pace_frame(b.pace, &b.diag, &f, 0);
	}
	detail(&b, D156);
	done(&b);
	b = (struct board){ .now = 1 };
	memset(text, ' ', sizeof(text));
	memcpy(text, "{\"type\":\"listen\",\"state\":\"start\"}", 33);
	pace_text(&b.pace, true, text, 513);
	assert_null(b.pace);
	pace_text(&b.pace, true, text, 512);
	assert_non_null(b.pace);
	done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(steady),
		cmocka_unit_test(late),
		cmocka_unit_test(hole),
		cmocka_unit_test(drift),
		cmocka_unit_test(between),
		cmocka_unit_test(ours),
		cmocka_unit_test(ours_in_part),
		cmocka_unit_test(other_length),
		cmocka_unit_test(quiet),
		cmocka_unit_test(lost),
		cmocka_unit_test(early),
		cmocka_unit_test(how_long),
		cmocka_unit_test(how_much_later),
		cmocka_unit_test(how_much_is_ours),
		cmocka_unit_test(how_short),
		cmocka_unit_test(how_many),
		cmocka_unit_test(who_says_it),
		cmocka_unit_test(frames),
		cmocka_unit_test(all_members),
		cmocka_unit_test(in_words),
		cmocka_unit_test(drift_is_known_after_15_seconds),
		cmocka_unit_test(drift_of_joined_windows),
		cmocka_unit_test(how_much_drift),
		cmocka_unit_test(slope_and_step),
		cmocka_unit_test(one_step_is_no_drift),
		cmocka_unit_test(drift_is_not_known),
		cmocka_unit_test(very_late),
		cmocka_unit_test(each_utterance_anew),
		cmocka_unit_test(stopped_amid_a_pause),
		cmocka_unit_test(how_long_it_may_come),
		cmocka_unit_test(pause_beside_drift),
		cmocka_unit_test(when_jitter_is_measured),
		cmocka_unit_test(what_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
