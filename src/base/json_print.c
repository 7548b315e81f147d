/* SPDX-License-Identifier: MIT */
/*
 * A tree as text. cJSON's own printer writes 9e+15 for an integer below 2^53
 * and passes bad UTF-8 through, so this one stands in for it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define INTEGER_LIMIT 9007199254740992.0 /* 2^53 */

struct printer {
	struct buf *out;
	bool pretty;
	size_t depth;
};

/*
 * 15 digits are right for most numbers, 17 for all. A subnormal has fewer of
 * its own, so that its shortest form must be looked for from the start.
 * (Nothing in this program sets LC_NUMERIC.)
 */
static void print_number(struct buf *out, double value)
{
	int precision = fpclassify(value) == FP_SUBNORMAL ? 1 : 15;
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
	size_t i;

	if (!p->pretty)
		return;
	buf_char(p->out, '\n');
	for (i = 0; i < p->depth; i++)
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
	for (child = value->child; child; child = child->next) {
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

void json_add_text(struct buf *out, const char *name, const char *text)
{
	if (!text)
		return;
	buf_printf(out, ",\"%s\":", name);
	buf_json_string(out, text, strlen(text));
}
