/* SPDX-License-Identifier: MIT */
/*
 * Finding where a line, its pipe and its JSON begin and end. Words are split
 * by base/split, to which JSON is handed in quotes.
 */
#include "shell/shell_line.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"

#define DEPTH_MAX 200

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* From a quote to behind the closing one; NULL: it is open. */
static const char *skip_quoted(const char *p)
{
	char quote = *p++;

	for (; *p && *p != quote; p++) {
		if (quote == '"' && *p == '\\' && p[1])
			p++;
	}
	return *p ? p + 1 : NULL;
}

enum json_end { JSON_ENDS, JSON_OPEN, JSON_NONE };

/* Brackets that are to be closed, the innermost last. */
struct nest {
	char close[DEPTH_MAX];
	size_t depth;
};

/* A character outside of strings; false: JSON has none such here. */
static bool nest_take(struct nest *n, char c)
{
	if (c == '{' || c == '[') {
		if (n->depth == DEPTH_MAX)
			return false;
		n->close[n->depth++] = c == '{' ? '}' : ']';
		return true;
	}
	if (c == '}' || c == ']')
		return n->close[--n->depth] == c;
	return isalnum((unsigned char)c) || strchr(" \t\r\n:,.+-", c);
}

/* Behind the value that begins at *at with a bracket. */
static enum json_end skip_json(const char **at)
{
	struct nest n = { .close = { **at == '{' ? '}' : ']' }, .depth = 1 };
	const char *p = *at + 1;

	while (n.depth > 0) {
		if (!*p)
			return JSON_OPEN;
		if (*p == '"') {
			p = skip_quoted(p);
			if (!p)
				return JSON_OPEN;
		} else if (!nest_take(&n, *p++)) {
			return JSON_NONE;
		}
	}
	*at = p;
	return JSON_ENDS;
}

/* The way through a line, character by character. */
struct line_scan {
	const char *p;
	bool in_word;
	bool value; /* an unquoted '=' stands right before */
	bool open; /* the text ended inside something */
	struct buf *out; /* what words_split gets; NULL: nobody wants it */
};

static void take(struct line_scan *s, const char *end)
{
	if (s->out)
		buf_add(s->out, s->p, (size_t)(end - s->p));
	s->p = end;
	s->in_word = true;
	s->value = false;
}

static bool take_json(struct line_scan *s)
{
	const char *end = s->p;
	CLEANUP(mem_free_ptr) char *json = NULL;

	if ((*s->p != '{' && *s->p != '[') || (s->in_word && !s->value))
		return false;
	switch (skip_json(&end)) {
	case JSON_NONE:
		return false;
	case JSON_OPEN:
		s->open = true;
		return false;
	case JSON_ENDS:
		break;
	}
	json = mem_strndup(s->p, (size_t)(end - s->p));
	if (s->out)
		words_quote(s->out, json);
	s->p = end;
	s->in_word = true;
	s->value = false;
	return true;
}

/* A quote, a backslash with its character, or one character. */
static void take_one(struct line_scan *s)
{
	const char *end = s->p + 1;
	bool value = *s->p == '=';

	if (*s->p == '"' || *s->p == '\'') {
		end = skip_quoted(s->p);
		if (!end) {
			s->open = true;
			end = s->p + strlen(s->p);
		}
	} else if (*s->p == '\\') {
		s->open = s->open || !s->p[1];
		end += s->p[1] != '\0';
	}
	take(s, end);
	s->value = value;
}

/* Up to an unquoted newline, or '|' if pipe. */
static void walk(struct line_scan *s, bool pipe)
{
	while (*s->p && *s->p != '\n' && !(pipe && *s->p == '|')) {
		if (is_blank(*s->p)) {
			take(s, s->p + 1);
			s->in_word = false;
		} else if (*s->p == '#' && !s->in_word && pipe) {
			s->p += strcspn(s->p, "\n");
		} else if (!pipe || !take_json(s)) {
			take_one(s);
		}
	}
}

static const char *skip_empty(const char *p)
{
	for (;;) {
		p += strspn(p, " \t\r\n");
		if (*p != '#')
			return p;
		p += strcspn(p, "\n");
	}
}

/* The rest of the line without the blanks around it; yours. */
static char *take_outside(struct line_scan *s)
{
	const char *from = s->p + strspn(s->p, " \t");
	size_t len;

	s->p = from;
	s->out = NULL;
	walk(s, false);
	len = (size_t)(s->p - from);
	while (len > 0 && is_blank(from[len - 1]))
		len--;
	return mem_strndup(from, len);
}

