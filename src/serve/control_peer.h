/* SPDX-License-Identifier: MIT */
/* One attached command: frames in, frames out. */
#ifndef SERVE_CONTROL_PEER_H
#define SERVE_CONTROL_PEER_H

#include "serve/control.h"

/* Takes fd. */
void control_peer_open(struct control *c, int fd, int pid);
/* Queued and written as far as possible; never closes before it returns. */
void control_peer_send(struct control_peer *p, enum control_kind kind,
		       const void *data, size_t len);
void control_peer_packet(struct control_peer *p, struct packet *packet);
/* What may be lost if the command does not read. */
void control_peer_offer(struct control_peer *p, struct packet *packet);
void control_peer_error(struct control_peer *p, const struct error *why);
/* The descriptor that came is closed, if there is one. */
void control_peer_drop_received(struct control_peer *p);
/* Go on in the next turn: fan, frames that wait. */
void control_peer_later(struct control_peer *p);
/* Read no more, write what waits for at most ms, close. */
void control_peer_finish(struct control_peer *p, int64_t ms);

/* {"op":"gone"|"error","error":…}, appended; and sent. */
void control_error_text(struct buf *out, const char *op,
			const struct error *why);
void control_tell_error(struct control_peer *p, const char *op,
			const struct error *why);
/* {"op":OP,"device":{…} without the closing brace. */
void control_begin_device(struct buf *out, const char *op,
			  const struct board *d);

#endif
