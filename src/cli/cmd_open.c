/* SPDX-License-Identifier: MIT */
/*
 * open: servers are kept open in the running serve, each by a process of its
 * own (cli/keeper); a serve without a port is started where none runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/daemon.h"
#include "cli/held_key.h"
#include "cli/keeper.h"
#include "cli/setup.h"
#include "net/control_client.h"

#define IDLE_MS (INT64_C(10) * 60 * 1000)
#define SAID_MAX 65536

struct open_options {
	const char *idle;
};

static const struct option_row open_options[] = {
	{ .name = "idle",
	  .word = "DURATION",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct open_options, idle),
	  .brief = "end it when no command used it for so long; 0: never",
	  .fallback = "10m" },
	{ .name = NULL }
};

/* ---- the serve that keeps them ---- */

static int cannot_start(const char *why, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no serve is running, and none could be started: %s", why);
	return error_hint(
		err, "start one by hand to see more: mcpctl serve --no-listen");
}

/* said: what stands on its stderr; -1: that is ours. An errno. */
static int spawn_serve(pid_t *child, char *const *argv, int said)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	if (said >= 0)
		posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
	error = posix_spawn(child, "/proc/self/exe", &actions, NULL, argv,
			    environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static void repeat(FILE *to, int said)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_init(&text, SAID_MAX);
	if (said >= 0 && lseek(said, 0, SEEK_SET) == 0 &&
	    file_read_fd(&text, said) == 0)
		fputs(buf_string(&text), to);
	if (said >= 0)
		close(said);
}

/* In the background; it ends by itself when nothing is kept open. */
static int start_serve(const char *path, FILE *to, struct error *err)
{
	char name[] = "mcpctl", command[] = "serve", alone[] = "--no-listen",
	     away[] = "--daemon", quiet[] = "--quiet", at[] = "--socket";
	CLEANUP(mem_free_ptr) char *socket = mem_strdup(path);
	char *argv[] = { name, command, alone, away, quiet, at, socket, NULL };
	int error, how = 0, said = memfd_create("serve", MFD_CLOEXEC);
	bool there;
	pid_t child;

	error = spawn_serve(&child, argv, said);
	while (!error && waitpid(child, &how, 0) < 0) {
		if (errno != EINTR)
			break;
	}
	there = !error && control_is_open(path);
	/* Another `open` may have been faster: then it says so, and all is well. */
	if (there && how && said >= 0)
		close(said);
	else
		repeat(to, said);
	if (error)
		return cannot_start(strerror(error), err);
	return there ? 0 : cannot_start("it ended at once, see above", err);
}

static int find_serve(char **path, const struct app *app, struct error *err)
{
	CLEANUP(mem_free_ptr) char *given = daemon_path(app->config.socket);
	bool exists;

	/* One that runs may be at the other of the two places. */
	if (control_path(path, given, false, err))
		return -1;
	if (control_is_open(*path))
		return 0;
	mem_free(TAKE(*path));
	if (control_path(path, given, true, err) ||
	    control_path_check(*path, &exists, err))
		return -1;
	return start_serve(*path, app->out.err, err);
}

/* ---- one of them ---- */

struct opening {
	struct app *app;
	struct daemon daemon;
	const char *name;
};

static void let_go(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing < 0)
		return;
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	dup2(nothing, STDERR_FILENO);
	close(nothing);
}

static int on_ready(void *owner, const char *id, struct error *err)
{
	struct opening *o = owner;
	CLEANUP(buf_done) struct buf word = { 0 };

	if (daemon_is_abandoned(&o->daemon))
		return error_set(err, ERR_INTERRUPTED, "nobody waits for it");
	words_quote(&word, id);
	render_note(&o->app->out,
		    "'%s' is open (process %d); mcpctl close %s ends it", id,
		    (int)getpid(), buf_string(&word));
	fflush(NULL);
	let_go();
	daemon_ready(&o->daemon);
	return 0;
}

static int refuse_kind(const struct endpoint *e, struct error *err)
{
	error_set(err, ERR_USAGE, "'%s' cannot be kept open", e->text);
	return error_hint(
		err,
		"a program (stdio:), http: and ws: can; boards that dial in are kept by 'mcpctl serve'");
}

/* It is started again here, too, though who keeps it leaves this folder. */
static void stay_here(struct endpoint *e)
{
	if (e->scheme->kind == SCHEME_CHILD && !e->cwd)
		e->cwd = daemon_path(".");
}

/* The socket is serve's, and no option of the target. */
static int set_up(struct endpoint *e, struct app *app,
		  const struct transport_ops **ops, struct error *err)
{
	const char *socket = app->config.socket;
	int status;

	app->config.socket = NULL;
	app->direct = app->apart = true;
	status = setup_endpoint(e, app, ops, err);
	app->direct = app->apart = false;
	app->config.socket = socket;
	if (status == 0 && !held_fits(e))
		return refuse_kind(e, err);
	if (status == 0)
		stay_here(e);
	return status;
}

static bool is_open(const char *path, const char *key)
{
	CLEANUP(mem_free_ptr) char *mark = held_mark_path(path, key);

	return held_mark_look(mark) > 0;
}

/* 1: that is the process that was started by the user; 0: the one that keeps. */
static int keep(struct opening *o, const struct keeper_order *order,
		struct error *err)
{
	struct app *app = o->app;
	int status = 0;
	int which = daemon_fork(&o->daemon, &status, err);

	if (which > 0) {
		/* What failed was told by the other one. */
		if (status > app->status)
			app->status = status;
		return 1;
	}
	if (which == 0)
		which = keeper_run(app, order, err);
	/* The terminal is somebody else's by now. */
	if (which < 0 && daemon_is_abandoned(&o->daemon))
		let_go();
	if (which && err->kind == ERR_CONNECT && err->code == EEXIST) {
		render_note(&app->out, "%s", err->text);
		error_reset(err);
		which = 0;
	}
	return which;
}

