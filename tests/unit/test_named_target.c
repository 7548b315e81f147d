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

/* What other programs alone know: whose it is, and what to do. */
static void test_elsewhere(void **state)
{
	static const char own[] = "put the entry into your own mcp.json";
	static const char fallback[] = "give it a default in the file: ${";
	static const char form[] = "expected ${NAME} or ${NAME:-default}";
	const struct {
		const char *text, *says, *hint;
	} rows[] = {
		{ "${input:x}",
		  "'${input:x}' cannot be known here: its editor asks for it",
		  own },
		{ "${workspaceFolder}/x",
		  "'${workspaceFolder}' cannot be known here: it is the folder "
		  "that its editor has open",
		  own },
		{ "${workspaceFolderBasename}", "has open", own },
		{ "${command:x.y}", "its editor finds it out", own },
		{ "${{ secrets.X }}", "'${{ secrets.X }}' cannot", own },
		{ "${workspace}", "variable 'workspace' is not set", fallback },
		{ "${input}", "the variable 'input' is not set", fallback },
		{ "${NAMED_A-x}", "'${NAMED_A-x}' is not understood", form },
		{ "${NAMED_A:x}", "'${NAMED_A:x}' is not understood", form },
		{ "${NAMED_A:}", "'${NAMED_A:}' is not understood", form },
		{ "${9A}", "'${9A}' is not understood", form },
		{ "${env:9A}", "'${env:9A}' is not understood", form },
		{ "${NAMED_A b}", "'${NAMED_A b}' is not understood", form },
		{ "${env:NAMED_NOT}", "variable 'NAMED_NOT' is", fallback },
	};
	CLEANUP(mem_free_ptr) char *long_one = mem_printf("${:%0100d}", 0);
	CLEANUP(mem_free_ptr) char *cut = mem_printf("'${:%059d}'", 0);

	(void)state;
	setenv("NAMED_A", "1", 1);
	unsetenv("NAMED_NOT");
	unsetenv("workspace");
	unsetenv("input");
	for (size_t i = 0; i < COUNT(rows); i++) {
		clean(NULL);
		assert_null(named_expand(rows[i].text, &err));
		assert_int_equal(err.kind, ERR_USAGE);
		says(err.text, rows[i].says);
		says(err.hint, rows[i].hint);
	}
	/* Of what is too long for a line its beginning. */
	assert_null(named_expand(long_one, &err));
	says(err.text, cut);
	/* Whoever sets a variable of that name has it. */
	setenv("workspaceFolder", "/w", 1);
	expands("${workspaceFolder}", "/w");
	unsetenv("workspaceFolder");
	setenv("_a9Zz", "2", 1);
	expands("${_a9Zz}${env:_a9Zz:-x}", "22");
	setenv("env", "3", 1);
	expands("${env}", "3");
	unsetenv("env");
}

static void test_names(void **state)
{
	CLEANUP(words_done) struct words names = { 0 };

	(void)state;
	named_expand_names(&names, "${A} ${env:B:-x} $C ${A}${9}${} ${D", 9);
	assert_int_equal(names.count, 3);
	assert_string_equal(names.word[0], "A");
	assert_string_equal(names.word[1], "B");
	assert_string_equal(names.word[2], "D");
	named_expand_names(&names, "${E}${F}", 4);
	assert_int_equal(names.count, 4);
	assert_string_equal(names.word[3], "E");
}

