/* SPDX-License-Identifier: MIT */
/* A service's messages, from literal bytes: JSON-RPC, methods, tools at work. */
#include "service_harness.h"
#include "sim/profile.h"

static const char profile[] =
	"{\"kind\":\"service\",\"name\":\"s\",\"tools\":["
	"{\"name\":\"plain\",\"result\":\"as it is\"},"
	"{\"name\":\"greet\",\"title\":\"T\",\"description\":\"d\","
	"\"annotations\":{\"readOnlyHint\":true},\"inputSchema\":{\"type\":"
	"\"object\",\"properties\":{\"who\":{\"type\":\"string\"},\"n\":{"
	"\"type\":\"integer\",\"default\":2},\"l\":{\"type\":\"array\"}},"
	"\"required\":[\"who\"]},\"result\":{\"template\":"
	"\"${n} times ${who}: ${l}.\"}},"
	"{\"name\":\"data\",\"outputSchema\":{\"type\":\"object\"},\"result\":"
	"{\"json\":{\"a\":1}}},"
	"{\"name\":\"list\",\"result\":{\"json\":[1]}},"
	"{\"name\":\"fail\",\"result\":{\"error\":\"no \\\"way\\\"\"}},"
	"{\"name\":\"pic\",\"result\":{\"content\":[{\"type\":\"image\","
	"\"data\":\"AA==\",\"mimeType\":\"image/png\"}]}},"
	"{\"name\":\"slow\",\"result\":{\"text\":\"late\",\"delay_ms\":30}},"
	"{\"name\":\"never\",\"result\":{\"text\":\"\",\"delay_ms\":1000000}}]}";

static void test_garbage(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_has(&b, "{\"jsonrpc\"", "\"id\":null,\"error\":{\"code\":-32700");
	bench_has(&b, "", "-32700");
	bench_has(&b, "7",
		  "\"id\":null,\"error\":{\"code\":-32600,\"message\":"
		  "\"Invalid Request: a message is an object\"");
	bench_has(&b, "{\"id\":7,\"method\":\"ping\"}",
		  "\"id\":7,\"error\":{\"code\":-32600,\"message\":\"Invalid "
		  "Request: 'jsonrpc' must be");
	bench_has(&b, "{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}",
		  "\"id\":null,\"error\":{\"code\":-32600");
	bench_has(&b, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
		  "-32600");
	bench_has(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "-32600");
	bench_has(&b, "{\"jsonrpc\":\"2.0\",\"id\":1}", "'method' is missing");
	bench_has(&b,
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
		  "\"params\":[]}",
		  "\"code\":-32602");
	bench_has(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pinng\"}",
		  "\"code\":-32601,\"message\":\"Method not found: 'pinng' "
		  "(did you mean 'ping'?)\"");
	/* neither notifications nor responses have a reply */
	bench_says(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"nope\"}", "");
	bench_says(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "");
	bench_close(&b);
}

/* Ids come back as the bytes that they were. */
static void test_ids(void **state)
{
	static const char *const ids[] = {
		"\"req_123\"",	       "1.50", "-7", "1e2", "\"\\u00e9 \\\"\"",
		"12345678901234567890"
	};
	struct bench b;
	size_t i;

	(void)state;
	bench_open(&b, profile, NULL);
	for (i = 0; i < COUNT(ids); i++) {
		char *text = mem_printf("{\"method\":\"ping\",\"id\": %s ,"
					"\"jsonrpc\":\"2.0\"}",
					ids[i]);
		char *reply = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%s,"
					 "\"result\":{}}",
					 ids[i]);

		bench_says(&b, text, reply);
		mem_free(text);
		mem_free(reply);
	}
	bench_close(&b);
}

static void test_initialize(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	assert_false(service_client_is_initialized(b.client));
	assert_null(service_client_revision(b.client));
	bench_method(&b, "initialize", "{}", "-32602");
	assert_false(service_client_is_initialized(b.client));
	bench_initialize(&b, "2025-03-26");
	assert_string_equal(service_client_revision(b.client), "2025-03-26");
	bench_initialize(&b, "1999-01-01");
	assert_string_equal(service_client_revision(b.client), "2025-11-25");
	bench_says(&b,
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
		   "\"params\":{\"protocolVersion\":\"2025-06-18\","
		   "\"capabilities\":{},\"clientInfo\":{\"name\":\"x\"}}}",
		   "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
		   "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{"
		   "\"logging\":{},\"tools\":{\"listChanged\":false}},"
		   "\"serverInfo\":{\"name\":\"s\",\"version\":"
		   "\"" MCPCTL_VERSION "\"}}}");
	bench_close(&b);
}

