/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a text frame, through the link in each dialect.
 */
#include <assert.h>
#include <stdint.h>

#include "base/json_scan.h"
#include "rpc/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void receive(enum dialect dialect, const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct link_item item;
	struct link l;

	link_init(&l, dialect, 0);
	link_receive(&l, FRAME_TEXT, data, size, &item, &reply);
	assert(item.kind != LINK_NOTHING && item.kind != LINK_AUDIO);
	assert((item.kind == LINK_HELLO) == (reply.len > 0));
	assert((item.kind == LINK_BROKEN) == (item.problem.kind != ERR_NONE));
	assert(item.kind != LINK_PAYLOAD || item.message.json);
	link_item_done(&item);
	link_done(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct envelope e;

	if (envelope_decode(&e, (const char *)data, size, &err) == 0 &&
	    e.payload)
		assert(json_check(e.payload_text.text, e.payload_text.len,
				  NULL) == 0);
	envelope_done(&e);
	error_reset(&err);
	receive(DIALECT_UNKNOWN, data, size);
	receive(DIALECT_DEVICE, data, size);
	receive(DIALECT_PLAIN, data, size);
	return 0;
}
