/* SPDX-License-Identifier: MIT */
/*
 * The page that a browser gets: proof that the port can be reached, and what
 * to set on the board. No script, nothing loaded from elsewhere.
 */
#include "net/listen_private.h"

static void add_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c >= 0x7f || c == '<' || c == '>' || c == '&' ||
		    c == '"' || c == '\'')
			buf_printf(out, c < ' ' || c >= 0x7f ? "?" : "&#%u;",
				   c);
		else
			buf_char(out, (char)c);
	}
}

void listen_page(struct buf *out, const char *host, const char *device)
{
	buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head>"
		      "<meta charset=\"utf-8\">"
		      "<meta name=\"viewport\" content=\"width=device-width\">"
		      "<title>mcpctl</title></head>\n<body>\n<h1>mcpctl</h1>\n"
		      "<p>This address answers: network and firewall are fine. "
		      "mcpctl waits here for one MCP device.</p>\n"
		      "<p>Set this as the OTA address of the board:</p>\n"
		      "<p><b>http://");
	add_escaped(out, host);
	buf_text(out, OTA_PATH "</b></p>\n"
			       "<p>Then reboot it, and wake it: wake word or "
			       "button.</p>\n<p>");
	if (device) {
		buf_text(out, "A device is connected: ");
		add_escaped(out, device);
		buf_text(out, ".");
	} else {
		buf_text(out, "No device is connected now.");
	}
	buf_text(out, "</p>\n</body></html>\n");
}
