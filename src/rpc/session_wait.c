/* SPDX-License-Identifier: MIT */
/*
 * The functions of the main line that run the loop for a session, and the
 * words for what they waited for in vain. The only place that waits, but for
 * the end in session_free.
 */
#include "rpc/session_state.h"

int session_turn(struct session *s, int64_t deadline, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t next = session_next_deadline(s);
	int status;

	s->wake = false;
	status = loop_wait(s->loop, &s->wake, next < deadline ? next : deadline,
			   &why);
	session_expire_calls(s);
	if (!status || why.kind == ERR_TIMEOUT)
		return 0;
	error_copy(err, &why);
	return -1;
}

/* Connected to something that never said hello. */
static int explain_no_hello(const struct session *s, struct error *err)
{
	error_set(err, ERR_CONNECT, "'%s' is connected, but no hello came",
		  s->peer.address ? s->peer.address : "the peer");
	return error_hint(err, "xiaozhi firmware says hello at once: is this "
			       "such a device? A plain MCP server needs "
			       "--envelope plain");
}

static int explain_not_up(struct session *s, struct error *err)
{
	const struct transport_ops *ops = s->transport.ops;
	const char *target = s->to && s->to->text ? s->to->text : ops->scheme;

	if (s->open)
		return explain_no_hello(s, err);
	if (ops->explain) {
		CLEANUP(error_reset) struct error why = { 0 };

		ops->explain(&s->transport, &why);
		if (why.kind != ERR_NONE) {
			error_copy(err, &why);
			return -1;
		}
	}
	error_set(err, ERR_CONNECT, "no answer from '%s'", target);
	return error_hint(err, "is it running, and can this machine reach it?");
}

static int check_ended(const struct session *s, struct error *err)
{
	if (s->why.kind != ERR_NONE)
		return session_closed_error(s, err);
	error_set(err, ERR_CONNECT, "%s",
		  s->times.connected < 0 ?
			  "the connection was closed before it was ready" :
			  "the connection was closed before a hello came");
	return error_hint(err, "try again with -v to see every frame");
}

static int check_features(const struct session *s, struct error *err)
{
	const struct link *l = &s->link;

	if (!l->has_hello || l->hello.mcp)
		return 0;
	error_set(err, ERR_CONNECT,
		  "the device offers no MCP: its hello has "
		  "no features.mcp");
	return error_hint(err, "MCP needs firmware 1.6.6 or later, built with "
			       "the MCP protocol");
}

int session_poll_up(const struct session *s, struct error *err)
{
	if (check_features(s, err))
		return -1;
	if (s->ended)
		return check_ended(s, err);
	return session_is_usable(s) ? 1 : 0;
}

int session_wait_up(struct session *s, struct error *err)
{
	s->wait_deadline = loop_now() + s->config.wait;
	for (;;) {
		session_drain(s);
		int up = session_poll_up(s, err);
		if (up)
			return up > 0 ? 0 : -1;
		if (loop_now() >= s->wait_deadline)
			return explain_not_up(s, err);
		if (session_turn(s, s->wait_deadline, err))
			return -1;
	}
}

/* 1: go on, 0: enough. */
static int watch_round(struct session *s, const bool *stop, int64_t deadline,
		       struct error *err)
{
	session_deliver(s, stop);
	if (stop && *stop)
		return 0;
	if (s->ended)
		return session_closed_error(s, err);
	if (loop_now() >= deadline)
		return 0;
	return session_turn(s, deadline, err) ? -1 : 1;
}

int session_step(struct session *s, const bool *stop, int64_t deadline,
		 struct error *err)
{
	return watch_round(s, stop, deadline, err) < 0 ? -1 : 0;
}

int session_watch(struct session *s, const bool *stop, int64_t deadline,
		  struct error *err)
{
	int more;

	do {
		more = watch_round(s, stop, deadline, err);
	} while (more > 0);
	return more;
}
