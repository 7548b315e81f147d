/* SPDX-License-Identifier: MIT */
/*
 * watch: a tool's value over time, until something is true of it; or many
 * calls, and how long they took.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/query.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/load.h"
#include "cli/round_trip.h"
#include "cli/show.h"
#include "cli/tool_call.h"
#include "mcp/content.h"
#include "mcp/result_value.h"
#include "mcp/tool_effect.h"

enum { EVERY_MS = 2000, LOAD_MS = 10000 };

struct watch_options {
	const char *jq, *until, *load, *unit;
	int64_t every, duration, count;
};

static const struct option_row watch_options[] = {
	{ .name = "every",
	  .word = "TIME",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct watch_options, every),
	  .min = 1,
	  .fallback = "2s",
	  .brief = "from one call to the next; calls never overlap" },
	{ .name = "jq",
	  .word = "EXPR",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct watch_options, jq),
	  .brief = "what of the tool's value is watched, as a jq expression" },
	{ .name = "until",
	  .word = "EXPR",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct watch_options, until),
	  .brief = "end when this jq expression is true of the tool's value" },
	{ .name = "for",
	  .word = "TIME",
	  .type = OPTION_DURATION,
	  .offset = offsetof(struct watch_options, duration),
	  .min = 1,
	  .brief = "end after that long; with --until: status 4 then" },
	{ .letter = 'c',
	  .name = "count",
	  .word = "N",
	  .type = OPTION_NUMBER,
	  .offset = offsetof(struct watch_options, count),
	  .min = 1,
	  .max = 1000000000,
	  .brief = "end after N calls; with --until: status 7 then" },
	{ .name = "unit",
	  .word = "UNIT",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct watch_options, unit),
	  .brief = "the unit of the numbers, for the terminal, as dBm" },
	{ .name = "load",
	  .word = "N[/s]",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct watch_options, load),
	  .brief =
		  "N calls at once, or N a second, for --for (10s) or --count; then how long they took" },
	{ .name = NULL }
};

struct watching {
	const struct invocation *in;
	const struct watch_options *options;
	struct tool_call call;
	struct query *jq, *until; /* NULL */
	struct call_times times;
	struct series series;
	char *last; /* the value before; NULL */
	double amount; /* the number that it is, if `number` */
	bool number, all_numbers;
	bool met; /* --until */
	int64_t deadline; /* loop_now() ms */
	char *told; /* of the last call that failed; NULL: it went well */
};

/* ---- before the first call ---- */

/* What acts is repeated only if somebody wrote its name out. */
static int check_effect(const struct watching *w, struct error *err)
{
	const struct tool *tool = w->call.tool;
	const enum tool_effect effect = tool_effect(tool);

	if (effect == EFFECT_READS)
		return 0;
	if (strcmp(tool->name, w->in->argv[0]) != 0 &&
	    effect != EFFECT_UNKNOWN) {
		error_set(err, ERR_USAGE,
			  "'%s' acts, and would be called again and again",
			  tool->name);
		return error_hint(err, "if that is meant, give its whole name");
	}
	render_note(
		&w->in->app->out,
		effect == EFFECT_UNKNOWN ?
			"whether '%s' only reads is not known; it is called again and again" :
			"'%s' acts, and is called again and again",
		tool->name);
	return 0;
}

static int compile(struct query **out, const char *option, const char *text,
		   struct error *err)
{
	if (!text || query_new(out, text, err) == 0)
		return 0;
	return error_prefix(err, "%s", option);
}

static int check_options(const struct watch_options *o, struct error *err)
{
	if (o->load && (o->jq || o->until || o->every || o->unit))
		return error_set(
			err, ERR_USAGE,
			"option '--load' measures times: --jq, --until, --every and --unit are for values");
	return 0;
}

static int open_watching(struct watching *w, struct error *err)
{
	const struct watch_options *o = w->options;
	const struct tool_call_how how = { 0 };

	if (check_options(o, err) || compile(&w->jq, "--jq", o->jq, err) ||
	    compile(&w->until, "--until", o->until, err))
		return -1;
	if (tool_call_build(w->in, &how, &w->call, err)) {
		silence_ask(w->in->connection, err);
		return -1;
	}
	w->deadline = o->duration ? loop_now() + o->duration : LOOP_FOREVER;
	w->all_numbers = true;
	return check_effect(w, err);
}

static void close_watching(struct watching *w)
{
	tool_call_done(&w->call);
	query_free(w->jq);
	query_free(w->until);
	call_times_done(&w->times);
	series_done(&w->series);
	mem_free(w->last);
	mem_free(w->told);
}

/* ---- a value ---- */

static struct span span_of(const struct buf *b)
{
	return (struct span){ buf_string(b), b->len };
}

static void add_output(struct buf *out, const struct query_outputs *o, size_t i)
{
	const char *text = o->text.data + o->item[i].at;

	if (o->item[i].string)
		buf_json_string(out, text, o->item[i].len);
	else
		buf_add(out, text, o->item[i].len);
}

