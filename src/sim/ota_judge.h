/* SPDX-License-Identifier: MIT */
/*
 * What a board does with an OTA reply (device.md 5.2 to 5.4): where it goes,
 * or why it goes nowhere. Pure.
 */
#ifndef SIM_OTA_JUDGE_H
#define SIM_OTA_JUDGE_H

#include "base/error.h"
#include "sim/broker_line.h"
#include "sim/hazard.h"
#include "wire/ota.h"

/*
 * 0: out->mqtt says where to go (see ota_broker), or, if that is NULL,
 * out->websocket_url. -1 (ERR_CONNECT): why nowhere. Free out by
 * ota_reply_done in both cases.
 */
int ota_judge(struct ota_reply *out, const char *body, size_t len,
	      struct hazard_watch *watch, struct error *err);

/*
 * The broker that `mqtt` of a reply names, as the board reads it (2.1). out is
 * overwritten; down and client_id may be NULL. -1 (ERR_CONNECT): why not; out
 * is empty then.
 */
int ota_broker(struct broker_where *out, const cJSON *mqtt,
	       struct hazard_watch *watch, struct error *err);

#endif
