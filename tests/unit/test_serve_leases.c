/* SPDX-License-Identifier: MIT */
/*
 * serve/leasing: what commands may do to a board that another one holds, and
 * questions that are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control_harness.h"

#define LEASE_A "{\"op\":\"lease\",\"devices\":[\"aa:01\"],\"by\":\"one\""
#define PING "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}"

/* The token of what it heard last. */
static char *token_of(const struct command *c)
{
	const char *at = strstr(c->in.data, "\"token\":\"");

	assert_non_null(at);
	return mem_strndup(at + 9, 32);
}

static void lease(struct command *c, const char *question)
{
	command_open(c);
	ask(c, question);
	expect_json(c, "\"op\":\"leased\"", "\"here\":true");
}

/* The same words whatever was asked. */
static void refused(struct command *c, const char *question)
{
	ask(c, question);
	expect_json(c, "\"op\":\"error\"", "'aa:01' is leased by one");
}

static void others_are_refused_in_all_that_asks(void **state)
{
	struct fake_board *b = board_ready("aa:01");
	struct command holder, other, before;

	(void)state;
	command_attach(&before, "{\"op\":\"attach\"}");
	lease(&holder, LEASE_A "}");
	command_open(&other);
	refused(&other, "{\"op\":\"attach\"}");
	refused(&other, "{\"op\":\"kick\",\"device\":\"aa:*\"}");
	refused(&other, "{\"op\":\"upload\"}");
	refused(&other, "{\"op\":\"power\",\"device\":\"aa:01\","
			"\"action\":\"off\"}");
	ask(&other, "{\"op\":\"fan\",\"method\":\"ping\",\"timeout\":1000}");
	expect_json(&other, "\"op\":\"row\"", "'aa:01' is leased by one");
	expect_json(&other, "\"op\":\"end\"", NULL);
	/* Who was attached before: its request, and what is none. */
	say(&before, CONTROL_TEXT, PING);
	assert_non_null(strstr(hear(&before, CONTROL_TEXT), "leased by one"));
	say(&before, CONTROL_TEXT, "{\"type\":\"reboot\"}");
	assert_non_null(strstr(hear(&before, CONTROL_TEXT), "leased by one"));
	assert_int_equal(b->sent.count, 0);
	/* Reading is free. */
	ask(&other, "{\"op\":\"devices\"}");
	expect_json(&other, "\"lease\":{\"by\":\"one\",\"until\":null}", NULL);
	expect_json(&other, "\"op\":\"end\"", NULL);
	ask(&other, "{\"op\":\"attach\",\"tail\":true}");
	expect_json(&other, "\"op\":\"attached\"", NULL);
	say(&other, CONTROL_TEXT, PING);
	assert_non_null(strstr(hear(&other, CONTROL_TEXT), "leased by one"));
	assert_int_equal(b->sent.count, 0);
	command_done(&holder);
	/* It went, and so did the lease. */
	say(&before, CONTROL_TEXT, PING);
	assert_int_equal(b->sent.count, 1);
	command_done(&before);
	command_done(&other);
	fake_board_free(b);
}

static void the_token_opens(void **state)
{
	struct fake_board *b = board_ready("aa:01");
	CLEANUP(mem_free_ptr) char *token = NULL, *greet = NULL;
	struct command holder, child;

	(void)state;
	lease(&holder, LEASE_A ",\"for\":60000,\"keep\":true}");
	token = token_of(&holder);
	command_done(&holder);
	greet = mem_printf(
		"{\"op\":\"greet\",\"protocol\":1,\"leases\":\"%s\"}", token);
	command_open(&child);
	refused(&child, "{\"op\":\"attach\"}");
	ask(&child, greet);
	expect_json(&child, "\"op\":\"greeting\"", NULL);
	ask(&child, "{\"op\":\"attach\"}");
	expect_json(&child, "\"op\":\"attached\"", NULL);
	say(&child, CONTROL_TEXT, PING);
	assert_int_equal(b->sent.count, 1);
	board_answers(b, board_asked(b, 0), "{}");
	hear(&child, CONTROL_TEXT);
	/* Given back, it opens nothing, though nobody holds the board. */
	ask(&child, "{\"op\":\"release\"}");
	expect_json(&child, "\"op\":\"released\",\"count\":1", NULL);
	say(&child, CONTROL_TEXT, PING);
	assert_non_null(strstr(hear(&child, CONTROL_TEXT), "is over"));
	assert_int_equal(b->sent.count, 1);
	command_done(&child);
	fake_board_free(b);
}

