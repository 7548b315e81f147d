/* SPDX-License-Identifier: MIT */
/*
 * What targets --scan found: a list, its columns, and how it is shown (out/render's
 * neighbour). For cli/scan and cli/scan_watch.
 */
#ifndef CLI_SCAN_LIST_H
#define CLI_SCAN_LIST_H

#include "cli/app.h"
#include "cli/named.h"

struct probe_place;

/* A serve that has its socket, and is not heard. */
#define SCAN_SILENT "does not answer: it may be busy, or stopped"

struct scanned { /* owned, but kind */
	const char *kind;
	char *name, *peer, *source, *command, *problem;
	char *socket; /* of a serve */
	bool dials; /* it is asked for initialize */
	bool guessed; /* nobody said that it is there: shown if it answers */
	bool hidden; /* it did not */
	bool fails; /* problem says how; the command would, too */
	bool refused; /* … nobody listens there */
	bool told, told_fails; /* --watch: it was shown; as one that fails */
	int64_t since; /* of a broker: when it came; a later one is another */
	unsigned missed; /* looks in which it was not there */
	int64_t ask_at, pause; /* --watch: asked again then; 0: not tried yet */
	const struct probe_place *place; /* which was probed; NULL */
};

struct scan_list {
	struct app *app;
	const struct named_search *search;
	struct scanned *item;
	size_t count, capacity;
	size_t answered; /* serves, and others that are MCP servers */
	size_t announced;
	size_t name_width, command_width;
	const char *change; /* what happened to them: --watch; NULL */
};

void scan_one_done(struct scanned *one);
void scan_list_done(struct scan_list *s);
/* A copy of *one; what it owns is the list's then. */
void scan_list_add(struct scan_list *s, const struct scanned *one);
/* Makes the columns as wide as what is shown needs; never narrower. */
void scan_list_measure(struct scan_list *s);
/* A line, or a record, for each that is not hidden. */
void scan_list_show(const struct scan_list *s);

#endif
