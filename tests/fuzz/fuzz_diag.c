/* SPDX-License-Identifier: MIT */
/*
 * The engine: any lines as frames of one connection, those that begin with '>'
 * from the device, every second one read before. Then what was found, as JSON.
 */
#include <string.h>

#include "diag/diag.h"
#include "diag/finding.h"
#include "wire/envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(struct diag *d, const char *line, size_t len, int64_t now)
{
	struct json_places at;
	bool odd;
	struct diag_frame f = {
		.at_us = now * 1000,
		.leg = *line == 'm' ? LEG_MQTT : LEG_WS,
		.kind = *line == 'b' ? FRAME_IS_BINARY : FRAME_IS_TEXT,
		.from_device = *line == '>',
		.data = line + 1,
		.len = len - 1,
	};

	if (now % 2 && envelope_scan(&at, &odd, f.data, f.len, NULL) == 0)
		f.at = &at;
	if (*line == '!')
		diag_gave_up(d, now, now * 1000);
	else
		diag_feed(d, &f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = { .about = { .board = size % 2,
				     .bare = size % 3 == 0,
				     .protocol_version = (int)(size % 4) } };
	const char *p = (const char *)data, *end = p + size;
	struct buf out = { 0 };

	for (int64_t now = 1; p < end; now++) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((line ? line : end) - p);

		if (len > 0)
			feed(&d, p, len, now);
		p += len + 1;
	}
	diag_end(&d);
	for (size_t i = 0; i < d.count; i++)
		finding_json(&out, &d.item[i], NULL);
	buf_done(&out);
	diag_done(&d);
	return 0;
}
