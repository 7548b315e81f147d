/* SPDX-License-Identifier: MIT */
/*
 * The voice session of a device that lives at a broker: begun and ended by
 * messages, its sound over UDP (device.md 2.3, 2.5). MCP needs none of it.
 */
#include <string.h>

#include "base/mem.h"
#include "sim/pretend_loop.h"

/* Events that only a voice session can carry. */
static bool needs_session(const struct pretend *d)
{
	const cJSON *event;

	if (d->config.audio)
		return true;
	cJSON_ArrayForEach(event, d->config.profile->events) {
		if (!json_object(event, "notification"))
			return true;
	}
	return false;
}

void pretend_standby(struct pretend *d)
{
	d->watch.standby = true;
	if (!needs_session(d)) {
		pretend_schedule_events(d);
		return;
	}
	/* The session before is forgotten here and not earlier. */
	mem_free(d->session_id);
	d->session_id = NULL;
	d->hello_flag = false;
	pretend_begin(d);
}

static bool is_hex(const char *text, char out[33])
{
	size_t i;

	if (!text || strlen(text) != 32)
		return false;
	for (i = 0; i <= 32; i++)
		out[i] = text[i];
	return strspn(text, "0123456789abcdefABCDEF") == 32;
}

/* What firmware looks at from 2.4.0 on; older ones trust it. */
static bool read_offer(struct udp_offer *out, const cJSON *udp)
{
	const char *server =
		cJSON_GetStringValue(cJSON_GetObjectItem(udp, "server"));
	const cJSON *port = cJSON_GetObjectItem(udp, "port");

	if (!server || !*server || strlen(server) >= sizeof(out->server) ||
	    !cJSON_IsNumber(port) || port->valueint < 1 ||
	    port->valueint > UINT16_MAX)
		return false;
	memcpy(out->server, server, strlen(server) + 1);
	out->port = (uint16_t)port->valueint;
	return is_hex(cJSON_GetStringValue(cJSON_GetObjectItem(udp, "key")),
		      out->key) &&
	       is_hex(cJSON_GetStringValue(cJSON_GetObjectItem(udp, "nonce")),
		      out->nonce);
}

void pretend_udp_hello(struct pretend *d, const cJSON *root)
{
	const char *transport =
		cJSON_GetStringValue(cJSON_GetObjectItem(root, "transport"));
	struct udp_offer offer;

	if (!transport || strcmp(transport, "udp") != 0) {
		hazard_tell(&d->watch, HAZARD_HELLO_NOT_UDP);
		pretend_line(d, "the server hello was ignored: its 'transport' "
				"is not \"udp\"");
		return;
	}
	if (!read_offer(&offer, cJSON_GetObjectItem(root, "udp"))) {
		hazard_tell(&d->watch, HAZARD_HELLO_NO_UDP);
		pretend_line(d, "the server hello was ignored: its 'udp' lacks "
				"a server, a port from 1 to 65535, or 32 hex "
				"digits of key or nonce");
		return;
	}
	hazard_hello(&d->watch, root);
	pretend_take_session(d, root);
	if (!d->waiting || !d->watch.hello_sent)
		return;
	d->in_session = true;
	d->config.events->audio(d->config.owner, &offer);
	pretend_welcome(d);
}

void pretend_goodbye(struct pretend *d, const cJSON *root)
{
	const char *id =
		cJSON_GetStringValue(cJSON_GetObjectItem(root, "session_id"));

	if (!id || strcmp(id, d->session_id ? d->session_id : "") != 0) {
		hazard_tell(&d->watch, HAZARD_GOODBYE_SESSION);
		pretend_line(d, "a goodbye was ignored: its session_id is not "
				"that of the session");
		return;
	}
	if (d->in_session)
		pretend_line(d,
			     "the session is over: the backend said goodbye");
	pretend_leave_session(d);
}

void pretend_leave_session(struct pretend *d)
{
	if (!d->in_session)
		return;
	d->in_session = false;
	d->mode = DEVICE_IDLE;
	d->config.events->audio(d->config.owner, NULL);
}

void pretend_end_session(struct pretend *d)
{
	if (!d->in_session)
		return;
	pretend_leave_session(d);
	pretend_say_goodbye(d);
}
