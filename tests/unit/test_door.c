/* SPDX-License-Identifier: MIT */
/*
 * The door of serve as boards, browsers and strangers find it: a real port,
 * with devices and broker that are only noted down here.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/module.h"
#include "raw_client.h"
#include "serve/board.h"
#include "serve/board_tell.h"
#include "serve/door.h"
#include "serve/mqtt_boards.h"

static struct loop *loop;
static struct serve server;
static struct words ports, names;
static struct raw_child child;
static char folder[64];

/* ---- devices and a broker that are none ---- */

static struct board devices[300];
static size_t device_count;
static bool no_room, device_ready, device_closed;
static char peer_text[512];

static void on_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	(void)peer;
	device_ready = true;
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	struct board *d = owner;

	(void)kind;
	d->transport.ops->send(&d->transport, data, len, NULL);
}

static void on_closed(void *owner, const struct error *why)
{
	(void)owner;
	(void)why;
	device_closed = true;
}

static const struct transport_events device_events = { .ready = on_ready,
						       .message = on_message,
						       .closed = on_closed };

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

bool board_make_room(struct serve *s, const struct share *share)
{
	(void)s;
	(void)share;
	return false;
}

struct board *board_new(struct serve *s, const struct peer_info *peer,
			bool mqtt)
{
	struct board *d = &devices[device_count];

	if (no_room)
		return NULL;
	device_count++;
	*d = (struct board){ .server = s,
			     .mqtt = mqtt,
			     .unsure = peer->unsure,
			     .at_point = peer->at_point };
	d->device_id = mem_strdup(peer->device_id);
	d->client_id = mem_strdup(peer->client_id);
	d->address = mem_strdup(peer->address);
	d->transport.loop = s->loop;
	d->transport.events = &device_events;
	d->transport.owner = d;
	snprintf(peer_text, sizeof(peer_text), "%s %s %s %d %d %s",
		 or_dash(peer->device_id), or_dash(peer->client_id),
		 or_dash(peer->path), peer->protocol_version, peer->envelope,
		 peer->ota ? peer->ota->version : "-");
	return d;
}

void board_discard(struct board *d)
{
	(void)d;
}

void board_name_tool_side(struct board *d)
{
	d->named = true;
}

const char *board_state_name(enum board_state state)
{
	return state == DEVICE_READY ? "ready" : "connected";
}

static char offered[256];
static struct ota_mqtt offer;

void mqtt_boards_offer(struct mqtt_boards *r, const struct ota_request *rq,
		       const struct mqtt_boards_asker *asker,
		       struct ota_mqtt *out)
{
	(void)r;
	snprintf(offered, sizeof(offered), "%s %s %d %s", rq->device_id,
		 asker->host, !strncmp(asker->address, "127.0.0.1:", 10),
		 or_dash(asker->reached));
	*out = offer;
}

void mqtt_boards_describe(const struct mqtt_boards *r, struct buf *out)
{
	(void)r;
	buf_text(out, "mqtt://192.168.1.2:1883 (mosquitto)");
}

/* ---- a door, and who comes to it ---- */

/* The board that is connected, and whose token is "5ec7e7". */
static char camera_id[] = "02:00:00:00:00:0a";
static struct board camera;

static int64_t due_at;

static void due(struct serve *s, int64_t at)
{
	(void)s;
	due_at = at;
}

static const struct board_events board_events = { .due = due };

static void begin(void)
{
	struct error err = { 0 };

	server = (struct serve){ .events = &board_events };
	no_room = device_ready = device_closed = false;
	device_count = 0;
	assert_int_equal(loop_new(&loop, &err), 0);
	words_add(&ports, "127.0.0.1:0");
	words_add(&names, "h");
	words_add(&names, "new");
	words_add(&names, "box.local");
	server.loop = loop;
	server.budget = budget_new();
	server.config.listen = &ports;
	server.config.allow_hosts = &names;
	server.config.pictures.picture_max = 8 << 20;
	server.config.message_max = 1 << 20;
	server.config.handshake = 10000;
	camera = (struct board){ .id = camera_id,
				 .device_id = camera_id,
				 .vision_token = "5ec7e7" };
	registry_add(&server.registry, &camera);
	records_init(&server.records, &server.wake);
}

static void open_door(void)
{
	struct error err = { 0 };

	if (door_open(&server.door, &server, &err))
		fail_msg("%s", err.text);
	assert_true(door_port(server.door) > 0);
}

static void start(void)
{
	begin();
	open_door();
}

static void on_door_closed(void *owner)
{
	*(bool *)owner = true;
}

static void drop_devices(void)
{
	for (size_t i = 0; i < device_count; i++) {
		struct board *d = &devices[i];

		if (d->transport.impl)
			d->transport.ops->close(&d->transport);
	}
	for (int i = 0; i < 600 && device_count && devices[0].transport.impl;
	     i++)
		loop_wait(loop, &device_closed, loop_now() + 100, NULL);
	for (size_t i = 0; i < device_count; i++) {
		mem_free(devices[i].device_id);
		mem_free(devices[i].client_id);
		mem_free(devices[i].address);
		mem_free(devices[i].reached);
		mem_free(devices[i].token_name);
	}
}

static void stop(void)
{
	bool closed = false;

	drop_devices();
	if (server.door) {
		door_close(server.door, on_door_closed, &closed);
		assert_int_equal(
			loop_wait(loop, &closed, loop_now() + 60000, NULL), 0);
	}
	loop_free(loop);
	registry_done(&server.registry);
	records_done(&server.records);
	missing_done(&server.missing);
	tokens_done(&server.tokens);
	for (size_t i = 0; i < device_count; i++)
		share_close(&devices[i].share);
	budget_free(server.budget);
	words_done(&ports);
	words_done(&names);
	raw_done(&child);
	child = (struct raw_child){ 0 };
}

/* What the visitor sends, piece by piece or byte by byte. */
static struct buf request;
#define PATIENCE 60000

static bool slowly, leaves;
static const char *leaves_after; /* NULL; a file that must be there first */

/* The request; its whole answer goes to the pipe. */
static void visitor(uint16_t port, int out)
{
	char head[4096], *body;
	int fd = raw_connect(port);
	const char *at;
	size_t len;

	if (slowly) {
		for (size_t i = 0; i < request.len; i++)
			raw_send(fd, request.data + i, 1);
	} else {
		raw_send(fd, request.data, request.len);
	}
	if (leaves) {
		usleep(100000);
		while (leaves_after && access(leaves_after, F_OK))
			usleep(1000);
		close(fd);
		return;
	}
	raw_read_head(fd, head, sizeof(head));
	at = strstr(head, "Content-Length: ");
	len = at ? strtoul(at + 16, NULL, 10) : 0;
	body = mem_alloc(len + 1);
	if (!raw_read(fd, body, len))
		_exit(5);
	(void)!write(out, head, strlen(head));
	(void)!write(out, body, len);
	close(fd);
}

static const char *visit(void)
{
	raw_done(&child);
	raw_start(&child, loop, door_port(server.door), visitor);
	buf_done(&request);
	raw_finish(&child, loop);
	slowly = leaves = false;
	leaves_after = NULL;
	return buf_string(&child.said);
}

static const char *ask(const char *head, const char *body)
{
	buf_printf(&request,
		   "%sConnection: close\r\nContent-Length: %zu\r\n\r\n%s", head,
		   strlen(body), body);
	return visit();
}

static bool is_told(enum record_kind kind, enum record_level level,
		    const char *text)
{
	for (struct record *r = server.records.first; r; r = r->next) {
		if (r->kind == kind && r->level == level &&
		    strstr(r->text, text))
			return true;
	}
	return false;
}

/*
 * There is, or comes, a record of that kind and level that has this text; all
 * stay. The visitor may have gone before the door has heard all of it.
 */
