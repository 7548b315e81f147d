/* SPDX-License-Identifier: MIT */
/* Events, as text. */
#ifndef OUT_TEXT_EVENT_H
#define OUT_TEXT_EVENT_H

#include "out/render_text.h"

void text_event(struct renderer *r, const struct event *e);
void text_aside(struct renderer *r, const struct event *e);
void text_record(struct renderer *r, const struct record *record);

#endif
