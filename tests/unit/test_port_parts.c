/* SPDX-License-Identifier: MIT */
/*
 * Who knocks at a port, what is answered, where boards are sent, and who else
 * listens there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/text.h"
#include "folder.h"
#include "net/head.h"
#include "net/port_parts.h"

/* Yours, or NULL. */
static void gives(char *got, const char *wanted)
{
	if (wanted)
		assert_string_equal(got ? got : "NULL", wanted);
	else
		assert_null(got);
	mem_free(got);
}

/* ---- the head ---- */

static void test_values(void **state)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	const struct front_head head = { .local = "10.0.0.9:8000",
					 .query = "a=1&b=2&token=t&c=3",
					 .headers = &h };

	(void)state;
	gives(knock_value(&head, "a"), "1");
	gives(knock_value(&head, "d"), NULL);
	gives(knock_token(&head), "t");
	assert_string_equal(knock_host(&head), "10.0.0.9:8000");
	headers_add(&h, "A", "x");
	headers_add(&h, "b", "");
	headers_add(&h, "Host", "box:80");
	headers_add(&h, "authorization", "Bearer u");
	gives(knock_value(&head, "a"), "x");
	gives(knock_value(&head, "B"), "2");
	gives(knock_token(&head), "Bearer u");
	assert_string_equal(knock_host(&head), "box:80");
}

static void test_odd_host(void **state)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	const struct front_head head = { .local = "10.0.0.9", .headers = &h };

	(void)state;
	headers_add(&h, "Host", "a b");
	assert_string_equal(knock_host(&head), "10.0.0.9");
	gives(knock_token(&head), NULL);
}

static int version(const char *text)
{
	CLEANUP(headers_done) struct headers h = { 0 };
	const struct front_head head = { .headers = &h };

	if (text)
		headers_add(&h, "Protocol-Version", text);
	return knock_protocol_version(&head);
}

static void test_versions(void **state)
{
	(void)state;
	assert_int_equal(version(NULL), 0);
	assert_int_equal(version("0"), 0);
	assert_int_equal(version("3"), 3);
	assert_int_equal(version("32767"), 32767);
	assert_int_equal(version("32768"), 0);
	assert_int_equal(version("-1"), 0);
	assert_int_equal(version("1x"), 0);
}

static void test_tokens(void **state)
{
	(void)state;
	assert_true(knock_token_fits("t", "t"));
	assert_true(knock_token_fits("t", "Bearer t"));
	assert_true(knock_token_fits("t", "bearer t"));
	assert_true(knock_token_fits("Bearer t", "Bearer t"));
	assert_true(knock_token_fits("Bearer t", "Bearer Bearer t"));
	assert_true(knock_token_fits("a b", "a b"));
	assert_false(knock_token_fits("t", NULL));
	assert_false(knock_token_fits("", NULL));
	assert_false(knock_token_fits("t", ""));
	assert_false(knock_token_fits("t", "T"));
	assert_false(knock_token_fits("t", "Bearer  t"));
	assert_false(knock_token_fits("t", "Bearert"));
	assert_false(knock_token_fits("t", "Basic t"));
	assert_false(knock_token_fits("t", "tt"));
	assert_false(knock_token_fits("tt", "t"));
}

static void test_paths(void **state)
{
	(void)state;
	assert_true(knock_path_fits("/", "/"));
	assert_true(knock_path_fits("/a", "/a"));
	assert_true(knock_path_fits("/a", "/a/"));
	assert_true(knock_path_fits("/a/", "/a"));
	assert_false(knock_path_fits("/a", "/"));
	assert_false(knock_path_fits("/", ""));
	assert_false(knock_path_fits("/a", "/b"));
	assert_false(knock_path_fits("/a", "/ab"));
	assert_false(knock_path_fits("/ab", "/a"));
	assert_false(knock_path_fits("/a", "/a//"));
}

