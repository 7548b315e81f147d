/* SPDX-License-Identifier: MIT */
/* Listings that are kept in files, and the lists behind commands. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "cli/catalog_file.h"
#include "cli/config.h"
#include "cli/operand.h"
#include "cli/requests.h"
#include "cli/serve_client.h"
#include "cli/setup.h"
#include "cli/target_text.h"
#include "mcp/tools.h"
#include "mcp/types.h"
#include "net/attach.h"
#include "net/control_client.h"
#include "net/head.h"
#include "out/wrap.h"
#include "serve/aliases.h"

/*
 * The lines of a kept listing. Whatever is read here may have been cut,
 * written by another version, or be no such file at all.
 */

#define MAGIC "mcpctl-tools 1 "
#define HEAD_MAX 65536 /* a target of escapes only */
#define BRIEF_MAX 400 /* bytes */

/* ---- writing ---- */

/* The first line; bytes: the size of the others. */
static void schema_lines_head(struct buf *out, int64_t time, size_t bytes,
			      const char *target)
{
	buf_printf(out, MAGIC "%" PRId64 " %zu %s\n", time, bytes, target);
}

/* Shown as it is, it does nothing to a terminal, nor to the lines here. */
static bool is_fit(const char *name)
{
	return *name && text_is_safe(name, strlen(name));
}

/* No character is cut. */
static void add_brief(struct buf *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	CLEANUP(mem_free_ptr) char *line = NULL;
	const char *start;
	size_t len = wrap_first(t->description, &start);

	if (len == 0 && t->title)
		len = wrap_first(t->title, &start);
	line = mem_strndup(start, len < BRIEF_MAX ? len : BRIEF_MAX);
	len = strlen(line);
	while (len > 0 && !text_is_utf8(line, len) &&
	       ((unsigned char)line[len - 1] & 0x80))
		len--;
	for (size_t i = 0; i < len; i++)
		if (line[i] == '\t')
			line[i] = ' ';
	text_safe(&safe, line, len, TEXT_LINE);
	buf_add(out, buf_string(&safe), safe.len);
}

static void add_tool(struct buf *out, const struct tool *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct span json = tool_text(t);

	buf_text(&line, t->name);
	buf_char(&line, '\t');
	add_brief(&line, t);
	buf_char(&line, '\t');
	if (json.len > 0)
		json_minify(&line, json.text, json.len);
	else
		json_print(&line, t->json);
	buf_char(&line, '\n');
	buf_add(out, line.data, line.len);
}

/* The others. out->full: they are more than it takes. */
static void schema_lines_write(struct buf *out, const struct tool_list *list)
{
	const struct tool **sorted =
		mem_alloc((list->count + 1) * sizeof(struct tool *));
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (is_fit(list->tool[i].name))
			sorted[count++] = &list->tool[i];
	}
	qsort(sorted, count, sizeof(struct tool *), tool_by_name);
	for (size_t i = 0; i < count && !out->full; i++)
		add_tool(out, sorted[i]);
	mem_free(sorted);
}

/* ---- reading ---- */

/* The digits at *at and the space behind them; *at moves on. */
static int take_number(char **at, int64_t *out)
{
	char *start = *at, *space = strchr(start, ' ');

	if (!space)
		return -1;
	*space = '\0';
	*at = space + 1;
	return text_integer(start, 0, INT64_MAX, out);
}

/* Where the first tool begins; 0: it is no such file, or was cut. */
static size_t read_head(struct schema_cache *c)
{
	size_t max = c->size < HEAD_MAX ? c->size : HEAD_MAX;
	const char *end = memchr(c->map, '\n', max);
	size_t len = end ? (size_t)(end - c->map) : 0;
	CLEANUP(mem_free_ptr) char *head = NULL;
	int64_t bytes;
	char *at;

	if (!end || memchr(c->map, '\0', len))
		return 0;
	head = mem_strndup(c->map, len);
	if (!text_starts(head, MAGIC))
		return 0;
	at = head + strlen(MAGIC);
	if (take_number(&at, &c->time) || take_number(&at, &bytes) || !*at ||
	    (uint64_t)bytes != c->size - len - 1)
		return 0;
	c->target = mem_strdup(at);
	return len + 1;
}

