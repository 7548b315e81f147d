/* SPDX-License-Identifier: MIT */
/*
 * Help topics: a table. Each writes text in the format of cli/generate_man.h,
 * for the terminal and, as a section, for the man page.
 */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "base/buf.h"

struct topic {
	const char *name, *brief;
	const char *section; /* of the man page */
	void (*write)(struct buf *out);
};

/* In the order of help; ends with name NULL. */
extern const struct topic topics[];

/* By name; NULL. */
const struct topic *topic_find(const char *name);

#endif
