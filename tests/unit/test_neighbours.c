/* SPDX-License-Identifier: MIT */
/*
 * Who announces himself, heard on loopback: what of each packet is believed,
 * what the list says of it, and what is asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/loop.h"
#include "base/mem.h"
#include "net/address.h"
#include "net/mdns.h"
#include "net/neighbours.h"

#define SERVICE "_mcp._tcp.local"
#define LAMP "Lamp." SERVICE
#define LONG_MS 60000

static struct loop *loop;
static struct neighbours *n;
static struct words lo;
static bool woken;
static uint16_t port; /* of who asks */
static int voice = -1, ear = -1;
static struct buf packet, told;

static struct sockaddr_in place(const char *host, uint16_t number)
{
	struct sockaddr_in sa = { .sin_family = AF_INET,
				  .sin_port = htons(number) };

	inet_pton(AF_INET, host, &sa.sin_addr);
	return sa;
}

/* The port of the one socket for datagrams there, that is not ours. */
static uint16_t find_port(void)
{
	for (int fd = 3; fd < 256; fd++) {
		struct sockaddr_in sa = { 0 };
		socklen_t size = sizeof(sa), length = sizeof(int);
		int type = 0;

		if (fd != voice && fd != ear &&
		    !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) &&
		    type == SOCK_DGRAM &&
		    !getsockname(fd, (struct sockaddr *)&sa, &size) &&
		    sa.sin_family == AF_INET)
			return ntohs(sa.sin_port);
	}
	fail_msg("there is no socket that asks");
	return 0;
}

static int set_up(void **state)
{
	struct sockaddr_in here = place("127.0.0.2", 0);

	(void)state;
	assert_int_equal(loop_new(&loop, NULL), 0);
	words_add(&lo, "lo");
	assert_int_equal(neighbours_open(&n, loop, &lo, &woken, NULL), 0);
	port = find_port();
	voice = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(voice, (struct sockaddr *)&here, sizeof(here)),
			 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	neighbours_close(n);
	n = NULL;
	loop_free(loop);
	words_done(&lo);
	buf_done(&packet);
	buf_done(&told);
	close(voice);
	if (ear >= 0)
		close(ear);
	ear = -1;
	return 0;
}

/* ---- what they say ---- */

static void put16(unsigned number)
{
	buf_printf(&packet, "%c%c", (int)(number >> 8), (int)(number & 255));
}

static void put_name(const char *name)
{
	while (*name) {
		size_t len = strcspn(name, ".");

		buf_printf(&packet, "%c", (int)len);
		buf_add(&packet, name, len);
		name += len + (name[len] == '.');
	}
	buf_add(&packet, "", 1);
}

static void begin(unsigned answers)
{
	static const char head[] = "\0\0\x84\0\0\0";

	buf_reset(&packet);
	buf_add(&packet, head, 6);
	put16(answers);
	put16(0);
	put16(0);
}

/* Data is written behind it; its length comes by end_record. */
static size_t begin_record(const char *name, enum mdns_type type)
{
	put_name(name);
	put16(type);
	put16(1);
	put16(0);
	put16(120);
	put16(0);
	return packet.len;
}

static void end_record(size_t at)
{
	packet.data[at - 2] = (char)((packet.len - at) >> 8);
	packet.data[at - 1] = (char)((packet.len - at) & 255);
}

static void pointer(const char *name, const char *to)
{
	size_t at = begin_record(name, MDNS_PTR);

	put_name(to);
	end_record(at);
}

static void service(const char *name, const char *host, uint16_t number)
{
	size_t at = begin_record(name, MDNS_SRV);

	put16(0);
	put16(0);
	put16(number);
	put_name(host);
	end_record(at);
}

static void word(const char *text)
{
	buf_printf(&packet, "%c%s", (int)strlen(text), text);
}

/* What it says of itself, a word a line. */
static void texts(const char *name, const char *lines)
{
	size_t at = begin_record(name, MDNS_TXT);

	while (*lines) {
		size_t len = strcspn(lines, "\n");

		buf_printf(&packet, "%c", (int)len);
		buf_add(&packet, lines, len);
		lines += len + (lines[len] == '\n');
	}
	end_record(at);
}

