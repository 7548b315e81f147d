/* SPDX-License-Identifier: MIT */
/*
 * Many devices over one connection, against a real mosquitto: by topics alone,
 * and with our plugin in it.
 */
#include "base/module.h"
#include "net/mqtt.h"
#include "real_broker.h"
#include "skip_for.h"
#include "wire/broker_topic.h"

#define LONG_MS 60000
#define GID_A "GID_t@@@aa_bb_cc_dd_ee_01@@@u"
#define GID_B "GID_t@@@aa_bb_cc_dd_ee_02@@@u"

/* A device as serve holds it. */
struct held {
	struct transport t;
	char client_id[64], device_id[32], address[64];
	unsigned ready, messages, closed;
	bool is_ready, has_message, is_closed;
	char last[128];
	bool close_at_message;
	struct error why;
};

/* A device as a client of the broker. */
struct board {
	struct mqtt_client *client;
	bool up, down, has_message, closed;
	char last[128];
};

static struct loop *loop;
static const struct mqtt_table *mqtt;
static struct real_broker broker;
static struct mqtt_hub *hub;
static struct held held[4];
static unsigned joined, refused;
static bool has_joined, broker_up, broker_down, hub_closed, adopting,
	has_refused;
static char refused_text[256];

/* ---- what the hub tells ---- */

static void on_ready(void *owner, const struct peer_info *peer)
{
	struct held *h = owner;

	assert_true(peer->envelope);
	assert_true(peer->standby);
	assert_null(peer->udp);
	snprintf(h->client_id, sizeof(h->client_id), "%s", peer->client_id);
	snprintf(h->device_id, sizeof(h->device_id), "%s",
		 peer->device_id ? peer->device_id : "");
	snprintf(h->address, sizeof(h->address), "%s", peer->address);
	assert_int_equal(h->messages, 0);
	h->ready++;
	h->is_ready = true;
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct held *h = owner;

	assert_int_equal(kind, FRAME_TEXT);
	assert_int_equal(h->ready, 1);
	assert_int_equal(h->closed, 0);
	keep_text(h->last, sizeof(h->last), data, len);
	h->messages++;
	h->has_message = true;
	if (h->close_at_message)
		h->t.ops->close(&h->t);
}

static void on_closed(void *owner, const struct error *why)
{
	struct held *h = owner;

	assert_null(h->t.impl);
	h->closed++;
	h->is_closed = true;
	error_copy(&h->why, why);
}

static const struct transport_events device_events = { .ready = on_ready,
						       .message = on_message,
						       .closed = on_closed };

static void on_broker(void *owner, const struct error *why)
{
	(void)owner;
	broker_up = !why;
	broker_down = why != NULL;
}

static void on_joined(void *owner, const struct mqtt_joined *who)
{
	struct held *h = &held[joined];

	(void)owner;
	has_joined = true;
	if (joined++ >= COUNT(held) || !adopting)
		return;
	*h = (struct held){
		.t = { .loop = loop, .events = &device_events, .owner = h }
	};
	assert_int_equal(mqtt->adopt(&h->t, hub, who, NULL), 0);
	assert_int_equal(h->ready, 0);
}

static void on_refused(void *owner, const char *client_id, const char *address,
		       const char *text, const char *hint)
{
	(void)owner;
	(void)hint;
	refused++;
	has_refused = true;
	snprintf(refused_text, sizeof(refused_text), "%s %s %s", client_id,
		 address ? address : "-", text);
}

static const struct mqtt_hub_events hub_events = { .broker = on_broker,
						   .joined = on_joined,
						   .refused = on_refused };

/* ---- the boards ---- */

static void on_board_up(void *owner)
{
	((struct board *)owner)->up = true;
}

static void on_board_message(void *owner, const char *topic, const void *data,
			     size_t len)
{
	struct board *b = owner;

	(void)topic;
	b->has_message = true;
	keep_text(b->last, sizeof(b->last), data, len);
}

static void on_board_down(void *owner, const struct error *why)
{
	(void)why;
	((struct board *)owner)->down = true;
}

static void on_board_closed(void *owner)
{
	((struct board *)owner)->closed = true;
}

static const struct mqtt_client_events board_events = {
	.connected = on_board_up,
	.message = on_board_message,
	.lost = on_board_down,
};

static void wait_for(const bool *flag, const char *what)
{
	if (loop_wait(loop, flag, loop_now() + LONG_MS, NULL))
		fail_msg("no %s", what);
}

/* Everything that is under way has come. */
static void settle(void)
{
	const bool never = false;

	loop_wait(loop, &never, loop_now() + 100, NULL);
}

