/* SPDX-License-Identifier: MIT */
/*
 * The audio of one device: its key, its sequences, what was accepted and what
 * was dropped (device.md 2.4). Owns no socket.
 */
#include <openssl/evp.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"
#include "net/mqtt_private.h"

#define DATAGRAM_MAX 1500 /* what firmware takes and sends */
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

static void enter(struct audio *d)
{
	struct audio **to = &d->port->slot[d->ssrc & (d->port->slots - 1)];

	d->told = true;
	d->next = *to;
	*to = d;
}

static void leave_slot(struct audio *d)
{
	struct audio **at;

	if (!d->told)
		return;
	at = &d->port->slot[d->ssrc & (d->port->slots - 1)];
	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	d->told = false;
}

/*
 * For the next hello. A key that two sessions share would hide both with the
 * same bytes, since the sequences start anew; another ssrc keeps what is late
 * of the one out of the other.
 */
static void prepare(struct audio *d)
{
	struct udp_audio_head head = { .type = 1 };
	unsigned char key[16], nonce[16];

	random_bytes(key, sizeof(key));
	do {
		random_bytes(&head.ssrc, sizeof(head.ssrc));
	} while (head.ssrc == 0 || mqtt_audio_find(d->port, head.ssrc));
	udp_audio_encode(nonce, &head);
	hex_encode_16(d->offer.key, key);
	hex_encode_16(d->offer.nonce, nonce);
}

struct audio *mqtt_audio_join(struct audio_port *a, struct transport *t)
{
	struct audio *d = mem_zalloc(sizeof(*d));

	if (a->count >= a->slots)
		slots_grow(a);
	a->count++;
	d->port = a;
	d->transport = t;
	prepare(d);
	return d;
}

void mqtt_audio_leave(struct audio *d)
{
	if (!d)
		return;
	leave_slot(d);
	d->port->count--;
	mem_free(d);
}

/* What the device was told. It may be no offer of ours: users can send their own. */
static void start(struct audio *d, const cJSON *udp)
{
	const char *key = json_string(udp, "key");
	const char *nonce = json_string(udp, "nonce");
	unsigned char new_key[16], new_nonce[16];
	const struct audio *other;
	struct udp_audio_head head;

	if (!key || !nonce || !hex_decode_16(new_key, key) ||
	    !hex_decode_16(new_nonce, nonce))
		return;
	/* Its length is 0, which is no packet's; its ssrc is read all the same. */
	udp_audio_decode(&head, new_nonce, sizeof(new_nonce), NULL);
	other = mqtt_audio_find(d->port, head.ssrc);
	if (other && other != d)
		return;
	leave_slot(d);
	d->ssrc = head.ssrc;
	enter(d);
	memcpy(d->key, new_key, sizeof(d->key));
	d->received = 0;
	d->sent = 0;
	d->broken_told = d->repeated_told = false;
	prepare(d);
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
	if (type && transport && strcmp(type, "hello") == 0 &&
	    strcmp(transport, "udp") == 0)
		start(d, json_object(json, "udp"));
}

static int drop(struct audio *d, uint64_t *count, bool *told,
		const struct error *why)
{
	const struct transport *t = d->transport;

	++*count;
	if (!*told && t->events->failed)
		t->events->failed(t->owner, 0, why);
	*told = true;
	return -1;
}

static int check(struct udp_audio_head *head, const void *data, size_t len,
		 struct error *err)
{
	if (len > DATAGRAM_MAX)
		return error_set(err, ERR_PROTOCOL,
				 "audio packet: more than %d bytes",
				 DATAGRAM_MAX);
	return udp_audio_decode(head, data, len, err);
}

int mqtt_audio_accept(struct audio *d, const void *data, size_t len,
		      unsigned char *payload)
{
	const unsigned char *bytes = data;
	struct audio_counts *c = &d->counts;
	struct udp_audio_head head = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (check(&head, data, len, &why))
		return drop(d, &c->broken, &d->broken_told, &why);
	if (head.sequence <= d->received) {
		error_set(&why, ERR_PROTOCOL,
			  "audio packet: number %u came after %u, and is "
			  "dropped",
			  head.sequence, d->received);
		return drop(d, &c->repeated, &d->repeated_told, &why);
	}
	if (head.sequence - d->received > 1)
		c->gaps++;
	d->received = head.sequence;
	c->packets++;
	c->bytes += head.length;
	mqtt_cipher(d->key, bytes, bytes + UDP_AUDIO_HEAD, head.length,
		    payload);
	return head.length;
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
