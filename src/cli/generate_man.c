/* SPDX-License-Identifier: MIT */
/*
 * The man pages, in mdoc: mcpctl(1), one for each command, and one for each
 * topic that is not a section of mcpctl(1).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/app.h"
#include "cli/config.h"
#include "cli/generate_man.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/topics.h"

/* Of the last change of the text; the pages must not change by themselves. */
#define MAN_DATE "November 22, 2026"

struct page {
	const char *word; /* behind "mcpctl-"; NULL: mcpctl(1) */
	char section;
	const char *brief;
	/* What is on it: one of them, or neither on mcpctl(1). */
	const struct command *command;
	const struct topic *topic;
};

struct pages {
	struct page *items;
	size_t count, capacity;
};

static void pages_add(struct pages *all, struct page page)
{
	all->items =
		mem_grow(all->items, &all->capacity, all->count, sizeof(page));
	all->items[all->count++] = page;
}

static void pages_done(struct pages *all)
{
	mem_free(all->items);
}

/* All there are, in the order of help. */
static struct pages pages_all(void)
{
	struct pages all = { 0 };

	pages_add(
		&all,
		(struct page){
			.section = '1',
			.brief =
				"list, call and watch the tools of MCP devices, or play one" });
	for (const struct command *const *c = commands; *c; c++) {
		if (!((*c)->flags & CMD_HIDDEN))
			pages_add(&all, (struct page){ .word = (*c)->name,
						       .section = '1',
						       .brief = (*c)->brief,
						       .command = *c });
	}
	for (const struct topic *t = topics; t->name; t++) {
		if (t->page)
			pages_add(&all, (struct page){ .word = t->name,
						       .section = t->page,
						       .brief = t->brief,
						       .topic = t });
	}
	return all;
}

/* "mcpctl-call", and with a dot and its section behind it its file. */
static void page_name(struct buf *out, const struct page *p)
{
	buf_printf(out, "mcpctl%s%s", p->word ? "-" : "",
		   p->word ? p->word : "");
}

/*
 * What pages have at their ends: which others to read.
 */

/* Whether text has word behind before. */
static bool has_behind(const char *text, const char *before, const char *word)
{
	size_t len = strlen(word);

	while ((text = strstr(text, before))) {
		text += strlen(before);
		if (strncmp(text, word, len) == 0 && text[len] != '-' &&
		    !isalnum((unsigned char)text[len]))
			return true;
	}
	return false;
}

/* Whether text sends the reader to `help WORD`, or to `mcpctl WORD`. */
static bool sends_to(const char *text, const char *word)
{
	if (strcmp(word, "help") == 0)
		return false;
	return has_behind(text, "help ", word) ||
	       has_behind(text, "mcpctl ", word);
}

static bool goes_with(const struct command *c, const struct page *other)
{
	if (other->topic)
		return c->flags & CMD_SESSION &&
		       strcmp(other->word, "targets") == 0;
	return other->command && other->command->group == c->group;
}

static bool belongs(const struct page *p, const char *text,
		    const struct page *other)
{
	if (other->command == p->command && other->topic == p->topic)
		return false;
	if (!other->word)
		return true;
	if (!p->word)
		return other->topic;
	return sends_to(text, other->word) ||
	       (p->command && goes_with(p->command, other));
}

/* By section, then by name: mandoc's lint wants that. */
static int in_order(const void *one, const void *other)
{
	const struct page *a = one, *b = other;

	if (a->section != b->section)
		return a->section - b->section;
	return strcmp(a->word ? a->word : "", b->word ? b->word : "");
}

static void write_see(FILE *out, const struct page *p, const char *text)
{
	CLEANUP(pages_done) struct pages all = pages_all();
	const char *between = "";

	qsort(all.items, all.count, sizeof(*all.items), in_order);
	fputs(".Sh SEE ALSO\n", out);
	if (!p->word)
		fputs(".Xr jq 1 ,\n.Xr mosquitto_sub 1 ,\n.Xr readline 3 ,\n",
		      out);
	for (size_t i = 0; i < all.count; i++) {
		CLEANUP(buf_done) struct buf name = { 0 };
		const struct page *other = &all.items[i];

		if (!belongs(p, text, other))
			continue;
		page_name(&name, other);
		fprintf(out, "%s.Xr %s %c", between, buf_string(&name),
			other->section);
		between = " ,\n";
	}
	fputc('\n', out);
}

/*
 * What pages begin with.
 */

