/* SPDX-License-Identifier: MIT */
/*
 * A capture: all rules again, with today's data files. A stage for each device;
 * nothing is asked, so nothing can be silent for longer than it was then.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/reader.h"
#include "capture/talks.h"
#include "check/check.h"

/* What was found of one device, over all its connections. */
struct judged_device {
	char *name; /* "": the capture does not tell */
	size_t connections;
	struct diag diag;
};

struct judged_file {
	struct checkup *k;
	struct judged_device *device;
	size_t devices, capacity;
	size_t messages, audio;
	uint64_t lost;
	int64_t last_us;
};

static void judged_file_done(struct judged_file *r)
{
	for (size_t i = 0; i < r->devices; i++) {
		mem_free(r->device[i].name);
		diag_done(&r->device[i].diag);
	}
	mem_free(r->device);
}

static struct judged_device *device_named(struct judged_file *r,
					  const char *name)
{
	for (size_t i = r->devices; i-- > 0;)
		if (strcmp(r->device[i].name, name) == 0)
			return &r->device[i];
	r->device = mem_grow(r->device, &r->capacity, r->devices,
			     sizeof(*r->device));
	r->device[r->devices] =
		(struct judged_device){ .name = mem_strdup(name) };
	return &r->device[r->devices++];
}

/* f, found again; what it owns is released. */
static void count_again(struct diag *d, struct finding *f)
{
	struct finding more = *diag_finding(d, f->code);

	more.count += f->count;
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
	else if (e->kind == CAPTURED_BINARY)
		r->audio++;
	else if (e->kind == CAPTURED_LOST)
		r->lost += e->count;
}

static int read_all(struct judged_file *r, struct capture_reader *file,
		    struct error *err)
{
	struct talks talks = { .over = over, .owner = r };
	struct capture_event e;
	int more;

	while ((more = capture_next(file, &e, err)) > 0) {
		count_event(r, &e);
		talks_feed(&talks, &e);
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
 */
static const char *left_out(const struct capture_head *head)
{
	if (head->as && strcmp(head->as, "proxy") == 0)
		return "";
	return head->as && strcmp(head->as, "sim") == 0 ? "D" : "B";
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
		    (double)r->last_us / 1e6,
		    *k->subject == 'B' ?
			    "; the backend was mcpctl, and is not judged" :
		    *k->subject == 'D' ?
			    "; the device was mcpctl, and is not judged" :
			    "");
	if (r->lost)
		check_stage(
			k, "lost", STAGE_ODD,
			"%llu events were not recorded: what is missing may be there",
			(unsigned long long)r->lost);
	if (capture_cut(file))
		check_stage(k, "cut", STAGE_ODD,
			    "the file ends within a line: read up to there");
}

int check_capture(struct checkup *k, const char *path, struct error *err)
{
	CLEANUP(judged_file_done) struct judged_file r = { .k = k };
	struct capture_reader *file = capture_open(path, err);
	int status;

	if (!file)
		return -1;
	k->peer = mem_strdup(path);
	status = read_all(&r, file, err);
	tell_file(&r, file);
	capture_reader_free(file);
	for (size_t i = 0; i < r.devices; i++)
		tell_device(&r, &r.device[i]);
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

int check_file(struct checkup *k, const char *path, struct error *err)
{
	char first = first_byte(path);

	/* JSON, gzip, zstd; what is not there, or empty, says so there. */
	if (!first || first == '{' || first == '\x1f' || first == '\x28')
		return check_capture(k, path, err);
	return check_serial_log(k, path, err);
}
