/* SPDX-License-Identifier: MIT */
/*
 * The man page, mdoc, from the command table and the help topics.
 */
#include <ctype.h>
#include <string.h>

#include "base/base.h"
#include "base/buf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/app.h"
#include "cli/config.h"
#include "cli/generate_man.h"
#include "cli/help.h"
#include "cli/topics.h"
#include "net/head.h"

/*
 * Help text on a terminal: paragraphs filled, lists in two columns.
 */

/* The next line; false at the end. *at moves on. */
static bool manual_next(const char **at, struct manual_line *out)
{
	const char *line = *at;

	if (!*line)
		return false;

	size_t len = strcspn(line, "\n");
	const char *tab = memchr(line, '\t', len);

	*out = (struct manual_line){ .text = line, .len = len };
	*at = line + len + (line[len] == '\n');
	if (len == 0) {
		out->kind = MANUAL_BREAK;
	} else if (line[0] == '\t' || strncmp(line, "  ", 2) == 0) {
		out->kind = MANUAL_LITERAL;
	} else if (tab) {
		out->kind = MANUAL_ITEM;
		out->term = line;
		out->term_len = (size_t)(tab - line);
		out->text = tab + 1;
		out->len = len - out->term_len - 1;
	}
	return true;
}

/* A pen on a line that knows its column. */
struct pen {
	FILE *out;
	size_t column, indent, width;
};

static void pen_break(struct pen *p)
{
	fputc('\n', p->out);
	p->column = 0;
}

static void pen_to(struct pen *p, size_t column)
{
	for (; p->column < column; p->column++)
		fputc(' ', p->out);
}

static void pen_word(struct pen *p, const char *word, size_t len)
{
	size_t columns = text_width(word, len);
	bool first = p->column <= p->indent;

	if (!first && p->column + 1 + columns > p->width) {
		pen_break(p);
		first = true;
	}
	pen_to(p, first ? p->indent : p->column + 1);
	fwrite(word, 1, len, p->out);
	p->column += columns;
}

static void pen_fill(struct pen *p, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		size_t n = (size_t)((space ? space : end) - text);

		if (n > 0)
			pen_word(p, text, n);
		text += n + 1;
	}
}

static void item(FILE *out, const struct manual_layout *l,
		 const struct manual_line *line)
{
	struct pen p = { .out = out, .width = l->width };

	pen_to(&p, l->indent);
	fwrite(line->term, 1, line->term_len, out);
	p.column += text_width(line->term, line->term_len);
	if (line->len > 0 && p.column + 2 > l->column)
		pen_break(&p);
	p.indent = l->column;
	pen_fill(&p, line->text, line->len);
	pen_break(&p);
}

void manual_item(FILE *out, const struct manual_layout *l, const char *term,
		 const char *text)
{
	struct manual_line line = { .term = term,
				    .term_len = strlen(term),
				    .text = text,
				    .len = strlen(text) };

	item(out, l, &line);
}

/* Where the texts of a run of items begin, so that most terms fit before it. */
static size_t item_column(const char *at, const struct manual_line *first)
{
	struct manual_line line = *first;
	size_t widest = 0;

	do {
		size_t width = text_width(line.term, line.term_len);

		if (width <= 24 && width > widest)
			widest = width;
	} while (manual_next(&at, &line) && line.kind == MANUAL_ITEM);
	return 2 + (widest ? widest : 8) + 2;
}

void manual_print(FILE *out, const char *text, size_t width)
{
	struct pen p = { .out = out, .width = width };
	struct manual_layout l = { .indent = 2, .width = width };
	struct manual_line line;
	bool listing = false;

	while (manual_next(&text, &line)) {
		if (line.kind != MANUAL_TEXT && p.column > 0)
			pen_break(&p);
		if (line.kind == MANUAL_ITEM && !listing)
			l.column = item_column(text, &line);
		listing = line.kind == MANUAL_ITEM;
		switch (line.kind) {
		case MANUAL_TEXT:
			pen_fill(&p, line.text, line.len);
			break;
		case MANUAL_LITERAL:
			fprintf(out, "%.*s\n", (int)line.len, line.text);
			break;
		case MANUAL_ITEM:
			item(out, &l, &line);
			break;
		case MANUAL_BREAK:
			fputc('\n', out);
			break;
		}
	}
	if (p.column > 0)
		pen_break(&p);
}

