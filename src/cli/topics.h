/* SPDX-License-Identifier: MIT */
/*
 * Help topics: a table. Each writes text in the format of cli/manual.h,
 * for the terminal and for its man page.
 */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include "base/buf.h"

struct topic {
	const char *name, *brief;
	char page; /* the section of its man page, mcpctl-NAME(7); 0: it has none */
	const char *section; /* then it is this one of mcpctl(1) */
	void (*write)(struct buf *out);
};

/* In the order of help; ends with name NULL. */
extern const struct topic topics[];

/* By name; NULL. */
const struct topic *topic_find(const char *name);

#endif
