/* SPDX-License-Identifier: MIT */
/*
 * The text form: what stands on stdout and stderr, in a pipe and on a
 * terminal.
 */
#include "rendered.h"

#include "base/text.h"
#include "base/utf8.h"
#include "mcp/content.h"
#include "mcp/rules.h"
#include "mcp/tools.h"

static const char volume[] =
	"{\"name\":\"self.audio_speaker.set_volume\",\"description\":\"Sets "
	"it.\\nMore.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
	"\"volume\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100}},"
	"\"required\":[\"volume\"]}}";
static const char reboot[] =
	"{\"name\":\"self.reboot\",\"description\":\"Restarts it, and says so "
	"in a line that is far too long for sixty columns.\",\"inputSchema\":{"
	"\"type\":\"object\",\"properties\":{}},\"annotations\":{\"audience\":["
	"\"user\"]}}";

static void two_tools(struct tool_list *list)
{
	char *both = mem_printf("%s,%s", volume, reboot);
	add_page(list, both);
	mem_free(both);
}

static void show_tools(struct rendered *s, const struct tool_list *list)
{
	const struct tools_record record = { .list = list,
					     .name_width = 29,
					     .shown = list->count };
	for (size_t i = 0; i < list->count; i++)
		s->r.ops->tool(&s->r, &list->tool[i], &record);
	s->r.ops->tools_end(&s->r, &record);
}

static void test_tools_in_a_pipe(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	two_tools(&list);
	rendered_start(&s, OUTPUT_TEXT, false);
	show_tools(&s, &list);
	assert_string_equal(
		rendered_out(&s),
		"self.audio_speaker.set_volume  Sets it.\n"
		"self.reboot                    [user-only] Restarts it, and "
		"says so in a line that is far too long for sixty columns.\n");
	assert_string_equal(rendered_err(&s), "1 tool + 1 user-only, 1 page\n");
	rendered_end(&s);
	tool_list_done(&list);
}

