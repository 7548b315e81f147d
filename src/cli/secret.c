/* SPDX-License-Identifier: MIT */
/*
 * Secrets from a file or the environment. They never come from the command
 * line, and no message here repeats one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli/app.h"

#define SECRET_FILE_MAX (64u << 10)

static int read_file(struct buf *out, const char *path, struct error *err)
{
	char piece[4096];
	size_t n;
	FILE *f = fopen(path, "re");

	if (!f)
		return error_set(err, ERR_USAGE,
				 "cannot read the token file '%s': %s", path,
				 strerror(errno));
	while (!out->full && (n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_add(out, piece, n);

	int failed = ferror(f) ? errno : 0;

	fclose(f);
	if (failed)
		return error_set(err, ERR_USAGE,
				 "cannot read the token file '%s': %s", path,
				 strerror(failed));
	if (out->full)
		return error_set(err, ERR_USAGE,
				 "the token file '%s' is longer than 64 kB",
				 path);
	return 0;
}

/* A header line carries it: neither control characters nor spaces around it. */
static int add_secret(struct words *out, char *line, const char *from,
		      struct error *err)
{
	line += strspn(line, " \t");

	size_t len = strlen(line);

	while (len > 0 && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	if (len == 0)
		return 0;
	for (const char *p = line; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return error_set(err, ERR_USAGE,
					 "a token from %s holds a control "
					 "character",
					 from);
	}
	words_add(out, line);
	return 0;
}

static int add_lines(struct words *out, struct buf *text, const char *path,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *from = mem_printf("the file '%s'", path);
	size_t before = out->count, at = 0;

	while (at < text->len) {
		char *line = text->data + at;
		char *end = memchr(line, '\n', text->len - at);

		at = end ? (size_t)(end - text->data) + 1 : text->len;
		if (end)
			*end = '\0';
		if (memchr(line, '\0',
			   (size_t)(text->data + at - line) - (end ? 1 : 0)))
			return error_set(err, ERR_USAGE,
					 "%s holds a NUL byte: it is no file "
					 "of tokens",
					 from);
		if (add_secret(out, line, from, err) != 0)
			return -1;
	}
	if (out->count == before)
		return error_set(err, ERR_USAGE, "%s holds no token", from);
	return 0;
}

int secret_read_all(struct words *out, const char *file,
		    const char *environment, struct error *err)
{
	if (file) {
		CLEANUP(buf_done) struct buf text;

		buf_init(&text, SECRET_FILE_MAX);
		if (read_file(&text, file, err) != 0)
			return -1;
		return add_lines(out, &text, file, err);
	}

	const char *value = getenv(environment);

	if (!value || !*value)
		return 0;
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(value);
	return add_secret(out, copy, environment, err);
}

int secret_read(char **out, const char *file, const char *environment,
		struct error *err)
{
	CLEANUP(words_done) struct words all = { 0 };

	*out = NULL;
	if (secret_read_all(&all, file, environment, err) != 0)
		return -1;
	if (all.count > 0)
		*out = mem_strdup(all.word[0]);
	return 0;
}
