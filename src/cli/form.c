/* SPDX-License-Identifier: MIT */
/*
 * Forms: fields out of a schema, and whether values fit. Its text comes from a
 * server: everything has a bound.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/form.h"
#include "mcp/format.h"
#include "mcp/schema.h"
#include "mcp/schema_describe.h"

#define REQUIRED_MAX 1000

/* ---- fields ---- */

/* The first type that is not null, of one or several. */
static const char *type_of(const cJSON *schema)
{
	const cJSON *type = json_member(schema, "type"), *one;

	if (cJSON_IsString(type))
		return type->valuestring;
	cJSON_ArrayForEach(one, json_array(schema, "type")) {
		if (cJSON_IsString(one) &&
		    strcmp(one->valuestring, "null") != 0)
			return one->valuestring;
	}
	return "";
}

static void add_choice(struct form_field *f, const cJSON *value,
		       const char *title)
{
	bool scalar = cJSON_IsString(value) || cJSON_IsNumber(value) ||
		      cJSON_IsBool(value);

	if (!scalar || f->count == FORM_CHOICES_MAX)
		return;
	if (!f->choice)
		f->choice = mem_zalloc(FORM_CHOICES_MAX * sizeof(*f->choice));
	f->choice[f->count++] = (struct form_choice){ value, title };
}

/*
 * "enum", with its older titles beside it; or "oneOf" and "anyOf" with "const"
 * and "title" (mcp.md 2025-11-25).
 */
static void add_choices(struct form_field *f, const cJSON *schema)
{
	static const char *const lists[] = { "oneOf", "anyOf" };
	const cJSON *titles = json_array(schema, "enumNames"), *one;
	const cJSON *title = titles ? titles->child : NULL;

	cJSON_ArrayForEach(one, json_array(schema, "enum")) {
		add_choice(f, one,
			   title && cJSON_IsString(title) ? title->valuestring :
							    NULL);
		title = title ? title->next : NULL;
	}
	for (size_t i = 0; i < COUNT(lists) && !f->count; i++) {
		cJSON_ArrayForEach(one, json_array(schema, lists[i])) {
			add_choice(f, json_member(one, "const"),
				   json_string(one, "title"));
		}
	}
}

static enum form_kind kind_of(struct form_field *f)
{
	const char *type = type_of(f->schema);

	if (strcmp(type, "array") == 0) {
		add_choices(f, json_object(f->schema, "items"));
		return f->count ? FORM_CHOICES : FORM_JSON;
	}
	add_choices(f, f->schema);
	if (f->count)
		return FORM_CHOICE;
	if (strcmp(type, "string") == 0)
		return FORM_TEXT;
	if (strcmp(type, "boolean") == 0)
		return FORM_BOOLEAN;
	if (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0)
		return FORM_NUMBER;
	return FORM_JSON;
}

static bool is_required(const cJSON *schema, const char *name)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, json_array(schema, "required")) {
		if (cJSON_IsString(one) && strcmp(one->valuestring, name) == 0)
			return true;
	}
	return false;
}

static int check_value(const struct form *f, const struct form_field *field,
		       const cJSON *value, struct error *err)
{
	CLEANUP(schema_report_done) struct schema_report report = { 0 };
	CLEANUP(buf_done) struct buf why = { 0 };

	if (cJSON_IsString(value) && field->format &&
	    !format_fits(field->format, value->valuestring))
		return error_set(err, ERR_USAGE, "'%.100s' is no %s",
				 value->valuestring,
				 form_format_name(field->format));
	if (schema_check_in(f->schema, field->schema, value, &report))
		return 0;
	schema_explain(&report, &why);
	return error_set(err, ERR_USAGE, "%s", buf_string(&why));
}

static void read_field(struct form *f, const cJSON *schema)
{
	struct form_field *field = &f->field[f->count++];
	const cJSON *fallback = json_member(schema, "default");

	*field =
		(struct form_field){ .name = schema->string, .schema = schema };
	field->title = json_string(schema, "title");
	field->description = json_string(schema, "description");
	field->format = json_string(schema, "format");
	field->required = is_required(f->schema, schema->string);
	field->kind = kind_of(field);
	if (fallback && check_value(f, field, fallback, NULL) == 0)
		field->fallback = fallback;
}

