/* SPDX-License-Identifier: MIT */
/* The ways of small SDKs (espressif.md 2 to 5), from literal bytes. */
#include "service_harness.h"

#define ESPRESSIF "src/sim/profiles/espressif.json"
#define REPLY(rest) "{\"jsonrpc\":\"2.0\",\"id\":\"r\"," rest "}"
#define TEXT(text)                                                           \
	REPLY("\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text \
	      "\"}],\"isError\":false}")
#define REFUSED                                                            \
	REPLY("\"error\":{\"code\":-32602,\"message\":\"Invalid params\"," \
	      "\"data\":{\"expected\":\"params.arguments\",\"field\":"     \
	      "\"params.arguments\"}}")

static void called(struct bench *b, const char *params, const char *expected)
{
	CLEANUP(mem_free_ptr) char *text = request("tools/call", params);

	bench_says(b, text, expected);
}

static void initialize_is_first(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, ESPRESSIF, NULL);
	bench_says(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"ping\"}",
		   REPLY("\"error\":{\"code\":-32600,\"message\":"
			 "\"Invalid Request\",\"data\":{\"reason\":"
			 "\"initialize must be first interaction\"}}"));
	bench_initialize(&b, "2025-11-25");
	bench_says(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"r\",\"method\":\"ping\"}",
		   REPLY("\"result\":{}"));
	bench_close(&b);
}

static void every_argument_is_wanted(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, ESPRESSIF, NULL);
	bench_initialize(&b, "2025-11-25");
	called(&b, "{\"name\":\"self.screen.set_hsv\",\"arguments\":{\"h\":3}}",
	       REFUSED);
	called(&b, "{\"name\":\"self.screen.set_hsv\",\"arguments\":{}}",
	       REFUSED);
	called(&b,
	       "{\"name\":\"self.screen.set_hsv\",\"arguments\":{\"h\":3,"
	       "\"s\":50.7,\"v\":\"a\",\"more\":1}}",
	       TEXT("{\\\"h\\\":3,\\\"s\\\":50,\\\"v\\\":0}"));
	/* The range is looked at. */
	called(&b,
	       "{\"name\":\"self.screen.set_hsv\",\"arguments\":{\"h\":361,"
	       "\"s\":1,\"v\":1}}",
	       REFUSED);
	/* Without arguments nothing is. */
	called(&b, "{\"name\":\"self.screen.set_hsv\"}",
	       TEXT("{\\\"h\\\":0,\\\"s\\\":0,\\\"v\\\":0}"));
	bench_close(&b);
}

static void answers_of_its_own(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b, ESPRESSIF, NULL);
	bench_initialize(&b, "2025-11-25");
	called(&b,
	       "{\"name\":\"self.camera.take_photo\",\"arguments\":{"
	       "\"question\":\"?\"}}",
	       TEXT("false"));
	called(&b, "{\"name\":\"self.log.read\",\"arguments\":{}}",
	       REPLY("\"result\":{\"content\":[],\"isError\":false}"));
	called(&b, "{\"name\":\"none\",\"arguments\":{}}",
	       REPLY("\"error\":{\"code\":-32002,\"message\":"
		     "\"Tool not found\"}"));
	bench_method(&b, "prompts/get", "{\"name\":\"none\"}",
		     "{\"code\":-32002,\"message\":\"Prompt not found\"}");
	bench_method(&b, "resources/read", "{\"uri\":\"device://x\"}",
		     "{\"code\":-32002,\"message\":\"Resource not found\"}");
	bench_close(&b);
}

