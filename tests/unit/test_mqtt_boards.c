/* SPDX-License-Identifier: MIT */
/*
 * MQTT in a whole serve: the real mosquitto, serve's own and a foreign one;
 * a board that never subscribes, byte for byte.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mem.h"
#include "mqtt_harness.h"
#include "real_broker.h"
#include "serve/board.h"
#include "serve/mqtt_boards.h"
#include "serve/serve_state.h"
#include "wire/broker_topic.h"

#define DEVICE "GID_test@@@02_00_00_00_00_01@@@uuid"
#define MAC "02:00:00:00:00:01"
#define HOUR 3600000

struct rig {
	struct loop *loop;
	struct serve *server;
	struct serve_config config;
	struct words listen;
	char folder[64], socket[96], key[96];
	struct raw_mqtt board;
	const char *topic; /* where the board publishes */
};

static void rig_folder(struct rig *r)
{
	*r = (struct rig){ .board.fd = -1, .topic = "device-server" };
	snprintf(r->folder, sizeof(r->folder), "/tmp/mcpctl-test.XXXXXX");
	assert_non_null(mkdtemp(r->folder));
	snprintf(r->socket, sizeof(r->socket), "%s/socket", r->folder);
	snprintf(r->key, sizeof(r->key), "%s/key", r->folder);
	assert_int_equal(loop_new(&r->loop, NULL), 0);
	words_add(&r->listen, "127.0.0.1:0");
	r->config = (struct serve_config){
		.listen = &r->listen,
		.mqtt = true,
		.mqtt_port = free_port(),
		.socket = r->socket,
		.timeout = HOUR,
		.verbose = true,
	};
}

static void rig_start(struct rig *r)
{
	struct error err = { 0 };

	if (serve_open(&r->server, r->loop, &r->config, &err))
		fail_msg("%s\n%s", err.text, err.detail ? err.detail : "");
}

static void rig_init(struct rig *r)
{
	rig_folder(r);
	rig_start(r);
}

static void rig_done(struct rig *r)
{
	raw_close(&r->board);
	serve_close(r->server);
	loop_free(r->loop);
	words_done(&r->listen);
	unlink(r->key);
	/* Nothing of serve's was left in it. */
	assert_int_equal(rmdir(r->folder), 0);
}

static void write_key(struct rig *r, const char *key)
{
	FILE *f = fopen(r->key, "we");

	assert_non_null(f);
	fprintf(f, "%s\n", key);
	fclose(f);
	r->config.mqtt_key_file = r->key;
}

/* ---- the board ---- */

static void answer(struct rig *r, const struct raw_packet *p)
{
	cJSON *json = json_parse(p->payload, p->len, NULL);
	const cJSON *payload = json_object(json, "payload");
	const char *method = json_string(payload, "method");
	const char *result = "{\"tools\":[{\"name\":\"self.a\","
			     "\"inputSchema\":{\"type\":\"object\"}}]}";
	struct buf text = { 0 };
	int64_t id;

	assert_non_null(method);
	if (!strcmp(method, "initialize"))
		result = "{\"protocolVersion\":\"2024-11-05\","
			 "\"capabilities\":{\"tools\":{}},\"serverInfo\":"
			 "{\"name\":\"bread\",\"version\":\"2.4.2\"}}";
	if (!json_integer(payload, "id", &id)) {
		buf_printf(&text,
			   "{\"session_id\":\"\",\"type\":\"mcp\",\"payload\":"
			   "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":%s}}",
			   (long long)id, result);
		raw_publish(&r->board, r->topic, buf_string(&text));
	}
	buf_done(&text);
	json_free_ptr(&json);
}

static void pump(struct rig *r)
{
	struct raw_packet p;

	loop_poll(r->loop);
	if (r->board.fd >= 0) {
		raw_read(&r->board);
		while (raw_take(&r->board, &p)) {
			if (p.type == 3)
				answer(r, &p);
		}
	}
	usleep(1000);
}

/* Runs until there is a record of that kind whose text holds text. */
static void expect_record(struct rig *r, enum record_kind kind,
			  const char *text)
{
	int64_t until = loop_now() + MQTT_DEADLINE_MS;
	struct buf seen = { 0 };
	bool found = false;

	while (!found) {
		struct record *rec = serve_take(r->server);

		if (!rec) {
			if (loop_now() >= until)
				fail_msg("no '%s', but:\n%s", text,
					 buf_string(&seen));
			pump(r);
			continue;
		}
		found = rec->kind == kind && strstr(rec->text, text);
		buf_printf(&seen, "%s: %s\n", record_kind_name(rec->kind),
			   rec->text);
		record_free(rec);
	}
	buf_done(&seen);
}

