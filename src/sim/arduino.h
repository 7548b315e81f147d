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

#endif
