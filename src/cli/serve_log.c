/* SPDX-License-Identifier: MIT */
/*
 * Showing records without ever waiting for the one who reads them. What a
 * record looks like is the renderer's matter.
 */
#include "cli/serve_log.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/mem.h"
#include "cli/config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int serve_log_open(struct serve_log *l, struct renderer *r, const char *path,
		   bool aside, struct error *err)
{
	*l = (struct serve_log){ .out = r, .path = path };
	l->last = &l->first;
	if (!path && !aside)
		return 0;
	if (path) {
		l->file = file_create_stream("log", path, true, err);
		if (!l->file)
			return -1;
	}
	l->place = render_divert(r);
	l->diverted = true;
	if (l->file) {
		r->out = l->file;
		r->out_terminal = r->out_color = false;
		r->dated = true;
	}
	return 0;
}

/* Whether a write would not block. A descriptor that is broken shows it then. */
static bool has_room(const struct renderer *r)
{
	struct pollfd p = { .fd = fileno(r->out), .events = POLLOUT };

	return p.fd < 0 || poll(&p, 1, 0) != 0;
}

/* Told once, -q or not: the log is what was asked for. */
static void tell_lost(struct serve_log *l)
{
	struct renderer *r = l->out;
	bool quiet = r->quiet;

	r->quiet = false;
	render_note(r,
		    "the log cannot be written (%s): serve goes on without it",
		    l->why ? strerror(l->why) : "its reader is gone");
	r->quiet = quiet;
}

static void show(struct serve_log *l, const struct record *record)
{
	struct renderer *r = l->out;

	errno = 0;
	r->ops->record(r, record);
	if (fflush(r->out) == 0 && !ferror(r->out))
		return;
	if (l->lost++ == 0) {
		l->why = errno;
		tell_lost(l);
	}
	/* Not again with the next one. */
	__fpurge(r->out);
	clearerr(r->out);
}

static void show_dropped(struct serve_log *l)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"%" PRIu64
		" events came faster than they were read, and are missing here",
		l->dropped);
	struct record record = { .kind = RECORD_DROPPED,
				 .level = LEVEL_WARN,
				 .at_ms = unix_now_ms(),
				 .text = text,
				 .count = l->dropped };

	l->dropped = 0;
	show(l, &record);
}

bool serve_log_pump(struct serve_log *l)
{
	while (l->first || l->dropped) {
		struct record *record = l->first;

		if (!has_room(l->out))
			return true;
		if (!record) {
			show_dropped(l);
			continue;
		}
		l->first = record->next;
		if (!l->first)
			l->last = &l->first;
		l->waiting--;
		show(l, record);
		record_free(record);
	}
	return false;
}

static bool is_shown(const struct renderer *r, const struct record *record)
{
	/* As render_finding. */
	if (r->quiet && record->kind == RECORD_FINDING)
		return record->level >= LEVEL_BAD;
	if (r->quiet)
		return record->level >= LEVEL_WARN;
	return record->level > LEVEL_DEBUG || r->verbose;
}

void serve_log_take(struct serve_log *l, struct record *record)
{
	if (!l->out->ops->record || !is_shown(l->out, record)) {
		record_free(record);
		return;
	}
	/* The first ones tell how it began; the others are counted. */
	if (l->waiting >= RECORDS_MAX) {
		l->dropped++;
		record_free(record);
		return;
	}
	record->next = NULL;
	*l->last = record;
	l->last = &record->next;
	l->waiting++;
	serve_log_pump(l);
}

void serve_log_reopen(struct serve_log *l)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int fd;

	if (!l->file)
		return;
	fd = file_create("log", l->path, true, &why);
	if (fd < 0) {
		render_note(l->out, "%s; it goes on in the old one", why.text);
		return;
	}
	dup3(fd, fileno(l->file), O_CLOEXEC);
	close(fd);
	if (l->detached) {
		dup2(fileno(l->file), STDOUT_FILENO);
		dup2(fileno(l->file), STDERR_FILENO);
	}
}

void serve_log_detach(struct serve_log *l)
{
	struct renderer *r = l->out;
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	fflush(r->out);
	fflush(r->err);
	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		close(nothing);
	}
	if (l->file) {
		dup2(fileno(l->file), STDOUT_FILENO);
		dup2(fileno(l->file), STDERR_FILENO);
	}
	r->err_terminal = r->err_color = r->err_moves = false;
	l->place.terminal = l->place.color = false;
	l->detached = true;
}

int serve_log_close(struct serve_log *l, struct error *err)
{
	if (!l->out)
		return 0;
	serve_log_pump(l);
	while (l->first) {
		struct record *record = l->first;

		l->first = record->next;
		record_free(record);
	}
	if (l->diverted)
		render_restore(l->out, &l->place);
	if (l->file && fclose(l->file) != 0 && l->lost++ == 0)
		l->why = errno;
	l->out->dated = false;
	l->out = NULL;
	if (l->lost == 0)
		return 0;
	error_set(err, ERR_OUTPUT, "the log could not be written: %s",
		  l->why ? strerror(l->why) : "its reader is gone");
	return error_code(err, l->why);
}

int serve_log_default(char **out, struct error *err)
{
	if (state_file(out, "serve.log", err) == 0)
		return 0;
	return error_hint(err, "name another place with --log FILE");
}
