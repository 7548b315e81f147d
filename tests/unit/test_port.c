/* SPDX-License-Identifier: MIT */
/*
 * net/port: what boards, browsers and strangers are answered, and what its owner
 * is told of each, word for word.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/port.h"

enum { PATIENCE = 60000 };

static struct loop *loop;
static struct port *port;
static struct port_config config;
static struct words names;
static struct buf told; /* to the owner, a line each */
static struct buf got; /* what came back */
static struct error err;

/* What the owner says. */
static enum token_verdict verdict;
static enum port_offer offer;
static struct ota_mqtt broker;
static struct ota_firmware firmware;
static const char *token, *full;
static struct transport transport;
static bool has_place, closed;

/* ---- an owner that notes all ---- */

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static void on_heard(void *owner, const struct port_news *n)
{
	assert_ptr_equal(owner, &told);
	assert_true(n->event == PORT_REFUSED || n->who.address);
	buf_printf(&told, "%d %s|%s|%s|%s\n", (int)n->event,
		   or_dash(n->who.device_id), or_dash(n->who.client_id),
		   or_dash(n->text), or_dash(n->hint));
}

static void on_asked(const struct visit *v, const struct ota_request *rq,
		     const char *sent_to, bool mqtt)
{
	(void)v;
	buf_printf(&told, "asked %s %s %d\n", rq->device_id, sent_to, mqtt);
}

static void on_page(const struct visit *v, struct buf *out)
{
	(void)v;
	buf_text(out, "(of the owner)");
}

static enum token_verdict on_token(void *owner, const struct who *who,
				   const char *given)
{
	assert_ptr_equal(owner, &told);
	buf_printf(&told, "token %s %s\n", or_dash(who->device_id),
		   or_dash(given));
	return verdict;
}

static const char *token_for(void *owner, const struct ota_request *rq)
{
	(void)owner;
	(void)rq;
	return token;
}

static const char *token_at(void *owner, size_t i)
{
	(void)owner;
	return i == 0 ? token : NULL;
}

static struct transport *on_place(const struct visit *v,
				  const struct peer_info *peer,
				  const char **reason)
{
	(void)v;
	buf_printf(&told, "place %s %s %s version %d%s%s%s%s %s %s\n",
		   or_dash(peer->device_id), or_dash(peer->client_id),
		   or_dash(peer->path), peer->protocol_version,
		   peer->envelope ? " envelope" : "",
		   peer->unsure ? " unsure" : "",
		   peer->at_point ? " at the point" : "",
		   peer->headers ? "" : " no headers",
		   peer->ota ? peer->ota->user_agent : "-",
		   or_dash(peer->ota_answer));
	*reason = full;
	return has_place ? &transport : NULL;
}

static void on_unplace(void *owner, struct transport *t)
{
	(void)owner;
	(void)t;
	buf_text(&told, "unplaced\n");
}

static enum front_standing on_standing(const struct visit *v)
{
	(void)v;
	return FRONT_STRANGER;
}

static enum port_offer on_offer(const struct visit *v,
				const struct ota_request *rq,
				struct ota_mqtt *mqtt)
{
	(void)rq;
	*mqtt = broker;
	if (offer == PORT_OFFER_NONE)
		visit_refuse(v, 403, "not \"you\"");
	return offer;
}

static bool on_firmware(const struct visit *v, const struct ota_request *rq,
			struct ota_firmware *out)
{
	(void)v;
	(void)rq;
	*out = firmware;
	return firmware.url;
}

static const struct port_policy policy = { .heard = on_heard,
					   .asked = on_asked,
					   .page = on_page,
					   .token = on_token,
					   .token_for = token_for,
					   .token_at = token_at,
					   .place = on_place,
					   .unplace = on_unplace,
					   .standing = on_standing,
					   .offer = on_offer,
					   .firmware = on_firmware };

static void on_ready(void *owner, const struct peer_info *peer)
{
	(void)owner;
	(void)peer;
}

static void on_message(void *owner, enum frame_kind kind, const void *data,
		       size_t len)
{
	(void)owner;
	(void)kind;
	(void)data;
	(void)len;
}

static void on_over(void *owner, const struct error *why)
{
	(void)owner;
	(void)why;
	closed = true;
}

static const struct transport_events over = { .ready = on_ready,
					      .message = on_message,
					      .closed = on_over };

