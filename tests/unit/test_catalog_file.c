/* SPDX-License-Identifier: MIT */
/* cli/catalog_file: kept listings, as they should be and as they should not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include "cli/catalog_file.h"
#include "cli/connection.h"
#include "cli/schema_cache.h"
#include "cli/target_text.h"
#include "folder.h"
#include "mcp/tools.h"
#include "mcp/types.h"

#define LIST "listen:"

static void decode(struct tool_list *l, const char *tools)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"id\":1,\"result\":{\"tools\":%s}}", tools);
	struct message m;

	assert_int_equal(message_decode(&m, text, strlen(text), NULL), 0);
	assert_int_equal(tool_list_add_take(l, &m, NULL, NULL), 0);
}

static void keep(const char *key, const char *tools)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	struct error err = { 0 };

	decode(&l, tools);
	assert_int_equal(schema_cache_write(key, &l, &err), 0);
}

/* The only file in the folder of kept lists; yours. */
static char *only_file(void)
{
	CLEANUP(mem_free_ptr) char *where = folder_path("cache/mcpctl/tools");
	DIR *dir = opendir(where);
	const struct dirent *entry;
	char *path = NULL;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		assert_null(path);
		path = mem_printf("%s/%s", where, entry->d_name);
	}
	closedir(dir);
	assert_non_null(path);
	return path;
}

