/* SPDX-License-Identifier: MIT */
/* Places in a text are found and filled; what the names mean is the source's. */
#include "sim/template.h"

#include <string.h>

#include "base/text.h"

/* One place, taken apart; parts point into the text. */
struct template_place {
	char name[TEMPLATE_NAME_MAX + 1];
	const char *yes, *no; /* two words, NULL if none */
	size_t yes_len, no_len;
	int64_t width; /* 0: as it is */
};

static int parse_options(struct template_place *p, const char *from,
			 const char *end, struct error *err)
{
	char digits[4] = "";
	size_t len;

	if (from == end)
		return 0;
	len = (size_t)(end - from - 1);
	if (*from == '?') {
		p->yes = from + 1;
		p->no = memchr(p->yes, ':', len);
		if (!p->no)
			return error_set(
				err, ERR_USAGE,
				"'${%s?' needs two words: ${%s?YES:NO}",
				p->name, p->name);
		p->yes_len = (size_t)(p->no - p->yes);
		p->no++;
		p->no_len = (size_t)(end - p->no);
		return 0;
	}
	if (len < sizeof(digits))
		memcpy(digits, from + 1, len);
	if (text_integer(digits, 1, 20, &p->width))
		return error_set(err, ERR_USAGE,
				 "the width in '${%s:' must be 1 to 20",
				 p->name);
	return 0;
}

/* text stands behind "${"; *end is set to the closing brace. */
static int parse_place(struct template_place *p, const char *text,
		       const char **end, struct error *err)
{
	size_t len;

	*p = (struct template_place){ 0 };
	*end = strchr(text, '}');
	if (!*end) {
		error_set(err, ERR_USAGE,
			  "'${' is not closed by '}' in '%.60s'", text - 2);
		return -1;
	}
	len = strcspn(text, "?:}");
	if (len == 0 || len > TEMPLATE_NAME_MAX)
		return error_set(
			err, ERR_USAGE,
			"'${' needs a name of 1 to %d letters, as in ${volume}; a plain ${ is written $${",
			TEMPLATE_NAME_MAX);
	memcpy(p->name, text, len);
	return parse_options(p, text + len, *end, err);
}

/* A number that is less wide gets zeros in front, behind its sign. */
static void pad(struct buf *out, size_t from, int64_t width)
{
	char digits[24];
	size_t len = out->len - from;
	int64_t number;

	if (!len || len >= sizeof(digits))
		return;
	memcpy(digits, out->data + from, len);
	digits[len] = '\0';
	if (text_integer(digits, INT64_MIN / 2, INT64_MAX / 2, &number))
		return;
	out->len = from;
	buf_printf(out, "%0*lld", (int)width, (long long)number);
}

static int fill(const struct template_place *p,
		const struct template_source *source, struct buf *out)
{
	size_t from = out->len;
	const char *given;
	bool yes;

	if (source->get(source->owner, p->name, out))
		return -1;
	if (p->width)
		pad(out, from, p->width);
	if (!p->yes)
		return 0;
	given = buf_string(out) + from;
	yes = *given && strcmp(given, "false") != 0 && strcmp(given, "0") != 0;
	out->len = from;
	return buf_add(out, yes ? p->yes : p->no, yes ? p->yes_len : p->no_len);
}

static int walk(const char *text, const struct template_source *source,
		struct buf *out, struct error *err)
{
	const char *dollar, *end;
	struct template_place p;

	for (; (dollar = strchr(text, '$')) != NULL; text = end) {
		if (out)
			buf_add(out, text, (size_t)(dollar - text));
		if (dollar[1] == '{') {
			if (parse_place(&p, dollar + 2, &end, err))
				return -1;
			if (out ? fill(&p, source, out) :
				  source->get(source->owner, p.name, NULL))
				return error_set(err, ERR_USAGE,
						 "there is no '%s' to fill in",
						 p.name);
			end++;
			continue;
		}
		/* "$${" is "${"; any other dollar is itself */
		end = dollar + 1;
		if (dollar[1] == '$' && dollar[2] == '{')
			end = dollar + 3;
		if (out)
			buf_text(out, end == dollar + 3 ? "${" : "$");
	}
	if (out)
		buf_text(out, text);
	return 0;
}

int template_expand(const char *text, const struct template_source *source,
		    struct buf *out, struct error *err)
{
	return walk(text, source, out, err);
}

int template_check(const char *text, const struct template_source *source,
		   struct error *err)
{
	return walk(text, source, NULL, err);
}
