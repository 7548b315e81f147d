/* SPDX-License-Identifier: MIT */
/*
 * The completion for bash, from the command table. It needs nothing of the
 * bash-completion package and works sourced as well as loaded by it.
 */

#include "cli/app.h"
#include "cli/config.h"
#include "cli/generate.h"
#include "net/head.h"

static const char head[] =
	"# shellcheck shell=bash\n"
	"# Completion of mcpctl for bash. Written by 'mcpctl generate bash' from the\n"
	"# command table: do not edit.\n"
	"\n"
	"# Readline splits words at ':' and '=', mcpctl does not: put them together.\n"
	"# Sets words (before the cursor) and cur (what is being typed).\n"
	"_mcpctl_words() {\n"
	"\tlocal rest=${COMP_LINE:0:COMP_POINT} piece i\n"
	"\twords=() cur=${COMP_WORDS[COMP_CWORD]}\n"
	"\tif [[ -z ${COMP_LINE-} ]]; then\n"
	"\t\twords=(\"${COMP_WORDS[@]:0:COMP_CWORD}\")\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor ((i = 0; i < COMP_CWORD; i++)); do\n"
	"\t\tpiece=${COMP_WORDS[i]}\n"
	"\t\tif [[ $i == 0 || $rest == [[:space:]]* ]]; then\n"
	"\t\t\twords+=(\"$piece\")\n"
	"\t\telse\n"
	"\t\t\twords[${#words[@]} - 1]+=$piece\n"
	"\t\tfi\n"
	"\t\trest=${rest#\"${rest%%[![:space:]]*}\"}\n"
	"\t\trest=${rest#\"$piece\"}\n"
	"\tdone\n"
	"\tif [[ $rest == [[:space:]]* ]]; then\n"
	"\t\tcur=${rest#\"${rest%%[![:space:]]*}\"}\n"
	"\telse\n"
	"\t\tcur=${words[${#words[@]} - 1]}$rest\n"
	"\t\tunset 'words[${#words[@]} - 1]'\n"
	"\tfi\n"
	"}\n"
	"\n";

static const char ask[] =
	"# Ask mcpctl itself: it looks at a running serve and at lists that were kept.\n"
	"# Sets COMPREPLY to words as they are typed, and prefix and files.\n"
	"_mcpctl_ask() {\n"
	"\tlocal program=${words[0]-mcpctl} text glob=$- IFS=$'\\n'\n"
	"\t[[ $program == */* ]] || program=mcpctl\n"
	"\tprogram=${program/#\\~\\//$HOME/}\n"
	"\ttext=$(exec \"$program\" _complete bash \"${words[@]:1}\" \"$cur\" 2>/dev/null </dev/null)\n"
	"\tcase $text in\n"
	"\twords$'\\n'* | files*) ;;\n"
	"\t*) return ;;\n"
	"\tesac\n"
	"\tset -f\n"
	"\t# shellcheck disable=SC2206 # lines\n"
	"\tCOMPREPLY=($text)\n"
	"\t[[ $glob == *f* ]] || set +f\n"
	"\tif [[ $text == files* ]]; then\n"
	"\t\tprefix=${COMPREPLY[0]#files} files=1\n"
	"\t\tprefix=${prefix# }\n"
	"\tfi\n"
	"\tunset 'COMPREPLY[0]'\n"
	"\t# Readline adds a space itself; for thousands it takes its time.\n"
	"\ttext=${COMPREPLY[1]-}\n"
	"\tif [[ ${#COMPREPLY[@]} == 1 && $text != \"$cur\"*' ' ]]; then\n"
	"\t\topen=1\n"
	"\telif [[ ${#COMPREPLY[@]} -lt 100 && $text == \"$cur\"* ]]; then\n"
	"\t\tCOMPREPLY=(\"${COMPREPLY[@]% }\")\n"
	"\tfi\n"
	"\tcompopt -o nosort 2>/dev/null\n"
	"}\n"
	"\n"
	"# Add the words of list that begin with what is typed behind prefix.\n"
	"_mcpctl_list() {\n"
	"\tlocal word typed=${cur#\"$prefix\"}\n"
	"\ttyped=${typed#[\\\"\\']}\n"
	"\tfor word in $list; do\n"
	"\t\t[[ $word == \"$typed\"* ]] && COMPREPLY+=(\"$prefix$word\")\n"
	"\tdone\n"
	"\t[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:/] ]] && open=1\n"
	"}\n"
	"\n"
	"# Add file names; lead: what of prefix readline has not cut off.\n"
	"_mcpctl_files() {\n"
	"\tlocal file lead=${prefix#\"$keep\"} typed=${cur#\"$prefix\"}\n"
	"\tif [[ $typed == [\\\"\\']* ]]; then\n"
	"\t\ttyped=${typed#?}\n"
	"\telse\n"
	"\t\ttyped=${typed//\\\\/}\n"
	"\tfi\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\twhile IFS= read -r file; do\n"
	"\t\t[[ $lead && -d $file ]] && file+=/ open=1\n"
	"\t\tCOMPREPLY+=(\"$prefix$file\")\n"
	"\tdone < <(compgen -f -- \"$typed\")\n"
	"}\n"
	"\n";

