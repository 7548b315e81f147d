/* SPDX-License-Identifier: MIT */
/*
 * A device in serve, from the first byte to the last: hello, initialize, the
 * listing, everything that can be wrong with them, and its end.
 */
#include <errno.h>

#include "serve_harness.h"

#include "base/json_scan.h"
#include "folder.h"
#include "serve/board.h"
#include "serve/board_start.h"
#include "serve/board_tell.h"

#define OTHER "aa:bb:cc:dd:ee:02"

static void assert_described(const struct board *d, const char *part)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_char(&out, '{');
	board_describe(&out, d);
	buf_char(&out, '}');
	assert_int_equal(json_check(out.data, out.len, NULL), 0);
	if (!strstr(out.data, part))
		fail_msg("'%s' is not in '%s'", part, out.data);
}

/* ---- the good way ---- */

static void test_ready(void **state)
{
	struct end *e = dial("AA:BB:CC:DD:EE:01");
	struct board *d = e->device;

	(void)state;
	the_record(RECORD_CONNECTED, 0, "WebSocket, /xiaozhi/v1/");
	assert_int_equal(d->state, DEVICE_CONNECTED);
	assert_string_equal(d->id, MAC);
	assert_int_equal(e->sent.count, 0);
	says(e, HELLO);
	assert_sent(e, 0, "\"type\":\"hello\",\"transport\":\"websocket\"");
	assert_sent(e, 1,
		    "\"method\":\"initialize\",\"params\":{"
		    "\"protocolVersion\":\"2024-11-05\","
		    "\"capabilities\":{},\"clientInfo\"");
	the_record(RECORD_HELLO, 0, "version 1, transport 'websocket', opus");
	assert_int_equal(d->state, DEVICE_INITIALIZING);
	assert_described(d, "\"asked\":\"20");
	answers(e, INITIALIZED);
	assert_sent(e, 2, "\"method\":\"notifications/initialized\"");
	assert_sent(e, 3,
		    "\"method\":\"tools/list\",\"params\":{"
		    "\"withUserTools\":true}");
	assert_int_equal(d->state, DEVICE_LISTING);
	answers(e,
		"{\"tools\":[" TOOL("a") "," TOOL("b") "],"
						       "\"nextCursor\":\"c\"}");
	assert_sent(e, 4, "\"cursor\":\"c\",\"withUserTools\":true");
	answers(e, "{\"tools\":[" USER_TOOL("c") "]}");
	assert_int_equal(d->state, DEVICE_READY);
	the_record(RECORD_READY, 0, "2 tools + 1 user-only (bread 2.4.2)");
	assert_null(d->start);
	assert_null(d->link.hello.json);
	assert_string_equal(d->hello, HELLO);
	assert_non_null(strstr(d->initialize, "\"id\":null,\"result\""));
	assert_int_equal(d->tools->count, 3);
	assert_described(d, "\"state\":\"ready\",\"reason\":null,\"tools\":3,"
			    "\"user_tools\":1,\"list\":\"");
	assert_described(d, "\"asked\":null,\"state\"");
	assert_described(d, "\"board\":\"bread\",\"version\":\"2.4.2\","
			    "\"transport\":\"websocket\"");
	assert_int_equal(e->sent.count, 5);
}

static void test_lists_are_shared(void **state)
{
	struct end *one = dial(MAC), *two = dial(OTHER);

	(void)state;
	becomes_ready(one);
	becomes_ready(two);
	assert_ptr_equal(one->device->tools, two->device->tools);
	assert_int_equal(server->tool_lists.lists.count, 1);
}

static void test_vision(void **state)
{
	struct end *e;

	(void)state;
	server->config.vision_url = "http://see.example/v";
	server->config.vision_token = "secret";
	e = dial(MAC);
	says(e, HELLO);
	assert_sent(e, 1,
		    "\"capabilities\":{\"vision\":{\"url\":"
		    "\"http://see.example/v\",\"token\":\"secret\"}}");
}

