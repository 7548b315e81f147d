/* SPDX-License-Identifier: MIT */
/*
 * mcp.json files: found, read, their entries understood, their variables
 * replaced.
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
#include "cli/catalog_file.h"
#include "cli/config.h"
#include "cli/named_file.h"
#include "net/head.h"

/*
 * mcp.json files, found and read. Nothing in them is understood here, but
 * where the entries are.
 */

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

/*
 * From the JSON of an entry to an endpoint. How it is shown, which is without
 * its secrets, is named.c's matter.
 */

/* ---- which kind ---- */

struct entry_type {
	const char *name;
	const char *
		scheme; /* that its URL must have, or that with an 's'; NULL: it has none */
	const char *before; /* put before its URL */
};

/* As other clients spell them. */
static const struct entry_type types[] = {
	{ "stdio", NULL, "" },
	{ "http", "http", "" },
	{ "streamable-http", "http", "" },
	{ "streamableHttp", "http", "" },
	{ "sse", "http", "sse+" },
	{ "ws", "ws", "" },
	{ "websocket", "ws", "" },
};

/* *out NULL: the entry names none. */
static int find_type(const struct entry_type **out, const cJSON *entry,
		     struct error *err)
{
	const char *name = json_string(entry, "type");

	*out = NULL;
	if (!name && json_member(entry, "type"))
		return error_set(err, ERR_USAGE, "\"type\" is no text");
	for (size_t i = 0; name && i < COUNT(types); i++) {
		if (strcmp(types[i].name, name) == 0)
			*out = &types[i];
	}
	if (!name || *out)
		return 0;
	error_set(err, ERR_USAGE, "the type '%.40s' is not known", name);
	return error_hint(err, "expected stdio, http, sse or ws");
}

static bool has_scheme(const char *url, const char *scheme)
{
	size_t len = strlen(scheme);

	if (strncasecmp(url, scheme, len) != 0)
		return false;
	return text_starts(url + len + (url[len] == 's' || url[len] == 'S'),
			   "://");
}

/* ---- members ---- */

/* The text of a member with its variables; yours. NULL: err names it. */
static char *expand_member(const cJSON *member, const char *of,
			   struct error *err)
{
	const char *name = member->string;
	char *out;

	if (!cJSON_IsString(member)) {
		error_set(err, ERR_USAGE, "%s%s%s is no text", of ? of : "",
			  of && name ? " " : "", name ? name : "");
		return NULL;
	}
	out = named_expand(member->valuestring, err);
	if (!out)
		error_prefix(err, "%s%s%s", of ? of : "", of && name ? " " : "",
			     name ? name : "");
	return out;
}

/* False: it is there, and of another type. */
static bool is_kind(const cJSON *entry, const char *name, int type,
		    struct error *err)
{
	const cJSON *member = json_member(entry, name);

	if (!member || (member->type & 0xff) == type || cJSON_IsNull(member))
		return true;
	error_set(err, ERR_USAGE, "\"%s\" is no %s", name,
		  type == cJSON_Array ? "array" : "object");
	return false;
}

/* ---- a program ---- */

static int take_argv(struct endpoint *e, const cJSON *entry, struct error *err)
{
	const cJSON *command = json_member(entry, "command"), *argument;
	CLEANUP(mem_free_ptr) char *program = NULL;

	if (!command)
		return error_set(err, ERR_USAGE, "there is no \"command\"");
	program = expand_member(command, NULL, err);
	if (!program)
		return -1;
	if (!*program)
		return error_set(err, ERR_USAGE, "\"command\" is empty");
	words_add(&e->argv, program);
	if (!is_kind(entry, "args", cJSON_Array, err))
		return -1;
	cJSON_ArrayForEach(argument, json_array(entry, "args")) {
		CLEANUP(mem_free_ptr)
		char *word = expand_member(argument, "an argument", err);

		if (!word)
			return -1;
		words_add(&e->argv, word);
	}
	return 0;
}

static int take_setting(struct endpoint *e, const cJSON *member,
			struct error *err)
{
	const char *name = member->string;
	CLEANUP(mem_free_ptr) char *value = NULL, *setting = NULL;

	if (!*name || strchr(name, '='))
		return error_set(err, ERR_USAGE,
				 "'%.60s' is no name of a variable", name);
	/* Ports are often written as numbers. */
	if (cJSON_IsNumber(member)) {
		CLEANUP(buf_done) struct buf number = { 0 };

		json_print(&number, member);
		value = buf_take(&number);
	} else {
		value = expand_member(member, "\"env\"", err);
	}
	if (!value)
		return -1;
	setting = mem_printf("%s=%s", name, value);
	words_add(&e->env, setting);
	return 0;
}

