/* SPDX-License-Identifier: MIT */
/*
 * A question of the server's that has no answer yet: what is sent and said of
 * it, and how it looks at the terminal.
 */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "cli/connection.h"
#include "cli/form.h"

struct child;

#define QUESTIONS_MAX 64 /* open ones together */
#define COMMANDS_MAX 8 /* of --sampling exec:, at once */
#define SAID_MAX 4000 /* bytes of a server's message, a description */
#define CONSENTS_MAX 32 /* URLs whose end is still to be told */
#define TITLE_MAX 100 /* bytes of a server's words in a note */

/* MCP has no constant for it; its examples have this one. */
#define USER_REJECTED (-1)

enum elicit_how {
	ELICIT_NONE,
	ELICIT_ASK,
	ELICIT_DEFAULTS,
	ELICIT_DECLINE,
	ELICIT_CANCEL,
	ELICIT_FILE
};
enum sampling_how {
	SAMPLING_NONE,
	SAMPLING_DECLINE,
	SAMPLING_FILE,
	SAMPLING_EXEC
};

/* A request of the server that has no answer yet. */
struct question {
	struct requests *of;
	struct question *next;
	char *id; /* raw JSON token; "" of a round's */
	struct round_ask *round; /* it came in a round (mcp/rounds.h); NULL */
	cJSON *json; /* the whole message */
	const cJSON *params; /* of it; NULL */
	/* by a command */
	struct child *child; /* NULL: it is asked of a person */
	struct timer timer; /* until it is given up */
	bool late;
	struct buf output;
};

struct asking; /* requests_ask.c: the one that is at the terminal */

struct requests {
	struct connection *connection;
	struct client_answers declared;
	enum elicit_how elicit;
	cJSON *values; /* ELICIT_FILE: an object */
	enum sampling_how sampling;
	char *sampled; /* SAMPLING_FILE: the result */
	struct words command; /* SAMPLING_EXEC */
	char *roots; /* the result of roots/list; NULL: none were given */

	struct question *waiting; /* for a person; the first is asked */
	struct question *running; /* by commands */
	struct asking *asking;
	bool lent; /* the terminal is an editor's */
	struct client_asker asker;
	unsigned told; /* what was asked for undeclared: a bit for a method */
	char *consent[CONSENTS_MAX]; /* elicitationId; NULL: free */
};

/* What it holds is released; it stands in no list. */
void question_done(struct question *q);

/* These send an answer, or try to; nothing waits for it. */
void question_result(const struct question *q, const char *result);
void question_refuse(const struct question *q, int code, const char *why);
/* {"action":ACTION}, with content if that is not NULL. */
void question_action(const struct question *q, const char *action,
		     const cJSON *content);
/* A line for the user behind what was asked: "the server asks '…': declined". */
void question_note(const struct question *q, const char *format, ...)
	PRINTF_LIKE(2, 3);
/*
 * Keep it for later, at the end of the list: what q holds moves there. Clocks
 * of calls stand still until its end, since it is we who are waited for.
 */
struct question *question_keep(struct question *q, struct question **list);
size_t question_count(const struct question *list);
/* It is over: out of its list, and released. */
void question_end(struct question *q, struct question **list);

/* The host of an http: or https: URL, as a browser sees it; yours. NULL (ERR_USAGE): it is none. */
char *question_url_host(const char *url, struct error *err);

/* Each appends. A line: safe, at most max bytes of text. */
void shown_line(struct buf *out, const char *text, size_t max);
/* As it would be typed. */
void shown_value(struct buf *out, const cJSON *value);
void shown_form(struct buf *out, const struct question *q,
		const struct form *f);
void shown_url(struct buf *out, const struct question *q, const char *url);
void shown_field(struct buf *out, const struct form_field *f);

#endif
