/* SPDX-License-Identifier: MIT */
/*
 * The least MCP server: one tool, canned answers, nothing but system calls.
 * server: a line a message on stdin and stdout. server PORT: HTTP on loopback,
 * connections kept open; prints nothing. server PORT parts: head and body in
 * two writes, and the second waits until the first is acknowledged (Nagle's
 * algorithm), as with servers that do not think of it.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define INPUT_SIZE 65536

static int in_parts;

static const char initialize_result[] =
	"{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
	"\"serverInfo\":{\"name\":\"least\",\"version\":\"1\"}}";
static const char list_result[] =
	"{\"resultType\":\"complete\",\"ttlMs\":3600000,\"cacheScope\":\"public\","
	"\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}";
static const char call_result[] =
	"{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
	"\"text\":\"hello\"}],\"isError\":false}";
/* Modern, too (2026-07-28). */
static const char discover_result[] =
	"{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
	"\"capabilities\":{\"tools\":{}},\"_meta\":{"
	"\"io.modelcontextprotocol/serverInfo\":{\"name\":\"least\","
	"\"version\":\"1\"}},\"ttlMs\":3600000,\"cacheScope\":\"public\"}";

/* The reply to a message into out; 0: it is a notification. */
static int answer(const char *message, char *out, size_t size)
{
	const char *id = strstr(message, "\"id\":"), *result = call_result;
	int number = id ? atoi(id + 5) : 0;

	if (!id)
		return 0;
	if (strstr(message, "\"initialize\""))
		result = initialize_result;
	else if (strstr(message, "\"server/discover\""))
		result = discover_result;
	else if (strstr(message, "\"tools/list\""))
		result = list_result;
	return snprintf(out, size,
			"{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":%s}", number,
			result);
}

static void write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t put = write(fd, data, len);

		if (put <= 0)
			exit(1);
		data += put;
		len -= (size_t)put;
	}
}

static void serve_lines(void)
{
	static char line[INPUT_SIZE], out[INPUT_SIZE];

	while (fgets(line, sizeof(line), stdin)) {
		int len = answer(line, out, sizeof(out) - 1);

		out[len] = '\n';
		if (len > 0)
			write_all(STDOUT_FILENO, out, (size_t)len + 1);
	}
}

static void reply(int fd, const char *request, const char *body)
{
	static char json[INPUT_SIZE], out[INPUT_SIZE + 256];
	int len, head;

	if (strncmp(request, "POST", 4) != 0) {
		static const char refused[] =
			"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n";
		write_all(fd, refused, sizeof(refused) - 1);
		return;
	}
	len = answer(body, json, sizeof(json));
	head = snprintf(out, sizeof(out),
			len > 0 ? "HTTP/1.1 200 OK\r\nContent-Type: "
				  "application/json\r\nContent-Length: "
				  "%d\r\n\r\n" :
				  "HTTP/1.1 202 Accepted\r\nContent-Length: "
				  "%d\r\n\r\n",
			len);
	if (in_parts) {
		write_all(fd, out, (size_t)head);
		write_all(fd, json, (size_t)len);
		return;
	}
	memcpy(out + head, json, (size_t)len);
	write_all(fd, out, (size_t)head + (size_t)len);
}

/* Requests as they come, each whole before it is answered. */
static void serve_connection(int fd)
{
	static char in[INPUT_SIZE];
	size_t have = 0;

	for (;;) {
		ssize_t got = read(fd, in + have, sizeof(in) - have - 1);

		if (got <= 0)
			return;
		have += (size_t)got;
		in[have] = '\0';
		for (;;) {
			char *end = strstr(in, "\r\n\r\n"), kept;
			const char *length = strcasestr(in, "content-length:");
			size_t body = length && length < end ?
					      strtoul(length + 15, NULL, 10) :
					      0;
			size_t whole = end ? (size_t)(end + 4 - in) + body : 0;

			if (!end || whole > have)
				break;
			kept = in[whole];
			in[whole] = '\0';
			reply(fd, in, end + 4);
			in[whole] = kept;
			memmove(in, in + whole, have - whole + 1);
			have -= whole;
		}
	}
}

static int serve_http(int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons((unsigned short)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 64) != 0)
		return 1;
	for (;;) {
		int client = accept(fd, NULL, NULL);

		if (client < 0)
			return 1;
		if (!in_parts)
			setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one,
				   sizeof(one));
		/* A second connection (a GET stream) is served beside it. */
		if (fork() == 0) {
			serve_connection(client);
			_exit(0);
		}
		close(client);
	}
}

int main(int argc, char **argv)
{
	in_parts = argc > 2;
	if (argc > 1)
		return serve_http(atoi(argv[1]));
	serve_lines();
	return 0;
}
