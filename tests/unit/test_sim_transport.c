/* SPDX-License-Identifier: MIT */
/* The target sim: as a transport: the contract of net/transport.h, its query. */
#include "net/head.h"
#include "sim/sim.h"
#include "sim_harness.h"

#define TARGET "sim:" PROFILES "fixtures.json"

struct client {
	struct loop *loop;
	struct transport transport;
	struct endpoint to;
	struct words got;
	unsigned ready, closed;
	bool inside; /* a call into the transport is under way */
	bool close_at_ready; /* close from inside the event */
	bool close_at_message;
	bool done;
	struct error why;
	char address[64], device_id[64], version[48];
	bool envelope;
};

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct client *c = owner;

	assert_false(c->inside);
	c->ready++;
	snprintf(c->address, sizeof(c->address), "%s", peer->address);
	snprintf(c->device_id, sizeof(c->device_id), "%s", peer->device_id);
	c->envelope = peer->envelope;
	assert_string_equal(headers_get(peer->headers, "device-id"),
			    peer->device_id);
	snprintf(c->version, sizeof(c->version), "%s", peer->ota->version);
	if (c->close_at_ready)
		c->transport.ops->close(&c->transport);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct client *c = owner;
	char *text = mem_strndup(data, len);

	assert_false(c->inside);
	assert_int_equal(c->closed, 0);
	assert_int_equal(kind, FRAME_TEXT);
	words_add(&c->got, text);
	mem_free(text);
	if (c->close_at_message)
		c->transport.ops->close(&c->transport);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	(void)owner;
	(void)id;
	(void)why;
	fail();
}

static void on_closed(void *owner, const struct error *why)
{
	struct client *c = owner;

	assert_false(c->inside);
	c->closed++;
	error_copy(&c->why, why);
	assert_null(c->transport.impl);
}

static const struct transport_events events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
};

static int try_open(struct client *c, const char *target, struct error *err)
{
	int status;

	memset(c, 0, sizeof(*c));
	assert_int_equal(loop_new(&c->loop, err), 0);
	assert_int_equal(endpoint_parse(&c->to, target, "the test", err), 0);
	c->transport = (struct transport){
		.ops = &sim_ops, .loop = c->loop, .events = &events, .owner = c
	};
	c->inside = true;
	status = sim_ops.open(&c->transport, &c->to, err);
	c->inside = false;
	return status;
}

static void open_target(struct client *c, const char *target)
{
	struct error err = { 0 };

	if (try_open(c, target, &err))
		print_error("%s\n", err.text);
	assert_int_equal(err.kind, ERR_NONE);
}

/* Run until there are that many messages, or the end. */
static void until(struct client *c, size_t messages)
{
	const bool never = false;
	int64_t end = loop_now() + 3000;

	while (c->got.count < messages && !c->closed && loop_now() < end)
		loop_wait(c->loop, &never, loop_now() + 2, NULL);
	assert_true(c->got.count >= messages || c->closed);
}

static void say(struct client *c, const char *text)
{
	char *copy = mem_strdup(text);
	struct error err = { 0 };

	c->inside = true;
	assert_int_equal(sim_ops.send(&c->transport, copy, strlen(copy), &err),
			 0);
	c->inside = false;
	memset(copy, 'z', strlen(copy)); /* it is ours again */
	mem_free(copy);
}

static void hang_up(struct client *c)
{
	c->inside = true;
	sim_ops.close(&c->transport);
	sim_ops.close(&c->transport); /* twice is fine */
	c->inside = false;
}

static void end(struct client *c)
{
	hang_up(c);
	until(c, SIZE_MAX);
	assert_int_equal(c->closed, 1);
	sim_ops.close(&c->transport); /* after the end, too */
	loop_free(c->loop);
	endpoint_done(&c->to);
	words_done(&c->got);
	error_reset(&c->why);
}

static void welcome(struct client *c)
{
	until(c, 1);
	assert_non_null(strstr(c->got.word[0], "\"type\":\"hello\""));
	say(c, "{\"type\":\"hello\",\"transport\":\"websocket\","
	       "\"session_id\":\"S1\"}");
	until(c, 2);
	assert_non_null(strstr(c->got.word[1], "\"listen\""));
}

