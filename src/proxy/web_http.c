/* SPDX-License-Identifier: MIT */
/*
 * A request over HTTP through the proxy: a board's OTA question or activation,
 * a picture, or anything else that the OTA server has. What comes is relayed as
 * it comes; only the answer to OTA is held until it is whole, and edited.
 */
#include "proxy/web_http.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/ota_rules.h"
#include "diag/vision_rules.h"
#include "net/head.h"
#include "net/port_parts.h"
#include "proxy/stage.h"
#include "proxy/tell.h"
#include "proxy/web.h"
#include "proxy/web_leg.h"
#include "proxy/web_ota.h"
#include "wire/http_parts.h"

#define KEEP_QUESTION 65536
#define KEEP_ANSWER ((size_t)1 << 20)
#define KEEP_OTHER 4096
#define IDLE_MS 120000
#define LINGER_MS 2000

enum asked_for { FOR_OTA, FOR_ACTIVATION, FOR_VISION, FOR_OTHER };

struct http_leg {
	struct web_leg leg;
	struct http_parts question, answer;
	enum asked_for what;
	bool dialled, asked_told, answer_told, ended, by_hand;
	bool waits; /* nobody was dialled for it yet */
	bool left; /* the board ended its side before the answer began */
	bool expects; /* "Expect": its body comes behind a word of the upstream */
	bool holds; /* the answer, until it is whole */
	struct buf held;
	struct buf next; /* of the question behind this one */
	char *host; /* of the first one: all are for it */
	char *device, *version; /* NULL */
};

/* ---- what is told ---- */

static struct span head_lines(const struct http_parts *p)
{
	return (struct span){ buf_string(&p->head),
			      p->head.len > 2 ? p->head.len - 2 : 0 };
}

static void learn_board(struct http_leg *w)
{
	struct ota_request rq = { 0 };
	struct ota_board board;
	struct head h;
	struct front_head view = { 0 };

	if (head_parse(&h, w->question.head.data, w->question.head.len) !=
	    HEAD_READY)
		return;
	view.headers = &h.headers;
	ota_read(&rq, &view, buf_string(&w->question.body),
		 w->question.body.len, NULL);
	ota_board(&board, &rq);
	mem_free(w->version);
	w->version = mem_strdup(board.version);
	talk_is(w->leg.talk, NULL, *board.name ? board.name : NULL,
		*board.version ? board.version : NULL);
	head_done(&h);
}

static void tell_question(struct http_leg *w)
{
	struct http_parts *q = &w->question;
	struct capture_event e = { .kind = CAPTURED_REQUEST,
				   .from = FROM_DEVICE,
				   .head = head_lines(q),
				   .data = { buf_string(&q->body),
					     q->body.len },
				   .size = (size_t)q->size,
				   .bytes = w->what == FOR_VISION,
				   .cut = q->body.len < q->size };

	if (w->asked_told || !w->leg.talk || !q->has_head)
		return;
	w->asked_told = true;
	talk_pass(w->leg.talk, &e);
	if (w->what == FOR_OTA)
		learn_board(w);
}

static void tell_answer(struct http_leg *w, const struct buf *instead)
{
	struct http_parts *a = &w->answer;
	struct capture_event e = { .kind = CAPTURED_RESPONSE,
				   .from = FROM_BACKEND,
				   .status = a->status,
				   .head = head_lines(a),
				   .data = { buf_string(&a->body),
					     a->body.len },
				   .size = (size_t)a->size,
				   .cut = a->body.len < a->size };

	tell_question(w);
	if (w->answer_told || !w->leg.talk)
		return;
	w->answer_told = true;
	if (instead)
		e.passed = (struct span){ buf_string(instead), instead->len };
	talk_pass(w->leg.talk, &e);
}

/* ---- judged ---- */

