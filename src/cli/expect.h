/* SPDX-License-Identifier: MIT */
/*
 * --expect and --expect-jq: what a result must contain, what must be true of
 * it.
 */
#ifndef CLI_EXPECT_H
#define CLI_EXPECT_H

#include "cli/app.h"
#include "mcp/types.h"

/*
 * True if the result contains expected. An object with "content", "isError"
 * or "structuredContent" is compared with the whole result; anything else also
 * with each text (as JSON, if it is JSON) and with structuredContent. What
 * differs, in words, into difference.
 */
bool expect_met(const struct result *result, const cJSON *expected,
		struct buf *difference);

/* Zeroed: nothing is expected. */
struct expectation {
	cJSON *json; /* owned; NULL */
	struct query *query; /* owned; NULL */
	int64_t timeout; /* ms, for that */
};

/*
 * json: of --expect, or @FILE; expression: of --expect-jq; each may be NULL.
 * -1: ERR_USAGE. expectation_done in any case.
 */
int expectation_open(struct expectation *e, struct app *app, const char *json,
		     const char *expression, struct error *err);
void expectation_done(struct expectation *e);

/*
 * Both must hold. The expression is asked for the value of the result
 * (mcp/result_value.h), $line is the whole one; its last output is neither
 * false nor null, and there is one. -1 (ERR_UNMET): what it is instead, in the
 * detail; or why the expression did not end.
 */
int expectation_check(const struct expectation *e, const struct result *result,
		      struct error *err);

/*
 * The same of an answer that is no tool's: the expression is asked for its
 * whole result, as --jq is. There is no json.
 */
int expectation_check_reply(const struct expectation *e,
			    const struct message *reply, struct error *err);

/* Why one of these failed, as the error of one row, which has one line for it. */
void expectation_fail(struct error *row, const struct error *why);

/* The row of --expect-jq, in the options of a command whose answer is no tool's. */
#define EXPECT_JQ_ROW(type_of, member)                                                   \
	{                                                                                \
		.name = "expect-jq", .word = "EXPR", .type = OPTION_TEXT,                \
		.offset = offsetof(type_of, member),                                     \
		.brief =                                                                 \
			"a jq expression that must be true of the result; else status 7" \
	}

/* Whether expected asks for isError: true. */
bool expect_wants_error(const cJSON *expected);

/*
 * True if `actual` contains `expected`: objects as subsets, arrays element by
 * element and of the same length, text that is JSON compared as JSON. The
 * first difference, in words, into difference (emptied first):
 * "content[0].text.volume is 70, expected 80".
 */
bool expect_contains(const cJSON *actual, const cJSON *expected,
		     struct buf *difference);

#endif
