/* SPDX-License-Identifier: MIT */
/*
 * What a service asks of its client amid a call: by requests that the client
 * answers, or, from 2026-07-28 on, by a result that says what is required,
 * after which the client calls again and brings the answers along.
 */
#include "sim/service_rounds.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/schema.h"
#include "sim/service_call.h"
#include "sim/service_reply.h"

#define ASKED_PREFIX "sim-" /* of the ids of requests */
#define ANSWER_QUOTED 200 /* bytes of a client's error that are repeated */
#define ANSWER_MAX_MS 86400000

/* What can be asked, what the client must have declared for it. */
static const struct askable {
	const char *method;
	unsigned can;
	const char *capability; /* as JSON */
	const char *words;
} askables[] = {
	{ "elicitation/create", CAN_FORM, "\"elicitation\":{\"form\":{}}",
	  "elicitation" },
	{ "elicitation/create", CAN_URL, "\"elicitation\":{\"url\":{}}",
	  "elicitation by URL" },
	{ "sampling/createMessage", CAN_SAMPLE, "\"sampling\":{}", "sampling" },
	{ "roots/list", CAN_ROOTS, "\"roots\":{}", "roots" },
};

static const struct askable *askable_of(const cJSON *request)
{
	const char *method = json_string(request, "method");
	const char *mode = json_string(json_object(request, "params"), "mode");
	bool url = mode && strcmp(mode, "url") == 0;

	for (size_t i = 0; method && i < COUNT(askables); i++) {
		if (strcmp(askables[i].method, method) == 0 &&
		    (askables[i].can != CAN_FORM || !url))
			return askables + i;
	}
	return NULL;
}

/* ---- checked ---- */

static int check_request(struct reader *r, const cJSON *request,
			 const struct template_source *known)
{
	static const char *const members[] = { "method", "params", "optional",
					       NULL };
	const cJSON *params = NULL;
	bool flag;

	if (reader_members(r, request, "what is asked", members) ||
	    reader_object(r, request, "params", &params) ||
	    reader_flag(r, request, "optional", &flag))
		return -1;
	if (!askable_of(request))
		return reader_fail(
			r,
			"'method' is elicitation/create, sampling/createMessage or roots/list");
	return reader_filled(r, params, known,
			     "the arguments, and answer.KEY of what was asked");
}

int service_ask_check(struct reader *r, const cJSON *step,
		      const struct template_source *known)
{
	const cJSON *ask = NULL, *one;
	int64_t ms;
	size_t mark;
	bool flag;
	int bad = 0;

	if (reader_object(r, step, "ask", &ask) ||
	    reader_flag(r, step, "state", &flag) ||
	    reader_number(r, step, "timeout_ms", 1, ANSWER_MAX_MS, &ms))
		return -1;
	if (!ask || !ask->child)
		return reader_fail(r, "'ask' needs something to ask, by a key");
	mark = reader_enter(r, "ask");
	cJSON_ArrayForEach(one, ask) {
		size_t inner = reader_enter(r, one->string);

		bad = check_request(r, one, known);
		reader_leave(r, inner);
		if (bad)
			break;
	}
	reader_leave(r, mark);
	return bad;
}

/* ---- whether the client can be asked ---- */

static bool may_ask(const struct service_call *call, const cJSON *request)
{
	return call->part->can & askable_of(request)->can;
}

/* Of all steps: what must be answered, and cannot be. */
static unsigned find_lacking(const struct service_call *call)
{
	const cJSON *step, *one;
	unsigned lacking = 0;

	cJSON_ArrayForEach(step, call->steps) {
		cJSON_ArrayForEach(one, json_object(step, "ask")) {
			if (!json_true(one, "optional") && !may_ask(call, one))
				lacking |= askable_of(one)->can;
		}
	}
	return lacking;
}

static void refuse_lacking(struct service_call *call, unsigned lacking)
{
	CLEANUP(buf_done) struct buf data = { 0 }, words = { 0 };

	buf_text(&data, "{\"requiredCapabilities\":{");
	for (size_t i = 0; i < COUNT(askables); i++) {
		/* one member for both kinds of elicitation */
		if (!(lacking & askables[i].can) ||
		    (askables[i].can == CAN_URL && (lacking & CAN_FORM)))
			continue;
		buf_printf(&data, "%s%s", words.len ? "," : "",
			   askables[i].capability);
		buf_printf(&words, "%s%s", words.len ? ", " : "",
			   askables[i].words);
	}
	buf_text(&data, "}}");
	if (call->part->modern) {
		service_fail(call->part, MODERN_CAPABILITY_MISSING,
			     buf_string(&data),
			     "Missing required client capability: %s",
			     buf_string(&words));
		return;
	}
	buf_text(&words, " is needed, and the client did not declare it");
	service_call_failed(call, buf_string(&words));
}

