/* SPDX-License-Identifier: MIT */
/*
 * What the entries of a file would do, for whoever is asked whether to trust
 * it. All text of the file is made safe, each thing on a line of its own.
 */
#ifndef CLI_NAMED_DESCRIBE_H
#define CLI_NAMED_DESCRIBE_H

#include "base/json.h"

/*
 * Lines for each entry: its name, what it runs or opens, where, what it sets
 * and sends, which variables it reads. Nothing of a program's words is hidden:
 * what looks like a secret could be a program. Nor is anything cut: false, an
 * entry needs more lines than anybody reads, and out is of no use.
 */
bool named_describe(struct buf *out, const cJSON *servers);

/*
 * The same of what differs, "-" before what is gone, "+" before what is new;
 * nothing if that is nothing: comments, order, secrets that are not shown.
 */
bool named_describe_change(struct buf *out, const cJSON *before,
			   const cJSON *now);

#endif
