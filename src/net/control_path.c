/* SPDX-License-Identifier: MIT */
/*
 * The path of serve's socket and who may be behind it. Opens nothing.
 */
#include "net/control_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"

#define PRIVATE_MODE 0700
#define OTHERS 0077

/* The longest path that an address holds with its NUL: 107 bytes. */
#define PATH_MAX_LEN (sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

static int refuse_folder(const char *folder, const char *why, struct error *err)
{
	error_set(err, ERR_CONNECT, "the folder '%s' of the control socket %s",
		  folder, why);
	return error_hint(err, "remove it, or name another place with "
			       "--socket FILE");
}

/* 0 if it is not there: nothing is trusted then. */
static int check_folder(const char *folder, struct error *err)
{
	struct stat st;

	if (lstat(folder, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return refuse_folder(folder, "cannot be looked at", err);
	}
	if (S_ISLNK(st.st_mode))
		return refuse_folder(folder, "is a symbolic link", err);
	if (!S_ISDIR(st.st_mode))
		return refuse_folder(folder, "is no folder", err);
	if (st.st_uid != geteuid())
		return refuse_folder(folder, "belongs to another user", err);
	if (st.st_mode & OTHERS)
		return refuse_folder(folder, "is open to other users", err);
	return 0;
}

static int make_folder(const char *folder, struct error *err)
{
	int error;

	if (!mkdir(folder, PRIVATE_MODE) || errno == EEXIST)
		return check_folder(folder, err);
	error = errno;
	error_set(err, ERR_CONNECT,
		  "cannot make the folder '%s' of the control socket: %s",
		  folder, strerror(error));
	error_hint(err, "set XDG_RUNTIME_DIR to a folder of yours, or name a "
			"place with --socket FILE");
	return error_code(err, error);
}

/* The variable may outlive its folder, as after su or in a container. */
static bool is_usable(const char *folder)
{
	struct stat st;

	return folder && folder[0] == '/' && !stat(folder, &st) &&
	       S_ISDIR(st.st_mode);
}

static char *default_folder(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *temporary = getenv("TMPDIR");

	if (is_usable(runtime))
		return mem_printf("%s/mcpctl", runtime);
	return mem_printf("%s/mcpctl-%u",
			  is_usable(temporary) ? temporary : "/tmp",
			  (unsigned)geteuid());
}

static int check_length(const char *path, struct error *err)
{
	size_t len = strlen(path);

	if (len <= PATH_MAX_LEN)
		return 0;
	error_set(err, ERR_USAGE,
		  "the path of the control socket has %zu bytes, %zu at most: "
		  "'%s'",
		  len, PATH_MAX_LEN, path);
	return error_hint(err, "name a shorter one with --socket FILE");
}

int control_path(char **out, const char *given, bool create, struct error *err)
{
	CLEANUP(mem_free_ptr) char *folder = NULL;
	CLEANUP(mem_free_ptr) char *path = NULL;
	int status;

	*out = NULL;
	if (given && *given) {
		if (check_length(given, err))
			return -1;
		*out = mem_strdup(given);
		return 0;
	}
	folder = default_folder();
	path = mem_printf("%s/serve.sock", folder);
	if (check_length(path, err))
		return -1;
	status = create ? make_folder(folder, err) : check_folder(folder, err);
	if (status)
		return -1;
	*out = TAKE(path);
	return 0;
}

int control_path_check(const char *path, bool *exists, struct error *err)
{
	struct stat st;
	int error;

	*exists = false;
	if (lstat(path, &st)) {
		error = errno;
		if (error == ENOENT || error == ENOTDIR)
			return 0;
		error_set(err, ERR_CONNECT,
			  "cannot look at the socket '%s': %s", path,
			  strerror(error));
		return error_code(err, error);
	}
	if (!S_ISSOCK(st.st_mode)) {
		error_set(err, ERR_CONNECT, "'%s' is no socket", path);
		return error_hint(err, "name another place with --socket FILE");
	}
	if (st.st_uid != geteuid()) {
		error_set(err, ERR_CONNECT,
			  "the socket '%s' belongs to another user (uid %u)",
			  path, (unsigned)st.st_uid);
		return error_hint(err, "a serve takes commands of its own user "
				       "only; start your own");
	}
	*exists = true;
	return 0;
}