/*
 * 1: go on with the next. A serve is looked for, and started, once it is known
 * what it is to keep: *path, owned, is its socket then.
 */
static int open_one(struct app *app, const char *word, char **path,
		    int64_t idle, bool others, struct error *err)
{
	CLEANUP(endpoint_done) struct endpoint e = { 0 };
	CLEANUP(mem_free_ptr) char *name = held_name(word);
	char key[HELD_KEY_SIZE];
	struct opening o = { .app = app, .name = name };
	struct keeper_order order = { .name = name,
				      .key = key,
				      .idle = idle,
				      .to = &e,
				      .ready = on_ready,
				      .owner = &o };

	app->config.target = word;
	if (set_up(&e, app, &order.ops, err)) {
		if (!others || err->kind == ERR_INTERRUPTED)
			return -1;
		app_tell_failure(app, err);
		return 1;
	}
	if (!*path && find_serve(path, app, err))
		return -1;
	order.socket = *path;
	held_key(&e, key);
	if (is_open(*path, key)) {
		render_note(&app->out, "'%s' is open already", name);
		return 1;
	}
	return keep(&o, &order, err);
}

static int refuse_two(const char *before, const char *behind, struct error *err)
{
	CLEANUP(mem_free_ptr) char *first = endpoint_without_password(before);
	CLEANUP(mem_free_ptr) char *second = endpoint_without_password(behind);

	return error_set(
		err, ERR_USAGE,
		"targets in front of 'open' and behind it: '%s' and '%s'",
		first, second);
}

static int open_run(const struct invocation *in, struct error *err)
{
	const struct open_options *options = in->options;
	struct app *app = in->app;
	CLEANUP(mem_free_ptr) char *path = NULL;
	const char *target = app->config.target;
	int64_t idle = IDLE_MS;
	int status = 1;

	if (options->idle && strcmp(options->idle, "0") == 0)
		idle = 0;
	else if (options->idle && text_duration(options->idle, &idle, err))
		return error_prefix(err, "option '--idle'");
	if (in->argc > 0 && target && strcmp(target, "attach:") != 0 &&
	    target != getenv("MCPCTL_TARGET"))
		return refuse_two(target, in->argv[0], err);
	if (in->argc == 0 && !target) {
		error_set(err, ERR_USAGE, "'open' needs NAME or TARGET");
		return error_hint(
			err,
			"'mcpctl targets' lists names; a program: mcpctl open -- PROGRAM");
	}
	if (in->argc)
		app->target_source = "the argument";
	for (int i = 0; status > 0 && i < (in->argc ? in->argc : 1); i++)
		status = open_one(app, in->argc ? in->argv[i] : target, &path,
				  idle, in->argc > 1, err);
	return status < 0 ? -1 : 0;
}

static const struct example open_examples[] = {
	{ "open weather", NULL, EXAMPLE_GOES_ON },
	{ "open 'stdio:npx -y @modelcontextprotocol/server-everything'", NULL,
	  EXAMPLE_GOES_ON },
	{ "open https://mcp.example.com/mcp --idle 1h", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_open = {
	.name = "open",
	.args = "[NAME|TARGET]...",
	.brief = "keep MCP servers open, so that calls need not start them",
	.text = "Starts or dials each server once and keeps it open in the running 'mcpctl serve'; where none runs, one is started in the background that opens no port, and ends with the last server. "
		"From then on every command that names the same target goes through it, in the time that a board of serve takes. NAME is one of 'mcpctl targets'; of targets, programs (stdio:, or behind --), http: and ws: can be kept open.\n"
		"\n"
		"  mcpctl open weather\n"
		"  mcpctl -t weather call forecast city=Oslo\n"
		"  mcpctl close weather\n"
		"\n"
		"The server gets the environment, folder and rights of the command that opened it, of which nothing is sent to serve. The same target from another folder or environment is another one, and dialled as before; what does not count is mcpctl's own variables and those that tell where a command is typed (_ COLUMNS GPG_TTY LINES OLDPWD PWD SHLVL SSH_CLIENT SSH_TTY SSH_CONNECTION STY TERM_SESSION_ID TMUX TMUX_PANE WINDOWID XDG_SESSION_ID). "
		"Of http: and ws: the address, headers, certificates and the way there count. 'check' and --no-init always dial.\n"
		"\n"
		"It ends with 'mcpctl close', when no command used it for --idle, and with serve. One that ended by itself is started again by the next command, which says so. 'mcpctl devices' shows boards and servers alike, -d picks either, --all means both; a command that names neither means a board.\n"
		"\n"
		"Commands share one session. The server is told that it may ask (elicitation, sampling, roots): what it asks goes to the command whose call is the newest, as far as that can be known, and to nobody else; a command without --elicit, --sampling or --root says that nobody answers. Progress comes to the command that called; other notifications to all that are attached. What the session keeps (loglevel, subscriptions) is kept for all.\n"
		"\n"
		"A server is begun by initialize; a program that speaks nothing but MCP 2026-07-28 is kept as well, and commands then speak that to it. Over HTTP that revision has no session that could be kept.\n"
		"\n"
		"One that is open already is no failure. The status is the highest of all.",
	.group = GROUP_START,
	.flags = CMD_TARGET | CMD_MINOR,
	.min = 0,
	.max = -1,
	.operand = OPERAND_NAMED,
	.options = open_options,
	.options_size = sizeof(struct open_options),
	.examples = open_examples,
	.run = open_run
};
