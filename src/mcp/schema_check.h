/* SPDX-License-Identifier: MIT */
/*
 * The inside of schema_check, shared by the schema_*.c files only: one walk
 * over schema and value, and one function for each keyword.
 */
#ifndef MCP_SCHEMA_CHECK_H
#define MCP_SCHEMA_CHECK_H

#include "mcp/pattern.h"
#include "mcp/schema.h"

/* Where in the value: a chain on the stack, written out only on a mismatch. */
struct place {
	const struct place *up;
	const char *name; /* NULL: an element */
	size_t index;
	unsigned depth; /* 1 for a member of the whole */
};

struct walk {
	const cJSON *root;
	struct schema_report *report;
	struct pattern pattern;
	unsigned depth;
	size_t steps; /* left */
	bool old_refs; /* $ref hides what stands beside it */
	bool quiet; /* an alternative is tried: the report is not filled */
	unsigned dear; /* patterns that were given up */
	bool given_up; /* too deep or too long: no answer counts any more */
	/* The last mismatch, also of an alternative; depth is its place's. */
	const char *failed;
	unsigned failed_depth;
};

/* What one keyword is asked about. */
struct check {
	struct walk *walk;
	const cJSON *schema, *value;
	const struct place *place; /* NULL: the whole */
};

void walk_init(struct walk *w, const cJSON *root, struct schema_report *report);
void walk_done(struct walk *w);

/* Everything that the schema asks of the value. False: it does not fit. */
bool walk_check(struct walk *w, const cJSON *schema, const cJSON *value,
		const struct place *place);

/* The place of a member or an element (name NULL) of c's value. */
struct place walk_place(const struct check *c, const char *name, size_t index);

/* A visit costs a step; false: given up. */
bool walk_spend(const struct check *c, size_t steps);

/* How many values value holds, itself included. */
size_t walk_count(const cJSON *value);

/* Report. All give false, so that they can end a check. */
bool walk_fail(const struct check *c, const char *keyword, const char *operand);
bool walk_fail_json(const struct check *c, const char *keyword,
		    const cJSON *operand);
/* Of the whole: too deep, too long. */
bool walk_give_up(const struct check *c, const char *why);
/* Gives true: a keyword that is not checked does not refuse. */
bool walk_ignore(const struct check *c, const char *keyword);

/* JSON cut at 200 bytes, at the border of a character. */
void walk_print(struct buf *out, const cJSON *value);

#endif
