/* SPDX-License-Identifier: MIT */
/*
 * The completion for fish, from the command table.
 */

#include "cli/app.h"
#include "cli/config.h"
#include "cli/generate.h"

static void quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('\'', out);
}

static void word_line(void *owner, const char *word, const char *brief)
{
	FILE *out = owner;

	fputs(" \\\n\t\t", out);
	quoted(out, word);
	fputc(' ', out);
	quoted(out, brief);
}

struct fish_list {
	enum source_kind kind;
	const char *name;
	const char *ask; /* words of that pattern are asked for; NULL: none */
};

static const struct fish_list lists[] = { { SOURCE_TARGETS, "targets", "*:*" },
					  { SOURCE_FAULTS, "faults", NULL },
					  { SOURCE_PROFILES, "profiles", NULL },
					  { SOURCE_COMMANDS, "commands", NULL },
					  { SOURCE_HELP, "topics", NULL },
					  { SOURCE_METHODS, "methods", "@*" },
					  { SOURCE_LEVELS, "levels", NULL },
					  { SOURCE_SHELLS, "shells", NULL } };

static void write_lists(FILE *out)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		fprintf(out, "function __mcpctl_%s\n", lists[i].name);
		if (lists[i].ask)
			fprintf(out,
				"\tif string match -q '%s' -- (commandline -ct)\n"
				"\t\t__mcpctl_ask\n\t\treturn\n\tend\n",
				lists[i].ask);
		fputs("\tprintf '%s\\t%s\\n'", out);
		source_each_word(lists[i].kind, word_line, out);
		fputs("\nend\n\n", out);
	}
}

static const char ask[] =
	"# Ask mcpctl itself: it looks at a running serve and at lists that were kept.\n"
	"function __mcpctl_ask\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l raw (commandline -ct)\n"
	"\tset -l typed (string unescape -- \"$raw\"; or string unescape -- \"$raw\"\\\"; or string unescape -- \"$raw\"\\')\n"
	"\t# Names of options are known without it.\n"
	"\tstring match -q -r -- '^-([^dt-].*|[dt]?|-[^=]*)$' \"$typed\"; and return\n"
	"\tset -l program mcpctl\n"
	"\tstring match -q '*/*' -- $words[1]; and set program (string replace -r '^~/' $HOME/ -- $words[1])\n"
	"\tcommand -q $program; or return\n"
	"\tset -e words[1]\n"
	"\tset -l found (command $program _complete fish $words \"$typed\" 2>/dev/null </dev/null)\n"
	"\tset -l kind $found[1]\n"
	"\tset -e found[1]\n"
	"\t# The answer is whole words; fish puts the option in front itself.\n"
	"\tset -l option (string match -r -- '^(?:--[^=]*=|-[a-zA-Z])' \"$typed\")\n"
	"\tset -l start (math 1 + (string length -- \"$option\"))\n"
	"\tswitch \"$kind\"\n"
	"\t\tcase words\n"
	"\t\t\tstring sub -s $start -- $found\n"
	"\t\tcase 'files*'\n"
	"\t\t\tset -l keep (string replace -r '^files ?' '' -- $kind)\n"
	"\t\t\tset -l rest (string sub -s (math 1 + (string length -- \"$keep\")) -- \"$typed\")\n"
	"\t\t\tstring sub -s $start -- $found\n"
	"\t\t\tstring sub -s $start -- \"$keep\"(complete -C \"'' \"(string escape -- \"$rest\"))\n"
	"\t\tcase shown\n"
	"\t\t\t__mcpctl_range $found\n"
	"\t\tcase 'note *'\n"
	"\t\t\t# One alone would be taken and not be shown.\n"
	"\t\t\ttest -z \"$typed\"; and printf '%s\\t%s\\n' '' (string sub -s 6 -- $kind) --help 'help on the command'\n"
	"\tend\n"
	"end\n"
	"\n"
	"# What only can be shown has no place in fish; the ends of a range have.\n"
	"function __mcpctl_range --argument-names text\n"
	"\tset -l part (string match -r -- '^([^<]*=)<(-?[0-9.]+?)\\.\\.(-?[0-9.]+)>  (.*)$' $text)\n"
	"\ttest (count $part) = 5; or return 0\n"
	"\ttest (string sub -l 1 -- $part[3]) = (string sub -l 1 -- $part[4]); and return 0\n"
	"\tprintf '%s\\t%s\\n' $part[2]$part[3] $part[5] $part[2]$part[4] $part[5]\n"
	"end\n"
	"\n";

/* "-t --target …": options whose value is the next word. */
static void write_valued(FILE *out, const struct option_row *rows)
{
	for (; rows && rows->name; rows++) {
		if (!option_takes_word(rows))
			continue;
		if (rows->letter)
			fprintf(out, " '-%c'", rows->letter);
		fprintf(out, " '--%s'", rows->name);
	}
}

