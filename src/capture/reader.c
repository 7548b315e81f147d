/* SPDX-License-Identifier: MIT */
/*
 * Line by line: the memory is that of one line, of what is decoded of it, and of
 * who each connection is.
 */
#include "capture/reader.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "capture/line.h"
#include "capture/unpack.h"

#define CHUNK (256u << 10)
#define DEVICES_MAX 16384

struct named_conn {
	uint32_t conn;
	char *device;
};

struct capture_reader {
	struct unpacked file;
	char *path;
	struct capture_head head;
	char *as, *upstream, *made;
	char *buf; /* what was read and not given out: from start to end */
	size_t start, end, capacity;
	bool eof, cut;
	size_t beginnings; /* messages that are cut */
	uint64_t line; /* which one was the last, from 1 */
	uint64_t too_long; /* the first line that is; 0: none */
	struct capture_line parts;
	struct old_trace old;
	struct map devices;
};

static int bad(const struct capture_reader *r, struct error *err,
	       const char *what)
{
	return error_set(err, ERR_USAGE, "'%s', line %llu: %s", r->path,
			 (unsigned long long)r->line, what);
}

/* ---- lines ---- */

/* More bytes behind end. 0: there are none; -1: err. */
static int fill(struct capture_reader *r, struct error *err)
{
	ssize_t got;

	if (r->start > 0) {
		memmove(r->buf, r->buf + r->start, r->end - r->start);
		r->end -= r->start;
		r->start = 0;
	}
	if (r->end + CHUNK > r->capacity) {
		r->capacity = 2 * (r->end + CHUNK);
		r->buf = mem_realloc(r->buf, r->capacity);
	}
	do
		got = read(r->file.fd, r->buf + r->end, CHUNK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_set(err, ERR_USAGE, "cannot read '%s': %s",
				 r->path, strerror(errno));
	r->end += (size_t)got;
	r->eof = got == 0;
	return got > 0;
}

enum got_line { LINE_NONE, LINE_WHOLE, LINE_OPEN, LINE_LONG, LINE_ERROR };

/* What was read of it is dropped, and what is not read yet, too. */
static enum got_line skip_long(struct capture_reader *r, struct error *err)
{
	for (;;) {
		char *lf = memchr(r->buf + r->start, '\n', r->end - r->start);

		if (lf) {
			r->start = (size_t)(lf + 1 - r->buf);
			return LINE_LONG;
		}
		r->start = r->end = 0;
		switch (fill(r, err)) {
		case 0:
			r->cut = true;
			return LINE_LONG;
		case 1:
			break;
		default:
			return LINE_ERROR;
		}
	}
}

/* LINE_OPEN: the last one, and it has no end. */
static enum got_line next_line(struct capture_reader *r, struct span *line,
			       struct error *err)
{
	size_t seen = 0;

	r->line++;
	for (;;) {
		char *from = r->buf + r->start;
		size_t len = r->end - r->start;
		char *lf = len > seen ? memchr(from + seen, '\n', len - seen) :
					NULL;

		*line = (struct span){ from, lf ? (size_t)(lf - from) : len };
		if (lf) {
			r->start += line->len + 1;
			return line->len > CAPTURE_LINE_MAX ? LINE_LONG :
							      LINE_WHOLE;
		}
		if (len > CAPTURE_LINE_MAX)
			return skip_long(r, err);
		seen = len;
		int more = r->eof ? 0 : fill(r, err);

		if (more < 0)
			return LINE_ERROR;
		if (more == 0) {
			line->text = r->buf + r->start;
			r->start = r->end;
			return len ? LINE_OPEN : LINE_NONE;
		}
	}
}

static bool is_blank(struct span line)
{
	while (line.len > 0 && strchr(" \t\r", *line.text)) {
		line.text++;
		line.len--;
	}
	return line.len == 0;
}

/* ---- who is who ---- */

static struct named_conn *name_of(const struct capture_reader *r, uint32_t conn)
{
	uint64_t hash = map_hash(&conn, sizeof(conn));
	struct named_conn *who;
	size_t at = 0;

	while ((who = map_find(&r->devices, hash, &at)))
		if (who->conn == conn)
			return who;
	return NULL;
}

static void forget_all(struct capture_reader *r)
{
	struct named_conn *who;
	size_t at = 0;

	while ((who = map_each(&r->devices, &at))) {
		mem_free(who->device);
		mem_free(who);
	}
	map_done(&r->devices);
	r->devices = (struct map){ 0 };
}

static void learn(struct capture_reader *r, const struct capture_event *e)
{
	struct named_conn *who = name_of(r, e->conn);

	if (!who) {
		if (r->devices.count == DEVICES_MAX)
			forget_all(r);
		who = mem_zalloc(sizeof(*who));
		who->conn = e->conn;
		map_add(&r->devices, map_hash(&e->conn, sizeof(e->conn)), who);
	}
	mem_free(who->device);
	who->device = mem_strdup(e->device);
}

static void name_it(struct capture_reader *r, struct capture_event *e)
{
	const struct named_conn *who;

	if (!e->conn)
		return;
	if (e->kind == CAPTURED_DEVICE && e->device)
		learn(r, e);
	if (e->device)
		return;
	who = name_of(r, e->conn);
	e->device = who ? who->device : NULL;
	e->named_before = who != NULL;
}

/* ---- the file ---- */

static int foreign(const struct capture_reader *r, const char *why,
		   struct error *err)
{
	error_set(err, ERR_USAGE, "'%s' is no capture: %s", r->path, why);
	return error_hint(
		err,
		"captures are what --trace FILE writes; see mcpctl-capture(5)");
}

static int64_t moment(const char *made)
{
	struct tm tm = { 0 };
	const char *rest =
		made ? strptime(made, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	int ms = 0;

	if (!rest)
		return 0;
	if (*rest == '.')
		for (int i = 1, unit = 100; i < 4; i++, unit /= 10) {
			if (rest[i] < '0' || rest[i] > '9')
				break;
			ms += (rest[i] - '0') * unit;
		}
	return (int64_t)timegm(&tm) * 1000 + ms;
}

static int take_header(struct capture_reader *r, struct span line,
		       struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(line.text, line.len, NULL);
	int64_t version = 0;

	if (json_integer(json, "capture", &version) || version < 1)
		return foreign(r, "its header names no version", err);
	if (version > CAPTURE_VERSION) {
		error_set(
			err, ERR_USAGE,
			"'%s' is a capture of version %lld, and this mcpctl reads up to version %d",
			r->path, (long long)version, CAPTURE_VERSION);
		return error_hint(err, "it was written by %s: use that",
				  json_string(json, "program") ?
					  json_string(json, "program") :
					  "a newer mcpctl");
	}
	r->as = mem_strdup(json_string(json, "as"));
	r->upstream = mem_strdup(json_string(json, "upstream"));
	r->made = mem_strdup(json_string(json, "made"));
	r->head = (struct capture_head){ .version = (int)version,
					 .as = r->as,
					 .upstream = r->upstream,
					 .made = r->made,
					 .made_ms = moment(r->made),
					 .masked = json_true(json, "masked") };
	return 0;
}

/* A trace of before has no header: its first line is an event. */
static int take_first(struct capture_reader *r, struct span line,
		      struct error *err)
{
	static const char *const names[] = { "capture", "dir", "kind" };
	struct span found[COUNT(names)] = { 0 };

	if (json_check(line.text, line.len, NULL))
		return foreign(r, "line 1 is no JSON", err);
	json_span_members(line, names, COUNT(names), found);
	if (found[0].text)
		return take_header(r, line, err);
	if (!found[1].text || !found[2].text)
		return foreign(r, "line 1 is no header of one", err);
	/* It masked, too, but all secrets alike. */
	r->head.masked = true;
	old_trace_look(&r->old, (struct span){ r->buf, r->end });
	r->start = (size_t)(line.text - r->buf);
	r->line = 0;
	return 0;
}

static int ended(struct capture_reader *r, struct error *err)
{
	if (!unpack_whole(&r->file)) {
		r->cut = true;
		if (r->line <= 1)
			return error_set(err, ERR_USAGE,
					 "%s could not unpack '%s'",
					 r->file.program, r->path);
	}
	return 0;
}

static int begin(struct capture_reader *r, struct error *err)
{
	size_t mark;
	struct span line;

	switch (next_line(r, &line, err)) {
	case LINE_ERROR:
		return -1;
	case LINE_NONE:
		return ended(r, err) ? -1 : foreign(r, "it is empty", err);
	case LINE_LONG:
		return foreign(r, "line 1 does not end", err);
	default:
		break;
	}
	mark = text_mark(line.text, line.len);
	line.text += mark;
	line.len -= mark;
	return take_first(r, line, err);
}

struct capture_reader *capture_open(const char *path, struct error *err)
{
	struct capture_reader *r = mem_zalloc(sizeof(*r));

	r->path = mem_strdup(path);
	r->capacity = (size_t)2 * CHUNK;
	r->buf = mem_alloc(r->capacity);
	if (unpack_open(&r->file, path, err) == 0 && begin(r, err) == 0)
		return r;
	capture_reader_free(r);
	return NULL;
}

const struct capture_head *capture_head(const struct capture_reader *r)
{
	return &r->head;
}

/* What stands in one line. 1; 0: nothing; -1: err. */
static int take_line(struct capture_reader *r, struct span line,
		     struct capture_event *e, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int result;

	if (is_blank(line))
		return 0;
	result = r->head.version ?
			 capture_line_read(&r->parts, line, e, &why) :
			 old_trace_read(&r->old, &r->parts, line, e, &why);
	if (result)
		return bad(r, err, why.text);
	if (!e->n)
		e->n = r->line;
	name_it(r, e);
	r->beginnings += e->cut && e->kind == CAPTURED_TEXT;
	return 1;
}

int capture_next(struct capture_reader *r, struct capture_event *e,
		 struct error *err)
{
	struct span line;
	int result;

	for (;;) {
		switch (next_line(r, &line, err)) {
		case LINE_NONE:
			return ended(r, err);
		case LINE_ERROR:
			return -1;
		case LINE_LONG:
			if (!r->too_long)
				r->too_long = r->line;
			*e = (struct capture_event){ .kind = CAPTURED_LOST,
						     .n = r->line,
						     .count = 1 };
			return 1;
		case LINE_OPEN:
			result = take_line(r, line, e, NULL);
			if (result > 0)
				return 1;
			r->cut = result < 0;
			return ended(r, err);
		case LINE_WHOLE:
			result = take_line(r, line, e, err);
			if (result != 0)
				return result;
		}
	}
}

bool capture_cut(const struct capture_reader *r)
{
	return r->cut;
}

uint64_t capture_long(const struct capture_reader *r)
{
	return r->too_long;
}

size_t capture_beginnings(const struct capture_reader *r)
{
	return r->beginnings;
}

void capture_reader_free(struct capture_reader *r)
{
	if (!r)
		return;
	unpack_done(&r->file);
	forget_all(r);
	capture_line_done(&r->parts);
	mem_free(r->path);
	mem_free(r->as);
	mem_free(r->upstream);
	mem_free(r->made);
	mem_free(r->buf);
	mem_free(r);
}
