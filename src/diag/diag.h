/* SPDX-License-Identifier: MIT */
/*
 * The engine: frames of one connection in, findings out. A frame comes from
 * the device or from the backend, whoever of the two we are, or if we stand
 * between them. No I/O, no clock but that of the frames, nothing allocated for
 * a frame with which nothing is wrong; at most 2 kB until something is found,
 * and then one finding a code.
 *
 * What is judged is a table of rows: diag/backend_rules.c, diag/device_rules.c.
 */
#ifndef DIAG_DIAG_H
#define DIAG_DIAG_H

#include "base/json_scan.h"
#include "diag/codebook.h"
#include "diag/reach.h"

enum diag_leg {
	LEG_WS,
	LEG_MQTT,
	LEG_HTTP,
	LEG_STDIO,
	LEG_LOCAL, /* the board's own port 8080 (device.md 3.11) */
	LEG_OTA,
	LEG_VISION,
	LEG_UDP,
	LEG_SERIAL /* lines of the board's serial log */
};
#define DIAG_LEGS (LEG_SERIAL + 1)
const char *diag_leg_name(enum diag_leg leg);

enum diag_kind { FRAME_IS_TEXT, FRAME_IS_BINARY };

struct diag_frame {
	int64_t at_us; /* monotonic; of which beginning does not matter */
	enum diag_leg leg;
	enum diag_kind kind;
	bool from_device;
	const char *data; /* lent; no NUL behind it */
	size_t len;
	/*
	 * Where the members of this JSON stand (envelope_scan), from who looked
	 * already; lent. NULL: nobody has.
	 */
	const struct json_places *at;
};

#define PROOF_MAX 120 /* bytes of a frame that are kept */

/* The frame that shows it. */
struct proof {
	uint64_t
		n; /* which one of the connection, from 1; 0: it was no frame */
	int64_t at_us;
	enum diag_leg leg;
	bool from_device;
	size_t size; /* of the whole frame */
	/* As it came, around what is wrong; secrets are stars; no NUL. */
	char text[PROOF_MAX];
	size_t text_len;
	size_t from; /* where in the frame text begins */
	size_t off, len; /* what is wrong, in text; len 0: all of it */
};

struct finding {
	enum diag_code code;
	char *detail; /* the value that was wrong the first time, raw; "" */
	struct proof proof; /* of the first time */
	uint64_t count;
	uint64_t told; /* for who tells: its count then */
	int64_t first_us, last_us;
};
void finding_done(struct finding *f);

/* What is known of the connection beside its frames. */
struct diag_about {
	bool board; /* a board, or who plays one; else any MCP server */
	bool bare; /* JSON-RPC without envelope and hello */
	bool standby; /* MCP needs no hello: MQTT (device.md 2.2), who is dialled */
	bool vision; /* an address of it is known from before */
	int protocol_version; /* Protocol-Version of the dial-in; 0: none */
	bool no_batches; /* the revision that was agreed on has none */
	bool relays; /* ids are not those of who asked: names stand for them */
	struct reach_from
		from; /* not known: whether it reaches an address is not judged */
};

enum asked_method {
	ASKED_OTHER,
	ASKED_INITIALIZE,
	ASKED_LIST,
	ASKED_CALL,
	ASKED_PING
};

#define TOOL_KEPT 26

/* A request of the backend. */
struct diag_asked {
	int64_t at_us, answered_us; /* 0: not */
	int64_t gave_up_us; /* may lie ahead; 0: not */
	int64_t id; /* of a text: its hash */
	uint32_t cursor; /* of a list: its hash; 0: the first page */
	uint8_t method; /* enum asked_method */
	bool id_text:1, id_decimal:1; /* "7"; 7.0 */
	bool unmatched:1; /* its id is none that a reply can have */
	bool silent:1; /* firmware answers none of its kind; or it was cancelled */
	bool told:1; /* that it has no answer */
	bool modern:1; /* asked as of 2026-07-28 */
	char tool
		[TOOL_KEPT]; /* its name, or the method's: as many last parts as fit */
};

/* Habits by which somebody is known (diag/recognise.h). */
struct diag_seen {
	char client[24]; /* clientInfo.name of initialize, cut; "" */
	int64_t first_id;
	uint8_t session_key; /* 1 absent, 2 sessionId, 3 session_id; 0: not seen */
	int8_t error_codes; /* 1: errors have one, -1: they have none */
	bool glyphs, no_version, device_name; /* in the device's hello */
	int frame_ms; /* there too; 0: not told */
};

