/* SPDX-License-Identifier: MIT */
/*
 * An upstream that was dialled, and did not do what a board (or a host of MCP)
 * wants of it: at which stage, as a finding where that is sure, and what becomes
 * of it on the other side. What passes is not touched by it.
 */
#ifndef PROXY_STAGE_H
#define PROXY_STAGE_H

#include "net/why.h"
#include "proxy/pair.h"
#include "proxy/talk.h"

/* Who leaves after this has waited for long: a board does for 10 s (device.md 1.3,
   2.1). */
#define STAGE_PATIENCE_MS 9000

struct stage {
	struct why_facts facts; /* in whose words it is told */
	enum diag_code code; /* where they have none that is sure */
	bool sure; /* that code is one */
	const char *then; /* what the other side makes of it */
};

void stage_failed(struct talk *t, const struct stage *s);
/* A code by its name, with what is behind it, if t and that code are any. */
void stage_found(struct talk *t, const char *code, const char *text);
/*
 * The upstream's side stands: what TLS of it came to. A certificate that
 * --insecure alone lets pass is a finding and a warning, with s->then. t NULL:
 * nobody is known yet. Without TLS nothing is told.
 */
void stage_tls(struct proxy *p, struct talk *t, const struct pair *pair,
	       const struct stage *s);
/*
 * Whoever asked left before an answer began. silent: the facts, if that was
 * late. up: the connection to the upstream stood.
 */
void stage_left(struct talk *t, const struct stage *silent, bool up);

#endif