static void judge_ota(struct http_leg *w)
{
	struct http_parts *a = &w->answer;
	CLEANUP(mem_free_ptr)
	char *location = http_parts_text(&a->head, "Location");
	CLEANUP(mem_free_ptr)
	char *type = http_parts_text(&a->head, "Content-Type");
	CLEANUP(mem_free_ptr)
	char *coding = http_parts_text(&a->head, "Content-Encoding");
	const struct ota_answer o = {
		.at_us = loop_now_us(),
		.status = a->status,
		.location = location,
		.content_type = type,
		.content_encoding = coding,
		.has_length = a->has_length,
		.chunked = a->how == BODY_CHUNKED,
		.length = (int64_t)a->length,
		.body = buf_string(&a->body),
		.len = a->body.len,
		.more = a->body.len < a->size,
		.from = { .board = w->leg.address, .asked = w->leg.up.url },
		.board_version = w->version && *w->version ? w->version : NULL,
	};

	diag_ota(&w->leg.talk->diag, &o);
}

static void judge_vision(struct http_leg *w, bool half_way)
{
	struct http_parts *a = &w->answer;
	CLEANUP(mem_free_ptr)
	char *type = http_parts_text(&a->head, "Content-Type");
	const struct vision_answer v = {
		.at_us = loop_now_us(),
		.status = a->status,
		.content_type = type,
		.has_length = a->has_length,
		.chunked = a->how == BODY_CHUNKED,
		.length = (int64_t)a->length,
		.body = buf_string(&a->body),
		.len = a->body.len,
		.more = a->body.len < a->size,
		.half_way = half_way,
		.sent = (size_t)w->question.size,
	};

	diag_vision(&w->leg.talk->diag, &v);
}

static void judge(struct http_leg *w)
{
	/* What answers a HEAD has no body that could be wrong. */
	if (!w->leg.talk || w->answer.to_head)
		return;
	if (w->what == FOR_OTA)
		judge_ota(w);
	else if (w->what == FOR_VISION)
		judge_vision(w, !w->question.over);
}

/* ---- the answer ---- */

static void note_changes(struct http_leg *w, const struct buf *changes)
{
	const char *at = buf_string(changes);

	while (*at) {
		int len = (int)strcspn(at, "\n");

		talk_note(w->leg.talk, "%.*s", len, at);
		at += len + (at[len] == '\n');
	}
}

/* The whole answer to OTA is held: what of it goes on? */
static void edit_answer(struct http_leg *w)
{
	const struct http_parts *a = &w->answer;
	struct span body = { buf_string(&a->body), a->body.len };
	CLEANUP(edits_done) struct edits edits = { 0 };
	CLEANUP(buf_done) struct buf changes = { 0 }, out = { 0 };
	CLEANUP(buf_done) struct buf whole = { 0 };

	if (a->status == 200 && !a->to_head && a->body.len == a->size)
		web_ota_edit(&w->leg, body, w->device, w->version, &edits,
			     &changes);
	if (!edits.count) {
		pair_write(&w->leg.pair, SIDE_DEVICE, w->held.data,
			   w->held.len);
		tell_answer(w, NULL);
		return;
	}
	edits_apply(&edits, body, &out);
	http_parts_instead(&whole, a, &a->head,
			   (struct span){ buf_string(&out), out.len });
	pair_write(&w->leg.pair, SIDE_DEVICE, whole.data, whole.len);
	tell_answer(w, &out);
	note_changes(w, &changes);
}

static void begin_exchange(struct http_leg *w)
{
	http_parts_done(&w->question);
	http_parts_done(&w->answer);
	w->answer.answer = true;
	w->asked_told = w->answer_told = false;
	w->holds = false;
	buf_reset(&w->held);
}

static void take_question(struct http_leg *w, const char *data, size_t len);

static void answered(struct http_leg *w)
{
	CLEANUP(buf_done) struct buf next = w->next;

	if (w->holds)
		edit_answer(w);
	else
		tell_answer(w, NULL);
	buf_reset(&w->held);
	judge(w);
	turn_answered(&w->leg.turn);
	w->next = (struct buf){ 0 };
	if (!w->question.over)
		return;
	begin_exchange(w);
	pair_stop(&w->leg.pair, SIDE_DEVICE, false);
	take_question(w, buf_string(&next), next.len);
}

/* It is not changed: what there is of it goes on, and the rest as it comes. */
static void let_go(struct http_leg *w)
{
	pair_write(&w->leg.pair, SIDE_DEVICE, w->held.data, w->held.len);
	buf_reset(&w->held);
	w->holds = false;
}

