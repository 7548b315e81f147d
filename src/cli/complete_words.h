/* SPDX-License-Identifier: MIT */
/* Candidates, collected; those that are words of a table. */
#ifndef CLI_COMPLETE_WORDS_H
#define CLI_COMPLETE_WORDS_H

#include "cli/complete.h"

/* The table for the values of an option; SOURCE_NONE if it takes none. */
enum source_kind source_of_option(const struct option_row *row);
void source_each_word(enum source_kind kind, source_each *each, void *owner);
/* Names that zsh knows the candidates by: "commands", "command". */
const char *source_tag(enum source_kind kind);
const char *source_heading(enum source_kind kind);
void completion_done(struct completion *c);
/* Unless it begins otherwise, or holds what a terminal must not get. False then. */
bool complete_add(struct completing *c, const struct offer *offer,
		  const char *word, const char *brief);
/* No control character, no bidirectional one, all of it UTF-8. */
bool complete_is_safe(const char *text);
void complete_files(struct completing *c, const char *keep, size_t len);
/* For the next: by word. */
void complete_sort(struct completing *c);

#endif
