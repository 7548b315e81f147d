/* SPDX-License-Identifier: MIT */
/* Utterances, from packets to files. */
#include "net/voice.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/random.h"
#include "base/text.h"
#include "net/ogg.h"
#include "wire/audio.h"

/* What a file costs by itself: so nobody makes very many. */
#define FILE_COST 65536
/* Within a minute, of all boards: 700 that speak all the time. */
#define HEARD_A_MINUTE (UINT64_C(128) << 20)
#define LONGEST (INT64_C(3600) * OPUS_RATE) /* of a file; then comes another */
#define PACKET_MAX 65535 /* bytes; a larger one is no sound */
#define TAIL_MS 1000 /* on its way when the utterance ended */
#define WAKE_MS 3000 /* between a wake word and its utterance */
#define FILL_MAX (INT64_C(5) * OPUS_RATE) /* samples of a gap */
#define TEXT_MAX 4096 /* of a message that is looked at */
#define RATE 16000 /* of what boards record, where none is told */
/* What the encoder of libopus, which boards have, needs until it sounds. */
#define SKIP 312
#define MEGABYTE 1e6

struct voice {
	struct voices *of;
	voice_told *told;
	void *owner;
	char *device;
	uint32_t rate;
	unsigned channels;
	bool realtime; /* the mode of the last listen start */
	bool begun; /* listen start came */
	int64_t ended; /* loop_now() when an utterance ended; 0: none did */
	int64_t last; /* of the last packet */

	/* of this utterance */
	char *file; /* NULL: there is none (yet) */
	off_t size; /* whole pages */
	struct ogg_writer *writer;
	struct opus_facts shape; /* of the last packet */
	int64_t samples;
	char *why; /* no more of it is kept; NULL */
	const char *hint;
	struct voice_news counts;
};

int voices_open(struct voices *vs, const char *folder, struct budget *b,
		struct error *err)
{
	*vs = (struct voices){ .folder = folder,
			       .budget = b,
			       .space = disk_space };
	if (keep_folder("--save-audio", folder, 0700, err))
		return -1;
	vs->ogg = module_sized("audio", OGG_TABLE, sizeof(*vs->ogg), err);
	if (!vs->ogg)
		return -1;
	budget_set(b, BUDGET_HEARD, HEARD_A_MINUTE);
	return 0;
}

struct voice *voice_new(struct voices *vs, const char *device, voice_told *told,
			void *owner)
{
	struct voice *v = mem_zalloc(sizeof(*v));

	v->of = vs;
	v->told = told;
	v->owner = owner;
	v->device = mem_strdup(device && *device ? device : "board");
	v->rate = RATE;
	v->channels = 1;
	return v;
}

/* ---- the file ---- */

static void no_more(struct voice *v, char *why, const char *hint)
{
	mem_free(v->why);
	v->why = why;
	v->hint = hint;
}

/* If it cannot be known, writing will tell. */
static bool has_space(struct voice *v, size_t len)
{
	const struct voices *vs = v->of;
	struct disk_space space;
	const int unknown = vs->space(vs->folder, &space);
	const uint64_t reserve = unknown ? 0 : disk_reserve(&space);

	if (unknown || (space.left >= reserve && space.left - reserve >= len))
		return true;
	no_more(v,
		mem_printf(
			"%.1f MB are free where '%s' is, and %.1f MB stay free",
			(double)space.left / MEGABYTE, vs->folder,
			(double)reserve / MEGABYTE),
		"make room there");
	return false;
}

static bool has_room(struct voice *v, size_t len)
{
	if (!has_space(v, len))
		return false;
	if (budget_spend(v->of->budget, budget_key_name(v->device),
			 BUDGET_HEARD, len))
		return true;
	no_more(v,
		mem_strdup(
			"within a minute boards sent more audio than is kept"),
		"in sum 128 MB, and one board three times what is left for the others");
	return false;
}

/* errno, or 0. */
static int append(struct voice *v, const struct buf *pages)
{
	int fd = open(v->file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC), error;

	if (fd < 0)
		return errno;
	error = lseek(fd, v->size, SEEK_SET) < 0 ||
				file_write(fd, pages->data, pages->len) ?
			errno :
			0;
	/* What can be played ends with a whole page. */
	if (error && ftruncate(fd, v->size))
		error = errno;
	if (close(fd) && !error)
		error = errno;
	if (!error)
		v->size += (off_t)pages->len;
	return error;
}

