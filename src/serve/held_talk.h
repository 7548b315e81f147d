/* SPDX-License-Identifier: MIT */
/* What passes between such a server and the commands that share its session. */
#ifndef SERVE_HELD_TALK_H
#define SERVE_HELD_TALK_H

#include "serve/held.h"

/* A request of the server: to the command that is meant, or answered here. */
void held_request(struct board *d, const struct message *m);
/* A notification; true: it was for one command alone. */
bool held_notification(struct board *d, const struct message *m);
/* A message of a command; true: it is dealt with. *m is a request, too. */
bool held_said(struct control_peer *p, const struct message *m);
/* Nobody waits for the answer to that id of ours any more. */
void held_cancel(struct board *d, int32_t id, const char *reason);
/* Its open questions are answered for a command that goes. */
void held_abandon(struct board *d, const struct control_peer *p);
/* All of them: the server ended. */
void held_forget_questions(struct held *h);

#endif
