/* SPDX-License-Identifier: MIT */
/*
 * What is printed when listen: is open: the addresses and the next steps.
 */
#include "base/mem.h"
#include "net/listen_private.h"

static void add_addresses(struct listen *l, struct buf *out)
{
	struct words found = { 0 };

	ota_addresses(&found, l->host, l->port);
	for (size_t i = 0; i < found.count; i++)
		buf_printf(out, "  %s\n", found.word[i]);
	l->ota_url = mem_strdup(found.word[0]);
	words_done(&found);
}

static void add_advertised(struct listen *l, struct buf *out)
{
	struct words found = { 0 };

	l->ota_url = mem_strdup(l->advertised_ota);
	buf_printf(out, "  %s\n", l->advertised_ota);
	/* A URL is a proxy's: what it must pass on to is worth a line. */
	if (!l->behind_proxy)
		return;
	ota_addresses(&found, l->host, l->port);
	buf_printf(out, "  (passed on to %s)\n", found.word[0]);
	words_done(&found);
}

void listen_describe(struct listen *l, struct buf *out)
{
	buf_printf(out, "listening on port %u\n", (unsigned)l->port);
	buf_text(out, "OTA address to set on the board:\n");
	if (l->advertised_ota)
		add_advertised(l, out);
	else
		add_addresses(l, out);
	buf_text(out,
		 "1. set it on the board (Wi-Fi setup page, advanced)\n"
		 "2. reboot the board: it asks this address where to dial\n"
		 "3. wake it: wake word or button\n"
		 "open the same address in a phone's browser: no page means a "
		 "firewall,\na page means the board");
}
