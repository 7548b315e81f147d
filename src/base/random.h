/* SPDX-License-Identifier: MIT */
/*
 * Bytes that nobody can guess, from the kernel.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/base.h"

#define RANDOM_HEX_SIZE 33

/* At most 256 of them. Waits for the kernel, which has them soon after boot. */
void random_bytes(void *out, size_t len);
/* 16 of them as hexadecimal digits and a NUL. */
void random_hex(char out[RANDOM_HEX_SIZE]);

#endif
