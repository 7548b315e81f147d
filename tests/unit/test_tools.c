/* SPDX-License-Identifier: MIT */
/* mcp/types: tools of a listing, found, matched, sanitised, and their bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "mcp/tool_effect.h"
#include "mcp/tools.h"
#include "mcp/types.h"

static void decode(struct message *m, const char *text)
{
	assert_int_equal(message_decode(m, text, strlen(text), NULL), 0);
}

static int add(struct tool_list *l, const char *text, size_t *skipped,
	       struct error *err)
{
	struct message m;

	decode(&m, text);
	return tool_list_add_take(l, &m, skipped, err);
}

/* A list of tools with these names. */
static void add_names(struct tool_list *l, const char *const *names,
		      size_t count)
{
	struct buf page = { 0 };

	buf_text(&page, "{\"id\":1,\"result\":{\"tools\":[");
	for (size_t i = 0; i < count; i++) {
		buf_text(&page, i ? ",{\"name\":" : "{\"name\":");
		buf_json_string(&page, names[i], strlen(names[i]));
		buf_char(&page, '}');
	}
	buf_text(&page, "]}}");
	assert_int_equal(add(l, buf_string(&page), NULL, NULL), 0);
	buf_done(&page);
}

static const char page_1[] =
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":["
	"{\"name\":\"self.audio_speaker.set_volume\",\"description\":\"Set the "
	"loudness\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
	"{\"volume\":{\"type\":\"integer\"}}}}, 7 ,"
	"{ \"name\" : \"self.reboot\", \"annotations\":{\"audience\":"
	"[\"user\"],\"title\":\"Restart\"}}],\"nextCursor\":\"x\"}}";

static const char page_2[] =
	"{\"id\":2,\"result\":{\"extra\":[{\"tools\":1}],\"tools\":["
	"{\"name\":\"self.reboot\",\"description\":5},"
	"{\"description\":\"no name\",\"annotations\":{\"audience\":[\"user\","
	"\"assistant\"]}},{\"name\":\"\"},{\"name\":\"Self.Reboot\","
	"\"title\":\"T\",\"inputSchema\":true}]}}";

static void two_pages(struct tool_list *l)
{
	size_t skipped = 0;

	assert_int_equal(add(l, page_1, &skipped, NULL), 0);
	assert_int_equal(skipped, 1);
	assert_int_equal(add(l, page_2, &skipped, NULL), 0);
	assert_int_equal(skipped, 1);
}

