/* SPDX-License-Identifier: MIT */
/*
 * A pretend board's WebSocket: dialled, its frames written and read byte by
 * byte, so that a fault can be put into each.
 */
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "net/endpoint.h"
#include "net/head.h"
#include "net/transport.h"
#include "net/why.h"
#include "sim/board_ws.h"
#include "wire/board_text.h"
#include "wire/refusal.h"

/* A TCP connection becomes the board's WebSocket: handshake, then frames. */

#define DIAL_FULL (1u << 20) /* bytes that wait for the peer */

static void end(struct board_ws *d, const struct error *why)
{
	if (d->ended)
		return;
	d->ended = true;
	d->events->ended(d->owner, why);
}

static void fail(struct board_ws *d, enum why reason, const char *text)
{
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "%s", text);
	error_reason(&why, (int)reason);
	end(d, &why);
	error_reset(&why);
}

static void send_frame(struct board_ws *d, enum board_ws_first first,
		       const void *data, size_t len)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	if (!d->open || d->mute)
		return;
	board_ws_frame(&frame, first, data, len);
	tcp_write(&d->tcp, frame.data, frame.len);
}

void board_ws_text(struct board_ws *d, const char *text, size_t len)
{
	send_frame(d, WIRE_FIRST_TEXT, text, len);
}

bool board_ws_is_full(const struct board_ws *d)
{
	return tcp_waiting(&d->tcp) > DIAL_FULL;
}

void board_ws_binary(struct board_ws *d, const void *data, size_t len)
{
	send_frame(d, WIRE_FIRST_BINARY, data, len);
}

void board_ws_cut(struct board_ws *d, const char *text, size_t len,
		  bool close_frame)
{
	static const char going_away[] = { 0x03, (char)0xe9 }; /* 1001 */
	struct buf frame;

	buf_init(&frame, 0);
	if (close_frame) {
		board_ws_frame(&frame, WIRE_FIRST_FRAGMENT, text, len / 2);
		board_ws_frame(&frame, WIRE_FIRST_CLOSE, going_away,
			       sizeof(going_away));
	} else {
		board_ws_frame(&frame, WIRE_FIRST_TEXT, text, len);
		frame.len /= 2;
	}
	if (d->open && !d->mute)
		tcp_write(&d->tcp, frame.data, frame.len);
	buf_done(&frame);
	d->mute = true;
	tcp_finish(&d->tcp);
}

void board_ws_deafen(struct board_ws *d)
{
	d->mute = true;
	tcp_deafen(&d->tcp);
}

bool board_ws_lose(struct board_ws *d)
{
	return tcp_lose(&d->tcp);
}

void board_ws_close(struct board_ws *d)
{
	d->ended = true;
	tcp_close(&d->tcp);
}

static void on_connected(struct tcp *t)
{
	struct board_ws *d = t->owner;

	tcp_write(t, d->handshake.data, d->handshake.len);
	d->request = d->handshake;
	buf_init(&d->handshake, WIRE_HEAD_MAX);
	d->asked = true;
}

static struct span close_words(const char *data, size_t len)
{
	return len > 2 ? (struct span){ data + 2, len - 2 } :
			 (struct span){ "", 0 };
}

static void deliver(struct board_ws *d)
{
	const char *data;
	size_t len;
	int code;

	while (!d->ended && !d->mute) {
		switch (board_ws_next(&d->in, &data, &len, &code)) {
		case WIRE_NONE:
			if (d->in.broken)
				fail(d, WHY_OTHER,
				     "a frame was larger than 16 MB, or a fragment belonged to none");
			return;
		case WIRE_TEXT:
			d->events->text(d->owner, data, len);
			break;
		case WIRE_BINARY:
			d->events->binary(d->owner, data, len);
			break;
		case WIRE_PING:
			if (!d->events->ping || d->events->ping(d->owner))
				send_frame(d, WIRE_FIRST_PONG, data, len);
			break;
		case WIRE_CLOSE:
			/* 1.4: deaf and mute now; TCP stays as it is */
			d->mute = true;
			d->events->peer_close(d->owner, code,
					      close_words(data, len));
			break;
		}
	}
}

#define REFUSAL_MS 500 /* for the words behind a head that is no 101 */

/* Where a redirect leads, which boards do not follow; NULL. Yours. */
static char *location(const char *head)
{
	static const char name[] = "\r\nLocation:";
	const char *at = text_find(head, name);

	return at ? refusal_line(at + sizeof(name) - 1,
				 strcspn(at + 2, "\r") - (sizeof(name) - 3)) :
		    NULL;
}

