/* SPDX-License-Identifier: MIT */
/*
 * Words of a command line, one by one. No values are checked here.
 */
#include "cli/words.h"
#include "cli/app.h"
#include "cli/config.h"

#include <stdio.h>
#include <string.h>

/* An option as typed: a name of len bytes, or a letter. */
struct typed {
	const char *name;
	size_t len;
	char letter;
};

static const struct option_row *row_of(const struct option_row *rows,
				       const struct typed *t)
{
	if (t->letter)
		return option_by_letter(rows, t->letter);
	return option_by_name(rows, t->name, t->len);
}

static const struct option_row *row_of_any(const struct typed *t)
{
	for (const struct command *const *c = commands; *c; c++) {
		const struct option_row *row = row_of((*c)->options, t);

		if (row)
			return row;
	}
	return NULL;
}

static const struct option_row *find_row(const struct words_walk *w,
					 const struct typed *t, bool *global)
{
	const struct option_row *row = NULL;

	*global = false;
	if (w->command)
		row = row_of(w->command->options, t);
	if (row)
		return row;
	row = row_of(config_options, t);
	*global = row != NULL;
	if (!row && !w->command)
		row = row_of_any(t);
	return row;
}

const struct command *walk_owner(const char *name, size_t len)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (option_by_name((*c)->options, name, len))
			return *c;
	}
	return NULL;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

static struct typed typed_of(const char *word)
{
	struct typed t = { .letter = word[1] };

	if (word[1] == '-') {
		t.letter = '\0';
		t.name = word + 2;
		t.len = strcspn(t.name, "=");
	}
	return t;
}

/* The next word as a value, unless it is plainly another option. */
static void take_value(struct words_walk *w, struct piece *out)
{
	if (w->at >= w->count)
		return;

	const char *next = w->words[w->at];

	if (is_option(next)) {
		struct typed t = typed_of(next);
		bool global;

		if (strcmp(next, "--") == 0 || find_row(w, &t, &global)) {
			out->next = next;
			return;
		}
	}
	out->value = next;
	w->at++;
}

static void take_letter(struct words_walk *w, struct piece *out)
{
	struct typed t = { .letter = *w->bundle++ };

	snprintf(out->name, sizeof(out->name), "-%c", t.letter);
	out->row = find_row(w, &t, &out->global);
	if (!out->row || *w->bundle == '\0') {
		w->bundle = NULL;
		if (out->row && option_takes_word(out->row))
			take_value(w, out);
		return;
	}
	if (option_takes_word(out->row)) {
		out->value = w->bundle;
		w->bundle = NULL;
	}
}

static void take_name(struct words_walk *w, const char *word, struct piece *out)
{
	struct typed t = typed_of(word);

	int shown = t.len < 45 ? (int)t.len : 45;

	snprintf(out->name, sizeof(out->name), "--%.*s", shown, t.name);
	out->row = find_row(w, &t, &out->global);
	if (t.name[t.len] == '=')
		out->value = t.name + t.len + 1;
	else if (out->row && option_takes_word(out->row))
		take_value(w, out);
}

bool walk_next(struct words_walk *w, struct piece *out)
{
	*out = (struct piece){ .kind = PIECE_OPTION, .index = w->at };
	out->text = out->name;
	if (w->bundle) {
		out->index = w->at - 1;
		take_letter(w, out);
		return true;
	}
	if (w->at >= w->count)
		return false;

	const char *word = w->words[w->at++];

	if (strcmp(word, "--") == 0) {
		out->kind = PIECE_CHILD;
		w->at = w->count;
	} else if (!is_option(word)) {
		out->kind = PIECE_WORD;
		out->text = word;
	} else if (word[1] == '-') {
		take_name(w, word, out);
	} else {
		w->bundle = word + 1;
		take_letter(w, out);
	}
	return true;
}
