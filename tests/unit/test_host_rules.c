/* SPDX-License-Identifier: MIT */
/* bridge/host_rules and host_snippet: what hosts take, and what they are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/toml.h"
#include "bridge/host_rules.h"
#include "bridge/host_snippet.h"
#include "rendered.h"

/* ---- verdicts ---- */

/* What the hosts make of these tools (the inside of "tools":[…]). */
struct judged_list {
	struct tool_list list;
	struct bridge_source source;
	struct bridge_catalogue c;
	struct host_verdicts v;
};

static void judge(struct judged_list *j, const char *tools,
		  enum bridge_names names, const char *server)
{
	struct bridge_rules rules = { .names = names, .no_own = true };

	*j = (struct judged_list){ 0 };
	add_page(&j->list, tools);
	j->source = (struct bridge_source){ .prefix = "a",
					    .id = "1",
					    .tools = &j->list };
	bridge_catalogue_make(&j->c, &j->source, 1, &rules);
	host_verdicts_find(&j->v, &j->c, server);
}

static void judged_done(struct judged_list *j)
{
	host_verdicts_done(&j->v);
	bridge_catalogue_done(&j->c);
	tool_list_done(&j->list);
}

static const struct host_verdict *of_host(const struct judged_list *j,
					  const char *id)
{
	for (size_t i = 0; i < j->v.count; i++) {
		if (strcmp(j->v.item[i].host->id, id) == 0)
			return &j->v.item[i];
	}
	fail_msg("no host '%s'", id);
	abort();
}

static void assert_words(const struct judged_list *j, const char *id,
			 const char *expected)
{
	CLEANUP(buf_done) struct buf words = { 0 };

	host_verdict_words(&words, of_host(j, id));
	assert_string_equal(buf_string(&words), expected);
}

static void facts_have_sources(void **state)
{
	size_t count;
	const struct host_fact *h = host_facts(&count);

	(void)state;
	assert_int_equal(count, 8);
	for (size_t i = 0; i < count; i++) {
		assert_true(*h[i].name && *h[i].source);
		assert_int_equal(strlen(h[i].read), 10);
	}
}

static void by_its_own_name(void **state)
{
	(void)state;
	assert_true(host_reads_json("gemini-cli-mcp-client/0.61.0"));
	assert_true(host_reads_json("gemini-cli-mcp-client"));
	assert_false(host_reads_json("gemini-cli-mcp-client-2/1"));
	assert_false(host_reads_json("claude-code/2.1.197"));
	assert_false(host_reads_json("/1"));
	assert_false(host_reads_json(NULL));
}

static void raw_names_are_refused(void **state)
{
	CLEANUP(judged_done) struct judged_list j;

	(void)state;
	judge(&j, "{\"name\":\"lamp\"},{\"name\":\"self.get_status\"}",
	      BRIDGE_RAW, "boards");
	assert_words(&j, "claude",
		     "takes none of 2 tools: the name 'self.get_status' has "
		     "'.', it takes a-z A-Z 0-9 and _-");
	assert_words(&j, "codex",
		     "takes none of 2 tools: the name 'self.get_status' has "
		     "'.', it takes a-z A-Z 0-9 and _-");
	assert_words(&j, "claude-code", "takes 2 tools");
	assert_words(&j, "cursor", "takes 2 tools");
}

static void long_names(void **state)
{
	static const char tool[] =
		"{\"name\":\"self.a_name_of_forty_nine_characters_as_it_is_given"
		"_here\"}";
	CLEANUP(judged_done) struct judged_list j;

	(void)state;
	judge(&j, tool, BRIDGE_RAW, "boards");
	assert_int_equal(strlen(j.c.tool[0].name), 56);
	assert_words(&j, "cursor",
		     "takes none of 1 tool: what 'self.a_name_of_forty_nine_"
		     "characters_as_it_is_given_here' is called there has 62 "
		     "characters, it takes 59");
	assert_words(&j, "vscode", "takes 1 tool; cuts the names of 1");
	assert_words(&j, "windsurf", "takes 1 tool");
	judged_done(&j);
	judge(&j, tool, BRIDGE_FLAT, "boards");
	assert_words(&j, "cursor", "takes 1 tool");
	assert_words(&j, "vscode", "takes 1 tool");
	assert_words(&j, "claude-code", "takes 1 tool");
}

