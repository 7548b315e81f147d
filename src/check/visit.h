/* SPDX-License-Identifier: MIT */
/*
 * A board's visit where OTA sent it: dialled, heard, and left again. The
 * conversation goes to the engine; each step is a stage.
 */
#ifndef CHECK_VISIT_H
#define CHECK_VISIT_H

#include "check/exchange.h"

struct visit_order { /* all is lent */
	const struct board_self *self;
	const char *token; /* NULL: none */
	int frame_version; /* 0: 1 */
	const char *asked; /* the address of OTA */
};

/* Stages upgrade, hello, init, bye. -1: why it did not get there. */
int visit_websocket(struct checkup *k, const struct visit_order *order,
		    const struct board_ws_url *u, struct error *err);

/* Stage connack, for `mqtt` of an OTA reply, with an endpoint that can be read. */
int visit_broker(struct checkup *k, const struct board_self *self,
		 const cJSON *mqtt, struct error *err);

#endif