static void address(const char *host, const char *number)
{
	const bool six = strchr(number, ':');
	size_t at = begin_record(host, six ? MDNS_AAAA : MDNS_A);
	char bytes[16];

	inet_pton(six ? AF_INET6 : AF_INET, number, bytes);
	buf_add(&packet, bytes, six ? 16 : 4);
	end_record(at);
}

static void deliver(void)
{
	struct sockaddr_in to = place("127.0.0.1", port);

	woken = false;
	assert_int_equal(sendto(voice, packet.data, packet.len, 0,
				(struct sockaddr *)&to, sizeof(to)),
			 packet.len);
	assert_int_equal(loop_wait(loop, &woken, loop_now() + LONG_MS, NULL),
			 0);
}

/* ---- what is told of it ---- */

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static const char *listed(void)
{
	size_t count, more;
	const struct neighbour *all = neighbours_list(n, &count, &more);

	buf_reset(&told);
	for (size_t i = 0; i < count; i++) {
		const struct neighbour *x = &all[i];

		buf_printf(&told, "%s|%s|%s|%u|%s|%s|%s|%u%s%s\n", x->name,
			   or_none(x->host), x->address, x->port,
			   or_none(x->path), x->where, or_none(x->version),
			   x->ws_port, x->tls ? "|tls" : "",
			   x->elsewhere ? "|elsewhere" : "");
	}
	if (more)
		buf_printf(&told, "%zu more\n", more);
	return buf_string(&told);
}

static void test_nobody(void **state)
{
	(void)state;
	assert_string_equal(listed(), "");
	assert_string_equal(neighbours_asked(n), "lo");
	assert_null(neighbours_failure(n));
}

static void test_all_at_once(void **state)
{
	(void)state;
	begin(4);
	pointer(SERVICE, LAMP);
	service(LAMP, "lamp.local", 8080);
	texts(LAMP, "path=/mcp\nversion=1.2.3\nws_port=8081\nother=x");
	address("lamp.local", "10.0.0.7");
	deliver();
	assert_string_equal(
		listed(),
		"Lamp|lamp.local|10.0.0.7|8080|/mcp|lo|1.2.3|8081|elsewhere\n");
}

/* By its name, then its address; where it told none, as it came. */
static void test_order(void **state)
{
	(void)state;
	begin(5);
	pointer(SERVICE, "b." SERVICE);
	pointer(SERVICE, "c." SERVICE);
	pointer(SERVICE, "a." SERVICE);
	service("a." SERVICE, "a.local", 80);
	address("a.local", "127.0.0.2");
	deliver();
	assert_string_equal(listed(), "a|a.local|127.0.0.2|80|-|lo|-|0\n"
				      "b|-|127.0.0.2|0|-|lo|-|0\n"
				      "c|-|127.0.0.2|0|-|lo|-|0\n");
}

/* The same name of two: their full names differ by what DNS writes. */
static void test_same_name(void **state)
{
	(void)state;
	begin(6);
	pointer(SERVICE, "x.b._sub." SERVICE);
	service("x.b._sub." SERVICE, "b.local", 2);
	address("b.local", "10.0.0.2");
	pointer(SERVICE, "x.a._sub." SERVICE);
	service("x.a._sub." SERVICE, "a.local", 1);
	address("a.local", "10.0.0.1");
	deliver();
	assert_string_equal(listed(),
			    "x|a.local|10.0.0.1|1|-|lo|-|0|elsewhere\n"
			    "x|b.local|10.0.0.2|2|-|lo|-|0|elsewhere\n");
}

/* Who was not pointed to is not listed; nor who is none of this service. */
static void test_others(void **state)
{
	(void)state;
	begin(7);
	pointer("_http._tcp.local", "Web._http._tcp.local");
	pointer("_http._tcp.local", "Odd." SERVICE);
	pointer(SERVICE, "Web._http._tcp.local");
	pointer(SERVICE, SERVICE);
	service("Web._http._tcp.local", "web.local", 80);
	texts("Web._http._tcp.local", "path=/");
	service(LAMP, "lamp.local", 8080);
	deliver();
	assert_string_equal(listed(), "");
	begin(1);
	pointer("_MCP._tcp.LOCAL", "lamp." SERVICE);
	deliver();
	assert_string_equal(listed(),
			    "Lamp|lamp.local|127.0.0.2|8080|-|lo|-|0\n");
}

