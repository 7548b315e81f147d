/* SPDX-License-Identifier: MIT */
/*
 * TAB: candidates of the shell, and files, put into readline's completion so
 * that all of its commands work (complete, menu-complete, …). readline's
 * words end at every blank; what stands for a candidate goes on from there in
 * the quoting that the user began.
 */
#include "shell/edit_complete.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "cli/complete_words.h"
#include "shell/edit_private.h"
#include "shell/edit_screen.h"

struct quoted_word {
	size_t start; /* where it begins in the line */
	char quote; /* the open one, ' or ", or 0 */
	bool plain; /* nothing in it is quoted */
	bool dangling; /* a backslash stands at the end */
	struct buf text; /* what it means */
};

/*
 * The quoting of the word at the cursor.
 */

static void begin_word(struct quoted_word *w, size_t at)
{
	buf_reset(&w->text);
	w->start = at;
	w->plain = true;
}

/* A character inside quotes; returns how many bytes it takes. */
static size_t inside(struct quoted_word *w, const char *p)
{
	if (*p == w->quote) {
		w->quote = '\0';
		return 1;
	}
	if (w->quote == '"' && *p == '\\' && p[1] && strchr("\"\\$`\n", p[1])) {
		if (p[1] != '\n')
			buf_char(&w->text, p[1]);
		return 2;
	}
	w->dangling = w->quote == '"' && *p == '\\' && !p[1];
	buf_char(&w->text, *p);
	return 1;
}

/* A character outside of quotes, no blank. */
static size_t outside(struct quoted_word *w, const char *p)
{
	if (*p == '\'' || *p == '"') {
		w->quote = *p;
		w->plain = false;
		return 1;
	}
	if (*p == '\\') {
		w->plain = false;
		w->dangling = !p[1];
		if (p[1] && p[1] != '\n')
			buf_char(&w->text, p[1]);
		return p[1] ? 2 : 1;
	}
	buf_char(&w->text, *p);
	return 1;
}

/* The last word of line, "" behind a blank. Overwrites, does not release. */
static void quoted_word_find(struct quoted_word *out, const char *line)
{
	const char *p = line;

	*out = (struct quoted_word){ .plain = true };
	while (*p) {
		if (out->quote) {
			p += inside(out, p);
		} else if (text_is_space(*p)) {
			p++;
			begin_word(out, (size_t)(p - line));
		} else {
			p += outside(out, p);
		}
	}
}

static void quoted_word_done(struct quoted_word *w)
{
	buf_done(&w->text);
	*w = (struct quoted_word){ 0 };
}