static int fresh(void **state)
{
	CLEANUP(mem_free_ptr) char *cache = folder_path("cache");

	(void)state;
	nftw(cache, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
	setenv("XDG_CACHE_HOME", cache, 1);
	return 0;
}

static void read_whole(const char *path, struct buf *out)
{
	char piece[4096];
	size_t n;
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_add(out, piece, n);
	fclose(f);
}

static void put_file(const char *path, const char *bytes, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

static bool opens(const char *key)
{
	struct schema_cache c;
	struct error err = { 0 };

	if (schema_cache_open(&c, key, &err) == 0) {
		schema_cache_close(&c);
		return true;
	}
	assert_int_equal(err.kind, ERR_UNMET);
	assert_true(err.hint[0]);
	assert_null(c.map);
	return false;
}

/* "NAME|BRIEF|JSON" of tool i; "" if there is none. Yours. */
static char *tool(const struct schema_cache *c, size_t i)
{
	struct span n, b, j;

	if (!schema_cache_tool(c, i, &n, &b, &j))
		return mem_strdup("");
	return mem_printf("%.*s|%.*s|%.*s", (int)n.len, n.text, (int)b.len,
			  b.text, (int)j.len, j.text);
}

static void assert_tool(const struct schema_cache *c, size_t i,
			const char *expected)
{
	CLEANUP(mem_free_ptr) char *is = tool(c, i);

	assert_string_equal(is, expected);
}

static void kept_lists_come_back(void **state)
{
	struct schema_cache c;
	int64_t now = time(NULL);

	(void)state;
	keep(LIST,
	     "[ {\"name\":\"b\", \"description\":\"\\n two\\twords \\nx\"}"
	     ",\n{\"name\":\"a.c\",\"n\":1.50},7,{\"name\":\"B\"}]");
	assert_int_equal(schema_cache_open(&c, LIST, NULL), 0);
	assert_int_equal(c.count, 3);
	assert_string_equal(c.target, LIST);
	assert_true(c.time >= now && c.time <= time(NULL));
	assert_tool(&c, 0, "B||{\"name\":\"B\"}");
	assert_tool(&c, 1, "a.c||{\"name\":\"a.c\",\"n\":1.50}");
	assert_tool(&c, 2,
		    "b|two words|{\"name\":\"b\",\"description\":"
		    "\"\\n two\\twords \\nx\"}");
	assert_tool(&c, 3, "");
	assert_tool(&c, SIZE_MAX, "");
	schema_cache_close(&c);
	schema_cache_close(&c);
}

static void prefixes_are_searched(void **state)
{
	struct schema_cache c;

	(void)state;
	keep(LIST,
	     "[{\"name\":\"self.b\"},{\"name\":\"self.a.x\"},"
	     "{\"name\":\"self.a\"},{\"name\":\"照明\"},{\"name\":\"z\"}]");
	assert_int_equal(schema_cache_open(&c, LIST, NULL), 0);
	assert_int_equal(schema_cache_find(&c, ""), 0);
	assert_int_equal(schema_cache_find(&c, "self.a"), 0);
	assert_int_equal(schema_cache_find(&c, "self.a."), 1);
	assert_int_equal(schema_cache_find(&c, "self.b"), 2);
	assert_int_equal(schema_cache_find(&c, "t"), 3);
	assert_int_equal(schema_cache_find(&c, "照"), 4);
	assert_int_equal(schema_cache_find(&c, "\xff"), 5);
	schema_cache_close(&c);
	keep(LIST, "[]");
	assert_int_equal(schema_cache_open(&c, LIST, NULL), 0);
	assert_int_equal(c.count, 0);
	assert_int_equal(schema_cache_find(&c, "a"), 0);
	assert_tool(&c, 0, "");
	schema_cache_close(&c);
}

static void odd_names_are_left_out(void **state)
{
	struct schema_cache c;

	(void)state;
	keep(LIST,
	     "[{\"name\":\"a\\tb\"},{\"name\":\"a\\nb\"},{\"name\":\"\"},"
	     "{\"name\":\"a\\u001b[1m\"},{\"name\":\"a\\u007f\"},"
	     "{\"name\":\"a\\u0085\"},{\"name\":\"a\\u202eb\"},{},"
	     "{\"name\":\"with 'space' \\\"\\\\\"},{\"name\":\"灯.开\"},"
	     "{\"name\":\"twice\",\"x\":1},{\"name\":\"twice\",\"x\":2}]");
	assert_int_equal(schema_cache_open(&c, LIST, NULL), 0);
	assert_int_equal(c.count, 4);
	assert_tool(&c, 0, "twice||{\"name\":\"twice\",\"x\":1}");
	assert_tool(&c, 1, "twice||{\"name\":\"twice\",\"x\":2}");
	assert_tool(&c, 2,
		    "with 'space' \"\\||{\"name\":\"with 'space' \\\"\\\\\"}");
	assert_tool(&c, 3, "灯.开||{\"name\":\"灯.开\"}");
	schema_cache_close(&c);
}

/* Long, wide, and full of what a terminal would obey. */
static void briefs_are_one_line(void **state)
{
	CLEANUP(buf_done) struct buf tools = { 0 };
	struct schema_cache c;
	struct span n, b, j;

	(void)state;
	buf_text(&tools, "[{\"name\":\"a\",\"description\":\"");
	for (int i = 0; i < 1000; i++)
		buf_text(&tools, "音");
	buf_text(&tools, "\"},{\"name\":\"b\",\"description\":\"x\\u001b[2J\\r"
			 "second\"},{\"name\":\"c\",\"title\":\"T\"}]");
	keep(LIST, buf_string(&tools));
	assert_int_equal(schema_cache_open(&c, LIST, NULL), 0);
	assert_true(schema_cache_tool(&c, 0, &n, &b, &j));
	assert_int_equal(b.len, 399);
	assert_tool(&c, 1,
		    "b|x\\x1b[2J|{\"name\":\"b\",\"description\":"
		    "\"x\\u001b[2J\\rsecond\"}");
	assert_tool(&c, 2, "c|T|{\"name\":\"c\",\"title\":\"T\"}");
	schema_cache_close(&c);
}

static void files_are_private_and_replaced(void **state)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(mem_free_ptr) char *where = folder_path("cache/mcpctl/tools");
	struct stat before, after;
	mode_t mask = umask(0);

	(void)state;
	keep(LIST, "[{\"name\":\"a\"}]");
	umask(mask);
	path = only_file();
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(before.st_mode & 07777, 0600);
	assert_int_equal(stat(where, &after), 0);
	assert_int_equal(after.st_mode & 07777, 0700);
	int held = open(path, O_RDONLY | O_CLOEXEC);
	keep(LIST, "[{\"name\":\"b\"}]");
	assert_int_equal(stat(path, &after), 0);
	assert_true(before.st_ino != after.st_ino);
	assert_int_equal(fstat(held, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	close(held);
	mem_free(only_file());
}

/* What it points at is neither read nor written. */
static void links_are_not_followed(void **state)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(mem_free_ptr) char *other = folder_path("other");
	CLEANUP(buf_done) struct buf bytes = { 0 };
	struct stat st;

	(void)state;
	keep(LIST, "[{\"name\":\"a\"}]");
	path = only_file();
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_false(opens(LIST));
	read_whole(other, &bytes);
	keep(LIST, "[]");
	assert_true(opens(LIST));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_size, bytes.len);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(opens(LIST));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(opens(LIST));
}

static void a_cut_file_is_none(void **state)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf bytes = { 0 };

	(void)state;
	assert_false(opens(LIST));
	keep(LIST, "[{\"name\":\"a\",\"description\":\"x\"},{\"name\":\"b\"}]");
	path = only_file();
	read_whole(path, &bytes);
	for (size_t len = 0; len < bytes.len; len++) {
		put_file(path, bytes.data, len);
		assert_false(opens(LIST));
	}
	put_file(path, bytes.data, bytes.len);
	assert_true(opens(LIST));
	buf_char(&bytes, 'x');
	put_file(path, bytes.data, bytes.len);
	assert_false(opens(LIST));
}

