/* SPDX-License-Identifier: MIT */
/*
 * Where completion finds tools, items and devices: the session, a running
 * serve, a kept listing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/catalog.h"
#include "cli/catalog_file.h"
#include "cli/cmd_items.h"
#include "cli/connection.h"
#include "cli/named.h"
#include "cli/schema_cache.h"
#include "cli/target_text.h"
#include "mcp/name_set.h"
#include "mcp/tools.h"
#include "net/control_client.h"
#include "serve/aliases.h"

/* A running serve; the rest zeroed at first, connected when it is asked. */
struct source_serve {
	const char *socket, *device; /* lent; NULL */
	int64_t ms; /* for all that it is asked */
	bool tried; /* to connect */
	struct loop *loop; /* of its own: the shell asks from inside its own */
	struct control_line *line; /* NULL: none answers (any more) */
	int64_t deadline; /* for all that is asked */
	struct control_answer names; /* the last one, and for which prefix */
	char *prefix;
	struct words lists; /* which lists the answer is from */
};

/*
 * Tools of a listing that was kept.
 */

#define LISTEN "listen:"
#define BROKER "mcp+mqtt"

/* True if it is there. */
static bool open_key(struct schema_cache *c, const char *key)
{
	return key && schema_cache_open(c, key, NULL) == 0;
}

/* At a broker -d chooses; elsewhere it is none of the target's. */
static bool open_target(struct schema_cache *c, const char *target,
			const char *device)
{
	CLEANUP(mem_free_ptr) char *key = target_choice_key(target, device);
	CLEANUP(mem_free_ptr) char *all = target_key(target, NULL);

	return open_key(c, key) || open_key(c, all) ||
	       (text_starts(target, LISTEN) && open_key(c, LISTEN));
}

/* The kept listings. */
static bool source_cache_open(struct schema_cache *c, const char *target,
			      const char *device, const struct aliases *aliases)
{
	CLEANUP(mem_free_ptr) char *key = NULL;
	CLEANUP(mem_free_ptr) char *id = NULL;

	if (target)
		return open_target(c, target, device);
	if (device && *device) {
		id = aliases_device(aliases, device);
		key = target_key(NULL, id);
		if (open_key(c, key))
			return true;
		mem_free(key);
	}
	key = schema_cache_newest();
	return open_key(c, key);
}

static bool begins(struct span text, const char *prefix, size_t len)
{
	return text.len >= len && memcmp(text.text, prefix, len) == 0;
}

static void source_cache_tools(struct schema_cache *c, const char *prefix,
			       schema_each *each, void *to)
{
	size_t len = strlen(prefix);
	CLEANUP(buf_done) struct buf word = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct span name, brief, json;

	for (size_t i = schema_cache_find(c, prefix);
	     schema_cache_tool(c, i, &name, &brief, &json) &&
	     begins(name, prefix, len);
	     i++) {
		buf_reset(&word);
		buf_reset(&text);
		buf_add(&word, name.text, name.len);
		buf_add(&text, brief.text, brief.len);
		each(to, buf_string(&word), buf_string(&text));
	}
}

static bool source_cache_tool(struct schema_cache *c, const char *name,
			      struct buf *out)
{
	struct span found, brief, json;
	size_t len = strlen(name), i = schema_cache_find(c, name);

	if (!schema_cache_tool(c, i, &found, &brief, &json) ||
	    found.len != len || memcmp(found.text, name, len) != 0)
		return false;
	buf_add(out, json.text, json.len);
	return true;
}

/*
 * Tools and devices that a running serve tells (wire/control_frames.h).
 */

static void hang_up(struct source_serve *s)
{
	control_line_close(TAKE(s->line));
	loop_free(TAKE(s->loop));
}

static void source_serve_done(struct source_serve *s)
{
	hang_up(s);
	control_answer_done(&s->names);
	mem_free(s->prefix);
	words_done(&s->lists);
	*s = (struct source_serve){ 0 };
}

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	(void)owner;
	return greeting_check(g, err);
}

/* Only where there is a socket of ours. */
static void dial(struct source_serve *s)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	bool exists = false;

	s->tried = true;
	s->deadline = loop_now() + s->ms;
	if (control_path(&path, s->socket, false, NULL) == 0 &&
	    control_path_check(path, &exists, NULL) == 0 && exists &&
	    loop_new_aside(&s->loop, NULL) == 0 &&
	    control_line_open(&s->line, s->loop, path, on_greeted, NULL,
			      NULL) == 0)
		control_line_bare(s->line);
}

