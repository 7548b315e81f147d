/* SPDX-License-Identifier: MIT */
#include "bridge/cut_name.h"

#include <string.h>

#include "base/sha256.h"
#include "base/utf8.h"

void name_digits(struct buf *out, const char *key)
{
	char sum[SHA256_TEXT];

	sha256_text(key, strlen(key), sum);
	buf_add(out, sum, NAME_DIGITS);
}

void cut_name(struct buf *out, const char *text, size_t max, const char *key)
{
	buf_add(out, text, text_cut(text, strlen(text), max - NAME_DIGITS - 1));
	buf_char(out, '_');
	name_digits(out, key);
}
