/* SPDX-License-Identifier: MIT */
/*
 * The background: one fork before there is a loop, a pipe that tells when the
 * rest is up, a file with the process id. Knows nothing of serve.
 */
#include "cli/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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

bool daemon_is_abandoned(const struct daemon *d)
{
	struct pollfd p = { .fd = d->pipe };

	return poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP);
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

static int cannot_write(const char *path, int why, struct error *err)
{
	error_set(err, ERR_OUTPUT, "cannot write the pid file '%s': %s", path,
		  strerror(why));
	return error_code(err, why);
}

/* What stands in it: a process id, or 0 if nothing does. */
static int read_pid(int fd, const char *path, int64_t *pid, struct error *err)
{
	char text[32];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	*pid = 0;
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	text[len > 0 ? len : 0] = '\0';
	if (len == 0 || text_integer(text, 1, INT32_MAX, pid) == 0)
		return 0;
	error_set(err, ERR_USAGE, "'%s' exists and holds no process id", path);
	return error_hint(err, "give --pidfile a file of its own");
}

static int is_held(int fd, const char *path, struct error *err)
{
	int64_t pid;

	if (read_pid(fd, path, &pid, err))
		return -1;
	if (pid)
		error_set(
			err, ERR_CONNECT,
			"the pid file '%s' is held by process %d, which is running",
			path, (int)pid);
	else
		error_set(
			err, ERR_CONNECT,
			"the pid file '%s' is held by a process that is starting",
			path);
	return error_hint(err, "end it (mcpctl stop), or give another file");
}

/* Whoever held it may have removed it before we got its lock. */
static bool is_at(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 &&
	       ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* A descriptor with the lock; -1: err. *again: the file is gone. */
static int open_locked(const char *path, bool *again, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	int why = errno;

	*again = false;
	if (fd < 0 && why == ELOOP) {
		error_set(err, ERR_USAGE, "the pid file '%s' is a link", path);
		return error_hint(err, "give --pidfile a file of its own");
	}
	if (fd < 0)
		return cannot_write(path, why, err);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*again = !is_at(fd, path);
		return fd;
	}
	why = errno;
	if (why == EWOULDBLOCK)
		is_held(fd, path, err);
	else
		cannot_write(path, why, err);
	close(fd);
	return -1;
}

int pidfile_take(struct pidfile *p, const char *path, struct error *err)
{
	int64_t pid;
	bool again;
	int fd;

	*p = (struct pidfile){ .fd = -1 };
	while ((fd = open_locked(path, &again, err)) >= 0 && again)
		close(fd);
	if (fd < 0)
		return -1;
	/* Whose number it is does not matter: nobody holds the lock. */
	if (read_pid(fd, path, &pid, err)) {
		close(fd);
		return -1;
	}
	if (ftruncate(fd, 0) != 0) {
		cannot_write(path, errno, err);
		close(fd);
		return -1;
	}
	*p = (struct pidfile){ .path = path, .fd = fd };
	return 0;
}

int pidfile_write(struct pidfile *p, struct error *err)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("%d\n", (int)getpid());

	return file_write(p->fd, text, strlen(text)) ?
		       cannot_write(p->path, errno, err) :
		       0;
}

void pidfile_remove(struct pidfile *p)
{
	if (!p->path)
		return;
	if (is_at(p->fd, p->path))
		unlink(p->path);
	close(p->fd);
	*p = (struct pidfile){ .fd = -1 };
}

char *daemon_path(const char *path)
{
	char here[4096];

	if (!path || *path == '/' || !getcwd(here, sizeof(here)))
		return mem_strdup(path);
	return mem_printf("%s/%s", here, path);
}
