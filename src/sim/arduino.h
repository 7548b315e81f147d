/* SPDX-License-Identifier: MIT */
/*
 * A sketch with the Arduino library toddpan/xiaozhi-esp32-mcp: it dials an access
 * point, says nothing, and waits to be asked (backends.md 3). As the library:
 * requests are read into 1 KiB, results made in 2 KiB, ids printed without quotes,
 * those of calls as whole numbers; what it does not know it does not answer.
 * Its tools are those of a profile (sim/service.h).
 */
#ifndef SIM_ARDUINO_H
#define SIM_ARDUINO_H

#include "sim/service.h"

struct arduino;

struct arduino_events {
	/* A frame to send. */
	void (*text)(void *owner, const char *text, size_t len);
	/* What happened, in a line. */
	void (*line)(void *owner, const char *text);
};

/* The service must outlive it. */
struct arduino *arduino_new(struct service *s,
			    const struct arduino_events *events, void *owner);
void arduino_free(struct arduino *a); /* NULL is fine */
/* A frame came. */
void arduino_hear(struct arduino *a, const char *text, size_t len);

struct arduino_order {
	struct loop *loop;
	const char *connect; /* ws[s]://…, a secret */
	const char *cacert; /* NULL */
	bool insecure;
	bool reconnect; /* as the library does, 500 ms after the end */
	int64_t run_for; /* ms; 0: until the connection is over, or Ctrl-C */
	/* What happened; frames, for -v (NULL: nobody looks). */
	void (*line)(void *owner, const char *text);
	void (*frame)(void *owner, bool outgoing, const char *text, size_t len);
	void *owner;
};
/*
 * -1: ERR_USAGE, the address; ERR_CONNECT, it could not be reached, or the
 * connection broke; ERR_AUTH, it was refused; ERR_INTERRUPTED.
 */
int arduino_run(struct service *s, const struct arduino_order *o,
		struct error *err);

#endif
