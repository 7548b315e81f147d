/* SPDX-License-Identifier: MIT */
/*
 * A device, or another MCP server, asked from the least risky question on
 * (device.md 3): what it says by itself, what it lists, what it makes of
 * questions that nobody should mind, of calls, of what is odd.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/against.h"
#include "check/calls.h"
#include "check/parts.h"
#include "check/power_cycle.h"
#include "check/questions.h"
#include "cli/catalog_file.h"
#include "cli/round_trip.h"
#include "diag/list_rules.h"
#include "mcp/client_start.h"

/*
 * The way to a peer: who it is, and how fast each of its layers answers
 * (diag/ladder.h), of TIMES round trips.
 */

#define TIMES 10

struct pace {
	int64_t loop_us[TIMES];
	int64_t tcp_us, ws_us; /* of the last one; -1: there is none */
	bool silent; /* Ping is not answered */
	unsigned count, asked;
	const char *loop; /* "main loop" */
};

/* Until one is not answered: the questions behind it tell why. */
static int measure(struct connection *c, struct pace *p, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct ping_record one;

	while (p->count < TIMES && !p->silent && why.kind == ERR_NONE) {
		p->asked++;
		if (round_trip(c, &one, &why))
			break;
		p->loop_us[p->count++] = one.took_us;
		p->tcp_us = one.tcp_us;
		p->ws_us = one.ws_us;
		p->silent = one.ws_silent;
	}
	ping_sort(p->loop_us, p->count);
	if (why.kind != ERR_INTERRUPTED)
		return 0;
	error_copy(err, &why);
	return -1;
}

static void add(struct buf *out, const char *name, int64_t us)
{
	char time[TEXT_ROOM];

	if (us < 0)
		return;
	buf_printf(out, "%s%s %s", out->len ? ", " : "", name,
		   text_microseconds(us, time, sizeof(time)));
}

static void put_words(struct buf *out, const struct pace *p)
{
	add(out, "tcp", p->tcp_us);
	add(out, "ws pong", p->ws_us);
	if (p->silent)
		buf_printf(out, "%sws silent", out->len ? ", " : "");
	if (!p->count) {
		buf_printf(out, "%s%s silent", out->len ? ", " : "", p->loop);
		return;
	}
	add(out, p->loop, p->loop_us[(p->count - 1) / 2]);
	if (p->count > 1) {
		char time[TEXT_ROOM];

		buf_printf(out, " (p99 %s of %u)",
			   text_microseconds(p->loop_us[p->count - 1], time,
					     sizeof(time)),
			   p->count);
	}
}

static void tell(struct checkup *k, const char *words)
{
	const struct session *s = k->in->connection->session;
	const struct session_peer *peer = session_peer(s);
	const struct session_times *times = session_times(s);
	char took[TEXT_ROOM];

	text_milliseconds(times->connected > 0 ? times->connected : 0, took,
			  sizeof(took));
	k->peer = mem_printf("%s%s%s", peer->device_id ? peer->device_id : "",
			     peer->device_id ? " at " : "",
			     peer->address ? peer->address : "here");
	check_stage(k, "way", STAGE_OK, "%s, connected after %s%s%s", k->peer,
		    took, *words ? "; " : "", words);
}

/* Who it is, and what each of its layers takes. */
static int stage_way(struct checkup *k, struct error *err)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	struct connection *c = k->in->connection;
	struct pace p = { .tcp_us = -1,
			  .ws_us = -1,
			  .loop = c->client.device ? "main loop" : "mcp" };
	int status = 0;

	if (k->options->risk >= RISK_ASK) {
		check_progress(k, "ping");
		status = measure(c, &p, err);
		check_dares(k, RISK_ASK, p.asked);
		put_words(&words, &p);
	}
	tell(k, buf_string(&words));
	return status;
}

#define HELLO_LATE_MS 1000 /* firmware says it at once (device.md 1.5) */

static struct session *session_of(const struct checkup *k)
{
	return k->in->connection->session;
}

/* ---- what it says by itself ---- */

static void judge_hello(struct checkup *k, int64_t ms, const char *took)
{
	if (ms > HELLO_LATE_MS)
		diag_found(k->diag, D147, (struct span){ 0 },
			   "%s after the connection", took);
}

