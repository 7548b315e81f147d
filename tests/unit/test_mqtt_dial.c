/* SPDX-License-Identifier: MIT */
/*
 * The target mqtt://: its topics, what it says while nothing is heard, how it
 * ends. Against a real mosquitto.
 */
#include "base/module.h"
#include "net/mqtt.h"
#include "real_broker.h"

#define LONG_MS 60000
#define ID "GID_t@@@aa_bb_cc_dd_ee_ff@@@u"

static struct loop *loop;
static const struct mqtt_table *mqtt;
static struct real_broker broker;
static struct transport t;
static struct endpoint to;
static bool is_ready, is_closed, has_message, has_asked, board_up, board_closed;
static char last[256], topic_asked[128], id[128], device_id[32], notice[128];
static struct udp_offer offer;
static struct error why, err;

static void on_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	assert_true(peer->standby && peer->envelope && peer->shared);
	assert_non_null(peer->udp);
	offer = *peer->udp;
	snprintf(id, sizeof(id), "%s", peer->client_id);
	snprintf(device_id, sizeof(device_id), "%s",
		 peer->device_id ? peer->device_id : "");
	is_ready = true;
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	(void)owner;
	assert_int_equal(kind, FRAME_TEXT);
	keep_text(last, sizeof(last), data, len);
	has_message = true;
}

static void on_closed(void *owner, const struct error *reason)
{
	(void)owner;
	assert_null(t.impl);
	error_copy(&why, reason);
	is_closed = true;
}

static void on_notice(void *owner, const struct notice *n)
{
	(void)owner;
	snprintf(notice, sizeof(notice), "%s", n->text);
}

static const struct transport_events events = { .ready = on_ready,
						.message = on_message,
						.closed = on_closed,
						.notice = on_notice };

static void on_board_up(void *owner)
{
	(void)owner;
	board_up = true;
}

static void on_asked(void *owner, const char *topic, const void *data,
		     size_t len)
{
	(void)owner;
	(void)data;
	(void)len;
	snprintf(topic_asked, sizeof(topic_asked), "%s", topic);
	has_asked = true;
}

static void on_board_closed(void *owner)
{
	(void)owner;
	board_closed = true;
}

static const struct mqtt_client_events board_events = { .connected =
								on_board_up,
							.message = on_asked };

static void wait_for(const bool *flag, const char *what)
{
	if (loop_wait(loop, flag, loop_now() + LONG_MS, NULL))
		fail_msg("no %s", what);
}

static int prepare(void **state)
{
	(void)state;
	is_ready = is_closed = has_message = has_asked = false;
	board_up = board_closed = false;
	if (loop_new(&loop, &err))
		return -1;
	mqtt = module_table("mqtt", MQTT_TABLE, &err);
	if (!mqtt)
		print_error("%s\n", err.text);
	return mqtt ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	endpoint_done(&to);
	error_reset(&why);
	error_reset(&err);
	broker_done(&broker);
	loop_free(loop);
	return 0;
}

/* behind: what stands behind the host and port. */
static int dial(const char *behind)
{
	char *target = mem_printf("mqtt://127.0.0.1:%u/%s",
				  (unsigned)broker.port, behind);

	endpoint_done(&to);
	if (endpoint_parse(&to, target, "the test", &err))
		fail_msg("%s", err.text);
	mem_free(target);
	t = (struct transport){ .ops = &mqtt->dial,
				.loop = loop,
				.events = &events };
	return t.ops->open(&t, &to, &err);
}

static void need_broker(void)
{
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
}

static void hang_up(void)
{
	t.ops->close(&t);
	wait_for(&is_closed, "end");
	assert_int_equal(why.kind, ERR_NONE);
}

/* The topics of stock devices, and others. */
static void test_topics(void **state)
{
	static const struct {
		const char *behind, *up, *down, *mac;
	} rows[] = {
		{ ID, "device-server", "devices/p2p/aa_bb_cc_dd_ee_ff",
		  "aa:bb:cc:dd:ee:ff" },
		{ "board-1", "device-server", "devices/p2p/board-1", "" },
		{ "b?up=u/{client_id}&down=d/{client_id}/x", "u/b", "d/b/x",
		  "" },
		{ ID "?up=u/%2b", "u/x", "devices/p2p/aa_bb_cc_dd_ee_ff",
		  "aa:bb:cc:dd:ee:ff" },
	};
	struct mqtt_options o = { .host = "127.0.0.1", .client_id = "board" };
	struct mqtt_client *board;

	(void)state;
	need_broker();
	o.port = broker.port;
	board = mqtt->client_open(loop, &o, &board_events, NULL, NULL);
	mqtt->subscribe(board, "devices/p2p/+", NULL);
	mqtt->subscribe(board, "d/#", NULL);
	wait_for(&board_up, "board");
	for (size_t i = 0; i < COUNT(rows); i++) {
		is_ready = is_closed = has_message = has_asked = false;
		if (dial(rows[i].behind))
			fail_msg("%s", err.text);
		wait_for(&is_ready, "ready");
		assert_string_equal(device_id, rows[i].mac);
		t.ops->send(&t, "x", 1, NULL);
		wait_for(&has_asked, "question");
		assert_string_equal(topic_asked, rows[i].down);
		mqtt->publish(board, rows[i].up, "answer", 6, NULL);
		wait_for(&has_message, "answer");
		assert_string_equal(last, "answer");
		/* It is not silent, whatever else it leaves out. */
		t.ops->explain(&t, &err);
		assert_int_equal(err.kind, ERR_NONE);
		hang_up();
	}
	mqtt->client_close(board, on_board_closed);
	wait_for(&board_closed, "end of the board");
}