static void pass_answer(struct http_leg *w, const char *data, size_t len)
{
	if (w->holds && w->held.len + len <= KEEP_ANSWER) {
		buf_add(&w->held, data, len);
		return;
	}
	if (w->holds) {
		talk_note(
			w->leg.talk,
			"the answer has more than 1 MiB: passed as it is, not changed");
		let_go(w);
	}
	pair_write(&w->leg.pair, SIDE_DEVICE, data, len);
}

/* "100 Continue" is waited for: it goes on at once. The answer is still to come. */
static void pass_interim(struct http_leg *w)
{
	struct http_parts *a = &w->answer;
	const struct http_parts rest = { .answer = true,
					 .to_head = a->to_head,
					 .keep = a->keep };

	pair_write(&w->leg.pair, SIDE_DEVICE, w->held.data, w->held.len);
	buf_reset(&w->held);
	http_parts_done(a);
	*a = rest;
}

static void take_answer(struct http_leg *w, const char *data, size_t len)
{
	struct http_parts *a = &w->answer;

	while (len && !w->ended) {
		size_t used = http_parts_feed(a, data, len);

		if (!used) {
			/* No HTTP, or nothing was asked. */
			let_go(w);
			pass_answer(w, data, len);
			return;
		}
		pass_answer(w, data, used);
		if (a->broken)
			let_go(w);
		data += used;
		len -= used;
		if (a->has_head && a->status < 200 && !a->broken)
			pass_interim(w);
		else if (a->over)
			answered(w);
	}
}

/* ---- the question ---- */

/* An answer of our own: the board closes first (device.md 5.4 item 8). */
static void answer_by_hand(struct http_leg *w, const struct buf *answer)
{
	pair_write(&w->leg.pair, SIDE_DEVICE, answer->data, answer->len);
	w->by_hand = true;
	tcp_deadline(&w->leg.pair.end[SIDE_DEVICE].tcp, LINGER_MS);
}

static void answer_error(struct http_leg *w, int status, const char *why)
{
	CLEANUP(buf_done) struct buf answer = { 0 };

	web_refusal(&answer, w->leg.web->proxy, status, why);
	answer_by_hand(w, &answer);
}

static void refuse(struct http_leg *w, const char *why)
{
	w->leg.web->proxy->counts.refused++;
	proxy_say(w->leg.web->proxy, PROXY_WARN, w->device, NULL,
		  "%s was refused: %s", w->leg.address, why);
	answer_error(w, 404, why);
}

/* Before a WebSocket there is no OTA: a board that asks is sent here. */
static void answer_ota(struct http_leg *w)
{
	const struct web *web = w->leg.web;
	CLEANUP(mem_free_ptr) char *base = web_base(web, w->leg.reached, true);
	CLEANUP(mem_free_ptr)
	char *url = mem_printf("%s%s", base, web->up.path);
	CLEANUP(buf_done) struct buf body = { 0 }, answer = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (ota_reply_encode(&body, NULL, url, NULL, NULL, &why)) {
		refuse(w, why.text);
		return;
	}
	proxy_say(web->proxy, PROXY_INFO, w->device, NULL,
		  "asked OTA; it was sent to %s", url);
	knock_answer(&answer, 200, "", (struct span){ body.data, body.len });
	answer_by_hand(w, &answer);
}

static enum asked_for asked_for(const struct web *web, const char *path)
{
	CLEANUP(mem_free_ptr) char *own = NULL;
	CLEANUP(mem_free_ptr) char *activate = NULL;
	const char *up = web->up.path;
	size_t len = strcspn(up, "?");

	if (text_starts(path, VISION_PATH))
		return FOR_VISION;
	own = mem_strndup(up, len);
	activate = mem_printf("%s%sactivate", own,
			      len && own[len - 1] == '/' ? "" : "/");
	if (web->ota && knock_path_fits(own, path))
		return FOR_OTA;
	return web->ota && knock_path_fits(activate, path) ? FOR_ACTIVATION :
							     FOR_OTHER;
}

/* Where it goes; false: it was answered. */
static bool route(struct http_leg *w, const struct head *h)
{
	const struct web *web = w->leg.web;
	const char *url = web->up.url;

	w->what = asked_for(web, h->path);
	if (w->what == FOR_VISION)
		url = web_vision_of(web, h->path);
	else if (!web->ota)
		url = NULL;
	if (url) {
		upstream_done(&w->leg.up);
		return upstream_read(&w->leg.up, url, NULL) == 0;
	}
	if (!web->ota && knock_path_fits(OTA_PATH, h->path))
		answer_ota(w);
	else
		refuse(w, "there is nothing at this path");
	return false;
}