/* ---- a port of this machine alone ---- */

static int set_up(void **state)
{
	(void)state;
	config = (struct port_config){ .host = "127.0.0.1" };
	verdict = TOKEN_FITS;
	offer = PORT_OFFER_HERE;
	broker = (struct ota_mqtt){ 0 };
	firmware = (struct ota_firmware){ 0 };
	token = NULL;
	full = "full";
	has_place = closed = false;
	words_add(&names, "h");
	config.admit.hosts = &names;
	return loop_new(&loop, &err);
}

static void on_closed(void *owner)
{
	*(bool *)owner = true;
}

static int tear_down(void **state)
{
	bool gone = false;

	(void)state;
	if (port) {
		port_close(TAKE(port), on_closed, &gone);
		assert_int_equal(
			loop_wait(loop, &gone, loop_now() + PATIENCE, NULL), 0);
	}
	loop_free(loop);
	words_done(&names);
	buf_done(&told);
	buf_done(&got);
	error_reset(&err);
	return 0;
}

static void open_port(void)
{
	if (port_open(&port, loop, &config, &policy, &told, &err))
		fail_msg("%s", err.text);
}

/* Its socket, once that was said there. */
static int dial(const char *text)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_port = htons(port->place[0].number);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	for (size_t len = strlen(text); len;) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
		loop_poll(loop);
	}
	return fd;
}

/* Whole by its length, or a WebSocket. */
static bool is_whole(const char *answer)
{
	const char *blank = strstr(answer, "\r\n\r\n");
	const char *told_length = strstr(answer, "Content-Length: ");

	return blank &&
	       (strstr(answer, " 101 ") ||
		(told_length &&
		 strlen(blank + 4) >= strtoul(told_length + 16, NULL, 10)));
}

/* All that is answered, up to the end or a WebSocket; what was told before goes. */
static const char *say(const char *text)
{
	int fd;
	char room[4096];
	ssize_t n = 1;

	buf_reset(&told);
	buf_reset(&got);
	fd = dial(text);
	for (int64_t end = loop_now() + PATIENCE; n && loop_now() < end;) {
		n = recv(fd, room, sizeof(room), 0);
		if (n > 0)
			buf_add(&got, room, (size_t)n);
		if (is_whole(buf_string(&got)))
			n = 0;
		loop_poll(loop);
	}
	close(fd);
	return buf_string(&got);
}

#define GET(path) "GET " path " HTTP/1.1\r\nConnection: close\r\nHost: h\r\n"
#define BOARD "Device-Id: b1\r\nClient-Id: c1\r\n"
#define OTA(host)                                                         \
	"POST /xiaozhi/ota/ HTTP/1.1\r\nConnection: close\r\nHost: " host \
	"\r\n" BOARD "User-Agent: bread/2.4.2\r\nContent-Length: 2\r\n\r\n{}"
#define DIAL(target, more)                                \
	"GET " target " HTTP/1.1\r\nHost: h\r\n" more     \
	"Connection: Upgrade\r\nUpgrade: websocket\r\n"   \
	"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" \
	"Sec-WebSocket-Version: 13\r\n\r\n"

/* Status and whole body of the answer, and what the owner was told. */
static void answers(const char *text, int status, const char *body,
		    const char *lines)
{
	CLEANUP(mem_free_ptr) char *head = mem_printf("HTTP/1.1 %d ", status);
	const char *answer = say(text), *blank = strstr(answer, "\r\n\r\n");

	if (strncmp(answer, head, strlen(head)) != 0 || !blank)
		fail_msg("no %d: %s", status, answer);
	if (body)
		assert_string_equal(blank + 4, body);
	assert_string_equal(buf_string(&told), lines);
}

/* ---- OTA ---- */

