/* SPDX-License-Identifier: MIT */
/*
 * initialize in steps, and waited for. Dialects are the link's matter but for
 * the probe of an unknown one, since only MCP knows a harmless question.
 */
#include <string.h>

#include "base/mem.h"
#include "mcp/client.h"
#include "mcp/initialize.h"

enum { PROBE_MS = 2000 };

enum step {
	STEP_ASKED, /* the answer to `call` decides */
	STEP_PROBING, /* asked plain; a hello, an answer or silence decides */
	STEP_BOTH /* asked in the envelope too; what answers first decides */
};

struct client_opening {
	enum step step;
	struct call call, envelope;
	struct buf envelope_params;
	int64_t silent_at; /* loop_now() ms: the end of STEP_PROBING */
};

static void opening_free(struct client *c)
{
	struct client_opening *o = TAKE(c->opening);

	if (!o)
		return;
	session_forget(c->session, &o->call);
	session_forget(c->session, &o->envelope);
	call_done(&o->call);
	call_done(&o->envelope);
	buf_done(&o->envelope_params);
	mem_free(o);
}

void client_done(struct client *c)
{
	opening_free(c);
	message_done(&c->initialize);
	*c = (struct client){ 0 };
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

static void write_params(struct buf *out, bool device,
			 const struct client_config *config)
{
	initialize_params(out, device, config ? config->vision_url : NULL,
			  config ? config->vision_token : NULL);
}

int client_begin(struct client *c, struct session *s,
		 const struct client_config *config, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	enum dialect dialect = session_link(s)->dialect;
	struct client_opening *o;

	*c = (struct client){ .session = s };
	if (take_kept(c, config)) {
		c->initialize_us = -1;
		c->device = dialect == DIALECT_DEVICE;
		borrow_reply(c);
		return 0;
	}
	o = c->opening = mem_zalloc(sizeof(*o));
	write_params(&params, dialect == DIALECT_DEVICE, config);
	if (dialect == DIALECT_UNKNOWN) {
		o->step = STEP_PROBING;
		o->silent_at = loop_now() + PROBE_MS;
		write_params(&o->envelope_params, true, config);
	}
	if (session_start(s, &o->call, "initialize", buf_string(&params), 0,
			  err) == 0)
		return 0;
	opening_free(c);
	return -1;
}

/* A short --timeout may have ended it meanwhile. */
static bool is_silent(const struct call *call)
{
	return !call->done || call->failure.kind == ERR_TIMEOUT;
}

/*
 * The dialect is not known: plain first; after two seconds of silence, or a
 * device's hello, the envelope, since a slow plain server may still answer the
 * first question.
 */
static int step_probing(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;
	const struct link *link = session_link(c->session);

	if (!link->up && loop_now() < o->silent_at &&
	    !session_is_over(c->session))
		return 0;
	if (link->has_hello && session_poll_up(c->session, err) < 0)
		return -1;
	o->step = STEP_ASKED;
	if (!is_silent(&o->call) || link->dialect == DIALECT_PLAIN)
		return 0;
	o->step = STEP_BOTH;
	session_settle(c->session, DIALECT_DEVICE);
	return session_start(c->session, &o->envelope, "initialize",
			     buf_string(&o->envelope_params), 0, err);
}

static void step_both(struct client *c)
{
	struct client_opening *o = c->opening;

	if (!is_silent(&o->call)) {
		session_settle(c->session, DIALECT_PLAIN);
		session_forget(c->session, &o->envelope);
		o->step = STEP_ASKED;
		return;
	}
	/* Answers may be bare in either case (device.md 3.11). */
	if (!o->envelope.done)
		return;
	if (o->envelope.failure.kind == ERR_TIMEOUT)
		error_prefix(&o->envelope.failure,
			     "asked plain and in the envelope");
	session_forget(c->session, &o->call);
	call_done(&o->call);
	o->call = o->envelope;
	o->envelope = (struct call){ 0 };
	o->step = STEP_ASKED;
}

static int refuse_reply(const struct call *call, struct error *err)
{
	error_set(err, ERR_PROTOCOL,
		  "the reply to 'initialize' has no result object");
	return error_detail(err, call->reply.text, call->reply.len);
}

static int take_reply(struct client *c, struct error *err)
{
	struct call *call = &c->opening->call;

	if (call->failure.kind != ERR_NONE) {
		error_copy(err, &call->failure);
		if (call->failure.kind == ERR_PEER)
			error_prefix(err, "'initialize' was refused");
		return -1;
	}
	if (!cJSON_IsObject(call->reply.result))
		return refuse_reply(call, err);
	message_take(&c->initialize, &call->reply);
	c->initialize_us = call->ended_us - call->started_us;
	c->device = session_link(c->session)->dialect == DIALECT_DEVICE;
	borrow_reply(c);
	return session_notify(c->session, "notifications/initialized", NULL,
			      err);
}

int client_poll(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;
	int status = 0;

	if (!o)
		return 1;
	if (o->step == STEP_PROBING)
		status = step_probing(c, err);
	if (status == 0 && o->step == STEP_BOTH)
		step_both(c);
	if (status == 0 && (o->step != STEP_ASKED || !o->call.done))
		return 0;
	if (status == 0)
		status = take_reply(c, err);
	opening_free(c);
	return status ? -1 : 1;
}

int64_t client_poll_at(const struct client *c)
{
	const struct client_opening *o = c->opening;

	return o && o->step == STEP_PROBING ? o->silent_at : LOOP_FOREVER;
}

int client_open(struct client *c, struct session *s,
		const struct client_config *config, struct error *err)
{
	int status;

	if (client_begin(c, s, config, err))
		return -1;
	while ((status = client_poll(c, err)) == 0) {
		CLEANUP(error_reset) struct error why = { 0 };

		/* The end of the connection is told by the call itself. */
		if (session_step(s, NULL, client_poll_at(c), &why) &&
		    why.kind == ERR_INTERRUPTED) {
			opening_free(c);
			error_copy(err, &why);
			return -1;
		}
	}
	return status > 0 ? 0 : -1;
}
