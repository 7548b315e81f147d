/* SPDX-License-Identifier: MIT */
/*
 * Rules over whole lists: each is found where it is planted, in words that say
 * what and whose, and a healthy list is silent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diag/facts.h"
#include "diag/list_rules.h"
#include "diag/tool_notes.h"
#include "rendered.h"

#define SCHEMA(rest) "\"inputSchema\":{\"type\":\"object\"" rest "}"
#define PROPERTIES(members) SCHEMA(",\"properties\":{" members "}")
#define TOOL(name) "{\"name\":\"" name "\"," SCHEMA("") "}"
#define USERS ",\"annotations\":{\"audience\":[\"user\"]}"

/* Pages parted by newlines. */
static void list_of(struct tool_list *l, const char *pages)
{
	while (*pages) {
		const char *end = strchrnul(pages, '\n');
		char *page = mem_printf("%.*s", (int)(end - pages), pages);

		add_page(l, page);
		mem_free(page);
		pages = *end ? end + 1 : end;
	}
}

static void codes_of(const struct diag *d, struct buf *out)
{
	for (size_t i = 0; i < d->count; i++)
		buf_printf(out, "%s%s", i ? " " : "",
			   finding_row(d->item[i].code)->code);
}

static void assert_codes(struct diag *d, const char *codes, const char *what)
{
	CLEANUP(buf_done) struct buf found = { 0 };

	codes_of(d, &found);
	if (strcmp(buf_string(&found), codes) != 0)
		fail_msg("'%s' instead of '%s' for %s%s%s", buf_string(&found),
			 codes, what, d->count ? ": " : "",
			 d->count ? d->item[0].detail : "");
}

/* What a list has. detail: of the first; NULL: none is looked at. */
static void assert_found(bool board, const char *pages, const char *codes,
			 const char *detail)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	struct diag d = { .about = { .board = board } };

	list_of(&l, pages);
	diag_list(&d, &l);
	assert_codes(&d, codes, pages);
	if (detail)
		assert_string_equal(d.item[0].detail, detail);
	diag_done(&d);
}

static void healthy_is_silent(void **state)
{
	(void)state;
	assert_found(true, TOOL("self.get_device_status"), "", NULL);
	assert_found(true, TOOL("self.a") "," TOOL("self.b-1_X"), "", NULL);
	/* Line breaks, emoji and other scripts are no tricks. */
	assert_found(
		true,
		"{\"name\":\"a\",\"description\":\"one\\r\\ntwo\\n\\t三 "
		"\u2764\ufe0f \U0001f468\u200d\U0001f469\"," SCHEMA("") "}",
		"", NULL);
	assert_found(
		true,
		"{\"name\":\"a\"," PROPERTIES(
			"\"v\":{\"type\":\"array\",\"items\":{\"type\":"
			"\"string\"}},\"w\":{\"type\":[\"string\",\"null\"]},"
			"\"x\":{\"anyOf\":[{\"required\":[\"q\"]}]},\"y\":{},"
			"\"z\":{\"$ref\":\"#\",\"required\":[\"q\"]}") "}",
		"", NULL);
	/* What is for users only no model sees. */
	assert_found(true,
		     "{\"name\":\"1 x\"," PROPERTIES("\"v\":{\"type\":"
						     "\"array\"}") USERS "}",
		     "", NULL);
}

