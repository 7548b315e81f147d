/* SPDX-License-Identifier: MIT */
/*
 * The state of a circuit breaker in a file, one for each target, in the state
 * folder: shared by all commands that run at the same time.
 */
#ifndef CLI_GUARDING_FILE_H
#define CLI_GUARDING_FILE_H

#include "mcp/breaker.h"

/* What is known of one target. */
struct guarding_record {
	struct breaker breaker;
	char *method; /* that failed last; NULL; owned, as why */
	char *why; /* in words */
};
void guarding_record_done(struct guarding_record *r);

struct guarding_file {
	char *path; /* NULL: closed */
	char *lock_path; /* one for all targets */
	char *target; /* stands in the file; without secrets */
	int lock; /* while it is begun; -1: another one keeps it for too long */
};

/* Names the file and makes its folder. -1 as state_file. */
int guarding_file_open(struct guarding_file *out, const char *target,
		       struct error *err);
void guarding_file_close(struct guarding_file *f);

/*
 * A change: begin reads what is there into r (the breaker's figures stay),
 * locked until end, which writes r (NULL: nothing changed). A closed breaker
 * without failures has no file. begin -1 (ERR_USAGE): what is there is none of ours: r is closed;
 * end is called all the same. end -1 (ERR_OUTPUT): it was not written.
 */
int guarding_file_begin(struct guarding_file *f, struct guarding_record *r,
			struct error *err);
int guarding_file_end(struct guarding_file *f, const struct guarding_record *r,
		      struct error *err);

#endif
