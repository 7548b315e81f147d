/* SPDX-License-Identifier: MIT */
/*
 * What a device says, or any MCP server: replies that are lost or misread on
 * their way (device.md 1.5, 3; backends.md 1.9, 1.10).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/facts.h"
#include "diag/rule_row.h"
#include "mcp/revision.h"
#include "wire/access_point.h"
#include "wire/jsonrpc.h"

#define LATE_US 1000000 /* for what runs no tool and takes milliseconds */
#define UNASKED_MOST 1000 /* a second; firmware sends none (device.md 4.1) */

static struct span inside(struct span object, const char *name)
{
	struct span out = { 0 };

	if (json_span_begins(object, '{'))
		json_span_member(object, name, &out);
	return out;
}

/* ---- frames ---- */

static bool not_utf8(struct rule_look *l)
{
	const char *data = l->f->data;
	size_t at = 0, n;

	if (text_is_utf8(data, l->f->len))
		return false;
	while (at < l->f->len && (n = text_utf8(data + at, l->f->len - at)))
		at += n;
	return rule_hit(l, (struct span){ data + at, 1 }, "from byte %zu on",
			at);
}

static bool looks_like_reply(const struct rule_look *l)
{
	const struct span whole = { l->f->data, l->f->len };

	return l->r->asked ||
	       (memmem(whole.text, whole.len, "\"jsonrpc\"", 9) &&
		(memmem(whole.text, whole.len, "\"error\"", 7) ||
		 memmem(whole.text, whole.len, "\"result\"", 8)));
}

static struct span fault_of(const struct rule_look *l)
{
	if (l->r->fault >= l->f->len)
		return (struct span){ 0 };
	return (struct span){ l->f->data + l->r->fault, 1 };
}

#define CLOCK_US 1000 /* who gives up goes by a clock of milliseconds */

static bool is_over(const struct rule_look *l, const struct diag_asked *a)
{
	return a->answered_us ||
	       (a->gave_up_us && a->gave_up_us <= l->f->at_us + CLOCK_US);
}

/* It answers what others asked, which is no news. */
static bool is_to_others(const struct rule_look *l)
{
	const struct diag *d = l->d;
	const char *words = NULL;

	if (!l->r->asked && l->r->has_number && d->whose)
		words = d->whose(d->owner, l->r->number);
	return words && !*words;
}

/* Asked with a text as id, which came back bare: no JSON. */
static bool lost_quotes(const struct rule_look *l)
{
	const struct diag_asked *a = l->r->asked;

	return a && a->id_text && l->r->id.text &&
	       !json_span_begins(l->r->id, '"');
}

static bool bare_id(struct rule_look *l)
{
	return lost_quotes(l) &&
	       rule_hit(l, l->r->id, "id %.*s, in answer to %s",
			span_shown(l->r->id), l->r->id.text,
			asked_name(l->r->asked));
}

static bool broken_reply(struct rule_look *l)
{
	const struct diag_asked *a = l->r->asked;

	return !lost_quotes(l) && text_is_utf8(l->f->data, l->f->len) &&
	       looks_like_reply(l) && !is_to_others(l) &&
	       rule_hit(l, fault_of(l), "byte %zu: %s%s%s%s", l->r->fault,
			json_fault_words(l->f->data, l->f->len),
			a ? ", in answer to " : "", a ? asked_name(a) : "",
			a && is_over(l, a) ? ", which is over" : "");
}

/* What a program prints beside its messages (mcp.md, stdio). */
static bool is_noise(const struct rule_look *l)
{
	return l->f->leg == LEG_STDIO && !l->d->about.board;
}

static bool noise(struct rule_look *l)
{
	return is_noise(l) && !looks_like_reply(l) &&
	       rule_hit(l, fault_of(l), "no JSON from byte %zu on",
			l->r->fault);
}

static bool no_json(struct rule_look *l)
{
	return !is_noise(l) && text_is_utf8(l->f->data, l->f->len) &&
	       !looks_like_reply(l) && !is_to_others(l) &&
	       rule_hit(l, fault_of(l), "no JSON at byte %zu: %s", l->r->fault,
			json_fault_words(l->f->data, l->f->len));
}

static bool in_binary(struct rule_look *l)
{
	return rule_hit(l, (struct span){ 0 },
			"a binary frame, where messages are text");
}

/* No packet of Opus is JSON. */
static bool json_in_binary(struct rule_look *l)
{
	return l->f->len && *(const char *)l->f->data == '{' &&
	       !json_check(l->f->data, l->f->len, NULL) && in_binary(l);
}

static bool no_message(struct rule_look *l)
{
	const struct frame_reading *r = l->r;

	if (!r->is_object && !r->is_batch)
		return rule_hit(l, r->whole, "neither an object nor a list");
	if (json_span_is(r->type, "mcp") && !r->has_message && !r->is_batch)
		return rule_hit(l, r->payload,
				json_span_begins(r->payload, '{') ?
					NOT_A_MESSAGE :
					"mcp without a payload object");
	return !r->type.text && !r->has_message && !r->is_batch &&
	       rule_hit(l, r->whole, NOT_A_MESSAGE);
}

