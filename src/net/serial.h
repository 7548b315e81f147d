/* SPDX-License-Identifier: MIT */
/*
 * The serial port of a board, read along: 8N1, raw, nothing is ever written.
 * The board is not reset by it. Linux raises DTR and RTS when a tty is opened,
 * before anybody can ask it not to; both together leave a board with the usual
 * two transistors alone, and so does taking both back in one request, which is
 * done at once. Closing leaves them as they are (no HUPCL).
 *
 * A port that goes (unplugged) is told once, tried again, and told when it is
 * back. It is opened by file_open, so that it comes back behind fences, too,
 * if serial_keep named it to the spawner before.
 */
#ifndef NET_SERIAL_H
#define NET_SERIAL_H

#include "base/json.h"
#include "base/loop.h"
#include "base/split.h"

#define SERIAL_RATE 115200

struct serial_place { /* "[ALIAS=]DEVICE[@BAUD]" */
	char *alias; /* NULL: none was given */
	char *device; /* a path */
	unsigned rate; /* bits a second */
	bool reset; /* the board, when it is opened; not read from the text */
};
/* -1 (ERR_USAGE): what is wrong with which part. */
int serial_place_read(struct serial_place *out, const char *text,
		      struct error *err);
void serial_place_done(struct serial_place *p);

/* All devices of this machine that may be one, added: /dev/ttyUSB0, … */
void serial_devices(struct words *out);
/* Before the spawner is sealed: it may be opened again later. */
void serial_keep(const struct serial_place *p);

enum serial_news { SERIAL_GONE, SERIAL_BACK };

/* From the loop. Lines are lent. */
struct serial_events {
	/* Cleaned (wire/serial_line.h); over: bytes of it that were left out. */
	void (*line)(void *owner, struct span line, size_t over);
	/* why: in words, NULL where there is nothing to say. */
	void (*news)(void *owner, enum serial_news what, const char *why);
};

struct serial;

/*
 * place is lent until the end; reset in it: RTS is pulsed for 100 ms, as esptool does
 * it. -1 (ERR_CONNECT; ERR_USAGE: it is no tty): not there, no permission and
 * whose it would be, in use and by whom, a rate that it does not have, no line
 * to reset by.
 */
int serial_open(struct serial **out, struct loop *l,
		const struct serial_place *place,
		const struct serial_events *events, void *owner,
		struct error *err);
/* No event any more. NULL is fine. */
void serial_close(struct serial *s);

#endif
