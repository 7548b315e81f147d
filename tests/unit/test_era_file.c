/* SPDX-License-Identifier: MIT */
/*
 * What is kept of a server between two commands: its era, and how long its
 * list of tools is fresh, and for whom.
 */
#include "rendered.h"
#include "session_harness.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/catalog_file.h"
#include "cli/connection.h"
#include "cli/era_file.h"
#include "cli/fresh_list.h"
#include "cli/schema_cache.h"
#include "folder.h"
#include "net/bearer.h"
#include "net/head.h"

static struct app app;
static struct connection connection;
static struct era_config known;
static struct error err;

static int begin(void **state)
{
	assert_int_equal(set_up(state), 0);
	app = (struct app){ .loop = loop };
	connection = (struct connection){ .app = &app };
	return 0;
}

static int end(void **state)
{
	CLEANUP(mem_free_ptr) char *cache = folder_path("mcpctl");

	(void)nftw(cache, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
	endpoint_done(&connection.endpoint);
	tool_list_done(&connection.tools);
	buf_done(&connection.era_kept);
	error_reset(&err);
	return tear_down(state);
}

static void target(const char *text)
{
	endpoint_done(&connection.endpoint);
	assert_int_equal(endpoint_parse(&connection.endpoint, text, "x", &err),
			 0);
}

static void look(void)
{
	era_file_config(&known, &connection);
}

static void found(enum era era, enum era_how how, const char *reply)
{
	const struct era_known e = { .era = era,
				     .how = how,
				     .revision = era == ERA_MODERN ?
							 "2026-07-28" :
							 NULL };

	look();
	assert_non_null(known.found);
	known.found(known.owner, &e,
		    (struct span){ reply, reply ? strlen(reply) : 0 });
}

/* ---- which file ---- */

static void test_paths(void **state)
{
	static const struct {
		const char *one, *other;
		bool same;
	} rows[] = {
		{ "http://h/p", "http://h/p?key=1", true },
		{ "http://h/p", "http://h:80/p", true },
		{ "http://h/p", "http://h:81/p", false },
		{ "http://h/p", "https://h/p", false },
		{ "http://h/p", "http://i/p", false },
		{ "http://h/p", "http://h/q", false },
		{ "stdio:a b", "stdio:a  b", true },
		{ "stdio:a b", "stdio:'a b'", false },
		{ "stdio:a b", "stdio:a", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *one = NULL, *other = NULL;

		target(rows[i].one);
		one = era_file_path(&connection.endpoint, ".x");
		target(rows[i].other);
		other = era_file_path(&connection.endpoint, ".x");
		assert_non_null(strstr(one, "/mcpctl/eras/"));
		assert_string_equal(one + strlen(one) - 2, ".x");
		assert_int_equal(strcmp(one, other) == 0, rows[i].same);
	}
}

/* Of a program its folder counts, and what it is given, by its names. */
static void test_programs(void **state)
{
	CLEANUP(mem_free_ptr) char *bare = NULL, *same = NULL, *named = NULL;
	CLEANUP(mem_free_ptr) char *valued = NULL, *here = NULL;
	char cwd[4096];

	(void)state;
	target("stdio:a");
	bare = era_file_path(&connection.endpoint, "");
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	connection.endpoint.cwd = mem_strdup(cwd);
	same = era_file_path(&connection.endpoint, "");
	assert_string_equal(same, bare);
	mem_free(connection.endpoint.cwd);
	connection.endpoint.cwd = mem_strdup("/elsewhere");
	here = era_file_path(&connection.endpoint, "");
	assert_string_not_equal(here, bare);
	target("stdio:a");
	words_add(&connection.endpoint.env, "K=1");
	named = era_file_path(&connection.endpoint, "");
	assert_string_not_equal(named, bare);
	target("stdio:a");
	words_add(&connection.endpoint.env, "K=2");
	valued = era_file_path(&connection.endpoint, "");
	assert_string_equal(valued, named);
}

/* ---- the era ---- */

static void is(enum era era, enum era_how how, bool asks, bool told, bool kept)
{
	look();
	assert_int_equal(known.era, era);
	if (era != ERA_UNKNOWN || asks)
		assert_int_equal(known.how, how);
	assert_int_equal(known.asks, asks);
	assert_int_equal(known.told, told);
	assert_int_equal(known.kept, kept);
}

static void test_asked(void **state)
{
	static const struct {
		const char *target;
		bool asks;
	} rows[] = {
		{ "http://h/", true },	    { "stdio:a", true },
		{ "sse+http://h/", false }, { "ws://h/", false },
		{ "sim:", false },	    { "listen:", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		target(rows[i].target);
		is(ERA_UNKNOWN, ERA_BY_ANSWER, rows[i].asks, false, false);
	}
	target("ws://h/");
	connection.endpoint.envelope = DIALECT_PLAIN;
	is(ERA_UNKNOWN, ERA_BY_ANSWER, true, false, false);
	target("http://h/");
	app.config.no_init = true;
	is(ERA_UNKNOWN, ERA_BY_KIND, false, false, false);
	app.config.no_init = false;
	connection.checks = true;
	is(ERA_UNKNOWN, ERA_BY_KIND, false, false, false);
	connection.checks = false;
	/* It could not bear the question. */
	connection.era_ended = true;
	is(ERA_LEGACY, ERA_BY_END, false, false, false);
}

static void test_kept(void **state)
{
	static const char reply[] = "{\"id\":1,\"result\":{}}";
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct stat st;

	(void)state;
	target("http://h/");
	found(ERA_MODERN, ERA_BY_ANSWER, reply);
	path = era_file_path(&connection.endpoint, "");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	is(ERA_MODERN, ERA_BY_ANSWER, true, false, true);
	assert_string_equal(known.revision, "2026-07-28");
	assert_int_equal(known.reply.len, strlen(reply));
	assert_memory_equal(known.reply.text, reply, known.reply.len);
	/* What was said counts; what was kept only where that is the same. */
	connection.endpoint.era = WISH_LEGACY;
	is(ERA_LEGACY, ERA_BY_OPTION, false, true, false);
	connection.endpoint.era = WISH_MODERN;
	is(ERA_MODERN, ERA_BY_OPTION, false, true, true);
	connection.endpoint.era = WISH_AUTO;
	found(ERA_LEGACY, ERA_BY_SILENCE, NULL);
	is(ERA_LEGACY, ERA_BY_SILENCE, true, false, true);
	connection.endpoint.era = WISH_MODERN;
	is(ERA_MODERN, ERA_BY_OPTION, false, true, false);
	connection.endpoint.era = WISH_AUTO;
	/* Another server's is its own. */
	target("http://i/");
	is(ERA_UNKNOWN, ERA_BY_ANSWER, true, false, false);
	target("http://h/");
	found(ERA_UNKNOWN, ERA_BY_ANSWER, NULL);
	is(ERA_UNKNOWN, ERA_BY_ANSWER, true, false, false);
}

/* Kept wrongly: forgotten, and asked again, unless it answered initialize. */
static void test_failed(void **state)
{
	static char text[] = "{}";

	(void)state;
	target("http://h/");
	found(ERA_LEGACY, ERA_BY_ANSWER, NULL);
	connection.client.era =
		(struct era_known){ .era = ERA_LEGACY, .kept = true };
	error_set(&err, ERR_TIMEOUT, "x");
	assert_false(era_file_failed(&connection, &err));
	error_set(&err, ERR_PROTOCOL, "x");
	connection.client.initialize.text = text;
	assert_false(era_file_failed(&connection, &err));
	connection.client.initialize.text = NULL;
	connection.client.era.kept = false;
	assert_false(era_file_failed(&connection, &err));
	connection.client.era.kept = true;
	connection.endpoint.era = WISH_LEGACY;
	assert_false(era_file_failed(&connection, &err));
	connection.endpoint.era = WISH_AUTO;
	connection.client.era.era = ERA_MODERN;
	assert_false(era_file_failed(&connection, &err));
	is(ERA_LEGACY, ERA_BY_ANSWER, true, false, true);
	connection.client.era.era = ERA_LEGACY;
	assert_true(era_file_failed(&connection, &err));
	is(ERA_UNKNOWN, ERA_BY_ANSWER, true, false, false);
}

/* A program that ended at the question is opened anew, once. */
static void test_ended(void **state)
{
	(void)state;
	target("stdio:a");
	open_up(DIALECT_PLAIN);
	connection.session = session;
	connection.client.probed = true;
	error_set(&err, ERR_CONNECT, "x");
	assert_false(era_file_failed(&connection, &err));
	fake_push(FAKE_CLOSED, NULL, 0);
	watch(1000);
	assert_true(session_is_over(session));
	connection.client.probed = false;
	assert_false(era_file_failed(&connection, &err));
	connection.client.probed = true;
	error_set(&err, ERR_TIMEOUT, "x");
	assert_false(era_file_failed(&connection, &err));
	error_set(&err, ERR_CONNECT, "x");
	target("http://h/");
	assert_false(era_file_failed(&connection, &err));
	target("stdio:a");
	assert_true(era_file_failed(&connection, &err));
	assert_true(connection.era_ended);
	assert_false(era_file_failed(&connection, &err));
}

/* ---- lists that are fresh ---- */

#define KEY "http://h/"

/* The list as it came, pages with those words beside their tools. */
static void listed(const char *const *pages, size_t count)
{
	tool_list_done(&connection.tools);
	for (size_t i = 0; i < count; i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"{\"id\":1,\"result\":{\"tools\":[{\"name\":\"t%zu\"}]"
			"%s%s}}",
			i, *pages[i] ? "," : "", pages[i]);
		struct message m = message_from(text);

		assert_int_equal(
			tool_list_add_take(&connection.tools, &m, NULL, NULL),
			0);
	}
	assert_int_equal(schema_cache_write(KEY, &connection.tools, &err), 0);
	fresh_list_keep(&connection, KEY);
	tool_list_done(&connection.tools);
}

static void one(const char *words)
{
	listed(&words, 1);
}

static bool is_fresh(void)
{
	bool fresh;

	tool_list_done(&connection.tools);
	fresh = fresh_list_take(&connection, KEY);
	assert_int_equal(connection.tools.count > 0, fresh);
	return fresh;
}

static void ready(void)
{
	target(KEY);
	open_up(DIALECT_PLAIN);
	connection.session = session;
	connection.client.session = session;
	connection.client.modern = true;
}

static void test_fresh(void **state)
{
	static const char *const both[] = {
		"\"ttlMs\":60000,\"cacheScope\":\"public\"",
		"\"ttlMs\":50000,\"cacheScope\":\"public\""
	};
	static const char *const half[] = {
		"\"ttlMs\":60000,\"cacheScope\":\"public\"", ""
	};

	(void)state;
	ready();
	assert_false(is_fresh());
	one("\"ttlMs\":60000");
	assert_true(is_fresh());
	assert_string_equal(connection.tools.tool[0].name, "t0");
	connection.client.modern = false;
	assert_false(is_fresh());
	connection.client.modern = true;
	one("");
	assert_false(is_fresh());
	one("\"ttlMs\":0");
	assert_false(is_fresh());
	one("\"ttlMs\":-5");
	assert_false(is_fresh());
	one("\"ttlMs\":\"60000\"");
	assert_false(is_fresh());
	listed(both, 2);
	assert_true(is_fresh());
	assert_int_equal(connection.tools.count, 2);
	/* One page that says nothing of it, and none is. */
	listed(half, 2);
	assert_false(is_fresh());
	one("\"ttlMs\":60000");
	fresh_list_drop(&connection);
	assert_false(is_fresh());
	/* Another list by now. */
	one("\"ttlMs\":60000");
	assert_int_equal(schema_cache_write(KEY, &connection.tools, &err), 0);
	assert_false(is_fresh());
}

static const char *token_of(void *owner)
{
	return owner;
}

/* What is not said to be for all is for those credentials alone. */
static void test_whose(void **state)
{
	char token[] = "a";
	const struct bearer bearer = { .token = token_of, .owner = token };

	(void)state;
	ready();
	headers_add(&connection.endpoint.headers, "A", "1");
	one("\"ttlMs\":60000,\"cacheScope\":\"private\"");
	assert_true(is_fresh());
	target(KEY);
	assert_false(is_fresh());
	headers_add(&connection.endpoint.headers, "A", "2");
	assert_false(is_fresh());
	target(KEY);
	headers_add(&connection.endpoint.headers, "A", "1");
	assert_true(is_fresh());
	connection.endpoint.bearer = &bearer;
	assert_false(is_fresh());
	one("\"ttlMs\":60000");
	assert_true(is_fresh());
	token[0] = 'b';
	assert_false(is_fresh());
	target(KEY);
	one("\"ttlMs\":60000,\"cacheScope\":\"public\"");
	headers_add(&connection.endpoint.headers, "A", "1");
	assert_true(is_fresh());
	words_add(&connection.endpoint.env, "A=1");
	assert_true(is_fresh());
	one("\"ttlMs\":60000");
	assert_true(is_fresh());
	words_done(&connection.endpoint.env);
	words_add(&connection.endpoint.env, "A=2");
	assert_false(is_fresh());
}

/* The file is a day old at most, whatever it says, and is ours. */
static void test_notes(void **state)
{
	static const char *const wrong[] = { "", "{}", "[", "{\"list\":\"\"}" };
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr) cJSON *note = NULL;
	int64_t until;

	(void)state;
	ready();
	one("\"ttlMs\":1e15");
	assert_true(is_fresh());
	path = era_file_path(&connection.endpoint, ".tools");
	assert_int_equal(file_read(&text, "note", path, &err), 0);
	note = json_parse(buf_string(&text), text.len, NULL);
	assert_int_equal(json_integer(note, "until", &until), 0);
	assert_in_range(until, unix_now_ms() + FRESH_MOST_MS - 60000,
			unix_now_ms() + FRESH_MOST_MS);
	for (int i = 0; i < 2; i++) {
		const int64_t at = i ? unix_now_ms() - 1 :
				       unix_now_ms() + FRESH_MOST_MS + 60000;
		CLEANUP(buf_done) struct buf other = { 0 };

		cJSON_ReplaceItemInObjectCaseSensitive(
			note, "until", cJSON_CreateNumber((double)at));
		json_print(&other, note);
		assert_int_equal(
			file_replace(path, 0600, other.data, other.len), 0);
		assert_false(is_fresh());
	}
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(
			file_replace(path, 0600, wrong[i], strlen(wrong[i])),
			0);
		assert_false(is_fresh());
	}
}

static int make(void **state)
{
	if (folder_make(state) != 0)
		return -1;
	return setenv("XDG_CACHE_HOME", folder, 1);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_paths), TEST(test_programs), TEST(test_asked),
		TEST(test_kept),  TEST(test_failed),   TEST(test_ended),
		TEST(test_fresh), TEST(test_whose),    TEST(test_notes),
	};

	mem_init();
	return cmocka_run_group_tests(tests, make, folder_remove);
}