/* ---- answers ---- */

static const char *judge_form(const cJSON *request, const cJSON *answer)
{
	const cJSON *schema =
		json_object(json_object(request, "params"), "requestedSchema");
	const char *action = json_string(answer, "action");

	if (!action ||
	    (strcmp(action, "accept") != 0 && strcmp(action, "decline") != 0 &&
	     strcmp(action, "cancel") != 0))
		return "has no 'action' that is accept, decline or cancel";
	if (strcmp(action, "accept") != 0 || !schema)
		return NULL;
	if (!json_object(answer, "content"))
		return "accepts without 'content'";
	return schema_check(schema, json_object(answer, "content"), NULL) ?
		       NULL :
		       "does not fit the requestedSchema";
}

/* What is wrong with an answer; NULL: nothing. */
static const char *judge(const cJSON *request, const cJSON *answer)
{
	const struct askable *askable = askable_of(request);
	const cJSON *content = json_member(answer, "content");

	if (!cJSON_IsObject(answer))
		return "is no object";
	if (askable->can == CAN_ROOTS)
		return json_array(answer, "roots") ? NULL : "has no 'roots'";
	if (askable->can != CAN_SAMPLE)
		return judge_form(request, answer);
	if (!json_string(answer, "role") ||
	    (!cJSON_IsObject(content) && !cJSON_IsArray(content)))
		return "is no message with 'role' and 'content'";
	return NULL;
}

static void keep_answer(struct service_call *call, const char *key,
			cJSON *answer)
{
	if (!call->answers)
		call->answers = cJSON_CreateObject();
	cJSON_DeleteItemFromObjectCaseSensitive(call->answers, key);
	cJSON_AddItemToObject(call->answers, key, answer);
}

/* ---- by requests ---- */

static bool send_request(struct service_call *call, const cJSON *request)
{
	struct service_wait *w = mem_zalloc(sizeof(*w));
	CLEANUP(json_free_ptr)
	cJSON *params = service_call_fill(call, json_member(request, "params"));
	CLEANUP(buf_done) struct buf out = { 0 };

	w->id = ++call->service->asked;
	w->request = request;
	w->next = call->wait;
	call->wait = w;
	buf_printf(&out,
		   "{\"jsonrpc\":\"2.0\",\"id\":\"" ASKED_PREFIX
		   "%u\",\"method\":\"%s\"",
		   w->id, json_string(request, "method"));
	if (params) {
		buf_text(&out, ",\"params\":");
		json_print(&out, params);
	}
	buf_char(&out, '}');
	return service_tell(call->part, &out);
}

static bool no_answer(struct service_call *call)
{
	service_wait_free(call);
	service_call_failed(call, "the client did not answer in time");
	return false;
}

static enum service_asked ask_legacy(struct service_call *call,
				     const cJSON *step)
{
	int64_t ms = SERVICE_ANSWER_MS;
	const cJSON *one;

	cJSON_ArrayForEach(one, json_object(step, "ask")) {
		if (!may_ask(call, one))
			continue;
		if (send_request(call, one))
			continue;
		service_wait_free(call);
		service_call_failed(
			call,
			"the client cannot be asked: it takes no event stream here");
		return ASKED_OVER;
	}
	if (!call->wait)
		return ASKED_ON;
	json_integer(step, "timeout_ms", &ms);
	service_call_later(call, ms, no_answer);
	return ASKED_WAIT;
}

/* The wait of that id among a client's calls; it is taken out of them. */
static struct service_wait *take_wait(struct service_client *c, unsigned id,
				      struct service_call **call)
{
	for (struct service_question *q = c->first; q; q = q->next) {
		for (size_t i = 0; i < q->count; i++) {
			struct service_wait **at;

			*call = q->part[i].call;
			at = *call ? &(*call)->wait : NULL;
			while (at && *at && (*at)->id != id)
				at = &(*at)->next;
			if (at && *at) {
				struct service_wait *found = *at;

				*at = found->next;
				return found;
			}
		}
	}
	return NULL;
}

static void take_answer(struct service_call *call, const cJSON *request,
			const cJSON *message)
{
	const cJSON *result = json_member(message, "result");
	const char *error =
		json_string(json_object(message, "error"), "message");
	const char *key = request->string;
	const char *bad = NULL;

	if (result && !(bad = judge(request, result))) {
		keep_answer(call, key, cJSON_Duplicate(result, true));
		return;
	}
	mem_free(call->failed);
	if (bad)
		call->failed =
			mem_printf("the client's answer to '%s' %s", key, bad);
	else
		call->failed = mem_printf(
			"the client answered '%s' with an error: %.*s", key,
			error ? text_shown(error, ANSWER_QUOTED) : 0,
			error ? error : "");
}