static void names_that_models_refuse(void **state)
{
	char name[80] = { 0 }, tool[200];

	(void)state;
	memset(name, 'n', 71);
	snprintf(tool, sizeof(tool), "{\"name\":\"%s\"," SCHEMA("") "}", name);
	assert_found(
		true, tool, "D117",
		"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…: its name has 71 characters: OpenAI, Gemini, Qwen and Kimi refuse it");
	assert_found(false, tool, "D117", NULL);
	memset(name, 'n', 64);
	name[64] = '\0';
	snprintf(tool, sizeof(tool), "{\"name\":\"%s\"," SCHEMA("") "}", name);
	assert_found(true, tool, "", NULL);
	assert_found(
		true, TOOL("21st"), "D117",
		"21st: its name begins neither with a letter nor with _: Gemini and Kimi refuse it");
	/* A blank is mended by some, ideographs by none of those that keep them. */
	assert_found(
		true, TOOL("a b"), "D117",
		"a b: its name holds more than letters, digits, _ and -: OpenAI, Anthropic, Gemini, DeepSeek and Kimi refuse it behind the Go server");
	assert_found(
		true, TOOL("灯"), "D117",
		"灯: its name begins neither with a letter nor with _: Gemini and Kimi refuse it");
	assert_found(
		true, TOOL("self.灯"), "D117",
		"self.灯: its name holds more than letters, digits, _ and -: OpenAI, Anthropic, Gemini, DeepSeek and Kimi refuse it");
	/* Who stands before the model of a plain server is not known. */
	assert_found(false, TOOL("a b") "," TOOL("a.b") "," TOOL("c/d"), "",
		     NULL);
	assert_found(true, TOOL(""), "D117",
		     "it has no name: nobody can call it");
	assert_found(true, TOOL("a/b") "," TOOL("c/d") "," TOOL("e/f"), "D117",
		     NULL);
}

