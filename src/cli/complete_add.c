/* SPDX-License-Identifier: MIT */
/*
 * Candidates collected: only what a terminal can show and a command line can
 * hold as it is; so many and no more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete_private.h"
#include "out/wrap.h"

#define BRIEF_COLUMNS 160
#define WORD_MAX 65536

static void candidate_done(struct candidate *c)
{
	mem_free(c->word);
	mem_free(c->brief);
	mem_free(c->shown);
}

void completion_done(struct completion *c)
{
	for (size_t i = 0; i < c->count; i++)
		candidate_done(&c->item[i]);
	mem_free(c->item);
	mem_free(c->keep);
	mem_free(c->note);
	*c = (struct completion){ 0 };
}

bool complete_is_safe(const char *text)
{
	return text_is_safe(text, strlen(text));
}

/* The first line, safe, not longer than what a list of them can show. */
static char *brief_of(const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct buf out = { 0 };
	const char *start = text;
	size_t len = text ? wrap_first(text, &start) : 0;

	/* Most are: then nothing needs to be measured, and TAB is not felt. */
	if (len <= BRIEF_COLUMNS && text_is_safe(start, len))
		return mem_strndup(start, len);
	/* Four bytes a column and more are not needed, however long it is. */
	if (len > (size_t)BRIEF_COLUMNS * 8)
		len = (size_t)BRIEF_COLUMNS * 8;
	while (len > 0 && ((unsigned char)start[len] & 0xc0) == 0x80)
		len--;
	text_safe(&safe, start, len, TEXT_LINE);
	wrap_cut(&out, buf_string(&safe), safe.len, BRIEF_COLUMNS);
	return buf_take(&out);
}

bool complete_add(struct completing *c, const struct offer *offer,
		  const char *word, const char *brief)
{
	struct completion *out = c->out;
	size_t len = strlen(word);

	if (c->question->no_briefs && !out->show_only)
		brief = NULL;
	if (out->count >= CANDIDATES_MAX || len == 0 || len > WORD_MAX ||
	    (offer->typed && !text_starts(word, offer->typed)) ||
	    !complete_is_safe(word))
		return false;
	out->item = mem_grow(out->item, &out->capacity, out->count,
			     sizeof(*out->item));
	out->item[out->count++] = (struct candidate){
		.word = offer->before ?
				mem_printf("%s%s", offer->before, word) :
				mem_strndup(word, len),
		.brief = brief_of(brief),
		.shown = offer->shown ? brief_of(offer->shown) : NULL,
		.open = offer->open
	};
	return true;
}

void complete_files(struct completing *c, const char *keep, size_t len)
{
	c->out->files = true;
	mem_free(c->out->keep);
	c->out->keep = len ? mem_strndup(keep, len) : NULL;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	return strcmp(left->word, right->word);
}

void complete_sort(struct completing *c)
{
	struct completion *out = c->out;
	size_t kept = 0;

	if (out->count == 0)
		return;
	qsort(out->item, out->count, sizeof(*out->item), compare);
	for (size_t i = 1; i < out->count; i++) {
		if (strcmp(out->item[kept].word, out->item[i].word) == 0)
			candidate_done(&out->item[i]);
		else
			out->item[++kept] = out->item[i];
	}
	out->count = kept + 1;
}
