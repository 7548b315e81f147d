/* SPDX-License-Identifier: MIT */
/*
 * A capture: all rules again, with today's data files. A stage for each device;
 * nothing is asked, so nothing can be silent for longer than it was then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "capture/reader.h"
#include "capture/talks.h"
#include "check/check.h"
#include "diag/serial_rules.h"
#include "out/told.h"
#include "wire/serial_line.h"

/*
 * `check FILE`: a serial log that was saved. Its times are those of the chip
 * (ESP_LOG, ms since its start); what a start interrupts goes on behind it.
 */

struct serial_file {
	struct serial_judge judge;
	int64_t base_us,
		last_us; /* of this start of the chip; of the last line */
	uint64_t lines, cut;
	bool known; /* a line is one of ESP-IDF's */
};

/* A stamp that falls back: the chip started anew. */
static int64_t time_of(struct serial_file *f, struct span line)
{
	struct esp_log log;
	int64_t at;

	if (serial_find(line, "rst:0x").text)
		f->base_us = f->last_us;
	if (!esp_log_read(line, &log))
		return f->last_us;
	f->known = true;
	if (log.ms < 0)
		return f->last_us;
	at = f->base_us + log.ms * 1000;
	if (at < f->last_us) {
		f->base_us = f->last_us;
		at = f->base_us + log.ms * 1000;
	}
	f->last_us = at;
	return at;
}

static void on_line(void *owner, struct span line, size_t over)
{
	struct serial_file *f = owner;

	f->lines++;
	f->cut += over > 0;
	serial_judge_line(&f->judge, line, time_of(f, line));
}

static int read_lines(struct serial_file *f, int fd, const char *path,
		      struct error *err)
{
	struct serial_splitter split = { 0 };
	char piece[16384];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(err, ERR_USAGE, "'%s': %s", path,
					 strerror(errno));
		serial_split(&split, piece, (size_t)n, on_line, f);
	}
	serial_flush(&split, on_line, f);
	serial_judge_end(&f->judge);
	return 0;
}

static int open_log(const char *path, struct error *err)
{
	struct stat st;
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) :
					  file_open_regular(path, 0, &st);

	if (fd >= 0)
		return fd;
	return error_set(err, ERR_USAGE, "'%s': %s", path,
			 errno == EINVAL ? "no regular file" : strerror(errno));
}

/* path "-": stdin. */
static int check_serial_log(struct checkup *k, const char *path,
			    struct error *err)
{
	struct serial_file f = { .judge = { .diag = k->diag } };
	int fd = open_log(path, err), status;

	if (fd < 0)
		return -1;
	status = read_lines(&f, fd, path, err);
	close(fd);
	if (status)
		return -1;
	if (!f.known && !f.judge.seen && !k->diag->count)
		return error_set(
			err, ERR_USAGE,
			"'%s' is no capture, and no line of it is one of a board's serial log",
			path);
	check_stage(k, "serial", STAGE_OK,
		    "lines: %llu, starts of the chip: %llu%s",
		    (unsigned long long)f.lines,
		    (unsigned long long)f.judge.seen,
		    f.cut ? ", some lines were cut at 4 kB" : "");
	return check_end(k, err);
}

/* What was found of one device, over all its connections. */
struct judged_device {
	char *name; /* "": the capture does not tell */
	size_t connections;
	struct diag diag;
};

/* Of connections that are open at once as well: who writes a file ends none. */
#define DEVICES_MAX 16384

struct judged_file {
	struct checkup *k;
	struct judged_device **device; /* in the order in which they came */
	size_t devices, capacity;
	struct map names; /* the same ones */
	size_t messages, audio;
	uint64_t lost;
	int64_t last_us;
};

static void judged_file_done(struct judged_file *r)
{
	for (size_t i = 0; i < r->devices; i++) {
		mem_free(r->device[i]->name);
		diag_done(&r->device[i]->diag);
		mem_free(r->device[i]);
	}
	map_done(&r->names);
	mem_free(r->device);
}

