/* SPDX-License-Identifier: MIT */
/* The lines of -o json that have no test of their own: each member of each. */
#include "rendered.h"

#include "base/split.h"
#include "mcp/tasks.h"
#include "net/head.h"
#include "out/render_json.h"
#include "serve/record.h"

/* 2026-08-08T12:01:02.123Z */
#define THEN INT64_C(1786190462123)

static struct rendered s;

static void start(void)
{
	rendered_start(&s, OUTPUT_JSON, false);
}

static void shows(const char *expected)
{
	assert_string_equal(rendered_out(&s), expected);
	assert_string_equal(rendered_err(&s), "");
	rendered_end(&s);
}

static void begins(const char *text, const char *with)
{
	if (strncmp(text, with, strlen(with)) != 0)
		fail_msg("'%s' does not begin with '%s'", text, with);
}

static void tells(const char *expected)
{
	assert_string_equal(rendered_err(&s), expected);
	assert_string_equal(rendered_out(&s), "");
	rendered_end(&s);
}

static void test_targets(void **state)
{
	struct target_record t = { .name = "lab",
				   .file = "f.json",
				   .peer = "ws://h/",
				   .problem = "p",
				   .client = "Cursor",
				   .hidden = true,
				   .untrusted = true };
	struct neighbour_record n = { .kind = "serve",
				      .name = "lab",
				      .peer = "ws://h/",
				      .source = "src",
				      .command = "mcpctl" };
	const struct trust_record u = { "f.json", "changed", NULL };

	(void)state;
	start();
	s.r.ops->target(&s.r, &t);
	t.dialled = true;
	t.took_us = 7;
	t.hidden = t.untrusted = false;
	t.off = true;
	s.r.ops->target(&s.r, &t);
	t.failure = "gone";
	s.r.ops->target(&s.r, &t);
	s.r.ops->trust(&s.r, &u);
#define TARGET \
	"{\"name\":\"lab\",\"peer\":\"ws://h/\",\"file\":\"f.json\",\"problem\":\"p\","
	shows(TARGET
	      "\"hidden\":true,\"trusted\":false,\"client\":\"Cursor\",\"off\":false}\n" TARGET
	      "\"hidden\":false,\"trusted\":true,\"client\":\"Cursor\",\"off\":true,\"answers\":true,\"took_us\":7,\"error\":null}\n" TARGET
	      "\"hidden\":false,\"trusted\":true,\"client\":\"Cursor\",\"off\":true,\"answers\":false,\"took_us\":7,\"error\":\"gone\"}\n"
	      "{\"file\":\"f.json\",\"state\":\"changed\",\"problem\":null}\n");
	start();
	s.r.ops->neighbour(&s.r, &n);
	n.change = "came";
	n.asked = true;
	s.r.ops->neighbour(&s.r, &n);
	n.problem = "no answer";
	n.command = NULL;
	s.r.ops->neighbour(&s.r, &n);
	shows("{\"kind\":\"serve\",\"name\":\"lab\",\"peer\":\"ws://h/\",\"source\":\"src\",\"command\":\"mcpctl\",\"problem\":null}\n"
	      "{\"change\":\"came\",\"kind\":\"serve\",\"name\":\"lab\",\"peer\":\"ws://h/\",\"source\":\"src\",\"command\":\"mcpctl\",\"answers\":true,\"problem\":null}\n"
	      "{\"change\":\"came\",\"kind\":\"serve\",\"name\":\"lab\",\"peer\":\"ws://h/\",\"source\":\"src\",\"command\":null,\"answers\":false,\"problem\":\"no answer\"}\n");
}

