/* SPDX-License-Identifier: MIT */
/*
 * initialize in steps, and waited for. Dialects are the link's matter but for
 * the probe of an unknown one, since only MCP knows a harmless question.
 */
#include "mcp/opening.h"

#include <string.h>

#include "base/mem.h"
#include "mcp/client.h"
#include "mcp/client_start.h"
#include "mcp/initialize.h"
#include "mcp/kwargs.h"
#include "mcp/modern.h"
#include "mcp/revision.h"
#include "rpc/session_calls.h"
#include "wire/llm.h"

enum {
	PROBE_MS = 2000,
	DISCOVER_MS =
		5000, /* of silence, where that decides: a child process */
	ASK_AGAIN_MS = 5000,
	ASK_AGAIN_MIN_MS = 100
};

enum step {
	STEP_ERA, /* server/discover was asked; its answer decides which era */
	STEP_ASKED, /* the answer to `call` decides */
	STEP_PROBING, /* asked plain; a hello, an answer or silence decides */
	STEP_BOTH /* asked in the envelope too; what answers first decides */
};

struct client_opening {
	enum step step;
	struct call call, envelope;
	bool asked_era; /* server/discover was not understood before */
	bool era_again; /* it was asked once more */
	enum era_how how; /* why it was asked */
	const char *modern; /* the revision that it was asked with; static */
	struct buf envelope_params;
	const char *revision; /* that was asked for; static */
	bool chosen; /* it is one that the server named */
	int64_t silent_at; /* loop_now() ms: the end of STEP_PROBING */
	/* ms; of a peer that may not be there yet; 0: it is asked once more */
	int64_t every;
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

/* Of the first initialize; a later one leaves what the first gave. */
static void give_up(struct client *c)
{
	opening_free(c);
	if (!c->initialize.text)
		mem_free(TAKE(c->config));
}

static void drop_again(struct client *c)
{
	struct call *again = TAKE(c->again);

	if (!again)
		return;
	session_forget(c->session, again);
	call_done(again);
	mem_free(again);
}

void client_done(struct client *c)
{
	opening_free(c);
	drop_again(c);
	if (c->unwatch)
		c->unwatch(c);
	message_done(&c->initialize);
	mem_free(c->config);
	client_forget_tools(c);
	*c = (struct client){ 0 };
}

static void borrow_reply(struct client *c)
{
	const cJSON *result = c->initialize.result;

	c->revision = c->modern ? c->era.revision :
				  json_string(result, "protocolVersion");
	c->instructions = json_string(result, "instructions");
	c->capabilities = json_object(result, "capabilities");
	c->server_info = c->modern ? modern_server_info(result) :
				     json_object(result, "serverInfo");
	c->server_name = json_string(c->server_info, "name");
	c->server_version = json_string(c->server_info, "version");
	c->kwargs =
		c->config && c->config->kwargs && kwargs_wanted(c->server_info);
	session_name_codes(c->session, llm_is_service(c->server_name) ?
					       llm_code_name :
					       NULL);
}

/*
 * What serve kept when the device came; false: it has none. An own vision
 * service is told anew.
 */
static bool read_kept(struct client *c, const struct client_config *config)
{
	const struct peer_kept *kept = session_peer(c->session)->kept;

	if (!kept || !kept->initialize || (config && config->vision_url))
		return false;
	if (message_decode(&c->initialize, kept->initialize,
			   kept->initialize_len, NULL) == 0 &&
	    cJSON_IsObject(c->initialize.result))
		return true;
	message_done(&c->initialize);
	return false;
}

/* One block, with its texts behind it. */
static struct client_config *copy_config(const struct client_config *config)
{
	const struct client_config none = { 0 };
	const struct client_config *from = config ? config : &none;
	size_t url = from->vision_url ? strlen(from->vision_url) + 1 : 0;
	size_t token = from->vision_token ? strlen(from->vision_token) + 1 : 0;
	struct client_config *copy = mem_alloc(sizeof(*copy) + url + token);
	char *texts = (char *)(copy + 1);

