/* SPDX-License-Identifier: MIT */
/*
 * The target listen: as boards, browsers and strangers find it: OTA, page,
 * path, token, a second device, and what the user is told.
 */
#include "base/json.h"
#include "base/mem.h"
#include "diag/arrival.h"
#include "net/listen.h"
#include "raw_client.h"

static struct loop *loop;
static struct transport transport;
static struct endpoint target;
static struct words notices; /* "KIND TEXT" */
static unsigned listening; /* the port */
static bool is_listening, is_ready, is_closed;
static struct error why;
static char peer_text[512];
static bool peer_unsure, peer_at_point;
static struct raw_child child;

static void on_notice(void *owner, const struct notice *n)
{
	char *line = mem_printf("%d %s", (int)n->kind, n->text);
	const char *at = strstr(n->text, "listening on port ");

	(void)owner;
	words_add(&notices, line);
	mem_free(line);
	if (n->kind != NOTICE_LISTENING)
		return;
	assert_ptr_equal(at, n->text);
	listening = (unsigned)strtoul(at + 18, NULL, 10);
	is_listening = true;
}

static void on_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	is_ready = true;
	peer_unsure = peer->unsure;
	peer_at_point = peer->at_point;
	snprintf(peer_text, sizeof(peer_text), "%s %s %s %d %d %s %s",
		 peer->device_id ? peer->device_id : "-",
		 peer->client_id ? peer->client_id : "-",
		 peer->path ? peer->path : "-", peer->protocol_version,
		 peer->envelope, peer->ota ? peer->ota->version : "-",
		 headers_get(peer->headers, "Host"));
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	(void)owner;
	(void)kind;
	transport.ops->send(&transport, data, len, NULL);
}

static void on_closed(void *owner, const struct error *error)
{
	(void)owner;
	is_closed = true;
	error_copy(&why, error);
}

static const struct transport_events events = { .ready = on_ready,
						.message = on_message,
						.closed = on_closed,
						.notice = on_notice };

static void start(const char *text, const char *token, const char *advertise)
{
	struct error err = { 0 };

	listening = 0;
	is_listening = is_ready = is_closed = false;
	assert_int_equal(loop_new(&loop, &err), 0);
	assert_int_equal(endpoint_parse(&target, text, "the test", &err), 0);
	if (token)
		words_add(&target.tokens, token);
	target.advertise = mem_strdup(advertise);
	words_add(&target.allow_hosts, "h");
	words_add(&target.allow_hosts, "box.local");
	transport = (struct transport){ .ops = &listen_ops,
					.loop = loop,
					.events = &events };
	if (listen_ops.open(&transport, &target, &err))
		fail_msg("%s", err.text);
	assert_int_equal(
		loop_wait(loop, &is_listening, loop_now() + 60000, NULL), 0);
	assert_true(listening > 0);
}

static const char *visit(void (*fn)(uint16_t port, int out))
{
	raw_done(&child);
	raw_start(&child, loop, (uint16_t)listening, fn);
	return raw_finish(&child, loop);
}

static void stop(void)
{
	listen_ops.close(&transport);
	assert_int_equal(loop_wait(loop, &is_closed, loop_now() + 60000, NULL),
			 0);
	loop_free(loop);
	endpoint_done(&target);
	words_done(&notices);
	error_reset(&why);
	raw_done(&child);
}

/* A notice of that kind that has this text. */
static void told(enum notice_kind kind, const char *text)
{
	char prefix[16];

	snprintf(prefix, sizeof(prefix), "%d ", (int)kind);
	for (size_t i = 0; i < notices.count; i++) {
		if (!strncmp(notices.word[i], prefix, strlen(prefix)) &&
		    strstr(notices.word[i], text))
			return;
	}
	for (size_t i = 0; i < notices.count; i++)
		print_error("notice: %s\n", notices.word[i]);
	fail_msg("no notice %s'%s'", prefix, text);
}

