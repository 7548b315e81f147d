/* SPDX-License-Identifier: MIT */
/*
 * Which boards a word means, whether they are here or not: for what holds of a
 * board while it restarts, or is switched off.
 */
#ifndef SERVE_KNOWN_BOARDS_H
#define SERVE_KNOWN_BOARDS_H

#include "base/error.h"
#include "base/split.h"

struct serve;

/*
 * The ids, in small letters and each once, of those that fit the pattern
 * (registry.h): here, with an alias, enrolled, or leased. What has the form of an id
 * stands for itself. Added to *out. -1 (ERR_CONNECT): there is none.
 */
int known_boards(const struct serve *s, const char *pattern, struct words *out,
		 struct error *err);
/* What a user calls that board: its alias, else its id. Lent until names are read again. */
const char *known_board_name(const struct serve *s, const char *id);

#endif
