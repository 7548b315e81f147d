/* SPDX-License-Identifier: MIT */
/*
 * The files of kept listings: named, written, opened. What stands in one is
 * trusted only as far as its lines go.
 */
#include "cli/schema_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/schema_lines.h"
#include "cli/user_path.h"
#include "out/mask.h"

#define LINES_MAX (SCHEMA_CACHE_MAX - (1U << 20))
#define ATTACH "attach:"
#define ATTACH_FILES "attach-"

/* ---- keys and places ---- */

/* "//USER@HOST/PATH?QUERY" without USER and QUERY. */
static void add_without_secrets(struct buf *out, const char *rest)
{
	if (strncmp(rest, "//", 2) == 0) {
		size_t authority = strcspn(rest + 2, "/?#");
		const char *at = memrchr(rest + 2, '@', authority);

		buf_text(out, "//");
		rest = at ? at + 1 : rest + 2;
	}
	text_safe(out, rest, strcspn(rest, "?"), TEXT_NAME);
}

char *schema_cache_key(const char *target, const char *device)
{
	size_t scheme =
		target && strchr(target, ':') ? strcspn(target, ":") + 1 : 0;
	struct buf out = { 0 };
	const char *rest;

	if (device && *device) {
		buf_text(&out, ATTACH);
		text_safe(&out, device, strlen(device), TEXT_NAME);
		return buf_take(&out);
	}
	for (size_t i = 0; i < scheme; i++)
		buf_char(&out, (char)text_lower(target[i]));
	if (!target)
		return buf_take(&out);
	rest = target + scheme;
	if (strcmp(buf_string(&out), "sim:") == 0) {
		text_safe(&out, rest, strlen(rest), TEXT_NAME);
	} else if (strcmp(buf_string(&out), "stdio:") == 0) {
		CLEANUP(buf_done) struct buf masked = { 0 };

		mask_secrets(&masked, rest, strlen(rest));
		text_safe(&out, buf_string(&masked), masked.len, TEXT_NAME);
	} else {
		add_without_secrets(&out, rest);
	}
	return buf_take(&out);
}

/* NULL: there is no home folder. Yours. */
static char *cache_folder(void)
{
	return user_path(&user_cache, "tools");
}

/* FNV-1a: the key stands in the file as well, so that a collision is seen. */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static char *file_of(const char *folder, const char *key)
{
	size_t scheme = strspn(key, "abcdefghijklmnopqrstuvwxyz");

	return mem_printf("%s/%.*s-%016" PRIx64, folder,
			  (int)(scheme < 16 ? scheme : 16), key, hash_of(key));
}

/* ---- writing ---- */

static int cannot_write(const char *path, struct error *err)
{
	int error = errno;

	error_set(err, ERR_OUTPUT, "the list of tools was not kept in '%s': %s",
		  path, strerror(error));
	return error_code(err, error);
}

int schema_cache_write(const char *key, const struct tool_list *list,
		       struct error *err)
{
	CLEANUP(mem_free_ptr) char *folder = cache_folder();
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf head = { 0 };
	CLEANUP(buf_done) struct buf lines = { 0 };

	if (!folder)
		return error_set(err, ERR_OUTPUT,
				 "the list of tools was not kept: neither "
				 "XDG_CACHE_HOME nor HOME names a folder");
	buf_init(&lines, LINES_MAX);
	schema_lines_write(&lines, list);
	if (lines.full)
		return error_set(err, ERR_OUTPUT,
				 "the list of tools was not kept: it is too "
				 "long");
	path = file_of(folder, key);
	if (user_path_make(&user_cache, path, err) != 0)
		return error_prefix(err, "the list of tools was not kept");
	schema_lines_head(&head, time(NULL), lines.len, key);
	buf_add(&head, lines.data, lines.len);
	return file_replace(path, 0600, head.data, head.len) ?
		       cannot_write(path, err) :
		       0;
}

/* ---- reading ---- */

static int none(const char *key, const char *what, struct error *err)
{
	error_set(err, ERR_UNMET, "%s of '%s'", what, key);
	return error_hint(err, "'mcpctl tools' keeps one each time it lists "
			       "them");
}

/* -1: no file of ours. */
static int map_file(struct schema_cache *c, const char *path)
{
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st);
	void *map = MAP_FAILED;

	if (fd < 0)
		return -1;
	if (st.st_uid == geteuid() && st.st_size > 0 &&
	    st.st_size <= SCHEMA_CACHE_MAX)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			   0);
	close(fd);
	if (map == MAP_FAILED)
		return -1;
	c->memory = map;
	c->map = map;
	c->size = (size_t)st.st_size;
	return 0;
}

int schema_cache_open(struct schema_cache *out, const char *key,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *folder = cache_folder();
	CLEANUP(mem_free_ptr) char *path = NULL;

	*out = (struct schema_cache){ 0 };
	path = folder ? file_of(folder, key) : NULL;
	if (!path || (access(path, F_OK) != 0 && errno == ENOENT))
		return none(key, "no list of tools is kept", err);
	if (map_file(out, path) == 0 && schema_lines_read(out) == 0 &&
	    strcmp(out->target, key) == 0)
		return 0;
	schema_cache_close(out);
	return none(key, "there is no readable list of the tools", err);
}

void schema_cache_close(struct schema_cache *c)
{
	if (c->memory)
		munmap(c->memory, c->size);
	mem_free(c->line);
	mem_free(c->target);
	*c = (struct schema_cache){ 0 };
}

/* The key in a file; NULL. Yours. */
static char *key_in(const char *folder, const char *name)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/%s", folder, name);
	CLEANUP(schema_cache_close) struct schema_cache c = { 0 };

	if (map_file(&c, path) != 0 || schema_lines_read(&c) != 0 ||
	    !text_starts(c.target, ATTACH))
		return NULL;
	return TAKE(c.target);
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

char *schema_cache_newest(void)
{
	CLEANUP(mem_free_ptr) char *folder = cache_folder();
	DIR *dir = folder ? opendir(folder) : NULL;
	struct timespec newest = { 0 };
	const struct dirent *entry;
	char *key = NULL;

	while (dir && (entry = readdir(dir)) != NULL) {
		struct stat st;
		char *found;

		/* With a dot behind it: still being written. */
		if (!text_starts(entry->d_name, ATTACH_FILES) ||
		    strchr(entry->d_name, '.') ||
		    fstatat(dirfd(dir), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) != 0 ||
		    !is_newer(&st.st_mtim, &newest))
			continue;
		found = key_in(folder, entry->d_name);
		if (!found)
			continue;
		mem_free(key);
		key = found;
		newest = st.st_mtim;
	}
	if (dir)
		closedir(dir);
	return key;
}
