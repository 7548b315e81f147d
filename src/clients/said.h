/* SPDX-License-Identifier: MIT */
/*
 * What a client said, taken apart: one JSON-RPC message, or a batch of them where
 * its revision has batches. For whoever answers; pure.
 */
#ifndef CLIENTS_SAID_H
#define CLIENTS_SAID_H

#include "base/json.h"

#define SAID_BATCH_MAX 100 /* messages in one batch */

struct said_all {
	cJSON *tree; /* owned; NULL: it is no JSON */
	struct span text; /* lent */
	bool batch; /* replies go in a list, too */
	size_t count; /* messages; 1 where there is a fault */
	const char *fault; /* of a batch that is none, static; NULL */
	/* how far said_next is */
	const cJSON *next;
	size_t at;
};

/*
 * revision: settled with the client; NULL: none yet. -1 (ERR_PROTOCOL and its
 * like): it is no JSON, err says where. Release in both cases.
 */
int said_read(struct said_all *s, const char *text, size_t len,
	      const char *revision, struct error *err);
/* The messages, one after the other, lent; false: there are no more. */
bool said_next(struct said_all *s, const cJSON **message, struct span *text);
void said_done(struct said_all *s);

/* What is wrong with a message, static; NULL: nothing that JSON-RPC minds. */
const char *said_fault(const cJSON *message);
/* The bytes of its id as they came, yours; NULL: none that MCP allows. */
char *said_id(const cJSON *message, struct span text);

#endif
