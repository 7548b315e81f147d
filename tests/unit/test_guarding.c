/* SPDX-License-Identifier: MIT */
/*
 * Retry and breaker as the options say: which successes end a row of failures,
 * what is kept in a file, what is told.
 */
#include "rendered.h"

#include <unistd.h>

#include "base/file.h"
#include "cli/connection.h"
#include "cli/guards.h"
#include "folder.h"

static struct app app;
static struct connection connection;
static struct rendered shown;
static struct error err;

static const struct guard_ask call_ask = { .method = "tools/call",
					   .subject = "add" };
static const struct guard_ask list_ask = { .method = "tools/list" };
static const struct guard_ask ping_ask = { .method = "ping" };

static void target(const char *text)
{
	endpoint_done(&connection.endpoint);
	assert_int_equal(endpoint_parse(&connection.endpoint, text,
					"the argument", &err),
			 0);
	app.config.target = connection.endpoint.text;
	assert_int_equal(guards_open(&connection, &err), 0);
}

static int prepare(void **state)
{
	CLEANUP(mem_free_ptr) char *kept = folder_path("mcpctl");

	(void)state;
	/* What the test before this one kept. */
	(void)nftw(kept, folder_drop, 8, FTW_DEPTH | FTW_PHYS);
	app = (struct app){ 0 };
	connection = (struct connection){ .app = &app };
	rendered_start(&shown, OUTPUT_TEXT, false);
	app.out = shown.r;
	return 0;
}

static int clean(void **state)
{
	(void)state;
	guards_close(&connection);
	endpoint_done(&connection.endpoint);
	error_reset(&err);
	rendered_end(&shown);
	return 0;
}

static int admit(const struct guard_ask *ask)
{
	const struct client_guard *g = guards_guard(connection.guards);

	error_reset(&err);
	return g->admit(g->owner, ask, &err);
}

static void settle(const struct guard_ask *ask, enum error_kind kind, int code)
{
	const struct client_guard *g = guards_guard(connection.guards);

	error_reset(&err);
	if (kind == ERR_NONE) {
		g->settle(g->owner, ask, NULL);
		return;
	}
	error_set(&err, kind, "it failed");
	error_code(&err, code);
	g->settle(g->owner, ask, &err);
}

static void good(const struct guard_ask *ask)
{
	assert_int_equal(admit(ask), 0);
	settle(ask, ERR_NONE, 0);
}

static void bad(const struct guard_ask *ask, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		assert_int_equal(admit(ask), 0);
		settle(ask, ERR_PEER, -32001);
	}
}

static void is_open(const struct guard_ask *ask)
{
	assert_int_equal(admit(ask), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "circuit breaker is open"));
}

/* ---- the option ---- */

static void parsed(const char *text, int64_t limit, int64_t pause_ms)
{
	struct guards_option o;

	assert_int_equal(guards_option_parse(&o, text, &err), 0);
	assert_true(o.on);
	assert_true(o.lasts);
	assert_int_equal(o.limit, limit);
	assert_int_equal(o.pause_ms, pause_ms);
}

static void test_option(void **state)
{
	static const char *const wrong[] = {
		"0",  "x",	"5,",	 "5,x",	       ",10s", "5,0s",
		"-1", "5,1s,2", "5 10s", "1000001",    "5.5",  "1e3",
		" 5", "5,-1s",	"true",	 "99999999999"
	};
	struct guards_option o;

	(void)state;
	parsed("", 0, 0);
	parsed("on", 0, 0);
	parsed("3", 3, 0);
	parsed("1,500ms", 1, 500);
	parsed("1000000,1ms", 1000000, 1);
	parsed("7,2m", 7, 120000);
	assert_int_equal(guards_option_parse(&o, NULL, &err), 0);
	assert_true(o.on && !o.lasts);
	assert_int_equal(guards_option_parse(&o, "off", &err), 0);
	assert_true(!o.on && !o.lasts);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(guards_option_parse(&o, wrong[i], &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.text, "option '--breaker'"));
	}
}

/* ---- in memory ---- */

static void test_memory(void **state)
{
	(void)state;
	target("ws://a/");
	bad(&call_ask, 5);
	assert_non_null(strstr(rendered_err(&shown), "5 failed in a row"));
	is_open(&call_ask);
	good(&list_ask);
	is_open(&call_ask);
	assert_non_null(strstr(err.hint, "it failed"));
	assert_non_null(strstr(err.hint, "reconnect"));
	/* Somebody who asks whether it lives is never held up. */
	good(&ping_ask);
	is_open(&call_ask);
	/* Another target has its own, and each keeps it. */
	target("ws://b/");
	bad(&call_ask, 4);
	target("ws://a/");
	is_open(&call_ask);
	guards_reset(connection.guards);
	good(&call_ask);
	target("ws://b/");
	bad(&call_ask, 1);
	is_open(&call_ask);
}

