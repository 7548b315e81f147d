/* SPDX-License-Identifier: MIT */
/* Limits in words. What is no number, or no limit, is left out. */
#include "mcp/schema_limits.h"

#include <string.h>

static const cJSON *number(const cJSON *schema, const char *keyword)
{
	const cJSON *member = json_member(schema, keyword);

	return cJSON_IsNumber(member) ? member : NULL;
}

static void add_side(struct buf *out, const char **before, const char *sign,
		     const cJSON *limit)
{
	if (!limit)
		return;
	buf_printf(out, "%s%s ", *before, sign);
	json_print(out, limit);
	*before = ", ";
}

void limits_of_number(const cJSON *schema, struct buf *out)
{
	const cJSON *least = number(schema, "minimum");
	const cJSON *most = number(schema, "maximum");
	const cJSON *above = number(schema, "exclusiveMinimum");
	const cJSON *below = number(schema, "exclusiveMaximum");
	const char *before = " ";

	if (least && most && !above && !below) {
		buf_char(out, ' ');
		json_print(out, least);
		buf_text(out, "..");
		json_print(out, most);
	} else {
		add_side(out, &before, ">=", least);
		add_side(out, &before, ">", above);
		add_side(out, &before, "<=", most);
		add_side(out, &before, "<", below);
	}
	if (number(schema, "multipleOf")) {
		buf_text(out, ", multiple of ");
		json_print(out, number(schema, "multipleOf"));
	}
}

/* ", 3 to 10 characters", ", at least 1 item", … */
static void add_range(struct buf *out, const cJSON *least, const cJSON *most,
		      const char *what)
{
	const cJSON *last = most ? most : least;
	bool one = last && last->valuedouble >= 1 && last->valuedouble <= 1;

	if (least && most && json_equal(least, most)) {
		buf_text(out, ", ");
	} else if (least && most) {
		buf_text(out, ", ");
		json_print(out, least);
		buf_text(out, " to ");
	} else if (last) {
		buf_text(out, most ? ", at most " : ", at least ");
	} else {
		return;
	}
	json_print(out, last);
	buf_printf(out, " %s%s", what, one ? "" : "s");
}

void limits_of_string(const cJSON *schema, struct buf *out)
{
	static const char *const words[] = { "pattern", "format" };

	add_range(out, number(schema, "minLength"), number(schema, "maxLength"),
		  "character");
	for (size_t i = 0; i < COUNT(words); i++) {
		const char *text = json_string(schema, words[i]);

		/* A pattern with a line break would not be one line. */
		if (text && strlen(text) <= 100 && !strpbrk(text, "\r\n"))
			buf_printf(out, ", %s %s", words[i], text);
	}
}

void limits_of_array(const cJSON *schema, struct buf *out)
{
	add_range(out, number(schema, "minItems"), number(schema, "maxItems"),
		  "item");
	if (json_true(schema, "uniqueItems"))
		buf_text(out, ", no item twice");
}
