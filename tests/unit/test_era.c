/* SPDX-License-Identifier: MIT */
/* The pure parts of both eras: which it is, what requests carry, rounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/era.h"
#include "mcp/modern.h"
#include "mcp/param_headers.h"
#include "mcp/revision.h"
#include "mcp/rounds.h"

/* ---- which era ---- */

struct era_row {
	enum error_kind kind;
	int code; /* 0: it has none */
	bool http, again;
	const char *result, *error;
	enum era_verdict verdict;
};

static const struct era_row era_rows[] = {
	{ ERR_NONE, 0, true, false,
	  "{\"supportedVersions\":[\"2025-11-25\",\"2026-07-28\"]}", NULL,
	  ERA_IS_MODERN },
	{ ERR_NONE, 0, true, false, "{\"supportedVersions\":[\"2025-11-25\"]}",
	  NULL, ERA_IS_LEGACY },
	{ ERR_NONE, 0, false, false, "{}", NULL, ERA_IS_LEGACY },
	{ ERR_NONE, 0, false, false, "7", NULL, ERA_IS_LEGACY },
	{ ERR_PEER, -32601, false, false, NULL, "{}", ERA_IS_LEGACY },
	{ ERR_PEER, -32600, true, false, NULL, "{}", ERA_IS_LEGACY },
	{ ERR_PEER, 0, true, false, NULL, "{}", ERA_IS_LEGACY },
	{ ERR_PEER, -32020, true, false, NULL, "{}", ERA_IS_MODERN },
	{ ERR_PEER, -32022, true, false, NULL,
	  "{\"data\":{\"supported\":[\"2026-07-28\"]}}", ERA_AGAIN },
	{ ERR_PEER, -32022, true, true, NULL,
	  "{\"data\":{\"supported\":[\"2026-07-28\"]}}", ERA_OPEN },
	{ ERR_PEER, -32022, false, false, NULL,
	  "{\"data\":{\"supported\":[\"2030-01-01\",3]}}", ERA_OPEN },
	{ ERR_CONNECT, 404, true, false, NULL, NULL, ERA_IS_LEGACY },
	{ ERR_CONNECT, 405, true, false, NULL, NULL, ERA_IS_LEGACY },
	{ ERR_CONNECT, 429, true, false, NULL, NULL, ERA_OPEN },
	{ ERR_CONNECT, 503, true, false, NULL, NULL, ERA_OPEN },
	{ ERR_CONNECT, 111, true, false, NULL, NULL, ERA_OPEN },
	{ ERR_CONNECT, 0, false, false, NULL, NULL, ERA_OPEN },
	{ ERR_AUTH, 401, true, false, NULL, NULL, ERA_OPEN },
	{ ERR_TIMEOUT, 0, true, false, NULL, NULL, ERA_OPEN },
	{ ERR_TIMEOUT, 0, false, false, NULL, NULL, ERA_IS_LEGACY },
	{ ERR_PROTOCOL, 0, true, false, NULL, NULL, ERA_IS_LEGACY },
};

static cJSON *tree(const char *text)
{
	return text ? json_parse(text, strlen(text), NULL) : NULL;
}

static void judges_the_answer(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(era_rows); i++) {
		const struct era_row *row = &era_rows[i];
		const struct error failure = { .kind = row->kind,
					       .code = row->code,
					       .has_code = row->code != 0 };
		CLEANUP(json_free_ptr) cJSON *result = tree(row->result);
		CLEANUP(json_free_ptr) cJSON *error = tree(row->error);
		const struct era_answer answer = { .failure = &failure,
						   .result = result,
						   .error = error,
						   .http = row->http,
						   .again = row->again };
		const char *revision;

		if (era_judge(&answer, &revision) != row->verdict)
			fail_msg("row %zu", i);
		assert_int_equal(revision != NULL,
				 row->verdict == ERA_IS_MODERN ||
					 row->verdict == ERA_AGAIN ||
					 (row->again && revision));
	}
}

