/* SPDX-License-Identifier: MIT */
/* What goes out by MQTT 5: messages that are acknowledged, subscriptions. */
#include "net/mqtt_five_send.h"

#include <mqtt_protocol.h>

#include "base/mem.h"
#include "net/mqtt_five.h"

/* Published at once, and not acknowledged; QoS 1 keeps them in memory. */
#define UNACKED_MAX 4096

static int fails(const struct mqtt_client *c, const char *what, int rc,
		 struct error *err)
{
	if (rc == MOSQ_ERR_OVERSIZE_PACKET)
		return error_set(err, ERR_CONNECT,
				 "the broker '%s' takes no message so large",
				 c->host);
	if (rc == MOSQ_ERR_RETAIN_NOT_SUPPORTED)
		return error_set(err, ERR_CONNECT,
				 "the broker '%s' keeps no messages (retain)",
				 c->host);
	return error_set(err, ERR_CONNECT, "cannot %s the broker '%s': %s",
			 what, c->host, mosquitto_strerror(rc));
}

static void note_unacked(struct mqtt_additions *five, int number, size_t len)
{
	five->unacked = mem_grow(five->unacked, &five->capacity, five->count,
				 sizeof(*five->unacked));
	five->unacked[five->count++] =
		(struct mqtt_unacked){ .number = number, .len = len };
	five->bytes += len;
}

int mqtt_publish_five(struct mqtt_client *c, const struct mqtt_message *m,
		      int *number, struct error *err)
{
	struct mqtt_additions *five = c->five;
	int mid = 0, rc;

	if (mqtt_check_publish(c, m->topic, m->len, err))
		return -1;
	if (five->count >= UNACKED_MAX ||
	    five->bytes > TRANSPORT_QUEUE_MAX - m->len)
		return error_set(
			err, ERR_CONNECT,
			"too much waits to be taken by the broker '%s'",
			c->host);
	rc = mosquitto_publish_v5(c->mosq, &mid, m->topic, (int)m->len, m->data,
				  1, m->retained, five->publishes);
	if (!rc)
		note_unacked(five, mid, m->len);
	/* Nothing is acknowledged then. */
	if (rc == MOSQ_ERR_QOS_NOT_SUPPORTED)
		rc = mosquitto_publish_v5(c->mosq, &mid, m->topic, (int)m->len,
					  m->data, 0, m->retained,
					  five->publishes);
	mqtt_watch(c);
	if (number)
		*number = mid;
	return rc ? fails(c, "send to", rc, err) : 0;
}

int mqtt_subscribe_five(struct mqtt_client *c, char *const *filter,
			size_t count, bool own, int *number, struct error *err)
{
	int mid = 0, rc;

	for (size_t i = 0; i < count; i++) {
		if (mqtt_check_filter(filter[i], err))
			return -1;
	}
	if (c->state != MQTT_CONNECTED)
		return error_set(err, ERR_CONNECT,
				 "the broker '%s' is not connected", c->host);
	rc = mosquitto_subscribe_multiple(c->mosq, &mid, (int)count, filter, 1,
					  own ? 0 : MQTT_SUB_OPT_NO_LOCAL,
					  NULL);
	mqtt_watch(c);
	if (number)
		*number = mid;
	return rc ? fails(c, "subscribe at", rc, err) : 0;
}

void mqtt_unsubscribe(struct mqtt_client *c, const char *filter)
{
	if (c->state != MQTT_CONNECTED)
		return;
	mosquitto_unsubscribe(c->mosq, NULL, filter);
	mqtt_watch(c);
}