/* The three parts of the line from..to, which has its line end. */
static bool split_line(const char *from, const char *to, struct span part[3])
{
	for (size_t i = 0; i < 3; i++) {
		char stop = i < 2 ? '\t' : '\n';
		const char *end = memchr(from, stop, (size_t)(to - from));

		if (!end)
			return false;
		part[i] = (struct span){ from, (size_t)(end - from) };
		from = end + 1;
	}
	return part[0].len > 0 && part[2].len > 1 && part[2].text[0] == '{' &&
	       part[2].text[part[2].len - 1] == '}';
}

static int compare(struct span a, const char *text, size_t len)
{
	int order = memcmp(a.text, text, a.len < len ? a.len : len);

	if (order != 0 || a.len == len)
		return order;
	return a.len < len ? -1 : 1;
}

int schema_lines_read(struct schema_cache *c)
{
	size_t at = read_head(c), capacity = 0;
	struct span before = { "", 0 }, part[3] = { 0 };

	if (at == 0)
		return -1;
	while (at < c->size) {
		const char *line = c->map + at;
		const char *end = memchr(line, '\n', c->size - at);

		if (!end || !split_line(line, end + 1, part) ||
		    compare(before, part[0].text, part[0].len) > 0)
			return -1;
		c->line = mem_grow(c->line, &capacity, c->count + 1,
				   sizeof(*c->line));
		c->line[c->count++] = at;
		at = (size_t)(end + 1 - c->map);
		c->line[c->count] = at;
		before = part[0];
	}
	return 0;
}

bool schema_cache_tool(const struct schema_cache *c, size_t i,
		       struct span *name, struct span *brief, struct span *json)
{
	struct span part[3];

	if (i >= c->count ||
	    !split_line(c->map + c->line[i], c->map + c->line[i + 1], part))
		return false;
	*name = part[0];
	*brief = part[1];
	*json = part[2];
	return true;
}

