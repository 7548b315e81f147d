/* SPDX-License-Identifier: MIT */
/*
 * Every transport through the contract of net/transport.h: one row for each,
 * the numbers are those of the list there. A new transport is a new row.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/module.h"
#include "fake_serve.h"
#include "http_server.h"
#include "net/attach.h"
#include "net/front.h"
#include "net/http.h"
#include "net/listen.h"
#include "net/mqtt.h"
#include "net/stdio.h"
#include "net/ws.h"
#include "raw_client.h"
#include "real_broker.h"
#include "sim/sim.h"

struct subject {
	struct loop *loop;
	struct transport t;
	struct endpoint to;
	bool inside; /* a call into the transport is under way */
	bool close_at_open, close_at_ready, close_at_message;

	unsigned ready, closed, messages, after;
	bool is_ready, is_closed, has_answer;
	const char *answer; /* wanted */
	struct error why;

	/* the other side, where the test has to be it */
	const struct ws_table *ws;
	const struct front_table *front_table;
	struct front *front;
	bool front_closed, adopted;
	struct transport peer;
	struct endpoint peer_to;
	bool peer_closed;
	struct raw_child child;
	bool has_child;
	struct fake_serve serve;
	struct web web;
	struct web_client *web_stream; /* of HTTP+SSE */
	const struct mqtt_table *mqtt;
	struct mqtt_client *board; /* the device, at a real broker */
	struct mqtt_hub *hub;
	bool board_up, board_closed, hub_up, hub_closed, may_join;
};

struct row {
	const char *name;
	const char *request,
		*answer; /* answer: a part of the message that comes */
	void (*open)(struct subject *s);
	bool broker; /* only where mosquitto is installed */
};

static struct real_broker broker; /* port 0: there is none */

/* ---- what the owner sees ---- */

static void check_event(struct subject *s)
{
	/* 2: no event from inside a call; 5: nothing after closed. */
	assert_false(s->inside);
	if (s->closed)
		s->after++;
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct subject *s = owner;

	check_event(s);
	assert_int_equal(s->messages, 0);
	assert_non_null(peer->address);
	s->ready++;
	s->is_ready = true;
	if (s->close_at_ready)
		s->t.ops->close(&s->t);
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct subject *s = owner;
	char *text = mem_strndup(data, len);

	check_event(s);
	assert_int_equal(kind, FRAME_TEXT);
	assert_int_equal(s->ready, 1);
	s->messages++;
	if (s->answer && strstr(text, s->answer))
		s->has_answer = true;
	mem_free(text);
	if (s->close_at_message)
		s->t.ops->close(&s->t);
}

static void on_failed(void *owner, int64_t id, const struct error *why)
{
	check_event(owner);
	(void)id;
	(void)why;
}

static void on_closed(void *owner, const struct error *why)
{
	struct subject *s = owner;

	check_event(s);
	/* 5: once, and it can be opened again. */
	assert_null(s->t.impl);
	s->closed++;
	s->is_closed = true;
	error_copy(&s->why, why);
}

static void on_notice(void *owner, const struct notice *n)
{
	check_event(owner);
	assert_non_null(n->text);
}

static const struct transport_events events = {
	.ready = on_ready,
	.message = on_message,
	.failed = on_failed,
	.closed = on_closed,
	.notice = on_notice,
};

/* ---- the rows ---- */

static void await(struct subject *s, const bool *flag, const char *what)
{
	if (loop_wait(s->loop, flag, loop_now() + 60000, NULL))
		fail_msg("no %s", what);
}

static void hang_up(struct subject *s)
{
	s->inside = true;
	s->t.ops->close(&s->t);
	s->t.ops->close(&s->t); /* 6: twice is fine */
	s->inside = false;
}

static void open_target(struct subject *s, const struct transport_ops *ops,
			const char *target)
{
	struct error err = { 0 };

	assert_int_equal(endpoint_parse(&s->to, target, "the test", &err), 0);
	s->t.ops = ops;
	s->inside = true;
	if (ops->open(&s->t, &s->to, &err))
		fail_msg("%s", err.text);
	s->inside = false;
	/* 2: also not yet. */
	assert_int_equal(s->ready + s->closed + s->messages, 0);
}