static void too_many(void **state)
{
	CLEANUP(judged_done) struct judged_list j;
	CLEANUP(buf_done) struct buf tools = { 0 };

	(void)state;
	for (int i = 0; i < 81; i++)
		buf_printf(&tools, "%s{\"name\":\"t%d\"}", i ? "," : "", i);
	judge(&j, tools.data, BRIDGE_FLAT, "boards");
	assert_words(&j, "cursor-2025",
		     "takes 81 tools; 40 is the most that it takes of all "
		     "servers");
	assert_words(&j, "cursor",
		     "takes 81 tools; 80 is the most that it takes of all "
		     "servers");
	assert_words(&j, "vscode", "takes 81 tools");
	assert_int_equal(of_host(&j, "cursor")->above, 1);
}

/* Whatever a board writes: what the bridge makes of it, all of them take. */
static void what_is_mended_is_taken(void **state)
{
	static const char tools[] =
		"{\"name\":\"self.灯.set\",\"inputSchema\":{\"type\":\"object\","
		"\"properties\":{\"亮度\":{\"type\":\"array\"},\"f[x]\":{\"type\":"
		"[\"array\",\"null\"]},\"o\":{\"anyOf\":[{\"type\":\"array\"}]}},"
		"\"oneOf\":[{\"required\":[\"o\"]}]}},{\"name\":\"a b\","
		"\"inputSchema\":{\"anyOf\":[{\"properties\":{\"\":{\"type\":"
		"true}}}]}},{\"name\":\"%$&/()=?\"},{\"name\":\"x."
		"0123456789012345678901234567890123456789012345678901234567890"
		"1234567890123456789\",\"inputSchema\":7}";
	CLEANUP(judged_done) struct judged_list j;

	(void)state;
	judge(&j, tools, BRIDGE_FLAT, "boards");
	assert_int_equal(j.c.shown, 4);
	for (size_t i = 0; i < j.v.count; i++) {
		assert_null(j.v.item[i].why);
		assert_int_equal(j.v.item[i].refused, 0);
		assert_int_equal(j.v.item[i].tools, 4);
	}
}

/* Each rule does refuse what it is about. */
static void assert_refused(const char *id, const char *schema,
			   const char *expected)
{
	char name[] = "t";
	struct bridge_tool t = { .name = name };
	struct bridge_catalogue c = { .tool = &t, .count = 1 };
	struct judged_list j = { 0 };

	t.json = mem_printf("{\"name\":\"t\",\"inputSchema\":%s}", schema);
	host_verdicts_find(&j.v, &c, "boards");
	assert_words(&j, id, expected);
	host_verdicts_done(&j.v);
	mem_free(t.json);
}

static void schemas_are_refused(void **state)
{
	(void)state;
	assert_refused(
		"vscode",
		"{\"properties\":{\"a\":{\"items\":{\"type\":\"array\"}}}}",
		"takes none of 1 tool: 't' has an array without items");
	assert_refused("claude", "{\"anyOf\":[]}",
		       "takes none of 1 tool: 't' has alternatives on the "
		       "first level of its schema");
	assert_refused("claude-code", "{\"properties\":{\"亮度\":{}}}",
		       "takes none of 1 tool: 't' has an argument '亮度'");
	/* Not by those of whom it is not known. */
	assert_refused("windsurf",
		       "{\"properties\":{\"亮度\":{}},\"anyOf\":[]}",
		       "takes 1 tool");
	assert_refused(
		"windsurf",
		"{\"properties\":{\"a\":{\"items\":{\"type\":\"array\"}}}}",
		"takes 1 tool");
}

/* What a host makes of tools of these names and schemas (NULL: any), up to a {}. */
struct shown_row {
	const char *name, *schema;
};

static void assert_shown(const char *id, const struct shown_row *rows,
			 const char *server, const char *expected)
{
	struct bridge_tool t[4] = { 0 };
	struct bridge_catalogue c = { .tool = t };
	struct judged_list j = { 0 };

	for (; rows[c.count].name; c.count++) {
		t[c.count].name = mem_strdup(rows[c.count].name);
		t[c.count].json = mem_printf(
			"{\"inputSchema\":%s}",
			rows[c.count].schema ? rows[c.count].schema : "{}");
	}
	host_verdicts_find(&j.v, &c, server);
	assert_words(&j, id, expected);
	host_verdicts_done(&j.v);
	for (size_t i = 0; i < c.count; i++) {
		mem_free(t[i].name);
		mem_free(t[i].json);
	}
}

