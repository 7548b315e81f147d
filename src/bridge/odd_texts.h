/* SPDX-License-Identifier: MIT */
/*
 * Texts of tools that seem to be meant for something else than to say what the
 * tool does. Signs only: none of them proves anything, and who knows them can
 * avoid them.
 */
#ifndef BRIDGE_ODD_TEXTS_H
#define BRIDGE_ODD_TEXTS_H

#include "mcp/types.h"

/* The signs, made ready to be looked for. */
struct odd_signs;
struct odd_signs *odd_signs_new(void);
void odd_signs_free(struct odd_signs *s);

/*
 * In words, "; " between them; NULL: nothing is. Yours. like: the tool whose name
 * looks like its own, NULL.
 */
char *odd_texts(const struct odd_signs *s, const struct tool *t,
		const struct tool *like);
/*
 * For each tool of a list the other one whose name looks like its own, and is
 * not; NULL where there is none. The array is yours.
 */
const struct tool **look_alikes(const struct tool_list *list);

#endif
