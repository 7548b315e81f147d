/* SPDX-License-Identifier: MIT */
/*
 * What a backend does with a text that a user said (device.md 4.2): what it
 * heard, which tools it calls, what it says, how long that takes.
 */
#ifndef CHECK_SAID_H
#define CHECK_SAID_H

#include "check/check.h"

/* Zeroed at first; texts are the peer's, cut, owned. */
struct said {
	int64_t began_us; /* the text went out; 0: it did not */
	int64_t first_us, over_us; /* anything came; the last tts stop; 0 */
	char *heard, *spoken, *emotion; /* the first of each; NULL */
	unsigned sentences;
	struct words called; /* tools, as many as are kept */
	unsigned calls, messages;
};
void said_done(struct said *s);

/* A text of the backend, after began_us; cases are added to the stage. */
void said_take(struct said *s, struct checkup *k, const char *text, size_t len,
	       int64_t at_us);

/* In words; nothing where nothing came. */
void said_words(const struct said *s, struct buf *out);

#endif
