/* SPDX-License-Identifier: MIT */
/*
 * task: tools that run as tasks, begun by other commands: listed, looked at,
 * waited for, answered, cancelled.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/cmd_call.h"
#include "cli/commands.h"
#include "cli/save.h"
#include "cli/task_wait.h"
#include "mcp/content.h"

struct task_options {
	const char *save, *expect, *expect_jq;
};

static const struct option_row task_options[] = {
	{ .name = "expect",
	  .word = "JSON",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct task_options, expect),
	  .brief = "wait: as of call" },
	{ .name = "expect-jq",
	  .word = "EXPR",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct task_options, expect_jq),
	  .brief = "wait: as of call" },
	{ .name = "save",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = offsetof(struct task_options, save),
	  .brief = "wait: as of call" },
	{ .name = NULL }
};

static void show_task(const struct invocation *in, const struct task *t,
		      size_t width)
{
	const struct task_record record = { .task = t, .id_width = width };

	in->app->out.ops->task(&in->app->out, &record);
}

static int list(const struct invocation *in, struct task *t, struct error *err)
{
	CLEANUP(task_list_done) struct task_list tasks = { 0 };
	int status = client_task_list(&in->connection->client, &tasks, err);
	size_t width = 0;

	(void)t;
	for (size_t i = 0; i < tasks.count; i++) {
		size_t len = tasks.task[i].id ? strlen(tasks.task[i].id) : 0;

		width = len > width ? len : width;
	}
	for (size_t i = 0; i < tasks.count; i++) {
		if (tasks.task[i].word)
			show_task(in, &tasks.task[i], width);
	}
	if (!status && !tasks.count)
		render_note(&in->app->out, "no tasks");
	return status;
}

static int get(const struct invocation *in, struct task *t, struct error *err)
{
	if (client_task_get(&in->connection->client, t, err))
		return -1;
	show_task(in, t, 0);
	return 0;
}

static int wait_for(const struct invocation *in, struct task *t,
		    struct error *err)
{
	const struct task_options *o = in->options;
	CLEANUP(result_done) struct result result = { 0 };
	CLEANUP(expectation_done) struct expectation expected = { 0 };
	const struct call_shown shown = { in->app, t->id, o->save, &expected };
	int status;

	if (expectation_open(&expected, in->app, o->expect, o->expect_jq,
			     err) ||
	    client_task_get(&in->connection->client, t, err))
		return -1;
	status = task_await(in->connection, t, &result, err);
	return call_show(&shown, &result, status, err);
}

static int answer(const struct invocation *in, struct task *t,
		  struct error *err)
{
	if (client_task_get(&in->connection->client, t, err))
		return -1;
	if (t->status != TASK_INPUT) {
		error_set(err, ERR_UNMET,
			  "the task waits for no answer: it is '%.60s'",
			  t->word);
		return task_is_over(t) ?
			       error_hint(err, "'task wait' shows its result") :
			       -1;
	}
	if (task_answer(in->connection, t, err))
		return -1;
	show_task(in, t, 0);
	return 0;
}

/* A server of 2026-07-28 takes it of one that is over, too. */
static int cancel(const struct invocation *in, struct task *t,
		  struct error *err)
{
	if (client_task_cancel(&in->connection->client, t, err))
		return -1;
	show_task(in, t, 0);
	if (!task_is_over(t) || t->status == TASK_CANCELLED)
		return 0;
	error_set(err, ERR_UNMET, "the task was not cancelled: it is '%.60s'",
		  t->word);
	return error_hint(err, "'task wait' shows its result");
}

static const struct operand_word task_words[] = {
	{ "list", "the tasks of this session", "", false },
	{ "get", "how it is", "", false },
	{ "wait", "until it is over, with its result", "", false },
	{ "answer", "what it waits for", "", false },
	{ "cancel", "end it", "", false },
	{ NULL, NULL, NULL, false }
};

/* As the words. */
static int (*const verbs[])(const struct invocation *in, struct task *t,
			    struct error *err) = { list, get, wait_for, answer,
						   cancel };

/* Which of the words; -1: none. */
static int find_verb(const char *word, struct error *err)
{
	const char *names[COUNT(verbs)] = { NULL };
	const char *near;

	for (size_t i = 0; i < COUNT(verbs); i++) {
		names[i] = task_words[i].name;
		if (strcmp(names[i], word) == 0)
			return (int)i;
	}
	error_set(
		err, ERR_USAGE,
		"'%s' is nothing that 'task' does: list, get, wait, answer, cancel",
		word);
	near = text_nearest(word, names, COUNT(names));
	if (near)
		error_hint(err, "did you mean '%s'?", near);
	return -1;
}

static int check_words(const struct invocation *in, int verb, struct error *err)
{
	const struct task_options *o = in->options;
	const char *name = task_words[verb].name;
	bool wants_id = verbs[verb] != list;

	if (in->argc > 1 && !wants_id)
		return error_set(err, ERR_USAGE, "'task list' takes no id");
	if (in->argc < 2 && wants_id)
		return error_set(err, ERR_USAGE, "'task %s' needs an id", name);
	if (verbs[verb] != wait_for && (o->save || o->expect || o->expect_jq))
		return error_set(
			err, ERR_USAGE,
			"--save, --expect and --expect-jq are for 'task wait'");
	return 0;
}

static int task_run(const struct invocation *in, struct error *err)
{
	struct task t = { 0 };
	int verb = find_verb(in->argv[0], err), status;

	if (verb < 0 || check_words(in, verb, err) ||
	    connection_open(in->connection, err))
		return -1;
	t.id = mem_strdup(in->argc > 1 ? in->argv[1] : NULL);
	status = verbs[verb](in, &t, err);
	task_done(&t);
	return status;
}

static const struct example task_examples[] = {
	{ "sim:tasks task list", NULL, 0 },
	{ "sim:llm task fetch 7", NULL, 2 },
	{ NULL, NULL, 0 }
};

const struct command cmd_task = {
	.name = "task",
	.args = "list|get|wait|answer|cancel [ID]",
	.brief = "tools that run as tasks: how they are, their results",
	.text = "What 'call --task --detach' began: list those of this session, get how one is, wait for its result (as 'call' prints it, with its status), answer what it waits for (as --elicit, --sampling and --root say, or at the terminal), cancel it.\n"
		"\n"
		"A task of a server of 2025-11-25 or before belongs to the session that it was begun in: keep that with 'open'; what runs later on the same target finds it. From 2026-07-28 on a task is known by its id alone, and there is no list of them.\n"
		"\n"
		"Ctrl-C and --timeout (without it, wait has no end) end 'task wait', and the task goes on. A task that failed or was cancelled is status 1 of wait, one that waits for an answer which nobody here gives 7, as is cancel of one that was over by then. How often the server is asked is its own wish, within 0.1 s and 60 s; a status that is not known counts as working.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_OPENS | CMD_MINOR,
	.min = 1,
	.max = 2,
	.operand = OPERAND_SUBJECT,
	.words = task_words,
	.options = task_options,
	.options_size = sizeof(struct task_options),
	.examples = task_examples,
	.run = task_run
};