static void keeps_and_reads(void **state)
{
	const struct era_known modern = { ERA_MODERN, ERA_BY_ANSWER, false,
					  MODERN_NEWEST };
	static const char reply[] = "{\"id\": 1, \"result\": {}}";
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"era\":\"modern\",\"found\":\"discover\"}",
		"{\"era\":\"modern\",\"found\":\"discover\",\"revision\":\"2025-11-25\"}",
		"{\"era\":\"legacy\",\"found\":\"discover\",\"revision\":\"2026-07-28\"}",
		"{\"era\":\"future\",\"found\":\"discover\"}",
		"{\"era\":\"legacy\",\"found\":\"dream\"}"
	};
	CLEANUP(buf_done) struct buf text = { 0 };
	struct era_known back;
	struct span kept;

	(void)state;
	era_write(&text, &modern, (struct span){ reply, strlen(reply) });
	assert_int_equal(
		era_read(&back, &kept, (struct span){ text.data, text.len }),
		0);
	assert_int_equal(back.era, ERA_MODERN);
	assert_int_equal(back.how, ERA_BY_ANSWER);
	assert_true(back.kept);
	assert_string_equal(back.revision, MODERN_NEWEST);
	assert_int_equal(kept.len, strlen("{\"id\":1,\"result\":{}}"));
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (!era_read(&back, &kept,
			      (struct span){ bad[i], strlen(bad[i]) }))
			fail_msg("%s", bad[i]);
	}
}

/* ---- what requests carry ---- */

static const struct client_answers nothing, all = { true, true, true, true };

static void assert_params(const char *params, const struct modern_meta *m,
			  const char *wanted)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	modern_params(&out, params, m);
	assert_string_equal(buf_string(&out), wanted);
}

#define VERSION "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define NONE "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define INFO                                                           \
	"\"io.modelcontextprotocol/clientInfo\":{\"name\":\"mcpctl\"," \
	"\"version\":\"" MCPCTL_VERSION "\"}"

static void adds_what_each_must_have(void **state)
{
	const struct modern_meta plain = { MODERN_NEWEST, &nothing, NULL, 0,
					   false };
	const struct modern_meta full = { MODERN_NEWEST, &all, "debug", 7,
					  true };

	(void)state;
	assert_params(NULL, &plain,
		      "{\"_meta\":{" VERSION "," NONE "," INFO "}}");
	assert_params(" { \"a\" : 1 } ", &plain,
		      "{\"a\" : 1,\"_meta\":{" VERSION "," NONE "," INFO "}}");
	assert_params("{\"_meta\":{},\"a\":1}", &plain,
		      "{\"_meta\":{" VERSION "," NONE "," INFO "},\"a\":1}");
	/* What the user says stays. */
	assert_params(
		"{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"x\",\"b\":2}}",
		&plain,
		"{\"_meta\":{" NONE "," INFO
		",\"io.modelcontextprotocol/protocolVersion\":\"x\",\"b\":2}}");
	assert_params(
		"{}", &full,
		"{\"_meta\":{" VERSION
		",\"io.modelcontextprotocol/clientCapabilities\":{\"roots\":{},\"sampling\":{},\"elicitation\":{\"form\":{},\"url\":{}},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}," INFO
		",\"io.modelcontextprotocol/logLevel\":\"debug\",\"progressToken\":7}}");
	/* Odd on purpose. */
	assert_params("[1]", &plain, "[1]");
	assert_params("{\"_meta\":3}", &plain, "{\"_meta\":3}");
	assert_params("{", &plain, "{");
}

static void assert_value(const char *text, const char *wanted)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	modern_header_value(&out, text);
	assert_string_equal(buf_string(&out), wanted);
}

static void encodes_values(void **state)
{
	(void)state;
	assert_value("us-west1", "us-west1");
	assert_value("", "");
	assert_value("a b\tc", "a b\tc");
	assert_value(" a", "=?base64?IGE=?=");
	assert_value("a\t", "=?base64?YQk=?=");
	assert_value("a\r\nb", "=?base64?YQ0KYg==?=");
	assert_value("\xc3\xa9", "=?base64?w6k=?=");
	assert_value("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
	assert_value("=?base64?", "=?base64?");
}

static void repeats_in_headers(void **state)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	(void)state;
	modern_headers(&h, "tools/call",
		       "{\"name\":\"caf\\u00e9\",\"_meta\":{" VERSION "}}");
	assert_string_equal(headers_get(&h, "Mcp-Method"), "tools/call");
	assert_string_equal(headers_get(&h, "Mcp-Name"), "=?base64?Y2Fmw6k=?=");
	assert_string_equal(headers_get(&h, "MCP-Protocol-Version"),
			    "2026-07-28");
	headers_done(&h);
	h = (struct headers){ 0 };
	modern_headers(&h, "tools/list", "{\"name\":\"x\"}");
	assert_null(headers_get(&h, "Mcp-Name"));
	headers_done(&h);
	h = (struct headers){ 0 };
	modern_headers(&h, "resources/read", "[]");
	assert_null(headers_get(&h, "Mcp-Name"));
}

