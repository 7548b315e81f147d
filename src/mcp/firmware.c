/* SPDX-License-Identifier: MIT */
/*
 * Requests are checked and answered here in the firmware's order and words
 * (device.md 3.2 to 3.8). Names of members match without case, as cJSON does
 * it for the firmware; values match with case.
 */
#include <string.h>

#include "base/mem.h"
#include "mcp/firmware.h"

/*
 * The tools of a pretend device: kept, found, and put into the JSON that
 * tools/list shows. What a call does is not known here.
 */

static const char *const type_names[] = {
	[SERVER_BOOLEAN] = "boolean",
	[SERVER_INTEGER] = "integer",
	[SERVER_STRING] = "string",
};

void firmware_value_text(const struct firmware_argument *a,
			 const struct firmware_value *v, struct buf *out)
{
	switch (a->type) {
	case SERVER_STRING:
		buf_text(out, v->text);
		break;
	case SERVER_BOOLEAN:
		buf_text(out, v->number ? "true" : "false");
		break;
	case SERVER_INTEGER:
		buf_printf(out, "%d", (int)v->number);
		break;
	}
}

/*
 * Append a JSON string as cJSON prints one: control characters escaped,
 * everything else as it is, also bytes that are no UTF-8.
 */
static void firmware_quote(struct buf *out, const char *text, size_t len)
{
	static const char letters[] = "btnvfr"; /* 8 to 13; 11 has none */
	size_t from = 0;

	buf_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= ' ' && c != '"' && c != '\\')
			continue;
		buf_add(out, text + from, i - from);
		from = i + 1;
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c >= '\b' && c <= '\r' && c != '\v')
			buf_printf(out, "\\%c", letters[c - '\b']);
		else
			buf_printf(out, "\\u%04x", c);
	}
	buf_add(out, text + from, len - from);
	buf_char(out, '"');
}

static void quote(struct buf *out, const char *text)
{
	firmware_quote(out, text, strlen(text));
}

static void drop_tool(struct firmware_tool *t)
{
	firmware_tool_drop_arguments(t);
	mem_free(t->name);
	mem_free(t->description);
	mem_free(t->json);
}

struct firmware_tool *firmware_catalog_add(struct firmware_catalog *c,
					   size_t at)
{
	c->tool = mem_grow(c->tool, &c->capacity, c->count, sizeof(*c->tool));
	memmove(c->tool + at + 1, c->tool + at,
		(c->count - at) * sizeof(*c->tool));
	memset(c->tool + at, 0, sizeof(*c->tool));
	c->count++;
	return c->tool + at;
}

void firmware_catalog_remove(struct firmware_catalog *c, size_t at)
{
	drop_tool(c->tool + at);
	c->count--;
	memmove(c->tool + at, c->tool + at + 1,
		(c->count - at) * sizeof(*c->tool));
}

struct firmware_tool *firmware_catalog_find(const struct firmware_catalog *c,
					    const char *name)
{
	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->tool[i].name, name) == 0)
			return c->tool + i;
	}
	return NULL;
}

void firmware_catalog_done(struct firmware_catalog *c)
{
	for (size_t i = 0; i < c->count; i++)
		drop_tool(c->tool + i);
	mem_free(c->tool);
	*c = (struct firmware_catalog){ 0 };
}

struct firmware_argument *firmware_tool_add_argument(struct firmware_tool *t)
{
	struct firmware_argument *a;

	/* Few, and only while a profile is read: no capacity is kept. */
	t->argument = mem_realloc(t->argument, (t->argument_count + 1) *
						       sizeof(*t->argument));
	a = t->argument + t->argument_count++;
	*a = (struct firmware_argument){ 0 };
	return a;
}

void firmware_tool_drop_arguments(struct firmware_tool *t)
{
	for (size_t i = 0; i < t->argument_count; i++) {
		mem_free(t->argument[i].name);
		mem_free(t->argument[i].text);
	}
	mem_free(t->argument);
	t->argument = NULL;
	t->argument_count = 0;
}

