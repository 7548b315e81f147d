/* SPDX-License-Identifier: MIT */
/* Listings that are kept in files, and the lists behind commands. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/catalog_file.h"
#include "cli/config.h"
#include "cli/fresh_list.h"
#include "cli/operand.h"
#include "cli/requests.h"
#include "cli/schema_cache.h"
#include "cli/serve_client.h"
#include "cli/setup.h"
#include "cli/target_text.h"
#include "mcp/client_start.h"
#include "mcp/tools.h"
#include "mcp/types.h"
#include "net/attach.h"
#include "net/control_client.h"
#include "serve/aliases.h"

/*
 * Schemas made of prompts' arguments and of the parts of URI templates.
 */

static cJSON *string_schema(const char *description)
{
	cJSON *schema = cJSON_CreateObject();

	cJSON_AddStringToObject(schema, "type", "string");
	if (description && *description)
		cJSON_AddStringToObject(schema, "description", description);
	return schema;
}

static void add_property(cJSON *properties, const char *name,
			 const char *description)
{
	if (!json_member(properties, name))
		cJSON_AddItemToObject(properties, name,
				      string_schema(description));
}

static void add_arguments(cJSON *properties, cJSON *required,
			  const cJSON *prompt)
{
	const cJSON *argument;

	cJSON_ArrayForEach(argument, json_array(prompt, "arguments")) {
		const char *name = json_string(argument, "name");

		if (!name || json_member(properties, name))
			continue;
		add_property(properties, name,
			     json_string(argument, "description"));
		if (json_true(argument, "required"))
			cJSON_AddItemToArray(required,
					     cJSON_CreateString(name));
	}
}

/* "a,b*,c:3" of one expression (RFC 6570), its operator taken off. */
static void add_expression(cJSON *properties, const char *text, size_t len)
{
	if (len > 0 && strchr("+#./;?&", *text)) {
		text++;
		len--;
	}
	while (len > 0) {
		const char *comma = memchr(text, ',', len);
		size_t part = comma ? (size_t)(comma - text) : len;
		CLEANUP(mem_free_ptr) char *name = mem_strndup(text, part);

		name[strcspn(name, "*:")] = '\0';
		if (*name)
			add_property(properties, name, NULL);
		part += comma ? 1 : 0;
		text += part;
		len -= part;
	}
}

static void add_parts(cJSON *properties, const char *template)
{
	const char *open = template, *close;

	while ((open = strchr(open, '{')) != NULL &&
	       (close = strchr(open, '}')) != NULL) {
		add_expression(properties, open + 1,
			       (size_t)(close - open - 1));
		open = close + 1;
	}
}

cJSON *item_schema(enum list_kind kind, const struct list_item *item)
{
	cJSON *schema = cJSON_CreateObject();
	cJSON *properties, *required;

	cJSON_AddStringToObject(schema, "type", "object");
	if (!item) {
		cJSON_AddItemToObject(schema, "additionalProperties",
				      string_schema(NULL));
		return schema;
	}
	properties = cJSON_AddObjectToObject(schema, "properties");
	required = cJSON_AddArrayToObject(schema, "required");
	if (kind == LIST_PROMPTS)
		add_arguments(properties, required, item->json);
	if (kind == LIST_TEMPLATES)
		add_parts(properties, item->key);
	cJSON_AddFalseToObject(schema, "additionalProperties");
	return schema;
}

void item_as_tool(struct buf *out, enum list_kind kind,
		  const struct list_item *item)
{
	CLEANUP(json_free_ptr) cJSON *schema = item_schema(kind, item);
	const char *brief = item->description;

	if (!brief || !*brief)
		brief = item->title ? item->title : item->name;
	buf_text(out, "{\"name\":");
	buf_json_string(out, item->key, strlen(item->key));
	json_add_text(out, "description", brief);
	buf_text(out, ",\"inputSchema\":");
	json_print(out, schema);
	buf_char(out, '}');
}

/*
 * The list of tools behind call and describe. It never shows them.
 */

void tools_cache_drop(struct connection *c)
{
	tool_list_done(&c->tools);
	c->has_tools = false;
}

/* Yours; "": nothing is kept. */
static char *key_of(const struct connection *c)
{
	const struct endpoint *e = &c->endpoint;
	bool attached = e->scheme && e->scheme->kind == SCHEME_ATTACH;
	const struct peer_kept *kept =
		attached ? session_peer(c->session)->kept : NULL;

	return kept ? target_key(e->text, kept->id) :
		      target_choice_key(e->text, attached ? NULL : e->device);
}

