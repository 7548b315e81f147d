/* SPDX-License-Identifier: MIT */
/*
 * What the user wants changed in what passes: --set POINTER=JSON, and --fault
 * by the names that sim has. Pure: who relays does what is said here.
 */
#ifndef PROXY_ALTER_H
#define PROXY_ALTER_H

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "proxy/edits.h"

struct alterations; /* of the whole run */

struct alterations *alterations_new(void);
void alterations_free(struct alterations *a); /* NULL is fine */
/* "/payload/result/isError=true". -1 (ERR_USAGE). */
int alterations_set(struct alterations *a, const char *text, struct error *err);
/* "NAME[=VALUE][:TOOL][,…]". -1 (ERR_USAGE): none, or none that a proxy can show. */
int alterations_fault(struct alterations *a, const char *text,
		      struct error *err);

/* NULL is fine. */
bool alterations_any(const struct alterations *a);

/* For help; a row without name ends it. */
struct alter_row {
	const char *name, *brief;
};
extern const struct alter_row alter_rows[];

#define ALTER_ASKED 32
#define ALTER_DROPS 16 /* faults that count replies, of one run */

/* Of one talk; zeroed at first. */
struct alter_state {
	struct {
		int64_t id;
		char tool[64]; /* "" where it was no call */
	} asked[ALTER_ASKED]; /* by the backend; a ring */
	unsigned next;
	unsigned asks;
	uint64_t replies[ALTER_DROPS]; /* of the device, that each counts */
	bool hung;
};

struct altered {
	bool changed; /* out holds what goes on in place of it */
	bool drop; /* nothing goes on */
	bool twice;
	bool cut; /* half of it goes on, then both sides are closed (RST) */
	bool hang; /* from here on nothing goes on from the device, it stays open */
	int64_t after_ms; /* 0: at once; all behind it waits, too */
	const char *fault; /* its name; NULL: only --set */
};

/* What --set changes in JSON that is no message, as an answer to OTA; added. */
void alter_set(const struct alterations *a, struct span text,
	       struct edits *edits);
/* Of one whole message (text). out: appended. */
void alter_message(const struct alterations *a, struct alter_state *s,
		   bool from_device, struct span message, struct buf *out,
		   struct altered *what);

#endif
