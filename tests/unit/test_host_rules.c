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
	assert_refused("windsurf",
		       "{\"properties\":{\"亮度\":{}},\"anyOf\":[]}",
		       "takes 1 tool");
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
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