static void tell_hello(struct checkup *k)
{
	const struct link *link = session_link(session_of(k));
	const struct session_times *times = session_times(session_of(k));
	const int64_t ms = times->hello - times->connected;
	char took[TEXT_ROOM];

	if (!link->has_hello)
		return;
	text_milliseconds(ms, took, sizeof(took));
	if (link->relayed)
		snprintf(took, sizeof(took), "as serve kept it");
	else
		judge_hello(k, ms, took);
	check_stage(k, "hello", STAGE_OK, "version %d, %s%s, %s%s",
		    link->hello.version ? link->hello.version : 1,
		    *link->hello.transport ? link->hello.transport :
					     "no transport",
		    link->hello.mcp ? ", mcp" : "", took,
		    link->relayed ? "" : " after the connection");
}

static void tell_initialize(struct checkup *k)
{
	const struct client *c = &k->in->connection->client;
	char took[TEXT_ROOM];

	if (c->initialize_us < 0)
		snprintf(took, sizeof(took), "by serve");
	else
		text_microseconds(c->initialize_us, took, sizeof(took));
	check_stage(k, "init", STAGE_OK, "%s%s%s, %s, %s",
		    c->server_name ? c->server_name : "no name",
		    c->server_version ? " " : "",
		    c->server_version ? c->server_version : "",
		    c->revision ? c->revision : "no revision", took);
}

/* ---- the lists ---- */

static size_t bytes_of(const struct tool_list *l)
{
	size_t bytes = 0;

	for (size_t i = 0; i < l->pages; i++)
		bytes += l->page[i].len;
	return bytes;
}

static void describe_list(const struct tool_list *l, struct buf *out)
{
	buf_printf(out, "%zu tool%s", l->count, l->count == 1 ? "" : "s");
	if (l->user_only)
		buf_printf(out, " (%zu user-only)", l->user_only);
	buf_printf(out, ", %zu page%s, %zu B", l->pages,
		   l->pages == 1 ? "" : "s", bytes_of(l));
}

/* Resources, templates and prompts, where a server says that it has them. */
static int list_items(struct checkup *k, struct buf *out, struct error *err)
{
	static const char *const offered[] = { "resources", "resources",
					       "prompts" };
	struct client *c = &k->in->connection->client;
	int status = 0;

	for (int kind = LIST_RESOURCES;
	     !c->device && kind <= LIST_PROMPTS && status == 0; kind++) {
		struct page_list list = { 0 };

		if (!c->initialize.result || !client_offers(c, offered[kind]))
			continue;
		check_progress(k, list_method((enum list_kind)kind));
		status = client_list(c, (enum list_kind)kind, &list, err);
		buf_printf(out, "%s%zu %s%s", out->len ? "; " : "", list.count,
			   list_noun((enum list_kind)kind),
			   list.count == 1 ? "" : "s");
		page_list_done(&list);
		/* Templates may be missing where resources are there. */
		if (status && kind == LIST_TEMPLATES && err->kind == ERR_PEER) {
			error_reset(err);
			status = 0;
		}
	}
	return status;
}

/* *listed: the tools are. */
static int ask_lists(struct checkup *k, struct buf *words, bool *listed,
		     struct error *err)
{
	struct connection *c = k->in->connection;

	if (client_offers(&c->client, "tools")) {
		int status = tools_cache_refresh(c, err);

		describe_list(&c->tools, words);
		if (status)
			return -1;
		diag_list(k->diag, &c->tools);
		*listed = true;
	}
	return list_items(k, words, err);
}

/* What the engine does not see: no frame came of it. */
static void name_failure(struct checkup *k, const struct error *err)
{
	const int code = finding_by_name(err->finding);

	if (code >= 0 && !diag_count(k->diag, (enum diag_code)code))
		diag_found(
			k->diag, (enum diag_code)code,
			(struct span){ err->detail,
				       err->detail ? strlen(err->detail) : 0 },
			"%s", err->text);
}

/*
 * One that broke is a fault, and ends nothing: the rest can be asked; so where
 * others than that of tools have no answer.
 */
static int after_list(struct checkup *k, bool listed, struct error *err)
{
	if (err->kind != ERR_PROTOCOL && err->kind != ERR_PEER &&
	    !(err->kind == ERR_TIMEOUT && listed))
		return -1;
	k->failed++;
	error_reset(err);
	return 0;
}