/* Not 101: the status line, and what a body says. */
static void refused(struct board_ws *d, const char *blank)
{
	const char *text = buf_string(&d->handshake);
	size_t len = strcspn(text, "\r\n");
	CLEANUP(mem_free_ptr)
	char *words = refusal_words(blank + 4, strlen(blank + 4));
	CLEANUP(mem_free_ptr)
	char *line = mem_strndup(text, len < 200 ? len : 200);
	bool more = words && !strstr(line, words);
	int status = board_status(text, len);
	CLEANUP(mem_free_ptr)
	char *to = status / 100 == 3 ? location(text) : NULL;
	CLEANUP(mem_free_ptr)
	char *told = mem_printf("%s%s%s%s%s%s", line, to ? " to '" : "",
				to ? to : "", to ? "'" : "", more ? ": " : "",
				more ? words : "");
	struct error why = { 0 };

	if (status < 0) {
		fail(d, WHY_FOREIGN, told);
		return;
	}
	board_refused(&why, status, told);
	if (to)
		error_reason(&why, WHY_REDIRECT);
	end(d, &why);
	error_reset(&why);
}

/* The body may come in a packet of its own: a moment for that. */
static void maybe_refused(struct board_ws *d, const char *blank)
{
	const char *head = buf_string(&d->handshake);

	if (blank[4] || text_find(head, "Content-Length: 0\r"))
		refused(d, blank);
	else
		tcp_deadline(&d->tcp, REFUSAL_MS);
}

/* False: no whole head came. */
static bool is_refused(struct board_ws *d)
{
	const char *blank =
		d->asked ? strstr(buf_string(&d->handshake), "\r\n\r\n") : NULL;

	if (d->open || !blank)
		return false;
	refused(d, blank);
	return true;
}

static void on_answer(struct board_ws *d, const char *data, size_t len)
{
	size_t before = d->handshake.len, taken;
	const char *blank;

	/* What stands behind the blank line is frames already. */
	taken = len < WIRE_HEAD_MAX - before ? len : WIRE_HEAD_MAX - before;
	buf_add(&d->handshake, data, taken);
	blank = strstr(buf_string(&d->handshake), "\r\n\r\n");
	if (!blank) {
		if (d->handshake.len == WIRE_HEAD_MAX)
			fail(d, WHY_FOREIGN,
			     "the answer is no HTTP, or larger than 16 kB");
		return;
	}
	/* 1.3: this text is all that is looked for */
	if (!strstr(buf_string(&d->handshake), "HTTP/1.1 101")) {
		maybe_refused(d, blank);
		return;
	}
	taken = (size_t)(blank + 4 - d->handshake.data) - before;
	buf_done(&d->handshake);
	tcp_deadline(&d->tcp, 0);
	d->open = true;
	d->events->opened(d->owner);
	buf_done(&d->request);
	board_ws_feed(&d->in, data + taken, len - taken);
	deliver(d);
}

static void on_data(struct tcp *t, const char *data, size_t len)
{
	struct board_ws *d = t->owner;

	if (!d->open) {
		if (d->asked && !d->ended)
			on_answer(d, data, len);
		return;
	}
	if (d->mute)
		return;
	board_ws_feed(&d->in, data, len);
	deliver(d);
}

/* Its first line is proof enough. */
static void foreign(struct board_ws *d)
{
	CLEANUP(mem_free_ptr)
	char *line = refusal_line(buf_string(&d->handshake), d->handshake.len);

	fail(d, WHY_FOREIGN, line ? line : "an empty line came");
}

static void on_ended(struct tcp *t, const struct error *why)
{
	struct board_ws *d = t->owner;

	if (!why && is_refused(d))
		return;
	if (d->open || why)
		end(d, why);
	else if (d->handshake.len && d->asked)
		foreign(d);
	else
		fail(d, WHY_CLOSED, "closed without an answer");
}

static void on_deadline(struct tcp *t)
{
	struct board_ws *d = t->owner;

	if (is_refused(d))
		return;
	fail(d, WHY_SILENT, "no answer to the WebSocket request within 10 s");
}

static void on_closed(struct tcp *t)
{
	struct board_ws *d = t->owner;

	board_ws_reader_done(&d->in);
	buf_done(&d->handshake);
	buf_done(&d->request);
	d->open = false;
	d->events->closed(d->owner);
}

