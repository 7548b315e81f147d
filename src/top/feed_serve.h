/* SPDX-License-Identifier: MIT */
/*
 * The boards of a running serve, by three connections to its socket, so that none
 * waits for another: one is told of boards, one asks them for their status, one
 * follows the frames of one board.
 */
#ifndef TOP_FEED_SERVE_H
#define TOP_FEED_SERVE_H

#include "top/feed.h"

/* Yours until `close`; nothing is opened yet. -1: the options do not fit. */
int feed_serve_new(struct feed **out, struct app *app, struct error *err);

#endif
