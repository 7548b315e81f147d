/* SPDX-License-Identifier: MIT */
/*
 * Servers at a broker, by what they announce: nobody is asked for it. One that is
 * followed is opened, over the same connection.
 */
#ifndef TOP_FEED_BROKER_H
#define TOP_FEED_BROKER_H

#include "top/feed.h"

/* Yours until `close`; nothing is opened yet. -1: the options do not fit. */
int feed_broker_new(struct feed **out, struct app *app, struct error *err);

#endif
