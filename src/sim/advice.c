/* SPDX-License-Identifier: MIT */
/* The first row that fits counts: special ones stand before general ones. */
#include "sim/advice.h"

#include <errno.h>
#include <limits.h>

#include "net/why.h"

#define STANDS_IN_OTA \
	"that address stands in the OTA reply: a device must reach it (of 'mcpctl serve', --advertise says another)"
#define OTA_KNOWS_IDS \
	"a board sends OTA no token, only its Device-Id and Client-Id: does the backend know them (--device-id, --client-id)? or does a proxy in front of it want a login?"
#define OTHER_TOKEN_OR_ID \
	"it may want another token (MCPCTL_SIM_TOKEN or --token-file), or know another --device-id"
#define IS_WEBSOCKET "is a WebSocket server there, and is it ws:// or wss://?"
#define IS_TOLD_WEBSOCKET \
	"that address stands in the OTA reply: is a WebSocket server there, and is it ws:// or wss://?"
#define IS_OTA "is the OTA of a backend there, and is it http:// or https://?"

#define ANY INT_MIN, INT_MAX
#define NUMBER(n) n, n

static const struct advice_row {
	enum why what;
	int from, to; /* the error's code */
	unsigned facts; /* all of these */
	const char *hint; /* NULL: the error's own */
} rows[] = {
	{ WHY_STATUS, NUMBER(401), ADVICE_OTA, OTA_KNOWS_IDS },
	{ WHY_STATUS, NUMBER(401), ADVICE_BROKER, NULL },
	{ WHY_STATUS, NUMBER(401), ADVICE_TOKEN,
	  "the token that was given is not taken there: check MCPCTL_SIM_TOKEN or --token-file" },
	{ WHY_STATUS, NUMBER(401), ADVICE_OTA_TOKEN,
	  "the token of the OTA reply is not taken there: do both belong to the same backend?" },
	{ WHY_STATUS, NUMBER(401), ADVICE_TOLD,
	  "the OTA reply gives no token: it should, or give one by MCPCTL_SIM_TOKEN or --token-file" },
	{ WHY_STATUS, NUMBER(401), 0,
	  "give its token by MCPCTL_SIM_TOKEN or --token-file" },
	{ WHY_STATUS, NUMBER(403), ADVICE_OTA, OTA_KNOWS_IDS },
	{ WHY_STATUS, NUMBER(403), 0, OTHER_TOKEN_OR_ID },
	{ WHY_STATUS, NUMBER(404), ADVICE_OTA,
	  "is this the path of its OTA? (often /xiaozhi/ota/)" },
	{ WHY_STATUS, NUMBER(404), ADVICE_TOLD,
	  "that address stands in the OTA reply: is its path that of the WebSocket? a proxy must pass Upgrade on" },
	{ WHY_STATUS, NUMBER(404), 0,
	  "is this the path of its WebSocket? a proxy must pass Upgrade on" },

	{ WHY_CONNACK, 4, 5, ADVICE_TOLD,
	  "client id, user name and password are those of the OTA reply: does the broker know them?" },

	{ WHY_NO_CONNECTION, NUMBER(EMFILE), 0,
	  "this process may not open more files (ulimit -n)" },
	{ WHY_NO_CONNECTION, NUMBER(ENFILE), 0,
	  "this machine has no more files to open (sysctl fs.file-max)" },
	{ WHY_NO_CONNECTION, ANY, ADVICE_TOLD, STANDS_IN_OTA },
	{ WHY_NO_CONNECTION, ANY, ADVICE_BROKER, NULL },
	{ WHY_NO_CONNECTION, NUMBER(ECONNREFUSED), 0,
	  "is the backend running, and is this its address?" },
	{ WHY_NO_CONNECTION, NUMBER(ETIMEDOUT), 0,
	  "is this its address, and in this network? a firewall can drop it too" },
	{ WHY_NO_CONNECTION, NUMBER(ENETUNREACH), 0,
	  "is this machine in the same network?" },
	{ WHY_NO_CONNECTION, NUMBER(EHOSTUNREACH), 0,
	  "is this machine in the same network?" },
	{ WHY_NO_HOST, ANY, ADVICE_TOLD, STANDS_IN_OTA },
	{ WHY_NO_HOST, ANY, 0, "check the name, or use its IP address" },
	{ WHY_NO_NAMESERVER, ANY, 0, "try its IP address" },

	{ WHY_TLS_SILENT, ANY, 0, "does it speak TLS there?" },
	{ WHY_SILENT, ANY, ADVICE_BROKER, NULL },
	{ WHY_CLOSED, ANY, ADVICE_BROKER, NULL },
	{ WHY_FOREIGN, ANY, ADVICE_BROKER, NULL },
	{ WHY_CLOSED, ANY, ADVICE_OTA, IS_OTA },
	{ WHY_CUT, ANY, ADVICE_OTA, IS_OTA },
	{ WHY_FOREIGN, ANY, ADVICE_OTA, IS_OTA },
	{ WHY_SILENT, ANY, ADVICE_TOLD, IS_TOLD_WEBSOCKET },
	{ WHY_CLOSED, ANY, ADVICE_TOLD, IS_TOLD_WEBSOCKET },
	{ WHY_FOREIGN, ANY, ADVICE_TOLD, IS_TOLD_WEBSOCKET },
	{ WHY_CLOSED, ANY, 0, IS_WEBSOCKET },
	{ WHY_FOREIGN, ANY, 0, IS_WEBSOCKET },
};

static const char *find(int reason, int code, unsigned facts)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct advice_row *r = &rows[i];

		if ((int)r->what == reason && code >= r->from &&
		    code <= r->to && !(r->facts & ~facts))
			return r->hint;
	}
	return NULL;
}

const char *advice_for(const struct error *why, unsigned facts)
{
	return find(why->reason, why->code, facts);
}

const char *advice_for_credentials(unsigned facts)
{
	return find(WHY_STATUS, 401, facts);
}
