/* SPDX-License-Identifier: MIT */
#include "mcp/tool_effect.h"

#include <string.h>

#include "base/text.h"

/* The file as it is, and a NUL; make runs where its path begins. */
__asm__(".section .rodata\nmcp_tools_json:\n"
	".incbin \"src/mcp/tools.json\"\n.byte 0\n.previous");
extern __attribute__((visibility("hidden"))) const char mcp_tools_json[];

static enum tool_effect effect_read(const cJSON *row)
{
	const char *effect = json_string(row, "effect");

	if (!effect)
		return EFFECT_UNKNOWN;
	if (strcmp(effect, "reads") == 0)
		return EFFECT_READS;
	if (strcmp(effect, "acts") == 0)
		return EFFECT_ACTS;
	return EFFECT_DESTROYS;
}

static bool annotated(const struct tool *t, const char *hint)
{
	return json_true(json_object(t->json, "annotations"), hint);
}

/* One of the words stands in the last part of the name, whatever its case. */
static bool name_has(const char *name, const cJSON *words)
{
	const char *dot = strrchr(name, '.');
	const cJSON *word;

	cJSON_ArrayForEach(word, words) {
		if (strcasestr(dot ? dot + 1 : name, word->valuestring))
			return true;
	}
	return false;
}

enum tool_effect tool_effect(const struct tool *t)
{
	CLEANUP(json_free_ptr)
	cJSON *file = json_parse(mcp_tools_json, strlen(mcp_tools_json), NULL);
	const cJSON *row = json_member(json_object(file, "tools"), t->name);

	if (row)
		return effect_read(row);
	if (annotated(t, "destructiveHint") ||
	    name_has(t->name,
		     json_array(json_object(file, "words"), "destroys")))
		return EFFECT_DESTROYS;
	return annotated(t, "readOnlyHint") ? EFFECT_READS : EFFECT_UNKNOWN;
}