static bool no_sense(struct rule_look *l)
{
	const struct frame_reading *r = l->r;
	struct span batch = r->is_object ? r->payload : r->whole, part;
	size_t at = 0;

	if (r->is_batch)
		return !json_span_next(batch, &at, &part) &&
		       rule_hit(l, batch, "an empty batch");
	return !r->is_reply && !json_span_begins(r->method, '"') &&
	       rule_hit(l, r->whole, NOT_A_MESSAGE);
}

static bool unwanted_batch(struct rule_look *l)
{
	return l->r->is_batch && l->d->about.no_batches &&
	       rule_hit(l, l->r->whole, "it is not read");
}

/* ---- hello ---- */

static struct span hello_member(const struct rule_look *l, const char *name)
{
	return inside(l->r->whole, name);
}

static bool no_mcp(struct rule_look *l)
{
	struct span features = hello_member(l, "features");
	struct span mcp = inside(features, "mcp");

	if (json_span_literal(mcp, "true") || json_span_is(mcp, "true"))
		return false;
	return rule_hit(l, mcp.text ? mcp : features, "%s",
			mcp.text      ? "features.mcp is not true" :
			features.text ? "features has no mcp" :
					"hello has no features");
}

static bool other_transport(struct rule_look *l)
{
	struct span t = hello_member(l, "transport");
	const char *right = l->f->leg == LEG_MQTT ? "udp" : "websocket";

	return t.text && !json_span_is(t, right) &&
	       rule_hit(l, t, "%.*s instead of \"%s\"", span_shown(t), t.text,
			right);
}

static bool other_version(struct rule_look *l)
{
	struct span v = hello_member(l, "version");
	int64_t version;

	return l->d->about.protocol_version > 0 && v.text &&
	       json_span_integer(v, &version) == 0 &&
	       version != l->d->about.protocol_version &&
	       rule_hit(l, v, "hello says %lld, the header %d",
			(long long)version, l->d->about.protocol_version);
}

static bool hello_again(struct rule_look *l)
{
	return l->d->hellos && l->f->leg == LEG_WS &&
	       rule_hit(l, l->r->type, "%u times by now", l->d->hellos + 1);
}

/* ---- whose reply it is ---- */

static bool waits(const struct rule_look *l, const struct diag_asked *a)
{
	return !is_over(l, a) && !a->unmatched && !a->silent;
}

static const struct diag_asked *waiting(const struct rule_look *l)
{
	const struct diag *d = l->d;
	uint32_t kept = diag_kept(d);

	for (uint32_t i = 1; i <= kept; i++) {
		const struct diag_asked *a =
			&d->asked[(d->requests - i) % ASKED_KEPT];

		if (waits(l, a))
			return a;
	}
	return NULL;
}

/* It may have been asked longer ago than is remembered. */
static bool forgotten(const struct rule_look *l)
{
	const struct diag *d = l->d;

	return d->blurred ||
	       (d->requests > ASKED_KEPT && l->r->has_id &&
		l->r->number >= d->lost_least && l->r->number <= d->lost_most);
}

/* Nobody here asked. words: who did, if somebody; NULL. */
static bool is_stray(const struct rule_look *l, const char **words)
{
	const struct diag *d = l->d;

	*words = NULL;
	if (l->r->asked)
		return false;
	if (d->whose && l->r->has_number)
		*words = d->whose(d->owner, l->r->number);
	return *words ? **words != '\0' : !forgotten(l);
}

/* "id 7, and what an error says", or words in place of the id. */
static bool stray_hit(struct rule_look *l, const char *words,
		      const struct diag_asked *waits)
{
	const struct span id = l->r->id;
	const struct span message = l->r->error.text ?
					    l->r->part[ERROR_MESSAGE] :
					    (struct span){ 0 };
	const bool says = json_span_begins(message, '"');

	return rule_hit(l, id, "%s%.*s%s%s%s%.*s", words ? words : "id ",
			words	? 0 :
			id.text ? span_shown(id) :
				  4,
			id.text ? id.text : "none", waits ? ", while " : "",
			waits ? asked_name(waits) : "",
			waits ? (says ? " waits: " : " waits") :
			says  ? ": " :
				"",
			says ? span_shown(message) : 0,
			says ? message.text : "");
}

static bool has_null_id(const struct frame_reading *r)
{
	return !r->id.text || json_span_literal(r->id, "null");
}

/* An error without an id, to what had none that can be read, is right. */
static bool is_excused(const struct rule_look *l)
{
	return l->d->asked_batch ||
	       (l->d->asked_oddly && l->r->error.text && has_null_id(l->r));
}

/* Most likely what waits: it holds that, or what no notification gets. */
static bool suits(const struct rule_look *l, const struct diag_asked *waits)
{
	int64_t code = 0;

	if (l->r->error.text && l->r->part[ERROR_CODE].text)
		json_span_integer(l->r->part[ERROR_CODE], &code);
	return diag_count(l->d, P705) > 0 || code == JSONRPC_PARSE_ERROR ||
	       code == JSONRPC_INVALID_REQUEST ||
	       (!l->r->error.text && waits->method == ASKED_LIST &&
		l->r->part[RESULT_TOOLS].text) ||
	       (!l->r->error.text && waits->method == ASKED_CALL &&
		l->r->part[RESULT_CONTENT].text);
}

/* The last that was said wants none; what came behind it may wait by now. */
static bool to_notification(const struct rule_look *l)
{
	const struct diag_asked *a = waiting(l);

	return !l->d->about.board && l->d->notified && has_null_id(l->r) &&
	       !(a && suits(l, a));
}

