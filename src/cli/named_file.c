/* SPDX-License-Identifier: MIT */
/*
 * mcp.json files, found and read. Nothing in them is understood here, but
 * where the entries are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/config.h"
#include "cli/named_file.h"

/* ---- comments ---- */

/* Behind the string that begins at `at`. */
static size_t skip_string(const char *text, size_t len, size_t at)
{
	for (at++; at < len && text[at] != '"'; at++) {
		if (text[at] == '\\')
			at++;
	}
	return at < len ? at + 1 : len;
}

/* The bytes of the comment that begins at `at`; 0: none does. */
static size_t comment_length(const char *text, size_t len, size_t at)
{
	const char *rest = text + at, *end;

	if (len - at < 2 || rest[0] != '/')
		return 0;
	if (rest[1] == '/') {
		end = memchr(rest, '\n', len - at);
		return end ? (size_t)(end - rest) : len - at;
	}
	if (rest[1] != '*')
		return 0;
	end = memmem(rest + 2, len - at - 2, "*/", 2);
	return end ? (size_t)(end - rest) + 2 : 0;
}

/*
 * Editors allow comments in such files, and a comma behind the last member.
 * Blanks take their places, so that the byte in a message is the file's.
 */
static void blank_comments(char *text, size_t len)
{
	size_t comma = len; /* len: what came last is none */
	size_t at = 0;

	while (at < len) {
		size_t comment = comment_length(text, len, at);

		if (comment) {
			memset(text + at, ' ', comment);
			at += comment;
			continue;
		}
		if ((text[at] == '}' || text[at] == ']') && comma < len)
			text[comma] = ' ';
		if (text[at] == ',')
			comma = at;
		else if (!strchr(" \t\r\n", text[at]))
			comma = len;
		at = text[at] == '"' ? skip_string(text, len, at) : at + 1;
	}
}

/* ---- one file ---- */

static cJSON *parse_json(const struct buf *text, struct error *err)
{
	CLEANUP(buf_done) struct buf plain = { 0 };

	buf_add(&plain, buf_string(text), text->len);
	if (plain.len) {
		memset(plain.data, ' ', text_mark(plain.data, plain.len));
		blank_comments(plain.data, plain.len);
	}
	return json_parse(buf_string(&plain), plain.len, err);
}

const cJSON *named_file_parse(cJSON **json, const struct buf *text,
			      const char *path, struct error *err)
{
	const cJSON *servers;

	*json = parse_json(text, err);
	if (!*json) {
		if (err)
			err->kind = ERR_USAGE;
		error_prefix(err, "'%s' is no JSON", path);
		return NULL;
	}
	servers = json_object(*json, "mcpServers");
	if (!servers)
		servers = json_object(*json, "servers");
	if (!servers) {
		error_set(err, ERR_USAGE, "'%s' has no object \"mcpServers\"",
			  path);
	} else if (cJSON_GetArraySize(servers) > NAMED_ENTRIES_MAX) {
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

/* The user's own file: a link of a project may lead there, or we stand in its folder. */
static bool is_own(const struct named_files *files, const struct stat *st)
{
	struct stat own;

	return files->count && files->item[0].own &&
	       stat(files->item[0].path, &own) == 0 &&
	       own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

/* path and folder are taken; folder NULL: its commands run where we are. */
static void add_take(struct named_files *files, char *path, char *folder,
		     enum origin origin)
{
	struct named_file f = { .path = path,
				.folder = folder,
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
			 here ? NULL : mem_strdup(where), ORIGIN_PROJECT);
}

static void add_project(struct named_files *files)
{
	char *folder = getcwd(NULL, 0);
	bool here = true;

	/* A folder that was removed, or is out of reach, has none above. */
	while (folder && folder[0] == '/') {
		char *slash = strrchr(folder, '/');

		add_folder(files, folder[1] ? folder : "", here);
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
		add_take(out, mem_strdup(config_file), NULL, ORIGIN_GIVEN);
		return;
	}
	own = user_path(&user_config, "mcp.json");
	if (own)
		add_take(out, own, NULL, ORIGIN_USER);
	add_project(out);
}

static bool is_looked_for(const char *name)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/*
 * The folder is real, its last part is as given: a link of that name is a file
 * of its own, since its commands run in its own folder.
 */
char *named_file_path(const char *file, struct error *err)
{
	const char *name = file_name(file);
	CLEANUP(mem_free_ptr)
	char *folder = mem_strndup(file, (size_t)(name - file));
	char *real, *out;

	if (!is_looked_for(name)) {
		error_set(
			err, ERR_USAGE,
			"'%s': only files called .mcp.json or mcp.json are looked for, and have to be trusted",
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
	out = mem_printf("%s/%s", real[1] ? real : "", name);
	free(real);
	return out;
}

int named_files_add(struct named_files *out, const char *file,
		    struct error *err)
{
	char *path = named_file_path(file, err);

	if (!path)
		return -1;
	add_take(out, path, NULL, ORIGIN_PROJECT);
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
