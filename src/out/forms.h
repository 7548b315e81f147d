/* SPDX-License-Identifier: MIT */
/*
 * The three forms that records can have, and a renderer for one of them.
 */
#ifndef OUT_FORMS_H
#define OUT_FORMS_H

#include "out/render.h"

extern const struct render_ops render_text, render_json, render_raw;

/* -o table: lines of the JSON form into table (lent), stderr as text. */
void renderer_tabulate(struct renderer *r, struct table *table);

/*
 * The JSON form through query (--jq): text_errors says whether stderr is as in
 * the text form. query is lent.
 */
void renderer_ask(struct renderer *r, struct query *query, int64_t timeout,
		  bool text_errors);

/* stdout and stderr, their terminals, and the environment decide the rest. */
void renderer_init(struct renderer *r, enum output_form form,
		   enum color_mode color);

#endif
