/* SPDX-License-Identifier: MIT */
/*
 * Whether a board can reach an address that it is told. Only the address is
 * looked at, nothing is dialled and no name is looked up; most is open then.
 */
#ifndef DIAG_REACH_H
#define DIAG_REACH_H

#include "base/base.h"

enum reach {
	REACH_OPEN, /* nothing speaks against it */
	REACH_UNLIKELY, /* of a network that most likely is not the board's */
	REACH_NEVER
};

/* What is known of where the board is; both may be NULL, both are lent. */
struct reach_from {
	const char *
		board; /* its address, as the one who was asked sees it; a port may stand behind it */
	const char *asked; /* the URL by which it asked */
};

#define REACH_WHY 80

/* host: of an address, without its port, len bytes; why: in words, or "". */
enum reach reach_judge(const struct reach_from *from, const char *host,
		       size_t len, char why[REACH_WHY]);

#endif
