/* SPDX-License-Identifier: MIT */
/*
 * The revision 2026-07-28, as a server: what each request must carry, in its
 * metadata and in HTTP's headers; what each result has; server/discover.
 */
#include "sim/service_era.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "mcp/revision.h"
#include "mcp/rules.h"
#include "sim/service_find.h"
#include "sim/service_reply.h"

#define HEADER_DEPTH_MAX 16 /* of properties within properties */

/* ---- which era a message is of ---- */

static const cJSON *meta_of(const cJSON *message)
{
	return json_object(json_object(message, "params"), "_meta");
}

/* Whether a message carries the metadata of 2026-07-28. */
static bool service_meta_modern(const cJSON *message)
{
	return json_member(meta_of(message), META_VERSION) != NULL;
}

/* Later revisions are of this era, too: they are refused as it refuses. */
static bool names_modern(const struct headers *h)
{
	const char *revision =
		h ? headers_get(h, "MCP-Protocol-Version") : NULL;

	return revision && strlen(revision) == strlen(REVISION_MODERN) &&
	       strcmp(revision, REVISION_MODERN) >= 0 &&
	       strspn(revision, "0123456789-") == strlen(revision);
}

bool service_is_modern(const struct service *s, const struct mcp_said *m)
{
	const char *revision =
		m->headers ? headers_get(m->headers, "MCP-Protocol-Version") :
			     NULL;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	if (!(s->eras & SERVICE_MODERN))
		return false;
	if (!(s->eras & SERVICE_LEGACY) || names_modern(m->headers))
		return true;
	if (revision_known(ERA_LEGACY, revision))
		return false;
	tree = json_parse(m->text, m->len, NULL);
	return service_meta_modern(tree);
}

bool service_is_legacy(const struct service *s)
{
	return s->eras & SERVICE_LEGACY;
}

/* ---- what a client can ---- */

unsigned service_abilities(const cJSON *capabilities)
{
	const cJSON *elicitation = json_object(capabilities, "elicitation");
	bool url = json_object(elicitation, "url") != NULL;
	unsigned can = 0;

	if (elicitation && (!url || json_object(elicitation, "form")))
		can |= CAN_FORM;
	if (url)
		can |= CAN_URL;
	if (json_object(capabilities, "sampling"))
		can |= CAN_SAMPLE;
	if (json_object(capabilities, "roots"))
		can |= CAN_ROOTS;
	return can;
}

/* ---- what a request must carry ---- */

static bool refuse_meta(struct service_part *p, const char *why)
{
	service_fail(p, JSONRPC_INVALID_PARAMS, NULL, "Invalid params: %s",
		     why);
	service_status(p, 400);
	return false;
}

/* A modern server is asked for a session. */
static bool refuse_initialize(struct service_part *p, const char *version)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	buf_text(&data,
		 "{\"supported\":[\"" REVISION_MODERN "\"],\"requested\":");
	buf_json_string(&data, version, strlen(version));
	buf_char(&data, '}');
	service_fail(p, MODERN_UNSUPPORTED_VERSION, buf_string(&data),
		     "Unsupported protocol version: '%.*s'",
		     text_shown(version, SERVICE_QUOTED), version);
	return false;
}

static bool check_meta(struct service_part *p, const char *method)
{
	const cJSON *meta = json_object(p->params, "_meta");
	const cJSON *level = json_member(meta, META_LOG_LEVEL);
	const cJSON *token = json_member(meta, "progressToken");
	const char *wanted = json_string(p->params, "protocolVersion");

	if (!meta && strcmp(method, "initialize") == 0 && wanted)
		return refuse_initialize(p, wanted);
	if (!meta)
		return refuse_meta(p, "'_meta' is missing");
	if (!json_string(meta, META_VERSION))
		return refuse_meta(p, "'_meta' needs '" META_VERSION
				      "', a string");
	if (!json_object(meta, META_CAPABILITIES))
		return refuse_meta(p, "'_meta' needs '" META_CAPABILITIES
				      "', an object");
	if (level && !log_level_rank(cJSON_GetStringValue(level)))
		return refuse_meta(p, "'" META_LOG_LEVEL "' is no level");
	if (token && !cJSON_IsString(token) && !cJSON_IsNumber(token))
		return refuse_meta(
			p, "'progressToken' must be a string or a number");
	return true;
}

/* ---- headers ---- */

/* The value of a field without the white space around it; yours, NULL. */
static char *read_header(const struct headers *h, const char *name)
{
	const char *value = headers_get(h, name);
	size_t len;

	if (!value)
		return NULL;
	len = text_trim(&value, strlen(value));
	return mem_strndup(value, len);
}

#define CODED_BEGIN "=?base64?"
#define CODED_END "?="

/* In place of a value in base64 what it stands for. -1: it is none. */
static int decode_header(char **value)
{
	const size_t begin = strlen(CODED_BEGIN), end = strlen(CODED_END);
	size_t len = strlen(*value);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (len < begin + end || !text_starts(*value, CODED_BEGIN) ||
	    strcmp(*value + len - end, CODED_END) != 0)
		return 0;
	len -= begin + end;
	if (len % 4 || strcspn(*value + begin, " \t") < len ||
	    text_base64_decode(*value + begin, len, &out) ||
	    (out.len && memchr(out.data, '\0', out.len)))
		return -1;
	mem_free(*value);
	*value = buf_take(&out);
	return 0;
}

