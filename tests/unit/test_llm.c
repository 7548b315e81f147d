/* SPDX-License-Identifier: MIT */
/* wire/llm: who it is, its codes, and how long it asks to wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/llm.h"

static void codes(void **state)
{
	static const struct {
		int code;
		const char *name;
	} rows[] = {
		{ LLM_TIMEOUT, "LLM timeout" },
		{ LLM_UNAVAILABLE, "LLM unavailable" },
		{ 0, NULL },
		{ -32603, NULL },
		{ -LLM_TIMEOUT, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(llm_is_code(rows[i].code),
				 rows[i].name != NULL);
		if (rows[i].name)
			assert_string_equal(llm_code_name(rows[i].code),
					    rows[i].name);
		else
			assert_null(llm_code_name(rows[i].code));
	}
	assert_true(llm_is_service("llm-service"));
	assert_false(llm_is_service("LLM-service"));
	assert_false(llm_is_service("llm-service2"));
	assert_false(llm_is_service(NULL));
}

/* In seconds, which need not be whole; at most ten days. */
static void waits(void **state)
{
	static const struct {
		const char *error;
		int64_t ms;
	} rows[] = {
		{ "{\"data\":{\"retry_after\":1}}", 1000 },
		{ "{\"data\":{\"retry_after\":1.5}}", 1500 },
		{ "{\"data\":{\"retry_after\":0.0001}}", 1 },
		{ "{\"data\":{\"retry_after\":1.0001}}", 1001 },
		{ "{\"data\":{\"retry_after\":0}}", 0 },
		{ "{\"data\":{\"retry_after\":-1}}", 0 },
		{ "{\"data\":{\"retry_after\":\"5\"}}", 0 },
		{ "{\"data\":{\"retry_after\":863999}}", 863999000 },
		{ "{\"data\":{\"retry_after\":864000}}", 864000000 },
		{ "{\"data\":{\"retry_after\":864001}}", 864000000 },
		{ "{\"data\":{\"retry_after\":1e300}}", 864000000 },
		{ "{\"data\":[5]}", 0 },
		{ "{\"retry_after\":5}", 0 },
		{ "[]", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr)
		cJSON *error =
			json_parse(rows[i].error, strlen(rows[i].error), NULL);

		assert_int_equal(llm_retry_after(error), rows[i].ms);
	}
	assert_int_equal(llm_retry_after(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes),
		cmocka_unit_test(waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
