/* SPDX-License-Identifier: MIT */
#include "bridge/mend_result.h"

#include <string.h>

#include "base/mem.h"
#include "base/picture.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "bridge/mend.h"
#include "mcp/content.h"

#define TAIL_ROOM 256 /* for a note, isError and what closes it */
#define DATA_MAX 4096 /* bytes of an error's data */

struct result_mender {
	struct buf *out; /* contents */
	struct buf rest; /* members behind them */
	size_t start, most;
	size_t items,
		left_out; /* bytes of items and members that did not fit */
};

/* ---- texts ---- */

/* What is left out makes it shorter, so it stays where it is. */
static void clean_string(char *text)
{
	CLEANUP(buf_done) struct buf clean = { 0 };
	size_t len = strlen(text);

	if (text_is_safe(text, len))
		return;
	text_safe(&clean, text, len, TEXT_PLAIN);
	memcpy(text, buf_string(&clean), clean.len + 1);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static void clean_strings(cJSON *tree)
{
	cJSON *one;

	if (cJSON_IsString(tree))
		clean_string(tree->valuestring);
	if (tree->string)
		clean_string(tree->string);
	cJSON_ArrayForEach(one, tree) {
		clean_strings(one);
	}
}

/* How many bytes of clean text fit into room as JSON, no character cut. */
static size_t fitting(const char *text, size_t len, size_t room)
{
	size_t at = 0, used = 0;

	while (at < len) {
		used += strchr("\"\\\n\t", text[at]) ? 2 : 1;
		if (used > room)
			return text_cut(text, len, at);
		at++;
	}
	return len;
}

/* ---- what there is room for ---- */

static size_t room(const struct result_mender *m)
{
	size_t used = m->out->len - m->start + m->rest.len + TAIL_ROOM;

	return used < m->most ? m->most - used : 0;
}

static void add_comma(struct result_mender *m)
{
	if (m->items++)
		buf_char(m->out, ',');
}

static void add_whole(struct result_mender *m, const struct buf *item)
{
	if (item->len + 1 > room(m)) {
		m->left_out += item->len;
		return;
	}
	add_comma(m);
	buf_add(m->out, item->data, item->len);
}

static void add_text_item(struct buf *out, const char *text, size_t len)
{
	buf_text(out, "{\"type\":\"text\",\"text\":");
	buf_json_string(out, text, len);
	buf_char(out, '}');
}

/*
 * As much of it as there is room for, and how much that is not: in the same text,
 * since some show no other.
 */
static void add_text(struct result_mender *m, const char *text)
{
	static const size_t around =
		sizeof("{\"type\":\"text\",\"text\":\"\"},");
	size_t len = strlen(text), left = room(m);
	size_t fits = left > around ? fitting(text, len, left - around) : 0;
	CLEANUP(mem_free_ptr) char *cut = NULL;

	if (left < around || (fits == 0 && len > 0)) {
		m->left_out += around + len;
		return;
	}
	if (fits < len)
		cut = mem_printf(
			"%.*s\n[mcpctl: cut, %zu of %zu bytes are left out]",
			(int)fits, text, len - fits, len);
	add_comma(m);
	add_text_item(m->out, cut ? cut : text, cut ? strlen(cut) : len);
}

static void add_tree_text(struct result_mender *m, const cJSON *value)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	json_print(&text, value);
	add_text(m, buf_string(&text));
}

/* ---- contents ---- */

/* The subtype that its bytes say, where the board does not. */
static void add_mime(struct buf *item, const struct content *c)
{
	const struct picture_type *type =
		picture_type(c->data.data, c->data.len);

	if (!c->mime && type)
		buf_printf(item, ",\"mimeType\":\"image/%s\"", type->word);
	else
		json_add_text(item, "mimeType",
			      c->mime ? c->mime : "application/octet-stream");
}

