/* SPDX-License-Identifier: MIT */
/*
 * What goes out: frames and answers to the peer, and the queue up to the main
 * line.
 */
#ifndef RPC_SESSION_EVENTS_H
#define RPC_SESSION_EVENTS_H

#include "rpc/session_state.h"

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

/*
 * Each copies; the pointer is valid until the next event, NULL if the queue is
 * full.
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
