/* SPDX-License-Identifier: MIT */
/* What is at work for a message: its texts filled in, put off, ended. */
#ifndef SIM_SERVICE_CALL_H
#define SIM_SERVICE_CALL_H

#include "sim/service_state.h"

/* End what is at work, without a reply. NULL is fine. */
void service_call_drop(struct service_call *call);
/* End it as notifications/cancelled wants it: the part is over soon. */
void service_call_cancel(struct service_call *call);
/* It is answered: away with it, then the question may be over. */
void service_call_end(struct service_call *call);

/* What is at work for a part: of a tool, a prompt or a resource. */
struct service_call {
	struct service *service;
	struct service_part *part; /* NULL: dropped */
	const struct service_tool *tool; /* NULL: of another kind */
	const struct service_prompt *prompt;
	const struct service_resource *resource;
	const char *name; /* of it, for lines */
	char *uri; /* that is read; NULL */
	/*
	 * Its steps are over. True: it will be answered later, and then ended
	 * by service_call_end.
	 */
	bool (*finish)(struct service_call *call);
	const cJSON *steps; /* NULL */
	const cJSON *step; /* the next one */
	int64_t n; /* how often that step was done, from 1; 0: outside of steps */
	cJSON *arguments; /* checked, defaults filled in */
	cJSON *answers; /* of the client, by key; NULL */
	cJSON *responses; /* inputResponses that are not used yet; NULL */
	const cJSON
		*asks; /* a task: the step whose answers are missing; NULL */
	bool resumed; /* by a requestState */
	char *progress; /* the raw token; NULL */
	struct service_wait *wait; /* requests that the client has; NULL */
	char *failed; /* why it can have no result: the client's answer; NULL */
	bool direct; /* asked as tools/NAME: the plain object is the result */
	bool structured; /* the client's revision has structuredContent */
	bool counted; /* in service.calls */
	bool cancelled;
	struct exec *outside;
	bool (*after)(struct service_call *call); /* what the timer calls */
	bool (*run)(struct service_call *call); /* service_steps_run */
	struct timer timer; /* delay_ms, a step, and the end after a cancel */
};

/* A request that a client has. */
struct service_wait {
	struct service_wait *next;
	unsigned id;
	const cJSON *request; /* of the profile; its name is the key */
};
/* All of them: nobody waits any more. */
void service_wait_free(struct service_call *call);

/*
 * A new one of p with these arguments, which it takes; name and steps are lent
 * by the profile. NULL: too many are at work, and that was answered.
 */
struct service_call *service_call_new(struct service_part *p, const char *name,
				      const cJSON *steps, cJSON *arguments,
				      bool model);
/* The source of its templates: arguments, answers, ${n}; owner is a call. */
int service_call_value(void *owner, const char *name, struct buf *out);
/* A text filled in, and JSON with its texts filled in; yours, NULL for NULL. */
char *service_call_fill_text(struct service_call *call, const char *text);
cJSON *service_call_fill(struct service_call *call, const cJSON *json);
/* Of a tool: a text is its answer; is_error: what went wrong in it. */
void service_call_text(struct service_call *call, const char *text, size_t len,
		       bool is_error);
/* It can have no result. */
void service_call_failed(struct service_call *call, const char *why);

/* In so many ms call `after`, as finish. */
void service_call_later(struct service_call *call, int64_t ms,
			bool (*after)(struct service_call *call));

#endif