/* The other side of a WebSocket: gives back what it gets. */
static void echo(void *owner, enum frame_kind kind, const void *data,
		 size_t len)
{
	struct subject *s = owner;

	(void)kind;
	s->peer.ops->send(&s->peer, data, len, NULL);
}

static void peer_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	(void)peer;
}

static void peer_closed(void *owner, const struct error *why)
{
	struct subject *s = owner;

	(void)why;
	s->peer_closed = true;
}

static const struct transport_events echo_events = {
	.ready = peer_ready,
	.message = echo,
	.closed = peer_closed,
};

static void load(struct subject *s)
{
	struct error err = { 0 };

	s->ws = module_table("ws", WS_TABLE, &err);
	s->front_table = module_table("front", FRONT_TABLE, &err);
	if (!s->ws || !s->front_table)
		fail_msg("%s", err.text);
	s->peer.ops = &s->ws->dial;
	s->peer.loop = s->loop;
	s->peer.events = &echo_events;
	s->peer.owner = s;
}

static void open_front(struct subject *s, const struct front_events *e)
{
	const struct front_config config = { .host = "127.0.0.1" };
	struct error err = { 0 };

	s->front = s->front_table->open(s->loop, &config, e, s, &err);
	if (!s->front)
		fail_msg("%s", err.text);
}

static int adopt_peer(void *owner, int fd, const struct front_head *head,
		      const char **reason)
{
	struct subject *s = owner;
	const struct peer_info peer = { .address = head->address };

	(void)reason;
	s->peer_closed = false;
	assert_int_equal(s->ws->adopt(&s->peer, fd, &peer, 0, NULL), 0);
	return 0;
}

static const struct front_events peer_front = { .upgrade = adopt_peer };

static void open_ws(struct subject *s)
{
	char target[64];

	if (!s->front) {
		load(s);
		open_front(s, &peer_front);
	}
	snprintf(target, sizeof(target), "ws://127.0.0.1:%u/x",
		 (unsigned)s->front_table->port(s->front));
	open_target(s, &s->ws->dial, target);
}

static int adopt_subject(void *owner, int fd, const struct front_head *head,
			 const char **reason)
{
	struct subject *s = owner;
	const struct peer_info peer = { .address = head->address,
					.headers = head->headers,
					.path = head->path };

	(void)reason;
	s->t.ops = &s->ws->dial;
	s->inside = true;
	assert_int_equal(s->ws->adopt(&s->t, fd, &peer, 0, NULL), 0);
	s->inside = false;
	s->adopted = true;
	if (s->close_at_open)
		hang_up(s);
	return 0;
}

static const struct front_events subject_front = { .upgrade = adopt_subject };

static void open_adopted(struct subject *s)
{
	struct error err = { 0 };
	char target[64];

	if (!s->front) {
		load(s);
		open_front(s, &subject_front);
	}
	snprintf(target, sizeof(target), "ws://127.0.0.1:%u/x",
		 (unsigned)s->front_table->port(s->front));
	endpoint_done(&s->peer_to);
	assert_int_equal(endpoint_parse(&s->peer_to, target, "the test", &err),
			 0);
	s->peer_closed = false;
	assert_int_equal(s->ws->dial.open(&s->peer, &s->peer_to, &err), 0);
	s->adopted = false;
	await(s, &s->adopted, "upgrade");
}

/* The raw client: a device that says everything twice as firmware would once. */
static void raw_echo(uint16_t port, int out)
{
	char head[1024], data[1024];
	size_t len;
	int fd = raw_dial(port, "/", "Device-Id: 1\r\n", head, sizeof(head));

	(void)out;
	if (!strstr(head, " 101 "))
		_exit(4);
	while (raw_next(fd, data, sizeof(data), &len) == 0x81)
		raw_frame(fd, 0x81, data, len);
}

