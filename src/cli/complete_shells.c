/* SPDX-License-Identifier: MIT */
/*
 * _complete SHELL WORD...: what the scripts of completions/ ask while somebody
 * types, and the answers in the forms of the shells. It says nothing else,
 * whatever happens. What is in candidates was made safe before.
 */
#include "cli/complete_shells.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/complete_words.h"

char *complete_unquote(const char *typed)
{
	CLEANUP(typed_word_done) struct typed_word w = { 0 };

	typed_word_read(&w, typed, "");
	return mem_strdup(buf_string(&w.text));
}

/* ---- bash ---- */

static void add_escaped(struct buf *out, const char *text, const char *special)
{
	while (*text) {
		size_t len = strcspn(text, special);

		buf_add(out, text, len);
		text += len;
		if (!*text)
			break;
		buf_char(out, '\\');
		buf_char(out, *text++);
	}
}

/* How far a word is typed, and what a candidate's rest is put behind. */
struct typed_line {
	struct typed_word word;
	const char *head; /* where readline's own word begins */
	size_t head_len;
	size_t before; /* bytes of the word's text that are not in it */
};

/* cut: readline's own word, which may begin behind ':' or '='. */
static void typed_line_read(struct typed_line *t, const char *typed,
			    const char *cut)
{
	size_t len = strlen(typed), rest = cut ? strlen(cut) : len;

	*t = (struct typed_line){ 0 };
	typed_word_read(&t->word, typed, "");
	t->head = typed;
	if (t->word.quote)
		t->head += t->word.open;
	else if (rest < len && strcmp(typed + len - rest, cut) == 0)
		t->head += len - rest;
	CLEANUP(mem_free_ptr)
	char *front = mem_strndup(typed, (size_t)(t->head - typed));
	CLEANUP(mem_free_ptr) char *text = complete_unquote(front);
	t->before = strlen(text);
	/* A last backslash alone is typed again with its character. */
	t->head_len = strlen(t->head) - (t->word.escape ? 1 : 0);
}

/* For which that quote is ended a moment: ! is bash's history, also in "". */
static bool is_outside(char quote, char c)
{
	return c == (quote == '\'' ? '\'' : '!');
}

/* What begins with a quote takes the place of the one in front of it. */
static bool fits_quote(const struct candidate *c, const struct typed_line *t)
{
	return text_starts(c->word, buf_string(&t->word.text)) &&
	       !(t->word.quote && t->head_len == 0 &&
		 is_outside(t->word.quote, c->word[t->word.text.len]));
}

/* readline ends the quote, but where it takes the last byte for its end. */
static void add_in_quotes(struct buf *out, char quote, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (is_outside(quote, *p)) {
			buf_printf(out, "%c\\%c%c", quote, *p, quote);
			continue;
		}
		if (quote == '"' && strchr("\"\\$`", *p))
			buf_char(out, '\\');
		buf_char(out, *p);
	}
	if (*text && out->data[out->len - 1] == quote)
		buf_char(out, quote);
}

/*
 * Is that to be expanded by bash? The rest of a peer's name behind it would be run:
 * a tool may be called $(…).
 */
static bool is_live(const char *typed)
{
	char quote = '\0';

	for (const char *p = typed; *p; p++) {
		if (*p == '\\' && quote != '\'' && p[1])
			p++;
		else if (quote == *p)
			quote = '\0';
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (quote != '\'' && strchr("$`!", *p))
			return true;
	}
	return false;
}

static void print_bash_word(struct buf *out, const struct candidate *c,
			    const struct typed_line *t)
{
	const char *rest = c->word + t->word.text.len;

	buf_add(out, t->head, t->head_len);
	if (t->word.quote)
		add_in_quotes(out, t->word.quote, rest);
	else
		words_escape(out, rest);
	buf_char(out, '\n');
}

/* "words", and what readline must not do by itself. */
static void print_bash_words(struct buf *out, const struct completion *c,
			     const struct typed_line *t)
{
	CLEANUP(buf_done) struct buf lines = { 0 };
	size_t count = 0;
	bool ordered = false, open = t->word.quote != '\0';

	for (size_t i = 0; i < c->count; i++) {
		if (!fits_quote(&c->item[i], t))
			continue;
		print_bash_word(&lines, &c->item[i], t);
		count++;
		ordered = ordered || c->item[i].kind == SOURCE_NONE ||
			  c->item[i].kind == SOURCE_OPTIONS;
		open = open || c->item[i].open;
	}
	buf_printf(out, "words%s%s\n", ordered ? " nosort" : "",
		   count == 1 && open ? " nospace" : "");
	buf_add(out, lines.data, lines.len);
}

/* What of keep readline has not cut off, and what is typed behind keep. */
static void print_bash_files(struct buf *out, const struct completion *c,
			     const struct typed_line *t)
{
	const char *text = buf_string(&t->word.text);
	size_t keep = c->keep ? strnlen(c->keep, t->word.text.len) : 0;
	size_t lead = keep > t->before ? keep - t->before : 0;

	buf_printf(out, "files\t%.*s\t%s\n", (int)lead, text + t->before,
		   text + keep);
	for (size_t i = 0; i < c->count; i++)
		buf_printf(out, "%s\n", c->item[i].word);
}

