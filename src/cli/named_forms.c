/* SPDX-License-Identifier: MIT */
/* The forms of other clients, made into one. */
#include "cli/named_forms.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/split.h"
#include "base/text.h"
#include "base/toml.h"
#include "base/yaml.h"

#define LIBRARY "Library/Application Support/"

const struct client_place client_places[] = {
	{ "Claude Code", PLACE_HOME, ".claude.json", NULL },
	{ "Claude Desktop", PLACE_CONFIG, "Claude/claude_desktop_config.json",
	  NULL },
	{ "Claude Desktop", PLACE_HOME,
	  LIBRARY "Claude/claude_desktop_config.json", NULL },
	{ "VS Code", PLACE_CONFIG, "Code/User/mcp.json", NULL },
	{ "VS Code", PLACE_HOME, LIBRARY "Code/User/mcp.json", NULL },
	{ "Cursor", PLACE_HOME, ".cursor/mcp.json", NULL },
	{ "Windsurf", PLACE_HOME, ".codeium/windsurf/mcp_config.json", NULL },
	{ "Codex", PLACE_HOME, ".codex/config.toml", "CODEX_HOME" },
	{ "Zed", PLACE_CONFIG, "zed/settings.json", NULL },
	{ "Continue", PLACE_HOME, ".continue/config.yaml", NULL },
	{ "Gemini", PLACE_HOME, ".gemini/settings.json", NULL },
	{ "opencode", PLACE_CONFIG, "opencode/opencode.json", NULL },
	{ "opencode", PLACE_CONFIG, "opencode/opencode.jsonc", NULL },
	{ "VS Code", PLACE_PROJECT, ".vscode/mcp.json", NULL },
	{ "Cursor", PLACE_PROJECT, ".cursor/mcp.json", NULL },
	{ "Codex", PLACE_PROJECT, ".codex/config.toml", NULL },
	{ "Zed", PLACE_PROJECT, ".zed/settings.json", NULL },
	{ "Continue", PLACE_PROJECT, ".continue/mcpServers/*", NULL },
	{ "Gemini", PLACE_PROJECT, ".gemini/settings.json", NULL },
	{ "opencode", PLACE_PROJECT, "opencode.json", NULL },
	{ "opencode", PLACE_PROJECT, "opencode.jsonc", NULL },
	{ "opencode", PLACE_PROJECT, ".opencode/opencode.json", NULL },
	{ "opencode", PLACE_PROJECT, ".opencode/opencode.jsonc", NULL },
	{ NULL, PLACE_HOME, NULL, NULL }
};

/* Whether it ends so, behind a slash or from its start. */
static bool ends(const char *path, const char *end)
{
	size_t len = strlen(path), tail = strlen(end);

	return len >= tail && strcmp(path + len - tail, end) == 0 &&
	       (len == tail || path[len - tail - 1] == '/');
}

/* Of a folder's files each counts: "x/.continue/mcpServers/a.yaml". */
static size_t folder_suffix(const char *path, const char *folder)
{
	size_t head = (size_t)(file_name(path) - path);
	CLEANUP(mem_free_ptr) char *before = mem_strndup(path, head);
	CLEANUP(mem_free_ptr)
	char *end = mem_strndup(folder, strlen(folder) - 1);

	if (!path[head] || !ends(before, end))
		return 0;
	return strlen(path) - head + strlen(end);
}

size_t client_file_suffix(const char *path)
{
	size_t best = 0;

	for (const struct client_place *p = client_places; p->client; p++) {
		size_t len = strlen(p->path);

		if (p->below != PLACE_PROJECT)
			continue;
		if (p->path[len - 1] == '*')
			len = folder_suffix(path, p->path);
		else if (!ends(path, p->path))
			len = 0;
		if (len > best)
			best = len;
	}
	return best;
}

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

/* ---- the three languages ---- */

static cJSON *parse_json(const struct buf *text, const char *path,
			 struct error *err)
{
	CLEANUP(buf_done) struct buf plain = { 0 };
	cJSON *json;