static void judges_results(void **state)
{
	static const struct {
		const char *method, *result;
		int status;
		bool asks, tasks;
	} rows[] = {
		{ "tools/list", "{}", 0, false, false },
		{ "tools/list", "{\"resultType\":\"complete\"}", 0, false,
		  false },
		{ "tools/call", "{\"resultType\":\"input_required\"}", 0, true,
		  false },
		{ "tools/list", "{\"resultType\":\"input_required\"}", -1,
		  false, false },
		{ "tools/call", "{\"resultType\":\"task\"}", -1, false, false },
		{ "tools/call", "{\"resultType\":\"task\"}", 0, false, true },
		{ "tools/call", "{\"resultType\":\"tasks\"}", -1, false, true },
		{ "tools/call", "{\"resultType\":1}", -1, false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr) cJSON *result = tree(rows[i].result);
		CLEANUP(error_reset) struct error err = { 0 };
		bool asks;

		assert_int_equal(modern_judge(rows[i].method, result,
					      rows[i].tasks, &asks, &err),
				 rows[i].status);
		assert_int_equal(asks, rows[i].asks);
	}
}

/* ---- arguments as headers ---- */

static void checks_marks(void **state)
{
	static const struct {
		const char *schema;
		int status;
		size_t count;
	} rows[] = {
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":{\"properties\":{\"c\":{\"type\":\"integer\",\"x-mcp-header\":\"C\"}}}}}",
		  0, 2 },
		{ "{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}",
		  0, 0 },
		{ "{\"default\":{\"x-mcp-header\":\"\"}}", 0, 0 },
		{ "{\"type\":\"string\",\"x-mcp-header\":\"A\"}", -1, 0 },
		{ "{\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}",
		  -1, 0 },
		{ "{\"properties\":{\"a\":{\"x-mcp-header\":\"A\"}}}", -1, 0 },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A B\"}}}",
		  -1, 0 },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\\r\\nB\"}}}",
		  -1, 0 },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":{\"type\":\"string\",\"x-mcp-header\":\"a\"}}}",
		  -1, 1 },
		{ "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}]}",
		  -1, 0 },
		{ "{\"$defs\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}",
		  -1, 0 },
		{ "{\"properties\":{\"a\":{\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}",
		  -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr) cJSON *schema = tree(rows[i].schema);
		CLEANUP(error_reset) struct error err = { 0 };
		size_t count;

		if (param_headers_check(schema, &count, &err) !=
			    rows[i].status ||
		    count != rows[i].count)
			fail_msg("%s: %s", rows[i].schema, err.text);
	}
}

static void makes_headers(void **state)
{
	CLEANUP(json_free_ptr)
	cJSON *schema = tree(
		"{\"properties\":{\"s\":{\"type\":\"string\",\"x-mcp-header\":\"S\"},\"i\":{\"type\":\"integer\",\"x-mcp-header\":\"I\"},\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"},\"n\":{\"type\":\"string\",\"x-mcp-header\":\"N\"},\"big\":{\"type\":\"integer\",\"x-mcp-header\":\"Big\"},\"o\":{\"properties\":{\"d\":{\"type\":\"string\",\"x-mcp-header\":\"Deep\"}}}}}");
	CLEANUP(json_free_ptr)
	cJSON *arguments = tree(
		"{\"s\":\"\",\"i\":-9007199254740991,\"b\":false,\"n\":null,\"big\":1e300,\"o\":{\"d\":\"x\"},\"other\":1}");
	CLEANUP(headers_done) struct headers h = { 0 };

	(void)state;
	param_headers_add(&h, schema, arguments);
	assert_int_equal(h.count, 4);
	assert_string_equal(headers_get(&h, "Mcp-Param-S"), "");
	assert_string_equal(headers_get(&h, "Mcp-Param-I"),
			    "-9007199254740991");
	assert_string_equal(headers_get(&h, "Mcp-Param-B"), "false");
	assert_string_equal(headers_get(&h, "Mcp-Param-Deep"), "x");
}

