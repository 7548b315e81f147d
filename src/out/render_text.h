/* SPDX-License-Identifier: MIT */
/*
 * The parts of render_text, one file for each kind of record. Only the text
 * renderer includes this.
 */
#ifndef OUT_RENDER_TEXT_H
#define OUT_RENDER_TEXT_H

#include "out/put.h"
#include "out/render.h"

void text_info(struct renderer *r, const struct info_record *i);
void text_tool(struct renderer *r, const struct tool *t,
	       const struct tools_record *of);
void text_tools_end(struct renderer *r, const struct tools_record *t);
void text_describe(struct renderer *r, const struct describe_record *d);
void text_result(struct renderer *r, const struct result *result);
void text_reply(struct renderer *r, const struct message *reply);
void text_ping(struct renderer *r, const struct ping_record *p);
void text_event(struct renderer *r, const struct event *e);
void text_aside(struct renderer *r, const struct event *e);
void text_error(struct renderer *r, const struct error *e);

#endif
