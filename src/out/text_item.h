/* SPDX-License-Identifier: MIT */
/*
 * Tools and what changed in them, resources, templates, prompts, named targets,
 * as text.
 */
#ifndef OUT_TEXT_ITEM_H
#define OUT_TEXT_ITEM_H

#include "out/render_text.h"

void text_tool(struct renderer *r, const struct tool *t,
	       const struct tools_record *of);
void text_tree(struct renderer *r, const struct tools_record *t);
void text_change(struct renderer *r, const struct tool_change *c);
void text_tools_end(struct renderer *r, const struct tools_record *t);
void text_item(struct renderer *r, const struct item_record *i);
void text_items_end(struct renderer *r, const struct items_record *i);
void text_target(struct renderer *r, const struct target_record *t);
void text_neighbour(struct renderer *r, const struct neighbour_record *n);
void text_login(struct renderer *r, const struct login_record *l);
void text_task(struct renderer *r, const struct task_record *record);
void text_trust(struct renderer *r, const struct trust_record *t);
void text_adopt(struct renderer *r, const struct adopt_record *a);

#endif
