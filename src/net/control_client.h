/* SPDX-License-Identifier: MIT */
/*
 * The command's end of serve's socket (wire/control_frames.h): connects, checks that
 * the other end is the same user, sends and receives whole frames. Part of the
 * program itself: attached commands load nothing.
 */
#ifndef NET_CONTROL_CLIENT_H
#define NET_CONTROL_CLIENT_H

#include "base/error.h"
#include "base/json.h"
#include "base/loop.h"
#include "wire/control_frames.h"

struct control_client;

/* From the loop only. */
struct control_client_events {
	/*
	 * Who serve is, once, before any frame; not at all where it ends before
	 * it says. -1: it is not talked to, and closed gets *err.
	 */
	int (*greeted)(void *owner, const struct greeting *g,
		       struct error *err);
	void (*frame)(void *owner, const struct control_frame *f); /* lent */
	/* Once: serve closed or died (why), or control_client_close (ERR_NONE). After it, nothing. */
	void (*closed)(void *owner, const struct error *why);
};

/*
 * Connect (a Unix socket answers at once; one whose queue is full is asked again
 * from the loop for 5 s, and closed tells if that was in vain) and greet. What is sent before
 * the answer need not wait: a serve of another protocol refuses it. -1: ERR_CONNECT: no serve is
 * running there (no file, or nobody behind it), with what to do; ERR_AUTH: its
 * owner is another user.
 */
int control_client_open(struct control_client **out, struct loop *l,
			const char *path,
			const struct control_client_events *events, void *owner,
			struct error *err);

/* Written at once, the rest queued. -1: more than CONTROL_FRAME_MAX waits. */
int control_client_send(struct control_client *c, enum control_kind kind,
			const void *data, size_t len, struct error *err);

/* The same, of a question. */
int control_client_ask(struct control_client *c, const struct serve_question *q,
		       struct error *err);

/* Ends in closed from the loop, which releases it. Twice is fine. */
void control_client_close(struct control_client *c);

/* The error of a serve that was asked and says nothing; always -1. */
int control_client_silent(enum error_kind kind, struct error *err);

/*
 * The socket's path, yours. given: --socket or NULL: the default place, whose
 * folder is made if create; if not, and there is no socket, the other of the two
 * places is looked at. -1 (ERR_CONNECT): the folder is another user's, or
 * open to others, or cannot be made; ERR_USAGE: longer than a socket's
 * address may be (107 bytes).
 */
int control_path(char **out, const char *given, bool create, struct error *err);

/* Whether it is looked for there without XDG_RUNTIME_DIR and TMPDIR, too. */
bool control_path_is_usual(const char *path);

/*
 * Whether there is a socket at path that is ours. -1 (ERR_CONNECT): it is of
 * another user (whose), or no socket. 0: *exists says it.
 */
int control_path_check(const char *path, bool *exists, struct error *err);

/* Somebody listens at path, at once; who that is, control_client_open finds out. */
bool control_is_open(const char *path);

/*
 * Asking from the main line, whose loop waits: what serve says is queued
 * until it is taken. Any number of such lines may be open.
 */
struct control_line;

/*
 * As control_client_open. greeted: as of the events there; NULL: any serve is
 * talked to, whatever protocol it speaks.
 */
int control_line_open(struct control_line **out, struct loop *l,
		      const char *path,
		      int (*greeted)(void *owner, const struct greeting *g,
				     struct error *err),
		      void *owner, struct error *err);
/* From now on no trees are made, which take longer than all else here. */
void control_line_bare(struct control_line *c);
/* *woken, which is lent, is set whenever control_line_next has something. NULL: no more. */
void control_line_wakes(struct control_line *c, bool *woken);
/* NULL is fine. */
void control_line_close(struct control_line *c);

/* One object as serve sent it. */
struct control_answer {
	cJSON *json; /* owned, as all here; NULL: the line is bare */
	char *op; /* "" if it has none */
	char *text; /* its bytes, checked */
	size_t len;
};
void control_answer_done(struct control_answer *a);
/* For control_line_ask: the last object, into owner, which is one, zeroed. */
void control_answer_take(void *owner, struct control_answer *a);
/* The bytes of a member; empty if it is absent or null. */
struct span control_answer_member(const struct control_answer *a,
				  const char *name);

/* The answer is not waited for. */
int control_line_send(struct control_line *c, const struct serve_question *q,
		      struct error *err);
/* The same with a descriptor: see control_client_ask_with. */
int control_line_send_with(struct control_line *c,
			   const struct serve_question *q, int fd,
			   struct error *err);

/*
 * The next object, yours, waited for until deadline (loop_now() ms). -1:
 * ERR_TIMEOUT; ERR_INTERRUPTED; what an `error` object says; why the
 * connection ended. *out is zeroed then.
 */
int control_line_next(struct control_line *c, int64_t deadline,
		      struct control_answer *out, struct error *err);

/*
 * Send, and call each for all objects of the answer, the last one too, which
 * is no device and no row. It may take what it is given, and zero it. -1: as
 * control_line_next; after ERR_TIMEOUT and ERR_INTERRUPTED the answer may come
 * all the same, so nothing else is to be asked on this line.
 */
int control_line_ask(struct control_line *c, const struct serve_question *q,
		     int64_t deadline,
		     void (*each)(void *owner, struct control_answer *a),
		     void *owner, struct error *err);

#endif
