/* SPDX-License-Identifier: MIT */
/*
 * Secrets from a file or the environment. They never come from the command
 * line, and no message here repeats one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "cli/app.h"

#define TOKENS_MAX (64u << 10)

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
		CLEANUP(secret_wipe) struct buf text;

		secret_init(&text, TOKENS_MAX);
		if (file_read(&text, "token file", file, err) != 0)
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
