/* SPDX-License-Identifier: MIT */
/*
 * serve's Unix socket: attached commands and their questions (wire/control_frames.h).
 * Files: control.c, control_listen.c (socket), control_peer.c, outbox.c (one
 * connection), control_ops.c, control_names.c (questions), attached.c (the
 * relay of one device), broadcast.c (one request to many).
 */
#ifndef SERVE_CONTROL_H
#define SERVE_CONTROL_H

#include "base/error.h"

struct control;
struct board;
struct serve;

/*
 * -1: ERR_CONNECT: another serve answers there; the folder is not ours. A
 * socket that nobody answers is removed. Mode 0600.
 */
int control_open(struct control **out, struct serve *s, struct error *err);
/* Only whether that would be refused now: asked before anything else is opened. */
int control_check(struct serve *s, struct error *err);
/* Tell all attached that serve ends, remove the socket, release; closed from the loop. */
void control_close(struct control *c, void (*closed)(void *owner), void *owner);
const char *control_socket(const struct control *c);

/* ---- from board.c ---- */

/* A text frame that is nobody's reply, or an audio packet: to all attached to d. */
void control_text(struct board *d, const char *frame, size_t len);
void control_audio(struct board *d, const void *packet, size_t len);
/* State, tools or connection changed: to those who watch, and to those who wait for a device. change: "connected", "ready", "failed", "gone", … */
void control_changed(struct board *d, const char *change);
/* The device goes: its attached commands get `gone` and are closed. */
void control_gone(struct board *d, const struct error *why);

#endif