/* What is said of a tool before what it is called; a pipe has no width. */
static void test_titles(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	add_page(&list,
		 "{\"name\":\"a\",\"title\":\"T\",\"description\":\"D\"},"
		 "{\"name\":\"b\",\"title\":\"T\"},"
		 "{\"name\":\"c\",\"description\":\"\\n    It. \\n    All.\"}");
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.width = 20;
	show_tools(&s, &list);
	assert_string_equal(rendered_out(&s),
			    "a                              D\n"
			    "b                              T\n"
			    "c                              It.\n");
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_tools_on_a_terminal(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	two_tools(&list);
	rendered_start(&s, OUTPUT_TEXT, true);
	show_tools(&s, &list);
	const char *line = strchr(rendered_out(&s), '\n') + 1;
	assert_int_equal(text_width(line, strcspn(line, "\n")), 60);
	assert_non_null(strstr(line, "…\n"));
	rendered_end(&s);
	tool_list_done(&list);
}

/* No room beside the names: a description has a line of its own. */
static void test_tools_on_a_narrow_terminal(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	two_tools(&list);
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.width = 36;
	show_tools(&s, &list);
	assert_string_equal(rendered_out(&s),
			    "self.audio_speaker.set_volume\n  Sets it.\n"
			    "self.reboot\n"
			    "  [user-only] Restarts it, and says…\n");
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_tools_quiet(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	two_tools(&list);
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.quiet = true;
	show_tools(&s, &list);
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_hostile_tool(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	add_page(&list, "{\"name\":\"a\\u001b[2Jb\\nc\",\"description\":"
			"\"\\u202edcba\\u0007\"}");
	rendered_start(&s, OUTPUT_TEXT, true);
	show_tools(&s, &list);
	const char *out = rendered_out(&s);
	assert_null(strchr(out, '\033'));
	assert_null(strchr(out, '\a'));
	assert_null(strstr(out, "\xe2\x80\xae"));
	assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
	rendered_end(&s);
	tool_list_done(&list);
}

static void describe(struct rendered *s, const struct tool_list *list,
		     size_t index)
{
	const struct describe_record record = { .tool = &list->tool[index],
						.list = list,
						.device = true };
	s->r.ops->describe(&s->r, &record);
}

static void test_describe(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	two_tools(&list);
	rendered_start(&s, OUTPUT_TEXT, false);
	describe(&s, &list, 0);
	const char *out = rendered_out(&s);
	assert_ptr_equal(strstr(out, "self.audio_speaker.set_volume\n"
				     "  Sets it.\n  More.\n"),
			 out);
	assert_non_null(strstr(out, "\narguments\n  volume  integer 0..100, "
				    "required\n"));
	assert_non_null(strstr(out, "\nexample\n  "));
	assert_non_null(strstr(out, "'self_audio_speaker_set_volume'"));
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_describe_user_only(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	two_tools(&list);
	rendered_start(&s, OUTPUT_TEXT, false);
	describe(&s, &list, 1);
	const char *out = rendered_out(&s);
	assert_non_null(strstr(out, "self.reboot  [user-only]\n"));
	assert_non_null(strstr(out, "arguments\n  none\n"));
	assert_non_null(strstr(out, "no backend lists it"));
	assert_non_null(strstr(out, "drops the connection"));
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_describe_nested(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	add_page(&list,
		 "{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a\":{"
		 "\"type\":\"object\",\"properties\":{\"b\":{\"type\":"
		 "\"string\",\"default\":\"x\",\"description\":\"what for\"}},"
		 "\"required\":[\"b\"]},\"l\":{\"type\":\"array\",\"items\":{"
		 "\"properties\":{\"c\":{\"type\":\"boolean\"}}}}}}}");
	rendered_start(&s, OUTPUT_TEXT, false);
	describe(&s, &list, 0);
	const char *out = rendered_out(&s);
	assert_non_null(strstr(out, "\n  a      object, optional\n"
				    "  a.b    string, default \"x\", "
				    "required\n         what for\n"));
	assert_non_null(strstr(out, "\n  l[].c  boolean, optional\n"));
	rendered_end(&s);
	tool_list_done(&list);
}

/* Forty tools on two pages: the gateway keeps the first page only. */
static void test_describe_beyond_the_limit(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	struct buf page = { 0 };
	(void)state;
	for (int i = 0; i < 40; i++) {
		buf_printf(&page, "%s{\"name\":\"t%d\"}", page.len ? "," : "",
			   i);
		if (i == 19 || i == 39) {
			add_page(&list, buf_string(&page));
			buf_reset(&page);
		}
	}
	rendered_start(&s, OUTPUT_TEXT, false);
	describe(&s, &list, 25);
	assert_non_null(strstr(rendered_out(&s), "it is number 26: "));
	assert_non_null(strstr(rendered_out(&s), "only the first 20\n"));
	assert_non_null(strstr(rendered_out(&s), "it is on page 2: "));
	rendered_end(&s);
	rendered_start(&s, OUTPUT_TEXT, false);
	describe(&s, &list, 19);
	assert_null(strstr(rendered_out(&s), "backends"));
	rendered_end(&s);
	tool_list_done(&list);
	buf_done(&page);
}

static void test_describe_collision(void **state)
{
	struct rendered s;
	struct tool_list list = { 0 };
	(void)state;
	add_page(&list, "{\"name\":\"self.a.b\"},{\"name\":\"self_a_b\"}");
	rendered_start(&s, OUTPUT_TEXT, false);
	describe(&s, &list, 0);
	assert_non_null(strstr(rendered_out(&s),
			       "its changed name is that of 'self_a_b' too"));
	rendered_end(&s);
	tool_list_done(&list);
}

static void show_result(struct rendered *s, const char *json, bool terminal)
{
	struct result result = result_from(json);
	rendered_start(s, OUTPUT_TEXT, terminal);
	s->r.ops->result(&s->r, &result);
	result_done(&result);
}

static void assert_result(const char *json, bool terminal, const char *out)
{
	struct rendered s;
	show_result(&s, json, terminal);
	assert_string_equal(rendered_out(&s), out);
	rendered_end(&s);
}

static void test_text_in_a_pipe_is_exact(void **state)
{
	(void)state;
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":\"true\"}],"
		      "\"isError\":false}",
		      false, "true\n");
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":"
		      "\"{ \\\"a\\\" : 1.0 }\\n\"}],\"isError\":false}",
		      false, "{ \"a\" : 1.0 }\n");
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":"
		      "\"\\u001b[0m\"}],\"isError\":false}",
		      false, "\033[0m\n");
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{"
		      "\"type\":\"text\",\"text\":\"b\"}],\"isError\":false}",
		      false, "a\nb\n");
}

static void test_text_on_a_terminal(void **state)
{
	(void)state;
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":"
		      "\"{\\\"a\\\":{\\\"b\\\":1}}\"}],\"isError\":false}",
		      true, "{\n  \"a\": { \"b\": 1 }\n}\n");
	/* looks like JSON and is none */
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":"
		      "\"{broken\\u001b\"}],\"isError\":false}",
		      true, "{broken\\x1b\n");
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":"
		      "\"{\\\"a\\\":\\\"\\\\u72b6\\\\u6001\\\"}\"}],"
		      "\"isError\":false}",
		      true, "{ \"a\": \"状态\" }\n");
	/* a number stays text */
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":\"42\"}],"
		      "\"isError\":false}",
		      true, "42\n");
}