/* Who did not answer in time is not asked again, nor who answers nonsense. */
static bool is_lost(const struct error *why)
{
	return why->kind == ERR_TIMEOUT || why->kind == ERR_INTERRUPTED ||
	       why->kind == ERR_PROTOCOL;
}

/* What it refuses says nothing of the rest. */
static bool ask(struct source_serve *s, const struct serve_question *q,
		void (*each)(void *owner, struct control_answer *a),
		void *owner)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (!s->tried)
		dial(s);
	if (!s->line)
		return false;
	if (control_line_ask(s->line, q, s->deadline, each, owner, &why) == 0)
		return true;
	if (is_lost(&why))
		hang_up(s);
	return false;
}

/* ---- tools ---- */

static void keep_lists(struct source_serve *s)
{
	struct span lists = control_answer_member(&s->names, "lists"), one;
	size_t at = 0;

	words_done(&s->lists);
	while (json_span_next(lists, &at, &one)) {
		CLEANUP(mem_free_ptr) char *id = json_span_string(one);

		if (id)
			words_add(&s->lists, id);
	}
}

/* Ask for names; false: nothing is listed there. */
static bool source_serve_has(struct source_serve *s, const char *prefix)
{
	const struct serve_question q = { .op = "names",
					  .device = s->device,
					  .prefix = prefix };

	if (!s->prefix || strcmp(s->prefix, prefix) != 0) {
		mem_free(s->prefix);
		s->prefix = mem_strdup(prefix);
		control_answer_done(&s->names);
		ask(s, &q, control_answer_take, &s->names);
		keep_lists(s);
	}
	return s->lists.count > 0;
}

/* What was asked last. */
static void source_serve_tools(struct source_serve *s, schema_each *each,
			       void *to)
{
	struct span tools = control_answer_member(&s->names, "tools");
	struct span row, part;
	size_t at = 0;

	while (json_span_next(tools, &at, &row)) {
		CLEANUP(mem_free_ptr) char *name = NULL;
		CLEANUP(mem_free_ptr) char *brief = NULL;
		size_t inside = 0;

		if (json_span_next(row, &inside, &part))
			name = json_span_string(part);
		if (name && json_span_next(row, &inside, &part))
			brief = json_span_string(part);
		if (name)
			each(to, name, brief ? brief : "");
	}
}

static bool source_serve_tool(struct source_serve *s, const char *name,
			      struct buf *out)
{
	for (size_t i = 0; i < s->lists.count; i++) {
		const struct serve_question q = { .op = "tool",
						  .name = name,
						  .list = s->lists.word[i] };
		CLEANUP(control_answer_done)
		struct control_answer answer = { 0 };
		struct span tool;

		if (!ask(s, &q, control_answer_take, &answer))
			continue;
		tool = control_answer_member(&answer, "tool");
		buf_add(out, tool.text, tool.len);
		if (tool.len > 0)
			return true;
	}
	return false;
}

/* ---- devices ---- */

static void add_part(struct buf *out, const char *text)
{
	if (text && *text)
		buf_printf(out, "%s%s", out->len ? ", " : "", text);
}

static bool begins_alike(const char *text, const char *prefix)
{
	return text && *text && strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* Where the devices are told, and how they begin. */
struct device_telling {
	const char *prefix;
	schema_each *each;
	void *to;
	bool held; /* those alone that are kept open */
};

/* As -d takes it: without case, but the word that is typed stays. */
static void tell_device(void *owner, struct control_answer *a)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(a->text, a->len, NULL);
	const struct device_telling *t = owner;
	const cJSON *device = json_object(json, "device");
	const char *id = json_string(device, "id");
	const char *alias = json_string(device, "alias");
	CLEANUP(buf_done) struct buf brief = { 0 };
	CLEANUP(buf_done) struct buf named = { 0 };
	const char *version = json_string(device, "version");

	add_part(&brief, json_string(device, "board"));
	if (version && *version && brief.len)
		buf_printf(&brief, " %s", version);
	add_part(&brief, json_string(device, "state"));
	if (t->held && !json_object(device, "held"))
		return;
	if (begins_alike(alias, t->prefix)) {
		add_part(&named, id);
		add_part(&named, buf_string(&brief));
		t->each(t->to, alias, buf_string(&named));
	}
	if (begins_alike(id, t->prefix)) {
		buf_reset(&named);
		add_part(&named, alias);
		add_part(&named, buf_string(&brief));
		t->each(t->to, id, buf_string(&named));
	}
}

