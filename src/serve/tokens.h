/* SPDX-License-Identifier: MIT */
/*
 * Which token a device must show, from a file: a line "TOKEN" is for all, a
 * line "DEVICE TOKEN" for one; # begins a comment. DEVICE is a Device-Id; a
 * client id only for devices that send no Device-Id (board_id_is). A token
 * that has a space, as "Basic xyz", follows a DEVICE or "*". A device with a
 * line of its own comes with that token only.
 */
#ifndef SERVE_TOKENS_H
#define SERVE_TOKENS_H

#include "base/error.h"
#include "net/port.h"
#include "serve/aliases.h"

struct token {
	char *device; /* NULL: any */
	char *token;
};
struct tokens {
	struct token *item;
	size_t count;
};

/*
 * Read anew; file NULL: the environment variable MCPCTL_TOKEN (one for all),
 * else none. -1 (ERR_USAGE): which file, which line; what was there stays. The
 * old texts are wiped.
 */
int tokens_read(struct tokens *t, const char *file, struct error *err);
void tokens_done(struct tokens *t);

/* Whether the device may come with what it gave ("Bearer X", X, NULL): in constant time. */
enum token_verdict tokens_judge(const struct tokens *t, const char *device_id,
				const char *client_id, const char *given);
/* The one to give it in the OTA reply; NULL: none. */
const char *tokens_for(const struct tokens *t, const char *device_id,
		       const char *client_id);

#define ENROLLED_MAX 4096

struct enrolled_board {
	char *device_id, *client_id; /* client_id "": it sent none */
	int64_t at_ms; /* Unix time */
	bool unkept; /* it stands in no file */
};
struct enrolled {
	struct enrolled_board *item;
	size_t count, capacity;
};

/*
 * Read anew; file NULL, or one that is not there: none, but those that could
 * not be kept. -1 (ERR_USAGE): not readable, not of that form; what was there
 * stays.
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