/* What is no picture, or no sound, is said to be none. */
static void add_media(struct result_mender *m, const struct content *c,
		      const char *type)
{
	const char *data = json_string(c->inner ? c->inner : c->json, "data");
	CLEANUP(buf_done) struct buf item = { 0 };
	CLEANUP(mem_free_ptr) char *note = NULL;

	if (!c->bad_data && data) {
		buf_printf(&item, "{\"type\":\"%s\",\"data\":", type);
		buf_json_string(&item, data, strlen(data));
		add_mime(&item, c);
		buf_char(&item, '}');
		add_whole(m, &item);
		return;
	}
	note = mem_printf(
		"[mcpctl: the device sent an %s whose data is no base64]",
		type);
	add_text(m, note);
}

static void add_as_it_is(struct result_mender *m, const cJSON *item)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	json_print(&text, item);
	add_whole(m, &text);
}

static void add_content(struct result_mender *m, const struct content *c)
{
	switch (c->kind) {
	case CONTENT_TEXT:
		add_text(m, c->text);
		break;
	case CONTENT_IMAGE:
		add_media(m, c, "image");
		break;
	case CONTENT_AUDIO:
		add_media(m, c, "audio");
		break;
	case CONTENT_RESOURCE:
	case CONTENT_LINK:
		if (c->text && !c->bad_data)
			add_as_it_is(m, c->json);
		else
			add_tree_text(m, c->json);
		break;
	case CONTENT_UNKNOWN:
		add_tree_text(m, c->json);
		break;
	}
}

/* What hosts draw; "" if it is none of that. */
static const char *photo_type(const char *data)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };
	const struct picture_type *type = NULL;

	if (text_base64_decode(data, strlen(data), &bytes) == 0)
		type = picture_type(bytes.data, bytes.len);
	return type && (strcmp(type->word, "jpeg") == 0 ||
			strcmp(type->word, "png") == 0) ?
		       type->word :
		       "";
}

static void add_photo(struct result_mender *m, const struct mend_photo *photo)
{
	const char *type = photo->data ? photo_type(photo->data) : "";
	const char *why =
		photo->data ? "its bytes are no JPEG and no PNG" : photo->why;
	CLEANUP(buf_done) struct buf item = { 0 };
	CLEANUP(mem_free_ptr) char *note = NULL;

	if (*type) {
		buf_text(&item, "{\"type\":\"image\",\"data\":");
		buf_json_string(&item, photo->data, strlen(photo->data));
		buf_printf(&item, ",\"mimeType\":\"image/%s\"}", type);
		add_whole(m, &item);
	} else if (why) {
		note = mem_printf("[mcpctl: no picture: %s]", why);
		add_text(m, note);
	}
}

/* Without a list of contents the result itself is one; a bare text is its own. */
static void add_bare(struct result_mender *m, const cJSON *result)
{
	const char *text = json_string(result, "content");
	const cJSON *value = json_object(result, "structuredContent");

	if (!text)
		text = cJSON_GetStringValue(result);
	if (text)
		add_text(m, text);
	else
		add_tree_text(m, value ? value : result);
}

/* ---- the whole ---- */

static void add_member(struct result_mender *m, const cJSON *result,
		       const char *name)
{
	const cJSON *value = json_object(result, name);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!value)
		return;
	buf_printf(&text, ",\"%s\":", name);
	json_print(&text, value);
	if (text.len <= room(m))
		buf_add(&m->rest, text.data, text.len);
	else
		m->left_out += text.len;
}

static void add_note(struct result_mender *m)
{
	CLEANUP(mem_free_ptr)
	char *note = mem_printf(
		"[mcpctl: the result is too long, %zu bytes of it are left out]",
		m->left_out);

	add_comma(m);
	add_text_item(m->out, note, strlen(note));
}

static bool is_failure(const struct result *r, const struct mend_rules *rules)
{
	if (r->is_error)
		return true;
	return rules->false_is_error && r->count == 1 &&
	       r->content[0].kind == CONTENT_TEXT &&
	       strcmp(r->content[0].text, "false") == 0;
}

static void decode(struct result *out, const cJSON *result)
{
	struct message m = { .kind = MESSAGE_RESULT };

	m.result = result ? cJSON_Duplicate(result, true) : cJSON_CreateNull();
	clean_strings(m.result);
	result_decode_take(out, &m);
}

