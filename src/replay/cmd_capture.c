/* SPDX-License-Identifier: MIT */
/*
 * capture: what can be done with recordings. Reaches nobody.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/text.h"
#include "capture/compare.h"
#include "capture/diff.h"
#include "capture/pcap.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "out/difference.h"
#include "out/passing.h"
#include "out/render.h"
#include "out/render_json.h"
#include "out/told.h"
#include "replay/recast.h"

/*
 * A capture as it would have been seen while it was made (out/passing.h).
 */

struct renderer;

struct view_order {
	const char *path;
	const char *device; /* its id or a glob; NULL: all */
	const char *word; /* what must stand in it, capitals or not; NULL */
	const char *from, *to; /* "10s" behind the start, or "10:02:31"; NULL */
	unsigned detail; /* -v */
	struct renderer *out;
};

/*
 * Event by event. What does not fit is not described: most of a large file is
 * only looked through for the word.
 */

/* What a pager is held back for is kept in memory. */
#define HELD_MAX (32u << 20)

struct viewing {
	const struct view_order *order;
	struct capture_reader *reader;
	struct capture_writer *json; /* of -o json; NULL */
	struct passing passing;
	struct buf line;
	int64_t from_us, to_us;
	uint64_t shown;
	size_t bytes;
	uint32_t last; /* the connection of what was shown */
	bool follows; /* its findings are shown, too */
};

/* ---- times ---- */

/* "10:02:31.004" of the day that it began, or of the next; µs since it began. */
static int clock_of(const char *text, int64_t began_ms, int64_t *out)
{
	time_t began = (time_t)(began_ms / 1000);
	struct tm tm = { 0 };
	int64_t at;
	char *rest;
	double seconds = 0;
	long hour = strtol(text, &rest, 10), minute;

	if (*rest != ':' || hour < 0 || hour > 23)
		return -1;
	minute = strtol(rest + 1, &rest, 10);
	if (minute < 0 || minute > 59)
		return -1;
	if (*rest == ':')
		seconds = strtod(rest + 1, &rest);
	if (*rest || !(seconds >= 0 && seconds < 61))
		return -1;
	localtime_r(&began, &tm);
	tm.tm_hour = (int)hour;
	tm.tm_min = (int)minute;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	at = (int64_t)mktime(&tm) * 1000 + (int64_t)(seconds * 1000);
	/* Before its beginning by hours it is the next day's. */
	if (at < began_ms - INT64_C(12) * 3600 * 1000)
		at += INT64_C(24) * 3600 * 1000;
	*out = (at - began_ms) * 1000;
	return 0;
}

static int time_of(const struct viewing *v, const char *text, int64_t *out,
		   struct error *err)
{
	int64_t ms, began = capture_head(v->reader)->made_ms;

	if (!text)
		return 0;
	if (!strchr(text, ':') && !text_duration(text, &ms, NULL)) {
		*out = ms * 1000;
		return 0;
	}
	if (!began && strchr(text, ':'))
		return error_set(
			err, ERR_USAGE,
			"'%s' does not say when it was made: give a time since its start, such as 10s",
			v->order->path);
	if (!strchr(text, ':') || clock_of(text, began, out))
		return error_set(
			err, ERR_USAGE,
			"'%.40s' is no time: 10s since the start, or 10:02:31",
			text);
	return 0;
}

/* ---- what fits ---- */