static void write_head(FILE *out, const struct page *p)
{
	CLEANUP(buf_done) struct buf name = { 0 };

	page_name(&name, p);
	fputs(".\\\" SPDX-License-Identifier: MIT\n"
	      ".\\\" Written by 'mcpctl generate man' from the command table: do not edit.\n"
	      ".Dd " MAN_DATE "\n.Dt ",
	      out);
	for (const char *at = buf_string(&name); *at; at++)
		fputc(toupper((unsigned char)*at), out);
	fprintf(out, " %c\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", p->section,
		buf_string(&name));
	mdoc_word(out, p->brief);
	/* It may end like punctuation of a macro. */
	fputs("\\&\n", out);
}

/*
 * A command's page: its examples first.
 */

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
	fputs(" Fl \\-", out);
	mdoc_word(out, row->name);
	if (option_is_optional(row))
		fprintf(out, " Ns Oo = Ns Ar %s Oc", row->word);
	else if (row->word)
		fprintf(out, " Ar %s", row->word);
	fputc('\n', out);
	help_option_text(&text, row);
	mdoc_text(out, buf_string(&text), text.len);
}

static void write_options(FILE *out, const struct option_row *row)
{
	fputs(".Bl -tag -width Ds\n", out);
	for (; row->name; row++)
		write_option(out, row);
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
	fputs(".Sh EXAMPLES\n.Bd -literal\n", out);
	for (; e->line; e++) {
		CLEANUP(buf_done) struct buf line = { 0 };

		buf_printf(&line, "mcpctl %s", e->line);
		mdoc_literal(out, buf_string(&line), line.len);
	}
	fputs(".Ed\n", out);
}

static void write_synopsis(FILE *out, const struct command *c)
{
	fputs(".Sh SYNOPSIS\n.Nm mcpctl\n.Op Ar OPTION ...\n", out);
	if (help_takes_target(c))
		fputs(".Op Ar TARGET\n", out);
	fprintf(out, ".Cm %s", c->name);
	mdoc_operands(out, c->args);
	fputc('\n', out);
}

static void write_command(FILE *out, const struct command *c)
{
	write_synopsis(out, c);
	write_examples(out, c->examples);
	if (c->options && c->options->name) {
		fputs(".Sh OPTIONS\n", out);
		write_options(out, c->options);
		fputs(".Pp\nThose that every command has are in\n.Xr mcpctl 1 .\n",
		      out);
	}
	fputs(".Sh NOTES\n", out);
	write_brief(out, c);
	if (c->text)
		mdoc_manual(out, c->text, true);
}

/*
 * mcpctl(1).
 */

static const char synopsis[] = ".Sh SYNOPSIS\n"
			       ".Nm\n"
			       ".Op Ar OPTION ...\n"
			       ".Op Ar TARGET\n"
			       ".Ar COMMAND\n"
			       ".Op Ar OPERAND ...\n"
			       ".Nm\n"
			       ".Op Ar OPTION ...\n"
			       ".Ar TARGET\n"
			       ".Fl e Ar COMMAND ...\n";

static const char description[] =
	"mcpctl talks to MCP servers, above all to boards with xiaozhi-esp32 firmware. "
	"Such a board offers tools (its volume, its screen, its camera) but dials in by itself, to a backend. mcpctl takes the place of the backend: it waits for the board, shows what the board says of itself, lists its tools, calls them, and watches what the board sends. "
	"It also plays the board, to try a client or a backend without hardware.\n"
	"\n"
	"To begin, without hardware, and with boards, which are given the address that 'serve' prints:\n"
	"\n"
	"  mcpctl sim: tools\n"
	"  mcpctl serve\n"
	"\n"
	"Results go to standard output, everything else to standard error; the exit status tells what happened.\n"
	"\n"
	"Options may stand before or after the command. The value of a long option may follow as the next word or behind '='. "
	"Durations take ms, s, m or h; a bare number is seconds. Secrets are read from files or from the environment; what stands in --header or --env is seen by whoever lists processes.\n";

static const char files[] =
	".Sh FILES\n"
	".Bl -tag -width Ds\n"
	".It Pa PREFIX/share/mcpctl/profiles/\n"
	"Profiles of the simulated device.\n"
	".It Pa ~/.config/mcpctl/profiles/\n"
	"Profiles of your own; they go first.\n"
	".It Pa PREFIX/share/mcpctl/facts/\n"
	"What is known of backends, models and firmware, as it is built in:\n"
	"backends.json, models.json, firmware.json, libraries.json, hosts.json;\n"
	"tools.json says what tools do.\n"
	".It Pa ~/.config/mcpctl/backends.json , models.json , firmware.json , libraries.json , hosts.json , tools.json\n"
	"Such files of your own; each goes instead of the one that is built in.\n"
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

