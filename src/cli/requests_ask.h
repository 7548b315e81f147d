/* SPDX-License-Identifier: MIT */
/* Questions of the server answered: by a person, by options, by a command. */
#ifndef CLI_REQUESTS_ASK_H
#define CLI_REQUESTS_ASK_H

#include "cli/question.h"

void requests_elicit(struct question *q);
/* The next one that waits, if the terminal is free. */
void requests_ask_next(struct requests *a);
/* The one at the terminal is withdrawn: why, for the person; NULL: no word. */
void requests_ask_stop(struct requests *a, const char *why);

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
