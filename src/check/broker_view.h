/* SPDX-License-Identifier: MIT */
/*
 * What a broker did to a board (check/broker_view.c asks it), judged. Pure.
 */
#ifndef CHECK_BROKER_VIEW_H
#define CHECK_BROKER_VIEW_H

#include "diag/diag.h"
#include "net/why.h"

/* What became of a message. */
struct broker_fate {
	bool came; /* it was seen again */
	bool seen; /* we may read what others publish, or write to the topic */
	bool ended; /* the board's connection ended behind it */
	const char *topic;
};

/* Each finds what is wrong. False: nothing is. */

/* A try at port 8883 as a board makes it, with public authorities alone. */
bool broker_judge_tls(struct diag *d, uint16_t port, const struct error *why);
/* A message to a client that never subscribed. */
bool broker_judge_down(struct diag *d, const struct broker_fate *f);
/* One of broker_large() bytes, of the board. */
bool broker_judge_large(struct diag *d, const struct broker_fate *f);
/* That a connection ended which had been taken. */
bool broker_judge_ended(struct diag *d, const struct error *why);
/* That a connection was refused, or none came. */
bool broker_judge_connect(struct diag *d, const struct error *why);

#endif