/* A picture's address nobody guesses. */
static bool goes_first(const struct http_leg *w)
{
	return w->what == FOR_VISION ||
	       web_is_known(w->leg.web, w->device, w->leg.from);
}

static void open_talk(struct http_leg *w)
{
	const struct web *web = w->leg.web;
	static const enum diag_leg legs[] = {
		[FOR_OTA] = LEG_OTA,
		[FOR_ACTIVATION] = LEG_OTA,
		[FOR_VISION] = LEG_VISION,
		[FOR_OTHER] = LEG_HTTP,
	};
	const struct talk_head opening = { .leg = legs[w->what],
					   .device = w->device,
					   .address = w->leg.address };

	w->leg.talk = talk_open(w->leg.web->proxy, &opening);
	if (!w->leg.talk && turn_make_room(web->proxy, goes_first(w)))
		w->leg.talk = talk_open(w->leg.web->proxy, &opening);
}

static void ask_upstream(struct http_leg *w)
{
	CLEANUP(buf_done) struct buf up = { 0 };
	const char *struck;

	web_request_head(
		&up,
		(struct span){ w->question.head.data, w->question.head.len },
		&w->leg.up, w->what == FOR_VISION ? w->leg.up.path : NULL,
		&struck);
	if (struck)
		talk_note(
			w->leg.talk,
			"%s is struck from the request: what is compressed cannot be read here",
			struck);
	pair_write(&w->leg.pair, SIDE_BACKEND, up.data, up.len);
	w->waits = !w->dialled;
	w->dialled = true;
}

static bool is_over(const struct http_leg *w)
{
	return w->ended || w->by_hand || w->leg.pair.closing;
}

/* A question is passed on when all of it is there; what is large, as it comes. */
#define WHOLE_MAX 65536

static void dial(struct http_leg *w)
{
	const struct http_parts *q = &w->question;

	if (!w->waits || is_over(w))
		return;
	if (!q->over && !q->broken && !w->expects && w->what != FOR_VISION &&
	    q->size < WHOLE_MAX)
		return;
	w->waits = false;
	web_leg_dial(&w->leg, w->device, w->what == FOR_VISION);
}

/*
 * The front judged the first one. A browser sends the requests of all its pages
 * by a connection that it has: each is judged.
 */
static bool is_let_in(struct http_leg *w, const struct head *h)
{
	const struct front_head view = { .address = w->leg.address,
					 .local = "",
					 .method = h->method,
					 .path = h->path,
					 .query = h->query,
					 .headers = &h->headers,
					 .share = &w->leg.share };
	const char *why;
	int status = 403;

	if (!w->dialled && !w->leg.up.url)
		return true;
	why = w->leg.web->front->judge(w->leg.front, &view, &status);
	if (!why)
		return true;
	answer_error(w, status, why);
	return false;
}

/* Another for another host is not taken. */
static bool is_same_host(struct http_leg *w, const struct head *h)
{
	const char *host = headers_get(&h->headers, "Host");

	if (!w->host)
		w->host = mem_strdup(host ? host : "");
	return strcmp(w->host, host ? host : "") == 0;
}

/* It could be read in two ways, or is none: what stands behind it is not read. */
static void refuse_broken(struct http_leg *w, const char *why)
{
	w->leg.web->proxy->counts.refused++;
	if (w->leg.talk)
		talk_note(w->leg.talk, "refused: %s", why);
	answer_error(w, 400, why);
}

/* How much of the exchange is kept, and what is to come of it. */
static void prepare(struct http_leg *w, const struct head *h)
{
	w->question.keep = w->what == FOR_OTA || w->what == FOR_ACTIVATION ?
				   KEEP_QUESTION :
				   KEEP_OTHER;
	w->answer.keep = w->what == FOR_OTA ? KEEP_ANSWER : KEEP_QUESTION;
	w->answer.to_head = strcmp(h->method, "HEAD") == 0;
	w->expects = headers_get(&h->headers, "Expect") != NULL;
	w->holds = w->what == FOR_OTA;
}

