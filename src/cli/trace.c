/* SPDX-License-Identifier: MIT */
#include "cli/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "capture/writer.h"
#include "cli/app.h"
#include "net/why.h"

/* A connection that is open. */
struct traced {
	uint64_t key; /* of its name among ours, and its leg */
	uint64_t device; /* of its device's id; 0: not known */
	uint32_t conn;
	enum diag_leg leg;
	bool begun; /* its beginning was told */
};

struct trace_file {
	struct capture_writer *out;
	struct trace_role role;
	struct map conns;
	uint32_t last;
};

static void tell_trouble(void *owner, const struct error *why)
{
	struct app *app = owner;

	render_note(&app->out, "%s", why->text);
}

int trace_begin(struct app *app, const struct trace_role *role,
		struct error *err)
{
	const struct capture_how how = { .path = app->config.trace,
					 .as = role->as,
					 .audio = app->config.audio ||
						  role->audio,
					 .trouble = tell_trouble,
					 .owner = app };
	struct capture_writer *out;

	if (!app->config.trace && app->config.audio)
		return error_set(err, ERR_USAGE,
				 "option '--audio' needs --trace");
	if (!app->config.trace)
		return 0;
	if (!app->trace) {
		out = capture_create(&how, err);
		if (!out)
			return -1;
		app->trace = mem_zalloc(sizeof(*app->trace));
		app->trace->out = out;
	}
	app->trace->role = *role;
	return 0;
}

/* ---- which connection ---- */

/* The audio over UDP is of the connection to the broker that agreed on it. */
static uint64_t key_of(const struct trace *t, enum diag_leg leg)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("%d %" PRIu64 " %s",
				(int)(leg == LEG_UDP ? LEG_MQTT : leg), t->conn,
				t->device ? t->device : "");

	return map_hash_text(name);
}

/* Nobody is told of an end that is our own. */
static void end_ours(struct trace_file *f, const struct traced *c)
{
	static const char words[] = "ended here";
	const struct capture_event e = {
		.conn = c->conn,
		.leg = c->leg,
		.kind = CAPTURED_END,
		.from = f->role.device ? FROM_DEVICE : FROM_BACKEND,
		.data = { words, sizeof(words) - 1 },
	};

	if (c->begun)
		capture_write(f->out, &e);
}

static struct traced *conn_of(struct trace_file *f, const struct trace *t,
			      enum diag_leg leg, bool begins)
{
	uint64_t key = key_of(t, leg);
	struct traced *c;
	size_t at = 0;

	c = map_find(&f->conns, key, &at);
	if (!c) {
		c = mem_zalloc(sizeof(*c));
		c->key = key;
		c->leg = leg == LEG_UDP ? LEG_MQTT : leg;
		map_add(&f->conns, key, c);
	}
	if (begins && c->conn)
		end_ours(f, c);
	if (!c->conn || (begins && c->begun)) {
		c->conn = f->last = capture_connection(f->out);
		c->device = 0;
	}
	c->begun = c->begun || begins;
	return c;
}

static void forget(struct trace_file *f, struct traced *c)
{
	map_remove(&f->conns, c->key, c);
	mem_free(c);
}

static void tell_device(struct trace_file *f, struct traced *c, const char *id)
{
	const struct capture_event e = { .kind = CAPTURED_DEVICE,
					 .conn = c->conn,
					 .device = id };

	if (!id || !*id || c->device == map_hash_text(id))
		return;
	c->device = map_hash_text(id);
	capture_write(f->out, &e);
}

/* ---- what it is ---- */

static enum diag_leg leg_of(const struct trace_file *f, const struct trace *t)
{
	for (size_t i = 0; t->leg && i < DIAG_LEGS; i++)
		if (strcmp(t->leg, diag_leg_name((enum diag_leg)i)) == 0)
			return (enum diag_leg)i;
	return f->role.leg;
}

static enum capture_kind kind_of(const struct trace *t, enum diag_leg leg,
				 enum event_from from)
{
	bool http = leg == LEG_OTA || leg == LEG_VISION;

	if (strcmp(t->kind, "line") == 0)
		return CAPTURED_LINE;
	if (strcmp(t->kind, "ready") == 0)
		return CAPTURED_OPEN;
	if (strcmp(t->kind, "closed") == 0)
		return CAPTURED_END;
	if (strcmp(t->kind, "notice") == 0)
		return CAPTURED_NOTICE;
	if (strcmp(t->kind, "binary") == 0)
		return CAPTURED_BINARY;
	if (http)
		return from == FROM_DEVICE ? CAPTURED_REQUEST :
					     CAPTURED_RESPONSE;
	return CAPTURED_TEXT;
}

/* The codes of a Close, beside which no errno is as large. */
#define CLOSE_LEAST 1000

/* What ended is the connection to a broker, by it. */
static bool is_broker(const struct error *why)
{
	return why &&
	       (why->reason == WHY_WENT || why->reason == WHY_WENT_AFTER);
}

