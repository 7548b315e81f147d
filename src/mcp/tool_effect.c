/* SPDX-License-Identifier: MIT */
#include "mcp/tool_effect.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
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

/* ---- words ---- */

static bool is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/*
 * The next run of letters; a capital begins one where a small letter stands
 * before it ("powerOff") or, among capitals, behind it ("OTAUpdate"). Digits
 * are between words. Moves *text behind it. False: there is none.
 */
static bool next_word(const char **text, struct span *out)
{
	const char *at = *text, *end;

	while (*at && !is_small(*at) && !is_capital(*at))
		at++;
	for (end = at; is_small(*end) || is_capital(*end); end++) {
		if (end > at && is_capital(*end) &&
		    (is_small(end[-1]) || is_small(end[1])))
			break;
	}
	*out = (struct span){ at, (size_t)(end - at) };
	*text = end;
	return out->len > 0;
}

/* verb: it may be "deletes" too. */
static bool same_word(struct span word, struct span wanted, bool verb)
{
	size_t i = 0;

	while (i < word.len && i < wanted.len &&
	       text_lower(word.text[i]) == text_lower(wanted.text[i]))
		i++;
	if (i < wanted.len)
		return false;
	return i == word.len ||
	       (verb && i + 1 == word.len && word.text[i] == 's');
}

static bool has_word(const char *text)
{
	struct span word;

	return next_word(&text, &word);
}

/* The first words of text are those of "power_off". */
static bool begins(const char *text, const char *words, bool verb)
{
	struct span word, wanted;

	if (!has_word(words))
		return false;
	while (next_word(&words, &wanted)) {
		if (!next_word(&text, &word) || !same_word(word, wanted, verb))
			return false;
		verb = false;
	}
	return true;
}

/* They stand in the last part of the name. */
static bool name_has(const char *name, const char *words)
{
	const char *dot = strrchr(name, '.');
	const char *at = dot ? dot + 1 : name;
	struct span word;

	do {
		if (begins(at, words, false))
			return true;
	} while (next_word(&at, &word));
	return false;
}

static bool tells(const struct tool *t, const cJSON *words)
{
	const cJSON *word;

	cJSON_ArrayForEach(word, words) {
		if (name_has(t->name, word->valuestring) ||
		    (t->description &&
		     begins(t->description, word->valuestring, true)))
			return true;
	}
	return false;
}

/* ---- the file ---- */

static struct {
	char *(*own)(void *owner);
	void *owner;
	cJSON *json; /* kept: TAB asks for many tools */
} file;

void tool_effect_from(char *(*own)(void *owner), void *owner)
{
	cJSON_Delete(TAKE(file.json));
	file.own = own;
	file.owner = owner;
}

static const cJSON *effects(void)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	const char *used;

	if (file.json)
		return file.json;
	text = file.own ? file.own(file.owner) : NULL;
	used = text ? text : mcp_tools_json;
	file.json = json_parse(used, strlen(used), NULL);
	return file.json;
}

void tool_effect_read(void)
{
	effects();
}

static bool is_effect(const char *word)
{
	return word &&
	       (strcmp(word, "reads") == 0 || strcmp(word, "acts") == 0 ||
		strcmp(word, "destroys") == 0);
}

/* Where name first stands in text as a string, for the line. */
static size_t place_of(const char *text, const char *name)
{
	CLEANUP(mem_free_ptr) char *quoted = mem_printf("\"%s\"", name);
	const char *found = strstr(text, quoted);

	return found ? (size_t)(found - text) : 0;
}

static int check_tools(const cJSON *tools, const char *text, size_t *at,
		       struct error *err)
{
	const cJSON *row;

	cJSON_ArrayForEach(row, tools) {
		if (is_effect(json_string(row, "effect")))
			continue;
		*at = place_of(text, row->string);
		return error_set(
			err, ERR_USAGE,
			"\"%.60s\" needs an \"effect\": reads, acts or destroys",
			row->string);
	}
	return 0;
}

/* What has no letter of those that words are made of would be in every name. */
static bool are_words(const cJSON *list)
{
	const cJSON *word;

	cJSON_ArrayForEach(word, list) {
		if (!cJSON_IsString(word) || !has_word(word->valuestring))
			return false;
	}
	return !list || cJSON_IsArray(list);
}

static int check_words(const cJSON *words, const char *text, size_t *at,
		       struct error *err)
{
	if (are_words(json_member(words, "destroys")))
		return 0;
	*at = place_of(text, "destroys");
	return error_set(
		err, ERR_USAGE,
		"\"destroys\" must be a list of words, each of letters a to z");
}

int tool_effect_check(const char *text, size_t len, size_t *at,
		      struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	*at = 0;
	if (json_fault(text, len, at))
		return error_set(err, ERR_USAGE, "no JSON from here on");
	json = json_parse(text, len, err);
	if (!json_object(json, "tools")) {
		*at = 0;
		return error_set(
			err, ERR_USAGE,
			"an object with an object \"tools\" is expected");
	}
	return check_tools(json_object(json, "tools"), text, at, err) ||
			       check_words(json_object(json, "words"), text, at,
					   err) ?
		       -1 :
		       0;
}

enum tool_effect tool_effect(const struct tool *t)
{
	const cJSON *known = effects();
	const cJSON *row = json_member(json_object(known, "tools"), t->name);

	if (row)
		return effect_read(row);
	if (annotated(t, "destructiveHint") ||
	    tells(t, json_array(json_object(known, "words"), "destroys")))
		return EFFECT_DESTROYS;
	return annotated(t, "readOnlyHint") ? EFFECT_READS : EFFECT_UNKNOWN;
}
