/* SPDX-License-Identifier: MIT */
/*
 * libmosquitto on the loop: its socket is watched, its functions are called,
 * its callbacks come in here. It never reconnects by itself, and is never
 * called from inside its own callbacks but to queue something.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "net/mqtt_private.h"

/* Packets read before others have their turn. */
#define READS_AT_ONCE 64

/* ---- callbacks of the library ---- */

/*
 * Each ends with errno at 0: the library looks at it afterwards, and an EAGAIN
 * that something in here left would end its reading amid a TLS record.
 */
static void on_connect(struct mosquitto *mosq, void *owner, int code)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	if (c->state == MQTT_CONNECTING && code)
		c->connack = code;
	else if (c->state == MQTT_CONNECTING)
		mqtt_connected(c);
	errno = 0;
}

static void on_message(struct mosquitto *mosq, void *owner,
		       const struct mosquitto_message *m)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	/* What the broker retained is of the past. */
	if (c->state == MQTT_CONNECTED && !m->retain && c->events->message)
		c->events->message(
			c->owner, m->topic, m->payloadlen > 0 ? m->payload : "",
			m->payloadlen > 0 ? (size_t)m->payloadlen : 0);
	errno = 0;
}

static void on_subscribe(struct mosquitto *mosq, void *owner, int mid,
			 int count, const int *granted)
{
	struct mqtt_client *c = owner;

	(void)mosq;
	for (size_t i = 0; i < c->filters; i++) {
		if (c->filter[i].mid == mid && count > 0 && granted[0] > 2)
			c->refused = c->filter[i].text;
	}
	errno = 0;
}

struct mosquitto *mqtt_library_new(struct mqtt_client *c)
{
	struct mosquitto *mosq = mosquitto_new(c->client_id, true, c);

	if (!mosq)
		return NULL;
	mosquitto_int_option(mosq, MOSQ_OPT_PROTOCOL_VERSION,
			     MQTT_PROTOCOL_V311);
	mosquitto_int_option(mosq, MOSQ_OPT_TCP_NODELAY, 1);
	if (c->user)
		mosquitto_username_pw_set(mosq, c->user, c->password);
	if (c->tls) {
		mosquitto_int_option(mosq, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0);
		mosquitto_void_option(mosq, MOSQ_OPT_SSL_CTX, c->tls);
	}
	mosquitto_connect_callback_set(mosq, on_connect);
	mosquitto_message_callback_set(mosq, on_message);
	mosquitto_subscribe_callback_set(mosq, on_subscribe);
	return mosq;
}

/* Not from inside a callback of the library. */
void mqtt_library_done(struct mqtt_client *c)
{
	mqtt_unwatch(c);
	if (c->mosq)
		mosquitto_destroy(TAKE(c->mosq));
}

/* ---- what it waits for ---- */

static bool in_handshake(const struct mqtt_client *c)
{
	const SSL *ssl = mosquitto_ssl_get(c->mosq);

	return ssl && SSL_in_init(ssl);
}

/* The library's own answer is wrong in a handshake: it would spin. */
static int wanted(const struct mqtt_client *c)
{
	bool write;

	if (!c->tcp_up)
		return UV_WRITABLE;
	if (in_handshake(c))
		write = SSL_want_write((const SSL *)mosquitto_ssl_get(c->mosq));
	else
		write = c->first || mosquitto_want_write(c->mosq);
	return UV_READABLE | (write ? UV_WRITABLE : 0);
}

bool mqtt_is_idle(const struct mqtt_client *c)
{
	return !c->first && !mosquitto_want_write(c->mosq);
}

/* ---- reading and writing ---- */

int mqtt_hand_over(struct mqtt_client *c, const char *topic, const void *data,
		   size_t len)
{
	return mosquitto_publish(c->mosq, NULL, topic, (int)len, data, 0,
				 false);
}

static int write_some(struct mqtt_client *c)
{
	int rc = mosquitto_loop_write(c->mosq, 1);

	while (!rc && c->first && !mosquitto_want_write(c->mosq)) {
		struct mqtt_waiting *m = c->first;

		c->first = m->next;
		if (!c->first)
			c->last = &c->first;
		c->queued -= m->len;
		rc = mqtt_hand_over(c, m->topic, m->data, m->len);
		mem_free(m->topic);
		mem_free(m);
	}
	return rc;
}