/* One output is the value, several are an array of it, none is no value. */
static int select_value(struct watching *w, struct span whole,
			struct buf *value, struct error *err)
{
	CLEANUP(query_outputs_done) struct query_outputs o = { 0 };
	CLEANUP(buf_done) struct buf all = { 0 };

	if (!w->jq)
		return 0;
	if (query_run(w->jq, span_of(value), whole,
		      app_query_timeout(w->in->app), &o, err))
		return error_prefix(err, "--jq");
	for (size_t i = 0; i < o.count; i++) {
		buf_text(&all, o.count == 1 ? "" : i ? "," : "[");
		add_output(&all, &o, i);
	}
	buf_text(&all, o.count > 1 ? "]" : "");
	buf_reset(value);
	buf_add(value, buf_string(&all), all.len);
	return 0;
}

static int ask_until(struct watching *w, struct span whole, struct span value,
		     struct error *err)
{
	CLEANUP(query_outputs_done) struct query_outputs o = { 0 };

	if (!w->until)
		return 0;
	if (query_run(w->until, value, whole, app_query_timeout(w->in->app), &o,
		      err))
		return error_prefix(err, "--until");
	w->met = o.count && query_output_is_true(&o, o.count - 1);
	return 0;
}

/* A JSON number that a plot can show; a text that is one counts, too. */
static bool is_number(const struct buf *value, double *out)
{
	const char *text = buf_string(value);
	char *end;

	if (*text != '-' && (*text < '0' || *text > '9'))
		return false;
	*out = strtod(text, &end);
	return *end == '\0' && isfinite(*out);
}

static void show_value(struct watching *w, const struct buf *value,
		       int64_t unix_ms, int64_t took_us)
{
	struct renderer *r = &w->in->app->out;
	struct sample s = { .unix_ms = unix_ms,
			    .took_us = took_us,
			    .value = span_of(value),
			    .unit = w->options->unit,
			    .first = !w->last,
			    .before = w->amount };

	s.number = is_number(value, &s.amount);
	s.changed = w->last && strcmp(w->last, buf_string(value)) != 0;
	s.difference = s.changed && s.number && w->number;
	w->all_numbers = w->all_numbers && s.number;
	if (s.number)
		series_add(&w->series, loop_now(), s.amount);
	watched_sample(r, &s);
	watched_now(r, &s, &w->series);
	w->amount = s.amount;
	w->number = s.number;
	mem_free(w->last);
	w->last = mem_strdup(buf_string(value));
}

static int take_result(struct watching *w, const struct result *result,
		       int64_t unix_ms, struct error *err)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	const struct span all = { result->message.text, result->message.len };
	struct span whole = { "null", 4 };

	if (all.text)
		json_span_member(all, "result", &whole);
	result_value(&value, result);
	if (ask_until(w, whole, span_of(&value), err) ||
	    select_value(w, whole, &value, err))
		return -1;
	if (value.len)
		show_value(w, &value, unix_ms, result->took_us);
	return 0;
}

/* ---- a call ---- */

/* Of those that fail alike one is told. */
static void tell_failure(struct watching *w, const struct error *why)
{
	if (text_same(w->told, why->text))
		return;
	mem_free(w->told);
	w->told = mem_strdup(why->text);
	render_note(&w->in->app->out, "%s", why->text);
}

/* What is over does not come back; the rest may. */
static bool is_final(const struct watching *w, const struct error *why)
{
	return session_is_over(w->in->connection->session) ||
	       (why->kind != ERR_PEER && why->kind != ERR_TIMEOUT &&
		why->kind != ERR_PROTOCOL);
}

static int one_call(struct watching *w, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(result_done) struct result result = { 0 };
	const int64_t unix_ms = unix_now_ms();
	int status =
		client_call_tool(&w->in->connection->client, w->call.name,
				 buf_string(&w->call.arguments), &result, &why);
	const bool answered = status == 0;

	/* An expression may fail at this value and not at the next one. */
	if (answered)
		status = take_result(w, &result, unix_ms, &why);
	if (status && why.kind == ERR_INTERRUPTED) {
		error_copy(err, &why);
		return -1;
	}
	call_times_add(&w->times, result.took_us, &why);
	if (status == 0) {
		mem_free(TAKE(w->told));
		return 0;
	}
	if (!answered && is_final(w, &why)) {
		error_copy(err, &why);
		return -1;
	}
	tell_failure(w, &why);
	return 0;
}

static bool is_over(const struct watching *w)
{
	const int64_t count = w->options->count;

	/* Of a broken stdout the end of the program tells. */
	return w->met || loop_now() >= w->deadline ||
	       ferror(w->in->app->out.out) ||
	       (count && w->times.made >= (uint64_t)count);
}

