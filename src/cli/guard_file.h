/* SPDX-License-Identifier: MIT */
/*
 * The circuit breaker of one target, and its file: small, replaced as a whole,
 * and not believed further than its numbers make sense. Decides nothing.
 */
#ifndef CLI_GUARD_FILE_H
#define CLI_GUARD_FILE_H

#include "mcp/guard.h"

struct guard_file {
	char *target; /* stands in the file; without secrets */
	struct breaker breaker;
	char *method; /* that failed last; NULL; owned, as why */
	char *why; /* in words */
	char *path; /* NULL: in memory only */
	char *lock_path; /* one for all targets */
	int lock; /* while it is begun; -1: another one keeps it for too long */
};

/* In memory, until it is kept. */
void guard_file_init(struct guard_file *f, const char *target);
void guard_file_done(struct guard_file *f);
/* From now on in the state folder, which is made. -1 as state_file. */
int guard_file_keep(struct guard_file *f, struct error *err);

/*
 * A change: begin reads what is there (the breaker's figures stay), locked
 * until end, which writes it if changed. A closed breaker without failures has
 * no file. begin -1 (ERR_USAGE): what is there is none of ours: it counts as
 * closed; end is called all the same. end -1 (ERR_OUTPUT): it was not written.
 */
int guard_file_begin(struct guard_file *f, struct error *err);
int guard_file_end(struct guard_file *f, bool changed, struct error *err);

#endif
