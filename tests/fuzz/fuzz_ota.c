/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an OTA question and as an OTA reply. What was read of a
 * question can be asked again.
 */
#include <assert.h>
#include <stdint.h>

#include "base/json_scan.h"
#include "wire/ota.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void question(const char *body, size_t size)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct ota_request rq = { 0 }, again = { 0 };

	if (ota_request_decode(&rq, body, size, NULL))
		return;
	ota_request_encode(&out, &rq);
	assert(ota_request_decode(&again, buf_string(&out), out.len, NULL) ==
	       0);
	assert(again.flash_size == rq.flash_size && again.rssi == rq.rssi);
}

static void reply(const char *body, size_t size)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct ota_reply r;

	if (ota_reply_decode(&r, body, size, NULL) == 0 && r.websocket_url &&
	    ota_reply_websocket(&out, r.websocket_url, r.websocket_token,
				r.websocket_version, NULL) == 0)
		assert(json_check(buf_string(&out), out.len, NULL) == 0);
	ota_reply_done(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	question((const char *)data, size);
	reply((const char *)data, size);
	return 0;
}
