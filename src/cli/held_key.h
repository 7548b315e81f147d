/* SPDX-License-Identifier: MIT */
/*
 * Which server that is kept open (mcpctl open) a target means, and whether one
 * is. What is kept is one instance: of a program, its words, its folder and
 * its environment; of an address, that, its headers and the way to it.
 *
 * Beside serve's socket lies a file for each, SOCKET-KEY, locked (flock) by its
 * keeper as long as it is kept: a command looks there, and only where there is
 * a socket. A file that nobody locks is what a killed keeper left.
 */
#ifndef CLI_HELD_KEY_H
#define CLI_HELD_KEY_H

#include "cli/app.h"
#include "net/endpoint.h"

#define HELD_KEY_SIZE 33 /* with a NUL */

/* Of that kind one can be kept open: a program, http:, ws:. */
bool held_fits(const struct endpoint *e);

/*
 * The key, a sum from which nothing can be read. Of the environment all counts
 * but what tells where a command was typed (help open lists it), and what is
 * mcpctl's own.
 */
void held_key(const struct endpoint *e, char out[HELD_KEY_SIZE]);

/* What it is called, from the word that it is opened by: without secrets; yours. */
char *held_name(const char *word);

/* The file of that key beside the socket; yours. */
char *held_mark_path(const char *socket, const char *key);
/* 1: its keeper is there; 0: there is none; -1: it is gone, without a word. */
int held_mark_look(const char *path);
/* Make and lock it; the descriptor, -1 (ERR_CONNECT). */
int held_mark_take(const char *path, struct error *err);

/*
 * If e is kept open by the serve that app means, it is to be asked there:
 * e->held and e->held_at are set, true.
 */
bool held_find(struct endpoint *e, struct app *app);

#endif