static void text_is_a_page(void **state)
{
	static const char two[] = "{\"name\":\"a\"},{ \"name\" :\"b\"}";
	struct error err = { 0 };
	struct tool_list l = { 0 };
	struct span text;

	(void)state;
	assert_int_equal(tool_list_add_text(&l, "", 0, &err), 0);
	assert_int_equal(l.count, 0);
	/* len counts, not the NUL. */
	assert_int_equal(tool_list_add_text(&l, two, 12, &err), 0);
	assert_int_equal(l.count, 1);
	assert_int_equal(tool_list_add_text(&l, two, strlen(two), &err), 0);
	assert_int_equal(l.count, 3);
	text = tool_text(&l.tool[2]);
	assert_memory_equal(text.text, two + 13, text.len);
	assert_int_equal(text.len, strlen(two) - 13);
	assert_int_equal(tool_list_add_text(&l, two, 5, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_int_equal(l.count, 3);
	error_reset(&err);
	tool_list_done(&l);
}

static void pages_are_decoded(void **state)
{
	struct tool_list l = { 0 };

	(void)state;
	two_pages(&l);
	assert_int_equal(l.count, 6);
	assert_int_equal(l.pages, 2);
	assert_int_equal(l.user_only, 1);
	assert_string_equal(l.tool[0].name, "self.audio_speaker.set_volume");
	assert_string_equal(l.tool[0].description, "Set the loudness");
	assert_non_null(json_object(l.tool[0].schema, "properties"));
	assert_null(l.tool[0].title);
	assert_false(l.tool[0].user_only);
	assert_true(l.tool[1].user_only);
	assert_string_equal(l.tool[1].title, "Restart");
	assert_string_equal(l.tool[1].description, "");
	assert_null(l.tool[1].schema);
	assert_true(l.tool[2].duplicate);
	assert_false(l.tool[1].duplicate);
	assert_string_equal(l.tool[3].name, "");
	/* Two without a name are not two of the same name. */
	assert_false(l.tool[4].duplicate);
	assert_false(l.tool[3].user_only);
	assert_false(l.tool[5].duplicate);
	assert_int_equal(l.tool[5].position, 5);
	assert_int_equal(l.tool[5].page, 1);
	tool_list_done(&l);
	assert_int_equal(l.count, 0);
}

static void assert_text(const struct tool *t, const char *text)
{
	struct span span = tool_text(t);

	assert_int_equal(span.len, strlen(text));
	assert_memory_equal(span.text, text, span.len);
}

static void text_is_as_received(void **state)
{
	struct tool_list l = { 0 };

	(void)state;
	two_pages(&l);
	assert_text(&l.tool[1],
		    "{ \"name\" : \"self.reboot\", \"annotations\":{"
		    "\"audience\":[\"user\"],\"title\":\"Restart\"}}");
	assert_text(&l.tool[2], "{\"name\":\"self.reboot\",\"description\":5}");
	assert_text(&l.tool[4], "{\"name\":\"\"}");
	/* And once more, from what was found. */
	assert_text(&l.tool[4], "{\"name\":\"\"}");
	tool_list_done(&l);
	/* A name spelt with escapes is the same name; two of a name, the first. */
	assert_int_equal(add(&l,
			     "{\"id\":1,\"result\":{\"t\\u006fols\":[{\"name\":"
			     "\"a\"}],\"tools\":[]},\"result\":7}",
			     NULL, NULL),
			 0);
	assert_text(&l.tool[0], "{\"name\":\"a\"}");
	tool_list_done(&l);
}

static void no_tools_is_an_error(void **state)
{
	static const char *const odd[] = {
		"{\"id\":1,\"result\":{}}",
		"{\"id\":1,\"result\":null}",
		"{\"id\":1,\"result\":[{\"name\":\"a\"}]}",
		"{\"id\":1,\"result\":{\"tools\":{\"name\":\"a\"}}}",
		"{\"id\":1,\"result\":{\"Tools\":[]}}",
		"{\"id\":1,\"error\":{\"message\":\"x\"}}",
	};
	struct tool_list l = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(odd); i++) {
		struct error err = { 0 };

		assert_int_equal(add(&l, odd[i], NULL, &err), -1);
		assert_int_equal(err.kind, ERR_PROTOCOL);
		assert_string_equal(err.detail, odd[i]);
		assert_int_equal(l.pages, 0);
		error_reset(&err);
	}
	tool_list_done(&l);
}

static void find_and_nearest(void **state)
{
	static const char *const names[] = { "self.audio_speaker.set_volume",
					     "self.screen.set_theme",
					     "self.reboot", "a" };
	struct tool_list l = { 0 };

	(void)state;
	assert_null(tool_list_find(&l, "a"));
	assert_null(tool_list_nearest(&l, "a"));
	add_names(&l, names, COUNT(names));
	assert_ptr_equal(tool_list_find(&l, "self.reboot"), &l.tool[2]);
	assert_null(tool_list_find(&l, "self.Reboot"));
	assert_null(tool_list_find(&l, ""));
	assert_string_equal(tool_list_nearest(&l, "self.reboto"),
			    "self.reboot");
	assert_string_equal(tool_list_nearest(&l, "set_volume"),
			    "self.audio_speaker.set_volume");
	assert_string_equal(tool_list_nearest(&l, "screen.set_theme"),
			    "self.screen.set_theme");
	/* The name as backends show it. */
	assert_string_equal(
		tool_list_nearest(&l, "self_audio_speaker_set_volume"),
		"self.audio_speaker.set_volume");
	assert_null(tool_list_nearest(&l, "zzzzzzzz"));
	tool_list_done(&l);
}

static void meant_by_a_part(void **state)
{
	static const char *const names[] = { "self.audio_speaker.set_volume",
					     "self.lamp.get_state",
					     "self.fan.get_state",
					     "self.reboot",
					     "arm.factory_reset",
					     "set_theme",
					     "self.screen.set_theme" };
	static const struct {
		const char *word, *name, *says;
	} rows[] = {
		{ "set_volume", "self.audio_speaker.set_volume", NULL },
		{ "audio_speaker.set_volume", "self.audio_speaker.set_volume",
		  NULL },
		{ "fan.get_state", "self.fan.get_state", NULL },
		{ "self.reboot", "self.reboot", NULL },
		{ "set_theme", "set_theme", NULL },
		{ "volume", NULL, NULL },
		{ "_volume", NULL, NULL },
		{ ".set_volume", NULL, NULL },
		{ "", NULL, NULL },
		{ "Set_Volume", NULL, NULL },
		{ "self", NULL, NULL },
		{ "get_state", NULL, "'get_state' is ambiguous: 2 tools" },
		{ "reboot", NULL,
		  "'self.reboot', which may do what cannot be taken back" },
		{ "factory_reset", NULL,
		  "'arm.factory_reset', which may do what cannot" },
	};
	struct tool_list l = { 0 };

	(void)state;
	add_names(&l, names, COUNT(names));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		const struct tool *t = &l.tool[0];
		int status = tool_list_meant(&l, rows[i].word, &t, &err);

		assert_int_equal(status, rows[i].says ? -1 : 0);
		if (rows[i].says)
			assert_non_null(strstr(err.text, rows[i].says));
		if (rows[i].name)
			assert_string_equal(t->name, rows[i].name);
		else
			assert_null(t);
		error_reset(&err);
	}
	tool_list_done(&l);
}

