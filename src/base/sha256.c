/* SPDX-License-Identifier: MIT */
/* The letters are those of the standard, FIPS 180-4. */
#include "base/sha256.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

/* Fractions of the cube roots of the first 64 primes. */
static const uint32_t k[BLOCK] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[BLOCK], const unsigned char *block)
{
	for (size_t t = 0; t < 16; t++) {
		memcpy(&w[t], block + 4 * t, 4);
		w[t] = be32toh(w[t]);
	}
	for (size_t t = 16; t < BLOCK; t++) {
		uint32_t a = w[t - 15], b = w[t - 2];

		w[t] = (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10) + w[t - 7] +
		       (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + w[t - 16];
	}
}

static void compress(uint32_t hash[8], const unsigned char *block)
{
	uint32_t w[BLOCK], v[8];

	schedule(w, block);
	memcpy(v, hash, sizeof(v));
	for (size_t t = 0; t < BLOCK; t++) {
		uint32_t a = v[0], e = v[4];
		uint32_t t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
			      ((e & v[5]) ^ (~e & v[6])) + k[t] + w[t];
		uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
			      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (size_t i = 0; i < 8; i++)
		hash[i] += v[i];
}

void sha256_text(const void *data, size_t len, char out[SHA256_TEXT])
{
	uint32_t hash[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	unsigned char tail[2 * BLOCK] = { 0 };
	const unsigned char *at = data;
	uint64_t bits = htobe64((uint64_t)len * 8);
	size_t rest = len % BLOCK, room = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;

	for (; len >= BLOCK; len -= BLOCK, at += BLOCK)
		compress(hash, at);
	if (rest)
		memcpy(tail, at, rest);
	tail[rest] = 0x80;
	memcpy(tail + room - 8, &bits, 8);
	for (size_t i = 0; i < room; i += BLOCK)
		compress(hash, tail + i);
	for (size_t i = 0; i < 8; i++)
		snprintf(out + 8 * i, 9, "%08x", (unsigned)hash[i]);
}
