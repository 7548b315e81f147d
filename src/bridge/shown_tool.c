/* SPDX-License-Identifier: MIT */
#include "bridge/shown_tool.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bridge/hints.h"
#include "bridge/mend.h"
#include "bridge/mend_schema.h"

#define TITLE_MAX 128 /* characters */
#define NAMED_MAX 8 /* boards that are named in a description */
#define CHOICES_MAX 200 /* boards that the schema names */

static void add_member(struct buf *out, const char *name,
		       const struct buf *text)
{
	buf_printf(out, ",\"%s\":", name);
	buf_json_string(out, buf_string(text), text->len);
}

/* ---- texts ---- */

/* What it calls itself, else the name that it has on the board; and whose it is. */
static void add_title(struct buf *out, const struct shown_tool *s)
{
	CLEANUP(buf_done) struct buf title = { 0 };
	const char *own = s->tool->title;

	if (s->several && !s->merged)
		buf_printf(&title, "%s: ", s->label[s->member[0]]);
	mend_text(&title, own && *own ? own : s->tool->name, TITLE_MAX);
	add_member(out, "title", &title);
}

static bool is_away(const struct shown_tool *s, size_t member, const char *word)
{
	return text_equal(s->source[s->member[member]].away, word);
}

/* "(asleep: kitchen, hall) ", in front, where no cap takes it. */
static void add_those(struct buf *out, const struct shown_tool *s,
		      const char *word)
{
	size_t count = 0, named = 0;

	for (size_t i = 0; i < s->members; i++)
		count += is_away(s, i, word);
	if (count == s->members)
		buf_printf(out, "(%s) ", word);
	if (count == 0 || count == s->members)
		return;
	for (size_t i = 0; i < s->members && named < NAMED_MAX; i++) {
		if (is_away(s, i, word))
			buf_printf(out, "%s%s%s%s", named ? "" : "(",
				   named ? "" : word, named ? ", " : ": ",
				   s->label[s->member[i]]);
		named += is_away(s, i, word);
	}
	if (named < count)
		buf_printf(out, " and %zu more", count - named);
	buf_text(out, ") ");
}

static void add_description(struct buf *out, const struct shown_tool *s)
{
	static const char *const words[] = { "asleep", "away",
					     "not connected" };
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf capped = { 0 };
	CLEANUP(mem_free_ptr)
	char *said = mend_description(s->tool->description);

	for (size_t i = 0; i < COUNT(words); i++)
		add_those(&text, s, words[i]);
	buf_text(&text, *said ? said : "The board does not say what it does.");
	mend_text(&capped, text.data, MEND_TEXT_MAX);
	add_member(out, "description", &capped);
}

/* ---- schema ---- */

/* Too many to be named are counted. */
static cJSON *device_property(const struct shown_tool *s)
{
	const bool named = s->members <= CHOICES_MAX;
	CLEANUP(mem_free_ptr)
	char *count = mem_printf("Which of %zu boards is meant, by its name",
				 s->members);
	cJSON *property = cJSON_CreateObject();
	cJSON *choices;

	cJSON_AddStringToObject(property, "type", "string");
	cJSON_AddStringToObject(property, "description",
				named ? "Which board is meant, by its name" :
					count);
	if (!named)
		return property;
	choices = cJSON_AddArrayToObject(property, "enum");
	for (size_t i = 0; i < s->members; i++)
		cJSON_AddItemToArray(
			choices, cJSON_CreateString(s->label[s->member[i]]));
	return property;
}

/* Asked for before all others. */
static void add_device(cJSON *schema, const struct shown_tool *s)
{
	cJSON *required = json_array(schema, "required");
	cJSON *properties = json_object(schema, "properties");
	cJSON *property = device_property(s);

	if (!required)
		required = cJSON_AddArrayToObject(schema, "required");
	cJSON_InsertItemInArray(required, 0, cJSON_CreateString("device"));
	cJSON_AddItemToObject(properties, "device", property);
}

static void add_schema(struct buf *out, const struct shown_tool *s)
{
	CLEANUP(json_free_ptr) cJSON *schema = mend_schema(s->tool->schema);

	if (s->merged)
		add_device(schema, s);
	buf_text(out, ",\"inputSchema\":");
	json_print(out, schema);
}

/* ---- the rest ---- */

static void add_hints(struct buf *out, const struct shown_tool *s)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct tool_hints h;

	tool_hints_find(&h, s->tool);
	if (!tool_hints_print(&text, &h))
		return;
	buf_text(out, ",\"annotations\":");
	buf_add(out, text.data, text.len);
}

static void add_meta(struct buf *out, const struct shown_tool *s)
{
	buf_text(out, ",\"_meta\":{\"mcpctl/tool\":");
	buf_json_string(out, s->tool->name, strlen(s->tool->name));
	if (!s->merged)
		json_add_text(out, "mcpctl/device", s->source[s->member[0]].id);
	buf_char(out, '}');
}

char *shown_tool_json(const struct shown_tool *s)
{
	struct buf out = { 0 };

	buf_text(&out, "{\"name\":");
	buf_json_string(&out, s->name, strlen(s->name));
	add_title(&out, s);
	add_description(&out, s);
	add_schema(&out, s);
	add_hints(&out, s);
	add_meta(&out, s);
	buf_char(&out, '}');
	return buf_take(&out);
}
