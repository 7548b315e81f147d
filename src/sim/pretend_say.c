/* SPDX-License-Identifier: MIT */
/*
 * What a pretend device puts on the wire, at once: replies in their envelope,
 * hello, listen, sound, the profile's events. When is pretend.c's matter.
 */
#include "sim/pretend_say.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/pretend_loop.h"
#include "wire/audio.h"

#define AUDIO_BEHIND_MS 1000 /* what is older is not made up for */
#define WAKE_WORD "你好小智"

static void send_binary(struct pretend *d, uint32_t at, const void *data,
			size_t len);

/* An Opus packet of 60 ms of silence: three frames of 20 (RFC 6716, 3.2). */
static const unsigned char silence[] = { 0xfb, 0x03, 0xff, 0xfe,
					 0xff, 0xfe, 0xff, 0xfe };

static bool can_send(const struct pretend *d)
{
	return d->online && !d->peer_closed;
}

void pretend_line(struct pretend *d, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	d->config.events->note(d->config.owner, DEVICE_LINE, text);
}

/* 1.4: nothing is sent, MCP goes on, but nothing else is said any more. */
static void refuse_size(struct pretend *d, size_t len)
{
	d->unusable = true;
	d->mode = DEVICE_IDLE;
	diag_found(&d->talk.diag, D121, (struct span){ 0 }, "%zu bytes", len);
	pretend_line(d, "a message of %zu bytes was not sent: %d is the most",
		     len, DEVICE_SEND_MAX);
}

static bool send_text(struct pretend *d, const struct buf *text, bool any_size)
{
	if (!can_send(d))
		return false;
	if (text->len > DEVICE_SEND_MAX && !d->config.bare && !d->config.mqtt &&
	    !any_size) {
		refuse_size(d, text->len);
		return false;
	}
	pretend_judge(d, true, buf_string(text), text->len);
	d->config.events->text(d->config.owner, buf_string(text), text->len);
	return !d->unheard;
}

/* Everything is pasted in as it is (device.md 3.7, 4.1). */
static void wrap(const struct pretend *d, const char *payload, size_t len,
		 struct buf *out)
{
	if (d->config.bare) {
		buf_add(out, payload, len);
		return;
	}
	buf_printf(out, "{\"session_id\":\"%s\",\"type\":\"mcp\",\"payload\":",
		   d->session_id ? d->session_id : "");
	buf_add(out, payload, len);
	buf_char(out, '}');
}

bool pretend_send_payload(struct pretend *d, const char *payload, size_t len)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	wrap(d, payload, len, &frame);
	return send_text(d, &frame, fault_has(&d->config.faults, FAULT_HUGE));
}

bool pretend_send_cut(struct pretend *d, const char *payload, size_t len)
{
	bool close_frame = fault_has(&d->config.faults, FAULT_CLOSE_MID_REPLY);
	struct buf frame;

	if (!can_send(d))
		return false;
	buf_init(&frame, 0);
	wrap(d, payload, len, &frame);
	d->config.events->cut(d->config.owner, buf_string(&frame), frame.len,
			      close_frame);
	buf_done(&frame);
	return true;
}

/* 1.6: a few packets of the wake phrase, then what was heard. */
void pretend_say_wake_word(struct pretend *d)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (int i = 0; i < 2; i++)
		send_binary(d, 0, silence, sizeof(silence));
	buf_printf(
		&text,
		"{\"session_id\":\"%s\",\"type\":\"listen\",\"state\":\"detect\",\"text\":\"%s\"}",
		d->session_id ? d->session_id : "", WAKE_WORD);
	send_text(d, &text, false);
}

bool pretend_say_words(struct pretend *d, const char *words)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const bool heard =
		d->config.mqtt ? d->in_session : d->mode != DEVICE_IDLE;

	if (!can_send(d) || d->unusable || !heard)
		return false;
	buf_printf(
		&text,
		"{\"session_id\":\"%s\",\"type\":\"listen\",\"state\":\"detect\",\"text\":",
		d->session_id ? d->session_id : "");
	buf_json_string(&text, words, strlen(words));
	buf_char(&text, '}');
	return send_text(d, &text, false);
}

/* Back to listening; the firmware says so each time. */
void pretend_start_listening(struct pretend *d)
{
	struct buf text;

	d->mode = DEVICE_LISTENING;
	d->stopped = false;
	buf_init(&text, 0);
	buf_printf(
		&text,
		"{\"session_id\":\"%s\",\"type\":\"listen\",\"state\":\"start\",\"mode\":\"auto\"}",
		d->session_id ? d->session_id : "");
	send_text(d, &text, false);
	buf_done(&text);
	if (d->config.audio && !d->ticking) {
		d->ticking = true;
		d->audio_due = loop_now() + DEVICE_AUDIO_MS;
		pretend_set_alarm(d, ALARM_AUDIO, DEVICE_AUDIO_MS, NULL);
	}
}

