/* SPDX-License-Identifier: MIT */
/*
 * The recorded traffic of firmware 2.4.2 through the client's side: every
 * reply, invalid JSON included, ends the call that it belongs to. The
 * recordings are in MCPCTL_FIXTURES, or else in tests/fixtures.
 */
#include "session_harness.h"

#include <stdlib.h>

#include "base/json_scan.h"
#include "mcp/client.h"
#include "mcp/content.h"
#include "mcp/tools.h"
#include "rpc/session_calls.h"

struct lines {
	cJSON *json[128];
	size_t count;
};

static struct lines recording;
static size_t at; /* the next line of a recording that is played */

static void read_recording(const char *name)
{
	const char *folder = getenv("MCPCTL_FIXTURES");
	CLEANUP(mem_free_ptr)
	char *path =
		mem_printf("%s/%s", folder ? folder : "tests/fixtures", name);
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (!file)
		fail_msg("cannot open %s (run from the top folder)", path);
	while ((len = getline(&line, &size, file)) > 0) {
		cJSON *json = json_parse(line, (size_t)len, NULL);

		assert_non_null(json);
		assert_true(recording.count < COUNT(recording.json));
		recording.json[recording.count++] = json;
	}
	free(line);
	fclose(file);
	at = 0;
}

static int tear_down_recording(void **state)
{
	for (size_t i = 0; i < recording.count; i++)
		cJSON_Delete(recording.json[i]);
	recording.count = 0;
	return tear_down(state);
}

/* The raw reply of a line; NULL where the firmware stays silent. */
static const char *recorded_reply(const cJSON *line)
{
	const cJSON *first = json_array(line, "recv")->child;

	return first ? first->valuestring : NULL;
}

static int64_t reply_id(const char *raw)
{
	struct salvage s;
	int64_t id;

	jsonrpc_salvage(raw, strlen(raw), &s);
	assert_true(s.has_id);
	id = s.id;
	salvage_done(&s);
	return id;
}

static void push_reply(const char *raw)
{
	CLEANUP(mem_free_ptr)
	char *enveloped = mem_printf(
		"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":%s}", raw);

	fake_text(session_link(session)->dialect == DIALECT_DEVICE ? enveloped :
								     raw);
}

/* What the broken replies mean; all other replies of the recording are JSON. */
static const struct {
	int64_t id;
	const char *text;
} meanings[] = {
	{ 19, "Unknown tool: a\"b\\c\nd" },
	{ 35, "said \"no\"\nline2" },
	{ 63, "Failed to open URL: h\"x" },
};

static size_t broken_count;

static void assert_broken(const struct call *c, const char *raw)
{
	const char *text = NULL;

	for (size_t i = 0; i < COUNT(meanings); i++) {
		if (meanings[i].id == c->id)
			text = meanings[i].text;
	}
	assert_non_null(text);
	assert_int_equal(c->failure.kind, ERR_PEER);
	assert_string_equal(c->failure.text, text);
	assert_part(c->failure.hint, "broken");
	assert_part(c->broken, raw);
	broken_count++;
}

static void assert_whole(const struct call *c, const char *raw)
{
	bool is_error = strstr(raw, ",\"error\":{\"message\":") != NULL;

	assert_string_equal(c->reply.text, raw);
	assert_int_equal(c->reply.number, c->id);
	assert_int_equal(c->reply.kind,
			 is_error ? MESSAGE_ERROR : MESSAGE_RESULT);
	assert_int_equal(c->failure.kind, is_error ? ERR_PEER : ERR_NONE);
	assert_false(c->failure.has_code);
	if (is_error)
		assert_string_equal(c->failure.text,
				    json_string(c->reply.error, "message"));
}

/* Another call is in flight all the time, and none of its business. */
static void play_reply(const char *raw)
{
	struct error err = { 0 };
	struct call c = { 0 };

	session->next_id = (int32_t)reply_id(raw);
	start(&c, "recorded");
	push_reply(raw);
	session_wait(session, &c, &err);
	assert_true(c.done);
	if (json_check(raw, strlen(raw), NULL))
		assert_broken(&c, raw);
	else
		assert_whole(&c, raw);
	call_done(&c);
	error_reset(&err);
}

/* Ids that were cut to what the firmware holds belong to no call of ours. */
static void play_cut_id(const char *raw)
{
	size_t before = seen_count;

	/* What that is, the engine says (tests/unit/test_diag.c). */
	push_reply(raw);
	watch(5);
	assert_int_equal(seen_count, before);
}

