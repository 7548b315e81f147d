/* SPDX-License-Identifier: MIT */
/*
 * Requests on their way to devices, whoever asked. Each gets an id of its own,
 * unique over all devices; the reply finds its asker by it and gets the
 * asker's id back.
 */
#ifndef SERVE_RELAY_H
#define SERVE_RELAY_H

#include "base/error.h"
#include "base/json.h"
#include "base/map.h"
#include "wire/jsonrpc.h"

struct board;
struct serve;

struct relay {
	/*
	 * From the loop, exactly once, unless relay_forget came before. frame: the
	 * device's text frame, as received but with the asker's id in the payload
	 * (may be broken JSON: firmware writes some); NULL: why says what ended
	 * it (device gone, time over). The relay is free to be reused then.
	 */
	void (*done)(void *owner, struct relay *r, const char *frame,
		     size_t len, const struct error *why);
	void *owner;
	/*
	 * ms after which no answer counts as none for the device's breaker,
	 * although it is waited for; 0: the timeout alone.
	 */
	int64_t patience;
	/*
	 * Who is told of a reply that comes once more, or late; compared only
	 * (relay_leave). NULL: nobody by it.
	 */
	const void *whose;
	bool counts; /* a call of a tool: its answer is one of board_calls */
	/* The reply has the names of pictures still (serve/photos.h). */
	bool pictures;
	/*
	 * Within the payload of relay_send, that of params._meta.progressToken: our
	 * id goes in its place, too (relay_progress). text NULL: it stays.
	 */
	struct span token;

	/* serve/relay.c's own */
	struct board *device; /* NULL: not on its way */
	int32_t id;
	char *asker_id; /* the raw JSON token; owned */
	char *asker_token; /* the same of its progress; owned; NULL */
	int64_t started_us;
	int64_t deadline; /* loop_now() ms; LOOP_FOREVER */
	int64_t silent_at; /* the same; LOOP_FOREVER: it counted */
	struct relay *next_of_device, **link_of_device;
};

/* A request that is over, kept for a reply that comes after all. */
struct past_relay {
	int32_t id;
	/* compared only; NULL: gone */
	const void *device, *whose;
	char *asker_id; /* the asker's raw token; owned; NULL */
};

/* All of a serve; zeroed at first. */
struct relay_table {
	struct map by_id;
	int32_t first, last; /* ids given out so far */
	int32_t probe; /* 0: not given out */
	struct past_relay *past; /* a ring, made room for at the first */
	size_t past_next;
};

/*
 * Send payload (a JSON-RPC request: valid JSON text with the member "id", whose
 * raw token is at `id` within it) to the device in its dialect, with an id of
 * ours in place of it. timeout ms, 0: none of ours. -1: not sent (the device's
 * queue is full, its connection is closing); done does not come.
 */
int relay_send(struct relay *r, struct board *d, struct span payload,
	       struct span id, int64_t timeout, struct error *err);

/*
 * A request made here; done's frame has id null. params JSON text or NULL; who
 * asks is added where the revision wants it.
 */
int relay_request(struct relay *r, struct board *d, const char *method,
		  const char *params, int64_t timeout, struct error *err);

/* Its reply will count as unknown. Nothing happens if it is not on its way. */
void relay_forget(struct relay *r);

/*
 * For board.c: a reply with this id, which stands there in the frame, came from
 * d. An id that is a text stays one. False: nobody waits.
 */
bool relay_answer(struct board *d, int64_t id, struct span frame,
		  struct span id_text);
/*
 * Who asked d by that id and wants to hear of its progress (struct relay:
 * whose), and the raw token that they gave, lent. NULL: nobody does.
 */
const void *relay_progress(const struct board *d, int64_t id,
			   const char **token);
/* That one has failed: nothing is to come. */
void relay_failed(struct board *d, int64_t id, const struct error *why);
/* All of a device that goes. */
void relay_fail_all(struct board *d, const struct error *why);
/* End all that are over time. Returns the soonest deadline that is left, or LOOP_FOREVER. */
int64_t relay_sweep(struct relay_table *t, int64_t now);
/* Nothing is on its way any more. */
void relay_done(struct relay_table *t);
/*
 * An id for questions that only find out whether somebody is there: an answer
 * to it belongs to nobody, and is no news.
 */
int32_t relay_probe_id(struct relay_table *t);
bool relay_is_probe(const struct relay_table *t, int64_t id);
/* Whether an id was given out here: then an answer that nobody waits for is late. */
bool relay_issued(const struct relay_table *t, int64_t id);
/* It waits for an answer, which another device cannot give. */
bool relay_is_on_its_way(const struct relay_table *t, int64_t id);
/*
 * Who asked d by that id (struct relay: whose), also if that is over, and the raw
 * token that they gave, lent. NULL: it is not known (any more), or nobody's.
 */
const void *relay_asker(const struct board *d, int64_t id,
			const char **asker_id);
/* d was asked by that id, as far as that is known. */
bool relay_asked(const struct board *d, int64_t id);
/* Who asked (struct relay: whose), or a device, is no more. */
void relay_leave(struct relay_table *t, const void *who);
/*
 * Append the frame with the token `to` in place of the id, which is within it;
 * as a text where the id is one.
 */
void relay_restore_id(struct buf *out, struct span frame, struct span id,
		      const char *to);

#endif
