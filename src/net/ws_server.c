/* SPDX-License-Identifier: MIT */
/*
 * Adopts an accepted socket whose request head is still unread. The head was
 * checked by the front; the library is given a request of our own making in
 * its place, so that its HTTP parser sees nothing of a stranger's, and a
 * subprotocol that we do not know does not make it drop the connection.
 */
#include <unistd.h>

#include "base/mem.h"
#include "net/front.h"
#include "net/head.h"
#include "net/ws_private.h"

/* The whole head is there, so the handshake is over at once; this is for faults. */
#define HANDSHAKE_MS 10000

/* The client's Sec-WebSocket-Key, yours; the head is taken out of the socket. */
static char *take_head(int fd, bool *mcp)
{
	CLEANUP(mem_free_ptr) char *data = mem_alloc(FRONT_HEAD_MAX);
	ssize_t len = recv(fd, data, FRONT_HEAD_MAX, MSG_PEEK | MSG_DONTWAIT);
	struct head head;
	const char *reason;
	char *key = NULL;

	if (len <= 0 || head_parse(&head, data, (size_t)len) != HEAD_READY)
		return NULL;
	if (head_upgrade(&head, &reason) == HEAD_WEBSOCKET &&
	    recv(fd, data, head.length, MSG_DONTWAIT) == (ssize_t)head.length)
		key = mem_strdup(
			headers_get(&head.headers, "Sec-WebSocket-Key"));
	/* MCP's own clients go when their subprotocol is not taken up. */
	*mcp = head_has_token(
		headers_get(&head.headers, "Sec-WebSocket-Protocol"), "mcp");
	head_done(&head);
	return key;
}

static struct lws *adopt(struct ws *ws, int fd, const char *key, bool mcp)
{
	struct buf request = { 0 };
	struct lws *wsi;

	buf_printf(&request,
		   "GET / HTTP/1.1\r\nHost: mcpctl\r\nUpgrade: websocket\r\n"
		   "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
		   "Sec-WebSocket-Key: %s\r\n%s\r\n",
		   key, mcp ? "Sec-WebSocket-Protocol: mcp\r\n" : "");
	/* The library calls back before it returns: see find in ws_callback.c. */
	ws_adopting = ws;
	wsi = lws_adopt_socket_vhost_readbuf(ws->context->vhost, fd,
					     request.data, request.len);
	ws_adopting = NULL;
	buf_done(&request);
	lws_cancel_service(ws->context->lws);
	return wsi;
}

int ws_adopt(struct transport *t, int fd, const struct peer_info *peer,
	     size_t message_max, struct error *err)
{
	bool mcp = false;
	CLEANUP(mem_free_ptr) char *key = take_head(fd, &mcp);
	struct ws_context *context = NULL;
	struct ws *ws;

	if (!key)
		error_set(err, ERR_CONNECT,
			  "the WebSocket request could not be read");
	else
		context = ws_context_take(t->loop, err);
	if (!context) {
		close(fd);
		return -1;
	}
	ws = ws_new(t, context, message_max);
	ws->state = WS_DIALLING;
	timer_start(&ws->timer, HANDSHAKE_MS);
	ws->peer = ws_peer_new(peer);
	/* If it fails, the library has closed fd, and its callbacks brought the end. */
	if (!adopt(ws, fd, key, mcp) && !ws->wsi && ws->state != WS_GONE)
		ws_gone(ws);
	return 0;
}
