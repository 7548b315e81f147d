/* SPDX-License-Identifier: MIT */
/*
 * The parts of render_text, one file for each kind of record. Only the text
 * renderer includes this.
 */
#ifndef OUT_RENDER_TEXT_H
#define OUT_RENDER_TEXT_H

#include "out/render.h"

void text_info(struct renderer *r, const struct info_record *i);
void text_tool(struct renderer *r, const struct tool *t,
	       const struct tools_record *of);
void text_tree(struct renderer *r, const struct tools_record *t);
void text_change(struct renderer *r, const struct tool_change *c);
void text_tools_end(struct renderer *r, const struct tools_record *t);
void text_ping(struct renderer *r, const struct ping_record *p);
void text_item(struct renderer *r, const struct item_record *i);
void text_items_end(struct renderer *r, const struct items_record *i);
void text_target(struct renderer *r, const struct target_record *t);
void text_neighbour(struct renderer *r, const struct neighbour_record *n);
void text_login(struct renderer *r, const struct login_record *l);
void text_task(struct renderer *r, const struct task_record *record);
void text_trust(struct renderer *r, const struct trust_record *t);
void text_adopt(struct renderer *r, const struct adopt_record *a);
void text_finding(struct renderer *r, const struct finding_record *f);
void text_stage(struct renderer *r, const struct stage_record *s);
void text_check(struct renderer *r, const struct check_record *c);
void text_plan(struct renderer *r, const struct plan_record *p);
void text_against(struct renderer *r, const struct against_record *a);
void text_explain(struct renderer *r, const struct explanation *e);
void text_finding_row(struct renderer *r, const struct explanation *e);
void text_event(struct renderer *r, const struct event *e);
void text_aside(struct renderer *r, const struct event *e);
void text_record(struct renderer *r, const struct record *record);
void text_error(struct renderer *r, const struct error *e);
void text_note(struct renderer *r, const char *note);
void text_trace(struct renderer *r, const struct trace *t);

#endif
