/* SPDX-License-Identifier: MIT */
/*
 * One board's connection to its broker (proxy/mqtt_relay.h): packets read on
 * their way, recorded, judged, and passed on.
 */
#ifndef PROXY_MQTT_TALK_H
#define PROXY_MQTT_TALK_H

#include "proxy/mqtt_relay.h"

/* A board has connected: fd and share are taken. */
void mqtt_talk_begin(struct mqtt_place *at, int fd, const struct sockaddr *from,
		     struct share *share);
/* All of them; each tells r->released. */
void mqtt_talks_close(struct mqtt_relay *r);

#endif
