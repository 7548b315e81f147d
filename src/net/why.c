/* SPDX-License-Identifier: MIT */
/*
 * The table of reasons, and how a row becomes an error. The first row that
 * fits counts: special ones stand before general ones.
 */
#include "net/why.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/tls_chain.h"

#define VALUE_MAX 200 /* bytes of one fact that are told */

/* OpenSSL's words. */
#define NO_TLS "wrong version number|packet length too long|unknown protocol"
#define ENDED "|unexpected eof|SSL_ERROR_SYSCALL"
/* It chose an older one by itself, or told that it has no other. */
#define OLD_TLS "unsupported protocol|protocol version"
#define OTHER_NAME "mismatch|does not match|no altern"
/* So does a chain that is not whole, where nothing tells (net/tls_chain.h). */
#define UNKNOWN_CA \
	"self-signed|self signed|issuer certificate|unable to verify the first|unknown ca"

#define NO_USER                                                              \
	"name the user as in mqtt://USER@HOST/…; its password comes from " \
	"--mqtt-password-file or MCPCTL_MQTT_PASSWORD"
#define NO_PASSWORD \
	"check the password (--mqtt-password-file or MCPCTL_MQTT_PASSWORD), and that the broker knows the user"
#define CREDENTIALS \
	"give credentials: MCPCTL_TOKEN, --token-file, or --header 'Authorization: …'"
#define CHECK_TOKEN \
	"credentials were sent: check them (MCPCTL_TOKEN, --token-file, --header 'Authorization: …')"
#define OR_ADDRESS "; it may also refuse this address or name"
#define CHECK_PROXY \
	"check --proxy and the environment's http_proxy, https_proxy, all_proxy; --proxy none goes without one"
#define CHECK_PATH "check the path of the target (often /mcp or /sse)"
#define SERVER_LOG "the server's own log may tell why"
#define PASS_UPGRADE "what stands in front of it must pass Upgrade on"
#define MAY_HOLD \
	"a proxy in front of it may hold it back (nginx: proxy_buffering off)"
#define NOT_KNOWN "whether the request was carried out is not known"
#define TRUST \
	"--cacert FILE trusts another certificate, --insecure skips the check"
#define IS_IT "is it {server}?{ does it want wish}"

#define SEE_LOG "the broker's log may tell more"

#define ANY 0, 0, NULL
#define NUMBER(n) n, n, NULL
#define SAID(words) 0, 0, words

/* Families that differ in a few words. */
#define NO_CONNECTION(with, error, within, hint, finding)                             \
	{                                                                             \
		WHY_NO_CONNECTION, with, error, error, NULL, ERR_CONNECT,             \
			"cannot connect to {it}'{host}' port {port}: {errno}" within, \
			hint, finding                                                 \
	}
#define TLS(said, hint, finding)                                              \
	{                                                                     \
		WHY_TLS, 0, 0, 0, said, ERR_CONNECT,                          \
			"TLS with {it}'{host}' failed: {said}", hint, finding \
	}
#define UPGRADE(said, words, hint)                                        \
	{                                                                 \
		WHY_UPGRADE, 0, 0, 0, said, ERR_PROTOCOL,                 \
			"'{host}' broke the WebSocket handshake: " words, \
			hint, NULL                                        \
	}
#define CONNACK(with, code, kind, words, hint)                                \
	{                                                                     \
		WHY_CONNACK, with, code, code, NULL, kind,                    \
			"the broker '{host}' refused the connection: " words, \
			hint, "M401"                                          \
	}
#define STATUS(from, to, words, hint)                                      \
	{                                                                  \
		WHY_STATUS, 0, from, to, NULL, ERR_CONNECT,                \
			"'{host}' " words ": HTTP {number}{: said}", hint, \
			"P713"                                             \
	}

