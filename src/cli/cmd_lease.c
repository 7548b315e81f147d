/* SPDX-License-Identifier: MIT */
/*
 * lease: hold boards of the running serve for one user of it: while a command
 * runs, or for a time.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/outside.h"
#include "cli/serve_client.h"
#include "out/render_json.h"
#include "out/text_device.h"

#define VARIABLE "MCPCTL_LEASE"
#define NAME_MAX_BYTES 64 /* as serve takes it */

struct lease_options {
	int64_t length;
	const char *as;
	bool release;
};

#define PLACE(member) offsetof(struct lease_options, member)
static const struct option_row lease_options[] = {
	{ .name = "for",
	  .word = "DURATION",
	  .type = OPTION_DURATION,
	  .offset = PLACE(length),
	  .brief = "so long at most; without a command it is what ends it",
	  .min = 1 },
	{ .name = "as",
	  .word = "NAME",
	  .type = OPTION_TEXT,
	  .offset = PLACE(as),
	  .fallback = "the CI job, else user@terminal",
	  .brief = "who holds them, for those who are refused" },
	{ .name = "release",
	  .type = OPTION_FLAG,
	  .offset = PLACE(release),
	  .brief =
		  "give back what this shell holds; with DEVICE and --as: what NAME holds" },
	{ .name = NULL }
};

/* ---- who ---- */

/* What CI systems call a job, and its run. */
static const char *const jobs[][2] = {
	{ "GITHUB_JOB", "GITHUB_RUN_ID" },
	{ "CI_JOB_NAME", "CI_JOB_ID" },
	{ "JOB_NAME", "BUILD_NUMBER" },
};

static char *job_name(void)
{
	for (size_t i = 0; i < COUNT(jobs); i++) {
		const char *name = getenv(jobs[i][0]);
		const char *run = getenv(jobs[i][1]);

		if (name && *name && run)
			return mem_printf("%s %s", name, run);
	}
	return NULL;
}

static char *user_name(void)
{
	const struct passwd *who = getpwuid(geteuid());
	const char *user = who ? who->pw_name : "somebody";
	const char *tty = NULL;

	for (int fd = 0; fd < 3 && !tty; fd++)
		tty = ttyname(fd);
	if (!tty)
		return mem_printf("%s (process %d)", user, (int)getppid());
	return mem_printf("%s@%s", user,
			  text_starts(tty, "/dev/") ? tty + 5 : tty);
}

/* As serve takes it; what was given in so many words is not bent. */
static char *own_name(void)
{
	char *name = job_name();

	if (!name)
		name = user_name();
	name[text_cut(name, strlen(name), NAME_MAX_BYTES)] = '\0';
	for (char *c = name; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return name;
}

static char *devices_json(const struct invocation *in)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_char(&out, '[');
	for (int i = 0; i < in->argc; i++) {
		buf_text(&out, i ? "," : "");
		buf_json_string(&out, in->argv[i], strlen(in->argv[i]));
	}
	buf_char(&out, ']');
	return buf_take(&out);
}

/* ---- until it is granted ---- */

static int not_in_time(const struct app *app, const char *why, int64_t ago,
		       struct error *err)
{
	char time[32], since[64];

	error_set(err, ERR_TIMEOUT, "not leased within %s: %s%s",
		  text_milliseconds(app->config.wait, time, sizeof(time)), why,
		  text_since(since, sizeof(since), ago));
	return error_hint(err, "'mcpctl devices' shows who holds which board");
}

/* Ctrl-C and the end of the time close the line, which gives up the place. */
static int await(struct app *app, struct control_line *serve,
		 struct control_answer *out, struct error *err)
{
	int64_t wait = app->config.wait;
	int64_t deadline = wait ? loop_now() + wait : serve_deadline(app);
	CLEANUP(mem_free_ptr) char *before = NULL;
	int64_t told = 0;

	while (control_line_next(serve, deadline, out, err) == 0) {
		const char *text = json_string(out->json, "text");

		if (strcmp(out->op, "leased") == 0)
			return 0;
		if (strcmp(out->op, "queued") == 0) {
			mem_free(before);
			before = mem_strdup(text ? text : "");
			told = loop_now();
			render_note(&app->out, "waiting: %s", before);
		}
		control_answer_done(out);
	}
	if (err->kind == ERR_TIMEOUT && before)
		return not_in_time(app, before, loop_now() - told, err);
	return -1;
}

/* What the user may not expect of what was leased. */
static void tell_absent(struct app *app, const cJSON *answer)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, json_array(answer, "devices")) {
		if (!json_true(one, "here"))
			render_note(
				&app->out,
				"'%s' is not here now; it is held for you when it comes",
				render_device_name(one));
	}
}

