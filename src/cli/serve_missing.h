/* SPDX-License-Identifier: MIT */
/*
 * serve --exec --wait, and nobody was ready: how far the furthest one got, and
 * which step is missing.
 */
#ifndef CLI_SERVE_MISSING_H
#define CLI_SERVE_MISSING_H

#include "base/error.h"

struct record;

struct serve_missing {
	bool came, browser, ota, mqtt, connected, hello;
	char *failed, *refused; /* "ID: why" of the last one, or NULL */
	char *hint; /* of that record */
	char *broker; /* why there is none now; NULL */
	char *broker_hint;
	char *who; /* who got furthest, last; NULL */
};

/* Each record that was taken, shown or not. */
void serve_missing_note(struct serve_missing *m, const struct record *record);

/* Always -1: ERR_CONNECT. waited: ms. */
int serve_missing_explain(const struct serve_missing *m, int64_t waited,
			  struct error *err);
void serve_missing_done(struct serve_missing *m);

#endif
