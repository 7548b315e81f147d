/* SPDX-License-Identifier: MIT */
/*
 * mcp.json files, and those of other clients, found and read. What stands in
 * them is cli/named_forms' matter.
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/split.h"
#include "cli/config.h"
#include "cli/named_file.h"
#include "cli/named_forms.h"

/* ---- one file ---- */

const cJSON *named_file_parse(cJSON **json, const struct buf *text,
			      const char *path, struct error *err)
{
	char *here = getcwd(NULL, 0);
	const cJSON *servers;

	*json = named_form_read(text, path, here, err);
	free(here);
	servers = json_object(*json, "mcpServers");
	if (servers && cJSON_GetArraySize(servers) > NAMED_ENTRIES_MAX) {
		error_set(err, ERR_USAGE, "'%s' has more than %d servers", path,
			  NAMED_ENTRIES_MAX);
		return NULL;
	}
	return servers;
}

static int check_owner(const struct named_file *f, const struct stat *st,
		       struct error *err)
{
	if (st->st_uid == geteuid() || st->st_uid == 0)
		return 0;
	error_set(err, ERR_USAGE,
		  "'%s' belongs to another user, and is not used", f->path);
	return error_hint(err, "to use it all the same: --config %s", f->path);
}

/* The owner is asked of what is read, and of a link that leads there. */
static int read_found(struct named_file *f, struct error *err)
{
	struct stat st = { 0 };
	int fd, status = -1, error;

	if (lstat(f->path, &st) == 0 && check_owner(f, &st, err))
		return -1;
	fd = file_open_regular(f->path, 0, &st);
	if (fd >= 0 && check_owner(f, &st, err)) {
		close(fd);
		return -1;
	}
	if (fd >= 0)
		status = file_read_fd(&f->text, fd);
	error = errno;
	if (fd >= 0)
		close(fd);
	if (status == 0)
		return 0;
	if (f->text.full)
		return error_set(err, ERR_USAGE,
				 "the server file '%s' is larger than %u MB",
				 f->path, NAMED_FILE_MAX >> 20);
	return error_set(
		err, ERR_USAGE, "cannot read the server file '%s': %s", f->path,
		error == EINVAL ? "it is no regular file" : strerror(error));
}

static void read_file(struct named_file *f, bool given)
{
	int status;

	buf_init(&f->text, NAMED_FILE_MAX);
	status = given ? file_read(&f->text, "server file", f->path,
				   &f->problem) :
			 read_found(f, &f->problem);
	if (status != 0)
		return;
	f->servers = named_file_parse(&f->json, &f->text, f->path, &f->problem);
	if (f->servers && !f->own)
		f->trust = trust_store_look(f->path, f->text.data, f->text.len,
					    NULL);
}

/* ---- which there are ---- */

enum origin { ORIGIN_GIVEN, ORIGIN_USER, ORIGIN_PROJECT };

/* One of the user's own: a link may lead there, or we stand in its folder. */
static bool is_own(const struct named_files *files, const struct stat *st)
{
	struct stat own;

	for (size_t i = 0; i < files->count; i++) {
		if (files->item[i].own &&
		    stat(files->item[i].path, &own) == 0 &&
		    own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			return true;
	}
	return false;
}

/* path and folder are taken; folder NULL: its commands run where we are. */
static void add_take(struct named_files *files, char *path, char *folder,
		     enum origin origin, const char *client)
{
	struct named_file f = { .path = path,
				.folder = folder,
				.client = client,
				.own = origin != ORIGIN_PROJECT };
	struct stat st;

	words_add(&files->looked, path);
	if (origin != ORIGIN_GIVEN &&
	    (stat(path, &st) != 0 || is_own(files, &st))) {
		mem_free(path);
		mem_free(folder);
		return;
	}
	read_file(&f, origin == ORIGIN_GIVEN);
	files->item = mem_grow(files->item, &files->capacity, files->count,
			       sizeof(*files->item));
	files->item[files->count++] = f;
}

static const char *const names[] = { ".mcp.json", "mcp.json" };

/* folder without a slash at its end: "" is the root. */
static void add_folder(struct named_files *files, const char *folder, bool here)
{
	const char *where = *folder ? folder : "/";

	for (size_t i = 0; i < COUNT(names); i++)
		add_take(files, mem_printf("%s/%s", folder, names[i]),
			 here ? NULL : mem_strdup(where), ORIGIN_PROJECT, NULL);
}

/* Each folder from the current one on, the nearest first. */
static void walk_up(struct named_files *files,
		    void (*add)(struct named_files *files, const char *folder,
				bool here))
{
	char *folder = getcwd(NULL, 0);
	bool here = true;

	/* A folder that was removed, or is out of reach, has none above. */
	while (folder && folder[0] == '/') {
		char *slash = strrchr(folder, '/');

		add(files, folder[1] ? folder : "", here);
		if (!folder[1])
			break;
		slash[slash == folder] = '\0';
		here = false;
	}
	free(folder);
}

void named_files_read(struct named_files *out, const char *config_file)
{
	char *own;

	*out = (struct named_files){ 0 };
	if (config_file) {
		add_take(out, mem_strdup(config_file), NULL, ORIGIN_GIVEN,
			 NULL);
		return;
	}
	own = user_path(&user_config, "mcp.json");
	if (own)
		add_take(out, own, NULL, ORIGIN_USER, NULL);
	walk_up(out, add_folder);
}

/* ---- those of other clients ---- */

/* The folder that stands for the one of the path: "$CODEX_HOME/config.toml". */
static char *path_by_variable(const struct client_place *p)
{
	const char *folder = p->variable ? getenv(p->variable) : NULL;

	if (!folder || *folder != '/')
		return NULL;
	return mem_printf("%s/%s", folder, file_name(p->path));
}

static char *path_of_user(const struct client_place *p)
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	char *path = path_by_variable(p);

	if (path)
		return path;
	if (p->below == PLACE_CONFIG && config && *config == '/')
		return mem_printf("%s/%s", config, p->path);
	if (!home || *home != '/')
		return NULL;
	return mem_printf("%s/%s%s", home,
			  p->below == PLACE_CONFIG ? ".config/" : "", p->path);
}

