/* SPDX-License-Identifier: MIT */
/*
 * The files of the trust store. What stands in one:
 *   mcpctl-trust 1 BYTES-OF-PATH
 *   PATH
 *   the content, to the end
 * Its name is a hash of the path, which whoever chooses a path can choose too:
 * so the path within it counts, and of two with one hash the last is trusted.
 */
#include "cli/trust_store.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "trust/"
#define MAGIC "mcpctl-trust 1 "

enum {
	NAME_LENGTH = 16, /* of a file: a hash in hex */
	HEAD_MAX = 64, /* bytes of the first line */
	FILE_MAX = TRUST_TEXT_MAX + PATH_MAX + HEAD_MAX
};

/* "trust/0123456789abcdef". Yours. */
static char *name_of(const char *path)
{
	return mem_printf(FOLDER "%016" PRIx64, text_hash(path, strlen(path)));
}

/* ---- reading ---- */

struct trust_kept {
	char *path; /* NULL: there is none */
	struct buf text;
};

static void kept_done(struct trust_kept *k)
{
	mem_free(k->path);
	buf_done(&k->text);
}

/* Takes the bytes of a file apart: what stands before the content goes. */
static int decode(struct trust_kept *out)
{
	struct buf *all = &out->text;
	const char *data = buf_string(all), *end = memchr(data, '\n', all->len);
	CLEANUP(mem_free_ptr) char *head = NULL;
	int64_t length;
	size_t from;

	if (!end)
		return -1;
	from = (size_t)(end - data) + 1;
	head = mem_strndup(data, from - 1);
	if (!text_starts(head, MAGIC) ||
	    text_integer(head + strlen(MAGIC), 1, PATH_MAX, &length) != 0 ||
	    all->len - from <= (size_t)length ||
	    data[from + (size_t)length] != '\n')
		return -1;
	out->path = mem_strndup(data + from, (size_t)length);
	buf_consume(all, from + (size_t)length + 1);
	return 0;
}

/* Only what the user, and nobody else, can have written. */
static void read_kept(struct trust_kept *out, const char *file)
{
	struct stat st;
	int fd = file_open_regular(file, O_NOFOLLOW, &st), status = -1;

	*out = (struct trust_kept){ 0 };
	buf_init(&out->text, FILE_MAX);
	if (fd < 0)
		return;
	if (st.st_uid == geteuid() && !(st.st_mode & 022))
		status = file_read_fd(&out->text, fd);
	close(fd);
	if (status == 0 && decode(out) == 0)
		return;
	kept_done(out);
	*out = (struct trust_kept){ 0 };
}

static void find_kept(struct trust_kept *out, const char *path)
{
	CLEANUP(mem_free_ptr) char *name = name_of(path);
	CLEANUP(mem_free_ptr) char *file = user_path(&user_state, name);

	*out = (struct trust_kept){ 0 };
	if (file)
		read_kept(out, file);
	if (!out->path || strcmp(out->path, path) == 0)
		return;
	kept_done(out);
	*out = (struct trust_kept){ 0 };
}

enum trust_state trust_store_look(const char *path, const char *text,
				  size_t len, struct buf *kept)
{
	CLEANUP(kept_done) struct trust_kept k;

	find_kept(&k, path);
	if (!k.path)
		return TRUST_NONE;
	if (kept)
		buf_add(kept, k.text.data, k.text.len);
	if (k.text.len == len && (!len || memcmp(k.text.data, text, len) == 0))
		return TRUST_SAME;
	return TRUST_CHANGED;
}

/* ---- all ---- */

static bool is_name(const char *name)
{
	return strlen(name) == NAME_LENGTH &&
	       strspn(name, "0123456789abcdef") == NAME_LENGTH;
}

/* The files of the store, at most twice what fits. */
static void list_files(struct words *out)
{
	CLEANUP(mem_free_ptr) char *folder = user_path(&user_state, FOLDER);
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;

	*out = (struct words){ 0 };
	while (dir && out->count / 2 < TRUST_FILES_MAX &&
	       (entry = readdir(dir)) != NULL) {
		CLEANUP(mem_free_ptr) char *file = NULL;

		if (!is_name(entry->d_name))
			continue;
		file = mem_printf("%s%s", folder, entry->d_name);
		words_add(out, file);
	}
	if (dir)
		closedir(dir);
}

struct named_kept {
	char *path, *file;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct named_kept *)a)->path,
		      ((const struct named_kept *)b)->path);
}

/* The paths alone first: all contents at once could be large. */
static size_t read_paths(struct named_kept *out, const struct words *files)
{
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++) {
		CLEANUP(kept_done) struct trust_kept k;

		read_kept(&k, files->word[i]);
		if (!k.path)
			continue;
		out[count].path = TAKE(k.path);
		out[count++].file = files->word[i];
	}
	if (count)
		qsort(out, count, sizeof(*out), by_path);
	return count;
}

void trust_store_each(void (*each)(void *owner, const char *path,
				   const struct buf *text),
		      void *owner)
{
	CLEANUP(words_done) struct words files;
	struct named_kept *all;
	size_t count;

	list_files(&files);
	all = mem_zalloc((files.count + 1) * sizeof(*all));
	count = read_paths(all, &files);
	for (size_t i = 0; i < count; i++) {
		CLEANUP(kept_done) struct trust_kept k;

		read_kept(&k, all[i].file);
		if (k.path && strcmp(k.path, all[i].path) == 0)
			each(owner, k.path, &k.text);
		mem_free(all[i].path);
	}
	mem_free(all);
}

/* ---- writing ---- */

static int check_room(const char *file, struct error *err)
{
	CLEANUP(words_done) struct words files = { 0 };

	if (access(file, F_OK) == 0)
		return 0;
	list_files(&files);
	if (files.count < TRUST_FILES_MAX)
		return 0;
	error_set(err, ERR_USAGE, "%d files are trusted, and no more are kept",
		  TRUST_FILES_MAX);
	return error_hint(
		err,
		"mcpctl trust --list shows them, mcpctl trust --revoke FILE forgets one");
}

int trust_store_keep(const char *path, const char *text, size_t len,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *name = name_of(path);
	CLEANUP(mem_free_ptr) char *file = NULL;
	CLEANUP(buf_done) struct buf all = { 0 };

	if (state_file(&file, name, err) || check_room(file, err))
		return -1;
	buf_printf(&all, MAGIC "%zu\n%s\n", strlen(path), path);
	buf_add(&all, text, len);
	if (file_replace(file, 0600, all.data, all.len) == 0)
		return 0;
	return error_set(err, ERR_OUTPUT,
			 "that '%s' is trusted was not kept in '%s': %s", path,
			 file, strerror(errno));
}

int trust_store_drop(const char *path, struct error *err)
{
	CLEANUP(mem_free_ptr) char *name = name_of(path);
	CLEANUP(mem_free_ptr) char *file = user_path(&user_state, name);
	CLEANUP(kept_done) struct trust_kept k;

	find_kept(&k, path);
	if (!k.path)
		return error_set(err, ERR_UNMET, "'%s' is not trusted", path);
	if (unlink(file) == 0 || errno == ENOENT)
		return 0;
	return error_set(err, ERR_OUTPUT,
			 "'%s' is still trusted: cannot remove '%s': %s", path,
			 file, strerror(errno));
}