/* A glob keeps the answer short; what is one itself is not made one. */
static void source_serve_devices(struct source_serve *s, const char *prefix,
				 bool held, schema_each *each, void *to)
{
	struct device_telling t = { prefix, each, to, held };
	CLEANUP(mem_free_ptr) char *pattern = mem_printf("%s*", prefix);
	bool glob = text_has_glob(prefix) || strchr(prefix, '\\');
	const struct serve_question q = { .op = "devices",
					  .device = *prefix && !glob ? pattern :
								       NULL };

	ask(s, &q, tell_device, &t);
}

/* ---- the session of the shell, where it has listed what is asked for ---- */

static bool has_tools(const struct connection *c)
{
	return c && c->has_tools && session_is_open(c->session);
}

static bool has_items(const struct connection *c, enum list_kind kind)
{
	return c && c->has_items[kind] && session_is_open(c->session);
}

static void session_tools(const struct connection *c, const char *prefix,
			  schema_each *each, void *to)
{
	const struct tool_list *list = &c->tools;
	CLEANUP(mem_free_ptr)
	const struct tool **sorted =
		mem_alloc((list->count + 1) * sizeof(struct tool *));
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (text_starts(list->tool[i].name, prefix))
			sorted[count++] = &list->tool[i];
	}
	qsort(sorted, count, sizeof(struct tool *), tool_by_name);
	for (size_t i = 0; i < count; i++)
		each(to, sorted[i]->name, sorted[i]->description);
}

static bool session_tool(const struct connection *c, const char *name,
			 struct buf *out)
{
	const struct tool *tool = tool_list_find(&c->tools, name);
	struct span text;

	if (!tool)
		return false;
	text = tool_text(tool);
	buf_add(out, text.text, text.len);
	return true;
}

static void session_items(const struct connection *c, enum list_kind kind,
			  const char *prefix, schema_each *each, void *to)
{
	const struct page_list *list = &c->items[kind];

	for (size_t i = 0; i < list->count; i++) {
		const struct list_item *item = &list->item[i];
		const char *brief =
			item->description ? item->description : item->name;

		if (text_starts(item->key, prefix))
			each(to, item->key, brief ? brief : "");
	}
}

static bool session_item(const struct connection *c, enum list_kind kind,
			 const char *key, struct buf *out)
{
	const struct list_item *item = page_list_find(&c->items[kind], key);

	if (item)
		item_as_tool(out, kind, item);
	return item != NULL;
}

/*
 * Which place is asked: the serve that runs, or a kept listing. Found out at
 * the first question, and so it stays.
 */

#define ATTACH "attach:"

enum place { PLACE_UNDECIDED, PLACE_SERVE, PLACE_CACHE, PLACE_NONE };

struct places {
	const struct connection
		*connection; /* its session goes before all; NULL: none */
	char *target, *device, *socket; /* target NULL: what serve holds */
	enum place place;
	struct source_serve serve;
	struct schema_cache cache;
	bool has_aliases;
	struct aliases aliases;
};

/* As they are in the configuration; a broken file is as good as none. */
static const struct aliases *aliases_of(struct places *p)
{
	if (!p->has_aliases)
		aliases_read(&p->aliases, NULL, NULL);
	p->has_aliases = true;
	return &p->aliases;
}

/* prefix: what will be asked next, so that it is asked only once. */
static enum place decide(struct places *p, const char *prefix)
{
	if (p->place != PLACE_UNDECIDED)
		return p->place;
	if (!p->target && source_serve_has(&p->serve, prefix))
		p->place = PLACE_SERVE;
	else if (source_cache_open(&p->cache, p->target, p->device,
				   aliases_of(p)))
		p->place = PLACE_CACHE;
	else
		p->place = PLACE_NONE;
	return p->place;
}

static void each_tool(void *owner, const char *prefix, schema_each *each,
		      void *to)
{
	struct places *p = owner;
	enum place place;

	if (has_tools(p->connection)) {
		session_tools(p->connection, prefix, each, to);
		return;
	}
	place = decide(p, prefix);
	if (place == PLACE_SERVE && source_serve_has(&p->serve, prefix))
		source_serve_tools(&p->serve, each, to);
	else if (place == PLACE_CACHE)
		source_cache_tools(&p->cache, prefix, each, to);
}