static void ambiguous_of(size_t count, const char *behind)
{
	CLEANUP(buf_done) struct buf page = { 0 }, names = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("'get' is ambiguous: %zu tools end so", count);
	struct tool_list l = { 0 };
	struct error err = { 0 };
	const struct tool *t;

	for (size_t i = 0; i < count; i++) {
		buf_printf(&page, "{\"name\":\"a%zu.get\"},", i);
		if (i < 20)
			buf_printf(&names, "%sa%zu.get", i ? "\n" : "", i);
	}
	buf_text(&names, behind);
	/* One that is listed twice is one. */
	buf_text(&page, "{\"name\":\"a0.get\"},{\"name\":\"a0.set\"}");
	assert_int_equal(
		tool_list_add_text(&l, buf_string(&page), page.len, &err), 0);
	assert_int_equal(tool_list_meant(&l, "get", &t, &err), -1);
	assert_string_equal(err.text, text);
	assert_string_equal(err.detail, buf_string(&names));
	error_reset(&err);
	tool_list_done(&l);
}

/* The first of them are named. */
static void ambiguous_names(void **state)
{
	(void)state;
	ambiguous_of(2, "");
	ambiguous_of(20, "");
	ambiguous_of(23, "\nand 3 more");
}

static void whom_it_is_for(void **state)
{
	static const struct {
		const char *audience;
		bool user_only;
	} rows[] = {
		{ "[\"user\"]", true },
		{ "[\"assistant\"]", false },
		{ "[\"user\",\"assistant\"]", false },
		{ "[\"assistant\",\"user\"]", false },
		{ "[]", false },
		{ "[7]", false },
		{ "\"user\"", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"{\"name\":\"a\",\"annotations\":{\"audience\":%s}}",
			rows[i].audience);
		struct tool_list l = { 0 };

		assert_int_equal(
			tool_list_add_text(&l, text, strlen(text), NULL), 0);
		assert_int_equal(l.tool[0].user_only, rows[i].user_only);
		assert_int_equal(l.user_only, rows[i].user_only);
		tool_list_done(&l);
	}
}

