/* SPDX-License-Identifier: MIT */
#include "bridge/host_snippet.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- the forms ---- */

/* Only where one asks for it is it said that the host starts the program. */
static cJSON *entry_of(const struct host_snippet *c, bool typed)
{
	cJSON *entry = cJSON_CreateObject();
	cJSON *words;

	if (typed)
		cJSON_AddStringToObject(entry, "type", "stdio");
	cJSON_AddStringToObject(entry, "command", c->program);
	words = cJSON_AddArrayToObject(entry, "args");
	for (const char *const *word = c->words; *word; word++)
		cJSON_AddItemToArray(words, cJSON_CreateString(*word));
	return entry;
}

static void print_json(struct buf *out, const struct host_snippet *c,
		       const char *list, bool typed)
{
	CLEANUP(json_free_ptr) cJSON *whole = cJSON_CreateObject();

	cJSON_AddItemToObject(cJSON_AddObjectToObject(whole, list), c->server,
			      entry_of(c, typed));
	json_print_pretty(out, whole);
	buf_char(out, '\n');
}

static void print_servers(struct buf *out, const struct host_snippet *c)
{
	print_json(out, c, "servers", true);
}

static void print_mcp_servers(struct buf *out, const struct host_snippet *c)
{
	print_json(out, c, "mcpServers", false);
}

/* A basic string of TOML takes all escapes of JSON; it wants one for DEL, too. */
static void toml_string(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	const char *at;

	buf_json_string(&json, text, strlen(text));
	for (at = json.data; *at; at++) {
		if (*at == 0x7f)
			buf_text(out, "\\u007f");
		else
			buf_char(out, *at);
	}
}

static bool is_bare_key(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t plain = 0;

	while (text[plain] && (strchr(letters, text[plain]) ||
			       strchr("0123456789_-", text[plain])))
		plain++;
	return plain && !text[plain];
}

static void print_toml(struct buf *out, const struct host_snippet *c)
{
	buf_text(out, "[mcp_servers.");
	if (is_bare_key(c->server))
		buf_text(out, c->server);
	else
		toml_string(out, c->server);
	buf_text(out, "]\ncommand = ");
	toml_string(out, c->program);
	buf_text(out, "\nargs = [");
	for (const char *const *word = c->words; *word; word++) {
		buf_text(out, word == c->words ? "" : ", ");
		toml_string(out, *word);
	}
	buf_text(out, "]\n");
}

/* ---- the hosts ---- */

static const struct {
	const char *name;
	void (*print)(struct buf *out, const struct host_snippet *c);
	const char *where;
} forms[] = {
	{ "claude", print_mcp_servers,
	  "claude_desktop_config.json of Claude Desktop, or .mcp.json of a project for Claude Code" },
	{ "cursor", print_mcp_servers,
	  "~/.cursor/mcp.json, or .cursor/mcp.json of a project" },
	{ "vscode", print_servers, ".vscode/mcp.json of a folder" },
	{ "codex", print_toml, "~/.codex/config.toml" },
};

static int check(const struct host_snippet *c, struct error *err)
{
	if (*c->program != '/')
		return error_set(
			err, ERR_USAGE,
			"'%.200s' is no absolute path: a host starts it from elsewhere",
			c->program);
	if (!text_is_utf8(c->program, strlen(c->program)))
		return error_set(
			err, ERR_USAGE,
			"the path of this program is no UTF-8, which such files want");
	for (const char *const *word = c->words; *word; word++) {
		if (!text_is_utf8(*word, strlen(*word)))
			return error_set(
				err, ERR_USAGE,
				"an argument is no UTF-8, which such files want");
	}
	return 0;
}

int host_snippet_print(struct buf *out, const char *host,
		       const struct host_snippet *c, const char **where,
		       struct error *err)
{
	if (check(c, err) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(forms); i++) {
		if (!text_same(forms[i].name, host))
			continue;
		forms[i].print(out, c);
		*where = forms[i].where;
		return 0;
	}
	return error_set(
		err, ERR_USAGE,
		"no settings are known of host '%.40s': it is claude, cursor, vscode or codex",
		host);
}
