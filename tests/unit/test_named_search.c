/* SPDX-License-Identifier: MIT */
/*
 * Which mcp.json files count, in which order, and which are not used: broken
 * ones, those of other users, those of folders that nobody trusted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "base/file.h"
#include "cli/named_file.h"
#include "folder.h"
#include "named_harness.h"
#include "skip_for.h"

/* ---- which files ---- */

struct seen {
	char *line[16];
	size_t count;
};

static void see(void *owner, const struct named_entry *entry)
{
	struct seen *s = owner;

	/* One that somebody left above, in the temporary folder itself. */
	if (!strstr(entry->file, folder))
		return;
	assert_true(s->count < COUNT(s->line));
	s->line[s->count++] = mem_printf(
		"%s|%s|%s|%s", entry->name ? entry->name : "-", entry->peer,
		entry->file + strlen(folder),
		entry->hidden && entry->untrusted ? "hidden untrusted" :
		entry->hidden			  ? "hidden" :
		entry->untrusted		  ? "untrusted" :
		entry->problem			  ? "problem" :
						    "");
	assert_true(!entry->untrusted ||
		    strstr(entry->problem, "not trusted: mcpctl trust "));
}

static void seen_done(struct seen *s)
{
	for (size_t i = 0; i < s->count; i++)
		mem_free(s->line[i]);
	*s = (struct seen){ 0 };
}

static void put(const char *name, const char *text)
{
	mem_free(folder_write(name, text, strlen(text)));
}

static void enter(const char *name)
{
	CLEANUP(mem_free_ptr) char *path = folder_path(name);

	assert_int_equal(chdir(path), 0);
}

static void make_tree(void)
{
	static const char *const folders[] = { "top", "top/in", "xdg",
					       "xdg/mcpctl" };

	for (size_t i = 0; i < COUNT(folders); i++) {
		CLEANUP(mem_free_ptr) char *path = folder_path(folders[i]);

		assert_int_equal(mkdir(path, 0700), 0);
	}
	put("top/in/.mcp.json", "{\"mcpServers\":{\"a\":{\"url\":\"sim:\"},"
				"\"b\":{}}}");
	put("top/in/mcp.json", "{broken");
	put("top/mcp.json", "{\"mcpServers\":{\"a\":{\"url\":\"sim:2\"},"
			    "\"run\":{\"command\":\"./x\",\"cwd\":\"sub\"},"
			    "\"here\":{\"command\":\"./x\"}}}");
	put("xdg/mcpctl/mcp.json",
	    "{\"mcpServers\":{\"c:d\":{\"url\":\"sim:\"},"
	    "\"own\":{\"command\":\"y\"}}}");
}

/* As it is now. */
static void trust(const char *name)
{
	CLEANUP(mem_free_ptr) char *path = folder_path(name);
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_init(&text, NAMED_FILE_MAX);
	assert_int_equal(file_read(&text, "file", path, &err), 0);
	assert_int_equal(trust_store_keep(path, text.data, text.len, &err), 0);
}