/* What came later is not shown to who does not know it. */
static void test_revisions(void **state)
{
	struct bench b;
	char *list;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_method(&b, "tools/list", "{}", "\"title\":\"T\"");
	bench_method(&b, "tools/list", "{}", "\"outputSchema\"");
	bench_method(&b, "tools/list", "{\"cursor\":\"x\"}", "-32602");
	bench_initialize(&b, "2024-11-05");
	list = bench_ask(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			     "\"tools/list\"}");
	assert_null(strstr(list, "title"));
	assert_null(strstr(list, "annotations"));
	assert_null(strstr(list, "outputSchema"));
	mem_free(list);
	bench_method(&b, "tools/call", "{\"name\":\"data\"}",
		     "{\"content\":[{\"type\":\"text\",\"text\":"
		     "\"{\\\"a\\\":1}\"}],\"isError\":false}");
	bench_close(&b);
}

static void test_results(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_method(&b, "tools/call", "{\"name\":\"plain\"}",
		     "{\"content\":[{\"type\":\"text\",\"text\":\"as it is\"}],"
		     "\"isError\":false}");
	bench_method(&b, "tools/call",
		     "{\"name\":\"greet\",\"arguments\":{\"who\":\"Zé\","
		     "\"l\":[1,\"x\"]}}",
		     "\"2 times Zé: 1, x.\"");
	bench_method(&b, "tools/call", "{\"name\":\"data\"}",
		     "\"structuredContent\":{\"a\":1},\"isError\":false");
	bench_method(&b, "tools/data", "{}", "\"result\":{\"a\":1}}");
	bench_method(&b, "tools/call", "{\"name\":\"fail\"}",
		     "\"text\":\"no \\\"way\\\"\"}],\"isError\":true");
	bench_method(&b, "tools/fail", "{}",
		     "\"code\":-32603,\"message\":\"Internal error: no");
	bench_method(&b, "tools/pic", "{}", "\"type\":\"image\"");
	/* a tool of the name of a method is reached by tools/call alone */
	bench_method(&b, "tools/list", "{}", "\"tools\":[");
	bench_method(&b, "tools/call", "{\"name\":\"list\"}", "\"[1]\"");
	bench_close(&b);
}

static void test_wrong_arguments(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_method(&b, "tools/call", "{}", "'name' is missing");
	bench_method(&b, "tools/call", "{\"name\":\"gret\"}",
		     "\"code\":-32602,\"message\":\"Invalid params: there is "
		     "no tool 'gret' (did you mean 'greet'?)\"");
	bench_method(&b, "tools/nope", "{}", "-32601");
	bench_method(&b, "tools/call", "{\"name\":\"greet\"}",
		     "\"code\":-32602,\"message\":\"Invalid params: 'who'");
	bench_method(&b, "tools/greet", "{\"who\":7}", "-32602");
	bench_method(&b, "tools/call", "{\"name\":\"greet\",\"arguments\":[]}",
		     "-32602");
	bench_close(&b);
}

/* From 2025-11-25 on a model reads what it did wrong; never by the direct method. */
static void test_wrong_arguments_in_session(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_initialize(&b, "2025-06-18");
	bench_method(&b, "tools/call", "{\"name\":\"greet\"}",
		     "\"code\":-32602,\"message\":\"Invalid params: 'who");
	bench_initialize(&b, "2025-11-25");
	bench_method(&b, "tools/call", "{\"name\":\"greet\"}",
		     "\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
		     "\"Invalid arguments: 'who");
	bench_method(&b, "tools/call",
		     "{\"name\":\"greet\",\"arguments\":{\"who\":7}}",
		     "\"}],\"isError\":true}}");
	bench_method(&b, "tools/greet", "{\"who\":7}", "\"code\":-32602");
	bench_method(&b, "tools/call", "{\"name\":\"gret\"}",
		     "\"code\":-32602");
	bench_method(&b, "tools/call", "{\"name\":\"greet\",\"arguments\":[]}",
		     "\"code\":-32602");
	bench_close(&b);
}

