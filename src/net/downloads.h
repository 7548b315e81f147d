/* SPDX-License-Identifier: MIT */
/*
 * Files that boards fetch from a port of ours: each board has an address of its
 * own, which is a secret, so that it is known who has how much; all of them are
 * served from one mapping of one file.
 */
#ifndef NET_DOWNLOADS_H
#define NET_DOWNLOADS_H

#include "net/passes.h"
#include "net/port.h"

#define DOWNLOAD_PATH "/download/"

/* A file in memory, for as long as one holds it. */
struct mapping {
	void *memory;
	const char *data; /* the same, to read */
	size_t len;
	unsigned holders;
};
/*
 * What is in that descriptor, which stays the caller's: a memory file that
 * nobody can change or shorten any more (sealed), of at most max bytes. NULL: it
 * is none.
 */
struct mapping *mapping_new(int fd, size_t max, struct error *err);
void mapping_release(struct mapping *m); /* NULL is fine */

struct download;

/* From the loop; taken: bytes of the file that the board has, from its front. */
struct download_events {
	void (*moved)(void *owner, struct download *d);
	/* One request ended; before it is whole, another may follow. */
	void (*over)(void *owner, struct download *d);
};

struct download {
	char token[RANDOM_HEX_SIZE];
	char *id; /* of the board */
	struct mapping *file;
	const struct download_events *events;
	void *owner;
	size_t taken;
	unsigned asked; /* requests for its bytes */
	unsigned running;
	char from[ADDRESS_TEXT_MAX]; /* who asked last */
	struct download_fetch *fetches;
	struct download *next, **link;
};

/* All that one port has. Zeroed at first. */
struct downloads {
	struct download *first;
};
/* The port goes; those that are left belong to whoever made them. */
void downloads_done(struct downloads *ds);

/* events is lent. */
struct download *download_new(struct downloads *ds, struct mapping *file,
			      const char *id,
			      const struct download_events *events,
			      void *owner);
/* The address is void; what runs goes to its end, and nothing is told of it. */
void download_free(struct download *d);
/* BASE/download/TOKEN/firmware.bin; yours. It holds a secret. */
char *download_url(const struct download *d, const char *base);

/* A request at the port. False: it is about no file. */
bool downloads_http(struct downloads *ds, const struct visit *v);
/* Whether it shows such a secret. */
bool downloads_show(const struct downloads *ds, const struct visit *v);

/*
 * "bytes=A-B", "bytes=A-", "bytes=-N" of a file of len bytes. 1: *from and
 * *count are it; 0: there is no Range that is understood, all is meant; -1:
 * nothing of it is in the file (416).
 */
int range_read(const char *text, size_t len, size_t *from, size_t *count);

#endif
