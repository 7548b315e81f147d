/* SPDX-License-Identifier: MIT */
/*
 * Text to value. A number keeps the digits it was given with, so that what is
 * sent is not what a double makes of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "mcp/argument_value.h"
#include "mcp/arguments.h"
#include "mcp/schema_look.h"

void argument_value_done(struct argument_value *v)
{
	cJSON_Delete(v->json);
	buf_done(&v->text);
	*v = (struct argument_value){ 0 };
}

int argument_value_json(struct argument_value *out, const char *what,
			const char *text, size_t len, struct error *err)
{
	struct error why = { .kind = ERR_NONE };

	out->json = json_parse(text, len, &why);
	if (!out->json) {
		error_set(err, ERR_USAGE, "%s is not JSON: %.300s", what,
			  why.text);
		error_reset(&why);
		return -1;
	}
	json_minify(&out->text, text, len);
	return 0;
}

static int value_string(struct argument_value *out, const char *what,
			const char *text, size_t len, struct error *err)
{
	if (memchr(text, '\0', len))
		return error_set(err, ERR_USAGE,
				 "%s holds a NUL byte, which no text may",
				 what);
	if (!text_is_utf8(text, len)) {
		error_set(err, ERR_USAGE, "%s is not valid UTF-8", what);
		return error_hint(
			err,
			"JSON is UTF-8; convert the text first, for example with iconv");
	}
	buf_json_string(&out->text, text, len);
	out->json = cJSON_CreateString(text);
	return 0;
}

static const char *skip_blanks(const char *text, size_t *len)
{
	while (*len > 0 && strchr(" \t\r\n", *text) && *text) {
		text++;
		(*len)--;
	}
	return text;
}

/* '[' or '{' where the types let through an array or an object. */
static bool looks_nested(unsigned types, const char *text, size_t len)
{
	text = skip_blanks(text, &len);
	if (len == 0)
		return false;
	return (*text == '[' && types & SCHEMA_ARRAY) ||
	       (*text == '{' && types & SCHEMA_OBJECT);
}

/* 50.9 for an integer is a wrong number, and told as one; not a text. */
static bool lets_through(unsigned types, const cJSON *value)
{
	if (types == 0)
		return !cJSON_IsObject(value) && !cJSON_IsArray(value);
	if (cJSON_IsNumber(value) && !(types & SCHEMA_STRING))
		return (types & SCHEMA_INTEGER) != 0;
	return (schema_type_of(value) & types) != 0;
}

int argument_value_text(struct argument_value *out, const char *what,
			unsigned types, const char *text, size_t len,
			struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *parsed = NULL;
	bool nested = looks_nested(types, text, len);

	if (types != SCHEMA_STRING)
		parsed = json_parse(text, len, NULL);
	if (parsed && lets_through(types, parsed)) {
		out->json = TAKE(parsed);
		json_minify(&out->text, text, len);
		return 0;
	}
	/* Broken JSON is better told as such than sent, or refused, as text. */
	if ((nested || types == SCHEMA_OBJECT) && !(types & SCHEMA_STRING) &&
	    !parsed)
		return argument_value_json(out, what, text, len, err);
	return value_string(out, what, text, len, err);
}

void argument_value_append_take(struct argument_value *array,
				struct argument_value *item)
{
	if (!array->json)
		array->json = cJSON_CreateArray();
	buf_char(&array->text, array->text.len > 0 ? ',' : '[');
	buf_add(&array->text, buf_string(&item->text), item->text.len);
	cJSON_AddItemToArray(array->json, TAKE(item->json));
	argument_value_done(item);
}

void argument_value_close(struct argument_value *array)
{
	buf_char(&array->text, ']');
}

static int read_all(struct buf *out, int fd, const char *path,
		    struct error *err)
{
	char part[65536];
	ssize_t got;

	buf_init(out, ARGUMENTS_FILE_MAX);
	while ((got = read(fd, part, sizeof(part))) != 0) {
		/* EINTR too: Ctrl-C while somebody should type. */
		if (got < 0)
			return error_set(err, ERR_USAGE, "cannot read '%s': %s",
					 path, strerror(errno));
		if (buf_add(out, part, (size_t)got) < 0)
			return error_set(err, ERR_USAGE,
					 "'%s' is larger than %u MB", path,
					 ARGUMENTS_FILE_MAX >> 20);
	}
	return 0;
}

int argument_file_read(struct buf *out, const char *path, struct error *err)
{
	int fd, status;

	if (!path)
		return read_all(out, STDIN_FILENO, "standard input", err);
	if (!*path)
		return error_set(err, ERR_USAGE,
				 "'@' wants the name of a file behind it");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error_set(err, ERR_USAGE, "cannot read '%s': %s", path,
			  strerror(errno));
		if (strcmp(path, "-") == 0)
			error_hint(
				err,
				"all arguments from standard input: a single -, without @");
		return -1;
	}
	status = read_all(out, fd, path, err);
	close(fd);
	return status;
}

