/* SPDX-License-Identifier: MIT */
/*
 * Audio over UDP: one socket for many devices, told apart by ssrc (device.md
 * 2.3, 2.4).
 */
#include "net/mqtt_audio.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "net/bind.h"

/*
 * The audio of one device: its key, its sequences, what was accepted and what
 * was dropped (device.md 2.4). Owns no socket.
 */

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

static uint64_t hash_of(uint32_t ssrc)
{
	return map_hash(&ssrc, sizeof(ssrc));
}

static struct audio *mqtt_audio_find(const struct audio_port *a, uint32_t ssrc)
{
	uint64_t hash = hash_of(ssrc);
	struct audio *d;
	size_t at = 0;

	while ((d = map_find(&a->boards, hash, &at))) {
		if (d->ssrc == ssrc)
			break;
	}
	return d;
}

static void enter(struct audio *d)
{
	d->told = true;
	map_add(&d->port->boards, hash_of(d->ssrc), d);
}

static void leave_slot(struct audio *d)
{
	if (d->told)
		map_remove(&d->port->boards, hash_of(d->ssrc), d);
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
	d->speaking = d->voiced = false;
	d->from.ss_family = AF_UNSPEC;
	d->broken_told = d->repeated_told = false;
	prepare(d);
}

static void answer(struct audio *d);

/* Firmware plays what comes between these two, and drops the rest. */
static void speak(struct audio *d, const char *state)
{
	d->voiced = false;
	if (text_same(state, "start")) {
		d->speaking = true;
		answer(d);
	} else if (text_same(state, "stop")) {
		d->speaking = false;
	}
}