static void put(struct voice *v, const struct buf *pages)
{
	int error;

	if (!pages->len || !v->file || v->why || !has_room(v, pages->len))
		return;
	error = append(v, pages);
	if (error)
		no_more(v, mem_printf("'%.300s': %s", v->file, strerror(error)),
			"see to the folder of --save-audio");
}

static int create(struct voice *v)
{
	int fd, tried = 0;

	do {
		mem_free(v->file);
		v->file = keep_name(v->of->folder, &v->of->number, v->device,
				    "opus");
		fd = open(v->file,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0600);
	} while (fd < 0 && errno == EEXIST && ++tried < 1000);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? errno : 0;
}

static void begin_file(struct voice *v)
{
	struct ogg_head head = { .rate = v->rate,
				 .channels = v->channels,
				 .skip = SKIP };
	CLEANUP(buf_done) struct buf pages = { 0 };
	int error;

	if (!has_room(v, FILE_COST))
		return;
	error = create(v);
	if (error) {
		no_more(v, mem_printf("'%.300s': %s", v->file, strerror(error)),
			"see to the folder of --save-audio");
		mem_free(TAKE(v->file));
		return;
	}
	random_bytes(&head.serial, sizeof(head.serial));
	v->writer = v->of->ogg->begin(&head, &pages);
	put(v, &pages);
}

/* ---- what is told ---- */

static void add_some(struct buf *out, uint64_t n, const char *one,
		     const char *many)
{
	if (n)
		buf_printf(out, ", %" PRIu64 " %s", n, n == 1 ? one : many);
}

static void add_file(struct buf *out, const struct voice_news *n)
{
	char time[32];

	buf_printf(
		out, "what it said was saved as %s: %s, %" PRIu64 " packet%s",
		n->file, text_milliseconds(n->milliseconds, time, sizeof(time)),
		n->packets, n->packets == 1 ? "" : "s");
}

static void describe(struct buf *out, const struct voice *v,
		     const struct voice_news *n)
{
	if (n->file)
		add_file(out, n);
	else
		buf_text(out, "what it said was not saved");
	add_some(out, n->gaps, "gap", "gaps");
	add_some(out, n->lost, "packet lost there", "packets lost there");
	add_some(out, n->left_out, "packet left out that is no Opus",
		 "packets left out that are no Opus");
	add_some(out, n->strayed,
		 "packet left out that came behind an utterance",
		 "packets left out that came behind an utterance");
	if (v->why)
		buf_printf(out, "%s%s", n->file ? "; not all of it: " : ": ",
			   v->why);
}

static void tell(struct voice *v)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct voice_news *n = &v->counts;

	n->event = v->why || !v->file ? VOICE_LOST : VOICE_SAVED;
	n->file = v->file;
	n->hint = v->hint;
	n->milliseconds = v->samples / (OPUS_RATE / 1000);
	describe(&text, v, n);
	n->text = buf_string(&text);
	v->told(v->owner, n);
}

/* The counts of what strayed go on to the next one. */
static void forget(struct voice *v)
{
	mem_free(TAKE(v->file));
	mem_free(TAKE(v->why));
	v->hint = NULL;
	v->size = 0;
	v->samples = 0;
	v->begun = false;
	v->counts = (struct voice_news){ 0 };
}

void voice_end(struct voice *v)
{
	CLEANUP(buf_done) struct buf pages = { 0 };

	if (!v)
		return;
	if (!v->counts.packets && !v->counts.left_out) {
		if (v->begun)
			v->ended = loop_now();
		v->begun = false;
		return;
	}
	v->ended = loop_now();
	if (v->writer) {
		v->of->ogg->end(TAKE(v->writer), &pages);
		put(v, &pages);
	}
	tell(v);
	forget(v);
}

void voice_free(struct voice *v)
{
	voice_end(v);
	if (!v)
		return;
	mem_free(v->device);
	mem_free(v);
}

void voice_members(struct buf *out, const struct voice_news *n)
{
	buf_text(out, "\"file\":");
	if (n->file)
		buf_json_string(out, n->file, strlen(n->file));
	else
		buf_text(out, "null");
	buf_printf(out,
		   ",\"ms\":%" PRId64 ",\"packets\":%" PRIu64
		   ",\"gaps\":%" PRIu64 ",\"lost\":%" PRIu64
		   ",\"left_out\":%" PRIu64,
		   n->milliseconds, n->packets, n->gaps, n->lost, n->left_out);
}