static bool notification_answered(struct rule_look *l)
{
	return !l->r->asked && !is_excused(l) && to_notification(l) &&
	       rule_hit(l, l->r->error.text ? l->r->error : l->r->result,
			"it has no id");
}

static bool stray_while_waiting(struct rule_look *l)
{
	const struct diag_asked *a;
	const char *words;

	if (!is_stray(l, &words) || is_excused(l) || to_notification(l))
		return false;
	a = waiting(l);
	return a && stray_hit(l, words, a);
}

static bool stray(struct rule_look *l)
{
	const char *words;

	return is_stray(l, &words) && !is_excused(l) && !waiting(l) &&
	       !to_notification(l) && stray_hit(l, words, NULL);
}

#define WORDS_ROOM 100 /* of asked_words */

static bool id_as_text(struct rule_look *l)
{
	char words[WORDS_ROOM];

	const struct diag_asked *a = l->r->asked;
	const bool decimal = a && !a->id_decimal && id_is_decimal(l->r->id);
	const bool number =
		a && a->id_text && l->r->has_number && !l->r->number_was_text;

	if (!a ||
	    !(decimal || number || (l->r->number_was_text && !a->id_text)))
		return false;
	return rule_hit(l, l->r->id, "%s%s is %s",
			l->d->about.relays ? "the id of " : "",
			asked_words(l, a, words, sizeof(words)),
			decimal ? "no whole number" :
			number	? "a number, and was a text" :
				  "a text");
}

static bool second(struct rule_look *l)
{
	const struct diag_asked *a = l->r->asked;
	char words[WORDS_ROOM], ago[32];

	if (!a || !a->answered_us)
		return false;
	text_microseconds(l->f->at_us - a->answered_us, ago, sizeof(ago));
	return rule_hit(l, l->r->id, "%s, %s after the first",
			asked_words(l, a, words, sizeof(words)), ago);
}

static bool late(struct rule_look *l)
{
	const struct diag_asked *a = l->r->asked;
	char words[WORDS_ROOM], ago[32];
	int64_t late_us;

	if (!a || a->answered_us || !is_over(l, a))
		return false;
	late_us = l->f->at_us - a->gave_up_us;
	text_microseconds(late_us > 0 ? late_us : 0, ago, sizeof(ago));
	return rule_hit(l, l->r->id, "%s, late by %s",
			asked_words(l, a, words, sizeof(words)), ago);
}

/* A younger request was answered before; that this one still would be was not sure. */
static bool out_of_order(struct rule_look *l)
{
	const struct diag *d = l->d;
	const struct diag_asked *a = l->r->asked;
	char first[WORDS_ROOM], then[WORDS_ROOM];

	if (!a || !waits(l, a))
		return false;
	for (uint32_t i = d->requests; i != 0; i--) {
		const struct diag_asked *o = &d->asked[(i - 1) % ASKED_KEPT];

		if (o == a)
			return false;
		if (o->answered_us)
			return rule_hit(l, l->r->id, "%.60s before %.60s",
					asked_words(l, o, first, sizeof(first)),
					asked_words(l, a, then, sizeof(then)));
	}
	return false;
}

/* ---- what has no answer ---- */

#define SETTLED_US \
	2000000 /* what was on its way with the frame is there then */

static bool is_newest_of_its_id(const struct diag *d, uint32_t which)
{
	const struct diag_asked *a = &d->asked[which % ASKED_KEPT];

	for (uint32_t i = which + 1; i != d->requests; i++) {
		if (d->asked[i % ASKED_KEPT].id == a->id)
			return false;
	}
	return true;
}

/* Of its kind each is answered at once: a board takes no others. */
static bool is_owed(const struct rule_look *l, uint32_t which)
{
	const struct diag_asked *a = &l->d->asked[which % ASKED_KEPT];

	return !a->answered_us && !a->unmatched && !a->silent && !a->told &&
	       a != l->r->asked && a->method != ASKED_CALL &&
	       (l->d->about.board || a->method != ASKED_OTHER) &&
	       is_newest_of_its_id(l->d, which);
}

/*
 * From 1; 0: there is none. A tool that was called before holds up all that is
 * behind it, and may go on (device.md 3.9).
 */
static uint32_t overdue(const struct rule_look *l, int64_t wait)
{
	const struct diag *d = l->d;
	uint32_t i = d->requests < ASKED_KEPT ? 0 : d->requests - ASKED_KEPT;
	int64_t from = 0;

	for (; i != d->requests; i++) {
		const struct diag_asked *a = &d->asked[i % ASKED_KEPT];

		if (a->method == ASKED_CALL && waits(l, a))
			return 0;
		if (a->method == ASKED_CALL && a->answered_us > from)
			from = a->answered_us;
		if (a->at_us > from)
			from = a->at_us;
		if (l->f->at_us - from < wait)
			return 0;
		if (is_owed(l, i))
			return i + 1;
	}
	return 0;
}

/* It lives: it said something, or where that tells nothing, answered others. */
static bool goes_on(const struct rule_look *l)
{
	const struct diag *d = l->d;
	const struct diag_asked *oldest = &d->asked[d->settled % ASKED_KEPT];

	return l->r->is_object && d->settled != d->requests &&
	       (d->about.board ||
		(l->r->asked && l->r->asked->at_us > oldest->at_us));
}

