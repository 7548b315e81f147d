/* SPDX-License-Identifier: MIT */
/*
 * The completion for zsh, from the command table.
 */
#include <string.h>

#include "cli/app.h"
#include "cli/config.h"
#include "cli/generate.h"

/* Inside single quotes, with a backslash before each of `special`. */
static void escaped(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", out);
			continue;
		}
		if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void word_line(void *owner, const char *word, const char *brief)
{
	FILE *out = owner;

	fputs("\t\t'", out);
	escaped(out, word, "\\:");
	if (*brief) {
		fputc(':', out);
		escaped(out, brief, "\\");
	}
	fputs("'\n", out);
}

struct zsh_list {
	enum source_kind kind;
	const char *name, *what, *flags;
	const char *ask; /* words of that pattern are asked for; NULL: none */
};

static const struct zsh_list lists[] = {
	{ SOURCE_TARGETS, "targets", "target", " -S ''", NULL },
	{ SOURCE_FAULTS, "faults", "fault", "", NULL },
	{ SOURCE_PROFILES, "profiles", "profile", "", NULL },
	{ SOURCE_COMMANDS, "commands", "command", "", NULL },
	{ SOURCE_HELP, "topics", "command or topic", "", NULL },
	{ SOURCE_METHODS, "methods", "method", "", "@*" },
	{ SOURCE_LEVELS, "levels", "level", "", NULL },
	{ SOURCE_SHELLS, "shells", "shell", "", NULL }
};

static void write_lists(FILE *out)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		const struct zsh_list *l = &lists[i];

		fprintf(out, "_mcpctl_%s() {\n\tlocal -a words\n\twords=(\n",
			l->name);
		source_each_word(l->kind, word_line, out);
		fputs("\t)\n", out);
		if (l->ask)
			fprintf(out,
				"\tif [[ $PREFIX == %s ]]; then\n"
				"\t\t_mcpctl_ask\n\t\treturn\n\tfi\n",
				l->ask);
		/* Only the last of a,b,c is completed. */
		if (l->kind == SOURCE_FAULTS)
			fputs("\tcompset -P '*[,:]'\n", out);
		fprintf(out, "\t_describe -t %s '%s' words%s\n", l->name,
			l->what, l->flags);
		if (l->kind == SOURCE_PROFILES)
			fputs("\t_files -g '*.json'\n", out);
		fputs("}\n\n", out);
	}
}

static void write_action(FILE *out, enum source_kind kind, const char *choices)
{
	if (kind == SOURCE_WORDS)
		fprintf(out, "(%s)", choices);
	if (kind == SOURCE_FILES)
		fputs("_files", out);
	if (kind == SOURCE_ASK)
		fputs("_mcpctl_ask", out);
	for (size_t i = 0; i < COUNT(lists); i++) {
		if (lists[i].kind == kind)
			fprintf(out, "_mcpctl_%s", lists[i].name);
	}
	if (kind == SOURCE_NONE)
		fputc(' ', out);
}

/* One option as _arguments wants it. */
static void write_spec(FILE *out, const struct option_row *row)
{
	bool many = row->type == OPTION_LIST;
	bool value = row->type != OPTION_FLAG;
	bool optional = option_is_optional(row); /* only behind '=' */

	fputs("\t\t", out);
	if (many)
		fputs("'*'", out);
	else if (row->letter)
		fprintf(out, "'(-%c --%s)'", row->letter, row->name);
	if (row->letter)
		fprintf(out, "{-%c%s,--%s%s}", row->letter, value ? "+" : "",
			row->name, value ? "=" : "");
	else
		fprintf(out, "--%s%s%s", row->name, value ? "=" : "",
			optional ? "-" : "");
	fputs("'[", out);
	escaped(out, row->brief, "[]\\");
	fputc(']', out);
	if (value) {
		fputs(optional ? "::" : ":", out);
		escaped(out, row->word, ":\\");
		fputc(':', out);
		write_action(out, source_of_option(row), row->choices);
	}
	fputs("'\n", out);
}

static void write_specs(FILE *out, const struct option_row *rows)
{
	for (; rows && rows->name; rows++)
		write_spec(out, rows);
}

/* "-t | --target | …": options whose value is the next word. */
static void write_valued(FILE *out, const struct option_row *rows)
{
	const char *between = "";

	for (; rows->name; rows++) {
		if (!option_takes_word(rows))
			continue;
		fputs(between, out);
		if (rows->letter)
			fprintf(out, "-%c|", rows->letter);
		fprintf(out, "--%s", rows->name);
		between = "|";
	}
}

static void write_command(FILE *out, const struct command *c)
{
	fprintf(out, "\t(%s", c->name);
	for (const char *const *a = c->aliases; a && *a; a++)
		fprintf(out, "|%s", *a);
	fputs(")\n\t\tspecs+=(\n", out);
	write_specs(out, c->options);
	if (c->max != 0) {
		fputs("\t\t'*:", out);
		escaped(out, c->args && *c->args ? c->args : "operand", ":\\");
		fputc(':', out);
		write_action(out, source_of_operand(c), "");
		fputs("'\n", out);
	}
	fputs("\t\t)\n\t\t;;\n", out);
}

