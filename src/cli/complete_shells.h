/* SPDX-License-Identifier: MIT */
/*
 * What the scripts in completions/ ask, and the answers in the forms of bash,
 * zsh, fish.
 */
#ifndef CLI_COMPLETE_SHELLS_H
#define CLI_COMPLETE_SHELLS_H

#include "cli/complete.h"

/*
 * For a script (completions/), appended. typed: the word at the cursor as it was
 * given; cut: its end that readline takes for the word; NULL: all of it.
 *
 * bash: a line "words" and what compopt is told (nosort, nospace), or "files",
 * what stands before a name, what is typed of it, parted by tabs; then lines as
 * they replace what readline takes for the word. Nothing where there is nothing.
 *
 * zsh: blocks whose first line says what it is, parts by tabs:
 * "before TEXT"; "group TAG HEADING OPTION" with three lists for _describe, each
 * ended by an empty line: words, open ones, those that '=' may follow;
 * "files GLOB HEADING KEEP"; "wants WHAT"; "note TEXT" (with a space); "end".
 *
 * fish: "words", or "files" and, behind a space, KEEP; or "note TEXT"; then
 * words and texts, parted by a tab.
 */
void complete_print(struct buf *out, enum complete_shell shell,
		    const struct completion *c, const char *typed,
		    const char *cut);

/* A word as bash gives it, out of its quotes as far as they are typed. Yours. */
char *complete_unquote(const char *typed);

#endif