/* Only of a board: others send what they like. */
static void check_size_note(size_t bytes, bool device, const char *note)
{
	CLEANUP(mem_free_ptr) char *text = mem_alloc(bytes + 1);
	CLEANUP(mem_free_ptr) char *json = NULL;
	struct rendered s;
	memset(text, 'x', bytes);
	text[bytes] = '\0';
	json = mem_printf("{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],"
			  "\"isError\":false}",
			  text);
	struct result result = result_from(json);
	result.from_device = device;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->result(&s.r, &result);
	if (note)
		assert_non_null(strstr(rendered_err(&s), note));
	else
		assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
	result_done(&result);
}

static void test_reply_above_a_gateways_limit(void **state)
{
	(void)state;
	check_size_note(8000, true, NULL);
	check_size_note(9000, false, NULL);
	check_size_note(8200, true,
			" bytes: at a broker, the official MQTT "
			"gateway closes the connection above");
}

static void test_images(void **state)
{
	(void)state;
	assert_result("{\"content\":[{\"type\":\"image\",\"mimeType\":"
		      "\"image/gif\",\"data\":\"R0lGODlhQAHwAA==\"}]}",
		      false, "image/gif, 10 bytes, 320x240\n");
	assert_result("{\"content\":[{\"type\":\"image\",\"image\":"
		      "\"{\\\"type\\\":\\\"image\\\",\\\"mimeType\\\":"
		      "\\\"image/png\\\",\\\"data\\\":\\\"iVBORw0KGgo=\\\"}\"}"
		      "],\"isError\":false}",
		      true,
		      "image/png, 8 bytes, wrapped in a string  (--save FILE "
		      "keeps it)\n");
	assert_result("{\"content\":[{\"type\":\"image\",\"mimeType\":"
		      "\"image/png\",\"data\":\"!!\"}]}",
		      false, "image/png, not valid base64\n");
}

static void test_odd_results(void **state)
{
	(void)state;
	assert_result("{\"structuredContent\":{\"a\": 1}}", false,
		      "{\"a\":1}\n");
	assert_result("{\"content\":[]}", false, "{\"content\":[]}\n");
	assert_result("7", false, "7\n");
	assert_result("{\"content\":[{\"type\":\"resource_link\",\"uri\":"
		      "\"file:///a\",\"name\":\"n\"}]}",
		      false, "link file:///a\n");
	assert_result("{\"content\":[{\"type\":\"resource\",\"resource\":{"
		      "\"uri\":\"file:///a\",\"text\":\"inside\"}}]}",
		      false, "resource file:///a\ninside\n");
	assert_result("{\"content\":[{\"type\":\"resource\",\"resource\":{"
		      "\"uri\":\"file:///a\",\"blob\":\"AAEC\"}}]}",
		      false, "resource file:///a, 3 bytes\n");
	assert_result("{\"content\":[{\"type\":\"strange\",\"x\":1}]}", false,
		      "{\"type\":\"strange\",\"x\":1}\n");
}

static void test_reply(void **state)
{
	struct rendered s;
	struct message m = message_from("{\"jsonrpc\":\"2.0\",\"id\":1,"
					"\"result\": {\"n\": 1.50} }");
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->reply(&s.r, &m);
	assert_string_equal(rendered_out(&s), "{\"n\":1.50}\n");
	rendered_end(&s);
	message_done(&m);
}

static void test_ping(void **state)
{
	struct rendered s;
	const struct ping_record slow = { .took_us = 4321 };
	const struct ping_record fast = { .took_us = 87, .was_error = true };
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->ping(&s.r, &slow);
	s.r.ops->ping(&s.r, &fast);
	assert_string_equal(rendered_out(&s), "alive, 4 ms\nalive, 0.08 ms\n");
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
}

static void test_raw(void **state)
{
	static const char text[] = "{\"jsonrpc\":\"2.0\",\"id\":1, \"result\":"
				   "{\"content\":[]}}";
	struct rendered s;
	struct result result;
	struct message m = message_from(text);
	(void)state;
	result_decode_take(&result, &m);
	rendered_start(&s, OUTPUT_RAW, false);
	s.r.ops->result(&s.r, &result);
	assert_string_equal(rendered_out(&s), text);
	rendered_end(&s);
	rendered_start(&s, OUTPUT_RAW, true);
	s.r.ops->result(&s.r, &result);
	assert_int_equal(strlen(rendered_out(&s)), strlen(text) + 1);
	rendered_end(&s);
	result_done(&result);
}

