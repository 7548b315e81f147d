/* SPDX-License-Identifier: MIT */
/*
 * Targets: every scheme taken apart, and every way of writing one wrongly
 * told apart, with what is expected and where it came from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/endpoint.h"
#include "net/head.h"

struct good {
	const char *text, *scheme, *host;
	int port;
	bool has_port;
	const char *path, *query, *user;
};

/* clang-format off */
static const struct good good[] = {
	{ "listen:", "listen", NULL, 8000, false, "/", NULL, NULL },
	{ "listen:0", "listen", NULL, 0, true, "/", NULL, NULL },
	{ "listen:9000/x/y", "listen", NULL, 9000, true, "/x/y", NULL, NULL },
	{ "listen:/x", "listen", NULL, 8000, false, "/x", NULL, NULL },
	{ "listen:127.0.0.1:80", "listen", "127.0.0.1", 80, true, "/", NULL, NULL },
	{ "listen:[::1]:80/p", "listen", "::1", 80, true, "/p", NULL, NULL },
	{ "LISTEN:localhost:1", "listen", "localhost", 1, true, "/", NULL, NULL },
	{ "listen::8000", "listen", NULL, 8000, true, "/", NULL, NULL },
	{ "listen:0008000", "listen", NULL, 8000, true, "/", NULL, NULL },
	{ "listen:65535/", "listen", NULL, 65535, true, "/", NULL, NULL },
	{ "ws://h", "ws", "h", 80, false, "/", NULL, NULL },
	{ "ws://h:8080/a/b?c=d", "ws", "h", 8080, true, "/a/b?c=d", NULL, NULL },
	{ "ws://h?c=d", "ws", "h", 80, false, "/?c=d", NULL, NULL },
	{ "wss://a-b.example", "wss", "a-b.example", 443, false, "/", NULL, NULL },
	{ "Wss://[fe80::1%eth0]:7/", "wss", "fe80::1%eth0", 7, true, "/", NULL, NULL },
	{ "http://h/mcp", "http", "h", 80, false, "/mcp", NULL, NULL },
	{ "https://h", "https", "h", 443, false, "/", NULL, NULL },
	{ "sse+http://h:1/x", "sse+http", "h", 1, true, "/x", NULL, NULL },
	{ "sse+https://h/x", "sse+https", "h", 443, false, "/x", NULL, NULL },
	{ "listen:h:1", "listen", "h", 1, true, "/", NULL, NULL },
	{ "mqtt://h/i", "mqtt", "h", 1883, false, "i", NULL, NULL },
	{ "mqtt://h/id", "mqtt", "h", 1883, false, "id", NULL, NULL },
	{ "mcp+mqtt://h", "mcp+mqtt", "h", 1883, false, "", NULL, NULL },
	{ "mcp+mqtt://h/", "mcp+mqtt", "h", 1883, false, "", NULL, NULL },
	{ "mcp+mqtts://h:1/id/a/b%20c?args=plain", "mcp+mqtts", "h", 1, true,
	  "id/a/b c", NULL, NULL },
	{ "mcp+mqtt://h/+/xiaozhi/%23", "mcp+mqtt", "h", 1883, false,
	  "+/xiaozhi/#", NULL, NULL },
	{ "mqtts://u%40x@h:99/id?up=a", "mqtts", "h", 99, true, "id", NULL, "u@x" },
	{ "stdio: server --x 'a b'", "stdio", NULL, 0, false, "server --x 'a b'", NULL, NULL },
	{ "sim:", "sim", NULL, 0, false, "", NULL, NULL },
	{ "sim:esp32", "sim", NULL, 0, false, "esp32", NULL, NULL },
	{ "sim:?fill=40", "sim", NULL, 0, false, "", "fill=40", NULL },
	{ "sim:./a.json?x=1&y=2", "sim", NULL, 0, false, "./a.json", "x=1&y=2", NULL },
	{ "attach:", "attach", NULL, 0, false, "", NULL, NULL },
	{ "attach:/run/s", "attach", NULL, 0, false, "/run/s", NULL, NULL },
};

