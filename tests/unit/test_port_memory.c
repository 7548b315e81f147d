/* SPDX-License-Identifier: MIT */
/*
 * What boards told when they asked OTA: found again by whom, how many are
 * kept, and which of them were sent elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/port_memory.h"

#define ID "02:00:00:00:00:0a"
#define HERE "10.0.0.1:4711"
#define THERE "10.0.0.2:4711"

static struct memory memory;

static int clean(void **state)
{
	(void)state;
	memory_done(&memory);
	memory = (struct memory){ 0 };
	return 0;
}

/* version: by which what it told is known again. */
static void tell(const char *id, const char *from, const char *version,
		 const char *given, const char *sent_to, const char *before)
{
	const struct told_it it = { given, sent_to };
	CLEANUP(mem_free_ptr) char *was = NULL;
	struct ota_request rq = { 0 };

	snprintf(rq.device_id, sizeof(rq.device_id), "%s", id);
	snprintf(rq.version, sizeof(rq.version), "%s", version);
	was = memory_tell(&memory, &rq, from, &it);
	if (before)
		assert_string_equal(was ? was : "NULL", before);
	else
		assert_null(was);
}

static void is(const struct told *t, const char *version)
{
	assert_string_equal(t ? t->asked.version : "none",
			    version ? version : "none");
}

static void test_found(void **state)
{
	(void)state;
	tell(ID, HERE, "1", NULL, NULL, NULL);
	tell("other", HERE, "2", NULL, NULL, NULL);
	is(memory_find(&memory, ID, HERE), "1");
	is(memory_find(&memory, "02:00:00:00:00:0A", "10.0.0.1"), "1");
	is(memory_find(&memory, "other", "10.0.0.1:1"), "2");
	is(memory_find(&memory, ID, THERE), NULL);
	is(memory_find(&memory, ID, "10.0.0.10"), NULL);
	is(memory_find(&memory, "02:00:00:00:00:0", HERE), NULL);
	is(memory_find(&memory, "", HERE), NULL);
	is(memory_find(&memory, NULL, HERE), NULL);
	is(memory_find_given(&memory, ID, HERE), NULL);
	assert_string_equal(memory.item[0]->from, "10.0.0.1");
}

/* Where nobody knows the address, who asked first is believed. */
static void test_first(void **state)
{
	(void)state;
	tell(ID, HERE, "1", NULL, NULL, NULL);
	tell(ID, THERE, "2", NULL, NULL, NULL);
	tell(ID, "[fe80::1]:80", "3", NULL, NULL, NULL);
	is(memory_find(&memory, ID, NULL), "1");
	is(memory_find(&memory, ID, THERE), "2");
	is(memory_find(&memory, ID, "[fe80::1]:81"), "3");
	is(memory_find(&memory, ID, "fe80::1"), "3");
	/* Again, later than the others. */
	tell(ID, HERE, "4", NULL, NULL, NULL);
	assert_int_equal(memory.count, 3);
	assert_int_equal(memory.by_id.count, 3);
	is(memory_find(&memory, ID, NULL), "4");
}

static void test_sent_elsewhere(void **state)
{
	(void)state;
	tell(ID, HERE, "1", NULL, "ws://a/", NULL);
	tell(ID, HERE, "1", NULL, "WS://A/", NULL);
	tell(ID, HERE, "1", NULL, "ws://b/", "WS://A/");
	tell(ID, HERE, "1", NULL, NULL, "ws://b/");
	tell(ID, HERE, "1", NULL, "ws://b/", NULL);
	tell(ID, THERE, "1", NULL, "ws://c/", NULL);
	assert_int_equal(memory.count, 2);
	assert_string_equal(memory_find(&memory, ID, HERE)->sent_to, "ws://b/");
}

/* A board without a name is known by that which it was given. */
static void test_given(void **state)
{
	(void)state;
	tell("", HERE, "1", NULL, "ws://a/", NULL);
	assert_int_equal(memory.count, 0);
	tell("d", HERE, "1", NULL, "ws://a/", NULL);
	assert_int_equal(memory.count, 1);
	assert_int_equal(clean(NULL), 0);
	tell("", HERE, "2", "GID_a", "b:1883", NULL);
	tell("", HERE, "3", "gid_A", "c:1883", "b:1883");
	assert_int_equal(memory.count, 1);
	is(memory_find_given(&memory, "GID_a", HERE), "3");
	is(memory_find_given(&memory, "GID_a", THERE), NULL);
	is(memory_find_given(&memory, "GID_b", HERE), NULL);
	is(memory_find(&memory, "", HERE), NULL);
	tell("", THERE, "4", "GID_a", NULL, NULL);
	is(memory_find_given(&memory, "GID_a", NULL), "3");
	/* It is given another one. */
	tell(ID, HERE, "5", "GID_x", NULL, NULL);
	tell(ID, HERE, "6", "GID_y", NULL, NULL);
	is(memory_find_given(&memory, "GID_x", HERE), NULL);
	is(memory_find_given(&memory, "GID_y", HERE), "6");
	assert_int_equal(memory.by_given.count, 3);
}