/* Who only reads about it needs no whole name. */
static void a_part_is_enough_to_read(void **state)
{
	static const char *const names[] = { "self.reboot", "a.get", "b.get" };
	struct tool_list l = { 0 };
	struct error err = { 0 };
	const struct tool *t;

	(void)state;
	add_names(&l, names, COUNT(names));
	assert_int_equal(tool_list_named(&l, "reboot", &t, &err), 0);
	assert_string_equal(t->name, "self.reboot");
	assert_int_equal(tool_list_named(&l, "boot", &t, &err), 0);
	assert_null(t);
	assert_int_equal(tool_list_named(&l, "get", &t, &err), -1);
	assert_null(t);
	error_reset(&err);
	tool_list_done(&l);
}

static void a_part_reaches_no_user_tool(void **state)
{
	struct tool_list l = { 0 };
	struct error err = { 0 };
	const struct tool *t;

	(void)state;
	assert_int_equal(
		add(&l,
		    "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"self.get\","
		    "\"annotations\":{\"audience\":[\"user\"]}}]}}",
		    NULL, NULL),
		0);
	assert_int_equal(tool_list_meant(&l, "get", &t, &err), -1);
	assert_non_null(strstr(err.text, "is for users only"));
	assert_string_equal(err.hint, "its whole name is 'self.get'");
	error_reset(&err);
	tool_list_done(&l);
}

static enum tool_effect effect_of(const char *tool)
{
	struct tool_list l = { 0 };
	enum tool_effect effect;

	assert_int_equal(tool_list_add_text(&l, tool, strlen(tool), NULL), 0);
	effect = tool_effect(&l.tool[0]);
	tool_list_done(&l);
	return effect;
}

static void effects(void **state)
{
	(void)state;
	assert_int_equal(effect_of("{\"name\":\"self.get_device_status\"}"),
			 EFFECT_READS);
	assert_int_equal(effect_of("{\"name\":\"self.screen.set_theme\"}"),
			 EFFECT_ACTS);
	assert_int_equal(effect_of("{\"name\":\"x.y\"}"), EFFECT_UNKNOWN);
	assert_int_equal(effect_of("{\"name\":\"x.Reboot_now\"}"),
			 EFFECT_DESTROYS);
	/* Only the last part is looked at. */
	assert_int_equal(effect_of("{\"name\":\"reset.get\"}"), EFFECT_UNKNOWN);
	assert_int_equal(
		effect_of(
			"{\"name\":\"x.y\",\"annotations\":{\"readOnlyHint\":true}}"),
		EFFECT_READS);
	assert_int_equal(
		effect_of(
			"{\"name\":\"x.y\",\"annotations\":{\"destructiveHint\":true,\"readOnlyHint\":true}}"),
		EFFECT_DESTROYS);
	/* What is known, and what the name says, is more than a hint. */
	assert_int_equal(
		effect_of(
			"{\"name\":\"self.reboot\",\"annotations\":{\"readOnlyHint\":true}}"),
		EFFECT_DESTROYS);
	assert_int_equal(
		effect_of(
			"{\"name\":\"x.wipe\",\"annotations\":{\"readOnlyHint\":true}}"),
		EFFECT_DESTROYS);
}

