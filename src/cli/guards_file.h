/* SPDX-License-Identifier: MIT */
/*
 * The state of a circuit breaker in a file, one for each target, in the state
 * folder: shared by all commands that run at the same time.
 */
#ifndef CLI_GUARDS_FILE_H
#define CLI_GUARDS_FILE_H

#include "mcp/breaker.h"

/* What is known of one target. */
struct guards_record {
	struct breaker breaker;
	char *method; /* that failed last; NULL; owned, as why */
	char *why; /* in words */
};
void guards_record_done(struct guards_record *r);

struct guards_file {
	char *path; /* NULL: closed */
	char *lock_path; /* one for all targets */
	char *target; /* stands in the file; without secrets */
	int lock; /* while it is begun; -1: another one keeps it for too long */
};

/* Names the file and makes its folder. -1 as state_file. */
int guards_file_open(struct guards_file *out, const char *target,
		     struct error *err);
void guards_file_close(struct guards_file *f);

/*
 * A change: begin reads what is there into r (the breaker's figures stay),
 * locked until end, which writes r (NULL: nothing changed). A closed breaker
 * without failures has no file. begin -1 (ERR_USAGE): what is there is none of ours: r is closed;
 * end is called all the same. end -1 (ERR_OUTPUT): it was not written.
 */
int guards_file_begin(struct guards_file *f, struct guards_record *r,
		      struct error *err);
int guards_file_end(struct guards_file *f, const struct guards_record *r,
		    struct error *err);

#endif