/* What came first counts, of each record and of each word. */
static void test_first_counts(void **state)
{
	(void)state;
	begin(8);
	pointer(SERVICE, LAMP);
	service(LAMP, "lamp.local", 1);
	service(LAMP, "other.local", 2);
	texts(LAMP, "PATH=/a\npath=/b\nversion=1\nversion=2\nws_port=3\n"
		    "ws_port=4\nendpoint=http://lamp.local/c\n"
		    "endpoint=http://lamp.local/d");
	texts(LAMP, "path=/e");
	address("lamp.local", "10.0.0.1");
	address("lamp.local", "10.0.0.2");
	address("lamp.local", "2001:db8::1");
	deliver();
	assert_string_equal(
		listed(), "Lamp|lamp.local|10.0.0.1|80|/c|lo|1|3|elsewhere\n");
}

/* IPv4 more than IPv6; without an interface's number an address is none. */
static void test_addresses(void **state)
{
	(void)state;
	begin(3);
	pointer(SERVICE, LAMP);
	service(LAMP, "lamp.local", 1);
	address("lamp.local", "fe80::1");
	deliver();
	assert_string_equal(listed(), "Lamp|lamp.local|127.0.0.2|1|-|lo|-|0\n");
	begin(2);
	address("LAMP.local", "2001:db8::1");
	address("lamp.local", "2001:db8::2");
	deliver();
	assert_string_equal(
		listed(), "Lamp|lamp.local|2001:db8::1|1|-|lo|-|0|elsewhere\n");
	begin(2);
	address("lamp.local", "127.0.0.2");
	address("lamp.local", "10.0.0.9");
	deliver();
	assert_string_equal(listed(), "Lamp|lamp.local|127.0.0.2|1|-|lo|-|0\n");
}

#define TEN "1234567890"
#define FIFTY TEN TEN TEN TEN TEN
#define LONG_PATH "/" FIFTY FIFTY FIFTY TEN TEN TEN TEN "123456789"
static const struct {
	const char *words, *rest;
} said[] = {
	{ "path=/", "8|/|lo|-|0" },
	{ "path=" LONG_PATH, "8|" LONG_PATH "|lo|-|0" },
	{ "path=" LONG_PATH "x", "8|-|lo|-|0" },
	{ "path=x/y", "8|-|lo|-|0" },
	{ "path=", "8|-|lo|-|0" },
	{ "path", "8|-|lo|-|0" },
	{ "path:/x", "8|-|lo|-|0" },
	{ "pathx=/x", "8|-|lo|-|0" },
	{ "xpath=/x", "8|-|lo|-|0" },
	{ "path=/azAZ09-._~/", "8|/azAZ09-._~/|lo|-|0" },
	{ "path=/`", "8|-|lo|-|0" },
	{ "path=/{", "8|-|lo|-|0" },
	{ "path=/@", "8|-|lo|-|0" },
	{ "path=/[", "8|-|lo|-|0" },
	{ "path=/:", "8|-|lo|-|0" },
	{ "path=/a b", "8|-|lo|-|0" },
	{ "path=/%20", "8|-|lo|-|0" },
	{ "path=x\npath=/y", "8|/y|lo|-|0" },
	{ "Version=!~", "8|-|lo|!~|0" },
	{ "version=1 2", "8|-|lo|-|0" },
	{ "version=1\x7f", "8|-|lo|-|0" },
	{ "version=" TEN TEN TEN "12", "8|-|lo|" TEN TEN TEN "12|0" },
	{ "version=" TEN TEN TEN "123", "8|-|lo|-|0" },
	{ "ws_port=1", "8|-|lo|-|1" },
	{ "ws_port=65535", "8|-|lo|-|65535" },
	{ "ws_port=65536", "8|-|lo|-|0" },
	{ "ws_port=0\nws_port=7", "8|-|lo|-|7" },
	{ "ws_port=x", "8|-|lo|-|0" },
	{ "endpoint=http://lamp.local", "80|-|lo|-|0" },
	{ "endpoint=https://lamp.local", "443|-|lo|-|0|tls" },
	{ "endpoint=http://LAMP.local:90/x\npath=/y", "90|/x|lo|-|0" },
	{ "endpoint=https://127.0.0.2:91/\npath=/y", "91|/|lo|-|0|tls" },
	{ "endpoint=http://127.0.0.2:92\npath=/y", "92|/y|lo|-|0" },
	{ "endpoint=http://127.0.0.3/x", "8|-|lo|-|0" },
	{ "endpoint=http://else.local/x", "8|-|lo|-|0" },
	{ "endpoint=ws://lamp.local/x", "8|-|lo|-|0" },
	{ "endpoint=http://lamp.local/x?y", "8|-|lo|-|0" },
	{ "endpoint=http://lamp.local:0/x", "0|/x|lo|-|0" },
	{ "endpoint=http://lamp.local:x/", "8|-|lo|-|0" },
	{ "endpoint=http:///x", "8|-|lo|-|0" },
	{ "version=\nversion=2", "8|-|lo|2|0" },
};

