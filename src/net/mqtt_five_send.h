/* SPDX-License-Identifier: MIT */
/* The same: what is sent. */
#ifndef NET_MQTT_FIVE_SEND_H
#define NET_MQTT_FIVE_SEND_H

#include "net/mqtt_client.h"

int mqtt_publish_five(struct mqtt_client *c, const struct mqtt_message *m,
		      int *number, struct error *err);
int mqtt_subscribe_five(struct mqtt_client *c, char *const *filter,
			size_t count, bool own, int *number, struct error *err);
void mqtt_unsubscribe(struct mqtt_client *c, const char *filter);

#endif
