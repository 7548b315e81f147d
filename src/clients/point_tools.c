/* SPDX-License-Identifier: MIT */
#include "clients/point_tools.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"

#define HASH_SHOWN 6
#define NOTE_MAX 80 /* bytes of what is said of items that were left out */

void point_names_done(struct point_names *n)
{
	words_done(&n->shown);
	words_done(&n->own);
	words_done(&n->left);
}

/* ---- names ---- */

static bool has(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->count; i++) {
		if (strcmp(w->word[i], word) == 0)
			return true;
	}
	return false;
}

static bool fits(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Of two that would be called the same, the later one gets a hash. */
static char *name_for(const struct point_names *n, const char *own)
{
	char *name = mem_strdup(own), *longer;
	char sum[SHA256_TEXT];

	for (char *p = name; *p; p++)
		*p = (char)(fits(*p) ? *p : '_');
	if (!has(&n->shown, name))
		return name;
	sha256_text(own, strlen(own), sum);
	longer = mem_printf("%s_%.*s", name, HASH_SHOWN, sum);
	mem_free(name);
	return longer;
}

static void take_tool(struct point_names *n, cJSON *tool)
{
	const char *own = json_string(tool, "name");
	CLEANUP(mem_free_ptr) char *name = name_for(n, own);

	words_add(&n->shown, name);
	words_add(&n->own, own);
	cJSON_ReplaceItemInObjectCaseSensitive(tool, "name",
					       cJSON_CreateString(name));
}

void point_names_make(struct point_names *n, cJSON *tools, size_t most)
{
	cJSON *tool = tools ? tools->child : NULL, *next;

	point_names_done(n);
	*n = (struct point_names){ 0 };
	for (; tool; tool = next) {
		const char *own = json_string(tool, "name");

		next = tool->next;
		if (own && (!most || n->shown.count < most)) {
			take_tool(n, tool);
			continue;
		}
		if (own)
			words_add(&n->left, own);
		cJSON_Delete(cJSON_DetachItemViaPointer(tools, tool));
	}
}

const char *point_names_own(const struct point_names *n, const char *shown)
{
	for (size_t i = 0; i < n->shown.count; i++) {
		if (strcmp(n->shown.word[i], shown) == 0)
			return n->own.word[i];
	}
	return shown;
}

/* ---- results ---- */

static size_t size_of(const cJSON *json)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	json_print(&text, json);
	return text.len;
}

/* NULL: it has none. */
static cJSON *text_of(const cJSON *item)
{
	cJSON *text = cJSON_GetObjectItemCaseSensitive(item, "text");

	return cJSON_IsString(text) ? text : NULL;
}

static cJSON *first_text(const cJSON *content)
{
	cJSON *found = NULL, *item;

	cJSON_ArrayForEach(item, content) {
		found = text_of(item);
		if (found)
			break;
	}
	return found;
}

static cJSON *longest_text(const cJSON *content)
{
	cJSON *found = NULL, *item;
	size_t longest = 0;

	cJSON_ArrayForEach(item, content) {
		cJSON *text = text_of(item);
		size_t len = text ? strlen(text->valuestring) : 0;

		if (len > longest) {
			longest = len;
			found = text;
		}
	}
	return found;
}

/* What a result was, and what it may be. */
struct room {
	size_t whole, most; /* of the message */
	size_t result; /* bytes that are left for the result */
};

static bool cut_to(const cJSON *result, cJSON *text, size_t keep,
		   const struct room *r)
{
	char *before = text->valuestring;
	CLEANUP(mem_free_ptr)
	char *cut = mem_printf(
		"%.*s … (cut: %zu bytes; the access point takes %zu)",
		text_shown(before, keep), before, r->whole, r->most);
	bool good;

	text->valuestring = cut;
	good = size_of(result) <= r->result;
	text->valuestring = before;
	if (good)
		cJSON_SetValuestring(text, cut);
	return good;
}

/* Escapes need more room than letters, so by and by. */
static bool cut_text(const cJSON *result, cJSON *text, const struct room *r)
{
	const size_t all = strlen(text->valuestring);
	size_t keep = all < r->result ? all : r->result;
	const size_t step = keep / 64 + 1;

	/* Without it the rest would be too much. */
	if (size_of(result) > r->result + size_of(text))
		return false;
	for (; keep > 0; keep -= keep > step ? step : keep) {
		if (cut_to(result, text, keep, r))
			return true;
	}
	return false;
}

