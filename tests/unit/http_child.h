/* SPDX-License-Identifier: MIT */
/*
 * An HTTP server of one request, in a child process; for the tests of the
 * simulator. It ends with a number of its own where it is not content.
 */
#ifndef HTTP_CHILD_H
#define HTTP_CHILD_H

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

#define HTTP_CHILD_MAX 65536

struct http_child {
	int door;
	uint16_t port;
	pid_t pid;
};

/* What it is to see and to say. */
struct http_script {
	const char *request; /* all of it, literally; NULL: anything */
	size_t request_len;
	const char *answer; /* NULL: none, it waits for the other side's end */
	size_t answer_len;
	bool close; /* at once, instead of when the other side has closed */
};

static inline void http_child_open(struct http_child *c)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	socklen_t len = sizeof(any);

	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(c->door, (struct sockaddr *)&any, sizeof(any)),
			 0);
	assert_int_equal(listen(c->door, 4), 0);
	assert_int_equal(getsockname(c->door, (struct sockaddr *)&any, &len),
			 0);
	c->port = ntohs(any.sin_port);
}

/* All of a request: chunked, or as long as it says. */
static inline bool http_child_is_whole(const char *text, size_t len)
{
	const char *blank = strstr(text, "\r\n\r\n");
	const char *told = strcasestr(text, "\r\nContent-Length:");

	if (!blank)
		return false;
	if (!told || told > blank)
		return len > 7 && !memcmp(text + len - 7, "\r\n0\r\n\r\n", 7);
	return len - (size_t)(blank + 4 - text) >= strtoul(told + 17, NULL, 10);
}

static inline int http_child_play(int fd, const struct http_script *s)
{
	static char text[HTTP_CHILD_MAX];
	ssize_t got;
	size_t len = 0;

	while (!http_child_is_whole(text, len)) {
		got = recv(fd, text + len, sizeof(text) - 1 - len, 0);
		if (got <= 0)
			return 1;
		len += (size_t)got;
	}
	if (s->request &&
	    (len != s->request_len || memcmp(text, s->request, len) != 0)) {
		fprintf(stderr, "it asked:\n%.*s\n", (int)len, text);
		return 2;
	}
	if (s->answer && send(fd, s->answer, s->answer_len, MSG_NOSIGNAL) !=
				 (ssize_t)s->answer_len)
		return 3;
	/* The board closes first. */
	return s->close || recv(fd, text, 1, 0) <= 0 ? 0 : 4;
}

static inline void http_child_start(struct http_child *c,
				    const struct http_script *s)
{
	c->pid = fork();
	if (c->pid)
		return;
	alarm(120);
	_exit(http_child_play(accept(c->door, NULL, NULL), s));
}

/* It must have been content. */
static inline void http_child_finish(struct http_child *c)
{
	int status = -1;

	close(c->door);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_int_equal(status, 0);
}

#endif
