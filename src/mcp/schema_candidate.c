/* SPDX-License-Identifier: MIT */
/* Numbers and strings to try; booleans are but two. */
#include "mcp/schema_candidate.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/pattern_text.h"
#include "mcp/schema_look.h"

#define LENGTH_MAX 4096

static bool read_number(const cJSON *schema, const char *keyword, double *out)
{
	const cJSON *member = json_member(schema, keyword);

	if (!cJSON_IsNumber(member))
		return false;
	*out = member->valuedouble;
	return true;
}

struct bounds {
	double low, high, step;
	bool has_low, has_high;
};

static struct bounds read_bounds(const cJSON *schema)
{
	struct bounds b = { .step = 1 };
	double limit;

	b.has_low = read_number(schema, "minimum", &b.low);
	b.has_high = read_number(schema, "maximum", &b.high);
	if (read_number(schema, "exclusiveMinimum", &limit) &&
	    (!b.has_low || limit >= b.low)) {
		b.low = limit;
		b.has_low = true;
	}
	if (read_number(schema, "exclusiveMaximum", &limit) &&
	    (!b.has_high || limit <= b.high)) {
		b.high = limit;
		b.has_high = true;
	}
	if (!read_number(schema, "multipleOf", &b.step) || !(b.step > 0))
		b.step = 1;
	return b;
}

#define NUMBERS_MAX 16

/* The middle of a range; its ends, and a step inside, as an end may be excluded. */
static size_t list_numbers(const struct bounds *b, double *out)
{
	double middle = b->low + (b->high - b->low) / 2;
	size_t count = 0;

	if (b->has_low && b->has_high) {
		out[count++] = floor(middle / b->step) * b->step;
		out[count++] = ceil(middle / b->step) * b->step;
		out[count++] = middle;
	}
	for (int i = 0; i < 2 && b->has_low; i++) {
		out[count++] = ceil(b->low / b->step) * b->step + i * b->step;
		out[count++] = b->low + i * b->step;
		out[count++] = b->low + i * b->step / 2;
	}
	for (int i = 0; i < 2 && b->has_high; i++) {
		out[count++] = floor(b->high / b->step) * b->step - i * b->step;
		out[count++] = b->high - i * b->step;
	}
	out[count++] = b->step;
	out[count++] = b->step / 2;
	out[count++] = 0;
	return count;
}

cJSON *candidate_number(const cJSON *schema, const char *name, size_t n)
{
	struct bounds bounds = read_bounds(schema);
	double numbers[NUMBERS_MAX];
	size_t count = list_numbers(&bounds, numbers);

	(void)name;
	if (n >= count)
		return NULL;
	return cJSON_CreateNumber(isfinite(numbers[n]) ? numbers[n] : 0);
}

cJSON *candidate_boolean(const cJSON *schema, const char *name, size_t n)
{
	(void)schema;
	(void)name;
	return n < 2 ? cJSON_CreateBool(n == 0) : NULL;
}

static const struct {
	const char *format, *text;
} formats[] = {
	{ "date-time", "2025-01-31T12:00:00Z" },
	{ "date", "2025-01-31" },
	{ "time", "12:00:00Z" },
	{ "duration", "PT10S" },
	{ "email", "user@example.com" },
	{ "hostname", "example.com" },
	{ "ipv4", "192.0.2.1" },
	{ "ipv6", "2001:db8::1" },
	{ "uri", "http://example.com/" },
	{ "url", "http://example.com/" },
	{ "uuid", "123e4567-e89b-42d3-a456-426614174000" },
};

/* For patterns: what they often ask for. */
static const char *const guesses[] = {
	"text",
	"a",
	"A",
	"0",
	"1",
	"ab",
	"AB",
	"10",
	"abc",
	"ABC",
	"100",
	"a1",
	"A1",
	"a-b",
	"a_b",
	"a.b",
	"a/b",
	"/",
	"/a",
	"#ffffff",
	"en-US",
	"1.0.0",
	"v1.0.0",
	"12:00",
	"+1234567890",
	"aa:bb:cc:dd:ee:ff",
	"AA:BB:CC:DD:EE:FF",
	"abcd1234",
};