size_t schema_cache_find(const struct schema_cache *c, const char *prefix)
{
	size_t low = 0, high = c->count, len = strlen(prefix);
	struct span name = { "", 0 }, brief, json;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		schema_cache_tool(c, middle, &name, &brief, &json);
		if (compare(name, prefix, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The files of kept listings: named, written, opened. What stands in one is
 * trusted only as far as its lines go.
 */

#define LINES_MAX (SCHEMA_CACHE_MAX - (1U << 20))
#define ATTACH "attach:"
#define ATTACH_FILES "attach-"

/* ---- keys and places ---- */

/* NULL: there is no home folder. Yours. */
static char *cache_folder(void)
{
	return user_path(&user_cache, "tools");
}

/* The key stands in the file as well, so that a collision of hashes is seen. */
static char *file_of(const char *folder, const char *key)
{
	size_t scheme = strspn(key, "abcdefghijklmnopqrstuvwxyz");

	return mem_printf("%s/%.*s-%016" PRIx64, folder,
			  (int)(scheme < 16 ? scheme : 16), key,
			  text_hash(key, strlen(key)));
}

/* ---- writing ---- */

static int cannot_write(const char *path, struct error *err)
{
	int error = errno;

	error_set(err, ERR_OUTPUT, "the list of tools was not kept in '%s': %s",
		  path, strerror(error));
	return error_code(err, error);
}

int schema_cache_write(const char *key, const struct tool_list *list,
		       struct error *err)
{
	CLEANUP(mem_free_ptr) char *folder = cache_folder();
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf head = { 0 };
	CLEANUP(buf_done) struct buf lines = { 0 };

	if (!folder)
		return error_set(
			err, ERR_OUTPUT,
			"the list of tools was not kept: neither XDG_CACHE_HOME nor HOME names a folder");
	buf_init(&lines, LINES_MAX);
	schema_lines_write(&lines, list);
	if (lines.full)
		return error_set(
			err, ERR_OUTPUT,
			"the list of tools was not kept: it is too long");
	path = file_of(folder, key);
	if (user_path_make(&user_cache, path, err))
		return error_prefix(err, "the list of tools was not kept");
	schema_lines_head(&head, time(NULL), lines.len, key);
	buf_add(&head, lines.data, lines.len);
	return file_replace(path, 0600, head.data, head.len) ?
		       cannot_write(path, err) :
		       0;
}

/* ---- reading ---- */

static int none(const char *key, const char *what, struct error *err)
{
	error_set(err, ERR_UNMET, "%s of '%s'", what, key);
	return error_hint(err,
			  "'mcpctl tools' keeps one each time it lists them");
}

/* -1: no file of ours. */
static int map_file(struct schema_cache *c, const char *path)
{
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st);
	void *map = MAP_FAILED;

	if (fd < 0)
		return -1;
	if (st.st_uid == geteuid() && st.st_size > 0 &&
	    st.st_size <= SCHEMA_CACHE_MAX)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd,
			   0);
	close(fd);
	if (map == MAP_FAILED)
		return -1;
	c->memory = map;
	c->map = map;
	c->size = (size_t)st.st_size;
	return 0;
}

int schema_cache_open(struct schema_cache *out, const char *key,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *folder = cache_folder();
	CLEANUP(mem_free_ptr) char *path = NULL;

	*out = (struct schema_cache){ 0 };
	path = folder ? file_of(folder, key) : NULL;
	if (!path || (access(path, F_OK) != 0 && errno == ENOENT))
		return none(key, "no list of tools is kept", err);
	if (map_file(out, path) == 0 && schema_lines_read(out) == 0 &&
	    strcmp(out->target, key) == 0)
		return 0;
	schema_cache_close(out);
	return none(key, "there is no readable list of the tools", err);
}

void schema_cache_close(struct schema_cache *c)
{
	if (c->memory)
		munmap(c->memory, c->size);
	mem_free(c->line);
	mem_free(c->target);
	*c = (struct schema_cache){ 0 };
}

/* The key in a file; NULL. Yours. */
static char *key_in(const char *folder, const char *name)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/%s", folder, name);
	CLEANUP(schema_cache_close) struct schema_cache c = { 0 };

	if (map_file(&c, path) != 0 || schema_lines_read(&c) != 0 ||
	    !text_starts(c.target, ATTACH))
		return NULL;
	return TAKE(c.target);
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

char *schema_cache_newest(void)
{
	CLEANUP(mem_free_ptr) char *folder = cache_folder();
	DIR *dir = folder ? opendir(folder) : NULL;
	struct timespec newest = { 0 };
	const struct dirent *entry;
	char *key = NULL;

	while (dir && (entry = readdir(dir)) != NULL) {
		struct stat st;
		char *found;

		/* With a dot behind it: still being written. */
		if (!text_starts(entry->d_name, ATTACH_FILES) ||
		    strchr(entry->d_name, '.') ||
		    fstatat(dirfd(dir), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) != 0 ||
		    !is_newer(&st.st_mtim, &newest))
			continue;
		found = key_in(folder, entry->d_name);
		if (!found)
			continue;
		mem_free(key);
		key = found;
		newest = st.st_mtim;
	}
	if (dir)
		closedir(dir);
	return key;
}

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

/* For completion and --cached. That it fails is no failure of the command. */
static void keep_list(struct connection *c)
{
	const struct endpoint *e = &c->endpoint;
	bool attached = e->scheme && e->scheme->kind == SCHEME_ATTACH;
	const struct peer_kept *kept =
		attached ? session_peer(c->session)->kept : NULL;
	CLEANUP(mem_free_ptr)
	char *key = target_key(e->text, kept ? kept->id : NULL);
	CLEANUP(error_reset) struct error why = { 0 };

	if (*key && schema_cache_write(key, &c->tools, &why) != 0 &&
	    c->app->out.verbose)
		render_note(&c->app->out, "%s", why.text);
}

int tools_cache_refresh(struct connection *c, struct error *err)
{
	tools_cache_drop(c);
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
	*key = target_key(e.text, NULL);
	return 0;
}

/* ---- as tools ---- */

/* -1: one of them is no JSON. */
static int decode(struct tool_list *out, const struct schema_cache *c,
		  struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct span name, brief, json;

	for (size_t i = 0; schema_cache_tool(c, i, &name, &brief, &json); i++) {
		if (i > 0)
			buf_char(&text, ',');
		buf_add(&text, json.text, json.len);
	}
	return tool_list_add_text(out, buf_string(&text), text.len, err);
}

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
	if (decode(&out->tools, &file, NULL) != 0) {
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
		if (!memchr(" \t\r", s.text[i], 4))
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
