/* SPDX-License-Identifier: MIT */
/*
 * serve/broker and the plugin in it: the real mosquitto, real sockets. serve
 * is played by a client that shows the broker's secret.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "mqtt_harness.h"
#include "net/port.h"
#include "serve/broker.h"
#include "wire/broker_topic.h"

#define DEVICE "GID_test@@@02_00_00_00_00_01@@@uuid"
#define MAC "02:00:00:00:00:01"
/* Signatures by openssl dgst -sha256 -hmac, for the id, USER and KEY. */
#define KEY "secret key"
#define USER "eyJpcCI6IjEuMi4zLjQifQ=="
#define SIGNATURE "vhQdZbF3NJBFKXDq1DHpQR33lCaEngRoUZjwtu9+OJY="

#define OTHER "GID_b@@@02_00_00_00_00_02@@@u"
#define OTHER_SIGNATURE "9Ln8eAU3MfbXtjnsURhmRPeQTWVJW6C0SIufwBlE1Y0="

static unsigned looked_up;

/* In place of the C library's: it may wait for seconds, and not in the loop. */
int getaddrinfo(const char *host, const char *service,
		const struct addrinfo *hints, struct addrinfo **list)
{
	int (*real)(const char *, const char *, const struct addrinfo *,
		    struct addrinfo **);

	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	looked_up++;
	return real(host, service, hints, list);
}

struct rig {
	struct loop *loop;
	struct broker *broker;
	uint16_t port;
	char folder[64];
	char *key_file, *operator_file;
	unsigned ups, downs;
	bool again;
	char why[512], said[512];
	struct raw_mqtt serve, device;
};

static void on_up(void *owner, bool again)
{
	struct rig *r = owner;

	r->ups++;
	r->again = again;
}

static void on_down(void *owner, const struct error *why, int64_t again_ms)
{
	struct rig *r = owner;

	assert_in_range(again_ms, 100, 10000);
	snprintf(r->why, sizeof(r->why), "%s", why->text);
	r->downs++;
}

static void on_said(void *owner, bool bad, const char *line)
{
	struct rig *r = owner;

	if (bad)
		snprintf(r->said, sizeof(r->said), "%s", line);
}

static const struct broker_events events = { on_up, on_down, on_said };

static bool mosquitto_is_here(void)
{
	struct error err = { 0 };
	char *program = broker_program(&err);

	mem_free(program);
	error_reset(&err);
	return program != NULL;
}

static void write_key(struct rig *r, const char *key)
{
	FILE *f;

	mem_free(r->key_file);
	r->key_file = mem_printf("%s/key", r->folder);
	f = fopen(r->key_file, "we");
	assert_non_null(f);
	fprintf(f, "%s\n", key);
	fclose(f);
}

static void rig_folder(struct rig *r)
{
	*r = (struct rig){ .serve.fd = -1, .device.fd = -1 };
	snprintf(r->folder, sizeof(r->folder), "/tmp/mcpctl-test.XXXXXX");
	assert_non_null(mkdtemp(r->folder));
	assert_int_equal(loop_new(&r->loop, NULL), 0);
	r->port = free_port();
}

static void rig_start(struct rig *r)
{
	struct broker_config config = { .host = "127.0.0.1",
					.port = r->port,
					.near = r->folder,
					.key_file = r->key_file,
					.operator_file = r->operator_file,
					.message_max = 1 << 20 };
	struct error err = { 0 };

	if (broker_open(&r->broker, r->loop, &config, &events, r, &err))
		fail_msg("%s\n%s", err.text, err.detail ? err.detail : "");
	assert_true(broker_pid(r->broker) > 1);
	assert_string_not_equal(broker_version(r->broker), "");
	assert_int_equal(r->ups, 0);
}

static void serve_joins(struct rig *r)
{
	raw_mqtt_open(&r->serve, r->port, BROKER_CLIENT_ID, "serve",
		      broker_secret(r->broker));
	raw_expect_open(&r->serve, r->loop);
}

