/* SPDX-License-Identifier: MIT */
#include "bridge/own_tools.h"

#include <string.h>

#include "base/mem.h"

static const struct {
	const char *name, *title, *description, *annotations;
} own[OWN_TOOLS] = {
	[OWN_DEVICES] = {
		"devices",
		"Boards",
		"Lists the boards behind this server: name, whether it is awake, firmware, when it was last seen.",
		"{\"readOnlyHint\":true,\"openWorldHint\":false}",
	},
	[OWN_REFRESH] = {
		"refresh",
		"List anew",
		"Asks boards for their tools again: one board, or all without an argument. Tells what came and went since.",
		"{\"readOnlyHint\":true,\"openWorldHint\":false}",
	},
	[OWN_CALL] = {
		"call_device_tool",
		"Call a tool of a board",
		"Calls a tool of a board by the board's own name for it: for boards and tools that came after the list of tools was read. What is hidden here cannot be called so either.",
		"{\"readOnlyHint\":false}",
	},
};

const char *own_tool_name(enum own_tool t)
{
	return own[t].name;
}

bool own_tool_is_on(enum own_tool t, const struct bridge_rules *rules)
{
	return t == OWN_CALL ? rules->generic : !rules->no_own;
}

enum own_tool own_tool_named(const char *name)
{
	for (int t = 0; t < OWN_TOOLS; t++) {
		if (strcmp(own[t].name, name) == 0)
			return (enum own_tool)t;
	}
	return OWN_TOOLS;
}

static void add_argument(cJSON *schema, const char *name, const char *type,
			 const char *description)
{
	cJSON *property = cJSON_AddObjectToObject(
		json_object(schema, "properties"), name);

	cJSON_AddStringToObject(property, "type", type);
	cJSON_AddStringToObject(property, "description", description);
	if (strcmp(type, "object") == 0)
		cJSON_AddObjectToObject(property, "properties");
}

static void require(cJSON *schema, const char *name)
{
	cJSON *required = json_array(schema, "required");

	if (!required)
		required = cJSON_AddArrayToObject(schema, "required");
	cJSON_AddItemToArray(required, cJSON_CreateString(name));
}

static void add_arguments(cJSON *schema, enum own_tool t)
{
	if (t != OWN_DEVICES)
		add_argument(schema, "device", "string",
			     "A board's name, as the tool devices lists it");
	if (t != OWN_CALL)
		return;
	add_argument(schema, "tool", "string", "The tool's name on the board");
	add_argument(schema, "arguments", "object", "Its arguments");
	require(schema, "device");
	require(schema, "tool");
}

char *own_tool_json(enum own_tool t)
{
	CLEANUP(json_free_ptr) cJSON *schema = cJSON_CreateObject();
	CLEANUP(buf_done) struct buf text = { 0 };

	cJSON_AddStringToObject(schema, "type", "object");
	cJSON_AddObjectToObject(schema, "properties");
	cJSON_AddFalseToObject(schema, "additionalProperties");
	add_arguments(schema, t);
	json_print(&text, schema);
	return mem_printf(
		"{\"name\":\"%s\",\"title\":\"%s\",\"description\":\"%s\",\"inputSchema\":%s,\"annotations\":%s}",
		own[t].name, own[t].title, own[t].description, text.data,
		own[t].annotations);
}