int firmware_tool_argument(const struct firmware_tool *t, const char *name)
{
	for (size_t i = 0; i < t->argument_count; i++) {
		if (strcmp(t->argument[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static void add_default(struct buf *out, const struct firmware_argument *a)
{
	buf_text(out, ",\"default\":");
	if (a->type == SERVER_STRING)
		quote(out, a->text ? a->text : "");
	else if (a->type == SERVER_BOOLEAN)
		buf_text(out, a->number ? "true" : "false");
	else
		buf_printf(out, "%d", (int)a->number);
}

static void add_argument(struct buf *out, const struct firmware_argument *a,
			 enum firmware_dialect dialect)
{
	quote(out, a->name);
	buf_printf(out, ":{\"type\":\"%s\"", type_names[a->type]);
	if (a->has_default)
		add_default(out, a);
	if (a->has_minimum)
		buf_printf(out, ",\"minimum\":%d", (int)a->minimum);
	if (a->has_maximum)
		buf_printf(out, ",\"maximum\":%d", (int)a->maximum);
	if (a->max_length && dialect == SERVER_2_5_0)
		buf_printf(out, ",\"maxLength\":%d", (int)a->max_length);
	buf_char(out, '}');
}

static void add_required(struct buf *out, const struct firmware_tool *t)
{
	bool any = false;

	for (size_t i = 0; i < t->argument_count; i++) {
		if (t->argument[i].has_default)
			continue;
		buf_text(out, any ? "," : ",\"required\":[");
		quote(out, t->argument[i].name);
		any = true;
	}
	if (any)
		buf_char(out, ']');
}

void firmware_tool_prepare(struct firmware_tool *t,
			   enum firmware_dialect dialect)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"name\":");
	quote(&out, t->name);
	buf_text(&out, ",\"description\":");
	quote(&out, t->description ? t->description : "");
	buf_text(&out,
		 ",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
	for (size_t i = 0; i < t->argument_count; i++) {
		if (i)
			buf_char(&out, ',');
		add_argument(&out, t->argument + i, dialect);
	}
	buf_char(&out, '}');
	add_required(&out, t);
	buf_char(&out, '}');
	if (t->user_only)
		buf_text(&out, ",\"annotations\":{\"audience\":[\"user\"]}");
	buf_char(&out, '}');
	mem_free(t->json);
	t->json_len = out.len;
	t->json = buf_take(&out);
}

/* JSON-RPC codes; only SERVER_2_5_0 shows them. */
enum { CODE_METHOD = -32601, CODE_PARAMS = -32602, CODE_OTHER = -32603 };

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItem(object, name);
}

/* The text of a string member; NULL if absent or of another type. */
static const char *text_of(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(member(object, name));
}

void firmware_reset(struct firmware *s)
{
	mem_free(s->vision_url);
	mem_free(s->vision_token);
	s->vision_url = NULL;
	s->vision_token = NULL;
}

void firmware_call_free(struct firmware_call *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->tool->argument_count; i++)
		mem_free(c->value[i].text);
	mem_free(c->value);
	mem_free(c);
}

void firmware_reply_encode(const struct firmware_reply *r,
			   enum firmware_dialect dialect, struct buf *out)
{
	buf_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%d,", (int)r->id);
	if (!r->is_error) {
		buf_text(out, "\"result\":");
		buf_add(out, r->body, r->len);
		buf_char(out, '}');
		return;
	}
	buf_text(out, "\"error\":{");
	if (dialect == SERVER_2_5_0)
		buf_printf(out, "\"code\":%d,", r->code);
	buf_text(out, "\"message\":\"");
	buf_add(out, r->body, r->len);
	buf_text(out, "\"}}");
}

static void reply(struct firmware *s, const struct firmware_reply *about,
		  const struct buf *body)
{
	struct firmware_reply r = *about;

	r.body = buf_string(body);
	r.len = body->len;
	s->events->reply(s->owner, &r);
}

PRINTF_LIKE(4, 5)
static void fail(struct firmware *s, const struct firmware_reply *about,
		 int code, const char *format, ...)
{
	struct firmware_reply r = *about;
	CLEANUP(buf_done) struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	r.is_error = true;
	r.code = code;
	reply(s, &r, &text);
}

/* 3.4: kept in memory only, replaced by each initialize that has a url. */
static void keep_vision(struct firmware *s, const cJSON *params)
{
	const cJSON *vision = member(member(params, "capabilities"), "vision");
	const char *url = text_of(vision, "url");

	if (!url || !s->catalog->camera)
		return;
	firmware_reset(s);
	s->vision_url = mem_strdup(url);
	s->vision_token = mem_strdup(text_of(vision, "token"));
}

static void on_initialize(struct firmware *s, const cJSON *params,
			  const struct firmware_reply *about)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	keep_vision(s, params);
	buf_printf(
		&body,
		"{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"%s\",\"version\":\"%s\"}}",
		s->catalog->board, s->catalog->version);
	reply(s, about, &body);
}

/* Where a page begins; count if no tool has that name. */
static size_t page_start(const struct firmware_catalog *c, const char *cursor)
{
	const struct firmware_tool *t;

	if (!cursor || !*cursor)
		return 0;
	t = firmware_catalog_find(c, cursor);
	return t ? (size_t)(t - c->tool) : c->count;
}

/*
 * Fill a page (device.md 3.5). Returns the tool that did not fit, NULL if all
 * did. The comma behind each tool counts; the last one is taken off at the end.
 */
static const struct firmware_tool *fill_page(const struct firmware *s,
					     const cJSON *params,
					     struct buf *body,
					     const struct firmware_tool **first)
{
	const struct firmware_catalog *c = s->catalog;
	bool all = cJSON_IsTrue(member(params, "withUserTools"));
	size_t i;

	*first = NULL;
	for (i = page_start(c, text_of(params, "cursor")); i < c->count; i++) {
		const struct firmware_tool *t = c->tool + i;

		if (t->user_only && !all)
			continue;
		if (body->len + t->json_len + 1 + 30 > SERVER_PAGE_MAX)
			return t;
		buf_add(body, t->json, t->json_len);
		buf_char(body, ',');
		if (!*first)
			*first = t;
	}
	return NULL;
}

static void on_list(struct firmware *s, const cJSON *params,
		    const struct firmware_reply *about)
{
	struct firmware_reply r = *about;
	const struct firmware_tool *next;
	CLEANUP(buf_done) struct buf body = { 0 };

	buf_text(&body, "{\"tools\":[");
	next = fill_page(s, params, &body, &r.first);
	if (!r.first && s->catalog->count) {
		fail(s, about, CODE_OTHER,
		     "Failed to add tool %s because of payload size limit",
		     next ? next->name : "");
		return;
	}
	if (r.first)
		buf_cut(&body, body.len - 1);
	buf_char(&body, ']');
	r.next = next;
	if (next)
		buf_printf(&body, ",\"nextCursor\":\"%s\"", next->name);
	buf_char(&body, '}');
	reply(s, &r, &body);
}

/* True if the JSON value has the argument's type. 1 is no boolean. */
static bool fits_type(const struct firmware_argument *a, const cJSON *given)
{
	if (a->type == SERVER_BOOLEAN)
		return cJSON_IsBool(given);
	if (a->type == SERVER_INTEGER)
		return cJSON_IsNumber(given);
	return cJSON_IsString(given);
}

static void take_value(struct firmware_value *out,
		       const struct firmware_argument *a, const cJSON *given)
{
	if (a->type == SERVER_STRING)
		out->text = mem_strdup(given->valuestring);
	else if (a->type == SERVER_INTEGER)
		out->number = given->valueint; /* cut and saturated by cJSON */
	else
		out->number = cJSON_IsTrue(given);
}

static void take_default(struct firmware_value *out,
			 const struct firmware_argument *a)
{
	out->number = a->number;
	if (a->type == SERVER_STRING)
		out->text = mem_strdup(a->text ? a->text : "");
}

/* The range of a given integer. -1: answered. */
static int check_range(struct firmware *s, const struct firmware_argument *a,
		       int32_t value, const struct firmware_reply *about)
{
	bool next = s->dialect == SERVER_2_5_0;

	if (a->has_minimum && value < a->minimum) {
		if (next)
			fail(s, about, CODE_PARAMS,
			     "Property '%s': value %d is below minimum %d",
			     a->name, (int)value, (int)a->minimum);
		else
			fail(s, about, 0, "Value is below minimum allowed: %d",
			     (int)a->minimum);
		return -1;
	}
	if (a->has_maximum && value > a->maximum) {
		if (next)
			fail(s, about, CODE_PARAMS,
			     "Property '%s': value %d exceeds maximum %d",
			     a->name, (int)value, (int)a->maximum);
		else
			fail(s, about, 0, "Value exceeds maximum allowed: %d",
			     (int)a->maximum);
		return -1;
	}
	return 0;
}

static int check_length(struct firmware *s, const struct firmware_argument *a,
			const char *text, const struct firmware_reply *about)
{
	size_t len = strlen(text);

	if (s->dialect != SERVER_2_5_0 || !a->max_length ||
	    len <= (size_t)a->max_length)
		return 0;
	fail(s, about, CODE_PARAMS,
	     "Property '%s': string length %zu exceeds maximum %d", a->name,
	     len, (int)a->max_length);
	return -1;
}

/* null says that there is none, as some models do. */
static bool is_defaulted(const struct firmware_argument *a,
			 const cJSON *arguments)
{
	const cJSON *given = member(arguments, a->name);

	return a->has_default && given && !cJSON_IsNull(given) &&
	       !fits_type(a, given);
}

/* One argument, checked and stored. -1: answered with the problem. */
static int take_argument(struct firmware *s, const struct firmware_argument *a,
			 const cJSON *arguments, struct firmware_value *out,
			 const struct firmware_reply *about)
{
	const cJSON *given = member(arguments, a->name);

	if (given && fits_type(a, given)) {
		take_value(out, a, given);
		if (a->type == SERVER_INTEGER)
			return check_range(s, a, out->number, about);
		if (a->type == SERVER_STRING)
			return check_length(s, a, out->text, about);
		return 0;
	}
	if (s->dialect == SERVER_2_5_0 && given) {
		fail(s, about, CODE_PARAMS, "Invalid type for argument: %s",
		     a->name);
		return -1;
	}
	if (a->has_default) { /* 3.6: a wrong type takes it silently */
		take_default(out, a);
		return 0;
	}
	fail(s, about, CODE_PARAMS,
	     s->dialect == SERVER_2_5_0 ? "Missing required argument: %s" :
					  "Missing valid argument: %s",
	     a->name);
	return -1;
}

static void start_call(struct firmware *s, const struct firmware_tool *t,
		       const cJSON *arguments,
		       const struct firmware_reply *about)
{
	struct firmware_call *c = mem_zalloc(sizeof(*c));

	c->id = about->id;
	c->tool = t;
	c->value = mem_zalloc((t->argument_count + 1) * sizeof(*c->value));
	for (size_t i = 0; i < t->argument_count; i++) {
		if (!c->defaulted && is_defaulted(t->argument + i, arguments))
			c->defaulted = t->argument + i;
		if (!take_argument(s, t->argument + i, arguments, c->value + i,
				   about))
			continue;
		firmware_call_free(c);
		return;
	}
	s->events->call(s->owner, c);
}

static void on_call(struct firmware *s, const cJSON *params,
		    const struct firmware_reply *about)
{
	bool next = s->dialect == SERVER_2_5_0;
	const cJSON *arguments = member(params, "arguments");
	const char *name = text_of(params, "name");
	const struct firmware_tool *t;

	if (!params) {
		fail(s, about, CODE_PARAMS, "Missing params");
		return;
	}
	if (!name) {
		fail(s, about, CODE_PARAMS,
		     next ? "Missing tool name" : "Missing name");
		return;
	}
	if (arguments && !cJSON_IsObject(arguments)) {
		fail(s, about, CODE_PARAMS,
		     next ? "Invalid arguments: expected object" :
			    "Invalid arguments");
		return;
	}
	t = firmware_catalog_find(s->catalog, name);
	if (!t) {
		fail(s, about, CODE_PARAMS, "Unknown tool: %s", name);
		return;
	}
	start_call(s, t, arguments, about);
}

void firmware_receive(struct firmware *s, const cJSON *message)
{
	const char *version = text_of(message, "jsonrpc");
	const char *method = text_of(message, "method");
	const cJSON *params = member(message, "params");
	const cJSON *id = member(message, "id");
	struct firmware_reply about = { .method = SERVER_UNKNOWN };

	if (!version || strcmp(version, "2.0") != 0 || !method)
		return;
	if (strncmp(method, "notifications", strlen("notifications")) == 0)
		return;
	if ((params && !cJSON_IsObject(params)) || !cJSON_IsNumber(id))
		return;
	about.id = id->valueint; /* cut and saturated by cJSON */
	if (strcmp(method, "initialize") == 0) {
		about.method = SERVER_INITIALIZE;
		on_initialize(s, params, &about);
	} else if (strcmp(method, "tools/list") == 0) {
		about.method = SERVER_LIST;
		on_list(s, params, &about);
	} else if (strcmp(method, "tools/call") == 0) {
		about.method = SERVER_CALL;
		on_call(s, params, &about);
	} else {
		fail(s, &about, CODE_METHOD, "Method not implemented: %s",
		     method);
	}
}

/* The object that the firmware puts, as text, where an image should be. */
static void wrap_image(const struct firmware_outcome *o, struct buf *body)
{
	CLEANUP(buf_done) struct buf inner = { 0 };

	buf_text(&inner, "{\"type\":\"image\",\"mimeType\":");
	firmware_quote(&inner, o->mime, strlen(o->mime));
	buf_text(&inner, ",\"data\":");
	firmware_quote(&inner, o->text, o->len);
	buf_char(&inner, '}');
	buf_text(body, "{\"type\":\"image\",\"image\":");
	firmware_quote(body, buf_string(&inner), inner.len);
}

static void add_content(const struct firmware_outcome *o, struct buf *body)
{
	if (o->kind == SERVER_ITEMS) {
		buf_add(body, o->text, o->len);
		return;
	}
	if (o->kind == SERVER_IMAGE) {
		wrap_image(o, body);
	} else {
		buf_text(body, "{\"type\":\"text\",\"text\":");
		firmware_quote(body, o->text, o->len);
	}
	buf_char(body, '}');
}

void firmware_outcome(const struct firmware_call *c,
		      const struct firmware_outcome *o, struct buf *body,
		      struct firmware_reply *out)
{
	*out = (struct firmware_reply){ 0 };
	out->method = SERVER_CALL;
	out->id = c->id;
	buf_reset(body);
	if (o->kind == SERVER_FAILED) {
		out->is_error = true;
		out->code = CODE_OTHER;
		buf_add(body, o->text, o->len);
	} else {
		buf_text(body, "{\"content\":[");
		add_content(o, body);
		buf_text(body, "],\"isError\":false}");
	}
	out->body = buf_string(body);
	out->len = body->len;
}

int firmware_dialect_named(const char *version, enum firmware_dialect *out)
{
	static const struct {
		const char *version;
		enum firmware_dialect dialect;
	} rows[] = { { "2.4.2", SERVER_2_4_2 },
		     { "2.5.0", SERVER_2_5_0 },
		     { "next", SERVER_2_5_0 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].version, version) == 0) {
			*out = rows[i].dialect;
			return 0;
		}
	}
	return -1;
}
