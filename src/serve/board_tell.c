/* SPDX-License-Identifier: MIT */
/*
 * What is told of a held device, and what it is told: frames to it, its circuit
 * breaker, its audio, records, and the object that attached commands are given.
 */
#include "serve/board_tell.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/guard.h"
#include "net/mqtt.h"
#include "rpc/session.h"
#include "serve/board.h"
#include "serve/charges.h"
#include "serve/serve_state.h"

char *board_keep(const char *text, size_t max)
{
	size_t len = text ? text_cut(text, strlen(text), max) : 0;

	return len ? mem_strndup(text, len) : NULL;
}

static void trace(const struct board *d, bool outgoing, const char *kind,
		  const void *data, size_t len, const struct error *why)
{
	const struct serve *s = d->server;
	const bool sound = d->mqtt && strcmp(kind, "binary") == 0;
	struct trace t = { .outgoing = outgoing,
			   .kind = kind,
			   .data = data,
			   .len = len,
			   .device = d->id,
			   .id = d->device_id,
			   .conn = d->number,
			   .leg = d->held ? d->held->kind :
				  sound	  ? "udp" :
				  d->mqtt ? "mqtt" :
					    "ws",
			   .why = why };

	if (!s->config.trace)
		return;
	t.at_us = loop_now_us() - s->opened_us;
	s->config.trace(s->config.trace_owner, &t);
}

void board_trace(const struct board *d, bool outgoing, const char *kind,
		 const void *data, size_t len)
{
	trace(d, outgoing, kind, data, len, NULL);
}

void board_trace_end(const struct board *d, const char *reason,
		     const struct error *why)
{
	const struct error ours = {
		.code = d->transport.ops ? d->transport.ops->close_code : 0
	};

	const bool here = d->closing && !why->code;

	trace(d, here, "closed", reason, strlen(reason), here ? &ours : why);
}

/* It may have turned out to be a tool side, or none. */
static void look_again(struct board *d)
{
	struct diag_about *about = &d->diag->about;
	const bool board = d->link.dialect == DIALECT_DEVICE;

	if (about->board == board)
		return;
	/* What it was asked as the other one does not count. */
	diag_start(d->diag);
	about->board = board;
	about->bare = !board;
}

void board_judge(struct board *d, bool outgoing, enum frame_kind kind,
		 struct span frame, const struct json_places *at)
{
	const struct diag_frame f = {
		.at_us = loop_now_us(),
		.leg = d->mqtt ? LEG_MQTT : LEG_WS,
		.kind = kind == FRAME_TEXT ? FRAME_IS_TEXT : FRAME_IS_BINARY,
		.from_device = !outgoing,
		.data = frame.text,
		.len = frame.len,
		.at = at,
	};

	if (!d->diag)
		return;
	look_again(d);
	/* Ours has ids that only serve gave. */
	if (!outgoing && kind == FRAME_TEXT)
		d->judging = frame;
	diag_feed(d->diag, &f);
	d->judging = (struct span){ 0 };
}

int board_send(struct board *d, const char *text, size_t len, struct error *err)
{
	if (!d->open || d->closing)
		return error_set(err, ERR_CONNECT,
				 "the connection of the device is %s",
				 d->closing ? "closing" : "not open yet");
	board_trace(d, true, "text", text, len);
	if (d->transport.ops->send(&d->transport, text, len, err))
		return -1;
	board_judge(d, true, FRAME_TEXT, (struct span){ text, len }, NULL);
	board_hear(d, true, (struct span){ text, len });
	return 0;
}

/*
 * Speech for a held device, from one attached command: while it lasts, no other
 * one's.
 */

#define SPEECH_MS 60 /* what our hello says a packet has (wire/hello) */

