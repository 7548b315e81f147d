/* SPDX-License-Identifier: MIT */
#include "cli/witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/trace.h"
#include "diag/serial_rules.h"
#include "net/addr2line.h"
#include "net/serial.h"

#include "serve/aliases.h"
#include "wire/panic_text.h"

struct witness_port {
	struct witness *of;
	struct serial_place place;
	struct serial *serial; /* NULL: not open yet */
	char *name, *id; /* id NULL: no ALIAS was given */
	struct diag diag;
	struct serial_judge judge;
	struct panic_text panic;
};

struct witness {
	struct app *app;
	const struct witness_events *events;
	void *owner;
	struct witness_port *port;
	size_t count;
	bool alone;
	bool decodes; /* there is --elf */
	bool told_missing; /* that there is no addr2line */
	struct addr2line elf;
	int64_t opened_us;
};

/* The board of that port, as it is known. */
static const char *device_of(const struct witness_port *p)
{
	if (p->id)
		return p->id;
	return *p->judge.mac ? p->judge.mac : NULL;
}

static void place(const struct witness_port *p, struct witness_line *l)
{
	l->port = (size_t)(p - p->of->port);
	l->name = p->name;
	l->device = device_of(p);
}

static void trace_line(const struct witness_port *p,
		       const struct witness_line *l)
{
	const bool line = l->whole.text != NULL;
	const struct trace t = { .at_us = loop_now_us() - p->of->opened_us,
				 .kind = line ? "line" : "notice",
				 .leg = diag_leg_name(LEG_SERIAL),
				 .data = line ? l->whole.text : l->note,
				 .len = line || !l->note ? l->whole.len :
							   strlen(l->note),
				 .size = l->size,
				 .device = l->name,
				 .id = l->device };

	trace_write(p->of->app, &t);
}

static void tell(struct witness_port *p, struct witness_line *l)
{
	place(p, l);
	if (!l->decoded)
		trace_line(p, l);
	p->of->events->line(p->of->owner, l);
}

static void tell_note(struct witness_port *p, const char *note)
{
	struct witness_line l = { .note = note };

	tell(p, &l);
}

/* ---- backtraces ---- */

static void on_decoded(void *owner, const char *line)
{
	struct witness_port *p = owner;
	struct witness_line l = { .decoded = true };

	if (!line)
		return;
	l.text = (struct span){ line, strlen(line) };
	tell(p, &l);
}

static void decode(struct witness_port *p)
{
	struct witness *w = p->of;
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!w->decodes || (w->told_missing && !w->elf.tool))
		return;
	if (addr2line_ask(&w->elf, w->app->loop, &p->panic, on_decoded, p,
			  &why) == 0)
		return;
	w->told_missing = true;
	text = error_line(&why);
	tell_note(p, text);
}

/* ---- lines ---- */

static void on_line(void *owner, struct span line, size_t over)
{
	struct witness_port *p = owner;
	CLEANUP(mem_free_ptr) char *note = NULL;
	CLEANUP(buf_done) struct buf masked = { 0 };
	struct witness_line l = { .whole = line, .size = line.len + over };

	mask_secrets(&masked, line.text, line.len);
	l.text = (struct span){ buf_string(&masked), masked.len };
	if (over)
		note = mem_printf("cut, %zu bytes left out", over);
	l.note = note;
	tell(p, &l);
	serial_judge_line(&p->judge, line, loop_now_us());
	if (panic_text_line(&p->panic, line)) {
		decode(p);
		panic_text_reset(&p->panic);
	}
}

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	struct witness_port *p = owner;
	struct witness_line l = { 0 };

	place(p, &l);
	p->of->events->found(p->of->owner, &l, f, detail);
}

static void on_news(void *owner, enum serial_news what, const char *why)
{
	struct witness_port *p = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (what == SERIAL_BACK)
		text = mem_printf("%s is back", p->place.device);
	else
		text = mem_printf(
			"%s is gone%s%s: unplugged, or its board restarts; trying again",
			p->place.device, why ? ", " : "", why ? why : "");
	tell_note(p, text);
	if (what != SERIAL_BACK)
		serial_judge_end(&p->judge);
}

/* Whether what that device says may be what this port's board did. */
static bool is_of(const struct witness_port *p, const char *device)
{
	const char *known = device_of(p);

	if (p->of->count == 1 && (p->of->alone || !known))
		return true;
	return known && device && text_same(known, device);
}

void witness_frame(struct witness *w, const char *device,
		   const struct diag_frame *f)
{
	for (size_t i = 0; w && i < w->count; i++) {
		if (is_of(&w->port[i], device))
			serial_judge_frame(&w->port[i].judge, f);
	}
}

/* ---- life ---- */

static int needs_serial(const char *option, struct error *err)
{
	return error_set(err, ERR_USAGE, "option '--%s' needs --serial",
			 option);
}

/* "serial/kitchen", where one of many must be told from another. */
static char *name_of(const struct witness *w, const struct serial_place *p)
{
	if (p->alias)
		return mem_printf("serial/%s", p->alias);
	if (w->count > 1)
		return mem_printf("serial/%s", file_name(p->device));
	return mem_strdup("serial");
}