static void test_logins_and_adopted(void **state)
{
	struct login_record l = { .server = "s",
				  .issuer = "i",
				  .client = "c",
				  .scope = "a b",
				  .state = "over",
				  .expires_at = 1786190462,
				  .renews = true };
	struct adopt_record a = { .portal = "p",
				  .hardware = "h",
				  .before = "b",
				  .now = "n",
				  .at = "t",
				  .changed = true };

	(void)state;
	start();
	s.r.ops->login(&s.r, &l);
	l.expires_at = 0;
	l.scope = NULL;
	l.renews = false;
	s.r.ops->login(&s.r, &l);
	s.r.ops->adopt(&s.r, &a);
	a = (struct adopt_record){
		.portal = "p", .hardware = "", .before = "", .now = ""
	};
	s.r.ops->adopt(&s.r, &a);
	shows("{\"server\":\"s\",\"state\":\"over\",\"issuer\":\"i\",\"client_id\":\"c\",\"scope\":\"a b\",\"expires_at\":1786190462,\"renews\":true}\n"
	      "{\"server\":\"s\",\"state\":\"over\",\"issuer\":\"i\",\"client_id\":\"c\",\"scope\":null,\"expires_at\":null,\"renews\":false}\n"
	      "{\"portal\":\"p\",\"hardware\":\"h\",\"before\":\"b\",\"ota_url\":\"n\",\"changed\":true,\"time\":\"t\"}\n"
	      "{\"portal\":\"p\",\"hardware\":null,\"before\":null,\"ota_url\":null,\"changed\":false,\"time\":null}\n");
}

static void test_tasks_and_upgrades(void **state)
{
	struct task t = { .id = (char[]){ "t" },
			  .status = TASK_WORKING,
			  .word = (char[]){ "working" },
			  .message = (char[]){ "m" },
			  .created = (char[]){ "c" },
			  .updated = (char[]){ "u" },
			  .ttl_ms = 0,
			  .poll_ms = 500 };
	const struct task_record record = { .task = &t };
	struct upgrade_record u = { .device_text = { "{ \"id\":1}", 9 },
				    .stage = "fetch",
				    .words = "w",
				    .before = "1",
				    .now = "2",
				    .taken = 5,
				    .size = 10,
				    .took_ms = 4000 };

	(void)state;
	start();
	s.r.ops->task(&s.r, &record);
	t.ttl_ms = -1;
	t.status = TASK_FAILED;
	s.r.ops->task(&s.r, &record);
	s.r.ops->upgrade(&s.r, &u);
	u.verdict = "upgraded";
	u.size = 0;
	u.before = u.now = "";
	s.r.ops->upgrade(&s.r, &u);
	shows("{\"id\":\"t\",\"status\":\"working\",\"over\":false,\"message\":\"m\",\"created\":\"c\",\"updated\":\"u\",\"ttl_ms\":0,\"poll_ms\":500}\n"
	      "{\"id\":\"t\",\"status\":\"working\",\"over\":true,\"message\":\"m\",\"created\":\"c\",\"updated\":\"u\",\"ttl_ms\":null,\"poll_ms\":500}\n"
	      "{\"event\":\"progress\",\"device\":{\"id\":1},\"stage\":\"fetch\",\"verdict\":null,\"words\":\"w\",\"before\":\"1\",\"now\":\"2\",\"fetched\":5,\"size\":10,\"took_ms\":4000}\n"
	      "{\"event\":\"verdict\",\"device\":{\"id\":1},\"stage\":\"fetch\",\"verdict\":\"upgraded\",\"words\":\"w\",\"before\":null,\"now\":null,\"took_ms\":4000}\n");
}

static void test_checks(void **state)
{
	static const char *const verdicts[] = { "ok", "odd", "fail", "skipped",
						"stopped" };
	const struct check_record c = { .errors = 1,
					.warnings = 2,
					.notes = 3,
					.took_us = 4,
					.asked = 5,
					.left_read = 6,
					.left_odd = 7,
					.left_args = 8,
					.stopped = true };
	struct plan_record p = { .risk = "look",
				 .what = "w",
				 .text = { "{\"a\":1}", 7 } };

	(void)state;
	for (int i = STAGE_OK; i <= STAGE_STOPPED; i++) {
		const struct stage_record stage = { "connect",
						    (enum stage_verdict)i,
						    "4 ms" };
		CLEANUP(mem_free_ptr)
		char *expected = mem_printf(
			"{\"stage\":{\"name\":\"connect\",\"verdict\":\"%s\",\"text\":\"4 ms\"}}\n",
			verdicts[i]);

		start();
		s.r.ops->stage(&s.r, &stage);
		shows(expected);
	}
	start();
	s.r.ops->check(&s.r, &c);
	s.r.ops->plan(&s.r, &p);
	p.text = (struct span){ 0 };
	p.instead = "nothing";
	s.r.ops->plan(&s.r, &p);
	shows("{\"check\":{\"errors\":1,\"warnings\":2,\"notes\":3,\"took_us\":4,\"asked\":5,\"left_read\":6,\"left_odd\":7,\"left_args\":8,\"stopped\":true}}\n"
	      "{\"plan\":{\"risk\":\"look\",\"asks\":\"w\",\"message\":{\"a\":1}}}\n"
	      "{\"plan\":{\"risk\":\"look\",\"asks\":\"w\",\"message\":null,\"instead\":\"nothing\"}}\n");
}

