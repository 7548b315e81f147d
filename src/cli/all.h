/* SPDX-License-Identifier: MIT */
/*
 * --all: one request to many devices of a running serve, or to many servers at a
 * broker (cli/brokered.h), at once, and a row for each. all.c asks and judges;
 * who uses it says what is asked.
 */
#ifndef CLI_ALL_H
#define CLI_ALL_H

#include "cli/app.h"
#include "cli/expect.h"
#include "cli/serve_client.h"

struct all_device {
	cJSON *json; /* the object of wire/control_frames.h; owned */
	char *text; /* its bytes; owned */
	size_t len;
	const char *id, *list; /* borrowed; list NULL: nothing is listed */
	bool shown; /* it has a row */
};

struct brokered;

struct all {
	struct app *app;
	struct all_device *device; /* those that fit, as they are listed */
	size_t count, capacity;
	struct device_record columns; /* widths */
	struct error unknown; /* why none can come; ERR_NONE */
	struct brokered *brokered; /* where they are; NULL: at a serve */
	size_t rows, failed;
	struct error worst; /* the first failure with the highest status */
	char *worst_id; /* whose; NULL */
};

/* JSON is text; one of method, notify, message. */
struct all_request {
	const char *device; /* one id; NULL: all that fit */
	const char *list; /* only devices with that list of tools; NULL */
	const char *method, *notify, *message;
	const char *params; /* NULL */
};

/* What one device answered; the judge may change it. */
struct all_row {
	struct all_device *device;
	struct message reply; /* without text: there is none */
	struct error error; /* why it counts as failed; ERR_NONE */
	struct buf summary; /* in place of the reply in the text form */
	struct buf value; /* device_record.value; empty: nobody asks */
	int64_t took_us; /* -1: unknown */
};

/*
 * A request on its way, over a connection of its own: many may be. judge (may
 * be NULL) is called for each row before it is shown; false: it is not shown.
 */
struct all_fan {
	struct control_line *serve;
	bool (*judge)(void *owner, struct all_row *row);
	void *owner;
};

#define ALL_MARGIN_MS 10000 /* more, until serve itself counts as silent */

/* ms for the answer of a device: --timeout, else 10 s. */
int64_t all_timeout(const struct app *app);

/*
 * Ask which devices there are. -1: as serve_ask; ERR_CONNECT: none
 * fits -d, not even after --wait. all_done in any case.
 */
int all_open(struct all *a, struct app *app, struct error *err);
/* Those that fit, as they are now. */
int all_look(struct all *a, struct error *err);
/* A row of serve about one device; owner is the struct all. */
void all_add(void *owner, struct control_answer *answer);
/* From that place on, and round; NULL. Lent until devices are added. */
struct all_device *all_find(const struct all *a, size_t start, const char *id);
void all_row_done(struct all_row *row);
/* What all_show does beside the row; failure NULL: it went well. */
void all_count(struct all *a, const struct all_device *device,
	       const struct error *failure, int64_t took_us);
/* A row of our own. row is released. */
void all_show(struct all *a, struct all_row *row);
/* -1 if a row failed: the kind with the highest status. */
int all_outcome(const struct all *a, struct error *err);
void all_done(struct all *a);

struct all_call {
	const char *name; /* the tool */
	char *const *word; /* its arguments */
	size_t count;
	bool no_validate, fill_defaults;
	const struct expectation *expected;
	/* what is better known of a failed call, as a hint */
	void (*explain)(struct error *err);
};

#endif
