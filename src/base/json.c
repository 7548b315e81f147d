/* SPDX-License-Identifier: MIT */
/*
 * JSON as trees and as slices of text: parsed behind the scan, read, compared,
 * printed.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"

/*
 * Trees: parsed behind the scan, read, compared. Printing is below.
 */

/* The integers up to here have a double of their own. */
#define INTEGER_MAX 9007199254740991.0

cJSON *json_tree(struct span text, bool odd, struct error *err)
{
	CLEANUP(mem_free_ptr) char *mended = NULL;
	cJSON *tree;

	if (odd) {
		mended = mem_copy(text.text, text.len);
		json_mend(mended, text.len);
	}
	tree = cJSON_ParseWithLength(mended ? mended : text.text, text.len);
	if (!tree)
		error_set(err, ERR_PROTOCOL, "JSON that cannot be read");
	return tree;
}

cJSON *json_parse(const char *text, size_t len, struct error *err)
{
	bool odd;

	if (json_scan(text, len, NULL, &odd, err))
		return NULL;
	return json_tree((struct span){ text, len }, odd, err);
}

cJSON *json_parse_with(const char *text, size_t len, size_t max,
		       const char *const *words)
{
	if (len > max)
		return NULL;
	for (; *words; words++) {
		if (memmem(text, len, *words, strlen(*words)))
			return json_parse(text, len, NULL);
	}
	return NULL;
}

cJSON *json_member(const cJSON *object, const char *name)
{
	if (!cJSON_IsObject(object))
		return NULL;
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *json_string(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(json_member(object, name));
}

cJSON *json_object(const cJSON *object, const char *name)
{
	cJSON *member = json_member(object, name);

	return cJSON_IsObject(member) ? member : NULL;
}

cJSON *json_array(const cJSON *object, const char *name)
{
	cJSON *member = json_member(object, name);

	return cJSON_IsArray(member) ? member : NULL;
}

/* Without floor(), which would need libm. */
static bool is_whole(double value)
{
	if (!isfinite(value))
		return false;
	return fabs(value) > INTEGER_MAX || (double)(int64_t)value == value;
}

static int whole_number(double value, int64_t *out)
{
	if (!(fabs(value) <= INTEGER_MAX) || !is_whole(value))
		return -1;
	*out = (int64_t)value;
	return 0;
}

int json_integer(const cJSON *object, const char *name, int64_t *out)
{
	const cJSON *member = json_member(object, name);

	if (!cJSON_IsNumber(member))
		return -1;
	return whole_number(member->valuedouble, out);
}

#define DIGITS_MAX 15 /* of which any number has a double of its own */

/* Digits and nothing else, as almost every id is. */
static bool few_digits(struct span number, int64_t *out)
{
	int64_t value = 0;

	if (!number.len || number.len > DIGITS_MAX)
		return false;
	for (size_t i = 0; i < number.len; i++) {
		if (number.text[i] < '0' || number.text[i] > '9')
			return false;
		value = value * 10 + (number.text[i] - '0');
	}
	*out = value;
	return true;
}

int json_span_integer(struct span number, int64_t *out)
{
	char text[64];

	if (few_digits(number, out))
		return 0;
	if (!number.len || number.len >= sizeof(text) ||
	    !strchr("-0123456789", number.text[0]))
		return -1;
	memcpy(text, number.text, number.len);
	text[number.len] = '\0';
	return whole_number(strtod(text, NULL), out);
}

bool json_given(const cJSON *object, const char *name)
{
	const cJSON *member = json_member(object, name);

	return member && !cJSON_IsNull(member) && !cJSON_IsFalse(member);
}

bool json_true(const cJSON *object, const char *name)
{
	return cJSON_IsTrue(json_member(object, name));
}

struct member {
	const cJSON *value;
	size_t position;
};

/* By name; those of the same name stay in their order. */
static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->value->string ? x->value->string : "",
			   y->value->string ? y->value->string : "");

	if (order)
		return order;
	return (x->position > y->position) - (x->position < y->position);
}

static struct member *sorted_members(const cJSON *object, size_t count)
{
	struct member *members = mem_zalloc(count * sizeof(*members));
	const cJSON *child;
	size_t i = 0;

