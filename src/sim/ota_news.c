/* SPDX-License-Identifier: MIT */
/* Firmware that is installed at once, a token that stays. */
#include "sim/ota_news.h"

#include <stdarg.h>

#include "base/mem.h"
#include "wire/board_text.h"

#define SHOWN 200 /* bytes of a peer's text */

PRINTF_LIKE(2, 3)
static void say(struct words *out, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	words_add(out, text);
}

static void add_firmware(struct words *out, const struct ota_reply *r,
			 const char *own)
{
	const char *offered = r->firmware_version, *url = r->firmware_url;
	const bool newer = offered && board_version_newer(offered, own);
	CLEANUP(mem_free_ptr) char *what = NULL;

	if (!offered || !url || !(newer || r->firmware_forced))
		return;
	what = r->firmware_forced ?
		       mem_printf("forces firmware %.*s on it", SHOWN,
				  offered) :
		       mem_printf("has firmware %.*s, newer than this one's %s",
				  SHOWN, offered, own);
	if (*url)
		say(out,
		    "the OTA reply %s: a board installs it at once from '%.*s', and restarts if that succeeds; this one only says so",
		    what, SHOWN, url);
	else
		say(out,
		    "the OTA reply %s: a board tries to install it at once, from an empty url; this one only says so",
		    what);
}

/* 5.4 item 11. */
static void add_token(struct words *out, const struct ota_reply *r,
		      const struct ota_asker *asker)
{
	const char *own = "has none";

	if (!r->websocket || r->mqtt || r->websocket_token)
		return;
	if (asker->token && *asker->token)
		own = "sends the one that was given";
	else if (asker->stored_token && *asker->stored_token)
		own = "sends that of an earlier reply";
	say(out,
	    "the 'websocket' of the OTA reply has no token: a board sends the one that it has stored, if any; this one %s",
	    own);
}

void ota_news(struct words *out, const struct ota_reply *reply,
	      const struct ota_asker *asker)
{
	add_firmware(out, reply, asker->version);
	add_token(out, reply, asker);
}
