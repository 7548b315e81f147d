/* SPDX-License-Identifier: MIT */
/*
 * initialize, list, call, ping over a session, each waiting for its answer.
 * Shows nothing; dialects are the link's matter but for the probe of an
 * unknown one, since only MCP knows a harmless question.
 */
#include "mcp/client.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/initialize.h"

enum { PROBE_MS = 2000 };

static void add_string(struct buf *out, const char *text)
{
	buf_json_string(out, text, strlen(text));
}

static int start_initialize(struct session *s, struct call *c,
			    const struct client_config *config,
			    struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	bool device = session_link(s)->dialect == DIALECT_DEVICE;

	initialize_params(&params, device, config ? config->vision_url : NULL,
			  config ? config->vision_token : NULL);
	return session_start(s, c, "initialize", buf_string(&params), 0, err);
}

/* A short --timeout may have ended it meanwhile. */
static bool is_silent(const struct call *call)
{
	return !call->done || call->failure.kind == ERR_TIMEOUT;
}

/*
 * Ask again in the envelope and take the answer that comes first, since a
 * slow plain server may still answer the first question.
 */
static int probe_device(struct session *s, struct call *plain,
			struct call *device, const struct client_config *config,
			struct error *err)
{
	session_settle(s, DIALECT_DEVICE);
	if (start_initialize(s, device, config, err) ||
	    session_wait_either(s, plain, device, err))
		return -1;
	if (!is_silent(plain)) {
		session_settle(s, DIALECT_PLAIN);
		session_forget(s, device);
		return 0;
	}
	/* Answers may be bare in either case (device.md 3.11). */
	if (session_wait(s, device, err)) {
		if (err && err->kind == ERR_TIMEOUT)
			error_prefix(err, "asked plain and in the envelope");
		return -1;
	}
	session_forget(s, plain);
	call_done(plain);
	*plain = *device;
	*device = (struct call){ 0 };
	return 0;
}

/*
 * The dialect is not known: plain first; after two seconds of silence, or a
 * device's hello, the envelope. The answer ends up in `call`.
 */
static int probe(struct session *s, struct call *call,
		 const struct client_config *config, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(call_done) struct call device = { 0 };
	const struct link *link = session_link(s);
	int status = 0;

	if (start_initialize(s, call, config, err))
		return -1;
	/* The end of the connection is told by the call itself. */
	if (session_watch(s, &link->up, loop_now() + PROBE_MS, &why) &&
	    why.kind == ERR_INTERRUPTED) {
		session_forget(s, call);
		error_copy(err, &why);
		return -1;
	}
	if (link->has_hello)
		status = session_wait_up(s, err);
	if (!status && is_silent(call) && link->dialect != DIALECT_PLAIN)
		status = probe_device(s, call, &device, config, err);
	if (!status)
		status = session_wait(s, call, err);
	session_forget(s, call);
	session_forget(s, &device);
	return status;
}

static int initialize(struct session *s, struct call *call,
		      const struct client_config *config, struct error *err)
{
	int status;

	if (session_link(s)->dialect == DIALECT_UNKNOWN)
		return probe(s, call, config, err);
	if (start_initialize(s, call, config, err))
		return -1;
	status = session_wait(s, call, err);
	session_forget(s, call);
	return status;
}

static void borrow_reply(struct client *c)
{
	const cJSON *result = c->initialize.result;

	c->revision = json_string(result, "protocolVersion");
	c->instructions = json_string(result, "instructions");
	c->capabilities = json_object(result, "capabilities");
	c->server_info = json_object(result, "serverInfo");
	c->server_name = json_string(c->server_info, "name");
	c->server_version = json_string(c->server_info, "version");
}

static int refuse_reply(const struct call *call, struct error *err)
{
	error_set(err, ERR_PROTOCOL,
		  "the reply to 'initialize' has no result object");
	return error_detail(err, call->reply.text, call->reply.len);
}

/*
 * What serve kept when the device came; false: it has none. An own vision
 * service is told anew.
 */
static bool take_kept(struct client *c, const struct client_config *config)
{
	const struct session_peer *peer = session_peer(c->session);

	if (!peer->initialize || (config && config->vision_url))
		return false;
	if (message_decode_take(&c->initialize, NULL, peer->initialize,
				peer->initialize_len, NULL) == 0 &&
	    cJSON_IsObject(c->initialize.result))
		return true;
	message_done(&c->initialize);
	return false;
}

