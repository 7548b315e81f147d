/* SPDX-License-Identifier: MIT */
/*
 * Any datagram as an audio packet; what is one is written back the same.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "wire/audio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_strndup((const char *)data, size);
	unsigned char head[UDP_AUDIO_HEAD], bytes[16];
	struct udp_audio_head h;
	char hex[33];

	if (udp_audio_decode(&h, data, size, NULL) == 0) {
		assert(h.type == 1 && h.length > 0);
		assert(size == UDP_AUDIO_HEAD + (size_t)h.length);
		udp_audio_encode(head, &h);
		assert(memcmp(head, data, sizeof(head)) == 0);
	}
	if (hex_decode_16(bytes, text)) {
		unsigned char again[16];

		hex_encode_16(hex, bytes);
		assert(strlen(text) == 32 && hex_decode_16(again, hex));
		assert(memcmp(again, bytes, sizeof(bytes)) == 0);
	}
	return 0;
}