static void play_all(enum dialect dialect)
{
	struct call bystander = { 0 };
	size_t replies = 0;

	broken_count = 0;
	open_up(dialect);
	forget_events();
	session->next_id = 1000000;
	start(&bystander, "bystander");
	for (size_t i = 0; i < recording.count; i++) {
		const char *raw = recorded_reply(recording.json[i]);

		if (!raw)
			continue;
		replies++;
		if (reply_id(raw) == INT32_MAX || reply_id(raw) == INT32_MIN)
			play_cut_id(raw);
		else
			play_reply(raw);
	}
	assert_true(replies >= 45);
	assert_int_equal(broken_count, COUNT(meanings));
	assert_int_equal(seen_count, 0);
	assert_false(bystander.done);
	session_forget(session, &bystander);
	call_done(&bystander);
}

static void replies_bare(void **state)
{
	(void)state;
	read_recording("firmware-2.4.2.jsonl");
	play_all(DIALECT_PLAIN);
}

static void replies_enveloped(void **state)
{
	(void)state;
	read_recording("firmware-2.4.2.jsonl");
	play_all(DIALECT_DEVICE);
}

/* Where it stayed silent, the time is over and nothing else happens. */
static void silences(void **state)
{
	size_t count = 0;

	(void)state;
	config.timeout = 5;
	read_recording("firmware-2.4.2.jsonl");
	open_up(DIALECT_PLAIN);
	for (size_t i = 0; i < recording.count; i++) {
		struct error err = { 0 };
		struct call c = { 0 };

		if (recorded_reply(recording.json[i]))
			continue;
		count++;
		assert_int_equal(call_peer(&c, "recorded", NULL, &err), -1);
		assert_int_equal(err.kind, ERR_TIMEOUT);
		call_done(&c);
		error_reset(&err);
	}
	assert_true(count >= 10);
	assert_int_equal(seen_count, 0);
}

/* paging: what the client asks is looked up by its meaning */

static bool same_page(const cJSON *ours, const cJSON *recorded)
{
	const char *a = json_string(json_object(ours, "params"), "cursor");
	const char *b = json_string(json_object(recorded, "params"), "cursor");

	return strcmp(json_string(ours, "method"),
		      json_string(recorded, "method")) == 0 &&
	       strcmp(a ? a : "", b ? b : "") == 0 &&
	       json_true(json_object(ours, "params"), "withUserTools") ==
		       json_true(json_object(recorded, "params"),
				 "withUserTools");
}

static void answer_page(const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(text, len, NULL);
	const cJSON *payload = json_object(json, "payload");

	for (size_t i = 0; payload && i < recording.count; i++) {
		const char *send = json_string(recording.json[i], "send");
		CLEANUP(json_free_ptr)
		cJSON *recorded = json_parse(send, strlen(send), NULL);

		if (same_page(payload, recorded))
			push_reply(recorded_reply(recording.json[i]));
	}
}

static void paging(void **state)
{
	struct client client;
	struct tool_list list;
	struct error err = { 0 };

	(void)state;
	read_recording("firmware-2.4.2-paging.jsonl");
	fake.on_send = answer_page;
	open_up(DIALECT_DEVICE);
	assert_int_equal(client_open(&client, session, NULL, &err), 0);
	assert_string_equal(client.server_name, "host-board");
	/* ids go on as in the recording: 2 and 3, then 4 and 5 */
	assert_int_equal(client_list_tools(&client, true, &list, &err), 0);
	assert_int_equal(list.pages, 2);
	assert_int_equal(list.count, 50);
	assert_string_equal(list.tool[29].name, "self.fill.t019");
	tool_list_done(&list);
	assert_int_equal(client_list_tools(&client, false, &list, &err), 0);
	assert_int_equal(list.pages, 2);
	assert_int_equal(list.count, 57);
	assert_int_equal(list.user_only, 7);
	tool_list_done(&list);
	assert_int_equal(seen_count, 1);
	client_done(&client);
}

/* a whole WebSocket session: frames come as they were recorded between those that we send */

