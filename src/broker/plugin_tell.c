/* SPDX-License-Identifier: MIT */
/*
 * What serve is told. It is handed over by client id, without a subscription;
 * where serve is not connected, mosquitto drops it.
 */
#include <inttypes.h>
#include <string.h>

#include <mosquitto_broker.h>

#include "broker/plugin.h"
#include "wire/broker_topic.h"

#define TEXT_MAX 512 /* bytes of a text that a client sent */

static void tell(enum broker_topic kind, const char *id, const void *data,
		 size_t len)
{
	struct buf topic = { 0 };

	broker_topic_encode(&topic, kind, id);
	mosquitto_broker_publish_copy(BROKER_CLIENT_ID, buf_string(&topic),
				      (int)len, data, 0, false, NULL);
	buf_done(&topic);
}

static void add_member(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "%s\"%s\":", out->len > 1 ? "," : "", name);
	if (text)
		buf_json_string(out, text, strnlen(text, TEXT_MAX));
	else
		buf_text(out, "null");
}

void plugin_tell_joined(struct broker_client *cl)
{
	struct buf json = { 0 };

	cl->device = true;
	buf_char(&json, '{');
	add_member(&json, "address", cl->address);
	add_member(&json, "user", cl->user);
	buf_printf(&json, ",\"n\":%" PRIu64 "}", cl->number);
	tell(BROKER_JOINED, cl->id, json.data, json.len);
	buf_done(&json);
}

void plugin_tell_left(const struct broker_client *cl, int reason)
{
	struct buf json = { 0 };

	buf_printf(&json, "{\"reason\":%d,\"n\":%" PRIu64 "}", reason,
		   cl->number);
	tell(BROKER_LEFT, cl->id, json.data, json.len);
	buf_done(&json);
}

void plugin_tell_refused(const char *id, const char *address, const char *why,
			 const char *hint)
{
	struct buf json = { 0 }, cut = { 0 };

	buf_char(&json, '{');
	add_member(&json, "address", address);
	add_member(&json, "text", why);
	add_member(&json, "hint", hint);
	buf_char(&json, '}');
	buf_add(&cut, id, strnlen(id, TEXT_MAX));
	tell(BROKER_REFUSED, buf_string(&cut), json.data, json.len);
	buf_done(&json);
	buf_done(&cut);
}

void plugin_tell_up(const char *id, const void *data, size_t len)
{
	tell(BROKER_UP, id, data, len);
}
