/* SPDX-License-Identifier: MIT */
/* A picture on its way to an answer (device.md 6): what door_vision*.c share. */
#ifndef SERVE_DOOR_VISION_H
#define SERVE_DOOR_VISION_H

#include "base/child.h"
#include "serve/door_private.h"

/* One picture until it is answered. */
struct vision {
	struct door *door;
	struct front_request *rq;
	char *device_id, *client_id, *address;
	struct picture_upload upload;
	char *warning; /* it is answered, but was not saved; NULL */
	int64_t started_us;

	/* of the command */
	struct child *child;
	struct timer timer;
	char *last_words; /* the last line of its stderr; NULL */
	struct vision *next, **link;
};

/* door_vision.c */
/* Answer the board: text is what it shows or says. */
void vision_answer(struct vision *p, bool success, const char *text,
		   size_t len);
/* Tell the user. problem: what went wrong with the answer; NULL. */
void vision_tell(struct vision *p, enum record_kind kind, const char *problem);
/* It is answered: the file goes now, the memory when the timer is closed. */
void vision_end(struct vision *p);
/* All three: the answer is the problem. */
void vision_fail(struct vision *p, const char *problem);

/* door_vision_command.c: answered when the user's command has ended. */
void vision_by_command(struct vision *p);

#endif
