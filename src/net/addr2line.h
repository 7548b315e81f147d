/* SPDX-License-Identifier: MIT */
/*
 * Addresses of a firmware as function, file and line: by addr2line of the
 * toolchain that fits the ELF file, which is searched in PATH and where ESP-IDF
 * installs its tools (IDF_TOOLS_PATH, ~/.espressif). It runs as a child, for
 * 10 s at most.
 */
#ifndef NET_ADDR2LINE_H
#define NET_ADDR2LINE_H

#include "base/child.h"
#include "wire/panic_text.h"

struct addr2line {
	char *elf, *tool; /* owned; tool NULL: none is there */
	const char *wanted; /* the name of that tool */
	struct addr2line_run *first; /* those under way */
	unsigned running;
};

/* -1 (ERR_USAGE): not readable, or no ELF file. That no tool is there is none. */
int addr2line_find(struct addr2line *out, const char *elf, struct error *err);
/* Before the spawner is sealed. */
void addr2line_allow(const struct addr2line *a);

/* From the loop: a line "0x42001234: main at main.c:28"; NULL: the last came. */
typedef void addr2line_told(void *owner, const char *line);

/*
 * -1 (ERR_CONNECT): there is no tool, too many run, it cannot be started. What
 * stands for no place in the file is left out.
 */
int addr2line_ask(struct addr2line *a, struct loop *l,
		  const struct panic_text *of, addr2line_told *told,
		  void *owner, struct error *err);
/* What runs is ended, and tells nothing any more. */
void addr2line_done(struct addr2line *a);

#endif
