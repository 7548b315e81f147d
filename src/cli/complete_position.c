/* SPDX-License-Identifier: MIT */
/*
 * Where the cursor is, by the parser's own walk: an option may stand before
 * its command, so the first pass only finds target and command.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/complete_private.h"
#include "cli/words.h"

#define NOWHERE SIZE_MAX

struct finding {
	struct position *out;
	const struct complete_question *question;
	const struct schema_source *source;
	size_t target, command; /* index of these words, or NOWHERE */
	bool tool; /* the command's word is a tool's name */
	char *whole; /* that name, where only its beginning was typed */
};

/* On a line of the shell: its own words, commands, tools; then unique prefixes. */
/* NOLINTNEXTLINE(misc-no-recursion): once, with a whole name */
static void find_inside(struct finding *f, const char *word)
{
	struct position *p = f->out;
	CLEANUP(buf_done) struct buf json = { 0 };
	const struct command *c = command_find(word);

	p->inside = inside_find(word);
	if (p->inside)
		return;
	if (c && inside_allows(c)) {
		p->command = c;
	} else if (f->source->tool(f->source->owner, word, &json)) {
		p->command = &cmd_call;
		f->tool = true;
	} else if (!f->whole) {
		f->whole = inside_only(word, f->source);
		if (f->whole)
			find_inside(f, f->whole);
	}
}

static void survey_word(struct finding *f, struct words_walk *w,
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
	if (f->question->inside)
		find_inside(f, piece->text);
	else
		f->out->command = command_find(piece->text);
	w->command = f->out->command;
}

static void survey(struct finding *f)
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
		p->trust = true;
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

/* On a line of the shell there are no global options. */
static bool awaits_value(const struct finding *f, const struct piece *piece)
{
	return piece->row && option_takes_word(piece->row) && !piece->value &&
	       !piece->next && !(piece->global && f->question->inside);
}

static void collect(struct finding *f)
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
			if (awaits_value(f, &piece))
				p->pending = piece.row;
		} else if (piece.index != f->target &&
			   (piece.index != f->command || f->tool)) {
			bool begun = piece.index == f->command && f->whole;

			words_add(&p->operands, begun ? f->whole : piece.text);
		}
	}
}

/* The shell's own words have no options: what stands there are operands. */
static void collect_inside(struct finding *f)
{
	const struct complete_question *q = f->question;

	for (size_t i = f->command + 1; i < q->count; i++)
		words_add(&f->out->operands, q->words[i]);
}

void position_find(struct position *out, const struct complete_question *q,
		   const struct schema_source *source)
{
	struct finding f = { .out = out,
			     .question = q,
			     .source = source,
			     .target = NOWHERE,
			     .command = NOWHERE };

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
	mem_free(f.whole);
}

void position_done(struct position *p)
{
	words_done(&p->operands);
	*p = (struct position){ 0 };
}

/* An empty variable is as good as none. */
static const char *or_environment(const char *given, const char *option)
{
	const struct option_row *row =
		option_by_name(config_options, option, strlen(option));
	const char *value = given ? given : getenv(row->env);

	return value && *value ? value : NULL;
}

struct named_search position_search(const struct position *p)
{
	return (struct named_search){ .config_file = or_environment(p->config,
								    "config"),
				      .trust = p->trust };
}

/* As on a command line of mcpctl. */
static void find_outside(struct position *out,
			 const struct complete_question *q)
{
	struct complete_question outside = *q;

	outside.inside = false;
	position_find(out, &outside, NULL);
}

char *complete_kept_target(const struct complete_question *q)
{
	CLEANUP(position_done) struct position p = { 0 };
	struct named_search search;

	find_outside(&p, q);
	search = position_search(&p);
	return named_target_text(or_environment(p.peer.target, "target"),
				 &search);
}

void complete_peer(struct complete_peer *out, const struct complete_question *q)
{
	CLEANUP(position_done) struct position p = { 0 };

	find_outside(&p, q);
	out->target = or_environment(p.peer.target, "target");
	out->device = or_environment(p.peer.device, "device");
	out->socket = or_environment(p.peer.socket, "socket");
}