static void test_against(void **state)
{
	struct words two = { 0 }, pairs = { 0 }, none = { 0 };
	struct against_record a = { .id = "java",
				    .name = "n",
				    .kept = 2,
				    .of = 5,
				    .known = true,
				    .lost = &two,
				    .renamed = &pairs,
				    .unreachable = &none,
				    .calls = "c" };

	(void)state;
	words_add(&two, "a");
	words_add(&two, "b\"");
	words_add(&pairs, "c");
	words_add(&pairs, "d");
	words_add(&pairs, "e");
	words_add(&pairs, "f");
	start();
	s.r.ops->against(&s.r, &a);
	a.known = false;
	a.renamed = &none;
	a.lost = &none;
	a.unreachable = &two;
	s.r.ops->against(&s.r, &a);
	shows("{\"against\":{\"id\":\"java\",\"name\":\"n\",\"known\":true,\"kept\":2,\"of\":5,\"lost\":[\"a\",\"b\\\"\"],\"renamed\":{\"c\":\"d\",\"e\":\"f\"},\"unreachable\":[],\"calls\":\"c\"}}\n"
	      "{\"against\":{\"id\":\"java\",\"name\":\"n\",\"known\":false,\"kept\":2,\"of\":5,\"lost\":[],\"renamed\":{},\"unreachable\":[\"a\",\"b\\\"\"],\"calls\":\"c\"}}\n");
	words_done(&two);
	words_done(&pairs);
}

static void test_findings(void **state)
{
	struct finding f = { .code = D124,
			     .detail = (char[]){ "token=hush" },
			     .count = 2 };
	struct finding_record record = { .finding = &f, .device = "hall" };
	CLEANUP(explanation_done) struct explanation e;

	(void)state;
	start();
	s.r.ops->finding(&s.r, &record);
	assert_string_equal(rendered_out(&s), "");
	begins(rendered_err(&s),
	       "{\"finding\":{\"code\":\"D124\",\"severity\":\"error\",");
	assert_non_null(strstr(s.err, "\"detail\":\"token=***\""));
	assert_non_null(strstr(s.err, "\"device\":\"hall\""));
	rendered_end(&s);
	start();
	record.whole = true;
	s.r.ops->finding(&s.r, &record);
	assert_string_equal(rendered_err(&s), "");
	assert_non_null(strstr(rendered_out(&s), "\"count\":2"));
	rendered_end(&s);
	explanation_read(&e, B214, EXPLAIN_ENGLISH);
	start();
	s.r.ops->explain(&s.r, &e);
	begins(rendered_out(&s),
	       "{\"code\":\"B214\",\"severity\":\"warning\",\"title\":\"a request id is used again\",\"looks\":\"Two requests");
	assert_non_null(strstr(s.out, ",\"versions\":null,\"hits\":\"Python"));
	assert_non_null(strstr(s.out, ",\"plant\":\"mcpctl listen: "));
	rendered_end(&s);
}

static void test_scripts(void **state)
{
	const struct command_record c = { "ping", "x.txt", 3 };
	const struct run_record run = { 5, 2, 1, 0 }, ended = { 5, 2, 1, 1 };

	(void)state;
	start();
	s.r.ops->command(&s.r, &c);
	s.r.ops->run(&s.r, &run);
	s.r.ops->run(&s.r, &ended);
	tells("{\"command\":{\"text\":\"ping\",\"source\":\"x.txt\",\"line\":3}}\n"
	      "{\"run\":{\"commands\":8,\"good\":5,\"failed\":2,\"not_run\":1}}\n"
	      "{\"run\":{\"commands\":9,\"good\":5,\"failed\":2,\"not_run\":1,\"interrupted\":1}}\n");
}

