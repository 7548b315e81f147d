/* SPDX-License-Identifier: MIT */
/*
 * Candidates, collected; and those that are words of a table, the same at
 * every time: commands, topics, faults, beginnings of targets. Which table an
 * option or an operand takes.
 */
#include "cli/complete_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "cli/cmd_loglevel.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/topics.h"
#include "diag/codebook.h"
#include "mcp/rules.h"
#include "net/serial.h"
#include "out/wrap.h"
#include "sim/profile.h"
#include "sim/sim.h"

const char *const complete_shells[COMPLETE_SHELLS] = { "bash", "zsh", "fish" };

static const char *const methods[] = { "initialize",
				       "ping",
				       "tools/list",
				       "tools/call",
				       "resources/list",
				       "resources/read",
				       "resources/templates/list",
				       "resources/subscribe",
				       "resources/unsubscribe",
				       "prompts/list",
				       "prompts/get",
				       "completion/complete",
				       "logging/setLevel",
				       "notifications/initialized",
				       "notifications/cancelled" };

/* Beginnings of targets; where an address follows, the shell adds no space. */
static const char *const targets[][2] = {
	{ "listen:", "wait for a board on port 8000" },
	{ "sim:", "the simulated device" },
	{ "http://", "an MCP server over HTTP" },
	{ "https://", "the same over TLS" },
	{ "stdio:", "a server that is started: its command line" },
	{ "ws://", "dial a WebSocket MCP server" },
	{ "wss://", "the same over TLS" },
	{ "mqtt://", "a device at a broker" },
	{ "mqtts://", "the same over TLS" },
	{ "attach:", "a device of the running serve" }
};

enum source_kind source_of_option(const struct option_row *row)
{
	if (row->type == OPTION_FILE || strcmp(row->name, "root") == 0)
		return SOURCE_FILES;
	if (strcmp(row->name, "level") == 0)
		return SOURCE_LEVELS;
	if (strcmp(row->name, "serial") == 0)
		return SOURCE_SERIAL;
	if (strcmp(row->name, "execute") == 0)
		return SOURCE_COMMANDS;
	if (strcmp(row->name, "only") == 0 || strcmp(row->name, "skip") == 0)
		return SOURCE_FINDINGS;
	return SOURCE_NONE;
}

static void each_command(source_each *each, void *owner)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (!((*c)->flags & CMD_HIDDEN))
			each(owner, (*c)->name, (*c)->brief);
	}
}

static void each_topic(source_each *each, void *owner)
{
	for (const struct topic *t = topics; t->name; t++) {
		if (!command_find(t->name))
			each(owner, t->name, t->brief);
	}
}

static void each_help(source_each *each, void *owner)
{
	each_command(each, owner);
	each_topic(each, owner);
}

static void each_shell(source_each *each, void *owner)
{
	for (size_t i = 0; i < COUNT(complete_shells); i++)
		each(owner, complete_shells[i], "");
}

static void each_fault(source_each *each, void *owner)
{
	for (const struct sim_fault_row *f = sim_fault_rows; f->name; f++)
		each(owner, f->name, f->brief);
}

static void each_method(source_each *each, void *owner)
{
	for (size_t i = 0; i < COUNT(methods); i++)
		each(owner, methods[i], "");
}

static void each_level(source_each *each, void *owner)
{
	for (size_t i = 0; log_levels[i]; i++)
		each(owner, log_levels[i], "");
}

static void each_finding(source_each *each, void *owner)
{
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		const struct finding_row *row = finding_row((enum diag_code)i);

		each(owner, row->code, row->title);
	}
}

static void each_serial(source_each *each, void *owner)
{
	CLEANUP(words_done) struct words all = { 0 };

	serial_devices(&all);
	for (size_t i = 0; i < all.count; i++)
		each(owner, all.word[i], "a serial port");
}

struct forward {
	source_each *each;
	void *owner;
};

static void each_profile_target(void *owner, const char *name,
				const char *brief)
{
	const struct forward *f = owner;
	CLEANUP(mem_free_ptr) char *target = mem_printf("sim:%s", name);

	f->each(f->owner, target, brief);
}

static void each_target(source_each *each, void *owner)
{
	struct forward f = { each, owner };

	for (size_t i = 0; i < COUNT(targets); i++)
		each(owner, targets[i][0], targets[i][1]);
	sim_each_profile(each_profile_target, &f);
}

