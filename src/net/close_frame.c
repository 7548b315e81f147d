/* SPDX-License-Identifier: MIT */
#include "net/close_frame.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "net/why.h"
#include "wire/access_point.h"
#include "wire/refusal.h"

/* RFC 6455, 7.4.1. */
enum {
	CODE_NORMAL = 1000,
	CODE_GOING_AWAY = 1001,
	CODE_ABSENT = 1005,
	CODE_POLICY = 1008,
	CODE_TOO_LARGE = 1009,
	CODE_UNEXPECTED = 1011
};

struct close_said {
	int code; /* 0: none */
	char *words; /* ""; owned */
};

static struct close_said read_frame(const unsigned char *data, size_t len)
{
	struct close_said s = { 0 };

	if (len >= 2)
		s.code = data[0] << 8 | data[1];
	s.words = len > 2 ? mem_strndup((const char *)data + 2, len - 2) :
			    mem_strdup("");
	return s;
}

/* A Close frame without a code is a proper end, too; the rest are reasons. */
static bool is_proper(int code)
{
	return code == 0 || code == CODE_NORMAL || code == CODE_GOING_AWAY;
}

/* Access points let everybody in, and then close. */
static bool is_refusal(const struct close_said *s)
{
	return s->code == POINT_CLOSE_TOKEN ||
	       (s->code == CODE_POLICY && refusal_is_credentials(s->words));
}

static void tell_refusal(struct error *why)
{
	why->kind = ERR_AUTH;
	error_finding(why, "P707");
	error_hint(
		why,
		"it does not take the token: give another (MCPCTL_TOKEN, --token-file); that of an access point is the token= in its address, to be copied anew from where it stands");
}

/* What the codes of backends and access points mean to who dialled them. */
static void tell_more(struct error *why, const struct close_said *s)
{
	if (is_refusal(s)) {
		tell_refusal(why);
	} else if (s->code == CODE_NORMAL && strstr(s->words, POINT_REPLACED)) {
		error_reason(why, WHY_TAKEN);
	} else if (s->code == CODE_TOO_LARGE) {
		error_finding(why, "P729");
		error_hint(
			why,
			"what was sent is above what it takes: send less, or raise its limit");
	} else if (s->code == CODE_UNEXPECTED) {
		error_finding(why, "P730");
		error_hint(
			why,
			"it failed by itself: its own log tells why; whether what was asked was carried out is not known");
	}
}

void close_frame_tell(struct error *why, const char *who, bool dialled,
		      const void *data, size_t len)
{
	const struct close_said s = read_frame(data, len);
	CLEANUP(mem_free_ptr) char *words = s.words;
	const enum error_kind kind = is_proper(s.code) ? ERR_NONE : ERR_CONNECT;

	if (s.code && *words)
		error_set(
			why, kind,
			"%s closed the connection (Close frame, code %d: '%s')",
			who, s.code, words);
	else if (s.code)
		error_set(why, kind,
			  "%s closed the connection (Close frame, code %d)",
			  who, s.code);
	else
		error_set(
			why, kind,
			"%s closed the connection (Close frame without a code)",
			who);
	error_code(why, s.code ? s.code : CODE_ABSENT);
	error_reason(why, WHY_CLOSE);
	if (dialled)
		tell_more(why, &s);
}
