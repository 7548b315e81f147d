/* SPDX-License-Identifier: MIT */
/*
 * The three forms that records can have, and a renderer for one of them.
 */
#ifndef OUT_FORMS_H
#define OUT_FORMS_H

#include "out/render.h"

extern const struct render_ops render_text, render_json, render_raw;

/* stdout and stderr, their terminals, and the environment decide the rest. */
void renderer_init(struct renderer *r, enum output_form form,
		   enum color_mode color);

#endif
