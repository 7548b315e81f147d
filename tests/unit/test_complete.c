/* SPDX-License-Identifier: MIT */
/*
 * What may stand at the cursor, for command lines and lines of the shell, and
 * the forms that the scripts of the shells get.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/complete_shells.h"
#include "cli/complete_words.h"
#include "cli/config.h"
#include "cli/parse.h"
#include "cli/topics.h"
#include "known_tools.h"

#define OBJECT(properties, required)                       \
	"{\"type\":\"object\",\"properties\":{" properties \
	"},\"required\":[" required "]}"

static const struct known_tool tools[] = {
	{ "auto.wide", "", NULL },
	{ "bad.\x1b[31m", "red", NULL },
	{ "bad.one", "plain", NULL },
	{ "quote'd name \"x\"", "", OBJECT("", "") },
	{ "self.audio_speaker.mute", "Mutes.\nSecond line.",
	  OBJECT("\"on\":{\"type\":\"boolean\",\"default\":false}", "") },
	{ "self.audio_speaker.set_volume", "Sets the volume.",
	  OBJECT("\"fade\":{\"type\":\"integer\",\"default\":5,\"minimum\":0},"
		 "\"volume\":{\"type\":\"integer\",\"minimum\":0,"
		 "\"maximum\":100,\"description\":\"loudness\\nof it\"}",
		 "\"volume\"") },
	{ "self.light", "\x1b[31m evil", OBJECT("", "") },
	{ "self.screen.draw", "",
	  OBJECT("\"icon\":{\"type\":\"string\"},"
		 "\"points\":{\"type\":\"array\",\"items\":{\"type\":"
		 "\"object\"}},"
		 "\"tags\":{\"type\":\"array\",\"items\":{\"enum\":[\"a\","
		 "\"b c\"]}},"
		 "\"mode\":{\"anyOf\":[{\"const\":\"fast\"},{\"$ref\":\"#/"
		 "$defs/slow\"}]},"
		 "\"odd\":{\"enum\":[\"@x\",\"5\",5,null,\"it's\",\"$(x)\",\"a!b\",\"\","
		 "\"a\\u0007\"]},"
		 "\"a b\":{\"type\":\"string\"},\"x=y\":{\"type\":\"string\"},"
		 "\"-n\":{\"type\":\"string\"},\"bell\\u0007\":{\"type\":"
		 "\"string\"},"
		 "\"音量\":{\"enum\":[\"大\",\"小\"]}",
		 "\"icon\"") },
	{ "self.screen.theme", "",
	  OBJECT("\"theme\":{\"enum\":[\"light\","
		 "\"dark\"],\"default\":\"dark\"}",
		 "\"theme\"") },
	{ "自.音量.设置", "设置音量", OBJECT("", "") },
	{ NULL, NULL, NULL }
};

static const char *const devices[][2] = { { "kitchen", "aa:01, esp-box" },
					  { "aa:01", "kitchen" },
					  { NULL, NULL } };

static struct known known = { .tool = tools, .device = devices };

/* ---- resources, prompts, templates; what is kept open ---- */

static const struct {
	enum list_kind kind;
	const char *key, *brief, *schema;
} items[] = {
	{ LIST_RESOURCES, "note://1", "a note", OBJECT("", "") },
	{ LIST_RESOURCES, "note://2", "", OBJECT("", "") },
	{ LIST_PROMPTS, "city", "about a city",
	  OBJECT("\"name\":{\"type\":\"string\"},"
		 "\"size\":{\"enum\":[\"big\"]}",
		 "\"name\"") },
	{ LIST_TEMPLATES, "day://{year}/{month}", "a day",
	  OBJECT("\"year\":{\"type\":\"string\"},"
		 "\"month\":{\"type\":\"string\"}",
		 "") },
};
static bool items_listed;

static bool each_item(void *owner, enum list_kind kind, const char *prefix,
		      schema_each *each, void *to)
{
	(void)owner;
	for (size_t i = 0; i < COUNT(items); i++) {
		if (items[i].kind == kind && text_starts(items[i].key, prefix))
			each(to, items[i].key, items[i].brief);
	}
	return items_listed;
}

static bool find_item(void *owner, enum list_kind kind, const char *key,
		      struct buf *out)
{
	(void)owner;
	for (size_t i = 0; i < COUNT(items); i++) {
		if (items[i].kind != kind || strcmp(items[i].key, key) != 0)
			continue;
		buf_printf(out, "{\"name\":\"%s\",\"inputSchema\":%s}", key,
			   items[i].schema);
		return true;
	}
	return false;
}

static void each_held(void *owner, const char *prefix, schema_each *each,
		      void *to)
{
	(void)owner;
	if (text_starts("web", prefix))
		each(to, "web", "kept open");
	if (text_starts("db", prefix))
		each(to, "db", "");
}

static struct schema_source source_of(void)
{
	struct schema_source source = known_source(&known);

	source.held = each_held;
	if (items_listed) {
		source.items = each_item;
		source.item = find_item;
	}
	return source;
}

/* ---- asking ---- */

/* The last word of a line that is split as a shell does; "x " ends with "". */
static void ask(struct completion *out, const char *line, bool inside)
{
	struct schema_source source = source_of();
	struct words words;
	size_t len = strlen(line);

	assert_int_equal(words_split(&words, line, NULL), 0);
	if (len == 0 || line[len - 1] == ' ')
		words_add(&words, "");
	const struct complete_question q = {
		.words = words.word,
		.count = words.count - 1,
		.word = words.word[words.count - 1],
		.inside = inside
	};

	complete(out, &q, &source);
	words_done(&words);
}