static const struct tcp_events tcp_events = {
	.connected = on_connected,
	.data = on_data,
	.ended = on_ended,
	.deadline = on_deadline,
	.closed = on_closed,
};

void board_ws_open(struct board_ws *d, struct loop *l,
		   const struct board_ws_url *u,
		   const struct board_ws_identity *who,
		   const struct board_ws_events *events, void *owner)
{
	struct tcp_order to = board_ws_url_order(u, l);
	char key[25];

	*d = (struct board_ws){ 0 };
	d->events = events;
	d->owner = owner;
	board_ws_key(key);
	buf_init(&d->handshake, 0);
	board_ws_handshake(&d->handshake, u, who, key);
	to.events = &tcp_events;
	to.owner = d;
	tcp_open(&d->tcp, &to);
}

/* Bytes of the board's own clients; sockets are net/tcp's matter. */

enum { OP_MORE = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9 };

#define FIN 0x80
#define MASKED 0x80

/* What stands before '@' is a password, which a board takes for the port. */
static int bad_port(const struct board_url *u, struct error *err)
{
	const char *at = memrchr(u->port_text, '@', u->port_len);
	const char *text = at ? at : u->port_text;
	size_t len = u->port_len - (size_t)(text - u->port_text);
	bool restarts = u->fault == BOARD_URL_NO_NUMBER;

	error_set(err, restarts ? ERR_UNMET : ERR_USAGE,
		  restarts ? "the port '%s%.*s' is no number" :
			     "the port '%s%.*s' is not one of 1 to 65535",
		  at ? "***" : "", (int)(len < 60 ? len : 60), text);
	return error_hint(
		err,
		"write the address as SCHEME://HOST:PORT/PATH, with an IPv4 address or a name");
}

static int bad_url(const struct board_url *u, const char *text,
		   struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(text);

	if (u->fault == BOARD_URL_NO_SCHEME || u->fault == BOARD_URL_BLANK)
		return error_set(
			err, ERR_USAGE,
			"'%.200s' is no address: SCHEME://HOST:PORT/PATH is expected",
			shown);
	if (u->fault == BOARD_URL_NO_HOST)
		error_set(err, ERR_USAGE, "the host is missing");
	else
		bad_port(u, err);
	return error_prefix(err, "address '%.200s'", shown);
}

int board_ws_url_parse(struct board_ws_url *out, const char *text,
		       struct error *err)
{
	struct board_url u;

	*out = (struct board_ws_url){ 0 };
	if (!board_url_read(&u, text))
		return bad_url(&u, text, err);
	out->host = mem_strndup(u.host, u.host_len);
	out->path = mem_strdup(u.path);
	out->port = u.port;
	out->has_port = u.has_port;
	out->more_port = u.more_port;
	out->tls = u.tls;
	return 0;
}

struct tcp_order board_ws_url_order(const struct board_ws_url *u,
				    struct loop *l)
{
	static const struct tls_trust roots = { .cacert = NULL };
	const struct tls_trust *trust = u->trust ? u->trust : &roots;

	return (struct tcp_order){ .loop = l,
				   .host = u->host,
				   .port = u->port,
				   .trust = u->tls ? trust : NULL };
}

void board_ws_url_done(struct board_ws_url *u)
{
	mem_free(u->host);
	mem_free(u->path);
	*u = (struct board_ws_url){ 0 };
}

int board_status(const char *line, size_t len)
{
	char digits[4] = "";
	int64_t status;

	if (len < 12 || strncmp(line, "HTTP/1.", 7) != 0 || line[8] != ' ')
		return -1;
	memcpy(digits, line + 9, 3);
	return text_integer(digits, 100, 999, &status) ? -1 : (int)status;
}

int board_refused(struct error *err, int status, const char *text)
{
	const bool credentials = status == 401 || status == 403;

	error_set(err, credentials ? ERR_AUTH : ERR_CONNECT, "%s", text);
	error_code(err, status);
	return error_reason(err, WHY_STATUS);
}

int board_token_check(const char *token, struct error *err)
{
	if (!token || header_value_fits(token))
		return 0;
	return error_set(
		err, ERR_PROTOCOL,
		"the token that the backend gives has a control character: it is not sent");
}

void board_ws_key(char key[25])
{
	unsigned char raw[16];
	CLEANUP(buf_done) struct buf text = { 0 };

	random_bytes(raw, sizeof(raw));
	text_base64_encode(&text, raw, sizeof(raw));
	memcpy(key, buf_string(&text), 24);
	key[24] = '\0';
}

