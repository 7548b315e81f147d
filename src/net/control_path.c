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
		int error = errno;

		if (error == ENOENT || error == ENOTDIR)
			return 0;
		error_set(err, ERR_CONNECT,
			  "cannot look at the folder '%s' of the control "
			  "socket: %s",
			  folder, strerror(error));
		error_hint(err, "name another place with --socket FILE");
		return error_code(err, error);
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

static bool is_folder(const char *path, struct stat *st)
{
	return path && path[0] == '/' && !stat(path, st) &&
	       S_ISDIR(st->st_mode);
}

/*
 * The variable may outlive its folder, as in a container, or be another
 * user's, as after su: a folder of ours in there would shut that user out.
 */
static const char *runtime_folder(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat st;

	return is_folder(runtime, &st) && st.st_uid == geteuid() ? runtime :
								   NULL;
}

static char *temporary_folder(void)
{
	const char *temporary = getenv("TMPDIR");
	struct stat st;

	return mem_printf("%s/mcpctl-%u",
			  is_folder(temporary, &st) ? temporary : "/tmp",
			  (unsigned)geteuid());
}

static char *default_folder(void)
{
	const char *runtime = runtime_folder();

	return runtime ? mem_printf("%s/mcpctl", runtime) : temporary_folder();
}

/* Where serve is if it was started in an environment of another kind. */
static char *other_folder(void)
{
	return runtime_folder() ?
		       temporary_folder() :
		       mem_printf("/run/user/%u/mcpctl", (unsigned)geteuid());
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

static bool is_there(const char *path)
{
	bool exists;

	return !control_path_check(path, &exists, NULL) && exists;
}

/* A job of cron, or a command over ssh, finds the serve of a desktop session. */
static void look_elsewhere(char **path)
{
	CLEANUP(mem_free_ptr) char *folder = other_folder();
	CLEANUP(mem_free_ptr)
	char *other = mem_printf("%s/serve.sock", folder);

	if (is_there(*path) || check_folder(folder, NULL) || !is_there(other))
		return;
	mem_free(*path);
	*path = TAKE(other);
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
	if (!create)
		look_elsewhere(&path);
	*out = TAKE(path);
	return 0;
}

int control_path_check(const char *path, bool *exists, struct error *err)
{
	struct stat st;

	*exists = false;
	if (lstat(path, &st)) {
		int error = errno;

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
