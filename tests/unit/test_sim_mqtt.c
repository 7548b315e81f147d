/* SPDX-License-Identifier: MIT */
/*
 * Simulated devices at a real broker. The backend is a client of the mqtt
 * module in the same loop, a script of what it waits for and says.
 */
#include "sim_harness.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/module.h"
#include "free_port.h"
#include "http_child.h"
#include "mcp/opening.h"
#include "net/head.h"
#include "net/mqtt.h"
#include "sim/fleet.h"
#include "sim/pretend_loop.h"
#include "sim/sim.h"
#include "skip_for.h"

#define MOSQUITTO "/usr/sbin/mosquitto"
#define PATIENCE 60000
#define DOWN "devices/p2p/02_00_00_00_00_01"
#define KEY "00112233445566778899aabbccddeeff"
#define NONCE "01000000a1b2c3d40000000000000000"
#define HELLO                                                          \
	"{\"type\":\"hello\",\"version\":3,\"transport\":\"udp\","     \
	"\"features\":{\"mcp\":true,\"glyph_push\":false},"            \
	"\"audio_params\":{\"format\":\"opus\",\"sample_rate\":16000," \
	"\"channels\":1,\"frame_duration\":60}}"
#define UDP(port)                                                   \
	"{\"type\":\"hello\",\"transport\":\"udp\",\"session_id\":" \
	"\"S\",\"udp\":{\"server\":\"127.0.0.1\",\"port\":" port    \
	",\"key\":\"" KEY "\",\"nonce\":\"" NONCE                   \
	"\",\"encryption\":\"aes-128-ctr\"}}"
#define LISTEN                                                           \
	"{\"session_id\":\"S\",\"type\":\"listen\",\"state\":\"start\"," \
	"\"mode\":\"auto\"}"
#define MCP(session, payload)        \
	"{\"session_id\":\"" session \
	"\",\"type\":\"mcp\",\"payload\":" payload "}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"
#define PONG                                        \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{" \
	"\"message\":\"Method not implemented: ping\"}}"
#define REBOOT "{\"type\":\"system\",\"command\":\"reboot\"}"

/* One step: wait for this message, then say those. */
struct step {
	/*
	 * Literally. NULL as the first: say it again and again until something
	 * comes, for nobody tells when the device has subscribed. NULL: the end.
	 */
	const char *wait;
	const char *say[4]; /* to down */
};

/* The broker, and the backend at it. */
struct scene {
	struct loop *loop;
	pid_t broker;
	uint16_t port;
	const struct mqtt_table *table;
	struct mqtt_client *client;
	bool joined, marked, gone; /* the backend */
	const char *down; /* NULL: DOWN */
	const struct step *step; /* the next; ends with wait NULL */
	struct timer knock; /* a first step without wait */
	bool knocking, timer_gone;
	size_t messages; /* that came from the device */
	struct buf said; /* all of them, a line each */
	/* Ends the broker, and so the run, when what was said before is through. */
	bool kill_at_end; /* of the script */
	bool kill_connected; /* when the device is connected */
	bool dying;
	/* the UDP server */
	uv_udp_t udp;
	bool udp_open, udp_gone;
	uint16_t udp_port;
	unsigned packets;
	/* what sim_run saw */
	int status;
	struct sim_summary sum;
	struct error err;
	struct buf lines;
};

static void start_broker(struct scene *s)
{
	char port[8];

	s->port = free_port();
	snprintf(port, sizeof(port), "%u", (unsigned)s->port);
	s->broker = fork();
	if (s->broker)
		return;
	alarm(120);
	if (!freopen("/dev/null", "w", stderr))
		_exit(126);
	execl(MOSQUITTO, "mosquitto", "-p", port, (char *)NULL);
	_exit(127);
}

static void wait_for(struct scene *s, const bool *done)
{
	assert_int_equal(loop_wait(s->loop, done, loop_now() + PATIENCE, NULL),
			 0);
}

static void say(struct scene *s, const char *text)
{
	/* A server hello names the port of the UDP server. */
	char *port = strstr(text, "PORT");
	char *filled = port ? mem_printf("%.*s%u%s", (int)(port - text), text,
					 (unsigned)s->udp_port, port + 4) :
			      mem_strdup(text);

	assert_int_equal(s->table->publish(s->client, s->down ? s->down : DOWN,
					   filled, strlen(filled), NULL),
			 0);
	mem_free(filled);
}

/* The mark comes back behind everything that was said before it. */
static void end_broker(struct scene *s)
{
	s->dying = true;
	s->table->publish(s->client, "mark", "", 0, NULL);
}

