/* SPDX-License-Identifier: MIT */
/*
 * Folders of the user, found and made. Opens no file.
 */
#include "cli/user_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

const struct user_place user_cache = { "XDG_CACHE_HOME", ".cache" };
const struct user_place user_config = { "XDG_CONFIG_HOME", ".config" };
const struct user_place user_state = { "XDG_STATE_HOME", ".local/state" };

/* NULL: not set, or what the rules say is to be ignored. */
static const char *absolute(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value == '/' ? value : NULL;
}

char *user_path(const struct user_place *place, const char *name)
{
	const char *given = absolute(place->variable);
	const char *home = absolute("HOME");

	if (given)
		return mem_printf("%s/mcpctl/%s", given, name);
	if (home)
		return mem_printf("%s/%s/mcpctl/%s", home, place->below_home,
				  name);
	return NULL;
}

static size_t without_slashes(const char *path, size_t len)
{
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* Bytes of path that name what must be there. */
static size_t root_of(const struct user_place *place, const char *path)
{
	const char *given = absolute(place->variable);
	const char *home = absolute("HOME");
	size_t len = home ? without_slashes(home, strlen(home)) : 0;

	if (len > 1 && strncmp(path, home, len) == 0 && path[len] == '/')
		return len;
	if (!given)
		return 1; /* HOME is "/" */
	len = without_slashes(given, strlen(given));
	while (len > 1 && given[len - 1] != '/')
		len--;
	return without_slashes(given, len);
}

static int failed(const char *path, struct error *err)
{
	int why = errno;

	error_set(err, ERR_OUTPUT, "cannot make the folder '%s': %s", path,
		  strerror(why));
	return error_code(err, why);
}

static int check_root(const char *path, size_t len, struct error *err)
{
	CLEANUP(mem_free_ptr) char *root = mem_strndup(path, len);
	struct stat st;

	if (stat(root, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	error_set(err, ERR_OUTPUT, "the folder '%s' is not there", root);
	return error_code(err, ENOENT);
}

int user_path_make(const struct user_place *place, const char *path,
		   struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(path);
	size_t root = root_of(place, path);

	if (check_root(path, root, err) != 0)
		return -1;
	for (char *at = copy + root; *at; at++) {
		if (*at != '/' || at == copy)
			continue;
		*at = '\0';
		if (mkdir(copy, 0700) != 0 && errno != EEXIST)
			return failed(copy, err);
		*at = '/';
	}
	return 0;
}
