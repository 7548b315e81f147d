/* SPDX-License-Identifier: MIT */
/*
 * --expect: where in a result the expected value may stand.
 */
#ifndef CLI_EXPECT_OPTION_H
#define CLI_EXPECT_OPTION_H

#include "mcp/types.h"

/*
 * True if the result contains expected. An object with "content", "isError"
 * or "structuredContent" is compared with the whole result; anything else also
 * with each text (as JSON, if it is JSON) and with structuredContent. What
 * differs, in words, into difference.
 */
bool expect_met(const struct result *result, const cJSON *expected,
		struct buf *difference);

/* Whether expected asks for isError: true. */
bool expect_wants_error(const cJSON *expected);

#endif