static void shows_path(const char *path, const char *query, const char *wanted)
{
	const struct front_head head = { .path = path, .query = query };

	gives(knock_safe_path(&head), wanted);
}

static void test_safe_paths(void **state)
{
	(void)state;
	shows_path("/a", NULL, "/a");
	shows_path("/a", "", "/a?");
	shows_path("/a", "b=1", "/a?b=1");
	shows_path("/a", "token=", "/a?token=");
	shows_path("/a", "token=t", "/a?token=***");
	shows_path("/a", "x=1&Authorization=Bearer+t&y=2&&TOKEN=t&",
		   "/a?x=1&Authorization=***&y=2&&TOKEN=***&");
	shows_path("/a", "tokens=t&xtoken=t", "/a?tokens=t&xtoken=t");
}

static void test_wishes(void **state)
{
	static const struct {
		const char *method, *path;
		bool device;
		enum knock_wish wish;
	} rows[] = {
		{ "POST", "/xiaozhi/ota/", false, KNOCK_OTA },
		{ "POST", "/xiaozhi/ota", false, KNOCK_OTA },
		{ "GET", "/xiaozhi/ota/", true, KNOCK_OTA },
		{ "HEAD", "/xiaozhi/ota/", true, KNOCK_OTA },
		{ "GET", "/xiaozhi/ota/", false, KNOCK_PAGE },
		{ "HEAD", "/xiaozhi/ota/", false, KNOCK_PAGE },
		{ "PUT", "/xiaozhi/ota/", true, KNOCK_METHOD },
		{ "OPTIONS", "/", false, KNOCK_METHOD },
		{ "get", "/", false, KNOCK_METHOD },
		{ "POST", "/xiaozhi/ota/activate", false, KNOCK_ACTIVATE },
		{ "GET", "/xiaozhi/ota/activate/", false, KNOCK_ACTIVATE },
		{ "GET", "/", false, KNOCK_PAGE },
		{ "GET", "/", true, KNOCK_PAGE },
		{ "HEAD", "/", false, KNOCK_PAGE },
		{ "POST", "/", false, KNOCK_OTHER },
		{ "GET", "/favicon.ico", false, KNOCK_ICON },
		{ "GET", "/apple-touch-icon-precomposed.png", false,
		  KNOCK_ICON },
		{ "GET", "/x/favicon.ico", false, KNOCK_OTHER },
		{ "GET", "/xiaozhi/ota/x", true, KNOCK_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(headers_done) struct headers h = { 0 };
		const struct front_head head = { .method = rows[i].method,
						 .path = rows[i].path,
						 .headers = &h };

		if (rows[i].device)
			headers_add(&h, "Device-Id", "d");
		if (knock_wish(&head) != rows[i].wish)
			fail_msg("%s %s: %d", rows[i].method, rows[i].path,
				 (int)knock_wish(&head));
	}
}

/* ---- answers ---- */

static void test_noise(void **state)
{
	static const struct {
		enum front_noise what;
		const char *text;
	} rows[] = {
		{ FRONT_TLS,
		  "something spoke TLS to this plain port: if that was the board, it was given https:// or wss://,\nand needs http:// and ws://" },
		{ FRONT_GARBAGE, "something came that is no HTTP" },
		{ FRONT_BROKEN,
		  "a request was broken, could be read in two ways, or wanted another upgrade than WebSocket 13" },
		{ FRONT_HALF_UPGRADE,
		  "a WebSocket request came as HTTP/1.0 or without 'Connection: Upgrade': a proxy in front must pass all of it on\n"
		  "(nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection upgrade)" },
		{ FRONT_SLOW, "a request was begun and never finished" },
		{ FRONT_TOO_LARGE, "a request was too large" },
		{ FRONT_BODY_TOO_LARGE, "a request was too large" },
		{ FRONT_BODY_OF_STRANGER,
		  "a large body was refused: it showed no token, and no address for a picture" },
		{ FRONT_CUT, "a request ended amid its body" },
		{ FRONT_BUSY, "a request was refused: too many at once" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(knock_noise(rows[i].what), rows[i].text);
	assert_null(knock_noise(FRONT_EMPTY));
}

static void test_refusal(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	knock_refusal(&out, 401, "WWW-Authenticate: Bearer\r\n", "a \"b\"");
	assert_string_equal(buf_string(&out),
			    "HTTP/1.1 401 Unauthorized\r\n"
			    "WWW-Authenticate: Bearer\r\n"
			    "Content-Type: application/json\r\n"
			    "Content-Length: 20\r\nConnection: close\r\n\r\n"
			    "{\"error\":\"a \\\"b\\\"\"}\n");
}

static void test_statuses(void **state)
{
	static const struct {
		int status;
		const char *line;
	} rows[] = {
		{ 200, "HTTP/1.1 200 OK\r\n" },
		{ 400, "HTTP/1.1 400 Bad Request\r\n" },
		{ 401, "HTTP/1.1 401 Unauthorized\r\n" },
		{ 403, "HTTP/1.1 403 Forbidden\r\n" },
		{ 404, "HTTP/1.1 404 Not Found\r\n" },
		{ 408, "HTTP/1.1 408 Request Timeout\r\n" },
		{ 421, "HTTP/1.1 421 Misdirected Request\r\n" },
		{ 429, "HTTP/1.1 429 Too Many Requests\r\n" },
		{ 431, "HTTP/1.1 431 Request Header Fields Too Large\r\n" },
		{ 502, "HTTP/1.1 502 Bad Gateway\r\n" },
		{ 503, "HTTP/1.1 503 Service Unavailable\r\n" },
		{ 499, "HTTP/1.1 499 Refused\r\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };
		CLEANUP(mem_free_ptr)
		char *whole = mem_printf(
			"%sContent-Type: application/json\r\n"
			"Content-Length: 2\r\nConnection: close\r\n\r\n{}",
			rows[i].line);

		knock_answer(&out, rows[i].status, "",
			     (struct span){ "{}x", 2 });
		assert_string_equal(buf_string(&out), whole);
	}
}

static void test_page(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	page_text(&out, "a<b>&\"c'\n\xe2\x80\xae.");
	assert_string_equal(buf_string(&out),
			    "a&#60;b&#62;&#38;&#34;c&#39;\\n\\u202e.");
	buf_reset(&out);
	page_address(&out, "h&:80");
	assert_string_equal(buf_string(&out),
			    "<p><b>http://h&#38;:80/xiaozhi/ota/</b></p>\n");
	buf_reset(&out);
	page_start(&out);
	page_end(&out);
	assert_string_equal(
		buf_string(&out),
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<meta name=\"viewport\" content=\"width=device-width\">"
		"<title>mcpctl</title></head>\n<body>\n<h1>mcpctl</h1>\n"
		"</body></html>\n");
}

/* ---- where boards are sent ---- */

static void test_advertised(void **state)
{
	static const struct {
		const char *text, *ws, *ota;
	} rows[] = {
		{ "h", "ws://h:8000/p", "http://h:8000/xiaozhi/ota/" },
		{ "h:81", "ws://h:81/p", "http://h:81/xiaozhi/ota/" },
		{ "[::1]", "ws://[::1]:8000/p",
		  "http://[::1]:8000/xiaozhi/ota/" },
		{ "ws://h", "ws://h/p", "http://h/xiaozhi/ota/" },
		{ "ws://h:81/", "ws://h:81/", "http://h:81/xiaozhi/ota/" },
		{ "wss://h/x?y=z", "wss://h/x?y=z", "https://h/xiaozhi/ota/" },
		{ "wss://h:9?y", "wss://h:9?y", "https://h:9/xiaozhi/ota/" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		char *ws, *ota;

		if (ota_advertise(rows[i].text, 8000, "/p", &ws, &ota, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		gives(ws, rows[i].ws);
		gives(ota, rows[i].ota);
	}
}

#define NONE(text) "--advertise '" text "' is no address that a device can dial"

static void test_not_advertised(void **state)
{
	static const struct {
		const char *text, *why, *hint;
	} rows[] = {
		{ "", NONE(""),
		  "expected HOST, HOST:PORT, or a ws:// or wss:// URL" },
		{ "h:0", NONE("h:0"),
		  "expected HOST, HOST:PORT, or a ws:// or wss:// URL" },
		{ "h/x", NONE("h/x"),
		  "expected HOST, HOST:PORT, or a ws:// or wss:// URL" },
		{ "http://h", NONE("http://h"),
		  "expected HOST, HOST:PORT, or a ws:// or wss:// URL" },
		{ "ws://h:0", "target 'ws://h:0': the port 0 cannot be dialled",
		  "expected ws://HOST[:PORT][/PATH] (it came from --advertise)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		char *ws, *ota;

		assert_int_equal(ota_advertise(rows[i].text, 8000, "/p", &ws,
					       &ota, &err),
				 -1);
		assert_string_equal(err.text, rows[i].why);
		assert_string_equal(err.hint, rows[i].hint);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_null(ws);
		assert_null(ota);
	}
}

static void test_addresses(void **state)
{
	static const char *const all[] = { NULL, "0.0.0.0", "::" };
	CLEANUP(words_done) struct words one = { 0 };

	(void)state;
	ota_addresses(&one, "10.0.0.1", 8000);
	ota_addresses(&one, "fe80::1", 0);
	assert_int_equal(one.count, 2);
	assert_string_equal(one.word[0], "http://10.0.0.1:8000/xiaozhi/ota/");
	assert_string_equal(one.word[1], "http://[fe80::1]/xiaozhi/ota/");
	for (size_t i = 0; i < COUNT(all); i++) {
		CLEANUP(words_done) struct words many = { 0 };

		ota_addresses(&many, all[i], 8000);
		assert_true(many.count > 0);
		assert_false(
			words_has(&many, "http://0.0.0.0:8000/xiaozhi/ota/"));
		assert_false(words_has(&many, "http://[::]:8000/xiaozhi/ota/"));
	}
}

/* ---- what they tell ---- */

static void test_read(void **state)
{
	static const char body[] = "{\"application\":{\"version\":\"2.0\"}}";
	CLEANUP(headers_done) struct headers h = { 0 };
	const struct front_head head = { .headers = &h };
	struct error err = { 0 };
	struct ota_request rq;

	(void)state;
	headers_add(&h, "device-id", "d");
	headers_add(&h, "Client-Id", "c");
	headers_add(&h, "Accept-Language", "zh-CN and more than that");
	headers_add(&h, "User-Agent", "board/1.0");
	headers_add(&h, "Serial-Number", "s");
	assert_int_equal(ota_read(&rq, &head, body, strlen(body), &err), 0);
	assert_string_equal(rq.device_id, "d");
	assert_string_equal(rq.client_id, "c");
	assert_string_equal(rq.language, "zh-CN and more ");
	assert_string_equal(rq.user_agent, "board/1.0");
	assert_string_equal(rq.serial, "s");
	assert_string_equal(rq.version, "2.0");
	assert_int_equal(ota_read(&rq, &head, "x", 1, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(rq.device_id, "d");
	headers_done(&h);
	rq.rssi = -50;
	assert_int_equal(ota_read(&rq, &head, "{}", 2, &err), 0);
	assert_string_equal(rq.device_id, "");
	assert_int_equal(rq.rssi, 0);
}

static void test_boards(void **state)
{
	static const struct {
		struct ota_request rq;
		const char *text;
	} rows[] = {
		{ { .user_agent = "" }, "asked OTA" },
		{ { .user_agent = "curl" }, "asked OTA" },
		{ { .user_agent = "box/1.2" },
		  "asked OTA: board 'box', version 1.2" },
		{ { .user_agent = "/1.2" }, "asked OTA: version 1.2" },
		{ { .user_agent = "box/" }, "asked OTA: board 'box'" },
		{ { .user_agent = "box/1.2", .version = "2" },
		  "asked OTA: board 'box', version 2" },
		{ { .user_agent = "box/1.2", .board_type = "type" },
		  "asked OTA: board 'type', version 1.2" },
		{ { .board_name = "name", .board_type = "type" },
		  "asked OTA: board 'name'" },
		{ { .version = "2", .compile_time = "May  1" },
		  "asked OTA: version 2 (May  1)" },
		{ { .compile_time = "May  1" }, "asked OTA (May  1)" },
		{ { .user_agent = "box/1", .board_name = "n" },
		  "asked OTA: board 'n', version 1" },
		{ { .user_agent = "b/1", .board_type = "t" },
		  "asked OTA: board 't', version 1" },
		{ { .compile_time = "M" }, "asked OTA (M)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		ota_describe(&out, &rows[i].rq);
		assert_string_equal(buf_string(&out), rows[i].text);
	}
}

/* ---- who else listens ---- */

static void test_lines(void **state)
{
	static const struct {
		const char *line;
		unsigned long inode;
	} rows[] = {
		{ "  1: 00000000:1F40 00000000:0000 0A 0:0 0:0 0 1000 0 4711 1\n",
		  4711 },
		{ "1: 00000000:1F40 00000000:0000 0A 0:0 0:0 0 1000 0 4711",
		  4711 },
		{ "  1: 00000000:1F41 00000000:0000 0A 0:0 0:0 0 1000 0 4711 1",
		  0 },
		{ "  1: 00000000:1F40 00000000:0000 01 0:0 0:0 0 1000 0 4711 1",
		  0 },
		{ "  1: 000000001F40 00000000:0000 0A 0:0 0:0 0 1000 0 4711 1",
		  0 },
		{ "  1: 00000000:1F40 00000000:0000 0A 0:0 0:0 0 1000 0\n", 0 },
		{ "  1: 00000000:1F40 00000000:0000", 0 },
		{ "  1:", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(port_owner_inode(rows[i].line, 8000),
				 rows[i].inode);
}

static void put_table(const char *name, const char *port, const char *state,
		      const char *inode)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("proc/net/%s", name);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"  sl  local_address rem_address   st tx_queue\n"
		"   0: 0100007F:0001 00000000:0000 %s 0:0 00:0 0 1000 0 7 1 0\n"
		"   1: 0100007F:%s 00000000:0000 %s 0:0 00:0 0 1000 0 %s 1 0\n",
		state, port, state, inode);

	mem_free(folder_write(path, text, strlen(text)));
}

static void make(const char *name)
{
	CLEANUP(mem_free_ptr) char *path = folder_path(name);

	assert_int_equal(mkdir(path, 0755), 0);
}

/* A process of that number, whose descriptor 5 leads there. */
static void put_process(const char *number, const char *program,
			const char *link)
{
	CLEANUP(mem_free_ptr) char *base = mem_printf("proc/%s", number);
	CLEANUP(mem_free_ptr) char *fds = mem_printf("%s/fd", base);
	CLEANUP(mem_free_ptr) char *comm = mem_printf("%s/comm", base);
	CLEANUP(mem_free_ptr) char *fd = mem_printf("%s/%s/5", folder, fds);

	make(base);
	make(fds);
	if (program)
		mem_free(folder_write(comm, program, strlen(program)));
	assert_int_equal(symlink(link, fd), 0);
}

static void owned(uint16_t port, bool udp, int pid, const char *program)
{
	struct port_owner owner;

	assert_true(port_owner_read(folder, port, udp, &owner));
	assert_int_equal(owner.pid, pid);
	assert_string_equal(owner.program, program);
}

static void test_owners(void **state)
{
	struct port_owner owner = { "x", 1 };
	int free_one = dup(0);

	(void)state;
	close(free_one);
	assert_false(port_owner_read(folder, 8000, false, &owner));
	assert_int_equal(owner.pid, 0);
	assert_string_equal(owner.program, "");
	make("proc");
	assert_false(port_owner_read(folder, 8000, false, &owner));
	make("proc/net");
	put_table("tcp", "1F40", "0A", "4711");
	put_table("tcp6", "1F41", "0A", "4712");
	put_table("udp", "1F42", "07", "4713");
	put_table("udp6", "1F43", "07", "4714");
	/* Of another user: whose it is is not seen. */
	owned(8000, false, 0, "");
	put_process("abc", "no number", "socket:[4711]");
	put_process("70", "another\n", "socket:[47111]");
	owned(8000, false, 0, "");
	put_process("1", "first\n", "socket:[4711]");
	put_process("72", NULL, "socket:[4712]");
	put_process("73", "0123456789012345678901234567890123\n",
		    "socket:[4713]");
	put_process("74", "last", "socket:[4714]");
	owned(8000, false, 1, "first");
	owned(8001, false, 72, "?");
	owned(8002, true, 73, "0123456789012345678901234567890");
	owned(8003, true, 74, "last");
	assert_false(port_owner_read(folder, 8000, true, &owner));
	assert_false(port_owner_read(folder, 8002, false, &owner));
	assert_false(port_owner_read(folder, 8004, false, &owner));
	/* Nothing is left open. */
	assert_int_equal(dup(0), free_one);
	close(free_one);
}

/* A socket of that type at a port of 127.0.0.1 that the kernel gives. */
static int open_at(int type, uint16_t *port)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t len = sizeof(own);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &len), 0);
	*port = ntohs(own.sin_port);
	return fd;
}

static void test_own_ports(void **state)
{
	struct port_owner owner;
	uint16_t tcp, udp;
	int a = open_at(SOCK_STREAM, &tcp), b = open_at(SOCK_DGRAM, &udp);

	(void)state;
	assert_int_equal(listen(a, 1), 0);
	assert_true(port_owner_find(tcp, &owner));
	assert_int_equal(owner.pid, getpid());
	assert_string_equal(owner.program, "test_port_parts");
	assert_true(port_owner_find_udp(udp, &owner));
	assert_int_equal(owner.pid, getpid());
	close(a);
	close(b);
}

/* It has the file open until we let it go. */
static int hold(const char *path, int told[2], int leave[2])
{
	char byte;
	int pid = fork();

	if (pid == 0) {
		close(leave[1]);
		if (open(path, O_RDONLY) < 0 || write(told[1], "x", 1) != 1 ||
		    read(leave[0], &byte, 1) != 0)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	return pid;
}

/* Who else has a file open: not we ourselves. */
static void test_own_file(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_write("file", "x", 1);
	int fd = open(path, O_RDONLY), told[2], leave[2], pid, status;
	struct port_owner owner;

	(void)state;
	assert_false(path_owner_find(path, &owner));
	assert_int_equal(owner.pid, 0);
	assert_int_equal(pipe(told), 0);
	assert_int_equal(pipe(leave), 0);
	pid = hold(path, told, leave);
	assert_true(path_owner_find(path, &owner));
	assert_int_equal(owner.pid, pid);
	close(leave[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
	close(leave[0]);
	close(told[0]);
	close(told[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_odd_host),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_safe_paths),
		cmocka_unit_test(test_wishes),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_refusal),
		cmocka_unit_test(test_statuses),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_advertised),
		cmocka_unit_test(test_not_advertised),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_boards),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_own_ports),
		cmocka_unit_test(test_own_file),
	};

	mem_init();
	return cmocka_run_group_tests_name("port_parts", tests, folder_make,
					   folder_remove);
}