static void open_listen(struct subject *s)
{
	struct error err = { 0 };
	struct endpoint probe;
	uint16_t port;

	/* A free port, so that the child knows it: taken, and given back. */
	load(s);
	open_front(s, &peer_front);
	port = s->front_table->port(s->front);
	s->front_table->close(s->front, NULL);
	s->front = NULL;
	loop_poll(s->loop);
	loop_poll(s->loop);
	assert_int_equal(
		endpoint_parse(&probe, "listen:127.0.0.1:0", "the test", &err),
		0);
	probe.port = port;
	s->to = probe;
	s->t.ops = &listen_ops;
	s->inside = true;
	if (listen_ops.open(&s->t, &s->to, &err))
		fail_msg("%s", err.text);
	s->inside = false;
	raw_start(&s->child, s->loop, port, raw_echo);
	s->has_child = true;
}

static void open_sim(struct subject *s)
{
	open_target(s, &sim_ops, "sim:src/sim/profiles/esp32.json");
}

static void open_service(struct subject *s)
{
	open_target(s, &sim_ops, "sim:src/sim/profiles/llm.json");
}

/* serve: attaches whoever asks, and gives back what it gets. */
static void serve_echo(struct fake_peer *p, const struct control_frame *f)
{
	if (f->kind == CONTROL_JSON)
		fake_serve_attached(p, "null", "null");
	else
		fake_serve_send(p, f->kind, f->data, f->len);
}

static void open_attach(struct subject *s)
{
	char target[128];

	if (!s->serve.open)
		fake_serve_open(&s->serve, s->loop, serve_echo);
	snprintf(target, sizeof(target), "attach:%s", s->serve.path);
	open_target(s, &attach_ops, target);
}

/* ---- a device at a broker: it says everything twice, too ---- */

static void board_up(void *owner)
{
	((struct subject *)owner)->board_up = true;
}

static void board_message(void *owner, const char *topic, const void *data,
			  size_t len)
{
	struct subject *s = owner;

	(void)topic;
	s->mqtt->publish(s->board, "up/board", data, len, NULL);
}

static void board_closed(void *owner)
{
	((struct subject *)owner)->board_closed = true;
}

static const struct mqtt_client_events board_events = {
	.connected = board_up,
	.message = board_message,
};

static void open_board(struct subject *s)
{
	const struct mqtt_options o = { .host = "127.0.0.1",
					.port = broker.port,
					.client_id = "board" };

	s->mqtt = module_table("mqtt", MQTT_TABLE, NULL);
	assert_non_null(s->mqtt);
	s->board = s->mqtt->client_open(s->loop, &o, &board_events, s, NULL);
	s->mqtt->subscribe(s->board, "down/board", NULL);
	await(s, &s->board_up, "board");
}

static void open_mqtt(struct subject *s)
{
	char target[128];

	if (!s->board)
		open_board(s);
	snprintf(target, sizeof(target),
		 "mqtt://127.0.0.1:%u/board?up=up/board&down=down/board",
		 (unsigned)broker.port);
	open_target(s, &s->mqtt->dial, target);
}

/* ---- a server at a broker, by MCP over MQTT: likewise ---- */

static void mcp_up(void *owner)
{
	struct subject *s = owner;
	char filter[] = "$mcp-rpc/+/server/name";
	char *all[] = { filter };

	assert_int_equal(
		s->mqtt->subscribe_five(s->board, all, 1, false, NULL, NULL),
		0);
}

static void mcp_subscribed(void *owner, int number, size_t count,
			   const int *code)
{
	(void)number;
	assert_int_equal(count, 1);
	assert_true(code[0] < 0x80);
	board_up(owner);
}

static void mcp_message(void *owner, const char *topic, const void *data,
			size_t len)
{
	struct subject *s = owner;
	const struct mqtt_message m = { .topic = topic,
					.data = data,
					.len = len };

	s->mqtt->publish_five(s->board, &m, NULL, NULL);
}