static void rig_init(struct rig *r)
{
	rig_folder(r);
	rig_start(r);
	serve_joins(r);
}

static void set_flag(void *owner)
{
	*(bool *)owner = true;
}

static void rig_done(struct rig *r)
{
	bool closed = false;
	int pid = r->broker ? broker_pid(r->broker) : 0;

	raw_close(&r->serve);
	raw_close(&r->device);
	if (r->broker) {
		broker_close(r->broker, set_flag, &closed);
		assert_false(closed);
		assert_int_equal(loop_wait(r->loop, &closed,
					   loop_now() + MQTT_DEADLINE_MS, NULL),
				 0);
	}
	if (pid)
		assert_int_equal(kill(pid, 0), -1);
	loop_free(r->loop);
	if (r->key_file)
		unlink(r->key_file);
	mem_free(r->key_file);
	if (r->operator_file)
		unlink(r->operator_file);
	mem_free(r->operator_file);
	/* Nothing of the broker's was left in it. */
	assert_int_equal(rmdir(r->folder), 0);
}

static void wait_until(struct rig *r, const unsigned *count, unsigned value)
{
	int64_t until = loop_now() + MQTT_DEADLINE_MS;

	while (*count < value) {
		assert_true(loop_now() < until);
		loop_poll(r->loop);
		usleep(1000);
	}
}

/* The next message to serve: what and whose. */
static void expect_told(struct rig *r, enum broker_topic kind, const char *id,
			struct raw_packet *p)
{
	struct buf who = { 0 };

	assert_true(raw_next(&r->serve, r->loop, p));
	assert_int_equal(p->type, 3);
	assert_int_equal(broker_topic_decode(p->topic, &who), kind);
	assert_string_equal(buf_string(&who), id);
	buf_done(&who);
}

static int64_t number_of(const struct raw_packet *p)
{
	cJSON *json = json_parse(p->payload, p->len, NULL);
	int64_t n = 0;

	assert_non_null(json);
	assert_int_equal(json_integer(json, "n", &n), 0);
	json_free_ptr(&json);
	return n;
}

static void device_joins(struct rig *r)
{
	struct raw_packet p;

	raw_mqtt_open(&r->device, r->port, DEVICE, NULL, NULL);
	raw_expect_open(&r->device, r->loop);
	expect_told(r, BROKER_JOINED, DEVICE, &p);
}

static void send_to(struct rig *r, enum broker_topic kind, const char *id,
		    const char *text)
{
	struct buf topic = { 0 };

	broker_topic_encode(&topic, kind, id);
	raw_publish(&r->serve, buf_string(&topic), text);
	buf_done(&topic);
}

/* The heart of it: a device that never subscribes is sent to by its id. */
static void down_and_up(void **state)
{
	struct raw_packet p;
	struct rig r;

	(void)state;
	rig_init(&r);
	raw_mqtt_open(&r.device, r.port, DEVICE, USER, NULL);
	/* Sent as soon as it is told of, before the device looked. */
	expect_told(&r, BROKER_JOINED, DEVICE, &p);
	assert_non_null(strstr(p.payload, "\"address\":\"127.0.0.1\""));
	assert_non_null(strstr(p.payload, "\"user\":\"" USER "\""));
	assert_true(number_of(&p) > 0);
	send_to(&r, BROKER_DOWN, DEVICE, "{\"first\":1}");
	raw_expect_open(&r.device, r.loop);
	assert_true(raw_next(&r.device, r.loop, &p));
	assert_int_equal(p.type, 3);
	assert_string_equal(p.topic, "devices/p2p/02_00_00_00_00_01");
	assert_string_equal(p.payload, "{\"first\":1}");

	raw_publish(&r.device, "device-server", "{\"type\":\"mcp\"}");
	expect_told(&r, BROKER_UP, DEVICE, &p);
	assert_string_equal(p.payload, "{\"type\":\"mcp\"}");
	/* Not JSON, and empty: a device's all the same. */
	raw_publish(&r.device, "device-server", "");
	expect_told(&r, BROKER_UP, DEVICE, &p);
	assert_int_equal(p.len, 0);

	send_to(&r, BROKER_DOWN, "nobody", "x");
	send_to(&r, BROKER_KICK, "nobody", "");
	send_to(&r, BROKER_KICK, BROKER_CLIENT_ID, "");
	raw_expect_quiet(&r.device, r.loop);
	send_to(&r, BROKER_KICK, DEVICE, "");
	expect_told(&r, BROKER_LEFT, DEVICE, &p);
	assert_false(raw_next(&r.device, r.loop, &p));
	rig_done(&r);
}

