/* SPDX-License-Identifier: MIT */
/* A check as text: stages, plan, backends, end; findings and their stories. */
#ifndef OUT_TEXT_CHECK_H
#define OUT_TEXT_CHECK_H

#include "out/render_text.h"

void text_finding(struct renderer *r, const struct finding_record *f);
void text_stage(struct renderer *r, const struct stage_record *s);
void text_check(struct renderer *r, const struct check_record *c);
void text_plan(struct renderer *r, const struct plan_record *p);
void text_against(struct renderer *r, const struct against_record *a);
void text_explain(struct renderer *r, const struct explanation *e);
void text_finding_row(struct renderer *r, const struct explanation *e);

#endif
