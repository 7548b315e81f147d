/* SPDX-License-Identifier: MIT */
/*
 * What MCP lays down for a session, and firmware's ways of not answering
 * (device.md 3.2, 3.9).
 */
#include "mcp/rules.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "wire/llm.h"

const char *const log_levels[9] = { "debug",   "info",	    "notice",
				    "warning", "error",	    "critical",
				    "alert",   "emergency", NULL };

int log_level_rank(const char *level)
{
	for (int i = 0; level && log_levels[i]; i++)
		if (strcmp(log_levels[i], level) == 0)
			return i + 1;
	return 0;
}

static const char *answer_at_once(const char *method)
{
	return strcmp(method, "ping") == 0 ? "{}" : NULL;
}

/* Requests carry their id as the token (mcp/client); a subscription's is it. */
static bool progress_token(const struct message *m, struct span *token)
{
	struct span meta;

	if (strcmp(m->method, "notifications/subscriptions/acknowledged") == 0)
		return json_span_member(m->params, "_meta", &meta) &&
		       json_span_member(
			       meta, "io.modelcontextprotocol/subscriptionId",
			       token);
	return strcmp(m->method, "notifications/progress") == 0 &&
	       json_span_member(m->params, "progressToken", token);
}

static bool ends_call(const struct message *m, struct span *id)
{
	return strcmp(m->method, "notifications/cancelled") == 0 &&
	       json_span_member(m->params, "requestId", id);
}

/* Never of initialize (mcp.md 2025-11-25: time-outs), nor before it. */
static const char *cancel(const struct call *c, const char *reason,
			  struct buf *params)
{
	if (strcmp(c->method, "initialize") == 0 ||
	    strcmp(c->method, "server/discover") == 0)
		return NULL;
	buf_printf(params, "{\"requestId\":%d,\"reason\":\"%s\"}", (int)c->id,
		   reason);
	return "notifications/cancelled";
}

static const struct silent_tool silent_tools[] = {
	{ .name = "self.reboot",
	  .reason =
		  "firmware never answers 'self.reboot': it restarts after about 1 s and the connection drops",
	  .ended =
		  "the device restarted: the connection dropped, as it does for 'self.reboot', which firmware never answers",
	  .summary = "the device restarts" },
	{ .name = "self.upgrade_firmware",
	  .reason =
		  "firmware never answers 'self.upgrade_firmware' unless it failed: it installs and restarts",
	  .ended =
		  "the connection dropped, as it does when firmware installs another one; whether that worked, its version tells when it is back (mcpctl info)",
	  .summary = "the connection dropped, as for an upgrade",
	  .failed =
		  "the upgrade failed: firmware answers 'self.upgrade_firmware' only then",
	  .unknown =
		  "the connection stayed: what that means is not known here, but a board that listens itself (port 8080) answers so some seconds after an upgrade that failed; its version tells (mcpctl info)" },
	{ .name = "self.system.reconfigure_wifi",
	  .reason =
		  "firmware never answers 'self.system.reconfigure_wifi': it ends the session and opens its Wi-Fi setup" },
};

const struct silent_tool *silent_tool(const char *name)
{
	for (size_t i = 0; name && i < COUNT(silent_tools); i++) {
		if (strcmp(silent_tools[i].name, name) == 0)
			return &silent_tools[i];
	}
	return NULL;
}

/* Conditions of device.md 3.2 under which a request is dropped unread. */
static const char *shape_reason(const char *method, const char *params)
{
	if (text_starts(method, "notifications"))
		return "firmware never answers a method whose name starts with 'notifications'";
	if (params && params[strspn(params, " \t\r\n")] != '{')
		return "firmware never answers a request whose params are no object";
	return NULL;
}

static const char *silence_reason(enum dialect dialect, const struct call *c,
				  const char *params)
{
	const struct silent_tool *silent = silent_tool(c->subject);

	if (silent)
		return silent->reason;
	return dialect == DIALECT_DEVICE ? shape_reason(c->method, params) :
					   NULL;
}

/* They came with this revision, and went with the next. */
static bool has_batches(const char *revision)
{
	return strcmp(revision, "2025-03-26") == 0;
}

const struct session_rules mcp_rules = {
	.answer = answer_at_once,
	.progress = progress_token,
	.ends = ends_call,
	.cancel = cancel,
	.silence = silence_reason,
	.batches = has_batches,
	.retry_after = llm_retry_after,
};
