/* SPDX-License-Identifier: MIT */
/*
 * The engine (diag/diag.h) alone: requests and replies as they pass at a call of
 * a board. judge COUNT prints frames a second, and bytes a connection takes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "diag/diag.h"
#include "samples.h"

static void feed(struct diag *d, bool from_device, const struct buf *text)
{
	const struct diag_frame f = { .at_us = (int64_t)now_us(),
				      .from_device = from_device,
				      .data = text->data,
				      .len = text->len };

	diag_feed(d, &f);
}

#define ENVELOPE "{\"session_id\":\"mcpctl-0123456789abcdef\",\"type\":\"mcp\","

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
	struct diag d = { .about = { .board = true, .standby = true } };
	struct buf asked = { 0 }, reply = { 0 };
	double start;

	/* Nothing is wrong with what follows. */
	buf_text(
		&asked, ENVELOPE
		"\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}}");
	feed(&d, false, &asked);
	buf_text(&reply, ENVELOPE
		 "\"payload\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}}");
	feed(&d, true, &reply);
	start = now_us();
	for (long i = 0; i < count / 2; i++) {
		buf_reset(&asked);
		buf_reset(&reply);
		buf_printf(
			&asked,
			ENVELOPE
			"\"payload\":{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\",\"params\":{\"name\":\"self.audio_speaker.set_volume\",\"arguments\":{\"volume\":50}}}}",
			i + 2);
		buf_printf(
			&reply,
			ENVELOPE
			"\"payload\":{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"true\"}],\"isError\":false}}}",
			i + 2);
		feed(&d, false, &asked);
		feed(&d, true, &reply);
	}
	if (d.count > 0)
		fprintf(stderr, "judge: found %s\n",
			finding_row(d.item[0].code)->code);
	printf("%.0f %zu\n", (double)count / ((now_us() - start) / 1e6),
	       sizeof(d));
	buf_done(&asked);
	buf_done(&reply);
	diag_done(&d);
	return 0;
}
