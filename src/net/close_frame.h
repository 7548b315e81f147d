/* SPDX-License-Identifier: MIT */
/*
 * What a peer's Close frame says (RFC 6455, 5.5.1 and 7.4), as an error. Pure.
 */
#ifndef NET_CLOSE_FRAME_H
#define NET_CLOSE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/*
 * data: the frame's, len bytes: a code in two, then words; or none. who ended
 * it: "the device". *why always gets a text, the code (1005 without one) and the
 * reason: WHY_CLOSE, or WHY_TAKEN where it was dialled by us and is an access
 * point that gave the place to another one. Its kind is ERR_NONE for a proper
 * end (1000, 1001, no code); ERR_AUTH where what was dialled does not take the
 * token; else ERR_CONNECT.
 */
void close_frame_tell(struct error *why, const char *who, bool dialled,
		      const void *data, size_t len);

#endif
