/* SPDX-License-Identifier: MIT */
/*
 * run: many commands on one connection, from a script or from -e, with a
 * report for CI.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/script.h"
#include "out/report.h"

struct run_options {
	bool keep_going;
	struct words reports;
	int fail_on; /* 0: findings do not count; else 1 + of its choices */
};

static const struct option_row run_options[] = {
	{ .letter = 'k',
	  .name = "keep-going",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct run_options, keep_going),
	  .brief = "go on after a command that failed" },
	{ .name = "fail-on",
	  .word = "SEVERITY",
	  .type = OPTION_CHOICE,
	  .offset = offsetof(struct run_options, fail_on),
	  .choices = "never error warning note",
	  .fallback = "never",
	  .brief =
		  "status 7 if that was found while it ran, or something more severe" },
	{ .name = "report",
	  .word = "KIND:FILE",
	  .type = OPTION_LIST,
	  .offset = offsetof(struct run_options, reports),
	  .brief =
		  "a case for each command: junit:FILE or tap:FILE; - is stdout, and results go to stderr then; may be given many times" },
	{ .name = NULL }
};

/* --all: one that a command of the script was sent to. */
struct run_device {
	char *id, *name; /* owned */
	bool told; /* how the present line went */
};

struct run {
	struct app *app;
	struct run_device *device; /* --all; those seen so far */
	size_t devices, device_capacity, next_device;
	size_t told; /* by the present line */
	const struct script_line *line; /* the present one */
	struct connection *connection;
	struct script script;
	struct report **report; /* as many as were asked for */
	size_t reports;
	bool keep_going;
	size_t tried, failed, interrupted;
	enum error_kind first; /* kind of the first failure */
	size_t first_line; /* its index */
};

static int read_script(struct run *run, const struct invocation *in,
		       struct error *err)
{
	const struct words *given = &run->app->config.commands;
	if (in->argc == 0 && given->count == 0) {
		error_set(err, ERR_USAGE, "run: nothing to run");
		return error_hint(
			err,
			"name a script, - for stdin, or give commands: -e info -e 'call TOOL'");
	}
	if (in->argc > 0 &&
	    script_add_file(&run->script, run->app, in->argv[0], err))
		return -1;
	if (script_add_commands(&run->script, given, err))
		return -1;
	if (run->script.count)
		return 0;
	return error_set(err, ERR_USAGE, "run: '%s' has no command",
			 in->argc > 0 ? in->argv[0] : "-e");
}

static bool is_interrupted(const struct error *e)
{
	return e && e->kind == ERR_INTERRUPTED;
}

/* What a signal ended has not failed. */
static void add_case(const struct run *run, const struct report_case *c)
{
	struct report_case told = *c;

	if (is_interrupted(c->failure)) {
		told.skipped = c->failure->text;
		told.failure = NULL;
	}
	for (size_t i = 0; i < run->reports; i++)
		report_add(run->report[i], &told);
}

static void report_line(const struct run *run, const struct script_line *line,
			int64_t took_us, const struct error *failure)
{
	const struct report_case c = { .source = line->source,
				       .line = line->number,
				       .name = line->text,
				       .took_us = took_us,
				       .failure = failure };
	add_case(run, &c);
}

static void report_rest(const struct run *run, size_t from,
			const struct error *why)
{
	for (size_t i = from; i < run->script.count; i++) {
		const struct script_line *line = &run->script.line[i];
		struct report_case c = {
			.source = line->source,
			.line = line->number,
			.name = line->text,
			.skipped = is_interrupted(why) ?
					   why->text :
					   "an earlier command failed"
		};
		if (run->devices == 0)
			add_case(run, &c);
		for (size_t d = 0; d < run->devices; d++) {
			c.suite = run->device[d].name;
			add_case(run, &c);
		}
	}
}

/* ---- --all: a suite for each device ---- */

/* They tend to come in the same order. */
static struct run_device *device_of(struct run *run, const char *id,
				    const char *name)
{
	for (size_t i = 0; i < run->devices; i++) {
		size_t at = (run->next_device + i) % run->devices;
		if (strcmp(run->device[at].id, id) != 0)
			continue;
		run->next_device = at + 1;
		return &run->device[at];
	}
	run->device = mem_grow(run->device, &run->device_capacity, run->devices,
			       sizeof(*run->device));
	run->device[run->devices] =
		(struct run_device){ .id = mem_strdup(id),
				     .name = mem_strdup(name) };
	return &run->device[run->devices++];
}

static void report_device(const struct run *run, const struct run_device *d,
			  int64_t took_us, const struct error *failure)
{
	const struct report_case c = { .suite = d->name,
				       .source = run->line->source,
				       .line = run->line->number,
				       .name = run->line->text,
				       .took_us = took_us,
				       .failure = failure };
	add_case(run, &c);
}

static void on_outcome(void *owner, const struct device_outcome *o)
{
	struct run *run = owner;
	struct run_device *d = device_of(run, o->id, o->name);
	d->told = true;
	run->told++;
	report_device(run, d, o->took_us > 0 ? o->took_us : 0, o->failure);
}