/* The session makes the hello; that it goes out is all that is seen here. */
void mqtt_audio_passes(struct audio *d, const char *text, size_t len)
{
	static const char *const words[] = { "\"hello\"", "\"tts\"", NULL };
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse_with(text, len, HELLO_MAX, words);
	const char *type = json_string(json, "type");

	if (text_same(type, "tts"))
		speak(d, json_string(json, "state"));
	else if (text_same(type, "hello") &&
		 text_same(json_string(json, "transport"), "udp"))
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

/*
 * A datagram for this device; payload (at least len bytes) is set to what is
 * in it, whose length is returned. -1: dropped, and counted; the first of its
 * kind is told to the owner.
 */
static int mqtt_audio_accept(struct audio *d, const void *data, size_t len,
			     unsigned char *payload)
{
	const unsigned char *bytes = data;
	struct audio_counts *c = &d->counts;
	struct udp_audio_head head = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (check(&head, data, len, &why))
		return drop(d, &c->broken, &d->broken_told, &why);
	if (head.sequence <= d->received) {
		error_set(
			&why, ERR_PROTOCOL,
			"audio packet: number %u came after %u, and is dropped",
			head.sequence, d->received);
		return drop(d, &c->repeated, &d->repeated_told, &why);
	}
	if (head.sequence - d->received > 1) {
		c->gaps++;
		c->lost += head.sequence - d->received - 1;
	}
	d->received = head.sequence;
	c->packets++;
	c->bytes += head.length;
	mqtt_cipher(d->key, bytes, bytes + UDP_AUDIO_HEAD, head.length,
		    payload);
	return head.length;
}

/* A datagram with one packet of silence; its size. out has room for 64 bytes. */
static size_t mqtt_audio_silence(struct audio *d, unsigned char *out)
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

/*
 * The UDP socket for the audio of many devices, told apart by ssrc; and the
 * address that a device is told for it.
 */

/* ---- datagrams ---- */

static void on_room(uv_handle_t *uv, size_t wanted, uv_buf_t *out)
{
	struct audio_port *a = uv->data;

	(void)wanted;
	*out = uv_buf_init(a->room, sizeof(a->room));
}

static void answer(struct audio *d)
{
	const struct sockaddr *to = (const struct sockaddr *)&d->from;
	unsigned char packet[64];
	uv_buf_t out;

	if (!d->port->silence || !d->speaking || d->voiced ||
	    to->sa_family == AF_UNSPEC)
		return;
	out.base = (char *)packet;
	out.len = mqtt_audio_silence(d, packet);
	if (uv_udp_try_send(&d->port->uv, &out, 1, to) == (int)out.len)
		d->counts.sent++;
}

/* As firmware takes it: numbers that rise by one, and time with them. */
int mqtt_audio_send(struct audio *d, const void *data, size_t len,
		    struct error *err)
{
	const struct sockaddr *to =
		d ? (const struct sockaddr *)&d->from : NULL;
	unsigned char packet[DATAGRAM_MAX];
	struct udp_audio_head head = { .type = 1 };
	uv_buf_t out;

	if (!d || !d->open || to->sa_family == AF_UNSPEC) {
		error_set(
			err, ERR_CONNECT,
			"the board has no voice session, or sent no sound in it yet: where it listens is not known");
		return error_hint(
			err,
			"wake it, by its wake word or button, and try again");
	}
	if (len > DATAGRAM_MAX - UDP_AUDIO_HEAD)
		return error_set(err, ERR_USAGE,
				 "a packet of %zu bytes fits no datagram", len);
	head.length = (uint16_t)len;
	head.ssrc = d->ssrc;
	head.timestamp = d->sent * FRAME_MS;
	head.sequence = ++d->sent;
	udp_audio_encode(packet, &head);
	mqtt_cipher(d->key, packet, data, len, packet + UDP_AUDIO_HEAD);
	out = uv_buf_init((char *)packet, (unsigned)(UDP_AUDIO_HEAD + len));
	d->voiced = true;
	/* What the network does not take now is lost, as it may be later. */
	if (uv_udp_try_send(&d->port->uv, &out, 1, to) == (int)out.len)
		d->counts.sent++;
	return 0;
}

static void on_datagram(uv_udp_t *uv, ssize_t len, const uv_buf_t *in,
			const struct sockaddr *from, unsigned flags)
{
	struct audio_port *a = uv->data;
	const unsigned char *bytes = (const unsigned char *)in->base;
	unsigned char payload[sizeof(a->room)];
	struct udp_audio_head head;
	struct audio *d;
	int payload_len;

	if (len <= 0 || !from)
		return;
	/* A broken head may still name whose it is. */
	udp_audio_decode(&head, bytes, (size_t)len, NULL);
	d = mqtt_audio_find(a, head.ssrc);
	if (!d || !d->open)
		return;
	/* One that did not fit is as long as the room, which is too long. */
	(void)flags;
	payload_len = mqtt_audio_accept(d, bytes, (size_t)len, payload);
	if (payload_len < 0)
		return;
	memcpy(&d->from, from,
	       from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					     sizeof(struct sockaddr_in));
	answer(d);
	d->transport->events->message(d->transport->owner, FRAME_BINARY,
				      payload, (size_t)payload_len);
}

/* ---- the socket ---- */

static void note_address(struct audio_port *a)
{
	struct sockaddr_storage own = { 0 };
	int size = sizeof(own);

	uv_udp_getsockname(&a->uv, (struct sockaddr *)&own, &size);
	a->number = address_port((const struct sockaddr *)&own);
	address_print_host((const struct sockaddr *)&own, a->host,
			   sizeof(a->host));
	if (strcmp(a->host, "::") == 0 || strcmp(a->host, "0.0.0.0") == 0)
		a->host[0] = '\0';
}

struct audio_port *mqtt_audio_open(struct loop *l, const char *host,
				   uint16_t port, bool silence,
				   struct error *err)
{
	int fd = bind_udp(host, port, err);
	struct audio_port *a;

	if (fd < 0)
		return NULL;
	a = mem_zalloc(sizeof(*a));
	a->loop = l;
	a->silence = silence;
	uv_udp_init(loop_uv(l), &a->uv);
	a->uv.data = a;
	if (uv_udp_open(&a->uv, fd) ||
	    uv_udp_recv_start(&a->uv, on_room, on_datagram)) {
		error_set(err, ERR_CONNECT, "cannot use a UDP socket");
		mqtt_audio_close(a, NULL, NULL);
		return NULL;
	}
	note_address(a);
	return a;
}

uint16_t mqtt_audio_number(const struct audio_port *a)
{
	return a->number;
}

static void on_closed(uv_handle_t *uv)
{
	struct audio_port *a = uv->data;
	void (*closed)(void *owner) = a->closed;
	void *owner = a->owner;

	map_done(&a->boards);
	mem_free(a);
	if (closed)
		closed(owner);
}

void mqtt_audio_close(struct audio_port *a, void (*closed)(void *owner),
		      void *owner)
{
	if (uv_is_closing((uv_handle_t *)&a->uv))
		return;
	a->closed = closed;
	a->owner = owner;
	uv_close((uv_handle_t *)&a->uv, on_closed);
}

/* ---- what a device is told ---- */

/*
 * The address by which we reach the broker. Where that is on this machine, the
 * device may be anywhere.
 */
static bool own_of(int connection, char *out, size_t size)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	char others[1][64];

	if (getsockname(connection, (struct sockaddr *)&own, &len))
		return false;
	address_print_host((const struct sockaddr *)&own, out, size);
	if (address_is_here(out) && local_addresses(others, 1) == 1)
		snprintf(out, size, "%s", others[0]);
	return true;
}

const struct udp_offer *mqtt_audio_offer(struct audio *d, const char *server,
					 const char *device, int fd)
{
	struct udp_offer *out = &d->offer;

	out->port = d->port->number;
	if (server)
		snprintf(out->server, sizeof(out->server), "%s", server);
	else if (d->port->host[0])
		snprintf(out->server, sizeof(out->server), "%s", d->port->host);
	else if (!(device && local_address_towards(device, out->server,
						   sizeof(out->server))) &&
		 !own_of(fd, out->server, sizeof(out->server)))
		snprintf(out->server, sizeof(out->server), "127.0.0.1");
	return out;
}