static const char find_command[] =
	"# Print target (if asked) or command of what is typed so far; status 1: none.\n"
	"function __mcpctl_word --argument-names asked\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l skip 0\n"
	"\tset -l target ''\n"
	"\tset -e words[1]\n"
	"\tfor word in $words\n"
	"\t\tif test $skip = 1\n"
	"\t\t\tset skip 0\n"
	"\t\t\tcontinue\n"
	"\t\tend\n"
	"\t\tif string match -q -r '^(-t|--target)' -- $word\n"
	"\t\t\tset target given\n"
	"\t\t\ttest \"$asked\" = target; and return 0\n"
	"\t\tend\n"
	"\t\tswitch $word\n"
	"\t\t\tcase";

static const char found_command[] =
	"\n"
	"\t\t\t\tset skip 1\n"
	"\t\t\tcase '-*'\n"
	"\t\t\tcase '*'\n"
	"\t\t\t\tif test -z \"$target\"; and string match -q '*:*' -- $word\n"
	"\t\t\t\t\tset target $word\n"
	"\t\t\t\t\ttest \"$asked\" = target; and return 0\n"
	"\t\t\t\telse\n"
	"\t\t\t\t\ttest \"$asked\" = target; and return 1\n"
	"\t\t\t\t\techo $word\n"
	"\t\t\t\t\treturn 0\n"
	"\t\t\t\tend\n"
	"\t\tend\n"
	"\tend\n"
	"\treturn 1\n"
	"end\n"
	"\n"
	"function __mcpctl_using\n"
	"\tset -l word (__mcpctl_word command); and contains -- $word $argv\n"
	"end\n"
	"\n"
	"# Read once more, it would offer everything twice.\n"
	"complete -c mcpctl -e\n"
	"complete -c mcpctl -f\n"
	"complete -c mcpctl -n 'not __mcpctl_word command >/dev/null' -a '(__mcpctl_commands)'\n"
	"complete -c mcpctl -n 'not __mcpctl_word command >/dev/null; and not __mcpctl_word target' -a '(__mcpctl_targets)'\n";

/* The function that knows the words. */
static void write_answer(FILE *out, enum source_kind kind)
{
	if (kind == SOURCE_ASK)
		fputs(" -k -a '(__mcpctl_ask)'", out);
	for (size_t i = 0; i < COUNT(lists); i++) {
		if (lists[i].kind == kind)
			fprintf(out, " -a '(__mcpctl_%s)'", lists[i].name);
	}
}

static void write_argument(FILE *out, enum source_kind kind,
			   const char *choices)
{
	if (kind == SOURCE_FILES) {
		fputs(" -r -F", out);
		return;
	}
	fputs(" -x", out);
	if (kind == SOURCE_WORDS) {
		fputs(" -a ", out);
		quoted(out, choices);
	}
	write_answer(out, kind);
}

/* "info hello", after a space. */
static void write_names(FILE *out, const struct command *c)
{
	fprintf(out, " %s", c->name);
	for (const char *const *a = c->aliases; a && *a; a++)
		fprintf(out, " %s", *a);
}

static void write_option(FILE *out, const struct option_row *row,
			 const struct command *c)
{
	fputs("complete -c mcpctl", out);
	if (c) {
		fputs(" -n '__mcpctl_using", out);
		write_names(out, c);
		fputc('\'', out);
	}
	if (row->letter)
		fprintf(out, " -s %c", row->letter);
	fprintf(out, " -l %s", row->name);
	if (option_takes_word(row))
		write_argument(out, source_of_option(row), row->choices);
	fputs(" -d ", out);
	quoted(out, row->brief);
	fputc('\n', out);
}

static void write_operand(FILE *out, const struct command *c)
{
	enum source_kind kind = source_of_operand(c);

	if (kind == SOURCE_NONE)
		return;
	fputs("complete -c mcpctl -n '__mcpctl_using", out);
	write_names(out, c);
	fputc('\'', out);
	if (kind == SOURCE_FILES || kind == SOURCE_PROFILES)
		fputs(" -F", out);
	write_answer(out, kind);
	fputc('\n', out);
}

void generate_fish(FILE *out)
{
	fputs("# Completion of mcpctl for fish. Written by 'mcpctl generate fish' from the\n"
	      "# command table: do not edit.\n\n",
	      out);
	fputs(ask, out);
	write_lists(out);
	fputs(find_command, out);
	write_valued(out, config_options);
	fputs(found_command, out);
	for (const struct option_row *row = config_options; row->name; row++)
		write_option(out, row, NULL);
	for (const struct command *const *c = commands; *c; c++) {
		const struct option_row *row = (*c)->options;

		if ((*c)->flags & CMD_HIDDEN)
			continue;
		for (; row && row->name; row++)
			write_option(out, row, *c);
		write_operand(out, *c);
	}
}