/*
 * mdoc source from plain text. The traps: a line that begins with '.' or an
 * apostrophe is a request, a backslash an escape, and quotes, hyphens and
 * accents change their shape unless they are escaped.
 */

#define MDOC_WIDTH 76

static void put_char(FILE *out, char c)
{
	static const char from[] = "\\'`^~\"-";
	static const char *const to[] = { "\\e",   "\\(aq", "\\(ga", "\\(ha",
					  "\\(ti", "\\(dq", "\\-" };
	const char *place = c ? strchr(from, c) : NULL;

	if (place)
		fputs(to[place - from], out);
	else
		fputc(c, out);
}

/* Not every terminal has the one character. Returns its bytes, 0 if it is none. */
static size_t put_ellipsis(FILE *out, const char *at, size_t len)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	size_t size = sizeof(ellipsis) - 1;

	if (len < size || memcmp(at, ellipsis, size) != 0)
		return 0;
	fputs("...", out);
	return size;
}

/*
 * A hyphen inside a word is one, where a line may be broken. Before a word,
 * and in the name of an option, it is a minus.
 */
static void put_word(FILE *out, const char *word, size_t len)
{
	bool option = memmem(word, len, "--", 2) != NULL;

	for (size_t i = 0; i < len; i++) {
		size_t n = put_ellipsis(out, word + i, len - i);

		if (n > 0)
			i += n - 1;
		else if (word[i] == '-' && !option && i > 0 &&
			 isalpha((unsigned char)word[i - 1]))
			fputc('-', out);
		else
			put_char(out, word[i]);
	}
}

/* "(…)." too, but neither "1." nor "...". */
static bool ends_sentence(const char *word, size_t len)
{
	if (isdigit((unsigned char)*word))
		return false;
	while (len > 1 && (word[len - 1] == ')' || word[len - 1] == '\''))
		len--;
	return len > 1 && strchr(".!?", word[len - 1]) && word[len - 2] != '.';
}

/* Running text; ends with a newline. */
static void mdoc_text(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;
	size_t column = 0;

	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		size_t n = (size_t)((space ? space : end) - text);

		if (column > 0 && n > 0 && column + 1 + n > MDOC_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		if (n > 0) {
			if (column > 0)
				fputc(' ', out);
			else if (*text == '.' || *text == '\'')
				fputs("\\&", out);
			put_word(out, text, n);
			column += n + 1;
		}
		if (n > 0 && ends_sentence(text, n)) {
			fputc('\n', out);
			column = 0;
		}
		text += n + 1;
	}
	if (column > 0)
		fputc('\n', out);
}

/* One line as it is, inside a literal display. */
static void mdoc_literal(FILE *out, const char *text, size_t len)
{
	if (len > 0 && (*text == '.' || *text == '\''))
		fputs("\\&", out);
	for (size_t i = 0; i < len; i++) {
		size_t n = put_ellipsis(out, text + i, len - i);

		if (n > 0)
			i += n - 1;
		else
			put_char(out, text[i]);
	}
	fputc('\n', out);
}

/* Arguments of a macro: words that are no macros. */
static void mdoc_words(FILE *out, const char *text, size_t len)
{
	bool start = true;

	for (size_t i = 0; i < len; i++) {
		/* Two or three letters may be the name of a macro. */
		if (start)
			fputs("\\&", out);
		start = text[i] == ' ';
		put_char(out, text[i]);
	}
}

static size_t operand_length(const char *at)
{
	size_t n = 0;

	while (at[n] && !strchr(" []", at[n]) && strncmp(at + n, "...", 3) != 0)
		n++;
	return n;
}