	cJSON_ArrayForEach(child, object) {
		members[i].value = child;
		members[i].position = i;
		i++;
	}
	qsort(members, count, sizeof(*members), compare_members);
	return members;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static bool equal_objects(const cJSON *a, const cJSON *b)
{
	size_t count = (size_t)cJSON_GetArraySize(a), i;
	CLEANUP(mem_free_ptr) struct member *left = NULL;
	CLEANUP(mem_free_ptr) struct member *right = NULL;

	if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
		return false;
	left = sorted_members(a, count);
	right = sorted_members(b, count);
	for (i = 0; i < count; i++) {
		const cJSON *x = left[i].value, *y = right[i].value;

		if (!text_equal(x->string, y->string) || !json_equal(x, y))
			return false;
	}
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static bool equal_arrays(const cJSON *a, const cJSON *b)
{
	const cJSON *x = a->child, *y = b->child;

	while (x && y && json_equal(x, y)) {
		x = x->next;
		y = y->next;
	}
	return !x && !y;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
bool json_equal(const cJSON *a, const cJSON *b)
{
	if (!a || !b || (a->type & 0xff) != (b->type & 0xff))
		return a == b;
	if (cJSON_IsNumber(a))
		return a->valuedouble >= b->valuedouble &&
		       a->valuedouble <= b->valuedouble;
	if (cJSON_IsString(a) || cJSON_IsRaw(a))
		return text_equal(a->valuestring, b->valuestring);
	if (cJSON_IsArray(a))
		return equal_arrays(a, b);
	if (cJSON_IsObject(a))
		return equal_objects(a, b);
	return true;
}

bool json_array_has(const cJSON *array, const cJSON *value)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, array) {
		if (json_equal(element, value))
			return true;
	}
	return false;
}

/* As deep as what was parsed. NOLINTNEXTLINE(misc-no-recursion) */
size_t json_count_values(const cJSON *tree)
{
	size_t count = tree ? 1 : 0;

	for (const cJSON *e = tree ? tree->child : NULL; e; e = e->next)
		count += e->child ? json_count_values(e) : 1;
	return count;
}

const char *json_type_name(const cJSON *value)
{
	if (!value)
		return "nothing";
	if (cJSON_IsObject(value))
		return "object";
	if (cJSON_IsArray(value))
		return "array";
	if (cJSON_IsString(value))
		return "string";
	if (cJSON_IsBool(value))
		return "boolean";
	if (cJSON_IsNull(value))
		return "null";
	if (!cJSON_IsNumber(value))
		return "unknown";
	/* JSON Schema: 1.0 is an integer too. */
	return is_whole(value->valuedouble) ? "integer" : "number";
}

void json_free_ptr(cJSON **tree)
{
	cJSON_Delete(*tree);
	*tree = NULL;
}

/*
 * A tree as text. cJSON's own printer writes 9e+15 for an integer below 2^53
 * and passes bad UTF-8 through, so this one stands in for it.
 */

#define INTEGER_LIMIT 9007199254740992.0 /* 2^53 */

struct printer {
	struct buf *out;
	bool pretty;
	size_t depth;
};

/*
 * 15 digits are right for most numbers, 17 for all. A subnormal has fewer of
 * its own, so that its shortest form must be looked for from the start. (With
 * -Os glibc's fpclassify() converts to float, which compilers warn of.)
 * (Nothing in this program sets LC_NUMERIC.)
 */
static void print_number(struct buf *out, double value)
{
	int precision = fabs(value) < DBL_MIN ? 1 : 15;
	char text[40];

	if (!isfinite(value)) {
		buf_text(out, "null");
		return;
	}
	if (fabs(value) < INTEGER_LIMIT && (double)(long long)value == value) {
		snprintf(text, sizeof(text), "%lld", (long long)value);
		buf_text(out, text);
		return;
	}
	for (; precision <= 17; precision++) {
		double back;

		snprintf(text, sizeof(text), "%.*g", precision, value);
		back = strtod(text, NULL);
		if (back >= value && back <= value)
			break;
	}
	buf_text(out, text);
}

static void print_string(struct buf *out, const char *text)
{
	buf_json_string(out, text ? text : "", text ? strlen(text) : 0);
}

static void new_line(struct printer *p)
{
	if (!p->pretty)
		return;
	buf_char(p->out, '\n');
	for (size_t i = 0; i < p->depth; i++)
		buf_text(p->out, "  ");
}

static void print_value(struct printer *p, const cJSON *value);

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static void print_children(struct printer *p, const cJSON *value,
			   const char brackets[2])
{
	const cJSON *child;

	buf_char(p->out, brackets[0]);
	p->depth++;
	/* What does not fit any more is not gone through. */
	for (child = value->child; child && !p->out->full;
	     child = child->next) {
		new_line(p);
		if (cJSON_IsObject(value)) {
			print_string(p->out, child->string);
			buf_text(p->out, p->pretty ? ": " : ":");
		}
		print_value(p, child);
		if (child->next)
			buf_char(p->out, ',');
	}
	p->depth--;
	if (value->child)
		new_line(p);
	buf_char(p->out, brackets[1]);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static void print_value(struct printer *p, const cJSON *value)
{
	if (cJSON_IsObject(value))
		print_children(p, value, "{}");
	else if (cJSON_IsArray(value))
		print_children(p, value, "[]");
	else if (cJSON_IsString(value))
		print_string(p->out, value->valuestring);
	else if (cJSON_IsNumber(value))
		print_number(p->out, value->valuedouble);
	else if (cJSON_IsBool(value))
		buf_text(p->out, cJSON_IsTrue(value) ? "true" : "false");
	else if (cJSON_IsRaw(value) && value->valuestring)
		buf_text(p->out, value->valuestring);
	else
		buf_text(p->out, "null");
}

void json_print(struct buf *out, const cJSON *value)
{
	struct printer p = { .out = out };

	print_value(&p, value);
}

void json_print_pretty(struct buf *out, const cJSON *value)
{
	struct printer p = { .out = out, .pretty = true };

	print_value(&p, value);
}

void json_print_cut(struct buf *out, const cJSON *value, size_t max)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	json_print(&text, value);
	buf_add_cut(out, buf_string(&text), text.len, max);
}

void json_add_object(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "{\"%s\":", name);
	buf_json_string(out, text, strlen(text));
	buf_char(out, '}');
}

