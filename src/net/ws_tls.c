/* SPDX-License-Identifier: MIT */
/*
 * Certificates: libwebsockets asks here, because it keeps the reason for a
 * refusal to itself, and takes the colon of an IPv6 address for a port.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "net/ws_dial.h"

static bool names_ipv6(const struct ws_tls *tls, X509_STORE_CTX *store)
{
	X509 *certificate = X509_STORE_CTX_get0_cert(store);

	return strchr(tls->host, ':') && certificate &&
	       X509_check_ip_asc(certificate, tls->host, 0) == 1;
}

int ws_tls_verify(struct ws_tls *tls, void *store, bool verified)
{
	int error = X509_STORE_CTX_get_error(store);
	bool accept;

	if (verified || error == X509_V_OK)
		return 0;
	if (error == X509_V_ERR_HOSTNAME_MISMATCH && names_ipv6(tls, store)) {
		accept = true;
	} else {
		/* The first problem is the cause, later ones follow from it. */
		if (!tls->problem[0])
			snprintf(tls->problem, sizeof(tls->problem), "%s",
				 X509_verify_cert_error_string(error));
		accept = tls->insecure;
	}
	if (!accept)
		return 1;
	X509_STORE_CTX_set_error(store, X509_V_OK);
	return 0;
}

/* OpenSSL's last error in a handshake; libwebsockets has cleared it when it tells. */
static struct {
	int fd;
	char text[128];
} last_failure;

static void on_info(const SSL *ssl, int where, int result)
{
	unsigned long error = ERR_peek_last_error();
	const char *reason = error ? ERR_reason_error_string(error) : NULL;

	if (!(where & SSL_CB_EXIT) || result > 0 || !reason)
		return;
	last_failure.fd = SSL_get_fd(ssl);
	snprintf(last_failure.text, sizeof(last_failure.text), "%s", reason);
}

void ws_tls_watch(void *ssl_ctx)
{
	/* Older ones would fail amid the handshake, for a reason that misleads. */
	SSL_CTX_set_min_proto_version(ssl_ctx, TLS1_2_VERSION);
	SSL_CTX_set_info_callback(ssl_ctx, on_info);
}

void ws_tls_reason(struct ws_tls *tls, int fd)
{
	if (!tls->problem[0] && last_failure.fd == fd)
		snprintf(tls->problem, sizeof(tls->problem), "%s",
			 last_failure.text);
	last_failure.fd = -1;
}

void ws_tls_version(struct lws *wsi, char *out, size_t size)
{
	SSL *ssl = lws_get_ssl(wsi);

	snprintf(out, size, "%s", ssl ? SSL_get_version(ssl) : "TLS");
}