/* For completion and --cached. That it fails is no failure of the command. */
static void keep_list(struct connection *c)
{
	CLEANUP(mem_free_ptr) char *key = key_of(c);
	CLEANUP(error_reset) struct error why = { 0 };

	if (*key && schema_cache_write(key, &c->tools, &why) != 0 &&
	    c->app->out.verbose)
		render_note(&c->app->out, "%s", why.text);
	if (*key && why.kind == ERR_NONE && c->client.modern)
		fresh_list_keep(c, key);
}

/* What the server said may be used without asking. */
static void take_fresh(struct connection *c)
{
	CLEANUP(mem_free_ptr) char *key = key_of(c);

	if (c->has_tools || !*key || !fresh_list_take(c, key))
		return;
	c->has_tools = true;
	c->client.tools_kept = true;
}

int tools_cache_refresh(struct connection *c, struct error *err)
{
	tools_cache_drop(c);
	c->client.tools_kept = false;
	if (client_list_tools(&c->client, false, &c->tools, err))
		return -1;
	c->has_tools = true;
	keep_list(c);
	return 0;
}

void tools_cache_take(struct connection *c, const struct tool_list *list)
{
	tools_cache_drop(c);
	c->tools = *list;
	c->has_tools = true;
	client_know_tools(&c->client, list);
	keep_list(c);
}

static int no_such_tool(const struct connection *c, const char *name,
			struct error *err)
{
	const char *nearest = tool_list_nearest(&c->tools, name);
	CLEANUP(buf_done) struct buf hidden = { 0 };

	requests_hidden(c, &hidden);
	error_set(err, ERR_USAGE, "no tool '%s'", name);
	if (nearest)
		return error_hint(err,
				  "did you mean '%s'? 'tools' lists them all%s",
				  nearest, buf_string(&hidden));
	return error_hint(
		err,
		"the peer has %zu tools: 'tools' lists them; 'call --no-validate' sends the name all the same%s",
		c->tools.count, buf_string(&hidden));
}

struct asked {
	struct connection *connection;
	bool answered, kept;
};

/* As if it had come alone on a page. */
static void keep_tool(void *owner, const char *tool, size_t len,
		      const char *nearest, const char *broke)
{
	struct asked *asked = owner;
	(void)nearest;
	(void)broke;
	asked->answered = true;
	session_wake(asked->connection->session);
	if (!tool)
		return;
	asked->kept = tool_list_add_text(&asked->connection->tools, tool, len,
					 NULL) == 0 &&
		      asked->connection->tools.count == 1;
}

/*
 * A serve has listed the tools long ago: one question to it instead of all
 * pages from the device. False: it does not know the tool, or err is set.
 */
static bool ask_serve(struct connection *c, const char *name, struct error *err)
{
	struct transport *t = session_transport(c->session);
	struct asked asked = { .connection = c };

	if (t->ops != &attach_ops)
		return false;
	tools_cache_drop(c);
	if (attach_ask_tool(t, name, keep_tool, &asked, err))
		return false;
	session_watch(c->session, &asked.answered, serve_deadline(c->app), err);
	attach_ask_tool(t, NULL, NULL, NULL, NULL);
	if (asked.kept)
		client_know_tools(&c->client, &c->tools);
	return asked.kept;
}

/* The peer may have changed its tools since they were kept. */
static int look_up(struct connection *c, const char *name, bool reads,
		   const struct tool **out, struct error *err)
{
	int (*of_list)(const struct tool_list *l, const char *word,
		       const struct tool **out, struct error *err) =
		reads ? tool_list_named : tool_list_meant;
	CLEANUP(error_reset) struct error unclear = { 0 };
	int status = 0;

	*out = NULL;
	take_fresh(c);
	if (c->has_tools)
		status = of_list(&c->tools, name, out, err);
	if (status == 0 && !*out && ask_serve(c, name, err))
		*out = &c->tools.tool[0];
	if (*out)
		return 0;
	if (err->kind != ERR_NONE)
		return -1;
	status = tools_cache_refresh(c, err);
	if (of_list(&c->tools, name, out, &unclear) == 0 || status != 0)
		return status;
	error_copy(err, &unclear);
	return -1;
}

int tools_cache_find(struct connection *c, const char *name, bool reads,
		     const struct tool **out, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int status = look_up(c, name, reads, out, &why);
	if (*out && status != 0)
		render_note(
			&c->app->out,
			"the list of tools is incomplete (%s), but has '%s'",
			why.text, name);
	if (*out)
		return 0;
	if (status == 0)
		return no_such_tool(c, name, err);
	error_copy(err, &why);
	if (why.kind == ERR_USAGE)
		return -1;
	error_prefix(err, "the tools could not be listed");
	if (!err->hint[0])
		error_hint(err, "'call --no-validate' needs no list");
	return -1;
}

