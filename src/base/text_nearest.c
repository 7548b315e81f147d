/* SPDX-License-Identifier: MIT */
/*
 * Which word did the user mean? Edit distance, and the choice of a proposal.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define PREFIX_MIN 3

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * One row of the matrix: rows[0] is new, rows[1] the one above, rows[2] the
 * one above that; i is the index of the character of a.
 */
static void fill_row(size_t *rows[3], const char *a, size_t i, const char *b)
{
	size_t j;

	rows[0][0] = i + 1;
	for (j = 0; b[j]; j++) {
		bool same = text_lower(a[i]) == text_lower(b[j]);
		size_t best = rows[1][j] + !same;

		best = min(best, rows[1][j + 1] + 1);
		best = min(best, rows[0][j] + 1);
		if (i && j && text_lower(a[i]) == text_lower(b[j - 1]) &&
		    text_lower(a[i - 1]) == text_lower(b[j]))
			best = min(best, rows[2][j - 1] + 1);
		rows[0][j + 1] = best;
	}
}

size_t text_distance(const char *a, const char *b)
{
	size_t width = strlen(b) + 1, i, distance;
	size_t *cells = mem_zalloc(3 * width * sizeof(*cells));
	size_t *rows[3] = { cells, cells + width, cells + 2 * width };

	for (i = 0; i < width; i++)
		rows[0][i] = i;
	for (i = 0; a[i]; i++) {
		size_t *oldest = rows[2];

		rows[2] = rows[1];
		rows[1] = rows[0];
		rows[0] = oldest;
		fill_row(rows, a, i, b);
	}
	distance = rows[0][width - 1];
	mem_free(cells);
	return distance;
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && text_lower(a[n]) == text_lower(b[n]))
		n++;
	return n;
}

struct proposal {
	const char *word;
	size_t distance, prefix;
};

/* A near word goes before one that only starts alike. */
static bool better(const struct proposal *a, const struct proposal *b,
		   size_t near)
{
	bool a_near = a->distance <= near, b_near = b->distance <= near;

	if (!b->word || a_near != b_near)
		return !b->word || a_near;
	if (!a_near && a->prefix != b->prefix)
		return a->prefix > b->prefix;
	return a->distance < b->distance;
}

const char *text_nearest(const char *word, const char *const *candidates,
			 size_t count)
{
	size_t length = strlen(word), near = 1 + length / 3, i;
	struct proposal best = { 0 };

	for (i = 0; i < count; i++) {
		struct proposal p = { .word = candidates[i] };
		size_t other = strlen(p.word);

		p.prefix = common_prefix(word, p.word);
		/* Lengths that differ by more need no matrix. */
		if (p.prefix < PREFIX_MIN &&
		    (other > length + near || length > other + near))
			continue;
		p.distance = text_distance(word, p.word);
		/* Nothing in common is not near, however short the words. */
		if (p.prefix < PREFIX_MIN &&
		    (p.distance > near ||
		     p.distance >= (other > length ? other : length)))
			continue;
		if (better(&p, &best, near))
			best = p;
	}
	return best.word;
}

char *text_proposal(const char *word, const char *const *candidates,
		    size_t count)
{
	const char *near = word ? text_nearest(word, candidates, count) : NULL;

	return near ? mem_printf(" (did you mean '%s'?)", near) :
		      mem_strdup("");
}
