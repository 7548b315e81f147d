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

void page_text(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	text_safe(&safe, text, strlen(text), TEXT_NAME);
	for (const char *p = buf_string(&safe); *p; p++) {
		if (strchr("<>&\"'", *p))
			buf_printf(out, "&#%u;", (unsigned)*p);
		else
			buf_char(out, *p);
	}
}

void page_address(struct buf *out, const char *host)
{
	buf_text(out, "<p><b>http://");
	page_text(out, host);
	buf_text(out, OTA_PATH "</b></p>\n");
}
