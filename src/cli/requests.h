/* SPDX-License-Identifier: MIT */
/*
 * What a server asks its client: elicitation/create, sampling/createMessage,
 * roots/list. Answered as --elicit, --sampling and --root say; what is not
 * answered is not declared. A question that a person or a command answers is
 * under way beside everything else.
 */
#ifndef CLI_REQUESTS_H
#define CLI_REQUESTS_H

#include "cli/connection.h"
#include "cli/form.h"
#include "mcp/client.h"

struct child;

struct requests;

/* From the options; reads and checks the files. -1 (ERR_USAGE). */
int requests_open(struct connection *c, struct error *err);
/* Stops what is under way; cancels it while the session is open. NULL is fine. */
void requests_close(struct connection *c);

/* What to declare. */
struct client_answers requests_declares(const struct requests *a);

/* For session_observer.request. */
bool requests_request(struct requests *a, const struct event *e);

/* notifications/elicitation/complete, notifications/cancelled, and the like: before the event is shown. */
void requests_event(struct requests *a, const struct event *e);

/*
 * For a main line that lends the terminal to an editor: while it is lent,
 * questions for a person wait; those that wait are asked when it is given
 * back. NULL is fine, here and below.
 */
void requests_lend(struct requests *a, bool lent);
/* A question for a person waits, or is being asked. */
bool requests_asks(const struct requests *a);
/* e is a request that was refused, and a note has said so. */
bool requests_told(const struct requests *a, const struct event *e);

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
	char *id; /* raw JSON token */
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
	unsigned told; /* what was asked for undeclared: a bit for a method */
	char *consent[CONSENTS_MAX]; /* elicitationId; NULL: free */
};

/* requests.c. These send an answer, or try to; nothing waits for it. */
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

/* requests_ask.c */
void requests_elicit(struct question *q);
/* The host of an http: or https: URL, as a browser sees it; yours. NULL (ERR_USAGE): it is none. */
char *question_url_host(const char *url, struct error *err);
/* The next one that waits, if the terminal is free. */
void requests_ask_next(struct requests *a);
/* The one at the terminal is withdrawn: why, for the person; NULL: no word. */
void requests_ask_stop(struct requests *a, const char *why);

/* Each appends. A line: safe, at most max bytes of text. */
void shown_line(struct buf *out, const char *text, size_t max);
/* As it would be typed. */
void shown_value(struct buf *out, const cJSON *value);
void shown_form(struct buf *out, const struct question *q,
		const struct form *f);
void shown_url(struct buf *out, const struct question *q, const char *url);
void shown_field(struct buf *out, const struct form_field *f);

/* requests_ask.c */
void requests_sample(struct question *q);
/* Its command is ended, and not heard any more. */
void requests_sample_stop(struct question *q);
/*
 * What a file or a command says, as a result of sampling/createMessage: an
 * object with "content", completed, or else a text. NULL (ERR_USAGE): it is
 * empty, or no UTF-8. Yours.
 */
char *requests_sampled(const char *text, size_t len, const char *model,
		       struct error *err);

#endif
