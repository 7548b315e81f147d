/* SPDX-License-Identifier: MIT */
#include "bridge/odd_texts.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "diag/tool_judge.h"
#include "mcp/tools.h"

#define WORDS_MAX 16 /* of a sign */
#define READ_MAX 65536 /* bytes of all its texts that are looked through */

/*
 * Words of descriptions that were meant to lead a model, and do not belong to what
 * a tool does; compared as the eye reads them, without case, blanks as one.
 */
static const struct sign {
	const char *looks; /* "it holds what looks like …" */
	const char *words[WORDS_MAX];
} signs[] = {
	{ "an order to a model to forget what it was told",
	  { "ignore previous", "ignore all", "ignore the previous",
	    "ignore above", "ignore the above", "ignore your",
	    "disregard previous", "disregard all", "disregard the above",
	    "forget all", "forget your", "忽略之前", "忽略以上", "忽略所有",
	    "无视之前" } },
	{ "a part of a model's conversation",
	  { "<important>", "<system", "</system", "[inst]", "<|im_start",
	    "<|system", "<|user", "<|assistant" } },
	{ "a question for what a model was told",
	  { "system prompt", "your instructions", "系统提示词" } },
	{ "an order to keep something from the user",
	  { "do not mention", "don't mention", "do not tell", "don't tell",
	    "never tell", "without telling", "without asking the user",
	    "不要告诉用户", "别告诉用户" } },
	{ "an order about all other tools",
	  { "before using any", "before calling any", "instead of any other",
	    "使用任何工具之前", "调用任何工具之前" } },
	{ "a question for files with secrets",
	  { "id_rsa", ".ssh/", "/etc/passwd", ".aws/", "mcp.json" } },
};

/* ---- what a model reads of it ---- */

static bool is_full(const struct buf *text)
{
	return text->len >= READ_MAX;
}

static void add_lower(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool blank = text_is_space(text[i]);

		if (!blank)
			buf_char(out, (char)text_lower(text[i]));
		else if (out->len && out->data[out->len - 1] != ' ')
			buf_char(out, ' ');
	}
}

/* Letters as they look: small ones first, since a capital I looks like an l. */
static void add_words(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf small = { 0 };
	CLEANUP(buf_done) struct buf looks = { 0 };

	if (!text || is_full(out))
		return;
	add_lower(&small, text, strnlen(text, READ_MAX));
	text_skeleton(&looks, buf_string(&small), small.len);
	add_lower(out, buf_string(&looks), looks.len);
}

/* Texts of different places do not run together. */
static void add_one(struct buf *out, const char *text)
{
	add_words(out, text);
	buf_char(out, '\n');
}

/* Names of arguments, descriptions, choices: every text of the schema. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static void add_tree(struct buf *out, const cJSON *tree)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, tree) {
		if (is_full(out))
			return;
		add_one(out, one->string);
		if (cJSON_IsString(one))
			add_one(out, one->valuestring);
		else
			add_tree(out, one);
	}
}

/* ---- what it looks like ---- */

static void add_mark(struct buf *out, const char *before, const char *what,
		     const char *behind)
{
	if (out->len)
		buf_text(out, "; ");
	buf_printf(out, "%s%.100s%s", before, what, behind);
}

/* ---- signs ---- */

struct odd_signs {
	char *words[COUNT(signs)][WORDS_MAX]; /* as they look; NULL: no more */
};

struct odd_signs *odd_signs_new(void)
{
	struct odd_signs *s = mem_zalloc(sizeof(*s));

	for (size_t i = 0; i < COUNT(signs); i++) {
		for (size_t w = 0; w < WORDS_MAX && signs[i].words[w]; w++) {
			struct buf looks = { 0 };

			add_words(&looks, signs[i].words[w]);
			s->words[i][w] = buf_take(&looks);
		}
	}
	return s;
}

void odd_signs_free(struct odd_signs *s)
{
	for (size_t i = 0; i < COUNT(signs); i++) {
		for (size_t w = 0; w < WORDS_MAX; w++)
			mem_free(s->words[i][w]);
	}
	mem_free(s);
}

static bool shows(const char *text, const struct odd_signs *s, size_t sign)
{
	for (size_t w = 0; w < WORDS_MAX && s->words[sign][w]; w++) {
		if (strstr(text, s->words[sign][w]))
			return true;
	}
	return false;
}

char *odd_texts(const struct odd_signs *s, const struct tool *t,
		const struct tool *like)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf hides = { 0 };
	struct buf out = { 0 };

	add_one(&text, t->name);
	add_one(&text, t->title);
	add_one(&text, t->description);
	add_tree(&text, t->schema);
	for (size_t i = 0; i < COUNT(signs); i++) {
		if (shows(buf_string(&text), s, i))
			add_mark(&out, "it holds what looks like ",
				 signs[i].looks, "");
	}
	if (judge_text(t, &hides))
		add_mark(&out, "", hides.data, "");
	if (like)
		add_mark(&out, "its name looks like that of '", like->name,
			 "'");
	return out.len ? buf_take(&out) : NULL;
}

const struct tool **look_alikes(const struct tool_list *list)
{
	const struct tool **like =
		mem_zalloc((list->count + 1) * sizeof(struct tool *));
	struct name_set seen = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(buf_done) struct buf look = { 0 };
		size_t first;

		if (list->tool[i].duplicate)
			continue;
		tool_sanitise(list->tool[i].name, SANITISE_LOOK, &look);
		first = name_set_add(&seen, buf_string(&look), i);
		if (first == NAME_NONE)
			continue;
		like[i] = &list->tool[first];
		like[first] = &list->tool[i];
	}
	name_set_done(&seen);
	return like;
}