static void test_words(void **state)
{
	char name[64];

	(void)state;
	for (size_t i = 0; i < COUNT(said); i++) {
		snprintf(name, sizeof(name), "w%02zu." SERVICE, i);
		begin(3);
		pointer(SERVICE, name);
		service(name, "lamp.local", 8);
		texts(name, said[i].words);
		deliver();
	}
	listed();
	for (size_t i = 0, at = 0; i < COUNT(said); i++) {
		CLEANUP(mem_free_ptr)
		char *wanted = mem_printf("w%02zu|lamp.local|127.0.0.2|%s\n", i,
					  said[i].rest);
		CLEANUP(mem_free_ptr)
		char *line = mem_strndup(told.data + at,
					 strcspn(told.data + at, "\n") + 1);

		assert_string_equal(line, wanted);
		at += strlen(line);
	}
}

/* A word that is longer than what came ends it. */
static void test_short_text(void **state)
{
	size_t at;

	(void)state;
	begin(2);
	pointer(SERVICE, LAMP);
	at = begin_record(LAMP, MDNS_TXT);
	word("path=/a");
	buf_add(&packet, "\x0aversion=1", 10);
	end_record(at);
	deliver();
	assert_string_equal(listed(), "Lamp|-|127.0.0.2|0|/a|lo|-|0\n");
	/* That was its text: another one says nothing. */
	begin(1);
	texts(LAMP, "version=2");
	deliver();
	assert_string_equal(listed(), "Lamp|-|127.0.0.2|0|/a|lo|-|0\n");
}

static void test_last_word(void **state)
{
	(void)state;
	begin(2);
	pointer(SERVICE, LAMP);
	texts(LAMP, "path=/a\n\nversion=1");
	deliver();
	assert_string_equal(listed(), "Lamp|-|127.0.0.2|0|/a|lo|1|0\n");
}

static void test_broken(void **state)
{
	(void)state;
	begin(1);
	pointer(SERVICE, LAMP);
	deliver();
	assert_string_equal(listed(), "Lamp|-|127.0.0.2|0|-|lo|-|0\n");
	buf_reset(&packet);
	buf_add(&packet, "x", 1);
	deliver();
	assert_string_equal(listed(), "Lamp|-|127.0.0.2|0|-|lo|-|0\n");
}

/* Hosts that nothing belongs to fill their room, and no more than that. */
static void test_many_hosts(void **state)
{
	char host[32];

	(void)state;
	for (int i = 0; i < 2 * NEIGHBOURS_MAX - 1; i++) {
		snprintf(host, sizeof(host), "h%d.local", i);
		begin(1);
		address(host, "10.0.0.1");
		deliver();
	}
	begin(6);
	pointer(SERVICE, "a." SERVICE);
	service("a." SERVICE, "a.local", 1);
	address("a.local", "10.0.0.2");
	pointer(SERVICE, "b." SERVICE);
	service("b." SERVICE, "b.local", 2);
	address("b.local", "10.0.0.3");
	deliver();
	assert_string_equal(listed(),
			    "a|a.local|10.0.0.2|1|-|lo|-|0|elsewhere\n"
			    "b|b.local|127.0.0.2|2|-|lo|-|0\n");
}

static void test_many(void **state)
{
	size_t count, more;
	char name[64];

	(void)state;
	for (int i = 0; i < NEIGHBOURS_MAX; i++) {
		snprintf(name, sizeof(name), "n%03d." SERVICE, i);
		begin(1);
		pointer(SERVICE, name);
		deliver();
	}
	neighbours_list(n, &count, &more);
	assert_int_equal(count, NEIGHBOURS_MAX);
	assert_int_equal(more, 0);
	begin(2);
	pointer(SERVICE, name);
	pointer(SERVICE, LAMP);
	deliver();
	neighbours_list(n, &count, &more);
	assert_int_equal(count, NEIGHBOURS_MAX);
	assert_int_equal(more, 1);
}

