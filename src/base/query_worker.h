/* SPDX-License-Identifier: MIT */
/*
 * The process of a query, forked from the program: it gives up its files, its
 * environment and most memory before the expression is looked at.
 */
#ifndef BASE_QUERY_WORKER_H
#define BASE_QUERY_WORKER_H

#include "base/query_jq.h"

/* The process: compiles, answers until socket ends, exits. */
_Noreturn void query_work(const struct jq_table *jq, const char *text,
			  int socket);

#endif