/* One call of the library reads one packet; TLS may hold more that poll does not see. */
static int read_some(struct mqtt_client *c)
{
	int rc = 0;

	for (int i = 0; i < READS_AT_ONCE && !rc; i++) {
		const SSL *ssl = mosquitto_ssl_get(c->mosq);

		errno = 0;
		rc = mosquitto_loop_read(c->mosq, 1);
		if (rc || c->state == MQTT_GONE || c->refused ||
		    mosquitto_socket(c->mosq) < 0)
			break;
		if (errno == EAGAIN && !(ssl && SSL_pending(ssl) > 0))
			break;
	}
	return rc;
}

/*
 * An errno; 0: the connection stands, or stood. The name is asked for first:
 * what ends the connection after that is another failure.
 */
static int tcp_error(const struct mqtt_client *c)
{
	int fd = mosquitto_socket(c->mosq), error = 0;
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);
	bool connected = !getpeername(fd, (struct sockaddr *)&peer, &size);

	size = sizeof(error);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
		error = errno;
	/* The library's TLS may have met it before us, and swallowed it. */
	if (!error && !connected)
		error = c->early_error ? c->early_error : ECONNREFUSED;
	return error;
}

/* False: the connection was not made, and that is dealt with. */
static bool check_tcp(struct mqtt_client *c)
{
	int64_t left;
	int error;

	if (c->tcp_up)
		return true;
	error = tcp_error(c);
	/* Accepted and ended before we looked: that is no matter of TCP. */
	c->tcp_up = error == 0 || error == ECONNRESET || error == EPIPE;
	if (error) {
		mqtt_broken(c, MOSQ_ERR_ERRNO, error);
		return false;
	}
	/* What comes now has all the time that is left. */
	left = c->deadline - loop_now();
	timer_start(&c->timer, left > 0 ? left : 0);
	return true;
}

static int serve(struct mqtt_client *c, int status, int events)
{
	int rc = 0;

	if (in_handshake(c)) {
		errno = 0;
		rc = mosquitto_loop_read(c->mosq, 1);
	} else {
		if (events & UV_WRITABLE)
			rc = write_some(c);
		if (!rc && ((events & UV_READABLE) || status < 0))
			rc = read_some(c);
	}
	if (!rc && (status < 0 || c->refused || mosquitto_socket(c->mosq) < 0))
		rc = MOSQ_ERR_CONN_LOST;
	return rc;
}

static void on_poll(uv_poll_t *uv, int status, int events)
{
	struct mqtt_poll *p = uv->data;
	struct mqtt_client *c = p->client;
	int rc, error;

	if (status < 0)
		p->events = 0; /* libuv has stopped it */
	if (!check_tcp(c))
		return;
	rc = serve(c, status, events);
	error = errno;
	if (c->state == MQTT_GONE)
		return;
	if (rc) {
		mqtt_broken(c, rc, error);
		return;
	}
	if (c->tls && !in_handshake(c))
		c->tls_up = true;
	if (c->state == MQTT_DRAINING)
		mqtt_drain(c);
	else
		mqtt_watch(c);
}

/* ---- the socket ---- */

static void on_poll_closed(uv_handle_t *uv)
{
	mem_free(uv->data);
}

void mqtt_unwatch(struct mqtt_client *c)
{
	struct mqtt_poll *p = TAKE(c->poll);

	if (p)
		uv_close((uv_handle_t *)&p->uv, on_poll_closed);
}

static void watch_anew(struct mqtt_client *c, int fd)
{
	struct mqtt_poll *p = mem_zalloc(sizeof(*p));
	int status = uv_poll_init(loop_uv(c->loop), &p->uv, fd);

	if (status) {
		log_debug("mqtt: cannot watch a socket: %s",
			  uv_strerror(status));
		mem_free(p);
		return;
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	p->uv.data = p;
	p->client = c;
	p->fd = fd;
	c->poll = p;
}

void mqtt_watch(struct mqtt_client *c)
{
	int fd = c->mosq ? mosquitto_socket(c->mosq) : -1;
	int events;

	/* A socket that the library closed: its number may be another's soon. */
	if (c->poll && c->poll->fd != fd)
		mqtt_unwatch(c);
	if (fd < 0)
		return;
	if (!c->poll)
		watch_anew(c, fd);
	events = wanted(c);
	if (!c->poll || c->poll->events == events)
		return;
	c->poll->events = events;
	uv_poll_start(&c->poll->uv, events, on_poll);
}
