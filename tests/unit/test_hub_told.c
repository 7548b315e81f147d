/* SPDX-License-Identifier: MIT */
/*
 * What the plugin in a broker tells of boards, byte for byte, by a broker that
 * says what we like: who joined, why who left, what is sent there.
 */
#include <sys/socket.h>

#include "base/mem.h"
#include "base/module.h"
#include "mqtt_harness.h"
#include "net/mqtt.h"
#include "net/why.h"

#define ID "GID_t@@@aa_bb_cc_dd_ee_01@@@u"

static struct loop *loop;
static const struct mqtt_table *mqtt;
static struct mqtt_hub *hub;
static struct raw_mqtt side; /* the broker's end */
static struct transport held[8];
static char broker[32]; /* where it is */
static size_t count;
static struct buf told;
static bool hub_closed, adopting;

/* ---- what the hub tells ---- */

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	buf_printf(&told, "ready %s %s %s\n", peer->client_id,
		   or_none(peer->device_id),
		   strcmp(peer->address, broker) == 0 ? "broker" :
							peer->address);
}

static void on_text(void *owner, enum frame_kind kind, const void *data,
		    size_t len)
{
	(void)owner;
	buf_printf(&told, "%s %.*s\n", kind == FRAME_TEXT ? "text" : "binary",
		   (int)len, (const char *)data);
}

static void on_closed(void *owner, const struct error *why)
{
	(void)owner;
	buf_printf(&told, "closed %d %s|%s|%d|%d\n", (int)why->kind, why->text,
		   why->hint, why->code, why->reason);
}

static const struct transport_events device_events = { .ready = on_ready,
						       .message = on_text,
						       .closed = on_closed };

static void on_broker(void *owner, const struct error *why)
{
	(void)owner;
	buf_printf(&told, "broker %s\n", why ? "lost" : "up");
}

static void on_joined(void *owner, const struct mqtt_joined *who)
{
	struct transport *t = &held[count];

	(void)owner;
	buf_printf(&told, "joined %s %s %s %s\n", who->client_id,
		   or_none(who->device_id), or_none(who->address),
		   or_none(who->user));
	if (!adopting)
		return;
	count++;
	*t = (struct transport){ .loop = loop,
				 .events = &device_events,
				 .owner = t };
	assert_int_equal(mqtt->adopt(t, hub, who, NULL), 0);
}

static void on_refused(void *owner, const char *client_id, const char *address,
		       const char *text, const char *hint)
{
	(void)owner;
	buf_printf(&told, "refused %s %s|%s|%s\n", client_id, or_none(address),
		   text, or_none(hint));
}

static const struct mqtt_hub_events hub_events = { .broker = on_broker,
						   .joined = on_joined,
						   .refused = on_refused };

/* All that was told since then is that. */
static void await(const char *wanted)
{
	const int64_t until = loop_now() + MQTT_DEADLINE_MS;

	while (told.len < strlen(wanted) && loop_now() < until) {
		loop_poll(loop);
		usleep(500);
	}
	assert_string_equal(buf_string(&told), wanted);
	buf_reset(&told);
}

/* ---- the broker ---- */

static void accept_it(int listener)
{
	const int64_t until = loop_now() + MQTT_DEADLINE_MS;
	struct raw_packet p;
	struct buf body = { 0 };

	while ((side.fd = accept(listener, NULL, NULL)) < 0) {
		assert_true(loop_now() < until);
		loop_poll(loop);
		usleep(500);
	}
	fcntl(side.fd, F_SETFL, O_NONBLOCK);
	assert_true(raw_next(&side, loop, &p));
	assert_int_equal(p.type, 1);
	buf_add(&body, "\0\0", 2);
	raw_write(&side, 0x20, &body);
	buf_done(&body);
	await("broker up\n");
}

static int set_up(void **state)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	struct mqtt_hub_config c = { .plugin = true };
	socklen_t len = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	(void)state;
	mqtt = module_table("mqtt", MQTT_TABLE, NULL);
	assert_non_null(mqtt);
	assert_int_equal(loop_new(&loop, NULL), 0);
	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&here, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&here, &len);
	c.broker.host = "127.0.0.1";
	c.broker.port = ntohs(here.sin_port);
	snprintf(broker, sizeof(broker), "127.0.0.1:%u",
		 (unsigned)c.broker.port);
	c.broker.client_id = "x";
	side = (struct raw_mqtt){ .fd = -1 };
	count = 0;
	hub_closed = false;
	adopting = true;
	hub = mqtt->hub_open(loop, &c, &hub_events, NULL, NULL);
	assert_non_null(hub);
	accept_it(listener);
	close(listener);
	return 0;
}

