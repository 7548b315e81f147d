/* SPDX-License-Identifier: MIT */
/*
 * A capture as a conversation: what was said, one step after the other, each
 * with a key that says what it is whatever its id, and each reply with what it
 * answers. Audio, Ping and findings are no steps.
 */
#ifndef CAPTURE_STEPS_H
#define CAPTURE_STEPS_H

#include <limits.h>

#include "base/map.h"
#include "capture/reader.h"

#define STEPS_BYTES_MAX ((size_t)256 << 20) /* of one capture */
#define NO_STEP SIZE_MAX
#define NO_DEVICE UINT_MAX

struct step {
	uint64_t n; /* of the event */
	int64_t at_us;
	uint32_t conn;
	unsigned device; /* which one of the capture, from 0 */
	enum diag_leg leg;
	enum capture_kind kind;
	enum event_from from;
	/*
	 * "initialize", "tools/call self.x", "reply to tools/call self.x",
	 * "hello", "tts start", "POST /ota/", "response to POST /ota/",
	 * "opens", "ends". Owned.
	 */
	char *key;
	struct span
		message; /* the JSON-RPC message, or the whole frame; owned */
	char *text; /* the frame, in which message may stand; owned */
	size_t len;
	bool cut; /* that is its beginning alone */
	char *id; /* of a request or its reply, as it stands there; NULL. Owned */
	size_t asked; /* a reply: the step that it answers; NO_STEP */
	size_t answer; /* a request: the step that answers it; NO_STEP */
	int status; /* a response over HTTP */
	int code; /* of the Close that ended it; 0 */
};

struct steps {
	struct step *item;
	size_t count, capacity;
	char **device; /* their ids, by first appearance; "" not told */
	size_t devices, device_capacity;
	struct map ids; /* the same ones; of steps.c */
	size_t bytes; /* of what is held, about */
	uint64_t lost; /* events that the capture says it lacks */
};

/*
 * One more; true where it is one: then it is the last item. What is held is
 * bounded by who adds.
 */
bool steps_add(struct steps *s, const struct capture_event *e);
/* The one of that id; NO_DEVICE: it is of none of the steps. */
unsigned steps_device(const struct steps *s, const char *id);
/* All of r, or of one device (NULL: all). -1: err; s is to be released. */
int steps_load(struct steps *s, struct capture_reader *r, const char *device,
	       struct error *err);
/* Drop all but the messages of that connection. Returns how many went. */
size_t steps_only(struct steps *s, unsigned device, uint32_t conn);
void steps_done(struct steps *s);

#endif