/* Seen to be overdue, it has the time to come with what was on its way. */
static bool unanswered(struct rule_look *l)
{
	struct diag *d = l->d;
	const struct diag_asked *oldest = &d->asked[d->settled % ASKED_KEPT];
	const struct backend_fact *who;
	char words[WORDS_ROOM], time[TEXT_ROOM];
	uint32_t which;
	int64_t wait;

	if (!goes_on(l) || oldest == l->r->asked)
		return false;
	wait = backend_wait(&who) * 1000;
	if (wait == 0 || l->f->at_us - oldest->at_us < wait)
		return false;
	which = overdue(l, wait);
	if (which == 0 || which != d->overdue) {
		d->overdue = which;
		d->overdue_us = l->f->at_us;
		return false;
	}
	if (l->f->at_us - d->overdue_us < SETTLED_US)
		return false;
	d->overdue = 0;
	d->asked[(which - 1) % ASKED_KEPT].told = true;
	oldest = &d->asked[(which - 1) % ASKED_KEPT];
	return rule_hit(l, (struct span){ 0 },
			"%s, for %s; it said this meanwhile",
			asked_words(l, oldest, words, sizeof(words)),
			text_microseconds(l->f->at_us - oldest->at_us, time,
					  sizeof(time)));
}

/* ---- what the reply holds ---- */

static bool both(struct rule_look *l)
{
	char words[WORDS_ROOM];

	return l->r->result.text && l->r->error.text &&
	       !json_span_literal(l->r->result, "null") &&
	       !json_span_literal(l->r->error, "null") &&
	       rule_hit(l, l->r->error, "%s%sthe error counts",
			l->r->asked ? asked_words(l, l->r->asked, words,
						  sizeof(words)) :
				      "",
			l->r->asked ? ": " : "");
}

static bool large_reply(struct rule_look *l)
{
	const struct backend_fact *of;
	const size_t most = backend_message_max(&of);

	return most > 0 && l->f->len > most &&
	       rule_hit(l, (struct span){ 0 },
			"%zu bytes%s%s; the %s takes %zu", l->f->len,
			l->r->asked ? " in answer to " : "",
			l->r->asked ? asked_name(l->r->asked) : "", of->name,
			most);
}

/* An access point answers in place of the tool side. */
static bool no_tool_side(struct rule_look *l)
{
	const struct span code = l->r->part[ERROR_CODE],
			  words = l->r->part[ERROR_MESSAGE];
	int64_t number = 0;

	return l->r->error.text && code.text && words.text &&
	       json_span_integer(code, &number) == 0 &&
	       number == POINT_NO_TOOL_SIDE_CODE &&
	       json_span_is(words, POINT_NO_TOOL_SIDE) &&
	       rule_hit(l, words, POINT_NO_TOOL_SIDE);
}

static bool no_code(struct rule_look *l)
{
	return json_span_begins(l->r->error, '{') &&
	       !l->r->part[ERROR_CODE].text &&
	       rule_hit(l, l->r->error, "firmware up to 2.4.2: harmless");
}

/* It is there, and is a text, null, …; that there is none is D140. */
static bool odd_code(struct rule_look *l)
{
	const struct span code = l->r->part[ERROR_CODE];

	return json_span_begins(l->r->error, '{') && code.text &&
	       !strchr("-0123456789", code.text[0]) &&
	       rule_hit(l, code, "\"code\":%.*s", span_shown(code), code.text);
}

/* JSON-RPC 2.0, 5.1. null beside a result: there is none. */
static bool odd_error(struct rule_look *l)
{
	const struct span error = l->r->error;
	const struct span message = json_span_begins(error, '{') ?
					    l->r->part[ERROR_MESSAGE] :
					    (struct span){ 0 };

	return error.text && !json_span_literal(error, "null") &&
	       !(json_span_begins(message, '"') && message.len > 2) &&
	       rule_hit(l, message.text ? message : error, "%s%.*s",
			message.text ? "\"message\":" : "\"error\":",
			span_shown(message.text ? message : error),
			message.text ? message.text : error.text);
}

static bool no_version(struct rule_look *l)
{
	const struct span version = l->r->version;

	return l->r->asked && !json_span_is(version, "2.0") &&
	       rule_hit(l, version.text ? version : l->r->id, "%s%.*s",
			version.text ? "\"jsonrpc\":" : "there is none",
			version.text ? span_shown(version) : 0,
			version.text ? version.text : "");
}

static bool asked_for(const struct rule_look *l, enum asked_method method)
{
	return l->r->asked && l->r->asked->method == method;
}

static bool error_says(const struct rule_look *l, const char *words,
		       struct span *message)
{
	*message = l->r->part[ERROR_MESSAGE];
	return asked_for(l, ASKED_CALL) && json_span_begins(*message, '"') &&
	       message->len > strlen(words) &&
	       strncmp(message->text + 1, words, strlen(words)) == 0;
}

static bool unknown_tool(struct rule_look *l)
{
	struct span message;

	return error_says(l, "Unknown tool", &message) &&
	       rule_hit(l, message, "%s", l->r->asked->tool);
}

