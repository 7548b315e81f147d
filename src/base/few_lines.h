/* SPDX-License-Identifier: MIT */
/*
 * Lines that anybody can cause, told: of each kind ten in a minute, and one with
 * the number of the others at its end (base/asides), by a timer of its own.
 */
#ifndef BASE_FEW_LINES_H
#define BASE_FEW_LINES_H

#include <stdarg.h>

#include "base/asides.h"
#include "base/loop.h"

struct few_lines {
	struct timer timer;
	struct asides asides;
	void (*line)(void *owner, const char *text);
	void *owner;
	void (*closed)(void *closed_owner);
	void *closed_owner;
};

void few_lines_open(struct few_lines *f, struct loop *l,
		    void (*line)(void *owner, const char *text), void *owner);
/*
 * Is there a line left for that one, which the owner tells? If not, it is counted,
 * by its first line.
 */
bool few_lines_left(struct few_lines *f, uintptr_t kind, const char *text);
/* The same, told by line. kind: not 0; usually the address of the format that text was made of. */
void few_lines_say(struct few_lines *f, uintptr_t kind, const char *text);
/* The same, of a format, which is its kind. */
void few_lines_tell(struct few_lines *f, const char *format, va_list args)
	PRINTF_LIKE(2, 0);
/* What is counted is told now, though the minute is not over. */
void few_lines_end(struct few_lines *f);
/*
 * What is counted is told now; so close it when nothing comes any more. Ends in
 * closed(owner), from the loop.
 */
void few_lines_close(struct few_lines *f, void (*closed)(void *owner),
		     void *owner);

#endif