static bool is_known(const struct form *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++) {
		if (strcmp(f->field[i].name, name) == 0)
			return true;
	}
	return false;
}

int form_read(struct form *out, const cJSON *schema, struct error *err)
{
	const cJSON *properties = json_object(schema, "properties"), *one;
	const char *type = json_string(schema, "type");

	*out = (struct form){ .schema = schema };
	if (!cJSON_IsObject(schema) || (type && strcmp(type, "object") != 0))
		return error_set(err, ERR_PROTOCOL,
				 "requestedSchema is no schema of an object");
	if (cJSON_GetArraySize(properties) > FORM_FIELDS_MAX)
		return error_set(err, ERR_PROTOCOL,
				 "the form has %d fields, more than %d",
				 cJSON_GetArraySize(properties),
				 FORM_FIELDS_MAX);
	out->field = mem_zalloc(FORM_FIELDS_MAX * sizeof(*out->field));
	cJSON_ArrayForEach(one, properties) {
		if (!is_known(out, one->string))
			read_field(out, one);
	}
	return 0;
}

void form_done(struct form *f)
{
	for (size_t i = 0; i < f->count; i++)
		mem_free(f->field[i].choice);
	mem_free(f->field);
	*f = (struct form){ 0 };
}

/* ---- the whole ---- */

cJSON *form_pick(const struct form *f, const cJSON *values)
{
	cJSON *out = cJSON_CreateObject();

	for (size_t i = 0; i < f->count; i++) {
		const cJSON *one = json_member(values, f->field[i].name);

		if (one)
			cJSON_AddItemToObject(out, f->field[i].name,
					      cJSON_Duplicate(one, true));
	}
	return out;
}

void form_complete(const struct form *f, cJSON *content, struct buf *missing)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct form_field *field = &f->field[i];

		if (json_member(content, field->name))
			continue;
		if (field->fallback)
			cJSON_AddItemToObject(
				content, field->name,
				cJSON_Duplicate(field->fallback, true));
		else if (field->required)
			buf_printf(missing, "%s%s", missing->len ? ", " : "",
				   field->name);
	}
}

int form_check(const struct form *f, const cJSON *content, struct error *err)
{
	CLEANUP(schema_report_done) struct schema_report report = { 0 };
	CLEANUP(buf_done) struct buf why = { 0 };

	for (size_t i = 0; i < f->count; i++) {
		const struct form_field *field = &f->field[i];
		const cJSON *value = json_member(content, field->name);

		if (value && check_value(f, field, value, err))
			return error_prefix(err, "%.100s", field->name);
	}
	if (schema_check(f->schema, content, &report))
		return 0;
	schema_explain(&report, &why);
	return error_set(err, ERR_USAGE, "%s%s%s", buf_string(&report.path),
			 report.path.len ? ": " : "", buf_string(&why));
}

/* ---- what was typed ---- */

/* Whether text names the choice, by its value, or else by its title. */
static bool is_choice(const struct form_choice *c, const char *text, bool title)
{
	CLEANUP(buf_done) struct buf value = { 0 };

	if (title)
		return text_same(c->title, text);
	if (cJSON_IsString(c->value))
		return strcmp(c->value->valuestring, text) == 0;
	json_print(&value, c->value);
	return strcmp(buf_string(&value), text) == 0;
}

static cJSON *parse_choice(const struct form_field *field, const char *text,
			   struct error *err)
{
	int64_t number;

	for (int title = 0; title < 2; title++) {
		for (size_t i = 0; i < field->count; i++) {
			if (is_choice(&field->choice[i], text, title))
				return cJSON_Duplicate(field->choice[i].value,
						       true);
		}
	}
	if (text_integer(text, 1, (int64_t)field->count, &number) == 0)
		return cJSON_Duplicate(field->choice[number - 1].value, true);
	error_set(err, ERR_USAGE, "'%.100s' is none of the choices", text);
	return NULL;
}

static char *trimmed(const char *text, size_t len)
{
	len = text_trim(&text, len);
	return mem_strndup(text, len);
}

