/* SPDX-License-Identifier: MIT */
/* Tools of a service that run as tasks, in both eras, from literal bytes. */
#include "service_harness.h"

#include "sim/service_tasks.h"

static const char profile[] =
	"{\"kind\":\"service\",\"name\":\"s\",\"era\":\"both\",\"tools\":["
	"{\"name\":\"long\",\"task\":{\"poll_ms\":7},\"steps\":[{\"progress\":1,"
	"\"message\":\"on it\"},{\"wait_ms\":3600000}],\"result\":\"late\"},"
	"{\"name\":\"quick\",\"task\":{\"ttl_ms\":60000},\"result\":\"now\"},"
	"{\"name\":\"short\",\"task\":{\"ttl_ms\":1},\"steps\":[{\"wait_ms\":"
	"3600000}],\"result\":\"never\"},"
	"{\"name\":\"bad\",\"task\":{},\"result\":{\"error\":\"no\"}},"
	"{\"name\":\"asks\",\"task\":{\"support\":\"required\"},\"steps\":[{"
	"\"ask\":{\"a\":{\"method\":\"roots/list\"},\"b\":{\"method\":"
	"\"elicitation/create\",\"params\":{\"message\":\"b\"}}}}],\"result\":{"
	"\"template\":\"${answer.a.roots.0.uri} ${answer.b.action}\"}},"
	"{\"name\":\"says\",\"task\":{},\"inputSchema\":{\"type\":\"object\","
	"\"properties\":{\"t\":{\"type\":\"string\"}}},\"steps\":[{"
	"\"progress\":1,\"message\":\"${t}\"}],\"result\":{\"template\":"
	"\"${t}\"}},"
	"{\"name\":\"gone\",\"task\":{},\"result\":{\"exec\":\"/nope/nothing\"}"
	"},"
	"{\"name\":\"plain\",\"result\":\"plain\"}]}";

#define INIT(caps)                                                             \
	"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{" \
	"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{" caps           \
	"},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}"
#define META(caps)                                                            \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28" \
	"\",\"io.modelcontextprotocol/clientCapabilities\":{" caps "}}"
#define TASKS "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}"
#define CAN TASKS ",\"roots\":{},\"elicitation\":{}"

/* Its id is kept in id, which has 33 bytes. */
static void begin(struct bench *b, const char *params, char *id)
{
	CLEANUP(mem_free_ptr) char *text = request("tools/call", params);
	CLEANUP(mem_free_ptr) char *reply = bench_ask(b, text);
	const char *at = strstr(reply, "\"taskId\":\"");

	id[0] = '\0';
	if (!at) {
		fail_msg("no task: %s", reply);
		return;
	}
	memcpy(id, at + strlen("\"taskId\":\""), 32);
	id[32] = '\0';
}

/* METHOD of that task says part; rest stands behind its id. */
static void of_task(struct bench *b, const char *method, const char *id,
		    const char *rest, const char *part)
{
	CLEANUP(mem_free_ptr)
	char *params = mem_printf("{\"taskId\":\"%s\"%s}", id, rest);

	bench_method(b, method, params, part);
}

static void asks_for_its_result(struct bench *b, struct asked *a,
				const char *id)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tasks/result\","
		"\"params\":{\"taskId\":\"%s\"}}",
		id);

	bench_begin(b, a, text);
}

