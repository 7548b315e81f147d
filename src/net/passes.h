/* SPDX-License-Identifier: MIT */
/*
 * Addresses that one picture may be sent to. With a photo of the camera a board
 * shows the token of its connection (device.md 6); with a snapshot of the
 * screen it sends nothing that names it, so the address itself is the pass, for
 * one picture.
 */
#ifndef NET_PASSES_H
#define NET_PASSES_H

#include "base/random.h"
#include "net/port.h"

#define PASSES_MAX 1024
#define PASSES_EACH 16 /* of one device */
#define PASS_MS 600000
#define UPLOAD_PATH "/upload"

/* An address that one picture may be sent to. */
struct pass {
	char token[RANDOM_HEX_SIZE];
	char *id; /* of the device that it is for */
	int64_t until; /* loop_now() ms */
};
struct passes {
	struct pass item[PASSES_MAX]; /* in the order in which they were made */
	size_t count;
};
void passes_done(struct passes *p);
/* A new token, lent until the next change. Where there is no room the oldest goes. */
const char *passes_add(struct passes *p, const char *id, int64_t now);
/* Used up: the id of whom it was for, yours. NULL: there is none, or it was too late. */
char *passes_take(struct passes *p, const char *token, int64_t now);

/* The id of the device that the address of the visit is for; yours. It is used up. NULL: it is none. */
char *passes_take_address(struct passes *p, const struct visit *v);
/* Whether it would find one, judged from the head alone; nothing is used up. */
bool passes_show(const struct passes *p, const struct visit *v);

#endif
