/* SPDX-License-Identifier: MIT */
/*
 * A finding in words and as JSON, for whoever tells it: the terminal, serve's
 * log and its control socket, files of findings, reports.
 */
#ifndef DIAG_FINDING_H
#define DIAG_FINDING_H

#include "base/buf.h"
#include "diag/diag.h"

/* "a request id is used again: id 1 was initialize, answered"; raw. */
/* detail NULL: of the first time. */
void finding_title(struct buf *out, const struct finding *f,
		   const char *detail);
/* "B214 warning  a request id is used again: …"; raw. */
void finding_line(struct buf *out, const struct finding *f);
/*
 * {"code","severity","title","detail","device","count","first_us","last_us",
 * "evidence":[…],"hits","do":{…}}; device NULL: null. Secrets are not masked.
 */
void finding_json(struct buf *out, const struct finding *f, const char *device);
/*
 * The same without hits and do, which everybody knows by the code; detail: of
 * this time, NULL: of the first.
 */
void finding_facts(struct buf *out, const struct finding *f, const char *detail,
		   const char *device);
/* Back from either. -1 (ERR_PROTOCOL): it is none, or of a later version. */
int finding_read(struct finding *out, const cJSON *json, struct error *err);

#endif