	*copy = *from;
	if (url) {
		memcpy(texts, from->vision_url, url);
		copy->vision_url = texts;
	}
	if (token) {
		memcpy(texts + url, from->vision_token, token);
		copy->vision_token = texts + url;
	}
	return copy;
}

/* Devices are told of the vision service only. */
static void write_device_params(struct buf *out,
				const struct client_config *config)
{
	initialize_params(out, true, config->vision_url, config->vision_token);
}

static int64_t wait_left(const struct client *c)
{
	int64_t left = session_wait_deadline(c->session) - loop_now();

	return left > 0 ? left : 0;
}

static int64_t ask_ms(const struct client *c)
{
	int64_t left = wait_left(c), every = c->opening->every;

	return left && left < every ? left : every;
}

/* It dialled in, so nobody is asked in the envelope who did not say hello. */
static bool is_unsure(const struct client *c)
{
	return session_peer(c->session)->unsure;
}

static int start_initialize(struct client *c, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_opening *o = c->opening;
	struct client_config plain = *c->config;

	/* That is for a board, if it is one. */
	if (is_unsure(c))
		plain.vision_url = plain.vision_token = NULL;
	if (session_link(c->session)->dialect == DIALECT_DEVICE)
		write_device_params(&params, c->config);
	else
		initialize_params_plain(&params, o->revision, &plain);
	return session_start(c->session, &o->call, "initialize",
			     buf_string(&params), ask_ms(c), err);
}

/* What is lost at a broker while nobody is there is said again. */
static void set_every(struct client *c)
{
	int64_t every = wait_left(c) / 4;

	if (!session_unheard(c->session, NULL))
		return;
	if (every < ASK_AGAIN_MIN_MS)
		every = ASK_AGAIN_MIN_MS;
	c->opening->every = every < ASK_AGAIN_MS ? every : ASK_AGAIN_MS;
}

/* ---- the era ---- */

static void tell_era(const struct client *c, enum era era, struct span reply)
{
	const struct era_config *config = c->config ? &c->config->era : NULL;
	struct era_known known = c->era;

	known.era = era;
	/* It was told to be so, and its answer has shown it. */
	if (known.how == ERA_BY_OPTION)
		known.how = ERA_BY_ANSWER;
	if (config && config->found)
		config->found(config->owner, &known, reply);
}

void client_forget_era(struct client *c)
{
	tell_era(c, ERA_UNKNOWN, (struct span){ 0 });
}

static void be_modern(struct client *c, const char *revision, enum era_how how,
		      bool kept)
{
	c->modern = true;
	c->era = (struct era_known){ ERA_MODERN, how, kept, revision };
	session_alone(c->session, revision);
	borrow_reply(c);
}

static void be_legacy(struct client *c, enum era_how how, bool kept)
{
	if (c->modern)
		session_alone(c->session, NULL);
	c->modern = false;
	c->era = (struct era_known){ ERA_LEGACY, how, kept, NULL };
}

void client_take_description(struct client *c, struct message *reply)
{
	message_done(&c->initialize);
	message_take(&c->initialize, reply);
	c->described = c->confirmed = true;
	borrow_reply(c);
	tell_era(c, ERA_MODERN,
		 (struct span){ c->initialize.text, c->initialize.len });
}

/* What was kept of it, where that can still be read. */
static void take_kept_reply(struct client *c, struct span reply)
{
	c->initialize_us = -1;
	if (reply.text &&
	    message_decode(&c->initialize, reply.text, reply.len, NULL))
		message_done(&c->initialize);
}

/* Told to be asked what it never is. */
static int refuse_device(const struct client *c, struct error *err)
{
	const char *who = session_peer(c->session)->address;

	if (session_link(c->session)->dialect == DIALECT_UNKNOWN) {
		error_set(
			err, ERR_USAGE,
			"'%s' may be a board, and those are never asked for the modern era of MCP (--era)",
			who ? who : "the peer");
		return error_hint(
			err, "--envelope plain says that it is an MCP server");
	}
	error_set(
		err, ERR_USAGE,
		"'%s' is a board: those are of the legacy era of MCP alone, and never asked for the modern one (--era)",
		who ? who : "the peer");
	return error_hint(err,
			  "leave --era out, or MCPCTL_ERA, or protocolEra");
}

int client_assume_modern(struct client *c, struct session *s,
			 const struct client_config *config, struct error *err)
{
	*c = (struct client){ .session = s, .log_level = config->log_level };
	if (session_link(s)->dialect == DIALECT_DEVICE)
		return refuse_device(c, err);
	c->config = copy_config(config);
	take_kept_reply(c, config->era.reply);
	be_modern(c,
		  config->era.revision ? config->era.revision : MODERN_NEWEST,
		  config->era.how, config->era.kept);
	return 0;
}

static bool is_http(const struct client *c)
{
	return session_takes_headers(c->session);
}

static int ask_era(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;
	const int64_t most = session_timeout(c->session);
	const struct client_request rq = {
		.method = "server/discover",
		.timeout = is_http(c) || most < DISCOVER_MS ? 0 : DISCOVER_MS,
	};

	o->step = STEP_ERA;
	o->call.probe = true;
	return client_start_modern(c, &o->call, &rq, o->modern, err);
}

static int begin_era(struct client *c, enum era_how how, struct error *err)
{
	struct client_opening *o = mem_zalloc(sizeof(*o));

	c->opening = o;
	o->revision = REVISION_NEWEST;
	o->modern = MODERN_NEWEST;
	o->how = how;
	if (ask_era(c, err) == 0)
		return 0;
	give_up(c);
	return -1;
}

static int begin(struct client *c, struct error *err)
{
	struct client_opening *o = mem_zalloc(sizeof(*o));

	c->opening = o;
	o->step = STEP_ASKED;
	o->revision = REVISION_NEWEST;
	if (session_link(c->session)->dialect == DIALECT_UNKNOWN) {
		o->step = STEP_PROBING;
		o->silent_at = loop_now() + PROBE_MS;
		write_device_params(&o->envelope_params, c->config);
	}
	set_every(c);
	if (start_initialize(c, err) == 0)
		return 0;
	give_up(c);
	return -1;
}

/* Devices are of the first era; they are never asked. */
static int begin_as_known(struct client *c, const struct era_config *known,
			  struct error *err)
{
	bool plain = session_link(c->session)->dialect == DIALECT_PLAIN;

