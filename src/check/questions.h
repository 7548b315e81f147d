/* SPDX-License-Identifier: MIT */
/*
 * The questions of a check that call no tool: a row each, with the message that
 * is sent. --plan prints the same rows.
 */
#ifndef CHECK_QUESTIONS_H
#define CHECK_QUESTIONS_H

#include "check/check.h"

enum {
	FIRMWARE_SILENT = 1, /* never answered by firmware (device.md 3.2) */
	OWN_ID = 2, /* its id is what is asked about: serve gives its own */
	OF_TOOLS = 4, /* for peers with tools */
	OF_BOARDS = 8, /* others may have no such thing, and are right */
	SERVER_SILENT = 16, /* MCP has no such message: others may drop it */
	IN_PIECES = 32 /* in several frames, where there are any */
};

struct check_question {
	const char *name; /* "unknown method" */
	enum check_risk risk;
	unsigned flags;
	int32_t id; /* with OWN_ID */
	const char *token; /* its reply's id, where that is no whole number */
	/*
	 * The message; '$' is its id, '@' what fill makes, '#' a method that is
	 * answered for certain: servers have ping, firmware refuses what it does
	 * not know.
	 */
	const char *text;
	void (*fill)(struct buf *out);
};

/* In the order in which they are asked; ends with name NULL. */
extern const struct check_question questions[];
/* Whether it still answers: asked behind each odd one. */
extern const struct check_question plain_question;

void question_text(const struct check_question *q, int32_t id, bool device,
		   struct buf *out);

enum answer {
	ANSWERED,
	ANSWER_REFUSED, /* by a status of HTTP, and it answers others */
	UNANSWERED, /* and it answers others */
	NOT_ASKED, /* it could not be sent */
	ANSWER_SILENCE, /* it answers nothing any more */
	ANSWER_END /* the connection ended */
};

struct check_asking {
	enum answer answer;
	int64_t took_us;
	struct error
		why; /* of a refusal, and of the last three; its reset is the caller's */
};

/* Questions that nobody should mind, and the list once more. */
int stage_asked(struct checkup *k, struct error *err);
/* Odd ones, each with a plain one behind it. */
int stage_odd(struct checkup *k, struct error *err);

#endif
