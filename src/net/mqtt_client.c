/* SPDX-License-Identifier: MIT */
/*
 * One connection to a broker, reached, trusted, from its options to its end,
 * with libmosquitto on the loop.
 */
#include "net/mqtt_client.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/json_scan.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pause.h"
#include "base/text.h"
#include "net/mqtt_five.h"
#include "net/tls_chain.h"
#include "net/why.h"

static void mqtt_begin(struct mqtt_client *c);
static void mqtt_broken(struct mqtt_client *c, int rc, int error);
static void mqtt_library_done(struct mqtt_client *c);
static void mqtt_unwatch(struct mqtt_client *c);
static bool mqtt_is_idle(const struct mqtt_client *c);
static void answered(struct mqtt_client *c, int code);
static void heard(struct mqtt_client *c, const struct mosquitto_message *m);
static int mqtt_hand_over(struct mqtt_client *c, const char *topic,
			  const void *data, size_t len);

/*
 * TLS to a broker. The context is ours, because the library checks the
 * certificate against what it dials, which is a number here, and keeps the
 * reason for a failure to itself.
 */

static struct mqtt_client *client_of(const SSL *ssl)
{
	return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
}

static void note(struct mqtt_client *c, const char *problem)
{
	/* The first problem is the cause, later ones follow from it. */
	if (!c->problem[0] && problem)
		snprintf(c->problem, sizeof(c->problem), "%s", problem);
}

static int on_verify(int verified, X509_STORE_CTX *store)
{
	const SSL *ssl = X509_STORE_CTX_get_ex_data(
		store, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct mqtt_client *c = client_of(ssl);
	char room[160];

	if (verified)
		return 1;
	if (c->insecure) {
		X509_STORE_CTX_set_error(store, X509_V_OK);
		return 1;
	}
	note(c,
	     tls_chain_words(X509_STORE_CTX_get_error(store),
			     X509_STORE_CTX_get0_cert(store),
			     sk_X509_num(X509_STORE_CTX_get0_untrusted(store)),
			     room, sizeof(room)));
	return 0;
}

static bool is_number(const char *host)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *found;

	if (getaddrinfo(host, NULL, &hints, &found))
		return false;
	freeaddrinfo(found);
	return true;
}

static const char *alert_words(int alert)
{
	/* OpenSSL calls it unknown. */
	if ((alert & 0xff) == TLS13_AD_CERTIFICATE_REQUIRED)
		return "certificate required";
	return SSL_alert_desc_string_long(alert);
}

/* The library begins the handshake before it knows of a connection. */
static void note_tcp(struct mqtt_client *c, int error)
{
	bool waits = error == EAGAIN || error == EINPROGRESS;

	if (!c->tcp_up && !waits && error != ECONNRESET && error != EPIPE)
		c->early_error = error;
}

static void on_info(const SSL *ssl, int where, int result)
{
	int met = errno;
	struct mqtt_client *c = client_of(ssl);
	unsigned long error = ERR_peek_last_error();

	if ((where & SSL_CB_EXIT) && result <= 0)
		note_tcp(c, met);
	/* The library has named the number that it dials; the name is wanted. */
	if (where & SSL_CB_HANDSHAKE_START)
		SSL_set_tlsext_host_name((SSL *)mosquitto_ssl_get(c->mosq),
					 is_number(c->host) ? NULL : c->host);
	if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT &&
	    SSL_alert_type_string(result)[0] == 'F')
		note(c, alert_words(result));
	if ((where & SSL_CB_EXIT) && result <= 0 && error)
		note(c, ERR_reason_error_string(error));
}

