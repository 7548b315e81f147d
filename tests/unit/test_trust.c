/* SPDX-License-Identifier: MIT */
/*
 * What was trusted: kept, looked up, taken back, not believed when it is not
 * ours; and what is shown of a file before it is trusted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/named.h"
#include "folder.h"

static struct error err;

static int make(void **state)
{
	CLEANUP(mem_free_ptr) char *store = NULL;

	if (folder_make(state) != 0)
		return -1;
	store = folder_path("state");
	setenv("XDG_STATE_HOME", store, 1);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	error_reset(&err);
	return 0;
}

static enum trust_state look(const char *path, const char *text)
{
	return trust_store_look(path, text, strlen(text), NULL);
}

static void keep(const char *path, const char *text)
{
	assert_int_equal(trust_store_keep(path, text, strlen(text), &err), 0);
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not say '%s'", text, part);
}

/* The file of the store in which that path is kept. Yours. */
static char *file_of(const char *path)
{
	CLEANUP(mem_free_ptr)
	char *name =
		mem_printf("state/mcpctl/trust/%016llx",
			   (unsigned long long)text_hash(path, strlen(path)));

	return folder_path(name);
}

/* ---- the store ---- */

static void test_keep(void **state)
{
	CLEANUP(buf_done) struct buf kept = { 0 };
	static const char odd[] = "a\0b\nc";

	(void)state;
	assert_int_equal(look("/a", "x"), TRUST_NONE);
	keep("/a", "x");
	assert_int_equal(look("/a", "x"), TRUST_SAME);
	assert_int_equal(look("/a", "xy"), TRUST_CHANGED);
	assert_int_equal(look("/a", ""), TRUST_CHANGED);
	assert_int_equal(look("/b", "x"), TRUST_NONE);
	keep("/a", "xy");
	assert_int_equal(look("/a", "x"), TRUST_CHANGED);
	assert_int_equal(trust_store_look("/a", "x", 1, &kept), TRUST_CHANGED);
	assert_string_equal(buf_string(&kept), "xy");
	keep("/empty", "");
	assert_int_equal(look("/empty", ""), TRUST_SAME);
	/* A path with a line end, bytes that no text has. */
	assert_int_equal(trust_store_keep("/a\n/b", odd, sizeof(odd), &err), 0);
	assert_int_equal(trust_store_look("/a\n/b", odd, sizeof(odd), NULL),
			 TRUST_SAME);
	assert_int_equal(trust_store_look("/a\n/b", odd, 1, NULL),
			 TRUST_CHANGED);
	assert_int_equal(trust_store_drop("/a\n/b", &err), 0);
	assert_int_equal(trust_store_drop("/empty", &err), 0);
	assert_int_equal(trust_store_drop("/a", &err), 0);
	assert_int_equal(look("/a", "xy"), TRUST_NONE);
	assert_int_equal(trust_store_drop("/a", &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
}

static void test_private(void **state)
{
	CLEANUP(mem_free_ptr) char *file = file_of("/a");
	CLEANUP(mem_free_ptr) char *store = folder_path("state/mcpctl/trust");
	struct stat st;

	(void)state;
	umask(0);
	keep("/a", "x");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(store, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	umask(022);
	/* What others could have written is not believed. */
	assert_int_equal(chmod(file, 0620), 0);
	assert_int_equal(look("/a", "x"), TRUST_NONE);
	assert_int_equal(chmod(file, 0644), 0);
	assert_int_equal(look("/a", "x"), TRUST_SAME);
	if (geteuid() == 0) {
		assert_int_equal(chown(file, 12345, 12345), 0);
		assert_int_equal(look("/a", "x"), TRUST_NONE);
		assert_int_equal(chown(file, 0, 0), 0);
	}
	/* Nor is a link, nor a pipe waited for. */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("other", file), 0);
	assert_int_equal(look("/a", "x"), TRUST_NONE);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_int_equal(look("/a", "x"), TRUST_NONE);
	assert_int_equal(unlink(file), 0);
}

/* Anything else in such a file is no trust. */
static void test_damaged(void **state)
{
	static const char *const rows[] = {
		"",
		"mcpctl-trust 1 2",
		"mcpctl-trust 1 2\n",
		"mcpctl-trust 1 2\n/a",
		"mcpctl-trust 1 2\n/ax",
		"mcpctl-trust 1 2\n/b\nx",
		"mcpctl-trust 1 3\n/a\nx",
		"mcpctl-trust 1 -2\n/a\nx",
		"mcpctl-trust 1 99999999999999999999\n/a\nx",
		"mcpctl-trust 2 2\n/a\nx",
	};
	CLEANUP(mem_free_ptr) char *file = file_of("/a");

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		FILE *f = fopen(file, "we");

		fputs(rows[i], f);
		fclose(f);
		assert_int_equal(look("/a", "x"), TRUST_NONE);
	}
	assert_int_equal(unlink(file), 0);
}

static void add_path(void *owner, const char *path, const struct buf *text)
{
	buf_printf(owner, "%s=%s ", path, buf_string(text));
}

static void test_each(void **state)
{
	CLEANUP(buf_done) struct buf all = { 0 };

	(void)state;
	keep("/c", "3");
	keep("/a", "1");
	keep("/b", "2");
	mem_free(folder_write("state/mcpctl/trust/0000000000000000", "?", 1));
	mem_free(folder_write("state/mcpctl/trust/notes", "?", 1));
	trust_store_each(add_path, &all);
	assert_string_equal(buf_string(&all), "/a=1 /b=2 /c=3 ");
}

static void test_bounded(void **state)
{
	char path[32];
	int i = 0;

	(void)state;
	do
		snprintf(path, sizeof(path), "/many/%d", i);
	while (trust_store_keep(path, "x", 1, &err) == 0 &&
	       ++i < 2 * TRUST_FILES_MAX);
	assert_in_range(i, 1, TRUST_FILES_MAX);
	assert_int_equal(err.kind, ERR_USAGE);
	says(err.hint, "--revoke");
	/* What is there can be replaced. */
	keep("/many/0", "y");
	assert_int_equal(trust_store_drop("/many/0", &err), 0);
	keep("/other", "x");
}

/* ---- what is shown ---- */

static void describes(const char *json, const char *expected)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(json, strlen(json), NULL);
	CLEANUP(buf_done) struct buf out = { 0 };

	assert_non_null(tree);
	assert_true(named_describe(&out, tree));
	assert_string_equal(buf_string(&out), expected);
}

