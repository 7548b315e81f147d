/* SPDX-License-Identifier: MIT */
/*
 * Nobody came: which step is the first that is missing? Judged from what came,
 * for listen: and for serve --wait alike; who got furthest tells how far. A
 * table, as net/why is one.
 */
#ifndef DIAG_ARRIVAL_H
#define DIAG_ARRIVAL_H

#include "net/port.h"

struct arrival {
	const struct port_facts *port; /* lent */
	const char *ota_url; /* the address to set; lent */
	/* What only serve knows, which waits for a board that is ready; owned. */
	bool serves;
	int64_t waited; /* ms */
	bool mqtt; /* OTA sends boards to a broker */
	bool connected, hello;
	char *who; /* who got so far, last; NULL */
	char *failed, *refused; /* "ID: why" of the last one; NULL */
	char *hint; /* of that; NULL */
	char *broker, *broker_hint; /* why there is none now; NULL */
};

/* Pure. -1 (ERR_CONNECT) with a hint; 0: one was let in by listen:, err stays. */
int arrival_explain(const struct arrival *a, struct error *err);
void arrival_done(struct arrival *a);

/* The first row whose facts are all there; the last one needs none. */
struct arrival_row {
	unsigned needs; /* bits */
	const char *text, *hint; /* filled by text_fill of base/text.h */
	const char *finding; /* its code (diag/codes.h); NULL */
};
/* For tests. */
const struct arrival_row *arrival_rows(size_t *count);

#endif
