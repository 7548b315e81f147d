/* SPDX-License-Identifier: MIT */
/*
 * The JSON form is an interface: exact lines, bytes of the peer untouched.
 */
#include "rendered.h"

#include "base/json_scan.h"
#include "mcp/content.h"
#include "mcp/tools.h"
#include "net/head.h"
#include "out/render_json.h"

/* Every line is one JSON value. */
static void assert_json_lines(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		assert_int_equal(text[len], '\n');
		assert_int_equal(json_check(text, len, NULL), 0);
		text += len + 1;
	}
}

static void test_tools(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	add_page(&list,
		 "{\"name\" : \"a\",\n \"x\" : 1.50e2}, {\"name\":\"b "
		 "c\\u0041\",\"annotations\":{\"audience\":[\"user\"]}}");
	const struct tools_record record = { .list = &list, .shown = 2 };
	rendered_start(&s, OUTPUT_JSON, false);
	for (size_t i = 0; i < list.count; i++)
		s.r.ops->tool(&s.r, &list.tool[i], &record);
	s.r.ops->tools_end(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "{\"name\":\"a\",\"x\":1.50e2}\n"
			    "{\"name\":\"b c\\u0041\",\"annotations\":{"
			    "\"audience\":[\"user\"]}}\n");
	assert_string_equal(rendered_err(&s),
			    "{\"listing\":{\"tools\":1,\"user_only\":1,"
			    "\"pages\":1,\"shown\":2,\"complete\":true,"
			    "\"findings\":[\"D118\"]}}\n");
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_describe(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	add_page(&list, "{\"name\":\"self.a\",\"inputSchema\":{}}");
	const struct describe_record record = { .tool = &list.tool[0],
						.list = &list,
						.device = true };
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->describe(&s.r, &record);
	const char *out = rendered_out(&s);
	assert_json_lines(out);
	assert_ptr_equal(strstr(out, "{\"tool\":{\"name\":\"self.a\","
				     "\"inputSchema\":{}},\"example\":\""),
			 out);
	assert_non_null(strstr(out, ",\"backends\":[\"the model knows it as "
				    "'self_a'"));
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_result(void **state)
{
	struct rendered s;
	struct result result = result_from(
		"{ \"content\":[ {\"type\":\"text\",\"text\":\"\\u001b\"} ],"
		"\"n\":12345678901234567890, \"isError\":true}");
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->result(&s.r, &result);
	assert_string_equal(rendered_out(&s),
			    "{\"content\":[{\"type\":\"text\",\"text\":"
			    "\"\\u001b\"}],\"n\":12345678901234567890,"
			    "\"isError\":true}\n");
	rendered_end(&s);
	result_done(&result);
}

/* self.reboot: a success without a result. */
static void test_no_result(void **state)
{
	struct rendered s;
	const struct result none = { .note = "the device restarted" };
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->result(&s.r, &none);
	assert_string_equal(rendered_out(&s), "");
	assert_string_equal(rendered_err(&s),
			    "{\"note\":\"the device restarted\"}\n");
	rendered_end(&s);
}

static void test_reply_and_ping(void **state)
{
	struct rendered s;
	struct message m = message_from("{\"jsonrpc\":\"2.0\",\"id\":1,"
					"\"result\":null}");
	const struct ping_record p = { .took_us = 412, .was_error = true };
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->reply(&s.r, &m);
	s.r.ops->ping(&s.r, &p);
	assert_string_equal(rendered_out(&s),
			    "null\n"
			    "{\"alive\":true,\"took_us\":412,\"error\":true,"
			    "\"tcp_us\":null,\"ws_us\":null}\n");
	rendered_end(&s);
	message_done(&m);
}

/* The clock's time stands first: compared is what follows. */
static void assert_event(struct event e, const char *expected)
{
	struct rendered s;
	rendered_start(&s, OUTPUT_JSON, false);
	e.len = e.text ? strlen(e.text) : 0;
	s.r.ops->event(&s.r, &e);
	const char *out = rendered_out(&s);
	assert_json_lines(out);
	assert_memory_equal(out, "{\"time\":\"20", 11);
	assert_string_equal(strchr(out, 'Z'), expected);
	rendered_end(&s);
}

static void test_events(void **state)
{
	static char method[] = "notifications/x", odd[] = "odd",
		    audio[] = "audio", note[] = "late";
	static char text[] = "{\"method\": \"notifications/x\"}";
	static char broken[] = "{\"a\":\x1b";
	(void)state;
	assert_event((struct event){ .kind = EVENT_NOTIFICATION,
				     .at = 42,
				     .name = method,
				     .text = text },
		     "Z\",\"at_ms\":42,\"kind\":\"notification\",\"name\":"
		     "\"notifications/x\",\"message\":{\"method\":"
		     "\"notifications/x\"},\"note\":null}\n");
	assert_event((struct event){ .kind = EVENT_ODD,
				     .name = odd,
				     .text = broken,
				     .note = note },
		     "Z\",\"at_ms\":0,\"kind\":\"odd\",\"name\":\"odd\","
		     "\"message\":null,\"text\":\"{\\\"a\\\":\\u001b\","
		     "\"note\":\"late\"}\n");
	assert_event((struct event){ .kind = EVENT_AUDIO,
				     .name = audio,
				     .count = 3,
				     .bytes = 9 },
		     "Z\",\"at_ms\":0,\"kind\":\"audio\",\"name\":\"audio\","
		     "\"message\":null,\"note\":null,\"count\":3,"
		     "\"bytes\":9}\n");
}

static void test_aside_masks(void **state)
{
	static char name[] = "notifications/x";
	static char text[] = "{\"params\":{\"token\":\"geheim\"}}";
	struct event e = { .kind = EVENT_NOTIFICATION,
			   .name = name,
			   .text = text,
			   .len = sizeof(text) - 1 };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	render_aside(&s.r, &e);
	assert_json_lines(rendered_err(&s));
	assert_memory_equal(rendered_err(&s), "{\"event\":{\"time\":", 17);
	assert_null(strstr(rendered_err(&s), "geheim"));
	rendered_end(&s);
}

static void test_error(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct rendered s;
	struct message m = message_from(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602, "
		"\"message\":\"no\",\"data\":1.0}}");
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	error_set(&e, ERR_PEER, "invalid params (-32602): no");
	error_code(&e, -32602);
	render_keep_peer_error(&s.r, &m);
	render_error(&s.r, &e);
	assert_string_equal(
		rendered_err(&s),
		"{\"error\":{\"kind\":\"peer\",\"status\":1,\"code\":-32602,"
		"\"message\":\"invalid params (-32602): no\",\"hint\":null,"
		"\"detail\":null,\"peer\":{\"code\":-32602,\"message\":\"no\","
		"\"data\":1.0}}}\n");
	rendered_end(&s);
	message_done(&m);
}

static void test_error_without_peer(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	error_set(&e, ERR_UNMET, "no\xff");
	error_hint(&e, "h");
	error_detail(&e, "a\nb", 3);
	error_finding(&e, "N102");
	render_error(&s.r, &e);
	assert_json_lines(rendered_err(&s));
	assert_non_null(
		strstr(rendered_err(&s),
		       "\"kind\":\"unmet\",\"status\":7,\"code\":null"));
	assert_non_null(strstr(rendered_err(&s),
			       "\"hint\":\"h\",\"detail\":\"a\\nb\","
			       "\"finding\":\"N102\"}}\n"));
	rendered_end(&s);
}

static void test_error_masks(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct rendered s;
	struct message m = message_from(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":"
		"\"no: Bearer geheim\",\"data\":{\"token\":\"geheim\\\\\"}}}");
	(void)state;
	error_set(&e, ERR_PEER, "no: \"Bearer geheim\"");
	error_hint(&e, "is token=geheim right?");
	error_detail(&e, "{\"token\":\"geheim\"}", 18);
	rendered_start(&s, OUTPUT_JSON, false);
	render_keep_peer_error(&s.r, &m);
	render_error(&s.r, &e);
	assert_json_lines(rendered_err(&s));
	assert_string_equal(
		rendered_err(&s),
		"{\"error\":{\"kind\":\"peer\",\"status\":1,\"code\":null,"
		"\"message\":\"no: \\\"Bearer ***\\\"\",\"hint\":\"is "
		"token=*** right?\",\"detail\":\"{\\\"token\\\":\\\"***\\\"}\","
		"\"peer\":{\"code\":1,\"message\":\"no: Bearer ***\",\"data\":{"
		"\"token\":\"***\"}}}}\n");
	rendered_end(&s);
	message_done(&m);
}

/* A result is shown as it came, whatever it looks like. */
static void test_result_is_not_masked(void **state)
{
	struct rendered s;
	struct result result = result_from("{\"token\":\"mine\"}");
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->result(&s.r, &result);
	assert_string_equal(rendered_out(&s), "{\"token\":\"mine\"}\n");
	rendered_end(&s);
	result_done(&result);
}

static void test_trace(void **state)
{
	static const char text[] = "{\"token\":\"geheim\"}";
	const struct trace frame = { .at_us = 7,
				     .kind = "text",
				     .data = text,
				     .len = sizeof(text) - 1 };
	const struct trace audio = {
		.kind = "binary", .outgoing = true, .data = "\xff", .len = 1
	};
	/* That one is an event. */
	const struct trace notice = { .kind = "notice", .data = "x", .len = 1 };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	render_trace(&s.r, &notice);
	render_trace(&s.r, &frame);
	render_trace(&s.r, &audio);
	assert_string_equal(
		rendered_err(&s),
		"{\"trace\":{\"at_us\":7,\"direction\":\"in\",\"kind\":"
		"\"text\",\"size\":18,\"text\":\"{\\\"token\\\":\\\"***\\\"}"
		"\"}}\n"
		"{\"trace\":{\"at_us\":0,\"direction\":\"out\",\"kind\":"
		"\"binary\",\"size\":1}}\n");
	rendered_end(&s);
}

static void test_info_of_nobody(void **state)
{
	struct rendered s;
	const struct info_record i = { .target = "sim:" };
	(void)state;
	rendered_start(&s, OUTPUT_JSON, false);
	s.r.ops->info(&s.r, &i);
	assert_string_equal(
		rendered_out(&s),
		"{\"target\":\"sim:\",\"device\":{\"address\":null,\"path\":"
		"null,\"device_id\":null,\"client_id\":null,"
		"\"protocol_version\":0,\"tls\":null,\"dialect\":null,"
		"\"transport\":null,\"session_id\":null,\"audio_frames\":0,\"audio_bytes\":0,"
		"\"headers\":{}},\"hello\":null,\"initialize\":null,"
		"\"era\":null,\"ota\":null,\"likely\":null,\"timing_ms\":{\"ota\":null,\"connected\":null,"
		"\"hello\":null,\"up\":null,\"initialize\":null}}\n");
	rendered_end(&s);
}

static void test_info(void **state)
{
	static const char hello[] = "{\"type\":\"hello\",\"version\":1}";
	struct rendered s;
	struct client c = { 0 };
	struct link link;
	struct session_peer peer = { .has_ota = true };
	(void)state;
	link_init(&link, DIALECT_DEVICE, 1);
	link.has_hello =
		hello_decode_take(&link.hello,
				  json_parse(hello, strlen(hello), NULL),
				  NULL) == 0;
	c.initialize = message_from("{\"jsonrpc\":\"2.0\",\"id\":1,"
				    "\"result\":{\"a\": 1.0}}");
	c.initialize_us = 1999;
	headers_add(&peer.headers, "X-\"odd\"", "v");
	rendered_start(&s, OUTPUT_JSON, false);
	const struct info_record i = {
		.target = "t", .client = &c, .peer = &peer, .link = &link
	};
	s.r.ops->info(&s.r, &i);
	const char *out = rendered_out(&s);
	assert_json_lines(out);
	assert_non_null(strstr(out, "\"headers\":{\"X-\\\"odd\\\"\":\"v\"}"));
	assert_non_null(strstr(out, "\"hello\":{\"type\":\"hello\","
				    "\"version\":1},\"initialize\":{\"a\":1.0},"
				    "\"era\":null,\"ota\":{\"version\":\"\""));
	assert_non_null(strstr(out, "\"initialize\":1}}"));
	rendered_end(&s);
	message_done(&c.initialize);
	headers_done(&peer.headers);
	link_done(&link);
}

/* On a terminal C1 controls, which JSON allows, do nothing. */
static void test_terminal_is_safe(void **state)
{
	struct rendered s;
	struct result result = result_from("{\"a\":\"\xc2\x9b\"}");
	(void)state;
	rendered_start(&s, OUTPUT_JSON, true);
	s.r.ops->result(&s.r, &result);
	assert_null(strstr(rendered_out(&s), "\xc2\x9b"));
	rendered_end(&s);
	result_done(&result);
}

static void test_stderr_terminal_is_safe(void **state)
{
	static const char odd[] = "a\xc2\x9b\xe2\x80\xae";
	const struct trace frame = { .kind = "text",
				     .data = odd,
				     .len = sizeof(odd) - 1 };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_JSON, true);
	render_trace(&s.r, &frame);
	render_note(&s.r, "%s", odd);
	assert_null(strstr(rendered_err(&s), "\xc2\x9b"));
	assert_null(strstr(rendered_err(&s), "\xe2\x80\xae"));
	const char *note = strchr(rendered_err(&s), '\n') + 1;
	assert_memory_equal(note, "{\"note\":\"a", 10);
	assert_string_equal(strchr(note, '}'), "}\n");
	rendered_end(&s);
}

/* The documentation names every member that is written. */
static void test_help_names_all(void **state)
{
	static const char *const names[] = {
		"\"took_us\"",	  "\"error\"",	  "\"event\"", "\"note\"",
		"\"listing\"",	  "\"trace\"",	  "\"peer\"",  "\"timing_ms\"",
		"\"backends\"",	  "\"at_ms\"",	  "\"count\"", "\"bytes\"",
		"\"complete\"",	  "\"detail\"",	  "\"hint\"",  "\"text\"",
		"\"elf_sha256\"", "\"direction\""
	};
	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_true(strstr(json_help, names[i]) ||
			    strstr(json_help_info, names[i]) ||
			    strstr(json_help_tail, names[i]) ||
			    strstr(json_help_stderr, names[i]));
	assert_int_equal(json_help[strlen(json_help) - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_no_result),
		cmocka_unit_test(test_reply_and_ping),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_aside_masks),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_error_without_peer),
		cmocka_unit_test(test_error_masks),
		cmocka_unit_test(test_result_is_not_masked),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_info_of_nobody),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_terminal_is_safe),
		cmocka_unit_test(test_stderr_terminal_is_safe),
		cmocka_unit_test(test_help_names_all),
	};
	return cmocka_run_group_tests_name("render_json", tests, NULL, NULL);
}