static void expect_host(SSL_CTX *tls, const char *host)
{
	X509_VERIFY_PARAM *param = SSL_CTX_get0_param(tls);
	/* The zone of "fe80::1%eth0" is this machine's own matter. */
	CLEANUP(mem_free_ptr)
	char *bare = mem_strndup(host, strcspn(host, "%"));

	X509_VERIFY_PARAM_set_hostflags(param,
					X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (is_number(bare))
		X509_VERIFY_PARAM_set1_ip_asc(param, bare);
	else
		X509_VERIFY_PARAM_set1_host(param, bare, 0);
}

/* NULL (ERR_USAGE): the file of certificates cannot be used. */
static SSL_CTX *mqtt_tls_new(struct mqtt_client *c, const char *cacert,
			     struct error *err)
{
	SSL_CTX *tls = SSL_CTX_new(TLS_client_method());

	if (!tls) {
		error_set(err, ERR_CONNECT, "cannot start TLS");
		return NULL;
	}
	SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
	SSL_CTX_set_app_data(tls, c);
	SSL_CTX_set_info_callback(tls, on_info);
	SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, on_verify);
	expect_host(tls, c->host);
	if (!cacert) {
		SSL_CTX_set_default_verify_paths(tls);
		return tls;
	}
	if (SSL_CTX_load_verify_file(tls, cacert) == 1)
		return tls;
	ERR_clear_error();
	SSL_CTX_free(tls);
	if (access(cacert, R_OK))
		error_set(err, ERR_USAGE,
			  "cannot read the certificates in '%s': %s", cacert,
			  strerror(errno));
	else
		error_set(err, ERR_USAGE, "there is no certificate in '%s'",
			  cacert);
	error_hint(err, "--cacert takes a file of certificates in PEM form");
	return NULL;
}

const char *mqtt_tls_version(const struct mqtt_client *c)
{
	const SSL *ssl = c->mosq ? mosquitto_ssl_get(c->mosq) : NULL;

	return ssl ? SSL_get_version(ssl) : NULL;
}

/*
 * One connection to a broker, from its options to its end: what is told to
 * the owner, what waits to be sent, when it is tried again.
 */

#define KEEPALIVE 60
#define KEEPALIVE_MIN 5 /* of the library */
#define DELAY_MIN_MS 1000
#define DELAY_MAX_MS 30000
#define AWAY_MAX_MS 5000 /* of one that nobody listens as: nobody is bothered */
#define STABLE_MS 60000 /* of a connection that is worth one more at once */
/* How long what is queued may take to leave before a close. */
#define DRAIN_MS 1000
#define TEXT_MAX 65535 /* of MQTT */

static unsigned library_users;

/* ---- the queue ---- */

static void mqtt_drop_queue(struct mqtt_client *c)
{
	struct mqtt_waiting *next;

	for (struct mqtt_waiting *m = c->first; m; m = next) {
		next = m->next;
		mem_free(m->topic);
		mem_free(m);
	}
	c->first = NULL;
	c->last = &c->first;
	c->queued = 0;
}

static void enqueue(struct mqtt_client *c, const char *topic, const void *data,
		    size_t len)
{
	struct mqtt_waiting *m = mem_alloc(sizeof(*m) + len);

	*m = (struct mqtt_waiting){ .len = len, .topic = mem_strdup(topic) };
	if (len)
		memcpy(m->data, data, len);
	*c->last = m;
	c->last = &m->next;
	c->queued += len;
}

int mqtt_check_publish(const struct mqtt_client *c, const char *topic,
		       size_t len, struct error *err)
{
	if (!*topic || strlen(topic) > TEXT_MAX ||
	    mosquitto_pub_topic_check(topic) ||
	    mosquitto_validate_utf8(topic, (int)strlen(topic)))
		return error_set(
			err, ERR_USAGE,
			"nothing can be published to the topic '%.100s'",
			topic);
	if (c->state != MQTT_CONNECTED)
		return error_set(err, ERR_CONNECT,
				 "the broker '%s' is not connected", c->host);
	if (len > TRANSPORT_QUEUE_MAX ||
	    c->queued > TRANSPORT_QUEUE_MAX - len) {
		error_set(err, ERR_CONNECT,
			  "too much waits to be sent to the broker '%s'",
			  c->host);
		return error_hint(err, "it does not read what it gets");
	}
	return 0;
}

