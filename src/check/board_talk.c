/* SPDX-License-Identifier: MIT */
#include "check/board_talk.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "check/exchange.h"
#include "cli/trace.h"
#include "diag/recognise.h"
#include "net/why.h"
#include "out/wrap.h"

#define TEXT_KEPT 120 /* bytes of a text */
#define CALLS_KEPT 8
#define CASES_MOST 40

/* A text member, cut; NULL where there is none. Yours. */
static char *member_text(struct span of, const char *name)
{
	struct span value = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (json_span_member(of, name, &value))
		text = json_span_string(value);
	return text && *text ? mem_strndup(text, text_cut(text, strlen(text),
							  TEXT_KEPT)) :
			       NULL;
}

static void keep(char **place, char *text)
{
	if (*place)
		mem_free(text);
	else
		*place = text;
}

static void add_case(const struct said *s, struct checkup *k, const char *what,
		     const char *text, int64_t at_us)
{
	if (s->messages <= CASES_MOST)
		check_case(k, what, STAGE_OK, at_us - s->began_us,
			   text ? text : "");
}

static void take_tts(struct said *s, struct checkup *k, struct span whole,
		     int64_t at_us)
{
	CLEANUP(mem_free_ptr) char *state = member_text(whole, "state");
	char *text;

	if (!state)
		return;
	if (strcmp(state, "stop") == 0) {
		s->over_us = at_us;
		add_case(s, k, "spoke to its end", NULL, at_us);
	}
	if (strcmp(state, "sentence_start") != 0)
		return;
	text = member_text(whole, "text");
	s->sentences++;
	add_case(s, k, "said", text, at_us);
	keep(&s->spoken, text);
}

static void take_call(struct said *s, struct checkup *k, struct span whole,
		      int64_t at_us)
{
	struct span payload = { 0 }, method = { 0 }, params = { 0 };
	CLEANUP(mem_free_ptr) char *name = NULL;

	if (!json_span_member(whole, "payload", &payload) ||
	    !json_span_member(payload, "method", &method) ||
	    !json_span_is(method, "tools/call"))
		return;
	if (json_span_member(payload, "params", &params))
		name = member_text(params, "name");
	s->calls++;
	add_case(s, k, "called", name, at_us);
	if (s->called.count < CALLS_KEPT)
		words_add(&s->called, name ? name : "?");
}

static void take_other(struct said *s, struct checkup *k, struct span whole,
		       struct span type, int64_t at_us)
{
	char *text = NULL;

	if (json_span_is(type, "stt")) {
		text = member_text(whole, "text");
		add_case(s, k, "heard", text, at_us);
		keep(&s->heard, text);
	} else if (json_span_is(type, "llm")) {
		text = member_text(whole, "emotion");
		add_case(s, k, "emotion", text, at_us);
		keep(&s->emotion, text);
	}
}

/* A text of the backend, after began_us; cases are added to the stage. */
static void said_take(struct said *s, struct checkup *k, const char *text,
		      size_t len, int64_t at_us)
{
	const struct span whole = { text, len };
	struct span type = { 0 };

	if (!s->first_us)
		s->first_us = at_us;
	s->messages++;
	if (json_check(text, len, NULL) ||
	    !json_span_member(whole, "type", &type))
		return;
	if (json_span_is(type, "mcp"))
		take_call(s, k, whole, at_us);
	else if (json_span_is(type, "tts"))
		take_tts(s, k, whole, at_us);
	else
		take_other(s, k, whole, type, at_us);
}

static void begin_part(struct buf *out)
{
	if (out->len)
		buf_text(out, "; ");
}

static void add_quoted(struct buf *out, const char *what, const char *text)
{
	begin_part(out);
	buf_printf(out, "%s '%s'", what, text);
}

static void add_time(struct buf *out, const char *what, int64_t us)
{
	char room[TEXT_ROOM];

	begin_part(out);
	buf_printf(out, "%s after %s", what,
		   text_microseconds(us > 0 ? us : 0, room, sizeof(room)));
}

