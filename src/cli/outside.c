/* SPDX-License-Identifier: MIT */
#include "cli/outside.h"

#include <signal.h>

#include "base/mem.h"

enum { GRACE_MS = 1000 };

static void on_ended(void *owner, int status)
{
	struct outside *o = owner;

	o->ended = true;
	if (o->woken)
		*o->woken = true;
	o->status = status;
}

static const struct child_events events = { .ended = on_ended };

int outside_start(struct outside *o, struct app *app,
		  const struct outside_order *order, struct error *err)
{
	char name[] = "sh", option[] = "-c";
	CLEANUP(mem_free_ptr) char *command = mem_strdup(order->command);
	char *argv[] = { name, option, command, NULL };
	const struct child_options options = { .argv = order->argv ?
							       order->argv :
							       argv,
					       .env = order->env,
					       .out = CHILD_INHERIT,
					       .err = CHILD_INHERIT,
					       .in = order->in,
					       .in_fd = order->in_fd,
					       .same_group = true,
					       .secrets = order->secrets };

	*o = (struct outside){ .app = app };
	if (app_open_loop(app, err))
		return -1;
	return child_start(&o->child, app->loop, &options, &events, o, err);
}

void outside_wait(struct outside *o)
{
	outside_wait_for(o, &o->ended);
}

/* Ctrl-C is the command's, who has it too; another ends that. */
static void take_signal(struct outside *o, int number)
{
	o->interrupted = true;
	if (number == SIGINT)
		return;
	o->signal = number;
	if (!o->ended)
		child_stop(o->child, GRACE_MS);
}

void outside_wait_for(struct outside *o, bool *woken)
{
	CLEANUP(error_reset) struct error last = { 0 };

	o->woken = woken;
	while (!o->ended) {
		CLEANUP(error_reset) struct error why = { 0 };

		if (loop_wait(o->app->loop, woken, LOOP_FOREVER, &why) == 0)
			break;
		take_signal(o, why.code);
	}
	/* One that came in the moment of its end is not for what follows. */
	if (o->ended)
		app_check_signal(o->app, &last);
	if (last.kind == ERR_INTERRUPTED)
		take_signal(o, last.code);
}
