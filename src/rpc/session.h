/* SPDX-License-Identifier: MIT */
/*
 * A session opens a transport, waits until its link is up, numbers calls,
 * matches replies, keeps deadlines, and queues everything else as events. It
 * knows nothing of MCP (what it must is in struct session_rules), targets or
 * output.
 *
 * Callbacks only record. The blocking functions run the loop and, between
 * turns, hand queued events to the observer on the main line, where it may
 * print. One connection, one session; reopen by making another.
 */
#ifndef RPC_SESSION_H
#define RPC_SESSION_H

#include "rpc/link.h"

enum event_kind {
	/* from the transport; name is "notice", note who it came from */
	EVENT_NOTICE,
	EVENT_HELLO, /* a device's hello; text is it */
	EVENT_NOTIFICATION, /* JSON-RPC without id; name is the method */
	/* the peer asks; name is the method; see `answered` */
	EVENT_REQUEST,
	EVENT_DEVICE, /* listen, abort, goodbye, iot, …; name is the type */
	/* first binary frame, then one a second; count and bytes so far */
	EVENT_AUDIO,
	/* what came was dropped before anybody could look at it; note says why.
	   Also a finding, for who sees all events: code says which. */
	EVENT_ODD,
	/* session_judged; name is the code, note the detail, text the message */
	EVENT_FINDING,
	EVENT_SERIAL, /* session_serial: a line of a board's serial log */
	EVENT_DROPPED, /* the queue was full: count events were lost */
	EVENT_CLOSED /* the connection ended; note says why */
};

struct event {
	enum event_kind kind;
	enum notice_kind notice; /* EVENT_NOTICE */
	/* EVENT_REQUEST: it is, or will be, answered; false: it was refused */
	bool answered;
	int64_t at; /* ms since the session was opened */
	char *name; /* owned */
	char *text; /* raw text of the message, may be NULL; owned */
	size_t len;
	char *note; /* in words, may be NULL; owned */
	char *file; /* of a notice: where something is kept; NULL; owned */
	/* EVENT_FINDING: what serve found, as JSON; then name is "finding" */
	char *finding; /* NULL; owned */
	const char *code; /* EVENT_ODD that is a finding; NULL; lent */
	uint64_t count, bytes;
};
void event_done(struct event *e);

/*
 * One frame, for -v and --trace. Lent. `text` is as on the wire (tokens are
 * never in frames, only in headers).
 */
struct trace {
	int64_t at_us; /* monotonic, since the session was opened */
	bool outgoing;
	const char *kind; /* "text", "binary", "ready", "closed", "notice" */
	const void *data; /* not NUL-terminated */
	size_t len;
	size_t size; /* of all, where data is its beginning; 0: data is all */
	const char *device; /* which, of many; NULL */
	const char *id; /* its Device-Id; NULL: not known, or not yet */
	uint64_t conn; /* which, of many of that device; 0: it has one */
	const char *leg; /* "ws", "mqtt", "ota", …; NULL: as the target says */
	/* Of "closed": its code is that of a Close or an errno; NULL: not known. */
	const struct error *why;
	struct span head; /* of HTTP: its lines, each with \r\n; text NULL */
	int status; /* of an answer over HTTP; 0 */
};

struct session_observer {
	/* main line; may print */
	void (*event)(void *owner, const struct event *e);
	/* at once; writes to a file only */
	void (*trace)(void *owner, const struct trace *t);
	/*
	 * Main line, before `event`: the peer asks (EVENT_REQUEST, text is the
	 * whole message). True: it is, or will be, answered with session_answer
	 * or session_refuse. False, or NULL: the session refuses it (-32601).
	 * What session_rules.answer answers does not come here.
	 */
	bool (*request)(void *owner, const struct event *e);
	/*
	 * At once: a frame came, or went; before anything is made of it. What is
	 * wrong with it is for who watches to say: the session says nothing. at:
	 * where its members stand (wire/envelope.h); NULL: nobody has looked yet.
	 */
	void (*frame)(void *owner, bool outgoing, enum frame_kind kind,
		      struct span frame, const struct json_places *at);
	/* At once: the transport could not ask with that id, which is no call of
	   this session; for who sends on another's behalf. */
	void (*failed)(void *owner, int64_t id, const struct error *why);
	/* At once: nobody waits for the reply to that id any more. */
	void (*gave_up)(void *owner, int32_t id);
	void *owner;
};

struct call;

/*
 * What the protocol above JSON-RPC lays down, from who knows it (mcp/rules.h).
 * None may wait or send.
 */
