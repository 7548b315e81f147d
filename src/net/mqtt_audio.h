/* SPDX-License-Identifier: MIT */
/*
 * One UDP socket for the sound of devices, and one device on it. Within the module
 * of net/mqtt.
 */
#ifndef NET_MQTT_AUDIO_H
#define NET_MQTT_AUDIO_H

#include "base/map.h"
#include "net/address.h"
#include "net/mqtt.h"

struct audio {
	struct audio_port *port;
	struct transport *transport; /* who gets the frames */
	bool open; /* it may get them now: ready, and not closing */
	bool told; /* a hello was sent: key and ssrc are known to the device */
	/* what its owner knows of since that hello: packets were dropped */
	bool broken_told, repeated_told;
	uint32_t ssrc, received, sent; /* sequences */
	struct sockaddr_storage from; /* of its last packet; AF_UNSPEC */
	bool speaking; /* it was told tts start, and no stop yet */
	bool voiced; /* it was sent sound since: no silence between */
	unsigned char key[16];
	struct udp_offer offer; /* for the next hello */
	struct audio_counts counts;
};

struct audio_port {
	struct loop *loop;
	uv_udp_t uv;
	bool silence;
	uint16_t number;
	char host[ADDRESS_TEXT_MAX]; /* bound to that only; "" for all */
	struct map boards; /* struct audio by ssrc */
	void (*closed)(void *owner);
	void *owner;
	char room[2048];
};

struct audio_port *mqtt_audio_open(struct loop *l, const char *host,
				   uint16_t port, bool silence,
				   struct error *err);
uint16_t mqtt_audio_number(const struct audio_port *a);
/* All its devices must have left. closed may be NULL. */
void mqtt_audio_close(struct audio_port *a, void (*closed)(void *owner),
		      void *owner);

/* A device that will have a key and an ssrc of its own for each hello. */
struct audio *mqtt_audio_join(struct audio_port *a, struct transport *t);
void mqtt_audio_leave(struct audio *d);
/*
 * What its hellos are told, lent: another key each time. server: the address
 * for devices; NULL: ours towards `device` ("192.168.1.7:51234"), or, if that
 * is NULL too, the one by which this end of the connection `fd` is known.
 */
const struct udp_offer *mqtt_audio_offer(struct audio *d, const char *server,
					 const char *device, int fd);
/* Opus for the device. -1 (ERR_CONNECT): where it listens is not known. */
int mqtt_audio_send(struct audio *d, const void *data, size_t len,
		    struct error *err);
/*
 * A message went to the device: from a server hello on, its key and ssrc
 * count, and the sequences start anew.
 */
void mqtt_audio_passes(struct audio *d, const char *text, size_t len);
void mqtt_cipher(const unsigned char key[16], const unsigned char counter[16],
		 const void *in, size_t len, unsigned char *out);

#endif
