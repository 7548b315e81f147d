/* SPDX-License-Identifier: MIT */
/*
 * -o table: lines of the JSON form as rows, some of their members as columns,
 * fitted to the terminal when all are there.
 */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include "out/render.h"

#define TABLE_FIELDS_MAX 32

struct table;

/*
 * fields: names with commas between, "findings.error" for a member of a
 * member; each begins with one of heads (spaces between). -1 (ERR_USAGE): which
 * does not, and the list. all: lines are those of --all, where a field may be
 * the device's own ("id"), "value" or "error". groups: devices with equal
 * values are one row.
 */
struct table_how {
	const char *fields, *heads;
	/* what a device is called; lent by it */
	const char *(*name)(const cJSON *device);
	bool all, groups;
};
int table_new(struct table **out, const struct table_how *how,
	      struct error *err);
void table_free(struct table *t);

/* A line, copied. value: device_record.value. */
void table_add(struct table *t, struct span line, struct span value);

/*
 * All rows, to stdout; then it is empty. -1 (ERR_UNMET): there were too many to
 * be kept, and the rest is missing.
 */
int table_show(struct table *t, struct renderer *r, struct error *err);

#endif
