/* SPDX-License-Identifier: MIT */
/*
 * The words behind `call TOOL` become the arguments object: one JSON object,
 * @FILE, - for stdin, key=value typed by the schema, key:=JSON, key=@FILE.
 */
#ifndef MCP_ARGUMENTS_H
#define MCP_ARGUMENTS_H

#include "mcp/types.h"

#define ARGUMENTS_FILE_MAX (16U << 20) /* bytes of @FILE and of stdin */

struct arguments_options {
	const struct tool *tool; /* NULL: no schema known (--no-validate) */
	bool no_validate;
	/* Unknown names are refused, as firmware drops them in silence. */
	bool device;
	bool stdin_taken; /* something else reads stdin already */
};

/*
 * The object as JSON text into out (emptied first); numbers keep the digits
 * that they were given with. -1 (ERR_USAGE): which word, the rule, the value,
 * and in detail the usage of the tool; an unknown name gets the nearest
 * proposed. warnings: lines for stderr, appended, each with its newline
 * (unknown names that the schema allows, ignored keywords); may stay empty.
 *
 * One key=value: text if the schema says only string; else JSON if it parses as
 * one that the schema's types let through (any scalar, if it names none); else
 * text. A key that stands several times makes an array, if the schema says
 * array; so does a single one that is no JSON array. key=@FILE is the same with
 * the content of the file, not a byte added or removed.
 */
int arguments_build(struct buf *out, char *const *word, size_t count,
		    const struct arguments_options *options,
		    struct buf *warnings, struct error *err);

/* {…}, @FILE or -: the whole object in one word, beside which nothing else can stand. */
bool arguments_are_whole(const char *word);

/* "call NAME volume=<0..100> [theme=light|dark]": the usage of a tool, one line, appended. */
void arguments_usage(const struct tool *t, struct buf *out);

/*
 * An example command line that validates ("call self.x volume=50"), quoted for
 * a POSIX shell, appended; -1 if none was found.
 */
int arguments_example(const struct tool *t, struct buf *out);

/*
 * True if `actual` contains `expected`: objects as subsets, arrays element by
 * element and of the same length, text that is JSON compared as JSON. The
 * first difference, in words, into difference (emptied first):
 * "content[0].text.volume is 70, expected 80".
 */
bool expect_contains(const cJSON *actual, const cJSON *expected,
		     struct buf *difference);

#endif
