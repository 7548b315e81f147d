/* SPDX-License-Identifier: MIT */
/*
 * The parts of render_text, one file for each kind of record. Only the text
 * renderer includes this.
 */
#ifndef OUT_RENDER_TEXT_H
#define OUT_RENDER_TEXT_H

#include "out/render.h"

void text_ping(struct renderer *r, const struct ping_record *p);
void text_pings(struct renderer *r, const struct pings_record *p);
void text_error(struct renderer *r, const struct error *e);
void text_note(struct renderer *r, const char *note);
void text_trace(struct renderer *r, const struct trace *t);

#endif