static void add_called(const struct said *s, struct buf *out)
{
	begin_part(out);
	if (!s->calls)
		buf_text(out, "no tool called");
	for (size_t i = 0; i < s->called.count; i++)
		buf_printf(out, "%s%s", i ? ", " : "called ",
			   s->called.word[i]);
	if (s->calls > s->called.count)
		buf_printf(out, " … %zu more",
			   (size_t)s->calls - s->called.count);
}

/* In words; nothing where nothing came. */
static void said_words(const struct said *s, struct buf *out)
{
	if (!s->messages)
		return;
	add_time(out, "first word", s->first_us - s->began_us);
	if (s->heard)
		add_quoted(out, "heard", s->heard);
	add_called(s, out);
	if (s->spoken)
		add_quoted(out, "said", s->spoken);
	if (s->sentences > 1) {
		buf_text(out, " and ");
		wrap_count(out, s->sentences - 1, "sentence");
		buf_text(out, " more");
	}
	if (s->emotion)
		add_quoted(out, "emotion", s->emotion);
	if (s->over_us)
		add_time(out, "spoke to its end", s->over_us - s->began_us);
}

static void said_done(struct said *s)
{
	mem_free(s->heard);
	mem_free(s->spoken);
	mem_free(s->emotion);
	words_done(&s->called);
}

#define LOST_SHOWN 8

const char *board_talk_stage_name(const struct board_talk *t,
				  enum board_talk_stage stage)
{
	static const char *const names[TALK_STAGES] = {
		"name", "tcp",	"tls",	 "upgrade", "hello",
		"init", "list", "quiet", "say",	    "bye"
	};

	if (stage == TALK_SAY && !t->k->options->say)
		return NULL;
	return stage == TALK_OPEN && t->to.mqtt ? "connack" : names[stage];
}

/* What the user sees on a terminal while nothing is told. */
static void show_progress(const struct board_talk *t)
{
	static const char *const waits[TALK_STAGES] = {
		[TALK_HELLO] = "the server hello",
		[TALK_INIT] = "initialize",
		[TALK_LIST] = "the list",
		[TALK_QUIET] = "silence",
		[TALK_SAY] = "what is answered"
	};

	check_progress(t->k,
		       t->over || t->at >= TALK_STAGES ? NULL : waits[t->at]);
}

PRINTF_LIKE(3, 4)
static void tell(struct board_talk *t, enum stage_verdict verdict,
		 const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *words = NULL;
	va_list args;

	va_start(args, format);
	words = mem_vprintf(format, args);
	va_end(args);
	check_stage(t->k, board_talk_stage_name(t, t->at), verdict, "%s",
		    words);
	t->at++;
	if (t->at < TALK_STAGES && !board_talk_stage_name(t, t->at))
		t->at++;
	show_progress(t);
}

static const char *took(int64_t from_us, int64_t to_us, char room[TEXT_ROOM])
{
	const int64_t us = to_us - from_us;

	return text_microseconds(us > 0 ? us : 0, room, TEXT_ROOM);
}

/* ---- the way there ---- */

static void tell_passed(struct board_talk *t)
{
	if (t->at == TALK_NAME)
		tell(t, STAGE_OK, "%s", t->to.host);
	else if (t->at == TALK_TCP)
		tell(t, STAGE_OK, "port %u", (unsigned)t->to.port);
	else if (!t->to.tls)
		tell(t, STAGE_SKIPPED, "none: %s",
		     t->to.mqtt ? "MQTT without TLS" : "the address is ws://");
	else
		tell(t, STAGE_OK, "%s",
		     t->k->in->app->config.insecure ?
			     "the certificate was not checked (--insecure)" :
			     "the certificate is one that is trusted here");
}

static void tell_opened(struct board_talk *t, int64_t at_us)
{
	char time[TEXT_ROOM];

	t->open_us = at_us;
	while (t->at < TALK_OPEN)
		tell_passed(t);
	if (t->to.mqtt)
		tell(t, STAGE_OK, "accepted, %s after dialling, as %s",
		     took(0, at_us, time), t->to.client_id);
	else
		tell(t, STAGE_OK, "101, %s after dialling",
		     took(0, at_us, time));
}

