/* SPDX-License-Identifier: MIT */
/* What stands at the cursor, and which candidates there are for it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/complete_items.h"
#include "cli/complete_words.h"
#include "cli/config.h"
#include "cli/words.h"
#include "net/head.h"
#include "out/wrap.h"

/*
 * Words as they are typed, with quotes that may be open still. base/split.c is
 * for lines that are finished.
 */

static bool is_blank(char c)
{
	return c && strchr(TYPED_BLANKS, c);
}

void typed_word_done(struct typed_word *w)
{
	buf_done(&w->text);
	*w = (struct typed_word){ 0 };
}

/* A backslash at p; the bytes that it takes. */
static size_t escaped(struct typed_word *w, const char *p)
{
	if (!p[1]) {
		w->escape = true;
		return 1;
	}
	if (p[1] == '\n')
		return 2;
	/* Between double quotes it is a character, but before these. */
	if (w->quote && !strchr("\"\\$`", p[1]))
		buf_char(&w->text, '\\');
	buf_char(&w->text, p[1]);
	return 2;
}

size_t typed_word_read(struct typed_word *w, const char *text,
		       const char *stops)
{
	const char *p = text;

	while (*p) {
		if (!w->quote && strchr(stops, *p))
			break;
		if (*p == '\\' && w->quote != '\'') {
			p += escaped(w, p);
			continue;
		}
		if (w->quote && *p == w->quote) {
			w->quote = '\0';
		} else if (!w->quote && (*p == '"' || *p == '\'')) {
			w->quote = *p;
			w->open = (size_t)(p - text) + 1;
		} else {
			buf_char(&w->text, *p);
		}
		p++;
	}
	return (size_t)(p - text);
}

struct line {
	struct words words;
	struct typed_word last; /* at the cursor */
	bool foreign; /* a line for sh */
	bool comment;
};

const char *typed_skip_blanks(const char *p)
{
	while (is_blank(*p) || (p[0] == '\\' && p[1] == '\n'))
		p += is_blank(*p) ? 1 : 2;
	return p;
}

static void read_line(struct line *l, const char *p)
{
	p = typed_skip_blanks(p);
	if (*p == '!') {
		l->foreign = true;
		p = typed_skip_blanks(p + 1);
	}
	while (*p) {
		if (*p == '|') {
			l->foreign = true;
			words_done(&l->words);
			p = typed_skip_blanks(p + 1);
			continue;
		}
		if (*p == '#' && !l->foreign) {
			l->comment = true;
			return;
		}
		typed_word_done(&l->last);
		p += typed_word_read(&l->last, p, TYPED_BLANKS "|");
		if (!*p)
			return;
		words_add(&l->words, buf_string(&l->last.text));
		typed_word_done(&l->last);
		p = typed_skip_blanks(p);
	}
}

void complete_line(struct completion *out, const char *line,
		   const struct schema_source *source)
{
	struct line l = { 0 };

	*out = (struct completion){ 0 };
	read_line(&l, line);
	const struct complete_question q = { .words = l.words.word,
					     .count = l.words.count,
					     .word = buf_string(&l.last.text),
					     .inside = true };

	if (!l.foreign && !l.comment)
		complete(out, &q, source);
	/* sh's first word is a command, and those are not known here. */
	else if (l.foreign && (q.count > 0 || strchr(q.word, '/')))
		out->files = true;
	words_done(&l.words);
	typed_word_done(&l.last);
}

/*
 * Where the cursor is, by the parser's own walk: an option may stand before
 * its command, so the first pass only finds target and command.
 */

#define NOWHERE SIZE_MAX

struct search {
	struct position *out;
	const struct complete_question *question;
	size_t target, command; /* index of these words, or NOWHERE */
	bool tool; /* the command's word is a tool's name */
};

/* Of mcpctl, or on a line of the shell: its own words come first there. */
static void find_command(struct search *f, const char *word)
{
	struct position *p = f->out;
	bool inside = f->question->inside;
	const struct command *c = command_find(word);

	if (inside)
		p->inside = inside_find(word);
	f->tool = !c && !p->inside && command_is_tool(word);
	if (f->tool)
		p->command = &cmd_call;
	else if (c && !p->inside && (!inside || inside_allows(c)))
		p->command = c;
}

static void survey_word(struct search *f, struct words_walk *w,
			const struct piece *piece)
{
	if (f->command != NOWHERE)
		return;
	if (!f->question->inside && f->target == NOWHERE &&
	    strchr(piece->text, ':')) {
		f->target = piece->index;
		return;
	}
	f->command = piece->index;
	find_command(f, piece->text);
	w->command = f->out->command;
}

static void survey(struct search *f)
{
	struct words_walk w = { .words = f->question->words,
				.count = f->question->count };
	struct piece piece;

	while (walk_next(&w, &piece)) {
		if (piece.kind == PIECE_WORD)
			survey_word(f, &w, &piece);
	}
}

