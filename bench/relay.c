/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket message there and back: straight, through a bare relay (poll,
 * recv, send), and through what listens at RELAY-PORT before BACKEND-PORT.
 * usage: relay N BACKEND-PORT RELAY-PORT. Prints what a relay adds to each
 * round, in µs: p50 and p99 of the bare one, then those of the other.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUEST                                                        \
	"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n" \
	"Device-Id: 02:00:00:00:00:01\r\nProtocol-Version: 1\r\n"      \
	"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"              \
	"Sec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n\r\n"
#define ANSWER                                                       \
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n" \
	"Connection: Upgrade\r\n\r\n"
#define TEXT                                                                \
	"{\"session_id\":\"0123456789\",\"type\":\"mcp\",\"payload\":"      \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":" \
	"\"text\",\"text\":\"true\"}],\"isError\":false}}}"

static struct sockaddr_in at(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(port),
				     .sin_addr = { htonl(INADDR_LOOPBACK) } };
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int made(int fd)
{
	const int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static int listen_at(uint16_t *port)
{
	struct sockaddr_in a = at(*port);
	socklen_t len = sizeof(a);
	const int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&a, len) || listen(fd, 10) ||
	    getsockname(fd, (struct sockaddr *)&a, &len))
		fail("listen");
	*port = ntohs(a.sin_port);
	return fd;
}

static int dial(uint16_t port)
{
	struct sockaddr_in a = at(port);
	int fd = made(socket(AF_INET, SOCK_STREAM, 0));

	if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		fail("connect");
	return fd;
}

static void relay(int from, uint16_t to)
{
	struct pollfd p[2];
	char piece[65536];

	p[0].fd = made(accept(from, NULL, NULL));
	p[1].fd = dial(to);
	p[0].events = p[1].events = POLLIN;
	while (poll(p, 2, -1) > 0) {
		for (int i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? recv(p[i].fd, piece,
							sizeof(piece), 0) :
						   -1;

			if (n == 0)
				_exit(0);
			if (n > 0 && send(p[!i].fd, piece, (size_t)n, 0) != n)
				_exit(1);
		}
	}
}

static void take(int fd, size_t len)
{
	char piece[4096];

	if (recv(fd, piece, len, MSG_WAITALL) != (ssize_t)len)
		fail("recv");
}

static void take_head(int fd)
{
	char last[5] = "";

	while (strcmp(last, "\r\n\r\n") != 0) {
		memmove(last, last + 1, 3);
		if (recv(fd, last + 3, 1, 0) != 1)
			fail("head");
	}
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Rounds through that port to the backend, in order of their times. */
static int64_t *measure(uint16_t port, int backend, int n)
{
	unsigned char frame[300] = { 0x81, 126, 0,
				     (unsigned char)strlen(TEXT) };
	size_t len = 4 + strlen(TEXT);
	int64_t *took = calloc((size_t)n, sizeof(*took));
	int board = dial(port), up;

	memcpy(frame + 4, TEXT, strlen(TEXT));
	send(board, REQUEST, strlen(REQUEST), 0);
	up = made(accept(backend, NULL, NULL));
	take_head(up);
	send(up, ANSWER, strlen(ANSWER), 0);
	take_head(board);
	for (int i = -100; i < n; i++) {
		int64_t start = now();

		send(board, frame, len, 0);
		take(up, len);
		send(up, frame, len, 0);
		take(board, len);
		if (i >= 0)
			took[i] = now() - start;
	}
	close(board);
	close(up);
	qsort(took, (size_t)n, sizeof(*took), by_size);
	return took;
}

int main(int argc, char **argv)
{
	int n = argc == 4 ? atoi(argv[1]) : 0, backend, bare;
	uint16_t port, bare_port = 0;
	int64_t *straight, *floor, *other;
	pid_t child;

	if (n < 100)
		return 2;
	port = (uint16_t)atoi(argv[2]);
	backend = listen_at(&port);
	bare = listen_at(&bare_port);
	child = fork();
	if (child == 0)
		relay(bare, port);
	straight = measure(port, backend, n);
	floor = measure(bare_port, backend, n);
	other = measure((uint16_t)atoi(argv[3]), backend, n);
	for (int i = 0; i < 2; i++) {
		int64_t *of = i ? other : floor;

		printf("%.1f %.1f ",
		       (double)(of[n / 2] - straight[n / 2]) / 1e3,
		       (double)(of[n * 99 / 100] - straight[n * 99 / 100]) /
			       1e3);
	}
	printf("\n");
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	free(straight);
	free(floor);
	free(other);
	return 0;
}
