/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with one tool by itself: too large, a name that models refuse,
 * characters that hide; its schema: diag/schema_judge.h. Each appends words in
 * which the tool is "its", raw, and is false if nothing is.
 */
#ifndef DIAG_TOOL_JUDGE_H
#define DIAG_TOOL_JUDGE_H

#include "mcp/types.h"

/* At most this many bytes of a name or word stand in words. */
#define JUDGE_WORD_MAX 40
/* Appended, cut with "…". */
void judge_word(struct buf *out, const char *word);

bool judge_size(const struct tool *t, struct buf *out); /* D108 */
/*
 * D117. board: backends stand between, which change names as the facts say;
 * else who does is not known, and what any of them would mend is not told.
 */
bool judge_name(const struct tool *t, bool board, struct buf *out);
bool judge_text(const struct tool *t, struct buf *out); /* D119 */

#endif