static void play(struct scene *s)
{
	size_t i;

	for (i = 0; i < COUNT(s->step->say) && s->step->say[i]; i++)
		say(s, s->step->say[i]);
	s->step++;
	if (!s->step->wait && s->kill_at_end)
		end_broker(s);
}

static void on_connected(void *owner)
{
	struct scene *s = owner;

	s->joined = true;
}

static void on_message(void *owner, const char *topic, const void *data,
		       size_t len)
{
	struct scene *s = owner;
	char *text = mem_strndup(data, len);

	if (!strcmp(topic, "mark")) {
		s->marked = true;
		if (s->dying)
			kill(s->broker, SIGTERM);
	} else {
		s->messages++;
		buf_printf(&s->said, "%s\n", text);
		if (s->knocking) {
			s->knocking = false;
			s->step++;
		}
		if (s->step->wait && !strcmp(text, s->step->wait))
			play(s);
	}
	mem_free(text);
}

static void on_lost(void *owner, const struct error *why)
{
	(void)owner;
	(void)why;
}

static const struct mqtt_client_events client_events = {
	.connected = on_connected,
	.message = on_message,
	.lost = on_lost,
};

/* Connected, subscribed, and both known to have worked. */
static void join(struct scene *s)
{
	const struct mqtt_options o = { .host = "127.0.0.1",
					.port = s->port,
					.client_id = "backend",
					.reconnect = true };
	int tries;

	s->table = module_table("mqtt", MQTT_TABLE, &s->err);
	if (!s->table)
		print_error("%s\n", s->err.text);
	assert_non_null(s->table);
	s->client = s->table->client_open(s->loop, &o, &client_events, s, NULL);
	assert_non_null(s->client);
	wait_for(s, &s->joined);
	assert_int_equal(s->table->subscribe(s->client, "up/#", NULL), 0);
	assert_int_equal(s->table->subscribe(s->client, "device-server", NULL),
			 0);
	assert_int_equal(s->table->subscribe(s->client, "mark", NULL), 0);
	for (tries = 0; !s->marked && tries < 1200; tries++) {
		s->table->publish(s->client, "mark", "", 0, NULL);
		loop_wait(s->loop, &s->marked, loop_now() + 50, NULL);
	}
	assert_true(s->marked);
}

static void on_knock(void *owner)
{
	struct scene *s = owner;

	if (!s->knocking)
		return;
	say(s, s->step->say[0]);
	timer_start(&s->knock, 50);
}

static void start(struct scene *s, const struct step *steps)
{
	memset(s, 0, sizeof(*s));
	if (access(MOSQUITTO, X_OK))
		skip_for("mosquitto is not installed");
	start_broker(s);
	assert_int_equal(loop_new(&s->loop, NULL), 0);
	s->step = steps;
	join(s);
	s->knocking = !steps->wait && steps->say[0];
	timer_open(&s->knock, s->loop, on_knock, s);
	timer_start(&s->knock, 50);
}

static void keep_line(void *owner, uint64_t device, const char *text)
{
	struct scene *s = owner;

	buf_printf(&s->lines, "%d %s\n", (int)device, text);
	if (s->kill_connected && strstr(text, "connected as"))
		end_broker(s);
}

/* path: behind the address of the broker; NULL: as o has it. */
static void run(struct scene *s, struct sim_options *o, const char *path)
{
	const struct sim_observer observer = { .line = keep_line, .owner = s };
	char *url = mem_printf("mqtt://127.0.0.1:%u/%s", (unsigned)s->port,
			       path ? path : "");

	if (path)
		o->connect = url;
	if (!o->profile)
		o->profile = PROFILES "fixtures.json";
	if (!o->run_for)
		o->run_for = PATIENCE;
	s->status = sim_run(s->loop, o, &observer, &s->sum, &s->err);
	mem_free(url);
}

static void on_client_gone(void *owner)
{
	struct scene *s = owner;

	s->gone = true;
}

static void on_timer_gone(void *owner)
{
	struct scene *s = owner;

	s->timer_gone = true;
}

static void on_udp_gone(uv_handle_t *uv)
{
	struct scene *s = uv->data;

	s->udp_gone = true;
}