/* "word|open+|", then what else there is. */
static char *told(const struct completion *c)
{
	struct buf out = { 0 };

	if (c->show_only)
		buf_text(&out, "shown:");
	for (size_t i = 0; i < c->count; i++)
		buf_printf(&out, "%s%s|", c->item[i].word,
			   c->item[i].open ? "+" : "");
	if (c->files)
		buf_printf(&out, "files:%s", c->keep ? c->keep : "");
	if (c->note)
		buf_printf(&out, "note:%s", c->note);
	return buf_take(&out);
}

static void expect_as(const char *line, bool inside, const char *expected)
{
	struct completion c;
	char *text;

	ask(&c, line, inside);
	text = told(&c);
	if (strcmp(text, expected) != 0)
		fail_msg("'%s': %s\nexpected: %s", line, text, expected);
	free(text);
	completion_done(&c);
}

static void expect(const char *line, const char *expected)
{
	expect_as(line, false, expected);
}

/* A candidate that must be there, or (brief NULL) not. */
static void has(const char *line, const char *word, const char *brief)
{
	struct completion c;
	const struct candidate *found = NULL;

	ask(&c, line, false);
	for (size_t i = 0; i < c.count; i++) {
		if (strcmp(c.item[i].word, word) == 0)
			found = &c.item[i];
	}
	if (!found && brief)
		fail_msg("'%s': no '%s'", line, word);
	if (found && !brief)
		fail_msg("'%s': there is '%s'", line, word);
	if (found && *brief && !strstr(found->brief, brief))
		fail_msg("'%s': '%s' is told as '%s'", line, word,
			 found->brief);
	completion_done(&c);
}

/* ---- command lines ---- */

static void test_first(void **state)
{
	(void)state;
	expect("des", "describe|");
	has("", "tools", "");
	has("", "listen:", "wait for a board");
	has("", "sim:esp32", "");
	has("", "generate", NULL);
	has("", "_complete", NULL);
	has("sim: ", "tools", "");
	has("sim: ", "listen:", NULL);
	has("-t sim: ", "listen:", NULL);
	has("-q ", "listen:", "");
	expect("li", "listen:+|");
	expect("w", "watch|ws://+|wss://+|");
	expect("sim:./", "files:sim:");
	expect("attach:/", "files:attach:");
	expect("nonsense ", "");
	expect("sim: nonsense -", "");
	expect("-- ", "");
}

static void test_options(void **state)
{
	(void)state;
	expect("--out", "--output|");
	has("tools --", "--no-user", "as a backend asks");
	has("tools -", "--timeout", "");
	has("--", "--no-user", NULL);
	expect("-o ", "text|json|raw|table|");
	expect("-o j", "json|");
	expect("sim: tools -o ", "text|json|raw|table|");
	expect("--output=j", "--output=json|");
	expect("-oj", "-ojson|");
	expect("-vqoj", "-vqojson|");
	expect("-vo", "-vo|");
	expect("-vx", "");
	expect("-vo ", "text|json|raw|table|");
	has("--verbose ", "describe", "");
	expect("--nonsense=", "");
	expect("--verbose=", "");
	expect("--timeout ", "");
	expect("--trace ", "files:");
	expect("--trace=a", "files:--trace=");
	expect("call x --save ", "files:");
	expect("call x --expect @", "files:@");
	expect("run --report ", "junit:+|tap:+|");
	expect("run --report junit:a", "files:junit:");
	expect("run --report=tap:", "files:--report=tap:");
	expect("sim --fault 3:late-r", "3:late-reply|");
	has("sim --fault=late-reply,no", "--fault=late-reply,no-reply", "");
}

static void test_devices(void **state)
{
	(void)state;
	expect("-d ", "aa:01|kitchen|");
	expect("-d k", "kitchen|");
	expect("-dk", "-dkitchen|");
	expect("--device=aa", "--device=aa:01|");
	/* Found without case, as -d takes them; what is typed stays. */
	expect("-d A", "Aa:01|");
	expect("--device=AA:0", "--device=AA:01|");
	expect("-dKIT", "-dKITchen|");
	expect("kick Ki", "Kitchen|");
	expect("kick ", "aa:01|kitchen|");
	expect("kick x ", "");
	expect("devices k", "kitchen|");
}

static void test_operands(void **state)
{
	(void)state;
	expect("completion ", "bash|zsh|fish|");
	expect("completion bash ", "");
	expect("help fau", "faults|");
	expect("request tools/", "tools/list|tools/call|");
	expect("request tools/list @", "files:@");
	expect("request tools/list {", "");
	expect("send @a", "files:@");
	expect("run ", "files:");
	expect("sim esp", "esp32|espressif|files:");
	expect("version ", "");
}

/* ---- tools ---- */

static void test_tools(void **state)
{
	(void)state;
	expect("call ", "auto.wide|bad.one|quote'd name \"x\"|self.+|"
			"自.音量.设置|");
	expect("call self.", "self.audio_speaker.+|self.light|"
			     "self.screen.+|");
	expect("call self.au", "self.audio_speaker.+|");
	expect("call self.audio_speaker", "self.audio_speaker.+|");
	expect("call self.audio_speaker.",
	       "self.audio_speaker.mute|self.audio_speaker.set_volume|");
	expect("call self.audio_speaker.s", "self.audio_speaker.set_volume|");
	expect("call self.light", "self.light|");
	expect("call none", "");
	expect("describe 自", "自.音量.设置|");
	expect("describe 自. ", "");
	expect("tools self.sc", "self.screen.+|");
	expect("call quo", "quote'd name \"x\"|");
	has("call self.", "self.audio_speaker.", "2 tools");
	has("call self.audio_speaker.", "self.audio_speaker.mute", "Mutes.");
	has("call self.", "self.light", "\\x1b[31m evil");
}

