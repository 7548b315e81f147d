/* SPDX-License-Identifier: MIT */
/*
 * capture: what can be done with recordings. Reaches nobody.
 */
#include <string.h>

#include "base/text.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "replay/recast.h"
#include "replay/view.h"

struct capture_options {
	const char *word, *from, *to;
	bool anonymise;
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

static const struct capture_verb {
	const char *name;
	int least, most; /* files; most 0: any number */
	bool anonymises;
	int (*run)(const struct invocation *in, struct error *err);
} verbs[] = {
	{ "show", 1, 1, false, show },
	{ "mask", 1, 1, true, again },
	{ "join", 2, 0, true, again },
};

static int no_verb(const char *word, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "'%.40s' is nothing that can be done with a capture", word);
	return error_hint(
		err,
		"there is: show, mask, join; then the file: mcpctl capture show FILE");
}

static int check_options(const struct capture_verb *v,
			 const struct capture_options *o, struct error *err)
{
	if (v->anonymises ? o->word || o->from || o->to : o->anonymise)
		return error_set(err, ERR_USAGE, "%s is not for capture %s",
				 v->anonymises ? "--filter, --from or --to" :
						 "--anonymise",
				 v->name);
	return 0;
}

static int capture_run(const struct invocation *in, struct error *err)
{
	for (size_t i = 0; i < COUNT(verbs); i++) {
		const struct capture_verb *v = &verbs[i];
		const int files = in->argc - 1;

		if (strcmp(in->argv[0], v->name) != 0)
			continue;
		if (files < v->least || (v->most && files > v->most))
			return error_set(
				err, ERR_USAGE, "capture %s takes %s", v->name,
				v->most ? "one file" : "two files or more");
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
	{ "capture mask --anonymise t.jsonl", NULL, EXAMPLE_GOES_ON },
	{ "capture join serve.jsonl board.jsonl", NULL, EXAMPLE_GOES_ON },
	{ NULL, NULL, 0 }
};

const struct command cmd_capture = {
	.name = "capture",
	.globals = "device verbose",
	.args = "show|mask|join FILE...",
	.brief = "read, mask and join what --trace recorded",
	.text = "--trace FILE of every command records what passes on the wire as a capture: a JSON object a line, secrets masked; mcpctl-capture(5) says what stands in it. "
		"A FILE may be packed by gzip or zstd, - is stdin, traces of earlier versions are read too, and one that ends within a line is read up to there. Files of any size are read line by line.\n"
		"\n"
		"show: a line for each message: when, who, in which direction (> from the device, < from the backend), what in words, and behind an answer how long it took; findings stand below the line that they belong to. "
		"-v shows audio, pings and packets too and cuts nothing, -vv adds the bytes as they were. -d names a device by its Device-Id, or by a glob. With -o json it prints a capture of what is left. Nothing to show is status 7.\n"
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
