/* SPDX-License-Identifier: MIT */
/* TOML as JSON, in one pass over the text. */
#include "base/toml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"

struct toml {
	const char *at, *end;
	size_t line;
	int depth, nodes;
	struct error *err;
};

static int wrong(struct toml *t, const char *what)
{
	return error_set(t->err, ERR_USAGE, "%s (line %zu)", what, t->line);
}

static char peek(const struct toml *t)
{
	return (char)(t->at < t->end ? *t->at : '\0');
}

static bool begins(const struct toml *t, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(t->end - t->at) >= len && memcmp(t->at, word, len) == 0;
}

static void skip_blanks(struct toml *t)
{
	while (peek(t) == ' ' || peek(t) == '\t')
		t->at++;
}

static void skip_comment(struct toml *t)
{
	while (peek(t) == '#' && t->at < t->end) {
		const char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));

		t->at = end ? end : t->end;
	}
}

/* A line's end, and all empty ones behind it. */
static void skip_lines(struct toml *t)
{
	for (;;) {
		skip_blanks(t);
		skip_comment(t);
		if (begins(t, "\r\n"))
			t->at++;
		if (peek(t) != '\n')
			return;
		t->at++;
		t->line++;
	}
}

static int end_line(struct toml *t)
{
	skip_blanks(t);
	skip_comment(t);
	if (t->at == t->end || peek(t) == '\n' || begins(t, "\r\n"))
		return 0;
	return wrong(t, "there is something behind a value");
}

/* ---- strings ---- */

static void add_character(struct buf *out, uint32_t point)
{
	if (point < 0x80) {
		buf_char(out, (char)point);
		return;
	}
	if (point < 0x800) {
		buf_char(out, (char)(0xc0 | point >> 6));
	} else if (point < 0x10000) {
		buf_char(out, (char)(0xe0 | point >> 12));
		buf_char(out, (char)(0x80 | (point >> 6 & 0x3f)));
	} else {
		buf_char(out, (char)(0xf0 | point >> 18));
		buf_char(out, (char)(0x80 | (point >> 12 & 0x3f)));
		buf_char(out, (char)(0x80 | (point >> 6 & 0x3f)));
	}
	buf_char(out, (char)(0x80 | (point & 0x3f)));
}

static int add_point(struct toml *t, struct buf *out, int digits)
{
	char hex[9] = { 0 };
	unsigned long point;

	if (t->end - t->at < digits)
		return wrong(t, "an escape in a text is not complete");
	memcpy(hex, t->at, (size_t)digits);
	point = strtoul(hex, NULL, 16);
	if (strspn(hex, "0123456789abcdefABCDEF") != (size_t)digits ||
	    point == 0 || point > 0x10ffff ||
	    (point >= 0xd800 && point <= 0xdfff))
		return wrong(t, "an escape in a text is no character");
	t->at += digits;
	add_character(out, (uint32_t)point);
	return 0;
}

static int add_escape(struct toml *t, struct buf *out, bool lines)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	char c = peek(t);
	const char *known = c ? strchr(from, c) : NULL;

	if (lines && (c == '\n' || c == ' ' || c == '\t' || c == '\r')) {
		/* The line's end, and what is blank behind it, goes. */
		while (t->at < t->end && strchr(" \t\r\n", *t->at)) {
			t->line += *t->at == '\n';
			t->at++;
		}
		return 0;
	}
	if (t->at == t->end)
		return wrong(t, "a text does not end");
	t->at++;
	if (known)
		return buf_char(out, to[known - from]);
	if (c == 'u' || c == 'U')
		return add_point(t, out, c == 'u' ? 4 : 8);
	return wrong(t, "an escape in a text is not known");
}

/* Behind the opening quotes; up to two of them may stand before the last three. */
static int read_text(struct toml *t, struct buf *out, char quote, bool lines)
{
	const char close[] = { quote, (char)(lines ? quote : '\0'), quote,
			       '\0' };

	if (lines && begins(t, "\r\n"))
		t->at++;
	if (lines && peek(t) == '\n') {
		t->at++;
		t->line++;
	}
	while (t->at < t->end) {
		char c = *t->at;

		if (begins(t, close) &&
		    !(lines && t->end - t->at > 3 && t->at[3] == quote)) {
			t->at += strlen(close);
			return 0;
		}
		if (c == '\0' || (c == '\n' && !lines))
			break;
		t->line += c == '\n';
		t->at++;
		if (c == '\\' && quote == '"') {
			if (add_escape(t, out, lines))
				return -1;
		} else if (buf_char(out, c)) {
			return -1;
		}
	}
	return wrong(t, "a text does not end");
}

