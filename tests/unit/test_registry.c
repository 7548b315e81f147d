/* SPDX-License-Identifier: MIT */
/*
 * Devices found by id, client id, alias and glob; the order of arrival.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "serve/board.h"
#include "serve/registry.h"
#include "serve/serve_state.h"

static struct board *add(struct registry *r, const char *id)
{
	struct board *d = mem_zalloc(sizeof(*d));

	d->id = mem_strdup(id);
	registry_add(r, d);
	return d;
}

static void drop(struct registry *r, struct board *d)
{
	registry_remove(r, d);
	mem_free(d->id);
	mem_free(d);
}

static void test_find(void **state)
{
	struct registry r = { 0 };
	struct board *a, *b, *c;

	(void)state;
	assert_null(registry_find(&r, "a"));
	assert_null(registry_next(&r, NULL, NULL));
	a = add(&r, "a");
	b = add(&r, "b");
	c = add(&r, "c");
	assert_ptr_equal(registry_find(&r, "b"), b);
	assert_null(registry_find(&r, "d"));
	assert_ptr_equal(registry_next(&r, NULL, NULL), a);
	assert_ptr_equal(registry_next(&r, a, NULL), b);
	assert_null(registry_next(&r, c, NULL));
	drop(&r, b);
	assert_null(registry_find(&r, "b"));
	assert_ptr_equal(registry_next(&r, a, NULL), c);
	drop(&r, a);
	assert_ptr_equal(r.first, c);
	a = add(&r, "a");
	assert_ptr_equal(registry_next(&r, c, NULL), a);
	drop(&r, a);
	assert_ptr_equal(r.last, c);
	drop(&r, c);
	assert_int_equal(r.count, 0);
	registry_done(&r);
}

static size_t count(const struct registry *r, const char *pattern)
{
	size_t found = 0;

	for (struct board *d = registry_next(r, NULL, pattern); d;
	     d = registry_next(r, d, pattern))
		found++;
	return found;
}

static void test_many(void **state)
{
	struct registry r = { 0 };
	char id[32];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(id, sizeof(id), "02:00:00:00:%02x:%02x", i >> 8,
			 i & 255);
		add(&r, id);
	}
	assert_int_equal(count(&r, NULL), 5000);
	assert_int_equal(count(&r, "02:*:00:??"), 256);
	for (int i = 0; i < 5000; i++) {
		snprintf(id, sizeof(id), "02:00:00:00:%02x:%02x", i >> 8,
			 i & 255);
		assert_string_equal(registry_find(&r, id)->id, id);
	}
	while (r.first)
		drop(&r, r.first);
	registry_done(&r);
}

static void test_fits(void **state)
{
	char device_id[] = "AA:BB:CC:DD:EE:FF", client[] = "GID_x@@@aa_bb";
	char id[] = "aa:bb:cc:dd:ee:ff";
	struct board d = { .id = id,
			   .device_id = device_id,
			   .client_id = client,
			   .alias = "Kitchen" };
	CLEANUP(mem_free_ptr) char *huge = mem_zalloc(100001);

	(void)state;
	assert_true(device_fits(&d, NULL));
	assert_true(device_fits(&d, "aa:bb:cc:dd:ee:ff"));
	assert_true(device_fits(&d, "AA:bb:cc:dd:ee:FF"));
	assert_true(device_fits(&d, "gid_X@@@AA_bb"));
	assert_true(device_fits(&d, "kitchen"));
	assert_true(device_fits(&d, "KIT*"));
	assert_true(device_fits(&d, "*:FF"));
	assert_true(device_fits(&d, "Gid_*"));
	assert_false(device_fits(&d, "kit"));
	assert_false(device_fits(&d, ""));
	assert_false(device_fits(&d, "bath*"));
	memset(huge, '*', 100000);
	assert_false(device_fits(&d, huge));
	d.alias = d.client_id = d.device_id = NULL;
	assert_false(device_fits(&d, "kitchen"));
}

/* A board, and strangers who say that they are it. */
static void test_who_is_meant(void **state)
{
	struct alias names[] = {
		{ (char[]){ "kitchen" }, (char[]){ "02:00:00:00:00:01" } },
		{ (char[]){ "desk" }, (char[]){ "02:00:00:00:00:09" } }
	};
	struct serve s = { .aliases = { names, COUNT(names) } };
	struct registry *r = &s.registry;
	struct board *real, *by_id, *by_client, *by_board, *by_alias_id;
	char *pick;

	(void)state;
	by_id = add(r, "kitchen");
	by_client = add(r, "02:00:00:00:00:02");
	by_board = add(r, "02:00:00:00:00:03");
	by_alias_id = add(r, "02:00:00:00:00:04");
	real = add(r, "02:00:00:00:00:01");
	for (struct board *d = r->first; d; d = d->next) {
		d->server = &s;
		d->device_id = d->id;
	}
	real->alias = names[0].name;
	by_client->client_id = (char[]){ "kitchen" };
	by_board->board = (char[]){ "Kitchen" };
	by_alias_id->client_id = (char[]){ "02:00:00:00:00:01" };

	assert_ptr_equal(registry_next(r, NULL, "kitchen"), real);
	assert_null(registry_next(r, real, "KITCHEN"));
	assert_ptr_equal(registry_next(r, NULL, "02:00:00:00:00:01"), real);
	assert_ptr_equal(registry_next(r, NULL, "id:kitchen"), by_id);
	assert_int_equal(count(r, "id:kitchen"), 1);
	assert_int_equal(count(r, "kitch*"), 3);

	assert_string_equal(device_claim(by_id).told, "kitchen");
	assert_string_equal(device_claim(by_id).whose, "02:00:00:00:00:01");
	assert_string_equal(device_claim(by_client).told, "kitchen");
	assert_string_equal(device_claim(by_board).told, "Kitchen");
	assert_string_equal(device_claim(by_alias_id).told,
			    "02:00:00:00:00:01");
	assert_null(device_claim(real).told);
	pick = device_pattern(by_id);
	assert_string_equal(pick, "id:kitchen");
	mem_free(pick);
	pick = device_pattern(real);
	assert_string_equal(pick, real->id);
	mem_free(pick);

	/* While it is away nobody stands in for it. */
	drop(r, real);
	assert_null(registry_next(r, NULL, "kitchen"));
	assert_null(registry_next(r, NULL, "02:00:00:00:00:01"));
	/* A board's client id is one that no other has as its id. */
	by_board->client_id = (char[]){ "uuid-1" };
	assert_ptr_equal(registry_next(r, NULL, "UUID-1"), by_board);
	while (r->first)
		drop(r, r->first);
	registry_done(r);
}

static void test_closing_are_left_out(void **state)
{
	struct registry r = { 0 };
	struct board *a, *b;

	(void)state;
	a = add(&r, "a");
	b = add(&r, "b");
	a->closing = true;
	assert_ptr_equal(registry_next(&r, NULL, NULL), b);
	assert_null(registry_next(&r, b, NULL));
	assert_true(device_fits(a, "a"));
	drop(&r, a);
	drop(&r, b);
	registry_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_who_is_meant),
		cmocka_unit_test(test_closing_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