/*
 * NAME=VALUE as it is to be written. What such a word means when it comes is
 * arguments.c's matter.
 */

#define CHOICES_BYTES_MAX 60

/* A word that stands in a command line as it is; a number; else false. */
static bool add_choice(const cJSON *choice, struct buf *out)
{
	if (cJSON_IsNumber(choice)) {
		json_print(out, choice);
		return true;
	}
	if (!cJSON_IsString(choice) || !*choice->valuestring ||
	    strpbrk(choice->valuestring, " |<>[]\"'\\\t\r\n"))
		return false;
	buf_text(out, choice->valuestring);
	return true;
}

/* "light|dark" if all choices are plain and short words; else nothing. */
static bool add_choices(const cJSON *schema, struct buf *out)
{
	CLEANUP(buf_done) struct buf choices = { 0 };
	const cJSON *each;

	cJSON_ArrayForEach(each, json_array(schema, "enum")) {
		if (choices.len > CHOICES_BYTES_MAX)
			return false;
		if (choices.len > 0)
			buf_char(&choices, '|');
		if (!add_choice(each, &choices))
			return false;
	}
	buf_text(out, buf_string(&choices));
	return choices.len > 0;
}

bool argument_range(const cJSON *root, const cJSON *property,
		    const cJSON *end[2])
{
	const cJSON *schema = schema_resolve(root, property);

	end[0] = json_member(schema, "minimum");
	end[1] = json_member(schema, "maximum");
	return (schema_types(root, schema) & SCHEMA_INTEGER) &&
	       cJSON_IsNumber(end[0]) && cJSON_IsNumber(end[1]);
}

static bool add_range(const cJSON *root, const cJSON *schema, struct buf *out)
{
	const cJSON *end[2];

	if (!argument_range(root, schema, end))
		return false;
	buf_char(out, '<');
	json_print(out, end[0]);
	buf_text(out, "..");
	json_print(out, end[1]);
	buf_char(out, '>');
	return true;
}

static void add_type(unsigned types, struct buf *out)
{
	buf_char(out, '<');
	schema_type_names(types, out);
	buf_char(out, '>');
}

static bool is_nested(unsigned types)
{
	return types && !(types & ~(unsigned)(SCHEMA_ARRAY | SCHEMA_OBJECT));
}

/* The types of its items, if it is an array of plain ones; else 0. */
static unsigned plain_items(const cJSON *root, const cJSON *schema)
{
	const cJSON *items = schema_items(root, schema);
	unsigned types = items ? schema_types(root, items) : 0;

	if (schema_types(root, schema) != SCHEMA_ARRAY || is_nested(types))
		return 0;
	return types;
}

bool argument_needs_json(const cJSON *root, const cJSON *property)
{
	const cJSON *schema = schema_resolve(root, property);

	return is_nested(schema_types(root, schema)) &&
	       !plain_items(root, schema);
}

void argument_usage(const cJSON *root, const cJSON *property, const char *name,
		    struct buf *out)
{
	const cJSON *schema = schema_resolve(root, property);
	unsigned types = schema_types(root, schema);
	unsigned item_types = plain_items(root, schema);

	words_quote(out, name);
	if (item_types) {
		buf_char(out, '=');
		add_type(item_types, out);
		buf_text(out, "...");
		return;
	}
	buf_text(out, is_nested(types) ? ":=" : "=");
	if (types == SCHEMA_BOOLEAN)
		buf_text(out, "true|false");
	else if (!add_choices(schema, out) && !add_range(root, schema, out))
		add_type(types, out);
}

bool argument_name_is_plain(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && !strchr("@-{ \t\r\n", *name) && !strchr(name, '=') &&
	       name[len - 1] != ':';
}

char *argument_word(const cJSON *root, const cJSON *schema, const char *name,
		    const cJSON *value)
{
	unsigned types = schema ? schema_types(root, schema) : 0;
	CLEANUP(argument_value_done) struct argument_value again = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 }, seen = { 0 };
	const char *text;

	json_print(&json, value);
	text = cJSON_IsString(value) ? value->valuestring : buf_string(&json);
	if (*text != '@' && !cJSON_IsArray(value) && !cJSON_IsObject(value) &&
	    text_is_safe(text, strlen(text)) &&
	    argument_value_text(&again, "", types, text, strlen(text), NULL) ==
		    0 &&
	    json_equal(again.json, value))
		return mem_printf("%s=%s", name, text);
	/* As escapes of JSON it is seen, and means the same. */
	text_safe(&seen, buf_string(&json), json.len, TEXT_JSON);
	return mem_printf("%s:=%s", name, buf_string(&seen));
}
