/* SPDX-License-Identifier: MIT */
#include "wire/llm.h"

#include <math.h>
#include <string.h>

#define MOST_S (10 * 24 * 3600)

bool llm_is_service(const char *server_name)
{
	return server_name && strcmp(server_name, "llm-service") == 0;
}

bool llm_is_code(int code)
{
	return code == LLM_TIMEOUT || code == LLM_UNAVAILABLE;
}

const char *llm_code_name(int code)
{
	if (code == LLM_TIMEOUT)
		return "LLM timeout";
	return code == LLM_UNAVAILABLE ? "LLM unavailable" : NULL;
}

int64_t llm_retry_after(const cJSON *error)
{
	const cJSON *asked =
		json_member(json_object(error, "data"), "retry_after");

	if (!cJSON_IsNumber(asked) || !(asked->valuedouble > 0))
		return 0;
	if (asked->valuedouble >= MOST_S)
		return (int64_t)MOST_S * 1000;
	return (int64_t)ceil(asked->valuedouble * 1000);
}