/* What has the secret in it is for nobody else. */
static void private_files(void **state)
{
	static const char *const names[] = { "", "/secret", "/mosquitto.conf" };
	char *path, *folder = NULL;
	struct dirent *entry;
	struct stat st;
	struct rig r;
	size_t i;
	DIR *dir;

	(void)state;
	rig_folder(&r);
	rig_start(&r);
	dir = opendir(r.folder);
	while ((entry = readdir(dir))) {
		if (strstr(entry->d_name, "broker."))
			folder = mem_printf("%s/%s", r.folder, entry->d_name);
	}
	closedir(dir);
	assert_non_null(folder);
	for (i = 0; i < COUNT(names); i++) {
		path = mem_printf("%s%s", folder, names[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, i ? 0600 : 0700);
		mem_free(path);
	}
	mem_free(folder);
	rig_done(&r);
}

static void many_down(void **state)
{
	struct raw_packet p;
	char text[16];
	struct rig r;
	int i;

	(void)state;
	rig_init(&r);
	device_joins(&r);
	for (i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "%d", i);
		send_to(&r, BROKER_DOWN, DEVICE, text);
	}
	for (i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_true(raw_next(&r.device, r.loop, &p));
		assert_string_equal(p.payload, text);
	}
	rig_done(&r);
}

/* A device that comes again before mosquitto noticed that it had gone. */
static void taken_over(void **state)
{
	struct raw_mqtt again;
	struct raw_packet p;
	int64_t first, second;
	struct rig r;

	(void)state;
	rig_init(&r);
	raw_mqtt_open(&r.device, r.port, DEVICE, NULL, NULL);
	expect_told(&r, BROKER_JOINED, DEVICE, &p);
	first = number_of(&p);
	raw_mqtt_open(&again, r.port, DEVICE, NULL, NULL);
	expect_told(&r, BROKER_JOINED, DEVICE, &p);
	second = number_of(&p);
	assert_true(second > first);
	send_to(&r, BROKER_DOWN, DEVICE, "to the new one");
	raw_expect_open(&again, r.loop);
	assert_true(raw_next(&again, r.loop, &p));
	assert_string_equal(p.payload, "to the new one");
	/* No left in between. */
	raw_publish(&again, "device-server", "{}");
	expect_told(&r, BROKER_UP, DEVICE, &p);
	raw_close(&again);
	expect_told(&r, BROKER_LEFT, DEVICE, &p);
	assert_int_equal(number_of(&p), second);
	raw_expect_quiet(&r.serve, r.loop);
	rig_done(&r);
}

static void told_again(void **state)
{
	struct raw_packet p;
	int64_t first;
	struct rig r;

	(void)state;
	rig_folder(&r);
	rig_start(&r);
	/* It was there before serve was. */
	raw_mqtt_open(&r.device, r.port, DEVICE, NULL, NULL);
	raw_expect_open(&r.device, r.loop);
	serve_joins(&r);
	expect_told(&r, BROKER_JOINED, DEVICE, &p);
	first = number_of(&p);
	raw_close(&r.serve);
	serve_joins(&r);
	expect_told(&r, BROKER_JOINED, DEVICE, &p);
	assert_int_equal(number_of(&p), first);
	raw_close(&r.device);
	expect_told(&r, BROKER_LEFT, DEVICE, &p);
	raw_close(&r.serve);
	serve_joins(&r);
	raw_expect_quiet(&r.serve, r.loop);
	rig_done(&r);
}