/* A text of exactly the characters that are asked for. */
static cJSON *fitted_string(const char *text, size_t least, size_t most)
{
	size_t len = strlen(text);
	size_t want = len < least ? least : len > most ? most : len;
	char *fitted = mem_zalloc(want + 1);
	cJSON *value;

	for (size_t i = 0; i < want; i++)
		fitted[i] = text[i % len];
	value = cJSON_CreateString(fitted);
	mem_free(fitted);
	return value;
}

static const char *format_text(const char *format)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (strcmp(formats[i].format, format) == 0)
			return formats[i].text;
	return NULL;
}

/* What the format, or the name of the property, asks for. */
static const char *meant_text(const cJSON *schema, const char *name)
{
	const char *format = json_string(schema, "format");
	const char *text = format ? format_text(format) : NULL;

	if (!text && name && (text_find(name, "url") || text_find(name, "uri")))
		text = format_text("uri");
	return text ? text : "text";
}

/* How often what has no end is repeated; 0 once more: as long as it must be. */
static const size_t repeats[] = { 1, 0, 2, 3, 4, 8, 16, 32, 0 };

static cJSON *patterned_string(const char *pattern, size_t n, size_t least)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t repeat = repeats[n];

	if (n == COUNT(repeats) - 1)
		repeat = least < PATTERN_TEXT_MAX ? least : PATTERN_TEXT_MAX;
	if (pattern_text(pattern, repeat, &text) != 0)
		return cJSON_CreateString("text");
	return cJSON_CreateString(buf_string(&text));
}

cJSON *candidate_string(const cJSON *schema, const char *name, size_t n)
{
	const char *pattern = json_string(schema, "pattern");
	double least = 0, most = LENGTH_MAX;

	read_number(schema, "minLength", &least);
	read_number(schema, "maxLength", &most);
	if (!(least >= 0))
		least = 0;
	if (!(most <= LENGTH_MAX))
		most = LENGTH_MAX;
	if (least > most || most < 0)
		return NULL;
	if (n == 0)
		return cJSON_CreateString(meant_text(schema, name));
	n--;
	if (pattern && n < COUNT(repeats))
		return patterned_string(pattern, n, (size_t)least);
	n -= pattern ? COUNT(repeats) : 0;
	if (n < COUNT(guesses))
		return fitted_string(guesses[n], (size_t)least, (size_t)most);
	n -= COUNT(guesses);
	if (n < COUNT(formats))
		return cJSON_CreateString(formats[n].text);
	n -= COUNT(formats);
	/* Four letters of each kind, then five, … up to 16. */
	if (n >= 39)
		return NULL;
	return fitted_string(n % 3 == 0 ? "a" :
			     n % 3 == 1 ? "A" :
					  "0",
			     n / 3 + 4, n / 3 + 4);
}

/* 6 for 5, then 7, …; then 4, 3, …: one of them is in the range. */
static cJSON *another_number(const cJSON *schema, double like, size_t n)
{
	double step = 1, times = (double)(n + 1);

	if (!read_number(schema, "multipleOf", &step) || !(step > 0))
		step = 1;
	if (n >= ANOTHER_UP)
		times = -(double)(n - ANOTHER_UP + 1);
	return cJSON_CreateNumber(like + times * step);
}

/* Another first member, or element, that can be another. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the value */
static cJSON *another_inside(const cJSON *like, size_t n)
{
	cJSON *copy = cJSON_Duplicate(like, true);
	cJSON *inner;

	cJSON_ArrayForEach(inner, copy) {
		cJSON *other = candidate_another(NULL, inner, n);

		if (!other)
			continue;
		if (cJSON_IsArray(like))
			cJSON_ReplaceItemViaPointer(copy, inner, other);
		else
			cJSON_ReplaceItemInObjectCaseSensitive(
				copy, inner->string, other);
		return copy;
	}
	cJSON_Delete(copy);
	return NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the value */
cJSON *candidate_another(const cJSON *schema, const cJSON *like, size_t n)
{
	char *text;
	cJSON *value;

	if (cJSON_IsNumber(like))
		return another_number(schema, like->valuedouble, n);
	if (cJSON_IsBool(like))
		return cJSON_CreateBool(!cJSON_IsTrue(like));
	if (cJSON_IsObject(like) || cJSON_IsArray(like))
		return another_inside(like, n);
	if (!cJSON_IsString(like))
		return NULL;
	text = mem_printf("%s-%zu", like->valuestring, n + 2);
	value = cJSON_CreateString(text);
	mem_free(text);
	return value;
}
