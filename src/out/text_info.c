/* SPDX-License-Identifier: MIT */
/*
 * What is known of the peer, as text: one fact a line, its label first, so
 * that it reads from top to bottom and can be searched by label.
 */
#include "out/text_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/text_safe.h"
#include "diag/recognise.h"
#include "net/head.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/text_device.h"
#include "out/wrap.h"
#include "wire/mcp_topic.h"

#define LABEL_COLUMNS 15

struct facts {
	struct buf b;
	bool color;
	size_t width;
};

/* A fact; nothing if it is not known. The value is not yet safe. */
static void row(struct facts *s, const char *label, const char *value)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { LABEL_COLUMNS, LABEL_COLUMNS, s->width };
	if (!value || !*value)
		return;
	term_painted(&s->b, s->color, PAINT_KEY, label);
	wrap_pad(&s->b, strlen(label), LABEL_COLUMNS);
	size_t len = strlen(value);
	while (len > 0 && strchr(" \t\r\n", value[len - 1]))
		len--;
	text_safe(&safe, value, len, TEXT_PARAGRAPH);
	wrap_wrap(&s->b, buf_string(&safe), safe.len, &how);
	buf_char(&s->b, '\n');
}

/* The same with parts put together, each behind its word, joined by ", ". */
static void part(struct buf *out, const char *before, const char *value,
		 const char *after)
{
	if (!value || !*value)
		return;
	buf_printf(out, "%s%s%s%s", out->len > 0 ? ", " : "", before, value,
		   after);
}

static void row_take(struct facts *s, const char *label, struct buf *value)
{
	row(s, label, buf_string(value));
	buf_reset(value);
}

static const char *dialect_name(const struct info_record *i)
{
	if (!i->link || i->link->dialect == DIALECT_UNKNOWN)
		return NULL;
	return i->link->dialect == DIALECT_DEVICE ? "device envelope" :
						    "plain JSON-RPC";
}

static void add_peer(struct facts *s, const struct info_record *i)
{
	const struct session_peer *p = i->peer;
	CLEANUP(buf_done) struct buf value = { 0 };
	char version[24] = "";
	if (!p)
		return;
	part(&value, "", p->address, "");
	part(&value, "path ", p->path, "");
	part(&value, "", p->tls, "");
	row_take(s, "address", &value);
	row(s, "device id", p->device_id);
	row(s, "client id", p->client_id);
	if (p->protocol_version > 0)
		snprintf(version, sizeof(version), "version %d",
			 p->protocol_version);
	row(s, "framing", *version ? version : NULL);
	row(s, "authorization", headers_get(&p->headers, "Authorization"));
	row(s, "user agent", headers_get(&p->headers, "User-Agent"));
	row(s, "roles", headers_get(&p->headers, MCP_TOPIC_ROLES_PROPERTY));
	row(s, "may be asked",
	    headers_get(&p->headers, MCP_TOPIC_FILTERS_PROPERTY));
}

/* "tools, logging, prompts (listChanged)" */
static void add_capabilities(struct facts *s, const cJSON *capabilities)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	const cJSON *one, *flag;
	cJSON_ArrayForEach(one, capabilities) {
		CLEANUP(buf_done) struct buf flags = { 0 };
		cJSON_ArrayForEach(flag, one) {
			if (cJSON_IsTrue(flag))
				part(&flags, "", flag->string, "");
		}
		part(&value, "", one->string, "");
		if (flags.len > 0)
			buf_printf(&value, " (%s)", flags.data);
	}
	if (capabilities && value.len == 0)
		buf_text(&value, "none");
	row_take(s, "capabilities", &value);
}

static void add_server(struct facts *s, const struct client *c)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	if (!c || !c->initialize.text)
		return;
	buf_text(&value, c->server_name ? c->server_name : "(no name)");
	if (c->server_version)
		buf_printf(&value, " %s", c->server_version);
	row_take(s, "server", &value);
	row(s, "title", json_string(c->server_info, "title"));
	row(s, "website", json_string(c->server_info, "websiteUrl"));
	part(&value, "MCP ", c->revision, "");
	row_take(s, "protocol", &value);
	if (!c->device && c->era.era != ERA_UNKNOWN)
		era_describe(&value, &c->era);
	row_take(s, "era", &value);
	add_capabilities(s, c->capabilities);
	/* mcp-mqtt.md 6 */
	row(s, "sdk",
	    c->kwargs ?
		    "takes arguments in 'kwargs'; it keeps each client that came until it restarts: one long connection (shell, bridge) is kinder than many" :
		    NULL);
	row(s, "instructions", c->instructions);
}

/* Features by name: on, "no NAME" when off, the value where it is another. */
static void add_features(struct facts *s, const cJSON *features)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	const cJSON *f;
	cJSON_ArrayForEach(f, features) {
		CLEANUP(buf_done) struct buf other = { 0 };
		if (cJSON_IsBool(f)) {
			part(&value, cJSON_IsTrue(f) ? "" : "no ", f->string,
			     "");
			continue;
		}
		json_print(&other, f);
		part(&value, f->string, "=", buf_string(&other));
	}
	row_take(s, "features", &value);
}