void board_ws_handshake(struct buf *out, const struct board_ws_url *u,
			const struct board_ws_identity *who, const char *key)
{
	const char *token = who->token;

	/* Host never has the port; the rest is sorted by bytes. */
	buf_printf(out, "GET %s HTTP/1.1\r\nHost: %s\r\n", u->path, u->host);
	if (token && *token)
		buf_printf(out, "Authorization: %s%s\r\n",
			   strchr(token, ' ') ? "" : "Bearer ", token);
	buf_printf(out,
		   "Client-Id: %s\r\n"
		   "Connection: Upgrade\r\n"
		   "Device-Id: %s\r\n"
		   "Protocol-Version: %d\r\n"
		   "Sec-WebSocket-Key: %s\r\n"
		   "Sec-WebSocket-Version: 13\r\n"
		   "Upgrade: websocket\r\n\r\n",
		   who->client_id, who->device_id, who->frame_version, key);
}

static void add_post(struct buf *out, const struct board_ws_url *u,
		     const char *under, const struct ota_request *about,
		     const struct buf *body)
{
	buf_printf(out, "POST %s%s HTTP/1.1\r\nHost: %s", u->path, under,
		   u->host);
	if (u->has_port)
		buf_printf(out, ":%u", (unsigned)u->port);
	buf_printf(out,
		   "\r\nAccept-Language: %s\r\n"
		   "Activation-Version: %d\r\n"
		   "Client-Id: %s\r\n"
		   "Content-Type: application/json\r\n"
		   "Device-Id: %s\r\n",
		   about->language, *about->serial ? 2 : 1, about->client_id,
		   about->device_id);
	if (*about->serial)
		buf_printf(out, "Serial-Number: %s\r\n", about->serial);
	buf_printf(out,
		   "User-Agent: %s\r\n"
		   "Content-Length: %zu\r\n"
		   "Connection: close\r\n\r\n",
		   about->user_agent, body->len);
	buf_add(out, body->data, body->len);
}

void board_ws_ota_request(struct buf *out, const struct board_ws_url *u,
			  const struct ota_request *about)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	ota_request_encode(&body, about);
	add_post(out, u, "", about, &body);
}

void board_ws_activate_request(struct buf *out, const struct board_ws_url *u,
			       const struct ota_request *about)
{
	const size_t len = strlen(u->path);
	const bool slash = len && u->path[len - 1] == '/';
	CLEANUP(buf_done) struct buf body = { 0 };

	buf_text(&body, "{}");
	add_post(out, u, slash ? "activate" : "/activate", about, &body);
}

static void add_length(struct buf *out, size_t len)
{
	int shift;

	if (len < 126) {
		buf_char(out, (char)(MASKED | len));
		return;
	}
	buf_char(out, (char)(MASKED | (len < 65536 ? 126 : 127)));
	for (shift = len < 65536 ? 8 : 56; shift >= 0; shift -= 8)
		buf_char(out, (char)((uint64_t)len >> shift & 0xff));
}

void board_ws_frame(struct buf *out, enum board_ws_first first,
		    const void *data, size_t len)
{
	unsigned char mask[4];
	size_t from;

	random_bytes(mask, sizeof(mask));
	buf_char(out, (char)first);
	add_length(out, len);
	buf_add(out, mask, sizeof(mask));
	from = out->len;
	buf_add(out, data, len);
	for (size_t i = 0; i < len; i++)
		out->data[from + i] = (char)(out->data[from + i] ^ mask[i % 4]);
}

void board_ws_reader_done(struct board_ws_reader *r)
{
	buf_done(&r->in);
	buf_done(&r->message);
	*r = (struct board_ws_reader){ 0 };
}

void board_ws_feed(struct board_ws_reader *r, const char *data, size_t len)
{
	if (!r->broken)
		buf_add(&r->in, data, len);
}

/* The head of a frame, taken apart. */
struct reader_head {
	unsigned opcode;
	bool fin, masked;
	size_t size; /* of the reader_head */
	uint64_t len;
	unsigned char mask[4];
};

/* False: more bytes are needed. */
static bool read_head(const struct buf *in, struct reader_head *out)
{
	const unsigned char *b = (const unsigned char *)in->data;
	size_t extra;

	if (in->len < 2)
		return false;
	out->fin = b[0] & FIN;
	out->opcode = b[0] & 0x0f;
	out->masked = b[1] & MASKED;
	out->len = b[1] & 0x7f;
	extra = out->len == 126 ? 2 : out->len == 127 ? 8 : 0;
	out->size = 2 + extra + (out->masked ? 4 : 0);
	if (in->len < out->size)
		return false;
	if (extra)
		out->len = 0;
	for (size_t i = 0; i < extra; i++)
		out->len = out->len << 8 | b[2 + i];
	if (out->masked)
		memcpy(out->mask, b + 2 + extra, 4);
	return true;
}