static void told(enum record_kind kind, enum record_level level,
		 const char *text)
{
	int64_t until = loop_now() + PATIENCE;
	const bool never = false;

	while (loop && !is_told(kind, level, text) && loop_now() < until)
		loop_wait(loop, &never, loop_now() + 2, NULL);
	if (is_told(kind, level, text))
		return;
	for (struct record *r = server.records.first; r; r = r->next)
		print_error("record: %d %d %s\n", (int)r->kind, (int)r->level,
			    r->text);
	fail_msg("no record %d %d '%s'", (int)kind, (int)level, text);
}

/* Its detail as an object; the first of that kind. Yours. */
static cJSON *detail(enum record_kind kind)
{
	struct record *r = server.records.first;
	char *text;
	cJSON *json;

	while (r && r->kind != kind)
		r = r->next;
	text = mem_printf("{%s}", r ? or_dash(r->detail) : "no record");
	json = json_parse(text, strlen(text), NULL);
	if (!json)
		fail_msg("no JSON: %s", text);
	mem_free(text);
	return json;
}

static cJSON *answer(const char *got, const char *status)
{
	const char *body = strstr(got, "\r\n\r\n");
	char line[64];
	cJSON *json;

	snprintf(line, sizeof(line), "HTTP/1.1 %s", status);
	if (strncmp(got, line, strlen(line)) != 0 || !body)
		fail_msg("'%s' is no %s", got, status);
	assert_true(strlen(body) < 7900);
	json = json_parse(body + 4, strlen(body + 4), NULL);
	if (!json)
		fail_msg("no JSON: %s", body);
	return json;
}

/* ---- OTA ---- */

#define BOARD                                      \
	"Host: box.local:99\r\nClient-Id: c-1\r\n" \
	"Device-Id: 02:00:00:00:00:0A\r\n"         \
	"User-Agent: bread/2.4.2\r\n"
#define QUESTION "{\"application\":{\"version\":\"2.4.2\"}}"

static void expect_websocket(const char *got, const char *url)
{
	cJSON *json = answer(got, "200");
	const cJSON *time = json_object(json, "server_time");
	int64_t value;

	assert_string_equal(json_string(json_object(json, "websocket"), "url"),
			    url);
	assert_int_equal(json_integer(time, "timestamp", &value), 0);
	assert_true(value > 1700000000000);
	assert_int_equal(json_integer(time, "timezone_offset", &value), 0);
	assert_null(json_member(json, "mqtt"));
	assert_null(json_member(json, "firmware"));
	cJSON_Delete(json);
}

static const struct ota_request *door_asked(const char *id, const char *address)
{
	const struct told *t =
		memory_find(&server.door->port->memory, id, address);

	return t ? &t->asked : NULL;
}

static const struct ota_request *door_asked_client(const char *id,
						   const char *address)
{
	const struct told *t =
		memory_find_given(&server.door->port->memory, id, address);

	return t ? &t->asked : NULL;
}

static void test_ota(void **state)
{
	const struct ota_request *asked;
	cJSON *json;

	(void)state;
	start();
	expect_websocket(ask("POST /xiaozhi/ota/ HTTP/1.1\r\n" BOARD, QUESTION),
			 "ws://box.local:99/xiaozhi/v1/?port=99");
	told(RECORD_OTA, LEVEL_INFO,
	     "asked OTA: board 'bread', version 2.4.2; it was sent to "
	     "ws://box.local:99/xiaozhi/v1/?port=99");
	assert_non_null(strstr(server.records.first->hint, "wake"));
	assert_string_equal(server.records.first->device, "02:00:00:00:00:0A");
	json = detail(RECORD_OTA);
	assert_string_equal(json_string(json, "transport"), "websocket");
	cJSON_Delete(json);
	asked = door_asked("02:00:00:00:00:0a", "127.0.0.1:9");
	assert_non_null(asked);
	assert_string_equal(asked->client_id, "c-1");
	assert_ptr_equal(door_asked("02:00:00:00:00:0a", NULL), asked);
	assert_null(door_asked("02:00:00:00:00:0a", "10.0.0.1:9"));
	assert_null(door_asked("02:00:00:00:00:0b", NULL));
	assert_null(door_asked("", NULL));
	assert_null(door_asked(NULL, NULL));
	assert_null(door_asked_client("c-1", NULL));
	expect_websocket(ask("POST /xiaozhi/ota HTTP/1.1\r\n" BOARD, ""),
			 "ws://box.local:99/xiaozhi/v1/?port=99");
	expect_websocket(ask("GET /xiaozhi/ota/ HTTP/1.1\r\n" BOARD, ""),
			 "ws://box.local:99/xiaozhi/v1/?port=99");
	stop();
}

static void test_ota_odd(void **state)
{
	char *big = mem_alloc(70001);

	(void)state;
	memset(big, ' ', 70000);
	big[70000] = '\0';
	start();
	expect_websocket(
		ask("POST /xiaozhi/ota/ HTTP/1.1\r\nHost: h\r\n", "{x}"),
		"ws://h/xiaozhi/v1/?port=80");
	told(RECORD_OTA, LEVEL_WARN, "somebody without a Device-Id asked OTA");
	cJSON_Delete(answer(ask("POST /xiaozhi/ota/ HTTP/1.1\r\n" BOARD, big),
			    "413"));
	told(RECORD_REFUSED, LEVEL_WARN, "a body of 70000 bytes");
	cJSON_Delete(answer(
		ask("POST /xiaozhi/ota/activate HTTP/1.1\r\n" BOARD, "{}"),
		"200"));
	assert_non_null(strstr(child.said.data, "\r\n\r\n{}"));
	told(RECORD_ACTIVATE, LEVEL_INFO, "activation");
	cJSON_Delete(answer(ask("POST /other HTTP/1.1\r\n" BOARD, ""), "404"));
	told(RECORD_REFUSED, LEVEL_WARN, "'/other'");
	cJSON_Delete(answer(ask("PUT / HTTP/1.1\r\n" BOARD, ""), "405"));
	stop();
	mem_free(big);
}

/* It leads to the port here; released. */
static void assert_own(char *url)
{
	CLEANUP(mem_free_ptr)
	char *wanted = mem_printf("http://127.0.0.1:%u/vision/explain",
				  (unsigned)door_port(server.door));

	assert_non_null(url);
	assert_string_equal(url, wanted);
	mem_free(url);
}

static void test_ota_mqtt(void **state)
{
	struct board standby = { .mqtt = true };
	char id[] = "GID@@@02_00", unknown[] = "GID@@@03_00";
	char reached[] = "forwarded:99";
	char loopback[] = "127.0.0.1";
	cJSON *json;
	char *url;

	(void)state;
	begin();
	server.mqtt_boards = (struct mqtt_boards *)&offer;
	offer = (struct ota_mqtt){ .endpoint = "box.local:1883",
				   .client_id = "GID@@@02_00",
				   .publish_topic = "device-server" };
	open_door();
	json = answer(ask("POST /xiaozhi/ota/ HTTP/1.1\r\n" BOARD, QUESTION),
		      "200");
	assert_string_equal(offered, "02:00:00:00:00:0A box.local 1 "
				     "box.local:99");
	assert_string_equal(json_string(json_object(json, "mqtt"), "endpoint"),
			    "box.local:1883");
	assert_null(json_member(json, "websocket"));
	assert_non_null(json_member(json, "server_time"));
	cJSON_Delete(json);
	told(RECORD_OTA, LEVEL_INFO,
	     "sent to mqtt://box.local:1883 as GID@@@02_00");
	assert_non_null(strstr(server.records.first->hint, "by itself"));
	assert_non_null(door_asked_client("gid@@@02_00", "127.0.0.1"));
	standby.client_id = unknown;
	/*
	 * serve was started anew, and the board was at the broker all the time:
	 * it does not ask OTA again.
	 */
	standby.address = loopback;
	url = door_vision_url(server.door, &standby);
	assert_own(url);
	/* At a broker that runs elsewhere not even its address is known. */
	standby.address = NULL;
	url = door_vision_url(server.door, &standby);
	assert_own(url);
	/* Whoever asked in its name, by whatever name of ours. */
	standby.client_id = id;
	assert_own(door_vision_url(server.door, &standby));
	/* Only what it showed itself counts. */
	standby.reached = reached;
	url = door_vision_url(server.door, &standby);
	assert_string_equal(url, "http://forwarded:99/vision/explain");
	mem_free(url);
	/* What a device's storage does not take is not sent. */
	offer.endpoint = "123456789012345678901234567890123456789012345678901"
			 "123456789012345678901234567890123456789012345678901"
			 "123456789012345678901234567890123456789012345678901"
			 "123456789012345678901234567890123456789012345678901"
			 "123456789012345678901234567890123456789012345678901x";
	cJSON_Delete(answer(
		ask("POST /xiaozhi/ota/ HTTP/1.1\r\n" BOARD, QUESTION), "500"));
	told(RECORD_REFUSED, LEVEL_BAD, "too long for a device");
	server.config.offer = OFFER_WEBSOCKET;
	expect_websocket(ask("POST /xiaozhi/ota/ HTTP/1.1\r\n" BOARD, QUESTION),
			 "ws://box.local:99/xiaozhi/v1/?port=99");
	/* It is sent to our own broker, and has to come there. */
	assert_true(due_at > loop_now());
	server.mqtt_boards = NULL;
	stop();
}

