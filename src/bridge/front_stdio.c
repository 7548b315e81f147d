/* SPDX-License-Identifier: MIT */
/* The host that started us, at stdin and stdout: the way unless another is asked for. */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bridge/fronts.h"
#include "cli/app.h"
#include "clients/stdio_front.h"

struct front_stdio {
	struct stdio_front *front;
	const struct front_order *order;
	bool ended;
};

static bool is_wanted(const struct bridge_options *o)
{
	return o->stdio;
}

static void on_ended(void *owner)
{
	struct front_stdio *f = owner;

	f->ended = true;
	*f->order->woken = true;
}

static void on_line(void *owner, const char *text)
{
	struct front_stdio *f = owner;

	f->order->told(f->order->owner, text);
}

static int open_stdio(void **front, const struct front_order *order,
		      struct error *err)
{
	struct front_stdio *f = mem_zalloc(sizeof(*f));
	const struct stdio_front_events events = { .ended = on_ended,
						   .line = on_line,
						   .owner = f };

	(void)err;
	f->order = order;
	f->front = stdio_front_open(order->app->loop, order->answerer,
				    STDIN_FILENO, STDOUT_FILENO, &events);
	*front = f;
	return 0;
}

static int step(void *front, int64_t *next, struct error *err)
{
	const struct front_stdio *f = front;
	const int lost = f->ended ? stdio_front_lost(f->front) : 0;

	*next = LOOP_FOREVER;
	if (!lost)
		return f->ended ? 1 : 0;
	error_set(err, ERR_OUTPUT, "output could not be written: %s",
		  strerror(lost));
	return error_code(err, lost);
}

static void close_stdio(void *front)
{
	struct front_stdio *f = front;

	stdio_front_close(f->front);
	mem_free(f);
}

const struct bridge_front bridge_front_stdio = {
	.name = "stdio",
	.wanted = is_wanted,
	.open = open_stdio,
	.step = step,
	.close = close_stdio,
};
