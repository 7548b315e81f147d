/* SPDX-License-Identifier: MIT */
/* A target as text: without its secrets, and as words of a command line. */
#ifndef CLI_TARGET_TEXT_H
#define CLI_TARGET_TEXT_H

#include "base/buf.h"

/*
 * The key of a listing: the target's text, and for what serve holds "attach:"
 * with the device's id; yours. Secrets in it (user names, queries but those of
 * sim:) are left out. target may be NULL if device is not.
 */
char *target_key(const char *target, const char *device);

/*
 * The same of a target that names many (mcp+mqtt:), for the one that -d means;
 * device NULL: the target's own. Yours.
 */
char *target_choice_key(const char *target, const char *device);

/*
 * Append the words that name the target, quoted for a shell, with a space
 * behind them: "-t NAME ", with "--config FILE " in front if config_file is not
 * NULL; a target with ':' without its secrets: "ws://HOST/PATH ". Nothing if
 * target is NULL or empty.
 */
void target_words(struct buf *out, const char *target, const char *config_file);

#endif
