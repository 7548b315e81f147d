/* SPDX-License-Identifier: MIT */
#include "cli/witnessed.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/witness.h"
#include "diag/finding.h"

#define HELD_MAX 256

/* ---- while there is no session ---- */

static void hold(struct app *app, const struct witness_line *l)
{
	struct held_lines *h = &app->held;
	struct held_line *to;

	if (!h->item)
		h->item = mem_zalloc(HELD_MAX * sizeof(*h->item));
	if (h->count == HELD_MAX) {
		h->lost++;
		return;
	}
	to = &h->item[h->count++];
	*to = (struct held_line){ .name = mem_strdup(l->name),
				  .note = mem_strdup(l->note) };
	if (l->text.text)
		to->text = mem_strndup(l->text.text, l->text.len);
}

static void hand_on(struct app *app, struct session *s)
{
	struct held_lines *h = &app->held;

	for (size_t i = 0; i < h->count; i++) {
		const char *text = h->item[i].text;

		session_serial(s, h->item[i].name,
			       (struct span){ text, text ? strlen(text) : 0 },
			       h->item[i].note);
	}
	if (h->lost) {
		char lost[64];

		snprintf(lost, sizeof(lost), "%llu lines are missing here",
			 (unsigned long long)h->lost);
		session_serial(s, "serial", (struct span){ 0 }, lost);
	}
	held_lines_done(h);
}

/* ---- from the ports ---- */

static void on_line(void *owner, const struct witness_line *l)
{
	struct app *app = owner;

	if (app->witnessed)
		session_serial(app->witnessed->session, l->name, l->text,
			       l->note);
	else
		hold(app, l);
}

static void on_found(void *owner, const struct finding *f, const char *detail,
		     const char *device)
{
	struct app *app = owner;
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!app->witnessed || !witness_is_news(f))
		return;
	finding_facts(&json, f, detail, device);
	session_serial_found(app->witnessed->session, buf_string(&json));
}

static int open_ports(struct app *app, struct error *err)
{
	static const struct witness_events events = { .line = on_line,
						      .found = on_found };
	struct witness *w;

	if (witness_prepare(&w, app, NULL, err))
		return -1;
	app->witness = w;
	return w ? witness_open(w, true, &events, app, err) : 0;
}

int witnessed_begin(struct connection *c, struct error *err)
{
	struct app *app = c->app;

	/* Of many connections the first is told. */
	if (!app->witnessed)
		app->witnessed = c;
	if (!app->witness && open_ports(app, err)) {
		witness_close(TAKE(app->witness));
		app->witnessed = NULL;
		return -1;
	}
	if (app->witnessed == c)
		hand_on(app, c->session);
	return 0;
}

void witnessed_end(struct connection *c)
{
	if (c->app->witnessed == c)
		c->app->witnessed = NULL;
}

void witnessed_frame(struct connection *c, const struct diag_frame *f)
{
	if (c->app->witness)
		witness_frame(c->app->witness,
			      session_peer(c->session)->device_id, f);
}
