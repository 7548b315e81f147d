/* SPDX-License-Identifier: MIT */
/*
 * The inside of serve, for its own folder only.
 */
#ifndef SERVE_SERVER_STATE_H
#define SERVE_SERVER_STATE_H

#include "net/port_parts.h"
#include "serve/aliases.h"
#include "serve/enrolled.h"
#include "serve/registry.h"
#include "serve/server.h"
#include "serve/tokens.h"
#include "serve/toolbank.h"

struct control; /* serve/control.h */
struct door; /* serve/door.h: all listening ports */
struct rack; /* serve/rack.h: broker, hub, audio */

struct server {
	struct loop *loop;
	struct serve_config config; /* defaults filled in */
	struct budget *budget; /* of strangers, at all ports */
	int64_t opened_us; /* loop_now_us() */
	struct records records;
	bool wake; /* what server_wait waits for */
	bool stopping, closing;
	bool abandoned; /* not all of it ended in time: the last device frees it */
	struct registry registry;
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
	struct device *turn_first, *turn_last;
	size_t held_most; /* since memory was given back */
	bool trim; /* memory is to be given back when it is quiet */
	struct toolbank bank;
	struct tokens tokens;
	struct aliases aliases;
	struct enrolled enrolled;
	int64_t enroll_from; /* Unix ms: since when boards may enrol */
	int64_t enroll_until; /* loop_now() ms */
	struct door *door;
	struct rack *rack; /* NULL without MQTT */
	struct control *control;
	struct timer
		sweep; /* runs, once a second, only while something has a deadline */
	bool track_ready;
	struct words ready; /* ids; a failed one with '!' in front */
	char *ready_lent;
};

/* server.c: the sweep is needed (again), within a second: something with a deadline began. */
void server_need_sweep(struct server *s);
/* The same, not later than that deadline (loop_now() ms). */
void server_sweep_by(struct server *s, int64_t deadline);
/* A device became ready, or will not: for server_next_ready. */
void server_device_settled(struct server *s, struct device *d);
/* ---- server_files.c: the limit of open files ---- */

/* Raise it as far as so many devices need. How many fit. */
int64_t server_files_devices(int64_t devices);
/* Before anything is opened. -1 (ERR_CONNECT): there are too few. */
int server_files_check(const struct serve_config *c, struct error *err);
/* When all is open: what is left is shared out. -1 as above. */
int server_files_share(struct server *s, struct error *err);
/* Somebody lost its place, or got none: told once in 10 s; the record's count is of all since the last. */
void server_crowded(struct server *s, const char *id, const char *address,
		    const char *text);

/* One with nothing open yet. */
struct server *server_new(struct loop *l, const struct serve_config *config);
/* A device was freed. */
void server_device_freed(struct server *s);

#endif