static void expect_suback(struct rig *r, struct raw_mqtt *m, const char *filter,
			  int code)
{
	struct raw_packet p = { 0 };

	raw_subscribe(m, filter);
	assert_true(raw_next(m, r->loop, &p));
	assert_int_equal(p.type, 9);
	if (p.code != code)
		fail_msg("%s: %d", filter, p.code);
}

/* What it may not do is told once, with what was tried. */
static void expect_denied(struct rig *r, const char *id, const char *what)
{
	struct raw_packet p;

	expect_told(r, BROKER_REFUSED, id, &p);
	if (!strstr(p.payload, what))
		fail_msg("'%s' is not in %s", what, p.payload);
}

#define OWN_TOPIC "devices/p2p/02_00_00_00_00_01"

/* A device is alone with its topics: it hears no other, and plays none. */
static void own_topics(void **state)
{
	static const char *const filters[] = {
		"#",
		"+",
		"mcpctl/#",
		("mcpctl/up/" DEVICE),
		"device-server",
		"devices/p2p/#",
		"devices/p2p/+",
		"devices/p2p/02_00_00_00_00_02",
		"devices/p2p/02_00_00_00_00_01/#",
		"$SYS/#",
		"$share/x/device-server",
		"$share/x/#"
	};
	struct raw_mqtt other;
	struct raw_packet p;
	struct rig r;

	(void)state;
	rig_init(&r);
	device_joins(&r);
	raw_mqtt_open(&other, r.port, OTHER, NULL, NULL);
	raw_expect_open(&other, r.loop);
	expect_told(&r, BROKER_JOINED, OTHER, &p);
	for (size_t i = 0; i < COUNT(filters); i++)
		expect_suback(&r, &r.device, filters[i], 0x80);
	expect_denied(&r, DEVICE, "may not subscribe to '#'");
	expect_suback(&r, &r.device, OWN_TOPIC, 0);
	expect_suback(&r, &other, "device-server", 0x80);
	expect_denied(&r, OTHER, "may not subscribe to 'device-server'");
	/* What the other says, and what it is told, is not for it. */
	raw_publish(&other, "device-server", "{\"type\":\"a\"}");
	expect_told(&r, BROKER_UP, OTHER, &p);
	send_to(&r, BROKER_DOWN, OTHER, "for the other");
	assert_true(raw_next(&other, r.loop, &p));
	raw_expect_quiet(&r.device, r.loop);
	/* Nor can it speak to the other, to itself, or as serve. */
	raw_publish(&other, OWN_TOPIC, "{\"type\":\"mcp\"}");
	raw_publish(&other, "mcpctl/down/" DEVICE, "forged");
	raw_publish(&other, "mcpctl/kick/" DEVICE, "");
	raw_publish(&other, "mcpctl/left/" DEVICE, "{}");
	raw_publish(&other, "elsewhere", "{\"type\":\"a\"}");
	raw_expect_quiet(&r.device, r.loop);
	raw_expect_quiet(&r.serve, r.loop);
	/* And serve reaches it, subscribed or not, once. */
	send_to(&r, BROKER_DOWN, DEVICE, "down");
	assert_true(raw_next(&r.device, r.loop, &p));
	assert_string_equal(p.payload, "down");
	raw_expect_quiet(&r.device, r.loop);
	raw_close(&other);
	rig_done(&r);
}

static void write_operator(struct rig *r, const char *password)
{
	FILE *f;

	mem_free(r->operator_file);
	r->operator_file = mem_printf("%s/operator", r->folder);
	f = fopen(r->operator_file, "we");
	assert_non_null(f);
	fprintf(f, "%s\n", password);
	fclose(f);
}