static void board_begin(struct board *b, const char *id)
{
	const struct mqtt_options o = { .host = "127.0.0.1",
					.port = broker.port,
					.client_id = id };

	*b = (struct board){ 0 };
	b->client = mqtt->client_open(loop, &o, &board_events, b, NULL);
	assert_non_null(b->client);
}

static void board_join(struct board *b, const char *id, const char *down)
{
	board_begin(b, id);
	wait_for(&b->up, "connection of a board");
	if (down)
		assert_int_equal(mqtt->subscribe(b->client, down, NULL), 0);
}

static void board_say(struct board *b, const char *topic, const char *text)
{
	assert_int_equal(
		mqtt->publish(b->client, topic, text, strlen(text), NULL), 0);
}

static void hub_board_end(struct board *b)
{
	mqtt->client_close(b->client, on_board_closed);
	wait_for(&b->closed, "end of a board");
}

static void hold_say(struct held *h, const char *text)
{
	assert_int_equal(h->t.ops->send(&h->t, text, strlen(text), NULL), 0);
}

/* ---- around each test ---- */

static int prepare(void **state)
{
	struct error err = { 0 };

	(void)state;
	if (loop_new(&loop, &err))
		return -1;
	mqtt = module_table("mqtt", MQTT_TABLE, &err);
	joined = refused = 0;
	has_joined = broker_up = broker_down = hub_closed = has_refused = false;
	adopting = true;
	memset(held, 0, sizeof(held));
	if (!mqtt)
		print_error("%s\n", err.text);
	return mqtt ? 0 : -1;
}

static void on_hub_closed(void *owner)
{
	(void)owner;
	hub_closed = true;
}

static void end(void)
{
	for (size_t i = 0; i < COUNT(held); i++) {
		if (held[i].t.impl) {
			held[i].t.ops->close(&held[i].t);
			held[i].t.ops->close(&held[i].t);
			assert_int_equal(held[i].closed, 0);
			wait_for(&held[i].is_closed, "end of a device");
			assert_int_equal(held[i].why.kind, ERR_NONE);
		}
		assert_int_equal(held[i].closed, held[i].ready);
		error_reset(&held[i].why);
	}
	mqtt->hub_close(hub, on_hub_closed);
	wait_for(&hub_closed, "end of the hub");
}

static int finish(void **state)
{
	(void)state;
	broker_done(&broker);
	loop_free(loop);
	return 0;
}

static void open_hub(struct mqtt_hub_config *c)
{
	struct error err = { 0 };

	c->broker.host = "127.0.0.1";
	c->broker.port = broker.port;
	c->broker.reconnect = true;
	hub = mqtt->hub_open(loop, c, &hub_events, NULL, &err);
	if (!hub)
		fail_msg("%s", err.text);
	wait_for(&broker_up, "broker");
	assert_int_equal(joined, 0);
}

static void open_by_topics(const char *up, const char *down)
{
	struct mqtt_hub_config c = { .up = up, .down = down };

	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	c.broker.client_id = "mcpctl-test";
	open_hub(&c);
}

/* ---- by topics ---- */

static void test_topics(void **state)
{
	struct board a, b;

	(void)state;
	open_by_topics("t/up/{client_id}", "t/down/{mac}");
	board_join(&a, GID_A, "t/down/aa_bb_cc_dd_ee_01");
	board_join(&b, GID_B, "t/down/aa_bb_cc_dd_ee_02");
	board_say(&a, "t/up/" GID_A, "one");
	wait_for(&held[0].has_message, "message of the first");
	assert_string_equal(held[0].client_id, GID_A);
	assert_string_equal(held[0].device_id, "aa:bb:cc:dd:ee:01");
	assert_string_equal(held[0].last, "one");
	board_say(&b, "t/up/" GID_B, "two");
	wait_for(&held[1].has_message, "message of the second");
	assert_string_equal(held[1].last, "two");
	hold_say(&held[1], "to two");
	wait_for(&b.has_message, "message down");
	assert_string_equal(b.last, "to two");
	assert_false(a.has_message);
	/* The same again: nobody joins. */
	held[0].has_message = false;
	board_say(&a, "t/up/" GID_A, "more");
	wait_for(&held[0].has_message, "second message");
	assert_int_equal(joined, 2);
	/* kick has no meaning here. */
	mqtt->kick(hub, GID_A);
	hub_board_end(&a);
	hub_board_end(&b);
	end();
}

