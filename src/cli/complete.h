/* SPDX-License-Identifier: MIT */
/*
 * What may stand at the cursor: for the completion of bash, zsh and fish (the
 * hidden command `_complete`) and for the shell. From the command table and
 * from what is known of tools and devices; opens no connection to a device,
 * prints nothing.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "base/split.h"
#include "cli/app.h"
#include "cli/catalog.h"
#include "cli/command.h"
#include "cli/named.h"

#define CANDIDATES_MAX 5000

/* Where a candidate is from. All but the first have no order of their own. */
enum source_kind {
	SOURCE_NONE, /* what a peer has, a file names, a schema says */
	SOURCE_CHOICES, /* of an option */
	SOURCE_OPTIONS, /* their names: the command's own */
	SOURCE_GLOBALS, /* those that every command has, behind them */
	SOURCE_FILES,
	SOURCE_TARGETS, /* their beginnings */
	SOURCE_FAULTS,
	SOURCE_PROFILES, /* names and files */
	SOURCE_COMMANDS,
	SOURCE_HELP, /* commands and topics */
	SOURCE_SHELLS,
	SOURCE_METHODS,
	SOURCE_LEVELS, /* of logging */
	SOURCE_FINDINGS, /* their codes */
	SOURCE_SERIAL /* serial ports of this machine */
};
/* Call back for each word of a table with its text ("" if it has none). */
typedef void source_each(void *owner, const char *word, const char *brief);

enum complete_shell {
	COMPLETE_BASH,
	COMPLETE_ZSH,
	COMPLETE_FISH,
	COMPLETE_SHELLS
};
extern const char *const complete_shells[COMPLETE_SHELLS]; /* their names */

struct candidate {
	char *word; /* the whole word as it will stand, without quotes */
	char *brief; /* one line, safe for a terminal; "" if none */
	/* What a list shows instead of the word ("volume=<0..100>"), safe; NULL: the word. */
	char *shown;
	bool open; /* more follows: no space behind it ("volume=", "self.audio_") */
	bool equals; /* an option whose value may follow behind '=' */
	enum source_kind kind;
};

struct completion {
	struct candidate *item; /* sorted as they are to be shown */
	size_t count, capacity;
	/* File names too, which the caller knows how to find; `keep` stands before them in the word ("icon=@"). */
	bool files;
	char *keep; /* NULL: nothing */
	const char *files_like; /* "*.json": files of that name first; NULL */
	/* What stands in front of the part that is completed ("--output="); NULL. */
	char *before;
	/* What is expected, as the help calls it ("FILE"); NULL: a name of an option, or nothing. */
	const char *wanted; /* lent, as all here that is const */
	const char
		*about; /* the text of the option whose value that is; NULL */
	/* Not to be inserted, only shown: what is missing (`volume=<0..100>`). */
	bool show_only;
	char *end[2]; /* then, of a range: "volume=0", "volume=100"; NULL */
	char *note; /* why there is nothing: "no list yet: run mcpctl tools"; NULL */
};

struct complete_question {
	char *const
		*words; /* before the word at the cursor; without "mcpctl" */
	size_t count;
	const char *word; /* at the cursor, up to it; "" */
	bool inside; /* a line of the shell: no global options, tools are commands too */
	/* zsh and fish: what fits of a table's words is theirs to say, and letters of options go on. */
	bool unsifted;
	bool options_last; /* names of options where there is nothing else */
	bool no_briefs; /* nobody will see them: all but those of show_only are "" */
};

/*
 * Candidates that begin with the word (dotted names by segment: "self.au" gives
 * "self.audio_speaker." while several follow). A name with control characters
 * is left out. Never fails: nothing known is no candidate.
 */
void complete(struct completion *out, const struct complete_question *q,
	      const struct schema_source *source);

/*
 * The same for a line of the shell up to the cursor, in its own quoting
 * (base/split.h); open quotes are fine. Behind a pipe and behind '!' there
 * are only files.
 */
void complete_line(struct completion *out, const char *line,
		   const struct schema_source *source);

/*
 * Which peer the words mean, for schema_source_open: by option, argument or
 * environment; NULL each. Lent by the words and the environment.
 */
struct complete_peer {
	const char *target, *device, *socket;
};
void complete_peer(struct complete_peer *out,
		   const struct complete_question *q);

/* Its target as its lists are kept: what a name stands for. Yours; NULL: none. */
char *complete_kept_target(const struct complete_question *q);

/* What stands behind a word of the shell's own. */
enum inside_operand {
	INSIDE_NONE,
	INSIDE_PEER, /* a device of serve, or a target */
	INSIDE_SETTING, /* one of complete_inside_settings, then its value */
	INSIDE_FORM, /* [-o] text|json|raw */
	INSIDE_FILE,
	INSIDE_HELP /* anything that there is help on */
};
struct inside_word {
	const char *name, *brief;
	enum inside_operand operand;
};
/*
 * What a line of the shell may begin with besides commands and tools; ends
 * with name NULL. Set by the shell, which is above; NULL until then. A word
 * here goes before a command of the same name.
 */
extern const struct inside_word *complete_inside_words;
/* Global options that `set` takes, by name; ends with NULL. Set by the shell. */
extern const char *const *complete_inside_settings;

/* One word of a line, taken out of its quotes as far as it is typed. */
struct typed_word {
	struct buf text;
	char quote; /* the one that is open; 0 */
	size_t open; /* then: what stands behind it begins here */
	bool escape; /* it ends with a backslash that awaits its character */
};

#define TYPED_BLANKS " \t\n\r"
/* From text, until one of stops that is not quoted. The bytes that were read. */
size_t typed_word_read(struct typed_word *w, const char *text,
		       const char *stops);
void typed_word_done(struct typed_word *w);
/* Lines that are continued too. */
const char *typed_skip_blanks(const char *p);

/* Where the cursor stands. */
struct position {
	const struct command *command; /* NULL: its name stands here */
	const struct inside_word *inside; /* the shell's own instead; NULL */
	bool has_target; /* one was named */
	bool unknown; /* a word stands there that names no command */
	bool child; /* behind "--" */
	const struct option_row *pending; /* the word is its value; NULL */
	struct words operands; /* in front of the word */
	const struct option_row *given[64]; /* options on the line */
	size_t given_count;
	struct complete_peer peer; /* as the words say, without environment */
	const char *config; /* --config; NULL */
	/* Where names are looked for: --config, or what the environment says. */
	struct named_search search;
};

struct completing {
	struct completion *out;
	const struct complete_question *question;
	const struct schema_source *source;
	const struct position *position;
};

/* What a candidate is, but for its text. */
struct offer {
	const char *before; /* stands in front of the word; NULL: nothing */
	const char *typed; /* the candidate begins with it; NULL: any */
	const char *shown; /* NULL: the word */
	bool open, equals;
	enum source_kind kind;
};

/* A tool, as its arguments are completed. */
struct tool_schema {
	const cJSON *root; /* its inputSchema */
	const char *name; /* of one argument */
	const cJSON *property; /* its schema */
};

#endif
