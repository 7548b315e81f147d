/* SPDX-License-Identifier: MIT */
/*
 * The audio of one device: its key, its sequences, what was accepted and what
 * was dropped (device.md 2.4). Owns no socket.
 */
#include <openssl/evp.h>
#include <string.h>
#include <sys/random.h>

#include "base/json.h"
#include "base/mem.h"
#include "net/mqtt_private.h"

#define FRAME_MS 60
/* A server hello has some 300 bytes. */
#define HELLO_MAX 4096

void mqtt_cipher(const unsigned char key[16], const unsigned char counter[16],
		 const void *in, size_t len, unsigned char *out)
{
	/* One for all packets: to make it anew costs more than to use it. */
	static EVP_CIPHER_CTX *context;
	int done = 0;

	if (!context) {
		context = EVP_CIPHER_CTX_new();
		EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), NULL, NULL,
				   NULL);
	}
	if (EVP_EncryptInit_ex(context, NULL, NULL, key, counter) != 1 ||
	    EVP_EncryptUpdate(context, out, &done, in, (int)len) != 1)
		memset(out, 0, len);
}

static void fill_random(void *out, size_t len)
{
	/* Up to 256 bytes come whole, once the kernel has any. */
	while (getrandom(out, len, 0) != (ssize_t)len)
		;
}

static void slots_grow(struct audio_port *a)
{
	size_t slots = a->slots ? a->slots * 2 : 16;
	struct audio **slot = mem_zalloc(slots * sizeof(void *));

	for (size_t i = 0; i < a->slots; i++) {
		struct audio *next;

		for (struct audio *d = a->slot[i]; d; d = next) {
			struct audio **to = &slot[d->ssrc & (slots - 1)];

			next = d->next;
			d->next = *to;
			*to = d;
		}
	}
	mem_free(a->slot);
	a->slot = slot;
	a->slots = slots;
}

struct audio *mqtt_audio_find(const struct audio_port *a, uint32_t ssrc)
{
	struct audio *d = a->slots ? a->slot[ssrc & (a->slots - 1)] : NULL;

	while (d && d->ssrc != ssrc)
		d = d->next;
	return d;
}

struct audio *mqtt_audio_join(struct audio_port *a, struct transport *t)
{
	struct audio *d = mem_zalloc(sizeof(*d));
	struct audio **to;
	struct udp_audio_head nonce = { .type = 1 };

	if (a->count >= a->slots)
		slots_grow(a);
	fill_random(d->key, sizeof(d->key));
	do {
		fill_random(&d->ssrc, sizeof(d->ssrc));
	} while (d->ssrc == 0 || mqtt_audio_find(a, d->ssrc));
	nonce.ssrc = d->ssrc;
	udp_audio_encode(d->nonce, &nonce);
	d->port = a;
	d->transport = t;
	to = &a->slot[d->ssrc & (a->slots - 1)];
	d->next = *to;
	*to = d;
	a->count++;
	return d;
}

void mqtt_audio_leave(struct audio *d)
{
	struct audio_port *a;
	struct audio **at;

	if (!d)
		return;
	a = d->port;
	at = &a->slot[d->ssrc & (a->slots - 1)];
	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	a->count--;
	mem_free(d);
}

/* The session makes the hello; that it goes out is all that is seen here. */
void mqtt_audio_passes(struct audio *d, const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *type, *transport;

	if (len > HELLO_MAX || !memmem(text, len, "\"hello\"", 7))
		return;
	json = json_parse(text, len, NULL);
	type = json_string(json, "type");
	transport = json_string(json, "transport");
	if (!type || !transport || strcmp(type, "hello") != 0 ||
	    strcmp(transport, "udp") != 0)
		return;
	d->received = 0;
	d->sent = 0;
}

int mqtt_audio_accept(struct audio *d, const void *data, size_t len,
		      unsigned char *payload, size_t *payload_len)
{
	const unsigned char *bytes = data;
	struct udp_audio_head head;

	if (udp_audio_decode(&head, data, len, NULL) || head.ssrc != d->ssrc) {
		d->counts.broken++;
		return -1;
	}
	if (head.sequence <= d->received) {
		d->counts.repeated++;
		return -1;
	}
	if (head.sequence - d->received > 1)
		d->counts.gaps++;
	d->received = head.sequence;
	d->counts.packets++;
	d->counts.bytes += head.length;
	mqtt_cipher(d->key, bytes, bytes + UDP_AUDIO_HEAD, head.length,
		    payload);
	*payload_len = head.length;
	return 0;
}

size_t mqtt_audio_silence(struct audio *d, unsigned char *out)
{
	/* Opus: 20 ms of fullband silence (RFC 6716, 3.1; what encoders send). */
	static const unsigned char silence[] = { 0xf8, 0xff, 0xfe };
	const struct udp_audio_head head = { .type = 1,
					     .length = sizeof(silence),
					     .ssrc = d->ssrc,
					     .timestamp = d->sent * FRAME_MS,
					     .sequence = d->sent + 1 };

	d->sent++;
	udp_audio_encode(out, &head);
	mqtt_cipher(d->key, out, silence, sizeof(silence),
		    out + UDP_AUDIO_HEAD);
	return UDP_AUDIO_HEAD + sizeof(silence);
}
