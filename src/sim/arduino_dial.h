/* SPDX-License-Identifier: MIT */
/* How a sketch with that library (sim/arduino.h) gets to its access point. */
#ifndef SIM_ARDUINO_DIAL_H
#define SIM_ARDUINO_DIAL_H

#include "base/loop.h"
#include "sim/service.h"

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