static void asks_ota(void **state)
{
	const struct port_facts *f;

	(void)state;
	config.path = "/ws";
	open_port();
	f = &port->facts;
	answers(OTA("h:99"), 200, "{\"websocket\":{\"url\":\"ws://h:99/ws\"}}",
		"asked b1 ws://h:99/ws 0\n");
	assert_int_equal(f->ota, 1);
	assert_int_equal(f->connections, 1);
	assert_string_equal(f->ota_id, "b1");
	assert_string_equal(f->ota_board, "bread");
	assert_string_equal(f->ota_version, "2.4.2");
	assert_memory_equal(f->ota_address, "127.0.0.1:", 10);
	assert_false(f->lan);
	assert_true(f->home);
	/* The same again is no news; another address is. */
	answers(OTA("h:99"), 200, NULL, "asked b1 ws://h:99/ws 0\n");
	answers(OTA("h"), 200, "{\"websocket\":{\"url\":\"ws://h/ws\"}}",
		"asked b1 ws://h/ws 0\n"
		"10 b1|c1|it is sent to ws://h/ws now, and was sent to ws://h:99/ws before|-\n");
	token = "t0";
	firmware = (struct ota_firmware){ "9.0.0", "http://h/f" };
	answers(OTA("h"), 200,
		"{\"websocket\":{\"url\":\"ws://h/ws\",\"token\":\"t0\"},"
		"\"firmware\":{\"version\":\"9.0.0\",\"url\":\"http://h/f\",\"force\":1}}",
		"asked b1 ws://h/ws 0\n");
}

/* Firmware leaves the port out: where it is not ours it is told in the query. */
static void tells_port(void **state)
{
	CLEANUP(mem_free_ptr) char *own = NULL;
	CLEANUP(mem_free_ptr) char *asks = NULL;
	CLEANUP(mem_free_ptr) char *wanted = NULL;

	(void)state;
	config.tells_port = config.tells_time = true;
	setenv("TZ", "XXX-5:30", 1);
	tzset();
	open_port();
	answers(OTA("h"), 200, NULL, "asked b1 ws://h/xiaozhi/v1/?port=80 0\n");
	assert_non_null(
		strstr(buf_string(&got), "\"server_time\":{\"timestamp\":"));
	assert_non_null(strstr(buf_string(&got), ",\"timezone_offset\":330}"));
	own = mem_printf("127.0.0.1:%u", (unsigned)port->place[0].number);
	asks = mem_printf("GET /xiaozhi/ota/ HTTP/1.1\r\nConnection: close\r\n"
			  "Host: %s\r\n" BOARD "\r\n",
			  own);
	wanted = mem_printf(
		"asked b1 ws://%s/xiaozhi/v1/ 0\n"
		"10 b1|c1|it is sent to ws://%s/xiaozhi/v1/ now, and was sent to ws://h/xiaozhi/v1/?port=80 before|-\n",
		own, own);
	answers(asks, 200, NULL, wanted);
}

static void is_sent_elsewhere(void **state)
{
	static char long_name[300];

	(void)state;
	open_port();
	offer = PORT_OFFER_NONE;
	answers(OTA("h"), 403, "{\"error\":\"not \\\"you\\\"\"}\n", "");
	assert_null(memory_find(&port->memory, "b1", NULL));
	offer = PORT_OFFER_BROKER;
	token = "not for a broker";
	broker = (struct ota_mqtt){ .endpoint = "h:1883",
				    .client_id = "c",
				    .publish_topic = "up" };
	answers(OTA("h"), 200, NULL, "asked b1 mqtt://h:1883 as c 1\n");
	assert_null(strstr(buf_string(&got), "token"));
	assert_non_null(memory_find_given(&port->memory, "c", NULL));
	broker.client_id = NULL;
	answers(OTA("h"), 200, NULL,
		"asked b1 mqtt://h:1883 as  1\n"
		"10 b1|c1|it is sent to mqtt://h:1883 as  now, and was sent to mqtt://h:1883 as c before|-\n");
	memset(long_name, 'x', sizeof(long_name) - 1);
	broker.endpoint = long_name;
	answers(OTA("h"), 500, NULL,
		"6 b1|c1|broker address of 299 bytes is too long for a device (255 at most)|give a shorter broker address\n");
}

/* A question of that many bytes. */
static char *question(size_t len)
{
	struct buf out = { 0 };

	buf_printf(&out,
		   "POST /xiaozhi/ota/ HTTP/1.1\r\nConnection: close\r\n"
		   "Host: h\r\nContent-Length: %zu\r\n\r\n",
		   len);
	for (size_t i = 0; i < len; i++)
		buf_char(&out, ' ');
	return buf_take(&out);
}

