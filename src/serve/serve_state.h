/* SPDX-License-Identifier: MIT */
/*
 * The inside of serve, for its own folder only.
 */
#ifndef SERVE_SERVE_STATE_H
#define SERVE_SERVE_STATE_H

#include "net/port.h"
#include "serve/aliases.h"
#include "serve/registry.h"
#include "serve/relay.h"
#include "serve/serve.h"
#include "serve/tokens.h"
#include "serve/tool_lists.h"

struct control; /* serve/control.h */
struct door; /* serve/door.h: all listening ports */
struct mqtt_boards; /* serve/mqtt_boards.h: broker, hub, audio */

struct serve {
	struct loop *loop;
	struct serve_config config; /* defaults filled in */
	struct budget *budget; /* of strangers, at all ports */
	int64_t opened_us; /* loop_now_us() */
	struct records records;
	bool wake; /* what serve_wait waits for */
	bool stopping, closing;
	bool abandoned; /* not all of it ended in time: the last device frees it */
	struct registry registry;
	struct relay_table relays; /* requests on their way to devices */
	uint64_t came; /* devices that connected since the start */
	size_t held; /* devices in memory: those too that were replaced */
	struct seldom crowded;
	struct seldom
		held_much; /* strangers' messages that were not finished */
	size_t sockets; /* of those, over WebSocket */
	size_t sockets_max; /* by the limit of open files; 0: not shared out yet */
	size_t room; /* descriptors that the ports may take, devices included; 0 as above */
	/*
	 * Only so many lists are read at once, since a list on its way is held
	 * as trees: those that are, and those that wait for their turn.
	 */
	unsigned listing;
	bool giving_turns;
	struct board *turn_first, *turn_last;
	size_t held_most; /* since memory was given back */
	bool trim; /* memory is to be given back when it is quiet */
	struct tool_lists bank;
	struct tokens tokens;
	struct aliases aliases;
	struct enrolled enrolled;
	int64_t enroll_from; /* Unix ms: since when boards may enrol */
	int64_t enroll_until; /* loop_now() ms */
	struct door *door;
	struct mqtt_boards *rack; /* NULL without MQTT */
	struct control *control;
	struct timer
		sweep; /* runs, once a second, only while something has a deadline */
	bool track_ready;
	struct words ready; /* ids; a failed one with '!' in front */
	size_t ready_taken; /* of those, by serve_next_ready */
};

/* serve.c: the sweep is needed (again), within a second: something with a deadline began. */
void serve_need_sweep(struct serve *s);
/* The same, not later than that deadline (loop_now() ms). */
void serve_sweep_by(struct serve *s, int64_t deadline);
/* A device became ready, or will not: for serve_next_ready. */
void serve_device_settled(struct serve *s, struct board *d);

/* ---- serve.c: the limit of open files ---- */
/* Somebody lost its place, or got none: told once in 10 s; the record's count is of all since the last. */
void serve_crowded(struct serve *s, const char *id, const char *address,
		   const char *text);

/* One with nothing open yet. */
struct serve *serve_new(struct loop *l, const struct serve_config *config);
/* A device was freed. */
void serve_device_freed(struct serve *s);

#endif