/* Pages of at least 1,024 bytes. */
static void pages_of_bytes_newest_first(void **state)
{
	CLEANUP(buf_done) struct buf profile = { 0 };
	char description[300];
	struct bench b;

	(void)state;
	memset(description, 'd', sizeof(description) - 1);
	description[sizeof(description) - 1] = '\0';
	buf_text(&profile, "{\"kind\":\"service\",\"name\":\"s\",\"ways\":{"
			   "\"page_max\":1024,\"newest_first\":true},"
			   "\"tools\":[");
	for (int i = 1; i <= 5; i++)
		buf_printf(&profile,
			   "%s{\"name\":\"t%d\",\"description\":\"%s\","
			   "\"result\":true}",
			   i > 1 ? "," : "", i, description);
	buf_text(&profile, "]}");
	bench_open(&b, buf_string(&profile), NULL);
	bench_initialize(&b, "2025-11-25");
	bench_method(&b, "tools/list", "{}", "{\"tools\":[{\"name\":\"t5\"");
	bench_method(&b, "tools/list", "{}", "],\"nextCursor\":\"t3\"}");
	bench_method(&b, "tools/list", "{\"cursor\":\"t3\"}",
		     "{\"tools\":[{\"name\":\"t3\"");
	bench_method(&b, "tools/list", "{\"cursor\":\"t1\"}", "}]}}");
	bench_method(&b, "tools/list", "{\"cursor\":\"t6\"}",
		     "\"code\":-32602,\"message\":\"Invalid params\",\"data\":{"
		     "\"expected\":\"known params.cursor\"");
	bench_method(&b, "tools/list", "{\"cursor\":7}", "\"code\":-32602");
	bench_close(&b);
}

static void a_result_does_not_wait(void **state)
{
	CLEANUP(mem_free_ptr) char *id = NULL, *params = NULL;
	CLEANUP(mem_free_ptr) char *reply = NULL, *text = NULL;
	const char *at;
	struct bench b;

	(void)state;
	bench_open(&b, ESPRESSIF, NULL);
	bench_initialize(&b, "2025-11-25");
	text = request("tools/call", "{\"name\":\"self.calibrate\","
				     "\"arguments\":{},\"task\":{}}");
	reply = bench_ask(&b, text);
	at = strstr(reply, "\"taskId\":\"");
	assert_non_null(at);
	id = mem_strndup(at + 10, 32);
	params = mem_printf("{\"taskId\":\"%s\"}", id);
	bench_method(&b, "tasks/result", params,
		     "\"code\":-32000,\"message\":\"Task not complete\"");
	bench_close(&b);
}