	buf_add(&plain, buf_string(text), text->len);
	if (plain.len) {
		memset(plain.data, ' ', text_mark(plain.data, plain.len));
		blank_comments(plain.data, plain.len);
	}
	json = json_parse(buf_string(&plain), plain.len, err);
	if (!json) {
		if (err)
			err->kind = ERR_USAGE;
		error_prefix(err, "'%s' is no JSON", path);
	}
	return json;
}

static cJSON *parse_toml(const struct buf *text, const char *path,
			 struct error *err)
{
	cJSON *json = toml_read(buf_string(text), text->len, err);

	if (!json)
		error_prefix(err, "'%s' is no TOML", path);
	return json;
}

static cJSON *parse_yaml(const struct buf *text, const char *path,
			 struct error *err)
{
	const struct yaml_table *yaml =
		module_sized("yaml", YAML_TABLE, sizeof(*yaml), err);
	cJSON *json = NULL;

	if (yaml)
		json = yaml->read(buf_string(text), text->len, err);
	if (!json)
		error_prefix(err, "'%s' cannot be read as YAML", path);
	return json;
}

static bool has_ending(const char *path, const char *ending)
{
	size_t len = strlen(path), tail = strlen(ending);

	return len > tail && text_same(path + len - tail, ending);
}

static bool is_yaml(const char *path)
{
	return has_ending(path, ".yaml") || has_ending(path, ".yml");
}

static cJSON *parse(const struct buf *text, const char *path, struct error *err)
{
	if (has_ending(path, ".toml"))
		return parse_toml(text, path, err);
	if (is_yaml(path))
		return parse_yaml(text, path, err);
	return parse_json(text, path, err);
}

/* ---- variables ---- */

enum dialect_flags {
	SAYS_DOLLAR = 1, /* $NAME */
	SAYS_ENV = 2 /* {env:NAME} */
};

struct spelling {
	unsigned variables;
	char *folder; /* of the project; NULL: it is none of a project. Owned */
};

static bool is_name(char c, bool first)
{
	return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (!first && c >= '0' && c <= '9');
}

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (is_name(text[n], n == 0))
		n++;
	return n;
}

/* What stands there in another spelling, into out; bytes of it, 0: nothing. */
static size_t respell(struct buf *out, const char *text,
		      const struct spelling *f)
{
	static const char folder[] = "${workspaceFolder}",
			  home[] = "${userHome}";
	size_t n;

	if (f->folder && text_starts(text, folder)) {
		buf_text(out, f->folder);
		return sizeof(folder) - 1;
	}
	if (text_starts(text, home)) {
		buf_text(out, "${HOME}");
		return sizeof(home) - 1;
	}
	n = *text == '$' ? name_length(text + 1) : 0;
	if ((f->variables & SAYS_DOLLAR) && n) {
		buf_printf(out, "${%.*s}", (int)n, text + 1);
		return n + 1;
	}
	n = text_starts(text, "{env:") ? name_length(text + 5) : 0;
	if ((f->variables & SAYS_ENV) && n && text[5 + n] == '}') {
		buf_printf(out, "${%.*s}", (int)n, text + 5);
		return n + 6;
	}
	return 0;
}

static void respell_text(cJSON *value, const struct spelling *f)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *text = value->valuestring;

	while (*text) {
		size_t n = respell(&out, text, f);

		if (!n)
			buf_char(&out, *text++);
		text += n;
	}
	if (strcmp(value->valuestring, buf_string(&out)) != 0)
		cJSON_SetValuestring(value, buf_string(&out));
}

/* NOLINTBEGIN(misc-no-recursion): what is read has a bound of depth */
/* Of all texts in it; json_parse has bounded how deep that can go. */
static void respell_all(cJSON *value, const struct spelling *f)
{
	cJSON *member;

	if (cJSON_IsString(value))
		respell_text(value, f);
	cJSON_ArrayForEach(member, value) {
		respell_all(member, f);
	}
}
/* NOLINTEND(misc-no-recursion) */

/* ---- one entry ---- */

