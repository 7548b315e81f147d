/* SPDX-License-Identifier: MIT */
/* The transport of mqtt: and mqtts:. Within the module of net/mqtt. */
#ifndef NET_MQTT_DIAL_H
#define NET_MQTT_DIAL_H

#include "net/mqtt.h"

struct audio;

int mqtt_dial_open(struct transport *t, const struct endpoint *to,
		   struct error *err);
int mqtt_dial_send(struct transport *t, const char *text, size_t len,
		   struct error *err);
void mqtt_dial_close(struct transport *t);
int mqtt_dial_send_sound(struct transport *t, const void *data, size_t len,
			 struct error *err);
int mqtt_dial_explain(struct transport *t, struct error *err);
bool mqtt_dial_layers(const struct transport *t, int64_t id,
		      struct layers *out);
/* NULL: it has none. t is open with dial's ops. */
const struct audio *mqtt_dial_audio(const struct transport *t);

#endif