/* "1, blue, 3"; "[]" is none of them. */
static cJSON *parse_choices(const struct form_field *field, const char *text,
			    struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *out = cJSON_CreateArray();

	if (strcmp(text, "[]") == 0)
		return TAKE(out);
	for (;;) {
		size_t len = strcspn(text, ",");
		CLEANUP(mem_free_ptr) char *word = trimmed(text, len);
		cJSON *one = *word ? parse_choice(field, word, err) : NULL;

		if (*word && !one)
			return NULL;
		if (one)
			cJSON_AddItemToArray(out, one);
		if (!text[len])
			return TAKE(out);
		text += len + 1;
	}
}

static cJSON *parse_boolean(const char *text, struct error *err)
{
	static const char *const words[][2] = {
		{ "n", "y" }, { "no", "yes" }, { "false", "true" }, { "0", "1" }
	};

	for (size_t i = 0; i < COUNT(words); i++) {
		for (int value = 0; value < 2; value++) {
			if (text_same(words[i][value], text))
				return cJSON_CreateBool(value);
		}
	}
	error_set(err, ERR_USAGE, "'%.100s' is neither y nor n", text);
	return NULL;
}

static cJSON *parse_json(const char *text, bool number, struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *out = json_parse(text, strlen(text), NULL);

	if (out && (!number || cJSON_IsNumber(out)))
		return TAKE(out);
	error_set(err, ERR_USAGE, "'%.100s' is no %s", text,
		  number ? "number" : "JSON");
	return NULL;
}

/* A pair of quotes is the empty text, which Enter alone cannot say. */
static cJSON *parse_text(const char *text, struct error *err)
{
	if (!text_is_utf8(text, strlen(text))) {
		error_set(err, ERR_USAGE, "this is no UTF-8 text");
		return NULL;
	}
	return cJSON_CreateString(strcmp(text, "\"\"") == 0 ? "" : text);
}

static cJSON *parse(const struct form_field *field, const char *text,
		    struct error *err)
{
	CLEANUP(mem_free_ptr) char *word = trimmed(text, strlen(text));

	switch (field->kind) {
	case FORM_TEXT:
		return parse_text(text, err);
	case FORM_NUMBER:
		return parse_json(word, true, err);
	case FORM_BOOLEAN:
		return parse_boolean(word, err);
	case FORM_CHOICE:
		return parse_choice(field, word, err);
	case FORM_CHOICES:
		return parse_choices(field, word, err);
	case FORM_JSON:
		break;
	}
	return parse_json(word, false, err);
}

cJSON *form_parse(const struct form *f, const struct form_field *field,
		  const char *text, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *value = parse(field, text, err);

	if (!value || check_value(f, field, value, err))
		return NULL;
	return TAKE(value);
}

/* Its default is shown apart. */
static void describe(const struct form *f, const struct form_field *field,
		     struct buf *out)
{
	CLEANUP(json_free_ptr)
	cJSON *schema = cJSON_Duplicate(field->schema, true);

	cJSON_DeleteItemFromObjectCaseSensitive(schema, "default");
	schema_describe_in(f->schema, schema, out);
}

void form_expects(const struct form *f, const struct form_field *field,
		  struct buf *out)
{
	if (field->kind == FORM_CHOICE)
		buf_text(out, "one of these");
	else if (field->kind == FORM_CHOICES)
		buf_text(out, "some of these, with commas between");
	else if (field->kind == FORM_TEXT && field->format)
		buf_text(out, form_format_name(field->format));
	else
		describe(f, field, out);
	if (field->required)
		buf_text(out, ", required");
}

/*
 * Formats of texts, as people call them. Which fits is mcp/format's to say.
 */

static const struct format_row {
	const char *format, *name;
} rows[] = {
	{ "email", "email address" },
	{ "uri", "URI as https://example.com/" },
	{ "date", "date as 2026-01-31" },
	{ "date-time", "date and time as 2026-01-31T12:00:00Z" },
};

const char *form_format_name(const char *format)
{
	for (size_t i = 0; format && i < COUNT(rows); i++) {
		if (strcmp(rows[i].format, format) == 0)
			return rows[i].name;
	}
	return format;
}
