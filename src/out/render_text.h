/* SPDX-License-Identifier: MIT */
/*
 * The parts of render_text, one file for each kind of record. Only the text
 * renderer includes this.
 */
#ifndef OUT_RENDER_TEXT_H
#define OUT_RENDER_TEXT_H

#include "out/render.h"
#include "out/stream.h"

void text_info(struct renderer *r, const struct info_record *i);
void text_tool(struct renderer *r, const struct tool *t,
	       const struct tools_record *of);
void text_tree(struct renderer *r, const struct tools_record *t);
void text_change(struct renderer *r, const struct tool_change *c);
void text_tools_end(struct renderer *r, const struct tools_record *t);
void text_describe(struct renderer *r, const struct describe_record *d);
void text_result(struct renderer *r, const struct result *result);
void text_reply(struct renderer *r, const struct message *reply);
void text_ping(struct renderer *r, const struct ping_record *p);
void text_item(struct renderer *r, const struct item_record *i);
void text_items_end(struct renderer *r, const struct items_record *i);
void text_answer(struct renderer *r, const struct answer_record *a);
void text_progress(struct renderer *r, const struct progress_record *p);
void text_target(struct renderer *r, const struct target_record *t);
void text_trust(struct renderer *r, const struct trust_record *t);
void text_event(struct renderer *r, const struct event *e);
void text_aside(struct renderer *r, const struct event *e);
void text_device(struct renderer *r, const struct device_record *d);
void text_row(struct renderer *r, const struct device_record *d);
void text_record(struct renderer *r, const struct record *record);
void text_error(struct renderer *r, const struct error *e);

/* One content of a result: its text, or what it is in words. */
void text_content(struct renderer *r, const struct content *c);
/* The text of a resource alone; nothing if it has none. */
void text_inside(struct renderer *r, const struct content *c);

/*
 * Text of several lines, made safe; where color, those that begin with a space
 * stand out: they are what is to be copied.
 */
void text_lines(struct buf *out, const char *text, bool color);

/* The column of names, as wide as the widest that came, on a terminal. */
size_t text_name_column(struct renderer *r, size_t used);

#endif