static struct judged_device *device_named(struct judged_file *r,
					  const char *name)
{
	const uint64_t hash = map_hash_text(name);
	struct judged_device *d;
	size_t at = 0;

	while ((d = map_find(&r->names, hash, &at)))
		if (strcmp(d->name, name) == 0)
			return d;
	d = mem_zalloc(sizeof(*d));
	d->name = mem_strdup(name);
	map_add(&r->names, hash, d);
	r->device = mem_grow(r->device, &r->capacity, r->devices,
			     sizeof(struct judged_device *));
	r->device[r->devices++] = d;
	return d;
}

/* f, found again; what it owns is released. */
static void count_again(struct diag *d, struct finding *f)
{
	struct finding more = *diag_finding(d, f->code);

	more.count += f->count;
	if (f->last_us > more.last_us)
		more.last_us = f->last_us;
	more.detail = mem_strdup(more.detail);
	diag_take(d, &more);
	finding_done(f);
	*f = (struct finding){ 0 };
}

static void merge(struct diag *to, struct diag *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct finding *f = &from->item[i];

		if (diag_count(to, f->code))
			count_again(to, f);
		else
			diag_take(to, f);
	}
	from->count = 0;
}

static void over(void *owner, struct capture_talk *t)
{
	struct judged_file *r = owner;
	struct judged_device *d = device_named(r, t->device);

	d->connections++;
	merge(&d->diag, &t->diag);
}

static void count_event(struct judged_file *r, const struct capture_event *e)
{
	r->last_us = e->at_us;
	if (e->kind == CAPTURED_TEXT)
		r->messages++;
	else if (e->kind == CAPTURED_BINARY ||
		 (e->kind == CAPTURED_PACKET && e->leg == LEG_UDP))
		r->audio++;
	else if (e->kind == CAPTURED_LOST)
		r->lost += e->count;
}

static int refuse(const struct judged_file *r, const struct talks *talks,
		  const char *path, uint64_t n, struct error *err)
{
	if (talks->conns.count > DEVICES_MAX)
		return error_set(
			err, ERR_USAGE,
			"'%s', event %llu: more than %d connections are open at once, and no more are judged",
			path, (unsigned long long)n, DEVICES_MAX);
	if (r->devices > DEVICES_MAX)
		return error_set(
			err, ERR_USAGE,
			"'%s', event %llu: it is of more than %d devices, and no more are judged",
			path, (unsigned long long)n, DEVICES_MAX);
	return 0;
}

static int read_all(struct judged_file *r, struct capture_reader *file,
		    const char *path, struct error *err)
{
	struct talks talks = { .over = over, .owner = r };
	struct capture_event e;
	int more;

	while ((more = capture_next(file, &e, err)) > 0) {
		count_event(r, &e);
		talks_feed(&talks, &e);
		more = refuse(r, &talks, path, e.n, err);
		if (more)
			break;
	}
	talks_end(&talks);
	return more;
}

/* Codes that a device before this one had, too, and that were told then. */
static void add_told(const struct judged_file *r, const struct diag *d,
		     struct buf *out)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct finding_row *row = finding_row(d->item[i].code);

		if (diag_count(r->k->diag, d->item[i].code) &&
		    check_wants(r->k, row->code))
			buf_printf(out, "%s %s", out->len ? "" : "; also",
				   row->code);
	}
}

static void tell_device(struct judged_file *r, struct judged_device *d)
{
	CLEANUP(buf_done) struct buf also = { 0 };
	bool worst = diag_severe(&d->diag, SEVERITY_ERROR) > 0;

	add_told(r, &d->diag, &also);
	merge(r->k->diag, &d->diag);
	check_stage(r->k, "device", worst ? STAGE_ODD : STAGE_OK,
		    "%s%s%zu connection%s%s", d->name, *d->name ? ", " : "",
		    d->connections, d->connections == 1 ? "" : "s",
		    buf_string(&also));
}

/*
 * Who recorded it was one of both sides himself, but for the proxy: a person
 * asks odd things on purpose, and a simulated board has the faults it was given.
 * What several recorded is neither's, and of what tells no recorder (traces of
 * earlier versions, which were of clients, and what others write) it is not known.
 */