static void test_describe(void **state)
{
	(void)state;
	describes(
		"{\"a\":{\"command\":\"sh\",\"args\":[\"-c\",\"x | y\",7,"
		"\"${A}\"],\"cwd\":\"sub\",\"env\":{\"LD_PRELOAD\":\"./x.so\","
		"\"N\":1,\"K\":\"${env:B:-c}\",\"G\":null},\"url\":\"${NOT}\","
		"\"type\":\"stdio\"}}",
		"  a\n"
		"    runs  sh -c 'x | y' 7 '${A}'\n"
		"    in    sub\n"
		"    sets  LD_PRELOAD=./x.so\n"
		"    sets  N=1\n"
		"    sets  K='${env:B:-c}'\n"
		"    reads A, B\n");
	describes("{\"w\":{\"url\":\"http://h/?key=hush&a=${A}\",\"headers\":{"
		  "\"Authorization\":\"Bearer ${MCPCTL_TOKEN}\",\"X-Key\":"
		  "\"hush\",\"Plain\":\"yes\"}},\"none\":{},\"odd\":7}",
		  "  w\n"
		  "    opens http://h/?key=***&a=${A}\n"
		  "    sends Authorization: Bearer ${MCPCTL_TOKEN}\n"
		  "    sends X-Key: ***\n"
		  "    sends Plain: yes\n"
		  "    reads A, MCPCTL_TOKEN\n"
		  "  none\n"
		  "    is    no server: it cannot be used\n"
		  "  odd\n"
		  "    is    no server: it cannot be used\n");
	/* What looks like a secret may be a program: it is shown. */
	describes("{\"p\":{\"command\":\"python3\",\"args\":[\"-c\","
		  "\"key=1;import os\",\"--token\",\"x\"]}}",
		  "  p\n"
		  "    runs  python3 -c 'key=1;import os' --token x\n");
	/* A line of ours cannot be made up, nor the terminal told anything. */
	describes("{\"p\\n  q\":{\"command\":\"x\\n  + runs y\\u001b[2J\"}}",
		  "  p\\n  q\n"
		  "    runs  'x\\n  + runs y\\x1b[2J'\n");
	/* The first of two with one name is meant. */
	describes("{\"a\":{\"command\":\"x\"},\"a\":{\"command\":\"y\"}}",
		  "  a\n    runs  x\n");
}

static void test_change(void **state)
{
	static const char before[] =
		"{\"same\":{\"command\":\"x\"},\"gone\":{\"command\":\"y\"},"
		"\"a\":{\"command\":\"z\",\"args\":[\"1\"],\"env\":{\"E\":\"1\"}},"
		"\"k\":{\"url\":\"http://h/?key=1\"}}";
	static const char now[] =
		"{\"a\":{\"command\":\"z\",\"args\":[\"2\"],\"env\":{\"E\":\"1\"}},"
		"\"k\":{\"url\":\"http://h/?key=2\"},"
		"\"new\":{\"url\":\"http://h/${V}\"},\"same\":{\"command\":\"x\"}}";
	CLEANUP(json_free_ptr)
	cJSON *b = json_parse(before, strlen(before), NULL);
	CLEANUP(json_free_ptr) cJSON *n = json_parse(now, strlen(now), NULL);
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_true(named_describe_change(&out, b, n));
	assert_string_equal(buf_string(&out), "  a\n"
					      "  - runs  z 1\n"
					      "  + runs  z 2\n"
					      "  new\n"
					      "  + opens http://h/${V}\n"
					      "  + reads V\n"
					      "  gone\n"
					      "  - runs  y\n");
}

