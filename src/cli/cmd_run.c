/* SPDX-License-Identifier: MIT */
/*
 * run: many commands on one connection, from a script or from -e, with a
 * report for CI.
 */
#include "base/mem.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/script.h"
#include "out/report.h"

struct run_options {
	bool keep_going;
	struct words reports;
};

static const struct option_row run_options[] = {
	{ .letter = 'k',
	  .name = "keep-going",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct run_options, keep_going),
	  .brief = "go on after a command that failed" },
	{ .name = "report",
	  .word = "KIND:FILE",
	  .type = OPTION_LIST,
	  .offset = offsetof(struct run_options, reports),
	  .brief =
		  "a case for each command: junit:FILE or tap:FILE; - is stdout, and results go to stderr then; may be given many times" },
	{ .name = NULL }
};

struct run {
	struct app *app;
	struct connection *connection;
	struct script script;
	struct report **report; /* as many as were asked for */
	size_t reports;
	bool keep_going;
	size_t tried, failed;
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
	return script_add_commands(&run->script, given, err);
}

static void add_case(const struct run *run, const struct report_case *c)
{
	for (size_t i = 0; i < run->reports; i++)
		report_add(run->report[i], c);
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

static void report_rest(const struct run *run, size_t from)
{
	for (size_t i = from; i < run->script.count; i++) {
		const struct script_line *line = &run->script.line[i];
		const struct report_case c = {
			.source = line->source,
			.line = line->number,
			.name = line->text,
			.skipped = "an earlier command failed"
		};
		add_case(run, &c);
	}
}

/* Whose results come: not for a single one, but a program wants one form. */
static bool is_announced(const struct run *run)
{
	return run->script.count > 1 || run->app->out.form == OUTPUT_JSON;
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
	const struct run_record record = { .good = run->tried - run->failed,
					   .failed = run->failed,
					   .not_run = run->script.count -
						      run->tried };
	if (is_announced(run) && (record.failed == 0 || record.not_run > 0 ||
				  !run->keep_going || r->form == OUTPUT_JSON))
		render_run(r, &record);
}

static int run_line(struct run *run, size_t index, struct error *err)
{
	const struct script_line *line = &run->script.line[index];
	int64_t started = loop_now_us();
	announce(run, line);
	run->tried++;
	int status = command_run(run->connection, line->words.word,
				 line->words.count, err);
	report_line(run, line, loop_now_us() - started,
		    status != 0 ? err : NULL);
	if (status == 0)
		return 0;
	if (run->failed++ == 0) {
		run->first = err->kind;
		run->first_line = index;
	}
	return script_prefix(line, err);
}

/* Where going on makes no sense, even if it was asked for. */
static bool is_final(const struct run *run, const struct error *err)
{
	return !run->keep_going || err->kind == ERR_INTERRUPTED ||
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
			report_rest(run, i + 1);
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

static int run_run(const struct invocation *in, struct error *err)
{
	const struct run_options *o = in->options;
	struct run run = { .app = in->app,
			   .connection = in->connection,
			   .keep_going = o->keep_going };
	int status = read_script(&run, in, err);
	if (status == 0)
		status = run_with_reports(&run, in, err);
	script_done(&run.script);
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
		"Pipes and '!' are for the shell: 'mcpctl shell <FILE'. "
		"-e COMMAND gives one command and may be repeated; -e without the word run is the same. With both, FILE goes first.\n"
		"\n"
		"All lines are checked before the first is run. "
		"The first command that fails ends the run, and its status is that of the whole; with --keep-going the rest is run too. "
		"When the connection was lost (self.reboot), the next command opens the target again.\n"
		"\n"
		"--report writes JUnit XML or TAP, a case for each command with its time and, where it failed, its error; given more than once, all are written.\n"
		"\n"
		"Of more than one command stderr says which one printed what ('# ping'), and at the end how many went well.",
	.group = GROUP_USE,
	.flags = 0,
	.max = 1,
	.operand = OPERAND_FILE,
	.options = run_options,
	.options_size = sizeof(struct run_options),
	.examples = run_examples,
	.run = run_run
};
