/* SPDX-License-Identifier: MIT */
/*
 * What servers ask in the midst of a call of a host of 2026-07-28 (modern.md 8):
 * the call's result says what is asked, the call itself is held, and goes on when
 * its host comes back with the answers. By what it is known then is a text that
 * nobody guesses, good once, and only with the same call of the same host.
 */
#include "bridge/host_rounds.h"

#include <stdio.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/text.h"
#include "bridge/host_reply.h"
#include "mcp/rounds.h"

#define STATE "requestState"
#define RESPONSES "inputResponses"
#define HELD_MAX 64 /* calls that ask */
#define KEPT_MAX ((size_t)8 << 20) /* bytes of questions, of all of them */

struct round_question {
	struct round_question *next;
	struct bridge_peer *peer; /* the server that asks */
	char *id; /* as the server has it: the raw token */
	char key[16]; /* as the host has it */
	struct buf text; /* {"method":…,"params":…} */
	bool sent; /* the host has it */
	bool over; /* what follows is the answer */
	char *result; /* JSON text; NULL: an error */
	const char *words; /* static */
};

static void release(struct round_question *q)
{
	buf_done(&q->text);
	mem_free(q->id);
	mem_free(q->result);
	mem_free(q);
}

/* ---- asked ---- */

/* Elicitation by URL has lost its id with 2026-07-28. */
static void add_params(struct buf *out, struct span params)
{
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	struct span id;

	if (!params.text)
		return;
	buf_text(out, ",\"params\":");
	if (!json_span_member(params, "elicitationId", &id)) {
		buf_add(out, params.text, params.len);
		return;
	}
	tree = json_parse(params.text, params.len, NULL);
	cJSON_DeleteItemFromObjectCaseSensitive(tree, "elicitationId");
	json_print(out, tree);
}

static struct host_round *round_of(struct host_part *p)
{
	struct bridge_host *h = p->question->client->host;
	struct host_round *r = p->round;

	if (r)
		return r;
	r = mem_zalloc(sizeof(*r));
	r->host = h;
	r->part = p;
	r->next = h->rounds;
	h->rounds = r;
	p->round = r;
	return r;
}

static size_t count_rounds(const struct bridge_host *h)
{
	size_t count = 0;

	for (const struct host_round *r = h->rounds; r; r = r->next)
		count++;
	return count;
}

static size_t count_kept(const struct bridge_host *h)
{
	size_t bytes = 0;

	for (const struct host_round *r = h->rounds; r; r = r->next) {
		for (const struct round_question *q = r->first; q; q = q->next)
			bytes += q->text.len;
	}
	return bytes;
}

size_t host_rounds_open(const struct bridge_host *h)
{
	size_t count = 0;

	for (const struct host_round *r = h->rounds; r; r = r->next) {
		for (const struct round_question *q = r->first; q; q = q->next)
			count++;
	}
	return count;
}

static const char *why_not(const struct host_part *p,
			   const struct peer_question *q)
{
	const struct bridge_host *h = p->question->client->host;

	if (!p->same)
		return "the host cannot be asked in the midst of that";
	if (p->round && p->round->count >= ROUNDS_MAX)
		return "it has asked too often in one call";
	if (!p->round && count_rounds(h) >= HELD_MAX)
		return "too many calls wait for their hosts";
	return count_kept(h) + q->params.len > KEPT_MAX ?
		       "the questions that are open are too long" :
		       NULL;
}

const char *host_rounds_ask(struct host_part *p, struct bridge_peer *peer,
			    const struct peer_question *q)
{
	const char *why = why_not(p, q);
	struct round_question *one, **at;
	struct host_round *r;

	if (why)
		return why;
	r = round_of(p);
	one = mem_zalloc(sizeof(*one));
	one->peer = peer;
	one->id = mem_strdup(q->id);
	snprintf(one->key, sizeof(one->key), "ask-%u", ++r->keys);
	buf_printf(&one->text, "{\"method\":\"%s\"", q->method);
	add_params(&one->text, q->params);
	buf_char(&one->text, '}');
	for (at = &r->first; *at;)
		at = &(*at)->next;
	*at = one;
	r->host->bridge->woken = true;
	return NULL;
}