static const struct why_row rows[] = {
	{ WHY_NO_NAMESERVER, 0, ANY, ERR_CONNECT,
	  "cannot find the {whose}host '{host}': the name server does not answer",
	  "try its IP address", "N101" },
	{ WHY_NO_HOST, 0, ANY, ERR_CONNECT,
	  "cannot find the {whose}host '{host}'{: said}",
	  "check the name, or use its IP address", "N101" },

	/* That of 'serve --mqtt' is for boards alone. */
	NO_CONNECTION(WITH_MQTT | WITH_FIVE, ECONNREFUSED, "",
		      "is a broker running there, and on this port?", "N102"),
	NO_CONNECTION(
		WITH_MQTT, ECONNREFUSED, "",
		"is a broker running there, and on this port? 'mcpctl serve --mqtt' starts one",
		"N102"),
	NO_CONNECTION(0, ECONNREFUSED, "",
		      "is the server running there, and on this port?", "N102"),
	NO_CONNECTION(
		0, ETIMEDOUT, "{ within wait}",
		"is the address right, and in this network? a firewall can drop it too",
		"N103"),
	NO_CONNECTION(0, ENETUNREACH, "",
		      "is this machine in the same network?", "N104"),
	NO_CONNECTION(0, EHOSTUNREACH, "",
		      "is this machine in the same network?", "N104"),
	NO_CONNECTION(0, EMFILE, "",
		      "this process may not open more files (ulimit -n)", NULL),
	NO_CONNECTION(
		0, ENFILE, "",
		"this machine has no more files to open (sysctl fs.file-max)",
		NULL),
	NO_CONNECTION(0, 0, "", "check the address", NULL),

	{ WHY_PROXY, 0, NUMBER(407), ERR_AUTH,
	  "the proxy wants credentials: HTTP 407",
	  "give them as in --proxy http://USER:PASSWORD@HOST:PORT", "N114" },
	{ WHY_PROXY, 0, 1, 299, NULL, ERR_CONNECT,
	  "cannot connect to the proxy {said}: {errno}", CHECK_PROXY, NULL },
	{ WHY_PROXY, 0, ANY, ERR_CONNECT,
	  "the proxy does not let us through: {said}", CHECK_PROXY, "N114" },
	{ WHY_BAD_CACERT, 0, ANY, ERR_USAGE,
	  "the certificates of '{path}' cannot be used",
	  "--cacert names a file of certificates in PEM form", NULL },

	{ WHY_TLS, WITH_BOARD, SAID(NO_TLS), ERR_CONNECT,
	  "'{host}' does not speak TLS there",
	  "try without (http://, ws://, mqtt://), or another port", "N121" },
	{ WHY_TLS, 0, SAID(NO_TLS), ERR_CONNECT,
	  "{it}'{host}' does not speak TLS on port {port}",
	  "use {open} instead of {secure}, or another port{usual}", "N121" },
	{ WHY_TLS, WITH_MQTT, SAID(ENDED), ERR_CONNECT,
	  "the broker '{host}' port {port} ended the TLS handshake",
	  "does it speak TLS there? else use mqtt:// instead of mqtts://, or another port (8883 is usual)",
	  "N113" },
	{ WHY_TLS, 0, SAID(ENDED), ERR_CONNECT,
	  "TLS with '{host}' failed: it ended the handshake",
	  "does it speak TLS there? else try without (http://, ws://, mqtt://), or another port",
	  "N113" },
	{ WHY_TLS, 0, SAID(OLD_TLS), ERR_CONNECT,
	  "TLS with {it}'{host}' failed: it speaks neither TLS 1.2 nor 1.3",
	  "TLS 1.0 and 1.1 are refused here, as at OpenSSL's usual security level, since they are no longer safe: let the server speak 1.2 or later; if it speaks no TLS at all, try without (http://, ws://, mqtt://)",
	  "N206" },
	TLS(OTHER_NAME,
	    "its certificate is for another name: use that one as the host (openssl x509 -text shows it); --insecure skips the check",
	    "N203"),
	TLS("has expired",
	    "its certificate must be renewed, unless the clock here is wrong; --insecure skips the check",
	    "N201"),
	TLS("not yet valid",
	    "is the clock here wrong? --insecure skips the check", "N202"),
	TLS("certificate required",
	    "it wants a certificate of its clients, and mcpctl has none: let it take a password or a token instead",
	    "N207"),
	TLS("handshake failure",
	    "it may want a certificate of its clients, which mcpctl has not, or ciphers that are not spoken here",
	    NULL),
	TLS(TLS_CHAIN_CUT,
	    "it sends its own certificate alone: let it send those of the authorities between, too (often fullchain.pem in place of cert.pem); --insecure skips the check",
	    "N205"),
	TLS(UNKNOWN_CA, TRUST, "N204"),
	TLS("certificate|issuer|verif", TRUST, NULL),
	TLS(NULL, "'openssl s_client -connect {host}:{port}' may tell more",
	    NULL),

	{ WHY_TLS_SILENT, 0, ANY, ERR_CONNECT,
	  "'{host}' port {port} accepted the connection, but not the TLS handshake within {wait}",
	  IS_IT, "N111" },
	{ WHY_SILENT, WITH_MQTT, ANY, ERR_CONNECT,
	  "'{host}' port {port} accepted the connection, but no MQTT handshake followed within {wait}",
	  IS_IT, "N111" },
	{ WHY_SILENT, 0, ANY, ERR_CONNECT,
	  "'{host}' port {port} accepted the connection, but not the WebSocket handshake within {wait}",
	  IS_IT, "N111" },
	{ WHY_CLOSED, WITH_MQTT | WITH_FIVE, ANY, ERR_CONNECT,
	  "'{host}' port {port} closed the connection during the MQTT handshake",
	  IS_IT
	  " does it speak MQTT 5? one of MQTT 3.1.1 alone may close so (RabbitMQ 3.10 does)",
	  "N113" },
	{ WHY_CLOSED, WITH_MQTT, ANY, ERR_CONNECT,
	  "'{host}' port {port} closed the connection during the MQTT handshake",
	  IS_IT
	  " a gateway for boards closes so when client id, user or password (a signature) do not fit",
	  "N113" },
	{ WHY_CLOSED, WITH_HTTP, ANY, ERR_CONNECT,
	  "'{host}' port {port} closed the connection without an answer", IS_IT,
	  "N117" },
	{ WHY_CLOSED, 0, ANY, ERR_CONNECT,
	  "'{host}' port {port} closed the connection during the handshake",
	  IS_IT, "N113" },
	{ WHY_FOREIGN, WITH_MQTT | WITH_FIVE, ANY, ERR_PROTOCOL,
	  "'{host}' port {port} answered something that is no MQTT 5", IS_IT,
	  "N112" },
	{ WHY_FOREIGN, WITH_MQTT, ANY, ERR_PROTOCOL,
	  "'{host}' port {port} answered something that is no MQTT", IS_IT,
	  "N112" },
	{ WHY_FOREIGN, WITH_HTTP, ANY, ERR_PROTOCOL,
	  "'{host}' port {port} answered something that is no HTTP, or a head that is too long",
	  IS_IT, "N112" },
	{ WHY_FOREIGN, 0, ANY, ERR_CONNECT,
	  "'{host}' port {port} answered something that is no HTTP, or more than 16 kB of it",
	  IS_IT, "N112" },

	UPGRADE("ACCEPT missing", "its answer has no Sec-WebSocket-Accept",
		IS_IT),
	UPGRADE("Accept hash wrong", "its Sec-WebSocket-Accept is wrong",
		IS_IT),
	UPGRADE("PROTOCOL malformed",
		"it chose a subprotocol that was not offered",
		"offer it: --header 'Sec-WebSocket-Protocol: NAME' (mcp, perhaps)"),
	UPGRADE("EXT:", "it uses an extension that was not offered", IS_IT),
	UPGRADE("Upgrade to something", "its answer upgrades to something else",
		IS_IT),
	UPGRADE("UPGRADE m", "its answer has no proper Upgrade and Connection",
		IS_IT),
	UPGRADE(NULL, "its answer is no WebSocket handshake", IS_IT),

	CONNACK(WITH_FIVE, 1, ERR_CONNECT, "it does not speak MQTT 5",
		"a broker for MCP over MQTT must: mosquitto has it from 1.6 on, EMQX and HiveMQ have it"),
	CONNACK(0, 1, ERR_CONNECT, "it does not speak MQTT 3.1.1", SEE_LOG),
	CONNACK(0, 2, ERR_CONNECT, "it does not accept this client id",
		SEE_LOG),
	CONNACK(0, 3, ERR_CONNECT, "it is not available", SEE_LOG),
	CONNACK(WITH_USER, 4, ERR_AUTH, "bad user name or password",
		NO_PASSWORD),
	CONNACK(0, 4, ERR_AUTH, "bad user name or password", NO_USER),
	CONNACK(WITH_USER, 5, ERR_AUTH, "not authorised", NO_PASSWORD),
	CONNACK(0, 5, ERR_AUTH, "not authorised", NO_USER),
	CONNACK(0, 0, ERR_CONNECT, "for a reason of its own", SEE_LOG),

	{ WHY_STATUS, WITH_TOKEN, NUMBER(401), ERR_AUTH,
	  "'{host}' refused: HTTP 401 (not authorized){: said}{; it asks for 'challenge'}",
	  CHECK_TOKEN, "P707" },
	{ WHY_STATUS, 0, NUMBER(401), ERR_AUTH,
	  "'{host}' refused: HTTP 401 (not authorized){: said}{; it asks for 'challenge'}",
	  CREDENTIALS, "P707" },
	{ WHY_STATUS, WITH_TOKEN | WITH_WS, NUMBER(403), ERR_AUTH,
	  "'{host}' refused: HTTP 403 (forbidden){: said}{; it asks for 'challenge'}",
	  CHECK_TOKEN OR_ADDRESS, "N116" },
	{ WHY_STATUS, WITH_WS, NUMBER(403), ERR_AUTH,
	  "'{host}' refused: HTTP 403 (forbidden){: said}{; it asks for 'challenge'}",
	  CREDENTIALS OR_ADDRESS, "N116" },
	{ WHY_STATUS, WITH_TOKEN, NUMBER(403), ERR_AUTH,
	  "'{host}' refused: HTTP 403 (forbidden){: said}{; it asks for 'challenge'}",
	  CHECK_TOKEN OR_ADDRESS, NULL },
	{ WHY_STATUS, 0, NUMBER(403), ERR_AUTH,
	  "'{host}' refused: HTTP 403 (forbidden){: said}{; it asks for 'challenge'}",
	  CREDENTIALS OR_ADDRESS, NULL },
	{ WHY_BAD_TOKEN, 0, ANY, ERR_AUTH,
	  "'{host}' does not take this token: HTTP {number}{: said}{; it asks for 'challenge'}",
	  "it may be expired, revoked, or made for another server: give another (MCPCTL_TOKEN, --token-file)",
	  "P707" },
	{ WHY_SCOPE, 0, ANY, ERR_AUTH,
	  "'{host}' takes the token, but not for this: HTTP {number} (insufficient scope){: said}{; it asks for 'challenge'}",
	  "get a token with more rights{, with the scope 'to'}", "P707" },
	{ WHY_STATUS, WITH_WS | WITH_PLAIN, 400, 400, "https", ERR_CONNECT,
	  "'{host}' did not open a WebSocket at '{path}': HTTP 400, it speaks TLS on port {port}",
	  "use wss:// instead of ws://", "N121" },
	{ WHY_STATUS, WITH_WS, NUMBER(404), ERR_CONNECT,
	  "'{host}' has no WebSocket at '{path}': HTTP 404",
	  "check the path of the target; " PASS_UPGRADE, "N116" },
	{ WHY_STATUS, WITH_WS, NUMBER(421), ERR_CONNECT,
	  "'{host}' does not serve this host: HTTP 421",
	  "use its IP address; if it is mcpctl, --allow-host there adds a name",
	  "N116" },
	{ WHY_STATUS, WITH_WS, NUMBER(503), ERR_CONNECT,
	  "'{host}' is busy: HTTP 503",
	  "it may serve one client at a time; try again when that one has gone",
	  "N116" },
	{ WHY_STATUS, WITH_WS, NUMBER(426), ERR_CONNECT,
	  "'{host}' did not open a WebSocket at '{path}': HTTP {number}",
	  "it saw no Upgrade that it takes: " PASS_UPGRADE, "N110" },
	{ WHY_STATUS, WITH_WS, ANY, ERR_CONNECT,
	  "'{host}' did not open a WebSocket at '{path}': HTTP {number}",
	  "is this the address of a WebSocket server? " PASS_UPGRADE, "N116" },
	{ WHY_STATUS, WITH_PLAIN, 400, 400, "https", ERR_CONNECT,
	  "'{host}' did not accept the request: HTTP 400{: said}",
	  "use https:// instead of http://", "N121" },
	STATUS(404, 404, "has no MCP server at '{path}'", CHECK_PATH),
	STATUS(405, 405, "does not take this kind of request here", CHECK_PATH),
	STATUS(406, 406, "has no answer of a kind that we accept", CHECK_PATH),
	STATUS(408, 408, "waited too long for the request", "try again"),
	STATUS(413, 413, "does not take a request of this size",
	       "a proxy in front of it may set the limit (nginx: client_max_body_size)"),
	STATUS(415, 415, "does not take JSON here", CHECK_PATH),
	STATUS(421, 421, "does not serve this host",
	       "use its IP address, or --header 'Host: …'; if it is mcpctl, --allow-host there adds a name"),
	STATUS(429, 429, "has had too many requests", "try again later"),
	STATUS(431, 431, "does not take headers of this length",
	       "a board may have room for 512 bytes of them: a shorter token, fewer or shorter --header"),
	STATUS(400, 499, "did not accept the request", SERVER_LOG),
	STATUS(501, 501, "failed", "is this the address of an MCP server?"),
	STATUS(502, 502, "is not available", "what it stands for may be down"),
	STATUS(503, 503, "is not available", "try again later"),
	STATUS(504, 504, "is not available",
	       "what it stands for did not answer"),
	STATUS(500, INT_MAX, "failed", SERVER_LOG),
	STATUS(0, 0, "gave no answer of use", CHECK_PATH),

	{ WHY_REDIRECT, WITH_WS, ANY, ERR_CONNECT,
	  "'{host}' did not open a WebSocket at '{path}': HTTP {number}",
	  "it redirects to '{to}': if you trust that, make it the target",
	  "N115" },
	{ WHY_REDIRECT, 0, ANY, ERR_CONNECT,
	  "'{host}' redirects to '{to}': HTTP {number}",
	  "if you trust that, make it the target", "P715" },
	{ WHY_REDIRECT_AGAIN, 0, ANY, ERR_CONNECT,
	  "'{host}' redirects again and again, at last to '{to}': HTTP {number}",
	  "is it behind a login? a browser or curl -iL shows where it leads",
	  "P715" },
	{ WHY_REDIRECT_ODD, 0, ANY, ERR_CONNECT,
	  "'{host}' redirects to '{to}', which is no http or https URL: HTTP {number}",
	  CHECK_PATH, "P715" },
	{ WHY_REDIRECT_NOWHERE, 0, ANY, ERR_CONNECT,
	  "'{host}' redirects without saying where to: HTTP {number}",
	  CHECK_PATH, "P715" },
	{ WHY_SESSION_FORGOTTEN, 0, ANY, ERR_CONNECT,
	  "'{host}' does not know the session any more: HTTP {number}",
	  "it was restarted, or ended the session: connect again", "P704" },
	{ WHY_SERVER_GONE, 0, ANY, ERR_CONNECT,
	  "'{host}' does not know the MCP server any more: HTTP {number}",
	  "it answered before: was it stopped, or is another server behind this address?",
	  "P713" },

	{ WHY_NO_ANSWER, 0, ANY, ERR_PROTOCOL,
	  "'{host}' took the request and gave no answer: HTTP {number}",
	  "its log may tell why; is it an MCP server, and at this path?",
	  "P714" },
	{ WHY_COMPRESSED, 0, ANY, ERR_PROTOCOL,
	  "'{host}' sent its answer compressed ('{said}'), which is not read here",
	  "--header 'Accept-Encoding: identity' asks for the plain one", NULL },
	{ WHY_PAGE, 0, ANY, ERR_PROTOCOL,
	  "'{host}' answered with a web page: that is no MCP server",
	  CHECK_PATH, "P708" },
	{ WHY_TYPE, 0, ANY, ERR_PROTOCOL,
	  "'{host}' answered with '{said}', neither JSON nor an event stream",
	  "is this the address of an MCP server?", "P728" },
	{ WHY_NO_MESSAGE, 0, ANY, ERR_PROTOCOL,
	  "the answer of '{host}' is no message: {said}", NULL, NULL },
	{ WHY_CUT, 0, ANY, ERR_CONNECT,
	  "the connection to '{host}' broke before its answer was whole",
	  NOT_KNOWN, "N117" },
	{ WHY_STREAM_OFTEN, 0, ANY, ERR_CONNECT, "'{host}' ended it too often",
	  NULL, NULL },
	{ WHY_NO_ENDPOINT, 0, ANY, ERR_PROTOCOL,
	  "the event stream of '{host}' ended without telling where messages go",
	  "is it an MCP server?", "P703" },
	{ WHY_ENDPOINT_MISSING, 0, ANY, ERR_CONNECT,
	  "'{host}' opened the event stream and told to send messages to '{path}', and has nothing there: HTTP {number}",
	  "a proxy that cuts a part off the path must tell the server of it (often root_path or a base URL)",
	  "P703" },
	{ WHY_ENDPOINT_SILENT, 0, ANY, ERR_PROTOCOL,
	  "'{host}' does not tell where messages go: no event 'endpoint' came",
	  "is it an MCP server? a proxy in front of it may hold events back (nginx: proxy_buffering off)",
	  "P703" },

	{ WHY_SUBSCRIBE, WITH_USER, ANY, ERR_AUTH,
	  "the broker '{host}' does not let us subscribe to '{path}'",
	  "its access rules must allow that for this user", "M413" },
	{ WHY_SUBSCRIBE, 0, ANY, ERR_AUTH,
	  "the broker '{host}' does not let us subscribe to '{path}'",
	  "its access rules must allow that for users that give no name; " NO_USER,
	  "M413" },
	{ WHY_NO_PONG, 0, ANY, ERR_CONNECT,
	  "the connection to the broker '{host}' is dead: no answer to a ping",
	  NULL, NULL },
	{ WHY_NO_MQTT, 0, ANY, ERR_PROTOCOL,
	  "the connection to the broker '{host}' ended: what came is no MQTT",
	  NULL, NULL },
	{ WHY_WENT_AFTER, WITH_LARGE, ANY, ERR_CONNECT,
	  "the broker '{host}' closed the connection right after it was sent {said}",
	  "a gateway for boards may take 8,192 bytes at most, and close at a larger message",
	  "M414" },
	{ WHY_WENT_AFTER, WITH_BROKEN, ANY, ERR_CONNECT,
	  "the broker '{host}' closed the connection right after it was sent {said}",
	  "that is no whole JSON, at which gateways for boards close", "M414" },
	{ WHY_WENT_AFTER, WITH_ID, ANY, ERR_CONNECT,
	  "the broker '{host}' closed the connection right after it was sent {said}",
	  "gateways for boards close at what they do not accept: does that fit, and client id and signature? else: was it stopped? another client with our client id would end it too",
	  "M414" },
	{ WHY_WENT_AFTER, 0, ANY, ERR_CONNECT,
	  "the broker '{host}' closed the connection right after it was sent {said}",
	  "gateways for boards close at what they do not accept: does that fit? else: was it stopped?",
	  "M414" },
	{ WHY_WENT, WITH_HTTP, ANY, ERR_CONNECT,
	  "the connection to '{host}' broke before its answer was whole",
	  NOT_KNOWN, "N117" },
	{ WHY_WENT, WITH_MQTT | WITH_ID, ANY, ERR_CONNECT,
	  "the broker '{host}' went away",
	  "was it stopped? another client with our client id would end it too",
	  "M414" },
	{ WHY_WENT, WITH_MQTT, ANY, ERR_CONNECT,
	  "the broker '{host}' went away", "was it stopped?", "M414" },
	{ WHY_WENT, 0, ANY, ERR_CONNECT,
	  "'{host}' closed the connection during the handshake", IS_IT,
	  "N113" },

	{ WHY_WAITS_ANSWER, WITH_OLD, ANY, ERR_CONNECT,
	  "'{host}' took the request, and has not begun to answer", MAY_HOLD,
	  NULL },
	{ WHY_WAITS_ANSWER, 0, ANY, ERR_CONNECT,
	  "'{host}' took the request, and has not begun to answer",
	  "--timeout waits longer", NULL },
	{ WHY_WAITS_END, WITH_OLD, ANY, ERR_CONNECT,
	  "'{host}' began to answer, and has not ended", MAY_HOLD, NULL },
	{ WHY_WAITS_END, 0, ANY, ERR_CONNECT,
	  "'{host}' began to answer, and has not ended",
	  "--timeout waits longer", NULL },
	{ WHY_WAITS_ENDPOINT, 0, ANY, ERR_CONNECT,
	  "'{host}' opened the event stream, and does not tell where messages go (event 'endpoint')",
	  MAY_HOLD, NULL },
	{ WHY_WAITS_EVENT, 0, ANY, ERR_CONNECT,
	  "'{host}' began a stream of events, and none of them came", MAY_HOLD,
	  NULL },
	{ WHY_WAITS_BROKER, 0, ANY, ERR_CONNECT,
	  "the broker '{host}' port {port} has not answered yet",
	  "is it {server}?", NULL },
	{ WHY_WAITS_DEVICE, 0, ANY, ERR_CONNECT,
	  "nothing was heard of the device '{said}': it was asked by '{path}' and should answer to '{to}'",
	  "stock firmware never subscribes, so a plain broker cannot reach it: use 'mcpctl serve --mqtt', or a broker that subscribes for it; else check the topics (?up=TOPIC&down=TOPIC)",
	  NULL },
	/* The last one: whatever else. */
	{ WHY_OTHER, 0, ANY, ERR_CONNECT,
	  "the request to '{host}' failed{: said}", NULL, NULL },
};

