/* SPDX-License-Identifier: MIT */
#include "sim/recorded.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/pretend_loop.h"
#include "sim/pretend_say.h"
#include "wire/jsonrpc.h"

/* Of a tool, mostly; "". */
static const char *name_in(const cJSON *payload)
{
	const char *name = json_string(json_object(payload, "params"), "name");

	return name ? name : "";
}

/* What is told of a request that is answered. */
static void note_recorded(struct pretend *d, const cJSON *payload,
			  const struct recorded_reply *reply)
{
	const struct pretend_events *e = d->config.events;

	if (strcmp(reply->method, "initialize") == 0) {
		if (!d->initialized)
			e->note(d->config.owner, DEVICE_INITIALIZED, NULL);
		d->initialized = true;
	} else if (strcmp(reply->method, "tools/call") == 0) {
		e->note(d->config.owner, DEVICE_CALLED, name_in(payload));
	} else if (strcmp(reply->method, "tools/list") == 0) {
		if (!d->talk.listed)
			e->note(d->config.owner, DEVICE_LISTED, NULL);
		d->talk.listed = true;
	}
}

static bool is_error(const struct buf *message)
{
	const struct span whole = { buf_string(message), message->len };
	struct span error;

	return json_span_member(whole, "error", &error);
}

static bool is_last_page(const struct buf *message)
{
	const struct span whole = { buf_string(message), message->len };
	struct span result, cursor;

	return json_span_member(whole, "result", &result) &&
	       (!json_span_member(result, "nextCursor", &cursor) ||
		json_span_is(cursor, ""));
}

/* How far a listing got. */
static void note_page(struct pretend *d, const struct recorded_reply *reply,
		      const struct buf *message)
{
	if (reply->frame || strcmp(reply->method, "tools/list") != 0 ||
	    !is_last_page(message))
		return;
	d->listed_to = d->server.catalog->count;
	pretend_listed_whole(d);
}

static int64_t late_ms(const struct pretend *d, const struct job *job)
{
	const struct fault_set *f = &d->config.faults;

	return job->method == SERVER_CALL && fault_has(f, FAULT_LATE_REPLY) ?
		       f->reply_late_ms :
		       0;
}

/* Answered as it was recorded. False: that was never asked. */
static bool answer_recorded(struct pretend *d, const cJSON *payload)
{
	const struct recorded_reply *reply =
		recorded_find(&d->config.profile->recorded, &d->given, payload);
	struct buf text = { 0 };
	struct job *job;
	int64_t delay;

	if (!reply)
		return false;
	note_recorded(d, payload, reply);
	recorded_text(reply, payload, &text);
	note_page(d, reply, &text);
	job = job_new(JOB_REPLY);
	job->as_is = reply->frame;
	job->method = strcmp(reply->method, "tools/call") == 0 ? SERVER_CALL :
								 SERVER_UNKNOWN;
	job->is_error = !reply->frame && is_error(&text);
	job->of = d->asked;
	job->len = text.len;
	job->payload = buf_take(&text);
	delay = reply->delay_ms + late_ms(d, job);
	if (delay)
		pretend_set_alarm(d, ALARM_JOB, delay, job);
	else
		pretend_add_job(d, job);
	return true;
}

static void reply_with(struct pretend *d, const struct firmware_reply *r)
{
	struct buf text = { 0 };
	struct job *job = job_new(JOB_REPLY);

	firmware_reply_encode(r, d->server.dialect, &text);
	job->method = r->method;
	job->is_error = r->is_error;
	job->of = d->asked;
	job->len = text.len;
	job->payload = buf_take(&text);
	pretend_add_job(d, job);
}

/* A call that was not: in the form of its firmware, and as what it is. */
static bool refuse_call(struct pretend *d, const cJSON *payload,
			const char *method)
{
	static const char words[] = "this call was not recorded";
	struct firmware_reply r = { .method = SERVER_CALL,
				    .is_error = true,
				    .code = JSONRPC_INVALID_PARAMS,
				    .body = words,
				    .len = sizeof(words) - 1 };
	int64_t id = 0;

	if (strcmp(method, "tools/call") != 0 ||
	    json_integer(payload, "id", &id) || id < 0 || id > INT32_MAX)
		return false;
	r.id = (int32_t)id;
	reply_with(d, &r);
	return true;
}

static bool not_recorded(struct pretend *d, const cJSON *payload)
{
	const char *method = json_string(payload, "method");

	if (!method || !json_member(payload, "id"))
		return false;
	pretend_line(d, "was asked what was not recorded: %s %s", method,
		     name_in(payload));
	return refuse_call(d, payload, method);
}

bool pretend_answer_recorded(struct pretend *d, const cJSON *payload)
{
	return answer_recorded(d, payload) || not_recorded(d, payload);
}