static void test_pings(void **state)
{
	int64_t took[100];
	const struct ping_layer layers[] = { { "mcp", 101, 1, took },
					     { "ws", 2, 2, NULL } };
	const struct pings_record p = { layers, 2 };
	const struct ping_record one = { .took_us = 1,
					 .tcp_us = 2,
					 .ws_us = 3 };

	(void)state;
	start();
	for (int i = 0; i < 100; i++)
		took[i] = i + 1;
	s.r.ops->ping(&s.r, &one);
	s.r.ops->pings(&s.r, &p);
	shows("{\"alive\":true,\"took_us\":1,\"error\":false,\"tcp_us\":2,\"ws_us\":3}\n"
	      "{\"ping\":{\"mcp\":{\"sent\":101,\"lost\":1,\"p50_us\":50,\"p90_us\":90,\"p99_us\":99,\"max_us\":100},\"ws\":{\"sent\":2,\"lost\":2,\"p50_us\":null,\"p90_us\":null,\"p99_us\":null,\"max_us\":null}}}\n");
}

/* What serve tells; its detail only if the line stays JSON. */
static void test_records(void **state)
{
	struct record r = { .kind = RECORD_READY,
			    .level = LEVEL_GOOD,
			    .at_ms = THEN,
			    .device = (char[]){ "aa:01" },
			    .alias = (char[]){ "hall" },
			    .address = (char[]){ "10.0.0.7" },
			    .text = (char[]){ "token=hush" },
			    .hint = (char[]){ "h" },
			    .detail = (char[]){ "\"a\": 1, \"b\":[ ]" },
			    .count = 7 };

	(void)state;
	start();
	s.r.ops->record(&s.r, &r);
	assert_false(s.r.waiting);
	r = (struct record){ .kind = RECORD_LISTENING,
			     .level = LEVEL_BAD,
			     .at_ms = THEN,
			     .hint = (char[]){ "" },
			     .detail = (char[]){ "\"a\":" } };
	s.r.ops->record(&s.r, &r);
	assert_true(s.r.waiting);
	r.detail = (char[]){ " " };
	s.r.ops->record(&s.r, &r);
	r.detail = (char[]){ "" };
	s.r.ops->record(&s.r, &r);
#define LISTENING \
	"{\"event\":\"listening\",\"time\":\"2026-08-08T12:01:02.123Z\",\"level\":\"bad\",\"device\":null,\"alias\":null,\"address\":null,\"text\":null,\"hint\":null}\n"
	shows("{\"event\":\"ready\",\"time\":\"2026-08-08T12:01:02.123Z\",\"level\":\"good\",\"device\":\"aa:01\",\"alias\":\"hall\",\"address\":\"10.0.0.7\",\"text\":\"token=***\",\"hint\":\"h\",\"count\":7,\"a\":1,\"b\":[]}\n" LISTENING
		      LISTENING LISTENING);
}

static void event(struct event e, const char *expected)
{
	e.len = e.text ? strlen(e.text) : 0;
	start();
	s.r.ops->event(&s.r, &e);
	assert_string_equal(strstr(rendered_out(&s), ",\"kind\""), expected);
	rendered_end(&s);
}

static void test_events(void **state)
{
	struct event e = { .kind = EVENT_NOTICE,
			   .notice = NOTICE_LISTENING,
			   .name = (char[]){ "notice" },
			   .text = (char[]){ "x" } };

	(void)state;
	event((struct event){ .kind = EVENT_ODD,
			      .name = (char[]){ "odd" },
			      .code = "D125",
			      .file = (char[]){ "f" } },
	      ",\"kind\":\"odd\",\"name\":\"odd\",\"message\":null,\"note\":null,\"code\":\"D125\",\"file\":\"f\"}\n");
	event((struct event){ .kind = EVENT_REQUEST,
			      .name = (char[]){ "m" },
			      .answered = true },
	      ",\"kind\":\"request\",\"name\":\"m\",\"message\":null,\"note\":null,\"answered\":true}\n");
	event((struct event){ .kind = EVENT_DROPPED, .count = 3, .bytes = 9 },
	      ",\"kind\":\"dropped\",\"name\":null,\"message\":null,\"note\":null,\"count\":3}\n");
	/* A line of a log is one, though it reads like JSON. */
	event((struct event){ .kind = EVENT_SERIAL,
			      .text = (char[]){ "{\"a\":1}" } },
	      ",\"kind\":\"serial\",\"name\":null,\"message\":null,\"text\":\"{\\\"a\\\":1}\",\"note\":null}\n");
	e.len = 1;
	start();
	s.r.about = "hall";
	s.r.ops->aside(&s.r, &e);
	assert_true(s.r.waiting);
	assert_non_null(strstr(rendered_err(&s), ",\"device\":\"hall\"}}\n"));
	rendered_end(&s);
	start();
	e.notice = NOTICE_REFUSED;
	s.r.ops->aside(&s.r, &e);
	assert_false(s.r.waiting);
	rendered_end(&s);
}

