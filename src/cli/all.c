/* SPDX-License-Identifier: MIT */
/* Many devices: which, each one's row, and the worst of them. Knows no command. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/all.h"
#include "cli/brokered.h"
#include "out/text_device.h"
#include "wire/control_frames.h"

#define ANSWER_MS 10000 /* of a device */

int64_t all_timeout(const struct app *app)
{
	return app->config.timeout ? app->config.timeout : ANSWER_MS;
}

/* ---- which devices ---- */

void all_add(void *owner, struct control_answer *answer)
{
	struct span text = control_answer_member(answer, "device");
	const cJSON *unknown = json_object(answer->json, "unknown");
	struct all *a = owner;
	struct all_device *d;

	if (unknown)
		control_error_decode(&a->unknown, unknown);
	if (!text.text)
		return;
	a->device =
		mem_grow(a->device, &a->capacity, a->count, sizeof(*a->device));
	d = &a->device[a->count++];
	*d = (struct all_device){ .text = mem_copy(text.text, text.len),
				  .len = text.len };
	d->json =
		cJSON_DetachItemFromObjectCaseSensitive(answer->json, "device");
	d->id = json_string(d->json, "id");
	if (!d->id)
		d->id = "";
	d->list = json_string(d->json, "list");
	a->columns.device = d->json;
	render_widen(&a->columns);
}

static int nobody(const struct all *a, struct error *err)
{
	const char *device = a->app->config.device;

	if (a->unknown.kind != ERR_NONE) {
		error_copy(err, &a->unknown);
		return -1;
	}
	if (device)
		error_set(err, ERR_CONNECT,
			  "no device of the running serve fits '%s'", device);
	else
		error_set(err, ERR_CONNECT,
			  "no device is connected to the running serve");
	return error_hint(err, "'mcpctl devices' shows who is there");
}

static void forget_devices(struct all *a)
{
	for (size_t i = 0; i < a->count; i++) {
		cJSON_Delete(a->device[i].json);
		mem_free(a->device[i].text);
	}
	a->count = 0;
	a->columns = (struct device_record){ 0 };
}

int all_look(struct all *a, struct error *err)
{
	const struct serve_question q = { .op = "devices",
					  .device = a->app->config.device };

	forget_devices(a);
	error_reset(&a->unknown);
	if (a->brokered) {
		brokered_devices(a->brokered, a);
		return 0;
	}
	return serve_ask(a->app, &q, loop_now() + ALL_MARGIN_MS, all_add, a,
			 err);
}

/* What comes one by one is not called while the rest is on its way. */
static bool is_settled(const struct all *a)
{
	static const char *const coming[] = { "connected", "initializing",
					      "listing", "opening" };

	for (size_t i = 0; i < a->count; i++) {
		const char *state = json_string(a->device[i].json, "state");

		for (size_t n = 0; n < COUNT(coming); n++) {
			if (text_same(state, coming[n]))
				return false;
		}
	}
	return a->count > 0 || a->unknown.kind != ERR_NONE;
}

/* 0 too where the time is over: what is there then is taken. */
static int await_change(struct control_line *serve, int64_t deadline,
			struct error *err)
{
	CLEANUP(control_answer_done) struct control_answer change = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (control_line_next(serve, deadline, &change, &why) == 0 ||
	    why.kind == ERR_TIMEOUT)
		return 0;
	error_copy(err, &why);
	return -1;
}

/* Who is there already is asked again, in the same words for all. */
static void pass_over(void *owner, struct control_answer *answer)
{
	(void)owner;
	(void)answer;
}

static void tell_waiting(const struct all *a)
{
	const char *device = a->app->config.device;
	char time[32];

	text_milliseconds(a->app->config.wait, time, sizeof(time));
	if (a->count > 0)
		render_note(&a->app->out,
			    "not all devices are ready yet; waiting up to %s",
			    time);
	else if (device)
		render_note(&a->app->out,
			    "no device fits '%s' yet; waiting up to %s", device,
			    time);
	else
		render_note(&a->app->out,
			    "no device is there yet; waiting up to %s", time);
}