static void test_no_list(void **state)
{
	static struct known none = { .unknown = true };
	struct schema_source source = known_source(&none);
	struct completion c;

	(void)state;
	known = none;
	expect("call ", "note:no list yet: run mcpctl tools");
	expect("call x ", "note:no list yet: run mcpctl tools");
	expect("sim: call ", "note:no list yet: run mcpctl sim: tools");
	expect("-t 'a b' --config f call x ",
	       "note:no list yet: run mcpctl --config f -t 'a b' tools");
	expect("-d kitchen read ",
	       "note:no list yet: run mcpctl -d kitchen resources");
	expect("-t 'a\x1b' call ", "note:no list yet: run mcpctl tools");
	expect("call x icon=@", "files:icon=@");
	expect("call x {", "");
	complete_line(&c, "describe ", &source);
	assert_string_equal(c.note, "no list yet: run tools");
	completion_done(&c);
	known = (struct known){ .tool = tools, .device = devices };
	expect("call x ", "");
}

static void test_names(void **state)
{
	struct completion c;

	(void)state;
	expect("call self.audio_speaker.set_volume ", "volume=+|fade=+|");
	expect("call self.audio_speaker.set_volume volume=5 ", "fade=+|");
	expect("call self.audio_speaker.set_volume volume:=5 ", "fade=+|");
	expect("call self.audio_speaker.set_volume fade=1 volume=5 ", "");
	expect("call self.audio_speaker.set_volume v", "volume=+|");
	has("call self.audio_speaker.set_volume -", "--no-validate", "");
	expect("call self.audio_speaker.set_volume {} ", "");
	expect("call self.audio_speaker.set_volume - ", "");
	expect("call self.audio_speaker.set_volume @f ", "");
	expect("call self.audio_speaker.set_volume @", "files:@");
	expect("call self.audio_speaker.set_volume {", "");
	expect("call --no-validate self.audio_speaker.set_volume v",
	       "volume=+|");
	expect("call self.screen.draw ",
	       "icon=+|points:=+|tags=+|mode=+|odd=+|a b=+|音量=+|");
	expect("call self.screen.draw 音", "音量=+|");
	ask(&c, "call self.audio_speaker.set_volume ", false);
	assert_string_equal(c.item[0].shown, "volume=<0..100>");
	assert_string_equal(c.item[0].brief,
			    "integer 0..100, required: loudness");
	assert_string_equal(c.item[1].brief, "integer >= 0, default 5");
	completion_done(&c);
}

static void test_values(void **state)
{
	struct completion c;

	(void)state;
	expect("call self.audio_speaker.mute on=", "on=true|on=false|");
	expect("call self.audio_speaker.mute on=t", "on=true|");
	expect("call self.audio_speaker.mute on=x", "");
	expect("call self.audio_speaker.set_volume volume=",
	       "shown:volume=<0..100>+|");
	expect("call self.audio_speaker.set_volume volume=5",
	       "shown:volume=<0..100>+|");
	expect("call self.audio_speaker.set_volume fade=", "fade=5|");
	expect("call self.audio_speaker.set_volume volume:=", "");
	expect("call self.audio_speaker.set_volume none=", "");
	expect("call self.audio_speaker.set_volume =", "");
	expect("call self.screen.theme theme=", "theme=light|theme=dark|");
	expect("call self.screen.draw icon=@a/b", "files:icon=@");
	expect("call self.screen.draw icon=", "shown:icon=<string>+|");
	expect("call self.screen.draw tags=", "tags=a|tags=b c|");
	expect("call self.screen.draw points=", "shown:points:=<array>+|");
	expect("call self.screen.draw mode=f", "mode=fast|");
	/* Only what is read again as itself, and can be typed. */
	expect("call self.screen.draw odd=",
	       "odd=5|odd=null|odd=it's|odd=$(x)|odd=a!b|odd=|");
	expect("call self.screen.draw 音量=", "音量=大|音量=小|");
	ask(&c, "call self.audio_speaker.set_volume volume=", false);
	assert_string_equal(c.item[0].brief,
			    "integer 0..100, required: loudness");
	completion_done(&c);
	has("call self.audio_speaker.mute on=", "on=false", "default");
	has("call self.audio_speaker.set_volume fade=", "fade=5",
	    "integer >= 0, default 5");
}

/* ---- what else a peer has ---- */