/* "_meta" of a request is no argument of the tool that it names. */
static void test_direct_meta(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b,
		   "{\"kind\":\"service\",\"name\":\"s\",\"tools\":[{\"name\":"
		   "\"strict\",\"inputSchema\":{\"type\":\"object\","
		   "\"properties\":{\"a\":{}},\"additionalProperties\":false},"
		   "\"result\":\"ok\"}]}",
		   NULL);
	bench_method(&b, "tools/strict",
		     "{\"a\":1,\"_meta\":{\"progressToken\":1}}",
		     "\"text\":\"ok\"");
	bench_method(&b, "tools/call",
		     "{\"name\":\"strict\",\"arguments\":{\"a\":1},\"_meta\":"
		     "{\"progressToken\":1}}",
		     "\"text\":\"ok\"");
	bench_method(&b, "tools/strict", "{\"b\":1}", "\"code\":-32602");
	bench_method(&b, "tools/call",
		     "{\"name\":\"strict\",\"arguments\":{\"_meta\":{}}}",
		     "\"code\":-32602");
	bench_close(&b);
}

static void test_slow(void **state)
{
	struct asked slow, ping, never;
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_begin(&b, &slow,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		    "\"tools/slow\"}");
	assert_non_null(slow.question);
	bench_begin(&b, &never,
		    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		    "\"tools/never\"}");
	bench_begin(&b, &ping,
		    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
		    "\"ping\"}");
	assert_true(ping.done);
	assert_non_null(strstr(bench_wait(&b, &slow), "\"late\""));
	/* who is cancelled is told nothing, soon */
	bench_says(&b,
		   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\""
		   ",\"params\":{\"requestId\":2}}",
		   "");
	assert_false(never.done);
	assert_string_equal(bench_wait(&b, &never), "");
	mem_free(slow.reply);
	mem_free(ping.reply);
	mem_free(never.reply);
	/* and who is gone is not told at all */
	bench_begin(&b, &never,
		    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		    "\"tools/never\"}");
	service_abandon(never.question);
	bench_begin(&b, &slow,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		    "\"tools/slow\"}");
	bench_close(&b);
	assert_false(never.done || slow.done);
}

static void test_batches(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_says(&b,
		   "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/slow\"},"
		   "{\"jsonrpc\":\"2.0\",\"method\":\"x\"},7,"
		   "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"}]",
		   "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":["
		   "{\"type\":\"text\",\"text\":\"late\"}],\"isError\":false}},"
		   "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
		   "-32600,\"message\":\"Invalid Request: a message is an "
		   "object\"}},{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"result\":{}}"
		   "]");
	bench_says(&b, "[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]", "");
	bench_has(&b, "[]", "nothing in it");
	bench_has(&b,
		  "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}]",
		  "must not be part of a batch");
	bench_initialize(&b, "2025-06-18");
	bench_has(&b, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
		  "has no batches");
	bench_initialize(&b, "2025-03-26");
	bench_has(&b, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
		  "[{\"jsonrpc\"");
	bench_close(&b);
}

static void test_too_many(void **state)
{
	struct asked a[SERVICE_CALLS_MAX];
	struct bench b;
	size_t i;

	(void)state;
	bench_open(&b, profile, NULL);
	for (i = 0; i < COUNT(a); i++)
		bench_begin(&b, a + i,
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
			    "\"tools/never\"}");
	bench_method(&b, "tools/never", "{}",
		     "\"code\":-32603,\"message\":\"Internal error: 100 calls");
	bench_close(&b);
}