/* It is called so from now on, unless that is there. */
static void rename_member(cJSON *entry, const char *from, const char *to)
{
	cJSON *member = json_member(entry, from);

	if (!member || json_member(entry, to))
		return;
	cJSON_AddItemToObject(entry, to,
			      cJSON_DetachItemViaPointer(entry, member));
}

static void set_text(cJSON *entry, const char *name, const char *text)
{
	cJSON_DeleteItemFromObjectCaseSensitive(entry, name);
	cJSON_AddStringToObject(entry, name, text);
}

/* ["npx", "-y", "x"] is a command and its arguments. */
static void split_command(cJSON *entry)
{
	cJSON *words = json_array(entry, "command"), *first, *word;
	cJSON *args = json_array(entry, "args");

	if (!words || cJSON_GetArraySize(words) == 0)
		return;
	words = cJSON_DetachItemViaPointer(entry, words);
	first = cJSON_DetachItemFromArray(words, 0);
	cJSON_AddItemToObject(entry, "command", first);
	while (args && (word = cJSON_DetachItemFromArray(args, 0)) != NULL)
		cJSON_AddItemToArray(words, word);
	cJSON_DeleteItemFromObjectCaseSensitive(entry, "args");
	cJSON_AddItemToObject(entry, "args", words);
}

/* {"path", "args", "env"}, as Zed wrote it first. */
static void lift_command(cJSON *entry)
{
	cJSON *command = json_object(entry, "command"), *member;

	if (!command)
		return;
	command = cJSON_DetachItemViaPointer(entry, command);
	rename_member(command, "path", "command");
	while ((member = command->child) != NULL) {
		cJSON_DetachItemViaPointer(command, member);
		if (json_member(entry, member->string))
			cJSON_Delete(member);
		else
			cJSON_AddItemToObject(entry, member->string, member);
	}
	cJSON_Delete(command);
}

static cJSON *headers_of(cJSON *entry)
{
	cJSON *headers = json_object(entry, "headers");

	return headers ? headers : cJSON_AddObjectToObject(entry, "headers");
}

/* "Bearer ${NAME}" of the name of a variable. */
static void add_variable_header(cJSON *entry, const char *header,
				const char *before, const char *variable)
{
	CLEANUP(mem_free_ptr)
	char *value = mem_printf("%s${%s}", before, variable);

	cJSON_AddStringToObject(headers_of(entry), header, value);
}

/* Codex names variables for what is secret. */
static void add_codex_headers(cJSON *entry)
{
	const char *token = json_string(entry, "bearer_token_env_var");
	const cJSON *member;

	rename_member(entry, "http_headers", "headers");
	cJSON_ArrayForEach(member, json_object(entry, "env_http_headers")) {
		if (cJSON_IsString(member))
			add_variable_header(entry, member->string, "",
					    member->valuestring);
	}
	if (token && *token)
		add_variable_header(entry, "Authorization", "Bearer ", token);
}

static void lift_headers(cJSON *entry)
{
	cJSON *options = json_object(entry, "requestOptions");
	cJSON *headers = json_object(options, "headers");

	if (headers && !json_member(entry, "headers"))
		cJSON_AddItemToObject(
			entry, "headers",
			cJSON_DetachItemViaPointer(options, headers));
}

static void name_type(cJSON *entry)
{
	const char *type;

	if (json_member(entry, "httpUrl") && !json_member(entry, "url"))
		set_text(entry, "type", "http");
	rename_member(entry, "httpUrl", "url");
	rename_member(entry, "serverUrl", "url");
	type = json_string(entry, "type");
	if (type && strcmp(type, "local") == 0)
		set_text(entry, "type", "stdio");
	else if (type && strcmp(type, "remote") == 0)
		cJSON_DeleteItemFromObjectCaseSensitive(entry, "type");
}

static void make_normal(cJSON *entry, const struct spelling *f)
{
	if (!cJSON_IsObject(entry))
		return;
	lift_command(entry);
	split_command(entry);
	rename_member(entry, "environment", "env");
	name_type(entry);
	add_codex_headers(entry);
	lift_headers(entry);
	respell_all(entry, f);
}