/* Who looks at everything needs a password for it, with a key and without. */
static void looks_at_all(struct rig *r)
{
	struct raw_mqtt operator, guess;
	struct raw_packet p;

	raw_mqtt_open(&operator, r->port, "any", "operator", "pass word");
	raw_expect_open(&operator, r->loop);
	expect_suback(r, &operator, "#", 0);
	expect_suback(r, &operator, "mcpctl/#", 0x80);
	raw_mqtt_open(&r->device, r->port, DEVICE, USER, SIGNATURE);
	raw_expect_open(&r->device, r->loop);
	expect_told(r, BROKER_JOINED, DEVICE, &p);
	raw_publish(&r->device, "device-server", "{\"type\":\"a\"}");
	expect_told(r, BROKER_UP, DEVICE, &p);
	assert_true(raw_next(&operator, r->loop, &p));
	assert_string_equal(p.topic, "device-server");
	/* It is no device, whatever it says; and it cannot play serve. */
	raw_publish(&operator, "device-server", "{\"type\":\"b\"}");
	assert_true(raw_next(&operator, r->loop, &p));
	assert_string_equal(p.payload, "{\"type\":\"b\"}");
	raw_publish(&operator, "mcpctl/kick/" DEVICE, "");
	raw_expect_quiet(&r->device, r->loop);
	raw_expect_quiet(&r->serve, r->loop);
	raw_mqtt_open(&guess, r->port, "any2", "operator", "pass");
	assert_true(raw_next(&guess, r->loop, &p));
	assert_int_equal(p.code, 5);
	expect_told(r, BROKER_REFUSED, "any2", &p);
	assert_non_null(strstr(p.payload, "--mqtt-operator-file"));
	raw_close(&guess);
	raw_close(&operator);
}

static void operator_looks(void **state)
{
	struct rig r;

	(void)state;
	rig_folder(&r);
	write_operator(&r, "pass word");
	rig_start(&r);
	serve_joins(&r);
	looks_at_all(&r);
	rig_done(&r);
	rig_folder(&r);
	write_operator(&r, "pass word");
	write_key(&r, KEY);
	rig_start(&r);
	serve_joins(&r);
	looks_at_all(&r);
	rig_done(&r);
}

static void foreign_clients(void **state)
{
	struct raw_mqtt listener, other;
	struct raw_packet p;
	struct rig r;

	(void)state;
	rig_init(&r);
	raw_mqtt_open(&listener, r.port, "listener", "operator", "x");
	raw_expect_open(&listener, r.loop);
	expect_suback(&r, &listener, "mcpctl/#", 0x80);
	/* Where there is no operator, nobody listens in by that name. */
	expect_suback(&r, &listener, "#", 0x80);
	expect_denied(&r, "listener", "may not subscribe to '#'");
	device_joins(&r);
	raw_publish(&r.device, "device-server", "{\"type\":\"a\"}");
	send_to(&r, BROKER_DOWN, DEVICE, "down");
	assert_true(raw_next(&r.device, r.loop, &p));
	raw_expect_quiet(&listener, r.loop);
	expect_told(&r, BROKER_UP, DEVICE, &p);

	/* It cannot play serve, nor send by id. */
	raw_publish(&listener, "mcpctl/down/" DEVICE, "forged");
	raw_publish(&listener, "mcpctl/kick/" DEVICE, "");
	raw_publish(&listener, "mcpctl/left/" DEVICE, "{}");
	raw_expect_quiet(&listener, r.loop);
	raw_expect_quiet(&r.device, r.loop);
	raw_mqtt_open(&other, r.port, BROKER_CLIENT_ID, "serve", "guess");
	assert_true(raw_next(&other, r.loop, &p));
	assert_int_equal(p.code, 5);
	raw_close(&other);
	expect_told(&r, BROKER_REFUSED, BROKER_CLIENT_ID, &p);
	raw_expect_quiet(&r.serve, r.loop);
	raw_close(&listener);
	rig_done(&r);
}

