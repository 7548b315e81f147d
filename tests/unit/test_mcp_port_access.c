/* SPDX-License-Identifier: MIT */
/* Who may ask at the port for MCP clients, and where: pages, tokens, paths. */
#include "mcp_port_harness.h"

static void child_origins(uint16_t port, int out)
{
	static const char *const foreign[] = {
		"Origin: http://evil.example\r\n",
		"Origin: null\r\n",
		"Origin: http://localhost.evil.example\r\n",
		"Origin: http://127.evil.example\r\n",
		"Origin: http://192.0.2.1:8088\r\n",
		"Origin: \r\n"
	};
	struct answer a;
	int fd, socket;

	(void)out;
	for (size_t i = 0; i < COUNT(foreign); i++) {
		fd = raw_connect(port);
		ask(fd, "POST /", foreign[i], PING, &a);
		wants(&a, " 403 ", "origin");
		has_not(a.head, "Access-Control");
		close(fd);
	}
	fd = raw_connect(port);
	ask(fd, "POST /", "Origin: http://localhost:6274\r\n", PING, &a);
	wants(&a, " 200 ", "client");
	has(a.head, "Access-Control-Allow-Origin: http://localhost:6274\r\n");
	has(a.head, "Access-Control-Expose-Headers: Mcp-Session-Id\r\n");
	ask(fd, "OPTIONS /mcp",
	    "Origin: http://localhost:6274\r\n"
	    "Access-Control-Request-Method: POST\r\n"
	    "Access-Control-Request-Headers: mcp-session-id\r\n",
	    "", &a);
	wants(&a, " 204 ", "");
	has(a.head, "Access-Control-Allow-Methods: GET, POST, DELETE");
	has(a.head, "Access-Control-Allow-Headers: mcp-session-id\r\n");
	ask(fd, "OPTIONS /mcp", "Origin: http://127.0.0.1\r\n", "", &a);
	wants(&a, " 204 ", "");
	has(a.head, "Allow: GET, POST, DELETE");
	has_not(a.head, "Access-Control");
	close(fd);
	socket = raw_dial(port, "/", foreign[0], a.head, sizeof(a.head));
	has(a.head, " 403 ");
	close(socket);
	socket = raw_dial(port, "/", "Origin: http://127.0.0.1\r\n", a.head,
			  sizeof(a.head));
	has(a.head, " 101 ");
	close(socket);
}

static void test_origins(void **state)
{
	CLEANUP(words_done) struct words allowed = { 0 };

	(void)state;
	words_add(&allowed, "http://localhost:6274");
	t.options.admit.origins = &allowed;
	run(child_origins);
	has(buf_string(&t.lines), "evil.example");
}

static void child_paths(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_connect(port);

	(void)out;
	ask(fd, "GET /nothing", "", "", &a);
	wants(&a, " 404 ", "MCP is at /");
	ask(fd, "GET /", "Accept: text/html, */*\r\n", "", &a);
	wants(&a, " 200 ", "<p>");
	has(a.head, "Content-Type: text/html");
	has(a.body, "a &#60;service&#62;");
	ask(fd, "GET /mcp", "Accept: image/png\r\nAccept: text/html\r\n", "",
	    &a);
	wants(&a, " 200 ", "<p>");
	ask(fd, "GET /mcp", "", "", &a);
	wants(&a, " 405 ", "");
	has(a.head, "Allow: GET, POST, DELETE");
	ask(fd, "PUT /", "", "x", &a);
	wants(&a, " 405 ", "");
	ask(fd, "GET /messages", "", "", &a);
	wants(&a, " 405 ", "");
	ask(fd, "GET /health", "", "", &a);
	wants(&a, " 200 ", "{\"status\":\"ok\",\"service\":\"a <service>\"}");
	close(fd);
}

static void test_paths(void **state)
{
	(void)state;
	run(child_paths);
}

