/* SPDX-License-Identifier: MIT */
/*
 * What commands, and the shell's `last`, share in showing.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "cli/connection.h"

/*
 * An error reply: kept for render_error; the raw form also shows its bytes,
 * and for a reply that is no JSON those in the detail of why. False: reply is
 * none, and nothing was done.
 */
bool show_error_reply(struct renderer *r, const struct message *reply,
		      const struct error *why);

/*
 * Show it, and write it to files: save is as --save, NULL for none. With
 * --save the text form of read says only what was saved. -1: as save_result.
 */
int answer_show(struct app *app, const struct answer_record *a,
		const char *save, struct error *err);

struct expectation; /* cli/expect.h */
/* Read a resource and show it; save as above; what is expected of it, or NULL. */
int answer_read(struct connection *c, const char *uri, const char *save,
		const struct expectation *expected, struct error *err);

#endif
