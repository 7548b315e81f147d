/* SPDX-License-Identifier: MIT */
/*
 * A line of the shell: its own words, which it told, commands that make sense
 * on a session, and tools as commands.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete_private.h"

const struct inside_word *complete_inside_words;
const char *const *complete_inside_settings;

const struct inside_word *inside_find(const char *name)
{
	const struct inside_word *w = complete_inside_words;

	for (; w && w->name; w++) {
		if (strcmp(w->name, name) == 0)
			return w;
	}
	return NULL;
}

bool inside_allows(const struct command *c)
{
	return (c->flags & (CMD_SHELL | CMD_HIDDEN)) == CMD_SHELL;
}

/* ---- the first word ---- */

static void add_words(struct completing *c, const struct offer *offer)
{
	const struct inside_word *w = complete_inside_words;

	for (; w && w->name; w++)
		complete_add(c, offer, w->name, w->brief);
}

void complete_inside_first(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };

	add_words(c, &offer);
	for (const struct command *const *p = commands; *p; p++) {
		if (inside_allows(*p) && !inside_find((*p)->name))
			complete_add(c, &offer, (*p)->name, (*p)->brief);
	}
	complete_tools(c, c->question->word);
}

struct search {
	const char *prefix;
	char *found;
	size_t count;
};

static void count_name(void *owner, const char *name, const char *brief)
{
	struct search *s = owner;

	(void)brief;
	if (!text_starts(name, s->prefix) ||
	    (s->found && strcmp(s->found, name) == 0))
		return;
	s->count++;
	if (!s->found)
		s->found = mem_strdup(name);
}

char *inside_only(const char *prefix, const struct schema_source *source)
{
	struct search s = { .prefix = prefix };
	const struct inside_word *w = complete_inside_words;

	for (; w && w->name; w++)
		count_name(&s, w->name, "");
	for (const struct command *const *c = commands; *c; c++) {
		if (inside_allows(*c) && !inside_find((*c)->name))
			count_name(&s, (*c)->name, "");
	}
	if (s.count < 2)
		source->tools(source->owner, prefix, count_name, &s);
	if (s.count == 1)
		return s.found;
	mem_free(s.found);
	return NULL;
}

/* ---- behind the shell's own words ---- */

static const struct option_row *setting_row(const char *name)
{
	return option_by_name(config_options, name, strlen(name));
}

static void complete_setting(struct completing *c)
{
	const struct words *operands = &c->position->operands;
	const struct offer offer = { .typed = c->question->word };
	const char *const *name = complete_inside_settings;
	const struct option_row *row;

	if (operands->count == 1) {
		row = setting_row(operands->word[0]);
		if (row && row->type == OPTION_FLAG) {
			complete_add(c, &offer, "on", row->brief);
			complete_add(c, &offer, "off", "");
		} else if (row) {
			complete_value(c, row, "", c->question->word);
		}
	}
	for (; operands->count == 0 && name && *name; name++) {
		row = setting_row(*name);
		complete_add(c, &offer, *name, row ? row->brief : "");
	}
}

static void complete_form(struct completing *c)
{
	const struct words *operands = &c->position->operands;
	const struct offer offer = { .typed = c->question->word };

	if (operands->count > 1 ||
	    (operands->count == 1 && strcmp(operands->word[0], "-o") != 0))
		return;
	if (operands->count == 0 && c->question->word[0] == '-')
		complete_add(c, &offer, "-o", setting_row("output")->brief);
	else
		complete_value(c, setting_row("output"), "", c->question->word);
}

static void complete_help(struct completing *c, const struct offer *offer)
{
	add_words(c, offer);
	complete_source(c, SOURCE_HELP, offer);
	complete_sort(c);
	complete_tools(c, offer->typed);
}

void complete_inside_operand(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };
	size_t index = c->position->operands.count;

	switch (c->position->inside->operand) {
	case INSIDE_NONE:
		break;
	case INSIDE_SETTING:
		complete_setting(c);
		break;
	case INSIDE_FORM:
		complete_form(c);
		break;
	case INSIDE_PEER:
		if (index > 0)
			break;
		complete_devices(c, &offer);
		complete_named(c, &offer);
		complete_targets(c, &offer);
		break;
	case INSIDE_FILE:
		/* Behind an option too: run -k FILE. */
		if (index == 0 ||
		    c->position->operands.word[index - 1][0] == '-')
			complete_files(c, "", 0);
		break;
	case INSIDE_HELP:
		if (index == 0)
			complete_help(c, &offer);
		break;
	}
}