static void child_named_paths(uint16_t port, int out)
{
	struct answer a;
	int fd = raw_connect(port);

	(void)out;
	ask(fd, "POST /", "", PING, &a);
	wants(&a, " 404 ", "MCP is at /mcp");
	ask(fd, "POST /rpc", "", PING, &a);
	wants(&a, " 404 ", "");
	ask(fd, "POST /mcp", "", PING, &a);
	wants(&a, " 200 ", "client");
	ask(fd, "GET /", "Accept: text/html\r\n", "", &a);
	wants(&a, " 200 ",
	      "This is an MCP server, a bridge: a &#60;service&#62;.");
	has(a.body, "http://127.0.0.1/mcp");
	has(a.body, "http://127.0.0.1/sse");
	has(a.body, "ws://127.0.0.1/ws");
	close(fd);
	close(raw_dial(port, "/", "", a.head, sizeof(a.head)));
	has(a.head, " 404 ");
	fd = raw_dial(port, "/ws", "", a.head, sizeof(a.head));
	has(a.head, " 101 ");
	close(fd);
}

static void test_named_paths(void **state)
{
	(void)state;
	t.options.named_paths = true;
	t.options.by = "a bridge";
	run(child_named_paths);
	has(t.url, "/mcp");
}

#define GIVEN "Authorization: Bearer se-cret\r\n"

static char first_token[] = "another", second_token[] = "se-cret";
static char *token_words[] = { first_token, second_token };
static const struct words tokens = { .word = token_words, .count = 2 };

static void child_token(uint16_t port, int out)
{
	static const char *const lines[] = { "POST /", "GET /", "DELETE /mcp",
					     "GET /sse",
					     "POST /messages?session=1" };
	struct answer a;
	int fd;

	(void)out;
	for (size_t i = 0; i < COUNT(lines); i++) {
		fd = raw_connect(port);
		ask(fd, lines[i], BOTH, "", &a);
		wants(&a, " 401 ", "a token is needed");
		has(a.head, "WWW-Authenticate: Bearer\r\n");
		ask(fd, lines[i], "Authorization: Bearer se-cres\r\n", "", &a);
		wants(&a, " 401 ", "the token is wrong");
		has(a.head, "WWW-Authenticate: Bearer error=\"invalid_token\"");
		close(fd);
	}
	fd = raw_connect(port);
	ask(fd, "GET /health", "", "", &a);
	wants(&a, " 200 ", "ok");
	ask(fd, "GET /.well-known/oauth-protected-resource", "", "", &a);
	wants(&a, " 404 ", "");
	ask(fd, "POST /", GIVEN, PING, &a);
	wants(&a, " 200 ", "client 1");
	close(fd);
	close(raw_dial(port, "/", "", a.head, sizeof(a.head)));
	has(a.head, " 401 ");
	close(raw_dial(port, "/?token=se-cret", "", a.head, sizeof(a.head)));
	has(a.head, " 401 ");
	fd = raw_dial(port, "/", GIVEN, a.head, sizeof(a.head));
	has(a.head, " 101 ");
	raw_frame(fd, 0x81, PING, strlen(PING));
	expect_frame(fd, "client 2");
	close(fd);
}

static void test_token(void **state)
{
	(void)state;
	t.options.tokens = &tokens;
	run(child_token);
	has(buf_string(&t.lines),
	    " was refused: it shows no token, or a wrong one\n");
	assert_null(strstr(buf_string(&t.lines), "se-cre"));
	/* Told once, until the next beat. */
	assert_null(strstr(strstr(buf_string(&t.lines), "was refused") + 1,
			   "was refused"));
}

/* A stranger may not make us keep much. */
static void child_large(uint16_t port, int out)
{
	static const char size[] = "Content-Length: 100000\r\n\r\n";
	char head[2048], text[512];
	int fd = raw_connect(port);

	(void)out;
	snprintf(text, sizeof(text), "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n%s",
		 size);
	raw_text(fd, text);
	for (int i = 0; i < 1000; i++)
		raw_send(fd,
			 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
			 100);
	raw_read_head(fd, head, sizeof(head));
	has(head, " 403 ");
	close(fd);
	fd = raw_connect(port);
	snprintf(text, sizeof(text),
		 "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n" GIVEN "%s", size);
	raw_text(fd, text);
	for (int i = 0; i < 1000; i++)
		raw_send(fd,
			 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
			 100);
	raw_read_head(fd, head, sizeof(head));
	has(head, " 400 ");
	close(fd);
}

static void test_large(void **state)
{
	(void)state;
	t.options.tokens = &tokens;
	run(child_large);
	has(buf_string(&t.lines),
	    "a large body was refused: it showed no token");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_paths), TEST(test_named_paths), TEST(test_token),
		TEST(test_large), TEST(test_origins),
	};

	return cmocka_run_group_tests_name("mcp_port_access", tests, NULL,
					   NULL);
}
