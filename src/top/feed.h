/* SPDX-License-Identifier: MIT */
/*
 * What comes into the rows and frames of `top`: from a running serve
 * (feed_serve.c), or from what is announced at a broker (feed_broker.c). From
 * the loop things are only recorded; feed_step asks what is due.
 */
#ifndef TOP_FEED_H
#define TOP_FEED_H

#include "cli/app.h"
#include "top/last_frames.h"
#include "top/rows.h"

struct feed;

struct feed_ops {
	/* -1: nobody is there who tells. */
	int (*open)(struct feed *f, struct error *err);
	/* Ask what is due. -1: it is gone, *err says why. */
	int (*step)(struct feed *f, struct error *err);
	/* loop_now() ms of the next that is due. */
	int64_t (*due)(const struct feed *f);
	/* For how long (ms) the list of all is owed; 0: that is no news yet. */
	int64_t (*silent)(const struct feed *f);
	/* Whose frames are kept from now on; NULL: nobody's. */
	void (*follow)(struct feed *f, const struct top_row *row);
	/*
	 * Words that name it, for `mcpctl WORDS COMMAND`, quoted for sh; appended.
	 * False: it went.
	 */
	bool (*reach)(const struct feed *f, const struct top_row *row,
		      struct buf *out);
	/* Ends what is open, waiting for it shortly; f is released. */
	void (*close)(struct feed *f);
};

/* Begins each of the two, which fill ops; the rest but the flags is lent. */
struct feed {
	const struct feed_ops *ops;
	struct app *app;
	const char *pattern; /* which; NULL: all */
	int64_t every; /* ms between two questions for the status */
	struct top_rows *rows;
	struct last_frames *frames;
	bool listed; /* a list of all came once */
	bool following; /* somebody's frames are kept */
	char *told; /* a line for the person, who draws takes it; NULL */
	bool changed; /* since who draws cleared it: there is something to draw */
	bool wake; /* for loop_wait: something is to be done */
};

#endif
