/* SPDX-License-Identifier: MIT */
/*
 * The inside of a session, for its own files only. session.c (opening, what
 * comes in, waiting, closing) stands on session_calls.c, and both on
 * session_events.c (what goes out: to the peer, to the observer).
 */
#ifndef RPC_SESSION_STATE_H
#define RPC_SESSION_STATE_H

#include "rpc/session.h"

struct event_queue {
	struct event *item;
	size_t first, count, capacity; /* item[first .. first + count) wait */
	size_t bytes; /* of their texts */
	uint64_t dropped;
	uint64_t unshown; /* lines of a child's stderr, likewise */
};

struct heard {
	int64_t at; /* loop_now() ms of the last frame */
	bool audio; /* it was binary */
	uint64_t messages;
};

struct session {
	struct transport transport;
	struct loop *loop;
	const struct endpoint *to;
	struct session_config config; /* without zeroes */
	struct session_observer observer;
	struct link link;
	struct session_times times;
	struct session_peer peer;
	int64_t opened_us;
	bool open; /* between ready and closed */
	bool ended; /* closed came */
	bool closing; /* we are on the way out: only closed counts */
	bool abandoned; /* session_free did not wait longer: closed releases */
	bool wake; /* ends the present turn of the loop */
	int64_t wait_deadline;
	/* loop_now() ms: until then a peer may still say which dialect it speaks */
	int64_t ask_at;
	struct error why; /* of closed */
	struct heard heard;
	/* the words of the last frame, if it was a refusal; a peer's; NULL */
	char *said;
	struct call *calls;
	int32_t next_id;
	bool pieces; /* what is sent next goes in several frames */
	const struct headers *headers; /* … goes with these; lent; NULL */
	bool alone; /* session_alone */
	bool shared; /* peer_info.shared */
	bool told; /* serve has said what is wrong with what comes next */
	struct session_silence silence;
	int32_t probe; /* its late reply is no news (call.probe) */
	struct event_queue events;
	int64_t audio_told; /* loop_now() of the last EVENT_AUDIO */
	char revision[32]; /* "" until it is negotiated */
	const char *(*code_name)(int code);
	unsigned holds; /* session_hold */
	int64_t held_at; /* loop_now() of the first of them */
};

/*
 * Something can be asked now: an unknown dialect is as up as it can be before
 * somebody speaks.
 */
static inline bool session_is_usable(const struct session *s)
{
	return s->open && (s->link.up || (s->link.dialect == DIALECT_UNKNOWN &&
					  loop_now() >= s->ask_at));
}

/* session_events.c */
/* A payload as a frame of the dialect. */
int session_send(struct session *s, const struct buf *payload,
		 struct error *err);
/* The same of jsonrpc_request_noted. */
int session_send_noted(struct session *s, const struct buf *payload,
		       const struct span member[MESSAGE_MEMBERS],
		       struct error *err);
/* at: of the frame, as session_observer.frame has it; NULL. */
int session_transmit(struct session *s, const struct buf *frame,
		     const struct json_places *at, struct error *err);
/* Why it ended. Always -1. */
int session_closed_error(const struct session *s, struct error *err);
/* For struct link_events: it is answered, refused, or waits for the observer. */
void session_take_request(void *owner, const struct message *m);

/* session_calls.c, for struct link_events */
void session_take_reply(void *owner, struct message *m);
void session_take_broken(void *owner, struct span frame,
			 const struct error *problem,
			 const struct salvage *salvage);

/* session_calls.c */
struct call *session_find_call(const struct session *s, int64_t id);
/* c->failure or c->reply says how; answered: also by something broken. */
void session_end_call(struct session *s, struct call *c, bool answered);
void session_call_failed(struct session *s, int64_t id,
			 const struct error *why);
void session_fail_calls(struct session *s);
/* "METHOD SUBJECT"; yours. */
char *call_label(const struct call *c);
/*
 * One turn of the loop, until woken, the deadline, or the first call's time is
 * over.
 */
int session_turn(struct session *s, int64_t deadline, struct error *err);
/* LOOP_FOREVER if nothing is in flight, or the clocks stand still. */
int64_t session_next_deadline(const struct session *s);
/* A notification may say that a call goes on: its time starts anew. */
void session_progress(struct session *s, const struct message *m);

/*
 * session_events.c: each copies; the pointer is valid until the next event,
 * NULL if the queue is full
 */
struct event *session_event(struct session *s, enum event_kind kind,
			    const char *name, const void *text, size_t len);
void session_odd(struct session *s, const void *text, size_t len,
		 const char *format, ...) PRINTF_LIKE(4, 5);
void session_deliver(struct session *s, const bool *stop);
void session_drop_events(struct session *s);
/* To who watches frames; over a relayed link serve does. */
void session_pass(struct session *s, bool outgoing, enum frame_kind kind,
		  struct span frame, const struct json_places *at);
/* We end it. */
void session_trace_close(struct session *s);
/* A line of the peer's serial log, text NULL: note. */
void session_trace_serial(struct session *s, const char *name, struct span line,
			  const char *note);
void session_trace(struct session *s, bool outgoing, const char *kind,
		   const void *data, size_t len);

#endif
