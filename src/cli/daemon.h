/* SPDX-License-Identifier: MIT */
/*
 * Going to the background, and the file that names the process there.
 */
#ifndef CLI_DAEMON_H
#define CLI_DAEMON_H

#include "base/error.h"

struct daemon {
	int pipe; /* to the one who waits for daemon_ready; -1: none */
};

/*
 * Before any loop exists. 1: this is the process that was started, *status is
 * what it has to end with: 0 once the other one is ready, else that one's
 * status, which has told why. 0: this is the other one, in a session of its
 * own. -1 (ERR_CONNECT): no process.
 */
int daemon_fork(struct daemon *d, int *status, struct error *err);

/* Who waits for daemon_ready has ended (Ctrl-C reaches only that one). */
bool daemon_is_abandoned(const struct daemon *d);

/* It serves: the process that was started may end. The folder becomes "/". */
void daemon_ready(struct daemon *d);

/*
 * A pid file, ours while we hold its lock (flock), which ends with the process:
 * a number in it proves nothing, since another process may have it by now.
 */
struct pidfile {
	const char *path; /* lent; NULL: none is held */
	int fd;
};
/*
 * Take it, empty as yet. Behind daemon_fork, which closes what is open. -1
 * (ERR_CONNECT): another process holds it; ERR_USAGE: it is something else;
 * ERR_OUTPUT.
 */
int pidfile_take(struct pidfile *p, const char *path, struct error *err);
/* Our process id, in one write. -1 (ERR_OUTPUT). */
int pidfile_write(struct pidfile *p, struct error *err);
/* Removes it, if it is held and its name is still that of ours. */
void pidfile_remove(struct pidfile *p);

/* An absolute path to the same file; yours. NULL stays NULL. */
char *daemon_path(const char *path);

#endif