void json_add_text_or_null(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, ",\"%s\":", name);
	if (text)
		buf_json_string(out, text, strlen(text));
	else
		buf_text(out, "null");
}

void json_add_text(struct buf *out, const char *name, const char *text)
{
	if (text)
		json_add_text_or_null(out, name, text);
}

/*
 * Slices of JSON text, without a tree. The text was checked before; where it
 * was not, the answers are wrong, but nothing outside of it is read.
 */

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && text_is_space(*p))
		p++;
	return p;
}

/* Behind the string that opens at p; NULL if it does not end. */
static const char *skip_string(const char *p, const char *end)
{
	const char *start = ++p, *q;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		/* An odd number of backslashes in front: the quote is escaped. */
		for (q = p; q > start && q[-1] == '\\';)
			q--;
		start = ++p;
		if ((p - 1 - q) % 2 == 0)
			return p;
	}
	return NULL;
}

/* Behind the array or object that opens at p. */
static const char *skip_brackets(const char *p, const char *end)
{
	size_t depth = 0;

	while (p && p < end) {
		char c = *p;

		if (c == '"') {
			p = skip_string(p, end);
			continue;
		}
		p++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return p;
	}
	return NULL;
}

/* Behind the value at p; NULL if there is none. */
static const char *skip_value(const char *p, const char *end)
{
	const char *start = p;

	if (p == end)
		return NULL;
	if (*p == '"')
		return skip_string(p, end);
	if (*p == '{' || *p == '[')
		return skip_brackets(p, end);
	while (p < end && !text_is_space(*p) && *p != ',' && *p != ']' &&
	       *p != '}')
		p++;
	return p > start ? p : NULL;
}

bool json_span_literal(struct span value, const char *word)
{
	return value.text && value.len == strlen(word) &&
	       memcmp(value.text, word, value.len) == 0;
}