static void two_wait_and_one_leaves(void **state)
{
	struct fake_board *b = board_ready("aa:01");
	struct command one, two, three;

	(void)state;
	lease(&one, LEASE_A "}");
	command_open(&two);
	ask(&two, "{\"op\":\"lease\",\"devices\":[\"aa:01\"],\"by\":\"two\","
		  "\"wait\":true}");
	expect_json(&two, "\"op\":\"queued\"", "leased by one");
	command_open(&three);
	ask(&three, "{\"op\":\"lease\",\"devices\":[\"aa:01\"],"
		    "\"by\":\"three\",\"wait\":true}");
	expect_json(&three, "\"op\":\"queued\"", "wanted by two");
	/* A second question on the same line. */
	ask(&three, LEASE_A "}");
	expect_json(&three, "\"op\":\"error\"", "has its lease");
	command_done(&two);
	expect_json(&three, "\"op\":\"queued\"", "leased by one");
	ask(&one, "{\"op\":\"release\"}");
	expect_json(&one, "\"op\":\"unleased\"", "--release");
	expect_json(&one, "\"op\":\"released\",\"count\":1", NULL);
	expect_json(&three, "\"op\":\"leased\"", "\"by\":\"three\"");
	command_done(&one);
	close_control();
	expect_json(&three, "\"op\":\"error\"", "serve was stopped");
	command_done(&three);
	fake_board_free(b);
}

static void questions_that_are_none(void **state)
{
	static const char *const wrong[] = {
		"{\"op\":\"lease\"}",
		"{\"op\":\"lease\",\"by\":\"x\"}",
		"{\"op\":\"lease\",\"by\":\"x\",\"devices\":[]}",
		"{\"op\":\"lease\",\"by\":\"x\",\"devices\":\"aa:01\"}",
		"{\"op\":\"lease\",\"by\":\"x\",\"devices\":[1,{}]}",
		"{\"op\":\"lease\",\"by\":\"x\",\"devices\":[\"\"]}",
		"{\"op\":\"lease\",\"by\":\"x\",\"devices\":[\"zz*\"]}",
		"{\"op\":\"lease\",\"by\":\"\",\"devices\":[\"aa:01\"]}",
		"{\"op\":\"lease\",\"by\":7,\"devices\":[\"aa:01\"]}",
		"{\"op\":\"lease\",\"by\":\"a\\u001b[2J\","
		"\"devices\":[\"aa:01\"]}",
		LEASE_A ",\"keep\":true}",
		LEASE_A ",\"keep\":true,\"for\":-5}",
		LEASE_A ",\"for\":864000001}",
		"{\"op\":\"release\"}",
		"{\"op\":\"release\",\"devices\":[\"aa:01\"],\"by\":\"x\"}",
		"{\"op\":\"release\",\"devices\":[null]}",
		"{\"op\":\"power\"}",
		"{\"op\":\"power\",\"action\":\"up\",\"device\":\"aa:01\"}",
		"{\"op\":\"power\",\"action\":\"on\"}",
		"{\"op\":\"power\",\"action\":\"on\",\"device\":\"aa:01\"}",
	};
	struct fake_board *b = board_ready("aa:01");
	struct command c;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		command_open(&c);
		ask(&c, wrong[i]);
		expect_json(&c, "\"op\":\"error\"", NULL);
		command_done(&c);
		assert_int_equal(server.leases.count, 0);
	}
	fake_board_free(b);
}