bool named_form_is_off(const cJSON *entry)
{
	return json_true(entry, "disabled") ||
	       cJSON_IsFalse(json_member(entry, "enabled"));
}

/* ---- where they stand in a file ---- */

static bool is_opencode(const char *path)
{
	return text_starts(file_name(path), "opencode.json");
}

/* An object by name, or, as Continue has it, a list with names. */
static cJSON *find_servers(cJSON *root, const char *path)
{
	static const char *const names[] = { "mcpServers", "servers",
					     "context_servers", "mcp_servers" };
	cJSON *mcp = json_object(root, "mcp");

	for (size_t i = 0; i < COUNT(names); i++) {
		cJSON *there = json_member(root, names[i]);

		if (cJSON_IsObject(there) ||
		    (cJSON_IsArray(there) && is_yaml(path)))
			return there;
	}
	if (json_object(mcp, "servers"))
		return json_object(mcp, "servers");
	return is_opencode(path) ? mcp : NULL;
}

static void take_all(cJSON *out, cJSON *servers, const struct spelling *f)
{
	bool list = cJSON_IsArray(servers);
	cJSON *entry;

	while (servers && (entry = servers->child) != NULL) {
		CLEANUP(mem_free_ptr) char *name = NULL;

		cJSON_DetachItemViaPointer(servers, entry);
		name = mem_strdup(list ? json_string(entry, "name") :
					 entry->string);
		make_normal(entry, f);
		cJSON_AddItemToObject(out, name ? name : "", entry);
	}
}

/* Those of the projects that we stand in, the nearest first. */
static void take_projects(cJSON *out, cJSON *root, const char *here,
			  const struct spelling *f)
{
	cJSON *projects = json_object(root, "projects");
	CLEANUP(mem_free_ptr) char *folder = mem_strdup(here);

	while (projects && folder && *folder == '/') {
		char *slash = strrchr(folder, '/');

		take_all(out,
			 json_object(json_member(projects, folder),
				     "mcpServers"),
			 f);
		if (!folder[1])
			return;
		slash[slash == folder] = '\0';
	}
}

/* Settings of a client, which may have none; else a file for nothing else. */
static bool may_lack(const char *path)
{
	if (has_ending(path, "mcp.json"))
		return false;
	for (const struct client_place *p = client_places; p->client; p++) {
		if (ends(path, p->path))
			return true;
	}
	return has_ending(path, ".toml") || client_file_suffix(path);
}

static void find_form(struct spelling *out, const char *path)
{
	size_t suffix = client_file_suffix(path), len = strlen(path);

	*out = (struct spelling){ 0 };
	if (strstr(path, "/.gemini/") || text_starts(path, ".gemini/"))
		out->variables |= SAYS_DOLLAR;
	if (is_opencode(path))
		out->variables |= SAYS_ENV;
	if (suffix && len > suffix)
		out->folder = mem_strndup(path, len - suffix - 1);
}

static cJSON *convert(cJSON *root, const char *path, const char *here)
{
	cJSON *out = cJSON_CreateObject();
	cJSON *servers = cJSON_AddObjectToObject(out, "mcpServers");
	struct spelling f;

	find_form(&f, path);
	if (strcmp(file_name(path), ".claude.json") == 0)
		take_projects(servers, root, here, &f);
	take_all(servers, find_servers(root, path), &f);
	mem_free(f.folder);
	return out;
}

static bool is_blank(const struct buf *text)
{
	return strspn(buf_string(text), " \t\r\n") == text->len;
}

cJSON *named_form_read(const struct buf *text, const char *path,
		       const char *here, struct error *err)
{
	bool empty = is_blank(text) && may_lack(path);
	CLEANUP(json_free_ptr)
	cJSON *root = empty ? cJSON_CreateObject() : parse(text, path, err);

	if (!root)
		return NULL;
	if (!may_lack(path) && !find_servers(root, path)) {
		error_set(err, ERR_USAGE, "'%s' has no object \"mcpServers\"",
			  path);
		return NULL;
	}
	return convert(root, path, here);
}