#define ASKS(id, client)                                           \
	"POST /xiaozhi/ota/ HTTP/1.1\r\nHost: h\r\nDevice-Id: " id \
	"\r\nClient-Id: " client "\r\n"
#define LISTED "02:00:00:00:00:01"
#define STRANGER "02:00:00:00:00:02"

static void expect_signed(const char *head, bool is)
{
	cJSON *json = answer(ask(head, QUESTION), is ? "200" : "403");

	assert_int_equal(json_object(json, "mqtt") != NULL, is);
	cJSON_Delete(json);
}

/* With a key, OTA tells a password to boards that are known. */
static void test_known_boards(void **state)
{
	struct alias listed = { (char[]){ "kitchen" }, (char[]){ LISTED } };
	struct token token = { (char[]){ STRANGER }, (char[]){ "t" } };

	(void)state;
	begin();
	server.mqtt_boards = (struct mqtt_boards *)&offer;
	server.config.mqtt_key_file = "/key";
	server.aliases = (struct aliases){ &listed, 1 };
	offer = (struct ota_mqtt){ .endpoint = "h:1883",
				   .client_id = "GID@@@02_00",
				   .password = "signed",
				   .publish_topic = "device-server" };
	open_door();
	expect_signed(ASKS(LISTED, "a"), true);
	expect_signed(ASKS(STRANGER, "s"), false);
	told(RECORD_REFUSED, LEVEL_WARN,
	     "gets no password for the broker: it is not known");
	/* A client id is no id of a board that is listed. */
	expect_signed(ASKS(STRANGER, LISTED), false);
	expect_signed(ASKS("kitchen", "s"), false);
	told(RECORD_REFUSED, LEVEL_WARN, "its Device-Id is no MAC address");
	expect_signed("POST /xiaozhi/ota/ HTTP/1.1\r\nHost: h\r\n", false);
	/* It shows its token; the other's is none. */
	server.tokens = (struct tokens){ &token, 1 };
	expect_signed(ASKS(STRANGER, "s") "Authorization: Bearer t\r\n", true);
	expect_signed(ASKS(STRANGER, "s") "Authorization: Bearer u\r\n", false);
	expect_signed(ASKS("02:00:00:00:00:03",
			   STRANGER) "Authorization: Bearer t\r\n",
		      false);
	server.tokens = (struct tokens){ 0 };
	/* It comes in time; then its Client-Id is known, and another's is not. */
	server.enroll_from = unix_now_ms() - 1;
	server.enroll_until = loop_now() + 60000;
	expect_signed(ASKS(STRANGER, "s"), true);
	told(RECORD_ENROLLED, LEVEL_GOOD, "enrolled: it gets a password");
	expect_signed(ASKS(STRANGER, "other"), false);
	server.enroll_until = loop_now();
	expect_signed(ASKS(STRANGER, "s"), true);
	expect_signed(ASKS(STRANGER, "other"), false);
	told(RECORD_REFUSED, LEVEL_WARN, "its Client-Id is another one");
	expect_signed(ASKS("02:00:00:00:00:04", "s"), false);
	/* Its storage was erased, and the user lets it come again. */
	server.enroll_from = unix_now_ms() + 1;
	server.enroll_until = loop_now() + 60000;
	expect_signed(ASKS(STRANGER, "other"), true);
	told(RECORD_ENROLLED, LEVEL_GOOD, "again, with another Client-Id");
	assert_int_equal(server.enrolled.count, 1);
	/* Over WebSocket nothing is signed. */
	server.enroll_until = 0;
	server.config.offer = OFFER_WEBSOCKET;
	cJSON_Delete(
		answer(ask(ASKS("02:00:00:00:00:04", "s"), QUESTION), "200"));
	server.aliases = (struct aliases){ 0 };
	enrolled_done(&server.enrolled);
	server.mqtt_boards = NULL;
	stop();
}

static void tells(struct memory *m, const struct ota_request *rq,
		  const char *from, const char *given, const char *sent_to)
{
	const struct told_it it = { given, sent_to };

	mem_free(memory_tell(m, rq, from, &it));
}

static void test_memory(void **state)
{
	struct memory m = { 0 };
	struct ota_request rq = { 0 };
	char id[32];

	(void)state;
	for (int i = 0; i < MEMORY_MAX + 100; i++) {
		snprintf(rq.device_id, sizeof(rq.device_id), "d%d", i);
		snprintf(id, sizeof(id), "h%d", i);
		tells(&m, &rq, "10.0.0.1:5", i % 2 ? id : NULL, "x");
		/* It asks again and again: it stays. */
		snprintf(rq.device_id, sizeof(rq.device_id), "D0");
		tells(&m, &rq, "10.0.0.1:6", "given0", "x");
	}
	assert_int_equal(m.count, MEMORY_MAX);
	assert_null(memory_find(&m, "d1", NULL));
	assert_null(memory_find_given(&m, "h1", NULL));
	assert_non_null(memory_find(&m, "d0", NULL));
	assert_ptr_equal(memory_find_given(&m, "GIVEN0", NULL),
			 memory_find(&m, "d0", NULL));
	assert_non_null(memory_find(&m, "D1123", NULL));
	/* Nobody's question is kept only for the client id that it got. */
	rq.device_id[0] = '\0';
	tells(&m, &rq, "10.0.0.1:5", NULL, "x");
	assert_non_null(memory_find(&m, "d1122", NULL));
	tells(&m, &rq, "10.0.0.1:5", "for nobody", "x");
	assert_non_null(memory_find_given(&m, "for nobody", NULL));
	memory_done(&m);
}

/* A question in another's name, from elsewhere, stands beside the board's. */
static void test_memory_of_strangers(void **state)
{
	struct ota_request rq = { .device_id = "d", .version = "1.0" };
	const struct told_it first = { "g", "ws://a" },
			     then = { "g", "ws://b" };
	struct memory m = { 0 };
	char id[32], *before;

	(void)state;
	assert_null(memory_tell(&m, &rq, "10.0.0.1:5", &first));
	assert_null(memory_tell(&m, &rq, "10.0.0.1:6", &first));
	snprintf(rq.version, sizeof(rq.version), "6.6");
	assert_null(memory_tell(&m, &rq, "10.0.0.2:5", &then));
	assert_string_equal(memory_find(&m, "D", "10.0.0.1")->asked.version,
			    "1.0");
	assert_string_equal(memory_find(&m, "D", "10.0.0.2:7")->asked.version,
			    "6.6");
	assert_string_equal(memory_find(&m, "D", NULL)->asked.version, "1.0");
	assert_null(memory_find(&m, "D", "10.0.0.3:5"));
	assert_null(memory_find_given(&m, "g", "10.0.0.3:5"));
	before = memory_tell(&m, &rq, "10.0.0.1:7", &then);
	assert_string_equal(before, "ws://a");
	mem_free(before);
	assert_true(memory_same_peer("[::1]:5", "::1"));
	assert_false(memory_same_peer("[::1]:5", "[::2]:5"));
	assert_false(memory_same_peer("10.0.0.1:5", NULL));

	assert_null(memory_sent(&m, "d", "http://a"));
	assert_null(memory_sent(&m, "D", "http://a"));
	before = memory_sent(&m, "d", "http://b");
	assert_string_equal(before, "http://a");
	mem_free(before);
	for (int i = 0; i < 2 * MEMORY_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		assert_null(memory_sent(&m, id, "http://c"));
		mem_free(memory_sent(&m, "d", "http://b"));
	}
	assert_int_equal(m.sent_count, MEMORY_MAX);
	assert_null(memory_sent(&m, "d", "http://b"));
	memory_done(&m);
}

