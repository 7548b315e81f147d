/* SPDX-License-Identifier: MIT */
/*
 * Parts of a text replaced, so that all else in it stays byte for byte; and
 * where the parts of JSON stand. Pure.
 */
#ifndef PROXY_EDITS_H
#define PROXY_EDITS_H

#include "base/json.h"

struct edit {
	struct span place; /* lent: in the text */
	char *text; /* in place of it; owned */
};

/* Zeroed at first. Places are of one text, and do not overlap. */
struct edits {
	struct edit *item;
	size_t count, capacity;
};

/* text is copied. False: it overlaps another. */
bool edits_add(struct edits *e, struct span place, const char *text);
/* As a JSON string, with its quotes. */
bool edits_add_string(struct edits *e, struct span place, const char *text);
/* The text with all of them, appended. */
void edits_apply(const struct edits *e, struct span text, struct buf *out);
void edits_done(struct edits *e);

/* By a pointer (RFC 6901): "/a/0/b". */
bool edit_point(struct span json, const char *pointer, struct span *out);
/* -1 (ERR_USAGE): it is no pointer. */
int edit_check_pointer(const char *pointer, struct error *err);

#endif
