/* SPDX-License-Identifier: MIT */
/*
 * HMAC-SHA256 by libcrypto.
 */
#include "broker/sign.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/text.h"

void broker_sign(struct buf *out, const struct buf *key, const char *client_id,
		 const char *user)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	unsigned char mac[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	buf_printf(&text, "%s|%s", client_id, user);
	HMAC(EVP_sha256(), buf_string(key), (int)key->len,
	     (const unsigned char *)buf_string(&text), text.len, mac, &len);
	text_base64_encode(out, mac, len);
}
