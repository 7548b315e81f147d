/* SPDX-License-Identifier: MIT */
/*
 * Why a certificate is not believed, in words. A server that sends its own alone,
 * without those of the authorities between, looks like one of an unknown
 * authority; what public authorities alone put into a certificate, the
 * timestamps of their logs (RFC 6962 3.3), tells them apart.
 */
#ifndef NET_TLS_CHAIN_H
#define NET_TLS_CHAIN_H

#include <stddef.h>

#define TLS_CHAIN_CUT "its chain is not whole"

struct x509_st;

/*
 * error: OpenSSL's X509_V_ERR_…; leaf: the peer's own certificate, NULL if none
 * came; sent: how many certificates it sent. Returns out.
 */
const char *tls_chain_words(long error, const struct x509_st *leaf, int sent,
			    char *out, size_t size);

#endif