static void explains(const char *text)
{
	const struct port *port = listen_port(&transport);
	const struct arrival a = { .port = &port->facts,
				   .ota_url = port->ota_url };
	struct error err = { 0 };

	arrival_explain(&a, &err);
	if (!strstr(err.text, text))
		fail_msg("'%s' does not say '%s'", err.text, text);
}

/* One request; the whole answer by its Content-Length goes to the pipe. */
static void exchange(uint16_t to, int out, const char *request)
{
	char head[2048], body[8192];
	int fd = raw_connect(to);
	const char *at;
	size_t len;

	raw_text(fd, request);
	raw_read_head(fd, head, sizeof(head));
	at = strstr(head, "Content-Length: ");
	len = at ? strtoul(at + 16, NULL, 10) : 0;
	if (len >= sizeof(body) || !raw_read(fd, body, len))
		_exit(5);
	(void)!write(out, head, strlen(head));
	(void)!write(out, body, len);
	close(fd);
}

#define QUESTION "{\"application\":{\"version\":\"2.4.2\"}}"
#define ASK(path, host)                                               \
	"POST " path " HTTP/1.1\r\nHost: " host "\r\n"                \
	"Client-Id: c\r\nContent-Type: application/json\r\n"          \
	"Device-Id: 02:00:00:00:00:01\r\nUser-Agent: bread/2.4.2\r\n" \
	"Content-Length: 35\r\nConnection: close\r\n\r\n" QUESTION

static void child_ask(uint16_t to, int out)
{
	exchange(to, out, ASK("/xiaozhi/ota/", "box.local:99"));
}

static void child_ask_no_slash(uint16_t to, int out)
{
	exchange(to, out, ASK("/xiaozhi/ota", "box.local"));
}

static void child_ask_odd_host(uint16_t to, int out)
{
	exchange(to, out, ASK("/xiaozhi/ota/", "a\"b/c"));
}

/* Only HTTP/1.0 may leave it out. */
static void child_ask_no_host(uint16_t to, int out)
{
	exchange(to, out,
		 "POST /xiaozhi/ota/ HTTP/1.0\r\nDevice-Id: a\r\n"
		 "Content-Length: 2\r\n\r\n{}");
}

static void child_ask_no_id(uint16_t to, int out)
{
	exchange(to, out,
		 "POST /xiaozhi/ota/ HTTP/1.1\r\nHost: h\r\n"
		 "Content-Length: 3\r\nConnection: close\r\n\r\n{x}");
}

/* The url of an OTA answer, whose body has nothing else. */
static void answers(const char *got, const char *url, const char *token)
{
	const char *body = strstr(got, "\r\n\r\n");
	struct error err = { 0 };
	cJSON *json, *websocket;

	assert_non_null(strstr(got, "HTTP/1.1 200 OK\r\n"));
	assert_non_null(strstr(got, "Content-Length: "));
	assert_true(strlen(got) < 8000);
	assert_non_null(body);
	json = json_parse(body + 4, strlen(body + 4), &err);
	assert_non_null(json);
	assert_int_equal(cJSON_GetArraySize(json), 1);
	websocket = json_object(json, "websocket");
	assert_string_equal(json_string(websocket, "url"), url);
	if (token)
		assert_string_equal(json_string(websocket, "token"), token);
	else
		assert_null(json_string(websocket, "token"));
	cJSON_Delete(json);
}

