/* SPDX-License-Identifier: MIT */
/*
 * The background: one fork before there is a loop, a pipe that tells when the
 * rest is up, a file with the process id. Knows nothing of serve.
 */
#include "cli/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

/* Until the other one is ready, or ended without that. */
static int wait_ready(int from, pid_t child)
{
	char byte;
	ssize_t got;
	int how;

	do {
		got = read(from, &byte, 1);
	} while (got < 0 && errno == EINTR);
	close(from);
	if (got == 1)
		return 0;
	while (waitpid(child, &how, 0) < 0) {
		if (errno != EINTR)
			return ERR_CONNECT;
	}
	return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}

static int cannot_fork(struct error *err)
{
	int why = errno;

	error_set(err, ERR_CONNECT, "cannot go to the background: %s",
		  strerror(why));
	return error_code(err, why);
}

/* Whoever started it may wait for the end of pipes that it was given too. */
static void keep_only(int *fd)
{
	if (*fd != STDERR_FILENO + 1 &&
	    dup3(*fd, STDERR_FILENO + 1, O_CLOEXEC) >= 0)
		*fd = STDERR_FILENO + 1;
	close_range((unsigned)*fd + 1, ~0u, 0);
}

int daemon_fork(struct daemon *d, int *status, struct error *err)
{
	int ends[2];
	pid_t child;

	d->pipe = -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return cannot_fork(err);
	fflush(stdout);
	fflush(stderr);
	child = fork();
	if (child < 0) {
		cannot_fork(err);
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	if (child > 0) {
		close(ends[1]);
		*status = wait_ready(ends[0], child);
		return 1;
	}
	setsid();
	keep_only(&ends[1]);
	d->pipe = ends[1];
	return 0;
}

void daemon_ready(struct daemon *d)
{
	if (d->pipe < 0)
		return;
	if (chdir("/") != 0) {
		/* Then a folder stays in use, and nothing else. */
	}
	if (write(d->pipe, "", 1) != 1) {
		/* Whoever started it is gone already. */
	}
	close(d->pipe);
	d->pipe = -1;
}

/* The process that the file names: 0 if there is no file, or it is empty. */
static int read_pid(const char *path, int64_t *pid, struct error *err)
{
	char text[32];
	FILE *f = fopen(path, "re");
	size_t len;

	*pid = 0;
	if (!f && errno == ENOENT)
		return 0;
	if (!f)
		return error_set(err, ERR_USAGE,
				 "cannot read the pid file '%s': %s", path,
				 strerror(errno));
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	text[len] = '\0';
	if (len == 0 || text_integer(text, 1, INT32_MAX, pid) == 0)
		return 0;
	error_set(err, ERR_USAGE, "'%s' exists and holds no process id", path);
	return error_hint(err, "give --pidfile a file of its own");
}

int pidfile_check(const char *path, struct error *err)
{
	int64_t pid;

	if (read_pid(path, &pid, err) != 0)
		return -1;
	if (pid == 0 || pid == getpid() ||
	    (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
		return 0;
	error_set(err, ERR_CONNECT,
		  "the pid file '%s' names process %d, which is running", path,
		  (int)pid);
	return error_hint(err,
			  "end it (mcpctl stop), or remove the file if that "
			  "process is another program");
}

static int cannot_write(const char *path, struct error *err)
{
	int why = errno;

	error_set(err, ERR_OUTPUT, "cannot write the pid file '%s': %s", path,
		  strerror(why));
	return error_code(err, why);
}

int pidfile_write(const char *path, struct error *err)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("%d\n", (int)getpid());

	return file_replace(path, 0644, text, strlen(text)) ?
		       cannot_write(path, err) :
		       0;
}

void pidfile_remove(const char *path)
{
	int64_t pid;

	if (read_pid(path, &pid, NULL) == 0 && pid == getpid())
		unlink(path);
}

char *daemon_path(const char *path)
{
	char here[4096];

	if (!path || *path == '/' || !getcwd(here, sizeof(here)))
		return mem_strdup(path);
	return mem_printf("%s/%s", here, path);
}
