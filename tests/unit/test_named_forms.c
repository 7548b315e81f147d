/* SPDX-License-Identifier: MIT */
/*
 * The files of other MCP clients: told by their names, read in their own forms,
 * made into entries as cli/named_entry takes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/named_forms.h"

static struct error err;

static int clean(void **state)
{
	(void)state;
	error_reset(&err);
	return 0;
}

/* Yours; NULL: it cannot be read. */
static cJSON *form(const char *path, const char *text, const char *here)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };

	error_reset(&err);
	buf_text(&bytes, text);
	return named_form_read(&bytes, path, here, &err);
}

/* The servers that a file of that name becomes. */
static void becomes_at(const char *path, const char *text, const char *here,
		       const char *expected)
{
	CLEANUP(json_free_ptr) cJSON *json = form(path, text, here);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!json)
		fail_msg("%s: %s: %s", path, text, err.text);
	json_print(&out, json_object(json, "mcpServers"));
	assert_string_equal(buf_string(&out), expected);
}

static void becomes(const char *path, const char *text, const char *expected)
{
	becomes_at(path, text, NULL, expected);
}

/* Of the entry x in a file of "mcpServers". */
static void entry(const char *path, const char *text, const char *expected)
{
	CLEANUP(mem_free_ptr)
	char *all = mem_printf("{\"mcpServers\":{\"x\":%s}}", text);
	CLEANUP(mem_free_ptr) char *out = mem_printf("{\"x\":%s}", expected);

	becomes(path, all, out);
}

static void fails(const char *path, const char *text, const char *says)
{
	CLEANUP(json_free_ptr) cJSON *json = form(path, text, NULL);

	assert_null(json);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, says) || !strstr(err.text, path))
		fail_msg("'%s' does not say '%s' of '%s'", err.text, says,
			 path);
}

/* ---- names of files ---- */

