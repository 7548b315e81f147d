/* SPDX-License-Identifier: MIT */
/* The interfaces that are spoken on: by name, by address, or none and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/interfaces.h"

static struct words names, seen;
static bool useful;

static int clean(void **state)
{
	(void)state;
	words_done(&names);
	words_done(&seen);
	useful = true;
	return 0;
}

static bool each(void *owner, const uv_interface_address_t *one)
{
	char text[64];

	assert_ptr_equal(owner, &seen);
	assert_int_equal(one->address.address4.sin_family, AF_INET);
	uv_ip4_name(&one->address.address4, text, sizeof(text));
	words_add(&seen, text);
	return useful;
}

static int choose(const char *address, struct error *err)
{
	const struct interfaces_choice choice = {
		.names = &names,
		.address = address,
		.purpose = "there is no network to ask"
	};

	return interfaces_each(&choice, each, &seen, err);
}

static void test_loopback(void **state)
{
	(void)state;
	words_add(&names, "lo");
	assert_int_equal(choose("127.0.0.1", NULL), 0);
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.word[0], "127.0.0.1");
	assert_int_equal(choose(NULL, NULL), 0);
	assert_true(seen.count >= 2);
}

static void fails(const char *address, enum error_kind kind, const char *text,
		  const char *hint)
{
	struct error err = { 0 };

	assert_int_equal(choose(address, &err), -1);
	assert_int_equal(err.kind, kind);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
}

/* A name that is none, though another one is. */
static void test_no_name(void **state)
{
	(void)state;
	words_add(&names, "lo");
	fails("192.0.2.1", ERR_USAGE,
	      "no interface 'lo' is up with the IPv4 address 192.0.2.1",
	      "ip -4 address lists them");
	words_add(&names, "nowhere7");
	fails(NULL, ERR_USAGE,
	      "no interface 'nowhere7' is up with an IPv4 address",
	      "ip -4 address lists them");
	assert_int_equal(seen.count, 0);
}

#define OF_HERE "--interface NAME names one; lo is this machine itself"

static void test_none(void **state)
{
	(void)state;
	/* It is one of loopback, which is not taken unasked. */
	fails("127.0.0.1", ERR_CONNECT,
	      "there is no network to ask: no interface is up with 127.0.0.1",
	      OF_HERE);
	assert_int_equal(seen.count, 0);
	useful = false;
	words_add(&names, "lo");
	fails(NULL, ERR_CONNECT,
	      "there is no network to ask: no interface is up with an IPv4 address, but loopback",
	      OF_HERE);
	assert_true(seen.count >= 1);
}

static void test_unasked(void **state)
{
	int status = choose(NULL, NULL);

	(void)state;
	assert_int_equal(status, seen.count > 0 ? 0 : -1);
	assert_false(words_has(&seen, "127.0.0.1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clean, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_loopback),
		TEST(test_no_name),
		TEST(test_none),
		TEST(test_unasked),
	};

	return cmocka_run_group_tests_name("interfaces", tests, NULL, NULL);
}