static void asks_at_length(void **state)
{
	CLEANUP(mem_free_ptr) char *most = question(65536);
	CLEANUP(mem_free_ptr) char *more = question(65537);

	(void)state;
	open_port();
	answers(most, 200, NULL, "asked  ws://h/xiaozhi/v1/ 0\n");
	answers(more, 413,
		"{\"error\":\"the body is too large for an OTA question\"}\n",
		"5 -|-|asked OTA with a body of 65537 bytes: refused, above 65536|-\n");
	assert_int_equal(port->facts.ota, 1);
	assert_int_equal(port->facts.connections, 2);
	/* Nothing is remembered of who has no name. */
	assert_int_equal(port->memory.count, 0);
}

/* ---- what else comes ---- */

#define NOTHING \
	"{\"error\":\"nothing at this path; the OTA path is /xiaozhi/ota/\"}\n"

static void comes_for_others(void **state)
{
	const struct port_facts *f;

	(void)state;
	open_port();
	f = &port->facts;
	answers("POST /xiaozhi/ota/activate HTTP/1.1\r\nConnection: close\r\n"
		"Host: h\r\n" BOARD "Content-Length: 0\r\n\r\n",
		200, "{}",
		"0 b1|c1|asked for activation: it needs none here|-\n");
	answers(GET("/") "\r\n", 200, NULL,
		"1 -|-|the page was opened: network and port are fine|-\n");
	assert_non_null(strstr(buf_string(&got), "(of the owner)"));
	assert_non_null(strstr(buf_string(&got),
			       "Content-Type: text/html; charset=utf-8\r\n"));
	assert_int_equal(f->browser, 1);
	answers(GET("/favicon.ico") "\r\n", 404,
		"{\"error\":\"there is no icon\"}\n", "");
	answers("PUT / HTTP/1.1\r\nConnection: close\r\nHost: h\r\n"
		"Content-Length: 0\r\n\r\n",
		405, "{\"error\":\"only GET and POST are answered\"}\n", "");
	answers(GET("/x?q") "\r\n", 404, NOTHING,
		"3 -|-|GET '/x': there is nothing|the OTA path is /xiaozhi/ota/\n");
	assert_int_equal(f->browser, 2);
	assert_int_equal(f->wrong_path, 0);
	answers(GET("/y") BOARD "\r\n", 404, NOTHING,
		"3 b1|c1|GET '/y': there is nothing|the OTA path is /xiaozhi/ota/\n");
	assert_int_equal(f->browser, 2);
	assert_int_equal(f->wrong_path, 1);
	assert_string_equal(f->wrong_path_text, "/y");
	answers(GET("/ws") "Sec-WebSocket-Key: k\r\n\r\n", 426,
		"{\"error\":\"this WebSocket request has no 'Upgrade': a proxy took it away\"}\n",
		"3 -|-|a WebSocket request for '/ws' came without 'Upgrade'|"
		"a proxy in front took it away, and must pass it on (nginx: proxy_http_version 1.1, "
		"proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection upgrade)\n");
	assert_int_equal(f->no_upgrade, 1);
	assert_int_equal(f->connections, 7);
	assert_int_equal(f->ota + f->foreign + f->tls + f->upgraded, 0);
}

/* A name that is too long is none. */
static void comes_with_a_name(void **state)
{
	char text[500], id[129];

	(void)state;
	open_port();
	memset(id, 'i', 128);
	id[128] = '\0';
	snprintf(text, sizeof(text), GET("/y") "Device-Id: %s\r\n\r\n", id);
	answers(text, 404, NOTHING,
		"3 -|-|GET '/y': there is nothing|the OTA path is /xiaozhi/ota/\n");
	assert_int_equal(port->facts.wrong_path, 0);
	snprintf(text, sizeof(text), GET("/y") "Device-Id: %s\r\n\r\n", id + 1);
	say(text);
	assert_int_equal(port->facts.wrong_path, 1);
	assert_int_equal(port->facts.browser, 1);
}

static void comes_from_elsewhere(void **state)
{
	struct words proxies = { 0 };

	(void)state;
	words_add(&proxies, "127.0.0.1");
	config.admit.proxies = &proxies;
	open_port();
	say(GET("/") "X-Forwarded-For: 127.0.0.9\r\n\r\n");
	say(GET("/") "X-Forwarded-For: ::1\r\n\r\n");
	assert_false(port->facts.lan);
	say(GET("/") "X-Forwarded-For: 192.0.2.1\r\n\r\n");
	assert_true(port->facts.lan);
	words_done(&proxies);
}

