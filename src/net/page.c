/* SPDX-License-Identifier: MIT */
/*
 * The parts of a page. What is said on it is its owner's matter.
 */
#include "net/page.h"

#include <string.h>

#include "base/text.h"
#include "net/ota_door.h"

void page_start(struct buf *out)
{
	buf_text(out,
		 "<!DOCTYPE html>\n<html lang=\"en\"><head>"
		 "<meta charset=\"utf-8\">"
		 "<meta name=\"viewport\" content=\"width=device-width\">"
		 "<title>mcpctl</title></head>\n<body>\n<h1>mcpctl</h1>\n");
}

void page_end(struct buf *out)
{
	buf_text(out, "</body></html>\n");
}

/* C1, and what turns the direction of a line around. */
static bool is_control(uint32_t point)
{
	return (point >= 0x7f && point < 0xa0) ||
	       (point >= 0x200e && point <= 0x200f) ||
	       (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

static void add_character(struct buf *out, const char *text, size_t size)
{
	unsigned char c = (unsigned char)*text;

	if (size == 0 || c < ' ' || is_control(text_point(text, size)))
		buf_char(out, '?');
	else if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'')
		buf_printf(out, "&#%u;", c);
	else
		buf_add(out, text, size);
}

void page_text(struct buf *out, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		size_t size = text_utf8(text, left);

		add_character(out, text, size);
		text += size ? size : 1;
		left -= size ? size : 1;
	}
}

void page_address(struct buf *out, const char *host)
{
	buf_text(out, "<p><b>http://");
	page_text(out, host);
	buf_text(out, OTA_PATH "</b></p>\n");
}
