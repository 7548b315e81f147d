/* SPDX-License-Identifier: MIT */
/*
 * A line for each event, masked first, cut then; written at once, so that a
 * program that is killed leaves what it saw.
 */
#include "capture/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/loop.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"

/* In front of an MQTT CONNECT's payload, where a password may stand (MQTT 3.1.1,
   3.1): its fixed header may take 5 bytes, the rest 10. */
#define CONNECT_FRONT 12
#define CONNECT_TYPE 1

struct capture_writer {
	int fd; /* -1: into line */
	bool (*into)(void *owner, struct span line);
	bool regular, audio, copy;
	off_t end; /* of the last whole line */
	int64_t began_us;
	uint64_t n;
	uint32_t connections;
	char *path;
	struct mask_names *names;
	struct buf line, masked;
	uint64_t pending, lost; /* not told in the file yet; all */
	int why; /* errno of the first that was lost */
	void (*trouble)(void *owner, const struct error *why);
	void *owner;
};

/* ---- members ---- */

static void add_name(struct buf *out, const char *name)
{
	buf_printf(out, ",\"%s\":", name);
}

static void add_string(struct buf *out, const char *name, const char *text,
		       size_t len)
{
	add_name(out, name);
	buf_json_string(out, text, len);
}

static void add_hex(struct buf *out, const char *name, const char *data,
		    size_t len)
{
	static const char digits[] = "0123456789abcdef";

	add_name(out, name);
	buf_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		buf_char(out, digits[(unsigned char)data[i] >> 4]);
		buf_char(out, digits[data[i] & 15]);
	}
	buf_char(out, '"');
}

static bool is_text(const char *data, size_t len)
{
	return !memchr(data, '\0', len) && text_is_utf8(data, len);
}

struct member_names {
	const char *text, *hex, *cut, *sha256;
};

/*
 * What is masked already: as text or as hex, its beginning if it is large. cut:
 * of an event whose data is a beginning, NULL: it is all.
 */
static void add_bytes(struct buf *out, const struct member_names *as,
		      const char *data, size_t len, bool bytes,
		      const struct capture_event *cut)
{
	char own[SHA256_TEXT];
	const char *sum = cut ? cut->sha256 : NULL;
	size_t kept = len;

	bytes = bytes || !is_text(data, len);
	if (len > CAPTURE_DATA_MAX) {
		kept = bytes ? CAPTURE_DATA_MAX :
			       text_cut(data, len, CAPTURE_DATA_MAX);
		if (!cut) {
			sha256_text(data, len, own);
			sum = own;
		}
	}
	if (cut || kept < len)
		buf_printf(out, ",\"%s\":%zu", as->cut, kept);
	if (sum)
		add_string(out, as->sha256, sum, strlen(sum));
	if (bytes)
		add_hex(out, as->hex, data, kept);
	else
		add_string(out, as->text, data, kept);
}

/* ---- what an event has ---- */

static bool is_audio(const struct capture_event *e)
{
	return e->kind == CAPTURED_BINARY ||
	       (e->kind == CAPTURED_PACKET && e->leg == LEG_UDP);
}

/* Its password is the last in it: only what stands in front is kept. */
static bool is_connect(const struct capture_event *e)
{
	return e->kind == CAPTURED_PACKET && e->leg == LEG_MQTT &&
	       e->data.text && e->data.len > 0 &&
	       (unsigned char)e->data.text[0] >> 4 == CONNECT_TYPE;
}

static void add_data(struct capture_writer *w, const struct capture_event *e)
{
	static const struct member_names as = { "text", "hex", "cut",
						"sha256" };
	const char *data = e->data.text ? e->data.text : "";
	size_t len = e->data.text ? e->data.len : 0;

	buf_printf(&w->line, ",\"size\":%zu", e->size ? e->size : len);
	if (is_audio(e)) {
		if (w->audio && len)
			add_bytes(&w->line, &as, data, len, true,
				  e->cut ? e : NULL);
		return;
	}
	if (is_connect(e)) {
		len = len < CONNECT_FRONT ? len : CONNECT_FRONT;
		buf_printf(&w->line, ",\"cut\":%zu", len);
		add_hex(&w->line, as.hex, data, len);
		return;
	}
	buf_reset(&w->masked);
	mask_named(&w->masked, data, len, w->names);
	add_bytes(&w->line, &as, buf_string(&w->masked), w->masked.len,
		  e->bytes, e->cut ? e : NULL);
}

static void add_passed(struct capture_writer *w, const struct capture_event *e)
{
	const struct capture_event cut = { .sha256 = e->passed_sha256 };
	const struct span passed = e->passed;
	static const struct member_names as = { "passed", "passed_hex",
						"passed_cut", "passed_sha256" };

	if (!passed.text)
		return;
	buf_reset(&w->masked);
	mask_named(&w->masked, passed.text, passed.len, w->names);
	add_bytes(&w->line, &as, buf_string(&w->masked), w->masked.len, false,
		  e->passed_cut ? &cut : NULL);
}

