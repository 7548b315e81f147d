/* SPDX-License-Identifier: MIT */
/*
 * What a tool answers: the `result` of a profile's tool, checked when the
 * profile is read, run at each call. A rule reads arguments and state, and may
 * set state. It neither waits nor sends: delay and consequence are handed out.
 */
#ifndef SIM_RULE_H
#define SIM_RULE_H

#include "sim/profile.h"

#define RULE_REPEAT_MAX (32u << 20) /* bytes of a repeated text */
#define RULE_STATE_MAX 4000 /* bytes of a state, as in the board's store */

/* What the firmware does after the call, mostly instead of a reply (device.md 3.9). */
enum rule_then {
	RULE_REPLY, /* nothing special */
	RULE_ASSETS, /* it replies, and fetches assets from the argument url when it restarts */
	RULE_REBOOT, /* the connection drops after a second, no reply */
	RULE_CLOSE, /* it drops at once */
	RULE_UPGRADE /* it fetches firmware from the argument url, and restarts */
};

/* What the tool sends somewhere before it answers (device.md 6). */
enum rule_upload {
	RULE_NO_UPLOAD,
	RULE_PHOTO, /* text: the question; to the vision address */
	RULE_SCREEN /* text: the address */
};

/* The device that a rule runs on. */
struct rule_world {
	const struct profile *profile;
	const char *version; /* of its firmware; NULL: the profile's */
	char **state; /* profile->state_count texts, NULL: as in the profile; may be NULL as a whole */
	const char *device_id, *client_id;
	bool vision; /* a vision address was given */
};

struct rule_result {
	enum firmware_outcome_kind kind;
	struct buf text; /* the answer's; or see upload */
	enum rule_upload upload; /* the answer is what comes of it */
	/*
	 * A command or a model gives the answer: where exec or ollama stands;
	 * lent by the profile. text and system are what a model is asked.
	 */
	const cJSON *order;
	struct buf system; /* empty: none */
	const char *mime; /* of an image; lent by the profile */
	int64_t delay_ms;
	enum rule_then then;
};
void rule_result_done(struct rule_result *r);

/* Check `result` of tool t at r's place. -1: r->err. */
int rule_check(const struct profile *p, const struct firmware_tool *t,
	       struct reader *r, const cJSON *result);

/*
 * Run the rule of call->tool. World's state is made when the rule sets the
 * first one (*w->state is then the caller's to release: rule_state_free).
 */
void rule_run(struct rule_world *w, const struct firmware_call *call,
	      struct rule_result *out);
void rule_state_free(const struct profile *p, char **state);
/* By name; -1. */
int rule_state_index(const struct profile *p, const char *name);

#endif
