/* SPDX-License-Identifier: MIT */
/* What hosts may ask, method by method. */
#include "bridge/host_methods.h"

#include <string.h>

#include "base/mem.h"
#include "bridge/host_asked.h"
#include "bridge/host_call.h"
#include "bridge/host_era.h"
#include "bridge/host_items.h"
#include "bridge/host_reply.h"
#include "bridge/host_told.h"
#include "mcp/revision.h"

static void initialize(struct host_part *p)
{
	struct host_client *c = p->question->client;
	const char *asked = json_string(p->params, "protocolVersion");
	const char *known = revision_known(ERA_LEGACY, asked);
	CLEANUP(buf_done) struct buf result = { 0 };

	if (!asked) {
		host_error(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: 'protocolVersion' must be a string");
		return;
	}
	c->revision = known ? known : REVISION_NEWEST;
	mem_free(c->who);
	c->who = host_who(json_object(p->params, "clientInfo"));
	host_take_answers(c, json_object(p->params, "capabilities"));
	buf_printf(
		&result,
		"{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":true}",
		c->revision);
	host_add_offers(&result, p);
	buf_text(
		&result,
		"},\"serverInfo\":{\"name\":\"mcpctl\",\"version\":\"" MCPCTL_VERSION
		"\"}}");
	host_result(p, buf_string(&result));
}

/* One page; a cursor that nobody gave is none. */
static void list_tools(struct host_part *p)
{
	const struct shown_tools *s;
	CLEANUP(buf_done) struct buf out = { 0 };

	if (json_given(p->params, "cursor")) {
		host_error(p, JSONRPC_INVALID_PARAMS, NULL,
			   "Invalid params: there is no such cursor");
		return;
	}
	if (host_waits(p, "tools/list"))
		return;
	s = bridge_shown(p->question->client->host->bridge);
	buf_text(&out, "{\"tools\":");
	buf_add(&out, s->listing.data, s->listing.len);
	host_add_caching(&out, p);
	buf_char(&out, '}');
	host_result(p, buf_string(&out));
}

static void discover(struct host_part *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out,
		 "{\"supportedVersions\":[\"" MODERN_NEWEST
		 "\"],\"capabilities\":{\"tools\":{\"listChanged\":true}");
	host_add_offers(&out, p);
	buf_char(&out, '}');
	host_add_caching(&out, p);
	buf_char(&out, '}');
	host_result(p, buf_string(&out));
}

static void pong(struct host_part *p)
{
	host_result(p, "{}");
}

static const struct host_method_row {
	const char *name;
	void (*run)(struct host_part *p); /* NULL: host_items does it */
	bool legacy, modern;
} methods[] = {
	{ "initialize", initialize, true, false },
	{ "ping", pong, true, false },
	{ "tools/list", list_tools, true, true },
	{ "tools/call", host_call, true, true },
	{ "server/discover", discover, false, true },
	{ "subscriptions/listen", host_listen, false, true },
	{ "resources/list", NULL, true, true },
	{ "resources/templates/list", NULL, true, true },
	{ "resources/read", NULL, true, true },
	{ "resources/subscribe", NULL, true, false },
	{ "resources/unsubscribe", host_unwatch, true, false },
	{ "logging/setLevel", host_set_level, true, false },
	{ "prompts/list", NULL, true, true },
	{ "prompts/get", NULL, true, true },
	{ "completion/complete", NULL, true, true },
};

void host_method(struct host_part *p, const char *method)
{
	for (size_t i = 0; i < COUNT(methods); i++) {
		const struct host_method_row *m = &methods[i];

		if (strcmp(m->name, method) == 0 &&
		    (p->modern ? m->modern : m->legacy)) {
			if (m->run)
				m->run(p);
			else
				host_items(p, m->name);
			return;
		}
	}
	host_error(p, JSONRPC_METHOD_NOT_FOUND, NULL,
		   "Method not found: '%.*s'", host_cut(method), method);
	if (p->modern)
		host_status(p, 404);
}

void host_resume(struct host_part *p)
{
	const char *method = p->waits;
	CLEANUP(json_free_ptr) cJSON *params = NULL;
	CLEANUP(mem_free_ptr) char *later = NULL;

	if (!method || p->over)
		return;
	p->waits = NULL;
	later = TAKE(p->later);
	params = json_parse(later, strlen(later), NULL);
	p->params = params;
	host_method(p, method);
	p->params = NULL;
}