static void send_binary(struct pretend *d, uint32_t at, const void *data,
			size_t len)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	if (!can_send(d) || d->unusable)
		return;
	if (d->config.mqtt) {
		if (d->in_session)
			d->config.events->binary(d->config.owner, data, len);
		return;
	}
	audio_encode(&frame, d->config.frame_version, at, data, len);
	d->config.events->binary(d->config.owner, frame.data, frame.len);
}

/* As a microphone: by the clock, not so long after the last one. */
static void next_audio(struct pretend *d)
{
	const int64_t now = loop_now();

	d->audio_due += DEVICE_AUDIO_MS;
	if (d->audio_due < now - AUDIO_BEHIND_MS ||
	    d->audio_due > now + DEVICE_AUDIO_MS)
		d->audio_due = now + DEVICE_AUDIO_MS;
	pretend_set_alarm(d, ALARM_AUDIO,
			  d->audio_due > now ? d->audio_due - now : 0, NULL);
}

void pretend_send_audio(struct pretend *d)
{
	d->ticking = d->mode == DEVICE_LISTENING && can_send(d);
	if (!d->ticking)
		return;
	/* A tool that runs keeps the main loop from sending sound too. */
	if (!d->busy)
		send_binary(d, d->audio_ms, silence, sizeof(silence));
	d->audio_ms += DEVICE_AUDIO_MS;
	next_audio(d);
}

/* The bytes of an event's hex, which was checked when the profile was read. */
static void say_audio(struct pretend *d, const char *hex)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };
	char pair[3] = "";

	for (; *hex; hex += 2) {
		memcpy(pair, hex, 2);
		buf_char(&bytes, (char)strtol(pair, NULL, 16));
	}
	send_binary(d, d->audio_ms, buf_string(&bytes), bytes.len);
}

void pretend_leave_session(struct pretend *d)
{
	if (!d->in_session)
		return;
	d->in_session = false;
	d->mode = DEVICE_IDLE;
	d->config.events->audio(d->config.owner, NULL);
}

/* An object of the profile with one more member in front. */
static void add_object(struct buf *out, const char *front, const cJSON *object)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	json_print(&text, object);
	buf_text(out, front);
	buf_add(out, text.data + 1, text.len - 1); /* after its '{' */
}

/* The user's finger on the button changes what the device does next. */
static void follow(struct pretend *d, const cJSON *message)
{
	const char *type = json_string(message, "type");
	const char *state = json_string(message, "state");

	if (strcmp(type, "goodbye") == 0)
		pretend_leave_session(d);
	if (strcmp(type, "listen") != 0 || !state)
		return;
	d->stopped = strcmp(state, "stop") == 0;
	if (d->stopped)
		d->mode = DEVICE_IDLE;
	else if (strcmp(state, "start") == 0)
		d->mode = DEVICE_LISTENING;
}

static void say_message(struct pretend *d, const cJSON *message)
{
	CLEANUP(mem_free_ptr)
	char *front = mem_printf("{\"session_id\":\"%s\",",
				 d->session_id ? d->session_id : "");
	struct buf text;

	if (d->config.bare || d->unusable)
		return;
	buf_init(&text, 0);
	add_object(&text, front, message);
	send_text(d, &text, false);
	buf_done(&text);
	follow(d, message);
}

void pretend_say_event(struct pretend *d, const cJSON *event)
{
	const cJSON *notification = json_object(event, "notification");
	const cJSON *message = json_object(event, "message");
	int64_t every = 0;
	struct buf text;
	struct job *again;

	if (message) {
		say_message(d, message);
	} else if (notification) {
		buf_init(&text, 0);
		add_object(&text, "{\"jsonrpc\":\"2.0\",", notification);
		pretend_send_payload(d, buf_string(&text), text.len);
		buf_done(&text);
	} else if (!d->config.bare) {
		say_audio(d, json_string(event, "audio"));
	}
	if (!d->online || json_integer(event, "every_ms", &every))
		return;
	again = job_new(JOB_EVENT);
	again->event = event;
	pretend_set_alarm(d, ALARM_JOB, every, again);
}

static void add_features(struct buf *out, const struct profile_hello *h)
{
	const char *before = "";

	buf_text(out, "\"features\":{");
	if (h->aec) {
		buf_text(out, "\"aec\":true");
		before = ",";
	}
	if (h->mcp) {
		buf_printf(out, "%s\"mcp\":true", before);
		before = ",";
	}
	if (h->has_glyph_push)
		buf_printf(out, "%s\"glyph_push\":%s", before,
			   h->glyph_push ? "true" : "false");
	buf_text(out, "},");
	if (h->glyph_push && h->text_font) {
		buf_text(out, "\"text_font\":");
		json_print(out, h->text_font);
		buf_char(out, ',');
	}
}