/*
 * Which kept list is meant, and its lines as tools. A running serve is only
 * asked who is connected.
 */

enum { PATIENCE_MS = 1000 };

/* ---- which one ---- */

/* The devices that fit -d: the id of the first, and how many there are. */
struct fitting {
	char *first;
	size_t count;
};

static void take_device(void *owner, struct control_answer *a)
{
	const cJSON *device = json_object(a->json, "device");
	struct fitting *f = owner;

	if (device && f->count++ == 0)
		f->first = mem_strdup(json_string(device, "id"));
}

static int several(const struct app *app, size_t count, struct error *err)
{
	if (app->config.device)
		error_set(err, ERR_USAGE, "%zu devices fit '%s'", count,
			  app->config.device);
	else
		error_set(err, ERR_USAGE, "there are %zu devices: which one?",
			  count);
	return error_hint(
		err, "name one with -d/--device ('mcpctl devices' lists them)");
}

/* *id stays NULL if no serve answers, or has no such device. */
static int running_device(struct connection *c, char **id, struct error *err)
{
	const struct serve_question q = { .op = "devices",
					  .device = c->app->config.device };
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct fitting found = { 0 };
	bool exists = false;

	if (c->connected) {
		const struct peer_kept *kept = session_peer(c->session)->kept;

		*id = kept ? mem_strdup(kept->id) : NULL;
		return 0;
	}
	if (serve_target_path(c->app, &path, NULL) != 0 ||
	    control_path_check(path, &exists, NULL) != 0 || !exists)
		return 0;
	if (serve_ask(c->app, &q, loop_now() + PATIENCE_MS, take_device, &found,
		      NULL) == 0)
		*id = TAKE(found.first);
	mem_free(found.first);
	return found.count > 1 ? several(c->app, found.count, err) : 0;
}

static int key_of_serve(struct connection *c, char **key, struct error *err)
{
	CLEANUP(aliases_done) struct aliases known = { 0 };
	CLEANUP(mem_free_ptr) char *id = NULL;

	if (running_device(c, &id, err))
		return -1;
	/* A broken file is as good as none. */
	if (!id && c->app->config.device) {
		aliases_read(&known, NULL, NULL);
		id = aliases_device(&known, c->app->config.device);
	}
	*key = id ? target_key(NULL, id) : schema_cache_newest();
	if (*key)
		return 0;
	error_set(err, ERR_UNMET,
		  "no list of tools is kept of a device of 'mcpctl serve'");
	return error_hint(
		err,
		"name the target whose list is meant (mcpctl help targets), or list the tools once: mcpctl tools");
}

static int find_key(struct connection *c, char **key, struct error *err)
{
	CLEANUP(endpoint_done) struct endpoint e = { 0 };

	if (!c->app->config.target)
		return key_of_serve(c, key, err);
	if (setup_target(&e, c->app, err) ||
	    serve_target_options(c->app, &e, err))
		return -1;
	if (e.scheme->kind == SCHEME_ATTACH)
		return key_of_serve(c, key, err);
	*key = target_choice_key(e.text, e.device);
	return 0;
}

/* ---- as tools ---- */

static int hint_list(const struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	CLEANUP(buf_done) struct buf target = { 0 };

	if (!app->found_serve)
		target_words(&target, c->target, c->config_file);
	return error_hint(err, "list them once, and it is kept: mcpctl %stools",
			  buf_string(&target));
}

int kept_list_open(struct kept_list *out, struct connection *c,
		   struct error *err)
{
	CLEANUP(schema_cache_close) struct schema_cache file = { 0 };
	CLEANUP(mem_free_ptr) char *key = NULL;

	*out = (struct kept_list){ 0 };
	if (find_key(c, &key, err))
		return -1;
	if (schema_cache_open(&file, key, err))
		return hint_list(c->app, err);
	if (schema_cache_tools(&out->tools, &file) != 0) {
		kept_list_done(out);
		error_set(err, ERR_UNMET, "the kept list of '%s' is damaged",
			  key);
		return hint_list(c->app, err);
	}
	out->from = TAKE(key);
	out->age = time(NULL) - file.time;
	return 0;
}

void kept_list_done(struct kept_list *k)
{
	tool_list_done(&k->tools);
	mem_free(k->from);
	*k = (struct kept_list){ 0 };
}

/* Reading a saved list. Its tools are decoded as those of a peer are. */

