/* SPDX-License-Identifier: MIT */
/*
 * net/ogg and net/voice: what boards say, as files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "folder.h"
#include "net/ogg.h"
#include "net/voice.h"

/* 20 ms of silence; three frames of 20 ms; ten bytes of 60 ms. */
static const unsigned char silence[] = { 0xf8, 0xff, 0xfe };
static const unsigned char three[] = { 0xfb, 0x03, 0xff, 0xfe,
				       0xff, 0xfe, 0xff, 0xfe };
static const unsigned char speech[] = { 0x58, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

/* ---- the bytes of a file ---- */

#define HEX_HEAD                                                   \
	"4f676753000200000000000000000403020100000000da616e390113" \
	"4f7075734865616401013801803e0000000000"
#define HEX_TAGS                                                   \
	"4f6767530000000000000000000004030201010000008cfae069011c" \
	"4f707573546167730c0000006d637063746c20302e312e3000000000"
#define HEX_LAST                                                     \
	"4f6767530004800700000000000004030201020000004f603c7c020303" \
	"f8fffef8fffe"

static const struct ogg_table *ogg(void)
{
	const struct ogg_table *t = module_table("audio", OGG_TABLE, NULL);

	assert_non_null(t);
	assert_int_equal(t->size, sizeof(*t));
	return t;
}

static char *hex_of(const struct buf *b)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < b->len; i++)
		buf_printf(&out, "%02x", (unsigned char)b->data[i]);
	return buf_take(&out);
}

static void writes_every_byte(void **state)
{
	const struct ogg_head head = {
		.serial = 0x01020304, .rate = 16000, .channels = 1, .skip = 312
	};
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(mem_free_ptr) char *hex = NULL;
	struct ogg_writer *w = ogg()->begin(&head, &out);

	(void)state;
	assert_int_equal(out.len, sizeof(HEX_HEAD HEX_TAGS) / 2);
	ogg()->add(w, silence, sizeof(silence), 960, &out);
	ogg()->add(w, silence, sizeof(silence), 960, &out);
	ogg()->end(w, &out);
	hex = hex_of(&out);
	assert_string_equal(hex, HEX_HEAD HEX_TAGS HEX_LAST);
}