	if (known && known->era == ERA_MODERN && known->revision) {
		take_kept_reply(c, known->reply);
		be_modern(c, known->revision, known->how, known->kept);
		return 0;
	}
	if (plain && known &&
	    (known->era == ERA_MODERN ||
	     (known->era == ERA_UNKNOWN && known->asks)))
		return begin_era(c, known->how, err);
	if (known && known->told && known->era == ERA_MODERN)
		return refuse_device(c, err);
	be_legacy(c, known ? known->how : ERA_BY_KIND, known && known->kept);
	return begin(c, err);
}

/* Of a server that is kept open: what server/discover says, or initialize. */
static const char *kept_revision(const struct client *c)
{
	return session_peer(c->session)->held ?
		       revision_discovered(c->initialize.result) :
		       NULL;
}

/* All who share it speak the era in which it was begun. */
static int check_kept(const struct client *c,
		      const struct client_config *config, struct error *err)
{
	const enum era kept = kept_revision(c) ? ERA_MODERN : ERA_LEGACY;

	if (!session_peer(c->session)->held || !config || !config->era.told ||
	    config->era.era == kept)
		return 0;
	error_set(
		err, ERR_USAGE,
		"the server is kept open in the %s era of MCP, which all commands share, and not in the %s one (--era)",
		era_name(kept), era_name(config->era.era));
	return error_hint(
		err,
		"'mcpctl close' ends it; 'open' with --era begins it in the other one");
}

static void take_kept(struct client *c, const struct client_config *config)
{
	const char *modern = kept_revision(c);

	c->initialize_us = -1;
	c->device = session_link(c->session)->dialect == DIALECT_DEVICE;
	if (!modern) {
		borrow_reply(c);
		return;
	}
	c->config = copy_config(config);
	/* What is known of it is serve's to keep, and no file's. */
	c->config->era.found = NULL;
	be_modern(c, modern, ERA_BY_ANSWER, false);
	c->described = c->confirmed = true;
}

int client_begin(struct client *c, struct session *s,
		 const struct client_config *config, struct error *err)
{
	*c = (struct client){ .session = s,
			      .log_level = config ? config->log_level : NULL };
	if (read_kept(c, config)) {
		if (check_kept(c, config, err)) {
			client_done(c);
			return -1;
		}
		take_kept(c, config);
		return 0;
	}
	c->config = copy_config(config);
	return begin_as_known(c, config ? &config->era : NULL, err);
}

/* A short --timeout may have ended it meanwhile. */
static bool is_silent(const struct call *call)
{
	return !call->done || call->failure.kind == ERR_TIMEOUT;
}

static int refuse_silence(struct client *c)
{
	const char *who = session_peer(c->session)->address;
	struct error *why = &c->opening->call.failure;

	error_reset(why);
	error_set(
		why, ERR_TIMEOUT,
		"'%s' is connected, said no hello, and did not answer 'initialize'",
		who ? who : "the peer");
	error_finding(why, "D102");
	return error_hint(
		why,
		"a board says hello at once, a tool side (an MCP server that dials in) answers; is it a client? That finds a server at 'mcpctl sim --listen'");
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

	bool waits = is_unsure(c) ? !o->call.done : loop_now() < o->silent_at;

	if (!link->up && waits && !session_is_over(c->session))
		return 0;
	if (link->has_hello && session_poll_up(c->session, err) < 0)
		return -1;
	o->step = STEP_ASKED;
	if (!is_silent(&o->call) || link->dialect == DIALECT_PLAIN)
		return 0;
	if (is_unsure(c) && !link->has_hello) {
		if (o->call.failure.kind == ERR_TIMEOUT)
			refuse_silence(c);
		return 0;
	}
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
	if (o->envelope.failure.kind == ERR_TIMEOUT) {
		error_prefix(&o->envelope.failure,
			     "asked plain and in the envelope");
		if (session_is_mute(c->session))
			error_finding(&o->envelope.failure, "N122");
	}
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

/* Some refuse a revision instead of naming their own (-32602, -32022). */
static const char *revision_offered(const struct call *call)
{
	const cJSON *data = json_object(call->reply.error, "data");

	return call->failure.kind == ERR_PEER ?
		       revision_choose(ERA_LEGACY,
				       json_array(data, "supported")) :
		       NULL;
}

/* 1: another revision is asked for; 0: it is not. */
static int choose_revision(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;
	const char *offered = revision_offered(&o->call);

	if (!offered || o->chosen || strcmp(offered, o->revision) == 0 ||
	    session_link(c->session)->dialect == DIALECT_DEVICE)
		return 0;
	o->chosen = true;
	o->revision = offered;
	return start_initialize(c, err) ? -1 : 1;
}

static int refuse_revision(const struct client_opening *o, const char *revision,
			   struct error *err)
{
	error_set(
		err, ERR_PROTOCOL,
		"the server answered 'initialize' with revision '%.60s', which is not known here ('%s' was asked for)",
		revision, o->revision);
	return error_hint(
		err,
		"mcpctl speaks " REVISIONS
		"; --no-init asks without 'initialize', if the server lets it");
}

/*
 * Of a device any will do (device.md 3.4). A server without one broke the
 * protocol, but can be spoken to; 'info' shows that it has none.
 */
static int check_revision(const struct client *c, const struct call *call,
			  struct error *err)
{
	const char *revision =
		json_string(call->reply.result, "protocolVersion");
	enum dialect dialect = session_link(c->session)->dialect;

	if (dialect == DIALECT_DEVICE || !revision ||
	    revision_known(ERA_LEGACY, revision))
		return 0;
	return refuse_revision(c->opening, revision, err);
}

/*
 * Whether something of it is for messages that nobody asked for. Its tools and
 * prompts, its resources, are only if they change; completions never are; what
 * is not known here is, unless it is empty ("experimental").
 */
static bool may_speak(const cJSON *capabilities)
{
	static const char *const lists[] = { "tools", "prompts", "resources" };
	const cJSON *each;

	cJSON_ArrayForEach(each, capabilities) {
		bool speaks =
			cJSON_IsObject(each) &&
			(each->child || strcmp(each->string, "logging") == 0);

		for (size_t i = 0; i < COUNT(lists); i++) {
			if (strcmp(each->string, lists[i]) == 0)
				speaks = json_true(each, "listChanged") ||
					 json_true(each, "subscribe");
		}
		if (speaks && strcmp(each->string, "completions") != 0)
			return true;
	}
	return false;
}

static void keep_reply(struct client *c, struct call *call)
{
	message_done(&c->initialize);
	message_take(&c->initialize, &call->reply);
	c->initialize_us = call->ended_us - call->started_us;
	c->device = session_link(c->session)->dialect == DIALECT_DEVICE;
	borrow_reply(c);
	if (!c->device)
		session_negotiated(c->session, c->revision ? c->revision : "",
				   may_speak(c->capabilities));
}

/* As choose_revision: the peer may come while it is waited for, or is slow. */
static int ask_again(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;
	bool unheard = session_unheard(c->session, NULL);

	if (o->call.failure.kind != ERR_TIMEOUT || !o->every ||
	    (unheard && !wait_left(c)))
		return 0;
	if (!unheard)
		o->every = 0;
	return start_initialize(c, err) ? -1 : 1;
}

/* It says which era it is of, by refusing the other one. */
static const char *offers_modern(const struct client *c)
{
	const struct client_opening *o = c->opening;
	const cJSON *data = json_object(o->call.reply.error, "data");

	if (o->call.failure.kind != ERR_PEER ||
	    (c->config && c->config->era.told) ||
	    session_link(c->session)->dialect != DIALECT_PLAIN)
		return NULL;
	return revision_choose(ERA_MODERN, json_array(data, "supported"));
}

static int ask_modern(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;
	const char *offered = offers_modern(c);

	if (!offered || o->asked_era)
		return 0;
	o->asked_era = true;
	o->how = ERA_BY_REFUSAL;
	o->modern = offered;
	return ask_era(c, err) ? -1 : 1;
}

/*
 * It said so, but had no answer to server/discover that could be read: what it
 * speaks is known all the same.
 */
static bool take_its_word(struct client *c)
{
	const char *offered = c->opening->asked_era ? offers_modern(c) : NULL;

	if (!offered)
		return false;
	be_modern(c, offered, ERA_BY_REFUSAL, false);
	return true;
}

/* "neither was understood", where that is so of both. */
static void name_both(const struct client_opening *o, struct error *err)
{
	bool refused = err->kind == ERR_PEER || err->kind == ERR_PROTOCOL;

	modern_explain(err, o->call.reply.error);
	if (refused && o->asked_era && err->code != MODERN_UNSUPPORTED_VERSION)
		error_prefix(
			err,
			"neither 'server/discover' nor 'initialize' was understood");
	else if (err->kind == ERR_PEER)
		error_prefix(err, "'initialize' was refused");
}

/* 0: asked once more. 1: it is open. */
static int take_failure(struct client *c, struct error *err)
{
	const struct call *call = &c->opening->call;
	CLEANUP(error_reset) struct error silence = { 0 };
	int more = choose_revision(c, err);

	if (!more)
		more = ask_modern(c, err);
	if (!more)
		more = ask_again(c, err);
	if (more)
		return more > 0 ? 0 : -1;
	if (take_its_word(c))
		return 1;
	if (call->failure.kind == ERR_TIMEOUT)
		session_unheard(c->session, &silence);
	error_copy(err, silence.kind != ERR_NONE ? &silence : &call->failure);
	name_both(c->opening, err);
	return -1;
}

/* Only what was asked is worth to be kept. */
static void tell_legacy(const struct client *c)
{
	if (!c->era.kept && c->era.how != ERA_BY_KIND &&
	    c->era.how != ERA_BY_OPTION)
		tell_era(c, ERA_LEGACY, (struct span){ 0 });
}

static enum era_verdict judge_era(const struct client *c, const char **revision)
{
	const struct client_opening *o = c->opening;
	const struct era_answer answer = {
		.failure = &o->call.failure,
		.result = o->call.reply.result,
		.error = o->call.reply.error,
		.http = is_http(c),
		.again = o->era_again,
	};

	return era_judge(&answer, revision);
}

/* It is not to be asked in the other way, or is not of it. */
static int refuse_era(struct client *c, struct error *err)
{
	const struct call *call = &c->opening->call;

	if (call->failure.kind != ERR_NONE) {
		error_copy(err, &call->failure);
		modern_explain(err, call->reply.error);
		error_prefix(err, "'server/discover' was not understood");
	} else {
		error_set(
			err, ERR_PROTOCOL,
			"the server names no revision of MCP from " MODERN_NEWEST
			" on in its answer to 'server/discover'");
	}
	return error_hint(err,
			  "--era auto finds out which revisions it speaks");
}

/* How it was found out that it is of the first era. */
static enum era_how how_legacy(const struct client_opening *o)
{
	return o->call.failure.kind == ERR_TIMEOUT ? ERA_BY_SILENCE :
						     ERA_BY_ANSWER;
}

static int go_legacy(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;

	if (c->config->era.told)
		return refuse_era(c, err);
	be_legacy(c, how_legacy(o), false);
	o->step = STEP_ASKED;
	o->asked_era = true;
	o->call.probe = false;
	return start_initialize(c, err);
}

static int go_modern(struct client *c, const char *revision)
{
	struct client_opening *o = c->opening;
	int64_t took_us = o->call.ended_us - o->call.started_us;

	be_modern(c, revision, o->how, false);
	if (o->call.failure.kind == ERR_NONE) {
		client_take_description(c, &o->call.reply);
		c->initialize_us = took_us;
	}
	return 1;
}

/* As take_reply. */
static int take_era(struct client *c, struct error *err)
{
	struct client_opening *o = c->opening;
	const char *revision;

	switch (judge_era(c, &revision)) {
	case ERA_IS_MODERN:
		return go_modern(c, revision);
	case ERA_IS_LEGACY:
		return go_legacy(c, err);
	case ERA_AGAIN:
		o->era_again = true;
		o->modern = revision;
		return ask_era(c, err);
	case ERA_OPEN:
		break;
	}
	c->probed = true;
	error_copy(err, &o->call.failure);
	modern_explain(err, o->call.reply.error);
	if (err->kind == ERR_TIMEOUT)
		error_hint(
			err,
			"--era legacy begins with initialize; --timeout waits longer");
	return -1;
}

/* 1: open. 0: not yet, asked once more. */
static int take_reply(struct client *c, struct error *err)
{
	struct call *call = &c->opening->call;

	if (call->failure.kind != ERR_NONE)
		return take_failure(c, err);
	if (!cJSON_IsObject(call->reply.result))
		return refuse_reply(call, err);
	if (check_revision(c, call, err))
		return -1;
	keep_reply(c, call);
	tell_legacy(c);
	return session_notify(c->session, "notifications/initialized", NULL,
			      err) ?
		       -1 :
		       1;
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
	if (status == 0 &&
	    ((o->step != STEP_ASKED && o->step != STEP_ERA) || !o->call.done))
		return 0;
	if (status == 0)
		status = o->step == STEP_ERA ? take_era(c, err) :
					       take_reply(c, err);
	if (status > 0)
		opening_free(c);
	else if (status < 0)
		give_up(c);
	return status;
}

int64_t client_poll_at(const struct client *c)
{
	const struct client_opening *o = c->opening;

	return o && o->step == STEP_PROBING ? o->silent_at : LOOP_FOREVER;
}

static int wait_open(struct client *c, struct error *err)
{
	int status;

	while ((status = client_poll(c, err)) == 0) {
		CLEANUP(error_reset) struct error why = { 0 };

		/* The end of the connection is told by the call itself. */
		if (session_step(c->session, NULL, client_poll_at(c), &why) &&
		    why.kind == ERR_INTERRUPTED) {
			give_up(c);
			error_copy(err, &why);
			return -1;
		}
	}
	return status > 0 ? 0 : -1;
}

int client_open(struct client *c, struct session *s,
		const struct client_config *config, struct error *err)
{
	return client_begin(c, s, config, err) ? -1 : wait_open(c, err);
}

void client_greeted(struct client *c)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	if (!c->config || c->opening || !session_peer(c->session)->standby)
		return;
	drop_again(c);
	c->again = mem_zalloc(sizeof(*c->again));
	write_device_params(&params, c->config);
	/* If it cannot be sent, the connection is over, and that is told. */
	session_start(c->session, c->again, "initialize", buf_string(&params),
		      0, &ignored);
}

int client_find_era(struct client *c, struct error *err)
{
	client_forget_era(c);
	return begin_era(c, ERA_BY_ANSWER, err) ? -1 : wait_open(c, err);
}

int client_reopen(struct client *c, struct error *err)
{
	return begin(c, err) ? -1 : wait_open(c, err);
}