static void assert_name(const char *id, const char *name, const char *server,
			const char *expected)
{
	const struct shown_row rows[] = { { name, NULL }, { NULL, NULL } };

	assert_shown(id, rows, server, expected);
}

static void letters_of_names(void **state)
{
	static const struct {
		const char *name, *odd; /* NULL: it is taken */
	} rows[] = {
		{ "azAZ09_-", NULL }, { "", NULL },  { "a`", "`" },
		{ "a{", "{" },	      { "@a", "@" }, { "a[b]", "[" },
		{ "/", "/" },	      { "0:", ":" }, { "a.b", "." },
		{ "a灯b", "灯" },     { "é.", "é" }, { "a\xff.", "\xff" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *words = mem_printf(
			"takes none of 1 tool: the name '%s' has '%s', it "
			"takes a-z A-Z 0-9 and _-",
			rows[i].name, rows[i].odd ? rows[i].odd : "");

		assert_name("claude", rows[i].name, "b",
			    rows[i].odd ? words : "takes 1 tool");
		assert_name("gemini-cli", rows[i].name, "b", "takes 1 tool");
	}
}

/* At its most, and one above it: with the host's own, and the server's name. */
static void lengths_of_names(void **state)
{
	static const char a[] =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	static const struct {
		const char *id, *server;
		size_t most, says; /* what it is called there, one above */
		const char *takes;
	} rows[] = {
		{ "claude", "boards", 64, 65, "64" },
		{ "claude-code", "boards", 51, 65, "64" },
		{ "claude-code", "", 57, 65, "64" },
		{ "codex", "音音", 55, 65, "64" },
		{ "cursor", "boards", 53, 60, "59" },
		{ "cursor-2025", "b", 58, 60, "59" },
	};

	(void)state;
	assert_int_equal(strlen(a), 65);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *name = a + 65 - rows[i].most;
		CLEANUP(mem_free_ptr)
		char *words = mem_printf(
			"takes none of 1 tool: what '%s' is called there has "
			"%zu characters, it takes %s",
			name - 1, rows[i].says, rows[i].takes);

		assert_name(rows[i].id, name, rows[i].server, "takes 1 tool");
		if (rows[i].most < 65)
			assert_name(rows[i].id, name - 1, rows[i].server,
				    words);
	}
	assert_name("vscode", a + 12, "boards", "takes 1 tool");
	assert_name("vscode", a + 11, "boards",
		    "takes 1 tool; cuts the names of 1");
	assert_name("windsurf", a, "boards", "takes 1 tool");
	/* Characters, not bytes. */
	assert_name("cursor",
		    "音音音音音音音音音音音音音音音音音音音音音音音音音音",
		    "boards", "takes 1 tool");
}

/* One costs all, or itself; the first is told of. */
static void some_of_them(void **state)
{
	static const struct shown_row rows[] = {
		{ "a", NULL },
		{ "b", "{\"oneOf\":[]}" },
		{ "c", "{\"allOf\":[]}" },
		{ NULL, NULL },
	};
	static const struct shown_row none[] = { { NULL, NULL } };

	(void)state;
	assert_shown("claude", rows, "b",
		     "takes none of 3 tools: 'b' has alternatives on the first "
		     "level of its schema");
	assert_shown("claude-code", rows, "b",
		     "refuses 2 of 3 tools: 'b' has alternatives on the first "
		     "level of its schema");
	assert_shown("claude-code", rows + 1, "b",
		     "takes none of 2 tools: 'b' has alternatives on the first "
		     "level of its schema");
	assert_shown("vscode", rows, "b", "takes 3 tools");
	assert_shown("claude", none, "b", "takes 0 tools");
	assert_shown("claude-code", none, "b", "takes 0 tools");
}

