/* SPDX-License-Identifier: MIT */
/* A TCP connection becomes the board's WebSocket: handshake, then frames. */
#include "sim/board_ws.h"

#include <string.h>

#include "base/mem.h"

#define DIAL_FULL (1u << 20) /* bytes that wait for the peer */

static void end(struct board_ws *d, const char *why)
{
	if (d->ended)
		return;
	d->ended = true;
	d->events->ended(d->owner, why);
}

static void send_frame(struct board_ws *d, enum board_ws_first first,
		       const void *data, size_t len)
{
	struct buf frame;

	if (!d->open || d->mute)
		return;
	buf_init(&frame, 0);
	board_ws_frame(&frame, first, data, len);
	tcp_write(&d->tcp, frame.data, frame.len);
	buf_done(&frame);
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

void board_ws_close(struct board_ws *d)
{
	d->ended = true;
	tcp_close(&d->tcp);
}

static void on_connected(struct tcp *t)
{
	struct board_ws *d = t->owner;

	tcp_write(t, d->handshake.data, d->handshake.len);
	buf_done(&d->handshake);
	buf_init(&d->handshake, WIRE_HEAD_MAX);
	d->asked = true;
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
				end(d, "a frame was larger than 16 MB, or "
				       "a fragment belonged to none");
			return;
		case WIRE_TEXT:
			d->events->text(d->owner, data, len);
			break;
		case WIRE_BINARY:
			d->events->binary(d->owner, len);
			break;
		case WIRE_PING:
			send_frame(d, WIRE_FIRST_PONG, data, len);
			break;
		case WIRE_CLOSE:
			/* 1.4: deaf and mute now; TCP stays as it is */
			d->mute = true;
			d->events->peer_close(d->owner, code);
			break;
		}
	}
}

/* Not 101: the status line, and what a body says in the same packet. */
static void refused(struct board_ws *d, const char *blank)
{
	const char *text = buf_string(&d->handshake);
	size_t line = strcspn(text, "\r\n");
	const char *body = blank ? blank + 4 : "";
	CLEANUP(mem_free_ptr)
	char *why = mem_printf("%.*s%s%.200s", (int)(line < 200 ? line : 200),
			       text, *body ? ": " : "", body);

	end(d, why);
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
			end(d, "the answer is no HTTP, or larger than 16 kB");
		return;
	}
	/* 1.3: this text is all that is looked for */
	if (!strstr(buf_string(&d->handshake), "HTTP/1.1 101")) {
		refused(d, blank);
		return;
	}
	taken = (size_t)(blank + 4 - d->handshake.data) - before;
	buf_done(&d->handshake);
	tcp_deadline(&d->tcp, 0);
	d->open = true;
	d->events->opened(d->owner);
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

static void on_ended(struct tcp *t, const char *why)
{
	struct board_ws *d = t->owner;

	if (!d->open && !why)
		why = d->handshake.len && d->asked ? buf_string(&d->handshake) :
						     "closed without an answer";
	end(d, why);
}

static void on_deadline(struct tcp *t)
{
	struct board_ws *d = t->owner;

	end(d, d->asked ? "no answer to the WebSocket request within 10 s" :
			  "not connected within 10 s");
}

static void on_closed(struct tcp *t)
{
	struct board_ws *d = t->owner;

	board_ws_reader_done(&d->in);
	buf_done(&d->handshake);
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
	char key[25];

	memset(d, 0, sizeof(*d));
	d->events = events;
	d->owner = owner;
	board_ws_key(key);
	buf_init(&d->handshake, 0);
	board_ws_handshake(&d->handshake, u, who, key);
	tcp_open(&d->tcp, l, u->host, u->port, &tcp_events, d);
	tcp_deadline(&d->tcp, DIAL_TIMEOUT_MS);
}
