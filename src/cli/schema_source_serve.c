/* SPDX-License-Identifier: MIT */
/*
 * Tools and devices that a running serve tells (wire/control_frames.h).
 */
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/schema_source_private.h"
#include "net/control_path.h"

#define DEVICES_MAX 5000

void source_serve_done(struct source_serve *s)
{
	if (s->tried)
		control_quick_close(&s->quick);
	mem_free(s->names);
	mem_free(s->prefix);
	words_done(&s->lists);
	*s = (struct source_serve){ 0 };
}

static bool is_connected(struct source_serve *s)
{
	CLEANUP(mem_free_ptr) char *path = NULL;

	if (s->tried)
		return s->quick.fd >= 0;
	s->tried = true;
	s->quick.fd = -1;
	return control_path(&path, s->socket, false, NULL) == 0 &&
	       control_quick_open(&s->quick, path, s->ms) == 0;
}

static void add_text(struct buf *json, const char *name, const char *text)
{
	if (!text)
		return;
	buf_printf(json, ",\"%s\":", name);
	buf_json_string(json, text, strlen(text));
}

/* One question, one answer with this op. */
static bool ask(struct source_serve *s, struct buf *json, const char *op,
		struct span *answer)
{
	CLEANUP(mem_free_ptr) char *found = NULL;
	struct span text;

	buf_char(json, '}');
	if (!is_connected(s) || control_quick_send(&s->quick, json) != 0 ||
	    control_quick_next(&s->quick, answer) != 0)
		return false;
	if (json_span_member(*answer, "op", &text))
		found = json_span_string(text);
	return found && strcmp(found, op) == 0;
}

/* ---- tools ---- */

static void keep_lists(struct source_serve *s, struct span answer)
{
	struct span lists, one;
	size_t at = 0;

	words_done(&s->lists);
	if (!json_span_member(answer, "lists", &lists))
		return;
	while (json_span_next(lists, &at, &one)) {
		CLEANUP(mem_free_ptr) char *id = json_span_string(one);

		if (id)
			words_add(&s->lists, id);
	}
}

bool source_serve_has(struct source_serve *s, const char *prefix)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct span answer;

	if (s->prefix && strcmp(s->prefix, prefix) == 0)
		return s->lists.count > 0;
	mem_free(TAKE(s->names));
	mem_free(s->prefix);
	s->prefix = mem_strdup(prefix);
	buf_text(&json, "{\"op\":\"names\"");
	add_text(&json, "device", s->device);
	add_text(&json, "prefix", prefix);
	words_done(&s->lists);
	if (!ask(s, &json, "names", &answer))
		return false;
	s->names = mem_copy(answer.text, answer.len);
	s->len = answer.len;
	keep_lists(s, answer);
	return s->lists.count > 0;
}

void source_serve_tools(struct source_serve *s, schema_each *each, void *to)
{
	struct span answer = { s->names, s->len }, tools, row, part;
	size_t at = 0;

	if (!s->names || !json_span_member(answer, "tools", &tools))
		return;
	while (json_span_next(tools, &at, &row)) {
		CLEANUP(mem_free_ptr) char *name = NULL;
		CLEANUP(mem_free_ptr) char *brief = NULL;
		size_t inside = 0;

		if (json_span_next(row, &inside, &part))
			name = json_span_string(part);
		if (name && json_span_next(row, &inside, &part))
			brief = json_span_string(part);
		if (name)
			each(to, name, brief ? brief : "");
	}
}

bool source_serve_tool(struct source_serve *s, const char *name,
		       struct buf *out)
{
	for (size_t i = 0; i < s->lists.count; i++) {
		CLEANUP(buf_done) struct buf json = { 0 };
		struct span answer, tool;

		buf_text(&json, "{\"op\":\"tool\"");
		add_text(&json, "name", name);
		add_text(&json, "list", s->lists.word[i]);
		if (!ask(s, &json, "tool", &answer) ||
		    !json_span_member(answer, "tool", &tool))
			continue;
		buf_add(out, tool.text, tool.len);
		return true;
	}
	return false;
}

/* ---- devices ---- */

static void add_part(struct buf *out, const char *text)
{
	if (text && *text)
		buf_printf(out, "%s%s", out->len ? ", " : "", text);
}

static bool begins(const char *text, const char *prefix)
{
	return text && *text && strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* As -d takes it: without case, but the word that is typed stays. */
static void tell_device(const cJSON *device, const char *prefix,
			schema_each *each, void *to)
{
	const char *id = json_string(device, "id");
	const char *alias = json_string(device, "alias");
	CLEANUP(buf_done) struct buf brief = { 0 };
	CLEANUP(buf_done) struct buf named = { 0 };
	const char *version = json_string(device, "version");

	add_part(&brief, json_string(device, "board"));
	if (version && *version && brief.len)
		buf_printf(&brief, " %s", version);
	add_part(&brief, json_string(device, "state"));
	if (begins(alias, prefix)) {
		add_part(&named, id);
		add_part(&named, buf_string(&brief));
		each(to, alias, buf_string(&named));
	}
	if (begins(id, prefix)) {
		buf_reset(&named);
		add_part(&named, alias);
		add_part(&named, buf_string(&brief));
		each(to, id, buf_string(&named));
	}
}

/* A glob keeps the answer short; what is one itself is not made one. */
static void ask_pattern(struct buf *json, const char *prefix)
{
	CLEANUP(mem_free_ptr) char *pattern = NULL;

	if (!*prefix || text_has_glob(prefix) || strchr(prefix, '\\'))
		return;
	pattern = mem_printf("%s*", prefix);
	add_text(json, "device", pattern);
}

bool source_serve_devices(struct source_serve *s, const char *prefix,
			  schema_each *each, void *to)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct span answer;
	size_t count = 0;

	buf_text(&json, "{\"op\":\"devices\"");
	ask_pattern(&json, prefix);
	buf_char(&json, '}');
	if (!is_connected(s) || control_quick_send(&s->quick, &json) != 0)
		return false;
	while (control_quick_next(&s->quick, &answer) == 0) {
		CLEANUP(json_free_ptr)
		cJSON *tree = json_parse(answer.text, answer.len, NULL);
		const cJSON *device = json_object(tree, "device");

		if (!device)
			return true;
		if (count++ == DEVICES_MAX)
			break;
		tell_device(device, prefix, each, to);
	}
	/* The rest of the answer is not read: nothing more can be asked. */
	control_quick_close(&s->quick);
	return true;
}