static void test_suffixes(void **state)
{
	static const struct {
		const char *path, *suffix;
	} rows[] = {
		{ "/p/.vscode/mcp.json", ".vscode/mcp.json" },
		{ ".vscode/mcp.json", ".vscode/mcp.json" },
		{ "/p/x.vscode/mcp.json", "" },
		{ "vscode/mcp.json", "" },
		{ "/p/.cursor/mcp.json", ".cursor/mcp.json" },
		{ "/p/.codex/config.toml", ".codex/config.toml" },
		{ "/p/config.toml", "" },
		{ "/p/opencode.json", "opencode.json" },
		{ "/p/.opencode/opencode.json", ".opencode/opencode.json" },
		{ "/p/.opencode/opencode.jsonc", ".opencode/opencode.jsonc" },
		{ "/p/.continue/mcpServers/a.yaml",
		  ".continue/mcpServers/a.yaml" },
		{ ".continue/mcpServers/b", ".continue/mcpServers/b" },
		{ "/p/.continue/mcpServers/", "" },
		{ "/p/.continue/mcpServers", "" },
		{ "/p/.continue/a.yaml", "" },
		{ "/p/x.continue/mcpServers/a.yaml", "" },
		/* Of the user's own there is one place alone. */
		{ "/h/.claude.json", "" },
		{ "/h/.codeium/windsurf/mcp_config.json", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t len = client_file_suffix(rows[i].path);

		if (len != strlen(rows[i].suffix))
			fail_msg("%s: %zu bytes", rows[i].path, len);
	}
}

/* ---- what stands in front of all forms ---- */

static void test_comments(void **state)
{
	(void)state;
	becomes("m.json",
		"\xef\xbb\xbf// first\n{ /* ] } */ \"servers\" : { // , }\n"
		" \"a\" : { \"command\" : \"x//y\" , \"args\" : [ \"/*\" , ]"
		" , } /* last */ , \n} , }//",
		"{\"a\":{\"command\":\"x//y\",\"args\":[\"/*\"]}}");
	/* A quote that is escaped ends no text, a backslash alone does. */
	becomes("m.json", "{\"servers\":{\"a\":{\"command\":\"\\\"//\\\\\",}}}",
		"{\"a\":{\"command\":\"\\\"//\\\\\"}}");
	becomes("m.json", "/* a *//* \" *//** / */{\"servers\":{}}//x\n//",
		"{}");
	/* A comment of nothing ends, one of a slash does not. */
	becomes("m.json", "/**/{\"servers\":{}}", "{}");
	becomes("m.json", "/*/,*/{\"servers\":{}}", "{}");
	becomes("m.json", "{\"servers\":{\"a\":{\"command\":\"\\\\\"/*,*/,}}}",
		"{\"a\":{\"command\":\"\\\\\"}}");
	fails("m.json", "{\"servers\":{},\"x\":/1}", "is no JSON");
	/* Not where a value is missing. */
	fails("m.json", "{\"servers\":{},,}", "is no JSON");
	fails("m.json", "{\"servers\":{\"a\":/}}", "is no JSON");
	fails("m.json", "{\"servers\":{}} /* open", "is no JSON");
	fails("m.json", "{\"servers\":{}} /", "is no JSON");
	fails("m.json", "{\"servers\":{\"a\":\"}}", "is no JSON");
	fails("m.json", "{\"servers\":{\"a\":\"\\", "is no JSON");
	/* The byte in the message is the file's. */
	fails("m.json", "/* 678 */ {\"servers\":?}", "byte 21");
}

static void test_languages(void **state)
{
	(void)state;
	becomes("c.toml",
		"[mcp_servers.a]\ncommand = \"cat\"\nargs = [\"-u\"]\n",
		"{\"a\":{\"command\":\"cat\",\"args\":[\"-u\"]}}");
	becomes("C.TOML", "[mcp_servers.a]\ncommand = \"cat\"\n",
		"{\"a\":{\"command\":\"cat\"}}");
	fails("c.toml", "[mcp_servers.a", "is no TOML");
	/* A name that is an ending alone has none. */
	fails(".toml", "[mcp_servers.a]", "is no JSON");
	/* Only files of those endings are tried as it. */
	fails("c.json", "[mcp_servers.a]\ncommand = \"cat\"\n", "is no JSON");
	fails("m.json", "[1]", "has no object \"mcpServers\"");
	fails("m.json", "{\"mcpServers\":[{\"name\":\"a\"}]}",
	      "has no object \"mcpServers\"");
}

/* A list with names, in that language alone. */
static void test_yaml(void **state)
{
	static const char list[] =
		"mcpServers:\n- name: a\n  command: c\n- command: d\n";
	static const char made[] =
		"{\"a\":{\"name\":\"a\",\"command\":\"c\"},\"\":{\"command\":\"d\"}}";

	(void)state;
	becomes("/h/.continue/config.yaml", list, made);
	becomes("/p/.continue/mcpServers/a.YML", list, made);
	becomes("x.yml", "servers:\n  b:\n    command: c\n",
		"{\"b\":{\"command\":\"c\"}}");
	fails("x.yaml", "a: [", "cannot be read as YAML");
	fails("x.yaml", "a: 1\n", "has no object \"mcpServers\"");
	becomes("/h/.continue/config.yaml", "a: 1\n", "{}");
}

/* What is there for servers alone must have some; settings need not. */
static void test_nothing(void **state)
{
	static const char *const files[] = {
		"/h/.claude.json",
		"/c/zed/settings.json",
		"/p/.gemini/settings.json",
		"/c/opencode/opencode.jsonc",
		"/p/.continue/mcpServers/x.yml",
		"/p/.codex/config.toml",
		"/any/other.toml",
		"/h/.codeium/windsurf/mcp_config.json"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(files); i++)
		becomes(files[i], " \t\r\n", "{}");
	becomes("/c/zed/settings.json", "{\"theme\":1}", "{}");
	becomes("/any/other.toml", "theme = 1\n", "{}");
	fails("/p/.vscode/mcp.json", "", "is no JSON");
	fails("/p/.vscode/mcp.json", "{}", "has no object \"mcpServers\"");
	fails("/p/mcp.json", "{\"theme\":1}", "has no object \"mcpServers\"");
	fails("/any/other.json", "{}", "has no object \"mcpServers\"");
	fails("/any/other.json", " ", "is no JSON");
	fails("/c/zed/settings.json", "x", "is no JSON");
}

/* ---- where the servers stand ---- */

static void test_places(void **state)
{
	static const char a[] = "{\"a\":{\"command\":\"c\"}}";
	static const char *const names[] = { "mcpServers", "servers",
					     "context_servers", "mcp_servers" };

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("{\"%s\":%s}", names[i], a);

		becomes("m.json", text, a);
	}
	becomes("m.json", "{\"mcp\":{\"servers\":{\"a\":{}}}}", "{\"a\":{}}");
	becomes("/p/opencode.json", "{\"mcp\":{\"a\":{}}}", "{\"a\":{}}");
	becomes("/p/opencode.jsonc", "{\"mcp\":{\"a\":{}}}", "{\"a\":{}}");
	fails("m.json", "{\"mcp\":{\"a\":{}}}", "has no object");
	/* The first that is an object counts. */
	becomes("m.json", "{\"servers\":{\"s\":{}},\"mcpServers\":{\"m\":{}}}",
		"{\"m\":{}}");
	becomes("m.json", "{\"servers\":{\"s\":{}},\"mcpServers\":7}",
		"{\"s\":{}}");
}

