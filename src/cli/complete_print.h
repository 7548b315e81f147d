/* SPDX-License-Identifier: MIT */
/*
 * A completion as the script of a shell wants it, so that the scripts stay
 * dumb. `mcpctl _complete SHELL [WORD]...`: WORD are the words behind "mcpctl",
 * the last the one at the cursor, up to it ("" if it is empty). For bash they
 * are as typed, with quotes and backslashes (but not split at ':' and '=');
 * for zsh ("${(@Q)words}") and fish (commandline -opc, string unescape) taken
 * out of them.
 *
 * Lines. The first says what the others are:
 *   words		candidates
 *   files KEEP		candidates, and file names behind KEEP, which the word
 *			begins with; "files" alone: it is all a file name
 *   shown		not to be inserted, only shown: what may follow
 *   note TEXT		there is nothing, and why
 * KEEP goes to the end of the line; for bash it is as typed, for the others
 * without quotes.
 *
 * bash: one line a candidate, for COMPREPLY, quoted so that it continues what
 * was typed: it begins with the word as typed or, where a quote is open, with
 * what stands behind that quote. What COMP_WORDBREAKS cuts off is still in
 * front of it. Candidates that are whole words end with a space (but not
 * inside an open quote, nor after "files"): so compopt -o nospace, always.
 * After "files" they are not quoted: compopt -o filenames. "shown": a line as
 * it is to be shown.
 *
 * zsh: for _describe: WORD:BRIEF, with ':' and '\' in WORD and '\' in BRIEF
 * behind a backslash, no colon without a brief. First the whole words, then,
 * behind an empty line, those that go on (-S ''); where there are none, a
 * command substitution cuts that line off. "shown": TEXT and, behind two
 * spaces, BRIEF; for _message.
 *
 * fish: WORD<tab>BRIEF. fish itself adds no space behind '=', '.', ':', '/'.
 * "shown": as for zsh.
 *
 * Nothing to offer: only the line "words".
 */
#ifndef CLI_COMPLETE_PRINT_H
#define CLI_COMPLETE_PRINT_H

#include "cli/complete.h"

enum complete_shell { COMPLETE_BASH, COMPLETE_ZSH, COMPLETE_FISH };

/* Appended. typed: the word at the cursor as it was given. */
void complete_print(struct buf *out, enum complete_shell shell,
		    const struct completion *c, const char *typed);

/* A word as bash gives it, out of its quotes as far as they are typed. Yours. */
char *complete_unquote(const char *typed);

#endif
