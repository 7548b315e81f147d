/* SPDX-License-Identifier: MIT */
/*
 * Which devices, their rows, and the worst of them. Knows no command.
 */
#include "cli/all.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "out/wrap.h"
#include "wire/control_frames.h"

enum {
	ANSWER_MS = 10000, /* of a device */
	SILENT_SHOWN = 4,
	MARGIN_MS = 10000 /* more, until serve itself counts as silent */
};

static int64_t timeout_of(const struct app *app)
{
	return app->config.timeout ? app->config.timeout : ANSWER_MS;
}

/* ---- which devices ---- */

static void add_device(struct all *a, struct serve_answer *answer)
{
	struct span text = serve_answer_member(answer, "device");
	struct all_device *d;

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

static int ask_devices(struct all *a, struct serve_client *serve,
		       struct error *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	bool end = false;

	buf_text(&json, "{\"op\":\"devices\"");
	json_add_text(&json, "device", a->app->config.device);
	buf_char(&json, '}');
	if (serve_client_send(serve, &json, err) != 0)
		return -1;
	while (!end) {
		struct serve_answer answer;

		if (serve_client_next(serve, loop_now() + MARGIN_MS, &answer,
				      err) != 0)
			return -1;
		end = strcmp(answer.op, "end") == 0;
		if (!end)
			add_device(a, &answer);
		serve_answer_done(&answer);
	}
	return 0;
}

static int nobody(const struct all *a, struct error *err)
{
	const char *device = a->app->config.device;

	if (device)
		error_set(err, ERR_CONNECT,
			  "no device of the running serve fits '%s'", device);
	else
		error_set(err, ERR_CONNECT,
			  "no device is connected to the running serve");
	return error_hint(err, "'mcpctl devices' shows who is there");
}

int all_open(struct all *a, struct app *app, struct error *err)
{
	struct serve_client *serve;
	int status;

	*a = (struct all){ .app = app };
	if (serve_client_open(&serve, app, err) != 0)
		return -1;
	status = ask_devices(a, serve, err);
	serve_client_free(serve);
	if (status == 0 && a->count == 0)
		status = nobody(a, err);
	return status;
}

void all_done(struct all *a)
{
	for (size_t i = 0; i < a->count; i++) {
		cJSON_Delete(a->device[i].json);
		mem_free(a->device[i].text);
	}
	mem_free(a->device);
	*a = (struct all){ 0 };
}

/* Rows tend to come in the order of the list. */
static struct all_device *find_from(const struct all *a, size_t start,
				    const char *id)
{
	for (size_t i = 0; i < a->count; i++) {
		struct all_device *d = &a->device[(start + i) % a->count];

		if (strcmp(d->id, id) == 0)
			return d;
	}
	return NULL;
}

struct all_device *all_find(const struct all *a, const char *id)
{
	return find_from(a, 0, id);
}

/* ---- rows ---- */

static void row_done(struct all_row *row)
{
	message_done(&row->reply);
	error_reset(&row->error);
	buf_done(&row->summary);
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
	row->device->shown = true;
	a->rows++;
	a->failed += failed;
	if (row->error.kind > a->worst)
		a->worst = row->error.kind;
	if (ops->row)
		ops->row(&a->app->out, &record);
	row_done(row);
}

int all_outcome(const struct all *a, struct error *err)
{
	if (a->failed == 0)
		return 0;
	return error_set(err, a->worst, "%zu of %zu device%s failed", a->failed,
			 a->rows, a->rows == 1 ? "" : "s");
}

/* ---- a request ---- */

static void add_json(struct buf *out, const char *name, const char *json)
{
	if (json)
		buf_printf(out, ",\"%s\":%s", name, json);
}

int all_start(struct all *a, struct all_fan *f, const struct all_request *rq,
	      struct error *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_printf(&json, "{\"op\":\"fan\",\"timeout\":%" PRId64,
		   timeout_of(a->app));
	json_add_text(&json, "device",
		      rq->device ? rq->device : a->app->config.device);
	json_add_text(&json, "list", rq->list);
	json_add_text(&json, "method", rq->method);
	json_add_text(&json, "notify", rq->notify);
	add_json(&json, "message", rq->message);
	add_json(&json, "params", rq->params);
	buf_char(&json, '}');
	if (serve_client_open(&f->serve, a->app, err) != 0)
		return -1;
	return serve_client_send(f->serve, &json, err);
}

/* The device as it was listed, or as the row tells it: it may be new. */
static struct all_device *device_of(struct all *a, struct serve_answer *answer)
{
	const char *id = json_string(json_object(answer->json, "device"), "id");
	struct all_device *d = id ? find_from(a, a->rows, id) : NULL;
	size_t before = a->count;

	if (d)
		return d;
	add_device(a, answer);
	return a->count > before ? &a->device[before] : NULL;
}

static void read_row(struct all_row *row, const struct serve_answer *answer)
{
	struct span reply = serve_answer_member(answer, "reply");
	const cJSON *error = json_object(answer->json, "error");

	if (json_integer(answer->json, "took_us", &row->took_us) != 0)
		row->took_us = -1;
	if (error)
		control_error_decode(&row->error, error);
	else if (reply.text)
		message_decode_take(&row->reply, NULL, reply.text, reply.len,
				    &row->error);
	if (row->reply.kind == MESSAGE_ERROR)
		session_peer_error(&row->error, &row->reply);
}

static void take_row(struct all *a, const struct all_fan *f,
		     struct serve_answer *answer)
{
	struct all_row row = { .took_us = -1 };

	read_row(&row, answer);
	row.device = device_of(a, answer);
	if (row.device && (!f->judge || f->judge(f->owner, &row)))
		all_show(a, &row);
	else
		row_done(&row);
}

/* Ctrl-C: whom it waited for is what was to be known. */
static void tell_silent(const struct all *a, struct error *err)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	size_t silent = 0;

	if (err->kind != ERR_INTERRUPTED)
		return;
	for (size_t i = 0; i < a->count; i++) {
		if (a->device[i].shown)
			continue;
		if (silent++ < SILENT_SHOWN) {
			buf_text(&names, silent > 1 ? ", " : "");
			wrap_name(&names,
				  render_device_name(a->device[i].json));
		}
	}
	if (silent > SILENT_SHOWN)
		buf_printf(&names, " and %zu more", silent - SILENT_SHOWN);
	if (silent > 0)
		error_hint(err, "no answer so far from %s", names.data);
}