static void test_items(void **state)
{
	(void)state;
	items_listed = true;
	expect("read ", "note://1|note://2|");
	expect("read note://2", "note://2|");
	expect("subscribe note://1", "note://1|");
	expect("resources n", "note://1|note://2|");
	expect("prompts ", "city|");
	expect("templates ", "day://{year}/{month}|");
	expect("prompt ", "city|");
	has("prompt ", "city", "about a city");
	expect("prompt city ", "name=+|size=+|");
	expect("prompt city name=x ", "size=+|");
	expect("prompt city size=", "size=big|");
	expect("prompt city name=@", "files:name=@");
	expect("prompt city {} ", "");
	expect("prompt none ", "");
	expect("complete ", "city|day://{year}/{month}|");
	expect("complete 'day://{year}/{month}' ", "year=+|month=+|");
	expect("complete 'day://{year}/{month}' year=1 ", "month=+|");
	expect("complete city s", "size=+|");
	/* A prompt is none of the templates. */
	expect("complete 'city{' ", "");
	expect("call city ", "");
	items_listed = false;
	expect("read ", "note:no list yet: run mcpctl resources");
	expect("prompt ", "note:no list yet: run mcpctl prompts");
	expect("templates ", "note:no list yet: run mcpctl templates");
	expect("complete ", "note:no list yet: run mcpctl prompts");
	expect("prompt city ", "");
}

static void test_held(void **state)
{
	(void)state;
	expect("close ", "db|web|");
	expect("close w", "web|");
	has("close ", "web", "kept open");
	has("open li", "listen:", "wait for a board");
}

/* Values that only some options have. */
static void test_answers(void **state)
{
	(void)state;
	expect("--elicit ", "accept-defaults|ask|cancel|decline|none|@+|");
	expect("--elicit=a", "--elicit=accept-defaults|--elicit=ask|");
	expect("--elicit @x", "files:@");
	expect("--elicit=@x", "files:--elicit=@");
	expect("--sampling ", "decline|@+|exec:+|");
	expect("--sampling=d", "--sampling=decline|");
	has("--sampling ", "exec:", "ask this command");
	has("--elicit ", "@", "from a file");
	expect("call x --expect=@", "files:--expect=@");
	expect("call x --expect a", "");
	expect("run --report=", "--report=junit:+|--report=tap:+|");
	expect("--root ", "files:");
	has("-e ", "tools", "");
	expect("loglevel w", "warning|");
	expect("tail --level e", "error|emergency|");
	has("explain ", "D101", "");
	has("explain D", "D102", "");
	has("check --skip D1", "D101", "");
	has("sim --fault ", "late-reply", "");
	expect("sim --fault=3:late-r", "--fault=3:late-reply|");
	expect("task ", "list|get|wait|answer|cancel|");
	has("task ", "cancel", "end it");
	expect("task w", "wait|");
	expect("task wait ", "");
	expect("attach:~", "files:attach:");
	expect("attach:x", "");
	expect("--target=sim:./", "files:--target=sim:");
}

/* How a schema may say what fits. */
static void test_schemas(void **state)
{
	static const struct known_tool odd[] = {
		{ "t", "",
		  OBJECT("\"one\":{\"oneOf\":[{\"const\":1},{\"const\":2}],"
			 "\"default\":2},"
			 "\"all\":{\"allOf\":[{\"type\":\"boolean\"}]},"
			 "\"ref\":{\"$ref\":\"#/$defs/d\"},"
			 "\"over\":{\"$ref\":\"#/$defs/d\",\"default\":\"y\"},"
			 "\"list\":{\"type\":\"array\",\"items\":{\"type\":"
			 "\"string\"},\"default\":[\"z\"]},"
			 "\"wide\":{\"type\":\"integer\",\"minimum\":1,"
			 "\"maximum\":19},"
			 "\"loop\":{\"$ref\":\"#/properties/loop\"},"
			 "\"twice\":{\"enum\":[\"a\",\"a\",\"b\"],"
			 "\"default\":\"b\"}},"
			 "\"$defs\":{\"d\":{\"type\":\"string\",\"default\":"
			 "\"x\",\"description\":\"of d\"}",
			 "") },
		{ NULL, NULL, NULL }
	};
	struct completion c;

	(void)state;
	known = (struct known){ .tool = odd };
	expect("call t one=", "one=1|one=2|");
	expect("call t all=", "all=true|all=false|");
	expect("call t ref=", "ref=x|");
	has("call t ref=", "ref=x", "string, default \"x\": of d");
	expect("call t over=", "over=y|");
	expect("call t list=", "shown:list=<string>...+|");
	expect("call t twice=", "twice=a|twice=b|");
	expect("call t wide=", "shown:wide=<1..19>+|");
	/* fish would insert the digit that both ends begin with. */
	ask(&c, "call t wide=", false);
	assert_string_equal(c.end[0], "wide=1");
	assert_null(c.end[1]);
	completion_done(&c);
	known = (struct known){ .tool = tools, .device = devices };
	ask(&c, "call self.audio_speaker.set_volume volume=", false);
	assert_string_equal(c.end[0], "volume=0");
	assert_string_equal(c.end[1], "volume=100");
	completion_done(&c);
}

/* The last part of a name stands for it, where it is that of one alone. */
static void test_endings(void **state)
{
	static const struct known_tool twins[] = {
		{ "a.on", "", OBJECT("\"x\":{\"type\":\"string\"}", "") },
		{ "b.off", "", OBJECT("", "") },
		{ "b.on", "", OBJECT("", "") },
		{ "c.other", "", NULL },
		{ NULL, NULL, NULL }
	};

	(void)state;
	known = (struct known){ .tool = twins };
	expect("call o", "off|other|");
	has("call o", "off", "b.off");
	expect("call other", "other|");
	expect("call on", "");
	expect("call zz", "");
	expect("call on x", "");
	expect("call a.on ", "x=+|");
	known = (struct known){ .tool = tools, .device = devices };
}

/* ---- bounds ---- */

