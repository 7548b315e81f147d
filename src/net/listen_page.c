/* SPDX-License-Identifier: MIT */
/*
 * The page that a browser gets: proof that the port can be reached, and what
 * to set on the board.
 */
#include "net/listen_private.h"
#include "net/page.h"

void listen_page(struct buf *out, const char *host, const char *device)
{
	page_start(out);
	buf_text(out, "<p>This address answers: network and firewall are fine. "
		      "mcpctl waits here for one MCP device.</p>\n"
		      "<p>Set this as the OTA address of the board:</p>\n");
	page_address(out, host);
	buf_text(out, "<p>Then reboot it, and wake it: wake word or "
		      "button.</p>\n<p>");
	if (device) {
		buf_text(out, "A device is connected: ");
		page_text(out, device);
		buf_text(out, ".");
	} else {
		buf_text(out, "No device is connected now.");
	}
	buf_text(out, "</p>\n");
	page_end(out);
}
