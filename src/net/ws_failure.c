/* SPDX-License-Identifier: MIT */
/*
 * Why a server could not be reached, in words, with the next step. One place
 * for all the ways in which dialling fails.
 */
#include <string.h>

#include "base/text.h"
#include "net/dial_words.h"
#include "net/ws_dial.h"

void ws_fail_lookup(struct ws *ws, int status)
{
	dial_fail_lookup(&ws->why, "the host", ws->dial->host,
			 status == UV_ETIMEDOUT ? NULL : uv_strerror(status));
}

void ws_fail_connect(struct ws *ws, int error)
{
	const struct ws_dial *d = ws->dial;
	const struct dial_place to = { .noun = "",
				       .host = d->host,
				       .port = d->port,
				       .timeout = d->timeout,
				       .unknown =
					       "it refused, and accepts now" };

	dial_fail_connect(&ws->why, &to, error);
}

/* A refusal by HTTP status. */
static void fail_status(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	struct error *why = &ws->why;
	int status = d->status;

	switch (status) {
	case 401:
	case 403:
		error_set(why, ERR_AUTH, "'%s' refused: HTTP %d (%s)", d->host,
			  status,
			  status == 401 ? "not authorized" : "forbidden");
		error_hint(why, "give credentials: MCPCTL_TOKEN, --token-file, "
				"or --header 'Authorization: …'");
		break;
	case 404:
		error_set(why, ERR_CONNECT,
			  "'%s' has no WebSocket at '%.100s': HTTP 404",
			  d->host, d->path);
		error_hint(why, "check the path of the target; what stands in "
				"front of it must pass Upgrade on");
		break;
	case 421:
		error_set(why, ERR_CONNECT,
			  "'%s' does not serve this host: HTTP 421", d->host);
		error_hint(why, "use its IP address; if it is mcpctl, "
				"--allow-host there adds a name");
		break;
	case 503:
		error_set(why, ERR_CONNECT, "'%s' is busy: HTTP 503", d->host);
		error_hint(why, "it may serve one client at a time; try again "
				"when that one has gone");
		break;
	default:
		error_set(why, ERR_CONNECT,
			  "'%s' did not open a WebSocket at '%.100s': HTTP %d",
			  d->host, d->path, status);
		error_hint(why, "is this the address of a WebSocket server? "
				"what stands in front of it must pass Upgrade "
				"on");
	}
	if (status >= 300 && status < 400 && d->location)
		error_hint(why,
			   "it redirects to '%.200s': if you trust that, "
			   "make it the target",
			   d->location);
	error_code(why, status);
}

static void fail_tls(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	const char *problem =
		d->tls.problem[0] ? d->tls.problem : "it ended the handshake";
	struct error *why = &ws->why;

	if (dial_is_no_tls(problem)) {
		error_set(why, ERR_CONNECT,
			  "'%s' does not speak TLS on port %u", d->host,
			  (unsigned)d->port);
		error_hint(why, "use ws:// instead of wss://, or another port");
		return;
	}
	error_set(why, ERR_CONNECT, "TLS with '%s' failed: %s", d->host,
		  dial_tls_words(problem));
	error_hint(why, "%s", dial_tls_hint(problem));
}

/* The library's words for an answer that is no proper 101. */
static const struct {
	const char *said, *words, *hint;
} answers[] = {
	{ "ACCEPT missing", "its answer has no Sec-WebSocket-Accept", NULL },
	{ "Accept hash wrong", "its Sec-WebSocket-Accept is wrong", NULL },
	{ "PROTOCOL malformed", "it chose a subprotocol that was not offered",
	  "offer it: --header 'Sec-WebSocket-Protocol: NAME' (mcp, perhaps)" },
	{ "EXT:", "it uses an extension that was not offered", NULL },
	{ "Upgrade", "its answer upgrades to something else", NULL },
	{ "UPGRADE", "its answer has no proper Upgrade and Connection", NULL },
};

static void fail_answer(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	const char *words = "its answer is no WebSocket handshake",
		   *hint = NULL;

	for (size_t i = 0; i < COUNT(answers); i++) {
		if (strstr(d->said, answers[i].said)) {
			words = answers[i].words;
			hint = answers[i].hint;
			break;
		}
	}
	error_set(&ws->why, ERR_PROTOCOL,
		  "'%s' broke the WebSocket handshake: %s", d->host, words);
	error_hint(&ws->why, "%s", hint ? hint : "is it a WebSocket server?");
}

static void fail_silent(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;
	char wait[32];

	text_milliseconds(d->timeout, wait, sizeof(wait));
	error_set(&ws->why, ERR_CONNECT,
		  "'%s' port %u accepted the connection, but not the %s "
		  "handshake within %s",
		  d->host, (unsigned)d->port,
		  d->use_tls && !d->handshake_sent ? "TLS" : "WebSocket", wait);
	error_hint(&ws->why,
		   d->use_tls ?
			   "is it a WebSocket server?" :
			   "is it a WebSocket server? does it want wss://?");
}

void ws_fail_handshake(struct ws *ws)
{
	const struct ws_dial *d = ws->dial;

	if (ws->why.kind != ERR_NONE)
		return;
	if (d->timed_out) {
		fail_silent(ws);
	} else if (d->use_tls && !d->handshake_sent) {
		fail_tls(ws);
	} else if (d->status && d->status != 101) {
		fail_status(ws);
	} else if (d->status) {
		fail_answer(ws);
	} else if (strstr(d->said, "parsing header")) {
		error_set(&ws->why, ERR_CONNECT,
			  "'%s' port %u answered something that is no HTTP, or "
			  "more than 16 kB of it",
			  d->host, (unsigned)d->port);
		error_hint(&ws->why, "if it speaks TLS, use wss://");
	} else {
		error_set(&ws->why, ERR_CONNECT,
			  "'%s' port %u closed the connection during the "
			  "handshake",
			  d->host, (unsigned)d->port);
		error_hint(&ws->why,
			   d->use_tls ?
				   "is it a WebSocket server?" :
				   "is it a WebSocket server? does it want "
				   "wss://?");
	}
}
