/* SPDX-License-Identifier: MIT */
/*
 * Tools that run as tasks: begun, looked at, waited for, cancelled. Up to
 * 2025-11-25 a task belongs to a session, is asked for, and gives its result
 * when asked for it (tasks/result); from 2026-07-28 on the server decides, and
 * what is asked of a task tells its result, too (mcp.md, modern.md 15). Nothing
 * below differs by the era for who calls it. All of it blocks, and is bounded.
 */
#ifndef MCP_TASKS_H
#define MCP_TASKS_H

#include "mcp/client.h"
#include "mcp/types.h"

#define TASK_ID_MAX 1024 /* bytes */
#define TASKS_MAX 1000 /* of a list */
#define TASK_POLL_MS 1000 /* where a server says nothing, or no number */
#define TASK_POLL_LEAST_MS 100
#define TASK_POLL_MOST_MS 60000

enum task_status {
	TASK_WORKING, /* and every word that is not known */
	TASK_INPUT, /* it waits for an answer */
	TASK_COMPLETED,
	TASK_FAILED,
	TASK_CANCELLED
};

struct task { /* zeroed at first; task_done releases */
	char *id; /* as the server wrote it; NULL: there is none */
	enum task_status status;
	char *word; /* the same as it came */
	char *message; /* what the server says of it; NULL */
	char *created, *updated; /* as they came; NULL */
	int64_t ttl_ms; /* since it was created; -1: not told, or no end */
	int64_t poll_ms; /* between two questions, within the bounds above */
	bool changed; /* status or message, since it was asked before */
	struct message reply; /* that all this came in; empty: of a list */
};
void task_done(struct task *t);
/* It has ended, well or not. */
bool task_is_over(const struct task *t);
/*
 * A task as it came, in place of what t was. -1 (ERR_PROTOCOL): it is none, or
 * another one than t.
 */
int task_read(struct task *t, const cJSON *json, struct error *err);

/* The tool is only for this: it was listed so, and the server has tasks. */
bool client_must_be_task(const struct client *c, const char *tool);
/* The tool was refused, and nothing was done, as this was not a task. */
bool client_wanted_task(const struct client *c, const struct message *reply);
/* A task does not end with our session. */
bool client_tasks_stay(const struct client *c);
/* It has tasks, as far as it told. */
bool client_tells_tasks(const struct client *c);

/*
 * Call a tool as a task. t->id NULL: the server had the result at once, and out
 * has it. -1: as client_call_tool; ERR_UNMET, and nothing was sent: the server
 * has no tasks, or not for this tool.
 */
int client_task_start(struct client *c, const char *tool, const char *arguments,
		      struct task *t, struct result *out, struct error *err);

/* Ask how it is: t has its id. On -1 t is as it was. */
int client_task_get(struct client *c, struct task *t, struct error *err);

struct task_wait {
	int64_t deadline; /* loop_now() ms; stands still while a person is asked */
	bool answers; /* what the task waits for is answered; else ERR_UNMET */
	bool only; /* until it waits for no answer; there is no result then */
	void (*told)(void *owner, const struct task *t); /* it changed; NULL */
	void *owner;
};
/*
 * Until it is over, with its result in out. -1: ERR_TIMEOUT, ERR_INTERRUPTED
 * and all else that is no end of it (task_is_over says which it was); or what
 * client_call_tool tells of a tool; ERR_PEER: it failed, or was cancelled.
 */
int client_task_wait(struct client *c, struct task *t,
		     const struct task_wait *how, struct result *out,
		     struct error *err);

/* The server is told to end it; t is how it is after that. */
int client_task_cancel(struct client *c, struct task *t, struct error *err);
/*
 * The same where nobody waits for long. TASK_KEPT: the server was not told, or
 * refuses; TASK_TOLD: it was, and the task may end; TASK_ENDED: it was cancelled.
 */
enum task_given_up { TASK_KEPT, TASK_TOLD, TASK_ENDED };
enum task_given_up client_task_give_up(struct client *c, const struct task *t);

struct task_list {
	struct task *task; /* owned */
	size_t count, capacity;
};
void task_list_done(struct task_list *l);
/* Of this session. -1: ERR_UNMET, where the protocol has no such list. */
int client_task_list(struct client *c, struct task_list *out,
		     struct error *err);

#endif
