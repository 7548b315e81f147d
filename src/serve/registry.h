/* SPDX-License-Identifier: MIT */
/*
 * The devices that are there, in order of arrival, found by alias, id, client
 * id or glob. What a device tells of itself never makes it another one: an
 * alias is the board whose id stands in the file, and a client id that is
 * somebody's id or alias is none.
 */
#ifndef SERVE_REGISTRY_H
#define SERVE_REGISTRY_H

#include "base/map.h"

struct board;
struct buf;
struct error;
struct serve;

struct registry {
	struct board *first, *last;
	struct map by_id;
	size_t count;
};

void registry_done(struct registry *r);
void registry_add(struct registry *r, struct board *d);
void registry_remove(struct registry *r, struct board *d);
/* By id, which is lower case; NULL. */
struct board *registry_find(const struct registry *r, const char *id);
/* The same in any case, as somebody wrote it; NULL too for NULL. */
struct board *registry_find_written(const struct registry *r, const char *id);
/*
 * That name, lower case; where it is the id of one that is here, or the id or name
 * of a board in the file of aliases, with mark and a number behind it. Yours.
 */
char *registry_free_id(const struct serve *s, const char *name, char mark);

/* In front of a pattern: an id, and no alias; for who has one's name as its id. */
#define REGISTRY_ID "id:"

/* What a board is called, that is here or not; NULL where it is not known. */
struct board_names {
	const char *id, *device_id, *client_id, *alias;
	const struct board *itself; /* NULL: it is not here */
};
/*
 * pattern NULL: all fit. Without case: an alias; else an id or Device-Id; else
 * a client id. A glob is compared with all of them. s NULL: no aliases.
 */
bool id_fits(const struct serve *s, const struct board_names *names,
	     const char *pattern);
/* The same of one that is here. */
bool device_fits(const struct board *d, const char *pattern);
/* The next that fits after `from` (NULL: from the start), without those that are being closed. */
struct board *registry_next(const struct registry *r, struct board *from,
			    const char *pattern);

/*
 * The same for who is to have one: no pattern means a board there, for a server
 * that is kept open (serve/held.h) is always named.
 */
struct board *registry_next_meant(const struct registry *r, struct board *from,
				  const char *pattern);

/*
 * A word that names nothing here: no glob, of no form that ids of firmware have
 * (a MAC address, a UUID, what has ':' or '@'), no alias, and nothing that fits
 * a board which is here or enrolled: -1, ERR_CONNECT, the nearest proposed. A
 * client id is free text, so a board that is called so may come all the same;
 * it is waited for under a glob ("word*"), which is told where later: where who
 * asks waits for boards. 0: it may be waited for.
 */
int device_word_check(const struct serve *s, const char *word, bool later,
		      struct error *err);
/* Who is there, as a user calls them: "kitchen, 02:00:00:00:00:02 and 3 more", appended. */
void registry_names(const struct registry *r, struct buf *out);

/* What a device tells of itself that is the name or id of another board. */
struct claim {
	const char
		*told; /* its id, client id, board or server; NULL: nothing */
	const char *whose; /* the id of the board that is it */
};
/* Texts are lent. */
struct claim device_claim(const struct board *d);
/* Its id, as device_fits takes it for that device alone; yours. */
char *device_pattern(const struct board *d);

#endif