struct session_rules {
	/* A request of the peer that is answered at once: with this, JSON text;
	   NULL: it goes to the observer. */
	const char *(*answer)(const char *method);
	/* A notification says that a call goes on: its token, which is the call's
	   id. False: it says something else. */
	bool (*progress)(const struct message *m, struct span *token);
	/* A notification says that the peer ends a call that lasts: its id. */
	bool (*ends)(const struct message *m, struct span *id);
	/* The notification that nobody waits for a call any more: its method, with
	   its params added. NULL: the peer must not be told. */
	const char *(*cancel)(const struct call *c, const char *reason,
			      struct buf *params);
	/* Why a request will never be answered, if that is known; static. */
	const char *(*silence)(enum dialect dialect, const struct call *c,
			       const char *params);
	/* Whether a revision has batches. */
	bool (*batches)(const char *revision);
	/* ms after which an error reply asks to be asked again; 0: it does not. */
	int64_t (*retry_after)(const cJSON *error);
};

struct session_config {
	const struct session_rules *rules; /* static; never NULL */
	enum dialect dialect;
	int64_t timeout; /* ms for a call; 0: 10 s */
	/* ms to get up, restarted by each sign of life; 0: 60 s */
	int64_t wait;
	size_t events_max; /* queued; 0: 4096 */
	bool trace; /* call observer.trace */
	bool any_device; /* one without MCP will do */
	/* Set too by session_wake: for who waits for many. NULL */
	bool *woken;
};

/* Times of the steps, ms since open; -1 if not reached. */
struct session_times {
	int64_t ota, connected, hello, up;
};

#define PROGRESS_TIMES 30

struct session;

/* The transport's ops open `to`; endpoint must live until session_free. */
int session_open(struct session **out, struct loop *l,
		 const struct transport_ops *ops, const struct endpoint *to,
		 const struct session_config *config,
		 const struct session_observer *observer, struct error *err);

/*
 * Wait until up. -1: ERR_CONNECT with the missing step (transport explain,
 * no hello, hello without features.mcp unless any_device), ERR_INTERRUPTED, or why it closed.
 */
int session_wait_up(struct session *s, struct error *err);
/* The same without waiting: 1 up, 0 not yet; time is never over. */
int session_poll_up(const struct session *s, struct error *err);

/*
 * loop_now() ms at which session_wait_up gives up, as things are; for a
 * count-down.
 */
int64_t session_wait_deadline(const struct session *s);

/* Close properly (at most two seconds) and release. NULL is fine. */
void session_free(struct session *s);

/* A notice of who watches the frames: an event like those of the transport. */
void session_notice(struct session *s, const struct notice *n);
/* One that has a text only. */
void session_tell(struct session *s, enum notice_kind kind, const char *format,
		  ...) PRINTF_LIKE(3, 4);

const struct link *session_link(const struct session *s);
const struct session_times *session_times(const struct session *s);
bool session_is_open(const struct session *s);
/* The connection ended, or never came to be: nothing will come any more. */
bool session_is_over(const struct session *s);

/*
 * From now on: ms for a call, ms to get up (0: as in session_config), and
 * whether observer.trace is called.
 */
void session_adjust(struct session *s, int64_t timeout, int64_t wait,
		    bool trace);

/* ms for a call, as they are now. */
int64_t session_timeout(const struct session *s);

/*
 * The dialect of a link that is DIALECT_UNKNOWN was found out by asking
 * (mcp/client). For such a link session_wait_up ends when the transport is
 * ready: nothing can tell before somebody speaks.
 */
void session_settle(struct session *s, enum dialect dialect);

/* The peer, kept from ready; strings NULL where unknown. Lent. */
struct session_peer {
	char *address, *path, *device_id, *client_id, *tls;
	int protocol_version;
	struct headers headers; /* secrets masked */
	bool has_ota;
	struct ota_request ota;
	char *ota_answer; /* where the answer to that sent it; NULL */
	struct peer_kept *kept; /* attach: what serve knows; NULL elsewhere */
	bool standby; /* peer_info.standby: it may not be there at all */
	bool shared; /* peer_info.shared */
	bool held; /* peer_info.held */
	bool unsure; /* peer_info.unsure */
};
const struct session_peer *session_peer(const struct session *s);
/* As they are kept there: copied, with what is secret masked. */
void session_keep_headers(struct headers *out, const struct headers *in);

/*
 * It is one of those, and nothing came of it so far. why (NULL): what the
 * transport knows of that, if anything.
 */
bool session_unheard(struct session *s, struct error *why);
/* Nothing came of whoever it is: no message, and no sound. */
bool session_is_mute(const struct session *s);

/*
 * The last call whose time was over, and what is known of it since: for who
 * finds out why (diag/ladder.h).
 */
struct session_silence {
	int32_t id; /* 0: there was none */
	bool tool; /* a tool was called */
	/* It is known why: it was told (transport_ops.explain, session_rules.silence) */
	bool known;
	int64_t started_us, over_us; /* sent; given up */
	struct layers layers; /* just then */
	int64_t late_us; /* its reply came so long after all; 0: it did not */
};
const struct session_silence *session_silence(const struct session *s);

/*
 * What the connection shows now (transport_ops.layers); and a Ping, whose answer
 * wakes whoever waits, and stands there. -1: none can be sent.
 */
bool session_layers(const struct session *s, struct layers *out);
int session_ping(struct session *s, struct error *err);

