/* SPDX-License-Identifier: MIT */
/*
 * What a server is told that asks what nobody here can answer, although it was
 * told that it may ask: a session that many commands share is opened before it
 * is known who they are (serve/held). True in every case: nobody chose
 * (elicitation: "cancel"), no folder was offered (roots: none), nobody samples
 * (an error). Pure.
 */
#ifndef MCP_UNANSWERED_H
#define MCP_UNANSWERED_H

#include "base/buf.h"

struct unanswered {
	const char *result; /* JSON text, static; NULL: it is an error */
	int code;
	const char *words; /* static; NULL: the method is not known */
};
struct unanswered unanswered_find(const char *method);

/* The JSON-RPC reply to that method, appended; id is the raw token. */
void unanswered_reply(struct buf *out, const char *id, const char *method);

#endif
