/* SPDX-License-Identifier: MIT */
#include "capture/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/file.h"
#include "base/mem.h"

static const struct packer {
	const char *program;
	const char *magic;
	size_t len;
} packers[] = {
	{ "gzip", "\x1f\x8b", 2 },
	{ "zstd", "\x28\xb5\x2f\xfd", 4 },
};

/* It has no need of our secrets. */
static int start(struct unpacked *u, const char *program, int in, int out)
{
	const char *path = getenv("PATH");
	CLEANUP(mem_free_ptr)
	char *where = mem_printf("PATH=%s", path ? path : "/usr/bin:/bin");
	CLEANUP(mem_free_ptr) char *name = mem_strdup(program);
	char locale[] = "LC_ALL=C", option[] = "-dc";
	char *argv[] = { name, option, NULL };
	char *env[] = { where, locale, NULL };

	return confine_spawn(&u->child, program, argv, env, in, out);
}

static int read_through(struct unpacked *u, const char *program,
			const char *path, struct error *err)
{
	int ends[2], in = u->fd, error;

	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, ERR_USAGE, "cannot unpack '%s': %s", path,
				 strerror(errno));
	error = start(u, program, in, ends[1]);
	close(ends[1]);
	close(in);
	u->fd = ends[0];
	u->program = program;
	if (!error)
		return 0;
	u->child = 0;
	unpack_done(u);
	error_set(err, ERR_USAGE, "cannot unpack '%s' with %s: %s", path,
		  program, strerror(error));
	return error_hint(err, "install %s, or unpack the file first", program);
}

int unpack_open(struct unpacked *u, const char *path, struct error *err)
{
	char magic[4];
	ssize_t len;

	*u = (struct unpacked){ .fd = -1 };
	if (strcmp(path, "-") == 0) {
		u->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		if (u->fd < 0)
			return error_set(err, ERR_USAGE,
					 "cannot read stdin: %s",
					 strerror(errno));
		return 0;
	}
	u->fd = file_open(path, O_RDONLY | O_NOCTTY, 0);
	len = u->fd < 0 ? -1 : pread(u->fd, magic, sizeof(magic), 0);
	/* A pipe has no beginning to look at twice. */
	if (u->fd >= 0 && len < 0 && errno == ESPIPE)
		return 0;
	if (len < 0) {
		error_set(err, ERR_USAGE, "cannot read '%s': %s", path,
			  strerror(errno));
		unpack_done(u);
		return -1;
	}
	for (size_t i = 0; i < COUNT(packers); i++)
		if ((size_t)len >= packers[i].len &&
		    memcmp(magic, packers[i].magic, packers[i].len) == 0)
			return read_through(u, packers[i].program, path, err);
	return 0;
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

bool unpack_whole(struct unpacked *u)
{
	pid_t child = u->child;

	u->child = 0;
	return !child || wait_for(child) == 0;
}

void unpack_done(struct unpacked *u)
{
	if (u->fd >= 0)
		close(u->fd);
	u->fd = -1;
	if (u->child) {
		kill(u->child, SIGTERM);
		wait_for(u->child);
	}
	u->child = 0;
}