static void take_peer(struct position *p, const struct piece *piece)
{
	const char *name = piece->row ? piece->row->name : "";

	if (piece->global && strcmp(name, "trust") == 0)
		p->search.trust = true;
	if (!piece->global || !piece->value)
		return;
	if (strcmp(name, "target") == 0) {
		p->peer.target = piece->value;
		p->has_target = true;
	} else if (strcmp(name, "device") == 0) {
		p->peer.device = piece->value;
	} else if (strcmp(name, "socket") == 0) {
		p->peer.socket = piece->value;
	} else if (strcmp(name, "config") == 0) {
		p->config = piece->value;
	}
}

/* One that may be given again is not kept in mind. */
static void take_given(struct position *p, const struct option_row *row)
{
	if (row && row->type != OPTION_LIST && p->given_count < COUNT(p->given))
		p->given[p->given_count++] = row;
}

/* On a line of the shell there are no global options. */
static bool awaits_value(const struct search *f, const struct piece *piece)
{
	return piece->row && option_takes_word(piece->row) && !piece->value &&
	       !piece->next && !(piece->global && f->question->inside);
}

static void collect(struct search *f)
{
	struct position *p = f->out;
	struct words_walk w = { .words = f->question->words,
				.count = f->question->count,
				.command = p->command };
	struct piece piece;

	while (walk_next(&w, &piece)) {
		p->pending = NULL;
		if (piece.kind == PIECE_CHILD) {
			p->child = true;
		} else if (piece.kind == PIECE_OPTION) {
			take_peer(p, &piece);
			take_given(p, piece.row);
			if (awaits_value(f, &piece))
				p->pending = piece.row;
		} else if (piece.index != f->target &&
			   (piece.index != f->command || f->tool)) {
			words_add(&p->operands, piece.text);
		}
	}
}

/* The shell's own words have no options: what stands there are operands. */
static void collect_inside(struct search *f)
{
	const struct complete_question *q = f->question;

	for (size_t i = f->command + 1; i < q->count; i++)
		words_add(&f->out->operands, q->words[i]);
}

/* An empty variable is as good as none. */
static const char *or_environment(const char *given, const char *option)
{
	const struct option_row *row =
		option_by_name(config_options, option, strlen(option));
	const char *value = given ? given : getenv(row->env);

	return value && *value ? value : NULL;
}

static void position_find(struct position *out,
			  const struct complete_question *q)
{
	struct search f = {
		.out = out, .question = q, .target = NOWHERE, .command = NOWHERE
	};

	*out = (struct position){ 0 };
	survey(&f);
	if (out->inside)
		collect_inside(&f);
	else
		collect(&f);
	if (f.target != NOWHERE) {
		out->peer.target = q->words[f.target];
		out->has_target = true;
	}
	out->unknown = f.command != NOWHERE && !out->command && !out->inside;
	out->search.config_file = or_environment(out->config, "config");
}

static void position_done(struct position *p)
{
	words_done(&p->operands);
	*p = (struct position){ 0 };
}

/* As on a command line of mcpctl. */
static void find_outside(struct position *out,
			 const struct complete_question *q)
{
	struct complete_question outside = *q;

	outside.inside = false;
	position_find(out, &outside);
}

char *complete_kept_target(const struct complete_question *q)
{
	CLEANUP(position_done) struct position p = { 0 };

	find_outside(&p, q);
	return named_target_text(or_environment(p.peer.target, "target"),
				 &p.search);
}

void complete_peer(struct complete_peer *out, const struct complete_question *q)
{
	CLEANUP(position_done) struct position p = { 0 };

	find_outside(&p, q);
	out->target = or_environment(p.peer.target, "target");
	out->device = or_environment(p.peer.device, "device");
	out->socket = or_environment(p.peer.socket, "socket");
}

/*
 * What stands at the cursor: the name of an option or its value, a command, a
 * target, an operand. Who knows the words for each is elsewhere.
 */

static const struct option_row *rows_of(const struct completing *c)
{
	return c->position->command ? c->position->command->options : NULL;
}

static bool is_inside_option(const struct option_row *row)
{
	return strcmp(row->name, "help") == 0;
}

/* ---- names of options ---- */

static bool is_given(const struct completing *c, const struct option_row *row)
{
	const struct position *p = c->position;

	for (size_t i = 0; i < p->given_count; i++) {
		if (p->given[i] == row)
			return true;
	}
	return false;
}

static enum source_kind kind_of(const struct option_row *row)
{
	size_t i = 0;

	while (config_options[i].name && &config_options[i] != row)
		i++;
	return config_options[i].name ? SOURCE_GLOBALS : SOURCE_OPTIONS;
}