/* ---- WebSockets ---- */

static const char *dial_path, *dial_extra;

/* Says hello and expects it back. */
static void dialler(uint16_t port, int out)
{
	char head[2048], got[64] = "";
	size_t len;
	int fd = raw_dial(port, dial_path, dial_extra, head, sizeof(head));

	if (strstr(head, " 101 ")) {
		raw_frame(fd, 0x81, "hello", 5);
		raw_next(fd, got, sizeof(got), &len);
	} else {
		raw_read(fd, got, 9);
	}
	(void)!write(out, head, strcspn(head, "\r"));
	(void)!write(out, got, strlen(got));
	close(fd);
}

static void dial(const char *path, const char *extra, const char *expected)
{
	dial_path = path;
	dial_extra = extra;
	raw_done(&child);
	raw_start(&child, loop, door_port(server.door), dialler);
	raw_finish(&child, loop);
	assert_string_equal(buf_string(&child.said), expected);
}

#define WELCOME "HTTP/1.1 101 Switching Protocolshello"
#define ID "Device-Id: 02:00:00:00:00:0a\r\nClient-Id: c-1\r\n"

static void vision_url(size_t device, const char *expected)
{
	char *url = door_vision_url(server.door, &devices[device]);

	assert_string_equal(url, expected);
	mem_free(url);
}

static void test_upgrade(void **state)
{
	char url[64];

	(void)state;
	start();
	dial("/any?token=s3cret&x=1", ID "Protocol-Version: 3\r\n", WELCOME);
	assert_string_equal(peer_text, "02:00:00:00:00:0a c-1 "
				       "/any?token=***&x=1 3 1 -");
	assert_true(device_ready);
	/* Host has no port here; ours is meant. */
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/vision/explain",
		 (unsigned)door_port(server.door));
	vision_url(0, url);
	dial("/", "X: y\r\n", WELCOME);
	told(RECORD_ODD, LEVEL_WARN, "no Device-Id");
	no_room = true;
	dial("/", ID, "HTTP/1.1 503 Service Unavailable{\"error\":");
	stop();
}

static void name_is(size_t device, bool at_point, const char *name)
{
	const struct board *d = &devices[device];

	assert_true(d->unsure);
	assert_int_equal(d->at_point, at_point);
	/* By its token at once, where it is certain that it is no board. */
	assert_int_equal(d->named, at_point && name);
	if (name)
		assert_string_equal(d->token_name, name);
	else
		assert_null(d->token_name);
}

/*
 * Who tells no Device-Id and no Client-Id may be a tool side; whoever does not
 * is a board, also at the path of the access point.
 */
static void test_point(void **state)
{
	(void)state;
	begin();
	server.config.path = "/ws";
	server.config.mcp_endpoint = "/mcp";
	open_door();
	door_describe(server.door);
	told(RECORD_LISTENING, LEVEL_GOOD,
	     "access point, for tool sides that dial in:\n  ws://127.0.0.1:");
	dial("/mcp?token=s3cret", "X: y\r\n", WELCOME);
	name_is(0, true, "token-94e60da9");
	assert_string_equal(peer_text, "- - /mcp?token=*** 0 0 -");
	dial("/mcp/?agent=bob&token=s3cret", "X: y\r\n", WELCOME);
	name_is(1, true, NULL);
	assert_string_equal(peer_text, "- bob /mcp/?agent=bob&token=*** 0 0 -");
	dial("/ws", "Authorization: Bearer s3cret\r\n", WELCOME);
	name_is(2, false, "token-94e60da9");
	dial("/mcp", ID, WELCOME);
	assert_false(devices[3].unsure);
	dial("/mcp", "Client-Id: c\r\n", WELCOME);
	assert_false(devices[4].unsure);
	/* Who says what boards say is called by that alone. */
	dial("/mcp?agent=bob", "Protocol-Version: 1\r\n", WELCOME);
	assert_string_equal(peer_text, "- - /mcp?agent=bob 1 1 -");
	dial("/other", "X: y\r\n", "HTTP/1.1 404 Not Found{\"error\":");
	stop();
}

/* A name in the address is a client id: who has a token of its own needs that. */
static void test_point_tokens(void **state)
{
	static const char lines[] = "all\nbob bobs\n";
	char *file = mem_strdup("/tmp/mcpctl-door-XXXXXX");
	struct error err = { 0 };
	int fd = mkstemp(file);

	(void)state;
	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	close(fd);
	begin();
	server.config.mcp_endpoint = "/mcp";
	assert_int_equal(tokens_read(&server.tokens, file, &err), 0);
	open_door();
	dial("/mcp", "X: y\r\n", "HTTP/1.1 401 Unauthorized{\"error\":");
	dial("/mcp?agent=bob&token=all", "X: y\r\n",
	     "HTTP/1.1 401 Unauthorized{\"error\":");
	dial("/mcp?agent=bob&token=bobs", "X: y\r\n", WELCOME);
	dial("/mcp?token=all", "X: y\r\n", WELCOME);
	stop();
	unlink(file);
	mem_free(file);
}

/* Pages stay out; the Arduino library says that it is one of a file. */
static void test_point_origin(void **state)
{
	(void)state;
	begin();
	server.config.mcp_endpoint = "/mcp";
	open_door();
	dial("/mcp", "Origin: file://\r\n",
	     "HTTP/1.1 403 Forbidden{\"error\":");
	dial("/mcp",
	     "Origin: file://\r\nUser-Agent: Mozilla/5.0 arduino-WebSocket-Client\r\n",
	     "HTTP/1.1 403 Forbidden{\"error\":");
	dial("/mcp",
	     "Origin: file://\r\nSec-WebSocket-Protocol: arduino\r\nUser-Agent: arduino-WebSocket-Client\r\n",
	     WELCOME);
	stop();
}

/* By the Host of its own connection, whatever was asked in its name. */
static void test_reached(void **state)
{
	char own[64];

	(void)state;
	start();
	ask("POST /xiaozhi/ota/ HTTP/1.1\r\nHost: 127.0.0.1:9\r\n" ID,
	    QUESTION);
	dial("/", ID, WELCOME);
	assert_non_null(strstr(peer_text, " 2.4.2"));
	snprintf(own, sizeof(own), "http://127.0.0.1:%u/vision/explain",
		 (unsigned)door_port(server.door));
	vision_url(0, own);
	/* A port that is forwarded: OTA told it, and the board tells it. */
	dial("/xiaozhi/v1/?port=9", ID, WELCOME);
	vision_url(1, "http://127.0.0.1:9/vision/explain");
	dial("/xiaozhi/v1/?port=80", ID, WELCOME);
	vision_url(2, "http://127.0.0.1/vision/explain");
	dial("/xiaozhi/v1/?port=0&port=66000", ID, WELCOME);
	vision_url(3, own);
	/* That it changed is told. */
	devices[1].id = devices[1].device_id;
	devices[3].id = devices[3].device_id;
	vision_url(1, "http://127.0.0.1:9/vision/explain");
	vision_url(3, own);
	told(RECORD_TOLD, LEVEL_WARN,
	     "and went to http://127.0.0.1:9/vision/explain");
	stop();
}

