/* SPDX-License-Identifier: MIT */
/*
 * Files with speech: WAV and Ogg Opus, as packets for a board. Whatever comes out
 * are packets of Opus of the length that was asked for.
 */
#include <stdint.h>
#include <stdlib.h>

/* clang-format off */
#include "net/ogg.c"
#include "net/ogg_read.c"
#include "net/ogg_speech.c"
/* clang-format on */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(error_reset) struct error err = { 0 };
	const unsigned char *packet;
	struct opus_facts facts;
	struct speech s;
	size_t at = 0, len, count = 0;

	if (ogg_speech(&s, data, size, 60, &err)) {
		if (!err.text[0])
			abort();
		return 0;
	}
	for (; speech_next(&s, &at, &packet, &len); count++) {
		if (len > SPEECH_PACKET_MAX ||
		    !ogg_facts(&facts, packet, len) ||
		    facts.samples != OPUS_RATE / 1000 * 60)
			abort();
	}
	if (count != s.count || !count)
		abort();
	speech_done(&s);
	return 0;
}
