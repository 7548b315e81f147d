/* SPDX-License-Identifier: MIT */
/*
 * The man pages, written from the command table and the help topics.
 */
#ifndef CLI_GENERATE_MAN_H
#define CLI_GENERATE_MAN_H

#include <stdio.h>

/* The names of the man pages, a line each, as "mcpctl-call.1". */
void generate_man(FILE *out);
/* The page of such a name. -1: there is none. */
int generate_page(FILE *out, const char *name);

#endif
