/* SPDX-License-Identifier: MIT */
/*
 * The addresses that are told to people and to devices.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
#include "net/listen_private.h"

#define ADDRESSES_MAX 8

static int bad_advertise(const char *text, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "--advertise '%.100s' is no address that a device can dial",
		  text);
	return error_hint(err, "expected HOST, HOST:PORT, or a ws:// or "
			       "wss:// URL");
}

static char *ota_address(const struct endpoint *e)
{
	struct buf url = { 0 };

	buf_text(&url, strcmp(e->scheme, "wss") ? "http://" : "https://");
	authority_print(&url, e->host, e->has_port ? e->port : 0);
	buf_text(&url, OTA_PATH);
	return buf_take(&url);
}

/* A URL stays as it is; only a path that is missing is added. */
static int advertise_url(const char *text, const char *path, char **ws_url,
			 char **ota_url, struct error *err)
{
	const char *host = strstr(text, "//") + 2;
	struct endpoint e;

	if (!text_starts(text, "ws://") && !text_starts(text, "wss://"))
		return bad_advertise(text, err);
	if (endpoint_parse(&e, text, "--advertise", err))
		return -1;
	*ws_url =
		mem_printf("%s%s", text, host[strcspn(host, "/?")] ? "" : path);
	*ota_url = ota_address(&e);
	endpoint_done(&e);
	return 0;
}

int listen_advertise(const char *text, uint16_t port, const char *path,
		     char **ws_url, char **ota_url, struct error *err)
{
	struct buf where = { 0 };
	struct authority a;

	*ws_url = *ota_url = NULL;
	if (strstr(text, "://"))
		return advertise_url(text, path, ws_url, ota_url, err);
	if (!head_is_host(text) ||
	    authority_parse(&a, text, strlen(text), NULL))
		return bad_advertise(text, err);
	authority_print(&where, a.host, a.has_port ? a.port : port);
	*ws_url = mem_printf("ws://%s%s", buf_string(&where), path);
	*ota_url = mem_printf("http://%s" OTA_PATH, buf_string(&where));
	buf_done(&where);
	return 0;
}

static bool is_any(const char *host)
{
	return !host || !strcmp(host, "0.0.0.0") || !strcmp(host, "::");
}

static void add_url(struct listen *l, struct buf *out, const char *host,
		    const char *before, const char *after)
{
	struct buf url = { 0 };

	buf_text(&url, "http://");
	authority_print(&url, host, l->port);
	buf_text(&url, OTA_PATH);
	buf_printf(out, "  %s%s%s\n", before, buf_string(&url), after);
	if (!l->ota_url)
		l->ota_url = buf_take(&url);
	buf_done(&url);
}

static void add_addresses(struct listen *l, struct buf *out)
{
	char found[ADDRESSES_MAX][64];
	size_t count;

	if (!is_any(l->host)) {
		add_url(l, out, l->host, "", "");
		return;
	}
	count = local_addresses(found, ADDRESSES_MAX);
	for (size_t i = 0; i < count; i++)
		add_url(l, out, found[i], "", "");
	if (count == 0)
		add_url(l, out, "127.0.0.1", "", "");
}

static void add_advertised(struct listen *l, struct buf *out)
{
	char found[1][64] = { "127.0.0.1" };
	const char *here = l->host;

	l->ota_url = mem_strdup(l->advertised_ota);
	buf_printf(out, "  %s\n", l->advertised_ota);
	/* A URL is a proxy's: what it must pass on to is worth a line. */
	if (!l->behind_proxy)
		return;
	if (is_any(here)) {
		local_addresses(found, 1);
		here = found[0];
	}
	add_url(l, out, here, "(passed on to ", ")");
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