int board_speak(struct board *d, const void *speaker, const void *packet,
		size_t len, struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	const struct transport_ops *ops = d->transport.ops;

	if (d->speaker && d->speaker != speaker)
		return error_set(err, ERR_CONNECT,
				 "another command speaks to the device");
	if (!d->open || d->closing)
		return error_set(err, ERR_CONNECT,
				 "the connection of the device is closing");
	if (d->link.dialect == DIALECT_PLAIN)
		return error_set(err, ERR_USAGE,
				 "it is no board, and takes no sound");
	d->speaker = speaker;
	link_wrap_sound(&d->link, d->spoken_ms, packet, len, &frame);
	d->spoken_ms += SPEECH_MS;
	board_trace(d, true, "binary", frame.data, frame.len);
	if (!ops->send_sound)
		return error_set(err, ERR_CONNECT,
				 "no sound can be sent over '%s'", ops->scheme);
	if (ops->send_sound(&d->transport, buf_string(&frame), frame.len, err))
		return -1;
	board_judge(d, true, FRAME_BINARY,
		    (struct span){ frame.data, frame.len }, NULL);
	return 0;
}

void board_spoke(struct board *d, const void *speaker, struct span frame)
{
	struct span type = { 0 }, state = { 0 };

	if (d->speaker && d->speaker != speaker)
		return;
	if (!json_span_member(frame, "type", &type) ||
	    !json_span_is(type, "tts") ||
	    !json_span_member(frame, "state", &state))
		return;
	if (json_span_is(state, "stop") || json_span_is(state, "start")) {
		d->speaker = NULL;
		d->spoken_ms = 0;
	}
}

void board_fall_silent(struct board *d, const void *speaker)
{
	static const char stop[] = "{\"type\":\"tts\",\"state\":\"stop\"}";
	CLEANUP(buf_done) struct buf frame = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (d->speaker != speaker)
		return;
	d->speaker = NULL;
	d->spoken_ms = 0;
	if (!d->gone && link_wrap_device(&d->link, stop, &frame, &ignored) == 0)
		board_send(d, frame.data, frame.len, &ignored);
}

/*
 * The circuit breaker of a held device: a board that hangs is not asked again
 * and again, and who asks is told at once. The rules are mcp/guard's.
 */

static const char *left_text(const struct board *d, char *out, size_t size)
{
	int64_t left = breaker_left(d->breaker, loop_now());

	return text_milliseconds((left + 999) / 1000 * 1000, out, size);
}

int board_admit(struct board *d, const char *method, struct error *err)
{
	char left[32];

	/* Whether anybody is there may be asked at any time. */
	if (!d->breaker || guard_is_free(method) ||
	    breaker_admit(d->breaker, loop_now(), NULL) == 0)
		return 0;
	return error_set(
		err, ERR_CONNECT,
		"not sent: the last %lld calls to the device got no answer, so its circuit breaker is open for %s more; 'ping' passes, and closes it if the device answers",
		(long long)d->breaker->failures,
		left_text(d, left, sizeof(left)));
}

void board_answered(struct board *d)
{
	struct breaker *b = TAKE(d->breaker);

	if (b && b->opened_at)
		board_record(d, RECORD_BREAKER, LEVEL_GOOD,
			     "it answers again: the circuit breaker is closed");
	mem_free(b);
}

void board_unanswered(struct board *d)
{
	const struct error why = { .kind = ERR_TIMEOUT };
	bool was_open = d->breaker && d->breaker->opened_at;
	struct record *r;
	char left[32];

	if (!d->breaker)
		d->breaker = mem_zalloc(sizeof(*d->breaker));
	breaker_settle(d->breaker, &why, loop_now());
	if (!d->breaker->opened_at || d->gone)
		return;
	left_text(d, left, sizeof(left));
	if (was_open) {
		board_record(
			d, RECORD_BREAKER, LEVEL_INFO,
			"still no answer: the circuit breaker is open for another %s",
			left);
		return;
	}
	r = board_record(
		d, RECORD_BREAKER, LEVEL_WARN,
		"no answer to %lld calls in a row: the circuit breaker is open, calls fail at once for %s",
		(long long)d->breaker->failures, left);
	if (r)
		r->hint = mem_strdup(
			"is it hung? see its own log; 'mcpctl ping' goes through all the same");
}

