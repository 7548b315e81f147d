/* SPDX-License-Identifier: MIT */
/*
 * What the pages of serve are made of. Pure: text in, HTML out. Whatever comes
 * from a peer goes through html_shown or html_value, and is no markup then.
 */
#ifndef SERVE_PAGES_PARTS_H
#define SERVE_PAGES_PARTS_H

#include "base/buf.h"

/* As page_text (net/port_parts.h), of several lines; NULL is nothing. */
void html_shown(struct buf *out, const char *text);
/* Percent-encoded, for a part of a path or of a query. */
void html_path(struct buf *out, const char *text);

/* " NAME=\"TEXT\"", escaped, and nothing else. */
void html_attribute(struct buf *out, const char *name, const char *text);

/* Up to the heading and the line below it. title may be a peer's. */
void html_begin(struct buf *out, const char *title);
void html_end(struct buf *out);
/* A whole page that says one thing (HTML of ours), with a way back; back NULL: none. */
void html_notice(struct buf *out, const char *title, const char *words,
		 const char *back);

/* The date and time of Unix ms, local; appended. */
void html_time(struct buf *out, int64_t ms);

/* Style, script and icon, which are files beside this one. */
struct html_file {
	const char *path, *type, *text;
	size_t len;
};
/* NULL: none has that path. */
const struct html_file *html_file(const char *path);

#endif
