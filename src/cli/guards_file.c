/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing the file of a breaker: small, replaced as a whole, and
 * not believed further than its numbers make sense. Decides nothing.
 */
#include "cli/guards_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/state_file.h"

#define FOLDER "breakers/"

enum {
	FILE_MAX = 16384,
	WHY_MAX = 400, /* bytes of the words that are kept */
	LOCK_TRIES = 50, /* 10 ms each: a stopped command must not stop us */
	FAILURES_MAX = 1000000
};

void guards_record_done(struct guards_record *r)
{
	mem_free(r->method);
	mem_free(r->why);
	*r = (struct guards_record){ 0 };
}

int guards_file_open(struct guards_file *out, const char *target,
		     struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf(FOLDER "%016" PRIx64 ".json",
				text_hash(target, strlen(target)));

	*out = (struct guards_file){ .lock = -1 };
	if (state_file(&out->path, name, err) != 0 ||
	    state_file(&out->lock_path, FOLDER "lock", err) != 0) {
		guards_file_close(out);
		return -1;
	}
	out->target = mem_strdup(target);
	return 0;
}

void guards_file_close(struct guards_file *f)
{
	mem_free(f->path);
	mem_free(f->lock_path);
	mem_free(f->target);
	*f = (struct guards_file){ .lock = -1 };
}

/* Not the file itself, which is replaced. -1: go on without. */
static int take_lock(const char *path)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* ---- reading ---- */

/* -1: there is no regular file. */
static int read_text(struct buf *out, const char *path)
{
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st), status;

	if (fd < 0)
		return -1;
	buf_init(out, FILE_MAX);
	status = file_read_fd(out, fd);
	close(fd);
	return status;
}

static bool number_of(const cJSON *tree, const char *name, int64_t *out)
{
	return json_integer(tree, name, out) == 0 && *out >= 0;
}

static bool decode(struct guards_record *r, const char *target,
		   const struct buf *text)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(buf_string(text), text->len, NULL);
	const char *whose = json_string(tree, "target");
	struct breaker *b = &r->breaker;
	int64_t failures, opened_at, trial_at;

	if (!whose || !number_of(tree, "failures", &failures) ||
	    !number_of(tree, "opened_at", &opened_at) ||
	    !number_of(tree, "trial_at", &trial_at) || failures > FAILURES_MAX)
		return false;
	/* Two targets of one hash: the last one counts. */
	if (strcmp(whose, target) != 0)
		return true;
	b->failures = failures;
	b->opened_at = opened_at;
	b->trial_at = trial_at;
	r->method = mem_strdup(json_string(tree, "method"));
	r->why = mem_strdup(json_string(tree, "why"));
	return true;
}

static void forget(struct guards_record *r)
{
	mem_free(TAKE(r->method));
	mem_free(TAKE(r->why));
	breaker_close(&r->breaker);
}

int guards_file_begin(struct guards_file *f, struct guards_record *r,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	forget(r);
	f->lock = take_lock(f->lock_path);
	if (access(f->path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (read_text(&text, f->path) == 0 && decode(r, f->target, &text))
		return 0;
	return error_set(err, ERR_USAGE,
			 "the state of the circuit breaker in '%s' cannot be "
			 "read: it counts as closed",
			 f->path);
}

/* ---- writing ---- */

static void encode(struct buf *out, const struct guards_file *f,
		   const struct guards_record *r)
{
	const struct breaker *b = &r->breaker;

	buf_text(out, "{\"target\":");
	buf_json_string(out, f->target, strlen(f->target));
	buf_printf(out,
		   ",\"failures\":%lld,\"opened_at\":%lld,\"trial_at\":%lld",
		   (long long)b->failures, (long long)b->opened_at,
		   (long long)b->trial_at);
	json_add_text(out, "method", r->method);
	if (r->why) {
		size_t len = text_cut(r->why, strlen(r->why), WHY_MAX);
		CLEANUP(buf_done) struct buf safe = { 0 };

		text_safe(&safe, r->why, len, TEXT_LINE);
		json_add_text(out, "why", buf_string(&safe));
	}
	buf_text(out, "}\n");
}

static int drop(const char *path)
{
	return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
}

int guards_file_end(struct guards_file *f, const struct guards_record *r,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	int status = 0;

	if (r && r->breaker.failures == 0 && r->breaker.opened_at == 0) {
		status = drop(f->path);
	} else if (r) {
		encode(&text, f, r);
		status = file_replace(f->path, 0600, text.data, text.len);
	}
	if (status != 0)
		error_set(err, ERR_OUTPUT,
			  "the state of the circuit breaker was not kept in "
			  "'%s': %s",
			  f->path, strerror(errno));
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
	return status;
}
