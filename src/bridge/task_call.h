/* SPDX-License-Identifier: MIT */
/*
 * A call of a tool that is for nothing but tasks (execution.taskSupport, up to
 * 2025-11-25): asked for as one, then for its result, which comes when the task
 * is over. Sends nothing itself.
 */
#ifndef BRIDGE_TASK_CALL_H
#define BRIDGE_TASK_CALL_H

#include "base/buf.h"
#include "wire/jsonrpc.h"

struct task_call { /* zeroed at first; task_call_done releases */
	bool wanted; /* the call asks for a task */
	char *id; /* of the one that began; NULL: none did */
};
void task_call_done(struct task_call *t);

/* The params of tools/call as they are to be sent: lent, or made in *room. */
const char *task_call_params(const struct task_call *t, const char *params,
			     struct buf *room);
/*
 * 1: reply says that it began, and t->id is known; 0: reply is what was called
 * for. -1 (ERR_PROTOCOL): it has no task that can be asked for.
 */
int task_call_begun(struct task_call *t, const struct message *reply,
		    struct error *err);
/* The params of tasks/result and tasks/cancel, appended. */
void task_call_which(const struct task_call *t, struct buf *params);

#endif
