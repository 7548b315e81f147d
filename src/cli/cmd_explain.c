/* SPDX-License-Identifier: MIT */
/*
 * explain: what a finding means, by its code. Reaches nobody.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "diag/codebook.h"

struct explain_options {
	int language; /* of language_choices */
};

enum { LANGUAGE_AUTO, LANGUAGE_ENGLISH, LANGUAGE_CHINESE };

static const struct option_row explain_rows[] = {
	{ 0, "lang", "auto|en|zh", OPTION_CHOICE,
	  offsetof(struct explain_options, language),
	  "in English or in Chinese", NULL, "auto en zh", 0, 0,
	  "auto: as LANG says" },
	{ 0, NULL, NULL, OPTION_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL }
};

/* As POSIX lays it down, of the three the first that is set. */
static bool speaks_chinese(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return text_starts(value, "zh");
	}
	return false;
}

static enum explain_language language_of(const struct invocation *in)
{
	const struct explain_options *options = in->options;

	if (options->language == LANGUAGE_AUTO)
		return speaks_chinese() && !in->app->out.foreign ?
			       EXPLAIN_CHINESE :
			       EXPLAIN_ENGLISH;
	return options->language == LANGUAGE_CHINESE ? EXPLAIN_CHINESE :
						       EXPLAIN_ENGLISH;
}

static void show(const struct invocation *in, enum diag_code code,
		 void (*how)(struct renderer *r, const struct explanation *e))
{
	CLEANUP(explanation_done) struct explanation e;

	explanation_read(&e, code, language_of(in));
	how(&in->app->out, &e);
}

static int unknown(const char *word, struct error *err)
{
	const char *nearest = finding_nearest(word);

	error_set(err, ERR_USAGE, "there is no finding '%.40s'", word);
	if (nearest)
		return error_hint(
			err, "did you mean %s, %s?", nearest,
			finding_row((enum diag_code)finding_by_name(nearest))
				->title);
	return error_hint(err, "mcpctl explain lists them all");
}

static void show_all(const struct invocation *in,
		     void (*how)(struct renderer *r,
				 const struct explanation *e))
{
	for (int i = 0; i < DIAG_CODE_COUNT; i++)
		show(in, (enum diag_code)i, how);
}

static int explain_run(const struct invocation *in, struct error *err)
{
	const struct render_ops *ops = in->app->out.ops;

	if (in->argc == 0)
		show_all(in, ops->finding_row);
	for (int i = 0; i < in->argc; i++) {
		int code = finding_by_name(in->argv[i]);

		if (code < 0)
			return unknown(in->argv[i], err);
		if (i > 0 && in->app->out.form != OUTPUT_JSON)
			fputc('\n', in->app->out.out);
		show(in, (enum diag_code)code, ops->explain);
	}
	return 0;
}

/* --all means all of it here. */
static int explain_all_run(const struct invocation *in, struct error *err)
{
	if (in->argc > 0)
		return explain_run(in, err);
	show_all(in, in->app->out.ops->explain);
	return 0;
}

static const struct example explain_examples[] = {
	{ "explain", "D106", 0 },
	{ "explain D106", "paging never ends", 0 },
	{ "explain --lang zh B214", "B214", 0 },
	{ "explain -o json --all", "\"code\":\"D106\"", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_explain = {
	.name = "explain",
	.globals = "jq",
	.args = "[CODE...]",
	.brief = "what a finding means, by its code",
	.text = "A finding is something wrong or odd that was seen on the wire. Its code stands for ever: D is about a device, B a backend, O the OTA reply, V vision, M MQTT and UDP, N network and TLS, P a plain MCP server, H this machine, S what a serial log shows.\n"
		"\n"
		"For each code: how it looks, why, with which versions, whom it hits, what firmware, backend and operator can do, where that is known from, and how to plant it. "
		"Without a code all of them, a line each; with --all in full.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_SHELL | CMD_PAGED | CMD_MINOR,
	.max = -1,
	.operand = OPERAND_FINDING,
	.options = explain_rows,
	.options_size = sizeof(struct explain_options),
	.examples = explain_examples,
	.run = explain_run,
	.all = explain_all_run
};
