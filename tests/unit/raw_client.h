/* SPDX-License-Identifier: MIT */
/*
 * A client without a library, for a child process of a test: blocking calls,
 * frames written and read byte for byte. What the child finds it writes into
 * a pipe, the test reads that while its loop runs.
 */
#ifndef RAW_CLIENT_H
#define RAW_CLIENT_H

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/loop.h"

/* ---- in the child ---- */

static inline int raw_connect(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	struct timeval limit = { .tv_sec = 5 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		_exit(3);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static inline void raw_send(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		at += n;
		len -= (size_t)n;
	}
}

static inline void raw_text(int fd, const char *text)
{
	raw_send(fd, text, strlen(text));
}

/* False at the end of the stream. */
static inline bool raw_read(int fd, void *out, size_t len)
{
	return len == 0 || recv(fd, out, len, MSG_WAITALL) == (ssize_t)len;
}

/* The head of an answer with its empty line; cut at size. */
static inline void raw_read_head(int fd, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	while (len + 1 < size && !strstr(out, "\r\n\r\n")) {
		if (!raw_read(fd, out + len, 1))
			return;
		out[++len] = '\0';
	}
}

/* Dial a WebSocket; extra are header lines. The status line and headers. */
static inline int raw_dial(uint16_t port, const char *path, const char *extra,
			   char *head, size_t size)
{
	int fd = raw_connect(port);
	char text[2048];

	snprintf(text, sizeof(text),
		 "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s"
		 "Connection: Upgrade\r\n"
		 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
		 "Sec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n\r\n",
		 path, extra);
	raw_text(fd, text);
	raw_read_head(fd, head, size);
	return fd;
}

/* One frame, masked with zeros: the bytes stay readable. first: FIN and opcode. */
static inline void raw_frame(int fd, int first, const void *data, size_t len)
{
	unsigned char head[14] = { (unsigned char)first };
	size_t size = 2;

	if (len < 126) {
		head[1] = (unsigned char)(0x80 | len);
	} else if (len < 65536) {
		head[1] = 0x80 | 126;
		head[2] = (unsigned char)(len >> 8);
		head[3] = (unsigned char)len;
		size = 4;
	} else {
		head[1] = 0x80 | 127;
		for (int i = 0; i < 8; i++)
			head[2 + i] = (unsigned char)(len >> (56 - 8 * i));
		size = 10;
	}
	raw_send(fd, head, size + 4);
	raw_send(fd, data, len);
}

/* The next frame's first byte, 0 at the end of the stream; its payload is kept up to size. */
static inline int raw_next(int fd, char *out, size_t size, size_t *len)
{
	unsigned char head[10];
	uint64_t left;
	int more;

	*len = 0;
	if (!raw_read(fd, head, 2))
		return 0;
	left = head[1] & 0x7f;
	more = left == 126 ? 2 : left == 127 ? 8 : 0;
	if (!raw_read(fd, head + 2, (size_t)more))
		return 0;
	if (more) {
		left = 0;
		for (int i = 0; i < more; i++)
			left = left << 8 | head[2 + i];
	}
	while (left > 0) {
		char drop[4096];
		size_t part = left < sizeof(drop) ? (size_t)left : sizeof(drop);

		if (!raw_read(fd, drop, part))
			return 0;
		for (size_t i = 0; i < part && *len < size; i++)
			out[(*len)++] = drop[i];
		left -= part;
	}
	return head[0];
}

/* ---- in the test ---- */

struct raw_child {
	pid_t pid;
	uv_pipe_t pipe;
	struct buf said; /* what it wrote */
	bool over;
	char room[4096];
};

static inline void raw_on_room(uv_handle_t *handle, size_t wanted,
			       uv_buf_t *out)
{
	struct raw_child *c = handle->data;

	(void)wanted;
	*out = uv_buf_init(c->room, sizeof(c->room));
}

static inline void raw_on_read(uv_stream_t *stream, ssize_t len,
			       const uv_buf_t *in)
{
	struct raw_child *c = stream->data;

	if (len > 0)
		buf_add(&c->said, in->base, (size_t)len);
	else if (len < 0)
		c->over = true;
}

/* Run fn(port, pipe) in a child. */
static inline void raw_start(struct raw_child *c, struct loop *l, uint16_t port,
			     void (*fn)(uint16_t port, int out))
{
	int ends[2];

	*c = (struct raw_child){ 0 };
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	fflush(NULL);
	c->pid = fork();
	if (c->pid == 0) {
		fn(port, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	uv_pipe_init(loop_uv(l), &c->pipe, 0);
	uv_pipe_open(&c->pipe, ends[0]);
	c->pipe.data = c;
	uv_read_start((uv_stream_t *)&c->pipe, raw_on_room, raw_on_read);
}

/* Wait for its end; it must have gone well. raw_done releases. */
static inline const char *raw_finish(struct raw_child *c, struct loop *l)
{
	int status;

	loop_wait(l, &c->over, loop_now() + 60000, NULL);
	assert_true(c->over);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_int_equal(status, 0);
	uv_close((uv_handle_t *)&c->pipe, NULL);
	loop_poll(l);
	return buf_string(&c->said);
}

/* End one that does nothing but be there. raw_done releases. */
static inline void raw_kill(struct raw_child *c, struct loop *l)
{
	kill(c->pid, SIGKILL);
	assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
	uv_close((uv_handle_t *)&c->pipe, NULL);
	loop_poll(l);
}

static inline void raw_done(struct raw_child *c)
{
	buf_done(&c->said);
}

#endif