int mqtt_publish(struct mqtt_client *c, const char *topic, const void *data,
		 size_t len, struct error *err)
{
	int rc;

	if (mqtt_check_publish(c, topic, len, err))
		return -1;
	if (!mqtt_is_idle(c)) {
		enqueue(c, topic, data, len);
		return 0;
	}
	rc = mqtt_hand_over(c, topic, data, len);
	/* That the connection broke is seen, and told, by the loop. */
	mqtt_watch(c);
	if (!rc)
		return 0;
	return error_set(err, ERR_CONNECT, "cannot send to the broker '%s': %s",
			 c->host, mosquitto_strerror(rc));
}

/* ---- subscriptions ---- */

static void send_subscribe(struct mqtt_client *c, struct mqtt_filter *f)
{
	/* A failure here is the connection's, which the loop will see. */
	f->mid = 0;
	mosquitto_subscribe(c->mosq, &f->mid, f->text, 0);
}

int mqtt_check_filter(const char *filter, struct error *err)
{
	if (strlen(filter) <= TEXT_MAX && !mosquitto_sub_topic_check(filter) &&
	    !mosquitto_validate_utf8(filter, (int)strlen(filter)))
		return 0;
	return error_set(err, ERR_USAGE, "'%.100s' is no topic to subscribe to",
			 filter);
}

int mqtt_subscribe(struct mqtt_client *c, const char *filter, struct error *err)
{
	struct mqtt_filter *f;

	if (mqtt_check_filter(filter, err))
		return -1;
	for (size_t i = 0; i < c->filters; i++) {
		if (strcmp(c->filter[i].text, filter) == 0)
			return 0;
	}
	c->filter = mem_grow(c->filter, &c->filter_capacity, c->filters,
			     sizeof(*c->filter));
	f = &c->filter[c->filters++];
	*f = (struct mqtt_filter){ .text = mem_strdup(filter) };
	if (c->state == MQTT_CONNECTED) {
		send_subscribe(c, f);
		mqtt_watch(c);
	}
	return 0;
}

/* ---- its life ---- */

static int64_t misc_interval(const struct mqtt_client *c)
{
	int64_t ms = (int64_t)c->keepalive * 1000 / 8;

	return ms < 1000 ? 1000 : ms > 30000 ? 30000 : ms;
}

/* The broker accepted. */
static void mqtt_connected(struct mqtt_client *c)
{
	c->state = MQTT_CONNECTED;
	if (c->five)
		c->five->since = loop_now();
	else
		c->delay = 0;
	timer_start(&c->timer, misc_interval(c));
	for (size_t i = 0; i < c->filters; i++)
		send_subscribe(c, &c->filter[i]);
	if (c->events->connected)
		c->events->connected(c->owner);
}

/* c->why is set: tell it, and try again or not. */
static void mqtt_lost(struct mqtt_client *c)
{
	CLEANUP(error_reset) struct error why = c->why;
	const int64_t most = c->tcp_up ? DELAY_MAX_MS : AWAY_MAX_MS;

	c->why = (struct error){ 0 };
	dial_close(TAKE(c->dial));
	mqtt_library_done(c);
	mqtt_drop_queue(c);
	mqtt_five_drop(c);
	timer_stop(&c->timer);
	c->state = MQTT_OVER;
	if (c->reconnect) {
		c->state = MQTT_WAITING;
		/* Of two with one client id each ends the other: ever more slowly. */
		if (c->five && c->five->since &&
		    loop_now() - c->five->since >= STABLE_MS)
			c->delay = 0;
		if (c->five)
			c->five->since = 0;
		c->delay = pause_longer(c->delay, DELAY_MIN_MS, most);
		if (c->five && c->five->taken)
			c->delay = DELAY_MAX_MS;
		timer_start(&c->timer, c->delay);
	}
	if (c->events->lost)
		c->events->lost(c->owner, &why);
}