static bool wrong_argument(struct rule_look *l)
{
	static const char *const words[] = { "Missing valid argument",
					     "Missing required argument",
					     "Invalid type for argument" };
	struct span message;

	for (size_t i = 0; i < COUNT(words); i++) {
		if (error_says(l, words[i], &message))
			return rule_hit(l, message, "%s: %.*s",
					l->r->asked->tool,
					(int)text_cut(message.text + 1,
						      message.len - 2, 80),
					message.text + 1);
	}
	return false;
}

/* ---- lists ---- */

/* The page that this reply names was asked for before, in this listing. */
static bool was_page(const struct rule_look *l, uint32_t cursor)
{
	const struct diag *d = l->d;
	uint32_t kept = diag_kept(d);
	bool newer = true;

	for (uint32_t i = 1; i <= kept; i++) {
		const struct diag_asked *a =
			&d->asked[(d->requests - i) % ASKED_KEPT];

		newer &= a != l->r->asked;
		if (newer || a->method != ASKED_LIST)
			continue;
		if (a->cursor == cursor)
			return true;
		/* Several may list at once, through serve. */
		if (a->cursor == 0 || d->about.relays)
			return false;
	}
	return false;
}

static bool endless(struct rule_look *l)
{
	struct span next = l->r->part[RESULT_NEXT];
	const uint32_t cursor = cursor_hash(next);

	return asked_for(l, ASKED_LIST) && !l->r->error.text && cursor != 0 &&
	       was_page(l, cursor) &&
	       rule_hit(l, next, "nextCursor %.*s again", span_shown(next),
			next.text);
}

/* device.md 3.5; without a name it is a cursor that is not known */
static bool too_large_for_page(struct rule_look *l)
{
	static const char begin[] = "\"Failed to add tool ";
	const struct span message = l->r->error.text ?
					    l->r->part[ERROR_MESSAGE] :
					    (struct span){ 0 };
	const size_t len = sizeof(begin) - 1;

	return asked_for(l, ASKED_LIST) && message.len > len &&
	       memcmp(message.text, begin, len) == 0 &&
	       message.text[len] != ' ' &&
	       memmem(message.text, message.len, "payload size limit", 18) &&
	       rule_hit(l, message, "%.*s", span_shown(message), message.text);
}

static bool empty_next(struct rule_look *l)
{
	struct span next = l->r->part[RESULT_NEXT];

	return asked_for(l, ASKED_LIST) && json_span_begins(next, '"') &&
	       next.len == 2 &&
	       rule_hit(l, next, "some backends begin anew at it");
}

static bool empty_page(struct rule_look *l)
{
	const struct span next = l->r->part[RESULT_NEXT];
	const struct span tools = l->r->part[RESULT_TOOLS];
	struct span tool;
	size_t at = 0;

	return asked_for(l, ASKED_LIST) && json_span_begins(next, '"') &&
	       next.len > 2 && json_span_begins(tools, '[') &&
	       !json_span_next(tools, &at, &tool) &&
	       rule_hit(l, next, "nextCursor %.*s", span_shown(next),
			next.text);
}

static bool odd_next(struct rule_look *l)
{
	const struct span next = l->r->part[RESULT_NEXT];

	return asked_for(l, ASKED_LIST) && !l->r->error.text && next.text &&
	       !json_span_begins(next, '"') &&
	       !json_span_literal(next, "null") &&
	       rule_hit(l, next, "\"nextCursor\":%.*s", span_shown(next),
			next.text);
}

static bool no_list(struct rule_look *l)
{
	const struct span result = l->r->result;
	const struct span tools = l->r->part[RESULT_TOOLS];
	const struct span at = tools.text ? tools : result;

	return asked_for(l, ASKED_LIST) && result.text && !l->r->error.text &&
	       !json_span_begins(tools, '[') &&
	       rule_hit(l, at, "%s is %.*s",
			tools.text ? "tools" : "the result", span_shown(at),
			at.text);
}

static bool no_tool(struct rule_look *l)
{
	const struct span tools = l->r->part[RESULT_TOOLS];
	struct span tool, first = { 0 };
	size_t at = 0, count = 0;

	if (!asked_for(l, ASKED_LIST) || l->r->error.text ||
	    !json_span_begins(tools, '['))
		return false;
	while (json_span_next(tools, &at, &tool)) {
		if (json_span_begins(tool, '{'))
			continue;
		if (count++ == 0)
			first = tool;
	}
	return count > 0 && rule_hit(l, first, "%.*s%s", span_shown(first),
				     first.text, count > 1 ? ", and more" : "");
}

/* ---- revisions, notifications ---- */

static bool no_revision(struct rule_look *l)
{
	const struct span result = l->r->result;
	const struct span revision = inside(result, "protocolVersion");

	return asked_for(l, ASKED_INITIALIZE) && result.text &&
	       !l->r->error.text && !json_span_begins(revision, '"') &&
	       rule_hit(l, revision.text ? revision : result,
			revision.text ? "protocolVersion is no text" :
					"there is no protocolVersion");
}

/* What clients with types insist on beside the revision. */
static bool bare_initialize(struct rule_look *l)
{
	const struct span result = l->r->result;
	const bool abilities =
		json_span_begins(inside(result, "capabilities"), '{');

	return asked_for(l, ASKED_INITIALIZE) && !l->r->error.text &&
	       json_span_begins(inside(result, "protocolVersion"), '"') &&
	       !(abilities &&
		 json_span_begins(inside(result, "serverInfo"), '{')) &&
	       rule_hit(l, result, "it has no object %s",
			abilities ? "serverInfo" : "capabilities");
}