static void writes_a_page_a_second(void **state)
{
	const struct ogg_head head = { .serial = 1, .rate = 16000 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct ogg_writer *w = ogg()->begin(&head, &out);
	size_t began = out.len;

	(void)state;
	for (int i = 0; i < 50; i++)
		ogg()->add(w, silence, sizeof(silence), 960, &out);
	assert_int_equal(out.len, began);
	ogg()->add(w, silence, sizeof(silence), 960, &out);
	assert_int_equal(out.len, began + 27 + 50 + 150);
	ogg()->end(w, &out);
	assert_int_equal(out.len, began + 27 + 50 + 150 + 27 + 1 + 3);
}

static void knows_packets(void **state)
{
	static const unsigned char odd[] = { 0xf9, 1, 2, 3, 4 };
	static const unsigned char long_[] = { 0x1b, 0x03, 1, 2, 3 };
	CLEANUP(buf_done) struct buf huge = { 0 };
	struct opus_facts f;

	(void)state;
	assert_true(ogg()->packet(&f, silence, sizeof(silence)));
	assert_int_equal(f.samples, 960);
	assert_int_equal(f.frames, 1);
	assert_true(ogg()->packet(&f, three, sizeof(three)));
	assert_int_equal(f.samples, 2880);
	assert_int_equal(f.frames, 3);
	assert_true(ogg()->packet(&f, speech, sizeof(speech)));
	assert_int_equal(f.samples, 2880);
	assert_true(ogg()->packet(&f, "\x58", 1));
	assert_false(ogg()->packet(&f, "", 0));
	/* Two frames of one length in an odd number of bytes; 180 ms. */
	assert_true(ogg()->packet(&f, odd, sizeof(odd)));
	assert_false(ogg()->packet(&f, odd, sizeof(odd) - 1));
	assert_false(ogg()->packet(&f, long_, sizeof(long_)));
	for (int i = 0; i < 1277; i++)
		buf_char(&huge, '\x58');
	assert_false(ogg()->packet(&f, huge.data, huge.len));
	assert_true(ogg()->packet(&f, huge.data, 1276));
}

/* ---- utterances ---- */

struct desk {
	char *path;
	struct budget *budget;
	struct voices voices;
	struct voice *voice;
	unsigned told;
	struct voice_news last;
	char *text, *file;
};

static void on_told(void *owner, const struct voice_news *n)
{
	struct desk *d = owner;

	d->told++;
	d->last = *n;
	mem_free(d->text);
	mem_free(d->file);
	d->text = mem_strdup(n->text);
	d->file = n->file ? mem_strdup(n->file) : NULL;
}

static int plenty(const char *where, struct disk_space *out)
{
	(void)where;
	*out = (struct disk_space){ UINT64_C(1) << 40, UINT64_C(1) << 39 };
	return 0;
}

static int begin(void **state)
{
	static unsigned number;
	struct desk *d = mem_zalloc(sizeof(*d));

	d->path = mem_printf("%s/%u", folder, number++);
	d->budget = budget_new();
	assert_int_equal(voices_open(&d->voices, d->path, d->budget, NULL), 0);
	d->voices.space = plenty;
	d->voice = voice_new(&d->voices, "02:00/../x", on_told, d);
	*state = d;
	return 0;
}

static int end(void **state)
{
	struct desk *d = *state;

	voice_free(d->voice);
	budget_free(d->budget);
	mem_free(d->path);
	mem_free(d->text);
	mem_free(d->file);
	mem_free(d);
	return 0;
}

static void say(struct desk *d, const char *text)
{
	voice_text(d->voice, true, text, strlen(text));
}

#define START "{\"type\":\"listen\",\"state\":\"start\",\"mode\":\"auto\"}"
#define REALTIME \
	"{\"type\":\"listen\",\"state\":\"start\",\"mode\":\"realtime\"}"
#define STOP "{\"type\":\"listen\",\"state\":\"stop\"}"

static void packets(struct desk *d, int count)
{
	while (count--)
		voice_packet(d->voice, speech, sizeof(speech), 0);
}

static void read_back(const struct desk *d, struct buf *out)
{
	assert_non_null(d->file);
	assert_int_equal(file_read(out, "audio", d->file, NULL), 0);
}

/* The last page is marked, and its granule position is that. */
static void ends_at(const struct desk *d, uint64_t samples)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	uint64_t at = 0;
	size_t page = 0;

	read_back(d, &b);
	for (size_t i = 0; i + 27 <= b.len; i++) {
		if (memcmp(b.data + i, "OggS", 4) == 0)
			page = i;
	}
	assert_in_range(page, 1, b.len);
	assert_int_equal(b.data[page + 5], 4);
	for (size_t i = 0; i < 8; i++)
		at |= (uint64_t)(unsigned char)b.data[page + 6 + i] << 8 * i;
	assert_int_equal(at, samples);
}

