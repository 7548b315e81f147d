/* SPDX-License-Identifier: MIT */
#include "out/decoder_process.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/fence.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "out/pixels.h"

/*
 * Above what 40 megapixels need: a PNG 160 MB, a progressive JPEG 240 MB, and
 * what was read.
 */
#define MEMORY_MOST (512u << 20)
#define CPU_SECONDS 5

/* What cannot be had of these is left out: each holds by itself. */
static void give_up(void)
{
	static const char *const nothing[] = { NULL };

	close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	mem_free(fence_raise(nothing));
	confine_memory(RLIMIT_AS, MEMORY_MOST);
	confine_limit(RLIMIT_CPU, CPU_SECONDS);
	confine_limit(RLIMIT_FSIZE,
		      sizeof(struct decoder_answer) +
			      (rlim_t)4 * PIXELS_SIDE * PIXELS_SIDE);
	confine_limit(RLIMIT_NPROC, 0);
	confine_limit(RLIMIT_CORE, 0);
	confine_limit(RLIMIT_NOFILE, 0);
}

static int decode(struct pixels *out, struct error *err)
{
	CLEANUP(buf_done) struct buf file = { .max = PIXELS_FILE_MOST };
	const struct pixels_table *t =
		module_table("pixels", PIXELS_TABLE, err);

	if (!t)
		return -1;
	if (file_read_fd(&file, STDIN_FILENO))
		return error_set(err, ERR_PROTOCOL,
				 "it cannot be read, or is too long");
	give_up();
	return t->decode(out, buf_string(&file), file.len, err);
}

static void add_words(struct decoder_answer *a, const char *text,
		      const char *hint)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, text);
	if (*hint)
		buf_printf(&b, " (%s)", hint);
	memcpy(a->words, buf_string(&b),
	       strnlen(buf_string(&b), sizeof(a->words) - 1));
}

void decoder_process(void)
{
	struct error err = { 0 };
	struct pixels p = { 0 };
	struct decoder_answer a = { 0 };
	size_t len;

	if (decode(&p, &err)) {
		a.kind = (uint32_t)err.kind;
		add_words(&a, err.text, err.hint);
	} else {
		a.width = p.width;
		a.height = p.height;
		add_words(&a, p.damage, "");
	}
	len = 4 * (size_t)a.width * a.height;
	if (file_write(STDOUT_FILENO, (const char *)&a, sizeof(a)) ||
	    file_write(STDOUT_FILENO, (const char *)p.rgba, len))
		_exit(1);
	/* A stranger's bytes were in here: nothing of it is to run any more. */
	_exit(0);
}
