/* SPDX-License-Identifier: MIT */
/*
 * Content that is no text, in words: "image/png, 1,204 bytes, 64x48".
 */
#ifndef OUT_TEXT_RESULT_H
#define OUT_TEXT_RESULT_H

#include "mcp/types.h"
#include "out/render.h"

/* One line, appended, made safe; for any kind but text. */
void content_describe(struct buf *out, const struct content *c);

/* Whether there are bytes that could be saved. */
bool content_has_bytes(const struct content *c);

void text_result(struct renderer *r, const struct result *result);
void text_reply(struct renderer *r, const struct message *reply);
void text_answer(struct renderer *r, const struct answer_record *a);
void text_progress(struct renderer *r, const struct progress_record *p);

/* text is valid JSON (json_check). No newline is added at the end. */
void json_layout(struct buf *out, const char *text, size_t len, bool color);

#endif