static bool has_word(struct span s, const char *word)
{
	const size_t len = strlen(word);
	const int low = text_lower(*word), high = low - 'a' + 'A';
	const char *at = s.text, *end;

	if (!at)
		return false;
	end = at + s.len;
	for (; (size_t)(end - at) >= len; at++) {
		const size_t room = (size_t)(end - at) - len + 1;
		const char *one = memchr(at, low, room), *other = NULL;
		size_t i = 0;

		if (low >= 'a' && low <= 'z')
			other = memchr(at, high,
				       one ? (size_t)(one - at) : room);
		at = other ? other : one;
		if (!at)
			return false;
		while (i < len && text_lower(at[i]) == text_lower(word[i]))
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static struct span span_of(const char *text)
{
	return (struct span){ text, text ? strlen(text) : 0 };
}

static bool fits_word(const struct capture_event *e, const char *word)
{
	const char *name = capture_kind_name(e->kind);

	return !word || !*word || has_word(e->data, word) ||
	       has_word(e->head, word) || has_word(e->passed, word) ||
	       has_word(span_of(e->device), word) ||
	       has_word(span_of(e->topic), word) ||
	       (name && text_same(name, word));
}

static bool fits(struct viewing *v, const struct capture_event *e)
{
	const struct view_order *o = v->order;

	if (e->at_us < v->from_us || e->at_us > v->to_us)
		return false;
	if (o->device && (!e->device || !(text_same(o->device, e->device) ||
					  text_glob(o->device, e->device))))
		return false;
	/* A finding stands below the line that it belongs to. */
	if (e->kind == CAPTURED_FINDING && v->follows && e->conn == v->last)
		return true;
	return fits_word(e, o->word);
}

/* ---- shown ---- */

static void put_line(struct viewing *v, const struct capture_event *e)
{
	FILE *out = v->order->out->out;

	buf_reset(&v->line);
	passing_line(&v->line, &v->passing, e);
	if (v->line.len == 0)
		return;
	fwrite(v->line.data, 1, v->line.len, out);
	v->bytes += v->line.len;
	v->shown++;
}

static void put_json(struct viewing *v, const struct capture_event *e)
{
	struct capture_event told = *e;

	if (e->named_before)
		told.device = NULL;
	capture_write(v->json, &told);
	v->shown++;
}

static void take(struct viewing *v, const struct capture_event *e)
{
	const bool shown = fits(v, e);

	if (e->kind != CAPTURED_FINDING) {
		v->follows = shown;
		v->last = e->conn;
	}
	if (shown && v->json)
		put_json(v, e);
	else if (shown)
		put_line(v, e);
	else if (!v->json)
		passing_unseen(&v->passing, e);
}

/* A reader that went away, or a pager that would have to hold too much. */
static bool is_enough(const struct viewing *v)
{
	const struct renderer *out = v->order->out;

	if (v->json)
		return capture_failed(v->json);
	if (ferror(out->out))
		return true;
	if (out->out == stdout || v->bytes < HELD_MAX)
		return false;
	render_note(
		v->order->out,
		"this is more than a pager is given: the rest by --filter, --from, or --no-pager");
	return true;
}

static int prepare(struct viewing *v, struct error *err)
{
	const struct capture_head *head = capture_head(v->reader);
	const struct renderer *out = v->order->out;
	const struct capture_how how = { .as = head->as,
					 .upstream = head->upstream,
					 .made = head->made ? head->made : "",
					 .audio = true,
					 .line = put_captured_line,
					 .owner = v->order->out };

	v->to_us = INT64_MAX;
	if (time_of(v, v->order->from, &v->from_us, err) ||
	    time_of(v, v->order->to, &v->to_us, err))
		return -1;
	v->passing =
		(struct passing){ .began_ms = head->made_ms,
				  .detail = v->order->detail,
				  .width = out->out_terminal ? out->width : 0,
				  .color = out->out_color };
	told_unmasked(v->order->out, v->reader, v->order->path);
	if (out->form != OUTPUT_JSON)
		return 0;
	v->json = capture_create(&how, err);
	return v->json ? 0 : -1;
}

static int look_through(struct viewing *v, struct error *err)
{
	struct capture_event e;
	int got;

	while ((got = capture_next(v->reader, &e, err)) > 0) {
		take(v, &e);
		if (is_enough(v))
			return 0;
	}
	told_cut(v->order->out, v->reader, v->order->path);
	if (got == 0 && v->shown == 0)
		return error_set(
			err, ERR_UNMET, "nothing in '%s' is to be shown%s",
			v->order->path,
			v->order->word || v->order->device || v->order->from ||
					v->order->to ?
				": no event fits" :
				"");
	return got;
}

/* Lines to stdout, or with -o json a capture of what is left. -1: err
   (ERR_UNMET: nothing fits). */
static int view(const struct view_order *order, struct error *err)
{
	struct viewing v = { .order = order };
	int result = -1;

	v.reader = capture_open(order->path, err);
	if (v.reader && prepare(&v, err) == 0)
		result = look_through(&v, err);
	result = recast_close(v.json, order->out, result, err);
	buf_done(&v.line);
	capture_reader_free(v.reader);
	return result;
}

/* Two captures side by side: capture diff. */

struct beside_order {
	const char *was, *is; /* paths; one of them may be "-" */
	const char *device; /* its Device-Id; NULL: all */
	struct compare_rules rules;
	struct renderer *out;
};

struct beside_shown {
	struct renderer *out;
	struct differences_shown shown;
};

static int load(struct steps *s, const struct beside_order *order,
		const char *path, struct error *err)
{
	struct capture_reader *file = capture_open(path, err);
	const char *device = order->device;
	int status;

	if (!file)
		return -1;
	told_unmasked(order->out, file, path);
	status = steps_load(s, file, device, err);
	told_cut(order->out, file, path);
	capture_reader_free(file);
	if (status == 0 && !s->count)
		return error_set(err, ERR_UNMET, "'%s' has no messages%s%s",
				 path, device ? " of " : "",
				 device ? device : "");
	return status;
}

static void found(void *owner, const struct difference *d)
{
	struct beside_shown *s = owner;

	render_difference(s->out, d, &s->shown);
}

/* Where one lacks something nobody knows that they are the same. */
static int lacks(const struct steps *s, const char *path, struct error *err)
{
	if (!s->lost)
		return 0;
	return error_set(
		err, ERR_UNMET,
		"no difference, but '%s' lacks %llu event%s: what is there may differ",
		path, (unsigned long long)s->lost, s->lost == 1 ? "" : "s");
}

/* Differences to stdout. -1: err (ERR_UNMET: there are some, or may be). */
static int beside(const struct beside_order *order, struct error *err)
{
	CLEANUP(steps_done) struct steps was = { 0 }, is = { 0 };
	struct beside_shown s = { .out = order->out };
	size_t count;

	if (strcmp(order->was, "-") == 0 && strcmp(order->is, "-") == 0)
		return error_set(err, ERR_USAGE,
				 "only one of the two can be stdin");
	if (load(&was, order, order->was, err) ||
	    load(&is, order, order->is, err))
		return -1;
	count = conversations_compare(&was, &is, &order->rules, FROM_NOBODY,
				      found, &s);
	render_differences_end(order->out, &s.shown);
	if (count)
		return error_set(err, ERR_UNMET, "%zu difference%s", count,
				 count == 1 ? "" : "s");
	if (lacks(&was, order->was, err) || lacks(&is, order->is, err))
		return -1;
	return 0;
}

/* A capture as pcapng on stdout: capture pcap (capture/pcap.h). */

/* -1: err; also where stdout is a terminal (ERR_USAGE). */
static int packets_write(struct renderer *out, const char *path,
			 struct error *err)
{
	CLEANUP(pcap_done) struct pcap p = { 0 };
	struct capture_reader *file;
	struct capture_event e;
	int more;

	if (out->query)
		return error_set(err, ERR_USAGE,
				 "option '--jq' is for JSON: pcapng is none");
	if (out->out_terminal) {
		error_set(err, ERR_USAGE, "pcapng is nothing for a terminal");
		return error_hint(err,
				  "mcpctl capture pcap FILE >board.pcapng");
	}
	file = capture_open(path, err);
	if (!file)
		return -1;
	told_unmasked(out, file, path);
	pcap_begin(&p, capture_head(file)->made_ms * 1000);
	while ((more = capture_next(file, &e, err)) > 0) {
		pcap_event(&p, &e);
		put_out(out, &p.out);
	}
	put_out(out, &p.out);
	told_cut(out, file, path);
	capture_reader_free(file);
	return more;
}

struct capture_options {
	const char *word, *from, *to;
	bool anonymise;
	struct words ignore;
};

#define PLACE(member) offsetof(struct capture_options, member)

static const struct option_row capture_rows[] = {
	{ .name = "filter",
	  .word = "WORD",
	  .type = OPTION_TEXT,
	  .offset = PLACE(word),
	  .brief = "show: only what has this in it, in capitals or not" },
	{ .name = "from",
	  .word = "TIME",
	  .type = OPTION_TEXT,
	  .offset = PLACE(from),
	  .fallback = "the start",
	  .brief = "show: from then on: 10s since the start, or 10:02:31" },
	{ .name = "to",
	  .word = "TIME",
	  .type = OPTION_TEXT,
	  .offset = PLACE(to),
	  .fallback = "the end",
	  .brief = "show: up to then" },
	{ .name = "anonymise",
	  .type = OPTION_FLAG,
	  .offset = PLACE(anonymise),
	  .brief =
		  "mask, join: other MACs, UUIDs and session ids in the place of these, too" },
	{ .name = "ignore",
	  .word = "POINTER",
	  .type = OPTION_LIST,
	  .offset = PLACE(ignore),
	  .brief =
		  "diff: JSON Pointer into a message that is not compared, * is any one member; may be given many times" },
	{ .name = NULL }
};

static int show(const struct invocation *in, struct error *err)
{
	const struct capture_options *o = in->options;
	struct app *app = in->app;
	const struct view_order order = {
		.path = in->argv[1],
		.device = app->config.device,
		.word = o->word,
		.from = o->from,
		.to = o->to,
		.detail = (unsigned)app->config.verbose,
		.out = &app->out,
	};

	return view(&order, err);
}

static int again(const struct invocation *in, struct error *err)
{
	const struct capture_options *o = in->options;
	const struct recast_order order = { .paths = in->argv + 1,
					    .count = in->argc - 1,
					    .anonymise = o->anonymise,
					    .out = &in->app->out };

	return recast(&order, err);
}

static int diff(const struct invocation *in, struct error *err)
{
	const struct capture_options *o = in->options;
	const struct beside_order order = {
		.was = in->argv[1],
		.is = in->argv[2],
		.device = in->app->config.device,
		.rules = { (const char *const *)o->ignore.word,
			   o->ignore.count },
		.out = &in->app->out,
	};

	for (size_t i = 0; i < o->ignore.count; i++)
		if (compare_pointer_check(o->ignore.word[i], err))
			return -1;
	return beside(&order, err);
}

static int pcap(const struct invocation *in, struct error *err)
{
	return packets_write(&in->app->out, in->argv[1], err);
}

static const struct capture_verb {
	const char *name;
	int least, most; /* files; most 0: any number */
	const char *heeds; /* options, a space between */
	int (*run)(const struct invocation *in, struct error *err);
} verbs[] = {
	{ "show", 1, 1, "filter from to", show },
	{ "diff", 2, 2, "ignore", diff },
	{ "pcap", 1, 1, "", pcap },
	{ "mask", 1, 1, "anonymise", again },
	{ "join", 2, 0, "anonymise", again },
};

static int no_verb(const char *word, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "'%.40s' is nothing that can be done with a capture", word);
	return error_hint(
		err,
		"there is: show, diff, pcap, mask, join; then the file: mcpctl capture show FILE");
}

static int check_options(const struct capture_verb *v,
			 const struct capture_options *o, struct error *err)
{
	const struct {
		const char *name;
		bool given;
	} some[] = {
		{ "filter", o->word },
		{ "from", o->from },
		{ "to", o->to },
		{ "anonymise", o->anonymise },
		{ "ignore", o->ignore.count > 0 },
	};

	for (size_t i = 0; i < COUNT(some); i++)
		if (some[i].given && option_choice(v->heeds, some[i].name) < 0)
			return error_set(err, ERR_USAGE,
					 "option '--%s' is not for capture %s",
					 some[i].name, v->name);
	return 0;
}

static const char *files_word(const struct capture_verb *v)
{
	return !v->most	   ? "two files or more" :
	       v->most > 1 ? "two files" :
			     "one file";
}

static int wrong_count(const struct capture_verb *v, int files,
		       struct error *err)
{
	error_set(err, ERR_USAGE, "capture %s takes %s", v->name,
		  files_word(v));
	if (files <= v->least || v->most != 1)
		return -1;
	return error_hint(
		err, "what comes of it goes to stdout: capture %s FILE >OTHER",
		v->name);
}

static int capture_run(const struct invocation *in, struct error *err)
{
	for (size_t i = 0; i < COUNT(verbs); i++) {
		const struct capture_verb *v = &verbs[i];
		const int files = in->argc - 1;

		if (strcmp(in->argv[0], v->name) != 0)
			continue;
		if (files < v->least || (v->most && files > v->most))
			return wrong_count(v, files, err);
		return check_options(v, in->options, err) ? -1 :
							    v->run(in, err);
	}
	return no_verb(in->argv[0], err);
}

static const struct example capture_examples[] = {
	{ "capture show t.jsonl", NULL, EXAMPLE_GOES_ON },
	{ "capture show t.jsonl.zst --filter self.light -d kitchen", NULL,
	  EXAMPLE_GOES_ON },
	{ "capture show t.jsonl --from 10:02:31 --to 10:03 -v", NULL,
	  EXAMPLE_GOES_ON },
	{ "capture diff before.jsonl after.jsonl", NULL, EXAMPLE_GOES_ON },
	{ "capture pcap t.jsonl >t.pcapng", NULL, EXAMPLE_GOES_ON },
	{ "capture mask --anonymise t.jsonl", NULL, EXAMPLE_GOES_ON },
	{ "capture join serve.jsonl board.jsonl", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_capture = {
	.name = "capture",
	.globals = "jq device verbose",
	.args = "show|diff|pcap|mask|join FILE...",
	.brief = "read, compare, mask and join what --trace recorded",
	.text = "--trace FILE of every command records what passes on the wire as a capture: a JSON object a line, secrets masked; mcpctl-capture(5) says what stands in it. "
		"A FILE may be packed by gzip or zstd, - is stdin, traces of earlier versions are read too, and one that ends within a line is read up to there. Files of any size are read line by line.\n"
		"\n"
		"show: a line for each message: when, who, in which direction (> from the device, < from the backend), what in words, and behind an answer how long it took; findings stand below the line that they belong to. "
		"-v shows audio, pings and packets too and cuts nothing, -vv adds the bytes as they were. -d names a device by its Device-Id, or by a glob. With -o json it prints a capture of what is left; --jq asks its lines, the first of which is the head, and those of mask and join. Nothing to show is status 7.\n"
		"\n"
		"diff: what the second one has not, has more, has in another order, says otherwise, or answers in twice the time and 0.1 s more. Messages are put side by side by what they are: the second call of a tool beside the second. Not compared: ids, session_id, times, uuid, nonce, key, secrets, audio; more by --ignore. A text that is JSON is compared as what it says: /result/content/0/text/battery. Any difference is status 7.\n"
		"\n"
		"pcap: pcapng on stdout, for Wireshark and tshark: the messages as they were, in packets that are made for them; findings, notices and lines of a serial log as syslog.\n"
		"\n"
		"mask: the same capture on stdout, with the secrets masked that are not; the same secret has the same name throughout (***1, ***2). With --anonymise, MAC addresses, UUIDs (as of Client-Id) and session ids become others of their form, too.\n"
		"\n"
		"join: several captures on stdout, by time, as their headers tell when each was made; connections and names of secrets of one are never those of another.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_PAGED | CMD_MINOR,
	.min = 1,
	.max = -1,
	.operand = OPERAND_FILE,
	.options = capture_rows,
	.options_size = sizeof(struct capture_options),
	.examples = capture_examples,
	.run = capture_run
};
