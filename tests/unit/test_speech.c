/* SPDX-License-Identifier: MIT */
/*
 * wire/wav and net/ogg: files with speech as packets for a board.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/module.h"
#include "net/ogg.h"
#include "wire/wav.h"

#define FORMAT(coding, channels, rate, bits) \
	"fmt \x10\0\0\0" coding "\0" channels "\0" rate "\0\0\0\0\0\0" bits "\0"
#define HZ_16000 "\x80\x3e\0\0"
#define HZ_44100 "\x44\xac\0\0"
#define RIFF "RIFF\0\0\0\0WAVE"
#define MONO FORMAT("\1", "\1", HZ_16000, "\x10")
#define STEREO FORMAT("\1", "\2", HZ_16000, "\x10")
/* Without the NUL that C puts behind. */
#define BYTES(text) text, sizeof(text) - 1

static int read_wav(struct wav *w, const char *bytes, size_t len,
		    const char *why)
{
	struct error err = { 0 };
	int status = wav_read(w, bytes, len, &err);

	assert_int_equal(err.kind, status ? ERR_USAGE : ERR_NONE);
	if (why)
		assert_non_null(strstr(err.text, why));
	error_reset(&err);
	return status;
}

static void reads_wav(void **state)
{
	static const char odd[] =
		RIFF "LIST\3\0\0\0abc\0" MONO "data\4\0\0\0\1\2\3\4";
	static const char streamed[] =
		RIFF MONO "data\xff\xff\xff\xff\1\2\3\4\5";
	struct wav w;

	(void)state;
	assert_int_equal(read_wav(&w, BYTES(odd), NULL), 0);
	assert_int_equal(w.rate, 16000);
	assert_int_equal(w.channels, 1);
	assert_int_equal(w.frames, 2);
	assert_int_equal(w.samples[0], 1);
	assert_int_equal(read_wav(&w, BYTES(streamed), NULL), 0);
	assert_int_equal(w.frames, 2);
}

static void refuses_other_wav(void **state)
{
	struct wav w;

	(void)state;
	assert_int_equal(read_wav(&w, "", 0, "no WAV"), -1);
	assert_int_equal(read_wav(&w, BYTES(RIFF), "no 'fmt '"), -1);
	assert_int_equal(read_wav(&w, BYTES(RIFF MONO), "no 'data'"), -1);
	assert_int_equal(
		read_wav(&w, BYTES(RIFF MONO "data\0\0\0\0"), "no samples"),
		-1);
	assert_int_equal(
		read_wav(&w, BYTES(RIFF "fmt \2\0\0\0\1\0"), "2 bytes"), -1);
	assert_int_equal(
		read_wav(&w, BYTES(RIFF FORMAT("\3", "\1", HZ_16000, "\x20")),
			 "coding 3 with 32 bits"),
		-1);
	assert_int_equal(
		read_wav(&w, BYTES(RIFF FORMAT("\1", "\6", HZ_16000, "\x10")),
			 "6 channels"),
		-1);
	/* A chunk that says it is nearly 4 GB long. */
	assert_int_equal(read_wav(&w, BYTES(RIFF "LIST\xff\xff\xff\xff" MONO),
				  "no 'fmt '"),
			 -1);
}

#define EXTENSIBLE(size, coding)                                       \
	"fmt " size "\0\0\0\xfe\xff\2\0" HZ_16000 "\0\0\0\0\4\0\x10\0" \
	"\x16\0\x10\0\3\0\0\0" coding

