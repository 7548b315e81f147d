/* SPDX-License-Identifier: MIT */
/* Starting the user's browser. */
#include "auth/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* "%s" within a word; NULL: it has none. Yours. */
static char *with_url(const char *word, const char *url)
{
	const char *mark = strstr(word, "%s");

	if (!mark)
		return NULL;
	return mem_printf("%.*s%s%s", (int)(mark - word), word, url, mark + 2);
}

void browser_words(struct words *out, const char *one, size_t len,
		   const char *url)
{
	CLEANUP(mem_free_ptr) char *text = mem_strndup(one, len);
	CLEANUP(words_done) struct words words = { 0 };
	bool placed = false;

	if (words_split(&words, text, NULL) || !words.count)
		return;
	for (size_t i = 0; i < words.count; i++) {
		CLEANUP(mem_free_ptr) char *with = with_url(words.word[i], url);

		words_add(out, with ? with : words.word[i]);
		placed = placed || with;
	}
	if (!placed)
		words_add(out, url);
}

bool browser_is_there(bool *set)
{
	bool given = variable("BROWSER") != NULL;

	if (set)
		*set = given;
	return given || variable("DISPLAY") || variable("WAYLAND_DISPLAY");
}

/* What is ours may hold tokens, and means nothing to a browser. */
static void add_environment(struct words *out)
{
	for (char **e = environ; e && *e; e++) {
		if (strncmp(*e, "MCPCTL_", 7) != 0)
			words_add(out, *e);
	}
}

static void set_attributes(posix_spawnattr_t *a, posix_spawn_file_actions_t *f)
{
	sigset_t all, none;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_setsigdefault(a, &all);
	posix_spawnattr_setsigmask(a, &none);
	/* Ctrl-C at our terminal is not for it. */
	posix_spawnattr_setflags(a, POSIX_SPAWN_SETSIGDEF |
					    POSIX_SPAWN_SETSIGMASK |
					    POSIX_SPAWN_SETSID);
	posix_spawn_file_actions_addopen(f, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(f, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(f, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(f, 3);
}

static pid_t start(char *const *argv)
{
	CLEANUP(words_done) struct words environment = { 0 };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	pid_t pid = 0;

	add_environment(&environment);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_init(&files);
	set_attributes(&attributes, &files);
	if (posix_spawnp(&pid, argv[0], &files, &attributes, argv,
			 environment.word))
		pid = 0;
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return pid;
}

pid_t browser_open(const char *url)
{
	const char *list = variable("BROWSER");
	pid_t pid = 0;

	if (!browser_is_there(NULL))
		return 0;
	list = list ? list : "xdg-open";
	while (*list && !pid) {
		CLEANUP(words_done) struct words argv = { 0 };
		size_t len = strcspn(list, ":");

		browser_words(&argv, list, len, url);
		if (argv.count)
			pid = start(argv.word);
		list += len + (list[len] == ':');
	}
	return pid;
}

void browser_reap(pid_t pid)
{
	if (pid > 0)
		waitpid(pid, NULL, WNOHANG);
}
