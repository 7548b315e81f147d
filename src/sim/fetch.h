/* SPDX-License-Identifier: MIT */
/*
 * A board fetches firmware, as Ota::Upgrade does, or assets, as
 * Assets::Download: GET, status 200 and a Content-Length are wanted, no Range is
 * asked; nothing of it is kept but what firmware says of itself.
 */
#ifndef SIM_FETCH_H
#define SIM_FETCH_H

#include "net/tcp.h"
#include "sim/board_ws.h"
#include "wire/esp_image.h"

struct fetch;

struct fetch_order { /* lent during fetch_start */
	const char *url;
	const struct tls_trust *trust; /* of https; NULL: the system's */
	int percent; /* so much of it, then the board dies; 100: all */
	bool assets; /* what they are is not looked at */
};

/* From the loop, once; the fetch is gone. image NULL: why, in words; of assets that are whole neither. */
typedef void fetch_ended(void *owner, const struct esp_image *image,
			 const char *why);

/* NULL: the board cannot read that address; why, in words. */
struct fetch *fetch_start(struct loop *l, const struct fetch_order *order,
			  fetch_ended *ended, void *owner, struct error *why);
/* Nothing is told any more; released from the loop. NULL is fine. */
void fetch_abandon(struct fetch *f);

#endif
