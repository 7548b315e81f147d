/* SPDX-License-Identifier: MIT */
/*
 * The one error type. A function that can fail returns 0 or -1 and takes
 * `struct error *err` last. The text is written once, where the cause is
 * known: no capital, no full stop, what failed first, subject in quotes.
 * Only main and the shell show errors; nothing logs them on the way.
 *
 * Text that a peer sent may stand in text, hint and detail: whoever shows
 * them makes them safe for the terminal (base/text.h).
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>

#include "base/base.h"

/* The values are the exit statuses. */
enum error_kind {
	ERR_NONE = 0,
	ERR_PEER = 1, /* the peer answered with an error, or isError */
	ERR_USAGE = 2, /* usage, or arguments that do not fit the schema */
	ERR_CONNECT = 3, /* cannot connect, no device, lost, no MCP */
	ERR_TIMEOUT = 4, /* time over */
	ERR_PROTOCOL = 5, /* the peer broke the protocol */
	ERR_AUTH = 6, /* refused: credentials */
	ERR_UNMET = 7, /* an expectation was not met, nothing found */
	ERR_OUTPUT = 8, /* output could not be written */
	ERR_INTERRUPTED = 130 /* Ctrl-C (128 + SIGINT) */
};

struct error {
	enum error_kind kind;
	int code; /* JSON-RPC code, HTTP status or errno; 0 if none */
	bool has_code; /* firmware up to 2.4.2 sends errors without one */
	int reason; /* which one of net/why.h; 0: none of those */
	char finding[5]; /* "N102": what mcpctl explain tells of; "": nothing */
	int64_t retry_after; /* ms that the peer asked to wait; 0: it did not */
	char text[512];
	char hint[512]; /* what the user can do next; "" if nothing */
	char *detail; /* a frame, a usage, a list, of several lines; or NULL */
};

/*
 * Set kind and text; hint, code, finding and detail are cleared. Always returns -1.
 * err may be NULL here and below; arguments may be parts of *err itself.
 */
int error_set(struct error *err, enum error_kind kind, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Add to an error that is set. Each returns -1: it can end a function. */
int error_hint(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);
int error_code(struct error *err, int code);
int error_reason(struct error *err, int reason);
int error_retry_after(struct error *err, int64_t ms);
/* NULL, or what is no code: none. */
int error_finding(struct error *err, const char *code);
/* "TEXT", or "TEXT (N102)" where it has a finding; yours. */
char *error_headline(const struct error *err);
/* "HEADLINE; HINT" in one line, for who has no other place for a hint; yours. */
char *error_line(const struct error *err);
/* A copy of text, up to a NUL, cut at 64 kB. */
int error_detail(struct error *err, const char *text, size_t len);

/* Of failures that were summed up, one: "NAME: HEADLINE" as detail, and its hint. */
int error_one_of(struct error *err, const char *name, const struct error *one);

/* Put text in front: "PREFIX: TEXT". */
int error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Releases detail; kind becomes ERR_NONE. */
void error_reset(struct error *err);
/* to is released first: it must be set or zeroed. */
void error_copy(struct error *to, const struct error *from);

/*
 * The exit status: 0 for ERR_NONE; of a signal (ERR_INTERRUPTED) 128 and its
 * number, but of SIGPIPE that of ERR_OUTPUT.
 */
int error_status(const struct error *err);
/* The status as a word for JSON: "usage", "timeout", … */
const char *error_kind_name(enum error_kind kind);

#endif