/* What has no bytes of the peer's is as in the text form. */
static void test_raw_pings(void **state)
{
	static const int64_t took[] = { 2000, 4000 };
	static const struct ping_layer layers[] = { { "mcp", 3, 1, took } };
	const struct pings_record p = { layers, 1 };
	struct rendered s;

	(void)state;
	rendered_start(&s, OUTPUT_RAW, false);
	assert_non_null(s.r.ops->pings);
	s.r.ops->pings(&s.r, &p);
	assert_string_equal(
		rendered_out(&s),
		"mcp   3 sent, 1 lost (33 %): p50 2.0, p90 4.0, p99 4.0, max 4.0 ms\n");
	rendered_end(&s);
}

static void show_event(struct rendered *s, struct event e, bool terminal)
{
	rendered_start(s, OUTPUT_TEXT, terminal);
	e.len = e.text ? strlen(e.text) : 0;
	s->r.ops->event(&s->r, &e);
}

/* The time is the clock's: compared is what stands behind it. */
static void assert_event(struct event e, const char *expected)
{
	struct rendered s;
	show_event(&s, e, false);
	assert_int_equal(strspn(rendered_out(&s), "0123456789:."), 12);
	assert_string_equal(rendered_out(&s) + 12, expected);
	rendered_end(&s);
}

static char name_message[] = "notifications/message", name_listen[] = "listen",
	    name_audio[] = "audio", name_odd[] = "odd", name_lost[] = "dropped";

static void test_events(void **state)
{
	static char notification[] = "{\"jsonrpc\":\"2.0\",\"method\":"
				     "\"notifications/message\",\"params\":{"
				     "\"level\": 1.0,\"\\u72b6\":\"\\u6001\"}}";
	static char bare[] = "{\"jsonrpc\":\"2.0\",\"method\":"
			     "\"notifications/message\"}";
	static char listen[] = "{\"session_id\":\"S1\",\"type\":\"listen\","
			       "\"state\":\"start\"}";
	(void)state;
	assert_event(
		(struct event){ .kind = EVENT_NOTIFICATION,
				.name = name_message,
				.text = notification },
		"  notifications/message  {\"level\":1.0,\"状\":\"态\"}\n");
	assert_event((struct event){ .kind = EVENT_NOTIFICATION,
				     .name = name_message,
				     .text = bare },
		     "  notifications/message\n");
	assert_event((struct event){ .kind = EVENT_DEVICE,
				     .name = name_listen,
				     .text = listen },
		     "  listen  {\"state\":\"start\"}\n");
	assert_event((struct event){ .kind = EVENT_AUDIO,
				     .name = name_audio,
				     .count = 17,
				     .bytes = 1204 },
		     "  audio  17 frames, 1,204 bytes so far\n");
}

static void test_requests_of_the_peer(void **state)
{
	static char roots[] = "roots/list";
	static char bare[] = "{\"id\":1,\"method\":\"roots/list\"}";
	static char full[] = "{\"id\":1,\"params\":{\"a\": 1}}";
	(void)state;
	assert_event((struct event){ .kind = EVENT_REQUEST,
				     .name = roots,
				     .text = bare },
		     "  roots/list  a request, refused\n");
	assert_event((struct event){ .kind = EVENT_REQUEST,
				     .name = roots,
				     .text = full },
		     "  roots/list  a request, refused: {\"a\":1}\n");
}

static void test_events_that_are_odd(void **state)
{
	static char late[] = "late reply to call 3";
	static char broken[] = "{\"id\":3,\x1b";
	static char lost[] = "7 events were lost: the queue was full";
	(void)state;
	assert_event((struct event){ .kind = EVENT_ODD,
				     .name = name_odd,
				     .note = late,
				     .text = broken },
		     "  odd  late reply to call 3: {\"id\":3,\\x1b\n");
	assert_event((struct event){ .kind = EVENT_DROPPED,
				     .name = name_lost,
				     .count = 7,
				     .note = lost },
		     "  dropped  7 events were lost: the queue was full\n");
}

static void test_names_stand_in_a_column(void **state)
{
	struct rendered s;
	struct event e = { .kind = EVENT_NOTIFICATION, .name = name_message };
	struct event audio = { .kind = EVENT_AUDIO, .name = name_audio };
	static char text[] = "{\"params\":{\"a\":1}}";
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, true);
	e.text = text;
	e.len = strlen(text);
	s.r.ops->event(&s.r, &e);
	s.r.ops->event(&s.r, &audio);
	const char *second = strchr(rendered_out(&s), '\n') + 1;
	assert_int_equal(second[2], ':'); /* the time, at any hour */
	assert_ptr_equal(strstr(second, "0 frames"), second + 14 + 21 + 2);
	rendered_end(&s);
}