/* ---- rounds ---- */

static int take(struct rounds *r, const char *text, struct error *err)
{
	CLEANUP(message_done) struct message m = { 0 };

	assert_int_equal(message_decode(&m, text, strlen(text), err), 0);
	return rounds_take(r, &m, err);
}

#define REPLY(result) "{\"id\":1,\"result\":" result "}"

static void answers_a_round(void **state)
{
	CLEANUP(rounds_done) struct rounds r = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	assert_int_equal(
		take(&r,
		     REPLY("{\"inputRequests\":{\"a\\\"b\":{\"method\":\"roots/list\"},\"c\":{\"method\":\"m\",\"params\":{\"x\":1}}},\"requestState\":\"\\u002f\\/\"}"),
		     &err),
		0);
	assert_int_equal(r.asks, 2);
	assert_false(r.answered);
	assert_string_equal(r.ask[1].params, "{\"x\":1}");
	round_answer(&r.ask[1], "{\"y\":2}");
	assert_false(r.answered);
	round_answer(&r.ask[0], "{}");
	assert_true(r.answered);
	assert_null(rounds_refused(&r));
	rounds_params(&out, "{\"name\":\"t\"}", &r);
	assert_string_equal(
		buf_string(&out),
		"{\"name\":\"t\",\"inputResponses\":{\"a\\\"b\":{},\"c\":{\"y\":2}},\"requestState\":\"\\u002f\\/\"}");
	/* Nothing of it is in the next round. */
	assert_int_equal(
		take(&r,
		     REPLY("{\"inputRequests\":{\"z\":{\"method\":\"m\"}}}"),
		     &err),
		0);
	round_refuse(&r.ask[0], "no");
	assert_true(r.answered);
	assert_string_equal(rounds_refused(&r)->refused, "no");
	buf_reset(&out);
	rounds_params(&out, "{}", &r);
	assert_string_equal(buf_string(&out),
			    "{\"inputResponses\":{\"z\":{}}}");
}

static void refuses_what_is_no_round(void **state)
{
	static const char *const bad[] = {
		REPLY("{}"),
		REPLY("{\"requestState\":7}"),
		REPLY("{\"inputRequests\":[]}"),
		REPLY("{\"inputRequests\":{\"a\":{}}}"),
		REPLY("{\"inputRequests\":{}}"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		CLEANUP(rounds_done) struct rounds r = { 0 };
		CLEANUP(error_reset) struct error err = { 0 };

		if (!take(&r, bad[i], &err))
			fail_msg("%s", bad[i]);
	}
}

static void ends_after_many(void **state)
{
	CLEANUP(rounds_done) struct rounds r = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	for (int i = 0; i < ROUNDS_MAX; i++)
		assert_int_equal(
			take(&r, REPLY("{\"requestState\":\"s\"}"), &err), 0);
	assert_true(r.answered);
	assert_int_equal(take(&r, REPLY("{\"requestState\":\"s\"}"), &err), -1);
}

static void leaves_the_users_own(void **state)
{
	(void)state;
	assert_false(rounds_are_users(NULL));
	assert_false(rounds_are_users(" {\"name\":\"x\"}"));
	assert_true(rounds_are_users("{\"requestState\":\"x\"}"));
	assert_true(rounds_are_users("{\"inputResponses\":{}}"));
	assert_true(rounds_are_users("[]"));
	assert_true(rounds_are_users("{"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_the_answer),
		cmocka_unit_test(keeps_and_reads),
		cmocka_unit_test(adds_what_each_must_have),
		cmocka_unit_test(encodes_values),
		cmocka_unit_test(repeats_in_headers),
		cmocka_unit_test(judges_results),
		cmocka_unit_test(checks_marks),
		cmocka_unit_test(makes_headers),
		cmocka_unit_test(answers_a_round),
		cmocka_unit_test(refuses_what_is_no_round),
		cmocka_unit_test(ends_after_many),
		cmocka_unit_test(leaves_the_users_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
