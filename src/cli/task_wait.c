/* SPDX-License-Identifier: MIT */
/* Waiting for tasks, and telling of it. */
#include "cli/task_wait.h"

#include "cli/requests.h"
#include "mcp/content.h"

/* What changed, as a line on stderr. */
static void on_told(void *owner, const struct task *t)
{
	struct connection *c = owner;

	render_note(&c->app->out, "task %.100s: %.60s%s%.300s", t->id, t->word,
		    t->message ? ": " : "", t->message ? t->message : "");
}

static struct task_wait how_to_wait(struct connection *c)
{
	const int64_t timeout = c->app->config.timeout;
	struct client_answers a = { 0 };

	if (c->requests)
		a = requests_declares(c->requests);
	return (struct task_wait){
		.deadline = timeout ? loop_now() + timeout : LOOP_FOREVER,
		.answers =
			a.roots || a.sampling || a.elicit_form || a.elicit_url,
		.told = on_told,
		.owner = c,
	};
}

static bool is_end_of_wait(const struct error *err)
{
	return err->kind == ERR_TIMEOUT || err->kind == ERR_INTERRUPTED;
}

/* What waits for an answer may get it by another command. */
static void give_up(struct connection *c, const struct task *t,
		    struct error *err)
{
	static const char *const words[] = {
		[TASK_KEPT] =
			"the server did not take that the task is cancelled: it may go on",
		[TASK_TOLD] =
			"the server was told to cancel the task, and may not have done it yet",
		[TASK_ENDED] = "the task was cancelled",
	};
	enum task_given_up how;

	if (task_is_over(t) || err->kind == ERR_UNMET)
		return;
	how = client_task_give_up(&c->client, t);
	if (is_end_of_wait(err) || (how != TASK_KEPT && !*err->hint))
		error_hint(err, "%s", words[how]);
}

/* The server may tell by itself what it is asked: once is enough. */
static int wait_on(struct connection *c, struct task *t,
		   const struct task_wait *how, struct result *out,
		   struct error *err)
{
	int status;

	c->tells_task = true;
	status = client_task_wait(&c->client, t, how, out, err);
	c->tells_task = false;
	return status;
}

int task_await(struct connection *c, struct task *t, struct result *out,
	       struct error *err)
{
	const struct task_wait how = how_to_wait(c);

	if (wait_on(c, t, &how, out, err) == 0)
		return 0;
	if (is_end_of_wait(err) && !task_is_over(t))
		error_hint(
			err,
			"the task goes on: 'task wait' waits again, 'task cancel' ends it");
	return -1;
}

int task_answer(struct connection *c, struct task *t, struct error *err)
{
	CLEANUP(result_done) struct result none = { 0 };
	struct task_wait how = how_to_wait(c);

	how.only = true;
	return wait_on(c, t, &how, &none, err);
}

int task_may_detach(const struct connection *c, struct error *err)
{
	/* What has none is refused by that. */
	if (c->goes_on || session_peer(c->session)->held ||
	    client_tasks_stay(&c->client) || !client_tells_tasks(&c->client))
		return 0;
	error_set(
		err, ERR_UNMET,
		"option '--detach': the task would end with this command, since its session does");
	return error_hint(
		err,
		"'mcpctl open' keeps a server that begins with initialize open for later commands, and the shell keeps its connection: there it can be detached");
}

/* It runs: waited for to its end. */
static int wait_for(struct connection *c, struct task *t, struct result *out,
		    struct error *err)
{
	const struct task_wait how = how_to_wait(c);
	int status = wait_on(c, t, &how, out, err);

	if (status)
		give_up(c, t, err);
	return status;
}

int task_call(struct connection *c, const struct task_order *order,
	      struct result *out, bool *detached, struct error *err)
{
	struct renderer *r = &c->app->out;
	struct task t = { 0 };
	int status;

	*detached = false;
	c->tells_task = true;
	status = client_task_start(&c->client, order->tool, order->arguments,
				   &t, out, err);
	c->tells_task = false;
	if (!t.id && !status && order->detach)
		render_note(
			r,
			"the server had the result at once: there is no task");
	if (t.id && !status && order->detach) {
		const struct task_record record = { .task = &t,
						    .id_only = true };

		*detached = true;
		r->ops->task(r, &record);
	} else if (t.id && !status) {
		status = wait_for(c, &t, out, err);
	}
	task_done(&t);
	return status;
}