static void test_refused(void **state)
{
	struct error err = { 0 };
	char *extra = mem_printf("Device-Id: %0200d\r\n", 1);
	char *client = mem_printf("Device-Id: 02:00:00:00:00:0b\r\n"
				  "Client-Id: %0128d\r\n",
				  1);
	char *longest = mem_printf("Device-Id: 02:00:00:00:00:0b\r\n"
				   "Client-Id: %0127d\r\n"
				   "Authorization: Bearer right\r\n",
				   1);

	(void)state;
	begin();
	setenv("MCPCTL_TOKEN", "right", 1);
	assert_int_equal(tokens_read(&server.tokens, NULL, &err), 0);
	unsetenv("MCPCTL_TOKEN");
	server.config.path = "/ws";
	open_door();
	dial("/wrong", ID, "HTTP/1.1 404 Not Found{\"error\":");
	told(RECORD_REFUSED, LEVEL_WARN, "it dialled '/wrong', not '/ws'");
	dial("/ws", ID, "HTTP/1.1 401 Unauthorized{\"error\":");
	told(RECORD_REFUSED, LEVEL_WARN, "it gave no token");
	dial("/ws", ID "Authorization: Bearer left\r\n",
	     "HTTP/1.1 401 Unauthorized{\"error\":");
	told(RECORD_REFUSED, LEVEL_WARN, "its token is wrong");
	dial("/ws", extra, "HTTP/1.1 403 Forbidden{\"error\":");
	told(RECORD_REFUSED, LEVEL_WARN, "more than 127 bytes");
	dial("/ws", client, "HTTP/1.1 403 Forbidden{\"error\":");
	told(RECORD_REFUSED, LEVEL_WARN, "more than 127 bytes");
	assert_int_equal(device_count, 0);
	dial("/ws", longest, WELCOME);
	dial("/ws/", ID "Authorization: Bearer right\r\n", WELCOME);
	expect_websocket(ask("POST /xiaozhi/ota/ HTTP/1.1\r\n" BOARD, QUESTION),
			 "ws://box.local:99/ws?port=99");
	assert_non_null(strstr(child.said.data, "\"token\":\"right\""));
	stop();
	mem_free(longest);
	mem_free(client);
	mem_free(extra);
}

/* ---- the page ---- */

static bool shows;

static bool on_pages(void *web, const struct visit *v)
{
	assert_ptr_equal(web, &shows);
	if (!shows)
		return false;
	visit_refuse(v, 200, "the boards");
	return true;
}

static bool on_shown(void *web, const struct front_head *head)
{
	(void)web;
	(void)head;
	return false;
}

static const char *on_missing(void *web, const struct visit *v)
{
	(void)web;
	(void)v;
	return "who may see them";
}

static const struct door_pages door_pages = { .http = on_pages,
					      .shown = on_shown,
					      .missing = on_missing };

/* Who may not see the boards, or nobody may. */
static void test_page(void **state)
{
	const char *got;

	(void)state;
	start();
	got = ask("GET / HTTP/1.1\r\nHost: box.local:99\r\n", "");
	assert_non_null(strstr(got, "text/html"));
	assert_non_null(strstr(got, "http://box.local:99/xiaozhi/ota/"));
	assert_non_null(
		strstr(got, "shown in no browser (serve --web does that)"));
	assert_null(strstr(got, camera_id));
	told(RECORD_BROWSER, LEVEL_INFO, "the page was opened");
	server.door->pages = &door_pages;
	server.door->web = &shows;
	got = ask("GET /xiaozhi/ota/ HTTP/1.1\r\nHost: box.local:99\r\n", "");
	assert_non_null(strstr(got, "<p>who may see them</p>"));
	assert_null(strstr(got, camera_id));
	shows = true;
	got = ask("GET / HTTP/1.1\r\nHost: box.local:99\r\n", "");
	assert_non_null(strstr(got, "the boards"));
	shows = false;
	got = ask("GET /favicon.ico HTTP/1.1\r\nHost: h\r\n", "");
	assert_memory_equal(got, "HTTP/1.1 404", 12);
	assert_int_equal(server.records.count, 2);
	stop();
}

/* ---- pictures ---- */

#define PICTURE "\xff\xd8\xff\xe0\0\4AB\xff\xc0\0\x0b\x08\x01\xe0\x02\x80.."
#define PICTURE_LEN (sizeof(PICTURE) - 1)
#define EDGE "----ESP32_CAMERA_BOUNDARY"

static void add_question(struct buf *form, const char *text)
{
	buf_printf(form,
		   "--" EDGE "\r\nContent-Disposition: form-data; "
		   "name=\"question\"\r\n\r\n%s\r\n",
		   text);
}

static void add_file(struct buf *form, const char *name, const char *filename,
		     const void *data, size_t len)
{
	buf_printf(form,
		   "--" EDGE "\r\nContent-Disposition: form-data; "
		   "name=\"%s\"; filename=\"%s\"\r\n"
		   "Content-Type: image/jpeg\r\n\r\n",
		   name, filename);
	buf_add(form, data, len);
	buf_text(form, "\r\n");
}

static void end_form(struct buf *form)
{
	buf_text(form, "--" EDGE "--\r\n");
}

/* What stands in Content-Type behind the boundary. */
static const char *behind_boundary = "";

/* As firmware sends it: chunked, so many bytes each. Consumes form. */
static const char *post(const char *path, const char *token, struct buf *form,
			size_t chunk)
{
	buf_printf(&request,
		   "POST %s HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\n"
		   "Client-Id: c-1\r\nContent-Type: multipart/form-data; "
		   "boundary=" EDGE "%s\r\nDevice-Id: 02:00:00:00:00:0a\r\n"
		   "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
		   path, token, behind_boundary);
	for (size_t at = 0; at < form->len; at += chunk) {
		size_t n = form->len - at < chunk ? form->len - at : chunk;

		buf_printf(&request, "%zx\r\n", n);
		buf_add(&request, form->data + at, n);
		buf_text(&request, "\r\n");
	}
	buf_text(&request, "0\r\n\r\n");
	buf_done(form);
	return visit();
}

static void good_form(struct buf *form)
{
	add_question(form, "what is this?");
	add_file(form, "file", "camera.jpg", PICTURE, PICTURE_LEN);
	end_form(form);
}

static const char *good_post(void)
{
	struct buf form = { 0 };

	good_form(&form);
	return post(VISION_PATH, "5ec7e7", &form, 1000);
}

static void expect(const char *got, const char *status, const char *text)
{
	cJSON *json = answer(got, status);
	const char *said = json_string(json, "response");

	assert_int_equal(json_true(json, "success"), said != NULL);
	said = said ? said : json_string(json, "message");
	if (!said || strcmp(said, text) != 0)
		fail_msg("'%s' is not '%s'", or_dash(said), text);
	cJSON_Delete(json);
}

#define RECEIVED "mcpctl received a JPEG picture, 640x480, 19 bytes"

static void expect_question(const char *question)
{
	cJSON *json = detail(RECORD_VISION);
	int64_t value = 0;

	assert_string_equal(json_string(json, "question"), question);
	assert_string_equal(json_string(json, "type"), "jpeg");
	json_integer(json, "bytes", &value);
	assert_int_equal(value, PICTURE_LEN);
	json_integer(json, "width", &value);
	assert_int_equal(value, 640);
	json_integer(json, "height", &value);
	assert_int_equal(value, 480);
	assert_int_equal(json_integer(json, "took_ms", &value), 0);
	assert_true(cJSON_IsNull(json_member(json, "file")));
	cJSON_Delete(json);
	while (server.records.first)
		record_free(records_take(&server.records));
}

#define CJK "\xe8\xbf\x99\xe6\x98\xaf\xe4\xbb\x80\xe4\xb9\x88\xef\xbc\x9f"

