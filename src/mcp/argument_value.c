/* SPDX-License-Identifier: MIT */
/*
 * Text to value. A number keeps the digits it was given with, so that what is
 * sent is not what a double makes of it.
 */
#include "mcp/argument_value.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
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
		return error_hint(err, "JSON is UTF-8; convert the text first, "
				       "for example with iconv");
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
			error_hint(err, "all arguments from standard input: a "
					"single -, without @");
		return -1;
	}
	status = read_all(out, fd, path, err);
	close(fd);
	return status;
}
