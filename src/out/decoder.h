/* SPDX-License-Identifier: MIT */
/*
 * A picture as pixels, decoded in a process of its own. Libraries for pictures
 * are large, and have been fooled by what they read; so they get it where
 * nothing can be had: a new process of this program, without our memory,
 * environment and descriptors, that reads one picture, then gives up files,
 * sockets, programs and further processes (base/fence.h), and has so much
 * memory and time. What it answers is pixels, never bytes for a terminal: who
 * takes it over can draw, and no more.
 */
#ifndef OUT_DECODER_H
#define OUT_DECODER_H

#include "base/error.h"

#define PIXELS_MOST 40000000 /* a picture of more is not decoded */
#define PIXELS_FILE_MOST (64u << 20) /* nor one whose file has more bytes */
#define PIXELS_SIDE 1600 /* none is larger afterwards, in either direction */

struct pixels {
	unsigned width, height; /* 1 to PIXELS_SIDE */
	unsigned char *rgba; /* owned; 4 bytes each, row by row, none between */
	/* What the library said of a part that is missing or damaged; what came
	   before it is there. Not safe for a terminal. "": nothing. */
	char damage[100];
};

void pixels_done(struct pixels *p);

/*
 * Whether that can be decoded: JPEG or PNG, of a size that its head tells and
 * that is within the bounds. -1 (ERR_PROTOCOL): why not, in words.
 */
int decoder_check(const void *data, size_t len, struct error *err);

/*
 * Decode it. Waits for the process, at most DECODER_SECONDS. -1: ERR_PROTOCOL,
 * the picture is to blame, ERR_CONNECT, there is no such process or part,
 * ERR_INTERRUPTED, a signal ended it. The text may have words of the library.
 */
#define DECODER_SECONDS 10
int decoder_ask(struct pixels *out, const void *data, size_t len,
		struct error *err);

#endif