static void effect_words_are_whole_words(void **state)
{
	static const struct {
		const char *tool;
		enum tool_effect effect;
	} rows[] = {
		{ "{\"name\":\"x.rotate\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.set_preset\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.get_quota\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.information\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.power_offset\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.powerOfFan\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.resets\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.resetz\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.RESETZ\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.factory_reset\"}", EFFECT_DESTROYS },
		{ "{\"name\":\"x.factory-reset-2\"}", EFFECT_DESTROYS },
		{ "{\"name\":\"x.reset2\"}", EFFECT_DESTROYS },
		{ "{\"name\":\"deleteFile\"}", EFFECT_DESTROYS },
		{ "{\"name\":\"x.startOTAUpdate\"}", EFFECT_DESTROYS },
		{ "{\"name\":\"x.SystemPowerOff\"}", EFFECT_DESTROYS },
		{ "{\"name\":\"x.POWER_OFF\"}", EFFECT_DESTROYS },
		{ "{\"name\":\"x.do_update_firmware\"}", EFFECT_DESTROYS },
		/* The name tells nothing, the first word of the description does. */
		{ "{\"name\":\"x.y\",\"description\":\" Erase all.\"}",
		  EFFECT_DESTROYS },
		{ "{\"name\":\"x.y\",\"description\":\"Deletes a file\"}",
		  EFFECT_DESTROYS },
		{ "{\"name\":\"x.y\",\"description\":\"Power off the board\"}",
		  EFFECT_DESTROYS },
		{ "{\"name\":\"x.y\",\"description\":\"Wipes\","
		  "\"annotations\":{\"readOnlyHint\":true}}",
		  EFFECT_DESTROYS },
		{ "{\"name\":\"x.y\",\"description\":\"The time, in ISO format\"}",
		  EFFECT_UNKNOWN },
		{ "{\"name\":\"x.y\",\"description\":\"Formatted text\"}",
		  EFFECT_UNKNOWN },
		{ "{\"name\":\"x.y\",\"description\":\"Power of the lamp\"}",
		  EFFECT_UNKNOWN },
		{ "{\"name\":\"x.y\",\"description\":\"Wiped\"}",
		  EFFECT_UNKNOWN },
		{ "{\"name\":\"x.y\",\"description\":\"Wipesx\"}",
		  EFFECT_UNKNOWN },
		{ "{\"name\":\"x.y\",\"description\":\"Power offs\"}",
		  EFFECT_UNKNOWN },
		{ "{\"name\":\"x.y\",\"description\":\"\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"x.y\",\"description\":7}", EFFECT_UNKNOWN },
		{ "{\"name\":\"\"}", EFFECT_UNKNOWN },
		{ "{\"name\":\"._\"}", EFFECT_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (effect_of(rows[i].tool) != rows[i].effect)
			fail_msg("%s", rows[i].tool);
	}
}

static size_t allocated;

static void *counting(size_t size)
{
	allocated++;
	return malloc(size);
}

/* TAB asks for each tool of a list. */
static void effects_are_read_once(void **state)
{
	struct tool t = { .name = "self.reboot", .json = NULL };
	cJSON_Hooks hooks = { .malloc_fn = counting, .free_fn = free };

	(void)state;
	assert_int_equal(tool_effect(&t), EFFECT_DESTROYS);
	cJSON_InitHooks(&hooks);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(tool_effect(&t), EFFECT_DESTROYS);
	cJSON_InitHooks(NULL);
	assert_int_equal(allocated, 0);
}

#define OF_WORDS "\"destroys\" must be a list of words, each of letters a to z"

/* A file of the user's own: where it is wrong, and how. */
static void files_of_effects(void **state)
{
	static const struct {
		const char *text;
		size_t at;
		const char *says; /* NULL: it is good */
	} rows[] = {
		{ "{\"tools\":{}}", 0, NULL },
		{ "{\"tools\":{\"a\":{\"effect\":\"reads\"},\"b\":{\"effect\":"
		  "\"acts\"},\"c\":{\"effect\":\"destroys\"}},\"words\":{"
		  "\"destroys\":[\"x\"]}}",
		  0, NULL },
		{ "{\"tools\":{}", 11, "no JSON from here on" },
		{ "{\"tools\":[]}", 0,
		  "an object with an object \"tools\" is expected" },
		{ "[]", 0, "an object with an object \"tools\" is expected" },
		{ "{\"tools\":{\"a\":{\"effect\":\"reads\"},\"b\":{}}}", 33,
		  "\"b\" needs an \"effect\": reads, acts or destroys" },
		{ "{\"tools\":{\"a\":{\"effect\":\"eats\"}}}", 10,
		  "\"a\" needs an \"effect\": reads, acts or destroys" },
		{ "{\"tools\":{},\"words\":{\"destroys\":[\"x\",\"\"]}}", 21,
		  OF_WORDS },
		{ "{\"tools\":{},\"words\":{\"destroys\":[7]}}", 21, OF_WORDS },
		/* None of these would be a word of a name, or of none alone. */
		{ "{\"tools\":{},\"words\":{\"destroys\":[\"删除\"]}}", 21,
		  OF_WORDS },
		{ "{\"tools\":{},\"words\":{\"destroys\":\"melt\"}}", 21,
		  OF_WORDS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		size_t at = 99;
		int status = tool_effect_check(rows[i].text,
					       strlen(rows[i].text), &at, &err);

		assert_int_equal(status, rows[i].says ? -1 : 0);
		assert_int_equal(at, rows[i].at);
		assert_string_equal(err.text, rows[i].says ? rows[i].says : "");
		if (rows[i].says)
			assert_int_equal(err.kind, ERR_USAGE);
		error_reset(&err);
	}
}

static char *own_effects(void *owner)
{
	return mem_strdup(owner);
}

static void effects_of_an_own_file(void **state)
{
	static char own[] =
		"{\"words\":{\"destroys\":[\"删除\",\"melt\"]},\"tools\":{\"x.y\":"
		"{\"effect\":\"acts\"}}}";

	(void)state;
	tool_effect_from(own_effects, own);
	assert_int_equal(effect_of("{\"name\":\"x.y\"}"), EFFECT_ACTS);
	assert_int_equal(effect_of("{\"name\":\"x.melt\"}"), EFFECT_DESTROYS);
	assert_int_equal(effect_of("{\"name\":\"x.wipe\"}"), EFFECT_UNKNOWN);
	tool_effect_from(NULL, NULL);
	assert_int_equal(effect_of("{\"name\":\"x.y\"}"), EFFECT_UNKNOWN);
	assert_int_equal(effect_of("{\"name\":\"x.wipe\"}"), EFFECT_DESTROYS);
}

static void words_and_globs(void **state)
{
	struct tool_list l = { 0 };

	(void)state;
	two_pages(&l);
	assert_true(tool_matches(&l.tool[0], NULL));
	assert_true(tool_matches(&l.tool[0], "SET_VOL"));
	assert_true(tool_matches(&l.tool[0], "loudness"));
	assert_true(tool_matches(&l.tool[0], "Volume"));
	assert_false(tool_matches(&l.tool[0], "integer"));
	assert_true(tool_matches(&l.tool[1], "restart"));
	assert_true(tool_matches(&l.tool[1], "self.*"));
	assert_false(tool_matches(&l.tool[1], "*.rebo"));
	assert_false(tool_matches(&l.tool[0], "*loudness*"));
	assert_false(tool_matches(&l.tool[5], "volume"));
	tool_list_done(&l);
}

static void assert_sanitised(const char *name, enum sanitise_rule rule,
			     const char *wanted)
{
	struct buf out = { 0 };

	tool_sanitise(name, rule, &out);
	assert_string_equal(buf_string(&out), wanted);
	buf_done(&out);
}

static void names_are_sanitised(void **state)
{
	(void)state;
	assert_sanitised("self.set-vol_1", SANITISE_WIDE, "self_set-vol_1");
	assert_sanitised("self.set vol", SANITISE_DOTS, "self_set vol");
	/* One _ for a character: U+4DFF, U+4E00, U+9FFF, U+A000, an emoji. */
	assert_sanitised("䷿一鿿ꀀ😀", SANITISE_WIDE, "_一鿿__");
	assert_sanitised("音量é", SANITISE_WIDE, "音量_");
	assert_sanitised("音.量", SANITISE_DOTS, "音_量");
	assert_sanitised("self.灯-1_é ", SANITISE_FLAT, "self__-1___");
	assert_sanitised("self.灯-1_é ", SANITISE_SPEC, "self._-1___");
	/* Not UTF-8 at all: nothing is read behind the end. */
	assert_sanitised("a\xe4", SANITISE_WIDE, "a_");
	assert_sanitised("\xe4\xb8", SANITISE_WIDE, "_");
	assert_sanitised("\x80\xff.", SANITISE_DOTS, "\x80\xff_");
	assert_sanitised("", SANITISE_WIDE, "");
}

static void collisions(void **state)
{
	static const char *const names[] = { "a.b", "a_b", "a b", "c", "a.b" };
	struct tool_list l = { 0 };

	(void)state;
	add_names(&l, names, COUNT(names));
	assert_ptr_equal(tool_collision(&l, &l.tool[0], SANITISE_DOTS),
			 &l.tool[1]);
	assert_ptr_equal(tool_collision(&l, &l.tool[1], SANITISE_WIDE),
			 &l.tool[0]);
	assert_ptr_equal(tool_collision(&l, &l.tool[2], SANITISE_WIDE),
			 &l.tool[0]);
	assert_null(tool_collision(&l, &l.tool[2], SANITISE_DOTS));
	assert_null(tool_collision(&l, &l.tool[3], SANITISE_WIDE));
	tool_list_done(&l);
}

static void names_in_a_set(void **state)
{
	struct name_set set = { 0 };

	(void)state;
	assert_int_equal(name_set_find(&set, "a"), NAME_NONE);
	for (size_t i = 0; i < 5000; i++) {
		char *name = mem_printf("name-%zu", i);

		assert_int_equal(name_set_add(&set, name, i), NAME_NONE);
		mem_free(name);
	}
	assert_int_equal(set.names.count, 5000);
	assert_int_equal(name_set_add(&set, "name-77", 9), 77);
	assert_int_equal(name_set_find(&set, "name-4999"), 4999);
	assert_int_equal(name_set_find(&set, "name-5000"), NAME_NONE);
	assert_int_equal(name_set_add(&set, "", 1), NAME_NONE);
	assert_int_equal(name_set_find(&set, ""), 1);
	name_set_done(&set);
	assert_int_equal(name_set_find(&set, ""), NAME_NONE);
}

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double time_of(size_t tools)
{
	struct tool_list l = { 0 };
	struct buf page = { 0 };
	struct message m;
	double start;

	buf_text(&page, "{\"id\":1,\"result\":{\"tools\":[");
	for (size_t i = 0; i < tools; i++)
		buf_printf(&page, "%s{\"name\":\"self.fill.t%zu\"}",
			   i ? "," : "", i);
	buf_text(&page, "]}}");
	decode(&m, buf_string(&page));
	start = milliseconds();
	assert_int_equal(tool_list_add_take(&l, &m, NULL, NULL), 0);
	for (size_t i = 0; i < l.count; i++) {
		assert_true(tool_text(&l.tool[i]).len > 20);
		assert_ptr_equal(tool_list_find(&l, l.tool[i].name),
				 &l.tool[i]);
	}
	start = milliseconds() - start;
	tool_list_done(&l);
	buf_done(&page);
	return start;
}

/* Ten times the tools may take some thirty times as long, never a hundred. */
static void cost_is_linear(void **state)
{
	double few, many;

	(void)state;
	few = time_of(4000);
	many = time_of(40000);
	assert_true(many < 30 * few + 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_a_page),
		cmocka_unit_test(pages_are_decoded),
		cmocka_unit_test(text_is_as_received),
		cmocka_unit_test(no_tools_is_an_error),
		cmocka_unit_test(find_and_nearest),
		cmocka_unit_test(meant_by_a_part),
		cmocka_unit_test(ambiguous_names),
		cmocka_unit_test(whom_it_is_for),
		cmocka_unit_test(a_part_is_enough_to_read),
		cmocka_unit_test(a_part_reaches_no_user_tool),
		cmocka_unit_test(effects),
		cmocka_unit_test(effect_words_are_whole_words),
		cmocka_unit_test(effects_are_read_once),
		cmocka_unit_test(files_of_effects),
		cmocka_unit_test(effects_of_an_own_file),
		cmocka_unit_test(words_and_globs),
		cmocka_unit_test(names_are_sanitised),
		cmocka_unit_test(collisions),
		cmocka_unit_test(names_in_a_set),
		cmocka_unit_test(cost_is_linear),
	};

	mem_init();
	return cmocka_run_group_tests_name("tools", tests, NULL, NULL);
}
