/* SPDX-License-Identifier: MIT */
#include "sim/pretend_replies.h"

#include <string.h>

#include "sim/pretend_loop.h"
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

/* Answered as it was recorded. False: that was never asked. */
static bool answer_recorded(struct pretend *d, const cJSON *payload)
{
	const struct recorded_reply *reply =
		recorded_find(&d->config.profile->recorded, &d->given, payload);
	struct buf text = { 0 };
	struct job *job;

	if (!reply)
		return false;
	note_recorded(d, payload, reply);
	recorded_text(reply, payload, &text);
	job = job_new(JOB_REPLY);
	job->as_is = reply->frame;
	job->method = strcmp(reply->method, "tools/call") == 0 ? SERVER_CALL :
								 SERVER_UNKNOWN;
	job->of = d->asked;
	job->len = text.len;
	job->payload = buf_take(&text);
	if (reply->delay_ms)
		pretend_set_alarm(d, ALARM_JOB, reply->delay_ms, job);
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