static bool is_id(const struct round_question *q, struct span id)
{
	return !id.text ||
	       (strlen(q->id) == id.len && memcmp(q->id, id.text, id.len) == 0);
}

void host_rounds_withdrawn(struct bridge_host *h, struct bridge_peer *peer,
			   struct span id)
{
	for (struct host_round *r = h->rounds; r; r = r->next) {
		struct round_question **at = &r->first;

		while (*at) {
			struct round_question *q = *at;

			if (q->peer != peer || !is_id(q, id)) {
				at = &q->next;
				continue;
			}
			*at = q->next;
			if (id.text)
				peer->kind->answer(peer->owner, q->id, NULL, 0,
						   NULL);
			release(q);
		}
	}
}

/* ---- by what the next round is known ---- */

static bool has_rounds(const char *method)
{
	return strcmp(method, "tools/call") == 0 ||
	       strcmp(method, "prompts/get") == 0 ||
	       strcmp(method, "resources/read") == 0;
}

static bool answers_any(const struct client_answers *a)
{
	return a->roots || a->sampling || a->elicit_form || a->elicit_url;
}

/* A hash of the method and the params, without what a round adds; yours. */
static char *known_by(const cJSON *params, const char *method)
{
	static const char *const added[] = { "_meta", STATE, RESPONSES };
	CLEANUP(json_free_ptr) cJSON *same = cJSON_Duplicate(params, true);
	CLEANUP(buf_done) struct buf text = { 0 };
	char hash[SHA256_TEXT];

	for (size_t i = 0; i < COUNT(added); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(same, added[i]);
	buf_printf(&text, "%s ", method);
	json_print(&text, same);
	sha256_text(text.data, text.len, hash);
	return mem_strdup(hash);
}

static struct host_round *find(const struct host_part *p, const char *same)
{
	const char *state = json_string(p->params, STATE);
	const struct host_client *c = p->question->client;

	for (struct host_round *r = c->host->rounds; state && r; r = r->next) {
		if (r->part && r->state[0] && strcmp(r->state, state) == 0 &&
		    strcmp(r->part->same, same) == 0 &&
		    (!r->client || r->client == c) &&
		    text_equal(r->part->question->whose, p->question->whose))
			return r;
	}
	return NULL;
}

/* ---- the host is back ---- */

/* What it does not answer it is asked again. */
static void take_answer(struct round_question *q, struct span responses)
{
	struct span one = { 0 };

	if (!q->sent)
		return;
	q->sent = responses.text && json_span_member(responses, q->key, &one);
	if (!q->sent)
		return;
	q->over = true;
	if (json_span_begins(one, '{'))
		q->result = mem_strndup(one.text, one.len);
	else
		q->words = "the host's answer is no object";
}

static void go_on(struct host_part *p, struct host_round *r)
{
	struct span params, responses = { 0 };

	if (json_span_member(p->text, "params", &params))
		json_span_member(params, RESPONSES, &responses);
	for (struct round_question *q = r->first; q; q = q->next)
		take_answer(q, responses);
	r->state[0] = '\0';
	r->part->answers = p->answers;
	host_take_token(p);
	p->question->becomes = r->part->question;
	r->host->bridge->woken = true;
}

bool host_rounds_resume(struct host_part *p, const char *method)
{
	const bool comes_back = json_given(p->params, STATE) ||
				json_given(p->params, RESPONSES);
	CLEANUP(mem_free_ptr) char *same = NULL;
	struct host_round *r;

	if (!has_rounds(method) || p->question->batch)
		return false;
	if (!comes_back && !answers_any(&p->answers))
		return false;
	same = known_by(p->params, method);
	if (!comes_back) {
		p->same = TAKE(same);
		return false;
	}
	r = find(p, same);
	if (r)
		go_on(p, r);
	else
		host_error(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: no call waits for these answers: '" STATE
			"' is not one of this call, was used already, or is too old");
	return true;
}

/* ---- it is to come back ---- */

static bool has_unsent(const struct host_round *r)
{
	for (const struct round_question *q = r->first; q; q = q->next) {
		if (!q->sent && !q->over)
			return true;
	}
	return false;
}

static void send_round(struct host_round *r)
{
	struct host_question *question = r->part->question;
	const char *between = "";
	CLEANUP(buf_done) struct buf out = { 0 };

	random_hex(r->state);
	buf_text(&out,
		 "{\"resultType\":\"input_required\",\"inputRequests\":{");
	for (struct round_question *q = r->first; q; q = q->next) {
		buf_printf(&out, "%s\"%s\":", between, q->key);
		buf_add(&out, q->text.data, q->text.len);
		between = ",";
		q->sent = true;
	}
	buf_printf(&out, "},\"" STATE "\":\"%s\"}", r->state);
	r->count++;
	/* Over HTTP each request comes by itself. */
	r->client = question->hearer.status ? NULL : question->client;
	r->until = loop_now() + host_patience(r->host);
	host_hold(question, buf_string(&out));
}

/* Its call is given up with it. */
static void end(struct host_round *r, const char *why)
{
	r->state[0] = '\0';
	r->why = why;
	host_question_free(r->part->question);
	r->host->bridge->woken = true;
}

void host_rounds_forget(const struct host_client *c)
{
	for (struct host_round *r = c->host->rounds; r; r = r->next) {
		if (r->part && r->state[0] && r->client == c)
			end(r, "the host went away");
	}
}

static void give_up(const struct host_round *r, const char *why)
{
	for (struct round_question *q = r->first; q; q = q->next) {
		if (q->over)
			continue;
		q->over = true;
		q->words = why;
	}
}

/* What is answered goes to its server. */
static void hand_out(struct host_round *r)
{
	struct round_question **at = &r->first;

	while (*at) {
		struct round_question *q = *at;

		if (!q->over) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		q->peer->kind->answer(q->peer->owner, q->id, q->result,
				      JSONRPC_INTERNAL_ERROR, q->words);
		release(q);
	}
}

/* When it is due again. */
static int64_t step(struct host_round *r)
{
	if (r->part && r->state[0] && loop_now() >= r->until)
		end(r, "the host did not come back in time");
	if (!r->part)
		give_up(r, r->why ? r->why : "its call is over");
	else if (r->count >= ROUNDS_MAX && has_unsent(r) && !r->state[0])
		give_up(r, "the host was asked too often in one call");
	hand_out(r);
	if (r->part && !r->part->over && !r->state[0] && has_unsent(r))
		send_round(r);
	return r->part && r->state[0] ? r->until : LOOP_FOREVER;
}

static void unlink_round(struct host_round *r)
{
	struct host_round **at = &r->host->rounds;

	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
}

int64_t host_rounds_tend(struct bridge_host *h)
{
	int64_t next = LOOP_FOREVER;
	struct host_round *r, *following;

	for (r = h->rounds; r; r = following) {
		const int64_t due = step(r);

		following = r->next;
		if (due < next)
			next = due;
		if (r->part)
			continue;
		if (r->first) {
			/* Its host went just now: what it asks has its end next. */
			next = loop_now();
			continue;
		}
		unlink_round(r);
		mem_free(r);
	}
	return next;
}

void host_rounds_done(struct bridge_host *h)
{
	while (h->rounds) {
		struct host_round *r = h->rounds;

		h->rounds = r->next;
		while (r->first) {
			struct round_question *q = r->first;

			r->first = q->next;
			release(q);
		}
		mem_free(r);
	}
}