static void test_many(void **state)
{
	enum { MANY = 2000, TOO_MANY = CANDIDATES_MAX + 10 };
	struct known_tool *many = mem_zalloc((TOO_MANY + 1) * sizeof(*many));
	struct known all = { .tool = many };
	char *last;

	(void)state;
	for (size_t i = 0; i < TOO_MANY; i++)
		many[i] = (struct known_tool){ .name = mem_printf(
						       "t%04zu%s", i,
						       i < MANY ? ".run" : ""),
					       .brief = "x" };
	known = all;
	expect("call t1999", "t1999.run|");
	struct completion c;

	ask(&c, "call ", false);
	assert_int_equal(c.count, CANDIDATES_MAX);
	completion_done(&c);
	last = mem_printf("%0100000d", 1);
	free((void *)(uintptr_t)many[0].name);
	many[0].name = last;
	expect("call 0", "");
	known = (struct known){ .tool = tools, .device = devices };
	for (size_t i = 0; i < TOO_MANY; i++)
		free((void *)(uintptr_t)many[i].name);
	mem_free(many);
}

static void test_brief(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct known_tool one[2] = { { .name = "x" } };
	struct completion c;

	(void)state;
	for (int i = 0; i < 3000; i++)
		buf_text(&text, "音");
	one[0].brief = buf_string(&text);
	known = (struct known){ .tool = one };
	ask(&c, "call ", false);
	assert_int_equal(c.count, 1);
	assert_true(text_width(c.item[0].brief, strlen(c.item[0].brief)) <=
		    160);
	assert_true(text_is_utf8(c.item[0].brief, strlen(c.item[0].brief)));
	completion_done(&c);
	known = (struct known){ .tool = tools, .device = devices };
}

/* ---- the shell ---- */

static const struct inside_word words_inside[] = {
	{ "help", "show help", INSIDE_HELP },
	{ "last", "the last result again", INSIDE_FORM },
	{ "run", "a file", INSIDE_FILE },
	{ "set", "a setting", INSIDE_SETTING },
	{ "use", "another device", INSIDE_PEER },
	{ "quit", "leave", INSIDE_NONE },
	{ NULL, NULL, INSIDE_NONE }
};
static const char *const settings[] = { "timeout", "output", "verbose", NULL };

static void expect_line(const char *line, const char *expected)
{
	struct schema_source source = known_source(&known);
	struct completion c;
	char *text;

	complete_line(&c, line, &source);
	text = told(&c);
	/* NULL: everything. */
	if (!expected)
		assert_true(strstr(text, "describe|") &&
			    strstr(text, "自.音量.设置|"));
	else if (strcmp(text, expected) != 0)
		fail_msg("'%s': %s\nexpected: %s", line, text, expected);
	free(text);
	completion_done(&c);
}

static void test_inside(void **state)
{
	(void)state;
	complete_inside_words = words_inside;
	complete_inside_settings = settings;
	expect_as("des", true, "describe|");
	expect_as("se", true, "set|send|self.+|");
	expect_as("self.sc", true, "self.screen.+|");
	expect_as("ser", true, "");
	/* What cannot stand where a command does is no command. */
	expect_as("qu", true, "quit|");
	expect_as("li", true, "");
	expect_as("--", true, "--help|");
	expect_as("self.audio_speaker.set_volume ", true, "volume=+|fade=+|");
	expect_as("self.audio_speaker.mute on=", true, "on=true|on=false|");
	expect_as("self.audio_speaker.mute --sa", true, "--save|");
	/* A beginning stands for nothing, a last part for its tool. */
	expect_as("self.audio_speaker.se v", true, "");
	expect_as("cal self.li", true, "");
	expect_as("audio_speaker.set_volume v", true, "volume=+|");
	expect_as("call set_volume v", true, "volume=+|");
	expect_as("call set_v", true, "set_volume|");
	expect_as("set_v", true, "");
	expect_as("run ", true, "files:");
	expect_as("run -k ", true, "files:");
	expect_as("run x ", true, "");
	expect_as("use k", true, "kitchen|");
	expect_as("use li", true, "listen:+|");
	expect_as("use x ", true, "");
	expect_as("tools -o ", true,
		  "auto.wide|bad.one|quote'd name \"x\"|"
		  "self.+|自.音量.设置|");
	expect_as("last ", true, "text|json|raw|");
	expect_as("last -", true, "-o|");
	expect_as("last -o j", true, "json|");
	expect_as("set ", true, "timeout|output|verbose|");
	expect_as("set output ", true, "text|json|raw|");
	expect_as("set verbose ", true, "on|off|");
	expect_as("set timeout ", true, "");
	expect_as("quit ", true, "");
	expect_as("help self.sc", true, "self.screen.+|");
	expect_as("help set", true, "set|");
	complete_inside_words = NULL;
	complete_inside_settings = NULL;
}

static void test_line(void **state)
{
	(void)state;
	expect_line("descr", "describe|");
	expect_line("  ", NULL);
	expect_line("  call  self.audio_speaker.s",
		    "self.audio_speaker.set_volume|");
	expect_line("call \"quote'd", "quote'd name \"x\"|");
	/* Between double quotes a backslash before a blank is one. */
	expect_line("call self.screen.draw \"a\\ ", "");
	expect_line("call quote\\'d\\ n", "quote'd name \"x\"|");
	expect_line("call 'quote", "quote'd name \"x\"|");
	expect_line("call 'quote'\\''d'\" na", "quote'd name \"x\"|");
	expect_line("call self.screen.draw 'a ", "a b=+|");
	expect_line("call self.screen.draw \\", "icon=+|points:=+|tags=+|"
						"mode=+|odd=+|a b=+|音量=+|");
	expect_line("call self.audio_speaker.set_volume | j", "");
	expect_line("call self.audio_speaker.set_volume|jq ", "files:");
	expect_line("call x | ./", "files:");
	expect_line("call '|' v", "");
	expect_line("! ", "");
	expect_line("!ls x", "files:");
	expect_line("tools | sort | he", "");
	expect_line("call # x", "");
}

