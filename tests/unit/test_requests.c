/* SPDX-License-Identifier: MIT */
/*
 * Questions of a server over a fake transport: ids, limits, what is withdrawn;
 * hosts of URLs, results of sampling.
 */
#include "rendered.h"
#include "session_harness.h"

#include "cli/requests.h"
#include "cli/requests_ask.h"
#include "rpc/session_calls.h"

static struct app app;
static struct connection connection;
static struct rendered rendered;
static struct error err;

static bool on_request(void *owner, const struct event *e)
{
	(void)owner;
	return requests_request(connection.requests, e);
}

static void on_event(void *owner, const struct event *e)
{
	(void)owner;
	if (connection.requests)
		requests_event(connection.requests, e);
}

static int begin(void **state)
{
	assert_int_equal(set_up(state), 0);
	observer.request = on_request;
	observer.event = on_event;
	app = (struct app){ 0 };
	connection = (struct connection){ .app = &app };
	rendered_start(&rendered, OUTPUT_TEXT, false);
	app.out = rendered.r;
	app.loop = loop;
	return 0;
}

static int end(void **state)
{
	requests_close(&connection);
	words_done(&app.config.roots);
	error_reset(&err);
	rendered_end(&rendered);
	return tear_down(state);
}

static void open_app(const char *elicit, const char *sampling)
{
	app.config.elicit = elicit;
	app.config.sampling = sampling;
	if (requests_open(&connection, &err) != 0)
		fail_msg("%s", err.text);
	open_up(DIALECT_PLAIN);
	connection.session = session;
}

/* The last frame that was sent holds it. */
static void sent(const char *part)
{
	watch(200);
	assert_true(fake.sent_count > 0);
	assert_part(fake.sent[fake.sent_count - 1], part);
}

#define FORM "\"params\":{\"message\":\"m\",\"requestedSchema\":{}}"

static void test_ids(void **state)
{
	static const char *const ids[] = { "7", "-0.50e1", "\"a\\u0041\\\"\"",
					   "90071992547409931" };

	(void)state;
	open_app("decline", NULL);
	for (size_t i = 0; i < COUNT(ids); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"{\"jsonrpc\":\"2.0\",\"id\":%s,"
			"\"method\":\"elicitation/create\"," FORM "}",
			ids[i]);
		CLEANUP(mem_free_ptr)
		char *answer = mem_printf("\"id\":%s,\"result\":{\"action\":"
					  "\"decline\"}",
					  ids[i]);

		fake_text(text);
		sent(answer);
	}
}

static void test_odd_requests(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	open_app("accept-defaults", "exec:true");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		  "\"elicitation/create\"}");
	sent("-32602");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		  "\"elicitation/create\",\"params\":[1]}");
	sent("-32602");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"
		  "\"sampling/createMessage\",\"params\":{\"messages\":7}}");
	sent("-32602");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"roots/list\"}");
	sent("-32601");
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tasks/get\"}");
	sent("-32601");
	buf_text(&text, "{\"jsonrpc\":\"2.0\",\"id\":\"");
	for (int i = 0; i < 5000; i++)
		buf_char(&text, 'x');
	buf_text(&text, "\",\"method\":\"elicitation/create\"," FORM "}");
	fake_text(text.data);
	sent("-32601");
}

/* Firmware is told of nothing, so it is refused. */
static void test_device(void **state)
{
	(void)state;
	open_app("decline", NULL);
	connection.client.device = true;
	fake_text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
		  "\"elicitation/create\"," FORM "}");
	sent("-32601");
	assert_string_equal(rendered_err(&rendered), "");
}

static void ask_model(const char *id)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":"
				"\"sampling/createMessage\",\"params\":{"
				"\"messages\":[]}}",
				id);

	fake_text(text);
}