/* What a host does not see it does not judge. */
static void hidden_ones_are_not_judged(void **state)
{
	char name[] = "a.b";
	char json[] = "{\"name\":\"a\"}";
	struct bridge_tool t[] = { { .name = name }, { .name = json + 9 } };
	struct bridge_catalogue c = { .tool = t, .count = 2 };
	struct judged_list j = { 0 };

	(void)state;
	json[10] = '\0';
	t[1].json = mem_strdup("{\"name\":\"a\"}");
	host_verdicts_find(&j.v, &c, "boards");
	assert_words(&j, "claude", "takes 1 tool");
	host_verdicts_done(&j.v);
	assert_null(j.v.item);
	assert_int_equal(j.v.count, 0);
	mem_free(t[1].json);
}

static void assert_array(const char *schema, bool refused)
{
	assert_refused("vscode", schema,
		       refused ? "takes none of 1 tool: 't' has an array "
				 "without items" :
				 "takes 1 tool");
}

static void arrays_without_items(void **state)
{
	(void)state;
	assert_array("{\"type\":\"array\"}", true);
	assert_array("{\"type\":\"array\",\"items\":{}}", false);
	assert_array("{\"type\":\"array\",\"items\":true}", true);
	assert_array("{\"type\":\"array\",\"items\":[{}]}", true);
	assert_array("{\"type\":[\"null\",\"array\"]}", true);
	assert_array("{\"type\":[1,\"array\"]}", true);
	assert_array("{\"type\":[\"null\",\"string\"]}", false);
	assert_array("{\"type\":\"arrays\"}", false);
	assert_array("{\"type\":[\"null\",\"array\"],\"items\":{}}", false);
	assert_array("[{\"anyOf\":[{},{\"type\":\"array\"}]}]", false);
	assert_array("{\"anyOf\":[{},{\"type\":\"array\"}]}", true);
	for (int i = 0; i < 2; i++) {
		CLEANUP(buf_done) struct buf deep = { 0 };

		/* The 32nd level is the last that is looked at. */
		for (int depth = 0; depth < 32 + i; depth++)
			buf_text(&deep, "{\"not\":");
		buf_text(&deep, "{\"type\":\"array\"}");
		for (int depth = 0; depth < 32 + i; depth++)
			buf_char(&deep, '}');
		assert_array(buf_string(&deep), i == 0);
	}
}

static void assert_key(const char *key, bool refused)
{
	CLEANUP(mem_free_ptr)
	char *schema = mem_printf("{\"properties\":{\"a\":{},\"%s\":{}}}", key);
	CLEANUP(mem_free_ptr)
	char *words = mem_printf(
		"takes none of 1 tool: 't' has an argument '%s'", key);

	assert_refused("claude", schema, refused ? words : "takes 1 tool");
	assert_refused("codex", schema, "takes 1 tool");
}

static void names_of_arguments(void **state)
{
	static const char k[] =
		"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";

	(void)state;
	assert_key("azAZ09_.-", false);
	assert_key("", true);
	assert_key("a b", true);
	assert_key("a[b]", true);
	assert_int_equal(strlen(k), 65);
	assert_key(k + 1, false);
	assert_key(k, true);
}

/* What a host takes of all servers: at it, and one above it. */
static void as_many_as_it_takes(void **state)
{
	static const struct {
		const char *id;
		int most;
	} rows[] = {
		{ "windsurf", 50 },
		{ "cursor", 80 },
		{ "vscode", 128 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const int most = rows[i].most;
		CLEANUP(mem_free_ptr)
		char *fits = mem_printf("takes %d tools", most);
		CLEANUP(mem_free_ptr)
		char *above = mem_printf(
			"takes %d tools; %d is the most that it takes of all "
			"servers",
			most + 1, most);

		for (int more = 0; more < 2; more++) {
			CLEANUP(judged_done) struct judged_list j;
			CLEANUP(buf_done) struct buf tools = { 0 };

			for (int t = 0; t < most + more; t++)
				buf_printf(&tools, "%s{\"name\":\"t%d\"}",
					   t ? "," : "", t);
			judge(&j, tools.data, BRIDGE_FLAT, "boards");
			assert_words(&j, rows[i].id, more ? above : fits);
			assert_int_equal(of_host(&j, rows[i].id)->above, more);
		}
	}
}

/* Of two things that are wrong the name is told of, alone. */
static void the_name_first(void **state)
{
	static const struct shown_row odd[] = { { "a.b", "{\"anyOf\":[]}" },
						{ NULL, NULL } };
	static const struct shown_row wide[] = {
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "{\"anyOf\":[]}" },
		{ NULL, NULL }
	};

	(void)state;
	assert_shown("claude", odd, "boards",
		     "takes none of 1 tool: the name 'a.b' has '.', it takes "
		     "a-z A-Z 0-9 and _-");
	assert_shown("claude-code", wide, "boards",
		     "takes none of 1 tool: what 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		     "aaaaaaaaaaaaaaaaaaaaaaaa' is called there has 65 "
		     "characters, it takes 64");
}

