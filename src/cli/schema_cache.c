/* SPDX-License-Identifier: MIT */
#include "cli/schema_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "cli/config.h"
#include "cli/target_text.h"
#include "mcp/tools.h"
#include "out/wrap.h"

/*
 * The lines of a kept listing. Whatever is read here may have been cut,
 * written by another version, or be no such file at all.
 */

#define MAGIC "mcpctl-tools 1 "
#define HEAD_MAX 65536 /* a target of escapes only */
#define BRIEF_MAX 400 /* bytes */

/* ---- writing ---- */

/* The first line; bytes: the size of the others. */
static void schema_lines_head(struct buf *out, int64_t time, size_t bytes,
			      const char *target)
{
	buf_printf(out, MAGIC "%" PRId64 " %zu %s\n", time, bytes, target);
}

/* Shown as it is, it does nothing to a terminal, nor to the lines here. */
static bool is_fit(const char *name)
{
	return *name && text_is_safe(name, strlen(name));
}

/* No character is cut. */
static void add_brief(struct buf *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	CLEANUP(mem_free_ptr) char *line = NULL;
	const char *start;
	size_t len = wrap_first(t->description, &start);

	if (len == 0 && t->title)
		len = wrap_first(t->title, &start);
	line = mem_strndup(start, len < BRIEF_MAX ? len : BRIEF_MAX);
	len = strlen(line);
	while (len > 0 && !text_is_utf8(line, len) &&
	       ((unsigned char)line[len - 1] & 0x80))
		len--;
	for (size_t i = 0; i < len; i++)
		if (line[i] == '\t')
			line[i] = ' ';
	text_safe(&safe, line, len, TEXT_LINE);
	buf_add(out, buf_string(&safe), safe.len);
}

static void add_tool(struct buf *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct span json = tool_text(t);

	buf_text(&line, t->name);
	buf_char(&line, '\t');
	add_brief(&line, t);
	buf_char(&line, '\t');
	if (json.len > 0)
		json_minify(&line, json.text, json.len);
	else
		json_print(&line, t->json);
	buf_char(&line, '\n');
	buf_add(out, line.data, line.len);
}

/* The others. out->full: they are more than it takes. */
static void schema_lines_write(struct buf *out, const struct tool_list *list)
{
	const struct tool **sorted =
		mem_alloc((list->count + 1) * sizeof(struct tool *));
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (is_fit(list->tool[i].name))
			sorted[count++] = &list->tool[i];
	}
	qsort(sorted, count, sizeof(struct tool *), tool_by_name);
	for (size_t i = 0; i < count && !out->full; i++)
		add_tool(out, sorted[i]);
	mem_free(sorted);
}

/* ---- reading ---- */

/* The digits at *at and the space behind them; *at moves on. */
static int take_number(char **at, int64_t *out)
{
	char *start = *at, *space = strchr(start, ' ');

	if (!space)
		return -1;
	*space = '\0';
	*at = space + 1;
	return text_integer(start, 0, INT64_MAX, out);
}

/* Where the first tool begins; 0: it is no such file, or was cut. */
static size_t read_head(struct schema_cache *c)
{
	size_t max = c->size < HEAD_MAX ? c->size : HEAD_MAX;
	const char *end = memchr(c->map, '\n', max);
	size_t len = end ? (size_t)(end - c->map) : 0;
	CLEANUP(mem_free_ptr) char *head = NULL;
	int64_t bytes;
	char *at;

	if (!end || memchr(c->map, '\0', len))
		return 0;
	head = mem_strndup(c->map, len);
	if (!text_starts(head, MAGIC))
		return 0;
	at = head + strlen(MAGIC);
	if (take_number(&at, &c->time) || take_number(&at, &bytes) || !*at ||
	    (uint64_t)bytes != c->size - len - 1)
		return 0;
	c->target = mem_strdup(at);
	return len + 1;
}