/* Whom an earlier line reached, and this one did not: that is no success. */
static int report_missing(struct run *run, int status, struct error *err)
{
	CLEANUP(error_reset) struct error gone = { 0 };
	bool broke =
		status != 0 && (run->told == 0 || err->kind == ERR_INTERRUPTED);
	size_t missing = 0;
	error_set(&gone, ERR_CONNECT, "the device is not there any more");
	for (size_t i = 0; i < run->devices; i++) {
		struct run_device *d = &run->device[i];
		if (!d->told)
			report_device(run, d, 0, broke ? err : &gone);
		missing += !d->told;
		d->told = false;
	}
	if (status != 0 || missing == 0)
		return status;
	return error_set(err, ERR_CONNECT,
			 "%zu of %zu devices are not there any more", missing,
			 run->devices);
}

static void forget_devices(struct run *run)
{
	for (size_t i = 0; i < run->devices; i++) {
		mem_free(run->device[i].id);
		mem_free(run->device[i].name);
	}
	mem_free(run->device);
}

/* Whose results come: not for a single one, but a program wants one form. */
static bool is_announced(const struct run *run)
{
	return run->script.count > 1 || run->app->out.ops->command;
}

static void announce(struct run *run, const struct script_line *line)
{
	const struct command_record c = { .text = line->text,
					  .source = line->source,
					  .line = line->number };
	if (is_announced(run))
		render_command(&run->app->out, &c);
}

/* With --keep-going the error at the end has the count, for people. */
static void tell_count(const struct run *run)
{
	struct renderer *r = &run->app->out;
	const struct run_record record = {
		.good = run->tried - run->failed - run->interrupted,
		.failed = run->failed,
		.interrupted = run->interrupted,
		.not_run = run->script.count - run->tried,
	};
	if (is_announced(run) &&
	    (record.failed == 0 || record.not_run > 0 ||
	     record.interrupted > 0 || !run->keep_going || r->ops->command))
		render_run(r, &record);
}

static int run_line(struct run *run, size_t index, struct error *err)
{
	const struct script_line *line = &run->script.line[index];
	int64_t started = loop_now_us();
	announce(run, line);
	run->tried++;
	run->line = line;
	run->told = 0;
	int status = command_run(run->connection, line->words.word,
				 line->words.count, err);
	status = report_missing(run, status, err);
	if (run->devices == 0)
		report_line(run, line, loop_now_us() - started,
			    status != 0 ? err : NULL);
	if (status == 0)
		return 0;
	if (is_interrupted(err)) {
		run->interrupted++;
	} else if (run->failed++ == 0) {
		run->first = err->kind;
		run->first_line = index;
	}
	return script_prefix(line, err);
}

/* Where going on makes no sense, even if it was asked for. */
static bool is_final(const struct run *run, const struct error *err)
{
	return !run->keep_going || is_interrupted(err) ||
	       err->kind == ERR_OUTPUT;
}

static int summary(const struct run *run, struct error *err)
{
	if (run->failed == 0)
		return 0;
	error_set(err, run->first, "%zu of %zu commands failed", run->failed,
		  run->script.count);
	if (run->failed == 1)
		return -1;
	return error_hint(err, "the first was '%s'; the exit status is its own",
			  run->script.line[run->first_line].text);
}

static int run_all(struct run *run, struct error *err)
{
	for (size_t i = 0; i < run->script.count; i++) {
		CLEANUP(error_reset) struct error why = { 0 };
		if (run_line(run, i, &why) == 0)
			continue;
		if (is_final(run, &why)) {
			report_rest(run, i + 1, &why);
			tell_count(run);
			error_copy(err, &why);
			return -1;
		}
		render_error(&run->app->out, &why);
	}
	tell_count(run);
	return summary(run, err);
}

static int close_reports(struct run *run, struct error *err)
{
	int status = 0;
	for (size_t i = 0; i < run->reports; i++) {
		CLEANUP(error_reset) struct error why = { 0 };
		if (report_close(run->report[i], &why) == 0)
			continue;
		if (status)
			render_error(&run->app->out, &why);
		else
			error_copy(err, &why);
		status = -1;
	}
	mem_free(run->report);
	return status;
}

/* Reports are written also when a command failed, whose error goes first. */
static int finish_reports(struct run *run, int status, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	if (close_reports(run, &why) == 0)
		return status;
	if (status != 0) {
		render_error(&run->app->out, &why);
		return -1;
	}
	error_copy(err, &why);
	return -1;
}

static void forget_reports(struct run *run)
{
	for (size_t i = 0; i < run->reports; i++)
		report_drop(run->report[i]);
	mem_free(run->report);
}