void service_answered(struct service_client *c, const cJSON *message)
{
	const char *id = json_string(message, "id");
	struct service_call *call = NULL;
	struct service_wait *wait;
	int64_t number;

	if (!id || !text_starts(id, ASKED_PREFIX) ||
	    text_integer(id + strlen(ASKED_PREFIX), 1, UINT32_MAX, &number))
		return;
	wait = take_wait(c, (unsigned)number, &call);
	if (!wait)
		return;
	take_answer(call, wait->request, message);
	mem_free(wait);
	if (call->failed)
		service_wait_free(call);
	if (!call->wait && !call->cancelled)
		service_call_later(call, 0, call->run);
}

/* ---- by rounds ---- */

/* What a requestState stands for: it is its key, so nothing can be forged. */
struct service_round {
	struct service_round *next;
	char id[RANDOM_HEX_SIZE];
	char sum[SHA256_TEXT]; /* of the request that it belongs to */
	size_t step; /* which of its steps asks */
	char *answers; /* up to there, as JSON */
	int64_t until;
};

static void round_free(struct service *s, struct service_round **at)
{
	struct service_round *gone = *at;

	*at = gone->next;
	mem_free(gone->answers);
	mem_free(gone);
	s->round_count--;
}

void service_rounds_free(struct service *s)
{
	while (s->rounds)
		round_free(s, &s->rounds);
}

/* Those whose time is over, and the oldest if there is no place. */
static void make_room(struct service *s)
{
	struct service_round **at = &s->rounds;
	size_t kept = 0;

	while (*at) {
		if (++kept < SERVICE_ROUNDS_MAX && (*at)->until > loop_now())
			at = &(*at)->next;
		else
			round_free(s, at);
	}
}

static void sum_request(const struct service_call *call, char sum[SHA256_TEXT])
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%c %s %s ",
		   call->tool	? 't' :
		   call->prompt ? 'p' :
				  'r',
		   call->name, call->uri ? call->uri : "");
	json_print(&text, call->arguments);
	sha256_text(text.data, text.len, sum);
}

static size_t index_of(const cJSON *steps, const cJSON *step)
{
	const cJSON *one;
	size_t index = 0;

	cJSON_ArrayForEach(one, steps) {
		if (one == step)
			break;
		index++;
	}
	return index;
}

/* NULL: the answers are too long to be kept. */
static const struct service_round *keep_round(struct service_call *call,
					      const cJSON *step)
{
	struct service *s = call->service;
	struct service_round *round;
	CLEANUP(buf_done) struct buf answers = { 0 };

	if (call->answers)
		json_print(&answers, call->answers);
	if (answers.len > SERVICE_ROUND_MAX)
		return NULL;
	make_room(s);
	round = mem_zalloc(sizeof(*round));
	random_hex(round->id);
	sum_request(call, round->sum);
	round->step = index_of(call->steps, step);
	round->answers = buf_take(&answers);
	round->until = loop_now() + SERVICE_ROUND_MS;
	round->next = s->rounds;
	s->rounds = round;
	s->round_count++;
	return round;
}

static const struct service_round *find_round(const struct service_call *call,
					      const char *id)
{
	struct service_round *round = call->service->rounds;
	char sum[SHA256_TEXT];

	while (round && strcmp(round->id, id) != 0)
		round = round->next;
	if (!round || round->until <= loop_now())
		return NULL;
	sum_request(call, sum);
	return strcmp(sum, round->sum) == 0 ? round : NULL;
}

static void resume(struct service_call *call, const struct service_round *round)
{
	call->step = cJSON_GetArrayItem(call->steps, (int)round->step);
	call->answers =
		json_parse(round->answers, strlen(round->answers), NULL);
	call->resumed = true;
}

