/* SPDX-License-Identifier: MIT */
/* A list in which commas part both challenges and their parameters. */
#include "wire/challenge.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

struct challenge_scan {
	const char *at, *end;
	bool bearer; /* the scheme that parameters belong to */
	struct challenge *out;
};

static bool is_token_char(char c)
{
	return c && (isalnum((unsigned char)c) || strchr("!#$%&'*+-.^_`|~", c));
}

static void skip(struct challenge_scan *r, const char *these)
{
	while (r->at < r->end && strchr(these, *r->at))
		r->at++;
}

static size_t token_length(const struct challenge_scan *r)
{
	size_t len = 0;

	while (r->at + len < r->end && is_token_char(r->at[len]))
		len++;
	return len;
}

/* Behind the first quote; a backslash takes the next byte as it is. */
static char *quoted(struct challenge_scan *r)
{
	struct buf out = { 0 };

	buf_init(&out, CHALLENGE_VALUE_MAX);
	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '\\' && r->at + 1 < r->end)
			r->at++;
		buf_char(&out, *r->at++);
	}
	if (r->at < r->end && !out.full) {
		r->at++;
		return buf_take(&out);
	}
	/* Not closed, or too long: it is no value. */
	skip(r, "\"");
	buf_done(&out);
	return NULL;
}

static char *value(struct challenge_scan *r)
{
	size_t len;
	char *out;

	if (r->at < r->end && *r->at == '"') {
		r->at++;
		return quoted(r);
	}
	len = 0;
	/* Some write URLs without quotes. */
	while (r->at + len < r->end && !strchr(", \t\"", r->at[len]))
		len++;
	out = len && len <= CHALLENGE_VALUE_MAX ? mem_strndup(r->at, len) :
						  NULL;
	r->at += len;
	return out;
}

static char **place(struct challenge *c, const char *name, size_t len)
{
	const struct {
		const char *name;
		char **place;
	} all[] = {
		{ "resource_metadata", &c->resource_metadata },
		{ "scope", &c->scope },
		{ "error", &c->error },
		{ "error_description", &c->error_description },
	};
	CLEANUP(mem_free_ptr) char *copy = mem_strndup(name, len);

	for (size_t i = 0; i < COUNT(all); i++) {
		if (text_same(all[i].name, copy))
			return all[i].place;
	}
	return NULL;
}

static void keep(struct challenge_scan *r, const char *name, size_t len,
		 char *text)
{
	char **at = r->bearer ? place(r->out, name, len) : NULL;

	if (at && !*at && text && *text && !text_has_control(text) &&
	    text_is_utf8(text, strlen(text)))
		*at = text;
	else
		mem_free(text);
}

/* "name = value" begins here; its name has so many bytes. */
static bool is_parameter(const struct challenge_scan *r, size_t len)
{
	struct challenge_scan ahead = *r;

	ahead.at += len;
	skip(&ahead, " \t");
	if (!len || ahead.at == ahead.end || *ahead.at != '=')
		return false;
	/* "abc==" is a token68. */
	ahead.at++;
	skip(&ahead, " \t");
	return ahead.at < ahead.end && !strchr("=,", *ahead.at);
}

static void take_parameter(struct challenge_scan *r, size_t len)
{
	const char *name = r->at;

	r->at += len;
	skip(r, " \t");
	r->at++;
	skip(r, " \t");
	keep(r, name, len, value(r));
}

static void take_scheme(struct challenge_scan *r, size_t len)
{
	CLEANUP(mem_free_ptr) char *name = mem_strndup(r->at, len);

	r->bearer = text_same(name, "bearer");
	r->out->bearer |= r->bearer;
	r->at += len;
	skip(r, " \t");
	/* A token68, which says nothing to us. */
	if (!is_parameter(r, token_length(r))) {
		while (r->at < r->end && !strchr(", \t", *r->at))
			r->at++;
	}
}

void challenge_read(struct challenge *out, const char *field)
{
	struct challenge_scan r = { .at = field, .out = out };

	*out = (struct challenge){ 0 };
	r.end = field ? field + strnlen(field, CHALLENGE_MAX) : field;
	while (r.at < r.end) {
		size_t len;

		skip(&r, ", \t");
		len = token_length(&r);
		if (is_parameter(&r, len))
			take_parameter(&r, len);
		else if (len)
			take_scheme(&r, len);
		else if (r.at < r.end)
			r.at++;
	}
}

void challenge_done(struct challenge *c)
{
	mem_free(c->resource_metadata);
	mem_free(c->scope);
	mem_free(c->error);
	mem_free(c->error_description);
	*c = (struct challenge){ 0 };
}