/* For what one transport alone can do (attach_ask_tool). Lent. */
struct transport *session_transport(struct session *s);

/*
 * A call in flight: an object of the caller's, filled by the session. Zeroed
 * before its first use; subject may be set before each start. Several
 * may be in flight. After `done`, failure.kind is ERR_NONE and reply is a
 * result, or failure says why not (ERR_PEER: reply is the error, if it was
 * JSON).
 */
struct call {
	bool done;
	int32_t id;
	int64_t started_us, ended_us;
	/*
	 * loop_now() ms. Progress (session_rules) starts the time anew, up to
	 * PROGRESS_TIMES timeouts in all.
	 */
	int64_t deadline;
	int64_t latest; /* where that ends */
	int64_t timeout; /* ms */
	unsigned progress; /* how many of those came */
	/* subject: the tool, for messages; may be NULL; both owned */
	char *method, *subject;
	/* Of a raw one: the token that its reply has as id, where that is no whole
	   number; NULL; owned. */
	char *token;
	const char *silence; /* session_rules.silence */
	struct message reply; /* owned */
	char *broken; /* the reply's raw text when its JSON is broken; owned */
	struct error failure;
	/* It is as long as its peer likes: no time is over for it. */
	bool lasts;
	char *first; /* of one that lasts: its first notification; NULL; owned */
	/* Only to find out whether somebody is there: a late reply is no news. */
	bool probe;
	struct call *next; /* the session's list */
};
/* A device message; see link_wrap_device. */
int session_send_device(struct session *s, const char *json, struct error *err);

/* Clocks stand still now (session_hold). */
bool session_is_held(const struct session *s);

/*
 * Hand events to the observer until deadline (loop_now() ms), or *stop is
 * true (may be NULL): 0. -1: the connection ended (why it did, or ERR_CONNECT
 * "connection closed" if the peer closed properly), or ERR_INTERRUPTED. What
 * sets *stop is the observer, or the session (a call's done, the link's up);
 * anything else in the loop calls session_wake after it.
 */
int session_watch(struct session *s, const bool *stop, int64_t deadline,
		  struct error *err);

/*
 * One round of it: events go to the observer, then one turn of the loop, until
 * anything came. For a main line that waits for more than one thing.
 */
int session_step(struct session *s, const bool *stop, int64_t deadline,
		 struct error *err);

/*
 * The same for who waits for many sessions, and for config.woken: no turn of
 * the loop, but also what is due by the clock. Returns the loop_now() ms at
 * which to come again at the latest.
 */
int64_t session_tend(struct session *s);

/*
 * An Opus packet for a board, at that ms of what is said. -1: not connected
 * (ERR_CONNECT), or this way takes no sound (ERR_USAGE).
 */
int session_send_sound(struct session *s, uint32_t timestamp,
		       const void *packet, size_t len, struct error *err);

/*
 * Answers to what the peer asked; id is the raw JSON token of its request,
 * result JSON text.
 */
int session_answer(struct session *s, const char *id, const char *result,
		   struct error *err);
int session_refuse(struct session *s, const char *id, int code,
		   const char *message, struct error *err);

/*
 * The revision that was agreed on, for transports that repeat it
 * (transport_ops.negotiated). From now on batches are read only if it has them
 * (session_rules); before, and if this is never called, always. "": none was
 * told. speaks: the peer may say something by itself.
 */
void session_negotiated(struct session *s, const char *revision, bool speaks);

/*
 * Each request stands alone (transport_ops.alone): the revision that they
 * carry; the peer may ask nothing, what it asks all the same is an odd message
 * and is not answered. NULL: no more.
 */
void session_alone(struct session *s, const char *revision);
/* The transport takes headers with a request (transport_ops.send_with). */
bool session_takes_headers(const struct session *s);

/*
 * Names for codes that mean something to this peer only, used in the words of
 * its errors from now on; NULL: the standard ones alone. Static.
 */
void session_name_codes(struct session *s, const char *(*name)(int code));

/* Let the function that waits for this session look at its condition again. */
void session_wake(struct session *s);

/*
 * Whoever watches found something, in that frame (text NULL: in none): told with
 * the other events.
 */
void session_judged(struct session *s, const char *code, const char *detail,
		    struct span frame);
/*
 * A board's serial log was read beside the session: a line (text NULL: none),
 * and what is to be said of it (NULL); what is wrong there, as JSON
 * (diag/finding.h). Told with the other events.
 */
void session_serial(struct session *s, const char *name, struct span line,
		    const char *note);
void session_serial_found(struct session *s, const char *finding);
/* Whether batches are read, as things are (session_negotiated). */
bool session_reads_batches(const struct session *s);

/* Hand what is queued to the observer, without waiting. */
void session_drain(struct session *s);

/*
 * Before the end: hand on what the peer said before its last answer, where
 * that may come behind it (transport_ops.lingers). Waits at most 1 s.
 */
void session_linger(struct session *s);

#endif
