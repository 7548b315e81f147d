/* SPDX-License-Identifier: MIT */
/*
 * WebSockets at the port: a message a frame, plain
 * JSON-RPC, replies in the order in which they are ready.
 */
#include "clients/mcp_socket.h"

#include "base/mem.h"
#include "clients/mcp_stream.h"

struct port_socket {
	struct transport transport;
	struct share share;
	struct mcp_port *port;
	struct port_socket *next;
	void *client;
	unsigned open; /* questions that are not answered */
	bool gone;
};

static void hang_up(struct port_socket *s)
{
	if (!s->gone)
		s->transport.ops->close(&s->transport);
	s->gone = true;
}

static bool send_it(struct port_socket *s, const char *text, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (!s->transport.ops->send(&s->transport, text, len, &why))
		return true;
	port_coming(s->port, "WebSocket: closed, %s", why.text);
	hang_up(s);
	return false;
}

static void on_done_ws(void *owner, const char *reply, size_t len)
{
	struct port_socket *s = owner;

	s->open--;
	if (s->gone || len == 0)
		return;
	send_it(s, reply, len);
}

static bool on_tell(void *owner, const char *text, size_t len)
{
	struct port_socket *s = owner;

	return !s->gone && send_it(s, text, len);
}

static const struct mcp_hearer hearer = { .done = on_done_ws, .tell = on_tell };

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct port_socket *s = owner;

	port_coming(s->port, "WebSocket: %s is connected",
		    peer->address ? peer->address : "?");
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	const struct mcp_said said = { data, len, NULL };
	struct port_socket *s = owner;

	if (kind != FRAME_TEXT || s->gone)
		return;
	if (s->open >= PORT_OPEN_MAX) {
		port_coming(
			s->port,
			"WebSocket: closed, more than %d questions are open",
			PORT_OPEN_MAX);
		hang_up(s);
		return;
	}
	s->open++;
	s->port->answerer->hear(s->client, &said, &hearer, s);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	(void)id;
	(void)why;
}

static void unlist_ws(struct port_socket *s)
{
	struct port_socket **at = &s->port->sockets;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->port->socket_count--;
}

static void on_closed(void *owner, const struct error *why)
{
	struct port_socket *s = owner;
	struct mcp_port *p = s->port;
	bool told = why && why->kind != ERR_NONE;

	port_coming(p, "WebSocket: a client went%s%s", told ? ": " : "",
		    told ? why->text : "");
	unlist_ws(s);
	p->answerer->client_free(s->client);
	share_close(&s->share);
	mem_free(s);
	port_check_ended(p);
}

static const struct transport_events socket_events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
};

static void adopt(struct mcp_port *p, int fd, const struct peer_info *peer,
		  struct share *share)
{
	struct port_socket *s = mem_zalloc(sizeof(*s));

	s->port = p;
	s->transport = (struct transport){ .ops = &p->ws_table->dial,
					   .loop = p->loop,
					   .events = &socket_events,
					   .owner = s,
					   .peer = "the client",
					   .waits_max = PORT_WAITS_MAX,
					   .share = &s->share };
	share_move(&s->share, share);
	if (p->ws_table->adopt(&s->transport, fd, peer, PORT_BODY_MAX, NULL)) {
		share_close(&s->share);
		mem_free(s); /* adopt has closed fd */
		return;
	}
	s->client = p->answerer->client_new(p->answerer->owner);
	p->answerer->reach(s->client, on_tell, s);
	s->next = p->sockets;
	p->sockets = s;
	p->socket_count++;
}

int port_upgrade(void *owner, int fd, const struct front_head *head,
		 const char **reason)
{
	struct mcp_port *p = owner;
	const struct peer_info peer = { .address = head->address,
					.headers = head->headers,
					.path = head->path };

	if (p->options.path) {
		*reason = "no WebSocket here";
		return 404;
	}
	if (p->options.named_paths && !knock_path_fits("/ws", head->path)) {
		*reason = "nothing is at this path: WebSocket is at /ws";
		return 404;
	}
	if (!port_may_ask(p, head)) {
		port_count_refused(p, head);
		*reason =
			"the token is missing or wrong: Authorization: Bearer";
		return 401;
	}
	if (p->ending || p->socket_count >= PORT_SOCKETS_MAX ||
	    share_is_over(head->share)) {
		*reason = "too many clients";
		return 503;
	}
	adopt(p, fd, &peer, head->share);
	return 0;
}

void port_sockets_close(struct mcp_port *p)
{
	for (struct port_socket *s = p->sockets; s; s = s->next)
		hang_up(s);
}
