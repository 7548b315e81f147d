/* SPDX-License-Identifier: MIT */
/*
 * Schemas made of prompts' arguments and of the parts of URI templates.
 */
#include "cli/item_schema.h"

#include <string.h>

#include "base/mem.h"

static cJSON *string_schema(const char *description)
{
	cJSON *schema = cJSON_CreateObject();

	cJSON_AddStringToObject(schema, "type", "string");
	if (description && *description)
		cJSON_AddStringToObject(schema, "description", description);
	return schema;
}

static void add_property(cJSON *properties, const char *name,
			 const char *description)
{
	if (!json_member(properties, name))
		cJSON_AddItemToObject(properties, name,
				      string_schema(description));
}

static void add_arguments(cJSON *properties, cJSON *required,
			  const cJSON *prompt)
{
	const cJSON *argument;

	cJSON_ArrayForEach(argument, json_array(prompt, "arguments")) {
		const char *name = json_string(argument, "name");

		if (!name || json_member(properties, name))
			continue;
		add_property(properties, name,
			     json_string(argument, "description"));
		if (json_true(argument, "required"))
			cJSON_AddItemToArray(required,
					     cJSON_CreateString(name));
	}
}

/* "a,b*,c:3" of one expression (RFC 6570), its operator taken off. */
static void add_expression(cJSON *properties, const char *text, size_t len)
{
	if (len > 0 && strchr("+#./;?&", *text)) {
		text++;
		len--;
	}
	while (len > 0) {
		const char *comma = memchr(text, ',', len);
		size_t part = comma ? (size_t)(comma - text) : len;
		CLEANUP(mem_free_ptr) char *name = mem_strndup(text, part);

		name[strcspn(name, "*:")] = '\0';
		if (*name)
			add_property(properties, name, NULL);
		part += comma ? 1 : 0;
		text += part;
		len -= part;
	}
}

static void add_parts(cJSON *properties, const char *template)
{
	const char *open = template, *close;

	while ((open = strchr(open, '{')) != NULL &&
	       (close = strchr(open, '}')) != NULL) {
		add_expression(properties, open + 1,
			       (size_t)(close - open - 1));
		open = close + 1;
	}
}

cJSON *item_schema(enum list_kind kind, const struct list_item *item)
{
	cJSON *schema = cJSON_CreateObject();
	cJSON *properties, *required;

	cJSON_AddStringToObject(schema, "type", "object");
	if (!item) {
		cJSON_AddItemToObject(schema, "additionalProperties",
				      string_schema(NULL));
		return schema;
	}
	properties = cJSON_AddObjectToObject(schema, "properties");
	required = cJSON_AddArrayToObject(schema, "required");
	if (kind == LIST_PROMPTS)
		add_arguments(properties, required, item->json);
	if (kind == LIST_TEMPLATES)
		add_parts(properties, item->key);
	cJSON_AddFalseToObject(schema, "additionalProperties");
	return schema;
}

void item_as_tool(struct buf *out, enum list_kind kind,
		  const struct list_item *item)
{
	CLEANUP(json_free_ptr) cJSON *schema = item_schema(kind, item);
	const char *brief = item->description;

	if (!brief || !*brief)
		brief = item->title ? item->title : item->name;
	buf_text(out, "{\"name\":");
	buf_json_string(out, item->key, strlen(item->key));
	json_add_text(out, "description", brief);
	buf_text(out, ",\"inputSchema\":");
	json_print(out, schema);
	buf_char(out, '}');
}