static void on_hub_closed(void *owner)
{
	(void)owner;
	hub_closed = true;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (held[i].impl)
			held[i].ops->close(&held[i]);
	}
	mqtt->hub_close(hub, on_hub_closed);
	loop_wait(loop, &hub_closed, loop_now() + MQTT_DEADLINE_MS, NULL);
	raw_close(&side);
	buf_done(&side.in);
	buf_done(&told);
	loop_free(loop);
	return 0;
}

static void tells(const char *topic, const char *text)
{
	raw_publish(&side, topic, text);
}

static void hears(const char *topic, const char *text)
{
	struct raw_packet p = { 0 };

	assert_true(raw_next(&side, loop, &p));
	assert_int_equal(p.type, 3);
	assert_string_equal(p.topic, topic);
	assert_int_equal(p.len, strlen(text));
	assert_memory_equal(p.payload, text, p.len);
}

/* What is told by now: another one is refused behind all else. */
static void only(const char *wanted)
{
	CLEANUP(mem_free_ptr)
	char *all = mem_printf("%srefused end -|refused|-\n", wanted);

	tells("mcpctl/refused/end", "{}");
	await(all);
}

static void joins(const char *n)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"{\"address\":\"10.0.0.1\",\"user\":\"u\",\"n\":%s}", n);

	tells("mcpctl/joined/" ID, text);
	await("joined " ID " aa:bb:cc:dd:ee:01 10.0.0.1 u\n"
	      "ready " ID " aa:bb:cc:dd:ee:01 10.0.0.1\n");
}

static void test_joined(void **state)
{
	(void)state;
	joins("7");
	/* Told again. */
	tells("mcpctl/joined/" ID, "{\"address\":\"10.0.0.9\",\"n\":7}");
	only("");
	tells("mcpctl/joined/x%20y", "no JSON");
	await("joined x y - - -\nready x y - broker\n");
}

/* ---- why it left ---- */

#define LOST "its connection to the broker ended"

static const struct {
	const char *left, *told;
} leaves[] = {
	{ "{\"reason\":0,\"n\":5}", "closed 0 ||0|0\n" },
	{ "{\"reason\":0}", "closed 0 ||0|0\n" },
	{ "{\"reason\":-1,\"n\":5}", NULL },
	{ "{\"n\":5}", NULL },
	{ "", NULL },
	{ "{\"reason\":1,\"n\":5}", NULL },
};

static void test_left(void **state)
{
	CLEANUP(mem_free_ptr)
	char *other = mem_printf("closed %d " LOST "||0|0\n", (int)ERR_CONNECT);

	(void)state;
	for (size_t i = 0; i < COUNT(leaves); i++) {
		joins("5");
		/* Of the connection before this one. */
		tells("mcpctl/left/" ID, "{\"reason\":0,\"n\":4}");
		tells("mcpctl/left/" ID, "{\"reason\":0,\"n\":6}");
		tells("mcpctl/left/other", "{\"reason\":0}");
		only("");
		tells("mcpctl/left/" ID, leaves[i].left);
		await(leaves[i].told ? leaves[i].told : other);
		/* It is at the broker no more. */
		tells("mcpctl/left/" ID, "{\"reason\":0}");
		only("");
	}
}

/* mosquitto's own numbers: its connection was lost, and its keepalive. */
static void test_left_by_loss(void **state)
{
	CLEANUP(mem_free_ptr)
	char *lost = mem_printf("closed %d " LOST "||0|%d\n", (int)ERR_CONNECT,
				(int)WHY_FIN);
	CLEANUP(mem_free_ptr)
	char *silent = mem_printf(
		"closed %d the broker heard nothing of it for longer than its keepalive||%d|0\n",
		(int)ERR_CONNECT, ETIMEDOUT);

	(void)state;
	joins("1");
	tells("mcpctl/left/" ID, "{\"reason\":7,\"n\":1}");
	await(lost);
	joins("2");
	tells("mcpctl/left/" ID, "{\"reason\":19,\"n\":2}");
	await(silent);
	/* No number was told: any that left is that one. */
	joins("0");
	tells("mcpctl/left/" ID, "{\"reason\":0,\"n\":9}");
	await("closed 0 ||0|0\n");
}

/* ---- the same id again ---- */

