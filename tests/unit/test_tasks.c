/* SPDX-License-Identifier: MIT */
/* Tasks of both eras, from literal bytes. */
#include "client_harness.h"

#include <signal.h>

#include "mcp/content.h"
#include "mcp/modern.h"
#include "mcp/opening.h"
#include "mcp/tasks.h"

#define WITH_TASKS                                                         \
	"\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":" \
	"{\"tools\":{},\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":" \
	"{\"tools\":{\"call\":{}}}}},\"serverInfo\":{\"name\":\"s\"}}"
#define TASK(status) "\"taskId\":\"a/1\",\"status\":\"" status "\""
#define SOON ",\"pollInterval\":0"
#define RESULT(text) "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

static int read_one(struct task *t, const char *text, struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(text, strlen(text), err);

	assert_non_null(json);
	return task_read(t, json, err);
}

static void reads_tasks(void **state)
{
	static const struct {
		const char *text;
		enum task_status status;
		int64_t ttl, poll;
	} rows[] = {
		{ "{" TASK("working") "}", TASK_WORKING, -1, TASK_POLL_MS },
		{ "{" TASK("input_required") ",\"ttl\":5,\"pollInterval\":500}",
		  TASK_INPUT, 5, 500 },
		{ "{" TASK("completed") ",\"ttlMs\":null,\"pollIntervalMs\":0}",
		  TASK_COMPLETED, -1, TASK_POLL_LEAST_MS },
		{ "{" TASK("failed") ",\"ttl\":-1,\"pollInterval\":-7}",
		  TASK_FAILED, -1, TASK_POLL_LEAST_MS },
		{ "{" TASK("cancelled") ",\"pollInterval\":1e300}",
		  TASK_CANCELLED, -1, TASK_POLL_MOST_MS },
		{ "{" TASK("cancelling") ",\"pollInterval\":\"9\"}",
		  TASK_WORKING, -1, TASK_POLL_MS },
		{ "{" TASK("") ",\"pollInterval\":{}}", TASK_WORKING, -1,
		  TASK_POLL_MS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		struct task t = { 0 };

		assert_int_equal(read_one(&t, rows[i].text, &err), 0);
		assert_string_equal(t.id, "a/1");
		assert_int_equal(t.status, rows[i].status);
		assert_int_equal(t.ttl_ms, rows[i].ttl);
		assert_int_equal(t.poll_ms, rows[i].poll);
		task_done(&t);
	}
}

static void refuses_what_is_no_task(void **state)
{
	static const char *const rows[][2] = {
		{ "{}", "without a 'taskId'" },
		{ "{\"status\":\"working\"}", "without a 'taskId'" },
		{ "{\"taskId\":7,\"status\":\"working\"}",
		  "without a 'taskId'" },
		{ "{\"taskId\":\"\",\"status\":\"working\"}", "is empty" },
		{ "{\"taskId\":\"x\"}", "without a 'status'" },
		{ "{\"taskId\":\"x\",\"status\":[]}", "without a 'status'" },
	};
	CLEANUP(buf_done) struct buf big = { 0 };
	struct error err = { 0 };
	struct task t = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(read_one(&t, rows[i][0], &err), -1);
		assert_int_equal(err.kind, ERR_PROTOCOL);
		assert_part(err.text, rows[i][1]);
		assert_null(t.id);
		error_reset(&err);
	}
	buf_printf(&big, "{\"taskId\":\"%01025d\",\"status\":\"working\"}", 0);
	assert_int_equal(read_one(&t, buf_string(&big), &err), -1);
	assert_part(err.text, "longer than 1024 bytes");
	error_reset(&err);
	t.id = mem_strdup("mine");
	assert_int_equal(read_one(&t, "{" TASK("working") "}", &err), -1);
	assert_part(err.text, "asked for the task 'mine', and tells of 'a/1'");
	error_reset(&err);
	/* the id need not come again */
	assert_int_equal(read_one(&t, "{\"status\":\"working\"}", &err), 0);
	assert_true(t.changed);
	assert_int_equal(read_one(&t, "{\"status\":\"working\"}", &err), 0);
	assert_false(t.changed);
	assert_int_equal(read_one(&t,
				  "{\"status\":\"working\","
				  "\"statusMessage\":\"half\"}",
				  &err),
			 0);
	assert_true(t.changed);
	task_done(&t);
}

/* ---- 2025-11-25 ---- */

static int run(struct result *out, struct task *t, int64_t ms,
	       struct error *err)
{
	const struct task_wait how = { .deadline = loop_now() + ms };

	if (client_task_start(&client, "x", "{\"n\":1}", t, out, err))
		return -1;
	assert_string_equal(t->id, "a/1");
	return client_task_wait(&client, t, &how, out, err);
}

static void asks_until_it_is_over(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;

	(void)state;
	script_add("initialize", WITH_TASKS);
	script_add("tools/call",
		   "\"result\":{\"task\":{" TASK("working") SOON "}}");
	script_add("tasks/get", "\"result\":{" TASK("odd") SOON "}");
	script_add("tasks/get", "\"result\":{" TASK("completed") "}");
	script_add("tasks/result", "\"result\":" RESULT("good"));
	open_client(DIALECT_PLAIN);
	assert_int_equal(run(&out, &t, 60000, &err), 0);
	assert_sent(
		"\"params\":{\"name\":\"x\",\"arguments\":{\"n\":1},\"task\":{}");
	assert_sent("\"method\":\"tasks/get\",\"params\":{\"taskId\":\"a/1\"}");
	assert_string_equal(out.content[0].text, "good");
	assert_true(task_is_over(&t));
	result_done(&out);
	task_done(&t);
}

static void knows_how_it_ended(void **state)
{
	static const struct {
		const char *status, *result;
		enum error_kind kind;
		const char *text;
	} rows[] = {
		{ "cancelled", NULL, ERR_PEER, "the task was cancelled" },
		{ "failed", "\"result\":" RESULT("so so"), ERR_PEER,
		  "the task failed" },
		{ "failed",
		  "\"error\":{\"code\":-32603,\"message\":\"it burnt\"}",
		  ERR_PEER, "it burnt" },
		{ "completed",
		  "\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}",
		  ERR_PEER, "no" },
	};

	(void)state;
	script_add("initialize", WITH_TASKS);
	open_client(DIALECT_PLAIN);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *task = mem_printf(
			"\"result\":{\"task\":{\"taskId\":\"a/1\",\"status\":\"%s\"}}",
			rows[i].status);
		struct error err = { 0 };
		struct result out;
		struct task t;

		script_add("tools/call", task);
		if (rows[i].result)
			script_add("tasks/result", rows[i].result);
		assert_int_equal(run(&out, &t, 60000, &err), -1);
		assert_int_equal(err.kind, rows[i].kind);
		assert_part(err.text, rows[i].text);
		assert_true(task_is_over(&t));
		result_done(&out);
		task_done(&t);
		error_reset(&err);
	}
}

/* In a reply to any question: what is wrong, and with which bytes. */
static void no_task_is_a_failure(void **state)
{
	struct task t = { .id = mem_strdup("a/1") };
	struct error err = { 0 };
	struct result out;

	(void)state;
	script_add("initialize", WITH_TASKS);
	script_add("tasks/get", "\"result\":{\"taskId\":\"a/1\"}");
	script_add("tasks/cancel",
		   "\"result\":{\"taskId\":\"b\",\"status\":\"\"}");
	script_add("tools/call",
		   "\"result\":{\"task\":{\"status\":\"working\"}}");
	open_client(DIALECT_PLAIN);
	assert_int_equal(client_task_get(&client, &t, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_part(err.text, "without a 'status'");
	assert_part(err.detail, "\"taskId\":\"a/1\"");
	error_reset(&err);
	assert_int_equal(client_task_cancel(&client, &t, &err), -1);
	assert_part(err.text, "asked for the task 'a/1', and tells of 'b'");
	assert_string_equal(t.id, "a/1");
	error_reset(&err);
	task_done(&t);
	assert_int_equal(client_task_start(&client, "x", "{}", &t, &out, &err),
			 -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_part(err.text, "without a 'taskId'");
	task_done(&t);
	result_done(&out);
	error_reset(&err);
}

static void an_endless_task_ends_with_the_time(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;

	(void)state;
	script_add("initialize", WITH_TASKS);
	script_add("tools/call", "\"result\":{\"task\":{" TASK("working") "}}");
	script_add("tasks/cancel", "\"result\":{" TASK("cancelled") "}");
	open_client(DIALECT_PLAIN);
	assert_int_equal(run(&out, &t, 50, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_part(err.text, "(working)");
	assert_false(task_is_over(&t));
	assert_int_equal(client_task_give_up(&client, &t), TASK_ENDED);
	assert_sent(
		"\"method\":\"tasks/cancel\",\"params\":{\"taskId\":\"a/1\"}");
	task_done(&t);
	result_done(&out);
	error_reset(&err);
}

/* Whoever has other words for it has not said that it is over. */
static void what_was_told_is_not_done(void **state)
{
	struct task t = { .id = mem_strdup("a/1") };

	(void)state;
	script_add("initialize", WITH_TASKS);
	script_add("tasks/cancel", "\"result\":{" TASK("working") "}");
	open_client(DIALECT_PLAIN);
	assert_int_equal(client_task_give_up(&client, &t), TASK_TOLD);
	script_add("tasks/cancel",
		   "\"error\":{\"code\":-1,\"message\":\"no\"}");
	assert_int_equal(client_task_give_up(&client, &t), TASK_KEPT);
	task_done(&t);
}

static void what_it_waits_for_is_not_made_up(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;

	(void)state;
	script_add("initialize", WITH_TASKS);
	script_add("tools/call",
		   "\"result\":{\"task\":{" TASK("input_required") "}}");
	open_client(DIALECT_PLAIN);
	assert_int_equal(run(&out, &t, 60000, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_part(err.text, "waits for an answer");
	task_done(&t);
	result_done(&out);
	error_reset(&err);
}

/* It blocks, and brings the result, too. */
static void asks_for_the_result_where_it_waits(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t = { .id = mem_strdup("a/1"), .poll_ms = 60000 };
	const struct task_wait how = { .deadline = LOOP_FOREVER,
				       .answers = true };

	(void)state;
	t.status = TASK_INPUT;
	t.word = mem_strdup("input_required");
	script_add("initialize", WITH_TASKS);
	script_add("tasks/result", "\"result\":" RESULT("after all"));
	open_client(DIALECT_PLAIN);
	assert_int_equal(client_task_wait(&client, &t, &how, &out, &err), 0);
	assert_string_equal(out.content[0].text, "after all");
	task_done(&t);
	result_done(&out);
}

/* It has a result, and says that it waits for an answer: no reason to hurry. */
static void a_result_is_waited_for_once(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t = { .id = mem_strdup("a/1"), .poll_ms = 60000 };
	struct task_wait how = { .answers = true, .only = true };

	(void)state;
	t.status = TASK_INPUT;
	t.word = mem_strdup("input_required");
	script_add("initialize", WITH_TASKS);
	script_add("tasks/result", "\"result\":" RESULT("early"));
	script_add("tasks/get", "\"result\":{" TASK("input_required") "}");
	open_client(DIALECT_PLAIN);
	how.deadline = loop_now() + 200;
	assert_int_equal(client_task_wait(&client, &t, &how, &out, &err), -1);
	assert_string_equal(
		err.text,
		"the task is not over when the time is (input_required)");
	task_done(&t);
	result_done(&out);
	error_reset(&err);
}

static void lists_tasks(void **state)
{
	struct error err = { 0 };
	struct task_list list;

	(void)state;
	script_add("initialize", WITH_TASKS);
	script_add("tasks/list", "\"result\":{\"tasks\":[{" TASK(
					 "working") "}],\"nextCursor\":\"\"}");
	script_add("tasks/list",
		   "\"result\":{\"tasks\":[{" TASK("failed") "}]}");
	script_add("tasks/list", "\"result\":{\"tasks\":{}}");
	open_client(DIALECT_PLAIN);
	assert_int_equal(client_task_list(&client, &list, &err), 0);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.task[1].status, TASK_FAILED);
	assert_sent("\"params\":{\"cursor\":\"\"}");
	task_list_done(&list);
	assert_int_equal(client_task_list(&client, &list, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	task_list_done(&list);
	error_reset(&err);
}

static void asks_nothing_of_who_has_none(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;

	(void)state;
	open_client(DIALECT_PLAIN);
	assert_int_equal(client_task_start(&client, "x", NULL, &t, &out, &err),
			 -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_part(err.text, "the server 'board' has no tasks");
	assert_int_equal(fake.sent_count, 2);
	error_reset(&err);
}

static void asks_for_no_part_that_is_missing(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;
	struct task_list list;

	(void)state;
	script_add("initialize",
		   "\"result\":{\"protocolVersion\":\"2025-11-25\","
		   "\"capabilities\":{\"tools\":{},\"tasks\":{\"cancel\":{}}"
		   "},\"serverInfo\":{\"name\":\"board\",\"version\":\"1\"}}");
	open_client(DIALECT_PLAIN);
	assert_true(client_tells_tasks(&client));
	assert_int_equal(client_task_start(&client, "x", NULL, &t, &out, &err),
			 -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(
		err.text,
		"the server 'board' has tasks, but not 'call' of them");
	assert_part(err.hint, "without --task");
	assert_int_equal(client_task_list(&client, &list, &err), -1);
	assert_part(err.text, "but not 'list' of them");
	assert_int_equal(fake.sent_count, 2);
	error_reset(&err);
}

/* ---- 2026-07-28 ---- */

#define DISCOVERED                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":" \
	"[\"2026-07-28\"],\"capabilities\":{\"tools\":{},\"extensions\":{" \
	"\"io.modelcontextprotocol/tasks\":{}}}}}"
#define IS_TASK "\"result\":{\"resultType\":\"task\","
#define COMPLETE "\"result\":{\"resultType\":\"complete\","

static void open_modern(void)
{
	static const char reply[] = DISCOVERED;
	const struct client_config known = {
		.era = { .era = ERA_MODERN,
			 .how = ERA_BY_ANSWER,
			 .reply = { reply, sizeof(reply) - 1 } },
	};

	fake.on_send = answer;
	open_up(DIALECT_PLAIN);
	assert_int_equal(client_assume_modern(&client, session, &known, NULL),
			 0);
}

static void the_server_decides(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;

	(void)state;
	script_add("tools/call", IS_TASK TASK("working") SOON "}");
	script_add(
		"tasks/get",
		COMPLETE TASK("completed") ",\"result\":" RESULT("good") "}");
	script_add("tools/call", "\"result\":" RESULT("at once"));
	open_modern();
	assert_int_equal(run(&out, &t, 60000, &err), 0);
	assert_sent("\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}");
	assert_string_equal(out.content[0].text, "good");
	result_done(&out);
	task_done(&t);
	assert_int_equal(client_task_start(&client, "x", NULL, &t, &out, &err),
			 0);
	assert_null(t.id);
	assert_string_equal(out.content[0].text, "at once");
	result_done(&out);
}

static void modern_ends(void **state)
{
	static const struct {
		const char *task, *text;
		enum error_kind kind;
		bool looked; /* what came of it is asked for, once */
	} rows[] = {
		{ TASK("cancelled") ",\"statusMessage\":\"enough\"",
		  "the task was cancelled: enough", ERR_PEER, false },
		{ TASK("failed") ",\"error\":{\"code\":-32603,\"message\":\"it burnt\"}",
		  "it burnt", ERR_PEER, false },
		{ TASK("failed"), "the task failed", ERR_PEER, true },
		{ TASK("failed") ",\"error\":7", "no 'error' that is an object",
		  ERR_PROTOCOL, false },
		{ TASK("completed"), "no 'result' that is an object",
		  ERR_PROTOCOL, true },
		{ TASK("completed") ",\"result\":[]",
		  "no 'result' that is an object", ERR_PROTOCOL, false },
		{ TASK("completed") ",\"result\":{\"isError\":true}",
		  "without a text", ERR_PEER, false },
	};

	(void)state;
	open_modern();
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *task = mem_printf(IS_TASK "%s}", rows[i].task);
		CLEANUP(mem_free_ptr)
		char *looked = mem_printf(COMPLETE "%s}", rows[i].task);
		struct error err = { 0 };
		struct result out;
		struct task t;

		script_add("tools/call", task);
		if (rows[i].looked)
			script_add("tasks/get", looked);
		assert_int_equal(run(&out, &t, 60000, &err), -1);
		assert_int_equal(err.kind, rows[i].kind);
		assert_part(err.text, rows[i].text);
		result_done(&out);
		task_done(&t);
		error_reset(&err);
	}
}

/* Whoever asks all of it says "blue". */
static size_t asked;

static bool say_blue(void *owner, struct round_ask *ask, const char **option)
{
	(void)owner;
	*option = "--elicit";
	if (strcmp(ask->method, "elicitation/create") != 0)
		return false;
	asked++;
	round_answer(ask, "{\"action\":\"accept\"}");
	return true;
}

static void say_nothing(void *owner)
{
	(void)owner;
}

static const struct client_asker blue = { say_blue, say_nothing, NULL };
static const struct task_wait answering = { .deadline = LOOP_FOREVER,
					    .answers = true };

#define ASKS(key) \
	"\"" key "\":{\"method\":\"elicitation/create\",\"params\":{}}"

static void each_key_is_asked_once(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;

	(void)state;
	asked = 0;
	script_add("tools/call", IS_TASK TASK("input_required") SOON
		   ",\"inputRequests\":{" ASKS("one") "}}");
	script_add("tasks/update", COMPLETE "\"x\":1}");
	/* It is not told yet that it goes on. */
	script_add("tasks/get", COMPLETE TASK("input_required") SOON
		   ",\"inputRequests\":{" ASKS("one") "," ASKS("two") "}}");
	script_add("tasks/update", COMPLETE "\"x\":1}");
	script_add(
		"tasks/get",
		COMPLETE TASK("completed") ",\"result\":" RESULT("good") "}");
	open_modern();
	client.asker = &blue;
	assert_int_equal(client_task_start(&client, "x", NULL, &t, &out, &err),
			 0);
	assert_int_equal(client_task_wait(&client, &t, &answering, &out, &err),
			 0);
	assert_int_equal(asked, 2);
	assert_sent(
		"{\"taskId\":\"a/1\",\"inputResponses\":{\"one\":{\"action\":\"accept\"}}");
	assert_sent(
		"{\"taskId\":\"a/1\",\"inputResponses\":{\"two\":{\"action\":\"accept\"}}");
	result_done(&out);
	task_done(&t);
}

static void what_nobody_answers_is_told(void **state)
{
	struct error err = { 0 };
	struct result out;
	struct task t;

	(void)state;
	script_add("tools/call", IS_TASK TASK("input_required") SOON
		   ",\"inputRequests\":{\"k\":{\"method\":\"odd/ask\"}}}");
	open_modern();
	client.asker = &blue;
	assert_int_equal(client_task_start(&client, "x", NULL, &t, &out, &err),
			 0);
	assert_int_equal(client_task_wait(&client, &t, &answering, &out, &err),
			 -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_part(err.text, "odd/ask");
	task_done(&t);
	error_reset(&err);
}

static void modern_has_no_list(void **state)
{
	struct error err = { 0 };
	struct task_list list;

	(void)state;
	open_modern();
	assert_int_equal(client_task_list(&client, &list, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_int_equal(fake.sent_count, 0);
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLIENT_TEST(reads_tasks),
		CLIENT_TEST(refuses_what_is_no_task),
		CLIENT_TEST(asks_until_it_is_over),
		CLIENT_TEST(knows_how_it_ended),
		CLIENT_TEST(no_task_is_a_failure),
		CLIENT_TEST(an_endless_task_ends_with_the_time),
		CLIENT_TEST(what_was_told_is_not_done),
		CLIENT_TEST(what_it_waits_for_is_not_made_up),
		CLIENT_TEST(asks_for_the_result_where_it_waits),
		CLIENT_TEST(a_result_is_waited_for_once),
		CLIENT_TEST(lists_tasks),
		CLIENT_TEST(asks_nothing_of_who_has_none),
		CLIENT_TEST(asks_for_no_part_that_is_missing),
		CLIENT_TEST(the_server_decides),
		CLIENT_TEST(modern_ends),
		CLIENT_TEST(each_key_is_asked_once),
		CLIENT_TEST(what_nobody_answers_is_told),
		CLIENT_TEST(modern_has_no_list),
	};

	mem_init();
	return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
