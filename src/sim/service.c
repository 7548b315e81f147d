/* SPDX-License-Identifier: MIT */
/*
 * A pretend MCP server that is no device: its clients and their messages.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "clients/said.h"
#include "mcp/revision.h"
#include "mcp/rules.h"
#include "sim/service_call.h"
#include "sim/service_client.h"
#include "sim/service_era.h"
#include "sim/service_items.h"
#include "sim/service_profile.h"
#include "sim/service_reply.h"
#include "sim/service_rounds.h"
#include "sim/service_tasks.h"
#include "sim/service_tools.h"
#include "sim/service_watch.h"
#include "sim/service_ways.h"

/*
 * The table of methods, and those that say who the service is; the others have
 * files of their own.
 */

/* The revision that initialize with these params settles on; NULL: it is refused. */
static const char *service_settle(const cJSON *params)
{
	const char *wanted = json_string(params, "protocolVersion");
	const char *known = revision_known(ERA_LEGACY, wanted);

	if (!wanted || !json_object(params, "capabilities") ||
	    !json_string(json_object(params, "clientInfo"), "name"))
		return NULL;
	return known ? known : REVISION_NEWEST;
}

static void initialize(struct service_part *p)
{
	const struct service *s = service_of(p);
	const char *revision = service_settle(p->params);
	const char *version = json_string(s->tree, "version");
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!revision) {
		service_fail(
			p, JSONRPC_INVALID_PARAMS, NULL,
			"Invalid params: initialize needs 'protocolVersion', 'capabilities' and 'clientInfo' with a 'name'");
		return;
	}
	p->question->client->revision = revision;
	p->question->client->can =
		service_abilities(json_object(p->params, "capabilities"));
	buf_printf(&out, "{\"protocolVersion\":\"%s\"", revision);
	service_add_capabilities(p, &out);
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
}

static void ping(struct service_part *p)
{
	service_result(p, "{}");
}

static void set_level(struct service_part *p)
{
	int rank = log_level_rank(json_string(p->params, "level"));

	if (rank) {
		p->question->client->log_rank = rank;
		service_result(p, "{}");
		return;
	}
	service_fail(
		p, JSONRPC_INVALID_PARAMS, NULL,
		"Invalid params: 'level' must be debug, info, notice, warning, error, critical, alert or emergency");
}

#define BOTH (SERVICE_LEGACY | SERVICE_MODERN)

static const struct method {
	const char *name;
	void (*run)(struct service_part *p);
	unsigned eras; /* of enum service_eras */
	bool paged; /* takes a cursor; there is one page only */
	bool cacheable; /* its result says for how long (2026-07-28) */
} methods[] = {
	{ "initialize", initialize, SERVICE_LEGACY, false, false },
	{ "ping", ping, SERVICE_LEGACY, false, false },
	{ "server/discover", service_discover, SERVICE_MODERN, false, true },
	{ "tools/list", service_tools_list, BOTH, true, true },
	{ "tools/call", service_tasks_call, BOTH, false, false },
	{ "prompts/list", service_prompts_list, BOTH, true, true },
	{ "prompts/get", service_prompts_get, BOTH, false, false },
	{ "resources/list", service_resources_list, BOTH, true, true },
	{ "resources/templates/list", service_templates_list, BOTH, true,
	  true },
	{ "resources/read", service_resources_read, BOTH, false, true },
	{ "resources/subscribe", service_subscribe, SERVICE_LEGACY, false,
	  false },
	{ "resources/unsubscribe", service_unsubscribe, SERVICE_LEGACY, false,
	  false },
	{ "resources/get", service_resources_get, SERVICE_LEGACY, false,
	  false },
	{ "subscriptions/listen", service_feed, SERVICE_MODERN, false, false },
	{ "completion/complete", service_complete, BOTH, false, false },
	{ "logging/setLevel", set_level, SERVICE_LEGACY, false, false },
	{ "tasks/get", service_tasks_get, BOTH, false, false },
	{ "tasks/result", service_tasks_result, SERVICE_LEGACY, false, false },
	{ "tasks/list", service_tasks_list, SERVICE_LEGACY, true, false },
	{ "tasks/cancel", service_tasks_cancel, BOTH, false, false },
	{ "tasks/update", service_tasks_update, SERVICE_MODERN, false, false },
};