/* Every byte changed: whatever opens can be walked through. */
static void a_changed_file_does_no_harm(void **state)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf bytes = { 0 };
	static const char with[] = { 0, '\t', '\n', ' ', '9', 'A', '\xff' };

	(void)state;
	keep(LIST, "[{\"name\":\"a\",\"description\":\"x\"},{\"name\":\"b\"}]");
	path = only_file();
	read_whole(path, &bytes);
	for (size_t i = 0; i < bytes.len * sizeof(with); i++) {
		char *at = &bytes.data[i / sizeof(with)], was = *at;
		struct schema_cache c;

		*at = with[i % sizeof(with)];
		put_file(path, bytes.data, bytes.len);
		if (schema_cache_open(&c, LIST, NULL) == 0) {
			assert_string_equal(c.target, LIST);
			for (size_t t = 0; t < c.count; t++)
				mem_free(tool(&c, t));
			assert_true(schema_cache_find(&c, "b") <= c.count);
		}
		schema_cache_close(&c);
		*at = was;
	}
}

static void damaged_files_are_none(void **state)
{
	static const char *const bad[] = {
		"mcpctl-tools 2 1 0 listen:\n",
		"mcpctl-tools 1 1 0 listen:8000\n",
		"mcpctl-tools 1 -1 0 listen:\n",
		"mcpctl-tools 1 x 0 listen:\n",
		"mcpctl-tools 1 1 listen:\n",
		"mcpctl-tools 1 1 0 \n",
		"mcpctl-tools 1 99999999999999999999 0 listen:\n",
		"mcpctl-tools 1 1 1 listen:\n\n",
		"mcpctl-tools 1 1 5 listen:\n\t\t{}\n",
		"mcpctl-tools 1 1 4 listen:\na\t{}\n",
		"mcpctl-tools 1 1 6 listen:\na\t\t[]\n",
		"mcpctl-tools 1 1 12 listen:\nb\t\t{}\na\t\t{}\n",
		"no such file at all\n",
	};
	CLEANUP(mem_free_ptr) char *path = NULL;
	static const char good[] = "mcpctl-tools 1 1 6 listen:\na\t\t{}\n";

	(void)state;
	keep(LIST, "[]");
	path = only_file();
	for (size_t i = 0; i < COUNT(bad); i++) {
		put_file(path, bad[i], strlen(bad[i]));
		assert_false(opens(LIST));
	}
	put_file(path, good, strlen(good));
	assert_true(opens(LIST));
	assert_int_equal(truncate(path, (off_t)SCHEMA_CACHE_MAX + 1), 0);
	assert_false(opens(LIST));
	assert_int_equal(truncate(path, SCHEMA_CACHE_MAX), 0);
	assert_false(opens(LIST));
}