void board_untold(struct board *d)
{
	if (d->breaker)
		breaker_release(d->breaker);
}

/*
 * The audio of a held device: counted, told of, handed to who listens. It is
 * played nowhere. Over MQTT it comes by UDP, where packets can be lost.
 */

#define RECORD_MS 1000
#define PAUSE_MS 5000

static void count_audio(struct audio_counts *out, const struct board *d)
{
	if (d->mqtt && d->server->events->audio_counts(d, out))
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
		   ",\"lost\":%" PRIu64 ",\"sent\":%" PRIu64,
		   c->bytes, c->broken, c->repeated, c->gaps, c->lost, c->sent);
}

/* The member "audio", appended with a comma in front. */
static void board_audio_describe(struct buf *out, const struct board *d)
{
	struct audio_counts c;

	count_audio(&c, d);
	if (!c.packets && !c.broken && !c.repeated) {
		buf_text(out, ",\"audio\":null");
		return;
	}
	buf_printf(out, ",\"audio\":{\"frames\":%" PRIu64 ",", c.packets);
	add_members(out, &c);
	buf_char(out, ',');
	pace_members(out, d->pace);
	buf_char(out, '}');
}

void board_audio_words(struct buf *out, const struct board *d)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	CLEANUP(json_free_ptr) cJSON *audio = NULL;

	buf_text(&json, "{\"state\":null");
	board_audio_describe(&json, d);
	buf_char(&json, '}');
	audio = json_parse(buf_string(&json), json.len, NULL);
	if (json_object(audio, "audio"))
		pace_words(out, json_object(audio, "audio"));
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

/* What it says, as files. */

static void on_utterance(void *owner, const struct voice_news *n)
{
	CLEANUP(buf_done) struct buf detail = { 0 };
	enum record_level level =
		n->event == VOICE_SAVED ? LEVEL_INFO : LEVEL_WARN;
	struct record *r =
		board_record(owner, RECORD_UTTERANCE, level, "%s", n->text);

	record_hint(r, n->hint);
	voice_members(&detail, n);
	record_detail(r, &detail);
}

static struct voice *voice_of(struct board *d)
{
	struct serve *s = d->server;

	if (!d->voice && s->voices && !d->gone)
		d->voice = voice_new(s->voices, d->id, on_utterance, d);
	return d->voice;
}

void board_hear(struct board *d, bool outgoing, struct span frame)
{
	if (d->held)
		return;
	pace_text(&d->pace, !outgoing, frame.text, frame.len);
	if (voice_of(d))
		voice_text(d->voice, !outgoing, frame.text, frame.len);
}

/* Whether it comes as it was said. */
static void judge_pace(struct board *d, struct span data, uint64_t missing)
{
	const struct diag_frame f = {
		.at_us = loop_now_us(),
		.leg = d->mqtt ? LEG_UDP : LEG_WS,
		.kind = FRAME_IS_BINARY,
		.from_device = true,
		.data = data.text,
		.len = data.len,
	};
	const struct pace_packet k = { .frame = &f,
				       .opus = data,
				       .own_us = loop_delay_us(d->server->loop),
				       .missing = missing };

	if (!d->diag)
		return;
	if (d->link.has_udp)
		pace_packet(d->pace, d->diag, &k);
	else
		pace_frame(d->pace, d->diag, &f, k.own_us);
}

/* How many were lost in front of this one: over UDP. */
static uint64_t missing_now(struct board *d)
{
	struct audio_counts c;
	uint64_t before = d->missed;

	if (!d->link.has_udp)
		return 0;
	count_audio(&c, d);
	d->missed = c.lost;
	return c.lost - before;
}

static void hear_packet(struct board *d, struct span data)
{
	const uint64_t missing = missing_now(d);

	judge_pace(d, data, missing);
	if (!voice_of(d))
		return;
	/* Over MQTT it comes bare, decrypted. */
	if (d->link.has_udp)
		voice_packet(d->voice, data.text, data.len, missing);
	else
		voice_frame(d->voice, d->link.frame_version, data.text,
			    data.len);
}

