/* SPDX-License-Identifier: MIT */
/*
 * MCP servers that are kept open (mcpctl open). Each is dialled by a process of
 * its own, its keeper (cli/keeper), which was started by the command that
 * opened it and so has that command's environment, folder and rights: serve,
 * behind its fences, starts no program and dials nobody for it. The keeper's
 * connection to the control socket is the transport of a board that serve
 * makes (struct board.held), with bare JSON-RPC.
 *
 * That board stays while its keeper does. What it keeps may end and be opened
 * again meanwhile: HELD_ENDED until a command attaches.
 *
 * Many commands share one session of the server. held.c: its life;
 * held_talk.c: what passes between it and each of them.
 */
#ifndef SERVE_HELD_H
#define SERVE_HELD_H

#include "base/loop.h"
#include "mcp/relist.h"
#include "wire/jsonrpc.h"

struct board;
struct control_peer;
struct control_question;
struct held;
struct serve;

/* In front of a pattern: the board with that key, and no other. */
#define HELD_KEY "held:"

#define HELD_MAX 32 /* servers at a time */
#define HELD_QUESTIONS_MAX 64 /* of one server, without an answer */

enum held_state {
	HELD_OPENING, /* its keeper is at it */
	HELD_UP,
	HELD_ENDED /* opened again for the next command that attaches */
};

/* The server asked, and a command is to answer. */
struct held_question {
	char *id; /* the raw token */
	char *method;
	struct control_peer *peer; /* who was asked */
	struct held_question *next;
};

/* What its board asks of it. */
struct held_ops {
	/* As board_sweep. */
	bool (*sweep)(struct held *h, int64_t now);
	/* "opening", "ended"; NULL: as the board has it. */
	const char *(*state_name)(const struct held *h);
	/* The member "held" of the board's object, appended. */
	void (*describe)(struct buf *out, const struct held *h);
	/* A request of the server: to the command that is meant, or answered. */
	void (*request)(struct board *d, const struct message *m);
	/* A notification; true: it was for one command alone. */
	bool (*notification)(struct board *d, const struct message *m);
	/* Its board is freed: so is it. */
	void (*release)(struct held *h);
};

struct held {
	const struct held_ops *ops;
	struct board *board;
	struct control_peer *keeper; /* NULL: it went */
	enum held_state state;
	char *key; /* cli/held_key.h */
	char *name; /* the word that it was opened by */
	char *kind; /* "stdio", "http", "ws" */
	char *ended; /* why it ended last; NULL once that was told */
	/* It speaks this one, in which each request stands alone; static; NULL */
	const char *modern;
	unsigned restarts;
	int64_t idle; /* ms; 0: it is never too long without a command */
	int64_t used_at; /* loop_now() ms: when the last command had done */
	int64_t end_by; /* when its keeper is given up; LOOP_FOREVER */
	struct control_peer *closer; /* who waits for its end; NULL */
	struct relist relist;
	struct timer later; /* its end, told from the loop */
	struct held_question *questions;
	size_t questions_count;
};

/* ---- held.c: questions of keepers, and `close` ---- */

void held_ask(struct control_peer *p, const struct control_question *q);
void held_up_ask(struct control_peer *p, const struct control_question *q);
void held_down_ask(struct control_peer *p, const struct control_question *q);
void held_failed_ask(struct control_peer *p, const struct control_question *q);
void held_close_ask(struct control_peer *p, const struct control_question *q);
/* A frame of the server. */
void held_frame(struct control_peer *p, const char *frame, size_t len);
/* It goes: a keeper, or who waits for an end. */
void held_leave(struct control_peer *p);

/* A command wants it: 1, it is there; 0, it is being opened (again). */
int held_wanted(struct held *h);
/* A command attached, left, or was answered. */
void held_used(struct held *h);
/* "'x' had ended (…) and was started again", once; yours. NULL: it had not. */
char *held_take_news(struct held *h);

#endif