static void expect_hint(struct rig *r, enum record_kind kind, const char *hint)
{
	int64_t until = loop_now() + MQTT_DEADLINE_MS;
	struct record *rec;

	for (;;) {
		while (!(rec = serve_take(r->server))) {
			assert_true(loop_now() < until);
			pump(r);
		}
		if (rec->kind == kind)
			break;
		record_free(rec);
	}
	if (!rec->hint || !strstr(rec->hint, hint))
		fail_msg("'%s' is not in '%s'", hint, rec->hint);
	record_free(rec);
}

static void expect_devices(struct rig *r, size_t count)
{
	int64_t until = loop_now() + MQTT_DEADLINE_MS;

	while (r->server->registry.count != count) {
		assert_true(loop_now() < until);
		pump(r);
	}
}

/* A board asks OTA. */
static void offer_as(struct rig *r, const char *mac, struct ota_mqtt *out)
{
	struct ota_request rq = { .client_id = "uuid" };

	snprintf(rq.device_id, sizeof(rq.device_id), "%s", mac);
	mqtt_boards_offer(r->server->mqtt_boards, &rq,
			  &(struct mqtt_boards_asker){ "192.168.1.7:51234",
						       "127.0.0.1", NULL },
			  out);
}

static void offer(struct rig *r, struct ota_mqtt *out)
{
	offer_as(r, MAC, out);
}

/* ---- the tests ---- */

static void standby(void **state)
{
	struct raw_mqtt pub, old;
	struct board *d;
	struct rig r;

	(void)state;
	rig_init(&r);
	raw_mqtt_open(&pub, r.config.mqtt_port, "pub", NULL, NULL);
	raw_expect_open(&pub, r.loop);
	raw_publish(&pub, "device-server", "{\"a\":1}");
	raw_mqtt_open(&r.board, r.config.mqtt_port, DEVICE, NULL, NULL);
	expect_record(&r, RECORD_CONNECTED, "MQTT");
	expect_record(&r, RECORD_READY, "");
	assert_int_equal(r.server->registry.count, 1);
	d = registry_find(&r.server->registry, MAC);
	assert_non_null(d);
	assert_true(d->mqtt);
	assert_int_equal(d->state, DEVICE_READY);
	assert_string_equal(d->client_id, DEVICE);
	assert_string_equal(d->address, "127.0.0.1");
	assert_string_equal(d->board, "bread");
	/* It comes again before the broker noticed that it went. */
	old = r.board;
	raw_mqtt_open(&r.board, r.config.mqtt_port, DEVICE, NULL, NULL);
	expect_record(&r, RECORD_READY, "");
	assert_int_equal(r.server->registry.count, 1);
	raw_close(&old);
	d = registry_find(&r.server->registry, MAC);
	mqtt_boards_kick(r.server->mqtt_boards, d);
	expect_record(&r, RECORD_GONE, "");
	assert_true(r.board.over || r.server->registry.count == 0);
	raw_close(&pub);
	rig_done(&r);
}

static void broker_dies(void **state)
{
	struct rig r;

	(void)state;
	rig_init(&r);
	raw_mqtt_open(&r.board, r.config.mqtt_port, DEVICE, NULL, NULL);
	expect_record(&r, RECORD_READY, "");
	kill(broker_pid(r.server->mqtt_boards->broker), SIGKILL);
	expect_record(&r, RECORD_BROKER,
		      "the broker is down: mosquitto was ended by signal 9");
	expect_record(&r, RECORD_BROKER, "again");
	expect_devices(&r, 0);
	raw_close(&r.board);
	raw_mqtt_open(&r.board, r.config.mqtt_port, DEVICE, NULL, NULL);
	expect_record(&r, RECORD_READY, "");
	rig_done(&r);
}

/* It runs, and answers nobody: nobody else would end it. */
static void broker_hangs(void **state)
{
	struct error why = { 0 };
	struct rig r;
	int pid;

	(void)state;
	rig_init(&r);
	expect_record(&r, RECORD_BROKER, "connected to the broker");
	pid = broker_pid(r.server->mqtt_boards->broker);
	kill(pid, SIGSTOP);
	/* What the connection says after two keepalives. */
	error_set(&why, ERR_CONNECT, "no answer to a ping");
	error_code(&why, ETIMEDOUT);
	mqtt_boards_hub_events.broker(r.server->mqtt_boards, &why);
	expect_record(&r, RECORD_BROKER, "no answer to a ping");
	expect_record(&r, RECORD_BROKER, "answered nobody any more");
	expect_record(&r, RECORD_BROKER, "again");
	assert_int_not_equal(broker_pid(r.server->mqtt_boards->broker), pid);
	expect_record(&r, RECORD_BROKER, "connected to the broker");
	rig_done(&r);
}

