/* SPDX-License-Identifier: MIT */
/*
 * A try to reach the broker: its name, then each address in turn, with a
 * share of the time for each. What comes after TCP is the library's matter.
 */
#include <errno.h>

#include "base/lookup.h"
#include "base/mem.h"
#include "net/mqtt_private.h"

#define TIMEOUT_MS 10000
#define ATTEMPT_MIN_MS 250

/* ---- the name ---- */

static void on_found(uv_getaddrinfo_t *uv, int status, struct addrinfo *found)
{
	struct mqtt_lookup *lookup = (struct mqtt_lookup *)uv;
	struct mqtt_client *c = lookup->client;

	mem_free(lookup);
	if (!c) {
		uv_freeaddrinfo(found);
		return;
	}
	c->lookup = NULL;
	if (status || !found) {
		uv_freeaddrinfo(found);
		mqtt_fail_lookup(c, status);
		mqtt_lost(c);
		return;
	}
	c->addresses = c->address = found;
	mqtt_connect_next(c);
}

void mqtt_forget_lookup(struct mqtt_client *c)
{
	if (!c->lookup)
		return;
	c->lookup->client = NULL;
	uv_cancel((uv_req_t *)&c->lookup->uv);
	c->lookup = NULL;
}

/* A number needs no thread: the timer goes on with it, from the loop. */
void mqtt_begin(struct mqtt_client *c)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST };

	c->state = MQTT_RESOLVING;
	c->deadline = loop_now() + TIMEOUT_MS;
	if (c->addresses)
		freeaddrinfo(c->addresses);
	c->addresses = c->address = NULL;
	if (!getaddrinfo(c->host, NULL, &hints, &c->addresses)) {
		c->address = c->addresses;
		timer_start(&c->timer, 0);
		return;
	}
	hints.ai_flags = 0;
	c->lookup = mem_zalloc(sizeof(*c->lookup));
	c->lookup->client = c;
	if (lookup_start(c->loop, &c->lookup->uv, on_found, c->host, NULL,
			 &hints))
		mem_free(TAKE(c->lookup)); /* the timer tells it */
	timer_start(&c->timer, c->lookup ? TIMEOUT_MS : 0);
}

/* ---- the addresses ---- */

static int dial(struct mqtt_client *c)
{
	char number[NI_MAXHOST];
	int rc;

	c->tcp_up = false;
	c->early_error = 0;
	mqtt_library_done(c);
	c->mosq = mqtt_library_new(c);
	if (!c->mosq) {
		errno = ENOMEM;
		return MOSQ_ERR_ERRNO;
	}
	/* With the zone of an address of this link. */
	if (getnameinfo(c->address->ai_addr, c->address->ai_addrlen, number,
			sizeof(number), NULL, 0, NI_NUMERICHOST)) {
		errno = EADDRNOTAVAIL;
		return MOSQ_ERR_ERRNO;
	}
	errno = 0;
	rc = mosquitto_connect_async(c->mosq, number, c->port, c->keepalive);
	c->tcp_up = rc == MOSQ_ERR_TLS && !c->early_error;
	if (c->early_error)
		errno = c->early_error;
	else if (errno != EINPROGRESS && errno != EAGAIN)
		c->early_error = errno;
	return rc == MOSQ_ERR_CONN_PENDING ? MOSQ_ERR_SUCCESS : rc;
}

/* The address being tried is no good: go to the next; false: there is none. */
static bool skip_address(struct mqtt_client *c)
{
	if (c->tcp_up || !c->address->ai_next || loop_now() >= c->deadline)
		return false;
	c->address = c->address->ai_next;
	return true;
}

void mqtt_connect_next(struct mqtt_client *c)
{
	int64_t left, share;
	int rc, error;

	c->state = MQTT_CONNECTING;
	c->connack = 0;
	c->refused = NULL;
	do {
		c->tls_up = c->disconnecting = false;
		c->problem[0] = '\0';
		rc = dial(c);
		error = errno;
	} while (rc && skip_address(c));
	if (rc) {
		mqtt_fail(c, rc, error);
		mqtt_lost(c);
		return;
	}
	left = c->deadline - loop_now();
	share = left / (int64_t)address_count(c->address);
	timer_start(&c->timer, share > ATTEMPT_MIN_MS ? share : ATTEMPT_MIN_MS);
	mqtt_watch(c);
}

void mqtt_broken(struct mqtt_client *c, int rc, int error)
{
	mqtt_unwatch(c);
	if (c->state == MQTT_DRAINING) {
		mqtt_gone(c);
	} else if (c->state == MQTT_CONNECTING && skip_address(c)) {
		mqtt_connect_next(c);
	} else {
		mqtt_fail(c, rc, error);
		mqtt_lost(c);
	}
}