static void compose_hello(const struct pretend *d, struct buf *text)
{
	const struct profile_hello *h = &d->config.profile->hello;

	/*
	 * Over MQTT the version is always 3, and transport comes first
	 * (device.md 2.3).
	 */
	buf_printf(text, "{\"type\":\"hello\",\"version\":%d,%s",
		   d->config.mqtt ? 3 : d->config.frame_version,
		   d->config.mqtt ? "\"transport\":\"udp\"," : "");
	if (h->features && !fault_has(&d->config.faults, FAULT_NO_FEATURES))
		add_features(text, h);
	buf_printf(
		text,
		"%s\"audio_params\":{\"format\":\"opus\",\"sample_rate\":%d,\"channels\":%d,\"frame_duration\":%d}}",
		d->config.mqtt ? "" : "\"transport\":\"websocket\",",
		(int)h->sample_rate, (int)h->channels, (int)h->frame_duration);
}

/*
 * As it was recorded; but a board that came another way than we go now would have
 * told this way, and the version of its frames.
 */
static void recorded_hello(const struct pretend *d, struct buf *text)
{
	const char *recorded = d->config.profile->recorded.hello;
	const char *way = d->config.mqtt ? "udp" : "websocket";
	CLEANUP(json_free_ptr)
	cJSON *hello = json_parse(recorded, strlen(recorded), NULL);
	cJSON *told = json_member(hello, "transport");
	cJSON *version = json_member(hello, "version");

	if (!cJSON_IsString(told) || strcmp(told->valuestring, way) == 0) {
		buf_text(text, recorded);
		return;
	}
	cJSON_SetValuestring(told, way);
	if (cJSON_IsNumber(version))
		cJSON_SetNumberHelper(
			version, d->config.mqtt ? 3 : d->config.frame_version);
	json_print(text, hello);
}

void pretend_say_hello(struct pretend *d)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (d->config.profile->recorded.hello)
		recorded_hello(d, &text);
	else
		compose_hello(d, &text);
	d->hello_out = send_text(d, &text, false);
	d->hello_said = true;
	if (!d->config.counts)
		return;
	d->config.counts->hellos += d->hello_out;
	d->config.counts->unheard += d->unheard;
}

static void say_goodbye(struct pretend *d)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "{\"session_id\":\"%s\",\"type\":\"goodbye\"}",
		   d->session_id ? d->session_id : "");
	send_text(d, &text, false);
}

void pretend_end_session(struct pretend *d)
{
	if (!d->in_session)
		return;
	pretend_leave_session(d);
	say_goodbye(d);
}

void pretend_send_as_is(struct pretend *d, const char *text)
{
	if (!can_send(d))
		return;
	pretend_judge(d, true, text, strlen(text));
	d->config.events->text(d->config.owner, text, strlen(text));
}

/* What a pretend device hears and says, as the engine of findings sees it. */

/* What the firmware that is played is like is no news to who plays it. */
static bool is_habit(enum diag_code code)
{
	const struct finding_row *row = finding_row(code);

	return *row->code == 'D' && row->severity == SEVERITY_NOTE;
}

static void tell_finding(struct pretend *d, const struct finding *f,
			 const char *detail)
{
	const struct pretend_config *c = &d->config;

	if (c->events->finding && !is_habit(f->code))
		c->events->finding(c->owner, f, detail);
}

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	tell_finding(owner, f, detail);
}

void pretend_talk_start(struct pretend *d, struct pretend_talk *t)
{
	const struct pretend_config *c = &d->config;

	*t = (struct pretend_talk){ 0 };
	t->diag.about = (struct diag_about){
		.board = true,
		.bare = c->bare,
		.standby = c->mqtt,
		.vision = d->server.vision_url != NULL,
		.protocol_version = c->mqtt ? 0 : c->frame_version,
		.from = { .asked = c->asked },
	};
	t->diag.found = on_found;
	t->diag.clock = loop_now_us;
	t->diag.owner = d;
	diag_start(&t->diag);
}

void pretend_judge_anew(struct pretend *d)
{
	struct diag *diag = &d->talk.diag;

	for (size_t i = 0; i < diag->count; i++) {
		if (diag->item[i].count > 1)
			tell_finding(d, &diag->item[i], NULL);
	}
	diag_done(diag);
	pretend_talk_start(d, &d->talk);
}

enum diag_leg pretend_leg(const struct pretend *d)
{
	return d->config.bare ? LEG_LOCAL : d->config.mqtt ? LEG_MQTT : LEG_WS;
}

void pretend_judge(struct pretend *d, bool from_device, const char *text,
		   size_t len)
{
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .leg = pretend_leg(d),
				      .kind = FRAME_IS_TEXT,
				      .from_device = from_device,
				      .data = text,
				      .len = len };

	if (d->config.events->finding && !(from_device && d->aside))
		diag_feed(&d->talk.diag, &f);
}

void pretend_listed_whole(struct pretend *d)
{
	if (!d->listed_whole && d->config.counts)
		d->config.counts->listed_whole++;
	d->listed_whole = true;
}

bool pretend_is_overrun(struct pretend *d)
{
	if (d->held <= HELD_MOST)
		return false;
	pretend_line(
		d,
		"ends the connection: more than %zu MB of answers wait for the tool that is at work",
		HELD_MOST >> 20);
	return true;
}

void pretend_died(struct pretend *d, enum diag_code of)
{
	if (d->config.events->died)
		d->config.events->died(d->config.owner, of);
}
