/* SPDX-License-Identifier: MIT */
/*
 * TLS to a broker. The context is ours, because the library checks the
 * certificate against what it dials, which is a number here, and keeps the
 * reason for a failure to itself.
 */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/mqtt_private.h"

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

const char *mqtt_tls_version(const struct mqtt_client *c)
{
	const SSL *ssl = c->mosq ? mosquitto_ssl_get(c->mosq) : NULL;

	return ssl ? SSL_get_version(ssl) : NULL;
}
