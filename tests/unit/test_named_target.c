/* SPDX-License-Identifier: MIT */
/*
 * Entries of an mcp.json: what they become, what is shown of them and what
 * never is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/app.h"
#include "cli/catalog.h"
#include "cli/catalog_file.h"
#include "cli/connection.h"
#include "cli/named.h"
#include "cli/named_entry.h"
#include "cli/named_file.h"
#include "cli/schema_cache.h"
#include "cli/target_text.h"
#include "folder.h"
#include "named_harness.h"
#include "net/head.h"

static char *config(const char *text)
{
	return folder_write("given.json", text, strlen(text));
}

/* Entry "x" of a file with that text of entries. */
static int open_entry(const char *entry)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"mcpServers\":{\"x\":%s}}", entry);
	CLEANUP(mem_free_ptr) char *path = config(text);

	clean(NULL);
	return find("x", path);
}

static void good(const char *entry)
{
	if (open_entry(entry) != 0)
		fail_msg("%s: %s", entry, err.text);
}

static void bad(const char *entry, const char *part)
{
	assert_int_equal(open_entry(entry), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	says(err.text, "server 'x' of '");
	says(err.text, part);
	assert_null(e.text);
}

static void test_urls(void **state)
{
	(void)state;
	setenv("NAMED_TOKEN", "hush", 1);
	good("{\"url\":\"http://h:81/mcp?k=1\",\"headers\":{"
	     "\"Authorization\":\"Bearer ${NAMED_TOKEN}\"},\"other\":[1]}");
	assert_string_equal(e.scheme->name, "http");
	assert_string_equal(e.host, "h");
	assert_int_equal(e.port, 81);
	assert_string_equal(e.path, "/mcp?k=1");
	assert_string_equal(headers_get(&e.headers, "authorization"),
			    "Bearer hush");
	assert_string_equal(e.text, "http://h:81/mcp?k=1");
	says(e.source, "given.json");
	good("{\"type\":\"sse\",\"url\":\"https://h/sse\"}");
	assert_string_equal(e.scheme->name, "sse+https");
	assert_string_equal(e.text, "sse+https://h/sse");
	good("{\"type\":\"streamable-http\",\"url\":\"HTTPS://h\"}");
	assert_string_equal(e.scheme->name, "https");
	good("{\"type\":\"ws\",\"url\":\"wss://h/\"}");
	assert_string_equal(e.scheme->name, "wss");
	good("{\"url\":\"sim:esp32\"}");
	assert_string_equal(e.scheme->name, "sim");
	good("{\"url\":\"http://${NAMED_HOST:-localhost}:${NAMED_PORT:-80}/\"}");
	assert_string_equal(e.host, "localhost");
	assert_string_equal(
		e.text, "http://${NAMED_HOST:-localhost}:${NAMED_PORT:-80}/");
}

static void test_programs(void **state)
{
	(void)state;
	setenv("NAMED_TOKEN", "hush", 1);
	good("{\"command\":\"npx\",\"args\":[\"-y\",\"a b\",\"--api-key\","
	     "\"geheim\",\"--token=geheim\",\"${NAMED_TOKEN}\"],\"env\":{"
	     "\"KEY\":\"${NAMED_TOKEN}\",\"PORT\":8080,\"NONE\":null}}");
	assert_string_equal(e.scheme->name, "stdio");
	assert_int_equal(e.argv.count, 7);
	assert_string_equal(e.argv.word[0], "npx");
	assert_string_equal(e.argv.word[2], "a b");
	assert_string_equal(e.argv.word[3], "--api-key");
	assert_string_equal(e.argv.word[4], "geheim");
	assert_int_equal(e.env.count, 2);
	assert_string_equal(e.env.word[0], "KEY=hush");
	assert_string_equal(e.env.word[1], "PORT=8080");
	assert_null(e.cwd);
	says(e.text, "stdio:npx -y 'a b' --api-key");
	says(e.text, "${NAMED_TOKEN}");
	assert_null(strstr(e.text, "geheim"));
	assert_null(strstr(e.text, "hush"));
	assert_null(strstr(e.path, "geheim"));
	good("{\"type\":\"stdio\",\"command\":\"x\",\"cwd\":\"/tmp\","
	     "\"url\":\"http://h\"}");
	assert_string_equal(e.cwd, "/tmp");
	assert_string_equal(e.text, "stdio:x");
}

static void test_wrong_entries(void **state)
{
	(void)state;
	unsetenv("NAMED_NOT");
	setenv("NAMED_TOKEN", "hush\n", 1);
	bad("7", "no object");
	bad("{}", "neither \"command\" nor \"url\"");
	bad("{\"command\":\"x\",\"url\":\"http://h\"}", "both");
	bad("{\"type\":\"odd\",\"url\":\"http://h\"}", "'odd' is not known");
	bad("{\"type\":7,\"url\":\"http://h\"}", "no text");
	bad("{\"type\":\"stdio\",\"url\":\"http://h\"}", "no \"command\"");
	bad("{\"type\":\"http\",\"command\":\"x\"}", "no \"url\"");
	bad("{\"type\":\"http\",\"url\":\"ws://h\"}", "begin with http://");
	bad("{\"type\":\"ws\",\"url\":\"http://h\"}", "begin with ws://");
	bad("{\"url\":\"bogus://h\"}", "no target");
	bad("{\"url\":\"stdio:x\"}", "a program is no \"url\"");
	bad("{\"url\":\"http://u:geheim@h/\"}", "a user before '@'");
	assert_null(strstr(err.text, "geheim"));
	bad("{\"url\":\"http://h:0/${NAMED_TOKEN}\"}", "no target");
	assert_null(strstr(err.text, "hush"));
	bad("{\"command\":\"\"}", "empty");
	bad("{\"command\":7}", "command is no text");
	bad("{\"command\":\"x\",\"args\":\"y\"}", "\"args\" is no array");
	bad("{\"command\":\"x\",\"args\":[{}]}", "an argument is no text");
	bad("{\"command\":\"x\",\"env\":[]}", "\"env\" is no object");
	bad("{\"command\":\"x\",\"env\":{\"A=B\":\"\"}}", "no name");
	bad("{\"command\":\"x\",\"env\":{\"A\":true}}", "A is no text");
	bad("{\"command\":\"x\",\"cwd\":7}", "cwd is no text");
	bad("{\"command\":\"${NAMED_NOT}\"}", "'NAMED_NOT' is not set");
	says(err.hint, "${NAMED_NOT:-");
	bad("{\"url\":\"http://h\",\"headers\":{\"A b\":\"\"}}", "no name");
	bad("{\"url\":\"http://h\",\"headers\":{\"A\":\"${NAMED_TOKEN}\"}}",
	    "header A has a control character");
	assert_null(strstr(err.text, "hush"));
}

static void expands(const char *text, const char *to)
{
	CLEANUP(mem_free_ptr) char *out = named_expand(text, &err);

	if (!out)
		fail_msg("%s: %s", text, err.text);
	assert_string_equal(out, to);
}

static void test_variables(void **state)
{
	CLEANUP(buf_done) struct buf many = { 0 };

	(void)state;
	setenv("NAMED_A", "1", 1);
	setenv("NAMED_EMPTY", "", 1);
	unsetenv("NAMED_NOT");
	expands("", "");
	expands("$NAMED_A $ {x} }", "$NAMED_A $ {x} }");
	expands("<${NAMED_A}${env:NAMED_A}>", "<11>");
	expands("${NAMED_EMPTY}${NAMED_EMPTY:-x}", "x");
	expands("${NAMED_NOT:-}${NAMED_NOT:-a:-b}", "a:-b");
	expands("${NAMED_A:-no}", "1");
	assert_null(named_expand("${NAMED_NOT}", &err));
	assert_null(named_expand("${NAMED_A", &err));
	says(err.text, "not closed");
	assert_null(named_expand("${input:token}", &err));
	says(err.text,
	     "'${input:token}' cannot be known here: its editor asks for it");
	assert_null(named_expand("${{ secrets.X }}", &err));
	says(err.text, "'${{ secrets.X }}' cannot be known here");
	assert_null(named_expand("${file:x}", &err));
	says(err.text, "'${file:x}' is not understood");
	assert_null(named_expand("${}", &err));
	assert_null(named_expand("${:-x}", &err));
	assert_null(named_expand("${env:}", &err));
	for (int i = 0; i < 70000; i++)
		buf_char(&many, 'x');
	setenv("NAMED_LONG", many.data, 1);
	assert_null(named_expand("${NAMED_LONG}", &err));
	says(err.text, "longer than 64 kB");
	unsetenv("NAMED_LONG");
}

static void test_texts(void **state)
{
	CLEANUP(mem_free_ptr)
	char *path = config("\xef\xbb\xbf// first\n{ /* } */ \"servers\": {\n"
			    "\"a//b\": {\"command\": \"/*x\", \"args\":"
			    "[\"\\\"//\",],}, // last\n}, }\n");

	(void)state;
	if (find("a//b", path) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(e.argv.word[0], "/*x");
	assert_string_equal(e.argv.word[1], "\"//");
}

static void test_wrong_files(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = { { "", "is no JSON" },
		     { "{1}", "is no JSON" },
		     { "{\"a\":1 /* }", "is no JSON" },
		     { "[]", "no object \"mcpServers\"" },
		     { "{\"mcpServers\":[]}", "no object \"mcpServers\"" } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *path = config(rows[i].text);

		assert_int_equal(find("x", path), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		says(err.text, rows[i].says);
	}
	assert_int_equal(find("x", "/nonexistent/f"), -1);
	says(err.text, "/nonexistent/f");
}

static void test_text(void **state)
{
	CLEANUP(mem_free_ptr)
	char *path = config("{\"mcpServers\":{\"x\":{\"url\":\"sim:2\"}}}");
	const struct named_search search = { .config_file = path };
	CLEANUP(mem_free_ptr) char *named = named_target_text("x", &search);
	CLEANUP(mem_free_ptr) char *given = named_target_text("sim:", &search);
	CLEANUP(mem_free_ptr) char *none = named_target_text("y", &search);

	(void)state;
	assert_string_equal(named, "sim:2");
	assert_string_equal(given, "sim:");
	assert_string_equal(none, "y");
	assert_null(named_target_text(NULL, &search));
}

static void words_are(const char *target, const char *config_file,
		      const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	target_words(&out, target, config_file);
	assert_string_equal(buf_string(&out), expected);
}

static void test_words(void **state)
{
	(void)state;
	words_are(NULL, "f", "");
	words_are("", NULL, "");
	words_are("x", NULL, "-t x ");
	words_are("it's", "a b", "--config 'a b' -t 'it'\\''s' ");
	words_are("ws://me:hush@h/p?k=hush", "f", "ws://h/p ");
	words_are("stdio:cat -n", NULL, "'stdio:cat -n' ");
}

/* The shell's TAB where nothing is connected. */
static void test_kept(void **state)
{
	CLEANUP(mem_free_ptr)
	char *path = config("{\"mcpServers\":{\"x\":{\"url\":\"sim:2\"}}}");
	CLEANUP(mem_free_ptr) char *cache = folder_path("cache");
	CLEANUP(mem_free_ptr) char *key = target_key("sim:2", NULL);
	const struct tool_list none = { 0 };
	struct schema_source source;
	struct app app = { .config = { .target = "x", .config_file = path } };
	struct connection connection = { .app = &app };

	(void)state;
	setenv("XDG_CACHE_HOME", cache, 1);
	schema_source_session(&source, &connection);
	assert_false(source.known(source.owner));
	schema_source_close(&source);
	assert_int_equal(schema_cache_write(key, &none, &err), 0);
	schema_source_session(&source, &connection);
	assert_true(source.known(source.owner));
	schema_source_close(&source);
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_urls),	  TEST(test_programs),
		TEST(test_wrong_entries), TEST(test_variables),
		TEST(test_texts),	  TEST(test_wrong_files),
		TEST(test_text),	  TEST(test_words),
		TEST(test_kept),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
