/* SPDX-License-Identifier: MIT */
/*
 * What was asked of the devices of a run, and what became of it: requests and
 * calls that came, were answered, refused, or never answered; tools that were
 * never listed. Pure. The devices count, whoever runs them reads.
 */
#ifndef SIM_COUNTS_H
#define SIM_COUNTS_H

#include "mcp/firmware.h"

#define SAMPLES_MAX 65536 /* kept of a series, evenly spread over its time */

/* Times, to be sorted at the end. */
struct samples {
	int32_t *value;
	size_t count, capacity;
	uint64_t seen;
	uint64_t every; /* one of so many is kept; 0: 1 */
};

void samples_add(struct samples *s, int64_t value);
/* The value that p percent do not pass; -1 if there is none. Sorts. */
int64_t samples_percentile(struct samples *s, unsigned p);
void samples_done(struct samples *s);

/* Unanswered is what came and is neither answered nor refused. */
struct asked_counts {
	uint64_t came;
	uint64_t answered; /* with a result */
	uint64_t refused; /* with an error */
};
uint64_t asked_unanswered(const struct asked_counts *a);

struct counts {
	const struct firmware_catalog *catalog; /* borrowed */
	/* Of each tool: calls, and connections that did not list it. */
	struct counts_tool {
		struct asked_counts calls;
		uint64_t unlisted;
	} * tool;
	struct asked_counts requests, calls; /* calls are requests, too */
	uint64_t sessions; /* that were begun: a server hello was waited for */
	uint64_t hellos; /* of devices, which went out */
	uint64_t unheard; /* those that no topic is there for (MQTT) */
	/* Devices whose tools were listed to the last page. */
	uint64_t listed_whole;
	struct samples answer_us; /* from a request to its reply */
};

/* Overwrites what is there. */
void counts_init(struct counts *c, const struct firmware_catalog *catalog);
void counts_done(struct counts *c);

/* One request under way. */
struct counted_request {
	bool is_call;
	const struct firmware_tool *tool; /* of a call; NULL: no such tool */
	uint64_t came_ns; /* uv_hrtime */
	uint64_t asker; /* pretend.asker */
};

/* A request came; c may be NULL here and below. */
void counts_came(struct counts *c, const struct counted_request *of);
/* Its reply is on the wire. */
void counts_replied(struct counts *c, const struct counted_request *of,
		    bool is_error, uint64_t now_ns);
/*
 * A connection is over on which tools were listed up to that one (index in the
 * catalog); user_tools: the user-only ones were asked for.
 */
void counts_listed(struct counts *c, size_t up_to, bool user_tools);

#endif
