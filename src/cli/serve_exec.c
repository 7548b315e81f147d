/* SPDX-License-Identifier: MIT */
/* Commands of --exec: started, waited for, counted, ended. */
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
	unsetenv("MCPCTL_LEASE");
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
	CLEANUP(mem_free_ptr) char *text = error_line(why);
	struct record *record = records_add(
		serve_records(x->server), RECORD_EXEC, LEVEL_BAD, device, NULL,
		"the command was not started: %s", text);

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

/* There may be thousands, all ready at once. */
static bool is_queued(const struct serve_exec *x, const char *id)
{
	size_t i = name_set_find(&x->places, id);

	if (i == NAME_NONE)
		return false;
	/* Its turn came before: perhaps it waits again, further behind. */
	for (i = i > x->taken ? i : x->taken; i < x->queue.count; i++) {
		if (strcmp(x->queue.word[i], id) == 0)
			return true;
	}
	return false;
}

static bool is_busy(const struct serve_exec *x, const char *id)
{
	for (const struct command_of *c = x->first; c; c = c->next) {
		if (strcmp(c->device, id) == 0)
			return true;
	}
	return is_queued(x, id);
}

/* Whoever holds it restarts it for their own ends. */
static bool tell_leased(struct serve_exec *x, const char *id)
{
	CLEANUP(mem_free_ptr) char *leased = serve_leased(x->server, id);

	if (!leased)
		return false;
	records_add(serve_records(x->server), RECORD_EXEC, LEVEL_WARN, id, NULL,
		    "the command is left out: %s", leased);
	mem_free(x->leased);
	x->leased = mem_strdup(id);
	return true;
}

void serve_exec_device(struct serve_exec *x, const char *id)
{
	if (!x->command || is_busy(x, id) || tell_leased(x, id))
		return;
	name_set_add(&x->places, id, x->queue.count);
	words_add(&x->queue, id);
}

static void forget_queue(struct serve_exec *x)
{
	words_done(&x->queue);
	name_set_done(&x->places);
	x->taken = 0;
}

void serve_exec_more(struct serve_exec *x)
{
	while (x->taken < x->queue.count && x->running < RUNNING_MAX)
		start(x, x->queue.word[x->taken++]);
	if (x->taken == x->queue.count)
		forget_queue(x);
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
	forget_queue(x);
	mem_free(TAKE(x->leased));
	for (struct command_of *c = x->first; c; c = c->next)
		child_stop(c->child, GRACE_MS);
	if (x->running &&
	    loop_wait(x->loop, &x->idle, loop_now() + 2 * (int64_t)GRACE_MS,
		      NULL) != 0)
		abandon(x);
}