/* The stage at which dialling ended. */
static enum board_talk_stage stage_of(const struct board_talk *t, int reason)
{
	switch (reason) {
	case WHY_NO_HOST:
	case WHY_NO_NAMESERVER:
		return TALK_NAME;
	case WHY_NO_CONNECTION:
		return TALK_TCP;
	case WHY_TLS:
	case WHY_TLS_SILENT:
	case WHY_BAD_CACERT:
		return TALK_TLS;
	case WHY_WENT: /* in TLS, or behind it: not known */
		return t->to.tls ? TALK_TLS : TALK_OPEN;
	default:
		return TALK_OPEN;
	}
}

static void tell_not_opened(struct board_talk *t, struct error *why)
{
	const enum board_talk_stage at = stage_of(t, why->reason);
	const unsigned plain = t->to.tls ? 0 : WITH_PLAIN;

	while (t->at < at)
		tell_passed(t);
	if (t->to.mqtt && t->to.tls && why->reason == WHY_TLS)
		diag_found(t->k->diag, M403, (struct span){ 0 }, "%s",
			   why->text);
	exchange_failure(t->k, why,
			 t->to.mqtt ? WITH_MQTT : WITH_BOARD | WITH_WS | plain);
	tell(t, STAGE_FAIL, "%s", why->text);
}

/* ---- what is said ---- */

static void tell_hello(struct board_talk *t)
{
	const char *session = t->k->diag->session_id;
	char time[TEXT_ROOM];

	tell(t, STAGE_OK, "after %s, %s%s",
	     took(t->said_hello_us, t->hello_us, time),
	     *session ? "session " : "no session_id", session);
}

/* When initialize came. */
static void add_when(const struct board_talk *t, struct buf *out)
{
	char time[TEXT_ROOM];

	if (t->hello_us && t->hello_us <= t->init_us)
		buf_printf(out, "after %s",
			   took(t->hello_us, t->init_us, time));
	else if (t->to.mqtt)
		buf_printf(out, "in standby, %s after CONNACK",
			   took(t->open_us, t->init_us, time));
	else
		buf_text(out, "before the hello");
}

static void tell_init(struct board_talk *t)
{
	CLEANUP(buf_done) struct buf name = { 0 }, evidence = { 0 };
	CLEANUP(buf_done) struct buf when = { 0 };

	if (!recognise_backend(t->k->diag, &name, &evidence))
		buf_text(&evidence, "it does not say who it is");
	else if (!name.len)
		buf_text(&evidence, ": nobody who is known");
	add_when(t, &when);
	tell(t, STAGE_OK, "%s, %s%s%s%s", buf_string(&when),
	     name.len ? "most likely " : "", buf_string(&name),
	     name.len ? ": " : "", buf_string(&evidence));
}

static void tell_list(struct board_talk *t)
{
	CLEANUP(buf_done) struct buf asked = { 0 };
	char time[TEXT_ROOM];

	wrap_count(&asked, t->lists, "request");
	tell(t, STAGE_OK, "to the last page, %s, %s; user-only tools %s",
	     buf_string(&asked),
	     took(t->init_us ? t->init_us : t->hello_us, t->list_us, time),
	     t->k->diag->user_tools ? "asked for, too" : "not asked for");
}

static void tell_quiet(struct board_talk *t)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	const bool endless = loop_now_us() >= t->limit_us;
	char time[TEXT_ROOM];

	wrap_count(&words, t->calls, "call");
	buf_text(&words, " of tools, ");
	wrap_count(&words, t->others, "other request");
	if (t->over)
		buf_printf(&words, "; it ended after %s of silence",
			   took(t->last_us, t->over_us, time));
	else
		buf_printf(&words,
			   endless ? "; it was never silent for %s" :
				     "; then nothing for %s",
			   text_milliseconds(t->quiet_ms, time, sizeof(time)));
	tell(t, STAGE_OK, "%s", buf_string(&words));
}