static void test_prompts(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, LLM, NULL);
	assert_string_equal(service_name(b.service), "llm-service");
	bench_method(&b, "prompts/list", "{}",
		     "{\"name\":\"text\",\"description\":\"Texto livre de onde "
		     "extrair.\",\"required\":true}");
	bench_method(&b, "prompts/get",
		     "{\"name\":\"entity_extraction_prompt\",\"arguments\":{"
		     "\"text\":\"<${nome}>\"}}",
		     "entidades: nome, telefone, email, motivo, data.");
	bench_method(&b, "prompts/get",
		     "{\"name\":\"entity_extraction_prompt\",\"arguments\":{"
		     "\"text\":\"<${nome}>\"}}",
		     "<<<\\n<${nome}>\\n>>>");
	bench_method(&b, "prompts/get",
		     "{\"name\":\"entity_extraction_prompt\"}",
		     "argument 'text' is required");
	bench_method(&b, "prompts/get",
		     "{\"name\":\"formatting_prompt\",\"arguments\":{"
		     "\"entities\":\"{}\",\"x\":\"\"}}",
		     "'x' is none of the prompt's");
	bench_method(&b, "prompts/get",
		     "{\"name\":\"formatting_prompt\",\"arguments\":{"
		     "\"entities\":{}}}",
		     "'entities' must be a string");
	bench_method(&b, "prompts/get", "{\"name\":\"formating_prompt\"}",
		     "did you mean 'formatting_prompt'?");
	bench_method(&b, "prompts/get", "{}", "'name' is missing");
	bench_method(&b, "completion/complete",
		     "{\"ref\":{\"type\":\"ref/prompt\",\"name\":"
		     "\"formatting_prompt\"},\"argument\":{\"name\":\"format\","
		     "\"value\":\"T\"}}",
		     "{\"values\":[\"tabela\"],\"total\":1,\"hasMore\":false}");
	bench_method(&b, "completion/complete",
		     "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x\"}}",
		     "-32602");
	bench_close(&b);
}

static void test_resources(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, LLM, NULL);
	bench_method(&b, "resources/list", "{}",
		     "\"uri\":\"prompt://entity_extraction_prompt\",\"mimeType"
		     "\":\"text/plain\"}");
	/* the template itself, unfilled */
	bench_method(&b, "resources/read",
		     "{\"uri\":\"prompt://validation_prompt\"}",
		     "\\n${text}\\n");
	bench_method(&b, "resources/read", "{\"uri\":\"prompt://nope\"}",
		     "\"error\":{\"code\":-32002,\"message\":\"Resource not "
		     "found: 'prompt://nope'\",\"data\":{\"uri\":"
		     "\"prompt://nope\"}}");
	bench_method(&b, "resources/read", "{}", "-32602");
	bench_method(&b, "resources/templates/list", "{}",
		     "{\"resourceTemplates\":[]}");
	bench_has(&b,
		  "{\"jsonrpc\": \"2.0\", \"method\": \"resources/get\", "
		  "\"params\": {\"name\": \"entity_extraction_prompt\"}, "
		  "\"id\": \"req_456\"}",
		  "{\"jsonrpc\":\"2.0\",\"id\":\"req_456\",\"result\":{"
		  "\"name\":\"entity_extraction_prompt\",");
	bench_method(&b, "resources/get", "{\"name\":\"nope\"}", "-32602");
	bench_method(&b, "logging/setLevel", "{\"level\":\"debug\"}",
		     "\"result\":{}");
	bench_method(&b, "logging/setLevel", "{\"level\":\"loud\"}", "-32602");
	bench_close(&b);
}

/* An own file over the installed one changes a part of it. */
static void test_extends(void **state)
{
	const char *own = "src/sim/profiles/../profiles/llm.json";
	char *text = mem_printf(
		"{\"kind\":\"service\",\"extends\":\"%s\",\"ollama\":{\"model\":"
		"\"m\"},\"prompts\":[{\"name\":\"validation_prompt\",\"text\":"
		"[\"Olá\",\"${text}\"]},{\"name\":\"new\",\"text\":\"x\"}],"
		"\"resources\":[{\"uri\":\"a:b\",\"text\":\"t\"}]}",
		own);
	struct bench b;

	(void)state;
	bench_open(&b, text, NULL);
	bench_method(&b, "resources/get", "{\"name\":\"validation_prompt\"}",
		     "\"text\":\"Olá\\n${text}\"");
	bench_method(&b, "prompts/get", "{\"name\":\"new\"}", "\"x\"");
	bench_method(&b, "resources/read", "{\"uri\":\"a:b\"}", "\"t\"");
	bench_method(&b, "tools/list", "{}", "extract_entities");
	assert_string_equal(json_string(b.service->ollama, "model"), "m");
	assert_non_null(json_member(b.service->ollama, "timeout_ms"));
	bench_close(&b);
	mem_free(text);
}