/* A wrong one is known before the first command. *stdout_: one goes there. */
static int open_reports(struct run *run, const struct invocation *in,
			bool *on_stdout, struct error *err)
{
	const struct run_options *o = in->options;
	const char *suite = in->argc > 0 ? in->argv[0] : "mcpctl run";
	const struct words *asked = &o->reports;
	run->report = mem_zalloc((asked->count + 1) * sizeof(struct report *));
	for (size_t i = 0; i < asked->count; i++) {
		struct report **r = &run->report[i];
		if (report_open(r, asked->word[i], suite, err))
			return -1;
		run->reports++;
		if (report_is_on_stdout(*r) && *on_stdout)
			return error_set(err, ERR_USAGE,
					 "--report: only one can go to stdout");
		*on_stdout |= report_is_on_stdout(*r);
	}
	return 0;
}

static int run_with_reports(struct run *run, const struct invocation *in,
			    struct error *err)
{
	struct renderer *r = &run->app->out;
	struct render_place place = { 0 };
	bool divert = false;
	if (open_reports(run, in, &divert, err)) {
		forget_reports(run);
		return -1;
	}
	if (divert)
		place = render_divert(r);
	int status = run_all(run, err);
	if (divert)
		render_restore(r, &place);
	return finish_reports(run, status, err);
}

/* Before anything is sent. */
static int check_all(const struct run *run, struct error *err)
{
	for (size_t i = 0; run->app->config.all && i < run->script.count; i++) {
		const struct script_line *line = &run->script.line[i];
		if (line->command->all)
			continue;
		command_refuse_all(line->command, err);
		return script_prefix(line, err);
	}
	return 0;
}

/* How often something was found that counts. */
static uint64_t found(const struct connection *c, int fail_on)
{
	uint64_t n = 0;

	/* error: 1, warning: 2, note: 3 */
	for (int i = SEVERITY_ERROR; i > SEVERITY_ERROR - fail_on; i--)
		n += c->found[i];
	return n;
}

static int judge_found(const struct invocation *in, uint64_t before,
		       struct error *err)
{
	static const char *const words[] = { "", "errors", "warnings or errors",
					     "findings" };
	const struct run_options *o = in->options;

	if (found(in->connection, o->fail_on) == before)
		return 0;
	error_set(err, ERR_UNMET, "%s were found while the script ran",
		  words[o->fail_on]);
	return error_hint(
		err,
		"the lines that begin with '!' on stderr (notes: with -v), or --findings FILE; mcpctl explain CODE tells more");
}

/* With --all each line is for all devices, at once. */
static int run_run(const struct invocation *in, struct error *err)
{
	const struct run_options *o = in->options;
	struct run run = { .app = in->app,
			   .connection = in->connection,
			   .keep_going = o->keep_going };
	uint64_t before = found(in->connection, o->fail_on);
	int status;
	if (o->fail_on && in->app->config.all)
		return error_set(err, ERR_USAGE,
				 "run: --fail-on is for one device, not --all");
	status = read_script(&run, in, err);
	if (status == 0)
		status = check_all(&run, err);
	if (status == 0) {
		in->app->on_outcome = on_outcome;
		in->app->outcome_owner = &run;
		status = run_with_reports(&run, in, err);
		in->app->on_outcome = NULL;
	}
	forget_devices(&run);
	script_done(&run.script);
	if (status == 0)
		status = judge_found(in, before, err);
	return status;
}

static const struct example run_examples[] = {
	{ "sim: run -e info -e ping", "alive, ", 0 },
	{ "sim: -e 'call self.audio_speaker.set_volume volume=20' -e 'call self.get_device_status'",
	  "\"volume\":20", 0 },
	{ "sim: run -k --report tap:- -e ping -e 'describe nothing'",
	  "not ok 2", 2 },
	{ NULL, NULL, 0 }
};

const struct command cmd_run = {
	.name = "run",
	.args = "[FILE]",
	.brief = "many commands on one connection",
	.text = "FILE holds a command a line, as on the command line but without 'mcpctl' and the target; quotes work as in a shell, empty lines and lines that begin with # are skipped; - is stdin. "
		"Pipes and '!' are for the shell ('mcpctl shell <FILE' runs a file of such lines); here they are refused, and '|' needs quotes. "
		"-e COMMAND gives one command and may be repeated; -e without the word run is the same. With both, FILE goes first.\n"
		"\n"
		"A line may have --jq EXPR of its own; other options of the whole program stand in front of run. All lines are checked before the first is run. "
		"The first command that fails ends the run, and its status is that of the whole; with --keep-going the rest is run too. "
		"When the connection was lost (self.reboot), the next command opens the target again.\n"
		"\n"
		"--report writes JUnit XML or TAP, a case for each command with its time and, where it failed, its error; given more than once, all are written.\n"
		"\n"
		"With --all each line goes to all devices of the running serve at once (-d picks some), a row for each, and the reports have a suite for each; a line that fails for one of them ends the run, unless --keep-going is given. A device that an earlier line reached and that is gone counts as failed.\n"
		"\n"
		"Of more than one command stderr says which one printed what ('# ping'), and at the end how many went well.",
	.group = GROUP_USE,
	.flags = 0,
	.max = 1,
	.operand = OPERAND_FILE,
	.options = run_options,
	.options_size = sizeof(struct run_options),
	.examples = run_examples,
	.run = run_run,
	.all = run_run
};