static int wait_settled(struct all *a, struct control_line *serve,
			struct error *err)
{
	const struct serve_question watch = { .op = "devices",
					      .device = a->app->config.device,
					      .watch = true };
	int64_t deadline = loop_now() + a->app->config.wait;
	int status = control_line_ask(serve, &watch, loop_now() + ALL_MARGIN_MS,
				      pass_over, NULL, err);

	if (status == 0)
		status = all_look(a, err);
	if (status == 0 && !is_settled(a))
		tell_waiting(a);
	while (status == 0 && !is_settled(a) && loop_now() < deadline) {
		status = await_change(serve, deadline, err);
		if (status == 0)
			status = all_look(a, err);
	}
	return status;
}

/* --wait: until one that fits is there, and none is on its way. */
static int await_devices(struct all *a, struct error *err)
{
	struct control_line *serve;
	int status = serve_client_open(&serve, a->app, false, err);

	if (status == 0)
		status = wait_settled(a, serve, err);
	control_line_close(serve);
	return status;
}

int all_open(struct all *a, struct app *app, struct error *err)
{
	int status;

	*a = (struct all){ .app = app };
	if (brokered_fits(app))
		return brokered_open(&a->brokered, app, err) ? -1 :
							       all_look(a, err);
	status = app->config.wait ? await_devices(a, err) : all_look(a, err);
	if (status == 0 && a->count == 0)
		status = nobody(a, err);
	return status;
}

void all_done(struct all *a)
{
	forget_devices(a);
	error_reset(&a->unknown);
	error_reset(&a->worst);
	mem_free(a->worst_id);
	brokered_close(a->brokered);
	mem_free(a->device);
	*a = (struct all){ 0 };
}

/* Rows tend to come in the order of the list. */
struct all_device *all_find(const struct all *a, size_t start, const char *id)
{
	for (size_t i = 0; i < a->count; i++) {
		struct all_device *d = &a->device[(start + i) % a->count];

		if (strcmp(d->id, id) == 0)
			return d;
	}
	return NULL;
}

/* ---- rows ---- */

void all_row_done(struct all_row *row)
{
	message_done(&row->reply);
	error_reset(&row->error);
	buf_done(&row->summary);
	buf_done(&row->value);
}

void all_count(struct all *a, const struct all_device *device,
	       const struct error *failure, int64_t took_us)
{
	const struct device_outcome outcome = { .id = device->id,
						.name = render_device_name(
							device->json),
						.took_us = took_us,
						.failure = failure };

	a->rows++;
	a->failed += failure != NULL;
	if (failure && failure->kind > a->worst.kind) {
		error_copy(&a->worst, failure);
		mem_free(a->worst_id);
		a->worst_id = mem_strdup(device->id);
	}
	if (a->app->on_outcome)
		a->app->on_outcome(a->app->outcome_owner, &outcome);
}

void all_show(struct all *a, struct all_row *row)
{
	const struct render_ops *ops = a->app->out.ops;
	struct device_record record = a->columns;
	bool failed = row->error.kind != ERR_NONE;

	record.device = row->device->json;
	record.device_text =
		(struct span){ row->device->text, row->device->len };
	record.reply = row->reply.text ? &row->reply : NULL;
	record.error = failed ? &row->error : NULL;
	record.summary = row->summary.len ? buf_string(&row->summary) : NULL;
	record.took_us = row->took_us;
	record.value = (struct span){ row->value.data, row->value.len };
	row->device->shown = true;
	all_count(a, row->device, failed ? &row->error : NULL, row->took_us);
	if (ops->row)
		ops->row(&a->app->out, &record);
	all_row_done(row);
}

int all_outcome(const struct all *a, struct error *err)
{
	const struct config *c = &a->app->config;

	if (a->failed == 0)
		return 0;
	error_set(err, a->worst.kind, "%zu of %zu %s%s failed", a->failed,
		  a->rows, a->brokered ? "server" : "device",
		  a->rows == 1 ? "" : "s");
	/* Among what is picked of the rows the reasons need not be. */
	if (c->jq || c->fields)
		error_one_of(err, a->worst_id, &a->worst);
	return -1;
}
