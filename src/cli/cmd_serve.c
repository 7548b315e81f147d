/* SPDX-License-Identifier: MIT */
/*
 * serve: the backend that boards dial in to. The main line: wait, show what
 * happened, run --exec for who is ready, end. What serves is src/serve.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/fence.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "cli/cmd_serve.h"
#include "cli/commands.h"
#include "cli/daemon.h"
#include "cli/serve_exec.h"
#include "cli/serve_fence.h"
#include "cli/serve_log.h"
#include "cli/serve_missing.h"
#include "cli/trace.h"

/* How soon a reader of the log that was slow is tried again. */
#define PUMP_MS 100

struct serving {
	struct app *app;
	const struct serve_arguments *a;
	struct serve_config config;
	struct words paths; /* that config lends */
	struct daemon daemon;
	const char *pidfile_path, *log_path;
	struct pidfile pidfile;
	struct serve_log log;
	struct serve_exec exec;
	struct serve_missing missing;
	struct serve *server;
	int64_t give_up; /* loop_now() ms: then somebody must have been ready */
	bool waiting; /* the log's reader is slow */
	bool hangup;
};

static void on_hangup(void *owner)
{
	struct serving *s = owner;

	s->hangup = true;
	if (s->server)
		serve_wake(s->server);
}

/* The terminal that shows the log is gone: then there is nobody to serve. */
static bool terminal_is_gone(const struct serving *s)
{
	const struct renderer *r = &s->app->out;
	struct pollfd p = { .fd = STDERR_FILENO };

	if (s->log.detached || !r->err_terminal)
		return false;
	return poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR);
}

static int take_hangup(struct serving *s, struct error *err)
{
	if (!s->hangup)
		return 0;
	s->hangup = false;
	if (terminal_is_gone(s)) {
		error_set(err, ERR_INTERRUPTED, "the terminal is gone");
		return error_code(err, SIGHUP);
	}
	serve_log_reopen(&s->log);
	serve_reload(s->server);
	return 0;
}

static void take_records(struct serving *s)
{
	struct record *record;

	while ((record = serve_take(s->server))) {
		serve_missing_note(&s->missing, record);
		serve_log_take(&s->log, record);
	}
	s->waiting = serve_log_pump(&s->log);
}

/* A failed one is in the log; nothing is run for it. */
static void take_ready(struct serving *s)
{
	const char *id;
	bool failed;

	if (!s->a->exec)
		return;
	while ((id = serve_next_ready(s->server, &failed))) {
		if (!failed)
			serve_exec_device(&s->exec, id);
	}
	serve_exec_more(&s->exec);
}

static bool is_over(const struct serving *s)
{
	return serve_stopping(s->server) || (s->a->once && s->exec.ended);
}

static int64_t next_look(const struct serving *s)
{
	int64_t deadline = s->exec.started ? LOOP_FOREVER : s->give_up;
	int64_t pump = loop_now() + PUMP_MS;

	return s->waiting && pump < deadline ? pump : deadline;
}

static int main_line(struct serving *s, struct error *err)
{
	while (!is_over(s)) {
		if (serve_wait(s->server, next_look(s), err) != 0 ||
		    take_hangup(s, err) != 0)
			return -1;
		take_records(s);
		take_ready(s);
		if (!s->exec.started && loop_now() >= s->give_up)
			return serve_missing_explain(&s->missing,
						     s->app->config.wait, err);
	}
	s->app->status = s->a->once && s->exec.ended ? s->exec.first_status :
						       s->exec.worst;
	return 0;
}

/* Everything listens: give up the rest, show it, and let go of who started it. */
static int settle(struct serving *s, struct error *err)
{
	if (s->pidfile.path && pidfile_write(&s->pidfile, err) != 0)
		return -1;
	if (!s->a->no_sandbox)
		serve_fence_raise(s->server, s->app->loop, s->pidfile.path);
	take_records(s);
	if (!s->a->daemon)
		return 0;
	render_note(&s->app->out,
		    "in the background (process %d), log: %s; 'mcpctl stop' "
		    "ends it",
		    (int)getpid(), s->log_path);
	serve_log_detach(&s->log);
	daemon_ready(&s->daemon);
	return 0;
}

static void close_all(struct serving *s, const char *why)
{
	records_add(serve_records(s->server), RECORD_STOPPING, LEVEL_INFO, NULL,
		    NULL, "%s", why);
	serve_exec_stop(&s->exec);
	take_records(s);
	serve_close(TAKE(s->server));
}

static void on_trace(void *owner, const struct trace *t)
{
	struct app *app = owner;

	if (app->trace)
		trace_write(app->trace, t);
}

static int open_trace(struct serving *s, struct error *err)
{
	struct app *app = s->app;

	if (!app->config.trace)
		return 0;
	app->trace = trace_open(app->config.trace, err);
	s->config.trace = on_trace;
	s->config.trace_owner = app;
	return app->trace ? 0 : -1;
}

static int serve(struct serving *s, struct error *err)
{
	struct app *app = s->app;
	int64_t wait = app->config.wait;
	int status;

	if (!s->a->no_sandbox)
		fence_early();
	if (open_trace(s, err) != 0 || app_open_loop(app, err) != 0 ||
	    loop_on_hangup(app->loop, on_hangup, s, err) != 0 ||
	    serve_open(&s->server, app->loop, &s->config, err) != 0)
		return -1;
	serve_exec_init(&s->exec, app->loop, s->server, s->a->exec);
	if (s->a->exec)
		serve_track_ready(s->server);
	s->give_up = s->a->exec && wait ? loop_now() + wait : LOOP_FOREVER;
	status = settle(s, err);
	if (status == 0)
		status = main_line(s, err);
	if (status != 0)
		close_all(s, err->text);
	else
		close_all(s, serve_stopping(s->server) ? "mcpctl stop" :
							 "the command of "
							 "--once has ended");
	return status;
}

