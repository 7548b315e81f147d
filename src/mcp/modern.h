/* SPDX-License-Identifier: MIT */
/*
 * MCP from 2026-07-28 on, where each request stands alone: what every request
 * carries, in its params and in headers of HTTP, and what every result must
 * have. Pure. (modern.md 1 to 3, 6)
 */
#ifndef MCP_MODERN_H
#define MCP_MODERN_H

#include "base/json.h"
#include "mcp/client.h"
#include "net/head.h"

#define MODERN_HEADER_MISMATCH (-32020)
#define MODERN_MISSING_CAPABILITY (-32021)
#define MODERN_UNSUPPORTED_VERSION (-32022)

#define MODERN_TASKS "io.modelcontextprotocol/tasks" /* an extension */

/* One of the three above: whoever says it is of this era. */
bool modern_is_error(int code);

struct modern_meta {
	const char *revision;
	const struct client_answers *answers; /* what is declared */
	const char *log_level; /* NULL: nothing is to be logged */
	int32_t token; /* progressToken; 0: none */
	bool tasks; /* that extension is declared */
};

/*
 * params (JSON text, NULL: none) with what each request must have in its _meta
 * added; a _meta of the user's is added to, and what it has stays. What is no
 * object, or whose _meta is none, is left as it is: it is meant to be odd.
 */
void modern_params(struct buf *out, const char *params,
		   const struct modern_meta *m);

/*
 * The headers that repeat it: MCP-Protocol-Version as in the _meta of params,
 * Mcp-Method, and Mcp-Name where the method has one.
 */
void modern_headers(struct headers *out, const char *method,
		    const char *params);

/*
 * A text as the value of a header: as it is, or as =?base64?…?= where it could
 * not stand there, or would be taken for that.
 */
void modern_header_value(struct buf *out, const char *text);

/*
 * A result as it must be. *asks: it is none yet, the server wants to know more
 * (mcp/rounds.h). tasks: it may be a task (mcp/tasks.h) in place of what was
 * asked for. -1 (ERR_PROTOCOL): a resultType that is not known, or that
 * this method cannot have.
 */
int modern_judge(const char *method, const cJSON *result, bool tasks,
		 bool *asks, struct error *err);

/* The hint of one of the three errors; error is the reply's. */
void modern_explain(struct error *err, const cJSON *error);

/* serverInfo of any result; NULL. */
const cJSON *modern_server_info(const cJSON *result);

#endif
