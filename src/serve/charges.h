/* SPDX-License-Identifier: MIT */
/*
 * Which findings a held board is charged with: in devices, top, the page, the log.
 */
#ifndef SERVE_CHARGES_H
#define SERVE_CHARGES_H

#include "diag/diag.h"

struct board;

/*
 * Of what a request shows, or the answer to it: the command that asked is told,
 * and the board is not charged with it (check asks healthy boards so).
 */
bool charges_none(enum diag_code code);
/* How many codes of that severity the board has shown, and the newest; NULL: none. */
size_t charges_severe(const struct board *d, enum severity severity);
const struct finding *charges_last(const struct board *d);

#endif
