/* SPDX-License-Identifier: MIT */
/*
 * What happened, told, ten lines of a kind in a minute (base/asides); the last
 * part that closes ends the proxy.
 */
#ifndef PROXY_TELL_H
#define PROXY_TELL_H

#include "proxy/proxy.h"

/*
 * Told to who opened it: of lines that begin as the same literal ten in a
 * minute, and at its end how many more there were; so whoever makes connections
 * fail cannot bury what a board is told of.
 */
void proxy_say(struct proxy *p, enum proxy_level level, const char *device,
	       const char *hint, const char *format, ...) PRINTF_LIKE(5, 6);

/* Somebody was refused at a door: told, and counted. */
void proxy_refused(struct proxy *p, const struct front_refusal *r);
/* What came to a door is no request; told where both are known. */
void proxy_noise(struct proxy *p, const char *address, const char *text);

void proxy_tells_open(struct proxy *p);
/* What was not told is counted; proxy_leg_closed follows. */
void proxy_tells_close(struct proxy *p);

/* Called by each part when it is closed (legs_open was raised when it opened). */
void proxy_leg_closed(struct proxy *p);

#endif