static void in_a_session(void **state)
{
	struct bench b;
	char id[33];

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(
		&b, INIT(""),
		"\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":"
		"{\"call\":{}}}}");
	bench_method(&b, "tools/list", "{}",
		     "\"execution\":{\"taskSupport\":\"required\"}");
	begin(&b, "{\"name\":\"quick\",\"task\":{}}", id);
	of_task(&b, "tasks/get", id, "", "\"status\":\"completed\"");
	of_task(&b, "tasks/get", id, "", "\"ttl\":60000,\"pollInterval\":1000");
	of_task(&b, "tasks/result", id, "",
		"\"content\":[{\"type\":\"text\",\"text\":\"now\"}]");
	of_task(&b, "tasks/cancel", id, "", "-32602");
	begin(&b, "{\"name\":\"bad\",\"task\":{}}", id);
	of_task(&b, "tasks/get", id, "", "\"status\":\"failed\"");
	of_task(&b, "tasks/result", id, "", "\"isError\":true");
	begin(&b, "{\"name\":\"long\",\"task\":{}}", id);
	of_task(&b, "tasks/get", id, "",
		"\"status\":\"working\",\"statusMessage\":\"on it\"");
	of_task(&b, "tasks/get", id, "", "\"pollInterval\":7");
	bench_method(&b, "tasks/list", "{}", id);
	of_task(&b, "tasks/cancel", id, "", "\"status\":\"cancelled\"");
	of_task(&b, "tasks/result", id, "", "the task was cancelled");
	bench_method(&b, "tools/call", "{\"name\":\"plain\",\"task\":{}}",
		     "does not run as a task");
	bench_method(&b, "tools/call", "{\"name\":\"asks\"}",
		     "runs as a task only");
	bench_method(&b, "tools/call", "{\"name\":\"quick\"}", "\"now\"");
	bench_method(&b, "tasks/update", "{}", "-32601");
	of_task(&b, "tasks/get", "0123", "", "there is no such task");
	bench_method(&b, "tasks/get", "{}", "there is no such task");
	bench_close(&b);
}

/* Older revisions have none of it. */
static void in_an_old_session(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_initialize(&b, "2025-06-18");
	bench_method(&b, "tools/call", "{\"name\":\"quick\",\"task\":{}}",
		     "\"content\"");
	bench_method(&b, "tasks/list", "{}", "-32601");
	bench_close(&b);
}

static void its_result_is_waited_for(void **state)
{
	struct bench b;
	struct asked a, second;
	char id[33];

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT(""), "tasks");
	begin(&b, "{\"name\":\"long\",\"task\":{}}", id);
	asks_for_its_result(&b, &a, id);
	assert_false(a.done);
	asks_for_its_result(&b, &second, id);
	assert_non_null(strstr(second.reply, "waited for already"));
	mem_free(second.reply);
	/* who gives up waiting may wait again */
	bench_says(
		&b,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		"\"params\":{\"requestId\":5}}",
		"");
	assert_string_equal(bench_wait(&b, &a), "");
	mem_free(a.reply);
	asks_for_its_result(&b, &a, id);
	assert_false(a.done);
	of_task(&b, "tasks/cancel", id, "", "\"status\":\"cancelled\"");
	assert_non_null(strstr(bench_wait(&b, &a), "the task was cancelled"));
	mem_free(a.reply);
	bench_close(&b);
}

/* Its client goes: the task, and who waits for it, go with it. */
static void ends_with_its_client(void **state)
{
	struct bench b;
	struct asked a;
	char id[33];

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT(""), "tasks");
	begin(&b, "{\"name\":\"long\",\"task\":{}}", id);
	asks_for_its_result(&b, &a, id);
	service_client_free(b.client);
	assert_false(a.done);
	assert_int_equal(b.service->task_count, 0);
	assert_int_equal(b.service->calls, 0);
	b.client = service_client_new(b.service);
	bench_has(&b, INIT(""), "tasks");
	of_task(&b, "tasks/get", id, "", "there is no such task");
	bench_close(&b);
}

/* One that is over its time is forgotten, at work or not. */
static void is_forgotten(void **state)
{
	struct bench b;
	struct asked a;
	char id[33];
	bool never = false;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT(""), "tasks");
	begin(&b, "{\"name\":\"short\",\"task\":{}}", id);
	asks_for_its_result(&b, &a, id);
	loop_stay(b.loop, &never, loop_now() + 5, NULL);
	bench_method(&b, "tasks/list", "{}", "\"tasks\":[]");
	if (!a.done || !strstr(a.reply, "task"))
		fail_msg("not told: %s", a.reply ? a.reply : "");
	mem_free(a.reply);
	assert_int_equal(b.service->calls, 0);
	bench_close(&b);
}