const struct why_row *why_rows(size_t *count)
{
	*count = COUNT(rows);
	return rows;
}

/* One of alternatives, "a|b", stands in said. */
static bool has_said(const char *alternatives, const char *said)
{
	for (const char *at = alternatives;; at++) {
		size_t len = strcspn(at, "|");
		CLEANUP(mem_free_ptr) char *word = mem_strndup(at, len);

		if (len ? text_find(said, word) != NULL : !*said)
			return true;
		at += len;
		if (!*at)
			return false;
	}
}

static bool fits(const struct why_row *r, const struct why_facts *f)
{
	return r->what == f->what && !(r->with & ~f->with) &&
	       (!r->to || (f->number >= r->from && f->number <= r->to)) &&
	       (!r->said || has_said(r->said, f->said ? f->said : ""));
}

const struct why_row *why_find(const struct why_facts *f)
{
	const struct why_row *r = rows;

	while (r < rows + COUNT(rows) - 1 && !fits(r, f))
		r++;
	return r;
}

static const char *errno_words(int error)
{
	switch (error) {
	case 0:
		return "it failed"; /* nobody told an errno */
	case ECONNREFUSED:
		return "connection refused";
	case ETIMEDOUT:
		return "no answer";
	case ENETUNREACH:
	case EHOSTUNREACH:
		return "no route to it";
	default:
		return strerror(error);
	}
}