static void test_again(void **state)
{
	CLEANUP(mem_free_ptr)
	char *first = mem_printf("closed %d it connected again||%d|0\n"
				 "joined " ID " aa:bb:cc:dd:ee:01 10.0.0.1 -\n"
				 "ready " ID " aa:bb:cc:dd:ee:01 10.0.0.1\n",
				 (int)ERR_CONNECT, EEXIST);
	CLEANUP(mem_free_ptr)
	char *second = mem_printf(
		"closed %d a client with the same id connected, from 10.0.0.2|"
		"if these are two boards: each needs a client id of its own, which OTA gives it|%d|0\n"
		"joined " ID " aa:bb:cc:dd:ee:01 10.0.0.2 -\n"
		"ready " ID " aa:bb:cc:dd:ee:01 10.0.0.2\n",
		(int)ERR_CONNECT, EEXIST);
	CLEANUP(mem_free_ptr)
	char *third = mem_printf("closed %d it connected again||%d|0\n"
				 "joined " ID " aa:bb:cc:dd:ee:01 - -\n"
				 "ready " ID " aa:bb:cc:dd:ee:01 broker\n",
				 (int)ERR_CONNECT, EEXIST);

	(void)state;
	joins("1");
	tells("mcpctl/joined/" ID, "{\"address\":\"10.0.0.1\",\"n\":2}");
	await(first);
	tells("mcpctl/joined/" ID, "{\"address\":\"10.0.0.2\",\"n\":3}");
	await(second);
	tells("mcpctl/joined/" ID, "{\"n\":4}");
	await(third);
}

/* ---- what is said ---- */

static void test_refused(void **state)
{
	(void)state;
	tells("mcpctl/refused/x",
	      "{\"address\":\"10.0.0.1\",\"text\":\"no\",\"hint\":\"do\"}");
	await("refused x 10.0.0.1|no|do\n");
	tells("mcpctl/refused/y", "no JSON");
	await("refused y -|refused|-\n");
}

/* Heard without having joined, if we came later. */
static void test_up(void **state)
{
	(void)state;
	tells("mcpctl/up/" ID, "one");
	await("joined " ID " aa:bb:cc:dd:ee:01 - -\n"
	      "ready " ID " aa:bb:cc:dd:ee:01 broker\n"
	      "text one\n");
	tells("mcpctl/up/" ID, "two");
	await("text two\n");
	assert_int_equal(held[0].ops->send(&held[0], "down", 4, NULL), 0);
	hears("mcpctl/down/GID_t@@@aa_bb_cc_dd_ee_01@@@u", "down");
	mqtt->kick(hub, ID);
	hears("mcpctl/kick/GID_t@@@aa_bb_cc_dd_ee_01@@@u", "");
}

static void test_nobody_takes_it(void **state)
{
	(void)state;
	adopting = false;
	tells("mcpctl/up/x", "one");
	tells("mcpctl/joined/y", "{}");
	only("joined x - - -\njoined y - - -\n");
}

/* Given up here, it is not there until it joins again. */
static void test_given_up(void **state)
{
	(void)state;
	joins("1");
	held[0].ops->close(&held[0]);
	await("closed 0 ||0|0\n");
	tells("mcpctl/up/" ID, "one");
	only("");
	tells("mcpctl/left/" ID, "{\"reason\":0,\"n\":1}");
	only("");
	joins("1");
}

static void test_other_topics(void **state)
{
	static const char *const topics[] = {
		"mcpctl/down/x", "mcpctl/kick/x",  "mcpctl/joined/",
		"mcpctl/up/",	 "mcpctl/other/x", "joined/x",
		"mcpctl/joined", "device-server",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(topics); i++)
		tells(topics[i], "{}");
	only("");
}

static void test_broker_goes(void **state)
{
	(void)state;
	joins("1");
	tells("mcpctl/joined/y", "{}");
	await("joined y - - -\nready y - broker\n");
	raw_close(&side);
	side.fd = -1;
	while (!strstr(buf_string(&told), "closed") ||
	       !strstr(strstr(buf_string(&told), "closed") + 1, "closed")) {
		loop_poll(loop);
		usleep(500);
	}
	assert_int_equal(strncmp(told.data, "broker lost\nclosed ", 19), 0);
	assert_non_null(strstr(told.data, " the broker went away||"));
}

/* Nobody is told of one that was given up. */
static void test_broker_goes_without(void **state)
{
	(void)state;
	joins("1");
	held[0].ops->close(&held[0]);
	await("closed 0 ||0|0\n");
	raw_close(&side);
	side.fd = -1;
	await("broker lost\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_joined),
		TEST(test_left),
		TEST(test_left_by_loss),
		TEST(test_again),
		TEST(test_refused),
		TEST(test_up),
		TEST(test_nobody_takes_it),
		TEST(test_given_up),
		TEST(test_other_topics),
		TEST(test_broker_goes),
		TEST(test_broker_goes_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
