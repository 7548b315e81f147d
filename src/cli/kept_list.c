/* SPDX-License-Identifier: MIT */
/*
 * Which kept list is meant, and its lines as tools. A running serve is only
 * asked who is connected.
 */
#include "cli/kept_list.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/named_words.h"
#include "cli/schema_cache.h"
#include "cli/serve_client.h"
#include "cli/serve_target.h"
#include "cli/setup.h"
#include "net/control_path.h"
#include "serve/aliases.h"

enum { PATIENCE_MS = 1000 };

/* ---- which one ---- */

/* The devices that fit -d: the id of the first, and how many there are. */
static int ask_devices(struct serve_client *serve, struct app *app,
		       char **first, size_t *count)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	int64_t deadline = loop_now() + PATIENCE_MS;

	buf_text(&json, "{\"op\":\"devices\"");
	json_add_text(&json, "device", app->config.device);
	buf_char(&json, '}');
	if (serve_client_send(serve, &json, NULL) != 0)
		return -1;
	for (;;) {
		CLEANUP(serve_answer_done) struct serve_answer answer = { 0 };

		if (serve_client_next(serve, deadline, &answer, NULL) != 0)
			return -1;
		if (strcmp(answer.op, "end") == 0)
			return 0;
		if ((*count)++ == 0)
			*first = mem_strdup(json_string(
				json_object(answer.json, "device"), "id"));
	}
}

static int several(const struct app *app, size_t count, struct error *err)
{
	if (app->config.device)
		error_set(err, ERR_USAGE, "%zu devices fit '%s'", count,
			  app->config.device);
	else
		error_set(err, ERR_USAGE, "there are %zu devices: which one?",
			  count);
	return error_hint(err, "name one with -d/--device ('mcpctl devices' "
			       "lists them)");
}

/* *id stays NULL if no serve answers, or has no such device. */
static int running_device(struct app *app, char **id, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct serve_client *serve = NULL;
	bool exists = false;
	size_t count = 0;

	if (app->connected) {
		*id = mem_strdup(session_peer(app->session)->relay_id);
		return 0;
	}
	if (serve_target_path(app, &path, NULL) != 0 ||
	    control_path_check(path, &exists, NULL) != 0 || !exists ||
	    serve_client_open(&serve, app, NULL) != 0)
		return 0;
	if (ask_devices(serve, app, id, &count) != 0)
		mem_free(TAKE(*id));
	serve_client_free(serve);
	return count > 1 ? several(app, count, err) : 0;
}

/* What an alias means, where no serve tells. Yours. */
static char *id_of(const char *device)
{
	CLEANUP(aliases_done) struct aliases known = { 0 };

	if (aliases_read(&known, NULL, NULL) == 0) {
		for (size_t i = 0; i < known.count; i++) {
			if (text_same(known.item[i].name, device))
				return mem_strdup(known.item[i].id);
		}
	}
	return mem_strdup(device);
}

static int key_of_serve(struct app *app, char **key, struct error *err)
{
	CLEANUP(mem_free_ptr) char *id = NULL;

	if (running_device(app, &id, err) != 0)
		return -1;
	if (!id && app->config.device)
		id = id_of(app->config.device);
	*key = id ? schema_cache_key(NULL, id) : schema_cache_newest();
	if (*key)
		return 0;
	error_set(err, ERR_UNMET,
		  "no list of tools is kept of a device of "
		  "'mcpctl serve'");
	return error_hint(err, "name the target whose list is meant (mcpctl "
			       "help targets), or list the tools once: mcpctl "
			       "tools");
}

static int find_key(struct app *app, char **key, struct error *err)
{
	CLEANUP(endpoint_done) struct endpoint e = { 0 };

	if (!app->config.target)
		return key_of_serve(app, key, err);
	if (setup_target(&e, app, err) != 0 ||
	    serve_target_options(app, &e, err) != 0)
		return -1;
	if (strcmp(e.scheme, "attach") == 0)
		return key_of_serve(app, key, err);
	*key = schema_cache_key(e.text, NULL);
	return 0;
}

/* ---- as tools ---- */

/* As if all had come in one page. -1: one of them is no JSON. */
static int decode(struct tool_list *out, const struct schema_cache *c,
		  struct error *err)
{
	CLEANUP(buf_done) struct buf page = { 0 };
	struct span name, brief, json;
	struct message m;

	buf_text(&page, "{\"result\":{\"tools\":[");
	for (size_t i = 0; schema_cache_tool(c, i, &name, &brief, &json); i++) {
		if (i > 0)
			buf_char(&page, ',');
		buf_add(&page, json.text, json.len);
	}
	buf_text(&page, "]}}");
	if (message_decode_take(&m, NULL, page.data, page.len, err) != 0)
		return -1;
	return tool_list_add_take(out, &m, NULL, err);
}

static int hint_list(const struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	CLEANUP(buf_done) struct buf target = { 0 };

	if (!app->found_serve)
		named_words(&target, c->target, c->config_file);
	return error_hint(err, "list them once, and it is kept: mcpctl %stools",
			  buf_string(&target));
}

int kept_list_open(struct kept_list *out, struct app *app, struct error *err)
{
	CLEANUP(schema_cache_close) struct schema_cache c = { 0 };
	CLEANUP(mem_free_ptr) char *key = NULL;

	*out = (struct kept_list){ 0 };
	if (find_key(app, &key, err) != 0)
		return -1;
	if (schema_cache_open(&c, key, err) != 0)
		return hint_list(app, err);
	if (decode(&out->tools, &c, NULL) != 0) {
		kept_list_done(out);
		error_set(err, ERR_UNMET, "the kept list of '%s' is damaged",
			  key);
		return hint_list(app, err);
	}
	out->from = TAKE(key);
	out->age = time(NULL) - c.time;
	return 0;
}

void kept_list_done(struct kept_list *k)
{
	tool_list_done(&k->tools);
	mem_free(k->from);
	*k = (struct kept_list){ 0 };
}