static void on_closed(void *owner)
{
	struct mqtt_client *c = owner;
	void (*closed)(void *owner) = c->closed;

	owner = c->owner;
	mqtt_library_done(c);
	mqtt_drop_queue(c);
	mqtt_five_close(c);
	SSL_CTX_free(c->tls);
	for (size_t i = 0; i < c->filters; i++)
		mem_free(c->filter[i].text);
	mem_free(c->filter);
	mem_free(c->host);
	mem_free(c->user);
	mem_free(c->password);
	mem_free(c->client_id);
	error_reset(&c->why);
	mem_free(c);
	if (--library_users == 0)
		mosquitto_lib_cleanup();
	if (closed)
		closed(owner);
}

/* Nothing is to be waited for any more: release, ending in `closed`. */
static void mqtt_gone(struct mqtt_client *c)
{
	if (c->state == MQTT_GONE)
		return;
	c->state = MQTT_GONE;
	dial_close(TAKE(c->dial));
	mqtt_unwatch(c);
	/* This may be a callback of the library: released from the loop. */
	timer_close(&c->timer, on_closed);
}

/* Of MQTT_DRAINING: one step further. */
static void mqtt_drain(struct mqtt_client *c)
{
	if (!c->disconnecting && mqtt_is_idle(c)) {
		c->disconnecting = true;
		mosquitto_disconnect(c->mosq);
	}
	if (loop_now() >= c->deadline || mosquitto_socket(c->mosq) < 0) {
		mqtt_gone(c);
		return;
	}
	mqtt_watch(c);
	timer_start(&c->timer, c->deadline - loop_now());
}

void mqtt_client_close(struct mqtt_client *c, void (*closed)(void *owner))
{
	if (c->state == MQTT_DRAINING || c->state == MQTT_GONE)
		return;
	c->closed = closed;
	if (c->state != MQTT_CONNECTED) {
		mqtt_gone(c);
		return;
	}
	c->state = MQTT_DRAINING;
	c->deadline = loop_now() + DRAIN_MS;
	timer_start(&c->timer, 0);
}

static void look_after(struct mqtt_client *c)
{
	int rc = mosquitto_loop_misc(c->mosq);

	if (rc || mosquitto_socket(c->mosq) < 0) {
		mqtt_broken(c, rc, 0);
		return;
	}
	timer_start(&c->timer, misc_interval(c));
	mqtt_watch(c);
}

static void on_timer(void *owner)
{
	struct mqtt_client *c = owner;

	switch (c->state) {
	case MQTT_CONNECTING:
		mqtt_broken(c, 0, ETIMEDOUT);
		break;
	case MQTT_CONNECTED:
		look_after(c);
		break;
	case MQTT_WAITING:
		mqtt_begin(c);
		break;
	case MQTT_DRAINING:
		mqtt_drain(c);
		break;
	case MQTT_OVER:
	case MQTT_GONE:
		break;
	}
}

/* ---- opening ---- */

static bool is_text(const char *text)
{
	size_t len = strlen(text);

	return len <= TEXT_MAX && !mosquitto_validate_utf8(text, (int)len);
}

static int check_options(const struct mqtt_options *o, struct error *err)
{
	if (!o->client_id || !*o->client_id || !is_text(o->client_id))
		return error_set(
			err, ERR_USAGE,
			"the client id is empty, or no text that MQTT can carry");
	if (o->user && !is_text(o->user))
		return error_set(
			err, ERR_USAGE,
			"the user name is no text that MQTT can carry");
	if (o->password && strlen(o->password) > TEXT_MAX)
		return error_set(err, ERR_USAGE, "the password is too long");
	if (!o->host || !*o->host || o->port == 0)
		return error_set(err, ERR_USAGE,
				 "the broker's host or port is missing");
	return 0;
}

static int usable_keepalive(int seconds)
{
	if (seconds <= 0)
		return KEEPALIVE;
	if (seconds < KEEPALIVE_MIN)
		return KEEPALIVE_MIN;
	return seconds > UINT16_MAX ? UINT16_MAX : seconds;
}

