/* SPDX-License-Identifier: MIT */
/* Firmware looks at the status alone; what stands in the body is the answer. */
#include "diag/vision_rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/answer.h"
#include "wire/board_text.h"

#define PLACEHOLDER "你的" /* "your": nobody filled it in */

struct upload_reply {
	struct diag *d;
	const struct vision_answer *a;
	struct diag_frame f;
};

#define TELL(r, code, at, ...) \
	diag_found_in((r)->d, code, &(r)->f, at, __VA_ARGS__)

static const struct span whole = { 0 };

/*
 * 411 says it (RFC 9110 15.5.12); 400 and 501 are of many things, unless the
 * words name it.
 */
static bool refuses_chunked(const struct vision_answer *a, const char *words)
{
	static const char *const known[] = {
		"chunked",	  "transfer-encoding", "transfer encoding",
		"content-length", "content length",    "length required"
	};

	if (a->status == 411)
		return true;
	if (a->status != 400 && a->status != 501)
		return false;
	for (size_t i = 0; i < COUNT(known); i++) {
		if (text_find(words, known[i]))
			return true;
	}
	return false;
}

static void judge_refusal(const struct upload_reply *r)
{
	const struct vision_answer *a = r->a;
	char words[ANSWER_WORDS];

	answer_words(a->body, a->len, words);
	if (a->half_way && !a->status)
		TELL(r, V508, whole, "it closed after %zu bytes", a->sent);
	else if (!a->status)
		return;
	else if (refuses_chunked(a, words))
		TELL(r, V503, whole, "HTTP %d%s", a->status, words);
	else if (a->half_way && a->status == 413)
		TELL(r, V508, whole, "HTTP 413 after %zu bytes%.40s", a->sent,
		     words);
	else if (a->location && *a->location)
		TELL(r, V501, whole,
		     "HTTP %d to '%.60s', and boards do not follow", a->status,
		     a->location);
	else
		TELL(r, V501, whole, "HTTP %d%s", a->status, words);
}

/* {"success":false,…}, {"error":…} */
static bool is_failure(const struct vision_answer *a, struct span *at)
{
	struct span body = { a->body, a->len };

	if (!body.len || json_check(body.text, body.len, NULL))
		return false;
	body.len = text_trim(&body.text, body.len);
	if (*body.text != '{')
		return false;
	if (answer_code_fails(body, at))
		return true;
	if (json_span_member(body, "success", at))
		return at->len == 5 && strncmp(at->text, "false", 5) == 0;
	/* null, false and 0 say that there is none */
	return json_span_member(body, "error", at) && !strchr("nf0", *at->text);
}

static void judge_success(const struct upload_reply *r)
{
	const struct vision_answer *a = r->a;
	char words[ANSWER_WORDS];
	const char *text = a->body;
	struct span at = { 0 };

	answer_words(a->body, a->len, words);
	if (answer_is_page(a->content_type, a->body, a->len) &&
	    (!a->len || json_check(a->body, a->len, NULL)))
		TELL(r, V505, whole, "a web page%s", words);
	else if (!text_trim(&text, a->len))
		TELL(r, V505, whole, "the answer is empty");
	else if (!text_is_utf8(a->body, a->len))
		TELL(r, V505, whole,
		     "the answer is no text in UTF-8 (compressed?), and goes to the model as it is");
	else if (is_failure(a, &at))
		TELL(r, V505, at, "%s", *words ? words + 2 : "it says no more");
}

static void judge_size(const struct upload_reply *r)
{
	const struct vision_answer *a = r->a;
	char words[ANSWER_SIZE_WORDS];

	if (answer_hangs(a->len, a->has_length ? a->length : -1, a->more,
			 words))
		TELL(r, V502, whole, "%s", words);
}

static void judge_length(const struct upload_reply *r)
{
	const struct vision_answer *a = r->a;

	if (a->has_length && a->length == 0)
		TELL(r, V507, whole,
		     "with Content-Length: 0 boards wait for the end of the connection, too");
	else if (!a->has_length && !a->chunked)
		TELL(r, V507, whole,
		     "the board waits until the connection ends, 30 s at most");
}

void diag_vision(struct diag *d, const struct vision_answer *a)
{
	struct vision_answer known = *a;
	struct upload_reply r = { .d = d, .a = &known };

	if (!known.body)
		known.body = "";
	r.f = (struct diag_frame){ .at_us = a->at_us,
				   .leg = LEG_VISION,
				   .data = known.body,
				   .len = a->len };
	if (a->part != ANSWER_BODY)
		diag_answer(d);
	if (a->status == 200 && a->part != ANSWER_BODY)
		judge_length(&r);
	if (a->part == ANSWER_HEAD)
		return;
	if (a->status != 200) {
		judge_refusal(&r);
		return;
	}
	judge_size(&r);
	judge_success(&r);
}

/* The address. */

#define URL_SHOWN 60 /* bytes */
/* For "%.*s": between characters. */
#define CUT(url) text_shown(url, URL_SHOWN), url

static int vision_say(char words[VISION_WORDS], int code, const char *format,
		      ...) PRINTF_LIKE(3, 4);

static int vision_say(char words[VISION_WORDS], int code, const char *format,
		      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(words, VISION_WORDS, format, args);
	va_end(args);
	return code;
}

static int address_fault(const char *url, const struct reach_from *from,
			 char words[VISION_WORDS])
{
	struct board_url u;
	char why[REACH_WHY];
	enum reach reach;

	if (!board_url_read(&u, url))
		return vision_say(
			words, V506,
			u.fault == BOARD_URL_NO_NUMBER ?
				"\"%.*s\": what is taken for its port is no number" :
				"\"%.*s\" is no http://HOST:PORT/PATH",
			CUT(url));
	reach = reach_judge(from, u.host, u.host_len, why);
	if (reach == REACH_OPEN)
		return -1;
	return vision_say(words, reach == REACH_NEVER ? V506 : V509, "%.*s: %s",
			  (int)text_cut(u.host, u.host_len, URL_SHOWN), u.host,
			  why);
}

int vision_url_fault(struct span url, const struct reach_from *from,
		     char words[VISION_WORDS])
{
	CLEANUP(mem_free_ptr) char *text = json_span_string(url);

	if (!url.text)
		return vision_say(words, V506, "there is none");
	if (!text)
		return vision_say(words, V506, "it is no text");
	if (!*text)
		return vision_say(words, V506, "it is empty");
	if (strstr(text, PLACEHOLDER) || strcmp(text, "null") == 0)
		return vision_say(words, V506, "nobody filled \"%.*s\" in",
				  CUT(text));
	if (!text_starts(text, "http://") && !text_starts(text, "https://"))
		return vision_say(words, V506,
				  "\"%.*s\" has no http:// in front",
				  CUT(text));
	return address_fault(text, from, words);
}

void diag_vision_url(struct diag *d, const struct diag_frame *f,
		     struct span url, const struct reach_from *from)
{
	char words[VISION_WORDS];
	const int code = vision_url_fault(url, from, words);

	if (code >= 0)
		diag_found_in(d, (enum diag_code)code, f, url, "%s", words);
}
