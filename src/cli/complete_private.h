/* SPDX-License-Identifier: MIT */
/*
 * The inside of completion, for cli/complete*.c. Files: complete.c (what
 * stands at the cursor), complete_position.c (where the cursor is),
 * complete_value.c (values of options), complete_tools.c, complete_arguments.c,
 * complete_argument_value.c, complete_items.c, complete_inside.c (lines of the shell),
 * complete_line.c, complete_add.c.
 */
#ifndef CLI_COMPLETE_PRIVATE_H
#define CLI_COMPLETE_PRIVATE_H

#include "cli/app.h"
#include "cli/complete.h"
#include "cli/generate.h"
#include "cli/named_target.h"

/* One word of a line, taken out of its quotes as far as it is typed. */
struct typed_word {
	struct buf text;
	char quote; /* the one that is open; 0 */
	size_t open; /* then: what stands behind it begins here */
	bool escape; /* it ends with a backslash that awaits its character */
};
void typed_word_done(struct typed_word *w);
/*
 * From text, until an unquoted blank or '|' if stop, else all. Returns the
 * bytes that were read.
 */
size_t typed_word_read(struct typed_word *w, const char *text, bool stop);

/* Where the cursor stands. */
struct position {
	const struct command *command; /* NULL: its name stands here */
	const struct inside_word *inside; /* the shell's own instead; NULL */
	bool has_target; /* one was named */
	bool unknown; /* a word stands there that names no command */
	bool child; /* behind "--" */
	const struct option_row *pending; /* the word is its value; NULL */
	struct words operands; /* in front of the word */
	struct complete_peer peer; /* as the words say, without environment */
	const char *config; /* --config; NULL */
	bool trust; /* --trust */
};
void position_find(struct position *out, const struct complete_question *q,
		   const struct schema_source *source);
void position_done(struct position *p);
/* Where names are looked for: --config, or what the environment says. */
struct named_search position_search(const struct position *p);
/*
 * The target of complete_peer as its lists are kept: what a name of that
 * configuration file stands for. Yours; NULL: there is none.
 */
char *complete_kept_target(const struct complete_question *q);

struct completing {
	struct completion *out;
	const struct complete_question *question;
	const struct schema_source *source;
	const struct position *position;
};

/* ---- complete_add.c ---- */

/* What a candidate is, but for its text. */
struct offer {
	const char *before; /* stands in front of the word; NULL: nothing */
	const char *typed; /* the candidate begins with it; NULL: any */
	const char *shown; /* NULL: the word */
	bool open;
};
/* Unless it begins otherwise, or holds what a terminal must not get. False then. */
bool complete_add(struct completing *c, const struct offer *offer,
		  const char *word, const char *brief);
/* No control character, no bidirectional one, all of it UTF-8. */
bool complete_is_safe(const char *text);
void complete_files(struct completing *c, const char *keep, size_t len);
/* For the next: by word. */
void complete_sort(struct completing *c);

/* ---- complete_value.c ---- */

/* before: what stands in front of the value in the word; typed: the value so far. */
void complete_value(struct completing *c, const struct option_row *row,
		    const char *before, const char *typed);
void complete_source(struct completing *c, enum source_kind kind,
		     const struct offer *offer);
void complete_devices(struct completing *c, const struct offer *offer);
void complete_targets(struct completing *c, const struct offer *offer);
/* Names of configuration files, for -t. */
void complete_named(struct completing *c, const struct offer *offer);

/* ---- complete_tools.c ---- */

/* Names by segment; a note if there is no list. */
void complete_tools(struct completing *c, const char *typed);
void complete_note_unknown(struct completing *c);
/*
 * "no list yet: run mcpctl -t NAME tools", for that list ("tools"): with the
 * peer that the words name. Unless there is a candidate or a note.
 */
void complete_note_list(struct completing *c, const char *list);

/* A tool, as its arguments are completed. */
struct tool_schema {
	const cJSON *root; /* its inputSchema */
	const char *name; /* of one argument */
	const cJSON *property; /* its schema */
};

/* ---- complete_arguments.c ---- */

/* Behind the tool's name: count words, then the word at the cursor. */
void complete_arguments(struct completing *c, const char *tool,
			char *const *words, size_t count);

/* The same of a prompt or a template: words[0] is its key. */
void complete_item_arguments(struct completing *c, enum list_kind kind,
			     char *const *words, size_t count);

/* "integer 0..100, required: the volume", appended. */
void complete_describe(const struct tool_schema *t, struct buf *out);

/* ---- complete_argument_value.c ---- */

/* Behind "NAME=": values, else what fits, to be shown only. */
void complete_argument_value(struct completing *c, const struct tool_schema *t);

/* ---- complete_items.c ---- */

/* Resources, templates, prompts, and their arguments. */
void complete_items(struct completing *c, enum operand_kind operand);

/* ---- complete_inside.c ---- */

/* The first word of a shell's line. */
void complete_inside_first(struct completing *c);
/* Behind one of the shell's own words. */
void complete_inside_operand(struct completing *c);
const struct inside_word *inside_find(const char *name);
/* The only thing of the shell's, command or tool that begins so; NULL. Yours. */
char *inside_only(const char *prefix, const struct schema_source *source);
/* Commands that a line of the shell may begin with. */
bool inside_allows(const struct command *c);

#endif