/* Whether p may use it: of its era, and where there is something to tell of. */
static bool offers(const struct service_part *p, const struct method *m)
{
	if (!(m->eras & (p->modern ? SERVICE_MODERN : SERVICE_LEGACY)))
		return false;
	if (text_starts(m->name, "tasks/"))
		return service_of(p)->has_tasks && service_has(p, "2025-11-25");
	return (m->run != service_subscribe && m->run != service_unsubscribe) ||
	       service_of(p)->updates;
}

static void unknown(struct service_part *p, const char *method)
{
	const char *names[COUNT(methods)] = { NULL };
	size_t len = text_cut(method, strlen(method), SERVICE_QUOTED);
	size_t count = 0;
	CLEANUP(mem_free_ptr) char *near = NULL;

	for (size_t i = 0; i < COUNT(methods); i++) {
		if (offers(p, methods + i))
			names[count++] = methods[i].name;
	}
	near = text_proposal(method, names, count);
	service_fail(p, JSONRPC_METHOD_NOT_FOUND, NULL,
		     "Method not found: '%.*s'%s", (int)len, method, near);
}

/* Run a method of a request. */
static void service_method(struct service_part *p, const char *method)
{
	for (size_t i = 0; i < COUNT(methods); i++) {
		if (strcmp(method, methods[i].name) != 0 ||
		    !offers(p, methods + i))
			continue;
		p->cacheable = p->modern && methods[i].cacheable;
		if (methods[i].paged && json_member(p->params, "cursor") &&
		    !(methods[i].run == service_tools_list &&
		      service_of(p)->ways.page_max))
			service_fail(
				p, JSONRPC_INVALID_PARAMS, NULL,
				"Invalid params: no such cursor: there is only one page");
		else
			methods[i].run(p);
		return;
	}
	if (p->modern || !text_starts(method, "tools/") ||
	    !service_tools_direct(p, method + strlen("tools/")))
		unknown(p, method);
}

/*
 * Messages of clients, one or a batch: JSON-RPC as the specification has it.
 * What the methods do is in the files beside it (service_state.h).
 */

static void cancel_part(struct service_part *p)
{
	if (p->call) {
		service_call_cancel(p->call);
		return;
	}
	service_feed_drop(p);
	p->awaits = NULL;
	service_part_over(p);
}

/* notifications/cancelled: the newest open request of that id. */
static void cancel(struct service_client *c, struct span message)
{
	struct service_question *q;
	struct span params, id;

	if (!json_span_member(message, "params", &params) ||
	    !json_span_member(params, "requestId", &id))
		return;
	for (q = c->first; q; q = q->next) {
		for (size_t i = 0; i < q->count; i++) {
			struct service_part *p = q->part + i;

			if ((!p->call && !p->feed && !p->awaits) ||
			    strlen(p->id) != id.len ||
			    memcmp(p->id, id.text, id.len) != 0)
				continue;
			cancel_part(p);
			return;
		}
	}
}

/* No message that JSON-RPC knows: what is wrong with it. */
static void refuse(struct service_part *p, const char *why)
{
	if (!p->id)
		p->id = mem_strdup("null");
	service_fail(p, JSONRPC_INVALID_REQUEST, NULL, "Invalid Request: %s",
		     why);
}

/* Like a request without a place for the reply. */
static void notice(struct service_part *p, const char *method,
		   struct span message)
{
	if (strcmp(method, "notifications/cancelled") == 0)
		cancel(p->question->client, message);
}

static void take_request(struct service_part *p, const char *method,
			 const cJSON *message)
{
	p->params = json_member(message, "params");
	if (p->params && !cJSON_IsObject(p->params)) {
		service_fail(p, JSONRPC_INVALID_PARAMS, NULL,
			     "Invalid params: 'params' must be an object");
	} else if (p->question->batch && strcmp(method, "initialize") == 0) {
		refuse(p, "initialize must not be part of a batch");
	} else if (p->modern ? service_era_begin(p, method) :
			       service_ways_begin(p, method)) {
		service_method(p, method);
	}
	p->params = NULL;
}