/* What each transport calls things: ws, wss, http, https, mqtt, mqtts. */
static const struct {
	const char *name, *of[6];
} nouns[] = {
	{ "it", { "", "", "", "", "the broker ", "the broker " } },
	{ "whose", { "", "", "", "", "broker's ", "broker's " } },
	{ "server",
	  { "a WebSocket server", "a WebSocket server", "an HTTP server",
	    "an HTTPS server", "an MQTT broker", "an MQTT broker" } },
	{ "wish", { "wss://?", "", "https://?", "", "mqtts://?", "" } },
	{ "open", { "", "ws://", "", "http://", "", "mqtt://" } },
	{ "secure", { "", "wss://", "", "https://", "", "mqtts://" } },
	{ "usual", { "", "", "", "", "", " (8883 is usual)" } },
};

static const char *value(const void *of, const char *name, char room[TEXT_ROOM])
{
	const struct why_facts *f = of;
	const unsigned transport = (f->with & WITH_MQTT ? 4u :
				    f->with & WITH_HTTP ? 2u :
							  0u) +
				   (f->with & WITH_PLAIN ? 0u : 1u);
	const struct {
		const char *name, *value;
	} facts[] = {
		{ "host", f->host },
		{ "path", f->path },
		{ "to", f->to },
		{ "said", f->said },
		{ "challenge", f->challenge },
		{ "errno", errno_words(f->number) },
	};

	for (size_t i = 0; i < COUNT(facts); i++) {
		if (strcmp(facts[i].name, name) == 0)
			return facts[i].value;
	}
	for (size_t i = 0; i < COUNT(nouns); i++) {
		if (strcmp(nouns[i].name, name) == 0)
			return nouns[i].of[transport];
	}
	if (strcmp(name, "wait") == 0)
		return f->waited ?
			       text_milliseconds(f->waited, room, TEXT_ROOM) :
			       NULL;
	snprintf(room, TEXT_ROOM, "%d",
		 strcmp(name, "port") == 0 ? f->port : f->number);
	return room;
}

