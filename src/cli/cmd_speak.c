/* SPDX-License-Identifier: MIT */
/*
 * speak: a file with speech, said by a board, as a backend has it say what was
 * synthesised (device.md 1.6, 4.2).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "net/ogg.h"
#include "out/wrap.h"

#define FILE_LARGEST (128u << 20) /* ten minutes of WAV at 48 kHz, stereo */
#define FRAME_MS 60 /* as our hello says (wire/hello) */
#define LOOK_MS 100 /* whether a board began to send sound */
#define AHEAD 5 /* packets that a board has before it plays them */

struct speak_options {
	const char *text;
};

#define AT(member) offsetof(struct speak_options, member)
/* clang-format off */
static const struct option_row speak_rows[] = {
	{ 0, "text", "TEXT", OPTION_TEXT, AT(text),
	  "what is said, in words, which a board shows", NULL, NULL, 0, 0, NULL },
	{ 0, NULL, NULL, OPTION_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL }
};
/* clang-format on */

struct speaking {
	struct app *app;
	struct session *session;
	const struct speak_options *options;
	struct speech speech;
	size_t sent;
};

/* ---- the file ---- */

static int read_speech(struct speech *out, const char *path, struct error *err)
{
	CLEANUP(buf_done) struct buf file = { 0 };
	const struct ogg_table *table =
		module_sized("audio", OGG_TABLE, sizeof(*table), err);

	if (!table)
		return -1;
	buf_init(&file, FILE_LARGEST);
	if (file_read(&file, "file of speech", path, err))
		return -1;
	if (table->speech(out, file.data, file.len, FRAME_MS, err) == 0)
		return 0;
	return error_prefix(err, "'%.200s'", path);
}

/* ---- what is said ---- */

static int say_state(struct speaking *s, const char *state, const char *text,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_printf(&json, "{\"type\":\"tts\",\"state\":\"%s\"", state);
	json_add_text(&json, "text", text);
	buf_char(&json, '}');
	return session_send_device(s->session, buf_string(&json), err);
}

/* Packets are due one by one, but the first of them. */
static int send_packets(struct speaking *s, struct error *err)
{
	const int64_t began = loop_now();
	const unsigned char *packet;
	size_t at = 0, len;

	while (speech_next(&s->speech, &at, &packet, &len)) {
		int64_t due = began + ((int64_t)s->sent - AHEAD) * FRAME_MS;

		if (due > loop_now() &&
		    session_watch(s->session, NULL, due, err))
			return -1;
		if (session_send_sound(s->session, (uint32_t)s->sent * FRAME_MS,
				       packet, len, err))
			return -1;
		s->sent++;
	}
	/* Until it was heard: at tts stop a board throws away what it still has. */
	return session_watch(s->session, NULL,
			     began + (int64_t)s->sent * FRAME_MS, err);
}

static int say(struct speaking *s, struct error *err)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	int status;

	if (say_state(s, "start", NULL, err))
		return -1;
	status = s->options->text ?
			 say_state(s, "sentence_start", s->options->text, err) :
			 0;
	if (!status)
		status = send_packets(s, err);
	/* Whatever happened: it would wait for more. */
	if (say_state(s, "stop", NULL, status ? &ignored : err) && !status)
		status = -1;
	return status;
}

static const char *origin_words(enum speech_origin origin)
{
	static const char *const words[] = {
		[SPEECH_AS_IT_WAS] = "as they are in the file",
		[SPEECH_JOINED] = "joined from shorter ones of the file",
		[SPEECH_ENCODED] = "encoded here",
	};

	return words[origin];
}

static void tell(const struct speaking *s)
{
	int64_t ms = (int64_t)s->speech.count * FRAME_MS;
	CLEANUP(buf_done) struct buf packets = { 0 };
	char time[32];

	wrap_count(&packets, s->speech.count, "packet");
	if (s->speech.holes)
		render_note(&s->app->out,
			    "the file is damaged: %" PRIu64
			    " parts of it are missing",
			    s->speech.holes);
	render_note(&s->app->out, "sent %s of sound: %s of %d ms, %s",
		    text_milliseconds(ms, time, sizeof(time)),
		    buf_string(&packets), FRAME_MS,
		    origin_words(s->speech.origin));
}

/*
 * At a broker nothing tells where a board listens but its own sound, in a voice
 * session that it began with us (device.md 2.3, 2.4).
 */
static int await_voice(struct speaking *s, struct error *err)
{
	const struct link *l = session_link(s->session);
	const int64_t until = loop_now() + s->app->config.wait;

	if (!l->audio_frames)
		render_note(
			&s->app->out,
			"waiting until the board is woken: where it listens is known by the sound that it sends");
	while (!l->audio_frames && loop_now() < until) {
		if (session_watch(s->session, NULL, loop_now() + LOOK_MS, err))
			return -1;
	}
	if (l->audio_frames)
		return 0;
	error_set(err, ERR_CONNECT,
		  "the board sent no sound: where it listens is not known");
	return error_hint(
		err,
		"wake it while this waits (--wait), by its wake word or button; it must subscribe to what is sent to it");
}

static int speak_open(struct speaking *s, const struct invocation *in,
		      struct error *err)
{
	if (read_speech(&s->speech, in->argv[0], err) ||
	    connection_open(in->connection, err))
		return -1;
	s->session = in->connection->session;
	if (in->connection->endpoint.scheme->kind == SCHEME_MQTT)
		return await_voice(s, err);
	if (session_link(s->session)->dialect == DIALECT_DEVICE)
		return 0;
	return error_set(err, ERR_USAGE,
			 "the peer is no board: it takes no sound");
}

static int speak_run(const struct invocation *in, struct error *err)
{
	struct speaking s = { .app = in->app, .options = in->options };
	int status = speak_open(&s, in, err);

	if (!status)
		status = say(&s, err);
	if (!status)
		tell(&s);
	speech_done(&s.speech);
	return status;
}

static const struct example speak_examples[] = {
	{ "-d kitchen speak hello.opus", NULL, EXAMPLE_GOES_ON },
	{ "listen: speak question.wav --text 'What time is it?'", NULL,
	  EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_speak = {
	.name = "speak",
	.args = "FILE.opus|FILE.wav",
	.brief = "have a board say a file, as a backend does",
	.text = "The board is told that speech begins ({\"type\":\"tts\",\"state\":\"start\"}, and with --text what it says), gets the packets of sound, and is told that it ends: five packets at once, which it plays while the others come, one every 60 ms. Through serve over WebSocket and MQTT, with listen:, or with mqtt:// at a broker of others. Ctrl-C ends it, with tts stop.\n"
		"\n"
		"FILE is Ogg Opus or WAV (PCM, 16 bits, mono or stereo, 8, 12, 16, 24 or 48 kHz), ten minutes at most. Opus packets of 60 ms go as they are; shorter ones are joined, which changes nothing of their sound, and silence fills the last one; everything else is encoded here, mono. It is read before anything is sent.\n"
		"\n"
		"A board over MQTT hears where it has a voice session and has sent sound in it, since nothing else tells where it listens: wake it first; with mqtt:// while the command waits for that (--wait), and no other backend may answer its hello. Of two commands that speak to one board through serve the second is refused.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_OPENS | CMD_NO_MCP | CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = 1,
	.operand = OPERAND_FILE,
	.options = speak_rows,
	.options_size = sizeof(struct speak_options),
	.examples = speak_examples,
	.run = speak_run
};
