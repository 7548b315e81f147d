/* SPDX-License-Identifier: MIT */
/*
 * A device, or another MCP server, asked from the least risky question on
 * (device.md 3): what it says by itself, what it lists, what it makes of
 * questions that nobody should mind, of calls, of what is odd.
 */
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "check/check.h"
#include "cli/catalog_file.h"
#include "diag/list_rules.h"
#include "mcp/content.h"
#include "mcp/tool_effect.h"
#include "mcp/tools.h"
#include "rpc/session_calls.h"

#define TIMES 3 /* each read-only tool, for its time */

static struct session *session_of(const struct check *k)
{
	return k->in->connection->session;
}

/* ---- what it says by itself ---- */

static void tell_way(struct check *k)
{
	const struct session_peer *peer = session_peer(session_of(k));
	const struct session_times *times = session_times(session_of(k));
	char took[TEXT_ROOM];

	text_milliseconds(times->connected > 0 ? times->connected : 0, took,
			  sizeof(took));
	check_stage(k, "way", STAGE_OK, "%s%s%s, connected after %s",
		    peer->device_id ? peer->device_id : "",
		    peer->device_id ? " at " : "",
		    peer->address ? peer->address : "here", took);
}

static void tell_hello(struct check *k)
{
	const struct link *link = session_link(session_of(k));
	const struct session_times *times = session_times(session_of(k));
	char took[TEXT_ROOM];

	if (!link->has_hello)
		return;
	text_milliseconds(times->hello - times->connected, took, sizeof(took));
	check_stage(k, "hello", STAGE_OK,
		    "version %d, %s%s, %s after the connection",
		    link->hello.version ? link->hello.version : 1,
		    *link->hello.transport ? link->hello.transport :
					     "no transport",
		    link->hello.mcp ? ", mcp" : "", took);
}

static void tell_initialize(struct check *k)
{
	const struct client *c = &k->in->connection->client;
	char took[TEXT_ROOM];

	if (c->initialize_us < 0)
		snprintf(took, sizeof(took), "by serve");
	else
		text_microseconds(c->initialize_us, took, sizeof(took));
	check_stage(k, "init", STAGE_OK, "%s %s, %s, %s",
		    c->server_name ? c->server_name : "no name",
		    c->server_version ? c->server_version : "",
		    c->revision ? c->revision : "no revision", took);
}

/* ---- the list ---- */

static size_t bytes_of(const struct tool_list *l)
{
	size_t bytes = 0;

	for (size_t i = 0; i < l->pages; i++)
		bytes += l->page[i].len;
	return bytes;
}

static int look_at_list(struct check *k, struct error *err)
{
	struct connection *c = k->in->connection;
	const struct tool_list *l = &c->tools;
	int status = tools_cache_refresh(c, err);

	if (status == 0)
		diag_list(k->diag, l);
	check_stage(k, "list", status ? STAGE_FAIL : STAGE_OK,
		    "%zu tool%s%s, %zu page%s, %zu B%s%s", l->count,
		    l->count == 1 ? "" : "s",
		    l->user_only ? " with user-only ones" : "", l->pages,
		    l->pages == 1 ? "" : "s", bytes_of(l), status ? ": " : "",
		    status ? err->text : "");
	return status;
}

/* ---- questions that nobody should mind ---- */

/* Any answer is one. False: none came. */
static bool asks(struct check *k, const char *method, const char *params)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(call_done) struct call call = { 0 };

	if (session_start(session_of(k), &call, method, params, 0, &err))
		return false;
	return session_wait(session_of(k), &call, &err) == 0 ||
	       err.kind == ERR_PEER;
}

struct question {
	const char *name, *method, *params;
};

static const struct question plain_questions[] = {
	{ "unknown method", "mcpctl/unknown", NULL },
	{ "unknown cursor", "tools/list", "{\"cursor\":\"mcpctl.unknown\"}" },
	{ "unknown tool", "tools/call",
	  "{\"name\":\"mcpctl.unknown\",\"arguments\":{}}" },
};

static void list_again(struct check *k, struct buf *unlike)
{
	CLEANUP(tool_list_done) struct tool_list again = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };
	struct client *c = &k->in->connection->client;

	if (client_list_tools(c, false, &again, &err))
		buf_printf(unlike, "; the second list failed: %s", err.text);
	else
		diag_list_again(k->diag, &k->in->connection->tools, &again);
}

