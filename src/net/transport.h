/* SPDX-License-Identifier: MIT */
/*
 * A transport delivers whole messages, text or binary, between this program
 * and one peer. It does not know JSON, MCP, ids or output.
 *
 * The contract (tests/unit/test_transport.c runs every transport through it):
 *  1. Whole messages; framing is its private matter.
 *  2. No event from inside open, send or close; events come from the loop only.
 *  3. send copies or queues; the text is the caller's again on return. The
 *     queue has a ceiling (TRANSPORT_QUEUE_MAX); full is an error.
 *  4. message lends its data until it returns.
 *  5. closed comes exactly once after a successful open, also after close.
 *     After it, nothing; impl is NULL then and open may be called again.
 *  6. close may be called at any time, also before ready; twice is fine.
 *  7. No output.
 */
#ifndef NET_TRANSPORT_H
#define NET_TRANSPORT_H

#include "base/loop.h"
#include "net/budget.h"
#include "net/endpoint.h"
#include "net/layers.h"
#include "wire/audio.h"
#include "wire/ota.h"

#define TRANSPORT_QUEUE_MAX (16u << 20) /* bytes waiting to be sent */
#define TRANSPORT_MESSAGE_MAX \
	(16u << 20) /* bytes of one message received, unless endpoint says */

enum frame_kind { FRAME_TEXT, FRAME_BINARY };

/* The link of a device that a running serve hands on (net/attach.h). */
struct relay_info {
	const char *hello; /* its message; NULL: none came */
	size_t hello_len;
	unsigned hellos; /* so many came */
	bool mqtt; /* there each voice session begins with one */
	const char *session_id; /* "" if none */
	int frame_version;
};

/* What serve knows of that device besides, for those above the session. */
struct peer_kept {
	const char *initialize; /* the whole reply; NULL: not done */
	size_t initialize_len;
	const char *id; /* what names it: Device-Id, else client id */
	const char *device; /* the object of wire/control_frames.h, JSON text */
};

/* The peer as the transport saw it; lent during ready. */
struct peer_info {
	const char *address; /* "192.168.1.7:51234", "sim:esp32", … */
	const struct headers *
		headers; /* of its request or answer; NULL if the transport has none */
	const char *path; /* of its request, with the query; NULL */
	const char *device_id, *client_id; /* header or query string; NULL */
	int protocol_version; /* Protocol-Version; 0 if not sent */
	const char *tls; /* "TLSv1.3", NULL for plain */
	const struct ota_request
		*ota; /* what the same device told when it asked OTA; NULL */
	const char *ota_answer; /* where that answer sent it; NULL */
	bool envelope; /* it dialled in: the device dialect is certain */
	bool held; /* a server that serve keeps open, for others too */
	bool plain; /* it is no device, whatever was expected: JSON-RPC, no hello */
	/*
	 * It dialled in and did not say as what: no Device-Id. A board says hello
	 * at once; who says nothing may be a tool side, an MCP server that waits to
	 * be asked (backends.md 3).
	 */
	bool unsure;
	bool at_point; /* … by the path of an access point: it may be asked at once */
	/* MCP is answered without a hello (device.md 2.2): the link is up at once */
	bool standby;
	/* replies to what others asked come too: ids must not meet theirs */
	bool shared;
	/*
	 * For the server hello over MQTT; NULL. Lent until closed: the key is
	 * another one after each hello that was sent.
	 */
	const struct udp_offer *udp;
	/* attach: only; NULL */
	const struct relay_info *relay;
	const struct peer_kept *kept;
};

/* Something worth a line for the user while waiting or serving. A listener has most of them. */
enum notice_kind {
	NOTICE_LISTENING, /* text: the addresses, one line each (the OTA address first) */
	NOTICE_OTA, /* a device asked OTA and was answered */
	NOTICE_BROWSER, /* something opened the page */
	NOTICE_TLS, /* a TLS greeting on a plain port */
	NOTICE_NOISE, /* bytes that are no HTTP, or a head never finished */
	NOTICE_PATH, /* a WebSocket for another path, or a wrong HTTP path */
	NOTICE_TOKEN, /* refused: token */
	NOTICE_REFUSED, /* refused: a device is being served, no Device-Id, … */
	NOTICE_INSECURE, /* TLS is not verified */
	NOTICE_LOST, /* messages of the peer: count */
	NOTICE_PICTURE, /* the peer sent one to us, and was answered: file */
	NOTICE_UTTERANCE, /* what it said was kept, or was not: file */
	NOTICE_CHILD, /* stdio: a line of its stderr; worth showing with -v only */
	/* the transport goes on by itself: a stream is taken up again, the older
	   HTTP+SSE is used; worth showing with -v only */
	NOTICE_DETAIL,
	NOTICE_OTHER
};
struct notice {
	enum notice_kind kind;
	const char *text; /* one or more lines, without a final newline; lent */
	const char *address; /* who; NULL */
	uint64_t count; /* NOTICE_LOST */
	const char *
		file; /* NOTICE_PICTURE, _UTTERANCE: where it is kept; NULL: nowhere */
};

