/* SPDX-License-Identifier: MIT */
/*
 * What goes between a process and its spawner: messages of one size, on a
 * SOCK_SEQPACKET pair; descriptors with them; lists of words in a memory file,
 * since environments are larger than packets. For the spawner's files only.
 */
#ifndef BASE_SPAWNER_MESSAGE_H
#define BASE_SPAWNER_MESSAGE_H

#include "base/spawner.h"
#include "base/split.h"

enum spawner_op {
	/* to the helper */
	SPAWNER_ALLOW, /* lists: argv, rules; number: more; flag FENCED */
	SPAWNER_KEEP, /* lists: path; number: flags of open */
	SPAWNER_SEAL,
	SPAWNER_START, /* lists: argv, env, cwd; then the descriptors of `streams` */
	SPAWNER_SIGNAL, /* number; group */
	SPAWNER_FORGET,
	SPAWNER_OPEN, /* id: which of those kept */
	/* from it */
	SPAWNER_STARTED, /* number: process id, or -errno */
	SPAWNER_OPENED, /* a descriptor; or number: -errno */
	SPAWNER_ENDED /* number: status; flags: signal */
};

#define SPAWNER_LISTS 3
#define SPAWNER_FDS 4
/* Bytes of all lists: the kernel starts nothing with more than 6 MB. */
#define SPAWNER_LISTS_MAX ((size_t)8 << 20)

struct spawner_message {
	uint32_t op, id;
	int32_t number;
	uint32_t signal;
	uint32_t count[SPAWNER_LISTS]; /* of words in the memory file */
	uint32_t streams; /* bit n: descriptor n comes along, else /dev/null */
	bool group, same_group, fenced;
};

struct spawner_fds {
	int fd[SPAWNER_FDS];
	size_t count;
};

/* 0, or -errno. It waits as long as it takes. */
int spawner_send(int socket, const struct spawner_message *m,
		 const struct spawner_fds *fds);
/*
 * 1: a message, its descriptors are yours, close-on-exec. 0: nothing now (only
 * without `wait`). -1: the other side is gone.
 */
int spawner_receive(int socket, struct spawner_message *m,
		    struct spawner_fds *fds, bool wait);
void spawner_fds_close(struct spawner_fds *fds);

/*
 * A memory file of these lists (each NULL-terminated, or NULL), or -errno
 * (E2BIG: above SPAWNER_LISTS_MAX).
 */
int spawner_pack(struct spawner_message *m,
		 char *const *const lists[SPAWNER_LISTS]);
/*
 * The lists of m out of it; they are overwritten, and yours. False: it is none,
 * or too large.
 */
bool spawner_unpack(struct words lists[SPAWNER_LISTS],
		    const struct spawner_message *m, int fd);

#endif
