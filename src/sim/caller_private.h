/* SPDX-License-Identifier: MIT */
/*
 * Parts of a caller, each in a file of its own. Private to caller.c (its life,
 * WebSocket), caller_ota.c and caller_mqtt.c.
 */
#ifndef SIM_CALLER_PRIVATE_H
#define SIM_CALLER_PRIVATE_H

#include "sim/caller.h"

/* A line's events, whichever it is. (caller.c) */
void caller_opened(void *owner);
void caller_text(void *owner, const char *text, size_t len);
void caller_line_closed(void *owner);
/* It failed, or is over: why, in words (NULL: closed). */
void caller_lost(struct caller *c, const char *why);
/* An open connection is over. */
void caller_over(struct caller *c, const char *why);

/* Tell why not; takes the error. */
void caller_refuse(struct caller *c, struct error *why);
/* An address that this program can dial; -1: refused. */
int caller_usable(struct caller *c, const char *text, struct wire_url *out);
void caller_dial(struct caller *c, const char *url, const char *token);
/* Later once more, or it is finished. */
void caller_again(struct caller *c);
void caller_maybe_closed(struct caller *c);

/* Ask, then go where it says. (caller_ota.c) */
void caller_ask_ota(struct caller *c);
/* The version of frames; told: what OTA says, 0 if nothing. */
void caller_take_version(struct caller *c, int64_t told);

/* Join the broker: the plan's, or where OTA sent it. (caller_mqtt.c) */
void caller_join(struct caller *c);
/* One packet of sound. */
void caller_sound(struct caller *c, const void *data, size_t len);
/* The device's event. */
void caller_audio(void *owner, const struct udp_offer *offer);
/* Half of a message, then the end. */
void caller_mqtt_cut(struct caller *c, const char *text, size_t len);

#endif
