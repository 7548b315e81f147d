/* SPDX-License-Identifier: MIT */
/* OpenSSL between two buffers in memory; the contract is in the header. */
#include "net/tls.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/mem.h"
#include "net/tls_chain.h"
#include "net/why.h"

struct tls_link {
	SSL_CTX *context;
	SSL *ssl; /* owns both of these */
	BIO *in, *out;
	char *host;
	char problem[160]; /* of its certificate; "": none was seen */
};

static void link_free(struct tls_link *t)
{
	if (!t)
		return;
	SSL_free(t->ssl);
	SSL_CTX_free(t->context);
	mem_free(t->host);
	mem_free(t);
}

/* The chain is forgotten when the handshake has failed. */
static int on_verify(int verified, X509_STORE_CTX *store)
{
	const SSL *ssl = X509_STORE_CTX_get_ex_data(
		store, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct tls_link *t = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

	if (!verified)
		tls_chain_words(
			X509_STORE_CTX_get_error(store),
			X509_STORE_CTX_get0_cert(store),
			sk_X509_num(X509_STORE_CTX_get0_untrusted(store)),
			t->problem, sizeof(t->problem));
	return verified;
}

static int believe(struct tls_link *t, const struct tls_trust *trust,
		   struct error *err)
{
	if (trust->insecure) {
		SSL_CTX_set_verify(t->context, SSL_VERIFY_NONE, NULL);
		SSL_CTX_set_default_verify_paths(t->context);
		return 0;
	}
	SSL_CTX_set_app_data(t->context, t);
	SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, on_verify);
	if (!trust->cacert) {
		SSL_CTX_set_default_verify_paths(t->context);
		return 0;
	}
	if (why_check_cacert(trust->cacert, err))
		return -1;
	if (SSL_CTX_load_verify_locations(t->context, trust->cacert, NULL) == 1)
		return 0;
	return error_set(err, ERR_USAGE, "the certificates of '%s' are broken",
			 trust->cacert);
}

/* An address is looked for among the certificate's addresses. */
static void name_peer(struct tls_link *t)
{
	X509_VERIFY_PARAM *param = SSL_get0_param(t->ssl);

	if (X509_VERIFY_PARAM_set1_ip_asc(param, t->host) == 1)
		return;
	SSL_set1_host(t->ssl, t->host);
	SSL_set_tlsext_host_name(t->ssl, t->host);
}

static struct tls_link *
link_open(const char *host, const struct tls_trust *trust, struct error *err)
{
	struct tls_link *t = mem_zalloc(sizeof(*t));

	t->host = mem_strdup(host);
	t->context = SSL_CTX_new(TLS_client_method());
	if (!t->context || believe(t, trust, err)) {
		if (!t->context)
			error_set(err, ERR_CONNECT, "no memory for TLS");
		link_free(t);
		return NULL;
	}
	SSL_CTX_set_min_proto_version(t->context, TLS1_2_VERSION);
	t->ssl = SSL_new(t->context);
	t->in = BIO_new(BIO_s_mem());
	t->out = BIO_new(BIO_s_mem());
	SSL_set_bio(t->ssl, t->in, t->out);
	SSL_set_connect_state(t->ssl);
	name_peer(t);
	return t;
}

static void link_feed(struct tls_link *t, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		int piece = len > INT_MAX ? INT_MAX : (int)len;

		if (BIO_write(t->in, at, piece) != piece)
			return; /* no memory: the next read says so */
		at += piece;
		len -= (size_t)piece;
	}
}

/* NULL: it ended the handshake. */
static const char *problem_of(const struct tls_link *t)
{
	long verified = SSL_get_verify_result(t->ssl);
	unsigned long error = ERR_peek_error();
	const char *words = ERR_reason_error_string(error);

	if (verified != X509_V_OK)
		return t->problem[0] ? t->problem :
				       X509_verify_cert_error_string(verified);
	return words;
}

static int link_failed(const struct tls_link *t, struct error *err)
{
	return why_set(err, &(struct why_facts){ .what = WHY_TLS,
						 .with = WITH_BOARD,
						 .host = t->host,
						 .said = problem_of(t) });
}

static int link_shake(struct tls_link *t, struct error *err)
{
	int done;

	ERR_clear_error();
	done = SSL_do_handshake(t->ssl);
	if (done == 1)
		return 1;
	if (SSL_get_error(t->ssl, done) == SSL_ERROR_WANT_READ)
		return 0;
	return link_failed(t, err);
}

static ptrdiff_t link_read(struct tls_link *t, char *out, size_t size,
			   struct error *err)
{
	int got, reason;

	ERR_clear_error();
	got = SSL_read(t->ssl, out, size > INT_MAX ? INT_MAX : (int)size);
	if (got > 0)
		return got;
	reason = SSL_get_error(t->ssl, got);
	if (reason == SSL_ERROR_SSL)
		return link_failed(t, err);
	return reason == SSL_ERROR_WANT_READ ? 0 : -1;
}

static void link_write(struct tls_link *t, const void *data, size_t len)
{
	const char *at = data;

	/* The buffer in memory takes all; a failure shows with the next read. */
	while (len) {
		int piece = len > INT_MAX ? INT_MAX : (int)len;

		ERR_clear_error();
		if (SSL_write(t->ssl, at, piece) != piece)
			return;
		at += piece;
		len -= (size_t)piece;
	}
}

static size_t link_pending(struct tls_link *t, char *out, size_t size)
{
	int got = BIO_read(t->out, out, size > INT_MAX ? INT_MAX : (int)size);

	return got > 0 ? (size_t)got : 0;
}

static void link_facts(const struct tls_link *t, struct tls_facts *out)
{
	X509 *peer = SSL_get1_peer_certificate(t->ssl);
	long verified = SSL_get_verify_result(t->ssl);
	int seconds;

	*out = (struct tls_facts){ .days = INT_MAX };
	if (verified != X509_V_OK)
		snprintf(out->doubt, sizeof(out->doubt), "%s",
			 X509_verify_cert_error_string(verified));
	snprintf(out->version, sizeof(out->version), "%s",
		 SSL_get_version(t->ssl));
	if (!peer)
		return;
	if (X509_NAME_get_text_by_NID(X509_get_issuer_name(peer),
				      NID_commonName, out->issuer,
				      sizeof(out->issuer)) < 0)
		*out->issuer = '\0';
	if (!ASN1_TIME_diff(&out->days, &seconds, NULL,
			    X509_get0_notAfter(peer)))
		out->days = INT_MAX;
	else if (seconds < 0)
		out->days--; /* both are cut towards 0 */
	X509_free(peer);
}

const struct tls_table tls_table = {
	.size = sizeof(tls_table),
	.open = link_open,
	.free = link_free,
	.feed = link_feed,
	.shake = link_shake,
	.read = link_read,
	.write = link_write,
	.pending = link_pending,
	.facts = link_facts,
};
