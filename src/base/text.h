/* SPDX-License-Identifier: MIT */
/*
 * Text: made safe, measured, compared, read as numbers. Pure functions.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/base.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * Append text so that a terminal shows it and does nothing else, and nothing
 * in it stays unseen: the only place where a peer's text is made safe. C0, DEL,
 * C1, bidirectional controls and invalid UTF-8 become visible escapes (\x1b,
 * \u202e) in every mode. What has no look of its own (Default_Ignorable_Code_Point
 * of Unicode: zero-width characters, soft hyphens, tags, selectors, fillers)
 * becomes an escape or a mark. It stays where it shapes what stands beside it:
 * in emoji, and in scripts that need it.
 */
enum text_mode {
	/* Prose in one line: newline and tab are escaped; "[3 invisible]" marks a run. */
	TEXT_LINE,
	TEXT_PARAGRAPH, /* the same, newline and tab stay */
	TEXT_NAME, /* one line, all invisible ones escaped: \u200b, \U000e0041 */
	TEXT_SPELLED, /* the same, and what text_has_look: to tell names apart */
	TEXT_PLAIN, /* for programs: what would be escaped or marked is left out; as TEXT_PARAGRAPH */
	TEXT_JSON /* JSON, which stays JSON of the same meaning; whole lines stay */
};
#define TEXT_MARKS_MAX \
	8 /* in one text; what comes behind is counted at its end */

/* Edit distance (Damerau-Levenshtein), letters compared without case. */
size_t text_distance(const char *a, const char *b);

/*
 * The candidate nearest to word, or NULL if none is near enough to propose
 * (distance at most 1 + length / 3, or a common prefix of 3 and more).
 */
const char *text_nearest(const char *word, const char *const *candidates,
			 size_t count);

/* " (did you mean 'NEAREST'?)", or "" if none is near; yours. word may be NULL. */
char *text_proposal(const char *word, const char *const *candidates,
		    size_t count);

/* Glob with * ? [a-z]; the whole text must match. Case counts. */
bool text_glob(const char *pattern, const char *text);
bool text_has_glob(const char *pattern); /* contains * ? or [ */

/* A byte, 0 to 255; ASCII capitals become small letters. */
int text_lower(char c);

/* FNV-1a of 64 bits. Whoever chooses the text can choose its hash. */
uint64_t text_hash(const char *text, size_t len);

/* Search without case (ASCII letters only). */
const char *text_find(const char *text, const char *word);
bool text_same(
	const char *a,
	const char *b); /* equal without ASCII case; NULL is never the same */
/* Byte for byte; NULL equals NULL alone. */
bool text_equal(const char *a, const char *b);
bool text_starts(const char *text, const char *prefix);
/* Bytes of the byte order mark in front, as editors and .NET write it; 0: none. */
size_t text_mark(const char *text, size_t len);
/* A blank, a tab, a line end: what JSON and shells skip, in each locale. */
static inline bool text_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
/* Without such white space at both ends: moves *text, returns the length. */
size_t text_trim(const char **text, size_t len);
bool text_has_control(const char *text); /* C0 or DEL */

/* A decimal integer within [min, max], nothing around it. -1: *out stays. */
int text_integer(const char *text, int64_t min, int64_t max, int64_t *out);

/*
 * "250ms", "10s", "2m", "1h"; bare numbers are seconds ("1.5" too). The result
 * is in milliseconds, rounded up, at most 10 days. -1 (ERR_USAGE).
 */
int text_duration(const char *text, int64_t *out_ms, struct error *err);

/* "850 ms", "4 ms", "12.3 s", "2 min 5 s" into out. Returns out. */
const char *text_milliseconds(int64_t ms, char *out, size_t size);
/*
 * Behind what was told that long ago and may have changed: " (as of 6 s ago)"; "" below
 * a second. Returns out.
 */
const char *text_since(char *out, size_t size, int64_t ms);
/* The same of microseconds: "0.40 ms" where it is less than one. Gives out. */
const char *text_microseconds(int64_t us, char *out, size_t size);

/*
 * Append pattern, in which "{host}" stands for what value() has for that name,
 * at most max bytes of it, "{'host'}" for the same in quotes, and "{, at host}"
 * for the same behind these words; where it has NULL or "", for nothing. room:
 * for a value that is made there.
 */
#define TEXT_ROOM 32
void text_fill(struct buf *out, const char *pattern,
	       const char *(*value)(const void *of, const char *name,
				    char room[TEXT_ROOM]),
	       const void *of, size_t max);

/*
 * Base64 (RFC 4648; padding optional, white space skipped) to bytes. -1 if it
 * is none, or out is full: nothing is added then.
 */
int text_base64_decode(const char *text, size_t len, struct buf *out);
/* Whether that would be one; nothing is kept. */
bool text_is_base64(const char *text, size_t len);
void text_base64_encode(struct buf *out, const void *data, size_t len);

/* Its beginning, as much as fits; size counts the '\0' behind it. */
void text_copy(char *out, size_t size, const char *text);

/* Percent-decoding in place; -1 on a bad escape or %00: text stays then. */
int text_percent_decode(char *text);
/* Append it; ASCII letters, digits and what stands in plain stay. */
void text_percent_encode(struct buf *out, const char *text, const char *plain);

#endif
