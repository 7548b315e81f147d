/* SPDX-License-Identifier: MIT */
/*
 * A small process beside this one, forked before there are threads, raised
 * limits and fences (base/fence.h). It starts the programs that the user
 * named, as the user would run them: base/child.h asks it. It opens files
 * again whose names it was told early, so that they need no hole in a fence.
 *
 * After spawner_seal it believes this process no more: it starts only what was
 * allowed before, with its own environment and MCPCTL_… settings, and signals
 * only what it started. When this process ends, however that happens, it ends
 * what still runs (SIGTERM to each group, SIGKILL half a second later), and
 * itself.
 *
 * There is one in a process, or none: then child.h starts programs itself, and
 * all of this does nothing. Files: spawner.c (this side), spawner_message.c
 * (what goes between them), spawner_helper.c (the other process).
 */
#ifndef BASE_SPAWNER_H
#define BASE_SPAWNER_H

#include "base/error.h"
#include "base/loop.h"

/* Where a process is refused (EAGAIN), here or there. */
#define SPAWNER_FULL_HINT                                \
	"this user, or its container, may have no more " \
	"processes: 'ulimit -u' tells how many"

/*
 * Fork it; there may be no thread and no loop yet. away: its folder, and that
 * of what it starts, is "/". -1 (ERR_CONNECT): no process, no descriptor.
 */
int spawner_open(bool away, struct error *err);
bool spawner_is_open(void);
/* It ended before its time: nothing can be started any more. */
bool spawner_is_lost(void);
/* The parent of what is started: that process, or this one. */
int spawner_parent(void);
/* At the end, when there are no children: waits for it. Nothing is open: fine. */
void spawner_close(void);

/*
 * Once it is sealed, programs start whose first words are these, NULL-terminated,
 * with up to `more` words behind. rules: the fences that they get, as in
 * base/fence.h; NULL: none, and they run as this process did at first.
 */
void spawner_allow(const char *const *argv, unsigned more,
		   const char *const *rules);
/* file_open (base/file.h) of this path and these flags will be done there. */
void spawner_keep(const char *path, int flags);
void spawner_seal(void);

/* ---- for base/child.c ---- */

struct spawned { /* zeroed at first */
	uint32_t id; /* 0: it does not run */
	int pid;
	/* From the loop, once: the status, or the signal that ended it. */
	void (*ended)(void *owner, int64_t status, int number);
	void *owner;
	bool over, told;
	int64_t status;
	int number;
	struct spawned *next;
};

struct spawner_program {
	char *const *argv;
	char *const *env; /* all of it */
	const char *cwd; /* NULL: the helper's */
	int fd[3]; /* lent; -1: /dev/null */
	bool same_group; /* else it gets a session of its own */
};

/* 0, or -errno; EPERM: sealed, and not allowed. */
int spawner_start(struct spawned *out, struct loop *l,
		  const struct spawner_program *p);
/* To it, or its group: never to another process that got its number later. */
void spawned_signal(const struct spawned *s, int number, bool group);
/* No event any more. It runs on if it runs. */
void spawned_release(struct spawned *s);

#endif