static void are_not_too_many(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT(""), "tasks");
	for (int i = 0; i < SERVICE_TASKS_MAX; i++)
		bench_method(&b, "tools/call",
			     "{\"name\":\"quick\",\"task\":{}}", "taskId");
	bench_method(&b, "tools/call", "{\"name\":\"quick\",\"task\":{}}",
		     "there are 100 tasks already");
	bench_close(&b);
}

/* What is kept of a client's words has a bound. */
static void are_not_too_long(void **state)
{
	CLEANUP(buf_done) struct buf params = { 0 }, said = { 0 };
	struct bench b;
	char id[33];

	(void)state;
	buf_text(&params,
		 "{\"name\":\"says\",\"task\":{},\"arguments\":{\"t\":\"");
	for (size_t i = 0; i <= SERVICE_TASK_MAX; i++)
		buf_char(&params, 'x');
	buf_text(&params, "\"}}");
	buf_text(&said, "\"statusMessage\":\"");
	for (size_t i = 0; i < SERVICE_TASK_SAID; i++)
		buf_char(&said, 'x');
	buf_char(&said, '"');
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT(""), "tasks");
	begin(&b, buf_string(&params), id);
	of_task(&b, "tasks/get", id, "", "\"status\":\"failed\"");
	of_task(&b, "tasks/get", id, "", buf_string(&said));
	of_task(&b, "tasks/result", id, "", "too long to be kept");
	bench_close(&b);
}

/* What is asked waits for whoever asks for the result. */
static void asks_in_a_session(void **state)
{
	struct bench b;
	struct asked a;
	char id[33];

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT("\"roots\":{},\"elicitation\":{}"), "tasks");
	begin(&b, "{\"name\":\"asks\",\"task\":{}}", id);
	of_task(&b, "tasks/get", id, "", "\"status\":\"input_required\"");
	bench_says(
		&b,
		"{\"jsonrpc\":\"2.0\",\"id\":\"sim-1\",\"result\":{\"roots\":[{"
		"\"uri\":\"file:///x\"}]}}",
		"");
	asks_for_its_result(&b, &a, id);
	bench_says(
		&b,
		"{\"jsonrpc\":\"2.0\",\"id\":\"sim-2\",\"result\":{\"action\":"
		"\"decline\"}}",
		"");
	assert_non_null(strstr(bench_wait(&b, &a), "file:///x decline"));
	mem_free(a.reply);
	bench_close(&b);
}

static bool on_told(void *owner, const char *text, size_t len)
{
	struct asked *a = owner;

	a->times += strstr(text, "roots/list") || strstr(text, "elicitation/");
	return len > 0;
}

/* Who takes no stream hears no question: it waits for who does. */
static void asks_who_can_hear(void **state)
{
	static const struct mcp_hearer hearer = { .done = asked_done,
						  .tell = on_told };
	struct bench b;
	struct asked deaf, a = { 0 };
	char id[33];
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct mcp_said said = { 0 };

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, INIT("\"roots\":{},\"elicitation\":{}"), "tasks");
	begin(&b, "{\"name\":\"asks\",\"task\":{}}", id);
	asks_for_its_result(&b, &deaf, id);
	service_abandon(deaf.question);
	text = mem_printf(
		"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tasks/result\","
		"\"params\":{\"taskId\":\"%s\"}}",
		id);
	said.text = text;
	said.len = strlen(text);
	assert_non_null(service_hear(b.client, &said, &hearer, &a));
	assert_int_equal(a.times, 2);
	bench_close(&b);
}