static int watch(struct watching *w, struct error *err)
{
	const int64_t every = w->options->every ? w->options->every : EVERY_MS;

	call_times_begin(&w->times);
	while (!is_over(w)) {
		int64_t next = loop_now() + every;

		if (one_call(w, err))
			return -1;
		if (is_over(w))
			break;
		next = next < w->deadline ? next : w->deadline;
		if (session_watch(w->in->connection->session, NULL, next, err))
			return -1;
	}
	return 0;
}

/* ---- the end ---- */

static int not_met(const struct watching *w, struct error *err)
{
	const bool counted = loop_now() < w->deadline;

	error_set(err, counted ? ERR_UNMET : ERR_TIMEOUT,
		  "--until was not true within %s",
		  counted ? "that many calls" : "that time");
	return w->last ? error_detail(err, w->last, strlen(w->last)) : -1;
}

/* Ctrl-C is how somebody ends it who waits for nothing, and saw something. */
static bool ended_by_hand(const struct watching *w, const struct error *err)
{
	return !w->options->until && err->kind == ERR_INTERRUPTED &&
	       err->code == SIGINT && w->times.made > 0;
}

static int end_watch(struct watching *w, int status, struct error *err)
{
	struct renderer *r = &w->in->app->out;

	render_count_down(r, NULL);
	if (w->all_numbers)
		watched_plot(r, &w->series, w->options->unit);
	if (w->times.made)
		call_times_tell(&w->times, r, false);
	if (status && !ended_by_hand(w, err))
		return -1;
	error_reset(err);
	if (w->met)
		return 0;
	if (w->until && !ferror(r->out))
		return not_met(w, err);
	return call_times_outcome(&w->times, err);
}

static int measure(struct watching *w, struct error *err)
{
	const struct watch_options *o = w->options;
	struct load load = { .tool = w->call.name,
			     .arguments = buf_string(&w->call.arguments),
			     .most = (uint64_t)o->count,
			     .deadline = w->deadline };
	int status;

	if (load_read(&load, o->load, err))
		return -1;
	if (!o->duration && !o->count)
		load.deadline = loop_now() + LOAD_MS;
	render_count_down(&w->in->app->out, "calling; Ctrl-C ends it");
	status = load_run(&load, w->in->connection, &w->times, err);
	render_count_down(&w->in->app->out, NULL);
	call_times_tell(&w->times, &w->in->app->out, true);
	if (status && !ended_by_hand(w, err))
		return -1;
	error_reset(err);
	if (call_times_outcome(&w->times, err) == 0)
		return 0;
	/* Each of them was counted, and none told. */
	return error_one_of(err, "one of them", &w->times.worst);
}

static int watch_run(const struct invocation *in, struct error *err)
{
	struct watching w = { .in = in, .options = in->options };
	int status = open_watching(&w, err) ? -1 : app_follow(in->app, err);

	if (status == 0 && w.options->load)
		status = measure(&w, err);
	else if (status == 0)
		status = end_watch(&w, watch(&w, err), err);
	close_watching(&w);
	return status;
}

static const struct example watch_examples[] = {
	{ "sim: watch self.get_device_status --jq .audio_speaker.volume --every 10ms --count 3",
	  ",70", 0 },
	{ "sim: watch self.get_device_status --until '.audio_speaker.volume == 70'",
	  "time,value", 0 },
	{ "sim: watch self.get_device_status --until '.audio_speaker.volume > 90' --every 10ms --for 50ms",
	  NULL, 4 },
	{ "sim: watch self.get_device_status --load 4 --count 20", "20 calls",
	  0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_watch = {
	.name = "watch",
	.args = "TOOL [ARG]...",
	.brief = "a tool's value over time",
	.text = "TOOL is called again and again, with arguments as for call, until --until, --for, --count or Ctrl-C ends it. What is watched is the tool's value (help json), or what --jq makes of it; several outputs are an array, none is no value at all.\n"
		"\n"
		"On a terminal there is a line for each value that is not the one before, with the difference of numbers, and at the end a plot where all were numbers: in braille, or in ASCII where the locale is not UTF-8. "
		"In a pipe or a file each value is a line of CSV, the time in UTC; with -o json an object.\n"
		"\n"
		"The next call begins --every after the last one began, or when that is answered: they never overlap. A call that fails is told and counted, and the next one is made all the same; so does the status at the end: that of the worst. "
		"It ends where the connection does.\n"
		"\n"
		"With --until the status is 0 only if that was true of a value: of the tool's, not of what --jq makes of it. Without it Ctrl-C is an end like another, once a call was over.\n"
		"\n"
		"--load measures instead: N calls at once, each followed by the next, or N begun in each second whatever the others do (at most 256 at once; what could not be begun is told as not made in time). It says how many failed, why one of them did, and how long the others took: half of them at most p50, 90 of 100 at most p90.\n"
		"\n"
		"A tool that acts is repeated only where its whole name was given.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_STREAM | CMD_MINOR,
	.min = 1,
	.max = -1,
	.operand = OPERAND_TOOL_CALL,
	.options = watch_options,
	.options_size = sizeof(struct watch_options),
	.examples = watch_examples,
	.run = watch_run
};
