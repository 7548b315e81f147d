/* SPDX-License-Identifier: MIT */
/*
 * Tasks at the command line: a tool that is called as one, and one that is
 * waited for, with what is told meanwhile, and what becomes of it if nobody
 * waits any more.
 */
#ifndef CLI_TASK_WAIT_H
#define CLI_TASK_WAIT_H

#include "cli/connection.h"
#include "mcp/tasks.h"

struct task_order {
	const char *tool;
	const char *arguments; /* JSON text of an object */
	bool detach; /* its id is enough */
};

/*
 * The tool's result in out, as of client_call_tool. With detach its id is
 * printed, and *detached says so; what came at once is a result all the same.
 * Ctrl-C and the end of --timeout cancel the task, and the hint says so.
 */
int task_call(struct connection *c, const struct task_order *order,
	      struct result *out, bool *detached, struct error *err);

/* -1 (ERR_UNMET): with this session the task would end with the command. */
int task_may_detach(const struct connection *c, struct error *err);

/* Wait for one that others began: it goes on if this ends before. */
int task_await(struct connection *c, struct task *t, struct result *out,
	       struct error *err);
/* Answer what it waits for. */
int task_answer(struct connection *c, struct task *t, struct error *err);

#endif
