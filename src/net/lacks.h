/* SPDX-License-Identifier: MIT */
/*
 * Who is refused since something is used up: each kind is told once a minute,
 * and at its end how many more there were, so that no stranger can fill a log.
 */
#ifndef NET_LACKS_H
#define NET_LACKS_H

#include "base/loop.h"

#define LACKS_AGAIN_MS 60000

enum lack {
	LACK_FILES,
	LACK_MEMORY,
	LACK_PLACES, /* one that holds a place makes room */
	LACK_TIME, /* it waited with half of what it wants */
	LACK_ALL, /* all places are taken */
	LACK_CONNECTIONS, /* of one address; and so on */
	LACK_BYTES,
	LACK_QUESTIONS,
	LACK_TURN, /* it waited to be passed on (proxy) */
	LACK_KINDS
};

/* Who was not let in, at any port; texts are lent, and may hold what was sent. */
struct front_refusal {
	const char *address; /* of the peer; NULL: of many */
	const char *text;
	const char *hint; /* what would let it in; NULL */
	uint64_t count; /* how many the text tells of */
};

struct counted { /* lines of one kind */
	unsigned told;
	uint64_t more; /* that were not */
};

struct lacks { /* of the last minute */
	struct timer timer;
	struct counted of[LACK_KINDS];
	int64_t again_ms;
	void (*refused)(void *owner, const struct front_refusal *r);
	void *owner;
	void (*closed)(void *owner);
	void *closed_owner;
};
/* Set again_ms, refused (from the loop) and owner before. */
void lacks_open(struct lacks *l, struct loop *loop);
/* Somebody is refused for that. address NULL: it is not known, or of many. */
void lacks_tell(struct lacks *l, enum lack what, const char *address);
/* Of an errno: what is used up is open files. */
bool lack_of_files(int error);
/* What is counted is told now. */
void lacks_end(struct lacks *l);
/* The same, and nothing any more; closed(owner) follows. */
void lacks_close(struct lacks *l, void (*closed)(void *owner), void *owner);

#endif