static void stop(struct scene *s)
{
	int status;

	s->table->client_close(s->client, on_client_gone);
	wait_for(s, &s->gone);
	timer_close(&s->knock, on_timer_gone);
	wait_for(s, &s->timer_gone);
	if (s->udp_open) {
		uv_close((uv_handle_t *)&s->udp, on_udp_gone);
		wait_for(s, &s->udp_gone);
	}
	loop_free(s->loop);
	kill(s->broker, SIGTERM);
	waitpid(s->broker, &status, 0);
	sim_summary_done(&s->sum);
	error_reset(&s->err);
	buf_done(&s->said);
	buf_done(&s->lines);
}

static void saw_line(const struct scene *s, const char *words)
{
	if (!strstr(buf_string(&s->lines), words))
		print_error("lines:\n%s", buf_string(&s->lines));
	assert_non_null(strstr(buf_string(&s->lines), words));
}

static bool seen(const struct scene *s, enum diag_code code)
{
	for (size_t i = 0; i < s->sum.found_count; i++) {
		if (s->sum.found[i].code == code)
			return true;
	}
	return false;
}

/* MCP in standby: no hello, an empty session, whatever the topic's name. */
static void test_standby(void **state)
{
	static const struct step steps[] = {
		{ NULL, { "{\"type\":\"mcp\",\"payload\":" PING "}" } },
		{ MCP("", PONG),
		  { "no json",
		    MCP("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
			    "\"initialize\"}") } },
		{ MCP("", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
			  "\"protocolVersion\":\"2024-11-05\",\"capabilities\":"
			  "{\"tools\":{}},\"serverInfo\":{\"name\":"
			  "\"host-board\",\"version\":\"2.4.2\"}}}"),
		  { REBOOT } },
		{ NULL, { NULL } }
	};
	struct sim_options o = { .subscribe = true };
	struct scene s;

	(void)state;
	start(&s, steps);
	s.down = "x/y";
	run(&s, &o, "board-1?down=x%2Fy&up=up%2Fa");
	assert_int_equal(s.status, 0);
	assert_null(s.step->wait);
	assert_null(strstr(buf_string(&s.said), "hello"));
	assert_int_equal(s.sum.dialled, 1);
	assert_int_equal(s.sum.closed, 1);
	assert_int_equal(s.sum.welcomed, 0);
	assert_int_equal(s.sum.initialized, 1);
	assert_true(seen(&s, B225));
	assert_false(seen(&s, B211));
	assert_false(seen(&s, B207));
	saw_line(&s, "as board-1");
	saw_line(&s, "dropped by the device");
	stop(&s);
}

/* Stock firmware hears nothing from a plain broker. */
static void test_stock(void **state)
{
	static const struct step steps[] = { { HELLO, { UDP("PORT"), REBOOT } },
					     { NULL, { NULL } } };
	struct sim_options o = { .audio = true };
	struct scene s;

	(void)state;
	start(&s, steps);
	s.kill_at_end = true;
	run(&s, &o, "board-1");
	assert_int_equal(s.err.kind, ERR_CONNECT); /* no hello came */
	assert_null(s.step->wait); /* hello came, and was answered in vain */
	assert_int_equal(s.messages, 1);
	assert_int_equal(s.sum.welcomed, 0);
	stop(&s);
}

/* The UDP server. */

static void on_alloc(uv_handle_t *uv, size_t suggested, uv_buf_t *out)
{
	static char shared[2048];

	(void)uv;
	(void)suggested;
	*out = uv_buf_init(shared, sizeof(shared));
}

/* What the device must count as good, old, broken, broken. */
static void answer_packet(struct scene *s, const struct sockaddr *to)
{
	static const char *const packets[] = {
		"\x01\0\0\2\0\0\0\0\0\0\0\0\0\0\0\5ab",
		"\x01\0\0\2\0\0\0\0\0\0\0\0\0\0\0\5ab",
		"\x01\0\0\1\0\0\0\0\0\0\0\0\0\0\0\6ab",
		"\x02\0\0\2\0\0\0\0\0\0\0\0\0\0\0\7ab",
	};
	size_t i;

	for (i = 0; i < COUNT(packets); i++) {
		char copy[18];
		uv_buf_t buf = uv_buf_init(copy, sizeof(copy));

		memcpy(copy, packets[i], sizeof(copy));
		assert_int_equal(uv_udp_try_send(&s->udp, &buf, 1, to), 18);
	}
}

