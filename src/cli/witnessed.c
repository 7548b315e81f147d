/* SPDX-License-Identifier: MIT */
#include "cli/witnessed.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "cli/witness.h"
#include "diag/finding.h"

#define HELD_MAX 256

/* ---- who is told ---- */

/* One connection, of whomever; or, with --all, that of the line's own board. */
static bool is_for(const struct connection *c, const char *device)
{
	if (!c->whose)
		return true;
	return device &&
	       (strcasecmp(device, c->whose) == 0 ||
		(c->whose_alias && strcasecmp(device, c->whose_alias) == 0));
}

static struct connection *listener(const struct app *app, const char *device)
{
	struct connection *c = app->witnessed;

	while (c && !is_for(c, device))
		c = c->witnessed_next;
	return c;
}

static void unlist(struct connection *c)
{
	struct connection **link = &c->app->witnessed;

	while (*link && *link != c)
		link = &(*link)->witnessed_next;
	if (*link)
		*link = c->witnessed_next;
	c->witnessed_next = NULL;
}

/* ---- while there is no session ---- */

static struct held_line *hold(struct app *app, const struct witness_line *l)
{
	struct held_lines *h = &app->held;
	struct held_line *to;

	if (!h->item)
		h->item = mem_zalloc(HELD_MAX * sizeof(*h->item));
	if (h->count == HELD_MAX) {
		h->lost++;
		return NULL;
	}
	to = &h->item[h->count++];
	*to = (struct held_line){ .name = mem_strdup(l->name),
				  .device = mem_strdup(l->device),
				  .note = mem_strdup(l->note) };
	if (l->text.text)
		to->text = mem_strndup(l->text.text, l->text.len);
	return to;
}

static void tell_found(struct connection *c, const char *finding,
		       enum severity severity)
{
	c->found[severity]++;
	session_serial_found(c->session, finding);
}

static void tell(struct connection *c, const struct held_line *l)
{
	const char *text = l->text;

	if (l->finding)
		tell_found(c, l->finding, l->severity);
	else
		session_serial(c->session, l->name,
			       (struct span){ text, text ? strlen(text) : 0 },
			       l->note);
}

static void tell_lost(struct held_lines *h, struct session *s)
{
	char lost[64];

	if (!h->lost)
		return;
	snprintf(lost, sizeof(lost), "%llu lines are missing here",
		 (unsigned long long)h->lost);
	session_serial(s, "serial", (struct span){ 0 }, lost);
	h->lost = 0;
}

/* What is another board's waits on. */
static void hand_on(struct connection *c)
{
	struct held_lines *h = &c->app->held;
	const size_t count = h->count;

	h->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct held_line *l = &h->item[i];

		if (!is_for(c, l->device)) {
			h->item[h->count++] = *l;
			continue;
		}
		tell(c, l);
		held_line_done(l);
	}
	tell_lost(h, c->session);
	if (!h->count)
		held_lines_done(h);
}

/* ---- from the ports ---- */

static void on_line(void *owner, const struct witness_line *l)
{
	struct app *app = owner;
	const struct connection *c = listener(app, l->device);

	if (c)
		session_serial(c->session, l->name, l->text, l->note);
	else
		hold(app, l);
}

static void on_found(void *owner, const struct witness_line *l,
		     const struct finding *f, const char *detail)
{
	const enum severity severity = finding_row(f->code)->severity;
	struct app *app = owner;
	struct connection *c = listener(app, l->device);
	CLEANUP(buf_done) struct buf json = { 0 };
	struct held_line *held;

	if (!witness_is_news(f))
		return;
	finding_facts(&json, f, detail, l->device);
	if (c) {
		tell_found(c, buf_string(&json), severity);
		return;
	}
	held = hold(app, l);
	if (!held)
		return;
	held->finding = buf_take(&json);
	held->severity = severity;
}

int witnessed_open(struct app *app, struct error *err)
{
	static const struct witness_events events = { .line = on_line,
						      .found = on_found };

	if (app->witness)
		return 0;
	if (witness_prepare(&app->witness, app, NULL, err) == 0 &&
	    (!app->witness || witness_open(app->witness, !app->config.all,
					   &events, app, err) == 0))
		return 0;
	witness_close(TAKE(app->witness));
	return -1;
}

int witnessed_begin(struct connection *c, struct error *err)
{
	struct app *app = c->app;

	if (witnessed_open(app, err))
		return -1;
	if (!app->witness)
		return 0;
	unlist(c);
	c->witnessed_next = app->witnessed;
	app->witnessed = c;
	hand_on(c);
	return 0;
}

void witnessed_end(struct connection *c)
{
	unlist(c);
}

void witnessed_frame(struct connection *c, const struct diag_frame *f)
{
	if (c->app->witness)
		witness_frame(c->app->witness,
			      session_peer(c->session)->device_id, f);
}
