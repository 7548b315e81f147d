/* SPDX-License-Identifier: MIT */
/*
 * Makes serve's listening socket, where no other serve listens.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/control_path.h"
#include "serve/control_private.h"

#define BACKLOG 128
#define LOCK_TRIES 100
#define LOCK_PAUSE_NS 10000000

static void close_ptr(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/*
 * Two serves that start at once would each take the other's new socket for a
 * stale one: so its folder is locked meanwhile. Somebody else's lock on a
 * shared folder must not keep us for ever: then it goes without.
 */
static int lock_folder(const char *path)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	const char *slash = strrchr(path, '/');
	CLEANUP(mem_free_ptr) char *folder = NULL;
	int fd;

	folder = slash ? mem_strndup(path, (size_t)(slash - path) + 1) :
			 mem_strdup(".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			break;
		nanosleep(&pause, NULL);
	}
	return fd;
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = strlen(path);

	/* control_path has measured it. */
	if (len < sizeof(address.sun_path))
		memcpy(address.sun_path, path, len);
	return address;
}

static int explain_running(int fd, const char *path, struct error *err)
{
	struct ucred who = { 0 };
	socklen_t len = sizeof(who);

	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) && who.pid)
		error_set(err, ERR_CONNECT,
			  "another serve is running there (pid %d): '%s'",
			  (int)who.pid, path);
	else
		error_set(err, ERR_CONNECT,
			  "another serve is running there: '%s'", path);
	return error_hint(err, "end it with 'mcpctl stop', or give this one a "
			       "socket of its own with --socket FILE");
}

/* Nobody may be behind it: then the file is removed. */
static int clear_stale(const char *path, struct error *err)
{
	struct sockaddr_un address = address_of(path);
	CLEANUP(close_ptr) int fd = -1;
	bool exists;

	if (control_path_check(path, &exists, err))
		return -1;
	if (!exists)
		return 0;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* EAGAIN: its backlog is full, so somebody listens. */
	if (fd >= 0 &&
	    (!connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	     errno == EAGAIN))
		return explain_running(fd, path, err);
	unlink(path);
	return 0;
}

static int explain(const char *path, const char *what, struct error *err)
{
	int error = errno;

	error_set(err, ERR_CONNECT, "%s the control socket '%s': %s", what,
		  path, strerror(error));
	error_hint(err, "its folder must exist and be yours; --socket FILE "
			"names another place");
	return error_code(err, error);
}

/* Private from the first moment on. */
static int bind_private(int fd, const char *path)
{
	struct sockaddr_un address = address_of(path);
	mode_t old = umask(0177);
	int status = bind(fd, (struct sockaddr *)&address, sizeof(address));

	umask(old);
	return status;
}

static int check_mode(const char *path, struct stat *out, struct error *err)
{
	if (lstat(path, out))
		return explain(path, "cannot look at", err);
	if (S_ISSOCK(out->st_mode) && (out->st_mode & 0777) == 0600)
		return 0;
	unlink(path);
	error_set(err, ERR_CONNECT,
		  "the control socket '%s' would be open to other users", path);
	return error_hint(err, "its file system keeps no modes; --socket FILE "
			       "names another place");
}

static int listen_alone(const char *path, struct stat *out, struct error *err)
{
	int fd;

	if (clear_stale(path, err))
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return explain(path, "cannot make", err);
	if (bind_private(fd, path)) {
		explain(path, "cannot make", err);
		close(fd);
		return -1;
	}
	if (listen(fd, BACKLOG)) {
		explain(path, "cannot listen on", err);
		unlink(path);
		close(fd);
		return -1;
	}
	if (check_mode(path, out, err)) {
		close(fd);
		return -1;
	}
	return fd;
}

int control_listen_check(const char *path, struct error *err)
{
	int lock = lock_folder(path);
	int status = clear_stale(path, err);

	if (lock >= 0)
		close(lock);
	return status;
}

int control_listen(const char *path, struct stat *out, struct error *err)
{
	int lock = lock_folder(path);
	int fd = listen_alone(path, out, err);

	if (lock >= 0)
		close(lock);
	return fd;
}
