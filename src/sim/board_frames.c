/* SPDX-License-Identifier: MIT */
/* Bytes of the board's own clients; sockets are sim/tcp's matter. */
#include "sim/board_frames.h"

#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"

enum { OP_MORE = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9 };

#define FIN 0x80
#define MASKED 0x80

static int no_port(const char *text, size_t len, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "the port '%.*s' is no number from 1 to 65535: a real device "
		  "restarts over and over",
		  (int)(len < 60 ? len : 60), text);
	return error_hint(err, "write the address as SCHEME://HOST:PORT/PATH, "
			       "with an IPv4 address or a name");
}

static int parse_port(struct board_ws_url *out, const char *text, size_t len,
		      struct error *err)
{
	char digits[8] = "";
	int64_t port;

	if (len < sizeof(digits))
		memcpy(digits, text, len);
	if (text_integer(digits, 1, 65535, &port))
		return no_port(text, len, err);
	out->has_port = port != out->port;
	out->port = (uint16_t)port;
	return 0;
}

/* Neither header lines nor the request line may be broken by an address. */
static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return false;
	}
	return true;
}

/*
 * 1.2: the first ':' behind "://" is taken for the port's, wherever it is; the
 * port ends at the next '/'. Without a '/' there is no path and no query.
 */
static int parse_rest(struct board_ws_url *out, const char *rest,
		      struct error *err)
{
	const char *slash = strchr(rest, '/');
	const char *colon = strchr(rest, ':');
	size_t host = slash ? (size_t)(slash - rest) : strcspn(rest, "?");

	out->path = mem_strdup(slash ? slash : "/");
	if (colon && slash && colon > slash)
		return no_port(colon + 1, strlen(colon + 1), err);
	if (colon) {
		host = (size_t)(colon - rest);
		if (parse_port(out, colon + 1, strcspn(colon + 1, "/?"), err))
			return -1;
	}
	if (!host)
		return error_set(err, ERR_USAGE, "the host is missing");
	out->host = mem_strndup(rest, host);
	return 0;
}

int board_ws_url_parse(struct board_ws_url *out, const char *text,
		       struct error *err)
{
	const char *rest = strstr(text, "://");
	int bad;

	memset(out, 0, sizeof(*out));
	if (!rest || !is_plain(text))
		return error_set(err, ERR_USAGE,
				 "'%.200s' is no address: SCHEME://HOST:PORT"
				 "/PATH is expected",
				 text);
	out->tls = text_starts(text, "wss://") || text_starts(text, "https://");
	out->port = out->tls ? 443 : 80;
	bad = parse_rest(out, rest + 3, err);
	if (!bad)
		return 0;
	board_ws_url_done(out);
	return error_prefix(err, "address '%.200s'", text);
}

void board_ws_url_done(struct board_ws_url *u)
{
	mem_free(u->host);
	mem_free(u->path);
	memset(u, 0, sizeof(*u));
}

void board_ws_key(char key[25])
{
	unsigned char raw[16];
	struct buf text;

	random_bytes(raw, sizeof(raw));
	buf_init(&text, 0);
	text_base64_encode(&text, raw, sizeof(raw));
	memcpy(key, buf_string(&text), 24);
	key[24] = '\0';
	buf_done(&text);
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

void board_ws_ota_request(struct buf *out, const struct board_ws_url *u,
			  const struct ota_request *about)
{
	struct buf body;

	buf_init(&body, 0);
	ota_request_encode(&body, about);
	buf_printf(out, "POST %s HTTP/1.1\r\nHost: %s", u->path, u->host);
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
		   about->user_agent, body.len);
	buf_add(out, body.data, body.len);
	buf_done(&body);
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
	size_t from, i;

	random_bytes(mask, sizeof(mask));
	buf_char(out, (char)first);
	add_length(out, len);
	buf_add(out, mask, sizeof(mask));
	from = out->len;
	buf_add(out, data, len);
	for (i = 0; i < len; i++)
		out->data[from + i] = (char)(out->data[from + i] ^ mask[i % 4]);
}

void board_ws_reader_done(struct board_ws_reader *r)
{
	buf_done(&r->in);
	buf_done(&r->message);
	memset(r, 0, sizeof(*r));
}

void board_ws_feed(struct board_ws_reader *r, const char *data, size_t len)
{
	if (!r->broken)
		buf_add(&r->in, data, len);
}

/* The head of a frame, taken apart. */
struct head {
	unsigned opcode;
	bool fin, masked;
	size_t size; /* of the head */
	uint64_t len;
	unsigned char mask[4];
};

/* False: more bytes are needed. */
static bool read_head(const struct buf *in, struct head *out)
{
	const unsigned char *b = (const unsigned char *)in->data;
	size_t extra, i;

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
	for (i = 0; i < extra; i++)
		out->len = out->len << 8 | b[2 + i];
	if (out->masked)
		memcpy(out->mask, b + 2 + extra, 4);
	return true;
}

static void unmask(char *data, size_t len, const unsigned char *mask)
{
	size_t i;

	for (i = 0; i < len; i++)
		data[i] = (char)(data[i] ^ mask[i % 4]);
}

/* A piece of a fragmented message, kept until its last one. */
static void add_piece(struct board_ws_reader *r, const struct head *h,
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
				    const struct head *h, const char **data,
				    size_t *len)
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
				     const struct head *h, const char **data,
				     size_t *len, int *code)
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
	struct head h;

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
