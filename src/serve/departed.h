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
	/* cut; "": none went yet; not known */
	char id[128], device_id[128], client_id[128], alias[64];
	char why[160];
	bool mqtt;
	int64_t at; /* loop_now() ms */
	/* so often in a row it stayed less than a minute, and did not hang up */
	unsigned short_stays;
};

/*
 * It leaves; why: as attached commands are told. broke: neither did it hang up
 * (firmware does so after each talk), nor was it closed here.
 */
void departed_note(struct departed *last, const struct board *d,
		   const struct error *why, bool broke);
/*
 * The next step for who waits for a board, appended. pattern: as
 * device_fits takes it, NULL for any; d: it is there, and not ready; NULL.
 */
void departed_hint(struct buf *out, const struct serve *s, const char *pattern,
		   const struct board *d);

#endif
