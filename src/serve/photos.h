/* SPDX-License-Identifier: MIT */
/*
 * Pictures of one board's camera, for calls of tools that are to have theirs
 * beside the reply. While such a call is on its way, pictures are kept in memory,
 * and what the board is answered names each by a word that nobody can guess.
 * Firmware makes the tool's result of that answer (device.md 6): so the reply
 * that has the word is that of the call which took the picture, whatever else was
 * uploaded meanwhile. A reply without one has no picture.
 */
#ifndef SERVE_PHOTOS_H
#define SERVE_PHOTOS_H

#include "base/buf.h"
#include "base/json.h"
#include "base/random.h"

#define PHOTOS_KEPT 4 /* of one board: the last ones */
#define PHOTOS_LARGEST (1u << 20) /* bytes; of larger ones the size is kept */
#define PHOTOS_ALL (64u << 20) /* bytes, of all boards */

struct photos; /* NULL: no such call was there yet */

/* A call begins, or ends; at the end of the last one the pictures are forgotten. */
void photos_begin(struct photos **photos);
void photos_end(struct photos *photos, size_t *all);
/* Such a call is on its way. NULL is fine, here and below. */
bool photos_wanted(const struct photos *photos);
/* No such call is on its way. */
void photos_free(struct photos *photos);

/*
 * A picture came, from who has the token of the board's connection. all: bytes
 * that are kept, of all boards. mark: by which the answer is to name it.
 */
void photos_add(struct photos *photos, size_t *all, struct span picture,
		char mark[RANDOM_HEX_SIZE]);

enum call_photo_state {
	PHOTO_HERE,
	PHOTO_NONE, /* none came since the call began */
	PHOTO_UNNAMED, /* some came, and the reply names none of them */
	PHOTO_TOO_LARGE,
	PHOTO_NO_ROOM /* too much is kept already */
};

struct call_photo {
	enum call_photo_state state;
	struct span
		data; /* lent until the next change; NULL but for PHOTO_HERE */
	size_t size; /* of PHOTO_TOO_LARGE, too */
	const char *mark; /* NULL: the reply has none */
};

/*
 * The picture that the reply (a frame of the board) names. since_us: when the
 * call began (loop_now_us()); what came before is not its. most: bytes.
 */
void photos_find(struct call_photo *out, const struct photos *photos,
		 struct span reply, int64_t since_us, size_t most);
/*
 * Any reply of the board without the names that were given, whoever's call it
 * is: the same, or in room. The last ones are known, also when their pictures are
 * forgotten.
 */
struct span photos_unmark(const struct photos *photos, struct span reply,
			  struct buf *room);

/* In words, why there is none; yours. NULL for PHOTO_HERE. */
char *photos_explain(const struct call_photo *p, size_t most);

#endif
