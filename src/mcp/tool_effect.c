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

/* The first words of text are those of "power_off". */
static bool begins(const char *text, const char *words, bool verb)
{
	struct span word, wanted;

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

/* Read when it is first asked for, and kept: TAB asks for many tools. */
static const cJSON *effects(void)
{
	static cJSON *file;

	if (!file)
		file = json_parse(mcp_tools_json, strlen(mcp_tools_json), NULL);
	return file;
}

enum tool_effect tool_effect(const struct tool *t)
{
	const cJSON *file = effects();
	const cJSON *row = json_member(json_object(file, "tools"), t->name);

	if (row)
		return effect_read(row);
	if (annotated(t, "destructiveHint") ||
	    tells(t, json_array(json_object(file, "words"), "destroys")))
		return EFFECT_DESTROYS;
	return annotated(t, "readOnlyHint") ? EFFECT_READS : EFFECT_UNKNOWN;
}
