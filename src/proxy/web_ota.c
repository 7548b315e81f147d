/* SPDX-License-Identifier: MIT */
/*
 * The answer to a board's OTA question: which of its texts are replaced so that
 * the board comes through us. All else stays byte for byte.
 */
#include "proxy/web_ota.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "proxy/mqtt_relay.h"
#include "proxy/tell.h"
#include "proxy/web.h"
#include "proxy/web_leg.h"
#include "wire/board_text.h"
#include "wire/ota.h"

struct rewriting {
	struct web_leg *leg;
	struct edits *edits;
	struct buf *changes;
	const char *device, *board_version;
};

static void changed(struct rewriting *r, const char *what, const char *from,
		    const char *to)
{
	buf_printf(r->changes, "%s%s: %s -> %s", r->changes->len ? "\n" : "",
		   what, from, to);
}

static void not_changed(const struct rewriting *r, const char *what,
			const char *why)
{
	proxy_say(r->leg->web->proxy, PROXY_WARN, r->device, NULL,
		  "%s stays as it is, and is not seen here: %s", what, why);
}

static void move_websocket(struct rewriting *r, struct span section)
{
	struct web *w = r->leg->web;
	CLEANUP(upstream_done) struct upstream up = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *url = NULL, *base = NULL, *own = NULL;
	CLEANUP(mem_free_ptr) char *before = NULL;
	struct span place;

	if (!json_span_member(section, "url", &place))
		return;
	url = json_span_string(place);
	if (!url || upstream_read(&up, url, &why)) {
		not_changed(r, "websocket.url",
			    url ? why.text : "it is no text");
		return;
	}
	base = web_base(w, r->leg->reached, true);
	own = mem_printf("%s%s", base, up.path);
	before = told_add(
		&w->told,
		&(struct told_question){ .device = r->device ? r->device : "",
					 .from = r->leg->from,
					 .url = url,
					 .reached = r->leg->reached });
	if (before)
		proxy_say(w->proxy, PROXY_INFO, r->device, NULL,
			  "is sent to %s, no longer to %s", url, before);
	if (edits_add_string(r->edits, place, own))
		changed(r, "websocket.url", url, own);
}

static void move_mqtt(struct rewriting *r, struct span section)
{
	struct proxy *p = r->leg->web->proxy;
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *endpoint = NULL, *own = NULL;
	const struct mqtt_came came = { .reached = r->leg->reached,
					.listens = r->leg->listens };
	struct span place;

	if (!json_span_member(section, "endpoint", &place))
		return;
	endpoint = json_span_string(place);
	if (!endpoint || !*endpoint)
		return;
	if (mqtt_relay_endpoint(p, endpoint, &came, &own, &why)) {
		not_changed(r, "mqtt.endpoint", why.text);
		return;
	}
	if (edits_add_string(r->edits, place, own))
		changed(r, "mqtt.endpoint", endpoint, own);
}

/* Whether the board would install it at once (device.md 5.2). */
static bool installs(const struct rewriting *r, const struct ota_reply *o)
{
	int part[8];
	size_t count;

	if (!o->firmware_version || !o->firmware_url || !*o->firmware_url)
		return false;
	if (o->firmware_forced || !r->board_version || !*r->board_version)
		return true;
	return board_version_read(o->firmware_version, part, COUNT(part),
				  &count) &&
	       board_version_read(r->board_version, part, COUNT(part),
				  &count) &&
	       board_version_newer(o->firmware_version, r->board_version);
}

static void withhold_firmware(struct rewriting *r, struct span section,
			      struct span body)
{
	struct ota_reply o = { 0 };

	if (ota_reply_decode(&o, body.text, body.len, NULL))
		return;
	if (installs(r, &o) && edits_add(r->edits, section, "{}"))
		changed(r, "firmware", o.firmware_version,
			"withheld (--firmware lets it through)");
	ota_reply_done(&o);
}

/* Firmware finds a section whatever its case; we only where it is written so. */
static void tell_odd_case(const struct rewriting *r, struct span body)
{
	static const char *const names[] = { "websocket", "mqtt", "firmware" };
	cJSON *tree = json_parse(body.text, body.len, NULL);

	for (size_t i = 0; tree && i < COUNT(names); i++) {
		if (ota_section(tree, names[i]) && !json_member(tree, names[i]))
			not_changed(r, names[i],
				    "its name is written in another case");
	}
	cJSON_Delete(tree);
}

void web_ota_edit(struct web_leg *l, struct span body, const char *device,
		  const char *board_version, struct edits *edits,
		  struct buf *changes)
{
	const struct proxy_options *o = &l->web->proxy->options;
	struct rewriting r = { .leg = l,
			       .edits = edits,
			       .changes = changes,
			       .device = device,
			       .board_version = board_version };
	struct span section;

	if (json_check(body.text, body.len, NULL)) {
		not_changed(&r, "the answer to OTA", "it is no JSON");
		return;
	}
	alter_set(o->alter, body, edits);
	if (!(o->rewrite & REWRITE_OTA))
		return;
	if (o->rewrite & REWRITE_WS &&
	    json_span_member(body, "websocket", &section))
		move_websocket(&r, section);
	if (o->rewrite & REWRITE_MQTT &&
	    json_span_member(body, "mqtt", &section))
		move_mqtt(&r, section);
	if (!o->firmware && json_span_member(body, "firmware", &section))
		withhold_firmware(&r, section, body);
	tell_odd_case(&r, body);
}