/* Each way by itself: what it is then, and what it is without. */
static void each_way_is_its_own(void **state)
{
	static const char text[] =
		"{\"kind\":\"service\",\"name\":\"s\",\"ways\":{%s},\"tools\":[{"
		"\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\""
		":{\"i\":{\"type\":\"integer\"},\"n\":{\"type\":\"number\"},\"b\":"
		"{\"type\":\"boolean\"},\"a\":{\"type\":\"array\"},\"o\":{\"type\""
		":\"object\"},\"s\":{\"type\":\"string\"},\"x\":{}}},\"result\":{"
		"\"template\":\"${i}|${n}|${b}|${a}|${o}|${s}|${x}\"}},{\"name\":"
		"\"long\",\"result\":\"12345\"}]}";
	static const struct {
		const char *ways, *method, *params, *part;
	} rows[] = {
		{ "\"lax\":true", "tools/call", "{\"name\":\"t\"}",
		  "\"0|0|false||{}||\"" },
		{ "\"lax\":true", "tools/call",
		  "{\"name\":\"t\",\"arguments\":{\"i\":-50.7,\"n\":1.5,\"s\":"
		  "\"w\"}}",
		  "\"-50|1.5||||w|\"" },
		{ "\"lax\":true", "tools/call",
		  "{\"name\":\"t\",\"arguments\":{\"i\":\"7\",\"b\":true}}",
		  "\"0||true||||\"" },
		{ "\"lax\":true", "tools/call",
		  "{\"name\":\"t\",\"arguments\":{\"n\":\"7\"}}", "-32602" },
		{ "\"every_argument\":true", "tools/call",
		  "{\"name\":\"t\",\"arguments\":{\"i\":1}}",
		  "\"field\":\"params.arguments\"" },
		{ "\"every_argument\":true", "tools/call",
		  "{\"name\":\"t\",\"arguments\":{\"i\":1,\"n\":2,\"b\":true,"
		  "\"a\":[3,4],\"o\":{},\"s\":\"\",\"x\":5}}",
		  "\"1|2|true|3, 4|{}||5\"" },
		{ "\"text_max\":5", "tools/call", "{\"name\":\"long\"}",
		  "\"text\":\"12345\"" },
		{ "\"text_max\":4", "tools/call", "{\"name\":\"long\"}",
		  "\"content\":[]" },
		{ "\"newest_first\":true", "tools/list", "{}",
		  "{\"tools\":[{\"name\":\"long\"" },
		{ "\"newest_first\":false", "tools/list", "{}",
		  "{\"tools\":[{\"name\":\"t\"" },
		{ "\"not_found\":-1", "tools/call", "{\"name\":\"no\"}",
		  "\"code\":-1,\"message\":\"Tool not found\"" },
		{ "\"initialize_first\":false", "ping", "{}", "\"result\":{}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr) char *profile = NULL;
		const char *hole = strstr(text, "%s");
		struct bench b;

		profile = mem_printf("%.*s%s%s", (int)(hole - text), text,
				     rows[i].ways, hole + 2);
		bench_open(&b, profile, NULL);
		bench_method(&b, rows[i].method, rows[i].params, rows[i].part);
		bench_close(&b);
	}
}

static void how_it_is_reached(void **state)
{
	struct service_reach r;
	struct bench b;

	(void)state;
	bench_open(&b,
		   "{\"kind\":\"service\",\"name\":\"s\",\"ways\":{\"path\":"
		   "\"/m\",\"body_max\":9,\"session_ms\":8,\"sockets\":512}}",
		   NULL);
	r = service_reach(b.service);
	assert_string_equal(r.path, "/m");
	assert_int_equal(r.body_max, 9);
	assert_int_equal(r.session_ms, 8);
	assert_int_equal(r.sockets, 512);
	bench_close(&b);
}

static void profiles_are_checked(void **state)
{
	static const char *const rows[][2] = {
		{ "[]", "ways" },
		{ "{\"way\":1}", "way" },
		{ "{\"path\":\"mcp\"}", "path" },
		{ "{\"path\":\"/m?a\"}", "path" },
		{ "{\"page_max\":10}", "page_max" },
		{ "{\"not_found\":5}", "not_found" },
		{ "{\"lax\":1}", "lax" },
		{ "{\"path\":7}", "ways.path" },
		{ "{\"path\":\"/m#a\"}", "path" },
		{ "{\"path\":\"/m a\"}", "path" },
		{ "{\"body_max\":-1}", "ways.body_max" },
		{ "{\"session_ms\":-1}", "ways.session_ms" },
		{ "{\"sockets\":0}", "ways.sockets" },
		{ "{\"sockets\":513}", "1 to 512" },
		{ "{\"page_max\":1023}", "1024 to 16384" },
		{ "{\"page_max\":16385}", "1024 to 16384" },
		{ "{\"text_max\":0}", "ways.text_max" },
		{ "{\"not_found\":0}", "-2147483648 to -1" },
		{ "{\"every_argument\":1}", "ways.every_argument" },
		{ "{\"newest_first\":1}", "ways.newest_first" },
		{ "{\"initialize_first\":1}", "ways.initialize_first" },
		{ "{\"early_result\":1}", "ways.early_result" },
		{ "{\"lax\":1}", "ways.lax" },
	};
	const struct service_config config = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(error_reset) struct error err = { 0 };
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"{\"kind\":\"service\",\"name\":\"s\",\"ways\":%s}",
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
		cmocka_unit_test(initialize_is_first),
		cmocka_unit_test(every_argument_is_wanted),
		cmocka_unit_test(answers_of_its_own),
		cmocka_unit_test(pages_of_bytes_newest_first),
		cmocka_unit_test(a_result_does_not_wait),
		cmocka_unit_test(each_way_is_its_own),
		cmocka_unit_test(how_it_is_reached),
		cmocka_unit_test(profiles_are_checked),
	};

	mem_init();
	return cmocka_run_group_tests_name("service ways", tests, NULL, NULL);
}
