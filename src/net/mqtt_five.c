/* SPDX-License-Identifier: MIT */
/*
 * What MQTT 5 adds to one connection: a will, user properties both ways, what is
 * acknowledged with which reason.
 */
#include "net/mqtt_five.h"

#include <errno.h>
#include <mqtt_protocol.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- user properties ---- */

static mosquitto_property *pairs_copy(const struct mqtt_pair *pair)
{
	mosquitto_property *out = NULL;

	for (; pair && pair->name; pair++)
		mosquitto_property_add_string_pair(
			&out, MQTT_PROP_USER_PROPERTY, pair->name, pair->value);
	return out;
}

/* The next one behind at, or the first; NULL: none. Texts of the library (free). */
static const mosquitto_property *
read_pair(const mosquitto_property *at, bool behind, char **name, char **value)
{
	return at ? mosquitto_property_read_string_pair(
			    at, MQTT_PROP_USER_PROPERTY, name, value, behind) :
		    NULL;
}

static void tell_pairs(struct mqtt_client *c, const mosquitto_property *all)
{
	char *name, *value;
	const mosquitto_property *at = read_pair(all, false, &name, &value);

	while (at) {
		if (c->events->said)
			c->events->said(c->owner, name, value);
		free(name);
		free(value);
		at = read_pair(at, true, &name, &value);
	}
}

const char *mqtt_property(struct mqtt_client *c, const char *name)
{
	char *found, *value;
	const mosquitto_property *at = read_pair(
		c->five ? c->five->of_message : NULL, false, &found, &value);

	while (at) {
		bool same = strcmp(found, name) == 0;

		free(found);
		if (same) {
			free(c->five->found);
			c->five->found = value;
			return value;
		}
		free(value);
		at = read_pair(at, true, &found, &value);
	}
	return NULL;
}

/* ---- callbacks of the library; each ends with errno at 0 (mqtt_client.c) ---- */

/* Codes of 3.1.1 that mean the same, for net/why. */
static int code_of(int reason)
{
	static const struct {
		int five, three;
	} same[] = {
		{ MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION, 1 },
		{ MQTT_RC_CLIENTID_NOT_VALID, 2 },
		{ MQTT_RC_SERVER_UNAVAILABLE, 3 },
		{ MQTT_RC_SERVER_BUSY, 3 },
		{ MQTT_RC_BAD_USERNAME_OR_PASSWORD, 4 },
		{ MQTT_RC_NOT_AUTHORIZED, 5 },
		{ MQTT_RC_BANNED, 5 },
	};

	for (size_t i = 0; i < COUNT(same); i++) {
		if (same[i].five == reason)
			return same[i].three;
	}
	return reason;
}

static void on_connect_five(struct mosquitto *mosq, void *owner, int reason,
			    int flags, const mosquitto_property *properties)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	(void)flags;
	if (!reason)
		tell_pairs(c, properties);
	c->five->answered(c, code_of(reason));
	errno = 0;
}

static void on_disconnect_five(struct mosquitto *mosq, void *owner, int reason,
			       const mosquitto_property *properties)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	(void)properties;
	/* Told again, with another reason, when the connection ends. */
	if (reason == MQTT_RC_SESSION_TAKEN_OVER)
		c->five->taken = true;
	errno = 0;
}

static void on_message_five(struct mosquitto *mosq, void *owner,
			    const struct mosquitto_message *m,
			    const mosquitto_property *properties)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	c->five->of_message = properties;
	c->five->heard(c, m);
	c->five->of_message = NULL;
	errno = 0;
}

/* False: it was none of QoS 1. */
static bool forget(struct mqtt_additions *five, int number)
{
	for (size_t i = 0; i < five->count; i++) {
		if (five->unacked[i].number != number)
			continue;
		five->bytes -= five->unacked[i].len;
		five->unacked[i] = five->unacked[--five->count];
		return true;
	}
	return false;
}

static void on_publish_five(struct mosquitto *mosq, void *owner, int number,
			    int reason, const mosquitto_property *properties)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	(void)properties;
	if (forget(c->five, number) && c->events->published &&
	    c->state == MQTT_CONNECTED)
		c->events->published(c->owner, number, reason);
	errno = 0;
}

