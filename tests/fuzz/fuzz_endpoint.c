/* SPDX-License-Identifier: MIT */
/*
 * Any text as a target: what is accepted is whole, what is refused has a
 * reason; also as [HOST:]PORT and as --advertise.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "net/port.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct endpoint *e)
{
	assert(e->text && e->source && e->scheme && e->path);
	/* What goes into a request line must not end it; an MQTT id goes into none. */
	if (e->host && e->scheme->kind != SCHEME_LISTEN &&
	    e->scheme->kind != SCHEME_MQTT)
		assert(!strpbrk(e->path, " \r\n") &&
		       !strpbrk(e->host, " \r\n/@"));
}

static void as_advertise(const char *text)
{
	struct error err = { 0 };
	char *ws_url, *ota_url;

	if (!ota_advertise(text, 8000, "/p", &ws_url, &ota_url, &err)) {
		assert(ws_url && ota_url);
		assert(!strpbrk(ota_url, " \"\r\n"));
	} else {
		assert(!ws_url && !ota_url && err.text[0]);
	}
	mem_free(ws_url);
	mem_free(ota_url);
	error_reset(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), *host = NULL;
	struct error err = { 0 };
	struct endpoint e;
	uint16_t port;

	if (!endpoint_parse(&e, text, "a file", &err)) {
		check(&e);
		endpoint_done(&e);
	} else {
		assert(err.kind == ERR_USAGE && err.text[0] && err.hint[0]);
	}
	error_reset(&err);
	if (endpoint_parse_listen(text, &host, &port, &err))
		assert(!host && err.kind == ERR_USAGE);
	mem_free(host);
	error_reset(&err);
	as_advertise(text);
	mem_free(text);
	return 0;
}
