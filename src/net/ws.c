/* SPDX-License-Identifier: MIT */
/*
 * WebSocket connections, dialled or adopted, and the library's context on our
 * loop. Framing is libwebsockets' matter.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/close_frame.h"
#include "net/front.h"
#include "net/head.h"
#include "net/why.h"
#include "net/ws_dial.h"
#include "net/ws_end.h"
#include "net/ws_peer.h"
#include "net/ws_private.h"

static void ws_begin_close(struct ws *ws, int code);
static struct ws *ws_adopting;
static int ws_callback(struct lws *wsi, enum lws_callback_reasons reason,
		       void *user, void *in, size_t len);

/*
 * Adopts an accepted socket whose request head is still unread. The head was
 * checked by the front; the library is given a request of our own making in
 * its place, so that its HTTP parser sees nothing of a stranger's, and a
 * subprotocol that we do not know does not make it drop the connection.
 */

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
	/* The library calls back before it returns: see find below. */
	ws_adopting = ws;
	wsi = lws_adopt_socket_vhost_readbuf(ws->context->vhost, fd,
					     request.data, request.len);
	ws_adopting = NULL;
	buf_done(&request);
	lws_cancel_service(ws->context->lws);
	return wsi;
}

static int ws_adopt(struct transport *t, int fd, const struct peer_info *peer,
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

/*
 * The library's context on our loop: made when the first connection needs it,
 * destroyed when the last one has gone, so that nothing is left at exit.
 */

/* What is read of a socket at once, for all connections. */
#define BUFFER_SIZE 65536
/*
 * What each connection has for itself, as long as it lives: a frame that is
 * longer comes in pieces. The library touches little of a large one, but each
 * time another part of the heap, so that a serve would grow with those who come
 * and go.
 */
#define PIECE_SIZE 4096
/*
 * Descriptors of one context. Below the process' limit it is a small table that
 * the library searches for each event; 0: two tables as long as the limit, and
 * nothing is searched.
 */
#define CONNECTIONS_FEW 256u
/* Its own deadlines are put out of the way: ours are shorter and exact. */
#define NEVER_SECONDS (7u * 24 * 3600)
/*
 * What a context opens, for a moment or for good, and some room. When one
 * cannot be made, the library frees the memory of handles that are on our loop:
 * so it is not begun where descriptors do not suffice.
 */
#define DESCRIPTORS_NEEDED 12
/* Its part for our loop, which it loads and unloads with each context. */
#define LOOP_PLUGIN "libwebsockets-evlib_uv.so"
/*
 * Turns of the loop between the two steps of the destruction: the first
 * closes handles, in their close callback more are closed.
 */
#define TURNS_TO_CLOSE 5

/* Neither pings nor hang-ups: some boards do not answer Ping in time (device.md 1.4). */
static const lws_retry_bo_t no_pings = { .secs_since_valid_ping = 0,
					 .secs_since_valid_hangup = 0 };

static const struct lws_protocols protocols[] = {
	{ .name = "mcp",
	  .callback = ws_callback,
	  .rx_buffer_size = PIECE_SIZE },
	{ 0 },
};

static struct ws_context *contexts;
static unsigned connections_max = CONNECTIONS_FEW;

static void ws_context_many(void)
{
	connections_max = 0;
}

/* Its log lines are developers' matter; the cause of an error is found elsewhere. */
static void on_log(int level, const char *line)
{
	size_t len = strcspn(line, "\n");

	log_debug("libwebsockets %d: %.*s", level, (int)len, line);
}

static struct lws_context *create(struct loop *l, struct lws_context **out)
{
	void *loops[1] = { loop_uv(l) };
	struct lws_context_creation_info info = { 0 };

	info.port = CONTEXT_PORT_NO_LISTEN;
	info.options = LWS_SERVER_OPTION_LIBUV |
		       LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
		       LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT |
		       LWS_SERVER_OPTION_UV_NO_SIGSEGV_SIGFPE_SPIN;
	info.foreign_loops = loops;
	info.pt_serv_buf_size = BUFFER_SIZE;
	info.max_http_header_data = FRONT_HEAD_MAX;
	info.fd_limit_per_thread = connections_max;
	info.timeout_secs = NEVER_SECONDS;
	info.retry_and_idle_policy = &no_pings;
	info.pcontext = out;
	return lws_create_context(&info);
}

static struct lws_vhost *vhost_new(struct ws_context *c, const char *name,
				   uint64_t options, const char *cacert)
{
	struct lws_context_creation_info info = { 0 };

	info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
	info.vhost_name = name;
	info.protocols = protocols;
	info.options = options;
	info.client_ssl_ca_filepath = cacert;
	info.connect_timeout_secs = NEVER_SECONDS;
	info.timeout_secs_ah_idle = 60;
	info.retry_and_idle_policy = &no_pings;
	return lws_create_vhost(c->lws, &info);
}

static void unlink_context(struct ws_context *c)
{
	struct ws_context **link = &contexts;

	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
}

static void free_context(struct ws_context *c)
{
	struct ws_trust *next;

	for (struct ws_trust *t = c->trusts; t; t = next) {
		next = t->next;
		mem_free(t->cacert);
		mem_free(t);
	}
	unlink_context(c);
	buf_done(&c->scratch);
	mem_free(c);
}

static void on_check_closed(uv_handle_t *handle)
{
	free_context(handle->data);
}

static void on_idle_closed(uv_handle_t *handle)
{
	struct ws_context *c = handle->data;

	uv_close((uv_handle_t *)&c->check, on_check_closed);
}

/*
 * Destroying takes two calls with turns of the loop between them: the first
 * closes the handles, the second frees. The library clears the pointer that
 * it was given as pcontext when it has freed itself at the first one.
 *
 * The first call closes the descriptor of the library's wake-up, and its close
 * callback closes the same number once more. So that call is made from a check
 * handle, behind which nothing but close callbacks run in a turn: nobody is
 * given the number in between.
 */
static void destroy_step(uv_check_t *check)
{
	struct ws_context *c = check->data;

	if (c->turns++ == 0) {
		lws_context_destroy(c->lws);
		return;
	}
	if (c->turns <= TURNS_TO_CLOSE)
		return;
	if (c->lws)
		lws_context_destroy(c->lws);
	uv_check_stop(&c->check);
	uv_close((uv_handle_t *)&c->idle, on_idle_closed);
}

/* Turns must not wait for events while they are counted. */
static void on_idle(uv_idle_t *idle)
{
	(void)idle;
}

/*
 * One that was to die is kept if its destruction has not begun: two contexts
 * at once share OpenSSL's numbers, and the older one could not free its own.
 */
static struct ws_context *find_context(const struct loop *l)
{
	struct ws_context *c = contexts;

	while (c && (c->loop != l || c->turns > 0))
		c = c->next;
	if (c && c->dying) {
		c->dying = false;
		uv_idle_stop(&c->idle);
		uv_check_stop(&c->check);
	}
	return c;
}

/*
 * Stays for good: a handle that is still on our loop calls into it. Where the
 * library was built without plugins there is nothing to keep.
 */
static void keep_plugin(void)
{
	static bool kept;

	if (!kept)
		dlopen(LOOP_PLUGIN, RTLD_NOW | RTLD_NODELETE);
	kept = true;
}

static int check_descriptors(struct loop *l, struct error *err)
{
	if (descriptors_spare(uv_backend_fd(loop_uv(l)), DESCRIPTORS_NEEDED))
		return 0;
	error_set(
		err, ERR_CONNECT,
		"no WebSocket can be opened: of the %zu open files that are allowed fewer than %d are left",
		descriptors_limit(), DESCRIPTORS_NEEDED);
	return error_hint(err, "raise the limit (ulimit -n), or close some");
}

struct ws_context *ws_context_take(struct loop *l, struct error *err)
{
	struct ws_context *c;

	c = find_context(l);
	if (c) {
		c->users++;
		return c;
	}
	if (check_descriptors(l, err))
		return NULL;
	keep_plugin();
	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	c = mem_zalloc(sizeof(*c));
	c->loop = l;
	c->lws = create(l, &c->lws);
	if (!c->lws) {
		mem_free(c);
		error_set(err, ERR_CONNECT,
			  "libwebsockets cannot join the event loop");
		error_hint(err, "install the package libwebsockets-evlib-uv");
		return NULL;
	}
	uv_idle_init(loop_uv(l), &c->idle);
	c->idle.data = c;
	uv_check_init(loop_uv(l), &c->check);
	c->check.data = c;
	c->next = contexts;
	contexts = c;
	c->users = 1;
	c->vhost = vhost_new(c, "plain", 0, NULL);
	if (!c->vhost) {
		ws_context_release(c);
		error_set(err, ERR_CONNECT, "libwebsockets cannot be set up");
		return NULL;
	}
	return c;
}

void ws_context_release(struct ws_context *c)
{
	if (--c->users > 0)
		return;
	c->dying = true;
	uv_idle_start(&c->idle, on_idle);
	uv_check_start(&c->check, destroy_step);
}

static int ws_context_hold(struct loop *l, struct error *err)
{
	return ws_context_take(l, err) ? 0 : -1;
}

static void ws_context_let_go(struct loop *l)
{
	struct ws_context *c = find_context(l);

	if (c)
		ws_context_release(c);
}

struct lws_vhost *ws_context_trust(struct ws_context *c, const char *cacert,
				   struct error *err)
{
	uint64_t options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
	struct ws_trust *t;
	char name[32];
	unsigned count = 0;

	for (t = c->trusts; t; t = t->next) {
		if (cacert ? t->cacert && strcmp(t->cacert, cacert) == 0 :
			     !t->cacert)
			return t->vhost;
		count++;
	}
	if (cacert && why_check_cacert(cacert, err))
		return NULL;
	/* --cacert is instead of the system's certificates, not beside them. */
	if (cacert)
		options |= LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
	snprintf(name, sizeof(name), "tls%u", count);
	t = mem_zalloc(sizeof(*t));
	t->cacert = mem_strdup(cacert);
	t->vhost = vhost_new(c, name, options, t->cacert);
	if (!t->vhost) {
		mem_free(t->cacert);
		mem_free(t);
		error_set(err, ERR_CONNECT, "TLS cannot be set up");
		return NULL;
	}
	t->next = c->trusts;
	c->trusts = t;
	return t->vhost;
}

/*
 * One WebSocket connection as a transport, dialled or adopted: its queue, its
 * end, and what its owner is told. Framing is libwebsockets' matter.
 */

/* Firmware never answers a Close frame (device.md 1.4): then TCP is closed. */
#define CLOSE_WAIT_MS 100
/* How long what is queued may take to leave before a close. */
#define FLUSH_WAIT_MS 1000
/* A scratch buffer that grew beyond this is given back. */
#define SCRATCH_KEEP 65536

static void on_timer(void *owner);

struct ws *ws_new(struct transport *t, struct ws_context *c, size_t message_max)
{
	struct ws *ws = mem_zalloc(sizeof(*ws));

	ws->transport = t;
	ws->context = c;
	ws->last = &ws->first;
	buf_init(&ws->message,
		 message_max ? message_max : TRANSPORT_MESSAGE_MAX);
	timer_open(&ws->timer, c->loop, on_timer, ws);
	t->impl = ws;
	return ws;
}

void ws_notice(struct ws *ws, enum notice_kind kind, const char *text)
{
	const struct transport *t = ws->transport;
	struct notice n = { .kind = kind,
			    .text = text,
			    .address =
				    ws->peer ? ws->peer->info.address : NULL };

	if (t->events->notice)
		t->events->notice(t->owner, &n);
}

static void free_queue(struct ws *ws)
{
	struct ws_message *next;

	for (struct ws_message *m = ws->first; m; m = next) {
		next = m->next;
		mem_free(m);
	}
}

/* The last step: everything is released before the owner is told. */
static void released(void *owner)
{
	struct ws *ws = owner;
	struct transport *t = ws->transport;
	struct error why = ws->why;

	ws_dial_free(ws);
	free_queue(ws);
	ws_peer_free(ws->peer);
	buf_done(&ws->message);
	ws_context_release(ws->context);
	mem_free(ws);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

/* A Close frame came: TCP ends soon, whatever the library does. */
static void ws_peer_closed(struct ws *ws)
{
	ws->peer_closed = true;
	timer_start(&ws->timer, CLOSE_WAIT_MS);
}

void ws_gone(struct ws *ws)
{
	ws->state = WS_GONE;
	timer_start(&ws->timer, 0);
}

void ws_kill(struct ws *ws)
{
	if (!ws->wsi)
		return;
	lws_set_timeout(ws->wsi, PENDING_TIMEOUT_USER_REASON_BASE,
			LWS_TO_KILL_ASYNC);
	/* Its timers fire only if its own wake-up is used. */
	lws_cancel_service(ws->context->lws);
}

/* State WS_ACCEPTED becomes WS_OPEN. */
static void ws_tell_ready(struct ws *ws)
{
	const struct transport *t = ws->transport;

	timer_stop(&ws->timer);
	ws->state = WS_OPEN;
	if (ws->dial && !ws->closing)
		ws_dial_ready(ws);
	if (ws->closing) {
		ws_begin_close(ws, LWS_CLOSE_STATUS_NORMAL);
		return;
	}
	if (ws->first)
		lws_callback_on_writable(ws->wsi);
	t->events->ready(t->owner, &ws->peer->info);
	/* There may be thousands of them. */
	if (!ws->dial) {
		ws_peer_free(ws->peer);
		ws->peer = NULL;
	}
}

/* The handshake is done: `ready` follows from the loop. */
static void ws_accepted(struct ws *ws, struct lws *wsi)
{
	ws->wsi = wsi;
	ws->state = WS_ACCEPTED;
	timer_start(&ws->timer, 0);
}

static int write_frame(struct ws *ws, bool binary, unsigned char *data,
		       size_t len)
{
	int n = lws_write(ws->wsi, data, len,
			  binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);

	ws->broken = n < (int)len;
	return ws->broken ? -1 : 0;
}

static bool can_write(const struct ws *ws)
{
	return ws->state == WS_OPEN && !ws->close_sent && !ws->peer_closed &&
	       !lws_partial_buffered(ws->wsi);
}

/* Write what is queued as far as the socket takes it. -1: the connection is broken. */
static int ws_flush(struct ws *ws)
{
	struct ws_message *m;
	int result = 0;

	if (ws->ping_due && can_write(ws))
		result = ws_ping_write(ws);
	while (ws->first && !result && can_write(ws)) {
		m = ws->first;
		ws->first = m->next;
		if (!ws->first)
			ws->last = &ws->first;
		ws->queued -= m->len;
		result = write_frame(ws, m->binary, m->data + LWS_PRE, m->len);
		mem_free(m);
	}
	if (result || ws->state != WS_OPEN || ws->close_sent || ws->peer_closed)
		return result;
	if (ws->first || ws->ping_due)
		lws_callback_on_writable(ws->wsi);
	else if (ws->closing && can_write(ws))
		timer_start(&ws->timer, 0);
	return 0;
}

/* Close with that code, behind what is queued. */
static void ws_begin_close(struct ws *ws, int code)
{
	ws->closing = true;
	ws->close_code = code;
	ws->close_deadline = loop_now() + FLUSH_WAIT_MS;
	timer_start(&ws->timer, ws->peer_closed ? CLOSE_WAIT_MS : 0);
}

#define CLOSE_WORDS_MAX 123u /* RFC 6455, 5.5 */

/*
 * The library's way to close sets two timeouts, in a list that is searched for
 * each one: for 10,000 connections that is many seconds. Here it is not needed:
 * a server's frame is small, nothing is half written, and adopted
 * connections have no TLS.
 */
static void send_close_frame(struct ws *ws)
{
	const char *words = ws->transport->last_words;
	const bool ours = ws->close_code == LWS_CLOSE_STATUS_NORMAL && words &&
			  strlen(words) <= CLOSE_WORDS_MAX;
	const size_t len = ours ? strlen(words) : 0;
	unsigned code = (unsigned)ws->close_code;
	unsigned char frame[4 + CLOSE_WORDS_MAX + 1] = {
		0x88, (unsigned char)(2 + len), (unsigned char)(code >> 8),
		(unsigned char)code
	};

	if (ours)
		memcpy(frame + 4, words, len + 1);
	/* If it does not fit, the end of TCP says it. */
	send(lws_get_socket_fd(ws->wsi), frame, 4 + len,
	     MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * What is queued, then the Close frame, then the end of TCP: a step of it,
 * from the timer. The frame is asked for from here, outside of the library's
 * callbacks: when one of those asks for the end, the library as packaged
 * closes twice, and the second time drops the frame.
 */
static void go_on_closing(struct ws *ws)
{
	int64_t left = ws->close_deadline - loop_now();

	if (ws->close_sent) {
		lws_set_timeout(ws->wsi, PENDING_TIMEOUT_USER_REASON_BASE,
				LWS_TO_KILL_SYNC);
		return;
	}
	if (ws->peer_closed || left <= 0 || ws_flush(ws)) {
		ws_kill(ws);
		return;
	}
	if (ws->first || !can_write(ws)) {
		lws_callback_on_writable(ws->wsi);
		timer_start(&ws->timer, left);
		return;
	}
	ws->close_sent = true;
	timer_start(&ws->timer, CLOSE_WAIT_MS);
	if (!ws->dial) {
		send_close_frame(ws);
		return;
	}
	lws_close_reason(ws->wsi, (enum lws_close_status)ws->close_code, NULL,
			 0);
	lws_set_timeout(ws->wsi, PENDING_TIMEOUT_USER_REASON_BASE,
			LWS_TO_KILL_SYNC);
	lws_cancel_service(ws->context->lws);
}

static void on_timer(void *owner)
{
	struct ws *ws = owner;

	switch (ws->state) {
	case WS_GONE:
		timer_close(&ws->timer, released);
		break;
	case WS_ACCEPTED:
		ws_tell_ready(ws);
		break;
	case WS_OPEN:
		if (ws->wsi)
			go_on_closing(ws);
		break;
	default:
		ws_dial_timer(ws);
	}
}

static int enqueue(struct ws *ws, bool binary, const char *text, size_t len,
		   struct error *err)
{
	const size_t own = ws->transport->waits_max;
	struct ws_message *m;

	if (len > TRANSPORT_QUEUE_MAX ||
	    ws->queued > TRANSPORT_QUEUE_MAX - len ||
	    (own && ws->queued > own)) {
		error_set(
			err, ERR_CONNECT,
			"cannot send: %zu bytes wait already, the peer does not read",
			ws->queued);
		return error_hint(err, "at most %zu bytes can wait",
				  own ? own : (size_t)TRANSPORT_QUEUE_MAX);
	}
	m = mem_alloc(sizeof(*m) + LWS_PRE + len);
	m->next = NULL;
	m->len = len;
	m->binary = binary;
	memcpy(m->data + LWS_PRE, text, len);
	*ws->last = m;
	ws->last = &m->next;
	ws->queued += len;
	if (ws->wsi && ws->state == WS_OPEN)
		lws_callback_on_writable(ws->wsi);
	return 0;
}

/*
 * Written at once where possible: waiting for the writable callback would cost
 * a turn of the loop for each call. A write starts none of the library's timers.
 */
static int send_now(struct ws *ws, bool binary, const char *text, size_t len,
		    struct error *err)
{
	static const char room[LWS_PRE];
	struct buf *scratch = &ws->context->scratch;
	int result;

	buf_reset(scratch);
	buf_add(scratch, room, sizeof(room));
	buf_add(scratch, text, len);
	result = write_frame(ws, binary,
			     (unsigned char *)scratch->data + LWS_PRE, len);
	if (scratch->capacity > SCRATCH_KEEP)
		buf_done(scratch);
	if (!result)
		return 0;
	ws_kill(ws);
	return error_set(err, ERR_CONNECT,
			 "cannot send: the connection is broken");
}

static int send_frame(struct transport *t, bool binary, const char *text,
		      size_t len, struct error *err)
{
	struct ws *ws = t->impl;

	if (!ws || ws->closing || ws->peer_closed || ws->state == WS_GONE)
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is closed");
	if (!ws->first && ws->wsi && can_write(ws) &&
	    len <= TRANSPORT_QUEUE_MAX)
		return send_now(ws, binary, text, len, err);
	return enqueue(ws, binary, text, len, err);
}

static int ws_send(struct transport *t, const char *text, size_t len,
		   struct error *err)
{
	return send_frame(t, false, text, len, err);
}

static int ws_send_sound(struct transport *t, const void *data, size_t len,
			 struct error *err)
{
	return send_frame(t, true, data, len, err);
}

/* Of enum lws_write_protocol, and its flags. */
static const int pieces[] = {
	LWS_WRITE_TEXT | LWS_WRITE_NO_FIN,
	LWS_WRITE_CONTINUATION | LWS_WRITE_NO_FIN,
	LWS_WRITE_CONTINUATION,
};

/* Three frames; nothing of others may come between, so nothing may wait. */
static int ws_send_pieces(struct transport *t, const char *text, size_t len,
			  struct error *err)
{
	struct ws *ws = t->impl;
	static const char room[LWS_PRE];
	const size_t third = len / 3;
	size_t at = 0;

	if (!ws || ws->closing || ws->peer_closed || ws->first || !ws->wsi ||
	    !can_write(ws))
		return error_set(
			err, ERR_CONNECT,
			"cannot send in pieces: the connection is busy, or closed");
	for (int i = 0; i < 3; i++) {
		const size_t n = i < 2 ? third : len - at;
		CLEANUP(buf_done) struct buf piece = { 0 };

		buf_add(&piece, room, sizeof(room));
		buf_add(&piece, text + at, n);
		at += n;
		ws->broken =
			lws_write(ws->wsi,
				  (unsigned char *)piece.data + LWS_PRE, n,
				  (enum lws_write_protocol)pieces[i]) < (int)n;
		if (!ws->broken)
			continue;
		ws_kill(ws);
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is broken");
	}
	return 0;
}

static int ws_ping(struct transport *t, struct error *err)
{
	struct ws *ws = t->impl;

	if (!ws || ws->closing || ws->peer_closed || ws->state != WS_OPEN ||
	    !ws->wsi)
		return error_set(err, ERR_CONNECT,
				 "cannot ping: the connection is not open");
	ws_ping_begin(ws);
	if (!can_write(ws)) {
		lws_callback_on_writable(ws->wsi);
		return 0;
	}
	if (!ws_ping_write(ws))
		return 0;
	ws_kill(ws);
	return error_set(err, ERR_CONNECT,
			 "cannot ping: the connection is broken");
}

static void ws_close(struct transport *t)
{
	struct ws *ws = t->impl;

	if (!ws || ws->closing)
		return;
	ws->closing = true;
	if (ws->state == WS_OPEN)
		ws_begin_close(ws, LWS_CLOSE_STATUS_NORMAL);
	else if (ws->state != WS_ACCEPTED && ws->state != WS_GONE)
		ws_dial_close(ws);
}

const struct ws_table ws_table = {
	.dial = { .scheme = "ws",
		  .close_code = LWS_CLOSE_STATUS_NORMAL,
		  .open = ws_dial_open,
		  .send = ws_send,
		  .close = ws_close,
		  .layers = ws_layers,
		  .ping = ws_ping,
		  .send_pieces = ws_send_pieces,
		  .send_sound = ws_send_sound },
	.adopt = ws_adopt,
	.many = ws_context_many,
	.hold = ws_context_hold,
	.let_go = ws_context_let_go,
};

/*
 * What libwebsockets reports, for dialled and adopted connections alike:
 * pieces become messages, Close frames become words.
 */

#define LARGE ((size_t)64 << 10)

static const char *peer_name(const struct ws *ws)
{
	const char *named = ws->transport->peer;

	return named ? named : ws->dial ? "the server" : "the device";
}

/* Whether there is memory for what came of a message: strangers share some. */
static bool holds(const struct ws *ws)
{
	struct share *s = ws->transport->share;

	return !s || share_hold(s, ws->message.len);
}

/* Its memory too: most connections are quiet most of the time. */
static void drop_message(struct ws *ws)
{
	size_t max = ws->message.max;

	buf_done(&ws->message);
	buf_init(&ws->message, max);
	holds(ws);
}

static void too_large(struct ws *ws)
{
	error_set(&ws->why, ERR_PROTOCOL,
		  "%s sent a message of more than %zu bytes", peer_name(ws),
		  ws->message.max);
	error_hint(&ws->why, "the connection was closed with code 1009");
	drop_message(ws);
	ws_begin_close(ws, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
}

/* A large one, which could be one too many. */
static void no_memory(struct ws *ws)
{
	error_set(&ws->why, ERR_CONNECT,
		  "no memory is left for the message that %s sent",
		  peer_name(ws));
	error_hint(&ws->why, "the connection was closed with code %d",
		   WS_TRY_AGAIN_LATER);
	drop_message(ws);
	ws_begin_close(ws, WS_TRY_AGAIN_LATER);
}

static void too_much(struct ws *ws)
{
	error_set(
		&ws->why, ERR_CONNECT,
		"it sent a message in pieces, and what strangers may make us hold is used up");
	error_hint(&ws->why, "the connection was closed with code %d",
		   WS_TRY_AGAIN_LATER);
	error_code(&ws->why, WS_TRY_AGAIN_LATER);
	drop_message(ws);
	ws_begin_close(ws, WS_TRY_AGAIN_LATER);
}

static void deliver(struct ws *ws, const void *data, size_t len, bool binary)
{
	const struct transport *t = ws->transport;

	t->events->message(t->owner, binary ? FRAME_BINARY : FRAME_TEXT, data,
			   len);
}

static void on_piece(struct ws *ws, const void *data, size_t len)
{
	bool first = lws_is_first_fragment(ws->wsi) != 0;
	bool final = lws_is_final_fragment(ws->wsi) != 0;
	bool binary = lws_frame_is_binary(ws->wsi) != 0;
	size_t rest = lws_remaining_packet_payload(ws->wsi);

	if (ws->state == WS_ACCEPTED)
		ws_tell_ready(ws);
	if (ws->closing)
		return;
	if (first)
		drop_message(ws);
	if (rest > ws->message.max ||
	    ws->message.len + len + rest > ws->message.max) {
		too_large(ws);
		return;
	}
	if (ws->message.len + len + rest > LARGE && mem_is_short()) {
		no_memory(ws);
		return;
	}
	if (first && final) {
		deliver(ws, len ? data : "", len, binary);
		return;
	}
	buf_add(&ws->message, data, len);
	if (!final && !holds(ws)) {
		too_much(ws);
		return;
	}
	if (final) {
		deliver(ws, buf_string(&ws->message), ws->message.len, binary);
		drop_message(ws);
	}
}

static void on_close_frame(struct ws *ws, const void *in, size_t len)
{
	ws_peer_closed(ws);
	if (!ws->closing)
		close_frame_tell(&ws->why, peer_name(ws), ws->dial != NULL, in,
				 len);
}

/*
 * The library ends a connection by itself when a frame is broken; then it has
 * a reason of its own to send, or the peer's end of the stream is still open.
 */
static bool broke_protocol(struct ws *ws, struct lws *wsi)
{
	ssize_t len;
	char byte;

	if (lws_get_close_length(wsi) > 0)
		return true;
	if ((ws->peer && ws->peer->info.tls) ||
	    ws_end_is_over(lws_get_socket_fd(wsi)))
		return false;
	len = recv(lws_get_socket_fd(wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return len > 0 || (len < 0 && errno == EAGAIN);
}

static void on_closed(struct ws *ws, struct lws *wsi)
{
	/* It can come for a handshake that failed, too. */
	if (ws->state == WS_DIALLING || ws->closing || ws->peer_closed ||
	    ws->why.kind != ERR_NONE)
		return;
	/* Firmware closes TCP without a Close frame (device.md 1.4). */
	if (broke_protocol(ws, wsi))
		error_set(&ws->why, ERR_PROTOCOL,
			  "%s sent a broken WebSocket frame", peer_name(ws));
	else
		ws_end_tell(&ws->why, lws_get_socket_fd(wsi), peer_name(ws),
			    ws->broken);
}

static void free_handle(uv_handle_t *handle)
{
	/* The library allocated it, and has forgotten it. */
	free(handle);
}

/* cppcheck-suppress constParameter ; the signature is libuv's */
static void close_forgotten(uv_handle_t *handle, void *wsi)
{
	if (handle->type == UV_POLL && handle->data == wsi &&
	    !uv_is_closing(handle))
		uv_close(handle, free_handle);
}

/*
 * When a connection cannot be made, the library closes the socket and forgets
 * the poll handle, which would keep the loop from ending (libwebsockets 4.1.6).
 */
static void on_destroy(struct ws *ws, struct lws *wsi)
{
	if (ws->wsi && ws->wsi != wsi)
		return;
	ws->wsi = NULL;
	if (ws->dial && ws->state == WS_DIALLING) {
		uv_walk(loop_uv(ws->context->loop), close_forgotten, wsi);
		ws_dial_failed(ws);
		return;
	}
	if (ws->why.kind == ERR_NONE && !ws->closing && !ws->peer_closed)
		error_set(&ws->why, ERR_CONNECT,
			  "the connection ended before its handshake was done");
	ws_gone(ws);
}

static struct ws *find(struct lws *wsi, enum lws_callback_reasons reason)
{
	struct ws *ws = wsi ? lws_get_opaque_user_data(wsi) : NULL;

	/* After WSI_CREATE the adoption can still fail without another call. */
	if (!ws && wsi && ws_adopting && reason != LWS_CALLBACK_WSI_CREATE) {
		ws = ws_adopting;
		ws->wsi = wsi;
		lws_set_opaque_user_data(wsi, ws);
	}
	return ws;
}

/* The one callback of libwebsockets. */
static int ws_callback(struct lws *wsi, enum lws_callback_reasons reason,
		       void *user, void *in, size_t len)
{
	struct ws *ws;

	/* These come for the context, with a wsi that is none. */
	if (reason == LWS_CALLBACK_PROTOCOL_INIT ||
	    reason == LWS_CALLBACK_PROTOCOL_DESTROY ||
	    reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED)
		return 0;
	if (reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_CLIENT_VERIFY_CERTS) {
		ws_tls_watch(user);
		return 0;
	}
	ws = find(wsi, reason);
	if (!ws)
		return 0;
	switch (reason) {
	case LWS_CALLBACK_ESTABLISHED:
	case LWS_CALLBACK_CLIENT_ESTABLISHED:
		ws_end_watch(lws_get_socket_fd(wsi));
		if (ws->dial && ws_dial_callback(ws, wsi, reason, in, len))
			return -1;
		ws_accepted(ws, wsi);
		return 0;
	case LWS_CALLBACK_RECEIVE:
	case LWS_CALLBACK_CLIENT_RECEIVE:
		on_piece(ws, in, len);
		return 0;
	case LWS_CALLBACK_RECEIVE_PONG:
	case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
		ws_pong(ws, in, len);
		return 0;
	case LWS_CALLBACK_SERVER_WRITEABLE:
	case LWS_CALLBACK_CLIENT_WRITEABLE:
		return ws_flush(ws);
	case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
		on_close_frame(ws, in, len);
		/* Ours stands before it: the library need not answer. */
		return ws->close_sent ? -1 : 0;
	case LWS_CALLBACK_CLOSED:
	case LWS_CALLBACK_CLIENT_CLOSED:
		on_closed(ws, wsi);
		return 0;
	case LWS_CALLBACK_WSI_DESTROY:
		on_destroy(ws, wsi);
		return 0;
	case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
		return ws->dial ?
			       ws_tls_verify(&ws->dial->tls, user, len != 0) :
			       0;
	default:
		return ws->dial ? ws_dial_callback(ws, wsi, reason, in, len) :
				  0;
	}
}
