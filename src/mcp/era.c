/* SPDX-License-Identifier: MIT */
/* Which era a server speaks. */
#include "mcp/era.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "mcp/modern.h"
#include "mcp/revision.h"

static const char *const names[] = {
	[ERA_LEGACY] = "legacy", [ERA_MODERN] = "modern"
};

static const struct {
	const char *name, *words;
} hows[] = {
	[ERA_BY_KIND] = { "kind", "targets of this kind are not asked" },
	[ERA_BY_OPTION] = { "option", "as the configuration says" },
	[ERA_BY_ANSWER] = { "discover", "by its answer to server/discover" },
	[ERA_BY_SILENCE] = { "silence",
			     "it did not answer server/discover in time" },
	[ERA_BY_END] = { "end", "it ended when it was asked server/discover" },
	[ERA_BY_REFUSAL] = { "refusal", "it refused initialize" },
};

const char *era_name(enum era era)
{
	return names[era];
}

const char *era_how_name(enum era_how how)
{
	return hows[how].name;
}

void era_describe(struct buf *out, const struct era_known *e)
{
	buf_printf(out, "%s (%s%s)", names[e->era] ? names[e->era] : "unknown",
		   hows[e->how].words,
		   e->kept ? ", as an earlier command found out" : "");
}

/* ---- the answer to the probe ---- */

/* A status of HTTP that a server of the other era has for what it does not know. */
static bool is_other_status(int code)
{
	return code >= 400 && code < 500 && code != 401 && code != 403 &&
	       code != 407 && code != 408 && code != 425 && code != 429;
}

static enum era_verdict judge_result(const cJSON *result, const char **revision)
{
	const cJSON *versions = json_array(result, "supportedVersions");

	*revision = revision_choose(ERA_MODERN, versions);
	return *revision ? ERA_IS_MODERN : ERA_IS_LEGACY;
}

/* -32022: its list decides, but once. */
static enum era_verdict judge_revisions(const struct era_answer *a,
					const char **revision)
{
	const cJSON *data = json_object(a->error, "data");

	*revision = revision_choose(ERA_MODERN, json_array(data, "supported"));
	if (!*revision || a->again)
		return ERA_OPEN;
	return ERA_AGAIN;
}

static enum era_verdict judge_error(const struct era_answer *a,
				    const char **revision)
{
	const struct error *why = a->failure;

	if (!why->has_code || !modern_is_error(why->code))
		return ERA_IS_LEGACY;
	if (why->code == MODERN_UNSUPPORTED_VERSION)
		return judge_revisions(a, revision);
	*revision = MODERN_NEWEST;
	return ERA_IS_MODERN;
}

enum era_verdict era_judge(const struct era_answer *a, const char **revision)
{
	const struct error *why = a->failure;

	*revision = NULL;
	switch (why->kind) {
	case ERR_NONE:
		return judge_result(a->result, revision);
	case ERR_PEER:
		return judge_error(a, revision);
	case ERR_PROTOCOL:
		return ERA_IS_LEGACY;
	case ERR_TIMEOUT:
		return a->http ? ERA_OPEN : ERA_IS_LEGACY;
	case ERR_CONNECT:
		return a->http && why->has_code && is_other_status(why->code) ?
			       ERA_IS_LEGACY :
			       ERA_OPEN;
	default:
		return ERA_OPEN;
	}
}

bool era_may_be_other(const struct error *why)
{
	switch (why->kind) {
	case ERR_PEER:
		return why->has_code && !modern_is_error(why->code) &&
		       why->code != JSONRPC_INTERNAL_ERROR;
	case ERR_PROTOCOL:
		return true;
	case ERR_CONNECT:
		return why->has_code && is_other_status(why->code);
	default:
		return false;
	}
}

/* ---- in a file ---- */

void era_write(struct buf *out, const struct era_known *e, struct span reply)
{
	buf_printf(out, "{\"era\":\"%s\",\"found\":\"%s\"", names[e->era],
		   hows[e->how].name);
	if (e->revision)
		buf_printf(out, ",\"revision\":\"%s\"", e->revision);
	if (reply.text) {
		buf_text(out, ",\"reply\":");
		json_minify(out, reply.text, reply.len);
	}
	buf_text(out, "}\n");
}

static int find_how(struct span name, enum era_how *out)
{
	for (size_t i = 0; i < COUNT(hows); i++) {
		if (json_span_is(name, hows[i].name)) {
			*out = (enum era_how)i;
			return 0;
		}
	}
	return -1;
}

int era_read(struct era_known *out, struct span *reply, struct span text)
{
	static const char *const wanted[] = { "era", "found", "revision",
					      "reply" };
	struct span part[COUNT(wanted)] = { { 0 } };
	CLEANUP(mem_free_ptr) char *revision = NULL;

	*out = (struct era_known){ .kept = true };
	*reply = (struct span){ 0 };
	if (json_check(text.text, text.len, NULL))
		return -1;
	json_span_members(text, wanted, COUNT(wanted), part);
	if (!part[0].text || !part[1].text || find_how(part[1], &out->how))
		return -1;
	out->era = json_span_is(part[0], names[ERA_MODERN]) ? ERA_MODERN :
		   json_span_is(part[0], names[ERA_LEGACY]) ? ERA_LEGACY :
							      ERA_UNKNOWN;
	if (part[2].text)
		revision = json_span_string(part[2]);
	out->revision = revision_known(ERA_MODERN, revision);
	if (out->era == ERA_UNKNOWN ||
	    (out->era == ERA_MODERN) != (out->revision != NULL))
		return -1;
	if (json_span_begins(part[3], '{'))
		*reply = part[3];
	return 0;
}
