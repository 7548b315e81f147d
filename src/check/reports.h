/* SPDX-License-Identifier: MIT */
/*
 * What a check told, for others: --report KIND:FILE, several at once. A wrong
 * one is known before anything is asked.
 */
#ifndef CHECK_REPORTS_H
#define CHECK_REPORTS_H

#include "check/check.h"

struct check_report;

struct check_reports {
	struct check_report *item;
	size_t count;
	bool on_stdout; /* one of them goes there */
};

/* of: whose command they are of. -1: ERR_USAGE (what is wrong with which), ERR_OUTPUT. */
int reports_open(struct check_reports *r, const struct words *specs,
		 const struct invocation *of, struct error *err);
/*
 * Write all and release. why: what ended the check; NULL: it was made. -1
 * (ERR_OUTPUT): one could not be written.
 */
int reports_write(struct check_reports *r, const struct checkup *k,
		  const struct error *why, struct error *err);
/* Release without writing. */
void reports_drop(struct check_reports *r);

#define MARKDOWN_LINES 80

#endif