static void test_vision(void **state)
{
	struct buf form = { 0 };

	(void)state;
	assert_int_equal(PICTURE_LEN, 19);
	start();
	expect(good_post(), "200", RECEIVED);
	told(RECORD_VISION, LEVEL_GOOD,
	     "sent a JPEG picture, 640x480, 19 bytes; it asks 'what is this?'");
	expect_question("what is this?");
	/* The other order, the other name, byte by byte. */
	add_file(&form, "image", "a.jpg", PICTURE, PICTURE_LEN);
	add_question(&form, CJK);
	end_form(&form);
	slowly = true;
	expect(post(VISION_PATH, "5ec7e7", &form, 1), "200", RECEIVED);
	expect_question(CJK);
	/* Two pictures, and a name that is no name. */
	add_file(&form, "file", "../../etc/\\\"x;y.jpg", PICTURE, PICTURE_LEN);
	add_file(&form, "file", "b.jpg", "GIF89a", 6);
	end_form(&form);
	expect(post(VISION_PATH "/", "5ec7e7", &form, 7), "200", RECEIVED);
	told(RECORD_VISION, LEVEL_WARN,
	     "1 more file in the form was not looked at");
	server.config.pictures.vision_text = "a cat";
	expect(good_post(), "200", "a cat");
	add_file(&form, "file", "x", "text", 4);
	end_form(&form);
	server.config.pictures.vision_text = NULL;
	expect(post(VISION_PATH, "5ec7e7", &form, 100), "200",
	       "mcpctl received a file that is no known picture, 4 bytes");
	stop();
}

static void test_vision_refused(void **state)
{
	char other[] = "02:00:00:00:00:0b";
	struct buf form = { 0 };

	(void)state;
	start();
	good_form(&form);
	expect(post(VISION_PATH, "wrong", &form, 1000), "401",
	       "the token is wrong");
	told(RECORD_REFUSED, LEVEL_WARN, "the token is wrong");
	/* Right, and another board's. */
	registry_remove(&server.registry, &camera);
	devices[0] = (struct board){ .id = other, .vision_token = "5ec7e7" };
	registry_add(&server.registry, &devices[0]);
	registry_add(&server.registry, &camera);
	snprintf(camera.vision_token, sizeof(camera.vision_token), "0123");
	good_form(&form);
	expect(post(VISION_PATH, "5ec7e7", &form, 1000), "401",
	       "the token is wrong");
	/* One that was told none yet has none: not the empty one either. */
	camera.vision_token[0] = '\0';
	good_form(&form);
	expect(post(VISION_PATH, "", &form, 1000), "401", "the token is wrong");
	registry_remove(&server.registry, &devices[0]);
	snprintf(camera.vision_token, sizeof(camera.vision_token), "5ec7e7");
	expect(ask("POST " VISION_PATH " HTTP/1.1\r\n" BOARD, ""), "401",
	       "a token is needed");
	expect(ask("POST " VISION_PATH " HTTP/1.1\r\n" BOARD
		   "Authorization: Bearer 5ec7e7\r\n",
		   "{}"),
	       "400", "the body is no form (multipart/form-data)");
	add_question(&form, "?");
	end_form(&form);
	expect(post(VISION_PATH, "5ec7e7", &form, 1000), "400",
	       "the form has no field 'file'");
	add_file(&form, "file", "a.jpg", "", 0);
	end_form(&form);
	expect(post(VISION_PATH, "5ec7e7", &form, 1000), "400",
	       "the picture is empty");
	add_file(&form, "file", "a.jpg", PICTURE, PICTURE_LEN);
	expect(post(VISION_PATH, "5ec7e7", &form, 1000), "400",
	       "the form in the body is broken or cut");
	expect(ask("GET " VISION_PATH " HTTP/1.1\r\n" BOARD, ""), "405",
	       "pictures are sent here with POST");
	stop();
}

/* More parameters may follow the boundary (RFC 2046, 5.1.1). */
static void test_boundary_and_more(void **state)
{
	static const char *const more[] = { "; charset=utf-8", ";x=\"1;2\"",
					    " ; charset=utf-8", ";" };

	(void)state;
	start();
	for (size_t i = 0; i < COUNT(more); i++) {
		behind_boundary = more[i];
		expect(good_post(), "200", RECEIVED);
	}
	/* Another boundary than that of the form. */
	behind_boundary = "X; charset=utf-8";
	expect(good_post(), "400", "the form has no field 'file'");
	behind_boundary = "";
	stop();
}

/* Cut anywhere, nothing but the whole form is taken. */
static void test_cut_forms(void **state)
{
	struct buf whole = { 0 }, form = { 0 };

	(void)state;
	start();
	good_form(&whole);
	for (size_t cut = 0; cut < whole.len - 6; cut += 23) {
		buf_add(&form, whole.data, cut);
		cJSON_Delete(answer(post(VISION_PATH, "5ec7e7", &form, 1000),
				    "400"));
	}
	buf_done(&whole);
	stop();
}

static void test_too_large(void **state)
{
	size_t len = 9u << 20;
	char *data = mem_zalloc(len);
	struct buf form = { 0 };

	(void)state;
	start();
	add_file(&form, "file", "a.jpg", data, len);
	end_form(&form);
	cJSON_Delete(answer(post(VISION_PATH, "5ec7e7", &form, 65536), "413"));
	told(RECORD_NOISE, LEVEL_WARN, "too large");
	assert_non_null(strstr(server.records.first->hint, "--picture-max"));
	/* The most that is allowed, with what stands around it. */
	memcpy(data, PICTURE, PICTURE_LEN);
	add_file(&form, "file", "a.jpg", data, (8u << 20) - 500);
	end_form(&form);
	expect(post(VISION_PATH, "5ec7e7", &form, 65536), "200",
	       "mcpctl received a JPEG picture, 640x480, 8,388,108 bytes");
	mem_free(data);
	stop();
}

static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test_door.XXXXXX");
	assert_non_null(mkdtemp(folder));
}

static void expect_saved(const char *file)
{
	char content[64];
	struct stat info;
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(read(fd, content, sizeof(content)), PICTURE_LEN);
	assert_memory_equal(content, PICTURE, PICTURE_LEN);
	close(fd);
	unlink(file);
}

/* As firmware sends what the screen shows: with no header of its own. */
static const char *post_screen(const char *path, const char *extra)
{
	struct buf form = { 0 };

	add_file(&form, "file", "screenshot.jpg", PICTURE, PICTURE_LEN);
	end_form(&form);
	buf_printf(&request,
		   "POST %s HTTP/1.1\r\nHost: h\r\n%sContent-Type: "
		   "multipart/form-data; boundary=" EDGE "\r\n"
		   "Content-Length: %zu\r\nConnection: close\r\n\r\n",
		   path, extra, form.len);
	buf_add(&request, form.data, form.len);
	buf_done(&form);
	return visit();
}

static void refused_upload(const char *path, const char *extra)
{
	expect(post_screen(path, extra), "403",
	       "this address takes no picture, or takes none any more");
}