/* Browsers have no lease: they are told that somebody has one. */
static void browsers_are_refused(void **state)
{
	struct fake_board *b = board_ready("aa:01");
	struct error err = { 0 };
	struct command holder;

	(void)state;
	assert_int_equal(leasing_check_browser(b->device, &err), 0);
	lease(&holder, LEASE_A "}");
	assert_int_equal(leasing_check_browser(b->device, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(
		err.text, "'aa:01' is leased: 'mcpctl devices' tells by whom");
	b->device->alias = "kitchen";
	assert_int_equal(leasing_check_browser(b->device, &err), -1);
	assert_non_null(strstr(err.text, "'kitchen' is leased"));
	b->device->alias = NULL;
	error_reset(&err);
	command_done(&holder);
	assert_int_equal(leasing_check_browser(b->device, &err), 0);
	fake_board_free(b);
}

/* What is refused says whose it is, and what can be done. */
static void refusals_in_words(void **state)
{
	struct fake_board *b = board_ready("aa:01");
	struct command holder, other;

	(void)state;
	command_open(&other);
	ask(&other, "{\"op\":\"release\"}");
	expect_json(&other,
		    "this command has no lease (MCPCTL_LEASE), or it is over",
		    "'mcpctl devices' shows who holds which board");
	ask(&other, "{\"op\":\"release\",\"devices\":[\"aa:01\"]}");
	expect_json(&other, "nobody holds 'aa:01'",
		    "'mcpctl devices' shows who holds which board");
	lease(&holder, LEASE_A "}");
	ask(&other, "{\"op\":\"release\",\"devices\":[\"aa:01\"]}");
	expect_json(
		&other, "'aa:01' is leased by one until its command ends",
		"if that one is not needed any more: --release DEVICE --as and that name");
	ask(&other, "{\"op\":\"attach\"}");
	expect_json(
		&other, "'aa:01' is leased by one until its command ends",
		"'mcpctl lease aa:01 --wait 10m -- COMMAND' waits for it; watching (tail, devices) is free");
	ask(&other,
	    "{\"op\":\"release\",\"devices\":[\"aa:01\"],\"by\":\"two\"}");
	expect_json(&other, "\"op\":\"error\"", "is leased by one");
	ask(&other,
	    "{\"op\":\"release\",\"devices\":[\"aa:01\"],\"by\":\"one\"}");
	expect_json(&other, "{\"op\":\"released\",\"count\":1}", NULL);
	ask(&other, "{\"op\":\"attach\"}");
	expect_json(&other, "\"op\":\"attached\"", NULL);
	command_done(&holder);
	command_done(&other);
	fake_board_free(b);
}

/* A glob means those that are here and those that serve knows. */
static void known_ones_are_leased(void **state)
{
	char here[] = "aa:01", away[] = "aa:02", other[] = "bb:03", none[] = "";
	struct enrolled_board item[] = { { here, none, 1, false },
					 { away, none, 1, false },
					 { other, none, 1, false } };
	struct fake_board *b = board_ready("aa:01");
	struct command c;

	(void)state;
	server.enrolled = (struct enrolled){ .item = item, .count = 3 };
	command_open(&c);
	ask(&c, "{\"op\":\"lease\",\"devices\":[\"cc:*\"],\"by\":\"one\"}");
	expect_json(
		&c, "no board that is here or known fits 'cc:*'",
		"'mcpctl devices' lists who is here; one that is not is meant by its alias or its whole id");
	ask(&c, "{\"op\":\"lease\",\"devices\":[\"aa:*\"],\"by\":\"one\"}");
	expect_json(&c, "\"op\":\"leased\"", "\"id\":\"aa:01\"");
	assert_non_null(strstr(c.in.data, "\"id\":\"aa:02\""));
	assert_null(strstr(c.in.data, "bb:03"));
	server.enrolled = (struct enrolled){ 0 };
	command_done(&c);
	fake_board_free(b);
}

/* Asked with that name, for so long, for so many words that mean one board. */
static void asked_as(struct command *c, const char *by, int64_t length,
		     size_t words)
{
	CLEANUP(buf_done) struct buf question = { 0 };

	buf_text(&question, "{\"op\":\"lease\",\"by\":");
	buf_json_string(&question, by, strlen(by));
	buf_printf(&question, ",\"for\":%lld,\"devices\":[", (long long)length);
	for (size_t i = 0; i < words; i++)
		buf_printf(&question, "%s\"aa:01\"", i ? "," : "");
	buf_text(&question, "]}");
	command_open(c);
	ask(c, buf_string(&question));
}

static void is_granted(const char *by, int64_t length, size_t words)
{
	struct command c;

	asked_as(&c, by, length, words);
	expect_json(&c, "\"op\":\"leased\"", "\"devices\":[{\"id\":\"aa:01\",");
	command_done(&c);
	assert_int_equal(server.leases.count, 0);
}

static void is_none(const char *by, int64_t length, size_t words,
		    const char *why)
{
	struct command c;

	asked_as(&c, by, length, words);
	expect_json(&c, "\"op\":\"error\"", why);
	command_done(&c);
	assert_int_equal(server.leases.count, 0);
}

#define LONG_NAME \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define BAD_NAME \
	"who leases has a name of 1 to 64 bytes, without control characters"

static void borders_of_a_question(void **state)
{
	(void)state;
	is_granted("x", 0, 1);
	is_granted(LONG_NAME, 0, 1);
	is_none(LONG_NAME "x", 0, 1, BAD_NAME);
	is_none("a\x7f", 0, 1, BAD_NAME);
	is_granted("a~ b", 0, 1);
	is_none("a\x1f", 0, 1, BAD_NAME);
	is_granted("x", 864000000, 1);
	is_none("x", 864000001, 1, "\"a lease lasts ten days at most\"");
	is_granted("x", -1, 1);
	is_granted("x", 0, 256);
	is_none("x", 0, 257, "\"more than 256 words for devices\"");
}

/* The next that tells of a lease. */
static struct record *next_record(void)
{
	struct record *r = records_take(&server.records);

	while (r && r->kind != RECORD_LEASE) {
		record_free(r);
		r = records_take(&server.records);
	}
	assert_non_null(r);
	return r;
}

static void is_recorded(const char *device, const char *text)
{
	struct record *r = next_record();

	assert_string_equal(r->text, text);
	assert_int_equal(r->level, LEVEL_INFO);
	if (device)
		assert_string_equal(r->device, device);
	else
		assert_null(r->device);
	record_free(r);
}

static void leases_are_recorded(void **state)
{
	struct command c;
	struct record *r;

	(void)state;
	command_open(&c);
	ask(&c, LEASE_A ",\"for\":1}");
	expect_json(&c, "\"op\":\"leased\"",
		    "\"alias\":null,\"here\":false}]}");
	is_recorded("aa:01", "leased: aa:01, by one");
	/* It ends by itself, and its holder is told. */
	expect_json(&c, "\"op\":\"unleased\"", "the time of the lease is over");
	is_recorded("aa:01", "the time of the lease is over: aa:01, by one");
	ask(&c, "{\"op\":\"lease\",\"by\":\"two\",\"devices\":["
		"\"aa:01\",\"aa:02\",\"aa:03\",\"aa:04\"]}");
	expect_json(&c, "\"op\":\"leased\"", "\"id\":\"aa:04\"");
	is_recorded(NULL, "leased: aa:01, aa:02, aa:03, aa:04, by two");
	ask(&c, "{\"op\":\"release\"}");
	expect_json(&c, "\"op\":\"unleased\"", NULL);
	expect_json(&c, "\"op\":\"released\",\"count\":1", NULL);
	is_recorded(NULL, "released: aa:01, aa:02, aa:03, aa:04, by two");
	ask(&c, "{\"op\":\"lease\",\"by\":\"two\",\"devices\":[\"aa:01\","
		"\"AA:02\",\"aa:03\",\"aa:04\",\"aa:05\",\"aa:06\"]}");
	expect_json(&c, "\"op\":\"leased\"", "\"id\":\"aa:06\"");
	r = next_record();
	assert_string_equal(
		r->text,
		"leased: aa:01, aa:02, aa:03, aa:04 and 2 more, by two");
	assert_string_equal(
		r->detail,
		"\"boards\":[\"aa:01\",\"aa:02\",\"aa:03\",\"aa:04\",\"aa:05\","
		"\"aa:06\"],\"lease\":{\"by\":\"two\",\"until\":null}");
	record_free(r);
	command_done(&c);
	is_recorded(NULL,
		    "the lease ended with its command: aa:01, aa:02, aa:03, "
		    "aa:04 and 2 more, by two");
}

/* Who watches the boards sees that one is taken, and that it is free. */
static void watchers_are_told(void **state)
{
	struct fake_board *b = board_ready("aa:01");
	struct command holder, watcher;

	(void)state;
	command_open(&watcher);
	ask(&watcher, "{\"op\":\"devices\",\"watch\":true}");
	expect_json(&watcher, "\"id\":\"aa:01\"", NULL);
	expect_json(&watcher, "\"op\":\"end\",\"count\":1", NULL);
	lease(&holder, LEASE_A "}");
	expect_json(&watcher, "\"lease\":{\"by\":\"one\",\"until\":null}",
		    "\"change\":\"leased\"");
	ask(&holder, "{\"op\":\"release\"}");
	expect_json(&watcher, "\"id\":\"aa:01\"", "\"change\":\"released\"");
	assert_null(strstr(watcher.in.data, "\"lease\""));
	command_done(&holder);
	command_done(&watcher);
	fake_board_free(b);
}

/* Of many that stand before it four are told of. */
static void many_before(void **state)
{
	static const char question[] =
		"{\"op\":\"lease\",\"by\":\"x\",\"devices\":[\"aa:01\","
		"\"aa:02\",\"aa:03\",\"aa:04\",\"aa:05\",\"aa:06\"]}";
	struct command holder[6], c;

	(void)state;
	for (int i = 0; i < 6; i++) {
		CLEANUP(mem_free_ptr)
		char *one = mem_printf("{\"op\":\"lease\",\"by\":\"p%d\","
				       "\"devices\":[\"aa:0%d\"]}",
				       i, i + 1);

		command_open(&holder[i]);
		ask(&holder[i], one);
		expect_json(&holder[i], "\"op\":\"leased\"", NULL);
	}
	command_open(&c);
	ask(&c, question);
	expect_json(
		&c,
		"\"'aa:01' is leased by p0 until its command ends; "
		"'aa:02' is leased by p1 until its command ends; "
		"'aa:03' is leased by p2 until its command ends; "
		"'aa:04' is leased by p3 until its command ends; and 2 more\"",
		"--wait 10m waits for it");
	command_done(&holder[5]);
	command_done(&holder[4]);
	ask(&c, question);
	expect_json(&c, "'aa:04' is leased by p3 until its command ends\"",
		    NULL);
	for (int i = 0; i < 4; i++)
		command_done(&holder[i]);
	command_done(&c);
	assert_int_equal(server.leases.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, serve_start, serve_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(borders_of_a_question),
		TEST(leases_are_recorded),
		TEST(watchers_are_told),
		TEST(many_before),
		cmocka_unit_test_setup_teardown(known_ones_are_leased,
						serve_start, serve_end),
		cmocka_unit_test_setup_teardown(browsers_are_refused,
						serve_start, serve_end),
		cmocka_unit_test_setup_teardown(refusals_in_words, serve_start,
						serve_end),
		cmocka_unit_test_setup_teardown(
			others_are_refused_in_all_that_asks, serve_start,
			serve_end),
		cmocka_unit_test_setup_teardown(the_token_opens, serve_start,
						serve_end),
		cmocka_unit_test_setup_teardown(two_wait_and_one_leaves,
						serve_start, serve_end),
		cmocka_unit_test_setup_teardown(questions_that_are_none,
						serve_start, serve_end),
	};

	return cmocka_run_group_tests_name("serve_leases", tests, harness_make,
					   harness_remove);
}