static void ask_plainly(struct check *k)
{
	CLEANUP(buf_done) struct buf unanswered = { 0 }, unlike = { 0 };

	if (!check_dares(k, RISK_ASK, COUNT(plain_questions) + 1)) {
		check_stage(k, "asked", STAGE_SKIPPED,
			    "nothing (--risk ask asks %zu questions)",
			    COUNT(plain_questions) + 1);
		return;
	}
	for (size_t i = 0; i < COUNT(plain_questions); i++) {
		const struct question *q = &plain_questions[i];

		if (session_is_over(session_of(k)))
			break;
		if (!asks(k, q->method, q->params))
			buf_printf(&unanswered, "%s%s",
				   unanswered.len ? ", " : "", q->name);
	}
	if (!session_is_over(session_of(k)))
		list_again(k, &unlike);
	check_stage(k, "asked",
		    unanswered.len || unlike.len ? STAGE_ODD : STAGE_OK,
		    "unknown method, cursor and tool, a second list%s%s%s",
		    unanswered.len ? "; no answer to: " : "",
		    buf_string(&unanswered), buf_string(&unlike));
}

/* ---- calls ---- */

static bool takes_nothing(const struct tool *t)
{
	return cJSON_GetArraySize(json_array(t->schema, "required")) == 0;
}

static bool is_read_only(const struct tool *t)
{
	return tool_effect(t) == EFFECT_READS && takes_nothing(t);
}

static void name_readers(const struct tool_list *l, struct buf *out,
			 unsigned *count)
{
	for (size_t i = 0; i < l->count; i++) {
		if (!is_read_only(&l->tool[i]))
			continue;
		buf_printf(out, "%s%s", out->len ? " " : "", l->tool[i].name);
		++*count;
	}
}

/* How long it took, the median of TIMES; -1: it failed. */
static int64_t call_reader(struct check *k, const struct tool *t,
			   struct error *err)
{
	int64_t best = -1;

	for (int i = 0; i < TIMES; i++) {
		CLEANUP(result_done) struct result result = { 0 };

		if (client_call_tool(&k->in->connection->client, t->name, "{}",
				     &result, err))
			return -1;
		if (best < 0 || result.took_us < best)
			best = result.took_us;
	}
	return best;
}

static void call_readers(struct check *k)
{
	const struct tool_list *l = &k->in->connection->tools;
	CLEANUP(buf_done) struct buf names = { 0 }, out = { 0 };
	unsigned count = 0;
	bool failed = false;

	name_readers(l, &names, &count);
	if (count == 0) {
		check_stage(k, "calls", STAGE_SKIPPED,
			    "no tool that is known to read only");
		return;
	}
	if (!check_dares(k, RISK_READ, count)) {
		check_stage(k, "calls", STAGE_SKIPPED,
			    "not made (--risk read would call: %s)",
			    buf_string(&names));
		return;
	}
	for (size_t i = 0; i < l->count; i++) {
		CLEANUP(error_reset) struct error err = { 0 };
		int64_t took;
		char time[TEXT_ROOM];

		if (!is_read_only(&l->tool[i]) ||
		    session_is_over(session_of(k)))
			continue;
		took = call_reader(k, &l->tool[i], &err);
		failed = failed || took < 0;
		buf_printf(
			&out, "%s%s %s", out.len ? ", " : "", l->tool[i].name,
			took < 0 ? err.text :
				   text_microseconds(took, time, sizeof(time)));
	}
	check_stage(k, "calls", failed ? STAGE_ODD : STAGE_OK, "%s",
		    buf_string(&out));
}

int check_device(struct check *k, const char *url, struct error *err)
{
	struct connection *c = k->in->connection;

	(void)url;
	k->subject = "B"; /* we are the backend, and ask odd things */
	if (connection_open(c, err)) {
		check_stage(k, "way", STAGE_FAIL, "%s", err->text);
		return -1;
	}
	tell_way(k);
	tell_hello(k);
	tell_initialize(k);
	if (look_at_list(k, err))
		return -1;
	ask_plainly(k);
	call_readers(k);
	if (session_is_over(session_of(k)))
		check_stage(k, "end", STAGE_FAIL, "the connection ended");
	return check_end(k, err);
}
