/* SPDX-License-Identifier: MIT */
/*
 * The commands of --exec: their environment, how many at once, how they ended.
 * Each has a process group of its own, so that what its shell started ends with
 * it; Ctrl-C ends serve, and serve ends them.
 */
#include "cli/serve_exec.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/mem.h"
#include "serve/serve.h"

#define RUNNING_MAX 16
#define GRACE_MS 2000

struct command_of {
	struct serve_exec *exec;
	struct child *child;
	char *device;
	struct command_of *next;
};

void serve_exec_init(struct serve_exec *x, struct loop *l, struct serve *s,
		     const char *command)
{
	*x = (struct serve_exec){
		.loop = l, .server = s, .command = command, .idle = true
	};
	if (!command)
		return;
	/* Its own are added; ours would send it elsewhere, or make it wait. */
	unsetenv("MCPCTL_TARGET");
	unsetenv("MCPCTL_DEVICE");
	unsetenv("MCPCTL_SOCKET");
	unsetenv("MCPCTL_WAIT");
}

static void release(struct command_of *c)
{
	mem_free(c->device);
	mem_free(c);
}

static void tell_ended(struct serve_exec *x, const char *device, int status)
{
	struct record *record =
		records_add(serve_records(x->server), RECORD_EXEC,
			    status ? LEVEL_WARN : LEVEL_GOOD, device, NULL,
			    "the command ended with status %d", status);

	if (record)
		record->detail = mem_printf("\"status\":%d", status);
}

static void count_end(struct serve_exec *x, int status)
{
	if (x->ended++ == 0)
		x->first_status = status;
	if (status > x->worst)
		x->worst = status;
}

static void on_ended(void *owner, int status)
{
	struct command_of *c = owner, **at;
	struct serve_exec *x = c->exec;

	for (at = &x->first; *at != c;)
		at = &(*at)->next;
	*at = c->next;
	x->running--;
	x->idle = x->running == 0;
	count_end(x, status);
	tell_ended(x, c->device, status);
	serve_wake(x->server);
	release(c);
}

/* No process, or no descriptor, now: others may have better luck. */
static void tell_not_started(struct serve_exec *x, const char *device,
			     const struct error *why)
{
	struct record *record =
		records_add(serve_records(x->server), RECORD_EXEC, LEVEL_BAD,
			    device, NULL, "the command was not started: %s%s%s",
			    why->text, *why->hint ? "; " : "", why->hint);

	if (record)
		record->detail = mem_printf("\"status\":%d", (int)why->kind);
}

static void start(struct serve_exec *x, const char *id)
{
	static const struct child_events events = { .ended = on_ended };
	CLEANUP(mem_free_ptr) char *command = mem_strdup(x->command);
	CLEANUP(mem_free_ptr)
	char *target =
		mem_printf("MCPCTL_TARGET=attach:%s", serve_socket(x->server));
	CLEANUP(mem_free_ptr)
	char *pick = serve_device_pattern(x->server, id);
	CLEANUP(mem_free_ptr)
	char *device = mem_printf("MCPCTL_DEVICE=%s", pick);
	char sh[] = "sh", dash_c[] = "-c";
	char *const argv[] = { sh, dash_c, command, NULL };
	const char *const env[] = { target, device, NULL };
	const struct child_options options = { .argv = argv,
					       .env = env,
					       .out = CHILD_INHERIT,
					       .err = CHILD_INHERIT };
	struct command_of *c = mem_zalloc(sizeof(*c));
	CLEANUP(error_reset) struct error why = { 0 };
	struct record *record;

	c->exec = x;
	c->device = mem_strdup(id);
	x->started++;
	if (child_start(&c->child, x->loop, &options, &events, c, &why) != 0) {
		tell_not_started(x, id, &why);
		count_end(x, (int)why.kind);
		release(c);
		return;
	}
	c->next = x->first;
	x->first = c;
	x->running++;
	x->idle = false;
	record = records_add(serve_records(x->server), RECORD_EXEC, LEVEL_INFO,
			     id, NULL, "the command starts");
	if (record)
		record->detail = mem_printf("\"pid\":%d", child_pid(c->child));
}

static bool is_busy(const struct serve_exec *x, const char *id)
{
	for (const struct command_of *c = x->first; c; c = c->next) {
		if (strcmp(c->device, id) == 0)
			return true;
	}
	for (size_t i = 0; i < x->queue.count; i++) {
		if (strcmp(x->queue.word[i], id) == 0)
			return true;
	}
	return false;
}

void serve_exec_device(struct serve_exec *x, const char *id)
{
	if (!x->command || is_busy(x, id))
		return;
	if (x->running < RUNNING_MAX)
		start(x, id);
	else
		words_add(&x->queue, id);
}

void serve_exec_more(struct serve_exec *x)
{
	while (x->queue.count > 0 && x->running < RUNNING_MAX) {
		CLEANUP(mem_free_ptr) char *id = x->queue.word[0];

		x->queue.count--;
		memmove(x->queue.word, x->queue.word + 1,
			(x->queue.count + 1) * sizeof(*x->queue.word));
		start(x, id);
	}
}

/* A second signal does not wait for them. */
static void abandon(struct serve_exec *x)
{
	while (x->first) {
		struct command_of *c = x->first;

		x->first = c->next;
		child_abandon(c->child);
		release(c);
	}
	x->running = 0;
	x->idle = true;
}

void serve_exec_stop(struct serve_exec *x)
{
	words_done(&x->queue);
	for (struct command_of *c = x->first; c; c = c->next)
		child_stop(c->child, GRACE_MS);
	if (x->running &&
	    loop_wait(x->loop, &x->idle, loop_now() + 2 * (int64_t)GRACE_MS,
		      NULL) != 0)
		abandon(x);
}
