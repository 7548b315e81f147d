/* SPDX-License-Identifier: MIT */
/* The server side of MCP as firmware does it, from literal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/firmware.h"

struct fixture {
	struct firmware server;
	struct firmware_catalog catalog;
	struct buf out; /* the last reply, "" if none */
	struct firmware_call *call; /* the last call */
};

static void on_reply(void *owner, const struct firmware_reply *r)
{
	struct fixture *f = owner;

	assert_int_equal(f->out.len, 0);
	firmware_reply_encode(r, f->server.dialect, &f->out);
}

static void on_call(void *owner, struct firmware_call *call)
{
	struct fixture *f = owner;

	assert_null(f->call);
	f->call = call;
}

static const struct firmware_events events = { on_reply, on_call };

static struct firmware_tool *add(struct fixture *f, const char *name,
				 const char *description, bool user_only)
{
	struct firmware_tool *t =
		firmware_catalog_add(&f->catalog, f->catalog.count);

	t->name = mem_strdup(name);
	t->description = mem_strdup(description);
	t->user_only = user_only;
	return t;
}

static void add_mix(struct fixture *f)
{
	struct firmware_tool *t = add(f, "mix", "Three \"types\".", false);
	struct firmware_argument *a = firmware_tool_add_argument(t);

	a->name = mem_strdup("flag");
	a = firmware_tool_add_argument(t);
	a->name = mem_strdup("n");
	a->type = SERVER_INTEGER;
	a->has_default = a->has_minimum = a->has_maximum = true;
	a->number = 10;
	a->maximum = 20;
	a = firmware_tool_add_argument(t);
	a->name = mem_strdup("s");
	a->type = SERVER_STRING;
	a->has_default = true;
	a->text = mem_strdup("dflt");
	a->max_length = 4;
}

static int setup(void **state)
{
	struct fixture *f = mem_zalloc(sizeof(*f));
	size_t i;

	buf_init(&f->out, 0);
	f->catalog.board = "b";
	f->catalog.version = "2.4.2";
	f->catalog.camera = true;
	add(f, "plain", "p", false);
	add_mix(f);
	add(f, "hidden", "h", true);
	for (i = 0; i < f->catalog.count; i++)
		firmware_tool_prepare(f->catalog.tool + i, SERVER_2_4_2);
	f->server.catalog = &f->catalog;
	f->server.events = &events;
	f->server.owner = f;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	firmware_call_free(f->call);
	firmware_reset(&f->server);
	firmware_catalog_done(&f->catalog);
	buf_done(&f->out);
	mem_free(f);
	return 0;
}

/* The payload's reply, lent; "" if it stays unanswered. */
static const char *ask(struct fixture *f, const char *payload)
{
	cJSON *json = cJSON_Parse(payload);

	buf_reset(&f->out);
	firmware_call_free(f->call);
	f->call = NULL;
	firmware_receive(&f->server, json);
	cJSON_Delete(json);
	return buf_string(&f->out);
}

static void test_silent(void **state)
{
	static const char *const silent[] = {
		"{\"id\":1,\"method\":\"ping\"}",
		"{\"jsonrpc\":2,\"id\":1,\"method\":\"ping\"}",
		"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"notificationsX\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":\"\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
		"7",
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < COUNT(silent); i++)
		assert_string_equal(ask(f, silent[i]), "");
	firmware_receive(&f->server, NULL);
	assert_null(f->call);
}

static void test_ids(void **state)
{
	static const char *const pairs[][2] = {
		{ "0", "0" },
		{ "-3", "-3" },
		{ "48.9", "48" },
		{ "1e3", "1000" },
		{ "3000000000", "2147483647" },
		{ "-5000000000", "-2147483648" },
		{ "1e400", "2147483647" },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < COUNT(pairs); i++) {
		char request[128], reply[128];

		snprintf(request, sizeof(request),
			 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"x\"}",
			 pairs[i][0]);
		snprintf(reply, sizeof(reply),
			 "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{"
			 "\"message\":\"Method not implemented: x\"}}",
			 pairs[i][1]);
		assert_string_equal(ask(f, request), reply);
	}
}

static void test_initialize(void **state)
{
	static const char reply[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
		"\"protocolVersion\":\"2024-11-05\",\"capabilities\":{"
		"\"tools\":{}},\"serverInfo\":{\"name\":\"b\","
		"\"version\":\"2.4.2\"}}}";
	struct fixture *f = *state;

	assert_string_equal(
		ask(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		       "\"initialize\",\"params\":{\"CAPABILITIES\":{"
		       "\"vision\":{\"url\":\"http://v\",\"token\":\"t\"}}}}"),
		reply);
	assert_string_equal(f->server.vision_url, "http://v");
	assert_string_equal(f->server.vision_token, "t");
	/* one without a url keeps it; one with another replaces both */
	assert_string_equal(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
				   "\"initialize\"}"),
			    reply);
	assert_string_equal(f->server.vision_url, "http://v");
	ask(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
	       "\"params\":{\"capabilities\":{\"vision\":{\"url\":\"u\"}}}}");
	assert_string_equal(f->server.vision_url, "u");
	assert_null(f->server.vision_token);
}