static void more_in_quotes(struct buf *out, char quote, const char *text)
{
	for (; *text; text++) {
		if (quote == '\'' && *text == '\'') {
			buf_text(out, "'\\''");
			continue;
		}
		if (quote == '"' && strchr("\"\\$`", *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}

/*
 * Append text so that behind w it means text. closed: and the word's quote ends
 * there; else more may follow, and text begins none.
 */
static void quoted_word_more(struct buf *out, const struct quoted_word *w,
			     const char *text, bool closed)
{
	if (w->quote) {
		more_in_quotes(out, w->quote, text);
		if (closed)
			buf_char(out, w->quote);
		return;
	}
	if (!closed)
		words_escape(out, text);
	else if (*text)
		words_quote(out, text);
}

struct offering {
	struct quoted_word word;
	const char *text; /* readline's word; the end of ours */
	bool whole; /* both are the same, and may be replaced */
	bool closes; /* the quote's end stands behind the cursor already */
};

/* ---- files ---- */

static void offer_add(struct completion *c, const char *word, bool open)
{
	c->item = mem_grow(c->item, &c->capacity, c->count, sizeof(*c->item));
	c->item[c->count++] = (struct candidate){ .word = mem_strdup(word),
						  .brief = mem_strdup(""),
						  .open = open };
}

static int by_word(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return strcmp(x->word, y->word);
}

static bool is_shown(const char *name)
{
	for (; *name; name++) {
		if ((unsigned char)*name < ' ' || *name == '\177')
			return false;
	}
	return true;
}

static void add_file(struct completion *c, const char *keep, const char *path)
{
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	CLEANUP(mem_free_ptr)
	char *word = mem_printf("%s%s%s", keep, path, folder ? "/" : "");

	if (is_shown(word))
		offer_add(c, word, folder);
}

/*
 * Nothing of ours expands '~': so it is written out, where that may be. False:
 * it may not.
 */
static bool expand_home(struct offering *w, size_t keep)
{
	const char *path = buf_string(&w->word.text) + keep;
	char *full;

	if (*path != '~')
		return true;
	if (!w->whole || !strchr(path, '/'))
		return false;
	full = tilde_expand(path);
	w->word.text.len = keep;
	buf_text(&w->word.text, full);
	free(full);
	return true;
}

static void add_files(struct completion *c, struct offering *w)
{
	const char *keep = c->keep ? c->keep : "", *path;
	size_t first = c->count;

	if (!text_starts(buf_string(&w->word.text), keep) ||
	    !expand_home(w, strlen(keep)))
		return;
	path = buf_string(&w->word.text) + strlen(keep);
	for (int i = 0; c->count < CANDIDATES_MAX; i++) {
		char *name = rl_filename_completion_function(path, i);

		if (!name)
			break;
		add_file(c, keep, name);
		free(name);
	}
	if (c->count > first)
		qsort(c->item + first, c->count - first, sizeof(*c->item),
		      by_word);
	/* readline would take our words for files, quotes and all. */
	rl_filename_completion_desired = 0;
}

/* ---- what readline gets ---- */

/* What stands for word in the line, from readline's word on; malloc's. */
static char *spelled(const struct offering *w, const char *word, bool closed)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct quoted_word nothing = { 0 };

	if (w->whole) {
		quoted_word_more(&out, &nothing, word, closed);
	} else {
		buf_text(&out, w->text);
		quoted_word_more(&out, &w->word, word + w->word.text.len,
				 closed && !w->closes);
	}
	return strdup(buf_string(&out));
}

/* Drops what does not begin with the word: it could not be typed on. */
static void keep_fitting(struct completion *c, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (text_starts(c->item[i].word, word)) {
			c->item[kept++] = c->item[i];
			continue;
		}
		mem_free(c->item[i].word);
		mem_free(c->item[i].brief);
	}
	c->count = kept;
}

/* Yours: what all begin with, whole characters, but at least what was typed. */
static char *common(const struct completion *c, size_t typed)
{
	const char *first = c->item[0].word;
	size_t i, len = strlen(first);

	for (i = 1; i < c->count; i++) {
		size_t same = 0;

		while (same < len && first[same] == c->item[i].word[same])
			same++;
		len = same;
	}
	while (len > typed && ((unsigned char)first[len] & 0xc0) == 0x80)
		len--;
	return mem_strndup(first, len);
}

static char **matches(const struct completion *c, const struct offering *w)
{
	char **out = calloc(c->count + 2, sizeof(*out));
	CLEANUP(mem_free_ptr) char *all = common(c, w->word.text.len);

	if (!out)
		abort();
	if (c->count == 1) {
		rl_completion_suppress_append = c->item[0].open;
		out[0] = spelled(w, all, !c->item[0].open || w->whole);
		return out;
	}
	/* The same as typed is no reason to put quotes around it. */
	if (strcmp(all, buf_string(&w->word.text)) == 0)
		out[0] = strdup(w->text);
	else
		out[0] = spelled(w, all, false);
	for (size_t i = 0; i < c->count; i++)
		out[i + 1] = spelled(w, c->item[i].word, true);
	return out;
}

/* No bell: what is shown instead of candidates is an answer. */
static void show_note(struct editor *e)
{
	struct words lines = { 0 };
	int rows, columns;

	rl_get_screen_size(&rows, &columns);
	edit_list_layout(&lines, &e->offer, (size_t)columns);
	if (e->offer.note && !e->offer.count) {
		CLEANUP(buf_done) struct buf safe = { 0 };

		text_safe(&safe, e->offer.note, strlen(e->offer.note),
			  TEXT_LINE);
		words_add(&lines, buf_string(&safe));
	}
	if (!lines.count)
		return;
	e->bell = mem_strdup(rl_variable_value("bell-style"));
	rl_variable_bind("bell-style", "none");
	edit_list_show(e, &lines, 0);
}

/* The line up to the cursor, with the lines before it. Yours. */
static char *up_to_cursor(const struct editor *e)
{
	return mem_printf("%s%.*s", buf_string(&e->before), rl_point,
			  rl_line_buffer);
}

static char **offer(struct editor *e, struct offering *w)
{
	struct completion *c = &e->offer;

	if (c->files)
		add_files(c, w);
	if (!c->show_only)
		keep_fitting(c, buf_string(&w->word.text));
	if (c->show_only || !c->count) {
		show_note(e);
		return NULL;
	}
	return matches(c, w);
}

/* rl_attempted_completion_function */
static char **attempt(const char *text, int start, int end)
{
	struct editor *e = edit_current;
	CLEANUP(mem_free_ptr) char *line = up_to_cursor(e);
	struct offering w = { .text = text };
	char **out = NULL;

	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	completion_done(&e->offer);
	e->offer = (struct completion){ 0 };
	quoted_word_find(&w.word, line);
	w.whole = w.word.plain && strcmp(line + w.word.start, text) == 0;
	w.closes = w.word.quote && rl_line_buffer[rl_point] == w.word.quote;
	if (!w.word.dangling) {
		e->events->complete(e->owner, line, &e->offer);
		out = offer(e, &w);
	}
	quoted_word_done(&w.word);
	return out;
}

/* rl_completion_display_matches_hook */
static void display(char **list, int count, int longest)
{
	struct editor *e = edit_current;
	struct words lines = { 0 };
	int rows, columns;

	(void)list;
	(void)count;
	(void)longest;
	rl_get_screen_size(&rows, &columns);
	edit_list_layout(&lines, &e->offer, (size_t)columns);
	edit_list_show(e, &lines, e->offer.count);
}

void edit_complete_open(struct editor *e)
{
	(void)e;
	rl_attempted_completion_function = attempt;
	rl_completion_display_matches_hook = display;
	rl_completer_word_break_characters = " \t\r\n";
	rl_completer_quote_characters = NULL;
	/* The shell sorted them; ours run parallel to readline's. */
	rl_sort_completion_matches = 0;
	rl_ignore_completion_duplicates = 0;
}

void edit_complete_after_key(struct editor *e)
{
	if (e->bell)
		rl_variable_bind("bell-style", e->bell);
	mem_free(TAKE(e->bell));
}

void edit_complete_close(struct editor *e)
{
	completion_done(&e->offer);
	e->offer = (struct completion){ 0 };
	edit_list_end(e);
	rl_attempted_completion_function = NULL;
	rl_completion_display_matches_hook = NULL;
}
