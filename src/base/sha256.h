/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4) of what is in memory: to say which of two large things
 * are the same, without the library that the program starts without.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/base.h"

/* 64 hexadecimal digits and a NUL. */
#define SHA256_TEXT 65
void sha256_text(const void *data, size_t len, char out[SHA256_TEXT]);

#endif