static void offers(void **state)
{
	struct ota_request rq = { 0 };
	struct ota_mqtt m;
	struct rig r;
	char text[64], *reached;

	(void)state;
	rig_init(&r);
	offer(&r, &m);
	snprintf(text, sizeof(text), "127.0.0.1:%u", r.config.mqtt_port);
	assert_string_equal(m.endpoint, text);
	assert_string_equal(m.client_id,
			    "GID_mcpctl@@@02_00_00_00_00_01@@@uuid");
	/* {"ip":"192.168.1.7"} */
	assert_string_equal(m.username, "eyJpcCI6IjE5Mi4xNjguMS43In0=");
	/* Other software than firmware wants these two, key or none. */
	assert_string_equal(m.password, "none");
	assert_string_equal(m.subscribe_topic, "devices/p2p/02_00_00_00_00_01");
	assert_string_equal(m.publish_topic, "device-server");
	/* What could break a topic or a client id; an address with colons. */
	snprintf(rq.device_id, sizeof(rq.device_id), "A/b+#@ \"%s", "x");
	mqtt_boards_offer(
		r.server->mqtt_boards, &rq,
		&(struct mqtt_boards_asker){ "[fe80::2]:5", "fe80::1", NULL },
		&m);
	assert_string_equal(m.client_id, "GID_mcpctl@@@a-b-----x@@@a-b-----x");
	assert_ptr_equal(strchr(m.endpoint, ':'), strrchr(m.endpoint, ':'));
	rq.device_id[0] = '\0';
	mqtt_boards_offer(
		r.server->mqtt_boards, &rq,
		&(struct mqtt_boards_asker){ "10.0.0.1:5", "h", "h:99" }, &m);
	assert_string_equal(m.client_id, "GID_mcpctl@@@unknown@@@10.0.0.1");
	reached = mqtt_boards_reached(m.username);
	assert_string_equal(reached, "h:99");
	mem_free(reached);
	/* What a client makes up is no way into an address. */
	assert_null(mqtt_boards_reached("x"));
	assert_null(mqtt_boards_reached("e30=")); /* {} */
	/* {"host":"a/b"} */
	assert_null(mqtt_boards_reached("eyJob3N0IjoiYS9iIn0="));
	/* Another's Device-Id, written otherwise, is not that of the board. */
	snprintf(rq.device_id, sizeof(rq.device_id), "02_00_00_00_00_01");
	mqtt_boards_offer(
		r.server->mqtt_boards, &rq,
		&(struct mqtt_boards_asker){ "10.0.0.1:5", "h", NULL }, &m);
	assert_false(client_id_mac(m.client_id, text));
	rig_done(&r);
}

static void key_file(void **state)
{
	struct ota_mqtt m;
	struct rig r;

	(void)state;
	rig_folder(&r);
	write_key(&r, "a key");
	rig_start(&r);
	/* Nobody would be told that it was refused. */
	expect_record(&r, RECORD_BROKER, "connected to the broker");
	raw_mqtt_open(&r.board, r.config.mqtt_port, DEVICE, "u", "p");
	expect_record(&r, RECORD_REFUSED, "user name");
	raw_close(&r.board);
	offer(&r, &m);
	raw_mqtt_open(&r.board, r.config.mqtt_port, m.client_id, m.username,
		      m.password);
	expect_record(&r, RECORD_READY, "");
	/* Both sides read the new key. */
	write_key(&r, "another key");
	mqtt_boards_reload(r.server->mqtt_boards);
	assert_int_equal(r.server->registry.count, 1);
	do {
		raw_close(&r.board);
		offer(&r, &m);
		raw_mqtt_open(&r.board, r.config.mqtt_port, m.client_id,
			      m.username, m.password);
		while (!r.board.over && r.server->registry.count != 1)
			pump(&r);
	} while (r.board.over);
	unlink(r.key);
	serve_reload(r.server);
	expect_record(&r, RECORD_RELOAD, "the key that was read before stays");
	assert_null(r.server->records.first); /* and not: "read again" */
	/* The broker reads both, or none. */
	r.server->config.mqtt_operator_file = "operator";
	serve_reload(r.server);
	expect_record(&r, RECORD_RELOAD, "so does the operator's password");
	r.server->config.mqtt_operator_file = NULL;
	write_key(&r, "a third key");
	serve_reload(r.server);
	expect_record(&r, RECORD_RELOAD, "0 aliases, the key");
	unlink(r.key);
	rig_done(&r);
}

