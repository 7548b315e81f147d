/* SPDX-License-Identifier: MIT */
/* Members by name, with the place kept for messages. Knows no profile. */
#include "sim/profile_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

int reader_fail(const struct reader *r, const char *format, ...)
{
	CLEANUP(buf_done) struct buf text = { .max = 400 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	error_set(r->err, ERR_USAGE, "profile '%s'%s%s: %s", r->file,
		  *r->place ? ", " : "", r->place, buf_string(&text));
	error_hint(r->err, "'mcpctl help profile' tells what may stand there");
	return -1;
}

size_t reader_enter(struct reader *r, const char *member)
{
	size_t mark = strlen(r->place);

	snprintf(r->place + mark, sizeof(r->place) - mark, "%s%s",
		 mark ? "." : "", member);
	return mark;
}

size_t reader_enter_index(struct reader *r, size_t index)
{
	size_t mark = strlen(r->place);

	snprintf(r->place + mark, sizeof(r->place) - mark, "[%zu]", index);
	return mark;
}

void reader_leave(struct reader *r, size_t mark)
{
	r->place[mark] = '\0';
}

static int unknown_member(const struct reader *r, const char *what,
			  const char *name, const char *const *allowed)
{
	CLEANUP(mem_free_ptr) char *near = NULL;
	size_t count = 0;

	while (allowed[count])
		count++;
	near = text_proposal(name, allowed, count);
	return reader_fail(r, "%s has no member '%.60s'%s", what, name, near);
}

int reader_members(const struct reader *r, const cJSON *object,
		   const char *what, const char *const *allowed)
{
	const cJSON *m;
	size_t i;

	if (!cJSON_IsObject(object))
		return reader_fail(r, "expected an object ({...}) for %s",
				   what);
	cJSON_ArrayForEach(m, object) {
		for (i = 0; allowed[i] && strcmp(allowed[i], m->string) != 0;
		     i++)
			;
		if (!allowed[i])
			return unknown_member(r, what, m->string, allowed);
		if (json_member(object, m->string) != m)
			return reader_fail(r, "'%s' is there twice", m->string);
	}
	return 0;
}

/* The member and, if it is there, the verdict on its type. */
static int typed(struct reader *r, const cJSON *object, const char *name,
		 cJSON_bool (*is)(const cJSON *const), const char *expected)
{
	const cJSON *m = json_member(object, name);
	size_t mark;

	if (!m || is(m))
		return 0;
	mark = reader_enter(r, name);
	reader_fail(r, "expected %s, not %s", expected, json_type_name(m));
	reader_leave(r, mark);
	return -1;
}

int reader_text(struct reader *r, const cJSON *object, const char *name,
		const char **out)
{
	const char *text = json_string(object, name);

	if (text)
		*out = text;
	return typed(r, object, name, cJSON_IsString, "a string");
}

int reader_flag(struct reader *r, const cJSON *object, const char *name,
		bool *out)
{
	const cJSON *m = json_member(object, name);

	if (cJSON_IsBool(m))
		*out = cJSON_IsTrue(m);
	return typed(r, object, name, cJSON_IsBool, "true or false");
}

int reader_number(struct reader *r, const cJSON *object, const char *name,
		  int64_t min, int64_t max, int64_t *out)
{
	int64_t value;
	size_t mark;

	if (!json_member(object, name))
		return 0;
	if (!json_integer(object, name, &value) && value >= min &&
	    value <= max) {
		*out = value;
		return 0;
	}
	mark = reader_enter(r, name);
	reader_fail(r, "expected a whole number from %lld to %lld",
		    (long long)min, (long long)max);
	reader_leave(r, mark);
	return -1;
}

int reader_object(struct reader *r, const cJSON *object, const char *name,
		  const cJSON **out)
{
	const cJSON *m = json_object(object, name);

	if (m)
		*out = m;
	return typed(r, object, name, cJSON_IsObject, "an object ({...})");
}

int reader_array(struct reader *r, const cJSON *object, const char *name,
		 const cJSON **out)
{
	const cJSON *m = json_array(object, name);

	if (m)
		*out = m;
	return typed(r, object, name, cJSON_IsArray, "a list ([...])");
}

/* ---- templates ---- */

int reader_template(struct reader *r, const char *text,
		    const struct template_source *known, const char *words)
{
	struct error err = { 0 };
	int bad = 0;

	if (text && template_check(text, known, &err))
		bad = reader_fail(r, "%s; the names are %s", err.text, words);
	error_reset(&err);
	return bad;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a profile is, or a bound */
int reader_filled(struct reader *r, const cJSON *json,
		  const struct template_source *known, const char *words)
{
	const cJSON *one;
	size_t index = 0;
	int bad = 0;

	if (cJSON_IsString(json))
		return reader_template(r, json->valuestring, known, words);
	cJSON_ArrayForEach(one, json) {
		size_t mark = one->string ? reader_enter(r, one->string) :
					    reader_enter_index(r, index++);

		bad = reader_filled(r, one, known, words);
		reader_leave(r, mark);
		if (bad)
			break;
	}
	return bad;
}