/* Where the log goes, and whether this process may run at all. */
static int prepare(struct serving *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *log = daemon_path(s->a->log);
	CLEANUP(mem_free_ptr) char *pidfile = daemon_path(s->a->pidfile);

	if (serve_configure(&s->config, &s->paths, s->app, s->a, err) != 0)
		return -1;
	s->missing.mqtt = (s->config.mqtt || s->config.mqtt_broker) &&
			  s->config.offer != OFFER_WEBSOCKET;
	if (!log && s->a->daemon && serve_log_default(&log, err) != 0)
		return -1;
	if (log) {
		words_add(&s->paths, log);
		s->log_path = s->paths.word[s->paths.count - 1];
	}
	if (pidfile) {
		words_add(&s->paths, pidfile);
		s->pidfile_path = s->paths.word[s->paths.count - 1];
	}
	return 0;
}

static int run_here(struct serving *s, struct error *err)
{
	CLEANUP(error_reset) struct error lost = { 0 };
	int status;

	/* Before descriptors, threads and limits of ours. */
	if (spawner_open(s->a->daemon, err) != 0)
		return -1;
	serve_fence_allow(&s->config, s->a->exec, s->log_path);
	if (serve_log_open(&s->log, &s->app->out, s->log_path,
			   s->a->exec != NULL, err) != 0)
		return -1;
	status = serve(s, err);
	if (serve_log_close(&s->log, &lost) == 0)
		return status;
	/* Whoever stopped it asked for the log too. */
	if (status == 0 || err->kind == ERR_INTERRUPTED) {
		error_copy(err, &lost);
		status = -1;
	}
	return status;
}

static int serve_run(const struct invocation *in, struct error *err)
{
	struct serving s = { .app = in->app, .a = in->options };
	int status;

	s.daemon.pipe = -1;
	status = prepare(&s, err);
	if (status == 0 && s.a->daemon)
		status = daemon_fork(&s.daemon, &in->app->status, err);
	/* 1: the process that was started; the other one tells what failed. */
	if (status == 0 && s.pidfile_path)
		status = pidfile_take(&s.pidfile, s.pidfile_path, err);
	if (status == 0)
		status = run_here(&s, err);
	pidfile_remove(&s.pidfile);
	serve_missing_done(&s.missing);
	words_done(&s.paths);
	return status < 0 ? -1 : 0;
}

static const struct example serve_examples[] = {
	{ "serve --listen 127.0.0.1:0 --exec 'mcpctl tools' --once --wait "
	  "200ms",
	  NULL, 3 },
	{ NULL, NULL, 0 }
};

const struct command cmd_serve = {
	.name = "serve",
	.args = "",
	.brief = "be the backend of many boards, for commands that attach",
	.text = "Answers the OTA question of boards, takes them in over "
		"WebSocket and, with --mqtt, over MQTT, greets and "
		"initializes each and lists its tools, takes the pictures of "
		"their cameras, and keeps them until they go. Meanwhile every "
		"other command of mcpctl that is given no target attaches to "
		"it: -d picks the board, --all means every one.\n"
		"\n"
		"  mcpctl serve\n"
		"  mcpctl devices\n"
		"  mcpctl -d kitchen call self.audio_speaker.set_volume "
		"volume=30\n"
		"\n"
		"It prints the OTA address to set on a board, and then a line "
		"for each thing that happens (an object with -o json): with "
		"-v also the small ones, with -q only what is wrong. 'mcpctl "
		"stop', Ctrl-C or SIGTERM end it; SIGHUP lets it read its "
		"files of tokens, names and keys again.\n"
		"\n"
		"--exec CMD runs CMD when a board is ready, with "
		"MCPCTL_TARGET and MCPCTL_DEVICE set, so that mcpctl in it "
		"means this board; the log goes to stderr then. What the "
		"environment holds as MCPCTL_TOKEN, MCPCTL_MQTT_PASSWORD and "
		"the like, it does not get: a command that needs one takes it "
		"from a file. While it runs "
		"for a board, it is not started for that board again, so it "
		"may restart it. With --once the first command that ends ends "
		"serve, with its status; with --wait, status 3 tells that no "
		"board was ready in time, and which step is missing. Without "
		"--once, serve ends at 'mcpctl stop' with the highest status "
		"of the commands.\n"
		"\n"
		"  mcpctl serve --exec 'mcpctl run smoke.mcp' --once --wait "
		"120s\n"
		"\n"
		"With --trace FILE every frame of every board goes to FILE: "
		"for a board that does not answer.\n"
		"\n"
		"If the log cannot be written, serve goes on, says so once, "
		"and ends with status 8. More: mcpctl help backend, mcpctl "
		"help board.",
	.group = GROUP_DEVICE,
	.flags = CMD_STREAM,
	.min = 0,
	.max = 0,
	.options = serve_rows,
	.options_size = sizeof(struct serve_arguments),
	.examples = serve_examples,
	.run = serve_run
};