static void forward_audio(struct board *d, struct span data)
{
	struct audio_frame frame;

	if (!d->audience)
		return;
	/* Over MQTT it comes bare, decrypted. */
	if (d->link.has_udp)
		d->server->events->audio(d, data.text, data.len);
	else if (audio_decode(&frame, d->link.frame_version, data.text,
			      data.len, NULL) == 0)
		d->server->events->audio(d, frame.payload, frame.len);
}

void board_audio(void *owner, struct span frame, const struct error *problem)
{
	struct board *d = owner;
	int64_t now = loop_now(), since = now - d->audio_told;
	/* A board that listens sends for as long as it does. */
	bool begins = !d->audio_told || since >= PAUSE_MS;

	(void)problem;
	forward_audio(d, frame);
	hear_packet(d, frame);
	if (!begins && since < RECORD_MS)
		return;
	d->audio_told = now;
	tell(d, begins ? LEVEL_INFO : LEVEL_DEBUG, "so far");
}

/* A voice session ended: what came in it is told. */
void board_audio_over(struct board *d)
{
	if (d->audio_told)
		tell(d, LEVEL_INFO, "in all");
	d->audio_told = 0;
}

/*
 * A held device in words: its records, and the object that attached commands
 * are given.
 */

bool board_is_known(const struct board *d)
{
	const struct serve *s = d->server;

	return d->held || (s->tokens.count && !d->mqtt) ||
	       (s->config.mqtt_key_file && d->mqtt) ||
	       enrolled_or_listed(&s->enrolled, &s->aliases, d->device_id,
				  d->client_id);
}

static enum record_about standing_of_board(const struct board *d,
					   enum record_kind kind)
{
	if (board_is_known(d))
		return ABOUT_KNOWN;
	return d->state == DEVICE_READY || kind == RECORD_READY ?
		       ABOUT_READY :
		       ABOUT_STRANGER;
}

struct record *board_record(struct board *d, enum record_kind kind,
			    enum record_level level, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct record *r;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	r = record_about(
		d->server, standing_of_board(d, kind), kind, level,
		&(struct who){ .device_id = d->id, .address = d->address },
		text);
	if (r)
		r->alias = mem_strdup(d->alias);
	return r;
}

void board_tell_claim(struct board *d)
{
	struct claim claim = device_claim(d);
	struct record *r;

	if (!claim.told || d->claim_told)
		return;
	d->claim_told = true;
	r = board_record(d, RECORD_CLAIM, LEVEL_WARN,
			 "calls itself '%s', and that is %s: its own id is %s",
			 claim.told, claim.whose, d->id);
	if (r)
		r->hint = mem_strdup(
			"an alias, or that id, never means this device; list its Device-Id in devices.json if it shall have a name");
}

const char *board_state_name(enum board_state state)
{
	static const char *const names[] = {
		[DEVICE_CONNECTED] = "connected",
		[DEVICE_INITIALIZING] = "initializing",
		[DEVICE_LISTING] = "listing",
		[DEVICE_READY] = "ready",
		[DEVICE_NO_MCP] = "no-mcp",
		[DEVICE_FAILED] = "failed",
	};

	return names[state];
}

static void add_findings(struct buf *out, const struct board *d)
{
	static const enum severity all[] = { SEVERITY_ERROR, SEVERITY_WARNING,
					     SEVERITY_NOTE };

	buf_char(out, '{');
	for (size_t i = 0; i < COUNT(all); i++)
		buf_printf(out, "%s\"%s\":%zu", i ? "," : "",
			   severity_name(all[i]), charges_severe(d, all[i]));
	buf_char(out, '}');
}

/* The code that was found last; null where nothing was. */
static void add_last_finding(struct buf *out, const struct board *d)
{
	const struct finding *last = charges_last(d);

	json_add_text_or_null(out, "last_finding",
			      last ? finding_row(last->code)->code : NULL);
}

