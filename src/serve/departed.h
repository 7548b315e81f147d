/* SPDX-License-Identifier: MIT */
/*
 * The board that went last, and what to do about one that is wanted and is not
 * there: that depends on how it goes, and on what it hangs.
 */
#ifndef SERVE_DEPARTED_H
#define SERVE_DEPARTED_H

#include "base/buf.h"
#include "base/error.h"

struct board;
struct serve;

struct departed {
	char id[128], alias[64]; /* cut; "": none went yet */
	char why[160];
	bool mqtt;
	int64_t at; /* loop_now() ms */
	unsigned
		short_stays; /* so often in a row it stayed less than a minute */
};

/* It leaves; why: as attached commands are told. */
void departed_note(struct departed *last, const struct board *d,
		   const struct error *why);
/*
 * The next step for who waits for a board, appended. pattern: as
 * device_fits takes it, NULL for any; d: it is there, and not ready; NULL.
 */
void departed_hint(struct buf *out, const struct serve *s, const char *pattern,
		   const struct board *d);

#endif
