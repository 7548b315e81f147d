/* SPDX-License-Identifier: MIT */
/*
 * A target as it is typed, for messages that propose a command line.
 */
#ifndef CLI_NAMED_WORDS_H
#define CLI_NAMED_WORDS_H

#include "base/buf.h"

/*
 * Append the words that name the target, quoted for a shell, with a space
 * behind them: "-t NAME ", with "--config FILE " in front if config_file is not
 * NULL; a target with ':' without its secrets: "ws://HOST/PATH ". Nothing if
 * target is NULL or empty.
 */
void named_words(struct buf *out, const char *target, const char *config_file);

#endif