static void without_a_session(void **state)
{
	struct bench b;
	char id[33];

	(void)state;
	bench_open(&b, profile, NULL);
	bench_method(&b, "server/discover", "{" META("") "}", TASKS);
	bench_method(&b, "tools/call", "{\"name\":\"quick\"," META("") "}",
		     "\"resultType\":\"complete\"");
	bench_method(&b, "tools/call", "{\"name\":\"asks\"," META("") "}",
		     "\"requiredCapabilities\":{" TASKS "}");
	bench_method(&b, "tools/call", "{\"name\":\"plain\"," META(CAN) "}",
		     "\"plain\"");
	begin(&b, "{\"name\":\"quick\"," META(TASKS) "}", id);
	/* whoever knows the id, whatever client */
	service_client_free(b.client);
	b.client = service_client_new(b.service);
	of_task(&b, "tasks/get", id, "," META(TASKS),
		"\"status\":\"completed\"");
	of_task(&b, "tasks/get", id, "," META(TASKS),
		"\"result\":{\"resultType\"");
	/* but not who has not declared that it knows of tasks */
	of_task(&b, "tasks/get", id, "," META(""),
		"\"requiredCapabilities\":{" TASKS "}");
	of_task(&b, "tasks/cancel", id, "," META(""), "-32021");
	begin(&b, "{\"name\":\"bad\"," META(TASKS) "}", id);
	of_task(&b, "tasks/get", id, "," META(TASKS),
		"\"status\":\"completed\"");
	begin(&b, "{\"name\":\"long\"," META(TASKS) "}", id);
	of_task(&b, "tasks/get", id, "," META(TASKS), "\"pollIntervalMs\":7");
	of_task(&b, "tasks/cancel", id, "," META(TASKS),
		"\"resultType\":\"complete\"");
	of_task(&b, "tasks/get", id, "," META(TASKS),
		"\"status\":\"cancelled\"");
	of_task(&b, "tasks/cancel", id, "," META(TASKS), "complete");
	of_task(&b, "tasks/result", id, "," META(TASKS), "-32601");
	bench_method(&b, "tasks/list", "{" META(TASKS) "}", "-32601");
	service_tasks_free(b.service);
	bench_close(&b);
}

static void is_answered_without_a_session(void **state)
{
	struct bench b;
	char id[33];

	(void)state;
	bench_open(&b, profile, NULL);
	begin(&b, "{\"name\":\"asks\"," META(CAN) "}", id);
	of_task(&b, "tasks/get", id, "," META(CAN),
		"\"inputRequests\":{\"a\":{\"method\":\"roots/list\"},\"b\":{");
	of_task(&b, "tasks/update", id, "," META(CAN),
		"'inputResponses' is missing");
	of_task(&b, "tasks/update", id,
		",\"inputResponses\":{\"a\":{\"roots\":[]},\"z\":1}," META(CAN),
		"complete");
	/* what is answered is not asked again */
	of_task(&b, "tasks/get", id, "," META(CAN),
		"\"inputRequests\":{\"b\":{");
	of_task(&b, "tasks/update", id,
		",\"inputResponses\":{\"b\":{\"action\":\"odd\"}}," META(CAN),
		"complete");
	loop_poll(b.loop);
	of_task(&b, "tasks/get", id, "," META(CAN),
		"the client's answer to 'b'");
	service_tasks_free(b.service);
	bench_close(&b);
}

/* What came of no result at all is told as the error that it is. */
static void has_an_error(void **state)
{
	struct bench b;
	char id[33];

	(void)state;
	bench_open(&b, profile, NULL);
	begin(&b, "{\"name\":\"gone\"," META(TASKS) "}", id);
	of_task(&b, "tasks/get", id, "," META(TASKS), "\"status\":\"failed\",");
	of_task(&b, "tasks/get", id, "," META(TASKS),
		"\"pollIntervalMs\":1000,\"error\":{\"code\":-32603,");
	service_tasks_free(b.service);
	bench_has(&b, INIT(""), "tasks");
	begin(&b, "{\"name\":\"gone\",\"task\":{}}", id);
	of_task(&b, "tasks/get", id, "", "\"status\":\"failed\"");
	of_task(&b, "tasks/result", id, "",
		"\"id\":\"r\",\"error\":{\"code\":-32603,\"message\":");
	bench_close(&b);
}

