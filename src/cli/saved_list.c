/* SPDX-License-Identifier: MIT */
/*
 * Reading a saved list. The text of its tools is put together as one page, so
 * that they are decoded as those of a peer are.
 */
#include "cli/saved_list.h"

#include <string.h>

#include "cli/operand.h"

struct saved {
	const char *path; /* as it is named in errors */
	struct buf page; /* tools so far, a comma before each */
	size_t line; /* from 1; 0: the whole text is one value */
};

static int bad(const struct saved *s, const char *what, struct error *err)
{
	if (s->line > 0)
		error_set(err, ERR_USAGE, "line %zu of '%s': %s", s->line,
			  s->path, what);
	else
		error_set(err, ERR_USAGE, "'%s': %s", s->path, what);
	return error_hint(err, "expected is what 'mcpctl -o json tools' "
			       "prints, a tool a line; or a JSON array of "
			       "tools, or a result of tools/list");
}

static bool is_tool(const cJSON *value)
{
	return cJSON_IsObject(value) && json_string(value, "name");
}

static void add_tool(struct saved *s, struct span text)
{
	buf_char(&s->page, ',');
	buf_add(&s->page, text.text, text.len);
}

static int bad_element(const struct saved *s, size_t number, struct error *err)
{
	char what[128];

	snprintf(what, sizeof(what),
		 "element %zu of the list is no tool, which is an object with "
		 "a name",
		 number);
	return bad(s, what, err);
}

static int add_array(struct saved *s, const cJSON *array, struct span text,
		     struct error *err)
{
	const cJSON *tool;
	struct span element;
	size_t at = 0, number = 0;

	cJSON_ArrayForEach(tool, array) {
		number++;
		if (!is_tool(tool) || !json_span_next(text, &at, &element))
			return bad_element(s, number, err);
		add_tool(s, element);
	}
	return 0;
}

static int add_value(struct saved *s, const cJSON *value, struct span text,
		     struct error *err)
{
	const cJSON *inner = value;

	if (is_tool(value)) {
		add_tool(s, text);
		return 0;
	}
	if (json_object(inner, "result") &&
	    json_span_member(text, "result", &text))
		inner = json_object(inner, "result");
	if (json_array(inner, "tools") &&
	    json_span_member(text, "tools", &text))
		inner = json_array(inner, "tools");
	if (cJSON_IsArray(inner))
		return add_array(s, inner, text, err);
	return bad(s,
		   cJSON_IsObject(value) ?
			   "the object has neither a name nor tools" :
			   "this is no tool, but another kind of JSON",
		   err);
}

static bool is_blank(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!memchr(" \t\r", s.text[i], 4))
			return false;
	}
	return true;
}

/* The line that begins at *at; *at moves behind it. */
static struct span next_line(struct span text, size_t *at)
{
	const char *start = text.text + *at;
	const char *end = memchr(start, '\n', text.len - *at);
	size_t len = end ? (size_t)(end - start) : text.len - *at;

	*at += len + (end != NULL);
	return (struct span){ start, len };
}

static int add_lines(struct saved *s, struct span text, struct error *err)
{
	size_t at = 0;

	while (at < text.len) {
		struct span line = next_line(text, &at);
		CLEANUP(error_reset) struct error why = { 0 };
		CLEANUP(json_free_ptr) cJSON *value = NULL;

		s->line++;
		if (is_blank(line))
			continue;
		value = json_parse(line.text, line.len, &why);
		if (!value)
			return bad(s, why.text, err);
		if (add_value(s, value, line, err) != 0)
			return -1;
	}
	return 0;
}

/* Does a value end with its first line that is not blank? */
static bool is_lines(struct span text)
{
	struct span line = { 0 };
	size_t at = 0;

	while (at < text.len && is_blank(line))
		line = next_line(text, &at);
	return json_check(line.text, line.len, NULL) == 0;
}

static int add_text(struct saved *s, struct span text, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(json_free_ptr) cJSON *value = NULL;

	if (text.len > 0)
		value = json_parse(text.text, text.len, &why);
	if (value)
		return add_value(s, value, text, err);
	if (is_blank(text))
		return bad(s, "there is nothing in it", err);
	if (is_lines(text) || text.text[strspn(text.text, " \t\r\n")] != '[')
		return add_lines(s, text, err);
	return bad(s, why.text, err);
}

int saved_list_read(struct tool_list *out, struct app *app, const char *path,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	struct saved s = { .path = strcmp(path, "-") == 0 ? "stdin" : path };
	struct message m;
	int status = operand_file(app, path, &text, err);

	*out = (struct tool_list){ 0 };
	if (status == 0)
		status = add_text(
			&s, (struct span){ buf_string(&text), text.len }, err);
	if (status == 0) {
		buf_printf(&page, "{\"result\":{\"tools\":[%s]}}",
			   s.page.len ? s.page.data + 1 : "");
		status =
			message_decode_take(&m, NULL, page.data, page.len, err);
	}
	if (status == 0)
		status = tool_list_add_take(out, &m, NULL, err);
	buf_done(&s.page);
	return status;
}
