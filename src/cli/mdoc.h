/* SPDX-License-Identifier: MIT */
/*
 * Text as mdoc source: escaped, filled, the format of cli/manual.h turned into
 * paragraphs, lists and displays. Knows no commands.
 */
#ifndef CLI_MDOC_H
#define CLI_MDOC_H

#include <stdbool.h>
#include <stdio.h>

/* Running text; ends with a newline. */
void mdoc_text(FILE *out, const char *text, size_t len);

/* One line as it is, inside a literal display. */
void mdoc_literal(FILE *out, const char *text, size_t len);

/* "TOOL [ARG]..." as macros, to stand on a macro line. */
void mdoc_operands(FILE *out, const char *args);

/* A whole text of cli/manual.h. follows: text stands before it already. */
void mdoc_manual(FILE *out, const char *text, bool follows);

#endif