static void mask_line(struct buf *out, const char *line, size_t len,
		      struct mask_names *names)
{
	const char *colon = memchr(line, ':', len);
	size_t before = colon ? (size_t)(colon - line) : 0;
	CLEANUP(mem_free_ptr) char *name = mem_strndup(line, before);
	const char *value = colon ? colon + 1 : line;

	if (!colon || memchr(line, ' ', before) || !mask_is_secret(name)) {
		mask_named(out, line, len, names);
		return;
	}
	while (value < line + len && *value == ' ')
		value++;
	buf_add(out, line, (size_t)(value - line));
	buf_add(out, value, mask_scheme(value, (size_t)(line + len - value)));
	mask_whole(out, value, (size_t)(line + len - value), names);
}

static void add_head(struct capture_writer *w, struct span head)
{
	const char *at = head.text, *end;

	if (!at)
		return;
	end = at + head.len;
	add_name(&w->line, "head");
	buf_char(&w->line, '[');
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		const char *stop = lf ? lf : end;

		if (at != head.text)
			buf_char(&w->line, ',');
		if (stop > at && stop[-1] == '\r')
			stop--;
		buf_reset(&w->masked);
		mask_line(&w->masked, at, (size_t)(stop - at), w->names);
		buf_json_string(&w->line, buf_string(&w->masked),
				w->masked.len);
		at = lf ? lf + 1 : end;
	}
	buf_char(&w->line, ']');
}

static void add_finding(struct capture_writer *w, struct span json)
{
	CLEANUP(buf_done) struct buf plain = { 0 };
	struct span inner;

	if (!json.text || json_check(json.text, json.len, NULL))
		return;
	if (json_span_member(json, "finding", &inner))
		json = inner;
	json_minify(&plain, json.text, json.len);
	add_name(&w->line, "finding");
	mask_named(&w->line, buf_string(&plain), plain.len, w->names);
}

static void add_text(struct buf *out, const char *name, const char *text)
{
	if (text)
		add_string(out, name, text, strlen(text));
}

static void add_place(struct capture_writer *w, const struct capture_event *e)
{
	if (e->conn)
		buf_printf(&w->line, ",\"c\":%" PRIu32, e->conn);
	if (e->kind == CAPTURED_FINDING || e->kind == CAPTURED_DEVICE ||
	    e->kind == CAPTURED_LOST)
		return;
	add_text(&w->line, "leg", diag_leg_name(e->leg));
	if (e->from != FROM_NOBODY)
		add_text(&w->line, "from",
			 e->from == FROM_DEVICE ? "device" : "backend");
}

static void add_rest(struct capture_writer *w, const struct capture_event *e)
{
	switch (e->kind) {
	case CAPTURED_FINDING:
		add_finding(w, e->data);
		return;
	case CAPTURED_DEVICE:
		add_text(&w->line, "board", e->board);
		add_text(&w->line, "version", e->version);
		return;
	case CAPTURED_LOST:
		buf_printf(&w->line, ",\"count\":%" PRIu64, e->count);
		return;
	case CAPTURED_END:
		add_text(&w->line, "how", event_end_name(e->how));
		if (e->code)
			buf_printf(&w->line, ",\"code\":%d", e->code);
		break;
	default:
		break;
	}
	if (e->status)
		buf_printf(&w->line, ",\"status\":%d", e->status);
	add_text(&w->line, "topic", e->topic);
	add_head(w, e->head);
	if (e->data.text || e->size)
		add_data(w, e);
	add_passed(w, e);
}

static void fill(struct capture_writer *w, const struct capture_event *e,
		 uint64_t n)
{
	buf_reset(&w->line);
	buf_printf(&w->line, "{\"n\":%" PRIu64 ",\"t\":%" PRId64, n,
		   e->at_us || w->copy ? e->at_us : capture_now(w));
	add_place(w, e);
	add_text(&w->line, "kind", capture_kind_name(e->kind));
	add_text(&w->line, "device", e->device);
	add_rest(w, e);
	buf_text(&w->line, "}\n");
}

/* ---- the file ---- */

/* All of the line, or nothing where that can be. */
static bool put(struct capture_writer *w)
{
	int why;

	if (w->into)
		return w->into(w->owner,
			       (struct span){ w->line.data, w->line.len - 1 });
	if (file_write(w->fd, w->line.data, w->line.len) == 0) {
		w->end += (off_t)w->line.len;
		return true;
	}
	why = errno;
	if (w->regular && ftruncate(w->fd, w->end) == 0)
		lseek(w->fd, w->end, SEEK_SET);
	errno = why;
	return false;
}

static int say_lost(const struct capture_writer *w, struct error *err)
{
	return error_set(err, ERR_OUTPUT,
			 "'%s' could not be written whole: %" PRIu64
			 " event%s lost: %s",
			 w->path, w->lost, w->lost == 1 ? " is" : "s are",
			 strerror(w->why));
}