/* ---- what the scripts get ---- */

/* cut: what readline takes for the word. */
static void printed_cut(enum complete_shell shell, const char *before,
			const char *typed, const char *cut,
			const char *expected)
{
	struct schema_source source = known_source(&known);
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(mem_free_ptr) char *word = NULL;
	struct words words;
	struct completion c;

	assert_int_equal(words_split(&words, before, NULL), 0);
	word = shell == COMPLETE_BASH ? complete_unquote(typed) :
					mem_strdup(typed);
	const struct complete_question q = { .words = words.word,
					     .count = words.count,
					     .word = word,
					     .unsifted = shell != COMPLETE_BASH,
					     .options_last =
						     shell == COMPLETE_ZSH };

	complete(&c, &q, &source);
	complete_print(&out, shell, &c, typed, cut);
	if (strcmp(buf_string(&out), expected) != 0)
		fail_msg("%s %s:\n%s\nexpected:\n%s", before, typed,
			 buf_string(&out), expected);
	completion_done(&c);
	words_done(&words);
}

static void printed(enum complete_shell shell, const char *before,
		    const char *typed, const char *expected)
{
	printed_cut(shell, before, typed, NULL, expected);
}

static void test_bash(void **state)
{
	(void)state;
	printed(COMPLETE_BASH, "call", "self.au",
		"words nosort nospace\nself.audio_speaker.\n");
	printed(COMPLETE_BASH, "call", "self.li", "words nosort\nself.light\n");
	printed(COMPLETE_BASH, "call", "qu",
		"words nosort\nquote\\'d\\ name\\ \\\"x\\\"\n");
	printed(COMPLETE_BASH, "call", "\"qu",
		"words nosort nospace\nquote'd name \\\"x\\\"\"\n");
	printed(COMPLETE_BASH, "call", "'quote",
		"words nosort nospace\nquote'\\''d name \"x\"\n");
	printed(COMPLETE_BASH, "call", "quote\\'d\\ n",
		"words nosort\nquote\\'d\\ name\\ \\\"x\\\"\n");
	printed(COMPLETE_BASH, "call", "quote\\'d\\",
		"words nosort\nquote\\'d\\ name\\ \\\"x\\\"\n");
	printed(COMPLETE_BASH, "call 'quote'", "", "words\n");
	/* What bash would expand gets no rest of a peer's name. */
	printed(COMPLETE_BASH, "call self.screen.draw", "odd=$", "words\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "\"odd=$", "words\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "'odd'\"=$", "words\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "odd=a!", "words\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "\"odd=a",
		"words nosort nospace\nodd=a\"\\!\"b\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "odd=\\$",
		"words nosort\nodd=\\$\\(x\\)\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "'odd=$",
		"words nosort nospace\nodd=$(x)\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "odd=a",
		"words nosort\nodd=a\\!b\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "tags=b",
		"words nosort\ntags=b\\ c\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "tags='",
		"words nosort\na\nb c\n");
	printed(COMPLETE_BASH, "call self.screen.draw", "a\\ b=@x",
		"files\ta b=@\tx\n");
	printed(COMPLETE_BASH, "run", "x", "files\t\tx\n");
	printed(COMPLETE_BASH, "sim", "esp",
		"files\t\tesp\nesp32\nespressif\n");
	printed(COMPLETE_BASH, "call self.audio_speaker.set_volume",
		"volume=", "");
	printed(COMPLETE_BASH, "version", "", "words\n");
	printed(COMPLETE_BASH, "", "-vo", "words nosort\n-vo\n");
	printed(COMPLETE_BASH, "", "li", "words nospace\nlisten:\n");
	printed(COMPLETE_BASH, "", "w", "words\nwatch\nws://\nwss://\n");
}

/* What stands there already is not given again. */
static void test_bash_cut(void **state)
{
	(void)state;
	printed_cut(COMPLETE_BASH, "", "--output=j", "j", "words\njson\n");
	printed_cut(COMPLETE_BASH, "", "--output=j", "--output=j",
		    "words\n--output=json\n");
	printed_cut(COMPLETE_BASH, "", "sim:esp", "esp",
		    "words\nesp32\nespressif\n");
	printed_cut(COMPLETE_BASH, "", "ws:", "", "words nospace\n//\n");
	printed_cut(COMPLETE_BASH, "", "ws:", "other",
		    "words nospace\nws://\n");
	printed_cut(COMPLETE_BASH, "sim", "--fault=late-reply,not-",
		    "late-reply,not-", "words\nlate-reply,not-json\n");
	printed_cut(COMPLETE_BASH, "run", "--report=junit:a\\ b", "a\\ b",
		    "files\t\ta b\n");
	printed_cut(COMPLETE_BASH, "run", "--report=junit:a", "junit:a",
		    "files\tjunit:\ta\n");
	printed_cut(COMPLETE_BASH, "run", "--report=junit:\"a b", "a b",
		    "files\t\ta b\n");
	printed_cut(COMPLETE_BASH, "call self.screen.draw", "\"a b=@x",
		    "a b=@x", "files\ta b=@\tx\n");
}