static const struct {
	const char *text, *says, *hints;
} bad[] = {
	{ "ws://", "host is missing", "ws://HOST[:PORT][/PATH]" },
	{ "ws:/h", "'//'", "ws://HOST" },
	{ "ws:h:80", "'//'", "ws://HOST" },
	{ "ws://h:", "no port", "ws://HOST" },
	{ "ws://h:0", "port 0", "ws://HOST" },
	{ "ws://h:65536", "'65536' is not between 0 and 65535", "ws://HOST" },
	{ "ws://h:99999999999", "is not between 0 and 65535", "ws://HOST" },
	{ "ws://h:8x", "'8x' is not between", "ws://HOST" },
	{ "ws://h:-1", "is not between", "ws://HOST" },
	{ "ws://::1:80/", "brackets", "ws://HOST" },
	{ "ws://[::1/", "not closed", "ws://HOST" },
	{ "ws://[::zz]/", "no IPv6 address", "ws://HOST" },
	{ "ws://[::1]80/", "':PORT'", "ws://HOST" },
	{ "ws://a b/", "space", "ws://HOST" },
	{ "ws://h/a\r\nX: y", "control character", "ws://HOST" },
	{ "ws://h/#top", "'#'", "ws://HOST" },
	{ "ws://u:p@h/", "--header", "ws://HOST" },
	{ "ws://h$/", "character that no host has", "ws://HOST" },
	{ "listen:localhost", "'localhost' is no port", "listen:[[HOST:]PORT]" },
	{ "listen:65536", "is no port", "listen:" },
	{ "listen://0.0.0.0:80", "no '//'", "listen:" },
	{ "listen:80/a?b", "'?'", "listen:" },
	{ "listen:[::1]", "is no port", "listen:" },
	{ "mqtt://h", "client id is missing", "mqtt://" },
	{ "mqtt://h/", "client id is missing", "mqtt://" },
	{ "mqtt://h/?up=a", "client id is missing", "mqtt://" },
	{ "mqtt://h", "OTA reply", "mqtt://" },
	{ "mqtt://u:p@h/id", "password", "mqtt://" },
	{ "mqtt://u:geheim@h/id", "'mqtt://u:***@h/id'", "mqtt://" },
	{ "ws://u:geheim@h/", "'ws://u:***@h/'", "ws://" },
	{ "mqtt://u:p@h/id", "--mqtt-password-file", "mqtt://" },
	{ "mqtt://u:ge@heim@h/id", "'mqtt://u:***@h/id': a password", "mqtt://" },
	{ "mqtt://u@x:geheim@h/i", "'mqtt://u@x:***@h/i': a password", "mqtt://" },
	{ "ws://u:ge@heim@h/", "'ws://u:***@h/': a user before '@'", "ws://" },
	{ "ws://u:ge/he@im@h/", "'ws://u:***@h/': what follows the ':' is no port, or it is a password: a user before '@'", "ws://" },
	{ "ws://u:9ge?im@h/", "'ws://u:***@h/': what follows the ':' is no port, or it is a password: a user before '@'", "ws://" },
	{ "ws:/u:geheim@h/", "'ws:/u:***@h/': '//' must", "ws://" },
	{ "ws:u:geheim@h/", "'ws:u:***@h/': '//' must", "ws://" },
	{ "ws://h:9a/", "the port '9a'", "ws://" },
	{ "mqtt://u:g/h@h/id", "'mqtt://u:***@h/id': what follows the ':' is no port, or it is a password: a password", "mqtt://" },
	{ "mqtt://h/%zz", "'%zz' is no text", "mqtt://" },
	{ "mcp+mqtt://h/%zz", "'%zz' is no text", "mcp+mqtt://" },
	{ "mcp+mqtt://h/a+b/c", "nor a filter", "mcp+mqtt://" },
	{ "mcp+mqtt://h/%23/c", "nor a filter", "mcp+mqtt://" },
	{ "mcp+mqtt://h/a/%23/c", "nor a filter", "mcp+mqtt://" },
	{ "mcp+mqtt://h/a/b%0ac", "nor a filter", "mcp+mqtt://" },
	{ "mcp+mqtt://h//c", "nor a filter", "mcp+mqtt://" },
	{ "mcp+mqtt://h/a/#", "%23", "mcp+mqtt://" },
	{ "mcp+mqtt://h/a/b?args=x", "args=plain", "mcp+mqtt://" },
	{ "mcp+mqtt://u:p@h/a/b", "password", "mcp+mqtt://" },
	{ "mqtt://h/%ff", "is no text", "mqtt://" },
	{ "mqtt://h/a%00b", "is no text", "mqtt://" },
	{ "mqtt://h/id?up=", "'up='", "mqtt://" },
	{ "mqtt://h/id?down=%0", "'down=%0'", "mqtt://" },
	{ "mqtt://h/id?up=a&down=%c3", "'down=%c3'", "mqtt://" },
	{ "mqtt://h/id?upp=a", "'upp=a' is neither up=TOPIC", "mqtt://" },
	{ "mqtt://h/id?up=a&up=b", "'up' is given twice", "mqtt://" },
	{ "mqtt://h/id?up=a/#", "%23", "mqtt://" },
	{ "mqtt://h:0/id", "port 0", "mqtt://" },
	{ "mqtts:h/id", "'//'", "mqtts://" },
	{ "mqtt://%zz@h/id", "no text", "mqtt://" },
	{ "stdio:", "command is missing", "stdio:COMMAND" },
	{ "stdio:   ", "command is missing", "stdio:COMMAND" },
	{ "stdio:# server", "command is missing", "stdio:COMMAND" },
	{ "stdio:'' x", "command is missing", "stdio:COMMAND" },
	{ "stdio:server 'x", "single quote at column 8", "stdio:COMMAND" },
	{ "wsss://h", "unknown scheme 'wsss'", "did you mean wss://HOST" },
	{ "lisen:80", "unknown scheme 'lisen'", "did you mean listen:" },
	{ "localhost:8080", "unknown scheme 'localhost'", "did you mean ws://localhost:8080" },
	{ "mqts://u:geheim@h/id", "'mqts://u:***@h/id'", "did you mean mqtt" },
	{ "mqts://u:ge@heim@h/id", "'mqts://u:***@h/id'", "did you mean mqtt" },
	{ "u:9geheim@h/mcp", "'u:***@h/mcp' has the unknown scheme", "://u:***@h/mcp?" },
	{ "xyzzy://h", "unknown scheme 'xyzzy'", "help targets" },
	{ "listen", "has no scheme", "did you mean listen:" },
	{ "", "has no scheme", "help targets" },
};
/* clang-format on */

