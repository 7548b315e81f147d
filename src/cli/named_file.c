/* SPDX-License-Identifier: MIT */
/*
 * mcp.json files, found and read. Nothing in them is understood here, but
 * where the entries are.
 */
#include "cli/named_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/user_path.h"

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

static int parse(struct named_file *f, struct buf *text, struct error *err)
{
	const cJSON *servers;

	if (text->len) {
		memset(text->data, ' ', text_mark(text->data, text->len));
		blank_comments(text->data, text->len);
	}
	f->json = json_parse(buf_string(text), text->len, err);
	if (!f->json) {
		err->kind = ERR_USAGE;
		return error_prefix(err, "'%s' is no JSON", f->path);
	}
	servers = json_object(f->json, "mcpServers");
	if (!servers)
		servers = json_object(f->json, "servers");
	if (!servers)
		return error_set(err, ERR_USAGE,
				 "'%s' has no object \"mcpServers\"", f->path);
	if (cJSON_GetArraySize(servers) > NAMED_ENTRIES_MAX)
		return error_set(err, ERR_USAGE,
				 "'%s' has more than %d servers", f->path,
				 NAMED_ENTRIES_MAX);
	f->servers = servers;
	return 0;
}

static int check_owner(const struct named_file *f, struct error *err)
{
	struct stat st;

	if (stat(f->path, &st) != 0 || st.st_uid == geteuid() || st.st_uid == 0)
		return 0;
	error_set(err, ERR_USAGE,
		  "'%s' belongs to another user, and is not used", f->path);
	return error_hint(err, "to use it all the same: --config %s", f->path);
}

static void read_file(struct named_file *f, bool given)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_init(&text, NAMED_FILE_MAX);
	if ((given || check_owner(f, &f->problem) == 0) &&
	    file_read(&text, "server file", f->path, &f->problem) == 0)
		parse(f, &text, &f->problem);
}

/* ---- which there are ---- */

static bool is_known(const struct named_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++) {
		if (strcmp(files->item[i].path, path) == 0)
			return true;
	}
	return false;
}

/* path and folder are taken; folder NULL: its commands run where we are. */
static void add_take(struct named_files *files, char *path, char *folder,
		     bool given)
{
	struct named_file f = { .path = path, .folder = folder };

	words_add(&files->looked, path);
	if (!given && (access(path, F_OK) != 0 || is_known(files, path))) {
		mem_free(path);
		mem_free(folder);
		return;
	}
	read_file(&f, given);
	files->item = mem_grow(files->item, &files->capacity, files->count,
			       sizeof(*files->item));
	files->item[files->count++] = f;
}

/* folder without a slash at its end: "" is the root. */
static void add_folder(struct named_files *files, const char *folder, bool here)
{
	static const char *const names[] = { ".mcp.json", "mcp.json" };
	const char *where = *folder ? folder : "/";

	for (size_t i = 0; i < COUNT(names); i++)
		add_take(files, mem_printf("%s/%s", folder, names[i]),
			 here ? NULL : mem_strdup(where), false);
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
		add_take(out, mem_strdup(config_file), NULL, true);
		return;
	}
	add_project(out);
	own = user_path(&user_config, "mcp.json");
	if (own)
		add_take(out, own, NULL, false);
}

void named_files_done(struct named_files *f)
{
	for (size_t i = 0; i < f->count; i++) {
		mem_free(f->item[i].path);
		mem_free(f->item[i].folder);
		json_free_ptr(&f->item[i].json);
		error_reset(&f->item[i].problem);
	}
	mem_free(f->item);
	words_done(&f->looked);
	*f = (struct named_files){ 0 };
}

const cJSON *named_file_entry(const struct named_file *f, const char *name)
{
	return f->servers ? json_member(f->servers, name) : NULL;
}
