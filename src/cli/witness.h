/* SPDX-License-Identifier: MIT */
/*
 * --serial: the logs of boards, beside what passes between them and a backend.
 * Reads the ports, judges their lines (diag/serial_rules), decodes backtraces
 * (--elf), writes lines into the trace. Whoever opens it shows them.
 */
#ifndef CLI_WITNESS_H
#define CLI_WITNESS_H

#include "cli/app.h"
#include "diag/diag.h"

struct witness;

/* All lent. */
struct witness_line {
	size_t port; /* which one of the options, from 0 */
	/* "serial"; "serial/ALIAS"; of many without one "serial/ttyUSB0" */
	const char *name;
	const char *device; /* which board: its id; NULL: not known */
	/* Secrets masked; text NULL: it is no line, note says what. */
	struct span text;
	/* As it came, for a capture, which masks by names; NULL: decoded, no line */
	struct span whole;
	size_t size; /* of it, with what was cut; without its end */
	/* Of text, that it was cut; or what is told of the port; NULL. */
	const char *note;
	bool decoded; /* text is of a backtrace, as addr2line told it */
};

/* From the loop: record, and show it later. */
struct witness_events {
	void (*line)(void *owner, const struct witness_line *l);
	/* Each time; count 1 is the first. l: of which port, no line. */
	void (*found)(void *owner, const struct witness_line *l,
		      const struct finding *f, const char *detail);
};

/*
 * What the options say is read. alias_file: as in serve/aliases.h. *out NULL:
 * there is no --serial. -1 (ERR_USAGE): a place that is none or comes twice, an
 * ELF file that is none, --elf or --reset alone.
 */
int witness_prepare(struct witness **out, struct app *app,
		    const char *alias_file, struct error *err);
/* Of port number i, lent; NULL: there are not so many (w may be NULL). */
const char *witness_name(const struct witness *w, size_t i);
/* Before the spawner is sealed; NULL is fine. */
void witness_keep(const struct witness *w);
/*
 * Every port is open, or -1 (ERR_CONNECT, ERR_USAGE): which is not, and why.
 * alone: there is one board, so a single port is its own.
 */
int witness_open(struct witness *w, bool alone,
		 const struct witness_events *events, void *owner,
		 struct error *err);
/* Whether a finding is to be told this time: starts and ends each are. */
bool witness_is_news(const struct finding *f);
/* A frame that passes; device: as it calls itself; NULL: not known. */
void witness_frame(struct witness *w, const char *device,
		   const struct diag_frame *f);
/* NULL is fine. */
void witness_close(struct witness *w);

#endif
