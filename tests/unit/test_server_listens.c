/* SPDX-License-Identifier: MIT */
/* What a server of 2026-07-28 is asked to tell: who waits for it, and for what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bridge/server_listens.h"

static void a_host_waits_on_when_another_ends(void **state)
{
	bool stale = false;
	struct connection connection = { .client.modern = true };
	struct server_listens l = { .connection = &connection,
				    .stale = &stale };
	struct bridge_call waits = { 0 };

	(void)state;
	assert_true(server_listens_take(&l, "resources/subscribe",
					"{\"uri\":\"a:1\"}", NULL));
	assert_null(l.asked);
	assert_true(server_listens_take(&l, "resources/subscribe",
					"{\"uri\":\"a:2\"}", &waits));
	assert_true(server_listens_take(&l, "resources/unsubscribe",
					"{\"uri\":\"a:1\"}", NULL));
	assert_ptr_equal(l.asked, &waits);
	assert_string_equal(l.uri, "a:2");
	assert_int_equal(l.uris.count, 1);
	assert_string_equal(l.uris.word[0], "a:2");
	server_listens_end(&l);
	assert_int_equal(waits.end, CALL_LOST);
	assert_int_equal(waits.why.kind, ERR_CONNECT);
	error_reset(&waits.why);
}

static void what_older_ones_know_is_left_to_them(void **state)
{
	struct connection connection = { 0 };
	struct server_listens l = { .connection = &connection };

	(void)state;
	assert_false(server_listens_take(&l, "resources/subscribe",
					 "{\"uri\":\"a:1\"}", NULL));
	connection.client.modern = true;
	assert_false(server_listens_take(&l, "resources/read",
					 "{\"uri\":\"a:1\"}", NULL));
	assert_int_equal(l.uris.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_waits_on_when_another_ends),
		cmocka_unit_test(what_older_ones_know_is_left_to_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