/* What it is by its habits, whatever it calls itself. */
static void add_likely(struct facts *s, const struct diag *d)
{
	CLEANUP(buf_done) struct buf name = { 0 }, evidence = { 0 };
	if (!d || !recognise_device(d, &name, &evidence) || name.len == 0)
		return;
	if (evidence.len > 0)
		buf_printf(&name, " (%s)", buf_string(&evidence));
	row_take(s, "likely", &name);
}

static void add_audio(struct facts *s, const struct hello_audio *a)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	char text[32];
	part(&value, "", a->format, "");
	if (a->sample_rate > 0) {
		snprintf(text, sizeof(text), "%d", a->sample_rate);
		part(&value, "", text, " Hz");
	}
	if (a->channels > 0) {
		snprintf(text, sizeof(text), "%d", a->channels);
		part(&value, "", text,
		     a->channels == 1 ? " channel" : " channels");
	}
	if (a->frame_duration > 0) {
		snprintf(text, sizeof(text), "%d", a->frame_duration);
		part(&value, "", text, " ms a frame");
	}
	row_take(s, "audio", &value);
}

static void add_hello(struct facts *s, const struct link *link)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	char version[16];
	if (!link || !link->has_hello)
		return;
	snprintf(version, sizeof(version), "%d", link->hello.version);
	part(&value, "version ", link->hello.version > 0 ? version : "not told",
	     "");
	part(&value, "transport ", link->hello.transport, "");
	if (link->hellos > 1) {
		snprintf(version, sizeof(version), "%u", link->hellos);
		part(&value, "said ", version, " times");
	}
	row_take(s, "hello", &value);
	if (link->hello.has_features)
		add_features(s, json_object(link->hello.json, "features"));
	else
		row(s, "features", "none (firmware up to 1.6.2)");
	add_audio(s, &link->hello.audio);
	if (link->audio_frames > 0) {
		wrap_count(&value, link->audio_frames, "frame");
		buf_text(&value, ", ");
		wrap_count(&value, link->audio_bytes, "byte");
		row_take(s, "audio so far", &value);
	}
}

static void add_ota_board(struct facts *s, const struct ota_request *o)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	char text[32];
	part(&value, "", o->board_name, "");
	part(&value, "type ", o->board_type, "");
	row_take(s, "board", &value);
	part(&value, "", o->chip, "");
	if (o->flash_size > 0) {
		snprintf(text, sizeof(text), "%" PRId64, o->flash_size >> 20);
		part(&value, "", text, " MB flash");
	}
	row_take(s, "chip", &value);
	part(&value, "", o->ip, "");
	part(&value, "Wi-Fi ", o->ssid, "");
	if (o->rssi != 0) {
		snprintf(text, sizeof(text), "%d", o->rssi);
		part(&value, "", text, " dBm");
	}
	row_take(s, "network", &value);
}

/* What it told when it asked the OTA address. */
static void add_ota(struct facts *s, const struct session_peer *p)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	if (!p || !p->has_ota)
		return;
	const struct ota_request *o = &p->ota;
	part(&value, "", o->version, "");
	part(&value, "compiled ", o->compile_time, "");
	part(&value, "IDF ", o->idf_version, "");
	row_take(s, "firmware", &value);
	add_ota_board(s, o);
	row(s, "sent to", p->ota_answer);
	row(s, "language", o->language);
	row(s, "serial", o->serial);
	/* The headers of the OTA request: only where the other had none. */
	if (!headers_get(&p->headers, "User-Agent"))
		row(s, "user agent", o->user_agent);
}

/* One step: when it was reached, or how long it took; nothing below 0. */
static void step(struct buf *out, const char *name, int64_t at)
{
	if (at >= 0) {
		char text[32];
		part(out, name, text_milliseconds(at, text, sizeof(text)), "");
	}
}

static void add_timing(struct facts *s, const struct info_record *i)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	bool initialized = i->client && i->client->initialize.text &&
			   i->client->initialize_us >= 0;
	if (!i->times)
		return;
	step(&value, "OTA after ", i->times->ota);
	step(&value, "connected after ", i->times->connected);
	step(&value, "hello after ", i->times->hello);
	step(&value, "up after ", i->times->up);
	step(&value,
	     i->client && i->client->modern ? "server/discover took " :
					      "initialize took ",
	     initialized ? i->client->initialize_us / 1000 : -1);
	row_take(s, "timing", &value);
}

void text_info(struct renderer *r, const struct info_record *i)
{
	struct facts s = { .color = r->out_color,
			   .width = r->out_terminal ? r->width : 0 };
	if (i->another)
		buf_char(&s.b, '\n');
	if (r->whose)
		row(&s, "device", render_device_name(r->whose->device));
	row(&s, "target", i->target);
	add_server(&s, i->client);
	add_ota(&s, i->peer);
	add_peer(&s, i);
	row(&s, "dialect", dialect_name(i));
	row(&s, "transport", i->spoken);
	row(&s, "session", i->link ? i->link->session_id : NULL);
	add_hello(&s, i->link);
	add_likely(&s, i->diag);
	add_timing(&s, i);
	put_out(r, &s.b);
	buf_done(&s.b);
}