static void push_hex(const char *hex)
{
	unsigned char bytes[64];
	size_t len = strlen(hex) / 2;

	assert_true(len <= sizeof(bytes));
	for (size_t i = 0; i < len; i++) {
		char pair[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
	}
	fake_push_binary(bytes, len, 0);
}

/* Push what came in until the next frame that went out. */
static void play_in(void)
{
	for (; at < recording.count; at++) {
		const cJSON *line = recording.json[at];
		const char *op = json_string(line, "op");
		const char *data = json_string(line, "data");

		if (strcmp(json_string(line, "dir"), "out") == 0)
			return;
		if (strcmp(op, "text") == 0)
			fake_text(data);
		else if (strcmp(op, "binary") == 0)
			push_hex(data);
		else if (strcmp(op, "eof") == 0)
			fake_push(FAKE_CLOSED, NULL, 0);
	}
}

static void play_out(const char *text, size_t len)
{
	const cJSON *line = at < recording.count ? recording.json[at] : NULL;
	const char *expected = line ? json_string(line, "data") : "";
	CLEANUP(json_free_ptr) cJSON *ours = json_parse(text, len, NULL);
	CLEANUP(json_free_ptr)
	cJSON *theirs = json_parse(expected, strlen(expected), NULL);
	const cJSON *a = json_object(ours, "payload");
	const cJSON *b = json_object(theirs, "payload");

	assert_non_null(theirs);
	assert_string_equal(json_string(ours, "type"),
			    json_string(theirs, "type"));
	assert_true(json_equal(json_member(a, "id"), json_member(b, "id")));
	assert_true(
		json_equal(json_member(a, "method"), json_member(b, "method")));
	at++;
	play_in();
}

static void call_with_id(int32_t id, struct client *client, const char *tool,
			 const char *arguments, struct error *err)
{
	struct result r;

	session->next_id = id;
	client_call_tool(client, tool, arguments, &r, err);
	result_done(&r);
}

/* The reply to the ping comes before that of the slow call. */
static void overtake(void)
{
	struct error err = { 0 };
	struct call slow = { 0 }, ping = { 0 };

	session->next_id = 10;
	start(&slow, "tools/call");
	start(&ping, "ping");
	wait_either(&slow, &ping);
	assert_int_equal(session_wait(session, &ping, &err), -1);
	assert_string_equal(err.text, "Method not implemented: ping");
	assert_int_equal(session_wait(session, &slow, &err), 0);
	assert_true(ping.ended_us <= slow.ended_us);
	call_done(&slow);
	call_done(&ping);
	error_reset(&err);
}

static void assert_session_events(void)
{
	static const char *const devices[] = { "listen", "abort", "listen",
					       "listen" };

	assert_non_null(find_event(EVENT_HELLO, 0));
	assert_int_equal(the_event(EVENT_AUDIO, 0)->bytes, 3);
	for (size_t i = 0; i < COUNT(devices); i++)
		assert_string_equal(the_event(EVENT_DEVICE, i)->name,
				    devices[i]);
	assert_null(find_event(EVENT_ODD, 0));
	assert_non_null(find_event(EVENT_CLOSED, 0));
}

static void whole_session(void **state)
{
	struct client client;
	struct tool_list list;
	struct result r;
	struct error err = { 0 };

	(void)state;
	read_recording("firmware-2.4.2-websocket.jsonl");
	config.dialect = DIALECT_DEVICE;
	fake.peer.envelope = true;
	fake.on_send = play_out;
	fake.on_ready = play_in;
	open_with(&fake_ops);
	assert_int_equal(session_wait_up(session, &err), 0);
	assert_int_equal(client_open(&client, session, NULL, &err), 0);
	assert_int_equal(client_list_tools(&client, true, &list, &err), 0);
	assert_int_equal(list.count, 7);
	tool_list_done(&list);
	call_with_id(3, &client, "self.audio_speaker.set_volume",
		     "{\"volume\":50}", &err);
	assert_int_equal(err.kind, ERR_NONE);
	call_with_id(4, &client, "self.audio_speaker.set_volume",
		     "{\"volume\":500}", &err);
	assert_string_equal(err.text, "Value exceeds maximum allowed: 100");
	overtake();
	call_with_id(20, &client, "a\"b", NULL, &err);
	assert_int_equal(err.kind, ERR_PEER);
	assert_string_equal(err.text, "Unknown tool: a\"b");
	assert_int_equal(
		session_send_device(session,
				    "{\"type\":\"tts\",\"state\":\"start\"}",
				    &err),
		0);
	assert_int_equal(
		session_send_device(
			session, "{\"type\":\"tts\",\"state\":\"stop\"}", &err),
		0);
	session->next_id = 30;
	assert_int_equal(
		client_call_tool(&client, "self.reboot", NULL, &r, &err), 0);
	assert_non_null(r.note);
	result_done(&r);
	assert_int_equal(at, recording.count);
	assert_session_events();
	client_done(&client);
	error_reset(&err);
}

#define RECORDED_TEST(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORDED_TEST(replies_bare),  RECORDED_TEST(replies_enveloped),
		RECORDED_TEST(silences),      RECORDED_TEST(paging),
		RECORDED_TEST(whole_session),
	};

	mem_init();
	return cmocka_run_group_tests_name("recorded", tests, NULL, NULL);
}
