/* SPDX-License-Identifier: MIT */
/*
 * The addresses that a panic prints: the backtrace of an Xtensa chip
 * ("Backtrace: 0x400e14ed:0x3ffb5030 …"), the registers and the stack of a
 * RISC-V one, which prints no backtrace unless it is built so, and the address
 * of an abort() (ESP-IDF, docs/en/api-guides/fatal-errors.rst). Pure.
 */
#ifndef WIRE_PANIC_TEXT_H
#define WIRE_PANIC_TEXT_H

#include "base/json.h"

#define PANIC_ADDRESSES 32

struct panic_text { /* zeroed at first */
	uint32_t address[PANIC_ADDRESSES];
	size_t count;
	/* They are from a stack: what may be an address of code, not what was
	   called. The first `sure` are not. */
	size_t sure;
	bool dumping; /* registers and stack are being printed */
};

/*
 * A line, cleaned (wire/serial_line.h). True: address[0..count) are complete,
 * and panic_text_reset is due once they were used.
 */
bool panic_text_line(struct panic_text *p, struct span line);
void panic_text_reset(struct panic_text *p);

#endif
