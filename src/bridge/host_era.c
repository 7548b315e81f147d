/* SPDX-License-Identifier: MIT */
/*
 * 2026-07-28: what each request must carry, in its metadata and in HTTP's
 * headers; server/discover; who listens for changes.
 */
#include "bridge/host_era.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bridge/host_asked.h"
#include "bridge/host_reply.h"
#include "bridge/host_told.h"
#include "mcp/modern.h"
#include "mcp/revision.h"
#include "mcp/rules.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_LOG_LEVEL "io.modelcontextprotocol/logLevel"

static const cJSON *meta_of(const cJSON *message)
{
	return json_object(json_object(message, "params"), "_meta");
}

/* Later revisions are of this era, too: they are refused as it refuses. */
static bool names_modern(const char *revision)
{
	return strlen(revision) == strlen(MODERN_NEWEST) &&
	       strcmp(revision, MODERN_NEWEST) >= 0 &&
	       strspn(revision, "0123456789-") == strlen(revision);
}

bool host_is_modern(const struct headers *headers, const cJSON *message)
{
	const char *revision =
		headers ? headers_get(headers, "MCP-Protocol-Version") : NULL;

	if (revision && names_modern(revision))
		return true;
	return !revision_known(ERA_LEGACY, revision) &&
	       json_member(meta_of(message), META_VERSION);
}

static bool refuse(struct host_part *p, const char *why)
{
	host_error(p, JSONRPC_INVALID_PARAMS, NULL, "Invalid params: %s", why);
	host_status(p, 400);
	return false;
}

static bool refuse_version(struct host_part *p, const char *version)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	buf_text(&data,
		 "{\"supported\":[\"" MODERN_NEWEST "\"],\"requested\":");
	buf_json_string(&data, version, (size_t)host_cut(version));
	buf_char(&data, '}');
	host_error(p, MODERN_UNSUPPORTED_VERSION, buf_string(&data),
		   "Unsupported protocol version: '%.*s'", host_cut(version),
		   version);
	host_status(p, 400);
	return false;
}

/* They repeat what stands in the message: as a client would have made them. */
static bool check_headers(struct host_part *p, const char *method)
{
	const struct headers *given = p->question->headers;
	CLEANUP(headers_done) struct headers expected = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	if (!given)
		return true;
	json_print(&params, p->params);
	modern_headers(&expected, method, buf_string(&params));
	for (size_t i = 0; i < expected.count; i++) {
		const char *name = expected.item[i].name;
		const char *value = headers_get(given, name);

		if (value && strcmp(value, expected.item[i].value) == 0)
			continue;
		host_error(p, MODERN_HEADER_MISMATCH, NULL,
			   "Header mismatch: '%s' %s", name,
			   value ? "is not what stands in the message" :
				   "is missing");
		host_status(p, 400);
		return false;
	}
	return true;
}

bool host_era_begin(struct host_part *p, const char *method)
{
	const cJSON *meta = json_object(p->params, "_meta");
	const char *version = json_string(meta, META_VERSION);

	if (!meta)
		return refuse(p, "'_meta' is missing");
	if (!version)
		return refuse(p, "'_meta' needs '" META_VERSION "', a string");
	if (!json_object(meta, META_CAPABILITIES))
		return refuse(p, "'_meta' needs '" META_CAPABILITIES
				 "', an object");
	if (strcmp(version, MODERN_NEWEST) != 0)
		return refuse_version(p, version);
	if (!check_headers(p, method))
		return false;
	p->log_rank = log_level_rank(json_string(meta, META_LOG_LEVEL));
	if (json_given(meta, META_LOG_LEVEL) && !p->log_rank)
		return refuse(
			p,
			"'" META_LOG_LEVEL
			"' must be one of debug, info, notice, warning, error, critical, alert and emergency");
	host_declares(p, json_object(meta, META_CAPABILITIES));
	return true;
}

void host_add_caching(struct buf *out, const struct host_part *p)
{
	if (p->modern)
		buf_text(out, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
}

/* ---- subscriptions ---- */

void host_listen(struct host_part *p)
{
	const cJSON *wanted = json_object(p->params, "notifications");
	const cJSON *uris = json_array(wanted, "resourceSubscriptions");
	CLEANUP(buf_done) struct buf out = { 0 }, topics = { 0 };
	unsigned listens;

	/* Who has them is known when servers are there. */
	if (uris && host_waits(p, "subscriptions/listen"))
		return;
	listens = host_listens(wanted, &topics);
	if (uris)
		host_listens_to(p, uris, &topics);
	buf_printf(
		&out,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"notifications\":{%s},\"_meta\":{\"" META_SUBSCRIPTION
		"\":%s}}}",
		buf_string(&topics), p->id);
	if (!host_tell(p, out.data, out.len)) {
		host_silence(p);
		host_error(p, JSONRPC_INVALID_REQUEST, NULL,
			   "Invalid Request: this way takes no notifications");
		return;
	}
	p->topics = listens;
}
