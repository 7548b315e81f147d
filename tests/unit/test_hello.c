/* SPDX-License-Identifier: MIT */
/*
 * wire/hello: what devices say of themselves, and the answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/hello.h"

static int decode(struct hello *h, const char *text)
{
	struct error err = { 0 };
	cJSON *json = json_parse(text, strlen(text), &err);
	int status;

	assert_non_null(json);
	status = hello_decode_take(h, json, &err);
	if (status)
		assert_int_equal(err.kind, ERR_PROTOCOL);
	error_reset(&err);
	return status;
}

/* As recorded from firmware 2.4.2. */
static void firmware(void **state)
{
	struct hello h;

	(void)state;
	assert_int_equal(
		decode(&h, "{\"type\":\"hello\",\"version\":1,\"features\":"
			   "{\"mcp\":true,\"glyph_push\":false},\"transport\":"
			   "\"websocket\",\"audio_params\":{\"format\":"
			   "\"opus\",\"sample_rate\":16000,\"channels\":1,"
			   "\"frame_duration\":60}}"),
		0);
	assert_int_equal(h.version, 1);
	assert_true(h.has_features);
	assert_true(h.mcp);
	assert_string_equal(h.transport, "websocket");
	assert_string_equal(h.audio.format, "opus");
	assert_int_equal(h.audio.sample_rate, 16000);
	assert_int_equal(h.audio.channels, 1);
	assert_int_equal(h.audio.frame_duration, 60);
	assert_non_null(h.json);
	hello_done(&h);
	hello_done(&h);
}

static void old_firmware(void **state)
{
	struct hello h;

	(void)state;
	assert_int_equal(decode(&h, "{\"type\":\"hello\"}"), 0);
	assert_int_equal(h.version, 0);
	assert_false(h.has_features);
	assert_false(h.mcp);
	assert_string_equal(h.transport, "");
	assert_string_equal(h.audio.format, "");
	assert_int_equal(h.audio.sample_rate, 0);
	hello_done(&h);
}

static bool offers_mcp(const char *features)
{
	struct buf text = { 0 };
	struct hello h;
	bool mcp;

	buf_printf(&text, "{\"type\":\"hello\",\"features\":%s}", features);
	assert_int_equal(decode(&h, buf_string(&text)), 0);
	mcp = h.mcp;
	hello_done(&h);
	buf_done(&text);
	return mcp;
}

static void features(void **state)
{
	(void)state;
	assert_true(offers_mcp("{\"mcp\":true}"));
	assert_true(offers_mcp("{\"mcp\":\"true\"}"));
	assert_false(offers_mcp("{\"mcp\":false}"));
	assert_false(offers_mcp("{\"mcp\":1}"));
	assert_false(offers_mcp("{\"MCP\":true}"));
	assert_false(offers_mcp("{}"));
	assert_false(offers_mcp("[]"));
}

static void hostile(void **state)
{
	struct hello h;

	(void)state;
	assert_int_equal(decode(&h, "{\"type\":\"listen\"}"), -1);
	assert_null(h.json);
	assert_int_equal(decode(&h, "[]"), -1);
	/* too long: cut, and not inside the two bytes of the last letter */
	assert_int_equal(
		decode(&h, "{\"type\":\"hello\",\"version\":1e300,"
			   "\"transport\":\"0123456789abcd\xc3\xa9\","
			   "\"audio_params\":{\"sample_rate\":\"16000\"}}"),
		0);
	assert_int_equal(h.version, 0);
	assert_string_equal(h.transport, "0123456789abcd");
	assert_int_equal(h.audio.sample_rate, 0);
	hello_done(&h);
}

static void server(void **state)
{
	struct buf out = { 0 };

	(void)state;
	hello_encode_server(&out, "S1");
	assert_string_equal(buf_string(&out),
			    "{\"type\":\"hello\",\"transport\":\"websocket\","
			    "\"session_id\":\"S1\",\"audio_params\":{"
			    "\"format\":\"opus\",\"sample_rate\":24000,"
			    "\"channels\":1,\"frame_duration\":60}}");
	buf_done(&out);
}

static void over_mqtt(void **state)
{
	struct udp_offer udp = { .server = "10.0.0.1\"", .port = 8888 };
	struct buf out = { 0 };

	(void)state;
	memcpy(udp.key, "00112233445566778899aabbccddeeff", 33);
	memcpy(udp.nonce, "01000000000000000000000000000000", 33);
	hello_encode_udp(&out, "S1", &udp);
	assert_string_equal(
		buf_string(&out),
		"{\"type\":\"hello\",\"transport\":\"udp\","
		"\"session_id\":\"S1\",\"audio_params\":{"
		"\"format\":\"opus\",\"sample_rate\":24000,"
		"\"channels\":1,\"frame_duration\":60},"
		"\"udp\":{\"server\":\"10.0.0.1\\\"\",\"port\":8888,"
		"\"encryption\":\"aes-128-ctr\","
		"\"key\":\"00112233445566778899aabbccddeeff\","
		"\"nonce\":\"01000000000000000000000000000000\"}}");
	/* no audio: the device still wants a port */
	udp.port = 0;
	buf_reset(&out);
	hello_encode_udp(&out, "S1", &udp);
	assert_non_null(strstr(buf_string(&out), "\"port\":9,"));
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firmware), cmocka_unit_test(old_firmware),
		cmocka_unit_test(features), cmocka_unit_test(hostile),
		cmocka_unit_test(server),   cmocka_unit_test(over_mqtt),
	};

	return cmocka_run_group_tests_name("hello", tests, NULL, NULL);
}