static const char examples[] =
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
	"A simulated board that dials in to a backend, here that \\(aqserve\\(aq:\n"
	".Bd -literal -offset indent\n"
	"mcpctl sim \\-\\-ota http://127.0.0.1:8000/xiaozhi/ota/\n"
	".Ed\n";

static const char links[] = ".Pp\n"
			    "The Model Context Protocol:\n"
			    ".Lk https://modelcontextprotocol.io/\n"
			    ".Pp\n"
			    "The firmware:\n"
			    ".Lk https://github.com/78/xiaozhi-esp32\n";

/* Only how to name one, and what there is; the rest is in mcpctl-targets(7). */
static void write_targets(FILE *out)
{
	CLEANUP(buf_done) struct buf text = { 0 }, tls = { 0 };

	topic_find("targets")->write(&text);
	fputs(".Sh TARGETS\n", out);
	mdoc_text(out, buf_string(&text), strcspn(buf_string(&text), "\n"));
	buf_reset(&text);
	for (const struct scheme *s = schemes; s->name; s++) {
		if (s->traits & SCHEME_TLS)
			buf_printf(&tls, "%s%s:", tls.len ? ", " : "", s->name);
		else
			buf_printf(&text, "%s\t%s\n", s->syntax, s->brief);
	}
	buf_printf(
		&text,
		"\n%s are the same over TLS. 'mcpctl help targets' tells the rest.\n",
		buf_string(&tls));
	mdoc_manual(out, buf_string(&text), true);
}

static void write_commands(FILE *out, const struct pages *all)
{
	fputs(".Sh COMMANDS\n"
	      "Each has a page of its own; \\(aqmcpctl help COMMAND\\(aq shows the same.\n"
	      ".Pp\n"
	      ".Bl -tag -width \"mcpctl-completion(1)\" -compact\n",
	      out);
	for (size_t i = 0; i < all->count; i++) {
		const struct page *p = &all->items[i];

		if (!p->command)
			continue;
		fprintf(out, ".It Xr mcpctl-%s %c\n", p->word, p->section);
		mdoc_text(out, p->brief, strlen(p->brief));
	}
	fputs(".El\n", out);
}

static void write_section(FILE *out, const char *name)
{
	const struct topic *t = topic_find(name);
	CLEANUP(buf_done) struct buf text = { 0 };

	t->write(&text);
	fprintf(out, ".Sh %s\n", t->section);
	mdoc_manual(out, buf_string(&text), false);
}

static void write_program(FILE *out, const struct pages *all)
{
	fputs(synopsis, out);
	fputs(".Sh DESCRIPTION\n", out);
	mdoc_manual(out, description, false);
	write_targets(out);
	write_commands(out, all);
	fputs(".Sh OPTIONS\nThese hold for every command.\n", out);
	write_options(out, config_options);
	write_section(out, "environment");
	fputs(files, out);
	write_section(out, "status");
	fputs(examples, out);
}

static void write_page(FILE *out, const struct pages *all, const struct page *p)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	write_head(out, p);
	if (p->command) {
		write_command(out, p->command);
		buf_text(&text, p->command->text ? p->command->text : "");
	} else if (p->topic) {
		p->topic->write(&text);
		fputs(".Sh DESCRIPTION\n", out);
		mdoc_manual(out, buf_string(&text), false);
	} else {
		write_program(out, all);
	}
	write_see(out, p, buf_string(&text));
	if (!p->word)
		fputs(links, out);
}

static void page_file(struct buf *out, const struct page *p)
{
	page_name(out, p);
	buf_printf(out, ".%c", p->section);
}

void generate_man(FILE *out)
{
	CLEANUP(pages_done) struct pages all = pages_all();

	for (size_t i = 0; i < all.count; i++) {
		CLEANUP(buf_done) struct buf file = { 0 };

		page_file(&file, &all.items[i]);
		fprintf(out, "%s\n", buf_string(&file));
	}
}

int generate_page(FILE *out, const char *name)
{
	CLEANUP(pages_done) struct pages all = pages_all();

	for (size_t i = 0; i < all.count; i++) {
		CLEANUP(buf_done) struct buf file = { 0 };

		page_file(&file, &all.items[i]);
		if (strcmp(buf_string(&file), name) == 0) {
			write_page(out, &all, &all.items[i]);
			return 0;
		}
	}
	return -1;
}
