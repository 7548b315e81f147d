/* SPDX-License-Identifier: MIT */
/*
 * Commas and quotes. Knows no records.
 */
#include "out/json_line.h"

#include <inttypes.h>
#include <string.h>

void line_name(struct buf *out, const char *name)
{
	char last = '{';
	if (out->len > 0)
		last = out->data[out->len - 1];
	if (last != '{' && last != '[' && last != ':')
		buf_char(out, ',');
	buf_printf(out, "\"%s\":", name);
}

void line_text(struct buf *out, const char *name, const char *text)
{
	line_name(out, name);
	if (text)
		buf_json_string(out, text, strlen(text));
	else
		buf_text(out, "null");
}

void line_number(struct buf *out, const char *name, int64_t number)
{
	line_name(out, name);
	buf_printf(out, "%" PRId64, number);
}

void line_bool(struct buf *out, const char *name, bool value)
{
	line_name(out, name);
	buf_text(out, value ? "true" : "false");
}

void line_tree(struct buf *out, const char *name, const cJSON *value)
{
	line_name(out, name);
	if (value)
		json_print(out, value);
	else
		buf_text(out, "null");
}

void line_json(struct buf *out, const char *name, const char *json, size_t len)
{
	line_name(out, name);
	if (json)
		json_minify(out, json, len);
	else
		buf_text(out, "null");
}

void line_time(struct buf *out, const char *name, int64_t ms)
{
	if (ms >= 0)
		line_number(out, name, ms);
	else
		line_text(out, name, NULL);
}
