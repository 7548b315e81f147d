/* SPDX-License-Identifier: MIT */
/*
 * What each finding is: the rows of diag/codes.h, and the explanations of
 * diag/findings/ (a file a letter), which are part of the program and read only
 * when one is asked for.
 */
#ifndef DIAG_CODEBOOK_H
#define DIAG_CODEBOOK_H

#include "base/json.h"
#include "diag/codes.h"

struct finding_row {
	const char *code; /* "D106" */
	enum severity severity;
	const char *title; /* English, at most 56 columns */
};

const struct finding_row *finding_row(enum diag_code code);
/* By "D106" or "d106"; -1: there is none. */
int finding_by_name(const char *name);
/* The code that was meant by a wrong one; NULL: none is near. */
const char *finding_nearest(const char *name);
/* "note", "warning", "error". */
const char *severity_name(enum severity s);

enum explain_part {
	EXPLAIN_LOOKS, /* to the user, and on the wire */
	EXPLAIN_WHY,
	EXPLAIN_VERSIONS, /* since, until */
	EXPLAIN_HITS, /* whom */
	EXPLAIN_FIRMWARE, /* what it can do; so with the next two */
	EXPLAIN_BACKEND,
	EXPLAIN_OPERATOR,
	EXPLAIN_SOURCE,
	EXPLAIN_PLANT, /* how to see it */
	EXPLAIN_PARTS
};

enum explain_language { EXPLAIN_ENGLISH, EXPLAIN_CHINESE };

struct explanation {
	const struct finding_row *row;
	enum explain_language language;
	const char *title; /* in that language; so with the rest */
	const char *part[EXPLAIN_PARTS]; /* NULL: there is nothing to say */
	cJSON *entry; /* which holds them; owned */
};

void explanation_read(struct explanation *out, enum diag_code code,
		      enum explain_language language);
void explanation_done(struct explanation *e);

/* "looks", as in JSON; what stands before it in a text of that language. */
const char *explain_part_name(enum explain_part part);
const char *explain_part_label(enum explain_part part,
			       enum explain_language language);
const char *severity_label(enum severity s, enum explain_language language);

#endif