#define ASKED_KEPT 24

struct diag {
	struct diag_about about;
	/* Each time, lent: count 1 is the first; detail is of this time. NULL. */
	void (*found)(void *owner, const struct finding *f, const char *detail);
	/*
	 * An id that is not remembered: who was asked so all the same, in words;
	 * "": it is no news; NULL: nobody. May be NULL.
	 */
	const char *(*whose)(void *owner, int64_t id);
	void *owner;
	/* For what no frame shows: microseconds, as of frames; NULL: as of the last one. */
	int64_t (*clock)(void);
	int64_t last_us; /* of the last frame */
	struct finding *item; /* one a code, in the order they came; owned */
	size_t count, capacity;
	uint64_t frames;

	/* The engine's own: what this connection has shown. */
	bool server_hello;
	unsigned hellos; /* of the device */
	bool initialized, notified, listed, more_pages, user_tools, vision;
	/* The backend said what has no id, or a batch: a reply may have none. */
	bool asked_oddly, asked_batch;
	uint32_t unasked; /* notifications of the device, of one second */
	int64_t unasked_us; /* … which began then */
	uint32_t requests;
	uint32_t
		settled; /* of them, those from the first on that wait no more */
	/* Of them (from 1; 0: none), one that has no answer; it was seen then. */
	uint32_t overdue;
	int64_t overdue_us;
	int64_t highest; /* of their ids */
	uint32_t to_answer; /* requests of the device */
	struct diag_seen seen;
	struct diag_asked asked[ASKED_KEPT]; /* a ring, by requests */
	bool blurred; /* ids were sent that come back as others */
	int64_t lost_least, lost_most; /* ids that fell out of it */
	char session_id[48], cursor[48], next[48]; /* cut */
	int frame_version; /* of binary frames; 0: not told */
	int64_t listen_us; /* the device's last listen message; 0: none */
	uint32_t pings; /* of the backend, since the last Pong */
	int64_t failed_us; /* a call's last failure; 0: there was none */
	char failed_words[48]; /* what the device said of it, cut */
};

/* A new connection of the same peer: its state is forgotten, findings stay. */
void diag_start(struct diag *d);
void diag_feed(struct diag *d, const struct diag_frame *f);
/*
 * Control frames of a WebSocket: a Ping of the backend, the device's Pong, and a
 * Close of the backend with its code (0: none) and its words.
 */
void diag_ping(struct diag *d);
void diag_pong(struct diag *d);
void diag_close(struct diag *d, int code, struct span words);
/* Who asked waits for the reply to that id until then, and no longer. */
void diag_gave_up(struct diag *d, int64_t id, int64_t at_us);
/* The device has not answered that one yet, and is to: an error at least. */
bool diag_owes(struct diag *d, int64_t id);
bool diag_owes_any(const struct diag *d);
/* How many of the last requests are in `asked`. */
uint32_t diag_kept(const struct diag *d);
/*
 * A text frame of that side was not seen, or not all of it: what waits for an
 * answer may have it, what was asked is not all known.
 */
void diag_missed(struct diag *d, bool from_device);
/* What was begun and left open was left so on purpose: it is not missed. */
void diag_leave(struct diag *d);
/* The connection is over: what never came. */
void diag_end(struct diag *d);
void diag_done(struct diag *d);

/*
 * Something that no frame shows, or that who feeds knows: with its code, the
 * value that is wrong, and the bytes that show it (text NULL: none).
 */
void diag_found(struct diag *d, enum diag_code code, struct span proof,
		const char *format, ...) PRINTF_LIKE(4, 5);

/*
 * The same of an answer that is no message of the conversation: f holds its
 * body, and at is what is wrong in it (text NULL: all of it). diag_answer counts
 * it as a frame of the connection before it is judged.
 */
void diag_answer(struct diag *d);
void diag_found_in(struct diag *d, enum diag_code code,
		   const struct diag_frame *f, struct span at,
		   const char *format, ...) PRINTF_LIKE(5, 6);

/*
 * What another engine found, with its count: takes what it owns, in place of
 * what is known of that code. Returns it.
 */
const struct finding *diag_take(struct diag *d, struct finding *f);

/* How often; 0: never. */
uint64_t diag_count(const struct diag *d, enum diag_code code);
const struct finding *diag_finding(const struct diag *d, enum diag_code code);
/* How many codes of that severity. */
size_t diag_severe(const struct diag *d, enum severity severity);
/* The most severe one's severity; -1: there is no finding. */
int diag_worst(const struct diag *d);

#endif
