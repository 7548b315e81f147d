/* SPDX-License-Identifier: MIT */
/*
 * Parts of a caller, each in a file of its own. Private to board_link.c (its life,
 * WebSocket), board_link_ota.c and board_link_mqtt.c.
 */
#ifndef SIM_BOARD_LINK_PRIVATE_H
#define SIM_BOARD_LINK_PRIVATE_H

#include "sim/board_link.h"

/* A line's events, whichever it is. (board_link.c) */
void board_link_opened(void *owner);
void board_link_text(void *owner, const char *text, size_t len);
void board_link_line_closed(void *owner);
/* It failed, or is over: why, in words (NULL: closed). */
void board_link_lost(struct board_link *c, const char *why);
/* An open connection is over. */
void board_link_over(struct board_link *c, const char *why);

/* Tell why not; takes the error. */
void board_link_refuse(struct board_link *c, struct error *why);
/* An address that this program can dial; -1: refused. */
int board_link_usable(struct board_link *c, const char *text,
		      struct board_ws_url *out);
void board_link_dial(struct board_link *c, const char *url, const char *token);
/* Later once more, or it is finished. */
void board_link_again(struct board_link *c);
void board_link_maybe_closed(struct board_link *c);

/* Ask, then go where it says. (board_link_ota.c) */
void board_link_ask_ota(struct board_link *c);
/* The version of frames; told: what OTA says, 0 if nothing. */
void board_link_take_version(struct board_link *c, int64_t told);

/* Join the broker: the plan's, or where OTA sent it. (board_link_mqtt.c) */
void board_link_join(struct board_link *c);
/* One packet of sound. */
void board_link_sound(struct board_link *c, const void *data, size_t len);
/* The device's event. */
void board_link_audio(void *owner, const struct udp_offer *offer);
/* Half of a message, then the end. */
void board_link_mqtt_cut(struct board_link *c, const char *text, size_t len);

#endif