/* Who is a device by what it does: mosquitto_pub and _sub are none. */
static void what_is_a_device(void **state)
{
	struct raw_mqtt pub, sub, talker, silent;
	struct raw_packet p;
	struct rig r;

	(void)state;
	rig_init(&r);
	raw_mqtt_open(&pub, r.port, "pub", NULL, NULL);
	raw_expect_open(&pub, r.loop);
	raw_publish(&pub, "sensor", "{\"temperature\":20}");
	raw_publish(&pub, "sensor", "[{\"type\":1}]");
	raw_publish(&pub, "sensor", "{\"type\":1");
	expect_denied(&r, "pub", "may not publish to 'sensor'");
	raw_publish(&pub, "device-server", "{\"temperature\":20}");
	raw_mqtt_open(&sub, r.port, "sub", NULL, NULL);
	raw_expect_open(&sub, r.loop);
	raw_subscribe(&sub, "sensor/+");
	expect_denied(&r, "sub", "may not subscribe to 'sensor/+'");
	raw_mqtt_open(&talker, r.port, "a/b c", NULL, NULL);
	raw_expect_open(&talker, r.loop);
	raw_publish(&talker, "device-server", "{\"a\":{},\"type\":\"hello\"}");
	expect_told(&r, BROKER_JOINED, "a/b c", &p);
	expect_told(&r, BROKER_UP, "a/b c", &p);
	raw_mqtt_open(&silent, r.port, "silent", NULL, NULL);
	raw_expect_open(&silent, r.loop);
	/* After two seconds; the others of before are not told of. */
	expect_told(&r, BROKER_JOINED, "silent", &p);
	send_to(&r, BROKER_DOWN, "silent", "hello");
	assert_true(raw_next(&silent, r.loop, &p));
	assert_string_equal(p.topic, "devices/p2p/client");
	raw_close(&pub);
	raw_close(&sub);
	raw_close(&silent);
	expect_told(&r, BROKER_LEFT, "silent", &p);
	raw_close(&talker);
	expect_told(&r, BROKER_LEFT, "a/b c", &p);
	raw_expect_quiet(&r.serve, r.loop);
	rig_done(&r);
}

static void expect_refused(struct rig *r, const char *id, const char *user,
			   const char *password, const char *why)
{
	struct raw_mqtt m;
	struct raw_packet p;

	raw_mqtt_open(&m, r->port, id, user, password);
	assert_true(raw_next(&m, r->loop, &p));
	assert_int_equal(p.type, 2);
	assert_int_equal(p.code, 5);
	expect_told(r, BROKER_REFUSED, id, &p);
	if (!strstr(p.payload, why))
		fail_msg("'%s' is not in %s", why, p.payload);
	assert_non_null(strstr(p.payload, "127.0.0.1"));
	raw_close(&m);
}

static void keys(void **state)
{
	struct raw_mqtt other;
	struct raw_packet p;
	struct rig r;

	(void)state;
	rig_folder(&r);
	write_key(&r, KEY);
	rig_start(&r);
	serve_joins(&r);
	expect_refused(&r, "board", USER, SIGNATURE, "client id");
	expect_refused(&r, DEVICE, NULL, NULL, "user name");
	expect_refused(&r, DEVICE, "e30", "x", "signature");
	expect_refused(&r, DEVICE, "W10=", SIGNATURE, "user name");
	expect_refused(&r, DEVICE, "joe", SIGNATURE, "user name");
	expect_refused(&r, DEVICE, USER, NULL, "no password");
	expect_refused(&r, DEVICE, USER, "", "no password");
	expect_refused(&r, DEVICE "2", USER, SIGNATURE, "signature");
	raw_mqtt_open(&r.device, r.port, DEVICE, USER, SIGNATURE);
	raw_expect_open(&r.device, r.loop);
	expect_told(&r, BROKER_JOINED, DEVICE, &p);

	/* Another key: who is connected stays, who comes needs the new one. */
	write_key(&r, "another key");
	broker_reload(r.broker);
	raw_close(&r.serve);
	do {
		raw_mqtt_open(&other, r.port, OTHER, USER, OTHER_SIGNATURE);
		assert_true(raw_next(&other, r.loop, &p));
		raw_close(&other);
	} while (p.code != 5);
	raw_expect_quiet(&r.device, r.loop);
	serve_joins(&r);
	expect_told(&r, BROKER_JOINED, DEVICE, &p);
	expect_refused(&r, DEVICE, USER, SIGNATURE, "signature");
	/* A key file that went: the key that was read stays. */
	unlink(r.key_file);
	broker_reload(r.broker);
	while (!strstr(r.said, "cannot read the key file")) {
		loop_poll(r.loop);
		usleep(1000);
	}
	raw_expect_quiet(&r.device, r.loop);
	expect_refused(&r, DEVICE, USER, SIGNATURE, "signature");
	rig_done(&r);
}

