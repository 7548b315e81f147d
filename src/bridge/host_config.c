/* SPDX-License-Identifier: MIT */
#include "bridge/host_config.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "bridge/bridge.h"
#include "bridge/host_snippet.h"
#include "cli/app.h"
#include "cli/config.h"
#include "cli/named.h"
#include "cli/option.h"
#include "net/control_client.h"

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

/* The word of a choice; the first is what holds without it. */
static void add_choice(struct words *out, const struct option_row *row,
		       int choice)
{
	CLEANUP(words_done) struct words all = { 0 };

	if (choice > 0 && words_split(&all, row->choices, NULL) == 0 &&
	    (size_t)choice < all.count)
		add_option(out, row->name, all.word[choice]);
}

static void add_row(struct words *out, const struct option_row *row,
		    const struct config *c)
{
	const void *at = (const char *)c + row->offset;

	if (row->type == OPTION_FLAG)
		add_flag(out, row->name, *(const bool *)at);
	else if (row->type == OPTION_CHOICE)
		add_choice(out, row, *(const int *)at);
	else if (row->type == OPTION_DURATION)
		add_milliseconds(out, row->name, *(const int64_t *)at);
	else if (row->type == OPTION_LIST)
		add_many(out, row->name, at);
	else if (row->type == OPTION_FILE)
		add_file(out, row->name, *(const char *const *)at);
	else
		add_option(out, row->name, *(const char *const *)at);
}

/*
 * How targets are reached. Not --trust, which is for one command, and not what
 * may hold a secret: that is told (cmd_bridge.c).
 */
static bool is_way(const char *name)
{
	static const char *const names[] = {
		"envelope",
		"era",
		"mqtt-password-file",
		"cwd",
		"proxy",
		"resolve",
		"no-oauth",
		"oauth-client-id",
		"oauth-client-secret-file",
		"oauth-private-key-file",
		"oauth-client-metadata-url",
		"oauth-grant",
		"oauth-idp-token-file",
		"oauth-idp-token-endpoint",
		"oauth-idp-client-id",
		"oauth-issuer",
		"oauth-scope",
		"oauth-timeout",
		"cacert",
		"insecure",
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static void add_ways(struct words *out, const struct config *c)
{
	for (const struct option_row *row = config_options; row->name; row++) {
		const bool hidden = strcmp(row->name, "proxy") == 0 &&
				    host_config_hides_proxy(c);

		if (is_way(row->name) && !hidden)
			add_row(out, row, c);
	}
}

/*
 * The host may hand on less of an environment than we have, as the official SDK
 * and Codex do: it would look for serve elsewhere.
 */
static void add_socket(struct words *out, const struct app *app)
{
	const struct config *c = &app->config;
	CLEANUP(mem_free_ptr) char *path = NULL;

	if (c->socket) {
		add_file(out, "socket", c->socket);
		return;
	}
	if (bridge_wants_boards(c) && !bridge_socket(c) &&
	    !control_path(&path, NULL, false, NULL) &&
	    !control_path_is_usual(path))
		add_option(out, "socket", path);
}

/* The host comes by stdin and stdout, whichever ways there are beside. */
static void add_fronts(struct words *out, const struct bridge_options *o)
{
	CLEANUP(mem_free_ptr)
	char *tools = mem_printf("%lld", (long long)o->mcp_endpoint_tools);

	add_flag(out, "stdio", o->stdio || o->mcp_endpoint_file || o->mcp_mqtt);
	add_file(out, "mcp-endpoint-file", o->mcp_endpoint_file);
	add_option(out, "mcp-endpoint-tools",
		   o->mcp_endpoint_tools ? tools : NULL);
	add_option(out, "mcp-mqtt", o->mcp_mqtt);
	add_flag(out, "keep-asleep", o->keep_asleep);
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
	add_flag(out, "photos", o->photos);
	add_option(out, "rate", o->rate ? rate : NULL);
	add_milliseconds(out, "ask-timeout", o->ask_timeout);
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
	add_socket(out, app);
	add_file(out, "config", c->config_file);
	add_file(out, "token-file", c->token_file);
	add_milliseconds(out, "timeout", c->timeout);
	add_milliseconds(out, "wait", c->wait);
	add_ways(out, c);
	add_fronts(out, o);
	add_own(out, o);
}

bool host_config_hides_proxy(const struct config *c)
{
	return c->proxy && strchr(c->proxy, '@');
}

int host_config_print(struct buf *out, const char **where, const char *host,
		      const struct app *app, const struct bridge_options *o,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *program = file_program();
	CLEANUP(words_done) struct words words = { 0 };
	struct host_snippet snippet = { .server = HOST_SNIPPET_SERVER,
					.program =
						program ? program : "mcpctl" };

	collect(&words, app, o);
	snippet.words = (const char *const *)words.word;
	return host_snippet_print(out, host, &snippet, where, err);
}
