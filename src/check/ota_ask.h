/* SPDX-License-Identifier: MIT */
/*
 * The OTA question, asked as a board asks it at each start, and the activation
 * behind it (device.md 5): the stages name, tcp, tls, ota and activate.
 */
#ifndef CHECK_OTA_ASK_H
#define CHECK_OTA_ASK_H

#include "check/exchange.h"

enum ota_end {
	OTA_NO_WAY, /* name, tcp or tls failed: why */
	OTA_SILENT, /* no answer of HTTP: why */
	OTA_USELESS, /* none that a board could read, or survives */
	OTA_HELD, /* a board waits here until it is activated */
	OTA_LEADS_ON /* to where reply says */
};

/* Zeroed at first. */
struct ota_told {
	enum ota_end end;
	struct error why;
	struct ota_reply reply; /* OTA_HELD, OTA_LEADS_ON */
};

/*
 * Ask, judge the answer, and answer a challenge once; where that activated it,
 * ask once more. url is the one of u. 0: out->end says how it ended, all of it
 * is told; -1: Ctrl-C, --timeout. Release out by ota_told_done in both cases.
 */
int ota_ask(struct checkup *k, const struct board_self *self,
	    const struct board_ws_url *u, const char *url, struct ota_told *out,
	    struct error *err);
void ota_told_done(struct ota_told *t);

/* --plan: the same, shown. -1 (ERR_USAGE): url is none. */
int ota_plan(struct checkup *k, const struct board_self *self, const char *url,
	     struct error *err);

#endif
