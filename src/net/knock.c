/* SPDX-License-Identifier: MIT */
/*
 * The head of a request, understood. Nothing is answered and nothing kept
 * here.
 */
#include "net/knock.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/head.h"
#include "net/ota_door.h"

const char *knock_host(const struct front_head *head)
{
	const char *host = headers_get(head->headers, "Host");

	return host && head_is_host(host) ? host : head->local;
}

char *knock_value(const struct front_head *head, const char *name)
{
	const char *value = headers_get(head->headers, name);

	if (value && *value)
		return mem_strdup(value);
	return head_query_value(head->query, name);
}

char *knock_token(const struct front_head *head)
{
	char *token = knock_value(head, "Authorization");

	return token ? token : head_query_value(head->query, "token");
}

int knock_protocol_version(const struct front_head *head)
{
	CLEANUP(mem_free_ptr)
	char *text = knock_value(head, "Protocol-Version");
	int64_t version = 0;

	if (text)
		text_integer(text, 0, INT16_MAX, &version);
	return (int)version;
}

bool knock_token_fits(const char *token, const char *given)
{
	const char *bare = given ? given : "", *whole = bare;
	size_t len = strlen(token);
	bool fits;

	if (!strncasecmp(bare, "Bearer ", 7))
		bare += 7;
	/*
	 * The whole value too: the firmware sends a token that has a space as
	 * it is (device.md 1.2), and it may begin with any word.
	 */
	fits = secret_same(token, len, bare, strlen(bare));
	fits |= secret_same(token, len, whole, strlen(whole));
	return fits && given;
}

bool knock_path_fits(const char *wanted, const char *path)
{
	size_t a = strlen(wanted), b = strlen(path);

	if (a > 1 && wanted[a - 1] == '/')
		a--;
	if (b > 1 && path[b - 1] == '/')
		b--;
	return a == b && !strncmp(wanted, path, a);
}

char *knock_safe_path(const struct front_head *head)
{
	static const char *const secret[] = { "authorization=", "token=" };
	struct buf out = { 0 };
	const char *at = head->query;

	buf_text(&out, head->path);
	if (at)
		buf_char(&out, '?');
	while (at && *at) {
		size_t len = strcspn(at, "&"), shown = len;

		for (size_t i = 0; i < COUNT(secret); i++) {
			if (!strncasecmp(at, secret[i], strlen(secret[i])))
				shown = strlen(secret[i]);
		}
		buf_add(&out, at, shown);
		if (shown < len)
			buf_text(&out, "***");
		if (at[len] == '&')
			buf_char(&out, '&');
		at += len + (at[len] == '&');
	}
	return buf_take(&out);
}

enum knock_wish knock_wish(const struct front_head *head)
{
	bool ota = knock_path_fits(OTA_PATH, head->path);
	bool posts = !strcmp(head->method, "POST");
	bool reads =
		!strcmp(head->method, "GET") || !strcmp(head->method, "HEAD");

	if (!reads && !posts)
		return KNOCK_METHOD;
	if (ota && (posts || headers_get(head->headers, "Device-Id")))
		return KNOCK_OTA;
	if (knock_path_fits(OTA_PATH "activate", head->path))
		return KNOCK_ACTIVATE;
	if (reads && (ota || !strcmp(head->path, "/")))
		return KNOCK_PAGE;
	if (text_starts(head->path, "/favicon") ||
	    text_starts(head->path, "/apple-touch-icon"))
		return KNOCK_ICON;
	return KNOCK_OTHER;
}

const char *knock_noise(enum front_noise what)
{
	static const char *const texts[] = {
		[FRONT_TLS] = "something spoke TLS to this plain port: the "
			      "board was given https:// or wss://,\n"
			      "use http:// and ws://",
		[FRONT_GARBAGE] = "something came that is no HTTP",
		[FRONT_BROKEN] = "a request was broken, could be read in "
				 "two ways, or wanted another upgrade than "
				 "WebSocket 13",
		[FRONT_SLOW] = "a request was begun and never finished",
		[FRONT_EMPTY] = NULL,
		[FRONT_TOO_LARGE] = "a request was too large",
		[FRONT_BODY_OF_STRANGER] =
			"a large body was refused: it came without the token "
			"or the address that a picture needs",
		[FRONT_BODY_TOO_LARGE] = "a request was too large",
		[FRONT_CUT] = "a request ended amid its body",
		[FRONT_BUSY] = "a request was refused: too many at once",
	};

	return texts[what];
}

void knock_error(struct buf *out, const char *text)
{
	buf_text(out, "{\"error\":");
	buf_json_string(out, text, strlen(text));
	buf_text(out, "}\n");
}
