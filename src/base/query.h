/* SPDX-License-Identifier: MIT */
/*
 * A jq expression, applied to one JSON value after another. libjq cannot be
 * stopped, ends the program where memory is short, and would read files and
 * the environment: so it runs in a process of its own, which has no file, an
 * empty environment, bounded memory, and is killed where its time is over or
 * a signal came. The part 'jq' is loaded at the first query_new.
 */
#ifndef BASE_QUERY_H
#define BASE_QUERY_H

#include "base/buf.h"
#include "base/json.h"

enum {
	QUERY_TEXT_MAX = 65536, /* bytes of an expression */
	QUERY_OUTPUT_MAX = 64 << 20, /* bytes that one value may give */
	QUERY_MEMORY_MAX = 512 << 20 /* bytes of that process */
};

struct query;

/*
 * text is compiled. -1: ERR_USAGE, jq's own words with their position in the
 * detail; ERR_CONNECT: libjq is not there; ERR_OUTPUT: no process.
 */
int query_new(struct query **out, const char *text, struct error *err);
/* NULL is fine. */
void query_free(struct query *q);
/* Lent. */
const char *query_text(const struct query *q);

/* What one value gave: strings decoded, anything else as compact JSON. */
struct query_outputs {
	struct buf text; /* all of them, one behind the other */
	struct query_output {
		size_t at, len; /* in text */
		bool string; /* it was a JSON string */
	} * item;
	size_t count, capacity;
	/* A number of the input has more digits than jq keeps, and one that
	   comes out may be another. */
	bool inexact;
};
void query_outputs_done(struct query_outputs *o);
/* The output is neither false nor null. */
bool query_output_is_true(const struct query_outputs *o, size_t i);

/*
 * value is `.`, line is `$line`: JSON text that was checked. line.text NULL: it
 * is the value. An integer that comes out as it went in keeps its digits. -1,
 * with what came before in *out: ERR_UNMET, the expression failed on this
 * value; ERR_TIMEOUT after timeout ms; ERR_INTERRUPTED, a signal is there (and
 * stays pending for the loop). After the last two, or where it took too much
 * memory, each further run fails at once with the same words.
 */
int query_run(struct query *q, struct span value, struct span line,
	      int64_t timeout, struct query_outputs *out, struct error *err);

#endif