/* Boards take what is behind the first colon for a number, and restart. */
static void advertised_with_colons(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct ota_mqtt m;
	struct rig r;

	(void)state;
	rig_folder(&r);
	r.config.advertise = "[fd00::1]:8000";
	rig_start(&r);
	expect_record(&r, RECORD_BROKER, "not told that of --advertise");
	mqtt_boards_describe(r.server->mqtt_boards, &text);
	assert_null(strstr(buf_string(&text), "fd00"));
	offer(&r, &m);
	assert_null(strstr(m.endpoint, "fd00"));
	rig_done(&r);
}

static void too_many(void **state)
{
	struct raw_mqtt other;
	struct raw_packet p;
	struct rig r;

	(void)state;
	rig_folder(&r);
	r.config.devices_max = 1;
	rig_start(&r);
	raw_mqtt_open(&r.board, r.config.mqtt_port, DEVICE, NULL, NULL);
	expect_record(&r, RECORD_READY, "");
	missing_sent(&r.server->missing, "02:00:00:00:00:02", NULL, loop_now());
	raw_mqtt_open(&other, r.config.mqtt_port,
		      "GID_test@@@02_00_00_00_00_02@@@uuid", NULL, NULL);
	expect_record(&r, RECORD_REFUSED, "limit");
	/* It came to the broker. */
	assert_true(missing_deadline(&r.server->missing) == INT64_MAX);
	while (raw_next(&other, r.loop, &p))
		;
	assert_int_equal(r.server->registry.count, 1);
	raw_close(&other);
	rig_done(&r);
}

static void foreign(void **state)
{
	struct real_broker broker = { .pid = 0 };
	struct ota_mqtt m;
	char url[64], topic[128];
	struct raw_packet p;
	struct buf text = { 0 };
	struct rig r;

	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	rig_folder(&r);
	r.config.mqtt = false;
	snprintf(url, sizeof(url), "mqtt://127.0.0.1:%u/", broker.port);
	r.config.mqtt_broker = url;
	rig_start(&r);
	expect_record(&r, RECORD_BROKER, "connected to the broker");
	mqtt_boards_describe(r.server->mqtt_boards, &text);
	url[strlen(url) - 1] = '\0';
	assert_string_equal(buf_string(&text), url);
	buf_done(&text);
	offer(&r, &m);
	assert_string_equal(m.endpoint, url + strlen("mqtt://"));
	snprintf(topic, sizeof(topic), "mcpctl/up/%s", m.client_id);
	assert_string_equal(m.publish_topic, topic);
	raw_mqtt_open(&r.board, broker.port, m.client_id, m.username, NULL);
	raw_expect_open(&r.board, r.loop);
	/* As a broker does for it that subscribes by itself. */
	raw_subscribe(&r.board, "devices/p2p/02_00_00_00_00_01");
	assert_true(raw_next(&r.board, r.loop, &p));
	r.topic = topic;
	raw_publish(&r.board, topic, "{\"type\":\"listen\"}");
	expect_record(&r, RECORD_READY, "");
	assert_non_null(registry_find(&r.server->registry, MAC));
	/* The broker goes, and its devices with it. */
	broker_kill(&broker);
	expect_record(&r, RECORD_BROKER, "no connection to the broker");
	expect_devices(&r, 0);
	rig_done(&r);
	broker_done(&broker);
}

/* A reply to nothing, or none. */
static void expect_nothing_odd(struct rig *r)
{
	struct record *rec;

	while ((rec = serve_take(r->server))) {
		if (rec->kind == RECORD_ODD)
			fail_msg("%s", rec->text);
		record_free(rec);
	}
}