static void keeps_an_utterance(void **state)
{
	struct desk *d = *state;
	struct stat info;

	/* Of the wake word, before it begins. */
	packets(d, 2);
	say(d, "{\"type\":\"listen\",\"state\":\"detect\",\"text\":\"x\"}");
	say(d, START);
	packets(d, 3);
	assert_int_equal(d->told, 0);
	say(d, STOP);
	assert_int_equal(d->told, 1);
	assert_int_equal(d->last.event, VOICE_SAVED);
	assert_int_equal(d->last.packets, 5);
	assert_int_equal(d->last.milliseconds, 300);
	assert_non_null(strstr(d->file, "-000-02-00----x.opus"));
	assert_non_null(strstr(d->text, ": 300 ms, 5 packets"));
	assert_int_equal(stat(d->file, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	ends_at(d, 5 * 2880);
	/* What was on its way belongs to none. */
	packets(d, 2);
	say(d, START);
	packets(d, 1);
	say(d, "{\"type\":\"abort\"}");
	assert_int_equal(d->told, 2);
	assert_int_equal(d->last.packets, 1);
	assert_int_equal(d->last.strayed, 2);
}

static void knows_where_it_ends(void **state)
{
	static const char tts[] = "{\"type\":\"tts\",\"state\":\"start\"}";
	struct desk *d = *state;

	say(d, START);
	packets(d, 1);
	say(d, START);
	assert_int_equal(d->told, 1);
	packets(d, 1);
	voice_text(d->voice, false, tts, strlen(tts));
	assert_int_equal(d->told, 2);
	say(d, REALTIME);
	packets(d, 1);
	voice_text(d->voice, false, tts, strlen(tts));
	packets(d, 1);
	assert_int_equal(d->told, 2);
	say(d, "{\"type\":\"goodbye\"}");
	assert_int_equal(d->told, 3);
	assert_int_equal(d->last.packets, 2);
	/* Who says nothing is told of by nothing. */
	say(d, START);
	say(d, STOP);
	voice_end(d->voice);
	assert_int_equal(d->told, 3);
	/* No JSON, and long. */
	say(d, "\"listen\" {");
	say(d, START);
	packets(d, 1);
	voice_free(TAKE(d->voice));
	assert_int_equal(d->told, 4);
	ends_at(d, 2880);
}

/* A button that was pressed by mistake: its utterance is over all the same. */
static void ends_without_a_packet(void **state)
{
	static const char *const ends[] = { STOP, "{\"type\":\"abort\"}",
					    "{\"type\":\"goodbye\"}" };
	struct desk *d = *state;

	for (unsigned i = 0; i < COUNT(ends); i++) {
		say(d, START);
		say(d, ends[i]);
		/* What was on its way belongs to none. */
		packets(d, 2);
		assert_int_equal(d->told, i);
		say(d, START);
		packets(d, 1);
		say(d, STOP);
		assert_int_equal(d->told, i + 1);
		assert_int_equal(d->last.packets, 1);
		assert_int_equal(d->last.strayed, 2);
	}
}

static void fills_gaps(void **state)
{
	struct desk *d = *state;

	say(d, START);
	packets(d, 1);
	voice_packet(d->voice, speech, sizeof(speech), 2);
	voice_packet(d->voice, three, sizeof(three), 0);
	voice_packet(d->voice, three, sizeof(three), 1);
	say(d, STOP);
	assert_int_equal(d->last.packets, 4);
	assert_int_equal(d->last.gaps, 2);
	assert_int_equal(d->last.lost, 3);
	ends_at(d, 7 * 2880);
	/* A number that jumps makes no endless file: 5 s and no more. */
	say(d, START);
	packets(d, 1);
	voice_packet(d->voice, speech, sizeof(speech), UINT32_MAX);
	say(d, STOP);
	assert_int_equal(d->last.lost, UINT32_MAX);
	ends_at(d, 2 * 2880 + 84 * 2880);
}

static void leaves_out_what_is_no_opus(void **state)
{
	struct desk *d = *state;

	say(d, START);
	voice_packet(d->voice, "", 0, 0);
	voice_frame(d->voice, 2, "\0\2", 2);
	voice_frame(d->voice, 3, "\1\0\0\1\x58", 5);
	say(d, STOP);
	assert_int_equal(d->told, 1);
	assert_int_equal(d->last.event, VOICE_LOST);
	assert_int_equal(d->last.left_out, 3);
	assert_null(d->file);
	say(d, START);
	voice_frame(d->voice, 3, "\0\0\0\1\x58", 5);
	voice_frame(d->voice, 3, "\0\0\0\2\x58", 5);
	say(d, STOP);
	assert_int_equal(d->last.event, VOICE_SAVED);
	assert_int_equal(d->last.packets, 1);
	assert_int_equal(d->last.left_out, 1);
}

static void told_as(const struct desk *d, const char *words, const char *json)
{
	CLEANUP(buf_done) struct buf members = { 0 };
	struct voice_news n = d->last;
	CLEANUP(mem_free_ptr)
	char *text = d->file ?
			     mem_printf("what it said was saved as %s: %s",
					d->file, words) :
			     mem_printf("what it said was not saved%s", words);

	assert_string_equal(d->text, text);
	n.file = NULL;
	voice_members(&members, &n);
	assert_string_equal(buf_string(&members), json);
}

/* Each count in words, of one and of several. */
static void tells_each_count(void **state)
{
	struct desk *d = *state;

	say(d, START);
	packets(d, 1);
	say(d, STOP);
	told_as(d, "60 ms, 1 packet",
		"\"file\":null,\"ms\":60,\"packets\":1,\"gaps\":0,\"lost\":0,\"left_out\":0");
	packets(d, 1);
	say(d, START);
	packets(d, 1);
	voice_packet(d->voice, speech, sizeof(speech), 1);
	voice_packet(d->voice, "", 0, 0);
	say(d, STOP);
	told_as(d,
		"180 ms, 2 packets, 1 gap, 1 packet lost there, 1 packet left out that is no Opus, 1 packet left out that came behind an utterance",
		"\"file\":null,\"ms\":180,\"packets\":2,\"gaps\":1,\"lost\":1,\"left_out\":1");
	packets(d, 2);
	say(d, START);
	packets(d, 1);
	voice_packet(d->voice, speech, sizeof(speech), 1);
	voice_packet(d->voice, speech, sizeof(speech), 2);
	voice_packet(d->voice, "", 0, 0);
	voice_packet(d->voice, "", 0, 0);
	say(d, STOP);
	told_as(d,
		"360 ms, 3 packets, 2 gaps, 3 packets lost there, 2 packets left out that are no Opus, 2 packets left out that came behind an utterance",
		"\"file\":null,\"ms\":360,\"packets\":3,\"gaps\":2,\"lost\":3,\"left_out\":2");
	say(d, START);
	voice_packet(d->voice, "", 0, 0);
	say(d, STOP);
	told_as(d, ", 1 packet left out that is no Opus",
		"\"file\":null,\"ms\":0,\"packets\":0,\"gaps\":0,\"lost\":0,\"left_out\":1");
}

/* What is lost in front of the first is before the file begins. */
static void begins_without_a_gap(void **state)
{
	struct desk *d = *state;

	say(d, START);
	voice_packet(d->voice, speech, sizeof(speech), 7);
	say(d, STOP);
	assert_int_equal(d->last.gaps, 0);
	assert_int_equal(d->last.lost, 0);
	ends_at(d, 2880);
}

/* Rate and channels stand in the head of the file, as the hello told them. */
static void writes_what_the_hello_told(void **state)
{
	static const struct {
		const char *audio;
		unsigned rate, channels;
	} rows[] = {
		{ "\"sample_rate\":48000,\"channels\":2", 48000, 2 },
		{ "\"sample_rate\":0,\"channels\":1", 48000, 1 },
		{ "\"sample_rate\":4294967296,\"channels\":3", 48000, 1 },
		{ "\"sample_rate\":4294967295", 4294967295, 1 },
		{ "\"sample_rate\":-1,\"channels\":2", 4294967295, 2 },
	};
	struct desk *d = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *hello =
			mem_printf("{\"type\":\"hello\",\"audio_params\":{%s}}",
				   rows[i].audio);
		CLEANUP(buf_done) struct buf b = { 0 };
		const unsigned char *at;

		say(d, hello);
		say(d, START);
		packets(d, 1);
		say(d, STOP);
		read_back(d, &b);
		at = memmem(b.data, b.len, "OpusHead", 8);
		assert_non_null(at);
		assert_int_equal(at[9], rows[i].channels);
		assert_int_equal((unsigned)at[12] | (unsigned)at[13] << 8 |
					 (unsigned)at[14] << 16 |
					 (unsigned)at[15] << 24,
				 rows[i].rate);
	}
}

static int nearly_full(const char *where, struct disk_space *out)
{
	(void)where;
	*out = (struct disk_space){ 1000, 100 };
	return 0;
}

static void leaves_the_disk_alone(void **state)
{
	struct desk *d = *state;

	d->voices.space = nearly_full;
	say(d, START);
	packets(d, 3);
	say(d, STOP);
	assert_int_equal(d->last.event, VOICE_LOST);
	assert_null(d->file);
	assert_non_null(strstr(d->text, "stay free"));
	assert_non_null(d->last.hint);
	/* It becomes full while somebody speaks: what is there can be played. */
	d->voices.space = plenty;
	say(d, START);
	packets(d, 20);
	d->voices.space = nearly_full;
	packets(d, 20);
	say(d, STOP);
	assert_int_equal(d->last.event, VOICE_LOST);
	assert_non_null(d->file);
	assert_non_null(strstr(d->text, "; not all of it: "));
}

static void gives_each_board_its_part(void **state)
{
	struct desk *d = *state;

	budget_set(d->budget, BUDGET_HEARD, 200000);
	for (int i = 0; i < 3; i++) {
		say(d, START);
		packets(d, 1);
		say(d, STOP);
	}
	assert_int_equal(d->told, 3);
	assert_int_equal(d->last.event, VOICE_LOST);
	assert_non_null(strstr(d->text, "within a minute"));
}

/* Somebody put a file, or a link, where the next name is: it stays. */
static void takes_no_others_place(void **state)
{
	struct desk *d = *state;
	unsigned number = 0;
	CLEANUP(mem_free_ptr)
	char *first = keep_name(d->path, &number, "02:00/../x", "opus");
	FILE *f = fopen(first, "w");

	assert_non_null(f);
	fputs("mine", f);
	fclose(f);
	say(d, START);
	packets(d, 1);
	say(d, STOP);
	assert_int_equal(d->last.event, VOICE_SAVED);
	assert_string_not_equal(d->file, first);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_every_byte),
		cmocka_unit_test(writes_a_page_a_second),
		cmocka_unit_test(knows_packets),
		ONE(keeps_an_utterance),
		ONE(knows_where_it_ends),
		ONE(ends_without_a_packet),
		ONE(fills_gaps),
		ONE(leaves_out_what_is_no_opus),
		ONE(tells_each_count),
		ONE(begins_without_a_gap),
		ONE(writes_what_the_hello_told),
		ONE(leaves_the_disk_alone),
		ONE(gives_each_board_its_part),
		ONE(takes_no_others_place),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
