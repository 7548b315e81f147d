/* SPDX-License-Identifier: MIT */
/*
 * The man page, mdoc, from the command table and the help topics.
 */
#include <ctype.h>

#include "base/buf.h"
#include "cli/app.h"
#include "cli/generate.h"
#include "cli/help.h"
#include "cli/mdoc.h"
#include "cli/topics.h"

/* Of the last change of the text; the page must not change by itself. */
#define MAN_DATE "November 21, 2026"

static const char head[] =
	".\\\" SPDX-License-Identifier: MIT\n"
	".\\\" Written by 'mcpctl generate man' from the command table: do not "
	"edit.\n"
	".Dd " MAN_DATE "\n"
	".Dt MCPCTL 1\n"
	".Os\n"
	".Sh NAME\n"
	".Nm mcpctl\n"
	".Nd list, call and watch the tools of MCP devices, or play one\n"
	".Sh SYNOPSIS\n"
	".Nm\n"
	".Op Ar OPTION ...\n"
	".Op Ar TARGET\n"
	".Ar COMMAND\n"
	".Op Ar OPERAND ...\n"
	".Nm\n"
	".Op Ar OPTION ...\n"
	".Ar TARGET\n"
	".Fl e Ar COMMAND ...\n"
	".Sh DESCRIPTION\n";

static const char description[] =
	"mcpctl talks to MCP servers, above all to boards with xiaozhi-esp32 "
	"firmware. Such a board offers tools (its volume, its screen, its "
	"camera) but dials in by itself, to a backend. mcpctl takes the place "
	"of the backend: it waits for the board, shows what the board says of "
	"itself, lists its tools, calls them, and watches what the board "
	"sends. It also plays the board, to try a client or a backend without "
	"hardware.\n"
	"\n"
	"Results go to standard output, everything else to standard error; "
	"the exit status tells what happened.\n"
	"\n"
	"Options may stand before or after the command. The value of a long "
	"option may follow as the next word or behind '='. Durations take ms, "
	"s, m or h; a bare number is seconds. Secrets are read from files or "
	"from the environment, never from the command line.\n";

static const char files[] =
	".Sh FILES\n"
	".Bl -tag -width Ds\n"
	".It Pa PREFIX/share/mcpctl/profiles/\n"
	"Profiles of the simulated device.\n"
	".It Pa ~/.config/mcpctl/profiles/\n"
	"Profiles of your own; they go first.\n"
	".It Pa ~/.config/mcpctl/devices.json\n"
	"Names for boards, for serve.\n"
	".It Pa $XDG_RUNTIME_DIR/mcpctl/serve.sock\n"
	"Where commands find the running serve.\n"
	".It Pa ~/.cache/mcpctl/tools/\n"
	"The last complete list of each target, for completion and tools "
	"\\-\\-cached.\n"
	".It Pa ~/.local/state/mcpctl/history\n"
	"Lines typed in the shell, without those that hold secrets.\n"
	".It Pa ~/.inputrc\n"
	"Keys of the shell, as readline has them.\n"
	".It Pa ~/.local/state/mcpctl/serve.log\n"
	"What happened in serve \\-\\-daemon.\n"
	".It Pa PREFIX/lib/systemd/user/mcpctl-serve.service\n"
	"serve as a service of the user; its options are\n"
	".Ev MCPCTL_SERVE_OPTIONS\n"
	"in\n"
	".Pa ~/.config/mcpctl/serve.env .\n"
	".It Pa PREFIX/lib/mcpctl/mcpctl-*.so\n"
	"Parts that are loaded when they are first needed.\n"
	"A part that stands beside the program goes first.\n"
	".El\n";