/* A plain broker: what a board says is heard, and it hears nothing. */
static void foreign_deaf(void **state)
{
	struct real_broker broker = { .pid = 0 };
	struct board *d;
	char url[64];
	struct rig r;

	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	rig_folder(&r);
	r.config.mqtt = false;
	r.config.timeout = 100;
	snprintf(url, sizeof(url), "mqtt://127.0.0.1:%u", broker.port);
	r.config.mqtt_broker = url;
	rig_start(&r);
	expect_record(&r, RECORD_BROKER, "connected to the broker");
	raw_mqtt_open(&r.board, broker.port, DEVICE, NULL, NULL);
	raw_expect_open(&r.board, r.loop);
	raw_publish(&r.board, "mcpctl/up/" DEVICE,
		    "{\"type\":\"hello\",\"transport\":\"udp\","
		    "\"features\":{\"mcp\":true}}");
	expect_hint(&r, RECORD_FAILED, "'devices/p2p/{mac}' (--topic-down)");
	d = registry_find(&r.server->registry, MAC);
	assert_int_equal(d->state, DEVICE_FAILED);
	rig_done(&r);
	broker_done(&broker);
}

/* In standby a board says nothing, and no plugin tells that it is there. */
static void foreign_standby(void **state)
{
	struct real_broker broker = { .pid = 0 };
	char url[64], topic[128];
	struct raw_packet p;
	struct ota_mqtt m;
	struct board *d;
	struct rig r;

	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	rig_folder(&r);
	r.config.mqtt = false;
	snprintf(url, sizeof(url), "mqtt://127.0.0.1:%u", broker.port);
	r.config.mqtt_broker = url;
	rig_start(&r);
	expect_record(&r, RECORD_BROKER, "connected to the broker");
	offer(&r, &m);
	snprintf(topic, sizeof(topic), "mcpctl/up/%s", m.client_id);
	r.topic = topic;
	raw_mqtt_open(&r.board, broker.port, m.client_id, m.username, NULL);
	raw_expect_open(&r.board, r.loop);
	raw_subscribe(&r.board, "devices/p2p/02_00_00_00_00_01");
	expect_record(&r, RECORD_CONNECTED, "");
	expect_record(&r, RECORD_READY, "");
	expect_nothing_odd(&r);
	/* Here it cannot be thrown out; it is greeted anew. */
	d = registry_find(&r.server->registry, MAC);
	mqtt_boards_kick(r.server->mqtt_boards, d);
	board_end(d, &(struct error){ .kind = ERR_CONNECT, .text = "kick" });
	expect_record(&r, RECORD_GONE, "kick");
	expect_record(&r, RECORD_READY, "");
	/* It restarts: it has forgotten what it was told. */
	offer(&r, &m);
	expect_record(&r, RECORD_GONE, "restarted");
	expect_record(&r, RECORD_READY, "");
	/* The broker restarts, and the board asks nobody. */
	broker_kill(&broker);
	expect_record(&r, RECORD_BROKER, "no connection to the broker");
	broker_run(&broker);
	raw_close(&r.board);
	raw_mqtt_open(&r.board, broker.port, m.client_id, m.username, NULL);
	raw_expect_open(&r.board, r.loop);
	raw_subscribe(&r.board, "devices/p2p/02_00_00_00_00_01");
	while (raw_take(&r.board, &p))
		;
	expect_record(&r, RECORD_READY, "");
	expect_nothing_odd(&r);
	rig_done(&r);
	broker_done(&broker);
}

/* ---- time ---- */

/* What loop_now() is ahead of the clock, in ns. Timers of libuv know nothing of it. */
static uint64_t ahead;

/* In place of libuv's, for serve. */
uint64_t uv_hrtime(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec +
	       ahead;
}

/* A board that never answers is not asked for ever. */
static void foreign_silent(void **state)
{
	/* One of them asks OTA, and so has all that are due asked at once. */
	static const char *const others[] = { "02:00:00:00:00:02",
					      "02:00:00:00:00:03" };
	static const char *const at[] = { "devices/p2p/02_00_00_00_00_02",
					  "devices/p2p/02_00_00_00_00_03" };
	struct real_broker broker = { .pid = 0 };
	unsigned asked = 0, minutes;
	struct raw_packet p = { 0 };
	struct ota_mqtt m;
	char url[64];
	struct rig r;

	(void)state;
	if (!broker_start(&broker, "allow_anonymous true"))
		skip();
	rig_folder(&r);
	r.config.mqtt = false;
	snprintf(url, sizeof(url), "mqtt://127.0.0.1:%u", broker.port);
	r.config.mqtt_broker = url;
	rig_start(&r);
	expect_record(&r, RECORD_BROKER, "connected to the broker");
	raw_mqtt_open(&r.board, broker.port, "listener", NULL, NULL);
	raw_expect_open(&r.board, r.loop);
	raw_subscribe(&r.board, "devices/p2p/#");
	assert_true(raw_next(&r.board, r.loop, &p));
	offer(&r, &m);
	offer_as(&r, others[1], &m);
	for (minutes = 0; minutes < 40; minutes++) {
		size_t due = (minutes + 1) % COUNT(others);

		ahead += 60 * (uint64_t)1000000000;
		offer_as(&r, others[minutes % COUNT(others)], &m);
		/* In the order in which they asked first. */
		do {
			assert_true(raw_next(&r.board, r.loop, &p));
			asked += !strcmp(p.topic,
					 "devices/p2p/02_00_00_00_00_01");
		} while (strcmp(p.topic, at[due]) != 0);
	}
	assert_int_equal(asked, 28);
	rig_done(&r);
	broker_done(&broker);
}