static void print_bash(struct buf *out, const struct completion *c,
		       const char *typed, const char *cut)
{
	struct typed_line t;

	if (c->note && c->count == 0 && !c->files)
		buf_printf(out, "note %s\n", c->note);
	if (c->show_only || (c->note && c->count == 0))
		return;
	typed_line_read(&t, typed, cut);
	if (c->files)
		print_bash_files(out, c, &t);
	else if (is_live(typed))
		buf_text(out, "words\n");
	else
		print_bash_words(out, c, &t);
	typed_word_done(&t.word);
}

/* ---- zsh ---- */

enum zsh_list { ZSH_WHOLE, ZSH_OPEN, ZSH_EQUALS, ZSH_LISTS };

static enum zsh_list zsh_list_of(const struct candidate *c)
{
	if (c->open)
		return ZSH_OPEN;
	return c->equals ? ZSH_EQUALS : ZSH_WHOLE;
}

static void print_zsh_list(struct buf *out, const struct completion *c,
			   enum source_kind kind, enum zsh_list list)
{
	size_t before = c->before ? strlen(c->before) : 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct candidate *item = &c->item[i];

		if (item->kind != kind || zsh_list_of(item) != list)
			continue;
		add_escaped(out, item->word + before, ":\\");
		if (*item->brief)
			buf_char(out, ':');
		add_escaped(out, item->brief, "\\");
		buf_char(out, '\n');
	}
	buf_char(out, '\n');
}

static void print_zsh_group(struct buf *out, const struct completion *c,
			    enum source_kind kind)
{
	const char *option = kind == SOURCE_NONE ? "-V" : "";
	const char *heading = source_heading(kind);

	if (kind == SOURCE_CHOICES && c->wanted)
		heading = c->wanted;
	if (kind == SOURCE_OPTIONS || kind == SOURCE_GLOBALS)
		option = "-O";
	buf_printf(out, "group\t%s\t%s\t%s\n", source_tag(kind), heading,
		   option);
	for (int i = 0; i < ZSH_LISTS; i++)
		print_zsh_list(out, c, kind, (enum zsh_list)i);
}

static bool is_first_of_kind(const struct completion *c, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		if (c->item[j].kind == c->item[i].kind)
			return false;
	}
	return true;
}

/* What there is besides candidates. */
static void print_zsh_rest(struct buf *out, const struct completion *c)
{
	const char *keep = c->keep ? c->keep : "";

	if (c->before && text_starts(keep, c->before))
		keep += strlen(c->before);
	if (c->files)
		buf_printf(out, "files\t%s\t%s\t%s\n",
			   c->files_like ? c->files_like : "",
			   *keep || !c->wanted ? "file" : c->wanted, keep);
	else if (c->count == 0 && c->note)
		buf_printf(out, "note %s\n", c->note);
	else if (c->count == 0 && c->about)
		buf_printf(out, "wants\t%s\n", c->wanted);
}

static void print_zsh(struct buf *out, const struct completion *c)
{
	const struct candidate *first = c->item;

	if (c->show_only) {
		buf_printf(out, "note %s  %s\n",
			   first->shown ? first->shown : first->word,
			   first->brief);
	} else {
		if (c->before)
			buf_printf(out, "before\t%s\n", c->before);
		for (size_t i = 0; i < c->count; i++) {
			if (is_first_of_kind(c, i))
				print_zsh_group(out, c, c->item[i].kind);
		}
		print_zsh_rest(out, c);
	}
	buf_text(out, "end\n");
}

/* ---- fish ---- */

/* As fish sorts them, letters of options first; but those of the command
   before those of all. */
static int compare_fish(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;
	bool letter = strlen(left->word) == 2 && *left->word == '-';
	bool other = strlen(right->word) == 2 && *right->word == '-';

	if ((left->kind == SOURCE_GLOBALS) != (right->kind == SOURCE_GLOBALS))
		return right->kind == SOURCE_GLOBALS ? -1 : 1;
	if (letter != other)
		return letter ? -1 : 1;
	return strcmp(left->word, right->word);
}

/* What only can be shown has no place in fish; the ends of a range have. */
static void print_fish_range(struct buf *out, const struct completion *c)
{
	for (size_t i = 0; i < COUNT(c->end) && c->count > 0 && c->end[1]; i++)
		buf_printf(out, "%s\t%s\n", c->end[i], c->item[0].brief);
}

