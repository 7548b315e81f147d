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

#endif
