/* SPDX-License-Identifier: MIT */
/*
 * wire/broker_topic: topics of the plugin, patterns, client ids.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/broker_topic.h"

#define DEVICE "GID_a@@@80_b5_4e_01_02_03@@@1f2e-3d"

static void encode(void **state)
{
	static const struct {
		enum broker_topic kind;
		const char *id, *topic;
	} rows[] = {
		{ BROKER_UP, DEVICE, "mcpctl/up/" DEVICE },
		{ BROKER_JOINED, "a.b-c_d@e", "mcpctl/joined/a.b-c_d@e" },
		{ BROKER_LEFT, "a/b+c#d", "mcpctl/left/a%2Fb%2Bc%23d" },
		{ BROKER_REFUSED, " %\x7f\x01", "mcpctl/refused/%20%25%7F%01" },
		{ BROKER_DOWN, "\xc3\xa4", "mcpctl/down/%C3%A4" },
		{ BROKER_KICK, "Z9", "mcpctl/kick/Z9" },
	};
	struct buf topic = { 0 }, id = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		buf_reset(&topic);
		broker_topic_encode(&topic, rows[i].kind, rows[i].id);
		assert_string_equal(buf_string(&topic), rows[i].topic);
		assert_int_equal(broker_topic_decode(rows[i].topic, &id),
				 rows[i].kind);
		assert_string_equal(buf_string(&id), rows[i].id);
	}
	buf_done(&topic);
	buf_done(&id);
}

static void decode_refuses(void **state)
{
	static const char *const rows[] = {
		"",
		"mcpctl",
		"mcpctl/",
		"mcpctl/up",
		"mcpctl/up/",
		"mcpctl//a",
		"mcpctl/u/a",
		"mcpctl/upp/a",
		"mcpctl/up/a/b",
		"mcpctl/up/a b",
		"mcpctl/up/a%",
		"mcpctl/up/a%2",
		"mcpctl/up/a%2g",
		"mcpctl/up/a%00",
		"mcpctl/up/\xc3\xa4",
		"/mcpctl/up/a",
		"Mcpctl/up/a",
		"device-server",
	};
	struct buf id = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		buf_text(&id, "old");
		assert_int_equal(broker_topic_decode(rows[i], &id),
				 BROKER_NONE);
		assert_string_equal(buf_string(&id), "");
	}
	/* Small letters are read too; a buffer that is full is no id. */
	assert_int_equal(broker_topic_decode("mcpctl/up/%c3%a4%2f", &id),
			 BROKER_UP);
	assert_string_equal(buf_string(&id), "\xc3\xa4/");
	buf_done(&id);
	buf_init(&id, 3);
	assert_int_equal(broker_topic_decode("mcpctl/up/abc", &id), BROKER_UP);
	assert_int_equal(broker_topic_decode("mcpctl/up/abcd", &id),
			 BROKER_NONE);
	assert_string_equal(buf_string(&id), "");
	buf_done(&id);
}

static void fill_and_filter(void **state)
{
	static const struct {
		const char *pattern, *filled, *unknown, *filter;
	} rows[] = {
		{ "mcpctl/up/{client_id}", "mcpctl/up/C", "mcpctl/up/C",
		  "mcpctl/up/+" },
		{ "devices/p2p/{mac}", "devices/p2p/aa_bb_cc",
		  "devices/p2p/unknown", "devices/p2p/+" },
		{ "d/x-{mac}-y/{client_id}", "d/x-aa_bb_cc-y/C",
		  "d/x-unknown-y/C", "d/+/+" },
		{ "{mac}/z/", "aa_bb_cc/z/", "unknown/z/", "+/z/" },
		{ "plain", "plain", "plain", "plain" },
		{ "{other}/{ma", "{other}/{ma", "{other}/{ma", "{other}/{ma" },
		{ "", "", "", "" },
	};
	struct buf out = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		buf_reset(&out);
		topic_fill(&out, rows[i].pattern, "C", "aa:bb:cc");
		assert_string_equal(buf_string(&out), rows[i].filled);
		buf_reset(&out);
		topic_fill(&out, rows[i].pattern, "C", NULL);
		assert_string_equal(buf_string(&out), rows[i].unknown);
		buf_reset(&out);
		topic_filter(&out, rows[i].pattern);
		assert_string_equal(buf_string(&out), rows[i].filter);
	}
	buf_done(&out);
}

