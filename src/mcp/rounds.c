/* SPDX-License-Identifier: MIT */
/* Requests in several rounds. */
#include "mcp/rounds.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"

#define RESPONSES "inputResponses"
#define STATE "requestState"

static void drop_asks(struct rounds *r)
{
	for (size_t i = 0; i < r->asks; i++) {
		struct round_ask *ask = &r->ask[i];

		mem_free(ask->key);
		mem_free(ask->method);
		mem_free(ask->params);
		mem_free(ask->result);
		mem_free(ask->refused);
	}
	mem_free(TAKE(r->ask));
	r->asks = 0;
}

void rounds_done(struct rounds *r)
{
	drop_asks(r);
	mem_free(r->state);
	*r = (struct rounds){ 0 };
}

/* ---- what is asked ---- */

static int take_ask(struct rounds *r, const cJSON *request, struct error *err)
{
	const char *method = json_string(request, "method");
	const cJSON *params = json_object(request, "params");
	struct round_ask *ask = &r->ask[r->asks];
	struct buf text = { 0 };

	if (!method)
		return error_set(
			err, ERR_PROTOCOL,
			"a question of the server's (inputRequests) has no method");
	*ask = (struct round_ask){ .of = r };
	ask->key = mem_strdup(request->string);
	ask->method = mem_strdup(method);
	if (params) {
		json_print(&text, params);
		ask->params = buf_take(&text);
	}
	r->asks++;
	return 0;
}

/* Those that are not known; NULL: all. */
static int take_asks(struct rounds *r, const cJSON *requests,
		     struct name_set *known, struct error *err)
{
	const cJSON *each;
	int count = cJSON_GetArraySize(requests);

	if (requests && !cJSON_IsObject(requests))
		return error_set(err, ERR_PROTOCOL,
				 "inputRequests of the server is no object");
	if (count > ROUND_ASKS_MAX)
		return error_set(
			err, ERR_PROTOCOL,
			"the server asks %d questions at once: more than %d are not answered",
			count, ROUND_ASKS_MAX);
	r->ask = mem_zalloc((size_t)(count + 1) * sizeof(*r->ask));
	cJSON_ArrayForEach(each, requests) {
		if (known && name_set_add(known, each->string, 1) != NAME_NONE)
			continue;
		if (take_ask(r, each, err))
			return -1;
	}
	r->answered = r->asks == 0;
	return 0;
}

static int too_many(struct error *err)
{
	return error_set(
		err, ERR_PROTOCOL,
		"the server asked %d times in a row, and still has no result",
		ROUNDS_MAX);
}

int rounds_take(struct rounds *r, const struct message *reply,
		struct error *err)
{
	struct span state = { 0 };

	drop_asks(r);
	mem_free(TAKE(r->state));
	if (r->count++ >= ROUNDS_MAX)
		return too_many(err);
	if (json_span_member(reply->result_text, STATE, &state) &&
	    json_span_begins(state, '"'))
		r->state = mem_strndup(state.text, state.len);
	else if (state.text)
		return error_set(err, ERR_PROTOCOL,
				 "requestState of the server is no text");
	if (take_asks(r, json_member(reply->result, "inputRequests"), NULL,
		      err))
		return -1;
	if (!r->asks && !r->state)
		return error_set(
			err, ERR_PROTOCOL,
			"the server wants to know more (input_required), and says not what");
	return 0;
}

int rounds_take_new(struct rounds *r, const cJSON *requests,
		    struct name_set *known, struct error *err)
{
	drop_asks(r);
	if (take_asks(r, requests, known, err))
		return -1;
	if (r->asks && r->count++ >= ROUNDS_MAX)
		return too_many(err);
	return 0;
}

/* ---- what is answered ---- */

static void end_ask(struct round_ask *ask)
{
	struct rounds *r = ask->of;

	ask->done = true;
	r->answered = true;
	for (size_t i = 0; i < r->asks; i++)
		r->answered = r->answered && r->ask[i].done;
}

void round_answer(struct round_ask *ask, const char *result)
{
	if (ask->done)
		return;
	ask->result = mem_strdup(result);
	end_ask(ask);
}

void round_refuse(struct round_ask *ask, const char *why)
{
	if (ask->done)
		return;
	ask->refused = mem_strdup(why);
	end_ask(ask);
}

const struct round_ask *rounds_refused(const struct rounds *r)
{
	for (size_t i = 0; i < r->asks; i++) {
		if (r->ask[i].done && !r->ask[i].result)
			return &r->ask[i];
	}
	return NULL;
}

static void add_answers(struct buf *out, const struct rounds *r)
{
	buf_text(out, "\"" RESPONSES "\":{");
	for (size_t i = 0; i < r->asks; i++) {
		if (i)
			buf_char(out, ',');
		buf_json_string(out, r->ask[i].key, strlen(r->ask[i].key));
		buf_printf(out, ":%s",
			   r->ask[i].result ? r->ask[i].result : "{}");
	}
	buf_char(out, '}');
}

void rounds_params(struct buf *out, const char *params, const struct rounds *r)
{
	const char *text = params ? params : "{}";

	json_span_open(out, (struct span){ text, strlen(text) });
	if (r->asks)
		add_answers(out, r);
	if (r->asks && r->state)
		buf_char(out, ',');
	if (r->state)
		buf_printf(out, "\"" STATE "\":%s", r->state);
	buf_char(out, '}');
}

bool rounds_are_users(const char *params)
{
	struct span whole = { params, params ? strlen(params) : 0 }, part;

	if (!params)
		return false;
	if (json_check(params, whole.len, NULL))
		return true;
	whole.len = text_trim(&whole.text, whole.len);
	return *whole.text != '{' ||
	       json_span_member(whole, RESPONSES, &part) ||
	       json_span_member(whole, STATE, &part);
}