static int read_string(struct toml *t, struct buf *out)
{
	char quote = peek(t);
	const char many[] = { quote, quote, quote, '\0' };
	bool lines = begins(t, many);

	t->at += lines ? 3 : 1;
	return read_text(t, out, quote, lines);
}

/* ---- keys ---- */

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static int read_key(struct toml *t, struct buf *out)
{
	skip_blanks(t);
	buf_reset(out);
	if ((peek(t) == '"' || peek(t) == '\'') && !begins(t, "\"\"\"") &&
	    !begins(t, "'''"))
		return read_string(t, out);
	while (t->at < t->end && is_bare(*t->at))
		buf_char(out, *t->at++);
	return out->len ? 0 : wrong(t, "a key is missing");
}

/* The table of that name within another, made if it is not there. */
static cJSON *open_table(struct toml *t, cJSON *in, const char *name)
{
	cJSON *there = json_member(in, name);

	if (cJSON_IsArray(there))
		there = cJSON_GetArrayItem(there,
					   cJSON_GetArraySize(there) - 1);
	if (there && !cJSON_IsObject(there)) {
		wrong(t, "a key stands for a value and for a table");
		return NULL;
	}
	if (there)
		return there;
	if (t->nodes++ >= TOML_NODES_MAX) {
		wrong(t, "it has too many values");
		return NULL;
	}
	return cJSON_AddObjectToObject(in, name);
}

/* "a.b.c": the table of the last part, which is in name. NULL: err. */
static cJSON *read_keys(struct toml *t, cJSON *in, struct buf *name)
{
	for (int depth = 0; depth < TOML_DEPTH_MAX; depth++) {
		if (read_key(t, name))
			return NULL;
		skip_blanks(t);
		if (peek(t) != '.')
			return in;
		t->at++;
		in = open_table(t, in, buf_string(name));
		if (!in)
			return NULL;
	}
	wrong(t, "it is nested too deep");
	return NULL;
}

/* ---- values ---- */

static cJSON *read_value(struct toml *t);

static cJSON *fail(cJSON *value)
{
	cJSON_Delete(value);
	return NULL;
}

/* NOLINTBEGIN(misc-no-recursion): TOML_DEPTH_MAX ends it */
static cJSON *read_list(struct toml *t)
{
	cJSON *list = cJSON_CreateArray();

	t->at++;
	for (;;) {
		cJSON *value;

		skip_lines(t);
		if (peek(t) == ']')
			break;
		value = read_value(t);
		if (!value)
			return fail(list);
		cJSON_AddItemToArray(list, value);
		skip_lines(t);
		if (peek(t) == ',') {
			t->at++;
		} else if (peek(t) != ']') {
			wrong(t, "a list is not closed");
			return fail(list);
		}
	}
	t->at++;
	return list;
}

static int read_pair(struct toml *t, cJSON *in)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	cJSON *value;

	in = read_keys(t, in, &name);
	if (!in)
		return -1;
	if (peek(t) != '=')
		return wrong(t, "a '=' is missing behind a key");
	t->at++;
	skip_blanks(t);
	if (json_member(in, buf_string(&name)))
		return wrong(t, "a key stands there twice");
	value = read_value(t);
	if (!value)
		return -1;
	cJSON_AddItemToObject(in, buf_string(&name), value);
	return 0;
}

static cJSON *read_inline(struct toml *t)
{
	cJSON *table = cJSON_CreateObject();

	t->at++;
	skip_lines(t);
	while (peek(t) != '}') {
		if (read_pair(t, table))
			return fail(table);
		skip_lines(t);
		if (peek(t) == ',') {
			t->at++;
			skip_lines(t);
		} else if (peek(t) != '}') {
			wrong(t, "an inline table is not closed");
			return fail(table);
		}
	}
	t->at++;
	return table;
}