/* Nor where what failed weighs no more than it; and it proves nothing. */
static void test_ping(void **state)
{
	(void)state;
	target("ws://a/");
	bad(&list_ask, 5);
	is_open(&list_ask);
	good(&ping_ask);
	is_open(&list_ask);
	target("ws://b/");
	bad(&ping_ask, 20);
	good(&list_ask);
}

static void test_off(void **state)
{
	(void)state;
	app.config.breaker = "off";
	target("ws://a/");
	bad(&call_ask, 20);
	good(&call_ask);
	guards_reset(connection.guards);
	guards_reset(NULL);
	assert_null(guards_guard(NULL));
}

/* A server that lists well, and whose model is down. */
static void test_row(void **state)
{
	static const struct guard_ask read_ask = { .method = "resources/read" };

	(void)state;
	target("ws://a/");
	for (int i = 0; i < 5; i++) {
		assert_int_equal(guards_admit(connection.guards, &err), 0);
		guards_opened(connection.guards, NULL);
		good(&list_ask);
		good(&read_ask);
		bad(&call_ask, 1);
	}
	is_open(&call_ask);
	/* It goes on reading, until that fails as well. */
	good(&read_ask);
	is_open(&call_ask);
	bad(&read_ask, 1);
	is_open(&read_ask);
	/* What failed is less than what succeeds. */
	target("ws://b/");
	bad(&list_ask, 4);
	good(&read_ask);
	bad(&list_ask, 4);
	good(&list_ask);
	bad(&read_ask, 4);
	good(&call_ask);
	bad(&call_ask, 4);
	good(&call_ask);
	bad(&call_ask, 4);
	/* An answer, although an error; then what says nothing. */
	settle(&call_ask, ERR_PEER, -32602);
	bad(&call_ask, 4);
	settle(&call_ask, ERR_INTERRUPTED, 2);
	settle(&call_ask, ERR_USAGE, 0);
	bad(&call_ask, 1);
	is_open(&call_ask);
}

static void test_opening(void **state)
{
	(void)state;
	app.config.breaker = "2,1m";
	target("ws://a/");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(guards_admit(connection.guards, &err), 0);
		/* The next try of the same opening is not asked again. */
		assert_int_equal(guards_admit(connection.guards, &err), 0);
		error_set(&err, ERR_CONNECT, "refused");
		guards_opened(connection.guards, &err);
		guards_opened(connection.guards, &err);
	}
	assert_int_equal(guards_admit(connection.guards, &err), -1);
	assert_int_equal(guards_again(connection.guards, 1, &err), -1);
	/* A device that dials in is new, and nobody dials it. */
	target("listen:0");
	bad(&call_ask, 2);
	is_open(&call_ask);
	assert_int_equal(guards_admit(connection.guards, &err), 0);
	guards_opened(connection.guards, NULL);
	good(&call_ask);
}

/* ---- tries ---- */

static void test_tries(void **state)
{
	const struct client_guard *g;

	(void)state;
	app.out.verbose = true;
	target("http://a/mcp");
	g = guards_guard(connection.guards);
	assert_int_equal(admit(&list_ask), 0);
	error_set(&err, ERR_CONNECT, "'a' is busy");
	error_code(&err, 503);
	assert_in_range(g->again(g->owner, &list_ask, 1, &err), 1000, 1500);
	assert_non_null(strstr(rendered_err(&shown),
			       "try 1 of 3 failed: 'a' is busy; again in"));
	error_retry_after(&err, 20);
	assert_int_equal(g->again(g->owner, &list_ask, 2, &err), 20);
	assert_int_equal(g->again(g->owner, &list_ask, 3, &err), -1);
	g->settle(g->owner, &list_ask, &err);
	assert_string_equal(err.text, "'a' is busy (after 3 tries)");
	/* One try is not worth a word. */
	assert_int_equal(admit(&call_ask), 0);
	error_set(&err, ERR_CONNECT, "'a' is busy");
	error_code(&err, 503);
	assert_int_equal(g->again(g->owner, &call_ask, 1, &err), -1);
	g->settle(g->owner, &call_ask, &err);
	assert_string_equal(err.text, "'a' is busy");
	assert_string_equal(
		err.hint,
		"it was tried once, since the tool is not known as idempotent: --retry-calls repeats it all the same");
	/* Where more were not to be made, that is no reason. */
	target("ws://a/");
	g = guards_guard(connection.guards);
	assert_int_equal(admit(&call_ask), 0);
	error_set(&err, ERR_CONNECT, "'a' is busy");
	error_code(&err, 503);
	assert_int_equal(g->again(g->owner, &call_ask, 1, &err), -1);
	g->settle(g->owner, &call_ask, &err);
	assert_string_equal(err.hint, "");
}