static void test_info(void **state)
{
	struct client c = { .initialize_us = 2999 };
	struct link link;
	struct session_times times = { 1, 2, 3, 4 };
	struct session_peer peer = { .address = (char[]){ "a" },
				     .path = (char[]){ "p" },
				     .tls = (char[]){ "t" },
				     .device_id = (char[]){ "d" },
				     .client_id = (char[]){ "c" },
				     .protocol_version = 2,
				     .ota_answer = (char[]){ "ws://h/" },
				     .has_ota = true };
	const struct info_record i = { .target = "x",
				       .client = &c,
				       .link = &link,
				       .peer = &peer,
				       .times = &times,
				       .spoken = "HTTP/2" };
	static const char json[] = "{ \"id\":\"aa\"}";
	const struct device_record whose = { .device_text = {
						     json, sizeof(json) - 1 } };

	(void)state;
	link_init(&link, DIALECT_PLAIN, 1);
	strcpy(link.session_id, "s");
	link.audio_frames = 5;
	link.audio_bytes = 6;
	c.initialize = message_from(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\": 1}}");
	c.era = (struct era_known){ .era = ERA_MODERN,
				    .how = ERA_BY_OPTION,
				    .kept = true };
	headers_add(&peer.headers, "A", "1");
	headers_add(&peer.headers, "B", "2");
	start();
	s.r.whose = &whose;
	s.r.ops->info(&s.r, &i);
	begins(rendered_out(&s),
	       "{\"device\":{\"id\":\"aa\"},\"info\":{\"target\":\"x\",\"device\":{\"address\":\"a\",\"path\":\"p\",\"device_id\":\"d\",\"client_id\":\"c\",\"protocol_version\":2,\"tls\":\"t\",\"dialect\":\"plain\",\"transport\":\"HTTP/2\",\"session_id\":\"s\",\"audio_frames\":5,\"audio_bytes\":6,\"headers\":{\"A\":\"1\",\"B\":\"2\"}},\"hello\":null,\"initialize\":{\"a\":1},\"era\":{\"name\":\"modern\",\"found\":\"option\",\"kept\":true},\"ota\":{");
	assert_non_null(strstr(
		s.out,
		",\"sent_to\":\"ws://h/\"},\"likely\":null,\"timing_ms\":{\"ota\":1,\"connected\":2,\"hello\":3,\"up\":4,\"initialize\":2}}}\n"));
	rendered_end(&s);
	/* A device is never asked for its era. */
	c.device = true;
	c.initialize_us = -1;
	link.dialect = DIALECT_UNKNOWN;
	start();
	s.r.ops->info(&s.r, &i);
	assert_non_null(strstr(rendered_out(&s), "\"era\":null"));
	assert_non_null(strstr(s.out, "\"dialect\":null"));
	assert_non_null(strstr(s.out, "\"initialize\":null}}\n"));
	rendered_end(&s);
	/* It took no time, and came without asking for OTA. */
	c.initialize_us = 0;
	peer.has_ota = false;
	start();
	s.r.ops->info(&s.r, &i);
	assert_non_null(strstr(rendered_out(&s), "\"ota\":null,"));
	assert_non_null(strstr(s.out, "\"initialize\":0}}\n"));
	rendered_end(&s);
	headers_done(&peer.headers);
	link_done(&link);
	message_done(&c.initialize);
}