static bool refuse_header(struct service_part *p, const char *name,
			  const char *why)
{
	service_fail(p, MODERN_HEADER_MISMATCH, NULL,
		     "Header mismatch: '%.*s' %s",
		     text_shown(name, SERVICE_QUOTED), name, why);
	return false;
}

static bool header_is(struct service_part *p, const char *name,
		      const char *expected, bool coded)
{
	CLEANUP(mem_free_ptr)
	char *value = read_header(p->question->headers, name);

	if (!value)
		return refuse_header(p, name, "is missing");
	if (coded && decode_header(&value))
		return refuse_header(p, name, "is no base64");
	if (strcmp(value, expected) != 0)
		return refuse_header(p, name,
				     "is not what stands in the message");
	return true;
}

/* A property that is repeated in a header. */
static bool check_parameter(struct service_part *p, const cJSON *value,
			    const char *header)
{
	CLEANUP(mem_free_ptr) char *name = mem_printf("Mcp-Param-%s", header);
	CLEANUP(mem_free_ptr)
	char *given = read_header(p->question->headers, name);
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!value || cJSON_IsNull(value))
		return given ? refuse_header(
				       p, name,
				       "is there, and its argument is not") :
			       true;
	if (cJSON_IsNumber(value) && given) {
		char *end;
		double number = strtod(given, &end);

		if (end != given && !*end && !(number < value->valuedouble) &&
		    !(number > value->valuedouble))
			return true;
	}
	if (cJSON_IsString(value))
		buf_text(&text, value->valuestring);
	else
		json_print(&text, value);
	return header_is(p, name, buf_string(&text), true);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a profile is, or a bound */
static bool check_parameters(struct service_part *p, const cJSON *schema,
			     const cJSON *arguments, int depth)
{
	const cJSON *property;

	if (depth > HEADER_DEPTH_MAX)
		return true;
	cJSON_ArrayForEach(property, json_object(schema, "properties")) {
		const cJSON *value = json_member(arguments, property->string);
		const char *header = json_string(property, "x-mcp-header");

		if (header && !check_parameter(p, value, header))
			return false;
		if (!check_parameters(p, property, value, depth + 1))
			return false;
	}
	return true;
}

/* Of this era: others are methods that there are not. */
static bool names_task(const char *method)
{
	return strcmp(method, "tasks/get") == 0 ||
	       strcmp(method, "tasks/update") == 0 ||
	       strcmp(method, "tasks/cancel") == 0;
}

static bool check_named(struct service_part *p, const char *method)
{
	const bool read = strcmp(method, "resources/read") == 0;
	const bool call = strcmp(method, "tools/call") == 0;
	const char *name = json_string(p->params, read ? "uri" : "name");
	const struct service_tool *t;

	if (names_task(method)) {
		name = json_string(p->params, "taskId");
		return !name || header_is(p, "Mcp-Name", name, true);
	}
	if (!read && !call && strcmp(method, "prompts/get") != 0)
		return true;
	if (name && !header_is(p, "Mcp-Name", name, true))
		return false;
	t = call ? service_tool(service_of(p), name) : NULL;
	return !t || check_parameters(p, t->input,
				      json_object(p->params, "arguments"), 0);
}

static bool check_headers(struct service_part *p, const char *method,
			  const char *version)
{
	return header_is(p, "MCP-Protocol-Version", version, false) &&
	       header_is(p, "Mcp-Method", method, false) &&
	       check_named(p, method);
}

bool service_era_begin(struct service_part *p, const char *method)
{
	const cJSON *meta = json_object(p->params, "_meta");
	const char *version = json_string(meta, META_VERSION);

	if (!check_meta(p, method) ||
	    (p->question->headers && !check_headers(p, method, version)))
		return false;
	if (strcmp(version, REVISION_MODERN) != 0)
		return refuse_initialize(p, version);
	p->can = service_abilities(json_object(meta, META_CAPABILITIES));
	p->log_rank = log_level_rank(json_string(meta, META_LOG_LEVEL));
	p->tasks = json_given(
		json_object(json_object(meta, META_CAPABILITIES), "extensions"),
		EXTENSION_TASKS);
	return true;
}

/* ---- what the service is ---- */

void service_add_capabilities(const struct service_part *p, struct buf *out)
{
	const struct service *s = service_of(p);
	const size_t read =
		s->prompt_count + s->resource_count + s->template_count;

	buf_text(out, ",\"capabilities\":{\"logging\":{}");
	if (s->tool_count)
		buf_printf(out, ",\"tools\":{\"listChanged\":%s}",
			   s->tools_change ? "true" : "false");
	if (s->prompt_count)
		buf_printf(out, ",\"prompts\":{\"listChanged\":%s}",
			   s->prompts_change ? "true" : "false");
	if (read)
		buf_printf(
			out,
			",\"resources\":{\"subscribe\":%s,\"listChanged\":%s}",
			s->updates ? "true" : "false",
			s->resources_change ? "true" : "false");
	if ((s->prompt_count || s->template_count) &&
	    service_has(p, "2025-03-26"))
		buf_text(out, ",\"completions\":{}");
	if (s->has_tasks && p->modern)
		buf_text(out, ",\"extensions\":{\"" EXTENSION_TASKS "\":{}}");
	else if (s->has_tasks && service_has(p, "2025-11-25"))
		buf_text(
			out,
			",\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}");
	buf_char(out, '}');
}

void service_discover(struct service_part *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"supportedVersions\":[\"" REVISION_MODERN "\"]");
	service_add_capabilities(p, &out);
	json_add_text(&out, "instructions",
		      json_string(service_of(p)->tree, "instructions"));
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
}