void mdoc_operands(FILE *out, const char *args)
{
	const char *at = args ? args : "";

	while (*at) {
		size_t n = operand_length(at);

		if (*at == '[')
			fputs(" Oo", out);
		else if (*at == ']')
			fputs(" Oc", out);
		else if (strncmp(at, "...", 3) == 0)
			fputs(at > args && at[-1] != ' ' ? " Ns ..." : " ...",
			      out);
		else if (*at == '-' && n > 1)
			fprintf(out, " Fl %.*s", (int)(n - 1), at + 1);
		else if (n > 0 && islower((unsigned char)*at))
			fprintf(out, " Cm %.*s", (int)n, at);
		else if (n > 0)
			fprintf(out, " Ar %.*s", (int)n, at);
		if (n > 0 && *at != '[' && *at != ']')
			at += n;
		else
			at += strncmp(at, "...", 3) == 0 ? 3 : 1;
	}
}

struct mdoc_writer {
	FILE *out;
	bool any; /* something was written */
	bool apart; /* an empty line came */
	bool literal, list;
};

static void leave(struct mdoc_writer *w)
{
	if (w->literal)
		fputs(".Ed\n", w->out);
	if (w->list)
		fputs(".El\n", w->out);
	w->literal = w->list = false;
}

static void write_paragraph(struct mdoc_writer *w,
			    const struct manual_line *line)
{
	leave(w);
	if (w->any && w->apart)
		fputs(".Pp\n", w->out);
	mdoc_text(w->out, line->text, line->len);
}

static void write_literal(struct mdoc_writer *w, const struct manual_line *line)
{
	size_t indent = line->text[0] == '\t' ? 1 : 2;

	if (!w->literal) {
		leave(w);
		fputs(".Bd -literal -offset indent\n", w->out);
		w->literal = true;
	} else if (w->apart) {
		fputc('\n', w->out);
	}
	mdoc_literal(w->out, line->text + indent, line->len - indent);
}

static void write_item(struct mdoc_writer *w, const struct manual_line *line)
{
	if (!w->list) {
		leave(w);
		fputs(".Bl -tag -width Ds\n", w->out);
		w->list = true;
	}
	fputs(".It Cm ", w->out);
	mdoc_words(w->out, line->term, line->term_len);
	fputc('\n', w->out);
	mdoc_text(w->out, line->text, line->len);
}

void mdoc_manual(FILE *out, const char *text, bool follows)
{
	struct mdoc_writer w = { .out = out, .any = follows, .apart = follows };
	struct manual_line line;

	while (manual_next(&text, &line)) {
		switch (line.kind) {
		case MANUAL_TEXT:
			write_paragraph(&w, &line);
			break;
		case MANUAL_LITERAL:
			write_literal(&w, &line);
			break;
		case MANUAL_ITEM:
			write_item(&w, &line);
			break;
		case MANUAL_BREAK:
			break;
		}
		w.apart = line.kind == MANUAL_BREAK;
		w.any = w.any || line.kind != MANUAL_BREAK;
	}
	leave(&w);
}

/* Of the last change of the text; the page must not change by itself. */
#define MAN_DATE "November 21, 2026"

static const char head[] =
	".\\\" SPDX-License-Identifier: MIT\n"
	".\\\" Written by 'mcpctl generate man' from the command table: do not edit.\n"
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
	"mcpctl talks to MCP servers, above all to boards with xiaozhi-esp32 firmware. "
	"Such a board offers tools (its volume, its screen, its camera) but dials in by itself, to a backend. mcpctl takes the place of the backend: it waits for the board, shows what the board says of itself, lists its tools, calls them, and watches what the board sends. "
	"It also plays the board, to try a client or a backend without hardware.\n"
	"\n"
	"Results go to standard output, everything else to standard error; the exit status tells what happened.\n"
	"\n"
	"Options may stand before or after the command. The value of a long option may follow as the next word or behind '='. "
	"Durations take ms, s, m or h; a bare number is seconds. Secrets are read from files or from the environment, never from the command line.\n";

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
	"The last complete list of each target, for completion and tools \\-\\-cached.\n"
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
	"Several commands on one connection, as a test in continuous integration:\n"
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
