/* SPDX-License-Identifier: MIT */
/* A service's messages, from literal bytes: JSON-RPC, methods, tools at work. */
#include "service_harness.h"
#include "sim/profile.h"
#include "sim/sim.h"

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
	wrong_result("{\"text\":7}", "tools.x.result.text", "a string");
	wrong_result("{\"template\":7}", "tools.x.result.template", "a string");
	wrong_result("{\"error\":7}", "tools.x.result.error", "a string");
	wrong_result("{\"content\":7}", "tools.x.result.content", "a list");
	wrong_result("{\"text\":\"\",\"delay_ms\":-1}",
		     "tools.x.result.delay_ms", "from 0");
	wrong_result("{\"text\":\"\",\"times\":0}", "tools.x.result.times",
		     "from 1 to 100000");
	wrong_result("{\"text\":\"\",\"times\":100001}", "tools.x.result.times",
		     "from 1 to 100000");
	wrong_result("{\"json\":1,\"times\":1}", "tools.x.result",
		     "'times' needs 'text'");
	wrong_result("{\"error\":\"${b}\"}", "tools.x.result.error",
		     "there is no 'b' to fill in; the names are the tool's");
	wrong_result("{\"text\":\"\",\"x\":1}", "tools.x.result",
		     "a result has no member 'x'");
	wrong_result("[]", "tools.x.result", "for a result");
	wrong_result("{\"ollama\":{\"user\":\"\",\"prompt\":\"p\"}}",
		     "tools.x.result.ollama", "one of 'user' and 'prompt'");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":"
		"\"p\",\"messages\":[]}],\"tools\":[{\"name\":\"x\",\"result\":{"
		"\"ollama\":{\"prompt\":\"p\"}}}]}",
		"tools.x.result", "prompt 'p' has no 'text'");
	refused("{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":"
		"\"p\",\"arguments\":[{\"name\":\"b\"}],\"text\":\"${b}\"}],"
		"\"tools\":[{\"name\":\"x\",\"result\":{\"ollama\":{\"prompt\":"
		"\"p\"}}}]}",
		"tools.x.result.prompt", "there is no 'b'");
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

#define CONFORMANCE "src/sim/profiles/conformance.json"
#define OVER(members) \
	"{\"kind\":\"service\",\"extends\":\"" CONFORMANCE "\"," members "}"

/* What stands in a file over what it extends: by names, and by members. */
static void test_over(void **state)
{
	struct bench b;

	(void)state;
	bench_open(
		&b,
		OVER("\"name\":\"mine\",\"cache\":{\"ttl_ms\":1},\"ways\":{"
		     "\"text_max\":9},\"tools\":[{\"name\":\"first\",\"result\""
		     ":1},{\"name\":\"test_simple_text\",\"result\":\"other\"}],"
		     "\"resources\":[{\"uri\":\"test://static-text\",\"text\":"
		     "\"own\"}],\"templates\":[{\"uriTemplate\":"
		     "\"test://template/{id}/data\",\"text\":\"<${id}>\"}]"),
		NULL);
	assert_string_equal(service_name(b.service), "mine");
	assert_int_equal(b.service->ttl_ms, 1);
	assert_string_equal(b.service->cache_scope, "public");
	assert_int_equal(b.service->ways.text_max, 9);
	/* it stays where it stood, and what is new follows */
	assert_string_equal(b.service->tool[0].name, "test_simple_text");
	assert_string_equal(b.service->tool[b.service->tool_count - 1].name,
			    "first");
	bench_method(&b, "tools/call", "{\"name\":\"test_simple_text\"}",
		     "\"text\":\"other\"");
	bench_method(&b, "tools/list", "{}",
		     "{\"tools\":[{\"name\":\"test_simple_text\","
		     "\"description\":");
	bench_method(&b, "resources/read", "{\"uri\":\"test://static-text\"}",
		     "\"mimeType\":\"text/plain\",\"text\":\"own\"");
	bench_method(&b, "resources/read",
		     "{\"uri\":\"test://template/7/data\"}",
		     "\"mimeType\":\"application/json\",\"text\":\"<7>\"");
	bench_close(&b);
	/* what is of another kind stands in its place, and is refused there */
	refused(OVER("\"cache\":7"), "cache", "an object");
	refused(OVER("\"tools\":{}"), "tools", "a list");
	refused(OVER("\"tools\":[{\"name\":\"new\",\"result\":1},{\"name\":"
		     "\"new\",\"result\":1}]"),
		"tools.new", "two of that name");
	refused(OVER("\"prompts\":[{\"text\":\"\"}]"), "prompts", "a 'name'");
}