struct transport_events {
	void (*ready)(void *owner, const struct peer_info *peer);
	void (*message)(void *owner, enum frame_kind kind, const void *data,
			size_t len);
	/* one request, not the connection; id 0: something that came, and was dropped */
	void (*failed)(void *owner, int64_t id, const struct error *why);
	/*
	 * Answers cannot come for now, since a token is got, for which the user
	 * may be asked; and can again (false). May be NULL.
	 */
	void (*held)(void *owner, bool held);
	/*
	 * Who stands between found something in what the peer said: its object
	 * (diag/finding.h), and the message that shows it, or NULL. May be NULL.
	 */
	void (*found)(void *owner, struct span finding, const char *message);
	/*
	 * Who stands between reads the peer's serial log, too: a line (text NULL:
	 * none), or what is told of the port (note NULL: nothing). May be NULL.
	 */
	void (*serial)(void *owner, const char *name, struct span line,
		       const char *note);
	void (*closed)(
		void *owner, const struct
		error *why); /* kind ERR_NONE: we closed, or the peer did properly */
	void (*notice)(void *owner, const struct notice *n); /* may be NULL */
	/* may be NULL: what `ping` asked is answered, see `layers` */
	void (*pong)(void *owner);
};

struct camera; /* net/camera.h */
struct transport;

struct transport_ops {
	const char *scheme;
	int close_code; /* of the Close that `close` sends; 0: it sends none */
	int (*open)(struct transport *t, const struct endpoint *to,
		    struct error *err);
	int (*send)(struct transport *t, const char *text, size_t len,
		    struct error *err); /* a text frame */
	/*
	 * As send, with headers for this one message, which go before those of
	 * the target; lent until return. NULL: this way has none.
	 */
	int (*send_with)(struct transport *t, const char *text, size_t len,
			 const struct headers *extra, struct error *err);
	void (*close)(struct transport *t);
	/*
	 * Why it is not ready yet: set err (ERR_CONNECT) to the first missing
	 * step and its cure. NULL: there is nothing to say. Listeners have it,
	 * and what is ready before its peer was heard of (peer_info.standby, a
	 * child process, HTTP): then also why nobody answers.
	 */
	int (*explain)(struct transport *t, struct error *err);
	/*
	 * What initialize settled and the transport must repeat: the revision
	 * ("2025-06-18"; "": none was told); and whether the peer may say
	 * something by itself, as far as its capabilities tell. Called once
	 * after each initialize. NULL: nothing is repeated.
	 */
	void (*negotiated)(struct transport *t, const char *revision,
			   bool speaks);
	/*
	 * From now on each request stands alone (MCP from 2026-07-28 on): there
	 * is no session, no stream beside it, and `forget` tells the peer that
	 * nobody waits; or, false, no more. NULL: that makes no difference here.
	 */
	void (*alone)(struct transport *t, bool alone);
	/*
	 * What a peer said before it answered may come behind the answer, by
	 * another connection: ms until that is not to be expected any more, 0
	 * at once. NULL: all comes in order.
	 */
	int64_t (*lingers)(const struct transport *t);
	/*
	 * What takes the pictures of the peer, lent until closed; from ready on.
	 * NULL: nothing of ours.
	 */
	struct camera *(*camera)(const struct transport *t);
	/*
	 * Nobody waits for the answer to that request any more: what was opened
	 * for it alone may be closed. NULL: nothing was.
	 */
	void (*forget)(struct transport *t, int64_t id);
	/*
	 * What the connection shows now; nothing is sent for it. id: of the
	 * request that is asked about, where each has a connection (HTTP). False,
	 * or NULL: it shows nothing (*out is zeroed, but for pong_us -1).
	 */
	bool (*layers)(const struct transport *t, int64_t id,
		       struct layers *out);
	/*
	 * Send a WebSocket Ping, or, through serve, have it look at its own
	 * connection and send one: events->pong, and then `layers`. Another one
	 * takes the place of one that is open. -1: it cannot be sent. NULL: this
	 * way has none.
	 */
	int (*ping)(struct transport *t, struct error *err);
	/*
	 * As send, in several frames of a WebSocket (RFC 6455 5.4); -1 too where
	 * others wait to be sent. NULL: this way has no frames.
	 */
	int (*send_pieces)(struct transport *t, const char *text, size_t len,
			   struct error *err);
	/*
	 * One packet of sound for a board: over WebSocket a binary frame, with the
	 * head that its version has; else bare Opus (rpc/link). -1 too where it
	 * can come to nobody: over MQTT before the board sent one (device.md 2.4).
	 * NULL: this way takes none.
	 */
	int (*send_sound)(struct transport *t, const void *data, size_t len,
			  struct error *err);
};

/* Filled by the owner (loop, events, owner) before open; ops and impl by whoever opens. */
struct transport {
	const struct transport_ops *ops;
	struct loop *loop;
	const struct transport_events *events;
	void *owner;
	/*
	 * What it holds of messages that have not come whole counts there; more
	 * than that gets ends it (WebSocket). Of the owner; NULL: it is not counted.
	 */
	struct share *share;
	/*
	 * Nothing more is sent while more than that waits, beside the ceiling
	 * for all (WebSocket); 0: that one alone.
	 */
	size_t waits_max;
	const char *peer; /* "the client", for texts; NULL: by who dialled */
	/*
	 * Of the owner: what the Close says that `close` sends, at most 123 bytes of
	 * UTF-8; static. NULL: nothing. Of accepted WebSockets.
	 */
	const char *last_words;
	void *impl; /* the transport's own state; NULL while closed */
};

#endif
