/* SPDX-License-Identifier: MIT */
/*
 * Variables in texts. Only the form with braces is one: a '$' elsewhere is
 * itself.
 */
#include "cli/named_expand.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

#define SHOWN_MAX 60 /* bytes of what is not understood */

static size_t name_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len &&
	       (text[n] == '_' || (text[n] >= 'A' && text[n] <= 'Z') ||
		(text[n] >= 'a' && text[n] <= 'z') ||
		(n && text[n] >= '0' && text[n] <= '9')))
		n++;
	return n;
}

static int not_understood(const char *inside, size_t len, struct error *err)
{
	error_set(err, ERR_USAGE, "'${%.*s}' is not understood",
		  (int)(len < SHOWN_MAX ? len : SHOWN_MAX), inside);
	return error_hint(err, "expected ${NAME} or ${NAME:-default}, from the "
			       "environment");
}

/* Bytes in front of the name. */
static size_t prefix_length(const char *inside, size_t len)
{
	return len > 4 && strncmp(inside, "env:", 4) == 0 ? 4 : 0;
}

/* What stands between the braces. */
static int add_variable(struct buf *out, const char *inside, size_t len,
			struct error *err)
{
	CLEANUP(mem_free_ptr) char *name = NULL;
	const char *value;
	size_t n, skip = prefix_length(inside, len);

	n = name_length(inside + skip, len - skip);
	name = mem_strndup(inside + skip, n);
	n += skip;
	value = n > skip ? getenv(name) : NULL;
	if (n > skip && n == len) {
		if (value)
			return buf_text(out, value);
		error_set(err, ERR_USAGE, "the variable '%s' is not set", name);
		return error_hint(err,
				  "set it, or give it a default in the file: "
				  "${%s:-…}",
				  name);
	}
	if (n == skip || len - n < 2 || strncmp(inside + n, ":-", 2) != 0)
		return not_understood(inside, len, err);
	if (value && *value)
		return buf_text(out, value);
	return buf_add(out, inside + n + 2, len - n - 2);
}

static int expand(struct buf *out, const char *text, struct error *err)
{
	while (*text) {
		const char *start = strstr(text, "${"), *end;

		if (!start)
			return buf_text(out, text);
		end = strchr(start, '}');
		if (!end)
			return error_set(err, ERR_USAGE,
					 "a '${' is not closed by '}'");
		if (buf_add(out, text, (size_t)(start - text)) ||
		    add_variable(out, start + 2, (size_t)(end - start - 2),
				 err))
			return -1;
		text = end + 1;
	}
	return 0;
}

char *named_expand(const char *text, struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_init(&out, NAMED_TEXT_MAX);
	if (expand(&out, text, err) == 0)
		return buf_take(&out);
	if (out.full)
		error_set(err, ERR_USAGE, "it is longer than %u kB",
			  NAMED_TEXT_MAX >> 10);
	return NULL;
}

static void add_once(struct words *out, const char *name)
{
	for (size_t i = 0; i < out->count; i++) {
		if (strcmp(out->word[i], name) == 0)
			return;
	}
	words_add(out, name);
}

void named_expand_names(struct words *out, const char *text, size_t max)
{
	while (out->count < max && (text = strstr(text, "${")) != NULL) {
		size_t len = strcspn(text += 2, "}");
		size_t skip = prefix_length(text, len);
		CLEANUP(mem_free_ptr)
		char *name = mem_strndup(text + skip,
					 name_length(text + skip, len - skip));

		if (*name)
			add_once(out, name);
		text += len;
	}
}