static void started_again(void **state)
{
	struct rig r;
	int pid;

	(void)state;
	rig_init(&r);
	device_joins(&r);
	pid = broker_pid(r.broker);
	kill(pid, SIGKILL);
	wait_until(&r, &r.downs, 1);
	assert_string_equal(r.why, "mosquitto was ended by signal 9");
	wait_until(&r, &r.ups, 1);
	assert_true(r.again);
	assert_int_not_equal(broker_pid(r.broker), pid);
	raw_close(&r.serve);
	raw_close(&r.device);
	/* With the same secret. */
	serve_joins(&r);
	device_joins(&r);
	kill(broker_pid(r.broker), SIGKILL);
	wait_until(&r, &r.downs, 2);
	/* Closing while it waits is fine. */
	rig_done(&r);
}

/* Its port was taken while it was down: by whom is told, and no name is looked up. */
static void port_taken_meanwhile(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int on = 1;
	unsigned before;
	char text[64];
	struct rig r;
	int fd;

	(void)state;
	rig_init(&r);
	before = looked_up;
	assert_true(before > 0);
	kill(broker_pid(r.broker), SIGKILL);
	wait_until(&r, &r.downs, 1);
	at.sin_port = htons(r.port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	wait_until(&r, &r.downs, 2);
	snprintf(text, sizeof(text), "port %u, for MQTT, is in use by '",
		 r.port);
	assert_non_null(strstr(r.why, text));
	assert_int_equal(looked_up, before);
	close(fd);
	rig_done(&r);
}

/* Why it threw a client out is told; who comes and goes is not, here. */
static void thrown_out(void **state)
{
	struct raw_packet p;
	struct rig r;

	(void)state;
	rig_init(&r);
	device_joins(&r);
	assert_string_equal(r.said, "");
	/* PUBLISH, 2 MB: it is not waited for. */
	assert_int_equal(send(r.device.fd, "\x30\xff\xff\x7f", 4, 0), 4);
	while (raw_next(&r.device, r.loop, &p))
		;
	while (!strstr(r.said, "disconnected due to oversize packet"))
		loop_poll(r.loop);
	assert_non_null(strstr(r.said, DEVICE));
	/* That is not why it ends, when somebody ends it. */
	kill(broker_pid(r.broker), SIGTERM);
	wait_until(&r, &r.downs, 1);
	assert_string_equal(r.why, "mosquitto ended with status 0");
	rig_done(&r);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* serve and its broker were killed at once: nobody was left to tidy up. */
static void left_over(void **state)
{
	static const char *const rows[] = {
		"plugin_opt_parent_pid 2000000000\n", /* nobody's */
		"plugin_opt_parent_pid 1\n",
		"listener 1\n",
	};
	char folder[3][128], file[3][160];
	struct rig r;

	(void)state;
	rig_folder(&r);
	for (size_t i = 0; i < COUNT(rows); i++) {
		FILE *f;

		snprintf(folder[i], sizeof(folder[i]), "%s/broker.%zu",
			 r.folder, i);
		snprintf(file[i], sizeof(file[i]), "%s/mosquitto.conf",
			 folder[i]);
		assert_int_equal(mkdir(folder[i], 0700), 0);
		f = fopen(file[i], "we");
		assert_non_null(f);
		fprintf(f, "# made\n%s", rows[i]);
		fclose(f);
	}
	rig_start(&r);
	assert_false(exists(folder[0]));
	for (size_t i = 1; i < COUNT(rows); i++) {
		assert_true(exists(file[i]));
		unlink(file[i]);
		rmdir(folder[i]);
	}
	rig_done(&r);
}

static void port_in_use(void **state)
{
	struct broker_config config = { .port = 0, .message_max = 1 << 20 };
	struct sockaddr_in at = { .sin_family = AF_INET };
	struct error err = { 0 };
	struct broker *b;
	char text[64];
	struct rig r;
	int fd;

	(void)state;
	rig_folder(&r);
	config.port = r.port;
	at.sin_port = htons(r.port);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(broker_open(&b, r.loop, &config, &events, &r, &err),
			 -1);
	assert_null(b);
	assert_int_equal(err.kind, ERR_CONNECT);
	snprintf(text, sizeof(text), "port %u, for MQTT, is in use by '",
		 r.port);
	assert_non_null(strstr(err.text, text));
	assert_non_null(strstr(err.hint, "--mqtt=PORT"));
	error_reset(&err);
	close(fd);
	rig_done(&r);
}

static void not_installed(void **state)
{
	struct broker_config config = { .message_max = 1 << 20 };
	struct error err = { 0 };
	struct broker *b;
	struct rig r;

	(void)state;
	rig_folder(&r);
	config.port = r.port;
	config.near = r.folder;
	setenv("MCPCTL_MOSQUITTO", "/no/such/mosquitto", 1);
	assert_int_equal(broker_open(&b, r.loop, &config, &events, &r, &err),
			 -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	error_reset(&err);
	/* A program that is no broker: what it said is in the detail. */
	setenv("MCPCTL_MOSQUITTO", "/bin/cat", 1);
	assert_int_equal(broker_open(&b, r.loop, &config, &events, &r, &err),
			 -1);
	assert_non_null(strstr(err.text, "mosquitto ended: "));
	assert_non_null(err.detail);
	error_reset(&err);
	unsetenv("MCPCTL_MOSQUITTO");
	rig_done(&r);
}

/* Plays serve until it is killed; tells the broker's process id. */
static void be_serve(struct rig *r, int out)
{
	struct broker_config config = { .host = "127.0.0.1",
					.port = r->port,
					.near = r->folder,
					.message_max = 1 << 20 };
	struct broker *b;
	bool never = false;
	int pid;

	if (loop_new(&r->loop, NULL) ||
	    broker_open(&b, r->loop, &config, &events, r, NULL))
		_exit(1);
	pid = broker_pid(b);
	if (write(out, &pid, sizeof(pid)) != sizeof(pid))
		_exit(2);
	loop_wait(r->loop, &never, LOOP_FOREVER, NULL);
	_exit(3);
}

/* serve is killed: the broker ends by itself, and takes its files with it. */
static void orphan(void **state)
{
	int ends[2], pid = 0, status;
	struct rig r;
	pid_t serve;

	(void)state;
	rig_folder(&r);
	loop_free(r.loop);
	assert_int_equal(pipe(ends), 0);
	serve = fork();
	if (!serve)
		be_serve(&r, ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	close(ends[0]);
	kill(serve, SIGKILL);
	waitpid(serve, &status, 0);
	/* The next serve may come before that broker has ended. */
	assert_int_equal(loop_new(&r.loop, NULL), 0);
	rig_start(&r);
	serve_joins(&r);
	rig_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(down_and_up),
		cmocka_unit_test(private_files),
		cmocka_unit_test(many_down),
		cmocka_unit_test(taken_over),
		cmocka_unit_test(told_again),
		cmocka_unit_test(foreign_clients),
		cmocka_unit_test(own_topics),
		cmocka_unit_test(operator_looks),
		cmocka_unit_test(what_is_a_device),
		cmocka_unit_test(keys),
		cmocka_unit_test(started_again),
		cmocka_unit_test(port_taken_meanwhile),
		cmocka_unit_test(thrown_out),
		cmocka_unit_test(left_over),
		cmocka_unit_test(port_in_use),
		cmocka_unit_test(not_installed),
		cmocka_unit_test(orphan),
	};

	if (!mosquitto_is_here()) {
		printf("test_broker: skipped: mosquitto is not installed\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
