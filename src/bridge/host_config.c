/* SPDX-License-Identifier: MIT */
#include "bridge/host_config.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/named.h"

struct config_host {
	const char *name;
	const char *where;
	const char *member; /* of JSON; NULL: TOML */
	bool typed; /* wants "type":"stdio" */
};

static const struct config_host config_hosts[] = {
	{ "claude",
	  "claude_desktop_config.json of Claude Desktop, or .mcp.json of a project for Claude Code",
	  "mcpServers", false },
	{ "cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
	  "mcpServers", false },
	{ "vscode", ".vscode/mcp.json of a folder", "servers", true },
	{ "codex", "~/.codex/config.toml", NULL, false },
};

/* What is a path is found from wherever the host starts us. */
static char *absolute(const char *path)
{
	char folder[4096];

	if (*path == '/' || !getcwd(folder, sizeof(folder)))
		return mem_strdup(path);
	return mem_printf("%s/%s", folder, path);
}

static void add_option(struct words *out, const char *name, const char *value)
{
	CLEANUP(mem_free_ptr) char *word = NULL;

	if (!value)
		return;
	word = mem_printf("--%s=%s", name, value);
	words_add(out, word);
}

static void add_file(struct words *out, const char *name, const char *path)
{
	CLEANUP(mem_free_ptr) char *whole = path ? absolute(path) : NULL;

	add_option(out, name, whole);
}

static void add_flag(struct words *out, const char *name, bool on)
{
	CLEANUP(mem_free_ptr) char *word = mem_printf("--%s", name);

	if (on)
		words_add(out, word);
}

static void add_many(struct words *out, const char *name, const struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		add_option(out, name, w->word[i]);
}

static void add_milliseconds(struct words *out, const char *name, int64_t ms)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("%lldms", (long long)ms);

	if (ms)
		add_option(out, name, text);
}

static void add_own(struct words *out, const struct bridge_options *o)
{
	static const char *const names[] = { NULL, "dots", "raw" };
	CLEANUP(mem_free_ptr)
	char *rate = mem_printf("%lld", (long long)o->rate);

	add_option(out, "names", names[o->names]);
	add_flag(out, "user-tools", o->user_tools);
	add_flag(out, "read-only", o->read_only);
	add_many(out, "allow", &o->allow);
	add_many(out, "deny", &o->deny);
	add_flag(out, "one-tool-a-name", o->merge);
	add_flag(out, "only-awake", o->awake_only);
	add_flag(out, "no-own-tools", o->no_own);
	add_flag(out, "generic", o->generic);
	add_flag(out, "false-is-error", o->false_is_error);
	add_option(out, "rate", o->rate ? rate : NULL);
	add_file(out, "log", o->log);
}

static void collect(struct words *out, const struct app *app,
		    const struct bridge_options *o)
{
	const struct config *c = &app->config;

	words_add(out, "bridge");
	add_many(out, "target", &c->targets);
	if (!c->targets.count)
		add_option(out, "target", c->target);
	add_many(out, "device", &c->devices);
	if (!c->devices.count)
		add_option(out, "device", c->device);
	add_file(out, "socket", c->socket);
	add_file(out, "config", c->config_file);
	add_file(out, "token-file", c->token_file);
	add_milliseconds(out, "timeout", c->timeout);
	add_milliseconds(out, "wait", c->wait);
	add_own(out, o);
}

static void add_json(struct buf *out, const struct config_host *h,
		     const char *program, const struct words *words)
{
	cJSON *root = cJSON_CreateObject(), *args;
	cJSON *entry = cJSON_AddObjectToObject(
		cJSON_AddObjectToObject(root, h->member), "boards");

	if (h->typed)
		cJSON_AddStringToObject(entry, "type", "stdio");
	cJSON_AddStringToObject(entry, "command", program);
	args = cJSON_AddArrayToObject(entry, "args");
	for (size_t i = 0; i < words->count; i++)
		cJSON_AddItemToArray(args, cJSON_CreateString(words->word[i]));
	json_print_pretty(out, root);
	buf_char(out, '\n');
	cJSON_Delete(root);
}

/* A basic string of TOML takes the escapes of JSON. */
static void add_toml(struct buf *out, const char *program,
		     const struct words *words)
{
	buf_text(out, "[mcp_servers.boards]\ncommand = ");
	buf_json_string(out, program, strlen(program));
	buf_text(out, "\nargs = [");
	for (size_t i = 0; i < words->count; i++) {
		if (i)
			buf_text(out, ", ");
		buf_json_string(out, words->word[i], strlen(words->word[i]));
	}
	buf_text(out, "]\n");
}

int host_config_print(struct buf *out, const char **where, const char *host,
		      const struct app *app, const struct bridge_options *o,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *program = file_program();
	CLEANUP(words_done) struct words words = { 0 };
	const struct config_host *h = NULL;

	for (size_t i = 0; i < COUNT(config_hosts); i++) {
		if (text_same(config_hosts[i].name, host))
			h = &config_hosts[i];
	}
	if (!h)
		return error_set(
			err, ERR_USAGE,
			"no settings are known of host '%s': it is " HOST_CONFIG_NAMES,
			host);
	collect(&words, app, o);
	*where = h->where;
	if (h->member)
		add_json(out, h, program ? program : "mcpctl", &words);
	else
		add_toml(out, program ? program : "mcpctl", &words);
	return 0;
}