static void test_ota(void **state)
{
	char own[64];

	(void)state;
	start("listen:127.0.0.1:0", NULL, NULL);
	told(NOTICE_LISTENING, "OTA address to set on the board:\n  http://");
	told(NOTICE_LISTENING, "/xiaozhi/ota/\n");
	explains("nothing came");
	answers(visit(child_ask), "ws://box.local:99/xiaozhi/v1/?port=99",
		NULL);
	told(NOTICE_OTA, "02:00:00:00:00:01 asked OTA");
	told(NOTICE_OTA, "'bread', version 2.4.2");
	explains("'bread' version 2.4.2");
	answers(visit(child_ask_no_slash), "ws://box.local/xiaozhi/v1/?port=80",
		NULL);
	snprintf(own, sizeof(own), "ws://127.0.0.1:%u/xiaozhi/v1/", listening);
	answers(visit(child_ask_no_host), own, NULL);
	assert_non_null(strstr(visit(child_ask_odd_host), " 400 "));
	answers(visit(child_ask_no_id), "ws://h/xiaozhi/v1/?port=80", NULL);
	told(NOTICE_OTA, "without a Device-Id");
	stop();
	start("listen:127.0.0.1:0/p", "first", "wss://proxy.example");
	told(NOTICE_LISTENING, "https://proxy.example/xiaozhi/ota/");
	answers(visit(child_ask), "wss://proxy.example/p", "first");
	stop();
}

static void child_page(uint16_t to, int out)
{
	exchange(to, out, "GET / HTTP/1.1\r\nHost: h:1\r\n\r\n");
	exchange(to, out, "GET /xiaozhi/ota HTTP/1.1\r\nHost: h:1\r\n\r\n");
	exchange(to, out, "GET /nothing HTTP/1.1\r\nHost: h:1\r\n\r\n");
	exchange(to, out, "DELETE / HTTP/1.1\r\nHost: h:1\r\n\r\n");
	exchange(to, out,
		 "POST /xiaozhi/ota/activate HTTP/1.1\r\nHost: h:1\r\n"
		 "Content-Length: 2\r\n\r\n{}");
}

static void test_page_and_paths(void **state)
{
	const char *got, *second;

	(void)state;
	start("listen:127.0.0.1:0", NULL, NULL);
	got = visit(child_page);
	assert_non_null(strstr(got, "200 OK"));
	assert_non_null(strstr(got, "<html"));
	assert_non_null(strstr(got, "http://h:1/xiaozhi/ota/"));
	second = strstr(strstr(got, "</html>"), "<html");
	assert_non_null(second);
	got = strstr(second, "404 Not Found");
	assert_non_null(got);
	assert_non_null(strstr(got, "{\"error\":"));
	got = strstr(got, "405 ");
	assert_non_null(got);
	got = strstr(got, "200 OK");
	assert_non_null(got);
	assert_non_null(strstr(got, "\r\n\r\n{}"));
	told(NOTICE_BROWSER, "network and port are fine");
	told(NOTICE_PATH, "'/nothing'");
	explains("only a browser");
	stop();
}

