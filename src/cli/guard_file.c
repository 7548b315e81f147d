/* SPDX-License-Identifier: MIT */
/* The file of a breaker: read, locked, written. */
#include "cli/guard_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "cli/config.h"

#define FOLDER "breakers/"

enum {
	FILE_MAX = 16384,
	WHY_MAX = 400, /* bytes of the words that are kept */
	LOCK_TRIES = 50, /* 10 ms each: a stopped command must not stop us */
	FAILURES_MAX = 1000000
};

void guard_file_init(struct guard_file *f, const char *target)
{
	*f = (struct guard_file){ .target = mem_strdup(target), .lock = -1 };
}

void guard_file_done(struct guard_file *f)
{
	mem_free(f->target);
	mem_free(f->method);
	mem_free(f->why);
	mem_free(f->path);
	mem_free(f->lock_path);
	guard_file_init(f, NULL);
}

int guard_file_keep(struct guard_file *f, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf(FOLDER "%016" PRIx64 ".json",
				text_hash(f->target, strlen(f->target)));

	if (f->path)
		return 0;
	if (!f->lock_path && state_file(&f->lock_path, FOLDER "lock", err))
		return -1;
	return state_file(&f->path, name, err);
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

static bool decode(struct guard_file *f, const struct buf *text)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(buf_string(text), text->len, NULL);
	const char *whose = json_string(tree, "target");
	int64_t failures, opened_at, trial_at;

	if (!whose || !number_of(tree, "failures", &failures) ||
	    !number_of(tree, "opened_at", &opened_at) ||
	    !number_of(tree, "trial_at", &trial_at) || failures > FAILURES_MAX)
		return false;
	/* Two targets of one hash: the last one counts. */
	if (strcmp(whose, f->target) != 0)
		return true;
	f->breaker.failures = failures;
	f->breaker.opened_at = opened_at;
	f->breaker.trial_at = trial_at;
	f->method = mem_strdup(json_string(tree, "method"));
	f->why = mem_strdup(json_string(tree, "why"));
	return true;
}

int guard_file_begin(struct guard_file *f, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!f->path)
		return 0;
	mem_free(TAKE(f->method));
	mem_free(TAKE(f->why));
	breaker_close(&f->breaker);
	f->lock = take_lock(f->lock_path);
	if (access(f->path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (read_text(&text, f->path) == 0 && decode(f, &text))
		return 0;
	return error_set(
		err, ERR_USAGE,
		"the state of the circuit breaker in '%s' cannot be read: it counts as closed",
		f->path);
}

/* ---- writing ---- */

static void encode(struct buf *out, const struct guard_file *f)
{
	const struct breaker *b = &f->breaker;

	buf_text(out, "{\"target\":");
	buf_json_string(out, f->target, strlen(f->target));
	buf_printf(out,
		   ",\"failures\":%lld,\"opened_at\":%lld,\"trial_at\":%lld",
		   (long long)b->failures, (long long)b->opened_at,
		   (long long)b->trial_at);
	json_add_text(out, "method", f->method);
	if (f->why) {
		size_t len = text_cut(f->why, strlen(f->why), WHY_MAX);
		CLEANUP(buf_done) struct buf safe = { 0 };

		text_safe(&safe, f->why, len, TEXT_LINE);
		json_add_text(out, "why", buf_string(&safe));
	}
	buf_text(out, "}\n");
}

static int write_text(const struct guard_file *f)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (f->breaker.failures == 0 && f->breaker.opened_at == 0)
		return unlink(f->path) == 0 || errno == ENOENT ? 0 : -1;
	encode(&text, f);
	return file_replace(f->path, 0600, text.data, text.len);
}

int guard_file_end(struct guard_file *f, bool changed, struct error *err)
{
	int status = f->path && changed ? write_text(f) : 0;

	if (status != 0)
		error_set(
			err, ERR_OUTPUT,
			"the state of the circuit breaker was not kept in '%s': %s",
			f->path, strerror(errno));
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
	return status;
}