/* ---- configurations ---- */

static const char *const words[] = { "-t", "ws://a/", "bridge", NULL };
static const char *const odd_words[] = { "a \"b\\c\x7f\n", "é", NULL };

static void assert_config(const char *host, const char *expected,
			  const char *file)
{
	struct host_snippet c = { "boards", "/usr/bin/mcpctl", words };
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *where = NULL;

	assert_int_equal(host_snippet_print(&text, host, &c, &where, NULL), 0);
	assert_string_equal(text.data, expected);
	assert_non_null(strstr(where, file));
}

static void configurations(void **state)
{
	static const char servers[] =
		"{\n"
		"  \"mcpServers\": {\n"
		"    \"boards\": {\n"
		"      \"command\": \"/usr/bin/mcpctl\",\n"
		"      \"args\": [\n"
		"        \"-t\",\n"
		"        \"ws://a/\",\n"
		"        \"bridge\"\n"
		"      ]\n"
		"    }\n"
		"  }\n"
		"}\n";

	(void)state;
	assert_config("claude", servers, "claude_desktop_config.json");
	assert_config("cursor", servers, ".cursor/mcp.json");
	assert_config("vscode",
		      "{\n"
		      "  \"servers\": {\n"
		      "    \"boards\": {\n"
		      "      \"type\": \"stdio\",\n"
		      "      \"command\": \"/usr/bin/mcpctl\",\n"
		      "      \"args\": [\n"
		      "        \"-t\",\n"
		      "        \"ws://a/\",\n"
		      "        \"bridge\"\n"
		      "      ]\n"
		      "    }\n"
		      "  }\n"
		      "}\n",
		      ".vscode/mcp.json");
	assert_config("codex",
		      "[mcp_servers.boards]\n"
		      "command = \"/usr/bin/mcpctl\"\n"
		      "args = [\"-t\", \"ws://a/\", \"bridge\"]\n",
		      "config.toml");
}

/* What stands there is what was given, as our own readers have it. */
static void whatever_the_words_are(void **state)
{
	struct host_snippet c = { "my boards", "/opt/m \"x\"/mcpctl",
				  odd_words };
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr) cJSON *toml = NULL;
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const cJSON *entry;
	const char *where;

	(void)state;
	host_snippet_print(&text, "codex", &c, &where, NULL);
	toml = toml_read(text.data, text.len, NULL);
	assert_non_null(toml);
	entry = json_object(json_object(toml, "mcp_servers"), "my boards");
	assert_string_equal(json_string(entry, "command"), c.program);
	assert_string_equal(json_array(entry, "args")->child->valuestring,
			    odd_words[0]);
	buf_reset(&text);
	host_snippet_print(&text, "cursor", &c, &where, NULL);
	json = json_parse(text.data, text.len, NULL);
	entry = json_object(json_object(json, "mcpServers"), "my boards");
	assert_string_equal(json_string(entry, "command"), c.program);
	assert_string_equal(json_array(entry, "args")->child->valuestring,
			    odd_words[0]);
}

static void what_cannot_be_told(void **state)
{
	const char *const bad[] = { "\xff", NULL };
	struct host_snippet c = { "b", "mcpctl", words };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error err = { 0 };
	const char *where;

	(void)state;
	assert_int_equal(host_snippet_print(&text, "codex", &c, &where, &err),
			 -1);
	assert_non_null(strstr(err.text, "no absolute path"));
	c.program = "/m";
	assert_int_equal(host_snippet_print(&text, "cursr", &c, &where, &err),
			 -1);
	assert_string_equal(err.text,
			    "no settings are known of host 'cursr': it is "
			    "claude, cursor, vscode or codex");
	c.words = bad;
	assert_int_equal(host_snippet_print(&text, "codex", &c, &where, &err),
			 -1);
	assert_non_null(strstr(err.text, "an argument is no UTF-8"));
	c.program = "/\xff";
	assert_int_equal(host_snippet_print(&text, "codex", &c, &where, &err),
			 -1);
	assert_non_null(strstr(err.text, "the path"));
	assert_int_equal(text.len, 0);
	error_reset(&err);
}