/* The nonce with length, timestamp 0 and sequence; silence behind it. */
static void on_packet(uv_udp_t *uv, ssize_t got, const uv_buf_t *buf,
		      const struct sockaddr *from, unsigned flags)
{
	static const unsigned char head[] = { 1,    0,	  0,	8, 0xa1,
					      0xb2, 0xc3, 0xd4, 0, 0,
					      0,    0,	  0,	0, 0 };
	struct scene *s = uv->data;
	unsigned char key[16], plain[8];

	(void)flags;
	if (got <= 0)
		return;
	s->packets++;
	assert_int_equal(got, 24);
	assert_memory_equal(buf->base, head, sizeof(head));
	assert_int_equal(buf->base[15], s->packets);
	hex_decode_16(key, KEY);
	s->table->cipher(key, (const unsigned char *)buf->base, buf->base + 16,
			 8, plain);
	assert_memory_equal(plain, "\xfb\x03\xff\xfe\xff\xfe\xff\xfe", 8);
	if (s->packets == 2)
		answer_packet(s, from);
	if (s->packets == 4)
		say(s, MCP("S", PING));
}

static void open_udp(struct scene *s)
{
	struct sockaddr_in at;
	int len = sizeof(at);

	uv_ip4_addr("127.0.0.1", 0, &at);
	uv_udp_init(loop_uv(s->loop), &s->udp);
	s->udp.data = s;
	s->udp_open = true;
	assert_int_equal(uv_udp_bind(&s->udp, (struct sockaddr *)&at, 0), 0);
	uv_udp_getsockname(&s->udp, (struct sockaddr *)&at, &len);
	s->udp_port = ntohs(at.sin_port);
	uv_udp_recv_start(&s->udp, on_alloc, on_packet);
}

/* A session: bad hellos ignored, sound both ways, goodbye from the backend. */
static void test_session(void **state)
{
	static const struct step steps[] = {
		{ HELLO,
		  { "{\"type\":\"hello\",\"transport\":\"websocket\"}",
		    UDP("\"PORT\""), UDP("PORT"),
		    "{\"type\":\"goodbye\",\"session_id\":\"other\"}" } },
		{ LISTEN, { "{\"type\":\"goodbye\"}" } },
		{ MCP("S", PONG),
		  { "{\"type\":\"goodbye\",\"session_id\":\"S\"}",
		    "{\"type\":\"goodbye\",\"session_id\":\"S\"}",
		    MCP("S", PING) } },
		/*
		 * MQTT stays, and so does the stale session id (device.md 2.2).
		 */
		{ MCP("S", PONG), { REBOOT } },
		{ NULL, { NULL } }
	};
	struct sim_options o = { .subscribe = true, .audio = true };
	struct scene s;

	(void)state;
	start(&s, steps);
	open_udp(&s);
	run(&s, &o, "board-1");
	assert_int_equal(s.status, 0);
	assert_null(s.step->wait);
	assert_null(strstr(buf_string(&s.said), "goodbye"));
	assert_int_equal(s.sum.welcomed, 1);
	assert_true(s.sum.audio.sent >= 4);
	assert_int_equal(s.sum.audio.received, 1);
	assert_int_equal(s.sum.audio.repeated, 1);
	assert_int_equal(s.sum.audio.broken, 2);
	assert_true(seen(&s, B210));
	assert_true(seen(&s, M407));
	assert_true(seen(&s, M408));
	assert_true(seen(&s, M412));
	assert_true(seen(&s, M411));
	saw_line(&s, "the session is over");
	/* A second goodbye ends nothing. */
	assert_null(strstr(strstr(buf_string(&s.lines), "session is over") + 1,
			   "session is over"));
	stop(&s);
}

/* The device ends its session: it says goodbye, before it restarts. */
static void test_goodbye(void **state)
{
	static const struct step steps[] = {
		{ HELLO, { UDP("PORT") } },
		{ LISTEN, { REBOOT } },
		{ "{\"session_id\":\"S\",\"type\":\"goodbye\"}", { NULL } },
		{ NULL, { NULL } }
	};
	struct sim_options o = { .subscribe = true, .audio = true };
	struct scene s;
	const bool never = false;
	int64_t until = loop_now() + PATIENCE;

	(void)state;
	start(&s, steps);
	open_udp(&s);
	run(&s, &o, "board-1");
	assert_int_equal(s.status, 0);
	while (s.step->wait && loop_now() < until)
		loop_wait(s.loop, &never, loop_now() + 20, NULL);
	assert_null(s.step->wait);
	assert_false(seen(&s, M408));
	stop(&s);
}

