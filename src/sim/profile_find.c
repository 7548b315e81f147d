/* SPDX-License-Identifier: MIT */
/* Where profiles are found: folders, names, files. Not what is in them. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/profile.h"
#include "sim/sim.h"

#define SUFFIX ".json"

static bool ends_in_json(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(SUFFIX) &&
	       !strcmp(name + len - strlen(SUFFIX), SUFFIX);
}

static void add_folder(struct words *out, const char *a, const char *b)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/%s", a, b);

	words_add(out, path);
}

static void add_own(struct words *out)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		add_folder(out, config, "mcpctl/profiles");
	else if (home && *home)
		add_folder(out, home, ".config/mcpctl/profiles");
}

/* The program may run from the folder that it was built in. */
static void add_built(struct words *out)
{
	static const char *const steps[] = {
		"profiles",
		"../share/mcpctl/profiles", /* installed, then moved */
	};
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;
	size_t i;

	if (len <= 0)
		return;
	program[len] = '\0';
	slash = strrchr(program, '/');
	if (!slash)
		return;
	*slash = '\0';
	for (i = 0; i < COUNT(steps); i++)
		add_folder(out, program, steps[i]);
}

void profile_folders(struct words *out)
{
	add_own(out);
	add_built(out);
	add_folder(out, MCPCTL_DATADIR, "profiles");
}

/* Takes path, and gives it back if it can be read; else NULL. */
static char *readable(char *path)
{
	if (!access(path, R_OK))
		return path;
	mem_free(path);
	return NULL;
}

static char *in_folder(const char *folder, const char *name)
{
	return readable(mem_printf("%s/%s" SUFFIX, folder, name));
}

bool profile_is_path(const char *name)
{
	return strchr(name, '/') || ends_in_json(name);
}

static char *beside_it(const char *beside, const char *path)
{
	/* "./" would be in the way of seeing that a file extends itself. */
	while (!strncmp(path, "./", 2))
		path += 2;
	return readable(mem_printf("%s/%s", beside, path));
}

static char *find_path(const char *path, const char *beside)
{
	char *near = beside && *path != '/' ? beside_it(beside, path) : NULL;

	if (near)
		return near;
	return access(path, R_OK) ? NULL : mem_strdup(path);
}

char *profile_find(const char *name, const char *beside)
{
	CLEANUP(words_done) struct words folders = { 0 };
	char *path = NULL;
	size_t i;

	if (profile_is_path(name))
		return find_path(name, beside);
	if (beside)
		path = in_folder(beside, name);
	profile_folders(&folders);
	for (i = 0; !path && i < folders.count; i++)
		path = in_folder(folders.word[i], name);
	return path;
}

static void names_in(struct words *out, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char *name;
	size_t i;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (!ends_in_json(entry->d_name) || *entry->d_name == '.')
			continue;
		name = mem_strndup(entry->d_name,
				   strlen(entry->d_name) - strlen(SUFFIX));
		for (i = 0; i < out->count && strcmp(out->word[i], name) != 0;
		     i++)
			;
		if (i == out->count)
			words_add(out, name);
		mem_free(name);
	}
	if (dir)
		closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void profile_names(struct words *out)
{
	CLEANUP(words_done) struct words folders = { 0 };
	size_t i;

	profile_folders(&folders);
	for (i = 0; i < folders.count; i++)
		names_in(out, folders.word[i]);
	if (out->count)
		qsort(out->word, out->count, sizeof(*out->word), by_name);
}

void sim_each_profile(void (*each)(void *owner, const char *name,
				   const char *brief),
		      void *owner)
{
	CLEANUP(words_done) struct words names = { 0 };
	size_t i;

	profile_names(&names);
	for (i = 0; i < names.count; i++) {
		CLEANUP(mem_free_ptr)
		char *brief = profile_brief(names.word[i]);

		if (brief)
			each(owner, names.word[i], brief);
	}
}