static bool is_escaped(struct span string, const char *text)
{
	CLEANUP(json_free_ptr)
	cJSON *decoded = json_parse(string.text, string.len, NULL);

	return cJSON_IsString(decoded) &&
	       strcmp(decoded->valuestring, text) == 0;
}

bool json_span_is(struct span string, const char *text)
{
	size_t len = string.len - 2;

	if (string.len < 2 || string.text[0] != '"' ||
	    (string.text[1] != *text && string.text[1] != '\\' && *text))
		return false;
	if (strlen(text) == len && memcmp(string.text + 1, text, len) == 0)
		return true;
	return memchr(string.text, '\\', string.len) &&
	       is_escaped(string, text);
}

/* "name": value from *p on, which moves behind it. */
static bool member_at(const char **p, const char *end, struct span *name,
		      struct span *value)
{
	const char *at = *p;

	if (at == end || *at != '"')
		return false;
	name->text = at;
	at = skip_string(at, end);
	if (!at)
		return false;
	name->len = (size_t)(at - name->text);
	at = skip_space(at, end);
	if (at == end || *at != ':')
		return false;
	value->text = skip_space(at + 1, end);
	at = skip_value(value->text, end);
	if (!at)
		return false;
	value->len = (size_t)(at - value->text);
	*p = at;
	return true;
}

void json_span_members(struct span object, const char *const *name,
		       size_t count, struct span *out)
{
	const char *end, *p;
	struct span found, value;
	size_t left = count, i;

	if (!object.text)
		return;
	end = object.text + object.len;
	p = skip_space(object.text, end);
	if (p == end || *p != '{')
		return;
	do {
		p = skip_space(p + 1, end);
		if (!member_at(&p, end, &found, &value))
			return;
		/* Most begin otherwise, which is seen at once. */
		for (i = 0; i < count; i++) {
			if ((!*name[i] || found.text[1] == *name[i] ||
			     found.text[1] == '\\') &&
			    json_span_is(found, name[i]))
				break;
		}
		if (i < count && !out[i].text) {
			out[i] = value;
			left--;
		}
		p = skip_space(p, end);
	} while (left > 0 && p < end && *p == ',');
}

bool json_span_member(struct span object, const char *name, struct span *out)
{
	struct span found = { 0 };

	json_span_members(object, &name, 1, &found);
	if (!found.text)
		return false;
	*out = found;
	return true;
}

bool json_span_next(struct span array, size_t *at, struct span *out)
{
	const char *end, *p;

	if (!array.text || *at > array.len)
		return false;
	end = array.text + array.len;
	p = skip_space(array.text + *at, end);
	/* The first value stands behind the bracket, others behind a comma. */
	if (p == end || *p != (*at ? ',' : '['))
		return false;
	out->text = skip_space(p + 1, end);
	p = skip_value(out->text, end);
	if (!p)
		return false;
	out->len = (size_t)(p - out->text);
	*at = (size_t)(p - array.text);
	return true;
}

bool json_span_open(struct buf *out, struct span object)
{
	struct span in;

	object.len = text_trim(&object.text, object.len);
	if (object.len < 2 || *object.text != '{')
		return false;
	in = (struct span){ object.text + 1, object.len - 2 };
	in.len = text_trim(&in.text, in.len);
	buf_char(out, '{');
	buf_add(out, in.text, in.len);
	if (in.len)
		buf_char(out, ',');
	return true;
}

char *json_span_string(struct span string)
{
	CLEANUP(json_free_ptr) cJSON *decoded = NULL;

	if (string.len < 2 || string.text[0] != '"')
		return NULL;
	if (!memchr(string.text, '\\', string.len))
		return mem_strndup(string.text + 1, string.len - 2);
	decoded = json_parse(string.text, string.len, NULL);
	return mem_strdup(cJSON_GetStringValue(decoded));
}

void json_minify(struct buf *out, const char *text, size_t len)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *from = p;

		while (p < end && !text_is_space(*p)) {
			if (*p == '"')
				p = skip_string(p, end);
			else
				p++;
			if (!p)
				p = end;
		}
		buf_add(out, from, (size_t)(p - from));
		p = skip_space(p, end);
	}
}
