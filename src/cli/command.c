/* SPDX-License-Identifier: MIT */
/*
 * From words to a running command: --help, the number of operands, the
 * session. Commands never count operands nor open anything by themselves.
 */
#include <string.h>

#include "base/text.h"
#include "cli/app.h"
#include "cli/cmd_describe.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/help.h"
#include "cli/judged.h"
#include "cli/output.h"
#include "cli/parse.h"
#include "cli/serve_client.h"

/* `call TOOL --help` asks the device; without one it is help on call. */
static int show_help(struct connection *c, const struct parsed *p,
		     struct error *err)
{
	struct app *app = c->app;

	if (p->command->operand == OPERAND_TOOL_CALL && p->operands.count > 0 &&
	    (app->config.target || serve_target_find(app, NULL) == 0) &&
	    app->config.target) {
		if (describe_tool(c, p->operands.word[0], err) == 0)
			return 0;
		/* A socket that nobody answers was no target. */
		if (app->config.target)
			return -1;
		error_reset(err);
	}
	help_command(&app->out, p->command);
	return 0;
}

/* The name of operand number n in "TOOL [ARG]...", without its brackets. */
static void operand_name(const char *args, int n, char *out, size_t size)
{
	const char *at = args ? args : "";

	for (int i = 0; i < n && *at; i++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	at += strspn(at, "[");

	size_t len = strcspn(at, " ].");

	len = len < size ? len : size - 1;
	memcpy(out, at, len);
	out[len] = '\0';
}

/* `serve --mqtt 1884`: some values stand only behind '='. */
static void hint_optional(const struct command *c, const char *word,
			  struct error *err)
{
	int64_t number;

	for (const struct option_row *o = c->options; o && o->name; o++) {
		if (o->type == OPTION_OPTIONAL &&
		    text_integer(word, o->min, o->max, &number) == 0)
			error_hint(
				err,
				"the value of '--%s' stands behind '=': --%s=%s",
				o->name, o->name, word);
	}
}

static int check_operands(const struct parsed *p, struct error *err)
{
	const struct command *c = p->command;
	size_t count = p->operands.count;
	CLEANUP(buf_done) struct buf usage = { 0 };
	char name[48];

	if (c->min > 0 && count < (size_t)c->min) {
		operand_name(c->args, (int)count, name, sizeof(name));
		error_set(err, ERR_USAGE, "'%s' needs %s", c->name,
			  *name ? name : "an operand");
	} else if (c->max == 0 && count > 0) {
		error_set(err, ERR_USAGE,
			  "'%s' takes no operands, but got '%s'", c->name,
			  p->operands.word[0]);
		hint_optional(c, p->operands.word[0], err);
	} else if (c->max > 0 && count > (size_t)c->max) {
		error_set(
			err, ERR_USAGE,
			"'%s' takes at most %d operand%s, '%s' is one too many",
			c->name, c->max, c->max == 1 ? "" : "s",
			p->operands.word[c->max]);
	} else {
		return 0;
	}
	help_usage(&usage, c);
	return error_detail(err, buf_string(&usage), usage.len);
}

/* `mcpctl tools sim:` is a natural slip: the target behind the command. */
static int check_target(const struct app *app, const struct parsed *p,
			struct error *err)
{
	if (app->config.target || !(p->command->flags & CMD_SESSION))
		return 0;
	for (size_t i = 0; i < p->operands.count; i++) {
		const char *word = p->operands.word[i];

		size_t len = strcspn(word, ":");

		if (!word[len] || !scheme_find(word, len))
			continue;
		error_set(err, ERR_USAGE,
			  "no target: '%s' stands behind the command", word);
		return error_hint(err, "did you mean: mcpctl %s %s", word,
				  p->command->name);
	}
	return 0;
}

int command_refuse_all(const struct command *c, struct error *err)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (const struct command *const *other = commands; *other; other++) {
		/* Of two it means all that they know, and no boards. */
		if ((*other)->all && *other != &cmd_help &&
		    *other != &cmd_explain)
			buf_printf(&names, "%s%s", names.len ? ", " : "",
				   (*other)->name);
	}
	error_set(err, ERR_USAGE, "'%s' cannot be done with --all", c->name);
	return error_hint(err, "these can: %s", buf_string(&names));
}

static int execute(struct connection *connection, struct parsed *p,
		   struct error *err)
{
	const struct command *c = p->command;
	struct app *app = connection->app;

	if (p->help)
		return show_help(connection, p, err);
	if (check_target(app, p, err) || check_operands(p, err))
		return -1;
	if (app->config.all && !c->all)
		return command_refuse_all(c, err);
	connection->any_device = app->config.no_init && (c->flags & CMD_NO_MCP);
	if (!app->config.all &&
	    (c->flags & (CMD_SESSION | CMD_OPENS)) == CMD_SESSION &&
	    connection_open(connection, err))
		return -1;

	static char *none[] = { NULL };
	const struct invocation in = { .command = c,
				       .app = app,
				       .connection = connection,
				       .options = p->options,
				       .argc = (int)p->operands.count,
				       .argv = p->operands.word ?
						       p->operands.word :
						       none };

	app->out.query_at_once = (c->flags & CMD_STREAM) != 0;
	int status = app->config.all ? c->all(&in, err) : c->run(&in, err);
	return output_end(app, status, err);
}

int command_execute(struct connection *connection, struct parsed *p,
		    struct error *err)
{
	const int status = execute(connection, p, err);

	if (status)
		judged_error(connection, err);
	return status;
}

int command_run(struct connection *c, char *const *words, size_t count,
		struct error *err)
{
	CLEANUP(parsed_done) struct parsed p = { 0 };
	struct line_query asked;
	int status;

	if (parse_words(&p, words, count, NULL, err))
		return -1;
	if (!p.command)
		return error_set(err, ERR_USAGE, "no command on this line");
	if (line_query_open(&asked, c->app, p.jq, err))
		return -1;
	status = command_execute(c, &p, err);
	line_query_done(&asked, c->app);
	return status;
}
