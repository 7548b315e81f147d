/* SPDX-License-Identifier: MIT */
/*
 * What each look of `targets --scan --watch` changes: who came, changed, went,
 * and who is asked again. The looks are lists here, the answers are set.
 */
#include "rendered.h"

#include "cli/scan_watch.h"
#include "net/neighbours.h"

static struct app app;
static struct rendered shown;
static struct error err;
static struct scan_watch watch;
static struct scan_list now;

/* ---- who is asked ---- */

static struct buf asked; /* names, a space behind each */
static const char
	*silent; /* who does not answer, so written; "*": nobody does */
static bool refused; /* … since nobody listens there */
static int ask_status;
static int64_t begun; /* loop_now() of the test */
static size_t from; /* of what was shown, new */

static bool is_silent(const struct scanned *one)
{
	return silent && (*silent == '*' || strstr(silent, one->name));
}

static int ask(struct scan_list *s, struct error *why)
{
	for (size_t i = 0; i < s->count; i++) {
		struct scanned *one = &s->item[i];

		if (!one->dials)
			continue;
		buf_printf(&asked, "%s ", one->name);
		mem_free(TAKE(one->problem));
		one->fails = is_silent(one);
		one->refused = one->fails && refused;
		one->problem = one->fails ? mem_strdup("no answer") : NULL;
		one->hidden = one->guessed && one->fails;
	}
	if (ask_status)
		error_set(why, ERR_INTERRUPTED, "Ctrl-C");
	return ask_status;
}

static int begin(void **state)
{
	(void)state;
	app = (struct app){ 0 };
	rendered_start(&shown, OUTPUT_JSON, false);
	app.out = shown.r;
	watch = (struct scan_watch){ .there = { .app = &app },
				     .place = "the network" };
	now = (struct scan_list){ .app = &app };
	silent = NULL;
	refused = false;
	ask_status = 0;
	from = 0;
	begun = loop_now();
	return 0;
}

static int end(void **state)
{
	(void)state;
	scan_list_done(&watch.there);
	scan_list_done(&now);
	buf_done(&asked);
	error_reset(&err);
	rendered_end(&shown);
	return 0;
}

/* ---- a look ---- */

static struct scanned *seen(const char *kind, const char *name)
{
	const struct scanned one = { .kind = kind,
				     .name = mem_strdup(name),
				     .peer = mem_printf("http://%s/", name),
				     .source = mem_strdup("s"),
				     .command = mem_strdup("c"),
				     .dials = true };

	scan_list_add(&now, &one);
	return &now.item[now.count - 1];
}

static struct scanned *serve(const char *name, const char *socket, bool fails)
{
	struct scanned *one = seen("serve", name);

	one->dials = false;
	one->fails = one->hidden = fails;
	one->socket = mem_strdup(socket);
	mem_free(TAKE(one->peer));
	return one;
}

/* "CHANGE NAME[: PROBLEM]" of each line that was shown since; yours. */
static char *changes(void)
{
	const char *text = rendered_out(&shown);
	CLEANUP(buf_done) struct buf out = { 0 };

	for (const char *at = text + from; *at;) {
		size_t len = strcspn(at, "\n");
		CLEANUP(json_free_ptr) cJSON *json = json_parse(at, len, NULL);
		const char *problem = json_string(json, "problem");

		buf_printf(&out, "%s %s%s%s\n", json_string(json, "change"),
			   json_string(json, "name"), problem ? ": " : "",
			   problem ? problem : "");
		assert_int_equal(json_string(json, "command") != NULL,
				 strcmp(json_string(json, "change"), "gone") &&
					 !problem);
		at += len + (at[len] == '\n');
	}
	from = strlen(text);
	return buf_take(&out);
}

/* Until time_goes() nobody's time comes, however slow the machine is. */
static void time_stands(void)
{
	for (size_t i = 0; i < watch.there.count; i++) {
		if (watch.there.item[i].ask_at > 1)
			watch.there.item[i].ask_at = LOOP_FOREVER;
	}
}

/* Takes the look: what was shown, and who was asked. */
static void look(const char *expected, const char *who)
{
	CLEANUP(mem_free_ptr) char *told = NULL;

	time_stands();
	buf_reset(&asked);
	assert_int_equal(scan_watch_take(&watch, &now, ask, &err), ask_status);
	assert_int_equal(now.count, 0);
	told = changes();
	assert_string_equal(told, expected);
	assert_string_equal(buf_string(&asked), who);
}

/* The time has come to ask them again. */
static void time_goes(void)
{
	for (size_t i = 0; i < watch.there.count; i++) {
		if (watch.there.item[i].ask_at)
			watch.there.item[i].ask_at = 1;
	}
}