static void test_kept_tools(void **state)
{
	struct tool_list list = { 0 };
	struct error broke = { .kind = ERR_PEER };
	struct tools_record t = { .list = &list, .shown = 1, .filter = "a" };

	(void)state;
	add_page(&list,
		 "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}");
	start();
	t.target = "lab";
	s.r.ops->tool(&s.r, &list.tool[0], &t);
	shows("{\"target\":\"lab\",\"tool\":{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}}\n");
	t.kept = "lab";
	t.age = 60;
	start();
	s.r.ops->tools_end(&s.r, &t);
	t.filter = t.kept = NULL;
	t.broke = &broke;
	s.r.ops->tools_end(&s.r, &t);
	s.r.quiet = true;
	s.r.ops->tools_end(&s.r, &t);
	tells("{\"listing\":{\"tools\":1,\"user_only\":0,\"pages\":1,\"shown\":1,\"complete\":true,\"kept\":\"lab\",\"age_s\":60,\"findings\":null}}\n"
	      "{\"listing\":{\"tools\":1,\"user_only\":0,\"pages\":1,\"shown\":1,\"complete\":false,\"findings\":null}}\n");
	tool_list_done(&list);
}

/* Notes and their codes are lists, side by side. */
static void test_described(void **state)
{
	struct tool_list list = { 0 };
	struct describe_record d = { .list = &list, .device = true };
	CLEANUP(json_free_ptr) cJSON *json = NULL;

	(void)state;
	add_page(&list, "{\"name\":\"self.a.b\"},{\"name\":\"self_a_b\"}");
	d.tool = &list.tool[0];
	d.upload = "http://h/x";
	start();
	s.r.ops->describe(&s.r, &d);
	rendered_out(&s);
	json = json_parse(s.out, s.out_len, NULL);
	assert_int_equal(cJSON_GetArraySize(json_array(json, "backends")), 3);
	assert_int_equal(cJSON_GetArraySize(json_array(json, "codes")), 3);
	assert_non_null(strstr(s.out, ",\"upload\":\"http://h/x\"}\n"));
	rendered_end(&s);
	tool_list_done(&list);
}

static void test_pictures(void **state)
{
	struct words files = { 0 };
	struct result full = result_from("{\"content\":[]}");
	struct result empty = result_from("{}");
	struct result number = result_from("7");

	(void)state;
	words_add(&files, "a.png");
	words_add(&files, "b.jpg");
	full.pictures = empty.pictures = number.pictures = &files;
	start();
	s.r.ops->result(&s.r, &full);
	s.r.ops->result(&s.r, &empty);
	s.r.ops->result(&s.r, &number);
	shows("{\"content\":[],\"pictures\":[\"a.png\",\"b.jpg\"]}\n"
	      "{\"pictures\":[\"a.png\",\"b.jpg\"]}\n"
	      "7\n");
	words_done(&files);
	result_done(&full);
	result_done(&empty);
	result_done(&number);
}

/* An error of the peer has a code; what the layers did stands beside it. */
static void test_errors(void **state)
{
	CLEANUP(error_reset) struct error e = { 0 };
	struct message error = message_from(
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"m\"}}");

	(void)state;
	start();
	s.r.ops->error(&s.r, &e);
	error_set(&e, ERR_CONNECT, "x");
	error_code(&e, 7);
	render_keep_ladder(&s.r, "{\"token\":\"hush\"}");
	render_error(&s.r, &e);
	/* An error reply is no result. */
	s.r.ops->reply(&s.r, &error);
	tells("{\"error\":{\"kind\":\"connect\",\"status\":3,\"code\":null,\"message\":\"x\",\"hint\":null,\"detail\":null,\"ladder\":{\"token\":\"***\"}}}\n");
	message_done(&error);
}

static void test_lines_of_others(void **state)
{
	static const char line[] = "{\"a\":\"\u200b\"}";
	struct buf out = { 0 };

	(void)state;
	start();
	assert_true(put_captured_line(&s.r, (struct span){ "{\"n\":1}", 7 }));
	add_json_line(&s.r, &out, (struct span){ line, strlen(line) });
	assert_string_equal(buf_string(&out), "{\"a\":\"\u200b\"}\n");
	buf_reset(&out);
	s.r.out_terminal = true;
	add_json_line(&s.r, &out, (struct span){ line, strlen(line) });
	assert_string_equal(buf_string(&out), "{\"a\":\"\\u200b\"}\n");
	shows("{\"n\":1}\n");
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_logins_and_adopted),
		cmocka_unit_test(test_tasks_and_upgrades),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_against),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_pings),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_kept_tools),
		cmocka_unit_test(test_described),
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_lines_of_others),
	};

	return cmocka_run_group_tests_name("json_rows", tests, NULL, NULL);
}