/* Who has a session has the revision that was settled on with it. */
static bool is_modern(const struct service_part *p, struct span text)
{
	const struct service_client *c = p->question->client;
	const struct mcp_said said = { text.text, text.len,
				       p->question->headers };

	return !c->revision && service_is_modern(c->service, &said);
}

static void take(struct service_part *p, const cJSON *message, struct span text)
{
	const struct service_client *c = p->question->client;
	const char *method = json_string(message, "method");
	const char *fault = said_fault(message);

	p->id = said_id(message, text);
	p->modern = is_modern(p, text);
	p->can = c->can;
	p->log_rank = c->log_rank;
	if (fault)
		refuse(p, fault);
	else if (method && p->id)
		take_request(p, method, message);
	else if (method)
		notice(p, method, text);
	else
		service_answered(p->question->client, message);
}

/* Make the parts of a question and run them. */
static void service_take(struct service_question *q, const struct mcp_said *m)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(said_done) struct said_all said;
	const int status =
		said_read(&said, m->text, m->len, q->client->revision, &why);
	const cJSON *message;
	struct span text;

	q->batch = said.batch;
	service_question_parts(q, said.count);
	if (status) {
		q->part->id = mem_strdup("null");
		service_fail(q->part, JSONRPC_PARSE_ERROR, NULL,
			     "Parse error: %s", why.text);
		return;
	}
	if (said.fault)
		refuse(q->part, said.fault);
	for (size_t i = 0; said_next(&said, &message, &text); i++)
		take(q->part + i, message, text);
}

/*
 * A service, its clients, and their questions from being asked to being
 * answered.
 */

static struct service *make(const struct service_config *config)
{
	struct service *s = mem_zalloc(sizeof(*s));

	s->config = *config;
	s->config.outside.loop = config->loop;
	return s;
}

struct service *service_load(const char *name_or_path,
			     const struct service_config *config,
			     struct error *err)
{
	struct service *s = make(config);

	if (!service_read(s, name_or_path, err))
		return s;
	service_free(s);
	return NULL;
}

struct service *service_load_text(const char *text, const char *file,
				  const struct service_config *config,
				  struct error *err)
{
	struct service *s = make(config);

	if (!service_parse(s, text, strlen(text), file, err))
		return s;
	service_free(s);
	return NULL;
}

void service_free(struct service *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->prompt_count; i++) {
		mem_free(s->prompt[i].text);
		mem_free(s->prompt[i].uri);
	}
	for (size_t i = 0; i < s->resource_count; i++)
		mem_free(s->resource[i].text);
	for (size_t i = 0; i < s->template_count; i++)
		mem_free(s->template[i].text);
	service_tasks_free(s);
	service_rounds_free(s);
	mem_free(s->template);
	mem_free(s->tool);
	mem_free(s->prompt);
	mem_free(s->resource);
	cJSON_Delete(s->tree);
	mem_free(s);
}

struct service_reach service_reach(const struct service *s)
{
	return s->ways.reach;
}

const char *service_name(const struct service *s)
{
	return s->name;
}

/* ---- questions ---- */

static struct service_question *ask(struct service_question *q,
				    const struct mcp_said *m)
{
	q->headers = m->headers;
	service_message(q->client, false, m->text, m->len);
	service_take(q, m);
	q->headers = NULL;
	return service_question_asked(q);
}

struct service_question *service_hear(struct service_client *c,
				      const struct mcp_said *m,
				      const struct mcp_hearer *h, void *owner)
{
	return ask(service_question_begin(c, h, owner), m);
}

struct service_question *service_ask(struct service_client *c, const char *text,
				     size_t len, mcp_done *done, void *owner)
{
	const struct mcp_said said = { text, len, NULL };
	struct service_question *q = service_question_begin(c, NULL, owner);

	q->own.done = done;
	return ask(q, &said);
}