static const char ask[] =
	"# Ask mcpctl itself: it looks at a running serve and at lists that were kept.\n"
	"_mcpctl_ask() {\n"
	"\tlocal -a found whole open\n"
	"\tlocal kind\n"
	"\t# Names of options are known without it.\n"
	"\t[[ -z $IPREFIX && $PREFIX == -* ]] && return 1\n"
	"\tfound=(\"${(@f)$(command $_mcpctl_program _complete zsh \\\n"
	"\t\t\"${(@)_mcpctl_before}\" \"$_mcpctl_typed\" 2>/dev/null </dev/null)}\")\n"
	"\tkind=$found[1]\n"
	"\tshift found\n"
	"\tcase $kind in\n"
	"\t(note *)\n"
	"\t\t_message -r \"${${kind#note }//\\%/%%}\"\n"
	"\t\treturn 1\n"
	"\t\t;;\n"
	"\t(shown)\n"
	"\t\t_message -r \"${${(F)found}//\\%/%%}\"\n"
	"\t\treturn 1\n"
	"\t\t;;\n"
	"\t(words|files*) ;;\n"
	"\t(*) return 1 ;;\n"
	"\tesac\n"
	"\t# The answer is whole words.\n"
	"\tPREFIX=$IPREFIX$PREFIX\n"
	"\tIPREFIX=''\n"
	"\twhole=(\"${(@)found[1,$found[(ie)]-1]}\")\n"
	"\topen=(\"${(@)found[$found[(ie)]+1,-1]}\")\n"
	"\tlocal status_found=1\n"
	"\t_describe -V -t candidates candidate whole -- open -S '' && status_found=0\n"
	"\tif [[ $kind == files* ]]; then\n"
	"\t\tkind=${${kind#files}# }\n"
	"\t\tcompset -P \"${(b)kind}\"\n"
	"\t\t_files && status_found=0\n"
	"\tfi\n"
	"\treturn status_found\n"
	"}\n\n";

static const char first[] = "_mcpctl_first() {\n"
			    "\tif [[ $PREFIX == *:* ]]; then\n"
			    "\t\t_mcpctl_ask\n"
			    "\telse\n"
			    "\t\t_mcpctl_commands\n"
			    "\t\t_mcpctl_targets\n"
			    "\tfi\n"
			    "}\n\n";

static const char begin[] =
	"_mcpctl() {\n"
	"\tlocal curcontext=$curcontext command=''\n"
	"\tlocal _mcpctl_program=${words[1]/#\\~\\//$HOME/} _mcpctl_typed=${(Q)PREFIX}\n"
	"\tlocal -a specs _mcpctl_before\n"
	"\t[[ $_mcpctl_program == */* ]] || _mcpctl_program=mcpctl\n"
	"\t((CURRENT > 2)) && _mcpctl_before=(\"${(@Q)words[2,CURRENT-1]}\")\n"
	"\tspecs=(\n";

static const char find_command[] =
	"\t# The command, and the target before it.\n"
	"\tinteger i=2 place=0\n"
	"\twhile ((i < CURRENT)); do\n"
	"\t\tcase $words[i] in\n";

static const char found_command[] =
	"\t\t(-*) ;;\n"
	"\t\t(*:*)\n"
	"\t\t\tif ((place)); then\n"
	"\t\t\t\tcommand=$words[i]\n"
	"\t\t\telse\n"
	"\t\t\t\tplace=i\n"
	"\t\t\tfi\n"
	"\t\t\t;;\n"
	"\t\t(*) command=$words[i] ;;\n"
	"\t\tesac\n"
	"\t\t[[ -n $command ]] && break\n"
	"\t\t((i++))\n"
	"\tdone\n"
	"\tif [[ -z $command ]]; then\n"
	"\t\tif ((place)) || [[ -n ${words[(r)(-t|--target)*]} ]]; then\n"
	"\t\t\tspecs+=('*: :_mcpctl_commands')\n"
	"\t\telse\n"
	"\t\t\tspecs+=('*: :_mcpctl_first')\n"
	"\t\tfi\n"
	"\t\t_arguments -s $specs\n"
	"\t\treturn\n"
	"\tfi\n"
	"\twords[i]=()\n"
	"\t((CURRENT--))\n"
	"\tif ((place)); then\n"
	"\t\twords[place]=()\n"
	"\t\t((CURRENT--))\n"
	"\tfi\n"
	"\tcase $command in\n";

void generate_zsh(FILE *out)
{
	fputs("#compdef mcpctl\n"
	      "# Completion of mcpctl for zsh. Written by 'mcpctl generate zsh' from the\n"
	      "# command table: do not edit.\n\n",
	      out);
	fputs(ask, out);
	write_lists(out);
	fputs(first, out);
	fputs(begin, out);
	write_specs(out, config_options);
	fputs("\t)\n", out);
	fputs(find_command, out);
	fputs("\t\t(", out);
	write_valued(out, config_options);
	fputs(") ((i++)) ;;\n", out);
	fputs(found_command, out);
	for (const struct command *const *c = commands; *c; c++) {
		if (!((*c)->flags & CMD_HIDDEN))
			write_command(out, *c);
	}
	fputs("\tesac\n"
	      "\t_arguments -s $specs\n"
	      "}\n\n"
	      "# Loaded by compinit: run. Sourced: register.\n"
	      "if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then\n"
	      "\t_mcpctl \"$@\"\n"
	      "elif (($+functions[compdef])); then\n"
	      "\tcompdef _mcpctl mcpctl\n"
	      "fi\n",
	      out);
}