/* Each message whole, and each border. */
static const struct wav_row {
	const char *bytes;
	size_t len;
	size_t frames, channels, from; /* from: where samples stand */
	const char *why;
} wav_rows[] = {
	{ BYTES(RIFF MONO "data\2\0\0\0\1\2"), 1, 1, 44, NULL },
	{ BYTES(RIFF MONO "data\3\0\0\0\1\2\3"), 1, 1, 44, NULL },
	{ BYTES(RIFF STEREO "data\4\0\0\0\1\2\3\4"), 1, 2, 44, NULL },
	{ BYTES(RIFF STEREO "data\x9\0\0\0\1\2\3\4\5\6\7\x8\x9"), 2, 2, 44,
	  NULL },
	{ BYTES(RIFF STEREO "data\4\0\0\0\1\2\3"), 0, 2, 0,
	  "it has no samples" },
	{ BYTES(RIFF MONO "data\1\0\0\0\1"), 0, 1, 0, "it has no samples" },
	/* A chunk without bytes, and one to the very end. */
	{ BYTES(RIFF "LIST\0\0\0\0" MONO "fact\2\0\0\0ab"
		     "data\2\0\0\0\1\2"),
	  1, 1, 62, NULL },
	{ BYTES(RIFF MONO "LIST\2\0\0\0ab"), 0, 1, 0, "it has no 'data'" },
	{ BYTES(RIFF MONO "LIST\1\0\0\0a"), 0, 1, 0, "it has no 'data'" },
	{ BYTES(RIFF MONO "LIST\1\0\0\0a\0data"), 0, 1, 0, "it has no 'data'" },
	{ BYTES(RIFF MONO "data\2\0\0"), 0, 1, 0, "it has no 'data'" },
	{ BYTES(RIFF EXTENSIBLE("\x1a", "\1\0") "data\4\0\0\0\1\2\3\4"), 1, 2,
	  54, NULL },
	{ BYTES(RIFF EXTENSIBLE("\x1a", "\3\0") "data\4\0\0\0\1\2\3\4"), 0, 2,
	  0, "it has coding 3 with 16 bits, and PCM with 16 is read" },
	{ BYTES(RIFF EXTENSIBLE("\x19", "\1\0") "data\4\0\0\0\1\2\3\4"), 0, 2,
	  0, "it has coding 65534 with 16 bits, and PCM with 16 is read" },
	{ BYTES(RIFF FORMAT("\1", "\1", HZ_16000, "\x18") "data"), 0, 1, 0,
	  "it has coding 1 with 24 bits, and PCM with 16 is read" },
	{ BYTES(RIFF FORMAT("\1", "\0", HZ_16000, "\x10") "data"), 0, 0, 0,
	  "it has 0 channels, and 1 or 2 are read" },
	{ BYTES(RIFF FORMAT("\1", "\3", HZ_16000, "\x10") "data"), 0, 3, 0,
	  "it has 3 channels, and 1 or 2 are read" },
	{ BYTES(RIFF "fmt \xf\0\0\0\1\0\1\0" HZ_16000 "\0\0\0\0\2\0\x10"), 0, 0,
	  0, "its 'fmt ' has 15 bytes, and 16 are the least" },
	{ BYTES("RIFF\0\0\0\0WAV"), 0, 0, 0, "it is no WAV file" },
	{ BYTES("RIFX\0\0\0\0WAVE"), 0, 0, 0, "it is no WAV file" },
	{ BYTES("RIFF\0\0\0\0AVI "), 0, 0, 0, "it is no WAV file" },
	{ BYTES(RIFF), 0, 0, 0, "it has no 'fmt '" },
};

static void borders_of_wav(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(wav_rows); i++) {
		const struct wav_row *row = &wav_rows[i];
		struct error err = { 0 };
		struct wav w;

		assert_int_equal(wav_read(&w, row->bytes, row->len, &err),
				 row->why ? -1 : 0);
		assert_string_equal(err.text, row->why ? row->why : "");
		assert_int_equal(w.frames, row->frames);
		assert_int_equal(w.channels, row->channels);
		if (!row->why)
			assert_ptr_equal(w.samples, row->bytes + row->from);
		error_reset(&err);
	}
}

/* A rate of all four bytes. */
static void rates_of_wav(void **state)
{
	struct error err = { 0 };
	struct wav w;

	(void)state;
	assert_int_equal(wav_read(&w,
				  BYTES(RIFF FORMAT("\1", "\1", "\1\2\3\4",
						    "\x10") "data\2\0\0\0\1\2"),
				  &err),
			 0);
	assert_int_equal(w.rate, 0x04030201);
}

/* ---- packets ---- */

static const struct ogg_table *ogg(void)
{
	const struct ogg_table *t = module_table("audio", OGG_TABLE, NULL);

	assert_non_null(t);
	return t;
}

/* A file of such packets. */
static void make(struct buf *out, const unsigned char *packet, size_t len,
		 int samples, int count)
{
	const struct ogg_head head = { .serial = 7, .rate = 16000 };
	struct ogg_writer *w = ogg()->begin(&head, out);

	while (count--)
		ogg()->add(w, packet, len, samples, out);
	ogg()->end(w, out);
}

static int take(struct speech *s, const struct buf *file, const char *why)
{
	struct error err = { 0 };
	int status = ogg()->speech(s, file->data, file->len, 60, &err);

	assert_int_equal(err.kind, status ? ERR_USAGE : ERR_NONE);
	if (why)
		assert_non_null(strstr(err.text, why));
	error_reset(&err);
	return status;
}

