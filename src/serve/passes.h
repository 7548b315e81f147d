/* SPDX-License-Identifier: MIT */
/*
 * Who may upload a picture. With a photo of the camera a board shows the token
 * of its connection (device.md 6); with a snapshot of the screen it sends
 * nothing that names it, so the address itself is the pass, for one picture.
 * Judged from the head alone: how much of a body is taken from whom can be
 * decided here too, before it is read.
 */
#ifndef SERVE_PASSES_H
#define SERVE_PASSES_H

#include "base/random.h"
#include "net/port.h"

struct board;

#define PASSES_MAX 1024
#define PASSES_EACH 16 /* of one device */
#define PASS_MS 600000

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

/*
 * The device whose connection's token was given, and that the request names
 * (if it names one); NULL: none.
 */
const struct board *pass_by_token(const struct visit *v, const char *given);
/* The id of the device that this address is for; yours. It is used up. NULL: it is none. */
char *pass_by_address(const struct visit *v);
/* Whether either would find one; nothing is used up. */
bool pass_is_shown(const struct visit *v);
/*
 * The same, and more than any stranger's who dialled in as a board: an address
 * that we were asked to give out, or the token of a board that is known.
 */
bool pass_of_known(const struct visit *v);

#endif