static void child_without_upgrade(uint16_t to, int out)
{
	exchange(to, out,
		 "GET /xiaozhi/v1/ HTTP/1.1\r\nHost: h:1\r\n"
		 "Sec-WebSocket-Version: 13\r\n"
		 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
	exchange(to, out,
		 "GET / HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n"
		 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
}

/* That is no wrong path, and no browser. */
static void test_proxy_without_upgrade(void **state)
{
	const char *got;

	(void)state;
	start("listen:127.0.0.1:0", NULL, NULL);
	got = visit(child_without_upgrade);
	assert_non_null(strstr(got, " 426 "));
	assert_null(strstr(got, " 404 "));
	assert_null(strstr(got, "<html"));
	assert_non_null(strstr(got, "a proxy took it away"));
	told(NOTICE_PATH, "came without 'Upgrade'; a proxy in front");
	explains("from which a proxy took 'Upgrade' away");
	stop();
}

static void child_half_upgrade(uint16_t to, int out)
{
	exchange(to, out,
		 "GET /ws HTTP/1.0\r\nHost: h:1\r\nUpgrade: websocket\r\n"
		 "Connection: upgrade\r\nSec-WebSocket-Version: 13\r\n"
		 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
	exchange(to, out,
		 "GET /ws HTTP/1.1\r\nHost: h:1\r\nUpgrade: websocket\r\n"
		 "Connection: close\r\nSec-WebSocket-Version: 13\r\n"
		 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
}

/* nginx as it is set up by who knows of Upgrade alone. */
static void test_proxy_with_half_of_it(void **state)
{
	const char *got;

	(void)state;
	start("listen:127.0.0.1:0", NULL, NULL);
	got = visit(child_half_upgrade);
	assert_non_null(strstr(got, "a WebSocket upgrade needs HTTP/1.1"));
	assert_non_null(strstr(got, "needs 'Connection: Upgrade'"));
	told(NOTICE_NOISE, "a proxy in front must pass all of it on");
	explains("a proxy took 'Upgrade' away");
	stop();
}

static void child_strangers(uint16_t to, int out)
{
	static const char *const said[] = {
		"\x16\x03\x01\x02", "rubbish\r\n\r\n",
		"GET / HTTP/1.1\r\nUpgrade: h2c\r\n\r\n",
		"GET / HTTP/1.1\r\nHost"
	};
	char answer[256];

	for (size_t i = 0; i < COUNT(said); i++) {
		int fd = raw_connect(to);
		ssize_t len;

		raw_text(fd, said[i]);
		shutdown(fd, SHUT_WR);
		len = recv(fd, answer, sizeof(answer), 0);
		if (len <= 0)
			_exit(6);
		(void)!write(out, answer, (size_t)len);
		close(fd);
	}
}

static void test_strangers(void **state)
{
	const char *got;

	(void)state;
	start("listen:127.0.0.1:0", NULL, NULL);
	got = visit(child_strangers);
	got = strstr(got, " 400 ");
	assert_non_null(got);
	got = strstr(got, "speaks no TLS");
	assert_non_null(got);
	got = strstr(got, " 400 ");
	assert_non_null(got);
	got = strstr(got + 1, " 400 ");
	assert_non_null(got);
	assert_non_null(strstr(got + 1, " 400 "));
	told(NOTICE_TLS, "https:// or wss://");
	told(NOTICE_NOISE, "no HTTP");
	told(NOTICE_NOISE, "WebSocket 13");
	told(NOTICE_NOISE, "never finished");
	explains("TLS");
	stop();
}

static void knock(uint16_t to, int out, const char *path, const char *extra)
{
	char head[2048];
	int fd = raw_dial(to, path, extra, head, sizeof(head));

	(void)!write(out, head, strcspn(head, "\r"));
	(void)!write(out, "\n", 1);
	close(fd);
}

static void child_refused(uint16_t to, int out)
{
	knock(to, out, "/wrong", "Device-Id: d\r\n");
	knock(to, out, "/right", "Device-Id: d\r\n");
	knock(to, out, "/right/?token=secre", "Device-Id: d\r\n");
	knock(to, out, "/right", "Authorization: Bearer secret2\r\n");
}

static void test_refused(void **state)
{
	const char *got;

	(void)state;
	start("listen:127.0.0.1:0/right", "secret", NULL);
	got = visit(child_refused);
	assert_string_equal(got, "HTTP/1.1 404 Not Found\n"
				 "HTTP/1.1 401 Unauthorized\n"
				 "HTTP/1.1 401 Unauthorized\n"
				 "HTTP/1.1 401 Unauthorized\n");
	told(NOTICE_PATH, "refused d: it dialled '/wrong', not '/right'");
	told(NOTICE_TOKEN, "refused d: its token is missing");
	told(NOTICE_TOKEN, "refused d: its token is wrong");
	told(NOTICE_TOKEN, "without a Device-Id: its token is wrong");
	for (size_t i = 0; i < notices.count; i++)
		assert_null(strstr(notices.word[i], "secre"));
	explains("token");
	stop();
}

static void child_device(uint16_t to, int out)
{
	char head[2048], data[64];
	size_t len;
	int fd;

	exchange(to, out, ASK("/xiaozhi/ota/", "h"));
	fd = raw_dial(to,
		      "/right?authorization=Bearer+s%65cret&client-id=c%20d"
		      "&protocol-version=3&x=1",
		      "device-id: 02:00:00:00:00:01\r\n", head, sizeof(head));
	if (!strstr(head, " 101 "))
		_exit(7);
	knock(to, out, "/right", "Authorization: secret\r\nDevice-Id: e\r\n");
	raw_frame(fd, 0x81, "hi", 2);
	if (raw_next(fd, data, sizeof(data), &len) != 0x81 || len != 2)
		_exit(8);
	close(fd);
}

static void test_device(void **state)
{
	const char *got;

	(void)state;
	start("listen:127.0.0.1:0/right", "secret", NULL);
	got = visit(child_device);
	assert_non_null(strstr(got, "HTTP/1.1 503 Service Unavailable\n"));
	assert_true(is_ready);
	assert_string_equal(peer_text,
			    "02:00:00:00:00:01 c d "
			    "/right?authorization=***&client-id=c%20d"
			    "&protocol-version=3&x=1 3 1 2.4.2 127.0.0.1");
	told(NOTICE_REFUSED, "refused e: a second device, while "
			     "02:00:00:00:00:01 is served");
	/* One device a transport: when it goes, this is the end. */
	assert_int_equal(loop_wait(loop, &is_closed, loop_now() + 60000, NULL),
			 0);
	assert_int_equal(why.kind, ERR_CONNECT);
	assert_string_equal(why.text,
			    "the device closed the connection (TCP FIN, "
			    "without a Close frame)");
	assert_null(transport.impl);
	stop();
}

static const char *dialled;

static void child_of_no_board(uint16_t to, int out)
{
	char head[2048];

	(void)out;
	close(raw_dial(to, dialled, "", head, sizeof(head)));
}

/* Who dials in there, and tells no Device-Id, is asked at once, or only later. */
static void is_at_point(const char *text, const char *path, bool at_point)
{
	dialled = path;
	start(text, NULL, NULL);
	visit(child_of_no_board);
	assert_true(is_ready);
	assert_true(peer_unsure);
	assert_int_equal(peer_at_point, at_point);
	stop();
}

/* A path as that of an access point is one; where any is taken, none is. */
static void test_access_point(void **state)
{
	(void)state;
	is_at_point("listen:127.0.0.1:0/mcp", "/mcp", true);
	is_at_point("listen:127.0.0.1:0/mcp_endpoint/mcp/",
		    "/mcp_endpoint/mcp/?token=x", true);
	is_at_point("listen:127.0.0.1:0/mcps", "/mcps", false);
	is_at_point("listen:127.0.0.1:0/", "/mcp", false);
}

static void test_port_in_use(void **state)
{
	struct error err = { 0 };
	struct transport second;
	struct endpoint to;
	char text[64];

	(void)state;
	start("listen:127.0.0.1:0", NULL, NULL);
	snprintf(text, sizeof(text), "listen:127.0.0.1:%u", listening);
	assert_int_equal(endpoint_parse(&to, text, "the test", &err), 0);
	second = transport;
	second.impl = NULL;
	assert_int_equal(listen_ops.open(&second, &to, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	snprintf(text, sizeof(text), "port %u is in use", listening);
	assert_non_null(strstr(err.text, text));
	assert_non_null(strstr(err.hint, "another port"));
	/* By whom: this very process. */
	snprintf(text, sizeof(text), "(process %d)", (int)getpid());
	assert_non_null(strstr(err.text, text));
	endpoint_done(&to);
	assert_int_equal(
		endpoint_parse(&to, "listen:192.0.2.250:0", "the test", &err),
		0);
	assert_int_equal(listen_ops.open(&second, &to, &err), -1);
	assert_non_null(strstr(err.text, "no address '192.0.2.250'"));
	endpoint_done(&to);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ota),
		cmocka_unit_test(test_page_and_paths),
		cmocka_unit_test(test_proxy_without_upgrade),
		cmocka_unit_test(test_proxy_with_half_of_it),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_access_point),
		cmocka_unit_test(test_port_in_use),
	};

	return cmocka_run_group_tests_name("listen", tests, NULL, NULL);
}
