/* SPDX-License-Identifier: MIT */
/*
 * Reading one secret. No message here repeats it.
 */
#include "base/secret_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

void secret_init(struct buf *secret, size_t max)
{
	buf_init(secret, max);
	secret->capacity = max + 1;
	secret->data = mem_zalloc(secret->capacity);
}

static int check(const struct buf *secret, const char *what, const char *file,
		 struct error *err)
{
	if (!secret->len)
		return error_set(err, ERR_USAGE, "the %s '%s' is empty", what,
				 file);
	if (memchr(secret->data, '\0', secret->len))
		return error_set(err, ERR_USAGE,
				 "the %s '%s' holds a NUL byte: it is no text",
				 what, file);
	return 0;
}

int secret_file_read(struct buf *out, const char *what, const char *file,
		     struct error *err)
{
	int bad;

	secret_init(out, SECRET_FILE_MAX);
	bad = file_read(out, what, file, err);
	if (bad)
		error_hint(
			err,
			"give a file that this user can read, with the secret as its only line");
	buf_trim(out, 0, "\r\n");
	if (!bad)
		bad = check(out, what, file, err);
	if (bad)
		secret_wipe(out);
	return bad;
}

int secret_find(char **out, const char *what, const char *file,
		const char *environment, struct error *err)
{
	const char *given = getenv(environment);
	struct buf text;

	*out = NULL;
	if (!file) {
		if (given && *given)
			*out = mem_strdup(given);
		return 0;
	}
	if (secret_file_read(&text, what, file, err))
		return -1;
	*out = buf_take(&text);
	return 0;
}

void secret_wipe(struct buf *secret)
{
	if (secret->data)
		explicit_bzero(secret->data, secret->capacity);
	buf_done(secret);
}

void secret_free(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	mem_free(text);
}

bool secret_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	volatile unsigned char different = a_len != b_len;

	for (size_t i = 0; i < a_len && i < b_len; i++)
		different |= (unsigned char)(a[i] ^ b[i]);
	return !different;
}