static const struct mqtt_client_events mcp_events = {
	.connected = mcp_up,
	.subscribed = mcp_subscribed,
	.message = mcp_message,
};

static void open_mcp(struct subject *s)
{
	const struct mqtt_five five = { .will_topic = NULL };
	const struct mqtt_options o = { .host = "127.0.0.1",
					.port = broker.port,
					.client_id = "server",
					.five = &five };
	char target[128];

	if (!s->board) {
		s->mqtt = module_table("mqtt", MQTT_TABLE, NULL);
		assert_non_null(s->mqtt);
		s->board =
			s->mqtt->client_open(s->loop, &o, &mcp_events, s, NULL);
		await(s, &s->board_up, "server");
	}
	snprintf(target, sizeof(target), "mcp+mqtt://127.0.0.1:%u/server/name",
		 (unsigned)broker.port);
	open_target(s, &s->mqtt->mcp_dial, target);
}

static void hub_broker(void *owner, const struct error *why)
{
	((struct subject *)owner)->hub_up = !why;
}

static void hub_joined(void *owner, const struct mqtt_joined *who)
{
	struct subject *s = owner;

	if (!s->may_join)
		return;
	s->may_join = false;
	s->inside = true;
	assert_int_equal(s->mqtt->adopt(&s->t, s->hub, who, NULL), 0);
	s->inside = false;
	s->adopted = true;
	if (s->close_at_open)
		hang_up(s);
}

static void hub_closed(void *owner)
{
	((struct subject *)owner)->hub_closed = true;
}

static const struct mqtt_hub_events hub_events = { .broker = hub_broker,
						   .joined = hub_joined };

static void open_hub(struct subject *s)
{
	const struct mqtt_hub_config c = { .up = "up/{client_id}",
					   .down = "down/{client_id}",
					   .broker = { .host = "127.0.0.1",
						       .port = broker.port,
						       .client_id = "hub" } };

	if (!s->board) {
		open_board(s);
		s->hub = s->mqtt->hub_open(s->loop, &c, &hub_events, s, NULL);
		assert_non_null(s->hub);
		await(s, &s->hub_up, "hub");
		s->t.ops = NULL;
	}
	s->may_join = true;
	s->adopted = false;
	/* It is heard once the hub's subscription has come to the broker. */
	while (!s->adopted) {
		s->mqtt->publish(s->board, "up/board", "x", 1, NULL);
		loop_wait(s->loop, &s->adopted, loop_now() + 50, NULL);
	}
}

static void end_mqtt(struct subject *s)
{
	if (s->hub) {
		s->mqtt->hub_close(s->hub, hub_closed);
		await(s, &s->hub_closed, "end of the hub");
	}
	if (s->board) {
		s->mqtt->client_close(s->board, board_closed);
		await(s, &s->board_closed, "end of the board");
	}
}

static void answer_http(struct web_client *c, const char *request)
{
	if (text_starts(request, "DELETE"))
		web_reply(c, 405, "", "", "");
	else
		web_reply(c, 200, "Mcp-Session-Id: S\r\n", "application/json",
			  "{\"id\":1,\"result\":\"one\"}");
}

static void answer_sse(struct web_client *c, const char *request)
{
	struct subject *s = c->web->owner;

	if (text_starts(request, "GET")) {
		s->web_stream = c;
		web_stream(c, "");
		web_say(c, "event: endpoint\ndata: ?s=1\n\n");
	} else {
		web_reply(c, 202, "", "", "");
		web_say(s->web_stream, "data: one\n\n");
	}
}

static void open_web(struct subject *s, const char *scheme,
		     void (*answer)(struct web_client *c, const char *request))
{
	const struct http_table *http = module_table("http", HTTP_TABLE, NULL);
	char target[64];

	assert_non_null(http);
	if (!s->web.loop)
		web_open(&s->web, s->loop);
	s->web.owner = s;
	s->web.answer = answer;
	snprintf(target, sizeof(target), "%s://127.0.0.1:%u/x", scheme,
		 (unsigned)s->web.port);
	open_target(s, &http->dial, target);
}

