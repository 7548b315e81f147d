/* SPDX-License-Identifier: MIT */
/*
 * Which token a device must show, from a file: a line "TOKEN" is for all, a
 * line "DEVICE TOKEN" for one; # begins a comment. DEVICE is a Device-Id; a
 * client id only for devices that send no Device-Id (serve/board_id.h). A token
 * that has a space, as "Basic xyz", follows a DEVICE or "*". A device with a
 * line of its own comes with that token only.
 */
#ifndef SERVE_TOKENS_H
#define SERVE_TOKENS_H

#include "base/error.h"

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

enum token_verdict {
	TOKEN_FITS, /* also if there are no tokens */
	TOKEN_MISSING,
	TOKEN_WRONG,
	TOKEN_OF_ANOTHER /* right, and of another device: what it showed was copied */
};
/* Whether the device may come with what it gave ("Bearer X", X, NULL): in constant time. */
enum token_verdict tokens_judge(const struct tokens *t, const char *device_id,
				const char *client_id, const char *given);
/* The one to give it in the OTA reply; NULL: none. */
const char *tokens_for(const struct tokens *t, const char *device_id,
		       const char *client_id);

#endif