struct mqtt_client *mqtt_client_open(struct loop *l,
				     const struct mqtt_options *o,
				     const struct mqtt_client_events *e,
				     void *owner, struct error *err)
{
	struct mqtt_client *c;

	if (check_options(o, err))
		return NULL;
	c = mem_zalloc(sizeof(*c));
	c->loop = l;
	c->events = e;
	c->owner = owner;
	c->host = mem_strdup(o->host);
	c->port = o->port;
	c->insecure = o->insecure;
	c->retained = o->retained;
	if (o->tls) {
		c->tls = mqtt_tls_new(c, o->cacert, err);
		if (!c->tls) {
			mem_free(c->host);
			mem_free(c);
			return NULL;
		}
	}
	c->user = mem_strdup(o->user);
	c->password = mem_strdup(o->password);
	c->client_id = mem_strdup(o->client_id);
	c->keepalive = usable_keepalive(o->keepalive);
	c->reconnect = o->reconnect;
	c->last = &c->first;
	if (library_users++ == 0)
		mosquitto_lib_init();
	if (o->five) {
		c->five = mem_zalloc(sizeof(*c->five));
		c->five->answered = answered;
		c->five->heard = heard;
		mqtt_five_open(c, o->five);
	}
	timer_open(&c->timer, l, on_timer, c);
	mqtt_begin(c);
	return c;
}

/*
 * libmosquitto on the loop: its socket is watched, its functions are called,
 * its callbacks come in here. It never reconnects by itself, and is never
 * called from inside its own callbacks but to queue something.
 */

/* Packets read before others have their turn. */
#define READS_AT_ONCE 64

/* ---- callbacks of the library ---- */

/*
 * Each ends with errno at 0: the library looks at it afterwards, and an EAGAIN
 * that something in here left would end its reading amid a TLS record.
 */
static void answered(struct mqtt_client *c, int code)
{
	if (c->state == MQTT_CONNECTING && code)
		c->connack = code;
	else if (c->state == MQTT_CONNECTING)
		mqtt_connected(c);
}

static void on_connect(struct mosquitto *mosq, void *owner, int code)
{
	(void)mosq;
	answered(owner, code);
	errno = 0;
}

static void heard(struct mqtt_client *c, const struct mosquitto_message *m)
{
	const char *data = m->payloadlen > 0 ? m->payload : "";
	size_t len = m->payloadlen > 0 ? (size_t)m->payloadlen : 0;

	if (c->state == MQTT_CONNECTED && m->retain && c->events->retained)
		c->events->retained(c->owner, m->topic, data, len);
	/* What the broker retained is of the past, unless it is wanted. */
	else if (c->state == MQTT_CONNECTED && (!m->retain || c->retained) &&
		 c->events->message)
		c->events->message(c->owner, m->topic, data, len);
}

static void on_message(struct mosquitto *mosq, void *owner,
		       const struct mosquitto_message *m)
{
	(void)mosq;
	heard(owner, m);
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

/* NULL: no memory or no descriptor is left. */
static struct mosquitto *mqtt_library_new(struct mqtt_client *c)
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
	if (c->five)
		return mosq;
	mosquitto_connect_callback_set(mosq, on_connect);
	mosquitto_message_callback_set(mosq, on_message);
	mosquitto_subscribe_callback_set(mosq, on_subscribe);
	return mosq;
}

/* Not from inside a callback of the library. */
static void mqtt_library_done(struct mqtt_client *c)
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

/* Nothing waits to be written. */
static bool mqtt_is_idle(const struct mqtt_client *c)
{
	return !c->first && !mosquitto_want_write(c->mosq);
}

/* ---- reading and writing ---- */

