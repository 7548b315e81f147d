/* SPDX-License-Identifier: MIT */
/*
 * The boards that were enrolled (--enroll): those that OTA signs passwords for
 * because they came in time, kept in a file of the state folder for the next
 * serve, {"aa:bb:cc:dd:ee:ff":{"client_id":"…","at":Unix ms}, …}. With its
 * Client-Id, which a stranger who has seen only the Device-Id does not know.
 */
#ifndef SERVE_ENROLLED_H
#define SERVE_ENROLLED_H

#include "base/error.h"
#include "serve/aliases.h"

#define ENROLLED_MAX 4096

struct enrolled_board {
	char *device_id, *client_id; /* client_id "": it sent none */
	int64_t at_ms; /* Unix time */
};
struct enrolled {
	struct enrolled_board *item;
	size_t count, capacity;
};

/*
 * Read anew; file NULL, or one that is not there: none. -1 (ERR_USAGE): not
 * readable, not of that form; what was there stays.
 */
int enrolled_read(struct enrolled *e, const char *file, struct error *err);
void enrolled_done(struct enrolled *e);
/* By Device-Id, without case; NULL. Lent until the next change. */
const struct enrolled_board *enrolled_find(const struct enrolled *e,
					   const char *device_id);
/* A board with that id (NULL: none) is enrolled, or listed in the aliases. */
bool enrolled_or_listed(const struct enrolled *e, const struct aliases *a,
			const char *device_id, const char *client_id);
bool enrolled_is_full(const struct enrolled *e);
/*
 * Adds one, or gives it another client id, beside what another serve wrote into
 * the file meanwhile; mode 0600. -1 (ERR_OUTPUT, ERR_USAGE): it is known until
 * this serve ends, and not kept.
 */
int enrolled_add(struct enrolled *e, const char *file, const char *device_id,
		 const char *client_id, int64_t now_ms, struct error *err);

#endif
