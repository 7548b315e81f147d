/* SPDX-License-Identifier: MIT */
/*
 * The command table: one row feeds dispatch, operand count, set-up, help,
 * --help, the man page, completion, the shell and the tests of its examples.
 * One command, one file, one constant: src/cli/cmd_NAME.c.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/option.h"
#include "mcp/client.h"
#include "out/render.h"

struct app;
struct connection;

enum {
	CMD_SESSION =
		1 << 0, /* a target is opened and initialized before run */
	CMD_SHELL = 1 << 1, /* makes sense on an open session: run, shell */
	CMD_HIDDEN = 1 << 2, /* not in help nor completion */
	CMD_STREAM = 1 << 3, /* output is flushed line by line */
	CMD_OPENS =
		1
		<< 4, /* with CMD_SESSION: run opens it by itself, to see its first events */
	CMD_MINOR = 1 << 5, /* the short help only names it: that has a dozen */
	CMD_VERBATIM =
		1
		<< 6, /* as the first word: all behind it are operands, options too */
	CMD_PAGED =
		1 << 7, /* its output ends, and may be long: see cli/pager.h */
	CMD_NO_MCP = 1 << 8, /* with --no-init: a device without MCP will do */
	/* without CMD_SESSION: it may work on a target, and opens it by itself */
	CMD_TARGET = 1 << 9,
	CMD_RUNS =
		1 << 10, /* what stands behind "--" it runs itself: no target */
	CMD_MANY = 1 << 11, /* -t and -d may be given many times */
	/* alone, it wants nothing but answers: no stream for what else is said */
	CMD_ANSWERS = 1 << 12
};

/* Groups, in the order of help. */
enum command_group {
	GROUP_START,
	GROUP_USE,
	GROUP_DIAGNOSE,
	GROUP_PRETEND,
	GROUP_PROGRAM /* the short help only names them */
};

/* In the place of a status: it goes on, or needs what a test has not. */
#define EXAMPLE_GOES_ON (-1)

struct example {
	const char *
		line; /* without "mcpctl": "sim: call self.audio_speaker.set_volume volume=50" */
	const char *
		says; /* stdout must contain this; NULL: it only has to end with `status` */
	int status; /* EXAMPLE_GOES_ON: only its words are tested */
};

/* What completes an operand. */
enum operand_kind {
	OPERAND_NONE,
	OPERAND_TOOL,
	OPERAND_TOOL_CALL,
	OPERAND_COMMAND_OR_TOPIC,
	OPERAND_FILE,
	OPERAND_SHELL_NAME,
	OPERAND_PROFILE,
	OPERAND_METHOD,
	OPERAND_DEVICE, /* of serve, or an alias */
	OPERAND_HELD, /* a server that serve keeps open */
	OPERAND_NAMED, /* a name of mcp.json, or a target */
	OPERAND_JSON, /* or @FILE */
	OPERAND_LEVEL, /* of logging */
	OPERAND_SUBJECT, /* what check checks, then its address or file */
	OPERAND_FINDING, /* its code */
	OPERAND_RESOURCE, /* a URI */
	OPERAND_TEMPLATE,
	OPERAND_PROMPT,
	OPERAND_PROMPT_CALL, /* and its arguments */
	OPERAND_COMPLETABLE /* a prompt or a template, and its arguments */
};

/* Of OPERAND_SUBJECT: a first operand, and what stands behind it. */
struct operand_word {
	const char *name, *brief;
	const char
		*addresses; /* how its address may begin, a space between; "" */
	bool file; /* a file's name */
};

struct invocation {
	const struct command *command;
	struct app *app;
	struct connection *connection; /* of that app, open or not */
	const void *
		options; /* the command's own struct, zeroed, then filled by its rows */
	int argc;
	char **argv; /* operands only; argc of them and a NULL */
};

struct command {
	const char *name;
	const char *const *aliases; /* NULL-terminated; NULL */
	const char *args; /* "TOOL [ARG]..." */
	const char *brief; /* one line, no full stop */
	const char *
		text; /* paragraphs for help and man page; "\n\n" between; plain text */
	enum command_group group;
	unsigned flags;
	int min, max; /* operands; max -1: any number */
	enum operand_kind operand;
	const struct operand_word
		*words; /* OPERAND_SUBJECT: name NULL ends it */
	const struct option_row *options; /* ends with name NULL; NULL: none */
	size_t options_size; /* of the command's option struct */
	/*
	 * The global options that it heeds, beside those of all (output, quiet,
	 * color, pager, help): their names with a space between. The others are
	 * refused. NULL: it works on a target, and heeds what that has use for.
	 */
	const char *globals;
	const struct example *examples; /* ends with line NULL; NULL */
	/* 0, or -1 with err. Prints results through app's renderer. */
	int (*run)(const struct invocation *in, struct error *err);
	/* With --all instead, without a session; NULL: --all is refused. */
	int (*all)(const struct invocation *in, struct error *err);
};

/* All commands, in the order of help; NULL-terminated. (src/cli/commands.c) */
extern const struct command *const commands[];

/* It has no --all: an error, with those that have. Always -1. */
int command_refuse_all(const struct command *c, struct error *err);

struct parsed;
/* Run what parse_words took apart: --help, operand count, session, the command. -1: err; nothing was shown. */
int command_execute(struct connection *connection, struct parsed *p,
		    struct error *err);

/*
 * Look up words[0], parse its options and operands, prepare, run. Shared by
 * main, run and the shell. -1: err; nothing was shown.
 */
int command_run(struct connection *c, char *const *words, size_t count,
		struct error *err);

#endif
