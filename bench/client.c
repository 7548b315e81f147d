/* SPDX-License-Identifier: MIT */
/*
 * The floor of a whole call: initialize, notifications/initialized and
 * tools/call with nothing but system calls. client PORT: over HTTP on loopback;
 * client COMMAND: with that child's stdin and stdout.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "messages.h"

static void fail(const char *what)
{
	fprintf(stderr, "client: %s\n", what);
	exit(1);
}

static void send_text(int fd, const char *text, size_t len)
{
	if (write(fd, text, len) != (ssize_t)len)
		fail("cannot write");
}

/* Until `end` stands in what came. */
static void read_until(int fd, const char *end)
{
	static char in[65536];
	size_t have = 0;

	while (have < sizeof(in) - 1) {
		ssize_t got = read(fd, in + have, sizeof(in) - 1 - have);

		if (got <= 0)
			fail("no answer");
		have += (size_t)got;
		in[have] = '\0';
		if (strstr(in, end))
			return;
	}
	fail("a long answer");
}

static int over_http(int port)
{
	static const char *const ends[] = { "least\",\"version\":\"1\"}}}",
					    "\r\n\r\n", "\"isError\":false}}" };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((unsigned short)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		fail("cannot connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	for (int i = 0; i < 3; i++) {
		char out[1024];
		int len = snprintf(out, sizeof(out),
				   "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
				   "Accept: application/json, "
				   "text/event-stream\r\nContent-Type: "
				   "application/json\r\nContent-Length: "
				   "%zu\r\n\r\n%s",
				   strlen(messages[i]), messages[i]);

		send_text(fd, out, (size_t)len);
		read_until(fd, ends[i]);
	}
	return 0;
}

static int with_child(char *program)
{
	char *const argv[] = { program, NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2], status;
	pid_t pid;

	if (pipe(in) != 0 || pipe(out) != 0)
		fail("no pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	if (posix_spawn(&pid, program, &actions, NULL, argv, environ) != 0)
		fail("cannot start it");
	for (int i = 0; i < 3; i++) {
		send_text(in[1], messages[i], strlen(messages[i]));
		send_text(in[1], "\n", 1);
		if (i != 1)
			read_until(out[0], "\n");
	}
	close(in[1]);
	waitpid(pid, &status, 0);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	return strchr(argv[1], '/') ? with_child(argv[1]) :
				      over_http(atoi(argv[1]));
}
