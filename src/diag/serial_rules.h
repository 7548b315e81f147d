/* SPDX-License-Identifier: MIT */
/*
 * What a board's serial log shows: codes S801 to S824. Line by line: starts of
 * the chip, panics, watchdogs, and what xiaozhi-esp32 says when it cannot go on
 * (main/protocols, main/ota.cc, main/mcp_server.cc; ESP-IDF's panic handler and
 * ROM, docs/en/api-guides/fatal-errors.rst). Pure.
 */
#ifndef DIAG_SERIAL_RULES_H
#define DIAG_SERIAL_RULES_H

#include "diag/diag.h"

#define STARTS_KEPT 3

struct serial_judge { /* zeroed at first, but for diag */
	struct diag *diag; /* what is found goes there; lent */
	/* The frame that passed last, in words; "": none did. */
	char before[72];
	int64_t before_us;
	/* The chip's own id, as Wi-Fi tells it at a start; "": not yet. */
	char mac[18];
	int64_t start_us[STARTS_KEPT]; /* the last ones, a ring */
	uint64_t starts; /* those that nobody asked for */
	uint64_t seen; /* of all kinds */
	bool rom_spoke; /* of this start: the bootloader's line is no second one */
	bool told; /* why it goes down: what follows from that is no news */
	bool watchdog; /* the next line may name the task */
	int64_t watchdog_us; /* that it said so */
	uint64_t bytes, odd; /* since text came last */
};

/* A line, cleaned (wire/serial_line.h); at_us on the clock of the frames. */
void serial_judge_line(struct serial_judge *j, struct span line, int64_t at_us);
/* No line follows, or none of what spoke: tells what waited for one. */
void serial_judge_end(struct serial_judge *j);
/* What passes between the board and its backend: findings name the last one. */
void serial_judge_frame(struct serial_judge *j, const struct diag_frame *f);

#endif
