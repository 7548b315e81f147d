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
#include "cli/command.h"
#include "cli/schema_source.h"

#define CANDIDATES_MAX 5000

struct candidate {
	char *word; /* the whole word as it will stand, without quotes */
	char *brief; /* one line, safe for a terminal; "" if none */
	/* What a list shows instead of the word ("volume=<0..100>"), safe; NULL: the word. */
	char *shown;
	bool open; /* more follows: no space behind it ("volume=", "self.audio_") */
};

struct completion {
	struct candidate *item; /* sorted as they are to be shown */
	size_t count, capacity;
	/* File names too, which the caller knows how to find; `keep` stands before them in the word ("icon=@"). */
	bool files;
	char *keep; /* NULL: nothing */
	/* Not to be inserted, only shown: what is missing (`volume=<0..100>`). */
	bool show_only;
	char *note; /* why there is nothing: "no list yet: run mcpctl tools"; NULL */
};
void completion_done(struct completion *c);

struct complete_question {
	char *const
		*words; /* before the word at the cursor; without "mcpctl" */
	size_t count;
	const char *word; /* at the cursor, up to it; "" */
	bool inside; /* a line of the shell: no global options, tools are commands too */
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

#endif
