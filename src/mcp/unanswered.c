/* SPDX-License-Identifier: MIT */
/* Questions of a server that nobody answers: a row each. */
#include "mcp/unanswered.h"

#include <string.h>

#include "base/mem.h"
#include "wire/jsonrpc.h"

/* For a refusal MCP has no code of its own; its examples use this one. */
#define REFUSED (-1)

static const struct unanswered_row {
	const char *method;
	struct unanswered answer;
} rows[] = {
	{ "elicitation/create", { .result = "{\"action\":\"cancel\"}" } },
	{ "roots/list", { .result = "{\"roots\":[]}" } },
	{ "ping", { .result = "{}" } },
	{ "sampling/createMessage",
	  { .code = REFUSED, .words = "nobody here answers sampling" } },
};

struct unanswered unanswered_find(const char *method)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strcmp(rows[i].method, method) == 0)
			return rows[i].answer;
	}
	return (struct unanswered){ .code = JSONRPC_METHOD_NOT_FOUND };
}

void unanswered_reply(struct buf *out, const char *id, const char *method)
{
	const struct unanswered a = unanswered_find(method);
	CLEANUP(mem_free_ptr)
	char *unknown = mem_printf("method not found: %s", method);

	if (a.result)
		jsonrpc_result(out, id, a.result);
	else
		jsonrpc_error(out, id, a.code, a.words ? a.words : unknown);
}
