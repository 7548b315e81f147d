/* SPDX-License-Identifier: MIT */
/*
 * Boards that are, or soon will be, silent at a broker that runs elsewhere: in
 * standby they say nothing (device.md 2.2), and nobody tells who is there. So
 * each that asked OTA, or was known, is asked until it answers, which it does
 * as a device that joins.
 */
#include <string.h>

#include "base/mem.h"
#include "mcp/initialize.h"
#include "serve/board.h"
#include "serve/mqtt_boards_private.h"
#include "serve/relay.h"
#include "wire/envelope.h"
#include "wire/jsonrpc.h"

#define EXPECTED_MAX 4096
/* A board comes some seconds after its question; or it does not at all. */
#define FIRST_MS 1000
#define MOST_MS 30000
#define TRIES 24

struct expected {
	char *client_id, *device_id; /* device_id: NULL */
	int64_t due; /* loop_now() ms */
	unsigned tries;
	struct expected *next;
};

static void forget(struct mqtt_boards *r, struct expected **at)
{
	struct expected *e = *at;

	*at = e->next;
	r->expecting--;
	mem_free(e->client_id);
	mem_free(e->device_id);
	mem_free(e);
}

static void start_timer(struct mqtt_boards *r)
{
	int64_t now = loop_now(), soonest = INT64_MAX;

	for (const struct expected *e = r->expected; e; e = e->next) {
		if (e->due < soonest)
			soonest = e->due;
	}
	if (r->expected)
		timer_start(&r->timer, soonest > now ? soonest - now : 0);
	else
		timer_stop(&r->timer);
}

/* Nothing of it changes a board; whatever the answer is, it is one. */
static void ask(struct mqtt_boards *r, const struct expected *e)
{
	CLEANUP(buf_done) struct buf params = { 0 }, payload = { 0 };
	CLEANUP(buf_done) struct buf frame = { 0 };
	const struct mqtt_joined who = { .client_id = e->client_id,
					 .device_id = e->device_id };

	initialize_params(&params, true, NULL, NULL);
	jsonrpc_request(&payload, relay_probe_id(), "initialize",
			buf_string(&params));
	envelope_encode(&frame, "", payload.data, payload.len);
	/* While the broker is away it cannot be; there is a next time. */
	r->mqtt->ask(r->hub, &who, frame.data, frame.len, NULL);
}

static int64_t pause_after(unsigned tries)
{
	return tries < 5 ? (int64_t)FIRST_MS << tries : MOST_MS;
}

void mqtt_boards_expect_turn(void *owner)
{
	struct mqtt_boards *r = owner;
	int64_t now = loop_now();
	struct expected **at = &r->expected;

	while (*at) {
		struct expected *e = *at;

		if (e->due > now) {
			at = &e->next;
			continue;
		}
		ask(r, e);
		e->due = now + pause_after(e->tries);
		if (++e->tries >= TRIES)
			forget(r, at);
		else
			at = &e->next;
	}
	start_timer(r);
}

static struct expected **find(struct mqtt_boards *r, const char *client_id)
{
	struct expected **at = &r->expected;

	while (*at && strcmp((*at)->client_id, client_id) != 0)
		at = &(*at)->next;
	return at;
}

void mqtt_boards_expect(struct mqtt_boards *r, const char *client_id,
			const char *device_id)
{
	struct expected **at = find(r, client_id), *e = *at;

	if (r->broker || r->closing || !*client_id)
		return;
	if (!e && r->expecting >= EXPECTED_MAX)
		return;
	if (!e) {
		e = mem_zalloc(sizeof(*e));
		e->client_id = mem_strdup(client_id);
		e->device_id = mem_strdup(device_id);
		*at = e;
		r->expecting++;
	}
	e->tries = 0;
	e->due = loop_now() + FIRST_MS;
	start_timer(r);
}

void mqtt_boards_expect_done(struct mqtt_boards *r, const char *client_id)
{
	struct expected **at = find(r, client_id);

	if (*at)
		forget(r, at);
}

void mqtt_boards_expect_none(struct mqtt_boards *r)
{
	while (r->expected)
		forget(r, &r->expected);
}