/* "1979-05-27 07:32:00" has the one blank that a value may have without quotes. */
static bool is_date(const struct toml *t, const struct buf *word)
{
	return word->len == 10 && word->data[4] == '-' &&
	       word->data[7] == '-' && t->end - t->at > 1 && t->at[1] >= '0' &&
	       t->at[1] <= '9';
}

/* true, 17, a date: up to what ends it. */
static cJSON *read_word(struct toml *t)
{
	CLEANUP(buf_done) struct buf word = { 0 };
	cJSON *number;

	while (t->at < t->end && *t->at && !strchr("\t,]}#\r\n", *t->at) &&
	       (*t->at != ' ' || is_date(t, &word)))
		buf_char(&word, *t->at++);
	if (!word.len) {
		wrong(t, "a value is missing");
		return NULL;
	}
	if (strcmp(word.data, "true") == 0 || strcmp(word.data, "false") == 0)
		return cJSON_CreateBool(word.data[0] == 't');
	if (!strchr("+-0123456789in", word.data[0])) {
		wrong(t, "a value is none of TOML: texts have quotes");
		return NULL;
	}
	number = json_parse(word.data, word.len, NULL);
	/* 1e999 is none that JSON could print again. */
	if (cJSON_IsNumber(number) && isfinite(number->valuedouble))
		return number;
	cJSON_Delete(number);
	return cJSON_CreateString(word.data);
}

static cJSON *read_quoted(struct toml *t)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	return read_string(t, &text) ? NULL :
				       cJSON_CreateString(buf_string(&text));
}

static cJSON *read_kind(struct toml *t)
{
	switch (peek(t)) {
	case '"':
	case '\'':
		return read_quoted(t);
	case '[':
		return read_list(t);
	case '{':
		return read_inline(t);
	default:
		return read_word(t);
	}
}

static cJSON *read_value(struct toml *t)
{
	cJSON *out;

	if (t->depth == TOML_DEPTH_MAX || t->nodes++ >= TOML_NODES_MAX) {
		wrong(t, t->depth == TOML_DEPTH_MAX ? "it is nested too deep" :
						      "it has too many values");
		return NULL;
	}
	t->depth++;
	out = read_kind(t);
	t->depth--;
	return out;
}
/* NOLINTEND(misc-no-recursion) */

/* ---- the whole ---- */

static cJSON *append_table(struct toml *t, cJSON *in, const char *name)
{
	cJSON *list = json_member(in, name), *table;

	if (!list)
		list = cJSON_AddArrayToObject(in, name);
	if (!cJSON_IsArray(list) || t->nodes++ >= TOML_NODES_MAX) {
		wrong(t, "a list of tables is none");
		return NULL;
	}
	table = cJSON_CreateObject();
	cJSON_AddItemToArray(list, table);
	return table;
}

/* "[a.b]" or "[[a.b]]": the table that the lines behind it belong to. */
static cJSON *read_header(struct toml *t, cJSON *root)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	bool list = begins(t, "[[");
	cJSON *in;

	t->at += list ? 2 : 1;
	in = read_keys(t, root, &name);
	if (!in)
		return NULL;
	if (!begins(t, list ? "]]" : "]")) {
		wrong(t, "a ']' is missing behind a table's name");
		return NULL;
	}
	t->at += list ? 2 : 1;
	return list ? append_table(t, in, buf_string(&name)) :
		      open_table(t, in, buf_string(&name));
}

static int read_lines(struct toml *t, cJSON *root)
{
	cJSON *in = root;

	for (;;) {
		skip_lines(t);
		if (t->at == t->end)
			return 0;
		if (peek(t) == '[') {
			in = read_header(t, root);
			if (!in)
				return -1;
		} else if (read_pair(t, in)) {
			return -1;
		}
		if (end_line(t))
			return -1;
	}
}

cJSON *toml_read(const char *text, size_t len, struct error *err)
{
	struct toml t = {
		.at = text, .end = text + len, .line = 1, .err = err
	};
	cJSON *root;

	if (!text_is_utf8(text, len)) {
		error_set(err, ERR_USAGE, "it is not UTF-8");
		return NULL;
	}
	root = cJSON_CreateObject();
	return read_lines(&t, root) ? fail(root) : root;
}