/* Pages of others, and what is no HTTP. */
static void comes_wrongly(void **state)
{
	const struct port_facts *f;

	(void)state;
	open_port();
	f = &port->facts;
	say(GET("/") "Origin: http://evil.example\r\n\r\n");
	assert_non_null(strstr(buf_string(&got), " 403 "));
	assert_int_equal(f->foreign, 1);
	assert_int_equal(f->connections, 1);
	assert_non_null(strstr(f->foreign_text, "http://evil.example"));
	assert_non_null(strstr(f->foreign_hint, "--allow-origin"));
	assert_memory_equal(buf_string(&told), "4 -|-|", 6);
	say("\x16\x03\x01\x02\x01\x01\xfc\x03\x03");
	assert_int_equal(f->tls, 1);
	assert_int_equal(f->connections, 2);
	assert_memory_equal(buf_string(&told), "2 -|-|something spoke TLS", 25);
	say("SSH-2.0-x\r\n\r\n");
	assert_int_equal(f->tls, 1);
	assert_string_equal(buf_string(&told),
			    "2 -|-|something came that is no HTTP|-\n");
}

/* Ten of a kind, and each page once; then how many more there were. */
static void comes_often(void **state)
{
	(void)state;
	open_port();
	for (int i = 0; i < 10; i++) {
		say("SSH-2.0-x\r\n\r\n");
		assert_string_equal(buf_string(&told),
				    "2 -|-|something came that is no HTTP|-\n");
	}
	say("SSH-2.0-x\r\n\r\n");
	assert_string_equal(buf_string(&told), "");
	assert_int_equal(port->facts.connections, 11);
	say(GET("/") "Origin: http://a.example\r\n\r\n");
	assert_memory_equal(buf_string(&told), "4 -|-|", 6);
	say(GET("/") "Origin: http://a.example\r\n\r\n");
	assert_string_equal(buf_string(&told), "");
	port_hush(port);
	assert_string_equal(
		buf_string(&told),
		"4 -|-|1 more within a minute: something came that is no HTTP|-\n"
		"4 -|-|1 more request of pages, or for names that are not ours, was refused since|-\n");
	/* It was told; no more were there since. */
	buf_reset(&told);
	port_hush(port);
	assert_string_equal(buf_string(&told), "");
	for (int i = 0; i < 3; i++)
		say(GET("/") "Origin: http://a.example\r\n\r\n");
	port_hush(port);
	assert_string_equal(
		buf_string(&told),
		"4 -|-|2 more requests of pages, or for names that are not ours, were refused since|-\n");
}

/* A page that the user named may read what it is answered; no other. */
static void comes_by_a_page(void **state)
{
	struct words pages = { 0 };

	(void)state;
	words_add(&pages, "http://page.example");
	config.admit.origins = &pages;
	open_port();
	say(GET("/") "Origin: http://page.example\r\n\r\n");
	assert_non_null(strstr(
		buf_string(&got),
		"\r\nAccess-Control-Allow-Origin: http://page.example\r\n"
		"Access-Control-Expose-Headers: Mcp-Session-Id\r\n"
		"Vary: Origin\r\n"));
	say(GET("/") "\r\n");
	assert_null(strstr(buf_string(&got), "Access-Control"));
	assert_non_null(
		strstr(buf_string(&got), "\r\nCache-Control: no-store\r\n"));
	words_done(&pages);
}

/* ---- WebSockets ---- */