static bool unknown_revision(struct rule_look *l)
{
	const struct span revision = inside(l->r->result, "protocolVersion");
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!asked_for(l, ASKED_INITIALIZE) || !json_span_begins(revision, '"'))
		return false;
	text = mem_strndup(revision.text + 1, revision.len - 2);
	return !revision_known(ERA_LEGACY, text) &&
	       rule_hit(l, revision, "it answers with %.*s",
			text_shown(text, 60), text);
}

static bool flood(struct rule_look *l)
{
	return !l->r->is_request && json_span_begins(l->r->method, '"') &&
	       l->d->unasked == UNASKED_MOST &&
	       l->f->at_us - l->d->unasked_us <= 1000000 &&
	       rule_hit(l, l->r->method, "%.*s, %d within a second",
			span_shown(l->r->method), l->r->method.text,
			UNASKED_MOST);
}

/* ---- results of calls ---- */

/* Controls, DEL, C1, direction; tab and line ends are fine. */
static bool is_unseen(uint32_t point)
{
	if (point < 0x20)
		return point != '\t' && point != '\n' && point != '\r';
	return (point >= 0x7f && point < 0xa0) ||
	       (point >= 0x202a && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

/* What the character at p stands for, and its bytes: \uXXXX, \n, or as it is. */
static uint32_t point_at(const char *p, size_t left, size_t *size)
{
	char digits[5] = "";

	*size = 2;
	if (*p == '\\' && (left < 6 || p[1] != 'u'))
		return left > 1 && (p[1] == 'b' || p[1] == 'f') ? '\b' : '\n';
	*size = *p == '\\' ? 6 : text_utf8(p, left);
	if (*p != '\\')
		return text_point(p, *size);
	memcpy(digits, p + 2, 4);
	return (uint32_t)strtoul(digits, NULL, 16);
}

static bool is_plain(char c)
{
	return c != '\\' && c >= 0x20 && c < 0x7f;
}

static bool unseen_text(struct rule_look *l)
{
	const struct span content = l->r->part[RESULT_CONTENT];
	size_t size;

	if (!asked_for(l, ASKED_CALL) || l->r->error.text || !content.text)
		return false;
	for (size_t i = 0; i < content.len; i += size ? size : 1) {
		const char *p = content.text + i;

		size = 1;
		if (!is_plain(*p) &&
		    is_unseen(point_at(p, content.len - i, &size)))
			return rule_hit(l, (struct span){ p, 1 },
					"in the result of %s",
					asked_name(l->r->asked));
	}
	return false;
}

static bool no_is_error(struct rule_look *l)
{
	struct span is_error = l->r->part[RESULT_IS_ERROR];

	if (!asked_for(l, ASKED_CALL) || l->r->error.text ||
	    !json_span_begins(l->r->result, '{') ||
	    json_span_begins(is_error, 't') || json_span_begins(is_error, 'f'))
		return false;
	return rule_hit(l, is_error.text ? is_error : l->r->result, "%s: %.*s",
			asked_name(l->r->asked),
			is_error.text ? span_shown(is_error) : 10,
			is_error.text ? is_error.text : "it is none");
}

/* A picture or the like, as MCP has it: it is no text, and is none by right. */
static bool item_is_other(struct span type)
{
	static const char *const types[] = { "image", "audio", "resource",
					     "resource_link" };

	for (size_t i = 0; i < COUNT(types); i++) {
		if (json_span_is(type, types[i]))
			return true;
	}
	return false;
}

static bool not_one_item(struct rule_look *l)
{
	struct span content = l->r->part[RESULT_CONTENT];

	if (!asked_for(l, ASKED_CALL) || l->r->error.text)
		return false;
	if (l->r->items != 1)
		return rule_hit(l, content.text ? content : l->r->result,
				"%s: %zu items", asked_name(l->r->asked),
				l->r->items);
	return !json_span_begins(l->r->item[ITEM_TEXT], '"') &&
	       !json_span_begins(l->r->item[ITEM_IMAGE], '"') &&
	       !item_is_other(l->r->item[ITEM_TYPE]) &&
	       rule_hit(l, content, "%s: %.*s", asked_name(l->r->asked),
			span_shown(content), content.text);
}

/* The first item as schemas of MCP have it: a text of type text has a text. */
static bool item_is_read(const struct frame_reading *r)
{
	const struct span type = r->item[ITEM_TYPE];

	if (!json_span_begins(type, '"'))
		return false;
	return !json_span_is(type, "text") ||
	       json_span_begins(r->item[ITEM_TEXT], '"');
}

/* It asks back, or goes on as a task (MCP 2025-11-25, 2026-07-28). */
static bool is_other_result(struct span result)
{
	const struct span kind = inside(result, "resultType");

	return inside(result, "task").text ||
	       (kind.text && !json_span_is(kind, "complete"));
}

/*
 * MCP 2026-07-28, results: one that is not known is invalid. An older revision
 * has no such member, and what is in it is the server's own.
 */
static bool unknown_result(struct rule_look *l)
{
	const struct span kind = inside(l->r->result, "resultType");

	return kind.text && l->r->asked && l->r->asked->modern &&
	       !json_span_is(kind, "complete") &&
	       !json_span_is(kind, "input_required") &&
	       !json_span_is(kind, "task") &&
	       rule_hit(l, kind, "%s: \"resultType\":%.*s",
			asked_name(l->r->asked), span_shown(kind), kind.text);
}

static bool no_content(struct rule_look *l)
{
	const struct frame_reading *r = l->r;
	const struct span content = r->part[RESULT_CONTENT];
	const struct span at = content.text ? content : r->result;

	if (!asked_for(l, ASKED_CALL) || r->error.text || !r->result.text ||
	    is_other_result(r->result) ||
	    (json_span_begins(content, '[') &&
	     (r->items == 0 || item_is_read(r))))
		return false;
	return rule_hit(l, at, "%s: %s is %.*s", asked_name(r->asked),
			content.text ? "content" : "the result", span_shown(at),
			at.text);
}

static bool nothing_in_it(struct rule_look *l)
{
	const struct frame_reading *r = l->r;
	const struct span content = r->part[RESULT_CONTENT];
	struct span structured;

	return asked_for(l, ASKED_CALL) && !r->error.text &&
	       json_span_begins(content, '[') && !r->items &&
	       !json_span_literal(r->part[RESULT_IS_ERROR], "true") &&
	       !json_span_member(r->result, "structuredContent", &structured) &&
	       rule_hit(l, content, "%s", asked_name(r->asked));
}

static bool firmware_image(struct rule_look *l)
{
	const struct span image = l->r->item[ITEM_IMAGE];

	return asked_for(l, ASKED_CALL) && json_span_begins(image, '"') &&
	       rule_hit(l, image, "%s", asked_name(l->r->asked));
}

/* Of a JSON text; RFC 4648, 4, with blanks, and with or without padding. */
static bool is_base64(struct span data)
{
	CLEANUP(mem_free_ptr) char *plain = NULL;

	if (!memchr(data.text, '\\', data.len))
		return text_is_base64(data.text + 1, data.len - 2);
	plain = json_span_string(data);
	return plain && text_is_base64(plain, strlen(plain));
}

static bool odd_data(struct rule_look *l, struct span item)
{
	static const char *const names[] = { "type", "data" };
	struct span part[2] = { 0 };

	if (!json_span_begins(item, '{'))
		return false;
	json_span_members(item, names, COUNT(names), part);
	if ((!json_span_is(part[0], "image") &&
	     !json_span_is(part[0], "audio")) ||
	    !part[1].text ||
	    (json_span_begins(part[1], '"') && is_base64(part[1])))
		return false;
	return rule_hit(l, part[1], "%s: data is %.*s%s",
			asked_name(l->r->asked), span_shown(part[1]),
			part[1].text,
			memmem(part[1].text, part[1].len, "base64,", 7) ?
				" (a data: URL)" :
				"");
}

/* MCP 2025-06-18, tools, image content. A single text has none. */
static bool no_base64(struct rule_look *l)
{
	struct span item;
	size_t at = 0;

	if (!asked_for(l, ASKED_CALL) ||
	    (l->r->items == 1 && json_span_is(l->r->item[ITEM_TYPE], "text")))
		return false;
	while (l->r->items &&
	       json_span_next(l->r->part[RESULT_CONTENT], &at, &item)) {
		if (odd_data(l, item))
			return true;
	}
	return false;
}

/* The text is looked into only where it speaks of success at all. */
static bool says_no_success(struct span text)
{
	CLEANUP(mem_free_ptr) char *inner = NULL;
	struct span success = { 0 };

	if (!json_span_begins(text, '"') ||
	    !memmem(text.text, text.len, "\\\"success\\\"", 11))
		return false;
	inner = json_span_string(text);
	if (!inner || json_check(inner, strlen(inner), NULL))
		return false;
	success = inside((struct span){ inner, strlen(inner) }, "success");
	return success.len == 5 && memcmp(success.text, "false", 5) == 0;
}

static bool told_as_success(struct rule_look *l)
{
	const struct span text = l->r->item[ITEM_TEXT];

	return asked_for(l, ASKED_CALL) &&
	       !json_span_literal(l->r->part[RESULT_IS_ERROR], "true") &&
	       says_no_success(text) &&
	       rule_hit(l, text, "%s", asked_name(l->r->asked));
}

/* The shortest time that it has for a call and that is over by then; 0. */
static int64_t gives_up(const struct backend_fact *b, int64_t took)
{
	if (b->api_ms > 0 && took > b->api_ms * 1000)
		return b->api_ms;
	return b->call_ms > 0 && took > b->call_ms * 1000 ? b->call_ms : 0;
}

/*
 * Runs no tool, and came when the device had begun to listen, which its main
 * loop does (device.md 3.9).
 */
static bool behind_listen(struct rule_look *l)
{
	const struct diag_asked *a = l->r->asked;
	int64_t took = a && !a->answered_us ? l->f->at_us - a->at_us : 0;
	char words[WORDS_ROOM], time[32];

	if (took < LATE_US || a->method == ASKED_CALL ||
	    l->d->listen_us <= a->at_us)
		return false;
	text_microseconds(took, time, sizeof(time));
	return rule_hit(l, l->r->id, "%s took %s",
			asked_words(l, a, words, sizeof(words)), time);
}

/* Whom that is too slow for, of those that are known. */
static bool slow(struct rule_look *l)
{
	const struct diag_asked *a = l->r->asked;
	const struct backend_fact *b;
	int64_t took = a && !a->answered_us ? l->f->at_us - a->at_us : 0;
	char time[TEXT_ROOM], end[TEXT_ROOM];
	int64_t over;
	size_t count, i;

	if (!asked_for(l, ASKED_CALL))
		return false;
	b = backend_facts(&count);
	for (i = 0; i < count && !gives_up(&b[i], took); i++)
		;
	if (i == count)
		return false;
	over = gives_up(&b[i], took);
	return rule_hit(l, l->r->id, "%s took %s; the %s%s gives up after %s",
			asked_name(a),
			text_microseconds(took, time, sizeof(time)), b[i].name,
			over == b[i].api_ms ? "'s HTTP API" : "",
			text_milliseconds(over, end, sizeof(end)));
}

/* ---- requests of its own ---- */

static bool posing(struct rule_look *l)
{
	return !l->r->is_request && json_span_begins(l->r->method, '"') &&
	       l->r->id.text && !json_span_literal(l->r->id, "null") &&
	       rule_hit(l, l->r->id, "%.*s has the id %.*s",
			span_shown(l->r->method), l->r->method.text,
			span_shown(l->r->id), l->r->id.text);
}

/* clang-format off */
const struct rule device_rules[] = {
	{ D125, ON_BROKEN, OF_ANY, not_utf8 },
	{ P719, ON_BROKEN, OF_ANY, bare_id },
	{ D124, ON_BROKEN, OF_ANY, broken_reply },
	{ P702, ON_BROKEN, OF_PLAIN, noise },
	{ D143, ON_BROKEN, OF_ANY, no_json },
	{ D143, ON_JSON, OF_ANY, no_message },
	{ D143, ON_MESSAGE, OF_ANY, no_sense },
	{ P709, ON_MESSAGE, OF_ANY, unwanted_batch },
	{ D101, ON_HELLO, OF_BOARD, no_mcp },
	{ D103, ON_HELLO, OF_BOARD, other_transport },
	{ D104, ON_HELLO, OF_BOARD, other_version },
	{ D142, ON_HELLO, OF_BOARD, hello_again },
	{ D116, ON_REPLY, OF_ANY, stray_while_waiting },
	{ D115, ON_REPLY, OF_ANY, stray },
	{ D114, ON_REPLY, OF_ANY, id_as_text },
	{ D123, ON_REPLY, OF_ANY, second },
	{ B250, ON_REPLY, OF_ANY, late },
	{ D122, ON_REPLY, OF_BOARD, out_of_order },
	{ D145, ON_JSON, OF_ANY, unanswered },
	{ D127, ON_REPLY, OF_ANY, both },
	{ P717, ON_REPLY, OF_PLAIN, no_tool_side },
	{ D120, ON_REPLY, OF_BOARD, large_reply },
	{ D140, ON_REPLY, OF_BOARD, no_code },
	{ B240, ON_REPLY, OF_BOARD, unknown_tool },
	{ B241, ON_REPLY, OF_BOARD, wrong_argument },
	{ D106, ON_REPLY, OF_ANY, endless },
	{ D108, ON_REPLY, OF_BOARD, too_large_for_page },
	{ D107, ON_REPLY, OF_ANY, empty_next },
	{ D146, ON_REPLY, OF_ANY, empty_page },
	{ D150, ON_REPLY, OF_ANY, odd_next },
	{ D151, ON_REPLY, OF_ANY, no_list },
	{ D152, ON_REPLY, OF_ANY, odd_error },
	{ D153, ON_REPLY, OF_ANY, no_version },
	{ D158, ON_REPLY, OF_ANY, odd_code },
	{ D159, ON_REPLY, OF_ANY, no_base64 },
	{ D154, ON_REPLY, OF_ANY, no_tool },
	{ D119, ON_REPLY, OF_ANY, unseen_text },
	{ P701, ON_REPLY, OF_PLAIN, unknown_revision },
	{ P712, ON_REPLY, OF_PLAIN, no_revision },
	{ P720, ON_REPLY, OF_PLAIN, bare_initialize },
	{ P705, ON_REPLY, OF_PLAIN, notification_answered },
	{ P711, ON_REPLY, OF_PLAIN, no_content },
	{ P727, ON_REPLY, OF_PLAIN, unknown_result },
	{ P726, ON_REPLY, OF_PLAIN, nothing_in_it },
	{ D148, ON_MESSAGE, OF_ANY, flood },
	{ D126, ON_REPLY, OF_BOARD, no_is_error },
	{ D139, ON_REPLY, OF_BOARD, not_one_item },
	{ D128, ON_REPLY, OF_BOARD, firmware_image },
	{ D129, ON_REPLY, OF_BOARD, told_as_success },
	{ D131, ON_REPLY, OF_BOARD, slow },
	{ D141, ON_REPLY, OF_BOARD | ENVELOPED, behind_listen },
	{ D144, ON_BINARY, OF_BOARD, rule_no_audio },
	{ D143, ON_BINARY, OF_PLAIN, in_binary },
	{ D143, ON_BINARY, OF_BOARD, json_in_binary },
	{ D137, ON_MESSAGE, OF_ANY, posing },
};
/* clang-format on */
const size_t device_rules_count = COUNT(device_rules);