static void test_no_camera_keeps_no_vision(void **state)
{
	struct fixture *f = *state;

	f->catalog.camera = false;
	ask(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
	       "\"params\":{\"capabilities\":{\"vision\":{\"url\":\"u\"}}}}");
	assert_null(f->server.vision_url);
}

#define PLAIN                                                         \
	"{\"name\":\"plain\",\"description\":\"p\",\"inputSchema\":{" \
	"\"type\":\"object\",\"properties\":{}}}"
#define MIX                                                           \
	"{\"name\":\"mix\",\"description\":\"Three \\\"types\\\".\"," \
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{"       \
	"\"flag\":{\"type\":\"boolean\"},"                            \
	"\"n\":{\"type\":\"integer\",\"default\":10,\"minimum\":0,"   \
	"\"maximum\":20},"                                            \
	"\"s\":{\"type\":\"string\",\"default\":\"dflt\"}},"          \
	"\"required\":[\"flag\"]}}"
#define HIDDEN                                                         \
	"{\"name\":\"hidden\",\"description\":\"h\",\"inputSchema\":{" \
	"\"type\":\"object\",\"properties\":{}},"                      \
	"\"annotations\":{\"audience\":[\"user\"]}}"

static void test_list(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
				   "\"tools/list\"}"),
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{"
			    "\"tools\":[" PLAIN "," MIX "]}}");
	assert_string_equal(
		ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		       "\"tools/list\",\"params\":{\"withUserTools\":true,"
		       "\"cursor\":\"mix\"}}"),
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[" MIX
		"," HIDDEN "]}}");
	/* only a JSON bool counts */
	assert_null(strstr(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
				  "\"tools/list\",\"params\":{"
				  "\"withUserTools\":1,\"cursor\":7}}"),
			   "hidden"));
}

static void test_list_errors(void **state)
{
	static const char failed[] =
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"message\":\"Failed "
		"to add tool  because of payload size limit\"}}";
	struct fixture *f = *state;

	assert_string_equal(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
				   "\"tools/list\",\"params\":{\"cursor\":"
				   "\"nope\"}}"),
			    failed);
	assert_string_equal(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
				   "\"tools/list\",\"params\":{\"cursor\":"
				   "\"hidden\"}}"),
			    failed);
}

/* The largest tool that can be listed alone has 7,959 bytes (device.md 3.5). */
static void test_page_limit(void **state)
{
	struct fixture *f = *state;
	struct firmware_tool *t = add(f, "big", "", false);
	size_t frame;
	char *text;

	firmware_tool_prepare(t, SERVER_2_4_2);
	frame = t->json_len;
	text = mem_zalloc(8000);
	memset(text, 'x', 7959 - frame);
	mem_free(t->description);
	t->description = text;
	firmware_tool_prepare(t, SERVER_2_4_2);
	assert_int_equal(t->json_len, 7959);
	assert_non_null(
		strstr(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
			      "\"tools/list\"}"),
		       MIX "],\"nextCursor\":\"big\"}}"));
	assert_int_equal(f->out.data[f->out.len - 1], '}');
	ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\","
	       "\"params\":{\"cursor\":\"big\"}}");
	assert_int_equal(f->out.len, 34 + 10 + 7959 + 2);
	text[7959 - frame] = 'x'; /* one more */
	firmware_tool_prepare(t, SERVER_2_4_2);
	assert_string_equal(
		ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		       "\"tools/list\",\"params\":{\"cursor\":\"big\"}}"),
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"message\":\"Failed "
		"to add tool big because of payload size limit\"}}");
}

/* params of a call, and the error's words in both dialects. */
static void expect_refusal(struct fixture *f, const char *params,
			   const char *old, int code, const char *next)
{
	char *request =
		mem_printf("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
			   "\"tools/call\"%s%s}",
			   params ? ",\"params\":" : "", params ? params : "");
	char *reply = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{"
				 "\"message\":\"%s\"}}",
				 old);

	f->server.dialect = SERVER_2_4_2;
	assert_string_equal(ask(f, request), reply);
	mem_free(reply);
	reply = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":"
			   "%d,\"message\":\"%s\"}}",
			   code, next);
	f->server.dialect = SERVER_2_5_0;
	assert_string_equal(ask(f, request), reply);
	assert_null(f->call);
	mem_free(reply);
	mem_free(request);
}

static void test_call_errors(void **state)
{
	struct fixture *f = *state;

	expect_refusal(f, NULL, "Missing params", -32602, "Missing params");
	expect_refusal(f, "{}", "Missing name", -32602, "Missing tool name");
	expect_refusal(f, "{\"name\":\"nope\",\"arguments\":null}",
		       "Invalid arguments", -32602,
		       "Invalid arguments: expected object");
	expect_refusal(f, "{\"name\":\"a\\\"b\\n\"}", "Unknown tool: a\"b\n",
		       -32602, "Unknown tool: a\"b\n");
	expect_refusal(f, "{\"name\":\"mix\"}", "Missing valid argument: flag",
		       -32602, "Missing required argument: flag");
	expect_refusal(f, "{\"name\":\"mix\",\"arguments\":{\"flag\":1}}",
		       "Missing valid argument: flag", -32602,
		       "Invalid type for argument: flag");
	expect_refusal(f,
		       "{\"name\":\"mix\",\"arguments\":{\"flag\":true,"
		       "\"n\":1e300}}",
		       "Value exceeds maximum allowed: 20", -32602,
		       "Property 'n': value 2147483647 exceeds maximum 20");
	expect_refusal(f,
		       "{\"name\":\"mix\",\"arguments\":{\"flag\":true,"
		       "\"n\":-1.5}}",
		       "Value is below minimum allowed: 0", -32602,
		       "Property 'n': value -1 is below minimum 0");
}

