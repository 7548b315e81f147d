/* SPDX-License-Identifier: MIT */
/* The jobs of the main loop: tools are run, replies sent, connections dropped. */

#include "sim/pretend_loop.h"

enum { STORM_SLICE = 1000, STORM_PAUSE_MS = 1 };

static void do_reply(struct pretend *d, const struct job *job)
{
	const struct fault_set *f = &d->config.faults;

	if (job->method != SERVER_CALL) {
		pretend_send_payload(d, job->payload, job->len);
	} else if (fault_has(f, FAULT_NOT_JSON)) {
		pretend_send_as_is(d, fault_no_json());
	} else if (fault_has(f, FAULT_CUT_FRAME) ||
		   fault_has(f, FAULT_CLOSE_MID_REPLY)) {
		pretend_send_cut(d, job->payload, job->len);
	} else if (!fault_has(f, FAULT_NO_REPLY)) {
		pretend_send_payload(d, job->payload, job->len);
		if (fault_has(f, FAULT_TWO_REPLIES))
			pretend_send_payload(d, job->payload, job->len);
	}
}

struct job *pretend_outcome(struct pretend *d, const struct firmware_call *call,
			    const struct firmware_outcome *outcome)
{
	struct firmware_reply reply;
	struct buf body, payload;
	struct job *job;

	buf_init(&body, 0);
	buf_init(&payload, 0);
	firmware_outcome(call, outcome, &body, &reply);
	fault_encode(&d->config.faults, &reply, d->server.dialect, &payload);
	job = job_new(JOB_REPLY);
	job->method = SERVER_CALL;
	job->len = payload.len;
	job->payload = buf_take(&payload);
	buf_done(&body);
	buf_done(&payload);
	return job;
}

static struct job *consequence(struct pretend *d,
			       const struct firmware_call *call,
			       const struct rule_result *result)
{
	const struct firmware_outcome o = {
		.kind = result->kind,
		.text = buf_string(&result->text),
		.len = result->text.len,
		.mime = result->mime,
	};

	switch (result->then) {
	case RULE_REBOOT:
		return job_new(JOB_REBOOT);
	case RULE_CLOSE:
		return job_new(JOB_CLOSE);
	case RULE_REPLY:
		break;
	}
	return pretend_outcome(d, call, &o);
}

/* A call has its outcome. True if the main loop is free at once. */
static bool finish_call(struct pretend *d, const struct firmware_call *call,
			const struct rule_result *result)
{
	const struct fault_set *f = &d->config.faults;
	struct job *job = consequence(d, call, result);
	int64_t delay = result->delay_ms, late = 0;

	if (job->kind == JOB_REPLY && fault_has(f, FAULT_LATE_REPLY))
		late = f->reply_late_ms;
	if (late)
		pretend_set_alarm(d, ALARM_JOB, delay + late, job);
	else if (!delay)
		/* Queued behind what came while the tool ran (3.9). */
		pretend_add_job(d, job);
	if (delay)
		pretend_set_alarm(d, ALARM_FREE, delay, late ? NULL : job);
	return !delay;
}

static bool do_call(struct pretend *d, struct job *job)
{
	struct rule_world world = {
		.profile = d->config.profile,
		.state = d->state,
		.device_id = d->device_id,
		.client_id = d->client_id,
		.vision = d->server.vision_url != NULL,
	};
	struct rule_result result;
	bool at_once;

	rule_run(&world, job->call, &result);
	d->state = world.state;
	if (result.order)
		at_once = pretend_outside(d, job, &result);
	else if (result.upload)
		at_once = pretend_upload(d, job, &result);
	else
		at_once = finish_call(d, job->call, &result);
	rule_result_done(&result);
	return at_once;
}

static bool is_full(const struct pretend *d)
{
	const struct pretend_config *c = &d->config;

	return c->events->full && c->events->full(c->owner);
}

/* In slices: whoever reads gets a turn, and nothing piles up if nobody does. */
static void do_storm(struct pretend *d, int64_t said)
{
	int64_t all = d->config.faults.storm, i;
	int64_t most = is_full(d) ? said : said + STORM_SLICE;
	struct job *rest;

	for (i = said + 1; i <= all && i <= most; i++) {
		struct buf payload;

		buf_init(&payload, 0);
		buf_printf(&payload,
			   "{\"jsonrpc\":\"2.0\",\"method\":"
			   "\"notifications/state_changed\","
			   "\"params\":{\"number\":%lld}}",
			   (long long)i);
		pretend_send_payload(d, buf_string(&payload), payload.len);
		buf_done(&payload);
	}
	if (i > all || !d->online)
		return;
	rest = job_new(JOB_STORM);
	rest->said = i - 1;
	pretend_set_alarm(d, ALARM_JOB, STORM_PAUSE_MS, rest);
}

static void do_silence(struct pretend *d)
{
	if (d->mode != DEVICE_SPEAKING)
		return;
	if (d->stopped)
		d->mode = DEVICE_IDLE;
	else
		pretend_start_listening(d);
}

bool pretend_do_job(struct pretend *d, struct job *job)
{
	switch (job->kind) {
	case JOB_REPLY:
		do_reply(d, job);
		return true;
	case JOB_CALL:
		return do_call(d, job);
	case JOB_REBOOT:
		pretend_set_alarm(d, ALARM_REBOOT, DEVICE_REBOOT_MS, NULL);
		return false;
	case JOB_CLOSE:
		pretend_drop(d);
		return true;
	case JOB_RESTART:
		pretend_restart(d);
		pretend_drop(d);
		return true;
	case JOB_EVENT:
		pretend_say_event(d, job->event);
		return true;
	case JOB_STORM:
		do_storm(d, job->said);
		return true;
	case JOB_SPEAK:
		d->mode = DEVICE_SPEAKING;
		return true;
	case JOB_SILENCE:
		do_silence(d);
		return true;
	}
	return true;
}
