/* SPDX-License-Identifier: MIT */
/*
 * capture: what can be done with recordings. Reaches nobody.
 */
#include <string.h>

#include "base/text.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "replay/beside.h"
#include "replay/packets.h"
#include "replay/recast.h"
#include "replay/view.h"

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

static int capture_run(const struct invocation *in, struct error *err)
{
	for (size_t i = 0; i < COUNT(verbs); i++) {
		const struct capture_verb *v = &verbs[i];
		const int files = in->argc - 1;

		if (strcmp(in->argv[0], v->name) != 0)
			continue;
		if (files < v->least || (v->most && files > v->most))
			return error_set(err, ERR_USAGE, "capture %s takes %s",
					 v->name, files_word(v));
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
	.globals = "device verbose",
	.args = "show|diff|pcap|mask|join FILE...",
	.brief = "read, compare, mask and join what --trace recorded",
	.text = "--trace FILE of every command records what passes on the wire as a capture: a JSON object a line, secrets masked; mcpctl-capture(5) says what stands in it. "
		"A FILE may be packed by gzip or zstd, - is stdin, traces of earlier versions are read too, and one that ends within a line is read up to there. Files of any size are read line by line.\n"
		"\n"
		"show: a line for each message: when, who, in which direction (> from the device, < from the backend), what in words, and behind an answer how long it took; findings stand below the line that they belong to. "
		"-v shows audio, pings and packets too and cuts nothing, -vv adds the bytes as they were. -d names a device by its Device-Id, or by a glob. With -o json it prints a capture of what is left. Nothing to show is status 7.\n"
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