/*
 * A reverse proxy that keeps its connections asks so, at times. Ended without an
 * answer it is asked again, on a new one (RFC 9112, 9.3.1), as the front does it.
 */
static bool is_late_websocket(struct http_leg *w, const struct head *h)
{
	if (!text_same(headers_get(&h->headers, "Upgrade"), "websocket"))
		return false;
	if (w->leg.talk)
		talk_note(
			w->leg.talk,
			"a WebSocket is asked for behind other requests: the connection is ended, so that it is asked for on a new one");
	pair_finish(&w->leg.pair);
	return true;
}

/* A reverse proxy takes one connection for many boards. */
static void take_device(struct http_leg *w, const struct head *h)
{
	const char *device = headers_get(&h->headers, "Device-Id");
	struct talk *t = w->leg.talk;

	mem_free(w->device);
	w->device = device ? mem_strdup(device) : NULL;
	if (t && device && (!t->device || strcmp(t->device, device) != 0))
		talk_is(t, device, NULL, NULL);
}

static void take_head(struct http_leg *w, const struct head *h)
{
	CLEANUP(mem_free_ptr) char *before = NULL;
	const char *problem =
		head_problem(&h->headers, h->target_host, h->http_1_0);

	if (w->leg.up.url)
		before = mem_strdup(w->leg.up.url);
	if (problem) {
		refuse_broken(w, problem);
		return;
	}
	if (!is_same_host(w, h)) {
		answer_error(
			w, 421,
			"another Host than before: for this, open another connection");
		return;
	}
	if (!is_let_in(w, h) || is_late_websocket(w, h))
		return;
	take_device(w, h);
	if (!route(w, h))
		return;
	if (before && strcmp(before, w->leg.up.url) != 0) {
		pair_finish(&w->leg.pair);
		return;
	}
	if (!w->leg.talk)
		open_talk(w);
	if (!w->leg.talk) {
		w->leg.web->front->lacks(w->leg.front, LACK_ALL,
					 w->leg.address);
		answer_error(w, 503, "busy: too many connections");
		return;
	}
	prepare(w, h);
	ask_upstream(w);
}

static void take_whole_head(struct http_leg *w)
{
	struct head h;

	if (head_parse(&h, w->question.head.data, w->question.head.len) !=
	    HEAD_READY) {
		refuse_broken(w, "no request of HTTP/1.1");
		return;
	}
	take_head(w, &h);
	head_done(&h);
}

/* Returns how much of it is behind a question whose answer came before its end. */
static size_t take_one(struct http_leg *w, const char *data, size_t len)
{
	struct http_parts *q = &w->question;

	while (len && !is_over(w) && !q->over) {
		bool in_head = !q->has_head;
		size_t used = http_parts_feed(q, data, len);

		if (in_head && q->has_head)
			take_whole_head(w);
		else if (!in_head)
			pair_write(&w->leg.pair, SIDE_BACKEND, data,
				   used ? used : len);
		if (!used)
			break;
		data += used;
		len -= used;
	}
	dial(w);
	if (is_over(w))
		return 0;
	if (q->broken && !q->has_head) {
		refuse_broken(w, "no request of HTTP/1.1");
		return 0;
	}
	if (!q->over)
		return 0;
	tell_question(w);
	if (w->answer.over) {
		begin_exchange(w);
		return len;
	}
	/* The next one waits for the answer to this one. */
	if (len) {
		buf_add(&w->next, data, len);
		pair_stop(&w->leg.pair, SIDE_DEVICE, true);
	}
	return 0;
}

static void take_question(struct http_leg *w, const char *data, size_t len)
{
	size_t left;

	while ((left = take_one(w, data, len)) > 0) {
		data += len - left;
		len = left;
	}
}

/* Is a question of its peer awaited, or the rest of one? */
static void follow(struct http_leg *w)
{
	if (is_over(w) || w->question.over)
		lull_over(&w->leg.lull);
	else
		lull_waits(&w->leg.lull);
}

static void take_piece(struct http_leg *w, const char *data, size_t len)
{
	if (w->question.over) {
		buf_add(&w->next, data, len);
		return;
	}
	if (!w->question.head.len)
		lull_over(&w->leg.lull); /* another one begins */
	take_question(w, data, len);
}