static const char tail[] =
	".Sh EXAMPLES\n"
	"Without hardware:\n"
	".Bd -literal -offset indent\n"
	"mcpctl sim: tools\n"
	"mcpctl sim: call self.audio_speaker.set_volume volume=50\n"
	".Ed\n"
	".Pp\n"
	"With boards that were given the OTA address which this prints:\n"
	".Bd -literal -offset indent\n"
	"mcpctl serve\n"
	".Ed\n"
	".Pp\n"
	"Several commands on one connection, as a test in continuous "
	"integration:\n"
	".Bd -literal -offset indent\n"
	"mcpctl \\-\\-wait 30s listen:8000 run \\-\\-report junit:board.xml \\e\n"
	"    \\-e \\(aqtools self.audio*\\(aq \\e\n"
	"    \\-e \\(aqcall self.get_device_status\\(aq\n"
	".Ed\n"
	".Pp\n"
	"A simulated board that dials in to a backend:\n"
	".Bd -literal -offset indent\n"
	"mcpctl sim \\-\\-ota http://127.0.0.1:8002/xiaozhi/ota/\n"
	".Ed\n"
	".Sh SEE ALSO\n"
	".Xr jq 1 ,\n"
	".Xr mosquitto_sub 1 ,\n"
	".Xr readline 3\n"
	".Pp\n"
	"The Model Context Protocol:\n"
	".Lk https://modelcontextprotocol.io/\n"
	".Pp\n"
	"The firmware:\n"
	".Lk https://github.com/78/xiaozhi-esp32\n";

static void write_option(FILE *out, const struct option_row *row)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	fputs(".It", out);
	if (row->letter) {
		fprintf(out, " Fl %c", row->letter);
		if (row->word)
			fprintf(out, " Ar %s", row->word);
		fputs(" ,", out);
	}
	fprintf(out, " Fl \\-%s", row->name);
	if (option_is_optional(row))
		fprintf(out, " Ns Oo = Ns Ar %s Oc", row->word);
	else if (row->word)
		fprintf(out, " Ar %s", row->word);
	fputc('\n', out);
	help_option_text(&text, row);
	mdoc_text(out, buf_string(&text), text.len);
}

static void write_options(FILE *out, const struct option_row *rows)
{
	if (!rows || !rows->name)
		return;
	fputs(".Bl -tag -width Ds\n", out);
	for (; rows->name; rows++)
		write_option(out, rows);
	fputs(".El\n", out);
}

/* The brief as a sentence, with the other names. */
static void write_brief(FILE *out, const struct command *c)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_char(&text, (char)toupper((unsigned char)c->brief[0]));
	buf_printf(&text, "%s.", c->brief + 1);
	for (const char *const *a = c->aliases; a && *a; a++)
		buf_printf(&text, "%s '%s'",
			   a == c->aliases ? " Also called" : ",", *a);
	if (c->aliases && *c->aliases)
		buf_char(&text, '.');
	mdoc_text(out, buf_string(&text), text.len);
}

static void write_examples(FILE *out, const struct example *e)
{
	if (!e || !e->line)
		return;
	fputs(".Pp\nExamples:\n.Bd -literal -offset indent\n", out);
	for (; e->line; e++) {
		CLEANUP(buf_done) struct buf line = { 0 };

		buf_printf(&line, "mcpctl %s", e->line);
		mdoc_literal(out, buf_string(&line), line.len);
	}
	fputs(".Ed\n", out);
}

static void write_command(FILE *out, const struct command *c)
{
	fprintf(out, ".Ss %s\n.D1 Nm Oo Ar OPTION ... Oc", c->name);
	if (c->flags & CMD_SESSION || c->group == GROUP_SCRIPT)
		fputs(" Oo Ar TARGET Oc", out);
	fprintf(out, " Cm %s", c->name);
	mdoc_operands(out, c->args);
	fputs("\n.Pp\n", out);
	write_brief(out, c);
	if (c->text)
		mdoc_manual(out, c->text, true);
	write_options(out, c->options);
	write_examples(out, c->examples);
}

static void write_topic(FILE *out, const char *name)
{
	const struct topic *t = topic_find(name);
	CLEANUP(buf_done) struct buf text = { 0 };

	t->write(&text);
	fprintf(out, ".Sh %s\n", t->section);
	mdoc_manual(out, buf_string(&text), false);
}

void generate_man(FILE *out)
{
	static const char *const after[] = { "status", "json", "profile",
					     "faults" };

	fputs(head, out);
	mdoc_manual(out, description, false);
	write_topic(out, "targets");
	write_topic(out, "board");
	write_topic(out, "backend");
	fputs(".Sh COMMANDS\n", out);
	for (const struct command *const *c = commands; *c; c++) {
		if (!((*c)->flags & CMD_HIDDEN))
			write_command(out, *c);
	}
	fputs(".Sh OPTIONS\nThese hold for every command.\n", out);
	write_options(out, config_options);
	write_topic(out, "environment");
	fputs(files, out);
	for (size_t i = 0; i < COUNT(after); i++)
		write_topic(out, after[i]);
	fputs(tail, out);
}
