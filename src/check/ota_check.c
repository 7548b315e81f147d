/* SPDX-License-Identifier: MIT */
/*
 * The OTA address, asked as a board asks it, and followed to where its answer
 * sends a board (device.md 1, 2, 5): to a WebSocket as far as initialize, or to
 * a broker as far as CONNACK.
 */
#include <string.h>

#include "check/ota_ask.h"
#include "check/visit.h"
#include "wire/board_text.h"

static void stopped(struct checkup *k, const char *stages)
{
	check_stage(k, "stopped", STAGE_SKIPPED, "%s: not reached", stages);
}

static int follow_mqtt(struct checkup *k, const struct board_self *self,
		       const struct ota_reply *r, struct error *err)
{
	struct board_endpoint e;
	const char *endpoint = json_string(r->mqtt, "endpoint");

	if (endpoint && board_endpoint_read(&e, endpoint))
		return visit_broker(k, self, r->mqtt, err);
	stopped(k, "connack");
	return 0;
}

static int follow_websocket(struct checkup *k, const struct board_self *self,
			    const struct ota_reply *r, const char *asked,
			    struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	const struct visit_order order = {
		.self = self,
		.token = r->websocket_token,
		.frame_version = r->websocket_version,
		.asked = asked,
	};
	struct board_ws_url u;
	int status;

	if (!r->websocket_url ||
	    board_ws_url_parse(&u, r->websocket_url, &why)) {
		stopped(k, "upgrade, hello, init");
		return 0;
	}
	u.trust = &self->trust;
	status = visit_websocket(k, &order, &u, err);
	board_ws_url_done(&u);
	return status;
}

static int follow(struct checkup *k, const struct board_self *self,
		  const struct ota_told *told, const char *asked,
		  struct error *err)
{
	const struct ota_reply *r = &told->reply;

	if (told->end == OTA_USELESS)
		stopped(k, "activate, upgrade, hello, init");
	else if (told->end == OTA_HELD)
		stopped(k, r->mqtt ? "connack" : "upgrade, hello, init");
	else if (r->mqtt)
		return follow_mqtt(k, self, r, err);
	else
		return follow_websocket(k, self, r, asked, err);
	return 0;
}

/* ---- the whole ---- */

static int never_answered(struct checkup *k, const struct ota_told *told,
			  struct error *err)
{
	stopped(k, told->end == OTA_SILENT ?
			   "activate, upgrade, hello, init" :
			   "ota, activate, upgrade, hello, init");
	check_end(k, NULL);
	error_copy(err, &told->why);
	return -1;
}

/* What failed without a finding is a failure all the same. */
static int end(struct checkup *k, int status, struct error *failure,
	       struct error *err)
{
	int found = check_end(k, err);

	if (!status || (found && failure->kind != ERR_INTERRUPTED))
		return found;
	error_copy(err, failure);
	return -1;
}

static int ask(struct checkup *k, const struct board_self *self,
	       const struct board_ws_url *u, const char *url, struct error *err)
{
	CLEANUP(error_reset) struct error failure = { 0 };
	CLEANUP(ota_told_done) struct ota_told told = { 0 };
	int status;

	if (ota_ask(k, self, u, url, &told, err))
		return -1;
	if (told.end == OTA_NO_WAY || told.end == OTA_SILENT)
		return never_answered(k, &told, err);
	status = follow(k, self, &told, url, &failure);
	return end(k, status, &failure, err);
}

int check_ota(struct checkup *k, const char *url, struct error *err)
{
	CLEANUP(board_self_done) struct board_self self = { 0 };
	struct board_ws_url u;
	int status;

	k->subject = "D"; /* we are the device */
	if (board_self_open(&self, k, err) || exchange_url(&u, &self, url, err))
		return -1;
	status = ask(k, &self, &u, url, err);
	board_ws_url_done(&u);
	return status;
}