static void add_client_user(struct named_files *files)
{
	for (const struct client_place *p = client_places; p->client; p++) {
		char *path = p->below == PLACE_PROJECT ? NULL : path_of_user(p);

		if (path)
			add_take(files, path, NULL, ORIGIN_USER, p->client);
	}
}

/* "x/.continue/mcpServers/": the files there, by their names. */
static void add_all_in(struct named_files *files, const char *pattern,
		       const char *where, const char *client)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc && i < NAMED_FOLDER_MAX; i++)
		add_take(files, mem_strdup(found.gl_pathv[i]),
			 mem_strdup(where), ORIGIN_PROJECT, client);
	globfree(&found);
}

/* A folder whose name is a pattern has none that is found by one. */
static bool is_plain(const char *folder)
{
	return !strpbrk(folder, "*?[\\");
}

static void add_client_folder(struct named_files *files, const char *folder,
			      bool here)
{
	const char *where = *folder ? folder : "/";

	for (const struct client_place *p = client_places; p->client; p++) {
		CLEANUP(mem_free_ptr) char *path = NULL;

		if (p->below != PLACE_PROJECT)
			continue;
		path = mem_printf("%s/%s", folder, p->path);
		if (p->path[strlen(p->path) - 1] != '*')
			add_take(files, TAKE(path),
				 here ? NULL : mem_strdup(where),
				 ORIGIN_PROJECT, p->client);
		else if (is_plain(folder))
			add_all_in(files, path, here ? NULL : where, p->client);
	}
}

void named_files_read_clients(struct named_files *out)
{
	add_client_user(out);
	walk_up(out, add_client_folder);
}

/* ---- one that is named ---- */

/* Bytes of the end of file that it is looked for by; 0: it is not. */
static size_t looked_for(const char *file)
{
	const char *name = file_name(file);
	size_t suffix = client_file_suffix(file);

	for (size_t i = 0; i < COUNT(names) && !suffix; i++) {
		if (strcmp(names[i], name) == 0)
			suffix = strlen(name);
	}
	return suffix;
}

/*
 * The folder is real, its last part is as given: a link of that name is a file
 * of its own, since its commands run in its own folder.
 */
char *named_file_path(const char *file, struct error *err)
{
	size_t suffix = looked_for(file);
	const char *end = file + strlen(file) - suffix;
	CLEANUP(mem_free_ptr)
	char *folder = mem_strndup(file, (size_t)(end - file));
	char *real, *out;

	if (!suffix) {
		error_set(
			err, ERR_USAGE,
			"'%s': only files called .mcp.json or mcp.json, and those of other clients in their place (mcpctl targets --help), are looked for, and have to be trusted",
			file);
		error_hint(err, "another one is used by --config FILE");
		return NULL;
	}
	real = realpath(*folder ? folder : ".", NULL);
	if (!real) {
		error_set(err, ERR_USAGE, "the folder of '%s': %s", file,
			  strerror(errno));
		return NULL;
	}
	out = mem_printf("%s/%s", real[1] ? real : "", end);
	free(real);
	return out;
}

int named_files_add(struct named_files *out, const char *file,
		    struct error *err)
{
	char *path = named_file_path(file, err);

	if (!path)
		return -1;
	add_take(out, path, NULL, ORIGIN_PROJECT, NULL);
	return 0;
}

void named_files_done(struct named_files *f)
{
	for (size_t i = 0; i < f->count; i++) {
		mem_free(f->item[i].path);
		mem_free(f->item[i].folder);
		json_free_ptr(&f->item[i].json);
		error_reset(&f->item[i].problem);
		buf_done(&f->item[i].text);
	}
	mem_free(f->item);
	words_done(&f->looked);
	*f = (struct named_files){ 0 };
}

const cJSON *named_file_entry(const struct named_file *f, const char *name)
{
	return f->servers ? json_member(f->servers, name) : NULL;
}