/* An address is for one picture of one board, and cannot be guessed. */
static void test_upload_address(void **state)
{
	struct pass *pass;
	char *url, *path, *other;

	(void)state;
	start();
	refused_upload("/upload", "");
	refused_upload("/upload/", "");
	refused_upload("/upload/00000000000000000000000000000000", "");
	url = door_upload_url(server.door, &camera);
	path = strchr(url + 7, '/');
	assert_memory_equal(path, "/upload/", 8);
	assert_int_equal(strlen(path), 8 + 32);
	expect(post_screen(path, ""), "200", RECEIVED);
	told(RECORD_UPLOAD, LEVEL_GOOD, "JPEG");
	refused_upload(path, "");
	/* What was told of it holds no secret. */
	told(RECORD_REFUSED, LEVEL_WARN,
	     "/upload refused: this address takes no picture");
	mem_free(url);

	/* Another board has it. */
	url = door_upload_url(server.door, &camera);
	refused_upload(strchr(url + 7, '/'),
		       "Device-Id: 02:00:00:00:00:0b\r\n");
	mem_free(url);
	/* It lay about for too long. */
	url = door_upload_url(server.door, &camera);
	pass = &server.door->pictures.passes
			.item[server.door->pictures.passes.count - 1];
	pass->until = loop_now();
	refused_upload(strchr(url + 7, '/'), "");
	mem_free(url);
	/* The token of its connection is as good. */
	expect(post_screen("/upload", "Authorization: Bearer 5ec7e7\r\n"),
	       "200", RECEIVED);
	refused_upload("/upload", "Authorization: Bearer 5ec7e7\r\n"
				  "Device-Id: 02:00:00:00:00:0b\r\n");
	expect(ask("GET /upload/x HTTP/1.1\r\n" BOARD, ""), "405",
	       "pictures are sent here with POST");
	/* Two are never the same. */
	url = door_upload_url(server.door, &camera);
	other = door_upload_url(server.door, &camera);
	assert_string_not_equal(url, other);
	mem_free(url);
	mem_free(other);
	stop();
}

static void test_passes(void **state)
{
	struct passes *p = mem_zalloc(sizeof(*p));
	char first[RANDOM_HEX_SIZE], id[16], *taken;

	(void)state;
	assert_null(passes_take(p, "", 0));
	snprintf(first, sizeof(first), "%s", passes_add(p, "a", 0));
	assert_null(passes_take(p, "", 0));
	for (int i = 1; i < PASSES_EACH; i++)
		passes_add(p, "a", 0);
	passes_add(p, "b", 0);
	assert_int_equal(p->count, PASSES_EACH + 1);
	/* One board has its share, and takes nobody else's. */
	passes_add(p, "a", 0);
	assert_int_equal(p->count, PASSES_EACH + 1);
	assert_null(passes_take(p, first, 0));
	for (int i = 0; i < 2 * PASSES_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		passes_add(p, id, 1);
	}
	assert_int_equal(p->count, PASSES_MAX);
	snprintf(first, sizeof(first), "%s", p->item[0].token);
	taken = passes_take(p, first, 1);
	assert_string_equal(taken, "1024");
	mem_free(taken);
	assert_null(passes_take(p, first, 1));
	/* What is too old goes when the next one comes. */
	passes_add(p, "c", PASS_MS + 2);
	assert_int_equal(p->count, 1);
	passes_done(p);
	mem_free(p);
}

static void test_save(void **state)
{
	char path[96], id[] = "../\xe4\xbd\xa0/x", *url;
	const char *got, *file;
	struct board screen;
	cJSON *json;

	(void)state;
	make_folder();
	snprintf(path, sizeof(path), "%s/a/b", folder);
	begin();
	server.config.pictures.save_images = path;
	open_door();
	expect(good_post(), "200", RECEIVED);
	json = detail(RECORD_VISION);
	file = json_string(json, "file");
	assert_memory_equal(file, path, strlen(path));
	assert_non_null(strstr(file, "-000-02-00-00-00-00-0a.jpg"));
	expect_saved(file);
	cJSON_Delete(json);
	/* The screen: nothing names it but the address, which is for it. */
	screen = (struct board){ .id = id };
	url = door_upload_url(server.door, &screen);
	expect(post_screen(strchr(url + 7, '/'), ""), "200", RECEIVED);
	json = detail(RECORD_UPLOAD);
	file = json_string(json, "file");
	assert_non_null(strstr(file, "-001--------x.jpg"));
	assert_null(strstr(file + strlen(path) + 1, "/"));
	expect_saved(file);
	cJSON_Delete(json);
	mem_free(url);
	/* The folder is gone: the board is answered all the same. */
	rmdir(path);
	got = good_post();
	expect(got, "200", RECEIVED);
	assert_non_null(strstr(got, "\"warning\":\"the picture was not saved: "
				    "No such file"));
	told(RECORD_VISION, LEVEL_BAD, "could not be saved as");
	stop();
	snprintf(path, sizeof(path), "%s/a", folder);
	rmdir(path);
	rmdir(folder);
}

/* The name that comes first, in this second and the next ones. */
static char *first_name(time_t in)
{
	char stamp[32];
	time_t at = time(NULL) + in;
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	return mem_printf("%s/%s-000-02-00-00-00-00-0a.jpg", folder, stamp);
}

/* A name that somebody took is not taken from them: a link that leads nowhere. */
static void test_save_taken(void **state)
{
	char *taken[30];
	const char *file;
	cJSON *json;

	(void)state;
	make_folder();
	for (size_t i = 0; i < COUNT(taken); i++) {
		taken[i] = first_name((time_t)i);
		assert_int_equal(symlink("/nowhere", taken[i]), 0);
	}
	begin();
	server.config.pictures.save_images = folder;
	open_door();
	expect(good_post(), "200", RECEIVED);
	json = detail(RECORD_VISION);
	file = json_string(json, "file");
	assert_non_null(strstr(file, "-001-02-00-00-00-00-0a.jpg"));
	expect_saved(file);
	cJSON_Delete(json);
	stop();
	for (size_t i = 0; i < COUNT(taken); i++) {
		assert_int_equal(unlink(taken[i]), 0);
		mem_free(taken[i]);
	}
	/* Nothing else is left: no part of one. */
	assert_int_equal(rmdir(folder), 0);
}

/* ---- room for them ---- */

static struct disk_space disk;
static int disk_error;

static int fake_space(const char *path, struct disk_space *out)
{
	assert_string_equal(path, folder);
	*out = disk;
	return disk_error;
}

static size_t pictures_kept(void)
{
	CLEANUP(mem_free_ptr)
	char *command = mem_printf("ls %s | wc -l", folder);
	FILE *out = popen(command, "re");
	size_t count = 999;

	assert_non_null(out);
	assert_int_equal(fscanf(out, "%zu", &count), 1);
	pclose(out);
	return count;
}

static void remove_folder(void)
{
	CLEANUP(mem_free_ptr)
	char *command = mem_printf("rm -r %s", folder);
	FILE *out = popen(command, "re");

	assert_non_null(out);
	assert_int_equal(pclose(out), 0);
}

#define MB (UINT64_C(1) << 20)

/* A tenth of the disk stays free, at most 256 MB. */
static void test_full_disk(void **state)
{
	(void)state;
	make_folder();
	begin();
	server.config.pictures.save_images = folder;
	open_door();
	server.door->pictures.space = fake_space;
	disk = (struct disk_space){ 100 * MB, 10 * MB + 10 };
	expect(good_post(), "507", "the disk is nearly full");
	told(RECORD_REFUSED, LEVEL_BAD,
	     "a picture was refused: 10.5 MB are free where '/tmp/test_door.");
	told(RECORD_REFUSED, LEVEL_BAD, "' is, and 10.5 MB stay free");
	disk = (struct disk_space){ 100000 * MB, 256 * MB };
	expect(good_post(), "507", "the disk is nearly full");
	disk = (struct disk_space){ 100 * MB, 0 };
	expect(good_post(), "507", "the disk is nearly full");
	assert_int_equal(pictures_kept(), 0);
	/* A line is enough for a while. */
	assert_int_equal(server.records.count, 1);
	disk = (struct disk_space){ 100 * MB, 10 * MB + 1000 };
	expect(good_post(), "200", RECEIVED);
	disk = (struct disk_space){ 100000 * MB, 257 * MB };
	expect(good_post(), "200", RECEIVED);
	disk_error = ENOSYS;
	expect(good_post(), "200", RECEIVED);
	disk_error = 0;
	assert_int_equal(pictures_kept(), 3);
	/* Nothing is written: the disk does not matter. */
	server.config.pictures.save_images = NULL;
	disk = (struct disk_space){ 100 * MB, 0 };
	expect(good_post(), "200", RECEIVED);
	stop();
	remove_folder();
}