/* Members of a service, where it is wrong, and what is said of it. */
static void test_wrong_parts(void **state)
{
	static const char *const rows[][3] = {
		{ "'title':7", "title", "a string" },
		{ "'instructions':7", "instructions", "a string" },
		{ "'era':'old'", "mine.json", "legacy, modern or both" },
		{ "'era':7", "era", "a string" },
		{ "'dials':'x'", "mine.json", "'dials' is arduino" },
		{ "'dials':7", "dials", "a string" },
		{ "'cache':7", "cache", "an object" },
		{ "'cache':{'ttl_ms':-1}", "ttl_ms", "from 0" },
		{ "'cache':{'scope':'all'}", "mine.json", "private or public" },
		{ "'cache':{'scope':7}", "scope", "a string" },
		{ "'cache':{'ttl':1}", "mine.json", "did you mean 'ttl_ms'?" },
		{ "'tools':{}", "tools", "a list" },
		{ "'tools':[7]", "tools[0]", "for a tool" },
		{ "'tools':[{'name':'x','result':1},{'result':1}]", "tools[1]",
		  "a 'name' and a 'result'" },
		{ "'tools':[{'name':'','result':1}]", "tools", "a 'name'" },
		{ "'tools':[{'name':'x'}]", "tools.x", "a 'result'" },
		{ "'tools':[{'name':'x','result':1},{'name':'x','result':1}]",
		  "tools.x", "two of that name" },
		{ "'tools':[{'name':'x','result':1,'title':7}]",
		  "tools.x.title", "a string" },
		{ "'tools':[{'name':'x','result':1,'description':7}]",
		  "tools.x.description", "a string" },
		{ "'tools':[{'name':'x','result':1,'inputSchema':7}]",
		  "tools.x.inputSchema", "an object" },
		{ "'tools':[{'name':'x','result':1,'outputSchema':7}]",
		  "tools.x.outputSchema", "an object" },
		{ "'tools':[{'name':'x','result':1,'annotations':7}]",
		  "tools.x.annotations", "an object" },
		{ "'tools':[{'name':'x','result':1,'steps':7}]",
		  "tools.x.steps", "a list" },
		{ "'tools':[{'name':'x','result':1,'hidden':7}]",
		  "tools.x.hidden", "true or false" },
		{ "'tools':[{'name':'x','result':1,'task':{'poll_ms':"
		  "2147483648}}]",
		  "tools.x.poll_ms", "to 2147483647" },
		{ "'tools':[{'name':'x','result':1,'task':{'ttl_ms':"
		  "86400001}}]",
		  "tools.x.ttl_ms", "to 86400000" },
		{ "'tools':[{'name':'x','result':1,'task':{'support':7}}]",
		  "tools.x.support", "a string" },
		{ "'prompts':7", "prompts", "a list" },
		{ "'prompts':[{'text':''}]", "prompts[0]", "'name'" },
		{ "'prompts':[{'name':'','text':''}]", "prompts", "'name'" },
		{ "'prompts':[{'name':'p'}]", "prompts.p", "'text' is needed" },
		{ "'prompts':[{'name':'p','text':7}]", "prompts.p",
		  "'text' is needed" },
		{ "'prompts':[{'name':'p','text':'','x':1}]", "prompts.p",
		  "a prompt has no member 'x'" },
		{ "'prompts':[{'name':'p','text':'','title':7}]",
		  "prompts.p.title", "a string" },
		{ "'prompts':[{'name':'p','text':'','hidden':7}]",
		  "prompts.p.hidden", "true or false" },
		{ "'prompts':[{'name':'p','text':'','steps':7}]",
		  "prompts.p.steps", "a list" },
		{ "'prompts':[{'name':'p','messages':7}]", "prompts.p.messages",
		  "a list" },
		{ "'prompts':[{'name':'p','messages':[{'role':'user','content':"
		  "{}},{'role':'user','content':'c'}]}]",
		  "prompts.p.messages[1]", "a message needs" },
		{ "'prompts':[{'name':'p','messages':[{'content':{}}]}]",
		  "prompts.p.messages[0]", "a message needs" },
		{ "'prompts':[{'name':'p','messages':[{'role':'u','content':{},"
		  "'x':1}]}]",
		  "prompts.p.messages[0]", "a message has no member 'x'" },
		{ "'prompts':[{'name':'p','messages':[{'role':'u','content':{"
		  "'a':['','${b}']}}]}]",
		  "prompts.p.messages[0].content.a[1]",
		  "there is no 'b' to fill in; the names are the prompt's" },
		{ "'prompts':[{'name':'p','text':'','arguments':7}]",
		  "prompts.p.arguments", "a list" },
		{ "'prompts':[{'name':'p','text':'','arguments':[{'name':'a'},{"
		  "}]}]",
		  "prompts.p.arguments[1]", "an argument needs a 'name'" },
		{ "'prompts':[{'name':'p','text':'','arguments':[{'name':'a',"
		  "'type':''}]}]",
		  "prompts.p.arguments[0]", "no member 'type'" },
		{ "'prompts':[{'name':'p','text':'','arguments':[{'name':'a',"
		  "'title':7}]}]",
		  "prompts.p.arguments[0].title", "a string" },
		{ "'prompts':[{'name':'p','text':'','arguments':[{'name':'a',"
		  "'required':7}]}]",
		  "prompts.p.arguments[0].required", "true or false" },
		{ "'prompts':[{'name':'p','text':'','arguments':[{'name':'a',"
		  "'default':7}]}]",
		  "prompts.p.arguments[0].default", "a string" },
		{ "'prompts':[{'name':'p','text':'','arguments':[{'name':'a',"
		  "'values':7}]}]",
		  "prompts.p.arguments[0].values", "a list" },
		{ "'prompts':[{'name':'p','text':'','arguments':[{'name':'a',"
		  "'values':['a',7]}]}]",
		  "prompts.p.arguments[0]", "'values' are strings" },
		{ "'resources':7", "resources", "a list" },
		{ "'resources':[{'text':''}]", "resources[0]", "'uri'" },
		{ "'resources':[{'uri':7,'text':''}]", "resources[0].uri",
		  "a string" },
		{ "'resources':[{'uri':'a:','text':'','x':1}]", "resources[0]",
		  "a resource has no member 'x'" },
		{ "'resources':[{'uri':'a:'}]", "resources[0]",
		  "'text' is needed" },
		{ "'resources':[{'uri':'a:','blob':7}]", "resources[0].blob",
		  "a string" },
		{ "'resources':[{'uri':'a:','text':'','mimeType':7}]",
		  "resources[0].mimeType", "a string" },
		{ "'resources':[{'uri':'a:','text':'','steps':7}]",
		  "resources[0].steps", "a list" },
		{ "'resources':[{'uri':'a:','text':'','hidden':7}]",
		  "resources[0].hidden", "true or false" },
		{ "'resources':[{'name':'r','uri':'a:','text':'${b}','steps':[]"
		  "}]",
		  "resources.r", "there is no 'b'" },
		{ "'templates':7", "templates", "a list" },
		{ "'templates':[{'text':''}]", "templates[0]", "with places" },
		{ "'templates':[{'uriTemplate':7,'text':''}]",
		  "templates[0].uriTemplate", "a string" },
		{ "'templates':[{'uriTemplate':'a:{b}','text':'','uri':''}]",
		  "templates[0]", "a template has no member 'uri'" },
		{ "'templates':[{'uriTemplate':'{b}','text':''}]",
		  "templates[0]", "with places" },
		{ "'templates':[{'uriTemplate':'a:{}','text':''}]",
		  "templates[0]", "with places" },
		{ "'templates':[{'uriTemplate':'a:{b','text':''}]",
		  "templates[0]", "with places" },
		{ "'templates':[{'uriTemplate':'a:{b}}','text':''}]",
		  "templates[0]", "with places" },
		{ "'templates':[{'uriTemplate':'a:{b*}','text':''}]",
		  "templates[0]", "with places" },
		{ "'templates':[{'uriTemplate':'a:{b}','text':'','values':7}]",
		  "templates[0].values", "an object" },
		{ "'templates':[{'uriTemplate':'a:{b}','text':'','values':{'b':"
		  "'c'}}]",
		  "templates[0]", "'values' are lists, by place" },
		{ "'templates':[{'uriTemplate':'a:{b}','text':'','values':{'b':"
		  "['c',7]}}]",
		  "templates[0]", "'values' are strings" },
		{ "'templates':[{'uriTemplate':'a:{b}','text':'','steps':7}]",
		  "templates[0].steps", "a list" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("{'kind':'service','name':'s',%s}",
					rows[i][0]);

		for (char *at = text; *at; at++)
			if (*at == '\'')
				*at = '"';
		refused(text, rows[i][1], rows[i][2]);
	}
}

/* A step, in one of each kind of what can have some. */
static void test_wrong_steps(void **state)
{
	static const char *const elements[][2] = {
		{ "'tools':[{'name':'x','result':1,'steps':[{'wait_ms':1},%s]}"
		  "],'prompts':[{'name':'p','text':''}],'resources':[{'uri':"
		  "'a:','text':''}]",
		  "tools.x.steps[1]" },
		{ "'prompts':[{'name':'x','text':'','steps':[{'wait_ms':1},%s]}"
		  "]",
		  "prompts.x.steps[1]" },
		{ "'resources':[{'uri':'a:','name':'x','text':'','steps':[{"
		  "'wait_ms':1},%s]}]",
		  "resources.x.steps[1]" },
		{ "'templates':[{'uriTemplate':'a:{b}','name':'x','text':'',"
		  "'steps':[{'wait_ms':1},%s]}]",
		  "templates.x.steps[1]" },
	};
	static const char *const rows[][3] = {
		{ "7", "", "a step is an object with" },
		{ "{}", "", "a step is an object with" },
		{ "{'wait':1}", "", "a step is an object with" },
		{ "{'wait_ms':1,'times':2}", "", "no member 'times'" },
		{ "{'wait_ms':-1}", ".wait_ms", "from 0 to 3600000" },
		{ "{'wait_ms':3600001}", ".wait_ms", "from 0 to 3600000" },
		{ "{'wait_ms':'${c}'}", "", "there is no 'c'" },
		{ "{'pause_ms':3600001}", ".pause_ms", "from 0 to 3600000" },
		{ "{'progress':'1'}", "", "'progress' and 'total' are" },
		{ "{'progress':1,'total':'1'}", "", "'progress' and 'total'" },
		{ "{'progress':1,'times':0}", ".times", "from 1 to 10000" },
		{ "{'progress':1,'times':10001}", ".times", "from 1 to 10000" },
		{ "{'progress':1,'message':'${c}'}", "", "there is no 'c'" },
		{ "{'log':'${c}'}", "", "there is no 'c'" },
		{ "{'log':'a','times':0}", ".times", "from 1 to 10000" },
		{ "{'log':7}", "", "a log message" },
		{ "{'log':{'level':'info'}}", "", "needs 'data'" },
		{ "{'log':{'data':'a','level':'loud'}}", "", "'level' is" },
		{ "{'log':{'data':'a','level':7}}", "", "'level' is" },
		{ "{'log':{'data':'a','x':1}}", "", "no member 'x'" },
		{ "{'ask':7}", ".ask", "an object" },
		{ "{'ask':{}}", "", "something to ask" },
		{ "{'ask':{'k':7}}", ".ask.k", "what is asked" },
		{ "{'ask':{'k':{'method':'ping'}}}", ".ask.k", "'method' is" },
		{ "{'ask':{'k':{'method':'roots/list','params':7}}}",
		  ".ask.k.params", "an object" },
		{ "{'ask':{'k':{'method':'roots/list','optional':7}}}",
		  ".ask.k.optional", "true or false" },
		{ "{'ask':{'k':{'method':'roots/list','x':7}}}", ".ask.k",
		  "no member 'x'" },
		{ "{'ask':{'k':{'method':'roots/list','params':{'a':'${c}'}}}}",
		  ".ask.k.a", "there is no 'c'" },
		{ "{'ask':{'k':{'method':'roots/list'}},'state':7}", ".state",
		  "true or false" },
		{ "{'ask':{'k':{'method':'roots/list'}},'timeout_ms':0}",
		  ".timeout_ms", "from 1 to 86400000" },
		{ "{'updated':7}", "", "'updated' is the URI" },
		{ "{'updated':'${c}'}", "", "there is no 'c'" },
		{ "{'toggle':7}", "", "'toggle' is an object" },
		{ "{'toggle':{}}", "", "'toggle' is an object" },
		{ "{'toggle':{'tool':'none'}}", "", "'toggle' is an object" },
		{ "{'toggle':{'prompt':'none'}}", "", "'toggle' is an object" },
		{ "{'toggle':{'resource':'no:'}}", "", "'toggle' is an obj" },
		{ "{'toggle':{'tool':'x','prompt':'x'}}", "", "'toggle' is" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *const *e = elements[i % COUNT(elements)];
		CLEANUP(buf_done) struct buf text = { 0 };
		const char *hole = strstr(e[0], "%s");
		CLEANUP(mem_free_ptr)
		char *place = mem_printf("%s%s", e[1], rows[i][1]);

		buf_text(&text, "{'kind':'service','name':'s',");
		buf_add(&text, e[0], (size_t)(hole - e[0]));
		buf_text(&text, rows[i][0]);
		buf_text(&text, hole + 2);
		buf_char(&text, '}');
		for (size_t k = 0; k < text.len; k++)
			if (text.data[k] == '\'')
				text.data[k] = '"';
		refused(buf_string(&text), place, rows[i][2]);
	}
}

/* What a service's file says is what it has. */
static void test_parts(void **state)
{
	static const char text[] =
		"{\"kind\":\"service\",\"name\":\"s\",\"title\":\"T\",\"version\":\"9\","
		"\"instructions\":\"I\",\"era\":\"both\",\"cache\":{\"ttl_ms\":5,"
		"\"scope\":\"public\"},\"tools\":[{\"name\":\"a\",\"hidden\":true,"
		"\"result\":1,\"task\":{}},{\"name\":\"b\",\"result\":true,\"task\":{"
		"\"support\":\"required\",\"poll_ms\":0,\"ttl_ms\":86400000}},{"
		"\"name\":\"c\",\"result\":{\"text\":\"ab\",\"times\":3},\"steps\":[{"
		"\"toggle\":{\"resource\":\"r:1\"}}]}],\"prompts\":[{\"name\":\"p\","
		"\"hidden\":true,\"text\":[\"a\",\"b\"],\"arguments\":[{\"name\":\"x\","
		"\"title\":\"X\",\"description\":\"d\",\"required\":true,\"values\":["
		"\"v\",\"w\"]}]}],\"resources\":[{\"uri\":\"r:1\",\"text\":[\"l\",\"m\"]},{"
		"\"uri\":\"r:2\",\"name\":\"two\",\"title\":\"Two\",\"blob\":\"AAEC\","
		"\"hidden\":true}],\"templates\":[{\"uriTemplate\":\"t:{x}\","
		"\"mimeType\":\"text/x\",\"text\":\"<${x}>\"}]}";
	const struct service *s;
	struct bench b;

	(void)state;
	bench_open(&b, text, NULL);
	s = b.service;
	assert_int_equal(s->eras, SERVICE_LEGACY | SERVICE_MODERN);
	assert_int_equal(s->ttl_ms, 5);
	assert_string_equal(s->cache_scope, "public");
	assert_true(s->has_tasks && s->resources_change);
	assert_false(s->tools_change || s->prompts_change || s->updates);
	assert_true(s->tool[0].hidden);
	assert_string_equal(s->tool[0].task, "optional");
	assert_int_equal(s->tool[0].poll_ms, 1000);
	assert_int_equal(s->tool[0].ttl_ms, 0);
	assert_string_equal(s->tool[1].task, "required");
	assert_int_equal(s->tool[1].poll_ms, 0);
	assert_int_equal(s->tool[1].ttl_ms, 86400000);
	assert_null(s->tool[2].task);
	assert_true(s->prompt[0].hidden && s->resource[1].hidden);
	assert_string_equal(s->prompt[0].text, "a\nb");
	assert_string_equal(s->prompt[0].uri, "prompt://p");
	assert_string_equal(s->resource[0].name, "r:1");
	assert_string_equal(s->resource[1].name, "two");
	bench_initialize(&b, "2025-06-18");
	bench_method(&b, "tools/list", "{}",
		     "{\"tools\":[{\"name\":\"b\",\"inputSchema\":{\"type\":"
		     "\"object\"}},{\"name\":\"c\",");
	bench_method(&b, "tools/call", "{\"name\":\"c\"}", "\"ababab\"");
	bench_method(&b, "tools/call", "{\"name\":\"a\"}", "no tool 'a'");
	bench_method(&b, "prompts/list", "{}", "{\"prompts\":[]}");
	bench_method(&b, "prompts/get", "{\"name\":\"p\"}", "no prompt 'p'");
	bench_method(
		&b, "resources/templates/list", "{}",
		"{\"resourceTemplates\":[{\"name\":\"t:{x}\",\"uriTemplate\":"
		"\"t:{x}\",\"mimeType\":\"text/x\"}]}");
	bench_method(&b, "resources/read", "{\"uri\":\"t:1\"}",
		     "{\"contents\":[{\"uri\":\"t:1\",\"mimeType\":\"text/x\","
		     "\"text\":\"<1>\"}]}");
	/* calling c has hidden it, calling it again shows it */
	bench_method(&b, "resources/list", "{}", "{\"resources\":[]}");
	bench_method(&b, "resources/read", "{\"uri\":\"r:1\"}", "not found");
	bench_method(&b, "tools/call", "{\"name\":\"c\"}", "\"ababab\"");
	bench_method(
		&b, "resources/list", "{}",
		"{\"resources\":[{\"name\":\"r:1\",\"uri\":\"r:1\",\"mimeType\":"
		"\"text/plain\"}]}");
	bench_method(
		&b, "resources/read", "{\"uri\":\"r:1\"}",
		"{\"contents\":[{\"uri\":\"r:1\",\"mimeType\":\"text/plain\","
		"\"text\":\"l\\nm\"}]}");
	bench_method(&b, "resources/read", "{\"uri\":\"r:2\"}", "not found");
	bench_close(&b);
	bench_open(
		&b,
		"{\"kind\":\"service\",\"name\":\"s\",\"resources\":[{\"uri\":"
		"\"r:2\",\"name\":\"two\",\"title\":\"Two\",\"blob\":\"AAEC\"}]}",
		NULL);
	assert_string_equal(b.service->cache_scope, "private");
	assert_int_equal(b.service->eras, SERVICE_LEGACY);
	bench_method(&b, "resources/list", "{}",
		     "[{\"name\":\"two\",\"title\":\"Two\",\"uri\":\"r:2\","
		     "\"mimeType\":\"application/octet-stream\"}]");
	bench_method(
		&b, "resources/read", "{\"uri\":\"r:2\"}",
		"[{\"uri\":\"r:2\",\"mimeType\":\"application/octet-stream\","
		"\"blob\":\"AAEC\"}]");
	bench_initialize(&b, "2025-03-26");
	bench_method(&b, "resources/list", "{}",
		     "[{\"name\":\"two\",\"uri\":\"r:2\"");
	bench_close(&b);
}

/* Arguments of a prompt: as they are listed, and what stands for them. */
static void test_prompt_arguments(void **state)
{
	static const char text[] =
		"{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":\"p\","
		"\"title\":\"P\",\"description\":\"D\",\"arguments\":[{\"name\":\"x\","
		"\"title\":\"X\",\"description\":\"d\",\"required\":true,\"values\":["
		"\"Va\",\"vb\",\"w\"]},{\"name\":\"y\",\"default\":\"why\"},{\"name\":"
		"\"z\"}],\"text\":\"${x}-${y}-${z}\"}]}";
	struct bench b;

	(void)state;
	bench_open(&b, text, NULL);
	bench_method(
		&b, "prompts/list", "{}",
		"{\"prompts\":[{\"name\":\"p\",\"title\":\"P\",\"description\":"
		"\"D\",\"arguments\":[{\"name\":\"x\",\"title\":\"X\","
		"\"description\":\"d\",\"required\":true},{\"name\":\"y\","
		"\"required\":false},{\"name\":\"z\",\"required\":false}]}]}");
	bench_method(&b, "prompts/get",
		     "{\"name\":\"p\",\"arguments\":{\"x\":\"1\"}}",
		     "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
		     "\"text\",\"text\":\"1-why-\"}}],\"description\":\"D\"}");
	bench_method(
		&b, "prompts/get",
		"{\"name\":\"p\",\"arguments\":{\"x\":\"\",\"y\":\"2\",\"z\":"
		"\"3\"}}",
		"\"text\":\"-2-3\"");
	bench_method(&b, "prompts/get", "{\"name\":\"p\",\"arguments\":[]}",
		     "'arguments' must be an object");
	bench_method(
		&b, "completion/complete",
		"{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
		"\"argument\":{\"name\":\"x\",\"value\":\"v\"}}",
		"{\"values\":[\"Va\",\"vb\"],\"total\":2,\"hasMore\":false}");
	bench_method(&b, "completion/complete",
		     "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
		     "\"argument\":{\"name\":\"y\",\"value\":\"\"}}",
		     "{\"values\":[],\"total\":0,\"hasMore\":false}");
	bench_method(&b, "completion/complete",
		     "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"q\"},"
		     "\"argument\":{\"name\":\"y\",\"value\":\"\"}}",
		     "no prompt 'q'");
	bench_method(&b, "completion/complete",
		     "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
		     "\"argument\":{\"name\":\"x\"}}",
		     "'argument' with 'name' and 'value' are needed");
	bench_method(&b, "completion/complete",
		     "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"a:b\"},"
		     "\"argument\":{\"name\":\"x\",\"value\":\"\"}}",
		     "Resource not found: 'a:b'");
	bench_close(&b);
}

/* No more than a hundred values are told, and that there are more is. */
static void test_many_values(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	static const char ask[] =
		"{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{"
		"\"name\":\"x\",\"value\":\"%s\"}}";
	CLEANUP(mem_free_ptr) char *all = mem_printf(ask, "v");
	CLEANUP(mem_free_ptr) char *some = mem_printf(ask, "v1");
	struct bench b;

	(void)state;
	buf_text(
		&text,
		"{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":"
		"\"p\",\"text\":\"\",\"arguments\":[{\"name\":\"x\",\"values\":["
		"\"v0\"");
	for (int i = 0; i < 100; i++)
		buf_printf(&text, ",\"v%s%d\"", i < 99 ? "1" : "", i);
	buf_text(&text, "]}]}]}");
	bench_open(&b, buf_string(&text), NULL);
	bench_method(&b, "completion/complete", all,
		     "\"v198\"],\"total\":101,\"hasMore\":true}");
	bench_method(&b, "completion/complete", some,
		     "\"v198\"],\"total\":99,\"hasMore\":false}");
	bench_close(&b);
}

/* A hundred are all. */
static void test_hundred_values(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct bench b;

	(void)state;
	buf_text(
		&text,
		"{\"kind\":\"service\",\"name\":\"s\",\"prompts\":[{\"name\":"
		"\"p\",\"text\":\"\",\"arguments\":[{\"name\":\"x\",\"values\":["
		"\"v0\"");
	for (int i = 1; i < 100; i++)
		buf_printf(&text, ",\"v%d\"", i);
	buf_text(&text, "]}]}]}");
	bench_open(&b, buf_string(&text), NULL);
	bench_method(
		&b, "completion/complete",
		"{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{"
		"\"name\":\"x\",\"value\":\"v\"}}",
		",\"v99\"],\"total\":100,\"hasMore\":false}");
	bench_close(&b);
}

/* What an older client gets to see of a result, and of a resource. */
static void test_older_results(void **state)
{
	static const char blob[] =
		"{\"kind\":\"service\",\"name\":\"s\",\"resources\":[{\"uri\":"
		"\"x:y\",\"name\":\"y\",\"blob\":\"AA==\"}]}";
	struct bench b;

	(void)state;
	bench_open(&b, profile, NULL);
	bench_initialize(&b, "2025-03-26");
	bench_method(&b, "tools/call", "{\"name\":\"data\"}",
		     "\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
		     "\"{\\\"a\\\":1}\"}],\"isError\":false}");
	bench_close(&b);
	/* resources/get is for texts. */
	bench_open(&b, blob, NULL);
	bench_method(
		&b, "resources/get", "{\"name\":\"y\"}",
		"\"code\":-32602,\"message\":\"Invalid params: there is no");
	bench_method(&b, "resources/read", "{\"uri\":\"x:y\"}",
		     "\"blob\":\"AA==\"");
	bench_close(&b);
}

static void test_kinds(void **state)
{
	struct error err = { 0 };

	(void)state;
	/* as the manual has it */
	assert_non_null(strstr(sim_profile_help_service, "\ndials\tarduino:"));
	assert_true(service_profile_dials("src/sim/profiles/arduino.json"));
	assert_false(service_profile_dials(LLM));
	assert_false(service_profile_dials("/nope.json"));
	assert_false(service_profile_dials(NULL));
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
		cmocka_unit_test(test_over),
		cmocka_unit_test(test_wrong_parts),
		cmocka_unit_test(test_wrong_steps),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_prompt_arguments),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_hundred_values),
		cmocka_unit_test(test_older_results),
		cmocka_unit_test(test_kinds),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