/* Where it goes, whole; the host's name is taken as people write it. */
static void where_it_goes(void **state)
{
	static const struct {
		const char *host, *where;
	} rows[] = {
		{ "Claude",
		  "claude_desktop_config.json of Claude Desktop, or .mcp.json "
		  "of a project for Claude Code" },
		{ "cursor",
		  "~/.cursor/mcp.json, or .cursor/mcp.json of a project" },
		{ "vscode", ".vscode/mcp.json of a folder" },
		{ "CODEX", "~/.codex/config.toml" },
	};
	struct host_snippet c = { "b", "/m", words };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };
		const char *where = NULL;

		assert_int_equal(host_snippet_print(&text, rows[i].host, &c,
						    &where, NULL),
				 0);
		assert_string_equal(where, rows[i].where);
	}
}

static void words_in_toml(void **state)
{
	static const struct {
		const char *server, *key;
	} rows[] = {
		{ "aA0_-", "aA0_-" }, { "zZ9", "zZ9" },
		{ "a b", "\"a b\"" }, { "", "\"\"" },
		{ "a.b", "\"a.b\"" }, { ".a", "\".a\"" },
		{ "é", "\"é\"" },     { "a\x7f", "\"a\\u007f\"" },
	};
	static const char *const none[] = { NULL };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host_snippet c = { rows[i].server, "/m", none };
		CLEANUP(buf_done) struct buf text = { 0 };
		CLEANUP(mem_free_ptr)
		char *expected = mem_printf(
			"before[mcp_servers.%s]\ncommand = \"/m\"\nargs = []\n",
			rows[i].key);
		const char *where;

		buf_text(&text, "before");
		assert_int_equal(
			host_snippet_print(&text, "codex", &c, &where, NULL),
			0);
		assert_string_equal(text.data, expected);
	}
}

/* In full what is said where none can be made. */
static void why_none_can_be_made(void **state)
{
	static const char *const second[] = { "a", "\xc3", NULL };
	static const struct {
		const char *program, *host, *says;
		const char *const *words;
	} rows[] = {
		{ "./m", "codex",
		  "'./m' is no absolute path: a host starts it from elsewhere",
		  words },
		{ "", "codex",
		  "'' is no absolute path: a host starts it from elsewhere",
		  words },
		{ "/\xff", "codex",
		  "the path of this program is no UTF-8, which such files want",
		  words },
		{ "/m", "codex",
		  "an argument is no UTF-8, which such files want", second },
		{ "/m", "claude-code",
		  "no settings are known of host 'claude-code': it is claude, "
		  "cursor, vscode or codex",
		  words },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host_snippet c = { "b", rows[i].program, rows[i].words };
		CLEANUP(buf_done) struct buf text = { 0 };
		CLEANUP(error_reset) struct error err = { 0 };
		const char *where = "none";

		assert_int_equal(host_snippet_print(&text, rows[i].host, &c,
						    &where, &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_string_equal(err.text, rows[i].says);
		assert_int_equal(text.len, 0);
		assert_string_equal(where, "none");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_have_sources),
		cmocka_unit_test(by_its_own_name),
		cmocka_unit_test(raw_names_are_refused),
		cmocka_unit_test(long_names),
		cmocka_unit_test(too_many),
		cmocka_unit_test(what_is_mended_is_taken),
		cmocka_unit_test(schemas_are_refused),
		cmocka_unit_test(configurations),
		cmocka_unit_test(whatever_the_words_are),
		cmocka_unit_test(what_cannot_be_told),
		cmocka_unit_test(letters_of_names),
		cmocka_unit_test(lengths_of_names),
		cmocka_unit_test(some_of_them),
		cmocka_unit_test(hidden_ones_are_not_judged),
		cmocka_unit_test(arrays_without_items),
		cmocka_unit_test(names_of_arguments),
		cmocka_unit_test(as_many_as_it_takes),
		cmocka_unit_test(where_it_goes),
		cmocka_unit_test(words_in_toml),
		cmocka_unit_test(why_none_can_be_made),
		cmocka_unit_test(the_name_first),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
