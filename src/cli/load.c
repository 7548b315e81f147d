/* SPDX-License-Identifier: MIT */
#include "cli/load.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/client_start.h"
#include "mcp/content.h"
#include "mcp/tools.h"
#include "rpc/session_calls.h"

struct loading {
	const struct load *load;
	struct connection *connection;
	struct call_times *times;
	struct call *call; /* LOAD_AT_ONCE of them */
	bool *flies; /* that one is under way */
	char *params;
	size_t flying;
	uint64_t begun;
	int64_t begun_ms;
};

int load_read(struct load *l, const char *text, struct error *err)
{
	const size_t len = strlen(text);
	const bool rate = len > 2 && strcmp(text + len - 2, "/s") == 0;
	CLEANUP(mem_free_ptr)
	char *number = mem_strndup(text, rate ? len - 2 : len);
	const int64_t most = rate ? LOAD_RATE_MOST : LOAD_AT_ONCE;

	if (text_integer(number, 1, most, rate ? &l->rate : &l->at_once) == 0)
		return 0;
	error_set(err, ERR_USAGE, "option '--load': '%s' is no load", text);
	return error_hint(
		err,
		"N from 1 to %d calls at once, or N/s with 1 to %d a second",
		LOAD_AT_ONCE, LOAD_RATE_MOST);
}

/* ---- one call ---- */

static int begin_call(struct loading *l, struct error *err)
{
	size_t i = 0;

	while (l->flies[i])
		i++;
	l->call[i] = (struct call){ .subject = mem_strdup(l->load->tool) };
	l->begun++;
	if (session_start(l->connection->session, &l->call[i], "tools/call",
			  l->params, 0, err)) {
		call_done(&l->call[i]);
		return -1;
	}
	l->flies[i] = true;
	l->flying++;
	return 0;
}

/* A result that says isError has failed, too. */
static void judge(const struct loading *l, struct call *call)
{
	CLEANUP(result_done) struct result result = { 0 };

	if (call->failure.kind != ERR_NONE)
		return;
	result_decode_take(&result, &call->reply);
	result.from_device = l->connection->client.device;
	client_judge_result(l->load->tool, &result, &call->failure);
}

static void end_calls(struct loading *l)
{
	for (size_t i = 0; i < LOAD_AT_ONCE; i++) {
		struct call *call = &l->call[i];

		if (!l->flies[i] || !call->done)
			continue;
		judge(l, call);
		call_times_add(l->times, call->ended_us - call->started_us,
			       &call->failure);
		call_done(call);
		l->flies[i] = false;
		l->flying--;
	}
}

static void forget_calls(struct loading *l)
{
	for (size_t i = 0; i < LOAD_AT_ONCE; i++) {
		if (!l->flies[i])
			continue;
		session_forget(l->connection->session, &l->call[i]);
		call_done(&l->call[i]);
	}
	mem_free(l->call);
	mem_free(l->flies);
	mem_free(l->params);
}

/* ---- when ---- */

static bool is_over(const struct loading *l)
{
	return loop_now() >= l->load->deadline ||
	       (l->load->most && l->begun >= l->load->most);
}

/* How many should have been begun by now, of those that a rate asks for. */
static uint64_t due(const struct loading *l)
{
	const int64_t ms = loop_now() - l->begun_ms;

	return (uint64_t)(ms * l->load->rate / 1000) + 1;
}

static int begin_due(struct loading *l, struct error *err)
{
	const size_t most =
		l->load->at_once ? (size_t)l->load->at_once : LOAD_AT_ONCE;

	while (!is_over(l) && l->flying < most &&
	       (!l->load->rate || l->begun + l->times->late < due(l))) {
		if (begin_call(l, err))
			return -1;
	}
	/* They are not made up for: that would be another rate. */
	if (!is_over(l) && l->load->rate && l->flying == most &&
	    l->begun + l->times->late < due(l))
		l->times->late = due(l) - l->begun;
	return 0;
}

static int64_t next_at(const struct loading *l)
{
	int64_t next;

	if (is_over(l))
		return LOOP_FOREVER;
	if (!l->load->rate)
		return l->load->deadline;
	next = l->begun_ms +
	       (int64_t)(l->begun + l->times->late) * 1000 / l->load->rate + 1;
	return next < l->load->deadline ? next : l->load->deadline;
}

static int run(struct loading *l, struct error *err)
{
	while (!is_over(l) || l->flying) {
		if (begin_due(l, err) ||
		    session_step(l->connection->session, NULL, next_at(l), err))
			return -1;
		end_calls(l);
	}
	return 0;
}

int load_run(const struct load *l, struct connection *c,
	     struct call_times *times, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(buf_done) struct buf room = { 0 };
	const char *arguments;
	struct loading loading = { .load = l,
				   .connection = c,
				   .times = times,
				   .begun_ms = loop_now() };
	int status;

	arguments = client_tool_arguments(&c->client, l->tool, l->arguments,
					  &room, err);
	if (!arguments)
		return -1;
	tool_call_params(&params, l->tool, arguments);
	loading.params = buf_take(&params);
	loading.call = mem_zalloc(LOAD_AT_ONCE * sizeof(struct call));
	loading.flies = mem_zalloc(LOAD_AT_ONCE * sizeof(bool));
	call_times_begin(times);
	status = run(&loading, err);
	end_calls(&loading);
	forget_calls(&loading);
	return status;
}