/* tag and heading: for zsh. */
static const struct word_table {
	void (*each)(source_each *each, void *owner);
	const char *tag, *heading;
} sources[] = { [SOURCE_NONE] = { NULL, "candidates", "candidate" },
		[SOURCE_CHOICES] = { NULL, "values", "value" },
		[SOURCE_OPTIONS] = { NULL, "options", "option" },
		[SOURCE_GLOBALS] = { NULL, "globals",
				     "option of every command" },
		[SOURCE_FILES] = { NULL, "files", "file" },
		[SOURCE_TARGETS] = { each_target, "targets", "target" },
		[SOURCE_FAULTS] = { each_fault, "faults", "fault" },
		[SOURCE_PROFILES] = { sim_each_profile, "profiles", "profile" },
		[SOURCE_COMMANDS] = { each_command, "commands", "command" },
		[SOURCE_HELP] = { each_help, "topics", "command or topic" },
		[SOURCE_SHELLS] = { each_shell, "shells", "shell" },
		[SOURCE_METHODS] = { each_method, "methods", "method" },
		[SOURCE_LEVELS] = { each_level, "levels", "level" },
		[SOURCE_FINDINGS] = { each_finding, "findings", "finding" },
		[SOURCE_SERIAL] = { each_serial, "ports", "serial port" } };

void source_each_word(enum source_kind kind, source_each *each, void *owner)
{
	if (sources[kind].each)
		sources[kind].each(each, owner);
}

const char *source_tag(enum source_kind kind)
{
	return sources[kind].tag;
}

const char *source_heading(enum source_kind kind)
{
	return sources[kind].heading;
}

/*
 * Candidates collected: only what a terminal can show and a command line can
 * hold as it is; so many and no more.
 */

#define BRIEF_COLUMNS 160
#define WORD_MAX 65536

static void candidate_done(struct candidate *c)
{
	mem_free(c->word);
	mem_free(c->brief);
	mem_free(c->shown);
}

void completion_done(struct completion *c)
{
	for (size_t i = 0; i < c->count; i++)
		candidate_done(&c->item[i]);
	mem_free(c->item);
	mem_free(c->keep);
	mem_free(c->before);
	mem_free(c->end[0]);
	mem_free(c->end[1]);
	mem_free(c->note);
	*c = (struct completion){ 0 };
}

bool complete_is_safe(const char *text)
{
	return text_is_safe(text, strlen(text));
}

/* The first line, safe, not longer than what a list of them can show. */
static char *brief_of(const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct buf out = { 0 };
	const char *start = text;
	size_t len = text ? wrap_first(text, &start) : 0;

	/* Most are: then nothing needs to be measured, and TAB is not felt. */
	if (len <= BRIEF_COLUMNS && text_is_safe(start, len))
		return mem_strndup(start, len);
	/* Four bytes a column and more are not needed, however long it is. */
	if (len > (size_t)BRIEF_COLUMNS * 8)
		len = (size_t)BRIEF_COLUMNS * 8;
	while (len > 0 && ((unsigned char)start[len] & 0xc0) == 0x80)
		len--;
	text_safe(&safe, start, len, TEXT_LINE);
	wrap_cut(&out, buf_string(&safe), safe.len, BRIEF_COLUMNS);
	return buf_take(&out);
}

bool complete_add(struct completing *c, const struct offer *offer,
		  const char *word, const char *brief)
{
	struct completion *out = c->out;
	size_t len = strlen(word);

	if (c->question->no_briefs && !out->show_only)
		brief = NULL;
	if (out->count >= CANDIDATES_MAX || len == 0 || len > WORD_MAX ||
	    (offer->typed && !text_starts(word, offer->typed)) ||
	    !complete_is_safe(word))
		return false;
	out->item = mem_grow(out->item, &out->capacity, out->count,
			     sizeof(*out->item));
	out->item[out->count++] = (struct candidate){
		.word = offer->before ?
				mem_printf("%s%s", offer->before, word) :
				mem_strndup(word, len),
		.brief = brief_of(brief),
		.shown = offer->shown ? brief_of(offer->shown) : NULL,
		.open = offer->open,
		.equals = offer->equals,
		.kind = offer->kind
	};
	if (offer->before && *offer->before && !out->before)
		out->before = mem_strdup(offer->before);
	return true;
}

void complete_files(struct completing *c, const char *keep, size_t len)
{
	c->out->files = true;
	mem_free(c->out->keep);
	c->out->keep = len ? mem_strndup(keep, len) : NULL;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	return strcmp(left->word, right->word);
}

void complete_sort(struct completing *c)
{
	struct completion *out = c->out;
	size_t kept = 0;

	if (out->count == 0)
		return;
	qsort(out->item, out->count, sizeof(*out->item), compare);
	for (size_t i = 1; i < out->count; i++) {
		if (strcmp(out->item[kept].word, out->item[i].word) == 0)
			candidate_done(&out->item[i]);
		else
			out->item[++kept] = out->item[i];
	}
	out->count = kept + 1;
}
