/* SPDX-License-Identifier: MIT */
/* The contract is in the header. The timer is each step's limit, or begins it. */
#include "net/dial.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/lookup.h"
#include "base/mem.h"

struct dial {
	struct dial_order order;
	struct loop *loop;
	struct timer timer;
	int64_t deadline, began; /* of all, of this address */
	uv_getaddrinfo_t *lookup; /* under way; NULL */
	struct addrinfo *addresses, *address; /* all, the one being tried */
	uv_poll_t *poll; /* NULL, or of fd */
	int fd; /* -1 */
	bool trying, over;
	int error; /* of a step that could not begin */
	struct dial_facts facts;
};

/* ---- the end ---- */

static void free_poll(uv_handle_t *poll)
{
	mem_free(poll);
}

static int take_socket(struct dial *d)
{
	int fd = d->fd;

	if (d->poll)
		uv_close((uv_handle_t *)TAKE(d->poll), free_poll);
	d->fd = -1;
	return fd;
}

static void drop_socket(struct dial *d)
{
	int fd = take_socket(d);

	if (fd >= 0)
		close(fd);
}

static void on_closed(void *owner)
{
	struct dial *d = owner;

	if (d->addresses)
		freeaddrinfo(d->addresses);
	mem_free(d);
}

void dial_close(struct dial *d)
{
	if (!d || d->over)
		return;
	d->over = true;
	if (d->lookup) { /* it may take long and cannot be stopped: let go */
		d->lookup->data = NULL;
		uv_cancel((uv_req_t *)TAKE(d->lookup));
	}
	drop_socket(d);
	timer_close(&d->timer, on_closed);
}

static void fail(struct dial *d, enum dial_stage stage, int error)
{
	d->facts.stage = stage;
	d->facts.error = error;
	d->order.failed(d->order.owner, &d->facts);
	dial_close(d);
}

/* ---- the addresses ---- */

static void on_writable(uv_poll_t *poll, int status, int events)
{
	struct dial *d = poll->data;
	socklen_t len = sizeof(int);
	int error = 0, fd;

	(void)events;
	if (getsockopt(d->fd, SOL_SOCKET, SO_ERROR, &error, &len))
		error = errno;
	if (!error && status < 0)
		error = -status;
	/* Accepted and ended before we looked: that is the handshake's matter. */
	if (error && error != ECONNRESET && error != EPIPE) {
		dial_refused(d, error);
		return;
	}
	fd = take_socket(d);
	dial_close(d);
	d->order.connected(d->order.owner, fd);
}

static int begin_connect(struct dial *d)
{
	const struct addrinfo *a = d->address;
	int status;

	d->fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		       0);
	if (d->fd < 0)
		return errno;
	if (connect(d->fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
		return errno;
	d->poll = mem_zalloc(sizeof(*d->poll));
	status = uv_poll_init(loop_uv(d->loop), d->poll, d->fd);
	if (status) {
		mem_free(TAKE(d->poll));
		return -status;
	}
	d->poll->data = d;
	uv_poll_start(d->poll, UV_WRITABLE, on_writable);
	return 0;
}

static void try_address(struct dial *d)
{
	int64_t share, left = 1; /* addresses, this one too */

	for (const struct addrinfo *a = d->address; a->ai_next; a = a->ai_next)
		left++;
	d->trying = true;
	d->began = loop_now();
	share = (d->deadline - d->began) / left;
	d->error = d->order.attempt ?
			   d->order.attempt(d->order.owner, d->address) :
			   begin_connect(d);
	if (share < DIAL_MIN_MS)
		share = DIAL_MIN_MS;
	if (!d->over)
		timer_start(&d->timer, d->error ? 0 : share);
}

void dial_refused(struct dial *d, int error)
{
	struct dial_facts *f = &d->facts;

	if (f->tries < DIAL_TRIES) {
		struct dial_try *t = &f->noted[f->tries];

		address_print(d->address->ai_addr, t->address,
			      sizeof(t->address));
		t->error = error;
		t->ms = loop_now() - d->began;
	}
	f->tries++;
	drop_socket(d);
	if (!d->address->ai_next || loop_now() >= d->deadline) {
		fail(d, DIAL_CONNECT, error);
		return;
	}
	d->address = d->address->ai_next;
	try_address(d);
}

/* ---- the name ---- */

static void on_found(uv_getaddrinfo_t *rq, int status, struct addrinfo *found)
{
	struct dial *d = rq->data;

	mem_free(rq);
	if (!d) {
		uv_freeaddrinfo(found);
		return;
	}
	d->lookup = NULL;
	d->addresses = d->address = found;
	if (status || !found)
		fail(d, DIAL_NAME, status);
	else
		try_address(d);
}

static void on_timer(void *owner)
{
	struct dial *d = owner;

	if (d->trying)
		dial_refused(d, d->error ? d->error : ETIMEDOUT);
	else if (d->addresses)
		try_address(d);
	else
		fail(d, DIAL_NAME, d->lookup ? UV_ETIMEDOUT : d->error);
}

static void look_up(struct dial *d)
{
	struct addrinfo hints = { .ai_family = d->order.family,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	char port[8];

	snprintf(port, sizeof(port), "%u", (unsigned)d->order.port);
	/* A number needs no thread. */
	if (!getaddrinfo(d->order.host, port, &hints, &d->addresses)) {
		d->address = d->addresses;
		timer_start(&d->timer, 0);
		return;
	}
	hints.ai_flags = AI_NUMERICSERV;
	d->lookup = mem_zalloc(sizeof(*d->lookup));
	d->lookup->data = d;
	d->error = lookup_start(d->loop, d->lookup, on_found, d->order.host,
				port, &hints);
	if (d->error)
		mem_free(TAKE(d->lookup));
	timer_start(&d->timer, d->error ? 0 : d->order.timeout);
}

struct dial *dial_open(struct loop *l, const struct dial_order *o)
{
	struct dial *d = mem_zalloc(sizeof(*d));

	d->order = *o;
	d->loop = l;
	d->fd = -1;
	d->deadline = loop_now() + o->timeout;
	timer_open(&d->timer, l, on_timer, d);
	look_up(d);
	d->order.host = NULL; /* lent */
	return d;
}
