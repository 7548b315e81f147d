/* SPDX-License-Identifier: MIT */
/*
 * The process that keeps one server open (mcpctl open): it dials the target as
 * any command does, with its own environment and rights, and hands messages on
 * between the server and serve (wire/control_frames.h: hold). It ends with
 * serve, when serve tells it so, or by a signal; the server ends with it.
 *
 * It knows no ids and asks nothing but initialize, or server/discover of a
 * program that refuses that (2026-07-28); the server is told that it may ask
 * anything that a command may be able to answer.
 */
#ifndef CLI_KEEPER_H
#define CLI_KEEPER_H

#include "cli/app.h"
#include "net/endpoint.h"

struct keeper_order { /* all lent */
	const char *name; /* the word that was typed */
	const char *socket; /* of serve */
	const char *key; /* cli/held_key.h */
	int64_t idle; /* ms; 0: for ever */
	struct endpoint *to;
	const struct transport_ops *ops;
	/* It is open: whoever started it may end. -1: nobody is there any more. */
	int (*ready)(void *owner, const char *id, struct error *err);
	void *owner;
};

/*
 * In a process of its own, which has no loop yet. 0: it was ended. -1: it could
 * not be opened in the first place; a serve that does not want it, with code
 * EEXIST where it is open already.
 */
int keeper_run(struct app *app, const struct keeper_order *order,
	       struct error *err);

#endif