/* From 2026-07-28 on any value: what hosts take as an object alone is a text. */
static void add_value(struct result_mender *m, const cJSON *result)
{
	const cJSON *value = json_member(result, "structuredContent");

	if (value && !cJSON_IsObject(value) && !cJSON_IsNull(value))
		add_tree_text(m, value);
}

static void add_contents(struct result_mender *m, const struct result *r)
{
	for (size_t i = 0; i < r->count; i++)
		add_content(m, &r->content[i]);
	if (!json_array(r->message.result, "content"))
		add_bare(m, r->message.result);
	else if (!r->count)
		add_value(m, r->message.result);
}

/* What the host would read in the first text, if that is none; yours, NULL. */
static cJSON *misread(const char *whole, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(whole, len, NULL);
	const cJSON *first = cJSON_GetArrayItem(json_array(tree, "content"), 0);
	const char *text = json_string(first, "text");
	cJSON *value;

	if (!text || json_member(tree, "structuredContent"))
		return NULL;
	value = json_parse(text, strlen(text), NULL);
	if (!cJSON_IsObject(value))
		return value;
	cJSON_Delete(value);
	return NULL;
}

static void make_object(struct buf *out, size_t start, size_t most)
{
	CLEANUP(json_free_ptr)
	cJSON *value = misread(out->data + start, out->len - start);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!value)
		return;
	json_print(&text, value);
	if (out->len - start + text.len + TAIL_ROOM > most)
		return;
	buf_cut(out, out->len - 1);
	buf_printf(out, ",\"structuredContent\":{\"result\":%s}}",
		   buf_string(&text));
}

void mend_result(struct buf *out, const cJSON *result,
		 const struct mend_rules *rules, const struct mend_photo *photo)
{
	struct result_mender m = { .out = out,
				   .start = out->len,
				   .most = rules->most ? rules->most :
							 MEND_RESULT_MAX };
	CLEANUP(result_done) struct result r = { 0 };

	if (m.most < MEND_RESULT_LEAST)
		m.most = MEND_RESULT_LEAST;
	decode(&r, result);
	buf_text(out, "{\"content\":[");
	add_contents(&m, &r);
	if (photo)
		add_photo(&m, photo);
	add_member(&m, r.message.result, "structuredContent");
	add_member(&m, r.message.result, "_meta");
	if (m.left_out)
		add_note(&m);
	buf_printf(out, "],\"isError\":%s",
		   is_failure(&r, rules) ? "true" : "false");
	buf_add(out, buf_string(&m.rest), m.rest.len);
	buf_char(out, '}');
	buf_done(&m.rest);
	if (rules->reads_json)
		make_object(out, m.start, m.most);
}

/* ---- failures ---- */

static void add_error(struct buf *out, const cJSON *error)
{
	CLEANUP(buf_done) struct buf data = { .max = DATA_MAX };
	const cJSON *code = json_member(error, "code");
	const cJSON *said = json_member(error, "data");
	cJSON *copy = said ? cJSON_Duplicate(said, true) : NULL;

	if (cJSON_IsNumber(code)) {
		buf_text(out, ",\"mcpctl/code\":");
		json_print(out, code);
	}
	if (!copy)
		return;
	clean_strings(copy);
	json_print(&data, copy);
	cJSON_Delete(copy);
	if (data.full)
		return;
	buf_text(out, ",\"mcpctl/data\":");
	buf_add(out, data.data, data.len);
}

void mend_failure(struct buf *out, const struct error *why, const cJSON *error)
{
	CLEANUP(mem_free_ptr) char *line = error_line(why);
	CLEANUP(buf_done) struct buf text = { 0 };

	mend_text(&text, line, MEND_TEXT_MAX);
	buf_text(out, "{\"content\":[");
	add_text_item(out, buf_string(&text), text.len);
	buf_text(out, "],\"isError\":true,\"_meta\":{");
	buf_printf(out, "\"mcpctl/failure\":\"%s\"",
		   error_kind_name(why->kind));
	add_error(out, error);
	buf_text(out, "}}");
}