static int read_pipe(struct shell_line *out, struct line_scan *s,
		     struct error *err)
{
	if (*++s->p == '|')
		return error_set(
			err, ERR_USAGE,
			"'||' is not known here: a line is one command");
	out->outside = take_outside(s);
	if (!*out->outside) {
		error_set(err, ERR_USAGE, "nothing stands behind '|'");
		return error_hint(err, "a command for sh: | jq .");
	}
	if (out->words.count > 0)
		return 0;
	return error_set(err, ERR_USAGE, "nothing stands before '|'");
}

int shell_line_read(struct shell_line *out, const char **text,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf plain = { 0 };
	struct line_scan s = { .p = skip_empty(*text), .out = &plain };
	int status;

	*out = (struct shell_line){ 0 };
	if (*s.p == '!') {
		s.p++;
		out->outside = take_outside(&s);
		*text = s.p;
		if (*out->outside)
			return 0;
		error_set(err, ERR_USAGE, "nothing stands behind '!'");
		return error_hint(err, "a command for sh: ! ls");
	}
	walk(&s, true);
	status = words_split(&out->words, buf_string(&plain), err);
	if (status == 0 && *s.p == '|')
		status = read_pipe(out, &s, err);
	*text = s.p;
	return status;
}

void shell_line_done(struct shell_line *l)
{
	words_done(&l->words);
	mem_free(l->outside);
	*l = (struct shell_line){ 0 };
}

bool shell_line_is_open(const char *text)
{
	struct line_scan s = { .p = text };

	while (*(s.p = skip_empty(s.p))) {
		bool outside = *s.p == '!';

		s.in_word = s.value = false;
		s.p += outside;
		walk(&s, !outside);
		if (*s.p == '|') {
			s.p++;
			walk(&s, false);
		}
	}
	return s.open;
}

/* ---- secrets ---- */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool name_has(const char *name, size_t len, const char *word)
{
	size_t size = strlen(word);

	for (size_t i = 0; i + size <= len; i++) {
		if (strncasecmp(name + i, word, size) == 0)
			return true;
	}
	return false;
}

/* With "key": "key", "wifi_key", "apiKey", but not "monkey". */
static bool ends_in_word(const char *name, size_t len, const char *word)
{
	size_t size = strlen(word), before = len - size;

	if (len < size || strncasecmp(name + before, word, size) != 0)
		return false;
	return before == 0 || !isalpha((unsigned char)name[before - 1]) ||
	       isupper((unsigned char)name[before]);
}

static bool is_secret_name(const char *name, size_t len)
{
	static const char *const words[] = {
		"token",   "passw",    "passphrase", "passcode",
		"pincode", "pin_code", "secret",     "authorization",
		"psk",	   "pwd",      "credential", "private_key",
		"apikey",  "cookie",   "signature"
	};
	/* Short ones: other words hold these, as "author" and "spin" do. */
	static const char *const ends[] = { "key", "auth", "otp" };

	for (size_t i = 0; i < COUNT(words); i++) {
		if (name_has(name, len, words[i]))
			return true;
	}
	for (size_t i = 0; i < COUNT(ends); i++) {
		if (ends_in_word(name, len, ends[i]))
			return true;
	}
	return false;
}

/* Behind a name: = or :, or, for an option, a word. */
static bool has_value(const char *name, const char *behind)
{
	const char *p = behind + strspn(behind, "\"'\\ \t\r\n");

	if (*p == '=' || *p == ':')
		return true;
	return name[0] == '-' && is_blank(*behind) && *p && *p != '-';
}

/* "//USER:PASSWORD@HOST": as often as not the user alone is one. */
static bool has_user(const char *text)
{
	for (const char *p = text; (p = strstr(p, "://")) != NULL;) {
		p += 3;
		if (p[strcspn(p, "@/?# \t\r\n\"'")] == '@')
			return true;
	}
	return false;
}

bool shell_line_has_secret(const char *text)
{
	if (strcasestr(text, "bearer ") || has_user(text))
		return true;
	for (const char *p = text; *p; p++) {
		const char *name = p;

		if (!is_name(*p))
			continue;
		while (is_name(p[1]))
			p++;
		if (is_secret_name(name, (size_t)(p + 1 - name)) &&
		    has_value(name, p + 1))
			return true;
	}
	return false;
}