static void test_zsh(void **state)
{
	(void)state;
	printed(COMPLETE_ZSH, "call", "self.",
		"group\tcandidates\tcandidate\t-V\n"
		"self.light:\\\\x1b[31m evil\n\n"
		"self.audio_speaker.:2 tools\nself.screen.:2 tools\n\n\nend\n");
	printed(COMPLETE_ZSH, "-d", "aa",
		"group\tcandidates\tcandidate\t-V\naa\\:01:kitchen\n\n\n\n"
		"end\n");
	printed(COMPLETE_ZSH, "call self.screen.draw", "a b=@x",
		"files\t\tfile\ta b=@\nend\n");
	printed(COMPLETE_ZSH, "nonsense", "", "end\n");
	printed(COMPLETE_ZSH, "call self.audio_speaker.set_volume", "volume=",
		"note volume=<0..100>  integer 0..100, required: loudness\n"
		"end\n");
	printed(COMPLETE_ZSH, "", "--output=j",
		"before\t--output=\ngroup\tvalues\tFORM\t\ntext\njson\nraw\ntable\n"
		"\n\n\nend\n");
	printed(COMPLETE_ZSH, "run", "", "files\t\t[FILE]\t\nend\n");
	printed(COMPLETE_ZSH, "", "--trace=a",
		"before\t--trace=\nfiles\t\tFILE\t\nend\n");
	printed(COMPLETE_ZSH, "--timeout", "", "wants\tDURATION\nend\n");
	printed(COMPLETE_ZSH, "run", "--report=junit:m",
		"before\t--report=\nfiles\t\tfile\tjunit:\nend\n");
	printed(COMPLETE_ZSH, "", "-qo",
		"before\t-qo\ngroup\tvalues\tFORM\t\ntext\njson\nraw\ntable\n\n\n\n"
		"end\n");
}

static void test_fish(void **state)
{
	(void)state;
	printed(COMPLETE_FISH, "call", "self.audio_speaker.",
		"words\nself.audio_speaker.mute\tMutes.\n"
		"self.audio_speaker.set_volume\tSets the volume.\n");
	printed(COMPLETE_FISH, "call self.audio_speaker.set_volume", "volume=",
		"words\n"
		"volume=0\tinteger 0..100, required: loudness\n"
		"volume=100\tinteger 0..100, required: loudness\n");
	printed(COMPLETE_FISH, "", "-oj",
		"words\n"
		"-ojson\tform of the output: text, json, raw, or table (devices, tools, --all)\n"
		"-oraw\tform of the output: text, json, raw, or table (devices, tools, --all)\n"
		"-otable\tform of the output: text, json, raw, or table (devices, tools, --all)\n"
		"-otext\tform of the output: text, json, raw, or table (devices, tools, --all)\n");
	printed(COMPLETE_FISH, "completion", "",
		"words\nbash\t\nfish\t\nzsh\t\n");
	printed(COMPLETE_FISH, "call self.screen.draw", "icon=@x",
		"files icon=@\n");
	known.unknown = true;
	known.tool = NULL;
	printed(COMPLETE_FISH, "call", "",
		"note no list yet: run mcpctl tools\n");
	printed(COMPLETE_ZSH, "call", "",
		"note no list yet: run mcpctl tools\nend\n");
	printed(COMPLETE_BASH, "call", "",
		"note no list yet: run mcpctl tools\n");
	known = (struct known){ .tool = tools, .device = devices };
}

/* ---- everything that the table has, for each shell ---- */

/* As it is printed where `typed` stands behind `before`. */
static char *answer(enum complete_shell shell, const char *before,
		    const char *typed)
{
	struct schema_source source = known_source(&known);
	struct words words;
	struct completion c;
	struct buf out = { 0 };

	assert_int_equal(words_split(&words, before, NULL), 0);
	const struct complete_question q = { .words = words.word,
					     .count = words.count,
					     .word = typed,
					     .unsifted =
						     shell != COMPLETE_BASH };

	complete(&c, &q, &source);
	complete_print(&out, shell, &c, typed, NULL);
	completion_done(&c);
	words_done(&words);
	return buf_take(&out);
}

/* A line that is the word, or ends it as the shells do. */
static bool offers(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); at;
	     at = strstr(at + 1, word)) {
		if ((at == text || at[-1] == '\n') && strchr("\n\t: ", at[len]))
			return true;
	}
	return false;
}

/* c: those of them that it heeds; NULL: all. */
static void each_row(const char *text, const struct option_row *rows,
		     const struct command *c)
{
	for (; rows && rows->name; rows++) {
		CLEANUP(mem_free_ptr)
		char *name = mem_printf("--%s", rows->name);
		const char letter[3] = { '-', rows->letter };

		if (c && !command_heeds(c, rows)) {
			if (offers(text, name) &&
			    !option_by_name(c->options, rows->name,
					    strlen(rows->name)))
				fail_msg("offered: %s %s", c->name, name);
			continue;
		}
		if (!offers(text, name))
			fail_msg("not offered: %s", name);
		if (rows->letter && !offers(text, letter))
			fail_msg("not offered: %s", letter);
	}
}

