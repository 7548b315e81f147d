/* SPDX-License-Identifier: MIT */
#include "cli/round_trip.h"

#include <stdio.h>

#include "base/text.h"

#define PONG_MS 1000 /* that a Pong may be slower than the request */

/* The Pong may come behind the answer. -1: the user, or the end. */
static int await_pong(struct session *s, struct layers *now, struct error *err)
{
	const int64_t deadline = loop_now() + PONG_MS;

	session_layers(s, now);
	while (now->pong_us < 0 && loop_now() < deadline) {
		if (session_step(s, NULL, deadline, err))
			return -1;
		session_layers(s, now);
	}
	return 0;
}

static void tell_silent(struct connection *c, const struct ping_record *p)
{
	char proof[80], time[TEXT_ROOM];
	const int len =
		snprintf(proof, sizeof(proof),
			 "loop answers after %s; ws silent for %d s more",
			 text_microseconds(p->took_us, time, sizeof(time)),
			 PONG_MS / 1000);

	diag_found(&c->diag, D138, (struct span){ proof, (size_t)len },
		   "no Pong within %d s behind another answer", PONG_MS / 1000);
}

int round_trip(struct connection *c, struct ping_record *out, struct error *err)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct layers now = { .pong_us = -1 };
	bool pinged = session_ping(c->session, &ignored) == 0;
	int status;

	*out = (struct ping_record){ .device = c->client.device,
				     .tcp_us = -1,
				     .ws_us = -1 };
	c->probing = true;
	status = client_ping(&c->client, &out->took_us, &out->was_error, err);
	c->probing = false;
	if (status)
		return -1;
	if (pinged && await_pong(c->session, &now, err))
		return -1;
	if (!pinged)
		session_layers(c->session, &now);
	/* A broker's tells nothing of who is behind it. */
	if (now.tcp && !now.broker && now.rtt_us > 0)
		out->tcp_us = now.rtt_us;
	if (pinged && now.ping) {
		out->ws_us = now.pong_us;
		out->ws_silent = now.pong_us < 0;
	}
	if (out->ws_silent)
		tell_silent(c, out);
	return 0;
}
