/* SPDX-License-Identifier: MIT */
/*
 * POSIX shell word splitting, without anything that a shell would expand.
 */
#include "base/split.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

void words_add(struct words *w, const char *word)
{
	/* One more for the NULL behind the last. */
	w->word =
		mem_grow(w->word, &w->capacity, w->count + 1, sizeof(*w->word));
	w->word[w->count++] = mem_strdup(word);
	w->word[w->count] = NULL;
}

bool words_has(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->count; i++) {
		if (strcmp(w->word[i], word) == 0)
			return true;
	}
	return false;
}

void words_add_once(struct words *w, const char *word)
{
	if (!words_has(w, word))
		words_add(w, word);
}

void words_drop(struct words *w, const char *word)
{
	struct words left = { 0 };

	for (size_t i = 0; i < w->count; i++) {
		if (strcmp(w->word[i], word) != 0)
			words_add(&left, w->word[i]);
	}
	words_done(w);
	*w = left;
}

void words_done(struct words *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->count; i++)
		mem_free(w->word[i]);
	mem_free(w->word);
	*w = (struct words){ 0 };
}

/* Columns count characters, not bytes: the user counts them on a screen. */
static int column(const char *line, const char *at)
{
	return 1 + (int)text_characters(line, (size_t)(at - line));
}

static int open_quote(const char *line, const char *at, struct error *err)
{
	const char *kind = *at == '"' ? "double" : "single";

	error_set(err, ERR_USAGE, "%s quote at column %d is not closed", kind,
		  column(line, at));
	return error_hint(
		err, "close it, or write \\%c for the character itself", *at);
}

/* From behind an opening double quote to behind its closing one, or NULL. */
static const char *double_quoted(struct buf *word, const char *p)
{
	for (; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1] == '\n') {
			p++;
			continue;
		}
		/* POSIX: only before these is a backslash no character. */
		if (*p == '\\' && p[1] && strchr("\"\\$`", p[1]))
			p++;
		buf_char(word, *p);
	}
	return *p ? p + 1 : NULL;
}

/* Add the quoted part that opens at `at`. Returns what follows, or NULL. */
static const char *quoted(struct buf *word, const char *at)
{
	const char *end;

	if (*at == '"')
		return double_quoted(word, at + 1);
	end = strchr(at + 1, '\'');
	if (!end)
		return NULL;
	buf_add(word, at + 1, (size_t)(end - at - 1));
	return end + 1;
}

/* One word from *at on, which stands at its first character. */
static int next_word(struct buf *word, const char **at, const char *line,
		     struct error *err)
{
	const char *p = *at;

	while (*p && !text_is_space(*p)) {
		if (*p == '"' || *p == '\'') {
			const char *open = p;

			p = quoted(word, open);
			if (!p)
				return open_quote(line, open, err);
			continue;
		}
		if (*p == '\\' && !p[1]) {
			error_set(err, ERR_USAGE,
				  "the line ends with a backslash");
			return error_hint(
				err, "write \\\\ for the character itself");
		}
		if (*p == '\\' && p[1] == '\n') {
			p += 2;
			continue;
		}
		p += *p == '\\';
		buf_char(word, *p++);
	}
	*at = p;
	return 0;
}

/* Skip blanks, joined lines and comments. */
static const char *skip(const char *p)
{
	for (;;) {
		if (text_is_space(*p))
			p++;
		else if (*p == '\\' && p[1] == '\n')
			p += 2;
		else if (*p == '#')
			p += strcspn(p, "\n");
		else
			return p;
	}
}

int words_split(struct words *out, const char *line, struct error *err)
{
	CLEANUP(words_done) struct words w = { 0 };
	CLEANUP(buf_done) struct buf word = { 0 };
	const char *p;

	*out = (struct words){ 0 };
	/* The closing NULL is there even without words. */
	w.word = mem_grow(NULL, &w.capacity, 0, sizeof(*w.word));
	w.word[0] = NULL;
	for (p = skip(line); *p; p = skip(p)) {
		buf_reset(&word);
		if (next_word(&word, &p, line, err))
			return -1;
		words_add(&w, buf_string(&word));
	}
	*out = w;
	w.word = NULL; /* out's now */
	w.count = 0;
	return 0;
}

const char *words_bare(const char *line, char c)
{
	CLEANUP(buf_done) struct buf inside = { 0 };
	const char *p = skip(line);

	/* A quote that is not closed is words_split's to tell. */
	while (p && *p && *p != c) {
		if (*p == '"' || *p == '\'')
			p = quoted(&inside, p);
		else if (*p == '\\')
			p += p[1] ? 2 : 1;
		else
			p = text_is_space(*p) ? skip(p) : p + 1;
	}
	return p && *p ? p : NULL;
}

static const char safe[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";

void words_quote(struct buf *out, const char *word)
{
	const char *p;

	if (*word && !word[strspn(word, safe)]) {
		buf_text(out, word);
		return;
	}
	buf_char(out, '\'');
	for (p = word; *p; p++) {
		if (*p == '\'')
			buf_text(out, "'\\''");
		else
			buf_char(out, *p);
	}
	buf_char(out, '\'');
}

void words_escape(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x80 && !strchr(safe, *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}
