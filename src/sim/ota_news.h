/* SPDX-License-Identifier: MIT */
/*
 * What an OTA reply makes a board do besides going where it says, in lines for
 * whoever watches a simulated one (device.md 5.2, 5.4). Pure; the lines may
 * hold a peer's text.
 */
#ifndef SIM_OTA_NEWS_H
#define SIM_OTA_NEWS_H

#include "base/split.h"
#include "wire/ota.h"

/* The board that got the reply. */
struct ota_asker {
	const char *version; /* of its firmware */
	const char *token; /* that the user gave it; NULL */
	const char *stored_token; /* from an earlier reply; NULL */
};

/* For a reply that ota_judge let pass. Adds to out. */
void ota_news(struct words *out, const struct ota_reply *reply,
	      const struct ota_asker *asker);

#endif
