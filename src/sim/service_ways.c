/* SPDX-License-Identifier: MIT */
/* The ways of small SDKs, espressif.md 2 to 4. */
#include "sim/service_ways.h"

#include <math.h>
#include <string.h>

#include "mcp/schema.h"
#include "sim/service_reply.h"

#define PAGE_MIN 1024 /* of MCP_TOOLLIST_MAX_SIZE, with PAGE_MAX */
#define PAGE_MAX 16384
#define SOCKETS_MAX 512

static const char *const way_members[] = {
	"path",	    "body_max",	      "session_ms",   "page_max",
	"text_max", "every_argument", "newest_first", "initialize_first",
	"lax",	    "not_found",      "early_result", "sockets",
	NULL,
};

static int read_reach(struct service_reach *w, struct reader *r,
		      const cJSON *json)
{
	if (reader_text(r, json, "path", &w->path) ||
	    reader_number(r, json, "body_max", 0, INT32_MAX, &w->body_max) ||
	    reader_number(r, json, "session_ms", 0, INT32_MAX,
			  &w->session_ms) ||
	    reader_number(r, json, "sockets", 1, SOCKETS_MAX, &w->sockets))
		return -1;
	if (w->path && (*w->path != '/' || w->path[strcspn(w->path, "?# ")]))
		return reader_fail(r, "'path' is a path, as in /mcp_server");
	return 0;
}

int service_ways_read(struct service *s, struct reader *r)
{
	struct service_ways *w = &s->ways;
	const cJSON *json = NULL;
	size_t mark;
	int bad;

	if (reader_object(r, s->tree, "ways", &json))
		return -1;
	if (!json)
		return 0;
	mark = reader_enter(r, "ways");
	bad = reader_members(r, json, "'ways'", way_members) ||
	      read_reach(&w->reach, r, json) ||
	      reader_number(r, json, "page_max", PAGE_MIN, PAGE_MAX,
			    &w->page_max) ||
	      reader_number(r, json, "text_max", 1, INT32_MAX, &w->text_max) ||
	      reader_number(r, json, "not_found", INT32_MIN, -1,
			    &w->not_found) ||
	      reader_flag(r, json, "every_argument", &w->every_argument) ||
	      reader_flag(r, json, "newest_first", &w->newest_first) ||
	      reader_flag(r, json, "initialize_first", &w->initialize_first) ||
	      reader_flag(r, json, "early_result", &w->early_result) ||
	      reader_flag(r, json, "lax", &w->lax);
	reader_leave(r, mark);
	return bad ? -1 : 0;
}

bool service_ways_begin(struct service_part *p, const char *method)
{
	if (!service_of(p)->ways.initialize_first ||
	    p->question->client->revision || strcmp(method, "initialize") == 0)
		return true;
	service_fail(p, JSONRPC_INVALID_REQUEST,
		     "{\"reason\":\"initialize must be first interaction\"}",
		     "Invalid Request");
	return false;
}

/* ---- arguments ---- */

static void refuse_field(struct service_part *p, const char *expected,
			 const char *field)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	buf_char(&data, '{');
	buf_text(&data, "\"expected\":");
	buf_json_string(&data, expected, strlen(expected));
	json_add_text(&data, "field", field);
	buf_char(&data, '}');
	service_fail(p, JSONRPC_INVALID_PARAMS, buf_string(&data),
		     "Invalid params");
}

/* What C makes of a value that is not there. */
static cJSON *nothing_of(const char *type)
{
	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
		return cJSON_CreateNumber(0);
	if (strcmp(type, "boolean") == 0)
		return cJSON_CreateFalse();
	if (strcmp(type, "array") == 0)
		return cJSON_CreateArray();
	if (strcmp(type, "object") == 0)
		return cJSON_CreateObject();
	return cJSON_CreateString("");
}

static cJSON *unasked(const cJSON *properties)
{
	cJSON *out = cJSON_CreateObject();
	const cJSON *one;

	cJSON_ArrayForEach(one, properties) {
		const char *type = json_string(one, "type");

		cJSON_AddItemToObject(out, one->string,
				      nothing_of(type ? type : "string"));
	}
	return out;
}

/* A whole number is read out of whatever is there: a text is 0, 50.7 is 50. */
static cJSON *read_lax(const cJSON *property, const cJSON *value)
{
	const char *type = json_string(property, "type");

	if (!type || strcmp(type, "integer") != 0)
		return cJSON_Duplicate(value, true);
	return cJSON_CreateNumber(
		cJSON_IsNumber(value) ? trunc(value->valuedouble) : 0);
}

/* Those that are declared; NULL: one is missing that must be there. */
static cJSON *declared(const struct service_ways *w, const cJSON *properties,
		       const cJSON *given)
{
	cJSON *out = cJSON_CreateObject();
	const cJSON *one;

	cJSON_ArrayForEach(one, properties) {
		const cJSON *value = json_member(given, one->string);

		if (value) {
			cJSON_AddItemToObject(
				out, one->string,
				w->lax ? read_lax(one, value) :
					 cJSON_Duplicate(value, true));
		} else if (w->every_argument) {
			cJSON_Delete(out);
			return NULL;
		}
	}
	return out;
}

cJSON *service_ways_arguments(struct service_part *p,
			      const struct service_tool *t, const cJSON *given)
{
	static const char field[] = "params.arguments";
	CLEANUP(schema_report_done) struct schema_report report = { 0 };
	const struct service_ways *w = &service_of(p)->ways;
	const cJSON *properties = json_object(t->input, "properties");
	cJSON *seen;

	if (!given)
		return unasked(properties);
	seen = declared(w, properties, given);
	if (seen && schema_check(t->input, seen, &report))
		return seen;
	cJSON_Delete(seen);
	refuse_field(p, field, field);
	return NULL;
}

/* ---- results and lists ---- */

bool service_ways_drops(const struct service *s, size_t len)
{
	return s->ways.text_max && len > (size_t)s->ways.text_max;
}

const struct service_tool *service_ways_tool(const struct service *s, size_t at)
{
	if (at >= s->tool_count)
		return NULL;
	return s->tool + (s->ways.newest_first ? s->tool_count - 1 - at : at);
}

/* Where the cursor says; -1: nowhere. */
static int find_cursor(struct service_part *p, size_t *from)
{
	const struct service *s = service_of(p);
	const cJSON *cursor = json_member(p->params, "cursor");
	const struct service_tool *t;

	*from = 0;
	if (!cursor)
		return 0;
	for (; (t = service_ways_tool(s, *from)) != NULL; (*from)++) {
		if (cJSON_IsString(cursor) &&
		    strcmp(t->name, cursor->valuestring) == 0)
			return 0;
	}
	refuse_field(p, "known params.cursor", "params.cursor");
	return -1;
}

int service_ways_page(struct service_part *p,
		      size_t (*length)(const struct service_part *p, size_t at),
		      size_t *from, size_t *to)
{
	const struct service *s = service_of(p);
	const size_t room =
		s->ways.page_max ? (size_t)s->ways.page_max : SIZE_MAX;
	size_t used = 0;

	if (find_cursor(p, from))
		return -1;
	for (*to = *from; service_ways_tool(s, *to); (*to)++) {
		size_t len = length(p, *to);

		if (used && len > room - used)
			break;
		used += len < room - used ? len : room - used;
	}
	return 0;
}

bool service_ways_missing(struct service_part *p, const char *what)
{
	int64_t code = service_of(p)->ways.not_found;

	if (code)
		service_fail(p, (int)code, NULL, "%s not found", what);
	return code != 0;
}
