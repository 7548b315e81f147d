/* SPDX-License-Identifier: MIT */
#include "check/said.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
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

void said_take(struct said *s, struct checkup *k, const char *text, size_t len,
	       int64_t at_us)
{
	const struct span whole = { text, len };
	struct span type = { 0 };

	if (!s->first_us)
		s->first_us = at_us;
	s->messages++;
	if (json_check(text, len, NULL) || *text != '{' ||
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
	char took[TEXT_ROOM];

	begin_part(out);
	buf_printf(out, "%s after %s", what,
		   text_microseconds(us > 0 ? us : 0, took, sizeof(took)));
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

void said_words(const struct said *s, struct buf *out)
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

void said_done(struct said *s)
{
	mem_free(s->heard);
	mem_free(s->spoken);
	mem_free(s->emotion);
	words_done(&s->called);
}