/* ---- what is said about it ---- */

static void take_hello(struct voice *v, const cJSON *hello)
{
	const cJSON *audio = json_object(hello, "audio_params");
	int64_t rate, channels;

	if (json_integer(audio, "sample_rate", &rate) == 0 && rate > 0 &&
	    rate <= UINT32_MAX)
		v->rate = (uint32_t)rate;
	if (json_integer(audio, "channels", &channels) == 0)
		v->channels = channels == 2 ? 2 : 1;
	voice_end(v);
}

static void take_listen(struct voice *v, const cJSON *listen)
{
	const char *state = json_string(listen, "state");

	if (text_same(state, "stop"))
		voice_end(v);
	if (!text_same(state, "start"))
		return;
	v->realtime = text_same(json_string(listen, "mode"), "realtime");
	/* In auto mode nothing else tells that the last one is over. */
	if (v->begun || loop_now() - v->last > WAKE_MS)
		voice_end(v);
	v->begun = true;
	v->ended = 0;
}

static void take_message(struct voice *v, bool from_board, const cJSON *json)
{
	const char *type = json_string(json, "type");

	if (!from_board) {
		if (text_same(type, "tts") && !v->realtime &&
		    text_same(json_string(json, "state"), "start"))
			voice_end(v);
		return;
	}
	if (text_same(type, "hello"))
		take_hello(v, json);
	else if (text_same(type, "listen"))
		take_listen(v, json);
	else if (text_same(type, "abort") || text_same(type, "goodbye"))
		voice_end(v);
}

void voice_text(struct voice *v, bool from_board, const char *text, size_t len)
{
	static const char *const words[] = { "\"listen\"",  "\"abort\"",
					     "\"goodbye\"", "\"hello\"",
					     "\"tts\"",	    NULL };
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse_with(text, len, TEXT_MAX, words);

	if (json)
		take_message(v, from_board, json);
}

/* ---- packets ---- */

static void write_packet(struct voice *v, const void *data, size_t len,
			 int samples)
{
	CLEANUP(buf_done) struct buf pages = { 0 };

	v->samples += samples;
	v->of->ogg->add(v->writer, data, len, samples, &pages);
	put(v, &pages);
}

/*
 * As long as the last one, and without sound: its frames are empty (RFC 7845,
 * 4.1; RFC 6716, 3.2).
 */
static void fill_gap(struct voice *v, uint64_t missing)
{
	const struct opus_facts *s = &v->shape;
	int code = s->frames == 1 ? 0 : s->frames == 2 ? 1 : 3;
	const unsigned char empty[] = { (unsigned char)((s->toc & 0xFC) | code),
					(unsigned char)s->frames };
	size_t len = code == 3 ? 2 : 1;

	if (!s->samples || !v->writer)
		return;
	for (int64_t filled = 0; missing && filled < FILL_MAX; missing--) {
		write_packet(v, empty, len, s->samples);
		filled += s->samples;
	}
}

/* It goes on in another file. */
static void cut(struct voice *v)
{
	const bool begun = v->begun;

	voice_end(v);
	v->begun = begun;
	v->ended = 0;
}

static bool is_tail(const struct voice *v)
{
	return v->ended && !v->begun && loop_now() - v->ended < TAIL_MS;
}

void voice_packet(struct voice *v, const void *data, size_t len,
		  uint64_t missing)
{
	struct opus_facts facts;

	if (is_tail(v)) {
		v->counts.strayed++;
		return;
	}
	v->last = loop_now();
	if (len > PACKET_MAX || !v->of->ogg->packet(&facts, data, len)) {
		v->counts.left_out++;
		return;
	}
	if (v->samples >= LONGEST)
		cut(v);
	if (!v->writer && !v->why)
		begin_file(v);
	if (missing && v->counts.packets) {
		v->counts.gaps++;
		v->counts.lost += missing;
		fill_gap(v, missing);
	}
	v->counts.packets++;
	v->shape = facts;
	if (v->writer)
		write_packet(v, data, len, facts.samples);
}

void voice_frame(struct voice *v, int version, const void *data, size_t len)
{
	struct audio_frame frame;

	if (audio_decode(&frame, version, data, len, NULL) || frame.type != 0)
		v->counts.left_out++;
	else
		voice_packet(v, frame.payload, frame.len, 0);
}