static void aside(struct rendered *s, struct event e, bool quiet)
{
	e.len = e.text ? strlen(e.text) : 0;
	rendered_start(s, OUTPUT_TEXT, true);
	s->r.quiet = quiet;
	render_aside(&s->r, &e);
}

static void test_asides(void **state)
{
	static char addresses[] = "set this OTA address:\n  http://a/\n  "
				  "http://b/";
	static char refused[] = "refused a second device", who[] = "10.0.0.7";
	struct event listening = { .kind = EVENT_NOTICE,
				   .notice = NOTICE_LISTENING,
				   .text = addresses };
	struct event other = { .kind = EVENT_NOTICE,
			       .notice = NOTICE_REFUSED,
			       .text = refused,
			       .note = who };
	struct rendered s;
	(void)state;
	aside(&s, listening, false);
	assert_string_equal(rendered_err(&s), "set this OTA address:\n  "
					      "http://a/\n  http://b/\n");
	assert_string_equal(rendered_out(&s), "");
	rendered_end(&s);
	aside(&s, other, false);
	assert_string_equal(rendered_err(&s) + 12,
			    "  refused a second device (10.0.0.7)\n");
	rendered_end(&s);
	aside(&s, other, true);
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
}

/* An address that is to be copied stays in one line, however narrow it is. */
static void test_addresses_on_a_terminal(void **state)
{
	static char text[] = "set this OTA address on the board:\n  "
			     "http://192.168.1.2:8000/xiaozhi/ota/\n"
			     "  or that of a proxy of yours";
	struct event listening = { .kind = EVENT_NOTICE,
				   .notice = NOTICE_LISTENING,
				   .text = text };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.width = 24;
	s.r.err_color = true;
	s.r.ops->aside(&s.r, &listening);
	assert_string_equal(
		rendered_err(&s),
		"set this OTA address on\n"
		"  the board:\n"
		"\033[1m  http://192.168.1.2:8000/xiaozhi/ota/\033[0m\n"
		"\033[1m  or that of a proxy of\n"
		"  yours\033[0m\n");
	assert_true(s.r.waiting);
	rendered_end(&s);
}

static void test_insecure_is_never_quiet(void **state)
{
	static char text[] = "the certificate is not verified";
	struct event e = { .kind = EVENT_NOTICE,
			   .notice = NOTICE_INSECURE,
			   .text = text };
	struct rendered s;
	(void)state;
	aside(&s, e, true);
	assert_non_null(strstr(rendered_err(&s), text));
	rendered_end(&s);
}

/* Of a storm a few lines, then how many more; all of them in tail only. */
static void test_a_storm_of_asides(void **state)
{
	static char name[] = "notifications/x";
	const struct event e = { .kind = EVENT_NOTIFICATION, .name = name };
	struct rendered s;
	size_t lines = 0;
	unsigned long held = 0;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	for (int i = 0; i < 1000; i++)
		render_aside(&s.r, &e);
	assert_int_equal(renderer_finish(&s.r, NULL), 0);
	for (const char *p = rendered_err(&s); *p; p = strchr(p, '\n') + 1) {
		if (strncmp(p, "… ", 4) == 0)
			held += strtoul(p + 4, NULL, 10);
		else
			lines++;
	}
	assert_int_equal(lines + held, 1000);
	assert_true(lines <= 30);
	assert_non_null(strstr(rendered_err(&s), " more messages not shown"));
	rendered_end(&s);
}

/* For the shell: what a device says too, and all kinds of storm are held. */
static void test_chatty_asides(void **state)
{
	static const enum event_kind kinds[] = { EVENT_DEVICE, EVENT_ODD,
						 EVENT_REQUEST };
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct event e = { .kind = kinds[i],
					 .name = name_listen };
		struct rendered s;
		int64_t at;
		rendered_start(&s, OUTPUT_TEXT, false);
		s.r.chatty = true;
		assert_true(render_held(&s.r) == INT64_MAX);
		for (int n = 0; n < 1000; n++)
			render_aside(&s.r, &e);
		at = render_held(&s.r);
		assert_true(at > 0 && at <= loop_now() + 1000);
		/* Its second is over. */
		s.r.asides_since -= 2000;
		assert_true(render_held(&s.r) == INT64_MAX);
		assert_non_null(strstr(rendered_err(&s), "more messages"));
		assert_true(render_held(&s.r) == INT64_MAX);
		rendered_end(&s);
	}
}

static void no_line(void *owner)
{
	(void)owner;
}

#define NOTICED(kind_) .e.kind = EVENT_NOTICE, .e.notice = NOTICE_##kind_
#define TOLD(name_)                                      \
	.e.kind = EVENT_NOTIFICATION, .e.name = (char[]) \
	{                                                \
		name_                                    \
	}
