/* SPDX-License-Identifier: MIT */
/* What sim is told that cannot be: refused before anything is dialled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sim/fleet.h"
#include "sim/sim.h"

static void refused(const struct sim_options *o, const char *words)
{
	struct sim_summary sum;
	struct error err = { 0 };

	assert_int_equal(sim_run(NULL, o, NULL, &sum, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, words))
		print_error("said: %s\n", err.text);
	assert_non_null(strstr(err.text, words));
	assert_int_equal(sum.devices, 0);
	error_reset(&err);
}

#define WS .connect = "ws://h/"
#define OPTIONS(...) ((struct sim_options){ __VA_ARGS__ })

static void test_ways(void **state)
{
	cJSON *broker = cJSON_CreateObject();

	(void)state;
	refused(&OPTIONS(.devices = 1), "--connect, --ota or --listen is");
	refused(&OPTIONS(WS, .ota = "http://h/"), "exclude each other");
	refused(&OPTIONS(WS, .listen = ""), "exclude each other");
	refused(&OPTIONS(.listen = "", .ota = "http://h/"),
		"exclude each other");
	refused(&OPTIONS(WS, .broker = broker), "exclude each other");
	cJSON_Delete(broker);
	refused(&OPTIONS(.connect = "http://h/"),
		"--connect 'http://h/': an address with ws://, wss:// or mqtt");
	refused(&OPTIONS(.ota = "ws://h/"),
		"--ota 'ws://h/': an address with http:// or https:// is");
	refused(&OPTIONS(.connect = "ws://h:0/"), "not one of 1 to 65535");
	refused(&OPTIONS(.connect = "ws://h:x/"), "no number");
	/* Of a password nothing is said again. */
	refused(&OPTIONS(.connect = "ws://u:geheim@h:80/"),
		"address 'ws://u:***@h:80/': the port '***@h:80' is no number");
	refused(&OPTIONS(.connect = "wxs://u:geheim@h/"),
		"--connect 'wxs://u:***@h/': an address with");
	refused(&OPTIONS(.ota = "https:///x"), "the host is missing");
	refused(&OPTIONS(.connect = "mqtt:///x"), "the host is missing");
	refused(&OPTIONS(.connect = "mqtt://h/c?down=d"),
		"down= is a topic to subscribe to");
	refused(&OPTIONS(.connect = "wss://h/", .cacert = "/nope.pem"),
		"/nope.pem");
	refused(&OPTIONS(.connect = "mqtts://h/c", .cacert = "/nope.pem"),
		"/nope.pem");
	refused(&OPTIONS(.ota = "https://h/", .cacert = "/nope.pem"),
		"/nope.pem");
}

static void test_values(void **state)
{
	(void)state;
	refused(&OPTIONS(WS, .device_id = ""), "--device-id: 1 to 128");
	refused(&OPTIONS(WS, .device_id = "a\nb"), "--device-id: 1 to 128");
	refused(&OPTIONS(WS, .client_id = "é"), "--client-id: 1 to 128");
	refused(&OPTIONS(WS, .token = "a\r\nX: b"), "has a line break in it");
	refused(&OPTIONS(WS, .devices = -1), "--devices: 1 to 10000");
	refused(&OPTIONS(WS, .devices = FLEET_MAX + 1), "1 to 10000");
	refused(&OPTIONS(.listen = "", .devices = 2), "--listen is one device");
	refused(&OPTIONS(.listen = "", .subscribe = true),
		"--subscribe is for MQTT: --listen has none");
	refused(&OPTIONS(WS, .subscribe = true),
		"--subscribe is for MQTT: 'ws://h/' has none");
	refused(&OPTIONS(WS, .frame_version = -1), "1, 2 or 3 is expected");
	refused(&OPTIONS(WS, .frame_version = 4), "1, 2 or 3 is expected");
	refused(&OPTIONS(WS, .photo = "/nope.jpg"), "/nope.jpg");
	refused(&OPTIONS(WS, .photo = "Makefile"), "is no JPEG");
	refused(&OPTIONS(WS, .profile = "./none.json"), "./none.json");
	refused(&OPTIONS(WS, .profile_text = "{\"x\":1}", .profile = "f.json"),
		"profile 'f.json'");
}

/* Faults of all, and of one device of those that there are. */
static void test_faults(void **state)
{
	static const char *const rows[][2] = {
		{ "dep", "there is no fault 'dep' (did you mean 'deep'?)" },
		{ "deep,", "there is no fault ''" },
		{ "deep=1", "fault 'deep' takes no value" },
		{ "huge=x", "fault 'huge' takes a whole number, not 'x'" },
		{ "huge=-1", "takes a whole number" },
		{ "notify-storm=268435457", "takes a whole number" },
		{ "late-reply=x", "fault 'late-reply'" },
		{ "3:deep", "fault '3:deep': there is no device 3" },
		{ "0:deep", "stands the number of a device, as in 3:no-reply" },
		{ "x:deep", "stands the number of a device" },
		{ "2:deep=1", "takes no value" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct words faults = { 0 };
		const struct sim_options o = { WS, .devices = 2,
					       .faults = &faults };

		words_add(&faults, "2:deep,huge=268435456,late-hello=2s");
		words_add(&faults, rows[i][0]);
		refused(&o, rows[i][1]);
		words_done(&faults);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_faults),
	};

	mem_init();
	return cmocka_run_group_tests_name("sim options", tests, NULL, NULL);
}
