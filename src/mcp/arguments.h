/* SPDX-License-Identifier: MIT */
/*
 * The words behind `call TOOL` become the arguments object: one JSON object,
 * @FILE, - for stdin, key=value typed by the schema, key:=JSON, key=@FILE.
 */
#ifndef MCP_ARGUMENTS_H
#define MCP_ARGUMENTS_H

#include "base/json.h"
#include "mcp/types.h"

#define ARGUMENTS_FILE_MAX (16U << 20) /* bytes of @FILE and of stdin */

struct arguments_options {
	const struct tool *tool; /* NULL: no schema known (--no-validate) */
	bool no_validate;
	/* Unknown names are refused, as firmware drops them in silence. */
	bool device;
	/* What is left out and has a default is sent with that, where tool is known. */
	bool fill_defaults;
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
/* The same with every default; -1 also if there is none to be added. */
int arguments_example_filled(const struct tool *t, struct buf *out);

/*
 * Names, ", " between, of what an object of arguments leaves out and the schema
 * has a default for; appended. False: there are none.
 */
bool arguments_left_out(const struct tool *t, const char *arguments,
			struct buf *out);

/* ---- one value: text or JSON that the user gave ---- */

/* Starts zeroed. text is the JSON that is sent: as given, not as printed from json. */
struct argument_value {
	cJSON *json;
	struct buf text;
};

/*
 * Text as behind NAME=, but never the name of a file: the JSON that it means to
 * this property of root, appended. -1 (ERR_USAGE).
 */
int argument_read(struct buf *out, const cJSON *root, const cJSON *property,
		  const char *name, const char *text, struct error *err);

/* Whether a word NAME=VALUE can hold that name and is taken for nothing else. */
bool argument_name_is_plain(const char *name);

/* Whether only NAME:=JSON gives such a property a value (property of root). */
bool argument_needs_json(const cJSON *root, const cJSON *property);

/*
 * "volume=<0..100>", "theme=light|dark", "tag=<string>...", "point:=<object>",
 * the name quoted for a POSIX shell; appended.
 */
void argument_usage(const cJSON *root, const cJSON *property, const char *name,
		    struct buf *out);
/* The ends of an integer's range, lent; false: it has none. */
bool argument_range(const cJSON *root, const cJSON *property,
		    const cJSON *end[2]);

/*
 * NAME=TEXT if a text for this schema is read as that value again; else
 * NAME:=JSON. schema NULL: nothing is known. Yours.
 */
char *argument_word(const cJSON *root, const cJSON *schema, const char *name,
		    const cJSON *value);

#endif
