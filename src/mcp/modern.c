/* SPDX-License-Identifier: MIT */
/* What stands in each request from 2026-07-28 on, and in each result. */
#include "mcp/modern.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/initialize.h"

#define PREFIX "io.modelcontextprotocol/"
#define META_VERSION PREFIX "protocolVersion"
#define SENTINEL_BEGINS "=?base64?"
#define SENTINEL_ENDS "?="
#define SUPPORTED_MAX 300 /* bytes of a server's list in a hint */

bool modern_is_error(int code)
{
	return code == MODERN_HEADER_MISMATCH ||
	       code == MODERN_MISSING_CAPABILITY ||
	       code == MODERN_UNSUPPORTED_VERSION;
}

/* ---- params ---- */

/* A member of ours, unless the user has one of that name. */
static void add_member(struct buf *out, struct span users, const char *name,
		       const char *json)
{
	struct span there;

	if (users.text && json_span_member(users, name, &there))
		return;
	if (out->len && out->data[out->len - 1] != '{')
		buf_char(out, ',');
	buf_printf(out, "\"%s\":%s", name, json);
}

static void declare(struct buf *out, const struct modern_meta *m)
{
	buf_char(out, '{');
	initialize_answers(out, m->answers);
	if (m->tasks)
		buf_printf(out, "%s\"extensions\":{\"" MODERN_TASKS "\":{}}",
			   out->len > 1 ? "," : "");
	buf_char(out, '}');
}

/* Our members of _meta, behind what begins with '{'. */
static void add_meta(struct buf *out, struct span users,
		     const struct modern_meta *m)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_printf(&json, "\"%s\"", m->revision);
	add_member(out, users, META_VERSION, buf_string(&json));
	buf_reset(&json);
	declare(&json, m);
	add_member(out, users, PREFIX "clientCapabilities", buf_string(&json));
	add_member(out, users, PREFIX "clientInfo", CLIENT_INFO);
	buf_reset(&json);
	buf_printf(&json, "\"%s\"", m->log_level ? m->log_level : "");
	if (m->log_level)
		add_member(out, users, PREFIX "logLevel", buf_string(&json));
	buf_reset(&json);
	buf_printf(&json, "%d", (int)m->token);
	if (m->token)
		add_member(out, users, "progressToken", buf_string(&json));
}

/* Ours stand before the user's. */
static void add_to_meta(struct buf *out, struct span whole, struct span users,
			const struct modern_meta *m)
{
	struct span rest = { users.text + 1, users.len - 2 };

	rest.len = text_trim(&rest.text, rest.len);
	buf_add(out, whole.text, (size_t)(users.text - whole.text) + 1);
	add_meta(out, users, m);
	if (rest.len && out->data[out->len - 1] != '{')
		buf_char(out, ',');
	buf_add(out, rest.text, whole.len - (size_t)(rest.text - whole.text));
}

/* False: it is no object, or has a _meta that is none. */
static bool write_params(struct buf *out, struct span whole,
			 const struct modern_meta *m)
{
	struct span meta, none = { NULL, 0 };

	if (json_check(whole.text, whole.len, NULL))
		return false;
	if (json_span_member(whole, "_meta", &meta)) {
		if (!json_span_begins(meta, '{'))
			return false;
		add_to_meta(out, whole, meta, m);
		return true;
	}
	if (!json_span_open(out, whole))
		return false;
	buf_text(out, "\"_meta\":{");
	add_meta(out, none, m);
	buf_text(out, "}}");
	return true;
}

void modern_params(struct buf *out, const char *params,
		   const struct modern_meta *m)
{
	struct span whole = { params ? params : "{}", 0 };

	whole.len = strlen(whole.text);
	if (!write_params(out, whole, m))
		buf_text(out, whole.text);
}

/* ---- headers ---- */

static bool is_plain(const char *text)
{
	size_t len = strlen(text), begins = strlen(SENTINEL_BEGINS),
	       ends = strlen(SENTINEL_ENDS);

	for (size_t i = 0; i < len; i++) {
		if ((text[i] < 0x20 || text[i] > 0x7e) && text[i] != '\t')
			return false;
	}
	if (len && (strchr(" \t", text[0]) || strchr(" \t", text[len - 1])))
		return false;
	return len < begins + ends || !text_starts(text, SENTINEL_BEGINS) ||
	       strcmp(text + len - ends, SENTINEL_ENDS) != 0;
}

void modern_header_value(struct buf *out, const char *text)
{
	if (is_plain(text)) {
		buf_text(out, text);
		return;
	}
	buf_text(out, SENTINEL_BEGINS);
	text_base64_encode(out, text, strlen(text));
	buf_text(out, SENTINEL_ENDS);
}

