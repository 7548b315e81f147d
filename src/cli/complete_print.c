/* SPDX-License-Identifier: MIT */
/*
 * Candidates in the forms of the shells. What is in them was made safe before.
 */
#include "cli/complete_print.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete_private.h"

char *complete_unquote(const char *typed)
{
	CLEANUP(typed_word_done) struct typed_word w = { 0 };

	typed_word_read(&w, typed, false);
	return mem_strdup(buf_string(&w.text));
}

/* ---- bash ---- */

#define KEEP_MAX 1000 /* nobody types that */

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
	const char *head;
	size_t head_len;
};

static void print_bash_word(struct buf *out, const struct candidate *c,
			    const struct typed_line *t)
{
	const char *rest = c->word + t->word.text.len;
	char quote = t->word.quote;

	if (!text_starts(c->word, buf_string(&t->word.text)) ||
	    (quote == '\'' && strchr(rest, '\'')))
		return;
	buf_add(out, t->head, t->head_len);
	if (quote == '\'')
		buf_text(out, rest);
	else if (quote)
		add_escaped(out, rest, "\"\\$`");
	else
		add_escaped(out, rest, " \t|&;()<>'\"\\$`*?[]{}!#~^");
	buf_text(out, quote || c->open ? "\n" : " \n");
}

/* As much of what was typed as keep is, out of its quotes. */
static size_t typed_keep(const char *typed, const char *keep)
{
	size_t len = strlen(keep), most = strlen(typed);

	if (len > KEEP_MAX)
		return most;
	for (size_t i = len; i <= most && i <= 2 * len + 2; i++) {
		CLEANUP(mem_free_ptr) char *head = mem_strndup(typed, i);
		CLEANUP(mem_free_ptr) char *text = complete_unquote(head);

		if (strcmp(text, keep) == 0)
			return i;
	}
	return most;
}

static void print_bash(struct buf *out, const struct completion *c,
		       const char *typed)
{
	struct typed_line t = { .head = typed };

	typed_word_read(&t.word, typed, false);
	if (t.word.quote)
		t.head += t.word.open;
	/* A last backslash alone is typed again with its character. */
	t.head_len = strlen(t.head) - (t.word.escape ? 1 : 0);
	for (size_t i = 0; i < c->count; i++) {
		if (c->files)
			buf_printf(out, "%s\n", c->item[i].word);
		else
			print_bash_word(out, &c->item[i], &t);
	}
	typed_word_done(&t.word);
}

/* ---- zsh, fish ---- */

static void print_zsh_part(struct buf *out, const struct completion *c,
			   bool open)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct candidate *item = &c->item[i];

		if (item->open != open)
			continue;
		add_escaped(out, item->word, ":\\");
		if (*item->brief)
			buf_char(out, ':');
		add_escaped(out, item->brief, "\\");
		buf_char(out, '\n');
	}
}

static void print_zsh(struct buf *out, const struct completion *c)
{
	print_zsh_part(out, c, false);
	if (c->count > 0)
		buf_char(out, '\n');
	print_zsh_part(out, c, true);
}

static void print_fish(struct buf *out, const struct completion *c)
{
	for (size_t i = 0; i < c->count; i++)
		buf_printf(out, "%s\t%s\n", c->item[i].word, c->item[i].brief);
}

/* ---- all ---- */

static void print_shown(struct buf *out, const struct completion *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct candidate *item = &c->item[i];

		buf_text(out, item->shown ? item->shown : item->word);
		if (*item->brief)
			buf_printf(out, "  %s", item->brief);
		buf_char(out, '\n');
	}
}

/* KEEP as the shell has it. */
static void print_files(struct buf *out, enum complete_shell shell,
			const char *keep, const char *typed)
{
	buf_text(out, "files");
	if (keep && *keep) {
		buf_char(out, ' ');
		if (shell == COMPLETE_BASH)
			buf_add(out, typed, typed_keep(typed, keep));
		else
			buf_text(out, keep);
	}
	buf_char(out, '\n');
}

void complete_print(struct buf *out, enum complete_shell shell,
		    const struct completion *c, const char *typed)
{
	if (c->show_only) {
		buf_text(out, "shown\n");
		print_shown(out, c);
		return;
	}
	if (c->files)
		print_files(out, shell, c->keep, typed);
	else if (c->count == 0 && c->note)
		buf_printf(out, "note %s\n", c->note);
	else
		buf_text(out, "words\n");
	switch (shell) {
	case COMPLETE_BASH:
		print_bash(out, c, typed);
		break;
	case COMPLETE_ZSH:
		print_zsh(out, c);
		break;
	case COMPLETE_FISH:
		print_fish(out, c);
		break;
	}
}