/* So long until it is asked again; 0: it is not. */
static void waits(size_t i, int64_t ms)
{
	const struct scanned *one = &watch.there.item[i];

	assert_int_equal(one->pause, ms);
	if (!ms)
		assert_int_equal(one->ask_at, 0);
	else
		assert_in_range(one->ask_at, begun + ms, loop_now() + ms);
}

/* ---- those that tell no end ---- */

/* A neighbour may be missed in one look; behind that it is asked. */
static void test_overheard(void **state)
{
	(void)state;
	seen("network", "a");
	look("present a\n", "a ");
	assert_int_equal(scan_watch_next(&watch), LOOP_FOREVER);
	seen("network", "a");
	seen("network", "b");
	look("came b\n", "b ");
	seen("network", "b");
	look("", "");
	/* Heard again: it was there all the time. */
	seen("network", "a");
	seen("network", "b");
	look("", "");
	seen("network", "b");
	look("", "");
	seen("network", "b");
	look("", "a ");
	/* It answers: it is there, and behind those that are heard. */
	assert_int_equal(watch.there.count, 2);
	waits(1, 3000);
	assert_int_equal(scan_watch_next(&watch), watch.there.item[1].ask_at);
	seen("network", "b");
	look("", "");
	time_goes();
	seen("network", "b");
	look("", "a ");
	waits(1, 6000);
	seen("network", "a");
	seen("network", "b");
	look("", "");
	waits(1, 0);
	seen("network", "b");
	look("", "");
	/* One that is up and silent may come back; where nobody listens, not. */
	silent = "a";
	seen("network", "b");
	look("changed a: no answer\n", "a ");
	time_goes();
	seen("network", "b");
	look("", "a ");
	silent = NULL;
	time_goes();
	seen("network", "b");
	look("changed a\n", "a ");
	silent = "a";
	refused = true;
	time_goes();
	seen("network", "b");
	look("gone a\n", "a ");
	assert_int_equal(watch.there.count, 1);
	assert_string_equal(watch.there.item[0].name, "b");
}

/* What is not asked at all is gone when it is not heard any more. */
static void test_not_asked(void **state)
{
	struct scanned *one = seen("network", "a");

	(void)state;
	one->dials = false;
	mem_free(TAKE(one->command));
	one->problem = mem_strdup("it did not tell its port");
	look("present a: it did not tell its port\n", "");
	look("", "");
	look("gone a\n", "");
	assert_int_equal(watch.there.count, 0);
}

/* It may not have listened yet: ever more seldom, and told when it does. */
static void test_again(void **state)
{
	static const int64_t pauses[] = { 3000,	 6000,	12000, 24000,
					  48000, 60000, 60000 };

	(void)state;
	silent = "*";
	seen("network", "a");
	look("present a: no answer\n", "a ");
	for (size_t i = 0; i < COUNT(pauses); i++) {
		waits(0, pauses[i]);
		seen("network", "a");
		look("", "");
		time_goes();
		seen("network", "a");
		look("", "a ");
	}
	silent = NULL;
	time_goes();
	seen("network", "a");
	look("changed a\n", "a ");
	waits(0, 0);
	assert_int_equal(scan_watch_next(&watch), LOOP_FOREVER);
}

/* Who was only guessed is told when it answers, and is no guess then. */
static void test_guessed(void **state)
{
	(void)state;
	silent = "*";
	seen("network", "a")->guessed = true;
	look("", "a ");
	assert_int_equal(watch.there.count, 1);
	silent = NULL;
	time_goes();
	seen("network", "a");
	look("came a\n", "a ");
	assert_false(watch.there.item[0].guessed);
	seen("network", "a");
	look("", "");
	look("", "");
	silent = "*";
	time_goes();
	look("changed a: no answer\n", "a ");
}

/* Not too many in one look. */
static void test_many_again(void **state)
{
	CLEANUP(buf_done) struct buf first = { 0 };

	(void)state;
	silent = "*";
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 20; i++) {
			CLEANUP(mem_free_ptr) char *name = mem_printf("%d", i);

			seen("network", name);
			if (!round && i < 16)
				buf_printf(&first, "%s ", name);
		}
		if (round == 0) {
			CLEANUP(mem_free_ptr) char *told = NULL;

			assert_int_equal(
				scan_watch_take(&watch, &now, ask, &err), 0);
			told = changes();
			time_goes();
		} else {
			look("", buf_string(&first));
		}
	}
	assert_int_equal(watch.there.count, 20);
}

/* ---- serves, and those of a broker ---- */

