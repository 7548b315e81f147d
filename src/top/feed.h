/* SPDX-License-Identifier: MIT */
/*
 * What comes from a running serve into the rows and frames of `top`: three
 * connections to its socket, so that none waits for another: one is told of
 * boards, one asks them for their status, one follows the frames of one board.
 * From the loop things are only recorded; feed_step asks what is due.
 */
#ifndef TOP_FEED_H
#define TOP_FEED_H

#include "net/control_client.h"
#include "top/last_frames.h"
#include "top/rows.h"

/* Lists of tools that are known; boards with others are not asked. */
#define FEED_LISTS 256

struct feed;

struct feed_line {
	struct feed *feed;
	struct control_client *client; /* NULL: not open */
	void (*object)(struct feed *f, const cJSON *json, const char *op);
	bool closed; /* its last callback came */
	struct error why;
};

struct feed_list {
	char id[ROW_TEXT];
	bool known
		[BOARD_STATUS_TOOLS]; /* it was asked whether it has that tool */
	bool has[BOARD_STATUS_TOOLS];
	bool used; /* a board that is ready has it now */
};

struct feed {
	struct loop *loop;
	const char *path; /* of the socket; lent */
	const char *pattern; /* which boards; NULL: all; lent */
	int64_t every; /* ms */
	struct top_rows *rows;
	struct last_frames *frames;
	struct feed_line boards, status, tail;

	bool listing; /* the list of all is on its way */
	bool listed; /* it came once */
	int64_t asked_at; /* loop_now() ms when it was asked for */
	int64_t list_at; /* loop_now() ms: when it is asked for again */

	bool asking; /* a question for the status is open */
	int64_t status_at; /* when the next round begins */
	size_t list, tool; /* the next question of this round */
	bool learning; /* the open question is whether the list has the tool */
	struct feed_list lists[FEED_LISTS];
	size_t lists_count;

	char *follow; /* what -d takes: whom to follow; NULL; owned */
	bool again; /* follow changed: the line is to be opened anew */

	bool changed; /* since who draws cleared it: there is something to draw */
	bool wake; /* for loop_wait: something is to be done */
};

/* Zeroed, then loop to frames filled. -1 as control_client_open. */
int feed_open(struct feed *f, struct error *err);
/* Ask what is due. -1: serve is gone, *err says why. */
int feed_step(struct feed *f, struct error *err);
/* loop_now() ms of the next that is due. */
int64_t feed_due(const struct feed *f);
/* For how long (ms) serve owes the list of all; 0: that is no news yet. */
int64_t feed_silent(const struct feed *f);
/* Whose frames are kept from now on; NULL: nobody's. */
void feed_follow(struct feed *f, const struct top_row *row);
/* Ends what is open, waiting for it shortly. */
void feed_close(struct feed *f);

#endif
