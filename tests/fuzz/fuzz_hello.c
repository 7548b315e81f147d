/* SPDX-License-Identifier: MIT */
/*
 * Any JSON as a device's hello.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "wire/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cJSON *json = json_parse((const char *)data, size, NULL);
	struct hello h;

	if (!json)
		return 0;
	if (hello_decode_take(&h, json, NULL) == 0) {
		assert(h.json && strlen(h.transport) < sizeof(h.transport));
		assert(text_is_utf8(h.transport, strlen(h.transport)));
		assert(text_is_utf8(h.audio.format, strlen(h.audio.format)));
	}
	hello_done(&h);
	return 0;
}