/* It is judged from where the board is: not on this machine. */
static void test_vision_out_of_reach(void **state)
{
	static const struct {
		const char *url;
		uint64_t found;
	} cases[] = { { "http://10.0.0.1:8003/v", 0 },
		      { "http://127.0.0.1:8003/v", 1 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct end *e;

		server->config.vision_url = cases[i].url;
		e = dial(i ? OTHER : MAC);
		says(e, HELLO);
		assert_int_equal(diag_count(e->device->diag, V506),
				 cases[i].found);
	}
}

static void test_no_init(void **state)
{
	struct end *e;

	(void)state;
	server->config.no_init = true;
	e = dial(MAC);
	says(e, HELLO);
	assert_int_equal(e->sent.count, 1);
	assert_int_equal(e->device->state, DEVICE_READY);
	assert_null(e->device->tools);
	the_record(RECORD_READY, 0, "--no-init");
	assert_described(e->device, "\"tools\":null");
}

static void test_standby(void **state)
{
	struct udp_offer udp = { .server = "10.0.0.1", .port = 8888 };
	struct peer_info peer = { .address = "10.0.0.9:1",
				  .client_id = "GID_x@@@aa_bb",
				  .envelope = true,
				  .standby = true,
				  .udp = &udp };
	struct end *e = knock_with(&peer, true);

	(void)state;
	is_ready(e, &peer);
	assert_string_equal(e->device->id, "gid_x@@@aa_bb");
	assert_sent(e, 0, "\"method\":\"initialize\"");
	assert_int_equal(e->device->deadline, LOOP_FOREVER);
	/* hello may come at any time, and more than once. */
	says(e, "{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\","
		"\"features\":{\"mcp\":true}}");
	assert_sent(e, 1, "\"transport\":\"udp\"");
	assert_sent(e, 1, "\"session_id\":\"mcpctl-");
	says(e, "{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\","
		"\"features\":{\"mcp\":true}}");
	assert_int_equal(the_record(RECORD_HELLO, 1, "again")->level,
			 LEVEL_INFO);
	assert_int_equal(e->sent.count, 3);
	assert_int_equal(e->device->state, DEVICE_INITIALIZING);
	assert_described(e->device, "\"transport\":\"mqtt\"");
}

/* ---- hello ---- */

static void test_hello_twice(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	becomes_ready(e);
	assert_int_equal(e->sent.count, 4);
	says(e, HELLO);
	assert_int_equal(e->sent.count, 5);
	assert_sent(e, 4, "\"type\":\"hello\"");
	the_record(RECORD_HELLO, 0, "version 1, transport 'websocket', opus");
	the_record(RECORD_HELLO, 1, "said hello again");
	assert_string_equal(diag_finding(e->device->diag, D142)->detail,
			    "2 times by now");
	assert_int_equal(e->device->state, DEVICE_READY);
}

/* Zero is no version that anybody said. */
static void test_hello_of_nothing(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	says(e, "{\"type\":\"hello\"}");
	the_record(RECORD_HELLO, 0,
		   "said hello: no version, no transport, no audio");
	says(e, "{\"type\":\"hello\",\"version\":\"1\"}");
	the_record(RECORD_HELLO, 1, "no version");
}

static void test_hello_never(void **state)
{
	struct end *e;

	(void)state;
	server->config.hello_wait = 20;
	e = dial(MAC);
	wait_record(RECORD_GONE);
	the_record(RECORD_REFUSED, 0, "said no hello in 20 ms");
	the_record(RECORD_GONE, 0, "said no hello in 20 ms");
	assert_true(e->gone);
	assert_int_equal(server->held, 0);
	assert_int_equal(server->registry.count, 0);
}

static void test_rubbish_then_hello(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	says(e, "GET / HTTP/1.1");
	says(e, "{\"type\":\"mcp\"}");
	says(e, "[1,2]");
	says(e, "");
	assert_int_equal(e->sent.count, 0);
	assert_int_equal(e->device->state, DEVICE_CONNECTED);
	assert_non_null(strstr(
		the_record(RECORD_FINDING, 0, "! D143 warning  ")->detail,
		"GET / HTTP/1.1"));
	assert_null(find_record(RECORD_FINDING, 1));
	/* [1,2] are two that say nothing. */
	assert_int_equal(diag_count(e->device->diag, D143), 5);
	becomes_ready(e);
}

static void test_no_mcp(void **state)
{
	struct end *e = dial(MAC), *old = dial(OTHER);
	const struct record *r;

	(void)state;
	says(e, "{\"type\":\"hello\",\"version\":1,\"features\":{\"mcp\":false}"
		",\"transport\":\"websocket\"}");
	assert_int_equal(e->device->state, DEVICE_NO_MCP);
	/* It is answered, as a voice device, and asked nothing. */
	assert_int_equal(e->sent.count, 1);
	r = the_record(RECORD_FAILED, 0, "has no features.mcp that is true");
	assert_non_null(strstr(r->hint, "firmware 1.6.6 or later"));
	assert_described(e->device, "\"state\":\"no-mcp\",\"reason\":\"the "
				    "device offers no MCP");
	says(old, "{\"type\":\"hello\",\"version\":1}");
	the_record(RECORD_FAILED, 1, "has no features.mcp that is true");
}

/* ---- initialize ---- */

static void test_initialize_error(void **state)
{
	struct end *e = dial(MAC), *broken = dial(OTHER);

	(void)state;
	says(e, HELLO);
	answers_as(e, "error", "{\"code\":-32601,\"message\":\"no such\"}");
	assert_int_equal(e->device->state, DEVICE_FAILED);
	assert_string_equal(e->device->reason, "initialize: no such (-32601)");
	the_record(RECORD_FAILED, 0, "initialize: no such");
	assert_null(e->device->start);
	assert_null(e->device->initialize);
	says(broken, HELLO);
	answers_as(broken, "error", "{\"message\":\"not \"now\"\"}");
	assert_string_equal(broken->device->reason, "initialize: not \"now\"");
	assert_int_equal(e->sent.count, 2);
}

static void test_initialize_odd_result(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	says(e, HELLO);
	answers(e, "true");
	assert_string_equal(e->device->reason,
			    "initialize: the reply has no result object");
}

static void test_initialize_silence(void **state)
{
	struct end *e;

	(void)state;
	server->config.timeout = 20;
	e = dial(MAC);
	says(e, HELLO);
	wait_record(RECORD_FAILED);
	assert_string_equal(e->device->reason,
			    "no answer to initialize in 20 ms");
	assert_non_null(the_record(RECORD_FAILED, 0, NULL)->hint);
	/* It stays, and its late answer is no harm. */
	answers(e, INITIALIZED);
	assert_int_equal(e->device->state, DEVICE_FAILED);
	assert_int_equal(server->registry.count, 1);
	the_record(RECORD_FINDING, 0, ": initialize, late by ");
}

static void test_initialize_cannot_be_sent(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	e->refuse = true;
	says(e, HELLO);
	assert_string_equal(e->device->reason, "initialize: the queue is full");
}

static void keep_initialize(struct board *d, const char *text)
{
	CLEANUP(message_done) struct message m = { 0 };

	message_read(&m, text, strlen(text), NULL);
	board_keep_initialize(d, &m);
}

static void test_keep_initialize(void **state)
{
	static const char good[] = "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":"
				   "{\"serverInfo\":{\"name\":\"late\"}}}";
	static const char bad[] = "{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{}}";
	struct end *e = dial(MAC);

	(void)state;
	says(e, HELLO);
	answers_as(e, "error", "{\"message\":\"no\"}");
	keep_initialize(e->device, bad);
	keep_initialize(e->device, "{");
	assert_null(e->device->initialize);
	keep_initialize(e->device, good);
	assert_string_equal(e->device->initialize, good);
	assert_string_equal(e->device->board, "late");
	assert_null(e->device->reason);
	/* It is as ready as any: with its tools. */
	assert_int_equal(e->device->state, DEVICE_LISTING);
	answers(e, "{\"tools\":[" TOOL("a") "]}");
	assert_int_equal(e->device->state, DEVICE_READY);
	assert_int_equal(e->device->tools->count, 1);
}

/* ---- the listing ---- */

static void test_listing_fails_on_page_2(void **state)
{
	struct end *e = dial(MAC);
	struct span found;

	(void)state;
	says(e, HELLO);
	answers(e, INITIALIZED);
	answers(e, "{\"tools\":[" TOOL("a") "],\"nextCursor\":\"b\"}");
	answers_as(e, "error",
		   "{\"message\":\"Failed to add tool b because of payload "
		   "size limit\"}");
	assert_int_equal(e->device->state, DEVICE_FAILED);
	assert_string_equal(e->device->reason,
			    "tools/list: page 2: Failed to add tool b because "
			    "of payload size limit");
	assert_non_null(
		strstr(the_record(RECORD_FAILED, 0, NULL)->hint, "7959 bytes"));
	/* What came before is kept, and initialize too. */
	assert_true(shared_list_tool(e->device->tools, "a", &found));
	assert_non_null(e->device->initialize);
	assert_null(e->device->start);
	assert_int_equal(server->listing, 0);
}

static void test_listing_goes_round(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	says(e, HELLO);
	answers(e, INITIALIZED);
	answers(e, "{\"tools\":[" TOOL("a") "],\"nextCursor\":\"b\"}");
	answers(e, "{\"tools\":[" TOOL("b") "],\"nextCursor\":\"b\"}");
	assert_int_equal(e->device->state, DEVICE_FAILED);
	assert_string_equal(e->device->reason,
			    "tools/list page 2: cursor 'b' came before, on "
			    "page 1");
	assert_int_equal(e->device->tools->count, 2);
}

/* Of one device no more is kept than any board has. */
static void test_listing_is_large(void **state)
{
	struct end *e = dial(MAC);
	CLEANUP(mem_free_ptr) char *text = mem_zalloc((1 << 20) + 1);

	(void)state;
	memset(text, 'x', 1 << 20);
	says(e, HELLO);
	answers(e, INITIALIZED);
	for (int i = 0; i < 20 && e->device->state == DEVICE_LISTING; i++) {
		CLEANUP(mem_free_ptr)
		char *page = mem_printf("{\"tools\":[{\"name\":\"t%d\","
					"\"description\":\"%s\"}],"
					"\"nextCursor\":\"%d\"}",
					i, text, i);

		answers(e, page);
	}
	assert_int_equal(e->device->state, DEVICE_FAILED);
	assert_string_equal(
		e->device->reason,
		"tools/list page 8: more than 8 MB of memory in all");
}

/* Nor of one page, which is the last. */
static void test_listing_is_large_at_once(void **state)
{
	struct end *e = dial(MAC);
	CLEANUP(buf_done) struct buf page = { 0 };

	(void)state;
	says(e, HELLO);
	answers(e, INITIALIZED);
	buf_text(&page, "{\"tools\":[{\"name\":\"a\",\"x\":[1");
	for (int i = 0; i < 200000; i++)
		buf_text(&page, ",1");
	buf_text(&page, "]}]}");
	answers(e, buf_string(&page));
	assert_int_equal(e->device->state, DEVICE_FAILED);
	assert_string_equal(
		e->device->reason,
		"tools/list page 1: more than 8 MB of memory in all");
	assert_null(e->device->tools);
}

static void test_listing_silence(void **state)
{
	struct end *e;

	(void)state;
	server->config.timeout = 30;
	e = dial(MAC);
	says(e, HELLO);
	answers(e, INITIALIZED);
	wait_record(RECORD_FAILED);
	assert_string_equal(e->device->reason,
			    "tools/list: no answer within 30 ms");
	assert_null(e->device->tools);
}

static void test_said_while_listing(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	says(e, HELLO);
	answers(e, INITIALIZED);
	says(e, "{\"session_id\":\"x\",\"type\":\"mcp\",\"payload\":{"
		"\"jsonrpc\":\"2.0\",\"method\":\"notifications/state\","
		"\"params\":{\"a\":1}}}");
	says(e, "{\"session_id\":\"x\",\"type\":\"listen\","
		"\"state\":\"start\"}");
	the_record(RECORD_NOTIFICATION, 0, "notifications/state {\"a\":1}");
	the_record(RECORD_MESSAGE, 0, "\"type\":\"listen\"");
	answers(e, "{\"tools\":[" TOOL("a") "]}");
	assert_int_equal(e->device->state, DEVICE_READY);
	assert_int_equal(e->sent.count, 4);
}

/* A message of that many bytes, which ends with that text; and the record. */
static const struct record *says_long(struct end *e, size_t n, size_t len,
				      const char *last)
{
	static const char head[] = "{\"type\":\"x\",\"a\":\"";
	size_t fill = len - strlen(head) - strlen(last) - strlen("\"}");
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_text(&text, head);
	for (size_t i = 0; i < fill; i++)
		buf_char(&text, 'y');
	buf_printf(&text, "%s\"}", last);
	assert_int_equal(text.len, len);
	says(e, buf_string(&text));
	return the_record(RECORD_MESSAGE, n, NULL);
}

static const char *end_of(const struct record *r, size_t count)
{
	return r->text + strlen(r->text) - count;
}

/* A line has the beginning of it, in whole characters; all is beside it. */
static void test_long_messages(void **state)
{
	struct end *e = dial(MAC);
	const struct record *r;

	(void)state;
	becomes_ready(e);
	r = says_long(e, 0, 600, "音");
	assert_string_equal(end_of(r, 6), "y音\"}");
	assert_int_equal(strlen(r->text), 600);
	r = says_long(e, 1, 601, "z");
	assert_string_equal(end_of(r, 3), "yz\"");
	/* The last place has one, two, three bytes of the character. */
	r = says_long(e, 2, 602, "音");
	assert_string_equal(end_of(r, 4), "y音");
	assert_int_equal(strlen(r->text), 600);
	r = says_long(e, 3, 603, "音");
	assert_string_equal(end_of(r, 2), "yy");
	assert_int_equal(strlen(r->text), 598);
	r = says_long(e, 4, 604, "音");
	assert_int_equal(strlen(r->text), 599);
	r = says_long(e, 5, 8192, "z");
	assert_int_equal(strlen(r->detail), strlen("\"message\":") + 8192);
	assert_null(says_long(e, 6, 8193, "z")->detail);
}

static void test_turns(void **state)
{
	enum { COUNT_ALL = 300 };
	struct end *e[COUNT_ALL];
	unsigned asked = 0;
	char id[32];

	(void)state;
	for (int i = 0; i < COUNT_ALL; i++) {
		snprintf(id, sizeof(id), "02:00:00:00:%02x:%02x", i >> 8,
			 i & 255);
		e[i] = dial(id);
		says(e[i], HELLO);
		answers(e[i], INITIALIZED);
		asked += e[i]->sent.count == 4;
	}
	assert_int_equal(asked, server->listing);
	assert_true(asked > 10 && asked < COUNT_ALL - 10);
	/* One goes while it waits, one while it is asked; one cannot be asked. */
	e[COUNT_ALL - 1]->transport->ops->close(e[COUNT_ALL - 1]->transport);
	e[COUNT_ALL - 5]->transport->ops->close(e[COUNT_ALL - 5]->transport);
	e[0]->transport->ops->close(e[0]->transport);
	e[asked]->refuse = true;
	turn();
	assert_true(e[0]->gone && e[COUNT_ALL - 1]->gone);
	assert_string_equal(e[asked]->device->reason,
			    "tools/list: the queue is full");
	for (int i = 1; i < COUNT_ALL - 1; i++) {
		if (i == (int)asked || i == COUNT_ALL - 5)
			continue;
		assert_int_equal(e[i]->sent.count, 4);
		answers(e[i], "{\"tools\":[" TOOL("a") "]}");
		assert_int_equal(e[i]->device->state, DEVICE_READY);
	}
	assert_int_equal(server->listing, 0);
	assert_null(server->turn_first);
	assert_null(server->turn_last);
}

/* ---- what devices say ---- */

static void test_request_is_refused(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	becomes_ready(e);
	says(e, "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		"\"id\":12345678901234567890,\"method\":\"sampling/x\"}}");
	the_record(RECORD_REQUEST, 0, "a request, refused: sampling/x");
	assert_sent(e, e->sent.count - 1,
		    "\"id\":12345678901234567890,\"error\":{\"code\":-32601,");
}

/* As a session of its own answers it, and it is not said to be refused. */
static void test_ping_of_device(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	becomes_ready(e);
	says(e, "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		"\"id\":\"p\",\"method\":\"ping\"}}");
	the_record(RECORD_REQUEST, 0, "a request: ping");
	assert_sent(e, e->sent.count - 1, "\"id\":\"p\",\"result\":{}");
}

static void test_odd_replies(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	becomes_ready(e);
	says(e, "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\","
		"\"id\":\"abc\",\"result\":1}}");
	the_record(RECORD_FINDING, 0, "! D115 warning  ");
	the_record(RECORD_FINDING, 0, ": id \"abc\"");
	says(e, "{\"type\":\"mcp\",\"payload\":{\"jsonrpc\":\"2.0\",\"id\":"
		"5,\"error\":{\"message\":\"a \"b\"\"}}}");
	assert_non_null(strstr(the_record(RECORD_FINDING, 1, "! D124")->detail,
			       "error"));
	says(e, "{\"type\":\"mcp\",\"payload\":{}}");
	the_record(RECORD_FINDING, 2, "neither a request nor a reply");
	says(e, "{\"type\":\"mcp\",\"payload\":[]}");
	assert_int_equal(diag_count(e->device->diag, D143), 2);
}

static void test_batch(void **state)
{
	struct end *e = dial(MAC);
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	says(e, HELLO);
	text = mem_printf("{\"type\":\"mcp\",\"payload\":[{\"jsonrpc\":\"2.0\","
			  "\"method\":\"notifications/x\"},{\"jsonrpc\":"
			  "\"2.0\",\"id\":%ld,\"result\":%s}]}",
			  last_id(e), INITIALIZED);
	says(e, text);
	the_record(RECORD_NOTIFICATION, 0, "notifications/x");
	assert_int_equal(e->device->state, DEVICE_LISTING);
}

static void test_audio(void **state)
{
	struct end *e = dial(MAC);
	const struct transport_events *events = e->transport->events;
	const struct record *r;

	(void)state;
	becomes_ready(e);
	for (int i = 0; i < 50; i++)
		events->message(e->transport->owner, FRAME_BINARY, "abc", 3);
	r = the_record(RECORD_AUDIO, 0, "1 frame, 3 bytes");
	assert_int_equal(r->count, 1);
	assert_string_equal(r->detail,
			    "\"bytes\":3,\"broken\":0,"
			    "\"repeated\":0,\"gaps\":0,\"lost\":0,\"sent\":0");
	/* A second goes by: that is for -v; a pause tells of a new beginning. */
	e->device->audio_told -= 1001;
	events->message(e->transport->owner, FRAME_BINARY, "abc", 3);
	assert_null(find_record(RECORD_AUDIO, 1));
	e->device->audio_told -= 5001;
	events->message(e->transport->owner, FRAME_BINARY, "abc", 3);
	assert_int_equal(the_record(RECORD_AUDIO, 1, NULL)->count, 52);
	server->records.verbose = true;
	e->device->audio_told -= 1001;
	events->message(e->transport->owner, FRAME_BINARY, "abc", 3);
	assert_int_equal(the_record(RECORD_AUDIO, 2, NULL)->count, 53);
	says(e, "{\"type\":\"goodbye\"}");
	the_record(RECORD_AUDIO, 3, "53 frames, 159 bytes in all");
}

/* ---- coming and going ---- */

static void on_end(void *owner, struct relay *r, const char *frame, size_t len,
		   const struct error *why)
{
	(void)r;
	(void)len;
	assert_null(frame);
	error_copy(owner, why);
}

static void test_replaced(void **state)
{
	struct end *old = dial(MAC), *new;
	struct peer_info mqtt = { .address = "10.0.0.9:1",
				  .device_id = "AA:bb:cc:dd:ee:01",
				  .client_id = "GID",
				  .standby = true,
				  .envelope = true };
	CLEANUP(error_reset) struct error why = { 0 };
	struct relay relay = { .done = on_end, .owner = &why };
	struct error err = { 0 };

	(void)state;
	becomes_ready(old);
	assert_int_equal(relay_request(&relay, old->device, "x", NULL, 0, &err),
			 0);
	new = dial(MAC);
	assert_string_equal(why.text, "the device dialled in again");
	assert_int_equal(why.kind, ERR_CONNECT);
	the_record(RECORD_REPLACED, 0, "dialled in again");
	assert_int_equal(server->registry.count, 1);
	/* What the old one still says is not heard. */
	says(old, "{\"type\":\"listen\"}");
	assert_null(find_record(RECORD_MESSAGE, 0));
	turn();
	assert_true(old->gone);
	assert_int_equal(server->held, 1);
	assert_null(find_record(RECORD_GONE, 0));
	becomes_ready(new);
	/* The same board, now over MQTT. */
	old = new;
	new = knock_with(&mqtt, true);
	is_ready(new, &mqtt);
	turn();
	assert_true(old->gone);
	the_record(RECORD_REPLACED, 1, NULL);
	assert_ptr_equal(registry_find(&server->registry, MAC), new->device);
}

/* What it said is told once its connection is closed: names may be others then. */
static void test_replaced_amid_speech(void **state)
{
	static const char speech[] = { 0x58, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	char name[] = "kitchen", later[] = "cellar", id[] = MAC;
	struct alias before = { name, id }, now = { later, id };
	struct end *old, *new;

	(void)state;
	server->voices = mem_zalloc(sizeof(*server->voices));
	assert_int_equal(
		voices_open(server->voices, folder, server->budget, NULL), 0);
	server->aliases = (struct aliases){ &before, 1 };
	old = dial(MAC);
	becomes_ready(old);
	says(old, "{\"type\":\"listen\",\"state\":\"start\"}");
	old->transport->events->message(old->transport->owner, FRAME_BINARY,
					speech, sizeof(speech));
	new = dial(MAC);
	/* As serve_reload does; the old names are gone. */
	memset(name, 'x', sizeof(name) - 1);
	server->aliases = (struct aliases){ &now, 1 };
	new->device->alias = later;
	turn();
	assert_true(old->gone);
	assert_string_equal(the_record(RECORD_UTTERANCE, 0, NULL)->alias,
			    "cellar");
	server->aliases = (struct aliases){ 0 };
}

static struct end *dial_as(const char *client)
{
	struct peer_info peer = { .address = "10.0.0.9:1",
				  .device_id = MAC,
				  .client_id = client,
				  .envelope = true };
	struct end *e = knock_with(&peer, false);

	is_ready(e, &peer);
	return e;
}

/* Two boards with one Device-Id: the log says what this is. */
static void test_twins(void **state)
{
	const struct record *r;

	(void)state;
	dial_as("one");
	dial_as("two");
	r = the_record(RECORD_REPLACED, 0, "dialled in again");
	assert_int_equal(r->level, LEVEL_WARN);
	assert_non_null(strstr(r->hint, "two boards with one Device-Id"));
	turn();
}

static struct end *dial_from(const char *client, const char *address, bool mqtt)
{
	struct peer_info peer = { .address = address,
				  .device_id = MAC,
				  .client_id = client,
				  .standby = mqtt,
				  .envelope = true };
	struct end *e = knock_with(&peer, mqtt);

	is_ready(e, &peer);
	return e;
}

static const char *hint_of(size_t n)
{
	const char *hint = the_record(RECORD_REPLACED, n, NULL)->hint;

	return hint ? hint : "";
}

/* The first comes back: now it is certain, and is said once. */
static void test_rivals(void **state)
{
	(void)state;
	dial_from("one", "10.0.0.8:1", false);
	dial_from("one", "10.0.0.9:1", false);
	dial_from("one", "10.0.0.8:2", false);
	dial_from("one", "10.0.0.9:2", false);
	assert_string_equal(hint_of(0), "");
	assert_non_null(strstr(hint_of(1), "throw each other out, for ever"));
	assert_non_null(strstr(hint_of(1), "a Device-Id of its own"));
	the_record(RECORD_FINDING, 0, "! D105 warning  ");
	assert_string_equal(hint_of(2), "");
	turn();
}

/* Over MQTT the broker ends the older one before the other is told. */
static void test_rivals_mqtt(void **state)
{
	static const char *const from[] = { "10.0.0.8", "10.0.0.9" };
	struct end *e = NULL;

	(void)state;
	for (int i = 0; i < 5; i++) {
		CLEANUP(error_reset) struct error why = { 0 };

		error_set(&why, ERR_CONNECT, "another connected");
		error_hint(&why, "if these are two");
		error_code(&why, EEXIST);
		if (e) {
			e->transport->events->closed(e->transport->owner, &why);
			e->gone = true;
			timer_close(&e->timer, NULL);
		}
		e = dial_from("GID", from[i % 2], true);
	}
	assert_non_null(strstr(hint_of(0), "if these are two boards"));
	assert_non_null(strstr(hint_of(1), "throw each other out, for ever"));
	assert_non_null(strstr(hint_of(1), "a client id of its own"));
	the_record(RECORD_FINDING, 0, "! M406 error  ");
	assert_null(find_record(RECORD_REPLACED, 2));
	assert_null(the_record(RECORD_GONE, 3, "another connected")->hint);
}

/* The same client id too: known by how often it happens. */
static void test_cloned_twins(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		dial_as("one");
	assert_null(the_record(RECORD_REPLACED, 0, NULL)->hint);
	assert_null(the_record(RECORD_REPLACED, 1, NULL)->hint);
	assert_non_null(strstr(the_record(RECORD_REPLACED, 2, NULL)->hint,
			       "two boards with one Device-Id"));
	turn();
}

static void test_replaced_while_it_starts(void **state)
{
	struct end *old = dial(MAC), *new;

	(void)state;
	says(old, HELLO);
	answers(old, INITIALIZED);
	new = dial(MAC);
	assert_int_equal(server->listing, 0);
	turn();
	assert_true(old->gone);
	becomes_ready(new);
}

static void test_goes(void **state)
{
	struct end *e = dial(MAC);

	(void)state;
	says(e, HELLO);
	e->transport->ops->close(e->transport);
	turn();
	the_record(RECORD_GONE, 0, "the device closed the connection");
	assert_int_equal(server->held, 0);
	assert_int_equal(server->relays.by_id.count, 0);
}

static void test_handshake_fails(void **state)
{
	struct peer_info peer = { .address = "10.0.0.7:1", .device_id = MAC };
	struct end *e = knock_with(&peer, false);
	struct board *d;

	(void)state;
	e->transport->ops->close(e->transport);
	turn();
	assert_int_equal(server->held, 0);
	assert_null(find_record(RECORD_GONE, 0));
	/* Not even adopted. */
	d = board_new(server, &peer, false);
	board_discard(d);
	assert_int_equal(server->held, 0);
	assert_null(registry_find(&server->registry, MAC));
}

static void test_goodbye(void **state)
{
	struct peer_info peer = { .client_id = "c",
				  .standby = true,
				  .envelope = true };
	struct end *e = knock_with(&peer, true);
	struct error why = { 0 };

	(void)state;
	is_ready(e, &peer);
	says(e, HELLO);
	error_set(&why, ERR_CONNECT, "kicked");
	board_end(e->device, &why);
	board_end(e->device, &why);
	assert_sent(e, e->sent.count - 1, "\"type\":\"goodbye\"}");
	turn();
	the_record(RECORD_GONE, 0, "kicked");
	assert_true(e->gone);
}

static void test_limit(void **state)
{
	struct peer_info peer = { .address = "10.0.0.7:1", .device_id = OTHER };
	struct end *e;

	(void)state;
	server->config.devices_max = 1;
	e = dial(MAC);
	assert_null(board_new(server, &peer, false));
	the_record(RECORD_REFUSED, 0, "1 device is connected");
	/* The one that is there may come again. */
	assert_non_null(dial(MAC));
	turn();
	assert_true(e->gone);
	assert_int_equal(server->held, 1);
}

static void test_long_names(void **state)
{
	CLEANUP(mem_free_ptr) char *name = mem_zalloc(10001);
	struct peer_info peer = { .address = "10.0.0.7:1", .device_id = name };

	(void)state;
	memset(name, 'x', 10000);
	assert_non_null(knock_with(&peer, false));
	assert_int_equal(strlen(server->registry.first->id), DEVICE_ID_MAX);
	/* … nor is a client id kept in any length. */
	peer = (struct peer_info){ .client_id = name };
	assert_int_equal(strlen(knock_with(&peer, false)->device->client_id),
			 DEVICE_ID_MAX);
	/* The longest client id at our broker: a kick needs all of it. */
	name[1024] = '\0';
	peer = (struct peer_info){ .client_id = name };
	assert_string_equal(knock_with(&peer, true)->device->client_id, name);
	/* Without any name. */
	peer = (struct peer_info){ 0 };
	assert_non_null(knock_with(&peer, false));
}

static void test_who_is_ready(void **state)
{
	struct end *one = dial(MAC), *two;
	bool failed = true;

	(void)state;
	becomes_ready(one);
	assert_null(serve_next_ready(server, &failed));
	serve_track_ready(server);
	assert_string_equal(serve_next_ready(server, &failed), MAC);
	assert_false(failed);
	two = dial(OTHER);
	says(two, "{\"type\":\"hello\"}");
	assert_string_equal(serve_next_ready(server, &failed), OTHER);
	assert_true(failed);
	assert_null(serve_next_ready(server, &failed));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ready),
		TEST(test_lists_are_shared),
		TEST(test_vision),
		TEST(test_vision_out_of_reach),
		TEST(test_no_init),
		TEST(test_standby),
		TEST(test_hello_twice),
		TEST(test_hello_of_nothing),
		TEST(test_hello_never),
		TEST(test_rubbish_then_hello),
		TEST(test_no_mcp),
		TEST(test_initialize_error),
		TEST(test_initialize_odd_result),
		TEST(test_initialize_silence),
		TEST(test_initialize_cannot_be_sent),
		TEST(test_keep_initialize),
		TEST(test_listing_fails_on_page_2),
		TEST(test_listing_goes_round),
		TEST(test_listing_is_large),
		TEST(test_listing_is_large_at_once),
		TEST(test_listing_silence),
		TEST(test_said_while_listing),
		TEST(test_long_messages),
		TEST(test_turns),
		TEST(test_request_is_refused),
		TEST(test_ping_of_device),
		TEST(test_odd_replies),
		TEST(test_batch),
		TEST(test_audio),
		TEST(test_replaced),
		TEST(test_replaced_amid_speech),
		TEST(test_twins),
		TEST(test_cloned_twins),
		TEST(test_rivals),
		TEST(test_rivals_mqtt),
		TEST(test_replaced_while_it_starts),
		TEST(test_goes),
		TEST(test_handshake_fails),
		TEST(test_goodbye),
		TEST(test_limit),
		TEST(test_long_names),
		TEST(test_who_is_ready),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