static int take_round(struct service_call *call)
{
	const cJSON *params = call->part->params;
	const cJSON *responses = json_member(params, "inputResponses");
	const cJSON *state = json_member(params, "requestState");
	const struct service_round *round;

	if ((responses && !cJSON_IsObject(responses)) ||
	    (state && !cJSON_IsString(state))) {
		service_fail(
			call->part, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: 'inputResponses' must be an object, 'requestState' a string");
		return -1;
	}
	call->responses = responses ? cJSON_Duplicate(responses, true) : NULL;
	if (!state)
		return 0;
	round = find_round(call, state->valuestring);
	if (round) {
		resume(call, round);
		return 0;
	}
	service_fail(
		call->part, JSONRPC_INVALID_PARAMS, NULL,
		"Invalid params: 'requestState' is none that this request was given, or its time is over");
	return -1;
}

int service_rounds_begin(struct service_call *call)
{
	unsigned lacking = find_lacking(call);

	if (lacking) {
		refuse_lacking(call, lacking);
		return -1;
	}
	return call->part->modern ? take_round(call) : 0;
}

/* All that this step asks of this client, as inputRequests. */
static void add_requests(struct service_call *call, const cJSON *step,
			 struct buf *out)
{
	const char *between = "";
	const cJSON *one;

	cJSON_ArrayForEach(one, json_object(step, "ask")) {
		CLEANUP(json_free_ptr) cJSON *params = NULL;

		if (!may_ask(call, one) ||
		    (call->asks && json_member(call->answers, one->string)))
			continue;
		params = service_call_fill(call, json_member(one, "params"));
		buf_text(out, between);
		buf_json_string(out, one->string, strlen(one->string));
		buf_printf(out, ":{\"method\":\"%s\"",
			   json_string(one, "method"));
		if (params) {
			buf_text(out, ",\"params\":");
			json_print(out, params);
		}
		buf_char(out, '}');
		between = ",";
	}
}

static enum service_asked require(struct service_call *call, const cJSON *step)
{
	const struct service_round *round = NULL;
	CLEANUP(buf_done) struct buf out = { 0 };

	/* What is behind the first step cannot be told from the request alone. */
	if (json_true(step, "state") || step != call->steps->child) {
		round = keep_round(call, step);
		if (!round) {
			service_fail(
				call->part, JSONRPC_INVALID_PARAMS, NULL,
				"Invalid params: the answers are too long");
			return ASKED_OVER;
		}
	}
	buf_text(&out,
		 "{\"resultType\":\"input_required\",\"inputRequests\":{");
	add_requests(call, step, &out);
	buf_char(&out, '}');
	if (round)
		json_add_text(&out, "requestState", round->id);
	buf_char(&out, '}');
	service_result(call->part, buf_string(&out));
	return ASKED_OVER;
}

static bool all_there(const struct service_call *call, const cJSON *step,
		      const cJSON *given)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, json_object(step, "ask")) {
		if (may_ask(call, one) && !json_member(given, one->string))
			return false;
	}
	return true;
}

static enum service_asked ask_modern(struct service_call *call,
				     const cJSON *step)
{
	const bool counts = call->resumed || !json_true(step, "state");
	CLEANUP(json_free_ptr)
	cJSON *given = counts ? TAKE(call->responses) : NULL;
	const cJSON *one;

	if (!all_there(call, step, given))
		return require(call, step);
	cJSON_ArrayForEach(one, json_object(step, "ask")) {
		cJSON *answer = json_member(given, one->string);
		const char *bad =
			may_ask(call, one) ? judge(one, answer) : NULL;

		if (bad) {
			service_fail(call->part, JSONRPC_INVALID_PARAMS, NULL,
				     "Invalid params: the answer to '%s' %s",
				     one->string, bad);
			return ASKED_OVER;
		}
		if (may_ask(call, one))
			keep_answer(call, one->string,
				    cJSON_Duplicate(answer, true));
	}
	return ASKED_ON;
}

/* ---- of a task: its client looks what is asked, and sends the answers ---- */

static bool no_update(struct service_call *call)
{
	call->asks = NULL;
	return no_answer(call);
}

static enum service_asked ask_task(struct service_call *call, const cJSON *step)
{
	int64_t ms = SERVICE_ANSWER_MS;

	call->asks = step;
	if (all_there(call, step, call->answers)) {
		call->asks = NULL;
		return ASKED_ON;
	}
	json_integer(step, "timeout_ms", &ms);
	service_call_later(call, ms, no_update);
	return ASKED_WAIT;
}

void service_add_asked(struct service_call *call, struct buf *out)
{
	add_requests(call, call->asks, out);
}

void service_answer_task(struct service_call *call, const cJSON *responses)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, json_object(call->asks, "ask")) {
		const cJSON *answer = json_member(responses, one->string);
		const char *bad = answer && may_ask(call, one) ?
					  judge(one, answer) :
					  NULL;

		if (bad && !call->failed)
			call->failed =
				mem_printf("the client's answer to '%s' %s",
					   one->string, bad);
		else if (answer && may_ask(call, one))
			keep_answer(call, one->string,
				    cJSON_Duplicate(answer, true));
	}
	if (!call->failed && !all_there(call, call->asks, call->answers))
		return;
	call->asks = NULL;
	service_call_later(call, 0, call->run);
}

enum service_asked service_ask_step(struct service_call *call,
				    const cJSON *step)
{
	if (call->part->modern && call->part->task)
		return ask_task(call, step);
	return call->part->modern ? ask_modern(call, step) :
				    ask_legacy(call, step);
}
