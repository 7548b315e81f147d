/* SPDX-License-Identifier: MIT */
#include "bridge/hints.h"

#include <string.h>

#include "base/text.h"
#include "bridge/mend.h"
#include "mcp/schema_look.h"
#include "mcp/tool_effect.h"

#define ARGUMENTS_MAX 64

static bool ends_so(const char *text, const char *ending)
{
	size_t len = strlen(text), end = strlen(ending);

	return len >= end && text_same(text + len - end, ending);
}

const char *tool_address(const struct tool *t)
{
	const char *name[ARGUMENTS_MAX];
	size_t count =
		schema_property_names(t->schema, t->schema, name, COUNT(name));

	for (size_t i = 0; i < count; i++) {
		if (ends_so(name[i], "url") || ends_so(name[i], "uri"))
			return name[i];
	}
	return NULL;
}

static enum hint said(const struct tool *t, const char *name)
{
	const cJSON *value =
		json_member(json_object(t->json, "annotations"), name);

	if (!cJSON_IsBool(value))
		return HINT_UNKNOWN;
	return cJSON_IsTrue(value) ? HINT_YES : HINT_NO;
}

/* The part of the name that says what is done. */
static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

static bool sounds_like_reading(const char *verb)
{
	return text_starts(verb, "get_") || ends_so(verb, "_status");
}

void tool_hints_find(struct tool_hints *out, const struct tool *t)
{
	enum tool_effect effect = tool_effect(t);
	const char *verb = last_part(t->name);
	const char *address = tool_address(t);

	*out = (struct tool_hints){
		.read_only = said(t, "readOnlyHint"),
		.destructive = said(t, "destructiveHint"),
		.idempotent = said(t, "idempotentHint"),
		.open_world = said(t, "openWorldHint"),
		.title = json_string(json_object(t->json, "annotations"),
				     "title"),
	};
	if (effect == EFFECT_READS) {
		out->read_only = HINT_YES;
		out->destructive = HINT_UNKNOWN;
	}
	if (effect == EFFECT_ACTS || effect == EFFECT_DESTROYS) {
		out->read_only = HINT_NO;
		out->destructive =
			effect == EFFECT_DESTROYS ? HINT_YES : HINT_NO;
	}
	if (effect == EFFECT_UNKNOWN && !out->read_only && !address &&
	    sounds_like_reading(verb))
		out->read_only = HINT_YES;
	if (!out->idempotent && text_starts(verb, "set_"))
		out->idempotent = HINT_YES;
	if (!out->open_world && address)
		out->open_world = HINT_YES;
}

static void print_hint(struct buf *out, const char **before, const char *name,
		       enum hint hint)
{
	if (hint == HINT_UNKNOWN)
		return;
	buf_printf(out, "%s\"%s\":%s", *before, name,
		   hint == HINT_YES ? "true" : "false");
	*before = ",";
}

bool tool_hints_print(struct buf *out, const struct tool_hints *h)
{
	const size_t start = out->len;
	const char *before = "{";
	CLEANUP(buf_done) struct buf title = { 0 };

	if (h->title)
		mend_text(&title, h->title, 128);
	if (title.len) {
		buf_text(out, "{\"title\":");
		buf_json_string(out, title.data, title.len);
		before = ",";
	}
	print_hint(out, &before, "readOnlyHint", h->read_only);
	print_hint(out, &before, "destructiveHint", h->destructive);
	print_hint(out, &before, "idempotentHint", h->idempotent);
	print_hint(out, &before, "openWorldHint", h->open_world);
	if (out->len == start)
		return false;
	buf_char(out, '}');
	return true;
}
