/* SPDX-License-Identifier: MIT */
/*
 * What --jq and -o table make of the lines of the JSON form: opened before the
 * command, ended behind it.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/app.h"

/*
 * -1: ERR_USAGE, the expression does not compile, the command has no table, or
 * not that field, or another form was asked for; ERR_CONNECT: libjq is not
 * there.
 */
int output_open(struct app *app, const struct command *c, struct error *err);

/*
 * Behind a command that ended with status and err: the table is shown; where
 * --jq failed on a line, the command has failed. Its own failure goes first.
 */
int output_end(struct app *app, int status, struct error *err);

/*
 * --jq of one line of run or the shell, for what is shown between both. text NULL:
 * there is none, and nothing changes.
 */
struct line_query {
	struct renderer before; /* what of it is put back */
	struct query *query; /* owned; NULL */
};
int line_query_open(struct line_query *q, struct app *app, const char *text,
		    struct error *err);
void line_query_done(struct line_query *q, struct app *app);
/* Whether it compiles, before anything is sent. */
int line_query_check(const char *text, struct error *err);

#endif