/* Those of the folders that we stand in go first, the nearest before all. */
static void test_projects(void **state)
{
	static const char text[] =
		"{\"mcpServers\":{\"all\":{}},\"projects\":{"
		"\"/\":{\"mcpServers\":{\"root\":{}}},"
		"\"/p\":{\"mcpServers\":{\"p\":{\"command\":[\"c\",\"1\"]}}},"
		"\"/p/q\":{\"mcpServers\":{\"q\":{}}},"
		"\"/p/other\":{\"mcpServers\":{\"o\":{}}}}}";

	(void)state;
	becomes_at("/h/.claude.json", text, "/p/q/r",
		   "{\"q\":{},\"p\":{\"command\":\"c\",\"args\":[\"1\"]},"
		   "\"root\":{},\"all\":{}}");
	becomes_at("/h/.claude.json", text, "/", "{\"root\":{},\"all\":{}}");
	becomes_at("/h/.claude.json", text, "/pp", "{\"root\":{},\"all\":{}}");
	becomes_at("/h/.claude.json", text, NULL, "{\"all\":{}}");
	becomes_at("/h/.claude.json", text, "p", "{\"all\":{}}");
	/* Of that client alone. */
	becomes_at("/h/claude.json", text, "/p", "{\"all\":{}}");
}

/* ---- one entry ---- */

static void test_commands(void **state)
{
	(void)state;
	entry("m.json", "{\"command\":[\"npx\",\"-y\"],\"args\":[\"z\"]}",
	      "{\"command\":\"npx\",\"args\":[\"-y\",\"z\"]}");
	entry("m.json", "{\"command\":[\"npx\"],\"type\":\"local\"}",
	      "{\"command\":\"npx\",\"args\":[],\"type\":\"stdio\"}");
	entry("m.json", "{\"command\":[]}", "{\"command\":[]}");
	entry("m.json",
	      "{\"command\":{\"path\":\"p\",\"args\":[\"1\"],\"env\":{}}}",
	      "{\"args\":[\"1\"],\"env\":{},\"command\":\"p\"}");
	/* What the entry itself says counts. */
	entry("m.json",
	      "{\"args\":[\"mine\"],\"command\":{\"path\":\"p\","
	      "\"args\":[\"1\"]}}",
	      "{\"args\":[\"mine\"],\"command\":\"p\"}");
	entry("m.json", "{\"environment\":{\"A\":\"1\"}}",
	      "{\"env\":{\"A\":\"1\"}}");
	entry("m.json", "{\"env\":{},\"environment\":{\"A\":\"1\"}}",
	      "{\"env\":{},\"environment\":{\"A\":\"1\"}}");
	entry("m.json", "7", "7");
}

static void test_urls(void **state)
{
	(void)state;
	entry("m.json", "{\"httpUrl\":\"http://h\"}",
	      "{\"type\":\"http\",\"url\":\"http://h\"}");
	entry("m.json", "{\"httpUrl\":\"http://h\",\"url\":\"http://o\"}",
	      "{\"httpUrl\":\"http://h\",\"url\":\"http://o\"}");
	entry("m.json", "{\"serverUrl\":\"http://h\"}",
	      "{\"url\":\"http://h\"}");
	entry("m.json", "{\"type\":\"remote\",\"url\":\"http://h\"}",
	      "{\"url\":\"http://h\"}");
	entry("m.json", "{\"type\":\"sse\",\"url\":\"http://h\"}",
	      "{\"type\":\"sse\",\"url\":\"http://h\"}");
}

