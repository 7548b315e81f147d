/* SPDX-License-Identifier: MIT */
/* WWW-Authenticate: any bytes; what comes out is clean text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "wire/challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const char *text)
{
	if (text && (!*text || text_has_control(text) ||
		     strlen(text) > CHALLENGE_VALUE_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *field = mem_copy(data, size);
	struct challenge c;

	challenge_read(&c, field);
	judge(c.resource_metadata);
	judge(c.scope);
	judge(c.error);
	judge(c.error_description);
	challenge_done(&c);
	mem_free(field);
	return 0;
}