static void same(const char *what, const char *got, const char *wanted)
{
	if (!wanted && !got)
		return;
	if (!wanted || !got || strcmp(got, wanted) != 0)
		fail_msg("%s is '%s', not '%s'", what, got ? got : "NULL",
			 wanted ? wanted : "NULL");
}

/* A row that was left half written would make another peer of its targets. */
static void test_rows(void **state)
{
	(void)state;
	for (const struct scheme *s = schemes; s->name; s++) {
		size_t len = strlen(s->name);

		assert_memory_equal(s->syntax, s->name, len);
		assert_int_equal(s->syntax[len], ':');
		assert_true(s->brief && *s->brief && s->parse);
		assert_ptr_equal(scheme_find(s->name, len), s);
		assert_true(!(s->traits & SCHEME_DEVICE) ||
			    !(s->traits & SCHEME_PLAIN));
		if (!strchr(s->syntax, '/') || s->kind == SCHEME_LISTEN)
			continue;
		assert_int_not_equal(s->port, 0);
		assert_int_equal(!!(s->traits & SCHEME_TLS),
				 s->name[len - 1] == 's' && len > 2);
	}
	assert_null(scheme_find("http+", 5));
	assert_null(scheme_find("", 0));
}

/* Nothing of the target, which may hold a secret, is in the reason alone. */
static void test_reason(void **state)
{
	static const char *const wrong[] = { "ws://h:secret/", "nothing:secret",
					     "mqtt://h/#secret" };
	struct error err = { 0 };
	struct endpoint e;

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(endpoint_read(&e, wrong[i], "a file", &err),
				 -1);
		assert_null(e.text);
		assert_null(strstr(err.text, "target '"));
		assert_string_equal(err.hint, "");
		assert_int_equal(err.kind, ERR_USAGE);
	}
	assert_int_equal(endpoint_read(&e, "SIM:x", "a file", &err), 0);
	assert_string_equal(e.scheme->name, "sim");
	assert_string_equal(e.source, "a file");
	endpoint_done(&e);
}

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		const struct good *g = &good[i];
		struct error err = { 0 };
		struct endpoint e;

		if (endpoint_parse(&e, g->text, "the argument", &err))
			fail_msg("'%s': %s", g->text, err.text);
		same("text", e.text, g->text);
		same("source", e.source, "the argument");
		same(g->text, e.scheme->name, g->scheme);
		same(g->text, e.host, g->host);
		same(g->text, e.path, g->path);
		same(g->text, e.query, g->query);
		same(g->text, e.user, g->user);
		assert_int_equal(e.port, g->port);
		assert_int_equal(e.has_port, g->has_port);
		assert_false(e.insecure);
		assert_int_equal(e.tokens.count, 0);
		endpoint_done(&e);
		assert_null(e.text);
	}
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct error err = { 0 };
		struct endpoint e;

		if (!endpoint_parse(&e, bad[i].text, "MCPCTL_TARGET", &err))
			fail_msg("'%s' was accepted", bad[i].text);
		assert_int_equal(err.kind, ERR_USAGE);
		if (!strstr(err.text, bad[i].says))
			fail_msg("'%s': '%s' does not say '%s'", bad[i].text,
				 err.text, bad[i].says);
		if (!strstr(err.hint, bad[i].hints) ||
		    !strstr(err.hint, "MCPCTL_TARGET"))
			fail_msg("'%s': hint '%s' lacks '%s' or the source",
				 bad[i].text, err.hint, bad[i].hints);
		assert_null(e.text);
		assert_null(e.host);
		error_reset(&err);
	}
}