/* Hand over one message; the library's result. */
static int mqtt_hand_over(struct mqtt_client *c, const char *topic,
			  const void *data, size_t len)
{
	c->sent.at = loop_now();
	c->sent.len = len;
	c->sent.broken = json_check(data, len, NULL) != 0;
	snprintf(c->sent.topic, sizeof(c->sent.topic), "%.63s", topic);
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

static int read_packet(void *mosq)
{
	return mosquitto_loop_read(mosq, 1);
}

/*
 * What the library says of a property of MQTT 5 that does not exist it says to
 * no connection, and asserts that there is one (property__read, 2.0.11 to 2.0.21):
 * nothing was changed or locked before.
 */
static int read_one(struct mqtt_client *c)
{
	return assertion_guard("/logging_mosq.c", read_packet, c->mosq,
			       MOSQ_ERR_MALFORMED_PACKET);
}

/* One call of the library reads one packet; TLS may hold more that poll does not see. */
static int read_some(struct mqtt_client *c)
{
	int rc = 0;

	if (c->five)
		mqtt_five_look(c);
	for (int i = 0; i < READS_AT_ONCE && !rc; i++) {
		const SSL *ssl = mosquitto_ssl_get(c->mosq);

		errno = 0;
		rc = read_one(c);
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
	dial_close(TAKE(c->dial));
	left = c->deadline - loop_now();
	timer_start(&c->timer, left > 0 ? left : 0);
	return true;
}

static int serve(struct mqtt_client *c, int status, int events)
{
	int rc = 0;

	if (in_handshake(c)) {
		errno = 0;
		rc = read_one(c);
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
	mqtt_five_hurry(c);
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

static void mqtt_unwatch(struct mqtt_client *c)
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

/*
 * Why a broker could not be reached, refused, or went away: the facts; net/why
 * has the words.
 */

#define TIMEOUT_MS 10000 /* of a try */

#define GATEWAY_MAX 8192 /* bytes of a packet */

static unsigned with_what(const struct mqtt_client *c)
{
	bool own = !c->client_id || text_starts(c->client_id, MQTT_OWN_ID);

	return WITH_MQTT | (c->tls ? 0 : WITH_PLAIN) |
	       (c->five ? WITH_FIVE : 0) | (c->user ? WITH_USER : 0) |
	       (own ? 0 : WITH_ID) |
	       (c->sent.len > GATEWAY_MAX ? WITH_LARGE : 0) |
	       (c->sent.broken ? WITH_BROKEN : 0);
}

static void fail(struct mqtt_client *c, enum why what, int number,
		 const char *said)
{
	why_set(&c->why, &(struct why_facts){
				 .what = what,
				 .with = with_what(c),
				 .number = number,
				 .host = c->host,
				 .port = c->port,
				 .path = c->refused,
				 .waited = what == WHY_SILENT ? TIMEOUT_MS : 0,
				 .said = said,
			 });
}

static bool is_no_mqtt(int rc)
{
	return rc == MOSQ_ERR_PROTOCOL || rc == MOSQ_ERR_MALFORMED_PACKET;
}

/* So soon after what was sent it is because of that, most likely. */
#define SOON_MS 1000

static void fail_went(struct mqtt_client *c)
{
	CLEANUP(mem_free_ptr) char *said = NULL;

	if (!c->sent.at || loop_now() - c->sent.at > SOON_MS) {
		fail(c, WHY_WENT, 0, NULL);
		return;
	}
	said = mem_printf("%zu bytes to '%s'", c->sent.len, c->sent.topic);
	fail(c, WHY_WENT_AFTER, 0, said);
}

/* How it ended, where that is known: no code means TCP's own end. */
static void fail_how(struct mqtt_client *c, int rc, int error)
{
	if (rc != MOSQ_ERR_CONN_LOST && !error)
		error = EPROTO;
	if (error)
		error_code(&c->why, error);
}

static void fail_taken(struct mqtt_client *c)
{
	error_set(
		&c->why, ERR_CONNECT,
		"another client at the broker '%s' has our client id '%.100s'",
		c->host, c->client_id);
	error_hint(
		&c->why,
		"two that show the same boards there push each other out: end one of them");
}

static void fail_connected(struct mqtt_client *c, int rc, int error)
{
	if (c->five && c->five->taken)
		fail_taken(c);
	else if (c->refused)
		fail(c, WHY_SUBSCRIBE, 0, NULL);
	else if (rc == MOSQ_ERR_KEEPALIVE)
		fail(c, WHY_NO_PONG, ETIMEDOUT, NULL);
	else if (is_no_mqtt(rc))
		fail(c, WHY_NO_MQTT, 0, NULL);
	else
		fail_went(c);
	if (rc != MOSQ_ERR_KEEPALIVE)
		fail_how(c, rc, error);
}

static void mqtt_fail(struct mqtt_client *c, int rc, int error)
{
	bool tls_failed = c->tls && (!c->tls_up || c->problem[0]);

	if (c->state == MQTT_CONNECTED)
		fail_connected(c, rc, error);
	else if (c->connack)
		fail(c, WHY_CONNACK, c->connack, NULL);
	else if (error == ETIMEDOUT)
		fail(c, WHY_SILENT, ETIMEDOUT, NULL);
	else if (tls_failed)
		fail(c, WHY_TLS, 0, c->problem);
	else
		fail(c, is_no_mqtt(rc) ? WHY_FOREIGN : WHY_CLOSED, 0, NULL);
}

/*
 * A try to reach the broker: the library connects to each address as net/dial
 * goes along. What comes after TCP is the library's matter.
 */

static int dial_to(struct mqtt_client *c, const struct addrinfo *address)
{
	char number[NI_MAXHOST];
	int rc;

	c->tcp_up = c->tls_up = c->disconnecting = false;
	c->problem[0] = '\0';
	c->early_error = 0;
	mqtt_library_done(c);
	c->mosq = mqtt_library_new(c);
	if (!c->mosq) {
		errno = ENOMEM;
		return MOSQ_ERR_ERRNO;
	}
	if (c->five)
		mqtt_five_prepare(c);
	/* With the zone of an address of this link. */
	if (getnameinfo(address->ai_addr, address->ai_addrlen, number,
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

static int on_attempt(void *owner, const struct addrinfo *address)
{
	struct mqtt_client *c = owner;
	int rc = dial_to(c, address), error = errno;

	if (!rc)
		mqtt_watch(c);
	else if (!c->tcp_up)
		return error ? error : EIO;
	else
		mqtt_broken(c, rc, error);
	return 0;
}

static void on_failed(void *owner, const struct dial_facts *f)
{
	struct mqtt_client *c = owner;
	const char *said = NULL;

	if (f->stage == DIAL_NAME) {
		enum why what = why_lookup(f->error, &said);

		fail(c, what, 0, said);
	} else {
		fail(c, WHY_NO_CONNECTION, f->error, NULL);
	}
	mqtt_lost(c);
}

static void mqtt_begin(struct mqtt_client *c)
{
	const struct dial_order order = { .host = c->host,
					  .port = c->port,
					  .timeout = TIMEOUT_MS,
					  .attempt = on_attempt,
					  .failed = on_failed,
					  .owner = c };

	c->state = MQTT_CONNECTING;
	c->connack = 0;
	c->tcp_up = false;
	c->refused = NULL;
	c->deadline = loop_now() + TIMEOUT_MS;
	c->dial = dial_open(c->loop, &order);
}

/*
 * The connection broke: rc is the library's, error an errno. The next address
 * is tried, or it is lost.
 */
static void mqtt_broken(struct mqtt_client *c, int rc, int error)
{
	mqtt_unwatch(c);
	if (c->state == MQTT_DRAINING) {
		mqtt_gone(c);
	} else if (c->dial && !c->tcp_up) {
		dial_refused(c->dial, error);
	} else {
		mqtt_fail(c, rc, error);
		mqtt_lost(c);
	}
}

bool mqtt_layers(const struct mqtt_client *c, struct layers *out)
{
	bool known = layers_of_socket(
		out, c && c->mosq ? mosquitto_socket(c->mosq) : -1);

	out->broker = known;
	return known;
}