static char *join_folder(const char *folder, const char *path)
{
	if (*path == '/' || !folder)
		return mem_strdup(path);
	return mem_printf("%s/%s", folder, path);
}

static int take_cwd(struct endpoint *e, const cJSON *entry,
		    const struct named_place *place, struct error *err)
{
	const cJSON *member = json_member(entry, "cwd");
	CLEANUP(mem_free_ptr) char *path = NULL;

	if (!member || cJSON_IsNull(member)) {
		e->cwd = mem_strdup(place->folder);
		return 0;
	}
	path = expand_member(member, NULL, err);
	if (!path)
		return -1;
	e->cwd = *path ? join_folder(place->folder, path) :
			 mem_strdup(place->folder);
	return 0;
}

static int take_program(struct endpoint *e, const cJSON *entry,
			const struct named_place *place, struct error *err)
{
	const cJSON *member;

	e->scheme = scheme_find("stdio", strlen("stdio"));
	if (take_argv(e, entry, err) || take_cwd(e, entry, place, err))
		return -1;
	if (!is_kind(entry, "env", cJSON_Object, err))
		return -1;
	cJSON_ArrayForEach(member, json_object(entry, "env")) {
		if (!cJSON_IsNull(member) && take_setting(e, member, err))
			return -1;
	}
	return 0;
}

/* ---- a URL ---- */

static int take_headers(struct endpoint *e, const cJSON *entry,
			struct error *err)
{
	const cJSON *member;

	if (!is_kind(entry, "headers", cJSON_Object, err))
		return -1;
	cJSON_ArrayForEach(member, json_object(entry, "headers")) {
		CLEANUP(mem_free_ptr) char *value = NULL;

		if (!header_name_fits(member->string))
			return error_set(err, ERR_USAGE,
					 "'%.60s' is no name of a header",
					 member->string);
		value = expand_member(member, "header", err);
		if (!value)
			return -1;
		if (text_has_control(value))
			return error_set(
				err, ERR_USAGE,
				"the value of the header %.60s has a control character",
				member->string);
		headers_add(&e->headers, member->string, value);
	}
	return 0;
}

static int check_scheme(const char *url, const struct entry_type *type,
			struct error *err)
{
	if (type && !has_scheme(url, type->scheme)) {
		error_set(err, ERR_USAGE,
			  "\"url\" does not begin with %s:// or %ss://",
			  type->scheme, type->scheme);
		return error_hint(err, "\"type\" is '%s'", type->name);
	}
	if (strncasecmp(url, "stdio:", 6) == 0)
		return error_set(
			err, ERR_USAGE,
			"a program is no \"url\": it has \"command\" and \"args\"");
	return 0;
}

static int take_url(struct endpoint *e, const cJSON *entry,
		    const struct entry_type *type,
		    const struct named_place *place, struct error *err)
{
	const cJSON *member = json_member(entry, "url");
	CLEANUP(mem_free_ptr) char *url = NULL, *text = NULL;

	if (!member)
		return error_set(err, ERR_USAGE, "there is no \"url\"");
	url = expand_member(member, NULL, err);
	if (!url || check_scheme(url, type, err))
		return -1;
	text = mem_printf("%s%s", type ? type->before : "", url);
	/* Not named, since variables may have brought secrets into it. */
	if (endpoint_read(e, text, place->file, err))
		return error_prefix(err, "\"url\" is no target");
	return take_headers(e, entry, err);
}

/* ---- the whole ---- */

static int take(struct endpoint *e, const cJSON *entry,
		const struct named_place *place, struct error *err)
{
	bool program = json_member(entry, "command") != NULL;
	bool url = json_member(entry, "url") != NULL;
	const struct entry_type *type;

	if (!cJSON_IsObject(entry))
		return error_set(err, ERR_USAGE, "it is no object");
	if (find_type(&type, entry, err))
		return -1;
	if (!type && program && url) {
		error_set(err, ERR_USAGE,
			  "it has both \"command\" and \"url\"");
		return error_hint(err, "\"type\" says which of them counts");
	}
	if (type && !type->scheme)
		return take_program(e, entry, place, err);
	if (type)
		return take_url(e, entry, type, place, err);
	if (!program && !url)
		return error_set(err, ERR_USAGE,
				 "it has neither \"command\" nor \"url\"");
	return program ? take_program(e, entry, place, err) :
			 take_url(e, entry, NULL, place, err);
}