/* Tools of which the list never came. */
static void tell_lost(struct board_talk *t, const struct sim_named *lost)
{
	const struct words *n = &lost->name;
	CLEANUP(buf_done) struct buf words = { 0 };

	if (!t->lists) {
		tell(t, STAGE_ODD, "no tools/list came: it knows no tool");
		return;
	}
	wrap_count(&words, t->lists, "request");
	buf_text(&words, ", not to the last page");
	if (n->count) {
		buf_text(&words, "; ");
		wrap_count(&words, n->count, "tool");
		buf_text(&words, " lost:");
	}
	for (size_t i = 0; i < n->count && i < LOST_SHOWN; i++)
		buf_printf(&words, " %s", n->word[i]);
	if (n->count > LOST_SHOWN)
		buf_printf(&words, " … %zu more", n->count - LOST_SHOWN);
	tell(t, STAGE_ODD, "%s", buf_string(&words));
}

/* ---- frame by frame ---- */

static void take_facts(struct board_talk *t, int64_t at_us)
{
	const struct diag *d = t->k->diag;

	/* Over MQTT the board begins to listen once it takes one. */
	if (!t->hello_us && d->server_hello && !t->to.mqtt)
		t->hello_us = at_us;
	if (!t->init_us && d->initialized)
		t->init_us = at_us;
	if (!t->list_us && d->listed && !d->more_pages)
		t->list_us = at_us;
}

/* Which stages are over by what was said so far. */
static void advance(struct board_talk *t, int64_t at_us)
{
	take_facts(t, at_us);
	if (t->at == TALK_HELLO && t->hello_us)
		tell_hello(t);
	if (t->at == TALK_INIT && t->init_us)
		tell_init(t);
	if (t->at == TALK_INIT && t->k->diag->listed)
		tell(t, STAGE_ODD, "did not come before the list");
	if (t->at == TALK_LIST && t->list_us)
		tell_list(t);
}

static void count_requests(struct board_talk *t)
{
	const struct diag *d = t->k->diag;

	for (; t->seen < d->requests; t->seen++) {
		const uint8_t method = d->asked[t->seen % ASKED_KEPT].method;

		if (method == ASKED_LIST)
			t->lists++;
		else if (method == ASKED_CALL)
			t->calls++;
		else if (method != ASKED_INITIALIZE)
			t->others++;
	}
}

/* What we say that begins or ends a stage. */
static void take_own(struct board_talk *t, const struct trace *frame)
{
	const struct span whole = { frame->data, frame->len };
	struct span type = { 0 }, state = { 0 };

	if (!json_span_member(whole, "type", &type))
		return;
	if (json_span_is(type, "hello") && !t->said_hello_us)
		t->said_hello_us = frame->at_us;
	t->goodbye |= json_span_is(type, "goodbye");
	if (!json_span_is(type, "listen"))
		return;
	if (!t->hello_us)
		t->hello_us = frame->at_us;
	if (!json_span_member(whole, "state", &state) ||
	    !json_span_is(state, "detect"))
		return;
	t->said.began_us = frame->at_us;
}

static void feed(struct board_talk *t, const struct trace *frame, bool text)
{
	const struct diag_frame f = { .at_us = frame->at_us,
				      .leg = t->to.mqtt ? LEG_MQTT : LEG_WS,
				      .kind = text ? FRAME_IS_TEXT :
						     FRAME_IS_BINARY,
				      .from_device = frame->outgoing,
				      .data = frame->data,
				      .len = frame->len };

	diag_feed(t->k->diag, &f);
	count_requests(t);
	if (text && frame->outgoing)
		take_own(t, frame);
	if (!frame->outgoing)
		t->last_us = frame->at_us;
	advance(t, frame->at_us);
}

/* What stays open where it was quiet: the user says something now. */
static void tell_before_say(struct board_talk *t)
{
	if (t->at == TALK_HELLO)
		return;
	if (t->at == TALK_INIT)
		tell(t, STAGE_ODD, "initialize did not come");
	if (t->at == TALK_LIST)
		tell_lost(t, &(struct sim_named){ 0 });
	if (t->at == TALK_QUIET)
		tell_quiet(t);
}