static void schemas_that_are_refused(void **state)
{
	static const struct {
		const char *schema, *detail;
	} wrong[] = {
		{ "\"x\":1", "t: it has no inputSchema: MCP wants that, and "
			     "strict clients refuse the list" },
		{ "\"inputSchema\":null",
		  "t: its inputSchema is no object: MCP wants that, and strict "
		  "clients refuse the list" },
		{ "\"inputSchema\":{\"properties\":{}}",
		  "t: its inputSchema has no \"type\":\"object\": MCP wants "
		  "that, and strict clients refuse the list" },
		{ PROPERTIES("\"v\":{\"type\":\"array\"}"),
		  "t: 'v' is an array without items: OpenAI and Gemini refuse "
		  "that" },
		{ PROPERTIES("\"v\":{\"type\":\"array\",\"items\":{\"type\":"
			     "\"array\"}}"),
		  "t: 'v' is an array without items: OpenAI and Gemini refuse "
		  "that" },
		{ SCHEMA(",\"properties\":{\"a\":{}},\"required\":[\"a\","
			 "\"b\"]"),
		  "t: 'b' is required and no property: Gemini refuses that" },
		{ PROPERTIES("\"v\":{\"type\":true}"),
		  "t: 'v' has a type that JSON Schema does not have" },
		{ PROPERTIES("\"v\":{\"type\":\"int\"}"),
		  "t: 'v' has a type that JSON Schema does not have" },
		{ PROPERTIES("\"v\":{\"type\":\"string\",\"required\":true}"),
		  "t: 'v' has a 'required' that is no list" },
		{ SCHEMA(",\"properties\":[]"),
		  "t: 'inputSchema' has properties that are no object" },
		{ PROPERTIES("\"v\":{\"type\":[]}"),
		  "t: 'v' has a type that JSON Schema does not have" },
		{ PROPERTIES("\"v\":{\"type\":[\"string\",\"any\"]}"),
		  "t: 'v' has a type that JSON Schema does not have" },
		{ PROPERTIES("\"v\":{\"type\":[\"string\",1]}"),
		  "t: 'v' has a type that JSON Schema does not have" },
		{ PROPERTIES("\"v\":{\"type\":[\"null\",\"array\"]}"),
		  "t: 'v' is an array without items: OpenAI and Gemini refuse "
		  "that" },
		{ PROPERTIES("\"v\":{\"properties\":{\"w\":{\"type\":"
			     "\"array\"}}}"),
		  "t: 'w' is an array without items: OpenAI and Gemini refuse "
		  "that" },
		{ SCHEMA(",\"required\":[\"a\"]"),
		  "t: 'a' is required and no property: Gemini refuses that" },
		{ SCHEMA(",\"required\":[7,"
			 "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"]"),
		  "t: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…' is required "
		  "and no property: Gemini refuses that" },
		{ SCHEMA(",\"items\":{\"type\":\"x\"}"),
		  "t: 'inputSchema' has a type that JSON Schema does not "
		  "have" },
		{ "\"inputSchema\":{\"type\":[\"object\"]}",
		  "t: its inputSchema has no \"type\":\"object\": MCP wants "
		  "that, and strict clients refuse the list" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		char *tool = mem_printf("{\"name\":\"t\",%s}", wrong[i].schema);

		assert_found(true, tool, "D118", wrong[i].detail);
		assert_found(false, tool, "D118", wrong[i].detail);
		mem_free(tool);
	}
}

/* Where parts of a schema are put together nothing is said of it. */
static void schemas_that_may_be_fine(void **state)
{
	static const char *const keywords[] = { "$ref",	 "$dynamicRef",
						"anyOf", "oneOf",
						"allOf", "prefixItems" };

	(void)state;
	for (size_t i = 0; i < COUNT(keywords); i++) {
		CLEANUP(mem_free_ptr)
		char *tool = mem_printf(
			"{\"name\":\"t\"," PROPERTIES(
				"\"v\":{\"type\":\"array\",\"%s\":[]},\"w\":{\"required\":[\"q\"],\"%s\":[]}") "}",
			keywords[i], keywords[i]);

		assert_found(true, tool, "", NULL);
	}
	assert_found(
		true,
		"{\"name\":\"t\"," SCHEMA(
			",\"required\":[\"q\"],\"patternProperties\":{}") "}",
		"", NULL);
	assert_found(
		true,
		"{\"name\":\"t\"," SCHEMA(
			",\"properties\":{\"a\":{\"type\":[\"object\",\"array\",\"string\",\"number\",\"integer\",\"boolean\",\"null\"],\"items\":{}}},\"required\":[\"a\"]") "}",
		"", NULL);
	/* Models see none that is for users only; strict clients do. */
	assert_found(true,
		     "{\"name\":\"t\"," SCHEMA(",\"required\":[\"q\"]") USERS
		     "}",
		     "", NULL);
	assert_found(true,
		     "{\"name\":\"t\"," PROPERTIES("\"v\":{\"type\":\"int\"}")
			     USERS "}",
		     "D118",
		     "t: 'v' has a type that JSON Schema does not have");
}

/* The first of them in words, and how many more. */
static void several_of_a_kind(void **state)
{
	(void)state;
	assert_found(
		true, TOOL("21st") "," TOOL("22nd"), "D117",
		"21st: its name begins neither with a letter nor with _: Gemini and Kimi refuse it; and 1 more tool");
	assert_found(
		true,
		TOOL("ok") "," TOOL("21st") "," TOOL("22nd") "," TOOL(
			"x") "," TOOL("23rd"),
		"D117",
		"21st: its name begins neither with a letter nor with _: Gemini and Kimi refuse it; and 2 more tools");
	/* "_" is as good as a letter; "-" is none. */
	assert_found(true, TOOL("_1") "," TOOL("Z9"), "", NULL);
	assert_found(
		true, TOOL("-a"), "D117",
		"-a: its name begins neither with a letter nor with _: Gemini and Kimi refuse it");
}

static void characters_that_hide(void **state)
{
	(void)state;
	assert_found(true,
		     "{\"name\":\"a\",\"description\":\"x \\u202e y\"," SCHEMA(
			     "") "}",
		     "D119",
		     "a: its description holds U+202E, which nobody sees");
	assert_found(
		true,
		"{\"name\":\"a\",\"title\":\"\\u001b[31m\"," SCHEMA("") "}",
		"D119", "a: its title holds U+001B, a control character");
	assert_found(
		true,
		"{\"name\":\"a\",\"description\":\"x\\u200by\"," SCHEMA("") "}",
		"D119", "a: its description holds U+200B, which nobody sees");
	assert_found(false, TOOL("a\\nb"), "D119", NULL);
}

static void add_tools(struct buf *out, size_t from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s{\"name\":\"t%zu\"," SCHEMA("") "}",
			   i ? "," : "", from + i);
}

/* So many on each page; 0 ends. user_only: one more on page 1. */
static void pages_of(struct buf *out, const size_t *pages, bool user_only)
{
	size_t at = 0;

	if (user_only)
		buf_text(out, "{\"name\":\"u\"," SCHEMA("") USERS "},");
	for (; *pages; pages++) {
		if (at)
			buf_char(out, '\n');
		add_tools(out, at, *pages);
		at += *pages;
	}
}

static void what_backends_keep(void **state)
{
	static const size_t two[] = { 27, 14, 0 }, most[] = { 32, 0 },
			    all[] = { 33, 0 }, many[] = { 32, 97, 0 };
	CLEANUP(buf_done) struct buf pages = { 0 };

	(void)state;
	pages_of(&pages, two, false);
	assert_found(
		true, buf_string(&pages), "D110 D111",
		"the MQTT gateway and the Java server keep 27 of 41; lost: t27 t28 t29 t30 t31 t32 t33 t34 t35 t36 t37 t38 t39 …");
	assert_found(false, buf_string(&pages), "", NULL);
	buf_reset(&pages);
	pages_of(&pages, most, false);
	assert_found(true, buf_string(&pages), "", NULL);
	buf_reset(&pages);
	pages_of(&pages, all, false);
	assert_found(true, buf_string(&pages), "D110", NULL);
	/* With user-only tools on page 1 their pages are not known. */
	buf_reset(&pages);
	pages_of(&pages, two, true);
	assert_found(
		true, buf_string(&pages), "D110",
		"the MQTT gateway and the Java server keep at most 32 of 41; lost: t32 t33 t34 t35 t36 t37 t38 t39 t40");
	buf_reset(&pages);
	pages_of(&pages, many, false);
	assert_found(
		true, buf_string(&pages), "D110 D111",
		"the MQTT gateway and the Java server keep 32 of 129; OpenAI and Kimi take 128 at most; lost: t32 t33 t34 t35 …");
}

static void names_that_become_the_same(void **state)
{
	(void)state;
	assert_found(true, TOOL("self.a.b") "," TOOL("self.a_b"), "D113",
		     "self.a.b and self.a_b are one behind the Go server");
	assert_found(true, TOOL("a/b") "," TOOL("a:b"), "D117 D113", NULL);
	assert_found(false, TOOL("self.a.b") "," TOOL("self.a_b"), "", NULL);
	assert_found(true, TOOL("a") "," TOOL("a") "," TOOL("a"), "D112",
		     "a: stands in the list before; and 1 more tool");
}

static void tools_that_are_too_large(void **state)
{
	char *text = mem_alloc(8001);
	char *tool;

	(void)state;
	memset(text, 'x', 8000);
	text[8000] = '\0';
	tool = mem_printf(
		"{\"name\":\"big\",\"description\":\"%s\"," SCHEMA("") "}",
		text);
	assert_found(
		true, tool, "D108",
		"big: its JSON has 8063 bytes: stock firmware cannot list a tool above 7959");
	assert_found(false, tool, "", NULL);
	mem_free(tool);
	mem_free(text);
}

/* Proof: the tool, as the device sent it; no frame is named. */
static void proof_is_the_tool(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	struct diag d = { .about = { .board = true }, .frames = 7 };
	const struct finding *f;

	(void)state;
	list_of(&l, TOOL("a") "," TOOL("2"));
	diag_list(&d, &l);
	f = diag_finding(&d, D117);
	assert_non_null(f);
	assert_int_equal(f->proof.n, 0);
	assert_true(f->proof.from_device);
	assert_int_equal(f->proof.text_len, strlen(TOOL("2")));
	assert_memory_equal(f->proof.text, TOOL("2"), f->proof.text_len);
	diag_done(&d);
}

/* ---- the same asked again ---- */

static void assert_again(const char *first, const char *second,
			 const char *detail)
{
	CLEANUP(tool_list_done) struct tool_list one = { 0 };
	CLEANUP(tool_list_done) struct tool_list two = { 0 };
	struct diag d = { .about = { .board = true } };

	list_of(&one, first);
	list_of(&two, second);
	diag_list_again(&d, &one, &two);
	assert_codes(&d, detail ? "D109" : "", second);
	if (detail)
		assert_string_equal(d.item[0].detail, detail);
	diag_done(&d);
}

static void second_lists(void **state)
{
	const char *user = TOOL("a") ",{\"name\":\"u\"," SCHEMA("") USERS "}";

	(void)state;
	assert_again(TOOL("a") "," TOOL("b"), TOOL("a") "\n" TOOL("b"), NULL);
	assert_again(TOOL("a") "," TOOL("b"), TOOL("a"), "1 gone: b");
	assert_again(TOOL("a") "," TOOL("c"),
		     TOOL("b") "," TOOL("d") ",{\"name\":\"a\"," PROPERTIES(
			     "\"v\":{}") "}",
		     "1 gone: c; 2 new: b …; 1 changed: a");
	assert_again(TOOL("a") "," TOOL("b"), TOOL("b") "," TOOL("a"),
		     "another order: b stands where a was");
	assert_again(user, TOOL("a"), NULL);
	assert_again(TOOL("a"), user, NULL);
	assert_again(TOOL("b"), user, "1 gone: b; 1 new: a");
	assert_again(user, TOOL("b"), "1 gone: a; 1 new: b");
	assert_again(TOOL("a") "," TOOL("b") "," TOOL("c"), TOOL("a"),
		     "2 gone: b …");
	assert_again(TOOL("a") "," TOOL("b") "," TOOL("c"),
		     TOOL("a") "," TOOL("c") "," TOOL("b"),
		     "another order: c stands where b was");
	/* Of the order only what both were asked for counts. */
	assert_again(TOOL("a") "," TOOL("b"),
		     "{\"name\":\"u\"," SCHEMA("") USERS
		     "}," TOOL("b") "," TOOL("a"),
		     "another order: b stands where a was");
	assert_again("", "", NULL);
	/* Asked for both times. */
	assert_again("{\"name\":\"v\"," SCHEMA("") USERS
		     "},{\"name\":\"u\"," SCHEMA("") USERS "}",
		     "{\"name\":\"v\"," SCHEMA("") USERS "}", "1 gone: u");
}

/* ---- one tool in sentences, and the list ---- */

static bool has_note(const struct tool_list *l, size_t at, enum diag_code code,
		     const char *text)
{
	CLEANUP(tool_notes_done) struct tool_notes notes = { 0 };
	bool found = false;

	tool_notes_find(&notes, l, &l->tool[at]);
	for (size_t i = 0; i < notes.count; i++)
		found |= notes.item[i].code == code &&
			 strcmp(notes.item[i].text, text) == 0;
	return found;
}

static void assert_notes(const struct tool_list *l, size_t at,
			 const char *codes)
{
	CLEANUP(tool_notes_done) struct tool_notes notes = { 0 };
	CLEANUP(buf_done) struct buf found = { 0 };

	tool_notes_find(&notes, l, &l->tool[at]);
	for (size_t i = 0; i < notes.count; i++)
		buf_printf(&found, "%s%s", i ? " " : "",
			   notes.item[i].code == NOTE_HAS_NO_CODE ?
				   "-" :
				   finding_row(notes.item[i].code)->code);
	assert_string_equal(buf_string(&found), codes);
}

static void assert_limit(const struct tool_list *l, const char *text)
{
	CLEANUP(words_done) struct words limits = { 0 };

	list_limits(&limits, l);
	assert_int_equal(limits.count, 1);
	assert_string_equal(limits.word[0], text);
}

static void places_in_sentences(void **state)
{
	static const size_t two[] = { 21, 20, 0 }, one[] = { 33, 0 };
	CLEANUP(buf_done) struct buf pages = { 0 };
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	CLEANUP(tool_list_done) struct tool_list alone = { 0 };
	CLEANUP(tool_list_done) struct tool_list mixed = { 0 };

	(void)state;
	pages_of(&pages, two, false);
	list_of(&l, buf_string(&pages));
	assert_true(has_note(
		&l, 25, D110,
		"it is number 26: the MQTT gateway and the Java server keep 32 tools, drop the page that would pass that, and see only the first 21"));
	assert_true(has_note(
		&l, 25, D111,
		"it is on page 2: the Rust server asks for the first page only"));
	assert_limit(
		&l,
		"the MQTT gateway and the Java server keep 32 tools: they see the first 21 of these");
	buf_reset(&pages);
	pages_of(&pages, one, false);
	list_of(&alone, buf_string(&pages));
	assert_limit(
		&alone,
		"the MQTT gateway and the Java server keep 32 tools: they see none of this one page");
	assert_true(has_note(
		&alone, 2, D110,
		"it is number 3: the MQTT gateway and the Java server keep 32 tools, drop the page that would pass that, and see none"));
	buf_reset(&pages);
	pages_of(&pages, two, true);
	list_of(&mixed, buf_string(&pages));
	assert_true(has_note(
		&mixed, 41, D110,
		"it is number 41: the MQTT gateway and the Java server keep 32 tools"));
	assert_false(has_note(
		&mixed, 25, D111,
		"it is on page 2: the Rust server asks for the first page only"));
	/* What fits on the pages before: a place within that is fine. */
	assert_notes(&l, 20, "");
	assert_notes(&l, 21, "D110 D111");
	assert_notes(&mixed, 0, "-");
	assert_notes(&mixed, 32, "");
	assert_notes(&mixed, 33, "D110");
	assert_limit(
		&mixed,
		"the MQTT gateway and the Java server keep 32 tools at most, and drop the page that would pass that; without user-only tools the pages are others: --no-user counts what they see");
}

/* A tool that fits has none; others one a hazard. */
static void hazards_of_one(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	char name[70] = { 0 };
	CLEANUP(mem_free_ptr) char *tool = NULL;

	(void)state;
	memset(name, 'n', 65);
	tool = mem_printf("{\"name\":\"%s\"," SCHEMA("") "}", name);
	list_of(&l, TOOL("a") "," TOOL("a") ",{\"name\":\"self.u v\"," SCHEMA(
			    "") USERS "}," TOOL("self.u.v"));
	add_page(&l, tool);
	assert_notes(&l, 0, "");
	assert_notes(&l, 1, "D112");
	assert_true(has_note(
		&l, 1, D112,
		"another tool of the same name stands before it: which one is called depends on the backend"));
	assert_notes(&l, 2, "-");
	assert_true(has_note(
		&l, 2, NOTE_HAS_NO_CODE,
		"it is user-only: no backend lists it for the model; a call by name works all the same"));
	/* What is for users only takes no other's name. */
	assert_notes(&l, 3, "-");
	assert_notes(&l, 4, "D117");
	assert_true(has_note(
		&l, 4, D117,
		"its name has 65 characters: OpenAI, Gemini, Qwen and Kimi refuse it"));
}

/* What firmware cannot list; and what a gateway does not take at once. */
static void sizes_in_sentences(void **state)
{
	static const struct {
		int text;
		const char *note; /* NULL: none */
	} rows[] = {
		{ 7959 - 63, NULL },
		{ 7960 - 63,
		  "its JSON has 7960 bytes: stock firmware cannot list a tool above 7959" },
		{ 8192 - 63,
		  "its JSON has 8192 bytes: stock firmware cannot list a tool above 7959" },
		{ 8193 - 63,
		  "its JSON has 8193 bytes: stock firmware cannot list a tool above 7959, and the MQTT gateway drops a device that sends more than 8192 at once" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(tool_list_done) struct tool_list l = { 0 };
		CLEANUP(mem_free_ptr)
		char *tool = mem_printf(
			"{\"name\":\"big\",\"description\":\"%0*d\"," SCHEMA(
				"") "}",
			rows[i].text, 0);

		list_of(&l, tool);
		assert_notes(&l, 0, rows[i].note ? "D108" : "");
		if (rows[i].note)
			assert_true(has_note(&l, 0, D108, rows[i].note));
	}
}

static void names_in_sentences(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	list_of(&l, TOOL("self.a.b") "," TOOL("self.a_b") "," TOOL(
			    "a b") "," TOOL("a b.c") "," TOOL("self.reboot"));
	assert_true(has_note(
		&l, 0, NOTE_HAS_NO_CODE,
		"the model knows it as 'self_a_b': the Python, Java and Go servers change the name"));
	assert_true(has_note(
		&l, 0, D113,
		"behind the Go server its changed name is that of 'self.a_b' too: a call reaches one of the two only"));
	assert_true(has_note(
		&l, 0, D113,
		"behind the Python and Java servers its changed name is that of 'self.a_b' too: a call reaches one of the two only"));
	assert_true(has_note(
		&l, 2, NOTE_HAS_NO_CODE,
		"the model knows it as 'a_b' behind the Python and Java servers; the Go server keeps the name"));
	assert_true(has_note(
		&l, 3, NOTE_HAS_NO_CODE,
		"the model knows it as 'a_b_c' behind the Python and Java servers, as 'a b_c' behind the Go server"));
	assert_true(has_note(
		&l, 4, D136,
		"firmware drops the connection instead of answering: backends wait until their time is over"));
}

/* ---- what is recorded from real firmware: exactly these ---- */

static void add_recorded(struct tool_list *l, const char *line)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(line, strlen(line), NULL);
	const cJSON *reply;

	cJSON_ArrayForEach(reply, json_array(json, "recv")) {
		CLEANUP(json_free_ptr)
		cJSON *message = json_parse(reply->valuestring,
					    strlen(reply->valuestring), NULL);
		const cJSON *tools =
			json_array(json_object(message, "result"), "tools");
		CLEANUP(buf_done) struct buf text = { 0 };
		const cJSON *tool;

		if (!tools)
			continue;
		cJSON_ArrayForEach(tool, tools) {
			if (text.len)
				buf_char(&text, ',');
			json_print(&text, tool);
		}
		add_page(l, buf_string(&text));
	}
}

static void recorded(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	struct diag d = { .about = { .board = true } };
	FILE *in = fopen("tests/fixtures/firmware-2.4.2-paging.jsonl", "re");
	char *line = NULL;
	size_t room = 0, pages = 0;

	(void)state;
	assert_non_null(in);
	/* The first listing: two pages without user-only tools. */
	while (pages < 2 && getline(&line, &room, in) > 0) {
		add_recorded(&l, line);
		pages = l.pages;
	}
	assert_int_equal(l.count, 50);
	diag_list(&d, &l);
	assert_codes(&d, "D110 D111", "the recorded list");
	assert_memory_equal(
		d.item[0].detail,
		"the MQTT gateway and the Java server keep 29 of 50; lost: ",
		57);
	diag_done(&d);
	free(line);
	fclose(in);
}

/* Schemas of all kinds, made for describe: what is wrong with them, and no more. */
static void schemas_of_the_fixture(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	struct diag d = { 0 };
	FILE *in = fopen("tests/fixtures/schemas.jsonl", "re");
	char *line = NULL;
	size_t room = 0;

	(void)state;
	assert_non_null(in);
	while (getline(&line, &room, in) > 0)
		add_page(&l, line);
	diag_list(&d, &l);
	assert_codes(&d, "D117 D118", "schemas.jsonl");
	assert_string_equal(
		d.item[0].detail,
		"灯.设置: its name begins neither with a letter nor with _: Gemini and Kimi refuse it");
	assert_string_equal(
		d.item[1].detail,
		"all-of: its inputSchema has no \"type\":\"object\": MCP wants that, and strict clients refuse the list; and 1 more tool");
	diag_done(&d);
	free(line);
	fclose(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_is_silent),
		cmocka_unit_test(names_that_models_refuse),
		cmocka_unit_test(schemas_that_are_refused),
		cmocka_unit_test(characters_that_hide),
		cmocka_unit_test(what_backends_keep),
		cmocka_unit_test(names_that_become_the_same),
		cmocka_unit_test(tools_that_are_too_large),
		cmocka_unit_test(proof_is_the_tool),
		cmocka_unit_test(second_lists),
		cmocka_unit_test(places_in_sentences),
		cmocka_unit_test(schemas_that_may_be_fine),
		cmocka_unit_test(several_of_a_kind),
		cmocka_unit_test(hazards_of_one),
		cmocka_unit_test(sizes_in_sentences),
		cmocka_unit_test(names_in_sentences),
		cmocka_unit_test(recorded),
		cmocka_unit_test(schemas_of_the_fixture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