/* Items that are bytes go; how many they were. */
static size_t drop_media(cJSON *content)
{
	cJSON *item = content->child, *next;
	size_t dropped = 0;

	for (; item; item = next) {
		const char *data = json_string(item, "data");

		next = item->next;
		if (!data)
			continue;
		dropped += strlen(data) / 4 * 3;
		cJSON_Delete(cJSON_DetachItemViaPointer(content, item));
	}
	return dropped;
}

/*
 * Pictures and sounds: nothing of them can be cut. It is said in the first text,
 * since some show no other; where there is none, nothing would be left.
 */
static void leave_media_out(cJSON *content, const struct room *r)
{
	CLEANUP(mem_free_ptr) char *words = NULL;
	cJSON *text = first_text(content);
	size_t dropped = text ? drop_media(content) : 0;

	if (!dropped)
		return;
	words = mem_printf(
		"%s (left out: a picture or sound of %zu bytes; the access point takes %zu)",
		text->valuestring, dropped, r->most);
	cJSON_SetValuestring(text, words);
}

static bool cut_longest(const cJSON *result, const struct room *r)
{
	cJSON *longest = longest_text(json_array(result, "content"));

	return longest && cut_text(result, longest, r);
}

/* Many texts, none of them long: the last ones go, and the first says so. */
static bool drop_last(const cJSON *result, const struct room *r)
{
	cJSON *content = json_array(result, "content");
	cJSON *first = first_text(content);
	size_t size = size_of(result) + NOTE_MAX, dropped = 0;
	CLEANUP(mem_free_ptr) char *words = NULL;

	for (int i = cJSON_GetArraySize(content); first && --i > 0;) {
		cJSON *last = cJSON_GetArrayItem(content, i);

		if (size <= r->result || text_of(last) == first)
			break;
		size -= size_of(last) + 1;
		cJSON_Delete(cJSON_DetachItemViaPointer(content, last));
		dropped++;
	}
	if (!dropped)
		return false;
	words = mem_printf(
		"%s (left out: %zu more item%s; the access point takes %zu)",
		first->valuestring, dropped, dropped == 1 ? "" : "s", r->most);
	cJSON_SetValuestring(first, words);
	return size_of(result) <= r->result || cut_longest(result, r);
}

/* Where that was not enough. */
static void replace_content(cJSON *result, const struct room *r)
{
	CLEANUP(mem_free_ptr)
	char *words = mem_printf(
		"the result has %zu bytes, and the access point takes %zu: it is left out",
		r->whole, r->most);
	cJSON *content = cJSON_CreateArray(), *item = cJSON_CreateObject();

	cJSON_DeleteItemFromObjectCaseSensitive(result, "content");
	cJSON_DeleteItemFromObjectCaseSensitive(result, "isError");
	cJSON_AddStringToObject(item, "type", "text");
	cJSON_AddStringToObject(item, "text", words);
	cJSON_AddItemToArray(content, item);
	cJSON_AddItemToObject(result, "content", content);
	cJSON_AddTrueToObject(result, "isError");
}

static void fit(cJSON *result, const struct room *r)
{
	/* Said in content, too, and read by no access point. */
	cJSON_DeleteItemFromObjectCaseSensitive(result, "structuredContent");
	cJSON_DeleteItemFromObjectCaseSensitive(result, "_meta");
	if (size_of(result) > r->result)
		leave_media_out(
			cJSON_GetObjectItemCaseSensitive(result, "content"), r);
	if (size_of(result) > r->result && !cut_longest(result, r) &&
	    !drop_last(result, r))
		replace_content(result, r);
}

bool point_reply_fit(struct buf *out, const char *reply, size_t len,
		     size_t most)
{
	const struct span whole = { reply, len };
	struct room room = { len, most, 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	struct span result;

	if (len <= most || !json_span_member(whole, "result", &result))
		return false;
	json = json_parse(result.text, result.len, NULL);
	if (!json_array(json, "content") || len - result.len >= most)
		return false;
	room.result = most - (len - result.len);
	fit(json, &room);
	buf_add(out, reply, (size_t)(result.text - reply));
	json_print(out, json);
	buf_add(out, result.text + result.len,
		(size_t)(reply + len - result.text) - result.len);
	return true;
}
