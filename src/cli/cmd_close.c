/* SPDX-License-Identifier: MIT */
/*
 * close: end servers that are kept open, and be back when they have ended.
 */
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/held_key.h"
#include "cli/serve_client.h"
#include "out/wrap.h"

static void take_count(void *owner, struct control_answer *a)
{
	json_integer(a->json, "count", owner);
}

static int close_run(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	int64_t count = 0, ended;

	for (int i = 0; i < in->argc; i++) {
		CLEANUP(mem_free_ptr) char *name = held_name(in->argv[i]);
		const struct serve_question q = { .op = "close",
						  .device = name };

		ended = 0;
		if (serve_ask(in->app, &q, serve_deadline(in->app), take_count,
			      &ended, err)) {
			/* One that is not kept open does not keep the others so. */
			if (in->argc == 1 || err->kind != ERR_UNMET)
				return -1;
			app_tell_failure(in->app, err);
		}
		count += ended;
	}
	wrap_count(&words, (uint64_t)count, "server");
	render_note(&in->app->out, "closed %s", buf_string(&words));
	return 0;
}

static const struct example close_examples[] = { { "close weather", NULL, 3 },
						 { "close '*'", NULL, 3 },
						 { NULL, NULL, 0 } };

const struct command cmd_close = {
	.name = "close",
	.globals = "socket timeout",
	.args = "NAME...",
	.brief = "end servers that 'open' keeps open",
	.text = "NAME is the word that a server was opened by, or what 'mcpctl devices' calls it, or a glob: then all that fit are meant. "
		"The command is back when they have ended. Commands that are attached are told. Status 7: none fits; 3: no serve is running.",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = -1,
	.operand = OPERAND_HELD,
	.examples = close_examples,
	.run = close_run
};
