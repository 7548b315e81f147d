/* SPDX-License-Identifier: MIT */
/*
 * Parse, look up, prepare, run, report, exit status. Everything else is in
 * src/cli.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cmd_tools.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/parse.h"
#include "out/term.h"

/* It can stand as a word of its own, without -t and without quotes. */
static bool is_plain_target(const char *target)
{
	return strchr(target, ':') && !strpbrk(target, " \t?*'\"");
}

static int no_command(struct app *app, const struct parsed *p, size_t words,
		      struct error *err)
{
	if (p->help) {
		help_brief(&app->out);
		return 0;
	}
	if (words == 0) {
		help_brief(&app->out);
		brief_devices(app);
		return 0;
	}
	if (app->config.target && p->target_source)
		error_set(err, ERR_USAGE, "no command for the target '%s'",
			  app->config.target);
	else
		error_set(err, ERR_USAGE, "no command was given");
	if (app->config.child_target)
		return error_hint(
			err,
			"it stands before '--', for example: mcpctl tools -- PROGRAM (mcpctl help lists the commands)");
	if (app->config.target && !is_plain_target(app->config.target))
		return error_hint(
			err,
			"for example: mcpctl -t '%s' tools (mcpctl help lists the commands)",
			app->config.target);
	return error_hint(
		err,
		"for example: mcpctl %s tools (mcpctl help lists the commands)",
		app->config.target ? app->config.target : "sim:");
}

static int invoke(struct connection *connection, char *const *words,
		  size_t count, struct error *err)
{
	CLEANUP(parsed_done) struct parsed p = { 0 };
	struct app *app = connection->app;
	struct pager pager;
	int result = parse_words(&p, words, count, &app->config, err);

	app_configure(app);
	if (result != 0)
		return -1;
	app->target_source = p.target_source;
	if (app->config.version && !p.help) {
		const struct invocation in = { .command = &cmd_version,
					       .app = app };

		return cmd_version.run(&in, err);
	}
	if (!p.command)
		return no_command(app, &p, count, err);
	if (!p.help && output_open(app, p.command, err))
		return -1;
	pager_begin(&pager, app, &p);
	connection->answers_only = (p.command->flags & CMD_ANSWERS) != 0;
	result = command_execute(connection, &p, err);
	pager_end(&pager, result == 0);
	if (result != 0 || app->out.stopped)
		app_check_signal(app, err);
	if (err->kind == ERR_INTERRUPTED)
		result = -1;
	connection_close(connection);
	return result;
}

/* On a terminal, "^C" stands where the message begins. */
static void report(struct app *app, const struct error *err)
{
	/* A reader that had enough, as `| head`: the status tells. */
	if (err->kind == ERR_INTERRUPTED && err->code == SIGPIPE)
		return;
	if (err->kind == ERR_INTERRUPTED && app->out.err_terminal &&
	    term_moves())
		term_erase(app->out.err);
	render_error(&app->out, err);
}

static int exit_status(const struct app *app, const struct error *err)
{
	return err->kind == ERR_NONE ? app->status : error_status(err);
}

/*
 * Without what libraries do at the end of a process: 32 of them come with
 * libcurl, and free what ends with it anyway. LeakSanitizer is one that must.
 */
static int leave(int status)
{
	fflush(NULL);
	if (!ADDRESS_SANITIZED)
		_exit(status);
	return status;
}

int main(int argc, char **argv)
{
	struct error err = { 0 }, lost = { 0 };
	struct app app;
	struct connection connection = { .app = &app };
	int status;

	/* A file that may not grow is an error of a write, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	mem_init();
	app_init(&app);
	if (invoke(&connection, argv + 1, argc > 0 ? (size_t)argc - 1 : 0,
		   &err))
		report(&app, &err);
	if (app_finish(&app, &lost) != 0) {
		if (lost.code != EPIPE)
			render_error(&app.out, &lost);
		if (err.kind == ERR_NONE)
			error_copy(&err, &lost);
	}
	status = exit_status(&app, &err);
	connection_done(&connection);
	app_done(&app);
	error_reset(&err);
	error_reset(&lost);
	return leave(status);
}
