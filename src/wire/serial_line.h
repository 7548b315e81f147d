/* SPDX-License-Identifier: MIT */
/*
 * The lines of a serial log: bytes into lines, without the colours of ESP_LOG,
 * and what stands where in a line of ESP-IDF's log (components/log: "E (1234)
 * TAG: text"). Pure. The bytes are anybody's: at a wrong rate they are noise.
 */
#ifndef WIRE_SERIAL_LINE_H
#define WIRE_SERIAL_LINE_H

#include "base/json.h"

#define SERIAL_LINE_MAX 4096 /* bytes of a line that are kept */

struct serial_splitter { /* zeroed at first */
	size_t len;
	size_t over; /* bytes behind those, left out */
	char text[SERIAL_LINE_MAX];
};

/*
 * A line without its end, colours and carriage returns; lent. over: bytes of
 * the line that were left out, behind it.
 */
typedef void serial_line_told(void *owner, struct span line, size_t over);

/* told is called for each line that the bytes complete; empty ones are left out. */
void serial_split(struct serial_splitter *s, const char *data, size_t len,
		  serial_line_told *told, void *owner);
/* What has no end yet, told as a line. */
void serial_flush(struct serial_splitter *s, serial_line_told *told,
		  void *owner);

/* A line of ESP-IDF's log, also behind what another program put in front. */
struct esp_log {
	char level; /* E W I D V */
	int64_t ms; /* since the start of the chip; -1: told otherwise */
	struct span tag, text;
};
/* False: it is none. */
bool esp_log_read(struct span line, struct esp_log *out);

/* Where word stands in the line, text NULL: nowhere. Case counts. */
struct span serial_find(struct span line, const char *word);
/* The number, decimal or 0x…, behind word; false: there is none. */
bool serial_number(struct span line, const char *word, int64_t *out);

#endif