/* ---- what is asked ---- */

static void listen_there(void)
{
	struct sockaddr_in group = place(MDNS_GROUP, MDNS_PORT);
	struct ip_mreq there = { .imr_multiaddr = group.sin_addr };
	struct timeval patience = { .tv_sec = LONG_MS / 1000 };
	int on = 1;

	inet_pton(AF_INET, "127.0.0.1", &there.imr_interface);
	ear = socket(AF_INET, SOCK_DGRAM, 0);
	setsockopt(ear, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(ear, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(bind(ear, (struct sockaddr *)&group, sizeof(group)),
			 0);
	assert_int_equal(setsockopt(ear, IPPROTO_IP, IP_ADD_MEMBERSHIP, &there,
				    sizeof(there)),
			 0);
}

/* The next one of ours: others of this machine may ask, too. */
static void assert_asked(const char *name, enum mdns_type type)
{
	char data[MDNS_PACKET_MAX];
	struct sockaddr_in from = { 0 };
	socklen_t size = sizeof(from);
	ssize_t len;

	do {
		size = sizeof(from);
		len = recvfrom(ear, data, sizeof(data), 0,
			       (struct sockaddr *)&from, &size);
		assert_true(len > 0);
	} while (ntohs(from.sin_port) != port);
	buf_reset(&packet);
	buf_add(&packet, "\0\0\0\0\0\1\0\0\0\0\0\0", 12);
	put_name(name);
	put16(type);
	put16(1);
	assert_int_equal(len, packet.len);
	assert_memory_equal(data, packet.data, packet.len);
}

/* A question of nobody's, behind which nothing else is on its way. */
static void assert_no_more(void)
{
	neighbours_ask(n);
	assert_asked(SERVICE, MDNS_PTR);
}

static void test_asks(void **state)
{
	(void)state;
	listen_there();
	neighbours_ask(n);
	assert_asked(SERVICE, MDNS_PTR);
	begin(1);
	pointer(SERVICE, LAMP);
	deliver();
	neighbours_ask(n);
	assert_asked(SERVICE, MDNS_PTR);
	assert_asked(LAMP, MDNS_SRV);
	assert_asked(LAMP, MDNS_TXT);
	begin(2);
	service(LAMP, "lamp.local", 1);
	address("other.local", "10.0.0.1");
	deliver();
	neighbours_ask(n);
	assert_asked(SERVICE, MDNS_PTR);
	assert_asked(LAMP, MDNS_TXT);
	assert_asked("lamp.local", MDNS_A);
	begin(2);
	texts(LAMP, "x=y");
	address("lamp.local", "10.0.0.1");
	deliver();
	neighbours_ask(n);
	assert_asked(SERVICE, MDNS_PTR);
	assert_no_more();
	assert_null(neighbours_failure(n));
}

/* What is missing of many is asked for by and by: 32 questions at once. */
static void test_asks_some(void **state)
{
	char name[64];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "n%02d." SERVICE, i);
		begin(i == 0 ? 2 : 1);
		pointer(SERVICE, name);
		if (i == 0)
			texts(name, "x=y");
		deliver();
	}
	listen_there();
	neighbours_ask(n);
	assert_asked(SERVICE, MDNS_PTR);
	assert_asked("n00." SERVICE, MDNS_SRV);
	for (int i = 1; i < 17; i++) {
		snprintf(name, sizeof(name), "n%02d." SERVICE, i);
		assert_asked(name, MDNS_SRV);
		if (i < 16)
			assert_asked(name, MDNS_TXT);
	}
	assert_no_more();
}

/* ---- life ---- */

static void test_not_opened(void **state)
{
	struct words none = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	struct neighbours *other = n;

	(void)state;
	words_add(&none, "lo");
	words_add(&none, "none0");
	assert_int_equal(neighbours_open(&other, loop, &none, &woken, &err),
			 -1);
	assert_null(other);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text,
			    "no interface 'none0' is up with an IPv4 address");
	assert_string_equal(err.hint, "ip -4 address lists them");
	words_done(&none);
	neighbours_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nobody, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_all_at_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_same_name, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_first_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_addresses, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_short_text, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_last_word, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_broken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_hosts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_asks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_asks_some, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_not_opened, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