static void dials_wrongly(void **state)
{
	char text[1000], id[129];

	(void)state;
	config.path = "/ws";
	full = "there is no room";
	open_port();
	answers(DIAL("/other", BOARD), 404,
		"{\"error\":\"no WebSocket at this path\"}\n",
		"7 b1|c1|it dialled '/other', not '/ws'|-\n");
	assert_int_equal(port->facts.wrong_path, 1);
	assert_string_equal(port->facts.wrong_path_text, "/other");
	verdict = TOKEN_MISSING;
	answers(DIAL("/ws/", BOARD), 401, "{\"error\":\"a token is needed\"}\n",
		"token b1 -\n8 b1|c1|it gave no token|-\n");
	verdict = TOKEN_WRONG;
	answers(DIAL("/ws", BOARD "Authorization: Bearer x\r\n"), 401,
		"{\"error\":\"the token is wrong\"}\n",
		"token b1 Bearer x\n8 b1|c1|its token is wrong|-\n");
	verdict = TOKEN_OF_ANOTHER;
	answers(DIAL("/ws?token=x", BOARD), 401,
		"{\"error\":\"the token is wrong\"}\n",
		"token b1 x\n8 b1|c1|its token is another board's, and this Device-Id has not got it|-\n");
	answers(DIAL("/ws", ""), 401, "{\"error\":\"the token is wrong\"}\n",
		"token - -\n8 -|-|its token is of another name|-\n");
	assert_int_equal(port->facts.wrong_token, 4);
	verdict = TOKEN_FITS;
	memset(id, 'i', 128);
	id[128] = '\0';
	snprintf(text, sizeof(text), DIAL("/ws", "Device-Id: %s\r\n"), id);
	answers(text, 403,
		"{\"error\":\"Device-Id and Client-Id have 127 characters at most\"}\n",
		"9 -|-|its Device-Id or Client-Id has more than 127 bytes|-\n");
	snprintf(text, sizeof(text), DIAL("/ws?client-id=%s", ""), id);
	answers(text, 403, NULL,
		"9 -|-|its Device-Id or Client-Id has more than 127 bytes|-\n");
	snprintf(text, sizeof(text), DIAL("/ws", "Device-Id: %s\r\n"), id + 1);
	say(text);
	assert_non_null(strstr(buf_string(&got), " 503 "));
	assert_non_null(
		strstr(buf_string(&got), "{\"error\":\"there is no room\"}"));
	assert_int_equal(port->facts.upgraded, 0);
	assert_int_equal(port->facts.connections, 8);
}

static void is_let_in(void **state)
{
	(void)state;
	config.point = "/mcp";
	open_port();
	say(OTA("h"));
	transport = (struct transport){ .loop = loop, .events = &over };
	has_place = true;
	say(DIAL("/any?token=s3cret&x=1", BOARD "Protocol-Version: 2\r\n"));
	assert_memory_equal(buf_string(&got), "HTTP/1.1 101 ", 13);
	assert_string_equal(
		buf_string(&told),
		"token b1 s3cret\n"
		"place b1 c1 /any?token=***&x=1 version 2 envelope bread/2.4.2 ws://h/xiaozhi/v1/\n");
	assert_int_equal(port->facts.upgraded, 1);
	assert_ptr_equal(transport.ops, &port->ws->dial);
	if (!closed)
		transport.ops->close(&transport);
	assert_int_equal(loop_wait(loop, &closed, loop_now() + PATIENCE, NULL),
			 0);
	/* Who says nothing that boards say may be a tool side. */
	has_place = false;
	say(DIAL("/mcp/?agent=bob", ""));
	assert_string_equal(
		buf_string(&told),
		"token - -\nplace - bob /mcp/?agent=bob version 0 unsure at the point - -\n");
	say(DIAL("/?agent=bob", ""));
	assert_string_equal(
		buf_string(&told),
		"token - -\nplace - bob /?agent=bob version 0 unsure - -\n");
	say(DIAL("/mcp?agent=bob", "Client-Id: c\r\n"));
	assert_string_equal(
		buf_string(&told),
		"token - -\nplace - c /mcp?agent=bob version 0 envelope - -\n");
	say(DIAL("/mcp?agent=bob", "Protocol-Version: 1\r\n"));
	assert_string_equal(
		buf_string(&told),
		"token - -\nplace - - /mcp?agent=bob version 1 envelope - -\n");
}

/* ---- where it is ---- */

static void base_is(const char *reached, const char *wanted)
{
	CLEANUP(mem_free_ptr) char *base = port_base(port, reached);

	assert_string_equal(base, wanted);
}

static void is_at(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(mem_free_ptr) char *base = NULL;
	CLEANUP(mem_free_ptr) char *lines = NULL;

	(void)state;
	config.point = "/mcp";
	open_port();
	base = mem_printf("http://127.0.0.1:%u",
			  (unsigned)port->place[0].number);
	lines = mem_printf("  %s/xiaozhi/ota/\n  ws%s/mcp\n", base, base + 4);
	base_is(NULL, base);
	base_is("h:5", "http://h:5");
	port_describe(port, &text);
	port_describe_point(port, &text);
	assert_string_equal(buf_string(&text), lines);
}