/* Client id and topics are decoded; a port without TLS and one with it. */
static void test_mqtt(void **state)
{
	static const struct {
		const char *text, *path, *up, *down;
		int port;
	} rows[] = {
		{ "mqtt://h/GID_t@@@aa_bb_cc_dd_ee_ff@@@u",
		  "GID_t@@@aa_bb_cc_dd_ee_ff@@@u", NULL, NULL, 1883 },
		{ "mqtts://h/id?up=a/b&down=c%20d%3f", "id", "a/b", "c d?",
		  8883 },
		{ "mqtt://[::1]:5/x%2fy/z?down=d", "x/y/z", NULL, "d", 5 },
		{ "mqtt://u@h/%c3%a4%25?", "\xc3\xa4%", NULL, NULL, 1883 },
		{ "mqtt://h/id?up=%23&", "id", "#", NULL, 1883 },
		{ "mqtt://h/id?up=a%26b%3d", "id", "a&b=", NULL, 1883 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		struct endpoint e;

		if (endpoint_parse(&e, rows[i].text, "a test", &err))
			fail_msg("'%s': %s", rows[i].text, err.text);
		same("path", e.path, rows[i].path);
		same("up", e.topic_up, rows[i].up);
		same("down", e.topic_down, rows[i].down);
		assert_int_equal(e.port, rows[i].port);
		assert_null(e.password);
		endpoint_done(&e);
		assert_null(e.topic_up);
	}
}

static void test_too_long(void **state)
{
	char text[10000] = "ws://h/";
	struct error err = { 0 };
	struct endpoint e;

	(void)state;
	memset(text + 7, 'x', sizeof(text) - 8);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(endpoint_parse(&e, text, "a file", &err), -1);
	assert_non_null(strstr(err.text, "longer than"));
	assert_non_null(strstr(err.hint, "a file"));
}

/* The words of a command line, there and back. */
static void test_child(void **state)
{
	char *words[] = { (char[]){ "./my server" },
			  (char[]){ "" },
			  (char[]){ "it's \"x\" $HOME `ls` \\" },
			  (char[]){ "#no comment" },
			  (char[]){ "two\nlines" },
			  (char[]){ "\xff" } };
	char *text = endpoint_child_text(words, COUNT(words));
	struct endpoint e;

	(void)state;
	assert_int_equal(endpoint_parse(&e, text, "a test", NULL), 0);
	assert_string_equal(e.text, text);
	assert_int_equal(e.argv.count, COUNT(words));
	for (size_t i = 0; i < COUNT(words); i++)
		assert_string_equal(e.argv.word[i], words[i]);
	assert_null(e.argv.word[COUNT(words)]);
	assert_null(e.cwd);
	assert_int_equal(e.env.count, 0);
	endpoint_done(&e);
	assert_int_equal(e.argv.count, 0);
	mem_free(text);
	text = endpoint_child_text(words, 2);
	assert_string_equal(text, "stdio:'./my server' ''");
	mem_free(text);
}

/* A whole script may stand in one. */
static void test_long_child(void **state)
{
	size_t len = 100000;
	char *script = malloc(len + 1);
	char *text;
	struct endpoint e;

	(void)state;
	memset(script, 'x', len);
	script[len] = '\0';
	text = endpoint_child_text(&script, 1);
	assert_int_equal(endpoint_parse(&e, text, "a test", NULL), 0);
	assert_string_equal(e.argv.word[0], script);
	endpoint_done(&e);
	mem_free(text);
	free(script);
}

static void test_listen_option(void **state)
{
	struct error err = { 0 };
	uint16_t port;
	char *host;

	(void)state;
	assert_int_equal(endpoint_parse_listen("8080", &host, &port, &err), 0);
	assert_null(host);
	assert_int_equal(port, 8080);
	assert_int_equal(endpoint_parse_listen("[::1]:0", &host, &port, &err),
			 0);
	assert_string_equal(host, "::1");
	assert_int_equal(port, 0);
	mem_free(host);
	assert_int_equal(endpoint_parse_listen("h:65535", &host, &port, &err),
			 0);
	assert_string_equal(host, "h");
	assert_int_equal(port, 65535);
	mem_free(host);
	assert_int_equal(
		endpoint_parse_listen("ws://u:secret@h:1", &host, &port, &err),
		-1);
	assert_null(strstr(err.text, "secret"));
	error_reset(&err);
	assert_int_equal(endpoint_parse_listen("", &host, &port, &err), -1);
	assert_int_equal(endpoint_parse_listen("h", &host, &port, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.hint, "[IPV6]:PORT"));
	assert_null(host);
}

static void test_headers(void **state)
{
	struct headers h = { 0 };

	(void)state;
	assert_null(headers_get(&h, "a"));
	headers_add(&h, "Device-Id", "1");
	headers_add(&h, "device-id", "2");
	assert_string_equal(headers_get(&h, "DEVICE-ID"), "1");
	assert_null(headers_get(&h, "Device"));
	assert_int_equal(h.count, 2);
	headers_done(&h);
	assert_int_equal(h.count, 0);
}

/* What others decide by: of each scheme its kind, its traits, its port. */
static void test_kinds(void **state)
{
	static const struct {
		const char *name;
		enum scheme_kind kind;
		unsigned traits;
		uint16_t port;
	} rows[] = {
		{ "attach", SCHEME_ATTACH, SCHEME_WAITS | SCHEME_DEVICE, 0 },
		{ "listen", SCHEME_LISTEN, SCHEME_WAITS | SCHEME_DEVICE, 8000 },
		{ "ws", SCHEME_WEBSOCKET, 0, 80 },
		{ "wss", SCHEME_WEBSOCKET, SCHEME_TLS, 443 },
		{ "http", SCHEME_HTTP, SCHEME_PLAIN, 80 },
		{ "https", SCHEME_HTTP, SCHEME_PLAIN | SCHEME_TLS, 443 },
		{ "sse+http", SCHEME_HTTP, SCHEME_PLAIN | SCHEME_OLD_SSE, 80 },
		{ "sse+https", SCHEME_HTTP,
		  SCHEME_PLAIN | SCHEME_OLD_SSE | SCHEME_TLS, 443 },
		{ "stdio", SCHEME_CHILD, SCHEME_PLAIN, 0 },
		{ "mqtt", SCHEME_MQTT, SCHEME_DEVICE, 1883 },
		{ "mqtts", SCHEME_MQTT, SCHEME_DEVICE | SCHEME_TLS, 8883 },
		{ "mcp+mqtt", SCHEME_MCP_MQTT, SCHEME_PLAIN, 1883 },
		{ "mcp+mqtts", SCHEME_MCP_MQTT, SCHEME_PLAIN | SCHEME_TLS,
		  8883 },
		{ "sim", SCHEME_SIM, SCHEME_DEVICE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct scheme *s =
			scheme_find(rows[i].name, strlen(rows[i].name));
		struct endpoint e = { .scheme = s };

		assert_ptr_equal(s, &schemes[i]);
		assert_int_equal(s->kind, rows[i].kind);
		assert_int_equal(s->port, rows[i].port);
		for (unsigned bit = 1; bit <= SCHEME_PLAIN; bit <<= 1)
			assert_int_equal(endpoint_has(&e, bit),
					 (rows[i].traits & bit) != 0);
	}
	assert_null(schemes[COUNT(rows)].name);
	assert_false(endpoint_has(&(struct endpoint){ 0 }, SCHEME_PLAIN));
}

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define BYTE(n) "byte " n " behind the scheme is a space or a control character"

/* The reason alone, whole. */
static void test_reasons(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "ws: ", BYTE("1") },
		{ "ws://h\x7f", BYTE("4") },
		{ "ws://h\x1f", BYTE("4") },
		{ "mqtt://h/\t", BYTE("5") },
		{ "listen:80 ", BYTE("3") },
		{ "ws://:80", "the host is missing" },
		{ "ws://h:0", "the port 0 cannot be dialled" },
		{ "ws:/", "'//' must follow the scheme" },
		{ "ws://u@h",
		  "a user before '@' is not supported: use --header 'Authorization: …'" },
		{ "ws://h#x", "the part from '#' on is never sent" },
		{ "mqtt://@h/id", "the user before '@' is no text" },
		{ "mqtt://u%00@h/id", "the user before '@' is no text" },
		{ "mqtt://u:p@h/id",
		  "a password cannot be part of it: it comes from --mqtt-password-file or MCPCTL_MQTT_PASSWORD" },
		{ "mqtt://u@:1/id", "the host is missing" },
		{ "mqtt://h/i#d", "a '#' in an id or a topic is written %23" },
		{ "mqtt://h/id?up", "'up' is neither up=TOPIC nor down=TOPIC" },
		{ "mqtt://h/id?" SIXTY,
		  "'" SIXTY "' is neither up=TOPIC nor down=TOPIC" },
		{ "mqtt://h/id?" SIXTY "x&up=a",
		  "'" SIXTY "' is neither up=TOPIC nor down=TOPIC" },
		{ "mqtt://h/id?down=a&up=b&down=c", "'down' is given twice" },
		{ "mqtt://h/id?up=%c3", "the topic of 'up=%c3' is no text" },
		{ "mqtt://h/id?down=&up=a", "the topic of 'down=' is no text" },
		{ "mqtt://h/id?up=%zz" SIXTY,
		  "the topic of 'up=%zz" TEN TEN TEN TEN TEN
		  "0123' is no text" },
		{ "mcp+mqtt://h/?args=auto&",
		  "'args=auto&' is not args=plain" },
		{ "mcp+mqtt://h/%ff", "the server '\xff' is no text" },
		{ "listen:80/?", "the path '/?' has a '?' or '#'" },
		{ "listen:/a#", "the path '/a#' has a '?' or '#'" },
		{ "listen:80//", "no '//' follows 'listen:'" },
		{ "listen:65536",
		  "'65536' is no port between 0 and 65535, nor HOST:PORT" },
		{ "listen:" SIXTY,
		  "'" SIXTY "' is no port between 0 and 65535, nor HOST:PORT" },
		{ "listen:" SIXTY "x",
		  "'" SIXTY "' is no port between 0 and 65535, nor HOST:PORT" },
		{ "listen:h:65536",
		  "the port '65536' is not between 0 and 65535" },
		{ "x:y", "its scheme is unknown" },
		{ "ws", "its scheme is unknown" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		struct endpoint e;

		if (!endpoint_read(&e, rows[i].text, "a file", &err))
			fail_msg("'%s' was taken", rows[i].text);
		assert_string_equal(err.text, rows[i].why);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

/* What is proposed instead, and what is not shown of the target. */
static void test_proposals(void **state)
{
	static const struct {
		const char *text, *why, *hint;
	} rows[] = {
		{ "ws", "target 'ws' has no scheme, such as ws: or listen:",
		  "did you mean ws://HOST[:PORT][/PATH]? (it came from X)" },
		{ "h:9/mcp", "target 'h:9/mcp' has the unknown scheme 'h'",
		  "did you mean http://h:9/mcp? (it came from X)" },
		{ "h:0/sse", "target 'h:0/sse' has the unknown scheme 'h'",
		  "did you mean http://h:0/sse? (it came from X)" },
		{ "h:1/ws", "target 'h:1/ws' has the unknown scheme 'h'",
		  "did you mean ws://h:1/ws? (it came from X)" },
		{ "h:/", "target 'h:/' has the unknown scheme 'h'",
		  "'mcpctl help targets' lists them (it came from X)" },
		{ "h::", "target 'h::' has the unknown scheme 'h'",
		  "'mcpctl help targets' lists them (it came from X)" },
		{ "ws://u:p@h?x:y@z",
		  "target 'ws://u:***@h?x:y@z': a user before '@' is not supported: use --header 'Authorization: …'",
		  "expected ws://HOST[:PORT][/PATH] (it came from X)" },
		{ "ws://:p@h",
		  "target 'ws://:***@h': a user before '@' is not supported: use --header 'Authorization: …'",
		  "expected ws://HOST[:PORT][/PATH] (it came from X)" },
		{ "ws://u@h",
		  "target 'ws://u@h': a user before '@' is not supported: use --header 'Authorization: …'",
		  "expected ws://HOST[:PORT][/PATH] (it came from X)" },
		/* It may be the password of somebody at b: it is not shown. */
		{ "ws://h:x/a@b",
		  "target 'ws://h:***@b': what follows the ':' is no port, or it is a password: a user before '@' is not supported: use --header 'Authorization: …'",
		  "expected ws://HOST[:PORT][/PATH] (it came from X)" },
		{ "ws://h:x/a",
		  "target 'ws://h:x/a': the port 'x' is not between 0 and 65535",
		  "expected ws://HOST[:PORT][/PATH] (it came from X)" },
		{ "ws:h", "target 'ws:h': '//' must follow the scheme",
		  "expected ws://HOST[:PORT][/PATH] (it came from X)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		struct endpoint e;

		assert_int_equal(endpoint_parse(&e, rows[i].text, "X", &err),
				 -1);
		assert_string_equal(err.text, rows[i].why);
		assert_string_equal(err.hint, rows[i].hint);
	}
}

/* A target of so many bytes. */
static int of_length(const char *begin, size_t len, struct error *err)
{
	char *text = malloc(len + 1);
	struct endpoint e;
	int status;

	memset(text, 'x', len);
	memcpy(text, begin, strlen(begin));
	text[len] = '\0';
	status = endpoint_parse(&e, text, "a file", err);
	endpoint_done(&e);
	free(text);
	return status;
}

static void test_lengths(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(of_length("ws://h/", 8192, &err), 0);
	assert_int_equal(of_length("ws://h/", 8193, &err), -1);
	assert_string_equal(err.text, "the target is longer than 8192 bytes");
	assert_string_equal(err.hint, "it came from a file");
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(of_length("stdio:", 262144, &err), 0);
	assert_int_equal(of_length("stdio:", 262145, &err), -1);
	assert_string_equal(err.text, "the target is longer than 262144 bytes");
	assert_int_equal(of_length("", 8193, &err), -1);
	assert_string_equal(err.text, "the target is longer than 8192 bytes");
}

static void of_server(const char *target, const char *id, const char *name,
		      const char *wanted)
{
	struct buf out = { 0 };
	struct endpoint e;

	assert_int_equal(endpoint_parse(&e, target, "a test", NULL), 0);
	buf_text(&out, "-> ");
	endpoint_mcp_text(&out, &e, id, name);
	assert_string_equal(buf_string(&out), wanted);
	buf_done(&out);
	endpoint_done(&e);
}

static void test_one_server(void **state)
{
	(void)state;
	of_server("mcp+mqtt://h", NULL, NULL, "-> mcp+mqtt://h");
	of_server("mcp+mqtt://h:1883/?args=plain", NULL, NULL,
		  "-> mcp+mqtt://h");
	of_server("MCP+MQTTS://u%40x@[::1]:1883/+/x?args=plain", "i/d", "a b#",
		  "-> mcp+mqtts://u%40x@[::1]:1883/i/d/a%20b%23?args=plain");
	of_server("mcp+mqtt://h:8883", "a-._~:@", "b",
		  "-> mcp+mqtt://h:8883/a-._~:@/b");
}

static void nobody(const char *target, const char *device, const char *why)
{
	struct error err = { 0 };
	struct endpoint e;

	assert_int_equal(endpoint_parse(&e, target, "a test", NULL), 0);
	e.device = device ? mem_strdup(device) : NULL;
	assert_int_equal(endpoint_mcp_none(&e, &err), -1);
	assert_string_equal(err.text, why);
	assert_string_equal(
		err.hint,
		"only what announces itself is found; --wait waits for one to come");
	assert_int_equal(err.kind, ERR_CONNECT);
	endpoint_done(&e);
}

static void test_no_server(void **state)
{
	(void)state;
	nobody("mcp+mqtt://h", NULL, "no MCP server is at the broker 'h'");
	nobody("mcp+mqtt://h/a/b", NULL,
	       "no MCP server that fits 'a/b' is at the broker 'h'");
	nobody("mcp+mqtt://h", "d",
	       "no MCP server that fits -d 'd' is at the broker 'h'");
	nobody("mcp+mqtt://h/a/b", "d",
	       "no MCP server that fits 'a/b' and -d 'd' is at the broker 'h'");
}

/* Who waited is not told to wait. */
static void test_no_server_came(void **state)
{
	struct error err = { 0 };
	struct endpoint e;

	(void)state;
	assert_int_equal(endpoint_parse(&e, "mcp+mqtt://h", "a test", NULL), 0);
	e.wait = 2000;
	assert_int_equal(endpoint_mcp_none(&e, &err), -1);
	assert_string_equal(
		err.hint,
		"only what announces itself is found, and no such one came in that time");
	error_reset(&err);
	endpoint_done(&e);
}

static void test_args(void **state)
{
	struct endpoint e;

	(void)state;
	assert_int_equal(endpoint_parse(&e, "mcp+mqtt://h", "", NULL), 0);
	assert_false(e.plain_args);
	endpoint_done(&e);
	assert_int_equal(
		endpoint_parse(&e, "mcp+mqtt://h?args=plain", "", NULL), 0);
	assert_true(e.plain_args);
	assert_string_equal(e.path, "");
	endpoint_done(&e);
	assert_int_equal(
		endpoint_parse(&e, "mcp+mqtt://h/?args=auto", "", NULL), 0);
	assert_false(e.plain_args);
	endpoint_done(&e);
}

static void test_bad_listen_option(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "", "address '': the port is missing" },
		{ "h",
		  "address 'h': 'h' is no port between 0 and 65535, nor HOST:PORT" },
		{ "65536",
		  "address '65536': '65536' is no port between 0 and 65535, nor HOST:PORT" },
		{ "h:", "address 'h:': no port follows the ':'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		uint16_t port;
		char *host;

		assert_int_equal(
			endpoint_parse_listen(rows[i].text, &host, &port, &err),
			-1);
		assert_string_equal(err.text, rows[i].why);
		assert_string_equal(err.hint,
				    "expected PORT, HOST:PORT or [IPV6]:PORT");
		assert_null(host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_reason),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_mqtt),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_long_child),
		cmocka_unit_test(test_listen_option),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_proposals),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_one_server),
		cmocka_unit_test(test_no_server),
		cmocka_unit_test(test_no_server_came),
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_bad_listen_option),
	};

	return cmocka_run_group_tests_name("endpoint", tests, NULL, NULL);
}