#define MCP(payload) \
	"{\"session_id\":\"S1\",\"type\":\"mcp\",\"payload\":" payload "}"
#define CALL(name)                                                     \
	MCP("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"," \
	    "\"params\":{\"name\":\"" name "\"}}")

static void test_session(void **state)
{
	struct client c;

	(void)state;
	open_target(&c, TARGET);
	assert_int_equal(c.ready, 0); /* from the loop only */
	welcome(&c);
	assert_int_equal(c.ready, 1);
	assert_true(c.envelope);
	assert_string_equal(c.address, "sim:fixtures");
	assert_string_equal(c.device_id, "02:00:00:00:00:01");
	say(&c, CALL("self.test.int"));
	say(&c, CALL("self.test.types"));
	assert_int_equal(c.got.count, 2);
	until(&c, 4);
	assert_non_null(strstr(c.got.word[2], "\"text\":\"42\""));
	assert_non_null(strstr(c.got.word[3], "Missing valid argument"));
	assert_string_equal(c.version, "2.4.2");
	end(&c);
	assert_int_equal(c.why.kind, ERR_NONE);
}

static void test_close_early(void **state)
{
	struct client c;

	(void)state;
	open_target(&c, TARGET);
	end(&c); /* before ready */
	assert_int_equal(c.ready, 0);
	open_target(&c, TARGET);
	c.close_at_ready = true;
	until(&c, SIZE_MAX);
	assert_int_equal(c.ready, 1);
	assert_int_equal(c.got.count, 0);
	end(&c);
	open_target(&c, TARGET);
	c.close_at_message = true;
	until(&c, SIZE_MAX);
	assert_int_equal(c.got.count, 1);
	end(&c);
}

