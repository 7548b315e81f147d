/* SPDX-License-Identifier: MIT */
/*
 * The serial logs of --serial at the open connection: their lines become events
 * of its session. While there is none, the last ones wait for it.
 */
#ifndef CLI_WITNESSED_H
#define CLI_WITNESSED_H

#include "cli/connection.h"

/* Open the ports, once; the loop is there. -1: err. */
int witnessed_open(struct app *app, struct error *err);
/* Its session is open: the ports are opened, once. -1: err. */
int witnessed_begin(struct connection *c, struct error *err);
/* The session goes. */
void witnessed_end(struct connection *c);
/* A frame of it passes. */
void witnessed_frame(struct connection *c, const struct diag_frame *f);

#endif