#define LOGS(level)                                       \
	TOLD("notifications/message"), .e.text = (char[]) \
	{                                                 \
		"{\"params\":{\"level\":\"" level "\"}}"  \
	}

/* What is worth a line while another command runs. */
static void test_which_asides(void **state)
{
	const struct {
		struct event e;
		bool verbose, waiting, chatty, prompt, from_info, shown;
	} rows[] = {
		{ NOTICED(REFUSED), .shown = true },
		{ NOTICED(CHILD) },
		{ NOTICED(CHILD), .verbose = true, .shown = true },
		{ NOTICED(DETAIL) },
		{ NOTICED(DETAIL), .verbose = true, .shown = true },
		{ .e.kind = EVENT_HELLO },
		{ .e.kind = EVENT_HELLO, .waiting = true, .shown = true },
		{ .e.kind = EVENT_HELLO, .waiting = true, .verbose = true },
		{ TOLD("x/y"), .shown = true },
		{ TOLD("x/y"), .verbose = true },
		{ TOLD("notifications/cancelled"), .prompt = true },
		{ TOLD("notifications/tools/list_changed") },
		{ TOLD("notifications/tools/list_changed"), .prompt = true,
		  .shown = true },
		{ LOGS("info") },
		{ LOGS("warning"), .shown = true },
		{ LOGS("info"), .from_info = true, .shown = true },
		{ LOGS("debug"), .from_info = true },
		{ LOGS("odd"), .shown = true },
		{ .e.kind = EVENT_REQUEST, .shown = true },
		{ .e.kind = EVENT_REQUEST, .verbose = true },
		{ .e.kind = EVENT_REQUEST, .e.answered = true },
		{ .e.kind = EVENT_DEVICE },
		{ .e.kind = EVENT_DEVICE, .chatty = true, .shown = true },
		{ .e.kind = EVENT_DEVICE, .chatty = true, .verbose = true },
		{ .e.kind = EVENT_ODD, .verbose = true, .shown = true },
		{ .e.kind = EVENT_AUDIO, .chatty = true },
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct event e = rows[i].e;
		struct rendered s;
		e.len = e.text ? strlen(e.text) : 0;
		rendered_start(&s, OUTPUT_TEXT, false);
		s.r.verbose = rows[i].verbose;
		s.r.waiting = rows[i].waiting;
		s.r.chatty = rows[i].chatty;
		s.r.begin = s.r.end = rows[i].prompt ? no_line : NULL;
		s.r.log_from = rows[i].from_info ? log_level_rank("info") : 0;
		render_aside(&s.r, &e);
		if ((*rendered_err(&s) != '\0') != rows[i].shown)
			fail_msg("row %zu: '%s'", i, s.err);
		rendered_end(&s);
	}
}

static int begun, ended;

static void on_begin(void *owner)
{
	assert_int_equal(begun++, ended);
	assert_non_null(owner);
}

static void on_end(void *owner)
{
	assert_int_equal(++ended, begun);
	assert_non_null(owner);
}

/* The line that is typed steps aside for everything. */
static void test_around_output(void **state)
{
	struct event e = { .kind = EVENT_NOTIFICATION, .name = name_listen };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.begin = on_begin;
	s.r.end = on_end;
	s.r.owner = &s;
	render_note(&s.r, "a note");
	render_aside(&s.r, &e);
	s.r.ops->event(&s.r, &e);
	assert_int_equal(begun, 3);
	assert_int_equal(ended, 3);
	rendered_end(&s);
}

static void test_usual_traffic_is_no_aside(void **state)
{
	static const enum event_kind usual[] = { EVENT_HELLO, EVENT_DEVICE,
						 EVENT_AUDIO, EVENT_CLOSED };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	for (size_t i = 0; i < COUNT(usual); i++) {
		const struct event e = { .kind = usual[i],
					 .name = name_listen };
		render_aside(&s.r, &e);
	}
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
}

static void test_error(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct rendered s;
	(void)state;
	error_set(&e, ERR_PEER, "said \x1b[31m");
	error_hint(&e, "look at the board");
	error_detail(&e, "line 1\nline 2\n", 14);
	error_finding(&e, "P707");
	rendered_start(&s, OUTPUT_TEXT, false);
	render_error(&s.r, &e);
	assert_string_equal(rendered_err(&s), "error: said \\x1b[31m (P707)\n"
					      "  line 1\n  line 2\n"
					      "hint: look at the board\n");
	rendered_end(&s);
}

