/* SPDX-License-Identifier: MIT */
/*
 * The report of a script for CI: JUnit XML or TAP, a case for each command.
 * Collected while the script runs, written at its end, also when it failed.
 */
#ifndef OUT_REPORT_H
#define OUT_REPORT_H

#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"

enum report_form { REPORT_JUNIT, REPORT_TAP };

struct report;

/*
 * From "junit:FILE" or "tap:FILE"; FILE "-" is stdout. The file is opened at
 * once, so that a wrong path is known before the first command. suite names
 * the whole. -1: ERR_USAGE (what is wrong with spec), ERR_OUTPUT.
 */
int report_open(struct report **out, const char *spec, const char *suite,
		struct error *err);

bool report_is_on_stdout(const struct report *r);

/*
 * A command that ran. source: "smoke.txt", line within it (0: it has none);
 * failure NULL: it was good. Everything is copied, secrets masked. A case is
 * called by its name alone, whatever its line: a line that is added above
 * leaves the history of the others. Of the same command the second is
 * "name (2)".
 */
struct report_case {
	const char *suite; /* one of its own (a device); NULL: the report's */
	const char *source;
	size_t line;
	const char *name; /* the command line */
	int64_t took_us;
	const struct error *failure;
	const char *skipped; /* why it did not run; NULL: it did */
};
void report_add(struct report *r, const struct report_case *c);

/* Write to a stream of the caller's, in either form. */
void report_write(const struct report *r, FILE *out);

/* Write it and release. NULL is fine. -1 (ERR_OUTPUT). */
int report_close(struct report *r, struct error *err);

/* Release without writing: nothing was run. */
void report_drop(struct report *r);

struct kept_case { /* without secrets */
	char *source, *name;
	size_t suite; /* of report_cases; 0: the report's */
	size_t line, nth; /* of those with that source and name; from 1 */
	int64_t took_us;
	struct error failure; /* ERR_NONE: it was good */
	char *skipped; /* NULL: it ran */
};

struct report_cases {
	char **suite; /* the report's first */
	size_t suites, suite_capacity;
	struct kept_case *item;
	size_t count, capacity;
};

/* Text for an attribute or an element: escaped, without characters that XML
   1.0 forbids. */
void xml_text(struct buf *out, const char *text);

#endif
