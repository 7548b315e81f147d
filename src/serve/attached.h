/* SPDX-License-Identifier: MIT */
/* The relay of one board to one attached command. */
#ifndef SERVE_ATTACHED_H
#define SERVE_ATTACHED_H

#include "serve/control.h"

/* The same, to those only who look on (tail), but for one. */
void control_text_tail(struct board *d, const char *frame, size_t len,
		       const struct control_peer *but);
/* A text frame that is nobody's reply, or an audio packet: to all attached to d. */
void control_text(struct board *d, const char *frame, size_t len);
/* Something out of place: in words, or as a frame to who asked for it. */
void control_finding(struct board *d, const struct board_finding *what);
void control_picture(struct board *d, const struct picture_news *n);
/* A line of its serial log, or what is told of the port: to who asked for them. */
void control_serial(struct board *d, const struct serial_told *told);
void control_audio(struct board *d, const void *packet, size_t len);
/* To those that asked for the layers of its connection. */
void control_pong(struct board *d);
/* The device goes: its attached commands get `gone` and are closed. */
void control_gone(struct board *d, const struct error *why);

/* What serve's own connection to the device of p shows, now and at the Pong. */
void attached_layers(struct control_peer *p);

/* A pattern's devices, for a message: one a line, as error detail. Always -1. */
int attached_which(struct serve *s, const char *pattern, struct error *err);
void attached_ask(struct control_peer *p, const char *pattern, bool tail);
/* A device came to rest, or one more fits. */
void attached_look_again(struct control_peer *p);
/* A text frame from the command. */
void attached_text(struct control_peer *p, const char *frame, size_t len);
void attached_sound(struct control_peer *p, const char *packet, size_t len);
/* It goes: nothing comes back to it. */
void attached_leave(struct control_peer *p);

#endif
