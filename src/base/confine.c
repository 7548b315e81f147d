/* SPDX-License-Identifier: MIT */
#include "base/confine.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "base/base.h"

int confine_limit(enum __rlimit_resource what, rlim_t most)
{
	const struct rlimit to = { most, most };

	return setrlimit(what, &to);
}

int confine_memory(enum __rlimit_resource what, rlim_t most)
{
	return ADDRESS_SANITIZED ? 0 : confine_limit(what, most);
}

static void add_files(posix_spawn_file_actions_t *files, int in, int out)
{
	posix_spawn_file_actions_init(files);
	posix_spawn_file_actions_adddup2(files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null",
					 O_WRONLY, 0);
}

int confine_spawn(pid_t *child, const char *program, char *const argv[],
		  char *const env[], int in, int out)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t usual;
	int error;

	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigdefault(&how, &usual);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
	add_files(&files, in, out);
	error = posix_spawnp(child, program, &files, &how, argv, env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return error;
}
