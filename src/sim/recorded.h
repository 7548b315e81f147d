/* SPDX-License-Identifier: MIT */
/*
 * What a real board answered once, byte for byte (profile members 'replies' and
 * 'says'; `mcpctl clone` writes them): a request is answered with what the same
 * was answered with, the second time with the second answer, and so on; behind
 * the last one that stays. Params are the same by value, whatever their
 * progress token; of initialize and ping they do not count.
 */
#ifndef SIM_RECORDED_H
#define SIM_RECORDED_H

#include "base/map.h"
#include "sim/profile_reader.h"

struct pretend;

#define RECORDED_ID "${id}" /* in a reply: the id of the request */
#define RECORDED_MAX 1000000 /* replies of a profile */

struct recorded_reply {
	const char *method;
	const cJSON *params; /* NULL: none */
	const char *text; /* with RECORDED_ID; lent by the profile's tree */
	int64_t delay_ms;
	bool frame; /* text is a whole frame, not a JSON-RPC message */
	/* to the same request; last: of the first one of them */
	struct recorded_reply *next, *last;
	size_t first; /* the index of the first one of them */
};

struct recorded {
	struct recorded_reply **reply; /* each owned */
	size_t count, capacity;
	struct map by_request; /* the first ones */
	const char *hello; /* what the board says of itself; NULL */
};
void recorded_done(struct recorded *r);

/* Read an element of 'replies'; the tree must outlive r. -1: reader_fail. */
int recorded_add(struct recorded *r, struct reader *reader,
		 const cJSON *element);

/*
 * What that request is answered with; NULL: it was never recorded. *given says
 * how often each was answered by this device: made when it is NULL, the
 * caller's (mem_free).
 */
const struct recorded_reply *
recorded_find(const struct recorded *r, uint32_t **given, const cJSON *request);
/* Its text for that request, id included. */
void recorded_text(const struct recorded_reply *reply, const cJSON *request,
		   struct buf *out);

/* What a pretend device answers where a profile has recorded answers. */

/*
 * As it was recorded; a call that was not gets an error that says so. False: it
 * is for the firmware to answer (another method, a notification).
 */
bool pretend_answer_recorded(struct pretend *d, const cJSON *payload);

#endif
