/* SPDX-License-Identifier: MIT */
/* What a board makes of an answer to OTA: where it goes, or why nowhere. */
#ifndef SIM_BOARD_OTA_H
#define SIM_BOARD_OTA_H

#include "diag/diag.h"
#include "diag/ota_rules.h"
#include "sim/broker_line.h"
#include "wire/ota.h"

/* Who is told what a reply shows, and what became of the board. */
struct ota_fate {
	struct diag *diag;
	uint32_t found; /* bits of diag_ota; set by ota_judge */
	bool dead; /* a real board does not survive the reply */
	enum diag_code of; /* then */
};

/* It names nowhere to go: that, and the least that a device needs. Always -1. */
int ota_no_address(const char *what, struct error *err);

/*
 * 0: out->mqtt says where to go (see ota_broker), or, if that is NULL,
 * out->websocket_url, or what was stored. -1: why nowhere; ERR_UNMET where a
 * real board does not survive the reply, else ERR_CONNECT. Free out by
 * ota_reply_done in both cases.
 */
int ota_judge(struct ota_reply *out, const struct ota_answer *a,
	      struct ota_fate *fate, struct error *err);

/*
 * The broker that `mqtt` of a reply names, as the board reads it (device.md
 * 2.1). out is overwritten; down and client_id may be NULL. -1: why not, as
 * ota_judge; out is empty then.
 */
int ota_broker(struct broker_where *out, const cJSON *mqtt,
	       struct ota_fate *fate, struct error *err);

#endif