int client_open(struct client *c, struct session *s,
		const struct client_config *config, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };

	*c = (struct client){ .session = s };
	if (take_kept(c, config)) {
		c->initialize_us = -1;
		c->device = session_link(s)->dialect == DIALECT_DEVICE;
		borrow_reply(c);
		return 0;
	}
	if (initialize(s, &call, config, err)) {
		if (err && err->kind == ERR_PEER)
			error_prefix(err, "'initialize' was refused");
		return -1;
	}
	if (!cJSON_IsObject(call.reply.result))
		return refuse_reply(&call, err);
	message_take(&c->initialize, &call.reply);
	c->initialize_us = call.ended_us - call.started_us;
	c->device = session_link(s)->dialect == DIALECT_DEVICE;
	borrow_reply(c);
	return session_notify(s, "notifications/initialized", NULL, err);
}

void client_done(struct client *c)
{
	message_done(&c->initialize);
	*c = (struct client){ 0 };
}

static int list_page(struct client *c, struct listing *listing,
		     struct buf *params, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };

	listing_params(listing, params);
	if (session_call(c->session, &call, "tools/list",
			 params->len ? buf_string(params) : NULL, err))
		return listing_failed(listing, err);
	return listing_feed_take(listing, &call.reply, err);
}

int client_list_tools(struct client *c, bool backend_view,
		      struct tool_list *out, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct listing listing;
	int status = 0;

	*out = (struct tool_list){ 0 };
	listing_init(&listing, out, c->device && !backend_view);
	while (!status && !listing.done)
		status = list_page(c, &listing, &params, err);
	listing_done(&listing);
	return status;
}

int client_tool_error(const struct result *r, struct error *err)
{
	const char *text = NULL;

	for (size_t i = 0; i < r->count && !text; i++) {
		if (r->content[i].kind == CONTENT_TEXT)
			text = r->content[i].text;
	}
	if (!text || !text[0])
		return error_set(err, ERR_PEER,
				 "the tool reported an error without a text");
	error_set(err, ERR_PEER, "%s", text);
	if (strlen(text) >= sizeof(err->text))
		error_detail(err, text, strlen(text));
	return -1;
}

/*
 * Firmware restarts before the answer is sent (device.md 3.9), also boards that
 * are dialled in plain JSON-RPC.
 */
static bool restarted_as_told(const struct client *c, const struct call *call)
{
	return call->done && call->failure.kind == ERR_CONNECT &&
	       !session_is_open(c->session) &&
	       strcmp(call->subject, "self.reboot") == 0;
}

static int finish_tool_call(struct client *c, struct call *call, int status,
			    struct result *out, struct error *err)
{
	int64_t took = call->ended_us - call->started_us;

	if (status && restarted_as_told(c, call)) {
		error_reset(err);
		out->note = "the device restarted: the connection dropped, as "
			    "it does for 'self.reboot', which firmware never "
			    "answers";
		out->took_us = took;
		return 0;
	}
	if (status) {
		message_take(&out->message, &call->reply);
		out->took_us = took;
		return -1;
	}
	result_decode_take(out, &call->reply);
	out->took_us = took;
	return out->is_error ? client_tool_error(out, err) : 0;
}

int client_call_tool(struct client *c, const char *name, const char *arguments,
		     struct result *out, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	int status;

	*out = (struct result){ 0 };
	buf_text(&params, "{\"name\":");
	add_string(&params, name);
	buf_printf(&params, ",\"arguments\":%s}",
		   arguments && arguments[0] ? arguments : "{}");
	call.subject = mem_strdup(name);
	status = session_call(c->session, &call, "tools/call",
			      buf_string(&params), err);
	return finish_tool_call(c, &call, status, out, err);
}

/* A reply whose JSON is broken is an answer too. */
static bool is_answer(const struct call *call)
{
	return call->done && (call->broken || call->failure.kind == ERR_PEER);
}

int client_ping(struct client *c, int64_t *took_us, bool *was_error,
		struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	int status = session_call(c->session, &call, "ping", NULL, err);

	*took_us = call.ended_us - call.started_us;
	*was_error = status != 0;
	if (!status || !is_answer(&call))
		return status;
	error_reset(err);
	return 0;
}

/* The tool that a tools/call names, for messages about it; NULL. */
static char *params_subject(const char *method, const char *params)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	if (!params || strcmp(method, "tools/call") != 0)
		return NULL;
	tree = json_parse(params, strlen(params), &ignored);
	return mem_strdup(json_string(tree, "name"));
}

int client_request(struct client *c, const char *method, const char *params,
		   struct message *out, int64_t *took_us, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	int status;

	call.subject = params_subject(method, params);
	status = session_call(c->session, &call, method, params, err);
	*took_us = call.ended_us - call.started_us;
	message_take(out, &call.reply);
	return status;
}