static void match(void **state)
{
	static const struct {
		const char *pattern, *topic, *client, *mac; /* NULL: no match */
	} rows[] = {
		{ "mcpctl/up/{client_id}", "mcpctl/up/" DEVICE, DEVICE, "" },
		{ "mcpctl/up/{client_id}", "mcpctl/up/", NULL, NULL },
		{ "mcpctl/up/{client_id}", "mcpctl/up/a/b", NULL, NULL },
		{ "mcpctl/up/{client_id}", "mcpctl/up", NULL, NULL },
		{ "mcpctl/up/{client_id}", "", NULL, NULL },
		{ "d/{mac}", "d/aa_bb", "", "aa:bb" },
		{ "d/{mac}/x", "d/aa_bb/x", "", "aa:bb" },
		{ "d/{mac}/x", "d/aa_bb/y", NULL, NULL },
		{ "d/a-{mac}-z/{client_id}/e", "d/a-1_2-z/C/e", "C", "1:2" },
		{ "d/a-{mac}-z", "d/a--z", NULL, NULL },
		{ "d/a-{mac}-z", "d/a-z", NULL, NULL },
		{ "d/a-{mac}-z", "d/a-1-z-z", "", "1-z" },
		{ "{mac}.{client_id}", "1_2.x.y", "x.y", "1:2" },
		{ "{mac}{client_id}", "12", NULL, NULL },
		{ "{mac}/{mac}", "1_2/1_2", "", "1:2" },
		{ "{mac}/{mac}", "1_2/1_3", NULL, NULL },
		{ "device-server", "device-server", "", "" },
		{ "device-server", "device-serve", NULL, NULL },
		{ "device-server", "device-server2", NULL, NULL },
	};
	struct buf client = { 0 }, mac = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		bool fits = topic_match(rows[i].pattern, rows[i].topic, &client,
					&mac);

		assert_int_equal(fits, rows[i].client != NULL);
		if (!fits)
			continue;
		assert_string_equal(buf_string(&client), rows[i].client);
		assert_string_equal(buf_string(&mac), rows[i].mac);
	}
	buf_done(&client);
	buf_done(&mac);
}

static void macs(void **state)
{
	static const char *const bad[] = {
		"",
		"GID_",
		"GID_a",
		"GID_@@@80_b5_4e_01_02_03@@@u",
		"gid_a@@@80_b5_4e_01_02_03@@@u",
		"GID_a@@@80_b5_4e_01_02_03@@@",
		"GID_a@@@80_b5_4e_01_02_03@@",
		"GID_a@@@80_b5_4e_01_02_03",
		"GID_a@@@80_b5_4e_01_02_0",
		"GID_a@@@80_b5_4e_01_02_0g@@@u",
		"GID_a@@@80:b5:4e:01:02:03@@@u",
		"GID_a@@@80_b5_4e_01_02_03_04@@@u",
		"GID_a@@@",
		"x@@@80_b5_4e_01_02_03@@@u",
	};
	struct buf topic = { 0 };
	char mac[18];
	size_t i;

	(void)state;
	assert_true(client_id_mac(DEVICE, mac));
	assert_string_equal(mac, "80:b5:4e:01:02:03");
	assert_true(client_id_mac("GID_x@@@AA_BB_CC_DD_EE_FF@@@u", mac));
	assert_string_equal(mac, "aa:bb:cc:dd:ee:ff");
	for (i = 0; i < COUNT(bad); i++)
		assert_false(client_id_mac(bad[i], mac));
	broker_own_topic(&topic, DEVICE);
	assert_string_equal(buf_string(&topic),
			    "devices/p2p/80_b5_4e_01_02_03");
	buf_reset(&topic);
	broker_own_topic(&topic, "other");
	assert_string_equal(buf_string(&topic), "devices/p2p/client");
	buf_done(&topic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encode),
		cmocka_unit_test(decode_refuses),
		cmocka_unit_test(fill_and_filter),
		cmocka_unit_test(match),
		cmocka_unit_test(macs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