static void test_wrong_topics(void **state)
{
	static const struct {
		const char *behind, *says, *hints;
	} rows[] = {
		{ "b?down=d/{mac}", "does not tell the device's {mac}",
		  "{client_id}" },
		{ "b?up=d/{mac}", "{mac}", "{client_id}" },
		{ "b?down=a/%2b", "'a/+'", "?down=TOPIC" },
		{ "b?up=a/%23/b", "'a/#/b' is no topic", "?up=TOPIC" },
		{ "b?up=a/%23&down=a/b", "are the same", "come back" },
	};

	(void)state;
	broker.port = 1;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(dial(rows[i].behind), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_null(t.impl);
		if (!strstr(err.text, rows[i].says) ||
		    !strstr(err.hint, rows[i].hints))
			fail_msg("'%s', '%s' instead of '%s', '%s'", err.text,
				 err.hint, rows[i].says, rows[i].hints);
	}
}

static void explains(const char *text, const char *hint)
{
	error_reset(&err);
	err = (struct error){ 0 };
	t.ops->explain(&t, &err);
	if (err.kind != ERR_CONNECT || !strstr(err.text, text) ||
	    !strstr(err.hint, hint))
		fail_msg("'%s', '%s' instead of '%s', '%s'", err.text, err.hint,
			 text, hint);
}

static void test_explain(void **state)
{
	(void)state;
	need_broker();
	assert_int_equal(dial(ID "?up=my/up"), 0);
	explains("has not answered yet", "MQTT broker");
	wait_for(&is_ready, "ready");
	assert_string_equal(id, ID);
	explains("'devices/p2p/aa_bb_cc_dd_ee_ff' and should answer to 'my/up'",
		 "never subscribes");
	hang_up();
}

/* A hello can be answered: there is a port for the audio. */
static void test_audio(void **state)
{
	struct audio_counts counts;
	unsigned char bytes[16];

	(void)state;
	need_broker();
	assert_int_equal(dial(ID), 0);
	wait_for(&is_ready, "ready");
	assert_int_not_equal(offer.port, 0);
	assert_true(offer.server[0]);
	assert_true(hex_decode_16(bytes, offer.key));
	assert_true(mqtt->audio_counts(&t, &counts));
	assert_int_equal(counts.packets, 0);
	hang_up();
	assert_false(mqtt->audio_counts(&t, &counts));
}

/* As much as it may be; and the board has not said where it listens. */
static void test_limits(void **state)
{
	struct mqtt_options o = { .host = "127.0.0.1", .client_id = "board" };
	struct mqtt_client *board;
	struct layers layers;

	(void)state;
	need_broker();
	o.port = broker.port;
	board = mqtt->client_open(loop, &o, &board_events, NULL, NULL);
	mqtt->subscribe(board, "devices/p2p/+", NULL);
	wait_for(&board_up, "board");
	assert_int_equal(dial("b"), 0);
	assert_int_equal(t.ops->send_sound(&t, "x", 1, NULL), -1);
	hang_up();
	is_closed = false;
	to.message_max = 6;
	to.advertise = mem_strdup("board-net:9");
	t = (struct transport){ .ops = &mqtt->dial,
				.loop = loop,
				.events = &events };
	assert_int_equal(t.ops->open(&t, &to, &err), 0);
	wait_for(&is_ready, "ready");
	assert_string_equal(offer.server, "board-net");
	assert_true(t.ops->layers(&t, 0, &layers));
	assert_true(layers.tcp && layers.broker);
	assert_int_equal(t.ops->send_sound(&t, "x", 1, &err), -1);
	assert_non_null(strstr(err.text, "where it listens is not known"));
	error_reset(&err);
	/* What it asks comes behind its subscription. */
	assert_int_equal(t.ops->send(&t, "x", 1, NULL), 0);
	wait_for(&has_asked, "question");
	mqtt->publish(board, "device-server", "answer", 6, NULL);
	wait_for(&has_message, "answer");
	mqtt->publish(board, "device-server", "answers", 7, NULL);
	wait_for(&is_closed, "end");
	assert_int_equal(why.kind, ERR_PROTOCOL);
	assert_string_equal(why.text,
			    "a message of 7 bytes came, and 6 are the limit");
	assert_string_equal(last, "answer");
	assert_false(t.ops->layers(&t, 0, &layers));
	assert_int_equal(t.ops->send(&t, "x", 1, NULL), -1);
	mqtt->client_close(board, on_board_closed);
	wait_for(&board_closed, "end of the board");
}

static void test_ends(void **state)
{
	(void)state;
	need_broker();
	assert_int_equal(dial(ID), 0);
	wait_for(&is_ready, "ready");
	broker_kill(&broker);
	wait_for(&is_closed, "end");
	assert_int_equal(why.kind, ERR_CONNECT);
	assert_non_null(strstr(why.text, "went away"));
	is_closed = is_ready = false;
	assert_int_equal(dial(ID), 0);
	wait_for(&is_closed, "refusal");
	assert_false(is_ready);
	assert_non_null(strstr(why.text, "connection refused"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_topics, prepare, finish),
		cmocka_unit_test_setup_teardown(test_wrong_topics, prepare,
						finish),
		cmocka_unit_test_setup_teardown(test_explain, prepare, finish),
		cmocka_unit_test_setup_teardown(test_audio, prepare, finish),
		cmocka_unit_test_setup_teardown(test_limits, prepare, finish),
		cmocka_unit_test_setup_teardown(test_ends, prepare, finish),
	};

	return cmocka_run_group_tests_name("mqtt dial", tests, NULL, NULL);
}
