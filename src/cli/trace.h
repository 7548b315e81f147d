/* SPDX-License-Identifier: MIT */
/*
 * --trace: what this run sees on the wire becomes a capture (capture/writer.h).
 * Connections are numbered as they begin, and named once their device is known.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "diag/diag.h"
#include "rpc/session.h"

struct app;
struct trace_file;

/* Who we are in what comes now. */
struct trace_role {
	const char *as; /* "client", "listen", "serve", "sim", "check" */
	bool device; /* we play the device: what goes out is its own */
	bool audio; /* the bytes of sound are kept, whatever --audio says */
	enum diag_leg leg; /* of what tells none */
};

/*
 * The file that was asked for, if there is one; opened once, whoever records
 * then. -1 (ERR_OUTPUT): it cannot be written.
 */
int trace_begin(struct app *app, const struct trace_role *role,
		struct error *err);
/* These two do nothing without a file. */
void trace_write(struct app *app, const struct trace *t);
/* A finding as JSON; at the connection of its device, if that is known. */
void trace_finding(struct app *app, const char *json, const char *device);

/* That file for reading (capture_reader), yours to close; -1: there is none. */
int trace_reader(const struct app *app);

/* Close; -1 (ERR_OUTPUT) if something was lost. NULL is fine. */
int trace_close(struct trace_file *file, struct error *err);

#endif
