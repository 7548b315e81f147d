/* SPDX-License-Identifier: MIT */
/*
 * --jq: what a jq expression makes of the lines of the JSON form goes to stdout
 * in their place; stderr is as in the text form.
 */
#ifndef OUT_QUERIED_H
#define OUT_QUERIED_H

#include "out/render.h"

/*
 * A line of the JSON form without its line end: each output of r->query is a
 * line, a string without quotes, into out, or on stdout if that is NULL. value
 * is `.`, line is `$line`. What fails is kept for queried_outcome and, where
 * r->query_at_once, told as well.
 */
void queried_line(struct renderer *r, struct buf *out, struct span value,
		  struct span line);

/*
 * -1: the expression failed on a line since it was asked last, and why
 * (ERR_UNMET, ERR_TIMEOUT, ERR_INTERRUPTED). err NULL: forget it.
 */
int queried_outcome(struct renderer *r, struct error *err);

#endif