static void is_behind_a_proxy(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(mem_free_ptr) char *lines = NULL;

	(void)state;
	config.point = "/mcp";
	config.admit.advertise = "wss://box.example/a";
	open_port();
	assert_false(port->facts.home);
	base_is("h:5", "https://box.example");
	base_is(NULL, "https://box.example");
	lines = mem_printf("  https://box.example/xiaozhi/ota/\n"
			   "  (passed on to http://127.0.0.1:%u/xiaozhi/ota/)\n"
			   "  wss://box.example/mcp\n",
			   (unsigned)port->place[0].number);
	port_describe(port, &text);
	port_describe_point(port, &text);
	assert_string_equal(buf_string(&text), lines);
	answers(OTA("h"), 200,
		"{\"websocket\":{\"url\":\"wss://box.example/a\"}}",
		"asked b1 wss://box.example/a 0\n");
}

static void reached_is(const char *host, const char *query, const char *wanted)
{
	struct headers headers = { 0 };
	const struct front_head head = { .headers = &headers,
					 .local = "127.0.0.1:9",
					 .query = query };
	const struct port_place at = { .number = 8000 };
	char *reached;

	headers_add(&headers, "Host", host);
	reached = port_reached(&at, &head);
	assert_string_equal(reached, wanted);
	mem_free(reached);
	headers_done(&headers);
}

static void is_reached(void **state)
{
	(void)state;
	reached_is("h:99", "port=5", "h:99");
	reached_is("h", NULL, "h:8000");
	reached_is("h", "port=99", "h:99");
	reached_is("h", "port=80", "h");
	reached_is("h", "port=1", "h:1");
	reached_is("h", "port=65535", "h:65535");
	reached_is("h", "port=0", "h:8000");
	reached_is("h", "port=65536", "h:8000");
	reached_is("h", "port=x", "h:8000");
	reached_is("[::1]", "port=99", "[::1]:99");
}

/* ---- what is not opened ---- */

static void is_not_opened(enum error_kind kind, const char *text,
			  const char *hint)
{
	error_reset(&err);
	assert_int_equal(port_open(&port, loop, &config, &policy, &told, &err),
			 -1);
	assert_null(port);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, text) || !strstr(err.hint, hint))
		fail_msg("'%s', '%s'", err.text, err.hint);
	for (int i = 0; i < 5; i++)
		loop_poll(loop);
}

static void cannot_open(void **state)
{
	static char long_token[514];
	struct words listen = { 0 };
	struct port *first;

	(void)state;
	memset(long_token, 't', 513);
	token = long_token;
	is_not_opened(
		ERR_USAGE,
		"token of 513 bytes is too long for a device (512 at most)",
		"");
	long_token[512] = '\0';
	open_port();
	first = TAKE(port);
	config.number = first->place[0].number;
	config.taken = "stop the other one";
	is_not_opened(ERR_CONNECT, "in use", "stop the other one");
	config.taken = NULL;
	is_not_opened(ERR_CONNECT, "in use", "");
	assert_null(strstr(err.hint, "null"));
	config.admit.advertise = "ftp://x";
	is_not_opened(ERR_USAGE, "ftp://x", "");
	config.admit.advertise = NULL;
	/* One of many: then none is open. */
	words_add(&listen, "127.0.0.1:0");
	words_add(&listen, "127.0.0.1:70000");
	config.listen = &listen;
	is_not_opened(ERR_USAGE, "--listen: ", "");
	words_done(&listen);
	port_close(first, NULL, NULL);
	for (int i = 0; i < 5; i++)
		loop_poll(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(asks_ota),
		TEST(tells_port),
		TEST(is_sent_elsewhere),
		TEST(asks_at_length),
		TEST(comes_for_others),
		TEST(comes_with_a_name),
		TEST(comes_from_elsewhere),
		TEST(comes_wrongly),
		TEST(comes_often),
		TEST(comes_by_a_page),
		TEST(dials_wrongly),
		TEST(is_let_in),
		TEST(is_at),
		TEST(is_behind_a_proxy),
		TEST(is_reached),
		TEST(cannot_open),
	};

	mem_init();
	return cmocka_run_group_tests_name("port", tests, NULL, NULL);
}