static void open_http(struct subject *s)
{
	open_web(s, "http", answer_http);
}

static void open_sse(struct subject *s)
{
	open_web(s, "sse+http", answer_sse);
}

static void open_stdio(struct subject *s)
{
	open_target(s, &stdio_ops, "stdio:cat");
}

#define SERVER_HELLO \
	"{\"type\":\"hello\",\"transport\":\"websocket\",\"session_id\":\"S\"}"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

static const struct row rows[] = {
	{ "ws, dialled", "one", "one", open_ws, false },
	{ "ws, adopted", "one", "one", open_adopted, false },
	{ "listen", "one", "one", open_listen, false },
	{ "sim", SERVER_HELLO, "listen", open_sim, false },
	{ "sim, a service", PING, "\"result\":{}", open_service, false },
	{ "mqtt, dialled", "one", "one", open_mqtt, true },
	{ "mqtt, of a hub", "one", "one", open_hub, true },
	{ "mcp+mqtt", "one", "one", open_mcp, true },
	{ "attach", "one", "one", open_attach, false },
	{ "stdio", "{\"one\":1}", "one", open_stdio, false },
	{ "http", "{\"id\":1,\"method\":\"initialize\"}", "one", open_http,
	  false },
	{ "sse+http", "{\"id\":1,\"method\":\"initialize\"}", "one", open_sse,
	  false },
};

/* ---- the contract ---- */

static void begin(struct subject *s, const struct row *row)
{
	struct error err = { 0 };

	*s = (struct subject){ .answer = row->answer };
	assert_int_equal(loop_new(&s->loop, &err), 0);
	s->t = (struct transport){ .loop = s->loop,
				   .events = &events,
				   .owner = s };
}

static void ask(struct subject *s, const struct row *row)
{
	char *copy = mem_strdup(row->request);
	struct error err = { 0 };

	s->inside = true;
	if (s->t.ops->send(&s->t, copy, strlen(copy), &err))
		fail_msg("%s: %s", row->name, err.text);
	s->inside = false;
	/* 3: the text is ours again. */
	memset(copy, 'z', strlen(copy));
	mem_free(copy);
}

static void on_front_closed(void *owner)
{
	struct subject *s = owner;

	s->front_closed = true;
}

static void end(struct subject *s)
{
	const bool never = false;

	s->t.ops->close(&s->t); /* 6: also after the end */
	if (s->has_child) {
		/* A client that was waiting when the port closed may fail. */
		kill(s->child.pid, SIGKILL);
		waitpid(s->child.pid, NULL, 0);
		uv_close((uv_handle_t *)&s->child.pipe, NULL);
		raw_done(&s->child);
	}
	if (s->peer.impl) {
		s->peer.ops->close(&s->peer);
		await(s, &s->peer_closed, "end of the peer");
	}
	fake_serve_close(&s->serve);
	if (s->web.loop)
		web_close(&s->web);
	if (s->front) {
		s->front_table->close(s->front, on_front_closed);
		await(s, &s->front_closed, "end of the front");
	}
	end_mqtt(s);
	/* 5: after closed, nothing. */
	loop_wait(s->loop, &never, loop_now() + 20, NULL);
	assert_int_equal(s->after, 0);
	assert_int_equal(s->closed, 1);
	assert_null(s->t.impl);
	loop_free(s->loop);
	endpoint_done(&s->to);
	endpoint_done(&s->peer_to);
	error_reset(&s->why);
}

static void use(const struct row *row)
{
	struct subject s;

	begin(&s, row);
	row->open(&s);
	await(&s, &s.is_ready, "ready");
	ask(&s, row);
	await(&s, &s.has_answer, "answer");
	assert_int_equal(s.closed, 0);
	hang_up(&s);
	assert_int_equal(s.closed, 0);
	await(&s, &s.is_closed, "closed");
	assert_int_equal(s.why.kind, ERR_NONE);
	end(&s);
}