void board_talk_trace(void *owner, const struct trace *frame)
{
	struct board_talk *t = owner;
	struct app *app = t->k->in->app;
	const bool text = strcmp(frame->kind, "text") == 0;
	const bool said = t->said.began_us != 0;

	if (app->out.verbose)
		render_trace(&app->out, frame);
	trace_write(app, frame);
	if (strcmp(frame->kind, "ready") == 0)
		tell_opened(t, frame->at_us);
	if (strcmp(frame->kind, "closed") == 0) {
		t->over = mem_strndup(frame->data, frame->len);
		t->over_us = frame->at_us;
		show_progress(t);
	}
	if (!text && strcmp(frame->kind, "binary") != 0)
		return;
	feed(t, frame, text);
	if (!said && t->said.began_us)
		tell_before_say(t);
	else if (said && text && !frame->outgoing)
		said_take(&t->said, t->k, frame->data, frame->len,
			  frame->at_us);
}

void board_talk_found(void *owner, const char *device, const struct finding *f,
		      const char *detail)
{
	const struct board_talk *t = owner;

	(void)device;
	/* What no frame shows, and what never came: the board knows. */
	if (detail && diag_count(t->k->diag, f->code) == 0)
		diag_found(t->k->diag, f->code, (struct span){ 0 }, "%s",
			   detail);
}

/* ---- the end ---- */

bool board_talk_was_heard(const struct board_talk *t)
{
	return t->last_us != 0;
}

static void tell_no_hello(struct board_talk *t, const struct sim_summary *sum)
{
	const char *ignored = sum->ignored_hello;

	if (!t->said_hello_us) {
		tell(t, STAGE_FAIL, "ours did not go out%s%s",
		     t->over ? ": " : "", t->over ? t->over : "");
		return;
	}
	exchange_no_hello(t->k, t->over ? t->over : "none came");
	tell(t, STAGE_FAIL, "none came that a board takes%s%s%s%s%s%s",
	     sum->said ? "; the backend said: " : "",
	     sum->said ? sum->said : "", ignored ? "; " : "",
	     ignored ? ignored : "", t->over ? "; " : "",
	     t->over ? t->over : "");
}

static void tell_say(struct board_talk *t)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	char time[TEXT_ROOM];

	said_words(&t->said, &words);
	if (!t->said.began_us)
		tell(t, STAGE_ODD, "nothing was said: %s",
		     t->over	 ? t->over :
		     t->hello_us ? "it was never quiet" :
				   "there is no session");
	else if (words.len)
		tell(t, STAGE_OK, "%s%s%s", buf_string(&words),
		     t->said.over_us ? "" :
		     t->over	     ? "; then " :
				       "; it never said that it is over",
		     t->over && !t->said.over_us ? t->over : "");
	else
		tell(t, STAGE_ODD, "nothing came%s%s", t->over ? ": " : " for ",
		     t->over ?
			     t->over :
			     text_milliseconds(t->say_ms, time, sizeof(time)));
}

static void tell_bye(struct board_talk *t)
{
	tell(t, t->over ? STAGE_ODD : STAGE_OK, "%s",
	     t->over	 ? t->over :
	     !t->to.mqtt ? "hung up by us, as a board does: no Close" :
	     t->goodbye	 ? "goodbye, then DISCONNECT" :
			   "DISCONNECT; without a session no goodbye");
}

void board_talk_end(struct board_talk *t, const struct sim_summary *sum,
		    struct error *why)
{
	check_progress(t->k, NULL);
	if (!sum->dialled)
		tell_not_opened(t, why);
	if (t->at == TALK_HELLO && sum->dialled)
		tell_no_hello(t, sum);
	/* Over MQTT MCP needs no session. */
	if (sum->welcomed || (t->to.mqtt && t->k->diag->requests > 0)) {
		advance(t, t->last_us);
		if (t->at == TALK_INIT)
			tell(t, STAGE_ODD, "initialize did not come");
		if (t->at == TALK_LIST)
			tell_lost(t, &sum->lost_tools);
	}
	if (t->at == TALK_QUIET)
		tell_quiet(t);
	if (t->at == TALK_SAY)
		tell_say(t);
	if (t->at == TALK_BYE)
		tell_bye(t);
	check_progress(t->k, NULL);
	check_stopped(t->k);
}

void board_talk_done(struct board_talk *t)
{
	said_done(&t->said);
	mem_free(t->over);
}
