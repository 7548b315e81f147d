/* SPDX-License-Identifier: MIT */
/*
 * The UDP socket for the audio of many devices, told apart by ssrc; and the
 * address that a device is told for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/listen.h"
#include "net/mqtt_private.h"
#include "net/port_owner.h"

/* ---- datagrams ---- */

static void on_room(uv_handle_t *uv, size_t wanted, uv_buf_t *out)
{
	struct audio_port *a = uv->data;

	(void)wanted;
	*out = uv_buf_init(a->room, sizeof(a->room));
}

static void answer(struct audio *d, const struct sockaddr *to)
{
	unsigned char packet[64];
	uv_buf_t out;

	out.base = (char *)packet;
	out.len = mqtt_audio_silence(d, packet);
	if (uv_udp_try_send(&d->port->uv, &out, 1, to) == (int)out.len)
		d->counts.sent++;
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
	if (a->silence)
		answer(d, from);
	d->transport->events->message(d->transport->owner, FRAME_BINARY,
				      payload, (size_t)payload_len);
}

/* ---- the socket ---- */

static int bind_one(const char *host, uint16_t port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found;
	char service[8];
	int fd, off = 0;

	snprintf(service, sizeof(service), "%u", (unsigned)port);
	if (getaddrinfo(host, service, &hints, &found)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    0);
	if (fd >= 0 && found->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (fd >= 0 && bind(fd, found->ai_addr, found->ai_addrlen)) {
		int error = errno;

		close(fd);
		fd = -1;
		errno = error;
	}
	freeaddrinfo(found);
	return fd;
}

static int cannot_open(const char *host, uint16_t port, int error,
		       struct error *err)
{
	struct port_owner owner;

	if (error == EADDRINUSE && port_owner_find_udp(port, &owner))
		error_set(err, ERR_CONNECT,
			  "the UDP port %u, for audio, is in use by '%s' "
			  "(process %d)",
			  (unsigned)port, owner.program, owner.pid);
	else
		error_set(err, ERR_CONNECT,
			  "cannot open the UDP port %u for audio%s%s: %s",
			  (unsigned)port, host ? " on " : "", host ? host : "",
			  strerror(error));
	if (error == EACCES)
		error_hint(err, "ports below 1024 are for root: take another "
				"one with --udp-port");
	else if (error == EADDRNOTAVAIL)
		error_hint(err, "--listen must name an address of this "
				"machine");
	else
		error_hint(err, "take another port with --udp-port, or any "
				"free one without it");
	return error_code(err, error);
}

/* All addresses of both families, where there are both. */
static int bind_any(const char *host, uint16_t port, struct error *err)
{
	int fd = bind_one(host ? host : "::", port);

	if (fd < 0 && !host && errno != EADDRINUSE && errno != EACCES)
		fd = bind_one("0.0.0.0", port);
	if (fd >= 0)
		return fd;
	return cannot_open(host, port, errno, err);
}

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
	int fd = bind_any(host, port, err);
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

	mem_free(a->slot);
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
