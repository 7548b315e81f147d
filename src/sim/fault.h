/* SPDX-License-Identifier: MIT */
/*
 * Faults by name, which a pretend device shows on purpose. Here: names, the
 * sets of them, and what they do to a reply. Pure; when something is sent and
 * how a socket is cut is the device's and the socket's matter.
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include "base/split.h"
#include "mcp/firmware.h"

/* The order is that of sim_fault_rows. */
enum fault {
	FAULT_LATE_REPLY,
	FAULT_NO_REPLY,
	FAULT_TWO_REPLIES,
	FAULT_WRONG_ID,
	FAULT_STRING_ID,
	FAULT_NOT_JSON,
	FAULT_CUT_FRAME,
	FAULT_CLOSE_MID_REPLY,
	FAULT_HUGE,
	FAULT_DEEP,
	FAULT_BAD_UTF8,
	FAULT_CONTROL_CHARACTERS,
	FAULT_LOOP_CURSOR,
	FAULT_EMPTY_PAGE,
	FAULT_NO_FEATURES,
	FAULT_NO_HELLO,
	FAULT_LATE_HELLO,
	FAULT_DUPLICATE_TOOL,
	FAULT_NOTIFY_STORM,
	FAULT_BUSY_LOOP,
	FAULT_HANG,
	FAULT_HALF_OPEN,
	FAULT_NO_PONG,
	FAULT_UPGRADE_NEVER,
	FAULT_UPGRADE_DIES,
	FAULT_UPGRADE_BACK,
	FAULT_UPGRADE_LOOPS,
	FAULT_COUNT
};

struct fault_set {
	uint32_t bits; /* 1 << enum fault */
	int64_t reply_late_ms; /* late-reply */
	int64_t hello_late_ms; /* late-hello */
	int64_t busy_ms; /* busy-loop */
	int64_t storm; /* notify-storm: how many */
	int64_t huge; /* huge: bytes of the text */
};

/* Faults of a fleet: for all, or for the N-th device. */
struct fault_plan {
	struct fault_item {
		uint64_t device; /* from 1; 0: all */
		enum fault fault;
		int64_t amount; /* ms, a count, bytes; -1: not given */
	} * item;
	size_t count, capacity;
};

/*
 * Add "NAME[=VALUE][,…]", each with "N:" in front for the N-th of so many
 * devices. -1 (ERR_USAGE): unknown (nearest proposed), a value where none is
 * taken, no such device, …
 */
int fault_plan_add(struct fault_plan *p, const char *text, int64_t devices,
		   struct error *err);
void fault_plan_done(struct fault_plan *p);
/* -1 (ERR_USAGE): one that does nothing where answers, or the hello, are recorded. */
int fault_plan_check(const struct fault_plan *p, bool recorded_answers,
		     bool recorded_hello, struct error *err);
/* What the device of that number shows. */
void fault_plan_for(const struct fault_plan *p, uint64_t device,
		    struct fault_set *out);

bool fault_has(const struct fault_set *f, enum fault which);

/*
 * The payload of a reply, bent by the faults that concern its method. Sending
 * it late, twice, cut or never is not done here.
 */
void fault_encode(const struct fault_set *f, const struct firmware_reply *r,
		  enum firmware_dialect dialect, struct buf *out);
/* not-json: the whole frame that goes out instead. */
const char *fault_no_json(void);

#endif
