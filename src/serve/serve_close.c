/* SPDX-License-Identifier: MIT */
/*
 * The end of serve: devices first, so that each is told properly, then what
 * they came through. All of it is bounded in time.
 */
#include "base/mem.h"
#include "serve/board.h"
#include "serve/control.h"
#include "serve/door.h"
#include "serve/mqtt_boards.h"
#include "serve/serve_state.h"

#define DEVICES_MS 1000
/* mosquitto is asked to end, then told. */
#define PARTS_MS 5000

static void release(struct serve *s)
{
	records_done(&s->records);
	registry_done(&s->registry);
	tool_lists_done(&s->bank);
	tokens_done(&s->tokens);
	aliases_done(&s->aliases);
	enrolled_done(&s->enrolled);
	budget_free(s->budget);
	words_done(&s->ready);
	mem_free(s->ready_lent);
	mem_free(s);
}

static bool is_all_gone(const struct serve *s)
{
	return !s->held && !s->door && !s->rack && !s->control;
}

/* What ended late, after nobody waited for it any more. */
static void part_gone(struct serve *s)
{
	s->wake = true;
	if (s->abandoned && is_all_gone(s))
		release(s);
}

void serve_device_freed(struct serve *s)
{
	s->held--;
	if (s->held < s->held_most / 2)
		serve_need_sweep(s);
	if (s->closing && !s->held)
		part_gone(s);
}

static void on_door_closed(void *owner)
{
	struct serve *s = owner;

	s->door = NULL;
	part_gone(s);
}

static void on_rack_closed(void *owner)
{
	struct serve *s = owner;

	s->rack = NULL;
	part_gone(s);
}

static void on_control_closed(void *owner)
{
	struct serve *s = owner;

	s->control = NULL;
	part_gone(s);
}

/* A second Ctrl-C does not cut it short. */
static void wait_wake(struct serve *s, int64_t deadline)
{
	struct error ignored = { 0 };

	s->wake = false;
	loop_wait(s->loop, &s->wake, deadline, &ignored);
	error_reset(&ignored);
}

static void close_devices(struct serve *s)
{
	int64_t deadline = loop_now() + DEVICES_MS;
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "serve ends");
	for (struct board *d = s->registry.first; d; d = d->next)
		board_end(d, &why);
	while (s->held && loop_now() < deadline)
		wait_wake(s, deadline);
}

static void on_sweep_closed(void *owner)
{
	bool *closed = owner;

	*closed = true;
}

void serve_close(struct serve *s)
{
	bool sweep_closed = false;
	int64_t deadline;

	if (!s)
		return;
	s->closing = true;
	/* Of what happens from now on nobody will be told. */
	s->records.wake = NULL;
	close_devices(s);
	if (s->door)
		door_close(s->door, on_door_closed, s);
	if (s->rack)
		mqtt_boards_close(s->rack, on_rack_closed, s);
	if (s->control)
		control_close(s->control, on_control_closed, s);
	s->sweep.owner = &sweep_closed;
	timer_close(&s->sweep, on_sweep_closed);
	while (!sweep_closed)
		loop_poll(s->loop);
	deadline = loop_now() + PARTS_MS;
	while (!is_all_gone(s) && loop_now() < deadline)
		wait_wake(s, deadline);
	if (is_all_gone(s))
		release(s);
	else
		s->abandoned = true;
}
