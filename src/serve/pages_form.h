/* SPDX-License-Identifier: MIT */
/*
 * A tool as a form: its fields from the schema, and what came back as the
 * arguments of a call. Pure. A field for each argument: a choice for an enum and
 * for true or false, a number with its range, a line for a text, JSON for the
 * rest.
 */
#ifndef SERVE_PAGES_FORM_H
#define SERVE_PAGES_FORM_H

#include "mcp/types.h"

#define PAGES_FIELDS_MAX \
	64 /* arguments; those beyond are said to be left out */

/* Of a page: then there are no more forms, and no more choices in one. */
#define PAGES_TOOLS_BYTES ((size_t)2 << 20)

/* Where the form goes, and what comes back with it. */
struct pages_form_place {
	const char *action; /* path */
	const char *list; /* which list of tools it was made from */
	const char *seal; /* see serve/pages_access.h */
};
void pages_form_add(struct buf *out, const struct tool *t,
		    const struct pages_form_place *at);

/* What came back; starts zeroed. */
struct pages_given {
	char *tool, *list, *seal; /* owned; NULL */
	bool sure;
	char *value[PAGES_FIELDS_MAX]; /* in the order of the form; NULL */
};
void pages_given_done(struct pages_given *g);
/* A front_form_field; owner: struct pages_given. */
void pages_given_take(void *owner, const char *name, const char *filename,
		      const char *type, const char *data, size_t len);

/*
 * The arguments as JSON, checked against the schema, appended. -1 (ERR_USAGE):
 * which one, and what is wrong.
 */
int pages_form_arguments(struct buf *out, const struct tool *t,
			 const struct pages_given *g, struct error *err);

#endif
