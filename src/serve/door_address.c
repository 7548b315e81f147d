/* SPDX-License-Identifier: MIT */
/*
 * Where the ports of serve are reached: what is told to the user, and the URLs
 * that devices are given.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/listen.h"
#include "serve/board.h"
#include "serve/door_private.h"
#include "serve/mqtt_boards.h"

uint16_t door_port(const struct door *d)
{
	return d->gates ? d->gate[0].port : 0;
}

static void list_addresses(const struct door *d, struct words *out)
{
	if (d->advertised_ota)
		words_add(out, d->advertised_ota);
	for (size_t i = 0; i < d->gates && !d->advertised_ota; i++)
		ota_addresses(out, d->gate[i].host, d->gate[i].port);
}

void door_addresses(const struct door *d, struct buf *out)
{
	struct words found = { 0 };

	list_addresses(d, &found);
	buf_char(out, '[');
	for (size_t i = 0; i < found.count; i++) {
		if (i)
			buf_char(out, ',');
		buf_json_string(out, found.word[i], strlen(found.word[i]));
	}
	buf_char(out, ']');
	words_done(&found);
}

static void describe_ports(const struct door *d, struct buf *out)
{
	buf_printf(out, "listening on port%s", d->gates > 1 ? "s" : "");
	for (size_t i = 0; i < d->gates; i++) {
		buf_text(out, i ? ", " : " ");
		if (d->gate[i].host)
			authority_print(out, d->gate[i].host, d->gate[i].port);
		else
			buf_printf(out, "%u", (unsigned)d->gate[i].port);
	}
	buf_text(out, "\nOTA address to set on the board:\n");
}

static void describe_addresses(const struct door *d, struct buf *out)
{
	struct words found = { 0 };

	list_addresses(d, &found);
	for (size_t i = 0; i < found.count; i++)
		buf_printf(out, "  %s\n", found.word[i]);
	if (!d->advertised_ota && d->gate[0].host &&
	    text_starts(found.word[0], "http://127."))
		buf_text(out, "  (only this machine reaches that one: for "
			      "boards, leave the host of --listen out)\n");
	if (d->behind_proxy) {
		words_done(&found);
		found = (struct words){ 0 };
		ota_addresses(&found, d->gate[0].host, d->gate[0].port);
		buf_printf(out, "  (passed on to %s)\n", found.word[0]);
	}
	words_done(&found);
}

static void describe_broker(const struct door *d, struct buf *out)
{
	if (!d->server->rack)
		return;
	buf_text(out, "MQTT:\n  ");
	mqtt_boards_describe(d->server->rack, out);
	buf_char(out, '\n');
}

void door_describe(struct door *d)
{
	struct buf text = { 0 }, detail = { 0 };
	const struct who nobody = { 0 };
	struct record *r;

	describe_ports(d, &text);
	describe_addresses(d, &text);
	describe_broker(d, &text);
	buf_text(&text, "open the same address in a browser: it shows who is "
			"connected;\nno page means a firewall");
	r = door_record(d, &nobody, RECORD_LISTENING, LEVEL_GOOD,
			buf_string(&text));
	record_hint(r, "'mcpctl help board' tells how to set it on the board; "
		       "then reboot the board");
	buf_printf(&detail, "\"port\":%u,\"ota\":", (unsigned)door_port(d));
	door_addresses(d, &detail);
	record_detail(r, &detail);
	buf_done(&text);
}

static uint16_t port_of(const char *host)
{
	struct authority a;

	if (authority_parse(&a, host, strlen(host), NULL) || !a.has_port)
		return 80;
	return a.port;
}

char *door_device_url(const struct door *d, const char *host, uint16_t port)
{
	const char *path = d->server->config.path;
	struct buf url = { 0 };

	if (d->advertised_ws)
		return mem_strdup(d->advertised_ws);
	buf_printf(&url, "ws://%s%s", host, path ? path : DEVICE_PATH);
	if (port && port_of(host) != port)
		buf_printf(&url, "?" REACHED_PORT "=%u",
			   (unsigned)port_of(host));
	return buf_take(&url);
}

/* Nothing tells how it reaches us: the first address will do. */
static char *any_base(const struct door *d)
{
	struct words found = { 0 };
	char *url = NULL;

	list_addresses(d, &found);
	if (found.count)
		url = mem_printf(
			"%.*s", (int)(strlen(found.word[0]) - strlen(OTA_PATH)),
			found.word[0]);
	words_done(&found);
	return url;
}

/*
 * A board that was at the broker before serve was started: it did not ask OTA,
 * and never reached this port. By the way that we would reach it.
 */
static char *base_towards(const struct door *d, const struct board *device)
{
	CLEANUP(buf_done) struct buf at = { 0 };
	char own[64];

	if (!local_address_towards(device->address, own, sizeof(own)))
		return any_base(d);
	for (size_t i = 0; i < d->gates; i++) {
		const struct gate *g = &d->gate[i];

		if (g->host && strcmp(g->host, own) != 0 &&
		    strcmp(g->host, "0.0.0.0") != 0 &&
		    strcmp(g->host, "::") != 0)
			continue;
		authority_print(&at, own, g->port);
		return mem_printf("http://%s", buf_string(&at));
	}
	return any_base(d);
}

/* "http://HOST:PORT" of ours for that device; yours. NULL: none is known. */
static char *base_url(const struct door *d, const struct board *device)
{
	const char *ota = d->advertised_ota;

	if (ota)
		return mem_strndup(ota, strlen(ota) - strlen(OTA_PATH));
	if (device->reached)
		return mem_printf("http://%s", device->reached);
	return device->mqtt && device->address ? base_towards(d, device) :
						 any_base(d);
}

char *door_upload_url(struct door *d, const struct board *device)
{
	CLEANUP(mem_free_ptr) char *base = base_url(d, device);

	if (!base)
		return NULL;
	return mem_printf("%s" UPLOAD_PATH "/%s", base,
			  passes_add(&d->passes, device->id, loop_now()));
}

char *door_vision_url(struct door *d, const struct board *device)
{
	CLEANUP(mem_free_ptr) char *base = base_url(d, device);
	char *url = base ? mem_printf("%s" VISION_PATH, base) : NULL;
	CLEANUP(mem_free_ptr) char *before = NULL;
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct who who = { device->id, device->client_id, device->address };

	if (url && device->id)
		before = memory_sent(&d->memory, device->id, url);
	if (!before)
		return url;
	text = mem_printf("its pictures go to %s from now on, and went to %s",
			  url, before);
	record_hint(door_record(d, &who, RECORD_TOLD, LEVEL_WARN, text),
		    "that is how its own connection reached serve; --advertise "
		    "makes it one address for all");
	return url;
}

const struct ota_request *door_asked(const struct door *d,
				     const char *device_id, const char *address)
{
	const struct told *t = memory_find(&d->memory, device_id, address);

	return t ? &t->asked : NULL;
}

bool door_asked_elsewhere(const struct door *d, const char *device_id,
			  const char *address)
{
	const struct told *t = memory_find(&d->memory, device_id, NULL);

	return t && !memory_same_peer(t->from, address);
}

const struct ota_request *door_asked_client(const struct door *d,
					    const char *client_id,
					    const char *address)
{
	const struct told *t =
		memory_find_given(&d->memory, client_id, address);

	return t ? &t->asked : NULL;
}