/* "-o", or "-qo" behind "-q". */
static void add_letter(struct completing *c, const struct option_row *row)
{
	const char *word = c->question->word;
	bool more = strlen(word) > 1;
	const struct offer offer = { .before = more ? word : NULL,
				     .open = option_takes_word(row),
				     .kind = kind_of(row) };
	const char letter[3] = { '-', row->letter };

	if (row->letter && !strchr(word, row->letter))
		complete_add(c, &offer, letter + more, row->brief);
}

/* Letters where there is a dash at most. */
static void add_option(struct completing *c, const struct option_row *row)
{
	const struct offer offer = { .typed = complete_sifted(
					     c, c->question->word),
				     .equals = !option_is_flag(row),
				     .kind = kind_of(row) };
	CLEANUP(mem_free_ptr) char *name = mem_printf("--%s", row->name);

	complete_add(c, &offer, name, row->brief);
	if (!c->question->inside && strlen(c->question->word) < 2)
		add_letter(c, row);
}

static bool is_heeded(const struct completing *c, const struct option_row *row)
{
	const struct command *command = c->position->command;

	return !command || command_heeds(command, row);
}

/* What may stand there and does not yet. */
static void each_option(struct completing *c,
			void (*add)(struct completing *,
				    const struct option_row *))
{
	const struct option_row *row;

	for (row = rows_of(c); row && row->name; row++) {
		if (!is_given(c, row))
			add(c, row);
	}
	for (row = config_options; row->name; row++) {
		if ((!c->question->inside || is_inside_option(row)) &&
		    is_heeded(c, row) && !is_given(c, row))
			add(c, row);
	}
}

static const struct option_row *find_letter(const struct completing *c,
					    char letter)
{
	const struct option_row *row = option_by_letter(rows_of(c), letter);

	if (!row)
		row = option_by_letter(config_options, letter);
	return row;
}

static const struct option_row *find_name(const struct completing *c,
					  const char *name, size_t len)
{
	const struct option_row *row = option_by_name(rows_of(c), name, len);

	if (!row)
		row = option_by_name(config_options, name, len);
	return row;
}

static void value_in_word(struct completing *c, const struct option_row *row,
			  size_t before)
{
	const char *word = c->question->word;
	CLEANUP(mem_free_ptr) char *head = mem_strndup(word, before);

	complete_value(c, row, head, word + before);
}

/*
 * "-vo", "-ojs": letters, and the value of the last. readline has no more than
 * a space for letters that are complete; zsh and fish show what may follow.
 */
static void complete_letters(struct completing *c)
{
	const char *word = c->question->word;
	const struct offer offer = { .kind = SOURCE_OPTIONS };
	const struct option_row *row = NULL;

	for (size_t i = 1; word[i]; i++) {
		row = find_letter(c, word[i]);
		if (!row)
			return;
		if (option_takes_word(row) &&
		    (word[i + 1] || c->question->unsifted)) {
			value_in_word(c, row, i + 1);
			return;
		}
	}
	if (c->question->unsifted)
		each_option(c, add_letter);
	else
		complete_add(c, &offer, word, row->brief);
}

static void complete_option(struct completing *c)
{
	const char *word = c->question->word;
	const char *equals = strchr(word, '=');
	const struct option_row *row;

	if (word[1] && word[1] != '-') {
		complete_letters(c);
	} else if (!equals) {
		each_option(c, add_option);
	} else {
		row = find_name(c, word + 2, (size_t)(equals - word - 2));
		if (row)
			value_in_word(c, row, (size_t)(equals - word + 1));
	}
}

/* ---- words ---- */

static void complete_first(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word,
				     .kind = SOURCE_TARGETS };

	if (c->question->inside) {
		complete_inside_first(c);
		return;
	}
	complete_source(c, SOURCE_COMMANDS, &offer);
	if (!c->position->has_target)
		complete_targets(c, &offer);
	if (c->out->count == 0 || strchr(c->question->word, '.'))
		complete_bare_tools(c);
}

/* "@FILE" where JSON is expected. */
static void complete_json(struct completing *c)
{
	if (c->question->word[0] == '@')
		complete_files(c, "@", 1);
}

static void complete_tool(struct completing *c)
{
	complete_tools(c, c->question->word, true);
}

static void complete_tool_call(struct completing *c)
{
	const struct words *operands = &c->position->operands;

	if (operands->count == 0)
		complete_tools(c, c->question->word, false);
	else
		complete_arguments(c, operands->word[0], operands->word + 1,
				   operands->count - 1);
}

static void complete_device(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };

	complete_devices(c, &offer);
}

static void complete_closed(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };

	complete_held(c, &offer);
}

static void complete_opened(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };

	complete_named(c, &offer);
	complete_targets(c, &offer);
}