static void places_are_found(void **state)
{
	CLEANUP(mem_free_ptr) char *home = folder_path("home");
	CLEANUP(mem_free_ptr)
	char *where = folder_path("home/.cache/mcpctl/tools");
	CLEANUP(mem_free_ptr) char *other = folder_path("ghost/.cache");
	CLEANUP(mem_free_ptr) char *below = folder_path("home/a/.cache");
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	struct error err = { 0 };
	struct stat st;

	(void)state;
	setenv("HOME", home, 1);
	unsetenv("XDG_CACHE_HOME");
	/* A home folder is never made. */
	assert_int_equal(schema_cache_write(LIST, &l, &err), -1);
	assert_non_null(strstr(err.text, "/home' is not there"));
	setenv("XDG_CACHE_HOME", other, 1);
	assert_int_equal(schema_cache_write(LIST, &l, &err), -1);
	setenv("XDG_CACHE_HOME", below, 1);
	assert_int_equal(schema_cache_write(LIST, &l, &err), -1);
	assert_int_equal(stat(home, &st), -1);
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(mkdir(home, 0700), 0);
	keep(LIST, "[]");
	assert_true(opens(LIST));
	assert_int_equal(stat(where, &st), 0);
	setenv("XDG_CACHE_HOME", "relative", 1);
	assert_true(opens(LIST));
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
	assert_int_equal(schema_cache_write(LIST, &l, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_false(opens(LIST));
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(schema_cache_write(LIST, &l, &err), -1);
	assert_false(opens(LIST));
	assert_null(schema_cache_newest());
	error_reset(&err);
}

static void assert_key(const char *target, const char *device,
		       const char *expected)
{
	CLEANUP(mem_free_ptr) char *key = target_key(target, device);

	assert_string_equal(key, expected);
}

static void keys_tell_no_secrets(void **state)
{
	(void)state;
	assert_key("listen:", NULL, "listen:");
	assert_key("LISTEN:8000/x", "", "listen:8000/x");
	assert_key("ws://h:1/a?token=secret", NULL, "ws://h:1/a");
	assert_key("wss://h?token=secret", NULL, "wss://h");
	assert_key("mqtt://user@h/id%40x?up=a&down=b", NULL, "mqtt://h/id%40x");
	assert_key("mqtts://a@b@h/x@y", NULL, "mqtts://h/x@y");
	assert_key("sim:office?fill=9", NULL, "sim:office?fill=9");
	assert_key("stdio:prog --x token=abc", NULL,
		   "stdio:prog --x token=***");
	assert_key("stdio:prog --api-key abc -x 'a b' --key-file f --pass",
		   NULL,
		   "stdio:prog --api-key *** -x 'a b' --key-file f --pass");
	assert_key("stdio:prog --token 'a \\' --secret \"b \\\" c\"  d", NULL,
		   "stdio:prog --token *** --secret ***  d");
	assert_key("stdio:prog --use-token --port 1 pg://u:pw@h/d", NULL,
		   "stdio:prog --use-token --port 1 pg://u:***@h/d");
	assert_key("stdio:prog --token", NULL, "stdio:prog --token");
	assert_key("stdio:prog --token ", NULL, "stdio:prog --token ");
	assert_key("ws://h/\x1b\n", NULL, "ws://h/\\x1b\\n");
	assert_key("attach:/run/x", "aa:bb", "attach:aa:bb");
	assert_key(NULL, "a\nb", "attach:a\\nb");
	assert_key(NULL, NULL, "");
	assert_key("", NULL, "");
	assert_key("nothing", NULL, "nothing");
}

/* Neither in the file's name nor in it. */
static void files_tell_no_secrets(void **state)
{
	CLEANUP(mem_free_ptr)
	char *key = target_key("mqtt://carol@h/id?up=hidden", NULL);
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf bytes = { 0 };

	(void)state;
	keep(key, "[]");
	path = only_file();
	read_whole(path, &bytes);
	assert_null(strstr(path, "carol"));
	assert_null(strstr(path, "hidden"));
	assert_null(strstr(buf_string(&bytes), "carol"));
	assert_null(strstr(buf_string(&bytes), "hidden"));
	assert_non_null(strstr(buf_string(&bytes), "mqtt://h/id\n"));
}

static void set_time(const char *key, time_t at)
{
	CLEANUP(mem_free_ptr) char *where = folder_path("cache/mcpctl/tools");
	DIR *dir = opendir(where);
	const struct dirent *entry;

	while ((entry = readdir(dir)) != NULL) {
		CLEANUP(mem_free_ptr)
		char *path = mem_printf("%s/%s", where, entry->d_name);
		CLEANUP(buf_done) struct buf bytes = { 0 };
		const struct timeval times[2] = { { .tv_sec = at },
						  { .tv_sec = at } };

		if (entry->d_name[0] == '.')
			continue;
		read_whole(path, &bytes);
		if (strstr(buf_string(&bytes), key))
			assert_int_equal(utimes(path, times), 0);
	}
	closedir(dir);
}

static void the_newest_of_serve_is_found(void **state)
{
	CLEANUP(mem_free_ptr) char *newest = NULL;
	CLEANUP(mem_free_ptr) char *other = NULL;

	(void)state;
	assert_null(schema_cache_newest());
	keep("listen:", "[]");
	assert_null(schema_cache_newest());
	keep("attach:one", "[]");
	keep("attach:two", "[]");
	keep("attach:three", "[]");
	set_time("attach:one", 1000);
	set_time("attach:two", 3000);
	set_time("attach:three", 2000);
	newest = schema_cache_newest();
	assert_string_equal(newest, "attach:two");
	set_time("attach:one", 4000);
	other = schema_cache_newest();
	assert_string_equal(other, "attach:one");
}

/* ---- lists that somebody saved ---- */

/* "NAME " of each tool, or what is said of the file. */
static void saved_is(const char *text, const char *expected)
{
	CLEANUP(mem_free_ptr)
	char *path = folder_write("saved", text, strlen(text));
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct app app = { 0 };

	if (saved_list_read(&l, &app, path, &err) != 0) {
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.hint, "'mcpctl -o json tools'"));
		assert_non_null(strstr(err.text, path));
		buf_text(&out, err.text);
		if (!strstr(err.text, expected))
			fail_msg("'%s': %s", text, err.text);
		return;
	}
	for (size_t i = 0; i < l.count; i++)
		buf_printf(&out, "%s ", l.tool[i].name);
	assert_string_equal(buf_string(&out), expected);
}