static void test_everything(void **state)
{
	static const char *const words[] = { "late-reply", "no-reply" };

	(void)state;
	for (int i = 0; i < COMPLETE_SHELLS; i++) {
		enum complete_shell shell = (enum complete_shell)i;
		char *first = answer(shell, "", ""), *text;

		for (const struct command *const *c = commands; *c; c++) {
			bool hidden = (*c)->flags & CMD_HIDDEN;

			assert_int_equal(offers(first, (*c)->name), !hidden);
			if (hidden)
				continue;
			text = answer(shell, (*c)->name, "-");
			each_row(text, (*c)->options, NULL);
			each_row(text, config_options, *c);
			free(text);
		}
		free(first);
		text = answer(shell, "sim --fault", "");
		for (size_t w = 0; w < COUNT(words); w++)
			assert_true(offers(text, words[w]));
		free(text);
		text = answer(shell, "help", "");
		for (const struct topic *t = topics; t->name; t++)
			assert_true(offers(text, t->name));
		free(text);
	}
}

/* What was given and may not be again is not offered. */
static void test_given(void **state)
{
	(void)state;
	has("--quiet tools --", "--cached", "");
	has("--quiet tools --", "--quiet", NULL);
	has("-q tools -", "-q", NULL);
	has("-q tools --cached -", "--cached", NULL);
	has("--header a:b --", "--header", "");
	has("-", "-q", "no notices");
	has("-", "-k", NULL);
	has("run -", "-k", "");
	has("--", "-q", NULL);
}

static void test_peer(void **state)
{
	char *words[] = { (char[]){ "-d" }, (char[]){ "kitchen" },
			  (char[]){ "sim:" }, (char[]){ "call" },
			  (char[]){ "--socket=/x" } };
	struct complete_question q = { .words = words,
				       .count = COUNT(words),
				       .word = "" };
	struct complete_peer peer;

	(void)state;
	unsetenv("MCPCTL_TARGET");
	complete_peer(&peer, &q);
	assert_string_equal(peer.target, "sim:");
	assert_string_equal(peer.device, "kitchen");
	assert_string_equal(peer.socket, "/x");
	setenv("MCPCTL_TARGET", "listen:", 1);
	q.count = 2;
	complete_peer(&peer, &q);
	assert_string_equal(peer.target, "listen:");
	assert_null(peer.socket);
	setenv("MCPCTL_TARGET", "", 1);
	complete_peer(&peer, &q);
	assert_null(peer.target);
	unsetenv("MCPCTL_TARGET");
}

/* The hidden command takes the words as they are, if it is the first. */
static void test_verbatim(void **state)
{
	char *words[] = { (char[]){ "_complete" }, (char[]){ "bash" },
			  (char[]){ "-o" }, (char[]){ "--" },
			  (char[]){ "--nonsense" } };
	struct config config = { 0 };
	struct parsed p;

	(void)state;
	assert_int_equal(parse_words(&p, words, COUNT(words), &config, NULL),
			 0);
	assert_string_equal(p.command->name, "_complete");
	assert_int_equal(p.operands.count, 4);
	assert_string_equal(p.operands.word[3], "--nonsense");
	parsed_done(&p);
	assert_int_equal(parse_words(&p, words, COUNT(words), NULL, NULL), -1);
	parsed_done(&p);
}

/* What the script of a shell gets; line NULL: the words say it. */
static void asked(const char *line, char **words, int count,
		  const char *expected)
{
	struct app app = { .out.out = tmpfile() };
	const struct invocation in = { .command = &cmd_complete_words,
				       .app = &app,
				       .argc = count,
				       .argv = words };
	char said[4096] = "";

	assert_non_null(app.out.out);
	if (line)
		setenv("COMP_LINE", line, 1);
	else
		unsetenv("COMP_LINE");
	assert_int_equal(cmd_complete_words.run(&in, NULL), 0);
	rewind(app.out.out);
	said[fread(said, 1, sizeof(said) - 1, app.out.out)] = '\0';
	fclose(app.out.out);
	unsetenv("COMP_LINE");
	if (strcmp(said, expected) != 0)
		fail_msg("'%s': %s", line ? line : "", said);
	assert_int_equal(app.status, strcmp(expected, "") == 0 ||
					     strcmp(expected, "words\n") == 0);
}

/* bash gives the whole line: its first word is the program. */
static void test_asked(void **state)
{
	static const char descri[] = "words\ndescribe\n";
	char *bash[] = { (char[]){ "bash" }, (char[]){ "descri" }, NULL };
	char *csh[] = { (char[]){ "csh" }, (char[]){ "descri" }, NULL };

	(void)state;
	asked("mcpctl descri", bash, 2, descri);
	asked("  mcpctl descri", bash, 2, descri);
	asked("\tmcpctl   sim:  descri", bash, 2, descri);
	asked("'a b/mcpctl' descri", bash, 2, descri);
	asked("mcpctl \"descri", bash, 2, "words nospace\ndescribe\n");
	asked("mcpctl descri ", bash, 1, "words\n");
	asked("mcpctl nothing descri", bash, 2, "words\n");
	asked(NULL, bash, 2, descri);
	asked("mcpctl nothing", csh, 2, "");
	asked("mcpctl descri", csh, 2, "");
	asked(NULL, NULL, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_no_list),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_schemas),
		cmocka_unit_test(test_endings),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_brief),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_bash),
		cmocka_unit_test(test_bash_cut),
		cmocka_unit_test(test_zsh),
		cmocka_unit_test(test_fish),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_given),
		cmocka_unit_test(test_peer),
		cmocka_unit_test(test_verbatim),
		cmocka_unit_test(test_asked),
	};

	mem_init();
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
