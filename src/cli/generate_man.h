/* SPDX-License-Identifier: MIT */
/*
 * The text format of help: plain lines, read by two writers (the terminal
 * here, mdoc in generate_man.c). Text lines form paragraphs, empty lines part
 * them, indented lines (two spaces or a tab) are literal, and "TERM<tab>text"
 * is an item of a list.
 */
#ifndef CLI_GENERATE_MAN_H
#define CLI_GENERATE_MAN_H

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

/* "TOOL [ARG]..." as macros, to stand on a macro line. */
void mdoc_operands(FILE *out, const char *args);

/* A whole text in that format. follows: text stands before it already. */
void mdoc_manual(FILE *out, const char *text, bool follows);

void generate_man(FILE *out);

#endif
