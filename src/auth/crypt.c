/* SPDX-License-Identifier: MIT */
/* OpenSSL for OAuth. */
#include "auth/crypt.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

#define NONCE_MAX 96
#define RSA_BITS_MIN 2048
#define HALF 32 /* bytes of r and of s on P-256 */

static int no_crypto(struct error *err)
{
	return error_set(err, ERR_CONNECT, "OpenSSL does not do its work");
}

/* base64 as it stands in URLs: RFC 4648, 5, without padding. */
static void add_base64url(struct buf *out, const void *data, size_t len)
{
	size_t from = out->len;

	text_base64_encode(out, data, len);
	for (size_t i = from; i < out->len; i++) {
		if (out->data[i] == '+')
			out->data[i] = '-';
		else if (out->data[i] == '/')
			out->data[i] = '_';
	}
	buf_trim(out, from, "=");
}

static char *challenge(const char *verifier, struct error *err)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct buf out = { 0 };
	unsigned len = 0;

	if (EVP_Digest(verifier, strlen(verifier), digest, &len, EVP_sha256(),
		       NULL) != 1) {
		no_crypto(err);
		return NULL;
	}
	add_base64url(&out, digest, len);
	return buf_take(&out);
}

static char *nonce(size_t len, struct error *err)
{
	unsigned char bytes[NONCE_MAX];
	struct buf out = { 0 };

	if (len > sizeof(bytes) || RAND_bytes(bytes, (int)len) != 1) {
		no_crypto(err);
		return NULL;
	}
	add_base64url(&out, bytes, len);
	OPENSSL_cleanse(bytes, sizeof(bytes));
	return buf_take(&out);
}

/* ---- keys ---- */

/* Nobody is asked for a passphrase. */
/* NOLINTNEXTLINE(readability-non-const-parameter): OpenSSL's type */
static int no_passphrase(char *to, int size, int writing, void *owner)
{
	(void)to, (void)size, (void)writing, (void)owner;
	return -1;
}

static EVP_PKEY *read_key(const struct assertion *a, struct error *err)
{
	BIO *bio = BIO_new_mem_buf(a->key, (int)a->key_len);
	EVP_PKEY *key =
		bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) :
		      NULL;

	BIO_free(bio);
	if (!key) {
		error_set(
			err, ERR_USAGE,
			"the private key file holds no private key in PEM without a passphrase");
		error_hint(err,
			   "make it PKCS#8: openssl pkcs8 -topk8 -nocrypt");
	}
	return key;
}

/* NULL: none that we sign with. */
static const char *algorithm(const EVP_PKEY *key, struct error *err)
{
	char group[40] = "";

	if (EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) >= RSA_BITS_MIN)
		return "RS256";
	if (EVP_PKEY_is_a(key, "EC") &&
	    EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME,
					   group, sizeof(group), NULL) == 1 &&
	    (strcmp(group, "prime256v1") == 0 || strcmp(group, "P-256") == 0))
		return "ES256";
	error_set(
		err, ERR_USAGE,
		"the private key is neither EC on P-256 (ES256) nor RSA of 2,048 bits or more (RS256)");
	return NULL;
}

/* ---- signatures ---- */

/* Yours, by OPENSSL_free; NULL. */
static unsigned char *sign(EVP_PKEY *key, const struct buf *text, size_t *len)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	unsigned char *out = NULL;
	bool good;

	good = context &&
	       EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) ==
		       1 &&
	       EVP_DigestSign(context, NULL, len,
			      (const unsigned char *)text->data,
			      text->len) == 1;
	if (good)
		out = OPENSSL_malloc(*len);
	if (out &&
	    EVP_DigestSign(context, out, len, (const unsigned char *)text->data,
			   text->len) != 1) {
		OPENSSL_free(out);
		out = NULL;
	}
	EVP_MD_CTX_free(context);
	return out;
}

/* OpenSSL gives DER, and JWS (RFC 7518, 3.4) wants r and s alone. */
static bool raw_of_der(unsigned char raw[2 * HALF], const unsigned char *der,
		       size_t len)
{
	ECDSA_SIG *both = d2i_ECDSA_SIG(NULL, &der, (long)len);
	bool good =
		both &&
		BN_bn2binpad(ECDSA_SIG_get0_r(both), raw, HALF) == HALF &&
		BN_bn2binpad(ECDSA_SIG_get0_s(both), raw + HALF, HALF) == HALF;

	ECDSA_SIG_free(both);
	return good;
}

static int add_signature(struct buf *out, EVP_PKEY *key, bool elliptic,
			 struct error *err)
{
	unsigned char raw[2 * HALF];
	size_t len = 0;
	unsigned char *made = sign(key, out, &len);
	bool good = made && (!elliptic || raw_of_der(raw, made, len));

	buf_char(out, '.');
	if (good && elliptic)
		add_base64url(out, raw, sizeof(raw));
	else if (good)
		add_base64url(out, made, len);
	OPENSSL_free(made);
	return good ? 0 : no_crypto(err);
}

static void add_claims(struct buf *out, const struct assertion *a,
		       const char *id)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_text(&json, "{\"iss\":");
	buf_json_string(&json, a->client_id, strlen(a->client_id));
	buf_text(&json, ",\"sub\":");
	buf_json_string(&json, a->client_id, strlen(a->client_id));
	buf_text(&json, ",\"aud\":");
	buf_json_string(&json, a->audience, strlen(a->audience));
	buf_printf(&json, ",\"jti\":\"%s\",\"iat\":%lld,\"exp\":%lld}", id,
		   (long long)a->now, (long long)a->now + ASSERTION_LIFE_S);
	buf_char(out, '.');
	add_base64url(out, json.data, json.len);
}

static char *assertion(const struct assertion *a, struct error *err)
{
	CLEANUP(mem_free_ptr) char *id = nonce(16, err), *head = NULL;
	CLEANUP(buf_done) struct buf out = { 0 };
	EVP_PKEY *key = id ? read_key(a, err) : NULL;
	const char *how = key ? algorithm(key, err) : NULL;
	int status = -1;

	if (how) {
		head = mem_printf("{\"alg\":\"%s\",\"typ\":\"JWT\"}", how);
		add_base64url(&out, head, strlen(head));
		add_claims(&out, a, id);
		status = add_signature(&out, key, *how == 'E', err);
	}
	EVP_PKEY_free(key);
	return status == 0 ? buf_take(&out) : NULL;
}

const struct auth_table auth_table = {
	.challenge = challenge,
	.nonce = nonce,
	.assertion = assertion,
};