static char hint[512]; /* of the last failure */

static void expect_failure(struct rig *r, enum error_kind kind,
			   const char *text)
{
	struct error err = { 0 };

	assert_int_equal(serve_open(&r->server, r->loop, &r->config, &err), -1);
	assert_null(r->server);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
	assert_int_equal(err.kind, kind);
	assert_string_not_equal(err.hint, "");
	snprintf(hint, sizeof(hint), "%s", err.hint);
	error_reset(&err);
}

static void failures(void **state)
{
	struct rig r;

	(void)state;
	rig_folder(&r);
	setenv("MCPCTL_MOSQUITTO", "/no/such/mosquitto", 1);
	expect_failure(&r, ERR_CONNECT, "/no/such/mosquitto");
	unsetenv("MCPCTL_MOSQUITTO");
	r.config.mqtt_key_file = "/no/such/key";
	expect_failure(&r, ERR_USAGE, "key file '/no/such/key'");
	r.config.mqtt_key_file = NULL;
	r.config.mqtt_port = 8883;
	expect_failure(&r, ERR_USAGE, "TLS");
	r.config.mqtt = false;
	r.config.mqtt_broker = "http://127.0.0.1:1/";
	expect_failure(&r, ERR_USAGE, "no URL of an MQTT broker");
	r.config.mqtt_broker = "127.0.0.1";
	expect_failure(&r, ERR_USAGE, "no URL of a broker");
	r.config.mqtt_broker = "mqtt://127.0.0.1:99999";
	expect_failure(&r, ERR_USAGE, "99999");
	r.config.mqtt_broker = "mqtt://127.0.0.1/client";
	expect_failure(&r, ERR_USAGE, "no URL of a broker");
	r.config.mqtt_broker = "mqtt://127.0.0.1";
	r.config.mqtt_password_file = "/no/such/password";
	expect_failure(&r, ERR_USAGE, "whose password");
	assert_non_null(strstr(hint, "--mqtt-broker mqtt://USER@127.0.0.1"));
	r.config.mqtt_broker = "mqtts://[::1]:8884";
	expect_failure(&r, ERR_USAGE, "whose password");
	assert_non_null(strstr(hint, "--mqtt-broker mqtts://USER@[::1]:8884"));
	r.config.mqtt_broker = "mqtt://u@127.0.0.1";
	expect_failure(&r, ERR_USAGE, "password file");
	r.config.mqtt_broker = "mqtt://u:geheim@127.0.0.1";
	expect_failure(&r, ERR_USAGE,
		       "--mqtt-broker: a password cannot be part of it");
	r.config.mqtt_broker = "mqtt://127.0.0.1";
	r.config.mqtt_password_file = NULL;
	r.config.topic_up = "devices";
	expect_failure(&r, ERR_USAGE, "does not tell devices apart");
	r.config.topic_up = "devices/+/{mac}";
	expect_failure(&r, ERR_USAGE, "no topic");
	rig_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standby),
		cmocka_unit_test(broker_dies),
		cmocka_unit_test(broker_hangs),
		cmocka_unit_test(offers),
		cmocka_unit_test(key_file),
		cmocka_unit_test(advertised_with_colons),
		cmocka_unit_test(too_many),
		cmocka_unit_test(foreign),
		cmocka_unit_test(foreign_deaf),
		cmocka_unit_test(foreign_standby),
		cmocka_unit_test(foreign_silent),
		cmocka_unit_test(failures),
	};
	struct error err = { 0 };
	char *program = broker_program(&err);

	mem_free(program);
	error_reset(&err);
	if (!program) {
		printf("test_mqtt_boards: skipped: mosquitto is not installed\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