static enum event_end end_of(const struct error *why)
{
	if (!why)
		return ENDED_OTHER;
	if (why->code >= CLOSE_LEAST)
		return ENDED_CLOSE;
	if (why->code == ECONNRESET || why->code == EPIPE)
		return ENDED_RST;
	if (why->code == ETIMEDOUT)
		return ENDED_TIMEOUT;
	if (why_is_close(why))
		return ENDED_CLOSE;
	return why->reason == WHY_FIN || (is_broker(why) && !why->code) ?
		       ENDED_FIN :
		       ENDED_OTHER;
}

/* How it ended, and by whom where that is sure. */
static void tell_end(const struct trace_file *f, const struct trace *t,
		     struct capture_event *e)
{
	bool ours = t->outgoing;

	e->how = end_of(t->why);
	/* One that was sent for a reason of ours. */
	ours |= e->how == ENDED_CLOSE && !why_is_close(t->why);
	e->code = e->how == ENDED_CLOSE ? t->why->code : 0;
	/* A broker is on the backend's side, and is not the backend. */
	if (is_broker(t->why) && !f->role.device)
		return;
	if (ours || (e->how != ENDED_OTHER && e->how != ENDED_TIMEOUT))
		e->from = ours == f->role.device ? FROM_DEVICE : FROM_BACKEND;
}

void trace_write(struct app *app, const struct trace *t)
{
	struct trace_file *f = app->trace;
	struct capture_event e = { 0 };
	struct traced *c;

	if (!f)
		return;
	e.leg = leg_of(f, t);
	e.from = t->outgoing == f->role.device ? FROM_DEVICE : FROM_BACKEND;
	if (e.leg == LEG_SERIAL)
		e.from = FROM_DEVICE;
	e.kind = kind_of(t, e.leg, e.from);
	/* Who began or ended it is not told. */
	if (e.kind == CAPTURED_OPEN || e.kind == CAPTURED_END ||
	    e.kind == CAPTURED_NOTICE)
		e.from = FROM_NOBODY;
	c = conn_of(f, t, e.leg, e.kind == CAPTURED_OPEN);
	e.conn = c->conn;
	/* Of a beginning, an address, where it is known. */
	if (t->len || e.kind != CAPTURED_OPEN)
		e.data = (struct span){ t->data ? t->data : "", t->len };
	e.size = t->size;
	e.cut = t->size > t->len;
	e.head = t->head;
	e.status = t->status;
	if (e.kind == CAPTURED_END)
		tell_end(f, t, &e);
	if (e.kind != CAPTURED_OPEN)
		tell_device(f, c, t->id);
	capture_write(f->out, &e);
	if (e.kind == CAPTURED_OPEN)
		tell_device(f, c, t->id);
	if (e.kind == CAPTURED_END)
		forget(f, c);
}

/* A code's letter says where it was seen. */
static bool is_serial(const char *json)
{
	struct span whole = { json, strlen(json) }, code;

	json_span_member(whole, "finding", &whole);
	return json_span_member(whole, "code", &code) && code.len > 1 &&
	       code.text[1] == 'S';
}

/* That of its device, the latest of many; of one log alone it is anyhow. 0 */
static uint32_t finding_conn(const struct trace_file *f, const char *device,
			     bool serial)
{
	uint32_t latest = 0, log = 0;
	const struct traced *c;
	size_t at = 0, logs = 0;

	while ((c = map_each(&f->conns, &at))) {
		if (c->leg == LEG_SERIAL && ++logs)
			log = c->conn;
		if (device && c->device == map_hash_text(device) &&
		    c->conn > latest && (c->leg == LEG_SERIAL) == serial)
			latest = c->conn;
	}
	if (latest || serial)
		return latest || logs != 1 ? latest : log;
	/* Of a single connection it is, whatever that calls itself. */
	return f->conns.count == 1 || !device ? f->last : 0;
}

void trace_finding(struct app *app, const char *json, const char *device)
{
	struct trace_file *f = app->trace;
	struct capture_event e = { .kind = CAPTURED_FINDING,
				   .data = { json, strlen(json) } };

	if (!f)
		return;
	e.conn = finding_conn(f, device, is_serial(json));
	capture_write(f->out, &e);
}

int trace_reader(const struct app *app)
{
	return app->trace ? capture_reader(app->trace->out) : -1;
}

static int by_number(const void *a, const void *b)
{
	const struct traced *const *one = a, *const *other = b;

	return ((*one)->conn > (*other)->conn) -
	       ((*one)->conn < (*other)->conn);
}

/* In the order of their numbers. */
static void end_all(struct trace_file *f)
{
	CLEANUP(mem_free_ptr) void **open = map_sorted(&f->conns, by_number);

	for (size_t i = 0; i < f->conns.count; i++) {
		end_ours(f, open[i]);
		mem_free(open[i]);
	}
	map_done(&f->conns);
}

int trace_close(struct trace_file *file, struct error *err)
{
	int lost;

	if (!file)
		return 0;
	end_all(file);
	lost = capture_close(file->out, err);
	mem_free(file);
	return lost;
}