static const char body[] =
	"_mcpctl() {\n"
	"\tlocal cur words word letters command='' target='' pending='' list='' files=''\n"
	"\tlocal prefix='' keep='' many='' ask='' open='' i=1 IFS=$' \\t\\n'\n"
	"\tCOMPREPLY=()\n"
	"\t_mcpctl_words\n"
	"\twhile ((i < ${#words[@]})); do\n"
	"\t\tword=${words[i]} pending='' letters=''\n"
	"\t\t((i += 1))\n"
	"\t\t[[ $word == -t* || $word == --target* ]] && target=given\n"
	"\t\tif [[ $word == -- ]]; then\n"
	"\t\t\treturn 0\n"
	"\t\telif [[ $word == --*=* ]]; then\n"
	"\t\t\tcontinue\n"
	"\t\telif [[ $word == -[!-]* ]]; then\n"
	"\t\t\t# Letters; the first that takes a value ends them.\n"
	"\t\t\tletters=${word#-}\n"
	"\t\t\twhile [[ $letters ]]; do\n"
	"\t\t\t\tword=-${letters:0:1} letters=${letters:1}\n"
	"\t\t\t\t_mcpctl_value \"$command\" \"$word\" && break\n"
	"\t\t\t\tword=''\n"
	"\t\t\tdone\n"
	"\t\t\t[[ $letters || ! $word ]] && continue\n"
	"\t\telif [[ $word == --* ]]; then\n"
	"\t\t\t_mcpctl_value \"$command\" \"$word\" || continue\n"
	"\t\telif [[ ! $command && ! $target && $word == *:* ]]; then\n"
	"\t\t\ttarget=$word\n"
	"\t\t\tcontinue\n"
	"\t\telse\n"
	"\t\t\t[[ $command ]] || command=$word\n"
	"\t\t\tcontinue\n"
	"\t\tfi\n"
	"\t\tif ((i < ${#words[@]})); then\n"
	"\t\t\t((i += 1))\n"
	"\t\telse\n"
	"\t\t\tpending=$word\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tlist='' files='' many='' ask=''\n"
	"\tif [[ $pending ]]; then\n"
	"\t\t_mcpctl_value \"$command\" \"$pending\"\n"
	"\telif [[ $cur == --*=* ]]; then\n"
	"\t\tprefix=${cur%%=*}=\n"
	"\t\t_mcpctl_value \"$command\" \"${cur%%=*}\"\n"
	"\telif [[ $cur == -[!-]?* || $cur == @* ]]; then\n"
	"\t\task=1\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\t_mcpctl_options \"$command\"\n"
	"\telif [[ $command ]]; then\n"
	"\t\t_mcpctl_operand \"$command\"\n"
	"\telif [[ ! $target && $cur == *:* ]]; then\n"
	"\t\task=1\n"
	"\telse\n"
	"\t\t_mcpctl_first \"$target\"\n"
	"\tfi\n"
	"\t# A list in one word: the last one of a,b,c is completed.\n"
	"\t[[ $many && $cur == *[:,]* ]] && prefix=${cur%\"${cur##*[:,]}\"}\n"
	"\t# What readline cut off stands in front already.\n"
	"\tif [[ $# -gt 1 && $cur == *\"$2\" ]]; then\n"
	"\t\tkeep=${cur%\"$2\"}\n"
	"\telse\n"
	"\t\t[[ ${COMP_WORDBREAKS-} == *:* && $cur == *:* ]] && keep=${cur%\"${cur##*:}\"}\n"
	"\t\tword=${cur%\"${cur##*=}\"}\n"
	"\t\t[[ ${COMP_WORDBREAKS-} == *=* && ${#word} -gt ${#keep} ]] && keep=$word\n"
	"\tfi\n"
	"\t[[ $ask ]] && _mcpctl_ask\n"
	"\t[[ $list ]] && _mcpctl_list\n"
	"\t[[ $files ]] && _mcpctl_files\n"
	"\t[[ $keep ]] && COMPREPLY=(\"${COMPREPLY[@]#\"$keep\"}\")\n"
	"\t[[ $open ]] && compopt -o nospace 2>/dev/null\n"
	"\treturn 0\n"
	"}\n"
	"\n"
	"complete -F _mcpctl mcpctl\n";

/* Text inside single quotes. */
static void quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else
			fputc(*text, out);
	}
	fputc('\'', out);
}

