/* SPDX-License-Identifier: MIT */
/*
 * Operands and option values that are JSON, or say where it stands: @FILE,
 * or - for stdin, which only one thing in an invocation may read.
 */
#ifndef CLI_OPERAND_H
#define CLI_OPERAND_H

#include "cli/app.h"

#define OPERAND_MAX (16u << 20) /* bytes of a file or of stdin */

/*
 * One JSON value as text into out. what names it in messages: "PARAMS". -1
 * (ERR_USAGE): not readable, stdin is taken, no JSON (at which byte).
 */
int operand_json(struct app *app, const char *word, const char *what,
		 struct buf *out, struct error *err);

/* A whole file, or stdin for "-", into out. -1 (ERR_USAGE): why not. */
int operand_file(struct app *app, const char *path, struct buf *out,
		 struct error *err);

#endif
