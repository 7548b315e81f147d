/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket knocks: path, token, and whether the place is free. All of it
 * is judged before the upgrade is answered (device.md 1.2).
 */
#include <string.h>

#include "base/mem.h"
#include "net/knock.h"
#include "net/listen_private.h"

bool listen_token_fits(const struct words *tokens, const char *given)
{
	bool fits = false;

	for (size_t i = 0; i < tokens->count; i++)
		fits |= knock_token_fits(tokens->word[i], given);
	return fits || tokens->count == 0;
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

static int let_in(struct listen *l, int fd, const struct front_head *head,
		  const char *id)
{
	CLEANUP(mem_free_ptr) char *path = knock_safe_path(head);
	CLEANUP(mem_free_ptr)
	char *client_id = knock_value(head, "Client-Id");
	struct peer_info peer = { .address = head->address,
				  .headers = head->headers,
				  .path = path,
				  .device_id = id,
				  .client_id = client_id,
				  .ota = listen_asked(l, id),
				  .protocol_version =
					  knock_protocol_version(head),
				  .envelope = true };
	struct error err = { 0 };

	snprintf(l->served, sizeof(l->served), "%s", head->address);
	snprintf(l->served_id, sizeof(l->served_id), "%s", id ? id : "");
	l->serving = true;
	share_move(&l->share, head->share);
	/* Takes the descriptor in any case. */
	if (l->ws_table->adopt(&l->inner, fd, &peer, l->message_max, &err)) {
		l->serving = false;
		share_close(&l->share);
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
	CLEANUP(mem_free_ptr) char *id = knock_value(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(head);

	listen_knock(l, head->address, head->local);
	if (l->path && !knock_path_fits(l->path, head->path))
		return refuse_path(l, head, id, reason);
	if (!listen_token_fits(&l->tokens, token))
		return refuse_token(l, head, id, token != NULL, reason);
	if (l->serving)
		return refuse_second(l, head, id, reason);
	return let_in(l, fd, head, id);
}
