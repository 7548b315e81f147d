/* SPDX-License-Identifier: MIT */
/* What a broker did to a board: which of it is a fault, and which is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/broker_view.h"

static void one_code(struct diag *d, enum diag_code code, const char *detail)
{
	assert_int_equal(d->count, 1);
	assert_int_equal(d->item[0].code, code);
	assert_string_equal(d->item[0].detail, detail);
	diag_done(d);
}

static void a_client_that_never_subscribes(void **state)
{
	struct broker_fate f = { .seen = true, .topic = "devices/p2p/x" };
	struct diag d = { 0 };

	(void)state;
	assert_true(broker_judge_down(&d, &f));
	one_code(&d, M402, "published to devices/p2p/x, waited 3 s");
	d = (struct diag){ 0 };
	/* Nothing shows that the broker passed it on to anybody. */
	f.seen = false;
	assert_false(broker_judge_down(&d, &f));
	f.came = true;
	assert_false(broker_judge_down(&d, &f));
	f.seen = true;
	assert_false(broker_judge_down(&d, &f));
	assert_int_equal(d.count, 0);
}

static void a_large_message(void **state)
{
	struct broker_fate f = { .ended = true };
	struct diag d = { 0 };

	(void)state;
	assert_true(broker_judge_large(&d, &f));
	one_code(&d, M405, "9011 bytes: it ended the connection");
	d = (struct diag){ 0 };
	f = (struct broker_fate){ .seen = true };
	assert_true(broker_judge_large(&d, &f));
	one_code(&d, M405, "9011 bytes did not come through within 3 s");
	d = (struct diag){ 0 };
	f = (struct broker_fate){ 0 };
	assert_false(broker_judge_large(&d, &f));
	/* It came through, and then the connection ended: not for its size. */
	f = (struct broker_fate){ .came = true, .seen = true, .ended = true };
	assert_false(broker_judge_large(&d, &f));
	assert_int_equal(d.count, 0);
}

static void tls_at_the_port_of_boards(void **state)
{
	struct error why = { 0 };
	struct diag d = { 0 };

	(void)state;
	assert_false(broker_judge_tls(&d, 8883, &why));
	error_set(&why, ERR_CONNECT, "self-signed certificate");
	assert_false(broker_judge_tls(&d, 8884, &why));
	assert_int_equal(d.count, 0);
	assert_true(broker_judge_tls(&d, 8883, &why));
	one_code(&d, M403, "self-signed certificate");
	error_reset(&why);
}

static void a_refusal(void **state)
{
	struct error why = { 0 };
	struct diag d = { 0 };

	(void)state;
	assert_false(broker_judge_connect(&d, &why));
	error_set(&why, ERR_AUTH, "the broker refused it (5)");
	assert_true(broker_judge_connect(&d, &why));
	one_code(&d, M401, "the broker refused it (5)");
	error_reset(&why);
}

static void an_end(void **state)
{
	struct error why = { 0 };
	struct diag d = { 0 };

	(void)state;
	assert_false(broker_judge_ended(&d, &why));
	error_set(&why, ERR_CONNECT, "the broker went away");
	assert_true(broker_judge_ended(&d, &why));
	one_code(&d, M414, "the broker went away");
	error_reset(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_end),
		cmocka_unit_test(a_client_that_never_subscribes),
		cmocka_unit_test(a_large_message),
		cmocka_unit_test(tls_at_the_port_of_boards),
		cmocka_unit_test(a_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