static void test_trial_is_one_request(void **state)
{
	const struct client_guard *g;

	(void)state;
	app.config.breaker = "1,1ms";
	target("http://a/mcp");
	g = guards_guard(connection.guards);
	bad(&list_ask, 1);
	usleep(5000);
	assert_int_equal(admit(&list_ask), 0);
	error_set(&err, ERR_CONNECT, "'a' is busy");
	error_code(&err, 503);
	assert_int_equal(g->again(g->owner, &list_ask, 1, &err), -1);
	g->settle(g->owner, &list_ask, &err);
}

static void test_policy(void **state)
{
	struct error why = { .kind = ERR_CONNECT, .code = 503 };

	(void)state;
	target("ws://a/");
	assert_int_equal(guards_admit(connection.guards, &err), 0);
	assert_int_equal(guards_again(connection.guards, 1, &why), -1);
	app.config.retry = 2;
	target("ws://a/");
	assert_in_range(guards_again(connection.guards, 1, &why), 1000, 1500);
	assert_int_equal(guards_again(connection.guards, 2, &why), -1);
	app.config.retry = 0;
	target("sse+http://a/");
	assert_int_equal(guards_again(connection.guards, 1, &why), -1);
	assert_int_equal(guards_admit(connection.guards, &err), 0);
	assert_int_equal(guards_again(connection.guards, 2, &why) >= 1000,
			 true);
	why.retry_after = 3600000;
	assert_int_equal(guards_again(connection.guards, 1, &why), -1);
	guards_opened(connection.guards, &why);
	assert_non_null(strstr(why.hint, "asks to wait 1 h"));
	assert_int_equal(guards_again(NULL, 1, &why), -1);
}

