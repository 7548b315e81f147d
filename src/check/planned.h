/* SPDX-License-Identifier: MIT */
/*
 * --plan: what would be sent, a record each, and the line behind them. Sends
 * nothing.
 */
#ifndef CHECK_PLANNED_H
#define CHECK_PLANNED_H

#include "check/check.h"

/* text: the message as it would go (secrets are masked); NULL: not known yet. */
void planned(struct checkup *k, enum check_risk risk, const char *what,
	     const struct buf *text);
/* What --call names, whatever it does: of no level of risk. */
void planned_call(struct checkup *k, const char *what, const struct buf *text);
/* Of which the bytes say little: told in words. */
void planned_packet(struct checkup *k, enum check_risk risk, const char *what,
		    const char *words);
/* Not a message: what stands in its place. */
void planned_instead(struct checkup *k, enum check_risk risk, const char *what,
		     const char *instead);
/* The note at the end; more: behind the number of messages, "" or ", …". */
void planned_end(struct checkup *k, const char *more);

#endif