static int look_at_list(struct checkup *k, struct error *err)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	bool listed = false;
	int status;

	check_progress(k, "tools/list");
	status = ask_lists(k, &words, &listed, err);
	if (status)
		name_failure(k, err);
	check_stage(k, "list", status ? check_verdict(err) : STAGE_OK, "%s%s%s",
		    words.len ? buf_string(&words) : "nothing is offered",
		    status ? ": " : "", status ? err->text : "");
	if (status && after_list(k, listed, err))
		return -1;
	if (!status || listed)
		check_against(k, &k->in->connection->tools);
	return 0;
}

/* ---- where it could not be connected ---- */

static void fail(struct checkup *k, const char *stage, const struct error *err)
{
	const int code = *err->finding	       ? finding_by_name(err->finding) :
			 err->kind == ERR_AUTH ? (int)P707 :
						 -1;

	if (code >= 0)
		diag_found(k->diag, (enum diag_code)code, (struct span){ 0 },
			   "%s", err->text);
	check_stage(k, stage, STAGE_FAIL, "%s", err->text);
}

/* Ended by a signal: what was seen until then, and nobody's failure. */
static void tell_ended(struct checkup *k)
{
	if (k->in->connection->reached)
		check_stage(k, "way", STAGE_OK, "connected");
	if (k->in->connection->greeted)
		check_stage(k, "hello", STAGE_OK, "it came");
}

/* How far it came. The session is gone; the engine has seen its frames. */
static void tell_unopened(struct checkup *k, const struct error *err)
{
	const struct connection *c = k->in->connection;
	const bool device = c->to_device;
	const bool no_mcp = text_same(err->finding, "D101");

	/* Over HTTP the first request is what connects. */
	if (!c->reached || (err->finding[0] == 'N')) {
		fail(k, "way", err);
		return;
	}
	check_stage(k, "way", STAGE_OK, "connected");
	if (device && !c->greeted && !k->diag->initialized) {
		diag_found(k->diag, D102, (struct span){ 0 }, "%s", err->text);
		check_stage(k, "hello", STAGE_FAIL, "%s", err->text);
		return;
	}
	if (no_mcp) {
		check_stage(k, "hello", STAGE_FAIL, "%s", err->text);
		return;
	}
	if (c->greeted)
		check_stage(k, "hello", STAGE_OK, "it came");
	fail(k, "init", err);
}

/* ---- all of it ---- */

/* HTTP: it had to be greeted again (mcp.md 2025-03-26). */
static void judge_forgotten(struct checkup *k)
{
	if (k->in->connection->endpoint.scheme->kind == SCHEME_HTTP &&
	    diag_count(k->diag, B220))
		diag_found(k->diag, P704, (struct span){ 0 },
			   "initialize was asked for again meanwhile");
}

static int ask(struct checkup *k, struct error *err)
{
	static int (*const stages[])(struct checkup *, struct error *) = {
		look_at_list, stage_asked, stage_calls, stage_odd,
		stage_args,   stage_named, stage_power
	};

	for (size_t i = 0; i < COUNT(stages); i++) {
		if (stages[i](k, err))
			return -1;
	}
	judge_forgotten(k);
	return 0;
}

static const char *const device_stages[] = { "way",   "hello", "init", "list",
					     "asked", "calls", NULL };
static const char *const server_stages[] = { "way",   "init",  "list",
					     "asked", "calls", NULL };

/* That the peer does not survive a question is a finding, and no failure of the check. */
static int judge_stop(struct checkup *k, struct error *err)
{
	check_stopped(k);
	if (!k->died || err->kind == ERR_INTERRUPTED)
		return -1;
	error_reset(err);
	return check_end(k, err);
}

int check_device(struct checkup *k, const char *url, struct error *err)
{
	struct connection *c = k->in->connection;

	(void)url;
	if (check_calls_read(k, err) || check_against_read(k, err) ||
	    check_power_read(k, err) || check_power_possible(k, err))
		return -1;
	k->subject = "B"; /* we are the backend, and ask odd things */
	k->plan = device_stages;
	if (connection_open(c, err)) {
		if (err->kind == ERR_INTERRUPTED)
			tell_ended(k);
		else
			tell_unopened(k, err);
		if (!c->to_device)
			k->plan = server_stages;
		check_stopped(k);
		return -1;
	}
	if (!session_link(session_of(k))->has_hello)
		k->plan = server_stages;
	if (stage_way(k, err))
		return judge_stop(k, err);
	tell_hello(k);
	tell_initialize(k);
	if (ask(k, err))
		return judge_stop(k, err);
	return check_end(k, err);
}