void recorded_done(struct recorded *r)
{
	for (size_t i = 0; i < r->count; i++)
		mem_free(r->reply[i]);
	mem_free(r->reply);
	map_done(&r->by_request);
	*r = (struct recorded){ 0 };
}

static bool has_params(const char *method)
{
	return strcmp(method, "initialize") != 0 && strcmp(method, "ping") != 0;
}

/* What they ask for: without _meta, and an empty cursor, which asks for nothing. */
static cJSON *asked_params(const cJSON *params)
{
	cJSON *asked = cJSON_Duplicate(params, true);

	cJSON_DeleteItemFromObjectCaseSensitive(asked, "_meta");
	if (text_same(json_string(asked, "cursor"), ""))
		cJSON_DeleteItemFromObjectCaseSensitive(asked, "cursor");
	return asked;
}

/* Whether two params ask for the same, by value. */
static bool same_params(const cJSON *a, const cJSON *b)
{
	CLEANUP(json_free_ptr) cJSON *x = asked_params(a);
	CLEANUP(json_free_ptr) cJSON *y = asked_params(b);

	/* None, and an empty object: the same. */
	if (!x || !y)
		return (!x || !x->child) && (!y || !y->child);
	return json_equal(x, y);
}

/* Of the method, and of the name, URI or cursor: what mostly differs. */
static uint64_t request_hash(const char *method, const cJSON *params)
{
	static const char *const names[] = { "name", "uri", "cursor" };
	uint64_t hash = map_hash_text(method);

	for (size_t i = 0; i < COUNT(names) && has_params(method); i++) {
		const char *text = json_string(params, names[i]);

		if (text && *text)
			hash ^= map_hash_text(text) << (i + 1);
	}
	return hash;
}

static struct recorded_reply *find(const struct recorded *r, const char *method,
				   const cJSON *params)
{
	uint64_t hash = request_hash(method, params);
	size_t at = 0;
	struct recorded_reply *first;

	while ((first = map_find(&r->by_request, hash, &at)))
		if (strcmp(first->method, method) == 0 &&
		    (!has_params(method) || same_params(first->params, params)))
			return first;
	return NULL;
}

static void put(struct recorded *r, const struct recorded_reply *reply)
{
	struct recorded_reply *one = mem_alloc(sizeof(*one));
	struct recorded_reply *first = find(r, reply->method, reply->params);

	*one = *reply;
	one->last = one;
	one->first = first ? first->first : r->count;
	r->reply = mem_grow(r->reply, &r->capacity, r->count,
			    sizeof(struct recorded_reply *));
	r->reply[r->count++] = one;
	if (!first) {
		map_add(&r->by_request, request_hash(one->method, one->params),
			one);
		return;
	}
	first->last->next = one;
	first->last = one;
}

int recorded_add(struct recorded *r, struct reader *reader,
		 const cJSON *element)
{
	static const char *const members[] = { "method", "params",   "reply",
					       "frame",	 "delay_ms", NULL };
	struct recorded_reply one = { 0 };
	const char *message = NULL, *frame = NULL;

	if (reader_members(reader, element, "a recorded reply", members) ||
	    reader_text(reader, element, "method", &one.method) ||
	    reader_object(reader, element, "params", &one.params) ||
	    reader_text(reader, element, "reply", &message) ||
	    reader_text(reader, element, "frame", &frame) ||
	    reader_number(reader, element, "delay_ms", 0, INT32_MAX,
			  &one.delay_ms))
		return -1;
	if (!one.method || !message == !frame)
		return reader_fail(
			reader,
			"a recorded reply needs a 'method', and a 'reply' or a 'frame'");
	if (r->count >= RECORDED_MAX)
		return reader_fail(reader, "more than %d replies",
				   RECORDED_MAX);
	one.frame = frame != NULL;
	one.text = frame ? frame : message;
	put(r, &one);
	return 0;
}

const struct recorded_reply *
recorded_find(const struct recorded *r, uint32_t **given, const cJSON *request)
{
	const char *method = json_string(request, "method");
	const struct recorded_reply *found =
		method ? find(r, method, json_object(request, "params")) : NULL;
	uint32_t *times;

	if (!found)
		return NULL;
	if (!*given)
		*given = mem_zalloc(r->count * sizeof(**given));
	times = &(*given)[found->first];
	for (uint32_t i = 0; i < *times && found->next; i++)
		found = found->next;
	if (found->next)
		(*times)++;
	return found;
}

void recorded_text(const struct recorded_reply *reply, const cJSON *request,
		   struct buf *out)
{
	const char *place = strstr(reply->text, RECORDED_ID);
	size_t before =
		place ? (size_t)(place - reply->text) : strlen(reply->text);
	const cJSON *id = json_member(request, "id");

	buf_add(out, reply->text, before);
	if (!place)
		return;
	if (id)
		json_print(out, id);
	buf_text(out, place + strlen(RECORDED_ID));
}
