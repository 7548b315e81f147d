/* SPDX-License-Identifier: MIT */
/*
 * The board's WebSocket connection: opened as the firmware opens it, cut as it
 * cuts it, silent when the peer says Close. Knows no JSON and no device.
 */
#ifndef SIM_BOARD_WS_H
#define SIM_BOARD_WS_H

#include "base/buf.h"
#include "base/error.h"
#include "net/tcp.h"
#include "wire/ota.h"

#define WIRE_HEAD_MAX 16384
#define WIRE_MESSAGE_MAX \
	(16u << 20) /* ours: the board has what memory is free */

/* An address as the board reads it; parts are owned. */
struct board_ws_url {
	char *host, *path; /* path with its query */
	uint16_t port;
	bool has_port; /* another one than the scheme's own */
	bool more_port; /* text behind the port's number, which is not read */
	bool tls;
	const struct tls_trust
		*trust; /* lent, by who dials; NULL: the system's */
};
/* What to connect to, as tcp_open wants it; u must outlive its use. */
struct tcp_order board_ws_url_order(const struct board_ws_url *u,
				    struct loop *l);
/*
 * -1: why the board gets nowhere, in words: ERR_UNMET where it restarts (a port
 * that begins with no number), else ERR_USAGE. A query without a path is lost.
 */
int board_ws_url_parse(struct board_ws_url *out, const char *text,
		       struct error *err);
void board_ws_url_done(struct board_ws_url *u);

/* Of the first line of an HTTP answer; -1: it is none. */
int board_status(const char *line, size_t len);
/* Another status than was hoped for: text tells it. Returns -1. */
int board_refused(struct error *err, int status, const char *text);

struct board_ws_identity {
	const char *device_id, *client_id;
	const char *token; /* NULL or "": no Authorization */
	int frame_version;
};
/*
 * A backend's token goes into a line of a head, and makes no more lines of it.
 * -1 (ERR_PROTOCOL): it would. NULL is fine.
 */
int board_token_check(const char *token, struct error *err);
/* key: 24 letters. */
void board_ws_handshake(struct buf *out, const struct board_ws_url *u,
			const struct board_ws_identity *who, const char *key);
/* A random Sec-WebSocket-Key. */
void board_ws_key(char key[25]);

/* The OTA question: head and body. */
void board_ws_ota_request(struct buf *out, const struct board_ws_url *u,
			  const struct ota_request *about);

/*
 * The question behind an answer with a challenge (device.md 5.3), of a board
 * without a serial number in its chip, to u/activate.
 */
void board_ws_activate_request(struct buf *out, const struct board_ws_url *u,
			       const struct ota_request *about);

/* The first byte of a frame: final or not, and its opcode. */
enum board_ws_first {
	WIRE_FIRST_FRAGMENT = 0x01, /* of a text; the board never sends one */
	WIRE_FIRST_TEXT = 0x81,
	WIRE_FIRST_BINARY = 0x82,
	WIRE_FIRST_CLOSE = 0x88, /* the board never sends one */
	WIRE_FIRST_PONG = 0x8a
};
/* A frame as the board sends it: masked. */
void board_ws_frame(struct buf *out, enum board_ws_first first,
		    const void *data, size_t len);

/* Frames as they come in, from any slices. */
struct board_ws_reader {
	struct buf in; /* bytes of an unfinished frame */
	struct buf message; /* fragments so far */
	size_t used; /* bytes of `in` that the last item lent */
	unsigned opcode; /* of the fragments: 1 or 2; 0: none */
	bool broken; /* too large: nothing is read any more */
};
enum board_ws_item { WIRE_NONE, WIRE_TEXT, WIRE_BINARY, WIRE_PING, WIRE_CLOSE };
void board_ws_reader_done(struct board_ws_reader *r);
/* Add received bytes. */
void board_ws_feed(struct board_ws_reader *r, const char *data, size_t len);
/*
 * The next complete item: text, binary, ping (data is what to answer) or
 * close; WIRE_NONE when more bytes are needed. data is lent until the next
 * call. code: of a close, 0 if it has none.
 */
enum board_ws_item board_ws_next(struct board_ws_reader *r, const char **data,
				 size_t *len, int *code);

struct board_ws;

/* From the loop only; data is lent. */
struct board_ws_events {
	void (*opened)(void *owner);
	void (*text)(void *owner, const char *text, size_t len);
	void (*binary)(void *owner, const void *data, size_t len);
	/* words: behind the code, as they came */
	void (*peer_close)(void *owner, int code, struct span words);
	/* A Ping came. False: it gets no Pong. NULL: it always does. */
	bool (*ping)(void *owner);
	/*
	 * It failed or is over: why, with a reason of net/why.h (NULL: the
	 * peer closed TCP). Call board_ws_close then.
	 */
	void (*ended)(void *owner, const struct error *why);
	/* After board_ws_close: the struct may be used again or released. */
	void (*closed)(void *owner);
};

struct board_ws {
	struct tcp tcp;
	struct board_ws_reader in;
	struct buf handshake; /* to send; then the answer's head */
	struct buf request; /* what was sent of it, until it is answered */
	const struct board_ws_events *events;
	void *owner;
	bool asked, open, ended, mute;
};

/* Starts to connect. u and who are needed only during the call. */
void board_ws_open(struct board_ws *d, struct loop *l,
		   const struct board_ws_url *u,
		   const struct board_ws_identity *who,
		   const struct board_ws_events *events, void *owner);
void board_ws_text(struct board_ws *d, const char *text, size_t len);
/* The peer does not take what was written. */
bool board_ws_is_full(const struct board_ws *d);
void board_ws_binary(struct board_ws *d, const void *data, size_t len);
/*
 * Half of a text, then TCP ends: in the middle of a frame, or with a fragment
 * and a Close frame.
 */
void board_ws_cut(struct board_ws *d, const char *text, size_t len,
		  bool close_frame);
/* Nothing that comes is read any more, and nothing sent. */
void board_ws_deafen(struct board_ws *d);
/*
 * From now on the kernel drops what comes, and acknowledges none of it; what is
 * sent still goes out. False: this kernel lets nobody but root drop packets.
 */
bool board_ws_lose(struct board_ws *d);
/* Ends TCP without a Close frame, as the board does. Again is fine. */
void board_ws_close(struct board_ws *d);

struct frame {
	struct frame *next;
	size_t len;
	char text[];
};

struct frame_queue { /* zeroed at first */
	struct frame *first, *last;
	size_t bytes;
};

/* Copies. -1 (ERR_CONNECT): TRANSPORT_QUEUE_MAX bytes would be passed. */
int frame_queue_add(struct frame_queue *q, const char *text, size_t len,
		    struct error *err);
/* The first one, yours (mem_free); NULL: there is none. */
struct frame *frame_queue_take(struct frame_queue *q);
void frame_queue_done(struct frame_queue *q);

#endif