static void test_error_on_a_terminal(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	char frame[4000];
	struct rendered s;
	(void)state;
	memset(frame, 'x', sizeof(frame));
	memcpy(frame + sizeof(frame) - 10, "\nKeyError!", 10);
	error_set(&e, ERR_PROTOCOL,
		  "one two three four five six seven eight "
		  "nine ten eleven twelve");
	error_detail(&e, frame, sizeof(frame));
	rendered_start(&s, OUTPUT_TEXT, true);
	render_error(&s.r, &e);
	assert_non_null(strstr(rendered_err(&s), "nine ten\n       eleven"));
	assert_non_null(strstr(rendered_err(&s),
			       "\n  … 2,400 more bytes (-v shows all) …\n"));
	assert_non_null(strstr(rendered_err(&s), "\n  KeyError!\n"));
	rendered_end(&s);
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.verbose = true;
	render_error(&s.r, &e);
	assert_null(strstr(rendered_err(&s), "more bytes"));
	rendered_end(&s);
}

static void test_secrets_in_an_error(void **state)
{
	static const char frame[] = "{\"token\":\"abc\"}";
	CLEANUP(error_reset) struct error e = { 0 };
	struct rendered s;
	(void)state;
	error_set(&e, ERR_PROTOCOL, "odd: Bearer abc");
	error_hint(&e, "is ?token=abc right?");
	error_detail(&e, frame, sizeof(frame) - 1);
	rendered_start(&s, OUTPUT_TEXT, false);
	render_error(&s.r, &e);
	assert_string_equal(rendered_err(&s), "error: odd: Bearer ***\n"
					      "  {\"token\":\"***\"}\n"
					      "hint: is ?token=*** right?\n");
	rendered_end(&s);
}

static void test_secrets_in_a_row(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	const struct device_record d = { .error = &e, .took_us = -1 };
	static const enum output_form forms[] = { OUTPUT_TEXT, OUTPUT_JSON };
	(void)state;
	error_set(&e, ERR_PEER, "refused: Bearer abc");
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct rendered s;
		rendered_start(&s, forms[i], false);
		s.r.ops->row(&s.r, &d);
		assert_non_null(strstr(rendered_out(&s), "Bearer ***"));
		rendered_end(&s);
	}
}

static void test_secrets_in_a_note(void **state)
{
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	render_note(&s.r, "> %s", "call x password=abc");
	assert_string_equal(rendered_err(&s), "> call x password=***\n");
	rendered_end(&s);
}

static void test_secrets_in_a_notice(void **state)
{
	static char text[] = "it said: token=abc";
	struct event e = { .kind = EVENT_NOTICE,
			   .notice = NOTICE_REFUSED,
			   .text = text };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	render_aside(&s.r, &e);
	assert_non_null(strstr(rendered_err(&s), "  it said: token=***\n"));
	rendered_end(&s);
}

static void trace(struct rendered *s, bool terminal, const char *text)
{
	const struct trace t = { .outgoing = true,
				 .kind = "text",
				 .data = text,
				 .len = strlen(text) };
	rendered_start(s, OUTPUT_TEXT, terminal);
	render_trace(&s->r, &t);
}

static void test_trace(void **state)
{
	static const char text[] = "{\"vision\":{\"token\":\"geheim\"},\"a\":"
				   "\"\x1b[0m and a long text behind it\"}";
	struct rendered s;
	(void)state;
	trace(&s, false, text);
	assert_memory_equal(rendered_err(&s), "-> ", 3);
	assert_non_null(strstr(rendered_err(&s), " B {\"vision\":{\"token\":"
						 "\"***\"},\"a\":\"\\x1b[0m "
						 "and a long text behind "
						 "it\"}\n"));
	rendered_end(&s);
	trace(&s, true, text);
	assert_int_equal(
		text_width(rendered_err(&s), strcspn(rendered_err(&s), "\n")),
		60);
	rendered_end(&s);
}

static void test_count_down(void **state)
{
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.err_moves = true;
	render_count_down(&s.r, "waiting 9 s");
	render_note(&s.r, "saved %d", 1);
	assert_string_equal(rendered_err(&s), "\r\033[Kwaiting 9 s"
					      "\r\033[Ksaved 1\n");
	render_count_down(&s.r, NULL);
	assert_false(s.r.count_down);
	rendered_end(&s);
	rendered_start(&s, OUTPUT_TEXT, false);
	render_count_down(&s.r, "waiting 9 s");
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
}

