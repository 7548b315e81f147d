/* SPDX-License-Identifier: MIT */
/* The candidates: tools, arguments, values, resources, targets. */
#ifndef CLI_COMPLETE_ITEMS_H
#define CLI_COMPLETE_ITEMS_H

#include "cli/complete.h"

/* What a table's words must begin with: typed; NULL where the shell sifts them. */
const char *complete_sifted(const struct completing *c, const char *typed);

/* before: what stands in front of the value in the word; typed: the value so far. */
void complete_value(struct completing *c, const struct option_row *row,
		    const char *before, const char *typed);
void complete_source(struct completing *c, enum source_kind kind,
		     const struct offer *offer);
void complete_devices(struct completing *c, const struct offer *offer);
/* Names of mcp.json files. */
void complete_named(struct completing *c, const struct offer *offer);
/* Servers that are kept open. */
void complete_held(struct completing *c, const struct offer *offer);
void complete_targets(struct completing *c, const struct offer *offer);

/*
 * Names by segment; where none begins so, the last parts that stand for one to
 * who reads about it (tool_list_named), or calls it (tool_list_meant); a note if
 * there is no list.
 */
void complete_tools(struct completing *c, const char *typed, bool reads);
/* Those that may stand where a command does (command_is_tool). */
void complete_bare_tools(struct completing *c);

/* Behind the tool's name: count words, then the word at the cursor. */
void complete_arguments(struct completing *c, const char *tool,
			char *const *words, size_t count);

/* Resources, templates, prompts, and their arguments. */
void complete_items(struct completing *c, enum operand_kind operand);

/* The first word of a shell's line. */
void complete_inside_first(struct completing *c);
/* Behind one of the shell's own words. */
void complete_inside_operand(struct completing *c);
const struct inside_word *inside_find(const char *name);
/* Commands that a line of the shell may begin with. */
bool inside_allows(const struct command *c);

#endif