/* Given up by its owner, it may come again with its next message. */
static void test_given_up(void **state)
{
	struct board a;

	(void)state;
	open_by_topics("t/up/{mac}", "t/down/{mac}");
	board_join(&a, "x", NULL);
	board_say(&a, "t/up/aa_bb_cc_dd_ee_01", "one");
	wait_for(&held[0].has_message, "message");
	assert_string_equal(held[0].device_id, "aa:bb:cc:dd:ee:01");
	held[0].close_at_message = true;
	board_say(&a, "t/up/aa_bb_cc_dd_ee_01", "two");
	board_say(&a, "t/up/aa_bb_cc_dd_ee_01", "three");
	wait_for(&held[0].is_closed, "end");
	assert_int_equal(held[0].messages, 2);
	assert_int_equal(held[0].why.kind, ERR_NONE);
	assert_int_equal(held[0].t.ops->send(&held[0].t, "x", 1, NULL), -1);
	wait_for(&held[1].has_message, "device once more");
	assert_string_equal(held[1].last, "three");
	hub_board_end(&a);
	end();
}

/* What it says beyond the ceiling ends it; its next message brings it back. */
static void test_too_long(void **state)
{
	struct mqtt_hub_config c = { .up = "up/{client_id}",
				     .down = "down/{client_id}",
				     .message_max = 10 };
	struct board a;

	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	c.broker.client_id = "mcpctl-test";
	open_hub(&c);
	board_join(&a, GID_A, NULL);
	board_say(&a, "up/" GID_A, "0123456789");
	wait_for(&held[0].has_message, "message");
	board_say(&a, "up/" GID_A, "0123456789a");
	wait_for(&held[0].is_closed, "end");
	assert_int_equal(held[0].messages, 1);
	assert_int_equal(held[0].why.kind, ERR_PROTOCOL);
	assert_non_null(strstr(held[0].why.text, "of 11 bytes"));
	assert_non_null(strstr(held[0].why.hint, "--message-max"));
	board_say(&a, "up/" GID_A, "more");
	wait_for(&held[1].has_message, "device once more");
	hub_board_end(&a);
	end();
}

static void test_not_adopted(void **state)
{
	struct board a;

	(void)state;
	open_by_topics("t/up/{client_id}", "t/down/{client_id}");
	adopting = false;
	board_join(&a, "x", NULL);
	board_say(&a, "t/up/x", "one");
	wait_for(&has_joined, "device");
	board_say(&a, "t/up/", "nobody");
	board_say(&a, "t/other/x", "not for us");
	board_say(&a, "t/up/y/z", "not for us");
	settle();
	assert_int_equal(joined, 1);
	hub_board_end(&a);
	end();
}

static void test_broker_lost(void **state)
{
	struct board a;

	(void)state;
	open_by_topics("t/up/{client_id}", "t/down/{client_id}");
	board_join(&a, "x", NULL);
	board_say(&a, "t/up/x", "one");
	wait_for(&held[0].has_message, "message");
	broker_kill(&broker);
	wait_for(&held[0].is_closed, "end of the device");
	assert_true(broker_down);
	assert_int_equal(held[0].why.kind, ERR_CONNECT);
	assert_non_null(strstr(held[0].why.text, "the broker went away"));
	hub_board_end(&a);
	broker_run(&broker);
	wait_for(&broker_up, "broker once more");
	board_join(&a, "x", NULL);
	board_say(&a, "t/up/x", "two");
	wait_for(&held[1].has_message, "message once more");
	assert_string_equal(held[1].last, "two");
	hub_board_end(&a);
	end();
}

static void test_wrong_topics(void **state)
{
	static const struct {
		const char *up, *down, *says;
	} rows[] = {
		{ "device-server", "d/{mac}", "does not tell devices apart" },
		{ "up/{mac}", "", "nothing can be published" },
		{ "up/{mac}", "down/+", "'down/+'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct mqtt_hub_config c = { .up = rows[i].up,
					     .down = rows[i].down };
		struct error err = { 0 };

		c.broker = (struct mqtt_options){ .host = "127.0.0.1",
						  .port = 1,
						  .client_id = "x" };
		hub = mqtt->hub_open(loop, &c, &hub_events, NULL, &err);
		assert_null(hub);
		assert_int_equal(err.kind, ERR_USAGE);
		if (!strstr(err.text, rows[i].says))
			fail_msg("'%s' instead of '%s'", err.text,
				 rows[i].says);
	}
}

/* ---- with the plugin ---- */

