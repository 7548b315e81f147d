/* SPDX-License-Identifier: MIT */
/*
 * The text format of help: plain lines, read by two writers (the terminal
 * and mdoc, for man pages). Text lines form paragraphs, empty lines part
 * them, indented lines (two spaces or a tab) are literal, and "TERM<tab>text"
 * is an item of a list.
 */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/base.h"

enum manual_kind { MANUAL_TEXT, MANUAL_LITERAL, MANUAL_ITEM, MANUAL_BREAK };

struct manual_line { /* lent, inside the text */
	enum manual_kind kind;
	const char *text;
	size_t len;
	const char *term; /* MANUAL_ITEM */
	size_t term_len;
};

/* All of text, filled to width columns. */
void manual_print(FILE *out, const char *text, size_t width);

/*
 * One item: term at `indent`, text from `column` on, filled to width. A term
 * that reaches the column stands on a line of its own.
 */
struct manual_layout {
	size_t indent, column, width;
};
void manual_item(FILE *out, const struct manual_layout *l, const char *term,
		 const char *text);

/* Running text as lines of mdoc's source, the last one ended. */
void mdoc_text(FILE *out, const char *text, size_t len);

/* One line as it is, for the inside of a literal display. */
void mdoc_literal(FILE *out, const char *text, size_t len);

/* A word that stays as it is, inside of a line of macros. */
void mdoc_word(FILE *out, const char *word);

/* "TOOL [ARG]..." as macros, to stand on a macro line. */
void mdoc_operands(FILE *out, const char *args);

/* A whole text in that format. follows: text stands before it already. */
void mdoc_manual(FILE *out, const char *text, bool follows);

#endif
