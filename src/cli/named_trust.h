/* SPDX-License-Identifier: MIT */
/*
 * Whether a project's file is trusted, in words: for lists, for errors, for
 * the question.
 */
#ifndef CLI_NAMED_TRUST_H
#define CLI_NAMED_TRUST_H

#include "cli/named_file.h"

/* Its names may be used. */
bool named_trusted(const struct named_file *f);

/* "not trusted: mcpctl trust FILE"; NULL: it is. Yours. */
char *named_trust_problem(const struct named_file *f);

/*
 * ERR_USAGE: it is not trusted, why (NULL: nobody was asked), and what to
 * type. Returns -1.
 */
int named_trust_refuse(const struct named_file *f, const char *why,
		       struct error *err);

/*
 * What is to be read before it is trusted: all of it, or what differs from
 * what was trusted. False: it is too long to be shown.
 */
bool named_trust_question(struct buf *out, const struct named_file *f);

#endif