/* As it may be shown: no secret, variables by their names. */
static void test_shown(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"command\":\"x\",\"args\":[\"a b\",7,\"-n\"]}",
		  "stdio:x 'a b' -n" },
		{ "{\"command\":\"x\",\"args\":[\"--api-key\",\"hush\","
		  "\"more\"]}",
		  "stdio:x --api-key '***' more" },
		{ "{\"command\":\"x\",\"args\":[\"--api-key\",\"-v\"]}",
		  "stdio:x --api-key -v" },
		{ "{\"command\":\"x\",\"args\":[\"--my-key=hush\","
		  "\"plain\"]}",
		  "stdio:x '--my-key=***' plain" },
		{ "{\"command\":\"x\",\"args\":[\"--plain=word\","
		  "\"key\",\"word\"]}",
		  "stdio:x --plain=word key word" },
		{ "{\"command\":\"x\",\"args\":[\"--my-key=\"]}",
		  "stdio:x --my-key=" },
		{ "{\"command\":\"x\",\"args\":[\"--key\",\"${K}\","
		  "\"--key=${K}\"]}",
		  "stdio:x --key '${K}' '--key=${K}'" },
		{ "{\"url\":\"http://h/p?a=1&my_key=hush&b&token=#f\"}",
		  "http://h/p?a=1&my_key=***&b&token=***" },
		{ "{\"url\":\"http://h/p?my_key=${K}&secret=&x=y=z\"}",
		  "http://h/p?my_key=${K}&secret=&x=y=z" },
		{ "{\"url\":\"http://h/p?my_key=${K:-hush}&a=b\"}",
		  "http://h/p?my_key=${K:-***}&a=b" },
		{ "{\"command\":\"x\",\"args\":[\"--key\",\"${K:-hush}\","
		  "\"--key=${K}hush\"]}",
		  "stdio:x --key '${K:-***}' '--key=${K}***'" },
		{ "{\"url\":\"http://me:hush@h:1/@p\"}", "http://***@h:1/@p" },
		{ "{\"url\":\"http://h/a@b?c\"}", "http://h/a@b?c" },
		{ "{\"url\":\"sim:x?y=1\"}", "sim:x?y=1" },
		{ "{\"url\":\"http://h/\",\"type\":\"sse\"}", "sse+http://h/" },
		{ "{\"url\":\"http://h/\",\"type\":\"http\"}", "http://h/" },
		{ "{\"url\":\"http://h/\",\"type\":\"stdio\"}", "" },
		{ "{\"url\":\"http://h/\",\"command\":\"x\"}", "stdio:x" },
		{ "{\"url\":\"http://h/\",\"command\":\"x\","
		  "\"type\":\"http\"}",
		  "http://h/" },
		{ "{\"command\":\"x\",\"type\":\"http\"}", "stdio:x" },
		{ "{}", "" },
		{ "7", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr)
		cJSON *json = json_parse(rows[i][0], strlen(rows[i][0]), NULL);
		CLEANUP(mem_free_ptr) char *shown = NULL;

		assert_non_null(json);
		shown = named_entry_shown(json);
		assert_string_equal(shown, rows[i][1]);
	}
}