static const char *left_out(const struct capture_head *head)
{
	if (head->as && strcmp(head->as, "proxy") == 0)
		return "";
	return head->as && strcmp(head->as, "sim") == 0 ? "D" : "B";
}

static const char *left_out_words(const struct capture_head *head)
{
	const char *subject = left_out(head);

	if (!*subject)
		return "";
	if (!head->as)
		return "; who recorded it is not told: it is taken for the backend, which is not judged";
	return *subject == 'B' ? "; the backend was mcpctl, and is not judged" :
				 "; the device was mcpctl, and is not judged";
}

static void tell_file(struct judged_file *r, const struct capture_reader *file)
{
	struct checkup *k = r->k;
	const struct capture_head *head = capture_head(file);
	const char *as = head->as ? head->as : "trace";

	k->subject = left_out(head);
	check_stage(k, "capture", r->lost ? STAGE_ODD : STAGE_OK,
		    "%s, %zu message%s, %zu of audio, %.1f s%s", as,
		    r->messages, r->messages == 1 ? "" : "s", r->audio,
		    (double)r->last_us / 1e6, left_out_words(head));
	if (r->lost)
		check_stage(
			k, "lost", STAGE_ODD,
			"%llu event%s not recorded: what is missing may be there",
			(unsigned long long)r->lost,
			r->lost == 1 ? " was" : "s were");
	if (capture_beginnings(file))
		check_stage(
			k, "lost", STAGE_ODD,
			"of %zu message%s above 64 kB the beginning alone was recorded: not judged",
			capture_beginnings(file),
			capture_beginnings(file) == 1 ? "" : "s");
	if (capture_cut(file))
		check_stage(k, "cut", STAGE_ODD,
			    "the file ends within a line: read up to there");
}

static int check_capture(struct checkup *k, const char *path, struct error *err)
{
	CLEANUP(judged_file_done) struct judged_file r = { .k = k };
	struct capture_reader *file = capture_open(path, err);
	int status;

	if (!file)
		return -1;
	told_unmasked(&k->in->app->out, file, path);
	status = read_all(&r, file, path, err);
	tell_file(&r, file);
	capture_reader_free(file);
	for (size_t i = 0; i < r.devices; i++)
		tell_device(&r, r.device[i]);
	return status < 0 ? -1 : check_end(k, err);
}

/*
 * The first byte, which stays where it is; 0: it cannot be told. What comes
 * through a pipe is looked at by tee(2).
 */
static char first_byte(const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? dup(STDIN_FILENO) :
			    open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	off_t at = fd < 0 ? -1 : lseek(fd, 0, SEEK_CUR);
	char byte = 0;
	int ends[2];

	if (at >= 0 && pread(fd, &byte, 1, at) < 1)
		byte = 0;
	if (fd >= 0 && at < 0 && pipe2(ends, O_CLOEXEC) == 0) {
		if (tee(fd, ends[1], 1, 0) != 1 || read(ends[0], &byte, 1) != 1)
			byte = 0;
		close(ends[0]);
		close(ends[1]);
	}
	if (fd >= 0)
		close(fd);
	return byte;
}

/*
 * A pipe that has a name is opened once: who writes to it sees the first reader
 * go, and the next one would wait for another writer. It becomes our stdin.
 */
static const char *opened_once(const char *path)
{
	struct stat st;
	int fd;

	if (strcmp(path, "-") == 0 || stat(path, &st) || !S_ISFIFO(st.st_mode))
		return path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return path;
	close(fd);
	return "-";
}

int check_file(struct checkup *k, const char *given, struct error *err)
{
	const char *path = opened_once(given);
	char first = first_byte(path);

	k->peer = mem_strdup(given);
	/* JSON, gzip, zstd; what is not there, or empty, says so there. */
	if (!first || first == '{' || first == '\x1f' || first == '\x28')
		return check_capture(k, path, err);
	return check_serial_log(k, path, err);
}
