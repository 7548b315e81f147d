/* SPDX-License-Identifier: MIT */
/*
 * Letters that look like others: Latin, Greek and Cyrillic ones, what is made of
 * them, blanks and punctuation. Scripts that nobody mixes up with these are not
 * looked at.
 */
#ifndef BASE_TEXT_LOOKS_H
#define BASE_TEXT_LOOKS_H

#include <stddef.h>
#include <stdint.h>

#define LOOK_MAX 5

/*
 * How many characters of to it looks like, each of which stands for all that
 * look so; 0: like itself. What ASCII looks like is not said here.
 */
size_t text_look(uint32_t point, uint32_t to[LOOK_MAX]);

#endif
