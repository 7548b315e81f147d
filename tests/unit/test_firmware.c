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
	enum firmware_method method; /* of the last reply */
	const struct firmware_tool *first, *next;
};

static void on_reply(void *owner, const struct firmware_reply *r)
{
	struct fixture *f = owner;

	assert_int_equal(f->out.len, 0);
	f->method = r->method;
	f->first = r->first;
	f->next = r->next;
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
	assert_int_equal(f->method, SERVER_INITIALIZE);
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
	firmware_reset(&f->server);
	assert_null(f->server.vision_url);
	ask(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
	       "\"params\":{\"capabilities\":{\"vision\":{\"url\":\"u\","
	       "\"token\":\"t\"}}}}");
	firmware_reset(&f->server);
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
	assert_int_equal(f->method, SERVER_LIST);
	assert_ptr_equal(f->first, f->catalog.tool);
	assert_null(f->next);
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
	assert_ptr_equal(f->next, t);
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
	assert_int_equal(f->method, SERVER_UNKNOWN);
	ask(f, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\"}");
	assert_int_equal(f->method, SERVER_CALL);
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
	struct firmware_reply r = { .next = f->catalog.tool, .code = 7 };
	struct buf body;

	buf_init(&body, 0);
	buf_text(&body, "what was before");
	buf_reset(&f->out);
	ask(f, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\","
	       "\"params\":{\"name\":\"hidden\"}}");
	assert_non_null(f->call); /* callable though not listed */
	firmware_outcome(f->call, &o, &body, &r);
	assert_int_equal(r.method, SERVER_CALL);
	assert_null(r.next);
	assert_int_equal(r.code, kind == SERVER_FAILED ? -32603 : 0);
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
	encode(f, SERVER_ITEMS, "{\"a\":1},{}",
	       "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":["
	       "{\"a\":1},{}],\"isError\":false}}");
	encode(f, SERVER_TEXT, "\x1f \v",
	       "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":[{"
	       "\"type\":\"text\",\"text\":\"\\u001f \\u000b\"}],"
	       "\"isError\":false}}");
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

/* The arguments of a call of "mix" that passes, and what it holds then. */
static void passes(struct fixture *f, enum firmware_dialect dialect,
		   const char *arguments, int32_t n, const char *text,
		   int defaulted)
{
	CLEANUP(mem_free_ptr)
	char *request =
		mem_printf("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
			   "\"tools/call\",\"params\":{\"name\":\"mix\","
			   "\"arguments\":{\"flag\":false%s}}}",
			   arguments);

	f->server.dialect = dialect;
	assert_string_equal(ask(f, request), "");
	assert_non_null(f->call);
	assert_int_equal(f->call->value[0].number, 0);
	assert_int_equal(f->call->value[1].number, n);
	assert_string_equal(f->call->value[2].text, text);
	assert_ptr_equal(f->call->defaulted,
			 defaulted < 0 ? NULL :
					 f->call->tool->argument + defaulted);
}

static void test_limits(void **state)
{
	static const enum firmware_dialect both[] = { SERVER_2_4_2,
						      SERVER_2_5_0 };
	struct fixture *f = *state;
	struct firmware_argument *n = f->catalog.tool[1].argument + 1;

	for (size_t i = 0; i < COUNT(both); i++) {
		enum firmware_dialect d = both[i];

		passes(f, d, ",\"n\":0", 0, "dflt", -1);
		passes(f, d, ",\"n\":20,\"s\":\"abcd\"", 20, "abcd", -1);
		passes(f, d, ",\"s\":\"\"", 10, "", -1);
	}
	expect_refusal(f,
		       "{\"name\":\"mix\",\"arguments\":{\"flag\":true,"
		       "\"n\":21}}",
		       "Value exceeds maximum allowed: 20", -32602,
		       "Property 'n': value 21 exceeds maximum 20");
	passes(f, SERVER_2_4_2, ",\"s\":\"abcde\"", 10, "abcde", -1);
	f->catalog.tool[1].argument[2].max_length = 0;
	passes(f, SERVER_2_5_0, ",\"s\":\"abcde\"", 10, "abcde", -1);
	n->has_minimum = n->has_maximum = false;
	passes(f, SERVER_2_5_0, ",\"n\":-1", -1, "dflt", -1);
	passes(f, SERVER_2_5_0, ",\"n\":21", 21, "dflt", -1);
}

/* The first whose default was taken for what was given, and not for nothing. */
static void test_defaulted(void **state)
{
	struct fixture *f = *state;

	passes(f, SERVER_2_4_2, "", 10, "dflt", -1);
	passes(f, SERVER_2_4_2, ",\"n\":null,\"s\":null", 10, "dflt", -1);
	passes(f, SERVER_2_4_2, ",\"n\":\"x\",\"s\":1", 10, "dflt", 1);
	passes(f, SERVER_2_4_2, ",\"n\":true", 10, "dflt", 1);
	passes(f, SERVER_2_4_2, ",\"s\":1", 10, "dflt", 2);
	f->catalog.tool[1].argument[2].text[0] = '\0';
	passes(f, SERVER_2_4_2, ",\"s\":[]", 10, "", 2);
}

static void names_are(const struct firmware_catalog *c, const char *names)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < c->count; i++)
		buf_printf(&out, "%s%s", i ? " " : "", c->tool[i].name);
	assert_string_equal(buf_string(&out), names);
}

static void test_catalog(void **state)
{
	struct fixture *f = *state;
	struct firmware_catalog *c = &f->catalog;
	struct firmware_tool *t = firmware_catalog_add(c, 1);

	assert_null(t->description);
	assert_int_equal(t->argument_count, 0);
	t->name = mem_strdup("second");
	names_are(c, "plain second mix hidden");
	firmware_catalog_add(c, 0)->name = mem_strdup("first");
	names_are(c, "first plain second mix hidden");
	assert_ptr_equal(firmware_catalog_find(c, "mix"), c->tool + 3);
	assert_null(firmware_catalog_find(c, "Mix"));
	firmware_catalog_remove(c, 0);
	firmware_catalog_remove(c, 1);
	names_are(c, "plain mix hidden");
	firmware_catalog_remove(c, 2);
	names_are(c, "plain mix");
	assert_int_equal(firmware_tool_argument(c->tool + 1, "flag"), 0);
	assert_int_equal(firmware_tool_argument(c->tool + 1, "s"), 2);
	assert_int_equal(firmware_tool_argument(c->tool + 1, "S"), -1);
	firmware_tool_drop_arguments(c->tool + 1);
	assert_int_equal(firmware_tool_argument(c->tool + 1, "s"), -1);
}

static void test_prepared(void **state)
{
	struct fixture *f = *state;
	struct firmware_tool *t = f->catalog.tool + 1;
	struct firmware_argument *a = firmware_tool_add_argument(t);

	assert_int_equal(a->type, SERVER_BOOLEAN);
	a->name = mem_strdup("on");
	t->argument[0].has_default = t->argument[3].has_default = true;
	t->argument[3].number = 1;
	t->argument[1].has_default = t->argument[1].has_minimum = false;
	t->argument[1].has_maximum = false;
	mem_free(TAKE(t->argument[2].text));
	mem_free(TAKE(t->description));
	t->argument[2].has_default = true;
	firmware_tool_prepare(t, SERVER_2_5_0);
	assert_string_equal(
		t->json,
		"{\"name\":\"mix\",\"description\":\"\",\"inputSchema\":{"
		"\"type\":\"object\",\"properties\":{\"flag\":{\"type\":"
		"\"boolean\",\"default\":false},\"n\":{\"type\":\"integer\"},"
		"\"s\":{\"type\":\"string\",\"default\":\"\",\"maxLength\":4},"
		"\"on\":{\"type\":\"boolean\",\"default\":true}},"
		"\"required\":[\"n\"]}}");
	assert_int_equal(t->json_len, strlen(t->json));
	t->argument[3].has_default = false;
	firmware_tool_prepare(t, SERVER_2_4_2);
	assert_non_null(strstr(t->json, ",\"required\":[\"n\",\"on\"]}}"));
}

static void value_is(enum firmware_type type, int32_t number, const char *text,
		     const char *expected)
{
	const struct firmware_argument a = { .type = type };
	CLEANUP(mem_free_ptr) char *own = mem_strdup(text);
	const struct firmware_value value = { .number = number, .text = own };
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_char(&out, '=');
	firmware_value_text(&a, &value, &out);
	assert_string_equal(buf_string(&out), expected);
}

static void test_value_texts(void **state)
{
	(void)state;
	value_is(SERVER_STRING, 1, "a \"b\"", "=a \"b\"");
	value_is(SERVER_STRING, 1, "", "=");
	value_is(SERVER_BOOLEAN, 0, NULL, "=false");
	value_is(SERVER_BOOLEAN, 1, NULL, "=true");
	value_is(SERVER_INTEGER, 1, NULL, "=1");
	value_is(SERVER_INTEGER, INT32_MIN, NULL, "=-2147483648");
}

static void test_dialects(void **state)
{
	enum firmware_dialect d = SERVER_2_5_0;

	(void)state;
	assert_int_equal(firmware_dialect_named("2.4.2", &d), 0);
	assert_int_equal(d, SERVER_2_4_2);
	assert_int_equal(firmware_dialect_named("2.5.0", &d), 0);
	assert_int_equal(d, SERVER_2_5_0);
	d = SERVER_2_4_2;
	assert_int_equal(firmware_dialect_named("next", &d), 0);
	assert_int_equal(d, SERVER_2_5_0);
	assert_int_equal(firmware_dialect_named("2.4.1", &d), -1);
	assert_int_equal(firmware_dialect_named("", &d), -1);
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
		TEST(test_limits),
		TEST(test_defaulted),
		TEST(test_catalog),
		TEST(test_prepared),
		TEST(test_value_texts),
		TEST(test_dialects),
	};

	return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
