/* SPDX-License-Identifier: MIT */
/*
 * What boards say, kept as files of Ogg Opus (--save-audio): one for each
 * utterance, from `listen start` to `listen stop`, `abort`, the backend's `tts
 * start` (where the mode is not realtime), the next `listen start`, `goodbye`,
 * or the end (device.md 1.6, 4.1). The packets of a wake word, which come
 * before `listen start`, are its beginning. Packets are written as they came;
 * what is no Opus is left out and counted, and so is what came behind the end of
 * an utterance within a second.
 *
 * A file grows page by page, about one a second, so that little is lost with the
 * process; none is open in between. It is made new (O_EXCL, 0600). A disk that
 * is nearly full and a board that sends too much end it (doc/security.md).
 * Nothing waits, nothing prints: what became of it is told.
 */
#ifndef NET_VOICE_H
#define NET_VOICE_H

#include "base/json.h"
#include "net/budget.h"
#include "net/keep.h"

enum voice_event {
	VOICE_SAVED,
	VOICE_LOST /* not, or not all of it; why */
};

/* What became of one utterance; texts are lent. */
struct voice_news {
	enum voice_event event;
	const char *text; /* one line */
	const char *hint; /* NULL */
	const char *file; /* NULL: there is none */
	uint64_t packets, gaps, lost; /* lost: missing in the gaps */
	uint64_t left_out; /* no Opus */
	uint64_t strayed; /* behind the end of the utterance before */
	int64_t milliseconds; /* of sound, gaps that were filled included */
};

/* All boards of one program. */
struct voices {
	const char *folder; /* lent */
	struct budget *budget; /* lent; BUDGET_HEARD of it is set */
	const struct ogg_table *ogg;
	unsigned number; /* of the next file */
	int (*space)(const char *folder, struct disk_space *out);
};
/* -1: the folder cannot be used (ERR_OUTPUT), or the part is missing (ERR_CONNECT). */
int voices_open(struct voices *vs, const char *folder, struct budget *b,
		struct error *err);

/* One board. */
struct voice;
typedef void voice_told(void *owner, const struct voice_news *n);
/* vs lives longer. device: who it is, copied; NULL: not known. */
struct voice *voice_new(struct voices *vs, const char *device, voice_told *told,
			void *owner);
/* Its utterance ends, and is told; NULL is fine. */
void voice_end(struct voice *v);
void voice_free(struct voice *v);

/* A text frame, from the board or to it; it need not be JSON. */
void voice_text(struct voice *v, bool from_board, const char *text, size_t len);
/*
 * An Opus packet of the board, bare; missing: so many were lost in front of it
 * (UDP). They are filled with packets without sound, up to some seconds, so that
 * the time in the file is right.
 */
void voice_packet(struct voice *v, const void *data, size_t len,
		  uint64_t missing);
/* One with the head of that version (1 to 3) of binary frames. */
void voice_frame(struct voice *v, int version, const void *data, size_t len);

/* ,"file":…,"ms":… and the counts, for -o json; without a comma in front. */
void voice_members(struct buf *out, const struct voice_news *n);

#endif