static void lose(struct capture_writer *w)
{
	CLEANUP(error_reset) struct error err = { 0 };
	bool first = w->lost == 0;

	w->pending++;
	w->lost++;
	if (!first)
		return;
	w->why = errno;
	error_set(&err, ERR_OUTPUT, "cannot write '%s': %s; the work goes on",
		  w->path, strerror(w->why));
	if (w->trouble)
		w->trouble(w->owner, &err);
}

/* True: the file says all that is lost. */
static bool told(struct capture_writer *w)
{
	const struct capture_event e = { .kind = CAPTURED_LOST,
					 .count = w->pending };

	if (w->pending == 0)
		return true;
	fill(w, &e, w->n + 1);
	if (!put(w))
		return false;
	w->n++;
	w->pending = 0;
	return true;
}

uint64_t capture_write(struct capture_writer *w, const struct capture_event *e)
{
	bool room = told(w);

	w->n++;
	if (!capture_kind_name(e->kind))
		return w->n;
	if (room)
		fill(w, e, w->n);
	if (!room || !put(w))
		lose(w);
	return w->n;
}

/* "ws://me:secret@host/": what stands behind the name. */
static void add_upstream(struct capture_writer *w, const char *url)
{
	const char *host = strstr(url, "://");

	buf_reset(&w->masked);
	if (host) {
		const char *colon,
			*at = memchr(host + 3, '@', strcspn(host + 3, "/?#"));

		host += strlen("://");
		colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
		if (colon) {
			buf_add(&w->masked, url, (size_t)(colon + 1 - url));
			mask_whole(&w->masked, colon + 1,
				   (size_t)(at - colon - 1), w->names);
			url = at;
		}
	}
	mask_named(&w->masked, url, strlen(url), w->names);
	add_string(&w->line, "upstream", buf_string(&w->masked), w->masked.len);
}

static bool put_header(struct capture_writer *w, const struct capture_how *how)
{
	char stamp[STAMP_SIZE];

	buf_printf(&w->line,
		   "{\"capture\":%d,\"program\":\"mcpctl " MCPCTL_VERSION "\"",
		   CAPTURE_VERSION);
	add_text(&w->line, "made", how->made ? how->made : clock_utc(stamp));
	add_text(&w->line, "as", how->as);
	add_text(&w->line, "clock", "us");
	buf_text(&w->line, ",\"masked\":true");
	if (how->upstream)
		add_upstream(w, how->upstream);
	buf_text(&w->line, "}\n");
	return put(w);
}

int capture_reader(const struct capture_writer *w)
{
	struct stat ours, there;
	int fd = w->regular ? file_open_regular(w->path, 0, &there) : -1;

	if (fd < 0)
		return -1;
	if (fstat(w->fd, &ours) == 0 && ours.st_dev == there.st_dev &&
	    ours.st_ino == there.st_ino)
		return fd;
	close(fd);
	return -1;
}

static int open_file(const char *path, struct error *err)
{
	if (strcmp(path, "-") == 0)
		return error_set(err, ERR_USAGE,
				 "a trace goes to a file, and '-' is none");
	return file_create("trace", path, true, err);
}

struct capture_writer *capture_create(const struct capture_how *how,
				      struct error *err)
{
	struct capture_writer *w;
	struct stat st;
	int fd = how->path ? open_file(how->path, err) : -1;

	if (how->path && fd < 0)
		return NULL;
	w = mem_zalloc(sizeof(*w));
	w->fd = fd;
	w->into = how->path ? NULL : how->line;
	w->regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	w->audio = how->audio;
	w->copy = how->made != NULL;
	w->end = fd < 0 ? 0 : lseek(fd, 0, SEEK_CUR);
	w->path = mem_strdup(how->path ? how->path : "stdout");
	w->names = mask_names_new();
	w->trouble = how->trouble;
	w->owner = how->owner;
	w->began_us = loop_now_us();
	if (!w->regular || !file_take(w->fd, w->path, err)) {
		if (put_header(w, how))
			return w;
		error_set(err, ERR_OUTPUT, "cannot write '%s': %s", w->path,
			  strerror(errno));
	}
	capture_close(w, NULL);
	return NULL;
}

uint32_t capture_connection(struct capture_writer *w)
{
	return ++w->connections;
}

int64_t capture_now(const struct capture_writer *w)
{
	return loop_now_us() - w->began_us;
}

void capture_secrets_from(struct capture_writer *w, unsigned scope)
{
	mask_names_from(w->names, scope);
}

size_t capture_secrets(const struct capture_writer *w)
{
	return mask_names_count(w->names);
}

bool capture_failed(const struct capture_writer *w)
{
	return w->lost > 0;
}

int capture_close(struct capture_writer *w, struct error *err)
{
	int result = 0;

	if (!w)
		return 0;
	told(w);
	if (w->fd >= 0 && close(w->fd) != 0 && w->lost == 0) {
		w->lost = 1;
		w->why = errno;
	}
	if (w->lost)
		result = say_lost(w, err);
	mask_names_free(w->names);
	buf_done(&w->line);
	buf_done(&w->masked);
	mem_free(w->path);
	mem_free(w);
	return result;
}
