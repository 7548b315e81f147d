/* SPDX-License-Identifier: MIT */
/*
 * JSON behind a checking scan. cJSON accepts much that is not JSON and cuts
 * strings at \u0000; what comes from a peer passes through json_parse, which
 * checks first, and reads \u0000 and half a surrogate pair as U+FFFD. Member
 * names are compared with case, always.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/error.h"

#define JSON_DEPTH_MAX 200

/*
 * Parse exactly one JSON value (RFC 8259) of len bytes. The tree is yours.
 * NULL (ERR_PROTOCOL) says what is wrong and at which byte, counted from 0: not
 * UTF-8, a NUL, deeper than JSON_DEPTH_MAX, a control character in a string, a
 * number that is none or has more than 63 characters, something behind the
 * value. text need not end with a NUL.
 */
cJSON *json_parse(const char *text, size_t len, struct error *err);

/*
 * The same for who looks at each message and wants a few: NULL, and nothing
 * parsed, where none of the words (up to a NULL, with their quotes) stands in it
 * as it is, or it is longer than max.
 */
cJSON *json_parse_with(const char *text, size_t len, size_t max,
		       const char *const *words);

/*
 * Print compact or laid out (two spaces a level). Integers below 2^53 print
 * as integers, other numbers in the shortest form that reads back the same.
 */
void json_print(struct buf *out, const cJSON *value);
void json_print_pretty(struct buf *out, const cJSON *value);
/* Compact, at most max bytes of it, and "…" if that is not all. */
void json_print_cut(struct buf *out, const cJSON *value, size_t max);

/* {"name":"text"} appended. */
void json_add_object(struct buf *out, const char *name, const char *text);
/* ,"name":"text" appended; nothing if text is NULL. */
void json_add_text(struct buf *out, const char *name, const char *text);
/* As json_add_text, but null. */
void json_add_text_or_null(struct buf *out, const char *name, const char *text);

/*
 * Copy valid JSON without the white space between its tokens; the bytes of
 * strings and numbers are untouched.
 */
void json_minify(struct buf *out, const char *text, size_t len);

/*
 * A slice of JSON text that was checked, so that what was received can be
 * printed byte for byte. json_span_member finds the first member of an object
 * (name with case), json_span_next walks an array: start with *at = 0. False:
 * no such. Text that is no JSON gives wrong answers, but is never overread.
 */
struct span {
	const char *text;
	size_t len;
};
bool json_span_member(struct span object, const char *name, struct span *out);
/* Several in one pass; out[i] stays as it was where name[i] is none of it. */
void json_span_members(struct span object, const char *const *name,
		       size_t count, struct span *out);
bool json_span_next(struct span array, size_t *at, struct span *out);
/*
 * Append an object but for its last brace, and a comma if it has members: more
 * can follow. False: it is no object, and nothing is appended.
 */
bool json_span_open(struct buf *out, struct span object);
/* The text of a slice that is a string, decoded; NULL if it is none. Yours. */
char *json_span_string(struct span string);
/*
 * Whether there is one and it begins so: a string with '"', an object with '{',
 * a list with '['.
 */
static inline bool json_span_begins(struct span value, char c)
{
	return value.text && *value.text == c;
}
/* Whether it is "true", "false" or "null", without quotes: that one. */
bool json_span_literal(struct span value, const char *word);
/* Whether it is a string, with its quotes, and that one. */
bool json_span_is(struct span string, const char *text);
/* What base/json_scan.h scanned, or a value in it, as a tree; odd as told there. */
cJSON *json_tree(struct span text, bool odd, struct error *err);
/* As json_integer. */
int json_span_integer(struct span number, int64_t *out);

/* Borrowed; NULL if object is none, or the member absent or of another type. */
const char *json_string(const cJSON *object, const char *name);
cJSON *json_object(const cJSON *object, const char *name);
cJSON *json_array(const cJSON *object, const char *name);
cJSON *json_member(const cJSON *object, const char *name); /* any type */
/* -1 if absent, or not a whole number below 2^53 (which a double holds). */
int json_integer(const cJSON *object, const char *name, int64_t *out);
bool json_true(const cJSON *object, const char *name); /* present and true */
/* Present, and neither null nor false. */
bool json_given(const cJSON *object, const char *name);

/* Equal by value: numbers by value, objects without order. */
bool json_equal(const cJSON *a, const cJSON *b);
/* Whether one of its elements is equal. */
bool json_array_has(const cJSON *array, const cJSON *value);

/* The name of a value's JSON type: "object", "integer", "number", … */
const char *json_type_name(const cJSON *value);

/* How many values a tree has, itself too: each is sizeof(cJSON) of memory. */
size_t json_count_values(const cJSON *tree);

/* For CLEANUP(json_free_ptr) cJSON *tree = … */
void json_free_ptr(cJSON **tree);

#endif