/* The tokens that this process was given, and the new one. */
static char *tokens_with(const char *token, struct error *err)
{
	const char *given = getenv(VARIABLE);
	char *all = given && *given ? mem_printf("%s,%s", given, token) :
				      mem_strdup(token);

	if (strlen(all) < CONTROL_LEASES_MAX)
		return all;
	error_set(err, ERR_USAGE, VARIABLE " holds too many leases");
	error_hint(err, "unset it: those that are over are of no use");
	mem_free(all);
	return NULL;
}

/* ---- while a command runs ---- */

/* The lease may end before the command does: that is said when it happens. */
static bool watch(struct app *app, struct control_line *serve)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };

	if (control_line_next(serve, loop_now(), &answer, &why) == 0 &&
	    strcmp(answer.op, "unleased") == 0)
		control_error_decode(&why, json_object(answer.json, "error"));
	else if (why.kind == ERR_NONE)
		return true;
	render_note(
		&app->out,
		"%s: from now on the command's calls to these boards are refused, or free for all",
		why.text);
	return false;
}

static int run_under(struct app *app, struct control_line *serve,
		     const char *tokens, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *variable = mem_printf(VARIABLE "=%s", tokens);
	const char *const env[] = { variable, NULL };
	const struct outside_order order = { .argv = app->config.child.word,
					     .env = env,
					     .in = CHILD_INHERIT,
					     .secrets = true };
	struct outside o;
	bool woken = false, leased = true;

	if (outside_start(&o, app, &order, err))
		return -1;
	control_line_wakes(serve, &woken);
	while (!o.ended) {
		outside_wait_for(&o, &woken);
		woken = false;
		if (!o.ended && leased)
			leased = watch(app, serve);
	}
	control_line_wakes(serve, NULL);
	app->status = o.status;
	return 0;
}

/* One of its boards, as a list: no other lease has that one. */
static char *first_board(const cJSON *lease)
{
	const cJSON *devices = json_array(lease, "devices");
	const char *id = json_string(cJSON_GetArrayItem(devices, 0), "id");
	CLEANUP(mem_free_ptr) char *pick = mem_printf("id:%s", id ? id : "");
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_char(&out, '[');
	buf_json_string(&out, pick, strlen(pick));
	buf_char(&out, ']');
	return buf_take(&out);
}

/*
 * Told back, so that whoever comes next finds it free; and it alone, not what
 * MCPCTL_LEASE held before. by: whose it is; NULL: its token tells.
 */
static void give_back(struct app *app, struct control_line *serve,
		      const cJSON *lease, const char *by)
{
	CLEANUP(mem_free_ptr) char *devices = first_board(lease);
	const struct serve_question q = { .op = "release",
					  .devices = devices,
					  .by = by };
	CLEANUP(error_reset) struct error why = { 0 };
	bool over = control_line_send(serve, &q, &why) != 0;

	while (!over) {
		CLEANUP(control_answer_done)
		struct control_answer answer = { 0 };

		over = control_line_next(serve, serve_deadline(app), &answer,
					 &why) != 0 ||
		       strcmp(answer.op, "released") == 0;
	}
}

/* ---- without one ---- */

static void print_lease(struct app *app, const struct control_answer *answer,
			const char *tokens)
{
	const struct span lease = control_answer_member(answer, "lease");
	const struct span devices = control_answer_member(answer, "devices");
	CLEANUP(buf_done) struct buf line = { 0 };

	buf_printf(&line, "{\"leases\":\"%s\",\"lease\":%.*s,\"devices\":%.*s}",
		   tokens, (int)lease.len, lease.text, (int)devices.len,
		   devices.text);
	if (app->out.form == OUTPUT_JSON)
		put_json_line(&app->out, &line, (struct span){ 0 });
	else
		fprintf(app->out.out, "export " VARIABLE "=%s\n", tokens);
	if (app->out.out_terminal)
		render_note(
			&app->out,
			"that line is for this shell: next time eval \"$(mcpctl lease …)\"");
}

/* Only what we made ourselves goes into a shell. */
static bool is_plain(const char *tokens)
{
	return tokens[strspn(tokens, "0123456789abcdef,")] == '\0';
}

static int take(struct app *app, struct control_line *serve,
		const struct serve_question *q, struct error *err)
{
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };
	CLEANUP(mem_free_ptr) char *tokens = NULL;
	const char *token;
	int status = 0;

	if (control_line_send(serve, q, err) || await(app, serve, &answer, err))
		return -1;
	token = json_string(answer.json, "token");
	tokens = tokens_with(token ? token : "", err);
	if (!tokens) {
		give_back(app, serve, answer.json, q->by);
		return -1;
	}
	tell_absent(app, answer.json);
	if (!q->keep)
		status = run_under(app, serve, tokens, err);
	else if (is_plain(tokens))
		print_lease(app, &answer, tokens);
	else
		status = error_set(
			err, ERR_USAGE,
			VARIABLE " holds something else than leases: unset it");
	/* A token that nobody got is of no use. */
	if (!q->keep || status != 0 || app->out.query_failed ||
	    fflush(app->out.out) != 0)
		give_back(app, serve, answer.json, NULL);
	return status;
}

