/* SPDX-License-Identifier: MIT */
/*
 * A socket that is polled until a deadline. Serve's answers are read as they
 * are; what they say is the asker's matter.
 */
#include "net/control_quick.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "net/control_path.h"
#include "wire/greeting.h"

#define CHUNK 65536

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void control_quick_close(struct control_quick *q)
{
	if (q->fd >= 0)
		close(q->fd);
	q->fd = -1;
	buf_done(&q->in);
	q->used = 0;
}

static int give_up(struct control_quick *q)
{
	control_quick_close(q);
	return -1;
}

/* -1: the time is over. A hang-up is found by what is done next. */
static int wait_for(const struct control_quick *q, short what)
{
	struct pollfd p = { .fd = q->fd, .events = what };
	int n;

	do {
		int64_t left = q->deadline - now_ms();

		n = left > 0 ? poll(&p, 1, (int)left) : 0;
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : -1;
}

/* Whoever can make a socket there could pretend to be serve. */
static bool is_ours(int fd)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       peer.uid == geteuid();
}

int control_quick_open(struct control_quick *q, const char *path, int64_t ms)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	bool exists = false;
	CLEANUP(buf_done) struct buf question = { 0 };

	*q = (struct control_quick){ .fd = -1, .deadline = now_ms() + ms };
	if (len >= sizeof(to.sun_path) ||
	    control_path_check(path, &exists, NULL) != 0 || !exists)
		return -1;
	memcpy(to.sun_path, path, len + 1);
	/* A full queue is EAGAIN then: such a serve is too slow anyway. */
	q->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (q->fd < 0 ||
	    connect(q->fd, (struct sockaddr *)&to, sizeof(to)) != 0 ||
	    !is_ours(q->fd))
		return give_up(q);
	buf_init(&q->in, CONTROL_HEAD + CONTROL_FRAME_MAX + CHUNK);
	greeting_ask(&question);
	return control_quick_send(q, &question);
}

int control_quick_send(struct control_quick *q, const struct buf *json)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	size_t at = 0;

	if (q->fd < 0)
		return -1;
	if (json->len > CONTROL_FRAME_MAX)
		return give_up(q);
	control_encode(&frame, CONTROL_JSON, buf_string(json), json->len);
	while (at < frame.len) {
		ssize_t n = send(q->fd, frame.data + at, frame.len - at,
				 MSG_NOSIGNAL);

		if (n > 0)
			at += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR) ||
			 wait_for(q, POLLOUT) != 0)
			return give_up(q);
	}
	return 0;
}

/* More of what is no whole frame yet. -1: nothing comes, or it is too much. */
static int receive(struct control_quick *q)
{
	char chunk[CHUNK];
	ssize_t n;

	buf_consume(&q->in, q->used);
	q->used = 0;
	do {
		if (wait_for(q, POLLIN) != 0)
			return -1;
		n = recv(q->fd, chunk, sizeof(chunk), 0);
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	if (n <= 0 || buf_add(&q->in, chunk, (size_t)n) != 0)
		return -1;
	return 0;
}

/* The next JSON frame; lent until more is received. */
static int next_frame(struct control_quick *q, struct control_frame *f)
{
	int status;

	do {
		status = control_decode(f, buf_string(&q->in) + q->used,
					q->in.len - q->used, NULL);
		if (status < 0 || (status == 0 && receive(q) != 0))
			return -1;
		if (status > 0)
			q->used += f->size;
	} while (status == 0 || f->kind != CONTROL_JSON);
	return 0;
}

/* Past the greeting. -1: a serve that is not understood, or says no more. */
static int meet(struct control_quick *q)
{
	struct control_frame f;
	struct greeting g;

	if (q->greeted)
		return 0;
	q->greeted = true;
	if (next_frame(q, &f) != 0 || !greeting_read(&g, &f))
		return -1;
	return greeting_check(&g, NULL);
}

int control_quick_next(struct control_quick *q, struct span *out)
{
	struct control_frame f;

	if (q->fd < 0)
		return -1;
	if (meet(q) != 0 || next_frame(q, &f) != 0)
		return give_up(q);
	*out = (struct span){ f.data, f.len };
	return json_check(f.data, f.len, NULL) == 0 ? 0 : give_up(q);
}
