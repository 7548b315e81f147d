/* SPDX-License-Identifier: MIT */
/*
 * Which boards are held for one user of serve, and who waits for some. A table
 * with the clock given; who asks, and what is told, is serve/leasing's matter.
 *
 * A lease has all its boards or none: who waits holds nothing meanwhile, so two
 * who want two boards in different order cannot block each other. Those who
 * wait for the same board get it in the order in which they asked.
 */
#ifndef SERVE_LEASES_H
#define SERVE_LEASES_H

#include "base/base.h"
#include "base/error.h"
#include "base/map.h"
#include "base/random.h"
#include "base/split.h"

struct buf;
struct lease;

#define LEASES_MAX 256 /* held, and waited for */
#define LEASE_BOARDS_MAX 4096 /* of one lease */
#define LEASE_NAME_MAX 64 /* bytes of who holds it */
#define LEASE_OPEN INT64_MAX /* no end: as long as its holder stays */
#define LEASE_LEFT 0 /* in place of an end: its holder is gone */

struct lease_board {
	struct lease *lease;
	char *id; /* in small letters */
};

struct lease {
	char *by; /* who holds it, as it said */
	char token[RANDOM_HEX_SIZE]; /* "" while it waits */
	void *holder; /* it ends with that connection; NULL: it is kept */
	int64_t length; /* ms; 0: LEASE_OPEN */
	int64_t until; /* on the clock that is given; LEASE_OPEN, LEASE_LEFT */
	struct lease_board *board;
	size_t count;
	struct lease *next; /* in the order of asking */
};

/* Starts zeroed. */
struct leases {
	struct lease *first;
	size_t count;
	struct map held; /* struct lease_board, by id */
};

struct lease_order { /* lent */
	const char *by;
	const struct words *ids; /* in small letters, each once */
	int64_t length;
	void *holder;
};

/*
 * Appended: it waits until leases_turn says that its turn came, which may be
 * at once. NULL (ERR_CONNECT): there are LEASES_MAX, or too many boards.
 */
struct lease *leases_add(struct leases *t, const struct lease_order *o,
			 struct error *err);
/* The next one that waits and now holds its boards; NULL: none more can. */
struct lease *leases_turn(struct leases *t, int64_t now);
/* Its holder is gone: it is due from now on, and gets no turn. */
void lease_leave(struct lease *l);
/* The next whose time is over; NULL. It stays until leases_remove. */
struct lease *leases_due(const struct leases *t, int64_t now);
/* When that will be; LEASE_OPEN: never. */
int64_t leases_deadline(const struct leases *t);
/* It is over, or who waited gave up. */
void leases_remove(struct leases *t, struct lease *l);
void leases_done(struct leases *t);

bool lease_is_held(const struct lease *l);
/* Who holds that board (NULL: nobody), known by any of these ids, each NULL or in any case. */
struct lease *leases_of(const struct leases *t, const char *id,
			const char *device_id, const char *client_id);
/* The first of that connection, held or waiting; NULL. */
struct lease *leases_by_holder(const struct leases *t, const void *holder);
/*
 * What w waits for: the next lease, held or asked for earlier, that has a board
 * of its, *board. Behind `after` (NULL: the first).
 */
const struct lease *leases_before(const struct leases *t, const struct lease *w,
				  const struct lease *after,
				  const char **board);

/*
 * Tokens are given as text, with ',' between. In a time that tells nothing of
 * them.
 */
bool lease_has_token(const struct lease *l, const char *tokens);
/* Every one of them is of a lease that is held. True for none. */
bool leases_know(const struct leases *t, const char *tokens);

/* "leased by NAME for 12 min more", appended. */
void lease_tell(struct buf *out, const struct lease *l, int64_t now);
/* {"by":…,"until":…}: UTC, to a second; null: as long as its holder stays. */
void lease_describe(struct buf *out, const struct lease *l, int64_t now,
		    int64_t unix_now);

#endif
