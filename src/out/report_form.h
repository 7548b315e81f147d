/* SPDX-License-Identifier: MIT */
/*
 * The cases of a report, and the functions that write them. For report*.c.
 */
#ifndef OUT_REPORT_FORM_H
#define OUT_REPORT_FORM_H

#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"

struct kept_case { /* without secrets */
	char *source, *name;
	size_t line;
	int64_t took_us;
	struct error failure; /* ERR_NONE: it was good */
	char *skipped; /* NULL: it ran */
};

struct report_cases {
	char *suite;
	struct kept_case *item;
	size_t count, capacity;
};

void report_write_junit(const struct report_cases *cases, FILE *out);
void report_write_tap(const struct report_cases *cases, FILE *out);

/* Text for an attribute or an element: escaped, without characters that XML
   1.0 forbids. */
void xml_text(struct buf *out, const char *text);

#endif
