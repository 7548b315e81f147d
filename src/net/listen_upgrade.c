/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket knocks: path, token, and whether the place is free. All of it
 * is judged before the upgrade is answered (device.md 1.2).
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
#include "net/listen_private.h"

/* Equal, in a time that depends on the length of `given` alone. */
static bool same_in_constant_time(const char *token, const char *given)
{
	size_t token_len = strlen(token), len = strlen(given);
	unsigned char difference = token_len != len;

	for (size_t i = 0; i < len; i++)
		difference |=
			(unsigned char)(given[i] ^
					token[i < token_len ? i : token_len]);
	return difference == 0;
}

bool listen_token_fits(const struct words *tokens, const char *given)
{
	const char *bare = given ? given : "";
	bool fits = false;

	if (tokens->count == 0)
		return true;
	if (!strncasecmp(bare, "Bearer ", 7))
		bare += 7;
	/*
	 * The whole value too: the firmware sends a token that has a space as
	 * it is (device.md 1.2), and it may begin with any word.
	 */
	for (size_t i = 0; i < tokens->count; i++) {
		fits |= same_in_constant_time(tokens->word[i], bare);
		fits |= same_in_constant_time(tokens->word[i],
					      given ? given : "");
	}
	return fits && given;
}

/* From the header or the query string; yours, NULL if in neither. */
static char *header_or_query(const struct front_head *head, const char *name)
{
	const char *value = headers_get(head->headers, name);

	if (value && *value)
		return mem_strdup(value);
	return head_query_value(head->query, name);
}

static char *given_token(const struct front_head *head)
{
	char *token = header_or_query(head, "Authorization");

	return token ? token : head_query_value(head->query, "token");
}

static bool path_fits(const char *wanted, const char *path)
{
	size_t a = strlen(wanted), b = strlen(path);

	/* A last slash more or less is no other path. */
	if (a > 1 && wanted[a - 1] == '/')
		a--;
	if (b > 1 && path[b - 1] == '/')
		b--;
	return a == b && !strncmp(wanted, path, a);
}

/* The path with its query, but with no secret in it; yours. */
static char *safe_path(const struct front_head *head)
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

static int refuse_path(struct listen *l, const struct front_head *head,
		       const char *id, const char **reason)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	l->knocks.wrong_path++;
	snprintf(l->knocks.wrong_path_text, sizeof(l->knocks.wrong_path_text),
		 "%s", head->path);
	text = mem_printf("refused %s: it dialled '%.120s', not '%.120s'",
			  id ? id : "a device", head->path, l->path);
	listen_notice(l, NOTICE_PATH, head->address, text);
	*reason = "no WebSocket at this path";
	return 404;
}

static int refuse_token(struct listen *l, const struct front_head *head,
			const char *id, bool given, const char **reason)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	l->knocks.wrong_token++;
	text = mem_printf("refused %s: its token is %s",
			  id ? id : "a device without a Device-Id",
			  given ? "wrong" : "missing");
	listen_notice(l, NOTICE_TOKEN, head->address, text);
	*reason = given ? "the token is wrong" : "a token is needed";
	return 401;
}

/*
 * A device has one connection at a time (device.md 1.1). When it dials again
 * it was reset, and the socket that is open here is dead: say so now, and not
 * when keepalive finds out. This connection ends with the old one's session.
 */
static int supersede(struct listen *l, const struct front_head *head,
		     const char **reason)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s dialled in again: it was restarted, its "
				"connection from %s is dead",
				l->served_id, l->served);

	listen_notice(l, NOTICE_REFUSED, head->address, text);
	l->superseded = true;
	l->inner.ops->close(&l->inner);
	*reason = "busy: the old connection of this device is being closed";
	return 503;
}

static int refuse_second(struct listen *l, const struct front_head *head,
			 const char *id, const char **reason)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	l->knocks.refused++;
	if (l->ready && id && !strcmp(id, l->served_id))
		return supersede(l, head, reason);
	text = mem_printf("refused %s: a second device, while %s is served",
			  id ? id : "a device",
			  l->served_id[0] ? l->served_id : l->served);
	listen_notice(l, NOTICE_REFUSED, head->address, text);
	*reason = "busy: one device at a time, and one is being served";
	return 503;
}

static int64_t protocol_version(const struct front_head *head)
{
	CLEANUP(mem_free_ptr)
	char *text = header_or_query(head, "Protocol-Version");
	int64_t version = 0;

	if (text)
		text_integer(text, 0, INT16_MAX, &version);
	return version;
}

static int let_in(struct listen *l, int fd, const struct front_head *head,
		  const char *id)
{
	CLEANUP(mem_free_ptr) char *path = safe_path(head);
	CLEANUP(mem_free_ptr)
	char *client_id = header_or_query(head, "Client-Id");
	struct peer_info peer = { .address = head->address,
				  .headers = head->headers,
				  .path = path,
				  .device_id = id,
				  .client_id = client_id,
				  .ota = listen_asked(l, id),
				  .envelope = true };
	struct error err = { 0 };

	peer.protocol_version = (int)protocol_version(head);
	snprintf(l->served, sizeof(l->served), "%s", head->address);
	snprintf(l->served_id, sizeof(l->served_id), "%s", id ? id : "");
	l->serving = true;
	/* Takes the descriptor in any case. */
	if (l->ws_table->adopt(&l->inner, fd, &peer, l->message_max, &err)) {
		l->serving = false;
		listen_notice(l, NOTICE_OTHER, head->address, err.text);
		error_reset(&err);
		return 0;
	}
	l->inner.ops = &l->ws_table->dial;
	l->knocks.upgraded++;
	return 0;
}

int listen_upgrade(void *owner, int fd, const struct front_head *head,
		   const char **reason)
{
	struct listen *l = owner;
	CLEANUP(mem_free_ptr) char *id = header_or_query(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *token = given_token(head);

	listen_knock(l, head->address, head->local);
	if (l->path && !path_fits(l->path, head->path))
		return refuse_path(l, head, id, reason);
	if (!listen_token_fits(&l->tokens, token))
		return refuse_token(l, head, id, token != NULL, reason);
	if (l->serving)
		return refuse_second(l, head, id, reason);
	return let_in(l, fd, head, id);
}