static void test_unknown_method_next(void **state)
{
	struct fixture *f = *state;

	f->server.dialect = SERVER_2_5_0;
	assert_string_equal(
		ask(f, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}"),
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32601,"
		"\"message\":\"Method not implemented: ping\"}}");
}

static void test_call_values(void **state)
{
	struct fixture *f = *state;

	/* case of names, cut numbers, silent defaults, first duplicate */
	assert_string_equal(
		ask(f, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":"
		       "\"tools/call\",\"params\":{\"NAME\":\"mix\",\"name\":"
		       "\"nope\",\"arguments\":{\"FLAG\":true,\"n\":7.9,"
		       "\"n\":8,\"s\":5,\"extra\":[]}}}"),
		"");
	assert_non_null(f->call);
	assert_int_equal(f->call->id, 9);
	assert_string_equal(f->call->tool->name, "mix");
	assert_int_equal(f->call->value[0].number, 1);
	assert_int_equal(f->call->value[1].number, 7);
	assert_string_equal(f->call->value[2].text, "dflt");
}

static void test_optional_of_wrong_type(void **state)
{
	struct fixture *f = *state;
	static const char request[] =
		"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\","
		"\"params\":{\"name\":\"mix\",\"arguments\":{\"flag\":false,"
		"\"n\":\"x\"}}}";

	ask(f, request);
	assert_non_null(f->call);
	assert_int_equal(f->call->value[1].number, 10);
	f->server.dialect = SERVER_2_5_0;
	assert_non_null(
		strstr(ask(f, request), "\"Invalid type for argument: n\""));
	assert_non_null(strstr(
		ask(f, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":"
		       "\"tools/call\",\"params\":{\"name\":\"mix\","
		       "\"arguments\":{\"flag\":false,\"s\":\"abcde\"}}}"),
		"Property 's': string length 5 exceeds maximum 4"));
}

static void encode(struct fixture *f, enum firmware_outcome_kind kind,
		   const char *text, const char *expected)
{
	struct firmware_outcome o = { .kind = kind,
				      .text = text,
				      .len = strlen(text),
				      .mime = "image/png" };
	struct firmware_reply r;
	struct buf body;

	buf_init(&body, 0);
	buf_reset(&f->out);
	ask(f, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\","
	       "\"params\":{\"name\":\"hidden\"}}");
	assert_non_null(f->call); /* callable though not listed */
	firmware_outcome(f->call, &o, &body, &r);
	firmware_reply_encode(&r, f->server.dialect, &f->out);
	assert_string_equal(buf_string(&f->out), expected);
	buf_done(&body);
}

static void test_outcomes(void **state)
{
	struct fixture *f = *state;

	encode(f, SERVER_TEXT, "a \"q\" \\ \n\t\b\f\r\x01\x7f \xff é",
	       "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{"
	       "\"type\":\"text\",\"text\":\"a \\\"q\\\" \\\\ "
	       "\\n\\t\\b\\f\\r\\u0001\x7f \xff é\"}],\"isError\":false}}");
	encode(f, SERVER_IMAGE, "iVBORw0KGgo=",
	       "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{"
	       "\"type\":\"image\",\"image\":\"{\\\"type\\\":\\\"image\\\","
	       "\\\"mimeType\\\":\\\"image/png\\\",\\\"data\\\":"
	       "\\\"iVBORw0KGgo=\\\"}\"}],\"isError\":false}}");
	encode(f, SERVER_FAILED, "said \"no\"\n",
	       "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"message\":\"said "
	       "\"no\"\n\"}}");
	f->server.dialect = SERVER_2_5_0;
	encode(f, SERVER_FAILED, "x",
	       "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":-32603,"
	       "\"message\":\"x\"}}");
}

static void test_no_tools_at_all(void **state)
{
	struct fixture *f = *state;

	firmware_catalog_done(&f->catalog);
	assert_string_equal(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
				   "\"tools/list\"}"),
			    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{"
			    "\"tools\":[]}}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_silent),
		TEST(test_ids),
		TEST(test_initialize),
		TEST(test_no_camera_keeps_no_vision),
		TEST(test_list),
		TEST(test_list_errors),
		TEST(test_page_limit),
		TEST(test_call_errors),
		TEST(test_unknown_method_next),
		TEST(test_call_values),
		TEST(test_optional_of_wrong_type),
		TEST(test_outcomes),
		TEST(test_no_tools_at_all),
	};

	return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