static void test_headers(void **state)
{
	(void)state;
	entry("m.json", "{\"http_headers\":{\"A\":\"1\"}}",
	      "{\"headers\":{\"A\":\"1\"}}");
	entry("m.json",
	      "{\"bearer_token_env_var\":\"T\",\"env_http_headers\":"
	      "{\"X\":\"V\",\"Y\":7},\"http_headers\":{\"A\":\"1\"}}",
	      "{\"bearer_token_env_var\":\"T\",\"env_http_headers\":"
	      "{\"X\":\"V\",\"Y\":7},\"headers\":{\"A\":\"1\","
	      "\"X\":\"${V}\",\"Authorization\":\"Bearer ${T}\"}}");
	entry("m.json", "{\"bearer_token_env_var\":\"\"}",
	      "{\"bearer_token_env_var\":\"\"}");
	entry("m.json", "{\"requestOptions\":{\"headers\":{\"A\":\"1\"}}}",
	      "{\"requestOptions\":{},\"headers\":{\"A\":\"1\"}}");
	entry("m.json",
	      "{\"headers\":{},\"requestOptions\":{\"headers\":{\"A\":\"1\"}}}",
	      "{\"headers\":{},\"requestOptions\":{\"headers\":"
	      "{\"A\":\"1\"}}}");
}

/* ---- variables ---- */

#define ALL                                                                 \
	"{\"command\":\"${workspaceFolder}/${userHome}\",\"args\":[\"$A_1 " \
	"$1 {env:B} ${env:C} $ {env:} {env:D\",[{\"k\":\"$z${userHome\"}]]}"

static void test_variables(void **state)
{
	(void)state;
	/* The project is the folder that the file's place is counted from. */
	entry("/p/.vscode/mcp.json", ALL,
	      "{\"command\":\"/p/${HOME}\",\"args\":[\"$A_1 $1 {env:B} "
	      "${env:C} $ {env:} {env:D\",[{\"k\":\"$z${userHome\"}]]}");
	entry("/p/q/.continue/mcpServers/m.json",
	      "{\"cwd\":"
	      "\"${workspaceFolder}\"}",
	      "{\"cwd\":\"/p/q\"}");
	/* Without one it stays, and is told of later. */
	entry("/c/Code/User/mcp.json", "{\"cwd\":\"${workspaceFolder}\"}",
	      "{\"cwd\":\"${workspaceFolder}\"}");
	entry(".vscode/mcp.json", "{\"cwd\":\"${workspaceFolder}\"}",
	      "{\"cwd\":\"${workspaceFolder}\"}");
	entry("/p/.gemini/settings.json", ALL,
	      "{\"command\":\"/p/${HOME}\",\"args\":[\"${A_1} $1 {env:B} "
	      "${env:C} $ {env:} {env:D\",[{\"k\":\"${z}${userHome\"}]]}");
	entry(".gemini/settings.json", "{\"cwd\":\"$_a$Z90$z$A-$0$\"}",
	      "{\"cwd\":\"${_a}${Z90}${z}${A}-$0$\"}");
	entry("/p/x.gemini/settings.json", "{\"cwd\":\"$A\"}",
	      "{\"cwd\":\"$A\"}");
	becomes("/p/opencode.json", "{\"mcp\":{\"x\":" ALL "}}",
		"{\"x\":{\"command\":\"/p/${HOME}\",\"args\":[\"$A_1 $1 ${B} "
		"$${C} $ {env:} {env:D\",[{\"k\":\"$z${userHome\"}]]}}");
}

static bool is_off(const char *text)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(text, strlen(text), NULL);

	assert_non_null(json);
	return named_form_is_off(json);
}

static void test_off(void **state)
{
	(void)state;
	assert_false(is_off("{}"));
	assert_true(is_off("{\"disabled\":true}"));
	assert_false(is_off("{\"disabled\":false}"));
	assert_true(is_off("{\"enabled\":false}"));
	assert_false(is_off("{\"enabled\":true}"));
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_suffixes),  TEST(test_comments), TEST(test_languages),
		TEST(test_nothing),   TEST(test_places),   TEST(test_projects),
		TEST(test_commands),  TEST(test_urls),	   TEST(test_headers),
		TEST(test_variables), TEST(test_off),	   TEST(test_yaml),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
