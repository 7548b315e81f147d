/* SPDX-License-Identifier: MIT */
/*
 * A real mosquitto for a test: a child on a free port of 127.0.0.1, silent.
 * Where it is not installed, broker_start says so and the test is skipped.
 */
#ifndef REAL_BROKER_H
#define REAL_BROKER_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/loop.h"
#include "base/mem.h"
#include "free_port.h"

#define BROKER_PROGRAM "/usr/sbin/mosquitto"
#define BROKER_START_MS 60000

struct real_broker {
	char folder[64]; /* its files, and the test's own */
	uint16_t port;
	pid_t pid; /* 0: does not run */
};

/* len bytes as text, cut where out ends. */
static inline void keep_text(char *out, size_t size, const void *data,
			     size_t len)
{
	if (len > size - 1)
		len = size - 1;
	memcpy(out, data, len);
	out[len] = '\0';
}

static inline bool port_answers(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	good = !connect(fd, (struct sockaddr *)&to, sizeof(to));
	close(fd);
	return good;
}

static inline char *broker_path(const struct real_broker *b, const char *name)
{
	return mem_printf("%s/%s", b->folder, name);
}

static inline void broker_write(const struct real_broker *b, const char *name,
				const char *text)
{
	char *path = broker_path(b, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	mem_free(path);
}

/* Run a program to its end, silently; its exit status. */
static inline int run_program(const char *const *argv)
{
	int status = -1;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		char *copy[32] = { 0 };

		for (size_t i = 0; argv[i] && i < COUNT(copy) - 1; i++)
			copy[i] = mem_strdup(argv[i]);
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(copy[0], copy);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* False: mosquitto is not installed. */
static inline bool broker_prepare(struct real_broker *b)
{
	*b = (struct real_broker){ .port = free_port() };
	if (access(BROKER_PROGRAM, X_OK) != 0) {
		print_message("skipped: mosquitto is not installed\n");
		return false;
	}
	snprintf(b->folder, sizeof(b->folder), "/tmp/mcpctl-broker-XXXXXX");
	assert_non_null(mkdtemp(b->folder));
	return true;
}

static inline void broker_run(struct real_broker *b)
{
	char *file = broker_path(b, "conf");
	int64_t until = loop_now() + BROKER_START_MS;
	pid_t parent = getpid();

	fflush(NULL);
	b->pid = fork();
	if (b->pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			execl(BROKER_PROGRAM, "mosquitto", "-c", file,
			      (char *)NULL);
		_exit(127);
	}
	mem_free(file);
	while (!port_answers(b->port)) {
		if (loop_now() > until || waitpid(b->pid, NULL, WNOHANG))
			fail_msg("mosquitto does not answer at port %u",
				 (unsigned)b->port);
		usleep(10000);
	}
}

/* more: lines of its configuration behind the listener's. */
static inline void broker_configure(const struct real_broker *b,
				    const char *more)
{
	char *text = mem_printf("user root\nlistener %u 127.0.0.1\n%s\n",
				(unsigned)b->port, more);

	broker_write(b, "conf", text);
	mem_free(text);
}

static inline bool broker_start(struct real_broker *b, const char *more)
{
	if (!broker_prepare(b))
		return false;
	broker_configure(b, more);
	broker_run(b);
	return true;
}

static inline void broker_kill(struct real_broker *b)
{
	if (!b->pid)
		return;
	kill(b->pid, SIGKILL);
	waitpid(b->pid, NULL, 0);
	b->pid = 0;
}

static inline void broker_done(struct real_broker *b)
{
	char rm[] = "rm", all[] = "-rf";
	const char *argv[] = { rm, all, b->folder, NULL };

	broker_kill(b);
	if (b->folder[0])
		run_program(argv);
	*b = (struct real_broker){ 0 };
}

#endif
