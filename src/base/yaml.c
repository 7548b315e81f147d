/* SPDX-License-Identifier: MIT */
/* YAML as JSON, event by event: nothing is built before it is counted. */
#include "base/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/base.h"
#include "base/mem.h"

struct yaml_reading {
	yaml_parser_t parser;
	const char *text;
	size_t len;
	int depth, nodes;
	struct error *err;
};

static cJSON *refuse(struct yaml_reading *r, const yaml_mark_t *at,
		     const char *why)
{
	error_set(r->err, ERR_USAGE, "%s (line %zu)", why, at->line + 1);
	return NULL;
}

/* Bytes that are no characters have no mark, but a place. */
static yaml_mark_t problem_mark(const struct yaml_reading *r)
{
	yaml_mark_t at = r->parser.problem_mark;

	if (r->parser.error != YAML_READER_ERROR)
		return at;
	for (size_t i = 0; i < r->parser.problem_offset && i < r->len; i++)
		at.line += r->text[i] == '\n';
	return at;
}

/* False: err. The event is released by who asked. */
static bool next(struct yaml_reading *r, yaml_event_t *out)
{
	yaml_mark_t at;

	if (yaml_parser_parse(&r->parser, out))
		return true;
	at = problem_mark(r);
	refuse(r, &at, r->parser.problem ? r->parser.problem : "it is no YAML");
	return false;
}

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++) {
		if (strcmp(text, *words) == 0)
			return true;
	}
	return false;
}

static cJSON *read_scalar(struct yaml_reading *r, const yaml_event_t *e)
{
	static const char *const yes[] = { "true", "True", "TRUE", NULL };
	static const char *const no[] = { "false", "False", "FALSE", NULL };
	static const char *const none[] = { "",	    "~",    "null",
					    "Null", "NULL", NULL };
	const char *text = (const char *)e->data.scalar.value;

	if (strlen(text) != e->data.scalar.length)
		return refuse(r, &e->start_mark, "a text has a NUL");
	if (e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return cJSON_CreateString(text);
	if (is_one_of(text, none))
		return cJSON_CreateNull();
	if (is_one_of(text, yes) || is_one_of(text, no))
		return cJSON_CreateBool(is_one_of(text, yes));
	return cJSON_CreateString(text);
}

static cJSON *read_node(struct yaml_reading *r, const yaml_event_t *e);

/* NOLINTBEGIN(misc-no-recursion): YAML_DEPTH_MAX ends it */
/* One value of a list or a mapping; the event that ends it gives true and NULL. */
static bool read_value(struct yaml_reading *r, yaml_event_type_t end,
		       cJSON **out, yaml_event_t *e)
{
	*out = NULL;
	if (!next(r, e))
		return false;
	if (e->type == end) {
		yaml_event_delete(e);
		return true;
	}
	*out = read_node(r, e);
	yaml_event_delete(e);
	return *out != NULL;
}

static cJSON *drop(cJSON *tree)
{
	cJSON_Delete(tree);
	return NULL;
}

static cJSON *read_list(struct yaml_reading *r)
{
	cJSON *list = cJSON_CreateArray(), *value;
	yaml_event_t e;

	for (;;) {
		if (!read_value(r, YAML_SEQUENCE_END_EVENT, &value, &e))
			return drop(list);
		if (!value)
			return list;
		cJSON_AddItemToArray(list, value);
	}
}

static cJSON *read_mapping(struct yaml_reading *r)
{
	cJSON *mapping = cJSON_CreateObject(), *key, *value = NULL;
	yaml_event_t e;

	for (;;) {
		yaml_mark_t at = r->parser.mark;

		if (!read_value(r, YAML_MAPPING_END_EVENT, &key, &e))
			return drop(mapping);
		if (!key)
			return mapping;
		if (!cJSON_IsString(key)) {
			cJSON_Delete(key);
			refuse(r, &at, "a key is no text");
			return drop(mapping);
		}
		if (!read_value(r, YAML_NO_EVENT, &value, &e)) {
			cJSON_Delete(key);
			return drop(mapping);
		}
		cJSON_AddItemToObject(mapping, key->valuestring, value);
		cJSON_Delete(key);
	}
}

static cJSON *read_inside(struct yaml_reading *r, const yaml_event_t *e)
{
	switch ((int)e->type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(r, e);
	case YAML_SEQUENCE_START_EVENT:
		return read_list(r);
	case YAML_MAPPING_START_EVENT:
		return read_mapping(r);
	case YAML_ALIAS_EVENT:
		return refuse(r, &e->start_mark,
			      "an alias (*) is not followed");
	default:
		return refuse(r, &e->start_mark, "a value is missing");
	}
}

static cJSON *read_node(struct yaml_reading *r, const yaml_event_t *e)
{
	cJSON *out;

	if (r->depth == YAML_DEPTH_MAX)
		return refuse(r, &e->start_mark, "it is nested too deep");
	if (r->nodes++ == YAML_NODES_MAX)
		return refuse(r, &e->start_mark, "it has too many values");
	r->depth++;
	out = read_inside(r, e);
	r->depth--;
	return out;
}
/* NOLINTEND(misc-no-recursion) */

/* To the first value of the first document. */
static cJSON *read_document(struct yaml_reading *r)
{
	for (;;) {
		yaml_event_t e;
		yaml_event_type_t type;
		cJSON *out;

		if (!next(r, &e))
			return NULL;
		type = e.type;
		if (type == YAML_STREAM_START_EVENT ||
		    type == YAML_DOCUMENT_START_EVENT) {
			yaml_event_delete(&e);
			continue;
		}
		out = type == YAML_STREAM_END_EVENT ? cJSON_CreateNull() :
						      read_node(r, &e);
		yaml_event_delete(&e);
		return out;
	}
}

/* Behind the first document nothing may come: which would count? */
static bool check_end(struct yaml_reading *r)
{
	for (;;) {
		yaml_event_t e;
		yaml_event_type_t type;

		if (!next(r, &e))
			return false;
		type = e.type;
		if (type == YAML_DOCUMENT_START_EVENT)
			refuse(r, &e.start_mark,
			       "there is more than one document");
		yaml_event_delete(&e);
		if (type == YAML_DOCUMENT_START_EVENT)
			return false;
		if (type == YAML_STREAM_END_EVENT || type == YAML_NO_EVENT)
			return true;
	}
}

static cJSON *read_yaml(const char *text, size_t len, struct error *err)
{
	struct yaml_reading r = { .text = text, .len = len, .err = err };
	cJSON *out;

	if (!yaml_parser_initialize(&r.parser)) {
		error_set(err, ERR_USAGE, "libyaml cannot be used");
		return NULL;
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text,
				     len);
	out = read_document(&r);
	if (out && !check_end(&r))
		out = drop(out);
	yaml_parser_delete(&r.parser);
	return out;
}

const struct yaml_table yaml_table = { .size = sizeof(yaml_table),
				       .read = read_yaml };