int named_entry_endpoint(struct endpoint *out, const cJSON *entry,
			 const struct named_place *place, struct error *err)
{
	*out = (struct endpoint){ 0 };
	if (take(out, entry, place, err)) {
		endpoint_done(out);
		return -1;
	}
	mem_free(out->text);
	out->text = named_entry_shown(entry);
	if (!out->source)
		out->source = mem_strdup(place->file);
	if (out->argv.count) {
		mem_free(out->path);
		out->path = mem_strdup(out->text + strlen("stdio:"));
	}
	return 0;
}

/*
 * Variables in texts. Only the form with braces is one: a '$' elsewhere is
 * itself.
 */

#define SHOWN_MAX 60 /* bytes of what is not understood */

static size_t name_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len &&
	       (text[n] == '_' || (text[n] >= 'A' && text[n] <= 'Z') ||
		(text[n] >= 'a' && text[n] <= 'z') ||
		(n && text[n] >= '0' && text[n] <= '9')))
		n++;
	return n;
}

static int not_understood(const char *inside, size_t len, struct error *err)
{
	error_set(err, ERR_USAGE, "'${%.*s}' is not understood",
		  (int)(len < SHOWN_MAX ? len : SHOWN_MAX), inside);
	return error_hint(
		err,
		"expected ${NAME} or ${NAME:-default}, from the environment");
}

/* Bytes in front of the name. */
static size_t prefix_length(const char *inside, size_t len)
{
	return len > 4 && strncmp(inside, "env:", 4) == 0 ? 4 : 0;
}

/* What stands between the braces. */
static int add_variable(struct buf *out, const char *inside, size_t len,
			struct error *err)
{
	CLEANUP(mem_free_ptr) char *name = NULL;
	const char *value;
	size_t n, skip = prefix_length(inside, len);

	n = name_length(inside + skip, len - skip);
	name = mem_strndup(inside + skip, n);
	n += skip;
	value = n > skip ? getenv(name) : NULL;
	if (n > skip && n == len) {
		if (value)
			return buf_text(out, value);
		error_set(err, ERR_USAGE, "the variable '%s' is not set", name);
		return error_hint(
			err,
			"set it, or give it a default in the file: ${%s:-…}",
			name);
	}
	if (n == skip || len - n < 2 || strncmp(inside + n, ":-", 2) != 0)
		return not_understood(inside, len, err);
	if (value && *value)
		return buf_text(out, value);
	return buf_add(out, inside + n + 2, len - n - 2);
}

static int expand(struct buf *out, const char *text, struct error *err)
{
	while (*text) {
		const char *start = strstr(text, "${"), *end;

		if (!start)
			return buf_text(out, text);
		end = strchr(start, '}');
		if (!end)
			return error_set(err, ERR_USAGE,
					 "a '${' is not closed by '}'");
		if (buf_add(out, text, (size_t)(start - text)) ||
		    add_variable(out, start + 2, (size_t)(end - start - 2),
				 err))
			return -1;
		text = end + 1;
	}
	return 0;
}

char *named_expand(const char *text, struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_init(&out, NAMED_TEXT_MAX);
	if (expand(&out, text, err) == 0)
		return buf_take(&out);
	if (out.full)
		error_set(err, ERR_USAGE, "it is longer than %u kB",
			  NAMED_TEXT_MAX >> 10);
	return NULL;
}

static void add_once(struct words *out, const char *name)
{
	for (size_t i = 0; i < out->count; i++) {
		if (strcmp(out->word[i], name) == 0)
			return;
	}
	words_add(out, name);
}

void named_expand_names(struct words *out, const char *text, size_t max)
{
	while (out->count < max && (text = strstr(text, "${")) != NULL) {
		size_t len = strcspn(text += 2, "}");
		size_t skip = prefix_length(text, len);
		CLEANUP(mem_free_ptr)
		char *name = mem_strndup(text + skip,
					 name_length(text + skip, len - skip));

		if (*name)
			add_once(out, name);
		text += len;
	}
}

/*
 * Which words name a target on a command line.
 */

static void add_option(struct buf *out, const char *option, const char *value)
{
	buf_printf(out, "%s ", option);
	words_quote(out, value);
	buf_char(out, ' ');
}

static void add_name(struct buf *out, const char *name, const char *config_file)
{
	if (config_file)
		add_option(out, "--config", config_file);
	add_option(out, "-t", name);
}

/* The key of its list is the target without its secrets. */
static void add_address(struct buf *out, const char *target)
{
	CLEANUP(mem_free_ptr) char *shown = schema_cache_key(target, NULL);

	words_quote(out, shown);
	buf_char(out, ' ');
}

void named_words(struct buf *out, const char *target, const char *config_file)
{
	if (!target || !*target)
		return;
	if (strchr(target, ':'))
		add_address(out, target);
	else
		add_name(out, target, config_file);
}