/* Called before it counts. */
static int refuse_twice(const struct witness *w, struct serial_place *p,
			struct error *err)
{
	for (size_t i = 0; i < w->count; i++) {
		if (strcmp(w->port[i].place.device, p->device) != 0)
			continue;
		error_set(err, ERR_USAGE,
			  "option '--serial': '%s' is given twice", p->device);
		serial_place_done(p);
		return -1;
	}
	return 0;
}

/* Which board an ALIAS means: by the names of boards, or it is an id. */
static int read_aliases(struct witness *w, const char *file, struct error *err)
{
	struct aliases all = { 0 };

	if (aliases_read(&all, file, err))
		return -1;
	for (size_t i = 0; i < w->count; i++) {
		struct witness_port *p = &w->port[i];

		if (p->place.alias)
			p->id = aliases_device(&all, p->place.alias);
	}
	aliases_done(&all);
	return 0;
}

/* Of many boards nobody knows whose a port is. */
static int check_whose(const struct witness *w, const struct serial_place *p,
		       struct error *err)
{
	if (!w->app->config.all || p->alias)
		return 0;
	return error_set(err, ERR_USAGE,
			 "option '--serial': with --all, say whose '%s' is: "
			 "--serial ALIAS=%s",
			 p->device, p->device);
}

static int read_places(struct witness *w, const struct words *places,
		       struct error *err)
{
	w->port = mem_zalloc(places->count * sizeof(*w->port));
	for (; w->count < places->count; w->count++) {
		struct witness_port *p = &w->port[w->count];

		p->of = w;
		if (serial_place_read(&p->place, places->word[w->count], err))
			return -1;
		if (refuse_twice(w, &p->place, err) ||
		    check_whose(w, &p->place, err)) {
			serial_place_done(&p->place);
			return -1;
		}
	}
	for (size_t i = 0; i < w->count; i++)
		w->port[i].name = name_of(w, &w->port[i].place);
	return 0;
}

int witness_prepare(struct witness **out, struct app *app,
		    const char *alias_file, struct error *err)
{
	const struct config *c = &app->config;
	struct witness *w;

	*out = NULL;
	if (c->serial.count == 0 && c->elf)
		return needs_serial("elf", err);
	if (c->serial.count == 0 && c->reset)
		return needs_serial("reset", err);
	if (c->serial.count == 0)
		return 0;
	w = mem_zalloc(sizeof(*w));
	w->app = app;
	w->decodes = c->elf != NULL;
	if (read_places(w, &c->serial, err) ||
	    read_aliases(w, alias_file, err) ||
	    (c->elf && addr2line_find(&w->elf, c->elf, err))) {
		witness_close(w);
		return -1;
	}
	*out = w;
	return 0;
}

const char *witness_name(const struct witness *w, size_t i)
{
	return w && i < w->count ? w->port[i].name : NULL;
}

void witness_keep(const struct witness *w)
{
	for (size_t i = 0; w && i < w->count; i++)
		serial_keep(&w->port[i].place);
	if (w)
		addr2line_allow(&w->elf);
}

bool witness_is_news(const struct finding *f)
{
	return f->count == 1 || f->code <= S812;
}

/* In the trace it is a connection. */
static void trace_begins(const struct witness_port *p)
{
	const struct trace t = { .kind = "ready",
				 .leg = diag_leg_name(LEG_SERIAL),
				 .data = p->name,
				 .len = strlen(p->name),
				 .device = p->name,
				 .id = device_of(p) };

	trace_write(p->of->app, &t);
}

static int open_port(struct witness_port *p, struct error *err)
{
	static const struct serial_events events = { .line = on_line,
						     .news = on_news };
	struct witness *w = p->of;

	p->diag.found = on_found;
	p->diag.clock = loop_now_us;
	p->diag.owner = p;
	p->judge.diag = &p->diag;
	diag_start(&p->diag);
	p->place.reset = w->app->config.reset;
	if (serial_open(&p->serial, w->app->loop, &p->place, &events, p, err))
		return -1;
	trace_begins(p);
	return 0;
}

int witness_open(struct witness *w, bool alone,
		 const struct witness_events *events, void *owner,
		 struct error *err)
{
	w->alone = alone;
	w->events = events;
	w->owner = owner;
	w->opened_us = loop_now_us();
	for (size_t i = 0; i < w->count; i++) {
		if (open_port(&w->port[i], err))
			return -1;
	}
	return 0;
}

void witness_close(struct witness *w)
{
	if (!w)
		return;
	addr2line_done(&w->elf);
	for (size_t i = 0; i < w->count; i++) {
		struct witness_port *p = &w->port[i];

		serial_close(p->serial);
		diag_done(&p->diag);
		mem_free(p->name);
		mem_free(p->id);
	}
	for (size_t i = 0; i < w->count; i++)
		serial_place_done(&w->port[i].place);
	mem_free(w->port);
	mem_free(w);
}
