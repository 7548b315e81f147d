/* SPDX-License-Identifier: MIT */
#include "net/tls_chain.h"

#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>

static bool is_cut(long error, const X509 *leaf, int sent)
{
	return (error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
		error == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE) &&
	       leaf && sent == 1 &&
	       X509_get_ext_by_NID(leaf, NID_ct_precert_scts, -1) >= 0;
}

const char *tls_chain_words(long error, const struct x509_st *leaf, int sent,
			    char *out, size_t size)
{
	snprintf(out, size, "%s%s", X509_verify_cert_error_string(error),
		 is_cut(error, leaf, sent) ? ": " TLS_CHAIN_CUT : "");
	return out;
}