/* ---- given back ---- */

static void take_count(void *owner, struct control_answer *a)
{
	json_integer(a->json, "count", owner);
}

static int release(const struct invocation *in, const struct lease_options *o,
		   struct error *err)
{
	CLEANUP(mem_free_ptr) char *devices = devices_json(in);
	const struct serve_question q = { .op = "release",
					  .devices = devices,
					  .by = o->as };
	int64_t count = 0;

	if (serve_ask(in->app, &q, serve_deadline(in->app), take_count, &count,
		      err))
		return -1;
	render_note(&in->app->out, "gave back %lld lease%s", (long long)count,
		    count == 1 ? "" : "s");
	return 0;
}

/* ---- the command ---- */

static int check(const struct invocation *in, const struct lease_options *o,
		 bool command, struct error *err)
{
	if (o->release && (command || o->length))
		return error_set(
			err, ERR_USAGE,
			"option '--release' takes neither --for nor a command");
	if (o->release && o->as && in->argc == 0)
		return error_set(err, ERR_USAGE,
				 "option '--as' with --release needs DEVICE");
	if (o->release)
		return 0;
	if (in->argc == 0) {
		error_set(err, ERR_USAGE, "'lease' needs DEVICE");
		return error_hint(err, "'mcpctl devices' shows who is there");
	}
	if (command || o->length)
		return 0;
	error_set(err, ERR_USAGE, "'lease' needs an end: -- COMMAND, or --for");
	return error_hint(
		err,
		"mcpctl lease %s -- make test, or eval \"$(mcpctl lease %s --for 30m)\"",
		in->argv[0], in->argv[0]);
}

static int lease_run(const struct invocation *in, struct error *err)
{
	const struct lease_options *o = in->options;
	struct app *app = in->app;
	bool command = app->config.child.count > 0;
	CLEANUP(mem_free_ptr) char *devices = devices_json(in);
	CLEANUP(mem_free_ptr) char *own = own_name();
	const struct serve_question q = { .op = "lease",
					  .devices = devices,
					  .by = o->as ? o->as : own,
					  .length = o->length,
					  .keep = !command,
					  .wait = app->config.wait > 0 };
	struct control_line *serve;
	int status;

	if (check(in, o, command, err))
		return -1;
	if (o->release)
		return release(in, o, err);
	status = serve_client_open(&serve, app, false, err);
	if (status == 0)
		status = take(app, serve, &q, err);
	control_line_close(serve);
	return status;
}

static const struct example lease_examples[] = {
	{ "lease kitchen --wait 10m -- make test", NULL, 3 },
	{ "lease kitchen 'rack-*' --for 30m", NULL, 3 },
	{ "lease --release", NULL, 3 },
	{ NULL, NULL, 0 }
};

const struct command cmd_lease = {
	.name = "lease",
	.globals = "jq socket timeout wait",
	.args = "DEVICE... [-- COMMAND]",
	.brief = "hold boards of the running serve for yourself",
	.text = "From then on others' calls to these boards are refused, with who holds them and how long yet: what attaches and asks, --all (a row says so), kick, power, pictures to upload. Watching is free: devices, tail. "
		"It is against mistakes of colleagues and of CI jobs that share a rack, not against somebody who means harm: whoever may use this serve at all can end it.\n"
		"\n"
		"  mcpctl lease kitchen --wait 10m -- make flash-and-test\n"
		"  eval \"$(mcpctl lease kitchen bath --for 30m)\"\n"
		"\n"
		"With COMMAND the lease lasts until that ends, or its --for is over; COMMAND, which no shell reads, has MCPCTL_LEASE in its environment, so that its calls pass, and its status is ours. "
		"Without COMMAND serve keeps the lease for the time of --for, and the line for this shell goes to stdout. "
		"mcpctl lease --release gives back early what MCPCTL_LEASE names. What somebody forgot is given back by DEVICE and the name: mcpctl lease --release kitchen --as ci-17.\n"
		"\n"
		"DEVICE is an id, an alias or a glob; a board that is not connected now can be leased by its alias, its id, or when it is enrolled, and one that restarts stays leased. "
		"All of them are leased, or none; with --wait it waits for those that others hold, in order of arrival, and says who is before; Ctrl-C gives up the place.\n"
		"\n"
		"Calls that were under way when a lease began end as they would. When its time is over, or serve was started anew, calls with the old MCPCTL_LEASE are refused and say so: nothing goes on by accident. "
		"serve --exec is not started for a leased board.",
	.group = GROUP_START,
	.flags = CMD_MINOR | CMD_RUNS,
	.max = -1,
	.operand = OPERAND_DEVICE,
	.options = lease_options,
	.options_size = sizeof(struct lease_options),
	.examples = lease_examples,
	.run = lease_run
};