/* Two of them, with ids of their own, counted on from a gateway's form. */
static void test_two(void **state)
{
	struct sim_options o = { .audio = true, .devices = 2 };
	static const struct step steps[] = { { HELLO, { NULL } },
					     { HELLO, { NULL } },
					     { NULL, { NULL } } };
	struct scene s;

	(void)state;
	start(&s, steps);
	s.kill_at_end = true;
	run(&s, &o,
	    "GID_t%40%40%4002_00_00_00_00_01%40%40%40"
	    "00000000-0000-4000-8000-000000000001?up=up/{mac}/{client_id}");
	assert_int_equal(s.err.kind, ERR_CONNECT); /* no hello came */
	assert_int_equal(s.sum.dialled, 2);
	assert_int_equal(s.messages, 2);
	saw_line(&s, "1 dials mqtt://127.0.0.1");
	saw_line(&s, "as GID_t@@@02_00_00_00_00_01@@@00000000-0000-4000-8000-"
		     "000000000001");
	saw_line(&s, "as GID_t@@@02_00_00_00_00_02@@@00000000-0000-4000-8000-"
		     "000000000002");
	stop(&s);
}

/* OTA's reply leads to the broker. */
static void told_by_ota(struct scene *s, struct sim_options *o,
			const char *members)
{
	CLEANUP(mem_free_ptr)
	char *body = mem_printf("{\"websocket\":{\"url\":\"ws://127.0.0.1:1/"
				"\"},\"mqtt\":{\"endpoint\":\"127.0.0.1:%u\""
				"%s}}",
				(unsigned)s->port, members);
	CLEANUP(mem_free_ptr)
	char *answer = mem_printf("HTTP/1.1 200 OK\r\nContent-Length: %zu"
				  "\r\n\r\n%s",
				  strlen(body), body);
	const struct http_script script = { .answer = answer,
					    .answer_len = strlen(answer),
					    .close = true };
	struct http_child c;
	char url[64];

	http_child_open(&c);
	http_child_start(&c, &script);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/xiaozhi/ota/",
		 (unsigned)c.port);
	o->ota = url;
	run(s, o, NULL);
	http_child_finish(&c);
}

static void test_ota(void **state)
{
	static const struct step steps[] = { { NULL, { MCP("", PING) } },
					     { MCP("", PONG), { REBOOT } },
					     { NULL, { NULL } } };
	struct sim_options o = { .subscribe = true };
	struct scene s;

	(void)state;
	start(&s, steps);
	s.down = "to/me";
	told_by_ota(&s, &o,
		    ",\"client_id\":\"c1\",\"publish_topic\":\"up/c1\","
		    "\"subscribe_topic\":\"to/me\"");
	assert_int_equal(s.status, 0);
	assert_null(s.step->wait);
	assert_true(seen(&s, O319));
	saw_line(&s, "as c1");
	stop(&s);
}

/* Without publish_topic nothing is ever said. */
static void test_ota_no_topic(void **state)
{
	static const struct step steps[] = { { NULL, { NULL } } };
	struct sim_options o = { .audio = true };
	struct scene s;

	(void)state;
	start(&s, steps);
	s.kill_connected = true;
	told_by_ota(&s, &o, ",\"publish_topic\":\"\"");
	assert_int_equal(s.err.kind, ERR_CONNECT); /* no hello came */
	assert_int_equal(s.sum.dialled, 1);
	assert_int_equal(s.messages, 0);
	assert_true(seen(&s, O303));
	saw_line(&s, "as ESP32_000001");
	stop(&s);
}

/* The broker dies: without --reconnect that is the end. */
static void test_lost(void **state)
{
	static const struct step steps[] = { { HELLO, { NULL } },
					     { NULL, { NULL } } };
	struct sim_options o = { .audio = true };
	struct scene s;

	(void)state;
	start(&s, steps);
	s.kill_at_end = true;
	run(&s, &o, "board-1");
	assert_int_equal(s.err.kind, ERR_CONNECT); /* no hello came */
	assert_int_equal(s.sum.dialled, 1);
	assert_int_equal(s.sum.closed, 1);
	stop(&s);
}

static void test_nobody(void **state)
{
	struct sim_options o = { .profile = PROFILES "esp32.json",
				 .connect = "mqtt://127.0.0.1:1/c" };
	struct sim_summary sum;
	struct error err = { 0 };
	struct loop *loop;

	(void)state;
	assert_int_equal(loop_new(&loop, NULL), 0);
	assert_int_equal(sim_run(loop, &o, NULL, &sum, &err), -1);
	loop_free(loop);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(sum.refused, 1);
	sim_summary_done(&sum);
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_standby),
		cmocka_unit_test(test_stock),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_goodbye),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_ota),
		cmocka_unit_test(test_ota_no_topic),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_nobody),
	};

	mem_init();
	return cmocka_run_group_tests_name("sim mqtt", tests, NULL, NULL);
}
