/* SPDX-License-Identifier: MIT */
/*
 * What a board does with an OTA reply (device.md 5.2 to 5.4): where it goes,
 * or why it goes nowhere. Pure.
 */
#ifndef SIM_OTA_JUDGE_H
#define SIM_OTA_JUDGE_H

#include "base/error.h"
#include "sim/hazard.h"
#include "wire/ota.h"

/* 0: out->websocket_url is where to go. -1 (ERR_CONNECT): why not. Free out by ota_reply_done in both cases. */
int ota_judge(struct ota_reply *out, const char *body, size_t len,
	      struct hazard_watch *watch, struct error *err);

#endif
