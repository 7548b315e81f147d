/* SPDX-License-Identifier: MIT */
/*
 * The table of methods, and those that say who the service is. Prompts,
 * resources and tools have files of their own.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/initialize.h"
#include "sim/service_private.h"

const char *service_settle(const cJSON *params)
{
	const char *wanted = json_string(params, "protocolVersion");
	const char *known = wanted ? revision_known(wanted) : NULL;

	if (!wanted || !json_object(params, "capabilities") ||
	    !json_string(json_object(params, "clientInfo"), "name"))
		return NULL;
	return known ? known : REVISION_NEWEST;
}

static void add_capabilities(const struct service_part *p, struct buf *out)
{
	const struct service *s = service_of(p);

	buf_text(out, ",\"capabilities\":{\"logging\":{}");
	if (s->tool_count)
		buf_text(out, ",\"tools\":{\"listChanged\":false}");
	if (s->prompt_count)
		buf_text(out, ",\"prompts\":{\"listChanged\":false}");
	if (s->prompt_count || s->resource_count)
		buf_text(out, ",\"resources\":{\"subscribe\":false,"
			      "\"listChanged\":false}");
	if (s->prompt_count && service_has(p, "2025-03-26"))
		buf_text(out, ",\"completions\":{}");
	buf_char(out, '}');
}

static void initialize(struct service_part *p)
{
	const struct service *s = service_of(p);
	const char *revision = service_settle(p->params);
	const char *version = json_string(s->tree, "version");
	struct buf out;

	if (!revision) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: initialize needs "
			     "'protocolVersion', 'capabilities' and "
			     "'clientInfo' with a 'name'");
		return;
	}
	p->question->client->revision = revision;
	buf_init(&out, 0);
	buf_printf(&out, "{\"protocolVersion\":\"%s\"", revision);
	add_capabilities(p, &out);
	buf_text(&out, ",\"serverInfo\":{\"name\":");
	buf_json_string(&out, s->name, strlen(s->name));
	if (service_has(p, "2025-06-18"))
		json_add_text(&out, "title", json_string(s->tree, "title"));
	json_add_text(&out, "version", version ? version : MCPCTL_VERSION);
	buf_char(&out, '}');
	json_add_text(&out, "instructions",
		      json_string(s->tree, "instructions"));
	buf_char(&out, '}');
	service_result(p, buf_string(&out));
	buf_done(&out);
}

static void ping(struct service_part *p)
{
	service_result(p, "{}");
}

static void set_level(struct service_part *p)
{
	static const char *const levels[] = { "debug",	 "info",     "notice",
					      "warning", "error",    "critical",
					      "alert",	 "emergency" };
	const char *level = json_string(p->params, "level");
	size_t i;

	for (i = 0; level && i < COUNT(levels); i++) {
		if (strcmp(level, levels[i]) != 0)
			continue;
		service_result(p, "{}");
		return;
	}
	service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
		     "Invalid params: 'level' must be debug, info, notice, "
		     "warning, error, critical, alert or emergency");
}

static void no_templates(struct service_part *p)
{
	service_result(p, "{\"resourceTemplates\":[]}");
}

static const struct method {
	const char *name;
	void (*run)(struct service_part *p);
	bool paged; /* takes a cursor; there is one page only */
} methods[] = {
	{ "initialize", initialize, false },
	{ "ping", ping, false },
	{ "tools/list", service_tools_list, true },
	{ "tools/call", service_tools_call, false },
	{ "prompts/list", service_prompts_list, true },
	{ "prompts/get", service_prompts_get, false },
	{ "resources/list", service_resources_list, true },
	{ "resources/templates/list", no_templates, true },
	{ "resources/read", service_resources_read, false },
	{ "resources/get", service_resources_get, false },
	{ "completion/complete", service_complete, false },
	{ "logging/setLevel", set_level, false },
};

static void unknown(struct service_part *p, const char *method)
{
	const char *names[COUNT(methods)];
	size_t len = text_cut(method, strlen(method), SERVICE_QUOTED), i;
	CLEANUP(mem_free_ptr) char *near = NULL;

	for (i = 0; i < COUNT(methods); i++)
		names[i] = methods[i].name;
	near = text_proposal(method, names, COUNT(methods));
	service_fail(p, JSONRPC_METHOD_NOT_FOUND, NULL,
		     "Method not found: '%.*s'%s", (int)len, method, near);
}

void service_method(struct service_part *p, const char *method)
{
	size_t i;

	for (i = 0; i < COUNT(methods); i++) {
		if (strcmp(method, methods[i].name) != 0)
			continue;
		if (methods[i].paged && json_member(p->params, "cursor"))
			service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
				     "Invalid params: no such cursor: there "
				     "is only one page");
		else
			methods[i].run(p);
		return;
	}
	if (!text_starts(method, "tools/") ||
	    !service_tools_direct(p, method + strlen("tools/")))
		unknown(p, method);
}