static void test_headers_shown(void **state)
{
	static const char *const rows[][3] = {
		{ "X-Plain", "v", "X-Plain: v" },
		{ "X-Api-Key", "hush", "X-Api-Key: ***" },
		{ "PassWord", "hush", "PassWord: ***" },
		{ "Signature", "hush", "Signature: ***" },
		{ "My-Credential", "hush", "My-Credential: ***" },
		{ "Authorization", "Bearer ${T}",
		  "Authorization: Bearer ${T}" },
		{ "X", "Bearer hush", "X: Bearer ***" },
		/* What stands beside a variable, or in place of it, is one, too. */
		{ "Authorization", "Bearer ${T:-hush}",
		  "Authorization: Bearer ${T:-***}" },
		{ "X-Api-Key", "hush-${env:A}${B:-}hush${C",
		  "X-Api-Key: ***${env:A}${B:-}***" },
		{ "X-Plain", "a${A:-b}", "X-Plain: a${A:-b}" },
		{ "Cookie", "sid=hush; b=hush", "Cookie: ***" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *shown = named_header_shown(rows[i][0], rows[i][1]);

		assert_string_equal(shown, rows[i][2]);
	}
}

/* How other clients spell a type, and what goes with it. */
static void test_types(void **state)
{
	(void)state;
	good("{\"type\":\"http\",\"url\":\"https://h\"}");
	assert_string_equal(e.scheme->name, "https");
	good("{\"type\":\"streamableHttp\",\"url\":\"http://h\"}");
	assert_string_equal(e.scheme->name, "http");
	good("{\"type\":\"websocket\",\"url\":\"ws://h/\"}");
	assert_string_equal(e.scheme->name, "ws");
	good("{\"type\":\"stdio\",\"command\":\"x\"}");
	assert_string_equal(e.path, "x");
	bad("{\"type\":\"sse\",\"url\":\"httpsx://h\"}",
	    "does not begin with http:// or https://");
	says(err.hint, "\"type\" is 'sse'");
	bad("{\"type\":\"odd\",\"command\":\"x\"}", "'odd' is not known");
	says(err.hint, "expected stdio, http, sse or ws");
	bad("{\"command\":\"x\",\"url\":\"http://h\"}", "it has both");
	says(err.hint, "\"type\" says which of them counts");
	bad("{\"command\":\"x\",\"envFile\":\".env\"}",
	    "\"envFile\" is not read here");
	says(err.hint, "your own mcp.json, with \"env\"");
	bad("{\"command\":\"x\",\"cwd\":\"${NAMED_NOT}\"}", "cwd: the var");
	bad("{\"url\":7}", "url is no text");
	bad("{\"url\":\"STDIO:x\"}", "a program is no \"url\"");
	bad("{\"url\":\"http://h\",\"headers\":[]}",
	    "\"headers\" is no object");
	bad("{\"url\":\"http://h\",\"headers\":{\"A\":7}}",
	    "header A is no text");
	bad("{\"command\":\"x\",\"env\":{\"\":\"\"}}", "'' is no name");
	/* null is as good as not there. */
	good("{\"command\":\"x\",\"args\":null,\"env\":null,\"cwd\":null,"
	     "\"protocolEra\":null}");
	assert_null(e.cwd);
	assert_int_equal(e.argv.count, 1);
	assert_int_equal(e.env.count, 0);
	good("{\"url\":\"http://h\",\"headers\":null,\"oauth\":null}");
	assert_null(e.oauth);
	good("{\"url\":\"http://h\",\"oauth\":{\"scope\":\"${S}\"}}");
	assert_string_equal(e.oauth, "{\"scope\":\"${S}\"}");
	good("{\"url\":\"http://h\",\"oauth\":false}");
	assert_string_equal(e.oauth, "false");
	/* Of a file that was given the folder is where we are. */
	good("{\"command\":\"x\",\"cwd\":\"sub\"}");
	assert_string_equal(e.cwd, "sub");
}

static void test_eras(void **state)
{
	(void)state;
	good("{\"command\":\"x\"}");
	assert_int_equal(e.era, WISH_AUTO);
	good("{\"command\":\"x\",\"protocolEra\":\"auto\"}");
	assert_int_equal(e.era, WISH_AUTO);
	good("{\"command\":\"x\",\"protocolEra\":\"modern\"}");
	assert_int_equal(e.era, WISH_MODERN);
	good("{\"url\":\"http://h\",\"protocolEra\":\"legacy\"}");
	assert_int_equal(e.era, WISH_LEGACY);
	bad("{\"command\":\"x\",\"protocolEra\":\"old\"}", "is no era");
	says(err.hint, "expected auto, modern or legacy");
	bad("{\"command\":\"x\",\"protocolEra\":7}", "is no era");
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

static void choice_is(const char *device, const char *expected)
{
	CLEANUP(mem_free_ptr)
	char *key = target_choice_key("mcp+mqtt://me@h/#", device);

	assert_string_equal(key, expected);
}

/* Of one of many, as -d means it. */
static void test_choice(void **state)
{
	(void)state;
	choice_is(NULL, "mcp+mqtt://h/#");
	choice_is("", "mcp+mqtt://h/#");
	choice_is("x y", "mcp+mqtt://h/# -d x y");
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
		TEST(test_elsewhere),	  TEST(test_names),
		TEST(test_shown),	  TEST(test_headers_shown),
		TEST(test_types),	  TEST(test_eras),
		TEST(test_texts),	  TEST(test_wrong_files),
		TEST(test_text),	  TEST(test_words),
		TEST(test_choice),	  TEST(test_kept),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