static void complete_method(struct completing *c)
{
	const struct offer offer = { .typed = c->question->word };

	if (c->position->operands.count > 0)
		complete_json(c);
	else
		complete_source(c, SOURCE_METHODS, &offer);
}

static void add_addresses(struct completing *c, const char *addresses)
{
	const struct offer offer = { .typed = c->question->word, .open = true };
	size_t len;

	for (const char *at = addresses; *at; at += len + (at[len] == ' ')) {
		CLEANUP(mem_free_ptr) char *word = NULL;

		len = strcspn(at, " ");
		word = mem_strndup(at, len);
		complete_add(c, &offer, word, "");
	}
}

/* One of the command's words, and then what that one takes. */
static void complete_subject(struct completing *c)
{
	const struct words *operands = &c->position->operands;
	const struct offer offer = { .typed = c->question->word };
	const struct operand_word *w = c->position->command->words;

	for (; w->name; w++) {
		if (operands->count == 0) {
			complete_add(c, &offer, w->name, w->brief);
		} else if (strcmp(w->name, operands->word[0]) == 0) {
			add_addresses(c, w->addresses);
			if (w->file)
				complete_files(c, "", 0);
		}
	}
}

static void complete_item(struct completing *c)
{
	complete_items(c, c->position->command->operand);
}

/* Who knows the operand: a table of words, or a function. */
static const struct operand_row {
	void (*complete)(struct completing *c);
	enum source_kind kind;
} operand_rows[] = { [OPERAND_NONE] = { NULL, SOURCE_NONE },
		     [OPERAND_TOOL] = { complete_tool, SOURCE_NONE },
		     [OPERAND_TOOL_CALL] = { complete_tool_call, SOURCE_NONE },
		     [OPERAND_COMMAND_OR_TOPIC] = { NULL, SOURCE_HELP },
		     [OPERAND_FILE] = { NULL, SOURCE_FILES },
		     [OPERAND_SHELL_NAME] = { NULL, SOURCE_SHELLS },
		     [OPERAND_PROFILE] = { NULL, SOURCE_PROFILES },
		     [OPERAND_METHOD] = { complete_method, SOURCE_NONE },
		     [OPERAND_DEVICE] = { complete_device, SOURCE_NONE },
		     [OPERAND_HELD] = { complete_closed, SOURCE_NONE },
		     [OPERAND_NAMED] = { complete_opened, SOURCE_NONE },
		     [OPERAND_JSON] = { complete_json, SOURCE_NONE },
		     [OPERAND_SUBJECT] = { complete_subject, SOURCE_NONE },
		     [OPERAND_LEVEL] = { NULL, SOURCE_LEVELS },
		     [OPERAND_FINDING] = { NULL, SOURCE_FINDINGS },
		     [OPERAND_RESOURCE] = { complete_item, SOURCE_NONE },
		     [OPERAND_TEMPLATE] = { complete_item, SOURCE_NONE },
		     [OPERAND_PROMPT] = { complete_item, SOURCE_NONE },
		     [OPERAND_PROMPT_CALL] = { complete_item, SOURCE_NONE },
		     [OPERAND_COMPLETABLE] = { complete_item, SOURCE_NONE } };

static void complete_operand(struct completing *c)
{
	const struct command *command = c->position->command;
	const struct operand_row *row = &operand_rows[command->operand];
	const struct offer offer = { .typed = c->question->word };

	if (command->max >= 0 &&
	    c->position->operands.count >= (size_t)command->max)
		return;
	c->out->wanted = command->args;
	if (row->complete)
		row->complete(c);
	else
		complete_source(c, row->kind, &offer);
}

static bool has_nothing(const struct completion *out)
{
	return out->count == 0 && !out->files && !out->note;
}

/* A command, what stands before it, or its operand; zsh: else an option. */
static void complete_plain(struct completing *c)
{
	if (c->position->command)
		complete_operand(c);
	else
		complete_first(c);
	if (c->question->options_last && !*c->question->word &&
	    has_nothing(c->out))
		each_option(c, add_option);
}

static void complete_at(struct completing *c)
{
	const struct position *p = c->position;
	const char *word = c->question->word;

	if (p->child || p->unknown)
		return;
	if (p->inside)
		complete_inside_operand(c);
	else if (p->pending && (word[0] != '-' || !word[1]))
		complete_value(c, p->pending, "", word);
	else if (word[0] == '-')
		complete_option(c);
	else
		complete_plain(c);
}

void complete(struct completion *out, const struct complete_question *q,
	      const struct schema_source *source)
{
	CLEANUP(position_done) struct position p = { 0 };
	struct completing c = {
		.out = out, .question = q, .source = source, .position = &p
	};

	*out = (struct completion){ 0 };
	position_find(&p, q);
	complete_at(&c);
}