static void test_withdrawn(void **state)
{
	struct call call = { 0 };
	size_t before;

	(void)state;
	open_app(NULL, "exec:sleep 60");
	assert_int_equal(
		session_start(session, &call, "tools/call", NULL, 300, &err),
		0);
	ask_model("\"q\"");
	ask_model("5");
	watch(600);
	/* Held: a command answers for us. */
	assert_false(call.done);
	before = fake.sent_count;
	fake_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		  "\"params\":{\"requestId\":\"5\"}}");
	fake_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		  "\"params\":{\"requestId\": \"q\"}}");
	fake_text("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
		  "\"params\":{\"requestId\":5}}");
	watch(200);
	assert_null(connection.requests->running);
	assert_int_equal(fake.sent_count, before);
	assert_int_equal(session_wait(session, &call, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	call_done(&call);
}

static void test_closed(void **state)
{
	(void)state;
	open_app(NULL, "exec:sleep 60");
	ask_model("1");
	watch(100);
	assert_non_null(connection.requests->running);
	fake_push(FAKE_CLOSED, NULL, 0);
	watch(1000);
	assert_null(connection.requests->running);
}

static void test_left(void **state)
{
	(void)state;
	open_app(NULL, "exec:sleep 60");
	ask_model("1");
	watch(100);
	requests_close(&connection);
	sent("\"id\":1,\"error\":{\"code\":-32603");
}

static void sampled(const char *text, const char *result)
{
	CLEANUP(mem_free_ptr)
	char *out = requests_sampled(text, strlen(text), "m", &err);

	if (!result) {
		assert_null(out);
		return;
	}
	assert_non_null(out);
	assert_string_equal(out, result);
}

static void test_sampled(void **state)
{
	(void)state;
	sampled("hi\r\n\n", "{\"content\":{\"type\":\"text\",\"text\":\"hi\"},"
			    "\"stopReason\":\"endTurn\",\"role\":\"assistant\","
			    "\"model\":\"m\"}");
	sampled("{\"content\":[],\"role\":7,\"model\":\"x\"}",
		"{\"content\":[],\"model\":\"x\",\"role\":\"assistant\"}");
	sampled("{\"content\":\"c\"}", "{\"content\":{\"type\":\"text\","
				       "\"text\":\"c\"},\"role\":\"assistant\","
				       "\"model\":\"m\"}");
	sampled("[1]", "{\"content\":{\"type\":\"text\",\"text\":\"[1]\"},"
		       "\"stopReason\":\"endTurn\",\"role\":\"assistant\","
		       "\"model\":\"m\"}");
	sampled("", NULL);
	sampled("\n", NULL);
	sampled("\xff", NULL);
	assert_null(requests_sampled("a\0b", 3, "m", &err));
}

static void host(const char *url, const char *is)
{
	CLEANUP(mem_free_ptr) char *out = question_url_host(url, &err);

	assert_non_null(out);
	assert_string_equal(out, is);
}

/* What the server is told of it, and the user. */
static void no_host(const char *url, const char *why)
{
	error_reset(&err);
	assert_null(question_url_host(url, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, why);
}

static void test_hosts(void **state)
{
	(void)state;
	host("https://a.b/c", "a.b");
	host("HTTPS://a.b:443?x", "a.b");
	host("http://good.com@evil.com/", "evil.com");
	host("http://good.com:x@evil.com:1", "evil.com");
	host("https://evil.com\\@good.com/", "evil.com");
	host("https://evil.com#@good.com/", "evil.com");
	host("https://[::1]:8/x", "[::1]");
	no_host("https://", "the URL has no host");
	no_host("https:///x", "the URL has no host");
	no_host("https://@/x", "the URL has no host");
	no_host("https://:1/", "the URL has no host");
	no_host("javascript:alert(1)//https://x",
		"the URL begins neither with https:// nor http://");
	no_host("file:///etc/passwd",
		"the URL begins neither with https:// nor http://");
	no_host("https://a b/", "the URL has a space or a control character");
	no_host("https://a\tb/", "the URL has a space or a control character");
	no_host("", "the URL begins neither with https:// nor http://");
}

/* ---- how it looks ---- */

static void value_is(const char *json, const char *expected)
{
	CLEANUP(json_free_ptr)
	cJSON *value = json_parse(json, strlen(json), NULL);
	CLEANUP(buf_done) struct buf out = { 0 };

	assert_non_null(value);
	shown_value(&out, value);
	assert_string_equal(buf_string(&out), expected);
}

static void test_values(void **state)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("\"%0300d\"", 0);
	CLEANUP(mem_free_ptr) char *cut = mem_printf("%0200d…", 0);
	CLEANUP(mem_free_ptr) char *whole = mem_printf("\"%0200d\"", 0);

	(void)state;
	value_is("\"a b\"", "a b");
	value_is("\"\"", "\"\"");
	value_is("true", "y");
	value_is("false", "n");
	value_is("1.50", "1.5");
	value_is("[\"a\",2,true,\"\"]", "a, 2, y, \"\"");
	value_is("[]", "[]");
	value_is("{\"a\":1}", "{\"a\":1}");
	value_is("\"a\\nb\\u001b[m\"", "a\\nb\\x1b[m");
	value_is(text, cut);
	whole[201] = '\0';
	cut[200] = '\0';
	assert_string_equal(whole + 1, cut);
	whole[201] = '"';
	value_is(whole, cut);
}

/* What a server says stands behind a bar, so that it is not taken for ours. */
static void test_fields(void **state)
{
	static const char text[] =
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
		"\"string\",\"title\":\"T\",\"description\":\"D\\nmore\"},"
		"\"b\":{\"type\":\"string\",\"description\":\"D\"},"
		"\"c\":{\"oneOf\":[{\"const\":\"x\",\"title\":\"Ex\"},"
		"{\"const\":2}]},\"d\":{\"title\":\"T\"}}}";
	static const char *const expected[] = { "| T: D\n| more\n", "| D\n",
						"   1  x  Ex\n   2  2\n",
						"| T\n" };
	CLEANUP(json_free_ptr)
	cJSON *schema = json_parse(text, strlen(text), NULL);
	CLEANUP(form_done) struct form form = { 0 };

	(void)state;
	assert_int_equal(form_read(&form, schema, &err), 0);
	assert_int_equal(form.count, COUNT(expected));
	for (size_t i = 0; i < form.count; i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		shown_field(&out, &form.field[i]);
		assert_string_equal(buf_string(&out), expected[i]);
	}
}

/* One that the server asked, of that message (NULL: none). */
static struct question asked(struct requests *of, cJSON *params,
			     const char *message)
{
	if (message)
		cJSON_AddStringToObject(params, "message", message);
	return (struct question){ .of = of, .params = params };
}

static void test_forms(void **state)
{
	static char name[] = "a\nserver";
	struct form_field field = { 0 };
	struct form form = { .field = &field };
	struct requests of = { .connection = &connection };
	CLEANUP(json_free_ptr) cJSON *params = cJSON_CreateObject();
	CLEANUP(json_free_ptr) cJSON *none = cJSON_CreateObject();
	struct question q = asked(&of, params, "one\ntwo\n");
	struct question silent = asked(&of, none, NULL);
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	shown_form(&out, &q, &form);
	assert_string_equal(buf_string(&out),
			    "\nThe server asks:\n| one\n| two\n");
	buf_reset(&out);
	form.count = 1;
	connection.client.server_name = name;
	shown_form(&out, &silent, &form);
	assert_string_equal(
		buf_string(&out),
		"\nThe server 'a\\nserver' asks:\n| (no message)\n"
		"1 field; Enter takes what stands in [ ], or leaves out what "
		"is not required.\n");
	buf_reset(&out);
	form.count = 2;
	shown_form(&out, &silent, &form);
	assert_part(buf_string(&out), "\n2 fields; Enter takes");
	connection.client.server_name = NULL;
}

static void test_pages(void **state)
{
	struct requests of = { .connection = &connection };
	CLEANUP(json_free_ptr) cJSON *params = cJSON_CreateObject();
	struct question q = asked(&of, params, "look");
	static const char *const rows[][2] = {
		{ "https://a.b/c", "host: a.b\n" },
		{ "https://XN--a.b/c",
		  "host: XN--a.b  (not plain letters: look twice)\n" },
		{ "https://%D0%B0pple.com/",
		  "host: %D0%B0pple.com  (not plain letters: look twice)\n" },
		{ "https://b\xc3\xbcro/",
		  "host: b\xc3\xbcro  (not plain letters: look twice)\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };
		CLEANUP(mem_free_ptr)
		char *url = mem_printf("\nURL:  %s\nNothing is opened for you",
				       rows[i][0]);

		shown_url(&out, &q, rows[i][0]);
		assert_part(buf_string(&out),
			    "\nThe server wants you to open a page in your "
			    "browser:\n| look\nhost: ");
		assert_part(buf_string(&out), rows[i][1]);
		assert_part(buf_string(&out), url);
	}
}

/* Only of what was agreed to, and once. */
static void test_completed(void **state)
{
	static const char done[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/elicitation/"
		"complete\",\"params\":{\"elicitationId\":\"%s\"}}";
	static const char words[] = "what you agreed to in the browser is done";
	CLEANUP(mem_free_ptr) char *other = mem_printf(done, "other");
	CLEANUP(mem_free_ptr) char *ours = mem_printf(done, "e1");

	(void)state;
	open_app("ask", NULL);
	connection.requests->consent[3] = mem_strdup("e1");
	fake_text(other);
	watch(20);
	assert_null(strstr(rendered_err(&rendered), words));
	assert_non_null(connection.requests->consent[3]);
	fake_text(ours);
	fake_text(ours);
	watch(20);
	assert_part(rendered_err(&rendered), words);
	assert_null(strstr(strstr(rendered_err(&rendered), words) + 1, words));
	assert_null(connection.requests->consent[3]);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ids),	      TEST(test_odd_requests),
		TEST(test_device),    TEST(test_withdrawn),
		TEST(test_closed),    TEST(test_left),
		TEST(test_sampled),   TEST(test_hosts),
		TEST(test_values),    TEST(test_fields),
		TEST(test_forms),     TEST(test_pages),
		TEST(test_completed),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