static void test_open_again(void **state)
{
	struct client c;
	struct error err = { 0 };

	(void)state;
	open_target(&c, TARGET);
	welcome(&c);
	hang_up(&c);
	until(&c, SIZE_MAX);
	assert_int_equal(c.closed, 1);
	assert_int_equal(sim_ops.send(&c.transport, "x", 1, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	c.closed = 0;
	words_done(&c.got);
	assert_int_equal(sim_ops.open(&c.transport, &c.to, &err), 0);
	welcome(&c);
	end(&c);
	error_reset(&err);
}

static void test_queue_has_a_ceiling(void **state)
{
	struct client c;
	struct error err = { 0 };
	size_t len = 6u << 20, sent = 0;
	char *text = mem_zalloc(len);

	(void)state;
	memset(text, ' ', len);
	open_target(&c, TARGET);
	while (sent < 8 && !sim_ops.send(&c.transport, text, len, &err))
		sent++;
	assert_int_equal(sent, 2);
	assert_int_equal(err.kind, ERR_CONNECT);
	mem_free(text);
	end(&c);
	error_reset(&err);
}

static void test_device_ends_it(void **state)
{
	struct client c;

	(void)state;
	open_target(&c, TARGET);
	welcome(&c);
	say(&c, CALL("self.upgrade_firmware"));
	until(&c, SIZE_MAX);
	assert_int_equal(c.closed, 1);
	assert_int_equal(c.why.kind, ERR_CONNECT);
	end(&c);
	open_target(&c, TARGET "?fault=cut-frame");
	welcome(&c);
	say(&c, CALL("self.test.int"));
	until(&c, SIZE_MAX);
	assert_int_equal(c.closed, 1);
	assert_non_null(strstr(c.why.text, "in the middle"));
	end(&c);
}

static void test_query(void **state)
{
	struct client c;

	(void)state;
	open_target(&c, TARGET "?fill=3&firmware=next&fault=two-replies,deep");
	welcome(&c);
	say(&c, MCP("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}"));
	say(&c, MCP("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
		    "\"tools/list\"}"));
	say(&c, CALL("self.test.int"));
	until(&c, 6);
	assert_string_equal(c.version, "2.5.0");
	assert_non_null(strstr(c.got.word[2], "\"code\":-32601"));
	assert_non_null(strstr(c.got.word[3], "self.fill.t002"));
	assert_non_null(strstr(c.got.word[4], "[[[["));
	assert_string_equal(c.got.word[4], c.got.word[5]);
	end(&c);
}

static void bad_target(const char *target, const char *words)
{
	struct error err = { 0 };
	struct client c;

	assert_int_equal(try_open(&c, target, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, words))
		print_error("said: %s\n", err.text);
	assert_non_null(strstr(err.text, words));
	assert_null(c.transport.impl);
	sim_ops.close(&c.transport);
	loop_free(c.loop);
	endpoint_done(&c.to);
	error_reset(&err);
}

static void test_bad_targets(void **state)
{
	(void)state;
	bad_target("sim:./nope.json", "./nope.json");
	bad_target(TARGET "?faults=deep", "did you mean 'fault'?");
	bad_target(TARGET "?fault=dep", "did you mean 'deep'?");
	bad_target(TARGET "?firmware=2", "2.4.2 or 2.5.0");
	bad_target(TARGET "?fill=x", "number of tools");
	bad_target(TARGET "?fault=%zz", "escape");
	bad_target(TARGET "?timeout=0", "'0' is no time");
	bad_target("sim:llm?timeout=0s", "'0s' is no time");
	bad_target(TARGET "?timeout=x", "timeout= of the target sim");
	bad_target(TARGET "?ollama=", "ollama= of the target sim: has no");
	bad_target(TARGET "?model=", "model= of the target sim: has no value");
	bad_target(TARGET "?ollama=ftp://h", "ollama= of the target sim: 'ftp");
	bad_target(TARGET "?fill=100001", "'100001': a number of tools from 0");
	bad_target(TARGET "?fill=-1", "number of tools from 0 to 100000");
	bad_target(TARGET "?x=1", "knows no 'x': fault=, firmware=, fill=, "
				  "ollama=, model= and timeout= may stand");
	bad_target("sim:llm?fault=deep",
		   "knows no 'fault': ollama=, model= and "
		   "timeout= may stand");
	bad_target("sim:arduino", "'arduino' is no target: it dials an access");
}

/* A service behind the target: plain JSON-RPC, and the same contract. */

static void on_service(void *owner, const struct peer_info *peer)
{
	struct client *c = owner;

	assert_false(c->inside);
	c->ready++;
	assert_true(peer->plain);
	assert_string_equal(peer->address, "sim:llm");
	if (c->close_at_ready)
		c->transport.ops->close(&c->transport);
}

static const struct transport_events service_events = {
	.ready = on_service,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
};

static void test_service(void **state)
{
	struct error err = { 0 };
	struct client c;

	(void)state;
	for (int i = 0; i < 3; i++) {
		open_target(&c, "sim:llm?model=m&timeout=3s&&ollama=h:1");
		c.transport.events = &service_events;
		c.close_at_ready = i == 1;
		c.close_at_message = i == 2;
		assert_int_equal(c.ready, 0);
		say(&c, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
		say(&c, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
		until(&c, 2);
		assert_int_equal(c.ready, 1);
		assert_int_equal(c.got.count, i == 0 ? 2 : i - 1);
		if (i == 0)
			assert_string_equal(c.got.word[1],
					    "{\"jsonrpc\":\"2.0\",\"id\":2,"
					    "\"result\":{}}");
		hang_up(&c);
		if (c.transport.impl)
			assert_int_equal(
				sim_ops.send(&c.transport, "{}", 2, &err), -1);
		end(&c);
		assert_int_equal(c.why.kind, ERR_NONE);
		error_reset(&err);
	}
	open_target(&c, "sim:llm");
	c.transport.events = &service_events;
	end(&c); /* before ready */
	assert_int_equal(c.ready, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_close_early),
		cmocka_unit_test(test_open_again),
		cmocka_unit_test(test_queue_has_a_ceiling),
		cmocka_unit_test(test_device_ends_it),
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_bad_targets),
		cmocka_unit_test(test_service),
	};

	mem_init();
	return cmocka_run_group_tests_name("sim transport", tests, NULL, NULL);
}