static void close_before_ready(const struct row *row)
{
	struct subject s;

	begin(&s, row);
	s.close_at_open = true;
	row->open(&s);
	hang_up(&s);
	await(&s, &s.is_closed, "closed");
	assert_int_equal(s.ready, 0);
	end(&s);
}

static void close_inside_events(const struct row *row)
{
	struct subject s;

	begin(&s, row);
	s.close_at_ready = true;
	row->open(&s);
	await(&s, &s.is_closed, "closed");
	assert_int_equal(s.ready, 1);
	assert_int_equal(s.messages, 0);
	end(&s);
	begin(&s, row);
	s.close_at_message = true;
	row->open(&s);
	await(&s, &s.is_ready, "ready");
	if (!s.messages)
		ask(&s, row);
	await(&s, &s.is_closed, "closed");
	assert_int_equal(s.messages, 1);
	end(&s);
}

static void open_again(const struct row *row)
{
	struct subject s;

	/* Where the other side is this test, it goes on; else anew. */
	begin(&s, row);
	row->open(&s);
	await(&s, &s.is_ready, "ready");
	hang_up(&s);
	await(&s, &s.is_closed, "closed");
	if (s.front || s.serve.open || s.web.loop) {
		if (!s.peer_closed && s.peer.impl)
			await(&s, &s.peer_closed, "end of the peer");
		s.ready = s.closed = s.messages = 0;
		s.is_ready = s.is_closed = false;
		endpoint_done(&s.to);
		row->open(&s);
		await(&s, &s.is_ready, "ready again");
		hang_up(&s);
		await(&s, &s.is_closed, "closed again");
	}
	end(&s);
}

static void send_when_closed(const struct row *row)
{
	struct error err = { 0 };
	struct subject s;

	begin(&s, row);
	row->open(&s);
	await(&s, &s.is_ready, "ready");
	hang_up(&s);
	assert_int_equal(s.t.ops->send(&s.t, "x", 1, &err), -1);
	assert_int_not_equal(err.kind, ERR_NONE);
	await(&s, &s.is_closed, "closed");
	assert_int_equal(s.t.ops->send(&s.t, "x", 1, &err), -1);
	end(&s);
}

/* 7: no output, on either of the two. */
static void silently(void (*fn)(const struct row *row), const struct row *row)
{
	int file = fileno(tmpfile());
	int out = dup(1), error = dup(2);
	struct stat st;

	fflush(NULL);
	dup2(file, 1);
	dup2(file, 2);
	fn(row);
	fflush(NULL);
	dup2(out, 1);
	dup2(error, 2);
	close(out);
	close(error);
	fstat(file, &st);
	assert_int_equal(st.st_size, 0);
}

static void test_rows(void (*fn)(const struct row *row))
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!rows[i].broker || broker.port)
			fn(&rows[i]);
	}
}

static void test_use(void **state)
{
	(void)state;
	test_rows(use);
}

static void test_close_before_ready(void **state)
{
	(void)state;
	test_rows(close_before_ready);
}

static void test_close_inside_events(void **state)
{
	(void)state;
	test_rows(close_inside_events);
}

static void test_open_again(void **state)
{
	(void)state;
	test_rows(open_again);
}

static void test_send_when_closed(void **state)
{
	(void)state;
	test_rows(send_when_closed);
}

static void test_no_output(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!rows[i].broker || broker.port)
			silently(use, &rows[i]);
	}
}

static int start_broker(void **state)
{
	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		broker.port = 0;
	return 0;
}

static int end_broker(void **state)
{
	(void)state;
	broker_done(&broker);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_use),
		cmocka_unit_test(test_close_before_ready),
		cmocka_unit_test(test_close_inside_events),
		cmocka_unit_test(test_open_again),
		cmocka_unit_test(test_send_when_closed),
		cmocka_unit_test(test_no_output),
	};

	return cmocka_run_group_tests_name("transport", tests, start_broker,
					   end_broker);
}
