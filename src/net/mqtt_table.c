/* SPDX-License-Identifier: MIT */
/*
 * The table that this module exports.
 */
#include "broker/sign.h"
#include "net/mqtt_private.h"

static bool audio_counts(const struct transport *t, struct audio_counts *out)
{
	const struct audio *d = NULL;

	*out = (struct audio_counts){ 0 };
	if (!t->impl)
		return false;
	if (t->ops == &mqtt_peer_ops)
		d = ((const struct mqtt_peer *)t->impl)->audio;
	else if (t->ops == &mqtt_table.dial)
		d = mqtt_dial_audio(t);
	if (!d)
		return false;
	*out = d->counts;
	return true;
}

const struct mqtt_table mqtt_table = {
	.dial = {
		.scheme = "mqtt",
		.brief = "a device at an MQTT broker",
		.open = mqtt_dial_open,
		.send = mqtt_dial_send,
		.close = mqtt_dial_close,
		.explain = mqtt_dial_explain,
	},
	.client_open = mqtt_client_open,
	.subscribe = mqtt_subscribe,
	.publish = mqtt_publish,
	.client_close = mqtt_client_close,
	.hub_open = mqtt_hub_open,
	.adopt = mqtt_adopt,
	.ask = mqtt_ask,
	.kick = mqtt_hub_kick,
	.hub_close = mqtt_hub_close,
	.audio_open = mqtt_audio_open,
	.audio_port = mqtt_audio_number,
	.audio_close = mqtt_audio_close,
	.audio_counts = audio_counts,
	.cipher = mqtt_cipher,
	.sign = broker_sign,
};