static void on_subscribe_five(struct mosquitto *mosq, void *owner, int number,
			      int count, const int *code,
			      const mosquitto_property *properties)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	(void)properties;
	if (c->events->subscribed && c->state == MQTT_CONNECTED && count > 0)
		c->events->subscribed(c->owner, number, (size_t)count, code);
	errno = 0;
}

/* ---- its life ---- */

void mqtt_five_open(struct mqtt_client *c, const struct mqtt_five *five)
{
	c->five->will_topic = mem_strdup(five->will_topic);
	c->five->will = mem_strdup(five->will);
	c->five->will_retained = five->will_retained;
	c->five->connects = pairs_copy(five->connects);
	c->five->publishes = pairs_copy(five->publishes);
	mosquitto_property_add_int32(&c->five->connects,
				     MQTT_PROP_MAXIMUM_PACKET_SIZE,
				     TRANSPORT_MESSAGE_MAX);
}

/*
 * The library takes properties of CONNECT by the one call that connects and
 * waits. It keeps them before it looks at the host, and a later connect that
 * does not wait sends them: so here it is given no host.
 */
static void keep_properties(struct mqtt_client *c)
{
	mosquitto_connect_bind_v5(c->mosq, NULL, 0, c->keepalive, NULL,
				  c->five->connects);
}

/*
 * The library tells of a refusal in the form of 3.1.1 (no properties) until
 * 2.0.11; in 2.0.21 it takes that for a broken packet. Within TLS nobody looks,
 * since that would take what went wrong there from the library.
 */
void mqtt_five_look(struct mqtt_client *c)
{
	static const unsigned char refusal[] = { 0x20, 2, 0, 1 };
	unsigned char head[sizeof(refusal)];

	if (c->state != MQTT_CONNECTING || c->tls)
		return;
	if (recv(mosquitto_socket(c->mosq), head, sizeof(head),
		 MSG_PEEK | MSG_DONTWAIT) == (ssize_t)sizeof(head) &&
	    memcmp(head, refusal, sizeof(head)) == 0)
		c->five->answered(c, refusal[3]);
}

void mqtt_five_prepare(struct mqtt_client *c)
{
	struct mqtt_additions *five = c->five;

	mosquitto_int_option(c->mosq, MOSQ_OPT_PROTOCOL_VERSION,
			     MQTT_PROTOCOL_V5);
	if (five->will_topic)
		mosquitto_will_set(c->mosq, five->will_topic,
				   (int)strlen(five->will), five->will, 1,
				   five->will_retained);
	five->taken = false;
	keep_properties(c);
	mosquitto_connect_v5_callback_set(c->mosq, on_connect_five);
	mosquitto_disconnect_v5_callback_set(c->mosq, on_disconnect_five);
	mosquitto_message_v5_callback_set(c->mosq, on_message_five);
	mosquitto_publish_v5_callback_set(c->mosq, on_publish_five);
	mosquitto_subscribe_v5_callback_set(c->mosq, on_subscribe_five);
}

void mqtt_five_drop(struct mqtt_client *c)
{
	if (c->five)
		c->five->count = c->five->bytes = 0;
}

void mqtt_five_close(struct mqtt_client *c)
{
	struct mqtt_additions *five = TAKE(c->five);

	if (!five)
		return;
	mem_free(five->will_topic);
	mem_free(five->will);
	mosquitto_property_free_all(&five->connects);
	mosquitto_property_free_all(&five->publishes);
	mem_free(five->unacked);
	free(five->found);
	mem_free(five);
}

/*
 * A PUBACK, then a PUBLISH: a broker that does not set TCP_NODELAY (mosquitto as
 * it comes) sends the second one when the first is acknowledged, which the
 * kernel puts off for 40 ms.
 */
void mqtt_five_hurry(struct mqtt_client *c)
{
	int fd = c->five && c->mosq ? mosquitto_socket(c->mosq) : -1;
	int on = 1;

	if (fd >= 0)
		setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}
