/* SPDX-License-Identifier: MIT */
/*
 * The addresses that are told to people and to devices, and the question of a
 * board that came by one.
 */
#include "net/ota_door.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/head.h"
#include "net/listen.h"

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

int ota_advertise(const char *text, uint16_t port, const char *path,
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

static void add_address(struct words *out, const char *host, uint16_t port)
{
	struct buf url = { 0 };

	buf_text(&url, "http://");
	authority_print(&url, host, port);
	buf_text(&url, OTA_PATH);
	words_add(out, buf_string(&url));
	buf_done(&url);
}

void ota_addresses(struct words *out, const char *host, uint16_t port)
{
	char found[ADDRESSES_MAX][64];
	size_t count;

	if (host && strcmp(host, "0.0.0.0") != 0 && strcmp(host, "::") != 0) {
		add_address(out, host, port);
		return;
	}
	count = local_addresses(found, ADDRESSES_MAX);
	for (size_t i = 0; i < count; i++)
		add_address(out, found[i], port);
	if (count == 0)
		add_address(out, "127.0.0.1", port);
}

static void copy(char *out, size_t size, const struct headers *h,
		 const char *name)
{
	const char *value = headers_get(h, name);

	snprintf(out, size, "%s", value ? value : "");
}

int ota_read(struct ota_request *out, const struct front_head *head,
	     const char *body, size_t len, struct error *err)
{
	const struct headers *h = head->headers;

	*out = (struct ota_request){ 0 };
	copy(out->device_id, sizeof(out->device_id), h, "Device-Id");
	copy(out->client_id, sizeof(out->client_id), h, "Client-Id");
	copy(out->language, sizeof(out->language), h, "Accept-Language");
	copy(out->user_agent, sizeof(out->user_agent), h, "User-Agent");
	copy(out->serial, sizeof(out->serial), h, "Serial-Number");
	return ota_request_decode(out, body, len, err);
}

/* "board/version" is what firmware sends as its User-Agent (device.md 5.1). */
void ota_board(struct ota_board *out, const struct ota_request *rq)
{
	const char *slash = strchr(rq->user_agent, '/');
	const char *version = rq->version;
	int name = slash ? (int)(slash - rq->user_agent) : 0;

	if (!*version && slash)
		version = slash + 1;
	if (rq->board_name[0] || rq->board_type[0])
		snprintf(out->name, sizeof(out->name), "%s",
			 rq->board_name[0] ? rq->board_name : rq->board_type);
	else
		snprintf(out->name, sizeof(out->name), "%.*s", name,
			 rq->user_agent);
	snprintf(out->version, sizeof(out->version), "%.*s",
		 (int)sizeof(out->version) - 1, version);
}

void ota_describe(struct buf *out, const struct ota_request *rq)
{
	struct ota_board board;

	ota_board(&board, rq);
	buf_text(out, "asked OTA");
	if (board.name[0])
		buf_printf(out, ": board '%s'", board.name);
	if (board.version[0])
		buf_printf(out, "%s version %s", board.name[0] ? "," : ":",
			   board.version);
	if (rq->compile_time[0])
		buf_printf(out, " (%s)", rq->compile_time);
}