/* Each client sees its own, and those of no client none sees in a list. */
static void of_each_client(void **state)
{
	struct service_client *first;
	struct bench b;
	char one[33], two[33], free_one[33];

	(void)state;
	bench_open(&b, profile, NULL);
	begin(&b, "{\"name\":\"quick\"," META(TASKS) "}", free_one);
	bench_has(&b, INIT(""), "tasks");
	begin(&b, "{\"name\":\"quick\",\"task\":{}}", one);
	first = b.client;
	b.client = service_client_new(b.service);
	bench_has(&b, INIT(""), "tasks");
	begin(&b, "{\"name\":\"long\",\"task\":{}}", two);
	of_task(&b, "tasks/get", one, "", "there is no such task");
	of_task(&b, "tasks/get", free_one, "", "there is no such task");
	of_task(&b, "tasks/get", two, "", "\"status\":\"working\"");
	bench_method(&b, "tasks/list", "{}", "{\"tasks\":[{\"taskId\":\"");
	bench_method(&b, "tasks/list", "{}", "\"pollInterval\":7}]}");
	assert_int_equal(b.service->task_count, 3);
	/* it goes with its tasks, whatever stands before them */
	service_client_free(first);
	assert_int_equal(b.service->task_count, 2);
	of_task(&b, "tasks/get", two, "", "\"status\":\"working\"");
	service_client_free(b.client);
	assert_int_equal(b.service->task_count, 1);
	b.client = service_client_new(b.service);
	of_task(&b, "tasks/get", free_one, "," META(TASKS),
		"\"status\":\"completed\"");
	service_tasks_free(b.service);
	assert_int_equal(b.service->task_count, 0);
	bench_close(&b);
}

static void profiles_are_checked(void **state)
{
	static const char *const rows[][2] = {
		{ "7", "expected an object" },
		{ "{\"support\":\"never\"}", "optional or required" },
		{ "{\"poll_ms\":-1}", "poll_ms" },
		{ "{\"ttl\":1}", "ttl" },
		{ "{\"poll_ms\":2147483648}", "tools.t.poll_ms" },
		{ "{\"ttl_ms\":-1}", "tools.t.ttl_ms" },
		{ "{\"ttl_ms\":86400001}", "from 0 to 86400000" },
	};
	const struct service_config config = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(error_reset) struct error err = { 0 };
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"{\"kind\":\"service\",\"name\":\"s\",\"tools\":[{"
			"\"name\":\"t\",\"result\":\"r\",\"task\":%s}]}",
			rows[i][0]);

		assert_null(
			service_load_text(text, "mine.json", &config, &err));
		assert_int_equal(err.kind, ERR_USAGE);
		if (!strstr(err.text, rows[i][1]))
			fail_msg("%s: not '%s'", err.text, rows[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_a_session),
		cmocka_unit_test(in_an_old_session),
		cmocka_unit_test(its_result_is_waited_for),
		cmocka_unit_test(ends_with_its_client),
		cmocka_unit_test(is_forgotten),
		cmocka_unit_test(are_not_too_many),
		cmocka_unit_test(are_not_too_long),
		cmocka_unit_test(asks_in_a_session),
		cmocka_unit_test(asks_who_can_hear),
		cmocka_unit_test(without_a_session),
		cmocka_unit_test(is_answered_without_a_session),
		cmocka_unit_test(has_an_error),
		cmocka_unit_test(of_each_client),
		cmocka_unit_test(profiles_are_checked),
	};

	mem_init();
	return cmocka_run_group_tests_name("service tasks", tests, NULL, NULL);
}