static bool find_tool(void *owner, const char *name, struct buf *out)
{
	struct places *p = owner;
	enum place place;

	if (has_tools(p->connection))
		return session_tool(p->connection, name, out);
	place = decide(p, name);
	if (place == PLACE_SERVE)
		return source_serve_tool(&p->serve, name, out);
	return place == PLACE_CACHE && source_cache_tool(&p->cache, name, out);
}

static bool open_items(struct schema_cache *c, const struct places *p,
		       enum list_kind kind)
{
	CLEANUP(mem_free_ptr) char *key = NULL;

	if (!p->target)
		return false;
	key = items_cache_key(p->target, kind);
	return *key && schema_cache_open(c, key, NULL) == 0;
}

static bool each_item(void *owner, enum list_kind kind, const char *prefix,
		      schema_each *each, void *to)
{
	CLEANUP(schema_cache_close) struct schema_cache cache = { 0 };
	const struct places *p = owner;

	if (has_items(p->connection, kind)) {
		session_items(p->connection, kind, prefix, each, to);
		return true;
	}
	if (!open_items(&cache, p, kind))
		return false;
	source_cache_tools(&cache, prefix, each, to);
	return true;
}

static bool find_item(void *owner, enum list_kind kind, const char *key,
		      struct buf *out)
{
	CLEANUP(schema_cache_close) struct schema_cache cache = { 0 };
	const struct places *p = owner;

	if (has_items(p->connection, kind))
		return session_item(p->connection, kind, key, out);
	return open_items(&cache, p, kind) &&
	       source_cache_tool(&cache, key, out);
}

static bool is_known(void *owner)
{
	struct places *p = owner;

	if (has_tools(p->connection))
		return true;
	if (p->place == PLACE_UNDECIDED)
		decide(p, "");
	return p->place != PLACE_NONE;
}

struct list_telling {
	schema_each *each;
	void *to;
	struct name_set told;
};

static void tell(void *owner, const char *name, const char *brief)
{
	struct list_telling *t = owner;

	if (name_set_add(&t->told, name, 0) == NAME_NONE)
		t->each(t->to, name, brief);
}

static void each_device(void *owner, const char *prefix, schema_each *each,
			void *to)
{
	struct places *p = owner;
	const struct aliases *a = aliases_of(p);
	struct list_telling t = { .each = each, .to = to };

	/* Who is at a broker is not asked for a word. */
	if (p->target && text_starts(p->target, BROKER))
		return;
	source_serve_devices(&p->serve, prefix, false, tell, &t);
	for (size_t i = 0; i < a->count; i++) {
		if (begins_alike(a->item[i].name, prefix))
			tell(&t, a->item[i].name, a->item[i].id);
	}
	name_set_done(&t.told);
}

static void each_held(void *owner, const char *prefix, schema_each *each,
		      void *to)
{
	struct places *p = owner;

	source_serve_devices(&p->serve, prefix, true, each, to);
}

static void release(void *owner)
{
	struct places *p = owner;

	source_serve_done(&p->serve);
	schema_cache_close(&p->cache);
	aliases_done(&p->aliases);
	mem_free(p->target);
	mem_free(p->device);
	mem_free(p->socket);
	mem_free(p);
}

void schema_source_open(struct schema_source *out, const char *target,
			const char *device, const char *socket,
			int64_t serve_ms)
{
	struct places *p = mem_zalloc(sizeof(*p));

	if (target && text_starts(target, ATTACH)) {
		if (target[strlen(ATTACH)])
			socket = target + strlen(ATTACH);
		target = NULL;
	}
	p->target = mem_strdup(target);
	p->device = mem_strdup(device);
	p->socket = mem_strdup(socket);
	p->serve.socket = p->socket;
	p->serve.device = p->device;
	p->serve.ms = serve_ms;
	*out = (struct schema_source){ .tools = each_tool,
				       .tool = find_tool,
				       .devices = each_device,
				       .held = each_held,
				       .items = each_item,
				       .item = find_item,
				       .known = is_known,
				       .release = release,
				       .owner = p };
}

void schema_source_close(struct schema_source *s)
{
	if (s->release)
		s->release(s->owner);
	*s = (struct schema_source){ 0 };
}

void schema_source_session(struct schema_source *out,
			   struct connection *connection)
{
	const struct config *c = &connection->app->config;
	const struct named_search search = { .config_file = c->config_file,
					     .trust = c->trust };
	CLEANUP(mem_free_ptr)
	char *target = named_target_text(c->target, &search);
	struct places *p;

	schema_source_open(out, target, c->device, c->socket, SCHEMA_SOURCE_MS);
	p = out->owner;
	p->connection = connection;
}