/* Many variables or settings: nobody would read them, nor is one hidden. */
static void test_too_long(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 }, reads = { 0 }, out = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(json_free_ptr) cJSON *other = NULL;

	(void)state;
	buf_text(&text, "{\"a\":{\"command\":\"x\",\"env\":{\"A\":\"\"");
	buf_text(&reads, "{\"a\":{\"command\":\"x\",\"args\":[\"\"");
	for (int i = 0; i < 300; i++) {
		buf_printf(&text, ",\"A%d\":\"\"", i);
		buf_printf(&reads, ",\"${A%d}\"", i);
	}
	buf_text(&text, "}}}");
	buf_text(&reads, "]}}");
	tree = json_parse(text.data, text.len, &err);
	assert_false(named_describe(&out, tree));
	assert_false(named_describe_change(&out, NULL, tree));
	assert_false(named_describe_change(&out, tree, NULL));
	other = json_parse(reads.data, reads.len, &err);
	assert_false(named_describe(&out, other));
}

static void question_is(struct named_file *f, const char *text, bool fits,
			const char *part)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	buf_reset(&f->text);
	buf_text(&f->text, text);
	f->servers = named_file_parse(&json, &f->text, f->path, &err);
	assert_non_null(f->servers);
	f->trust = look(f->path, text);
	assert_int_equal(named_trust_question(&out, f), fits);
	if (fits)
		says(buf_string(&out), part);
}

static void test_question(void **state)
{
	static char path[] = "/x\n/.mcp.json";
	struct named_file f = { .path = path };
	CLEANUP(buf_done) struct buf many = { 0 };
	static const char one[] = "{\"servers\":{\"a\":{\"command\":\"b\"}}}";

	(void)state;
	question_is(&f, one, true,
		    "'/x\\n/.mcp.json' is not trusted. Its servers:\n  a\n");
	keep(path, one);
	question_is(&f, "{\"servers\":{\"a\":{\"command\":\"b\"}} }", true,
		    "has changed since it was trusted:\n  only what is not "
		    "shown here");
	question_is(&f, "{\"servers\":{\"a\":{\"command\":\"c\"}}}", true,
		    "has changed since it was trusted:\n  a\n  - runs  b\n"
		    "  + runs  c\n");
	buf_text(&many, "{\"servers\":{\"a\":{}");
	for (int i = 0; i < 150; i++)
		buf_printf(&many, ",\"a%d\":{}", i);
	buf_text(&many, "}}");
	question_is(&f, buf_string(&many), false, NULL);
	/* Many bytes in few lines: 12 kB can be read, 18 kB not. */
	for (int len = 600; len <= 900; len += 300) {
		buf_reset(&many);
		buf_text(&many, "{\"servers\":{\"a\":{}");
		for (int i = 0; i < 20; i++)
			buf_printf(&many, ",\"a%d\":{\"command\":\"%0*d\"}", i,
				   len, i);
		buf_text(&many, "}}");
		question_is(&f, buf_string(&many), len == 600,
			    "  a19\n  + runs  0");
	}
	buf_done(&f.text);
}

static void test_words(void **state)
{
	static char path[] = "/it's here/.mcp.json";
	struct named_file f = { .path = path };
	CLEANUP(mem_free_ptr) char *problem = named_trust_problem(&f);
	CLEANUP(mem_free_ptr) char *changed = NULL;

	(void)state;
	assert_string_equal(problem, "not trusted: mcpctl trust '/it'\\''s "
				     "here/.mcp.json'");
	f.trust = TRUST_CHANGED;
	changed = named_trust_problem(&f);
	says(changed, "changed since it was trusted: mcpctl trust ");
	f.trust = TRUST_SAME;
	assert_null(named_trust_problem(&f));
	f.trust = TRUST_NONE;
	f.own = true;
	assert_null(named_trust_problem(&f));
	f.own = false;
	assert_int_equal(named_trust_refuse(&f, "why", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	says(err.hint, "why: mcpctl trust '/it'\\''s here/.mcp.json' trusts");
	/* A command that does not fit is not cut. */
	f.path = mem_alloc(900);
	memset(f.path, 'x', 899);
	f.path[899] = '\0';
	named_trust_refuse(&f, NULL, &err);
	assert_string_equal(err.hint, "mcpctl trust trusts what it holds now; "
				      "--trust takes it for one command");
	f.path[500] = '\0';
	named_trust_refuse(&f, NULL, &err);
	assert_string_equal(err.hint, "mcpctl trust trusts what it holds now; "
				      "--trust takes it for one command");
	f.path[380] = '\0';
	named_trust_refuse(&f, NULL, &err);
	says(err.hint, "mcpctl trust xxxx");
	mem_free(f.path);
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_keep),     TEST(test_private),  TEST(test_damaged),
		TEST(test_each),     TEST(test_describe), TEST(test_change),
		TEST(test_too_long), TEST(test_question), TEST(test_words),
		TEST(test_bounded),
	};

	mem_init();
	return cmocka_run_group_tests(tests, make, folder_remove);
}
