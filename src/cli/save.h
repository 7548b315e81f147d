/* SPDX-License-Identifier: MIT */
/*
 * --save: the bytes of images, audio and resources into files.
 */
#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "cli/app.h"

/*
 * Write every content that has bytes: the first to path, the next with -2, -3
 * … before the extension; "-" is stdout and takes the first only. The texts of
 * resources count too if `texts`, or if there is nothing else. Says what it
 * wrote. -1: ERR_UNMET if there is nothing, ERR_PROTOCOL if what is there
 * could not be decoded, ERR_USAGE for a terminal, ERR_OUTPUT.
 */
int save_result(struct app *app, const struct result *result, const char *path,
		bool texts, struct error *err);

/* "shot.png", 2 -> "shot-2.png"; 1 -> "shot.png". Yours. */
char *save_path(const char *path, size_t number);

#endif
