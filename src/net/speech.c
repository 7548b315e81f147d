/* SPDX-License-Identifier: MIT */
/* Each packet behind two bytes of its length. */
#include "net/speech.h"

bool speech_next(const struct speech *s, size_t *at,
		 const unsigned char **packet, size_t *len)
{
	const unsigned char *bytes = (const unsigned char *)s->bytes.data;

	if (s->bytes.len - *at < 2)
		return false;
	*len = (size_t)bytes[*at] << 8 | bytes[*at + 1];
	*packet = bytes + *at + 2;
	*at += 2 + *len;
	return true;
}

void speech_add(struct speech *s, const void *packet, size_t len)
{
	buf_char(&s->bytes, (char)(len >> 8 & 0xFF));
	buf_char(&s->bytes, (char)(len & 0xFF));
	buf_add(&s->bytes, packet, len);
	s->count++;
}

void speech_done(struct speech *s)
{
	buf_done(&s->bytes);
	*s = (struct speech){ 0 };
}
