/* SPDX-License-Identifier: MIT */
/*
 * The files of a profile: its own, and those that it extends, one after
 * another. Devices and services have them alike.
 */
#ifndef SIM_PROFILE_CHAIN_H
#define SIM_PROFILE_CHAIN_H

#include "base/json.h"

#define PROFILE_EXTENDS_MAX 8
#define PROFILE_FILE_MAX (8u << 20) /* bytes */

/* One file of the chain; the first extends the second, and so on. */
struct profile_part {
	char *file;
	cJSON *tree;
};

/* Starts zeroed. */
struct profile_chain {
	struct profile_part part[PROFILE_EXTENDS_MAX];
	size_t count;
};
void profile_chain_done(struct profile_chain *c);

/*
 * Read a profile by name or path, or begin with a text that came from file,
 * and follow what it extends. -1 (ERR_USAGE): there is none, or it is no JSON.
 */
int profile_chain_read(struct profile_chain *c, const char *name,
		       struct error *err);
int profile_chain_parse(struct profile_chain *c, const char *text, size_t len,
			const char *file, struct error *err);

/* One file without what it extends; yours. NULL: there is none, or it is no JSON. */
cJSON *profile_alone(const char *name);

/* The files are of that kind, all: "device" or "service" (ERR_USAGE). */
int profile_chain_kind(const struct profile_chain *c, const char *kind,
		       struct error *err);

#endif