/* Which member of params names what is asked for; NULL. */
static const char *name_member(const char *method)
{
	if (strcmp(method, "tools/call") == 0 ||
	    strcmp(method, "prompts/get") == 0)
		return "name";
	if (strcmp(method, "resources/read") == 0)
		return "uri";
	return text_starts(method, "tasks/") ? "taskId" : NULL;
}

static void add_string(struct headers *out, const char *header,
		       struct span object, const char *member)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct span found;

	if (json_span_member(object, member, &found))
		text = json_span_string(found);
	if (!text)
		return;
	modern_header_value(&value, text);
	headers_add(out, header, buf_string(&value));
}

void modern_headers(struct headers *out, const char *method, const char *params)
{
	struct span whole = { params, strlen(params) }, meta = { "{}", 2 };
	const char *member = name_member(method);
	CLEANUP(buf_done) struct buf value = { 0 };
	bool object = !json_check(params, whole.len, NULL) &&
		      params[strspn(params, " \t\r\n")] == '{';

	if (object)
		json_span_member(whole, "_meta", &meta);
	if (json_span_begins(meta, '{'))
		add_string(out, "MCP-Protocol-Version", meta, META_VERSION);
	modern_header_value(&value, method);
	headers_add(out, "Mcp-Method", buf_string(&value));
	if (member && object)
		add_string(out, "Mcp-Name", whole, member);
}

/* ---- results ---- */

/* What a server may want to know more for (modern.md 8). */
static bool may_ask(const char *method)
{
	return strcmp(method, "tools/call") == 0 ||
	       strcmp(method, "prompts/get") == 0 ||
	       strcmp(method, "resources/read") == 0;
}

int modern_judge(const char *method, const cJSON *result, bool tasks,
		 bool *asks, struct error *err)
{
	const cJSON *member = json_member(result, "resultType");
	const char *type = cJSON_GetStringValue(member);

	*asks = false;
	if (!member || (type && strcmp(type, "complete") == 0) ||
	    (tasks && type && strcmp(type, "task") == 0))
		return 0;
	if (type && strcmp(type, "input_required") == 0 && may_ask(method)) {
		*asks = true;
		return 0;
	}
	if (!type)
		return error_set(
			err, ERR_PROTOCOL,
			"the result of '%s' has a resultType that is no text",
			method);
	return error_set(
		err, ERR_PROTOCOL,
		"the result of '%s' has the resultType '%.60s', which %s",
		method, type,
		strcmp(type, "input_required") == 0 ?
			"this method cannot have" :
			"is not known, and was not asked for");
}

const cJSON *modern_server_info(const cJSON *result)
{
	return json_object(json_object(result, "_meta"), PREFIX "serverInfo");
}

/* ---- errors ---- */

static void hint_at_options(struct error *err, const cJSON *data)
{
	static const char *const option[][2] = { { "elicitation", "--elicit" },
						 { "sampling", "--sampling" },
						 { "roots", "--root" } };
	const cJSON *wanted = json_object(data, "requiredCapabilities");
	CLEANUP(buf_done) struct buf list = { 0 };

	for (size_t i = 0; i < COUNT(option); i++) {
		if (json_member(wanted, option[i][0]))
			buf_printf(&list, "%s%s", list.len ? ", " : "",
				   option[i][1]);
	}
	if (json_member(json_object(wanted, "extensions"), MODERN_TASKS))
		error_hint(err, "it runs as a task only: 'call --task'");
	else if (list.len)
		error_hint(
			err,
			"the server wants to ask something: %s says that it can, and how it is answered",
			buf_string(&list));
	else
		error_hint(
			err,
			"the server wants something of its client that mcpctl does not have");
}

static void hint_at_revisions(struct error *err, const cJSON *data)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	const cJSON *each;

	cJSON_ArrayForEach(each, json_array(data, "supported")) {
		const char *text = cJSON_GetStringValue(each);

		if (text && list.len < SUPPORTED_MAX)
			buf_printf(&list, "%s%.30s", list.len ? ", " : "",
				   text);
	}
	if (list.len)
		error_hint(err, "the server says that it speaks %s",
			   buf_string(&list));
}

void modern_explain(struct error *err, const cJSON *error)
{
	const cJSON *data = json_object(error, "data");

	if (err->code == MODERN_MISSING_CAPABILITY)
		hint_at_options(err, data);
	else if (err->code == MODERN_UNSUPPORTED_VERSION)
		hint_at_revisions(err, data);
	else if (err->code == MODERN_HEADER_MISMATCH)
		error_hint(
			err,
			"headers that repeat arguments are made from the tool's schema: 'tools' lists it anew; --no-validate has none");
}
