/* SPDX-License-Identifier: MIT */
/*
 * The way to a peer: who it is, and how fast each of its layers answers
 * (diag/ladder.h), of TIMES round trips.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/parts.h"
#include "cli/round_trip.h"

#define TIMES 10

struct pace {
	int64_t loop_us[TIMES];
	int64_t tcp_us, ws_us; /* of the last one; -1: there is none */
	bool silent; /* Ping is not answered */
	unsigned count, asked;
	const char *loop; /* "main loop" */
};

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Until one is not answered: the questions behind it tell why. */
static int measure(struct connection *c, struct pace *p, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct ping_record one;

	while (p->count < TIMES && !p->silent && why.kind == ERR_NONE) {
		p->asked++;
		if (round_trip(c, &one, &why))
			break;
		p->loop_us[p->count++] = one.took_us;
		p->tcp_us = one.tcp_us;
		p->ws_us = one.ws_us;
		p->silent = one.ws_silent;
	}
	qsort(p->loop_us, p->count, sizeof(*p->loop_us), compare);
	if (why.kind != ERR_INTERRUPTED)
		return 0;
	error_copy(err, &why);
	return -1;
}

static void add(struct buf *out, const char *name, int64_t us)
{
	char time[TEXT_ROOM];

	if (us < 0)
		return;
	buf_printf(out, "%s%s %s", out->len ? ", " : "", name,
		   text_microseconds(us, time, sizeof(time)));
}

static void put_words(struct buf *out, const struct pace *p)
{
	add(out, "tcp", p->tcp_us);
	add(out, "ws pong", p->ws_us);
	if (p->silent)
		buf_printf(out, "%sws silent", out->len ? ", " : "");
	if (!p->count) {
		buf_printf(out, "%s%s silent", out->len ? ", " : "", p->loop);
		return;
	}
	add(out, p->loop, p->loop_us[(p->count - 1) / 2]);
	if (p->count > 1) {
		char time[TEXT_ROOM];

		buf_printf(out, " (p99 %s of %u)",
			   text_microseconds(p->loop_us[p->count - 1], time,
					     sizeof(time)),
			   p->count);
	}
}

static void tell(struct checkup *k, const char *words)
{
	const struct session *s = k->in->connection->session;
	const struct session_peer *peer = session_peer(s);
	const struct session_times *times = session_times(s);
	char took[TEXT_ROOM];

	text_milliseconds(times->connected > 0 ? times->connected : 0, took,
			  sizeof(took));
	k->peer = mem_printf("%s%s%s", peer->device_id ? peer->device_id : "",
			     peer->device_id ? " at " : "",
			     peer->address ? peer->address : "here");
	check_stage(k, "way", STAGE_OK, "%s, connected after %s%s%s", k->peer,
		    took, *words ? "; " : "", words);
}

int stage_way(struct checkup *k, struct error *err)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	struct connection *c = k->in->connection;
	struct pace p = { .tcp_us = -1,
			  .ws_us = -1,
			  .loop = c->client.device ? "main loop" : "mcp" };
	int status = 0;

	if (k->options->risk >= RISK_ASK) {
		check_progress(k, "ping");
		status = measure(c, &p, err);
		check_dares(k, RISK_ASK, p.asked);
		put_words(&words, &p);
	}
	tell(k, buf_string(&words));
	return status;
}
