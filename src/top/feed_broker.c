/* SPDX-License-Identifier: MIT */
#include "top/feed_broker.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/brokered.h"
#include "cli/connection.h"
#include "mcp/opening.h"

enum {
	LOOK_MS = 100, /* from one look at all to the next */
	GONE_MS = 60000, /* so long it is shown that one went */
	TURN_MS = 1000, /* to drop those */
	SILENT_MS = 5000
};

struct broker_feed {
	struct feed base;
	struct all all; /* who is there; its broker is ours */
	bool open;
	int64_t opened_at, look_at;

	struct connection one; /* who is followed */
	char *target; /* whose it is; NULL: nobody; owned */
	bool up;
	int64_t next; /* loop_now() ms when it is due */
	/* Notes of a session have no place on a screen. */
	const struct render_ops *shown;
	bool quiet, terminal;
};

static struct broker_feed *feed_of(struct feed *feed)
{
	return (struct broker_feed *)feed;
}

/* ---- who is there ---- */

static int open_broker(struct feed *feed, struct error *err)
{
	struct broker_feed *f = feed_of(feed);

	f->opened_at = loop_now();
	f->open = true;
	return brokered_watch(&f->all.brokered, feed->app, &feed->wake, err);
}

static void take_servers(struct broker_feed *f)
{
	struct top_rows *rows = f->base.rows;
	int64_t now = unix_now_ms();

	rows_begin(rows);
	for (size_t i = 0; i < f->all.count; i++)
		rows_device(rows, f->all.device[i].json, false, now);
	rows_end_gone(rows, loop_now(), GONE_MS);
	f->base.listed = f->base.changed = true;
}

static int look(struct broker_feed *f, struct error *err)
{
	int status = brokered_poll(f->all.brokered, err);

	if (status <= 0)
		return status;
	if (loop_now() < f->look_at)
		return 0;
	f->look_at = loop_now() + LOOK_MS;
	if (all_look(&f->all, err))
		return -1;
	take_servers(f);
	return 0;
}

/* ---- who is followed ---- */

static void note(struct broker_feed *f, const char *text)
{
	last_frames_add(f->base.frames, "", text, strlen(text));
	f->base.changed = true;
}

static void on_event(void *owner, const struct event *e)
{
	struct broker_feed *f = owner;
	const time_t at = time(NULL);
	struct tm tm;
	char clock[16];

	if (!e->text)
		return;
	localtime_r(&at, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	last_frames_add(f->base.frames, clock, e->text, e->len);
	f->base.changed = true;
}

/* What it asks is for nobody here: none of it was declared. */
static bool on_request(void *owner, const struct event *e)
{
	(void)owner;
	(void)e;
	return false;
}

static void be_silent(struct broker_feed *f)
{
	static const struct render_ops nothing = { 0 };
	struct renderer *r = &f->base.app->out;

	f->shown = r->ops;
	f->quiet = r->quiet;
	f->terminal = r->err_terminal;
	r->ops = &nothing;
	r->quiet = true;
	r->err_terminal = false;
}

static void end_following(struct broker_feed *f)
{
	struct renderer *r = &f->base.app->out;

	if (!f->target)
		return;
	connection_close(&f->one);
	mem_free(TAKE(f->target));
	f->up = false;
	r->ops = f->shown;
	r->quiet = f->quiet;
	r->err_terminal = f->terminal;
}

static int begin_following(struct broker_feed *f, struct error *err)
{
	struct config *config = &f->base.app->config;
	const char *target = config->target, *device = config->device;
	int status;

	f->one.tail = true;
	f->one.woken = &f->base.wake;
	f->one.on_event = on_event;
	f->one.on_request = on_request;
	f->one.on_event_owner = f;
	config->target = f->target;
	config->device = NULL;
	status = connection_begin(&f->one, err);
	config->target = target;
	config->device = device;
	return status;
}

static const char *target_of(const struct broker_feed *f, const char *id)
{
	const struct all_device *d = all_find(&f->all, 0, id);

	return d ? json_string(d->json, "target") : NULL;
}

static void follow_server(struct feed *feed, const struct top_row *row)
{
	struct broker_feed *f = feed_of(feed);
	CLEANUP(error_reset) struct error why = { 0 };
	const char *target = row ? target_of(f, row->id) : NULL;

	end_following(f);
	last_frames_begin(feed->frames, row ? row->name : NULL);
	feed->following = row != NULL;
	if (!row)
		return;
	if (!target) {
		note(f, "it is not there any more");
		return;
	}
	f->target = mem_strdup(target);
	be_silent(f);
	if (begin_following(f, &why)) {
		end_following(f);
		note(f, why.text);
	}
}

static int64_t tend(struct broker_feed *f)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t next;
	int status;

	if (!f->target)
		return LOOP_FOREVER;
	next = session_tend(f->one.session);
	status = connection_poll(&f->one, &why);
	f->up = f->up || status > 0;
	if (status >= 0 && f->up && session_is_over(f->one.session)) {
		session_watch(f->one.session, NULL, 0, &why);
		status = -1;
	}
	if (status < 0) {
		end_following(f);
		note(f, why.kind ? why.text : "it went");
		return LOOP_FOREVER;
	}
	if (!f->up && client_poll_at(&f->one.client) < next)
		next = client_poll_at(&f->one.client);
	return next;
}

/* ---- the feed ---- */

static int step_broker(struct feed *feed, struct error *err)
{
	struct broker_feed *f = feed_of(feed);

	f->next = tend(f);
	return look(f, err);
}

static int64_t silent_for(const struct feed *feed)
{
	const struct broker_feed *f = (const struct broker_feed *)feed;
	int64_t silent = feed->listed ? 0 : loop_now() - f->opened_at;

	return silent < SILENT_MS ? 0 : silent;
}

static int64_t next_due(const struct feed *feed)
{
	const struct broker_feed *f = (const struct broker_feed *)feed;
	int64_t due = loop_now() + TURN_MS;

	/* A change that came too soon after the last one is looked at then. */
	if (f->look_at > loop_now() && f->look_at < due)
		due = f->look_at;
	return f->next < due ? f->next : due;
}

static bool reach_server(const struct feed *feed, const struct top_row *row,
			 struct buf *out)
{
	const struct broker_feed *f = (const struct broker_feed *)feed;
	const struct config *c = &feed->app->config;
	const struct {
		const char *option, *value;
	} words[] = { { "--cacert", c->cacert },
		      { "--mqtt-password-file", c->mqtt_password_file },
		      { "-t", target_of(f, row->id) } };

	if (row->gone_at)
		return false;
	buf_text(out, c->insecure ? "--insecure" : "");
	for (size_t i = 0; i < COUNT(words); i++) {
		if (!words[i].value)
			continue;
		buf_printf(out, " %s ", words[i].option);
		words_quote(out, words[i].value);
	}
	return true;
}

static void close_broker(struct feed *feed)
{
	struct broker_feed *f = feed_of(feed);

	end_following(f);
	connection_done(&f->one);
	all_done(&f->all);
	mem_free(f);
}

int feed_broker_new(struct feed **out, struct app *app, struct error *err)
{
	static const struct feed_ops ops = { .open = open_broker,
					     .step = step_broker,
					     .due = next_due,
					     .silent = silent_for,
					     .follow = follow_server,
					     .reach = reach_server,
					     .close = close_broker };
	struct broker_feed *f = mem_zalloc(sizeof(*f));

	(void)err;
	f->base.ops = &ops;
	f->base.app = app;
	f->all.app = f->one.app = app;
	*out = &f->base;
	return 0;
}
