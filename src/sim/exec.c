/* SPDX-License-Identifier: MIT */
/*
 * Results from a command ("exec"): a child process that reads the arguments
 * and prints the result. Models are ollama.c's.
 */
#include <string.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "sim/exec.h"

#define SIGNAL_BASE 128

struct exec *exec_new(const struct exec_config *c, exec_done *done, void *owner)
{
	struct exec *o = mem_zalloc(sizeof(*o));

	o->done = done;
	o->owner = owner;
	o->started = loop_now();
	o->timeout = c->timeout ? c->timeout : OUTSIDE_TIMEOUT_MS;
	o->retry_after = c->retry_after ? c->retry_after : OUTSIDE_RETRY_MS;
	buf_init(&o->text, OUTSIDE_ANSWER_MAX);
	return o;
}

static void on_timer_closed(void *owner)
{
	mem_free(owner);
}

void exec_free(struct exec *o)
{
	buf_done(&o->text);
	mem_free(o->command);
	mem_free(o->where);
	mem_free(o->model);
	if (o->timer.open)
		timer_close(&o->timer, on_timer_closed);
	else
		mem_free(o);
}

void exec_end(struct exec *o, const struct error *why)
{
	static const struct error none = { .kind = ERR_NONE };
	const struct exec_answer answer = {
		.text = buf_string(&o->text),
		.len = o->text.len,
		.why = why ? why : &none,
		.took_ms = loop_now() - o->started,
		.timeout = o->timeout,
	};

	o->done(o->owner, &answer);
	exec_free(o);
}

void exec_abandon(struct exec *o)
{
	if (!o)
		return;
	o->stop(o);
	exec_free(o);
}

static void stop_child(struct exec *o)
{
	if (o->child)
		child_abandon(TAKE(o->child));
}

static void fail(struct exec *o, struct error *why)
{
	stop_child(o);
	exec_end(o, why);
	error_reset(why);
}

static void on_late(void *owner)
{
	struct exec *o = owner;
	struct error why = { 0 };
	char limit[32];

	error_set(&why, ERR_TIMEOUT, "the command '%.100s' did not end in %s",
		  o->command,
		  text_milliseconds(o->timeout, limit, sizeof(limit)));
	fail(o, &why);
}

static void on_data(void *owner, const char *data, size_t len)
{
	struct exec *o = owner;

	/* Too much is told when it ends, or its time is over. */
	if (!o->text.full)
		buf_add(&o->text, data, len);
}

static void on_line(void *owner, bool is_err, const char *line)
{
	struct exec *o = owner;
	size_t len = text_cut(line, strlen(line), sizeof(o->last_line) - 1);

	if (!is_err || !len)
		return;
	memcpy(o->last_line, line, len);
	o->last_line[len] = '\0';
}

/* True if it ended well. */
static bool judge(const struct exec *o, int status, struct error *why)
{
	const char *words = o->last_line;

	if (status > SIGNAL_BASE)
		error_set(why, ERR_PEER,
			  "the command '%.100s' was ended by signal %d",
			  o->command, status - SIGNAL_BASE);
	else if (status)
		error_set(why, ERR_PEER,
			  "the command '%.100s' ended with status %d%s%s",
			  o->command, status, *words ? ": " : "", words);
	else if (o->text.full)
		error_set(why, ERR_PEER,
			  "the command '%.100s' printed more than %u bytes",
			  o->command, OUTSIDE_ANSWER_MAX);
	return why->kind == ERR_NONE;
}

static void on_ended(void *owner, int status)
{
	struct exec *o = owner;
	struct error why = { 0 };
	struct buf *text = &o->text;

	/* The child releases itself behind this. */
	o->child = NULL;
	if (text->len && text->data[text->len - 1] == '\n')
		buf_cut(text, text->len - 1);
	if (text->len && text->data[text->len - 1] == '\r')
		buf_cut(text, text->len - 1);
	exec_end(o, judge(o, status, &why) ? NULL : &why);
	error_reset(&why);
}

static const struct child_events child_events = {
	.line = on_line,
	.ended = on_ended,
	.data = on_data,
};

/* That it does not read is its own matter. */
static void give_input(struct child *c, const char *input)
{
	child_write(c, input, strlen(input), NULL);
	child_write(c, "\n", 1, NULL);
	child_close_input(c);
}

int exec_run(struct exec **out, const struct exec_config *c,
	     const struct exec_command *command, exec_done *done, void *owner,
	     struct error *err)
{
	const struct child_options options = {
		.argv = command->argv,
		.out = CHILD_PIPE,
		.err = CHILD_PIPE,
		.writable = true,
	};
	struct exec *o = exec_new(c, done, owner);

	o->stop = stop_child;
	if (child_start(&o->child, c->loop, &options, &child_events, o, err)) {
		exec_free(o);
		return -1;
	}
	o->command = mem_strdup(command->argv[0]);
	timer_open(&o->timer, c->loop, on_late, o);
	timer_start(&o->timer, o->timeout);
	give_input(o->child, command->input);
	*out = o;
	return 0;
}
