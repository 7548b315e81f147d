/* SPDX-License-Identifier: MIT */
/*
 * The LLM service: an MCP server that is known by its name, and what its errors
 * say beyond JSON-RPC. Pure.
 */
#ifndef WIRE_LLM_H
#define WIRE_LLM_H

#include "base/json.h"

/* From others these codes mean anything. */
#define LLM_TIMEOUT (-32000)
#define LLM_UNAVAILABLE (-32001)

/* serverInfo.name; NULL: no. sim llm is one. */
bool llm_is_service(const char *server_name);
bool llm_is_code(int code);
/* "LLM timeout", NULL for any other code. Static. */
const char *llm_code_name(int code);

/*
 * ms to wait, of the error object of a reply (data.retry_after, in seconds that
 * need not be whole); 0: it does not say, or there is none. At most ten days.
 */
int64_t llm_retry_after(const cJSON *error);

#endif
