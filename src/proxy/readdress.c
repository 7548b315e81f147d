/* SPDX-License-Identifier: MIT */
/* Members found by the checking scan, and spans replaced; see the header. */
#include "proxy/readdress.h"

#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"

/* Most messages are none of these, and need no scan. */
static bool mentions(struct span text, const char *word)
{
	return memmem(text.text, text.len, word, strlen(word)) != NULL;
}

/* A text of at most 32 digits and its quotes. */
static bool take_digits(char out[33], struct span value)
{
	CLEANUP(mem_free_ptr) char *text = json_span_string(value);
	unsigned char bytes[16];

	if (!text || strlen(text) != 32 || !hex_decode_16(bytes, text))
		return false;
	memcpy(out, text, 33);
	return true;
}

static bool take_server(struct told_udp *out)
{
	CLEANUP(mem_free_ptr) char *text = json_span_string(out->server);

	if (!text || !*text || strlen(text) >= sizeof(out->offer.server))
		return false;
	memcpy(out->offer.server, text, strlen(text) + 1);
	return true;
}

bool told_udp(struct told_udp *out, struct span text)
{
	enum { TYPE, UDP, SERVER, PORT, KEY, NONCE, NAMES };
	static const char *const name[NAMES] = { "type", "udp", "server",
						 "port", "key", "nonce" };
	struct json_places at = { .name = name, .names = NAMES, .inside = UDP };
	int64_t port;
	bool odd;

	*out = (struct told_udp){ 0 };
	if (!mentions(text, "\"udp\"") || !mentions(text, "hello") ||
	    json_scan(text.text, text.len, &at, &odd, NULL) ||
	    !json_span_is(at.outer[TYPE], "hello"))
		return false;
	out->server = at.inner[SERVER];
	out->port = at.inner[PORT];
	if (!out->port.text || json_span_integer(out->port, &port) ||
	    port < 1 || port > UINT16_MAX)
		return false;
	out->offer.port = (uint16_t)port;
	return take_server(out) && take_digits(out->offer.key, at.inner[KEY]) &&
	       take_digits(out->offer.nonce, at.inner[NONCE]);
}

void told_udp_replace(struct buf *out, struct span text,
		      const struct told_udp *at, const char *server,
		      uint16_t port)
{
	CLEANUP(edits_done) struct edits e = { 0 };
	char number[8];

	snprintf(number, sizeof(number), "%u", (unsigned)port);
	edits_add_string(&e, at->server, server);
	edits_add(&e, at->port, number);
	edits_apply(&e, text, out);
}

static bool within(struct span *at, const char *name)
{
	return json_span_member(*at, name, at);
}

bool told_vision(struct span *url, struct span text)
{
	struct span at = text, method;

	if (!mentions(text, "\"vision\"") ||
	    json_check(text.text, text.len, NULL))
		return false;
	within(&at, "payload");
	if (!json_span_member(at, "method", &method) ||
	    !json_span_is(method, "initialize") || !within(&at, "params") ||
	    !within(&at, "capabilities") || !within(&at, "vision") ||
	    !within(&at, "url") || at.len < 2 || *at.text != '"')
		return false;
	*url = at;
	return true;
}