static void refused(const char *text, const char *place, const char *words)
{
	const struct service_config config = { .loop = NULL };
	struct error err = { 0 };
	struct service *s = service_load_text(text, "mine.json", &config, &err);

	if (s || !strstr(err.text, place) || !strstr(err.text, words))
		print_error("said: %s\n", err.text);
	assert_null(s);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "mine.json"));
	assert_non_null(strstr(err.text, place));
	assert_non_null(strstr(err.text, words));
	error_reset(&err);
}

/* A tool x with one argument a and that result. */
static void wrong_result(const char *result, const char *place,
			 const char *words)
{
	char *text = mem_printf(
		"{\"kind\":\"service\",\"name\":\"s\",\"tools\":[{\"name\":"
		"\"x\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
		"\"a\":{}}},\"result\":%s}]}",
		result);

	refused(text, place, words);
	mem_free(text);
}

static void test_wrong_profiles(void **state)
{
	(void)state;
	refused("{}", "mine.json", "is a device, and a service is needed");
	refused("{\"kind\":\"x\"}", "kind", "\"service\"");
	refused("{\"kind\":\"service\"}", "mine.json", "'name'");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"tols\":[]}",
		"mine.json", "did you mean 'tools'?");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"tools\":[{}]}",
		"tools[0]", "'name'");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"ollama\":{\"timeout_ms"
		"\":0}}",
		"ollama.timeout_ms", "from 1");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":"
		"\"p\",\"text\":\"${x}\"}]}",
		"prompts.p", "there is no 'x'");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":"
		"\"p\",\"text\":[1]}]}",
		"prompts.p", "list of lines");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":"
		"\"p\",\"text\":\"\"},{\"name\":\"p\",\"text\":\"\"}]}",
		"prompts.p", "two of that name");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"resources\":[{\"uri\":"
		"\"x\",\"text\":\"\"}]}",
		"resources[0]", "'uri'");
	wrong_result("{}", "tools.x.result", "one of text");
	wrong_result("{\"text\":\"\",\"json\":1}", "tools.x.result", "one of");
	wrong_result("{\"template\":\"${b}\"}", "tools.x.result.template",
		     "there is no 'b'");
	wrong_result("{\"exec\":[]}", "tools.x.result.exec", "command");
	wrong_result("{\"exec\":\"a 'b\"}", "tools.x.result.exec", "quote");
	wrong_result("{\"exec\":\"a\",\"delay_ms\":1}", "tools.x.result",
		     "own time");
	wrong_result("{\"ollama\":{}}", "tools.x.result.ollama", "'prompt'");
	wrong_result("{\"ollama\":{\"prompt\":\"p\"}}", "tools.x.result",
		     "no prompt 'p'");
	wrong_result("{\"ollama\":{\"user\":[\"${b}\"]}}",
		     "tools.x.result.ollama.user", "there is no 'b'");
	wrong_result("{\"text\":\"\",\"normalise\":{}}", "tools.x.result",
		     "needs 'exec' or 'ollama'");
	wrong_result("{\"exec\":\"a\",\"normalise\":{\"only\":\"b\",\"members\""
		     ":{}}}",
		     "tools.x.result.normalise", "no argument 'b'");
	wrong_result("{\"exec\":\"a\",\"normalise\":{\"members\":{\"m\":{"
		     "\"type\":\"text\",\"percent\":true}}}}",
		     "tools.x.result.normalise.members.m", "\"number\"");
}

static void test_kinds(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_true(service_profile_is(LLM));
	assert_false(service_profile_is("src/sim/profiles/esp32.json"));
	assert_false(service_profile_is("/nope.json"));
	assert_false(service_profile_is(NULL));
	assert_null(profile_load(LLM, NULL, &err));
	assert_non_null(strstr(err.text, "is a service, and a device is"));
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_initialize),
		cmocka_unit_test(test_revisions),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_wrong_arguments),
		cmocka_unit_test(test_wrong_arguments_in_session),
		cmocka_unit_test(test_direct_meta),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_prompts),
		cmocka_unit_test(test_resources),
		cmocka_unit_test(test_extends),
		cmocka_unit_test(test_wrong_profiles),
		cmocka_unit_test(test_kinds),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