static void test_serves(void **state)
{
	(void)state;
	serve("pid 1", "/a", false);
	serve("-", "/b", true);
	/* Of one that does not answer it is not known who it is. */
	look("present pid 1\n", "");
	assert_int_equal(watch.there.count, 1);
	serve("-", "/a", true);
	look("changed pid 1: does not answer: it may be busy, or stopped\n",
	     "");
	serve("-", "/a", true);
	look("", "");
	serve("pid 1", "/a", false);
	look("changed pid 1\n", "");
	/* Another one has its socket: the one is gone, the other came. */
	serve("pid 2", "/a", false);
	look("gone pid 1\ncame pid 2\n", "");
	serve("-", "/other", true);
	look("gone pid 2\n", "");
	assert_int_equal(watch.there.count, 0);
}

/* It went and came again between two looks. */
static void test_since(void **state)
{
	(void)state;
	seen("mqtt", "a")->since = 5;
	look("present a\n", "a ");
	seen("mqtt", "a")->since = 5;
	look("", "");
	seen("mqtt", "a")->since = 6;
	look("gone a\ncame a\n", "a ");
	/* Another address, or another kind, is another one. */
	mem_free(seen("mqtt", "a")->peer);
	now.item[0].since = 6;
	now.item[0].peer = mem_strdup("elsewhere");
	look("gone a\ncame a\n", "a ");
	look("gone a\n", "");
}

/* ---- the end, the line, the bound ---- */

/* Nothing is told of who could not be asked to the end; all are kept. */
static void test_interrupted(void **state)
{
	(void)state;
	ask_status = -1;
	seen("network", "a");
	look("", "a ");
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_int_equal(watch.there.count, 1);
}

static void line_is(const char *text)
{
	CLEANUP(mem_free_ptr) char *line = NULL;
	struct rendered s;

	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.err_moves = true;
	app.out = s.r;
	scan_watch_show(&watch);
	line = mem_strdup(rendered_err(&s));
	app.out = shown.r;
	rendered_end(&s);
	if (!strstr(line, text))
		fail_msg("'%s' does not say '%s'", line, text);
}

static void test_line(void **state)
{
	(void)state;
	line_is("watching the network: nobody there (Ctrl-C ends)");
	seen("network", "a");
	seen("network", "b");
	seen("network", "c");
	silent = "b";
	look("present a\npresent b: no answer\npresent c\n", "a b c ");
	line_is("watching the network: 2 there (Ctrl-C ends)");
	watch.there.item[2].hidden = true;
	line_is("watching the network: 1 there (Ctrl-C ends)");
}

/* Columns only grow, so that the lines of all looks stand below each other. */
static void test_columns(void **state)
{
	(void)state;
	seen("network", "abcdef");
	look("present abcdef\n", "abcdef ");
	assert_int_equal(watch.there.name_width, 6);
	assert_int_equal(watch.there.command_width, 1);
	seen("network", "abcdef");
	seen("network", "a");
	mem_free(now.item[1].command);
	now.item[1].command = mem_strdup("long one");
	look("came a\n", "a ");
	assert_int_equal(watch.there.name_width, 6);
	assert_int_equal(watch.there.command_width, 8);
	silent = "*";
	seen("network", "abcdef");
	seen("network", "a");
	seen("network", "hidden one")->guessed = true;
	look("", "hidden one ");
	assert_int_equal(watch.there.name_width, 6);
}

/* Anybody can announce and be silent: not all of those are kept, said once. */
static void test_bounded(void **state)
{
	static const char words[] =
		"more than 200 that were announced are not heard of any more";

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < NEIGHBOURS_MAX + 5; i++) {
			CLEANUP(mem_free_ptr)
			char *name = mem_printf("%d.%d", round, i);

			seen("network", name);
		}
		/* Two looks without them. */
		for (int i = 0; i < 3; i++) {
			assert_int_equal(
				scan_watch_take(&watch, &now, ask, &err), 0);
			/* One that is heard is none of those. */
			if (i == 1)
				seen("network", "heard");
		}
		assert_int_equal(watch.there.count, NEIGHBOURS_MAX + 1);
	}
	assert_non_null(strstr(rendered_err(&shown), words));
	assert_null(strstr(strstr(rendered_err(&shown), words) + 1, words));
	assert_true(watch.many);
}

/* As many as may be kept are no reason for a word. */
static void test_bound_itself(void **state)
{
	(void)state;
	for (int i = 0; i < NEIGHBOURS_MAX; i++) {
		CLEANUP(mem_free_ptr) char *name = mem_printf("%d", i);

		seen("network", name);
	}
	for (int i = 0; i < 4; i++)
		assert_int_equal(scan_watch_take(&watch, &now, ask, &err), 0);
	assert_int_equal(watch.there.count, NEIGHBOURS_MAX);
	assert_string_equal(rendered_err(&shown), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_overheard),  TEST(test_not_asked),
		TEST(test_again),      TEST(test_guessed),
		TEST(test_many_again), TEST(test_serves),
		TEST(test_since),      TEST(test_interrupted),
		TEST(test_line),       TEST(test_columns),
		TEST(test_bounded),    TEST(test_bound_itself),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
