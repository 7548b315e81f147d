/* SPDX-License-Identifier: MIT */
/*
 * The two eras of MCP: up to 2025-11-25 a session is begun by initialize, from
 * 2026-07-28 on each request stands alone. Which one a server speaks, how that
 * was found out, and as a text for a file. Pure. (modern.md 5)
 */
#ifndef MCP_ERA_H
#define MCP_ERA_H

#include "base/json.h"

enum era { ERA_UNKNOWN, ERA_LEGACY, ERA_MODERN };

enum era_how {
	ERA_BY_KIND, /* targets of this kind are not asked */
	ERA_BY_OPTION, /* --era, MCPCTL_ERA, protocolEra */
	ERA_BY_ANSWER, /* of server/discover */
	ERA_BY_SILENCE, /* server/discover was not answered */
	ERA_BY_END, /* it ended the connection when it was asked */
	ERA_BY_REFUSAL /* it refused initialize, naming a newer revision */
};

struct era_known {
	enum era era;
	enum era_how how;
	bool kept; /* found out by an earlier command */
	const char *revision; /* ERA_MODERN; static */
};

/* "modern", "legacy"; NULL. */
const char *era_name(enum era era);
/* "option", "discover", … */
const char *era_how_name(enum era_how how);
/* The same in words. Appended. */
void era_describe(struct buf *out, const struct era_known *e);

/* What the answer to server/discover means. */
enum era_verdict {
	ERA_IS_MODERN, /* *revision says which; static */
	ERA_IS_LEGACY,
	ERA_AGAIN, /* the same question once more, with *revision */
	ERA_OPEN /* it decides nothing: *failure is what went wrong */
};
struct era_answer {
	const struct error *failure; /* ERR_NONE: it has a result */
	const cJSON *result, *error; /* of the reply; NULL */
	bool http; /* a status counts; silence does not */
	bool again; /* it was asked once more already */
};
enum era_verdict era_judge(const struct era_answer *a, const char **revision);

/*
 * Whether this failure of a request may come from a server that is of the other
 * era than it was. Nothing was carried out then.
 */
bool era_may_be_other(const struct error *why);

/*
 * As one line of JSON for a file, and back. reply: the whole reply to
 * server/discover; NULL. -1: it is no such text; what it gives is then not to be
 * used. text must outlive *reply.
 */
void era_write(struct buf *out, const struct era_known *e, struct span reply);
int era_read(struct era_known *out, struct span *reply, struct span text);

#endif
