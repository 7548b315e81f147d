/* SPDX-License-Identifier: MIT */
/*
 * What stands at the cursor: the name of an option or its value, a command, a
 * target, an operand. Who knows the words for each is elsewhere.
 */
#include "cli/complete.h"

#include <string.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/complete_private.h"

static const struct option_row *rows_of(const struct completing *c)
{
	return c->position->command ? c->position->command->options : NULL;
}

static bool is_inside_option(const struct option_row *row)
{
	return strcmp(row->name, "help") == 0;
}

/* ---- names of options ---- */

static void add_option(struct completing *c, const struct option_row *row)
{
	const struct offer offer = { .typed = c->question->word };
	CLEANUP(mem_free_ptr) char *name = mem_printf("--%s", row->name);

	complete_add(c, &offer, name, row->brief);
}

/* "-" shows the long names: the letters say nothing. */
static void add_options(struct completing *c)
{
	const struct option_row *row;

	for (row = rows_of(c); row && row->name; row++)
		add_option(c, row);
	for (row = config_options; row->name; row++) {
		if (!c->question->inside || is_inside_option(row))
			add_option(c, row);
	}
}

static const struct option_row *find_letter(const struct completing *c,
					    char letter)
{
	const struct option_row *row = option_by_letter(rows_of(c), letter);

	if (!row)
		row = option_by_letter(config_options, letter);
	return row;
}

static const struct option_row *find_name(const struct completing *c,
					  const char *name, size_t len)
{
	const struct option_row *row = option_by_name(rows_of(c), name, len);

	if (!row)
		row = option_by_name(config_options, name, len);
	return row;
}

static void value_in_word(struct completing *c, const struct option_row *row,
			  size_t before)
{
	const char *word = c->question->word;
	CLEANUP(mem_free_ptr) char *head = mem_strndup(word, before);

	complete_value(c, row, head, word + before);
}

/* "-vo", "-ojs": letters, and the value of the last. */
static void complete_letters(struct completing *c)
{
	const char *word = c->question->word;
	const struct offer offer = { 0 };
	const struct option_row *row = NULL;

	for (size_t i = 1; word[i]; i++) {
		row = find_letter(c, word[i]);
		if (!row)
			return;
		if (option_takes_word(row) && word[i + 1]) {
			value_in_word(c, row, i + 1);
			return;
		}
	}
	if (row)
		complete_add(c, &offer, word, row->brief);
}

static void complete_option(struct completing *c)
{
	const char *word = c->question->word;
	const char *equals = strchr(word, '=');
	const struct option_row *row;

	if (word[1] && word[1] != '-') {
		complete_letters(c);
	} else if (!equals) {
		add_options(c);
	} else {
		row = find_name(c, word + 2, (size_t)(equals - word - 2));
		if (row)
			value_in_word(c, row, (size_t)(equals - word + 1));
	}
}

/* ---- words ---- */

static void complete_first(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };

	if (c->question->inside) {
		complete_inside_first(c);
		return;
	}
	complete_source(c, SOURCE_COMMANDS, &offer);
	if (!c->position->has_target)
		complete_targets(c, &offer);
}

/* "@FILE" where JSON is expected. */
static void complete_json(struct completing *c)
{
	if (c->question->word[0] == '@')
		complete_files(c, "@", 1);
}

static void complete_tool_call(struct completing *c)
{
	const struct words *operands = &c->position->operands;

	if (operands->count == 0)
		complete_tools(c, c->question->word);
	else
		complete_arguments(c, operands->word[0], operands->word + 1,
				   operands->count - 1);
}

static void complete_operand(struct completing *c)
{
	const struct command *command = c->position->command;
	size_t index = c->position->operands.count;
	const struct offer offer = { .typed = c->question->word };

	if (command->max >= 0 && index >= (size_t)command->max)
		return;
	switch (command->operand) {
	case OPERAND_NONE:
		break;
	case OPERAND_TOOL:
		complete_tools(c, c->question->word);
		break;
	case OPERAND_TOOL_CALL:
		complete_tool_call(c);
		break;
	case OPERAND_DEVICE:
		complete_devices(c, &offer);
		break;
	case OPERAND_JSON:
		complete_json(c);
		break;
	case OPERAND_RESOURCE:
	case OPERAND_TEMPLATE:
	case OPERAND_PROMPT:
	case OPERAND_PROMPT_CALL:
	case OPERAND_COMPLETABLE:
		complete_items(c, command->operand);
		break;
	case OPERAND_METHOD:
		if (index > 0)
			complete_json(c);
		else
			complete_source(c, SOURCE_METHODS, &offer);
		break;
	case OPERAND_COMMAND_OR_TOPIC:
	case OPERAND_FILE:
	case OPERAND_SHELL_NAME:
	case OPERAND_PROFILE:
	case OPERAND_LEVEL:
		complete_source(c, source_of_operand(command), &offer);
		break;
	}
}

static void complete_at(struct completing *c)
{
	const struct position *p = c->position;
	const char *word = c->question->word;

	if (p->child || p->unknown)
		return;
	if (p->inside)
		complete_inside_operand(c);
	else if (p->pending && (word[0] != '-' || !word[1]))
		complete_value(c, p->pending, "", word);
	else if (word[0] == '-')
		complete_option(c);
	else if (p->command)
		complete_operand(c);
	else
		complete_first(c);
}

void complete(struct completion *out, const struct complete_question *q,
	      const struct schema_source *source)
{
	CLEANUP(position_done) struct position p = { 0 };
	struct completing c = {
		.out = out, .question = q, .source = source, .position = &p
	};

	*out = (struct completion){ 0 };
	position_find(&p, q, source);
	complete_at(&c);
}