int all_finish(struct all *a, struct all_fan *f, struct error *err)
{
	bool end = false;
	int status = 0;

	while (!end && status == 0) {
		int64_t deadline = loop_now() + timeout_of(a->app) + MARGIN_MS;
		struct serve_answer answer;

		status = serve_client_next(f->serve, deadline, &answer, err);
		if (status != 0)
			break;
		end = strcmp(answer.op, "end") == 0;
		if (strcmp(answer.op, "row") == 0)
			take_row(a, f, &answer);
		serve_answer_done(&answer);
	}
	if (status != 0)
		tell_silent(a, err);
	serve_client_free(TAKE(f->serve));
	return status;
}

bool all_sent(void *owner, struct all_row *row)
{
	(void)owner;
	buf_text(&row->summary, "sent");
	return true;
}

static int run_one(struct all *a, const struct all_request *rq,
		   struct all_fan *f, struct error *err)
{
	if (all_start(a, f, rq, err) != 0) {
		serve_client_free(f->serve);
		return -1;
	}
	if (all_finish(a, f, err) != 0)
		return -1;
	return all_outcome(a, err);
}

int all_run(struct app *app, const struct all_request *rq,
	    bool (*judge)(void *owner, struct all_row *row), void *owner,
	    struct error *err)
{
	struct all_fan f = { .judge = judge, .owner = owner };
	struct all a;
	int status = all_open(&a, app, err);

	if (status == 0)
		status = run_one(&a, rq, &f, err);
	all_done(&a);
	return status;
}