/* The three parts of the line from..to, which has its line end. */
static bool split_line(const char *from, const char *to, struct span part[3])
{
	for (size_t i = 0; i < 3; i++) {
		char stop = i < 2 ? '\t' : '\n';
		const char *end = memchr(from, stop, (size_t)(to - from));

		if (!end)
			return false;
		part[i] = (struct span){ from, (size_t)(end - from) };
		from = end + 1;
	}
	return part[0].len > 0 && part[2].len > 1 && part[2].text[0] == '{' &&
	       part[2].text[part[2].len - 1] == '}';
}

static int compare(struct span a, const char *text, size_t len)
{
	int order = memcmp(a.text, text, a.len < len ? a.len : len);

	if (order != 0 || a.len == len)
		return order;
	return a.len < len ? -1 : 1;
}

int schema_lines_read(struct schema_cache *c)
{
	size_t at = read_head(c), capacity = 0;
	struct span before = { "", 0 }, part[3] = { 0 };

	if (at == 0)
		return -1;
	while (at < c->size) {
		const char *line = c->map + at;
		const char *end = memchr(line, '\n', c->size - at);

		if (!end || !split_line(line, end + 1, part) ||
		    compare(before, part[0].text, part[0].len) > 0)
			return -1;
		c->line = mem_grow(c->line, &capacity, c->count + 1,
				   sizeof(*c->line));
		c->line[c->count++] = at;
		at = (size_t)(end + 1 - c->map);
		c->line[c->count] = at;
		before = part[0];
	}
	return 0;
}

bool schema_cache_tool(const struct schema_cache *c, size_t i,
		       struct span *name, struct span *brief, struct span *json)
{
	struct span part[3];

	if (i >= c->count ||
	    !split_line(c->map + c->line[i], c->map + c->line[i + 1], part))
		return false;
	*name = part[0];
	*brief = part[1];
	*json = part[2];
	return true;
}

size_t schema_cache_find(const struct schema_cache *c, const char *prefix)
{
	size_t low = 0, high = c->count, len = strlen(prefix);
	struct span name = { "", 0 }, brief, json;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		schema_cache_tool(c, middle, &name, &brief, &json);
		if (compare(name, prefix, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The files of kept listings: named, written, opened. What stands in one is
 * trusted only as far as its lines go.
 */

#define LINES_MAX (SCHEMA_CACHE_MAX - (1U << 20))
#define ATTACH "attach:"
#define ATTACH_FILES "attach-"

/* ---- keys and places ---- */

/* NULL: there is no home folder. Yours. */
static char *cache_folder(void)
{
	return user_path(&user_cache, "tools");
}

/* The key stands in the file as well, so that a collision of hashes is seen. */
static char *file_of(const char *folder, const char *key)
{
	size_t scheme = strspn(key, "abcdefghijklmnopqrstuvwxyz");

	return mem_printf("%s/%.*s-%016" PRIx64, folder,
			  (int)(scheme < 16 ? scheme : 16), key,
			  text_hash(key, strlen(key)));
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
		return error_set(
			err, ERR_OUTPUT,
			"the list of tools was not kept: neither XDG_CACHE_HOME nor HOME names a folder");
	buf_init(&lines, LINES_MAX);
	schema_lines_write(&lines, list);
	if (lines.full)
		return error_set(
			err, ERR_OUTPUT,
			"the list of tools was not kept: it is too long");
	path = file_of(folder, key);
	if (user_path_make(&user_cache, path, err))
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
	return error_hint(err,
			  "'mcpctl tools' keeps one each time it lists them");
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
	    (uintmax_t)st.st_size <= SCHEMA_CACHE_MAX)
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

int schema_cache_tools(struct tool_list *out, const struct schema_cache *c)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct span name, brief, json;

	for (size_t i = 0; schema_cache_tool(c, i, &name, &brief, &json); i++) {
		if (i > 0)
			buf_char(&text, ',');
		buf_add(&text, json.text, json.len);
	}
	return tool_list_add_text(out, buf_string(&text), text.len, NULL);
}
