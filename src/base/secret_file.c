/* SPDX-License-Identifier: MIT */
/*
 * Reading one secret. No message here repeats it.
 */
#include "base/secret_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int unreadable(struct error *err, const char *what, const char *file)
{
	error_set(err, ERR_USAGE, "cannot read the %s '%s': %s", what, file,
		  strerror(errno));
	return error_hint(err, "give a file that this user can read, with the "
			       "secret as its only line");
}

/* One byte more than is allowed tells that there is more. */
static int read_all(char *bytes, size_t *len, const char *what,
		    const char *file, struct error *err)
{
	FILE *f = fopen(file, "re");
	int failed;

	if (!f)
		return unreadable(err, what, file);
	errno = 0;
	*len = fread(bytes, 1, SECRET_FILE_MAX + 1, f);
	failed = ferror(f);
	fclose(f);
	return failed ? unreadable(err, what, file) : 0;
}

int secret_file_read(struct buf *out, const char *what, const char *file,
		     struct error *err)
{
	char bytes[SECRET_FILE_MAX + 1];
	size_t len = 0;
	int bad = 0;

	buf_init(out, 0);
	if (read_all(bytes, &len, what, file, err))
		return -1;
	if (len > SECRET_FILE_MAX)
		bad = error_set(err, ERR_USAGE,
				"the %s '%s' is longer than %d bytes", what,
				file, SECRET_FILE_MAX);
	while (len && (bytes[len - 1] == '\n' || bytes[len - 1] == '\r'))
		len--;
	if (!bad && !len)
		bad = error_set(err, ERR_USAGE, "the %s '%s' is empty", what,
				file);
	if (!bad && memchr(bytes, '\0', len))
		bad = error_set(err, ERR_USAGE,
				"the %s '%s' holds a NUL byte: it is no text",
				what, file);
	if (!bad)
		buf_add(out, bytes, len);
	explicit_bzero(bytes, sizeof(bytes));
	return bad;
}

void secret_wipe(struct buf *secret)
{
	if (secret->data)
		explicit_bzero(secret->data, secret->capacity);
	buf_done(secret);
}

bool secret_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	volatile unsigned char different = a_len != b_len;
	size_t i;

	for (i = 0; i < a_len && i < b_len; i++)
		different |= (unsigned char)(a[i] ^ b[i]);
	return !different;
}