static void sees(const char *const *lines, size_t count,
		 const struct named_search *search)
{
	CLEANUP(seen_done) struct seen s = { 0 };

	assert_true(named_targets(search, see, &s) >= count);
	assert_int_equal(s.count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(s.line[i], lines[i]);
}

static void refused(const char *name)
{
	assert_int_equal(find(name, NULL), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	says(err.text, "is not trusted; nothing was run or sent");
	says(err.hint, "mcpctl trust ");
	assert_null(e.text);
	clean(NULL);
}

/* Files of folders, before anybody trusted them: listed, and of no use. */
static void test_untrusted(void **state)
{
	CLEANUP(mem_free_ptr) char *xdg = folder_path("xdg");
	CLEANUP(mem_free_ptr) char *store = folder_path("state");
	const struct named_search all = { .trust = true };
	static const char *const lines[] = {
		"c:d|sim:|/xdg/mcpctl/mcp.json|problem",
		"own|stdio:y|/xdg/mcpctl/mcp.json|",
		"a|sim:|/top/in/.mcp.json|untrusted",
		"b||/top/in/.mcp.json|untrusted",
		"-||/top/in/mcp.json|problem",
		"a|sim:2|/top/mcp.json|hidden untrusted",
		"run|stdio:./x|/top/mcp.json|untrusted",
		"here|stdio:./x|/top/mcp.json|untrusted",
	};

	(void)state;
	setenv("XDG_CONFIG_HOME", xdg, 1);
	setenv("XDG_STATE_HOME", store, 1);
	make_tree();
	enter("top/in");
	sees(lines, COUNT(lines), &(struct named_search){ 0 });
	refused("a");
	refused("run");
	assert_int_equal(find("own", NULL), 0);
	assert_false(e.foreign);
	clean(NULL);
	assert_true(named_target_exists("a", &all));
	assert_int_equal(named_target(&e, "a", &all, NULL, &err), 0);
	assert_true(e.foreign);
	assert_int_equal(chdir("/"), 0);
}

static void test_search(void **state)
{
	const struct named_search search = { 0 };
	static const char *const lines[] = {
		"c:d|sim:|/xdg/mcpctl/mcp.json|problem",
		"own|stdio:y|/xdg/mcpctl/mcp.json|",
		"a|sim:|/top/in/.mcp.json|",
		"b||/top/in/.mcp.json|problem",
		"-||/top/in/mcp.json|problem",
		"a|sim:2|/top/mcp.json|hidden",
		"run|stdio:./x|/top/mcp.json|",
		"here|stdio:./x|/top/mcp.json|",
	};

	(void)state;
	trust("top/in/.mcp.json");
	trust("top/mcp.json");
	enter("top/in");
	sees(lines, COUNT(lines), &search);
	assert_true(named_target_exists("b", &search));
	assert_false(named_target_exists("z", &search));
	/* Commands of a file above run in its folder. */
	assert_int_equal(find("run", NULL), 0);
	says(e.cwd, "/top/sub");
	clean(NULL);
	assert_int_equal(find("here", NULL), 0);
	says(e.cwd, "/top");
	clean(NULL);
	assert_int_equal(find("own", NULL), 0);
	assert_null(e.cwd);
	clean(NULL);
	assert_int_equal(find("a", NULL), 0);
	assert_string_equal(e.path, "");
	clean(NULL);
	assert_int_equal(find("owm", NULL), -1);
	says(err.hint, "is no JSON");
	says(err.hint, "did you mean 'own'");
	says(err.detail, "looked for in\n");
	says(err.detail, "/top/in/.mcp.json");
	assert_int_equal(find("zzzzzz", NULL), -1);
	says(err.hint, "is no JSON");
	assert_int_equal(chdir("/"), 0);
}

/* Only a file that counts before the one that has the name. */
static void test_passed(void **state)
{
	const struct named_search search = { 0 };
	CLEANUP(named_found_done) struct named_found found = { 0 };

	(void)state;
	enter("top/in");
	assert_int_equal(named_target(&e, "a", &search, &found, &err), 0);
	assert_int_equal(found.passed.kind, ERR_NONE);
	assert_null(found.shadowed);
	clean(NULL);
	assert_int_equal(named_target(&e, "run", &search, &found, &err), 0);
	says(found.passed.text, "/top/in/mcp.json' is no JSON");
	assert_null(found.shadowed);
	assert_int_equal(chdir("/"), 0);
}

/* The user's own name wins, and that is told, whoever the other is. */
static void test_shadowed(void **state)
{
	const struct named_search search = { 0 };
	CLEANUP(named_found_done) struct named_found found = { 0 };

	(void)state;
	put("top/in/mcp.json",
	    "{\"mcpServers\":{\"own\":{\"url\":\"sim:9\"}}}");
	enter("top/in");
	assert_int_equal(named_target(&e, "own", &search, &found, &err), 0);
	assert_string_equal(e.text, "stdio:y");
	says(found.own, "/xdg/mcpctl/mcp.json");
	says(found.shadowed, "/top/in/mcp.json");
	put("top/in/mcp.json", "{broken");
	assert_int_equal(chdir("/"), 0);
}

/* One byte more, or the same bytes elsewhere, are another file. */
static void test_change(void **state)
{
	(void)state;
	put("top/in/.mcp.json", "{\"mcpServers\":{\"a\":{\"url\":\"sim:\"},"
				"\"b\":{}} }");
	enter("top/in");
	assert_int_equal(find("a", NULL), -1);
	says(err.text, "has changed since it was trusted");
	clean(NULL);
	trust("top/in/.mcp.json");
	assert_int_equal(find("a", NULL), 0);
	clean(NULL);
	/* A link in another folder, where its commands would run. */
	put("top/sub", "");
	{
		CLEANUP(mem_free_ptr) char *sub = folder_path("top/sub");
		CLEANUP(mem_free_ptr)
		char *link = folder_path("top/sub/.mcp.json");

		assert_int_equal(unlink(sub), 0);
		assert_int_equal(mkdir(sub, 0700), 0);
		assert_int_equal(symlink("../in/.mcp.json", link), 0);
	}
	enter("top/sub");
	refused("a");
	assert_int_equal(chdir("/"), 0);
}

static int asked;

/* The file is another by now; what was read counts. */
static int say_yes(void *owner, const struct named_file *f, struct error *why)
{
	(void)why;
	assert_string_equal(owner, "owner");
	assert_non_null(strstr(f->path, "/top/sub/.mcp.json"));
	put("top/in/.mcp.json", "{\"mcpServers\":{\"a\":{\"url\":\"sim:8\"}}}");
	asked++;
	return 0;
}

static void test_asked(void **state)
{
	char owner[] = "owner";
	const struct named_search search = { .ask = say_yes, .owner = owner };
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	enter("top/sub");
	text = named_target_text("a", &search);
	assert_string_equal(text, "a");
	assert_int_equal(asked, 0);
	assert_int_equal(named_target(&e, "a", &search, NULL, &err), 0);
	assert_string_equal(e.path, "");
	assert_int_equal(asked, 1);
	assert_int_equal(chdir("/"), 0);
}

/* One of other clients is found by a variable, too; each in its order. */
static void test_clients(void **state)
{
	static const char *const lines[] = {
		"codex|stdio:c|/codex/config.toml|",
		"zed|stdio:z|/xdg/zed/settings.json|",
		"mine|stdio:m|/home/.cursor/mcp.json|",
	};
	static const char *const folders[] = { "home", "home/.cursor", "codex",
					       "xdg/zed" };
	CLEANUP(mem_free_ptr) char *home = folder_path("home");
	CLEANUP(mem_free_ptr) char *codex = folder_path("codex");
	CLEANUP(seen_done) struct seen s = { 0 };
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(folders); i++) {
		CLEANUP(mem_free_ptr) char *path = folder_path(folders[i]);

		assert_int_equal(mkdir(path, 0700), 0);
	}
	put("codex/config.toml", "[mcp_servers.codex]\ncommand = \"c\"\n");
	put("xdg/zed/settings.json",
	    "{\"context_servers\":{\"zed\":{\"command\":\"z\"}}}");
	put("home/.cursor/mcp.json",
	    "{\"mcpServers\":{\"mine\":{\"command\":\"m\"}}}");
	setenv("HOME", home, 1);
	setenv("CODEX_HOME", codex, 1);
	assert_int_equal(chdir("/"), 0);
	named_targets(&(struct named_search){ 0 }, see, &s);
	for (size_t i = 0; i < s.count; i++) {
		for (size_t n = 0; n < COUNT(lines); n++)
			found += strcmp(s.line[i], lines[n]) == 0;
	}
	assert_int_equal(found, COUNT(lines));
	assert_int_equal(find("codex", NULL), 0);
	assert_false(e.foreign);
	clean(NULL);
	/* A folder that is no path from the root is none. */
	setenv("CODEX_HOME", "codex", 1);
	assert_int_equal(find("codex", NULL), -1);
	unsetenv("CODEX_HOME");
	unsetenv("HOME");
	assert_int_equal(find("mine", NULL), -1);
}

/* Too many servers, or too many bytes, are told, and used by nobody. */
static void test_bounds(void **state)
{
	CLEANUP(buf_done) struct buf many = { 0 };
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(mem_free_ptr) char *large = NULL;

	(void)state;
	buf_text(&many, "{\"mcpServers\":{\"a\":{\"url\":\"sim:\"}");
	for (int i = 0; i < NAMED_ENTRIES_MAX - 1; i++)
		buf_printf(&many, ",\"a%d\":{}", i);
	buf_text(&many, "}}");
	path = folder_write("many.json", many.data, many.len);
	assert_int_equal(find("a", path), 0);
	clean(NULL);
	many.data[many.len - 2] = ',';
	many.data[many.len - 1] = ' ';
	buf_text(&many, "\"b\":{}}}");
	mem_free(folder_write("many.json", many.data, many.len));
	assert_int_equal(find("a", path), -1);
	says(err.text, "many.json' has more than ");
	clean(NULL);
	while (many.len <= NAMED_FILE_MAX)
		buf_add(&many, "                ", 16);
	large = folder_write("xdg/mcpctl/mcp.json", many.data, many.len);
	assert_int_equal(find("a", NULL), -1);
	says(err.hint, "xdg/mcpctl/mcp.json' is larger than ");
	says(err.hint, " MB");
	assert_int_equal(unlink(large), 0);
	assert_int_equal(mkdir(large, 0700), 0);
	assert_int_equal(find("a", NULL), -1);
	says(err.hint, "it is no regular file");
}

/* Whoever can write to a folder above says what is run otherwise. */
static void test_owner(void **state)
{
	CLEANUP(mem_free_ptr) char *path = NULL;

	(void)state;
	needs_root();
	path = folder_path("top/in/.mcp.json");
	put("top/in/.mcp.json", "{\"mcpServers\":{\"a\":{\"url\":\"sim:\"},"
				"\"b\":{}}}");
	assert_int_equal(chown(path, 12345, 12345), 0);
	enter("top/in");
	assert_int_equal(find("a", NULL), 0);
	assert_string_equal(e.path, "2");
	clean(NULL);
	assert_int_equal(find("b", NULL), -1);
	says(err.hint, "belongs to another user");
	assert_int_equal(find("b", path), -1);
	says(err.text, "neither");
	clean(NULL);
	/* A link of somebody else, to a file of the user's. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("../mcp.json", path), 0);
	assert_int_equal(lchown(path, 12345, 12345), 0);
	assert_int_equal(find("none", NULL), -1);
	says(err.hint, "belongs to another user");
	assert_int_equal(chdir("/"), 0);
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	/* Each on what the one before left. */
	const struct CMUnitTest tests[] = {
		TEST(test_untrusted), TEST(test_search),  TEST(test_passed),
		TEST(test_shadowed),  TEST(test_change),  TEST(test_asked),
		TEST(test_owner),     TEST(test_clients), TEST(test_bounds),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