/* A board may send so much within a minute; others are not kept from it. */
static void test_many_pictures(void **state)
{
	const char *got;

	(void)state;
	make_folder();
	begin();
	server.config.pictures.save_images = folder;
	open_door();
	budget_set(server.budget, BUDGET_WRITTEN, 1000);
	expect(good_post(), "200", RECEIVED);
	expect(good_post(), "200", RECEIVED);
	got = good_post();
	assert_non_null(strstr(got, "\r\nRetry-After: "));
	expect(got, "429", "too many pictures in this minute");
	told(RECORD_REFUSED, LEVEL_BAD, "within a minute boards sent more");
	assert_int_equal(pictures_kept(), 2);
	assert_true(budget_spend(server.budget, budget_key_name("other"),
				 BUDGET_WRITTEN, 100));
	stop();
	remove_folder();
}

/* ---- the command ---- */

static void test_exec(void **state)
{
	const char *got;

	(void)state;
	begin();
	server.config.pictures.vision_exec =
		"cmp -s \"$1\" \"$MCPCTL_FILE\" && wc -c <\"$1\" | tr -d ' ' && "
		"echo \"$2/$MCPCTL_QUESTION/$MCPCTL_DEVICE\"";
	open_door();
	expect(good_post(), "200",
	       "19\nwhat is this?/what is this?/02:00:00:00:00:0a");
	told(RECORD_VISION, LEVEL_GOOD, "JPEG");
	server.config.pictures.vision_exec =
		"echo no; echo first >&2; echo 'no \"model\"' >&2; exit 3";
	expect(good_post(), "200",
	       "the vision command ended with status 3: no \"model\"");
	told(RECORD_VISION, LEVEL_WARN, "ended with status 3");
	server.config.pictures.vision_exec = "yes '\1\2' | head -c 100000";
	got = good_post();
	cJSON_Delete(answer(got, "200"));
	assert_true(strlen(got) > 6000);
	server.config.pictures.vision_exec = "yes " CJK " | head -c 100000";
	cJSON_Delete(answer(good_post(), "200"));
	stop();
}

static void expect_gone(const char *note)
{
	char path[512] = "";
	int fd = open(note, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail_msg("no '%s'", note);
	assert_true(read(fd, path, sizeof(path) - 1) > 0);
	close(fd);
	path[strcspn(path, "\n")] = '\0';
	assert_int_equal(access(path, F_OK), -1);
	unlink(note);
}

static void test_exec_limit(void **state)
{
	char command[128], note[96];

	(void)state;
	make_folder();
	snprintf(note, sizeof(note), "%s/note", folder);
	snprintf(command, sizeof(command), "echo \"$1\" >%s; exec sleep 100",
		 note);
	begin();
	server.config.pictures.vision_exec = command;
	open_door();
	server.door->pictures.exec_limit = 3000;
	expect(good_post(), "200",
	       "the vision command took longer than 3000 ms and was ended");
	told(RECORD_VISION, LEVEL_WARN, "was ended");
	expect_gone(note);
	/* The board went meanwhile. */
	leaves = true;
	leaves_after = note;
	good_post();
	for (int i = 0; i < 600 && server.door->pictures.job_count; i++)
		loop_wait(loop, &device_closed, loop_now() + 100, NULL);
	assert_int_equal(server.door->pictures.job_count, 0);
	expect_gone(note);
	/* We go meanwhile. */
	server.door->pictures.exec_limit = 60000;
	leaves = true;
	leaves_after = note;
	good_post();
	for (int i = 0; i < 600 && access(note, F_OK); i++)
		loop_wait(loop, &device_closed, loop_now() + 100, NULL);
	assert_int_equal(server.door->pictures.job_count, 1);
	stop();
	expect_gone(note);
	rmdir(folder);
}

/* ---- noise ---- */

static void test_noise(void **state)
{
	(void)state;
	begin();
	server.config.handshake = 200;
	open_door();
	buf_add(&request, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
	leaves = true;
	visit();
	told(RECORD_NOISE, LEVEL_WARN, "TLS");
	buf_text(&request, "hello there\r\n\r\n");
	leaves = true;
	visit();
	told(RECORD_NOISE, LEVEL_WARN, "no HTTP");
	buf_text(&request, "POST / HTTP/1.1\r\nHost: h\r\n"
			   "Content-Length: 100\r\n\r\nabc");
	leaves = true;
	visit();
	for (int i = 0; i < 20; i++)
		loop_wait(loop, &device_closed, loop_now() + 10, NULL);
	told(RECORD_NOISE, LEVEL_WARN, "amid its body");
	buf_text(&request, "POST / HT");
	visit();
	assert_non_null(strstr(child.said.data, " 408 "));
	told(RECORD_NOISE, LEVEL_WARN, "never finished");
	stop();
}

/* ---- opening ---- */

static void cannot_open(enum error_kind kind, const char *text,
			const char *hint)
{
	struct error err = { 0 };
	struct door *d = NULL;

	assert_int_equal(door_open(&d, &server, &err), -1);
	assert_null(d);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, text) || !strstr(err.hint, hint))
		fail_msg("'%s' (%s)", err.text, err.hint);
	error_reset(&err);
}

static void test_cannot_open(void **state)
{
	struct words taken = { 0 };
	char where[64];

	(void)state;
	start();
	/* The second of two is taken: the first is given back. */
	snprintf(where, sizeof(where), "127.0.0.1:%u",
		 (unsigned)door_port(server.door));
	words_add(&taken, "127.0.0.1:0");
	words_add(&taken, where);
	server.config.listen = &taken;
	cannot_open(ERR_CONNECT, "in use", "");
	server.config.listen = &ports;
	server.config.pictures.save_images = "/dev/null/pictures";
	cannot_open(ERR_OUTPUT, "/dev/null/pictures", "folder");
	server.config.pictures.save_images = NULL;
	server.config.advertise = "not a host";
	cannot_open(ERR_USAGE, "--advertise", "HOST");
	server.config.advertise = NULL;
	words_add(&ports, "host:port");
	cannot_open(ERR_USAGE, "--listen", "PORT");
	words_done(&taken);
	stop();
}

static void test_describe(void **state)
{
	struct board device = { 0 };
	struct buf text = { 0 };
	char *url;

	(void)state;
	begin();
	server.config.advertise = "wss://proxy.example/ws";
	server.mqtt_boards = (struct mqtt_boards *)&offer;
	words_add(&ports, "127.0.0.1:0");
	open_door();
	door_describe(server.door);
	told(RECORD_LISTENING, LEVEL_GOOD, "listening on ports 127.0.0.1:");
	told(RECORD_LISTENING, LEVEL_GOOD,
	     "\n  https://proxy.example/xiaozhi/ota/\n  (passed on to "
	     "http://127.0.0.1:");
	told(RECORD_LISTENING, LEVEL_GOOD, "mqtt://192.168.1.2:1883");
	door_addresses(server.door, &text);
	assert_string_equal(text.data,
			    "[\"https://proxy.example/xiaozhi/ota/\"]");
	url = door_vision_url(server.door, &device);
	assert_string_equal(url, "https://proxy.example/vision/explain");
	mem_free(url);
	buf_done(&text);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ota),
		cmocka_unit_test(test_ota_odd),
		cmocka_unit_test(test_ota_mqtt),
		cmocka_unit_test(test_known_boards),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_of_strangers),
		cmocka_unit_test(test_upgrade),
		cmocka_unit_test(test_point),
		cmocka_unit_test(test_point_tokens),
		cmocka_unit_test(test_point_origin),
		cmocka_unit_test(test_reached),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_vision),
		cmocka_unit_test(test_vision_refused),
		cmocka_unit_test(test_boundary_and_more),
		cmocka_unit_test(test_cut_forms),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_save_taken),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_many_pictures),
		cmocka_unit_test(test_upload_address),
		cmocka_unit_test(test_passes),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_limit),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_cannot_open),
		cmocka_unit_test(test_describe),
	};

	mem_init();
	return cmocka_run_group_tests_name("door", tests, NULL, NULL);
}