enum why why_lookup(int status, const char **said)
{
	*said = NULL;
	if (status == UV_ETIMEDOUT)
		return WHY_NO_NAMESERVER;
	*said = status ? uv_strerror(status) : "it has no address";
	return WHY_NO_HOST;
}

int why_set(struct error *err, const struct why_facts *f)
{
	const struct why_row *r = why_find(f);
	CLEANUP(buf_done) struct buf text = { 0 }, hint = { 0 };

	text_fill(&text, r->text, value, f, VALUE_MAX);
	text_fill(&hint, r->hint ? r->hint : "", value, f, VALUE_MAX);
	error_set(err, r->kind, "%s", buf_string(&text));
	error_hint(err, "%s", buf_string(&hint));
	error_finding(err, r->finding);
	if (f->number)
		error_code(err, f->number);
	return error_reason(err, (int)r->what);
}

bool why_is_close(const struct error *why)
{
	return why->reason == WHY_CLOSE || why->reason == WHY_TAKEN;
}

static bool has_certificate(FILE *file)
{
	char line[256];

	while (fgets(line, sizeof(line), file)) {
		if (text_starts(line, "-----BEGIN ") &&
		    strstr(line, "CERTIFICATE-----"))
			return true;
	}
	return false;
}

int why_check_cacert(const char *path, struct error *err)
{
	FILE *file = fopen(path, "re");

	if (!file) {
		error_set(err, ERR_USAGE, "cannot read '%s': %s", path,
			  strerror(errno));
	} else {
		bool good = has_certificate(file);

		fclose(file);
		if (good)
			return 0;
		error_set(err, ERR_USAGE, "'%s' has no certificate", path);
	}
	return error_hint(err,
			  "--cacert names a file of certificates in PEM form");
}
