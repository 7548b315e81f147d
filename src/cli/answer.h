/* SPDX-License-Identifier: MIT */
/*
 * What read, prompt and complete share once an answer is there.
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli/app.h"

/*
 * Show it, and write it to files: save is as --save, NULL for none. With
 * --save the text form of read says only what was saved. -1: as save_result.
 */
int answer_show(struct app *app, const struct answer_record *a,
		const char *save, struct error *err);

/* {"uri":URI}, appended: the params of what asks for a resource. */
void answer_uri(struct buf *out, const char *uri);
/* Read a resource and show it; save as above. */
int answer_read(struct app *app, const char *uri, const char *save,
		struct error *err);

#endif
