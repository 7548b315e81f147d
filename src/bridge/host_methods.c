/* SPDX-License-Identifier: MIT */
/* What hosts may ask, method by method. */
#include <string.h>

#include "base/mem.h"
#include "bridge/host_private.h"
#include "mcp/revision.h"

static void initialize(struct host_part *p)
{
	struct host_client *c = p->question->client;
	const char *asked = json_string(p->params, "protocolVersion");
	const char *known = revision_known(ERA_LEGACY, asked);
	CLEANUP(mem_free_ptr) char *result = NULL;

	if (!asked) {
		host_error(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: 'protocolVersion' must be a string");
		return;
	}
	c->revision = known ? known : REVISION_NEWEST;
	mem_free(c->who);
	c->who = host_who(json_object(p->params, "clientInfo"));
	result = mem_printf(
		"{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{\"listChanged\":true}},\"serverInfo\":{\"name\":\"mcpctl\",\"version\":\"" MCPCTL_VERSION
		"\"}}",
		c->revision);
	host_result(p, result);
}

void host_list(struct host_part *p)
{
	const struct bridge_host *h = p->question->client->host;
	const struct shown_tools *s;
	CLEANUP(buf_done) struct buf out = { 0 };

	p->lists = loop_now() < h->list_at && !bridge_settled(h->bridge);
	if (p->lists)
		return;
	s = bridge_shown(h->bridge);
	buf_text(&out, "{\"tools\":");
	buf_add(&out, s->listing.data, s->listing.len);
	host_add_caching(&out, p);
	buf_char(&out, '}');
	host_result(p, buf_string(&out));
}

/* One page; a cursor that nobody gave is none. */
static void list_tools(struct host_part *p)
{
	if (json_given(p->params, "cursor"))
		host_error(p, JSONRPC_INVALID_PARAMS, NULL,
			   "Invalid params: there is no such cursor");
	else
		host_list(p);
}

static void pong(struct host_part *p)
{
	host_result(p, "{}");
}

static const struct host_method_row {
	const char *name;
	void (*run)(struct host_part *p);
	bool legacy, modern;
} methods[] = {
	{ "initialize", initialize, true, false },
	{ "ping", pong, true, false },
	{ "tools/list", list_tools, true, true },
	{ "tools/call", host_call, true, true },
	{ "server/discover", host_discover, false, true },
	{ "subscriptions/listen", host_listen, false, true },
};

void host_method(struct host_part *p, const char *method)
{
	for (size_t i = 0; i < COUNT(methods); i++) {
		const struct host_method_row *m = &methods[i];

		if (strcmp(m->name, method) == 0 &&
		    (p->modern ? m->modern : m->legacy)) {
			m->run(p);
			return;
		}
	}
	host_error(p, JSONRPC_METHOD_NOT_FOUND, NULL,
		   "Method not found: '%.*s'", host_cut(method), method);
	if (p->modern)
		host_status(p, 404);
}
