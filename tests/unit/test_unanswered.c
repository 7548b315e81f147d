/* SPDX-License-Identifier: MIT */
/* What is said for nobody is true, and a whole reply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/unanswered.h"

static void expect(const char *id, const char *method, const char *reply)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	unanswered_reply(&out, id, method);
	assert_string_equal(buf_string(&out), reply);
}

static void test_replies(void **state)
{
	(void)state;
	expect("7", "elicitation/create",
	       "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"action\":\"cancel\"}}");
	expect("\"a\"", "roots/list",
	       "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"roots\":[]}}");
	expect("1", "ping", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
	expect("1", "sampling/createMessage",
	       "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"nobody here answers sampling\"}}");
	expect("1", "tasks/\"list",
	       "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"method not found: tasks/\\\"list\"}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
