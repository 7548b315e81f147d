/* SPDX-License-Identifier: MIT */
/*
 * A pretend device that dials: asks OTA if it is told to, goes where it is
 * sent, speaks, is hung up on, and may dial again. One of a fleet.
 */
#ifndef SIM_CALLER_H
#define SIM_CALLER_H

#include "sim/device.h"
#include "sim/dial.h"
#include "sim/ota_client.h"

#define CALLER_AGAIN_MS 1000 /* after a close; doubles while nothing answers */
#define CALLER_AGAIN_MAX_MS 30000

/* What all callers of a fleet have in common. */
struct caller_plan {
	struct loop *loop;
	const char *connect; /* address of the backend; or */
	const char *ota; /* address of its OTA */
	const char *token; /* NULL: the OTA reply's, or none */
	int64_t frame_version; /* 0: the OTA reply's, or 1 */
	bool reconnect;
};

enum caller_step {
	CALLER_ASKS, /* text: the address of OTA */
	CALLER_DIALS, /* text: the address */
	CALLER_REFUSED, /* text: why */
	CALLER_OPENED,
	CALLER_CLOSED /* a connection that was open is over; text: why */
};

struct caller;
struct caller_events {
	void (*step)(struct caller *c, enum caller_step step, const char *text);
	/* From the device; see there. */
	void (*note)(struct caller *c, enum device_note what, const char *text);
	void (*hazard)(struct caller *c, enum hazard h);
	/* It will not dial again. */
	void (*finished)(struct caller *c);
	/* After caller_close. */
	void (*closed)(struct caller *c);
};

struct caller {
	const struct caller_plan *plan;
	const struct caller_events *events;
	void *fleet; /* the owner's */
	uint64_t number; /* from 1 */
	struct device device;
	struct timer again;
	union { /* one after the other */
		struct ota_client ota;
		struct dial dial;
	} line;
	enum { LINE_NONE, LINE_OTA, LINE_DIAL } using;
	char *next_url, *next_token; /* where OTA sent it */
	int64_t wait_ms; /* before the next try */
	int64_t started; /* loop_now() of the last dial */
	bool opened, closing, device_gone, timer_gone;
	bool welcomed, called; /* since it was started: for the latencies */
};

/* device_config's owner, events and ids are set here. Starts nothing. */
void caller_init(struct caller *c, const struct caller_plan *plan,
		 const struct device_config *config, const char *device_id,
		 const char *client_id);
void caller_start(struct caller *c);
/* Hang up and give back; ends in closed. Again is fine. */
void caller_close(struct caller *c);

#endif