static void http_came(struct web_leg *l, enum side from, const char *data,
		      size_t len)
{
	struct http_leg *w = (struct http_leg *)l;

	if (is_over(w))
		return;
	tcp_deadline(&w->leg.pair.end[SIDE_DEVICE].tcp, IDLE_MS);
	if (from == SIDE_BACKEND)
		take_answer(w, data, len);
	else
		take_piece(w, data, len);
	follow(w);
}

/* ---- the end ---- */

static void http_failed(struct web_leg *l)
{
	struct http_leg *w = (struct http_leg *)l;

	w->ended = true;
	tell_question(w);
}

static void http_late(struct web_leg *l)
{
	struct http_leg *w = (struct http_leg *)l;

	tell_question(w);
	answer_error(w, 503, BUSY_TURN);
}

static struct stage stage_of(const struct http_leg *w, enum why what,
			     enum diag_code code)
{
	struct stage s = {
		.facts = web_leg_facts(&w->leg),
		.code = code,
		.sure = true,
		.then = "the board's request fails, as it would without us"
	};

	s.facts.with |= WITH_HTTP;
	s.facts.what = what;
	return s;
}

static void tell_no_answer(struct http_leg *w)
{
	const struct stage s = stage_of(
		w, w->answer.head.len ? WHY_FOREIGN : WHY_CLOSED, N117);

	stage_failed(w->leg.talk, &s);
}

/* The board waited, and went. */
static void tell_silence(struct http_leg *w)
{
	const struct stage s = stage_of(w, WHY_WAITS_ANSWER, N111);

	if (w->leg.talk && w->question.over && !w->answer.head.len)
		stage_left(w->leg.talk, &s, pair_is_up(&w->leg.pair));
}

static size_t http_kept(const struct web_leg *l)
{
	const struct http_leg *w = (const struct http_leg *)l;

	return w->question.head.len + w->question.body.len +
	       w->answer.head.len + w->answer.body.len + w->held.len +
	       w->next.len;
}

/* The backend went: perhaps that was the end of its answer. */
static void end_answer(struct http_leg *w)
{
	struct http_parts *a = &w->answer;
	bool begun = w->question.has_head && (a->head.len || !a->over);

	if (a->has_head && !a->over && http_parts_end(a)) {
		answered(w);
		return;
	}
	pair_write(&w->leg.pair, SIDE_DEVICE, w->held.data, w->held.len);
	buf_reset(&w->held);
	if (!begun || w->answer_told || !w->leg.talk)
		return;
	tell_question(w);
	if (a->has_head && a->status) {
		tell_answer(w, NULL);
		talk_note(w->leg.talk, "the connection ended amid the answer");
	} else if (!w->left) {
		/* To who has gone nobody owes one. */
		tell_no_answer(w);
	}
	judge(w);
}

static void http_ended(struct web_leg *l, enum side from, enum event_end how)
{
	struct http_leg *w = (struct http_leg *)l;
	bool waits = w->question.over && !w->answer.over && how == ENDED_FIN;

	if (w->by_hand || w->ended)
		return;
	/* It has asked, and reads on. */
	if (from == SIDE_DEVICE && waits) {
		w->left = !w->answer.head.len;
		tell_silence(w);
		return;
	}
	if (from == SIDE_BACKEND)
		end_answer(w);
	tell_question(w);
	web_leg_end(&w->leg, from == SIDE_DEVICE ? FROM_DEVICE : FROM_BACKEND,
		    how, 0);
	w->ended = true;
}

static void http_free(struct web_leg *l)
{
	struct http_leg *w = (struct http_leg *)l;

	http_parts_done(&w->question);
	http_parts_done(&w->answer);
	buf_done(&w->held);
	buf_done(&w->next);
	mem_free(w->host);
	mem_free(w->device);
	mem_free(w->version);
	mem_free(w);
}

void web_http(struct web_place *at, int fd, const struct front_head *head)
{
	static const struct web_leg_kind kind = { .came = http_came,
						  .failed = http_failed,
						  .late = http_late,
						  .kept = http_kept,
						  .ended = http_ended,
						  .free = http_free };
	struct http_leg *w = mem_zalloc(sizeof(*w));

	begin_exchange(w);
	w->leg.kind = &kind;
	web_leg_open(&w->leg, at, fd, head);
	lull_waits(&w->leg.lull);
}
