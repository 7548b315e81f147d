/* SPDX-License-Identifier: MIT */
/* What is known of the peer, as text. */
#ifndef OUT_TEXT_INFO_H
#define OUT_TEXT_INFO_H

#include "out/render_text.h"

void text_info(struct renderer *r, const struct info_record *i);

#endif
