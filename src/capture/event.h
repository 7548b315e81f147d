/* SPDX-License-Identifier: MIT */
/*
 * One event of a capture: what passed between a device side and a backend side,
 * whoever recorded it. The form on disk is in mcpctl-capture(5).
 */
#ifndef CAPTURE_EVENT_H
#define CAPTURE_EVENT_H

#include "base/json_scan.h"
#include "diag/diag.h"

enum capture_kind {
	CAPTURED_OTHER, /* of a newer version: skipped by who does not know it */
	CAPTURED_OPEN, /* a connection begins; head: its request, if it has one */
	CAPTURED_REQUEST, /* HTTP: head and body */
	CAPTURED_RESPONSE, /* HTTP: status, head, body */
	CAPTURED_TEXT,
	CAPTURED_BINARY, /* counted; its bytes only where audio is kept */
	CAPTURED_PING,
	CAPTURED_PONG,
	CAPTURED_PACKET, /* UDP, or an MQTT packet that is no PUBLISH */
	CAPTURED_LINE, /* of a serial log */
	CAPTURED_END, /* the connection is over */
	CAPTURED_FINDING,
	CAPTURED_DEVICE, /* who conn is: device, board, version */
	CAPTURED_LOST, /* count events were not written */
	CAPTURED_NOTICE /* what the recorder says: "ready", "closed", … */
};

/* In the file: "open", "request", …; NULL of CAPTURED_OTHER. */
const char *capture_kind_name(enum capture_kind kind);

enum event_from { FROM_NOBODY, FROM_DEVICE, FROM_BACKEND };

enum event_end {
	ENDED_OTHER,
	ENDED_FIN,
	ENDED_RST,
	ENDED_TIMEOUT,
	ENDED_CLOSE
};
/* "fin", …; NULL of ENDED_OTHER. */
const char *event_end_name(enum event_end how);

/* What a string of the file, with its quotes, names; false: nothing known. */
bool capture_kind_read(struct span string, enum capture_kind *out);
bool event_end_read(struct span string, enum event_end *out);
bool event_leg_read(struct span string, enum diag_leg *out);

#define CAPTURE_VERSION 1
#define CAPTURE_DATA_MAX (64u << 10) /* bytes of one event that are kept */

/* All lent: to the writer for the call, by the reader until the next event. */
struct capture_event {
	uint64_t n; /* which one in the file, from 1; the writer counts */
	int64_t at_us; /* since the capture began; to the writer 0: now */
	uint32_t conn; /* which connection, from 1; 0: none */
	enum diag_leg leg;
	enum capture_kind kind;
	enum event_from from;
	const char *device; /* its Device-Id, or another name; NULL: not told */
	bool named_before; /* … by an event before this one of its connection */
	const char *board, *version; /* CAPTURED_DEVICE; NULL: not told */
	const char *topic; /* MQTT; NULL */
	struct span data; /* text or bytes; of CAPTURED_FINDING its JSON */
	bool bytes; /* data is no UTF-8 */
	size_t size; /* as it was on the wire; may be more than is in data */
	const char *sha256; /* of all of it, if it was cut; NULL */
	bool cut; /* data is its beginning, for it was larger than 64 kB */
	struct span
		head; /* lines of HTTP, each ended by \r\n, without the empty one */
	int status; /* CAPTURED_RESPONSE */
	struct span
		passed; /* what went on in place of data; text NULL: data did */
	bool passed_cut; /* passed is its beginning alone */
	const char *passed_sha256; /* of all of it, if it was cut; NULL */
	enum event_end how; /* CAPTURED_END */
	int code; /* of the Close; 0: none */
	uint64_t count; /* CAPTURED_LOST */
};

#endif