static void print_fish(struct buf *out, const struct completion *c)
{
	CLEANUP(mem_free_ptr)
	struct candidate *item = mem_alloc((c->count + 1) * sizeof(*item));

	if (c->files)
		buf_printf(out, "files%s%s\n", c->keep ? " " : "",
			   c->keep ? c->keep : "");
	else if (c->count == 0 && c->note)
		buf_printf(out, "note %s\n", c->note);
	else
		buf_text(out, "words\n");
	if (c->show_only) {
		print_fish_range(out, c);
		return;
	}
	for (size_t i = 0; i < c->count; i++)
		item[i] = c->item[i];
	if (c->count > 0 && item[0].kind != SOURCE_NONE)
		qsort(item, c->count, sizeof(*item), compare_fish);
	for (size_t i = 0; i < c->count; i++) {
		const char *brief = item[i].brief;

		if (item[i].kind == SOURCE_CHOICES)
			brief = c->about;
		buf_printf(out, "%s\t%s\n", item[i].word, brief);
	}
}

/* ---- all ---- */

void complete_print(struct buf *out, enum complete_shell shell,
		    const struct completion *c, const char *typed,
		    const char *cut)
{
	switch (shell) {
	case COMPLETE_BASH:
		print_bash(out, c, typed, cut);
		break;
	case COMPLETE_ZSH:
		print_zsh(out, c);
		break;
	case COMPLETE_FISH:
		print_fish(out, c);
		break;
	case COMPLETE_SHELLS:
		break;
	}
}

/*
 * _complete SHELL WORD...: what the completion scripts ask while somebody types
 * (cli/complete.h). It says nothing else, whatever happens.
 */

static bool find_shell(const char *name, enum complete_shell *out)
{
	for (size_t i = 0; i < COUNT(complete_shells); i++) {
		if (strcmp(complete_shells[i], name) == 0) {
			*out = (enum complete_shell)i;
			return true;
		}
	}
	return false;
}

static void answer(struct completion *out, const struct words *words,
		   enum complete_shell shell)
{
	const struct complete_question q = {
		.words = words->word,
		.count = words->count - 1,
		.word = words->word[words->count - 1],
		.unsifted = shell != COMPLETE_BASH,
		.options_last = shell == COMPLETE_ZSH,
		.no_briefs = shell == COMPLETE_BASH
	};
	CLEANUP(mem_free_ptr) char *target = complete_kept_target(&q);
	struct schema_source source;
	struct complete_peer peer;

	complete_peer(&peer, &q);
	schema_source_open(&source, target, peer.device, peer.socket,
			   SCHEMA_SOURCE_MS);
	complete(out, &q, &source);
	schema_source_close(&source);
}

/* The words of a line behind the program's name; returns where the last begins. */
static const char *take_line(struct words *out, const char *p)
{
	struct typed_word w = { 0 };
	const char *typed = typed_skip_blanks(p);

	typed += typed_word_read(&w, typed, TYPED_BLANKS);

	for (p = typed_skip_blanks(typed);; p = typed_skip_blanks(p)) {
		typed_word_done(&w);
		typed = p;
		p += typed_word_read(&w, p, TYPED_BLANKS);
		words_add(out, buf_string(&w.text));
		if (!*p)
			break;
	}
	typed_word_done(&w);
	return typed;
}

/*
 * The words of a command line; returns the last as it was typed. bash gives the
 * line up to the cursor, as to any program that completes (COMP_LINE), and what
 * readline takes for the word: it cuts words at COMP_WORDBREAKS.
 */
static const char *take_words(struct words *out, const struct invocation *in,
			      const char *line)
{
	bool unquoted = strcmp(in->argv[0], "bash") != 0;

	if (line)
		return take_line(out, line);
	for (int i = 1; i < in->argc; i++) {
		CLEANUP(mem_free_ptr)
		char *word = unquoted ? mem_strdup(in->argv[i]) :
					complete_unquote(in->argv[i]);

		words_add(out, word);
	}
	if (out->count == 0)
		words_add(out, "");
	return in->argc > 1 ? in->argv[in->argc - 1] : "";
}

static int complete_run(const struct invocation *in, struct error *err)
{
	CLEANUP(completion_done) struct completion found = { 0 };
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	enum complete_shell shell;
	const char *line = NULL, *typed;

	(void)err;
	in->app->status = 1;
	signal(SIGPIPE, SIG_IGN);
	if (in->argc == 0 || !find_shell(in->argv[0], &shell))
		return 0;
	if (shell == COMPLETE_BASH)
		line = getenv("COMP_LINE");
	typed = take_words(&words, in, line);
	answer(&found, &words, shell);
	complete_print(&out, shell, &found, typed,
		       line && in->argc > 1 ? in->argv[1] : NULL);
	/* Nobody is told if it cannot be written: the reader has seen enough. */
	file_write(fileno(in->app->out.out), out.data, out.len);
	if (found.count > 0 || found.files || found.note)
		in->app->status = 0;
	return 0;
}

const struct command cmd_complete_words = {
	.name = "_complete",
	.args = "bash|zsh|fish [WORD]...",
	.brief = "what the completion scripts ask",
	.group = GROUP_PROGRAM,
	.flags = CMD_HIDDEN | CMD_VERBATIM,
	.min = 0,
	.max = -1,
	.run = complete_run
};
