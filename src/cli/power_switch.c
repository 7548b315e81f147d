/* SPDX-License-Identifier: MIT */
#include "cli/power_switch.h"

#include <string.h>

#include "cli/serve_client.h"

int power_possible(struct app *app, struct error *err)
{
	const struct serve_question q = { .op = "status" };
	CLEANUP(control_answer_done) struct control_answer a = { 0 };

	if (serve_ask(app, &q, serve_deadline(app), control_answer_take, &a,
		      err))
		return error_prefix(
			err,
			"--power-cycle is for a board of the running serve");
	if (json_true(a.json, "power"))
		return 0;
	error_set(err, ERR_USAGE,
		  "--power-cycle: this serve cannot switch power");
	return error_hint(
		err,
		"start it with --power-cmd 'CMD {device}', which gets on, off or cycle as its last word");
}

int power_cycle(struct app *app, const char *pattern, struct error *err)
{
	const struct serve_question q = { .op = "power",
					  .device = pattern,
					  .action = "cycle" };
	CLEANUP(control_answer_done) struct control_answer a = { 0 };
	const char *output;
	int64_t status = 0;

	if (serve_ask(app, &q, loop_now() + POWER_SWITCH_MS,
		      control_answer_take, &a, err))
		return -1;
	json_integer(a.json, "status", &status);
	if (json_true(a.json, "over"))
		return error_set(
			err, ERR_TIMEOUT,
			"the power command took longer than 30 s and is being ended");
	if (status == 0)
		return 0;
	output = json_string(a.json, "output");
	return error_set(err, ERR_CONNECT,
			 "the power command ended with status %d%s%.*s",
			 (int)status, output && *output ? ": " : "",
			 output ? (int)strcspn(output, "\r\n") : 0,
			 output ? output : "");
}