static void test_long_error(void **state)
{
	char text[600];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	app.config.retry = 2;
	target("ws://a/");
	assert_int_equal(guards_admit(connection.guards, &err), 0);
	error_set(&err, ERR_CONNECT, "%s", text);
	error_code(&err, 503);
	assert_int_equal(guards_again(connection.guards, 1, &err) > 0, true);
	guards_opened(connection.guards, &err);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

/* ---- in a file ---- */

/* Another run of the program. */
static void run_again(const char *text)
{
	guards_close(&connection);
	target(text);
}

static void test_file(void **state)
{
	(void)state;
	app.config.breaker = "2,1m";
	for (int i = 0; i < 2; i++) {
		run_again("http://a/mcp?key=secret");
		bad(&call_ask, 1);
	}
	run_again("http://a/mcp?key=other");
	is_open(&call_ask);
	assert_non_null(strstr(err.hint, "it failed"));
	assert_non_null(strstr(err.hint, "--breaker=off"));
	run_again("http://b/mcp");
	good(&call_ask);
	app.config.breaker = NULL;
	run_again("http://a/mcp");
	good(&call_ask);
	app.config.breaker = "2,1m";
	run_again("http://a/mcp");
	is_open(&call_ask);
	guards_reset(connection.guards);
	run_again("http://a/mcp");
	bad(&call_ask, 1);
	good(&call_ask);
}

/* As if the breaker of http://a/mcp had opened a pause of a minute ago. */
static void pause_over(void)
{
	struct guard_file file;

	guard_file_init(&file, "http://a/mcp");
	assert_int_equal(guard_file_keep(&file, &err), 0);
	assert_int_equal(guard_file_begin(&file, &err), 0);
	assert_true(file.breaker.opened_at > 0);
	file.breaker.opened_at -= 60000;
	assert_int_equal(guard_file_end(&file, true, &err), 0);
	guard_file_done(&file);
}

static void test_file_trial(void **state)
{
	(void)state;
	app.config.breaker = "1,1m";
	run_again("http://a/mcp");
	bad(&call_ask, 1);
	pause_over();
	/* The trial is the whole command, and given back if it told nothing. */
	run_again("http://a/mcp");
	assert_int_equal(guards_admit(connection.guards, &err), 0);
	guards_opened(connection.guards, NULL);
	good(&list_ask);
	run_again("http://a/mcp");
	bad(&call_ask, 1);
	is_open(&call_ask);
	pause_over();
	good(&call_ask);
	run_again("http://a/mcp");
	good(&list_ask);
	app.config.breaker = "2,1m";
	run_again("http://a/mcp");
	bad(&call_ask, 1);
	good(&call_ask);
}

/* A trial that ended without a word about the peer is another command's. */
static void test_file_trial_silent(void **state)
{
	struct connection mine = { 0 };

	(void)state;
	app.config.breaker = "1,1m";
	run_again("http://a/mcp");
	bad(&call_ask, 1);
	pause_over();
	assert_int_equal(admit(&call_ask), 0);
	mine = connection;
	connection = (struct connection){ .app = &app };
	target("http://a/mcp");
	is_open(&call_ask);
	guards_close(&connection);
	endpoint_done(&connection.endpoint);
	connection = mine;
	settle(&call_ask, ERR_INTERRUPTED, 2);
	mine = connection;
	connection = (struct connection){ .app = &app };
	target("http://a/mcp");
	good(&call_ask);
	guards_close(&connection);
	endpoint_done(&connection.endpoint);
	connection = mine;
}

/* Who turns to another target has told nothing of the first one's trial. */
static void test_file_trial_left(void **state)
{
	(void)state;
	app.config.breaker = "1,1m";
	run_again("http://a/mcp");
	bad(&call_ask, 1);
	pause_over();
	run_again("http://a/mcp");
	assert_int_equal(guards_admit(connection.guards, &err), 0);
	target("http://b/mcp");
	good(&call_ask);
	target("http://a/mcp");
	good(&call_ask);
}

static void file_is(const char *content, bool noticed)
{
	struct guard_file file;
	FILE *f;

	error_reset(&err);
	guard_file_init(&file, "ws://a/");
	assert_int_equal(guard_file_keep(&file, &err), 0);
	f = fopen(file.path, "we");
	assert_non_null(f);
	assert_true(fputs(content, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(guard_file_begin(&file, &err), noticed ? -1 : 0);
	if (noticed)
		assert_non_null(strstr(err.text, "counts as closed"));
	assert_int_equal(breaker_state(&file.breaker, unix_now_ms()),
			 BREAKER_CLOSED);
	assert_int_equal(guard_file_end(&file, true, &err), 0);
	/* A closed one has no file. */
	assert_int_equal(access(file.path, F_OK), -1);
	guard_file_done(&file);
}

/* So many that failed, opened just now; how it is read. */
static enum breaker_state read_failures(int failures, int status)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"target\":\"ws://a/\",\"failures\":%d,"
				"\"opened_at\":%lld,\"trial_at\":0}",
				failures, (long long)unix_now_ms());
	enum breaker_state read;
	struct guard_file file;

	guard_file_init(&file, "ws://a/");
	assert_int_equal(guard_file_keep(&file, &err), 0);
	assert_int_equal(file_replace(file.path, 0600, text, strlen(text)), 0);
	assert_int_equal(guard_file_begin(&file, &err), status);
	assert_int_equal(guard_file_end(&file, false, &err), 0);
	read = breaker_state(&file.breaker, unix_now_ms());
	guard_file_done(&file);
	error_reset(&err);
	return read;
}

static void test_file_believed(void **state)
{
	(void)state;
	assert_int_equal(read_failures(1000000, 0), BREAKER_OPEN);
	assert_int_equal(read_failures(1000001, -1), BREAKER_CLOSED);
	/* Nothing in it tells what failed. */
	app.config.breaker = "";
	assert_int_equal(read_failures(5, 0), BREAKER_OPEN);
	target("ws://a/");
	is_open(&call_ask);
	assert_string_equal(
		err.hint,
		"the last one: unknown; then one trial call is let through; --breaker=off tries at once");
}

/* What is kept of the words is bounded, whole, safe, and without secrets. */
static void test_file_words(void **state)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	struct guard_file file;

	(void)state;
	for (int i = 0; i < 397; i++)
		buf_char(&words, 'x');
	buf_text(&words, "\x1b音音");
	guard_file_init(&file, "ws://a/");
	assert_int_equal(guard_file_keep(&file, &err), 0);
	file.breaker.failures = 1;
	file.why = mem_strdup(buf_string(&words));
	assert_int_equal(guard_file_end(&file, true, &err), 0);
	assert_int_equal(guard_file_begin(&file, &err), 0);
	assert_int_equal(guard_file_end(&file, false, &err), 0);
	assert_string_equal(file.why + 396, "x\\x1b");
	guard_file_done(&file);
	target("ws://b/?token=abc123");
	for (int i = 0; i < 5; i++) {
		assert_int_equal(admit(&call_ask), 0);
		error_set(&err, ERR_TIMEOUT, "'ws://b/?token=abc123' is mute");
		guards_guard(connection.guards)
			->settle(connection.guards, &call_ask, &err);
	}
	is_open(&call_ask);
	assert_non_null(strstr(err.hint, "is mute; then one trial"));
	assert_null(strstr(err.hint, "abc123"));
}