struct saved {
	const char *path; /* as it is named in errors */
	struct buf tools; /* so far, commas between them */
	size_t line; /* from 1; 0: the whole text is one value */
};

static int bad(const struct saved *s, const char *what, struct error *err)
{
	if (s->line > 0)
		error_set(err, ERR_USAGE, "line %zu of '%s': %s", s->line,
			  s->path, what);
	else
		error_set(err, ERR_USAGE, "'%s': %s", s->path, what);
	return error_hint(
		err,
		"expected is what 'mcpctl -o json tools' prints, a tool a line; or a JSON array of tools, or a result of tools/list");
}

static bool is_tool(const cJSON *value)
{
	return cJSON_IsObject(value) && json_string(value, "name");
}

static void add_tool_list(struct saved *s, struct span text)
{
	if (s->tools.len > 0)
		buf_char(&s->tools, ',');
	buf_add(&s->tools, text.text, text.len);
}

static int bad_element(const struct saved *s, size_t number, struct error *err)
{
	char what[128];

	snprintf(
		what, sizeof(what),
		"element %zu of the list is no tool, which is an object with a name",
		number);
	return bad(s, what, err);
}

static int add_array(struct saved *s, const cJSON *array, struct span text,
		     struct error *err)
{
	const cJSON *tool;
	struct span element;
	size_t at = 0, number = 0;

	cJSON_ArrayForEach(tool, array) {
		number++;
		if (!is_tool(tool) || !json_span_next(text, &at, &element))
			return bad_element(s, number, err);
		add_tool_list(s, element);
	}
	return 0;
}

static int add_value(struct saved *s, const cJSON *value, struct span text,
		     struct error *err)
{
	const cJSON *inner = value;

	if (is_tool(value)) {
		add_tool_list(s, text);
		return 0;
	}
	if (json_object(inner, "result") &&
	    json_span_member(text, "result", &text))
		inner = json_object(inner, "result");
	if (json_array(inner, "tools") &&
	    json_span_member(text, "tools", &text))
		inner = json_array(inner, "tools");
	if (cJSON_IsArray(inner))
		return add_array(s, inner, text, err);
	return bad(s,
		   cJSON_IsObject(value) ?
			   "the object has neither a name nor tools" :
			   "this is no tool, but another kind of JSON",
		   err);
}

static bool is_blank(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!text_is_space(s.text[i]))
			return false;
	}
	return true;
}

/* The line that begins at *at; *at moves behind it. */
static struct span next_line(struct span text, size_t *at)
{
	const char *start = text.text + *at;
	const char *end = memchr(start, '\n', text.len - *at);
	size_t len = end ? (size_t)(end - start) : text.len - *at;

	*at += len + (end != NULL);
	return (struct span){ start, len };
}

static int add_lines(struct saved *s, struct span text, struct error *err)
{
	size_t at = 0;

	while (at < text.len) {
		struct span line = next_line(text, &at);
		CLEANUP(error_reset) struct error why = { 0 };
		CLEANUP(json_free_ptr) cJSON *value = NULL;

		s->line++;
		if (is_blank(line))
			continue;
		value = json_parse(line.text, line.len, &why);
		if (!value)
			return bad(s, why.text, err);
		if (add_value(s, value, line, err))
			return -1;
	}
	return 0;
}

/* Does a value end with its first line that is not blank? */
static bool is_lines(struct span text)
{
	struct span line = { 0 };
	size_t at = 0;

	while (at < text.len && is_blank(line))
		line = next_line(text, &at);
	return json_check(line.text, line.len, NULL) == 0;
}

static int add_text(struct saved *s, struct span text, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(json_free_ptr) cJSON *value = NULL;

	if (text.len > 0)
		value = json_parse(text.text, text.len, &why);
	if (value)
		return add_value(s, value, text, err);
	if (is_blank(text))
		return bad(s, "there is nothing in it", err);
	if (is_lines(text) || text.text[strspn(text.text, " \t\r\n")] != '[')
		return add_lines(s, text, err);
	return bad(s, why.text, err);
}

int saved_list_read(struct tool_list *out, struct app *app, const char *path,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct saved s = { .path = strcmp(path, "-") == 0 ? "stdin" : path };
	int status = operand_file(app, path, &text, err);

	*out = (struct tool_list){ 0 };
	if (status == 0)
		status = add_text(
			&s, (struct span){ buf_string(&text), text.len }, err);
	if (status == 0)
		status = tool_list_add_text(out, buf_string(&s.tools),
					    s.tools.len, err);
	buf_done(&s.tools);
	return status;
}