/* What commands called here, and how long half of the last calls took. */
static void add_calls(struct buf *out, const struct board *d)
{
	int64_t median = board_calls_median(d->calls);

	buf_printf(out, ",\"calls\":%" PRIu64 ",\"p50_us\":",
		   board_calls_count(d->calls));
	if (median >= 0)
		buf_printf(out, "%" PRId64, median);
	else
		buf_text(out, "null");
}

/* Who it is not, and how it is picked where its id alone means another. */
static void add_claim(struct buf *out, const struct board *d)
{
	struct claim claim = device_claim(d);
	CLEANUP(mem_free_ptr) char *pick = device_pattern(d);

	if (strcmp(pick, d->id) != 0)
		json_add_text_or_null(out, "pick", pick);
	if (!claim.told)
		return;
	buf_text(out, ",\"claims\":{\"name\":");
	buf_json_string(out, claim.told, strlen(claim.told));
	json_add_text_or_null(out, "id", claim.whose);
	buf_char(out, '}');
}

/* Since when OTA signs for it. */
static void add_enrolled(struct buf *out, const struct serve *s,
			 const char *device_id)
{
	const struct enrolled_board *b = enrolled_find(&s->enrolled, device_id);

	if (b)
		clock_add_json(out, "enrolled", b->at_ms);
}

void board_describe_away(struct buf *out, const struct serve *s,
			 const struct enrolled_board *b)
{
	buf_text(out, "\"id\":");
	buf_json_string(out, b->device_id, strlen(b->device_id));
	json_add_text_or_null(out, "client_id", b->client_id);
	json_add_text_or_null(out, "alias",
			      aliases_name(&s->aliases, b->device_id, NULL));
	json_add_text_or_null(out, "state", "away");
	add_enrolled(out, s, b->device_id);
}

static void add_lease(struct buf *out, const struct board *d)
{
	const struct lease *l = leases_of(&d->server->leases, d->id,
					  d->device_id, d->client_id);

	if (!l)
		return;
	buf_text(out, ",\"lease\":");
	lease_describe(out, l, loop_now(), unix_now_ms());
}

const char *board_state_word(const struct board *d)
{
	const char *held = d->held ? d->held->ops->state_name(d->held) : NULL;

	return held ? held : board_state_name(d->state);
}

void board_describe(struct buf *out, const struct board *d)
{
	buf_text(out, "\"id\":");
	buf_json_string(out, d->id, strlen(d->id));
	json_add_text_or_null(out, "client_id", d->client_id);
	json_add_text_or_null(out, "alias", d->alias);
	add_claim(out, d);
	json_add_text_or_null(out, "board", d->board);
	json_add_text_or_null(out, "version", d->version);
	json_add_text_or_null(out, "transport",
			      d->held ? d->held->kind :
			      d->mqtt ? "mqtt" :
					"websocket");
	json_add_text_or_null(out, "address", d->address);
	clock_add_json(out, "since", d->since_ms);
	clock_add_json(out, "seen", d->seen_ms);
	if (d->asked_ms)
		clock_add_json(out, "asked", d->asked_ms);
	else
		buf_text(out, ",\"asked\":null");
	json_add_text_or_null(out, "state", board_state_word(d));
	json_add_text_or_null(out, "reason", d->reason);
	if (d->tools)
		buf_printf(out, ",\"tools\":%zu,\"user_tools\":%zu",
			   d->tools->count, d->tools->user);
	else
		buf_text(out, ",\"tools\":null,\"user_tools\":null");
	json_add_text_or_null(out, "list", d->tools ? d->tools->id : NULL);
	board_audio_describe(out, d);
	buf_text(out, ",\"findings\":");
	add_findings(out, d);
	add_last_finding(out, d);
	add_calls(out, d);
	if (d->server) {
		add_enrolled(out, d->server, d->device_id);
		add_lease(out, d);
	}
	if (d->breaker && d->breaker->opened_at)
		buf_text(out, ",\"breaker\":\"open\"");
	if (d->held)
		d->held->ops->describe(out, d->held);
}