static void unmask(char *data, size_t len, const unsigned char *mask)
{
	for (size_t i = 0; i < len; i++)
		data[i] = (char)(data[i] ^ mask[i % 4]);
}

/* A piece of a fragmented message, kept until its last one. */
static void add_piece(struct board_ws_reader *r, const struct reader_head *h,
		      const char *data)
{
	if (h->opcode != OP_MORE) {
		buf_reset(&r->message);
		r->opcode = h->opcode;
	}
	if (!r->opcode || r->message.len + h->len > WIRE_MESSAGE_MAX)
		r->broken = true;
	else
		buf_add(&r->message, data, (size_t)h->len);
}

static enum board_ws_item take_data(struct board_ws_reader *r,
				    const struct reader_head *h,
				    const char **data, size_t *len)
{
	unsigned opcode = h->opcode;

	if (!h->fin || opcode == OP_MORE) {
		add_piece(r, h, *data);
		if (r->broken || !h->fin)
			return WIRE_NONE;
		*data = buf_string(&r->message);
		*len = r->message.len;
		opcode = r->opcode;
		r->opcode = 0;
	}
	return opcode == OP_TEXT ? WIRE_TEXT : WIRE_BINARY;
}

/* One frame, whose bytes are all there. WIRE_NONE: nothing to tell of it. */
static enum board_ws_item take_frame(struct board_ws_reader *r,
				     const struct reader_head *h,
				     const char **data, size_t *len, int *code)
{
	char *from = r->in.data + h->size;

	*data = from;
	*len = (size_t)h->len;
	*code = 0;
	if (h->masked)
		unmask(from, *len, h->mask);
	if (h->opcode <= OP_BINARY)
		return take_data(r, h, data, len);
	if (h->opcode == OP_CLOSE && *len >= 2)
		*code = (unsigned char)from[0] << 8 | (unsigned char)from[1];
	if (h->opcode == OP_CLOSE)
		return WIRE_CLOSE;
	return h->opcode == OP_PING ? WIRE_PING : WIRE_NONE;
}

enum board_ws_item board_ws_next(struct board_ws_reader *r, const char **data,
				 size_t *len, int *code)
{
	enum board_ws_item item = WIRE_NONE;
	struct reader_head h;

	buf_consume(&r->in, r->used);
	r->used = 0;
	while (!r->broken && item == WIRE_NONE && read_head(&r->in, &h)) {
		if (h.len > WIRE_MESSAGE_MAX) {
			r->broken = true;
			break;
		}
		if (r->in.len < h.size + h.len)
			break;
		item = take_frame(r, &h, data, len, code);
		if (item == WIRE_NONE)
			buf_consume(&r->in, h.size + (size_t)h.len);
		else
			r->used = h.size + (size_t)h.len;
	}
	if (item == WIRE_NONE && !r->in.len)
		buf_done(&r->in); /* many idle devices: keep no memory */
	if (item == WIRE_NONE && !r->opcode)
		buf_done(&r->message);
	return item;
}

/* A list of frames; who takes them, and when, is its owners' matter. */

int frame_queue_add(struct frame_queue *q, const char *text, size_t len,
		    struct error *err)
{
	struct frame *f;

	if (len > TRANSPORT_QUEUE_MAX - q->bytes)
		return error_set(err, ERR_CONNECT,
				 "cannot send: more than %u bytes are waiting",
				 TRANSPORT_QUEUE_MAX);
	f = mem_alloc(sizeof(*f) + len);
	f->next = NULL;
	f->len = len;
	memcpy(f->text, text, len);
	if (q->last)
		q->last->next = f;
	else
		q->first = f;
	q->last = f;
	q->bytes += len;
	return 0;
}

struct frame *frame_queue_take(struct frame_queue *q)
{
	struct frame *f = q->first;

	if (!f)
		return NULL;
	q->first = f->next;
	if (!q->first)
		q->last = NULL;
	q->bytes -= f->len;
	return f;
}

void frame_queue_done(struct frame_queue *q)
{
	struct frame *f;

	while ((f = frame_queue_take(q)) != NULL)
		mem_free(f);
}
