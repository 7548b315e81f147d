/* SPDX-License-Identifier: MIT */
/*
 * Who knocks at a listening port, how it got there and what it wants: pure
 * functions over the head of a request, for listen: and serve.
 */
#ifndef NET_KNOCK_H
#define NET_KNOCK_H

#include "net/front.h"

/* How the peer reached us: its Host if that is one, else our end of the socket. Lent. */
const char *knock_host(const struct front_head *head);

/* From the header or the query string; yours, NULL if in neither, or empty. */
char *knock_value(const struct front_head *head, const char *name);
/* What it gave as Authorization, or as token in the query string; yours, NULL. */
char *knock_token(const struct front_head *head);
/* Protocol-Version; 0 if not told or no number. */
int knock_protocol_version(const struct front_head *head);

/*
 * Whether `given` ("Bearer T", T, NULL: none) is this token. It takes the same
 * time for all tokens of a length.
 */
bool knock_token_fits(const char *token, const char *given);

/* The same path; a last slash more or less is no other one. */
bool knock_path_fits(const char *wanted, const char *path);
/* The path with its query, but with no secret in it; yours. */
char *knock_safe_path(const struct front_head *head);

/* What a plain HTTP request wants. */
enum knock_wish {
	KNOCK_OTA, /* a board asks, whatever its method */
	KNOCK_ACTIVATE,
	KNOCK_PAGE, /* a browser at / or at the OTA path */
	KNOCK_METHOD, /* neither GET, HEAD nor POST */
	KNOCK_ICON, /* browsers ask for these by themselves */
	KNOCK_OTHER
};
enum knock_wish knock_wish(const struct front_head *head);

/* One sentence about noise; NULL: not worth one. */
const char *knock_noise(enum front_noise what);

/* {"error":TEXT} and a newline, appended. */
void knock_error(struct buf *out, const char *text);

#endif