static void test_info(void **state)
{
	struct rendered s;
	struct client c = { 0 };
	struct link link;
	struct session_times times = { 1200, 4000, 4010, 4010 };
	struct session_peer peer = { 0 };
	(void)state;
	link_init(&link, DIALECT_DEVICE, 1);
	c.initialize = message_from(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"capabilities\":{"
		"\"tools\":{\"listChanged\":true},\"logging\":{}}}}");
	c.capabilities = json_object(c.initialize.result, "capabilities");
	c.server_name = "host\033board";
	c.server_version = "2.4.2";
	c.revision = "2024-11-05";
	c.initialize_us = 4321;
	peer.has_ota = true;
	snprintf(peer.ota.version, sizeof(peer.ota.version), "2.4.1");
	snprintf(peer.ota.compile_time, sizeof(peer.ota.compile_time),
		 "Aug  8 2026");
	snprintf(peer.ota.ip, sizeof(peer.ota.ip), "192.168.1.50");
	rendered_start(&s, OUTPUT_TEXT, false);
	const struct info_record i = { .target = "listen:8000",
				       .client = &c,
				       .link = &link,
				       .peer = &peer,
				       .times = &times };
	s.r.ops->info(&s.r, &i);
	assert_string_equal(
		rendered_out(&s),
		"target         listen:8000\n"
		"server         host\\x1bboard 2.4.2\n"
		"protocol       MCP 2024-11-05\n"
		"capabilities   tools (listChanged), logging\n"
		"firmware       2.4.1, compiled Aug  8 2026\n"
		"network        192.168.1.50\n"
		"dialect        device envelope\n"
		"timing         OTA after 1.2 s, connected after 4 s, hello "
		"after 4 s, up after 4 s, initialize took 4 ms\n");
	rendered_end(&s);
	message_done(&c.initialize);
	link_done(&link);
}

static void test_a_full_disk(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct rendered s;
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	FILE *out = s.r.out;
	s.r.out = fopen("/dev/full", "w");
	assert_non_null(s.r.out);
	const struct ping_record p = { .took_us = 1 };
	s.r.ops->ping(&s.r, &p);
	assert_int_equal(renderer_finish(&s.r, &e), -1);
	assert_int_equal(e.kind, ERR_OUTPUT);
	fclose(s.r.out);
	s.r.out = out;
	rendered_end(&s);
}

static void test_divert(void **state)
{
	struct rendered s;
	const struct ping_record p = { .took_us = 2000 };
	(void)state;
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.err_terminal = s.r.err_color = true;
	struct render_place place = render_divert(&s.r);
	/* It looks as there, and then as before. */
	assert_true(s.r.out_terminal && s.r.out_color);
	s.r.ops->ping(&s.r, &p);
	render_restore(&s.r, &place);
	assert_false(s.r.out_terminal || s.r.out_color);
	assert_string_equal(rendered_out(&s), "");
	assert_string_equal(rendered_err(&s), "alive, 2 ms\n");
	rendered_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tools_in_a_pipe),
		cmocka_unit_test(test_titles),
		cmocka_unit_test(test_tools_on_a_terminal),
		cmocka_unit_test(test_tools_on_a_narrow_terminal),
		cmocka_unit_test(test_tools_quiet),
		cmocka_unit_test(test_hostile_tool),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_describe_user_only),
		cmocka_unit_test(test_describe_nested),
		cmocka_unit_test(test_describe_beyond_the_limit),
		cmocka_unit_test(test_describe_collision),
		cmocka_unit_test(test_text_in_a_pipe_is_exact),
		cmocka_unit_test(test_text_on_a_terminal),
		cmocka_unit_test(test_reply_above_a_gateways_limit),
		cmocka_unit_test(test_images),
		cmocka_unit_test(test_odd_results),
		cmocka_unit_test(test_reply),
		cmocka_unit_test(test_ping),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_raw_pings),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_requests_of_the_peer),
		cmocka_unit_test(test_events_that_are_odd),
		cmocka_unit_test(test_names_stand_in_a_column),
		cmocka_unit_test(test_asides),
		cmocka_unit_test(test_addresses_on_a_terminal),
		cmocka_unit_test(test_insecure_is_never_quiet),
		cmocka_unit_test(test_a_storm_of_asides),
		cmocka_unit_test(test_chatty_asides),
		cmocka_unit_test(test_which_asides),
		cmocka_unit_test(test_around_output),
		cmocka_unit_test(test_usual_traffic_is_no_aside),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_error_on_a_terminal),
		cmocka_unit_test(test_secrets_in_an_error),
		cmocka_unit_test(test_secrets_in_a_row),
		cmocka_unit_test(test_secrets_in_a_note),
		cmocka_unit_test(test_secrets_in_a_notice),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_count_down),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_a_full_disk),
		cmocka_unit_test(test_divert),
	};
	return cmocka_run_group_tests_name("render_text", tests, NULL, NULL);
}