static void open_with_plugin(const char *more)
{
	struct mqtt_hub_config c = { .plugin = true };
	struct error err = { 0 };
	char *plugin, *text;

	if (!broker_prepare(&broker))
		skip();
	plugin = module_file("broker", &err);
	if (!plugin) {
		error_reset(&err);
		skip_for("mcpctl-broker.so is not built");
	}
	broker_write(&broker, "secret", "test-secret");
	text = mem_printf("allow_anonymous true\nplugin %s\n"
			  "plugin_opt_secret_file %s/secret\n%s",
			  plugin, broker.folder, more);
	broker_configure(&broker, text);
	mem_free(text);
	mem_free(plugin);
	broker_run(&broker);
	c.broker.client_id = BROKER_CLIENT_ID;
	c.broker.user = "mcpctl";
	c.broker.password = "test-secret";
	open_hub(&c);
}

/* A stock device: it never subscribes, and says nothing in standby. */
static void test_plugin(void **state)
{
	struct board a;

	(void)state;
	open_with_plugin("");
	board_join(&a, GID_A, NULL);
	wait_for(&held[0].is_ready, "device");
	assert_string_equal(held[0].client_id, GID_A);
	assert_string_equal(held[0].device_id, "aa:bb:cc:dd:ee:01");
	assert_non_null(strstr(held[0].address, "127.0.0.1"));
	hold_say(&held[0], "hello you");
	wait_for(&a.has_message, "message down");
	assert_string_equal(a.last, "hello you");
	board_say(&a, "device-server", "{\"type\":\"mcp\"}");
	wait_for(&held[0].has_message, "message up");
	assert_string_equal(held[0].last, "{\"type\":\"mcp\"}");
	hub_board_end(&a);
	wait_for(&held[0].is_closed, "end of the device");
	assert_int_equal(joined, 1);
	end();
}

static void test_plugin_again(void **state)
{
	struct board a, b;

	(void)state;
	open_with_plugin("");
	board_join(&a, GID_A, NULL);
	wait_for(&held[0].is_ready, "device");
	/* Its old connection is one that it forgot. */
	board_join(&b, GID_A, NULL);
	wait_for(&held[1].is_ready, "device once more");
	assert_int_equal(held[0].closed, 1);
	assert_string_equal(held[0].why.text, "it connected again");
	wait_for(&a.down, "end of the old connection");
	settle();
	assert_int_equal(held[1].closed, 0);
	hold_say(&held[1], "x");
	wait_for(&b.has_message, "message to the new connection");
	mqtt->kick(hub, GID_A);
	wait_for(&b.down, "kick");
	wait_for(&held[1].is_closed, "end of the device");
	hub_board_end(&a);
	hub_board_end(&b);
	end();
}

/* Given up, it stays away until it connects again. */
static void test_plugin_given_up(void **state)
{
	struct board a;

	(void)state;
	open_with_plugin("");
	board_join(&a, GID_A, NULL);
	wait_for(&held[0].is_ready, "device");
	held[0].t.ops->close(&held[0].t);
	wait_for(&held[0].is_closed, "end");
	board_say(&a, "device-server", "{\"type\":\"mcp\"}");
	settle();
	assert_int_equal(joined, 1);
	hub_board_end(&a);
	board_join(&a, GID_A, NULL);
	wait_for(&held[1].is_ready, "device once more");
	held[1].t.ops->close(&held[1].t);
	hub_board_end(&a);
	end();
}

static void test_plugin_refused(void **state)
{
	struct board a;
	char *more;

	(void)state;
	if (!broker_prepare(&broker))
		skip();
	broker_write(&broker, "key", "a key");
	more = mem_printf("plugin_opt_key_file %s/key", broker.folder);
	{
		/* The folder goes with the test, also where it made another. */
		struct real_broker keys = broker;

		open_with_plugin(more);
		mem_free(more);
		board_begin(&a, GID_A);
		wait_for(&has_refused, "refusal");
		assert_non_null(strstr(refused_text, GID_A));
		assert_non_null(strstr(refused_text, "127.0.0.1"));
		wait_for(&a.down, "end of the board");
		assert_int_equal(joined, 0);
		hub_board_end(&a);
		end();
		broker_done(&keys);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_topics, prepare, finish),
		cmocka_unit_test_setup_teardown(test_given_up, prepare, finish),
		cmocka_unit_test_setup_teardown(test_too_long, prepare, finish),
		cmocka_unit_test_setup_teardown(test_not_adopted, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_broker_lost, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_wrong_topics, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_plugin, prepare, finish),
		cmocka_unit_test_setup_teardown(test_plugin_again, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_plugin_given_up, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_plugin_refused, prepare,
						finish),
	};

	return cmocka_run_group_tests_name("mqtt hub", tests, NULL, NULL);
}