#define A "{\"name\":\"a\"}"
#define B "{\"name\":\"b\"}"

static void saved_lists_are_read(void **state)
{
	(void)state;
	saved_is(A "\n" B "\n", "a b ");
	saved_is("\n \t\r\n" A "\n\n", "a ");
	saved_is(A "\r\n\r\n" B, "a b ");
	saved_is("[" A "," B "]", "a b ");
	saved_is("[\n" A "\n]", "a ");
	saved_is("[]", "");
	saved_is("{\"tools\":[" A "," B "]}", "a b ");
	saved_is("{\"id\":1,\"result\":{\"tools\":[" A "]}}", "a ");
	saved_is("{\"result\":{\"tools\":[" A "]}}\n" B "\n", "a b ");
	saved_is("[" A "]\n[" B "]\n", "a b ");
}

static void other_files_are_none(void **state)
{
	(void)state;
	saved_is("", "': there is nothing in it");
	saved_is(" \n\t\r\n", "': there is nothing in it");
	saved_is("7", "': this is no tool, but another kind of JSON");
	saved_is("{}", "': the object has neither a name nor tools");
	saved_is("{\"name\":7}", "': the object has neither a name nor");
	saved_is("{\"result\":{}}", "': the object has neither a name nor");
	saved_is("[" A ",7]", "': element 2 of the list is no tool, which is");
	saved_is("{\"tools\":[{}]}", "': element 1 of the list is no tool");
	saved_is(A "\n7\n", "line 2 of '");
	saved_is(A "\n\n{\n", "line 3 of '");
	saved_is(A " " B "\n", "line 1 of '");
	saved_is("[\n" A "\n", "/saved': invalid JSON");
}