static void break_file(const char *of)
{
	struct guard_file file;

	guard_file_init(&file, of);
	assert_int_equal(guard_file_keep(&file, &err), 0);
	assert_int_equal(file_replace(file.path, 0600, "{", 1), 0);
	guard_file_done(&file);
}

static void test_file_broken(void **state)
{
	static const char words[] = "cannot be read: it counts as closed";
	CLEANUP(buf_done) struct buf large = { 0 };

	(void)state;
	file_is("", true);
	file_is("{", true);
	file_is("[]", true);
	file_is("{\"target\":\"ws://a/\",\"failures\":5}", true);
	file_is("{\"target\":\"ws://a/\",\"failures\":-5,\"opened_at\":1,"
		"\"trial_at\":0}",
		true);
	file_is("{\"target\":\"ws://a/\",\"failures\":1e15,\"opened_at\":1,"
		"\"trial_at\":0}",
		true);
	file_is("{\"target\":1,\"failures\":5,\"opened_at\":1,\"trial_at\":0}",
		true);
	/* Another target of the same hash. */
	file_is("{\"target\":\"ws://b/\",\"failures\":5,"
		"\"opened_at\":9000000000000,\"trial_at\":0}",
		false);
	for (int i = 0; i < 20000; i++)
		buf_char(&large, ' ');
	file_is(buf_string(&large), true);
	/* Told once, and calls go through. */
	break_file("ws://a/");
	app.config.breaker = "";
	target("ws://a/");
	good(&call_ask);
	break_file("ws://a/");
	good(&call_ask);
	assert_non_null(strstr(rendered_err(&shown), words));
	assert_null(strstr(strstr(rendered_err(&shown), words) + 1, words));
}

/* What cannot be kept is told; that it is closed already is kept so. */
static void test_file_unwritten(void **state)
{
	struct guard_file file;

	(void)state;
	guard_file_init(&file, "ws://a/");
	file.path = mem_strdup("/nonexistent/folder/x");
	assert_int_equal(guard_file_end(&file, true, &err), 0);
	assert_int_equal(err.kind, ERR_NONE);
	file.breaker.failures = 1;
	assert_int_equal(guard_file_end(&file, false, &err), 0);
	assert_int_equal(guard_file_end(&file, true, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "was not kept in '/nonexistent/"));
	guard_file_done(&file);
}

static void test_file_place(void **state)
{
	(void)state;
	app.config.breaker = "";
	setenv("XDG_STATE_HOME", "/nonexistent/folder", 1);
	endpoint_done(&connection.endpoint);
	assert_int_equal(endpoint_parse(&connection.endpoint, "ws://a/",
					"the argument", &err),
			 0);
	assert_int_equal(guards_open(&connection, &err), -1);
	setenv("XDG_STATE_HOME", folder, 1);
}

static int enter(void **state)
{
	if (folder_make(state) != 0)
		return -1;
	return setenv("XDG_STATE_HOME", folder, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_option),
		TEST(test_memory),
		TEST(test_ping),
		TEST(test_off),
		TEST(test_row),
		TEST(test_opening),
		TEST(test_tries),
		TEST(test_trial_is_one_request),
		TEST(test_policy),
		TEST(test_long_error),
		TEST(test_file),
		TEST(test_file_trial),
		TEST(test_file_trial_silent),
		TEST(test_file_trial_left),
		TEST(test_file_believed),
		TEST(test_file_words),
		TEST(test_file_broken),
		TEST(test_file_unwritten),
		TEST(test_file_place),
	};

	mem_init();
	return cmocka_run_group_tests_name("guarding", tests, enter,
					   folder_remove);
}
