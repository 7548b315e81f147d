/* SPDX-License-Identifier: MIT */
/*
 * --power-cycle: the last stage of a board of the running serve. Its power is
 * switched off and on by serve's --power-cmd, and it has to be back, initialized
 * and listed.
 */
#include "check/power_cycle.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/parts.h"
#include "cli/power_switch.h"
#include "cli/serve_client.h"

enum { BACK_MS = 120000 };

int check_power_read(const struct checkup *k, struct error *err)
{
	if (!k->options->power_cycle || k->options->risk >= RISK_ODD)
		return 0;
	error_set(
		err, ERR_USAGE,
		"--power-cycle takes the power from the board in the midst of what it does: it needs --risk odd or args");
	return error_hint(
		err,
		"'mcpctl power DEVICE cycle' does that alone, and asks nothing");
}

/* Before anything is asked: the rest would have been in vain. */
int check_power_possible(const struct checkup *k, struct error *err)
{
	return k->options->power_cycle ? power_possible(k->in->app, err) : 0;
}

static int not_ready(const struct control_answer *a, struct error *err)
{
	const char *reason =
		json_string(json_object(a->json, "device"), "reason");

	return error_set(err, ERR_UNMET,
			 "it is back, and was not initialized%s%.200s",
			 reason ? ": " : "", reason ? reason : "");
}

/* Its next connection is ready, or will not be. */
static int wait_for_it(struct control_line *line, int64_t wait,
		       struct control_answer *out, struct error *err)
{
	const int64_t until = loop_now() + wait;

	while (control_line_next(line, until, out, err) == 0) {
		const char *change = json_string(out->json, "change");

		if (text_same(change, "ready"))
			return 0;
		if (text_same(change, "failed"))
			return not_ready(out, err);
		control_answer_done(out);
	}
	if (err->kind != ERR_TIMEOUT)
		return -1;
	error_set(err, ERR_UNMET,
		  "its power was cycled, and it was not back within %lld ms",
		  (long long)wait);
	return error_hint(
		err,
		"over WebSocket a stock board connects only when somebody wakes it");
}

static const char *list_of(const struct control_answer *a)
{
	return json_string(json_object(a->json, "device"), "list");
}

/* What it was before; the line goes on with what happens. */
static int watch(const struct checkup *k, const char *pattern,
		 struct control_line **line, char **list, struct error *err)
{
	const struct serve_question q = { .op = "devices",
					  .device = pattern,
					  .watch = true };
	const int64_t until = serve_deadline(k->in->app);

	if (serve_client_open(line, k->in->app, false, err) ||
	    control_line_send(*line, &q, err))
		return -1;
	for (;;) {
		CLEANUP(control_answer_done) struct control_answer a = { 0 };

		if (control_line_next(*line, until, &a, err))
			return -1;
		if (text_same(a.op, "end"))
			return 0;
		if (list_of(&a)) {
			mem_free(*list);
			*list = mem_strdup(list_of(&a));
		}
	}
}

/* 0: *same says whether it has the same tools as before. */
static int cycle(const struct checkup *k, const char *pattern,
		 struct control_line **line, bool *same, struct error *err)
{
	CLEANUP(control_answer_done) struct control_answer back = { 0 };
	CLEANUP(mem_free_ptr) char *list = NULL;
	const int64_t wait = k->in->app->config.timeout;

	if (watch(k, pattern, line, &list, err) ||
	    power_cycle(k->in->app, pattern, err) ||
	    wait_for_it(*line, wait ? wait : BACK_MS, &back, err))
		return -1;
	*same = text_same(list, list_of(&back));
	return 0;
}

int stage_power(struct checkup *k, struct error *err)
{
	const struct session_peer *peer =
		session_peer(k->in->connection->session);
	CLEANUP(mem_free_ptr) char *pattern = NULL;
	struct control_line *line = NULL;
	const int64_t begun = loop_now();
	char took[TEXT_ROOM];
	bool same = false;
	int status;

	if (!k->options->power_cycle)
		return 0;
	if (!peer->device_id)
		return error_set(
			err, ERR_CONNECT,
			"it told no Device-Id, by which its power could be switched");
	pattern = mem_printf("id:%s", peer->device_id);
	check_progress(k, "power cycle");
	k->asked++;
	status = cycle(k, pattern, &line, &same, err);
	control_line_close(line);
	text_milliseconds(loop_now() - begun, took, sizeof(took));
	check_stage(k, "power", status ? check_verdict(err) : STAGE_OK,
		    "%s%s%s", status ? err->text : "cycled, and back after ",
		    status ? "" : took,
		    status ? "" :
		    same   ? ", with the same tools" :
			     ", with other tools than before");
	return status;
}