/* ---- which kept list a command means ---- */

static struct app app;
static struct connection connection;

static void kept_is(const char *target, const char *from)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct kept_list k;

	app.config.target = target;
	app.target_source = "the argument";
	connection.app = &app;
	if (kept_list_open(&k, &connection, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(k.from, from);
	assert_int_equal(k.tools.count, 1);
	assert_in_range(k.age, 0, 60);
	kept_list_done(&k);
	assert_null(k.from);
}

static void kept_is_none(const char *target, const char *says, const char *hint)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct kept_list k;

	app.config.target = target;
	app.target_source = "the argument";
	connection.app = &app;
	assert_int_equal(kept_list_open(&k, &connection, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_null(k.from);
	assert_int_equal(k.tools.count, 0);
	if (!strstr(err.text, says) || !strstr(err.hint, hint))
		fail_msg("%s (%s)", err.text, err.hint);
}

static void lists_are_meant(void **state)
{
	static const char bad[] =
		"mcpctl-tools 1 1 13 sim:\na\t\t{\"name\":}\n";
	CLEANUP(mem_free_ptr) char *path = NULL;

	(void)state;
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	setenv("TMPDIR", "/proc", 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	unsetenv("MCPCTL_SOCKET");
	app = (struct app){ 0 };
	kept_is_none("sim:", "no list of tools is kept of 'sim:'",
		     "list them once, and it is kept: mcpctl sim: tools");
	kept_is_none(NULL, "is kept of a device of 'mcpctl serve'",
		     "name the target whose list is meant");
	keep("sim:", "[" A "]");
	kept_is("sim:", "sim:");
	path = only_file();
	put_file(path, bad, strlen(bad));
	kept_is_none("sim:", "the kept list of 'sim:' is damaged",
		     "mcpctl sim: tools");
	/* Of what a serve showed last, or of the device that is named. */
	keep("attach:aa", "[" A "]");
	set_time("attach:aa", 1000);
	keep("attach:bb", "[" A "]");
	kept_is(NULL, "attach:bb");
	kept_is("attach:", "attach:bb");
	app.config.device = "aa";
	kept_is("attach:", "attach:aa");
	kept_is(NULL, "attach:aa");
	app.config.device = "cc";
	kept_is_none(NULL, "no list of tools is kept of 'attach:cc'", "mcpctl");
	keep("mcp+mqtt://h/x -d cc", "[" A "]");
	kept_is("mcp+mqtt://h/x", "mcp+mqtt://h/x -d cc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(kept_lists_come_back, fresh),
		cmocka_unit_test_setup(prefixes_are_searched, fresh),
		cmocka_unit_test_setup(odd_names_are_left_out, fresh),
		cmocka_unit_test_setup(briefs_are_one_line, fresh),
		cmocka_unit_test_setup(files_are_private_and_replaced, fresh),
		cmocka_unit_test_setup(links_are_not_followed, fresh),
		cmocka_unit_test_setup(a_cut_file_is_none, fresh),
		cmocka_unit_test_setup(a_changed_file_does_no_harm, fresh),
		cmocka_unit_test_setup(damaged_files_are_none, fresh),
		cmocka_unit_test_setup(places_are_found, fresh),
		cmocka_unit_test(keys_tell_no_secrets),
		cmocka_unit_test_setup(files_tell_no_secrets, fresh),
		cmocka_unit_test_setup(the_newest_of_serve_is_found, fresh),
		cmocka_unit_test(saved_lists_are_read),
		cmocka_unit_test(other_files_are_none),
		cmocka_unit_test_setup(lists_are_meant, fresh),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