static const unsigned char long_[] = { 0x58, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
static const unsigned char short_[] = { 0xf8, 0xff, 0xfe };

static void passes_packets_as_they_are(void **state)
{
	CLEANUP(buf_done) struct buf file = { 0 };
	const unsigned char *packet;
	struct speech s;
	size_t at = 0, len;

	(void)state;
	make(&file, long_, sizeof(long_), 2880, 100);
	assert_int_equal(take(&s, &file, NULL), 0);
	assert_int_equal(s.origin, SPEECH_AS_IT_WAS);
	assert_int_equal(s.count, 100);
	assert_int_equal(s.holes, 0);
	for (int i = 0; i < 100; i++) {
		assert_true(speech_next(&s, &at, &packet, &len));
		assert_int_equal(len, sizeof(long_));
		assert_memory_equal(packet, long_, len);
	}
	assert_false(speech_next(&s, &at, &packet, &len));
	speech_done(&s);
}

static void joins_short_ones(void **state)
{
	/* Three frames of one length, CBR; then one, and two without bytes. */
	static const unsigned char three[] = { 0xfb, 3,	   0xff, 0xfe,
					       0xff, 0xfe, 0xff, 0xfe };
	CLEANUP(buf_done) struct buf file = { 0 };
	const unsigned char *packet;
	struct speech s;
	size_t at = 0, len;

	(void)state;
	make(&file, short_, sizeof(short_), 960, 4);
	assert_int_equal(take(&s, &file, NULL), 0);
	assert_int_equal(s.origin, SPEECH_JOINED);
	assert_int_equal(s.count, 2);
	assert_true(speech_next(&s, &at, &packet, &len));
	assert_int_equal(len, sizeof(three));
	assert_memory_equal(packet, three, len);
	assert_true(speech_next(&s, &at, &packet, &len));
	assert_int_equal(packet[0] & 0xfc, 0xf8);
	speech_done(&s);
}

/* As encoders end a file: the last one is filled. */
static void fills_the_last(void **state)
{
	/* 60 ms in three frames of 20; 40 ms in two. */
	static const unsigned char full[] = { 0x7b, 3, 1, 2, 3 };
	static const unsigned char rest[] = { 0x79, 4, 5 };
	const struct ogg_head head = { .serial = 7, .rate = 16000 };
	CLEANUP(buf_done) struct buf file = { 0 };
	struct ogg_writer *w = ogg()->begin(&head, &file);
	const unsigned char *packet;
	struct opus_facts facts;
	struct speech s;
	size_t at = 0, len;

	(void)state;
	ogg()->add(w, full, sizeof(full), 2880, &file);
	ogg()->add(w, rest, sizeof(rest), 1920, &file);
	ogg()->end(w, &file);
	assert_int_equal(take(&s, &file, NULL), 0);
	assert_int_equal(s.origin, SPEECH_AS_IT_WAS);
	assert_int_equal(s.count, 2);
	assert_true(speech_next(&s, &at, &packet, &len));
	assert_memory_equal(packet, full, sizeof(full));
	assert_true(speech_next(&s, &at, &packet, &len));
	assert_true(ogg()->packet(&facts, packet, len));
	assert_int_equal(facts.samples, 2880);
	speech_done(&s);
}

static void encodes_the_rest(void **state)
{
	/* 40 ms. */
	static const unsigned char forty[] = { 0x50, 1, 2, 3, 4, 5 };
	CLEANUP(buf_done) struct buf file = { 0 }, wav = { 0 };
	const unsigned char *packet;
	struct opus_facts facts;
	struct speech s;
	size_t at = 0, len;

	(void)state;
	make(&file, forty, sizeof(forty), 1920, 3);
	assert_int_equal(take(&s, &file, NULL), 0);
	assert_int_equal(s.origin, SPEECH_ENCODED);
	assert_int_equal(s.count, 2);
	while (speech_next(&s, &at, &packet, &len)) {
		assert_true(ogg()->packet(&facts, packet, len));
		assert_int_equal(facts.samples, 2880);
	}
	speech_done(&s);
	buf_add(&wav, BYTES(RIFF MONO "data\xff\xff\xff\xff"));
	for (int i = 0; i < 2 * 961; i++)
		buf_char(&wav, (char)i);
	assert_int_equal(take(&s, &wav, NULL), 0);
	assert_int_equal(s.count, 2);
	speech_done(&s);
}

/* The sound of a WAV whose channels have that each, as packets. */
static void encode(struct speech *s, const char *format, size_t len,
		   const short *each, size_t channels)
{
	CLEANUP(buf_done) struct buf wav = { 0 };

	buf_add(&wav, format, len);
	for (int i = 0; i < 16000; i++) {
		for (size_t c = 0; c < channels; c++) {
			/* A tone of 1 kHz. */
			int v = i % 16 < 8 ? each[c] : -each[c];

			buf_char(&wav, (char)v);
			buf_char(&wav, (char)(v >> 8));
		}
	}
	assert_int_equal(take(s, &wav, NULL), 0);
}

static void mixes_channels(void **state)
{
	static const short loud[] = { 8000, 8000 }, against[] = { 8000, -8000 };
	static const short none[] = { 0 };
	struct speech mono, both, apart, silence;

	(void)state;
	encode(&mono, BYTES(RIFF MONO "data\xff\xff\xff\xff"), loud, 1);
	encode(&both, BYTES(RIFF STEREO "data\xff\xff\xff\xff"), loud, 2);
	encode(&apart, BYTES(RIFF STEREO "data\xff\xff\xff\xff"), against, 2);
	encode(&silence, BYTES(RIFF MONO "data\xff\xff\xff\xff"), none, 1);
	assert_int_equal(mono.bytes.len, both.bytes.len);
	assert_memory_equal(mono.bytes.data, both.bytes.data, mono.bytes.len);
	assert_int_equal(apart.bytes.len, silence.bytes.len);
	assert_true(mono.bytes.len > 2 * silence.bytes.len);
	speech_done(&mono);
	speech_done(&both);
	speech_done(&apart);
	speech_done(&silence);
}

static void refuses_what_is_none(void **state)
{
	CLEANUP(buf_done) struct buf file = { 0 }, cut = { 0 }, wav = { 0 };
	struct speech s;

	(void)state;
	assert_int_equal(take(&s, &file, "neither Ogg Opus nor WAV"), -1);
	buf_text(&cut, "OggS and nothing else");
	assert_int_equal(take(&s, &cut, "no Opus in it"), -1);
	make(&file, (const unsigned char *)"\xfb", 1, 960, 2);
	assert_int_equal(take(&s, &file, "packet 1 of sound is no Opus"), -1);
	/* Only its head: the pages behind that are not there. */
	buf_reset(&cut);
	buf_add(&cut, file.data, 47);
	assert_int_equal(take(&s, &cut, "no sound in it"), -1);
	buf_reset(&file);
	make(&file, long_, sizeof(long_), 2880, 10001);
	assert_int_equal(take(&s, &file, "longer than 10 minutes"), -1);
	buf_add(&wav, BYTES(RIFF FORMAT("\1", "\1", HZ_44100,
					"\x10") "data\4\0\0\0\0\0\0\0"));
	assert_int_equal(take(&s, &wav, "44100 Hz"), -1);
}

/* A page whose sum is wrong is missing: told, and the rest is there. */
#define HZ_8000 "\x40\x1f\0\0"

/* Ten minutes are the most, and not a sample more. */
static void takes_ten_minutes_of_wav(void **state)
{
	CLEANUP(buf_done) struct buf wav = { 0 };
	const size_t most = 600 * 8000 * 2;
	struct speech s;

	(void)state;
	buf_add(&wav, BYTES(RIFF FORMAT("\1", "\1", HZ_8000,
					"\x10") "data\xff\xff\xff\xff"));
	for (size_t i = 0; i < most; i++)
		buf_char(&wav, '\0');
	assert_int_equal(take(&s, &wav, NULL), 0);
	assert_int_equal(s.count, 10000);
	speech_done(&s);
	buf_add(&wav, "\0", 2);
	assert_int_equal(take(&s, &wav, "it is longer than 10 minutes"), -1);
	assert_int_equal(s.count, 0);
}

static void counts_holes(void **state)
{
	CLEANUP(buf_done) struct buf file = { 0 };
	struct speech s;

	(void)state;
	make(&file, long_, sizeof(long_), 2880, 60);
	file.data[file.len / 2] ^= 1;
	assert_int_equal(take(&s, &file, NULL), 0);
	assert_true(s.holes > 0);
	assert_in_range(s.count, 20, 59);
	speech_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_wav),
		cmocka_unit_test(refuses_other_wav),
		cmocka_unit_test(borders_of_wav),
		cmocka_unit_test(rates_of_wav),
		cmocka_unit_test(passes_packets_as_they_are),
		cmocka_unit_test(joins_short_ones),
		cmocka_unit_test(fills_the_last),
		cmocka_unit_test(encodes_the_rest),
		cmocka_unit_test(mixes_channels),
		cmocka_unit_test(refuses_what_is_none),
		cmocka_unit_test(takes_ten_minutes_of_wav),
		cmocka_unit_test(counts_holes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
