/* SPDX-License-Identifier: MIT */
/*
 * The kernel's random bytes. Keeps and seeds nothing.
 */
#include "base/random.h"

#include <stdio.h>
#include <sys/random.h>

void random_bytes(void *out, size_t len)
{
	/* Up to 256 bytes come whole, once the kernel has any. */
	while (getrandom(out, len, 0) != (ssize_t)len)
		;
}

void random_hex(char out[RANDOM_HEX_SIZE])
{
	uint64_t bits[2];

	random_bytes(bits, sizeof(bits));
	snprintf(out, RANDOM_HEX_SIZE, "%016llx%016llx",
		 (unsigned long long)bits[0], (unsigned long long)bits[1]);
}