static void test_board(void **state)
{
	(void)state;
	tell(ID, HERE, "1", NULL, NULL, NULL);
	tell("other", HERE, "2", "GID_a", NULL, NULL);
	is(memory_find_board(&memory, NULL, ID, HERE), "1");
	is(memory_find_board(&memory, "GID_a", ID, HERE), "2");
	is(memory_find_board(&memory, "GID_b", ID, HERE), "1");
	is(memory_find_board(&memory, "GID_b", "third", HERE), NULL);
}

/* Who asked longest ago goes, not who asked first. */
static void test_many(void **state)
{
	char id[32];

	(void)state;
	for (int i = 0; i < 1024; i++) {
		snprintf(id, sizeof(id), "device %d", i);
		tell(id, HERE, "1", i == 1 ? "GID_a" : NULL, NULL, NULL);
	}
	tell("device 0", HERE, "2", NULL, NULL, NULL);
	assert_int_equal(memory.count, 1024);
	tell("one more", HERE, "3", NULL, NULL, NULL);
	assert_int_equal(memory.count, 1024);
	is(memory_find(&memory, "device 0", HERE), "2");
	is(memory_find(&memory, "device 1", HERE), NULL);
	is(memory_find_given(&memory, "GID_a", HERE), NULL);
	is(memory_find(&memory, "device 2", HERE), "1");
	is(memory_find(&memory, "device 1023", HERE), "1");
	is(memory_find(&memory, "one more", HERE), "3");
	assert_int_equal(memory.by_id.count, 1024);
	assert_int_equal(memory.by_given.count, 0);
	/* All but the first of the list. */
	for (int i = 2; i < 1024; i++) {
		snprintf(id, sizeof(id), "device %d", i);
		tell(id, HERE, "4", NULL, NULL, NULL);
	}
	tell("one more", HERE, "4", NULL, NULL, NULL);
	tell("the last", HERE, "4", NULL, NULL, NULL);
	is(memory_find(&memory, "device 0", HERE), NULL);
	is(memory_find(&memory, "device 2", HERE), "4");
}

static void sends(const char *id, const char *url, const char *before)
{
	CLEANUP(mem_free_ptr) char *was = memory_sent(&memory, id, url);

	if (before)
		assert_string_equal(was ? was : "NULL", before);
	else
		assert_null(was);
}

static void test_pictures(void **state)
{
	char id[32];

	(void)state;
	sends(ID, "http://a/", NULL);
	sends("other", "http://b/", NULL);
	sends("02:00:00:00:00:0A", "http://a/", NULL);
	sends(ID, "http://A/", "http://a/");
	assert_int_equal(memory.sent_count, 2);
	for (int i = 2; i < 1024; i++) {
		snprintf(id, sizeof(id), "device %d", i);
		sends(id, "http://a/", NULL);
	}
	sends(ID, "http://A/", NULL);
	assert_int_equal(memory.sent_count, 1024);
	/* It takes the place of "other", which was told longest ago. */
	sends("one more", "http://a/", NULL);
	assert_int_equal(memory.sent_count, 1024);
	sends(ID, "http://b/", "http://A/");
	sends("device 2", "http://b/", "http://a/");
	sends("one more", "http://b/", "http://a/");
	sends("other", "http://c/", NULL);
	sends("device 4", "http://b/", "http://a/");
	sends("device 3", "http://b/", NULL);
	assert_int_equal(memory.sent_by_id.count, 1024);
}

/* The first of the list is the oldest, too. */
static void test_many_pictures(void **state)
{
	char id[32];

	(void)state;
	for (int i = 0; i < 1025; i++) {
		snprintf(id, sizeof(id), "device %d", i);
		sends(id, "http://a/", NULL);
	}
	sends("device 1", "http://b/", "http://a/");
	sends("device 0", "http://b/", NULL);
}

static void test_same_peer(void **state)
{
	(void)state;
	assert_true(memory_same_peer("10.0.0.1:1", "10.0.0.1:2"));
	assert_true(memory_same_peer("10.0.0.1", "10.0.0.1:2"));
	assert_true(memory_same_peer("h:1", "h:2"));
	assert_true(memory_same_peer("[FE80::1]:1", "fe80::1"));
	assert_false(memory_same_peer("10.0.0.1", "10.0.0.2"));
	assert_false(memory_same_peer("10.0.0.1", "10.0.0.10"));
	assert_false(memory_same_peer(":1", ":2"));
	assert_false(memory_same_peer(NULL, "10.0.0.1"));
	assert_false(memory_same_peer("10.0.0.1", NULL));
	assert_false(memory_same_peer(NULL, NULL));
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_found),	   TEST(test_first),
		TEST(test_sent_elsewhere), TEST(test_given),
		TEST(test_board),	   TEST(test_many),
		TEST(test_pictures),	   TEST(test_many_pictures),
		TEST(test_same_peer),
	};

	mem_init();
	return cmocka_run_group_tests_name("port_memory", tests, NULL, NULL);
}
