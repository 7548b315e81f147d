/* SPDX-License-Identifier: MIT */
/*
 * mqtt:// and mqtts://: reached, trusted, and used as a transport for one
 * device.
 */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "net/mqtt_private.h"
#include "net/why.h"
#include "wire/broker_topic.h"

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

	if (verified)
		return 1;
	if (c->insecure) {
		X509_STORE_CTX_set_error(store, X509_V_OK);
		return 1;
	}
	note(c, X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
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

SSL_CTX *mqtt_tls_new(struct mqtt_client *c, const char *cacert,
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

/* "TLSv1.3"; NULL for a plain connection. */
static const char *mqtt_tls_version(const struct mqtt_client *c)
{
	const SSL *ssl = c->mosq ? mosquitto_ssl_get(c->mosq) : NULL;

	return ssl ? SSL_get_version(ssl) : NULL;
}

/*
 * mqtt:// and mqtts://: one device at a broker, named by its client id, over a
 * connection of our own. MCP needs no hello there (device.md 2.2), so it is
 * ready as soon as the broker has accepted us.
 *
 * Of the endpoint: host, port, user, password, cacert, insecure; path is the
 * client id; topic_up and topic_down, or what stock devices are told to use.
 */

#define TOPIC_UP "device-server"
#define TOPIC_DOWN_MAC "devices/p2p/{mac}"
#define TOPIC_DOWN_ID "devices/p2p/{client_id}"

struct mqtt_dial {
	struct transport *transport;
	struct mqtt_client *client; /* NULL once closed, or closing */
	struct audio_port *port; /* NULL likewise */
	struct audio *audio;
	char *host, *up, *down, *client_id, *advertise;
	char device_id[18]; /* "" if the client id does not tell it */
	uint16_t number;
	size_t message_max;
	bool ready, heard, closing, insecure;
	unsigned open; /* parts that still have to close */
	struct error why;
};

const struct audio *mqtt_dial_audio(const struct transport *t)
{
	return ((const struct mqtt_dial *)t->impl)->audio;
}

/* ---- the end ---- */

static void on_part_closed(void *owner)
{
	struct mqtt_dial *d = owner;
	struct transport *t = d->transport;
	struct error why;

	if (--d->open)
		return;
	why = d->why;
	mem_free(d->host);
	mem_free(d->up);
	mem_free(d->down);
	mem_free(d->client_id);
	mem_free(d->advertise);
	mem_free(d);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

static void end(struct mqtt_dial *d)
{
	if (d->closing)
		return;
	d->closing = true;
	if (d->audio)
		d->audio->open = false;
	d->open = 1;
	if (d->port)
		d->open++;
	mqtt_client_close(TAKE(d->client), on_part_closed);
	mqtt_audio_leave(TAKE(d->audio));
	if (d->port)
		mqtt_audio_close(TAKE(d->port), on_part_closed, d);
}

void mqtt_dial_close(struct transport *t)
{
	if (t->impl)
		end(t->impl);
}

/* ---- from the loop ---- */

static void warn_insecure(const struct mqtt_dial *d)
{
	const struct transport *t = d->transport;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"the certificate of '%s' is not verified (--insecure)",
		d->host);
	const struct notice n = { .kind = NOTICE_INSECURE, .text = text };

	if (t->events->notice)
		t->events->notice(t->owner, &n);
}

static void on_connected(void *owner)
{
	struct mqtt_dial *d = owner;
	const struct transport *t = d->transport;
	CLEANUP(buf_done) struct buf address = { 0 };
	struct peer_info info = {
		.client_id = d->client_id,
		.device_id = d->device_id[0] ? d->device_id : NULL,
		.tls = mqtt_tls_version(d->client),
		.envelope = true,
		.standby = true,
		.shared = true,
	};

	authority_print(&address, d->host, d->number);
	info.address = buf_string(&address);
	if (d->audio) {
		info.udp = mqtt_audio_offer(d->audio, d->advertise, NULL,
					    mosquitto_socket(d->client->mosq));
		d->audio->open = true;
	}
	d->ready = true;
	if (d->insecure)
		warn_insecure(d);
	if (!d->closing)
		t->events->ready(t->owner, &info);
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct mqtt_dial *d = owner;
	const struct transport *t = d->transport;

	(void)topic;
	if (d->closing)
		return;
	d->heard = true;
	if (len <= d->message_max) {
		t->events->message(t->owner, FRAME_TEXT, data, len);
		return;
	}
	error_set(&d->why, ERR_PROTOCOL,
		  "a message of %zu bytes came, and %zu are the limit", len,
		  d->message_max);
	end(d);
}

static void on_lost(void *owner, const struct error *why)
{
	struct mqtt_dial *d = owner;

	if (d->closing)
		return;
	error_copy(&d->why, why);
	end(d);
}

static const struct mqtt_client_events client_events = {
	.connected = on_connected,
	.message = on_message,
	.lost = on_lost,
};

/* ---- opening ---- */

static char *fill(const char *pattern, const char *client_id,
		  const char *device_id)
{
	CLEANUP(buf_done) struct buf topic = { 0 };

	topic_fill(&topic, pattern, client_id, device_id);
	return buf_take(&topic);
}

static int set_topics(struct mqtt_dial *d, const struct endpoint *to,
		      struct error *err)
{
	const char *up = to->topic_up ? to->topic_up : TOPIC_UP;
	const char *down = to->topic_down;
	const char *device_id = d->device_id[0] ? d->device_id : NULL;
	bool overlap = false;

	if (!down)
		down = device_id ? TOPIC_DOWN_MAC : TOPIC_DOWN_ID;
	if (!device_id && (strstr(up, "{mac}") || strstr(down, "{mac}"))) {
		error_set(
			err, ERR_USAGE,
			"the client id '%.100s' does not tell the device's {mac}",
			d->client_id);
		return error_hint(err,
				  "write the topic out, or use {client_id}");
	}
	d->up = fill(up, d->client_id, device_id);
	d->down = fill(down, d->client_id, device_id);
	if (mosquitto_pub_topic_check(d->down) || !*d->down) {
		error_set(err, ERR_USAGE,
			  "nothing can be published to the topic '%.100s'",
			  d->down);
		return error_hint(err, "name another one: ?down=TOPIC");
	}
	mosquitto_topic_matches_sub(d->up, d->down, &overlap);
	if (!overlap)
		return 0;
	error_set(err, ERR_USAGE,
		  "the topics up '%.100s' and down '%.100s' are the same",
		  d->up, d->down);
	return error_hint(err, "what is sent to the device would come back");
}

static void make_own_id(char *out, size_t size)
{
	uint64_t bits;

	random_bytes(&bits, sizeof(bits));
	snprintf(out, size, "mcpctl-%012llx",
		 (unsigned long long)(bits & 0xffffffffffffu));
}

static int connect_to(struct mqtt_dial *d, const struct endpoint *to,
		      struct error *err)
{
	char own_id[32];
	const struct mqtt_options options = {
		.host = to->host,
		.port = to->port,
		.tls = endpoint_has(to, SCHEME_TLS),
		.insecure = to->insecure,
		.cacert = to->cacert,
		.user = to->user,
		.password = to->password,
		.client_id = own_id,
	};

	make_own_id(own_id, sizeof(own_id));
	d->insecure = options.tls && to->insecure;
	d->client = mqtt_client_open(d->transport->loop, &options,
				     &client_events, d, err);
	if (!d->client)
		return -1;
	if (mqtt_subscribe(d->client, d->up, err) == 0)
		return 0;
	return error_hint(err, "name another one: ?up=TOPIC");
}

/* Nothing of it was seen yet: what is open closes by itself. */
static void discard(struct mqtt_dial *d)
{
	if (d->client)
		mqtt_client_close(d->client, NULL);
	mqtt_audio_leave(d->audio);
	if (d->port)
		mqtt_audio_close(d->port, NULL, NULL);
	mem_free(d->host);
	mem_free(d->up);
	mem_free(d->down);
	mem_free(d->client_id);
	mem_free(d->advertise);
	mem_free(d);
}

int mqtt_dial_open(struct transport *t, const struct endpoint *to,
		   struct error *err)
{
	struct mqtt_dial *d = mem_zalloc(sizeof(*d));

	d->transport = t;
	d->host = mem_strdup(to->host);
	d->number = to->port;
	d->client_id = mem_strdup(to->path);
	/* A URL is for those that dial in over WebSocket. */
	if (to->advertise && !strstr(to->advertise, "://"))
		d->advertise =
			mem_strndup(to->advertise, strcspn(to->advertise, ":"));
	d->message_max =
		to->message_max ? to->message_max : TRANSPORT_MESSAGE_MAX;
	if (!client_id_mac(d->client_id, d->device_id))
		d->device_id[0] = '\0';
	if (set_topics(d, to, err) || connect_to(d, to, err)) {
		discard(d);
		return -1;
	}
	/* Without a socket hello still gets its answer, and audio is lost. */
	d->port = mqtt_audio_open(t->loop, NULL, 0, false, NULL);
	if (d->port)
		d->audio = mqtt_audio_join(d->port, t);
	t->impl = d;
	return 0;
}

int mqtt_dial_send(struct transport *t, const char *text, size_t len,
		   struct error *err)
{
	struct mqtt_dial *d = t->impl;

	if (!d || d->closing)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	if (mqtt_publish(d->client, d->down, text, len, err))
		return -1;
	if (d->audio)
		mqtt_audio_passes(d->audio, text, len);
	return 0;
}

int mqtt_dial_explain(struct transport *t, struct error *err)
{
	const struct mqtt_dial *d = t->impl;

	if (!d || d->heard)
		return 0;
	return why_set(err, &(struct why_facts){
				    .what = d->ready ? WHY_WAITS_DEVICE :
						       WHY_WAITS_BROKER,
				    .with = WITH_MQTT,
				    .host = d->host,
				    .port = d->number,
				    .path = d->down,
				    .to = d->up,
				    .said = d->client_id,
			    });
}

/*
 * Why a broker could not be reached, refused, or went away: the facts; net/why
 * has the words.
 */

#define TIMEOUT_MS 10000 /* of a try */

static void fail(struct mqtt_client *c, enum why what, int number,
		 const char *said)
{
	why_set(&c->why, &(struct why_facts){
				 .what = what,
				 .with = WITH_MQTT | (c->tls ? 0 : WITH_PLAIN) |
					 (c->user ? WITH_USER : 0),
				 .number = number,
				 .host = c->host,
				 .port = c->port,
				 .path = c->refused,
				 .waited = what == WHY_SILENT ? TIMEOUT_MS : 0,
				 .said = said,
			 });
}

static void fail_lookup(struct mqtt_client *c, int status)
{
	if (status == UV_ETIMEDOUT)
		fail(c, WHY_NO_NAMESERVER, 0, NULL);
	else
		fail(c, WHY_NO_HOST, 0,
		     status ? uv_strerror(status) : "it has no address");
}

static bool is_no_mqtt(int rc)
{
	return rc == MOSQ_ERR_PROTOCOL || rc == MOSQ_ERR_MALFORMED_PACKET;
}

static void fail_connected(struct mqtt_client *c, int rc)
{
	if (c->refused)
		fail(c, WHY_SUBSCRIBE, 0, NULL);
	else if (rc == MOSQ_ERR_KEEPALIVE)
		fail(c, WHY_NO_PONG, ETIMEDOUT, NULL);
	else if (is_no_mqtt(rc))
		fail(c, WHY_NO_MQTT, 0, NULL);
	else
		fail(c, WHY_WENT, 0, NULL);
}

static void mqtt_fail(struct mqtt_client *c, int rc, int error)
{
	bool tls_failed = c->tls && (!c->tls_up || c->problem[0]);

	if (c->state == MQTT_CONNECTED)
		fail_connected(c, rc);
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

	if (f->stage == DIAL_NAME)
		fail_lookup(c, f->error);
	else
		fail(c, WHY_NO_CONNECTION, f->error, NULL);
	mqtt_lost(c);
}

void mqtt_begin(struct mqtt_client *c)
{
	const struct dial_order order = { .host = c->host,
					  .port = c->port,
					  .timeout = TIMEOUT_MS,
					  .attempt = on_attempt,
					  .failed = on_failed,
					  .owner = c };

	c->state = MQTT_CONNECTING;
	c->connack = 0;
	c->refused = NULL;
	c->deadline = loop_now() + TIMEOUT_MS;
	c->dial = dial_open(c->loop, &order);
}

void mqtt_broken(struct mqtt_client *c, int rc, int error)
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
