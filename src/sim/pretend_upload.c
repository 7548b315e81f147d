/* SPDX-License-Identifier: MIT */
/*
 * A tool call that uploads a picture: the main loop waits for its end, so that
 * every other reply waits too (device.md 3.9).
 */
#include "base/mem.h"
#include "sim/pretend_loop.h"
#include "sim/upload.h"

static void reply(struct pretend *d, const struct firmware_call *call,
		  bool failed, const char *text, size_t len)
{
	const struct firmware_outcome o = {
		.kind = failed ? SERVER_FAILED : SERVER_TEXT,
		.text = text,
		.len = len,
	};
	const struct fault_set *f = &d->config.faults;
	struct job *job = pretend_outcome(d, call, &o);

	if (fault_has(f, FAULT_LATE_REPLY))
		pretend_set_alarm(d, ALARM_JOB, f->reply_late_ms, job);
	else
		pretend_add_job(d, job);
}

static void on_ended(void *owner, bool failed, const char *text, size_t len)
{
	struct pretend *d = owner;

	d->upload = NULL;
	reply(d, d->uploading, failed, text, len);
	pretend_forget_upload(d);
	d->busy = false;
	pretend_run(d);
}

static void on_line(void *owner, const char *text)
{
	pretend_line(owner, "upload: %s", text);
}

static void on_hazard(void *owner, enum hazard h)
{
	struct pretend *d = owner;

	hazard_tell(&d->watch, h);
}

static const struct upload_events upload_events = {
	.ended = on_ended,
	.line = on_line,
	.hazard = on_hazard,
};

static void fail(struct pretend *d, const struct firmware_call *call,
		 const struct upload_order *order, const struct error *why)
{
	struct buf text;

	buf_init(&text, 0);
	upload_unreachable(&text, order->kind, order->url);
	on_line(d, why->text);
	reply(d, call, true, buf_string(&text), text.len);
	buf_done(&text);
}

bool pretend_upload(struct pretend *d, struct job *job,
		    const struct rule_result *result)
{
	const struct photo *taken = d->config.photo;
	bool photo = result->upload == RULE_PHOTO;
	const char *text = buf_string(&result->text);
	const struct upload_order order = {
		.kind = result->upload,
		.url = photo ? d->server.vision_url : text,
		.photo = photo && taken ? taken : &photo_builtin,
		.question = text,
		.token = d->server.vision_token,
		.device_id = d->device_id,
		.client_id = d->client_id,
	};
	struct error why = { 0 };

	d->upload =
		upload_start(d->config.loop, &order, &upload_events, d, &why);
	if (!d->upload) {
		fail(d, job->call, &order, &why);
		error_reset(&why);
		return true;
	}
	pretend_line(d, "sends a picture of %zu bytes to %s", order.photo->len,
		     order.url);
	d->uploading = TAKE(job->call);
	return false;
}

void pretend_forget_upload(struct pretend *d)
{
	upload_abandon(TAKE(d->upload));
	firmware_call_free(TAKE(d->uploading));
}
