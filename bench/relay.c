/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket message there and back: straight, through a bare relay (poll,
 * recv, send), and through what listens at RELAY-PORT before BACKEND-PORT.
 * usage: relay N BACKEND-PORT RELAY-PORT [MB]. Prints what a relay adds to each
 * round, in µs: p50 and p99 of the bare one, then those of the other. With MB:
 * so much audio in frames of 126 bytes, up, down, and both at once; how long each
 * took through the bare one and the other, in ms.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
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

			if (n == 0) {
				close(p[0].fd);
				close(p[1].fd);
				return;
			}
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

/* ---- audio ---- */

#define FRAME 126 /* with its head of 6 bytes: masked, or a longer length */
#define FRAMES 512

static void send_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0)
			fail("send");
		data += n;
		len -= (size_t)n;
	}
}

/* In a process of its own. */
static pid_t speak(int fd, bool masked, size_t blocks)
{
	static char block[FRAMES * FRAME];
	pid_t child = fork();

	if (child)
		return child;
	for (size_t i = 0; i < FRAMES; i++) {
		char *at = block + i * FRAME;

		/* Unmasked ones have 4 bytes of payload more in place of the mask. */
		at[0] = (char)0x82;
		at[1] = (char)(masked ? 0x80 | (FRAME - 6) : FRAME - 2);
	}
	while (blocks--)
		send_all(fd, block, sizeof(block));
	_exit(0);
}

static void hear(const int fd[2], size_t left[2])
{
	char piece[65536];

	while (left[0] || left[1]) {
		struct pollfd p[2] = { { left[0] ? fd[0] : -1, POLLIN, 0 },
				       { left[1] ? fd[1] : -1, POLLIN, 0 } };

		poll(p, 2, -1);
		for (int i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? recv(fd[i], piece,
							sizeof(piece), 0) :
						   0;

			if (p[i].revents && n <= 0)
				fail("hear");
			left[i] -= (size_t)n;
		}
	}
}

/* up, down: whether audio goes that way; ms. */
static double flood(uint16_t port, int backend, size_t mb, bool up, bool down)
{
	const size_t blocks = mb * 1000000 / ((size_t)FRAMES * FRAME);
	const size_t all = blocks * FRAMES * FRAME;
	int fd[2] = { dial(port), -1 };
	size_t left[2] = { down ? all : 0, up ? all : 0 };
	int64_t start;

	send_all(fd[0], REQUEST, strlen(REQUEST));
	fd[1] = made(accept(backend, NULL, NULL));
	take_head(fd[1]);
	send_all(fd[1], ANSWER, strlen(ANSWER));
	take_head(fd[0]);
	start = now();
	if (up)
		speak(fd[0], true, blocks);
	if (down)
		speak(fd[1], false, blocks);
	hear(fd, left);
	start = now() - start;
	close(fd[0]);
	close(fd[1]);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return (double)start / 1e6;
}

static void floods(uint16_t bare, uint16_t other, int backend, size_t mb)
{
	for (int way = 1; way <= 3; way++)
		printf("%.0f %.0f ", flood(bare, backend, mb, way & 1, way & 2),
		       flood(other, backend, mb, way & 1, way & 2));
	printf("\n");
}

int main(int argc, char **argv)
{
	int n = argc >= 4 ? atoi(argv[1]) : 0, backend, bare;
	uint16_t port, bare_port = 0;
	int64_t *straight, *floor, *other;
	pid_t child;

	if (n < 100)
		return 2;
	port = (uint16_t)atoi(argv[2]);
	backend = listen_at(&port);
	bare = listen_at(&bare_port);
	child = fork();
	while (child == 0)
		relay(bare, port);
	if (argc == 5) {
		floods(bare_port, (uint16_t)atoi(argv[3]), backend,
		       (size_t)atoi(argv[4]));
		kill(child, SIGTERM);
		return 0;
	}
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
