/* SPDX-License-Identifier: MIT */
/*
 * The process that decodes a picture (out/decoder.h): what it gives up, and what
 * it answers.
 */
#ifndef OUT_DECODER_PROCESS_H
#define OUT_DECODER_PROCESS_H

#include "out/decoder.h"

#define DECODER_COMMAND "decode" /* the hidden command that it runs */

/* What it writes to stdout; the pixels follow. */
struct decoder_answer {
	uint32_t width, height; /* 0: not decoded, and words say why */
	uint32_t kind; /* then, enum error_kind */
	char words[400]; /* ends with NUL */
};

/* One picture from stdin, the answer to stdout; then it has ended. */
_Noreturn void decoder_process(void);

#endif
