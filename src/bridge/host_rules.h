/* SPDX-License-Identifier: MIT */
/*
 * Which programs take a catalogue, and what of it they do not: by the facts of
 * diag/facts (hosts.json), each with its source. Pure. A host that is not known
 * there, or that has changed since, may do otherwise.
 */
#ifndef BRIDGE_HOST_RULES_H
#define BRIDGE_HOST_RULES_H

#include "bridge/catalogue.h"
#include "diag/facts.h"

struct host_verdict {
	const struct host_fact *host;
	size_t tools; /* that it is shown */
	size_t refused; /* of these, by name or schema */
	size_t cut; /* of which it shortens the name */
	size_t above; /* by how many they are more than it takes of all servers */
	bool none; /* one that it refuses costs all of them */
	char *why; /* it does not take the first, raw: "'a.b' has a '.' …"; NULL */
};

struct host_verdicts {
	struct host_verdict *item;
	size_t count;
};

/* server: what the bridge is called in the host's configuration. */
void host_verdicts_find(struct host_verdicts *out,
			const struct bridge_catalogue *c, const char *server);
void host_verdicts_done(struct host_verdicts *v);

/* Whether "NAME/VERSION" of clientInfo (NULL: none) is of a host that reads_json. */
bool host_reads_json(const char *who);

/* "takes all 14 tools", "takes none of 14: …", in one line, raw; appended. */
void host_verdict_words(struct buf *out, const struct host_verdict *v);

#endif