static void write_source(FILE *out, enum source_kind kind, const char *choices)
{
	CLEANUP(buf_done) struct buf words = { 0 };

	source_words(&words, kind);
	if (kind == SOURCE_WORDS)
		buf_text(&words, choices);
	if (words.len > 0) {
		fputs("\t\tlist=", out);
		quoted(out, buf_string(&words));
		fputc('\n', out);
	}
	if (kind == SOURCE_FAULTS)
		fputs("\t\tmany=1\n", out);
	if (kind == SOURCE_FILES || kind == SOURCE_PROFILES)
		fputs("\t\tfiles=1\n", out);
	if (kind == SOURCE_ASK)
		fputs("\t\task=1\n", out);
	if (kind == SOURCE_NONE)
		fputs("\t\t:\n", out);
	fputs("\t\t;;\n", out);
}

/* "info | hello" with `before` and `after` around each. */
static void write_names(FILE *out, const struct command *c, const char *before,
			const char *after)
{
	fprintf(out, "%s%s%s", before, c->name, after);
	for (const char *const *a = c->aliases; a && *a; a++)
		fprintf(out, " | %s%s%s", before, *a, after);
}

static void write_value(FILE *out, const struct option_row *row,
			const struct command *c)
{
	if (!option_takes_word(row))
		return;
	fputc('\t', out);
	if (row->letter && c) {
		CLEANUP(buf_done) struct buf after = { 0 };

		buf_printf(&after, " -%c'", row->letter);
		write_names(out, c, "'", buf_string(&after));
		fputs(" | ", out);
	} else if (row->letter) {
		fprintf(out, "*' -%c' | ", row->letter);
	}
	if (c) {
		CLEANUP(buf_done) struct buf after = { 0 };

		buf_printf(&after, " --%s'", row->name);
		write_names(out, c, "'", buf_string(&after));
	} else {
		fprintf(out, "*' --%s'", row->name);
	}
	fputs(")\n", out);
	write_source(out, source_of_option(row), row->choices);
}

static void write_values(FILE *out)
{
	fputs("# COMMAND OPTION: sets what completes its value; 1 if it takes none.\n"
	      "_mcpctl_value() {\n\tcase \"$1 $2\" in\n",
	      out);
	for (const struct command *const *c = commands; *c; c++) {
		const struct option_row *row = (*c)->options;

		if ((*c)->flags & CMD_HIDDEN)
			continue;
		for (; row && row->name; row++)
			write_value(out, row, *c);
	}
	for (const struct option_row *row = config_options; row->name; row++)
		write_value(out, row, NULL);
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", out);
}

static void write_rows(FILE *out, const struct option_row *rows)
{
	for (; rows && rows->name; rows++) {
		if (rows->letter)
			fprintf(out, " -%c", rows->letter);
		fprintf(out, " --%s", rows->name);
	}
}

static void write_options(FILE *out)
{
	fputs("# COMMAND: sets its options and the global ones.\n"
	      "_mcpctl_options() {\n\tlist='",
	      out);
	write_rows(out, config_options);
	fputs("'\n\tcase $1 in\n", out);
	for (const struct command *const *c = commands; *c; c++) {
		if (!(*c)->options || !(*c)->options->name)
			continue;
		fputc('\t', out);
		write_names(out, *c, "", "");
		fputs(")\n\t\tlist+='", out);
		write_rows(out, (*c)->options);
		fputs("'\n\t\t;;\n", out);
	}
	fputs("\tesac\n}\n\n", out);
}

static void write_operands(FILE *out)
{
	fputs("# COMMAND: sets what completes its operands.\n"
	      "_mcpctl_operand() {\n\tcase $1 in\n",
	      out);
	for (const struct command *const *c = commands; *c; c++) {
		enum source_kind kind = source_of_operand(*c);

		if (kind == SOURCE_NONE || ((*c)->flags & CMD_HIDDEN))
			continue;
		fputc('\t', out);
		write_names(out, *c, "", "");
		fputs(")\n", out);
		write_source(out, kind, "");
	}
	fputs("\tesac\n}\n\n", out);
}

static void write_first(FILE *out)
{
	CLEANUP(buf_done) struct buf names = { 0 }, targets = { 0 };

	source_words(&names, SOURCE_COMMANDS);
	source_words(&targets, SOURCE_TARGETS);
	fprintf(out,
		"# TARGET: sets the commands and, where there is none yet, the targets.\n"
		"_mcpctl_first() {\n"
		"\tlist='%s'\n"
		"\t[[ $1 ]] || list+=' %s'\n"
		"}\n\n",
		buf_string(&names), buf_string(&targets));
}

void generate_bash(FILE *out)
{
	fputs(head, out);
	write_values(out);
	write_options(out);
	write_operands(out);
	write_first(out);
	fputs(ask, out);
	fputs(body, out);
}
