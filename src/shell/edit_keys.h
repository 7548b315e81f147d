/* SPDX-License-Identifier: MIT */
/* Bytes from the terminal to readline, which never waits for one. */
#ifndef SHELL_EDIT_KEYS_H
#define SHELL_EDIT_KEYS_H

#include "shell/edit_private.h"

/* -1: (ERR_CONNECT) */
int edit_keys_open(struct editor *e, struct error *err);
void edit_keys_start(struct editor *e);
void edit_keys_stop(struct editor *e);
void edit_keys_reset(struct editor *e); /* forgets what was not used */
void edit_keys_close(struct editor *e);

#endif
